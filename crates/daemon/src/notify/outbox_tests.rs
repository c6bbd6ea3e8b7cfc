use super::*;
use crate::metrics::Metrics;
use crate::notify::channel::Delivery;
use status::AttentionKind;
use status::notifier::Urgency;
use tokio::sync::mpsc;

/// A channel that notes what it is asked, and answers as told.
#[derive(Debug)]
struct Noted {
    asked: mpsc::UnboundedSender<String>,
    answers: Mutex<VecDeque<Result<Delivered, Undelivered>>>,
    /// Held: the order under way does not end.
    gate: tokio::sync::Mutex<()>,
}

impl Noted {
    async fn answer(&self, asked: String) -> Result<Delivered, Undelivered> {
        self.asked.send(asked).unwrap();
        let _open = self.gate.lock().await;
        let answer = self.answers.lock().unwrap().pop_front();
        answer.unwrap_or(Ok(Delivered {
            handle: Some("h".to_owned()),
            said: "done".to_owned(),
        }))
    }
}

impl Channel for Noted {
    fn show<'a>(&'a self, telling: &'a Telling) -> Delivery<'a> {
        let how = match telling.silent {
            true => "silently",
            false => "loudly",
        };
        let title = &telling.notice.title;
        Box::pin(self.answer(format!("{title} {how} {:?}", telling.standing)))
    }
    fn withdraw<'a>(&'a self, place: &'a Place, standing: Option<&'a str>) -> Delivery<'a> {
        Box::pin(self.answer(format!("away {:?} {standing:?}", place.0)))
    }
    fn resume(&self, standing: &[(Place, Handle)]) {
        self.asked
            .send(format!("resume {}", standing.len()))
            .unwrap();
    }
}

struct Post {
    outbox: Arc<Outbox>,
    channel: Arc<Noted>,
    asked: mpsc::UnboundedReceiver<String>,
    _place: tempfile::TempDir,
}

impl Post {
    fn new(kept: Kept) -> Self {
        let place = tempfile::tempdir().unwrap();
        let registry = Arc::new(Registry::default());
        let (told, _) = mpsc::unbounded_channel();
        let database = place.path().join("wigwag.db");
        let metrics = Arc::new(Metrics::default());
        let journal = Journal::start(database, Arc::clone(&registry), metrics, told);
        let outbox = Outbox::new("test", "notifications.test", kept, registry, journal);
        tokio::spawn(Arc::clone(&outbox).work());
        let (sender, asked) = mpsc::unbounded_channel();
        let channel = Arc::new(Noted {
            asked: sender,
            answers: Mutex::default(),
            gate: tokio::sync::Mutex::default(),
        });
        outbox.set_up(Setup::On(channel.clone()));
        Self {
            outbox,
            channel,
            asked,
            _place: place,
        }
    }

    async fn ready() -> Self {
        let mut post = Self::new(Kept::default());
        post.asks("resume 0").await;
        post
    }

    fn show(&self, id: &str, title: &str, silent: bool) -> &Self {
        let notice = Notice {
            subject: Subject::Terminal(id.to_owned()),
            seq: 1,
            kind: AttentionKind::Bell,
            urgency: Urgency::Normal,
            title: title.to_owned(),
            body: None,
        };
        let on = Surface::Phone;
        self.outbox.push(Order::Show { notice, on, silent });
        self
    }

    fn withdraw(&self, id: &str) -> &Self {
        let place = (Subject::Terminal(id.to_owned()), Surface::Phone);
        self.outbox.push(Order::Withdraw(place));
        self
    }

    fn answers(&self, answer: Result<Delivered, Undelivered>) {
        self.channel.answers.lock().unwrap().push_back(answer);
    }

    #[track_caller]
    fn asks<'a>(&'a mut self, expected: &'a str) -> impl Future<Output = ()> + 'a {
        self.outbox.go();
        async move {
            let asked = tokio::time::timeout(Duration::from_secs(30), self.asked.recv());
            assert_eq!(asked.await.unwrap().unwrap(), expected);
        }
    }

    /// Nothing else was asked, and nothing waits.
    async fn is_idle(&mut self) {
        let _turn = self.channel.gate.lock().await;
        assert_eq!(self.outbox.report().waiting, 0);
        assert!(self.asked.try_recv().is_err());
    }
}

#[tokio::test]
async fn a_withdrawal_beats_a_raise_that_waits() {
    let mut post = Post::ready().await;
    post.show("a", "one", false)
        .withdraw("a")
        .show("b", "two", false);
    post.asks("two loudly None").await;
    post.is_idle().await;
}

#[tokio::test]
async fn what_was_never_shown_is_never_taken_away() {
    let mut post = Post::ready().await;
    post.withdraw("a").show("b", "two", false);
    post.asks("two loudly None").await;
    post.is_idle().await;
}

#[tokio::test]
async fn of_a_terminal_the_latest_waits_and_an_untold_person_is_to_notice() {
    let mut post = Post::ready().await;
    post.show("a", "one", false).show("a", "two", true);
    post.asks("two loudly None").await;
    post.show("a", "three", true);
    post.asks("three silently Some(\"h\")").await;
    post.withdraw("a");
    post.asks("away Terminal(\"a\") Some(\"h\")").await;
}

#[tokio::test]
async fn a_withdrawal_of_what_is_under_way_comes_after_it() {
    let mut post = Post::ready().await;
    let channel = Arc::clone(&post.channel);
    let gate = channel.gate.lock().await;
    post.show("a", "one", false);
    post.asks("one loudly None").await;
    post.withdraw("a");
    drop(gate);
    post.asks("away Terminal(\"a\") Some(\"h\")").await;
}

#[tokio::test]
async fn a_failure_is_tried_again_and_the_latest_takes_its_place() {
    let mut post = Post::ready().await;
    let channel = Arc::clone(&post.channel);
    let gate = channel.gate.lock().await;
    post.answers(Err(Undelivered::later("away")));
    post.show("a", "one", false);
    post.asks("one loudly None").await;
    post.show("a", "two", true);
    drop(gate);
    post.asks("two loudly None").await;
    let report = post.outbox.report();
    assert_eq!((report.failed, report.again_in.is_some()), (1, false));
}

#[tokio::test]
async fn repetitions_come_ever_later_and_a_server_s_own_time_is_kept() {
    let post = Post::ready().await;
    let mut queue = post.outbox.lock();
    let order = Order::Withdraw((Subject::Fold, Surface::Phone));
    let pause = |queue: &Inner, seconds: u64| {
        let pause = queue.not_before.unwrap() - Instant::now();
        let exact = Duration::from_secs(seconds);
        assert!(
            pause <= exact && pause + Duration::from_millis(900) > exact,
            "{pause:?}"
        );
    };
    for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
        queue.try_again(order.clone(), Again::Later);
        pause(&queue, seconds);
    }
    assert_eq!(queue.waiting.len(), 1);
    queue.try_again(order, Again::After(Duration::from_secs(7)));
    pause(&queue, 7);
    queue.went_well();
    assert_eq!(queue.not_before, None);
}

#[tokio::test]
async fn what_makes_no_sense_to_repeat_is_not() {
    let mut post = Post::ready().await;
    post.answers(Err(Undelivered::never("refused")));
    post.show("a", "one", false);
    post.asks("one loudly None").await;
    post.show("b", "two", false);
    post.asks("two loudly None").await;
    post.is_idle().await;
}

#[tokio::test]
async fn waiting_orders_are_bounded_and_withdrawals_stay() {
    let mut post = Post::ready().await;
    post.show("shown", "one", false);
    post.asks("one loudly None").await;
    let channel = Arc::clone(&post.channel);
    let gate = channel.gate.lock().await;
    post.show("under way", "under way", false);
    post.asks("under way loudly None").await;
    post.withdraw("shown");
    for n in 0..WAITING + 10 {
        post.show(&n.to_string(), "many", false);
    }
    let inner = post.outbox.lock();
    assert_eq!(inner.waiting.len(), WAITING);
    assert!(matches!(inner.waiting[0], Order::Withdraw(_)));
    drop(inner);
    drop(gate);
}

#[tokio::test]
async fn the_next_daemon_knows_what_waits_and_what_stands() {
    let mut post = Post::ready().await;
    post.show("a", "one", false);
    post.asks("one loudly None").await;
    let channel = Arc::clone(&post.channel);
    let gate = channel.gate.lock().await;
    post.show("b", "under way", false);
    post.asks("under way loudly None").await;
    post.show("c", "waits", false);
    let kept = Kept::read(Some(&post.outbox.kept()));
    drop(gate);
    let mut next = Post::new(kept);
    next.asks("resume 1").await;
    // What was under way is not done again, and can be taken away.
    next.asks("waits loudly None").await;
    next.withdraw("a").withdraw("b");
    next.asks("away Terminal(\"a\") Some(\"h\")").await;
    next.asks("away Terminal(\"b\") None").await;
    next.is_idle().await;
}

#[tokio::test]
async fn a_channel_that_is_switched_off_leaves_nothing_standing() {
    let mut post = Post::ready().await;
    post.show("a", "one", false);
    post.asks("one loudly None").await;
    post.outbox.set_up(Setup::Off("off".to_owned()));
    post.show("b", "two", false);
    post.asks("away Terminal(\"a\") Some(\"h\")").await;
    post.is_idle().await;
    assert_eq!(post.outbox.report().off.as_deref(), Some("off"));
}

#[tokio::test]
async fn a_test_says_what_came_of_it() {
    let post = Post::ready().await;
    let notice = Notice {
        subject: Subject::Fold,
        seq: 0,
        kind: AttentionKind::Notify,
        urgency: Urgency::Low,
        title: "test".to_owned(),
        body: None,
    };
    let tried = post.outbox.test(notice.clone(), Surface::Phone).await;
    assert_eq!(tried, Ok("done".to_owned()));
    post.answers(Err(Undelivered::later("nobody is there")));
    let tried = post.outbox.test(notice, Surface::Phone).await;
    assert_eq!(tried, Err("nobody is there".to_owned()));
    let last = post.outbox.report().last.unwrap();
    assert_eq!(last.result, tried);
}

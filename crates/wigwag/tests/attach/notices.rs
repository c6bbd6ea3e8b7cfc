//! Notifications about other terminals, in the window of an attached client.

use crate::window::Window;
use crate::world::World;
use holder::connection::Connection;
use holder::protocol::{Hello, Op, Outcome, People, WindowNotice, kind};
use signals::{Notification, Signal};

/// Somebody who decides that the window at `x` is the place to tell something.
struct Teller(Connection, u64);

impl Teller {
    fn of(world: &World) -> Self {
        let id = world.show("x")["id"].as_str().unwrap().to_owned();
        let socket = world
            .path()
            .join("run/wigwag/terminals")
            .join(id)
            .join("sock");
        let mut connection = Connection::open(&socket, &Hello::this_program()).unwrap();
        connection
            .post(Op::Subscribe {
                since: 0,
                incarnation: 0,
            })
            .unwrap();
        loop {
            let frame = connection.receive().unwrap().unwrap();
            if frame.kind == kind::PEOPLE {
                let people: People = serde_json::from_slice(&frame.body).unwrap();
                if let Some(person) = people.people.first() {
                    return Self(connection, person.client);
                }
            }
        }
    }

    fn tell(&mut self, title: Option<&str>) {
        let notice = WindowNotice {
            id: "wigwag-k3vq7a2m".into(),
            title: title.map(str::to_owned),
            body: Some("make".into()),
            silent: false,
        };
        let client = self.1;
        let (outcome, _) = self.0.request(Op::Notify { client, notice }).unwrap();
        assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
    }
}

fn told(title: &str) -> Signal {
    Signal::Notify(Notification {
        title: Some(title.into()),
        body: "make".into(),
        id: Some("wigwag-k3vq7a2m".into()),
    })
}

#[test]
fn a_terminal_that_answers_for_osc_99_is_told_in_it_and_is_told_of_the_withdrawal() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "cat"]);
    let window = Window::open(&world, 80, 24, &["attach", "x"]);
    window.until("it was asked", |shown| shown.answered > 0);
    window.type_text("\x1b]99;i=wigwag:p=?;p=title,body,close:o=always\x1b\\");
    let mut teller = Teller::of(&world);
    // What was typed before the answer was read is on the screen before it.
    window.type_text("typed\r");
    window.until_text("typed");
    teller.tell(Some("build: failed"));
    window.until("the notification", |shown| {
        shown.signals.contains(&told("build: failed"))
    });
    teller.tell(None);
    let closed = Signal::NotifyClose("wigwag-k3vq7a2m".into());
    window.until("the withdrawal", |shown| shown.signals.contains(&closed));
}

#[test]
fn a_terminal_of_which_nothing_is_known_rings() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "cat"]);
    let window = Window::open(&world, 80, 24, &["attach", "x"]);
    window.until("it was asked", |shown| shown.answered > 0);
    Teller::of(&world).tell(Some("build: failed"));
    window.until("the bell", |shown| shown.signals.contains(&Signal::Bell));
}

#[test]
fn within_a_sequence_of_the_program_nothing_is_told() {
    let world = World::new();
    // The title has no end until a line is read.
    let script = "printf 'ready\\r\\n\\033]2;a long tit'; read -r go; printf 'le\\033\\\\'; cat";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    let window = Window::open(&world, 80, 24, &["attach", "x"]);
    window.until_text("ready");
    Teller::of(&world).tell(Some("build: failed"));
    window.type_text("\r");
    window.until("the bell", |shown| shown.signals.contains(&Signal::Bell));
    let shown = window.shown();
    let title = Signal::Title("a long title".into());
    let at = |signal: &Signal| shown.signals.iter().position(|shown| shown == signal);
    assert!(at(&title).unwrap() < at(&Signal::Bell).unwrap());
}

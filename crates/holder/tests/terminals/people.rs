//! Who looks on, as those learn who decide where a person is told something.

use crate::home::{Client, Home, person};
use holder::protocol::{Attach, Moment, Op, Person, Presence, WindowNotice, kind};

fn tell(client: &mut Client, focused: bool) {
    let presence = Presence {
        focused,
        active: true,
        unreported: false,
    };
    client
        .connection
        .send_json(kind::PRESENCE, &presence)
        .unwrap();
}

/// What the subscriber was told last: present or not, in the order they attached.
#[track_caller]
fn until_present(subscriber: &mut Client, expected: &[bool]) -> Vec<Person> {
    let told = |client: &Client| client.people.last().map(|told| told.people.clone());
    let is = |people: &[Person]| {
        let present: Vec<bool> = people.iter().map(|person| person.present).collect();
        present == expected
    };
    subscriber.until("people", |client| {
        told(client).is_some_and(|people| is(&people))
    });
    told(subscriber).unwrap()
}

#[test]
fn a_subscriber_is_told_who_is_attached_and_present() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut subscriber = home.connect(&started);
    subscriber.subscribe();
    until_present(&mut subscriber, &[]);
    let mut first = home.connect(&started);
    first.attach(&person(80, 24));
    until_present(&mut subscriber, &[true]);
    let mut second = home.connect(&started);
    second.attach(&Attach {
        focused: false,
        ..person(80, 24)
    });
    let told = until_present(&mut subscriber, &[true, false]);
    assert_ne!(told[0].client, told[1].client);
    tell(&mut first, false);
    until_present(&mut subscriber, &[false, false]);
    tell(&mut second, true);
    until_present(&mut subscriber, &[false, true]);
    drop(second);
    until_present(&mut subscriber, &[false]);
    // Who subscribes later learns it at once.
    let mut late = home.connect(&started);
    late.subscribe();
    until_present(&mut late, &[false]);
}

#[test]
fn followers_of_the_output_are_nobody() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut subscriber = home.connect(&started);
    subscriber.subscribe();
    let mut follower = home.connect(&started);
    follower.attach(&Attach {
        person: false,
        ..person(80, 24)
    });
    let mut somebody = home.connect(&started);
    somebody.attach(&person(80, 24));
    until_present(&mut subscriber, &[true]);
}

#[test]
fn typing_is_told_seldom() {
    let home = Home::new();
    let started = home.start(&home.sh("stty -echo; cat >/dev/null"));
    let mut subscriber = home.connect(&started);
    subscriber.subscribe();
    let mut somebody = home.connect(&started);
    somebody.attach(&person(80, 24));
    until_present(&mut subscriber, &[true]);
    let before = subscriber.people.len();
    for _ in 0..200 {
        somebody.input("x");
        somebody.status();
    }
    tell(&mut somebody, false);
    until_present(&mut subscriber, &[false]);
    // One for the loss of the focus; one more if the machine took ten seconds for the keys.
    assert!(subscriber.people.len() - before <= 2);
}

#[test]
fn a_notification_reaches_the_window_it_is_meant_for_and_no_other() {
    let home = Home::new();
    let started = home.start(&home.sh("read go; echo gone on; read end"));
    let mut subscriber = home.connect(&started);
    subscriber.subscribe();
    let mut first = home.connect(&started);
    first.attach(&person(80, 24));
    let mut second = home.connect(&started);
    second.attach(&person(80, 24));
    let people = until_present(&mut subscriber, &[true, true]);
    let notice = WindowNotice {
        id: "wigwag-k3vq7a2m".into(),
        title: Some("build: failed (exit 2)".into()),
        body: Some("make".into()),
        silent: false,
    };
    let notify = |client| Op::Notify {
        client,
        notice: notice.clone(),
    };
    subscriber.done(notify(people[1].client));
    second.until_moment(&Moment::Notify {
        notice: notice.clone(),
    });
    first.input("\r");
    first.until_output("gone on");
    let notified = |moment: &Moment| matches!(moment, Moment::Notify { .. });
    assert!(!first.moments.iter().any(notified));
    let (code, _) = subscriber.refused(notify(9999));
    assert_eq!(code, "refused");
    // The subscriber itself has no window.
    drop(second);
    until_present(&mut subscriber, &[true]);
    assert_eq!(subscriber.refused(notify(people[1].client)).0, "refused");
}

#[test]
fn in_a_window_that_does_not_report_its_focus_a_person_is_present_for_seconds_after_a_key() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut subscriber = home.connect(&started);
    subscriber.subscribe();
    let mut somebody = home.connect(&started);
    somebody.attach(&person(80, 24));
    let presence = Presence {
        focused: true,
        active: false,
        unreported: true,
    };
    somebody
        .connection
        .send_json(kind::PRESENCE, &presence)
        .unwrap();
    until_present(&mut subscriber, &[true]);
    until_present(&mut subscriber, &[false]);
    somebody.input("x");
    until_present(&mut subscriber, &[true]);
}

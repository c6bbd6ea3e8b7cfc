//! `events`: the journal, resumable by its numbers.

use crate::world::World;
use serde_json::Value;

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn events_are_json_lines_with_growing_numbers_and_can_be_resumed() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "exit 3"]);
    world.until("x", |status| status["lifecycle"]["state"] == "exited");
    let all = lines(&world.ok(&["events", "--json"]));
    let seqs: Vec<u64> = all
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert!(seqs.is_sorted() && seqs.len() > 2, "{seqs:?}");
    assert_eq!(all[0]["event"], "created");
    assert!(all.iter().all(|event| event["status"]["name"] == "x"));
    let later = lines(&world.ok(&["events", "--json", "--since", &seqs[1].to_string()]));
    assert_eq!(later, all[2..]);
}

#[test]
fn a_removal_has_no_status_and_people_get_a_line_an_event() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "exit 3"]);
    world.until("x", |status| status["lifecycle"]["state"] == "exited");
    world.ok(&["remove", "x"]);
    let all = lines(&world.ok(&["events", "--json"]));
    let last = all.last().unwrap();
    assert_eq!(last["event"], "removed");
    assert_eq!(last["status"], Value::Null);
    let text = world.ok(&["events"]);
    assert_eq!(text.lines().count(), all.len());
    assert!(text.contains("exit 3"), "{text}");
    let at: jiff::Timestamp = last["at"].as_str().unwrap().parse().unwrap();
    let east = world
        .wigwag(&["events"])
        .env("TZ", "XXX-02:00")
        .output()
        .unwrap();
    let there = at + jiff::SignedDuration::from_hours(2);
    let there = there.strftime("%Y-%m-%d %H:%M:%S").to_string();
    let text = String::from_utf8(east.stdout).unwrap();
    let last = text.lines().last().unwrap();
    assert!(last.contains(&there), "the clock of the place: {last}");
}

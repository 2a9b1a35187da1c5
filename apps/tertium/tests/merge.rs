//! `tertium merge`: two viewpoints in one structure that the other commands read.

mod common;

use common::{out, tertium};

const LEFT: &str = "props p, q\nstate s p: t, q: ?\nstate u p: f, q: t\ninit s\ns -must-> u\nu -may-> s\n";
const RIGHT: &str = "props p, q\nstate s p: t, q: f\nstate u p: t, q: t\ninit s\ns -may-> u\nu -must-> s\n";

#[test]
fn viewpoints_are_merged_and_their_disagreements_listed() {
    let folder = common::folder("merge");
    for (name, text) in [("left.kmts", LEFT), ("right.kmts", RIGHT)] {
        std::fs::write(folder.join(name), text).expect("it is written");
    }
    let merged = tertium(&folder, &["merge", "left.kmts", "right.kmts", "-o", "both.kmts"]);
    assert_eq!(merged.status.code(), Some(10), "{}", out(&merged));
    assert!(
        out(&merged).contains("disagree in 1 place") && out(&merged).contains("p at u: f, and t"),
        "{}",
        out(&merged)
    );
    // What one viewpoint leaves open, the other decides; what they contradict is both.
    let checked = tertium(&folder, &["check", "both.kmts", "-p", "q", "-p", "EX p", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&checked.stdout).expect("a report");
    let value = |at: usize| report["results"][at]["value"].as_str().unwrap_or_default().to_owned();
    assert_eq!((value(0).as_str(), value(1).as_str()), ("f", "b"), "{report}");
    // The same over pairs, and with itself everything agrees.
    let pairs = tertium(&folder, &["merge", "left.kmts", "right.kmts", "--over", "product", "-o", "pairs.kmts"]);
    assert_eq!(pairs.status.code(), Some(10));
    assert!(std::fs::read_to_string(folder.join("pairs.kmts")).expect("it is there").contains("lattice K3xK3"));
    let same = tertium(&folder, &["merge", "left.kmts", "left.kmts", "-o", "same.json", "--format", "json"]);
    assert_eq!(same.status.code(), Some(0), "{}", out(&same));
    assert!(serde_json::from_str::<serde_json::Value>(&out(&same)).is_ok(), "{}", out(&same));
    let missing = tertium(&folder, &["merge", "left.kmts", "nothing.kmts", "-o", "never.kmts"]);
    assert_eq!((missing.status.code(), folder.join("never.kmts").exists()), (Some(2), false));
}

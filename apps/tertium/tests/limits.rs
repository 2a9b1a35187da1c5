//! Runs that explode end with a report, by themselves or not.
//!
//! Nothing here looks at the clock: a run that does not end keeps its test from ending. How soon a run ends and with how much memory is
//! what `make bench-limits` measures.

mod common;
mod exploding;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use exploding::cases;

fn tertium() -> Command {
    common::command(&[])
}

/// An empty folder for the files of a test.
fn room(name: &str) -> PathBuf {
    common::folder(&format!("limits-{name}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a case within a second and its memory. On a machine that is too slow to come to the part that explodes within a second, which
/// the output shows by these words, within more.
fn ended(name: &str, more: &[&str], it_came_there: &[&str]) -> Output {
    let within = |seconds: u32| within(name, &[&["--timeout", &format!("{seconds}s")], more].concat());
    let came_there = |output: &Output| {
        let said = text(&output.stdout) + &text(&output.stderr);
        it_came_there.iter().all(|words| said.contains(words))
    };
    [1, 4, 16, 64].into_iter().map(within).find(came_there).unwrap_or_else(|| within(256))
}

/// Runs a case within its memory.
fn within(name: &str, more: &[&str]) -> Output {
    let all = cases();
    let case = all.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("no case `{name}`"));
    let room = room(&format!("{}-{}", name.replace(|letter: char| !letter.is_alphanumeric(), "_"), more.len()));
    for (file, text) in &case.files {
        std::fs::write(room.join(file), text).unwrap();
    }
    tertium()
        .args(&case.command)
        .args(["--memory", &format!("{}M", case.megabytes)])
        .args(more)
        .current_dir(&room)
        .output()
        .unwrap()
}

#[test]
fn a_step_that_explodes_ends_with_a_report() {
    let output = ended("one step, 2^40 outcomes", &[], &["a: G !P@bad"]);
    let out = text(&output.stdout);
    // What the first way through the block breaks may be found before the time is over.
    let found = out.contains("false    a: G !P@bad");
    assert_eq!(output.status.code(), Some(if found { 10 } else { 5 }), "{out}\n{}", text(&output.stderr));
    assert!(found || out.contains("stopped  a: G !P@bad"), "{out}");
    assert!(["2 stopped", "3 stopped", "4 stopped"].iter().any(|count| out.contains(count)), "{out}");
}

#[test]
fn the_report_comes_in_the_format_that_was_asked_for() {
    let output = ended("one step, 2^40 outcomes", &["--format", "json"], &["P@bad"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    // The first property may be found to be false before the time is over; what is asked of all states is not.
    assert!(matches!(output.status.code(), Some(5 | 10)), "{report}");
    assert_eq!(report["results"][0]["name"], "a");
    let last = report["results"].as_array().and_then(|results| results.last()).expect("a result");
    assert_eq!(last["value"], "unknown");
    let stopped = last["stopped"].as_str();
    assert!(matches!(stopped, Some("timeout" | "memory")), "{stopped:?}");

    let output = ended("one step, 2^40 outcomes", &["--format", "ndjson", "-q"], &["P@bad"]);
    let out = text(&output.stdout);
    let kinds: Vec<String> = out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object a line")["type"].to_string())
        .collect();
    assert_eq!(kinds.first().map(String::as_str), Some("\"header\""), "{out}");
    assert_eq!(kinds.last().map(String::as_str), Some("\"summary\""), "{out}");
    assert!(kinds.iter().any(|kind| kind == "\"result\""), "{out}");

    let output = ended("explore, one step", &[], &["complete"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!((output.status.code(), &report["complete"]), (Some(5), &serde_json::Value::Bool(false)));
}

#[test]
fn every_command_ends_with_its_limits() {
    for name in ["simulate, one step", "simulate, for ever", "abstract", "formula, automaton", "explore, breadth first"]
    {
        let output = ended(name, &[], &["stopped"]);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{name}: {said}");
        assert!(said.contains("stopped"), "{name}: {said}");
    }
}

#[test]
fn a_solver_that_does_not_come_back_is_ended() {
    let output = ended("abstraction, hard for Z3", &[], &["3 properties:"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(matches!(output.status.code(), Some(5 | 10)), "{said}");
    assert!(said.contains("3 properties:"), "{said}");
}

#[test]
fn many_messages_are_counted() {
    // It ends by itself.
    let output = within("4,000 names nobody declared", &[]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(said.matches("error[").count(), 200);
    assert!(said.contains("... and 7800 more messages"), "{said}");
}

#[cfg(unix)]
#[test]
fn endless_files_are_refused() {
    let room = room("endless");
    let made = Command::new("mkfifo").arg(room.join("pipe.gcl")).status();
    assert!(made.is_ok_and(|status| status.success()));
    std::fs::write(room.join("model.pml"), "#include \"zero\"\nactive proctype P() { skip }\n").unwrap();
    std::os::unix::fs::symlink("/dev/zero", room.join("zero")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", room.join("zero.kmts")).unwrap();
    for (file, why) in
        [("pipe.gcl", "it is a pipe"), ("model.pml", "outside the model's folder"), ("zero.kmts", "it is a device")]
    {
        let output = tertium().args(["check", file]).current_dir(&room).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{file}: {said}");
        assert!(said.contains(why), "{file}: {said}");
    }
}

/// Where the system refuses memory, that is told; the program is not aborted.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_the_system_refuses_ends_in_a_report() {
    let all = cases();
    for name in ["one step, 2^40 outcomes", "search, states one by one", "sets of states", "array of 10 million"] {
        let case = all.iter().find(|case| case.name == name).unwrap();
        let room = room("refused");
        for (file, text) in &case.files {
            std::fs::write(room.join(file), text).unwrap();
        }
        let command = format!("ulimit -v 700000; exec \"$0\" {}", case.command.join(" "));
        let output = Command::new("sh")
            .args(["-c", &command, env!("CARGO_BIN_EXE_tertium")])
            .current_dir(&room)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 5 | 10)), "{name}: {:?} {said}", output.status);
        assert!(!said.contains("internal error"), "{name}: {said}");
        assert!(said.contains("propert"), "{name}: {said}");
    }
}

/// Sends two signals without anything between them. The second may find that the process has ended.
#[cfg(target_os = "linux")]
fn signal_twice(process: u32, name: &str) {
    let sent =
        Command::new("sh").args(["-c", &format!("kill -{name} {process} && kill -{name} {process} || true")]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// Waits until a process has a handler for signals.
#[cfg(target_os = "linux")]
fn wait_until_it_listens(process: u32) {
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim).unwrap_or_default();
        u64::from_str_radix(caught, 16).is_ok_and(|caught| caught & (1 << 14) != 0)
    };
    while !listens() {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Two signals at once are one wish: the report is written.
#[cfg(target_os = "linux")]
#[test]
fn signals_that_come_together_are_one_wish() {
    let all = cases();
    let case = all.iter().find(|case| case.name == "explore, breadth first").unwrap();
    for name in ["TERM", "INT"] {
        let room = room(&format!("signals-{name}"));
        std::fs::write(room.join(case.files[0].0), &case.files[0].1).unwrap();
        let child = tertium()
            .args(&case.command)
            .current_dir(&room)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until_it_listens(child.id());
        signal_twice(child.id(), name);
        let output = child.wait_with_output().unwrap();
        let out = text(&output.stdout);
        assert_eq!(output.status.code(), Some(130), "{out}");
        assert!(out.contains("interrupted"), "{out}");
    }
}

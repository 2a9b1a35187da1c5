//! Pages about what was made: completions with their decisions, closed loops of strategies.

use std::process::Command;

use super::browser::Browser;
use super::{ROOT, is_quiet, picture, room};

/// Runs a command in the project's directory and gives the page that it writes.
fn made(name: &str, arguments: &[&str], code: i32) -> std::path::PathBuf {
    let page = room(name).join("page.html");
    let output = Command::new(env!("CARGO_BIN_EXE_tertium"))
        .current_dir(ROOT)
        .args(arguments)
        .arg("--page")
        .arg(&page)
        .output()
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    page
}

fn slide(browser: &mut Browser, to: usize) {
    browser.value(&format!(
        "(() => {{ const range = document.querySelector('#round'); range.value = {to}; range.dispatchEvent(new Event('input')); }})()"
    ));
    browser.wait(&format!("tertium.view.round === {to}"));
}

#[test]
fn a_completion_is_drawn_with_the_decisions_that_lead_to_it() {
    let words = ["--only", "lit_when_moving", "--only", "always_reopens", "--only", "opens_in_the_end"];
    let arguments = [&["complete", "examples/door.kmts"][..], &words].concat();
    let Some(mut browser) = Browser::start("completion") else { return };
    let page = made("completion", &arguments, 0);
    browser.open_file(&page, "#tab=graph");
    is_quiet(&browser, "file://");
    browser.wait("document.querySelector('#round') && tertium.view.round === 2");
    assert_eq!(browser.value("tertium.view.graph.edges.every((edge) => edge[2] && edge[3])"), true);
    slide(&mut browser, 0);
    assert_eq!(browser.value("tertium.view.graph.edges.some((edge) => edge[2] && !edge[3])"), true);
    slide(&mut browser, 1);
    assert!(browser.text(".graph .controls").contains("what is decided"));
    assert!(browser.text(".legend").contains("decided: no step"));
    // Every step that was only possible is decided, one of them against it.
    let decided =
        "tertium.view.graph.decided.length === tertium.view.graph.edges.filter((edge) => edge[2] && !edge[3]).length";
    assert_eq!(browser.value(decided), true);
    assert_eq!(browser.value("tertium.view.graph.decided.some(([, there]) => !there)"), true);
    picture(&mut browser, "completion");
    let _ = page.parent().map(std::fs::remove_dir_all);
}

#[test]
fn a_strategy_is_drawn_beside_its_game() {
    let Some(mut browser) = Browser::start("strategy") else { return };
    let page = made("strategy", &["synthesise", "examples/robot_door.kmts", "-p", "F inside"], 10);
    browser.open_file(&page, "#tab=graph");
    browser.wait("document.querySelector('#round') && tertium.view.round === 1");
    assert!(browser.text("main").contains("The others win"), "{}", browser.text("main"));
    let loop_states = browser.value("tertium.view.graph.states.length");
    slide(&mut browser, 0);
    assert_ne!(browser.value("tertium.view.graph.states.length"), loop_states);
    let _ = page.parent().map(std::fs::remove_dir_all);
}

//! A counterexample of 30 processes and 5,000 steps: a step makes and lays out only what changes.
//!
//! With `TERTIUM_FRAMES` set, times are told as well (`make bench-page`): what a step costs until it is laid out, and how far frames are apart.

use serde_json::json;

use super::browser::Browser;
use super::{SELECTED, is_quiet, page, room};

const PROCESSES: usize = 30;

/// Each process in turn adds one, in four steps.
fn model() -> String {
    format!(
        "system turns\nvar total : 0..5000 = 0\nvar turn : 1..{PROCESSES} = 1\nprocess P[i : 1..{PROCESSES}] {{\n  var seen : 0..5000 = 0\n  loop {{\n    \
         await turn = i;\n    seen := total;\n    total := seen + 1;\n    turn := if i = {PROCESSES} then 1 else i + 1;\n  }}\n}}\n\
         property small : ltl G total < 1250\n"
    )
}

/// Every step from 100 on: how many elements the most expensive one makes.
const MADE: &str = "(() => { const create = document.createElement; let made = 0, most = 0; \
    document.createElement = function (...name) { made += 1; return create.apply(this, name); }; \
    tertium.view.select(99); for (let at = 100; at < 300; at += 1) { made = 0; tertium.view.select(at); most = Math.max(most, made); } \
    delete document.createElement; return most; })()";

/// Steps, jumps and scrolling, each for some frames; milliseconds.
const TIMES: &str = "(async () => { const v = tertium.view; const frame = () => new Promise((done) => requestAnimationFrame(done)); \
    const told = (times) => { times.sort((a, b) => a - b); const at = (part) => Math.round(times[Math.floor((times.length - 1) * part)] * 10) / 10; \
      return 'median ' + at(0.5) + ' ms, 95 % within ' + at(0.95) + ' ms, most ' + at(1) + ' ms'; }; \
    const kinds = { step: (k) => v.select(k), jump: (k) => v.select((k * 97) % 5000), scroll: (k) => { v.body.scrollTop = (k * 1700) % v.body.scrollHeight; } }; \
    const lines = []; \
    for (const [kind, act] of Object.entries(kinds)) { const work = [], apart = []; await frame(); let last = performance.now(); \
      for (let k = 1; k <= 300; k += 1) { const start = performance.now(); act(k); void document.body.offsetHeight; work.push(performance.now() - start); \
        await frame(); apart.push(performance.now() - last); last = performance.now(); } \
      lines.push(kind + ': work ' + told(work) + '; frames ' + told(apart)); } \
    return lines.join('\\n'); })()";

#[test]
#[allow(clippy::print_stderr, reason = "measurements are told")]
fn a_step_of_thirty_processes_makes_only_what_changes() {
    let Some(mut browser) = Browser::start("frames") else { return };
    let dir = room("frames");
    let program = dir.join("turns.gcl");
    std::fs::write(&program, model()).unwrap_or_else(|error| panic!("{error}"));
    let file = page(&dir.join("run"), &[&program.to_string_lossy(), "--only", "small"]);
    browser.open_file(&file, "");
    browser.size(1400, 900);
    assert_eq!(browser.value("[tertium.view.last, tertium.view.lanes.length]"), json!([4999, PROCESSES]));
    let made = browser.value(MADE);
    assert!(made.as_u64().is_some_and(|made| (1..160).contains(&made)), "{made} elements a step");
    // Nothing asks where something is after something else has been changed: what changed is laid out once.
    let before = browser.metric("LayoutCount");
    let times = ["TaskDuration", "LayoutDuration", "RecalcStyleDuration"];
    let spent = times.map(|name| browser.metric(name));
    browser.value("(() => { for (let at = 300; at < 400; at += 1) { tertium.view.select(at); void document.body.offsetHeight; } })()");
    let after = times.map(|name| browser.metric(name));
    let layouts = browser.metric("LayoutCount") - before;
    assert!(layouts <= 320.0, "{layouts} layouts for 100 steps");
    assert_eq!(browser.value(SELECTED), json!(399));
    if std::env::var_os("TERTIUM_FRAMES").is_some() {
        let each = spent.iter().zip(after).map(|(before, after)| format!("{:.1}", (after - before) * 10.0));
        let each: Vec<String> = each.collect();
        eprintln!("a step, CPU time of the page: {} ms, of it layout {} ms, style {} ms", each[0], each[1], each[2]);
        let told = browser.value(TIMES);
        eprintln!("30 processes, 5,000 steps, 1400 x 900:\n{}", told.as_str().unwrap_or_default());
    }
    is_quiet(&browser, "file://");
    let _ = std::fs::remove_dir_all(dir);
}

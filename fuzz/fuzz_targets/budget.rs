//! Any text as a program that is checked within tiny limits: it ends soon, without a panic or an internal error.
#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use tertium_base::Budget;
use tertium_driver::Failure;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{self, CheckOptions, from_text, promela};

/// Longer texts are for the targets of the parsers.
const LONGEST: usize = 2_000;

fn check(text: &str) -> Result<(), Failure> {
    let file = if text.contains("proctype") || text.contains("init {") {
        promela::from_text("input.pml", text, &[], None, &[], &[])?
    } else {
        from_text("input.gcl", text.to_owned(), &[], None)?
    };
    let asked = questions(&file, &[], false)?;
    let time = Duration::from_millis(100);
    for engine in [EngineChoice::Auto, EngineChoice::Symbolic] {
        let budget = Budget::unlimited().with_time(Some(time)).with_memory(Some(256 << 20));
        let options = CheckOptions { engine, threads: 1, max_states: Some(300), ..CheckOptions::default() };
        let start = Instant::now();
        let outcome = program::check(&file, &asked, &options, &budget, &());
        assert!(start.elapsed() < 20 * time, "{time:?} were asked for, {:?} used", start.elapsed());
        match outcome {
            Err(Failure::Internal(what)) => panic!("{what}"),
            other => drop(other),
        }
    }
    Ok(())
}

fuzz_target!(|text: &str| {
    // What an included file holds is none of this.
    if text.len() > LONGEST || text.contains("include") {
        return;
    }
    match check(text) {
        Err(Failure::Internal(what)) => panic!("{what}"),
        Err(Failure::Input(messages)) => {
            tertium_fuzz::render_all(messages.iter().map(|found| (&found.diagnostic, found.source.as_deref())));
        }
        _ => {}
    }
});

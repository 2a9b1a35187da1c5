//! What does Z3's Spacer say about the properties that single states decide?
//!
//! The same programs as Horn clauses, each in a process of its own that is ended when its time is over, since the engine does not keep to limits. Nothing of ours is part of its answer but the clauses.

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::questions::questions;
use tertium_driver::program::refinement_loop::horn_verdict;

use super::asked::{Answered, AskedProperty, LIMIT, loaded};
use super::{Tally, in_parallel, say};

/// The word that asks for one answer of the engine.
pub const WORD: &str = "--spacer";
/// Exit codes of the process that answers: true, false, no answer.
const CODES: [u8; 3] = [10, 11, 12];
/// How often a process is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// Answers one property by the engine alone; the value is the exit code.
pub fn answer(file: &Path, property: &str) -> ExitCode {
    let verdict = || {
        tertium_smt::loading::load().ok()?;
        let file = loaded(file, &std::fs::read_to_string(file).ok()?).ok()?;
        let asked = questions(&file, &[property.to_owned()], false).ok()?;
        horn_verdict(&file, asked.first()?, &Budget::unlimited()).ok()?
    };
    ExitCode::from(match verdict() {
        Some(true) => CODES[0],
        Some(false) => CODES[1],
        None => CODES[2],
    })
}

/// Asks the engine about all properties that single states decide, and tells both; whether no two answers differ.
pub fn compare(properties: &[AskedProperty], answered: &[Answered], jobs: usize) -> bool {
    let both: Vec<(&AskedProperty, &Answered)> =
        properties.iter().zip(answered).filter(|(property, _)| property.by_states && !property.negation).collect();
    if both.is_empty() {
        return true;
    }
    let theirs = in_parallel(&both, jobs, |(property, _)| asked(property));
    let (mut ours, mut peer) = (Tally::default(), Tally::default());
    for ((property, answer), theirs) in both.iter().zip(&theirs) {
        ours.add(&property.name, answer.value, property.wanted, answer.seconds);
        peer.add(&property.name, theirs.value, property.wanted, theirs.seconds);
    }
    say("");
    say(&format!("what single states decide, {} properties, beside Z3's Spacer", both.len()));
    say("          solved  open  wrong  seconds");
    for (name, tally) in [("tertium", &ours), ("spacer", &peer)] {
        let (open, wrong) = (tally.open.len(), tally.wrong.len());
        say(&format!("{name:<8}  {:>6}  {open:>4}  {wrong:>5}  {:>7.2}", tally.solved, tally.seconds));
        if wrong > 0 {
            say(&format!("wrong: {}", tally.wrong.join(" ")));
        }
    }
    let only = |one: &Tally, other: &Tally| {
        let names: Vec<&str> = other.open.iter().filter(|name| !one.open.contains(name)).map(String::as_str).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(" ") }
    };
    say(&format!("solved by tertium alone: {}", only(&ours, &peer)));
    say(&format!("solved by spacer alone: {}", only(&peer, &ours)));
    ours.wrong.is_empty() && peer.wrong.is_empty()
}

/// What the engine says, in a process of its own.
fn asked(property: &AskedProperty) -> Answered {
    let start = Instant::now();
    let value = child(property).ok().and_then(|child| waited_for(child, start)).unwrap_or(Belnap::Unknown);
    Answered { value, seconds: start.elapsed().as_secs_f64() }
}

fn child(property: &AskedProperty) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .arg(WORD)
        .arg(&property.path)
        .arg(&property.property)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn waited_for(mut child: Child, start: Instant) -> Option<Belnap> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            let code = status.code()?;
            let at = CODES.iter().position(|&known| i32::from(known) == code)?;
            return [Some(Belnap::True), Some(Belnap::False), None][at];
        }
        if start.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(PAUSE);
    }
}

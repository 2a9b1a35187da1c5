//! How fast are state spaces visited on a graphics processor, beside the processors of the same machine and Spin?
//!
//! Arguments are models. For each: states, and thousand states a second of Spin's `pan` (one thread), of one thread, of all threads, and of the device, with the
//! time that the device took to be prepared and its bytes a state. Every side runs the command as a user would, one after the other, with Spin's plain semantics (`--no-reduction`).
//! `pan` is taken from `NAME.pan` beside the model `NAME.pml` if it is there (`spin -a`, then a C compiler with `-O2 -DSAFETY -DNOREDUCE`), since machines with a device may have
//! neither. `--seconds=N` limits each search, `--only-device` leaves out the others. It exits with 1 if states, transitions or deadlocks of two searches that were completed differ. Without a device that is said, and
//! the processors are measured alone.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use serde_json::Value;

/// A search takes at most so many seconds unless the command line says otherwise.
const SECONDS_EACH: u64 = 100;

/// What one side did.
struct Measured {
    states: u64,
    transitions: u64,
    deadlocks: u64,
    is_complete: bool,
    /// Thousand states a second.
    rate: u64,
    bytes: u64,
    preparation: f64,
}

/// What came of it.
enum Side {
    Done(Measured),
    /// It cannot, and says why in a word.
    Refused(String),
}

impl Side {
    fn cell(&self) -> String {
        match self {
            Self::Done(done) if done.is_complete => done.rate.to_string(),
            Self::Done(done) => format!("{} (*)", done.rate),
            Self::Refused(why) => why.clone(),
        }
    }

    fn counts(&self) -> Option<(u64, u64, u64)> {
        match self {
            Self::Done(done) if done.is_complete => Some((done.states, done.transitions, done.deadlocks)),
            _ => None,
        }
    }
}

/// `tertium explore`, with more arguments.
fn explore(model: &str, seconds: u64, more: &[&str]) -> Side {
    let binary = Path::new("target/release/tertium");
    let limit = format!("--timeout={seconds}s");
    let output = Command::new(binary).args(["explore", model, "--format", "json", &limit]).args(more).output();
    let Ok(output) = output else { return Side::Refused("no target/release/tertium".to_owned()) };
    let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = said.split(['[', ']']).nth(1).unwrap_or("failed");
        return Side::Refused(code.to_owned());
    };
    let number = |field: &str| report[field].as_u64().unwrap_or(0);
    if report["states"].is_null() {
        return Side::Refused(report["error"]["diagnostics"][0]["code"].as_str().unwrap_or("failed").to_owned());
    }
    Side::Done(Measured {
        states: number("states"),
        transitions: number("transitions"),
        deadlocks: number("deadlocks"),
        is_complete: report["complete"].as_bool().unwrap_or(false),
        rate: number("states_per_second") / 1000,
        bytes: number("memory_bytes").checked_div(number("states")).unwrap_or(0),
        preparation: number("preparation_ms") as f64 / 1000.0,
    })
}

/// Spin's own search, if somebody has compiled it.
fn pan(model: &str) -> String {
    let pan = Path::new(model).with_extension("pan");
    if !pan.exists() {
        return "–".to_owned();
    }
    let start = Instant::now();
    let Ok(output) = Command::new(&pan).args(["-n", "-w26", "-m10000000", "-c0"]).output() else {
        return "failed".to_owned();
    };
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let states = text.lines().find_map(|line| line.trim().strip_suffix("states, stored")?.trim().parse::<f64>().ok());
    states.map_or("failed".to_owned(), |states| format!("{:.0}", states / seconds / 1000.0))
}

fn main() -> ExitCode {
    let mut models: Vec<String> = std::env::args().skip(1).collect();
    let seconds = models.iter().find_map(|argument| argument.strip_prefix("--seconds=")?.parse().ok());
    let only_device = models.iter().any(|argument| argument == "--only-device");
    models.retain(|argument| !argument.starts_with("--"));
    let seconds = seconds.unwrap_or(SECONDS_EACH);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).to_string();
    println!(
        "{:<34} {:>13} {:>8} {:>10} {:>10} {:>12} {:>9} {:>6}",
        "model",
        "states",
        "pan",
        "1 thread",
        format!("{threads} threads"),
        "device",
        "prepared",
        "bytes"
    );
    let mut differ = false;
    for model in &models {
        let on_processors = |threads: &str| match only_device {
            true => Side::Refused("–".to_owned()),
            false => explore(model, seconds, &["--no-reduction", "--threads", threads]),
        };
        let pan = if only_device { "–".to_owned() } else { pan(model) };
        let sides = [on_processors("1"), on_processors(&threads), explore(model, seconds, &["--device", "gpu"])];
        let [one, all, device] = &sides;
        let states = sides.iter().rev().find_map(|side| match side {
            Side::Done(done) => Some(done.states),
            Side::Refused(_) => None,
        });
        let (prepared, bytes) = match device {
            Side::Done(done) => (format!("{:.1} s", done.preparation), done.bytes.to_string()),
            Side::Refused(_) => ("–".to_owned(), "–".to_owned()),
        };
        let name =
            Path::new(model).file_name().map_or_else(|| model.clone(), |name| name.to_string_lossy().into_owned());
        let (one, all, device) = (one.cell(), all.cell(), device.cell());
        let states = states.map_or("–".to_owned(), |states| states.to_string());
        println!("{name:<34} {states:>13} {pan:>8} {one:>10} {all:>10} {device:>12} {prepared:>9} {bytes:>6}");
        let mut counts: Vec<_> = sides.iter().filter_map(Side::counts).collect();
        counts.dedup();
        if counts.len() > 1 {
            println!("  counts differ: {counts:?}");
            differ = true;
        }
    }
    println!(
        "thousand states a second; (*) not completed within {seconds} s, or within the device's memory; E0375: no device"
    );
    if differ { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

//! Does the time to prove a protocol depend on the bound of its numbers?
//!
//! Lamport's bakery and Fischer's protocol for two and three processes, with growing bounds of tickets and clocks: by
//! abstraction, by running the model, and by Spin where a `spin` and a C compiler are on the path. Arguments are the bounds;
//! without arguments the powers of eight up to those of the examples. Exits with 1 if abstraction does not prove a model, if
//! its work depends on the bound, or if it takes more than a second. Time is CPU time, of all that has to be done.
//!
//! Work is abstract states, and questions that take a model or a proof that there is none. A question is put to the solver
//! (`calls`) unless a model of an earlier one happens to answer it (`recalled`). Which model the solver finds depends on the numbers in the
//! question, so the bound moves a few questions from one to the other; their sum it must not change.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use tertium_base::{Budget, memory};
use tertium_bench::processor_time;
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::{self, AbstractionOptions};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramFile, check, load};

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

/// Running a model ends here.
const MOST_STATES: usize = 2_000_000;
/// Proving a model by abstraction takes at most this many seconds.
const BAR: f64 = 1.0;

struct Family {
    name: &'static str,
    constant: &'static str,
    bounds: &'static [u64],
}

const FAMILIES: [Family; 4] = [
    Family { name: "bakery", constant: "MAX", bounds: &[8, 64, 512, 4096, 32_768, 262_144] },
    Family { name: "bakery3", constant: "MAX", bounds: &[8, 64, 512, 4096, 32_768, 262_144] },
    Family { name: "fischer", constant: "LONG", bounds: &[8, 64, 512, 4096, 32_768] },
    Family { name: "fischer3", constant: "LONG", bounds: &[8, 64, 512, 4096, 32_768] },
];

/// One way to decide one model.
struct Decided {
    value: Belnap,
    states: usize,
    calls: usize,
    recalled: usize,
    time: f64,
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn main() -> ExitCode {
    let given: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let mut missed = Vec::new();
    say(
        "model      bound |  abstract:  states  calls  recalled  seconds |  concrete:  states  seconds |  Spin:  states  seconds",
    );
    for family in &FAMILIES {
        let bounds = if given.is_empty() { family.bounds } else { given.as_slice() };
        let mut works: Vec<(usize, usize)> = Vec::new();
        for &bound in bounds {
            let path = format!("examples/{}.pml", family.name);
            let Some(by_abstraction) = decide(&path, family.constant, bound, true) else {
                missed.push(format!("{path} cannot be read; run this from the project's folder"));
                continue;
            };
            if by_abstraction.value != Belnap::True {
                missed.push(format!("{} with {bound} is not proved", family.name));
            }
            if by_abstraction.time > BAR {
                missed.push(format!("{} with {bound} takes {:.2} s", family.name, by_abstraction.time));
            }
            works.push((by_abstraction.states, by_abstraction.calls + by_abstraction.recalled));
            let concrete = decide(&path, family.constant, bound, false);
            let finished = concrete.as_ref().is_some_and(|found| found.value != Belnap::Unknown);
            let peer = if finished { spin(&path, family.constant, bound) } else { None };
            say(&line(family.name, bound, &by_abstraction, concrete.as_ref(), peer));
        }
        if works.windows(2).any(|pair| pair[0] != pair[1]) {
            missed.push(format!("the work for {} depends on the bound: {works:?}", family.name));
        }
    }
    missed.iter().for_each(|bar| say(&format!("missed: {bar}")));
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn line(
    name: &str,
    bound: u64,
    by_abstraction: &Decided,
    concrete: Option<&Decided>,
    peer: Option<(usize, f64)>,
) -> String {
    let concrete = match concrete {
        Some(found) if found.value != Belnap::Unknown => format!("{:>10} {:>8.2}", found.states, found.time),
        Some(found) => format!("{:>10} {:>8.2}", format!(">{}", found.states), found.time),
        None => format!("{:>10} {:>8}", "-", "-"),
    };
    let peer =
        peer.map_or_else(|| format!("{:>10} {:>8}", "-", "-"), |(states, time)| format!("{states:>10} {time:>8.2}"));
    format!(
        "{name:<9} {bound:>6} | {:>18} {:>6} {:>9} {:>8.2} | {concrete:>28} | {peer:>24}",
        by_abstraction.states, by_abstraction.calls, by_abstraction.recalled, by_abstraction.time
    )
}

fn decide(path: &str, constant: &str, bound: u64, by_abstraction: bool) -> Option<Decided> {
    let start = processor_time();
    let file: ProgramFile = load(Path::new(path), &[], None, &[(constant.to_owned(), bound.to_string())]).ok()?;
    let asked = questions(&file, &["mutex".to_owned()], false).ok()?;
    let budget = Budget::unlimited();
    let found = if by_abstraction {
        let how = AbstractionOptions::default();
        predicate_abstraction::check(&file, &asked, &CheckOptions::default(), &how, &budget, &()).ok()?
    } else {
        let how = CheckOptions { max_states: Some(MOST_STATES), ..CheckOptions::default() };
        check(&file, &asked, &how, &budget, &()).ok()?
    };
    let answer = found.answers.iter().find(|answer| answer.name == "mutex")?;
    let (calls, recalled) = answer.cost.solver.map_or((0, 0), |work| (work.calls, work.recalled));
    Some(Decided { value: answer.value(), states: answer.cost.states, calls, recalled, time: processor_time() - start })
}

/// Stored states and time of Spin, generation and compilation included; none if something is missing or it runs out.
fn spin(path: &str, constant: &str, bound: u64) -> Option<(usize, f64)> {
    let folder = std::env::current_dir().ok()?.join("target/bench/growth");
    std::fs::create_dir_all(&folder).ok()?;
    let text = std::fs::read_to_string(path).ok()?;
    let plain: Vec<&str> = text.lines().filter(|line| !line.starts_with("pred ")).collect();
    std::fs::write(folder.join("model.pml"), plain.join("\n")).ok()?;
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&folder).stdin(Stdio::null()).output().ok()
    };
    let start = processor_time();
    let define = format!("-D{constant}={bound}");
    run("spin", &["-a", &define, "model.pml"]).filter(|output| output.status.success())?;
    let flags = ["-O2", "-w", "-DNOREDUCE", "-DMEMLIM=4000", "-o", "pan", "pan.c"];
    run("gcc", &flags).filter(|output| output.status.success())?;
    let output = run("./pan", &["-a", "-m10000000", "-n"])?;
    let time = processor_time() - start;
    let text = String::from_utf8_lossy(&output.stdout);
    if !text.contains("errors: 0") || text.contains("max search depth too small") {
        return None;
    }
    let stored = text.lines().find(|line| line.contains("states, stored"))?;
    let states = stored.split_whitespace().find_map(|word| word.parse().ok())?;
    Some((states, time))
}

//! How many processes are too many?
//!
//! Multiple-resource allocation with 5 to 100 processes: that two processes never hold the same resources, that a process
//! which holds them releases them if it is treated fairly, and that two flags which nobody knows exclude each other; each with
//! names for unknown values and without. Beside it Spin on the first question, where a `spin` and a C compiler are on the
//! path, up to a limit of time and memory. Arguments are the numbers of processes. Exits with 1 if with names something is
//! not decided, or if the spotlight grows with the system. Time is CPU time.

use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};

use tertium_base::{Budget, memory};
use tertium_bench::processor_time;
use tertium_bench::resources::Resources;
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::questions::questions;
use tertium_driver::program::spotlight::{self, Parameters, SpotlightOptions};
use tertium_driver::program::{CheckOptions, ProgramAnswer, from_text};

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

/// Without names the loop may go on for long; it gets this much.
const SECONDS: u64 = 60;

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn main() -> ExitCode {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if given.is_empty() { vec![5, 10, 25, 50, 100] } else { given };
    let mut missed = Vec::new();
    say("processes deps | property parameters value    spotlight predicates states  rounds  calls  seconds     MB");
    for &processes in &sizes {
        let system = Resources::of(processes.max(2));
        for parameters in [Parameters::On, Parameters::Off] {
            for property in ["safe", "release", "modes"] {
                let start = processor_time();
                let Some(answer) = decide(&system, property, parameters) else {
                    missed.push(format!("{property} with {processes} processes has no answer"));
                    continue;
                };
                say(&line(&system, property, parameters, &answer, processor_time() - start));
                if parameters == Parameters::On {
                    missed.extend(bars(&answer, processes));
                }
            }
        }
        match spin(&system) {
            Some((states, time, done)) => {
                let mark = if done { "" } else { ">" };
                say(&format!("{processes:>9}      | safe     Spin: {mark}{states} states, {mark}{time:.2} s"));
            }
            None => say(&format!("{processes:>9}      | safe     Spin: not there, or out of time or memory")),
        }
    }
    missed.iter().for_each(|bar| say(&format!("missed: {bar}")));
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn bars(answer: &ProgramAnswer, processes: usize) -> Vec<String> {
    let mut missed = Vec::new();
    if answer.value() != Belnap::True {
        missed.push(format!("{} with {processes} processes is not decided", answer.name));
    }
    let most = if answer.name == "release" { 5 } else { 2 };
    if answer.spotlight.as_ref().is_none_or(|lit| lit.len() > most) {
        missed.push(format!("{} with {processes} processes needs more than {most} of them", answer.name));
    }
    missed
}

fn line(system: &Resources, property: &str, parameters: Parameters, answer: &ProgramAnswer, time: f64) -> String {
    let work = answer.cost.solver.unwrap_or_default();
    let on = if parameters == Parameters::On { "on" } else { "off" };
    format!(
        "{:>9} {:>4} | {property:<8} {on:<10} {:<8} {:>9} {:>10} {:>6} {:>7} {:>6} {time:>8.2} {:>6}",
        system.processes,
        system.dependencies(),
        answer.value().to_string(),
        answer.spotlight.as_ref().map_or(0, Vec::len),
        work.predicates,
        answer.cost.states,
        answer.rounds.len(),
        work.calls,
        memory::peak() >> 20,
    )
}

fn decide(system: &Resources, property: &str, parameters: Parameters) -> Option<ProgramAnswer> {
    let file = from_text("resources.gcl", system.gcl(), &[], None).ok()?;
    let asked = questions(&file, &[property.to_owned()], false).ok()?;
    let how = SpotlightOptions { parameters, ..SpotlightOptions::default() };
    let budget = Budget::unlimited().with_time(Some(std::time::Duration::from_secs(SECONDS)));
    let (options, abstraction) = (CheckOptions::default(), AbstractionOptions::default());
    let outcome = spotlight::check(&file, &asked, &options, &abstraction, &how, &budget, &()).ok()?;
    outcome.answers.into_iter().next()
}

/// Stored states and time of Spin, and whether it finished.
fn spin(system: &Resources) -> Option<(usize, f64, bool)> {
    let folder = std::env::current_dir().ok()?.join("target/bench/resources");
    std::fs::create_dir_all(&folder).ok()?;
    std::fs::write(folder.join("model.pml"), system.promela()).ok()?;
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&folder).stdin(Stdio::null()).output().ok()
    };
    run("spin", &["-a", "model.pml"]).filter(|output| output.status.success())?;
    run("gcc", &["-O2", "-w", "-DMEMLIM=2000", "-o", "pan", "pan.c"]).filter(|output| output.status.success())?;
    let start = processor_time();
    let limit = format!("{SECONDS}");
    let output = run("timeout", &["-s", "INT", &limit, "./pan", "-a", "-m1000000", "-n"])?;
    let time = processor_time() - start;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let stored = text.lines().find(|line| line.contains("states, stored"))?;
    let states = stored.split_whitespace().find_map(|word| word.parse().ok())?;
    let done = text.contains("errors: 0") && !text.contains("Search not completed") && !text.contains("too small");
    Some((states, time, done))
}

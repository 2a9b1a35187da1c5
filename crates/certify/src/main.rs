//! `tertium-certify`: the kernel as a program of its own. No engine is part of it.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a program: it prints")]

use std::process::ExitCode;
use std::time::Duration;

use tertium_base::Budget;
use tertium_certify::{Options, UNDECIDED};
use tertium_evidence::{Deadlock, LinearReading};
use tertium_kernel::Request;
use tertium_kernel::solve::Decider;
use tertium_load::Failure;
use tertium_logic::Logic;
use tertium_report::Style;
use tertium_report::view::Tool;

const HELP: &str = "\
Check that a certificate proves what a model asks

Usage: tertium-certify [OPTIONS] MODEL CERTIFICATE

  --only NAME        this question of the model must be proved; may be repeated
  -p FORMULA         this property must be proved; may be repeated
  --logic LOGIC      the logic of properties that name none: pml, ctl, ctl*, ltl, mu
  --at STATE         of a structure: at this state instead of the initial ones
  --deadlock WORD    what deadlocks mean: mu, maximal, total, forbid
  --ltl WORD         how linear formulas are read: bg, bg-total, hyper, tg, tg-pnf
  --fair             of a program: every process is treated weakly fairly
  -D NAME=VALUE      a macro or a value, as it was given to `check`
  --solver COMMAND   the SMT-LIB solver that decides obligations [default: Z3]
  --timeout SECONDS  stop after this time
  --json             write one JSON document
  --version          write the version

Exit codes: 0 everything asked is proved, 10 something is refused, 5 stopped or only under an assumption, 2 bad input.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    if words.iter().any(|word| word == "--version") {
        println!("tertium-certify {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let (options, time) = match parse(&words) {
        Ok(parsed) => parsed,
        Err(why) => {
            eprintln!("error: {why}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let budget = Budget::unlimited().with_time(time);
    let tool = Tool { name: "tertium-certify", version: env!("CARGO_PKG_VERSION").to_owned() };
    match tertium_certify::run(&options, tool, Style { colour: false, verbose: true }, &budget) {
        Ok((text, code)) => {
            print!("{text}");
            ExitCode::from(code)
        }
        Err(Failure::Stopped(stopped)) => {
            eprintln!("stopped: {stopped}");
            ExitCode::from(UNDECIDED)
        }
        Err(Failure::Input(messages)) => {
            messages.iter().for_each(|message| eprint!("{}", message.render(false)));
            ExitCode::from(2)
        }
        Err(Failure::Internal(what)) => {
            eprintln!("internal error: {what}");
            ExitCode::from(6)
        }
    }
}

fn parse(words: &[String]) -> Result<(Options, Option<Duration>), String> {
    let (mut request, mut decider, mut files) = (Request::default(), Decider::default(), Vec::new());
    let (mut json, mut time) = (false, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or_else(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--only" => request.only.push(value()?),
            "-p" | "--property" => request.given.push(value()?),
            "--logic" => request.logic = Some(one_of(&value()?, Logic::ALL, Logic::name, word)?),
            "--at" => request.at = Some(value()?),
            "--deadlock" => request.deadlock = Some(one_of(&value()?, Deadlock::ALL, Deadlock::name, word)?),
            "--ltl" => request.linear = Some(one_of(&value()?, LinearReading::ALL, LinearReading::name, word)?),
            "--fair" => request.fair = true,
            "-D" => {
                let text = value()?;
                let (name, value) = text.split_once('=').unwrap_or((&text, "1"));
                request.defines.push((name.to_owned(), value.to_owned()));
            }
            "--solver" => decider.command = Some(value()?.split_whitespace().map(str::to_owned).collect()),
            "--timeout" => {
                let text = value()?;
                let seconds = text.trim_end_matches('s').parse::<f64>().ok().filter(|time| (0.0..1e9).contains(time));
                let seconds = seconds.ok_or_else(|| format!("`{text}` is no number of seconds"))?;
                time = Some(Duration::from_secs_f64(seconds));
            }
            "--json" => json = true,
            word if word.starts_with('-') => return Err(format!("there is no option `{word}`")),
            file => files.push(file.into()),
        }
    }
    let Ok([model, certificate]) = <[std::path::PathBuf; 2]>::try_from(files) else {
        return Err("a model and a certificate are needed".to_owned());
    };
    Ok((Options { model, certificate, request, decider, json }, time))
}

fn one_of<T: Copy, const N: usize>(
    text: &str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
    option: &str,
) -> Result<T, String> {
    let found = all.into_iter().find(|&known| name(known) == text);
    found.ok_or_else(|| format!("`{option} {text}`: one of {}", all.map(name).join(", ")))
}

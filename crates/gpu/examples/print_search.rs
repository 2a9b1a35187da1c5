//! Prints the search of a program as it is compiled for a graphics processor, to be read or measured: `print_search FILE`; with `--row`
//! the words of a row, the bits of a key, the layouts, how much is optimised, and the first row; with `--product` the search for runs that some automaton accepts.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]

use std::path::Path;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::reduction::{ReductionKinds, StateSpaceReduction};
use tertium_explore::search::liveness::Scheduling;
use tertium_gpu::automaton::{Automaton, Move};
use tertium_gpu::seen::SeenRows;
use tertium_gpu::source::SearchSource;
use tertium_program::{ExprId, Program, Semantics};

fn program_of(file: &str) -> Result<Program, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    if Path::new(file).extension().is_some_and(|ending| ending == "gcl") {
        return tertium_gcl::compile(&text).program.ok_or_else(|| "not well-formed".to_owned());
    }
    let read = tertium_promela::read(file, &text, &tertium_promela::Options::default());
    Ok(tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program)
}

/// Two states, one mark, and fairness to the first process.
fn automaton(program: &Program) -> Automaton {
    let one = |care, target, marks| Move { care, values: care, target, marks };
    let atoms = if program.exprs.is_empty() { Vec::new() } else { vec![ExprId::new(0)] };
    let care = u32::from(!atoms.is_empty());
    let moves = vec![vec![one(0, 0, 0), one(care, 1, 0)], vec![one(0, 1, 1)]];
    Automaton { atoms, moves, marks: 1, stutters: true, fair: Scheduling { weak: vec![0], strong: Vec::new() } }
}

fn print(file: &str, option: Option<&str>) -> Result<(), String> {
    let program = program_of(file)?;
    let semantics = Semantics::new(&program);
    let values = StateSpaceReduction::with(&semantics, &[], ReductionKinds::VALUES);
    let compiled = Compiled::of(&semantics).reduced(values);
    let initial = semantics.initial_states(1, &Budget::unlimited()).map_err(|error| format!("{error:?}"))?;
    let row = compiled.representative(&compiled.plain().row(&initial[0]));
    let mut seen = SeenRows::looking_at(1 << 19);
    seen.look_from(&compiled, std::slice::from_ref(&row), &Budget::unlimited());
    let keys = seen.keys(&compiled, 1);
    let source = match option {
        Some("--product") => SearchSource::of_product(&compiled, &keys, &automaton(&program)),
        _ => SearchSource::of(&compiled, &keys, &[]),
    };
    let source = source.map_err(|error| error.to_string())?;
    if option == Some("--row") {
        let (words, bits, layouts) = (source.words(), keys.bits(), keys.layouts.len());
        println!("{file} {words} {bits} {layouts} {:?} {row:?}", source.optimisation());
    } else {
        print!("{}", source.text());
    }
    Ok(())
}

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let has_option = files.first().is_some_and(|first| first.starts_with("--"));
    let option = files.drain(..usize::from(has_option)).next();
    for file in files {
        if let Err(why) = print(&file, option.as_deref()) {
            eprintln!("{file}: {why}");
        }
    }
}

//! Prints the search of a program as it is compiled for a graphics processor, to be read or measured: `print_search FILE`; with `--row`
//! the words of a row, those of a packed one, and the first row.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]

use std::path::Path;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::reduction::{ReductionKinds, StateSpaceReduction};
use tertium_gpu::keys::SeenRows;
use tertium_gpu::source::SearchSource;
use tertium_program::{Program, Semantics};

fn program_of(file: &str) -> Result<Program, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    if Path::new(file).extension().is_some_and(|ending| ending == "gcl") {
        return tertium_gcl::compile(&text).program.ok_or_else(|| "not well-formed".to_owned());
    }
    let read = tertium_promela::read(file, &text, &tertium_promela::Options::default());
    Ok(tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program)
}

fn print(file: &str, only_row: bool) -> Result<(), String> {
    let program = program_of(file)?;
    let semantics = Semantics::new(&program);
    let values = StateSpaceReduction::with(&semantics, &[], ReductionKinds::VALUES);
    let compiled = Compiled::of(&semantics).reduced(values);
    let initial = semantics.initial_states(1, &Budget::unlimited()).map_err(|error| format!("{error:?}"))?;
    let row = compiled.representative(&compiled.plain().row(&initial[0]));
    let mut seen = SeenRows::default();
    seen.look_from(&compiled, std::slice::from_ref(&row));
    let keys = seen.keys(&compiled);
    let source = SearchSource::of(&compiled, &keys, &[]).map_err(|error| error.to_string())?;
    if only_row {
        println!("{file} {} {} {} {row:?}", source.words(), keys.bits(), keys.layouts.len());
    } else {
        print!("{}", source.text());
    }
    Ok(())
}

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let only_row = files.first().is_some_and(|first| first == "--row");
    files.drain(..usize::from(only_row));
    for file in files {
        if let Err(why) = print(&file, only_row) {
            eprintln!("{file}: {why}");
        }
    }
}

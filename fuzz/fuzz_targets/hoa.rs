//! Any text as an automaton in the Hanoi format: no panic, and what is read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tertium_base::SourceFile;
use tertium_logic::automata::{Letters, read_hoa};

fuzz_target!(|text: &str| {
    match read_hoa(text) {
        Err(diagnostic) => {
            let source = SourceFile::new("input.hoa", text);
            tertium_fuzz::render_all([(&*diagnostic, Some(&source))]);
        }
        Ok(automaton) => {
            let written = automaton.to_hoa("again", Letters::FourValued);
            assert!(read_hoa(&written).is_ok(), "{written}");
        }
    }
});

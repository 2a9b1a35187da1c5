//! Any text as a Promela model: no panic, every message can be shown, every name of an accepted model has a meaning, and
//! the program it stands for is a valid one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tertium_promela::lower::lower;
use tertium_promela::{Options, read};

fuzz_target!(|text: &str| {
    let options = Options { defines: Vec::new(), load: &|_, _| Err(std::io::ErrorKind::NotFound.into()) };
    let model = read("input.pml", text, &options);
    let piece = |diagnostic: &tertium_base::Diagnostic| {
        diagnostic.primary.as_ref().and_then(|label| model.sources.piece(label.span))
    };
    tertium_fuzz::render_all(model.diagnostics.iter().map(|diagnostic| (diagnostic, piece(diagnostic))));
    if model.is_broken() {
        return;
    }
    assert!(model.symbols.meanings.iter().all(Option::is_some));
    let lowered = lower(&model.file, &model.symbols, &model.sources);
    tertium_fuzz::render_all(lowered.diagnostics.iter().map(|diagnostic| (diagnostic, piece(diagnostic))));
    if !lowered.diagnostics.iter().any(tertium_base::Diagnostic::is_error) {
        assert_eq!(lowered.program.violations(), Vec::<String>::new());
    }
});

//! Any text as a Promela model: no panic, every message can be shown, every name of an accepted model has a meaning.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tertium_promela::{Options, read};

fuzz_target!(|text: &str| {
    let options = Options { defines: Vec::new(), load: &|_| Err(std::io::ErrorKind::NotFound.into()) };
    let model = read("input.pml", text, &options);
    let piece = |diagnostic: &tertium_base::Diagnostic| {
        diagnostic.primary.as_ref().and_then(|label| model.sources.piece(label.span))
    };
    tertium_fuzz::render_all(model.diagnostics.iter().map(|diagnostic| (diagnostic, piece(diagnostic))));
    assert!(model.is_broken() || model.symbols.meanings.iter().all(Option::is_some));
});

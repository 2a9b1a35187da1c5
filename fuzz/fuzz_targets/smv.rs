//! Any text as an SMV model: no panic, and every message can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tertium_base::{Diagnostic, SourceFile};

fuzz_target!(|text: &str| {
    let source = SourceFile::new("input.smv", text);
    let compiled = tertium_smv::compile(text, &[]);
    tertium_fuzz::render_all(compiled.diagnostics.iter().map(|diagnostic| (diagnostic, Some(&source))));
    assert_eq!(compiled.program.is_none(), compiled.diagnostics.iter().any(Diagnostic::is_error));
});

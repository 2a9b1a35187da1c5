//! Any text as a formula: no panic, and what is understood can be printed and read back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tertium_base::SourceFile;
use tertium_logic::{Logic, ParseOptions, parse};

/// A longer text is hardly a formula, and a message about each of its words takes the time of a thousand short ones.
const LONGEST: usize = 1_000;

fuzz_target!(|text: &str| {
    if text.len() > LONGEST {
        return;
    }
    let source = SourceFile::new("<property>", text);
    let options = Logic::ALL.map(ParseOptions::in_logic).into_iter().chain([ParseOptions::default()]);
    for options in options {
        let parsed = parse(text, &options);
        tertium_fuzz::render_all(parsed.diagnostics.iter().map(|diagnostic| (diagnostic, Some(&source))));
        let Some(formula) = parsed.formula else {
            assert!(!parsed.diagnostics.is_empty());
            continue;
        };
        // Nested `<->` and shared parts can make a text much longer than its formula.
        let printed = formula.short_text(100_000);
        if printed.len() < 90_000 {
            let again = parse(&printed, &ParseOptions::in_logic(formula.logic()));
            let again = again.formula.unwrap_or_else(|| panic!("`{printed}` does not parse"));
            assert_eq!(again.short_text(100_000), printed);
        }
    }
});

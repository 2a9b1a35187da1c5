//! Any text as a certificate for a fixed structure: no panic, and nothing that was not proved is accepted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tertium_base::{Budget, SourceFile};
use tertium_evidence::{read_document};
use tertium_kernel::{check_certificate};
use tertium_model::{Format, Model, read_bytes};

const STRUCTURE: &[u8] = b"state a p: t\nstate b p: ?\ninit a\na -must-> b\nb -may-> a\nb -must-> b\n";

fuzz_target!(|text: &str| {
    let budget = Budget::unlimited();
    let Ok(loaded) = read_bytes("fixed", Format::Kmts, STRUCTURE, &budget) else { return };
    let Some(Model::Kmts(model)) = loaded.model else { panic!("the fixed structure is well-formed") };
    let source = SourceFile::new("certificate", text);
    match read_document(text) {
        Err(diagnostic) => tertium_fuzz::render_all([(&*diagnostic, Some(&source))]),
        Ok(document) => {
            for part in &document.parts {
                match part.certificate_for(&model, text) {
                    Ok(certificate) => drop(check_certificate(&model, &certificate, &budget)),
                    Err(diagnostics) => {
                        tertium_fuzz::render_all(diagnostics.iter().map(|diagnostic| (diagnostic, Some(&source))));
                    }
                }
            }
        }
    }
});

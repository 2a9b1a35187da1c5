//! Any text as a certificate for one of several fixed structures: no panic, no endless check, and every message can be shown.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tertium_base::{Budget, SourceFile};
use tertium_evidence::read_document;
use tertium_kernel::check_certificate;
use tertium_model::{Format, Model, read_bytes};

/// Plain; with hyper edges and actions; mixed; with fairness; total.
const STRUCTURES: [&[u8]; 5] = [
    b"state a p: t\nstate b p: ?\ninit a\na -must-> b\nb -may-> a\nb -must-> b\n",
    b"state a p: t, q: f\nstate b p: ?, q: t\nstate c p: f, q: ?\ninit a, b\na -must:go-> b\na -hyper-> {b, c}\nb -may-> c\nc -must-> c\n",
    b"mixed\nstate a p: t\nstate b p: b\ninit a\na -mustonly-> b\nb -must-> b\nb -may-> a\n",
    b"state a p: t\nstate b p: f\ninit a\na -must-> b\nb -must-> a\nb -must-> b\nfair {b -> a} certain {b -> a}\n",
    b"total\nstate a p: ?\nstate b p: t\ninit a\na -may-> a\na -may-> b\nb -must-> b\n",
];

fuzz_target!(|text: &str| {
    let source = SourceFile::new("certificate", text);
    let document = match read_document(text) {
        Err(diagnostic) => return tertium_fuzz::render_all([(&*diagnostic, Some(&source))]),
        Ok(document) => document,
    };
    for structure in STRUCTURES {
        let budget = Budget::unlimited().with_time(Some(Duration::from_secs(2))).with_memory(Some(1 << 30));
        let Ok(loaded) = read_bytes("fixed", Format::Kmts, structure, &budget) else { return };
        let Some(Model::Kmts(model)) = loaded.model else { panic!("the fixed structures are well-formed") };
        for part in &document.parts {
            match part.certificate_for(&model, text) {
                Ok(certificate) => drop(check_certificate(&model, &certificate, &budget)),
                Err(diagnostics) => {
                    tertium_fuzz::render_all(diagnostics.iter().map(|diagnostic| (diagnostic, Some(&source))));
                }
            }
        }
    }
});

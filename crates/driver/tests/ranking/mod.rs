//! What tests about ranking functions share: programs of the corpus, and certificates that rest on obligations.

use std::path::PathBuf;

use tertium_base::Budget;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::Question;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, load};

/// The certificate of an answer that was found by abstraction.
pub fn certificate(file: &ProgramFile, (question, answer): &(Question, ProgramAnswer)) -> String {
    match certificate_of(file, question, answer, &CheckOptions::default(), &Budget::unlimited()) {
        Ok(Written::WithObligations { text, .. }) => text,
        other => panic!("{}: {other:?}\n{}", answer.name, file.source.text),
    }
}

/// A program of a folder of the corpus.
pub fn corpus(folder: &str, name: &str) -> (PathBuf, ProgramFile) {
    let path = PathBuf::from(format!("{}/../../corpus/gcl/{folder}/{name}.gcl", env!("CARGO_MANIFEST_DIR")));
    let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
    (path, file)
}

//! What tests about certificates share: places for files, and whether a certificate is accepted.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use tertium_base::Budget;
use tertium_certify::{Decider, Request, findings};
use tertium_driver::program::{CheckOptions, ProgramFile, load};

/// A place for the files of one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// A program that is written to a file and read from there.
#[allow(dead_code, reason = "not every test that shares this writes programs")]
pub fn stored(path: &Path, text: &str) -> ProgramFile {
    std::fs::write(path, text).expect("a file can be written");
    load(path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// Why a certificate is refused; none if it is accepted.
pub fn refused(program: &Path, text: &str) -> Option<String> {
    refused_by(&Decider::default(), program, text)
}

/// The same, of an answer that was found with these options.
#[allow(dead_code, reason = "not every test that shares this has options")]
pub fn refused_as(options: &CheckOptions, program: &Path, text: &str) -> Option<String> {
    let request =
        Request { deadlock: options.deadlock, linear: options.linear, fair: options.fair, ..Request::default() };
    refused_for(&request, &Decider::default(), program, text)
}

/// The same, with somebody else to decide obligations. Every certificate has a file of its own: tests run side by side.
pub fn refused_by(decider: &Decider, program: &Path, text: &str) -> Option<String> {
    refused_for(&Request::default(), decider, program, text)
}

fn refused_for(request: &Request, decider: &Decider, program: &Path, text: &str) -> Option<String> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = folder("certificates").join(format!("{}-{number}.cert.json", std::process::id()));
    std::fs::write(&path, text).expect("a file can be written");
    let found = findings((program, &path), request, decider, &Budget::unlimited());
    let _ = std::fs::remove_file(&path);
    match found {
        Ok(outcomes) if outcomes.is_empty() => Some("nothing".to_owned()),
        Ok(outcomes) => {
            outcomes.iter().find(|outcome| !outcome.is_proved()).map(|outcome| format!("{:?}", outcome.verdict))
        }
        Err(failure) => Some(format!("{failure:?}")),
    }
}

/// Solvers that are here: Z3, and cvc5 if it can be started.
#[allow(dead_code, reason = "not every test that shares this asks two solvers")]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn deciders() -> Vec<Decider> {
    let command = vec!["cvc5".to_owned()];
    let there = tertium_smt::Process::new(&command).is_ok();
    if !there {
        eprintln!("skipped: there is no cvc5, so Z3 alone is asked");
    }
    let second = there.then_some(Decider { command: Some(command) });
    std::iter::once(Decider::default()).chain(second).collect()
}

//! Models that tests write down themselves.

use std::sync::atomic::{AtomicUsize, Ordering};

use tertium_driver::Failure;
use tertium_driver::program::{ProgramFile, load};

/// A number for each file, so that tests beside each other do not meet.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A Promela model by its text, read as the command line reads a file.
pub fn read_promela(text: &str) -> Result<ProgramFile, Failure> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("tertium-model-{}-{number}.pml", std::process::id()));
    std::fs::write(&path, text).expect("a temporary file");
    let file = load(&path, &[], None, &[]);
    let _ = std::fs::remove_file(&path);
    file
}

/// A Promela model without mistakes, by its text.
pub fn promela(text: &str) -> ProgramFile {
    read_promela(text).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

//! Reading models from files that have an end.
//!
//! A pipe or a device may never end, and a file may be larger than anything that could be done with it. Both are refused before
//! anything is read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest structure or certificate that is read: 4 GiB. They are read as they come, within the limit on memory.
pub const LARGEST_FILE: u64 = 4 << 30;

/// The largest text of a program, with all that it includes: 64 MiB.
pub const LARGEST_TEXT: u64 = 64 << 20;

/// Why a file is not read.
#[derive(Debug)]
pub enum Refused {
    /// It is no regular file; what it is instead.
    Kind(&'static str),
    /// It is larger than this.
    Size(u64),
    /// The system has an objection.
    System(io::Error),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "it is {kind}, and models are read from regular files only"),
            Self::Size(most) => write!(f, "it has more than {} MiB, and that is the most that is read", most >> 20),
            Self::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::System(error) => error,
            other => Self::new(io::ErrorKind::InvalidInput, other.to_string()),
        }
    }
}

/// Opens a regular file of at most `most` bytes.
///
/// # Errors
/// If it is something else, or larger, or cannot be opened.
pub fn open(path: &Path, most: u64) -> Result<File, Refused> {
    // RoundHistory at before it is opened: to open a pipe waits for whoever writes to it.
    let known = std::fs::metadata(path).map_err(Refused::System)?;
    if !known.is_file() {
        return Err(Refused::Kind(kind_of(&known)));
    }
    if known.len() > most {
        return Err(Refused::Size(most));
    }
    File::open(path).map_err(Refused::System)
}

/// All of a regular file of at most `most` bytes.
///
/// # Errors
/// If it is something else, or larger, or cannot be read.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, Refused> {
    let file = open(path, most)?;
    let mut bytes = Vec::new();
    // A file may grow while it is read, and files of the system say that they are empty.
    file.take(most + 1).read_to_end(&mut bytes).map_err(Refused::System)?;
    if bytes.len() as u64 > most { Err(Refused::Size(most)) } else { Ok(bytes) }
}

#[cfg(unix)]
fn kind_of(known: &std::fs::Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = known.file_type();
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "a socket"
    }
}

#[cfg(not(unix))]
fn kind_of(known: &std::fs::Metadata) -> &'static str {
    if known.is_dir() { "a directory" } else { "a device" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let size = std::fs::metadata(&own).map_or(0, |known| known.len());
        assert_eq!(read(&own, size).map(|bytes| bytes.len() as u64).ok(), Some(size));
        assert!(matches!(read(&own, size - 1), Err(Refused::Size(_))));
        assert!(matches!(read(Path::new(env!("CARGO_MANIFEST_DIR")), 10), Err(Refused::Kind("a directory"))));
        if cfg!(unix) {
            assert!(matches!(read(Path::new("/dev/zero"), 10), Err(Refused::Kind("a device"))));
        }
        assert!(matches!(read(Path::new("no/such/file"), 10), Err(Refused::System(_))));
    }
}

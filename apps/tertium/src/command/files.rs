//! How does a file get onto the disk whole, or not at all?
//!
//! Its contents are written beside its place under a name of their own, synchronised, and renamed. Whoever looks, at any
//! time and also after a crash, sees the file as it was before or as it is now. What is not a regular file (a device, a
//! pipe) has no place to be renamed to and is written straight.
//!
//! Not here: which files there are ([`crate::command::evidence`]).

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tertium_base::Diagnostic;
use tertium_driver::Failure;

/// Files that are still being written begin with this, followed by the number of their process.
const UNFINISHED: &str = ".tertium-";
const UNFINISHED_END: &str = ".tmp";

/// Writes a file whole.
///
/// # Errors
/// If it cannot be written; then it is as it was before.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    write_with(path, |out| out.write_all(contents))
}

/// Writes a file whole, piece by piece.
///
/// # Errors
/// If it cannot be written; then it is as it was before.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    replace(path, fill).map_err(|error| cannot_write(path, &error))
}

/// Makes a directory and those above it.
///
/// # Errors
/// If it cannot be made.
pub fn make_directory(dir: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(dir).map_err(|error| cannot_write(dir, &error))
}

/// Removes a file, if it is there.
///
/// # Errors
/// If it is there and stays.
pub fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Diagnostic::error("E0302", format!("cannot remove `{}`: {error}", path.display())).into())
        }
        _ => Ok(()),
    }
}

/// Removes what runs that are gone have left unfinished in a directory. What cannot be removed does no harm.
pub fn remove_unfinished(dir: &Path) {
    let entries = std::fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    for entry in entries {
        if unfinished_of(&entry.file_name().to_string_lossy()).is_some_and(is_gone) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The process that an unfinished file belongs to.
fn unfinished_of(name: &str) -> Option<u32> {
    let middle = name.strip_prefix(UNFINISHED)?.strip_suffix(UNFINISHED_END)?;
    middle.split_once('-')?.0.parse().ok()
}

/// Whether there is no such process any more; where that cannot be seen, there may be.
fn is_gone(process: u32) -> bool {
    Path::new("/proc/self").exists() && !Path::new("/proc").join(process.to_string()).exists()
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Diagnostic::error("E0302", format!("cannot write `{}`: {error}", path.display())).into()
}

fn replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A link stays a link: what it leads to is replaced.
    let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = std::fs::metadata(&place).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return fill_file(OpenOptions::new().write(true).open(&place)?, fill).map(|_| ());
    }
    let unfinished = unfinished_name(&place);
    let file = OpenOptions::new().write(true).create_new(true).open(&unfinished)?;
    let written = fill_file(file, fill).and_then(|file| {
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        std::fs::rename(&unfinished, &place)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

fn fill_file(file: File, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<File> {
    let mut out = BufWriter::new(file);
    fill(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// A name beside `place` that no other file has: process and a count.
fn unfinished_name(place: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    place.with_file_name(format!("{UNFINISHED}{}-{number}{UNFINISHED_END}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("tertium-files-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_fails_leaves_the_file_as_it_was() {
        let dir = folder("fails");
        let path = dir.join("x");
        write(&path, b"old").unwrap();
        let failed = write_with(&path, |out| {
            out.write_all(b"ne")?;
            out.flush()?;
            Err(io::Error::other("full"))
        });
        assert!(failed.is_err());
        assert_eq!((std::fs::read(&path).unwrap(), names(&dir)), (b"old".to_vec(), vec!["x".to_owned()]));
        write(&path, b"new").unwrap();
        assert_eq!((std::fs::read(&path).unwrap(), names(&dir)), (b"new".to_vec(), vec!["x".to_owned()]));
        let _ = std::fs::remove_dir_all(dir);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = folder("links");
        let (file, link) = (dir.join("file"), dir.join("link"));
        write(&file, b"old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        let _ = std::fs::remove_dir_all(dir);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written_straight() {
        assert!(write(Path::new("/dev/null"), b"x").is_ok());
        assert!(write(Path::new("/dev/full"), b"x").is_err(), "a full device takes nothing");
        assert!(Path::new("/dev/full").exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_what_nobody_writes_any_more_is_removed() {
        let dir = folder("unfinished");
        let mine = format!(".tertium-{}-7.tmp", std::process::id());
        // Process numbers end below four million.
        for name in [".tertium-4199999-0.tmp", ".tertium-x-0.tmp", ".tertium-1", mine.as_str(), "kept"] {
            std::fs::write(dir.join(name), "").unwrap();
        }
        remove_unfinished(&dir);
        let mut left = vec![".tertium-1".to_owned(), ".tertium-x-0.tmp".to_owned(), mine, "kept".to_owned()];
        left.sort();
        assert_eq!(names(&dir), left);
        let _ = std::fs::remove_dir_all(dir);
    }
}

//! Where may the solver's library lie?
//!
//! `TERTIUM_Z3` names it or its folder, and then nothing else is tried: who says where it is wants no other. Else it is looked for beside
//! the program and where `make` and an installation put it, in a folder that whoever embeds it has named ([`also_look_in`]), and at last wherever the system
//! keeps libraries.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The variable that names the library or its folder.
pub const VARIABLE: &str = "TERTIUM_Z3";

/// Folders that are searched, so many levels above the one that the program lies in: beside it, `make`'s for programs and for tests, an
/// installation's.
const FOLDERS: [(usize, &str); 5] = [(0, ""), (1, "z3/lib"), (2, "z3/lib"), (1, "lib/tertium"), (1, "lib")];

/// The folder that was named by whoever embeds this.
static NAMED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Looks in this folder, too, and first of all. It counts until the library is first needed.
pub fn also_look_in(folder: &Path) {
    *NAMED.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder.to_owned());
}

/// The folder that was named.
pub(super) fn named() -> Option<PathBuf> {
    NAMED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// What the library's file may be called; `version` is the one that the bindings were built for.
fn file_names(version: Option<&str>) -> Vec<String> {
    let mut numbers = version.unwrap_or_default().split('.');
    let exact = match (numbers.next().filter(|major| !major.is_empty()), numbers.next()) {
        (Some(major), Some(minor)) => Some(format!("libz3.so.{major}.{minor}")),
        _ => None,
    };
    exact.into_iter().chain(["libz3.so".to_owned()]).collect()
}

/// All that is tried, in this order: paths, and names without a folder for the system to find.
pub(super) fn candidates(
    said: Option<&OsStr>,
    named: Option<&Path>,
    program: Option<&Path>,
    version: Option<&str>,
) -> Vec<PathBuf> {
    let names = file_names(version);
    let within = |folder: &Path| names.iter().map(|name| folder.join(name)).collect::<Vec<_>>();
    if let Some(said) = said.filter(|said| !said.is_empty()) {
        let said = absolute(Path::new(said));
        return if said.is_dir() { within(&said) } else { vec![said] };
    }
    let above = |levels: usize| program.and_then(|program| program.ancestors().nth(levels + 1));
    let folders = FOLDERS.iter().filter_map(|&(levels, folder)| Some(above(levels)?.join(folder)));
    let folders = named.map(Path::to_owned).into_iter().chain(folders);
    folders.flat_map(|folder| within(&folder)).chain(names.iter().map(PathBuf::from)).collect()
}

/// The system's loader would look for a name without a slash elsewhere.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(paths: &[PathBuf]) -> Vec<String> {
        paths.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn the_variable_stands_alone() {
        let program = Some(Path::new("/opt/bin/tertium"));
        let file = candidates(Some(OsStr::new("/opt/z3.so")), None, program, Some("5.4.0"));
        assert_eq!(shown(&file), ["/opt/z3.so"]);
        let folder = candidates(Some(OsStr::new("/")), Some(Path::new("/named")), program, Some("5.4.0"));
        assert_eq!(shown(&folder), ["/libz3.so.5.4", "/libz3.so"]);
        let relative = candidates(Some(OsStr::new("z3.so")), None, program, Some("5.4.0"));
        assert!(relative.iter().all(|path| path.is_absolute()), "{relative:?}");
    }

    #[test]
    fn the_program_s_surroundings_come_before_the_system() {
        let expected = [
            "/opt/bin/libz3.so.5.4",
            "/opt/bin/libz3.so",
            "/opt/z3/lib/libz3.so.5.4",
            "/opt/z3/lib/libz3.so",
            "/z3/lib/libz3.so.5.4",
            "/z3/lib/libz3.so",
            "/opt/lib/tertium/libz3.so.5.4",
            "/opt/lib/tertium/libz3.so",
            "/opt/lib/libz3.so.5.4",
            "/opt/lib/libz3.so",
            "libz3.so.5.4",
            "libz3.so",
        ];
        for unsaid in [None, Some(OsStr::new(""))] {
            assert_eq!(shown(&candidates(unsaid, None, Some(Path::new("/opt/bin/tertium")), Some("5.4.0"))), expected);
        }
        let embedded = candidates(None, Some(Path::new("/named")), None, Some("5.4.0"));
        assert_eq!(shown(&embedded)[..2], ["/named/libz3.so.5.4", "/named/libz3.so"]);
        assert_eq!(shown(&candidates(None, None, None, Some("5.4.0"))), ["libz3.so.5.4", "libz3.so"]);
        assert_eq!(shown(&candidates(None, None, None, None)), ["libz3.so"]);
    }
}

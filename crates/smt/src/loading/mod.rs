//! Is the solver's library there?
//!
//! It is loaded when the first solver is made, not when the program starts, so that everything that needs no solver works without
//! it. [`load`] looks for it ([`search`]), makes sure of its version, and leads the bindings' calls to it (`trampolines`). It must have
//! been called before anything of the bindings is. On systems other than Linux with the GNU C library on x86-64 or AArch64, the
//! library is linked as usual and only its version is looked at.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::solver::SolverError;

pub mod search;

#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "at_run_time.rs"]
mod library;
#[cfg(not(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[path = "as_linked.rs"]
mod library;

/// The version that the bindings were made for; they number their enumerations by it.
const BUILT_FOR: Option<&str> = option_env!("Z3_SYS_Z3_VERSION");

/// The library in use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Library {
    /// Where it was found; a name without a folder if the system found it.
    pub path: PathBuf,
    /// Its version, such as `5.4.0.0`.
    pub version: String,
}

/// Why a place has no library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LibraryAttempt {
    /// The file, or a name for the system to find.
    pub path: PathBuf,
    /// What the system's loader said; none where there is no such file.
    pub why: Option<String>,
}

impl LibraryAttempt {
    /// The place, for a message.
    pub(crate) fn shown(&self) -> String {
        let by_name = self.path.components().count() == 1;
        format!("`{}`{}", self.path.display(), if by_name { " among the system's libraries" } else { "" })
    }
}

/// Loads the library, once for the whole process.
///
/// # Errors
/// If there is none, or if it is of another version than the bindings, whose numbers then mean something else.
pub fn load() -> Result<&'static Library, SolverError> {
    static LOADED: OnceLock<Result<Library, SolverError>> = OnceLock::new();
    LOADED.get_or_init(library::load).as_ref().map_err(Clone::clone)
}

/// The version of the library in use.
pub(crate) fn version() -> &'static str {
    load().map_or("unknown", |library| &library.version)
}

/// The number in the library's own description of itself.
fn version_in(description: &str) -> String {
    let number = description.split_whitespace().find(|word| word.contains('.')).unwrap_or("unknown");
    number.trim_start_matches('v').to_owned()
}

/// A library that describes itself so, if its version fits the bindings.
fn fitting(path: PathBuf, description: &str) -> Result<Library, SolverError> {
    let version = version_in(description);
    let minor = |version: &str| version.split('.').take(2).map(str::to_owned).collect::<Vec<_>>();
    match BUILT_FOR {
        Some(expected) if minor(expected) != minor(&version) => {
            Err(SolverError::Version { path, expected: expected.to_owned(), found: version })
        }
        _ => Ok(Library { path, version }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_refused() {
        let expected = BUILT_FOR.expect("the configuration says it");
        let right = fitting("a.so".into(), &format!("Z3 {expected}.7")).unwrap();
        assert_eq!(right.version, format!("{expected}.7"));
        let wrong = fitting("b.so".into(), "Z3 v4.8.12.0 and more");
        let found = "4.8.12.0".to_owned();
        assert_eq!(wrong, Err(SolverError::Version { path: "b.so".into(), expected: expected.to_owned(), found }));
        assert!(fitting("c.so".into(), "something else").is_err());
    }
}

//! The library by the system's loader.

#![allow(unsafe_code, reason = "three functions of the C library that load others, and what they find")]

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{BUILT_FOR, Library, LibraryAttempt, fitting, search};
use crate::solver::SolverError;

mod names;
mod trampolines;

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

/// All names are looked up at once: a library that is not whole is refused, not met later.
const RTLD_NOW: c_int = 2;

/// A library of the system's loader. It stays until the process ends.
#[derive(Clone, Copy)]
pub(super) struct Handle(*mut c_void);

impl Handle {
    /// Loads a file, or what the system knows by a name; else what the loader says.
    pub(super) fn open(file: &OsStr) -> Result<Self, String> {
        let Ok(file) = CString::new(file.as_bytes()) else { return Err("no file has such a name".to_owned()) };
        // SAFETY: `file` is a C string. What runs when a library is loaded is as trusted as the user's own choice of it.
        let handle = unsafe { dlopen(file.as_ptr(), RTLD_NOW) };
        if !handle.is_null() {
            return Ok(Self(handle));
        }
        // SAFETY: the message is a C string until this thread calls the loader again; the GNU C library keeps one for each.
        let message = unsafe { dlerror().as_ref().map(|message| CStr::from_ptr(message)) };
        Err(message.map_or_else(|| "it cannot be loaded".to_owned(), |said| said.to_string_lossy().into_owned()))
    }

    /// Where the library has this; null if nowhere.
    pub(super) fn find(self, name: &CStr) -> *mut c_void {
        // SAFETY: the library is loaded for good, and the name is a C string.
        unsafe { dlsym(self.0, name.as_ptr()) }
    }

    /// What the library says of itself, if it is the solver's.
    fn describes_itself(self) -> Option<String> {
        let function = self.find(c"Z3_get_full_version");
        if function.is_null() {
            return None;
        }
        // SAFETY: a function of this name is the solver's: it takes nothing and returns a C string that stays.
        let description = unsafe {
            let function: extern "C" fn() -> *const c_char = std::mem::transmute(function);
            function().as_ref().map(|text| CStr::from_ptr(text))
        };
        description.map(|text| text.to_string_lossy().into_owned())
    }
}

pub(super) fn load() -> Result<Library, SolverError> {
    let said = std::env::var_os(search::VARIABLE);
    // Where the system does not tell (no `/proc`, as in a bare root), the shell may have.
    let typed = || std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    let program = std::env::current_exe().ok().or_else(typed);
    let named = search::named();
    load_first(&search::candidates(said.as_deref(), named.as_deref(), program.as_deref(), BUILT_FOR))
}

/// The first that can be loaded decides: who has put a wrong library in the way is told so.
fn load_first(candidates: &[PathBuf]) -> Result<Library, SolverError> {
    let mut tried = Vec::new();
    for path in candidates {
        match open(path) {
            Ok((handle, description)) => {
                let library = fitting(path.clone(), &description)?;
                // SAFETY: the library is the solver's, of the version whose functions have the bindings' types, and it stays.
                unsafe { trampolines::fill(|name| handle.find(name)) };
                return Ok(library);
            }
            Err(why) => tried.push(LibraryAttempt { path: path.clone(), why }),
        }
    }
    Err(SolverError::Missing(tried))
}

/// A library with what it says of itself; else why not, none if there is no such file.
fn open(path: &Path) -> Result<(Handle, String), Option<String>> {
    let by_name = path.components().count() == 1;
    if !by_name && !path.exists() {
        return Err(None);
    }
    let nowhere = format!("{}: cannot open shared object file", path.display());
    let handle =
        Handle::open(path.as_os_str()).map_err(|why| (!by_name || !why.starts_with(&nowhere)).then_some(why))?;
    let description = handle.describes_itself().ok_or_else(|| Some("it is not the solver's library".to_owned()))?;
    Ok((handle, description))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every name that begins as the solver's functions do and that the library knows.
    fn exported(library: &Library, handle: Handle) -> BTreeSet<CString> {
        let bytes = std::fs::read(&library.path).unwrap();
        let words = bytes.split(|&byte| byte == 0).filter(|word| word.starts_with(b"Z3_"));
        let names = words.filter_map(|word| CString::new(word).ok());
        names.filter(|name| !handle.find(name).is_null()).collect()
    }

    #[test]
    fn the_names_are_those_of_the_library() {
        let library = super::super::load().unwrap();
        let handle = Handle::open(library.path.as_os_str()).unwrap();
        let ours: BTreeSet<CString> = trampolines::NAMES.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(ours.len(), trampolines::NAMES.len(), "no name stands twice");
        let theirs = exported(library, handle);
        assert!(theirs.len() > 500, "the library's names are found: {}", theirs.len());
        let missing: Vec<_> = theirs.difference(&ours).collect();
        let unknown: Vec<_> = ours.difference(&theirs).collect();
        assert!(
            missing.is_empty() && unknown.is_empty(),
            "not in the list: {missing:?}; not in the library: {unknown:?}"
        );
    }

    #[test]
    fn what_is_no_library_is_named_with_its_reason() {
        let here = std::env::temp_dir().join(format!("tertium-no-library-{}", std::process::id()));
        std::fs::write(&here, "not a library").unwrap();
        let found = load_first(&[here.clone(), "/nowhere/libz3.so".into(), "libm.so.6".into()]);
        std::fs::remove_file(&here).unwrap();
        let Err(SolverError::Missing(tried)) = found else { panic!("{found:?}") };
        let reasons: Vec<Option<&str>> = tried.iter().map(|tried| tried.why.as_deref()).collect();
        assert!(
            reasons[0].is_some_and(|why| why.contains("invalid ELF header") || why.contains("too short")),
            "{reasons:?}"
        );
        assert_eq!(reasons[1..], [None, Some("it is not the solver's library")]);
    }
}

//! Which files may a model include?
//!
//! Regular files inside the model's own folder, links followed, and inside folders that the user has named. A model from elsewhere
//! cannot make this program read, and quote in a message, any other file of the system, nor wait for a pipe.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::RwLock;

use tertium_base::files;

/// Folders that the user has named. Whom to trust is a matter of the whole process, not of one model.
static ALLOWED: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Lets every model include files from a folder, too.
///
/// # Errors
/// If there is no such folder.
pub fn allow(folder: &Path) -> io::Result<()> {
    let folder = std::fs::canonicalize(folder)?;
    if !folder.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    if let Ok(mut allowed) = ALLOWED.write() {
        allowed.push(folder);
    }
    Ok(())
}

/// Reads a file that a model includes.
///
/// # Errors
/// If it may not be included, or cannot be read. [`io::ErrorKind::PermissionDenied`] means that its folder is not allowed.
pub fn read(model: &Path, included: &Path) -> io::Result<String> {
    let folder = model.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = std::fs::canonicalize(folder)?;
    let place = std::fs::canonicalize(included)?;
    let allowed = |place: &Path| ALLOWED.read().is_ok_and(|known| known.iter().any(|folder| place.starts_with(folder)));
    if !place.starts_with(&folder) && !allowed(&place) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it lies outside the model's folder"));
    }
    let bytes = files::read(&place, files::LARGEST_TEXT)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_what_lies_inside_is_read() {
        let room = std::env::temp_dir().join(format!("tertium-include-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&room);
        for folder in ["model/sub", "other", "model-2"] {
            std::fs::create_dir_all(room.join(folder)).unwrap();
        }
        for file in ["model/a.h", "model/sub/b.h", "other/c.h", "model-2/d.h"] {
            std::fs::write(room.join(file), file).unwrap();
        }
        symlink(room.join("other/c.h"), room.join("model/link.h")).unwrap();
        symlink(room.join("other"), room.join("model/folder")).unwrap();
        let model = room.join("model/m.pml");
        let kind = |path: &str| read(&model, &room.join("model").join(path)).map_err(|error| error.kind());
        assert_eq!(kind("a.h").as_deref(), Ok("model/a.h"));
        assert_eq!(kind("sub/../sub/b.h").as_deref(), Ok("model/sub/b.h"));
        for outside in ["../other/c.h", "link.h", "folder/c.h", "../model-2/d.h", "/etc/passwd", "/dev/zero"] {
            assert_eq!(kind(outside), Err(io::ErrorKind::PermissionDenied), "{outside}");
        }
        assert_eq!(kind("sub"), Err(io::ErrorKind::InvalidInput));
        assert_eq!(kind("nothing.h"), Err(io::ErrorKind::NotFound));
        allow(&room.join("other")).unwrap();
        assert_eq!(kind("../other/c.h").as_deref(), Ok("other/c.h"));
        assert_eq!(kind("../model-2/d.h"), Err(io::ErrorKind::PermissionDenied));
        assert!(allow(&room.join("none")).is_err() && allow(&room.join("other/c.h")).is_err());
        let _ = std::fs::remove_dir_all(room);
    }
}

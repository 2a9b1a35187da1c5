//! Which files does a system of guarded commands consist of?
//!
//! `import "lib.gcl"` names a file beside the one that it stands in. Each file is read once; one that imports itself, over others or not, is refused. All texts are put one behind
//! the other, the system's own first, so that one place counts over all of them; [`Sources`] tells which file it lies in.
//!
//! A text that was put together before is taken apart again without reading anything.

use std::path::{Path, PathBuf};

use tertium_base::{Diagnostic, Span};
use tertium_gcl::imports::{SEPARATOR, imports, joined, refused};
use tertium_promela::include;
use tertium_promela::sources::Sources;

/// Files may import each other this deep.
const DEEPEST: usize = 32;

/// All texts of a system.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// One behind the other.
    pub text: String,
    /// Which file a place lies in; none if there is only one.
    pub sources: Option<Sources>,
    /// What could not be imported, with places in `text`.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads what a text imports. `file` is its path.
#[must_use]
pub fn bundle(file: &str, text: &str) -> Bundle {
    if !text.contains(SEPARATOR) && imports(text).is_empty() {
        return Bundle { text: text.to_owned(), ..Bundle::default() };
    }
    let mut parts = text.split(SEPARATOR);
    let own = parts.next().unwrap_or_default().to_owned();
    let known: Vec<&str> = parts.collect();
    let known = text.contains(SEPARATOR).then_some(known);
    let mut reader = Reader { own: PathBuf::from(file), known: known.map(Vec::into_iter), ..Reader::default() };
    reader.enter(PathBuf::from(file), own, &mut Vec::new());
    let texts: Vec<&str> = reader.texts.iter().map(String::as_str).collect();
    let mut whole = joined(&texts);
    if texts.len() == 1 {
        // The mark says that everything was looked for, found or not.
        whole.push_str(SEPARATOR);
    }
    Bundle { text: whole, sources: Some(reader.sources), diagnostics: reader.diagnostics }
}

#[derive(Default)]
struct Reader<'t> {
    /// The system's own file.
    own: PathBuf,
    /// Texts that were read before, in their order.
    known: Option<std::vec::IntoIter<&'t str>>,
    texts: Vec<String>,
    sources: Sources,
    read: Vec<PathBuf>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Adds a text and what it imports; `around` are the files that lead to it.
    fn enter(&mut self, path: PathBuf, text: String, around: &mut Vec<PathBuf>) {
        let offset = self.sources.add(path.to_string_lossy(), text.as_str());
        self.read.push(path.clone());
        let wanted = imports(&text);
        self.texts.push(text);
        around.push(path.clone());
        for (name, span) in wanted {
            self.import(&path, &name, span.shifted(offset), around);
        }
        around.pop();
    }

    fn import(&mut self, from: &Path, name: &str, span: Span, around: &mut Vec<PathBuf>) {
        let path = plain(&from.parent().unwrap_or(Path::new("")).join(name));
        if around.iter().any(|known| plain(known) == path) {
            let message = format!("`{name}` imports itself");
            self.diagnostics.push(refused(message, span, "comes back to a file that is being read".to_owned()));
            return;
        }
        if around.len() >= DEEPEST {
            let message = format!("files import each other more than {DEEPEST} deep");
            self.diagnostics.push(refused(message, span, "one too many".to_owned()));
            return;
        }
        if self.read.iter().any(|known| plain(known) == path) {
            return;
        }
        if let Some(known) = &mut self.known {
            if let Some(text) = known.next().map(str::to_owned) {
                self.enter(path, text, around);
            }
            return;
        }
        match include::read(&self.own, &path) {
            Ok(text) if text.contains(SEPARATOR) => {
                let message = format!("`{name}` cannot be imported");
                self.diagnostics.push(refused(message, span, "has a sign that separates files".to_owned()));
            }
            Ok(text) => self.enter(path, text, around),
            Err(error) => {
                let message = format!("`{name}` cannot be imported");
                let diagnostic = refused(message, span, error.to_string());
                self.diagnostics.push(match error.kind() {
                    std::io::ErrorKind::PermissionDenied => {
                        diagnostic.help("only files in the folder of the system, or in one that was named, are read")
                    }
                    _ => diagnostic.help("the name is looked for beside the file that it stands in"),
                });
            }
        }
    }
}

/// A path without `.` and, where that is plain, without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir
                if matches!(found.components().next_back(), Some(std::path::Component::Normal(_))) =>
            {
                found.pop();
            }
            part => found.push(part),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let room = std::env::temp_dir().join(format!("tertium-imports-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&room);
        for (file, text) in files {
            let path = room.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        room
    }

    #[test]
    fn each_file_is_read_once_and_places_tell_the_file() {
        let room =
            folder("once", &[("lib/a.gcl", "import \"b.gcl\"\nconst A = B"), ("lib/b.gcl", "system b\nconst B = 2\n")]);
        let main = room.join("m.gcl").to_string_lossy().into_owned();
        let text = "system m\nimport \"lib/a.gcl\"\nimport \"lib/../lib/b.gcl\"\nvar x : 0..A = 3\n";
        let found = bundle(&main, text);
        assert_eq!(found.diagnostics, []);
        let sources = found.sources.as_ref().unwrap();
        assert_eq!(sources.pieces().len(), 3);
        let at = found.text.find("const B").unwrap();
        assert_eq!(&found.text[at..at + 7], sources.text(Span::new(at, at + 7)));
        assert!(sources.place(Span::new(at, at)).0.ends_with("lib/b.gcl"));
        // Put together before, it is taken apart without reading.
        std::fs::remove_dir_all(&room).unwrap();
        let again = bundle(&main, &found.text);
        assert_eq!((&again.text, again.sources, again.diagnostics), (&found.text, found.sources, Vec::new()));
    }

    #[test]
    fn circles_and_files_elsewhere_are_refused() {
        let files = [("m/a.gcl", "import \"b.gcl\""), ("m/b.gcl", "import \"a.gcl\""), ("c.gcl", "")];
        let room = folder("circle", &files);
        let main = room.join("m/m.gcl").to_string_lossy().into_owned();
        for (text, said) in [
            ("import \"a.gcl\"", "imports itself"),
            ("import \"m.gcl\"", "imports itself"),
            ("import \"../c.gcl\"", "cannot be imported"),
            ("import \"none.gcl\"", "cannot be imported"),
        ] {
            let found = bundle(&main, text);
            assert_eq!(found.diagnostics.len(), 1, "{text}");
            assert!(found.diagnostics[0].message.contains(said), "{:?}", found.diagnostics);
        }
        let _ = std::fs::remove_dir_all(&room);
    }
}

//! Which files hold the evidence of a run, and which of them are from an earlier one?
//!
//! Every question has a stem of its own, and its files are the stem with an ending that says what they are. `evidence.json`
//! lists them all. What it lists and the latest run has answered otherwise is removed before anything new is written, so that
//! no proof stands beside a counterexample; what it does not list is never touched.
//!
//! Not here: what is in the files (`commands`), and how one is written ([`crate::command::files`]).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tertium_driver::Failure;

use crate::command::files;

/// The list of files.
const LIST: &str = "evidence.json";
const LIST_VERSION: u64 = 1;
/// The page and its data.
const PAGE: [&str; 2] = ["report.json", "index.html"];
/// Where obligations are, one folder for each question.
const OBLIGATIONS: &str = "obligations";
/// What the files of a question end in. No ending is the end of another one, so that stem and ending can be told apart.
const ENDINGS: [&str; 6] = [".cert.json", ".run.json", ".itf.json", ".run.txt", ".satisfying.kmts", ".violating.kmts"];
/// Longer stems are cut, and told apart by a number instead.
const LONGEST_STEM: usize = 120;

/// A property's name as the beginning of a file name; different names give different ones, also where case or spelling of
/// letters does not count in file names except for ASCII letters.
///
/// ASCII letters, digits, `-` and `_` stand for themselves, every other byte of the name is `%` and two digits. What would
/// be too long is cut and ends in `~` and a number made from the whole name.
#[must_use]
pub fn stem(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let mut text = String::new();
    for byte in name.bytes() {
        if plain(byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    if text.is_empty() {
        // No name has only this escape cut short.
        return "%".to_owned();
    }
    if text.len() > LONGEST_STEM {
        text.truncate(LONGEST_STEM);
        text.push_str(&format!("~{:032x}", fingerprint(name)));
    }
    text
}

/// FNV-1a (Fowler, Noll, Vo) in 128 bits.
fn fingerprint(text: &str) -> u128 {
    let mix = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, mix)
}

/// A file to be written.
#[derive(Debug)]
pub struct EvidenceFile {
    /// Its path inside the directory, with `/` between parts.
    pub name: String,
    /// What is in it.
    pub contents: String,
}

/// One question in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    model: String,
    name: String,
    value: String,
    files: BTreeSet<String>,
    /// Whether the question is from the command line, not from the model.
    given: bool,
    /// Whether the latest run has written it.
    latest: bool,
}

/// A directory for evidence.
#[derive(Debug)]
pub struct EvidenceFolder {
    dir: PathBuf,
    model: String,
    /// By stem.
    entries: BTreeMap<String, Entry>,
    page: BTreeSet<String>,
    /// The stems of this run.
    taken: BTreeSet<String>,
    /// The questions of this run that are from the command line.
    given: BTreeSet<String>,
}

impl EvidenceFolder {
    /// Opens a directory for the evidence about a model, making it if need be. `given` are the names of questions that are not
    /// the model's own.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(dir: &Path, model: &str, given: BTreeSet<String>) -> Result<Self, Failure> {
        files::make_directory(dir)?;
        files::remove_unfinished(dir);
        let rooms = std::fs::read_dir(dir.join(OBLIGATIONS)).into_iter().flatten().filter_map(Result::ok);
        rooms.for_each(|room| files::remove_unfinished(&room.path()));
        let (mut entries, page) = read_list(&dir.join(LIST));
        for entry in entries.values_mut() {
            entry.latest = false;
        }
        Ok(Self { dir: dir.to_owned(), model: model.to_owned(), entries, page, taken: BTreeSet::new(), given })
    }

    /// The stem for the files of a question. A name that is asked twice in one run gets two.
    pub fn stem_for(&mut self, name: &str) -> String {
        let plain = stem(name);
        let mut found = plain.clone();
        let mut number = 2;
        while !self.taken.insert(found.clone()) {
            found = format!("{plain}~{number}");
            number += 1;
        }
        found
    }

    /// The path of a file as the user would write it.
    #[must_use]
    pub fn path(&self, name: &str) -> String {
        self.dir.join(name).to_string_lossy().into_owned()
    }

    /// Puts the files of an answer in place of those that were there for the question.
    ///
    /// At any moment the list names every file that is there.
    ///
    /// # Errors
    /// If a file cannot be written or removed.
    pub fn replace(&mut self, stem: &str, name: &str, value: &str, new: &[EvidenceFile]) -> Result<(), Failure> {
        let old = self.entries.get(stem).map(|entry| entry.files.clone()).unwrap_or_default();
        let new_names: BTreeSet<String> = new.iter().map(|file| file.name.clone()).collect();
        debug_assert!(new_names.iter().all(|name| is_evidence(name)), "{new_names:?}");
        let entry = Entry {
            model: self.model.clone(),
            name: name.to_owned(),
            value: value.to_owned(),
            files: old.union(&new_names).cloned().collect(),
            given: self.given.contains(name),
            latest: true,
        };
        self.entries.insert(stem.to_owned(), entry);
        self.drop_page()?;
        self.write_list()?;
        self.remove_all(old.difference(&new_names))?;
        for file in new {
            let path = self.dir.join(&file.name);
            if let Some(room) = path.parent() {
                files::make_directory(room)?;
            }
            files::write(&path, file.contents.as_bytes())?;
        }
        if let Some(entry) = self.entries.get_mut(stem) {
            entry.files = new_names;
        }
        Ok(())
    }

    /// Ends the run. `asked_all`: every question of the model was asked, so that others of it are gone for good.
    ///
    /// # Errors
    /// If a file cannot be written or removed.
    pub fn finish(&mut self, asked_all: bool) -> Result<(), Failure> {
        let (taken, model) = (&self.taken, &self.model);
        // A question that was asked and stopped keeps what an earlier run has found about it.
        let is_gone =
            |stem: &str, entry: &Entry| asked_all && !entry.given && entry.model == *model && !taken.contains(stem);
        let (gone, kept): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.entries).into_iter().partition(|(stem, entry)| is_gone(stem, entry));
        self.entries = kept;
        self.remove_all(gone.values().flat_map(|entry| &entry.files))?;
        self.write_list()
    }

    /// Writes the page and its data; the path of the page.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write_page(&mut self, data: &str, page: &str) -> Result<String, Failure> {
        self.page = PAGE.iter().map(|&name| name.to_owned()).collect();
        self.write_list()?;
        for (name, text) in PAGE.into_iter().zip([data, page]) {
            files::write(&self.dir.join(name), text.as_bytes())?;
        }
        Ok(self.path(PAGE[1]))
    }

    /// A page about earlier answers does not stay beside new ones.
    fn drop_page(&mut self) -> Result<(), Failure> {
        let page = std::mem::take(&mut self.page);
        self.remove_all(page.iter())
    }

    fn remove_all<'a>(&self, names: impl Iterator<Item = &'a String>) -> Result<(), Failure> {
        for name in names.filter(|name| !self.leads_out(name)) {
            files::remove(&self.dir.join(name))?;
        }
        Ok(())
    }

    /// Whether a folder on the way to a file is a link, so that another file than ours would be meant.
    fn leads_out(&self, name: &str) -> bool {
        let parts: Vec<&str> = name.split('/').collect();
        let mut path = self.dir.clone();
        parts[..parts.len() - 1].iter().any(|part| {
            path.push(part);
            std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink())
        })
    }

    fn write_list(&self) -> Result<(), Failure> {
        let question = |(stem, entry): (&String, &Entry)| {
            json!({"stem": stem, "question": entry.name, "model": entry.model, "value": entry.value,
                "given": entry.given, "latest": entry.latest, "files": entry.files})
        };
        let list = json!({
            "list_version": LIST_VERSION,
            "tool": {"name": "tertium", "version": env!("CARGO_PKG_VERSION")},
            "questions": self.entries.iter().map(question).collect::<Vec<_>>(),
            "page": self.page,
        });
        files::write(&self.dir.join(LIST), tertium_report::json::document(&list).as_bytes())
    }
}

/// What a list says; nothing if there is none that can be understood. A name that this program would not have written is
/// left out, whatever the list says, since what is listed may be removed.
fn read_list(path: &Path) -> (BTreeMap<String, Entry>, BTreeSet<String>) {
    let document: Value =
        std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    if document["list_version"] != json!(LIST_VERSION) {
        return <_>::default();
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let names = |value: &Value, own: fn(&str) -> bool| -> BTreeSet<String> {
        value.as_array().into_iter().flatten().map(text).filter(|name| own(name)).collect()
    };
    let entry = |value: &Value| {
        let found = Entry {
            model: text(&value["model"]),
            name: text(&value["question"]),
            value: text(&value["value"]),
            files: names(&value["files"], is_evidence),
            given: value["given"] == json!(true),
            latest: value["latest"] == json!(true),
        };
        (text(&value["stem"]), found)
    };
    let entries = document["questions"].as_array().into_iter().flatten().map(entry).collect();
    (entries, names(&document["page"], |name| PAGE.contains(&name)))
}

/// Whether a name is one that a file of a question can have.
fn is_evidence(name: &str) -> bool {
    let plain = |part: &str| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_%~".contains(&byte);
        !part.is_empty() && part.bytes().all(letter)
    };
    match name.split('/').collect::<Vec<_>>()[..] {
        [file] => ENDINGS.iter().any(|ending| file.strip_suffix(ending).is_some_and(plain)),
        [OBLIGATIONS, stem, file] => plain(stem) && file.strip_suffix(".smt2").is_some_and(plain),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("tertium-evidence-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        dir
    }

    fn file(name: &str) -> EvidenceFile {
        EvidenceFile { name: name.to_owned(), contents: name.to_owned() }
    }

    #[test]
    fn different_names_have_different_stems() {
        let long = "x".repeat(200);
        let names = ["", "%", "x/y", "x_y", "x y", "x.y", "..", "x%2Fy", "ü", "u\u{308}", "a~2", &long, &long[1..]];
        let stems: BTreeSet<String> = names.iter().map(|name| stem(name)).collect();
        assert_eq!(stems.len(), names.len(), "{stems:?}");
        assert!(stems.iter().all(|stem| is_evidence(&format!("{stem}.cert.json"))), "{stems:?}");
        assert_eq!(stem("mutual-exclusion_2"), "mutual-exclusion_2");
        assert_eq!(stem("x/y"), "x%2Fy");
        assert!(stem(&long).len() < 200);
    }

    /// Every name of up to three of these letters.
    #[test]
    fn no_two_short_names_share_a_stem() {
        let letters = ["a", "%", "~", "2", "F", "/", " ", "_", "\u{e9}"];
        let mut names = vec![String::new()];
        for from in [0, 1, 10] {
            let longer: Vec<String> =
                names[from..].iter().flat_map(|name| letters.map(|l| format!("{name}{l}"))).collect();
            names.extend(longer);
        }
        let names: BTreeSet<String> = names.into_iter().collect();
        let stems: BTreeSet<String> = names.iter().map(|name| stem(name)).collect();
        assert_eq!(stems.len(), names.len());
    }

    #[test]
    fn only_what_was_written_is_removed() {
        let dir = folder("stale");
        let mut first = EvidenceFolder::open(&dir, "m.gcl", BTreeSet::new()).unwrap();
        std::fs::write(dir.join("mine.cert.json"), "").unwrap();
        for name in ["a", "b", "c"] {
            let stem = first.stem_for(name);
            let files = [file(&format!("{stem}.cert.json")), file(&format!("obligations/{stem}/init-1.smt2"))];
            first.replace(&stem, name, "true", &files).unwrap();
        }
        first.finish(true).unwrap();
        first.write_page("{}", "<html>").unwrap();
        // Now `a` is false, `b` is stopped before it is answered, and `c` is gone.
        let mut second = EvidenceFolder::open(&dir, "m.gcl", BTreeSet::new()).unwrap();
        let stem = second.stem_for("a");
        second.replace(&stem, "a", "false", &[file("a.itf.json")]).unwrap();
        second.stem_for("b");
        assert!(!dir.join("index.html").exists(), "a page about earlier answers");
        second.finish(true).unwrap();
        let there = |name: &str| dir.join(name).exists();
        assert!(there("a.itf.json") && !there("a.cert.json") && !there("obligations/a/init-1.smt2"));
        assert!(there("b.cert.json") && !there("c.cert.json") && there("mine.cert.json"));
        let (entries, _) = read_list(&dir.join(LIST));
        assert_eq!(entries.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert!(entries["a"].latest && !entries["b"].latest);
        let _ = std::fs::remove_dir_all(dir);
    }

    #[test]
    fn a_list_cannot_have_other_files_removed() {
        let dir = folder("forged");
        std::fs::create_dir_all(dir.join("inner")).unwrap();
        std::fs::write(dir.join("victim.cert.json"), "").unwrap();
        let names = ["../victim.cert.json", "/etc/passwd", "obligations/../../x.smt2", "model.gcl", ".cert.json"];
        let list = json!({"list_version": 1, "questions": [{"stem": "a", "question": "a", "model": "m", "files": names}],
            "page": ["../victim.cert.json"]});
        std::fs::write(dir.join("inner").join(LIST), list.to_string()).unwrap();
        let (entries, page) = read_list(&dir.join("inner").join(LIST));
        assert!(entries["a"].files.is_empty() && page.is_empty(), "{entries:?}");
        let mut folder = EvidenceFolder::open(&dir.join("inner"), "m", BTreeSet::new()).unwrap();
        folder.replace("a", "a", "true", &[]).unwrap();
        assert!(dir.join("victim.cert.json").exists());
        let _ = std::fs::remove_dir_all(dir);
    }

    #[test]
    fn a_name_that_is_asked_twice_has_two_stems() {
        let dir = folder("twice");
        let mut folder = EvidenceFolder::open(&dir, "m", BTreeSet::new()).unwrap();
        assert_eq!(["a", "a", "b"].map(|name| folder.stem_for(name)), ["a", "a~2", "b"]);
        let _ = std::fs::remove_dir_all(dir);
    }
}

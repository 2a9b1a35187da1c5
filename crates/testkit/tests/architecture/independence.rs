//! Do engines find answers without the code that checks them?
//!
//! A bug that the search and the kernel share gives a wrong answer with an accepted certificate. So engines may import from the kernel what is listed here, and nothing
//! else: data, words, and the check of a finished certificate; and long stretches of its text stand in no engine. Whoever writes certificates may have them drawn and decided by the kernel, after the answer was found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What any module of an engine may import from the kernel.
const ENGINES: [&str; 8] = [
    // What a certificate is about, and why it is refused.
    "Subject",
    "Rejection",
    // The check of a finished certificate.
    "check_certificate_of",
    "check_ranked_certificate",
    // What cells are called in certificates: texts, from which nothing follows.
    "vocabulary::NoTerm",
    "vocabulary::Vocabulary",
    // How a question is read, and what an obligation says, as data.
    "programs::question::Settings",
    "obligations::Obligation",
];

/// What modules that write certificates may import besides: the kernel draws what a proof is about, and decides its obligations.
const WRITERS: [&str; 13] = [
    "obligations::Drawn",
    "obligations::StructureReading",
    "obligations::ProofObligations",
    "programs::begins",
    "programs::fairness_fits",
    "programs::frame_for",
    "programs::graph::NoGraph",
    "programs::invariant_obligations",
    "programs::lines",
    "programs::question::Subject",
    "solve::Decided",
    "solve::Decider",
    "solve::decide",
];

/// The modules that write certificates of answers that were found before.
const WRITING: [&str; 3] = [
    "crates/cegar/src/structure_proof.rs",
    "crates/driver/src/program/counter_proof.rs",
    "crates/driver/src/program/proof.rs",
];

/// The kernel itself, its command, and tests.
const NO_ENGINES: [&str; 3] = ["certify", "kernel", "testkit"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All sources of engines, with their paths from the root.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for room in ["crates", "apps"] {
        for entry in fs::read_dir(root().join(room)).unwrap() {
            let folder = entry.unwrap().path();
            let is_engine = !NO_ENGINES.iter().any(|name| folder.ends_with(name));
            if is_engine && folder.join("src").is_dir() {
                below(&folder.join("src"), &mut found);
            }
        }
    }
    found
}

fn below(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The paths below `tertium_kernel` that a text names; lists in braces one by one. Comments do not count.
fn imported(text: &str) -> BTreeSet<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for (at, name) in code.match_indices("tertium_kernel") {
        let rest = &code[at + name.len()..];
        if let Some(rest) = rest.strip_prefix("::") {
            listed("", rest, &mut found);
        } else {
            // The whole crate, under another name.
            found.insert("*".to_owned());
        }
    }
    found
}

/// Reads what follows `tertium_kernel::`, and returns what comes after.
fn listed<'t>(before: &str, text: &'t str, found: &mut BTreeSet<String>) -> &'t str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = listed(before, rest, found).trim_start();
            match rest.strip_prefix(',') {
                Some(more) if more.trim_start().starts_with('}') => return &more.trim_start()[1..],
                Some(more) => rest = more,
                None => return rest.strip_prefix('}').unwrap_or(rest),
            }
        }
    }
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '*');
    let (name, mut rest) = text.split_at(end.unwrap_or(text.len()));
    let path = if before.is_empty() { name.to_owned() } else { format!("{before}::{name}") };
    let is_module = name.starts_with(|letter: char| letter.is_lowercase());
    if let Some(more) = rest.strip_prefix("::").filter(|_| is_module) {
        return listed(&path, more, found);
    }
    // Under another name it is the same thing.
    if let Some(more) = rest.trim_start().strip_prefix("as ") {
        rest = more.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
    }
    found.insert(if name == "self" { before.to_owned() } else { path });
    rest
}

#[test]
fn engines_import_data_words_and_the_check_of_certificates_only() {
    let mut users = BTreeSet::new();
    let mut used = BTreeSet::new();
    for (file, text) in sources() {
        let writes = WRITING.contains(&file.as_str());
        for path in imported(&text) {
            let may = ENGINES.contains(&path.as_str()) || (writes && WRITERS.contains(&path.as_str()));
            assert!(may, "{file} must not import tertium_kernel::{path}");
            used.insert(path);
            users.insert(file.clone());
        }
    }
    // A list that is longer than what is used invites to use more.
    for path in ENGINES.iter().chain(&WRITERS) {
        assert!(used.contains(*path), "nobody imports tertium_kernel::{path} any more; take it off the list");
    }
    for file in WRITING {
        assert!(users.contains(file), "{file} is said to write certificates");
    }
}

/// What writes certificates is called where answers are finished, not where they are searched for.
#[test]
fn no_search_asks_a_writer_of_certificates() {
    for (file, text) in sources().iter().filter(|(file, _)| file.starts_with("crates/cegar/")) {
        let is_writer = WRITING.contains(&file.as_str()) || file == "crates/cegar/src/lib.rs";
        assert!(is_writer || !text.contains("structure_proof"), "{file} asks a writer of certificates");
    }
}

#[test]
fn the_list_is_documented() {
    let text = fs::read_to_string(root().join("docs/kernel.md")).unwrap();
    for path in ENGINES.iter().chain(&WRITERS) {
        let name = path.rsplit("::").next().unwrap_or(path);
        assert!(text.contains(&format!("`{name}`")), "docs/kernel.md does not say who may use {path}");
    }
}

/// More lines on end must not be the same in the kernel and in an engine: what is copied has its bugs in both.
const MOST_SHARED: usize = 20;

/// The lines of a text that say something, trimmed: no comments, imports, attributes and lone signs.
fn telling(text: &str) -> Vec<&str> {
    let says = |line: &&str| {
        !["//", "use ", "#["].iter().any(|beginning| line.starts_with(beginning))
            && line.contains(|letter: char| letter.is_alphanumeric())
    };
    text.lines().map(str::trim).filter(says).collect()
}

/// The first stretch of more than `most` lines that stands in both texts, and where it begins in each.
fn shared_stretch(one: &[&str], other: &[&str], most: usize) -> Option<(usize, usize)> {
    let stretches: BTreeMap<&[&str], usize> = one.windows(most + 1).zip(0..).collect();
    other.windows(most + 1).enumerate().find_map(|(at, stretch)| Some((*stretches.get(stretch)?, at)))
}

#[test]
fn the_kernel_is_no_copy_of_an_engine() {
    let mut kernel = Vec::new();
    below(&root().join("crates/kernel/src"), &mut kernel);
    assert!(kernel.len() > 20, "only {} files of the kernel are read", kernel.len());
    let engines = sources();
    for (file, text) in &kernel {
        let lines = telling(text);
        for (engine, text) in &engines {
            if let Some((at, _)) = shared_stretch(&lines, &telling(text), MOST_SHARED) {
                panic!("{file} and {engine} share more than {MOST_SHARED} lines, from `{}` on", lines[at]);
            }
        }
    }
}

#[test]
fn shared_lines_are_found_whatever_stands_between() {
    let one = "use a;\nfn f() {\n    // Why.\n    let x = 1;\n    x\n}\n";
    let other = "fn g() {}\nfn f() {\n    let x = 1;\n\n    #[must]\n    x\n}\nfn h() {}\n";
    let (one, other) = (telling(one), telling(other));
    assert_eq!(one, ["fn f() {", "let x = 1;", "x"]);
    assert_eq!(shared_stretch(&one, &other, 2), Some((0, 1)));
    assert_eq!(shared_stretch(&one, &other, 3), None);
}

#[test]
fn imports_are_read_as_they_are_written() {
    let read = |text: &str| imported(text).into_iter().collect::<Vec<_>>();
    assert_eq!(read("use tertium_kernel::{Subject as Kind, check};"), ["Subject", "check"]);
    assert_eq!(
        read("use tertium_kernel::a::{\n    B,\n    c::{D, E},\n    self,\n};"),
        ["a", "a::B", "a::c::D", "a::c::E"]
    );
    assert_eq!(
        read("f(tertium_kernel::Subject::Graph, tertium_kernel::solve::decide(x))"),
        ["Subject", "solve::decide"]
    );
    assert_eq!(read("pub use tertium_kernel::x::*;"), ["x::*"]);
    assert_eq!(read("use tertium_kernel as other;"), ["*"]);
    assert!(read("//! [`tertium_kernel::Machine`]\n").is_empty());
}

//! Is the map in `docs/ARCHITECTURE.md` the truth?

#[path = "architecture/independence.rs"]
mod independence;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// One crate of the table: its level (none for a dev-dependency), its charter and what it may not do.
struct Row {
    level: Option<u32>,
    charter: String,
    may_not: String,
}

/// The rows of the crate table by folder name: `base`, …, `apps/tertium`.
fn table() -> BTreeMap<String, Row> {
    let text = read("docs/ARCHITECTURE.md");
    let mut rows = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [level, crates, charter, may_not] = cells[..] else { continue };
        if level == "level" {
            continue;
        }
        for name in crates.split(',').map(|name| name.trim().trim_matches('`').to_owned()) {
            let row = Row { level: level.parse().ok(), charter: charter.to_owned(), may_not: may_not.to_owned() };
            assert!(rows.insert(name.clone(), row).is_none(), "{name} has two rows");
        }
    }
    rows
}

/// The folders of the workspace that hold a package.
fn members() -> Vec<String> {
    let mut found = Vec::new();
    for room in ["crates", "apps"] {
        let Ok(entries) = fs::read_dir(root().join(room)) else { continue };
        for entry in entries {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if root().join(room).join(&name).join("Cargo.toml").exists() {
                found.push(if room == "crates" { name } else { format!("{room}/{name}") });
            }
        }
    }
    found.sort();
    found
}

fn folder(name: &str) -> PathBuf {
    if name.contains('/') { PathBuf::from(name) } else { Path::new("crates").join(name) }
}

/// The project's own packages that a manifest names in sections whose title `wanted` accepts.
fn own_dependencies(name: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in read(folder(name).join("Cargo.toml")).lines() {
        if let Some(title) = line.strip_prefix('[') {
            section = title.trim_end_matches(']').to_owned();
        } else if let Some(rest) = line.strip_prefix("tertium-").filter(|_| wanted(&section)) {
            found.push(rest.chars().take_while(|&letter| letter.is_ascii_alphanumeric() || letter == '_').collect());
        }
    }
    found
}

fn is_normal(section: &str) -> bool {
    section.ends_with("dependencies") && !section.ends_with("dev-dependencies")
}

#[test]
fn the_table_lists_exactly_the_crates_that_exist() {
    assert_eq!(table().into_keys().collect::<Vec<_>>(), members());
}

/// Members of the workspace outside `crates/` and `apps/`, and packages beside it, are rooms of their own.
#[test]
fn other_rooms_are_named() {
    let text = read("docs/ARCHITECTURE.md");
    let rooms = text.split("\nOther rooms:").nth(1).expect("a paragraph on other rooms");
    let rooms = rooms.split("\n\n").next().unwrap_or_default();
    for entry in fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let hidden = name.starts_with('.') || ["crates", "target"].contains(&name.as_str());
        if !hidden && root().join(&name).is_dir() {
            assert!(rooms.contains(&format!("`{name}/`")), "the room {name}/ is not on the map");
        }
    }
}

#[test]
fn every_row_says_what_the_crate_is_for_and_what_it_may_not_do() {
    for (name, row) in table() {
        assert!(row.charter.len() > 10 && row.may_not.len() > 5, "{name}");
    }
}

#[test]
fn crates_use_lower_levels_only() {
    let table = table();
    for user in members() {
        for used in own_dependencies(&user, is_normal) {
            let level = |name: &str| table[name].level;
            assert_ne!(used, "testkit", "{user} must not need testkit outside tests");
            if user != "testkit" {
                assert!(level(&used) < level(&user), "{user} must not use {used}");
            }
        }
    }
}

/// What both the solver's and the diagrams' engines begin with depends on neither.
#[test]
fn instantiation_imports_no_solver_and_no_diagram() {
    let used = own_dependencies("instantiate", is_normal);
    assert!(used.iter().all(|used| ["base", "program"].contains(&used.as_str())), "{used:?}");
}

#[test]
fn the_manifests_are_read_at_all() {
    assert!(own_dependencies("testkit", is_normal).contains(&"model".to_owned()));
    assert!(own_dependencies("lattice", |section| section == "dev-dependencies").contains(&"testkit".to_owned()));
    assert!(own_dependencies("lattice", is_normal).is_empty());
}

#[test]
fn packages_are_named_after_their_folders() {
    for name in members() {
        let expected = match name.strip_prefix("apps/") {
            Some(app) => app.to_owned(),
            None => format!("tertium-{name}"),
        };
        let manifest = read(folder(&name).join("Cargo.toml"));
        assert!(manifest.contains(&format!("name = \"{expected}\"")), "{name} should be package {expected}");
        assert!(manifest.contains("[lints]\nworkspace = true"), "{name} should take the workspace's lints");
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    for name in members() {
        let mut files = Vec::new();
        sources(&root().join(folder(&name)).join("src"), &mut files);
        assert!(!files.is_empty(), "{name}");
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.starts_with("//! "), "{} has no module doc", file.display());
        }
    }
}

/// Whoever has to scroll for long has lost the thread: a longer file holds more than one topic.
const MOST_LINES: usize = 500;

#[test]
fn no_file_is_too_long_to_be_read_at_once() {
    let mut files = Vec::new();
    for room in ["crates", "apps", "benches", "fuzz", "xtask"] {
        let room = root().join(room);
        if room.exists() {
            sources(&room, &mut files);
        }
    }
    assert!(files.len() > 500, "only {} files", files.len());
    files.retain(|file| !file.iter().any(|part| part == "target"));
    let lines = |file: &Path| fs::read_to_string(file).unwrap().lines().count();
    let long: Vec<_> = files.iter().filter(|file| lines(file) > MOST_LINES).collect();
    assert!(long.is_empty(), "more than {MOST_LINES} lines: {long:?}");
}

/// Every diagnostic code in the sources (tests left out) with the files that use it.
fn codes_in_sources() -> BTreeMap<String, Vec<PathBuf>> {
    let mut codes: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for name in members() {
        let mut files = Vec::new();
        sources(&root().join(folder(&name)).join("src"), &mut files);
        for file in files.into_iter().filter(|file| !file.ends_with("tests.rs")) {
            let text = fs::read_to_string(&file).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for piece in text.split('"').filter(|piece| is_code(piece)) {
                codes.entry(piece.to_owned()).or_default().push(file.clone());
            }
        }
    }
    codes
}

fn is_code(text: &str) -> bool {
    let number = text.strip_prefix(['E', 'W']);
    number.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[test]
fn the_soundness_page_names_tests_that_exist() {
    let text = read("docs/soundness.md");
    let mut folder = PathBuf::new();
    let mut named = 0;
    for name in text.split('`').skip(1).step_by(2).filter(|name| name.starts_with("crates/") || name.ends_with(".rs")) {
        let path = if name.starts_with("crates/") { PathBuf::from(name) } else { folder.join(name) };
        assert!(root().join(&path).exists(), "{} does not exist", path.display());
        folder = path.parent().map(Path::to_owned).unwrap_or_default();
        named += 1;
    }
    assert!(named > 20, "only {named} tests are named");
}

/// Two crates that use one code for different mistakes would make its explanation wrong.
#[test]
fn a_code_belongs_to_one_crate() {
    for (code, files) in codes_in_sources() {
        let crate_of = |file: &PathBuf| {
            let inside = file.strip_prefix(root()).unwrap().components().take(2).collect::<PathBuf>();
            // What is wrong with a certificate is said where it is read, and where it is checked.
            if inside == Path::new("crates/kernel") { PathBuf::from("crates/evidence") } else { inside }
        };
        assert!(files.iter().all(|file| crate_of(file) == crate_of(&files[0])), "{code} is used in {files:?}");
    }
}

#[test]
fn every_diagnostic_code_is_explained_and_every_explanation_used() {
    let text = read("docs/errors.md");
    let headings = text.lines().filter_map(|line| line.strip_prefix("### "));
    let explained: Vec<&str> = headings.filter_map(|line| line.split([' ', ':']).next()).collect();
    let used = codes_in_sources();
    for code in &explained {
        assert!(is_code(code), "`{code}` is no code");
        assert_eq!(explained.iter().filter(|other| *other == code).count(), 1, "{code} is explained twice");
        assert!(used.contains_key(*code), "{code} is explained in docs/errors.md, but nothing says it");
    }
    for (code, files) in &used {
        assert!(explained.contains(&code.as_str()), "{code} ({}) has no entry in docs/errors.md", files[0].display());
    }
}

//! Do the recipes in `CONTRIBUTING.md` name what is there?

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn page() -> String {
    fs::read_to_string(root().join("CONTRIBUTING.md")).expect("the page is there")
}

/// What stands between backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn paths_lead_somewhere() {
    let text = page();
    let links =
        text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|link| !link.starts_with('#'));
    let rooms = ["crates/", "apps/", "benches/", "corpus/", "docs/", "fuzz/"];
    let is_path = |word: &&str| rooms.iter().any(|room| word.starts_with(room)) && !word.contains("NAME");
    let paths: Vec<&str> = links.chain(quoted(&text).into_iter().filter(is_path)).collect();
    assert!(paths.len() > 20, "{paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "{path}");
    }
}

#[test]
fn commands_can_be_made() {
    let makefile = fs::read_to_string(root().join("Makefile")).expect("the makefile is there");
    let text = page();
    let commands: Vec<&str> = quoted(&text).into_iter().filter_map(|word| word.strip_prefix("make ")).collect();
    assert!(commands.len() > 5, "{commands:?}");
    for command in commands {
        let target = command.split(' ').next().unwrap_or_default();
        assert!(makefile.lines().any(|line| line.starts_with(&format!("{target}:"))), "make {command}");
    }
}

/// Every source of the workspace.
fn sources(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push_str(&fs::read_to_string(&path).unwrap_or_default());
        }
    }
}

#[test]
fn names_are_defined() {
    let mut code = String::new();
    ["crates", "apps"].iter().for_each(|room| sources(&root().join(room), &mut code));
    let text = page();
    let is_name = |word: &&str| {
        let last = word.rsplit("::").next().unwrap_or_default();
        word.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == ':')
            && (word.contains("::") || last.chars().next().is_some_and(char::is_uppercase))
            && !last.chars().all(|letter| letter.is_uppercase() || letter == '_' || letter.is_ascii_digit())
    };
    let names: Vec<&str> = quoted(&text).into_iter().filter(is_name).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let last = name.rsplit("::").next().unwrap_or_default();
        let kinds = ["struct", "enum", "trait", "fn", "const", "mod", "type"];
        let defined = kinds.iter().any(|kind| {
            let start = format!("{kind} {last}");
            code.match_indices(&start).any(|(at, _)| {
                code[at + start.len()..].chars().next().is_some_and(|next| !next.is_alphanumeric() && next != '_')
            })
        });
        assert!(defined, "`{name}`");
    }
}

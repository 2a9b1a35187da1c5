//! Is every dependency that a manifest names used by somebody?

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All packages of the workspace, and the one beside it.
fn packages() -> Vec<PathBuf> {
    let rooms = ["crates", "apps"].map(|room| fs::read_dir(root().join(room)).unwrap());
    let inside = rooms.into_iter().flatten().map(|entry| entry.unwrap().path());
    let beside = ["benches", "fuzz"].map(|name| root().join(name));
    inside.chain(beside).filter(|folder| folder.join("Cargo.toml").exists()).collect()
}

/// The names that a manifest gives in the sections whose titles are `wanted`.
fn named(manifest: &str, wanted: &str) -> Vec<String> {
    let mut is_wanted = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if let Some(title) = line.strip_prefix('[') {
            is_wanted = title.trim_end_matches(']').ends_with(wanted)
                && (wanted.starts_with("dev-") || !title.contains("dev-dependencies"));
        } else if let Some((name, _)) = line.split_once(['=', '.']).filter(|_| is_wanted) {
            found.push(name.trim().to_owned());
        }
    }
    found
}

/// The words of all sources below a folder, and of those elsewhere that they take for modules of theirs.
fn words(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            words(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = read(&path);
            let elsewhere = text.lines().filter_map(|line| line.strip_prefix("#[path = \"")?.strip_suffix("\"]"));
            elsewhere.for_each(|module| words_of(&read(&folder.join(module)), found));
            words_of(&text, found);
        }
    }
}

fn words_of(text: &str, found: &mut BTreeSet<String>) {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//!"));
    let letters = |letter: char| !letter.is_alphanumeric() && letter != '_';
    found.extend(code.flat_map(|line| line.split(letters)).map(str::to_owned));
}

#[test]
fn every_dependency_is_used() {
    let mut unused = Vec::new();
    for package in packages() {
        let manifest = read(&package.join("Cargo.toml"));
        let mut used = BTreeSet::new();
        ["src", "fuzz_targets"].iter().for_each(|room| words(&package.join(room), &mut used));
        for section in ["dependencies", "dev-dependencies"] {
            if section == "dev-dependencies" {
                words(&package.join("tests"), &mut used);
                // The example that the crate begins with is a test, too.
                let library = fs::read_to_string(package.join("src/lib.rs")).unwrap_or_default();
                let example = library.lines().filter_map(|line| line.strip_prefix("//! use "));
                example.for_each(|line| words_of(line, &mut used));
            }
            let missing = |name: &String| !used.contains(&name.replace('-', "_"));
            let names = named(&manifest, section).into_iter().filter(missing);
            unused.extend(names.map(|name| format!("{}: {name} in [{section}]", package.display())));
        }
    }
    assert!(unused.is_empty(), "nobody uses\n{}", unused.join("\n"));
}

#[test]
fn every_version_of_the_workspace_is_asked_for() {
    let asked: BTreeSet<String> = packages()
        .iter()
        .flat_map(|package| {
            let manifest = read(&package.join("Cargo.toml"));
            [named(&manifest, "dependencies"), named(&manifest, "dev-dependencies")].concat()
        })
        .collect();
    let given = named(&read(&root().join("Cargo.toml")), "workspace.dependencies");
    assert!(given.len() > 20, "{given:?}");
    let idle: Vec<&String> = given.iter().filter(|name| !asked.contains(*name)).collect();
    assert!(idle.is_empty(), "no package asks for {idle:?}");
}

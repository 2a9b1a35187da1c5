//! The copy of the sources that has the mutants. Files are written only where they differ, so that cargo builds only what changed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::Problem;
use super::schemata::{Sites, mutated};

/// What tests call the place for their files: many runs of one test go on at a time, so that each needs one of its own.
const PLACE: &str = "env!(\"CARGO_TARGET_TMPDIR\")";
const PLACE_OF_THE_RUN: &str = "{ &*::std::env::var(\"TERTIUM_MUTANT_FILES\").expect(\"a place for files\").leak() }";

/// Folders that hold no sources.
const LEFT_OUT: [&str; 2] = ["target", ".git"];

pub fn make(root: &Path, dir: &Path, sites: &Sites) -> Result<(), Problem> {
    let tree = dir.join("tree");
    let mut files = Vec::new();
    list(root, Path::new(""), &mut files).map_err(|error| format!("{}: {error}", root.display()))?;
    for file in &files {
        copy(root, &tree, file, sites).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    remove_others(&tree, &files.into_iter().collect()).map_err(|error| format!("{}: {error}", tree.display()))?;
    for (from, to) in [
        (root.join("target/z3"), tree.join("target/z3")),
        (root.join("target/z3"), dir.join("build/z3")),
        (root.join("../shared"), dir.join("shared")),
    ] {
        link(&from, &to).map_err(|error| format!("{}: {error}", to.display()))?;
    }
    Ok(())
}

/// All files below a folder, as paths from the root.
fn list(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() && !LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
            list(root, &path, files)?;
        } else if kind.is_file() && path != Path::new(".git") {
            files.push(path);
        }
    }
    Ok(())
}

fn copy(root: &Path, tree: &Path, file: &Path, sites: &Sites) -> std::io::Result<()> {
    let (mut content, to) = (fs::read(root.join(file))?, tree.join(file));
    let name = file.to_string_lossy();
    if let (Some(sites), Ok(text)) = (sites.get(name.as_ref()), str::from_utf8(&content)) {
        content = mutated(text, sites).into_bytes();
    } else if name.ends_with(".rs") && name.contains("/tests/") {
        content = String::from_utf8_lossy(&content).replace(PLACE, PLACE_OF_THE_RUN).into_bytes();
    }
    if fs::read(&to).is_ok_and(|there| there == content) {
        return Ok(());
    }
    fs::create_dir_all(to.parent().unwrap_or(tree))?;
    fs::write(to, content)
}

/// Files of an earlier copy that are no sources any more.
fn remove_others(tree: &Path, files: &BTreeSet<PathBuf>) -> std::io::Result<()> {
    let mut there = Vec::new();
    list(tree, Path::new(""), &mut there)?;
    for file in there.iter().filter(|file| !files.contains(*file) && *file != Path::new("Cargo.lock")) {
        fs::remove_file(tree.join(file))?;
    }
    Ok(())
}

/// What is no source is not copied: the solver's library, and models beside the project.
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.exists() && !to.exists() {
        fs::create_dir_all(to.parent().unwrap_or(to))?;
        std::os::unix::fs::symlink(from.canonicalize()?, to)?;
    }
    Ok(())
}

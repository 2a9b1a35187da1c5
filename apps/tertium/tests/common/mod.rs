//! The command as tests run it: somewhere, without progress lines, and what it said.
//!
//! Not here: conversations with the language server (`client`) and with a browser (`browser`).
#![allow(dead_code, reason = "every test uses its part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The project's folder: models are named from there.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The command with what every test wants: no colours, nothing to read, and no lines that depend on how fast it is.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tertium"));
    command.args(arguments).env("TERTIUM_PROGRESS", "off").env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// Runs the command in a folder.
#[track_caller]
pub fn tertium(folder: impl AsRef<Path>, arguments: &[&str]) -> Output {
    let output = command(arguments).current_dir(folder).output();
    output.unwrap_or_else(|error| panic!("tertium {arguments:?}: {error}"))
}

/// Runs the command in a folder with this text to read.
#[track_caller]
pub fn tertium_reading(folder: impl AsRef<Path>, arguments: &[&str], input: &str) -> Output {
    let mut command = command(arguments);
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("tertium {arguments:?}: {error}"));
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    assert!(matches!(written, Some(Ok(()))), "standard input is read");
    child.wait_with_output().unwrap_or_else(|error| panic!("{error}"))
}

/// An empty folder for the files of a test; names are the tests' own.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder
}

/// What it wrote to standard output.
pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What it wrote to standard error.
pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The document that it wrote.
#[track_caller]
pub fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", out(output), err(output)))
}

/// The values of the properties in a report of `check`, by their names.
#[track_caller]
pub fn values(report: &serde_json::Value) -> Vec<(String, String)> {
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let results = report["results"].as_array().unwrap_or_else(|| panic!("no results: {report}"));
    results.iter().map(|result| (word(&result["name"]), word(&result["value"]))).collect()
}

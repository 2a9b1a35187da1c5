//! The tests as programs: built once for all mutants, and listed, so that they can be run where there is no cargo.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Problem;
use super::catalogue::{Mutant, Tests};

/// A test program, and the folder that its tests expect to be in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Executable {
    pub package: String,
    pub target: String,
    pub program: PathBuf,
    pub folder: PathBuf,
}

/// Everything that is needed to run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    pub executables: Vec<Executable>,
    pub mutants: Vec<Mutant>,
}

impl Plan {
    pub fn read(path: &Path) -> Result<Plan, Problem> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    pub fn write(&self, path: &Path) -> Result<(), Problem> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The program that holds these tests.
    pub fn program(&self, tests: &Tests) -> Result<&Executable, Problem> {
        let is_it = |other: &&Executable| other.package == tests.package && other.target == tests.target;
        let none = || format!("no test program was built for `{} {}`", tests.package, tests.target);
        self.executables.iter().find(is_it).ok_or_else(none)
    }
}

/// One call of cargo for all test programs that these mutants need: several calls would build common crates with different features.
pub fn executables(dir: &Path, mutants: &[Mutant]) -> Result<Vec<Executable>, Problem> {
    let wanted = mutants.iter().flat_map(|mutant| &mutant.tests).collect::<Vec<_>>();
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["test", "--no-run", "--message-format", "json-render-diagnostics"]).args(selection(&wanted));
    command.current_dir(dir.join("tree")).env("CARGO_TARGET_DIR", dir.join("build"));
    // Nobody debugs these programs, and they may have to travel.
    command.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_PROFILE_DEV_STRIP", "symbols");
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err("the copy with the mutants does not build".to_owned());
    }
    let told = String::from_utf8_lossy(&output.stdout);
    let needed = |found: &Executable| wanted.iter().any(|tests| (&tests.package, &tests.target) == found.key());
    let found = told.lines().filter_map(executable).filter(needed).collect::<Vec<_>>();
    match wanted.iter().find(|tests| !found.iter().any(|other| other.key() == (&tests.package, &tests.target))) {
        Some(tests) => Err(format!("there is no test program `{} {}`", tests.package, tests.target)),
        None => Ok(found),
    }
}

impl Executable {
    fn key(&self) -> (&String, &String) {
        (&self.package, &self.target)
    }
}

/// Packages and targets as arguments for cargo.
fn selection(wanted: &[&Tests]) -> Vec<String> {
    let packages: BTreeSet<&str> = wanted.iter().map(|tests| tests.package.as_str()).collect();
    let targets: BTreeSet<&str> = wanted.iter().map(|tests| tests.target.as_str()).collect();
    let mut words = Vec::new();
    packages.into_iter().for_each(|package| words.extend(["-p".to_owned(), package.to_owned()]));
    for target in targets {
        match target {
            "lib" => words.push("--lib".to_owned()),
            _ => words.extend(["--test".to_owned(), target.to_owned()]),
        }
    }
    words
}

/// A line of cargo's that tells of a test program.
fn executable(line: &str) -> Option<Executable> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let program = message["executable"].as_str().filter(|_| is_test)?;
    let manifest = Path::new(message["manifest_path"].as_str()?);
    let target = match message["target"]["kind"][0].as_str()? {
        "test" => message["target"]["name"].as_str()?,
        _ => "lib",
    };
    let folder = manifest.parent()?.to_owned();
    Some(Executable { package: package(manifest)?, target: target.to_owned(), program: program.into(), folder })
}

/// The name that a manifest gives its package.
fn package(manifest: &Path) -> Option<String> {
    let text = fs::read_to_string(manifest).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("name = "))?;
    Some(line.trim_matches('"').to_owned())
}

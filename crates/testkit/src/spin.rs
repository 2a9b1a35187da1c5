//! Spin as an oracle: random formulas in its notation, and what its verifier says of them.
//!
//! Available where a `spin` and a C compiler are on the path. A verifier is made once for a model with any number of named formulas;
//! each formula is one short run of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Rng;

/// Whether this tool can be started.
#[must_use]
pub fn on_path(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
}

/// What compiles a verifier; it runs for a moment only, so the compiler that takes least time is best.
#[must_use]
pub fn compiler() -> Option<&'static str> {
    ["tcc", "gcc"].into_iter().find(|tool| on_path(tool))
}

/// Whether verifiers can be made.
#[must_use]
pub fn is_available() -> bool {
    on_path("spin") && compiler().is_some()
}

/// A random formula over `g1` in Spin's notation; `X` is left out, which Spin's other defaults would forbid.
#[must_use]
pub fn random_claim(rng: &mut Rng, depth: usize) -> String {
    let atoms = ["(g1 == 0)", "(g1 != 0)", "(g1 == 1)", "(g1 > 0)", "(g1 < 2)", "true"];
    if depth == 0 || rng.chance(15) {
        return atoms[rng.below(atoms.len())].to_owned();
    }
    let part = |rng: &mut Rng| random_claim(rng, depth - 1);
    match rng.below(9) {
        0 | 1 => format!("[] ({})", part(rng)),
        2 | 3 => format!("<> ({})", part(rng)),
        4 => format!("!({})", part(rng)),
        5 => format!("(({}) U ({}))", part(rng), part(rng)),
        6 => format!("(({}) V ({}))", part(rng), part(rng)),
        7 => format!("(({}) -> ({}))", part(rng), part(rng)),
        _ => format!("(({}) && ({}))", part(rng), part(rng)),
    }
}

/// A verifier of Spin's for a model, in a folder of its own that goes with it.
#[derive(Debug)]
pub struct Verifier(PathBuf);

impl Verifier {
    /// The verifier for this model; none if Spin makes none.
    ///
    /// # Panics
    /// If the folder cannot be written or the tools cannot be started.
    #[must_use]
    pub fn of(folder: PathBuf, text: &str) -> Option<Self> {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        fs::write(folder.join("model.pml"), text).expect("a file can be written");
        let verifier = Self(folder);
        verifier.run("spin", &["-o1", "-o2", "-o3", "-a", "model.pml"]);
        let flags = ["-O0", "-w", "-DNOREDUCE", "-DMEMLIM=512", "-o", "pan", "pan.c"];
        verifier.run(compiler().unwrap_or("gcc"), &flags);
        verifier.0.join("pan").exists().then_some(verifier)
    }

    /// Where the model lies.
    #[must_use]
    pub fn model(&self) -> PathBuf {
        self.folder().join("model.pml")
    }

    fn folder(&self) -> &Path {
        &self.0
    }

    fn run(&self, tool: &str, arguments: &[&str]) -> String {
        let output = Command::new(tool).args(arguments).current_dir(self.folder()).output();
        let output = output.expect("it can be started");
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    /// Whether the formula of this name holds; nothing if the search did not end. Meant for models whose steps never go wrong: an
    /// assertion that fails is taken for one of the claim's own.
    #[must_use]
    pub fn holds(&self, name: &str) -> Option<bool> {
        let output = self.run("timeout", &["900", "./pan", "-a", "-n", "-m20000", "-w18", "-N", name]);
        if ["acceptance cycle (", "claim violated", "assertion violated"].iter().any(|how| output.contains(how)) {
            return Some(false);
        }
        let ended = output.contains("errors: 0") && !output.contains("max search depth too small");
        (ended && !output.contains("Search not completed")).then_some(true)
    }
}

impl Drop for Verifier {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.folder());
    }
}

//! Does Spin say the same about random formulas of random models?
//!
//! Both are given the same text in the same test, if a `spin` and a C compiler are on the path. Models are left out whose steps
//! can go wrong, since Spin goes on where a run has ended for us, and those that count processes, since Spin counts its claim,
//! too. `make test-spin` runs many.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramAnswer, check, load};
use tertium_testkit::{Rng, for_random_cases, random_promela};

/// How many formulas a model gets.
const FORMULAS: usize = 3;

fn on_path(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
}

/// What compiles a verifier; it runs for a moment only, so the compiler that takes least time is best.
fn compiler() -> Option<&'static str> {
    ["tcc", "gcc"].into_iter().find(|tool| on_path(tool))
}

/// A formula in Spin's notation; `X` is left out, which Spin's other defaults would forbid.
fn formula(rng: &mut Rng, depth: usize) -> String {
    let atoms = ["(g1 == 0)", "(g1 != 0)", "(g1 == 1)", "(g1 > 0)", "(g1 < 2)", "true"];
    if depth == 0 || rng.chance(15) {
        return atoms[rng.below(atoms.len())].to_owned();
    }
    let part = |rng: &mut Rng| formula(rng, depth - 1);
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

/// A verifier of Spin's for a model; none if it makes none.
struct Verifier(PathBuf);

impl Verifier {
    fn of(folder: PathBuf, text: &str) -> Option<Self> {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        fs::write(folder.join("model.pml"), text).expect("a file can be written");
        let verifier = Self(folder);
        verifier.run("spin", &["-o1", "-o2", "-o3", "-a", "model.pml"]);
        let flags = ["-O0", "-w", "-DNOREDUCE", "-DMEMLIM=512", "-o", "pan", "pan.c"];
        verifier.run(compiler().unwrap_or("gcc"), &flags);
        verifier.0.join("pan").exists().then_some(verifier)
    }

    fn run(&self, tool: &str, arguments: &[&str]) -> String {
        let output = Command::new(tool).args(arguments).current_dir(&self.0).output().expect("it can be started");
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    /// Whether a formula holds; nothing if the search did not end.
    fn holds(&self, name: &str) -> Option<bool> {
        let output = self.run("timeout", &["20", "./pan", "-a", "-n", "-m20000", "-w18", "-N", name]);
        // Nothing else goes wrong in these models: an assertion that fails is one of the claim's own.
        if ["acceptance cycle (", "claim violated", "assertion violated"].iter().any(|how| output.contains(how)) {
            return Some(false);
        }
        let ended = output.contains("errors: 0") && !output.contains("max search depth too small");
        (ended && !output.contains("Search not completed")).then_some(true)
    }
}

impl Drop for Verifier {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What we say of the formulas; nothing if the model is too large, is refused, or goes wrong somewhere.
fn ours(path: &Path) -> Option<Vec<ProgramAnswer>> {
    let file = load(path, &[], None, &[]).ok()?;
    let asked = questions(&file, &[], false).expect("no names are asked for");
    let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
    let budget = Budget::unlimited().with_time(Some(Duration::from_secs(10)));
    let found = check(&file, &asked, &options, &budget, &()).unwrap_or_else(|failure| panic!("{failure:?}")).answers;
    let (formulas, mistakes): (Vec<_>, Vec<_>) = found.into_iter().partition(|answer| answer.name.starts_with("f_"));
    let fine = |answer: &ProgramAnswer| answer.value == Belnap::True || answer.name == "end-states";
    mistakes.iter().all(fine).then_some(formulas)
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn random_formulas_have_the_value_that_spin_finds() {
    if !on_path("spin") || compiler().is_none() {
        eprintln!("skipped: no spin and no C compiler on the path");
        return;
    }
    let (compared, violated) = (Cell::new(0), Cell::new(0));
    for_random_cases(15, |case| {
        let mut text = random_promela(&mut case.rng);
        if ["_nr_pr", "trace", "pc_value"].iter().any(|word| text.contains(word)) {
            return;
        }
        for number in 0..FORMULAS {
            text.push_str(&format!("ltl f_{number} {{ {} }}\n", formula(&mut case.rng, 3)));
        }
        case.keep("model.pml", text.clone());
        let folder = std::env::temp_dir().join(format!("tertium-ltl-{}-{}", std::process::id(), case.number));
        let Some(verifier) = Verifier::of(folder, &text) else { return };
        for answer in ours(&verifier.0.join("model.pml")).unwrap_or_default() {
            let value = match answer.value {
                Belnap::True => true,
                Belnap::False => false,
                _ => continue,
            };
            if let Some(theirs) = verifier.holds(&answer.name) {
                assert_eq!(value, theirs, "{}: left: ours, right: Spin's", answer.name);
                compared.set(compared.get() + 1);
                violated.set(violated.get() + usize::from(!value));
            }
        }
    });
    eprintln!("{} formulas compared, {} of them violated", compared.get(), violated.get());
    assert!(compared.get() > 5 && violated.get() > 0, "{} compared", compared.get());
}

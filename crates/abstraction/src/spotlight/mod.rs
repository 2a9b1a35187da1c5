//! Spotlight abstraction: what can be said about some processes of a program without looking closely at the others?
//!
//! After Schrieb, Wehrheim and Wonisch (2009), three-valued; names for unknown values (parameters) and mistakes of steps are added here.
//!
//! The processes in the *spotlight* keep their locations; of the data, predicates are kept, which may be unknown. All other
//! processes are *shade*: any of them may step at any moment, and whatever it could change becomes unknown ([`plain`]).
//! An unknown value may be given a name instead, a *parameter*, so that what depends on it stays related: labels are then
//! boolean functions of the parameters ([`label`]). [`explore`] visits all states, [`structure`] makes one structure
//! per assignment of the parameters, [`parameterised`] one over all of them.
//!
//! What a parameter means and when answers over all assignments hold of the program is said in `docs/soundness.md`; the
//! conditions are looked at by whoever combines the answers ([`SpotExplored::is_met_again`] is one of them). Not here:
//! choosing processes, predicates and parameters.

pub mod atoms;
pub mod explore;
pub mod label;
pub mod parameterised;
pub mod plain;
pub mod structure;
mod stuck;

use tertium_program::{LocationId, ProcessId, Program};

pub use atoms::{Standing, comparisons};
pub use explore::{Mover, SpotExplored, SpotStep};
pub use label::{Label, MOST_PARAMETERS};
pub use parameterised::ComplementaryBranch;
pub use plain::ShadeModel;
pub use structure::{SHADE, SpotShape};

/// A state: where the processes of the spotlight are, and what is known of each predicate.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpotState {
    /// One location per process of the spotlight.
    pub locations: Vec<LocationId>,
    /// One label per predicate.
    pub labels: Vec<Label>,
}

/// What a parameter stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// The value of this predicate, which no step of the program changes.
    Rigid(usize),
    /// The value of this predicate when this state is entered, where it was unknown.
    Site(SpotState, usize),
}

/// What is looked at closely.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spotlight {
    /// The processes.
    pub processes: Vec<ProcessId>,
    /// The parameters; at most [`MOST_PARAMETERS`].
    pub parameters: Vec<Parameter>,
}

impl Spotlight {
    /// These processes, no parameters.
    #[must_use]
    pub fn of(processes: Vec<ProcessId>) -> Self {
        Self { processes, parameters: Vec::new() }
    }

    /// Whether a process is looked at closely.
    #[must_use]
    pub fn holds(&self, process: ProcessId) -> bool {
        self.processes.contains(&process)
    }

    /// The processes in the shade.
    #[must_use]
    pub fn shade(&self, program: &Program) -> Vec<ProcessId> {
        program.process_ids().filter(|&process| !self.holds(process)).collect()
    }
}

/// The family that a process belongs to: its name without the number of the member.
#[must_use]
pub fn family(program: &Program, process: ProcessId) -> &str {
    let name = &program.process(process).name;
    name.split('[').next().unwrap_or(name)
}

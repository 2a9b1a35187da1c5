//! What does a program that embeds Tertium get back?

use std::time::Duration;

use tertium_driver::provenance::Provenance;
use tertium_driver::{Belnap, Located, Verdict};

/// What was found out about a model.
#[derive(Clone, Debug)]
pub struct Report {
    /// One result per property, in the order asked.
    pub results: Vec<PropertyReport>,
    /// Remarks about the model.
    pub warnings: Vec<Located>,
}

impl Report {
    /// The result of the property with this name.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<&PropertyReport> {
        self.results.iter().find(|result| result.name == name)
    }

    /// False if something is false, true if everything is true, else unknown.
    #[must_use]
    pub fn value(&self) -> Belnap {
        let of = |value: Belnap| self.results.iter().filter(move |result| result.verdict.value() == value);
        match () {
            () if of(Belnap::False).next().is_some() => Belnap::False,
            () if of(Belnap::True).count() == self.results.len() => Belnap::True,
            () => Belnap::Unknown,
        }
    }
}

/// What was found out about one property.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// The formula, or in words what every program is asked.
    pub formula: String,
    /// The logic's name; `safety` for what every program is asked.
    pub logic: &'static str,
    /// What was found out. An open verdict has its reasons in words.
    pub verdict: Verdict<Evidence, String>,
    /// The value as reports write it: over a user's lattice the element's name.
    pub value: String,
    /// What decided it, and how.
    pub provenance: Provenance,
    /// Whether it holds for a reason that says little.
    pub vacuous: bool,
    /// States that were looked at.
    pub states: usize,
    /// Remarks.
    pub warnings: Vec<String>,
    /// Wall-clock time; what several properties share is counted for the first of them.
    pub elapsed: Duration,
}

/// What shows a definite answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// A counterexample, or a witness of what exists.
    pub run: Option<Run>,
    /// A certificate, as text, if that was wanted and there is one.
    pub certificate: Option<String>,
}

/// A run, finite or with a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Its states in order, each with the step that led there.
    pub steps: Vec<RunStep>,
    /// The index of the step to which the last one returns, for ever.
    pub loop_start: Option<usize>,
    /// What goes wrong at its end, if something does.
    pub end: Option<String>,
}

/// One state of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunStep {
    /// The state's name; of a program its number.
    pub state: String,
    /// The values of variables and the places of processes, or the values of labels.
    pub values: Vec<(String, String)>,
    /// The process that stepped here.
    pub process: Option<String>,
    /// The statement that it took.
    pub statement: Option<String>,
    /// The line of that statement.
    pub line: Option<usize>,
}

//! What must be proved? What the user says, never what a certificate says.

use tertium_evidence::{Deadlock, LinearReading};
use tertium_logic::Logic;

/// Which questions must be proved, and how they are read. All of it comes from outside: a certificate supplies proofs only.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The names of the model's own questions that must be proved; none and nothing given: those that the certificate speaks of.
    pub only: Vec<String>,
    /// Further properties that must be proved: `FORMULA` or `NAME: FORMULA`.
    pub given: Vec<String>,
    /// The logic of properties that name none.
    pub logic: Option<Logic>,
    /// The state of a structure that is asked about; the initial ones if there is none.
    pub at: Option<String>,
    /// What deadlocks mean, if not what they mean by default.
    pub deadlock: Option<Deadlock>,
    /// How linear formulas are read, if not in the most precise sound way.
    pub linear: Option<LinearReading>,
    /// Whether every process is treated weakly fairly, whatever the text says of it.
    pub fair: bool,
    /// Values for macros and constants.
    pub defines: Vec<(String, String)>,
}

impl Request {
    /// Whether it says which questions it is about.
    #[must_use]
    pub fn names_questions(&self) -> bool {
        !self.only.is_empty() || !self.given.is_empty()
    }
}

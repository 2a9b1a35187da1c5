//! What became of a question.

use tertium_evidence::Proof;

use crate::checker::Assumption;

/// What was found out about one question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The name of the question.
    pub name: String,
    /// Its formula, as the model has it.
    pub formula: String,
    /// The logic of the formula, or the word for another kind of question.
    pub logic: &'static str,
    /// The value that is proved; empty if none is.
    pub value: String,
    /// The kind of proof.
    pub proof: &'static str,
    /// Under which reading, of which states, over what: what was proved in full.
    pub about: Vec<String>,
    /// How many obligations a solver decided.
    pub obligations: usize,
    /// Whether it was proved.
    pub verdict: Verdict,
}

/// Whether a question was proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It was.
    Proved,
    /// It holds under these assumptions, which nobody has shown.
    Assuming(Vec<Assumption>),
    /// It was not: this is wrong, or missing.
    Refused(String),
}

impl Finding {
    /// Whether the question is proved without any assumption.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.verdict == Verdict::Proved
    }

    /// Why it is not proved.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        if let Verdict::Refused(why) = &self.verdict { Some(why) } else { None }
    }
}

/// The word for a kind of proof in reports.
#[must_use]
pub const fn proof_word(proof: &Proof) -> &'static str {
    match proof {
        Proof::Lasso { cycle, .. } if cycle.is_empty() => "run",
        Proof::Lasso { .. } => "lasso",
        Proof::Claims(_) | Proof::Plays { .. } | Proof::Settled { .. } | Proof::Refuted(_) | Proof::Outplayed(_) => {
            "strategy"
        }
        Proof::NoPath | Proof::NoWord | Proof::Labels(_) => "certificate",
        Proof::Completions(_) => "completions",
    }
}

//! Which kinds of proof may prove which value? One closed table; what it does not list is refused.
//!
//! A structure stands for its completions. *Compositional* proofs follow the operators over certain and possible steps; they are right
//! for whatever is an abstraction of something. Proofs *about all completions* argue about everything that refines the structure; they
//! prove truth and falsity of a structure that a user wrote, and nothing else: a cut of a lattice is no structure with completions, an
//! instance of a family and the graph of a program have compositional proofs for all that is so, and of an abstraction nobody needs to know what else refines it.

use tertium_evidence::{LinearReading, Proof, Reading};
use tertium_lattice::Belnap;
use tertium_logic::Logic;

/// What a proof is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A structure with may and must that a user wrote.
    Structure {
        /// Whether something is certain there that is not possible.
        mixed: bool,
        /// Whether it has fairness constraints.
        fair: bool,
    },
    /// The cut of a lattice-valued structure.
    Cut,
    /// An instance of a parameterised structure.
    Instance,
    /// The graph of a program.
    Graph,
    /// A structure over abstract states of a program.
    Abstraction,
}

/// The kinds of proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofKind {
    /// A set of claims closed under the operators' rules.
    Claims,
    /// One path.
    Lasso,
    /// No possible path says the contrary.
    NoPath,
    /// A strategy over certain sets.
    Plays,
    /// Values of quantified sub-formulas.
    Labels,
    /// No word says the contrary, however labels are settled.
    NoWord,
    /// A strategy against whoever settles labels.
    Settled,
    /// No completion can meet the contrary, claim by claim.
    Refuted,
    /// No completion can meet the contrary, by a strategy.
    Outplayed,
    /// Two completions that disagree.
    Completions,
}

impl ProofKind {
    /// The kind of a proof.
    #[must_use]
    pub const fn of(proof: &Proof) -> Self {
        match proof {
            Proof::Claims(_) => Self::Claims,
            Proof::Lasso { .. } => Self::Lasso,
            Proof::NoPath => Self::NoPath,
            Proof::Plays { .. } => Self::Plays,
            Proof::Labels(_) => Self::Labels,
            Proof::NoWord => Self::NoWord,
            Proof::Settled { .. } => Self::Settled,
            Proof::Refuted(_) => Self::Refuted,
            Proof::Outplayed(_) => Self::Outplayed,
            Proof::Completions(_) => Self::Completions,
        }
    }

    /// Whether it argues about everything that refines a structure.
    #[must_use]
    pub const fn is_about_completions(self) -> bool {
        matches!(self, Self::NoWord | Self::Settled | Self::Refuted | Self::Outplayed | Self::Completions)
    }
}

/// The kinds of proof that may prove this value of a formula of this logic.
#[must_use]
pub fn permitted(subject: Subject, value: Belnap, logic: Logic, reading: Reading) -> Vec<ProofKind> {
    // What a user wrote has owners, and so has the game that the kernel writes out for a program; what they can enforce is proved by claims, or by a strategy.
    if logic.is_strategic() {
        let known = matches!(subject, Subject::Structure { fair: false, .. } | Subject::Graph);
        let definite = matches!(value, Belnap::True | Belnap::False);
        return if known && definite { vec![ProofKind::Claims, ProofKind::Plays] } else { Vec::new() };
    }
    match (subject, value) {
        (Subject::Structure { mixed, fair }, Belnap::True | Belnap::False) => {
            let mut kinds = compositional(value, logic);
            // Completions inherit no fairness, and have no open steps that another reading could weigh.
            if !fair && !mixed && reading.linear == LinearReading::Hyper {
                kinds.extend(about_completions(value, logic));
            }
            if !fair && mixed && reading.linear == LinearReading::Hyper {
                kinds.push(ProofKind::Outplayed);
            }
            kinds
        }
        (Subject::Structure { mixed: false, fair: false }, Belnap::Unknown)
            if reading.linear == LinearReading::Hyper =>
        {
            vec![ProofKind::Completions]
        }
        // That nothing refines a structure is so however it is read; the value that another reading gives is not about what refines it.
        (Subject::Structure { mixed: true, fair: false }, Belnap::Both) if reading.linear == LinearReading::Hyper => {
            vec![ProofKind::Outplayed]
        }
        (Subject::Cut, Belnap::True | Belnap::False) => match logic {
            Logic::Pml | Logic::Ctl | Logic::Mu => vec![ProofKind::Claims],
            // Nobody owns the states of a lattice-valued structure.
            Logic::Atl | Logic::AtlStar => Vec::new(),
            // A value of "on all paths" is cut along paths, so that each proof is that of a path, or of its absence. The other
            // readings weigh open steps, of which a lattice has none.
            Logic::Ltl | Logic::CtlStar if !matches!(reading.linear, LinearReading::Hyper | LinearReading::Bg) => {
                Vec::new()
            }
            Logic::Ltl if value == Belnap::True => vec![ProofKind::NoPath],
            Logic::Ltl => vec![ProofKind::Lasso],
            Logic::CtlStar => vec![ProofKind::Labels],
        },
        // Where runs go on, a formula about paths that has a form in CTL has the proofs of that.
        (Subject::Abstraction, Belnap::True | Belnap::False) if matches!(logic, Logic::CtlStar | Logic::Ltl) => {
            let mut kinds = compositional(value, logic);
            kinds.push(ProofKind::Claims);
            kinds
        }
        (Subject::Instance | Subject::Graph | Subject::Abstraction, Belnap::True | Belnap::False) => {
            compositional(value, logic)
        }
        _ => Vec::new(),
    }
}

fn compositional(value: Belnap, logic: Logic) -> Vec<ProofKind> {
    match (logic, value) {
        (Logic::Pml | Logic::Ctl | Logic::Mu, _) => vec![ProofKind::Claims],
        (Logic::Atl | Logic::AtlStar, _) => Vec::new(),
        (Logic::Ltl, Belnap::True) => vec![ProofKind::NoPath],
        (Logic::Ltl, _) => vec![ProofKind::Lasso, ProofKind::Plays, ProofKind::NoPath],
        (Logic::CtlStar, _) => vec![ProofKind::Labels],
    }
}

fn about_completions(value: Belnap, logic: Logic) -> Vec<ProofKind> {
    match (logic, value) {
        (Logic::Pml | Logic::Ctl | Logic::Mu, _) => vec![ProofKind::Refuted, ProofKind::Outplayed],
        (Logic::Ltl, Belnap::True) => vec![ProofKind::NoWord, ProofKind::Outplayed],
        (Logic::Ltl, _) => vec![ProofKind::Settled, ProofKind::Outplayed],
        (Logic::CtlStar, _) => vec![ProofKind::Outplayed],
        (Logic::Atl | Logic::AtlStar, _) => Vec::new(),
    }
}

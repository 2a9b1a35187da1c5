//! What is the value of a linear formula when the values of steps enter its operators?
//!
//! The readings that multiply the value of the step taken next into every operator that looks beyond it: into the
//! formula as it is written, or into the positive normal form of its negation. That value is one more atom, true of a certain
//! step and open for any other possible one, so it is read where a step is taken and not at a state: a transition of the automaton
//! that needs it goes along some of the possible steps only. All paths are possible ones. Read optimistically they
//! decide what is true, read pessimistically what is false; certain sets with several members count for nothing.

use tertium_dd::Relation;
use tertium_lattice::Belnap;
use tertium_logic::Formula;

use super::evaluate::Atoms;
use super::linear::{Automata, Fairness};
use super::structure::Structure;
use super::values::Pair;
use crate::automata::automaton::Literal;
use crate::automata::question::EdgeValues;
use crate::{EngineError, Filter};

/// Possible steps of one kind, by their value.
#[derive(Clone, Debug, Default)]
pub struct Graded {
    /// Those that surely are of the kind.
    pub counted: Relation,
    /// Those of them that are certain.
    pub certain: Relation,
    /// Those that may be of the kind and are not certain.
    pub open: Relation,
}

/// The values of steps, and what they are multiplied into.
#[derive(Clone, Debug)]
pub struct StepValues {
    /// Whether that is the positive normal form of the negation, instead of the formula as it is written.
    pub normalised: bool,
    /// For each kind of steps that paths are asked for, all steps among them.
    pub kinds: Vec<(Filter, Graded)>,
}

impl StepValues {
    /// How the values enter a formula.
    pub(super) fn entering(&self) -> EdgeValues {
        if self.normalised { EdgeValues::Negation } else { EdgeValues::Literal }
    }

    /// The steps of a kind that a transition with this need goes along, read pessimistically.
    pub(super) fn certain(&self, filter: Filter, need: Need) -> Option<&Relation> {
        let graded = self.graded(filter)?;
        match need {
            Need::Nothing => Some(&graded.counted),
            Need::True => Some(&graded.certain),
            Need::False => None,
        }
    }

    /// The steps of a kind that may be given the value false, which no certain one is.
    pub(super) fn open(&self, filter: Filter) -> Option<&Relation> {
        Some(&self.graded(filter)?.open)
    }

    fn graded(&self, filter: Filter) -> Option<&Graded> {
        self.kinds.iter().find(|(known, _)| *known == filter).map(|(_, graded)| graded)
    }
}

/// What a transition of the automaton asks of the value of the step it goes along.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Need {
    /// Nothing.
    Nothing,
    /// That it is true.
    True,
    /// That it is false, maybe besides being true.
    False,
}

impl Need {
    /// What the literals of a transition say about the atom with this number.
    pub fn of(cube: &[Literal], step: usize) -> Self {
        let has = |positive| cube.iter().any(|literal| literal.atom as usize == step && literal.positive == positive);
        match (has(true), has(false)) {
            (_, true) => Self::False,
            (true, false) => Self::True,
            (false, false) => Self::Nothing,
        }
    }
}

/// The value of a linear formula over all infinite fair paths, the values of steps inside its operators. `mixed` says that
/// labels may have evidence for true and be refuted, so that the two sides are independent.
///
/// # Errors
/// If a limit is reached, or the structure does not know the steps of its constraints.
pub fn stepwise_value(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    fairness: &Fairness,
    values: &StepValues,
    mixed: bool,
) -> Result<Pair, EngineError> {
    let breaking = Automata::breaking_stepwise(structure, formula, atoms, fairness, values)?;
    let possible = breaking.starts(false)?;
    let mut certain = breaking.starts(true)?;
    if !mixed && !atoms.elements.contains(&Belnap::Both) {
        certain = certain.and(&possible)?;
    }
    Ok(Pair { yes: possible.not(), open: certain.not() })
}

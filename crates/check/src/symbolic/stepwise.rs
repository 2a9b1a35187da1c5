//! What is the value of a linear formula when the values of steps enter its operators?
//!
//! The readings that multiply the value of the step taken next into every operator that looks beyond it: into the
//! formula as it is written, or into the positive normal form of its negation. That value is one more atom, true of a certain
//! step and open for any other possible one, so it is read where a step is taken and not at a state: a transition of the automaton
//! that needs it goes along some of the possible steps only. All paths are possible ones. Read optimistically they
//! decide what is true, read pessimistically what is false; certain sets with several members count for nothing.

use tertium_dd::TransitionRelation;
use tertium_lattice::Belnap;
use tertium_logic::Formula;

use super::evaluate::Atoms;
use super::linear::{Automata, Fairness};
use super::structure::Structure;
use super::values::Pair;
use crate::automata::automaton::Literal;
use crate::automata::question::EdgeValues;
use crate::{EngineError, Filter};

/// Possible steps, by their value.
#[derive(Clone, Debug, Default)]
pub struct Graded {
    /// Those that are certain.
    pub certain: TransitionRelation,
    /// Those of which it is open whether they can be taken.
    pub open: TransitionRelation,
}

/// Possible steps of one kind.
#[derive(Clone, Debug, Default)]
pub struct StepKind {
    /// Those that may be of the kind.
    pub perhaps: Graded,
    /// Those that surely are.
    pub surely: Graded,
}

impl StepKind {
    /// If there is no doubt which steps are of the kind.
    #[must_use]
    pub fn known(steps: Graded) -> Self {
        Self { perhaps: steps.clone(), surely: steps }
    }
}

/// The values of steps, and what they are multiplied into.
#[derive(Clone, Debug)]
pub struct StepValues {
    /// Whether that is the positive normal form of the negation, instead of the formula as it is written.
    pub normalised: bool,
    /// For each kind of steps that paths are asked for, all steps among them.
    pub kinds: Vec<(Filter, StepKind)>,
}

impl StepValues {
    /// How the values enter a formula.
    pub(super) fn entering(&self) -> EdgeValues {
        if self.normalised { EdgeValues::Negation } else { EdgeValues::Literal }
    }

    /// The steps of a kind that a transition with this need goes along: the certain ones and the others, each if it does.
    /// Read pessimistically a step counts for what it surely is; no step that is taken has the value false, but an open one
    /// may have it.
    pub(super) fn along(&self, filter: Filter, certain: bool, need: Need) -> [Option<&TransitionRelation>; 2] {
        let Some((_, kind)) = self.kinds.iter().find(|(known, _)| *known == filter) else { return [None, None] };
        let steps = if certain { &kind.surely } else { &kind.perhaps };
        match need {
            Need::True if certain => [Some(&steps.certain), None],
            Need::Nothing | Need::True => [Some(&steps.certain), Some(&steps.open)],
            Need::False if certain => [None, None],
            Need::False => [None, Some(&steps.open)],
        }
    }
}

/// What a transition of the automaton asks of the value of the step it goes along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

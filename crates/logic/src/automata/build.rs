//! Which automaton accepts the words of a formula of linear time?
//!
//! States are sets of obligations, found on the fly. Acceptance is on transitions, one mark for every `U` and
//! `F`: a run may put an eventuality off, but not for ever. Sets with the same ways on are one state (after
//! Couvreur, and Gastin and Oddoux).
//!
//! Not here: the plain construction that this one is tested against (`plain`).

use std::collections::HashMap;

use tertium_base::{Budget, StopReason, Stopped};

use super::acceptance::{OpenTransition, close};
use super::expand::{Expander, ExpansionBranch, Obligations, conjuncts};
use super::rewrite::rewrite;
use super::simulate::reduce;
use super::tgba::Tgba;
use crate::formula::{Formula, Node};
use crate::normal::positive_normal_form;

/// How a formula is translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Translation {
    /// Letters give every atom exactly one of truth and falsity; guards with `p` and `!p` are then dropped.
    pub classical: bool,
    /// Rewrite the formula first.
    pub rewrite: bool,
    /// Shrink the automaton afterwards by simulation.
    pub reduce: bool,
}

impl Default for Translation {
    /// Four-valued letters, with all reductions.
    fn default() -> Self {
        Self { classical: false, rewrite: true, reduce: true }
    }
}

/// Why there is no automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TranslationError {
    /// The formula has path quantifiers, modalities, fixpoints or lattice constants.
    NotLinear,
    /// A limit was reached.
    Stopped(Stopped),
}

impl From<Stopped> for TranslationError {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl std::fmt::Display for TranslationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotLinear => f.write_str("the formula is not one of linear time over atoms"),
            Self::Stopped(stopped) => stopped.fmt(f),
        }
    }
}

impl std::error::Error for TranslationError {}

/// The automaton of the words on which `formula`, or its negation if `negated`, has evidence of truth.
///
/// Atoms keep their ids. More than [`super::Marks::MOST`] marks end as a reached limit.
///
/// # Errors
/// If the formula is not of linear time, or the budget runs out.
pub fn ltl_to_tgba(
    formula: &Formula,
    negated: bool,
    options: Translation,
    budget: &Budget,
) -> Result<Tgba, TranslationError> {
    let mut normal = linear_normal_form(formula, negated)?;
    if options.rewrite {
        normal = rewrite(&normal);
    }
    let raw = explore(&normal, options.classical, budget)?;
    Ok(if options.reduce { reduce(&raw, budget)? } else { raw })
}

/// The positive normal form, if the formula is of linear time.
pub(crate) fn linear_normal_form(formula: &Formula, negated: bool) -> Result<Formula, TranslationError> {
    let normal = positive_normal_form(formula, negated);
    let linear = normal.nodes().iter().all(|node| {
        !matches!(
            node,
            Node::Element(_)
                | Node::Var(_)
                | Node::All(_)
                | Node::Exists(_)
                | Node::Coalition(..)
                | Node::Diamond(..)
                | Node::Box(..)
                | Node::Mu(..)
                | Node::Nu(..)
        )
    });
    if linear { Ok(normal) } else { Err(TranslationError::NotLinear) }
}

/// States found so far.
struct States {
    by_obligations: HashMap<Obligations, usize>,
    by_ways: HashMap<Vec<ExpansionBranch>, usize>,
    ways: Vec<Vec<ExpansionBranch>>,
}

impl States {
    /// The state for a set of obligations; sets that can be met in the same ways share one.
    fn state(&mut self, obligations: &Obligations, expander: &mut Expander<'_>) -> Result<usize, Stopped> {
        if let Some(&state) = self.by_obligations.get(obligations) {
            return Ok(state);
        }
        let needed = expander.without_repeated(obligations);
        if let Some(&state) = self.by_obligations.get(&needed) {
            self.by_obligations.insert(obligations.clone(), state);
            return Ok(state);
        }
        let ways = expander.ways(&needed)?;
        let state = match self.by_ways.get(&ways) {
            Some(&state) => state,
            None => {
                self.ways.push(ways.clone());
                self.by_ways.insert(ways, self.ways.len() - 1);
                self.ways.len() - 1
            }
        };
        self.by_obligations.insert(obligations.clone(), state);
        self.by_obligations.insert(needed, state);
        Ok(state)
    }
}

fn explore(normal: &Formula, classical: bool, budget: &Budget) -> Result<Tgba, Stopped> {
    let mut expander = Expander::new(normal, classical, budget);
    let mut states = States { by_obligations: HashMap::new(), by_ways: HashMap::new(), ways: Vec::new() };
    let initial = states.state(&conjuncts(normal, normal.root()), &mut expander)?;
    let mut open = Vec::new();
    while open.len() < states.ways.len() {
        budget.check()?;
        let ways = states.ways[open.len()].clone();
        let mut transitions = Vec::with_capacity(ways.len());
        for way in ways {
            transitions.push(OpenTransition {
                target: states.state(&way.next, &mut expander)?,
                guard: way.guard,
                postponed: way.postponed.iter().map(|node| node.number()).collect(),
            });
        }
        open.push(transitions);
    }
    let atoms = normal.atoms().iter().map(|atom| atom.text.clone()).collect();
    close(&open, initial, atoms).ok_or(Stopped(StopReason::Count))
}

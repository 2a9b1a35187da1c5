//! The abstraction as formulas over truth values, for whoever computes with sets of abstract states.
//!
//! The same steps as [`crate::assignments`], not as text: under which combinations of predicates an operation may be taken, whether
//! it then surely can, what each predicate becomes, and under which combinations nothing goes wrong. No abstract state is
//! ever listed, so the number of predicates may be large as long as few of them are related.

use std::collections::HashMap;

use tertium_program::ExprId;
use tertium_smt::{Term, TermId};

use crate::assignments::{Assignment, Cube};
use crate::expand::Failed;
use crate::system::{OperationId, System};

/// One operator of a formula over predicates; operands are positions before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TruthNode {
    /// Always or never.
    Constant(bool),
    /// The predicate with this number.
    Predicate(usize),
    /// Negation.
    Not(usize),
    /// All of these.
    All(Vec<usize>),
    /// Both or neither.
    Same(usize, usize),
    /// The second where the first holds, else the third.
    Choose(usize, usize, usize),
}

/// A formula over predicates: its nodes, operands first; the last one is the whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// The nodes.
    pub nodes: Vec<TruthNode>,
}

/// When an operation may be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Exactly under this formula.
    Exactly(Truth),
    /// Surely not under these cubes; nothing else is known.
    Except(Vec<Cube>),
}

/// An operation over truth values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TruthStep {
    /// The operation.
    pub operation: OperationId,
    /// When it may be taken without going wrong.
    pub guard: Guard,
    /// What changes; predicates that keep their value are left out.
    pub assignments: Vec<Assignment>,
    /// Where it surely does not go wrong.
    pub harmless: Vec<Cube>,
}

impl System {
    /// All operations over truth values.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn truth_program(&mut self) -> Result<Vec<TruthStep>, Failed> {
        self.operations.ids().map(|operation| self.truth_step(operation)).collect()
    }

    fn truth_step(&mut self, operation: OperationId) -> Result<TruthStep, Failed> {
        let relation = self.at_their_places(operation, self.operations[operation].relation);
        let guard = match self.exactly(relation) {
            Some(truth) => Guard::Exactly(truth),
            None => Guard::Except(self.never_cubes(relation)?),
        };
        let assignments = self.changes(operation, relation)?;
        let fault = self.at_its_place(operation, self.operations[operation].fault);
        let harmless = self.never_cubes(fault)?;
        Ok(TruthStep { operation, guard, assignments, harmless })
    }

    /// Where an expression has a value and is true, and where it has one and is false, as formulas over the predicates; none if
    /// they do not say it all.
    ///
    /// # Errors
    /// If it has no meaning as a term.
    pub fn truth_of(&mut self, expr: ExprId) -> Result<Option<(Truth, Truth)>, Failed> {
        let (yes, no) = (self.observed(expr, true)?, self.observed(expr, false)?);
        Ok(self.exactly(yes).zip(self.exactly(no)))
    }

    /// A term as a formula over the predicates, if it speaks of nothing else.
    pub(crate) fn exactly(&mut self, term: TermId) -> Option<Truth> {
        let (named, symbols) = self.named(term);
        if !self.is_named(named, &symbols) {
            return None;
        }
        let mut nodes: Vec<TruthNode> = Vec::new();
        let mut known: HashMap<TermId, usize> = HashMap::new();
        for id in self.terms.reachable(&[named]) {
            let node = match self.terms.get(id) {
                Term::Bool(value) => TruthNode::Constant(value),
                Term::Not(inner) => TruthNode::Not(known[&inner]),
                Term::And(list) => TruthNode::All(self.terms.list(list).iter().map(|part| known[part]).collect()),
                Term::Same(a, b) => TruthNode::Same(known[&a], known[&b]),
                Term::Ite(c, a, b) => TruthNode::Choose(known[&c], known[&a], known[&b]),
                Term::Symbol(_) => TruthNode::Predicate(symbols.iter().position(|&symbol| symbol == id)?),
                // A function of constants, or numbers that were not simplified: not a matter of predicates.
                _ => return None,
            };
            known.insert(id, nodes.len());
            nodes.push(node);
        }
        Some(Truth { nodes })
    }
}

//! What do all paths of a structure have in common? LTL and CTL* by automata.
//!
//! A linear formula becomes an automaton over independent literals; its product with the structure's
//! paths is searched twice: possible steps read optimistically decide what is true, certain steps read
//! pessimistically what is false. Readings that assume totality look for further refutations.
//!
//! Not here: CTL and the mu-calculus, which other engines decide without automata.

pub(crate) mod automaton;
pub(crate) mod determinise;
mod graph;
mod lasso;
mod letters;
mod paths;
mod plays;
mod product;
mod proofs;
pub(crate) mod question;
mod search;
mod star;
#[cfg(test)]
mod tableau;
pub(crate) mod translate;
mod vacuity;

use tertium_logic::{Logic, Node};

use crate::task::require_logic;
use crate::{Engine, EngineError, Task, Unsupported, Values};
use paths::{NAME, Paths};
use question::Questions;

pub use proofs::{linear_certificate, linear_open_question};
pub use vacuity::{antecedent_never_true, starts_fair_path};

/// The engine for LTL, under every reading, and CTL*.
#[derive(Clone, Copy, Debug, Default)]
pub struct AutomataEngine;

impl Engine for AutomataEngine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        require_logic(NAME, task.formula, &[Logic::Ltl, Logic::CtlStar])?;
        let decline = |reason: &str| Err(Unsupported { engine: NAME, reason: reason.to_owned() });
        let modal = |node: &Node| {
            matches!(node, Node::Diamond(..) | Node::Box(..) | Node::Var(_) | Node::Mu(..) | Node::Nu(..))
        };
        if task.formula.nodes().iter().any(modal) {
            return decline("modalities and fixpoints say nothing about a single path");
        }
        let quantified = |node: &Node| matches!(node, Node::All(_) | Node::Exists(_));
        if task.formula.logic() == Logic::Ltl && task.formula.nodes().iter().any(quantified) {
            return decline("an LTL formula has no path quantifiers");
        }
        Ok(())
    }

    fn values(&self, task: &Task<'_>) -> Result<Values, EngineError> {
        self.supports(task)?;
        if task.formula.logic() == Logic::CtlStar {
            return Ok(star::values(task)?.0);
        }
        let paths = Paths::new(task);
        let mut questions = linear_questions(task);
        let refuting = paths.exist(&mut questions, task.formula.root(), false, task.ask)?;
        Ok(star::falsity(refuting))
    }
}

/// The questions of an LTL formula: it has no quantified nodes.
fn linear_questions<'a>(task: &Task<'a>) -> Questions<'a> {
    let mut questions = Questions::new(task);
    for &node in task.formula.nodes() {
        questions.push(task, node, None);
    }
    questions
}

//! The reduction for checkers that know a single relation.
//!
//! Every state is doubled: one copy for those who come by the relation of `EX`, one for those who come by
//! that of `AX`. A fresh atom tells the copies apart, and the formula asks for the right one after every
//! step (`tertium_logic::relativise`). The formula grows by a constant factor.

use tertium_base::{BitSet, Stopped};
use tertium_evidence::Deadlock;
use tertium_lattice::TruthValue;
use tertium_logic::{AtomId, ElementId, Formula, MarkedSteps, Node, positive_normal_form, relativise};

use super::classical::{Ending, Modality, Run, evaluate};
use super::kmts_run::{Side, certain, literal, possible};
use super::relation::Relation;
use crate::{Engine, EngineError, Filter, Task, Unsupported, Values};

/// Two classical runs with a single relation each, on twice the states.
#[derive(Clone, Copy, Debug, Default)]
pub struct ActionBit;

impl Engine for ActionBit {
    fn name(&self) -> &'static str {
        "reduction-bit"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        super::supports(self.name(), task)?;
        let decline = |reason: &str| Err(Unsupported { engine: self.name(), reason: reason.to_owned() });
        if task.model.hyper_count() > 0 {
            return decline("a single relation cannot express hyper-must edges");
        }
        if task.model.total() || task.reading.deadlock == Deadlock::Total {
            return decline("totality makes sets of steps certain, which a single relation cannot express");
        }
        if task.reading.deadlock == Deadlock::Maximal {
            return decline("the single relation is not total, so it needs the deadlock convention `mu`");
        }
        let with_action = |node: &Node| matches!(node, Node::Diamond(Some(_), _) | Node::Box(Some(_), _));
        if task.formula.nodes().iter().any(with_action) {
            return decline("a single relation has no actions");
        }
        Ok(())
    }

    fn values(&self, task: &Task<'_>) -> Result<Values, EngineError> {
        self.supports(task)?;
        let (formula, bit) = translate(&positive_normal_form(task.formula, false));
        Ok(Values {
            for_true: run(task, &formula, bit, Side::Pessimistic)?,
            not_refuted: run(task, &formula, bit, Side::Optimistic)?,
        })
    }
}

/// State `s` has the copies `2 s` (by `EX`) and `2 s + 1` (by `AX`).
fn run(task: &Task<'_>, formula: &Formula, bit: AtomId, side: Side) -> Result<BitSet, Stopped> {
    let states = task.model.state_count();
    task.budget.reserve(task.model.edge_count() * 12 * size_of::<u32>())?;
    let (must, may) = (certain(task, Filter::Any), possible(task, Filter::Any));
    let (diamond, boxed) = if side == Side::Pessimistic { (must, may) } else { (may, must) };
    let relation = Relation::from_states(2 * states, |copy, add| {
        diamond.successors(copy / 2).iter().for_each(|&to| add(&[2 * to]));
        boxed.successors(copy / 2).iter().for_each(|&to| add(&[2 * to + 1]));
    });
    let literal = |atom: AtomId, positive: bool| {
        if atom == bit {
            return BitSet::from_fn(2 * states, |copy| copy.is_multiple_of(2) == positive);
        }
        let single = literal(task, side, atom, positive);
        BitSet::from_fn(2 * states, |copy| single.contains(copy / 2))
    };
    let constant = |element: ElementId, positive: bool| {
        let value = task.elements[element.index()];
        let value = if positive { value } else { value.not() };
        if side == Side::Pessimistic { value.for_true() } else { value.not_refuted() }
    };
    let modalities = vec![Modality { diamond: relation.clone(), boxed: relation }];
    let run = Run { states: 2 * states, literal: &literal, constant: &constant, modalities, ending: Ending::Never };
    let doubled = evaluate(formula, &run, task.budget)?;
    Ok(BitSet::from_fn(states, |state| doubled.contains(2 * state)))
}

/// The formula over doubled states, and the atom that tells the copies apart.
fn translate(formula: &Formula) -> (Formula, AtomId) {
    let name = (0..).map(|number| format!("by-diamond-{number}"));
    let unused = |name: &String| formula.atoms().iter().all(|atom| atom.text != *name);
    let mark = name.into_iter().find(unused).unwrap_or_default();
    (relativise(formula, &mark, MarkedSteps::ExistsOnly), AtomId::new(formula.atoms().len()))
}

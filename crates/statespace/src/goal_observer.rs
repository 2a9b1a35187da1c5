//! Looks at states for what they break.
//!
//! One observer for all goals of a search: which conditions a state breaks, whether their atoms had a value everywhere, and which implications
//! ever matter.

use std::sync::atomic::{AtomicBool, Ordering};

use tertium_cegar::answer::{ProgramAnswer, Vacuity};
use tertium_explore::search::{Finding, FindingPlace, Observer, Summary};
use tertium_load::questions::Mistake;
use tertium_logic::{Formula, NodeId};
use tertium_program::ExprId;
use tertium_structures::vacuity;
use tertium_trace::propositional;

use super::atom_values::{AtomEvaluator, AtomScratch};
use super::safety::Goal;
use super::space::Space;

/// A condition on states with what it takes to evaluate it.
pub(crate) struct Condition<'s, 'p> {
    formula: &'s Formula,
    root: NodeId,
    holds: bool,
    pub eyes: AtomEvaluator<'s, 'p>,
    /// Its implications.
    implications: Vec<Implication>,
}

/// `a -> b`, as a part of a condition.
struct Implication {
    node: NodeId,
    antecedent: NodeId,
    /// Whether the condition is broken somewhere if `!a` stands in its place. Otherwise `b` does not matter.
    matters: AtomicBool,
}

impl Condition<'_, '_> {
    /// Whether its atoms had no value somewhere, and which of its implications matter.
    fn remarks(&self) -> Vec<bool> {
        let matter = self.implications.iter().map(|implication| implication.matters.load(Ordering::Relaxed));
        std::iter::once(self.eyes.blurred()).chain(matter).collect()
    }

    fn absorb(&self, remarks: &mut dyn Iterator<Item = bool>) {
        if remarks.next() == Some(true) {
            self.eyes.blur();
        }
        for implication in &self.implications {
            if remarks.next() == Some(true) {
                implication.matters.store(true, Ordering::Relaxed);
            }
        }
    }

    pub fn warn_if_vacuous(&self, answer: &mut ProgramAnswer) {
        answer.vacuity = Vacuity::NotFound;
        for implication in self.implications.iter().filter(|implication| !implication.matters.load(Ordering::Relaxed)) {
            let text = self.formula.text_of(implication.antecedent, LONGEST_PART);
            answer.vacuity = Vacuity::Vacuous;
            answer.warnings.push(vacuity::never_matters(&text));
        }
    }
}

/// Longer sub-formulas in warnings are cut.
const LONGEST_PART: usize = 200;

/// Looks at states for all goals.
pub struct GoalObserver<'s, 'p> {
    pub(crate) conditions: Vec<Condition<'s, 'p>>,
    /// What is searched for: positions of conditions, and mistakes.
    pub(crate) wanted: Vec<WantedFinding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedFinding {
    Broken(usize),
    Mistake(Mistake),
}

impl GoalObserver<'_, '_> {
    /// What all conditions are made of: states with the same values of all of them break the same.
    #[must_use]
    pub fn atoms(&self) -> Vec<ExprId> {
        let mut atoms: Vec<ExprId> = self.conditions.iter().flat_map(|condition| condition.eyes.atoms()).collect();
        atoms.sort();
        atoms.dedup();
        atoms
    }
}

impl WantedFinding {
    fn matches(self, finding: &Finding) -> bool {
        match (self, finding) {
            (Self::Broken(wanted), Finding::Broken(found)) => wanted == *found,
            (Self::Mistake(Mistake::Deadlock | Mistake::EndState), Finding::Deadlock) => true,
            (Self::Mistake(mistake), Finding::Fault(fault)) => Mistake::of(&fault.kind) == Some(mistake),
            _ => false,
        }
    }

    /// The nearest place, and of those the least.
    pub fn found(self, summary: &Summary) -> Option<(&FindingPlace, &Finding)> {
        let found = summary.findings.iter().filter(|(finding, _)| self.matches(finding));
        found.map(|(finding, place)| (place, finding)).min()
    }
}

impl Observer for GoalObserver<'_, '_> {
    type Scratch = Vec<(AtomScratch, Vec<bool>, Vec<bool>)>;

    fn scratch(&self) -> Self::Scratch {
        self.conditions.iter().map(|condition| (condition.eyes.room(), Vec::new(), Vec::new())).collect()
    }

    fn look(&self, row: &[u32], scratch: &mut Self::Scratch, broken: &mut dyn FnMut(usize)) {
        for (at, (condition, (room, nodes, others))) in self.conditions.iter().zip(scratch).enumerate() {
            condition.eyes.look(row, room);
            if propositional::value(condition.formula, condition.root, &room.values, nodes) != condition.holds {
                broken(at);
            }
            for implication in &condition.implications {
                if !nodes[implication.antecedent.index()] || implication.matters.load(Ordering::Relaxed) {
                    continue;
                }
                let (formula, node) = (condition.formula, Some(implication.node));
                let without = propositional::value_without(formula, condition.root, &room.values, node, others);
                if without != condition.holds {
                    implication.matters.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    fn remarks(&self) -> Vec<u64> {
        self.conditions.iter().flat_map(Condition::remarks).map(u64::from).collect()
    }

    fn absorb(&self, remarks: &[u64]) {
        let mut remarks = remarks.iter().map(|&remark| remark != 0);
        self.conditions.iter().for_each(|condition| condition.absorb(&mut remarks));
    }

    fn is_enough(&self, summary: &Summary) -> bool {
        !self.wanted.is_empty() && self.wanted.iter().all(|wanted| wanted.found(summary).is_some())
    }
}

pub(crate) fn watcher<'s, 'p>(space: &'s Space<'p>, goals: &[Goal<'s>]) -> GoalObserver<'s, 'p> {
    let mut watcher = GoalObserver { conditions: Vec::new(), wanted: Vec::new() };
    for goal in goals {
        watcher.wanted.push(match goal {
            Goal::Never(never) => WantedFinding::Mistake(never.mistake),
            Goal::Invariant(asked) => {
                let (root, holds) = asked.invariant.unwrap_or((asked.formula.root(), true));
                let eyes = AtomEvaluator::new(&space.semantics, space.plain.packing(), &asked.atoms);
                let implications = (vacuity::implications(&asked.formula).into_iter())
                    .map(|(node, antecedent)| Implication { node, antecedent, matters: AtomicBool::new(false) })
                    .collect();
                watcher.conditions.push(Condition { formula: &asked.formula, root, holds, eyes, implications });
                WantedFinding::Broken(watcher.conditions.len() - 1)
            }
        });
    }
    watcher
}

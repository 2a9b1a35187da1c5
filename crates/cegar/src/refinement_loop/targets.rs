//! What must no reachable state be like?
//!
//! A question about single states as a condition on them: a property that one state breaks, a step that goes wrong, being
//! stuck. Other questions are about more than possible steps and are none of this.

use std::collections::{BTreeMap, HashMap};

use tertium_abstraction::{AbstractState, Failed, Operation, OperationId, System};
use tertium_logic::{Formula, Logic, Node, NodeId};
use tertium_program::{Fairness, LocationId, StepId};
use tertium_smt::{Reply, TermId};

use crate::options::CheckOptions;
use crate::predicate_abstraction::{Prepared, mistakes};
use tertium_load::questions::{Mistake, PropertyQuery, Question, QuestionId};
use tertium_structures::engines::EngineChoice;

/// What is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The question it belongs to.
    pub question: QuestionId,
    /// Which states break it.
    pub bad: BadStates,
}

/// The states that break something.
#[derive(Clone, Debug)]
pub(crate) enum BadStates {
    /// Those in which this may hold, and those in which it surely does. They differ where an atom has no value.
    Condition {
        /// Not surely good.
        may: TermId,
        /// Surely bad.
        sure: TermId,
    },
    /// Those from which one of these operations can go wrong.
    Fault(Vec<OperationId>),
    /// Those in which no process can step although not all are at their ends.
    Stuck,
}

/// How a state may be bad.
pub(crate) struct PossibleFault {
    /// The operation that goes wrong, if one does.
    pub(crate) operation: Option<OperationId>,
}

impl Target {
    /// The target of a question, if single states decide it.
    pub(crate) fn of(
        prepared: &mut Prepared,
        number: QuestionId,
        question: &Question,
        options: &CheckOptions,
    ) -> Result<Option<Self>, Failed> {
        let bad = match question {
            Question::Property(asked) if decided_by_states(prepared, asked, options) => condition(prepared, asked)?,
            Question::Never(asked) => never(&prepared.system, asked.mistake),
            Question::Property(_) | Question::Watched(_) => None,
        };
        Ok(bad.map(|bad| Self { question: number, bad }))
    }

    /// The terms that say where it is broken.
    pub(crate) fn conditions(&self, system: &System) -> Vec<TermId> {
        match &self.bad {
            BadStates::Condition { may, .. } => vec![*may],
            BadStates::Fault(operations) => operations.iter().map(|&operation| system.fault(operation)).collect(),
            BadStates::Stuck => Vec::new(),
        }
    }

    /// What must not happen at these locations: when, and by which operation if one goes wrong.
    pub(crate) fn unwanted(
        &self,
        system: &mut System,
        locations: &[LocationId],
        stuck: &mut HashMap<Vec<LocationId>, TermId>,
    ) -> Vec<(Option<OperationId>, TermId)> {
        match &self.bad {
            BadStates::Condition { may, .. } => vec![(None, *may)],
            BadStates::Stuck => vec![(None, stuck_at(system, locations, stuck))],
            BadStates::Fault(operations) => {
                let here = |&&operation: &&OperationId| {
                    let operation = &system.operations()[operation];
                    locations[operation.process.index()] == operation.source
                };
                operations.iter().filter(here).map(|&operation| (Some(operation), system.fault(operation))).collect()
            }
        }
    }

    /// Whether a state may be bad, and how.
    pub(crate) fn may_be_met(
        &self,
        system: &mut System,
        state: &AbstractState,
        stuck: &mut HashMap<Vec<LocationId>, TermId>,
    ) -> Result<Option<PossibleFault>, Failed> {
        match &self.bad {
            BadStates::Condition { may, .. } => {
                Ok((system.may_hold(state, *may)? != Reply::Unsat).then_some(PossibleFault { operation: None }))
            }
            BadStates::Stuck => {
                let term = stuck_at(system, &state.locations, stuck);
                Ok((system.may_hold(state, term)? != Reply::Unsat).then_some(PossibleFault { operation: None }))
            }
            BadStates::Fault(operations) => {
                for &operation in operations {
                    let (process, source) = {
                        let operation = &system.operations()[operation];
                        (operation.process, operation.source)
                    };
                    if state.locations[process.index()] == source
                        && system.may_hold(state, system.fault(operation))? != Reply::Unsat
                    {
                        return Ok(Some(PossibleFault { operation: Some(operation) }));
                    }
                }
                Ok(None)
            }
        }
    }

    /// What is wanted at the end of a path to a bad state: surely, and possibly.
    pub(crate) fn goals(
        &self,
        system: &mut System,
        locations: &[LocationId],
        operation: Option<OperationId>,
        stuck: &mut HashMap<Vec<LocationId>, TermId>,
    ) -> (TermId, TermId) {
        match (&self.bad, operation) {
            (BadStates::Condition { may, sure }, _) => (*sure, *may),
            (BadStates::Fault(_), Some(operation)) => (system.fault(operation), system.fault(operation)),
            (BadStates::Fault(_) | BadStates::Stuck, _) => {
                let term = stuck_at(system, locations, stuck);
                (term, term)
            }
        }
    }
}

/// In which program states of these locations nobody can step although not everyone may rest.
pub(super) fn stuck_at(
    system: &mut System,
    locations: &[LocationId],
    stuck: &mut HashMap<Vec<LocationId>, TermId>,
) -> TermId {
    if let Some(&known) = stuck.get(locations) {
        return known;
    }
    let term = system.stuck(locations);
    stuck.insert(locations.to_vec(), term);
    term
}

/// Whether a property is broken by single states, read as it is by default. Fairness leaves out paths, which only linear
/// properties of finite prefixes do not notice.
fn decided_by_states(prepared: &Prepared, asked: &PropertyQuery, options: &CheckOptions) -> bool {
    let program = prepared.system.program();
    let chosen = options.deadlock.is_some() || options.linear.is_some() || options.engine != EngineChoice::Auto;
    let fair = options.fair || program.processes.iter().any(|process| process.fairness != Fairness::None);
    asked.invariant.is_some() && !chosen && (asked.formula.logic() == Logic::Ltl || !fair)
}

fn condition(prepared: &mut Prepared, asked: &PropertyQuery) -> Result<Option<BadStates>, Failed> {
    let Some((root, holds)) = asked.invariant else { return Ok(None) };
    let mut atoms = Vec::new();
    for &atom in &asked.atoms {
        let atom = prepared.expr(atom);
        let pair = (prepared.system.condition(atom, true)?, prepared.system.condition(atom, false)?);
        if prepared.system.speaks_of_deadlock(pair.0) {
            return Ok(None);
        }
        atoms.push(pair);
    }
    let (surely, surely_not) = value(&mut prepared.system, &asked.formula, root, &atoms);
    let (terms, _) = prepared.system.asking();
    Ok(Some(if holds {
        BadStates::Condition { may: terms.not(surely), sure: surely_not }
    } else {
        BadStates::Condition { may: terms.not(surely_not), sure: surely }
    }))
}

/// Where a propositional part of a formula is surely true, and where surely false.
fn value(system: &mut System, formula: &Formula, root: NodeId, atoms: &[(TermId, TermId)]) -> (TermId, TermId) {
    let (terms, _) = system.asking();
    let (yes, no) = (terms.bool(true), terms.bool(false));
    let mut nodes: Vec<(TermId, TermId)> = Vec::new();
    for id in formula.node_ids().take(root.index() + 1) {
        let at = |node: NodeId| nodes[node.index()];
        let mut and = |a: (TermId, TermId), b: (TermId, TermId)| (terms.and(a.0, b.0), terms.or(a.1, b.1));
        let turned = |(a, b): (TermId, TermId)| (b, a);
        let pair = match formula.node(id) {
            Node::True => (yes, no),
            Node::Atom(atom) => atoms[atom.index()],
            Node::Not(a) => turned(at(a)),
            Node::And(a, b) => and(at(a), at(b)),
            Node::Or(a, b) => turned(and(turned(at(a)), turned(at(b)))),
            Node::Implies(a, b) => turned(and(at(a), turned(at(b)))),
            node @ (Node::Iff(a, b) | Node::Xor(a, b)) => {
                let both = and(at(a), at(b));
                let neither = and(turned(at(a)), turned(at(b)));
                let same = turned(and(turned(both), turned(neither)));
                if matches!(node, Node::Iff(..)) { same } else { turned(same) }
            }
            _ => (no, yes),
        };
        nodes.push(pair);
    }
    nodes[root.index()]
}

fn never(system: &System, mistake: Mistake) -> Option<BadStates> {
    match mistake {
        Mistake::Deadlock | Mistake::EndState => Some(BadStates::Stuck),
        // Blocks that could go round for ever are not abstracted at all.
        Mistake::EndlessAtomic => Some(BadStates::Fault(Vec::new())),
        Mistake::Trace => None,
        _ => {
            let mut known: BTreeMap<(bool, Vec<StepId>), bool> = BTreeMap::new();
            let wrong = |(number, operation): (OperationId, &Operation)| {
                let key = (operation.blocked, operation.steps.clone());
                let found =
                    *known.entry(key).or_insert_with(|| mistakes::may_make(system.program(), operation, mistake));
                found.then_some(number)
            };
            Some(BadStates::Fault(system.operations().with_ids().filter_map(wrong).collect()))
        }
    }
}

//! The nearest abstract path to a state that may break a property, as a tree (Saïdi 2000, figure 7).
//!
//! Beside each state of the path stand the other states that the same step may lead to: there a predicate is assigned a value that the
//! abstraction does not know, and the condition under which it becomes true before the step (its precondition) is what refinement would
//! add. A path without such branches, all of whose steps are certain, is a run of the program.

use std::collections::{BTreeSet, VecDeque};

use tertium_abstraction::{AbstractState, AbstractStep, Explored, OperationId, StructureOptions, System};
use tertium_base::Budget;
use tertium_lattice::{Belnap, Kleene};
use tertium_logic::{Formula, Node, NodeId};
use tertium_model::{Kmts, PropId, StateId};

use super::ProgramFile;
use super::predicate_abstraction::{Prepared, failed};
use super::questions::PropertyQuery;
use crate::failure::Failure;

/// A step of an error trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The statement, with its process and place; none for where it begins.
    pub statement: Option<String>,
    /// Whether every program state of the state before can take it to this one.
    pub certain: bool,
    /// Where the processes are.
    pub places: String,
    /// The predicates and kept values.
    pub values: String,
    /// The other states that the same step may lead to, by predicates and kept values.
    pub others: Vec<String>,
    /// Predicates that are assigned a value which is not known, each with its precondition.
    pub open: Vec<(String, String)>,
}

/// An error trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorTrace {
    /// The property's name.
    pub property: String,
    /// Its text.
    pub formula: String,
    /// The steps; the first one says where it begins.
    pub steps: Vec<TraceStep>,
}

impl ErrorTrace {
    /// Whether the trace is a run of the program: every step is certain, and so is what is broken at its end.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        self.steps.iter().all(|step| step.certain)
    }
}

/// The error traces of the properties that single states break, one for each that a reachable abstract state may break.
///
/// # Errors
/// If a limit is reached.
pub fn error_traces(
    file: &ProgramFile,
    prepared: &mut Prepared,
    explored: &Explored,
    asked: &[PropertyQuery],
    budget: &Budget,
) -> Result<Vec<ErrorTrace>, Failure> {
    let mut traces = Vec::new();
    for asked in asked {
        let (Some((condition, holds)), false) = (asked.invariant, asked.exists) else { continue };
        let atoms = prepared.atoms(asked);
        let system = &mut prepared.system;
        let structure = explored.structure(system, &atoms, &StructureOptions::default(), budget);
        let structure = structure.map_err(|why| failed(file, system.program(), why))?;
        let broken = |state: usize| value(&asked.formula, condition, &structure, state) != Kleene::from(holds);
        if let Some(path) = nearest(explored, &broken) {
            let steps = told(system, explored, &path);
            traces.push(ErrorTrace { property: asked.name.clone(), formula: asked.formula.text(), steps });
        }
    }
    Ok(traces)
}

/// The value of a condition at a state.
fn value(formula: &Formula, condition: NodeId, structure: &Kmts, state: usize) -> Kleene {
    let mut values: std::collections::HashMap<NodeId, Kleene> = std::collections::HashMap::new();
    for id in formula.node_ids() {
        let part = |node: NodeId| values.get(&node).copied().unwrap_or(Kleene::Unknown);
        let both = |a: Kleene, b: Kleene| match (a, b) {
            (Kleene::False, _) | (_, Kleene::False) => Kleene::False,
            (Kleene::True, Kleene::True) => Kleene::True,
            _ => Kleene::Unknown,
        };
        let either = |a: Kleene, b: Kleene| negated(both(negated(a), negated(b)));
        let same = |a: Kleene, b: Kleene| either(both(a, b), both(negated(a), negated(b)));
        let found = match formula.node(id) {
            Node::True => Kleene::True,
            Node::False => Kleene::False,
            Node::Atom(atom) => {
                let label = structure.label(StateId::new(state), PropId::new(atom.index()));
                match label {
                    Belnap::True => Kleene::True,
                    Belnap::False => Kleene::False,
                    Belnap::Unknown | Belnap::Both => Kleene::Unknown,
                }
            }
            Node::Not(a) => negated(part(a)),
            Node::And(a, b) => both(part(a), part(b)),
            Node::Or(a, b) => either(part(a), part(b)),
            Node::Implies(a, b) => either(negated(part(a)), part(b)),
            Node::Iff(a, b) => same(part(a), part(b)),
            Node::Xor(a, b) => negated(same(part(a), part(b))),
            _ => Kleene::Unknown,
        };
        values.insert(id, found);
    }
    values.get(&condition).copied().unwrap_or(Kleene::Unknown)
}

const fn negated(value: Kleene) -> Kleene {
    match value {
        Kleene::True => Kleene::False,
        Kleene::False => Kleene::True,
        Kleene::Unknown => Kleene::Unknown,
    }
}

/// A state of a path, with the state before and the number of the step there; none for the first.
type Position = (usize, Option<(usize, usize)>);

/// A shortest path by possible steps to a state that may be broken.
fn nearest(explored: &Explored, broken: &dyn Fn(usize) -> bool) -> Option<Vec<Position>> {
    let mut before: Vec<Option<Option<(usize, usize)>>> = vec![None; explored.states.len()];
    let mut open: VecDeque<usize> = VecDeque::new();
    for &(number, _) in &explored.initial {
        if before[number].is_none() {
            before[number] = Some(None);
            open.push_back(number);
        }
    }
    while let Some(number) = open.pop_front() {
        if broken(number) {
            let (mut at, mut path) = (number, Vec::new());
            while let Some(earlier) = before[at].flatten() {
                path.push((at, Some(earlier)));
                at = earlier.0;
            }
            path.push((at, None));
            path.reverse();
            return Some(path);
        }
        for (at, step) in explored.expansions[number].steps.iter().enumerate().filter(|(_, step)| step.may) {
            if let Some(target) = explored.find(&step.target)
                && before[target].is_none()
            {
                before[target] = Some(Some((number, at)));
                open.push_back(target);
            }
        }
    }
    None
}

fn told(system: &mut System, explored: &Explored, path: &[Position]) -> Vec<TraceStep> {
    let mut steps = Vec::new();
    for &(number, from) in path {
        let state = &explored.states[number];
        let mut step = TraceStep {
            statement: None,
            certain: explored.initial.iter().any(|&(initial, certain)| initial == number && certain),
            places: system.locations_in_words(&state.locations),
            values: marked(state),
            others: Vec::new(),
            open: Vec::new(),
        };
        if let Some((before, at)) = from {
            let taken = &explored.expansions[before].steps[at];
            step.certain = taken.must;
            let siblings = siblings(&explored.expansions[before].steps, taken);
            step.others = siblings.iter().map(|other| marked(&other.target)).collect();
            let operation = operation_of(system, &explored.states[before], taken);
            step.statement = operation.map(|operation| system.operation_name(operation));
            let differs = |at: usize| siblings.iter().any(|other| other.target.cube[at] != state.cube[at]);
            let open: Vec<usize> = (0..state.cube.len()).filter(|&at| differs(at)).collect();
            if let Some(operation) = operation {
                step.open = open.into_iter().map(|at| precondition(system, operation, at)).collect();
            }
        }
        steps.push(step);
    }
    steps
}

/// `B1 !B2`, and the kept values are part of the places' line.
fn marked(state: &AbstractState) -> String {
    let literal = |(at, value): (usize, &Kleene)| match value {
        Kleene::True => format!("B{}", at + 1),
        Kleene::False => format!("!B{}", at + 1),
        Kleene::Unknown => format!("B{}=?", at + 1),
    };
    let kept = state.kept.iter().map(ToString::to_string);
    state.cube.iter().enumerate().map(literal).chain(kept).collect::<Vec<_>>().join(" ")
}

/// Other targets of the same process between the same locations.
fn siblings<'a>(steps: &'a [AbstractStep], taken: &AbstractStep) -> Vec<&'a AbstractStep> {
    let mut seen: BTreeSet<&AbstractState> = BTreeSet::new();
    let same = |step: &&AbstractStep| {
        step.may
            && step.process == taken.process
            && step.target != taken.target
            && step.target.locations == taken.target.locations
    };
    steps.iter().filter(same).filter(|step| seen.insert(&step.target)).collect()
}

fn operation_of(system: &System, before: &AbstractState, taken: &AbstractStep) -> Option<OperationId> {
    let at = taken.process.index();
    let (from, to) = (before.locations[at], taken.target.locations[at]);
    system.in_order().into_iter().find(|&operation| {
        let found = &system.operations()[operation];
        found.process == taken.process && found.source == from && found.target == to
    })
}

/// A predicate and the condition under which it holds after an operation.
fn precondition(system: &mut System, operation: OperationId, predicate: usize) -> (String, String) {
    let expr = system.predicates()[predicate].expr;
    let terms = system.operations()[operation].terms.clone();
    let before = system.program_mut().after(&terms, expr);
    (format!("B{}", predicate + 1), system.program().show(before))
}

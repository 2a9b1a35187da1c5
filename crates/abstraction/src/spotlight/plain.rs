//! What follows from a state in which every predicate is true, false or unknown?
//!
//! A step of a process in the spotlight leads to one state: a predicate is true afterwards if what is known before,
//! together with the step's guard, says so. The step is certain if what is known implies its guard. If several steps of
//! one process are certain together, though none is alone, one of their targets is certain.
//!
//! A step of the shade is never certain. A predicate keeps its value if every step of the process, wherever it is,
//! provably keeps it. What cells of arrays hold wherever a process is at a location is known of the spotlight where it is, and of the shade where it steps
//! from. Where the solver gives up, less is known.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use tertium_lattice::Kleene;
use tertium_program::{ExprId, LocationId, ProcessId};
use tertium_smt::{Purpose, Reply, TermId};

use super::Spotlight;
use crate::choices::Closed;
use crate::expand::Failed;
use crate::system::{OperationId, System};
use crate::view::View;

/// A step of a process in the spotlight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainStep {
    /// Which.
    pub operation: OperationId,
    /// Whether every program state can take it.
    pub must: bool,
    /// The predicates afterwards.
    pub cube: Vec<Kleene>,
}

/// How closely the steps of the shade are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ShadeModel {
    /// A predicate keeps its value where every step of the process provably keeps it.
    #[default]
    Effects,
    /// A predicate keeps its value where no step of the process writes to it: coarser, without questions to the solver.
    Havoc,
    /// Nothing of the shade steps. That is a part of the runs: what some run breaks is broken, no more.
    AtRest,
}

/// For each process of the shade the predicates whose values it may change; none if it surely cannot step.
pub type Effects = Vec<(ProcessId, Option<Vec<bool>>)>;

/// Locations and predicates that a result belongs to.
type Key = (Vec<LocationId>, Vec<Kleene>);

/// What follows from a state without parameters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plain {
    /// Possible steps of the spotlight.
    pub steps: Vec<PlainStep>,
    /// Sets of operations of one process that are certain together, though none is alone; as positions in `steps`.
    pub joint: Vec<(ProcessId, Vec<usize>)>,
    /// Whether some program state may have no step.
    pub may_stop: bool,
    /// For each process of the spotlight whether it may be unable to step.
    pub may_rest: Vec<bool>,
    /// For each process of the spotlight whether it surely is.
    pub rests: Vec<bool>,
    /// What the shade may change.
    pub shade: Rc<Effects>,
}

/// A step of the shade, made ready.
#[derive(Clone, Debug)]
struct ShadeStep {
    operation: OperationId,
    relation: TermId,
    /// Where its process is.
    place: TermId,
    /// What holds there.
    facts: Vec<TermId>,
    /// The predicates it writes to.
    touches: Vec<usize>,
}

/// What spotlight abstraction needs to know of a program beforehand, and what it has found out.
#[derive(Debug)]
pub struct Lit {
    processes: Vec<ProcessId>,
    model: ShadeModel,
    shade: Vec<(ProcessId, Vec<ShadeStep>)>,
    /// Positions in the spotlight of processes whose location the shade, or a predicate, looks at.
    watched: Vec<usize>,
    plain: HashMap<Key, Rc<Plain>>,
    effects: HashMap<Key, Rc<Effects>>,
    labels: HashMap<(Vec<LocationId>, Vec<Kleene>, ExprId, bool), Kleene>,
}

impl Lit {
    /// Prepares a program for a spotlight.
    #[must_use]
    pub fn new(system: &mut System, spotlight: &Spotlight, model: ShadeModel) -> Self {
        let mut lit = Self {
            processes: spotlight.processes.clone(),
            model,
            shade: Vec::new(),
            watched: Vec::new(),
            plain: HashMap::new(),
            effects: HashMap::new(),
            labels: HashMap::new(),
        };
        let program = system.program.clone();
        let shade = if model == ShadeModel::AtRest { Vec::new() } else { spotlight.shade(&program) };
        for process in shade {
            let steps = lit.shade_steps(system, process);
            lit.shade.push((process, steps));
        }
        lit.watched = lit.watched_positions(system);
        lit
    }

    fn shade_steps(&self, system: &mut System, process: ProcessId) -> Vec<ShadeStep> {
        let operations: Vec<OperationId> = system.leaving[process.index()].iter().flatten().copied().collect();
        let counter = system.translator.counter(process);
        let mut steps = Vec::new();
        for operation in operations {
            let source = system.operations[operation].source;
            let here = system.terms.int(source.index() as i128);
            let relation = system.operations[operation].relation;
            let relation = system.terms.substitute(relation, &HashMap::from([(counter, here)]));
            let place = system.terms.eq(counter, here);
            let mut touches = Vec::new();
            for at in 0..system.predicate_terms.len() {
                let before = system.predicate_terms[at];
                if system.after(operation, before) != before {
                    touches.push(at);
                }
            }
            let facts = system.cell_facts(process, source);
            let placed = HashMap::from([(counter, here)]);
            let facts = facts.into_iter().map(|fact| system.terms.substitute(fact, &placed)).collect();
            steps.push(ShadeStep { operation, relation, place, facts, touches });
        }
        steps
    }

    fn watched_positions(&self, system: &mut System) -> Vec<usize> {
        let mut looked_at: BTreeSet<u64> = BTreeSet::new();
        let mut terms = system.predicate_terms.clone();
        for step in self.shade.iter().flat_map(|(_, steps)| steps) {
            terms.push(step.relation);
            for &at in &step.touches {
                terms.push(system.after(step.operation, system.predicate_terms[at]));
            }
        }
        for term in terms {
            looked_at.extend(system.support(term).iter());
        }
        let is_watched = |system: &mut System, process: ProcessId| {
            let counter = system.translator.counter(process);
            // What holds at its locations is known to the shade, too.
            system.has_cell_facts(process) || !system.support(counter).is_disjoint(&looked_at)
        };
        let positions = 0..self.processes.len();
        positions.filter(|&position| is_watched(system, self.processes[position])).collect()
    }

    fn view(&self, system: &mut System, locations: &[LocationId], cube: &[Kleene]) -> View {
        let mut concrete = HashMap::new();
        for (&process, &location) in self.processes.iter().zip(locations) {
            let here = system.terms.int(i128::from(location.number()));
            concrete.insert(system.translator.counter(process), here);
        }
        let mut view = system.facts(concrete, cube);
        for (&process, &location) in self.processes.iter().zip(locations) {
            let facts = system.cell_facts(process, location);
            system.note_all(facts, &mut view);
        }
        view
    }

    /// What follows.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn expand(
        &mut self,
        system: &mut System,
        locations: &[LocationId],
        cube: &[Kleene],
    ) -> Result<Rc<Plain>, Failed> {
        let key = (locations.to_vec(), cube.to_vec());
        if let Some(known) = self.plain.get(&key) {
            return Ok(Rc::clone(known));
        }
        let view = self.view(system, locations, cube);
        let mut found = Plain::default();
        let mut all: Vec<Closed> = Vec::new();
        for (&process, &location) in self.processes.iter().zip(locations) {
            let first = found.steps.len();
            let mut ways: Vec<Closed> = Vec::new();
            for operation in system.leaving[process.index()][location.index()].clone() {
                if let Some((step, closed)) = spotlight_step(system, &view, operation)? {
                    found.steps.push(step);
                    ways.push(closed);
                }
            }
            let alone = found.steps[first..].iter().any(|step| step.must);
            let together = alone || (!ways.is_empty() && system.surely(&view, &ways)?);
            if together && !alone {
                let members = smallest(system, &view, &ways)?;
                found.joint.push((process, members.into_iter().map(|at| first + at).collect()));
            }
            found.may_rest.push(!together);
            found.rests.push(ways.is_empty());
            all.extend(ways);
        }
        found.may_stop =
            found.may_rest.iter().all(|&rests| rests) && (all.is_empty() || !system.surely(&view, &all)?);
        found.shade = self.effects(system, &view, locations, cube)?;
        let found = Rc::new(found);
        self.plain.insert(key, Rc::clone(&found));
        Ok(found)
    }

    /// What each process of the shade may change.
    fn effects(
        &mut self,
        system: &mut System,
        view: &View,
        locations: &[LocationId],
        cube: &[Kleene],
    ) -> Result<Rc<Effects>, Failed> {
        let key = (self.watched.iter().map(|&at| locations[at]).collect::<Vec<_>>(), cube.to_vec());
        if let Some(known) = self.effects.get(&key) {
            return Ok(Rc::clone(known));
        }
        let mut found = Vec::new();
        for (process, steps) in &self.shade {
            let (mut changed, mut possible) = (vec![false; cube.len()], false);
            for step in steps {
                if self.model == ShadeModel::Havoc {
                    step.touches.iter().for_each(|&at| changed[at] = true);
                    possible = true;
                } else {
                    possible |= shade_step(system, view, step, cube, &mut changed)?;
                }
            }
            found.push((*process, possible.then_some(changed)));
        }
        let found = Rc::new(found);
        self.effects.insert(key, Rc::clone(&found));
        Ok(found)
    }

    /// The value of an expression: what all program states that the state stands for agree on.
    ///
    /// # Errors
    /// If a limit is reached, or the expression has no term.
    pub fn label(
        &mut self,
        system: &mut System,
        locations: &[LocationId],
        cube: &[Kleene],
        (expr, may_stop): (ExprId, bool),
    ) -> Result<Kleene, Failed> {
        let key = (locations.to_vec(), cube.to_vec(), expr, may_stop);
        if let Some(&known) = self.labels.get(&key) {
            return Ok(known);
        }
        let view = self.view(system, locations, cube);
        // Where a step is certain nothing is stuck; elsewhere the shade may or may not step.
        let deadlock = if may_stop { Kleene::Unknown } else { Kleene::False };
        let value = system.label_in(&view, expr, Some(deadlock))?;
        self.labels.insert(key, value);
        Ok(value)
    }
}

/// Where a step of the spotlight leads, and when it can be taken; none if it cannot.
fn spotlight_step(
    system: &mut System,
    view: &View,
    operation: OperationId,
) -> Result<Option<(PlainStep, Closed)>, Failed> {
    let relation = system.operations[operation].relation;
    let relation = system.simplify(view, relation);
    if system.possible(view, Purpose::May, &[relation])? == Reply::Unsat {
        return Ok(None);
    }
    let inputs = system.operations[operation].inputs.clone();
    let closed = system.close(relation, &inputs);
    let must = system.surely(view, &[closed])?;
    let mut cube = Vec::new();
    for at in 0..system.predicate_terms.len() {
        let before = system.predicate_terms[at];
        let after = system.after(operation, before);
        let kept = after == before;
        let after = system.simplify(view, after);
        // What is not known before, not written and not related to the guard is not known afterwards.
        cube.push(if kept && !system.is_related(view, relation, after) {
            system.terms.as_bool(after).map_or(Kleene::Unknown, crate::state::definite)
        } else {
            value_after(system, view, relation, after)?
        });
    }
    Ok(Some((PlainStep { operation, must, cube }, closed)))
}

impl System {
    /// Whether two terms share symbols, directly or through what is known.
    fn is_related(&mut self, view: &View, a: TermId, b: TermId) -> bool {
        let mut reached: BTreeSet<u64> = self.support(b).iter().copied().collect();
        for literal in self.relevant(view, &[b]) {
            reached.extend(self.support(literal).iter());
        }
        !self.support(a).is_disjoint(&reached)
    }
}

fn value_after(system: &mut System, view: &View, relation: TermId, after: TermId) -> Result<Kleene, Failed> {
    if let Some(value) = system.terms.as_bool(after) {
        return Ok(crate::state::definite(value));
    }
    let not = system.terms.not(after);
    if system.possible(view, Purpose::Assignment, &[relation, not])? == Reply::Unsat {
        return Ok(Kleene::True);
    }
    let fails = system.possible(view, Purpose::Assignment, &[relation, after])? == Reply::Unsat;
    Ok(if fails { Kleene::False } else { Kleene::Unknown })
}

/// Marks the predicates whose values a step of the shade may change; whether it can be taken.
fn shade_step(
    system: &mut System,
    view: &View,
    step: &ShadeStep,
    cube: &[Kleene],
    changed: &mut [bool],
) -> Result<bool, Failed> {
    let relation = system.simplify(view, step.relation);
    if system.terms.as_bool(relation) == Some(false) {
        return Ok(false);
    }
    let mut parts = vec![step.place, relation];
    for &fact in &step.facts {
        let fact = system.simplify(view, fact);
        match system.terms.as_bool(fact) {
            Some(false) => return Ok(false),
            Some(true) => {}
            None => parts.push(fact),
        }
    }
    for &at in &step.touches {
        if changed[at] || cube[at] == Kleene::Unknown {
            continue;
        }
        let after = system.after(step.operation, system.predicate_terms[at]);
        let after = system.simplify(view, after);
        let broken = if cube[at] == Kleene::True { system.terms.not(after) } else { after };
        parts.push(broken);
        changed[at] = system.possible(view, Purpose::Assignment, &parts)? != Reply::Unsat;
        parts.pop();
    }
    Ok(true)
}

/// Some of these that are certain together, none of which can be left out.
fn smallest(system: &mut System, view: &View, ways: &[Closed]) -> Result<Vec<usize>, Failed> {
    let mut chosen: Vec<usize> = (0..ways.len()).collect();
    let mut at = 0;
    while at < chosen.len() {
        let rest: Vec<usize> = chosen.iter().copied().filter(|&way| way != chosen[at]).collect();
        let closed: Vec<Closed> = rest.iter().map(|&way| ways[way]).collect();
        if !closed.is_empty() && system.surely(view, &closed)? {
            chosen = rest;
        } else {
            at += 1;
        }
    }
    Ok(chosen)
}

//! k-induction (Sheeran, Singh and Stålmarck 2000): a property that does not follow from itself after one step may do so after several.
//!
//! That the property holds for the next k steps is the conjunction of its weakest preconditions along all of them, location by location. If that conjunction is kept by every step, whatever else is known of the locations being
//! assumed (intervals, congruences, polyhedra), and holds where the program begins, it is an inductive invariant in the ordinary sense (Bjørner, Gurfinkel, McMillan and Rybalchenko 2015 use the same translation); a certificate lists it like any other.
//! Nothing here is believed: the parts become predicates, and the abstraction over them decides.
//!
//! Where a condition already follows it is left out, so that the conjunction grows at the locations that need it only.

use std::collections::HashMap;

use tertium_abstraction::{Failed, OperationId, System};
use tertium_base::Budget;
use tertium_evidence::Technique;
use tertium_load::failure::Failure;
use tertium_load::questions::QuestionId;
use tertium_program::{ExprId, LocationId, ProcessId};
use tertium_smt::{Purpose, Reply, TermId};

use super::Loop;
use super::targets::{BadStates, Target, stuck_at};
use crate::answer::Round;
use crate::limits;
use crate::predicate_abstraction::{atoms_of, failed, prepare};

impl Loop<'_> {
    /// Looks for a number of steps after which a property follows from itself, and proves it with what holds then; the round that this takes, if there is one.
    pub(super) fn by_k_induction(&mut self, number: QuestionId) -> Result<Option<Round>, Failure> {
        let name = self.questions[number.index()].name().to_owned();
        self.work.observer.phase(&format!("{name}: k-induction"));
        let asked: Vec<ExprId> = atoms_of(&self.questions[number.index()]).collect();
        let mut own = prepare(self.work.file, &asked, &self.how, self.work.budget)?;
        own.system.keep_predicates(0);
        let told = |own: &System, why: Failed| failed(self.work.file, own.program(), why);
        let target = Target::of(&mut own, number, &self.questions[number.index()], self.work.options);
        let Some(target) = target.map_err(|why| told(&own.system, why))? else { return Ok(None) };
        let found = k_inductive(&mut own.system, &target, self.work.budget).map_err(|why| told(&own.system, why))?;
        let Some(KInductive { depth, conditions }) = found else { return Ok(None) };
        for condition in conditions {
            own.system.learn_predicate(condition);
        }
        let why = format!("the property follows from itself after {depth} steps");
        let round = self.excluded_over(&mut own, &target, &why)?;
        if round.is_some() {
            self.answers[number.index()].provenance.technique = Technique::KInduction;
        }
        Ok(round)
    }
}

/// What is kept by every step, and together implies that nothing bad is there.
struct KInductive {
    /// For how many steps the property is taken to hold.
    depth: usize,
    /// What holds at some locations, each once.
    conditions: Vec<TermId>,
}

/// All combinations of locations that control can be at, and what leads from one to another.
pub(super) struct ControlFlow {
    pub(super) places: Vec<Vec<LocationId>>,
    pub(super) moves: Vec<(usize, OperationId, usize)>,
}

impl ControlFlow {
    /// None if there are too many.
    pub(super) fn of(system: &System) -> Option<Self> {
        let entry: Vec<LocationId> = system.program().processes.iter().map(|process| process.entry).collect();
        let processes: Vec<ProcessId> = system.program().process_ids().collect();
        let mut known: HashMap<Vec<LocationId>, usize> = HashMap::from([(entry.clone(), 0)]);
        let mut flow = Self { places: vec![entry], moves: Vec::new() };
        let mut next = 0;
        while next < flow.places.len() {
            let here = flow.places[next].clone();
            for (&process, &at) in processes.iter().zip(&here) {
                for &operation in system.leaving(process, at) {
                    let step = &system.operations()[operation];
                    if !step.sources().all(|(process, at)| here[process.index()] == at) {
                        continue;
                    }
                    let mut there = here.clone();
                    step.arrive(&mut there);
                    let to = *known.entry(there.clone()).or_insert_with(|| {
                        flow.places.push(there);
                        flow.places.len() - 1
                    });
                    flow.moves.push((next, operation, to));
                }
            }
            next += 1;
            if flow.places.len() > limits::K_INDUCTION_MOST_PLACES || flow.moves.len() > limits::K_INDUCTION_MOST_MOVES
            {
                return None;
            }
        }
        Some(flow)
    }
}

/// The property for the next steps, if for some number of steps every step keeps that, and it holds initially.
fn k_inductive(system: &mut System, target: &Target, budget: &Budget) -> Result<Option<KInductive>, Failed> {
    let Some(flow) = ControlFlow::of(system) else { return Ok(None) };
    let Some(mut holds) = good(system, target, &flow) else { return Ok(None) };
    if !holds_initially(system, holds[0])? {
        return Ok(None);
    }
    for depth in 1..=limits::K_INDUCTION_DEEPEST {
        budget.check()?;
        let Some(missing) = missing(system, &flow, &holds, budget)? else { return Ok(None) };
        if missing.iter().all(Vec::is_empty) {
            return Ok(summarised(system, depth, holds));
        }
        for (condition, missing) in holds.iter_mut().zip(missing) {
            let (terms, _) = system.asking();
            let all: Vec<TermId> = missing.into_iter().chain([*condition]).collect();
            *condition = terms.all(&all);
        }
        let (terms, _) = system.asking();
        if terms.reachable(&holds).len() > limits::K_INDUCTION_MOST_TERMS || !holds_initially(system, holds[0])? {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Each condition once.
fn summarised(system: &mut System, depth: usize, holds: Vec<TermId>) -> Option<KInductive> {
    let (terms, _) = system.asking();
    let mut conditions = holds;
    conditions.retain(|&condition| terms.as_bool(condition).is_none());
    conditions.sort_unstable();
    conditions.dedup();
    (conditions.len() <= limits::K_INDUCTION_MOST_CONDITIONS).then_some(KInductive { depth, conditions })
}

/// Where nothing bad is, by combination of locations.
fn good(system: &mut System, target: &Target, flow: &ControlFlow) -> Option<Vec<TermId>> {
    let mut stuck = HashMap::new();
    let mut found = Vec::new();
    for place in &flow.places {
        let bad = match &target.bad {
            BadStates::Condition { may, .. } => *may,
            BadStates::Stuck => stuck_at(system, place, &mut stuck),
            BadStates::Fault(operations) => {
                let mut parts = Vec::new();
                for &operation in operations {
                    let here =
                        system.operations()[operation].sources().all(|(process, at)| place[process.index()] == at);
                    if here {
                        parts.push(system.fault_precondition(operation, place)?);
                    }
                }
                system.asking().0.any(&parts)
            }
        };
        let places = system.located(place, &[]);
        let (terms, _) = system.asking();
        let bad = terms.substitute(bad, &places);
        found.push(terms.not(bad));
    }
    Some(found)
}

fn holds_initially(system: &mut System, condition: TermId) -> Result<bool, Failed> {
    let mut parts = system.initial_conditions().to_vec();
    let (terms, queries) = system.asking();
    parts.push(terms.not(condition));
    Ok(queries.satisfiable(terms, Purpose::Path, &parts)? == Reply::Unsat)
}

/// What has to hold beside the present conditions so that steps keep these, by combination of locations; none if nobody knows.
fn missing(
    system: &mut System,
    flow: &ControlFlow,
    holds: &[TermId],
    budget: &Budget,
) -> Result<Option<Vec<Vec<TermId>>>, Failed> {
    let mut found: Vec<Vec<TermId>> = vec![Vec::new(); flow.places.len()];
    for &(from, operation, to) in &flow.moves {
        budget.check()?;
        let Some(before) = system.weakest_precondition(operation, &flow.places[from], holds[to]) else {
            return Ok(None);
        };
        let (terms, _) = system.asking();
        let not = terms.not(before);
        let escapes = terms.and(holds[from], not);
        if terms.as_bool(escapes) == Some(false) {
            continue;
        }
        let places: Vec<(ProcessId, LocationId)> =
            system.program().process_ids().zip(flow.places[from].iter().copied()).collect();
        match system.may_hold_at(&places, escapes)? {
            Reply::Unsat => {}
            Reply::Sat => found[from].push(before),
            Reply::GaveUp => return Ok(None),
        }
    }
    Ok(Some(found))
}

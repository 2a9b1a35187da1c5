//! Do the distances of variables decide it?
//!
//! Orders are told apart first; where that is not enough, also the constants that the program compares with, then ever larger distances, as far as they exclude the
//! path that was met. A path that the program can follow is a run. What distances cannot exclude is left to predicates.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::limits;
use crate::refine::OpenPath;
use tertium_abstraction::zones::{TargetHit, Unwanted, Visited, ZoneAbstraction};
use tertium_abstraction::{AbstractState, Failed, System};
use tertium_base::StopReason;
use tertium_evidence::Technique;
use tertium_lattice::Belnap;

use super::search::Tree;
use super::targets::Target;
use super::{Loop, PathVerdict};
use crate::answer::Round;
use crate::predicate_abstraction::{Prepared, atoms_of, failed, solver_work};
use tertium_load::failure::Failure;
use tertium_load::questions::{Question, QuestionId};
use tertium_program::LocationId;

/// The largest distances that are told apart one by one, round by round.
const LARGEST: [i64; 5] = [1, 2, 3, 5, 8];
/// How finely distances are told apart: orders, the program's constants, and all up to one of [`LARGEST`].
const FINEST: usize = 2 + LARGEST.len();

/// How finely distances are told apart for questions about paths, and how many states these may have.
const ALL_PATHS: [usize; 3] = [1, 3, 5];

/// The bounds that are told apart.
fn thresholds(constants: &[i64], fineness: usize) -> Vec<i64> {
    let mut found = vec![-1, 0];
    if fineness > 0 {
        found.extend(constants);
    }
    if fineness > 1 {
        let largest = LARGEST[(fineness - 2).min(LARGEST.len() - 1)];
        found.extend(-largest..=largest);
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn in_words(fineness: usize) -> String {
    match fineness {
        0 => "the order of variables".to_owned(),
        1 => "distances that the program compares".to_owned(),
        _ => format!("distances up to {}", LARGEST[(fineness - 2).min(LARGEST.len() - 1)]),
    }
}

impl Loop<'_> {
    /// Answers the targets that distances decide; the others stay in the list.
    pub(crate) fn distances(&mut self, prepared: &mut Prepared, open: &mut Vec<Target>) -> Result<(), Failure> {
        let asked: Vec<_> = open.iter().flat_map(|target| target.conditions(&prepared.system)).collect();
        let Some(mut zones) = ZoneAbstraction::new(&mut prepared.system, &asked) else { return Ok(()) };
        let mut undecided = Vec::new();
        let mut fineness = 0;
        while !open.is_empty() {
            let visited = match self.look(prepared, &mut zones, open, fineness) {
                Ok(Some(visited)) => visited,
                Ok(None) | Err(Failed::Stopped(tertium_base::Stopped(StopReason::Count))) => break,
                Err(Failed::Unsupported(_)) => break,
                Err(why @ Failed::Stopped(_)) => {
                    open.append(&mut undecided);
                    return Err(failed(self.work.file, prepared.system.program(), why));
                }
            };
            let Some(&met) = visited.met.first() else {
                let starts = match self.starts(prepared, open) {
                    Err(failure) => {
                        open.append(&mut undecided);
                        return Err(failure);
                    }
                    Ok(starts) => starts,
                };
                self.settled(prepared, &zones, (&visited, starts), open);
                break;
            };
            let target = open[met.target].clone();
            let path = path(&mut prepared.system, &visited, met);
            self.round(prepared, &visited, fineness, Some(self.answers[target.question.index()].name.clone()));
            let followed = match self.follow(prepared, path.clone(), &target) {
                Err(failure) => {
                    open.append(&mut undecided);
                    return Err(failure);
                }
                Ok(followed) => followed,
            };
            match followed {
                Ok(PathVerdict::Answered) => {
                    let answer = &mut self.answers[target.question.index()];
                    answer.cost.solver = Some(solver_work(&prepared.system));
                    answer.provenance.technique = Technique::Zones;
                    (answer.cost.states, answer.cost.transitions) = (visited.states.len(), visited.steps);
                    self.tell_rounds(target.question);
                    open.remove(met.target);
                }
                Ok(_) => undecided.push(open.remove(met.target)),
                Err(_) => match self.finer(prepared, &mut zones, &path, &target, fineness) {
                    Ok(Some(finer)) if self.left > 0 => {
                        self.left -= 1;
                        fineness = finer;
                    }
                    Ok(_) => undecided.push(open.remove(met.target)),
                    Err(why) => {
                        open.append(&mut undecided);
                        return Err(failed(self.work.file, prepared.system.program(), why));
                    }
                },
            }
        }
        open.append(&mut undecided);
        open.sort_by_key(|target| target.question);
        if !open.is_empty() {
            // Predicates begin anew.
            self.left = self.refinements;
        }
        Ok(())
    }

    /// Answers a question about more than single states if distances are enough for it; whether they are. They can show that something holds.
    pub(crate) fn all_paths(&mut self, prepared: &mut Prepared, number: QuestionId) -> Result<bool, Failure> {
        let question = &self.questions[number.index()];
        let Question::Property(asked) = question else { return Ok(false) };
        let mut conditions = Vec::new();
        for &atom in &asked.atoms {
            let atom = prepared.expr(atom);
            let condition = prepared.system.condition(atom, true);
            conditions.push(condition.map_err(|why| failed(self.work.file, prepared.system.program(), why.into()))?);
        }
        let Some(mut zones) = ZoneAbstraction::new(&mut prepared.system, &conditions) else { return Ok(false) };
        let before = prepared.system.predicates().len();
        for fineness in ALL_PATHS {
            let Ok(Some(visited)) = self.look(prepared, &mut zones, &[], fineness) else { return Ok(false) };
            if visited.states.len() > limits::ZONES_MOST_ON_PATHS {
                break;
            }
            let told_apart = thresholds(zones.constants(), fineness);
            let explored = zones.explored(&mut prepared.system, &visited, &told_apart, self.work.budget);
            let explored = match explored {
                Ok(Some(explored)) => explored,
                Ok(None) => break,
                Err(why) => return Err(failed(self.work.file, prepared.system.program(), why)),
            };
            let predicates = prepared.system.predicates().iter().map(|predicate| predicate.name.clone()).collect();
            let (mut answer, _) = self.work.answer_with(prepared, &explored, question)?;
            answer.provenance.technique = Technique::Zones;
            let calls = solver_work(&prepared.system).calls;
            prepared.system.keep_predicates(before);
            if answer.value() == Belnap::True {
                let round = Round { predicates, states: explored.states.len(), calls, ..Round::default() };
                let known = self.answers[number.index()].clone();
                self.keep(number, answer, &known, &[round], 0);
                return Ok(true);
            }
        }
        prepared.system.keep_predicates(before);
        Ok(false)
    }

    /// What the distances that the program compares say about all states that can be reached.
    pub(crate) fn establish(&self, prepared: &mut Prepared) -> Vec<String> {
        let mut asked = Vec::new();
        for atom in self.questions.iter().flat_map(atoms_of) {
            let atom = prepared.expr(atom);
            asked.extend(prepared.system.condition(atom, true));
        }
        let Some(mut zones) = ZoneAbstraction::new(&mut prepared.system, &asked) else { return Vec::new() };
        let Ok(Some(visited)) = self.look(prepared, &mut zones, &[], 1) else { return Vec::new() };
        let before = prepared.system.predicates().len();
        let states = zones.described(&mut prepared.system, &visited);
        let told = in_source_terms(&prepared.system, &states);
        prepared.system.keep_predicates(before);
        told
    }

    fn look(
        &self,
        prepared: &mut Prepared,
        zones: &mut ZoneAbstraction,
        open: &[Target],
        fineness: usize,
    ) -> Result<Option<Visited>, Failed> {
        let (round, observer) = (self.rounds.len(), self.work.observer);
        let mut stuck = HashMap::new();
        let mut unwanted = |system: &mut System, locations: &[LocationId]| {
            let mut found = Vec::new();
            for (target, one) in open.iter().enumerate() {
                let of = one.unwanted(system, locations, &mut stuck).into_iter();
                found.extend(of.map(|(operation, condition)| Unwanted { target, operation, condition }));
            }
            found
        };
        let mut progress = |states: usize| {
            if states % 1024 == 1 {
                observer.phase(&format!("round {round}: {}, {states} abstract states", in_words(fineness)));
            }
        };
        let thresholds = thresholds(zones.constants(), fineness);
        let most = self.most.min(limits::ZONES_MOST_STATES);
        zones.visit(&mut prepared.system, &thresholds, &mut unwanted, most, self.work.budget, &mut progress)
    }

    /// How finely distances must be told apart to exclude a path that no run follows.
    fn finer(
        &self,
        prepared: &mut Prepared,
        zones: &mut ZoneAbstraction,
        path: &OpenPath,
        target: &Target,
        fineness: usize,
    ) -> Result<Option<usize>, Failed> {
        let places: Vec<(Vec<LocationId>, Vec<i128>)> =
            path.locations.iter().cloned().zip(path.kept.iter().cloned()).collect();
        let system = &mut prepared.system;
        let last = places.last().map(|(locations, _)| locations.clone()).unwrap_or_default();
        let (_, goal) = target.goals(system, &last, path.goal_operation, &mut HashMap::new());
        let constants = zones.constants().to_vec();
        if !zones.excludes(system, &places, &path.operations, goal, None)? {
            return Ok(None);
        }
        for finer in fineness + 1..FINEST {
            let told_apart = thresholds(&constants, finer);
            if zones.excludes(system, &places, &path.operations, goal, Some(&told_apart))? {
                return Ok(Some(finer));
            }
        }
        Ok(None)
    }

    /// Nothing unwanted can be reached.
    fn settled(
        &mut self,
        prepared: &mut Prepared,
        zones: &ZoneAbstraction,
        (visited, starts): (&Visited, bool),
        open: &mut Vec<Target>,
    ) {
        let before = prepared.system.predicates().len();
        let states = zones.described(&mut prepared.system, visited);
        let tree = Tree::closed(states, visited.steps);
        let predicates = prepared.system.predicates().iter().map(|predicate| predicate.name.clone()).collect();
        let calls = solver_work(&prepared.system).calls;
        self.rounds.push(Round { predicates, states: tree.states.len(), calls, ..Round::default() });
        let basis = Arc::new(prepared.told_states(&tree.states));
        for target in open.drain(..) {
            self.excluded(prepared, (&tree, starts), &target, &basis);
            self.answers[target.question.index()].provenance.technique = Technique::Zones;
        }
        // Whoever looks for predicates begins with those that were there.
        prepared.system.keep_predicates(before);
    }

    fn round(&mut self, prepared: &Prepared, visited: &Visited, fineness: usize, open: Option<String>) {
        let calls = solver_work(&prepared.system).calls;
        let open = open.map(|name| format!("`{name}` is not decided by {}", in_words(fineness)));
        self.rounds.push(Round { states: visited.states.len(), calls, open, ..Round::default() });
    }
}

/// Abstract states as conditions, one for each combination of locations: what holds there, in one of several ways.
fn in_source_terms(system: &System, states: &[AbstractState]) -> Vec<String> {
    let mut ways: BTreeMap<&[LocationId], Vec<String>> = BTreeMap::new();
    for state in states {
        ways.entry(&state.locations).or_default().push(system.values_in_words(state));
    }
    let mut lines = Vec::new();
    for (locations, mut ways) in ways.into_iter().take(limits::ZONES_MOST_LINES) {
        ways.sort();
        ways.dedup();
        let place = system.locations_in_words(locations);
        lines.push(match ways.as_slice() {
            all if all.iter().any(String::is_empty) => place,
            [only] => format!("{place}: {only}"),
            _ => format!("{place}: ({})", ways.join(") || (")),
        });
    }
    lines
}

/// The path to what was met.
fn path(system: &mut System, visited: &Visited, met: TargetHit) -> OpenPath {
    let (states, operations) = visited.path_to(met.state);
    OpenPath {
        locations: states.iter().map(|&at| visited.states[at].locations.clone()).collect(),
        operations,
        known: vec![Vec::new(); states.len()],
        kept: states.iter().map(|&at| visited.states[at].kept.clone()).collect(),
        through: false,
        goal: system.asking().0.bool(true),
        goal_operation: met.operation,
    }
}

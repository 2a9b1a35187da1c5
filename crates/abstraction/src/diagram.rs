//! Steps as nested decision diagrams: what the predicates were leads to what they become.
//!
//! What a process does at a location depends on few predicates and kept values, and changes fewer. The first diagram tests
//! what it depends on, one variable a level; it grows as states are met, so that nothing is computed that no state needs. Its
//! leaves hold what follows: [`Post`]s, which say true, false or unknown of what changes and skip all else. States that
//! differ only in what a step does not depend on share the leaf, and with it every question that was asked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use tertium_base::narrow::to_u32;
use tertium_lattice::Kleene;
use tertium_program::{LocationId, ProcessId};
use tertium_smt::{Term, TermId};

use crate::expand::{Failed, Ways};
use crate::possible::PossiblePost;
use crate::state::AbstractState;
use crate::system::System;

/// What a diagram tests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Variable {
    /// Where a process is.
    Place(usize),
    /// The value of a kept cell.
    Kept(usize),
    /// A predicate.
    Predicate(usize),
}

impl Variable {
    fn value(self, state: &AbstractState) -> i128 {
        match self {
            Self::Place(process) => i128::from(state.locations[process].number()),
            Self::Kept(cell) => state.kept[cell],
            Self::Predicate(predicate) => match state.cube[predicate] {
                Kleene::False => 0,
                Kleene::True => 1,
                Kleene::Unknown => 2,
            },
        }
    }
}

/// What a step makes of a state. What is not mentioned is skipped: it stays as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Post {
    places: Vec<(usize, LocationId)>,
    kept: Vec<(usize, i128)>,
    cube: Vec<(usize, Kleene)>,
}

impl Post {
    /// What leads from one state to another.
    pub(crate) fn between(from: &AbstractState, to: &AbstractState) -> Self {
        Self {
            places: changed(&from.locations, &to.locations),
            kept: changed(&from.kept, &to.kept),
            cube: changed(&from.cube, &to.cube),
        }
    }

    /// Where it leads.
    pub(crate) fn apply(&self, from: &AbstractState) -> AbstractState {
        let mut to = from.clone();
        self.places.iter().for_each(|&(at, value)| to.locations[at] = value);
        self.kept.iter().for_each(|&(at, value)| to.kept[at] = value);
        self.cube.iter().for_each(|&(at, value)| to.cube[at] = value);
        to
    }
}

fn changed<T: Copy + PartialEq>(from: &[T], to: &[T]) -> Vec<(usize, T)> {
    let pairs = from.iter().zip(to).enumerate();
    pairs.filter(|(_, (old, new))| old != new).map(|(at, (_, &new))| (at, new)).collect()
}

/// A diagram over what was, with leaves of some kind. Level by level it tests the variables of its [`Diagrams::tests`].
#[derive(Debug)]
struct Diagram<L> {
    /// For each node its children by value: nodes, or on the last level leaves.
    nodes: Vec<Vec<(i128, u32)>>,
    leaves: Vec<Rc<L>>,
}

impl<L> Default for Diagram<L> {
    fn default() -> Self {
        Self { nodes: vec![Vec::new()], leaves: Vec::new() }
    }
}

impl<L> Diagram<L> {
    fn leaf(&self, tests: &[Variable], state: &AbstractState) -> Option<Rc<L>> {
        let mut at = 0;
        for test in tests {
            let value = test.value(state);
            at = self.nodes[at].iter().find(|(known, _)| *known == value)?.1 as usize;
        }
        self.leaves.get(if tests.is_empty() { 0 } else { at }).cloned()
    }

    fn insert(&mut self, tests: &[Variable], state: &AbstractState, leaf: Rc<L>) {
        let mut at = 0;
        for (level, test) in tests.iter().enumerate() {
            let value = test.value(state);
            let known = self.nodes[at].iter().find(|(known, _)| *known == value).map(|&(_, child)| child);
            at = known.unwrap_or_else(|| {
                let last = level + 1 == tests.len();
                let child = to_u32(if last { self.leaves.len() } else { self.nodes.len() });
                self.nodes[at].push((value, child));
                if !last {
                    self.nodes.push(Vec::new());
                }
                child
            }) as usize;
        }
        self.leaves.push(leaf);
    }
}

/// A process at a location.
type Spot = (ProcessId, LocationId);

/// The diagrams of all steps of a program.
#[derive(Debug, Default)]
pub(crate) struct Diagrams {
    tests: HashMap<Spot, Rc<Vec<Variable>>>,
    ways: HashMap<Spot, Diagram<Ways>>,
    possible: HashMap<Spot, Diagram<Vec<PossiblePost>>>,
    resting: HashMap<Spot, Diagram<bool>>,
}

impl System {
    /// What a process can do in a state, from its diagram if it is there.
    pub(crate) fn known_ways(&mut self, state: &AbstractState, process: ProcessId) -> Option<Rc<Ways>> {
        let (spot, tests) = self.spot(state, process)?;
        self.diagrams.ways.get(&spot)?.leaf(&tests, state)
    }

    /// Puts what a process can do into its diagram.
    pub(crate) fn keep_ways(&mut self, state: &AbstractState, process: ProcessId, ways: &Rc<Ways>) {
        if let Some((spot, tests)) = self.spot(state, process) {
            self.diagrams.ways.entry(spot).or_default().insert(&tests, state, Rc::clone(ways));
        }
    }

    /// The possible steps of a process in a state; `find` is asked where the diagram has no leaf.
    pub(crate) fn possible_of(
        &mut self,
        state: &AbstractState,
        process: ProcessId,
        find: impl FnOnce(&mut Self) -> Result<Vec<PossiblePost>, Failed>,
    ) -> Result<Rc<Vec<PossiblePost>>, Failed> {
        let Some((spot, tests)) = self.spot(state, process) else { return Ok(Rc::new(find(self)?)) };
        if let Some(known) = self.diagrams.possible.get(&spot).and_then(|diagram| diagram.leaf(&tests, state)) {
            return Ok(known);
        }
        let found = Rc::new(find(self)?);
        self.diagrams.possible.entry(spot).or_default().insert(&tests, state, Rc::clone(&found));
        Ok(found)
    }

    /// Whether a process may be unable to step in a state; `find` is asked where the diagram has no leaf.
    pub(crate) fn resting_of(
        &mut self,
        state: &AbstractState,
        process: ProcessId,
        find: impl FnOnce(&mut Self) -> Result<bool, Failed>,
    ) -> Result<bool, Failed> {
        let Some((spot, tests)) = self.spot(state, process) else { return find(self) };
        if let Some(known) = self.diagrams.resting.get(&spot).and_then(|diagram| diagram.leaf(&tests, state)) {
            return Ok(*known);
        }
        let found = find(self)?;
        self.diagrams.resting.entry(spot).or_default().insert(&tests, state, Rc::new(found));
        Ok(found)
    }

    /// The diagram that a state is looked up in. Merged states have none: what they leave open is not skipped.
    fn spot(&mut self, state: &AbstractState, process: ProcessId) -> Option<(Spot, Rc<Vec<Variable>>)> {
        let spot = (process, state.locations[process.index()]);
        if !self.remembers || !state.is_definite() {
            return None;
        }
        if let Some(tests) = self.diagrams.tests.get(&spot) {
            return Some((spot, Rc::clone(tests)));
        }
        let tests = Rc::new(self.tests(process, spot.1));
        self.diagrams.tests.insert(spot, Rc::clone(&tests));
        Some((spot, tests))
    }

    /// What the steps of a process at a location depend on: what they read and change, and the predicates that share
    /// symbols with that, and so on.
    fn tests(&mut self, process: ProcessId, location: LocationId) -> Vec<Variable> {
        let fixed = self.fixed();
        let mut tests: BTreeSet<Variable> = BTreeSet::new();
        let mut reached: BTreeSet<u64> = BTreeSet::new();
        for operation in self.leaving[process.index()][location.index()].clone() {
            let (relation, fault) = (self.operations[operation].relation, self.operations[operation].fault);
            for term in [relation, fault] {
                reached.extend(self.support(term).iter());
            }
            for at in 0..self.predicate_terms.len() {
                let before = self.predicate_terms[at];
                let after = self.after(operation, before);
                if after != before {
                    tests.insert(Variable::Predicate(at));
                    reached.extend(self.support(before).iter());
                    reached.extend(self.support(after).iter());
                }
            }
            for at in 0..self.kept.len() {
                let before = self.kept[at].symbol;
                let after = self.after(operation, before);
                if after != before {
                    tests.insert(Variable::Kept(at));
                    reached.extend(self.support(after).iter());
                }
            }
        }
        self.close_tests(&fixed, &mut tests, &mut reached);
        tests.extend(reached.iter().filter_map(|symbol| fixed.get(symbol)));
        tests.remove(&Variable::Place(process.index()));
        tests.into_iter().collect()
    }

    /// Adds the predicates that speak of what was reached, until there are no more.
    fn close_tests(
        &mut self,
        fixed: &BTreeMap<u64, Variable>,
        tests: &mut BTreeSet<Variable>,
        reached: &mut BTreeSet<u64>,
    ) {
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        loop {
            let before = taken.len();
            for at in (0..self.predicate_terms.len()).filter(|at| !taken.contains(at)).collect::<Vec<_>>() {
                let support = self.support(self.predicate_terms[at]);
                let shares = support.iter().any(|symbol| !fixed.contains_key(symbol) && reached.contains(symbol));
                if shares || tests.contains(&Variable::Predicate(at)) {
                    taken.insert(at);
                    tests.insert(Variable::Predicate(at));
                    reached.extend(support.iter());
                }
            }
            let informed = self.add_informed(fixed, tests, reached);
            if taken.len() == before && !informed {
                return;
            }
        }
    }

    /// Adds the places of processes whose locations tell something of what was reached; says whether that is new.
    fn add_informed(
        &mut self,
        fixed: &BTreeMap<u64, Variable>,
        tests: &mut BTreeSet<Variable>,
        reached: &mut BTreeSet<u64>,
    ) -> bool {
        let facts: Vec<(usize, TermId)> = self
            .location_facts
            .iter()
            .flat_map(|(&(process, _), facts)| facts.iter().map(move |&fact| (process.index(), fact)))
            .collect();
        let before = (tests.len(), reached.len());
        for (process, fact) in facts {
            let support = self.support(fact);
            if support.iter().any(|symbol| !fixed.contains_key(symbol) && reached.contains(symbol)) {
                tests.insert(Variable::Place(process));
                reached.extend(support.iter());
            }
        }
        before != (tests.len(), reached.len())
    }

    /// The symbols whose values every abstract state knows.
    fn fixed(&self) -> BTreeMap<u64, Variable> {
        let key = |term| match self.terms.get(term) {
            Term::Symbol(symbol) => Some(symbol.index() as u64),
            _ => None,
        };
        let places = self.program.process_ids();
        let places = places
            .filter_map(|process| Some((key(self.translator.counter(process))?, Variable::Place(process.index()))));
        let kept = self.kept.iter().enumerate();
        let kept = kept.filter_map(|(at, kept)| Some((key(kept.symbol)?, Variable::Kept(at))));
        places.chain(kept).collect()
    }
}

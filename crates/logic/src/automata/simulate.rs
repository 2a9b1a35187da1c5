//! Which states can do whatever another one can, mark for mark?
//!
//! Direct simulation. Since `p` and `!p` are independent tests, a letter that passes a guard and nothing more
//! always exists, so a transition is matched only by one whose guard is a subset: comparing guards as sets is
//! exact on four-valued letters, and safe on classical ones. States that simulate each other become one, and
//! transitions that another one from the same state simulates are dropped.

use tertium_base::graph::components;
use tertium_base::{BitSet, Budget, Stopped};

use super::tgba::{Marks, Tgba, Transition};

/// Above this number of elementary comparisons simulation is left out.
const MOST_WORK: usize = 50_000_000;

/// An equivalent automaton in which no state or transition is superfluous by direct simulation.
///
/// # Errors
/// If the budget runs out.
pub fn reduce(automaton: &Tgba, budget: &Budget) -> Result<Tgba, Stopped> {
    let mut best = merge_equal(automaton.cleaned(), budget)?;
    loop {
        let size = best.size();
        if !is_small(&best) {
            return Ok(best);
        }
        let smaller = merge_equal(quotient(&best, budget)?.cleaned(), budget)?;
        let after = smaller.size();
        let done = (after.states, after.transitions) == (size.states, size.transitions);
        best = smaller;
        if done {
            return Ok(best);
        }
    }
}

fn is_small(automaton: &Tgba) -> bool {
    let size = automaton.size();
    let degree = 1 + size.transitions / size.states.max(1);
    size.states.saturating_mul(size.states).saturating_mul(degree * degree) <= MOST_WORK
}

/// Merges states with the same transitions, again and again.
fn merge_equal(mut automaton: Tgba, budget: &Budget) -> Result<Tgba, Stopped> {
    loop {
        budget.check()?;
        let mut known: std::collections::HashMap<&[Transition], usize> = std::collections::HashMap::new();
        let class: Vec<usize> =
            (0..automaton.states.len()).map(|state| *known.entry(&automaton.states[state]).or_insert(state)).collect();
        if class.iter().enumerate().all(|(state, &first)| state == first) {
            return Ok(automaton);
        }
        redirect(&mut automaton, &class);
        automaton = automaton.cleaned();
    }
}

/// Sends every transition to the representative of its target.
fn redirect(automaton: &mut Tgba, representative: &[usize]) {
    for transitions in &mut automaton.states {
        for transition in transitions.iter_mut() {
            transition.target = representative[transition.target];
        }
        transitions.sort_unstable();
        transitions.dedup();
    }
    if let Some(&initial) = representative.get(automaton.initial) {
        automaton.initial = initial;
    }
}

/// Which states of an automaton simulate which.
#[derive(Clone, Debug)]
pub(crate) struct Simulation {
    /// For each transition the marks that a run can owe it: none for steps that runs take finitely often.
    owed: Vec<Vec<Marks>>,
    /// `simulators[q]`: the states that simulate `q`.
    simulators: Vec<BitSet>,
}

impl Simulation {
    /// The simulation of an automaton; for one that is too large every state simulates only itself.
    pub(crate) fn within_reason(automaton: &Tgba, budget: &Budget) -> Result<Self, Stopped> {
        let count = automaton.states.len();
        if is_small(automaton)
            && let Some(simulation) = Self::compute(automaton, budget)?
        {
            return Ok(simulation);
        }
        let itself = |state: usize| BitSet::from_fn(count, |other| other == state);
        Ok(Self { owed: owed_marks(automaton), simulators: (0..count).map(itself).collect() })
    }

    /// The greatest simulation; `None` if it takes too many rounds, since an unfinished one would be wrong.
    fn compute(automaton: &Tgba, budget: &Budget) -> Result<Option<Self>, Stopped> {
        let count = automaton.states.len();
        let mut simulation = Self { owed: owed_marks(automaton), simulators: vec![BitSet::full(count); count] };
        let mut work = 0;
        loop {
            let mut changed = false;
            // States are numbered from the initial one on, so targets mostly come later: they go first.
            for state in (0..count).rev() {
                budget.check()?;
                let candidates: Vec<usize> =
                    simulation.simulators[state].iter().filter(|&other| other != state).collect();
                work += candidates.len() * automaton.states[state].len().max(1);
                for candidate in candidates {
                    if !simulation.matches(automaton, state, candidate) {
                        simulation.simulators[state].remove(candidate);
                        changed = true;
                    }
                }
            }
            if !changed {
                return Ok(Some(simulation));
            }
            if work > MOST_WORK {
                return Ok(None);
            }
        }
    }

    /// Whether every transition of `state` is matched by one of `candidate`.
    fn matches(&self, automaton: &Tgba, state: usize, candidate: usize) -> bool {
        let theirs = &automaton.states[candidate];
        (0..automaton.states[state].len())
            .all(|at| theirs.iter().any(|transition| self.covers(automaton, state, at, transition)))
    }

    fn covers(&self, automaton: &Tgba, state: usize, at: usize, by: &Transition) -> bool {
        by.guard.is_weaker_or_equal(&automaton.states[state][at].guard) && self.outdoes(automaton, state, at, by)
    }

    /// Whether, on a letter that passes both guards, `by` is at least as good as a transition of `state`.
    pub(crate) fn outdoes(&self, automaton: &Tgba, state: usize, at: usize, by: &Transition) -> bool {
        self.owed[state][at].is_subset(by.marks)
            && self.simulators[automaton.states[state][at].target].contains(by.target)
    }
}

/// Marks on steps inside components that can accept; elsewhere they are never met infinitely often.
fn owed_marks(automaton: &Tgba) -> Vec<Vec<Marks>> {
    let states = &automaton.states;
    let component = components(states.len(), |state| states[state].iter().map(|transition| transition.target));
    let inner = |state: usize, transition: &Transition| component.of[state] == component.of[transition.target];
    let mut carried = vec![Marks::default(); component.count];
    for (state, transitions) in states.iter().enumerate() {
        for transition in transitions.iter().filter(|transition| inner(state, transition)) {
            carried[component.at(state)] = carried[component.at(state)].union(transition.marks);
        }
    }
    let accepting = |state: usize| carried[component.at(state)] == Marks::all(automaton.marks);
    let owed = |state: usize, transition: &Transition| {
        if inner(state, transition) && accepting(state) { transition.marks } else { Marks::default() }
    };
    (0..states.len()).map(|state| states[state].iter().map(|transition| owed(state, transition)).collect()).collect()
}

/// Merges states that simulate each other and drops transitions that others simulate.
fn quotient(automaton: &Tgba, budget: &Budget) -> Result<Tgba, Stopped> {
    let simulation = Simulation::within_reason(automaton, budget)?;
    let count = automaton.states.len();
    let equivalent = |a: usize, b: usize| simulation.simulators[a].contains(b) && simulation.simulators[b].contains(a);
    let representative: Vec<usize> =
        (0..count).map(|state| (0..state).find(|&earlier| equivalent(earlier, state)).unwrap_or(state)).collect();
    let mut smaller = automaton.clone();
    for state in 0..count {
        let transitions = &automaton.states[state];
        let dropped = |at: usize| {
            (0..transitions.len()).any(|other| {
                other != at
                    && simulation.covers(automaton, state, at, &transitions[other])
                    // Of two that simulate each other the first stays.
                    && (other < at || !simulation.covers(automaton, state, other, &transitions[at]))
            })
        };
        smaller.states[state] =
            (0..transitions.len()).filter(|&at| !dropped(at)).map(|at| transitions[at].clone()).collect();
    }
    redirect(&mut smaller, &representative);
    Ok(smaller)
}

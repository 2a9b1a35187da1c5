//! Which complete structures are there at all, and which of them complete a partial one?
//!
//! Plain enumeration: every complete structure with few states over given propositions, seen from its first state;
//! and every partial structure with few states. A completion may need more states than were enumerated, so that no
//! completion found here proves nothing; one found here refutes "there is none".

use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, KmtsBuilder, PropId, StateId};

use crate::reference::{Deadlocks, LinearReading, branching_values, linear_values, refinement_relation, star_values};

/// All complete structures with at most `most` states over these propositions, up to bisimulation: all states can
/// be reached from the first one, which is initial, and no two are bisimilar.
#[must_use]
pub fn complete_structures(props: &[&str], most: usize) -> Vec<Kmts> {
    let mut found = Vec::new();
    for states in 1..=most {
        for labels in 0..1u32 << (states * props.len()) {
            for edges in 0..1u32 << (states * states) {
                let plain = Plain { states, props: props.len(), labels, edges };
                if plain.is_reachable() && plain.is_least() && plain.comes_first() {
                    found.push(plain.build(props));
                }
            }
        }
    }
    found
}

/// The numbers of those structures whose first state completes `state`.
#[must_use]
pub fn completions_among(all: &[Kmts], partial: &Kmts, state: StateId) -> Vec<usize> {
    let completes = |complete: &Kmts| refinement_relation(partial, complete)[state.index()][0];
    (0..all.len()).filter(|&at| completes(&all[at])).collect()
}

/// The two-valued truth at the states of a complete structure, by the definitions.
///
/// # Panics
/// If the formula uses a name that the structure lacks.
#[must_use]
pub fn truths(complete: &Kmts, formula: &Formula, deadlocks: Deadlocks) -> Vec<bool> {
    let values = match formula.logic() {
        Logic::Ltl => linear_values(&endless(complete, deadlocks), formula, LinearReading::Bg),
        Logic::CtlStar => star_values(&endless(complete, deadlocks), formula),
        _ => branching_values(complete, formula, deadlocks),
    };
    values.into_iter().map(|value| value == Belnap::True).collect()
}

/// Where paths may end the last state of one stands for ever.
fn endless(complete: &Kmts, deadlocks: Deadlocks) -> Kmts {
    let mut builder = KmtsBuilder::new();
    let states: Vec<StateId> = complete.state_names().iter().map(|name| builder.add_state(name)).collect();
    for (at, name) in complete.props().iter().enumerate() {
        let prop = builder.add_prop(name);
        states.iter().for_each(|&state| builder.set_label(state, prop, complete.label(state, PropId::new(at))));
    }
    for &state in &states {
        complete.edges_from(state).for_each(|edge| builder.add_edge(state, edge.target, true, true, None));
        if deadlocks == Deadlocks::Maximal && complete.is_dead(state) {
            builder.add_edge(state, state, true, true, None);
        }
    }
    builder.finish().expect("a structure as before")
}

/// All partial structures with exactly `states` states over one proposition `p`: every label, every step absent,
/// possible or certain, and, if `hyper`, at each state the set of all possible successors certain or not.
#[must_use]
pub fn partial_structures(states: usize, hyper: bool) -> Vec<Kmts> {
    let pairs = states * states;
    let sets = if hyper { 1 << states } else { 1 };
    let mut all = Vec::new();
    for labels in 0..3usize.pow(to_u32(states)) {
        for edges in 0..3usize.pow(to_u32(pairs)) {
            for certain in 0..sets {
                all.extend(partial_structure(states, labels, edges, certain));
            }
        }
    }
    all
}

fn partial_structure(states: usize, labels: usize, edges: usize, certain: usize) -> Option<Kmts> {
    let digit = |number: usize, at: usize| number / 3usize.pow(to_u32(at)) % 3;
    let mut builder = KmtsBuilder::new();
    let prop = builder.add_prop("p");
    let ids: Vec<StateId> = (0..states).map(|at| builder.add_state(&format!("s{at}"))).collect();
    for from in 0..states {
        let label = [Belnap::Unknown, Belnap::True, Belnap::False][digit(labels, from)];
        builder.set_label(ids[from], prop, label);
        let kinds: Vec<usize> = (0..states).map(|to| digit(edges, from * states + to)).collect();
        for (to, &kind) in kinds.iter().enumerate().filter(|(_, kind)| **kind > 0) {
            builder.add_edge(ids[from], ids[to], true, kind == 2, None);
        }
        if certain >> from & 1 == 1 {
            let possible: Vec<StateId> = (0..states).filter(|&to| kinds[to] > 0).map(|to| ids[to]).collect();
            // A set with a certain member, or with one member, says nothing new.
            if possible.len() < 2 || kinds.contains(&2) {
                return None;
            }
            builder.add_hyper(ids[from], &possible, None);
        }
    }
    builder.add_init(ids[0]);
    builder.finish().ok()
}

/// A complete structure as bits.
#[derive(Clone, Copy)]
struct Plain {
    states: usize,
    props: usize,
    labels: u32,
    edges: u32,
}

impl Plain {
    fn label(&self, state: usize) -> u32 {
        self.labels >> (state * self.props) & ((1 << self.props) - 1)
    }

    fn successors(&self, state: usize) -> u32 {
        self.edges >> (state * self.states) & ((1 << self.states) - 1)
    }

    fn is_reachable(&self) -> bool {
        let mut seen = 1u32;
        for _ in 0..self.states {
            for state in (0..self.states).filter(|state| seen >> state & 1 == 1).collect::<Vec<_>>() {
                seen |= self.successors(state);
            }
        }
        seen == (1 << self.states) - 1
    }

    /// Whether no two states are bisimilar.
    fn is_least(&self) -> bool {
        let mut class: Vec<u32> = (0..self.states).map(|state| self.label(state)).collect();
        for _ in 0..self.states {
            let seen = |state: usize| {
                let to = (0..self.states).filter(|&to| self.successors(state) >> to & 1 == 1);
                let mut classes: Vec<u32> = to.map(|to| class[to]).collect();
                classes.sort_unstable();
                classes.dedup();
                (class[state], classes)
            };
            let signatures: Vec<_> = (0..self.states).map(seen).collect();
            let number = |state: usize| signatures.iter().position(|other| *other == signatures[state]);
            class = (0..self.states).map(|state| to_u32(number(state).unwrap_or(0))).collect();
        }
        class.sort_unstable();
        class.dedup();
        class.len() == self.states
    }

    /// Whether no renaming of the other states comes before it.
    fn comes_first(&self) -> bool {
        if self.states < 3 {
            return true;
        }
        permutations(self.states).iter().all(|to| {
            let (mut labels, mut edges) = (0, 0);
            for state in 0..self.states {
                labels |= self.label(state) << (to[state] * self.props);
                for next in (0..self.states).filter(|&next| self.successors(state) >> next & 1 == 1) {
                    edges |= 1 << (to[state] * self.states + to[next]);
                }
            }
            (self.labels, self.edges) <= (labels, edges)
        })
    }

    fn build(&self, props: &[&str]) -> Kmts {
        let mut builder = KmtsBuilder::new();
        let props: Vec<_> = props.iter().map(|name| builder.add_prop(name)).collect();
        let ids: Vec<StateId> = (0..self.states).map(|at| builder.add_state(&format!("c{at}"))).collect();
        for state in 0..self.states {
            for (at, &prop) in props.iter().enumerate() {
                let value = if self.label(state) >> at & 1 == 1 { Belnap::True } else { Belnap::False };
                builder.set_label(ids[state], prop, value);
            }
            for to in (0..self.states).filter(|&to| self.successors(state) >> to & 1 == 1) {
                builder.add_edge(ids[state], ids[to], true, true, None);
            }
        }
        builder.add_init(ids[0]);
        builder.finish().expect("small structures fit")
    }
}

/// All renamings that keep the first state.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![0]];
    for next in 1..count {
        let insert = |names: Vec<usize>| {
            (1..=names.len()).map(move |at| {
                let mut longer = names.clone();
                longer.insert(at, next);
                longer
            })
        };
        all = all.into_iter().flat_map(insert).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_counted() {
        // One state: two labels, with and without a loop.
        assert_eq!(complete_structures(&["p"], 1).len(), 4);
        assert!(complete_structures(&["p"], 2).iter().all(Kmts::is_complete));
        assert_eq!(partial_structures(1, true).len(), 9);
        assert_eq!(partial_structures(2, false).len(), 9 * 81);
        // Four of the nine pairs of edge kinds of a state: both possible, none certain, gives one more variant.
        assert_eq!(partial_structures(2, true).len(), 9 * (9 + 1) * (9 + 1));
    }

    #[test]
    fn what_is_unknown_has_completions_of_both_kinds() {
        let all = complete_structures(&["p"], 2);
        let open = &partial_structures(1, false)[0];
        assert_eq!(completions_among(&all, open, StateId::new(0)).len(), 2, "no step, either label");
    }
}

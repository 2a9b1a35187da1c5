//! Which runs of an abstraction are left, if some things do not happen for ever?
//!
//! A compassion requirement says: whoever takes infinitely many steps of one set takes infinitely many of another. A ranking function is one (what decreases it cannot be
//! taken for ever unless what increases it is), strong fairness to a process another. An abstraction with such requirements is an augmented abstraction (Kesten, Pnueli 2000).
//! Requirements become fairness constraints: at any time a run may give up the steps of a premise for ever; as long as it has not, the response must come again and again.
//!
//! This is right for what *all* runs do, and for nothing else: only possible steps are kept. The independent checker has its own way to the same end.

use crate::limits;
use std::collections::BTreeSet;

use tertium_model::{ActionId, Kmts, KmtsBuilder, PropId, StateId};

/// An edge: from, to, and by whom.
pub(super) type Key = (StateId, StateId, Option<ActionId>);

/// A run that takes infinitely many edges of the premise takes infinitely many of the response.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Compassion {
    pub(super) premise: BTreeSet<Key>,
    pub(super) response: BTreeSet<Key>,
}

/// The possible runs of a structure that meet all requirements; none if they are too many, or there would be too many states.
pub(super) fn augmented(plain: &Kmts, requirements: &[Compassion]) -> Option<Kmts> {
    let states = plain.state_count();
    if requirements.len() > limits::AUGMENTED_MOST_REQUIREMENTS
        || states << requirements.len() > limits::AUGMENTED_MOST_STATES
    {
        return None;
    }
    let mut builder = copies(plain, 1 << requirements.len());
    let id = |given_up: usize, state: StateId| StateId::new(given_up * states + state.index());
    let mut fair = vec![(Vec::new(), Vec::new()); plain.fairness().len()];
    let mut met = vec![Vec::new(); requirements.len()];
    for state in plain.states() {
        for edge in plain.edges_from(state).filter(|edge| edge.may) {
            let key = (state, edge.target, edge.action);
            for (before, after) in growing(requirements.len()) {
                let breaks = |(at, one): (usize, &Compassion)| before >> at & 1 == 1 && one.premise.contains(&key);
                if requirements.iter().enumerate().any(breaks) {
                    continue;
                }
                let copy = (id(before, state), id(after, edge.target), edge.action);
                builder.add_edge(copy.0, copy.1, true, false, copy.2);
                for (constraint, (possible, certain)) in plain.fairness().iter().zip(&mut fair) {
                    possible.extend(constraint.possible.contains(edge.id.index()).then_some(copy));
                    certain.extend(constraint.certain.contains(edge.id.index()).then_some(copy));
                }
                for (at, (one, met)) in requirements.iter().zip(&mut met).enumerate() {
                    met.extend((before >> at & 1 == 1 || one.response.contains(&key)).then_some(copy));
                }
            }
        }
    }
    fair.into_iter().for_each(|(possible, certain)| builder.add_split_fairness(possible, certain));
    met.into_iter().for_each(|edges| builder.add_fairness(edges));
    builder.finish().ok()
}

/// States with their labels, once for each set of premises that are given up; a run begins with none.
fn copies(plain: &Kmts, count: usize) -> KmtsBuilder {
    let mut builder = KmtsBuilder::new();
    for given_up in 0..count {
        for state in plain.states() {
            builder.add_state(&format!("{} / {given_up}", plain.state_name(state)));
        }
    }
    for action in plain.actions() {
        builder.add_action(action);
    }
    for (prop, name) in plain.props().iter().enumerate() {
        let copied = builder.add_prop(name);
        for at in 0..count * plain.state_count() {
            let label = plain.label(StateId::new(at % plain.state_count()), PropId::new(prop));
            builder.set_label(StateId::new(at), copied, label);
        }
    }
    plain.init().iter().for_each(|&start| builder.add_init(start));
    builder.set_total(plain.total());
    builder
}

/// The pairs of sets of so many things the first of which is part of the second.
fn growing(things: usize) -> impl Iterator<Item = (usize, usize)> {
    let sets = 1usize << things;
    (0..sets)
        .flat_map(move |small| (0..sets).filter(move |large| large & small == small).map(move |large| (small, large)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_base::Budget;
    use tertium_check::{Ask, Task};
    use tertium_evidence::{Deadlock, Reading};
    use tertium_lattice::Belnap;
    use tertium_logic::{Logic, ParseOptions, parse};
    use tertium_structures::engines::{self, EngineChoice};
    use tertium_testkit::{Rng, for_random_cases};

    /// Every state has a successor; at most nine edges, so that all sets of edges can be looked at.
    fn random_structure(rng: &mut Rng) -> (Kmts, Vec<Key>) {
        let (states, mut builder) = (2 + rng.below(2), KmtsBuilder::new());
        let p = builder.add_prop("p");
        for state in 0..states {
            let id = builder.add_state(&state.to_string());
            builder.set_label(id, p, if rng.chance(50) { Belnap::True } else { Belnap::False });
        }
        let mut edges: BTreeSet<Key> = BTreeSet::new();
        for from in 0..states {
            for _ in 0..1 + rng.below(3) {
                edges.insert((StateId::new(from), StateId::new(rng.below(states)), None));
            }
        }
        edges.iter().for_each(|&(from, to, action)| builder.add_edge(from, to, true, true, action));
        builder.add_init(StateId::new(0));
        builder.set_total(true);
        (builder.finish().expect("it is small"), edges.into_iter().collect())
    }

    fn random_requirements(rng: &mut Rng, edges: &[Key]) -> Vec<Compassion> {
        let some = |rng: &mut Rng| rng.some_of(edges).into_iter().collect();
        (0..rng.below(3)).map(|_| Compassion { premise: some(rng), response: some(rng) }).collect()
    }

    /// Whether some run meets all requirements and sees `p` only finitely often: the edges that it takes infinitely often are a set
    /// that leads from each of its states to each, and that can be reached.
    fn breaks(model: &Kmts, edges: &[Key], requirements: &[Compassion]) -> bool {
        let reaches = |edges: &[Key], from: StateId| {
            let mut seen = BTreeSet::from([from]);
            while edges.iter().any(|edge| seen.contains(&edge.0) && seen.insert(edge.1)) {}
            seen
        };
        (1usize..1 << edges.len()).any(|set| {
            let chosen: Vec<Key> =
                edges.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, &edge)| edge).collect();
            let round = chosen.iter().all(|a| chosen.iter().all(|b| reaches(&chosen, a.1).contains(&b.0)));
            let without_p = chosen.iter().all(|edge| model.label(edge.1, PropId::new(0)) == Belnap::False);
            let meets = |one: &Compassion| {
                let takes = |of: &BTreeSet<Key>| chosen.iter().any(|edge| of.contains(edge));
                !takes(&one.premise) || takes(&one.response)
            };
            let reached = reaches(edges, StateId::new(0)).contains(&chosen[0].0);
            round && without_p && reached && requirements.iter().all(meets)
        })
    }

    #[test]
    fn exactly_the_runs_that_meet_all_requirements_are_left() {
        let broken = std::cell::Cell::new([0, 0]);
        for_random_cases(300, |case| {
            let (model, edges) = random_structure(&mut case.rng);
            let requirements = random_requirements(&mut case.rng, &edges);
            case.keep("requirements.txt", format!("{edges:?}\n{requirements:?}"));
            let augmented = augmented(&model, &requirements).expect("it is small");
            let formula = parse("G F p", &ParseOptions::in_logic(Logic::Ltl)).formula.expect("a formula");
            let reading = Reading { deadlock: Deadlock::Mu, ..Reading::default() };
            let budget = Budget::unlimited();
            let task = Task::new(&augmented, &formula, reading, Ask::At(augmented.init()), &budget).expect("a task");
            let (_, values) = engines::evaluate(&task, EngineChoice::Auto).expect("it can be evaluated");
            let breaks = breaks(&model, &edges, &requirements);
            assert_eq!(values.at(augmented.init()[0]) == Belnap::True, !breaks);
            let mut counts = broken.get();
            counts[usize::from(breaks)] += 1;
            broken.set(counts);
        });
        assert!(broken.get().iter().all(|&count| count > 30), "{:?}", broken.get());
    }

    #[test]
    fn too_many_requirements_are_refused() {
        let (model, _) = random_structure(&mut Rng::new(1));
        assert!(augmented(&model, &vec![Compassion::default(); limits::AUGMENTED_MOST_REQUIREMENTS + 1]).is_none());
    }
}

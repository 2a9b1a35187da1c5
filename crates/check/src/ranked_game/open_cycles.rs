//! Which steps of a structure lie on cycles that keep a claim from being defended?
//!
//! Where the outermost fixpoint of a strongly connected set of lost claims may be unfolded for ever, whoever claims is content with coming back to it: positions from which that can be forced are left out, and what is left is looked at again, as
//! the recursion of Zielonka (1998) does. Where it must come to an end, all steps inside are open: something has to decrease along them. Whatever is hopeless in any case, because labels are not as claimed, is nothing that a ranking function helps with.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::BitSet;
use tertium_logic::NodeId;
use tertium_model::StateId;

use super::{Alternative, RankedSolution};

impl RankedSolution<'_> {
    /// The steps, each given by two states, of open cycles.
    #[must_use]
    pub fn open_cycles(&self) -> BTreeSet<(StateId, StateId)> {
        let count = self.arena.positions.len();
        let hopeless = self.hopeless();
        let lost = BitSet::from_fn(count, |at| !self.solution.won.contains(at) && !hopeless.contains(at));
        let mut found = BTreeSet::new();
        let mut open = vec![lost];
        while let Some(part) = open.pop() {
            for component in self.components(&part, &hopeless) {
                match self.outermost(&component) {
                    Some((_, true)) => self.steps_inside(&component, &hopeless, &mut found),
                    Some((node, false)) => {
                        let rest = self.avoiding(&component, node, &hopeless);
                        if !rest.is_empty() {
                            open.push(rest);
                        }
                    }
                    None => {}
                }
            }
        }
        found
    }

    /// The states at which claims about steps are not defended, each with whether a step is chosen there: all such claims need one step, none needs all of them. What only comes up where something is hopeless does not count.
    #[must_use]
    pub fn open_steps(&self) -> BTreeMap<StateId, bool> {
        let hopeless = self.hopeless();
        let mut seen = BitSet::empty(self.arena.positions.len());
        let mut todo: Vec<usize> = (0..self.starts).collect();
        let mut found = BTreeMap::new();
        while let Some(at) = todo.pop() {
            if !seen.insert(at) || hopeless.contains(at) {
                continue;
            }
            let (state, node, positive) = self.arena.positions[at];
            if let Some(exists) = self.rules.get(node, positive).steps()
                && !self.solution.won.contains(at)
            {
                *found.entry(state).or_insert(true) &= exists;
            }
            todo.extend(self.usable(at, &hopeless).flat_map(|one| &one.needs).map(|need| need.0 as usize));
        }
        found
    }

    /// Positions at which every alternative needs something that is hopeless: even if all that goes on for ever were won, these are not.
    fn hopeless(&self) -> BitSet {
        let mut hopeless = BitSet::empty(self.arena.positions.len());
        loop {
            let mut grown = false;
            for (at, alternatives) in self.arena.alternatives.iter().enumerate() {
                if !hopeless.contains(at) && !alternatives.iter().any(|one| is_usable(one, &hopeless)) {
                    hopeless.insert(at);
                    grown = true;
                }
            }
            if !grown {
                return hopeless;
            }
        }
    }

    fn usable<'s>(&'s self, at: usize, hopeless: &'s BitSet) -> impl Iterator<Item = &'s Alternative> {
        self.arena.alternatives[at].iter().filter(move |one| is_usable(one, hopeless))
    }

    /// Strongly connected sets with steps or unfoldings inside.
    fn components(&self, part: &BitSet, hopeless: &BitSet) -> Vec<BitSet> {
        let members: Vec<usize> = part.iter().collect();
        let mut numbers = vec![usize::MAX; self.arena.positions.len()];
        members.iter().enumerate().for_each(|(number, &at)| numbers[at] = number);
        let successors: Vec<Vec<usize>> = members
            .iter()
            .map(|&at| {
                let needs = self.usable(at, hopeless).flat_map(|one| &one.needs);
                needs.map(|&(to, _)| numbers[to as usize]).filter(|&to| to != usize::MAX).collect()
            })
            .collect();
        let component = tertium_base::graph::components(members.len(), |at| successors[at].iter().copied());
        let mut found: BTreeMap<usize, BitSet> = BTreeMap::new();
        for (number, &at) in members.iter().enumerate() {
            if successors[number].iter().any(|&to| component.at(to) == component.at(number)) {
                let empty = || BitSet::empty(self.arena.positions.len());
                found.entry(component.at(number)).or_insert_with(empty).insert(at);
            }
        }
        found.into_values().collect()
    }

    /// The outermost fixpoint that is unfolded in a set, and whether it must come to an end.
    fn outermost(&self, component: &BitSet) -> Option<(NodeId, bool)> {
        let fixpoint = |at: usize| {
            let (_, node, positive) = self.arena.positions[at];
            self.rules.least(self.formula, node, positive).map(|least| (node, least))
        };
        component.iter().filter_map(fixpoint).max_by_key(|&(node, _)| node)
    }

    /// What is left without positions from which the fixpoint is surely unfolded again.
    fn avoiding(&self, component: &BitSet, fixpoint: NodeId, hopeless: &BitSet) -> BitSet {
        let mut rest = component.clone();
        component.iter().filter(|&at| self.arena.positions[at].1 == fixpoint).for_each(|at| {
            rest.remove(at);
        });
        loop {
            let stays = |one: &Alternative, rest: &BitSet| {
                let mut inside = one.needs.iter().filter(|need| component.contains(need.0 as usize)).peekable();
                inside.peek().is_none() || inside.any(|need| rest.contains(need.0 as usize))
            };
            let leaves = |at: &usize, rest: &BitSet| self.usable(*at, hopeless).any(|one| !stays(one, rest));
            let attracted: Vec<usize> = rest.iter().filter(|at| leaves(at, &rest)).collect();
            if attracted.is_empty() {
                return rest;
            }
            attracted.into_iter().for_each(|at| {
                rest.remove(at);
            });
        }
    }

    fn steps_inside(&self, component: &BitSet, hopeless: &BitSet, found: &mut BTreeSet<(StateId, StateId)>) {
        for at in component.iter() {
            let from = self.arena.positions[at].0;
            for one in self.usable(at, hopeless) {
                let inside = one.needs[one.steps_from..].iter().filter(|need| component.contains(need.0 as usize));
                found.extend(inside.map(|need| (from, self.arena.positions[need.0 as usize].0)));
            }
        }
    }
}

fn is_usable(alternative: &Alternative, hopeless: &BitSet) -> bool {
    alternative.needs.iter().all(|need| !hopeless.contains(need.0 as usize))
}

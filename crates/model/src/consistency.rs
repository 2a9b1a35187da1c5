//! Does a mixed structure describe anything at all?
//!
//! A mixed structure may demand a step that it forbids. It is consistent at a state if some complete structure
//! refines that state. A node of the search is a set of states that one concrete state would have to refine
//! together: no proposition may be true at one member and false at another, and for every certain set of a
//! member there must be a consistent set that holds one of the certain set's members and a possible successor
//! of every state of the node. Sets that cannot go on are struck out until nothing changes.
//!
//! Exponential in the worst case, hence under a budget. Without mixedness every state is consistent.

use std::collections::HashMap;

use tertium_base::{Budget, Stopped};

use crate::kmts::{ActionId, Kmts, PropId, StateId};

/// Whether some complete structure refines `state`.
///
/// # Errors
/// `Stopped` if a limit of the budget is reached.
pub fn consistent_at(kmts: &Kmts, state: StateId, budget: &Budget) -> Result<bool, Stopped> {
    if !kmts.is_mixed() {
        return Ok(true);
    }
    let mut search = ConsistencySearch { kmts, budget, nodes: Vec::new(), known: HashMap::new(), ticks: 0 };
    search.number(vec![state])?;
    let mut next = 0;
    while next < search.nodes.len() {
        search.expand(next)?;
        next += 1;
    }
    Ok(search.survivors()[0])
}

/// A set of states and, for each of its obligations, the sets that would meet it.
struct Node {
    states: Vec<StateId>,
    obligations: Vec<Vec<usize>>,
    contradiction: bool,
}

struct ConsistencySearch<'a> {
    kmts: &'a Kmts,
    budget: &'a Budget,
    nodes: Vec<Node>,
    known: HashMap<Vec<StateId>, usize>,
    ticks: u32,
}

impl ConsistencySearch<'_> {
    /// The node with these states, new or not.
    fn number(&mut self, mut states: Vec<StateId>) -> Result<usize, Stopped> {
        self.budget.tick(&mut self.ticks)?;
        states.sort_unstable();
        states.dedup();
        if let Some(&known) = self.known.get(&states) {
            return Ok(known);
        }
        self.budget.reserve(states.len() * 16)?;
        let contradiction = self.contradicts_itself(&states);
        self.known.insert(states.clone(), self.nodes.len());
        self.nodes.push(Node { states, obligations: Vec::new(), contradiction });
        Ok(self.nodes.len() - 1)
    }

    fn contradicts_itself(&self, states: &[StateId]) -> bool {
        (0..self.kmts.props().len()).map(PropId::new).any(|prop| {
            let values = || states.iter().map(|&state| self.kmts.label(state, prop));
            values().any(|value| value.for_true()) && values().any(|value| value.for_false())
        })
    }

    fn expand(&mut self, node: usize) -> Result<(), Stopped> {
        if self.nodes[node].contradiction {
            return Ok(());
        }
        let states = self.nodes[node].states.clone();
        let mut obligations: Vec<(Option<ActionId>, Vec<StateId>)> =
            states.iter().flat_map(|&state| self.certain_sets(state)).collect();
        obligations.sort();
        obligations.dedup();
        for (action, members) in obligations {
            let candidates = self.candidates(&states, action, members)?;
            self.nodes[node].obligations.push(candidates);
        }
        Ok(())
    }

    fn certain_sets(&self, state: StateId) -> Vec<(Option<ActionId>, Vec<StateId>)> {
        let plain = self.kmts.edges_from(state).filter(|edge| edge.must).map(|edge| (edge.action, vec![edge.target]));
        let hyper = self.kmts.hyper_from(state).map(|edge| (edge.action, edge.members.to_vec()));
        let mut sets: Vec<_> = plain.chain(hyper).collect();
        let all: Vec<StateId> = self.kmts.may_successors(state).collect();
        if self.kmts.total() && !all.is_empty() {
            sets.push((None, all));
        }
        sets
    }

    /// The sets with one of `members` and one possible successor of each state: all ways to choose.
    fn candidates(
        &mut self,
        states: &[StateId],
        action: Option<ActionId>,
        members: Vec<StateId>,
    ) -> Result<Vec<usize>, Stopped> {
        let mut choices = vec![members];
        for &state in states {
            let steps = self.kmts.edges_from(state).filter(|edge| edge.may);
            let fitting = steps.filter(|edge| action.is_none() || edge.action == action);
            choices.push(fitting.map(|edge| edge.target).collect());
        }
        if choices.iter().any(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let mut at = vec![0; choices.len()];
        let mut candidates = Vec::new();
        loop {
            let chosen = choices.iter().zip(&at).map(|(choice, &at)| choice[at]).collect();
            candidates.push(self.number(chosen)?);
            let Some(next) = (0..at.len()).find(|&place| at[place] + 1 < choices[place].len()) else { break };
            at[..next].fill(0);
            at[next] += 1;
        }
        candidates.sort_unstable();
        candidates.dedup();
        Ok(candidates)
    }

    /// Which nodes meet all their obligations by nodes that do so too.
    fn survivors(&self) -> Vec<bool> {
        let mut alive: Vec<bool> = self.nodes.iter().map(|node| !node.contradiction).collect();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            node.obligations.iter().flatten().for_each(|&child| users[child].push(at));
        }
        let mut todo: Vec<usize> = (0..self.nodes.len()).collect();
        while let Some(at) = todo.pop() {
            let met = |candidates: &Vec<usize>| candidates.iter().any(|&child| alive[child]);
            if alive[at] && !self.nodes[at].obligations.iter().all(met) {
                alive[at] = false;
            }
            if !alive[at] {
                todo.extend(std::mem::take(&mut users[at]));
            }
        }
        alive
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Format, Model, read_bytes};

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let loaded = read_bytes("test", Format::Kmts, text.as_bytes(), &Budget::unlimited()).unwrap();
        let Some(Model::Kmts(kmts)) = loaded.model else { panic!("{:?}", loaded.diagnostics) };
        let got = consistent_at(&kmts, kmts.init()[0], &Budget::unlimited()).unwrap();
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn demands_must_fit_what_is_possible() {
        check("mixed\ninit a\nstate a p: ?\na -mustonly-> a\n", false);
        check("mixed\ninit a\nstate a p: b\n", false);
        check("mixed\ninit a\nstate a p: ?\nstate b p: ?\na -mustonly-> b\na -may-> a\nb -may-> b\n", true);
        check("mixed\ninit a\nstate a p: ?\nstate b p: ?\na -mustonly-> b\na -may-> a\n", false);
        check("mixed\ninit a\nstate a p: t\nstate b p: f\na -mustonly-> b\na -may-> a\n", false);
        check(
            "mixed\ninit a\nstate a p: t\nstate b p: f\nstate c p: ?\na -hyperonly-> {b, c}\na -may-> a\nc -may-> c\n",
            true,
        );
        check("init a\nstate a p: ?\na -must-> a\n", true);
        check(
            "mixed\ninit a\nstate a p: ?\nstate b p: ?\nstate c p: t\nstate d p: f\n\
             a -mustonly-> b\na -may-> a\nb -must-> c\na -may-> d\nc -may-> c\n",
            true,
        );
        check(
            "mixed\ninit a\nstate a p: ?\nstate b p: ?\nstate c p: t\nstate d p: f\nstate e p: ?\n\
             a -mustonly-> b\na -may-> e\nb -must-> c\ne -may-> d\n",
            false,
        );
    }
}

//! What must one concrete state do that refines several states at once, and what may it do?
//!
//! It takes a step for every certain one, and every step it takes is a possible one of all the states that it refines. So the
//! target of a step to `t` refines `t` and, of each of the states, some possible successor. Where everything certain is possible one
//! state is enough and stays alone.
//!
//! Of the sets that a target may refine only the least count: what nobody can do who refines few states, nobody can do who
//! refines more.

use std::collections::BTreeSet;

use tertium_base::{Budget, Stopped};
use tertium_model::{ActionId, Kmts, PropId, StateId};

use super::terms::{Term, TermId, Terms};
use super::ways::{TermChoice, ways};

/// Something to follow up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Demand {
    /// A step to one of these is certain: with this action, or, without one, by anyone.
    Certain(Option<ActionId>, Vec<StateId>),
    /// Some step is certain, since nothing real ends.
    Anything,
    /// A term asks for a step.
    Asked(TermId),
}

/// Where something that is followed up leads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DemandOutcome {
    /// The action of the step.
    pub action: Option<ActionId>,
    /// What its target refines; ascending.
    pub states: Vec<StateId>,
}

/// A structure as the completion game sees it.
#[derive(Clone, Copy, Debug)]
pub struct CompletionGame<'a> {
    /// The structure.
    pub model: &'a Kmts,
    /// Whether nothing real ends where the structure has possible steps.
    pub total: bool,
}

impl CompletionGame<'_> {
    /// The label that all who refine these states have, if it is certain.
    fn label(&self, states: &[StateId], prop: PropId) -> Option<bool> {
        let labels = || states.iter().map(|&state| self.model.label(state, prop));
        if labels().any(|label| label.for_true()) {
            return Some(true);
        }
        labels().any(|label| label.for_false()).then_some(false)
    }

    /// Whether some label is certainly true and certainly false.
    fn contradictory(&self, states: &[StateId]) -> bool {
        (0..self.model.props().len()).map(PropId::new).any(|prop| {
            let labels = || states.iter().map(|&state| self.model.label(state, prop));
            labels().any(|label| label.for_true()) && labels().any(|label| label.for_false())
        })
    }

    /// The ways in which someone who refines these states can meet terms.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn ways(
        &self,
        terms: &Terms,
        states: &[StateId],
        asked: &[TermId],
        budget: &Budget,
    ) -> Result<Vec<TermChoice>, Stopped> {
        if self.contradictory(states) {
            return Ok(Vec::new());
        }
        ways(terms, asked, |prop| self.label(states, prop), budget)
    }

    /// What can be followed up: what is certain at each state, then what the way asks for.
    #[must_use]
    pub fn demands(&self, terms: &Terms, states: &[StateId], way: &TermChoice) -> Vec<Demand> {
        let mut demands = Vec::new();
        for &state in states {
            let certain = self.model.edges_from(state).filter(|edge| edge.must);
            demands.extend(certain.map(|edge| Demand::Certain(edge.action, vec![edge.target])));
            let sets = self.model.hyper_from(state);
            demands.extend(sets.map(|edge| Demand::Certain(edge.action, edge.members.to_vec())));
        }
        if self.total && states.iter().any(|&state| self.model.edges_from(state).any(|edge| edge.may)) {
            demands.push(Demand::Anything);
        }
        let asks = |step: &&TermId| matches!(terms.rules[**step as usize], Term::Some(..));
        demands.extend(way.steps.iter().filter(asks).map(|&step| Demand::Asked(step)));
        demands
    }

    /// Where a demand can lead.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn outcomes(
        &self,
        terms: &Terms,
        states: &[StateId],
        demand: &Demand,
        budget: &Budget,
    ) -> Result<Vec<DemandOutcome>, Stopped> {
        let mut outcomes = BTreeSet::new();
        let mut ticks = 0;
        let mut add =
            |action, first: Option<StateId>| self.sets(states, action, first, &mut outcomes, budget, &mut ticks);
        match demand {
            Demand::Certain(action, members) => {
                let actions = if action.is_some() { BTreeSet::from([*action]) } else { self.possible_actions(states) };
                for (&action, &member) in actions.iter().flat_map(|action| members.iter().map(move |to| (action, to))) {
                    add(action, Some(member))?;
                }
            }
            Demand::Anything | Demand::Asked(_) => {
                let wanted = match demand {
                    Demand::Asked(term) => match terms.rules[*term as usize] {
                        Term::Some(wanted, _) => wanted,
                        _ => None,
                    },
                    _ => None,
                };
                for action in
                    self.possible_actions(states).into_iter().filter(|action| wanted.is_none() || *action == wanted)
                {
                    add(action, None)?;
                }
            }
        }
        Ok(least(&outcomes))
    }

    /// The actions of possible steps; none among them for steps of nobody.
    fn possible_actions(&self, states: &[StateId]) -> BTreeSet<Option<ActionId>> {
        let possible = states.iter().flat_map(|&state| self.model.edges_from(state)).filter(|edge| edge.may);
        possible.map(|edge| edge.action).collect()
    }

    /// The sets with `first` and a possible successor of every state.
    fn sets(
        &self,
        states: &[StateId],
        action: Option<ActionId>,
        first: Option<StateId>,
        outcomes: &mut BTreeSet<DemandOutcome>,
        budget: &Budget,
        ticks: &mut u32,
    ) -> Result<(), Stopped> {
        let possible = |state: StateId| {
            let fits = move |edge: &tertium_model::Edge| edge.may && edge.action == action;
            self.model.edges_from(state).filter(fits).map(|edge| edge.target)
        };
        let mut open: Vec<(usize, BTreeSet<StateId>)> = vec![(0, first.into_iter().collect())];
        while let Some((at, chosen)) = open.pop() {
            budget.tick(ticks)?;
            let Some(&state) = states.get(at) else {
                outcomes.insert(DemandOutcome { action, states: chosen.into_iter().collect() });
                continue;
            };
            if possible(state).any(|target| chosen.contains(&target)) {
                open.push((at + 1, chosen));
                continue;
            }
            for target in possible(state) {
                let mut more = chosen.clone();
                more.insert(target);
                open.push((at + 1, more));
            }
        }
        Ok(())
    }

    /// What the target of a step has to meet.
    #[must_use]
    pub fn carried(terms: &Terms, way: &TermChoice, demand: &Demand, action: Option<ActionId>) -> Vec<TermId> {
        let carries = |step: &TermId| match terms.rules[*step as usize] {
            Term::Every(None, _) => true,
            Term::Every(wanted, _) => wanted == action,
            _ => *demand == Demand::Asked(*step),
        };
        way.steps.iter().copied().filter(carries).collect()
    }

    /// The terms behind terms about steps; ascending.
    #[must_use]
    pub fn behind(terms: &Terms, carried: &[TermId]) -> Vec<TermId> {
        let behind: BTreeSet<TermId> = carried.iter().filter_map(|&step| terms.rules[step as usize].behind()).collect();
        behind.into_iter().collect()
    }
}

/// The outcomes that contain no other one with the same action.
fn least(outcomes: &BTreeSet<DemandOutcome>) -> Vec<DemandOutcome> {
    let inside = |small: &DemandOutcome, large: &DemandOutcome| {
        small != large
            && small.action == large.action
            && small.states.iter().all(|state| large.states.binary_search(state).is_ok())
    };
    outcomes.iter().filter(|large| !outcomes.iter().any(|small| inside(small, large))).cloned().collect()
}

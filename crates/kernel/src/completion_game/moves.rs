//! What must one concrete state do that refines several states at once, and what may it do?
//!
//! It takes a step for every certain one, and every step it takes is a possible one of all the states that it refines. So the
//! target of a step to `t` refines `t` and, of each of the states, some possible successor with the same action. Of the sets of states that a
//! target may refine only the least count: what nobody can do who refines few states, nobody can do who refines more.

use std::collections::BTreeSet;

use tertium_base::{Budget, Stopped};
use tertium_model::{ActionId, Kmts, PropId, StateId};

use super::choices::{TermChoice, least_choices};
use super::terms::{Term, TermId, Terms};

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

/// States that one concrete state refines.
type Together = BTreeSet<StateId>;

/// A structure as the completion game sees it.
#[derive(Clone, Copy, Debug)]
pub struct CompletionGame<'a> {
    /// The structure.
    pub model: &'a Kmts,
    /// Whether nothing real ends where the structure has possible steps.
    pub total: bool,
}

impl CompletionGame<'_> {
    /// Whether some state says that a label is true, and whether some says that it is false.
    fn evidence(&self, states: &[StateId], prop: PropId) -> (bool, bool) {
        let labels = states.iter().map(|&state| self.model.label(state, prop));
        labels.fold((false, false), |(yes, no), label| (yes | label.for_true(), no | label.for_false()))
    }

    /// Whether some label is certainly true and certainly false.
    #[must_use]
    pub fn contradictory(&self, states: &[StateId]) -> bool {
        (0..self.model.props().len()).any(|prop| self.evidence(states, PropId::new(prop)) == (true, true))
    }

    /// The least choices by which someone who refines these states meets terms, in order.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn choices(
        &self,
        terms: &Terms,
        states: &[StateId],
        asked: &[TermId],
        budget: &Budget,
    ) -> Result<Vec<TermChoice>, Stopped> {
        if self.contradictory(states) {
            return Ok(Vec::new());
        }
        let certain = |prop| match self.evidence(states, prop) {
            (false, false) => None,
            (yes, _) => Some(yes),
        };
        least_choices(terms, asked, certain, budget)
    }

    /// What is certain at each state.
    #[must_use]
    pub fn certain(&self, states: &[StateId]) -> Vec<Demand> {
        let single = |state| {
            let steps = self.model.edges_from(state).filter(|edge| edge.must);
            steps.map(|edge| Demand::Certain(edge.action, vec![edge.target]))
        };
        let hyper = |state| self.model.hyper_from(state).map(|set| Demand::Certain(set.action, set.members.to_vec()));
        let goes_on = self.total && !self.actions(states).is_empty();
        let each = states.iter().flat_map(|&state| single(state).chain(hyper(state)));
        each.chain(goes_on.then_some(Demand::Anything)).collect()
    }

    /// What can be followed up: what is certain at each state, then what the choice asks for.
    #[must_use]
    pub fn demands(&self, terms: &Terms, states: &[StateId], choice: &TermChoice) -> Vec<Demand> {
        let asks = |step: &TermId| matches!(terms.rules[*step as usize], Term::Some(..));
        let asked = choice.steps.iter().copied().filter(asks).map(Demand::Asked);
        self.certain(states).into_iter().chain(asked).collect()
    }

    /// Where a demand can lead, in order.
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
        // Which actions the step may have, and what its target refines beside successors of the states.
        let nothing = || vec![Together::new()];
        let (wanted, begins) = match demand {
            Demand::Certain(action, members) => (*action, members.iter().map(|&to| Together::from([to])).collect()),
            Demand::Anything => (None, nothing()),
            Demand::Asked(term) => (terms.rules[*term as usize].action(), nothing()),
        };
        let actions = wanted.map_or_else(|| self.actions(states), |action| BTreeSet::from([Some(action)]));
        let mut outcomes = Vec::new();
        for action in actions {
            let sets = self.targets(states, action, &begins, budget)?;
            let outcome = |set: Together| DemandOutcome { action, states: set.into_iter().collect() };
            let mut found: Vec<DemandOutcome> = sets.into_iter().map(outcome).collect();
            found.sort_unstable();
            outcomes.append(&mut found);
        }
        Ok(outcomes)
    }

    /// The actions of possible steps; none among them for steps of nobody.
    fn actions(&self, states: &[StateId]) -> BTreeSet<Option<ActionId>> {
        let edges = states.iter().flat_map(|&state| self.model.edges_from(state));
        edges.filter(|edge| edge.may).map(|edge| edge.action).collect()
    }

    /// The least sets with one of `begins` and, of every state, a possible successor with this action.
    fn targets(
        &self,
        states: &[StateId],
        action: Option<ActionId>,
        begins: &[Together],
        budget: &Budget,
    ) -> Result<BTreeSet<Together>, Stopped> {
        let mut sets: BTreeSet<Together> = begins.iter().cloned().collect();
        for &state in states {
            budget.check()?;
            let edges = self.model.edges_from(state).filter(|edge| edge.may && edge.action == action);
            let successors: Together = edges.map(|edge| edge.target).collect();
            let with_one = |set: &Together| {
                let set = set.clone();
                successors.iter().map(move |&to| set.iter().copied().chain([to]).collect::<Together>())
            };
            let larger: BTreeSet<Together> = sets.iter().flat_map(with_one).collect();
            // A set that contains another still does when both are continued alike.
            sets = least(&larger, budget)?;
        }
        least(&sets, budget)
    }

    /// The terms about steps that a step with this action, taken to meet the demand, has to carry on.
    #[must_use]
    pub fn carried(terms: &Terms, choice: &TermChoice, demand: &Demand, action: Option<ActionId>) -> Vec<TermId> {
        let concerned = |step: &TermId| match terms.rules[*step as usize] {
            Term::Every(wanted, _) => wanted.is_none() || wanted == action,
            _ => *demand == Demand::Asked(*step),
        };
        choice.steps.iter().copied().filter(concerned).collect()
    }

    /// The terms behind terms about steps; ascending.
    #[must_use]
    pub fn behind(terms: &Terms, carried: &[TermId]) -> Vec<TermId> {
        let behind = carried.iter().filter_map(|&step| terms.rules[step as usize].behind());
        behind.collect::<BTreeSet<TermId>>().into_iter().collect()
    }
}

/// The sets that contain no other one.
fn least(sets: &BTreeSet<Together>, budget: &Budget) -> Result<BTreeSet<Together>, Stopped> {
    let (mut found, mut ticks) = (BTreeSet::new(), 0);
    for set in sets {
        budget.tick(&mut ticks)?;
        if !sets.iter().any(|other| other != set && other.is_subset(set)) {
            found.insert(set.clone());
        }
    }
    Ok(found)
}

//! Do claims rest on each other for ever only where a ranking function would decrease for ever?
//!
//! Claims over abstract states of a program are a strategy in a game (Shoham, Grumberg 2003) with a Rabin pair for each ranking function: a play on which a rank decreases again and again, and
//! from some point on never increases, is one that the program cannot follow, since no integer decreases for ever from values that are not negative. So cycles of claims
//! through a fixpoint that must be left do no harm if each of them is excluded like this.
//!
//! What is left is emptiness of a Streett automaton by decomposition: in a strongly connected set of claims, if the outermost fixpoint may go on for ever its claims are taken out; if a rank decreases
//! somewhere and increases nowhere, the steps that decrease it are; what remains is decomposed again, until nothing is left.

use std::collections::BTreeMap;

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_logic::NodeId;
use tertium_model::{ActionId, Edge, EdgeId, StateId};

use super::claims::key;
use super::cycles::must_end;
use super::graph::Graph;
use super::rules::Rules;
use super::structure::Filter;
use super::{Case, Rejection};
use tertium_evidence::Claim;

/// More ranks are refused.
const MOST_RANKS: usize = 64;

/// What a step does to a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RankChange {
    /// It makes it smaller, from a value that is not negative.
    Decreases,
    /// It does not make it greater.
    Keeps,
    /// Nothing is known.
    Free,
}

/// A certain set with rank conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// From where.
    pub from: StateId,
    /// By whom; none if by anyone.
    pub action: Option<ActionId>,
    /// The members, and what the step into each does to every rank.
    pub into: Vec<(StateId, Vec<RankChange>)>,
}

/// What the steps of a structure do to ranks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RankedSteps {
    ranks: usize,
    /// What possible steps do to each rank; steps that are not listed leave the program where it is.
    edges: BTreeMap<EdgeId, Vec<RankChange>>,
    /// The certain sets that have rank conditions, by their numbers.
    pub moves: Vec<RankedMove>,
}

impl RankedSteps {
    /// Steps of which nothing is known yet; none if there are too many ranks.
    #[must_use]
    pub(crate) fn new(ranks: usize) -> Option<Self> {
        (ranks <= MOST_RANKS).then(|| Self { ranks, ..Self::default() })
    }

    /// Whether there are no ranks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranks == 0
    }

    /// Notes that one of the steps that an edge stands for changes a rank like this.
    pub(crate) fn note(&mut self, edge: EdgeId, rank: usize, change: RankChange) {
        let ranks = self.ranks;
        let changes = self.edges.entry(edge).or_insert_with(|| vec![RankChange::Decreases; ranks]);
        changes[rank] = changes[rank].max(change);
    }

    /// What a possible step does to a rank; a step that no process takes is one of a run that has ended.
    fn change(&self, edge: EdgeId, by: Option<ActionId>, rank: usize) -> RankChange {
        match self.edges.get(&edge) {
            Some(changes) => changes[rank],
            None if by.is_none() => RankChange::Keeps,
            None => RankChange::Free,
        }
    }
}

/// The ranks that what leads from one claim to another decreases, and those that it may increase, as sets of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Changes {
    decreased: u64,
    free: u64,
}

impl Changes {
    fn of(changes: impl Iterator<Item = RankChange>) -> Self {
        let mut found = Self::default();
        for (rank, change) in changes.enumerate() {
            match change {
                RankChange::Decreases => found.decreased |= 1 << rank,
                RankChange::Keeps => {}
                RankChange::Free => found.free |= 1 << rank,
            }
        }
        found
    }
}

impl Case<'_> {
    /// What steps along a possible edge do to ranks.
    pub(super) fn changes_along(&self, edge: &Edge) -> Changes {
        let Some(steps) = self.ranked else { return Changes::default() };
        Changes::of((0..steps.ranks).map(|rank| steps.change(edge.id, edge.action, rank)))
    }

    /// What a step between two states does to ranks, whichever possible edge it is.
    fn changes_between(&self, from: StateId, to: StateId) -> Changes {
        let Some(steps) = self.ranked else { return Changes::default() };
        let worst = |rank: usize| {
            let edges = self.structure.possible_edges(from, Filter::Any).filter(|edge| edge.target == to);
            edges.map(|edge| steps.change(edge.id, edge.action, rank)).max().unwrap_or(RankChange::Free)
        };
        Changes::of((0..steps.ranks).map(worst))
    }

    /// What a certain step from a state into one of these does to ranks, by the state that it leads to.
    ///
    /// Which step it is need not be known. If they are all states that possible steps lead to, it is one of those. Else it is a step of the process whose certain
    /// set it is: what its possible steps to a state do, all of its steps do that lead there. Abstract states may overlap, so a step of a process may lead into one that is listed for another process
    /// only: of such a step nothing is known.
    pub(super) fn changes_into(&self, from: StateId, filter: Filter, into: &[StateId]) -> Vec<Changes> {
        let Some(steps) = self.ranked else { return vec![Changes::default(); into.len()] };
        let inside = |state: StateId| into.binary_search(&state).is_ok();
        if self.structure.possible(from, Filter::Any).all(inside) {
            return into.iter().map(|&to| self.changes_between(from, to)).collect();
        }
        let by = |action: Option<ActionId>, to: StateId, rank: usize| {
            let edges = self.structure.model.edges_from(from);
            let edges = edges.filter(|edge| edge.may && edge.target == to && edge.action == action && action.is_some());
            edges.map(|edge| steps.change(edge.id, edge.action, rank)).max().unwrap_or(RankChange::Free)
        };
        let of = |action: Option<ActionId>| -> Vec<Changes> {
            into.iter().map(|&to| Changes::of((0..steps.ranks).map(|rank| by(action, to, rank)))).collect()
        };
        let known = self.structure.certain_actions(from, filter, inside).into_iter().map(of);
        // Whoever claims chooses whose step it is: one that increases little, and decreases much.
        let best = known.min_by_key(|changes| {
            let count = |of: fn(&Changes) -> u64| changes.iter().map(|one| of(one).count_ones()).sum::<u32>();
            let bits: Vec<(u64, u64)> = changes.iter().map(|one| (one.free, one.decreased)).collect();
            (count(|one| one.free), u32::MAX - count(|one| one.decreased), bits)
        });
        best.unwrap_or_else(|| of(None))
    }

    /// The members of a certain set with rank conditions, with what the step into each does.
    pub(super) fn ranked_members(
        &self,
        set: u32,
        from: StateId,
        by: Option<ActionId>,
    ) -> Option<Vec<(StateId, Changes)>> {
        let step = self.ranked?.moves.get(set as usize)?;
        let fits = step.from == from && (by.is_none() || step.action == by);
        let member = |(to, changes): &(StateId, Vec<RankChange>)| (*to, Changes::of(changes.iter().copied()));
        fits.then(|| step.into.iter().map(member).collect())
    }
}

/// The claims that each claim rests on, and what leads there does to ranks.
pub(super) type RankedNeeds = Vec<Vec<(u32, Changes)>>;

pub(super) fn check(case: &Case<'_>, claims: &[Claim], rules: &Rules, needs: RankedNeeds) -> Result<(), Rejection> {
    let mut decomposition = Decomposition { case, claims, rules, needs };
    let mut open: Vec<Vec<u32>> = vec![(0..to_u32(claims.len())).collect()];
    while let Some(part) = open.pop() {
        for component in decomposition.cyclic_components(&part)? {
            open.push(decomposition.reduced(component)?);
        }
    }
    Ok(())
}

struct Decomposition<'a> {
    case: &'a Case<'a>,
    claims: &'a [Claim],
    rules: &'a Rules,
    /// What is taken out is gone.
    needs: RankedNeeds,
}

impl Decomposition<'_> {
    /// The strongly connected sets of claims among these that have a cycle.
    fn cyclic_components(&self, part: &[u32]) -> Result<Vec<Vec<u32>>, Rejection> {
        let place: BTreeMap<u32, u32> = part.iter().enumerate().map(|(at, &claim)| (claim, to_u32(at))).collect();
        let mut graph = Graph::new();
        for &claim in part {
            graph.push(self.needs[claim as usize].iter().filter_map(|(to, _)| place.get(to).copied()));
        }
        let component = graph.components(self.case.budget)?;
        let cyclic = graph.on_cycle(&component);
        let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (at, &claim) in part.iter().enumerate().filter(|&(at, _)| cyclic[at]) {
            found.entry(component[at]).or_default().push(claim);
        }
        Ok(found.into_values().collect())
    }

    /// What remains of a strongly connected set: without an outermost fixpoint that may go on for ever, or without steps that cannot be taken for ever.
    fn reduced(&mut self, component: Vec<u32>) -> Result<Vec<u32>, Rejection> {
        self.case.budget.check()?;
        let fixpoint = |&claim: &u32| {
            let claim = &self.claims[claim as usize];
            self.rules.is_fixpoint(self.case.formula, claim.node, claim.positive).then_some(claim.node)
        };
        let outermost: Option<NodeId> = component.iter().filter_map(fixpoint).max();
        let ends = |claim: &u32| {
            let claim = &self.claims[*claim as usize];
            Some(claim.node) == outermost && must_end(self.case, self.rules, claim.node, claim.positive)
        };
        let Some(&bad) = component.iter().find(|claim| ends(claim)) else {
            let stays = |claim: &u32| Some(self.claims[*claim as usize].node) != outermost;
            return match outermost {
                Some(_) => Ok(component.into_iter().filter(stays).collect()),
                None => Err(self.refused(component[0])),
            };
        };
        if self.without_decreasing(&component) { Ok(component) } else { Err(self.refused(bad)) }
    }

    /// Takes the steps out that decrease a rank which nothing here increases; whether there is such a rank.
    fn without_decreasing(&mut self, component: &[u32]) -> bool {
        let inside = |claim: u32| component.binary_search(&claim).is_ok();
        let (mut decreased, mut free) = (0, 0);
        for &claim in component {
            for &(_, changes) in self.needs[claim as usize].iter().filter(|&&(to, _)| inside(to)) {
                decreased |= changes.decreased;
                free |= changes.free;
            }
        }
        let useful = decreased & !free;
        if useful == 0 {
            return false;
        }
        for &claim in component {
            self.needs[claim as usize].retain(|&(to, changes)| !inside(to) || changes.decreased & useful == 0);
        }
        true
    }

    fn refused(&self, claim: u32) -> Rejection {
        let claim = &self.claims[claim as usize];
        Diagnostic::error(
            "E0614",
            format!(
                "the claim that {} rests on itself, and no rank decreases there for ever: it must be reached in finitely many steps",
                self.case.says(key(claim))
            ),
        )
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_ranked_certificate;
    use tertium_base::Budget;
    use tertium_evidence::{Certificate, Choice, Proof, Reading};
    use tertium_lattice::Belnap;
    use tertium_logic::{Logic, ParseOptions, parse};
    use tertium_model::{Kmts, KmtsBuilder};
    use tertium_testkit::{Rng, for_random_cases};

    type Edges = Vec<(usize, usize, [RankChange; 2])>;

    /// Up to three states and one that is `p`, at most eight possible steps, each of which does something to two ranks.
    fn random_structure(rng: &mut Rng) -> (Kmts, RankedSteps, Edges) {
        let states = 1 + rng.below(3);
        let mut builder = KmtsBuilder::new();
        let p = builder.add_prop("p");
        let by = builder.add_action("P");
        for state in 0..=states {
            let id = builder.add_state(&state.to_string());
            builder.set_label(id, p, (state == states).into());
        }
        let mut edges: Edges = Vec::new();
        for from in 0..states {
            for to in 0..=states {
                if rng.chance(60) && edges.len() < 8 {
                    let change =
                        |rng: &mut Rng| [RankChange::Decreases, RankChange::Keeps, RankChange::Free][rng.below(3)];
                    edges.push((from, to, [change(rng), change(rng)]));
                    builder.add_edge(StateId::new(from), StateId::new(to), true, false, Some(by));
                }
            }
        }
        builder.add_init(StateId::new(0));
        let model = builder.finish().expect("it is small");
        let mut steps = RankedSteps::new(2).expect("two are few");
        for &(from, to, changes) in &edges {
            let mut found = model.edges_from(StateId::new(from));
            let edge = found.find(|edge| edge.target.index() == to).expect("it was added");
            changes.into_iter().enumerate().for_each(|(rank, change)| steps.note(edge.id, rank, change));
        }
        (model, steps, edges)
    }

    /// Whether some set of steps that can be reached and taken for ever excludes no rank.
    fn can_go_on(edges: &Edges) -> bool {
        let reaches = |set: &dyn Fn(usize) -> bool, from: usize| {
            let mut seen = vec![from];
            let mut at = 0;
            while at < seen.len() {
                for (number, &(a, b, _)) in edges.iter().enumerate() {
                    if set(number) && a == seen[at] && !seen.contains(&b) {
                        seen.push(b);
                    }
                }
                at += 1;
            }
            seen
        };
        let start = reaches(&|_| true, 0);
        (1usize..1 << edges.len()).any(|bits| {
            let set = |number: usize| bits >> number & 1 == 1;
            let chosen: Vec<&(usize, usize, [RankChange; 2])> =
                edges.iter().enumerate().filter(|&(at, _)| set(at)).map(|(_, edge)| edge).collect();
            let round = chosen.iter().all(|a| chosen.iter().all(|b| reaches(&set, a.1).contains(&b.0)));
            let excluded = (0..2).any(|rank| {
                let some = |wanted: RankChange| chosen.iter().any(|edge| edge.2[rank] == wanted);
                some(RankChange::Decreases) && !some(RankChange::Free)
            });
            round && start.contains(&chosen[0].0) && !excluded
        })
    }

    #[test]
    fn eventualities_are_accepted_exactly_if_no_cycle_is_left() {
        let counts = std::cell::Cell::new([0, 0]);
        for_random_cases(400, |case| {
            let (model, steps, edges) = random_structure(&mut case.rng);
            case.keep("edges.txt", format!("{edges:?}"));
            let formula = parse("AF p", &ParseOptions::in_logic(Logic::Ctl)).formula.expect("a formula");
            let (root, last) = (formula.root(), model.state_count() - 1);
            let mut claims: Vec<Claim> = (0..last)
                .map(|at| Claim { state: StateId::new(at), node: root, positive: true, choice: Choice::Onward })
                .collect();
            let (state, atom) = (StateId::new(last), formula.node_ids().next().expect("an atom"));
            claims.push(Claim { state, node: root, positive: true, choice: Choice::Operand(0) });
            claims.push(Claim { state, node: atom, positive: true, choice: Choice::None });
            let certificate = Certificate {
                formula: formula.text(),
                logic: Logic::Ctl,
                reading: Reading::default(),
                state: StateId::new(0),
                value: Belnap::True,
                proof: Proof::Claims(claims),
            };
            let accepted = check_ranked_certificate(&model, &steps, &certificate, &Budget::unlimited()).is_ok();
            let goes_on = can_go_on(&edges);
            // Claims about states that cannot be reached must be backed, too.
            assert!(!accepted || !goes_on, "accepted");
            let all = (0..last).all(|at| edges.iter().any(|edge| edge.1 == at) || at == 0);
            assert!(accepted || goes_on || !all || unreachable_cycle(&edges), "refused");
            let mut told = counts.get();
            told[usize::from(accepted)] += 1;
            counts.set(told);
        });
        assert!(counts.get().iter().all(|&count| count > 40), "{:?}", counts.get());
    }

    /// What one process does to a rank says nothing of a certain step of another one into the same abstract state, which its possible steps need not list where abstract
    /// states overlap.
    #[test]
    fn a_certain_step_has_no_ranks_of_other_processes() {
        let mut builder = KmtsBuilder::new();
        let goal = builder.add_prop("p");
        let [own, other] = ["P", "Q"].map(|name| builder.add_action(name));
        let states = ["0", "1", "2"].map(|name| builder.add_state(name));
        states.iter().for_each(|&state| builder.set_label(state, goal, Belnap::False));
        builder.add_edge(states[0], states[0], true, false, Some(other));
        builder.add_edge(states[0], states[0], false, true, Some(own));
        builder.add_edge(states[0], states[1], true, false, Some(own));
        builder.add_init(states[0]);
        let model = builder.finish().expect("it is small");
        let mut steps = RankedSteps::new(1).expect("one is few");
        let listed = |by| model.edges_from(states[0]).find(|edge| edge.may && edge.action == Some(by));
        steps.note(listed(other).expect("it was added").id, 0, RankChange::Decreases);
        steps.note(listed(own).expect("it was added").id, 0, RankChange::Keeps);
        let formula = parse("EF p", &ParseOptions::in_logic(Logic::Ctl)).formula.expect("a formula");
        let choice = Choice::Into(vec![states[0]]);
        let claim = Claim { state: states[0], node: formula.root(), positive: true, choice };
        let certificate = Certificate {
            formula: formula.text(),
            logic: Logic::Ctl,
            reading: Reading::default(),
            state: states[0],
            value: Belnap::True,
            proof: Proof::Claims(vec![claim]),
        };
        assert!(check_ranked_certificate(&model, &steps, &certificate, &Budget::unlimited()).is_err());
    }

    /// Whether some state that has steps cannot be reached from the first.
    fn unreachable_cycle(edges: &Edges) -> bool {
        let mut seen = vec![0];
        while let Some(edge) = edges.iter().find(|edge| seen.contains(&edge.0) && !seen.contains(&edge.1)) {
            seen.push(edge.1);
        }
        edges.iter().any(|edge| !seen.contains(&edge.0))
    }
}

//! Ranking functions, checked: why does no run go on like this for ever?
//!
//! Because a ranking function would decrease without end. A [`Rank`] names an integer and lists steps of a structure that make it smaller where it
//! was not negative, and steps that do not make it greater; every other step counts as one that may. Then no run takes infinitely many of the
//! first unless it takes infinitely many of the last. Several integers are one rank, as in a dictionary: one of them decreases from a value that is not negative, and none
//! before it increases. Strong fairness says the same of a process: no run is infinitely often where it is able to
//! step unless it steps infinitely often.
//!
//! Such a promise becomes part of the structure: each state is there twice. In the first copy what the promise asks for must happen again and
//! again, in the second what it forbids happens no more; a run may go over to the second copy with any step. So an ordinary certificate can
//! speak of the result. That is right for what every run does, and for nothing else.
//!
//! Where claims speak of the structure they stay beside it instead ([`steps`]): a play of claims on which a rank decreases again and again and from some point on
//! never increases is none that the program can follow. There certain steps, too, may have rank conditions.

use std::collections::{BTreeMap, BTreeSet};

use tertium_evidence::abstraction::{Rank, RankedSet, Structure, Taken};
use tertium_model::{ActionId, Edge, EdgeId, Kmts, KmtsBuilder, PropId, StateId};

use super::machine::NoTerm;
use super::proof_obligations::{Obligation, ProofObligations};
use super::steps::StepPath;
use super::terms::{Sort, TermId};
use crate::checker::{RankChange, RankedMove, RankedSteps};

/// More states are not drawn.
const MOST_STATES: usize = 200_000;
/// More promises are not drawn: each of them makes the structure twice as large.
pub(super) const MOST_PROMISES: usize = 6;

/// No run takes infinitely many edges of the first kind unless it takes infinitely many of the second.
#[derive(Debug, Default)]
pub(crate) struct Promise {
    pub(crate) forbidden: BTreeSet<EdgeId>,
    pub(crate) wanted: BTreeSet<EdgeId>,
}

impl Promise {
    /// What a rank promises about the edges of a drawing. An edge that several steps became is what all of them are.
    pub(super) fn of_rank(
        rank: &Rank,
        targets: &BTreeMap<(u32, u32), BTreeSet<u32>>,
        drawn: &Kmts,
        actions: &[ActionId],
    ) -> Self {
        let decreasing: BTreeSet<Taken> = rank.decreasing.iter().copied().collect();
        let non_increasing: BTreeSet<Taken> = rank.non_increasing.iter().copied().collect();
        let mut promise = Self::default();
        let mut not_decreasing: BTreeSet<EdgeId> = BTreeSet::new();
        for (&(from, by), targets) in targets {
            for &to in targets {
                let Some(edge) = find(drawn, from, actions[by as usize], to) else { continue };
                let taken = (from, by, to);
                if decreasing.contains(&taken) {
                    promise.forbidden.insert(edge);
                    continue;
                }
                not_decreasing.insert(edge);
                if !non_increasing.contains(&taken) {
                    promise.wanted.insert(edge);
                }
            }
        }
        promise.forbidden.retain(|edge| !not_decreasing.contains(edge));
        promise
    }

    /// What strong fairness to a process promises, if it is surely able to step in these states.
    pub(super) fn of_process(by: ActionId, able: &BTreeSet<u32>, drawn: &Kmts) -> Self {
        let mut promise = Self::default();
        for state in drawn.states() {
            for edge in drawn.edges_from(state) {
                if able.contains(&state.number()) {
                    promise.forbidden.insert(edge.id);
                }
                if edge.action == Some(by) {
                    promise.wanted.insert(edge.id);
                }
            }
        }
        promise
    }
}

fn find(drawn: &Kmts, from: u32, by: ActionId, to: u32) -> Option<EdgeId> {
    let target = StateId::new(to as usize);
    let mut edges = drawn.edges_from(StateId::new(from as usize));
    edges.find(|edge| edge.may && edge.target == target && edge.action == Some(by)).map(|edge| edge.id)
}

/// The possible steps of a drawing, in copies that keep promises. The first copy has the numbers and names of the drawing.
pub(crate) fn keeping(drawn: &Kmts, promises: &[Promise]) -> Result<Kmts, NoTerm> {
    let (states, copies) = (drawn.state_count(), 1usize << promises.len().min(MOST_PROMISES));
    if promises.len() > MOST_PROMISES || states.saturating_mul(copies) > MOST_STATES {
        return Err(NoTerm::new("there are too many ranks, or too many states"));
    }
    let mut copying = Copying::new(drawn, promises, copies);
    for state in drawn.states() {
        for edge in drawn.edges_from(state).filter(|edge| edge.may) {
            copying.edge(state, &edge);
        }
    }
    copying.finish()
}

type Listed = Vec<(StateId, StateId, Option<ActionId>)>;

struct Copying<'d> {
    drawn: &'d Kmts,
    promises: &'d [Promise],
    copies: usize,
    builder: KmtsBuilder,
    /// By constraint of the drawing, its two sets.
    fair: Vec<(Listed, Listed)>,
    kept: Vec<Listed>,
}

impl<'d> Copying<'d> {
    fn new(drawn: &'d Kmts, promises: &'d [Promise], copies: usize) -> Self {
        let mut builder = KmtsBuilder::new();
        for copy in 0..copies {
            for state in drawn.states() {
                let name = drawn.state_name(state);
                let _ = if copy == 0 { builder.add_state(name) } else { builder.add_state(&format!("{name} #{copy}")) };
            }
        }
        for action in drawn.actions() {
            builder.add_action(action);
        }
        for (at, prop) in drawn.props().iter().enumerate() {
            let new = builder.add_prop(prop);
            for (copy, state) in (0..copies).flat_map(|copy| drawn.states().map(move |state| (copy, state))) {
                let number = copy * drawn.state_count() + state.index();
                builder.set_label(StateId::new(number), new, drawn.label(state, PropId::new(at)));
            }
        }
        drawn.init().iter().for_each(|&start| builder.add_init(start));
        builder.set_total(drawn.total());
        let fair = vec![(Listed::new(), Listed::new()); drawn.fairness().len()];
        Self { drawn, promises, copies, builder, fair, kept: vec![Listed::new(); promises.len()] }
    }

    fn id(&self, copy: usize, state: StateId) -> StateId {
        StateId::new(copy * self.drawn.state_count() + state.index())
    }

    /// An edge between all copies: promises that are kept already stay kept.
    fn edge(&mut self, from: StateId, edge: &Edge) {
        for before in 0..self.copies {
            let broken =
                |(at, promise): (usize, &Promise)| before >> at & 1 != 0 && promise.forbidden.contains(&edge.id);
            if self.promises.iter().enumerate().any(broken) {
                continue;
            }
            for after in (0..self.copies).filter(|after| after & before == before) {
                self.copied(from, edge, (before, after));
            }
        }
    }

    fn copied(&mut self, from: StateId, edge: &Edge, (before, after): (usize, usize)) {
        let key = (self.id(before, from), self.id(after, edge.target), edge.action);
        self.builder.add_edge(key.0, key.1, true, false, edge.action);
        for (constraint, (possible, certain)) in self.drawn.fairness().iter().zip(&mut self.fair) {
            if constraint.possible.contains(edge.id.index()) {
                possible.push(key);
            }
            if constraint.certain.contains(edge.id.index()) {
                certain.push(key);
            }
        }
        for (at, (promise, kept)) in self.promises.iter().zip(&mut self.kept).enumerate() {
            let [was, is] = [before, after].map(|copy| copy >> at & 1 != 0);
            if was || (!is && promise.wanted.contains(&edge.id)) {
                kept.push(key);
            }
        }
    }

    fn finish(mut self) -> Result<Kmts, NoTerm> {
        for (possible, certain) in self.fair {
            self.builder.add_split_fairness(possible, certain);
        }
        self.kept.into_iter().for_each(|kept| self.builder.add_fairness(kept));
        self.builder.finish().map_err(|error| NoTerm::new(error.to_string()))
    }
}

/// What the steps of a drawing do to ranks. An edge that several steps became does what all of them do.
pub(super) fn steps(
    structure: &Structure,
    targets: &BTreeMap<(u32, u32), BTreeSet<u32>>,
    drawn: &Kmts,
    actions: &[ActionId],
) -> Result<RankedSteps, NoTerm> {
    let mut steps = RankedSteps::new(structure.ranks.len()).ok_or_else(|| NoTerm::new("there are too many ranks"))?;
    for (number, rank) in structure.ranks.iter().enumerate() {
        let decreasing: BTreeSet<Taken> = rank.decreasing.iter().copied().collect();
        let non_increasing: BTreeSet<Taken> = rank.non_increasing.iter().copied().collect();
        for (&(from, by), targets) in targets {
            for &to in targets {
                let Some(edge) = find(drawn, from, actions[by as usize], to) else { continue };
                let change = if decreasing.contains(&(from, by, to)) {
                    RankChange::Decreases
                } else if non_increasing.contains(&(from, by, to)) {
                    RankChange::Keeps
                } else {
                    RankChange::Free
                };
                steps.note(edge, number, change);
            }
        }
    }
    let id = |number: u32| StateId::new(number as usize);
    for set in &structure.ranked {
        let into = set.into.iter().map(|(to, conditions)| {
            let mut changes = vec![RankChange::Free; structure.ranks.len()];
            for &(rank, decreases) in conditions {
                changes[rank as usize] = if decreases { RankChange::Decreases } else { RankChange::Keeps };
            }
            (id(*to), changes)
        });
        let action = set.by.map(|by| actions[by as usize]);
        steps.moves.push(RankedMove { from: id(set.from), action, into: into.collect() });
    }
    Ok(steps)
}

/// Whether what a structure says about ranks speaks of these states and processes.
pub(super) fn fit(structure: &Structure, states: usize, processes: usize) -> bool {
    let fits =
        |&(from, by, to): &Taken| (from as usize) < states && (by as usize) < processes && (to as usize) < states;
    let ranks = structure.ranks.len();
    let set = |set: &RankedSet| {
        let member = |(to, conditions): &(u32, Vec<(u32, bool)>)| {
            (*to as usize) < states && conditions.iter().all(|&(rank, _)| (rank as usize) < ranks)
        };
        (set.from as usize) < states
            && set.by.is_none_or(|by| (by as usize) < processes)
            && !set.into.is_empty()
            && set.into.iter().all(member)
            && !structure.untold.contains(&set.from)
    };
    structure.ranked.iter().all(set)
        && structure.ranks.iter().all(|rank| rank.decreasing.iter().chain(&rank.non_increasing).all(fits))
        && structure.strong.iter().all(|&slot| (slot as usize) < processes)
}

impl ProofObligations<'_, '_> {
    /// That every step which a rank lists is of its kind.
    ///
    /// # Errors
    /// If something has no term, or is no integer.
    pub(super) fn rank(&mut self, rank: &Rank) -> Result<Vec<Obligation>, NoTerm> {
        self.integers(&rank.terms)?;
        let mut found = Vec::new();
        let decreasing = rank.decreasing.iter().map(|&taken| (taken, true));
        for (taken, decreasing) in decreasing.chain(rank.non_increasing.iter().map(|&taken| (taken, false))) {
            found.extend(self.changes(&rank.terms, taken, decreasing)?);
        }
        Ok(found)
    }

    /// That a step of a structure makes integers smaller; or, if not `decreasing`, not greater ([`Rank`]).
    fn changes(&mut self, texts: &[String], taken: Taken, decreasing: bool) -> Result<Vec<Obligation>, NoTerm> {
        let rank = self.integers(texts)?;
        let mut found = Vec::new();
        for (way, parts) in self.ways_against(&rank, taken, decreasing)? {
            let (kind, than) = if decreasing { ("makes", "smaller") } else { ("does not make", "greater") };
            let (what, told) = (texts.join(", "), self.told(&way));
            let about = format!("{told} {kind} `{what}` {than} on its way to state {}", taken.2);
            self.asked_in(taken.0 as usize, "rank", &about, &parts, &mut found);
        }
        Ok(found)
    }

    /// The ways in which a step can be taken, each with what it takes not to change integers as it should.
    fn ways_against(
        &mut self,
        rank: &[TermId],
        (from, by, to): Taken,
        decreasing: bool,
    ) -> Result<Vec<(StepPath, [TermId; 4])>, NoTerm> {
        let pid = by as usize;
        let place = self.abstraction.states[from as usize].at[pid];
        let mut found = Vec::new();
        for source in self.places(pid, place) {
            for way in &self.moves(pid, source)?.ways {
                let after: Vec<TermId> =
                    rank.iter().map(|&term| self.machine.terms.substitute(term, &way.after)).collect();
                let good = self.goes(rank, &after, decreasing);
                let not = self.machine.terms.not(good);
                let (here, arrives) = (self.from(way), self.arrives(way, &BTreeSet::from([to]))?);
                found.push((way.clone(), [here, way.taken, arrives, not]));
            }
        }
        Ok(found)
    }

    /// Every program state of an abstract one can step into a member of the set, and that step changes ranks as the member says.
    ///
    /// # Errors
    /// If something has no term, or is no integer.
    pub(super) fn is_certain_with_ranks(
        &mut self,
        ranks: &[Rank],
        set: &RankedSet,
        found: &mut Vec<Obligation>,
    ) -> Result<(), NoTerm> {
        let at = self.abstraction.states[set.from as usize].at.clone();
        let mut none = Vec::new();
        for pid in (0..self.machine.processes()).filter(|&pid| set.by.is_none_or(|by| by as usize == pid)) {
            for source in self.places(pid, at[pid]) {
                for way in self.moves(pid, source)?.ways.iter().filter(|way| way.sure) {
                    let mut arrives = Vec::new();
                    for (member, conditions) in &set.into {
                        arrives.push(self.arrives_with(way, *member, conditions, ranks)?);
                    }
                    let (here, inside) = (self.from(way), self.machine.terms.any(&arrives));
                    let whole = self.machine.terms.all(&[here, way.taken, inside]);
                    none.push(self.machine.never(&way.inputs, whole));
                }
            }
        }
        let members: Vec<String> = set.into.iter().map(|(member, _)| member.to_string()).collect();
        let who = set.by.map_or("some process".to_owned(), |by| self.machine.name(by as usize).to_owned());
        let about = format!("{who} can surely step into one of the states {} and change ranks so", members.join(", "));
        self.asked_in(set.from as usize, "certain", &about, &none, found);
        Ok(())
    }

    /// A way leads into a state and changes ranks as the conditions say.
    fn arrives_with(
        &mut self,
        way: &StepPath,
        member: u32,
        conditions: &[(u32, bool)],
        ranks: &[Rank],
    ) -> Result<TermId, NoTerm> {
        let mut parts = vec![self.arrives(way, &BTreeSet::from([member]))?];
        for &(rank, decreasing) in conditions {
            let before = self.integers(&ranks[rank as usize].terms)?;
            let after: Vec<TermId> =
                before.iter().map(|&term| self.machine.terms.substitute(term, &way.after)).collect();
            parts.push(self.goes(&before, &after, decreasing));
        }
        Ok(self.machine.terms.all(&parts))
    }

    fn integers(&mut self, texts: &[String]) -> Result<Vec<TermId>, NoTerm> {
        let mut found = Vec::new();
        for text in texts {
            let term = self.machine.terms.read_with(text, &self.shared).map_err(NoTerm)?;
            if self.machine.terms.sort(term) != Sort::Int {
                return Err(NoTerm::new(format!("`{text}` is no integer")));
            }
            found.push(term);
        }
        if found.is_empty() { Err(NoTerm::new("a rank has no integer")) } else { Ok(found) }
    }

    /// One of the integers decreases and was not negative, and none before it increases; or, if not `decreasing`, none increases.
    ///
    /// Of the integers that decrease like this infinitely often, the first one increases only finitely often, if all other steps increase none: so it cannot do so.
    fn goes(&mut self, before: &[TermId], after: &[TermId], decreasing: bool) -> TermId {
        let terms = &mut self.machine.terms;
        let (zero, mut none_increases) = (terms.number(0), terms.truth(true));
        let mut ways = Vec::new();
        for (&was, &is) in before.iter().zip(after) {
            let (least, smaller) = (terms.le(zero, was), terms.lt(is, was));
            ways.push(terms.all(&[none_increases, least, smaller]));
            let not_greater = terms.le(is, was);
            none_increases = terms.and(none_increases, not_greater);
        }
        if !decreasing {
            ways.push(none_increases);
        }
        terms.any(&ways)
    }
}

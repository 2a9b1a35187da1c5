//! Ranking functions, checked: why does no run go on like this for ever?
//!
//! Because a ranking function would decrease without end. A [`Rank`] names an integer and lists steps of a structure that make it smaller where it
//! was not negative, and steps that do not make it greater; every other step counts as one that may. Then no run takes infinitely many of the
//! first unless it takes infinitely many of the last. Several integers are one rank: the first that changes decides, and all but the last fall
//! only where they are not negative. Strong fairness says the same of a process: no run is infinitely often where it is able to
//! step unless it steps infinitely often.
//!
//! Such a promise becomes part of the structure: each state is there twice. In the first copy what the promise asks for must happen again and
//! again, in the second what it forbids happens no more; a run may go over to the second copy with any step. So an ordinary certificate can
//! speak of the result. That is right for what every run does, and for nothing else.

use std::collections::{BTreeMap, BTreeSet};

use tertium_evidence::abstraction::{Rank, Structure, Taken};
use tertium_model::{ActionId, Edge, EdgeId, Kmts, KmtsBuilder, PropId, StateId};

use super::machine::NoTerm;
use super::proof_obligations::{Obligation, ProofObligations};
use super::steps::StepPath;
use super::terms::{Sort, TermId};

/// More states are not drawn.
const MOST_STATES: usize = 200_000;
/// More promises are not drawn: each of them makes the structure twice as large.
pub(super) const MOST_PROMISES: usize = 6;

/// No run takes infinitely many edges of the first kind unless it takes infinitely many of the second.
#[derive(Debug, Default)]
pub(super) struct Promise {
    pub(super) forbidden: BTreeSet<EdgeId>,
    pub(super) wanted: BTreeSet<EdgeId>,
}

impl Promise {
    /// What a rank promises about the edges of a drawing. An edge that several steps became is what all of them are.
    pub(super) fn of_rank(
        rank: &Rank,
        targets: &BTreeMap<(u32, u32), BTreeSet<u32>>,
        drawn: &Kmts,
        actions: &[ActionId],
    ) -> Self {
        let falls: BTreeSet<Taken> = rank.falls.iter().copied().collect();
        let keeps: BTreeSet<Taken> = rank.keeps.iter().copied().collect();
        let mut promise = Self::default();
        let mut not_falling: BTreeSet<EdgeId> = BTreeSet::new();
        for (&(from, by), targets) in targets {
            for &to in targets {
                let Some(edge) = find(drawn, from, actions[by as usize], to) else { continue };
                let taken = (from, by, to);
                if falls.contains(&taken) {
                    promise.forbidden.insert(edge);
                    continue;
                }
                not_falling.insert(edge);
                if !keeps.contains(&taken) {
                    promise.wanted.insert(edge);
                }
            }
        }
        promise.forbidden.retain(|edge| !not_falling.contains(edge));
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
pub(super) fn keeping(drawn: &Kmts, promises: &[Promise]) -> Result<Kmts, NoTerm> {
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

/// Whether what a structure says about ranks speaks of these states and processes.
pub(super) fn fit(structure: &Structure, states: usize, processes: usize) -> bool {
    let fits =
        |&(from, by, to): &Taken| (from as usize) < states && (by as usize) < processes && (to as usize) < states;
    structure.ranks.iter().all(|rank| rank.falls.iter().chain(&rank.keeps).all(fits))
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
        let falls = rank.falls.iter().map(|&taken| (taken, true));
        for (taken, falls) in falls.chain(rank.keeps.iter().map(|&taken| (taken, false))) {
            found.extend(self.changes(&rank.terms, taken, falls)?);
        }
        Ok(found)
    }

    /// That a step of a structure makes integers smaller; or, if not `falls`, not greater ([`Rank`]).
    fn changes(&mut self, texts: &[String], taken: Taken, falls: bool) -> Result<Vec<Obligation>, NoTerm> {
        let rank = self.integers(texts)?;
        let mut found = Vec::new();
        for (way, parts) in self.ways_against(&rank, taken, falls)? {
            let (kind, than) = if falls { ("makes", "smaller") } else { ("does not make", "greater") };
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
        falls: bool,
    ) -> Result<Vec<(StepPath, [TermId; 4])>, NoTerm> {
        let pid = by as usize;
        let place = self.abstraction.states[from as usize].at[pid];
        let mut found = Vec::new();
        for source in self.places(pid, place) {
            for way in &self.moves(pid, source)?.ways {
                let after: Vec<TermId> =
                    rank.iter().map(|&term| self.machine.terms.substitute(term, &way.after)).collect();
                let good = self.goes(rank, &after, falls);
                let not = self.machine.terms.not(good);
                let (here, arrives) = (self.from(way), self.arrives(way, &BTreeSet::from([to]))?);
                found.push((way.clone(), [here, way.taken, arrives, not]));
            }
        }
        Ok(found)
    }

    fn integers(&mut self, texts: &[String]) -> Result<Vec<TermId>, NoTerm> {
        let mut found = Vec::new();
        for text in texts {
            let term = self.machine.terms.read(text).map_err(NoTerm)?;
            if self.machine.terms.sort(term) != Sort::Int {
                return Err(NoTerm::new(format!("`{text}` is no integer")));
            }
            found.push(term);
        }
        if found.is_empty() { Err(NoTerm::new("a rank has no integer")) } else { Ok(found) }
    }

    /// The first integer that changes falls and was not negative; or, if not `falls`, at most the last changes, and does not grow.
    fn goes(&mut self, before: &[TermId], after: &[TermId], falls: bool) -> TermId {
        let terms = &mut self.machine.terms;
        let (zero, mut equal) = (terms.number(0), terms.truth(true));
        let mut ways = Vec::new();
        for (at, (&was, &is)) in before.iter().zip(after).enumerate() {
            let (least, smaller) = (terms.le(zero, was), terms.lt(is, was));
            ways.push(terms.all(&[equal, least, smaller]));
            if !falls && at + 1 == before.len() {
                let not_greater = terms.le(is, was);
                ways.push(terms.and(equal, not_greater));
            }
            let same = terms.eq(is, was);
            equal = terms.and(equal, same);
        }
        terms.any(&ways)
    }
}

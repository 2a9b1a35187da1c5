//! `E[a R b]`: greatest fixpoint by taking states out, both sets in one walk.
//!
//! A state stays as long as `b` holds and either `a` does or a step stays inside. Counters hold how
//! many possible successors, and how many certain sets, are still inside. They are filled in order of states from
//! what is inside by then, so that a state that is out from the start is never walked back from, and one that leaves
//! when its own counters are filled only to the states before it. Refuted states come first: they leave both sets,
//! so their incoming edges are looked at once.

use tertium_base::{BitSet, Stopped};
use tertium_model::{HyperId, StateId};

use super::pair::{POSSIBLE, Pair, SURE};
use super::pending::Pending;
use super::structure::Structure;

/// The sets of `E[a R b]`.
pub(super) fn exists_release(structure: &Structure<'_>, a: &Pair, b: &Pair) -> Result<Pair, Stopped> {
    if most_support(structure) <= usize::from(u8::MAX) {
        walk_back::<u8>(structure, a, b)
    } else {
        walk_back::<u32>(structure, a, b)
    }
}

fn walk_back<C: Counter>(structure: &Structure<'_>, a: &Pair, b: &Pair) -> Result<Pair, Stopped> {
    let mut walk = Walk::<C>::new(structure, a, b)?;
    walk.refuted()?;
    walk.uncertain()?;
    Ok(walk.inside)
}

/// The largest number that a counter must hold: steps of one state, and the set of all its successors.
fn most_support(structure: &Structure<'_>) -> usize {
    let model = structure.model();
    let of = |state| model.packed_edges(state).len() + model.hyper_range(state).len() + 1;
    model.states().map(of).max().unwrap_or(0)
}

/// A counter; small ones, for structures without large branchings, keep all counters in the cache.
trait Counter: Copy {
    const ZERO: Self;
    fn more(&mut self, by: u32);
    fn less(&mut self, by: u32);
    fn is_zero(self) -> bool;
}

macro_rules! counter {
    ($type:ty) => {
        impl Counter for $type {
            const ZERO: Self = 0;

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "`most_support` bounds the sum, so every summand")]
            fn more(&mut self, by: u32) {
                *self += by as Self;
            }

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "`most_support` bounds the sum, so every summand")]
            fn less(&mut self, by: u32) {
                *self -= by as Self;
            }

            #[inline]
            fn is_zero(self) -> bool {
                self == 0
            }
        }
    };
}

counter!(u8);
counter!(u32);

/// What keeps a state in: possible successors and certain sets that are still inside.
#[derive(Clone, Copy)]
struct Support<C> {
    possible: C,
    certain: C,
}

impl<C: Counter> Support<C> {
    const NONE: Self = Self { possible: C::ZERO, certain: C::ZERO };

    /// The bits that nothing supports.
    #[inline]
    fn lacking(self) -> u32 {
        (u32::from(self.possible.is_zero()) * POSSIBLE) | (u32::from(self.certain.is_zero()) * SURE)
    }
}

struct Walk<'w, 'a, C> {
    structure: &'w Structure<'a>,
    /// What is left of `b`.
    inside: Pair,
    /// What of it needs the support of a successor, so that it can still be lost.
    supported: Pair,
    support: Vec<Support<C>>,
    /// What was lost when the counters were filled: states that come later have not counted it.
    lost_on_entry: Pair,
    /// States from which the walk for the truth set has been made or is not needed.
    certainly_done: BitSet,
    refuted: Pending,
    uncertain: Pending,
    hyper_broken: BitSet,
    /// The set of all possible successors counts as a certain set, and is broken for these.
    successors_broken: Option<BitSet>,
    ticks: u32,
}

impl<'w, 'a, C: Counter> Walk<'w, 'a, C> {
    fn new(structure: &'w Structure<'a>, a: &Pair, b: &Pair) -> Result<Self, Stopped> {
        let states = structure.states();
        structure.budget().reserve(states * (size_of::<Support<C>>() + 1))?;
        let successors_count = structure.total() || structure.finite_paths();
        let mut walk = Self {
            structure,
            inside: b.clone(),
            supported: a.clone().complement().and(b),
            support: Vec::with_capacity(states),
            lost_on_entry: Pair::empty(states),
            certainly_done: BitSet::from_fn(states, |state| b.get(state) & SURE == 0),
            refuted: Pending::new(states),
            uncertain: Pending::new(states),
            hyper_broken: BitSet::empty(structure.model().hyper_count()),
            successors_broken: successors_count.then(|| BitSet::empty(states)),
            ticks: 0,
        };
        for state in 0..states {
            structure.budget().tick(&mut walk.ticks)?;
            walk.enter(state);
        }
        Ok(walk)
    }

    /// Counts a state's support; what it loses at once becomes pending.
    fn enter(&mut self, state: usize) {
        if self.supported.get(state) == 0 {
            self.support.push(Support::NONE);
            return;
        }
        let support = self.initial_support(state);
        self.support.push(support);
        let lost = support.lacking() & self.supported.get(state);
        if lost != 0 {
            self.lost_on_entry.set(state, lost);
            self.lose(state, lost);
        }
    }

    fn initial_support(&mut self, state: usize) -> Support<C> {
        let mut support = Support::<C>::NONE;
        let (mut kinds, mut all_inside) = (0, true);
        for edge in self.structure.model().packed_edges(StateId::new(state)) {
            let inside = self.inside.get(edge.target());
            support.possible.more(edge.kind() & inside & POSSIBLE);
            support.certain.more((edge.kind() & inside) >> 1);
            kinds |= edge.kind();
            all_inside &= edge.kind() & POSSIBLE == 0 || inside & SURE != 0;
        }
        let hyper_edges = self.enter_hyper(state, &mut support);
        let total = self.structure.total() && kinds & POSSIBLE != 0;
        if self.structure.finite_paths() && kinds & SURE == 0 && !hyper_edges && !total {
            // The path may end where a deadlock is possible.
            self.supported.clear(state, POSSIBLE);
        }
        // Staying inside is certain where every possible successor is inside: the path goes on there, or ends here.
        if self.structure.finite_paths() || total {
            if all_inside {
                support.certain.more(1);
            } else if let Some(broken) = &mut self.successors_broken {
                broken.insert(state);
            }
        }
        support
    }

    /// Counts a state's hyper edges that lie inside; says whether it has any.
    fn enter_hyper(&mut self, state: usize, support: &mut Support<C>) -> bool {
        let model = self.structure.model();
        let range = model.hyper_range(StateId::new(state));
        for at in range.clone() {
            let members = model.hyper(HyperId::new(at)).members;
            if members.iter().all(|member| self.inside.get(member.index()) & SURE != 0) {
                support.certain.more(1);
            } else {
                self.hyper_broken.insert(at);
            }
        }
        !range.is_empty()
    }

    /// Notes that a state has just lost these bits. A refuted one is walked back from for both in its turn.
    #[inline]
    fn go_on_from(&mut self, state: usize, bits: u32) {
        if bits & POSSIBLE != 0 {
            self.refuted.push(state);
        } else if bits & SURE != 0 {
            self.uncertain.push(state);
        }
    }

    fn refuted(&mut self) -> Result<(), Stopped> {
        while let Some(state) = self.refuted.pop() {
            self.structure.budget().tick(&mut self.ticks)?;
            let lost = !self.inside.get(state) & 3;
            let certainly = lost & SURE != 0 && self.certainly_done.insert(state);
            self.walk_back_from(state, if certainly { SURE | POSSIBLE } else { POSSIBLE })?;
        }
        Ok(())
    }

    fn uncertain(&mut self) -> Result<(), Stopped> {
        while let Some(state) = self.uncertain.pop() {
            if self.certainly_done.insert(state) {
                self.structure.budget().tick(&mut self.ticks)?;
                self.walk_back_from(state, SURE)?;
            }
        }
        Ok(())
    }

    /// Takes away the support that a state gave with these bits.
    fn walk_back_from(&mut self, state: usize, lost: u32) -> Result<(), Stopped> {
        let predecessors = self.structure.predecessors()?;
        let uncounted = self.lost_on_entry.get(state);
        for edge in predecessors.edges_into(state) {
            let lost = if edge.source() > state { lost & !uncounted } else { lost };
            // Where nothing can be lost any more nobody asks for the counters again: they are not even fetched.
            if self.supported.get(edge.source()) & lost != 0 {
                let sets = if lost & SURE == 0 { 0 } else { self.sets_broken(edge.source(), edge.kind()) };
                self.support_less(edge.source(), edge.kind() & lost & POSSIBLE, sets);
            }
        }
        if lost & SURE != 0 {
            for (hyper, source) in predecessors.hyper_into(state) {
                if self.hyper_broken.insert(hyper.index()) && self.supported.get(source) & SURE != 0 {
                    self.support_less(source, 0, 1);
                }
            }
        }
        Ok(())
    }

    /// How many certain sets of a state an edge out of the inside breaks: itself, and the set of all successors.
    #[inline]
    fn sets_broken(&mut self, source: usize, kind: u32) -> u32 {
        let all = match &mut self.successors_broken {
            Some(broken) if kind & POSSIBLE != 0 => broken.insert(source),
            _ => false,
        };
        (kind >> 1) + u32::from(all)
    }

    /// Takes away possible successors and certain sets.
    #[inline]
    fn support_less(&mut self, source: usize, successors: u32, sets: u32) {
        let support = &mut self.support[source];
        support.possible.less(successors);
        support.certain.less(sets);
        let lost = support.lacking() & self.supported.get(source);
        if lost != 0 {
            self.lose(source, lost);
        }
    }

    #[inline]
    fn lose(&mut self, state: usize, bits: u32) {
        self.inside.clear(state, bits);
        self.supported.clear(state, bits);
        self.go_on_from(state, bits);
    }
}

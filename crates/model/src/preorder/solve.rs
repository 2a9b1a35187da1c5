//! The greatest relation: start from matching labels, give up pairs round by round until nothing falls.
//!
//! Counters say how many reasons are left. For an origin and a state `c'`: how many of its targets `c'`
//! still refines; at zero, no state with a step to `c'` refines the origin's owner. For a demand and a
//! state `c`: how many certain sets of `c` still answer it; at zero, `c` refines none of its owners.

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Budget, Stopped};
use tertium_lattice::TruthValue;

use super::Relation;
use super::rounds::Rounds;
use super::sides::{Codes, Left, Lists, Right, fits};
use crate::kmts::{Kmts, PropId, StateId};

/// A counter of reasons: two bytes unless some state has too many edges for that.
trait Count: Copy + Default + PartialEq {
    fn more(&mut self);
    /// Whether none is left.
    fn less(&mut self) -> bool;
}

macro_rules! count {
    ($($kind:ty),*) => {$(
        impl Count for $kind {
            fn more(&mut self) {
                *self += 1;
            }
            fn less(&mut self) -> bool {
                *self -= 1;
                *self == 0
            }
        }
    )*};
}
count!(u16, u32);

pub(super) fn solve(
    left: &Kmts,
    right: &Kmts,
    props: &[usize],
    alternating: bool,
    budget: &Budget,
) -> Result<Relation, Stopped> {
    let mut first = matching_labels(left, right, props);
    if alternating {
        keep_equal_owners(left, right, &mut first);
    }
    let start = Start { rows: first, alternating };
    let codes = Codes::new(left, right);
    let demands = Left::new(left, &codes, Right::has_plain_steps(right));
    let answers = Right::new(right, &codes);
    let widest =
        |kmts: &Kmts| kmts.states().map(|state| kmts.edge_range(state).len() + kmts.hyper_range(state).len()).max();
    let most = widest(left).max(widest(right)).unwrap_or(0) + 1;
    let longest = demands.demands.iter().map(|(_, members)| members.len()).max().unwrap_or(0);
    if most.max(longest) < usize::from(u16::MAX) {
        Solver::<u16>::run(left, right, start, &codes, &demands, &answers, budget)
    } else {
        Solver::<u32>::run(left, right, start, &codes, &demands, &answers, budget)
    }
}

/// What single states say of each other.
struct Start {
    rows: Vec<BitSet>,
    alternating: bool,
}

/// Gives up pairs of states of different players.
fn keep_equal_owners(left: &Kmts, right: &Kmts, rows: &mut [BitSet]) {
    for a in left.states() {
        let other = BitSet::from_fn(right.state_count(), |c| right.owner_name(StateId::new(c)) == left.owner_name(a));
        rows[a.index()].intersect_with(&other);
    }
}

struct Solver<'a, N> {
    left: &'a Left,
    right: &'a Right,
    budget: &'a Budget,
    height: usize,
    width: usize,
    rows: Vec<BitSet>,
    rounds: Rounds,
    /// Origin by origin: for each state of the right how many targets it refines.
    origins: Vec<N>,
    /// Demand by demand: for each state of the right how many of its certain sets answer.
    answers: Vec<N>,
    /// For demands with several members: where their row of `covers` begins.
    cover_rows: Vec<u32>,
    covers: Vec<N>,
    /// Demand by demand: the wide sets of the right that no longer answer.
    broken: Vec<BitSet>,
    fallen: Vec<(u32, u32)>,
    round: u32,
}

impl<'a, N: Count> Solver<'a, N> {
    #[allow(clippy::too_many_arguments, reason = "called from one place, which has just made all of them")]
    fn run(
        abstracted: &Kmts,
        concrete: &Kmts,
        start: Start,
        codes: &Codes,
        left: &'a Left,
        right: &'a Right,
        budget: &'a Budget,
    ) -> Result<Relation, Stopped> {
        let (height, width) = (abstracted.state_count(), concrete.state_count());
        let wide = left.demands.iter().filter(|(_, members)| members.len() > 1).count();
        let rows = left.origins.len() + left.demands.len() + wide;
        let bits = (height + left.demands.len() * right.wide.len() / width.max(1)) * width / 8;
        budget.reserve(rows.saturating_mul(width).saturating_mul(size_of::<N>()) + height * width * 2 + bits)?;
        let mut solver = Self {
            left,
            right,
            budget,
            height,
            width,
            rows: start.rows,
            rounds: Rounds::new(height, width),
            origins: vec![N::default(); left.origins.len() * width],
            answers: vec![N::default(); left.demands.len() * width],
            cover_rows: Vec::new(),
            covers: vec![N::default(); wide * width],
            broken: vec![BitSet::empty(right.wide.len()); left.demands.len()],
            fallen: Vec::new(),
            round: 0,
        };
        solver.note_labels();
        solver.count_origins()?;
        solver.count_covers();
        solver.count_answers()?;
        solver.first_round(codes)?;
        solver.further_rounds()?;
        Ok(Relation { rows: solver.rows, rounds: solver.rounds, alternating: start.alternating })
    }

    fn note_labels(&mut self) {
        for a in 0..self.height {
            for c in (0..self.width).filter(|&c| !self.rows[a].contains(c)) {
                self.rounds.set(a, c, 0);
            }
        }
    }

    fn count_origins(&mut self) -> Result<(), Stopped> {
        let mut ticks = 0;
        for origin in 0..self.left.origins.len() {
            let row = &mut self.origins[origin * self.width..][..self.width];
            for &target in self.left.origin_targets.of(origin) {
                self.rows[target as usize].iter().for_each(|c| row[c].more());
                self.budget.tick(&mut ticks)?;
            }
        }
        Ok(())
    }

    fn count_covers(&mut self) {
        let mut next = 0;
        for (_, members) in &self.left.demands {
            self.cover_rows.push(next);
            if members.len() < 2 {
                continue;
            }
            let row = &mut self.covers[next as usize * self.width..][..self.width];
            for &member in members {
                self.rows[member].iter().for_each(|c| row[c].more());
            }
            next += 1;
        }
    }

    /// Whether state `c` of the right refines some member of the demand.
    fn covered(&self, demand: usize, c: usize) -> bool {
        match self.left.demands[demand].1[..] {
            [single] => self.rows[single].contains(c),
            _ => self.covers[self.cover_rows[demand] as usize * self.width + c] != N::default(),
        }
    }

    fn count_answers(&mut self) -> Result<(), Stopped> {
        let mut ticks = 0;
        for demand in 0..self.left.demands.len() {
            let wanted = self.left.demands[demand].0;
            for c in 0..self.width {
                self.budget.tick(&mut ticks)?;
                let plain = self.right.must.of(c).iter();
                let plain =
                    plain.filter(|&&(code, to)| fits(wanted, code) && self.covered(demand, to as usize)).count();
                (0..plain).for_each(|_| self.answers[demand * self.width + c].more());
            }
            for (set, (owner, code, members)) in self.right.wide.iter().enumerate() {
                if !fits(wanted, *code) || !members.iter().all(|&member| self.covered(demand, member)) {
                    self.broken[demand].insert(set);
                } else {
                    self.answers[demand * self.width + owner].more();
                }
            }
        }
        Ok(())
    }

    /// Gives up the pairs that matching labels alone do not save.
    fn first_round(&mut self, codes: &Codes) -> Result<(), Stopped> {
        self.round = 1;
        let mut ticks = 0;
        // For the current state of the left: its origin of each action, the last place for any.
        let mut offered: Vec<Option<u32>> = vec![None; codes.count() + 1];
        let place = |code: u32| (code as usize).min(codes.count());
        for a in 0..self.height {
            let left = self.left;
            for &origin in left.origins_of.of(a) {
                offered[place(left.origins[origin as usize].1)] = Some(origin);
            }
            for c in 0..self.width {
                self.budget.tick(&mut ticks)?;
                if !self.rows[a].contains(c) {
                    continue;
                }
                let has_origin = |&(code, to): &(u32, u32)| {
                    offered[place(code)]
                        .is_some_and(|origin| self.origins[origin as usize * self.width + to as usize] != N::default())
                };
                let is_answered = |&demand: &u32| self.answers[demand as usize * self.width + c] != N::default();
                if !self.right.steps.of(c).iter().all(has_origin) || !left.demands_of.of(a).iter().all(is_answered) {
                    self.fallen.push((to_u32(a), to_u32(c)));
                }
            }
            for &origin in left.origins_of.of(a) {
                offered[place(left.origins[origin as usize].1)] = None;
            }
        }
        for &(a, c) in &self.fallen {
            self.rows[a as usize].remove(c as usize);
            self.rounds.set(a as usize, c as usize, 1);
        }
        Ok(())
    }

    fn further_rounds(&mut self) -> Result<(), Stopped> {
        let mut ticks = 0;
        while !self.fallen.is_empty() {
            self.round += 1;
            self.rounds.prepare(self.round, self.budget)?;
            for (a, c) in std::mem::take(&mut self.fallen) {
                self.budget.tick(&mut ticks)?;
                self.lose_origins(a as usize, c as usize);
                self.lose_answers(a as usize, c as usize);
            }
        }
        Ok(())
    }

    fn give_up(&mut self, a: usize, c: usize) {
        if self.rows[a].remove(c) {
            self.rounds.set(a, c, self.round);
            self.fallen.push((to_u32(a), to_u32(c)));
        }
    }

    /// `c` no longer refines `a`: origins with `a` among their targets may be no origins of steps to `c`.
    fn lose_origins(&mut self, a: usize, c: usize) {
        let (left, right) = (self.left, self.right);
        for &origin in left.origins_into.of(a) {
            if !self.origins[origin as usize * self.width + c].less() {
                continue;
            }
            let (owner, wanted) = left.origins[origin as usize];
            for &(code, from) in right.steps_into.of(c).iter().filter(|(code, _)| *code == wanted) {
                debug_assert_eq!(code, wanted);
                self.give_up(owner, from as usize);
            }
        }
    }

    /// `c` no longer refines `a`: certain sets with `c` may no longer answer demands with `a`.
    fn lose_answers(&mut self, a: usize, c: usize) {
        let left = self.left;
        for &demand in left.demands_with.of(a) {
            let demand = demand as usize;
            let several = left.demands[demand].1.len() > 1;
            if several && !self.covers[self.cover_rows[demand] as usize * self.width + c].less() {
                continue;
            }
            self.uncovered(demand, c, &left.owners);
        }
    }

    /// No member of the demand is refined by `c` any more.
    fn uncovered(&mut self, demand: usize, c: usize, owners: &Lists<u32>) {
        let right = self.right;
        let wanted = self.left.demands[demand].0;
        for &(code, from) in right.must_into.of(c) {
            if fits(wanted, code) {
                self.answer_lost(demand, from as usize, owners);
            }
        }
        for &set in right.wide_with.of(c) {
            if self.broken[demand].insert(set as usize) {
                self.answer_lost(demand, right.wide[set as usize].0, owners);
            }
        }
    }

    fn answer_lost(&mut self, demand: usize, c: usize, owners: &Lists<u32>) {
        if self.answers[demand * self.width + c].less() {
            for &owner in owners.of(demand) {
                self.give_up(owner as usize, c);
            }
        }
    }
}

/// For each state of the left the states of the right whose labels carry at least its information.
fn matching_labels(left: &Kmts, right: &Kmts, props: &[usize]) -> Vec<BitSet> {
    let mut rows = vec![BitSet::full(right.state_count()); left.state_count()];
    for (mine, &theirs) in props.iter().enumerate() {
        let theirs = PropId::new(theirs);
        let fitting: Vec<(tertium_lattice::Belnap, BitSet)> = tertium_lattice::Belnap::ALL
            .iter()
            .map(|&value| {
                let fits = |c: usize| value.info_le(right.label(crate::StateId::new(c), theirs));
                (value, BitSet::from_fn(right.state_count(), fits))
            })
            .collect();
        for state in left.states() {
            let label = left.label(state, PropId::new(mine));
            let column = fitting.iter().find(|(value, _)| *value == label);
            if let Some((_, column)) = column {
                rows[state.index()].intersect_with(column);
            }
        }
    }
    rows
}

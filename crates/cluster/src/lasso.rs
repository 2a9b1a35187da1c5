//! An accepted fair run through the states that are left, found backwards.
//!
//! For every state that is left and every condition that arrives there it is noted once from where. Going back from any state along what is noted for a condition leads to a
//! step that fulfils it; doing this for every condition that binds a state on the way, again and again, cannot leave the states that are left, and comes to a state for the
//! second time. What lies between is the cycle. A shortest run leads there.

use std::collections::BTreeMap;

use tertium_base::narrow::to_u32;
use tertium_explore::search::liveness::{Lasso, Monitor, ProductRows};
use tertium_explore::successors::RowSuccessors;

use crate::cycles::{Candidates, Interruption, ProductPart, conditions_of, header};
use crate::failure::ClusterFailure;
use crate::owners::owner_of_row;
use crate::rounds::Rounds;

/// From which process's which state each condition arrived at each state that is left.
struct Origins {
    /// The place of each state's conditions.
    places: Vec<u32>,
    conditions: usize,
    origins: Vec<(u32, u32)>,
}

impl Origins {
    fn at(&self, state: usize, condition: usize) -> usize {
        self.places[state] as usize * self.conditions + condition
    }
}

fn unknown() -> Interruption {
    ClusterFailure::Unreadable { cause: "nobody knows where a run comes from".to_owned() }.into()
}

/// Where the walk is, and what it still looks for.
struct Walk {
    /// The states passed, from the last to the first.
    path: Vec<Vec<u32>>,
    at: Vec<u32>,
    wanted: u64,
    fulfilled: u64,
}

impl<S: RowSuccessors, M: Monitor> ProductPart<'_, S, M> {
    /// A run that goes round in what is left.
    pub fn lasso(&mut self, rounds: &mut Rounds<'_>, candidates: &mut Candidates) -> Result<Lasso, Interruption> {
        let origins = self.origins(rounds, candidates)?;
        let ours = candidates.left.iter().position(|&left| left).map(|state| self.row_of(to_u32(state)));
        let start = rounds.gather(ours)?.into_iter().flatten().next().ok_or_else(unknown)?;
        let mut walk = Walk { path: Vec::new(), at: start, wanted: 0, fulfilled: 0 };
        let mut turns: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        loop {
            if let Some(&first) = turns.get(&walk.at) {
                let mut cycle = vec![walk.at.clone()];
                cycle.extend(walk.path.drain(first + 1..).rev());
                return self.with_stem(rounds, cycle);
            }
            turns.insert(walk.at.clone(), walk.path.len());
            self.turn(rounds, &origins, &mut walk)?;
        }
    }

    /// Notes from where conditions arrive.
    fn origins(&mut self, rounds: &mut Rounds<'_>, candidates: &mut Candidates) -> Result<Origins, Interruption> {
        let (states, conditions) = (candidates.left.len(), self.product.conditions());
        let cells = candidates.count().saturating_mul(conditions);
        let bytes = cells.saturating_mul(8).saturating_add(states * 4);
        self.own.stopped = self.own.question.options.budget.reserve(bytes).err();
        self.sum(rounds, 0)?;
        let mut count = 0;
        let places = candidates.left.iter().map(|&left| {
            count += u32::from(left);
            count.saturating_sub(1)
        });
        let mut origins = Origins { places: places.collect(), conditions, origins: vec![(0, 0); cells] };
        candidates.clear();
        let me = to_u32(self.own.me);
        let told = |state: u32, conditions: u64| header(conditions, me, state);
        self.spread(rounds, candidates, (&told, &told), &mut |candidates, state, told| {
            let mut new = candidates.arrive(state, conditions_of(told));
            while new != 0 {
                let at = origins.at(state, new.trailing_zeros() as usize);
                origins.origins[at] = (told[2], told[3]);
                new &= new - 1;
            }
        })?;
        Ok(origins)
    }

    fn row_of(&mut self, state: u32) -> Vec<u32> {
        self.own.store.read(state, &mut self.own.base);
        self.own.base.words().to_vec()
    }

    /// Goes back until every condition that binds a state on the way is fulfilled.
    fn turn(&mut self, rounds: &mut Rounds<'_>, origins: &Origins, walk: &mut Walk) -> Result<(), Interruption> {
        (walk.wanted, walk.fulfilled) = (self.binding(&walk.at), 0);
        while walk.wanted & !walk.fulfilled != 0 {
            let condition = (walk.wanted & !walk.fulfilled).trailing_zeros();
            loop {
                let before = self.origin(rounds, origins, &walk.at, condition as usize)?;
                let fulfilled = self.step_between(&before, &walk.at, condition).ok_or_else(unknown)?;
                walk.fulfilled |= fulfilled;
                walk.wanted |= self.own.scratch.binds;
                walk.path.push(std::mem::replace(&mut walk.at, before));
                if fulfilled >> condition & 1 == 1 {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The conditions that bind a state.
    fn binding(&mut self, row: &[u32]) -> u64 {
        self.product.expand(row, &mut self.own.scratch, &mut self.found);
        self.own.scratch.binds
    }

    /// What a step from one state to the other fulfils: the condition if one does, and as much as possible.
    fn step_between(&mut self, before: &[u32], after: &[u32], condition: u32) -> Option<u64> {
        self.product.expand(before, &mut self.own.scratch, &mut self.found);
        let steps = (0..self.found.steps()).filter(|&step| self.found.row(step) == after);
        let fulfilled = steps.map(|step| self.own.scratch.fulfils[step]);
        fulfilled.max_by_key(|fulfilled| (fulfilled >> condition & 1, fulfilled.count_ones(), *fulfilled))
    }

    /// From where a condition arrived at a state, whoever knows.
    fn origin(
        &mut self,
        rounds: &mut Rounds<'_>,
        origins: &Origins,
        row: &[u32],
        condition: usize,
    ) -> Result<Vec<u32>, Interruption> {
        self.own.stopped = self.own.stopped.or(self.own.question.options.budget.check().err());
        self.sum(rounds, 0)?;
        let is_ours = owner_of_row(row, rounds.peers()) == self.own.me;
        let state = if is_ours { self.own.store.find(row) } else { None };
        let ours = state.map(|state| origins.origins[origins.at(state as usize, condition)]);
        let (process, state) = rounds.gather(ours)?.into_iter().flatten().next().ok_or_else(unknown)?;
        let is_known = process as usize == self.own.me && (state as usize) < self.own.store.len();
        let ours = is_known.then(|| self.row_of(state));
        rounds.gather(ours)?.into_iter().flatten().next().ok_or_else(unknown)
    }

    /// The cycle with a shortest run to its first state.
    fn with_stem(&mut self, rounds: &mut Rounds<'_>, cycle: Vec<Vec<u32>>) -> Result<Lasso, Interruption> {
        let entry = cycle.first().cloned().ok_or_else(unknown)?;
        let is_ours = owner_of_row(&entry, rounds.peers()) == self.own.me;
        let state = if is_ours { self.own.store.find(&entry) } else { None };
        let ours = state.map(|state| self.own.levels.partition_point(|&first| first <= state).saturating_sub(1));
        let depth = rounds.gather(ours)?.into_iter().flatten().next().ok_or_else(unknown)?;
        let Some(mut stem) = self.own.shortest_run(rounds, depth, entry)? else { return Err(Self::too_long()) };
        stem.pop();
        let programs = |rows: &[Vec<u32>]| -> Vec<Vec<u32>> {
            rows.iter().map(|row| ProductRows::<S, M>::program_row(row).to_vec()).collect()
        };
        Ok(Lasso { stem: programs(&stem), cycle: programs(&cycle) })
    }
}

//! An accepted fair run through the states that are left, found backwards.
//!
//! For every state that is left and every condition that arrives there it is noted once from where; `cycle_backwards` follows that. A shortest run leads to the cycle.

use tertium_base::narrow::to_u32;
use tertium_explore::search::liveness::{Lasso, Monitor, ProductRows, cycle_backwards};
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

/// No process: a condition did not arrive.
const NOBODY: u32 = u32::MAX;

impl<S: RowSuccessors, M: Monitor> ProductPart<'_, S, M> {
    /// A run that goes round in what is left.
    pub fn lasso(&mut self, rounds: &mut Rounds<'_>, candidates: &mut Candidates) -> Result<Lasso, Interruption> {
        let origins = self.origins(rounds, candidates)?;
        let ours = candidates.left.iter().position(|&left| left).map(|state| self.row_of(to_u32(state)));
        let start = rounds.gather(ours)?.into_iter().flatten().next().ok_or_else(unknown)?;
        let product = self.product;
        let mut origin = |row: &[u32], condition: usize| self.origin(rounds, &origins, row, condition);
        let cycle = cycle_backwards(product, start, &mut origin)?;
        self.with_stem(rounds, cycle.ok_or_else(unknown)?)
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
        let mut origins = Origins { places: places.collect(), conditions, origins: vec![(NOBODY, 0); cells] };
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

    /// From where a condition arrived at a state, if it did.
    fn origin(
        &mut self,
        rounds: &mut Rounds<'_>,
        origins: &Origins,
        row: &[u32],
        condition: usize,
    ) -> Result<Option<Vec<u32>>, Interruption> {
        self.own.stopped = self.own.stopped.or(self.own.question.options.budget.check().err());
        self.sum(rounds, 0)?;
        let is_ours = owner_of_row(row, rounds.peers()) == self.own.me;
        let state = if is_ours { self.own.store.find(row) } else { None };
        let ours = state.map(|state| origins.origins[origins.at(state as usize, condition)]);
        let (process, state) = rounds.gather(ours)?.into_iter().flatten().next().ok_or_else(unknown)?;
        if process == NOBODY {
            return Ok(None);
        }
        let is_known = process as usize == self.own.me && (state as usize) < self.own.store.len();
        let ours = is_known.then(|| self.row_of(state));
        rounds.gather(ours)?.into_iter().flatten().next().map(Some).ok_or_else(unknown)
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

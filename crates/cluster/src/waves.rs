//! Waves: states of the product are expanded, and the owners of what comes after them are told.
//!
//! Threads expand, each some of the states, and look up what belongs to this process; what is told of that is taken in by one of them, and what belongs to others is sent by it.

use tertium_explore::rows::RowWriter;
use tertium_explore::search::liveness::{Monitor, ProductRows};
use tertium_explore::store::{Branches, StateStore};
use tertium_explore::successors::{Expansion, RowSuccessors};

use crate::cycles::{Candidates, Header, ProductPart, Taking, Telling};
use crate::failure::ClusterFailure;
use crate::outbox::PACKET;
use crate::owners::owner_of_row;
use crate::rounds::Rounds;

/// Each thread expands so many states before what is told of them is taken in.
const STATES_EACH: usize = 1 << 11;
/// Fewer states are not worth a thread.
const WORTH_A_THREAD: usize = 1 << 8;

/// Which state is next, with the conditions to be told, if they are not those that its steps fulfil.
pub(crate) type Choosing<'t> = dyn FnMut(&mut Candidates) -> Option<Chosen> + 't;

/// A state, and the conditions to be told.
type Chosen = (u32, Option<u64>);

/// One thread's part of a wave.
pub(crate) struct Expander<'q, S: RowSuccessors, M: Monitor> {
    product: &'q ProductRows<'q, S, M>,
    /// Which process this is, of how many.
    place: (usize, usize),
    scratch: <ProductRows<'q, S, M> as RowSuccessors>::Scratch,
    found: Expansion,
    base: Branches,
    branches: Branches,
    row: Vec<u32>,
    /// What binds the states that were expanded.
    binds: Vec<(u32, u64)>,
    /// What is told of states of this process.
    told: Vec<(u32, Header)>,
    /// What is told of those of others.
    outgoing: Vec<RowWriter>,
    sent: usize,
    /// A state came after another one that was not visited.
    is_lost: bool,
}

/// The number of a state that was visited; `base` is one that it differs little from.
pub(crate) fn number(
    store: &StateStore,
    base: Option<&Branches>,
    row: &[u32],
    branches: &mut Branches,
) -> Option<usize> {
    let inserted = match base {
        Some(base) => store.insert(base, row, branches),
        None => store.insert_afresh(row, branches),
    };
    let known = match inserted {
        Ok((state, is_new)) => (!is_new).then_some(state),
        Err(_) => store.find(row),
    };
    known.map(|state| state as usize)
}

/// Somebody tells of a state that is not there.
pub(crate) fn unvisited() -> ClusterFailure {
    ClusterFailure::Unreadable { cause: "it tells of a state that was not visited".to_owned() }
}

impl<'q, S: RowSuccessors, M: Monitor> Expander<'q, S, M> {
    pub fn new(product: &'q ProductRows<'q, S, M>, store: &StateStore, place: (usize, usize)) -> Self {
        Self {
            product,
            place,
            scratch: product.scratch(),
            found: Expansion::default(),
            base: store.branches(),
            branches: store.branches(),
            row: Vec::new(),
            binds: Vec::new(),
            told: Vec::new(),
            outgoing: (0..place.1).map(|_| RowWriter::default()).collect(),
            sent: 0,
            is_lost: false,
        }
    }

    fn expand(&mut self, store: &StateStore, chosen: &[Chosen], tell: &Telling<'_>) {
        for &(state, conditions) in chosen {
            store.read(state, &mut self.base);
            self.product.expand(self.base.words(), &mut self.scratch, &mut self.found);
            self.binds.push((state, self.scratch.binds));
            for step in 0..self.found.steps() {
                let header = tell(state, conditions.unwrap_or(self.scratch.fulfils[step]));
                self.found.copy_row(step, &mut self.row);
                self.note(store, header);
            }
        }
    }

    /// Notes what is told of the state in `row`.
    fn note(&mut self, store: &StateStore, header: Header) {
        let (me, processes) = self.place;
        let owner = owner_of_row(&self.row, processes);
        if owner != me {
            self.row.splice(0..0, header);
            self.outgoing[owner].add(&self.row);
            self.sent += 1;
            return;
        }
        match number(store, Some(&self.base), &self.row, &mut self.branches) {
            Some(state) => self.told.push((tertium_base::narrow::to_u32(state), header)),
            None => self.is_lost = true,
        }
    }
}

impl<S: RowSuccessors, M: Monitor> ProductPart<'_, S, M> {
    /// Expands the states of `next` and tells the owners of what comes after; `take` gets what is told of those of this process's states that are left. With a state come the
    /// conditions to be told; without any, those that its steps fulfil are.
    pub fn wave(
        &mut self,
        rounds: &mut Rounds<'_>,
        candidates: &mut Candidates,
        next: &mut Choosing<'_>,
        told: &Telling<'_>,
        take: &mut Taking<'_>,
    ) -> Result<(), ClusterFailure> {
        let most = STATES_EACH * self.expanders.len();
        loop {
            if rounds.peers() > 1 {
                rounds.poll(&mut |_, bytes| self.receive(&bytes, candidates, take))?;
            }
            self.own.stopped = self.own.stopped.or(self.own.question.options.budget.check().err());
            if self.own.stopped.is_some() {
                break;
            }
            let chosen: Vec<Chosen> = std::iter::from_fn(|| next(candidates)).take(most).collect();
            if chosen.is_empty() {
                break;
            }
            self.expand_all(&chosen, told);
            self.take_in(candidates, take)?;
            self.dispatch(rounds, PACKET);
        }
        self.dispatch(rounds, 1);
        rounds.finish(&mut |_, bytes| self.receive(&bytes, candidates, take))
    }

    /// Has all threads expand some of these states.
    fn expand_all(&mut self, chosen: &[Chosen], tell: &Telling<'_>) {
        let store = &self.own.store;
        let each = chosen.len().div_ceil(self.expanders.len()).max(WORTH_A_THREAD);
        let undone: Vec<&[Chosen]> = std::thread::scope(|scope| {
            let mut parts = chosen.chunks(each).zip(&mut self.expanders);
            let own = parts.next();
            let helper = |(part, expander)| {
                let expander: &mut Expander<'_, S, M> = expander;
                let work = move || expander.expand(store, part, tell);
                std::thread::Builder::new().spawn_scoped(scope, work).map_err(|_| part)
            };
            let helpers: Vec<_> = parts.map(helper).collect();
            if let Some((part, expander)) = own {
                expander.expand(store, part, tell);
            }
            // A helper that panics makes the scope panic.
            helpers.into_iter().filter_map(Result::err).collect()
        });
        // Where the system gives no more threads, this one does the work.
        for part in undone {
            self.expanders[0].expand(store, part, tell);
        }
    }

    /// Takes in what was told of states of this process.
    fn take_in(&mut self, candidates: &mut Candidates, take: &mut Taking<'_>) -> Result<(), ClusterFailure> {
        for expander in &mut self.expanders {
            if expander.is_lost {
                return Err(unvisited());
            }
            for (state, binds) in expander.binds.drain(..) {
                candidates.binds[state as usize] = binds;
            }
            for (state, header) in expander.told.drain(..) {
                if candidates.left[state as usize] {
                    take(candidates, state as usize, header);
                }
            }
            self.own.rows_sent += std::mem::take(&mut expander.sent);
        }
        Ok(())
    }

    /// Sends what is at least so many bytes.
    fn dispatch(&mut self, rounds: &mut Rounds<'_>, least: usize) {
        for expander in &mut self.expanders {
            for (owner, rows) in expander.outgoing.iter_mut().enumerate() {
                if rows.len() >= least {
                    rounds.send(owner, rows.take());
                }
            }
        }
    }
}

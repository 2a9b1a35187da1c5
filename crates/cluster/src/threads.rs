//! What the threads of one process share, and what each of them does in a round: it enters what has arrived, and expands states of the level.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use tertium_base::narrow::to_u32;
use tertium_base::{StopReason, Stopped};
use tertium_explore::rows::{RowList, RowReader, UnreadableRow};
use tertium_explore::search::Observer;
use tertium_explore::search::outlet::NoOutlet;
use tertium_explore::search::pool::Pool;
use tertium_explore::search::worker::{Level, Share, Worker};
use tertium_explore::store::StateStore;
use tertium_explore::successors::RowSuccessors;

use crate::failure::ClusterFailure;
use crate::key_codes::read_keys;
use crate::outbox::{KEYS, Outbox, ROWS, Sealed};
use crate::owners::{KeyOwners, owner_of_row};
use crate::search::ClusterOptions;

/// A thread takes so many states at once, and then looks what has arrived, and at the limits.
const CHUNK: usize = 256;
/// Several threads take more, since neighbours have successors in common.
const LARGEST_CHUNK: usize = 1024;
const SMALLEST_CHUNK: usize = 32;
/// So many chunks are left for each thread.
const CHUNKS_EACH: usize = 4;
/// When a thread has met so many rows without keys, no more states are expanded before there are others.
const MOST_MISFITS: usize = 1 << 12;

/// What has come from another process.
pub(crate) enum Arrival {
    Message(Vec<u8>),
    /// What did not fit into the store, from this row on.
    Keys(Vec<u64>),
    Rows(RowList, usize),
    /// Rows that were kept aside until they had keys, likewise.
    Kept(RowList, usize),
}

/// What the threads of one process share.
pub(crate) struct SharedPart<'s> {
    pub level: Level,
    pub pool: Pool,
    /// Everyone reads (and enters states) during a round; between rounds the leader may let it grow.
    pub store: RwLock<StateStore>,
    pub shares: Mutex<Vec<Share>>,
    pub arrived: Mutex<VecDeque<Arrival>>,
    /// Messages to be sent by the leader.
    pub sealed: Mutex<Vec<Sealed>>,
    /// One for each thread.
    pub outboxes: Vec<Mutex<Outbox>>,
    /// Whether states of the level are expanded, and not only entered.
    pub expands: AtomicBool,
    /// What has arrived makes no sense, or cannot.
    pub failure: Mutex<Option<ClusterFailure>>,
    /// Which process this is, of how many.
    pub me: usize,
    pub processes: usize,
    pub options: &'s ClusterOptions<'s>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'s> SharedPart<'s> {
    pub fn new(
        store: StateStore,
        (me, processes): (usize, usize),
        threads: usize,
        options: &'s ClusterOptions<'s>,
    ) -> Self {
        Self {
            level: Level::default(),
            pool: Pool::of(threads),
            store: RwLock::new(store),
            shares: Mutex::default(),
            arrived: Mutex::default(),
            sealed: Mutex::default(),
            outboxes: (0..threads).map(|_| Mutex::new(Outbox::new(me, processes))).collect(),
            expands: AtomicBool::new(false),
            failure: Mutex::default(),
            me,
            processes,
            options,
        }
    }

    pub fn store(&self) -> RwLockReadGuard<'_, StateStore> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on rows are masked in this way, or not at all.
    pub fn mask_by(&self, owners: Option<&Arc<KeyOwners>>) {
        for outbox in &self.outboxes {
            lock(outbox).mask_by(owners.cloned());
        }
    }

    pub fn fail(&self, failure: ClusterFailure) {
        lock(&self.failure).get_or_insert(failure);
        self.level.halt.store(true, Ordering::Relaxed);
    }

    /// Works until nothing is left to do or somebody halts; `exchange` is called again and again.
    pub fn work<S: RowSuccessors, O: Observer>(
        &self,
        worker: &mut Worker<'_, S, O>,
        number: usize,
        redo: &[u32],
        exchange: &mut dyn FnMut(&StateStore),
    ) {
        let (store, mut outbox) = (self.store(), lock(&self.outboxes[number]));
        let mut chunk: Vec<u32> = Vec::with_capacity(CHUNK);
        if !redo.is_empty() {
            self.expand(worker, &store, redo, &mut outbox);
        }
        self.mind_the_limits(&store, worker);
        exchange(&store);
        while !self.level.halt.load(Ordering::Relaxed) {
            let arrival = if self.processes > 1 { lock(&self.arrived).pop_front() } else { None };
            if let Some(arrival) = arrival {
                self.enter(worker, &store, arrival, &mut outbox);
            } else {
                let Some((from, to)) = self.take_chunk() else { break };
                chunk.clear();
                chunk.extend(to_u32(from)..to_u32(to));
                self.expand(worker, &store, &chunk, &mut outbox);
                self.mind_the_limits(&store, worker);
            }
            exchange(&store);
        }
    }

    fn expand<S: RowSuccessors, O: Observer>(
        &self,
        worker: &mut Worker<'_, S, O>,
        store: &StateStore,
        states: &[u32],
        outbox: &mut Outbox,
    ) {
        if self.processes == 1 {
            return worker.chunk(store, states, &mut NoOutlet);
        }
        worker.chunk(store, states, outbox);
        if !outbox.sealed.is_empty() {
            lock(&self.sealed).append(&mut outbox.sealed);
        }
        if outbox.misfits >= MOST_MISFITS {
            self.expands.store(false, Ordering::Relaxed);
        }
    }

    /// The next states of the level that nobody has taken.
    fn take_chunk(&self) -> Option<(usize, usize)> {
        let (threads, end) = (self.outboxes.len(), self.level.end.load(Ordering::Relaxed));
        let mut from = self.level.next.load(Ordering::Relaxed);
        while from < end && self.expands.load(Ordering::Relaxed) {
            let chunk = match threads == 1 || self.options.max_states.is_some() {
                true => CHUNK,
                false => ((end - from) / (CHUNKS_EACH * threads)).clamp(SMALLEST_CHUNK, LARGEST_CHUNK),
            };
            let to = end.min(from + chunk);
            match self.level.next.compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some((from, to)),
                Err(now) => from = now,
            }
        }
        None
    }

    fn mind_the_limits<S: RowSuccessors, O: Observer>(&self, store: &StateStore, worker: &mut Worker<'_, S, O>) {
        let full = worker.share.left.is_empty() && self.options.max_states.is_some_and(|most| store.len() > most);
        // A look costs more than some states do, and there are levels of one state.
        let stopped = match (full, worker.is_look_due(CHUNK)) {
            (true, _) => Err(Stopped(StopReason::Count)),
            (false, true) => self.options.budget.check(),
            (false, false) => Ok(()),
        };
        if let Err(stopped) = stopped {
            worker.share.stopped = Some(stopped);
            self.level.halt.store(true, Ordering::Relaxed);
        }
    }

    /// Enters what has arrived; what does not fit is handed back.
    fn enter<S: RowSuccessors, O: Observer>(
        &self,
        worker: &mut Worker<'_, S, O>,
        store: &StateStore,
        arrival: Arrival,
        outbox: &mut Outbox,
    ) {
        let arrival = match arrival {
            Arrival::Message(bytes) => self.open(&bytes, outbox.owners()),
            opened => Ok(opened),
        };
        let left = match arrival {
            Ok(Arrival::Keys(keys)) => {
                let entered = worker.enter_keys(store, &keys);
                (entered < keys.len()).then(|| Arrival::Keys(keys[entered..].to_vec()))
            }
            Ok(Arrival::Rows(rows, _)) if store.key_mask().is_some() => {
                // They were sent since they have no keys.
                (0..rows.len()).for_each(|at| outbox.aside.add(rows.row(at)));
                None
            }
            Ok(Arrival::Rows(rows, from) | Arrival::Kept(rows, from)) => {
                let next = worker.enter_rows(store, &rows, from);
                (next < rows.len()).then_some(Arrival::Kept(rows, next))
            }
            Ok(Arrival::Message(_)) => None,
            Err(UnreadableRow(cause)) => return self.fail(ClusterFailure::Unreadable { cause: cause.to_owned() }),
        };
        if let Some(left) = left {
            lock(&self.arrived).push_front(left);
            self.level.halt.store(true, Ordering::Relaxed);
        }
    }

    /// What a message says, if that makes sense.
    fn open(&self, bytes: &[u8], owners: Option<&KeyOwners>) -> Result<Arrival, UnreadableRow> {
        const STRANGE: UnreadableRow = UnreadableRow("a state belongs to somebody else");
        match (bytes.split_first(), owners) {
            (Some((&KEYS, bytes)), Some(owners)) => {
                let mut keys = Vec::new();
                read_keys(bytes, owners.bits, &mut keys)?;
                let is_own = keys.iter().all(|&key| owners.owner(key) == self.me);
                if is_own { Ok(Arrival::Keys(keys)) } else { Err(STRANGE) }
            }
            (Some((&ROWS, bytes)), _) => {
                let (mut reader, mut rows) = (RowReader::new(bytes), RowList::default());
                while let Some(row) = reader.next_row()? {
                    if owner_of_row(row, self.processes) != self.me {
                        return Err(STRANGE);
                    }
                    rows.add(row);
                }
                Ok(Arrival::Rows(rows, 0))
            }
            _ => Err(UnreadableRow("it is neither keys nor rows")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_base::Budget;
    use tertium_explore::rows::RowWriter;
    use tertium_explore::store::VaryingBits;

    #[test]
    fn what_makes_no_sense_is_refused() {
        let budget = Budget::unlimited();
        let options = ClusterOptions { max_states: None, budget: &budget, checkpoints: None, masked_after: 1 };
        let mut store = StateStore::masked_by_agreement(3);
        let mut branches = store.branches();
        store.insert_afresh(&[1, 2, 3], &mut branches).expect("an empty store has room");
        store.mask_by(&[1, 2, 3], &VaryingBits(vec![7, 0, 255]), 1);
        let owners = KeyOwners::of(store.key_mask().expect("few bits"), 2);
        let part = SharedPart::new(store, (1, 2), 1, &options);
        let key_of = |process: usize| (0..).find(|&key| key & !owners.bits == 0 && owners.owner(key) == process);
        let keys = |keys: &[u64]| {
            let mut bytes = vec![KEYS];
            crate::key_codes::write_keys(&mut keys.to_vec(), &mut bytes);
            bytes
        };
        let (theirs, ours) = (key_of(0).expect("some are"), key_of(1).expect("some are"));
        assert!(part.open(&keys(&[ours]), Some(&owners)).is_ok());
        assert!(part.open(&keys(&[ours]), None).is_err(), "nobody has keys yet");
        assert!(part.open(&keys(&[ours, theirs]), Some(&owners)).is_err(), "it belongs to somebody else");
        assert!(owners.bits == u64::MAX || part.open(&keys(&[!owners.bits]), Some(&owners)).is_err());
        let rows = |process: usize| {
            let mut writer = RowWriter::default();
            let row = (0..).map(|word| [word, 2, 3]).find(|row| owner_of_row(row, 2) == process).expect("some are");
            writer.add(&row);
            [vec![ROWS], writer.take()].concat()
        };
        assert!(part.open(&rows(1), None).is_ok() && part.open(&rows(1), Some(&owners)).is_ok());
        assert!(part.open(&rows(0), None).is_err(), "it belongs to somebody else");
        let whole = rows(1);
        assert!(part.open(&whole[..whole.len() - 1], None).is_err(), "it is cut off");
        assert!([&[][..], &[7], &[2, 0, 0]].iter().all(|bytes| part.open(bytes, Some(&owners)).is_err()));
    }
}

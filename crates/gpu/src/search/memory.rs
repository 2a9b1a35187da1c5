//! What lies in the memory of the device, and how the host gets at it.

pub(crate) mod cycles;

use tertium_base::narrow::to_usize;

use crate::device::{Device, DeviceError, Kernel};
use crate::keys::{TableKind, quotient_of};
use crate::source::{LIST_LENGTH, SearchSource};

/// The table takes three quarters of its places at most.
const LOAD: (u64, u64) = (3, 4);
/// A table that is full gets so many times as many places, if there is memory.
const GROWTH: [u64; 3] = [8, 4, 2];
/// A table with so many places is large: it gets as many as are expected to be needed, between these fractions of what it has.
const LARGE: u64 = 1 << 28;
const LEAST_GROWTH: (u64, u64) = (5, 4);
const MOST_GROWTH: (u64, u64) = (2, 1);
/// How many numbers the device counts.
const COUNTERS: usize = 7;
/// How many lists there are.
const LISTS: u64 = 3;

/// What the device has counted since the lists were cleared; states since the beginning.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub states: u64,
    pub transitions: u64,
    pub full: bool,
    pub trapped: u64,
    pub deadlocks: u64,
    pub failures: u64,
    /// Whether a row that was to be entered has no key.
    pub misfits: bool,
}

/// A table and what belongs to its states: addresses.
#[derive(Clone, Copy, Debug)]
struct Table {
    keys: u64,
    tags: u64,
    rows: u64,
    capacity: u64,
    order: u64,
    parents: u64,
    most: u64,
    /// All of it as the device sees it.
    search: u64,
    bytes: u64,
}

pub(crate) struct Memory<D: Device> {
    device: D,
    words: usize,
    /// Words of a row in the table.
    packed: usize,
    kind: TableKind,
    table: Table,
    shared: Shared,
    atoms: usize,
}

/// What stays where it is when the table grows.
#[derive(Clone, Copy, Debug)]
struct Shared {
    counters: u64,
    lists: u64,
    first: u64,
}

fn bytes_of(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn bytes_of_words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

impl<D: Device> Memory<D> {
    pub fn new(mut device: D, source: &SearchSource, capacity: u64) -> Result<Self, DeviceError> {
        let (words, packed, kind) = (source.words(), source.packed_words(), source.table());
        let counters = device.allocate(COUNTERS as u64 * 8)?;
        let lists = device.allocate(LISTS * LIST_LENGTH as u64 * 8)?;
        let capacity = kind.capacity(capacity);
        let valuations = (1 << source.atoms()) + 1;
        let first = device.allocate(valuations as u64 * 4)?;
        device.write(first, &vec![u8::MAX; valuations * 4])?;
        let shared = Shared { counters, lists, first };
        let table = Self::table(&mut device, packed, kind, capacity, shared)?;
        Ok(Self { device, words, packed, kind, table, shared, atoms: source.atoms() })
    }

    fn table(
        device: &mut D,
        packed: usize,
        kind: TableKind,
        capacity: u64,
        shared: Shared,
    ) -> Result<Table, DeviceError> {
        let most = capacity / LOAD.1 * LOAD.0;
        let row = packed as u64 * 4;
        let (of_keys, of_tags, of_rows) = match kind {
            TableKind::Keys | TableKind::Quotients(_) => (capacity * 8 + 8, 0, 0),
            TableKind::Rows => (0, capacity * 4, capacity * row),
        };
        let bytes = of_keys + of_tags + of_rows + most * 8;
        if bytes > device.free_bytes() {
            return Err(DeviceError::Memory);
        }
        let mut sizes = [of_keys, of_tags, of_rows, most * 4, most * 4, 104].map(|size| (size, 0));
        for at in 0..sizes.len() {
            if sizes[at].0 == 0 {
                continue;
            }
            match device.allocate(sizes[at].0) {
                Ok(address) => sizes[at].1 = address,
                Err(error) => {
                    for (_, address) in sizes.into_iter().filter(|&(_, address)| address != 0) {
                        device.release(address)?;
                    }
                    return Err(error);
                }
            }
        }
        let [keys, tags, rows, order, parents, search] = sizes.map(|(_, address)| address);
        let quotient = u64::from(quotient_of(capacity));
        let parts = capacity >> quotient;
        let one_part = u64::MAX / parts + 1;
        let Shared { counters, lists, first } = shared;
        let fields =
            [keys, tags, rows, capacity, quotient, parts, one_part, order, parents, most, counters, lists, first];
        device.write(search, &bytes_of(&fields))?;
        Ok(Table { keys, tags, rows, capacity, order, parents, most, search, bytes })
    }

    fn release(device: &mut D, table: Table) -> Result<(), DeviceError> {
        let Table { keys, tags, rows, order, parents, search, .. } = table;
        for address in [keys, tags, rows, order, parents, search].into_iter().filter(|&address| address != 0) {
            device.release(address)?;
        }
        Ok(())
    }

    /// Bytes that states take, free places included.
    pub fn bytes(&self) -> u64 {
        self.table.bytes
    }

    pub fn counters(&mut self) -> Result<Counters, DeviceError> {
        let bytes = self.device.read(self.shared.counters, COUNTERS * 8)?;
        let mut numbers = bytes.as_chunks::<8>().0.iter().map(|&number| u64::from_le_bytes(number));
        let mut next = || numbers.next().unwrap_or(0);
        let (states, transitions, full) = (next().min(self.table.most), next(), next() != 0);
        Ok(Counters {
            states,
            transitions,
            full,
            trapped: next(),
            deadlocks: next(),
            failures: next(),
            misfits: next() != 0,
        })
    }

    /// Forgets everything that was counted but the states.
    pub fn clear_lists(&mut self) -> Result<(), DeviceError> {
        self.device.write(self.shared.counters + 8, &[0; (COUNTERS - 1) * 8])
    }

    pub fn expand(&mut self, first: u64, last: u64) -> Result<(), DeviceError> {
        self.device.launch(Kernel::Expand, last - first, &[self.table.search, first, last])
    }

    /// Enters rows with the states that they were found from.
    pub fn enter(&mut self, rows: &[Vec<u32>], parents: &[u32]) -> Result<Counters, DeviceError> {
        if !rows.is_empty() {
            let mut words = Vec::with_capacity(rows.len() * self.words);
            for row in rows {
                words.extend_from_slice(row);
                words.resize(words.len() + self.words - row.len(), 0);
            }
            let (rows_at, parents_at) = (self.given(&bytes_of_words(&words))?, self.given(&bytes_of_words(parents))?);
            let count = rows.len() as u64;
            self.device.launch(Kernel::EnterRows, count, &[self.table.search, rows_at, parents_at, count])?;
            self.device.release(rows_at)?;
            self.device.release(parents_at)?;
        }
        let counters = self.counters()?;
        if counters.misfits {
            return Err(DeviceError::Failed("a row that has a key did not get it".to_owned()));
        }
        Ok(counters)
    }

    /// Memory with these bytes.
    fn given(&mut self, bytes: &[u8]) -> Result<u64, DeviceError> {
        let address = self.device.allocate(bytes.len() as u64)?;
        self.device.write(address, bytes)?;
        Ok(address)
    }

    pub fn rows(&mut self, states: &[u32]) -> Result<Vec<Vec<u32>>, DeviceError> {
        if states.is_empty() {
            return Ok(Vec::new());
        }
        let size = states.len() * self.words * 4;
        let (states_at, rows_at) = (self.given(&bytes_of_words(states))?, self.device.allocate(size as u64)?);
        let count = states.len() as u64;
        self.device.launch(Kernel::GatherRows, count, &[self.table.search, states_at, rows_at, count])?;
        let bytes = self.device.read(rows_at, size)?;
        self.device.release(states_at)?;
        self.device.release(rows_at)?;
        Ok(words_of(&bytes).chunks(self.words).map(<[u32]>::to_vec).collect())
    }

    /// The state that a state was found from; all ones for an initial one.
    pub fn parent(&mut self, state: u32) -> Result<u32, DeviceError> {
        let bytes = self.device.read(self.table.parents + u64::from(state) * 4, 4)?;
        Ok(words_of(&bytes).first().copied().unwrap_or(u32::MAX))
    }

    fn list(&mut self, which: u64, length: u64) -> Result<Vec<(u32, u32)>, DeviceError> {
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(LIST_LENGTH);
        let bytes = self.device.read(self.shared.lists + which * LIST_LENGTH as u64 * 8, length * 8)?;
        let mut pairs: Vec<(u32, u32)> = words_of(&bytes).as_chunks::<2>().0.iter().map(|&[a, b]| (a, b)).collect();
        pairs.sort_unstable();
        Ok(pairs)
    }

    pub fn trapped(&mut self, length: u64) -> Result<Vec<(u32, u32)>, DeviceError> {
        self.list(0, length)
    }

    pub fn deadlocks(&mut self, length: u64) -> Result<Vec<(u32, u32)>, DeviceError> {
        self.list(1, length)
    }

    pub fn failures(&mut self, length: u64) -> Result<Vec<(u32, u32)>, DeviceError> {
        self.list(2, length)
    }

    /// For each valuation of the atoms that was seen, a state; the last is one with an atom that cannot be evaluated.
    pub fn first_states(&mut self) -> Result<Vec<Option<u32>>, DeviceError> {
        let bytes = self.device.read(self.shared.first, ((1 << self.atoms) + 1) * 4)?;
        Ok(words_of(&bytes).into_iter().map(|state| (state != u32::MAX).then_some(state)).collect())
    }

    /// Whether so many states have room.
    pub fn has_room(&self, states: u64) -> bool {
        states <= self.table.most
    }

    /// Moves the first `states` states to a larger table, if possible one for so many as are expected in the end; says whether there is memory for one.
    pub fn grow(&mut self, states: u64, expected: u64) -> Result<bool, DeviceError> {
        for places in larger(self.table.capacity, expected) {
            let capacity = self.kind.capacity(places);
            if capacity <= self.table.capacity {
                return Ok(false);
            }
            let larger = Self::table(&mut self.device, self.packed, self.kind, capacity, self.shared);
            let table = match larger {
                Ok(table) => table,
                Err(DeviceError::Memory) => continue,
                Err(error) => return Err(error),
            };
            self.device.write(self.shared.counters, &bytes_of(&[states, 0, 0, 0, 0, 0, 0]))?;
            self.device.launch(Kernel::MoveStates, states, &[self.table.search, table.search, states])?;
            let old = std::mem::replace(&mut self.table, table);
            Self::release(&mut self.device, old)?;
            if self.counters()?.full {
                return Err(DeviceError::Failed("states were lost while the table grew".to_owned()));
            }
            return Ok(true);
        }
        Ok(false)
    }
}

/// How many places a table larger than this may have, that which is wanted most first.
fn larger(now: u64, expected: u64) -> Vec<u64> {
    if now < LARGE {
        return GROWTH.map(|factor| now * factor).to_vec();
    }
    let [least, most] = [LEAST_GROWTH, MOST_GROWTH].map(|(by, of)| now / of * by);
    let needed = (expected / LOAD.0).saturating_mul(LOAD.1).clamp(least, most);
    vec![needed, least]
}

/// A count as the host has it.
pub(crate) fn count(number: u64) -> usize {
    to_usize(i64::try_from(number).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_grow_to_what_is_expected_and_have_room_for_it() {
        assert_eq!(larger(1 << 10, 5_000), [1 << 13, 1 << 12, 1 << 11]);
        let now = LARGE * 4;
        assert_eq!(larger(now, u64::MAX), [now * 2, now / 4 * 5]);
        assert_eq!(larger(now, 0), [now / 4 * 5, now / 4 * 5]);
        for kind in [TableKind::Keys, TableKind::Quotients(80), TableKind::Rows] {
            for expected in (1_000_000_000..3_000_000_000).step_by(99_999_989) {
                let places = kind.capacity(larger(expected, expected)[0]);
                assert!(places / LOAD.1 * LOAD.0 + LOAD.0 >= expected, "{kind:?}: {places} for {expected}");
                assert!(places <= 1 << 32, "{kind:?}: {places}");
                assert_ne!((kind, places), (TableKind::Keys, 1 << 32));
            }
        }
    }
}

//! A growing set of 64-bit keys that numbers its members in order of arrival: a lock-free shared hash table (after Laarman, van de Pol,
//! Weber 2010).
//!
//! Open addressing over slots of a fingerprint and a number; the keys themselves lie in a second table by
//! number. An insertion claims an empty slot by one compare-and-swap, and nobody ever waits except for the few
//! instructions between claiming and publishing a slot with the same fingerprint. Growing takes `&mut self`.
//!
//! The fingerprint alone says where a slot belongs, and larger fingerprints belong further back. So growing is
//! one pass over the slots from front to back, it never looks at the keys, any factor of growth will do, and threads can
//! do a part each.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tertium_base::narrow::{folded, low_half, to_u32};
use tertium_base::words::zeroed;

use super::segments::Segments;

/// The table must grow before more can be inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// Stands in a slot while its key is being written.
const CLAIMED: u32 = u32::MAX;
/// So many new keys of one thread are numbered at once, at most.
const MOST_CLAIMS: usize = 64;
/// Insertions may overshoot the limit by what each thread has claimed; no more than 128 threads are run.
const SLACK: usize = 128 * MOST_CLAIMS;
/// More members have no numbers: a number and one must be less than [`CLAIMED`], also where threads overshoot.
const MOST_MEMBERS: usize = CLAIMED as usize - 1 - SLACK;
/// A thread that helps a table to grow should get so many slots at least.
const LARGE: usize = 1 << 16;
/// Slots on a page of memory.
const PAGE: usize = 512;

/// What is written all the time lies on a line of its own: whoever reads its neighbours would wait for it. Processors fetch lines in twos.
#[derive(Debug, Default)]
#[repr(align(128))]
struct OwnLine<T>(T);

/// The set.
#[derive(Debug)]
pub(super) struct PairTable {
    /// Fingerprint (high half) and number plus one (low half); 0 is empty.
    slots: Box<[AtomicU64]>,
    /// Keys by number.
    keys: Segments,
    /// More members than this do not fit the slots well.
    limit: usize,
    /// More members than this are not admitted, however many slots there are.
    most: usize,
    count: OwnLine<AtomicU32>,
}

/// Places that a thread has taken and not yet numbered: slot, fingerprint and key.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims(Vec<(usize, u64, u64)>);

/// Spreads a key over all bits.
#[inline]
pub(super) fn mix(key: u64) -> u64 {
    let once = folded(u128::from(key ^ 0x2D35_8DCC_AA6C_78A5) * u128::from(0x9E37_79B9_7F4A_7C15_u64));
    folded(u128::from(once) * u128::from(0xD6E8_FEB8_6659_FD93_u64))
}

impl PairTable {
    pub fn new() -> Self {
        Self::with_most(MOST_MEMBERS)
    }

    /// A table that admits so many members.
    pub fn with_most(most: usize) -> Self {
        let most = most.min(MOST_MEMBERS);
        let (slots, keys) = (zeroed(1 << 10), Segments::default());
        let mut table = Self { slots, keys, limit: 0, most, count: OwnLine::default() };
        table.set_limit();
        table
    }

    /// Whether no more members are admitted, so that growing does not help.
    pub fn is_exhausted(&self) -> bool {
        self.len() >= self.most
    }

    fn set_limit(&mut self) {
        // Beyond this load, probe sequences become long.
        self.limit = (self.slots.len() / 4 * 3).min(self.most);
        self.keys.make_room(self.limit + SLACK);
    }

    /// How many members there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count.0.load(Ordering::Acquire) as usize
    }

    /// Whether it should grow at the next opportunity.
    pub fn wants_to_grow(&self) -> bool {
        // Slots beyond the numbers there are would be wasted.
        if self.limit == self.most { self.is_exhausted() } else { self.len() > self.limit / 16 * 15 }
    }

    fn grown_len(&self) -> usize {
        self.slots.len() / 5 * 7
    }

    /// Bytes that growing would take for a while.
    pub fn growth_bytes(&self) -> usize {
        self.grown_len() * 8 + self.limit * 4
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.slots.len() * 8 + self.len().next_multiple_of(PAGE) * 8
    }

    /// The key with this number.
    #[inline]
    pub fn key(&self, number: u32) -> u64 {
        self.keys.at(number).load(Ordering::Relaxed)
    }

    /// Where the search for a fingerprint begins.
    #[inline]
    fn home(fingerprint: u64, slots: usize) -> usize {
        ((fingerprint * slots as u64) >> 32) as usize
    }

    #[inline]
    fn after(at: usize, slots: usize) -> usize {
        if at + 1 == slots { 0 } else { at + 1 }
    }

    /// The number of a key, and whether it is new.
    #[inline]
    pub fn insert(&self, key: u64) -> Result<(u32, bool), Full> {
        self.insert_hashed(key, mix(key))
    }

    /// The same for a key whose hash is known.
    #[inline]
    pub fn insert_hashed(&self, key: u64, hash: u64) -> Result<(u32, bool), Full> {
        let fingerprint = hash >> 32;
        let mut at = Self::home(fingerprint, self.slots.len());
        loop {
            let slot = &self.slots[at];
            let mut entry = slot.load(Ordering::Acquire);
            if entry == 0 {
                if self.len() >= self.limit {
                    return Err(Full);
                }
                let claim = fingerprint << 32 | u64::from(CLAIMED);
                match slot.compare_exchange(0, claim, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return Ok((self.publish(slot, fingerprint, key), true)),
                    Err(other) => entry = other,
                }
            }
            if entry >> 32 == fingerprint {
                while low_half(entry) == CLAIMED {
                    std::hint::spin_loop();
                    entry = slot.load(Ordering::Acquire);
                }
                let number = low_half(entry) - 1;
                if self.key(number) == key {
                    return Ok((number, false));
                }
            }
            at = Self::after(at, self.slots.len());
        }
    }

    /// Says whether a key is new; if so, it gets its number when `claims` are published. Threads that number keys one
    /// by one would wait for each other at each of them, and write to the same places in turn.
    ///
    /// Whoever meets a claim waits until it is published, so they must be, soon and whatever happens.
    #[inline]
    pub fn claim(&self, key: u64, hash: u64, claims: &mut Claims) -> Result<bool, Full> {
        let fingerprint = hash >> 32;
        let mut at = Self::home(fingerprint, self.slots.len());
        loop {
            let slot = &self.slots[at];
            let mut entry = slot.load(Ordering::Acquire);
            if entry == 0 {
                if self.len() + claims.0.len() >= self.limit {
                    return Err(Full);
                }
                let claim = fingerprint << 32 | u64::from(CLAIMED);
                match slot.compare_exchange(0, claim, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => {
                        claims.0.push((at, fingerprint, key));
                        if claims.0.len() == MOST_CLAIMS {
                            self.publish_all(claims);
                        }
                        return Ok(true);
                    }
                    Err(other) => entry = other,
                }
            }
            if entry >> 32 == fingerprint {
                if low_half(entry) == CLAIMED {
                    // Nobody waits for us while we wait.
                    self.publish_all(claims);
                    while low_half(entry) == CLAIMED {
                        std::hint::spin_loop();
                        entry = slot.load(Ordering::Acquire);
                    }
                }
                if self.key(low_half(entry) - 1) == key {
                    return Ok(false);
                }
            }
            at = Self::after(at, self.slots.len());
        }
    }

    /// Numbers what was claimed, in order.
    pub fn publish_all(&self, claims: &mut Claims) {
        if claims.0.is_empty() {
            return;
        }
        let first = self.count.0.fetch_add(to_u32(claims.0.len()), Ordering::AcqRel);
        for (number, (at, fingerprint, key)) in (first..).zip(claims.0.drain(..)) {
            self.put(&self.slots[at], fingerprint, key, number);
        }
    }

    /// Reads the slots of the keys with these hashes, then the keys found there, so that memory is asked for all of them
    /// at once.
    pub fn look_ahead(&self, hashes: impl Iterator<Item = u64> + Clone) -> u64 {
        let slots = self.slots.len();
        let mut seen = 0;
        for hash in hashes.clone() {
            seen ^= self.slots[Self::home(hash >> 32, slots)].load(Ordering::Relaxed);
        }
        for hash in hashes {
            let fingerprint = hash >> 32;
            let entry = self.slots[Self::home(fingerprint, slots)].load(Ordering::Relaxed);
            if entry >> 32 == fingerprint && low_half(entry) != CLAIMED {
                seen ^= self.key(low_half(entry) - 1);
            }
        }
        seen
    }

    fn publish(&self, slot: &AtomicU64, fingerprint: u64, key: u64) -> u32 {
        let number = self.count.0.fetch_add(1, Ordering::AcqRel);
        self.put(slot, fingerprint, key, number);
        number
    }

    #[inline]
    fn put(&self, slot: &AtomicU64, fingerprint: u64, key: u64, number: u32) {
        self.keys.at(number).store(key, Ordering::Relaxed);
        slot.store(fingerprint << 32 | u64::from(number + 1), Ordering::Release);
    }

    /// The number of a key that may or may not be a member.
    pub fn find(&self, key: u64) -> Option<u32> {
        let fingerprint = mix(key) >> 32;
        let mut at = Self::home(fingerprint, self.slots.len());
        loop {
            let entry = self.slots[at].load(Ordering::Acquire);
            if entry == 0 {
                return None;
            }
            if entry >> 32 == fingerprint && low_half(entry) != CLAIMED && self.key(low_half(entry) - 1) == key {
                return Some(low_half(entry) - 1);
            }
            at = Self::after(at, self.slots.len());
        }
    }

    /// The bits in which some key differs from the first one.
    pub fn varying_bits(&self) -> u64 {
        let first = if self.len() == 0 { 0 } else { self.key(0) };
        (1..to_u32(self.len())).fold(0, |bits, number| bits | self.key(number) ^ first)
    }

    /// The same members under other keys, no two of which may be the same. So many threads do it, if that is worth it.
    pub fn rekeyed(&self, threads: usize, key_of: &(impl Fn(u64) -> u64 + Sync)) -> Self {
        let mut other = Self { slots: zeroed(self.slots.len()), ..Self::with_most(self.most) };
        other.set_limit();
        let len = to_u32(self.len());
        other.count.0.store(len, Ordering::Release);
        let (next, chunk) = (AtomicU64::new(0), to_u32(LARGE / 8));
        let take_chunks = || {
            loop {
                let first = next.fetch_add(u64::from(chunk), Ordering::Relaxed);
                let Some(first) = u32::try_from(first).ok().filter(|&first| first < len) else { return };
                for number in first..len.min(first.saturating_add(chunk)) {
                    other.place(number, key_of(self.key(number)));
                }
            }
        };
        std::thread::scope(|scope| {
            // Where the system gives no more threads, those that there are do the work.
            let helper = |_| std::thread::Builder::new().spawn_scoped(scope, take_chunks).ok();
            let helpers: Vec<_> = (1..threads.min(self.len() / LARGE)).map_while(helper).collect();
            take_chunks();
            helpers
                .into_iter()
                .for_each(|helper| helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        });
        other
    }

    /// Puts a key under its number; it is no member yet, and there is room for it.
    fn place(&self, number: u32, key: u64) {
        self.keys.at(number).store(key, Ordering::Relaxed);
        let fingerprint = mix(key) >> 32;
        let entry = fingerprint << 32 | u64::from(number + 1);
        let mut at = Self::home(fingerprint, self.slots.len());
        while self.slots[at].compare_exchange(0, entry, Ordering::Release, Ordering::Relaxed).is_err() {
            at = Self::after(at, self.slots.len());
        }
    }

    /// Makes two fifths as many slots more: half as many would leave less than half of them taken, and a state would need more than 24 bytes. Keys and numbers stay. So many threads do it, if that is worth it.
    pub fn grow(&mut self, threads: usize) {
        let len = self.grown_len();
        let parts = threads.min(len / LARGE).max(1);
        let old = std::mem::take(&mut self.slots);
        let mut slots = zeroed(len);
        // Entries keep their order, so each part of the old slots goes into the same part of the new ones.
        for entry in refill_parts(&old, &mut slots, parts) {
            let mut at = Self::home(entry >> 32, len);
            while *slots[at].get_mut() != 0 {
                at = Self::after(at, len);
            }
            *slots[at].get_mut() = entry;
        }
        self.slots = slots;
        self.set_limit();
    }
}

/// Puts the entries of `old` into `slots`, part by part, each by a thread; hands back those that have still no place.
fn refill_parts(old: &[AtomicU64], slots: &mut [AtomicU64], parts: usize) -> Vec<u64> {
    let (len, start_of) = (slots.len(), |part: usize, len: usize| len / parts * part + len % parts * part / parts);
    let (mut work, mut rest) = (Vec::with_capacity(parts), slots);
    for part in 0..parts {
        let (own, others) = rest.split_at_mut(start_of(part + 1, len) - start_of(part, len));
        rest = others;
        work.push((&old[start_of(part, old.len())..start_of(part + 1, old.len())], own, start_of(part, len)));
    }
    let work = Mutex::new(work);
    let take_parts = || {
        let mut late = Vec::new();
        loop {
            let part = work.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some((old, own, start)) = part else { return late };
            late.extend(refill(old, own, start, len));
        }
    };
    std::thread::scope(|scope| {
        // Where the system gives no more threads, those that there are do the work.
        let helper = |_| std::thread::Builder::new().spawn_scoped(scope, take_parts).ok();
        let helpers: Vec<_> = (1..parts).map_while(helper).collect();
        let mut late = take_parts();
        for helper in helpers {
            late.extend(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        late
    })
}

/// Puts the entries of `old` into `part`, which begins at `start` in a table of `len` slots; hands back those that do not
/// belong there, or for which it has no room behind their places.
#[inline(never)]
fn refill(old: &[AtomicU64], part: &mut [AtomicU64], start: usize, len: usize) -> Vec<u64> {
    // A page of fresh memory that is read first and written later costs a message to every processor, which took two
    // fifths of the time of a search with two threads.
    part.iter_mut().step_by(PAGE).for_each(|slot| *slot.get_mut() = 0);
    let mut late = Vec::new();
    for entry in old.iter().map(|slot| slot.load(Ordering::Relaxed)).filter(|&entry| entry != 0) {
        let home = PairTable::home(entry >> 32, len);
        let place = home.checked_sub(start).and_then(|from| part.get_mut(from..));
        match place.and_then(|places| places.iter_mut().find_map(|slot| (*slot.get_mut() == 0).then_some(slot))) {
            Some(slot) => *slot.get_mut() = entry,
            None => late.push(entry),
        }
    }
    late
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_keys_come_back() {
        let mut table = PairTable::new();
        for key in 0..20_000_u64 {
            let key = key.wrapping_mul(0x1234_5678_9ABC_DEF1);
            let number = loop {
                match table.insert(key) {
                    Ok((number, new)) => {
                        assert!(new);
                        break number;
                    }
                    Err(Full) => table.grow(1 + (key % 3) as usize),
                }
            };
            assert_eq!(table.key(number), key);
            assert_eq!(table.insert(key), Ok((number, false)));
            assert_eq!(table.find(key), Some(number));
        }
        assert_eq!(table.len(), 20_000);
        assert_eq!(table.find(7), None);
    }

    #[test]
    fn other_keys_have_the_same_numbers() {
        let mut table = PairTable::new();
        for key in 0..300_000_u64 {
            while table.insert(key * 4).is_err() {
                table.grow(2);
            }
        }
        assert_eq!(table.varying_bits(), (1 << 21) - 4);
        for threads in [1, 4] {
            let other = table.rekeyed(threads, &|key| key.rotate_left(40) | 1);
            assert_eq!((other.len(), other.find(0)), (300_000, None));
            for number in (0..300_000).step_by(7) {
                let key = (u64::from(number) * 4).rotate_left(40) | 1;
                assert_eq!((other.key(number), other.find(key)), (key, Some(number)));
            }
            let mut other = other;
            for number in 300_000..900_000_u32 {
                let key = (u64::from(number) * 4).rotate_left(40) | 1;
                while let Err(Full) = other.insert(key) {
                    other.grow(threads);
                }
                assert_eq!(other.find(key), Some(number));
            }
        }
    }

    #[test]
    fn a_full_table_admits_no_more_and_says_so() {
        let mut table = PairTable::with_most(1000);
        let mut key = 0;
        while !table.is_exhausted() {
            match table.insert(key) {
                Ok(_) => key += 1,
                Err(Full) => table.grow(1),
            }
        }
        assert_eq!((table.len(), key), (1000, 1000));
        table.grow(1);
        assert_eq!(table.insert(key), Err(Full), "growing does not help");
        assert_eq!(table.insert(7), Ok((7, false)), "what is there is found");
        let mut claims = Claims::default();
        assert_eq!(table.claim(key, mix(key), &mut claims), Err(Full));
    }

    #[test]
    fn two_threads_agree_on_every_number() {
        let mut table = PairTable::new();
        while table.limit < 100_000 {
            table.grow(3);
        }
        let numbers: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let insert_all = |step: u64| {
                let table = &table;
                move || -> Vec<u32> {
                    let mut numbers = vec![0; 100_000];
                    for at in 0..100_000_u64 {
                        let key = at * step % 100_000;
                        numbers[key as usize] = table.insert(key * key).expect("there is room").0;
                    }
                    numbers
                }
            };
            let (first, second) = (scope.spawn(insert_all(1)), scope.spawn(insert_all(7)));
            [first, second].map(|thread| thread.join().expect("no panic")).into()
        });
        assert_eq!(numbers[0], numbers[1]);
        assert_eq!(table.len(), 100_000);
        let mut sorted = numbers[0].clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(at, &number)| to_u32(at) == number));
    }
}

//! What one thread has met that other processes keep, on its way to them.
//!
//! Where masked rows are keys, keys are sent, and otherwise rows. What was sent lately is not sent again: whoever keeps it knows it for good.

use std::sync::Arc;

use tertium_base::narrow::{below, folded};
use tertium_explore::rows::{RowList, RowWriter};
use tertium_explore::search::outlet::Outlet;
use tertium_explore::successors::Expansion;

use crate::key_codes::write_keys;
use crate::owners::{KeyOwners, hash_after, owner, row_hash};

/// So many keys are sent together at most: the more, the less lies between them.
const MOST_KEYS: usize = 1 << 14;
/// So many keys may wait for all processes together.
const WAITING_KEYS: usize = 1 << 18;
/// Rows for one process are sent when they have so many bytes.
pub(crate) const PACKET: usize = 1 << 14;
/// So many keys that were sent lately are not sent again.
const LATELY: usize = 1 << 15;
/// So many rows likewise.
const LATELY_ROWS: usize = 1 << 14;

/// What a message begins with.
pub(crate) const ROWS: u8 = 0;
pub(crate) const KEYS: u8 = 1;

/// A message and to which process it goes.
pub(crate) type Sealed = (usize, Vec<u8>);

/// One thread's outbox.
pub(crate) struct Outbox {
    me: usize,
    processes: usize,
    owners: Option<Arc<KeyOwners>>,
    /// For each process.
    keys: Vec<Vec<u64>>,
    rows: Vec<RowWriter>,
    /// Keys that were sent lately, by some bits of their hashes.
    lately: Vec<u64>,
    lately_rows: Vec<Vec<u32>>,
    /// The hashes of these, which lie near the processor: most rows differ there.
    lately_hashes: Vec<u32>,
    /// The state whose successors are asked about, and its hash.
    base: Vec<u32>,
    hash: u32,
    row: Vec<u32>,
    /// Rows of this process's that have no key, and how many there are with those of others.
    pub aside: RowList,
    pub misfits: usize,
    /// Messages that can go.
    pub sealed: Vec<Sealed>,
    /// Keys and rows that were sent.
    pub sent: usize,
}

fn hash_of(key: u64) -> u64 {
    folded(u128::from(key ^ 0x2D35_8DCC_AA6C_78A5) * u128::from(0x9E37_79B9_7F4A_7C15_u64))
}

fn place_of(key: u64) -> usize {
    below(hash_of(key), LATELY)
}

/// A table in which no key is where it is looked for.
fn nothing_lately() -> Vec<u64> {
    let place = place_of(0);
    let elsewhere = (1..).find(|&key| place_of(key) != place).unwrap_or(1);
    let mut lately = vec![0; LATELY];
    lately[place] = elsewhere;
    lately
}

impl Outbox {
    pub fn new(me: usize, processes: usize) -> Self {
        Self {
            me,
            processes,
            owners: None,
            keys: vec![Vec::new(); processes],
            rows: (0..processes).map(|_| RowWriter::default()).collect(),
            lately: Vec::new(),
            lately_rows: vec![Vec::new(); if processes > 1 { LATELY_ROWS } else { 0 }],
            lately_hashes: vec![0; if processes > 1 { LATELY_ROWS } else { 0 }],
            base: Vec::new(),
            hash: 0,
            row: Vec::new(),
            aside: RowList::default(),
            misfits: 0,
            sealed: Vec::new(),
            sent: 0,
        }
    }

    /// From now on rows are masked in this way, or not at all. Nothing waits.
    pub fn mask_by(&mut self, owners: Option<Arc<KeyOwners>>) {
        self.lately = if owners.is_some() { nothing_lately() } else { Vec::new() };
        self.owners = owners;
    }

    /// How rows are masked, if they are.
    pub fn owners(&self) -> Option<&KeyOwners> {
        self.owners.as_deref()
    }

    /// Takes the keys that wait in the outbox of another thread.
    pub fn take_keys_of(&mut self, other: &mut Self) {
        self.keys.iter_mut().zip(&mut other.keys).for_each(|(ours, theirs)| ours.append(theirs));
    }

    /// Seals everything that waits.
    pub fn seal_all(&mut self) {
        for process in 0..self.processes {
            self.seal_keys(process);
            self.seal_rows(process);
        }
    }

    fn seal_keys(&mut self, process: usize) {
        let keys = &mut self.keys[process];
        if !keys.is_empty() {
            let mut bytes = vec![KEYS];
            write_keys(keys, &mut bytes);
            self.sent += keys.len();
            keys.clear();
            self.sealed.push((process, bytes));
        }
    }

    fn seal_rows(&mut self, process: usize) {
        if !self.rows[process].is_empty() {
            let mut bytes = vec![ROWS];
            bytes.extend(self.rows[process].take());
            self.sealed.push((process, bytes));
        }
    }

    /// How many keys are sent together.
    fn enough_keys(&self) -> usize {
        MOST_KEYS.min(WAITING_KEYS / self.processes)
    }

    /// Puts the row of a successor with this hash into `row`; whether it was met lately.
    fn is_known(&mut self, found: &Expansion, step: usize, hash: u32) -> bool {
        found.copy_row(step, &mut self.row);
        let place = below(hash_of(u64::from(hash)), LATELY_ROWS);
        let (known, lately) = (&mut self.lately_hashes[place], &mut self.lately_rows[place]);
        if *known == hash && *lately == self.row {
            return true;
        }
        *known = hash;
        lately.clear();
        lately.extend_from_slice(&self.row);
        false
    }

    /// The hash of a successor.
    fn hash_of_step(&self, found: &Expansion, step: usize) -> u32 {
        hash_after(&self.base, self.hash, found.changes(step))
    }

    fn send_row(&mut self, owner: usize) {
        self.sent += 1;
        self.rows[owner].add(&self.row);
        if self.rows[owner].len() >= PACKET {
            self.seal_rows(owner);
        }
    }
}

impl Outlet for Outbox {
    const ANY: bool = true;

    #[inline]
    fn takes_key(&mut self, key: u64) -> bool {
        let Some(owners) = &self.owners else { return false };
        let owner = owners.owner(key);
        if owner == self.me {
            return false;
        }
        let lately = &mut self.lately[place_of(key)];
        if *lately != key {
            *lately = key;
            self.keys[owner].push(key);
            if self.keys[owner].len() >= self.enough_keys() {
                self.seal_keys(owner);
            }
        }
        true
    }

    fn turns_to(&mut self, row: &[u32]) {
        self.base.clear();
        self.base.extend_from_slice(row);
        self.hash = row_hash(row);
    }

    fn takes_step(&mut self, found: &Expansion, step: usize) -> bool {
        let hash = self.hash_of_step(found, step);
        let owner = owner(hash, self.processes);
        if owner == self.me {
            return false;
        }
        if !self.is_known(found, step, hash) {
            self.send_row(owner);
        }
        true
    }

    fn sets_aside(&mut self, found: &Expansion, step: usize) {
        let hash = self.hash_of_step(found, step);
        if self.is_known(found, step, hash) {
            return;
        }
        self.misfits += 1;
        match owner(hash, self.processes) {
            owner if owner == self.me => self.aside.add(&self.row),
            owner => self.send_row(owner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_new_at_first() {
        let lately = nothing_lately();
        assert!((0..1 << 18).all(|key| lately[place_of(key)] != key));
    }
}

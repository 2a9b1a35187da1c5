//! Searches that go on after a reboot.
//!
//! States are numbered in the order they are found and never change, so a checkpoint is written once and longer every time: a file of sections, each with
//! the states that are new since the last, the levels, and what was found. A section ends with a hash of itself. A section that is cut off was being
//! written when everything ended; what stands before it is a whole search up to a level. A search goes on behind the last whole section.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use tertium_base::narrow::{folded, to_u32};
use tertium_base::{Budget, Stopped};

use super::breadth::Levelled;
use super::{Finding, Observer, Summary};
use crate::rows::{RowReader, RowWriter, UnreadableRow, put, take};
use crate::store::StateStore;
use crate::successors::{Expansion, RowSuccessors};

/// What every file begins with.
const WORDS: &[u8; 16] = b"tertium states 2";

/// Why a search cannot go on from a file.
#[derive(Debug)]
pub enum CheckpointFailure {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// It is the file of another search.
    Other,
    /// It is no such file, or damaged before its end.
    Damaged(&'static str),
    /// A limit was reached while states were entered again.
    Stopped(Stopped),
}

impl fmt::Display for CheckpointFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "it cannot be read: {error}"),
            Self::Other => f.write_str("it is of another program, another version or other options"),
            Self::Damaged(how) => write!(f, "it is damaged: {how}"),
            Self::Stopped(stopped) => write!(f, "{stopped}"),
        }
    }
}

impl std::error::Error for CheckpointFailure {}

impl From<UnreadableRow> for CheckpointFailure {
    fn from(why: UnreadableRow) -> Self {
        Self::Damaged(why.0)
    }
}

/// A search up to a level.
#[derive(Debug)]
pub struct SearchSoFar {
    /// The states by number.
    pub store: StateStore,
    /// The number of the first state of each level that was expanded.
    pub levels: Vec<u32>,
    /// The first state that was not.
    pub end: u32,
    /// What was seen.
    pub summary: Summary,
}

/// A file that states are written to.
#[derive(Debug)]
pub struct CheckpointFile {
    file: File,
    /// So many states are in it.
    states: usize,
    /// So many levels are in it.
    levels: usize,
}

/// Whoever was killed may take a moment to be gone.
const PATIENCE: Duration = Duration::from_secs(10);
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(20);

/// The file, once nobody else writes it. Where the system knows no locks it is taken without.
pub(super) fn locked(file: File) -> io::Result<File> {
    let start = Instant::now();
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        if start.elapsed() >= PATIENCE {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another run is writing it"));
        }
        std::thread::sleep(BETWEEN_ATTEMPTS);
    }
    Ok(file)
}

/// All bits of a section in 64.
pub(super) fn hash(bytes: &[u8], states: usize) -> u64 {
    let mut hash = 0x2D35_8DCC_AA6C_78A5 ^ states as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let mixed = u128::from(hash ^ u64::from_le_bytes(word)) * u128::from(0xD6E8_FEB8_6659_FD93_u64);
        hash = folded(mixed).wrapping_add(hash.rotate_left(23));
    }
    folded(u128::from(hash ^ bytes.len() as u64) * u128::from(0xA076_1D64_78BD_642F_u64))
}

/// Tells one finding from the others at the same place.
fn name_of(finding: &Finding) -> u64 {
    hash(format!("{finding:?}").as_bytes(), 0)
}

impl CheckpointFile {
    /// So many bytes say of which search it is.
    pub const HEAD: u64 = WORDS.len() as u64 + 8;

    /// A new file for a search with this identity: what must be the same for a search to go on.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(path: &Path, identity: &str) -> io::Result<Self> {
        let mut file = locked(File::options().write(true).create(true).truncate(false).open(path)?)?;
        file.set_len(0)?;
        file.write_all(WORDS)?;
        file.write_all(&hash(identity.as_bytes(), 0).to_le_bytes())?;
        file.sync_data()?;
        Ok(Self { file, states: 0, levels: 0 })
    }

    /// Writes what is new after a level, and what the observer has noticed besides. It is there when this returns.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append<O: Observer>(&mut self, summary: &Summary, levelled: Levelled<'_>, observer: &O) -> io::Result<()> {
        self.append_with(summary, levelled, &observer.remarks())
    }

    /// The same, with these remarks.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append_with(&mut self, summary: &Summary, levelled: Levelled<'_>, remarks: &[u64]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for count in [summary.transitions, summary.deadlocks, summary.faults, levelled.end as usize] {
            put(&mut bytes, count as u64);
        }
        let levels = &levelled.levels[self.levels.min(levelled.levels.len())..];
        put(&mut bytes, levels.len() as u64);
        levels.iter().for_each(|&level| put(&mut bytes, u64::from(level)));
        put(&mut bytes, remarks.len() as u64);
        remarks.iter().for_each(|&remark| put(&mut bytes, remark));
        put(&mut bytes, summary.findings.len() as u64);
        let mut rows = RowWriter::default();
        for (finding, place) in &summary.findings {
            put(&mut bytes, place.depth as u64);
            put(&mut bytes, name_of(finding));
            rows.add(&place.row);
        }
        let mut branches = levelled.store.branches();
        let states = levelled.store.len();
        for number in self.states..states {
            levelled.store.read(to_u32(number), &mut branches);
            rows.add(branches.words());
        }
        bytes.extend(rows.take());
        self.file.write_all(&(bytes.len() as u64).to_le_bytes())?;
        self.file.write_all(&bytes)?;
        self.file.write_all(&hash(&bytes, self.states).to_le_bytes())?;
        self.file.sync_data()?;
        (self.states, self.levels) = (states, levelled.levels.len());
        Ok(())
    }
}

/// Reads a file of the search with this identity: the search up to the last level that is in it, none if there is none yet, and the file to go on with.
///
/// # Errors
/// If the file is not of this search, or damaged.
pub fn resume<S: RowSuccessors, O: Observer>(
    path: &Path,
    identity: &str,
    (successors, observer): (&S, &O),
    budget: &Budget,
) -> Result<(Option<SearchSoFar>, CheckpointFile), CheckpointFailure> {
    let (reading, file) = read(path, identity, StateStore::new(successors.words()), usize::MAX, budget)?;
    if reading.levels.is_empty() {
        return Ok((None, file));
    }
    reading.must_have_levels(|one, next| one < next)?;
    observer.absorb(&reading.remarks);
    Ok((Some(reading.finish(successors, observer)?), file))
}

/// What one of several searchers has of the states, each keeping its own, up to a level.
#[derive(Debug)]
pub struct PartSoFar {
    /// Its states, levels (some of them empty) and what was seen.
    pub search: SearchSoFar,
    /// What else was written.
    pub remarks: Vec<u64>,
}

/// The same for the part of one of several searchers, into this store, which is empty, up to so many levels at most: what was written after them is dropped.
///
/// # Errors
/// If the file is not of this search, or damaged.
pub fn resume_part<S: RowSuccessors, O: Observer>(
    path: &Path,
    identity: &str,
    (successors, observer): (&S, &O),
    (store, levels): (StateStore, usize),
    budget: &Budget,
) -> Result<(Option<PartSoFar>, CheckpointFile), CheckpointFailure> {
    let (mut reading, file) = read(path, identity, store, levels, budget)?;
    if reading.levels.is_empty() {
        return Ok((None, file));
    }
    reading.must_have_levels(|one, next| one <= next)?;
    let remarks = std::mem::take(&mut reading.remarks);
    Ok((Some(PartSoFar { search: reading.finish(successors, observer)?, remarks }), file))
}

/// Reads whole sections, up to so many levels.
fn read(
    path: &Path,
    identity: &str,
    store: StateStore,
    levels: usize,
    budget: &Budget,
) -> Result<(Reading, CheckpointFile), CheckpointFailure> {
    let unreadable = CheckpointFailure::Unreadable;
    let mut file = File::options().read(true).write(true).open(path).and_then(locked).map_err(unreadable)?;
    let (mut begins, mut own) = ([0; WORDS.len()], [0; 8]);
    let begun = file.read_exact(&mut begins).and_then(|()| file.read_exact(&mut own));
    if begun.is_err() || begins != *WORDS {
        return Err(CheckpointFailure::Damaged("it does not begin as it should"));
    }
    if u64::from_le_bytes(own) != hash(identity.as_bytes(), 0) {
        return Err(CheckpointFailure::Other);
    }
    let mut reading = Reading {
        store,
        levels: Vec::new(),
        end: 0,
        summary: Summary::default(),
        places: Vec::new(),
        remarks: Vec::new(),
    };
    let mut whole = CheckpointFile::HEAD;
    while reading.levels.len() < levels
        && let Some(bytes) = section(&mut file, reading.store.len()).map_err(unreadable)?
    {
        reading.section(&bytes, budget)?;
        whole += bytes.len() as u64 + 16;
    }
    // What is cut off is written again.
    file.set_len(whole).and_then(|()| file.seek(SeekFrom::Start(whole))).map_err(unreadable)?;
    let file = CheckpointFile { file, states: reading.store.len(), levels: reading.levels.len() };
    Ok((reading, file))
}

/// The next section; none if there is no whole one.
fn section(file: &mut File, states: usize) -> io::Result<Option<Vec<u8>>> {
    let mut word = [0; 8];
    if !is_whole(file.read_exact(&mut word))? {
        return Ok(None);
    }
    let len = u64::from_le_bytes(word);
    let left = file.metadata()?.len().saturating_sub(file.stream_position()?);
    let Some(len) = usize::try_from(len).ok().filter(|_| len.saturating_add(8) <= left) else { return Ok(None) };
    let mut bytes = vec![0; len];
    file.read_exact(&mut bytes)?;
    file.read_exact(&mut word)?;
    Ok((u64::from_le_bytes(word) == hash(&bytes, states)).then_some(bytes))
}

fn is_whole(read: io::Result<()>) -> io::Result<bool> {
    match read {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// What was read so far.
struct Reading {
    store: StateStore,
    levels: Vec<u32>,
    end: u32,
    summary: Summary,
    /// Depth, name and row of each finding.
    places: Vec<(usize, u64, Vec<u32>)>,
    remarks: Vec<u64>,
}

impl Reading {
    fn section(&mut self, mut bytes: &[u8], budget: &Budget) -> Result<(), CheckpointFailure> {
        let damaged = |_| CheckpointFailure::Damaged("a number is too large");
        let mut number = || take(&mut bytes).map_err(CheckpointFailure::from);
        let count = |number: u64| usize::try_from(number).map_err(damaged);
        self.summary.transitions = count(number()?)?;
        self.summary.deadlocks = count(number()?)?;
        self.summary.faults = count(number()?)?;
        self.end = u32::try_from(number()?).map_err(damaged)?;
        for _ in 0..number()? {
            self.levels.push(u32::try_from(number()?).map_err(damaged)?);
        }
        self.remarks.clear();
        for _ in 0..number()? {
            self.remarks.push(number()?);
        }
        let mut findings = Vec::new();
        for _ in 0..number()? {
            findings.push((count(number()?)?, number()?));
        }
        let mut rows = RowReader::new(bytes);
        self.places.clear();
        for (depth, name) in findings {
            let row = rows.next_row()?.ok_or(CheckpointFailure::Damaged("a finding has no state"))?;
            self.places.push((depth, name, row.to_vec()));
        }
        let (mut branches, mut ticks) = (self.store.branches(), 0);
        while let Some(row) = rows.next_row()? {
            budget.tick(&mut ticks).map_err(CheckpointFailure::Stopped)?;
            let (number, expected) = loop {
                let expected = self.store.len();
                if let Ok((number, _)) = self.store.insert_afresh(row, &mut branches) {
                    break (number as usize, expected);
                }
                self.store.may_grow(budget).map_err(CheckpointFailure::Stopped)?;
                self.store.grow();
            };
            if number != expected {
                return Err(CheckpointFailure::Damaged("a state comes twice"));
            }
        }
        Ok(())
    }

    /// Levels begin with the first state, each in its order behind the one before it.
    fn must_have_levels(&self, ordered: fn(u32, u32) -> bool) -> Result<(), CheckpointFailure> {
        let sorted = self.levels.first() == Some(&0) && self.levels.windows(2).all(|pair| ordered(pair[0], pair[1]));
        let last = self.levels.last().copied().unwrap_or(0);
        match sorted && ordered(last, self.end) && self.end as usize <= self.store.len() {
            true => Ok(()),
            false => Err(CheckpointFailure::Damaged("its levels are none")),
        }
    }

    /// Finds out again what there is to be found at the places that were noted.
    fn finish<S: RowSuccessors, O: Observer>(
        mut self,
        successors: &S,
        observer: &O,
    ) -> Result<SearchSoFar, CheckpointFailure> {
        let (mut scratch, mut eyes, mut found) = (successors.scratch(), observer.scratch(), Expansion::default());
        let summary = &mut self.summary;
        for (depth, name, row) in &self.places {
            let mut here = Vec::new();
            successors.expand(row, &mut scratch, &mut found);
            here.extend(found.deadlock.then_some(Finding::Deadlock));
            here.extend(found.faults.drain(..).map(Finding::Fault));
            observer.look(row, &mut eyes, &mut |number| here.push(Finding::Broken(number)));
            // At the same place there may be more that was found elsewhere, or not yet.
            let Some(finding) = here.into_iter().find(|finding| name_of(finding) == *name) else {
                return Err(CheckpointFailure::Damaged("a finding is not where it was"));
            };
            summary.note(finding, *depth, row);
        }
        Ok(SearchSoFar { store: self.store, levels: self.levels, end: self.end, summary: self.summary })
    }
}

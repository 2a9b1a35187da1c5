//! What is kept for each place of the table while runs that go on for ever are looked for.

use super::{Memory, bytes_of, bytes_of_words, count, words_of};
use crate::device::{Device, DeviceError, Kernel};

/// What is told along steps, as `cycles.cu` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    First,
    Spread,
    Lose,
    Trace,
}

const LEFT: u32 = 1 << 31;
const CONDITIONS: u32 = (1 << 28) - 1;

/// What is known of a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    bits: u32,
    pub place: u32,
}

impl Flags {
    /// Whether it has something to tell.
    pub fn tells(self, telling: Telling, wave: u64) -> bool {
        let dirty = 1 << (28 + (wave & 1));
        self.bits & dirty != 0 && (self.bits & LEFT == 0) == (telling == Telling::Lose)
    }

    /// The conditions that have arrived.
    pub fn conditions(self) -> u32 {
        self.bits & CONDITIONS
    }
}

/// How many states were left before a judgement, and how many of them it removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CycleCounts {
    pub left: usize,
    pub removed_at_once: usize,
}

/// Addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CycleMemory {
    flags: u64,
    origins: u64,
    counts: u64,
    places: u64,
    /// All of it as the device sees it.
    cycles: u64,
}

/// How many numbers are counted: removed, left over, changed, lost.
const COUNTS: usize = 4;

impl<D: Device> Memory<D> {
    /// Memory for all places of the table.
    pub fn cycles(&mut self) -> Result<CycleMemory, DeviceError> {
        // The last one is that of the key 0.
        let places = self.table.capacity + 1;
        if places * 16 > self.device.free_bytes() {
            return Err(DeviceError::Memory);
        }
        let mut words = || self.device.allocate(places * 4);
        let (flags, arrivals, binds, origins) = (words()?, words()?, words()?, words()?);
        let counts = self.device.allocate(COUNTS as u64 * 8)?;
        let cycles = self.given(&bytes_of(&[self.table.search, flags, arrivals, binds, origins, counts]))?;
        Ok(CycleMemory { flags, origins, counts, places, cycles })
    }

    /// All states are left.
    pub fn leave_all(&mut self, at: &CycleMemory, states: u64) -> Result<(), DeviceError> {
        self.device.launch(Kernel::LeaveAll, states, &[at.cycles, states])
    }

    pub fn leave_to_host(&mut self, at: &CycleMemory, states: &[u32], binds: &[u32]) -> Result<(), DeviceError> {
        let count = states.len() as u64;
        self.with_words(&[states, binds], |device, given| {
            device.launch(Kernel::LeaveToHost, count, &[at.cycles, given[0], given[1], count])
        })
    }

    pub fn begin_pass(&mut self, at: &CycleMemory) -> Result<(), DeviceError> {
        self.device.launch(Kernel::BeginPass, at.places, &[at.cycles, at.places])
    }

    pub fn spread(
        &mut self,
        at: &CycleMemory,
        telling: Telling,
        condition: usize,
        wave: u64,
    ) -> Result<(), DeviceError> {
        self.device.write(at.counts, &[0; COUNTS * 8])?;
        let arguments = [at.cycles, at.places, telling as u64, condition as u64, wave];
        self.device.launch(Kernel::Spread, at.places, &arguments)
    }

    /// Whether the last wave told anyone something new.
    pub fn has_changed(&mut self, at: &CycleMemory) -> Result<bool, DeviceError> {
        let [_, _, changed, lost] = self.counts(at)?;
        if lost != 0 {
            return Err(DeviceError::Failed("a step that was taken before leads nowhere".to_owned()));
        }
        Ok(changed != 0)
    }

    fn counts(&mut self, at: &CycleMemory) -> Result<[u64; COUNTS], DeviceError> {
        let bytes = self.device.read(at.counts, COUNTS * 8)?;
        let mut counts = [0; COUNTS];
        for (count, bytes) in counts.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *count = u64::from_le_bytes(*bytes);
        }
        Ok(counts)
    }

    /// Removes states at which something is missing.
    pub fn judge(&mut self, at: &CycleMemory, wave: u64) -> Result<CycleCounts, DeviceError> {
        self.device.write(at.counts, &[0; COUNTS * 8])?;
        self.device.launch(Kernel::Judge, at.places, &[at.cycles, at.places, wave])?;
        let [removed, left, ..] = self.counts(at)?;
        Ok(CycleCounts { left: count(left), removed_at_once: count(removed) })
    }

    /// Tells rows what comes from a place: conditions.
    pub fn tell_rows(
        &mut self,
        at: &CycleMemory,
        rows: &[Vec<u32>],
        told: &[(u32, u32)],
        telling: Telling,
        wave: u64,
    ) -> Result<(), DeviceError> {
        let (count, told) = (rows.len() as u64, told.iter().flat_map(|&(a, b)| [a, b]).collect::<Vec<u32>>());
        self.with_words(&[&rows.concat(), &told], |device, given| {
            let arguments = [at.cycles, given[0], given[1], count, telling as u64, wave];
            device.launch(Kernel::TellRows, count, &arguments)
        })
    }

    /// What is known of states, which are taken up with that.
    pub fn take_flags(&mut self, at: &CycleMemory, states: &[u32], wave: u64) -> Result<Vec<Flags>, DeviceError> {
        let (count, out) = (states.len() as u64, vec![0; states.len() * 2]);
        let mut flags = Vec::new();
        self.with_words(&[states, &out], |device, given| {
            device.launch(Kernel::TakeFlags, count, &[at.cycles, given[0], given[1], count, wave])?;
            let words = words_of(&device.read(given[1], out.len() * 4)?);
            flags = words.as_chunks::<2>().0.iter().map(|&[bits, place]| Flags { bits, place }).collect();
            Ok(())
        })?;
        Ok(flags)
    }

    /// The place of a row.
    pub fn place_of(&mut self, at: &CycleMemory, row: &[u32]) -> Result<Option<u32>, DeviceError> {
        let mut place = u32::MAX;
        self.with_words(&[row, &[u32::MAX]], |device, given| {
            device.launch(Kernel::FindRows, 1, &[at.cycles, given[0], given[1], 1])?;
            place = words_of(&device.read(given[1], 4)?)[0];
            Ok(())
        })?;
        Ok((place != u32::MAX).then_some(place))
    }

    /// The row at a place.
    pub fn row_of_place(&mut self, at: &CycleMemory, place: u32) -> Result<Vec<u32>, DeviceError> {
        let (mut row, out) = (Vec::new(), vec![0; self.words]);
        self.with_words(&[&out], |device, given| {
            device.launch(Kernel::RowOfPlace, 1, &[at.cycles, u64::from(place), given[0]])?;
            row = words_of(&device.read(given[0], out.len() * 4)?);
            Ok(())
        })?;
        Ok(row)
    }

    /// The first place with a state that is left.
    pub fn some_left(&mut self, at: &CycleMemory) -> Result<u32, DeviceError> {
        self.one_number(u32::MAX, |device, out| {
            device.launch(Kernel::SomeLeft, at.places, &[at.cycles, at.places, out])
        })
    }

    /// The number of the state at a place.
    pub fn number_of(&mut self, at: &CycleMemory, place: u32, states: u64) -> Result<u32, DeviceError> {
        self.one_number(u32::MAX, |device, out| {
            device.launch(Kernel::NumberOf, states, &[at.cycles, u64::from(place), states, out])
        })
    }

    /// From where the condition traced last arrived at a place, if it did.
    pub fn origin(&mut self, at: &CycleMemory, condition: usize, place: u32) -> Result<Option<u32>, DeviceError> {
        let flags = self.word(at.flags, place)?;
        if flags >> condition & 1 == 0 { Ok(None) } else { self.word(at.origins, place).map(Some) }
    }

    fn word(&mut self, of: u64, place: u32) -> Result<u32, DeviceError> {
        let bytes = self.device.read(of + u64::from(place) * 4, 4)?;
        Ok(words_of(&bytes)[0])
    }

    fn one_number(
        &mut self,
        before: u32,
        find: impl FnOnce(&mut D, u64) -> Result<(), DeviceError>,
    ) -> Result<u32, DeviceError> {
        let mut number = before;
        self.with_words(&[&[before]], |device, given| {
            find(device, given[0])?;
            number = words_of(&device.read(given[0], 4)?)[0];
            Ok(())
        })?;
        Ok(number)
    }

    /// Does something with words on the device, which are given back.
    fn with_words(
        &mut self,
        words: &[&[u32]],
        act: impl FnOnce(&mut D, &[u64]) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        if words.iter().all(|words| words.is_empty()) {
            return Ok(());
        }
        let given: Vec<u64> =
            words.iter().map(|words| self.given(&bytes_of_words(words))).collect::<Result<_, DeviceError>>()?;
        let done = act(&mut self.device, &given);
        for address in given {
            self.device.release(address)?;
        }
        done
    }
}

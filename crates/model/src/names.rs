//! Which number belongs to this name? One arena for the texts, one open-addressing table for the way back.
//!
//! Readers look up two names an edge, so a look-up must touch as little memory as possible: names such as `s17`,
//! with the prefix of the first such name, are found by their number in an array; other names of up to eight
//! bytes are compared inside the table, and only longer ones in the arena.
//!
//! Not here: what a name stands for.

use tertium_base::narrow::{folded, to_u32};
use tertium_base::{Budget, Stopped};

/// Many short names in one piece of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Names {
    /// Adds a name at the end.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(to_u32(self.text.len()));
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name at this position.
    #[must_use]
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The position of a name, by looking at all of them.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.iter().position(|known| known == name)
    }

    /// Bytes that the names may take in all; a reader must refuse more.
    pub const MAX_BYTES: usize = u32::MAX as usize;

    /// Bytes that the names take now.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Gives back memory that growing left unused.
    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    fn grow_within(&mut self, more: usize, budget: &Budget) -> Result<(), Stopped> {
        room(&mut self.ends, budget)?;
        if self.text.capacity() - self.text.len() < more {
            let extra = more.max(self.text.capacity() / 2).max(1024);
            budget.reserve(extra)?;
            self.text.reserve_exact(extra);
        }
        Ok(())
    }
}

/// Makes room for one more element, by half of what there is, if the budget allows it.
#[inline]
pub(crate) fn room<T>(list: &mut Vec<T>, budget: &Budget) -> Result<(), Stopped> {
    if list.len() < list.capacity() {
        return Ok(());
    }
    let extra = (list.capacity() / 2).max(256);
    budget.reserve(extra * size_of::<T>())?;
    list.reserve_exact(extra);
    Ok(())
}

/// Why a name was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Its bytes are no UTF-8.
    NotText,
    /// All names together exceed what offsets can count.
    TooMuch,
    /// The budget does not allow it.
    Stopped(Stopped),
}

/// A place in the table: key, length or mark, and the name's number plus one (zero: free).
#[derive(Clone, Copy, Default, Debug)]
struct Slot {
    key: u64,
    kind: u32,
    number: u32,
}

/// Set in [`Slot::kind`] when `key` is only a hash, so that the text itself must be compared.
const HASHED: u32 = 1 << 31;

/// Names with numbers in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    names: Names,
    slots: Vec<Slot>,
    /// How many slots are taken.
    taken: usize,
    numbered: Numbered,
}

/// Names that are one prefix and a number: their number in the order of names plus one, zero for none.
#[derive(Clone, Debug, Default)]
struct Numbered {
    prefix: Option<Vec<u8>>,
    places: Vec<u32>,
    count: usize,
}

impl Numbered {
    /// The number in a name that has the prefix.
    #[inline]
    fn number(&self, name: &[u8]) -> Option<usize> {
        let prefix = self.prefix.as_deref()?;
        let digits = name.strip_prefix(prefix)?;
        let leading_zero = digits.len() > 1 && digits[0] == b'0';
        if digits.is_empty() || digits.len() > 9 || leading_zero {
            return None;
        }
        digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + usize::from(digit - b'0')))
    }

    /// A place for a new name, if it has the prefix and the array stays about half full.
    fn place_for(&mut self, name: &[u8], budget: &Budget) -> Result<Option<&mut u32>, Stopped> {
        if self.prefix.is_none() {
            let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 {
                self.prefix = Some(name[..name.len() - digits].to_vec());
            }
        }
        let Some(number) = self.number(name).filter(|&number| number < 2 * self.count + 1024) else { return Ok(None) };
        if number >= self.places.len() {
            let size = (number + 1).max(self.places.len() * 3 / 2);
            budget.reserve((size - self.places.len()) * size_of::<u32>())?;
            self.places.resize(size, 0);
        }
        self.count += 1;
        Ok(Some(&mut self.places[number]))
    }
}

impl NameTable {
    pub fn names(&self) -> &Names {
        &self.names
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn into_names(self) -> Names {
        drop((self.slots, self.numbered));
        let mut names = self.names;
        names.shrink();
        names
    }

    /// The number of a name, if it is known.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        let numbered = self.numbered.number(name).and_then(|number| self.numbered.places.get(number));
        if let Some(known) = numbered.and_then(|place| place.checked_sub(1)) {
            return Some(known);
        }
        if self.slots.is_empty() {
            return None;
        }
        let (key, kind) = key_of(name);
        let slot = self.slots[self.place(key, kind, name)];
        slot.number.checked_sub(1)
    }

    /// The number of a name, new or not, and whether it is new.
    #[inline]
    pub fn intern(&mut self, name: &[u8], budget: &Budget) -> Result<(u32, bool), Refused> {
        match self.find(name) {
            Some(number) => Ok((number, false)),
            None => self.insert(name, budget).map(|number| (number, true)),
        }
    }

    #[cold]
    fn insert(&mut self, name: &[u8], budget: &Budget) -> Result<u32, Refused> {
        let text = std::str::from_utf8(name).map_err(|_| Refused::NotText)?;
        if self.names.bytes() + name.len() > Names::MAX_BYTES || self.len() >= (HASHED - 1) as usize {
            return Err(Refused::TooMuch);
        }
        self.names.grow_within(name.len(), budget).map_err(Refused::Stopped)?;
        let number = to_u32(self.len()) + 1;
        if let Some(place) = self.numbered.place_for(name, budget).map_err(Refused::Stopped)? {
            *place = number;
            self.names.push(text);
            return Ok(number - 1);
        }
        if (self.taken + 1) * 8 > self.slots.len() * 5 {
            self.rehash(budget).map_err(Refused::Stopped)?;
        }
        self.taken += 1;
        let (key, kind) = key_of(name);
        let at = self.place(key, kind, name);
        self.names.push(text);
        self.slots[at] = Slot { key, kind, number };
        Ok(number - 1)
    }

    fn rehash(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let size = (self.slots.len() * 2).max(64);
        budget.reserve(size * size_of::<Slot>())?;
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old.into_iter().filter(|slot| slot.number != 0) {
            let mut at = start(slot.key, slot.kind, size);
            while self.slots[at].number != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = slot;
        }
        Ok(())
    }

    /// Where the name stands, or the free slot where it would.
    #[inline]
    fn place(&self, key: u64, kind: u32, name: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = start(key, kind, self.slots.len());
        loop {
            let slot = self.slots[at];
            let same = slot.key == key
                && slot.kind == kind
                && (kind & HASHED == 0
                    || slot.number == 0
                    || self.names.get(slot.number as usize - 1).as_bytes() == name);
            if same || slot.number == 0 {
                return at;
            }
            at = (at + 1) & mask;
        }
    }
}

const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline]
fn start(key: u64, kind: u32, size: usize) -> usize {
    let mixed = (key ^ u64::from(kind)).wrapping_mul(MIX);
    ((mixed ^ (mixed >> 29)).wrapping_mul(MIX) >> 32) as usize & (size - 1)
}

fn eight(name: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&name[at..at + 8]);
    u64::from_le_bytes(word)
}

fn four(name: &[u8], at: usize) -> u64 {
    let mut word = [0; 4];
    word.copy_from_slice(&name[at..at + 4]);
    u64::from(u32::from_le_bytes(word))
}

/// Key and kind: the bytes themselves up to eight of them (overlapping reads are unambiguous together with
/// the length), a hash beyond.
#[inline]
fn key_of(name: &[u8]) -> (u64, u32) {
    let len = name.len();
    match len {
        0 => (0, 0),
        1..4 => {
            let middle = u64::from(name[len / 2]) << 8;
            (u64::from(name[0]) | middle | u64::from(name[len - 1]) << 16, to_u32(len))
        }
        4..=8 => (four(name, 0) | four(name, len - 4) << 32, to_u32(len)),
        _ => (long_hash(name), to_u32(len) | HASHED),
    }
}

fn long_hash(name: &[u8]) -> u64 {
    let mut hash = name.len() as u64;
    let mut at = 0;
    while at + 8 < name.len() {
        hash = fold(hash ^ eight(name, at));
        at += 8;
    }
    fold(hash ^ eight(name, name.len() - 8))
}

fn fold(word: u64) -> u64 {
    folded(u128::from(word ^ 0xA076_1D64_78BD_642F) * u128::from(MIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_keeps_its_number() {
        let budget = Budget::unlimited();
        let mut table = NameTable::default();
        let names: Vec<String> = (0..5000)
            .map(|n| match n % 7 {
                0 => format!("s{n}"),
                4 => format!("s{}", n * 1_000_003),
                5 => format!("s0{n}"),
                6 => format!("s{}", 5000 - n),
                1 => format!("a_rather_long_name_{n}"),
                2 => "x".repeat(n % 40) + &n.to_string(),
                _ => format!("é{n}"),
            })
            .collect();
        for (number, name) in names.iter().enumerate() {
            let (got, new) = table.intern(name.as_bytes(), &budget).unwrap();
            let first = names.iter().position(|other| other == name).unwrap();
            assert_eq!((got as usize) == table.len() - 1, new, "{name}");
            assert_eq!(table.names().get(got as usize), names[first], "{number}");
        }
        for name in &names {
            let number = table.find(name.as_bytes()).unwrap();
            assert_eq!(table.names().get(number as usize), name);
        }
        assert_eq!(table.find(b"absent"), None);
        assert_eq!(table.intern(b"\xff\xfe", &budget), Err(Refused::NotText));
    }

    #[test]
    fn short_names_with_equal_letters_differ() {
        let budget = Budget::unlimited();
        let mut table = NameTable::default();
        let mut all = Vec::new();
        for len in 0..6 {
            for bits in 0..1u32 << len {
                all.push((0..len).map(|at| if bits >> at & 1 == 0 { 'a' } else { 'b' }).collect::<String>());
            }
        }
        for (number, name) in all.iter().enumerate() {
            assert_eq!(table.intern(name.as_bytes(), &budget), Ok((to_u32(number), true)), "{name}");
        }
    }
}

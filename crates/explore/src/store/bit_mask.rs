//! Which bits of a row are stored, and where: the mask of `masking`.

use std::sync::atomic::{AtomicU64, Ordering};

use tertium_base::narrow::{high_half, low_half, to_u32};

use crate::pack::small;

/// Some neighbouring bits that vary: where they are in a row, and where in the masked row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BitRun {
    /// As many ones as there are bits.
    mask: u32,
    /// The word of the masked row.
    to: u32,
    right: u8,
    left: u8,
}

impl BitRun {
    #[inline]
    fn take(self, word: u32) -> u32 {
        (word >> self.right & self.mask) << self.left
    }

    #[inline]
    fn put_back(self, masked: &[u32]) -> u32 {
        (masked[self.to as usize] >> self.left & self.mask) << self.right
    }
}

/// What is stored of one word of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MaskedWord {
    /// The bits that may be anything.
    kept: u32,
    /// What the others are.
    fixed: u32,
    /// The runs of the bits that are kept: the first one, and the first of the next word.
    first: u32,
    end: u32,
}

/// Which bits of a row are stored.
#[derive(Clone, Debug)]
pub struct BitMask {
    /// No other mask has this number, unless it is a copy.
    id: u64,
    words: Vec<MaskedWord>,
    runs: Vec<BitRun>,
    /// How many words a masked row has.
    masked: usize,
}

/// The number of the next mask.
static NEXT_MASK: AtomicU64 = AtomicU64::new(1);

/// A row differs from what is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misfit;

impl BitMask {
    /// The mask of rows like this one, in which these bits vary. Where the masked row has room left, it has more bits: those between others, so that there are fewer runs, and the next ones of
    /// words that vary, since what counts goes on counting.
    pub(super) fn of(row: &[u32], varying: &[u32]) -> Self {
        let mut kept = varying.to_vec();
        let bits = kept.iter().map(|word| word.count_ones()).sum::<u32>().max(1);
        let masked = bits.div_ceil(32);
        spend(&mut kept, masked * 32 - bits);
        let (mut words, mut runs, mut at) = (Vec::with_capacity(row.len()), Vec::new(), 0);
        for (&fixed, &kept) in row.iter().zip(&kept) {
            let first = to_u32(runs.len());
            let mut rest = kept;
            while rest != 0 {
                let right = rest.trailing_zeros();
                let count = (rest >> right).trailing_ones().min(32 - at % 32);
                let mask = u32::MAX >> (32 - count);
                runs.push(BitRun { mask, to: at / 32, right: small(right), left: small(at % 32) });
                rest &= !(mask << right);
                at += count;
            }
            words.push(MaskedWord { kept, fixed: fixed & !kept, first, end: to_u32(runs.len()) });
        }
        Self { id: NEXT_MASK.fetch_add(1, Ordering::Relaxed), words, runs, masked: masked as usize }
    }

    /// How many words a masked row has.
    pub(crate) fn masked_words(&self) -> usize {
        self.masked
    }

    /// How many words a row has, zeros at the end included.
    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    /// The row whose masked row is zeros.
    pub(super) fn least_row(&self) -> Vec<u32> {
        self.words.iter().map(|word| word.fixed).collect()
    }

    #[inline]
    fn runs(&self, word: MaskedWord) -> &[BitRun] {
        &self.runs[word.first as usize..word.end as usize]
    }

    /// Adds to `above` how a masked row differs from `base`, given how the row does: words in order, and what stands there.
    #[inline]
    pub(crate) fn changes(
        &self,
        base: &[u32],
        changed: &[(u32, u32)],
        above: &mut Vec<(u32, u32)>,
    ) -> Result<(), Misfit> {
        let start = above.len();
        for &(at, value) in changed {
            let word = self.words[at as usize];
            if value & !word.kept != word.fixed {
                return Err(Misfit);
            }
            for &run in self.runs(word) {
                let (keep, bits) = (!(run.mask << run.left), run.take(value));
                match above[start..].last_mut() {
                    Some((last, masked)) if *last == run.to => *masked = *masked & keep | bits,
                    _ => above.push((run.to, base[run.to as usize] & keep | bits)),
                }
            }
        }
        Ok(())
    }

    /// The masked row of a row, filled up with zeros, if it has one.
    pub(super) fn masked_row(&self, row: &[u32]) -> Option<Vec<u32>> {
        let mut masked = vec![0; self.masked];
        for (at, &word) in self.words.iter().enumerate() {
            let value = row.get(at).copied().unwrap_or(0);
            if value & !word.kept != word.fixed {
                return None;
            }
            self.runs(word).iter().for_each(|run| masked[run.to as usize] |= run.take(value));
        }
        (row.len() <= self.words.len()).then_some(masked)
    }

    /// The row of a masked row.
    #[inline]
    pub(super) fn unmask(&self, masked: &[u32], row: &mut [u32]) {
        for (value, &word) in row.iter_mut().zip(&self.words) {
            let bits = self.runs(word).iter().fold(0, |bits, run| bits | run.put_back(masked));
            *value = word.fixed | bits;
        }
    }

    /// The key of a row, given that of another one and how it differs from that: words in order, and what stands there.
    #[inline]
    pub(crate) fn key_after(&self, key: u64, changed: &[(u32, u32)], room: &mut Vec<(u32, u32)>) -> Option<u64> {
        if changed.last().is_some_and(|&(last, _)| last as usize >= self.words.len()) {
            return None;
        }
        let mut halves = [high_half(key), low_half(key)];
        room.clear();
        self.changes(&halves[..self.masked], changed, room).ok()?;
        room.iter().for_each(|&(at, word)| halves[at as usize] = word);
        Some(u64::from(halves[0]) << 32 | u64::from(halves[1]))
    }

    /// The bits that keys have.
    #[must_use]
    pub fn key_bits(&self) -> u64 {
        (0..self.words.len()).fold(0, |bits, at| bits | self.key_of(at, u32::MAX))
    }

    /// The row of a key, filled up with zeros, where masked rows are keys.
    #[inline]
    pub fn row_of_key(&self, key: u64, row: &mut Vec<u32>) {
        row.clear();
        row.resize(self.words.len(), 0);
        self.unmask_key(key, row);
    }

    /// The row of a key, where a masked row is one: of one word or two.
    #[inline]
    pub(crate) fn unmask_key(&self, key: u64, row: &mut [u32]) {
        self.unmask(&[high_half(key), low_half(key)], row);
    }

    /// What tells this mask from others.
    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The key that another mask, of as many words, makes of the row of a key.
    pub(super) fn key_by(&self, other: &Self, key: u64) -> u64 {
        let masked = [high_half(key), low_half(key)];
        let row = self.words.iter().map(|&word| {
            self.runs(word).iter().map(|run| run.put_back(&masked)).fold(word.fixed, |row, bits| row | bits)
        });
        row.enumerate().fold(0, |key, (at, word)| key | other.key_of(at, word))
    }

    /// The bits of a key that those of a word's bits which are kept make. Of words beyond the mask, which are zeros in all rows that have keys, no bit is.
    pub(crate) fn key_of(&self, at: usize, value: u32) -> u64 {
        let place = |run: &BitRun| u64::from(run.take(value)) << (32 * (1 - run.to));
        let runs = self.words.get(at).map_or(&[][..], |&word| self.runs(word));
        runs.iter().map(place).fold(0, |key, bits| key | bits)
    }

    /// What the bits of a word that are not kept are.
    pub(crate) fn fixed(&self, at: usize) -> u32 {
        self.words.get(at).map_or(0, |word| word.fixed)
    }

    /// Whether some row may have these values of these bits of a word.
    pub(crate) fn admits(&self, at: usize, bits: u32, value: u32) -> bool {
        let word = self.words[at];
        (value ^ word.fixed) & bits & !word.kept == 0
    }

    /// The bits that are kept; as many words as there are, or more.
    pub(super) fn kept(&self, words: usize) -> Vec<u32> {
        let mut kept: Vec<u32> = self.words.iter().map(|word| word.kept).collect();
        kept.resize(words.max(kept.len()), 0);
        kept
    }

    /// Adds to `bits` those in which a word differs from what is fixed.
    pub(super) fn missing(&self, at: usize, value: u32) -> u32 {
        self.words.get(at).map_or(value, |word| (value ^ word.fixed) & !word.kept)
    }
}

/// Adds so many bits to those that are kept.
fn spend(kept: &mut [u32], mut room: u32) {
    // Gaps, the smallest first.
    for size in 1..=16 {
        for word in kept.iter_mut() {
            while let Some(gap) = gap(*word, size).filter(|_| size <= room) {
                *word |= gap;
                room -= size;
            }
        }
    }
    let mut spent = true;
    while room > 0 && spent {
        spent = false;
        for word in kept.iter_mut().filter(|word| **word != 0) {
            let next = 32 - word.leading_zeros();
            if next < 32 && room > 0 {
                *word |= 1 << next;
                room -= 1;
                spent = true;
            }
        }
    }
}

/// Zeros of this number between ones.
fn gap(word: u32, size: u32) -> Option<u32> {
    let mut rest = word;
    while rest != 0 {
        let low = rest.trailing_zeros();
        let ones = (rest >> low).trailing_ones();
        let above = low + ones;
        rest = rest.checked_shr(above).unwrap_or(0).checked_shl(above).unwrap_or(0);
        if rest != 0 && rest.trailing_zeros() - above == size {
            return Some((u32::MAX >> (32 - size)) << above);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_rows_are_rows_again() {
        let varying = [0b1011_0000_0000_0000_0000_0000_0000_0001, 0, u32::MAX, 0b110, 1 << 31];
        let fixed = [4, 9, 0, 0b1000, 7];
        let mask = BitMask::of(&fixed, &varying);
        assert_eq!((mask.masked_words(), mask.words()), (2, 5));
        let mut random = 1_u32;
        for _ in 0..1000 {
            let row: Vec<u32> = (fixed.iter().zip(&varying))
                .map(|(fixed, varying)| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    fixed & !varying | (random ^ random >> 16) & varying
                })
                .collect();
            let masked = mask.masked_row(&row).expect("only bits that vary");
            let mut back = vec![0; 5];
            mask.unmask(&masked, &mut back);
            assert_eq!(back, row);
            let least = mask.least_row();
            let changed: Vec<(u32, u32)> =
                (0..5).map(|at| (at, row[at as usize])).filter(|&(at, word)| word != least[at as usize]).collect();
            let mut above = Vec::new();
            assert_eq!(mask.changes(&[0, 0], &changed, &mut above), Ok(()));
            let mut patched = vec![0; 2];
            above.iter().for_each(|&(at, word)| patched[at as usize] = word);
            assert_eq!(patched, masked);
        }
        assert_eq!(mask.masked_row(&[4, 8, 0, 8, 7]), None);
        assert_eq!(mask.changes(&[0, 0], &[(1, 8)], &mut Vec::new()), Err(Misfit));
        assert_eq!(mask.missing(1, 8), 1);
        assert_eq!((mask.key_of(7, u32::MAX), mask.fixed(7)), (0, 0), "rows may be shorter than their layouts");
    }

    #[test]
    fn room_goes_to_gaps_and_to_what_counts() {
        assert_eq!(gap(0b1001, 2), Some(0b110));
        assert_eq!(gap(0b1001, 1), None);
        assert_eq!(gap(1 | 1 << 31, 30), Some(u32::MAX >> 1 & !1));
        let mut kept = [0b101, 0, 0b1];
        spend(&mut kept, 4);
        assert_eq!(kept, [0b1_1111, 0, 0b11]);
        let mut full = [u32::MAX];
        spend(&mut full, 31);
        assert_eq!(full, [u32::MAX]);
    }
}

//! Which process keeps a state.
//!
//! A hash of the row says it that is linear over single bits: the exclusive or of a number for each bit that is set (after Zobrist 1970). So it is the same
//! whether it is taken from the row or from its key, however rows are masked, and that of a successor follows from what its step changes.

use tertium_base::narrow::{below, to_u32};
use tertium_explore::store::BitMask;

/// For each byte of a word, what its values contribute.
static BYTES: [[u32; 256]; 4] = byte_tables();

const fn byte_tables() -> [[u32; 256]; 4] {
    let (mut tables, mut byte, mut random) = ([[0; 256]; 4], 0, 0x9E37_79B9_7F4A_7C15_u64);
    while byte < 4 {
        let mut value = 1;
        while value < 256_usize {
            if value.is_power_of_two() {
                // xorshift (Marsaglia 2003)
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                tables[byte][value] = (random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32;
            } else {
                let low = value & value.wrapping_neg();
                tables[byte][value] = tables[byte][low] ^ tables[byte][value ^ low];
            }
            value += 1;
        }
        byte += 1;
    }
    tables
}

/// What a word at this place contributes to the hash of its row.
#[inline]
fn word_hash(at: usize, word: u32) -> u32 {
    let [first, second, third, fourth] = word.to_le_bytes().map(usize::from);
    let hash = BYTES[0][first] ^ BYTES[1][second] ^ BYTES[2][third] ^ BYTES[3][fourth];
    // Words at other places contribute other numbers, one in 32 the same.
    hash.rotate_left(to_u32(at % 32) * 7)
}

/// The hash of a row. Zeros at its end make no difference.
pub(crate) fn row_hash(row: &[u32]) -> u32 {
    let words = row.iter().enumerate().filter(|&(_, &word)| word != 0);
    words.fold(0, |hash, (at, &word)| hash ^ word_hash(at, word))
}

/// The hash of the row in which these words are others.
#[inline]
pub(crate) fn hash_after(row: &[u32], hash: u32, changes: &[(u32, u32)]) -> u32 {
    changes.iter().fold(hash, |hash, &(at, word)| {
        let at = at as usize;
        hash ^ word_hash(at, word ^ row.get(at).copied().unwrap_or(0))
    })
}

/// Which of so many processes keeps the states with this hash.
#[inline]
pub(crate) fn owner(hash: u32, processes: usize) -> usize {
    let mixed = u64::from(hash).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32;
    below((mixed * processes as u64) >> 32, processes)
}

/// Which of so many processes keeps a row.
pub(crate) fn owner_of_row(row: &[u32], processes: usize) -> usize {
    owner(row_hash(row), processes)
}

/// Who keeps the states with these keys, as rows are masked.
#[derive(Clone, Debug)]
pub(crate) struct KeyOwners {
    /// For each byte of a key, what its values contribute.
    bytes: Box<[[u32; 256]; 8]>,
    /// The hash of the row whose key is 0.
    least: u32,
    /// The bits that keys have.
    pub bits: u64,
    processes: usize,
}

impl KeyOwners {
    pub fn of(mask: &BitMask, processes: usize) -> Self {
        let mut row = Vec::new();
        let mut hash_of = |key: u64| {
            mask.row_of_key(key, &mut row);
            row_hash(&row)
        };
        let least = hash_of(0);
        let mut bytes = Box::new([[0; 256]; 8]);
        for (byte, table) in bytes.iter_mut().enumerate() {
            for value in 1..256_usize {
                let low = value & value.wrapping_neg();
                table[value] = match value == low {
                    true => hash_of((value as u64) << (8 * byte)) ^ least,
                    false => table[low] ^ table[value ^ low],
                };
            }
        }
        Self { bytes, least, bits: mask.key_bits(), processes }
    }

    /// The process that keeps the state with this key.
    #[inline]
    pub fn owner(&self, key: u64) -> usize {
        let bytes = key.to_le_bytes().into_iter().zip(self.bytes.iter());
        owner(bytes.fold(self.least, |hash, (byte, table)| hash ^ table[usize::from(byte)]), self.processes)
    }

    /// A number that is another one for almost any other mask.
    pub fn digest(&self) -> u64 {
        let mut digest = self.bits ^ u64::from(self.least) << 32;
        for word in self.bytes.iter().flatten() {
            digest = (digest.rotate_left(5) ^ u64::from(*word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_explore::store::{StateStore, VaryingBits};
    use tertium_testkit::Rng;

    #[test]
    fn keys_and_rows_and_changes_say_the_same() {
        let mut random = Rng::new(31);
        for _ in 0..50 {
            let words = 3 + random.below(40);
            let first: Vec<u32> = (0..words).map(|_| *random.pick(&[0, 1, 9, u32::MAX])).collect();
            let mut rows = vec![first.clone()];
            let mut varying = VaryingBits::default();
            for _ in 0..60 {
                let base = random.pick(&rows).clone();
                let at = random.below(words.min(20));
                let mut row = base.clone();
                row[at] ^= 1 << random.below(3);
                let changes = [(to_u32(at), row[at])];
                assert_eq!(hash_after(&base, row_hash(&base), &changes), row_hash(&row));
                varying.note(&first, &row);
                rows.push(row);
            }
            let mut longer = first.clone();
            longer.extend([0, 0, 0]);
            assert_eq!(row_hash(&longer), row_hash(&first));
            let mut store = StateStore::masked_by_agreement(words);
            let mut branches = store.branches();
            store.insert_afresh(&first, &mut branches).expect("room");
            store.mask_by(&first, &varying, 1);
            let processes = 1 + random.below(7);
            let owners = KeyOwners::of(store.key_mask().expect("few bits vary"), processes);
            for row in &rows {
                let number = loop {
                    match store.insert_afresh(row, &mut branches) {
                        Ok((number, _)) => break number,
                        Err(_) => store.grow(),
                    }
                };
                assert_eq!(owners.owner(store.key(number)), owner_of_row(row, processes));
                assert_eq!(store.key(number) & !owners.bits, 0);
            }
        }
    }

    #[test]
    fn nobody_gets_much_more_than_others() {
        for processes in [2, 3, 5, 16] {
            let mut counts = vec![0_usize; processes];
            for (x, y) in (0..64).flat_map(|x| (0..64).map(move |y| (x, y))) {
                counts[owner_of_row(&[x, 7, y << 5], processes)] += 1;
            }
            let fair = 64 * 64 / processes;
            assert!(counts.iter().all(|&count| count > fair / 2 && count < fair * 2), "{counts:?}");
        }
    }
}

//! Rows as bytes: each as what differs from the row before it.
//!
//! Rows that are written one after the other come from neighbouring states and have most words in common. A row is its length, then for every
//! word that differs the distance from the last such word and the exclusive or with it, all as numbers of seven bits a byte (LEB128).

use std::fmt;

/// Longer rows make no sense.
const LONGEST_ROW: u64 = 1 << 24;

/// Bytes that are no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadableRow(pub &'static str);

impl fmt::Display for UnreadableRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for UnreadableRow {}

/// Writes rows one after the other.
#[derive(Clone, Debug, Default)]
pub struct RowWriter {
    bytes: Vec<u8>,
    last: Vec<u32>,
}

/// Writes a number.
#[expect(clippy::cast_possible_truncation, reason = "seven bits")]
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number from the front of `bytes`.
///
/// # Errors
/// If there is none.
pub fn take(bytes: &mut &[u8]) -> Result<u64, UnreadableRow> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let Some((&byte, rest)) = bytes.split_first() else { return Err(UnreadableRow("it is cut off")) };
        *bytes = rest;
        let part = u64::from(byte & 0x7F);
        if part << shift >> shift != part {
            return Err(UnreadableRow("a number is too large"));
        }
        number |= part << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(UnreadableRow("a number is too long"))
}

impl RowWriter {
    /// Adds a row.
    pub fn add(&mut self, row: &[u32]) {
        let Self { bytes, last } = self;
        put(bytes, row.len() as u64);
        last.resize(row.len(), 0);
        let mut gap = 0;
        for (old, &new) in last.iter_mut().zip(row) {
            gap += 1;
            if *old != new {
                put(bytes, gap);
                put(bytes, u64::from(*old ^ new));
                (*old, gap) = (new, 0);
            }
        }
        put(bytes, 0);
    }

    /// How many bytes the rows have.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The rows added since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        self.last.clear();
        std::mem::take(&mut self.bytes)
    }
}

/// Reads rows one after the other.
#[derive(Clone, Debug)]
pub struct RowReader<'b> {
    bytes: &'b [u8],
    row: Vec<u32>,
}

impl<'b> RowReader<'b> {
    /// The rows in these bytes.
    #[must_use]
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, row: Vec::new() }
    }

    /// The next row; none at the end.
    ///
    /// # Errors
    /// If what comes next is no row.
    pub fn next_row(&mut self) -> Result<Option<&[u32]>, UnreadableRow> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let len = take(&mut self.bytes)?;
        if len > LONGEST_ROW {
            return Err(UnreadableRow("a row is too long"));
        }
        self.row.resize(usize::try_from(len).unwrap_or(0), 0);
        let mut at = 0u64;
        loop {
            let gap = take(&mut self.bytes)?;
            if gap == 0 {
                return Ok(Some(&self.row));
            }
            at = at.saturating_add(gap);
            let bits = u32::try_from(take(&mut self.bytes)?).map_err(|_| UnreadableRow("a word is too large"))?;
            let word = usize::try_from(at - 1).ok().and_then(|at| self.row.get_mut(at));
            *word.ok_or(UnreadableRow("a word lies outside of its row"))? ^= bits;
        }
    }
}

/// Rows one after the other, in one piece of memory.
#[derive(Clone, Debug, Default)]
pub struct RowList {
    words: Vec<u32>,
    ends: Vec<usize>,
}

impl RowList {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a row.
    pub fn add(&mut self, row: &[u32]) {
        self.words.extend_from_slice(row);
        self.ends.push(self.words.len());
    }

    /// The row at this place.
    #[must_use]
    pub fn row(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.words[start..self.ends[at]]
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_testkit::Rng;

    #[test]
    fn rows_come_back() {
        let mut random = Rng::new(26);
        for _ in 0..200 {
            let rows: Vec<Vec<u32>> = (0..random.below(20))
                .map(|_| (0..random.below(9)).map(|_| *random.pick(&[0, 1, 7, 128, u32::MAX])).collect())
                .collect();
            let mut writer = RowWriter::default();
            rows.iter().for_each(|row| writer.add(row));
            let bytes = writer.take();
            let (mut reader, mut read) = (RowReader::new(&bytes), Vec::new());
            while let Some(row) = reader.next_row().expect("written as it is read") {
                read.push(row.to_vec());
            }
            assert_eq!(read, rows);
        }
    }

    #[test]
    fn nonsense_is_refused_or_read_but_never_a_panic() {
        let mut random = Rng::new(27);
        for _ in 0..5000 {
            let bytes: Vec<u8> = (0..random.below(24)).map(|_| *random.pick(&[0, 1, 2, 0x80, 0xFF])).collect();
            let mut reader = RowReader::new(&bytes);
            while let Ok(Some(_)) = reader.next_row() {}
        }
    }
}

//! A relation on a few hundred things as rows of bits.

/// A square table of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    words: Vec<u64>,
    per_row: usize,
    size: usize,
}

impl Rows {
    pub(crate) fn new(size: usize) -> Self {
        let per_row = size.div_ceil(64);
        Self { words: vec![0; per_row * size], per_row, size }
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn set(&mut self, row: usize, column: usize) {
        self.words[row * self.per_row + column / 64] |= 1 << (column % 64);
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> bool {
        self.words[row * self.per_row + column / 64] >> (column % 64) & 1 != 0
    }

    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.per_row..(row + 1) * self.per_row]
    }

    /// Adds everything in row `from` to row `to`.
    fn union_into(&mut self, from: usize, to: usize) {
        for word in 0..self.per_row {
            self.words[to * self.per_row + word] |= self.words[from * self.per_row + word];
        }
    }

    /// Adds what follows by reflexivity and transitivity.
    pub(crate) fn close(&mut self) {
        for at in 0..self.size {
            self.set(at, at);
        }
        for through in 0..self.size {
            for row in 0..self.size {
                if self.get(row, through) {
                    self.union_into(through, row);
                }
            }
        }
    }

    /// The same relation read backwards.
    pub(crate) fn transposed(&self) -> Self {
        let mut turned = Self::new(self.size);
        for row in 0..self.size {
            for column in (0..self.size).filter(|&column| self.get(row, column)) {
                turned.set(column, row);
            }
        }
        turned
    }

    /// The same relation with thing `at` called `places[at]`.
    pub(crate) fn renamed(&self, places: &[usize]) -> Self {
        let mut moved = Self::new(self.size);
        for row in 0..self.size {
            for column in (0..self.size).filter(|&column| self.get(row, column)) {
                moved.set(places[row], places[column]);
            }
        }
        moved
    }

    /// How many things row `row` holds.
    pub(crate) fn count(&self, row: usize) -> usize {
        self.row(row).iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// What is in both rows.
pub(crate) fn common(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

/// The members of a row, ascending.
pub(crate) fn members(row: &[u64]) -> impl DoubleEndedIterator<Item = usize> + '_ {
    (0..row.len() * 64).filter(|&at| row[at / 64] >> (at % 64) & 1 != 0)
}

/// The smallest member of a row.
pub(crate) fn first(row: &[u64]) -> Option<usize> {
    let word = row.iter().position(|&word| word != 0)?;
    Some(word * 64 + row[word].trailing_zeros() as usize)
}

/// The largest member of a row.
pub(crate) fn last(row: &[u64]) -> Option<usize> {
    let word = row.iter().rposition(|&word| word != 0)?;
    Some(word * 64 + 63 - row[word].leading_zeros() as usize)
}

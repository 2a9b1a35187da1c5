//! Rows as short keys: which bits of them are kept.
//!
//! Where a program says that a variable is an `int`, its values mostly are few. So some states are looked at first ([`SeenRows`](crate::seen::SeenRows)), and a
//! row is packed as the number of its layout and the bits that were seen to vary in rows of that layout, with some room ([`KeyBits`]). All
//! other bits are compared with what they were: a row that does not fit is never packed, it is seen and packed anew. So
//! packing loses nothing, and what was not seen costs time only.
//!
//! Keys that are longer than a place of the table are kept as quotients (Cleary 1984: compact hash tables).

/// A word with few bits where an integer with a sign is near 0 (zigzag coding), since -1 and 0 have no bit in common; and where it is the
/// least one, which stands for what is not read any more.
pub(crate) fn coded(word: u32, is_signed: bool) -> u32 {
    // The least integer is stored as 0.
    let value = (word ^ 1 << 31).cast_signed();
    if is_signed { (value << 1 ^ value >> 31).cast_unsigned().wrapping_add(1) } else { word }
}

/// How rows of one layout become keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutBits {
    /// The processes that run.
    pub processes: Vec<u32>,
    /// Of each word the bits that are kept.
    pub kept: Vec<u32>,
    /// What the others are.
    pub fixed: Vec<u32>,
    /// Which words are integers with a sign; their bits are those of the zigzag code.
    pub signed: Vec<bool>,
}

/// Some neighbouring bits of a row, and where they are in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BitRun {
    pub word: usize,
    pub shift: u32,
    pub count: u32,
    /// The first bit in the key.
    pub at: u32,
}

impl LayoutBits {
    /// The bits that are kept, in order, from this bit of the key on; none of them crosses the border of a word of the key.
    pub(crate) fn runs(&self, mut at: u32) -> Vec<BitRun> {
        let mut runs = Vec::new();
        for (word, &kept) in self.kept.iter().enumerate() {
            let mut rest = kept;
            while rest != 0 {
                let shift = rest.trailing_zeros();
                let count = (rest >> shift).trailing_ones().min(32 - at % 32);
                runs.push(BitRun { word, shift, count, at });
                rest &= !((u32::MAX >> (32 - count)) << shift);
                at += count;
            }
        }
        runs
    }

    fn fits(&self, row: &[u32]) -> bool {
        let word = |at: usize| row.get(at).copied().unwrap_or(0);
        let coded = |at: usize| coded(word(at), self.signed[at]);
        row.len() <= self.kept.len() && (0..self.kept.len()).all(|at| coded(at) & !self.kept[at] == self.fixed[at])
    }
}

/// What the places of a table hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Keys of at most 64 bits.
    Keys,
    /// What the place does not tell of longer keys, of this many bits: the quotient and how far away from its home it is (Cleary 1984).
    Quotients(u32),
    /// A tag and the key.
    Rows,
}

/// A place has 64 bits: one says that it is taken, ten how far away from home.
const QUOTIENT_BITS: u32 = 53;
/// Tables of quotients have at least as many places as the power of two of the bits that are left.
const MOST_FIRST_BITS: u32 = 27;

/// Smaller tables are not made.
const LEAST_PLACES: u64 = 64;

/// A table of quotients has four to seven parts, each a power of two of places: which power?
pub(crate) fn quotient_of(places: u64) -> u32 {
    places.ilog2() - 2
}

impl TableKind {
    /// For keys of so many bits.
    pub(crate) fn of(bits: u32) -> Self {
        match bits {
            0..=64 => Self::Keys,
            _ if bits <= QUOTIENT_BITS + MOST_FIRST_BITS => Self::Quotients(bits),
            _ => Self::Rows,
        }
    }

    /// How many places a table has that is to have so many: some more, or the most that there can be.
    #[must_use]
    pub fn capacity(self, places: u64) -> u64 {
        match self {
            // One place more is for the key 0, and places are numbered with 32 bits.
            Self::Keys | Self::Rows => places.clamp(LEAST_PLACES, (1 << 32) - 1),
            Self::Quotients(bits) => {
                let places = places.max(1 << (bits - QUOTIENT_BITS)).clamp(LEAST_PLACES, 1 << 32);
                let part = 1 << quotient_of(places);
                places.div_ceil(part) * part
            }
        }
    }
}

/// How rows become keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyBits {
    /// By layout, in the order of their numbers.
    pub layouts: Vec<LayoutBits>,
    /// How many words a row has.
    pub words: usize,
    /// Whether there is one layout and cannot be another.
    pub is_fixed: bool,
}

impl KeyBits {
    /// Bits that say which layout it is.
    pub(crate) fn layout_bits(&self) -> u32 {
        if self.is_fixed { 0 } else { usize::BITS - self.layouts.len().saturating_sub(1).leading_zeros() }
    }

    /// Bits of the longest key.
    #[must_use]
    pub fn bits(&self) -> u32 {
        let of = |layout: &LayoutBits| layout.kept.iter().map(|kept| kept.count_ones()).sum::<u32>();
        self.layout_bits() + self.layouts.iter().map(of).max().unwrap_or(0)
    }

    /// The same with one word more, of which so many bits vary: the state of an automaton.
    pub(crate) fn watched(&self, bits: u32) -> Self {
        let mut product = self.clone();
        product.words += 1;
        for layout in &mut product.layouts {
            layout.kept.push((1 << bits) - 1);
            layout.fixed.push(0);
            layout.signed.push(false);
        }
        product
    }

    /// Where the words of a layout are in its keys.
    pub(crate) fn places(&self, layout: usize) -> KeyPlaces<'_> {
        KeyPlaces { keys: self, layout: &self.layouts[layout] }
    }

    /// What a table holds of them.
    #[must_use]
    pub fn table(&self) -> TableKind {
        TableKind::of(self.bits())
    }

    /// Words of 32 bits that a key takes.
    #[must_use]
    pub fn packed_words(&self) -> usize {
        (self.bits() as usize).div_ceil(32).max(1)
    }

    /// Whether a row has a key.
    #[must_use]
    pub fn fits(&self, row: &[u32]) -> bool {
        self.layouts.iter().any(|layout| layout.fits(row))
    }

    /// The processes of each layout.
    #[must_use]
    pub fn processes(&self) -> Vec<Vec<u32>> {
        self.layouts.iter().map(|layout| layout.processes.clone()).collect()
    }
}

/// Where the words of one layout are in its keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyPlaces<'k> {
    keys: &'k KeyBits,
    layout: &'k LayoutBits,
}

impl KeyPlaces<'_> {
    /// Whether all states have this layout.
    pub(crate) fn is_fixed(&self) -> bool {
        self.keys.is_fixed
    }

    /// Lines that give a word the value of `word` in the key `next`, or make `fits` false.
    pub(crate) fn change(&self, word: usize) -> Vec<String> {
        let kept = self.layout.kept[word];
        let mut lines = Vec::new();
        if self.layout.signed[word] {
            lines.push("word = zigzag(word);".to_owned());
        }
        if kept != u32::MAX {
            // The state itself fits.
            let now =
                if self.layout.signed[word] { format!("zigzag(row.w[{word}])") } else { format!("row.w[{word}]") };
            lines.push(format!("fits = fits && ((word ^ {now}) & {}u) == 0;", !kept));
        }
        let runs = self.layout.runs(self.keys.layout_bits());
        for run in runs.iter().filter(|run| run.word == word) {
            let mask = u32::MAX >> (32 - run.count);
            let (at, shift) = (run.at / 32, run.at % 32);
            lines.push(format!(
                "next.w[{at}] = (next.w[{at}] & ~({mask}u << {shift})) | ((word >> {}) & {mask}u) << {shift};",
                run.shift
            ));
        }
        lines
    }
}

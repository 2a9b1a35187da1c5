//! Sets of marks: those of the monitor, then one for each process that the scheduler is weakly fair to.

/// So many words hold a set.
const WORDS: usize = 5;

/// Marks of a monitor (at most 64) and weakly fair processes together: enough for every Promela model, whose processes are at most 255.
/// Whoever has more must not ask; a mark beyond is a fault of this program, never lost.
pub const MOST_MARKS: usize = 64 * WORDS;

/// A set of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks([u64; WORDS]);

impl Marks {
    pub const NONE: Self = Self([0; WORDS]);

    /// The first `count` marks.
    pub fn all(count: usize) -> Self {
        assert!(count <= MOST_MARKS, "{count} marks are more than {MOST_MARKS}");
        let mut all = Self::NONE;
        (0..count).for_each(|mark| all.insert(mark));
        all
    }

    /// Those of a monitor.
    pub const fn of_monitor(marks: u64) -> Self {
        let mut words = [0; WORDS];
        words[0] = marks;
        Self(words)
    }

    #[inline]
    pub fn insert(&mut self, mark: usize) {
        self.0[mark / 64] |= 1 << (mark % 64);
    }

    #[inline]
    pub fn contains(self, mark: usize) -> bool {
        self.0[mark / 64] >> (mark % 64) & 1 == 1
    }

    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    pub fn minus(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    pub fn meets(self, other: Self) -> bool {
        self.0.iter().zip(&other.0).any(|(mine, theirs)| mine & theirs != 0)
    }

    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_on_both_sides_of_every_word_are_kept_apart() {
        for count in [0, 1, 63, 64, 65, 127, 128, 255, 256, MOST_MARKS] {
            let all = Marks::all(count);
            assert_eq!((0..MOST_MARKS).filter(|&mark| all.contains(mark)).count(), count);
            assert!(count == 0 || all.contains(count - 1));
        }
        let (mut low, mut high) = (Marks::of_monitor(1), Marks::NONE);
        high.insert(64);
        assert!(!low.meets(high) && low != high, "mark 64 is not mark 0");
        low.insert(64);
        assert!(low.meets(high) && low.minus(high) == Marks::of_monitor(1) && low.union(high) == low);
    }

    #[test]
    #[should_panic(expected = "more than")]
    fn too_many_marks_are_no_set() {
        let _ = Marks::all(MOST_MARKS + 1);
    }
}

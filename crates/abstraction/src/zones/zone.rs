//! Zones: which values do variables have whose differences are bounded?
//!
//! Difference bound matrices (Dill 1989), with extrapolation to finitely many bounds (Daws and Tripakis 1998; here to the thresholds that a
//! round of refinement tells apart, not to the largest constants of clocks).
//!
//! A zone says for every pair of points how much larger the first is than the second, at most. Shortest paths make all of them as
//! small as they can be, which also tells whether any values are left.

/// No bound.
pub(super) const NONE: i64 = i64::MAX;
/// Distances beyond this are not told apart.
const FAR: i64 = 1 << 40;

/// `left - right <= most`, by points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bound {
    /// The point that is bounded.
    pub left: usize,
    /// What it is compared with.
    pub right: usize,
    /// How much larger it is at most.
    pub most: i64,
}

impl Bound {
    /// A bound that is no stronger than what is said, if it says anything.
    pub(super) fn new(left: usize, right: usize, most: i128) -> Option<Self> {
        let most = i64::try_from(most.max(-i128::from(FAR))).ok().filter(|&most| most <= FAR)?;
        Some(Self { left, right, most })
    }
}

/// What a point is after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A point before it, and what is added.
    Point(usize, i64),
    /// Any value.
    Anything,
}

/// Upper bounds of all distances, row by row.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Zone {
    size: usize,
    most: Box<[i64]>,
}

impl Zone {
    /// All values.
    pub(super) fn all(size: usize) -> Self {
        let mut most = vec![NONE; size * size].into_boxed_slice();
        (0..size).for_each(|at| most[at * size + at] = 0);
        Self { size, most }
    }

    /// How much larger one point is than another, at most.
    #[inline]
    pub(super) fn get(&self, left: usize, right: usize) -> i64 {
        self.most[left * self.size + right]
    }

    /// A smaller bound for a pair; does not look at what follows from it.
    pub(super) fn lower(&mut self, left: usize, right: usize, most: i64) -> bool {
        let entry = &mut self.most[left * self.size + right];
        let lower = most < *entry;
        if lower {
            *entry = most;
        }
        lower
    }

    /// Makes all bounds as small as the others allow; whether any values are left.
    pub(super) fn close(&mut self) -> bool {
        for middle in 0..self.size {
            // Going on round a circle that gets ever smaller would leave the numbers that hold distances.
            if self.get(middle, middle) < 0 {
                return false;
            }
            for left in 0..self.size {
                let first = self.get(left, middle);
                if first == NONE {
                    continue;
                }
                for right in 0..self.size {
                    let second = self.get(middle, right);
                    if second != NONE {
                        self.lower(left, right, first + second);
                    }
                }
            }
        }
        self.tame()
    }

    /// Adds a bound to a zone that is closed; whether any values are left.
    pub(super) fn add(&mut self, Bound { left, right, most }: Bound) -> bool {
        if self.get(left, right) <= most {
            return true;
        }
        let back = self.get(right, left);
        if back != NONE && back + most < 0 {
            return false;
        }
        for from in 0..self.size {
            let first = self.get(from, left);
            if first == NONE {
                continue;
            }
            for to in 0..self.size {
                let second = self.get(right, to);
                if second != NONE {
                    self.lower(from, to, first + most + second);
                }
            }
        }
        self.tame()
    }

    /// Whether a bound holds everywhere in a zone that is closed.
    pub(super) fn holds(&self, bound: Bound) -> bool {
        self.get(bound.left, bound.right) <= bound.most
    }

    /// Whether a bound holds nowhere in a zone that is closed.
    pub(super) fn refutes(&self, bound: Bound) -> bool {
        let back = self.get(bound.right, bound.left);
        back != NONE && back + bound.most < 0
    }

    /// Drops what is too far away to be told; whether any values are left.
    fn tame(&mut self) -> bool {
        for entry in &mut self.most {
            if *entry != NONE {
                *entry = if *entry > FAR { NONE } else { (*entry).max(-FAR) };
            }
        }
        (0..self.size).all(|at| self.get(at, at) >= 0)
    }

    /// The zone after all points got new values at once. A zone that is closed stays so.
    pub(super) fn assign(&self, sources: &[Source]) -> Self {
        let mut after = Self::all(self.size);
        for (left, &from) in sources.iter().enumerate() {
            for (right, &to) in sources.iter().enumerate() {
                if let (Source::Point(a, more), Source::Point(b, less)) = (from, to)
                    && left != right
                    && self.get(a, b) != NONE
                {
                    after.most[left * self.size + right] = self.get(a, b) + more - less;
                }
            }
        }
        after
    }

    /// Every bound as the next larger one of those that are told apart.
    pub(super) fn extrapolated(&self, thresholds: &[i64]) -> Self {
        let mut coarse = self.clone();
        for (at, entry) in coarse.most.iter_mut().enumerate() {
            if at % (self.size + 1) != 0 && *entry != NONE {
                let next = thresholds.partition_point(|threshold| threshold < entry);
                *entry = thresholds.get(next).copied().unwrap_or(NONE);
            }
        }
        coarse
    }

    /// Whether all values of this zone, which is closed, are values of the other.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        self.most.iter().zip(&other.most).all(|(own, other)| own <= other)
    }

    /// The bounds that do not follow from others of them and from what is known anyway.
    pub(super) fn essential(&self, known: &[Bound]) -> Vec<Bound> {
        let mut left_over = self.clone();
        let mut found = Vec::new();
        for left in 0..self.size {
            for right in 0..self.size {
                let most = std::mem::replace(&mut left_over.most[left * self.size + right], NONE);
                if left == right {
                    left_over.most[left * self.size + right] = 0;
                } else if most != NONE && !left_over.implies(known, left, right, most) {
                    left_over.most[left * self.size + right] = most;
                    found.push(Bound { left, right, most });
                }
            }
        }
        found
    }

    fn implies(&self, known: &[Bound], left: usize, right: usize, most: i64) -> bool {
        let mut closed = self.clone();
        for bound in known {
            closed.lower(bound.left, bound.right, bound.most);
        }
        !closed.close() || closed.get(left, right) <= most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(left: usize, right: usize, most: i64) -> Bound {
        Bound { left, right, most }
    }

    #[test]
    fn bounds_add_up_along_paths() {
        let mut zone = Zone::all(3);
        assert!(zone.add(bound(0, 1, 2)) && zone.add(bound(1, 2, -5)));
        assert_eq!(zone.get(0, 2), -3);
        assert!(!zone.add(bound(2, 0, 2)), "0 is at least 3 below 2");
        assert!(zone.add(bound(2, 0, 3)));
        assert_eq!(zone.get(1, 0), -2);
    }

    #[test]
    fn assignments_are_made_at_once() {
        let mut zone = Zone::all(3);
        zone.add(bound(1, 2, 1));
        // The two change places, one of them growing.
        let after = zone.assign(&[Source::Point(0, 0), Source::Point(2, 4), Source::Point(1, 0)]);
        assert_eq!((after.get(2, 1), after.get(1, 2)), (-3, NONE));
        let lost = zone.assign(&[Source::Point(0, 0), Source::Anything, Source::Point(2, 0)]);
        assert_eq!(lost, Zone::all(3));
    }

    #[test]
    fn rounding_only_loses() {
        let mut zone = Zone::all(2);
        zone.add(bound(0, 1, -4));
        zone.add(bound(1, 0, 7));
        let coarse = zone.extrapolated(&[-1, 0, 1]);
        assert_eq!((coarse.get(0, 1), coarse.get(1, 0)), (-1, NONE));
        assert!(zone.is_within(&coarse) && !coarse.is_within(&zone));
    }

    #[test]
    fn essential_bounds_say_the_same() {
        let mut zone = Zone::all(4);
        for (left, right, most) in [(0, 1, 0), (1, 0, 0), (1, 2, -1), (2, 3, 4), (3, 1, 2)] {
            assert!(zone.add(bound(left, right, most)));
        }
        let mut again = Zone::all(4);
        let essential = zone.essential(&[]);
        assert!(essential.len() < 12);
        essential.into_iter().for_each(|bound| assert!(again.add(bound)));
        assert_eq!(again, zone);
    }
}

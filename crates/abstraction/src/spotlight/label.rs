//! What is known of a predicate in one state: nothing, or its value as a function of the parameters.
//!
//! A function of few parameters is its table, so equal functions are equal values.

use tertium_lattice::Kleene;

use crate::state::definite;

/// At most this many parameters.
pub const MOST_PARAMETERS: usize = 6;

/// The tables of the parameters themselves.
const COLUMNS: [u64; MOST_PARAMETERS] = [
    0xAAAA_AAAA_AAAA_AAAA,
    0xCCCC_CCCC_CCCC_CCCC,
    0xF0F0_F0F0_F0F0_F0F0,
    0xFF00_FF00_FF00_FF00,
    0xFFFF_0000_FFFF_0000,
    0xFFFF_FFFF_0000_0000,
];

/// The value of a predicate under each assignment, or unknown. Bit `a` of the table is the value under the assignment
/// whose bit `p` is the value of the parameter `p`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Label {
    /// Nothing is known.
    Unknown,
    /// The table.
    Known(u64),
}

impl Label {
    /// True whatever the parameters are.
    pub const TRUE: Self = Self::Known(!0);
    /// False whatever the parameters are.
    pub const FALSE: Self = Self::Known(0);

    /// The value of a parameter.
    #[must_use]
    pub const fn parameter(at: usize) -> Self {
        Self::Known(COLUMNS[at])
    }

    /// A value that depends on no parameter.
    #[must_use]
    pub const fn of(value: Kleene) -> Self {
        match value {
            Kleene::True => Self::TRUE,
            Kleene::False => Self::FALSE,
            Kleene::Unknown => Self::Unknown,
        }
    }

    /// The value under an assignment.
    #[must_use]
    pub const fn at(self, assignment: usize) -> Kleene {
        match self {
            Self::Unknown => Kleene::Unknown,
            Self::Known(table) => definite(table >> assignment & 1 != 0),
        }
    }

    /// The parameters that the value depends on, as bits.
    #[must_use]
    pub fn support(self) -> u8 {
        let Self::Known(table) = self else { return 0 };
        let depends = |at: usize| {
            let width = 1 << at;
            let (high, low) = (table & COLUMNS[at], table & !COLUMNS[at]);
            high >> width != low
        };
        (0..MOST_PARAMETERS).filter(|&at| depends(at)).fold(0, |found, at| found | 1 << at)
    }

    /// The value as text: `T`, `F`, `?`, `x1`, `!x1`, or the assignments of the parameters it depends on.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Unknown => return "?".to_owned(),
            Self::TRUE => return "T".to_owned(),
            Self::FALSE => return "F".to_owned(),
            Self::Known(_) => {}
        }
        for (at, &column) in COLUMNS.iter().enumerate() {
            if self == Self::Known(column) {
                return format!("x{}", at + 1);
            }
            if self == Self::Known(!column) {
                return format!("!x{}", at + 1);
            }
        }
        let support: Vec<usize> = (0..MOST_PARAMETERS).filter(|at| self.support() >> at & 1 != 0).collect();
        let mut cubes = Vec::new();
        for number in 0..1usize << support.len() {
            let assignment = support.iter().enumerate().fold(0, |all, (bit, at)| all | (number >> bit & 1) << at);
            if self.at(assignment) == Kleene::True {
                let literal = |at: &usize| {
                    let sign = if assignment >> at & 1 != 0 { "" } else { "!" };
                    format!("{sign}x{}", at + 1)
                };
                cubes.push(support.iter().map(literal).collect::<Vec<_>>().join("&"));
            }
        }
        cubes.join("|")
    }
}

/// For every assignment of all parameters, the one of the parameters in `live` that it agrees with.
pub(crate) const fn projected(assignment: usize, live: u8) -> usize {
    assignment & live as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_tells_what_it_depends_on() {
        for at in 0..MOST_PARAMETERS {
            assert_eq!(Label::parameter(at).support(), 1 << at);
            for assignment in 0..64 {
                assert_eq!(Label::parameter(at).at(assignment), definite(assignment >> at & 1 != 0));
            }
        }
        assert_eq!(Label::TRUE.support(), 0);
        let (Label::Known(a), Label::Known(b)) = (Label::parameter(0), Label::parameter(3)) else { panic!() };
        assert_eq!(Label::Known(a & b).support(), 0b1001);
        assert_eq!(Label::Known(a ^ b).support(), 0b1001);
        assert_eq!(Label::Known((a & b) | (a & !b)), Label::parameter(0));
    }

    #[test]
    fn tables_read_well() {
        let (Label::Known(a), Label::Known(b)) = (Label::parameter(0), Label::parameter(1)) else { panic!() };
        assert_eq!(Label::Known(!a).text(), "!x1");
        assert_eq!(Label::Known(a & b).text(), "x1&x2");
        assert_eq!(Label::Known(a ^ b).text(), "x1&!x2|!x1&x2");
        assert_eq!(Label::Unknown.text(), "?");
    }
}

//! The lattices that have names: `B2`, `K3`, `Belnap4`, chains, and products of these.

use crate::build::{check_size, from_functions};
use crate::{DeMorganLattice, LatticeError};

/// The unusual name that files use for the product of two Boolean lattices.
const BOOLEAN_SQUARE: &str = "2x2 boolean product";

impl DeMorganLattice {
    /// The patterns of names that [`DeMorganLattice::built_in`] knows, with the names of their elements, for messages.
    pub const BUILT_IN: [&'static str; 5] = [
        "B2 (f, t)",
        "K3 (f, u, t)",
        "Belnap4 (f, u, b, t)",
        "chainN for N >= 2 (0, 1, ... N-1)",
        "products such as K3xB2 (ff, ft, uf, ut, tf, tt)",
    ];

    /// The lattice with this name.
    ///
    /// `B2`, `K3`, `Belnap4` have the elements `f`, `u`, `b`, `t`; `chainN` has `0` to `N-1`. A product such
    /// as `K3xB2` has elements like `ut`, with commas between if a factor has names longer than one letter;
    /// products of `B2` alone are written with `0` and `1`. `B2xB2` is also called `2x2 boolean product`.
    ///
    /// # Errors
    /// `UnknownName`, or `TooLarge` for a chain or product beyond [`DeMorganLattice::MAX_ELEMENTS`].
    pub fn built_in(name: &str) -> Result<Self, LatticeError> {
        let unknown = || LatticeError::UnknownName { name: name.to_owned() };
        if name == BOOLEAN_SQUARE {
            return Self::built_in("B2xB2");
        }
        let factors: Vec<Factor> = name.split('x').map(Factor::from_name).collect::<Option<_>>().ok_or_else(unknown)?;
        let size = factors.iter().fold(1usize, |size, factor| size.saturating_mul(factor.size()));
        check_size(size)?;
        product(&factors, size)
    }
}

/// What products are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Factor {
    Boolean,
    Kleene,
    Belnap,
    Chain(usize),
}

impl Factor {
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "B2" => Some(Self::Boolean),
            "K3" => Some(Self::Kleene),
            "Belnap4" => Some(Self::Belnap),
            _ => {
                let digits = name.strip_prefix("chain")?;
                let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
                // Numbers beyond the machine's are chains too, only too long ones.
                let length = digits.parse().unwrap_or(usize::MAX);
                (plain && !digits.is_empty() && length >= 2).then_some(Self::Chain(length))
            }
        }
    }

    fn size(self) -> usize {
        match self {
            Self::Boolean => 2,
            Self::Kleene => 3,
            Self::Belnap => 4,
            Self::Chain(length) => length,
        }
    }

    fn element_name(self, at: usize) -> String {
        match self {
            Self::Boolean => ["f", "t"][at].to_owned(),
            Self::Kleene => ["f", "u", "t"][at].to_owned(),
            Self::Belnap => ["f", "u", "b", "t"][at].to_owned(),
            Self::Chain(_) => at.to_string(),
        }
    }

    fn leq(self, a: usize, b: usize) -> bool {
        let incomparable = self == Self::Belnap && (a, b) == (1, 2);
        a <= b && !incomparable
    }

    fn neg(self, at: usize) -> usize {
        match (self, at) {
            (Self::Belnap, 1 | 2) => at,
            _ => self.size() - 1 - at,
        }
    }
}

fn product(factors: &[Factor], size: usize) -> Result<DeMorganLattice, LatticeError> {
    let digits = factors.len() > 1 && factors.iter().all(|&factor| factor == Factor::Boolean);
    let long = factors.iter().any(|factor| matches!(factor, Factor::Chain(11..)));
    let name = |at: usize| {
        let part = |(factor, digit): (&Factor, usize)| {
            if digits { digit.to_string() } else { factor.element_name(digit) }
        };
        let parts: Vec<String> = factors.iter().zip(coordinates(factors, at)).map(part).collect();
        parts.join(if long { "," } else { "" })
    };
    let leq = |a: usize, b: usize| {
        let pairs = coordinates(factors, a).into_iter().zip(coordinates(factors, b));
        factors.iter().zip(pairs).all(|(factor, (a, b))| factor.leq(a, b))
    };
    let neg = |at: usize| {
        let negated = factors.iter().zip(coordinates(factors, at)).map(|(factor, digit)| (factor, factor.neg(digit)));
        negated.fold(0, |number, (factor, digit)| number * factor.size() + digit)
    };
    from_functions((0..size).map(name).collect(), leq, neg)
}

/// The number's digits in the mixed base of the factors, the first factor's digit first.
fn coordinates(factors: &[Factor], mut number: usize) -> Vec<usize> {
    let mut digits: Vec<usize> = factors
        .iter()
        .rev()
        .map(|factor| {
            let digit = number % factor.size();
            number /= factor.size();
            digit
        })
        .collect();
    digits.reverse();
    digits
}

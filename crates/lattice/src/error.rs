//! Why a user's table is no De Morgan lattice: the law, and the elements that break it.

/// The first law that a table breaks, with a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LatticeError {
    /// There is no element, so nothing can be true.
    Empty,
    /// More elements than the tables hold.
    TooLarge {
        /// How many there are.
        given: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Two elements have the same name.
    DuplicateElement {
        /// The name.
        name: String,
    },
    /// The order or the negation speaks of an element that the list lacks.
    UnknownElement {
        /// The name that is not in the list.
        name: String,
        /// Whether it stands in the negation; else in the order.
        in_negation: bool,
    },
    /// Antisymmetry: each of these elements is below the next, and the last is below the first.
    Cycle {
        /// The elements on the way round; at least two.
        elements: Vec<String>,
    },
    /// Two elements have no greatest lower bound.
    NoMeet {
        /// The two elements.
        of: [String; 2],
        /// Their maximal lower bounds: none, or several.
        candidates: Vec<String>,
    },
    /// Two elements have no least upper bound.
    NoJoin {
        /// The two elements.
        of: [String; 2],
        /// Their minimal upper bounds: none, or several.
        candidates: Vec<String>,
    },
    /// Distributivity: `a & (b | c)` differs from `(a & b) | (a & c)`.
    NotDistributive {
        /// The elements `a`, `b` and `c`.
        of: [String; 3],
        /// What `a & (b | c)` is.
        meet_of_join: String,
        /// What `(a & b) | (a & c)` is.
        join_of_meets: String,
    },
    /// An element has no negation.
    NegationMissing {
        /// The element.
        element: String,
    },
    /// An element has two different negations.
    NegationTwice {
        /// The element.
        element: String,
        /// The two values.
        values: [String; 2],
    },
    /// Involution: negating twice does not lead back.
    NotInvolution {
        /// The element.
        element: String,
        /// Its negation.
        negation: String,
        /// The negation of that.
        double_negation: String,
    },
    /// Order reversal: `lower <= upper`, but not `!upper <= !lower`.
    NotAntitone {
        /// The lower element and its negation.
        lower: [String; 2],
        /// The upper element and its negation.
        upper: [String; 2],
    },
    /// No built-in lattice has this name.
    UnknownName {
        /// The name.
        name: String,
    },
}

impl LatticeError {
    /// The law that is broken, for people; none if the table is not even complete.
    #[must_use]
    pub const fn law(&self) -> Option<&'static str> {
        Some(match self {
            Self::Cycle { .. } => "antisymmetry: a <= b and b <= a only if a = b",
            Self::NoMeet { .. } => "any two elements have a greatest lower bound",
            Self::NoJoin { .. } => "any two elements have a least upper bound",
            Self::NotDistributive { .. } => "distributivity: a & (b | c) = (a & b) | (a & c)",
            Self::NotInvolution { .. } => "involution: !!a = a",
            Self::NotAntitone { .. } => "order reversal: a <= b implies !b <= !a",
            _ => return None,
        })
    }
}

impl std::fmt::Display for LatticeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => f.write_str("the lattice has no element"),
            Self::TooLarge { given, limit } => write!(f, "the lattice has {given} elements; {limit} are the most"),
            Self::DuplicateElement { name } => write!(f, "element `{name}` is listed twice"),
            Self::UnknownElement { name, in_negation: false } => write!(f, "the order names `{name}`, no element"),
            Self::UnknownElement { name, in_negation: true } => write!(f, "the negation names `{name}`, no element"),
            Self::Cycle { elements } => {
                let first = elements.first().map_or("", |name| name);
                write!(f, "not an order: {} <= `{first}`", quoted(elements, " <= "))
            }
            Self::NoMeet { of: [a, b], candidates } => {
                write!(f, "`{a}` and `{b}` have no greatest lower bound: ")?;
                tell_bounds(f, candidates, "lower", "maximal")
            }
            Self::NoJoin { of: [a, b], candidates } => {
                write!(f, "`{a}` and `{b}` have no least upper bound: ")?;
                tell_bounds(f, candidates, "upper", "minimal")
            }
            Self::NotDistributive { of: [a, b, c], meet_of_join, join_of_meets } => write!(
                f,
                "not distributive: `{a}` & (`{b}` | `{c}`) = `{meet_of_join}`, \
                 but (`{a}` & `{b}`) | (`{a}` & `{c}`) = `{join_of_meets}`"
            ),
            Self::NegationMissing { element } => write!(f, "element `{element}` has no negation"),
            Self::NegationTwice { element, values: [a, b] } => {
                write!(f, "element `{element}` has two negations, `{a}` and `{b}`")
            }
            Self::NotInvolution { element, negation, double_negation } => {
                write!(
                    f,
                    "negation is no involution: !`{element}` = `{negation}`, but !`{negation}` = `{double_negation}`"
                )
            }
            Self::NotAntitone { lower: [a, not_a], upper: [b, not_b] } => write!(
                f,
                "negation does not turn the order round: `{a}` <= `{b}`, but not !`{b}` = `{not_b}` <= `{not_a}` = !`{a}`"
            ),
            Self::UnknownName { name } => write!(f, "no lattice is called `{name}`"),
        }
    }
}

fn quoted(names: &[String], separator: &str) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(separator)
}

fn tell_bounds(f: &mut std::fmt::Formatter<'_>, bounds: &[String], side: &str, extreme: &str) -> std::fmt::Result {
    if bounds.is_empty() {
        write!(f, "they have no {side} bound at all")
    } else {
        write!(f, "{} are all {extreme} {side} bounds", quoted(bounds, ", "))
    }
}

impl std::error::Error for LatticeError {}

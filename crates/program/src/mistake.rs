//! Which kinds of mistakes is every program asked about, whatever its properties say?
//!
//! Each is a class of faults ([`FaultKind`]), or a state in which nothing can step although something should.

use crate::fault::FaultKind;

/// A mistake that is looked for without being asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mistake {
    /// An asserted condition does not hold.
    Assertion,
    /// No process can step although not all are at their ends.
    Deadlock,
    /// An index outside its array.
    ArrayBounds,
    /// Division or remainder by 0.
    DivisionByZero,
    /// A value outside the type of its variable.
    RangeOverflow,
    /// An uninterruptible block that never ends.
    EndlessAtomic,
    /// Events on channels that the trace does not allow.
    Trace,
    /// No process can step although not all are where they may end: deadlocks of Promela.
    EndState,
    /// Any other fault.
    Other,
}

impl Mistake {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 9] = [
        Self::Assertion,
        Self::EndState,
        Self::Trace,
        Self::Deadlock,
        Self::ArrayBounds,
        Self::DivisionByZero,
        Self::RangeOverflow,
        Self::EndlessAtomic,
        Self::Other,
    ];

    /// The mistake with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mistake| mistake.name() == name)
    }

    /// The name of the question.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Assertion => "assertions",
            Self::Deadlock => "deadlocks",
            Self::ArrayBounds => "array-bounds",
            Self::DivisionByZero => "division-by-zero",
            Self::RangeOverflow => "range-overflow",
            Self::EndlessAtomic => "endless-atomic",
            Self::Trace => "trace",
            Self::EndState => "end-states",
            Self::Other => "other-faults",
        }
    }

    /// What holds if it does not happen, in words.
    #[must_use]
    pub const fn claim(self) -> &'static str {
        match self {
            Self::Assertion => "every assertion holds",
            Self::Deadlock => "some process can step, or all are at their ends",
            Self::ArrayBounds => "every index lies within its array",
            Self::DivisionByZero => "no division by zero",
            Self::RangeOverflow => "every value fits its variable's type",
            Self::EndlessAtomic => "every atomic block ends",
            Self::Trace => "every event is one that the trace allows",
            Self::EndState => "where nothing can step, all processes are at an end",
            Self::Other => "no step goes wrong in another way",
        }
    }

    /// The mistake that a fault is; none for limits of running programs.
    #[must_use]
    pub fn of(kind: &FaultKind) -> Option<Self> {
        match kind {
            FaultKind::Assertion => Some(Self::Assertion),
            FaultKind::Index { .. } => Some(Self::ArrayBounds),
            FaultKind::DivisionByZero => Some(Self::DivisionByZero),
            FaultKind::OutOfRange { .. } => Some(Self::RangeOverflow),
            FaultKind::EndlessBlock => Some(Self::EndlessAtomic),
            FaultKind::Event => Some(Self::Trace),
            kind if kind.is_error() => Some(Self::Other),
            _ => None,
        }
    }
}

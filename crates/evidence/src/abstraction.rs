//! Proofs over predicates, as data: abstract states, and the steps between them.
//!
//! Nothing here is believed: `kernel` writes what has to hold so that they stand for all that a program does.

/// A set of program states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AbstractState {
    /// The location of each process that there can be; none where it may be anywhere.
    pub at: Vec<Option<u32>>,
    /// The values of the cells that stay concrete.
    pub values: Vec<i64>,
    /// The values of the predicates; none where it may be either.
    pub cube: Vec<Option<bool>>,
}

/// A process that may be started later. That there are no others is an obligation, too.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Later {
    /// The number that it has while it runs.
    pub pid: u32,
    /// The name of its code.
    pub process: String,
    /// Parameters by which it is told from others with the same number and code, and their values.
    pub given: Vec<(String, i64)>,
}

/// Predicates, and abstract states over them. Terms are SMT-LIB text over the cells of the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Abstraction {
    /// Processes that may be started later; abstract states list their locations after those of the others.
    pub later: Vec<Later>,
    /// Parts that other terms, and later parts, share: `#0` is the first of them, and so on.
    pub shared: Vec<String>,
    /// What holds of every state that can be reached.
    pub always: Vec<String>,
    /// Cells whose values are kept.
    pub cells: Vec<String>,
    /// The predicates.
    pub predicates: Vec<String>,
    /// The abstract states.
    pub states: Vec<AbstractState>,
}

/// The steps between abstract states. States are given by their numbers, processes by their pids.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Structure {
    /// Where it begins.
    pub initial: Vec<u32>,
    /// For each state the values of the atoms.
    pub labels: Vec<Vec<Option<bool>>>,
    /// From where, by whom, to where: what is possible.
    pub steps: Vec<(u32, u32, Vec<u32>)>,
    /// From where, by whom or by anyone, and a set of which a member can surely be stepped into.
    pub certain: Vec<(u32, Option<u32>, Vec<u32>)>,
    /// Who is surely able to step, by state.
    pub able: Vec<(u32, Vec<u32>)>,
    /// States in which a run may end.
    pub stops: Vec<u32>,
    /// Ranking functions.
    pub ranks: Vec<Rank>,
    /// Certain sets with what the step into each member does to ranking functions.
    pub ranked: Vec<RankedSet>,
    /// Processes whose strong fairness is made use of.
    pub strong: Vec<u32>,
    /// States of which no steps are told: anything may follow, and nothing has to.
    pub untold: Vec<u32>,
}

/// A step of a structure: from where, by whom, to where.
pub type Taken = (u32, u32, u32);

/// A lexicographic ranking function: a step decreases it if one of the integers decreases from a value that is not negative, and none before it increases. It cannot decrease for ever.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rank {
    /// The integers: SMT-LIB text over the cells of the program.
    pub terms: Vec<String>,
    /// Steps that decrease it.
    pub decreasing: Vec<Taken>,
    /// Steps that decrease it, or increase none of the integers.
    pub non_increasing: Vec<Taken>,
}

/// A hyper-must edge with rank conditions: from every program state of `from` there is a step into one of the members that changes ranking functions as
/// the member says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RankedSet {
    /// From where.
    pub from: u32,
    /// By whom, or by anyone.
    pub by: Option<u32>,
    /// The members, each with ranking functions that the step does not increase, by their numbers; with `true` those that it decreases.
    pub into: Vec<(u32, Vec<(u32, bool)>)>,
}

impl Structure {
    /// Whether it speaks of whole runs, so that it can show what all of them do and nothing else.
    #[must_use]
    pub fn makes_promises(&self) -> bool {
        !self.ranks.is_empty() || !self.strong.is_empty()
    }
}

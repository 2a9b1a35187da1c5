//! Does one structure refine another?
//!
//! The completeness preorder: `c` refines `a` if everything known at `a` is known at `c`. It is the greatest
//! relation such that, for related `a` and `c`,
//!
//! 1. the labels of `c` carry at least the information of those of `a`;
//! 2. every certain set of `a` has an answer: a certain set of `c` each of whose members refines some member;
//! 3. every possible step of `c` has an origin: a possible step of `a` to something that its target refines.
//!
//! A certain set or step with an action is matched by one with the same action; one without an action speaks
//! of all steps, and so may be matched by any. Under `total` all possible successors of a state are one
//! certain set. Refinement keeps every definite value of every formula without fairness; fairness
//! constraints are not compared.
//!
//! On "no", [`Relation::distinction`] gives the reason and a formula that tells the two states apart.
//!
//! Not here: minimisation, which uses a finer relation.
//!
//! With equal owners of related states it is alternating refinement of turn-based games, both ways (Alur, Henzinger, Kupferman, Vardi 1998; de Alfaro,
//! Godefroid, Jagadeesan 2004).

mod distinction;
mod pml;
mod rounds;
mod sides;
mod solve;
#[cfg(test)]
mod tests;

pub use distinction::{Distinction, Reason, TrailStep};
pub use pml::{Pml, PmlNode};

use tertium_base::{BitSet, Budget, Diagnostic, Stopped};

use crate::kmts::{Kmts, StateId};
use rounds::Rounds;

/// Propositions that only one of two structures has, so that they cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropMismatch {
    /// Only in the structure that should be refined.
    pub only_abstract: Vec<String>,
    /// Only in the structure that should refine it.
    pub only_concrete: Vec<String>,
}

impl PropMismatch {
    /// The mismatch as a message.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error("E0230", "the two structures have different propositions");
        for (which, names) in [("first", &self.only_abstract), ("second", &self.only_concrete)] {
            if !names.is_empty() {
                diagnostic = diagnostic.note(format!("only the {which} has {}", names.join(", ")));
            }
        }
        diagnostic.help("give both the same `props`; what a structure says nothing about is unknown there")
    }
}

impl std::fmt::Display for PropMismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.diagnostic().message)
    }
}

impl std::error::Error for PropMismatch {}

/// Why there is no relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareError {
    /// A limit was reached.
    Stopped(Stopped),
    /// The structures speak of different propositions.
    Props(PropMismatch),
}

impl From<Stopped> for CompareError {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// Which states of one structure refine which of another.
#[derive(Clone, Debug)]
pub struct Relation {
    /// For each state of the refined structure the states that refine it.
    rows: Vec<BitSet>,
    rounds: Rounds,
    /// Whether related states have the same owner.
    alternating: bool,
}

impl Relation {
    /// Whether state `c` of the second structure refines state `a` of the first.
    #[must_use]
    pub fn contains(&self, a: StateId, c: StateId) -> bool {
        self.rows[a.index()].contains(c.index())
    }

    /// Whether it is alternating refinement.
    #[must_use]
    pub fn is_alternating(&self) -> bool {
        self.alternating
    }

    /// The states that refine `a`.
    #[must_use]
    pub fn refining(&self, a: StateId) -> &BitSet {
        &self.rows[a.index()]
    }

    /// All related pairs.
    pub fn pairs(&self) -> impl Iterator<Item = (StateId, StateId)> + '_ {
        self.rows.iter().enumerate().flat_map(|(a, row)| row.iter().map(move |c| (StateId::new(a), StateId::new(c))))
    }

    /// Whether every initial state of `concrete` refines some initial state of `abstracted`; if not, the first
    /// one that does not. These must be the structures that the relation was made of.
    ///
    /// # Errors
    /// The initial state of `concrete` that refines no initial state of `abstracted`.
    pub fn initial(&self, abstracted: &Kmts, concrete: &Kmts) -> Result<(), StateId> {
        let refines = |c: &StateId| abstracted.init().iter().any(|&a| self.contains(a, *c));
        match concrete.init().iter().find(|c| !refines(c)) {
            None => Ok(()),
            Some(&c) => Err(c),
        }
    }
}

/// The greatest refinement relation between `abstracted` and `concrete`.
///
/// Takes time proportional to the edges of each times the states of the other, and some six bytes for each
/// pair of states; members of hyper edges count as edges.
///
/// # Errors
/// If a limit is reached or the structures have different propositions.
pub fn refines(abstracted: &Kmts, concrete: &Kmts, budget: &Budget) -> Result<Relation, CompareError> {
    let props = match_props(abstracted, concrete).map_err(CompareError::Props)?;
    Ok(solve::solve(abstracted, concrete, &props, false, budget)?)
}

/// The greatest *alternating* refinement relation (Alur, Henzinger, Kupferman and Vardi 1998; for partial games de Alfaro, Godefroid and Jagadeesan 2004): as [`refines`], and related states have
/// owners of the same name. So each player keeps every certain move and gets no new possible one, and definite values of ATL* are kept for every coalition.
///
/// # Errors
/// If a limit is reached or the structures have different propositions.
pub fn refines_alternating(abstracted: &Kmts, concrete: &Kmts, budget: &Budget) -> Result<Relation, CompareError> {
    let props = match_props(abstracted, concrete).map_err(CompareError::Props)?;
    Ok(solve::solve(abstracted, concrete, &props, true, budget)?)
}

/// Both directions: who refines whom in `left` and `right`. States related both ways are equivalent.
///
/// # Errors
/// If a limit is reached or the structures have different propositions.
pub fn equivalence(left: &Kmts, right: &Kmts, budget: &Budget) -> Result<(Relation, Relation), CompareError> {
    Ok((refines(left, right, budget)?, refines(right, left, budget)?))
}

/// For each proposition of the first structure its number in the second.
fn match_props(abstracted: &Kmts, concrete: &Kmts) -> Result<Vec<usize>, PropMismatch> {
    let missing = |from: &Kmts, other: &Kmts| -> Vec<String> {
        from.props().iter().filter(|name| other.prop_by_name(name).is_none()).cloned().collect()
    };
    let mismatch =
        PropMismatch { only_abstract: missing(abstracted, concrete), only_concrete: missing(concrete, abstracted) };
    if !mismatch.only_abstract.is_empty() || !mismatch.only_concrete.is_empty() {
        return Err(mismatch);
    }
    Ok(abstracted.props().iter().filter_map(|name| concrete.prop_by_name(name)).map(|prop| prop.index()).collect())
}

//! Which form of a formula is refuted exactly where no completion satisfies it?
//!
//! Valued part by part, `<>p & []!p` is not refuted although nothing satisfies it: its parts do not know of each other. In
//! *disjunctive* form every conjunction of modalities says what a successor must satisfy at once, here `<>(p & !p)`, which is
//! false. A formula of that form is refuted exactly where no completion satisfies it: the parts of a conjunction are literals of
//! different atoms, and modalities whose successors can be chosen one by one, since a completion may have a state twice.
//!
//! A formula becomes terms ([`crate::alternating`]), a set of terms is taken apart into the ways to meet it, and `<>h & []g` becomes
//! `<>(h & g) & []g`. A set that comes back is a variable (`sets`). Which fixpoint it belongs to is a matter of what is put off
//! on the way back, so a set goes with what a monitor remembers, and every step with a priority; the system of sets
//! is then written as one formula of the mu-calculus (`write`). So every formula of every logic has a form, with two exceptions:
//!
//! - `<>h & [a]g`. The step that `<>` asks for has to satisfy `g` if its action is `a`, and need not otherwise. A formula would have to
//!   speak of steps whose action is *not* `a`, and none does: on a step that is merely possible and carries another action,
//!   whatever refutes without naming that action refutes as much.
//! - Constants other than true and false, which mean nothing in a complete structure.
//!
//! Where modalities name actions, the form knows nothing of structures that are declared to have no deadlock: that some step is
//! taken, whichever its action is, is no part of the formula.
//!
//! Not here: values on structures.

mod events;
mod sets;
mod write;

use tertium_base::{Budget, StopReason, Stopped};

use crate::alternating::{TermId, Terms, fixpoint_terms, path_terms};
use crate::automata::TranslationError;
use crate::coalition_form::coalition_form;
use crate::formula::{ActionId, AtomId, Formula, Logic};
use crate::normal::positive_normal_form;
use crate::translate::ctl_to_mu;

use sets::{Fault, Sets};

/// Why a formula has no disjunctive form here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A modality without an action meets one with this action.
    Action(String),
    /// A constant of a lattice.
    Constant(String),
    /// The form would be too large to be of use.
    Size,
}

/// The disjunctive form of a formula, or of its negation if `negated`: a formula of PML or of the mu-calculus.
///
/// # Errors
/// If the budget ends.
pub fn disjunctive_form(
    formula: &Formula,
    negated: bool,
    budget: &Budget,
) -> Result<Result<Formula, Obstacle>, Stopped> {
    if let Some(constant) = formula.elements().first() {
        return Ok(Err(Obstacle::Constant(constant.clone())));
    }
    match form(formula, negated, budget) {
        Ok(form) => Ok(Ok(form)),
        Err(Fault::Action(action)) => Ok(Err(Obstacle::Action(formula.actions()[action.index()].clone()))),
        Err(Fault::Several | Fault::Stopped(Stopped(StopReason::Count))) => Ok(Err(Obstacle::Size)),
        Err(Fault::Stopped(stopped)) => Err(stopped),
    }
}

fn form(formula: &Formula, negated: bool, budget: &Budget) -> Result<Formula, Fault> {
    let (terms, root) = terms(formula, negated, budget)?;
    let mut sets = Sets::new(&terms, root, budget)?;
    sets.share();
    sets.settle(terms.weak);
    Ok(write::formula(&mut sets, formula, budget)?)
}

fn terms(
    formula: &Formula,
    negated: bool,
    budget: &Budget,
) -> Result<(Terms<AtomId, Option<ActionId>>, TermId), Fault> {
    let with_fixpoints = |formula: &Formula| fixpoint_terms(&positive_normal_form(formula, negated));
    let found = match formula.logic() {
        Logic::Pml | Logic::Mu => with_fixpoints(formula),
        Logic::Ctl => ctl_to_mu(formula).as_ref().and_then(with_fixpoints),
        Logic::Atl | Logic::AtlStar => coalition_form(formula).as_ref().and_then(with_fixpoints),
        Logic::Ltl | Logic::CtlStar => match path_terms(formula, !negated, false, budget) {
            Ok(found) => Some(found),
            Err(TranslationError::NotLinear) => None,
            Err(TranslationError::Stopped(stopped)) => return Err(stopped.into()),
        },
    };
    // Whatever the parser lets through has terms.
    found.ok_or(Fault::Stopped(Stopped(StopReason::Count)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse};

    fn form(text: &str, logic: Logic) -> String {
        let formula = parse(text, &ParseOptions::in_logic(logic)).formula.expect("it is one");
        match disjunctive_form(&formula, false, &Budget::unlimited()).expect("there is no limit") {
            Ok(form) => form.text(),
            Err(obstacle) => format!("{obstacle:?}"),
        }
    }

    #[test]
    fn modalities_learn_of_each_other() {
        assert_eq!(form("<>p & []!p", Logic::Pml), "false");
        assert_eq!(form("<>p & []q", Logic::Pml), "EX (p & q) & AX q");
        assert_eq!(form("p & !p | q", Logic::Pml), "q");
        assert_eq!(form("(<>p & [](q | !p)) & []<>r", Logic::Pml), "EX (p & q & EX r) & AX (!p & EX r | q & EX r)");
    }

    #[test]
    fn sets_that_come_back_are_variables() {
        assert_eq!(form("mu X. p | <> X", Logic::Mu), "mu X. p | EX X");
        assert_eq!(form("(nu X. p & [] X) & <> !p", Logic::Mu), "false");
        assert_eq!(form("mu X. p | X", Logic::Mu), "p");
        assert_eq!(form("nu X. p | X", Logic::Mu), "true");
    }

    #[test]
    fn fixpoints_may_alternate() {
        let infinitely_often = form("nu X. mu Y. (p & <> X) | <> Y", Logic::Mu);
        assert_eq!(infinitely_often, "nu X. EX (mu Y. EX Y | p & EX X) | p & EX X");
        let at_last = form("mu X. nu Y. (p & [] Y) | [] X", Logic::Mu);
        assert_eq!(at_last, "mu X. AX X | p & AX nu Y. AX X | p & AX Y");
    }

    #[test]
    fn actions_are_kept_apart() {
        assert_eq!(form("<a> p & [a] !p", Logic::Pml), "false");
        assert_eq!(form("<a> p & [b] q & [] r", Logic::Pml), "<a> (p & r) & AX r & [b] (q & r)");
        assert_eq!(form("<> p & [a] !p", Logic::Pml), "Action(\"a\")");
        assert_eq!(form("<> p | [a] !p", Logic::Pml), "EX p | [a] !p");
    }

    #[test]
    fn other_logics_go_through_terms() {
        assert_eq!(form("AG p & EF !p", Logic::Ctl), "false");
        assert_eq!(
            form("AG (p -> EF q)", Logic::Ctl),
            "nu X. !p & AX X | q & AX X | EX (mu Y. q & AX X | EX Y & AX X) & AX X"
        );
        let response = "nu X. AX (mu Y. AX Y | q & AX X) | !p & AX X | q & AX X";
        assert_eq!(form("G (p -> F q)", Logic::Ltl), response);
    }
}

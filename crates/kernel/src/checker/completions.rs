//! Do two completions disagree? Then nothing that is known decides the formula.

use std::collections::BTreeSet;

use tertium_base::Diagnostic;
use tertium_lattice::{Belnap, TruthValue};
use tertium_model::{ActionId, Kmts, StateId};

use super::{Case, Rejection, Subject, check_certificate_of, misfit};
use tertium_evidence::{Certificate, CompletionProof, Deadlock, Proof, Reading};

/// Checks that the first completion satisfies the formula and the second violates it.
pub(super) fn check(case: &Case<'_>, both: &[CompletionProof; 2]) -> Result<(), Rejection> {
    if case.structure.constraints() > 0 {
        return Err(misfit("completions do not inherit fairness constraints"));
    }
    for (completion, value) in both.iter().zip([Belnap::True, Belnap::False]) {
        let which = if value == Belnap::True { "satisfying" } else { "violating" };
        let first = refines(case, completion).map_err(|why| broken(format!("the {which} completion {why}")))?;
        if matches!(completion.proof, Proof::Completions(_)) {
            return Err(misfit("a completion leaves nothing open"));
        }
        let ends_count = case.structure.deadlock == Deadlock::Maximal;
        let deadlock = if ends_count { Deadlock::Maximal } else { Deadlock::Mu };
        let inner = Certificate {
            formula: case.certificate.formula.clone(),
            logic: case.certificate.logic,
            reading: Reading { deadlock, linear: case.certificate.reading.linear },
            state: first,
            value,
            proof: completion.proof.clone(),
        };
        let subject = Subject::Instance;
        let accepted = check_certificate_of(&completion.structure, subject, &inner, &[], case.budget)?;
        if let Some(assumption) = accepted.assumptions.first() {
            return Err(broken(format!(
                "the {which} completion is shown only under the assumption {}",
                assumption.text()
            )));
        }
    }
    Ok(())
}

/// The initial state of a completion, if it is one of the asked state; otherwise what is wrong with it.
fn refines(case: &Case<'_>, completion: &CompletionProof) -> Result<StateId, String> {
    let fine = &completion.structure;
    // Fairness leaves paths out, totality adds steps: both would be the file's own.
    if !fine.fairness().is_empty() || fine.total() {
        return Err("has fairness constraints, or asserts totality, which no completion does".to_owned());
    }
    if !fine.is_complete() {
        return Err("leaves something open".to_owned());
    }
    if fine.props() != case.structure.model.props() || fine.actions() != case.structure.model.actions() {
        return Err("has other propositions or actions than the model".to_owned());
    }
    let &[first] = fine.init() else { return Err("needs one initial state".to_owned()) };
    if completion.refines.len() != fine.state_count() {
        return Err("does not say what each of its states refines".to_owned());
    }
    let known = |state: &StateId| state.index() < case.structure.model.state_count();
    if !completion.refines.iter().flatten().all(known) {
        return Err("refines states that the model does not have".to_owned());
    }
    if !completion.refines[first.index()].contains(&case.certificate.state) {
        return Err(format!("does not begin with {}", case.state(case.certificate.state)));
    }
    let related: BTreeSet<(StateId, StateId)> =
        fine.states().flat_map(|c| completion.refines[c.index()].iter().map(move |&a| (a, c))).collect();
    for &(a, c) in &related {
        if !pair_refines(case, fine, a, c, &related) {
            return Err(format!("has a state `{}` that does not refine {}", fine.state_name(c), case.state(a)));
        }
    }
    Ok(first)
}

/// The three clauses of the completeness preorder, for one pair.
fn pair_refines(case: &Case<'_>, fine: &Kmts, a: StateId, c: StateId, related: &BTreeSet<(StateId, StateId)>) -> bool {
    let model = case.structure.model;
    let labels = (0..model.props().len()).map(tertium_model::PropId::new);
    let labels_agree = labels.clone().all(|prop| model.label(a, prop).info_le(fine.label(c, prop)));
    let steps: Vec<(Option<ActionId>, StateId)> = fine.edges_from(c).map(|edge| (edge.action, edge.target)).collect();
    let meets = |action: Option<ActionId>, members: &[StateId]| {
        steps.iter().any(|(other, to)| {
            (action.is_none() || *other == action) && members.iter().any(|&member| related.contains(&(member, *to)))
        })
    };
    let plain = model.edges_from(a).filter(|edge| edge.must).all(|edge| meets(edge.action, &[edge.target]));
    let hyper = model.hyper_from(a).all(|edge| meets(edge.action, edge.members));
    let goes_on = !case.structure.total || model.is_dead(a) || !steps.is_empty();
    let possible = steps.iter().all(|(action, to)| {
        model.edges_from(a).any(|edge| edge.may && edge.action == *action && related.contains(&(edge.target, *to)))
    });
    labels_agree && plain && hyper && goes_on && possible
}

fn broken(message: String) -> Rejection {
    Diagnostic::error("E0622", message).into()
}

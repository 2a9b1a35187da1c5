//! Whose turn is it, and what does a formula about players ask of single steps?
//!
//! A formula of ATL or ATL* is read as its form in the mu-calculus (`tertium_logic::coalition_form`), as one of CTL under fairness is read as its own. That form asks at each state whether a player of a coalition has the turn; the
//! answers are written into the structure here, from its owners, and nothing of a certificate has an influence on them. A claim that a coalition can enforce something is then a strategy: one step chosen at each of its own states, every step followed at the others'.

use std::collections::BTreeSet;

use tertium_base::{BitSet, Diagnostic};
use tertium_evidence::{Deadlock, Reading};
use tertium_logic::{Coalition, Formula, Logic, coalition_form, owner_atom};
use tertium_model::Kmts;

use super::{Rejection, misfit};

/// The form whose nodes claims speak of.
pub(super) fn in_fixpoints(formula: &Formula, reading: Reading) -> Result<Formula, Rejection> {
    if reading.deadlock == Deadlock::Maximal {
        return Err(misfit("paths that end are not read for formulas about players"));
    }
    coalition_form(formula).ok_or_else(|| misfit("the formula about players has no small form in the mu-calculus"))
}

/// The structure with a label for each coalition that the form asks about; none for formulas of other logics.
pub(super) fn with_owners(model: &Kmts, form: &Formula, logic: Logic) -> Result<Option<Kmts>, Rejection> {
    if !logic.is_strategic() {
        return Ok(None);
    }
    if !model.fairness().is_empty() {
        return Err(misfit("fairness constraints have no meaning for formulas about players"));
    }
    let coalitions: BTreeSet<&Coalition> =
        form.coalitions().iter().filter(|coalition| !coalition.names().is_empty()).collect();
    let mut owned = model.clone();
    for coalition in coalitions {
        if let Some(name) = coalition.names().iter().find(|name| model.player_by_name(name).is_none()) {
            return Err(Diagnostic::error("E0605", format!("the structure has no player `{name}`")).into());
        }
        let text = owner_atom(&coalition.players);
        let turn = BitSet::from_fn(model.state_count(), |at| {
            let owner = model.owner_name(tertium_model::StateId::new(at));
            coalition.names().iter().any(|name| name == owner)
        });
        if model.prop_by_name(&text).is_some() {
            return Err(misfit("a proposition has the name of a coalition"));
        }
        // The same players may stand in `<<…>>` and in `[[…]]`.
        owned = owned.with_definite_prop(&text, turn).unwrap_or_else(|same| *same);
    }
    Ok(Some(owned))
}

//! Which predicates may help whoever chooses values?
//!
//! What is wanted later must be known when a value is chosen. Each way to find such predicates is tried for itself, those that cost least first; nothing rests on them.

use super::conserved_sums::add_conserved_sums;
use super::input_preconditions::add_input_preconditions;
use super::resolvents::{add_resolvents, sides_of_equations};
use crate::predicate_abstraction::Prepared;

/// Adds predicates; whether there are any to be tried.
pub(super) type Addition = fn(&mut Prepared) -> bool;

/// The ways, in the order in which they are tried.
pub(super) const WHERE_CHOSEN: [Addition; 4] = [resolvents, preconditions, add_conserved_sums, sums];

fn preconditions(prepared: &mut Prepared) -> bool {
    add_input_preconditions(prepared)
}

fn resolvents(prepared: &mut Prepared) -> bool {
    let sides = sides_of_equations(prepared);
    let added = sides.into_iter().try_for_each(|one| prepared.system.add_predicate(one));
    added.is_ok() && add_resolvents(prepared)
}

/// A sum may be one of a variable that a chosen value becomes later.
fn sums(prepared: &mut Prepared) -> bool {
    add_conserved_sums(prepared) && add_input_preconditions(prepared)
}

//! Structures over a lattice, cut at an element.
//!
//! A *cut* is one structure with may and must for a join-irreducible element: a formula's value is above the element exactly where
//! its cut has evidence for true.

use tertium_base::Diagnostic;
use tertium_lattice::{Belnap, Element};
use tertium_model::{Kmts, KmtsBuilder, LatticeModel, ModelTooLarge};

use crate::failure::Failure;

/// The structure whose evidence for true says that a value is above `at`.
///
/// # Errors
/// If there is more than the ids can count.
pub fn cut(model: &LatticeModel, at: Element) -> Result<Kmts, ModelTooLarge> {
    let lattice = model.lattice();
    let mut builder = KmtsBuilder::new();
    for state in model.states() {
        builder.add_state(model.state_name(state));
    }
    for name in model.props() {
        let prop = builder.add_prop(name);
        for state in model.states() {
            builder.set_label(state, prop, cut_value(model, model.label(state, prop), at));
        }
    }
    for state in model.states() {
        for edge in model.edges_from(state) {
            let must = lattice.cut(edge.value, at);
            let may = lattice.cut(edge.value, lattice.star(at));
            if may || must {
                builder.add_edge(state, edge.target, may, must, None);
            }
        }
    }
    model.init().iter().for_each(|&state| builder.add_init(state));
    builder.finish()
}

fn cut_value(model: &LatticeModel, value: Element, at: Element) -> Belnap {
    let lattice = model.lattice();
    Belnap::from_evidence(lattice.cut(value, at), !lattice.cut(value, lattice.star(at)))
}

/// The lattice's elements as constants of a cut.
#[must_use]
pub fn constants(model: &LatticeModel, at: Element) -> Vec<(String, Belnap)> {
    let lattice = model.lattice();
    lattice.elements().map(|element| (lattice.name(element).to_owned(), cut_value(model, element, at))).collect()
}

/// A structure that is too large for this program, as the user's message.
#[must_use]
pub fn too_large(error: ModelTooLarge) -> Failure {
    Diagnostic::error("E0312", format!("the structure is too large: {error}")).into()
}

//! What is the value of a branching formula over any finite De Morgan lattice?
//!
//! [`LatticeTask`] binds a formula's names to a lattice-valued structure. [`direct_values`] computes in the
//! lattice, straight from the definition; `reduction::lattice_values` makes one two-valued run for every
//! join-irreducible element instead. Both are for PML, CTL and the mu-calculus, where a state without
//! successors has `AX` true and `EX` false; the runs also do LTL, over infinite paths.
//!
//! Not here: three- and four-valued structures, which are [`crate::Task`]s.

mod direct;

pub use direct::direct_values;

use tertium_base::Budget;
use tertium_lattice::Element;
use tertium_logic::{Formula, Logic, Node};
use tertium_model::{LatticeModel, PropId};

use crate::{BindError, Unsupported};

/// Fixpoints nested deeper are declined: the iteration of one inside the other is a recursion.
pub const DEEPEST_FIXPOINTS: usize = 500;

/// A question about a lattice-valued structure.
#[derive(Clone, Debug)]
pub struct LatticeTask<'a> {
    /// The structure.
    pub model: &'a LatticeModel,
    /// The formula.
    pub formula: &'a Formula,
    /// For each atom of the formula its proposition.
    pub props: Vec<PropId>,
    /// For each lattice constant of the formula its value.
    pub elements: Vec<Element>,
    /// The limits.
    pub budget: &'a Budget,
}

impl<'a> LatticeTask<'a> {
    /// Binds the formula's names to the structure's. An action is never known: edges carry values instead.
    ///
    /// # Errors
    /// Every name in use that the structure or its lattice does not know.
    pub fn new(model: &'a LatticeModel, formula: &'a Formula, budget: &'a Budget) -> Result<Self, Vec<BindError>> {
        let used = |wanted: &dyn Fn(Node) -> bool| formula.nodes().iter().any(|&node| wanted(node));
        let mut errors = Vec::new();
        let mut task = Self { model, formula, props: Vec::new(), elements: Vec::new(), budget };
        for (at, atom) in formula.atoms().iter().enumerate() {
            let known = model.props().iter().position(|name| *name == atom.text);
            if known.is_none() && used(&|node| matches!(node, Node::Atom(id) if id.index() == at)) {
                errors.push(BindError::Atom(at));
            }
            task.props.push(PropId::new(known.unwrap_or(0)));
        }
        for (at, name) in formula.elements().iter().enumerate() {
            let known = model.lattice().element(name);
            if known.is_none() && used(&|node| matches!(node, Node::Element(id) if id.index() == at)) {
                errors.push(BindError::Element(at));
            }
            task.elements.push(known.unwrap_or(model.lattice().bottom()));
        }
        for at in 0..formula.actions().len() {
            let carries =
                |node| matches!(node, Node::Diamond(Some(id), _) | Node::Box(Some(id), _) if id.index() == at);
            if used(&carries) {
                errors.push(BindError::Action(at));
            }
        }
        if errors.is_empty() { Ok(task) } else { Err(errors) }
    }
}

/// Whether a formula is a branching one that can be evaluated over a lattice.
///
/// # Errors
/// The reason why not.
pub fn lattice_supports(formula: &Formula) -> Result<(), Unsupported> {
    let decline = |reason: String| Err(Unsupported { engine: "lattice", reason });
    if !matches!(formula.logic(), Logic::Pml | Logic::Ctl | Logic::Mu) {
        return decline(format!("values in a lattice are for pml, ctl and mu, and this is {}", formula.logic().name()));
    }
    match crate::game::shape_problem(formula) {
        Some(problem) => return decline(problem.to_owned()),
        None if crate::reduction::nesting(formula) > DEEPEST_FIXPOINTS => {
            return decline(format!("its fixpoints nest more than {DEEPEST_FIXPOINTS} deep"));
        }
        None => {}
    }
    Ok(())
}

//! CTL*: quantified sub-formulas from the inside out.
//!
//! The paths below a quantifier see inner quantified formulas as atoms with the values computed for
//! them. `A psi` is the negation of `E !psi`. Readings of linear formulas have no say here: `E psi` has
//! truth evidence by a path of certain steps, whatever hyper edges or totality would add.

use tertium_base::BitSet;
use tertium_evidence::{LinearReading, Reading};
use tertium_logic::{Node, NodeId};
use tertium_model::StateId;

use super::paths::{PathSets, Paths};
use super::question::Questions;
use crate::{Ask, EngineError, Task, Values};

/// The values of all quantified nodes, innermost first.
pub(crate) type QuantifiedValues = Vec<(NodeId, Values)>;

/// The formula's values, and those of its quantified nodes: the outermost at the states asked about,
/// inner ones everywhere. A formula that is no state formula is read as quantified over all paths.
///
/// # Errors
/// If the budget ends or a part of the formula is too large.
pub(crate) fn values(task: &Task<'_>) -> Result<(Values, QuantifiedValues), EngineError> {
    let task = &guarded(task);
    let paths = Paths::new(task);
    let mut questions = Questions::new(task);
    let mut quantified = Vec::new();
    let root = task.formula.root();
    for id in task.formula.node_ids() {
        let node = task.formula.node(id);
        let ask = if id == root { task.ask } else { Ask::All };
        let values = match node {
            Node::Exists(inner) => Some(truth(paths.exist(&mut questions, inner, true, ask)?)),
            Node::All(inner) => Some(falsity(paths.exist(&mut questions, inner, false, ask)?)),
            _ => None,
        };
        questions.push(task, node, values.as_ref());
        quantified.extend(values.map(|values| (id, values)));
    }
    if task.formula.is_state_formula(task.formula.root()) {
        let values = state_values(task, &quantified);
        return Ok((values, quantified));
    }
    let values = falsity(paths.exist(&mut questions, root, false, task.ask)?);
    Ok((values, quantified))
}

/// The same task under the reading that quantifiers have.
pub(crate) fn guarded<'a>(task: &Task<'a>) -> Task<'a> {
    let reading = Reading { linear: LinearReading::Bg, ..task.reading };
    Task { reading, ..task.clone() }
}

/// `E`: a certain path is evidence, without a possible one it is refuted.
fn truth(sets: PathSets) -> Values {
    Values { for_true: sets.certain, not_refuted: sets.possible }
}

/// `A` by the paths of the negation.
pub(crate) fn falsity(sets: PathSets) -> Values {
    let (mut for_true, mut not_refuted) = (sets.possible, sets.certain);
    for_true.complement();
    not_refuted.complement();
    Values { for_true, not_refuted }
}

/// Boolean combinations of labels and quantified values; nodes under a quantifier are skipped over.
fn state_values(task: &Task<'_>, quantified: &QuantifiedValues) -> Values {
    let states = task.model.state_count();
    let mut known = quantified.iter().peekable();
    let mut values: Vec<Values> = Vec::with_capacity(task.formula.nodes().len());
    for id in task.formula.node_ids() {
        let value = match known.peek() {
            Some((node, _)) if *node == id => known.next().map(|(_, values)| values.clone()),
            _ => None,
        };
        values.push(value.unwrap_or_else(|| combined(task, &values, task.formula.node(id), states)));
    }
    values.pop().unwrap_or(Values { for_true: BitSet::empty(states), not_refuted: BitSet::full(states) })
}

fn combined(task: &Task<'_>, values: &[Values], node: Node, states: usize) -> Values {
    use tertium_lattice::{Belnap, TruthValue};
    let mut result = Values { for_true: BitSet::empty(states), not_refuted: BitSet::empty(states) };
    for at in 0..states {
        let of = |child: NodeId| values[child.index()].at(StateId::new(at));
        let value = match node {
            Node::True => Belnap::True,
            Node::False => Belnap::False,
            Node::Atom(atom) => task.model.label(StateId::new(at), task.props[atom.index()]),
            Node::Element(element) => task.elements[element.index()],
            Node::Not(a) => of(a).not(),
            Node::And(a, b) => of(a).and(of(b)),
            Node::Or(a, b) => of(a).or(of(b)),
            Node::Implies(a, b) => of(a).not().or(of(b)),
            Node::Iff(a, b) => equal(of(a), of(b)),
            Node::Xor(a, b) => equal(of(a), of(b)).not(),
            // A temporal operator: below a quantifier, whose value is known already.
            _ => Belnap::Unknown,
        };
        if value.for_true() {
            result.for_true.insert(at);
        }
        if value.not_refuted() {
            result.not_refuted.insert(at);
        }
    }
    result
}

fn equal(a: tertium_lattice::Belnap, b: tertium_lattice::Belnap) -> tertium_lattice::Belnap {
    use tertium_lattice::TruthValue;
    a.and(b).or(a.not().and(b.not()))
}

//! Which linear formula is an automaton made for, and what do its atoms mean as sets?
//!
//! Constants that are neither true nor false become atoms behind the formula's own; behind them stands the value of the step
//! taken next, if a reading multiplies it into the operators.

use tertium_lattice::Belnap;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId};

use super::evaluate::Atoms;
use super::structure::Structure;
use super::values::Pair;
use crate::automata::question::{EdgeValues, Question, multiply_edges, positive_normal_form};

/// A linear formula in positive normal form, and what the atoms behind the formula's own are.
pub(super) struct LinearQuery {
    pub question: Question<'static>,
    constants: Vec<Belnap>,
    /// How many atoms the formula has of its own.
    own: usize,
}

impl LinearQuery {
    /// `formula`, or its negation unless `positive`.
    pub fn new(formula: &Formula, atoms: &Atoms, positive: bool, steps: EdgeValues) -> Self {
        let mut builder = formula.to_builder();
        let mut constants: Vec<Belnap> = Vec::new();
        let mut images: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
        for &node in formula.nodes() {
            let image = match node {
                Node::Element(element) => constant(&mut builder, &mut constants, atoms.elements[element.index()]),
                node => builder.add(node.map_children(|child| images[child.index()])),
            };
            images.push(image);
        }
        let mut root = images[formula.root().index()];
        if steps == EdgeValues::Literal {
            root = with_steps(&mut builder, root);
        }
        root = positive_normal_form(&mut builder, root, positive);
        if steps == EdgeValues::Negation {
            root = with_steps(&mut builder, root);
        }
        let question = Question { formula: builder.finish(root, Logic::Ltl), meanings: Vec::new() };
        Self { question, constants, own: atoms.labels.len() }
    }

    /// The number of the first atom that is neither the formula's own nor a constant: the value of a step, if it is asked for.
    pub fn first_free(&self) -> usize {
        self.own + self.constants.len()
    }

    /// What an atom below [`Self::first_free`] means.
    pub fn meaning(&self, structure: &Structure, atoms: &Atoms, at: usize) -> Pair {
        let constant = |value: Belnap| Pair {
            yes: structure.diagrams.constant(value.for_true()),
            open: structure.diagrams.constant(value.not_refuted()),
        };
        match at.checked_sub(self.own) {
            Some(number) => constant(self.constants.get(number).copied().unwrap_or(Belnap::Unknown)),
            None => atoms.labels[at].clone().unwrap_or_else(|| constant(Belnap::Unknown)),
        }
    }
}

fn constant(builder: &mut FormulaBuilder, constants: &mut Vec<Belnap>, value: Belnap) -> NodeId {
    match value {
        Belnap::True => builder.add(Node::True),
        Belnap::False => builder.add(Node::False),
        value => {
            let known = constants.iter().position(|&known| known == value);
            let at = known.unwrap_or_else(|| {
                constants.push(value);
                constants.len() - 1
            });
            named(builder, &format!("value {at}"))
        }
    }
}

fn with_steps(builder: &mut FormulaBuilder, root: NodeId) -> NodeId {
    let step = named(builder, "step");
    multiply_edges(builder, step, root)
}

/// A further atom. A line break cannot occur in one that a user wrote.
pub(super) fn named(builder: &mut FormulaBuilder, name: &str) -> NodeId {
    builder.atom(Atom { text: format!("\n{name}"), quoted: true })
}

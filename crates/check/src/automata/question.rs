//! Which linear formula is searched for, over which atoms?
//!
//! A linear question is asked about paths, one formula at a time: negations are pushed to the atoms,
//! maximal state sub-formulas have become atoms with computed labels, and, for the readings that
//! multiply edge values into the operators, an atom stands for the value of the edge a path takes next.
//!
//! Not here: automata for these formulas, and paths.

use std::borrow::Cow;
use std::collections::HashMap;

use tertium_base::BitSet;
use tertium_lattice::Belnap;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId};

use crate::{Task, Values};

/// What an atom of a linear question means.
#[derive(Clone, Debug)]
pub(crate) enum Meaning<'a> {
    /// Labels: evidence for true, and not refuted.
    Labels(Cow<'a, BitSet>, Cow<'a, BitSet>),
    /// The same value everywhere.
    Constant(Belnap),
    /// The value of the edge that the path takes next: true if it is certain, else unknown.
    Edge,
    /// Whether the step that a play takes next surely counts for this fairness constraint.
    Fair(usize),
}

/// A linear formula in positive normal form and the meaning of its atoms.
#[derive(Clone, Debug)]
pub(crate) struct Question<'a> {
    /// Negations stand before atoms only.
    pub formula: Formula,
    /// For each atom of the formula what it means.
    pub meanings: Vec<Meaning<'a>>,
}

/// How a path's steps enter its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EdgeValues {
    /// Not at all.
    Ignored,
    /// Multiplied into the operators as they are written.
    Literal,
    /// Multiplied into the operators of the negation's positive normal form.
    Negation,
}

/// Makes questions from a task's formula; state sub-formulas are replaced as their values get known.
#[derive(Debug)]
pub(crate) struct Questions<'a> {
    builder: FormulaBuilder,
    meanings: HashMap<usize, Meaning<'a>>,
    /// For each node of the task's formula its linear form, not normalised.
    linear: Vec<NodeId>,
    /// The atoms that stand for quantified nodes.
    quantified: Vec<(u32, NodeId)>,
}

fn fresh_atom(name: &str) -> Atom {
    // A line break cannot occur in an atom that a user wrote.
    Atom { text: format!("\n{name}"), quoted: true }
}

impl<'a> Questions<'a> {
    /// Knows the task's atoms, and none of its nodes yet.
    pub(crate) fn new(task: &Task<'a>) -> Self {
        let mut meanings = HashMap::new();
        for (at, &prop) in task.props.iter().enumerate() {
            if prop.index() < task.model.props().len() {
                let (for_true, not_refuted) = task.model.label_sets(prop);
                meanings.insert(at, Meaning::Labels(Cow::Borrowed(for_true), Cow::Borrowed(not_refuted)));
            }
        }
        let linear = Vec::with_capacity(task.formula.nodes().len());
        Self { builder: task.formula.to_builder(), meanings, linear, quantified: Vec::new() }
    }

    /// Takes over the next node of the task's formula. Quantified nodes come with their values.
    pub(crate) fn push(&mut self, task: &Task<'a>, node: Node, values: Option<&Values>) {
        let id = match (node, values) {
            (_, Some(values)) => {
                let (yes, open) = (values.for_true.clone(), values.not_refuted.clone());
                let name = format!("node {}", self.linear.len());
                let id = self.add_atom(&name, Meaning::Labels(Cow::Owned(yes), Cow::Owned(open)));
                if let Node::Atom(atom) = self.builder.node(id) {
                    self.quantified.push((atom.number(), NodeId::new(self.linear.len())));
                }
                id
            }
            (Node::Element(element), None) => {
                let value = task.elements[element.index()];
                match value {
                    Belnap::True => self.builder.add(Node::True),
                    Belnap::False => self.builder.add(Node::False),
                    _ => self.add_atom(&format!("value {value}"), Meaning::Constant(value)),
                }
            }
            (node, None) => {
                let linear = &self.linear;
                self.builder.add(node.map_children(|child| linear[child.index()]))
            }
        };
        self.linear.push(id);
    }

    /// The quantified node that an atom stands for.
    pub(crate) fn node_of_atom(&self, atom: u32) -> Option<NodeId> {
        self.quantified.iter().find(|(known, _)| *known == atom).map(|&(_, node)| node)
    }

    fn add_atom(&mut self, name: &str, meaning: Meaning<'a>) -> NodeId {
        let id = self.builder.atom(fresh_atom(name));
        let Node::Atom(atom) = self.builder.node(id) else { unreachable!("an atom's node is an atom") };
        self.meanings.insert(atom.index(), meaning);
        id
    }

    /// The question whether a path gives `node` (or its negation) this value.
    pub(crate) fn question(&mut self, node: NodeId, positive: bool, edges: EdgeValues) -> Question<'a> {
        let mut root = self.linear[node.index()];
        if edges == EdgeValues::Literal {
            root = self.multiply_edges(root);
        }
        root = positive_normal_form(&mut self.builder, root, positive);
        if edges == EdgeValues::Negation {
            root = self.multiply_edges(root);
        }
        self.finish(root)
    }

    /// The question whether a play takes steps of every fairness constraint for ever and satisfies `node`.
    pub(crate) fn fair_question(&mut self, node: NodeId, positive: bool, constraints: usize) -> Question<'a> {
        let linear = self.linear[node.index()];
        let mut root = positive_normal_form(&mut self.builder, linear, positive);
        for at in 0..constraints {
            let taken = self.add_atom(&format!("fair {at}"), Meaning::Fair(at));
            let eventually = self.builder.add(Node::Finally(taken));
            let always = self.builder.add(Node::Globally(eventually));
            root = self.builder.add(Node::And(root, always));
        }
        self.finish(root)
    }

    fn finish(&self, root: NodeId) -> Question<'a> {
        let formula = self.builder.finish(root, Logic::Ltl);
        let meaning = |at| self.meanings.get(&at).cloned().unwrap_or(Meaning::Constant(Belnap::Unknown));
        let meanings = (0..formula.atoms().len()).map(meaning).collect();
        Question { formula, meanings }
    }

    fn multiply_edges(&mut self, root: NodeId) -> NodeId {
        let edge = self.add_atom("edge", Meaning::Edge);
        multiply_edges(&mut self.builder, edge, root)
    }
}

/// Multiplies `edge`, the value of the edge taken next, into every operator that looks beyond it.
pub(crate) fn multiply_edges(builder: &mut FormulaBuilder, edge: NodeId, root: NodeId) -> NodeId {
    let part = builder.finish(root, Logic::Ltl);
    let mut images: Vec<NodeId> = Vec::with_capacity(part.nodes().len());
    for &node in part.nodes() {
        let node = node.map_children(|child| images[child.index()]);
        images.push(multiplied(builder, edge, node));
    }
    images[part.root().index()]
}

/// One operator with the value of the next edge multiplied in; its operands have it already.
fn multiplied(builder: &mut FormulaBuilder, edge: NodeId, node: Node) -> NodeId {
    match node {
        Node::Next(_) => {
            let next = builder.add(node);
            builder.add(Node::And(edge, next))
        }
        Node::Globally(a) => {
            let both = builder.add(Node::And(edge, a));
            builder.add(Node::Globally(both))
        }
        Node::Finally(a) => builder.add(Node::Until(edge, a)),
        Node::Until(a, b) => {
            let both = builder.add(Node::And(edge, a));
            builder.add(Node::Until(both, b))
        }
        Node::Release(a, b) => release_with_edge(builder, edge, a, b),
        Node::WeakUntil(a, b) => {
            let either = builder.add(Node::Or(a, b));
            release_with_edge(builder, edge, b, either)
        }
        Node::StrongRelease(a, b) => {
            let goal = builder.add(Node::And(a, b));
            let both = builder.add(Node::And(edge, b));
            builder.add(Node::Until(both, goal))
        }
        other => builder.add(other),
    }
}

fn release_with_edge(builder: &mut FormulaBuilder, edge: NodeId, a: NodeId, b: NodeId) -> NodeId {
    let onward = builder.add(Node::Or(a, edge));
    let both = builder.add(Node::And(b, onward));
    builder.add(Node::Release(a, both))
}

/// Negations pushed to the atoms; only literals, `&`, `|`, `X`, `F`, `G`, `U`, `R` remain.
pub(crate) fn positive_normal_form(builder: &mut FormulaBuilder, root: NodeId, positive: bool) -> NodeId {
    let part = builder.finish(root, Logic::Ltl);
    let mut forms: Vec<[NodeId; 2]> = Vec::with_capacity(part.nodes().len());
    for &node in part.nodes() {
        let pair = [normalised(builder, &forms, node, false), normalised(builder, &forms, node, true)];
        forms.push(pair);
    }
    forms[part.root().index()][usize::from(positive)]
}

fn normalised(builder: &mut FormulaBuilder, forms: &[[NodeId; 2]], node: Node, positive: bool) -> NodeId {
    let same = |a: NodeId| forms[a.index()][usize::from(positive)];
    let opposite = |a: NodeId| forms[a.index()][usize::from(!positive)];
    let choose = |yes: Node, no: Node| if positive { yes } else { no };
    let node = match node {
        Node::True => choose(Node::True, Node::False),
        Node::False => choose(Node::False, Node::True),
        Node::Not(a) => return opposite(a),
        Node::And(a, b) => choose(Node::And(same(a), same(b)), Node::Or(same(a), same(b))),
        Node::Or(a, b) => choose(Node::Or(same(a), same(b)), Node::And(same(a), same(b))),
        Node::Implies(a, b) => choose(Node::Or(opposite(a), same(b)), Node::And(opposite(a), same(b))),
        Node::Iff(a, b) => return equivalence(builder, forms, a, b, positive),
        Node::Xor(a, b) => return equivalence(builder, forms, a, b, !positive),
        Node::Next(a) => Node::Next(same(a)),
        Node::Finally(a) => choose(Node::Finally(same(a)), Node::Globally(same(a))),
        Node::Globally(a) => choose(Node::Globally(same(a)), Node::Finally(same(a))),
        Node::Until(a, b) => choose(Node::Until(same(a), same(b)), Node::Release(same(a), same(b))),
        Node::Release(a, b) => choose(Node::Release(same(a), same(b)), Node::Until(same(a), same(b))),
        Node::WeakUntil(a, b) => {
            let either = builder.add(choose(Node::Or(same(a), same(b)), Node::And(same(a), same(b))));
            choose(Node::Release(same(b), either), Node::Until(same(b), either))
        }
        Node::StrongRelease(a, b) => {
            let both = builder.add(choose(Node::And(same(a), same(b)), Node::Or(same(a), same(b))));
            choose(Node::Until(same(b), both), Node::Release(same(b), both))
        }
        atom if positive => atom,
        atom => {
            let atom = builder.add(atom);
            Node::Not(atom)
        }
    };
    builder.add(node)
}

/// `(a & b) | (!a & !b)`, or its negation `(!a | !b) & (a | b)`.
fn equivalence(builder: &mut FormulaBuilder, forms: &[[NodeId; 2]], a: NodeId, b: NodeId, positive: bool) -> NodeId {
    let [not_a, yes_a] = forms[a.index()];
    let [not_b, yes_b] = forms[b.index()];
    if positive {
        let both = builder.add(Node::And(yes_a, yes_b));
        let neither = builder.add(Node::And(not_a, not_b));
        builder.add(Node::Or(both, neither))
    } else {
        let either = builder.add(Node::Or(yes_a, yes_b));
        let not_both = builder.add(Node::Or(not_a, not_b));
        builder.add(Node::And(not_both, either))
    }
}

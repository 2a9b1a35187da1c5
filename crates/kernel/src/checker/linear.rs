//! What does a linear formula, or its negation, ask of a path? Positive normal form over six operators.
//!
//! The value of the step taken can be multiplied into the operators (readings `tg` and `tg-pnf`); it is
//! then one more literal.

use std::collections::HashMap;

use tertium_base::BitSet;
use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Node, NodeId};
use tertium_model::{Kmts, PropId, StateId};

use super::structure::Names;

/// Where a literal's value comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A label of the structure.
    Prop(PropId),
    /// A constant.
    Constant(Belnap),
    /// Computed labels: evidence for true and evidence for false.
    Computed(BitSet, BitSet),
}

/// One operator; operands are positions in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    True,
    False,
    /// A source's value, or its negation.
    Literal(u32, bool),
    /// The step taken from here is certain (or: is not).
    Step(bool),
    And(u32, u32),
    Or(u32, u32),
    Next(u32),
    Until(u32, u32),
    Release(u32, u32),
}

/// How the value of steps enters the operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Steps {
    /// Not at all.
    Ignored,
    /// Into the operators as written, before negations are pushed inwards.
    Literal,
    /// Into the operators of the normal form.
    Normal,
}

/// How open values are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sight {
    /// A literal holds if there is evidence for it.
    Pessimistic,
    /// A literal holds if there is no evidence against it.
    Optimistic,
}

/// A formula about paths in positive normal form; operands stand before what uses them.
#[derive(Debug)]
pub(crate) struct Linear {
    pub(crate) ops: Vec<Op>,
    pub(crate) root: u32,
    pub(crate) sources: Vec<Source>,
}

impl Linear {
    /// Whether a literal (or constant, or step) holds at a state, none standing for one of which nothing
    /// is known, before a step that is `certain` or not. None for operators.
    pub(crate) fn holds(
        &self,
        op: Op,
        state: Option<StateId>,
        certain: bool,
        sight: Sight,
        model: &Kmts,
    ) -> Option<bool> {
        match op {
            Op::True => Some(true),
            Op::False => Some(false),
            Op::Step(wanted) => Some(match sight {
                // An uncertain step on a possible path is open: evidence neither for nor against.
                Sight::Pessimistic => wanted && certain,
                Sight::Optimistic => wanted || !certain,
            }),
            Op::Literal(source, positive) => Some(seen(self.value(source, state, model), positive, sight)),
            Op::And(..) | Op::Or(..) | Op::Next(_) | Op::Until(..) | Op::Release(..) => None,
        }
    }

    fn value(&self, source: u32, state: Option<StateId>, model: &Kmts) -> Belnap {
        match (&self.sources[source as usize], state) {
            (Source::Constant(value), _) => *value,
            (Source::Prop(prop), Some(state)) => model.label(state, *prop),
            (Source::Computed(yes, no), Some(state)) => {
                Belnap::from_evidence(yes.contains(state.index()), no.contains(state.index()))
            }
            (_, None) => Belnap::Unknown,
        }
    }
}

fn seen(value: Belnap, positive: bool, sight: Sight) -> bool {
    match (sight, positive) {
        (Sight::Pessimistic, true) => value.for_true(),
        (Sight::Pessimistic, false) => value.for_false(),
        (Sight::Optimistic, true) => !value.for_false(),
        (Sight::Optimistic, false) => !value.for_true(),
    }
}

/// `node` (or its negation) as a formula about paths; none if it contains an operator that is not linear.
/// `computed` gives the labels of quantified nodes.
pub(crate) fn translate(
    formula: &Formula,
    names: &Names,
    node: NodeId,
    positive: bool,
    steps: Steps,
    computed: &HashMap<NodeId, (BitSet, BitSet)>,
) -> Option<Linear> {
    let mut builder = Builder { ops: Vec::new(), known: HashMap::new(), sources: Vec::new(), steps };
    let mut done: Vec<Option<[u32; 2]>> = vec![None; node.index() + 1];
    for id in below(formula, node, computed) {
        let both = match computed.get(&id) {
            Some((yes, no)) => builder.source(Source::Computed(yes.clone(), no.clone())),
            None => builder.node(formula.node(id), names, &done)?,
        };
        done[id.index()] = Some(both);
    }
    let root = done[node.index()]?[usize::from(positive)];
    Some(Linear { ops: builder.ops, root, sources: builder.sources })
}

/// The nodes that `node` consists of, operands first; computed ones are not entered.
fn below(formula: &Formula, node: NodeId, computed: &HashMap<NodeId, (BitSet, BitSet)>) -> Vec<NodeId> {
    let mut used = vec![false; node.index() + 1];
    used[node.index()] = true;
    for at in (0..=node.index()).rev().map(NodeId::new) {
        if used[at.index()] && !computed.contains_key(&at) {
            for child in formula.node(at).children() {
                used[child.index()] = true;
            }
        }
    }
    (0..=node.index()).filter(|&at| used[at]).map(NodeId::new).collect()
}

struct Builder {
    ops: Vec<Op>,
    known: HashMap<Op, u32>,
    sources: Vec<Source>,
    steps: Steps,
}

/// The false and the true form of a node.
type Both = [u32; 2];

impl Builder {
    fn op(&mut self, op: Op) -> u32 {
        *self.known.entry(op).or_insert_with(|| {
            self.ops.push(op);
            to_u32(self.ops.len() - 1)
        })
    }

    fn and(&mut self, a: u32, b: u32) -> u32 {
        self.op(Op::And(a, b))
    }

    fn or(&mut self, a: u32, b: u32) -> u32 {
        self.op(Op::Or(a, b))
    }

    fn source(&mut self, source: Source) -> Both {
        self.sources.push(source);
        let at = to_u32(self.sources.len() - 1);
        [self.op(Op::Literal(at, false)), self.op(Op::Literal(at, true))]
    }

    fn node(&mut self, node: Node, names: &Names, done: &[Option<Both>]) -> Option<Both> {
        let of = |id: NodeId| done[id.index()];
        Some(match node {
            Node::True => [self.op(Op::False), self.op(Op::True)],
            Node::False => [self.op(Op::True), self.op(Op::False)],
            Node::Element(element) => self.source(Source::Constant(names.elements[element.index()]?)),
            Node::Atom(atom) => self.source(Source::Prop(names.atoms[atom.index()]?)),
            Node::Not(a) => negated(of(a)?),
            Node::And(a, b) => self.conjunction(of(a)?, of(b)?),
            Node::Or(a, b) => self.disjunction(of(a)?, of(b)?),
            Node::Implies(a, b) => self.disjunction(negated(of(a)?), of(b)?),
            Node::Iff(a, b) => self.equivalence(of(a)?, of(b)?),
            Node::Xor(a, b) => negated(self.equivalence(of(a)?, of(b)?)),
            Node::Next(a) => self.next(of(a)?),
            Node::Finally(a) => {
                let anything = [self.op(Op::False), self.op(Op::True)];
                self.until(anything, of(a)?)
            }
            Node::Globally(a) => {
                let nothing = [self.op(Op::True), self.op(Op::False)];
                self.release(nothing, of(a)?)
            }
            Node::Until(a, b) => self.until(of(a)?, of(b)?),
            Node::Release(a, b) => self.release(of(a)?, of(b)?),
            Node::WeakUntil(a, b) => {
                let either = self.disjunction(of(a)?, of(b)?);
                self.release(of(b)?, either)
            }
            Node::StrongRelease(a, b) => {
                let both = self.conjunction(of(a)?, of(b)?);
                self.until(of(b)?, both)
            }
            Node::All(_)
            | Node::Exists(_)
            | Node::Coalition(..)
            | Node::Var(_)
            | Node::Diamond(..)
            | Node::Box(..)
            | Node::Mu(..)
            | Node::Nu(..) => return None,
        })
    }

    fn conjunction(&mut self, a: Both, b: Both) -> Both {
        [self.or(a[0], b[0]), self.and(a[1], b[1])]
    }

    fn disjunction(&mut self, a: Both, b: Both) -> Both {
        negated(self.conjunction(negated(a), negated(b)))
    }

    fn equivalence(&mut self, a: Both, b: Both) -> Both {
        let both = self.conjunction(a, b);
        let neither = self.conjunction(negated(a), negated(b));
        self.disjunction(both, neither)
    }

    fn step(&mut self) -> Both {
        [self.op(Op::Step(false)), self.op(Op::Step(true))]
    }

    fn next(&mut self, a: Both) -> Both {
        let plain = [self.op(Op::Next(a[0])), self.op(Op::Next(a[1]))];
        let step = self.step();
        match self.steps {
            Steps::Ignored => plain,
            Steps::Literal => self.conjunction(step, plain),
            Steps::Normal => [self.and(step[1], plain[0]), self.and(step[1], plain[1])],
        }
    }

    fn until(&mut self, a: Both, b: Both) -> Both {
        match self.steps {
            Steps::Ignored => self.plain_until(a, b),
            Steps::Literal => {
                let step = self.step();
                let held = self.conjunction(step, a);
                self.plain_until(held, b)
            }
            Steps::Normal => [self.certain_release(a[0], b[0]), self.certain_until(a[1], b[1])],
        }
    }

    fn release(&mut self, a: Both, b: Both) -> Both {
        match self.steps {
            Steps::Ignored => negated(self.plain_until(negated(a), negated(b))),
            Steps::Literal => {
                let step = self.step();
                let going_on = self.disjunction(a, step);
                let held = self.conjunction(b, going_on);
                negated(self.plain_until(negated(a), negated(held)))
            }
            Steps::Normal => [self.certain_until(a[0], b[0]), self.certain_release(a[1], b[1])],
        }
    }

    fn plain_until(&mut self, a: Both, b: Both) -> Both {
        [self.op(Op::Release(a[0], b[0])), self.op(Op::Until(a[1], b[1]))]
    }

    /// `(r & a) U b` with `r` for "the step is certain".
    fn certain_until(&mut self, a: u32, b: u32) -> u32 {
        let step = self.step()[1];
        let held = self.and(step, a);
        self.op(Op::Until(held, b))
    }

    /// `a R (b & (a | r))`.
    fn certain_release(&mut self, a: u32, b: u32) -> u32 {
        let step = self.step()[1];
        let going_on = self.or(a, step);
        let held = self.and(b, going_on);
        self.op(Op::Release(a, held))
    }
}

fn negated([no, yes]: Both) -> Both {
    [yes, no]
}

//! Four-valued words that end in a loop, and the value of LTL on them by definition.

use super::Random;
use crate::formula::{Formula, Node};

/// Evidence for and against.
pub(crate) type Value = (bool, bool);

/// A word `letters[0..loop_at] (letters[loop_at..])^omega`; a letter gives each atom its evidence.
#[derive(Clone, Debug)]
pub(crate) struct Lasso {
    pub(crate) letters: Vec<Vec<Value>>,
    pub(crate) loop_at: usize,
}

impl Lasso {
    pub(crate) fn random(random: &mut Random, atoms: usize, longest: usize) -> Self {
        let length = 1 + random.below(longest);
        let letters = (0..length).map(|_| (0..atoms).map(|_| (random.coin(), random.coin())).collect()).collect();
        Self { letters, loop_at: random.below(length) }
    }

    /// A word on which every atom is either true or false.
    pub(crate) fn classical(random: &mut Random, atoms: usize, longest: usize) -> Self {
        let mut word = Self::random(random, atoms, longest);
        for letter in &mut word.letters {
            letter.iter_mut().for_each(|(truth, falsity)| *falsity = !*truth);
        }
        word
    }

    pub(crate) fn next(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.loop_at }
    }

    /// The formula's value at the first position.
    pub(crate) fn value(&self, formula: &Formula) -> Value {
        let mut values: Vec<Vec<Value>> = Vec::new();
        for &node in formula.nodes() {
            let value = self.node_value(formula, node, &values);
            values.push(value);
        }
        values[formula.root().index()][0]
    }

    fn node_value(&self, formula: &Formula, node: Node, values: &[Vec<Value>]) -> Vec<Value> {
        let length = self.letters.len();
        let positions = 0..length;
        let of = |id: crate::NodeId| &values[id.index()];
        let not = |(t, f): Value| (f, t);
        let and = |a: Value, b: Value| (a.0 & b.0, a.1 | b.1);
        let or = |a: Value, b: Value| (a.0 | b.0, a.1 & b.1);
        let each = |f: &dyn Fn(usize) -> Value| positions.clone().map(f).collect::<Vec<_>>();
        let fixpoint = |start: Value, step: &dyn Fn(usize, Value) -> Value| {
            let mut now = vec![start; length];
            for _ in 0..=2 * length {
                now = (0..length).map(|at| step(at, now[self.next(at)])).collect();
            }
            now
        };
        const TRUE: Value = (true, false);
        const FALSE: Value = (false, true);
        match node {
            Node::True => vec![TRUE; length],
            Node::False => vec![FALSE; length],
            Node::Atom(atom) => each(&|at| self.letters[at][atom.index()]),
            Node::Not(a) => each(&|at| not(of(a)[at])),
            Node::And(a, b) => each(&|at| and(of(a)[at], of(b)[at])),
            Node::Or(a, b) => each(&|at| or(of(a)[at], of(b)[at])),
            Node::Implies(a, b) => each(&|at| or(not(of(a)[at]), of(b)[at])),
            Node::Iff(a, b) => each(&|at| {
                let (a, b) = (of(a)[at], of(b)[at]);
                or(and(a, b), and(not(a), not(b)))
            }),
            Node::Xor(a, b) => each(&|at| {
                let (a, b) = (of(a)[at], of(b)[at]);
                and(or(not(a), not(b)), or(a, b))
            }),
            Node::Next(a) => each(&|at| of(a)[self.next(at)]),
            Node::Finally(b) => fixpoint(FALSE, &|at, next| or(of(b)[at], next)),
            Node::Globally(b) => fixpoint(TRUE, &|at, next| and(of(b)[at], next)),
            Node::Until(a, b) => fixpoint(FALSE, &|at, next| or(of(b)[at], and(of(a)[at], next))),
            Node::Release(a, b) => fixpoint(TRUE, &|at, next| and(of(b)[at], or(of(a)[at], next))),
            Node::WeakUntil(a, b) => fixpoint(TRUE, &|at, next| or(of(b)[at], and(of(a)[at], next))),
            Node::StrongRelease(a, b) => fixpoint(FALSE, &|at, next| and(of(b)[at], or(of(a)[at], next))),
            other => panic!("{other:?} of `{}` is not of LTL", formula.text()),
        }
    }
}

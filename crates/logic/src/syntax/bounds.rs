//! What do bounds of an operator stand for? `F[1,2] p` is `X (p | X p)`.
//!
//! Parts that are written out several times are one node of the tree; a limit keeps their text short.

use tertium_base::{Diagnostic, Span};

use super::hints;
use super::nodes::quantifier_node;
use super::stack::{Parser, Prefix};
use super::token::{PathOp, Quantifier, Token};
use crate::formula::{Logic, Node, NodeId};

/// Formulas with bounds have at most so many operators as text.
const LONGEST_WRITTEN: u64 = 100_000;

/// Bounds of operators reach at most so far.
pub(super) const LONGEST_BOUND: u32 = 1000;

/// Two numbers with a sign between them, and how long they are written.
pub(super) fn bounds(text: &str, between: &str) -> Option<(u32, u32, usize)> {
    let number = |text: &str| {
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        Some((text[..digits].parse::<u32>().ok()?, digits))
    };
    let start = text.len() - text.trim_start().len();
    let (lo, first) = number(&text[start..])?;
    let rest = &text[start + first..];
    let inner = rest.trim_start().strip_prefix(between)?;
    let second = inner.trim_start();
    let (hi, digits) = number(second)?;
    Some((lo, hi, text.len() - second.len() + digits))
}

impl Parser<'_, '_> {
    /// An operator with the bounds that follow it.
    pub(super) fn bounded(&mut self, quantifier: Option<Quantifier>, op: PathOp) -> Option<Prefix> {
        let Token::Bounds(lo, hi) = *self.peek(0) else { return None };
        let span = self.tokens[self.at].1;
        self.at += 1;
        if lo > hi || hi > LONGEST_BOUND {
            self.report(hints::wrong_bounds(lo, hi, span));
            return None;
        }
        self.has_bounds = true;
        Some(Prefix::Bounded(quantifier, op, lo, hi))
    }

    /// `F[1,2] p` as `X (p | X p)`; with a quantifier in CTL one before each `X`, elsewhere one before all.
    pub(super) fn bounded_node(
        &mut self,
        quantifier: Option<Quantifier>,
        op: PathOp,
        (lo, hi): (u32, u32),
        p: NodeId,
    ) -> Node {
        let span = self.tree[p.index()].1;
        let each = quantifier.filter(|_| self.logic == Logic::Ctl);
        let mut push = |node: Node| {
            self.tree.push((node, span));
            NodeId::new(self.tree.len() - 1)
        };
        let next = |push: &mut dyn FnMut(Node) -> NodeId, later: NodeId| {
            let step = push(Node::Next(later));
            each.map_or(step, |quantifier| push(quantifier_node(quantifier, step)))
        };
        let mut value = p;
        for _ in lo..hi {
            let later = next(&mut push, value);
            value = push(if op == PathOp::Globally { Node::And(p, later) } else { Node::Or(p, later) });
        }
        for _ in 0..lo {
            value = next(&mut push, value);
        }
        match quantifier {
            Some(quantifier) if each.is_none() => quantifier_node(quantifier, value),
            _ => self.tree[value.index()].0,
        }
    }

    /// Notes that a formula is too long once its bounds are written out.
    pub(super) fn check_size_of_bounds(&mut self) {
        if self.diagnostics.is_empty() && self.written_out() > LONGEST_WRITTEN {
            let error = Diagnostic::error("E0113", "a formula that is too long once its bounds are written out");
            let span = self.operand.map_or(Span::default(), |root| self.tree[root].1);
            self.diagnostics.push(error.at(span, format!("more than {LONGEST_WRITTEN} operators")));
        }
    }

    /// How many operators the formula has as text; none are shared there, but only bounds share any.
    fn written_out(&self) -> u64 {
        if !self.has_bounds {
            return 0;
        }
        let mut sizes: Vec<u64> = Vec::with_capacity(self.tree.len());
        for (node, _) in &self.tree {
            sizes.push(node.children().fold(1, |sum, child| sizes[child.index()].saturating_add(sum)));
        }
        self.operand.map_or(0, |root| sizes[root])
    }
}

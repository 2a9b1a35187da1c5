//! What does a formula say if only some steps count?
//!
//! *Relativisation*: steps into states with a mark count, and no others. `EX g` becomes `EX (mark & g)`, and `AX g` becomes `AX (mark -> g)`;
//! the operators of CTL follow from their unfolding by the rolling rule (`mu Z. f(g(Z))` is `f(mu W. g(f(W)))`), so that the formula stays one of CTL:
//!
//! ```text
//! E[a U b]   b | (a & EX E[(mark & a) U (mark & b)])        A[a U b]   b | (a & AX A[a U (b | !mark)])
//! E[a R b]   b & (a | EX E[(mark & a) R (mark & b)])        A[a R b]   b & (a | AX A[(a | !mark) R (b | !mark)])
//! ```
//!
//! A path counts if all states but its first have the mark. Only laws of De Morgan lattices are used, so that values of any such lattice are kept. For checkers with a
//! single relation there is a second form, in which `EX` and `AX` follow different steps: into states with the mark, and into states without it.
//!
//! Not here: the structures in which the mark stands (crate `model`).

use crate::formula::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId};

/// Which steps a mark makes count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkedSteps {
    /// Steps into marked states, for `EX` and for `AX`.
    Both,
    /// Steps into marked states for `EX`, steps into the others for `AX`. The formula must be in positive normal form.
    ExistsOnly,
}

/// The formula over a structure in which only some steps count; they are told by the atom `mark`.
///
/// Linear formulas are read on all infinite paths, as everywhere.
#[must_use]
pub fn relativise(formula: &Formula, mark: &str, steps: MarkedSteps) -> Formula {
    let mut builder = formula.to_builder();
    let marked = builder.atom(Atom { text: mark.to_owned(), quoted: !is_plain(mark) });
    let skipped = match steps {
        MarkedSteps::Both => builder.add(Node::Not(marked)),
        MarkedSteps::ExistsOnly => marked,
    };
    let paths = formula.logic() == Logic::CtlStar;
    let mut relativiser = Relativiser { builder, marked, skipped, made: Vec::with_capacity(formula.nodes().len()) };
    for id in formula.node_ids() {
        let node = match formula.node(id) {
            Node::Exists(path) if paths => relativiser.some_path(path),
            Node::All(path) if paths => relativiser.all_paths(path),
            Node::Exists(path) => relativiser.quantified(formula.node(path), false),
            Node::All(path) => relativiser.quantified(formula.node(path), true),
            node => relativiser.operator(node),
        };
        relativiser.made.push(node);
    }
    let mut root = relativiser.made[formula.root().index()];
    if formula.logic() == Logic::Ltl {
        root = relativiser.unless_left(root);
    }
    relativiser.builder.finish(root, formula.logic())
}

/// Whether a name can stand in a formula without quotes, in every logic.
fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_lowercase())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

struct Relativiser {
    builder: FormulaBuilder,
    /// Holds where a step of `EX` counts.
    marked: NodeId,
    /// Holds where a step of `AX` does not.
    skipped: NodeId,
    made: Vec<NodeId>,
}

impl Relativiser {
    fn of(&self, id: NodeId) -> NodeId {
        self.made[id.index()]
    }

    fn if_marked(&mut self, a: NodeId) -> NodeId {
        self.builder.add(Node::And(self.marked, a))
    }

    fn or_skipped(&mut self, a: NodeId) -> NodeId {
        self.builder.add(Node::Or(self.skipped, a))
    }

    fn operator(&mut self, node: Node) -> NodeId {
        let node = match node {
            Node::Diamond(action, a) => Node::Diamond(action, self.if_marked(self.of(a))),
            Node::Box(action, a) => Node::Box(action, self.or_skipped(self.of(a))),
            other => other.map_children(|child| self.of(child)),
        };
        self.builder.add(node)
    }

    /// On every path that counts.
    fn all_paths(&mut self, path: NodeId) -> NodeId {
        let path = self.unless_left(self.of(path));
        self.builder.add(Node::All(path))
    }

    /// On a path that counts.
    fn some_path(&mut self, path: NodeId) -> NodeId {
        let stays = self.builder.add(Node::Globally(self.marked));
        let stays = self.builder.add(Node::Next(stays));
        let both = self.builder.add(Node::And(stays, self.of(path)));
        self.builder.add(Node::Exists(both))
    }

    /// `path`, or a later state is not one that counts.
    fn unless_left(&mut self, path: NodeId) -> NodeId {
        let leaves = self.builder.add(Node::Finally(self.skipped));
        let leaves = self.builder.add(Node::Next(leaves));
        self.builder.add(Node::Or(leaves, path))
    }

    fn quantified(&mut self, path: Node, all: bool) -> NodeId {
        let (truth, falsity) = (self.builder.add(Node::True), self.builder.add(Node::False));
        match path {
            Node::Next(a) => self.next(self.of(a), all),
            Node::Finally(b) => self.until(truth, self.of(b), all),
            Node::Globally(b) => self.release(falsity, self.of(b), all),
            Node::Until(a, b) => self.until(self.of(a), self.of(b), all),
            Node::Release(a, b) => self.release(self.of(a), self.of(b), all),
            Node::WeakUntil(a, b) => {
                let either = self.builder.add(Node::Or(self.of(a), self.of(b)));
                self.release(self.of(b), either, all)
            }
            Node::StrongRelease(a, b) => {
                let both = self.builder.add(Node::And(self.of(a), self.of(b)));
                self.until(self.of(b), both, all)
            }
            // No formula of CTL has a quantifier over anything else.
            _ => falsity,
        }
    }

    fn next(&mut self, a: NodeId, all: bool) -> NodeId {
        let a = if all { self.or_skipped(a) } else { self.if_marked(a) };
        self.bare(Node::Next(a), all)
    }

    /// A quantifier over a path operator.
    fn bare(&mut self, path: Node, all: bool) -> NodeId {
        let path = self.builder.add(path);
        self.builder.add(if all { Node::All(path) } else { Node::Exists(path) })
    }

    /// `b | (a & next of the same among the steps that count)`.
    fn until(&mut self, a: NodeId, b: NodeId, all: bool) -> NodeId {
        let later = if all {
            let stop = self.or_skipped(b);
            self.bare(Node::Until(a, stop), true)
        } else {
            let (a, b) = (self.if_marked(a), self.if_marked(b));
            self.bare(Node::Until(a, b), false)
        };
        let next = self.bare(Node::Next(later), all);
        let on = if self.builder.node(a) == Node::True { next } else { self.builder.add(Node::And(a, next)) };
        self.builder.add(Node::Or(b, on))
    }

    /// `b & (a | next of the same among the steps that count)`.
    fn release(&mut self, a: NodeId, b: NodeId, all: bool) -> NodeId {
        let (later_a, later_b) =
            if all { (self.or_skipped(a), self.or_skipped(b)) } else { (self.if_marked(a), self.if_marked(b)) };
        let later = self.bare(Node::Release(later_a, later_b), all);
        let next = self.bare(Node::Next(later), all);
        let on = if self.builder.node(a) == Node::False { next } else { self.builder.add(Node::Or(a, next)) };
        self.builder.add(Node::And(b, on))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse};

    fn text(formula: &str, logic: Logic, steps: MarkedSteps) -> String {
        let parsed = parse(formula, &ParseOptions::in_logic(logic)).formula.expect("a formula");
        relativise(&parsed, "m", steps).text()
    }

    #[test]
    fn steps_are_asked_for_their_mark() {
        assert_eq!(text("EX p", Logic::Ctl, MarkedSteps::Both), "EX (m & p)");
        assert_eq!(text("AX p", Logic::Ctl, MarkedSteps::Both), "AX (!m | p)");
        assert_eq!(text("AX p", Logic::Ctl, MarkedSteps::ExistsOnly), "AX (m | p)");
        assert_eq!(text("<a> p", Logic::Mu, MarkedSteps::Both), "<a> (m & p)");
        assert_eq!(text("AF p", Logic::Ctl, MarkedSteps::Both), "p | AX A[true U (!m | p)]");
        assert_eq!(text("G p", Logic::Ltl, MarkedSteps::Both), "X F !m | G p");
        assert_eq!(text("E G p", Logic::CtlStar, MarkedSteps::Both), "E (X G m & G p)");
    }
}

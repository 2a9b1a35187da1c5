//! How are branching operators said with fixpoints, plainly and over fair paths only?
//!
//! [`ctl_to_mu`] unfolds CTL as the semantics defines it. [`fair_ctl`] does the same for quantifiers over
//! paths that meet every fairness constraint infinitely often (Emerson and Lei); steps that count for
//! constraint `i` are written as the action `fair:i`.
//!
//! [`ending_ctl`] is for paths that may end where there is no step. It is right on complete structures; on partial ones its value
//! may be weaker than that of the operators themselves, since its parts do not know of each other.

use crate::classify::is_ctl;
use crate::formula::{Formula, FormulaBuilder, Logic, Node, NodeId};

/// The action name for steps that count for a fairness constraint.
#[must_use]
pub fn fair_action(constraint: usize) -> String {
    format!("fair:{constraint}")
}

/// A CTL or PML formula as one of the mu-calculus; `None` if it has other operators.
#[must_use]
pub fn ctl_to_mu(formula: &Formula) -> Option<Formula> {
    is_ctl(formula).then(|| translate(formula, &[]))
}

/// A CTL formula whose quantifiers range over fair paths, as one of the mu-calculus.
///
/// With no constraint every path is fair and the formula is returned as it is; `None` if it is not CTL.
#[must_use]
pub fn fair_ctl(formula: &Formula, constraints: usize) -> Option<Formula> {
    if !is_ctl(formula) {
        return None;
    }
    if constraints == 0 {
        return Some(formula.clone());
    }
    let names: Vec<String> = (0..constraints).map(fair_action).collect();
    Some(translate(formula, &names))
}

/// A CTL formula whose quantifiers range over all paths that go on for ever or end where there is no step, as one of the
/// mu-calculus; `None` if it is not CTL.
#[must_use]
pub fn ending_ctl(formula: &Formula) -> Option<Formula> {
    is_ctl(formula).then(|| translate_paths(formula, &[], true))
}

fn translate(formula: &Formula, constraints: &[String]) -> Formula {
    translate_paths(formula, constraints, false)
}

fn translate_paths(formula: &Formula, constraints: &[String], ending: bool) -> Formula {
    let builder = formula.to_builder();
    let mut unfolder = Unfolder { builder, constraints, ending, fair: None, names: 0 };
    let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for id in formula.node_ids() {
        let node = formula.node(id);
        let of = |operand: NodeId| made[operand.index()];
        let new = match node {
            Node::All(path) => unfolder.quantified(formula.node(path).map_children(of), true),
            Node::Exists(path) => unfolder.quantified(formula.node(path).map_children(of), false),
            // Path operators are read together with their quantifier.
            _ if node.is_path_operator() => NodeId::new(0),
            Node::Box(None, operand) => unfolder.next(of(operand), true),
            Node::Diamond(None, operand) => unfolder.next(of(operand), false),
            other => unfolder.builder.add(other.map_children(of)),
        };
        made.push(new);
    }
    unfolder.builder.finish(made[formula.root().index()], Logic::Mu)
}

struct Unfolder<'c> {
    builder: FormulaBuilder,
    constraints: &'c [String],
    /// Whether paths may end where there is no step.
    ending: bool,
    /// "Some fair path starts here", once it was needed.
    fair: Option<NodeId>,
    names: usize,
}

impl Unfolder<'_> {
    fn variable(&mut self) -> (crate::formula::VarId, NodeId) {
        let name = loop {
            let name = format!("Z{}", self.names);
            self.names += 1;
            if !self.builder.knows_name(&name) {
                break name;
            }
        };
        let variable = self.builder.fresh_variable(&name);
        (variable, self.builder.add(Node::Var(variable)))
    }

    fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.builder.add(Node::And(a, b))
    }

    fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.builder.add(Node::Or(a, b))
    }

    fn not(&mut self, a: NodeId) -> NodeId {
        match self.builder.node(a) {
            Node::Not(inner) => inner,
            _ => self.builder.add(Node::Not(a)),
        }
    }

    fn constant(&mut self, value: bool) -> NodeId {
        self.builder.add(if value { Node::True } else { Node::False })
    }

    /// A quantifier over one path operator with translated operands.
    fn quantified(&mut self, path: Node, all: bool) -> NodeId {
        match path {
            Node::Next(a) => self.next(a, all),
            Node::Finally(b) => {
                let a = self.constant(true);
                self.until(a, b, all)
            }
            Node::Globally(b) => {
                let a = self.constant(false);
                self.release(a, b, all)
            }
            Node::Until(a, b) => self.until(a, b, all),
            Node::Release(a, b) => self.release(a, b, all),
            Node::WeakUntil(a, b) => {
                let either = self.or(a, b);
                self.release(b, either, all)
            }
            Node::StrongRelease(a, b) => {
                let both = self.and(a, b);
                self.until(b, both, all)
            }
            other => self.builder.add(other),
        }
    }

    fn next(&mut self, a: NodeId, all: bool) -> NodeId {
        if self.constraints.is_empty() {
            return self.builder.add(if all { Node::Box(None, a) } else { Node::Diamond(None, a) });
        }
        let a = if all { self.not(a) } else { a };
        let fair = self.fair();
        let target = self.and(a, fair);
        let some = self.builder.add(Node::Diamond(None, target));
        if all { self.not(some) } else { some }
    }

    fn until(&mut self, a: NodeId, b: NodeId, all: bool) -> NodeId {
        if self.constraints.is_empty() {
            return self.plain_until(a, b, all);
        }
        if all {
            let (a, b) = (self.not(a), self.not(b));
            let violated = self.release(a, b, false);
            return self.not(violated);
        }
        let fair = self.fair();
        let goal = self.and(b, fair);
        self.plain_until(a, goal, false)
    }

    fn release(&mut self, a: NodeId, b: NodeId, all: bool) -> NodeId {
        if self.constraints.is_empty() {
            return self.plain_release(a, b, all);
        }
        if all {
            let (a, b) = (self.not(a), self.not(b));
            let violated = self.until(a, b, false);
            return self.not(violated);
        }
        let forever = self.fair_globally(b);
        if self.builder.node(a) == Node::False {
            return forever;
        }
        let both = self.and(a, b);
        let released = self.until(b, both, false);
        self.or(released, forever)
    }

    /// `mu Z. b | (a & QX Z)`, without `a` if it is true. On all paths it must be reached before they end.
    fn plain_until(&mut self, a: NodeId, b: NodeId, all: bool) -> NodeId {
        let (variable, here) = self.variable();
        let mut step = self.builder.add(if all { Node::Box(None, here) } else { Node::Diamond(None, here) });
        if self.ending && all {
            let anything = self.constant(true);
            let goes_on = self.builder.add(Node::Diamond(None, anything));
            step = self.and(goes_on, step);
        }
        let onward = if self.builder.node(a) == Node::True { step } else { self.and(a, step) };
        let body = self.or(b, onward);
        self.builder.add(Node::Mu(variable, body))
    }

    /// `nu Z. b & (a | QX Z)`, without `a` if it is false. A path that ends keeps its promise.
    fn plain_release(&mut self, a: NodeId, b: NodeId, all: bool) -> NodeId {
        let (variable, here) = self.variable();
        let mut step = self.builder.add(if all { Node::Box(None, here) } else { Node::Diamond(None, here) });
        if self.ending && !all {
            let nothing = self.constant(false);
            let ends = self.builder.add(Node::Box(None, nothing));
            step = self.or(ends, step);
        }
        let onward = if self.builder.node(a) == Node::False { step } else { self.or(a, step) };
        let body = self.and(b, onward);
        self.builder.add(Node::Nu(variable, body))
    }

    fn fair(&mut self) -> NodeId {
        if let Some(fair) = self.fair {
            return fair;
        }
        let everywhere = self.constant(true);
        let fair = self.fair_globally(everywhere);
        self.fair = Some(fair);
        fair
    }

    /// `nu Z. f & AND_i mu Y. (f & <fair:i> Z) | (f & <> Y)`: a fair path on which `f` holds.
    fn fair_globally(&mut self, f: NodeId) -> NodeId {
        let (outer, outer_here) = self.variable();
        let mut body = f;
        for constraint in self.constraints {
            let (inner, inner_here) = self.variable();
            let action = self.builder.action(constraint);
            let counted = self.builder.add(Node::Diamond(Some(action), outer_here));
            let counted = self.and(f, counted);
            let onward = self.builder.add(Node::Diamond(None, inner_here));
            let onward = self.and(f, onward);
            let either = self.or(counted, onward);
            let reached = self.builder.add(Node::Mu(inner, either));
            body = self.and(body, reached);
        }
        self.builder.add(Node::Nu(outer, body))
    }
}

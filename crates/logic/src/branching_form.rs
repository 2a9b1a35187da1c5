//! Which formula of CTL says the same as one about paths?
//!
//! "On all paths" distributes over operators that are deterministic: of two alternatives one is about the present state, so that a path does not have to know its future to choose (Maidl 2000, the common fragment of CTL and LTL). So `A G (p -> F q)` is `AG (p -> AF q)`,
//! while `A F G p` has no such form. "On some path" is dual. Where every state has a successor the two are equal, over all paths and over fair ones.

use crate::classify::is_ctl;
use crate::formula::{Formula, FormulaBuilder, Logic, Node, NodeId};
use crate::normal::positive_normal_form;

/// A formula of LTL (on all paths) or of CTL* as one of CTL with the same value at every state of a structure in which every state has a successor; `None` if there is none of
/// this shape. A formula that is one of CTL already stays as it is.
#[must_use]
pub fn branching_form(formula: &Formula) -> Option<Formula> {
    match formula.logic() {
        Logic::Ctl => return Some(formula.clone()),
        Logic::Ltl => {}
        Logic::CtlStar => {
            let same = formula.to_builder().finish(formula.root(), Logic::Ctl);
            if is_ctl(&same) {
                return Some(same);
            }
        }
        Logic::Pml | Logic::Mu | Logic::Atl | Logic::AtlStar => return None,
    }
    let plain = positive_normal_form(formula, false);
    let mut writer = Writer { builder: plain.to_builder(), forms: Vec::new() };
    for id in plain.node_ids() {
        let form = writer.form(plain.node(id));
        writer.forms.push(form);
    }
    let root = writer.forms[plain.root().index()];
    let root = if formula.logic() == Logic::Ltl { root.on_all_paths } else { root.of_state };
    let found = writer.builder.finish(root?, Logic::Ctl);
    is_ctl(&found).then_some(found)
}

/// What a node becomes: a formula about states if it is one; what it says on all paths, and on some path.
#[derive(Clone, Copy, Default)]
struct Form {
    of_state: Option<NodeId>,
    on_all_paths: Option<NodeId>,
    on_some_path: Option<NodeId>,
}

/// What a form says on all paths, or on some.
type Quantified = fn(&Form) -> Option<NodeId>;

impl Form {
    const fn state(node: NodeId) -> Self {
        Self { of_state: Some(node), on_all_paths: Some(node), on_some_path: Some(node) }
    }
}

struct Writer {
    builder: FormulaBuilder,
    forms: Vec<Form>,
}

impl Writer {
    fn form(&mut self, node: Node) -> Form {
        let of = |writer: &Self, at: NodeId| writer.forms[at.index()];
        match node {
            Node::True | Node::False | Node::Element(_) | Node::Atom(_) => Form::state(self.builder.add(node)),
            Node::Not(a) => match of(self, a).of_state {
                Some(a) => Form::state(self.builder.add(Node::Not(a))),
                None => Form::default(),
            },
            Node::And(a, b) => self.connective(of(self, a), of(self, b), true),
            Node::Or(a, b) => self.connective(of(self, a), of(self, b), false),
            Node::Next(a) => {
                let a = of(self, a);
                self.both(a.on_all_paths.map(Node::Next), a.on_some_path.map(Node::Next))
            }
            Node::Finally(a) => {
                let a = of(self, a);
                self.both(a.of_state.map(Node::Finally), a.on_some_path.map(Node::Finally))
            }
            Node::Globally(a) => {
                let a = of(self, a);
                self.both(a.on_all_paths.map(Node::Globally), a.of_state.map(Node::Globally))
            }
            Node::Until(a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                let all = pair(a.on_all_paths, b.of_state).map(|(a, b)| Node::Until(a, b));
                self.both(all, pair(a.of_state, b.on_some_path).map(|(a, b)| Node::Until(a, b)))
            }
            Node::Release(a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                let all = pair(a.of_state, b.on_all_paths).map(|(a, b)| Node::Release(a, b));
                self.both(all, pair(a.on_some_path, b.of_state).map(|(a, b)| Node::Release(a, b)))
            }
            Node::All(path) => of(self, path).on_all_paths.map_or_else(Form::default, Form::state),
            Node::Exists(path) => of(self, path).on_some_path.map_or_else(Form::default, Form::state),
            _ => Form::default(),
        }
    }

    /// A conjunction holds on all paths if both parts do, and on some path if one part is about the state; a disjunction the other way round.
    fn connective(&mut self, a: Form, b: Form, both: bool) -> Form {
        let make = |writer: &mut Self, parts: Option<(NodeId, NodeId)>| {
            let (a, b) = parts?;
            Some(writer.builder.add(if both { Node::And(a, b) } else { Node::Or(a, b) }))
        };
        let of_state = make(self, pair(a.of_state, b.of_state));
        if let Some(node) = of_state {
            return Form::state(node);
        }
        let one = |of: Quantified| pair(a.of_state, of(&b)).or_else(|| pair(of(&a), b.of_state));
        let every = |of: Quantified| pair(of(&a), of(&b));
        let (all, some): (Quantified, Quantified) = (|form| form.on_all_paths, |form| form.on_some_path);
        let (on_all_paths, on_some_path) = if both { (every(all), one(some)) } else { (one(all), every(some)) };
        Form { of_state: None, on_all_paths: make(self, on_all_paths), on_some_path: make(self, on_some_path) }
    }

    fn both(&mut self, all: Option<Node>, some: Option<Node>) -> Form {
        let mut quantified = |node: Option<Node>, quantifier: fn(NodeId) -> Node| {
            let path = self.builder.add(node?);
            Some(self.builder.add(quantifier(path)))
        };
        let (on_all_paths, on_some_path) = (quantified(all, Node::All), quantified(some, Node::Exists));
        Form { of_state: None, on_all_paths, on_some_path }
    }
}

fn pair(a: Option<NodeId>, b: Option<NodeId>) -> Option<(NodeId, NodeId)> {
    Some((a?, b?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse};

    fn form(text: &str, logic: Logic) -> Option<String> {
        let formula = parse(text, &ParseOptions::in_logic(logic)).formula.expect("a formula");
        branching_form(&formula).map(|form| form.to_string())
    }

    #[test]
    fn deterministic_formulas_have_a_form() {
        assert_eq!(form("G (p -> F q)", Logic::Ltl).as_deref(), Some("AG (!p | AF q)"));
        assert_eq!(form("!(F p)", Logic::Ltl).as_deref(), Some("AG !p"));
        assert_eq!(form("A G F p", Logic::CtlStar).as_deref(), Some("AG AF p"));
        assert_eq!(form("E F G p", Logic::CtlStar).as_deref(), Some("EF EG p"));
        for other in ["F G p", "F p | F q", "F X p", "!(G F p)"] {
            assert_eq!(form(other, Logic::Ltl), None, "{other}");
        }
    }
}

//! Formulas about paths that keep a promise: every quantifier goes over such paths, and a linear formula is asked of them alone.
//!
//! With `G F p` as the promise this is CTL with fairness (Clarke, Emerson and Sistla 1986), as a formula of CTL*.

use crate::formula::{Formula, Logic, Node, NodeId};

/// `formula` on paths that keep `promise`, a linear formula over the same or further atoms; none if its logic does not speak of paths.
#[must_use]
pub fn under_promise(formula: &Formula, promise: &Formula) -> Option<Formula> {
    let logic = match formula.logic() {
        Logic::Ltl => Logic::Ltl,
        Logic::Ctl | Logic::CtlStar => Logic::CtlStar,
        _ => return None,
    };
    let mut builder = formula.to_builder();
    let mut kept: Vec<NodeId> = Vec::with_capacity(promise.nodes().len());
    for &node in promise.nodes() {
        let image = match node {
            Node::Atom(id) => builder.atom(promise.atoms()[id.index()].clone()),
            node => builder.add(node.map_children(|child| kept[child.index()])),
        };
        kept.push(image);
    }
    let kept = kept[promise.root().index()];
    let mut images: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let image = match node.map_children(|child| images[child.index()]) {
            Node::Exists(path) => {
                let both = builder.add(Node::And(kept, path));
                builder.add(Node::Exists(both))
            }
            Node::All(path) => {
                let implied = builder.add(Node::Implies(kept, path));
                builder.add(Node::All(implied))
            }
            other => builder.add(other),
        };
        images.push(image);
    }
    let root = images[formula.root().index()];
    let root = if logic == Logic::Ltl { builder.add(Node::Implies(kept, root)) } else { root };
    Some(builder.finish(root, logic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse};

    #[test]
    fn quantifiers_and_linear_formulas_keep_the_promise() {
        let read = |text: &str, logic| parse(text, &ParseOptions::in_logic(logic)).formula.expect("a formula");
        let promise = read("G F p", Logic::Ltl);
        let of = |text: &str, logic| under_promise(&read(text, logic), &promise).map(|found| found.text());
        assert_eq!(of("F q", Logic::Ltl), Some(read("(G F p) -> F q", Logic::Ltl).text()));
        assert_eq!(of("AG EF p", Logic::Ctl), Some(read("A ((G F p) -> G E ((G F p) & F p))", Logic::CtlStar).text()));
        assert_eq!(of("mu X. p | <> X", Logic::Mu), None);
    }
}

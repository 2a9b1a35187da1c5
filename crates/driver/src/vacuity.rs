//! Does a property hold for a reason that says little?
//!
//! Two cases are looked for. A structure with no fair path, or no infinite one, makes every universal
//! property true. And an implication whose antecedent is never true makes its consequent irrelevant:
//! the property then stays true when `a -> b` is replaced by `!a`.

use tertium_logic::{Formula, Node, NodeId};

/// At most this many implications are looked at.
const MOST: usize = 8;

/// An implication that can be strengthened.
#[derive(Clone, Debug)]
pub struct Strengthened {
    /// The text of its antecedent.
    pub antecedent: String,
    /// The whole formula with the implication replaced by the antecedent's negation.
    pub formula: Formula,
}

/// The formula once for each implication that occurs only positively, with it replaced by `!antecedent`.
#[must_use]
pub fn strengthened(formula: &Formula) -> Vec<Strengthened> {
    let positive = positive_only(formula);
    let implications = formula.node_ids().rev().filter_map(|id| match formula.node(id) {
        Node::Implies(a, _) if positive[id.index()] => Some((id, a)),
        _ => None,
    });
    implications
        .take(MOST)
        .map(|(id, antecedent)| Strengthened {
            antecedent: formula.text_of(antecedent, 80),
            formula: replaced(formula, id, antecedent),
        })
        .collect()
}

/// For each node whether it occurs under an even number of negations only.
fn positive_only(formula: &Formula) -> Vec<bool> {
    let count = formula.nodes().len();
    let (mut up, mut down) = (vec![false; count], vec![false; count]);
    up[formula.root().index()] = true;
    for id in formula.node_ids().rev() {
        let (yes, no) = (up[id.index()], down[id.index()]);
        let mut mark = |child: NodeId, flips: bool| {
            up[child.index()] |= if flips { no } else { yes };
            down[child.index()] |= if flips { yes } else { no };
        };
        match formula.node(id) {
            Node::Not(a) => mark(a, true),
            Node::Implies(a, b) => {
                mark(a, true);
                mark(b, false);
            }
            Node::Iff(a, b) | Node::Xor(a, b) => {
                for child in [a, b] {
                    mark(child, false);
                    mark(child, true);
                }
            }
            node => node.children().for_each(|child| mark(child, false)),
        }
    }
    (0..count).map(|at| up[at] && !down[at]).collect()
}

fn replaced(formula: &Formula, target: NodeId, antecedent: NodeId) -> Formula {
    let mut builder = formula.to_builder();
    let mut copies: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for id in formula.node_ids() {
        let copy = if id == target {
            builder.add(Node::Not(copies[antecedent.index()]))
        } else {
            builder.add(formula.node(id).map_children(|child| copies[child.index()]))
        };
        copies.push(copy);
    }
    builder.finish(copies[formula.root().index()], formula.logic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_logic::{ParseOptions, parse};

    fn texts(text: &str) -> Vec<String> {
        let formula = parse(text, &ParseOptions::default()).formula.unwrap();
        strengthened(&formula).iter().map(|found| found.formula.text()).collect()
    }

    #[test]
    fn positive_implications_are_strengthened_one_at_a_time() {
        assert_eq!(texts("AG (p -> AF q)"), ["AG !p"]);
        assert_eq!(texts("!(p -> q)"), Vec::<String>::new());
        assert_eq!(texts("AG p").len(), 0);
    }
}

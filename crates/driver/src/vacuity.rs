//! Does a property hold for a reason that says little?
//!
//! Two cases are looked for. A structure with no fair path, or no infinite one, makes every universal
//! property true. And an implication whose antecedent is never true makes its consequent irrelevant:
//! the property then stays true when `a -> b` is replaced by `!a`.

use tertium_base::Diagnostic;
use tertium_logic::{Formula, Node, NodeId};

/// So many steps of a structure are looked at for it, all implications together: each costs as much as the property itself.
const MOST_STEPS: usize = 5_000_000;

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
    implications(formula)
        .into_iter()
        .map(|(id, antecedent)| Strengthened {
            antecedent: formula.text_of(antecedent, 80),
            formula: replaced(formula, id, antecedent),
        })
        .collect()
}

/// How many implications of a formula are looked at on a structure with so many edges.
#[must_use]
pub const fn most_looked_at(edges: usize) -> usize {
    MOST_STEPS / if edges == 0 { 1 } else { edges }
}

/// Whether a formula has an implication that may hold for its antecedent alone.
#[must_use]
pub fn has_implications(formula: &Formula) -> bool {
    !implications(formula).is_empty()
}

/// The implications that occur only positively, each with its antecedent, outermost first.
#[must_use]
pub fn implications(formula: &Formula) -> Vec<(NodeId, NodeId)> {
    let positive = positive_only(formula);
    let implication = |id: NodeId| match formula.node(id) {
        Node::Implies(antecedent, _) if positive[id.index()] => Some((id, antecedent)),
        _ => None,
    };
    formula.node_ids().rev().filter_map(implication).collect()
}

/// The code of what is said where it was not looked for, or not to the end.
pub const NOT_KNOWN: &str = "W0308";

/// What is said there.
pub fn not_looked_for(why: &str) -> Diagnostic {
    Diagnostic::note_only(NOT_KNOWN, format!("whether the property holds vacuously is not known: {why}"))
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
        let many: Vec<String> = (0..12).map(|number| format!("(p{number} -> q)")).collect();
        assert_eq!(texts(&format!("AG ({})", many.join(" & "))).len(), 12, "none is left out");
    }
}

//! Is a linear formula a specification of generalised reactivity of rank one?
//!
//! GR(1) (Piterman, Pnueli, Sa'ar 2006): "if the assumptions hold again and again, the guarantees do", `(G F a1 & … & G F am) -> (G F g1 & … & G F gn)`, where all `ai` and `gj` are about single states; beside it,
//! as conjuncts of their own, safety properties. Games for it need three nested fixpoints and no determinisation. A response, `G (r -> F g)`, is one of them with one bit of memory: again and again no request waits.
//!
//! A safety part *inside* the implication is another property: it may be broken by whoever sees the assumptions fail later. Such formulas are not of this form.

use crate::automata::AcceptanceKind;
use crate::automata::Determiniser;
use crate::formula::{Formula, FormulaBuilder, Logic, Node, NodeId};
use tertium_base::Budget;

/// More responses are not watched for: each takes one bit of the game's memory.
const MOST_RESPONSES: usize = 24;

/// Something that happens again and again; all parts are propositional.
#[derive(Clone, Debug)]
pub enum Recurrence {
    /// `G F a`.
    Often(Formula),
    /// `G (request -> F grant)`: again and again no request waits for its grant.
    Response {
        /// What asks.
        request: Formula,
        /// What answers.
        grant: Formula,
    },
}

/// The parts of a GR(1) formula.
#[derive(Clone, Debug)]
pub struct GeneralisedReactivity {
    /// What must never be broken, if anything.
    pub safety: Option<Formula>,
    /// What the others do again and again.
    pub assumptions: Vec<Recurrence>,
    /// What shall then happen again and again; at least one.
    pub guarantees: Vec<Recurrence>,
}

/// The parts of a linear formula that has this form; `None` if it has not, or its safety part cannot be seen to be one within the budget.
#[must_use]
pub fn generalised_reactivity(formula: &Formula, budget: &Budget) -> Option<GeneralisedReactivity> {
    if formula.logic() != Logic::Ltl {
        return None;
    }
    let mut parts = GeneralisedReactivity { safety: None, assumptions: Vec::new(), guarantees: Vec::new() };
    let mut safety: Vec<NodeId> = Vec::new();
    let mut implications = 0;
    for part in conjuncts(formula, formula.root()) {
        if let Some(good) = recurrence(formula, part) {
            parts.guarantees.push(good);
        } else if let Some((assumed, promised)) = reaction(formula, part) {
            implications += 1;
            parts.assumptions = assumed;
            parts.guarantees.extend(promised);
        } else {
            safety.push(part);
        }
    }
    // Guarantees beside an implication do not wait for its assumptions, and two implications are of a higher rank.
    let plain = conjuncts(formula, formula.root()).iter().any(|&part| recurrence(formula, part).is_some());
    if parts.guarantees.is_empty() || implications > 1 || (implications == 1 && plain) {
        return None;
    }
    let responses = parts.assumptions.iter().chain(&parts.guarantees);
    if responses.filter(|one| matches!(one, Recurrence::Response { .. })).count() > MOST_RESPONSES {
        return None;
    }
    if !safety.is_empty() {
        parts.safety = Some(safe_conjunction(formula, &safety, budget)?);
    }
    Some(parts)
}

/// The conjunction of these parts, if it is a safety property.
fn safe_conjunction(formula: &Formula, parts: &[NodeId], budget: &Budget) -> Option<Formula> {
    let mut builder = formula.to_builder();
    let root = parts.iter().copied().reduce(|all, part| builder.add(Node::And(all, part)))?;
    let joined = builder.finish(root, Logic::Ltl);
    is_safety(&joined, budget).then_some(joined)
}

/// Whether a linear formula is seen to be a safety property: what breaks it shows after finitely many steps. False also where that is not seen within the budget.
#[must_use]
pub fn is_safety(formula: &Formula, budget: &Budget) -> bool {
    Determiniser::new(formula, false, budget).is_ok_and(|automaton| automaton.kind() == AcceptanceKind::Safety)
}

fn sub_formula(formula: &Formula, node: NodeId) -> Formula {
    let builder: FormulaBuilder = formula.to_builder();
    builder.finish(node, Logic::Ltl)
}

/// The members of a conjunction, however nested; a conjunction under `G` counts as one of several `G`.
fn conjuncts(formula: &Formula, root: NodeId) -> Vec<NodeId> {
    let (mut open, mut found) = (vec![root], Vec::new());
    while let Some(node) = open.pop() {
        match formula.node(node) {
            Node::And(left, right) => open.extend([right, left]),
            _ => found.push(node),
        }
    }
    found
}

/// The `a` of `G F a`, if it is about single states.
fn again_and_again(formula: &Formula, node: NodeId) -> Option<NodeId> {
    let Node::Globally(inner) = formula.node(node) else { return None };
    let Node::Finally(good) = formula.node(inner) else { return None };
    formula.is_propositional(good).then_some(good)
}

/// The request and the grant of `G (request -> F grant)`, if they are about single states.
fn response(formula: &Formula, node: NodeId) -> Option<Recurrence> {
    let Node::Globally(inner) = formula.node(node) else { return None };
    let Node::Implies(request, answered) = formula.node(inner) else { return None };
    let Node::Finally(grant) = formula.node(answered) else { return None };
    let plain = formula.is_propositional(request) && formula.is_propositional(grant);
    plain.then(|| Recurrence::Response { request: sub_formula(formula, request), grant: sub_formula(formula, grant) })
}

/// What a formula says to happen again and again.
fn recurrence(formula: &Formula, node: NodeId) -> Option<Recurrence> {
    let often = again_and_again(formula, node).map(|good| Recurrence::Often(sub_formula(formula, good)));
    often.or_else(|| response(formula, node))
}

/// The assumptions and the guarantees of an implication between conjunctions of recurrences.
fn reaction(formula: &Formula, node: NodeId) -> Option<(Vec<Recurrence>, Vec<Recurrence>)> {
    let Node::Implies(left, right) = formula.node(node) else { return None };
    let all = |root: NodeId| -> Option<Vec<Recurrence>> {
        conjuncts(formula, root).into_iter().map(|part| recurrence(formula, part)).collect()
    };
    Some((all(left)?, all(right)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse};

    fn parts(text: &str) -> Option<(bool, usize, usize)> {
        let formula = parse(text, &ParseOptions::in_logic(Logic::Ltl)).formula.unwrap_or_else(|| panic!("{text}"));
        let found = generalised_reactivity(&formula, &Budget::unlimited())?;
        Some((found.safety.is_some(), found.assumptions.len(), found.guarantees.len()))
    }

    #[test]
    fn formulas_of_the_form_are_taken_apart() {
        assert_eq!(parts("(G F a & G F b) -> (G F p & G F q)"), Some((false, 2, 2)));
        assert_eq!(parts("G !(p & q) & G (p -> X q) & (G F a -> G F p)"), Some((true, 1, 1)));
        assert_eq!(parts("G F p & G F q"), Some((false, 0, 2)));
        assert_eq!(parts("G !(g & h) & (G F a -> G (r -> F g) & G (s -> F h))"), Some((true, 1, 2)));
        assert_eq!(parts("G (r -> F g) & G F h"), Some((false, 0, 2)));
        assert_eq!(parts("G (a -> F !a) -> G (r -> F g)"), Some((false, 1, 1)));
    }

    #[test]
    fn others_are_not() {
        // A safety part inside the implication, a guarantee that does not wait, two implications, persistence, and something to be reached.
        let others = [
            "G F a -> (G p & G F q)",
            "G (r -> X F g) & G (r -> F G g)",
            "(G F a -> G F p) & G F q",
            "(G F a -> G F p) & (G F b -> G F q)",
            "F G p",
            "F p & G F q",
            "G p",
        ];
        for text in others {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}

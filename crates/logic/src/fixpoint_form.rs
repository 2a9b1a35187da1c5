//! Which formula of the mu-calculus says the same as one about paths?
//!
//! "On some path" is a game of one player against a Büchi automaton of the path formula (Vardi and Wolper 1986): a path together with a run of the automaton that meets every mark infinitely often. In fixpoints
//! (Dam 1994): a state of the automaton is a disjunction over its transitions, each a conjunction of tests and "some next state"; states in which all marks were met once more are greatest
//! fixpoints, the others least ones inside them. "On all paths" is the negation of "on some path" of the negation, so that the automaton need not be deterministic.
//!
//! Where every state has a successor the two are equal; fair paths are another matter. The size is exponential in that of the automaton at worst, so large ones have no form.

use tertium_base::Budget;

use crate::automata::{Tgba, Transition, Translation, ltl_to_tgba};
use crate::formula::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};

/// Larger formulas have no form.
const MOST_NODES: usize = 64;
/// A form with more fixpoints is given up.
const MOST_FIXPOINTS: usize = 48;
/// Looks at its budget that the translation into an automaton may take.
const MOST_EFFORT: u64 = 2_000;

/// A formula of LTL (on all paths) or of CTL* as one of the mu-calculus with the same value at every state of a structure in which every state has a successor; `None` if it would be large.
#[must_use]
pub fn fixpoint_form(formula: &Formula) -> Option<Formula> {
    if !matches!(formula.logic(), Logic::Ltl | Logic::CtlStar) || formula.nodes().len() > MOST_NODES {
        return None;
    }
    let mut writer =
        Writer { formula, builder: formula.to_builder(), made: Vec::new(), quantified: Vec::new(), names: 0 };
    for id in formula.node_ids() {
        let made = writer.state_formula(formula.node(id));
        writer.made.push(made);
        let quantified = matches!(formula.node(id), Node::All(_) | Node::Exists(_));
        if quantified {
            writer.quantified.push((id, made?));
        }
    }
    let root = match formula.logic() {
        Logic::Ltl => writer.on_all_paths(formula.root())?,
        _ => writer.made[formula.root().index()]?,
    };
    Some(writer.builder.finish(root, Logic::Mu))
}

struct Writer<'f> {
    formula: &'f Formula,
    builder: FormulaBuilder,
    /// By node, its form if it is about states.
    made: Vec<Option<NodeId>>,
    /// Nodes that are quantifiers, with their forms.
    quantified: Vec<(NodeId, NodeId)>,
    names: usize,
}

/// A state of the automaton, the mark that is waited for, and whether all marks were met once more on the way into it.
type Place = (usize, usize, bool);

impl Writer<'_> {
    /// The form of a node that is about states; its operands have theirs.
    fn state_formula(&mut self, node: Node) -> Option<NodeId> {
        match node {
            Node::All(path) => self.on_all_paths(path),
            Node::Exists(path) => self.on_some_path(path, false),
            Node::Diamond(..) | Node::Box(..) | Node::Mu(..) | Node::Nu(..) | Node::Var(_) => None,
            _ if node.is_path_operator() => None,
            _ => {
                let mut operands = node.children();
                let known = operands.all(|operand| self.made[operand.index()].is_some());
                let of = |operand: NodeId| self.made[operand.index()].unwrap_or(operand);
                known.then(|| self.builder.add(node.map_children(of)))
            }
        }
    }

    fn on_all_paths(&mut self, path: NodeId) -> Option<NodeId> {
        let other = self.on_some_path(path, true)?;
        Some(self.builder.add(Node::Not(other)))
    }

    /// "On some path", of a path formula or of its negation.
    fn on_some_path(&mut self, path: NodeId, negated: bool) -> Option<NodeId> {
        let (linear, standing) = self.linear(path);
        let budget = Budget::unlimited().with_effort(Some(MOST_EFFORT));
        let automaton = ltl_to_tgba(&linear, negated, Translation::default(), &budget).ok()?;
        if automaton.states.is_empty() {
            return Some(self.builder.add(Node::False));
        }
        let atoms = linear.atoms().len() - standing.len();
        let mut unfolding = Unfolding { writer: self, automaton: &automaton, atoms, standing: &standing, opened: 0 };
        unfolding.place((automaton.initial, 0, false), &[])
    }

    /// A path formula with atoms that stand for its quantified parts, and what those stand for.
    fn linear(&self, path: NodeId) -> (Formula, Vec<NodeId>) {
        let mut builder = self.formula.to_builder();
        let mut standing = Vec::new();
        let mut made: Vec<NodeId> = Vec::new();
        for id in self.formula.node_ids().take(path.index() + 1) {
            let new = match self.quantified.iter().find(|(quantifier, _)| *quantifier == id) {
                Some(&(_, form)) => {
                    let text = self.fresh_atom(standing.len());
                    standing.push(form);
                    builder.atom(Atom { text, quoted: true })
                }
                None => builder.add(self.formula.node(id).map_children(|operand| made[operand.index()])),
            };
            made.push(new);
        }
        (builder.finish(made[path.index()], Logic::Ltl), standing)
    }

    /// A text for an atom that the formula does not have: one that it has would be taken for what is quantified.
    fn fresh_atom(&self, number: usize) -> String {
        let mut text = format!("the formula with number {number}");
        while self.formula.atoms().iter().any(|atom| atom.text == text) {
            text.push('\'');
        }
        text
    }

    fn variable(&mut self) -> VarId {
        loop {
            let name = format!("Z{}", self.names);
            self.names += 1;
            if !self.builder.knows_name(&name) {
                return self.builder.fresh_variable(&name);
            }
        }
    }
}

/// An automaton that becomes fixpoints.
struct Unfolding<'w, 'f> {
    writer: &'w mut Writer<'f>,
    automaton: &'w Tgba,
    /// How many atoms are those of the formula; the others stand for something.
    atoms: usize,
    standing: &'w [NodeId],
    opened: usize,
}

impl Unfolding<'_, '_> {
    /// "Some path from here is accepted from this place on"; places around it have variables. As deep as there are fixpoints, at most.
    fn place(&mut self, at: Place, around: &[(Place, VarId)]) -> Option<NodeId> {
        if let Some(&(_, variable)) = around.iter().find(|(place, _)| *place == at) {
            return Some(self.writer.builder.add(Node::Var(variable)));
        }
        self.opened += 1;
        if self.opened > MOST_FIXPOINTS {
            return None;
        }
        let variable = self.writer.variable();
        // Inside of a place where all marks were met, those that still wait begin anew: so the outermost fixpoint that is met again and again says whether all marks are.
        let mut inside: Vec<(Place, VarId)> = around.iter().copied().filter(|(place, _)| !at.2 || place.2).collect();
        inside.push((at, variable));
        let mut body = self.writer.builder.add(Node::False);
        for transition in &self.automaton.states[at.0] {
            let step = self.transition(at, transition, &inside)?;
            body = self.writer.builder.add(Node::Or(body, step));
        }
        Some(self.writer.builder.add(if at.2 { Node::Nu(variable, body) } else { Node::Mu(variable, body) }))
    }

    fn transition(&mut self, at: Place, transition: &Transition, inside: &[(Place, VarId)]) -> Option<NodeId> {
        let marks = self.automaton.marks;
        let mut waited = at.1;
        while waited < marks && transition.marks.contains(waited) {
            waited += 1;
        }
        let next = if waited == marks { (transition.target, 0, true) } else { (transition.target, waited, false) };
        let there = self.place(next, inside)?;
        let mut all = self.writer.builder.add(Node::Diamond(None, there));
        for literal in transition.guard.literals() {
            let number = literal.atom().index();
            let test = match number.checked_sub(self.atoms) {
                Some(standing) => self.standing[standing],
                None => self.writer.builder.add(Node::Atom(literal.atom())),
            };
            let test = if literal.is_negative() { self.writer.builder.add(Node::Not(test)) } else { test };
            all = self.writer.builder.add(Node::And(test, all));
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse};

    fn form(text: &str, logic: Logic) -> Option<String> {
        let formula = parse(text, &ParseOptions::in_logic(logic)).formula.expect("a formula");
        fixpoint_form(&formula).map(|form| form.to_string())
    }

    #[test]
    fn formulas_about_paths_have_one_and_others_do_not() {
        for text in ["F G p", "G F p -> G F q", "F p | F q", "(p U q) R X p"] {
            let found = form(text, Logic::Ltl).expect("it is small");
            assert!(found.contains("mu") || found.contains("nu"), "{found}");
        }
        assert!(form("E G F (p && A X q) -> A F G p", Logic::CtlStar).is_some());
        assert_eq!(form("AG p", Logic::Ctl), None);
    }

    /// An atom of the user's is not taken for a quantified part, whatever its name is.
    #[test]
    fn atoms_with_the_names_of_parts_stay_what_they_are() {
        let text = r#"E F (A G p && "the formula with number 0")"#;
        let found = form(text, Logic::CtlStar).expect("it is small");
        assert!(found.contains("the formula with number 0"), "{found}");
        assert_eq!(
            found.matches('p').count(),
            form("E F (A G p && q)", Logic::CtlStar).expect("it is small").matches('p').count()
        );
    }

    #[test]
    fn large_ones_have_none() {
        let text = (0..12).map(|at| format!("G F p{at}")).collect::<Vec<_>>().join(" && ");
        assert_eq!(form(&format!("!({text})"), Logic::Ltl), None);
    }
}

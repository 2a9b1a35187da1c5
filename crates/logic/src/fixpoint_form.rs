//! Which formula of the mu-calculus says the same as one about paths?
//!
//! "On some path" is a game of one player against a Büchi automaton of the path formula (Vardi and Wolper 1986): a path together with a run of the automaton that meets every mark infinitely often. In fixpoints
//! (Dam 1994): a state of the automaton is a disjunction over its transitions, each a conjunction of tests and "some next state"; states in which all marks were met once more are greatest
//! fixpoints, the others least ones inside them. "On all paths" is the negation of "on some path" of the negation, so that the automaton need not be deterministic.
//!
//! Several marks are met without an order where that takes few fixpoints ([`emerson_lei`]), else one after the other.
//!
//! Where every state has a successor the two are equal. The size is exponential in that of the automaton at worst, so large ones have no form.
//!
//! [`fair_fixpoint_form`] speaks of fair paths (Emerson and Lei 1987): a weak constraint is one more mark, met by a step that counts. Of processes that are treated strongly fairly the player says from some point on which are never
//! able to step any more; the others step again and again.

mod emerson_lei;

use std::collections::HashMap;

use tertium_base::Budget;

use crate::automata::{Tgba, Transition, Translation, ltl_to_tgba};
use crate::formula::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};
use crate::translate::fair_action;

/// Larger formulas have no form.
const MOST_NODES: usize = 64;
/// A form with more fixpoints is given up.
const MOST_FIXPOINTS: usize = 48;
/// The same where not all paths are fair, which takes a fixpoint for each constraint.
const MOST_FAIR_FIXPOINTS: usize = 64;
/// Looks at its budget that the translation into an automaton may take.
const MOST_EFFORT: u64 = 2_000;
/// More processes that are treated strongly fairly have no form: each set of them is another way to be fair.
const MOST_STRONG: usize = 3;

/// Which paths are fair, in words that formulas about a structure have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FairPaths {
    /// For each weak constraint the action of the steps that count: infinitely many do.
    pub weak: Vec<String>,
    /// Who takes infinitely many steps, or is able to at finitely many states only.
    pub strong: Vec<StrongConstraint>,
}

/// How atoms begin that say where whoever is treated strongly fairly is able to step: no expression of a program does.
const ABILITY: &str = "able:";

/// The atom that says where the process of this name is able to step, whose weak fairness is the constraint of this number.
#[must_use]
pub fn ability(constraint: usize, process: &str) -> String {
    format!("{ABILITY}{constraint}:{process}")
}

/// Whether a proposition says where somebody is able to step.
#[must_use]
pub fn is_ability(text: &str) -> bool {
    text.starts_with(ABILITY)
}

impl FairPaths {
    /// Whether every path is fair.
    #[must_use]
    pub fn is_every_path(&self) -> bool {
        self.weak.is_empty() && self.strong.is_empty()
    }

    /// What a structure with so many constraints and these propositions says of fair paths.
    pub fn of<'p>(constraints: usize, props: impl IntoIterator<Item = &'p str>) -> Self {
        let (mut strong, mut known) = (Vec::new(), Vec::new());
        for able in props {
            let parts = able.strip_prefix(ABILITY).and_then(|rest| rest.split_once(':'));
            let Some((number, steps)) = parts else { continue };
            known.extend(number.parse::<usize>().ok());
            strong.push(StrongConstraint { able: able.to_owned(), steps: steps.to_owned() });
        }
        // Whoever is treated strongly fairly is treated weakly so, too, which says nothing new.
        let weak = (0..constraints).filter(|number| !known.contains(number)).map(fair_action).collect();
        Self { weak, strong }
    }
}

/// Somebody whom strong fairness is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrongConstraint {
    /// The atom that says where a step is possible.
    pub able: String,
    /// The action of the steps.
    pub steps: String,
}

/// A formula of LTL (on all paths) or of CTL* as one of the mu-calculus with the same value at every state of a structure in which every state has a successor; `None` if it would be large.
#[must_use]
pub fn fixpoint_form(formula: &Formula) -> Option<Formula> {
    let about_paths = matches!(formula.logic(), Logic::Ltl | Logic::CtlStar);
    about_paths.then(|| fair_fixpoint_form(formula, &FairPaths::default()))?
}

/// As [`fixpoint_form`], of fair paths; of a formula of CTL, too.
#[must_use]
pub fn fair_fixpoint_form(formula: &Formula, fair: &FairPaths) -> Option<Formula> {
    if formula.logic() == Logic::Ctl {
        return fair_fixpoint_form(&written_with_paths(formula), fair);
    }
    let large = formula.nodes().len() > MOST_NODES || fair.strong.len() > MOST_STRONG;
    if !matches!(formula.logic(), Logic::Ltl | Logic::CtlStar) || large {
        return None;
    }
    let mut writer =
        Writer { formula, fair, builder: formula.to_builder(), made: Vec::new(), quantified: Vec::new(), names: 0 };
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

/// A formula of CTL as one of CTL*: "some next state" becomes a path, too.
fn written_with_paths(formula: &Formula) -> Formula {
    let mut builder = formula.to_builder();
    let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let node = node.map_children(|child| made[child.index()]);
        made.push(match node {
            Node::Diamond(None, operand) => {
                let next = builder.add(Node::Next(operand));
                builder.add(Node::Exists(next))
            }
            Node::Box(None, operand) => {
                let next = builder.add(Node::Next(operand));
                builder.add(Node::All(next))
            }
            other => builder.add(other),
        });
    }
    builder.finish(made[formula.root().index()], Logic::CtlStar)
}

struct Writer<'f> {
    formula: &'f Formula,
    /// Which paths count.
    fair: &'f FairPaths,
    builder: FormulaBuilder,
    /// By node, its form if it is about states.
    made: Vec<Option<NodeId>>,
    /// Nodes that are quantifiers, with their forms.
    quantified: Vec<(NodeId, NodeId)>,
    names: usize,
}

/// Where a player is who shows that there is a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Place {
    /// The state of the automaton.
    state: usize,
    /// The mark that is waited for: those of the automaton first, then those that steps meet.
    waited: usize,
    /// Whether all marks were met once more on the way here.
    complete: bool,
    /// Which of those whom strong fairness is about are never able to step any more, as a set of bits; before that is said, no mark counts.
    disabled: Option<usize>,
}

impl Place {
    const fn begins(state: usize, disabled: Option<usize>) -> Self {
        Self { state, waited: 0, complete: false, disabled }
    }
}

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
        let fair = self.fair;
        let atoms = linear.atoms().len() - standing.len();
        let mut unfolding = Unfolding {
            writer: self,
            fair,
            automaton: &automaton,
            atoms,
            standing: &standing,
            opened: 0,
            written: HashMap::new(),
        };
        if fair.is_every_path() && automaton.marks > 1 {
            if let Some(form) = unfolding.recurrent(automaton.initial, &[]) {
                return Some(form);
            }
            unfolding.opened = 0;
        }
        let all_step = unfolding.place(Place::begins(automaton.initial, Some(0)), &[])?;
        if fair.strong.is_empty() {
            return Some(all_step);
        }
        let some_rest = unfolding.place(Place::begins(automaton.initial, None), &[])?;
        Some(self.builder.add(Node::Or(all_step, some_rest)))
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
    fair: &'f FairPaths,
    automaton: &'w Tgba,
    /// How many atoms are those of the formula; the others stand for something.
    atoms: usize,
    standing: &'w [NodeId],
    opened: usize,
    /// What was written already, by the place and those around it.
    written: HashMap<(Place, Around), NodeId>,
}

/// The places around one, with their variables.
type Around = Vec<(Place, VarId)>;

impl<'f> Unfolding<'_, 'f> {
    /// "Some path from here is accepted from this place on"; places around it have variables. As deep as there are fixpoints, at most.
    fn place(&mut self, at: Place, around: &[(Place, VarId)]) -> Option<NodeId> {
        if let Some(&(_, variable)) = around.iter().find(|(place, _)| *place == at) {
            return Some(self.writer.builder.add(Node::Var(variable)));
        }
        // Inside of a place where all marks were met, those that still wait begin anew: so the outermost fixpoint that is met again and again says whether all marks are.
        let mut inside: Around = around.iter().copied().filter(|(place, _)| !at.complete || place.complete).collect();
        let known = (at, inside.clone());
        if let Some(&written) = self.written.get(&known) {
            return Some(written);
        }
        self.opened += 1;
        let most = if self.fair.is_every_path() { MOST_FIXPOINTS } else { MOST_FAIR_FIXPOINTS };
        if self.opened > most {
            return None;
        }
        let variable = self.writer.variable();
        inside.push((at, variable));
        let mut body = self.writer.builder.add(Node::False);
        if at.disabled.is_none() {
            for disabled in 1..1 << self.fair.strong.len() {
                let said = self.place(Place::begins(at.state, Some(disabled)), &inside)?;
                body = self.or(body, said);
            }
        }
        for transition in &self.automaton.states[at.state] {
            let step = self.transition(at, transition, &inside)?;
            body = self.or(body, step);
        }
        for one in self.disabled(at) {
            let able = self.writer.builder.atom(Atom { text: one.able.clone(), quoted: true });
            let unable = self.writer.builder.add(Node::Not(able));
            body = self.and(unable, body);
        }
        let fixpoint = if at.complete { Node::Nu(variable, body) } else { Node::Mu(variable, body) };
        let written = self.writer.builder.add(fixpoint);
        self.written.insert(known, written);
        Some(written)
    }

    fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.writer.builder.add(Node::And(a, b))
    }

    fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.writer.builder.add(Node::Or(a, b))
    }

    fn disabled(&self, at: Place) -> impl Iterator<Item = &'f StrongConstraint> + use<'f> {
        let disabled = at.disabled.unwrap_or(0);
        let is = move |number: usize| disabled >> number & 1 == 1;
        self.fair.strong.iter().enumerate().filter(move |&(number, _)| is(number)).map(|(_, one)| one)
    }

    /// The actions whose steps meet a mark each: of the weak constraints, and of whoever is not said to be disabled.
    fn awaited_steps(&self, disabled: usize) -> Vec<&'f str> {
        let steps =
            |(number, one): (usize, &'f StrongConstraint)| (disabled >> number & 1 == 0).then_some(one.steps.as_str());
        let strong = self.fair.strong.iter().enumerate().filter_map(steps);
        self.fair.weak.iter().map(String::as_str).chain(strong).collect()
    }

    fn transition(&mut self, at: Place, transition: &Transition, inside: &[(Place, VarId)]) -> Option<NodeId> {
        let all = self.onward(at, transition, inside)?;
        Some(self.guarded(transition, all))
    }

    /// With what the transition asks of the state that is left.
    fn guarded(&mut self, transition: &Transition, mut all: NodeId) -> NodeId {
        for literal in transition.guard.literals() {
            let number = literal.atom().index();
            let test = match number.checked_sub(self.atoms) {
                Some(standing) => self.standing[standing],
                None => self.writer.builder.add(Node::Atom(literal.atom())),
            };
            let test = if literal.is_negative() { self.writer.builder.add(Node::Not(test)) } else { test };
            all = self.and(test, all);
        }
        all
    }

    /// "Some next state", from where the path goes on; where a step meets the mark that is waited for, that is another way.
    fn onward(&mut self, at: Place, transition: &Transition, inside: &[(Place, VarId)]) -> Option<NodeId> {
        let Some(disabled) = at.disabled else {
            return self.next(None, Place::begins(transition.target, None), inside);
        };
        let marks = self.automaton.marks;
        let steps = self.awaited_steps(disabled);
        let mut waited = at.waited;
        while waited < marks && transition.marks.contains(waited) {
            waited += 1;
        }
        let to = |waited: usize| match waited == marks + steps.len() {
            true => Place { state: transition.target, waited: 0, complete: true, disabled: at.disabled },
            false => Place { state: transition.target, waited, complete: false, disabled: at.disabled },
        };
        let plain = self.next(None, to(waited), inside)?;
        match waited.checked_sub(marks).and_then(|number| steps.get(number)) {
            Some(action) => {
                let counted = self.next(Some(action), to(waited + 1), inside)?;
                Some(self.or(counted, plain))
            }
            None => Some(plain),
        }
    }

    fn next(&mut self, action: Option<&str>, to: Place, inside: &[(Place, VarId)]) -> Option<NodeId> {
        let there = self.place(to, inside)?;
        let action = action.map(|name| self.writer.builder.action(name));
        Some(self.writer.builder.add(Node::Diamond(action, there)))
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

    /// Marks are met without an order: one greatest fixpoint, and a least one for each.
    #[test]
    fn several_marks_are_met_without_an_order() {
        let found = form("E (G F p && G F q)", Logic::CtlStar).expect("it is small");
        assert_eq!((found.matches("nu ").count(), found.matches("mu ").count()), (1, 2), "{found}");
        assert_eq!(found.matches("EX ").count(), 4, "{found}");
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

    /// Each constraint is one more fixpoint, and what is the same is written once.
    #[test]
    fn fair_ones_are_small() {
        let strong = StrongConstraint { able: ability(0, "P"), steps: "P".to_owned() };
        let fair = FairPaths { weak: vec![fair_action(1), fair_action(2)], strong: vec![strong] };
        for (text, most) in [("F G p", 60), ("!(F G p && G F q)", 90)] {
            let formula = parse(text, &ParseOptions::in_logic(Logic::Ltl)).formula.expect("a formula");
            let form = fair_fixpoint_form(&formula, &fair).expect("it is small");
            let fixpoints = form.nodes().iter().filter(|node| matches!(node, Node::Mu(..) | Node::Nu(..))).count();
            assert!(fixpoints < most, "{text}: {fixpoints}");
        }
    }

    #[test]
    fn large_ones_have_none() {
        let text = (0..12).map(|at| format!("G F p{at}")).collect::<Vec<_>>().join(" && ");
        assert_eq!(form(&format!("!({text})"), Logic::Ltl), None);
    }
}

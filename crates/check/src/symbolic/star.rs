//! CTL* by sets: quantified sub-formulas from the inside out.
//!
//! The paths below a quantifier see inner quantified formulas as atoms with the values computed for them. `A psi` is the
//! negation of `E !psi`. Whatever paths are asked to do (fairness, weak or strong) every quantifier asks of its own.

use std::collections::HashMap;

use tertium_dd::{Bit, Set};
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId};

use super::evaluate::{Atoms, evaluate};
use super::linear::{Fairness, paths};
use super::promises::{Conjuncts, FairOperator, embed, signed};
use super::structure::Structure;
use super::values::Pair;
use crate::EngineError;

/// The values of a formula of CTL* (or CTL) over infinite fair paths. A formula that is no state formula is read as
/// quantified over all paths. `ended`, if paths can end, is the bit of those that have.
///
/// # Errors
/// If a limit is reached, or the structure does not know the steps of its constraints.
pub fn star_value(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    fairness: &Fairness,
    ended: Option<Bit>,
) -> Result<Pair, EngineError> {
    let mut work = StarEvaluation::new(structure, formula, atoms, fairness, ended);
    for &node in formula.nodes() {
        work.push(node)?;
    }
    let root = work.linear[formula.root().index()];
    work.root(root)
}

/// What a quantifier over the node `path` asks of single paths: a linear formula in which atoms stand for quantified parts,
/// and what its names mean.
///
/// # Errors
/// As for [`star_value`].
pub fn star_paths(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    fairness: &Fairness,
    path: NodeId,
) -> Result<(Formula, Atoms), EngineError> {
    let mut work = StarEvaluation::new(structure, formula, atoms, fairness, None);
    for &node in &formula.nodes()[..=path.index()] {
        work.push(node)?;
    }
    Ok((work.part(work.linear[path.index()]), work.atoms))
}

/// Where the paths that are asked for come to, if they are asked for nothing else but to keep a promise: the promise, and states of the goal from which
/// it can be kept. `question` and `atoms` are what [`star_paths`] tells; the paths satisfy it, or break it unless `positive`.
///
/// # Errors
/// If a limit is reached.
pub fn fair_goal(
    structure: &Structure,
    question: &Formula,
    atoms: &Atoms,
    fairness: &Fairness,
    positive: bool,
) -> Result<Option<(Formula, Set)>, EngineError> {
    let parts = Conjuncts::of(question, positive).reached_under_promise();
    let Some((promise, goal)) = parts.filter(|_| structure.is_complete()) else { return Ok(None) };
    let plain = Atoms { filters: Vec::new(), ..atoms.clone() };
    let goal = evaluate(structure, &goal, &plain, false)?;
    if !goal.is_decided() {
        return Ok(None);
    }
    let goal = goal.open.and(&structure.states)?;
    if goal.is_empty() {
        return Ok(Some((promise, goal)));
    }
    let kept = paths(structure, &promise, atoms, true, fairness)?;
    Ok(Some((promise, goal.and(&kept.open)?)))
}

struct StarEvaluation<'w> {
    structure: &'w Structure,
    fairness: &'w Fairness,
    ended: Option<Bit>,
    builder: FormulaBuilder,
    /// The labels of the formula's atoms, then of those that stand for quantified nodes.
    atoms: Atoms,
    /// For each node of the formula its linear form.
    linear: Vec<NodeId>,
    /// For what is promised of paths the atom of the states at which it can be kept.
    fair: HashMap<NodeId, NodeId>,
}

impl<'w> StarEvaluation<'w> {
    fn new(
        structure: &'w Structure,
        formula: &Formula,
        atoms: &Atoms,
        fairness: &'w Fairness,
        ended: Option<Bit>,
    ) -> Self {
        let linear = Vec::with_capacity(formula.nodes().len());
        Self {
            structure,
            fairness,
            ended,
            builder: formula.to_builder(),
            atoms: atoms.clone(),
            linear,
            fair: HashMap::new(),
        }
    }

    fn push(&mut self, node: Node) -> Result<(), EngineError> {
        let linear = &self.linear;
        let image = match node {
            Node::Exists(path) => {
                let part = self.part(linear[path.index()]);
                let value = self.on_some_path(&part, true)?;
                self.stand_in(value)?
            }
            Node::All(path) => {
                let part = self.part(linear[path.index()]);
                let value = self.on_all_paths(&part)?;
                self.stand_in(value)?
            }
            node => self.builder.add(node.map_children(|child| linear[child.index()])),
        };
        self.linear.push(image);
        Ok(())
    }

    /// `A`: what no path breaks. Where certain paths need not be possible the two sides are independent.
    fn on_all_paths(&mut self, part: &Formula) -> Result<Pair, EngineError> {
        Ok(self.on_some_path(part, false)?.not())
    }

    /// Where a fair path starts that satisfies a part, or breaks it unless `positive`. What is promised of paths beside one operator of CTL can be
    /// kept from the same states for all quantifiers; these are found once.
    fn on_some_path(&mut self, part: &Formula, positive: bool) -> Result<Pair, EngineError> {
        let conjuncts = Conjuncts::of(part, positive);
        let operator = conjuncts.operator().filter(|_| self.ended.is_none() && self.structure.is_complete());
        let Some(operator) = operator else {
            return paths(self.structure, part, &self.atoms, positive, self.fairness);
        };
        if let FairOperator::Until(_, goal) = operator
            && self.is_nowhere(part, goal)?
        {
            return Ok(Pair::decided(self.structure.diagrams.empty()));
        }
        let images = embed(&mut self.builder, part);
        let image = |(id, positive): (NodeId, bool)| (images[id.index()], positive);
        let promise = conjuncts.promise(&mut self.builder, &images);
        let fair = match self.fair.get(&promise) {
            Some(&known) => known,
            None => {
                let kept = paths(self.structure, &self.part(promise), &self.atoms, true, self.fairness)?;
                let atom = self.stand_in(kept)?;
                self.fair.insert(promise, atom);
                atom
            }
        };
        let builder = &mut self.builder;
        let always = conjuncts.condition(builder, &images);
        let root = match operator {
            FairOperator::Next(target) => {
                let target = signed(builder, image(target));
                let target = builder.add(Node::And(target, fair));
                let next = builder.add(Node::Next(target));
                let some = builder.add(Node::Exists(next));
                builder.add(Node::And(always, some))
            }
            FairOperator::Until(side, goal) => {
                let side = side.map_or(always, |side| {
                    let side = signed(builder, image(side));
                    builder.add(Node::And(always, side))
                });
                let goal = signed(builder, image(goal));
                let goal = builder.add(Node::And(goal, fair));
                let until = builder.add(Node::Until(side, goal));
                builder.add(Node::Exists(until))
            }
        };
        let plain = Atoms { filters: Vec::new(), ..self.atoms.clone() };
        evaluate(self.structure, &self.builder.finish(root, Logic::Ctl), &plain, false)
    }

    /// Whether no state can have what a path should come to: then it does not matter which paths are fair.
    fn is_nowhere(&self, part: &Formula, goal: (NodeId, bool)) -> Result<bool, EngineError> {
        let mut builder = part.to_builder();
        let goal = signed(&mut builder, goal);
        let plain = Atoms { filters: Vec::new(), ..self.atoms.clone() };
        let value = evaluate(self.structure, &builder.finish(goal, Logic::Pml), &plain, false)?;
        Ok(value.open.or(&value.yes)?.and(&self.structure.states)?.is_empty())
    }

    fn part(&self, root: NodeId) -> Formula {
        self.builder.finish(root, Logic::Ltl)
    }

    /// An atom with these values. A path that has ended sees what holds where it ended, for the paths that start there.
    fn stand_in(&mut self, value: Pair) -> Result<NodeId, EngineError> {
        let seen = |set: &Set| -> Result<Set, tertium_base::Stopped> {
            let Some(ended) = self.ended else { return Ok(set.clone()) };
            let diagrams = &self.structure.diagrams;
            set.minus(&diagrams.bit(ended)?)?.exists(&diagrams.quantified([ended])?)
        };
        let value = Pair { yes: seen(&value.yes)?, open: seen(&value.open)? };
        // A line break cannot occur in an atom that a user wrote.
        let text = format!("\nquantified {}", self.atoms.labels.len());
        self.atoms.labels.push(Some(value));
        Ok(self.builder.atom(Atom { text, quoted: true }))
    }

    fn root(&mut self, root: NodeId) -> Result<Pair, EngineError> {
        let part = self.part(root);
        if part.nodes().iter().any(|node| node.is_path_operator()) {
            return self.on_all_paths(&part);
        }
        let plain = Atoms { filters: Vec::new(), ..self.atoms.clone() };
        evaluate(self.structure, &self.builder.finish(root, Logic::Pml), &plain, false)
    }
}

#[cfg(test)]
mod tests {
    use tertium_base::Budget;
    use tertium_evidence::Reading;
    use tertium_lattice::Belnap;
    use tertium_logic::{ParseOptions, parse};
    use tertium_model::{ActionId, Kmts, KmtsBuilder, StateId};
    use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

    use super::super::linear::{Automata, StrongFairness};
    use super::super::listed::Listed;
    use super::super::path::lasso;
    use super::*;
    use crate::automata::AutomataEngine;
    use crate::{Ask, Engine, Filter, Task};

    const ACTIONS: [&str; 2] = ["x", "y"];

    fn action(model: &Kmts, name: &str) -> Option<ActionId> {
        model.actions().iter().position(|known| known == name).map(ActionId::new)
    }

    /// The structure with the last action and what is enabled as labels: state `s` after action `a` has number
    /// `3 s + a + 1`, and at the beginning `3 s`.
    fn marked(model: &Kmts) -> Kmts {
        let mut builder = KmtsBuilder::new();
        let (p, q) = (builder.add_prop("p"), builder.add_prop("q"));
        let last = ACTIONS.map(|name| builder.add_prop(&format!("last_{name}")));
        let can = ACTIONS.map(|name| builder.add_prop(&format!("can_{name}")));
        let actions = ACTIONS.map(|name| action(model, name));
        let place = |state: StateId, after: usize| StateId::new(3 * state.index() + after);
        for state in model.states() {
            for after in 0..3 {
                builder.add_state(&format!("{}_{after}", state.index()));
                for (prop, name) in [(p, "p"), (q, "q")] {
                    let known = model.prop_by_name(name).expect("it is there");
                    builder.set_label(place(state, after), prop, model.label(state, known));
                }
                for at in 0..2 {
                    let has = model.edges_from(state).any(|edge| edge.may && edge.action == actions[at]);
                    builder.set_label(place(state, after), can[at], Belnap::from_evidence(has, !has));
                    builder.set_label(
                        place(state, after),
                        last[at],
                        Belnap::from_evidence(after == at + 1, after != at + 1),
                    );
                }
                for edge in model.edges_from(state).filter(|edge| edge.may) {
                    let action = actions.iter().position(|&known| known == edge.action).expect("all carry one");
                    builder.add_edge(place(state, after), place(edge.target, action + 1), true, true, None);
                }
            }
        }
        builder.finish().expect("it is small")
    }

    /// Every quantifier with the promise written out.
    fn promised(formula: &Formula) -> Formula {
        let mut builder = formula.to_builder();
        let promise = promise(&mut builder);
        let mut images: Vec<NodeId> = Vec::new();
        for node in formula.nodes() {
            let image = match node.map_children(|child| images[child.index()]) {
                Node::Exists(path) => {
                    let both = builder.add(Node::And(promise, path));
                    builder.add(Node::Exists(both))
                }
                Node::All(path) => {
                    let kept = builder.add(Node::Implies(promise, path));
                    builder.add(Node::All(kept))
                }
                other => builder.add(other),
            };
            images.push(image);
        }
        builder.finish(images[formula.root().index()], Logic::CtlStar)
    }

    fn promise(builder: &mut FormulaBuilder) -> NodeId {
        let mut again = |text: String| {
            let atom = builder.atom(Atom { text, quoted: false });
            let eventually = builder.add(Node::Finally(atom));
            builder.add(Node::Globally(eventually))
        };
        let pairs = ACTIONS.map(|name| (again(format!("can_{name}")), again(format!("last_{name}"))));
        let [first, second] = pairs.map(|(can, last)| builder.add(Node::Implies(can, last)));
        builder.add(Node::And(first, second))
    }

    fn strong(structure: &Structure) -> Fairness {
        let enabled = |at: usize| {
            let steps = structure.steps(Filter::Action(ActionId::new(at))).expect("it was asked for");
            steps.possible.sources(&structure.diagrams).expect("room")
        };
        let strong = |at| StrongFairness { enabled: enabled(at), steps: Filter::Action(ActionId::new(at)) };
        Fairness { constraints: 0, strong: vec![strong(0), strong(1)] }
    }

    #[test]
    fn strong_fairness_is_what_automata_say_of_marked_steps() {
        let fair_lassos = std::cell::Cell::new(0usize);
        for_random_cases(150, |case| {
            let shape =
                StructureShape { states: 1..=4, complete: true, actions: 2, density: 25, ..StructureShape::default() };
            let model = case.structure(&shape);
            if ACTIONS.iter().any(|name| action(&model, name).is_none()) {
                return;
            }
            let logic = if case.number % 2 == 0 { Logic::Ctl } else { Logic::CtlStar };
            let formula = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(logic) });
            let budget = Budget::unlimited();
            let steps = parse("<x> true | <y> true", &ParseOptions::in_logic(Logic::Pml)).formula.expect("it is one");
            let with_actions =
                Task::new(&model, &steps, Reading::default(), Ask::All, &budget).expect("names are known");
            let listed = Listed::new(&with_actions).expect("room");
            let task = Task::new(&model, &formula, Reading::default(), Ask::All, &budget).expect("names are known");
            let atoms = Atoms { filters: Vec::new(), ..listed.atoms(&task) };
            let fairness = strong(&listed.structure);
            let found = star_value(&listed.structure, &formula, &atoms, &fairness, None).expect("supported");
            let found = listed.values(&found);
            let (marked, promised) = (marked(&model), promised(&formula));
            let task = Task::new(&marked, &promised, Reading::default(), Ask::All, &budget).expect("names are known");
            let expected = AutomataEngine.values(&task).expect("supported");
            for state in model.states() {
                let marked = StateId::new(3 * state.index());
                assert_eq!(found.at(state), expected.at(marked), "at {}", model.state_name(state));
            }
            let anything = parse("true", &ParseOptions::in_logic(Logic::Ltl)).formula.expect("it is one");
            let automata =
                Automata::new(&listed.structure, &anything, &Atoms::default(), true, &fairness).expect("steps");
            fair_lassos.set(fair_lassos.get() + usize::from(shows_fairness(&automata, &model)));
        });
        assert!(fair_lassos.get() > 20, "only {} lassos", fair_lassos.get());
    }

    /// A lasso that is found takes the steps that can be taken on it.
    fn shows_fairness(automata: &Automata<'_>, model: &Kmts) -> bool {
        let Some(found) = lasso(automata, &automata.structure.states).expect("room") else { return false };
        let number = |row: &Vec<bool>| StateId::new(row.iter().fold(0, |sum, &bit| sum << 1 | usize::from(bit)));
        let cycle: Vec<StateId> = found.cycle.iter().map(number).collect();
        for name in ACTIONS {
            let wanted = action(model, name);
            let offered = cycle.iter().any(|&at| model.edges_from(at).any(|edge| edge.may && edge.action == wanted));
            let taken = cycle.iter().enumerate().any(|(at, &from)| {
                let to = cycle[(at + 1) % cycle.len()];
                model.edges_from(from).any(|edge| edge.may && edge.target == to && edge.action == wanted)
            });
            assert!(taken || !offered, "{name} is offered and never taken on {cycle:?}");
        }
        true
    }
}

//! What is asked of all completions of a structure with fairness constraints, as a question without any?
//!
//! Each step of a completion stands for a step of the structure, and counts for a constraint as that one does. So a state of the *marked structure* is a state together with what
//! the step into it counts for: for each constraint true, false, or open. The states where runs begin count for nothing. There a linear formula `f` is asked as
//! `(true & G F fair_0 & …) -> f`, and one of CTL in the mu-calculus (`logic::fair_ctl`), where a step that counts is one into a state that says so.
//! Completions of the marked structure are the completions of the structure with their fairness, so every proof about completions is one here.
//!
//! A path that ends is never fair: with constraints, ends that count are read as ends that do not.

use std::collections::HashMap;

use tertium_evidence::{Deadlock, Reading};
use tertium_lattice::Belnap;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId, ParseOptions, parse};
use tertium_model::{ActionId, EdgeId, Kmts, KmtsBuilder, PropId, StateId};

/// The structure without constraints, and what is asked of it.
pub(crate) struct MarkedStructure {
    pub(crate) model: Kmts,
    pub(crate) formula: Formula,
    /// By state of the structure, where its runs begin.
    pub(crate) begins: Vec<StateId>,
}

impl MarkedStructure {
    /// The marked structure for a formula.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn of(model: &Kmts, formula: &Formula) -> Result<Self, String> {
        if model.fairness().is_empty() {
            return Err("the structure has no fairness constraints".to_owned());
        }
        if model.is_mixed() {
            return Err("something certain is not possible, and fairness is about possible steps".to_owned());
        }
        let names = mark_names(model);
        let formula = over_marks(formula, &names)?;
        let mut drawing = Drawing::new(model, &names);
        let begins = model.states().map(|state| drawing.number(state, vec![Belnap::False; names.len()])).collect();
        drawing.all_steps()?;
        let model = drawing.finish()?;
        Ok(Self { model, formula, begins })
    }

    /// How it is read.
    pub(crate) fn reading(asked: Reading) -> Reading {
        let deadlock = if asked.deadlock == Deadlock::Maximal { Deadlock::Mu } else { asked.deadlock };
        Reading { deadlock, ..asked }
    }
}

/// For each constraint the name of its mark, which no proposition has.
fn mark_names(model: &Kmts) -> Vec<String> {
    let unused = |at: usize| {
        let mut name = format!("fair_{at}");
        while model.prop_by_name(&name).is_some() {
            name += "_";
        }
        name
    };
    (0..model.fairness().len()).map(unused).collect()
}

struct Drawing<'m> {
    model: &'m Kmts,
    builder: KmtsBuilder,
    numbers: HashMap<(StateId, Vec<Belnap>), StateId>,
    /// In the order of their numbers.
    states: Vec<StateId>,
    props: Vec<PropId>,
}

impl<'m> Drawing<'m> {
    fn new(model: &'m Kmts, names: &[String]) -> Self {
        let mut builder = KmtsBuilder::new();
        let props = model.props().iter().chain(names).map(|name| builder.add_prop(name)).collect();
        for action in model.actions() {
            builder.add_action(action);
        }
        Self { model, builder, numbers: HashMap::new(), states: Vec::new(), props }
    }

    /// The state that a step with these marks leads to.
    fn number(&mut self, state: StateId, marks: Vec<Belnap>) -> StateId {
        if let Some(&number) = self.numbers.get(&(state, marks.clone())) {
            return number;
        }
        let mut name = self.model.state_name(state).to_owned();
        if marks.iter().any(|&mark| mark != Belnap::False) {
            name.push('#');
            name.extend(marks.iter().map(|mark| mark_letter(*mark)));
        }
        let number = self.builder.add_state(&name);
        let labels = (0..self.model.props().len()).map(|at| self.model.label(state, PropId::new(at)));
        for (prop, value) in self.props.iter().zip(labels.chain(marks.iter().copied())) {
            self.builder.set_label(number, *prop, value);
        }
        self.states.push(state);
        self.numbers.insert((state, marks), number);
        number
    }

    /// What a step counts for.
    fn marks(&self, edge: EdgeId) -> Vec<Belnap> {
        let mark = |constraint: &tertium_model::Fairness| {
            let surely = constraint.certain.contains(edge.index());
            Belnap::from_evidence(surely, !constraint.possible.contains(edge.index()))
        };
        self.model.fairness().iter().map(mark).collect()
    }

    fn all_steps(&mut self) -> Result<(), String> {
        let mut at = 0;
        while at < self.states.len() {
            let (from, state) = (StateId::new(at), self.states[at]);
            for edge in self.model.edges_from(state) {
                let target = self.number(edge.target, self.marks(edge.id));
                self.builder.add_edge(from, target, edge.may, edge.must, edge.action);
            }
            for hyper in self.model.hyper_from(state) {
                let members = self.members(state, hyper.members, hyper.action)?;
                self.builder.add_hyper(from, &members, hyper.action);
            }
            at += 1;
        }
        Ok(())
    }

    /// Whatever a step into a member of a certain set can lead to.
    fn members(
        &mut self,
        state: StateId,
        members: &[StateId],
        action: Option<ActionId>,
    ) -> Result<Vec<StateId>, String> {
        let mut reached = Vec::new();
        for edge in self.model.edges_from(state) {
            let taken = edge.may && members.contains(&edge.target) && (action.is_none() || edge.action == action);
            if taken {
                reached.push(self.number(edge.target, self.marks(edge.id)));
            }
        }
        reached.sort_unstable();
        reached.dedup();
        if reached.is_empty() { Err("a certain set has no possible step into it".to_owned()) } else { Ok(reached) }
    }

    fn finish(mut self) -> Result<Kmts, String> {
        // The copies where runs begin come first, in the order of the states.
        for &start in self.model.init() {
            self.builder.add_init(start);
        }
        self.builder.set_total(self.model.total());
        self.builder.finish().map_err(|error| error.to_string())
    }
}

const fn mark_letter(mark: Belnap) -> char {
    match mark {
        Belnap::True => 't',
        Belnap::False => 'f',
        Belnap::Unknown => 'u',
        Belnap::Both => 'b',
    }
}

/// The formula over marks.
fn over_marks(formula: &Formula, names: &[String]) -> Result<Formula, String> {
    let (marked, logic) = match formula.logic() {
        Logic::Ltl => (if_fair(formula, names), Logic::Ltl),
        Logic::Ctl => {
            let fair = tertium_logic::fair_ctl(formula, names.len()).ok_or("the formula is not one of CTL")?;
            (marked_modalities(&fair, names), Logic::Mu)
        }
        logic @ (Logic::Pml | Logic::Mu) => (marked_modalities(formula, names), logic),
        logic @ (Logic::CtlStar | Logic::Atl | Logic::AtlStar) => {
            return Err(format!("of {}, nothing is known about completions with fairness", logic.name()));
        }
    };
    // Nodes are counted as its text is read.
    let text = marked.text();
    parse(&text, &ParseOptions::in_logic(logic)).formula.ok_or_else(|| format!("`{text}` is no formula"))
}

fn mark(builder: &mut FormulaBuilder, name: &str) -> NodeId {
    builder.atom(Atom { text: name.to_owned(), quoted: false })
}

fn if_fair(formula: &Formula, names: &[String]) -> Formula {
    let mut builder = formula.to_builder();
    let mut all = builder.add(Node::True);
    for name in names {
        let counts = mark(&mut builder, name);
        let some = builder.add(Node::Finally(counts));
        let again = builder.add(Node::Globally(some));
        all = builder.add(Node::And(all, again));
    }
    let root = builder.add(Node::Implies(all, formula.root()));
    builder.finish(root, Logic::Ltl)
}

/// Steps that count are steps into states that say so.
fn marked_modalities(formula: &Formula, names: &[String]) -> Formula {
    let mut builder = formula.to_builder();
    let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    let constraint = |action: tertium_logic::ActionId| -> Option<&String> {
        let number = formula.actions()[action.index()].strip_prefix("fair:")?;
        names.get(number.parse::<usize>().ok()?)
    };
    for &node in formula.nodes() {
        let node = node.map_children(|child| made[child.index()]);
        let counted = match node {
            Node::Diamond(Some(action), _) | Node::Box(Some(action), _) => constraint(action),
            _ => None,
        };
        let new = match (counted, node) {
            (Some(name), Node::Diamond(_, target)) => {
                let counts = mark(&mut builder, name);
                let there = builder.add(Node::And(counts, target));
                builder.add(Node::Diamond(None, there))
            }
            (Some(name), Node::Box(_, target)) => {
                let counts = mark(&mut builder, name);
                let not = builder.add(Node::Not(counts));
                let there = builder.add(Node::Or(not, target));
                builder.add(Node::Box(None, there))
            }
            (_, other) => builder.add(other),
        };
        made.push(new);
    }
    builder.finish(made[formula.root().index()], formula.logic())
}

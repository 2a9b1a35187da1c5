//! What does a completion know of fairness?
//!
//! A step of a completion stands for a step of the structure, and counts for a fairness constraint as that one does. So the
//! constraints become propositions: each state is there once for each kind of step into it, and says for which constraints
//! that step counts (it may be open). On the structure made so, without any constraint left,
//!
//! - a linear formula `f` under fairness is `(G F fair_0 & G F fair_1 & …) -> f`;
//! - fair CTL is its translation to the mu-calculus, where a modality over steps that count is one over steps into states that
//!   say so.
//!
//! Completions of the one are the completions of the other with their fairness, so all that is known of completions applies.

use std::collections::BTreeMap;

use tertium_evidence::{Deadlock, Reading};
use tertium_lattice::Belnap;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId, ParseOptions, fair_ctl, parse};
use tertium_model::{Edge, Kmts, KmtsBuilder, PropId, StateId};

use super::terms::decline;
use crate::{Ask, EngineError, Filter, Task, Unsupported};

/// A structure whose states say for which constraints the step into them counts.
#[derive(Clone, Debug)]
pub struct MarkedStructure {
    /// The structure, without constraints.
    pub model: Kmts,
    /// What is asked of it, as its text is read.
    pub formula: Formula,
    /// For each state its copy that no step leads to, where paths begin.
    begins: Vec<StateId>,
}

/// For each constraint whether a step counts for it.
type Marks = Vec<Belnap>;

impl MarkedStructure {
    /// The structure and formula for a task with fairness; nothing for one without.
    ///
    /// # Errors
    /// If completions with fairness are not known for the task.
    pub fn of(task: &Task<'_>) -> Result<Option<Self>, Unsupported> {
        let fair = task.filters.iter().any(|filter| matches!(filter, Filter::Fair(_)));
        if task.model.fairness().is_empty() && !fair {
            return Ok(None);
        }
        if task.model.is_mixed() {
            return Err(decline("something certain is not possible, and fairness is about possible steps"));
        }
        let names: Vec<String> = (0..task.model.fairness().len()).map(|at| free_name(task.model, at)).collect();
        let formula = marked_formula(task.formula, &names)?;
        // Proofs speak of the nodes of its text.
        let formula = parse(&formula.text(), &ParseOptions::in_logic(formula.logic())).formula;
        let formula = formula.ok_or_else(|| decline("the formula cannot be written with marks"))?;
        let (model, begins) = marked_model(task.model, &names).ok_or_else(|| decline("the structure is too large"))?;
        Ok(Some(Self { model, formula, begins }))
    }

    /// Where paths from a state begin.
    #[must_use]
    pub fn begin(&self, state: StateId) -> StateId {
        self.begins[state.index()]
    }

    /// The same question about it. A path that ends is never fair, so ends that count are read as ends that do not.
    ///
    /// # Errors
    /// If the formula names something that the structure does not have.
    pub fn task<'t>(&'t self, like: &Task<'t>, ask: Ask<'t>) -> Result<Task<'t>, EngineError> {
        let deadlock = match like.reading.deadlock {
            Deadlock::Maximal => Deadlock::Mu,
            other => other,
        };
        let reading = Reading { deadlock, ..like.reading };
        let task = Task::new(&self.model, &self.formula, reading, ask, like.budget);
        task.map_err(|_| EngineError::Unsupported(decline("a name of the formula is not known to the structure")))
    }
}

/// A name for a constraint that no proposition has.
fn free_name(model: &Kmts, constraint: usize) -> String {
    let mut name = format!("fair_{constraint}");
    while model.prop_by_name(&name).is_some() {
        name.push('_');
    }
    name
}

/// How a state's name tells whether the step into it counts.
fn letter(mark: Belnap) -> char {
    match mark {
        Belnap::True => 't',
        Belnap::False => 'f',
        Belnap::Unknown => 'u',
        Belnap::Both => 'b',
    }
}

fn marks(model: &Kmts, edge: &Edge) -> Marks {
    let counts = |at: &tertium_model::Fairness| {
        let (certain, possible) = (at.certain.contains(edge.id.index()), at.possible.contains(edge.id.index()));
        Belnap::from_evidence(certain, !possible)
    };
    model.fairness().iter().map(counts).collect()
}

/// The structure under construction.
struct Copies<'m> {
    model: &'m Kmts,
    builder: KmtsBuilder,
    known: BTreeMap<(StateId, Marks), StateId>,
    /// By copy, in the order in which they were made, the state that it is one of.
    made: Vec<(StateId, StateId)>,
    props: Vec<PropId>,
}

impl Copies<'_> {
    fn copy(&mut self, state: StateId, marks: &[Belnap]) -> StateId {
        let key = (state, marks.to_vec());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let own = self.model.state_name(state);
        let copy = match marks.iter().all(|&mark| mark == Belnap::False) {
            true => self.builder.add_state(own),
            false => {
                self.builder.add_state(&format!("{own}#{}", marks.iter().copied().map(letter).collect::<String>()))
            }
        };
        let own = self.model.props().len();
        for at in 0..own {
            self.builder.set_label(copy, self.props[at], self.model.label(state, PropId::new(at)));
        }
        for (at, &mark) in marks.iter().enumerate() {
            self.builder.set_label(copy, self.props[own + at], mark);
        }
        self.known.insert(key, copy);
        self.made.push((copy, state));
        copy
    }

    fn steps(&mut self, copy: StateId, state: StateId) -> Option<()> {
        let model = self.model;
        let action = |action: Option<tertium_model::ActionId>, builder: &mut KmtsBuilder| {
            action.map(|action| builder.add_action(&model.actions()[action.index()]))
        };
        for edge in model.edges_from(state) {
            let target = self.copy(edge.target, &marks(model, &edge));
            let action = action(edge.action, &mut self.builder);
            self.builder.add_edge(copy, target, edge.may, edge.must, action);
        }
        for hyper in model.hyper_from(state) {
            // The step into a member is one that is possible, with whatever action it has.
            let mut members = Vec::new();
            for &member in hyper.members {
                let steps = model.edges_from(state).filter(|edge| edge.may && edge.target == member);
                let steps: Vec<Edge> =
                    steps.filter(|edge| hyper.action.is_none() || edge.action == hyper.action).collect();
                members.extend(steps.iter().map(|edge| self.copy(member, &marks(model, edge))));
            }
            if members.is_empty() {
                return None;
            }
            members.sort_unstable();
            members.dedup();
            let action = action(hyper.action, &mut self.builder);
            self.builder.add_hyper(copy, &members, action);
        }
        Some(())
    }
}

fn marked_model(model: &Kmts, names: &[String]) -> Option<(Kmts, Vec<StateId>)> {
    let mut builder = KmtsBuilder::new();
    let props = model.props().iter().chain(names).map(|name| builder.add_prop(name)).collect();
    model.actions().iter().for_each(|name| {
        builder.add_action(name);
    });
    let mut copies = Copies { model, builder, known: BTreeMap::new(), made: Vec::new(), props };
    let none = vec![Belnap::False; names.len()];
    let begins: Vec<StateId> = model.states().map(|state| copies.copy(state, &none)).collect();
    let mut next = 0;
    while let Some(&(copy, state)) = copies.made.get(next) {
        copies.steps(copy, state)?;
        next += 1;
    }
    let mut builder = copies.builder;
    model.init().iter().for_each(|&state| builder.add_init(begins[state.index()]));
    builder.set_total(model.total());
    Some((builder.finish().ok()?, begins))
}

fn marked_formula(formula: &Formula, names: &[String]) -> Result<Formula, Unsupported> {
    let atom = |builder: &mut FormulaBuilder, name: &str| builder.atom(Atom { text: name.to_owned(), quoted: false });
    match formula.logic() {
        Logic::Ltl => {
            let mut builder = formula.to_builder();
            let mut fair = builder.add(Node::True);
            for name in names {
                let mark = atom(&mut builder, name);
                let often = builder.add(Node::Finally(mark));
                let often = builder.add(Node::Globally(often));
                fair = builder.add(Node::And(fair, often));
            }
            let root = builder.add(Node::Implies(fair, formula.root()));
            Ok(builder.finish(root, Logic::Ltl))
        }
        Logic::CtlStar => Err(decline("under fairness, CTL and LTL have a thorough value, CTL* has none")),
        logic => {
            let translated = match logic {
                Logic::Ctl => fair_ctl(formula, names.len()),
                _ => None,
            };
            let formula = translated.as_ref().unwrap_or(formula);
            let mut builder = formula.to_builder();
            let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
            for &node in formula.nodes() {
                let node = node.map_children(|child| made[child.index()]);
                made.push(over_marks(formula, node, names, &mut builder, &atom));
            }
            Ok(builder.finish(made[formula.root().index()], if names.is_empty() { logic } else { formula.logic() }))
        }
    }
}

/// A modality over steps that count for a constraint is one over steps into states that say so.
fn over_marks(
    formula: &Formula,
    node: Node,
    names: &[String],
    builder: &mut FormulaBuilder,
    atom: &dyn Fn(&mut FormulaBuilder, &str) -> NodeId,
) -> NodeId {
    let constraint = |action: tertium_logic::ActionId| {
        let number = formula.actions()[action.index()].strip_prefix("fair:")?;
        names.get(number.parse::<usize>().ok()?)
    };
    let (action, inner, is_box) = match node {
        Node::Diamond(Some(action), inner) => (action, inner, false),
        Node::Box(Some(action), inner) => (action, inner, true),
        other => return builder.add(other),
    };
    let Some(name) = constraint(action) else { return builder.add(node) };
    let mark = atom(builder, name);
    if is_box {
        let other = builder.add(Node::Not(mark));
        let either = builder.add(Node::Or(other, inner));
        return builder.add(Node::Box(None, either));
    }
    let both = builder.add(Node::And(mark, inner));
    builder.add(Node::Diamond(None, both))
}

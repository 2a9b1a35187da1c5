//! What does a branching formula say under strong fairness, as one about a structure?
//!
//! A run is strongly fair to a process if it takes a step of it infinitely often, or can do so at finitely many of its states only (Lehmann, Pnueli, Stavi 1981).
//! Both are matters of states once each state says who can step there and who took the step that led to it: states of the *marked graph* are pairs of a state
//! of the program's graph and the strongly fair process that took the last step, if one did. On it every quantifier is *relativised* (Emerson, Lei 1987):
//!
//! - `E f` becomes `E (fair & f)`, and `A f` becomes `A (fair -> f)`, where
//! - `fair` is the conjunction of `G F "able:i" -> G F "steps:i"` over the strongly fair processes.
//!
//! Paths of the marked graph are the runs, each once, so the formula of CTL* has the value there that the formula asked about has of the strongly fair runs. Weak fairness to
//! others stays a constraint on edges. Nothing else is new: a proof of the result is one of labels.

use std::collections::{BTreeSet, HashMap};

use tertium_base::Budget;
use tertium_lattice::Belnap;
use tertium_load::Failure;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId, ParseOptions, parse};
use tertium_model::{ActionId, Kmts, KmtsBuilder, PropId, StateId};

use super::graph::{MOST_STATES, NoGraph};

/// More strongly fair processes are not written into a formula, whose automaton grows with each of them.
const MOST_PROCESSES: usize = 6;

fn able(at: usize) -> String {
    format!("able:{at}")
}

fn steps(at: usize) -> String {
    format!("steps:{at}")
}

/// The formula with every quantifier over the runs that are strongly fair to so many processes.
///
/// # Errors
/// If it is not one of CTL or CTL*, or there are too many processes.
pub(super) fn relativised(formula: &Formula, processes: usize) -> Result<Formula, String> {
    if processes > MOST_PROCESSES {
        return Err(format!("more than {MOST_PROCESSES} processes are treated strongly fairly"));
    }
    let mut builder = formula.to_builder();
    if (0..processes).any(|at| builder.knows_name(&able(at)) || builder.knows_name(&steps(at))) {
        return Err("an atom has a name that says who steps".to_owned());
    }
    let fair = strongly_fair(&mut builder, processes);
    let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let node = node.map_children(|child| made[child.index()]);
        made.push(match node {
            Node::Exists(path) => on_some(&mut builder, fair, path),
            Node::All(path) => on_all(&mut builder, fair, path),
            Node::Diamond(None, next) => {
                let next = builder.add(Node::Next(next));
                on_some(&mut builder, fair, next)
            }
            Node::Box(None, next) => {
                let next = builder.add(Node::Next(next));
                on_all(&mut builder, fair, next)
            }
            Node::Diamond(..) | Node::Box(..) | Node::Mu(..) | Node::Nu(..) | Node::Var(_) => {
                return Err("strong fairness is about paths, of which this formula does not speak".to_owned());
            }
            other => builder.add(other),
        });
    }
    let text = builder.finish(made[formula.root().index()], Logic::CtlStar).text();
    // Whoever proves it and whoever checks the proof count the same nodes: those of its text.
    parse(&text, &ParseOptions::in_logic(Logic::CtlStar)).formula.ok_or_else(|| format!("`{text}` is no formula"))
}

fn strongly_fair(builder: &mut FormulaBuilder, processes: usize) -> NodeId {
    let often = |builder: &mut FormulaBuilder, text: String| {
        let atom = builder.atom(Atom { text, quoted: true });
        let some = builder.add(Node::Finally(atom));
        builder.add(Node::Globally(some))
    };
    let mut fair = builder.add(Node::True);
    for at in 0..processes {
        let (able, steps) = (often(builder, able(at)), often(builder, steps(at)));
        let one = builder.add(Node::Implies(able, steps));
        fair = if at == 0 { one } else { builder.add(Node::And(fair, one)) };
    }
    fair
}

fn on_some(builder: &mut FormulaBuilder, fair: NodeId, path: NodeId) -> NodeId {
    let both = builder.add(Node::And(fair, path));
    builder.add(Node::Exists(both))
}

fn on_all(builder: &mut FormulaBuilder, fair: NodeId, path: NodeId) -> NodeId {
    let if_fair = builder.add(Node::Implies(fair, path));
    builder.add(Node::All(if_fair))
}

/// A step of a graph, with whose it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct TakenStep {
    pub(super) from: StateId,
    pub(super) to: StateId,
    pub(super) action: Option<ActionId>,
    pub(super) pid: Option<u32>,
}

/// What the marked graph is made of.
pub(super) struct Unmarked<'a> {
    pub(super) graph: &'a Kmts,
    /// All steps, those of one state side by side.
    pub(super) taken: &'a [TakenStep],
    /// Whoever is treated strongly fairly.
    pub(super) strong: &'a [u32],
    /// Whoever is treated weakly fairly, and not strongly.
    pub(super) weak: &'a [u32],
}

impl Unmarked<'_> {
    /// The marked graph.
    pub(super) fn marked(&self, budget: &Budget) -> Result<Kmts, NoGraph> {
        let mut marking = Marking::new(self);
        for &start in self.graph.init() {
            let start = marking.number((start, None))?;
            marking.builder.add_init(start);
        }
        let (mut at, mut ticks) = (0, 0);
        while at < marking.pairs.len() {
            budget.tick(&mut ticks).map_err(Failure::from)?;
            marking.expand(at)?;
            at += 1;
        }
        marking.counting.into_iter().for_each(|counting| marking.builder.add_fairness(counting));
        marking.builder.finish().map_err(|error| NoGraph::Open(error.to_string()))
    }

    /// By state, where its steps stand.
    fn ranges(&self) -> HashMap<StateId, (usize, usize)> {
        let mut ranges = HashMap::new();
        let mut first = 0;
        for of_one in self.taken.chunk_by(|a, b| a.from == b.from) {
            ranges.insert(of_one[0].from, (first, first + of_one.len()));
            first += of_one.len();
        }
        ranges
    }
}

type Edge = (StateId, StateId, Option<ActionId>);

struct Marking<'a> {
    of: &'a Unmarked<'a>,
    builder: KmtsBuilder,
    ranges: HashMap<StateId, (usize, usize)>,
    /// By strongly fair process, where it can step.
    able: Vec<BTreeSet<StateId>>,
    able_props: Vec<PropId>,
    steps_props: Vec<PropId>,
    /// States with the strongly fair process that led there.
    pairs: Vec<(StateId, Option<usize>)>,
    known: HashMap<(StateId, Option<usize>), StateId>,
    /// By weakly fair process, the edges that count.
    counting: Vec<Vec<Edge>>,
}

impl<'a> Marking<'a> {
    fn new(of: &'a Unmarked<'a>) -> Self {
        let mut builder = KmtsBuilder::new();
        of.graph.props().iter().for_each(|prop| {
            builder.add_prop(prop);
        });
        of.graph.actions().iter().for_each(|action| {
            builder.add_action(action);
        });
        let able_props = (0..of.strong.len()).map(|at| builder.add_prop(&able(at))).collect();
        let steps_props = (0..of.strong.len()).map(|at| builder.add_prop(&steps(at))).collect();
        let own =
            |&pid: &u32| of.taken.iter().filter(move |step| step.pid == Some(pid)).map(|step| step.from).collect();
        Self {
            builder,
            ranges: of.ranges(),
            able: of.strong.iter().map(own).collect(),
            able_props,
            steps_props,
            pairs: Vec::new(),
            known: HashMap::new(),
            counting: vec![Vec::new(); of.weak.len()],
            of,
        }
    }

    fn number(&mut self, pair: (StateId, Option<usize>)) -> Result<StateId, NoGraph> {
        if let Some(&id) = self.known.get(&pair) {
            return Ok(id);
        }
        if self.pairs.len() >= MOST_STATES {
            return Err(NoGraph::Open(format!("the graph that says who steps has more than {MOST_STATES} states")));
        }
        let id = self.builder.add_state(&self.pairs.len().to_string());
        for at in 0..self.of.graph.props().len() {
            self.builder.set_label(id, PropId::new(at), self.of.graph.label(pair.0, PropId::new(at)));
        }
        for (at, able) in self.able.iter().enumerate() {
            self.builder.set_label(id, self.able_props[at], Belnap::from(able.contains(&pair.0)));
            self.builder.set_label(id, self.steps_props[at], Belnap::from(pair.1 == Some(at)));
        }
        self.known.insert(pair, id);
        self.pairs.push(pair);
        Ok(id)
    }

    fn expand(&mut self, at: usize) -> Result<(), NoGraph> {
        let Some(&(first, last)) = self.ranges.get(&self.pairs[at].0) else { return Ok(()) };
        let of = self.of;
        let steps = &of.taken[first..last];
        for step in steps {
            let mark = of.strong.iter().position(|&pid| step.pid == Some(pid));
            let edge = (StateId::new(at), self.number((step.to, mark))?, step.action);
            self.builder.add_edge(edge.0, edge.1, true, true, edge.2);
            for (&pid, counting) in of.weak.iter().zip(&mut self.counting) {
                let rests = steps.iter().all(|other| other.pid != Some(pid));
                if rests || step.pid == Some(pid) {
                    counting.push(edge);
                }
            }
        }
        Ok(())
    }
}

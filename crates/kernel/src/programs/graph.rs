//! What is the graph of a program, by the definition of a step alone?
//!
//! Proofs about programs are proofs about this structure: every state that can be reached, every step between them, and
//! the labels that a question needs. Nothing that makes searches fast is used here (no compiled steps, no packed rows,
//! no reduction), so that whoever checks a proof trusts the definition only.

use std::collections::{BTreeSet, HashMap};

use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_model::{ActionId, Kmts, KmtsBuilder, PropId, StateId};
use tertium_program::{ExprId, Fairness, NoInitialStates, Outcome, Semantics, State, Successor};

use tertium_load::Failure;
use tertium_load::questions::Mistake;

use super::games::game;
use super::strong_fairness::{TakenStep, Unmarked};
use crate::obligations::StructureReading;
use crate::obligations::ranks::{Promise, keeping};

/// A graph with more states than this is not written out.
pub const MOST_STATES: usize = 100_000;

/// What the states are labelled with.
#[derive(Clone, Debug)]
pub enum Labels {
    /// These expressions, by their names.
    Atoms(Vec<(String, ExprId)>),
    /// One proposition, named like the mistake: true in the state that steps with this mistake lead to, or, for
    /// deadlocks, where nothing can step.
    Mistake(Mistake),
}

/// Why there is no graph.
#[derive(Debug)]
pub enum NoGraph {
    /// It would be too large, or what it needs is not known.
    Open(String),
    /// A limit was reached, or this program is at fault.
    Failed(Failure),
}

impl From<Failure> for NoGraph {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Writes out the graph; states are named by numbers in the order in which they are met. Fairness is to processes that are declared fair,
/// or, with `everyone`, to all, those that are started later included.
///
/// # Errors
/// If it cannot be written out.
pub fn write_out(
    semantics: &Semantics<'_>,
    labels: &Labels,
    (frame, everyone): (StructureReading, bool),
    budget: &Budget,
) -> Result<Kmts, NoGraph> {
    let semantics = semantics.clone().within(budget);
    let mut writer = Writer::new(&semantics, labels, frame);
    writer.everyone = everyone && frame.fair;
    writer.run(budget)?;
    writer.finish()
}

/// As [`write_out`], each state with who took the step that led there, as far as they are treated strongly fairly ([`super::strong_fairness`]).
///
/// # Errors
/// If it cannot be written out.
pub(super) fn write_out_marked(
    semantics: &Semantics<'_>,
    labels: &Labels,
    (frame, everyone): (StructureReading, bool),
    budget: &Budget,
) -> Result<Kmts, NoGraph> {
    let semantics = semantics.clone().within(budget);
    let mut writer = Writer::new(&semantics, labels, frame);
    writer.everyone = everyone && frame.fair;
    writer.run(budget)?;
    writer.finish_marked(budget)
}

/// As [`write_out`], as a game: who picks the process that steps, and who picks its step ([`super::games`]).
///
/// # Errors
/// If it cannot be written out, or the players are not known.
pub(super) fn write_out_game(
    semantics: &Semantics<'_>,
    labels: &Labels,
    frame: StructureReading,
    budget: &Budget,
) -> Result<Kmts, NoGraph> {
    let semantics = semantics.clone().within(budget);
    let mut writer = Writer::new(&semantics, labels, frame);
    writer.run(budget)?;
    let taken = writer.taken();
    let graph = writer.builder.finish().map_err(|error| NoGraph::Open(error.to_string()))?;
    game(semantics.program(), &graph, &taken, budget)
}

struct Writer<'a, 'p> {
    semantics: &'a Semantics<'p>,
    labels: &'a Labels,
    frame: StructureReading,
    builder: KmtsBuilder,
    props: Vec<PropId>,
    known: HashMap<State, StateId>,
    /// In the order of their numbers, those that no step of the program leads to left out.
    states: Vec<(StateId, State)>,
    /// Where steps that go wrong lead.
    wrong: Option<StateId>,
    fair: Vec<u32>,
    strong: Vec<u32>,
    /// Whether everyone who steps at all is treated fairly.
    everyone: bool,
    /// All edges with who takes them, and for each of them the first of those that belong to the same state.
    edges: Vec<(Edge, Option<u32>, usize)>,
}

type Edge = (StateId, StateId, Option<ActionId>);

impl<'a, 'p> Writer<'a, 'p> {
    fn new(semantics: &'a Semantics<'p>, labels: &'a Labels, frame: StructureReading) -> Self {
        let program = semantics.program();
        let mut builder = KmtsBuilder::new();
        let props = match labels {
            Labels::Atoms(atoms) => atoms.iter().map(|(name, _)| builder.add_prop(name)).collect(),
            Labels::Mistake(mistake) => vec![builder.add_prop(mistake.name())],
        };
        let treated = |pid: u32| program.process(program.instances[pid as usize].process).fairness;
        let running = || (0..to_u32(program.instances.len())).filter(|_| frame.fair);
        // Whoever is treated strongly fairly is treated weakly so, too.
        let fair = running().filter(|&pid| treated(pid) != Fairness::None).collect();
        let strong = running().filter(|&pid| treated(pid) == Fairness::Strong).collect();
        Self {
            semantics,
            labels,
            frame,
            builder,
            props,
            known: HashMap::new(),
            states: Vec::new(),
            wrong: None,
            fair,
            strong,
            everyone: false,
            edges: Vec::new(),
        }
    }

    /// Every state that can be reached.
    fn run(&mut self, budget: &Budget) -> Result<(), NoGraph> {
        self.start(budget)?;
        let (mut at, mut ticks) = (0, 0);
        while at < self.states.len() {
            budget.tick(&mut ticks).map_err(Failure::from)?;
            self.expand(at)?;
            at += 1;
        }
        Ok(())
    }

    fn start(&mut self, budget: &Budget) -> Result<(), NoGraph> {
        let initial = match self.semantics.initial_states(MOST_STATES as u64, budget) {
            Ok(states) => states,
            Err(NoInitialStates::Stopped(stopped)) => return Err(Failure::from(stopped).into()),
            Err(_) => return Err(NoGraph::Open("its initial states cannot be listed".to_owned())),
        };
        for state in initial {
            let id = self.number(state)?;
            self.builder.add_init(id);
        }
        Ok(())
    }

    fn number(&mut self, state: State) -> Result<StateId, NoGraph> {
        if let Some(&id) = self.known.get(&state) {
            return Ok(id);
        }
        if self.states.len() >= MOST_STATES {
            return Err(NoGraph::Open(format!("the graph has more than {MOST_STATES} states")));
        }
        let id = self.new_state();
        self.label(id, &state);
        self.known.insert(state.clone(), id);
        self.states.push((id, state));
        Ok(id)
    }

    fn new_state(&mut self) -> StateId {
        let number = self.states.len() + usize::from(self.wrong.is_some());
        self.builder.add_state(&number.to_string())
    }

    fn label(&mut self, id: StateId, state: &State) {
        match self.labels {
            Labels::Atoms(atoms) => {
                for (&prop, &(_, atom)) in self.props.iter().zip(atoms) {
                    let value =
                        self.semantics.observe(atom, state).map_or(Belnap::Unknown, |value| (value != 0).into());
                    self.builder.set_label(id, prop, value);
                }
            }
            Labels::Mistake(mistake) => {
                let about_ends = matches!(mistake, Mistake::Deadlock | Mistake::EndState);
                let stuck = about_ends && self.semantics.is_deadlock(state);
                self.builder.set_label(id, self.props[0], stuck.into());
            }
        }
    }

    fn expand(&mut self, at: usize) -> Result<(), NoGraph> {
        let (from, state) = self.states[at].clone();
        let successors = self.semantics.successors(&state);
        let first = self.edges.len();
        for successor in successors {
            let pid = mover(&successor);
            let action = Some(self.action(pid));
            match successor.outcome {
                Outcome::Next(next) => {
                    let to = self.number(next)?;
                    self.builder.add_edge(from, to, true, true, action);
                    self.edges.push(((from, to, action), Some(pid), first));
                }
                Outcome::Fault { fault, .. } => {
                    let Some(mistake) = Mistake::of(&fault.kind) else {
                        return Err(NoGraph::Open(format!("a step cannot be computed: {}", fault.kind.name())));
                    };
                    if matches!(self.labels, Labels::Mistake(asked) if *asked == mistake) {
                        let to = self.wrong();
                        self.builder.add_edge(from, to, true, true, action);
                    }
                }
            }
        }
        if self.edges.len() == first && self.frame.stutter {
            self.builder.add_edge(from, from, true, true, None);
            self.edges.push(((from, from, None), None, first));
        }
        Ok(())
    }

    /// The edges that count for fairness to a process: those it takes, and those of states in which it cannot step.
    fn counting(&self, fair: u32) -> Vec<Edge> {
        let mut counting = Vec::new();
        for of_one in self.edges.chunk_by(|a, b| a.2 == b.2) {
            let rests = of_one.iter().all(|(_, pid, _)| *pid != Some(fair));
            counting.extend(of_one.iter().filter(|(_, pid, _)| rests || *pid == Some(fair)).map(|(edge, ..)| *edge));
        }
        counting
    }

    fn wrong(&mut self) -> StateId {
        if let Some(id) = self.wrong {
            return id;
        }
        let id = self.new_state();
        self.builder.set_label(id, self.props[0], Belnap::True);
        self.wrong = Some(id);
        id
    }

    fn action(&mut self, pid: u32) -> ActionId {
        let program = self.semantics.program();
        match program.instances.get(pid as usize) {
            Some(instance) => self.builder.add_action(&program.process(instance.process).name),
            None => self.builder.add_action(&format!("process {pid}")),
        }
    }

    /// Whoever is treated fairly, weakly or strongly.
    fn treated_fairly(&self) -> BTreeSet<u32> {
        if !self.everyone {
            return self.fair.iter().copied().collect();
        }
        // Whoever never steps is treated fairly, too: where there is nobody else, paths that end would count as fair ones.
        let running = 0..to_u32(self.semantics.program().instances.len());
        self.edges.iter().filter_map(|(_, pid, _)| *pid).chain(running).collect()
    }

    /// All steps, those of one state side by side.
    fn taken(&self) -> Vec<TakenStep> {
        self.edges.iter().map(|&((from, to, action), pid, _)| TakenStep { from, to, action, pid }).collect()
    }

    fn finish_marked(self, budget: &Budget) -> Result<Kmts, NoGraph> {
        let weak = self.treated_fairly().into_iter().filter(|pid| !self.strong.contains(pid)).collect::<Vec<u32>>();
        let taken = self.taken();
        let graph = self.builder.finish().map_err(|error| NoGraph::Open(error.to_string()))?;
        Unmarked { graph: &graph, taken: &taken, strong: &self.strong, weak: &weak }.marked(budget)
    }

    fn finish(mut self) -> Result<Kmts, NoGraph> {
        for pid in self.treated_fairly() {
            let counting = self.counting(pid);
            self.builder.add_fairness(counting);
        }
        let promises: Vec<StrongFairness> = self.strong.iter().map(|&pid| self.promised(pid)).collect();
        let graph = self.builder.finish().map_err(|error| NoGraph::Open(error.to_string()))?;
        if promises.is_empty() {
            return Ok(graph);
        }
        let promises: Vec<Promise> = promises.iter().map(|promised| promised.of(&graph)).collect();
        keeping(&graph, &promises).map_err(|why| NoGraph::Open(why.0))
    }

    /// Where a process is able to step, and its steps.
    fn promised(&self, pid: u32) -> StrongFairness {
        let own = self.edges.iter().filter(|(_, by, _)| *by == Some(pid));
        own.map(|(edge, ..)| *edge).collect::<BTreeSet<Edge>>().into()
    }
}

/// The steps of a process that is treated strongly fairly: whoever is infinitely often where there is one takes one infinitely often.
struct StrongFairness {
    able: BTreeSet<StateId>,
    steps: BTreeSet<Edge>,
}

impl From<BTreeSet<Edge>> for StrongFairness {
    fn from(steps: BTreeSet<Edge>) -> Self {
        Self { able: steps.iter().map(|(from, ..)| *from).collect(), steps }
    }
}

impl StrongFairness {
    /// As edges of the graph.
    fn of(&self, graph: &Kmts) -> Promise {
        let mut promise = Promise::default();
        for from in graph.states() {
            for edge in graph.edges_from(from) {
                if self.able.contains(&from) {
                    promise.forbidden.insert(edge.id);
                }
                if self.steps.contains(&(from, edge.target, edge.action)) {
                    promise.wanted.insert(edge.id);
                }
            }
        }
        promise
    }
}

fn mover(successor: &Successor) -> u32 {
    successor.moves.first().map_or(0, |mv| mv.pid)
}

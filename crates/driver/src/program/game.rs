//! How is a finite program a game?
//!
//! At a state of the program the scheduler picks a process that can step, then that process picks among its steps and inputs (SEMANTICS 12.1). With `environment P, Q` these processes and the scheduler are one player and the rest is another, `system`;
//! without it every process is a player of its own. The graph of all states becomes a game structure: a state belongs to the scheduler; where it can pick a process of somebody else, a state in between belongs to that
//! player. States in between are *silent*: they are no step of the program, their labels are not read, and closed loops do without them.
//!
//! Fairness of the scheduler is an assumption of everybody else: states tell whether the last step was fair to each process that is declared `fair` (it was its step, or it could not step), and an objective is promised for runs on which that happens again and
//! again. What is broken after finitely many steps is promised in any case: the scheduler can be fair from there on. For the scheduler's own side fairness is part of the objective.
//!
//! Not here: the strategies (`tertium_structures::synthesis`).

use std::collections::HashMap;

use tertium_base::{Budget, Diagnostic};
use tertium_load::ProgramFile;
use tertium_load::questions::PropertyQuery;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId, is_safety};
use tertium_model::{ActionId, EdgeId, Kmts, KmtsBuilder, PropId, SYSTEM, StateId};
use tertium_program::ExprId;
use tertium_structures::synthesis::{import, no_such_player, objective};

use super::branching::{Collected, GraphOptions};
use super::safety::{Effort, Keeping};
use super::space::Space;
use crate::failure::Failure;

/// The player who picks the process that steps; with an environment, part of it.
const SCHEDULER: &str = "scheduler";
/// The processes that are declared to play against the rest, and the scheduler.
const ENVIRONMENT: &str = "environment";
/// States of a program that is played on, at most.
const MOST_STATES: usize = 1_000_000;

/// A program as a game.
#[derive(Debug)]
pub struct ProgramGame {
    /// The structure, with owners.
    pub model: Kmts,
    /// For each state whether it only stands between two others.
    pub silent: Vec<bool>,
    /// For each state whether the player moves there.
    pub mine: Vec<bool>,
    /// What the player wants: the properties, if the scheduler is fair.
    pub objective: Formula,
    /// The properties by name, each under the assumption of fairness.
    pub properties: Vec<(String, Formula)>,
    /// States of the program.
    pub states: usize,
}

/// The game of a program for a player.
///
/// # Errors
/// If there is no such player, the program is not finite within limits, its scheduling is not supported, or a property is no objective.
pub fn program_game(
    file: &ProgramFile,
    asked: &[&PropertyQuery],
    player: &str,
    budget: &Budget,
) -> Result<ProgramGame, Failure> {
    let program = &file.program;
    let space = Space::new(program, budget)?;
    if !space.scheduling.strong.is_empty() {
        return Err(refuse("strong fairness is no assumption of a game here", "declare the process `fair` instead"));
    }
    if let Some(reason) = &space.open {
        return Err(refuse(&reason.what, &reason.help));
    }
    let effort = Effort { threads: 1, max_states: Some(MOST_STATES), reduction: false, store: Keeping::Exact, budget };
    let collected = Collected::visit(&space, &effort, &mut |_| {});
    if let Some(stopped) = collected.explored().summary.stopped {
        return Err(stopped.into());
    }
    if !collected.explored().summary.is_whole() {
        return Err(refuse("not every step of it can be computed", "`tertium explore` says which"));
    }
    let atoms = atoms(asked);
    let shape = GraphOptions { fair: true, stutter: true };
    let graph = collected.structure(&space, &atoms, &effort, shape)?;
    let players = Players::of(file, &graph);
    players.require(player)?;
    let fair: Vec<String> = space
        .scheduling
        .weak
        .iter()
        .map(|&pid| program.process(program.instances[pid as usize].process).name.clone())
        .collect();
    let built = Splitter::new(&graph, &players, &fair).run(budget)?;
    let plain: Vec<(String, Formula)> = asked.iter().map(|query| (query.name.clone(), query.formula.clone())).collect();
    objective(&plain)?;
    let named = with_fairness(plain, &fair, player == players.scheduler, budget)?;
    let wanted = objective(&named)?;
    let mine = built.model.states().map(|state| built.model.owner_name(state) == player).collect();
    Ok(ProgramGame {
        mine,
        silent: built.silent,
        objective: wanted,
        properties: named,
        states: graph.state_count(),
        model: built.model,
    })
}

fn refuse(why: &str, help: &str) -> Failure {
    Diagnostic::error("E0399", format!("this program is no game that can be played: {why}"))
        .help(help.to_owned())
        .into()
}

/// The atoms of all properties, each once.
fn atoms(asked: &[&PropertyQuery]) -> Vec<(String, ExprId)> {
    let mut all: Vec<(String, ExprId)> = Vec::new();
    for query in asked {
        for (atom, &expr) in query.formula.atoms().iter().zip(&query.atoms) {
            if all.iter().all(|(known, _)| *known != atom.text) {
                all.push((atom.text.clone(), expr));
            }
        }
    }
    all
}

/// The name of the proposition that tells of a step that was fair to a process.
fn fair_name(process: &str) -> String {
    let letter = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '_' };
    format!("fair_{}", process.chars().map(letter).collect::<String>())
}

/// The properties, with what fairness means for the player: an assumption of those that are not safety properties, or one more thing to see to.
fn with_fairness(
    properties: Vec<(String, Formula)>,
    fair: &[String],
    own: bool,
    budget: &Budget,
) -> Result<Vec<(String, Formula)>, Failure> {
    if fair.is_empty() {
        return Ok(properties);
    }
    if own {
        let mut all = properties;
        all.extend(fair.iter().map(|process| (fair_name(process), again_and_again(std::slice::from_ref(process)))));
        return Ok(all);
    }
    let (safe, other): (Vec<_>, Vec<_>) = properties.into_iter().partition(|(_, formula)| is_safety(formula, budget));
    let mut all = safe;
    if !other.is_empty() {
        // One implication for all of them: assumptions are the same, and GR(1) has one.
        let name = other.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join("_and_");
        all.push((name, under_fairness(&objective(&other)?, fair)));
    }
    Ok(all)
}

/// "Steps are fair to each of these processes again and again."
fn again_and_again(fair: &[String]) -> Formula {
    let mut builder = FormulaBuilder::new();
    let parts: Vec<NodeId> = fair.iter().map(|process| repeated(&mut builder, process)).collect();
    let all = parts.into_iter().reduce(|all, one| builder.add(Node::And(all, one)));
    let root = all.unwrap_or_else(|| builder.add(Node::True));
    builder.finish(root, Logic::Ltl)
}

fn repeated(builder: &mut FormulaBuilder, process: &str) -> NodeId {
    let atom = builder.atom(Atom { text: fair_name(process), quoted: false });
    let eventually = builder.add(Node::Finally(atom));
    builder.add(Node::Globally(eventually))
}

/// "If the scheduler is fair to each of these processes."
fn under_fairness(formula: &Formula, fair: &[String]) -> Formula {
    let mut builder = FormulaBuilder::new();
    let promised = import(&mut builder, formula);
    let assumed = import(&mut builder, &again_and_again(fair));
    let root = builder.add(Node::Implies(assumed, promised));
    builder.finish(root, Logic::Ltl)
}

/// Who plays: by action of the graph, which names a process, the player.
struct Players {
    by_action: Vec<String>,
    scheduler: &'static str,
}

impl Players {
    fn of(file: &ProgramFile, graph: &Kmts) -> Self {
        let program = &file.program;
        let Some(environment) = &program.environment else {
            return Self { by_action: graph.actions().to_vec(), scheduler: SCHEDULER };
        };
        let theirs: Vec<&str> = environment.iter().map(|&id| program.process(id).name.as_str()).collect();
        let player = |process: &String| if theirs.contains(&process.as_str()) { ENVIRONMENT } else { SYSTEM };
        Self {
            by_action: graph.actions().iter().map(|process| player(process).to_owned()).collect(),
            scheduler: ENVIRONMENT,
        }
    }

    fn require(&self, player: &str) -> Result<(), Failure> {
        let mut known: Vec<String> = self.by_action.clone();
        known.push(self.scheduler.to_owned());
        known.sort();
        known.dedup();
        if known.iter().any(|name| name == player) { Ok(()) } else { Err(no_such_player(player, &known)) }
    }
}

/// A game structure with its silent states.
struct Split {
    model: Kmts,
    silent: Vec<bool>,
}

/// Puts a state between for each process that another player than the scheduler moves.
struct Splitter<'a> {
    graph: &'a Kmts,
    players: &'a Players,
    fair: &'a [String],
    builder: KmtsBuilder,
    silent: Vec<bool>,
    /// States of the graph with what the last step was fair to.
    numbers: HashMap<(StateId, u64), StateId>,
    open: Vec<(StateId, u64)>,
}

impl<'a> Splitter<'a> {
    fn new(graph: &'a Kmts, players: &'a Players, fair: &'a [String]) -> Self {
        let mut builder = KmtsBuilder::new();
        for name in graph.props() {
            builder.add_prop(name);
        }
        for process in fair {
            builder.add_prop(&fair_name(process));
        }
        for name in graph.actions() {
            builder.add_action(name);
        }
        Self { graph, players, fair, builder, silent: Vec::new(), numbers: HashMap::new(), open: Vec::new() }
    }

    fn run(mut self, budget: &Budget) -> Result<Split, Failure> {
        if self.fair.len() > 60 {
            return Err(refuse("more than 60 processes are fair", "declare fewer of them `fair`"));
        }
        let all = (1u64 << self.fair.len()) - 1;
        for &state in self.graph.init() {
            let first = self.number(state, all);
            self.builder.add_init(first);
        }
        let (mut at, mut ticks) = (0, 0);
        while at < self.open.len() {
            budget.tick(&mut ticks)?;
            let (state, bits) = self.open[at];
            self.steps(state, bits);
            at += 1;
        }
        let model = self.builder.finish().map_err(tertium_load::cuts::too_large)?;
        Ok(Split { model, silent: self.silent })
    }

    fn number(&mut self, state: StateId, bits: u64) -> StateId {
        if let Some(&known) = self.numbers.get(&(state, bits)) {
            return known;
        }
        let name = self.graph.state_name(state);
        let unfair = !bits & ((1u64 << self.fair.len()) - 1);
        let new = self.builder.add_state(&if unfair == 0 { name.to_owned() } else { format!("{name}_u{unfair}") });
        self.label(new, state, bits);
        self.builder.set_owner(new, self.players.scheduler);
        self.silent.push(false);
        self.numbers.insert((state, bits), new);
        self.open.push((state, bits));
        new
    }

    fn label(&mut self, new: StateId, state: StateId, bits: u64) {
        let props = self.graph.props().len();
        for prop in (0..props).map(PropId::new) {
            self.builder.set_label(new, prop, self.graph.label(state, prop));
        }
        for at in 0..self.fair.len() {
            let value =
                if bits >> at & 1 == 1 { tertium_lattice::Belnap::True } else { tertium_lattice::Belnap::False };
            self.builder.set_label(new, PropId::new(props + at), value);
        }
    }

    fn steps(&mut self, state: StateId, bits: u64) {
        let graph = self.graph;
        let from = self.numbers[&(state, bits)];
        let mut between: HashMap<ActionId, StateId> = HashMap::new();
        for edge in graph.edges_from(state) {
            let to = self.number(edge.target, self.fair_bits(edge.id));
            let own = edge.action.filter(|action| self.players.by_action[action.index()] != self.players.scheduler);
            let source = match own {
                None => from,
                Some(action) => {
                    let known = between.get(&action).copied();
                    known.unwrap_or_else(|| {
                        let new = self.between(from, (state, bits), action);
                        between.insert(action, new);
                        new
                    })
                }
            };
            self.builder.add_edge(source, to, true, true, edge.action);
        }
    }

    /// The state in which a process was picked.
    fn between(&mut self, from: StateId, (state, bits): (StateId, u64), action: ActionId) -> StateId {
        let name = format!("{}@{}", self.builder.state_names().get(from.index()), self.graph.actions()[action.index()]);
        let new = self.builder.add_state(&name);
        self.label(new, state, bits);
        let player = self.players.by_action[action.index()].clone();
        self.builder.set_owner(new, &player);
        self.silent.push(true);
        self.builder.add_edge(from, new, true, true, Some(action));
        new
    }

    /// What a step is fair to, by the graph's constraints.
    fn fair_bits(&self, edge: EdgeId) -> u64 {
        let constraints = self.graph.fairness().iter().enumerate();
        constraints.filter(|(_, fair)| fair.possible.contains(edge.index())).map(|(at, _)| 1u64 << at).sum()
    }
}

//! What do players of a program play, by the definition of a step alone?
//!
//! A state of the graph belongs to the scheduler, who picks a process that can step there; the state *between*, which says who was picked and has the same labels, belongs to the player of that process, who picks one of its steps.
//! Players are read from the program's text: the processes and `scheduler`, or, where an environment is declared, `environment` with the scheduler and `system`.
//!
//! What is declared fair is a promise of the scheduler about the whole play: states say which process that is treated fairly can step, and which one is picked. A coalition without the scheduler may count on the promise, one with
//! it has to keep it; so each path formula is read under the promise, or together with it.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::Budget;
use tertium_lattice::Belnap;
use tertium_load::Failure;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId, ParseOptions, parse};
use tertium_model::{Kmts, KmtsBuilder, PropId, SYSTEM, StateId};
use tertium_program::{Action, Fairness, Program};

use super::graph::{MOST_STATES, NoGraph};
use super::strong_fairness::TakenStep;

const PICKS: &str = "scheduler";
const AGAINST: &str = "environment";

/// Who moves when a process was picked, by its number, and who picks.
struct Seats {
    by_pid: Vec<String>,
    picks: &'static str,
}

impl Seats {
    fn of(program: &Program) -> Self {
        let mut met: BTreeMap<usize, usize> = BTreeMap::new();
        let mut total: BTreeMap<usize, usize> = BTreeMap::new();
        program.instances.iter().for_each(|one| *total.entry(one.process.index()).or_default() += 1);
        let mut by_pid = Vec::with_capacity(program.instances.len());
        for one in &program.instances {
            let number = met.entry(one.process.index()).or_default();
            *number += 1;
            let plain = &program.process(one.process).name;
            by_pid.push(match &program.environment {
                Some(listed) if listed.contains(&one.process) => AGAINST.to_owned(),
                Some(_) => SYSTEM.to_owned(),
                None if total[&one.process.index()] > 1 => format!("{plain}[{number}]"),
                None => plain.clone(),
            });
        }
        Self { by_pid, picks: if program.environment.is_some() { AGAINST } else { PICKS } }
    }

    fn everybody(&self) -> BTreeSet<&str> {
        self.by_pid.iter().map(String::as_str).chain([self.picks]).collect()
    }
}

/// The processes that the scheduler treats fairly, and whether strongly so.
fn treated(program: &Program) -> Vec<(u32, bool)> {
    let of = |pid: u32| program.process(program.instances[pid as usize].process).fairness;
    let all = (0..).take(program.instances.len());
    all.filter(|&pid| of(pid) != Fairness::None).map(|pid| (pid, of(pid) == Fairness::Strong)).collect()
}

fn ready(pid: u32) -> String {
    format!("ready:{pid}")
}

fn picked(pid: u32) -> String {
    format!("picked:{pid}")
}

/// Why a program is no game whose players are known.
///
/// # Errors
/// The reason.
pub(super) fn known_players(program: &Program) -> Result<(), String> {
    match program.steps.iter().any(|step| matches!(step.action, Action::Run { .. })) {
        true => Err("processes that are started while the program runs are no players".to_owned()),
        false => Ok(()),
    }
}

/// The graph as a game.
///
/// # Errors
/// If it cannot be written out.
pub(super) fn game(program: &Program, graph: &Kmts, taken: &[TakenStep], budget: &Budget) -> Result<Kmts, NoGraph> {
    known_players(program).map_err(NoGraph::Open)?;
    let (seats, fair) = (Seats::of(program), treated(program));
    let mut builder = KmtsBuilder::new();
    for state in graph.states() {
        let own = builder.add_state(graph.state_name(state));
        builder.set_owner(own, seats.picks);
    }
    for name in graph.props() {
        builder.add_prop(name);
    }
    let promised: Vec<(u32, PropId, PropId)> =
        fair.iter().map(|&(pid, _)| (pid, builder.add_prop(&ready(pid)), builder.add_prop(&picked(pid)))).collect();
    let mut ticks = 0;
    for of_one in taken.chunk_by(|a, b| a.from == b.from) {
        budget.tick(&mut ticks).map_err(Failure::from)?;
        let from = of_one[0].from;
        let mut between: BTreeMap<u32, StateId> = BTreeMap::new();
        for step in of_one {
            let Some(pid) = step.pid else {
                builder.add_edge(from, step.to, true, true, None);
                continue;
            };
            let turn = match between.get(&pid) {
                Some(&turn) => turn,
                None => {
                    let player = seats.by_pid.get(pid as usize);
                    let player = player.ok_or_else(|| NoGraph::Open("a step of nobody that is known".to_owned()))?;
                    let turn = builder.add_state(&format!("{}:{pid}", graph.state_name(from)));
                    builder.set_owner(turn, player);
                    builder.add_edge(from, turn, true, true, None);
                    between.insert(pid, turn);
                    turn
                }
            };
            builder.add_edge(turn, step.to, true, true, None);
        }
        if builder.state_count() > MOST_STATES {
            return Err(NoGraph::Open(format!("the game has more than {MOST_STATES} states")));
        }
        let here = between.iter().map(|(&pid, &turn)| (Some(pid), turn)).chain([(None, from)]);
        for (who, state) in here.collect::<Vec<_>>() {
            for prop in (0..graph.props().len()).map(PropId::new) {
                builder.set_label(state, prop, graph.label(from, prop));
            }
            for &(pid, ready, picked) in &promised {
                builder.set_label(state, ready, Belnap::from(between.contains_key(&pid)));
                builder.set_label(state, picked, Belnap::from(who == Some(pid)));
            }
        }
    }
    graph.init().iter().for_each(|&start| builder.add_init(start));
    // Somebody who never moves is a player, too, at a place that nobody comes to.
    for player in seats.everybody() {
        let aside = builder.add_state(&format!("aside:{player}"));
        builder.set_owner(aside, player);
        builder.add_edge(aside, aside, true, true, None);
    }
    builder.finish().map_err(|error| NoGraph::Open(error.to_string()))
}

/// The formula that a proof about the game is one of: each path formula with what the scheduler promises.
///
/// # Errors
/// If there is none.
pub(super) fn under_promise(formula: &Formula, program: &Program) -> Result<Formula, String> {
    let fair = treated(program);
    if fair.is_empty() {
        return Ok(formula.clone());
    }
    let seats = Seats::of(program);
    let mut builder = formula.to_builder();
    if fair.iter().any(|&(pid, _)| builder.knows_name(&ready(pid)) || builder.knows_name(&picked(pid))) {
        return Err("an atom has a name that says who was picked".to_owned());
    }
    let promise = kept(&mut builder, &fair);
    let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for id in formula.node_ids() {
        let node = formula.node(id).map_children(|child| made[child.index()]);
        let owed = match formula.node(id) {
            Node::All(_) => Some(false),
            Node::Exists(_) => Some(true),
            Node::Coalition(coalition, _) => {
                let coalition = &formula.coalitions()[coalition.index()];
                Some(coalition.contains(seats.picks) ^ coalition.cannot_avoid)
            }
            _ => None,
        };
        let speaks_of_paths = formula.node(id).children().any(|child| !formula.is_state_formula(child));
        let new = match owed {
            Some(owed) if speaks_of_paths => {
                let with = |path| if owed { Node::And(promise, path) } else { Node::Implies(promise, path) };
                let node = node.map_children(|path| builder.add(with(path)));
                builder.add(node)
            }
            _ => builder.add(node),
        };
        made.push(new);
    }
    let text = builder.finish(made[formula.root().index()], Logic::AtlStar).text();
    // Whoever proves it and whoever checks the proof count the same nodes: those of its text.
    parse(&text, &ParseOptions::in_logic(Logic::AtlStar)).formula.ok_or_else(|| format!("`{text}` is no formula"))
}

/// "The scheduler keeps its promises": whoever is weakly fair is picked, or cannot step, again and again; whoever is strongly fair is picked again and again if that is possible again and again.
fn kept(builder: &mut FormulaBuilder, fair: &[(u32, bool)]) -> NodeId {
    let again = |builder: &mut FormulaBuilder, what: NodeId| {
        let some = builder.add(Node::Finally(what));
        builder.add(Node::Globally(some))
    };
    let mut promises = Vec::new();
    for &(pid, strong) in fair {
        let ready = builder.atom(Atom { text: ready(pid), quoted: true });
        let picked = builder.atom(Atom { text: picked(pid), quoted: true });
        promises.push(if strong {
            let (ready, picked) = (again(builder, ready), again(builder, picked));
            builder.add(Node::Implies(ready, picked))
        } else {
            let idle = builder.add(Node::Not(ready));
            let served = builder.add(Node::Or(picked, idle));
            again(builder, served)
        });
    }
    let all = promises.into_iter().reduce(|all, one| builder.add(Node::And(all, one)));
    all.unwrap_or_else(|| builder.add(Node::True))
}

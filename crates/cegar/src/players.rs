//! Who plays in a program, and what does the scheduler promise them?
//!
//! The players are the processes, the members of families and `scheduler`, who picks the process that steps next; where the program names its environment, the environment (with the scheduler) and `system` (the rest). Weak and strong fairness of processes are promises of
//! the scheduler: an assumption for a coalition without it, an obligation for one with it.
//!
//! Not here: the games (`coalition_games` over predicates, `statespace` over states).

use tertium_explore::search::liveness::Scheduling;
use tertium_load::failure::Failure;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId, ParseOptions};
use tertium_model::SYSTEM;
use tertium_program::Program;

/// The player who picks the process that steps next.
pub const SCHEDULER: &str = "scheduler";
/// The player of the processes that a program lists as its environment, and of the scheduler.
pub const ENVIRONMENT: &str = "environment";

/// Who chooses what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Players {
    /// Who picks the process that steps next.
    pub scheduler: String,
    /// Who picks the step of each process, by pid.
    pub of_process: Vec<String>,
}

impl Players {
    /// The players of a program.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let name = |at: usize| program.process(program.instances[at].process).name.clone();
        let count = program.instances.len();
        if let Some(environment) = &program.environment {
            let owner = |at: usize| match environment.contains(&program.instances[at].process) {
                true => ENVIRONMENT.to_owned(),
                false => SYSTEM.to_owned(),
            };
            return Self { scheduler: ENVIRONMENT.to_owned(), of_process: (0..count).map(owner).collect() };
        }
        // Several processes of one code are told apart by a number.
        let same = |at: usize| (0..count).filter(move |&other| name(other) == name(at));
        let owner = |at: usize| match same(at).count() {
            1 => name(at),
            _ => format!("{}[{}]", name(at), same(at).position(|other| other == at).unwrap_or(0) + 1),
        };
        Self { scheduler: SCHEDULER.to_owned(), of_process: (0..count).map(owner).collect() }
    }

    /// All names, each once.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.of_process.iter().map(String::as_str).chain([&*self.scheduler]).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Refuses names of players that a program does not have.
///
/// # Errors
/// The first of them.
pub fn known_players(formula: &Formula, players: &Players) -> Result<(), Failure> {
    let known = players.names();
    let named = formula.coalitions().iter().flat_map(|coalition| coalition.names());
    match named.into_iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            Err(tertium_logic::unknown_player(name).note(format!("players of the model: {}", known.join(", "))).into())
        }
    }
}

/// The text of the atom that says that a process steps now.
#[must_use]
pub fn taken(pid: u32) -> String {
    format!("process {pid} steps")
}

/// The text of the atom that says that a process can step.
#[must_use]
pub fn enabled(pid: u32) -> String {
    format!("process {pid} can step")
}

/// The formula that is asked of a game: with what the scheduler promises, read back from its text, so that its nodes have the numbers that a checker of proofs gives them.
#[must_use]
pub fn asked_of_game(formula: &Formula, scheduling: &Scheduling, players: &Players) -> Formula {
    let fair = fair_form(formula, scheduling, players);
    let read = tertium_logic::parse(&fair.text(), &ParseOptions::in_logic(fair.logic()));
    read.formula.unwrap_or(fair)
}

/// The formula with what the scheduler promises: assumed by coalitions without it, owed by those with it.
fn fair_form(formula: &Formula, scheduling: &Scheduling, players: &Players) -> Formula {
    if *scheduling == Scheduling::default() {
        return formula.clone();
    }
    let mut builder = formula.to_builder();
    let promise = promise(&mut builder, scheduling);
    let mut made: Vec<NodeId> = Vec::new();
    for id in formula.node_ids() {
        let node = formula.node(id).map_children(|operand| made[operand.index()]);
        let granted = match formula.node(id) {
            Node::All(_) => Some(false),
            Node::Exists(_) => Some(true),
            Node::Coalition(coalition, _) => {
                let coalition = &formula.coalitions()[coalition.index()];
                Some(coalition.contains(&players.scheduler) != coalition.cannot_avoid)
            }
            _ => None,
        };
        let is_path = |path: NodeId| !formula.is_state_formula(path);
        let about_paths = formula.node(id).children().any(is_path);
        let new = match granted.filter(|_| about_paths) {
            None => builder.add(node),
            Some(owed) => {
                let with = |path: NodeId| match owed {
                    true => builder.add(Node::And(promise, path)),
                    false => builder.add(Node::Implies(promise, path)),
                };
                let node = node.map_children(with);
                builder.add(node)
            }
        };
        made.push(new);
    }
    builder.finish(made[formula.root().index()], Logic::AtlStar)
}

/// Weak fairness: infinitely often a process steps or cannot. Strong fairness: if it can infinitely often, it does.
fn promise(builder: &mut FormulaBuilder, scheduling: &Scheduling) -> NodeId {
    let mut all = builder.add(Node::True);
    let often = |builder: &mut FormulaBuilder, a: NodeId| {
        let later = builder.add(Node::Finally(a));
        builder.add(Node::Globally(later))
    };
    let kinds = scheduling.weak.iter().map(|&pid| (pid, false)).chain(scheduling.strong.iter().map(|&pid| (pid, true)));
    for (pid, strong) in kinds {
        let can = builder.atom(Atom { text: enabled(pid), quoted: true });
        let does = builder.atom(Atom { text: taken(pid), quoted: true });
        let one = if strong {
            let (can, does) = (often(builder, can), often(builder, does));
            builder.add(Node::Implies(can, does))
        } else {
            let cannot = builder.add(Node::Not(can));
            let served = builder.add(Node::Or(cannot, does));
            often(builder, served)
        };
        all = builder.add(Node::And(all, one));
    }
    all
}

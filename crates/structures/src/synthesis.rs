//! Is there a controller, or what does the environment do against every one?
//!
//! Controller synthesis on game structures: the objective of a player is the conjunction of linear properties. If they can force it, the structure with the player following a winning strategy is the answer, minimised by bisimulation; if the others
//! can prevent it, the structure with them following theirs. In a partial structure neither may be certain: then the answer is open.
//!
//! A strategy is compared with the game (chosen moves are certain moves, and nothing is taken from the others), and its closed loop is checked as any other structure, with certificates that the kernel accepts.
//!
//! Not here: the games (`tertium_check::synthesis`), and programs as games (`driver`).

use tertium_base::diagnostic::closest_name;
use tertium_base::{Budget, Diagnostic, Stopped};
use tertium_check::EngineError;
use tertium_check::synthesis::{ClosedLoop, SynthesisMethod, SynthesisTask, synthesise};
use tertium_evidence::Verdict;
use tertium_load::Loaded;
use tertium_load::failure::Failure;
use tertium_load::property::Parsed;
use tertium_logic::{Formula, FormulaBuilder, Logic, Node, NodeId};
use tertium_model::{Kmts, Model, StateId, minimise};

use crate::check::{CheckOptions, Session};

/// A game structure, and for whom it is played.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    /// The structure.
    pub model: &'a Kmts,
    /// For each state whether the player moves there.
    pub mine: &'a [bool],
    /// For each state whether it only stands between two others; empty if none does.
    pub silent: &'a [bool],
    /// Where it begins.
    pub states: &'a [StateId],
}

/// Who wins.
#[derive(Clone, Debug)]
pub enum SynthesisVerdict {
    /// The player, with the closed loop of their strategy.
    Realisable(Kmts),
    /// The others, with the closed loop of theirs.
    Unrealisable(Kmts),
    /// Neither for certain.
    Open,
}

/// Whether there is a controller.
#[derive(Clone, Debug)]
pub struct SynthesisAnswer {
    /// The objective: the conjunction of the properties.
    pub objective: Formula,
    /// Who wins, and how.
    pub verdict: SynthesisVerdict,
    /// How it was found.
    pub method: SynthesisMethod,
    /// Positions and moves of the game that was solved last.
    pub game: [usize; 2],
    /// States of its automaton.
    pub automaton: usize,
    /// States of the closed loop before it was minimised.
    pub unminimised: usize,
}

/// The states of a player.
///
/// # Errors
/// If the structure has no such player.
pub fn states_of_player(model: &Kmts, player: &str) -> Result<Vec<bool>, Failure> {
    if model.player_by_name(player).is_none() {
        return Err(no_such_player(player, model.players()));
    }
    Ok(model.states().map(|state| model.owner_name(state) == player).collect())
}

/// The message for a player that a game does not have.
#[must_use]
pub fn no_such_player(player: &str, players: &[String]) -> Failure {
    let mut told = Diagnostic::error("E0398", format!("`--for {player}`: there is no such player"))
        .note(format!("players: {}", players.join(", ")));
    told = match closest_name(player, players.iter().map(String::as_str)) {
        Some(close) => told.help(format!("did you mean `{close}`?")),
        None => told.help("`owner STATE = NAME` gives states of a structure to a player"),
    };
    told.into()
}

/// The properties as one linear objective.
///
/// # Errors
/// If one of them is not linear.
pub fn objective(properties: &[(String, Formula)]) -> Result<Formula, Failure> {
    if let Some((name, formula)) = properties.iter().find(|(_, formula)| formula.logic() != Logic::Ltl) {
        return Err(Diagnostic::error(
            "E0397",
            format!("`{name}` is no objective of a game: it is a formula of {}", formula.logic().name()),
        )
        .note("objectives are linear: what shall be true of every play")
        .help("write it in LTL, or choose other properties with `--only`")
        .into());
    }
    let mut builder = FormulaBuilder::new();
    let roots: Vec<NodeId> = properties.iter().map(|(_, formula)| import(&mut builder, formula)).collect();
    let Some(root) = roots.into_iter().reduce(|all, one| builder.add(Node::And(all, one))) else {
        return Err(Failure::Internal("a game without an objective".to_owned()));
    };
    Ok(builder.finish(root, Logic::Ltl))
}

/// Makes a linear formula's nodes in another builder.
pub fn import(builder: &mut FormulaBuilder, formula: &Formula) -> NodeId {
    let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let new = match node {
            Node::Atom(atom) => builder.atom(formula.atoms()[atom.index()].clone()),
            Node::Element(element) => builder.element(&formula.elements()[element.index()]),
            other => builder.add(other.map_children(|operand| made[operand.index()])),
        };
        made.push(new);
    }
    made[formula.root().index()]
}

/// The parsed properties, by name.
#[must_use]
pub fn named(parsed: Vec<Parsed>) -> Vec<(String, Formula)> {
    parsed.into_iter().map(|one| (one.property.name, one.formula)).collect()
}

/// Looks for a strategy of the player, then for one of the others.
///
/// # Errors
/// If the structure cannot be played on, a strategy is not what it should be, or a limit is reached.
pub fn decide(contest: Contest<'_>, objective: &Formula, budget: &Budget) -> Result<SynthesisAnswer, Failure> {
    let theirs: Vec<bool> = contest.mine.iter().map(|mine| !mine).collect();
    let task = |mine, negated| SynthesisTask {
        model: contest.model,
        mine,
        silent: contest.silent,
        states: contest.states,
        objective,
        negated,
        budget,
    };
    let own = task(contest.mine, false);
    let found = synthesise(&own).map_err(failure)?;
    let mut answer = SynthesisAnswer {
        objective: objective.clone(),
        verdict: SynthesisVerdict::Open,
        method: found.method,
        game: [found.positions, found.moves],
        automaton: found.automaton,
        unminimised: 0,
    };
    if let Some(strategy) = found.strategy {
        answer.unminimised = strategy.structure.state_count();
        answer.verdict = SynthesisVerdict::Realisable(accepted(&own, &strategy)?);
        return Ok(answer);
    }
    // Each initial state is the others' choice; they need to win from one of them.
    for state in contest.states {
        let other = SynthesisTask { states: std::slice::from_ref(state), ..task(&theirs, true) };
        let found = synthesise(&other).map_err(failure)?;
        if let Some(strategy) = found.strategy {
            answer.unminimised = strategy.structure.state_count();
            answer.verdict = SynthesisVerdict::Unrealisable(accepted(&other, &strategy)?);
            answer.game = [found.positions, found.moves];
            answer.automaton = found.automaton;
            break;
        }
    }
    Ok(answer)
}

/// The closed loop, minimised, once it is seen to be what it should be.
fn accepted(task: &SynthesisTask<'_>, strategy: &ClosedLoop) -> Result<Kmts, Failure> {
    respects_game(task, strategy)?;
    let least = minimise(&strategy.structure, task.budget)?.structure;
    let formula = if task.negated { negated(task.objective) } else { task.objective.clone() };
    let loaded =
        Loaded::of_model("closed loop", Model::Kmts(least)).with_properties(&[("objective".to_owned(), formula)]);
    let options = CheckOptions { always_recheck: true, ..CheckOptions::default() };
    all_true(&Session::new(&loaded, options, task.budget)?, task.budget)?;
    match loaded.model {
        Model::Kmts(structure) => Ok(structure),
        Model::Lattice(_) | Model::Param(_) => Err(Failure::Internal("a closed loop of another kind".to_owned())),
    }
}

fn all_true(session: &Session<'_>, budget: &Budget) -> Result<(), Failure> {
    for property in session.properties(&[], &[])? {
        let answer = session.check(&property, budget, &())?;
        if let Verdict::Stopped(reason, _) = answer.verdict {
            return Err(Failure::Stopped(Stopped(reason)));
        }
        if !answer.value().is_true() {
            return Err(Failure::Internal(format!("a strategy does not achieve {}", property.formula)));
        }
    }
    Ok(())
}

/// The negation of a formula.
#[must_use]
pub fn negated(formula: &Formula) -> Formula {
    let mut builder = FormulaBuilder::new();
    let root = import(&mut builder, formula);
    let not = builder.add(Node::Not(root));
    builder.finish(not, Logic::Ltl)
}

/// Whether the player makes a certain move wherever it is their turn, and the others can do everything that is possible.
fn respects_game(task: &SynthesisTask<'_>, strategy: &ClosedLoop) -> Result<(), Failure> {
    let model = task.model;
    let fault = |state: StateId, what: &str| {
        Err(Failure::Internal(format!("a strategy {what} at {}", model.state_name(state))))
    };
    for at in strategy.structure.states() {
        let origin = strategy.origin[at.index()];
        let mut reached: Vec<StateId> =
            strategy.structure.may_successors(at).map(|to| strategy.origin[to.index()]).collect();
        reached.sort_unstable();
        reached.dedup();
        let offered = offers(task, origin);
        if task.mine[origin.index()] {
            if reached.is_empty() || !offered.contains(&reached) {
                return fault(origin, "makes a move that is not certain");
            }
        } else {
            let mut rest = offered;
            rest.retain(|set| !set.iter().any(|to| reached.contains(to)));
            if !rest.is_empty() {
                return fault(origin, "takes a move from the others");
            }
        }
    }
    Ok(())
}

/// The sets that moves of a state lead into, past states that only stand between two others. At a state of the player: what each of their certain moves leaves open; at one of the others: what each of their possible moves leaves to
/// the player.
fn offers(task: &SynthesisTask<'_>, state: StateId) -> Vec<Vec<StateId>> {
    let model = task.model;
    let mine = task.mine[state.index()];
    let silent = |state: StateId| task.silent.get(state.index()).copied().unwrap_or(false);
    let mut sets: Vec<Vec<StateId>> = Vec::new();
    let targets: Vec<Vec<StateId>> =
        if mine { model.certain_sets(state, None) } else { model.may_successors(state).map(|to| vec![to]).collect() };
    for set in targets {
        match set[..] {
            [only] if silent(only) => {
                let mut behind: Vec<StateId> = model.may_successors(only).collect();
                behind.sort_unstable();
                behind.dedup();
                if mine == task.mine[only.index()] {
                    sets.extend(behind.into_iter().map(|to| vec![to]));
                } else {
                    sets.push(behind);
                }
            }
            _ => sets.push(set),
        }
    }
    sets
}

fn failure(error: EngineError) -> Failure {
    match error {
        EngineError::Stopped(stopped) => Failure::Stopped(stopped),
        EngineError::Unsupported(why) => {
            Diagnostic::error("E0397", format!("this game cannot be played: {}", why.reason)).into()
        }
    }
}

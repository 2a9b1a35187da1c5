//! What happened, step by step?
//!
//! Searches find rows. A [`Run`] has the moves between them, found and executed by the definition of a step; rows that it
//! does not connect are a fault of this program, never a run.

use tertium_base::{StopReason, Stopped};
use tertium_load::Failure;
use tertium_program::{Fault, FaultKind, Move, Outcome, Semantics, State};

/// One step of a run, blocks as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its moves; empty for stuttering.
    pub moves: Vec<Move>,
    /// The state after it.
    pub state: State,
}

/// A run that the definition of a step allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins.
    pub first: State,
    /// What happens.
    pub steps: Vec<Taken>,
    /// The position to which the last state returns for ever: the last state equals the one there.
    pub loop_start: Option<usize>,
    /// What goes wrong in one more step, and the moves of that step.
    pub fault: Option<(Vec<Move>, Fault)>,
    /// Whether nothing can happen at the end although not all processes are at theirs.
    pub deadlock: bool,
}

/// Why the last steps of a run can be taken for ever although no state repeats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeats {
    /// The position at which the cycle begins.
    pub start: usize,
    /// Its steps.
    pub length: usize,
    /// Where all of these hold, the cycle can be taken, and they hold again after it.
    pub whenever: Vec<String>,
}

impl Run {
    /// The states in order.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        std::iter::once(&self.first).chain(self.steps.iter().map(|taken| &taken.state))
    }

    /// The last state.
    #[must_use]
    pub fn last(&self) -> &State {
        self.steps.last().map_or(&self.first, |taken| &taken.state)
    }

    /// How many steps, a failing one included.
    #[must_use]
    pub fn length(&self) -> usize {
        self.steps.len() + usize::from(self.fault.is_some())
    }
}

fn disagreement(what: &str) -> Failure {
    Failure::Internal(format!("a run that was found cannot be repeated: {what}"))
}

/// Executes moves one after the other, as the definition of a step has it.
///
/// # Errors
/// If the state does not offer one of them.
pub fn execute(semantics: &Semantics<'_>, state: &State, moves: &[Move]) -> Result<Outcome, Failure> {
    let mut now = state.clone();
    for (at, mv) in moves.iter().enumerate() {
        match semantics.execute(&now, mv) {
            None => return Err(disagreement("a move is not offered")),
            Some(outcome) if at + 1 == moves.len() => return Ok(outcome),
            Some(Outcome::Next(next)) => now = next,
            Some(Outcome::Fault { next: Some(next), .. }) if semantics.is_persistent() => now = next,
            Some(fault @ Outcome::Fault { .. }) => return Ok(fault),
        }
    }
    Ok(Outcome::Next(now))
}

/// All ways of stepping from one state to another.
#[must_use]
pub fn ways(semantics: &Semantics<'_>, from: &State, to: &State) -> Vec<Vec<Move>> {
    if let Some(moves) = semantics.moves_towards(from, to) {
        return moves.into_iter().map(|mv| vec![mv]).collect();
    }
    semantics
        .successors(from)
        .into_iter()
        .filter(|successor| arrival(&successor.outcome) == Some(to))
        .map(|successor| successor.moves)
        .collect()
}

/// Where a step leads; one that goes wrong leads nowhere.
#[must_use]
pub fn arrival(outcome: &Outcome) -> Option<&State> {
    outcome.state()
}

/// Where a step leads if runs go on after failed assertions where that is meant.
#[must_use]
pub fn goes_on<'o>(semantics: &Semantics<'_>, outcome: &'o Outcome) -> Option<&'o State> {
    match outcome {
        Outcome::Fault { next, .. } if semantics.is_persistent() => next.as_ref(),
        outcome => arrival(outcome),
    }
}

/// Executes one way and says where it leads.
fn repeat(semantics: &Semantics<'_>, from: &State, moves: Vec<Move>, to: &State) -> Result<Taken, Failure> {
    let outcome = execute(semantics, from, &moves)?;
    match goes_on(semantics, &outcome) {
        Some(state) if State::visible(state.slots.clone()) == *to => Ok(Taken { moves, state: to.clone() }),
        _ => Err(disagreement("a move leads elsewhere")),
    }
}

/// Why a step from a state was not found: limits, if not all steps from there are known, else a fault of this program.
fn no_way(semantics: &Semantics<'_>, from: &State, what: &str) -> Failure {
    let cut =
        |outcome: &Outcome| matches!(outcome, Outcome::Fault { fault, .. } if fault.kind == FaultKind::BlockTooLong);
    if semantics.successors(from).iter().any(|successor| cut(&successor.outcome)) {
        return semantics.budget().check().err().unwrap_or(Stopped(StopReason::Count)).into();
    }
    disagreement(what)
}

/// The run through these states.
///
/// # Errors
/// If the definition of a step does not connect them.
pub fn connect(semantics: &Semantics<'_>, states: &[State]) -> Result<Run, Failure> {
    let Some(first) = states.first() else { return Err(disagreement("it is empty")) };
    let mut steps = Vec::with_capacity(states.len());
    for pair in states.windows(2) {
        // What was found in time is told, unless nobody wants to know any more.
        if semantics.budget().is_dismissed() {
            return Err(Stopped(StopReason::Interrupted).into());
        }
        let moves = ways(semantics, &pair[0], &pair[1]).into_iter().next();
        let moves = moves.ok_or_else(|| no_way(semantics, &pair[0], "no step leads from one state to the next"))?;
        steps.push(repeat(semantics, &pair[0], moves, &pair[1])?);
    }
    Ok(Run { first: first.clone(), steps, loop_start: None, fault: None, deadlock: false })
}

/// The same where runs that end stay where they are: a state in which nothing can step may follow itself.
///
/// # Errors
/// If the definition of a step does not connect them.
pub fn connect_resting(semantics: &Semantics<'_>, states: &[State]) -> Result<Run, Failure> {
    let stays = |pair: &[State]| pair[0] == pair[1] && rests(semantics, &pair[0]);
    let end = states.windows(2).position(stays).map_or(states.len(), |at| at + 1);
    let mut run = connect(semantics, &states[..end])?;
    for state in &states[end..] {
        if state != run.last() {
            return Err(disagreement("it goes on where nothing can step"));
        }
        run.steps.push(Taken { moves: Vec::new(), state: state.clone() });
    }
    Ok(run)
}

/// Adds the step that goes wrong at the end.
///
/// # Errors
/// If no step goes wrong there in this way.
pub fn with_fault(semantics: &Semantics<'_>, mut run: Run, fault: &Fault) -> Result<Run, Failure> {
    let fails = |outcome: &Outcome| matches!(outcome, Outcome::Fault { fault: found, .. } if found == fault);
    let successor = semantics.successors(run.last()).into_iter().find(|successor| fails(&successor.outcome));
    let successor = successor.ok_or_else(|| no_way(semantics, run.last(), "nothing goes wrong at its end"))?;
    // An endless block is no single move, so there is nothing to execute twice.
    let endless = fault.kind == FaultKind::EndlessBlock;
    if !endless {
        let wrong = match execute(semantics, run.last(), &successor.moves)? {
            // What goes wrong is that nothing comes next.
            Outcome::Next(state) if fault.kind == FaultKind::BlockedInDeterministic => {
                state.holder.is_some() && semantics.moves(&state).is_empty()
            }
            outcome => fails(&outcome),
        };
        if !wrong {
            return Err(disagreement("its last step does not go wrong"));
        }
    }
    run.fault = Some((successor.moves, fault.clone()));
    Ok(run)
}

/// Marks the end as a deadlock.
///
/// # Errors
/// If it is none.
pub fn with_deadlock(semantics: &Semantics<'_>, mut run: Run) -> Result<Run, Failure> {
    if !semantics.is_deadlock(run.last()) {
        return Err(disagreement("its end is no deadlock"));
    }
    run.deadlock = true;
    Ok(run)
}

/// The lasso through `stem` and then `cycle` for ever. Each pid in `wanted` must step on the cycle if it can; going round more
/// than once may be needed for that. Where no step can be tried out the run stays, too: whether the program does is for the caller to ask.
///
/// # Errors
/// If the definition of a step does not connect the states.
pub fn connect_lasso(
    semantics: &Semantics<'_>,
    stem: &[State],
    cycle: &[State],
    wanted: &[u32],
) -> Result<Run, Failure> {
    // Where nothing can step, the rest of the run is that state; an automaton may need several positions to see it.
    // Whoever is followed by another state does not rest; whoever has a step back to itself does not either, and that is seen without trying all steps.
    let following = stem.iter().chain(cycle).skip(1).chain(cycle.first());
    let stays = |(state, next): (&State, &State)| {
        state == next && ways(semantics, state, state).is_empty() && leads_nowhere(semantics, state)
    };
    let first_rest = stem.iter().chain(cycle).zip(following).position(stays);
    let (stem, cycle) = match first_rest {
        Some(at) if at < stem.len() => (&stem[..at], &stem[at..=at]),
        Some(_) => (stem, &cycle[..1]),
        None => (stem, cycle),
    };
    let Some(entry) = cycle.first() else { return Err(disagreement("its cycle is empty")) };
    let mut path: Vec<State> = stem.to_vec();
    path.push(entry.clone());
    let mut run = connect(semantics, &path)?;
    let mut round: Vec<(Vec<Vec<Move>>, &State)> = Vec::new();
    for (at, from) in cycle.iter().enumerate() {
        let to = cycle.get(at + 1).unwrap_or(entry);
        let ways = ways(semantics, from, to);
        if ways.is_empty() && (from != to || !leads_nowhere(semantics, from)) {
            return Err(no_way(semantics, from, "no step goes round its cycle"));
        }
        round.push((ways, to));
    }
    let possible = |pid: &u32| round.iter().any(|(ways, _)| ways.iter().any(|moves| moved_by(moves) == Some(*pid)));
    let mut missing: Vec<u32> = wanted.iter().copied().filter(possible).collect();
    loop {
        let before = missing.len();
        for (ways, to) in &round {
            let wanted = |moves: &&Vec<Move>| moved_by(moves).is_some_and(|pid| missing.contains(&pid));
            let Some(moves) = ways.iter().find(wanted).or(ways.first()) else {
                run.steps.push(Taken { moves: Vec::new(), state: (*to).clone() });
                continue;
            };
            missing.retain(|&pid| Some(pid) != moved_by(moves));
            let taken = repeat(semantics, run.last(), moves.clone(), to)?;
            run.steps.push(taken);
        }
        if missing.is_empty() || missing.len() == before {
            break;
        }
    }
    run.loop_start = Some(stem.len());
    Ok(run)
}

/// Whether no successor of a state is known.
fn leads_nowhere(semantics: &Semantics<'_>, state: &State) -> bool {
    semantics.successors(state).iter().all(|successor| arrival(&successor.outcome).is_none())
}

/// Whether a state surely has no successor, so that it stays for ever. A step that cannot be tried out, as with an input that may be any integer, may lead on.
#[must_use]
pub fn rests(semantics: &Semantics<'_>, state: &State) -> bool {
    let ends = |outcome: &Outcome| matches!(outcome, Outcome::Fault { fault, .. } if fault.kind.is_error());
    semantics.successors(state).iter().all(|successor| ends(&successor.outcome))
}

/// The step that goes wrong, and how, where a run stays in its last state for ever since no step leads on; none if nothing can be tried there at all.
#[must_use]
pub fn fault_at_rest(semantics: &Semantics<'_>, run: &Run) -> Option<(Vec<Move>, Fault)> {
    let stays = run.loop_start.is_some() && run.steps.last().is_some_and(|taken| taken.moves.is_empty());
    if !stays {
        return None;
    }
    semantics.successors(run.last()).into_iter().find_map(|successor| match successor.outcome {
        Outcome::Fault { fault, .. } => Some((successor.moves, fault)),
        Outcome::Next(_) => None,
    })
}

/// Who makes a step.
#[must_use]
pub fn moved_by(moves: &[Move]) -> Option<u32> {
    moves.first().map(|mv| mv.pid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_load::program::from_text;

    /// Whether the first state of a program with this statement stays for ever.
    fn rests_at_first(statement: &str) -> bool {
        let text = format!("system s\nvar x : int = 0\nprocess P {{ {statement} }}\n");
        let file = from_text("s.gcl", text, &[], None).unwrap_or_else(|failure| panic!("{failure:?}"));
        let semantics = Semantics::new(&file.program);
        let budget = tertium_base::Budget::unlimited();
        let states = semantics.initial_states(1, &budget).unwrap_or_else(|why| panic!("{why:?}"));
        rests(&semantics, &states[0])
    }

    #[test]
    fn a_state_rests_if_surely_nothing_leads_on() {
        assert!(rests_at_first("await x > 0;"));
        assert!(rests_at_first("assert x > 0;"), "what goes wrong leads nowhere");
        assert!(!rests_at_first("x := x + 1;"));
        assert!(!rests_at_first("x := * in 0..3;"));
        assert!(!rests_at_first("x := *;"), "any value leads on, though none is tried");
        assert!(!rests_at_first("await x > 0;} process Q { x := *;"));
    }
}

//! Between which values do variables without bounds stay, as far as runs show?
//!
//! A counter of type `nat` that never leaves `0..3` has no bounds that an analysis of the text finds, and sets need some. Random walks see its values; where longer walks see no others, these are
//! *believed*, and sets are made within them. That costs no soundness: the encoding begins with all initial states, and refuses a program of which a step from a state that is reached leaves the
//! bounds (`tertium_encode::InstantiatedProgram::within`); so an answer is about all states. Walks have a fixed seed: the same program gives the same ranges.

use tertium_abstraction::invariants::reachable_bounds;
use tertium_base::{Budget, Stopped};
use tertium_program::{InitialValue, Outcome, Program, Semantics, State, VarId};
use tertium_smt::Bounds;
use tertium_trace::simulate::Chance;

/// So many walks, each with so many steps.
const WALKS: usize = 24;
const STEPS: usize = 120;
/// More initial states are not begun from.
const MOST_INITIAL: u64 = 64;
/// Wider ranges are not believed: the more values there are, the less walks say.
const WIDEST: i128 = 1_000;

/// The variables without bounds, if walks may tell something about all of them; none if there is one of which they tell nothing.
fn unbounded(program: &Program) -> Option<Vec<VarId>> {
    let fixed = program.is_static() && program.channels.is_empty() && program.functions.is_empty();
    let known = reachable_bounds(program);
    let is_open = |var: &VarId| {
        let (lo, hi) = known[var.index()];
        (lo.is_none() || hi.is_none()) && !program.left_out.contains(var)
    };
    let found: Vec<VarId> = program.variable_ids().filter(is_open).collect();
    let begins = |var: &VarId| matches!(program.variable(*var).initial, InitialValue::Same(_) | InitialValue::Each(_));
    (fixed && !found.is_empty() && found.iter().all(begins)).then_some(found)
}

/// Whether walks may tell something.
pub(super) fn may_be_seen(program: &Program) -> bool {
    unbounded(program).is_some()
}

/// Ranges of the variables without bounds that walks do not leave; none if they grow.
///
/// # Errors
/// If a limit is reached.
pub(super) fn seen_ranges(program: &Program, budget: &Budget) -> Result<Option<Vec<Bounds>>, Stopped> {
    let Some(variables) = unbounded(program) else { return Ok(None) };
    let semantics = Semantics::new(program).within(budget);
    let Ok(initial) = semantics.initial_states(MOST_INITIAL, budget) else { return Ok(None) };
    if initial.is_empty() {
        return Ok(None);
    }
    let mut chance = Chance::new(1);
    let mut ranges: Vec<Option<(i64, i64)>> = vec![None; variables.len()];
    let mut early = ranges.clone();
    for walk in 0..WALKS {
        let mut state = initial[walk % initial.len()].clone();
        for step in 0..STEPS {
            budget.check()?;
            see(&semantics, &variables, &state, &mut ranges);
            let mut next: Vec<State> = (semantics.successors(&state).into_iter())
                .filter_map(|successor| if let Outcome::Next(next) = successor.outcome { Some(next) } else { None })
                .collect();
            if next.is_empty() {
                break;
            }
            state = next.swap_remove(chance.below(next.len()));
            // What grows is seen to grow within the first walk.
            if walk == 0 && step == STEPS / 2 {
                early.clone_from(&ranges);
            }
        }
        let grows = ranges.iter().zip(&early).any(|(all, early)| width(*all) > 2 * width(*early) + 8);
        if (walk == 0 && grows) || ranges.iter().any(|&range| width(range) > WIDEST) {
            return Ok(None);
        }
        if walk == WALKS / 2 {
            early.clone_from(&ranges);
        }
    }
    if ranges != early {
        return Ok(None);
    }
    let mut found = vec![(None, None); program.variables.len()];
    for (var, range) in variables.iter().zip(ranges) {
        let Some((least, most)) = range else { return Ok(None) };
        found[var.index()] = (Some(i128::from(least)), Some(i128::from(most)));
    }
    Ok(Some(found))
}

fn width(range: Option<(i64, i64)>) -> i128 {
    range.map_or(0, |(least, most)| i128::from(most) - i128::from(least))
}

fn see(semantics: &Semantics<'_>, variables: &[VarId], state: &State, ranges: &mut [Option<(i64, i64)>]) {
    let program = semantics.program();
    for (&var, range) in variables.iter().zip(ranges) {
        let Some(first) = semantics.layout().fixed_slot(program, var) else { continue };
        for &value in &state.slots[first..first + program.variable(var).cells()] {
            let (least, most) = range.unwrap_or((value, value));
            *range = Some((least.min(value), most.max(value)));
        }
    }
}

//! How much later than its limits may a search tell what it has found in time?

use std::time::Duration;

use tertium_base::{Budget, StopReason, Stopped};

/// The budget itself while time is left, else a little more, to look for the shortest run to what is already known.
pub(crate) fn short_while(budget: &Budget) -> Budget {
    if budget.check().is_ok() {
        return budget.clone();
    }
    let grace = budget.elapsed().min(a_moment(budget) / 2);
    Budget::unlimited().with_time(Some(grace)).with_memory(budget.memory_limit())
}

/// What was found in time is told even if the time is then up: going back costs at most as much as the search did. Where time is
/// limited, it has to be done before the run is ended from outside; elsewhere the clock has no say in it. If somebody else has decided it meanwhile, nobody wants to know.
pub(crate) fn afterwards(budget: &Budget) -> Budget {
    let grace = match (budget.time_left(), budget.check()) {
        (_, Err(Stopped(StopReason::Interrupted))) => Duration::from_secs(2),
        (Some(left), _) => left + a_moment(budget),
        (None, _) => {
            let effort = budget.effort().saturating_mul(2).max(LEAST_AFTERWARDS);
            return Budget::unlimited().with_effort(Some(effort)).in_place_of(budget);
        }
    };
    Budget::unlimited().with_time(Some(grace)).in_place_of(budget)
}

/// Looks at the budget that going back may take however short the search was.
const LEAST_AFTERWARDS: u64 = 20_000;

/// So much later than its limit a run may end.
fn a_moment(budget: &Budget) -> Duration {
    Duration::from_millis(300) + budget.time_limit().unwrap_or_default() / 25
}

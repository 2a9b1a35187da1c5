//! Decision diagrams: sets of states instead of single ones.

use tertium_base::{Diagnostic, StopReason, memory};
use tertium_cegar::options::CheckOutcome;
use tertium_lattice::Belnap;
use tertium_load::questions::Question;

use super::engine::{Applies, EngineId, EngineOutcome, ProgramEngine, Situation};
use super::forgetting::forgetting;
use super::seen_ranges::seen_ranges;
use crate::failure::{Failure, Located};
use crate::program::symbolic;

/// Why sets are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// The user wants them.
    Wished,
    /// By its types the program has very many states, and a search has not come to an end soon.
    ManyStates,
    /// Some types have no bounds, and the values that walks see may be all that there are.
    SeenRanges,
}

/// Sets of states as decision diagrams.
pub(super) struct DecisionDiagrams(pub(super) Cause);

impl ProgramEngine for DecisionDiagrams {
    fn id(&self) -> EngineId {
        EngineId::Symbolic
    }

    fn applies(&self, _: &Situation<'_>) -> Applies {
        Applies::Yes
    }

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<EngineOutcome, Failure> {
        let (limits, request) = (&situation.facts.limits, situation.request);
        let room = match self.0 {
            Cause::Wished => None,
            Cause::ManyStates | Cause::SeenRanges => Some(limits.room_for_diagrams),
        };
        // Counted in bytes and not in seconds: which engine decides depends on the program alone.
        let budget = room.map_or_else(
            || situation.budget.clone(),
            |room| {
                let most = memory::in_use().saturating_add(room);
                let most = situation.budget.memory_limit().map_or(most, |limit| limit.min(most));
                situation.budget.clone().with_memory(Some(most))
            },
        );
        let options = &request.wishes.options;
        let believed = match self.0 {
            Cause::SeenRanges => match seen_ranges(&request.file.program, &budget) {
                Ok(Some(ranges)) => ranges,
                // Nothing is said, also where a limit was reached: others say so.
                Ok(None) | Err(_) => {
                    return Ok(EngineOutcome { answers: vec![None; open.len()], ..EngineOutcome::default() });
                }
            },
            Cause::Wished | Cause::ManyStates => Vec::new(),
        };
        let outcome = forgetting(situation, open, |file, observer| {
            symbolic::check_within(file, open, options, &believed, &budget, observer)
        })?;
        Ok(self.told(situation, outcome))
    }
}

impl DecisionDiagrams {
    fn told(&self, situation: &Situation<'_>, mut outcome: CheckOutcome) -> EngineOutcome {
        if self.0 == Cause::Wished {
            return outcome.into();
        }
        if outcome.answers.iter().any(|answer| answer.value() != Belnap::Unknown) {
            outcome.remarks.push(Located::nowhere(self.remark(situation)));
        }
        // A lack of room is no limit of the user's: another engine has its turn.
        let full = |stopped: Option<StopReason>| stopped == Some(StopReason::Memory);
        let mut found = EngineOutcome::from(outcome);
        for answer in &mut found.answers {
            *answer = answer.take().filter(|answer| !full(answer.stopped()));
        }
        found
    }

    fn remark(&self, situation: &Situation<'_>) -> Diagnostic {
        let help = "`--engine explicit` visits the states one by one";
        if self.0 == Cause::SeenRanges {
            let message = "decided over sets: variables without bounds stay within the values that runs of the program showed, which the sets confirm";
            return Diagnostic::note_only("W0431", message).help(help);
        }
        let log10 = situation.facts.log10_states(situation.request.file).unwrap_or_default();
        let facts = situation.facts;
        let why = match (facts.much_fairness, facts.synchronous, facts.limits.sets_first) {
            (true, ..) => "properties have many conditions of fairness".to_owned(),
            (false, true, _) => "each of its steps changes many variables at once".to_owned(),
            (false, false, true) => "models in SMV are mostly written for sets".to_owned(),
            (false, false, false) => format!("a search had seen {} without an end", facts.limits.first_states),
        };
        let most = log10.ceil();
        let message = format!("decided over sets: by its types the program has at most 10^{most} states, and {why}");
        Diagnostic::note_only("W0431", message).help(help)
    }
}

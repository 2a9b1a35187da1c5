//! Explicit-state search: states are visited one by one, all of them or the first ones.

use tertium_cegar::options::CheckOptions;
use tertium_lattice::Belnap;
use tertium_load::questions::Question;

use super::engine::{Applies, EngineId, Found, ProgramEngine, Situation};
use crate::failure::Failure;
use crate::program::check;

/// How many states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    /// All, or as many as the user allows.
    Whole,
    /// These, before something else is tried: faults that lie near are found, and programs that turn out to be small are decided.
    First(usize),
    /// These, of a program without bounds that abstraction has left open; all that the user allows if it could not be abstracted.
    More(usize),
}

/// States that are visited.
pub(super) struct ExplicitSearch(pub(super) Extent);

impl ProgramEngine for ExplicitSearch {
    fn id(&self) -> EngineId {
        EngineId::Explicit
    }

    fn applies(&self, situation: &Situation<'_>) -> Applies {
        // What is left open by looking at few processes of very many is not settled by visiting the states of all of them.
        let too_many = situation.facts.very_many && situation.board.has_run(EngineId::Spotlight);
        // Of a program with functions of which nothing is known, the first states are all that can be visited.
        let again = matches!(self.0, Extent::Whole | Extent::More(_)) && situation.board.has_run(EngineId::Explicit);
        let blind = again && situation.facts.functions && !situation.board.has_refused(EngineId::Cegar);
        Applies::when(!too_many && !blind)
    }

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<Found, Failure> {
        let wanted = &situation.request.wishes.options;
        let max_states = match self.0 {
            Extent::More(_) if situation.board.has_refused(EngineId::Cegar) => wanted.max_states,
            Extent::Whole => wanted.max_states,
            Extent::First(most) | Extent::More(most) => Some(most),
        };
        let options = CheckOptions { max_states, ..wanted.clone() };
        let file = situation.request.file;
        let mut outcome = check(file, open, &options, situation.budget, situation.observer)?;
        let all = outcome.answers.iter().all(|answer| answer.value() != Belnap::Unknown);
        for answer in &mut outcome.answers {
            if answer.value() != Belnap::Unknown {
                let choice = self.choice(situation, all);
                let how = answer.provenance.phrase();
                answer.choice = choice.map(|why| format!("by {how}: {why}")).or(answer.choice.take());
            }
        }
        Ok(outcome.into())
    }
}

impl ExplicitSearch {
    /// Why an answer was found in this way, if there is something to say about it.
    fn choice(&self, situation: &Situation<'_>, all: bool) -> Option<String> {
        match self.0 {
            // Everything is settled: nothing else was tried.
            Extent::First(_) if all => None,
            Extent::First(most) => Some(format!("found among the first {most} states")),
            Extent::Whole | Extent::More(_) => {
                if let Some(missing) = situation.board.missing() {
                    return Some(missing.what.clone());
                }
                let abstracted = situation.board.has_run(EngineId::Cegar);
                abstracted.then(|| "abstraction left it open".to_owned())
            }
        }
    }
}

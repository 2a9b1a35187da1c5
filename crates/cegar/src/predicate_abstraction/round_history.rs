//! What did each round of refinement look at?
//!
//! The loop keeps its predicates in the order in which it learnt them, so a round is told by how many of them it had. Here the
//! program is abstracted again over those, for people who look at it. No answer rests on it.

use std::collections::HashMap;

use tertium_abstraction::Predicate;
use tertium_base::Budget;
use tertium_instantiate::Origin;
use tertium_kernel::vocabulary::NoTerm;
use tertium_program::{ExprId, Program, VarId};

use super::abstraction_view::{AbstractionView, pictured};
use super::{AbstractionOptions, Prepared, how, over};
use crate::answer::Round;
use crate::limits;
use crate::options::CheckOptions;
use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;

/// The predicates of all rounds.
#[derive(Clone, Debug)]
pub struct RoundHistory {
    program: Program,
    channels: Vec<VarId>,
    steps: Option<Vec<Origin>>,
    moved: Option<HashMap<ExprId, ExprId>>,
    predicates: Vec<Predicate>,
    /// By round: its number, and how many of the predicates it had.
    rounds: Vec<(usize, usize)>,
}

/// A round as it can be drawn.
#[derive(Debug)]
pub struct RoundStructure {
    /// Its number, counted from 0.
    pub number: usize,
    /// The abstraction; none if it is too large, or takes too long.
    pub pictured: Option<AbstractionView>,
}

impl RoundHistory {
    /// The rounds from `first` on, which begin with no predicates; none if they are not those of this system.
    #[must_use]
    pub(crate) fn of(prepared: &Prepared, rounds: &[Round], first: usize) -> Option<Self> {
        let mut count = 0;
        let mut counted = Vec::new();
        for (number, round) in rounds.iter().enumerate().skip(first) {
            count += round.predicates.len();
            counted.push((number, count));
        }
        let system = &prepared.system;
        let fits = count <= system.predicates().len() && counted.len() > 1;
        fits.then(|| Self {
            program: system.program().clone(),
            channels: prepared.channels.clone(),
            steps: prepared.steps.clone(),
            moved: prepared.moved.clone(),
            predicates: system.predicates().to_vec(),
            rounds: counted,
        })
    }

    /// Which rounds are drawn: the first, the last, and some between them.
    fn chosen(&self) -> Vec<(usize, usize)> {
        let all = self.rounds.len();
        let wanted = all.min(limits::ROUND_HISTORY_MOST_ROUNDS);
        (0..wanted).map(|at| self.rounds[at * (all - 1) / (wanted - 1).max(1)]).collect()
    }

    /// Abstracts the program over the predicates of each round and asks the property of it.
    ///
    /// # Errors
    /// If a limit is reached, or the program cannot be abstracted.
    pub fn draw(
        &self,
        file: &ProgramFile,
        asked: &PropertyQuery,
        options: &CheckOptions,
        abstraction: &AbstractionOptions,
        budget: &Budget,
    ) -> Result<Vec<RoundStructure>, Failure> {
        let most =
            abstraction.max_states.unwrap_or(limits::ROUND_HISTORY_MOST_STATES).min(limits::ROUND_HISTORY_MOST_STATES);
        let small = AbstractionOptions { max_states: Some(most), ..abstraction.clone() };
        let mut drawn = Vec::new();
        for (number, count) in self.chosen() {
            budget.check()?;
            let pictured = self.round(count, file, asked, options, &small, budget)?;
            drawn.push(RoundStructure { number, pictured });
        }
        Ok(drawn)
    }

    /// The same for the last round only; none if it is too large, or takes too long.
    ///
    /// # Errors
    /// If a limit is reached, or the program cannot be abstracted.
    pub fn draw_last(
        &self,
        file: &ProgramFile,
        asked: &PropertyQuery,
        options: &CheckOptions,
        abstraction: &AbstractionOptions,
        budget: &Budget,
    ) -> Result<Option<AbstractionView>, Failure> {
        let small = AbstractionOptions { max_states: Some(limits::ROUND_HISTORY_MOST_STATES), ..abstraction.clone() };
        match self.rounds.last() {
            Some(&(_, count)) => self.round(count, file, asked, options, &small, budget),
            None => Ok(None),
        }
    }

    /// The abstraction over so many predicates.
    fn round(
        &self,
        count: usize,
        file: &ProgramFile,
        asked: &PropertyQuery,
        options: &CheckOptions,
        abstraction: &AbstractionOptions,
        budget: &Budget,
    ) -> Result<Option<AbstractionView>, Failure> {
        let brief = budget.clone().with_effort(Some(budget.effort() + limits::ROUND_HISTORY_MOST_EFFORT));
        let how = how(&self.program, &self.channels, abstraction);
        let system = over(file, &self.program, &self.predicates[..count], &how, abstraction, &brief)?;
        let mut prepared = Prepared {
            system,
            moved: self.moved.clone(),
            channels: self.channels.clone(),
            steps: self.steps.clone(),
            later: Err(NoTerm("a picture is no proof".to_owned())),
        };
        match pictured(file, &mut prepared, asked, options, &brief) {
            Err(Failure::Stopped(_)) => Ok(None),
            pictured => pictured,
        }
    }
}

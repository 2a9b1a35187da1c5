//! Over which predicates is a ranked game played?
//!
//! First over those that are there. What is missing then is guessed in several ways, those that cost least first: where the phases of a loop end, what the program says about its start, what would make a candidate
//! decrease, what whoever chooses must know, what a hypothesis about the start implies, and which relations hold on either side of a condition. Nothing rests on these: each is a predicate, and the game decides.

use tertium_load::failure::Failure;
use tertium_load::questions::{PropertyQuery, QuestionId};
use tertium_logic::Formula;

use super::Loop;
use super::chosen_predicates::WHERE_CHOSEN;
use super::inductive_predicates::add_inductive;
use super::open_cycles::Lacking;
use super::partitioned_invariants::{Kinds, PARTITIONS, add_hypothesis, add_partition};
use super::ranked_games::Won;
use super::resolvents::{add_invariant_resolvents, other_remainders, sides_of_equations, tight_invariants};
use crate::limits;
use crate::predicate_abstraction::{Prepared, failed, predicates};
use crate::refine::{Chooser, Contradiction};

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum GameEffort {
    /// Before predicates are refined.
    First,
    /// After a round that added predicates.
    AfterRound,
    /// When nothing else is left.
    Last,
}

impl GameEffort {
    /// How many changes of numbers are looked at.
    pub(super) const fn most_changes(self) -> usize {
        match self {
            Self::First | Self::AfterRound => limits::RANKING_GAME_FEW_CHANGES,
            Self::Last => limits::RANKING_GAME_MANY_CHANGES,
        }
    }

    /// How many of the integers that predicates suggest are looked at.
    pub(super) const fn most_candidates(self) -> usize {
        limits::RANKING_GAME_MOST_CANDIDATES
    }
}

/// Which game was played: for which question, over which predicates, whether they were local, and with which effort.
pub(super) type PlayedGame = (QuestionId, Vec<String>, bool, GameEffort);

/// A game that is played several times, over more and more predicates.
pub(super) struct GameAttempt<'a> {
    pub(super) asked: &'a PropertyQuery,
    pub(super) formula: Formula,
    pub(super) effort: GameEffort,
    /// How many predicates there were before.
    pub(super) before: usize,
    /// How often the solver had given up before.
    pub(super) gave_up: u64,
    /// What the last game lacked.
    pub(super) lacking: Lacking,
}

impl GameAttempt<'_> {
    /// Whether the solver gives up again and again.
    fn is_hard(&self, prepared: &Prepared) -> bool {
        prepared.system.queries().gave_up() > self.gave_up + limits::RANKING_GAME_MOST_GIVEN_UP
    }

    /// Whether there are more predicates than it is worth to play with as long as other ways are left.
    fn is_large(&self, prepared: &Prepared) -> bool {
        let most = limits::RANKING_GAME_FEW_PREDICATES.max(self.before + limits::RANKING_GAME_FEW_MORE);
        self.effort != GameEffort::Last && prepared.system.predicates().len() > most
    }

    /// Leaves out predicates that were added, since each makes more states.
    pub(super) fn restore(&self, prepared: &mut Prepared) {
        if prepared.system.predicates().len() > self.before {
            prepared.system.keep_predicates(self.before);
        }
    }
}

/// A way to find what is missing.
type Stage<'l> = fn(&Loop<'l>, &mut Prepared, &mut GameAttempt<'_>) -> Result<Option<Won>, Failure>;

impl<'l> Loop<'l> {
    /// Plays until a value is defended, or nothing more is known to try.
    pub(super) fn attempted(
        &self,
        prepared: &mut Prepared,
        attempt: &mut GameAttempt<'_>,
    ) -> Result<Option<Won>, Failure> {
        let stages: [Stage<'l>; 10] = [
            Self::played,
            Self::with_phases,
            Self::with_hypothesis,
            Self::with_inductive,
            Self::with_start,
            Self::with_conditions,
            Self::with_choices,
            Self::with_tight_invariants,
            Self::with_bounds,
            Self::with_partition,
        ];
        for stage in stages {
            if let Some(won) = stage(self, prepared, attempt)? {
                return Ok(Some(won));
            }
            if attempt.is_hard(prepared) {
                break;
            }
        }
        Ok(None)
    }

    /// Where the phases of open cycles end.
    fn with_phases(&self, prepared: &mut Prepared, attempt: &mut GameAttempt<'_>) -> Result<Option<Won>, Failure> {
        let ends = std::mem::take(&mut attempt.lacking.phase_ends);
        if ends.into_iter().filter(|&end| prepared.system.learn_predicate(end)).count() == 0 {
            return Ok(None);
        }
        let conditions = attempt.lacking.conditions.clone();
        let won = self.played(prepared, attempt)?;
        if won.is_none() {
            attempt.restore(prepared);
            attempt.lacking.conditions = conditions;
        }
        Ok(won)
    }

    /// What an invariant says about a comparison.
    fn with_bounds(&self, prepared: &mut Prepared, attempt: &mut GameAttempt<'_>) -> Result<Option<Won>, Failure> {
        attempt.restore(prepared);
        if attempt.effort == GameEffort::AfterRound || !add_invariant_resolvents(prepared) {
            return Ok(None);
        }
        self.played(prepared, attempt)
    }

    /// What the program says about its start, the sides of equations, and all remainders where one is asked for.
    fn with_start(&self, prepared: &mut Prepared, attempt: &mut GameAttempt<'_>) -> Result<Option<Won>, Failure> {
        let mut more = predicates::of_start(prepared.system.program(), prepared.system.predicates());
        more.truncate(limits::RANKING_MOST_OF_START);
        more.extend(sides_of_equations(prepared));
        let added = more.into_iter().try_for_each(|one| prepared.system.add_predicate(one));
        let remainders = other_remainders(prepared);
        let added = added.and_then(|()| remainders.into_iter().try_for_each(|one| prepared.system.add_predicate(one)));
        if added.is_err() || prepared.system.predicates().len() <= attempt.before {
            return Ok(None);
        }
        self.played(prepared, attempt)
    }

    /// What is missing for a decrease; where it is missing for those in turn, phases follow one another.
    fn with_conditions(&self, prepared: &mut Prepared, attempt: &mut GameAttempt<'_>) -> Result<Option<Won>, Failure> {
        for _ in 0..limits::RANKING_GAME_MOST_PHASES {
            if attempt.lacking.conditions.is_empty() || attempt.is_hard(prepared) {
                break;
            }
            let conditions = vec![std::mem::take(&mut attempt.lacking.conditions)];
            let found = Contradiction { conditions, ..Contradiction::default() };
            let learnt = Chooser::default().choose(&mut prepared.system, &found)?;
            if learnt.is_empty() || self.grows(&prepared.system, learnt.len()) || attempt.is_large(prepared) {
                break;
            }
            if let Some(won) = self.played(prepared, attempt)? {
                return Ok(Some(won));
            }
        }
        Ok(None)
    }

    /// What a hypothesis about the start implies for all runs.
    fn with_hypothesis(&self, prepared: &mut Prepared, attempt: &mut GameAttempt<'_>) -> Result<Option<Won>, Failure> {
        let (asked, add) = (attempt.asked, add_hypothesis);
        self.over_relations(prepared, attempt, |prepared, kinds| add(prepared, asked, kinds))
    }

    /// What whoever chooses values must know.
    fn with_choices(&self, prepared: &mut Prepared, attempt: &mut GameAttempt<'_>) -> Result<Option<Won>, Failure> {
        let additions = if self.chooses(attempt.asked) { WHERE_CHOSEN.as_slice() } else { &[] };
        for add in additions {
            if attempt.is_hard(prepared) {
                break;
            }
            attempt.restore(prepared);
            if add(prepared)
                && let Some(won) = self.played(prepared, attempt)?
            {
                return Ok(Some(won));
            }
        }
        Ok(None)
    }

    /// Where a sum is as large as an invariant lets it be.
    fn with_tight_invariants(
        &self,
        prepared: &mut Prepared,
        attempt: &mut GameAttempt<'_>,
    ) -> Result<Option<Won>, Failure> {
        attempt.restore(prepared);
        let tight = tight_invariants(prepared);
        if tight.is_empty() || tight.into_iter().try_for_each(|one| prepared.system.add_predicate(one)).is_err() {
            return Ok(None);
        }
        let sides = sides_of_equations(prepared);
        if sides.into_iter().try_for_each(|one| prepared.system.add_predicate(one)).is_err() {
            return Ok(None);
        }
        self.played(prepared, attempt)
    }

    /// Which relations hold on either side of a condition.
    fn with_partition(&self, prepared: &mut Prepared, attempt: &mut GameAttempt<'_>) -> Result<Option<Won>, Failure> {
        let asked = attempt.asked;
        for by in PARTITIONS {
            let add = |prepared: &mut Prepared, kinds| add_partition(prepared, Some(asked), by, kinds);
            if let Some(won) = self.over_relations(prepared, attempt, add)? {
                return Ok(Some(won));
            }
        }
        Ok(None)
    }

    /// What, once it is true, keeps something from ever happening.
    fn with_inductive(&self, prepared: &mut Prepared, attempt: &mut GameAttempt<'_>) -> Result<Option<Won>, Failure> {
        if attempt.effort == GameEffort::AfterRound {
            return Ok(None);
        }
        let any = add_inductive(prepared, attempt.asked, self.work.budget);
        let any = any.map_err(|why| failed(self.work.file, prepared.system.program(), why))?;
        let conditions = attempt.lacking.conditions.clone();
        let won = if any { self.played(prepared, attempt)? } else { None };
        if won.is_none() {
            attempt.restore(prepared);
            attempt.lacking.conditions = conditions;
        }
        Ok(won)
    }

    /// Relations that were found somehow, equations first.
    fn over_relations(
        &self,
        prepared: &mut Prepared,
        attempt: &mut GameAttempt<'_>,
        add: impl Fn(&mut Prepared, Kinds) -> bool,
    ) -> Result<Option<Won>, Failure> {
        if attempt.effort == GameEffort::AfterRound {
            return Ok(None);
        }
        // What the next stage looks for is what was lacking before.
        let conditions = attempt.lacking.conditions.clone();
        for kinds in [Kinds::Equations, Kinds::All] {
            attempt.restore(prepared);
            if !attempt.is_hard(prepared)
                && add(prepared, kinds)
                && !attempt.is_large(prepared)
                && let Some(won) = self.played(prepared, attempt)?
            {
                return Ok(Some(won));
            }
        }
        attempt.restore(prepared);
        attempt.lacking.conditions = conditions;
        Ok(None)
    }
}

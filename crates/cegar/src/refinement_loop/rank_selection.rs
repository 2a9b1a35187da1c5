//! Which of several ranking functions defend a value together?
//!
//! One after the other is added as long as more claims are defended. Where none alone defends more, some may do so together: to be above 10 again and again, and below -10 again and again, takes a function for each way.

use tertium_lattice::Belnap;
use tertium_load::failure::Failure;

use super::ranked_games::{GameRank, Outcome, Play};
use crate::limits;

impl Play<'_> {
    pub(super) fn greedily_for(
        &mut self,
        ranks: &[GameRank],
        open: &[Outcome],
    ) -> Result<Option<(Belnap, Vec<String>)>, Failure> {
        for outcome in open {
            if let Some(found) = self.greedily(ranks, outcome.positive, outcome.won)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Adds ranking functions as long as more claims are defended.
    fn greedily(
        &mut self,
        ranks: &[GameRank],
        positive: bool,
        mut most: usize,
    ) -> Result<Option<(Belnap, Vec<String>)>, Failure> {
        let mut chosen: Vec<usize> = Vec::new();
        loop {
            let mut grown = false;
            for at in 0..ranks.len() {
                if chosen.contains(&at) || chosen.len() >= limits::RANKING_GAME_MOST_TOGETHER {
                    continue;
                }
                let trial: Vec<usize> = chosen.iter().copied().chain([at]).collect();
                let parts: Vec<&GameRank> = trial.iter().map(|&at| &ranks[at]).collect();
                let Some(outcome) = self.solve(&parts, positive)? else { return Ok(None) };
                if outcome.defended {
                    return self.with(ranks, trial, positive);
                }
                if outcome.won > most {
                    (most, chosen, grown) = (outcome.won, trial, true);
                }
            }
            if !grown {
                return self.together(ranks, chosen, positive);
            }
        }
    }

    /// Tries the first ones together with those that were chosen.
    fn together(
        &mut self,
        ranks: &[GameRank],
        mut chosen: Vec<usize>,
        positive: bool,
    ) -> Result<Option<(Belnap, Vec<String>)>, Failure> {
        let before = chosen.len();
        for at in 0..ranks.len() {
            if chosen.len() < limits::RANKING_GAME_MOST_AT_ONCE && !chosen.contains(&at) {
                chosen.push(at);
            }
        }
        // What this costs grows fast with the functions and with the game.
        let small = self.ranking.drawn.explored.states.len() <= limits::RANKING_GAME_FEW_STATES;
        if chosen.len() < before + 2 || !small {
            return Ok(None);
        }
        self.with(ranks, chosen, positive)
    }

    /// Whether these ranking functions defend a value; those that are not needed are left out.
    pub(super) fn with(
        &mut self,
        ranks: &[GameRank],
        mut chosen: Vec<usize>,
        positive: bool,
    ) -> Result<Option<(Belnap, Vec<String>)>, Failure> {
        let parts = |chosen: &[usize]| chosen.iter().map(|&at| &ranks[at]).collect::<Vec<_>>();
        if !self.solve(&parts(&chosen), positive)?.is_some_and(|outcome| outcome.defended) {
            return Ok(None);
        }
        let mut at = 0;
        while at < chosen.len() {
            let mut fewer = chosen.clone();
            fewer.remove(at);
            match self.solve(&parts(&fewer), positive)? {
                Some(outcome) if outcome.defended => chosen = fewer,
                _ => at += 1,
            }
        }
        // What is solved last is what the structure keeps.
        self.solve(&parts(&chosen), positive)?;
        Ok(Some((positive.into(), chosen.iter().map(|&at| ranks[at].shown()).collect())))
    }

    /// Leaves out functions that differ from another one by a constant only and decrease on no more steps: what is larger is not negative wherever what is smaller is not.
    pub(super) fn leave_out_dominated(&mut self, ranks: &mut Vec<GameRank>) {
        let terms = self.ranking.system.asking().0;
        let mut dominated = vec![false; ranks.len()];
        for (at, one) in ranks.iter().enumerate() {
            let [own] = one.candidates.as_slice() else { continue };
            let better = |(other, rank): (usize, &GameRank)| {
                let [candidate] = rank.candidates.as_slice() else { return false };
                let difference = terms.sub(candidate.term, own.term);
                let same = rank.rank.decreasing == one.rank.decreasing;
                let larger = terms.as_int(difference).is_some_and(|by| by > 0 && !same || same && other < at);
                other != at && larger
            };
            dominated[at] = ranks.iter().enumerate().any(better);
        }
        let mut at = 0;
        ranks.retain(|_| {
            at += 1;
            !dominated[at - 1]
        });
    }

    /// What is open where the first of these functions can be made use of: certain sets that decrease them lead to more states.
    pub(super) fn widen(&mut self, ranks: &[GameRank], open: &mut [Outcome]) -> Result<(), Failure> {
        let parts: Vec<&GameRank> = ranks.iter().take(limits::RANKING_GAME_MOST_WIDENING).collect();
        for outcome in open {
            if let Some(wider) = self.solve_with_cycles(&parts, outcome.positive)? {
                (outcome.open, outcome.cycles) = (wider.open, wider.cycles);
            }
        }
        Ok(())
    }
}

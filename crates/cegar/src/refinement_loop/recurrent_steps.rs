//! Which steps are tried on the way to a cycle, and what has happened since all was well?
//!
//! At first the program is run as it is, and inputs of any value are left out. If nothing else decides, the search is made once more: a few values are tried for such inputs, and states are told apart by which marks of the automaton were passed and who
//! was treated fairly, since a cycle in which everybody has a turn may come back to states on its way.

use tertium_program::{Expr, ExprId, Move, Outcome, State};
use tertium_trace::run;

use super::recurrent_sets::RecurrentSetSearch;
use crate::limits;

impl RecurrentSetSearch<'_> {
    /// Goes farther from now on; whether that makes a difference.
    pub(super) fn goes_farther(&mut self) -> bool {
        let fair = self.fair[0].union(&self.fair[1]).count();
        self.tells_progress = (2..=limits::RECURRENT_SETS_MOST_PROGRESS).contains(&(fair + self.automaton.marks));
        let program = &self.file.program;
        let any = |input: &tertium_program::Input| {
            matches!(input.domain, tertium_program::Domain::Type(ty) if {
                let (lo, hi) = program.bounds(ty);
                lo.is_none() || hi.is_none()
            })
        };
        if program.steps.iter().any(|step| step.inputs.iter().any(any)) {
            let mut guesses: Vec<i64> = vec![0];
            for expr in (0..program.exprs.len()).map(|at| program.exprs.get(ExprId::new(at))) {
                if let Expr::Int(value) = expr {
                    guesses.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
                }
            }
            guesses.sort_by_key(|&value| (value.unsigned_abs(), value < 0));
            guesses.dedup();
            guesses.truncate(limits::RECURRENT_SETS_MOST_GUESSES);
            self.guesses = guesses;
        }
        self.nodes.clear();
        self.tells_progress || !self.guesses.is_empty()
    }

    /// The steps from a state that lead somewhere.
    pub(super) fn steps(&self, state: &State) -> Vec<(Vec<Move>, State)> {
        let mut found = Vec::new();
        for successor in self.semantics.successors(state) {
            match successor.outcome {
                Outcome::Next(next) => found.push((successor.moves, next)),
                Outcome::Fault { .. } if !self.guesses.is_empty() => self.guessed(state, &successor.moves, &mut found),
                Outcome::Fault { .. } => {}
            }
        }
        found
    }

    /// The same where values are put in for inputs that lack them.
    fn guessed(&self, state: &State, moves: &[Move], found: &mut Vec<(Vec<Move>, State)>) {
        let Some((last, first)) = moves.split_last() else { return };
        let wanted = self.file.program.step(last.step).inputs.len();
        if !last.inputs.is_empty() || wanted == 0 || wanted > 2 {
            return;
        }
        let mut rows: Vec<Vec<i64>> = vec![Vec::new()];
        for _ in 0..wanted {
            let extended = |row: Vec<i64>| self.guesses.iter().map(move |&value| [row.as_slice(), &[value]].concat());
            rows = rows.into_iter().flat_map(extended).collect();
        }
        for inputs in rows {
            let mut now = state.clone();
            let mut taken = first.to_vec();
            taken.push(Move { inputs, ..last.clone() });
            let done = taken.iter().all(|one| match self.semantics.execute(&now, one) {
                Some(Outcome::Next(next)) => {
                    now = next;
                    true
                }
                _ => false,
            });
            // Where a block that nobody interrupts goes on, the step has not ended.
            if done && now.holder.is_none() {
                found.push((taken, now));
            }
        }
    }

    /// Which marks are passed, and who was treated fairly, since all were.
    pub(super) fn progress(&self, from: usize, moves: &[Move], (watching, transition): (usize, usize)) -> u64 {
        if !self.tells_progress {
            return 0;
        }
        let marks = self.automaton.marks;
        let fair: Vec<u32> = self.fair[0].union(&self.fair[1]).copied().collect();
        let moved = run::moved_by(moves).and_then(|pid| fair.iter().position(|&one| one == pid));
        let passed = self.automaton.states[watching][transition].marks.0;
        let all = (1 << (marks + fair.len())) - 1;
        let progress = self.nodes[from].progress | passed & all | moved.map_or(0, |at| 1 << (marks + at));
        if progress == all { 0 } else { progress }
    }
}

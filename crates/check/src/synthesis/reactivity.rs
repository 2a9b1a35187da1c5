//! GR(1) games by three nested fixpoints (Piterman, Pnueli, Sa'ar 2006).
//!
//! The player wins from `nu Z. AND_j mu Y. OR_i nu X. (g_j & next Z) | next Y | (!a_i & next X)`: they reach the j-th guarantee, from where they go on to the following one, or hold out where some assumption
//! fails for ever. `mu Y` is computed by attractors, and `nu X` by taking away what can be driven out, each in one walk over the moves; what brings a position in is its move in the strategy, whose memory
//! is the guarantee that is waited for. A position that must not be entered (the safety part is broken) is lost, unless the others can be driven to where they cannot move: then there is no infinite play.

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Budget, Stopped};

use crate::game::parity::{Game, NO_MOVE, Player};

/// A GR(1) game: by position whether it is lost, and for each assumption and guarantee where it fails or holds.
pub(super) struct ReactivityGame<'a> {
    pub game: &'a Game,
    pub lost: &'a BitSet,
    /// For each assumption the positions where it surely fails.
    pub broken: &'a [BitSet],
    /// For each guarantee the positions where it surely holds.
    pub reached: &'a [BitSet],
    pub budget: &'a Budget,
}

/// Who wins, and how.
pub(super) struct ReactivitySolution {
    /// Where the player wins.
    pub wins: BitSet,
    /// For each guarantee that is waited for and each position the player's move, counted from 0.
    pub strategy: Vec<Vec<u32>>,
}

struct Fixpoints<'a> {
    task: &'a ReactivityGame<'a>,
    predecessors: Vec<Vec<u32>>,
    /// From where the others can be driven to where they cannot move, and how.
    ending: BitSet,
    ending_moves: Vec<u32>,
    ticks: u32,
}

/// Solves the game.
///
/// # Errors
/// If the budget is spent.
pub(super) fn solve(task: &ReactivityGame<'_>) -> Result<ReactivitySolution, Stopped> {
    let count = task.game.len();
    task.budget.reserve((count + task.game.move_count()) * size_of::<usize>())?;
    let mut predecessors = vec![Vec::new(); count];
    for position in 0..count {
        for &target in task.game.moves(position) {
            predecessors[target as usize].push(to_u32(position));
        }
    }
    let (ending, ending_moves) = (BitSet::empty(count), vec![NO_MOVE; count]);
    Fixpoints { task, predecessors, ending, ending_moves, ticks: 0 }.run()
}

impl Fixpoints<'_> {
    fn run(mut self) -> Result<ReactivitySolution, Stopped> {
        let count = self.task.game.len();
        self.find_endings()?;
        let mut wins = BitSet::from_fn(count, |at| !self.task.lost.contains(at) || self.ending.contains(at));
        loop {
            let mut strategy = Vec::new();
            let mut all = wins.clone();
            for goal in 0..self.task.reached.len() {
                let (reaching, moves) = self.reach(goal, &wins)?;
                strategy.push(moves);
                all = BitSet::from_fn(count, |at| all.contains(at) && reaching.contains(at));
                if all != wins {
                    break;
                }
            }
            if all == wins {
                return Ok(ReactivitySolution { wins, strategy });
            }
            wins = all;
        }
    }

    fn find_endings(&mut self) -> Result<(), Stopped> {
        let game = self.task.game;
        let stuck = |&at: &usize| game.moves(at).is_empty() && game.class(at).owner == Player::Odd;
        let seeds: Vec<u32> = (0..game.len()).filter(stuck).map(to_u32).collect();
        let (mut ending, mut moves) = (BitSet::empty(game.len()), vec![NO_MOVE; game.len()]);
        for &at in &seeds {
            ending.insert(at as usize);
        }
        let all = BitSet::from_fn(game.len(), |_| true);
        self.attract(&mut ending, seeds, &all, &mut moves)?;
        (self.ending, self.ending_moves) = (ending, moves);
        Ok(())
    }

    /// `mu Y. OR_i nu X. (g & next Z) | next Y | (!a_i & next X)`, with the move that brings each position in.
    fn reach(&mut self, goal: usize, wins: &BitSet) -> Result<(BitSet, Vec<u32>), Stopped> {
        let (mut inside, mut moves) = (self.ending.clone(), self.ending_moves.clone());
        let mut fresh: Vec<u32> = inside.iter().map(to_u32).collect();
        for position in self.task.reached[goal].iter().filter(|&at| wins.contains(at)) {
            if let Some(chosen) = self.next(position, wins)
                && inside.insert(position)
            {
                moves[position] = chosen;
                fresh.push(to_u32(position));
            }
        }
        loop {
            self.attract(&mut inside, fresh, wins, &mut moves)?;
            fresh = Vec::new();
            for assumption in 0..self.task.broken.len() {
                let held = self.hold_out(&inside, assumption, wins)?;
                for position in held.iter().filter(|&at| !inside.contains(at)) {
                    moves[position] = self.next(position, &held).unwrap_or(NO_MOVE);
                    fresh.push(to_u32(position));
                }
                if !fresh.is_empty() {
                    inside = held;
                    break;
                }
            }
            if fresh.is_empty() {
                break;
            }
        }
        Ok((inside, moves))
    }

    /// The player's move into a set, 0 where the others must move and all their moves lead there; none if that cannot be forced.
    fn next(&self, position: usize, set: &BitSet) -> Option<u32> {
        let inside = |target: &u32| set.contains(*target as usize);
        let moves = self.task.game.moves(position);
        match self.task.game.class(position).owner {
            Player::Even => moves.iter().position(inside).map(to_u32),
            Player::Odd => moves.iter().all(inside).then_some(0),
        }
    }

    /// Adds what can be forced into the set.
    fn attract(
        &mut self,
        inside: &mut BitSet,
        mut queue: Vec<u32>,
        wins: &BitSet,
        moves: &mut [u32],
    ) -> Result<(), Stopped> {
        let mut done = 0;
        while done < queue.len() {
            self.task.budget.tick(&mut self.ticks)?;
            let target = queue[done] as usize;
            done += 1;
            for at in 0..self.predecessors[target].len() {
                let source = self.predecessors[target][at] as usize;
                if inside.contains(source) || !wins.contains(source) {
                    continue;
                }
                if let Some(chosen) = self.next(source, inside) {
                    moves[source] = chosen;
                    inside.insert(source);
                    queue.push(to_u32(source));
                }
            }
        }
        Ok(())
    }

    /// `nu X. Y | (!a & next X)`: where the player can stay while the assumption fails, or get into `Y`.
    fn hold_out(&mut self, base: &BitSet, assumption: usize, wins: &BitSet) -> Result<BitSet, Stopped> {
        let broken = &self.task.broken[assumption];
        let count = self.task.game.len();
        let mut held = BitSet::from_fn(count, |at| base.contains(at) || (wins.contains(at) && broken.contains(at)));
        let mut queue: Vec<u32> = held.iter().filter(|&at| !base.contains(at)).map(to_u32).collect();
        while let Some(position) = queue.pop() {
            self.task.budget.tick(&mut self.ticks)?;
            let position = position as usize;
            if !held.contains(position) || base.contains(position) || self.next(position, &held).is_some() {
                continue;
            }
            held.remove(position);
            queue.extend(&self.predecessors[position]);
        }
        Ok(held)
    }
}

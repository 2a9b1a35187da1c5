//! What the attractors of all solving steps share: predecessors and the verdicts so far.

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Budget, Stopped};

use super::{Game, NO_MOVE, NO_RANK, Player, Solution};

/// Moves turned round, those inside blocks only.
pub(super) struct Predecessors {
    first: Vec<u32>,
    sources: Vec<u32>,
}

impl Predecessors {
    pub fn inside_blocks(game: &Game, budget: &Budget) -> Result<Self, Stopped> {
        budget.reserve((game.len() + game.move_count()) * size_of::<u32>())?;
        let mut first = vec![0u32; game.len() + 1];
        let mut ticks = 0;
        for position in 0..game.len() {
            budget.tick(&mut ticks)?;
            for &target in inner_moves(game, position) {
                first[target as usize + 1] += 1;
            }
        }
        for at in 0..game.len() {
            first[at + 1] += first[at];
        }
        let mut sources = vec![0u32; first[game.len()] as usize];
        for position in 0..game.len() {
            budget.tick(&mut ticks)?;
            for &target in inner_moves(game, position) {
                let place = &mut first[target as usize];
                sources[*place as usize] = to_u32(position);
                *place += 1;
            }
        }
        // Every entry now holds the end of its own range, which is the start of the next one.
        first.rotate_right(1);
        first[0] = 0;
        Ok(Self { first, sources })
    }

    #[inline]
    pub fn of(&self, position: usize) -> &[u32] {
        &self.sources[self.first[position] as usize..self.first[position + 1] as usize]
    }
}

fn inner_moves(game: &Game, position: usize) -> impl Iterator<Item = &u32> {
    game.moves(position).iter().filter(move |&&target| game.share_block(target as usize, position))
}

/// The solution in the making.
pub(super) struct Verdicts {
    pub decided: BitSet,
    pub solution: Solution,
}

impl Verdicts {
    pub fn new(positions: usize, budget: &Budget) -> Result<Self, Stopped> {
        budget.reserve(positions * (2 * size_of::<u32>() + 1))?;
        let solution = Solution {
            even_wins: BitSet::empty(positions),
            strategy: vec![NO_MOVE; positions],
            rank: vec![NO_RANK; positions],
            intricate: BitSet::empty(positions),
        };
        Ok(Self { decided: BitSet::empty(positions), solution })
    }

    #[inline]
    pub fn decide(&mut self, position: usize, winner: Player) {
        self.decided.insert(position);
        match winner {
            Player::Even => self.solution.even_wins.insert(position),
            Player::Odd => self.solution.even_wins.remove(position),
        };
    }

    /// Whether the position is decided, and for this player.
    #[inline]
    pub fn won_by(&self, position: usize, player: Player) -> bool {
        self.decided.contains(position) && self.solution.winner(position) == player
    }

    /// The first move of a position to a target that passes the test; [`NO_MOVE`] if none does.
    pub fn first_move(game: &Game, position: usize, mut good: impl FnMut(usize) -> bool) -> u32 {
        game.moves(position).iter().position(|&target| good(target as usize)).map_or(NO_MOVE, |at| to_u32(at))
    }
}

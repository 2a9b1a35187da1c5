//! Who wins a finite parity game, from where, and how?
//!
//! Max-even games: the largest priority that occurs infinitely often decides, even for
//! [`Player::Even`]; who cannot move loses. [`solve`] gives the winner of every position, a positional
//! strategy for whoever wins it, and where it can the distance to what decides it.
//!
//! Positions are cut into *blocks* that moves never climb. A block whose priorities have one parity is
//! solved by one attractor, so weak games (CTL, alternation-free fixpoints) cost one walk over the
//! moves; the others by components, loops at single positions, and Zielonka's recursion, kept on a stack of its own. Where the recursion
//! comes back to the same positions too often, priority promotion takes over.
//!
//! Not here: formulas and structures; any engine can pose its question as a game.

mod attract;
mod blocks;
mod components;
mod graph;
#[cfg(test)]
mod oracle;
mod priority_promotion;
#[cfg(test)]
mod tests;
mod zielonka;

pub use blocks::solve;
pub use graph::{Class, Game, Player};

use tertium_base::BitSet;

/// No move: the position is lost for its owner, or its owner has none.
pub const NO_MOVE: u32 = u32::MAX;
/// No distance: staying forever wins, or the block needed the recursion.
pub const NO_RANK: u32 = u32::MAX;

/// The outcome at every position.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Positions that [`Player::Even`] wins.
    pub even_wins: BitSet,
    /// For a position that its owner wins and that has moves: the winning move, counted from 0 in
    /// [`Game::moves`]; otherwise [`NO_MOVE`].
    pub strategy: Vec<u32>,
    /// In a block of one parity, for positions won by leaving it: an upper bound on the moves until then, the
    /// least one that the winner can force. Every move of the winner into a lower block that they win, or to a
    /// smaller rank in the same block, is as good as the strategy's. [`NO_RANK`] elsewhere.
    pub rank: Vec<u32>,
    /// Positions in blocks that needed components or the recursion: there only the strategy's move is
    /// known to win.
    pub intricate: BitSet,
}

impl Solution {
    /// Who wins a position.
    #[must_use]
    pub fn winner(&self, position: usize) -> Player {
        if self.even_wins.contains(position) { Player::Even } else { Player::Odd }
    }
}

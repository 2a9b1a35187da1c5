//! The game as a graph: classes of positions, moves in one flat table.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Player {
    /// Wins if the largest priority seen infinitely often is even.
    Even,
    /// Wins otherwise.
    Odd,
}

impl Player {
    /// Who likes this priority.
    #[inline]
    #[must_use]
    pub const fn of_priority(priority: u32) -> Self {
        if priority.is_multiple_of(2) { Self::Even } else { Self::Odd }
    }

    /// The other player.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Even => Self::Odd,
            Self::Odd => Self::Even,
        }
    }
}

/// What positions of one kind have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Class {
    /// Who moves.
    pub owner: Player,
    /// What counts when it is seen infinitely often.
    pub priority: u32,
    /// Moves lead to the same block or to one with a smaller number.
    pub block: u32,
}

/// A finite parity game, built position by position.
///
/// Positions are announced with [`Game::add_position`] and get their moves in the same order: the moves
/// of position 0, then [`Game::close`], those of position 1, and so on.
#[derive(Clone, Debug)]
pub struct Game {
    classes: Vec<Class>,
    one_block: bool,
    class_of: Vec<u32>,
    first_move: Vec<u32>,
    moves: Vec<u32>,
}

impl Game {
    /// A game without positions, over these kinds of them.
    #[must_use]
    pub fn new(classes: Vec<Class>) -> Self {
        let one_block = classes.windows(2).all(|pair| pair[0].block == pair[1].block);
        Self { classes, one_block, class_of: Vec::new(), first_move: vec![0], moves: Vec::new() }
    }

    /// Announces a position of a class.
    ///
    /// # Errors
    /// If there are more than can be counted, or the memory budget is spent.
    #[inline]
    pub fn add_position(&mut self, class: u32, budget: &Budget) -> Result<u32, Stopped> {
        debug_assert!((class as usize) < self.classes.len());
        let id = self.class_of.len();
        if id >= (u32::MAX - 1) as usize {
            return Err(Stopped(StopReason::Count));
        }
        reserve(&mut self.class_of, budget)?;
        self.class_of.push(class);
        Ok(to_u32(id))
    }

    /// Adds a move to the position whose turn it is.
    ///
    /// # Errors
    /// If there are more than can be counted, or the memory budget is spent.
    #[inline]
    pub fn add_move(&mut self, target: u32, budget: &Budget) -> Result<(), Stopped> {
        if self.moves.len() >= (u32::MAX - 1) as usize {
            return Err(Stopped(StopReason::Count));
        }
        reserve(&mut self.moves, budget)?;
        self.moves.push(target);
        Ok(())
    }

    /// Drops the moves added since the last [`Game::close`].
    pub fn forget_open_moves(&mut self) {
        let start = self.first_move[self.first_move.len() - 1] as usize;
        self.moves.truncate(start);
    }

    /// How many moves were added since the last [`Game::close`].
    #[must_use]
    pub fn open_moves(&self) -> usize {
        self.moves.len() - self.first_move[self.first_move.len() - 1] as usize
    }

    /// Ends the moves of the position whose turn it is.
    ///
    /// # Errors
    /// If the memory budget is spent.
    #[inline]
    pub fn close(&mut self, budget: &Budget) -> Result<(), Stopped> {
        reserve(&mut self.first_move, budget)?;
        self.first_move.push(to_u32(self.moves.len()));
        Ok(())
    }

    /// How many positions were announced.
    #[must_use]
    pub fn len(&self) -> usize {
        self.class_of.len()
    }

    /// Whether there is no position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.class_of.is_empty()
    }

    /// How many positions have got their moves.
    #[must_use]
    pub fn closed(&self) -> usize {
        self.first_move.len() - 1
    }

    /// How many moves there are in all.
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.moves.len()
    }

    /// The kinds of positions.
    #[must_use]
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The number of a position's class.
    #[inline]
    #[must_use]
    pub fn class_index(&self, position: usize) -> usize {
        self.class_of[position] as usize
    }

    /// A position's class.
    #[inline]
    #[must_use]
    pub fn class(&self, position: usize) -> Class {
        self.classes[self.class_of[position] as usize]
    }

    /// Whether two positions are in the same block. Where there is only one, that is known without a look at them: positions
    /// that moves lead to lie anywhere in memory.
    #[inline]
    #[must_use]
    pub fn share_block(&self, one: usize, other: usize) -> bool {
        self.one_block || self.class(one).block == self.class(other).block
    }

    /// Where a position's owner can move to.
    #[inline]
    #[must_use]
    pub fn moves(&self, position: usize) -> &[u32] {
        &self.moves[self.first_move[position] as usize..self.first_move[position + 1] as usize]
    }
}

/// Grows by half, asking the budget first, so that a refusal leaves what was built intact.
fn reserve(table: &mut Vec<u32>, budget: &Budget) -> Result<(), Stopped> {
    if table.len() < table.capacity() {
        return Ok(());
    }
    let more = (table.len() / 2).max(1024);
    budget.reserve((table.len() + more) * size_of::<u32>())?;
    table.reserve_exact(more);
    Ok(())
}

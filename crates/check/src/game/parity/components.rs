//! The strongly connected components of a block, those that others lead to first.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};

use super::Game;

const UNSEEN: u32 = u32::MAX;
const FINISHED: u32 = u32::MAX - 1;

/// Tarjan's search over the moves that stay inside one block, with a stack of its own.
pub(super) fn components(game: &Game, members: &[u32], budget: &Budget) -> Result<Vec<Vec<u32>>, Stopped> {
    budget.reserve(game.len() * size_of::<u32>())?;
    let mut search =
        ComponentSearch { game, low: vec![UNSEEN; game.len()], open: Vec::new(), path: Vec::new(), found: Vec::new() };
    let mut ticks = 0;
    for &member in members {
        if search.low[member as usize] == UNSEEN {
            search.enter(member);
            while search.advance() {
                budget.tick(&mut ticks)?;
            }
        }
    }
    Ok(search.found)
}

struct ComponentSearch<'g> {
    game: &'g Game,
    /// Least position number on `open` that is known to be reachable; one of the two marks otherwise.
    low: Vec<u32>,
    /// Positions whose component is not complete yet.
    open: Vec<u32>,
    /// The positions being looked at: where they stand on `open`, and their next move.
    path: Vec<(u32, usize)>,
    found: Vec<Vec<u32>>,
}

impl ComponentSearch<'_> {
    fn enter(&mut self, position: u32) {
        let number = to_u32(self.open.len());
        self.low[position as usize] = number;
        self.open.push(position);
        self.path.push((number, 0));
    }

    /// One move of the search; false when it is back at its start.
    fn advance(&mut self) -> bool {
        let Some((number, next)) = self.path.last_mut() else { return false };
        let (number, position) = (*number, self.open[*number as usize] as usize);
        let Some(&target) = self.game.moves(position).get(*next) else {
            self.leave(number, position);
            return true;
        };
        *next += 1;
        if !self.game.share_block(target as usize, position) {
            return true;
        }
        match self.low[target as usize] {
            UNSEEN => self.enter(target),
            FINISHED => {}
            seen => self.low[position] = self.low[position].min(seen),
        }
        true
    }

    fn leave(&mut self, number: u32, position: usize) {
        self.path.pop();
        let low = self.low[position];
        if low == number {
            let component = self.open.split_off(number as usize);
            component.iter().for_each(|&member| self.low[member as usize] = FINISHED);
            self.found.push(component);
        } else if let Some(&(above, _)) = self.path.last() {
            let above = self.open[above as usize] as usize;
            self.low[above] = self.low[above].min(low);
        }
    }
}

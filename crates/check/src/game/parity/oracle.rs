//! A second solver as plain as the theory: the winning set as a nested fixpoint.
//!
//! With priorities `0..=d` the set that Even wins is `s_d X_d … s_0 X_0. step`, where `s_i` is the greatest
//! fixpoint for even `i` and the least for odd, and a position steps into the `X` of its priority.

use super::{Game, Player};

/// The positions that Even wins; exponential in the number of priorities.
pub fn even_wins(game: &Game) -> Vec<bool> {
    let largest = (0..game.len()).map(|position| game.class(position).priority).max().unwrap_or(0) as usize;
    let mut values = vec![Vec::new(); largest + 1];
    fixpoint(game, &mut values, largest)
}

fn fixpoint(game: &Game, values: &mut Vec<Vec<bool>>, level: usize) -> Vec<bool> {
    values[level] = vec![level.is_multiple_of(2); game.len()];
    loop {
        let next = if level == 0 { step(game, values) } else { fixpoint(game, values, level - 1) };
        if next == values[level] {
            return next;
        }
        values[level] = next;
    }
}

fn step(game: &Game, values: &[Vec<bool>]) -> Vec<bool> {
    let good = |target: &u32| values[game.class(*target as usize).priority as usize][*target as usize];
    (0..game.len())
        .map(|position| match game.class(position).owner {
            Player::Even => game.moves(position).iter().any(good),
            Player::Odd => game.moves(position).iter().all(good),
        })
        .collect()
}

//! Random games against the plain solver; strategies replayed.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};
use tertium_testkit::{Rng, for_random_cases};

use super::blocks::solve_with;
use super::{Class, Game, NO_MOVE, NO_RANK, Player, Solution, oracle, solve};

fn game_of(positions: &[(Player, u32, u32)], moves: &[Vec<u32>]) -> Game {
    let budget = Budget::unlimited();
    let classes: Vec<Class> =
        positions.iter().map(|&(owner, priority, block)| Class { owner, priority, block }).collect();
    let mut game = Game::new(classes);
    for (position, targets) in moves.iter().enumerate() {
        game.add_position(to_u32(position), &budget).unwrap();
        targets.iter().for_each(|&target| game.add_move(target, &budget).unwrap());
        game.close(&budget).unwrap();
    }
    game
}

/// A random game; with several blocks, moves lead down or stay.
fn random_game(rng: &mut Rng, most: usize, priorities: usize, blocks: usize) -> Game {
    let count = rng.between(&(1..=most));
    let owner = |rng: &mut Rng| if rng.chance(50) { Player::Even } else { Player::Odd };
    let positions: Vec<(Player, u32, u32)> =
        (0..count).map(|_| (owner(rng), to_u32(rng.below(priorities)), to_u32(rng.below(blocks)))).collect();
    let moves: Vec<Vec<u32>> = positions
        .iter()
        .map(|&(_, _, block)| {
            let targets: Vec<u32> = (0..count).filter(|&to| positions[to].2 <= block).map(|to| to_u32(to)).collect();
            (0..rng.below(4)).map(|_| *rng.pick(&targets)).collect()
        })
        .collect();
    game_of(&positions, &moves)
}

fn show(game: &Game) -> String {
    (0..game.len()).map(|at| format!("{at}: {:?} {:?}\n", game.class(at), game.moves(at))).collect()
}

/// The moves left when the winner of each position follows the strategy.
fn followed<'a>(game: &'a Game, solution: &Solution, player: Player, position: usize) -> &'a [u32] {
    let all = game.moves(position);
    if game.class(position).owner != player {
        return all;
    }
    match solution.strategy[position] {
        NO_MOVE => &[],
        chosen => &all[chosen as usize..=chosen as usize],
    }
}

/// Each player's region is closed under their strategy, they are never stuck in it, and no cycle in it
/// has a largest priority that the other likes.
fn assert_strategies_win(game: &Game, solution: &Solution) {
    for player in [Player::Even, Player::Odd] {
        let region: Vec<usize> = (0..game.len()).filter(|&at| solution.winner(at) == player).collect();
        for &position in &region {
            let moves = followed(game, solution, player, position);
            assert!(game.class(position).owner != player || !moves.is_empty(), "stuck at {position}");
            assert!(moves.iter().all(|&to| solution.winner(to as usize) == player), "leaves from {position}");
        }
        for &start in &region {
            let bad = game.class(start).priority;
            if Player::of_priority(bad) == player {
                continue;
            }
            let mut seen = vec![false; game.len()];
            let mut open = vec![start];
            while let Some(position) = open.pop() {
                for &to in followed(game, solution, player, position) {
                    assert!(to as usize != start, "a cycle through {start} is won by the other");
                    if game.class(to as usize).priority <= bad && !seen[to as usize] {
                        seen[to as usize] = true;
                        open.push(to as usize);
                    }
                }
            }
        }
    }
}

#[test]
fn the_solver_agrees_with_nested_fixpoints_and_its_strategies_win() {
    for_random_cases(6000, |case| {
        let (most, priorities, blocks) =
            *case.rng.pick(&[(4, 2, 1), (8, 3, 1), (12, 4, 1), (9, 6, 1), (12, 2, 4), (14, 4, 3), (20, 3, 2)]);
        let game = random_game(&mut case.rng, most, priorities, blocks);
        case.keep("game.txt", show(&game));
        let expected = oracle::even_wins(&game);
        // By the recursion alone, and without it by priority promotion.
        for patience in [u64::MAX, 0] {
            let solution = solve_with(&game, patience, &Budget::unlimited()).unwrap();
            let got: Vec<bool> = (0..game.len()).map(|at| solution.even_wins.contains(at)).collect();
            assert_eq!(got, expected, "patience {patience}");
            assert_strategies_win(&game, &solution);
        }
    });
}

/// Larger games, on which the recursion and priority promotion are compared with each other.
#[test]
fn the_recursion_and_priority_promotion_agree() {
    for_random_cases(300, |case| {
        let (most, priorities) = *case.rng.pick(&[(60, 5), (120, 12), (200, 200), (300, 40)]);
        let game = random_game(&mut case.rng, most, priorities, 1);
        case.keep("game.txt", show(&game));
        let [recursion, promotion] =
            [u64::MAX, 0].map(|patience| solve_with(&game, patience, &Budget::unlimited()).unwrap());
        assert_eq!(recursion.even_wins, promotion.even_wins);
        assert_strategies_win(&game, &promotion);
    });
}

#[test]
fn lost_positions_have_no_move_of_their_owner() {
    for_random_cases(1000, |case| {
        let game = random_game(&mut case.rng, 12, 4, 2);
        case.keep("game.txt", show(&game));
        let solution = solve(&game, &Budget::unlimited()).unwrap();
        for at in 0..game.len() {
            let wins = solution.winner(at) == game.class(at).owner;
            assert_eq!(solution.strategy[at] != NO_MOVE, wins, "position {at}");
        }
    });
}

#[test]
fn ranks_are_least_distances() {
    // Odd priority: Even must leave. 1 can leave at once, 0 by way of 1 or of 2 and 1.
    let positions = [(Player::Even, 1, 1), (Player::Even, 1, 1), (Player::Even, 1, 1), (Player::Odd, 0, 0)];
    let game = game_of(&positions, &[vec![2, 1], vec![0, 3], vec![2, 1, 0], vec![]]);
    let solution = solve(&game, &Budget::unlimited()).unwrap();
    assert_eq!(solution.rank[..3], [1, 0, 1]);
    assert_eq!(solution.strategy, [1, 1, 1, NO_MOVE]);
    let staying = game_of(&[(Player::Even, 2, 0)], &[vec![0]]);
    assert_eq!(solve(&staying, &Budget::unlimited()).unwrap().rank, [NO_RANK]);
}

#[test]
fn a_ladder_of_many_priorities_needs_no_deep_call_stack() {
    let count = 20_000u32;
    let positions: Vec<_> = (0..count).map(|at| (Player::Even, at % 2 + at, 0)).collect();
    let moves: Vec<_> = (0..count).map(|at| vec![(at + 1) % count]).collect();
    let game = game_of(&positions, &moves);
    let solution = solve(&game, &Budget::unlimited()).unwrap();
    let largest = positions.iter().map(|position| position.1).max().unwrap();
    assert_eq!(solution.winner(0), Player::of_priority(largest));
}

#[test]
fn a_spent_budget_stops_the_solver() {
    let game = random_game(&mut Rng::new(1), 30, 4, 1);
    let cancelled = Budget::unlimited().with_cancel(std::sync::Arc::new(true.into()));
    let big = game_of(
        &(0..9000).map(|at| (Player::Odd, at % 3, 0)).collect::<Vec<_>>(),
        &(0..9000).map(|at| vec![(at * 7 + 1) % 9000, (at * 3 + 5) % 9000]).collect::<Vec<_>>(),
    );
    assert_eq!(solve(&big, &cancelled).map(|_| ()), Err(Stopped(StopReason::Interrupted)));
    assert!(solve(&game, &Budget::unlimited()).is_ok());
}

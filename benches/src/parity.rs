//! How long do parity games of a million positions take?
//!
//! The families that solvers are compared on (`PGSolver`, Friedmann and Lange 2009; Oink, van Dijk 2018): random games, cliques, ladders, model-checker ladders, recursive ladders
//! (Friedmann 2011) and games that are hard for progress measures (Jurdziński 2000). Prints positions, moves, priorities, time, and how much Even wins; exits with 1 if a game takes longer than ten seconds, unless it is known to be hard.
//! Every solution is checked: regions are closed, nobody is stuck in their own, and no cycle has a largest priority that the other likes.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tertium_base::Budget;
use tertium_base::graph::components;
use tertium_base::narrow::to_u32;
use tertium_bench::Random;
use tertium_check::game::parity::{Class, Game, NO_MOVE, Player, Solution, solve};
use tertium_check::synthesis::{SynthesisTask, synthesise};
use tertium_lattice::Belnap;
use tertium_logic::{Logic, ParseOptions, parse};
use tertium_model::{Kmts, KmtsBuilder, StateId};

const SEED: u64 = 20_261;
/// What a game may take.
const LIMIT: Duration = Duration::from_secs(10);
/// What is tried at most, so that one family does not hold up the others.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the names of games begin with that may take longer.
const HARD: &str = "hard";

/// A position: owner, priority, targets.
type Row = (Player, u32, Vec<u32>);

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    say("family                       positions       moves  priorities       time  won by Even");
    let mut late = 0;
    for (name, make) in families() {
        if !wanted.is_empty() && !wanted.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        late += usize::from(!measure(name, &make()) && !name.starts_with(HARD));
    }
    say("\nGR(1) arbiter             states       moves       time  closed loop");
    for clients in [2, 4, 6, 8, 10] {
        late += usize::from(!arbiter(clients));
    }
    if late > 0 {
        say(&format!("{late} games took longer than {LIMIT:?}"));
        return ExitCode::from(1);
    }
    ExitCode::SUCCESS
}

type Family = (&'static str, Box<dyn Fn() -> Vec<Row>>);

fn families() -> Vec<Family> {
    vec![
        ("random, 2 priorities", Box::new(|| random(1_000_000, 2, 4))),
        ("random, 20 priorities", Box::new(|| random(1_000_000, 20, 4))),
        ("random, 1000 priorities", Box::new(|| random(1_000_000, 1_000, 4))),
        ("random, sparse", Box::new(|| random(100_000, 100_000, 2))),
        ("clique", Box::new(|| clique(3_000))),
        ("ladder", Box::new(|| ladder(500_000))),
        ("model-checker ladder", Box::new(|| model_checker_ladder(333_333))),
        ("recursive ladder, small", Box::new(|| recursive_ladder(40))),
        ("recursive ladder", Box::new(|| recursive_ladder(10_000))),
        ("Jurdziński, wide", Box::new(|| jurdzinski(10, 40_000))),
        ("Jurdziński, high", Box::new(|| jurdzinski(500, 800))),
        ("hard: random, sparse", Box::new(|| random(1_000_000, 1_000_000, 2))),
        ("hard: recursive ladder", Box::new(|| recursive_ladder(200_000))),
    ]
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

const fn player(number: u32) -> Player {
    Player::of_priority(number)
}

fn build(rows: &[Row], budget: &Budget) -> Game {
    let most = rows.iter().map(|row| row.1).max().unwrap_or(0);
    let classes =
        (0..=most).flat_map(|priority| [Player::Even, Player::Odd].map(|owner| Class { owner, priority, block: 0 }));
    let mut game = Game::new(classes.collect());
    for (owner, priority, targets) in rows {
        let class = priority * 2 + u32::from(*owner == Player::Odd);
        game.add_position(class, budget).expect("there is room");
        targets.iter().for_each(|&target| game.add_move(target, budget).expect("there is room"));
        game.close(budget).expect("there is room");
    }
    game
}

/// Solves one game; whether it was in time.
fn measure(name: &str, rows: &[Row]) -> bool {
    let game = build(rows, &Budget::unlimited());
    let mut priorities: Vec<u32> = rows.iter().map(|row| row.1).collect();
    priorities.sort_unstable();
    priorities.dedup();
    let shape = format!("{name:<26} {:>11} {:>11} {:>11}", game.len(), game.move_count(), priorities.len());
    let start = Instant::now();
    let Ok(solution) = solve(&game, &Budget::unlimited().with_time(Some(PATIENCE))) else {
        say(&format!("{shape}  more than {PATIENCE:?}"));
        return false;
    };
    let time = start.elapsed();
    let even = solution.even_wins.iter().count();
    say(&format!("{shape} {time:>10.2?}  {even}"));
    check(name, &game, &solution);
    time <= LIMIT
}

/// Both strategies win, or this program is wrong.
fn check(name: &str, game: &Game, solution: &Solution) {
    for winner in [Player::Even, Player::Odd] {
        let moves = |position: usize| -> &[u32] {
            if solution.winner(position) != winner {
                return &[];
            }
            let all = game.moves(position);
            match (game.class(position).owner == winner, solution.strategy[position]) {
                (false, _) => all,
                (true, NO_MOVE) => panic!("{name}: the winner is stuck at {position}"),
                (true, chosen) => &all[chosen as usize..=chosen as usize],
            }
        };
        for position in 0..game.len() {
            assert!(
                moves(position).iter().all(|&to| solution.winner(to as usize) == winner),
                "{name}: a region is left at {position}"
            );
        }
        assert!(no_bad_cycle(game, winner, &moves), "{name}: a cycle is won by the other");
    }
}

/// Whether the largest priority of every cycle is the winner's: components whose largest priority is good lose those positions and are looked at again.
fn no_bad_cycle<'g>(game: &'g Game, winner: Player, moves: &dyn Fn(usize) -> &'g [u32]) -> bool {
    let mut gone = vec![false; game.len()];
    loop {
        let steps = |position: usize| {
            let here = !gone[position];
            moves(position)
                .iter()
                .map(|&to| to as usize)
                .filter(|&to| !gone[to])
                .filter(move |_| here)
                .collect::<Vec<_>>()
        };
        let of = components(game.len(), |position| steps(position).into_iter()).of;
        let mut best = vec![None::<u32>; game.len()];
        for (position, &class) in of.iter().enumerate() {
            if steps(position).iter().any(|&to| of[to] == class) {
                let slot = &mut best[class as usize];
                *slot = Some(slot.unwrap_or(0).max(game.class(position).priority));
            }
        }
        if best.iter().flatten().any(|&priority| Player::of_priority(priority) != winner) {
            return false;
        }
        let mut changed = false;
        for (position, gone) in gone.iter_mut().enumerate() {
            if !*gone && best[of[position] as usize] == Some(game.class(position).priority) {
                *gone = true;
                changed = true;
            }
        }
        if !changed {
            return true;
        }
    }
}

/// An arbiter for so many clients, who ask when they like, go on asking until they are served, and let go again and again. It can give the resource to another one only when the one who has it lets go. Whether it was in time.
fn arbiter(clients: usize) -> bool {
    let (model, mine) = arbiter_game(clients);
    let each = |text: &dyn Fn(usize) -> String| (0..clients).map(text).collect::<Vec<_>>().join(" & ");
    let assumed = each(&|at| format!("G F !(r{at} & g{at})"));
    let promised = each(&|at| format!("G F (!r{at} | g{at})"));
    let text = format!("({assumed}) -> ({promised})");
    let objective = parse(&text, &ParseOptions::in_logic(Logic::Ltl)).formula.expect("it is a formula");
    let budget = Budget::unlimited().with_time(Some(PATIENCE));
    let states = model.init();
    let task = SynthesisTask {
        model: &model,
        mine: &mine,
        silent: &[],
        states,
        objective: &objective,
        negated: false,
        budget: &budget,
    };
    let start = Instant::now();
    let Ok(found) = synthesise(&task) else {
        say(&format!("{clients:>3} clients  more than {PATIENCE:?}"));
        return false;
    };
    let time = start.elapsed();
    let size =
        found.strategy.map_or_else(|| "none".to_owned(), |closed| format!("{} states", closed.structure.state_count()));
    say(&format!("{clients:>3} clients          {:>10} {:>11} {time:>10.2?}  {size}", found.positions, found.moves));
    time <= LIMIT
}

/// States are who asks, who has the resource (nobody is the last one), and whose turn it is.
fn arbiter_game(clients: usize) -> (Kmts, Vec<bool>) {
    let mut builder = KmtsBuilder::new();
    let props: Vec<_> =
        (0..clients).map(|at| (builder.add_prop(&format!("r{at}")), builder.add_prop(&format!("g{at}")))).collect();
    let value = |yes: bool| if yes { Belnap::True } else { Belnap::False };
    let number = |asks: usize, granted: usize, turn: usize| StateId::new((asks * (clients + 1) + granted) * 2 + turn);
    let mut mine = Vec::new();
    for asks in 0..1usize << clients {
        for granted in 0..=clients {
            for turn in 0..2 {
                let state = builder.add_state(&format!("{asks}_{granted}_{turn}"));
                mine.push(turn == 1);
                for (at, &(request, grant)) in props.iter().enumerate() {
                    builder.set_label(state, request, value(asks >> at & 1 == 1));
                    builder.set_label(state, grant, value(granted == at));
                }
                if turn == 1 {
                    let kept = granted < clients && asks >> granted & 1 == 1;
                    for next in (0..=clients).filter(|&next| !kept || next == granted) {
                        builder.add_edge(state, number(asks, next, 0), true, true, None);
                    }
                    continue;
                }
                builder.add_edge(state, number(asks, granted, 1), true, true, None);
                for at in (0..clients).filter(|&at| asks >> at & 1 == 0 || granted == at) {
                    builder.add_edge(state, number(asks ^ (1 << at), granted, 1), true, true, None);
                }
            }
        }
    }
    builder.add_init(number(0, clients, 0));
    (builder.finish().expect("it is small"), mine)
}

/// Each position has between one and `degree` moves, anywhere.
fn random(positions: u32, priorities: u64, degree: u64) -> Vec<Row> {
    let mut rng = Random::new(SEED);
    let mut draw = |below: u64| to_u32(usize::try_from(rng.draw() % below).unwrap_or(0));
    (0..positions)
        .map(|_| {
            let (owner, priority) = (player(draw(2)), draw(priorities));
            let count = 1 + draw(degree);
            (owner, priority, (0..count).map(|_| draw(u64::from(positions))).collect())
        })
        .collect()
}

/// Everybody can move to everybody else; priorities are all different.
fn clique(positions: u32) -> Vec<Row> {
    let others = |at: u32| (0..positions).filter(|&to| to != at).collect();
    (0..positions).map(|at| (player(at), at, others(at))).collect()
}

/// Two rails of one priority each, with rungs.
fn ladder(rungs: u32) -> Vec<Row> {
    let all = rungs * 2;
    (0..all).map(|at| (player(at), at % 2, vec![(at + 1) % all, (at + 2) % all])).collect()
}

/// One player, who passes alternating priorities that fall from level to level, or goes past the odd ones.
fn model_checker_ladder(levels: u32) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for level in 0..levels {
        let (own, next) = (level * 3, level * 3 + 3);
        rows.push((Player::Odd, 2 * (levels - level), vec![own + 1]));
        rows.push((Player::Odd, 0, vec![own + 2, next]));
        rows.push((Player::Odd, 2 * (levels - level) - 1, vec![next]));
    }
    rows.push((Player::Odd, 0, vec![0]));
    rows
}

/// Layers of five positions, on which the plain recursion takes exponentially many steps (Friedmann 2011).
fn recursive_ladder(layers: u32) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for layer in 0..=layers {
        let (first, last) = (layer == 0, layer == layers);
        let base = i64::from(layer) * 5 - 2;
        let priority = (layer + 1) * 3 + 2;
        let odd = layer % 2;
        let at = |offset: i64| u32::try_from(base + offset).unwrap_or(0);
        if !first {
            rows.push((player(odd + 1), 1 - odd, vec![at(-2), at(1)]));
            rows.push((player(odd), 1 - odd, if last { vec![at(0)] } else { vec![at(0), at(2)] }));
        }
        if !last {
            rows.push((player(odd + 1), priority, vec![at(6), at(3)]));
            let mut targets = if first { Vec::new() } else { vec![at(-2)] };
            if layer + 1 != layers {
                targets.push(at(8));
            }
            targets.push(at(4));
            rows.push((player(odd), priority - 1, targets));
            rows.push((player(odd + 1), priority - 2, vec![at(3), at(6)]));
        }
    }
    rows
}

/// Layers of one odd and one even priority above a layer of none: hard for progress measures (Jurdziński 2000).
fn jurdzinski(layers: u32, width: u32) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let row = 2 * width;
    for layer in 0..layers {
        for column in 0..row {
            let own = layer * row + column;
            let (left, right) = (layer * row + (column + row - 1) % row, layer * row + (column + 1) % row);
            let below = if layer == 0 { own } else { own - row };
            let odd = column % 2 == 1;
            let owner = if odd { Player::Odd } else { Player::Even };
            let priority = if odd { 2 * layer + 1 } else { 2 * layer };
            rows.push((owner, priority, vec![left, right, below]));
        }
    }
    rows
}

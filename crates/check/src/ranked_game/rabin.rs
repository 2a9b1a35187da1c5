//! Who wins a Rabin game, and how?
//!
//! The recursive algorithm of Zielonka (1998) in the form that Horn (2005) gives it for the opponent, whose condition is Streett: of each pair, if the first set is visited again and again, so is the
//! second. The player whom the pairs are for needs no memory, so the solution is one successor for each of the player's vertices.

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Budget, Stopped};

/// A pair in the player's favour: a play is won that visits `again` infinitely often and `never` only finitely often.
#[derive(Clone, Debug)]
pub(crate) struct RabinPair {
    /// What is visited again and again.
    pub again: BitSet,
    /// What is not visited any more.
    pub never: BitSet,
}

/// A game on a graph. Who cannot move loses.
#[derive(Clone, Debug, Default)]
pub(crate) struct RabinGame {
    /// The successors of each vertex.
    pub successors: Vec<Vec<u32>>,
    /// Whether the player moves there; else the opponent does.
    pub player: Vec<bool>,
    /// The player wins an infinite play if it meets one of these.
    pub pairs: Vec<RabinPair>,
}

/// Where the player wins, and the successor to choose there.
#[derive(Clone, Debug)]
pub(crate) struct RabinSolution {
    /// The vertices that the player wins.
    pub won: BitSet,
    /// At each of them that the player moves at, the successor to take.
    pub choice: Vec<u32>,
}

/// No choice was made.
const NONE: u32 = u32::MAX;

impl RabinGame {
    /// Solves the game.
    pub(crate) fn solve(&self, budget: &Budget) -> Result<RabinSolution, Stopped> {
        let count = self.successors.len();
        let mut before = vec![Vec::new(); count];
        for (vertex, successors) in (0u32..).zip(&self.successors) {
            successors.iter().for_each(|&to| before[to as usize].push(vertex));
        }
        let open = OpenSuccessors { left: vec![0; count], counted_in: vec![0; count], round: 0 };
        let mut solver = Solver { game: self, before, choice: vec![NONE; count], open, budget, ticks: 0 };
        let all = BitSet::full(count);
        let stuck = |player: bool| self.stuck(player);
        let mut won = solver.attracted(&all, stuck(false), true)?;
        let lost = solver.attracted(&all, stuck(true), false)?;
        let rest = without(&without(&all, &won), &lost);
        let pairs: Vec<usize> = (0..self.pairs.len()).collect();
        let more = solver.won_by_player(rest, &pairs)?;
        won.union_with(&more);
        Ok(RabinSolution { won, choice: solver.choice })
    }

    fn stuck(&self, player: bool) -> BitSet {
        let mut stuck = BitSet::empty(self.successors.len());
        for (vertex, successors) in self.successors.iter().enumerate() {
            if successors.is_empty() && self.player[vertex] == player {
                stuck.insert(vertex);
            }
        }
        stuck
    }
}

fn without(set: &BitSet, other: &BitSet) -> BitSet {
    let mut left = other.clone();
    left.complement();
    left.intersect_with(set);
    left
}

fn common(set: &BitSet, other: &BitSet) -> BitSet {
    let mut both = set.clone();
    both.intersect_with(other);
    both
}

/// How many successors of a vertex are left inside of a subgame, as far as they were counted; all are forgotten at once by a new round.
struct OpenSuccessors {
    left: Vec<u32>,
    counted_in: Vec<u64>,
    round: u64,
}

impl OpenSuccessors {
    /// One successor less; whether none is left.
    fn one_less(&mut self, vertex: usize, count: impl Fn() -> u32) -> bool {
        if self.counted_in[vertex] != self.round {
            (self.counted_in[vertex], self.left[vertex]) = (self.round, count());
        }
        self.left[vertex] = self.left[vertex].saturating_sub(1);
        self.left[vertex] == 0
    }
}

struct Solver<'g> {
    game: &'g RabinGame,
    before: Vec<Vec<u32>>,
    choice: Vec<u32>,
    open: OpenSuccessors,
    budget: &'g Budget,
    ticks: u32,
}

impl Solver<'_> {
    /// The part of a subgame from which one side can force a visit to the target. The player's choices on the way are noted.
    fn attracted(&mut self, part: &BitSet, target: BitSet, player: bool) -> Result<BitSet, Stopped> {
        let mut todo: Vec<usize> = target.iter().collect();
        let mut attracted = target;
        self.open.round += 1;
        while let Some(vertex) = todo.pop() {
            for at in 0..self.before[vertex].len() {
                self.budget.tick(&mut self.ticks)?;
                let from = self.before[vertex][at] as usize;
                if !part.contains(from) || attracted.contains(from) {
                    continue;
                }
                let forced = if self.game.player[from] == player {
                    true
                } else {
                    let successors = &self.game.successors[from];
                    let inside = || to_u32(successors.iter().filter(|&&to| part.contains(to as usize)).count());
                    self.open.one_less(from, inside)
                };
                if forced {
                    if player && self.game.player[from] {
                        self.choice[from] = u32::try_from(vertex).unwrap_or(NONE);
                    }
                    attracted.insert(from);
                    todo.push(from);
                }
            }
        }
        Ok(attracted)
    }

    /// The vertices of a subgame, in which everyone can move, that the player wins with these pairs.
    fn won_by_player(&mut self, mut part: BitSet, pairs: &[usize]) -> Result<BitSet, Stopped> {
        let mut won = BitSet::empty(part.len());
        'again: loop {
            self.budget.check()?;
            let game = self.game;
            // A pair whose first set is not there is never met.
            let here: Vec<usize> = pairs.iter().copied().filter(|&at| game.pairs[at].again.meets(&part)).collect();
            for &pair in &here {
                let never = common(&game.pairs[pair].never, &part);
                let avoided = self.attracted(&part, never, false)?;
                let room = without(&part, &avoided);
                let rest: Vec<usize> = here.iter().copied().filter(|&at| at != pair).collect();
                let found = self.won_in_room(room, pair, &rest)?;
                if !found.is_empty() {
                    let found = self.attracted(&part, found, true)?;
                    won.union_with(&found);
                    part = without(&part, &found);
                    continue 'again;
                }
            }
            return Ok(won);
        }
    }

    /// The vertices that the player wins in a subgame without anything that a pair must not visit any more.
    fn won_in_room(&mut self, mut room: BitSet, pair: usize, rest: &[usize]) -> Result<BitSet, Stopped> {
        loop {
            let game = self.game;
            let again = common(&game.pairs[pair].again, &room);
            let reached = self.attracted(&room, again.clone(), true)?;
            let inner = without(&room, &reached);
            let won = self.won_by_player(inner.clone(), rest)?;
            let lost = without(&inner, &won);
            if lost.is_empty() {
                self.stay(&room, &again);
                return Ok(room);
            }
            let lost = self.attracted(&room, lost, false)?;
            room = without(&room, &lost);
            if room.is_empty() {
                return Ok(room);
            }
        }
    }

    /// At what is visited again and again any move will do that stays inside.
    fn stay(&mut self, room: &BitSet, again: &BitSet) {
        for vertex in again.iter().filter(|&vertex| self.game.player[vertex]) {
            let stays = self.game.successors[vertex].iter().copied().find(|&to| room.contains(to as usize));
            self.choice[vertex] = stays.unwrap_or(NONE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_testkit::{Rng, for_random_cases};

    fn random_game(rng: &mut Rng) -> RabinGame {
        let count = 2 + rng.below(4);
        let mut game = RabinGame::default();
        for _ in 0..count {
            let mut to: Vec<u32> = (0..rng.below(3) + usize::from(rng.chance(80)))
                .map(|_| u32::try_from(rng.below(count)).unwrap_or(0))
                .collect();
            to.sort_unstable();
            to.dedup();
            game.successors.push(to);
            game.player.push(rng.chance(50));
        }
        for _ in 0..rng.below(4) {
            let mut pair = RabinPair { again: BitSet::empty(count), never: BitSet::empty(count) };
            for vertex in 0..count {
                if rng.chance(35) {
                    pair.again.insert(vertex);
                }
                if rng.chance(25) {
                    pair.never.insert(vertex);
                }
            }
            game.pairs.push(pair);
        }
        game
    }

    /// Whether the opponent wins from a vertex once the player's moves are fixed: by ending where the player is stuck, or by a set of vertices that a play visits
    /// again and again and that meets no pair.
    fn beaten(game: &RabinGame, moves: &[Vec<u32>], start: usize) -> bool {
        let count = moves.len();
        let reach = |inside: &dyn Fn(usize) -> bool, from: usize| {
            let mut seen = vec![false; count];
            let mut todo = vec![from];
            while let Some(at) = todo.pop() {
                for &to in &moves[at] {
                    if inside(to as usize) && !seen[to as usize] {
                        seen[to as usize] = true;
                        todo.push(to as usize);
                    }
                }
            }
            seen
        };
        let mut reached = reach(&|_| true, start);
        reached[start] = true;
        if (0..count).any(|at| reached[at] && moves[at].is_empty() && game.player[at]) {
            return true;
        }
        (1usize..1 << count).any(|set| {
            let inside = |at: usize| set >> at & 1 == 1;
            let members: Vec<usize> = (0..count).filter(|&at| inside(at)).collect();
            let connected = members.iter().all(|&a| {
                let seen = reach(&inside, a);
                members.iter().all(|&b| seen[b])
            });
            let met = |pair: &RabinPair| {
                members.iter().any(|&at| pair.again.contains(at)) && !members.iter().any(|&at| pair.never.contains(at))
            };
            connected && members.iter().all(|&at| reached[at]) && !game.pairs.iter().any(met)
        })
    }

    /// The game with the player's choices.
    fn fixed(game: &RabinGame, choice: &dyn Fn(usize) -> Option<u32>) -> Vec<Vec<u32>> {
        let moves = |(at, to): (usize, &Vec<u32>)| match game.player[at] {
            true => choice(at).into_iter().collect(),
            false => to.clone(),
        };
        game.successors.iter().enumerate().map(moves).collect()
    }

    /// Tries every positional strategy of the player.
    fn wins(game: &RabinGame, start: usize) -> bool {
        let count = game.successors.len();
        let mut picks = vec![0usize; count];
        loop {
            let moves = fixed(game, &|at| game.successors[at].get(picks[at]).copied());
            if !beaten(game, &moves, start) {
                return true;
            }
            let mut at = 0;
            while at < count {
                picks[at] += 1;
                if game.player[at] && picks[at] < game.successors[at].len() {
                    break;
                }
                picks[at] = 0;
                at += 1;
            }
            if at == count {
                return false;
            }
        }
    }

    #[test]
    fn winners_are_those_of_all_positional_strategies_and_choices_win() {
        for_random_cases(400, |case| {
            let game = random_game(&mut case.rng);
            case.keep("game.txt", format!("{game:?}"));
            let solution = game.solve(&Budget::unlimited()).expect("no limit");
            for start in 0..game.successors.len() {
                assert_eq!(solution.won.contains(start), wins(&game, start), "at {start}");
                if solution.won.contains(start) {
                    let chosen = |at: usize| {
                        Some(solution.choice[at]).filter(|&to| to != NONE && game.successors[at].contains(&to))
                    };
                    assert!(!beaten(&game, &fixed(&game, &chosen), start), "the choices lose at {start}");
                }
            }
        });
    }
}

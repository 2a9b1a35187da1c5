//! Priority promotion (Benerecetti, Dell'Erba and Mogavero 2016) for games on which the recursion goes astray.
//!
//! From the largest priority down, the player who likes it draws what they can to its positions: a *region*, of measure that priority. If neither player is forced to leave it for something lower, its opponent can only escape to regions of larger measures, all of the
//! same player: the region is *promoted* to the least of them, everything below is forgotten, and the search goes on there. A region that nobody can leave is won for good, with what can be drawn to it. Priorities of one parity between which there is none of the other count as one.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};

use super::attract::{Predecessors, Verdicts};
use super::{Game, NO_MOVE, Player};

/// Not in the game that is left.
const OUTSIDE: u32 = u32::MAX;

pub(super) struct Promotion<'g> {
    game: &'g Game,
    predecessors: &'g Predecessors,
    /// The measure of the region that the position is in; its own priority if it is in none.
    region: Vec<u32>,
    /// The position's own priority, compressed.
    own: Vec<u32>,
    /// Who likes a compressed priority.
    likes: Vec<Player>,
    /// The positions of each compressed priority.
    seeds: Vec<Vec<u32>>,
    /// The regions that were made, by measure.
    made: Vec<Vec<u32>>,
    budget: &'g Budget,
    ticks: u32,
}

/// What becomes of a region.
enum Fate {
    /// Somebody is forced to leave it, or can, for something lower.
    Open,
    /// The opponent can leave it for this measure, and for no lower one.
    Promoted(u32),
    /// Nobody can leave it.
    Won,
}

/// Decides these positions. Moves to positions outside them are taken to lose for their owner, and each has a move inside.
pub(super) fn solve(
    (game, predecessors): (&Game, &Predecessors),
    members: &[u32],
    verdicts: &mut Verdicts,
    budget: &Budget,
) -> Result<(), Stopped> {
    budget.reserve(game.len() * 2 * size_of::<u32>() + members.len() * 4 * size_of::<u32>())?;
    let mut order: Vec<u32> = members.to_vec();
    order.sort_by_key(|&member| game.class(member as usize).priority);
    let (mut likes, mut seeds): (Vec<Player>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
    let mut own = vec![OUTSIDE; game.len()];
    for &member in &order {
        let player = Player::of_priority(game.class(member as usize).priority);
        if likes.last() != Some(&player) {
            likes.push(player);
            seeds.push(Vec::new());
        }
        let measure = likes.len() - 1;
        own[member as usize] = to_u32(measure);
        seeds[measure].push(member);
        verdicts.solution.strategy[member as usize] = NO_MOVE;
    }
    let (region, made) = (own.clone(), vec![Vec::new(); seeds.len()]);
    Promotion { game, predecessors, region, own, likes, seeds, made, budget, ticks: 0 }.run(verdicts)
}

impl Promotion<'_> {
    fn run(&mut self, verdicts: &mut Verdicts) -> Result<(), Stopped> {
        let mut measure = self.seeds.len();
        let mut fresh = 0;
        while measure > 0 {
            let at = measure - 1;
            if self.made[at].is_empty() {
                fresh = 0;
                let here = self.seeds[at].iter().copied().filter(|&seed| self.region[seed as usize] == to_u32(at));
                self.made[at] = here.collect();
            }
            if self.made[at].is_empty() {
                measure -= 1;
                continue;
            }
            self.draw(at, fresh, verdicts)?;
            match self.fate(at, verdicts)? {
                Fate::Open => {
                    measure -= 1;
                    fresh = 0;
                }
                Fate::Promoted(to) => {
                    fresh = self.promote(at, to as usize);
                    measure = to as usize + 1;
                }
                Fate::Won => {
                    measure = self.settle(at, verdicts)? + 1;
                    fresh = 0;
                }
            }
        }
        Ok(())
    }

    /// Adds to a region what can be drawn to its positions from `fresh` on.
    fn draw(&mut self, at: usize, fresh: usize, verdicts: &mut Verdicts) -> Result<(), Stopped> {
        let (player, measure) = (self.likes[at], to_u32(at));
        let mut done = fresh;
        while done < self.made[at].len() {
            self.budget.tick(&mut self.ticks)?;
            let target = self.made[at][done];
            done += 1;
            for &source in self.predecessors.of(target as usize) {
                let position = source as usize;
                // What is outside has the greatest measure of all.
                if self.region[position] >= measure {
                    continue;
                }
                if self.game.class(position).owner == player {
                    verdicts.solution.strategy[position] =
                        Verdicts::first_move(self.game, position, |to| to_u32(to) == target);
                } else if self.game.moves(position).iter().any(|&to| self.region[to as usize] < measure) {
                    continue;
                }
                self.region[position] = measure;
                self.made[at].push(source);
            }
        }
        Ok(())
    }

    fn fate(&mut self, at: usize, verdicts: &mut Verdicts) -> Result<Fate, Stopped> {
        let (player, measure) = (self.likes[at], to_u32(at));
        let mut least = OUTSIDE;
        for &member in &self.made[at] {
            self.budget.tick(&mut self.ticks)?;
            let position = member as usize;
            let moves = self.game.moves(position);
            if self.game.class(position).owner == player {
                let known = verdicts.solution.strategy[position];
                let stays = known != NO_MOVE && self.region[moves[known as usize] as usize] == measure;
                if !stays {
                    let chosen = Verdicts::first_move(self.game, position, |to| self.region[to] == measure);
                    if chosen == NO_MOVE {
                        return Ok(Fate::Open);
                    }
                    verdicts.solution.strategy[position] = chosen;
                }
                continue;
            }
            for &to in moves {
                let there = self.region[to as usize];
                if there < measure {
                    return Ok(Fate::Open);
                }
                if there > measure && there != OUTSIDE {
                    least = least.min(there);
                }
            }
        }
        Ok(if least == OUTSIDE { Fate::Won } else { Fate::Promoted(least) })
    }

    /// Joins a region with a greater one of the same player and forgets what lies between; where the new positions begin.
    fn promote(&mut self, at: usize, to: usize) -> usize {
        debug_assert_eq!(self.likes[at], self.likes[to], "an escape leads to a region of the same player");
        let moved = std::mem::take(&mut self.made[at]);
        let fresh = self.made[to].len();
        moved.iter().for_each(|&member| self.region[member as usize] = to_u32(to));
        self.made[to].extend(moved);
        self.forget(at, to);
        fresh
    }

    /// Forgets the regions from one measure up to another one, exclusive. Below there is none.
    fn forget(&mut self, from: usize, to: usize) {
        for measure in from..to {
            for member in std::mem::take(&mut self.made[measure]) {
                if self.region[member as usize] == to_u32(measure) {
                    self.region[member as usize] = self.own[member as usize];
                }
            }
        }
    }

    /// Decides a region that nobody can leave, with what can be drawn to it; the greatest measure that this changes.
    fn settle(&mut self, at: usize, verdicts: &mut Verdicts) -> Result<usize, Stopped> {
        let player = self.likes[at];
        let mut queue = std::mem::take(&mut self.made[at]);
        let mut greatest = at;
        queue.iter().for_each(|&member| self.region[member as usize] = OUTSIDE);
        let mut done = 0;
        while done < queue.len() {
            self.budget.tick(&mut self.ticks)?;
            let target = queue[done];
            done += 1;
            for &source in self.predecessors.of(target as usize) {
                let position = source as usize;
                if self.region[position] == OUTSIDE {
                    continue;
                }
                if self.game.class(position).owner == player {
                    verdicts.solution.strategy[position] =
                        Verdicts::first_move(self.game, position, |to| to_u32(to) == target);
                } else if self.game.moves(position).iter().any(|&to| self.region[to as usize] != OUTSIDE) {
                    // It loses a move: its region may be closed now, or the least of those that it can still move to may draw it.
                    let there = self.game.moves(position).iter().map(|&to| self.region[to as usize]);
                    let least = there.min().unwrap_or(0);
                    greatest = greatest.max(least.max(self.region[position]) as usize);
                    continue;
                }
                greatest = greatest.max(self.region[position] as usize);
                self.region[position] = OUTSIDE;
                queue.push(source);
            }
        }
        for &member in &queue {
            let position = member as usize;
            verdicts.decide(position, player);
            if self.game.class(position).owner != player {
                verdicts.solution.strategy[position] = NO_MOVE;
            }
        }
        self.forget(0, greatest + 1);
        Ok(greatest)
    }
}

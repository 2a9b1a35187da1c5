//! Zielonka's recursion (1998) for games with both parities, on a stack of frames.
//!
//! A frame is a sub-game in which everyone can always move. The player who likes its largest priorities draws what they can to them; the rest is a smaller sub-game. If they win all of that they win
//! everything; otherwise the other player draws what they can to their part, which is theirs for good, and what remains is tried again, unless nothing was drawn: then it is as it was found. The depth is bounded by the number of priorities.
//!
//! As in Oink (van Dijk 2018) nothing is copied on the way down: positions are sorted once by priority, each knows the frame that drew it, and a frame keeps what it drew. The largest priorities of a sub-game that
//! are all of one parity count as one (priority compression, where it is of use).

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};

use super::attract::{Predecessors, Verdicts};
use super::{Game, NO_MOVE, Player};

/// Outside of the game that is solved.
const OUTSIDE: u32 = 0;
/// In the sub-game that no frame has drawn from yet.
const UNDRAWN: u32 = u32::MAX;

pub(super) struct Recursion<'g> {
    game: &'g Game,
    predecessors: &'g Predecessors,
    /// The frame that drew the position, counted from 1; those of a frame's sub-game have its number or a greater one.
    level: Vec<u32>,
    /// The last attractor that drew the position.
    drawn: Vec<u32>,
    /// The last attractor that touched the position, and how many moves it has not seen to lose.
    left: Vec<(u32, u32)>,
    stamp: u32,
    /// How many moves were looked at for the present positions.
    work: u64,
    budget: &'g Budget,
    ticks: u32,
}

enum Frame {
    /// A sub-game: who likes its largest priorities, where these begin in the order of positions, what was drawn to them, and how many of that were the positions themselves, which come first.
    Subgame { player: Player, begin: usize, drawn: Vec<u32>, best: usize },
    /// What a player has won for good, while the rest of the sub-game is tried again.
    Settled { player: Player, positions: Vec<u32> },
}

/// What each player won in the sub-game that was solved last.
#[derive(Default)]
struct Won {
    even: Vec<u32>,
    odd: Vec<u32>,
}

impl Won {
    fn of(&mut self, player: Player) -> &mut Vec<u32> {
        match player {
            Player::Even => &mut self.even,
            Player::Odd => &mut self.odd,
        }
    }
}

impl<'g> Recursion<'g> {
    pub fn new(game: &'g Game, predecessors: &'g Predecessors, budget: &'g Budget) -> Result<Self, Stopped> {
        budget.reserve(game.len() * 4 * size_of::<u32>())?;
        Ok(Self {
            game,
            predecessors,
            level: vec![OUTSIDE; game.len()],
            drawn: vec![0; game.len()],
            left: vec![(0, 0); game.len()],
            stamp: 0,
            work: 0,
            budget,
            ticks: 0,
        })
    }

    /// Decides these positions. Moves to positions outside them are taken to lose for their owner, and
    /// each has a move inside. False, with nothing decided, if moves are looked at more often than `patience` allows.
    pub fn solve(&mut self, mut order: Vec<u32>, patience: u64, verdicts: &mut Verdicts) -> Result<bool, Stopped> {
        let moves: usize = order.iter().map(|&member| self.game.moves(member as usize).len() + 1).sum();
        let most = patience.saturating_mul(moves as u64);
        self.work = 0;
        order.sort_by_key(|&member| std::cmp::Reverse(self.priority(member)));
        order.iter().for_each(|&member| self.level[member as usize] = UNDRAWN);
        let mut stack: Vec<Frame> = Vec::new();
        let mut won = Won::default();
        self.descend(&order, 0, &mut stack, verdicts)?;
        while let Some(frame) = stack.pop() {
            if self.work > most {
                order.iter().for_each(|&member| {
                    self.level[member as usize] = OUTSIDE;
                    verdicts.decided.remove(member as usize);
                });
                return Ok(false);
            }
            match frame {
                Frame::Settled { player, mut positions } => won.of(player).append(&mut positions),
                Frame::Subgame { player, begin, drawn, best } => {
                    let again = self.close((player, drawn, best), &mut won, &mut stack, verdicts)?;
                    if again {
                        self.descend(&order, begin, &mut stack, verdicts)?;
                    }
                }
            }
        }
        for &member in &order {
            self.level[member as usize] = OUTSIDE;
            let position = member as usize;
            if verdicts.solution.winner(position) != self.game.class(position).owner {
                verdicts.solution.strategy[position] = NO_MOVE;
            }
        }
        Ok(true)
    }

    fn priority(&self, member: u32) -> u32 {
        self.game.class(member as usize).priority
    }

    /// Opens frames until every position was drawn by one.
    fn descend(
        &mut self,
        order: &[u32],
        mut at: usize,
        stack: &mut Vec<Frame>,
        verdicts: &mut Verdicts,
    ) -> Result<(), Stopped> {
        loop {
            while at < order.len() && self.level[order[at] as usize] != UNDRAWN {
                self.budget.tick(&mut self.ticks)?;
                self.work += 1;
                at += 1;
            }
            if at == order.len() {
                return Ok(());
            }
            let (begin, player) = (at, Player::of_priority(self.priority(order[at])));
            let mut best = Vec::new();
            while at < order.len() {
                let member = order[at];
                if self.level[member as usize] == UNDRAWN {
                    if Player::of_priority(self.priority(member)) != player {
                        break;
                    }
                    best.push(member);
                }
                self.work += 1;
                at += 1;
            }
            let count = best.len();
            let level = to_u32(stack.len()) + 1;
            let drawn = self.attract(best, player, level, verdicts)?;
            drawn.iter().for_each(|&member| self.level[member as usize] = level);
            stack.push(Frame::Subgame { player, begin, drawn, best: count });
        }
    }

    /// Uses the outcome of the smaller sub-game: the frame is decided, or what is left of it is to be tried again.
    fn close(
        &mut self,
        (player, mut drawn, best): (Player, Vec<u32>, usize),
        won: &mut Won,
        stack: &mut Vec<Frame>,
        verdicts: &mut Verdicts,
    ) -> Result<bool, Stopped> {
        let (opponent, level) = (player.other(), to_u32(stack.len()) + 1);
        let lost = won.of(opponent).len();
        let theirs = if lost == 0 {
            Vec::new()
        } else {
            let seeds = std::mem::take(won.of(opponent));
            self.attract(seeds, opponent, level, verdicts)?
        };
        if theirs.len() == lost {
            *won.of(opponent) = theirs;
            self.give(&drawn, best, player, level, verdicts);
            won.of(player).append(&mut drawn);
            return Ok(false);
        }
        for &member in &theirs {
            verdicts.decide(member as usize, opponent);
            self.level[member as usize] = level;
        }
        let ours = std::mem::take(won.of(player));
        for member in drawn.into_iter().chain(ours) {
            if self.drawn[member as usize] != self.stamp {
                self.level[member as usize] = UNDRAWN;
            }
        }
        stack.push(Frame::Settled { player: opponent, positions: theirs });
        Ok(true)
    }

    /// Decides what a frame drew for its player, who at the best positions may move to anything that is theirs.
    fn give(&mut self, drawn: &[u32], best: usize, player: Player, level: u32, verdicts: &mut Verdicts) {
        for &member in &drawn[..best] {
            let position = member as usize;
            if self.game.class(position).owner == player {
                let solution = &verdicts.solution;
                let ours = |to: usize| {
                    let at = self.level[to];
                    at == level || (at > level && solution.winner(to) == player)
                };
                verdicts.solution.strategy[position] = Verdicts::first_move(self.game, position, ours);
            }
        }
        for &member in drawn {
            verdicts.decide(member as usize, player);
        }
    }

    /// What `player` can force into the seeds inside the sub-game, seeds first; sets their strategy.
    fn attract(
        &mut self,
        seeds: Vec<u32>,
        player: Player,
        level: u32,
        verdicts: &mut Verdicts,
    ) -> Result<Vec<u32>, Stopped> {
        self.stamp += 1;
        let mut queue = seeds;
        queue.iter().for_each(|&seed| self.drawn[seed as usize] = self.stamp);
        let mut done = 0;
        while done < queue.len() {
            self.budget.tick(&mut self.ticks)?;
            let target = queue[done];
            done += 1;
            self.work += 1 + self.predecessors.of(target as usize).len() as u64;
            for &source in self.predecessors.of(target as usize) {
                let position = source as usize;
                if self.level[position] < level || self.drawn[position] == self.stamp {
                    continue;
                }
                if self.game.class(position).owner == player {
                    let chosen = Verdicts::first_move(self.game, position, |to| to_u32(to) == target);
                    verdicts.solution.strategy[position] = chosen;
                } else if !self.last_escape_closed(position, level) {
                    continue;
                }
                self.drawn[position] = self.stamp;
                queue.push(source);
            }
        }
        Ok(queue)
    }

    /// Counts one move of a position as losing; whether it was the last one inside the sub-game.
    fn last_escape_closed(&mut self, position: usize, level: u32) -> bool {
        let (stamp, left) = self.left[position];
        let left = if stamp == self.stamp { left } else { self.moves_inside(position, level) };
        self.left[position] = (self.stamp, left - 1);
        left == 1
    }

    fn moves_inside(&self, position: usize, level: u32) -> u32 {
        to_u32(self.game.moves(position).iter().filter(|&&to| self.level[to as usize] >= level).count())
    }
}

//! Zielonka's recursion for games with both parities, on a stack of frames.
//!
//! A frame is a sub-game in which everyone can always move. The player who likes its largest priority
//! draws what they can to it; the rest is a smaller sub-game. If they win all of that they win
//! everything; otherwise the other player draws what they can to their part, which is theirs for good,
//! and what remains is tried again. The depth is bounded by the number of priorities.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};

use super::attract::{Predecessors, Verdicts};
use super::{Game, NO_MOVE, Player};

pub(super) struct Recursion<'g> {
    game: &'g Game,
    predecessors: &'g Predecessors,
    /// How many frames hold the position: those at the bottom of the stack.
    depth: Vec<u32>,
    /// The last attractor that drew the position.
    drawn: Vec<u32>,
    /// The last attractor that touched the position, and how many moves it has not seen to lose.
    left: Vec<(u32, u32)>,
    stamp: u32,
    budget: &'g Budget,
    ticks: u32,
}

struct Subgame {
    members: Vec<u32>,
    /// Who likes the largest priority, and the positions that have it.
    player: Player,
    best: Vec<u32>,
    /// What that player draws to them, the best positions included.
    drawn: Vec<u32>,
}

impl<'g> Recursion<'g> {
    pub fn new(game: &'g Game, predecessors: &'g Predecessors, budget: &'g Budget) -> Result<Self, Stopped> {
        budget.reserve(game.len() * 4 * size_of::<u32>())?;
        Ok(Self {
            game,
            predecessors,
            depth: vec![0; game.len()],
            drawn: vec![0; game.len()],
            left: vec![(0, 0); game.len()],
            stamp: 0,
            budget,
            ticks: 0,
        })
    }

    /// Decides these positions. Moves to positions outside them are taken to lose for their owner, and
    /// each has a move inside.
    pub fn solve(&mut self, members: Vec<u32>, verdicts: &mut Verdicts) -> Result<(), Stopped> {
        let mut stack: Vec<Subgame> = Vec::new();
        let mut next = Some(members);
        loop {
            if let Some(members) = next.take() {
                let depth = to_u32(stack.len()) + 1;
                members.iter().for_each(|&member| self.depth[member as usize] = depth);
                match self.open(members, depth, verdicts)? {
                    Some((frame, rest)) => {
                        stack.push(frame);
                        next = Some(rest);
                    }
                    None => continue,
                }
                continue;
            }
            let Some(frame) = stack.pop() else { return Ok(()) };
            let depth = to_u32(stack.len()) + 1;
            next = self.close(frame, depth, verdicts)?;
        }
    }

    /// Decides a sub-game of one parity; otherwise gives its frame and the smaller sub-game.
    fn open(
        &mut self,
        members: Vec<u32>,
        depth: u32,
        verdicts: &mut Verdicts,
    ) -> Result<Option<(Subgame, Vec<u32>)>, Stopped> {
        self.budget.check()?;
        let priority = |member: &u32| self.game.class(*member as usize).priority;
        let largest = members.iter().map(priority).max().unwrap_or(0);
        let player = Player::of_priority(largest);
        if members.iter().all(|member| Player::of_priority(priority(member)) == player) {
            self.give(&members, &members, player, depth, verdicts);
            self.sink(&members, depth - 1);
            return Ok(None);
        }
        let best: Vec<u32> = members.iter().copied().filter(|member| priority(member) == largest).collect();
        let drawn = self.attract(&best, player, depth, verdicts)?;
        let rest = members.iter().copied().filter(|&member| self.drawn[member as usize] != self.stamp).collect();
        Ok(Some((Subgame { members, player, best, drawn }, rest)))
    }

    /// Uses the outcome of the smaller sub-game: the frame is decided, or what is left of it is given back.
    fn close(&mut self, frame: Subgame, depth: u32, verdicts: &mut Verdicts) -> Result<Option<Vec<u32>>, Stopped> {
        let Subgame { members, player, best, drawn } = frame;
        let opponent = player.other();
        let lost: Vec<u32> =
            members.iter().copied().filter(|&member| verdicts.won_by(member as usize, opponent)).collect();
        if lost.is_empty() {
            self.give(&drawn, &best, player, depth, verdicts);
            self.sink(&members, depth - 1);
            return Ok(None);
        }
        let theirs = self.attract(&lost, opponent, depth, verdicts)?;
        for &member in &theirs {
            verdicts.decide(member as usize, opponent);
            if self.game.class(member as usize).owner == player {
                verdicts.solution.strategy[member as usize] = NO_MOVE;
            }
        }
        self.sink(&theirs, depth - 1);
        let rest: Vec<u32> = members.into_iter().filter(|&member| self.drawn[member as usize] != self.stamp).collect();
        for &member in &rest {
            verdicts.decided.remove(member as usize);
            verdicts.solution.strategy[member as usize] = NO_MOVE;
        }
        Ok(Some(rest))
    }

    /// Decides positions for a player, who in `free` may move anywhere inside the sub-game.
    fn give(&mut self, members: &[u32], free: &[u32], player: Player, depth: u32, verdicts: &mut Verdicts) {
        for &member in free {
            let position = member as usize;
            if self.game.class(position).owner == player {
                let inside = |to: usize| self.depth[to] >= depth;
                verdicts.solution.strategy[position] = Verdicts::first_move(self.game, position, inside);
            }
        }
        for &member in members {
            verdicts.decide(member as usize, player);
            if self.game.class(member as usize).owner != player {
                verdicts.solution.strategy[member as usize] = NO_MOVE;
            }
        }
    }

    fn sink(&mut self, members: &[u32], depth: u32) {
        members.iter().for_each(|&member| self.depth[member as usize] = depth);
    }

    /// What `player` can force into the seeds inside the sub-game, seeds first; sets their strategy.
    fn attract(
        &mut self,
        seeds: &[u32],
        player: Player,
        depth: u32,
        verdicts: &mut Verdicts,
    ) -> Result<Vec<u32>, Stopped> {
        self.stamp += 1;
        let mut queue = seeds.to_vec();
        queue.iter().for_each(|&seed| self.drawn[seed as usize] = self.stamp);
        let mut done = 0;
        while done < queue.len() {
            self.budget.tick(&mut self.ticks)?;
            let target = queue[done];
            done += 1;
            for &source in self.predecessors.of(target as usize) {
                let position = source as usize;
                if self.depth[position] < depth || self.drawn[position] == self.stamp {
                    continue;
                }
                if self.game.class(position).owner == player {
                    let chosen = Verdicts::first_move(self.game, position, |to| to_u32(to) == target);
                    verdicts.solution.strategy[position] = chosen;
                } else if !self.last_escape_closed(position, depth) {
                    continue;
                }
                self.drawn[position] = self.stamp;
                queue.push(source);
            }
        }
        Ok(queue)
    }

    /// Counts one move of a position as losing; whether it was the last one inside the sub-game.
    fn last_escape_closed(&mut self, position: usize, depth: u32) -> bool {
        let (stamp, left) = self.left[position];
        let left = if stamp == self.stamp { left } else { self.moves_inside(position, depth) };
        self.left[position] = (self.stamp, left - 1);
        left == 1
    }

    fn moves_inside(&self, position: usize, depth: u32) -> u32 {
        to_u32(self.game.moves(position).iter().filter(|&&to| self.depth[to as usize] >= depth).count())
    }
}

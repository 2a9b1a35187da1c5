//! Block by block, lowest first.

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Budget, Stopped};

use super::attract::{Predecessors, Verdicts};
use super::components::components;
use super::priority_promotion;
use super::zielonka::Recursion;
use super::{Game, NO_MOVE, NO_RANK, Player, Solution};

/// How often the recursion may look at each move of a component before another way is taken.
const PATIENCE: u64 = 20;

/// The winner and a winning strategy at every position. Positions that never got moves have none.
///
/// # Errors
/// `Stopped` if the budget is spent; nothing partial is returned.
///
/// # Panics
/// If a move climbs to a higher block, or positions were announced and not closed: faults of the caller.
pub fn solve(game: &Game, budget: &Budget) -> Result<Solution, Stopped> {
    solve_with(game, PATIENCE, budget)
}

/// As [`solve`]; the recursion may look at each move of a component so often.
pub(super) fn solve_with(game: &Game, patience: u64, budget: &Budget) -> Result<Solution, Stopped> {
    assert_eq!(game.len(), game.closed(), "every position has got its moves");
    let predecessors = Predecessors::inside_blocks(game, budget)?;
    let mut solver = Blocks {
        game,
        predecessors: &predecessors,
        verdicts: Verdicts::new(game.len(), budget)?,
        left: vec![0; game.len()],
        active: BitSet::empty(game.len()),
        recursion: None,
        patience,
        budget,
        ticks: 0,
    };
    for members in by_block(game) {
        solver.solve_block(&members)?;
    }
    Ok(solver.verdicts.solution)
}

/// The positions of each block, lowest block first.
fn by_block(game: &Game) -> Vec<Vec<u32>> {
    let blocks = game.classes().iter().map(|class| class.block as usize + 1).max().unwrap_or(0);
    let mut members = vec![Vec::new(); blocks];
    for position in 0..game.len() {
        members[game.class(position).block as usize].push(to_u32(position));
    }
    members
}

struct Blocks<'g> {
    game: &'g Game,
    predecessors: &'g Predecessors,
    verdicts: Verdicts,
    /// For positions of the player who is attracted against: moves that are not yet seen to lose.
    left: Vec<u32>,
    /// The positions that the running attractor may touch.
    active: BitSet,
    recursion: Option<Recursion<'g>>,
    patience: u64,
    budget: &'g Budget,
    ticks: u32,
}

impl Blocks<'_> {
    fn solve_block(&mut self, members: &[u32]) -> Result<(), Stopped> {
        match one_parity(self.game, members) {
            None => self.solve_intricate(members),
            Some(resident) => {
                self.attract(members, resident.other())?;
                self.stay(members, resident)
            }
        }
    }

    /// Decides for `player` all of these positions from which they can force the play into what they win
    /// already; nearest first, so that ranks are least.
    fn attract(&mut self, members: &[u32], player: Player) -> Result<(), Stopped> {
        let mut queue = Vec::new();
        for &member in members {
            self.budget.tick(&mut self.ticks)?;
            self.active.insert(member as usize);
            if !self.verdicts.decided.contains(member as usize) && self.wins_at_once(member as usize, player) {
                queue.push(member);
            }
        }
        for &member in &queue {
            self.verdicts.solution.rank[member as usize] = 0;
            self.verdicts.decide(member as usize, player);
        }
        let mut done = 0;
        while done < queue.len() {
            self.budget.tick(&mut self.ticks)?;
            let target = queue[done];
            done += 1;
            let rank = self.verdicts.solution.rank[target as usize] + 1;
            for &source in self.predecessors.of(target as usize) {
                if self.is_drawn(source as usize, target, player) {
                    self.verdicts.solution.rank[source as usize] = rank;
                    self.verdicts.decide(source as usize, player);
                    queue.push(source);
                }
            }
        }
        members.iter().for_each(|&member| {
            self.active.remove(member as usize);
        });
        Ok(())
    }

    /// Whether `player` wins a position by one move into what is decided; prepares the counter.
    fn wins_at_once(&mut self, position: usize, player: Player) -> bool {
        let class = self.game.class(position);
        let mut left = 0;
        for (at, &target) in self.game.moves(position).iter().enumerate() {
            let target = target as usize;
            assert!(
                self.game.share_block(target, position) || self.game.class(target).block < class.block,
                "a move climbs to a higher block"
            );
            let won = self.verdicts.won_by(target, player);
            if won && class.owner == player {
                self.verdicts.solution.strategy[position] = to_u32(at);
                return true;
            }
            left += u32::from(!won);
        }
        self.left[position] = left;
        class.owner != player && left == 0
    }

    /// Whether a position becomes won for `player` now that `target` is.
    fn is_drawn(&mut self, source: usize, target: u32, player: Player) -> bool {
        if self.verdicts.decided.contains(source) || !self.active.contains(source) {
            return false;
        }
        if self.game.class(source).owner == player {
            let chosen = Verdicts::first_move(self.game, source, |to| to_u32(to) == target);
            self.verdicts.solution.strategy[source] = chosen;
            return true;
        }
        self.left[source] -= 1;
        self.left[source] == 0
    }

    /// What nobody was drawn out of belongs to the player who likes the block: they leave it where that
    /// wins at once, and stay otherwise.
    fn stay(&mut self, members: &[u32], resident: Player) -> Result<(), Stopped> {
        for &member in members {
            let position = member as usize;
            self.budget.tick(&mut self.ticks)?;
            if self.verdicts.decided.contains(position) {
                continue;
            }
            if self.game.class(position).owner == resident {
                self.verdicts.solution.strategy[position] = self.move_of_resident(position, resident);
            }
        }
        for &member in members {
            if !self.verdicts.decided.contains(member as usize) {
                self.verdicts.decide(member as usize, resident);
            }
        }
        Ok(())
    }

    fn move_of_resident(&self, position: usize, resident: Player) -> u32 {
        let out = Verdicts::first_move(self.game, position, |to| self.verdicts.won_by(to, resident));
        if out != NO_MOVE {
            return out;
        }
        Verdicts::first_move(self.game, position, |to| !self.verdicts.decided.contains(to))
    }

    /// Decides positions whose owner can stay there for ever and likes that.
    fn stay_at_loops(&mut self, members: &[u32]) {
        for &member in members {
            let class = self.game.class(member as usize);
            if Player::of_priority(class.priority) != class.owner {
                continue;
            }
            let stays = Verdicts::first_move(self.game, member as usize, |to| to_u32(to) == member);
            if stays != NO_MOVE {
                self.verdicts.solution.strategy[member as usize] = stays;
                self.verdicts.decide(member as usize, class.owner);
            }
        }
    }

    /// A block of both parities: component by component, the recursion for what is still mixed then.
    fn solve_intricate(&mut self, members: &[u32]) -> Result<(), Stopped> {
        for &member in members {
            self.verdicts.solution.intricate.insert(member as usize);
        }
        for component in components(self.game, members, self.budget)? {
            self.stay_at_loops(&component);
            self.attract(&component, Player::Even)?;
            self.attract(&component, Player::Odd)?;
            let undecided = |member: &u32| !self.verdicts.decided.contains(*member as usize);
            let rest: Vec<u32> = component.into_iter().filter(undecided).collect();
            if let Some(resident) = one_parity(self.game, &rest) {
                self.stay(&rest, resident)?;
                continue;
            }
            let recursion = match &mut self.recursion {
                Some(recursion) => recursion,
                empty => empty.insert(Recursion::new(self.game, self.predecessors, self.budget)?),
            };
            if !recursion.solve(rest.clone(), self.patience, &mut self.verdicts)? {
                let game = (self.game, self.predecessors);
                priority_promotion::solve(game, &rest, &mut self.verdicts, self.budget)?;
            }
        }
        for &member in members {
            self.verdicts.solution.rank[member as usize] = NO_RANK;
        }
        Ok(())
    }
}

/// The player who likes all priorities of these positions, if there is one.
fn one_parity(game: &Game, members: &[u32]) -> Option<Player> {
    let mut players = members.iter().map(|&member| Player::of_priority(game.class(member as usize).priority));
    let first = players.next().unwrap_or(Player::Even);
    players.all(|player| player == first).then_some(first)
}

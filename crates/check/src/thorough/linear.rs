//! Is there a completion all of whose infinite paths satisfy a linear formula? Or all that are infinite or end?
//!
//! A game: at a cell the builder settles the open labels, which moves the automaton of the formula; the other picks a
//! demand of the cell; the builder picks the step that meets it. Where nothing is demanded the play ends and the builder
//! has won; if paths that end count, too, she ends there or takes any possible step, and has won an end if the automaton
//! accepts the last letter for ever. The builder wins an infinite play if the automaton accepts. Copies of a cell with different labels are
//! legitimate, so choices may depend on the automaton's state, and need to depend on nothing else.
//!
//! With a weak automaton the game is weak and costs one walk over its moves; with a Büchi or co-Büchi automaton its
//! cost is at most quadratic.

use std::collections::HashMap;

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};
use tertium_model::PropId;

use super::cells::{CellStep, Cells};
use super::completion::{Completion, Draft};
use super::words::Words;
use crate::game::parity::{self, Class, Game, NO_MOVE, Player, Solution};

/// A way to settle labels.
#[derive(Clone, Copy, Debug)]
struct Settlement {
    letter: u32,
    /// The automaton state that it leads to, and the priority of that step.
    step: (u32, u32),
    /// Whether the path may end here, and is accepted if it does.
    ends: bool,
}

/// A position of the game.
#[derive(Clone, Copy, Debug)]
enum Spot {
    /// The builder settles labels.
    Node { cell: u32, state: u32 },
    /// The other picks a demand.
    Settled { cell: u32, state: u32 },
    /// The builder picks a step.
    Pick,
    /// Nothing is demanded, and an end would not do: the builder picks a step.
    Onward { cell: u32, state: u32 },
    /// The path has ended, and the builder has won.
    Ended,
}

/// Which position stands at a place: a table where that is small, a map where it is not.
#[derive(Debug)]
enum Places {
    /// The position plus one.
    Table(Vec<u32>),
    Map(HashMap<u64, u32>),
}

/// A larger table would hold mostly nothing.
const LARGEST_TABLE: usize = 1 << 26;

/// A place as an index of the table.
fn cell(place: u64) -> usize {
    usize::try_from(place).expect("a place in a table that fits the memory")
}

impl Places {
    fn new(size: usize, budget: &Budget) -> Result<Self, Stopped> {
        if size > LARGEST_TABLE {
            return Ok(Self::Map(HashMap::new()));
        }
        budget.reserve(size * size_of::<u32>())?;
        Ok(Self::Table(vec![0; size]))
    }

    fn get(&self, place: u64) -> Option<u32> {
        match self {
            Self::Table(table) => table[cell(place)].checked_sub(1),
            Self::Map(map) => map.get(&place).copied(),
        }
    }

    fn insert(&mut self, place: u64, position: u32) {
        match self {
            Self::Table(table) => table[cell(place)] = position + 1,
            Self::Map(map) => {
                map.insert(place, position);
            }
        }
    }
}

/// The game and who wins it.
#[derive(Debug)]
pub(crate) struct PathGame<'t> {
    cells: &'t Cells<'t>,
    words: Words,
    /// Whether paths that end count.
    ends: bool,
    /// For each bit of a letter its proposition.
    props: Vec<PropId>,
    classes: HashMap<(Player, u32), u32>,
    game: Game,
    spots: Vec<Spot>,
    /// The position of each cell and automaton state.
    nodes: Places,
    /// The same once labels are settled; the step's priority counts, too.
    settled: Places,
    priorities: usize,
    solution: Option<Solution>,
    ticks: u32,
}

impl<'t> PathGame<'t> {
    /// Plays from these cells. `props` are the propositions of the formula's atoms; paths that end count if `ends`.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn play(
        cells: &'t Cells<'t>,
        words: Words,
        ends: bool,
        props: &[PropId],
        starts: &[u32],
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        let mut kinds = Vec::new();
        let mut classes = HashMap::new();
        for priority in 0..=words.greatest_priority().max(1) {
            for owner in [Player::Even, Player::Odd] {
                classes.insert((owner, priority), to_u32(kinds.len()));
                kinds.push(Class { owner, priority, block: 0 });
            }
        }
        let priorities = words.greatest_priority().max(1) as usize + 1;
        // The states of an automaton that was seen as a whole are counted; others may be many.
        let places = if words.complete { cells.len().saturating_mul(words.state_count()) } else { usize::MAX };
        let props = words.atoms.iter().map(|atom| props[atom.index()]).collect();
        let mut play = Self {
            cells,
            words,
            ends,
            props,
            classes,
            game: Game::new(kinds),
            spots: Vec::new(),
            nodes: Places::new(places, budget)?,
            settled: Places::new(places.saturating_mul(priorities), budget)?,
            priorities,
            solution: None,
            ticks: 0,
        };
        for &cell in starts {
            play.node(cell, 0, budget)?;
        }
        play.build(budget)?;
        play.solution = Some(parity::solve(&play.game, budget)?);
        Ok(play)
    }

    /// The number of a cell with an automaton state.
    fn place(&self, cell: u32, state: u32) -> u64 {
        u64::from(state) * self.cells.len() as u64 + u64::from(cell)
    }

    fn settled_place(&self, cell: u32, state: u32, priority: u32) -> u64 {
        self.place(cell, state) * self.priorities as u64 + u64::from(priority)
    }

    /// How many positions there are.
    pub fn size(&self) -> usize {
        self.game.len()
    }

    fn announce(&mut self, spot: Spot, owner: Player, priority: u32, budget: &Budget) -> Result<u32, Stopped> {
        let class = self.classes[&(owner, priority)];
        self.spots.push(spot);
        self.game.add_position(class, budget)
    }

    fn node(&mut self, cell: u32, state: u32, budget: &Budget) -> Result<u32, Stopped> {
        let place = self.place(cell, state);
        if let Some(known) = self.nodes.get(place) {
            return Ok(known);
        }
        let rest = self.words.resting_priority(state);
        // Nothing is left to satisfy: whoever moves has lost.
        let owner = if self.words.accepts_all(state) { Player::Odd } else { Player::Even };
        let position = self.announce(Spot::Node { cell, state }, owner, rest, budget)?;
        self.nodes.insert(place, position);
        Ok(position)
    }

    fn build(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let mut picks: HashMap<u32, Vec<u32>> = HashMap::new();
        while self.game.closed() < self.game.len() {
            budget.tick(&mut self.ticks)?;
            let position = self.game.closed();
            match self.spots[position] {
                Spot::Node { state, .. } if self.words.accepts_all(state) => {}
                Spot::Node { cell, state } => {
                    for settlement in self.settlements(cell, state, budget)? {
                        let target = self.settled_position(cell, settlement, budget)?;
                        self.game.add_move(target, budget)?;
                    }
                }
                Spot::Onward { cell, state } => {
                    let cells = self.cells;
                    for step in cells.possible(cell) {
                        let target = self.node(step.cell, state, budget)?;
                        self.game.add_move(target, budget)?;
                    }
                }
                Spot::Ended => {}
                Spot::Settled { cell, state } => self.settled_moves(cell, state, &mut picks, budget)?,
                Spot::Pick => {
                    for target in picks.remove(&to_u32(position)).unwrap_or_default() {
                        self.game.add_move(target, budget)?;
                    }
                }
            }
            self.game.close(budget)?;
        }
        Ok(())
    }

    /// The steps of the automaton for all ways to settle the labels, each with the first letter that makes it.
    fn settlements(&mut self, cell: u32, state: u32, budget: &Budget) -> Result<Vec<Settlement>, Stopped> {
        let (mut fixed, mut open) = (0u32, Vec::new());
        for (bit, &prop) in self.props.iter().enumerate() {
            match self.cells.label(cell, prop) {
                Some(value) => fixed |= u32::from(value) << bit,
                None => open.push(bit),
            }
        }
        let may_end = self.may_end(cell);
        let mut found: Vec<Settlement> = Vec::new();
        for choice in 0..1u32 << open.len() {
            budget.tick(&mut self.ticks)?;
            let chosen = open.iter().enumerate().map(|(at, &bit)| (choice >> at & 1) << bit).sum::<u32>();
            let letter = fixed | chosen;
            let step = self.words.step(state, letter);
            let ends = may_end && self.words.accepts_forever(step.0, letter);
            if !found.iter().any(|other| (other.step, other.ends) == (step, ends)) {
                found.push(Settlement { letter, step, ends });
            }
        }
        Ok(found)
    }

    /// Whether a path may end at a cell, and that counts.
    fn may_end(&self, cell: u32) -> bool {
        let mut demanded = false;
        self.cells.demands(cell, |_| demanded = true);
        self.ends && !demanded
    }

    fn settled_position(&mut self, cell: u32, settled: Settlement, budget: &Budget) -> Result<u32, Stopped> {
        if settled.ends {
            return self.announce(Spot::Ended, Player::Odd, 0, budget);
        }
        let (state, priority) = settled.step;
        let place = self.settled_place(cell, state, priority);
        if let Some(known) = self.settled.get(place) {
            return Ok(known);
        }
        let (spot, owner) = match self.may_end(cell) {
            true => (Spot::Onward { cell, state }, Player::Even),
            false => (Spot::Settled { cell, state }, Player::Odd),
        };
        let position = self.announce(spot, owner, priority, budget)?;
        self.settled.insert(place, position);
        Ok(position)
    }

    fn settled_moves(
        &mut self,
        cell: u32,
        state: u32,
        picks: &mut HashMap<u32, Vec<u32>>,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let cells = self.cells;
        let mut outcome = Ok(());
        cells.demands(cell, |steps| {
            if outcome.is_ok() {
                outcome = self.add_demand(steps, state, picks, budget);
            }
        });
        outcome
    }

    fn add_demand(
        &mut self,
        steps: &[CellStep],
        state: u32,
        picks: &mut HashMap<u32, Vec<u32>>,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let mut targets = Vec::with_capacity(steps.len());
        for step in steps {
            targets.push(self.node(step.cell, state, budget)?);
        }
        let target = match targets[..] {
            [only] => only,
            _ => {
                let rest = self.words.resting_priority(state);
                let position = self.announce(Spot::Pick, Player::Even, rest, budget)?;
                picks.insert(position, targets);
                position
            }
        };
        self.game.add_move(target, budget)
    }

    /// Whether some completion of a cell has no path that violates the formula.
    pub fn is_won(&self, cell: u32) -> bool {
        let start = self.nodes.get(self.place(cell, 0));
        start.is_some_and(|at| self.solution.as_ref().is_some_and(|solution| solution.even_wins.contains(at as usize)))
    }

    fn strategy(&self, position: u32) -> Option<usize> {
        let choice = self.solution.as_ref()?.strategy[position as usize];
        (choice != NO_MOVE).then_some(choice as usize)
    }

    /// The completion that the builder's strategy makes of a cell that is won.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn completion(&mut self, cell: u32, budget: &Budget) -> Result<Option<Completion>, Stopped> {
        if !self.is_won(cell) {
            return Ok(None);
        }
        let mut draft = Draft::new(self.cells);
        let Some(start) = self.nodes.get(self.place(cell, 0)) else { return Ok(None) };
        let mut known = HashMap::from([(start, draft.add(cell))]);
        let mut todo = vec![start];
        while let Some(node) = todo.pop() {
            budget.tick(&mut self.ticks)?;
            let Spot::Node { cell, state } = self.spots[node as usize] else { continue };
            let at = known[&node];
            let Some(choice) = self.strategy(node) else {
                draft.meet_demands(at);
                continue;
            };
            let letter = self.settlements(cell, state, budget)?[choice].letter;
            let labels = self.props.iter().enumerate().map(|(bit, &prop)| (prop, letter >> bit & 1 == 1));
            draft.state(at).labels = labels.collect();
            let settled = self.game.moves(node as usize)[choice];
            for (step, target) in self.chosen_steps(cell, settled) {
                let to = match known.get(&target) {
                    Some(&to) => to,
                    None => {
                        todo.push(target);
                        let to = draft.add(step.cell);
                        known.insert(target, to);
                        to
                    }
                };
                draft.state(at).steps.push((step.action, to));
            }
        }
        draft.finish(budget).map(Some)
    }

    /// The step that the builder takes for each demand, and the node it leads to; or the one that she takes of her own.
    fn chosen_steps(&self, cell: u32, settled: u32) -> Vec<(CellStep, u32)> {
        let mut taken = Vec::new();
        let moves = self.game.moves(settled as usize);
        if let Spot::Onward { .. } = self.spots[settled as usize] {
            let choice = self.strategy(settled);
            let step = choice.and_then(|choice| self.cells.possible(cell).nth(choice).zip(moves.get(choice).copied()));
            return step.into_iter().collect();
        }
        self.cells.demands(cell, |steps| {
            let to = moves[taken.len()];
            let choice = match self.spots[to as usize] {
                Spot::Pick => self.strategy(to).unwrap_or(0),
                _ => 0,
            };
            let target =
                if matches!(self.spots[to as usize], Spot::Pick) { self.game.moves(to as usize)[choice] } else { to };
            taken.push((steps[choice], target));
        });
        taken
    }

    /// The strategy against all completions of a cell that is lost: its positions as cells and automaton states, and for
    /// each position and each way to settle the open ones of `props`, the positions that it moves to.
    pub fn refutation(&mut self, cell: u32, props: &[PropId]) -> Strategy {
        let mut strategy = Strategy { positions: vec![(cell, 0)], moves: Vec::new() };
        let mut known: HashMap<(u32, u32), u32> = HashMap::from([((cell, 0), 0)]);
        while strategy.moves.len() < strategy.positions.len() {
            let (cell, state) = strategy.positions[strategy.moves.len()];
            let open: Vec<PropId> =
                props.iter().copied().filter(|&prop| self.cells.label(cell, prop).is_none()).collect();
            let mut ways = Vec::with_capacity(1 << open.len());
            for way in 0..1u32 << open.len() {
                let chosen = |prop: PropId| {
                    let settled = || open.iter().position(|&other| other == prop).map(|bit| way >> bit & 1 == 1);
                    self.cells.label(cell, prop).or_else(settled).unwrap_or(false)
                };
                let bits = self.props.iter().enumerate().map(|(bit, &prop)| u32::from(chosen(prop)) << bit);
                let letter = bits.sum();
                let (next, priority) = self.words.step(state, letter);
                let mut targets = Vec::new();
                for node in self.answer(cell, next, priority) {
                    let fresh = to_u32(strategy.positions.len());
                    let at = *known.entry(node).or_insert(fresh);
                    if at == fresh {
                        strategy.positions.push(node);
                    }
                    targets.push(at);
                }
                ways.push(targets);
            }
            strategy.moves.push(ways);
        }
        strategy
    }

    /// The nodes that the answer to settled labels may lead to.
    fn answer(&self, cell: u32, state: u32, priority: u32) -> Vec<(u32, u32)> {
        let place = self.settled_place(cell, state, priority);
        let Some(settled) = self.settled.get(place) else { return Vec::new() };
        let Some(choice) = self.strategy(settled) else { return Vec::new() };
        let to = self.game.moves(settled as usize)[choice];
        let outcomes = match self.spots[to as usize] {
            Spot::Pick => self.game.moves(to as usize),
            _ => std::slice::from_ref(&self.game.moves(settled as usize)[choice]),
        };
        let node = |&at: &u32| match self.spots[at as usize] {
            Spot::Node { cell, state } => Some((cell, state)),
            _ => None,
        };
        outcomes.iter().filter_map(node).collect()
    }
}

/// A strategy against completions.
#[derive(Clone, Debug)]
pub(crate) struct Strategy {
    /// Cells with automaton states.
    pub positions: Vec<(u32, u32)>,
    /// For each position, for each way to settle labels, the positions moved to.
    pub moves: Vec<Vec<Vec<u32>>>,
}

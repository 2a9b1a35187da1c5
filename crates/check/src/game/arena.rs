//! The positions of a task's game, built from the asked states only.
//!
//! A position is an obligation at a state. Literals are decided while building, and a connective with
//! one undecided operand is passed over, so most positions are steps. A certain set with several
//! members is a position of its own, where the opponent picks the member.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};
use tertium_model::{HyperId, StateId};

use super::parity::{Class, Game, Player};
use super::plan::{ModalStep, Obligation, Plan, Rule};
use super::steps::{CertainSet, Steps};
use crate::Task;

/// The position that Even has won, and the one that Odd has won.
const WON: u32 = 0;
const LOST: u32 = 1;
const ABSENT: u32 = u32::MAX;

/// Where an obligation at a state leads once literals are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObligationOutcome {
    /// It is met.
    Won,
    /// It cannot be met.
    Lost,
    /// It depends on this obligation at the same state, which is a position.
    At(Obligation),
}

/// Numbers positions; memory for groups of states is taken when the first of them is reached.
#[derive(Debug)]
struct Index {
    /// For each obligation its column; `ABSENT` if it never is a position.
    column: Vec<u32>,
    columns: usize,
    groups: Vec<Option<Box<[u32]>>>,
}

const GROUP: usize = 16;

impl Index {
    fn new(plan: &Plan, states: usize) -> Self {
        let mut columns = 0;
        let literal = |to: Obligation| matches!(plan.rule(to), Rule::Constant(_) | Rule::Label(..));
        let passed_over = |obligation: usize| match plan.rules[obligation] {
            Rule::Constant(_) | Rule::Label(..) => true,
            _ if plan.order.anchored.contains(obligation) => false,
            Rule::Jump(_) => true,
            Rule::Any(a, b) | Rule::All(a, b) => literal(a) || literal(b),
            Rule::Diamond(..) | Rule::Box(..) => false,
        };
        let mut column_of = |obligation: usize| {
            if passed_over(obligation) {
                return ABSENT;
            }
            columns += 1;
            columns - 1
        };
        let column = (0..plan.rules.len()).map(&mut column_of).collect();
        Self { column, columns: columns as usize, groups: vec![None; states.div_ceil(GROUP)] }
    }

    fn place(&self, state: StateId, obligation: Obligation) -> (usize, usize) {
        let column = self.column[obligation as usize] as usize;
        (state.index() / GROUP, column * GROUP + state.index() % GROUP)
    }

    #[inline]
    fn get(&self, state: StateId, obligation: Obligation) -> Option<u32> {
        if self.column[obligation as usize] == ABSENT {
            return None;
        }
        let (group, at) = self.place(state, obligation);
        let position = self.groups[group].as_ref()?[at];
        (position != ABSENT).then_some(position)
    }

    #[inline]
    fn entry(&mut self, state: StateId, obligation: Obligation, budget: &Budget) -> Result<&mut u32, Stopped> {
        let (group, at) = self.place(state, obligation);
        let length = self.columns * GROUP;
        let slots = match &mut self.groups[group] {
            Some(slots) => slots,
            empty => {
                budget.reserve(length * size_of::<u32>())?;
                empty.insert(vec![ABSENT; length].into_boxed_slice())
            }
        };
        Ok(&mut slots[at])
    }
}

/// The game of a task.
#[derive(Debug)]
pub(crate) struct Arena<'t> {
    /// What is asked.
    pub task: &'t Task<'t>,
    /// The formula's obligations.
    pub plan: Plan,
    /// The steps of the structure.
    pub steps: Steps<'t>,
    /// The game.
    pub game: Game,
    index: Index,
    states: Vec<StateId>,
    /// Positions that are certain sets, ascending, with the set.
    sets: Vec<(u32, CertainSet)>,
    /// Whether there was more than the game had room for.
    pub cut_off: bool,
    ticks: u32,
}

/// How much of a game to build. Positions are met in order of their distance from the roots, so what does not fit
/// is far away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Positions beyond this many are not looked into.
    pub most: usize,
    /// Who is taken to win them: what the other side wins all the same is won in the whole game.
    pub beyond_is_won: bool,
}

impl Room {
    /// Room for everything.
    pub const ENOUGH: Self = Self { most: usize::MAX, beyond_is_won: false };
}

impl<'t> Arena<'t> {
    /// Builds everything that matters for these obligations at these states, as far as there is room.
    pub fn build(
        task: &'t Task<'t>,
        plan: Plan,
        roots: impl IntoIterator<Item = (StateId, Obligation)>,
        room: Room,
    ) -> Result<Self, Stopped> {
        let index = Index::new(&plan, task.model.state_count());
        let game = Game::new(classes(&plan));
        let steps = Steps::new(task);
        let mut arena =
            Self { task, plan, steps, game, index, states: Vec::new(), sets: Vec::new(), cut_off: false, ticks: 0 };
        let ends = to_u32(arena.plan.rules.len()) * 2;
        arena.announce(StateId::new(0), ends)?;
        arena.announce(StateId::new(0), ends + 1)?;
        for (state, obligation) in roots {
            if let ObligationOutcome::At(at) = arena.outcome(state, obligation) {
                arena.position(state, at)?;
            }
        }
        while arena.game.closed() < arena.game.len() {
            task.budget.tick(&mut arena.ticks)?;
            let position = arena.game.closed();
            if position >= room.most {
                arena.cut_off = true;
                arena.game.add_move(if room.beyond_is_won { WON } else { LOST }, task.budget)?;
            } else {
                arena.add_moves(position)?;
            }
            arena.game.close(task.budget)?;
        }
        Ok(arena)
    }

    /// Decides literals and passes over connectives with one operand left.
    #[inline]
    pub fn outcome(&self, state: StateId, mut obligation: Obligation) -> ObligationOutcome {
        loop {
            if self.plan.order.anchored.contains(obligation as usize) {
                return ObligationOutcome::At(obligation);
            }
            obligation = match self.plan.rule(obligation) {
                Rule::Constant(value) => return if value { ObligationOutcome::Won } else { ObligationOutcome::Lost },
                Rule::Label(..) => {
                    return if self.literal(state, obligation) == Some(true) {
                        ObligationOutcome::Won
                    } else {
                        ObligationOutcome::Lost
                    };
                }
                Rule::Jump(to) => to,
                Rule::Any(a, b) => match (self.literal(state, a), self.literal(state, b)) {
                    (Some(true), _) | (_, Some(true)) => return ObligationOutcome::Won,
                    (Some(false), Some(false)) => return ObligationOutcome::Lost,
                    (Some(false), None) => b,
                    (None, Some(false)) => a,
                    (None, None) => return ObligationOutcome::At(obligation),
                },
                Rule::All(a, b) => match (self.literal(state, a), self.literal(state, b)) {
                    (Some(false), _) | (_, Some(false)) => return ObligationOutcome::Lost,
                    (Some(true), Some(true)) => return ObligationOutcome::Won,
                    (Some(true), None) => b,
                    (None, Some(true)) => a,
                    (None, None) => return ObligationOutcome::At(obligation),
                },
                Rule::Diamond(..) | Rule::Box(..) => return ObligationOutcome::At(obligation),
            };
        }
    }

    /// The value of a constant or label; none for other obligations.
    #[inline]
    fn literal(&self, state: StateId, obligation: Obligation) -> Option<bool> {
        match self.plan.rule(obligation) {
            Rule::Constant(value) => Some(value),
            Rule::Label(prop, wanted) => {
                let (for_true, not_refuted) = self.task.model.label_sets(prop);
                Some(if wanted { for_true.contains(state.index()) } else { !not_refuted.contains(state.index()) })
            }
            _ => None,
        }
    }

    /// The number of a position that was reached.
    pub fn find(&self, state: StateId, obligation: Obligation) -> Option<usize> {
        self.index.get(state, obligation).map(|position| position as usize)
    }

    fn announce(&mut self, state: StateId, class: u32) -> Result<u32, Stopped> {
        let position = self.game.add_position(class, self.task.budget)?;
        self.states.push(state);
        Ok(position)
    }

    fn position(&mut self, state: StateId, obligation: Obligation) -> Result<u32, Stopped> {
        let next = to_u32(self.game.len());
        let entry = self.index.entry(state, obligation, self.task.budget)?;
        if *entry != ABSENT {
            return Ok(*entry);
        }
        *entry = next;
        self.announce(state, obligation)
    }

    fn add_moves(&mut self, position: usize) -> Result<(), Stopped> {
        let state = self.states[position];
        let class = to_u32(self.game.class_index(position));
        let count = to_u32(self.plan.rules.len());
        if class >= 2 * count {
            return Ok(());
        }
        if class >= count {
            return self.add_set_moves(position, state, class - count);
        }
        match self.plan.rule(class) {
            Rule::Constant(_) | Rule::Label(..) => Ok(()),
            Rule::Jump(to) => self.add_choice(true, state, [to].into_iter()),
            Rule::Any(a, b) => self.add_choice(true, state, [a, b].into_iter()),
            Rule::All(a, b) => self.add_choice(false, state, [a, b].into_iter()),
            Rule::Diamond(step, to) => self.add_diamond(state, class, step, to),
            Rule::Box(step, to) => self.add_box(state, step, to),
        }
    }

    /// One move towards an obligation. `ours` says for whom it is: an end that the mover wins makes all other
    /// moves needless (true is returned), one that they lose is no move.
    #[inline]
    fn add_target(&mut self, ours: bool, state: StateId, to: Obligation) -> Result<bool, Stopped> {
        let target = match (self.outcome(state, to), ours) {
            (ObligationOutcome::Won, true) => return self.add_end(WON),
            (ObligationOutcome::Lost, false) => return self.add_end(LOST),
            (ObligationOutcome::Won, false) | (ObligationOutcome::Lost, true) => return Ok(false),
            (ObligationOutcome::At(at), _) => self.position(state, at)?,
        };
        self.game.add_move(target, self.task.budget)?;
        Ok(false)
    }

    fn add_end(&mut self, end: u32) -> Result<bool, Stopped> {
        self.game.forget_open_moves();
        self.game.add_move(end, self.task.budget)?;
        Ok(true)
    }

    fn add_choice(
        &mut self,
        ours: bool,
        state: StateId,
        targets: impl Iterator<Item = Obligation>,
    ) -> Result<(), Stopped> {
        for to in targets {
            if self.add_target(ours, state, to)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn add_box(&mut self, state: StateId, step: ModalStep, to: Obligation) -> Result<(), Stopped> {
        if step.finite && !self.steps.something_certain(state) {
            self.add_end(LOST)?;
            return Ok(());
        }
        let model = self.task.model;
        for edge in model.edges_from(state) {
            if self.steps.is_possible(step.filter, edge) && self.add_target(false, edge.target, to)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn add_diamond(&mut self, state: StateId, class: u32, step: ModalStep, to: Obligation) -> Result<(), Stopped> {
        let model = self.task.model;
        for edge in model.edges_from(state) {
            if self.steps.is_certain(step.filter, edge) && self.add_target(true, edge.target, to)? {
                return Ok(());
            }
        }
        for at in model.hyper_range(state) {
            let set = CertainSet::Hyper(HyperId::new(at));
            if self.steps.set_counts(state, step, set) && self.add_set(state, class, set, to)? {
                return Ok(());
            }
        }
        for set in [CertainSet::Total, CertainSet::Ending] {
            if self.steps.set_counts(state, step, set) && self.add_set(state, class, set, to)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The move into a certain set, if no member is lost already.
    fn add_set(&mut self, state: StateId, class: u32, set: CertainSet, to: Obligation) -> Result<bool, Stopped> {
        match self.undecided(state, set, to) {
            Undecided::Lost => Ok(false),
            Undecided::None => self.add_end(WON),
            Undecided::One(member) => self.add_target(true, member, to),
            Undecided::More => {
                let position = self.announce(state, class + to_u32(self.plan.rules.len()))?;
                self.sets.push((position, set));
                self.game.add_move(position, self.task.budget)?;
                Ok(false)
            }
        }
    }

    fn undecided(&self, state: StateId, set: CertainSet, to: Obligation) -> Undecided {
        let mut found = Undecided::None;
        for member in self.steps.members(state, set) {
            match (self.outcome(member, to), &found) {
                (ObligationOutcome::Lost, _) => return Undecided::Lost,
                (ObligationOutcome::Won, _) => {}
                (ObligationOutcome::At(_), Undecided::None) => found = Undecided::One(member),
                (ObligationOutcome::At(_), Undecided::One(other)) if *other == member => {}
                (ObligationOutcome::At(_), _) => found = Undecided::More,
            }
        }
        found
    }

    fn add_set_moves(&mut self, position: usize, state: StateId, obligation: Obligation) -> Result<(), Stopped> {
        let Rule::Diamond(_, to) = self.plan.rule(obligation) else { return Ok(()) };
        let Ok(at) = self.sets.binary_search_by_key(&to_u32(position), |&(number, _)| number) else { return Ok(()) };
        let set = self.sets[at].1;
        let steps = self.steps;
        for member in steps.members(state, set) {
            self.add_target(false, member, to)?;
        }
        Ok(())
    }
}

enum Undecided {
    None,
    One(StateId),
    More,
    Lost,
}

/// One class per obligation, one per obligation for its certain sets, and the two ends.
fn classes(plan: &Plan) -> Vec<Class> {
    let class = |obligation: usize, owner| Class {
        owner,
        priority: plan.order.priority[obligation],
        block: plan.order.block[obligation] + 1,
    };
    let owner = |obligation: usize| match plan.rules[obligation] {
        Rule::All(..) | Rule::Box(..) => Player::Odd,
        _ => Player::Even,
    };
    let count = plan.rules.len();
    let obligations = (0..count).map(|at| class(at, owner(at)));
    let sets = (0..count).map(|at| class(at, Player::Odd));
    let ends = [Player::Odd, Player::Even].map(|owner| Class { owner, priority: 0, block: 0 });
    obligations.chain(sets).chain(ends).collect()
}

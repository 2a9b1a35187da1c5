//! What is the value of a branching formula, and who can force it?
//!
//! PML, CTL and the full mu-calculus as one parity game: a position asks whether a node of the formula
//! as parsed is provably true, or provably false, at a state. Truth evidence and falsity evidence are
//! two such questions, so values over mixed structures, hyper edges and all deadlock conventions need
//! no second set of rules. The game is built from the asked states only and solved by [`parity`].
//!
//! Not here: turning strategies into certificates and reasons (`witness`).

pub(crate) mod arena;
mod order;
pub mod parity;
pub(crate) mod plan;
pub(crate) mod steps;

use tertium_base::{BitSet, Stopped};
use tertium_logic::{Formula, Logic};
use tertium_model::StateId;

use crate::task::require_logic;
use crate::{Ask, Engine, EngineError, Task, Unsupported, Values};
use arena::{Arena, Outcome};
use parity::Solution;
use plan::{Obligation, Plan};

/// The engine that plays.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParityGame;

impl Engine for ParityGame {
    fn name(&self) -> &'static str {
        "game"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        plan(task).map(|_| ())
    }

    fn values(&self, task: &Task<'_>) -> Result<Values, EngineError> {
        let plan = plan(task)?;
        let root = plan.obligation(task.formula.root(), true);
        let asked: Vec<StateId> = match task.ask {
            Ask::All => task.model.states().collect(),
            Ask::At(states) => states.to_vec(),
        };
        let both = [root, plan::dual(root)];
        let solved = Solved::new(task, plan, asked.iter().flat_map(|&state| both.map(|side| (state, side))))?;
        let count = task.model.state_count();
        let mut values = Values { for_true: BitSet::empty(count), not_refuted: BitSet::full(count) };
        for state in asked {
            if solved.proves(state, root) == Some(true) {
                values.for_true.insert(state.index());
            }
            if solved.proves(state, plan::dual(root)) == Some(true) {
                values.not_refuted.remove(state.index());
            }
        }
        Ok(values)
    }
}

/// The obligations of a task's formula, or why the game cannot be played.
pub(crate) fn plan(task: &Task<'_>) -> Result<Plan, Unsupported> {
    require_logic("game", task.formula, &[Logic::Pml, Logic::Ctl, Logic::Mu])?;
    Plan::new(task).map_err(|problem| Unsupported { engine: "game", reason: problem.reason().to_owned() })
}

/// Why a formula of PML, CTL or mu-calculus cannot be evaluated, whatever its names mean.
pub(crate) fn shape_problem(formula: &Formula) -> Option<&'static str> {
    Plan::without_names(formula).err().map(plan::NoPlan::reason)
}

/// A game with its solution.
#[derive(Debug)]
pub(crate) struct Solved<'t> {
    /// The game.
    pub arena: Arena<'t>,
    /// Its winners and strategies.
    pub solution: Solution,
}

impl<'t> Solved<'t> {
    /// Plays for these obligations at these states.
    pub fn new(
        task: &'t Task<'t>,
        plan: Plan,
        roots: impl IntoIterator<Item = (StateId, Obligation)>,
    ) -> Result<Self, Stopped> {
        let arena = Arena::build(task, plan, roots)?;
        let solution = parity::solve(&arena.game, task.budget)?;
        Ok(Self { arena, solution })
    }

    /// Whether an obligation can be met at a state; none if the game never came there.
    pub fn proves(&self, state: StateId, obligation: Obligation) -> Option<bool> {
        match self.arena.outcome(state, obligation) {
            Outcome::Won => Some(true),
            Outcome::Lost => Some(false),
            Outcome::At(at) => self.arena.find(state, at).map(|position| self.solution.even_wins.contains(position)),
        }
    }
}

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
use arena::{Arena, ObligationOutcome, Room};
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
        Self::within(task, plan, roots, Room::ENOUGH)
    }

    /// The same with limited room.
    pub fn within(
        task: &'t Task<'t>,
        plan: Plan,
        roots: impl IntoIterator<Item = (StateId, Obligation)>,
        room: Room,
    ) -> Result<Self, Stopped> {
        let arena = Arena::build(task, plan, roots, room)?;
        let solution = parity::solve(&arena.game, task.budget)?;
        Ok(Self { arena, solution })
    }

    /// Whether an obligation can be met at a state; none if the game never came there.
    pub fn proves(&self, state: StateId, obligation: Obligation) -> Option<bool> {
        match self.arena.outcome(state, obligation) {
            ObligationOutcome::Won => Some(true),
            ObligationOutcome::Lost => Some(false),
            ObligationOutcome::At(at) => {
                self.arena.find(state, at).map(|position| self.solution.even_wins.contains(position))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_base::Budget;
    use tertium_evidence::Reading;
    use tertium_lattice::Belnap;
    use tertium_logic::{ParseOptions, parse};
    use tertium_model::{Kmts, KmtsBuilder};
    use tertium_testkit::Rng;

    fn random_model(states: usize) -> Kmts {
        let mut rng = Rng::new(7);
        let mut builder = KmtsBuilder::new();
        let props = [builder.add_prop("p"), builder.add_prop("q")];
        let ids: Vec<StateId> = (0..states).map(|at| builder.add_state(&format!("s{at}"))).collect();
        for &state in &ids {
            props.iter().for_each(|&prop| builder.set_label(state, prop, *rng.pick(&[Belnap::True, Belnap::False])));
            (0..5).for_each(|_| builder.add_edge(state, *rng.pick(&ids), true, rng.chance(50), None));
        }
        builder.finish().unwrap()
    }

    /// Positions and moves of the game for all states; the solver looks at each move a fixed number of times.
    fn size(model: &Kmts, text: &str) -> (usize, usize) {
        let formula = parse(text, &ParseOptions::in_logic(Logic::Ctl)).formula.unwrap();
        let budget = Budget::unlimited();
        let task = Task::new(model, &formula, Reading::default(), Ask::All, &budget).unwrap();
        let plan = plan(&task).unwrap();
        let root = plan.obligation(formula.root(), true);
        let roots = model.states().flat_map(|state| [(state, root), (state, plan::dual(root))]);
        let solved = Solved::new(&task, plan, roots).unwrap();
        assert!(solved.solution.intricate.is_empty(), "{text} needs the recursion");
        (solved.arena.game.len(), solved.arena.game.move_count())
    }

    #[test]
    fn the_game_of_a_ctl_formula_is_linear_and_needs_no_recursion() {
        let (small, large) = (random_model(1000), random_model(8000));
        for text in ["AG EF q", "A[p U EG q]", "AG (p -> AF (q & EX p))", "E[AX p R AG (q | EF p)]"] {
            let ((few, some), (many, more)) = (size(&small, text), size(&large, text));
            assert!(many < 9 * few && more < 9 * some, "{text}: {few} to {many} positions, {some} to {more} moves");
        }
    }
}

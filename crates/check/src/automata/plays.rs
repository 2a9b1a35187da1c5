//! Can the violation of a formula be forced, although no single path is certain?
//!
//! A game over positions (state, state of a deterministic automaton): the chooser picks a certain set
//! of the state, an adversary the member that the step leads to; labels are read pessimistically. If the
//! chooser can make the automaton accept, then every concrete system has a path that it accepts. Fairness is part
//! of the automaton: it must also see every constraint infinitely often, and a chosen set counts
//! for a constraint if all its members do. Since the automaton is deterministic, nothing is lost
//! against choosing with full knowledge of the past.

use std::collections::HashMap;

use tertium_base::narrow::to_u32;
use tertium_base::{StopReason, Stopped};
use tertium_evidence::Proof;
use tertium_logic::NodeId;
use tertium_model::StateId;

use super::automaton::Literal;
use super::determinise::Deterministic;
use super::letters::Letters;
use super::paths::{PathSets, Paths};
use super::question::{Meaning, Questions};
use super::translate;
use crate::game::parity::{Class, Game, NO_MOVE, Player, Solution, solve};
use crate::{Ask, EngineError};

/// What a position of the game stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Position {
    /// The chooser is at a state of the path graph; with the automaton's state.
    Choose(u32, u32),
    /// A set was chosen; with its members and the automaton's next state.
    Chosen(Vec<u32>, u32, u32),
}

/// The game from some states, and its outcome.
struct Play {
    positions: Vec<Position>,
    starts: Vec<u32>,
    game: Game,
    solution: Solution,
}

/// Adds the open states from which `node` (or its negation) can be forced.
///
/// # Errors
/// If the budget ends.
pub(crate) fn add_plays<'a>(
    paths: &Paths<'_, 'a>,
    questions: &mut Questions<'a>,
    (node, positive): (NodeId, bool),
    sets: &mut PathSets,
    ask: Ask<'_>,
) -> Result<(), EngineError> {
    let open = paths.open_states(sets, ask);
    let play = play(paths, questions, (node, positive), &open)?;
    for (state, &start) in open.iter().zip(&play.starts) {
        if play.solution.even_wins.contains(start as usize) {
            sets.certain.insert(state.index());
        }
    }
    Ok(())
}

/// The chooser's strategy against a formula from a state where it wins.
///
/// # Errors
/// If the budget ends.
pub(crate) fn strategy<'a>(
    paths: &Paths<'_, 'a>,
    questions: &mut Questions<'a>,
    node: NodeId,
    state: StateId,
) -> Result<Option<Proof>, EngineError> {
    let play = play(paths, questions, (node, false), &[state])?;
    let wins = play.starts.first().is_some_and(|&start| play.solution.even_wins.contains(start as usize));
    Ok(wins.then(|| play.told(paths)))
}

fn play<'a>(
    paths: &Paths<'_, 'a>,
    questions: &mut Questions<'a>,
    (node, positive): (NodeId, bool),
    from: &[StateId],
) -> Result<Play, Stopped> {
    let budget = paths.task.budget;
    let question = questions.fair_question(node, positive, paths.task.model.fairness().len());
    let automaton = translate::automaton(&question, budget)?;
    let letters = Letters::new(&paths.graph, &question.meanings, &automaton, true);
    let fair: Vec<Vec<u64>> = (0..paths.task.model.fairness().len())
        .map(|constraint| {
            let means = |meaning: &Meaning<'_>| matches!(meaning, Meaning::Fair(at) if *at == constraint);
            let atom = question.meanings.iter().position(means).map_or(u32::MAX, |at| to_u32(at));
            letters.bits_of(&[Literal { atom, positive: true }])
        })
        .collect();
    let deterministic = Deterministic::new(&automaton, |cube| letters.bits_of(cube));
    Builder { paths, letters, fair, deterministic, positions: Vec::new(), numbers: HashMap::new() }.run(from)
}

struct Builder<'p, 't, 'a> {
    paths: &'p Paths<'t, 'a>,
    letters: Letters,
    /// Per fairness constraint the bit of its literal.
    fair: Vec<Vec<u64>>,
    deterministic: Deterministic,
    positions: Vec<Position>,
    numbers: HashMap<Position, u32>,
}

impl Builder<'_, '_, '_> {
    fn run(mut self, from: &[StateId]) -> Result<Play, Stopped> {
        let budget = self.paths.task.budget;
        let mut game = Game::new(classes(self.deterministic.priorities()));
        let mut starts = Vec::new();
        for state in from {
            starts.push(self.number(Position::Choose(state.number(), 0), &mut game)?);
        }
        let mut ticks = 0;
        let mut at = 0;
        while at < self.positions.len() {
            budget.tick(&mut ticks)?;
            for target in self.moves(self.positions[at].clone()) {
                let target = self.number(target, &mut game)?;
                game.add_move(target, budget)?;
            }
            game.close(budget)?;
            at += 1;
        }
        let solution = solve(&game, budget)?;
        Ok(Play { positions: self.positions, starts, game, solution })
    }

    fn number(&mut self, position: Position, game: &mut Game) -> Result<u32, Stopped> {
        if let Some(&number) = self.numbers.get(&position) {
            return Ok(number);
        }
        let class = match position {
            Position::Choose(..) => 0,
            Position::Chosen(_, _, priority) => priority,
        };
        let number = game.add_position(class, self.paths.task.budget)?;
        if number as usize != self.positions.len() {
            return Err(Stopped(StopReason::Count));
        }
        self.positions.push(position.clone());
        self.numbers.insert(position, number);
        Ok(number)
    }

    fn moves(&mut self, position: Position) -> Vec<Position> {
        match position {
            Position::Choose(state, memory) => self.choices(state as usize, memory),
            Position::Chosen(members, memory, _) => {
                members.into_iter().map(|member| Position::Choose(member, memory)).collect()
            }
        }
    }

    fn choices(&mut self, state: usize, memory: u32) -> Vec<Position> {
        let mut choices = Vec::new();
        for set in self.paths.graph.certain_sets(state) {
            let mut bits = self.letters.of(self.paths.graph.origin(state)).to_vec();
            for (constraint, literal) in self.fair.iter().enumerate() {
                if set.fair >> constraint & 1 != 0 {
                    bits.iter_mut().zip(literal).for_each(|(bits, literal)| *bits |= literal);
                }
            }
            let letter = self.deterministic.letter(bits);
            let (next, priority) = self.deterministic.step(memory, letter);
            let members = set.members.iter().map(|&member| to_u32(member)).collect();
            choices.push(Position::Chosen(members, next, priority));
        }
        choices
    }
}

/// Class 0 is the chooser's; the others are the adversary's, one for each priority from 1.
fn classes(priorities: u32) -> Vec<Class> {
    let adversary = |priority| Class { owner: Player::Odd, priority, block: 0 };
    std::iter::once(Class { owner: Player::Even, priority: 0, block: 0 })
        .chain((1..priorities).map(adversary))
        .collect()
}

impl Play {
    /// The part of the winning strategy that plays from the first start can reach. Dead copies are left
    /// out: a position that moves there only has no moves.
    fn told(&self, paths: &Paths<'_, '_>) -> Proof {
        let mut order: Vec<u32> = self.starts.first().copied().into_iter().collect();
        let mut numbers: HashMap<u32, u32> = order.iter().map(|&start| (start, 0)).collect();
        let mut moves: Vec<Vec<u32>> = Vec::new();
        let mut at = 0;
        while at < order.len() {
            let position = order[at] as usize;
            let mut targets = Vec::new();
            for &target in self.answers(position) {
                if self.state(target).is_none_or(|state| paths.graph.is_copy(state)) {
                    continue;
                }
                let fresh = to_u32(order.len());
                let number = *numbers.entry(target).or_insert(fresh);
                if number == fresh {
                    order.push(target);
                }
                targets.push(number);
            }
            moves.push(targets);
            at += 1;
        }
        let told = |&position: &u32| match self.positions[position as usize] {
            Position::Choose(state, memory) => (StateId::new(state as usize), memory),
            Position::Chosen(_, memory, _) => (StateId::new(0), memory),
        };
        Proof::Plays { positions: order.iter().map(told).collect(), moves }
    }

    /// The adversary's answers to the chooser's winning move.
    fn answers(&self, position: usize) -> &[u32] {
        match self.solution.strategy[position] {
            NO_MOVE => &[],
            chosen => self.game.moves(self.game.moves(position)[chosen as usize] as usize),
        }
    }

    fn state(&self, position: u32) -> Option<usize> {
        match self.positions[position as usize] {
            Position::Choose(state, _) => Some(state as usize),
            Position::Chosen(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use tertium_base::Budget;
    use tertium_evidence::{LinearReading, Reading};
    use tertium_logic::Logic;
    use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

    use super::super::linear_questions;
    use super::*;
    use crate::Task;

    /// Where nothing is open the adversary has no say, so plays and paths are the same; fairness included.
    #[test]
    fn on_complete_structures_plays_are_paths() {
        for_random_cases(300, |case| {
            let shape = StructureShape {
                states: 1..=5,
                complete: true,
                density: 40,
                fairness: case.number % 3,
                ..StructureShape::default()
            };
            let model = case.structure(&shape);
            let formula = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(Logic::Ltl) });
            let budget = Budget::unlimited();
            let reading = Reading { linear: LinearReading::Bg, ..Reading::default() };
            let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
            let paths = Paths::new(&task);
            let mut questions = linear_questions(&task);
            let sets = paths.exist(&mut questions, formula.root(), false, Ask::All).expect("no limit");
            let states: Vec<StateId> = model.states().collect();
            let play = play(&paths, &mut questions, (formula.root(), false), &states).expect("no limit");
            for (state, &start) in states.iter().zip(&play.starts) {
                let forced = play.solution.even_wins.contains(start as usize);
                assert_eq!(forced, sets.possible.contains(state.index()), "at {}", model.state_name(*state));
            }
        });
    }
}

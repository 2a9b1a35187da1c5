//! Where can the violation of a formula be forced, although no single path is certain?
//!
//! The game of the engine `automata` over sets: a chooser picks a certain set, an adversary the member that the step leads to,
//! a deterministic parity automaton watches. Each of its states has its own set of states of the structure; the winning ones
//! are a fixpoint, one nested inside the other for every priority. Letters are the combinations of literals that occur, each the
//! set of states that reads it. Since a chosen set that counts for more constraints reads a larger letter, and the automaton
//! accepts whatever it accepts of smaller ones, the chooser may leave out constraints that a set counts for.

use std::collections::BTreeMap;

use tertium_base::{StopReason, Stopped};
use tertium_dd::Set;
use tertium_logic::{Atom, Formula, Logic, Node};

use super::evaluate::Atoms;
use super::linear::{meaning, question};
use super::structure::{Steps, Structure};
use crate::Filter;
use crate::automata::automaton::{Automaton, Literal};
use crate::automata::determinise::Deterministic;
use crate::automata::question::Question;
use crate::automata::translate;

/// For more fairness constraints there are too many combinations of them.
pub(super) const MOST_CONSTRAINTS: usize = 6;

/// The states from which the chooser can make every play break the formula, each constraint's steps taken for ever.
pub(super) fn forced(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    constraints: usize,
) -> Result<Set, Stopped> {
    if constraints > MOST_CONSTRAINTS {
        return Err(Stopped(StopReason::Count));
    }
    let (question, constants) = question(formula, atoms, false);
    let first_fair = atoms.labels.len() + constants.len();
    let question = with_fairness(&question, constraints);
    let automaton = translate::automaton(&question, structure.diagrams.budget())?;
    let alphabet = Alphabet::new(&automaton, first_fair);
    let holds = |literal: Literal| {
        let label = meaning(structure, atoms, &constants, literal.atom as usize);
        if literal.positive { label.yes } else { label.not().yes }
    };
    let letters = alphabet.letters(structure, holds)?;
    let mut choices = Vec::new();
    for chosen in 0..1usize << constraints {
        choices.push(choice(structure, chosen)?);
    }
    Game::new(structure, &automaton, &alphabet, &letters, choices, first_fair)?.solve()
}

/// The question with a further conjunct for each constraint: its steps are taken again and again.
fn with_fairness(question: &Question<'_>, constraints: usize) -> Question<'static> {
    let mut builder = question.formula.to_builder();
    let mut root = question.formula.root();
    for at in 0..constraints {
        let taken = builder.atom(Atom { text: format!("\nfair {at}"), quoted: true });
        let eventually = builder.add(Node::Finally(taken));
        let always = builder.add(Node::Globally(eventually));
        root = builder.add(Node::And(root, always));
    }
    Question { formula: builder.finish(root, Logic::Ltl), meanings: Vec::new() }
}

/// What is certain and counts for these constraints, one bit each.
fn choice(structure: &Structure, chosen: usize) -> Result<Option<Steps>, Stopped> {
    let mut fair = (0..MOST_CONSTRAINTS).filter(|at| chosen >> at & 1 == 1).map(Filter::Fair);
    let Some(first) = fair.next() else { return Ok(structure.steps(Filter::Any).cloned()) };
    let Some(first) = structure.steps(first) else { return Ok(None) };
    let mut met = Steps { certain: Some(first.sure().clone()), ..first.clone() };
    for other in fair {
        let Some(other) = structure.steps(other) else { return Ok(None) };
        let mut certain = met.sure().clone();
        for part in &mut certain.parts {
            // Constraints select among the same edges, so all of them are relations of one part.
            let steps =
                other.sure().parts.first().map_or_else(|| structure.diagrams.empty(), |part| part.steps().clone());
            *part = part.from(&steps)?;
        }
        met.certain = Some(certain);
        met.hyper = match (met.hyper, &other.hyper) {
            (Some(mut hyper), Some(other)) => {
                hyper.choices = hyper.choices.and(&other.choices)?;
                Some(hyper)
            }
            _ => None,
        };
        met.together = match (met.together, &other.together) {
            (Some((states, all)), Some((others, _))) => Some((states.and(others)?, all)),
            _ => None,
        };
    }
    Ok(Some(met))
}

/// The literals that an automaton reads.
struct Alphabet {
    literals: Vec<Literal>,
    /// Atoms from this one on are constraints.
    first_fair: usize,
}

impl Alphabet {
    fn new(automaton: &Automaton, first_fair: usize) -> Self {
        let mut literals: Vec<Literal> =
            automaton.transitions.iter().flatten().flat_map(|step| step.cube.iter().copied()).collect();
        literals.sort_unstable();
        literals.dedup();
        Self { literals, first_fair }
    }

    fn bits(&self, holds: impl Fn(Literal) -> bool) -> Vec<u64> {
        let mut bits = vec![0; self.literals.len().div_ceil(64).max(1)];
        for (at, _) in self.literals.iter().enumerate().filter(|(_, literal)| holds(**literal)) {
            bits[at / 64] |= 1 << (at % 64);
        }
        bits
    }

    /// The combinations of literals that occur at states, without constraints, and the states where they do.
    fn letters(
        &self,
        structure: &Structure,
        holds: impl Fn(Literal) -> Set,
    ) -> Result<Vec<(Vec<Literal>, Set)>, Stopped> {
        let mut letters: Vec<(Vec<Literal>, Set)> = vec![(Vec::new(), structure.states.clone())];
        for &literal in self.literals.iter().filter(|literal| (literal.atom as usize) < self.first_fair) {
            let there = holds(literal);
            let mut split = Vec::new();
            for (read, states) in letters {
                let (with, without) = (states.and(&there)?, states.minus(&there)?);
                if !with.is_empty() {
                    split.push(([read.as_slice(), &[literal]].concat(), with));
                }
                if !without.is_empty() {
                    split.push((read, without));
                }
            }
            letters = split;
        }
        Ok(letters)
    }
}

/// A move of the automaton: at the states of a letter, by a certain set of this choice.
struct Move {
    letter: usize,
    choice: usize,
    target: usize,
    /// The number of its priority among those that occur.
    rank: usize,
}

struct Game<'g> {
    structure: &'g Structure,
    letters: Vec<Set>,
    choices: Vec<Option<Steps>>,
    /// By state of the automaton.
    moves: Vec<Vec<Move>>,
    /// Whether the chooser likes each rank; ascending.
    good: Vec<bool>,
    /// What leads into a set, by choice, rank and state of the automaton, with that set.
    known: BTreeMap<(usize, usize, usize), (Set, Set)>,
}

impl<'g> Game<'g> {
    fn new(
        structure: &'g Structure,
        automaton: &Automaton,
        alphabet: &Alphabet,
        letters: &[(Vec<Literal>, Set)],
        choices: Vec<Option<Steps>>,
        first_fair: usize,
    ) -> Result<Self, Stopped> {
        let budget = structure.diagrams.budget();
        let mut deterministic = Deterministic::new(automaton, |cube| alphabet.bits(|literal| cube.contains(&literal)));
        let (mut found, mut ticks) = (Vec::new(), 0);
        // The automaton's states are numbered as they are met; the first has number 0.
        let (mut from, mut known) = (0, 1);
        while from < known {
            for (letter, (read, _)) in letters.iter().enumerate() {
                for choice in (0..choices.len()).filter(|&choice| choices[choice].is_some()) {
                    budget.tick(&mut ticks)?;
                    let fair = |literal: Literal| {
                        let constraint = (literal.atom as usize).checked_sub(first_fair);
                        constraint.is_some_and(|at| literal.positive && choice >> at & 1 == 1)
                    };
                    let bits = alphabet.bits(|literal| read.contains(&literal) || fair(literal));
                    let letter_number = deterministic.letter(bits);
                    let (target, priority) = deterministic.step(from as u32, letter_number);
                    known = known.max(target as usize + 1);
                    found.push((from, letter, choice, target as usize, priority));
                }
            }
            from += 1;
        }
        let mut priorities: Vec<u32> = found.iter().map(|&(.., priority)| priority).collect();
        priorities.sort_unstable();
        priorities.dedup();
        // Neighbours that the same player likes are one.
        let mut ranks: BTreeMap<u32, usize> = BTreeMap::new();
        let mut good: Vec<bool> = Vec::new();
        for priority in priorities {
            let even = priority.is_multiple_of(2);
            if good.last() != Some(&even) {
                good.push(even);
            }
            ranks.insert(priority, good.len() - 1);
        }
        let mut moves: Vec<Vec<Move>> = (0..known).map(|_| Vec::new()).collect();
        for (from, letter, choice, target, priority) in found {
            moves[from].push(Move { letter, choice, target, rank: ranks[&priority] });
        }
        let letters = letters.iter().map(|(_, states)| states.clone()).collect();
        Ok(Self { structure, letters, choices, moves, good, known: BTreeMap::new() })
    }

    /// The states at which the chooser wins, the automaton in its first state.
    fn solve(mut self) -> Result<Set, Stopped> {
        let ranks = self.good.len();
        let start = |game: &Self, rank: usize| {
            let all = if game.good[rank] { game.structure.states.clone() } else { game.structure.diagrams.empty() };
            vec![all; game.moves.len()]
        };
        let mut values: Vec<Vec<Set>> = (0..ranks).map(|rank| start(&self, rank)).collect();
        // The highest rank is the outermost fixpoint; when one moves, those inside it begin anew.
        loop {
            let next = self.step(&values)?;
            let Some(moved) = (0..ranks).find(|&rank| values[rank] != next) else {
                return Ok(next.into_iter().next().unwrap_or_else(|| self.structure.diagrams.empty()));
            };
            values[moved] = next;
            for (rank, inner) in values.iter_mut().enumerate().take(moved) {
                *inner = start(&self, rank);
            }
        }
    }

    /// The nodes from which the chooser has a move into the value of the move's rank.
    fn step(&mut self, values: &[Vec<Set>]) -> Result<Vec<Set>, Stopped> {
        let mut all = Vec::with_capacity(self.moves.len());
        for from in 0..self.moves.len() {
            let mut here = self.structure.diagrams.empty();
            for at in 0..self.moves[from].len() {
                let Move { letter, choice, target, rank } = self.moves[from][at];
                let before = self.before((choice, rank, target), &values[rank][target])?;
                here = here.or(&self.letters[letter].and(&before)?)?;
            }
            all.push(here);
        }
        Ok(all)
    }

    fn before(&mut self, key: (usize, usize, usize), target: &Set) -> Result<Set, Stopped> {
        if let Some((known, before)) = self.known.get(&key)
            && known == target
        {
            return Ok(before.clone());
        }
        let before = match &self.choices[key.0] {
            Some(steps) => steps.surely_before(target)?,
            None => self.structure.diagrams.empty(),
        };
        self.known.insert(key, (target.clone(), before.clone()));
        Ok(before)
    }
}

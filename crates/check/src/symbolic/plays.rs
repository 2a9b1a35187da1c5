//! Where can the violation of a formula be forced, although no single path is certain?
//!
//! The game of the engine `automata` over sets: a chooser picks a certain set, an adversary the member that the step leads to,
//! a deterministic parity automaton watches. Each of its states has its own set of states of the structure; where the chooser
//! wins is found priority by priority, the highest first (Zielonka 1998). Letters are the combinations of literals that occur, each the
//! set of states that reads it.
//!
//! Fairness constraints are waited for in turn. Beside the automaton stands the number of the one that is waited for; a chosen
//! set that surely counts for it passes the turn on, if the chooser likes. A play in which every constraint counts again and
//! again is one in which the turn goes round for ever, which is all that the automaton is told: there are as many
//! copies of it as constraints, instead of one for every combination of them.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use tertium_base::Stopped;
use tertium_base::narrow::to_u32;
use tertium_dd::Set;
use tertium_logic::{Formula, Logic, Node};

use super::evaluate::Atoms;
use super::linear_query::{LinearQuery, named};
use super::structure::Structure;
use crate::Filter;
use crate::automata::automaton::{Automaton, Literal};
use crate::automata::determinise::Deterministic;
use crate::automata::question::{EdgeValues, Question};
use crate::automata::translate;

/// The states from which the chooser can make every play break the formula, each constraint's steps taken for ever.
pub(super) fn forced(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    constraints: usize,
) -> Result<Set, Stopped> {
    let asked = LinearQuery::new(formula, atoms, false, EdgeValues::Ignored);
    let going_round = (constraints > 0).then(|| round_and_round(&asked.question));
    let automaton = translate::automaton(going_round.as_ref().unwrap_or(&asked.question), structure.diagrams.budget())?;
    let alphabet = Alphabet::new(&automaton, asked.first_free());
    let holds = |literal: Literal| {
        let label = asked.meaning(structure, atoms, literal.atom as usize);
        if literal.positive { label.yes } else { label.not().yes }
    };
    let letters = alphabet.letters(structure, holds)?;
    Game::new(structure, &automaton, &alphabet, &letters, constraints)?.solve()
}

/// The question with a further conjunct: the turn goes round again and again. Its atom stands behind all others.
fn round_and_round(question: &Question<'_>) -> Question<'static> {
    let mut builder = question.formula.to_builder();
    let round = named(&mut builder, "round");
    let eventually = builder.add(Node::Finally(round));
    let always = builder.add(Node::Globally(eventually));
    let both = builder.add(Node::And(question.formula.root(), always));
    Question { formula: builder.finish(both, Logic::Ltl), meanings: Vec::new() }
}

/// The literals that an automaton reads.
struct Alphabet {
    literals: Vec<Literal>,
    /// The number of the atom that says that the turn has gone round.
    round: usize,
}

impl Alphabet {
    fn new(automaton: &Automaton, round: usize) -> Self {
        let mut literals: Vec<Literal> =
            automaton.transitions.iter().flatten().flat_map(|step| step.cube.iter().copied()).collect();
        literals.sort_unstable();
        literals.dedup();
        Self { literals, round }
    }

    fn bits(&self, holds: impl Fn(Literal) -> bool) -> Vec<u64> {
        let mut bits = vec![0; self.literals.len().div_ceil(64).max(1)];
        for (at, _) in self.literals.iter().enumerate().filter(|(_, literal)| holds(**literal)) {
            bits[at / 64] |= 1 << (at % 64);
        }
        bits
    }

    /// The combinations of literals that occur at states, and the states where they do.
    fn letters(
        &self,
        structure: &Structure,
        holds: impl Fn(Literal) -> Set,
    ) -> Result<Vec<(Vec<Literal>, Set)>, Stopped> {
        let mut letters: Vec<(Vec<Literal>, Set)> = vec![(Vec::new(), structure.states.clone())];
        for &literal in self.literals.iter().filter(|literal| (literal.atom as usize) < self.round) {
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

/// A move of the automaton: at the states of a letter, by a certain set of this kind.
struct Move {
    letter: usize,
    kind: Filter,
    target: usize,
    /// The number of its priority among those that occur.
    rank: usize,
}

struct Game<'g> {
    structure: &'g Structure,
    letters: Vec<Set>,
    /// By state of the automaton and the constraint that is waited for.
    moves: Vec<Vec<Move>>,
    /// Whether the chooser likes each rank; ascending.
    good: Vec<bool>,
}

impl<'g> Game<'g> {
    fn new(
        structure: &'g Structure,
        automaton: &Automaton,
        alphabet: &Alphabet,
        letters: &[(Vec<Literal>, Set)],
        constraints: usize,
    ) -> Result<Self, Stopped> {
        let budget = structure.diagrams.budget();
        let mut deterministic = Deterministic::new(automaton, |cube| alphabet.bits(|literal| cube.contains(&literal)));
        let (mut found, mut ticks) = (Vec::new(), 0);
        let turns = constraints.max(1);
        // The automaton's states are numbered as they are met; the first has number 0.
        let (mut from, mut known) = (0, 1);
        while from < known {
            for (letter, (read, _)) in letters.iter().enumerate() {
                for round in [false, true].into_iter().take(1 + usize::from(constraints > 0)) {
                    budget.tick(&mut ticks)?;
                    let goes_round = |literal: Literal| round && literal.atom as usize == alphabet.round;
                    let bits = alphabet.bits(|literal| read.contains(&literal) || goes_round(literal));
                    let letter_number = deterministic.letter(bits);
                    let (target, priority) = deterministic.step(to_u32(from), letter_number);
                    known = known.max(target as usize + 1);
                    found.push((from, letter, round, target as usize, priority));
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
        let mut moves: Vec<Vec<Move>> = (0..known * turns).map(|_| Vec::new()).collect();
        for (from, letter, round, target, priority) in found {
            for turn in 0..turns {
                let mut add = |kind: Filter, next: usize| {
                    let target = target * turns + next;
                    moves[from * turns + turn].push(Move { letter, kind, target, rank: ranks[&priority] });
                };
                let last = turn + 1 == turns;
                if !round {
                    add(Filter::Any, turn);
                }
                if constraints > 0 && round == last {
                    add(Filter::Fair(turn), (turn + 1) % turns);
                }
            }
        }
        let letters = letters.iter().map(|(_, states)| states.clone()).collect();
        Ok(Self { structure, letters, moves, good })
    }

    /// The states at which the chooser wins, the automaton in its first state and the first constraint waited for.
    fn solve(self) -> Result<Set, Stopped> {
        let ranks = self.good.len();
        // Who cannot choose loses; everywhere else plays go on for ever.
        let mut all = vec![self.structure.states.clone(); self.moves.len()];
        loop {
            let next = met(&all, &self.chosen(&all, 0..ranks)?)?;
            if next == all {
                break;
            }
            all = next;
        }
        let won = self.won(all, self.nothing(), ranks)?;
        Ok(won.into_iter().next().unwrap_or_else(|| self.structure.diagrams.empty()))
    }

    /// Where the chooser wins among `here`, if only the lowest `ranks` ranks occur and sets may have members in `safe`, too, of
    /// which the adversary will not choose any. The way of McNaughton and Zielonka: whoever likes the highest rank wins where
    /// it can be forced, unless the other one wins somewhere without it. One call inside another for every rank.
    fn won(&self, mut here: Nodes, mut safe: Nodes, ranks: usize) -> Result<Nodes, Stopped> {
        let Some(highest) = ranks.checked_sub(1) else { return Ok(self.nothing()) };
        let mut won = self.nothing();
        while !is_empty(&here) {
            if self.good[highest] {
                let reach = self.chosen(&joined(&here, &safe)?, highest..ranks)?;
                let forced = self.attracted(met(&here, &reach)?, &here, &safe, ranks)?;
                let rest = without(&here, &forced)?;
                let inner = self.won(rest.clone(), joined(&safe, &forced)?, highest)?;
                let lost = without(&rest, &inner)?;
                if is_empty(&lost) {
                    return joined(&won, &here);
                }
                here = self.escaping(without(&here, &lost)?, &safe, ranks)?;
            } else {
                let rest = self.escaping(here.clone(), &safe, highest)?;
                let inner = self.won(rest, safe.clone(), highest)?;
                if is_empty(&inner) {
                    return Ok(won);
                }
                let forced = self.attracted(inner, &here, &safe, ranks)?;
                (here, safe) = (without(&here, &forced)?, joined(&safe, &forced)?);
                won = joined(&won, &forced)?;
            }
        }
        Ok(won)
    }

    /// The nodes of `here` from which the chooser can force a play into `goal`.
    fn attracted(&self, goal: Nodes, here: &Nodes, safe: &Nodes, ranks: usize) -> Result<Nodes, Stopped> {
        let mut reached = goal;
        loop {
            let more = met(here, &self.chosen(&joined(&reached, safe)?, 0..ranks)?)?;
            let next = joined(&reached, &more)?;
            if next == reached {
                return Ok(reached);
            }
            reached = next;
        }
    }

    /// The nodes of `here` in which the chooser can stay for ever with these ranks.
    fn escaping(&self, mut here: Nodes, safe: &Nodes, ranks: usize) -> Result<Nodes, Stopped> {
        loop {
            let next = met(&here, &self.chosen(&joined(&here, safe)?, 0..ranks)?)?;
            if next == here {
                return Ok(here);
            }
            here = next;
        }
    }

    /// The nodes with a set, of one of these ranks, that leads into `target` whatever the adversary chooses.
    fn chosen(&self, target: &Nodes, ranks: Range<usize>) -> Result<Nodes, Stopped> {
        let mut known: HashMap<(Filter, usize), Set> = HashMap::new();
        let mut all = Vec::with_capacity(self.moves.len());
        for moves in &self.moves {
            let mut here = self.structure.diagrams.empty();
            for &Move { letter, kind, target: to, rank } in moves {
                if !ranks.contains(&rank) || target[to].is_empty() {
                    continue;
                }
                let before = match known.entry((kind, to)) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(unknown) => unknown.insert(self.preimage(kind, &target[to])?),
                };
                here = here.or(&self.letters[letter].and(before)?)?;
            }
            all.push(here);
        }
        Ok(all)
    }

    fn preimage(&self, kind: Filter, target: &Set) -> Result<Set, Stopped> {
        self.structure
            .steps(kind)
            .map_or_else(|| Ok(self.structure.diagrams.empty()), |steps| steps.surely_before(target))
    }

    fn nothing(&self) -> Nodes {
        vec![self.structure.diagrams.empty(); self.moves.len()]
    }
}

/// One set of states for each state of the automaton and constraint that is waited for.
type Nodes = Vec<Set>;

fn is_empty(nodes: &Nodes) -> bool {
    nodes.iter().all(Set::is_empty)
}

fn met(a: &Nodes, b: &Nodes) -> Result<Nodes, Stopped> {
    a.iter().zip(b).map(|(a, b)| a.and(b)).collect()
}

fn joined(a: &Nodes, b: &Nodes) -> Result<Nodes, Stopped> {
    a.iter().zip(b).map(|(a, b)| a.or(b)).collect()
}

fn without(a: &Nodes, b: &Nodes) -> Result<Nodes, Stopped> {
    a.iter().zip(b).map(|(a, b)| a.minus(b)).collect()
}

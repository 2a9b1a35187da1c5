//! Which letters, read for ever, does an automaton accept?
//!
//! A path that ends is read as if it stayed at its last state, whose labels are settled once.

use std::collections::HashMap;

use tertium_base::graph::components;
use tertium_base::{Budget, Stopped};
use tertium_logic::AtomId;
use tertium_logic::automata::{Marks, Tgba, Transition};

/// More atoms make more letters than can be tried.
const MOST_ATOMS: usize = 16;

/// What is known of the letters of an automaton.
#[derive(Debug)]
pub(crate) struct Endings<'a> {
    automaton: &'a Tgba,
    /// The atoms that it reads: a letter's bit for each.
    atoms: Vec<AtomId>,
    /// For each letter the states from which it is accepted.
    known: HashMap<u32, Vec<bool>>,
}

/// The atoms that an automaton reads.
fn read_atoms(automaton: &Tgba) -> Vec<AtomId> {
    let transitions = automaton.states.iter().flatten();
    let mut atoms: Vec<AtomId> =
        transitions.flat_map(|transition| transition.guard.literals()).map(|literal| literal.atom()).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}

/// Whether the letters of an automaton can be tried one by one.
pub(crate) fn has_few_letters(automaton: &Tgba) -> bool {
    read_atoms(automaton).len() <= MOST_ATOMS
}

impl<'a> Endings<'a> {
    /// Nothing is known yet.
    pub fn new(automaton: &'a Tgba) -> Self {
        Self { automaton, atoms: read_atoms(automaton), known: HashMap::new() }
    }

    /// A letter with these labels that is accepted from a state on.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn accepted(
        &mut self,
        state: usize,
        label: impl Fn(AtomId) -> Option<bool>,
        budget: &Budget,
        ticks: &mut u32,
    ) -> Result<Option<Vec<(AtomId, bool)>>, Stopped> {
        let (mut fixed, mut open) = (0u32, Vec::new());
        for (bit, &atom) in self.atoms.iter().enumerate() {
            match label(atom) {
                Some(value) => fixed |= u32::from(value) << bit,
                None => open.push(bit),
            }
        }
        for choice in 0..1u32 << open.len() {
            budget.tick(ticks)?;
            let chosen = open.iter().enumerate().map(|(at, &bit)| (choice >> at & 1) << bit).sum::<u32>();
            let letter = fixed | chosen;
            if self.states(letter)[state] {
                let bits = self.atoms.iter().enumerate();
                return Ok(Some(bits.map(|(bit, &atom)| (atom, letter >> bit & 1 == 1)).collect()));
            }
        }
        Ok(None)
    }

    /// The states from which a letter is accepted.
    fn states(&mut self, letter: u32) -> &[bool] {
        let (automaton, atoms) = (self.automaton, &self.atoms);
        self.known.entry(letter).or_insert_with(|| {
            let enabled = |transition: &&Transition| {
                transition.guard.literals().iter().all(|literal| {
                    let bit = atoms.binary_search(&literal.atom()).map_or(0, |bit| letter >> bit & 1);
                    (bit == 1) != literal.is_negative()
                })
            };
            let moves: Vec<Vec<&Transition>> =
                automaton.states.iter().map(|state| state.iter().filter(enabled).collect()).collect();
            accepting_states(automaton.marks, &moves)
        })
    }
}

/// The states of a graph from which a cycle with all marks can be reached.
fn accepting_states(marks: usize, moves: &[Vec<&Transition>]) -> Vec<bool> {
    let component = components(moves.len(), |state| moves[state].iter().map(|step| step.target)).of;
    let mut carried: Vec<Option<Marks>> = vec![None; moves.len()];
    for (state, steps) in moves.iter().enumerate() {
        for step in steps.iter().filter(|step| component[step.target] == component[state]) {
            let entry = &mut carried[component[state] as usize];
            *entry = Some(entry.unwrap_or_default().union(step.marks));
        }
    }
    let all = Marks::all(marks);
    let mut good: Vec<bool> = carried.iter().map(|marks| marks.is_some_and(|marks| all.is_subset(marks))).collect();
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_unstable_by_key(|&state| component[state]);
    // What a component leads to has a smaller number.
    for state in order {
        if moves[state].iter().any(|step| good[component[step.target] as usize]) {
            good[component[state] as usize] = true;
        }
    }
    component.iter().map(|&class| good[class as usize]).collect()
}

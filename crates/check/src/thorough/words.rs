//! Which deterministic automaton decides a linear formula, and how large is it?
//!
//! Letters are two-valued here: a completion settles every label. The automaton is looked at as a whole before the game
//! is played, if that is cheap: it gives an estimate of the game's size, and shows which parts of the automaton have
//! one parity, so that the game there is a weak one.

use std::collections::HashMap;

use tertium_base::graph::components;
use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};
use tertium_logic::automata::{AcceptanceKind, Determiniser, TranslationError};
use tertium_logic::{AtomId, Formula};

use super::terms::decline;
use crate::EngineError;

/// More steps than this are not looked at in advance.
const MOST_STEPS: usize = 1 << 18;
/// With more atoms a letter does not fit a word.
const MOST_ATOMS: usize = 24;

/// A deterministic parity automaton over the letters of a formula's atoms.
#[derive(Debug)]
pub(crate) struct Words {
    determiniser: Determiniser,
    /// The atoms that it reads: a letter's bit for each.
    pub atoms: Vec<AtomId>,
    known: HashMap<(u32, u32), (u32, u32)>,
    /// For each state the parity of all steps between it and states that lead back, if they have one.
    parity: Vec<Option<u32>>,
    /// Whether the automaton was seen as a whole.
    pub complete: bool,
}

impl Words {
    /// The automaton of a formula.
    ///
    /// # Errors
    /// If the budget ends, or there are too many atoms.
    pub fn new(formula: &Formula, budget: &Budget) -> Result<Self, EngineError> {
        let determiniser = match Determiniser::classical(formula, false, budget) {
            Ok(determiniser) => determiniser,
            Err(TranslationError::Stopped(stopped)) => return Err(stopped.into()),
            Err(TranslationError::NotLinear) => return Err(decline("it is not a formula about single paths").into()),
        };
        let mut atoms: Vec<AtomId> = determiniser.literals().iter().map(|literal| literal.atom()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        if atoms.len() > MOST_ATOMS {
            return Err(decline("a linear formula may have 24 different atoms").into());
        }
        let mut words = Self { determiniser, atoms, known: HashMap::new(), parity: Vec::new(), complete: false };
        words.look_ahead(budget)?;
        Ok(words)
    }

    /// What the automaton needs to accept.
    pub fn kind(&self) -> AcceptanceKind {
        self.determiniser.kind()
    }

    /// Whether all cycles of every part have one parity.
    pub fn is_weak(&self) -> bool {
        self.complete && self.parity.iter().all(Option::is_some)
    }

    /// How many states are known.
    pub fn state_count(&self) -> usize {
        self.determiniser.state_count()
    }

    /// No step has a greater priority.
    pub fn greatest_priority(&self) -> u32 {
        self.determiniser.greatest_priority()
    }

    /// Whether every word is accepted from a state on.
    pub fn accepts_all(&self, state: u32) -> bool {
        self.determiniser.decided(state as usize) == Some(true)
    }

    /// A priority for positions at a state that does not change who wins: that of its part, if it has one.
    pub fn resting_priority(&self, state: u32) -> u32 {
        self.parity.get(state as usize).copied().flatten().unwrap_or(0)
    }

    /// The step of a state on a letter: its target and priority.
    pub fn step(&mut self, state: u32, letter: u32) -> (u32, u32) {
        if let Some(&known) = self.known.get(&(state, letter)) {
            return known;
        }
        let atoms = &self.atoms;
        let holds = |literal: tertium_logic::automata::Literal| {
            let bit = atoms.binary_search(&literal.atom()).map_or(0, |bit| letter >> bit & 1);
            (bit == 1) != literal.is_negative()
        };
        let (next, priority) = self.determiniser.successor(state as usize, holds);
        self.known.insert((state, letter), (to_u32(next), priority));
        (to_u32(next), priority)
    }

    /// Whether a letter that is read for ever is accepted from a state on.
    pub fn accepts_forever(&mut self, mut state: u32, letter: u32) -> bool {
        let mut seen: HashMap<u32, usize> = HashMap::new();
        let mut priorities = Vec::new();
        loop {
            if let Some(&start) = seen.get(&state) {
                return priorities[start..].iter().max().is_some_and(|most: &u32| most.is_multiple_of(2));
            }
            seen.insert(state, priorities.len());
            let (next, priority) = self.step(state, letter);
            priorities.push(priority);
            state = next;
        }
    }

    /// Builds the whole automaton, if it is small.
    fn look_ahead(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let letters = 1usize << self.atoms.len();
        let mut ticks = 0;
        let mut at = 0;
        while at < self.state_count() {
            if self.state_count() * letters > MOST_STEPS {
                return Ok(());
            }
            for letter in 0..to_u32(letters) {
                budget.tick(&mut ticks)?;
                self.step(to_u32(at), letter);
            }
            at += 1;
        }
        self.complete = true;
        self.find_parities(to_u32(letters));
        Ok(())
    }

    fn find_parities(&mut self, letters: u32) {
        let known = &self.known;
        let steps = |state: usize| (0..letters).map(move |letter| known[&(to_u32(state), letter)].0 as usize);
        let component = components(self.state_count(), steps).of;
        let mut seen = vec![(false, false); component.len()];
        for (state, &class) in component.iter().enumerate() {
            for letter in 0..letters {
                let (to, priority) = self.known[&(to_u32(state), letter)];
                if class == component[to as usize] {
                    let (even, odd) = &mut seen[class as usize];
                    *even |= priority.is_multiple_of(2);
                    *odd |= !priority.is_multiple_of(2);
                }
            }
        }
        let parity = |&class: &u32| match seen[class as usize] {
            (true, true) => None,
            (_, odd) => Some(u32::from(odd)),
        };
        self.parity = component.iter().map(parity).collect();
    }
}

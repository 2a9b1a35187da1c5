//! What a word reads at a state: the literals that hold there, one bit each.
//!
//! Pessimistically `p` holds where it has evidence and `!p` where `p` is refuted; optimistically each
//! holds where the other has no evidence. Only literals that the automaton mentions get a bit.

use super::automaton::{Automaton, Literal};
use super::graph::PathGraph;
use super::question::Meaning;

/// The letters of all states of a structure.
#[derive(Debug)]
pub(crate) struct Letters {
    /// The literals in the order of their bits.
    used: Vec<Literal>,
    /// How many words a letter has.
    pub words: usize,
    bits: Vec<u64>,
}

impl Letters {
    /// The letters that `automaton` can tell apart. Literals about steps get no bit if they mean edge
    /// values; those about fairness get one that holds nowhere.
    pub(crate) fn new(
        graph: &PathGraph<'_>,
        meanings: &[Meaning<'_>],
        automaton: &Automaton,
        pessimistic: bool,
    ) -> Self {
        let mut used: Vec<Literal> = Vec::new();
        for step in automaton.transitions.iter().flatten() {
            used.extend(step.cube.iter().filter(|literal| !matches!(meanings[literal.atom as usize], Meaning::Edge)));
            used.sort_unstable();
            used.dedup();
        }
        let words = used.len().div_ceil(64).max(1);
        let mut letters = Self { used, words, bits: vec![0; graph.model.state_count() * words] };
        for at in 0..letters.used.len() {
            letters.fill(at, &meanings[letters.used[at].atom as usize], pessimistic, graph.model.state_count());
        }
        letters
    }

    fn fill(&mut self, bit: usize, meaning: &Meaning<'_>, pessimistic: bool, states: usize) {
        let (words, positive) = (self.words, self.used[bit].positive);
        let bits = &mut self.bits;
        let mut set = |state: usize| bits[state * words + bit / 64] |= 1 << (bit % 64);
        match meaning {
            Meaning::Labels(for_true, not_refuted) => match (positive, pessimistic) {
                (true, true) => for_true.iter().for_each(&mut set),
                (true, false) => not_refuted.iter().for_each(&mut set),
                (false, true) => (0..states).filter(|&at| !not_refuted.contains(at)).for_each(&mut set),
                (false, false) => (0..states).filter(|&at| !for_true.contains(at)).for_each(&mut set),
            },
            Meaning::Constant(value) => {
                let holds = match (positive, pessimistic) {
                    (true, true) => value.for_true(),
                    (true, false) => value.not_refuted(),
                    (false, true) => value.for_false(),
                    (false, false) => !value.for_true(),
                };
                if holds {
                    (0..states).for_each(&mut set);
                }
            }
            Meaning::Edge | Meaning::Fair(_) => {}
        }
    }

    /// The letter at a state of the structure.
    #[inline]
    pub(crate) fn of(&self, state: usize) -> &[u64] {
        &self.bits[state * self.words..][..self.words]
    }

    /// The letter in which exactly these literals hold, as far as they have bits.
    pub(crate) fn bits_of(&self, cube: &[Literal]) -> Vec<u64> {
        let mut bits = vec![0; self.words];
        for (bit, _) in self.used.iter().enumerate().filter(|(_, literal)| cube.contains(literal)) {
            bits[bit / 64] |= 1 << (bit % 64);
        }
        bits
    }
}

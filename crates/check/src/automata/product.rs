//! Paths of a structure together with runs of an automaton on their label words.
//!
//! A product node is a state and an automaton state, packed into one number. The *certain* product
//! takes certain steps and reads labels pessimistically; the *possible* product takes possible steps
//! and reads them optimistically. Fairness constraints are marks behind the automaton's own.

use tertium_base::narrow::to_u32;

use super::automaton::{Automaton, Literal};
use super::graph::{PathGraph, PathStep, low_bits};
use super::letters::Letters;
use super::question::Meaning;

/// Which paths are searched, and how their labels are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// Possible steps, what is not refuted holds.
    Possible,
    /// Certain steps, what has evidence holds.
    Certain,
    /// Possible steps, what has evidence holds: for readings in which edge values are atoms.
    CertainValue,
}

impl Side {
    fn pessimistic(self) -> bool {
        self != Self::Possible
    }

    #[inline]
    fn takes(self, step: PathStep) -> bool {
        if self == Self::Certain { step.must } else { step.may }
    }
}

/// The next successor to look at from a product node.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Cursor {
    transition: u32,
    step: u32,
}

/// A step of the product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProductStep {
    /// The product node it leads to.
    pub target: usize,
    /// That node's automaton state.
    pub memory: u32,
    /// The step of the path.
    pub step: PathStep,
    /// The number of the automaton's transition, counted over all states.
    pub transition: u32,
    /// Marks of the transition and of fairness.
    pub marks: u64,
}

/// A transition with its literals as bits over the letters.
#[derive(Clone, Debug)]
struct Compiled {
    target: u32,
    marks: u64,
    /// Literals about the step itself, to be checked once it is known.
    edge: EdgeNeed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EdgeNeed {
    Nothing,
    /// The edge's value must be true.
    True,
    /// The edge's value must be false.
    False,
    /// Both.
    Both,
}

/// The product of one side. Cheap to make but for one word a state.
#[derive(Debug)]
pub(crate) struct Product<'p, 'm> {
    /// The paths.
    pub graph: &'p PathGraph<'m>,
    side: Side,
    width: usize,
    initial: Vec<u32>,
    offsets: Vec<u32>,
    transitions: Vec<Compiled>,
    /// Per transition the literals it needs, as many words as a letter has.
    needs: Vec<u64>,
    letters: Letters,
    fair_shift: u32,
    /// All marks, which an accepting cycle must carry.
    pub full: u64,
    /// Automaton states that accept a future in which nothing is known; empty if no such future counts.
    open_future: Vec<bool>,
}

impl<'p, 'm> Product<'p, 'm> {
    /// The product of the paths of `graph` with `automaton`. Marks and constraints together must fit 63 bits.
    pub(crate) fn new(graph: &'p PathGraph<'m>, meanings: &[Meaning<'_>], automaton: &Automaton, side: Side) -> Self {
        let letters = Letters::new(graph, meanings, automaton, side.pessimistic());
        let mut offsets = vec![0];
        let mut transitions = Vec::new();
        let mut needs = Vec::new();
        for steps in &automaton.transitions {
            for step in steps {
                needs.extend(letters.bits_of(&step.cube));
                let edge = edge_need(&step.cube, meanings);
                transitions.push(Compiled { target: step.target, marks: step.marks, edge });
            }
            offsets.push(to_u32(transitions.len()));
        }
        let constraints = graph.model.fairness().len();
        Self {
            graph,
            side,
            width: automaton.transitions.len(),
            initial: automaton.initial.clone(),
            offsets,
            transitions,
            needs,
            letters,
            fair_shift: automaton.marks,
            full: low_bits(automaton.marks as usize + constraints),
            open_future: Vec::new(),
        }
    }

    /// The same, where a finite path also accepts if the automaton accepts whatever comes after it.
    pub(crate) fn with_open_future(mut self, accepts_unknown: Vec<bool>) -> Self {
        self.open_future = accepts_unknown;
        self
    }

    /// How many product nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.graph.len() * self.width
    }

    /// The nodes that paths from a state start at.
    pub(crate) fn starts(&self, state: usize) -> impl Iterator<Item = usize> + '_ {
        self.initial.iter().map(move |&at| state * self.width + at as usize)
    }

    /// How many automaton states there are.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The state of a node.
    pub(crate) fn state(&self, node: usize) -> usize {
        node / self.width
    }

    #[inline]
    fn enabled(&self, letter: usize, transition: usize) -> bool {
        let words = self.letters.words;
        let need = &self.needs[transition * words..][..words];
        need.iter().zip(self.letters.of(letter)).all(|(need, have)| need & !have == 0)
    }

    /// The next successor of a node.
    pub(crate) fn next(&self, node: usize, cursor: &mut Cursor) -> Option<ProductStep> {
        self.next_from(node / self.width, node % self.width, cursor)
    }

    /// The next successor of a node given as its state and automaton state, which saves a division.
    #[inline]
    pub(crate) fn next_from(&self, state: usize, memory: usize, cursor: &mut Cursor) -> Option<ProductStep> {
        let letter = self.graph.origin(state);
        let range = self.offsets[memory] as usize..self.offsets[memory + 1] as usize;
        loop {
            let at = range.start + cursor.transition as usize;
            if at >= range.end {
                return None;
            }
            if cursor.step == 0 && !self.enabled(letter, at) {
                cursor.transition += 1;
                continue;
            }
            let compiled = &self.transitions[at];
            while let Some(step) = self.graph.step(state, cursor.step as usize) {
                cursor.step += 1;
                if !self.side.takes(step) || !self.edge_fits(compiled.edge, step) {
                    continue;
                }
                let marks = compiled.marks | self.fair_marks(step);
                let target = step.target * self.width + compiled.target as usize;
                return Some(ProductStep { target, memory: compiled.target, step, transition: to_u32(at), marks });
            }
            cursor.step = 0;
            cursor.transition += 1;
        }
    }

    #[inline]
    fn fair_marks(&self, step: PathStep) -> u64 {
        if self.graph.model.fairness().is_empty() {
            return 0;
        }
        self.graph.fair(step, self.side.pessimistic()) << self.fair_shift
    }

    #[inline]
    fn edge_fits(&self, need: EdgeNeed, step: PathStep) -> bool {
        match (need, self.side.pessimistic()) {
            (EdgeNeed::Nothing, _) => true,
            // An edge that is taken has value true or unknown, never false.
            (EdgeNeed::True, pessimistic) => step.must || !pessimistic,
            (EdgeNeed::False | EdgeNeed::Both, true) => false,
            (EdgeNeed::False | EdgeNeed::Both, false) => !step.must,
        }
    }

    /// Whether a path that reads a node's state and then runs into an open future accepts.
    #[inline]
    pub(crate) fn accepts_prefix(&self, node: usize) -> bool {
        if self.open_future.is_empty() {
            return false;
        }
        let (letter, memory) = (self.graph.origin(node / self.width), node % self.width);
        (self.offsets[memory] as usize..self.offsets[memory + 1] as usize)
            .any(|at| self.open_future[self.transitions[at].target as usize] && self.enabled(letter, at))
    }
}

fn edge_need(cube: &[Literal], meanings: &[Meaning<'_>]) -> EdgeNeed {
    let has = |positive| {
        cube.iter()
            .any(|literal| literal.positive == positive && matches!(meanings[literal.atom as usize], Meaning::Edge))
    };
    match (has(true), has(false)) {
        (false, false) => EdgeNeed::Nothing,
        (true, false) => EdgeNeed::True,
        (false, true) => EdgeNeed::False,
        (true, true) => EdgeNeed::Both,
    }
}

/// Whether the marks of an automaton and the constraints of a structure fit the searches' words.
pub(crate) fn fits_marks(automaton: &Automaton, graph: &PathGraph<'_>) -> bool {
    automaton.marks as usize + graph.model.fairness().len() <= super::automaton::MAX_MARKS as usize
}

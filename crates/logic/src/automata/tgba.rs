//! What is a transition-based generalised Büchi automaton over four-valued letters?
//!
//! A letter gives each atom evidence for and against, independently, so `p` and `!p` are two tests that may
//! both pass or both fail. A guard is a set of such tests. A run is accepting if it takes transitions of
//! every mark infinitely often.
//!
//! Not here: where automata come from (`build`, `plain`, `hoa`) and what shrinks them (`reduce`).

use std::fmt;

use tertium_base::graph;
use tertium_base::narrow::to_u32;

use crate::formula::AtomId;

/// One test of a letter: evidence for an atom, or evidence against it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal(u32);

impl Literal {
    /// The test for evidence that `atom` holds, or that it does not hold if `negative`.
    #[must_use]
    pub const fn new(atom: AtomId, negative: bool) -> Self {
        Self(to_u32(atom.index() * 2) | negative as u32)
    }

    /// The atom tested.
    #[must_use]
    pub const fn atom(self) -> AtomId {
        AtomId::new((self.0 >> 1) as usize)
    }

    /// Whether it tests for evidence against the atom.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its bit in a letter: twice the atom's index, plus one if negative.
    #[must_use]
    pub const fn bit(self) -> usize {
        self.0 as usize
    }

    /// The test of the same atom's other side.
    #[must_use]
    pub const fn opposite(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// A conjunction of tests, sorted; it may contain `p` and `!p`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Guard(Vec<Literal>);

impl Guard {
    /// The conjunction of these tests.
    #[must_use]
    pub fn new(mut literals: Vec<Literal>) -> Self {
        literals.sort_unstable();
        literals.dedup();
        Self(literals)
    }

    /// The tests.
    #[must_use]
    pub fn literals(&self) -> &[Literal] {
        &self.0
    }

    /// Whether every letter that passes `other` passes this guard.
    #[must_use]
    pub fn is_weaker_or_equal(&self, other: &Self) -> bool {
        is_subset(&self.0, &other.0)
    }

    /// Whether a letter passes; `holds` answers single tests.
    pub fn passes(&self, mut holds: impl FnMut(Literal) -> bool) -> bool {
        self.0.iter().all(|&literal| holds(literal))
    }

    /// Both conjunctions together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(union(&self.0, &other.0))
    }

    /// Whether it asks for evidence both for and against some atom, which no classical letter gives.
    #[must_use]
    pub fn is_contradictory(&self) -> bool {
        self.0.windows(2).any(|pair| pair[0].opposite() == pair[1])
    }
}

/// Whether every element of one sorted list is in another.
pub(crate) fn is_subset<T: Ord>(small: &[T], large: &[T]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|wanted| rest.by_ref().find(|found| *found >= wanted).is_some_and(|found| found == wanted))
}

/// The union of two sorted lists.
pub(crate) fn union<T: Ord + Copy>(a: &[T], b: &[T]) -> Vec<T> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        all.push(a[i].min(b[j]));
        let (left, right) = (a[i], b[j]);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}

/// A set of acceptance marks, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// An automaton has at most this many marks.
    pub const MOST: usize = 64;

    /// The marks `0..count`.
    #[must_use]
    pub const fn all(count: usize) -> Self {
        Self(if count >= 64 { u64::MAX } else { (1 << count) - 1 })
    }

    /// Whether `mark` is in the set.
    #[must_use]
    pub const fn contains(self, mark: usize) -> bool {
        self.0 >> mark & 1 == 1
    }

    /// Whether every mark of this set is in the other.
    #[must_use]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Marks of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The marks, in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |&mark| self.contains(mark))
    }
}

/// A step of an automaton.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Transition {
    /// The letters it reads.
    pub guard: Guard,
    /// The state it leads to.
    pub target: usize,
    /// The marks it carries.
    pub marks: Marks,
}

/// A transition-based generalised Büchi automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tgba {
    /// The atoms' names; literals count into them.
    pub atoms: Vec<String>,
    /// For each state its transitions.
    pub states: Vec<Vec<Transition>>,
    /// Where runs start; none if there is no state, and then no word is accepted.
    pub initial: usize,
    /// How many marks a run must meet infinitely often; with none every infinite run is accepting.
    pub marks: usize,
}

/// How large an automaton is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// States.
    pub states: usize,
    /// Pairs of states with a step between them.
    pub edges: usize,
    /// Transitions, one per conjunction of tests.
    pub transitions: usize,
    /// Acceptance marks.
    pub marks: usize,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { states, edges, transitions, marks } = self;
        write!(f, "{states} states, {edges} edges, {transitions} transitions, {marks} marks")
    }
}

impl Tgba {
    /// The automaton that accepts nothing.
    #[must_use]
    pub fn empty(atoms: Vec<String>) -> Self {
        Self { atoms, states: Vec::new(), initial: 0, marks: 0 }
    }

    /// Its size.
    #[must_use]
    pub fn size(&self) -> Size {
        let distinct = |transitions: &Vec<Transition>| {
            let mut targets: Vec<usize> = transitions.iter().map(|transition| transition.target).collect();
            targets.sort_unstable();
            targets.dedup();
            targets.len()
        };
        Size {
            states: self.states.len(),
            edges: self.states.iter().map(distinct).sum(),
            transitions: self.states.iter().map(Vec::len).sum(),
            marks: self.marks,
        }
    }

    /// Whether no state has two transitions that one letter can pass.
    ///
    /// With independent tests some letter passes any two guards, so this means at most one transition a state;
    /// on `classical` letters guards with opposite tests exclude each other.
    #[must_use]
    pub fn is_deterministic(&self, classical: bool) -> bool {
        self.states.iter().all(|transitions| {
            transitions.iter().enumerate().all(|(at, first)| {
                transitions[at + 1..]
                    .iter()
                    .all(|second| classical && first.guard.and(&second.guard).is_contradictory())
            })
        })
    }

    /// Whether a word `stem cycle^omega` is accepted. A letter tells for each literal's [`Literal::bit`] whether
    /// it passes; an empty cycle accepts nothing.
    #[must_use]
    pub fn accepts(&self, stem: &[Vec<bool>], cycle: &[Vec<bool>]) -> bool {
        if self.states.is_empty() || cycle.is_empty() {
            return false;
        }
        let letters: Vec<&Vec<bool>> = stem.iter().chain(cycle).collect();
        let next = |at: usize| if at + 1 < letters.len() { at + 1 } else { stem.len() };
        let node = |at: usize, state: usize| at * self.states.len() + state;
        let mut steps: Vec<Vec<(usize, Marks)>> = vec![Vec::new(); letters.len() * self.states.len()];
        let start = node(0, self.initial);
        let mut seen = vec![false; steps.len()];
        let mut todo = vec![(0, self.initial)];
        seen[start] = true;
        while let Some((at, state)) = todo.pop() {
            for transition in &self.states[state] {
                if transition.guard.passes(|literal| letters[at].get(literal.bit()).copied().unwrap_or(false)) {
                    let target = node(next(at), transition.target);
                    steps[node(at, state)].push((target, transition.marks));
                    if !std::mem::replace(&mut seen[target], true) {
                        todo.push((next(at), transition.target));
                    }
                }
            }
        }
        has_accepting_component(&steps, self.marks)
    }
}

/// Whether some component of a graph with marked edges carries all marks and has an edge.
fn has_accepting_component(steps: &[Vec<(usize, Marks)>], marks: usize) -> bool {
    let component = graph::components(steps.len(), |node| steps[node].iter().map(|&(target, _)| target));
    let mut found: Vec<Option<Marks>> = vec![None; component.count];
    for (from, edges) in steps.iter().enumerate() {
        for &(to, here) in edges.iter().filter(|(to, _)| component.of[*to] == component.of[from]) {
            let entry = &mut found[component.at(to)];
            *entry = Some(entry.unwrap_or_default().union(here));
        }
    }
    found.into_iter().flatten().any(|carried| Marks::all(marks).is_subset(carried))
}

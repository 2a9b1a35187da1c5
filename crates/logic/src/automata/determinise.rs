//! Which single run decides whether a word satisfies a formula?
//!
//! A deterministic parity automaton, made state by state as letters come, so that a product builds only what it
//! meets. Easy classes get cheap automata and say so ([`AcceptanceKind`]): the formula's automaton and the one of its
//! complement are looked at, and only if neither is easy are Safra's trees used.
//!
//! The complement of "has evidence of truth" is not "has evidence of falsity": it is the dual formula, whose
//! test of `!p` asks that the test of `p` fails.
//!
//! Priorities are on transitions; a word is accepted iff the greatest one met infinitely often is even.

use std::collections::HashMap;

use tertium_base::Budget;
use tertium_base::graph::components;
use tertium_base::narrow::to_u32;

use super::build::{Translation, TranslationError, ltl_to_tgba};
use super::safra::{self, Tree};
use super::simulate::Simulation;
use super::tgba::{Literal, Marks, Tgba};
use crate::formula::Formula;

/// What a deterministic automaton needs to accept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AcceptanceKind {
    /// Never to get stuck: a violation shows after finitely many letters. Priorities 0 and, once lost, 1.
    Safety,
    /// To arrive: satisfaction shows after finitely many letters. Priorities 1 and, once won, 2.
    CoSafety,
    /// Something infinitely often. Priorities 1 and 2.
    Buchi,
    /// Something only finitely often. Priorities 0 and 1, or 2 and 3.
    CoBuchi,
    /// None of these.
    Parity,
}

impl AcceptanceKind {
    const fn dual(self) -> Self {
        match self {
            Self::Safety => Self::CoSafety,
            Self::CoSafety => Self::Safety,
            Self::Buchi => Self::CoBuchi,
            Self::CoBuchi => Self::Buchi,
            Self::Parity => Self::Parity,
        }
    }

    /// The word for it in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::CoSafety => "co-safety",
            Self::Buchi => "Büchi",
            Self::CoBuchi => "co-Büchi",
            Self::Parity => "parity",
        }
    }
}

/// A state of the deterministic automaton, in terms of the nondeterministic one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Tracked {
    /// All states that runs can be in; sorted.
    Set(Vec<u32>),
    /// The same, and those among them whose runs have stayed in good components since the last reset.
    Breakpoint(Vec<u32>, Vec<u32>),
    /// The one state that matters, and the next mark to wait for.
    One(u32, u32),
    /// No run is left.
    Dead,
    /// A run is in a state that accepts everything.
    Won,
    /// Safra's tree.
    Tree(Tree),
}

/// Makes a deterministic automaton for a formula as letters come.
#[derive(Clone, Debug)]
pub struct Determiniser {
    source: Source,
    kind: AcceptanceKind,
    complemented: bool,
    states: Vec<Tracked>,
    index: HashMap<Tracked, usize>,
    known: HashMap<(usize, Vec<u64>), (usize, u32)>,
}

impl Determiniser {
    /// For the words on which `formula`, or its negation if `negated`, has evidence of truth.
    ///
    /// # Errors
    /// If the formula is not of linear time, or the budget runs out.
    pub fn new(formula: &Formula, negated: bool, budget: &Budget) -> Result<Self, TranslationError> {
        Self::with_options(formula, negated, Translation::default(), budget)
    }

    /// The same for words in which every atom is true or false at every position, never both or neither.
    ///
    /// # Errors
    /// If the formula is not of linear time, or the budget runs out.
    pub fn classical(formula: &Formula, negated: bool, budget: &Budget) -> Result<Self, TranslationError> {
        Self::with_options(formula, negated, Translation { classical: true, ..Translation::default() }, budget)
    }

    fn with_options(
        formula: &Formula,
        negated: bool,
        options: Translation,
        budget: &Budget,
    ) -> Result<Self, TranslationError> {
        let direct = Source::new(ltl_to_tgba(formula, negated, options, budget)?, false, budget)?;
        let direct_kind = direct.easy_kind();
        if let Some(kind @ (AcceptanceKind::Safety | AcceptanceKind::CoSafety)) = direct_kind {
            return Ok(Self::start(direct, kind, false));
        }
        let dual = Source::new(ltl_to_tgba(formula, !negated, options, budget)?, true, budget)?;
        Ok(match (direct_kind, dual.easy_kind()) {
            (_, Some(kind @ (AcceptanceKind::Safety | AcceptanceKind::CoSafety))) => Self::start(dual, kind, true),
            (Some(kind), _) => Self::start(direct, kind, false),
            (None, Some(kind)) => Self::start(dual, kind, true),
            (None, None) if dual.tracked_size() < direct.tracked_size() => {
                Self::start(dual, AcceptanceKind::Parity, true)
            }
            (None, None) => Self::start(direct, AcceptanceKind::Parity, false),
        })
    }

    /// For the words that an automaton accepts.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn of_automaton(automaton: &Tgba, budget: &Budget) -> Result<Self, TranslationError> {
        let source = Source::new(automaton.cleaned(), false, budget)?;
        let kind = source.easy_kind().unwrap_or(AcceptanceKind::Parity);
        Ok(Self::start(source, kind, false))
    }

    fn start(source: Source, kind: AcceptanceKind, complemented: bool) -> Self {
        let mut determiniser =
            Self { source, kind, complemented, states: Vec::new(), index: HashMap::new(), known: HashMap::new() };
        let automaton = &determiniser.source.automaton;
        let initial = to_u32(automaton.initial);
        let first = if automaton.states.is_empty() {
            Tracked::Dead
        } else {
            match kind {
                AcceptanceKind::Safety => Tracked::Set(vec![initial]),
                AcceptanceKind::CoSafety => determiniser.source.won_or_set(vec![initial]),
                AcceptanceKind::Buchi => Tracked::One(initial, 0),
                AcceptanceKind::CoBuchi => determiniser.source.breakpoint(vec![initial], Vec::new()).0,
                AcceptanceKind::Parity => Tracked::Tree(safra::root(determiniser.source.level_state(initial, 0))),
            }
        };
        determiniser.state(first);
        determiniser
    }

    /// What the automaton needs to accept.
    #[must_use]
    pub fn kind(&self) -> AcceptanceKind {
        if self.complemented { self.kind.dual() } else { self.kind }
    }

    /// The state in which every word starts.
    #[must_use]
    pub const fn initial(&self) -> usize {
        0
    }

    /// How many states were made so far.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// No transition has a greater priority.
    #[must_use]
    pub fn greatest_priority(&self) -> u32 {
        let own = match self.kind {
            AcceptanceKind::Safety | AcceptanceKind::CoBuchi => 1,
            AcceptanceKind::CoSafety | AcceptanceKind::Buchi => 2,
            AcceptanceKind::Parity => safra::Event::Good(0).priority(self.source.tracked_size()),
        };
        own + u32::from(self.complemented)
    }

    /// Whether every word from this state on is accepted, or none is; `None` if that is not obvious.
    #[must_use]
    pub fn decided(&self, state: usize) -> Option<bool> {
        let own = match &self.states[state] {
            Tracked::Dead => false,
            Tracked::Won => true,
            _ => return None,
        };
        Some(own != self.complemented)
    }

    /// The literals that transitions test; only these matter in a letter.
    #[must_use]
    pub fn literals(&self) -> &[Literal] {
        &self.source.literals
    }

    /// The atoms' names; literals count into them.
    #[must_use]
    pub fn atoms(&self) -> &[String] {
        &self.source.automaton.atoms
    }

    /// Where a letter leads from a state, and the priority of that step. `holds` answers the letter's tests.
    pub fn successor(&mut self, state: usize, mut holds: impl FnMut(Literal) -> bool) -> (usize, u32) {
        let mut letter = vec![0_u64; self.source.literals.len().div_ceil(64)];
        for (at, &literal) in self.source.literals.iter().enumerate() {
            if holds(literal) {
                letter[at / 64] |= 1 << (at % 64);
            }
        }
        if let Some(&known) = self.known.get(&(state, letter.clone())) {
            return known;
        }
        let tests = self.source.read(&letter);
        let (next, priority) = self.advance(state, &tests);
        let step = (self.state(next), priority + u32::from(self.complemented));
        self.known.insert((state, letter), step);
        step
    }

    fn state(&mut self, tracked: Tracked) -> usize {
        if let Some(&state) = self.index.get(&tracked) {
            return state;
        }
        self.states.push(tracked.clone());
        self.index.insert(tracked, self.states.len() - 1);
        self.states.len() - 1
    }

    /// One step of the automaton proper, before complementing.
    fn advance(&self, state: usize, tests: &[bool]) -> (Tracked, u32) {
        let source = &self.source;
        match &self.states[state] {
            Tracked::Dead => (Tracked::Dead, 1),
            Tracked::Won => (Tracked::Won, 2),
            Tracked::Set(states) => {
                let next = source.post(states, tests, |_, _| true);
                match self.kind {
                    _ if next.is_empty() => (Tracked::Dead, 1),
                    AcceptanceKind::CoSafety => match source.won_or_set(next) {
                        Tracked::Won => (Tracked::Won, 2),
                        open => (open, 1),
                    },
                    _ => (Tracked::Set(next), 0),
                }
            }
            Tracked::Breakpoint(all, good) => {
                let next = source.post(all, tests, |_, _| true);
                let staying = source.post(good, tests, |from, to| source.stays_good(from, to));
                if next.is_empty() {
                    return (Tracked::Dead, 1);
                }
                let (tracked, reset) = source.breakpoint(next, staying);
                (tracked, u32::from(reset))
            }
            Tracked::One(state, level) => match source.best_move(*state as usize, tests) {
                None => (Tracked::Dead, 1),
                Some((target, marks)) => {
                    let (level, accepting) = source.advance_level(*level, marks);
                    (Tracked::One(target, level), 1 + u32::from(accepting))
                }
            },
            Tracked::Tree(tree) => {
                let (next, event) = safra::step(tree, |state| source.level_moves(state, tests));
                if next.is_empty() {
                    return (Tracked::Dead, 1);
                }
                (Tracked::Tree(next), event.priority(source.tracked_size()))
            }
        }
    }
}

/// The nondeterministic automaton behind a deterministic one.
#[derive(Clone, Debug)]
struct Source {
    automaton: Tgba,
    simulation: Simulation,
    component: Vec<u32>,
    /// For each state whether its component can accept.
    good: Vec<bool>,
    /// The literals tested, as the reader of words asks them.
    literals: Vec<Literal>,
    /// Whether a test passes when the opposite literal fails.
    inverted: bool,
}

impl Source {
    fn new(automaton: Tgba, inverted: bool, budget: &Budget) -> Result<Self, TranslationError> {
        let simulation = Simulation::within_reason(&automaton, budget)?;
        let states = &automaton.states;
        let component = components(states.len(), |state| states[state].iter().map(|transition| transition.target)).of;
        let mut carried: HashMap<u32, Marks> = HashMap::new();
        let mut literals = Vec::new();
        for (state, transitions) in states.iter().enumerate() {
            for transition in transitions {
                literals.extend_from_slice(transition.guard.literals());
                if component[transition.target] == component[state] {
                    let entry = carried.entry(component[state]).or_default();
                    *entry = entry.union(transition.marks);
                }
            }
        }
        if inverted {
            literals.iter_mut().for_each(|literal| *literal = literal.opposite());
        }
        literals.sort_unstable();
        literals.dedup();
        let all = Marks::all(automaton.marks);
        let good = component.iter().map(|component| carried.get(component) == Some(&all)).collect();
        Ok(Self { automaton, simulation, component, good, literals, inverted })
    }

    /// For each literal's bit whether the automaton's own test passes.
    fn read(&self, letter: &[u64]) -> Vec<bool> {
        let mut tests = vec![false; 2 * self.automaton.atoms.len()];
        for (at, &literal) in self.literals.iter().enumerate() {
            let holds = letter[at / 64] >> (at % 64) & 1 == 1;
            let (own, passes) = if self.inverted { (literal.opposite(), !holds) } else { (literal, holds) };
            tests[own.bit()] = passes;
        }
        tests
    }

    /// The class of the automaton that needs no trees.
    fn easy_kind(&self) -> Option<AcceptanceKind> {
        if self.automaton.marks == 0 {
            return Some(AcceptanceKind::Safety);
        }
        if (0..self.automaton.states.len()).all(|state| !self.good[state] || self.accepts_all(state)) {
            return Some(AcceptanceKind::CoSafety);
        }
        if self.has_best_moves() {
            return Some(AcceptanceKind::Buchi);
        }
        self.is_weak().then_some(AcceptanceKind::CoBuchi)
    }

    fn accepts_all(&self, state: usize) -> bool {
        let all = Marks::all(self.automaton.marks);
        self.automaton.states[state].iter().any(|transition| {
            transition.target == state && transition.marks == all && transition.guard.literals().is_empty()
        })
    }

    /// Whether in every component either all steps carry all marks or none carries any.
    fn is_weak(&self) -> bool {
        let all = Marks::all(self.automaton.marks);
        self.automaton.states.iter().enumerate().all(|(state, transitions)| {
            transitions
                .iter()
                .filter(|transition| self.component[transition.target] == self.component[state])
                .all(|transition| transition.marks == if self.good[state] { all } else { Marks::default() })
        })
    }

    /// Whether of any two transitions of a state, one is always at least as good as the other.
    fn has_best_moves(&self) -> bool {
        let automaton = &self.automaton;
        automaton.states.iter().enumerate().all(|(state, transitions)| {
            (0..transitions.len()).all(|a| {
                (0..a).all(|b| {
                    transitions[a].target == transitions[b].target
                        || self.simulation.outdoes(automaton, state, a, &transitions[b])
                        || self.simulation.outdoes(automaton, state, b, &transitions[a])
                })
            })
        })
    }

    /// The transitions of a state that pass and that no other one outdoes.
    fn moves(&self, state: usize, tests: &[bool]) -> Vec<usize> {
        let transitions = &self.automaton.states[state];
        let passing: Vec<usize> =
            (0..transitions.len()).filter(|&at| transitions[at].guard.passes(|literal| tests[literal.bit()])).collect();
        let outdone = |at: usize| {
            passing.iter().any(|&other| {
                other != at
                    && self.simulation.outdoes(&self.automaton, state, at, &transitions[other])
                    && (other < at || !self.simulation.outdoes(&self.automaton, state, other, &transitions[at]))
            })
        };
        passing.iter().copied().filter(|&at| !outdone(at)).collect()
    }

    /// The target of the best transition and the marks of all that lead there equally well.
    fn best_move(&self, state: usize, tests: &[bool]) -> Option<(u32, Marks)> {
        let transitions = &self.automaton.states[state];
        let moves = self.moves(state, tests);
        let target = transitions[*moves.first()?].target;
        let same = moves.iter().map(|&at| &transitions[at]).filter(|transition| transition.target == target);
        let marks = same.fold(Marks::default(), |marks, transition| marks.union(transition.marks));
        Some((to_u32(target), marks))
    }

    fn post(&self, states: &[u32], tests: &[bool], mut through: impl FnMut(usize, usize) -> bool) -> Vec<u32> {
        let mut targets = Vec::new();
        for &state in states {
            for at in self.moves(state as usize, tests) {
                let target = self.automaton.states[state as usize][at].target;
                if through(state as usize, target) {
                    targets.push(to_u32(target));
                }
            }
        }
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    fn stays_good(&self, from: usize, to: usize) -> bool {
        self.good[from] && self.component[from] == self.component[to]
    }

    fn won_or_set(&self, states: Vec<u32>) -> Tracked {
        let won = states.iter().any(|&state| self.good[state as usize]);
        if won { Tracked::Won } else { Tracked::Set(states) }
    }

    /// The state with these sets, and whether the second had run empty and starts anew.
    fn breakpoint(&self, all: Vec<u32>, staying: Vec<u32>) -> (Tracked, bool) {
        if !staying.is_empty() {
            return (Tracked::Breakpoint(all, staying), false);
        }
        let good = all.iter().copied().filter(|&state| self.good[state as usize]).collect();
        (Tracked::Breakpoint(all, good), true)
    }

    // --- One mark after the other: the automaton with a single acceptance condition ---

    /// The next mark to wait for after a step with these marks, and whether a round was completed.
    fn advance_level(&self, level: u32, marks: Marks) -> (u32, bool) {
        let count = to_u32(self.automaton.marks);
        let ahead = |mut level: u32| {
            while level < count && marks.contains(level as usize) {
                level += 1;
            }
            level
        };
        match ahead(level) {
            level if level < count => (level, false),
            _ => (ahead(0) % count.max(1), true),
        }
    }

    fn levels(&self) -> u32 {
        to_u32(self.automaton.marks).max(1)
    }

    fn level_state(&self, state: u32, level: u32) -> u32 {
        state * self.levels() + level
    }

    /// An upper bound on the nodes of a tree.
    fn tracked_size(&self) -> usize {
        self.automaton.states.len() * self.levels() as usize
    }

    fn level_moves(&self, tracked: u32, tests: &[bool]) -> Vec<(u32, bool)> {
        let (state, level) = (tracked / self.levels(), tracked % self.levels());
        let step = |at: usize| {
            let transition = &self.automaton.states[state as usize][at];
            if !self.stays_good(state as usize, transition.target) {
                return (self.level_state(to_u32(transition.target), 0), false);
            }
            let (level, accepting) = self.advance_level(level, transition.marks);
            (self.level_state(to_u32(transition.target), level), accepting)
        };
        self.moves(state as usize, tests).into_iter().map(step).collect()
    }
}

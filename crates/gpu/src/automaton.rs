//! What watches a program on a device: a generalised Büchi automaton as a table, and what a fair scheduler promises.

use std::fmt::Write as _;

use tertium_base::narrow::to_u32;
use tertium_explore::search::liveness::Scheduling;
use tertium_program::ExprId;

use crate::source::{MOST_ATOMS, Unsupported};

/// Conditions that a run must fulfil again and again, at most: bits of a word beside four others.
pub const MOST_CONDITIONS: usize = 28;
/// Processes that are told apart by what a scheduler promises.
const MOST_FAIR: u32 = 64;

/// A move of the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The atoms that it asks about.
    pub care: u32,
    /// Which of these must hold.
    pub values: u32,
    /// Where it leads.
    pub target: u32,
    /// The marks that it collects.
    pub marks: u32,
}

/// An automaton over atoms, with the moves of each state.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What its moves ask about, at most sixteen.
    pub atoms: Vec<ExprId>,
    /// By state.
    pub moves: Vec<Vec<Move>>,
    /// How many marks there are.
    pub marks: u32,
    /// Whether a run that cannot go on rests in its last state for ever.
    pub stutters: bool,
    /// Whom the scheduler treats fairly.
    pub fair: Scheduling,
}

impl Automaton {
    /// How many conditions a run must fulfil, as `ProductRows` numbers them: marks, weak fairness, strong fairness, or that it goes on.
    #[must_use]
    pub fn conditions(&self) -> usize {
        let always = self.first_strong();
        always + self.fair.strong.len() + usize::from(always == 0)
    }

    fn first_strong(&self) -> usize {
        self.marks as usize + self.fair.weak.len()
    }

    /// Why it is not for a device, if it is not.
    pub(crate) fn unsupported(&self) -> Option<Unsupported> {
        let pids = || self.fair.weak.iter().chain(&self.fair.strong);
        if self.atoms.len() > MOST_ATOMS {
            Some(Unsupported::Atoms)
        } else if self.conditions() > MOST_CONDITIONS || pids().any(|&pid| pid >= MOST_FAIR) {
            Some(Unsupported::Conditions)
        } else {
            None
        }
    }

    /// The conditions that bind every state.
    fn always(&self) -> u32 {
        match self.first_strong() {
            0 => 1 << self.fair.strong.len(),
            conditions => u32::MAX >> (32 - to_u32(conditions)),
        }
    }

    /// Bits that tell its states apart.
    pub(crate) fn state_bits(&self) -> u32 {
        self.moves.len().next_power_of_two().trailing_zeros()
    }

    /// Its constants and tables.
    pub(crate) fn tables(&self) -> String {
        let mut first = vec![0];
        let mut moves = Vec::new();
        for of_state in &self.moves {
            moves.extend(of_state.iter().flat_map(|one| [one.care, one.values, one.target, one.marks]));
            first.push(to_u32(moves.len() / 4));
        }
        // A table of nothing is no C.
        moves.push(0);
        let numbers =
            |numbers: &[u32]| numbers.iter().map(|number| format!("{number}u")).collect::<Vec<_>>().join(", ");
        format!(
            "#define AUTOMATON 1\n#define STUTTERS {}\n#define FAIR {}\n#define ALWAYS {}u\n\
             static __device__ const unsigned int automaton_first[] = {{{}}};\n\
             static __device__ const unsigned int automaton_moves[] = {{{}}};\n{}",
            u8::from(self.stutters),
            u8::from(!self.fair.weak.is_empty() || !self.fair.strong.is_empty()),
            self.always(),
            numbers(&first),
            numbers(&moves),
            self.fairness()
        )
    }

    /// The functions that say what a step of a process fulfils, and what binds a state, by the processes that can step there.
    fn fairness(&self) -> String {
        let going_on = if self.first_strong() == 0 { self.always() } else { 0 };
        let mut text = format!(
            "static __device__ inline unsigned int fair_to(int mover, unsigned long long enabled) {{\n    \
             unsigned int fulfilled = {going_on}u;\n"
        );
        let first = self.marks as usize;
        for (at, pid) in self.fair.weak.iter().enumerate() {
            let bit = first + at;
            let _ = writeln!(text, "    if (mover == {pid} || !(enabled >> {pid} & 1)) fulfilled |= 1u << {bit};");
        }
        for (at, pid) in self.fair.strong.iter().enumerate() {
            let _ = writeln!(text, "    if (mover == {pid}) fulfilled |= 1u << {};", self.first_strong() + at);
        }
        text.push_str(
            "    (void)mover; (void)enabled;\n    return fulfilled;\n}\n\
             static __device__ inline unsigned int strongly_bound(unsigned long long enabled) {\n    unsigned int bound = 0;\n",
        );
        for (at, pid) in self.fair.strong.iter().enumerate() {
            let _ = writeln!(text, "    if (enabled >> {pid} & 1) bound |= 1u << {};", self.first_strong() + at);
        }
        text.push_str("    (void)enabled;\n    return bound;\n}\n");
        text
    }
}

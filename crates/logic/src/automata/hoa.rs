//! How are automata exchanged with other tools? Writing the Hanoi Omega-Automata format, version 1.
//!
//! The format knows classical letters only. An automaton over four-valued letters is written either for
//! classical readers, leaving out what no classical letter passes, or exactly, with two propositions `p+` and
//! `p-` for an atom `p`.
//!
//! Not here: reading (`hoa_read`).

use std::fmt::Write;

use super::determinise::Determiniser;
use super::tgba::{Guard, Literal, Marks, Tgba};

/// What the letters of a written automaton are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Letters {
    /// One proposition an atom.
    Classical,
    /// Two propositions an atom: `p+` for evidence of truth, `p-` for evidence of falsity.
    FourValued,
}

/// The propositions of a written automaton.
struct Propositions {
    letters: Letters,
    /// The literals that have a number of their own; only positive ones if letters are classical.
    numbered: Vec<Literal>,
}

impl Propositions {
    fn new(letters: Letters, used: impl Iterator<Item = Literal>) -> Self {
        let own = |literal: Literal| match letters {
            Letters::Classical => Literal::new(literal.atom(), false),
            Letters::FourValued => literal,
        };
        let mut numbered: Vec<Literal> = used.map(own).collect();
        numbered.sort_unstable();
        numbered.dedup();
        Self { letters, numbered }
    }

    fn header(&self, atoms: &[String]) -> String {
        let mut line = format!("AP: {}", self.numbered.len());
        for literal in &self.numbered {
            let sign = match (self.letters, literal.is_negative()) {
                (Letters::Classical, _) => "",
                (Letters::FourValued, false) => "+",
                (Letters::FourValued, true) => "-",
            };
            let name = atoms[literal.atom().index()].replace('\\', "\\\\").replace('"', "\\\"");
            let _ = write!(line, " \"{name}{sign}\"");
        }
        line
    }

    fn label(&self, guard: &Guard) -> String {
        let test = |&literal: &Literal| {
            let (own, sign) = match (self.letters, literal.is_negative()) {
                (Letters::Classical, true) => (literal.opposite(), "!"),
                _ => (literal, ""),
            };
            let number = self.numbered.binary_search(&own).unwrap_or(0);
            format!("{sign}{number}")
        };
        let tests: Vec<String> = guard.literals().iter().map(test).collect();
        if tests.is_empty() { "t".to_owned() } else { tests.join("&") }
    }
}

fn set(marks: Marks) -> String {
    let numbers: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
    if numbers.is_empty() { String::new() } else { format!(" {{{}}}", numbers.join(" ")) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Tgba {
    /// The automaton in the Hanoi format; `name` is shown to people.
    #[must_use]
    pub fn to_hoa(&self, name: &str, letters: Letters) -> String {
        let used = self.states.iter().flatten().flat_map(|transition| transition.guard.literals().iter().copied());
        let propositions = Propositions::new(letters, used);
        let (acc_name, condition) = match self.marks {
            0 => ("all".to_owned(), "0 t".to_owned()),
            1 => ("Buchi".to_owned(), "1 Inf(0)".to_owned()),
            count => {
                let all: Vec<String> = (0..count).map(|mark| format!("Inf({mark})")).collect();
                (format!("generalized-Buchi {count}"), format!("{count} {}", all.join("&")))
            }
        };
        let mut out = format!(
            "HOA: v1\nname: {}\ntool: \"tertium\"\nStates: {}\nStart: {}\n{}\nacc-name: {acc_name}\n\
             Acceptance: {condition}\nproperties: trans-labels explicit-labels trans-acc\n--BODY--\n",
            quoted(name),
            self.states.len().max(1),
            self.initial,
            propositions.header(&self.atoms),
        );
        if self.states.is_empty() {
            out.push_str("State: 0\n");
        }
        for (state, transitions) in self.states.iter().enumerate() {
            let _ = writeln!(out, "State: {state}");
            for transition in transitions {
                if letters == Letters::Classical && transition.guard.is_contradictory() {
                    continue;
                }
                let label = propositions.label(&transition.guard);
                let _ = writeln!(out, "[{label}] {}{}", transition.target, set(transition.marks));
            }
        }
        out.push_str("--END--\n");
        out
    }
}

/// A deterministic automaton may be written out over at most this many tested literals.
pub const MOST_WRITTEN_LITERALS: usize = 12;

impl Determiniser {
    /// The whole automaton in the Hanoi format, all letters explored; `None` if more than
    /// [`MOST_WRITTEN_LITERALS`] literals are tested or more than `most_states` states are needed.
    #[must_use]
    pub fn to_hoa(&mut self, name: &str, letters: Letters, most_states: usize) -> Option<String> {
        let literals = self.literals().to_vec();
        let classical_letters = |letter: &u32| letters == Letters::FourValued || is_classical(&literals, *letter);
        if literals.len() > MOST_WRITTEN_LITERALS {
            return None;
        }
        let all: Vec<u32> = (0..1_u32 << literals.len()).filter(classical_letters).collect();
        let propositions = Propositions::new(letters, literals.iter().copied());
        let mut body = String::new();
        let mut number = vec![self.initial()];
        let mut at = 0;
        while at < number.len() {
            let _ = writeln!(body, "State: {at}");
            for &letter in &all {
                let (target, priority) = self.successor(number[at], |literal| {
                    literals.binary_search(&literal).is_ok_and(|index| letter >> index & 1 == 1)
                });
                let target = number.iter().position(|&known| known == target).unwrap_or_else(|| {
                    number.push(target);
                    number.len() - 1
                });
                let label = letter_label(&literals, letter, &propositions);
                let _ = writeln!(body, "[{label}] {target} {{{priority}}}");
            }
            if number.len() > most_states {
                return None;
            }
            at += 1;
        }
        let count = self.greatest_priority() + 1;
        Some(format!(
            "HOA: v1\nname: {}\ntool: \"tertium\"\nStates: {}\nStart: 0\n{}\nacc-name: parity max even {count}\n\
             Acceptance: {count} {}\nproperties: trans-labels explicit-labels trans-acc colored complete deterministic\n\
             --BODY--\n{body}--END--\n",
            quoted(name),
            number.len(),
            propositions.header(self.atoms()),
            parity_condition(count),
        ))
    }
}

/// Whether no atom is tested on both sides with the same outcome; an atom tested on one side is free.
fn is_classical(literals: &[Literal], letter: u32) -> bool {
    literals
        .windows(2)
        .enumerate()
        .all(|(at, pair)| pair[0].opposite() != pair[1] || (letter >> at & 1) != (letter >> (at + 1) & 1))
}

/// A letter as a conjunction that determines every tested literal.
fn letter_label(literals: &[Literal], letter: u32, propositions: &Propositions) -> String {
    let tests: Vec<String> = literals
        .iter()
        .enumerate()
        .map(|(at, &literal)| {
            let holds = letter >> at & 1 == 1;
            let single = propositions.label(&Guard::new(vec![literal]));
            match (holds, single.strip_prefix('!')) {
                (true, _) => single,
                (false, Some(number)) => number.to_owned(),
                (false, None) => format!("!{single}"),
            }
        })
        .collect();
    let mut tests = tests;
    tests.dedup();
    if tests.is_empty() { "t".to_owned() } else { tests.join("&") }
}

/// "The greatest number seen infinitely often is even", as the format spells it.
fn parity_condition(count: u32) -> String {
    let mut text = String::new();
    for priority in (0..count).rev() {
        let (name, joint) = if priority % 2 == 0 { ("Inf", " | ") } else { ("Fin", " & ") };
        let _ = write!(text, "{name}({priority})");
        if priority > 0 {
            let _ = write!(text, "{joint}(");
        }
    }
    text.push_str(&")".repeat(count.saturating_sub(1) as usize));
    text
}

//! Random specifications: CTL, LTL with the past, invariants, distances.

use super::expressions::Expressions;

/// What a specification asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `CTLSPEC`.
    Branching,
    /// `COMPUTE`.
    Distance,
    /// `LTLSPEC`.
    Linear,
    /// `INVARSPEC`.
    Invariant,
}

/// One specification.
#[derive(Clone, Debug)]
pub struct Specification {
    /// What it asks.
    pub kind: Kind,
    /// As it is written.
    pub text: String,
    /// The same without bounds in linear formulas, which not all checkers read.
    pub written_out: String,
}

impl Expressions<'_> {
    pub(super) fn specification(&mut self, kind: Kind) -> Specification {
        let depth = 1 + self.rng.below(3);
        let (text, written_out) = match kind {
            Kind::Linear => {
                let (text, written_out) = self.linear(depth);
                (format!("LTLSPEC {text}"), format!("LTLSPEC {written_out}"))
            }
            Kind::Branching => same(format!("CTLSPEC {}", self.branching(depth))),
            Kind::Invariant => same(format!("INVARSPEC {}", self.boolean(2))),
            Kind::Distance => {
                let which = *self.rng.pick(&["MIN", "MAX"]);
                same(format!("COMPUTE {which} [{}, {}]", self.boolean(1), self.boolean(1)))
            }
        };
        Specification { kind, text, written_out }
    }

    fn branching(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.boolean(1);
        }
        let below = depth - 1;
        match self.rng.below(14) {
            0 => format!("!({})", self.branching(below)),
            1 => format!("({} & {})", self.branching(below), self.branching(below)),
            2 => format!("({} -> {})", self.branching(below), self.branching(below)),
            3 => format!("({} xor {})", self.branching(below), self.branching(below)),
            4 => format!("E[{} U {}]", self.branching(below), self.branching(below)),
            5 => format!("A[{} U {}]", self.branching(below), self.branching(below)),
            6 => {
                let operator = *self.rng.pick(&["EBF", "ABF", "EBG", "ABG"]);
                let low = self.rng.below(3);
                format!("{operator} {low}..{} ({})", low + self.rng.below(3), self.branching(below))
            }
            7 => {
                let quantifier = *self.rng.pick(&["E", "A"]);
                let low = self.rng.below(3);
                let high = low + self.rng.below(3);
                format!("{quantifier}[{} BU {low}..{high} {}]", self.branching(below), self.branching(below))
            }
            8 | 9 => format!("AG ({} -> AF {})", self.boolean(1), self.branching(below)),
            _ => {
                let operator = *self.rng.pick(&["EX", "AX", "EF", "AF", "EG", "AG"]);
                format!("{operator} ({})", self.branching(below))
            }
        }
    }

    /// A linear formula, and the same without bounds.
    fn linear(&mut self, depth: usize) -> (String, String) {
        if depth == 0 {
            return same(self.boolean(1));
        }
        let below = depth - 1;
        match self.rng.below(12) {
            0 => one("!", self.linear(below)),
            1..=3 => {
                let operator = *self.rng.pick(&["&", "|", "->", "<->", "xor"]);
                two(operator, self.linear(below), self.linear(below))
            }
            4 => {
                let always = self.rng.chance(50);
                let inside = self.linear(below);
                self.bounded(always, &inside)
            }
            5..=7 => {
                let operator = *self.rng.pick(&["U", "V", "S", "T"]);
                two(operator, self.linear(below), self.linear(below))
            }
            8 | 9 => {
                let operator = *self.rng.pick(&["Y", "Z", "O", "H"]);
                one(operator, self.linear(below))
            }
            _ => {
                let operator = *self.rng.pick(&["X", "F", "G", "G", "F"]);
                one(operator, self.linear(below))
            }
        }
    }

    /// `F[low,high]` or `G[low,high]`, and what it abbreviates.
    fn bounded(&mut self, always: bool, inside: &(String, String)) -> (String, String) {
        let low = self.rng.below(2);
        let high = low + self.rng.below(2);
        let steps: Vec<String> = (low..=high).map(|at| format!("{} ({})", "X ".repeat(at), inside.1)).collect();
        let joined = steps.join(if always { " & " } else { " | " });
        (format!("{}[{low},{high}] ({})", if always { "G" } else { "F" }, inside.0), format!("({joined})"))
    }
}

fn same(text: String) -> (String, String) {
    (text.clone(), text)
}

fn one(operator: &str, inside: (String, String)) -> (String, String) {
    (format!("{operator} ({})", inside.0), format!("{operator} ({})", inside.1))
}

fn two(operator: &str, left: (String, String), right: (String, String)) -> (String, String) {
    (format!("(({}) {operator} ({}))", left.0, right.0), format!("(({}) {operator} ({}))", left.1, right.1))
}

//! Labels of transitions: propositional formulas as sets of guards, for themselves and for their negation.

use tertium_base::Diagnostic;

use super::lexer::Token;
use super::{MOST_TERMS, Reader, out_of_range, syntax, too_complex};
use crate::automata::tgba::{Guard, Literal};
use crate::formula::AtomId;

/// A label: when it passes and when it fails, each as alternatives of conjunctions.
#[derive(Clone, Debug, Default)]
pub(super) struct Label {
    pub(super) passes: Vec<Guard>,
    fails: Vec<Guard>,
}

impl Label {
    fn constant(value: bool) -> Self {
        let (always, never) = (vec![Guard::default()], Vec::new());
        if value { Self { passes: always, fails: never } } else { Self { passes: never, fails: always } }
    }

    fn and(&self, other: &Self) -> Option<Self> {
        Some(Self { passes: both(&self.passes, &other.passes)?, fails: either(&self.fails, &other.fails)? })
    }

    fn not(self) -> Self {
        Self { passes: self.fails, fails: self.passes }
    }
}

fn both(first: &[Guard], second: &[Guard]) -> Option<Vec<Guard>> {
    if first.len().saturating_mul(second.len()) > MOST_TERMS {
        return None;
    }
    let pairs = first.iter().flat_map(|one| second.iter().map(move |other| one.and(other)));
    Some(minimal(pairs.filter(|guard| !guard.is_contradictory()).collect()))
}

fn either(first: &[Guard], second: &[Guard]) -> Option<Vec<Guard>> {
    let all = [first, second].concat();
    (all.len() <= MOST_TERMS).then(|| minimal(all))
}

fn minimal(mut guards: Vec<Guard>) -> Vec<Guard> {
    guards.sort_unstable();
    guards.dedup();
    let covered =
        |at: usize| (0..guards.len()).any(|other| other != at && guards[other].is_weaker_or_equal(&guards[at]));
    (0..guards.len()).filter(|&at| !covered(at)).map(|at| guards[at].clone()).collect()
}

pub(super) const fn strength(operator: char) -> u8 {
    match operator {
        '!' => 3,
        '&' => 2,
        '|' => 1,
        _ => 0,
    }
}

/// Applies waiting operators of at least this strength; `None` if a label grows too large.
fn apply_stronger(operands: &mut Vec<Label>, operators: &mut Vec<char>, least: u8) -> Option<()> {
    while let Some(&operator) = operators.last().filter(|&&operator| strength(operator) >= least) {
        operators.pop();
        let right = operands.pop()?;
        let made = match operator {
            '!' => right.not(),
            '&' => operands.pop()?.and(&right)?,
            // a | b is the negation of !a & !b.
            _ => operands.pop()?.not().and(&right.not())?.not(),
        };
        operands.push(made);
    }
    Some(())
}

impl Reader<'_> {
    /// A Boolean expression over numbers of propositions; ends before anything that cannot continue it.
    pub(super) fn label(&mut self) -> Result<Label, Box<Diagnostic>> {
        // Strengths: `!` 3, `&` 2, `|` 1, `(` 0. Operators wait on one stack, operands on another.
        let mut operands: Vec<Label> = Vec::new();
        let mut operators: Vec<char> = Vec::new();
        let start = self.span();
        let mut wants_operand = true;
        loop {
            let span = self.span();
            match (self.token().clone(), wants_operand) {
                (Token::Sign(sign @ ('!' | '(')), true) => operators.push(sign),
                (Token::Word("t"), true) => operands.push(Label::constant(true)),
                (Token::Word("f"), true) => operands.push(Label::constant(false)),
                (Token::Number(number), true) if number < self.header.atoms.len() => {
                    operands.push(self.proposition(number));
                }
                (Token::Number(_), true) => return Err(out_of_range(span, "a proposition")),
                (Token::Alias(alias), true) => match self.header.aliases.get(alias) {
                    Some(label) => operands.push(label.clone()),
                    None => return Err(syntax(span, &format!("`@{alias}` is not defined"), "a known alias")),
                },
                (Token::Sign(sign @ ('&' | '|')), false) => {
                    apply_stronger(&mut operands, &mut operators, strength(sign)).ok_or_else(|| too_complex(start))?;
                    operators.push(sign);
                }
                (Token::Sign(')'), false) if operators.contains(&'(') => {
                    apply_stronger(&mut operands, &mut operators, 1).ok_or_else(|| too_complex(start))?;
                    operators.pop();
                }
                (_, true) => return Err(self.unexpected("`t`, `f`, a number, an alias, `!` or `(`")),
                (_, false) => break,
            }
            wants_operand = matches!(self.token(), Token::Sign('!' | '(' | '&' | '|'));
            self.advance();
        }
        apply_stronger(&mut operands, &mut operators, 1).ok_or_else(|| too_complex(start))?;
        match (operands.pop(), operators.is_empty()) {
            (Some(label), true) => Ok(label),
            _ => Err(self.unexpected("`)`")),
        }
    }

    fn proposition(&self, number: usize) -> Label {
        let test = |negative| vec![Guard::new(vec![Literal::new(AtomId::new(number), negative)])];
        Label { passes: test(false), fails: test(true) }
    }
}

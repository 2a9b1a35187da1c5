//! What does a contradiction say, whatever the large constants are?
//!
//! A clock that must pass 32768 cannot do so in three ticks; nor in four, nor in five. To learn something that holds for any number
//! of ticks, large constants are taken for symbols of which nothing but the sign is known: what still contradicts itself does so for another
//! reason. Constants that lie close together share a symbol, so that their distance is kept.

use crate::limits;
use std::collections::{BTreeMap, HashMap};

use tertium_smt::{Sort, Term, TermId, Terms};

/// Symbols in the place of large constants.
#[derive(Clone, Debug, Default)]
pub struct Lifting {
    /// By the constant that a symbol stands for.
    symbols: BTreeMap<i128, TermId>,
}

impl Lifting {
    /// Whether any constant was lifted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The constants that the symbols stand for.
    pub fn constants(&self, terms: &mut Terms) -> HashMap<TermId, TermId> {
        self.symbols.iter().map(|(&constant, &symbol)| (symbol, terms.int(constant))).collect()
    }

    /// The symbol for a constant, and what is to be added to it.
    fn symbol(&mut self, terms: &mut Terms, constant: i128) -> (TermId, i128) {
        let near = self.symbols.range(constant - limits::LIFT_NEAR..=constant + limits::LIFT_NEAR).next();
        if let Some((&base, &symbol)) = near {
            return (symbol, constant - base);
        }
        // Its sign is no accident: limits and delays are not negative, whatever they are.
        let bounds = if constant > 0 { (Some(0), None) } else { (None, Some(0)) };
        let symbol = terms.fresh("!large", Sort::Int, bounds);
        self.symbols.insert(constant, symbol);
        (symbol, 0)
    }

    /// A term with symbols in the place of large constants.
    pub fn lift(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        let mut map: HashMap<TermId, TermId> = HashMap::new();
        for id in terms.reachable(&[root]) {
            let lifted = match terms.get(id) {
                Term::AtMost(form, most) if most.abs() > limits::LIFT_SMALL => {
                    let right = self.number(terms, most);
                    terms.le(form, right)
                }
                Term::Equals(form, value) if value.abs() > limits::LIFT_SMALL => {
                    let right = self.number(terms, value);
                    terms.eq(form, right)
                }
                Term::Int(value) if id == root && value.abs() > limits::LIFT_SMALL => self.number(terms, value),
                Term::Sum(sum) if id == root && terms.sum(sum).constant.abs() > limits::LIFT_SMALL => {
                    let sum = terms.sum(sum).clone();
                    let right = self.number(terms, sum.constant);
                    let mut parts = sum.parts;
                    parts.push((right, 1));
                    terms.weighted(&parts, 0)
                }
                _ => continue,
            };
            map.insert(id, lifted);
        }
        terms.substitute(root, &map)
    }

    fn number(&mut self, terms: &mut Terms, constant: i128) -> TermId {
        let (symbol, more) = self.symbol(terms, constant);
        terms.weighted(&[(symbol, 1)], more)
    }
}

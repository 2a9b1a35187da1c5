//! Model cache: does a model that is known already answer a new question?
//!
//! Questions of one abstraction are much alike: a model of one often satisfies the next. Trying a few recent models by
//! evaluating the terms costs far less than a call of the solver. Only that there is a model is learned this way, and the
//! evaluation shows it; nothing rests on where the model came from.

use std::collections::VecDeque;

use crate::eval::{Assignment, Value};
use crate::term::{SymbolId, TermId, Terms};

/// As many models are kept; the one that helped last comes first.
const MOST: usize = 24;

/// After this many trials half of what was counted is forgotten: what pays may change.
const MEMORY: u32 = 256;
/// Where it does not pay, one question in so many is tried all the same.
const RARELY: u32 = 16;

/// Models of earlier questions.
#[derive(Debug, Default)]
pub(crate) struct ModelCache {
    models: VecDeque<Assignment>,
    tried: u32,
    helped: u32,
    left_out: u32,
}

impl ModelCache {
    /// Whether trying models, and fetching them, has been worth its cost of late: where one question in eight is answered so.
    pub(crate) fn pays(&mut self) -> bool {
        if self.tried < MEMORY / 8 || self.helped * 8 >= self.tried {
            return true;
        }
        self.left_out = (self.left_out + 1) % RARELY;
        self.left_out == 0
    }

    /// Whether a model that is known satisfies all of `parts` and what the bounds say about them.
    pub(crate) fn satisfies(&mut self, terms: &mut Terms, parts: &[TermId]) -> bool {
        if self.tried == MEMORY {
            (self.tried, self.helped) = (self.tried / 2, self.helped / 2);
        }
        self.tried += 1;
        let conditions = terms.side_conditions(parts);
        let Some(at) = self.models.iter().position(|model| satisfies(terms, model, parts, &conditions)) else {
            return false;
        };
        if let Some(model) = self.models.remove(at) {
            self.models.push_front(model);
        }
        self.helped += 1;
        true
    }

    /// The different values of `selected` in the known models that satisfy all of `parts`.
    pub(crate) fn rows(&self, terms: &mut Terms, parts: &[TermId], selected: &[TermId]) -> Vec<Vec<bool>> {
        let conditions = terms.side_conditions(&[parts, selected].concat());
        let mut rows: Vec<Vec<bool>> = Vec::new();
        for model in self.models.iter().filter(|model| satisfies(terms, model, parts, &conditions)) {
            let row = selected.iter().map(|&term| truth(terms, term, model)).collect::<Option<Vec<bool>>>();
            rows.extend(row.filter(|row| !rows.contains(row)));
        }
        rows
    }

    /// Keeps a model.
    pub(crate) fn keep(&mut self, symbols: &[SymbolId], values: Vec<Value>) {
        self.models.truncate(MOST - 1);
        let symbols = symbols.iter().copied().zip(values).collect();
        self.models.push_front(Assignment { symbols, ..Assignment::default() });
    }
}

fn satisfies(terms: &Terms, model: &Assignment, parts: &[TermId], conditions: &[TermId]) -> bool {
    parts.iter().chain(conditions).all(|&part| truth(terms, part, model) == Some(true))
}

fn truth(terms: &Terms, term: TermId, model: &Assignment) -> Option<bool> {
    terms.eval(term, model)?.as_bool()
}

//! Which values can terms have together? One model after the other, each excluded for the next.

use tertium_base::Stopped;

use crate::eval::Value;
use crate::queries::{Purpose, Queries};
use crate::solver::Reply;
use crate::term::{TermId, Terms};

impl Queries {
    /// Combinations of integer values of `of`, each once, at most `most`; `None` if that is not all of them.
    ///
    /// # Errors
    /// If the budget is used up.
    pub fn all_values(
        &mut self,
        terms: &mut Terms,
        purpose: Purpose,
        parts: &[TermId],
        of: &[TermId],
        most: usize,
    ) -> Result<Option<Vec<Vec<Value>>>, Stopped> {
        let mut parts = parts.to_vec();
        let mut rows: Vec<Vec<Value>> = Vec::new();
        while rows.len() <= most {
            let (reply, values) = self.model(terms, purpose, &parts, of)?;
            match (reply, values) {
                (Reply::Unsat, _) => {
                    rows.sort();
                    return Ok(Some(rows));
                }
                (Reply::Sat, Some(values)) => {
                    let same: Vec<TermId> =
                        of.iter().zip(&values).filter_map(|(&term, value)| equation(terms, term, value)).collect();
                    if same.len() != of.len() {
                        return Ok(None);
                    }
                    let same = terms.all(&same);
                    parts.push(terms.not(same));
                    rows.push(values);
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// `term = value`.
fn equation(terms: &mut Terms, term: TermId, value: &Value) -> Option<TermId> {
    match value {
        Value::Bool(true) => Some(term),
        Value::Bool(false) => Some(terms.not(term)),
        Value::Int(value) => {
            let value = terms.int(*value);
            Some(terms.eq(term, value))
        }
        Value::Array(..) => None,
    }
}

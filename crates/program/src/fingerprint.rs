//! Is this the program that something was written for?

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::expr::Exprs;
use crate::graph::Program;

/// Tells one program from another: processes that have read different ones do not search together.
#[must_use]
pub fn fingerprint(program: &Program) -> u64 {
    let mut hasher = DefaultHasher::new();
    expression_table(program).hash(&mut hasher);
    let rest = Program { exprs: Exprs::default(), ..program.clone() };
    format!("{rest:?}").hash(&mut hasher);
    hasher.finish()
}

/// The table of expressions, written without its two indices, which repeat what the lists say in an order that differs from run to run. There are no names
/// in a table, so nothing else is written like an index.
fn expression_table(program: &Program) -> String {
    let mut text = format!("{:?}", program.exprs);
    for (index, next) in [(", known: {", ", lists: ["), (", known_lists: {", ", patterns: [")] {
        if let (Some(from), Some(to)) = (text.find(index), text.find(next))
            && from < to
        {
            text.replace_range(from..to, "");
        }
    }
    text
}

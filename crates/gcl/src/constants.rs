//! Which value does a constant have that the text gives another?
//!
//! `-D N=5` puts another value in place of that of `const N`, in the text itself: whoever reads the text again, for another size or to check a certificate, finds the same.

use std::collections::BTreeMap;

use crate::ast::Item;
use crate::lexer::lex;

/// The text with these values of its constants. Each takes as many lines as before, so that places keep their lines.
///
/// ```
/// let text = tertium_gcl::constants::with_values("system s const N = 2 + 1 var x : 0..N", &[("N".to_owned(), "5".to_owned())].into());
/// assert_eq!(text, "system s const N = 5 var x : 0..N");
/// ```
#[must_use]
pub fn with_values(text: &str, values: &BTreeMap<String, String>) -> String {
    let (file, _) = crate::parser::parse(text, &lex(text));
    let mut changes: Vec<(tertium_base::Span, &String)> = file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Const(name, expr) => Some((expr.span, values.get(&name.name)?)),
            _ => None,
        })
        .collect();
    changes.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut changed = text.to_owned();
    for (span, value) in changes {
        let lines = text[span.start..span.end].matches('\n').count();
        changed.replace_range(span.start..span.end, &format!("{value}{}", "\n".repeat(lines)));
    }
    changed
}

/// The constants that a text gives values to.
#[must_use]
pub fn names(text: &str) -> Vec<String> {
    let (file, _) = crate::parser::parse(text, &lex(text));
    let named = file.items.iter().filter_map(|item| match item {
        Item::Const(name, _) => Some(name.name.clone()),
        _ => None,
    });
    named.collect()
}

//! Which questions are asked?
//!
//! Properties come from the command line or stand in the model's file. Each is parsed in its logic;
//! mistakes are shown in the place where the formula was written.

use std::collections::BTreeSet;
use std::sync::Arc;

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, SourceFile, Span};
use tertium_logic::{Formula, Logic, ParseOptions, parse};

use crate::failure::{Failure, Located};

/// A property as it was written.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name, or a made-up one (`p1`, `p2`, …).
    pub name: String,
    /// Whether the user gave the name.
    pub named: bool,
    /// The formula's text.
    pub text: String,
    /// The logic it names.
    pub logic: Option<Logic>,
    /// Where it was written.
    pub source: Arc<SourceFile>,
    /// Where in the source the formula begins.
    pub offset: usize,
}

/// A property whose formula has been read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// As it was written.
    pub property: Property,
    /// What it means.
    pub formula: Formula,
    /// For each atom of the formula where it stands in the property's source.
    pub atom_spans: Vec<Span>,
    /// The same for lattice constants.
    pub element_spans: Vec<Span>,
    /// The same for actions.
    pub action_spans: Vec<Span>,
    /// The same for coalitions.
    pub coalition_spans: Vec<Span>,
}

impl Property {
    /// A property from the command line: `FORMULA`, or `NAME: FORMULA`.
    #[must_use]
    pub fn from_argument(argument: &str, number: usize) -> Self {
        let (name, offset) = match leading_name(argument) {
            Some((name, offset)) => (Some(name), offset),
            None => (None, 0),
        };
        Self {
            named: name.is_some(),
            name: name.map_or_else(|| format!("p{number}"), str::to_owned),
            text: argument[offset..].to_owned(),
            logic: None,
            source: Arc::new(SourceFile::new("<property>", argument)),
            offset,
        }
    }

    /// A formula that stands alone.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self {
            name: "formula".to_owned(),
            named: false,
            text: text.to_owned(),
            logic: None,
            source: Arc::new(SourceFile::new("<formula>", text)),
            offset: 0,
        }
    }

    /// Reads the formula, in `fallback` if the property names no logic itself. `elements` are the truth
    /// values of the user's lattice, which may stand in the formula.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn parse(self, fallback: Option<Logic>, elements: &[String]) -> Result<Parsed, Vec<Located>> {
        let options = ParseOptions { logic: self.logic.or(fallback), elements: elements.to_vec() };
        let parsed = parse(&self.text, &options);
        let Some(formula) = parsed.formula else {
            let offset = self.offset;
            let place = |diagnostic: Diagnostic| Located::within(diagnostic.shifted(offset), &self.source);
            return Err(parsed.diagnostics.into_iter().map(place).collect());
        };
        let shifted = |spans: Vec<Span>| spans.into_iter().map(|span| span.shifted(self.offset)).collect();
        Ok(Parsed {
            formula,
            atom_spans: shifted(parsed.atom_spans),
            element_spans: shifted(parsed.element_spans),
            action_spans: shifted(parsed.action_spans),
            coalition_spans: shifted(parsed.coalition_spans),
            property: self,
        })
    }
}

/// The message for a property that a file does not have.
#[must_use]
pub fn no_such_property(name: &str, own: &[Property]) -> Located {
    let names: Vec<&str> = own.iter().map(|property| property.name.as_str()).collect();
    no_such_name(name, &names, "properties of the file")
}

/// The message for a name that is none of these, which are `what`.
pub(crate) fn no_such_name(name: &str, names: &[&str], what: &str) -> Located {
    let mut mistake = Diagnostic::error("E0307", format!("`--only {name}`: the file has no property of this name"));
    if let Some(close) = closest_name(name, names.iter().copied()) {
        mistake = mistake.help(format!("did you mean `{close}`?"));
    }
    Located::nowhere(match names {
        [] => mistake.note("the file has no properties"),
        names => mistake.note(format!("{what}: {}", names.join(", "))),
    })
}

/// Refuses two questions of one name.
///
/// # Errors
/// The message for the first name that stands for two.
pub fn all_different<'a>(mut names: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
    let mut known = BTreeSet::new();
    let Some(twice) = names.find(|name| !known.insert(*name)) else { return Ok(()) };
    Err(Diagnostic::error("E0333", format!("two properties that are asked have the name `{twice}`"))
        .help("give one of them another name: `-p 'NAME: FORMULA'`")
        .into())
}

/// The name before a colon, and where the formula begins. A colon cannot stand in a formula outside
/// quotes and modalities, which no name contains.
fn leading_name(argument: &str) -> Option<(&str, usize)> {
    let colon = argument.find(':')?;
    let name = argument[..colon].trim();
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_name = !name.is_empty() && name.chars().all(fits);
    is_name.then_some((name, colon + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_stand_before_the_formula() {
        let named = Property::from_argument("safe: AG p", 1);
        assert_eq!((named.name.as_str(), named.text.as_str(), named.named), ("safe", " AG p", true));
        let unnamed = Property::from_argument("AG \"x:1\"", 2);
        assert_eq!((unnamed.name.as_str(), unnamed.text.as_str(), unnamed.named), ("p2", "AG \"x:1\"", false));
    }

    #[test]
    fn mistakes_are_placed_in_what_was_typed() {
        let Err(mistakes) = Property::from_argument("safe: AG (p &", 1).parse(None, &[]) else {
            panic!("accepted");
        };
        let span = mistakes[0].diagnostic.primary.as_ref().map(|label| label.span);
        assert!(span.is_some_and(|span| span.start >= 6), "{span:?}");
    }
}

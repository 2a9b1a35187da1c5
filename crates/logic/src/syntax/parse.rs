//! Which formula does a text mean, and in which logic?
//!
//! With a logic given, the text is read in it. Without, the least of pml, ctl, ltl, ctl*, mu that accepts
//! the text is taken (then atl and atl*, if it speaks of coalitions), except that `[]` and `<>` are never guessed when both their readings parse.
//!
//! Depth is not limited: the parser keeps its own stack. A text may have up to [`LONGEST_TEXT`] bytes.

use tertium_base::{Diagnostic, Span};

use super::stack::{Attempt, parse_tokens};
use super::token::lex;
use crate::formula::{Formula, Logic};

/// Longer texts are refused (E0113); every id then fits its type.
pub const LONGEST_TEXT: usize = 1 << 30;

/// How a text is to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// The logic; if none, it is found out.
    pub logic: Option<Logic>,
    /// Names that are constants of the user's lattice and not atoms.
    pub elements: Vec<String>,
}

impl ParseOptions {
    /// Reads in this logic, without lattice constants.
    #[must_use]
    pub fn in_logic(logic: Logic) -> Self {
        Self { logic: Some(logic), elements: Vec::new() }
    }
}

/// What a text was found to mean.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The formula; none if there are errors.
    pub formula: Option<Formula>,
    /// For each atom of the formula where it stands first.
    pub atom_spans: Vec<Span>,
    /// For each lattice constant of the formula where it stands first.
    pub element_spans: Vec<Span>,
    /// For each action of the formula where it stands first.
    pub action_spans: Vec<Span>,
    /// For each coalition of the formula where it stands first.
    pub coalition_spans: Vec<Span>,
    /// All mistakes found.
    pub diagnostics: Vec<Diagnostic>,
}

impl From<Attempt> for Parsed {
    fn from(attempt: Attempt) -> Self {
        Self {
            formula: attempt.formula,
            atom_spans: attempt.atom_spans,
            element_spans: attempt.element_spans,
            action_spans: attempt.action_spans,
            coalition_spans: attempt.coalition_spans,
            diagnostics: attempt.diagnostics,
        }
    }
}

/// Reads a formula. Never panics and never recurses, whatever the text.
///
/// ```
/// use tertium_logic::{Logic, ParseOptions, parse};
/// let parsed = parse("AG (request -> AF grant)", &ParseOptions::default());
/// assert_eq!(parsed.formula.unwrap().logic(), Logic::Ctl);
/// let parsed = parse("[] p", &ParseOptions::default());
/// assert_eq!(parsed.diagnostics[0].code, "E0110");
/// ```
#[must_use]
pub fn parse(text: &str, options: &ParseOptions) -> Parsed {
    if text.len() > LONGEST_TEXT {
        let diagnostic = Diagnostic::error("E0113", format!("a formula of more than {LONGEST_TEXT} bytes"));
        return Parsed { diagnostics: vec![diagnostic], ..Parsed::default() };
    }
    match options.logic {
        Some(logic) => attempt(text, logic, options).into(),
        None => guess(text, options),
    }
}

fn attempt(text: &str, logic: Logic, options: &ParseOptions) -> Attempt {
    parse_tokens(lex(text, logic), logic, &options.elements)
}

/// Least first; this is the order in which logics are tried.
const TRIED: [Logic; 5] = [Logic::Pml, Logic::Ctl, Logic::Ltl, Logic::CtlStar, Logic::Mu];

fn guess(text: &str, options: &ParseOptions) -> Parsed {
    let first_box = lex(text, Logic::Ltl).first_box;
    let mut failures = Vec::new();
    let strategic = ["<<", "[["].iter().any(|opener| text.contains(opener));
    let strategic: &[Logic] = if strategic { &[Logic::Atl, Logic::AtlStar] } else { &[] };
    for logic in TRIED.into_iter().chain(strategic.iter().copied()) {
        let attempted = attempt(text, logic, options);
        match attempted.formula {
            Some(_) => match first_box {
                Some(place) => return unless_ambiguous(text, options, logic, attempted, place),
                None => return attempted.into(),
            },
            None => failures.push((logic, attempted)),
        }
    }
    closest_failure(failures)
}

/// Two readings of `[]` and `<>` that both parse are an error.
fn unless_ambiguous(text: &str, options: &ParseOptions, found: Logic, attempted: Attempt, place: Span) -> Parsed {
    let others: &[Logic] = match found {
        Logic::Pml | Logic::Mu => &[Logic::Ltl, Logic::CtlStar],
        Logic::Ctl | Logic::Ltl | Logic::CtlStar | Logic::Atl | Logic::AtlStar => &[Logic::Pml, Logic::Mu],
    };
    let other = others.iter().find_map(|&logic| attempt(text, logic, options).formula);
    let (Some(first), Some(second)) = (&attempted.formula, &other) else { return attempted.into() };
    let readings = [first, second].map(|formula| {
        let logic = formula.logic().name();
        format!("with `--logic {logic}` it reads: {}", formula.short_text(120))
    });
    let diagnostic = Diagnostic::error("E0110", "`[]` and `<>` have two meanings, and the formula fits both")
        .at(place, "box or always, diamond or eventually?")
        .note(readings[0].clone())
        .note(readings[1].clone())
        .help(format!("choose with `--logic {}` or `--logic {}`", first.logic().name(), second.logic().name()));
    Parsed { diagnostics: vec![diagnostic], ..Parsed::default() }
}

/// The failed reading that got furthest before its first mistake; it is most likely the one meant.
fn closest_failure(failures: Vec<(Logic, Attempt)>) -> Parsed {
    let first_mistake = |attempt: &Attempt| {
        attempt
            .diagnostics
            .iter()
            .filter_map(|diagnostic| diagnostic.primary.as_ref())
            .map(|label| label.span.start)
            .min()
    };
    let best = failures
        .into_iter()
        .rev()
        .max_by_key(|(_, attempt)| (first_mistake(attempt).unwrap_or(0), std::cmp::Reverse(attempt.diagnostics.len())));
    let Some((logic, attempt)) = best else { return Parsed::default() };
    let mut parsed = Parsed::from(attempt);
    if let Some(first) = parsed.diagnostics.first_mut() {
        first.notes.push(format!("no logic accepts the formula; this is the reading as {}", logic.name()));
    }
    parsed
}

//! User mistakes as values: code, place, cause, help. Rendering is in [`crate::render`].

use crate::source::Span;

/// How bad a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is accepted, but something in it is probably not meant.
    Warning,
    /// Something worth knowing.
    Note,
}

/// A place with a short remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be said of it; may be empty.
    pub text: String,
}

/// One message to the user.
///
/// If only one line of it can be shown, it is `message`; so that line must stand alone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable code such as `E0102`, explained in `docs/errors.md`.
    pub code: &'static str,
    /// What is wrong, in one line.
    pub message: String,
    /// Where; none for mistakes that have no place (a missing file).
    pub primary: Option<Label>,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// Why it is wrong, if the message does not say it.
    pub notes: Vec<String>,
    /// What to do about it.
    pub helps: Vec<String>,
}

impl Diagnostic {
    /// An error without a place; add one with [`Self::at`].
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::of(Severity::Error, code, message)
    }

    /// A warning without a place; add one with [`Self::at`].
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::of(Severity::Warning, code, message)
    }

    /// A note without a place.
    pub fn note_only(code: &'static str, message: impl Into<String>) -> Self {
        Self::of(Severity::Note, code, message)
    }

    fn of(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity,
            code,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// Sets the place and what to say there.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Adds another place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds the cause.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds advice.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }

    /// Whether the input must be refused.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The same message with all places moved `by` bytes to the right.
    pub fn shifted(mut self, by: usize) -> Self {
        for label in self.primary.iter_mut().chain(&mut self.secondary) {
            label.span = label.span.shifted(by);
        }
        self
    }
}

/// The name among `known` that a misspelt `name` most likely means.
///
/// ```
/// use tertium_base::diagnostic::closest_name;
/// assert_eq!(closest_name("redy", ["ready", "busy"]), Some("ready"));
/// assert_eq!(closest_name("x", ["ready", "busy"]), None);
/// ```
#[must_use]
pub fn closest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (edit_distance(name, candidate, limit), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance, or anything above `limit` once it is known to exceed it.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    let b: Vec<char> = b.chars().collect();
    if a.chars().count().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(!from.eq_ignore_ascii_case(&to));
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

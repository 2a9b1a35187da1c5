//! Why is there no result, for scripts?
//!
//! One view of everything that ends a command early, and the four shapes it is written in: a JSON document, a line, SARIF
//! notifications, a JUnit error. None of them has results, so that no script takes "nothing was refuted" for an answer.

use serde::Serialize;
use serde_json::{Value, json};
use tertium_base::diagnostic::{Diagnostic, Label, Severity};
use tertium_base::source::SourceFile;

use crate::view::{SCHEMA_VERSION, Tool};

/// Everything that a command without a result has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailureReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// The file that was to be looked at, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Why there is no result.
    pub error: ErrorView,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorView {
    /// `usage`, `input`, `stopped` or `internal`.
    pub kind: &'static str,
    /// In one line.
    pub message: String,
    /// What the command exits with.
    pub exit_code: u8,
    /// Everything that is wrong, in order; warnings too.
    pub diagnostics: Vec<DiagnosticView>,
}

/// One message to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiagnosticView {
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// The code, explained in `docs/errors.md`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where; the first is the one that it is about.
    pub places: Vec<PlaceView>,
    /// Why it is wrong.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Vec<String>,
}

/// A stretch of text, lines and columns counted from 1 and columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceView {
    /// The file, or a name such as `<property>`.
    pub file: String,
    /// The line of its first character.
    pub line: usize,
    /// The column of its first character.
    pub column: usize,
    /// The line behind its last character.
    pub end_line: usize,
    /// The column behind its last character.
    pub end_column: usize,
    /// What is to be said of it.
    pub text: String,
}

impl FailureReport {
    /// The report of this program in the given version.
    #[must_use]
    pub fn new(version: &str, file: Option<String>, error: ErrorView) -> Self {
        Self { schema_version: SCHEMA_VERSION, tool: Tool::tertium(version), file, error }
    }
}

/// A message with lines and columns instead of bytes.
#[must_use]
pub fn diagnostic(diagnostic: &Diagnostic, source: Option<&SourceFile>) -> DiagnosticView {
    let labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
    DiagnosticView {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        code: diagnostic.code,
        message: diagnostic.message.clone(),
        places: source.map_or_else(Vec::new, |source| labels.map(|label| place(label, source)).collect()),
        notes: diagnostic.notes.clone(),
        help: diagnostic.helps.clone(),
    }
}

fn place(label: &Label, source: &SourceFile) -> PlaceView {
    let (line, column) = source.line_column(label.span.start);
    let (end_line, end_column) = source.line_column(label.span.end.max(label.span.start));
    PlaceView { file: source.name.clone(), line, column, end_line, end_column, text: label.text.clone() }
}

/// As the last line of newline-delimited output.
#[must_use]
pub fn line(report: &FailureReport) -> String {
    #[derive(Serialize)]
    struct Tagged<'a> {
        r#type: &'static str,
        #[serde(flatten)]
        error: &'a ErrorView,
    }
    crate::json::line(&Tagged { r#type: "error", error: &report.error })
}

/// As a SARIF document: an invocation that did not succeed.
#[must_use]
pub fn sarif(report: &FailureReport) -> String {
    let error = &report.error;
    let mut told: Vec<Value> = error.diagnostics.iter().map(notification).collect();
    if told.is_empty() {
        told.push(json!({"level": "error", "message": {"text": error.message}}));
    }
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": report.tool.name, "version": report.tool.version}},
            "invocations": [{
                "executionSuccessful": false,
                "exitCode": error.exit_code,
                "toolExecutionNotifications": told,
            }],
        }],
    });
    crate::json::document(&document)
}

fn notification(view: &DiagnosticView) -> Value {
    let location = |place: &PlaceView| {
        json!({"physicalLocation": {"artifactLocation": {"uri": crate::sarif::uri(&place.file)},
            "region": {"startLine": place.line, "startColumn": place.column,
                "endLine": place.end_line, "endColumn": place.end_column}}})
    };
    let mut entry = json!({"level": view.severity, "descriptor": {"id": view.code},
        "message": {"text": sentences(view).join("; ")}});
    if let Some(place) = view.places.first() {
        entry["locations"] = json!([location(place)]);
    }
    entry
}

/// What a message says, without its places.
fn sentences(view: &DiagnosticView) -> Vec<&str> {
    let rest = view.notes.iter().chain(&view.help);
    std::iter::once(&view.message).chain(rest).map(String::as_str).collect()
}

/// As a JUnit document: one test case that could not be run.
#[must_use]
pub fn junit(report: &FailureReport) -> String {
    use crate::junit::escaped;
    let (error, file) = (&report.error, report.file.as_deref().unwrap_or("tertium"));
    let code = error.diagnostics.first().map_or(error.kind, |first| first.code);
    let mut details = Vec::new();
    for view in &error.diagnostics {
        let at = view.places.first().map_or_else(String::new, |p| format!("{}:{}:{}: ", p.file, p.line, p.column));
        details.push(format!("{at}{}[{}]: {}", view.severity, view.code, sentences(view).join("; ")));
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tertium\">\n  \
         <testsuite name=\"{file}\" tests=\"1\" failures=\"0\" errors=\"1\">\n    \
         <testcase classname=\"{file}\" name=\"{kind}\">\n      \
         <error message=\"{message}\" type=\"{code}\">{details}</error>\n    </testcase>\n  </testsuite>\n</testsuites>\n",
        file = escaped(file),
        kind = error.kind,
        message = escaped(&error.message),
        details = escaped(&details.join("\n")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_base::source::Span;

    fn example() -> FailureReport {
        let source = SourceFile::new("a b.kmts", "init a\na -must-> <b>\n");
        let found =
            Diagnostic::error("E0204", "no state is named `<b>`").at(Span::new(17, 20), "here").help("declare it");
        let error = ErrorView {
            kind: "input",
            message: found.message.clone(),
            exit_code: 2,
            diagnostics: vec![diagnostic(&found, Some(&source))],
        };
        FailureReport::new("1", Some("a b.kmts".to_owned()), error)
    }

    #[test]
    fn places_are_lines_and_columns() {
        let place = example().error.diagnostics[0].places[0].clone();
        assert_eq!((place.line, place.column, place.end_line, place.end_column), (2, 11, 2, 14));
    }

    #[test]
    fn every_shape_says_what_is_wrong_and_where() {
        let report = example();
        let line: Value = serde_json::from_str(&line(&report)).unwrap();
        assert_eq!((&line["type"], &line["exit_code"]), (&json!("error"), &json!(2)));
        let sarif: Value = serde_json::from_str(&sarif(&report)).unwrap();
        let told = &sarif["runs"][0]["invocations"][0];
        assert_eq!(told["executionSuccessful"], json!(false));
        let place = &told["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], json!("a%20b.kmts"));
        let junit = junit(&report);
        assert!(junit.contains("a b.kmts:2:11: error[E0204]: no state is named `&lt;b&gt;`; declare it"), "{junit}");
    }
}

//! Documents for scripts: one JSON object, or one line per result.

use serde::Serialize;

use crate::view::{CheckReport, Input, Ordered, ResultView, Tool};

/// Any report as one indented JSON document with a final newline.
#[must_use]
pub fn document<T: Serialize>(report: &T) -> String {
    let mut text = serde_json::to_string_pretty(report).unwrap_or_else(|error| not_written(&error));
    text.push('\n');
    text
}

/// The first line of newline-delimited output.
#[must_use]
pub fn header_line(tool: &Tool, input: &Input) -> String {
    #[derive(Serialize)]
    struct Header<'a> {
        r#type: &'static str,
        schema_version: u32,
        tool: &'a Tool,
        input: &'a Input,
    }
    line(&Header { r#type: "header", schema_version: crate::view::SCHEMA_VERSION, tool, input })
}

/// The beginning of a phase as one line.
#[must_use]
pub fn phase_line(phase: &str) -> String {
    #[derive(Serialize)]
    struct Phase<'a> {
        r#type: &'static str,
        phase: &'a str,
    }
    line(&Phase { r#type: "phase", phase })
}

/// How far a phase has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProgressView {
    /// States that were found.
    pub states: usize,
    /// States a second.
    pub rate: u64,
    /// States that wait to be looked at.
    pub waiting: usize,
    /// Steps from the start.
    pub depth: usize,
    /// Memory in use.
    pub memory_bytes: usize,
    /// Since the phase began.
    pub elapsed_ms: u64,
}

/// How far a phase has come as one line.
#[must_use]
pub fn progress_line(phase: &str, progress: &ProgressView) -> String {
    #[derive(Serialize)]
    struct Tagged<'a> {
        r#type: &'static str,
        phase: &'a str,
        #[serde(flatten)]
        progress: &'a ProgressView,
    }
    line(&Tagged { r#type: "progress", phase, progress })
}

/// One result as one line.
#[must_use]
pub fn result_line(result: &ResultView) -> String {
    #[derive(Serialize)]
    struct Tagged<'a> {
        r#type: &'static str,
        #[serde(flatten)]
        result: &'a ResultView,
    }
    line(&Tagged { r#type: "result", result })
}

/// The last line of newline-delimited output: how many results of each value.
#[must_use]
pub fn summary_line(report: &CheckReport, exit_code: u8) -> String {
    #[derive(Serialize)]
    struct Summary<'a> {
        r#type: &'static str,
        results: usize,
        exit_code: u8,
        #[serde(skip_serializing_if = "Option::is_none")]
        lattice: Option<&'a crate::view::LatticeView>,
        // Known only when all results are there, and those that it is about have been told.
        #[serde(skip_serializing_if = "Option::is_none")]
        up_to: Option<Ordered<&'a [String]>>,
        warnings: &'a [crate::view::Message],
    }
    let limited = report.results.iter().filter(|view| !view.up_to.is_empty());
    let limited: Vec<_> = limited.map(|view| (view.name.clone(), view.up_to.as_slice())).collect();
    let up_to = (!limited.is_empty()).then_some(Ordered(limited));
    let (lattice, warnings) = (report.lattice.as_ref(), report.warnings.as_slice());
    line(&Summary { r#type: "summary", results: report.results.len(), exit_code, lattice, up_to, warnings })
}

/// Anything as one line.
pub(crate) fn line<T: Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string(value).unwrap_or_else(|error| not_written(&error));
    text.push('\n');
    text
}

/// Views hold strings, numbers and lists only, which always can be written.
fn not_written(error: &serde_json::Error) -> String {
    format!("{{\"error\": \"the report could not be written: {error}\"}}")
}

//! Results for code-scanning services: SARIF 2.1.0, where false is a `fail` and unknown is `open`.

use serde_json::{Value, json};

use crate::build;
use crate::view::{CheckReport, ResultView, RunView, Verdict};

/// The report as one SARIF document.
#[must_use]
pub fn document(report: &CheckReport) -> String {
    let rules: Vec<Value> = report
        .results
        .iter()
        .map(|view| json!({"id": view.name, "shortDescription": {"text": view.formula}}))
        .collect();
    let results: Vec<Value> = report.results.iter().map(|view| result(&report.input.file, view)).collect();
    let stopped = report.results.iter().any(|view| view.stopped.is_some());
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": report.tool.name, "version": report.tool.version, "rules": rules}},
            "invocations": [{"executionSuccessful": !stopped}],
            "results": results,
        }],
    });
    crate::json::document(&document)
}

fn result(file: &str, view: &ResultView) -> Value {
    let (kind, level) = match view.verdict {
        Verdict::Success => ("pass", "none"),
        Verdict::Open => ("open", "none"),
        Verdict::Failure => ("fail", "error"),
    };
    let location = json!({"physicalLocation": {"artifactLocation": {"uri": file}}});
    let mut entry = json!({
        "ruleId": view.name,
        "kind": kind,
        "level": level,
        "message": {"text": message(view)},
        "locations": [location],
    });
    if let Some(run) = &view.evidence.run {
        entry["codeFlows"] = json!([{"threadFlows": [{"locations": flow(file, run)}]}]);
    }
    entry
}

fn message(view: &ResultView) -> String {
    let head = match view.stopped {
        Some(why) => format!("{} was not decided ({why})", view.formula),
        None => format!("{} is {}", view.formula, view.value),
    };
    let reasons: Vec<String> = view.reasons.iter().map(build::explanation).collect();
    if reasons.is_empty() { head } else { format!("{head}: {}", reasons.join("; ")) }
}

fn flow(file: &str, run: &RunView) -> Vec<Value> {
    let step = |(at, step): (usize, &crate::view::StepView)| {
        let text =
            if run.loop_start == Some(at) { format!("{} (loop starts)", step.state) } else { step.state.clone() };
        let place = json!({"artifactLocation": {"uri": file}});
        match &step.step {
            None => json!({"location": {"physicalLocation": place, "message": {"text": text}}}),
            Some(taken) => {
                let text = format!("{}: {}", taken.process, taken.statement);
                let place = json!({"artifactLocation": {"uri": file}, "region": {"startLine": taken.line}});
                json!({"location": {"physicalLocation": place, "message": {"text": text}}})
            }
        }
    };
    run.steps.iter().enumerate().map(step).collect()
}

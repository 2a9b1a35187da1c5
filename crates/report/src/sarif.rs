//! Results for code-scanning services: SARIF 2.1.0, where false is a `fail` and unknown is `open`.

use serde_json::{Map, Value, json};

use crate::build;
use crate::view::{CheckReport, ResultView, RunView, StepView, TakenView, Verdict};

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
    let run = view.evidence.run.as_ref();
    let place =
        run.and_then(last_step).map_or_else(|| json!({"artifactLocation": {"uri": uri(file)}}), |step| at(file, step));
    let mut entry = json!({
        "ruleId": view.name,
        "kind": kind,
        "level": level,
        "message": {"text": message(view)},
        "locations": [{"physicalLocation": place}],
    });
    if let Some(run) = run {
        entry["codeFlows"] = json!([{"message": {"text": about(run)}, "threadFlows": flows(file, run)}]);
    }
    entry
}

fn message(view: &ResultView) -> String {
    let head = match view.stopped {
        Some(why) => format!("{} was not decided ({why})", view.formula),
        None => format!("{} is {}", view.formula, view.value),
    };
    let mut reasons: Vec<String> = view.reasons.iter().map(build::explanation).collect();
    reasons.extend(view.evidence.run.iter().filter_map(|run| run.end.as_ref()).map(|end| end.message.clone()));
    if reasons.is_empty() { head } else { format!("{head}: {}", reasons.join("; ")) }
}

fn about(run: &RunView) -> String {
    let steps = run.steps.len().saturating_sub(1);
    match run.loop_start {
        Some(start) => format!("{steps} steps; from step {start} on they repeat for ever"),
        None => match &run.repeats {
            Some(repeats) => format!("{steps} steps; from step {} on they can be taken for ever", repeats.from),
            None => format!("{steps} steps"),
        },
    }
}

/// The step that the run ends with.
fn last_step(run: &RunView) -> Option<&TakenView> {
    let end = run.end.as_ref().and_then(|end| end.step.as_ref());
    end.or_else(|| run.steps.iter().rev().find_map(|step| step.step.as_ref()))
}

fn at(file: &str, step: &TakenView) -> Value {
    let file = step.file.as_deref().unwrap_or(file);
    json!({"artifactLocation": {"uri": uri(file)}, "region": {"startLine": step.line}})
}

/// One flow per process, in the order in which they first step; the numbers of steps tell how they interleave. A run
/// of a structure is one flow.
fn flows(file: &str, run: &RunView) -> Vec<Value> {
    let mut flows: Vec<(String, Vec<Value>)> = Vec::new();
    let mut previous: Option<&StepView> = None;
    for (number, step) in run.steps.iter().enumerate() {
        let entry = if run.loop_start == Some(number) { " (loop starts)" } else { "" };
        let (name, mut place) = match &step.step {
            Some(taken) => {
                let text = format!("{}: {}{entry}", taken.process, taken.statement);
                (
                    taken.process.clone(),
                    json!({"location": {"physicalLocation": at(file, taken), "message": {"text": text}}}),
                )
            }
            None => {
                let name = if step.values.is_some() { "start" } else { "run" };
                let text =
                    if step.values.is_some() { format!("start{entry}") } else { format!("{}{entry}", step.state) };
                let place = json!({"artifactLocation": {"uri": uri(file)}});
                (name.to_owned(), json!({"location": {"physicalLocation": place, "message": {"text": text}}}))
            }
        };
        place["executionOrder"] = json!(number + 1);
        let state = changed(previous, step);
        if !state.is_empty() {
            place["state"] = Value::Object(state);
        }
        push(&mut flows, name, place);
        previous = Some(step);
    }
    if let Some((end, step)) = run.end.as_ref().and_then(|end| Some((end, end.step.as_ref()?))) {
        let text = format!("{}: {}: {}", step.process, step.statement, end.message);
        let place = json!({"physicalLocation": at(file, step), "message": {"text": text}});
        let order = run.steps.len() + 1;
        push(
            &mut flows,
            step.process.clone(),
            json!({"location": place, "executionOrder": order, "importance": "essential"}),
        );
    }
    flows.into_iter().map(|(id, locations)| json!({"id": id, "locations": locations})).collect()
}

fn push(flows: &mut Vec<(String, Vec<Value>)>, name: String, place: Value) {
    match flows.iter_mut().find(|(known, _)| *known == name) {
        Some((_, places)) => places.push(place),
        None => flows.push((name, vec![place])),
    }
}

/// The values that a step changes, as SARIF writes them.
fn changed(previous: Option<&StepView>, step: &StepView) -> Map<String, Value> {
    let mut state = Map::new();
    let before = previous.and_then(|step| step.values.as_ref());
    for (name, value) in step.values.iter().flat_map(|values| &values.0) {
        if before.is_none_or(|before| before.get(name) != Some(value)) {
            state.insert(name.clone(), json!({"text": value}));
        }
    }
    state
}

/// A path as a relative reference: what would be read as part of a scheme or a query is written as an escape.
pub(crate) fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_reference() {
        assert_eq!(uri("models/my model#1.gcl"), "models/my%20model%231.gcl");
        assert_eq!(uri("c:/ü"), "c%3A/%C3%BC");
    }
}

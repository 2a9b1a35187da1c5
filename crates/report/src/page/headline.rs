//! What is the cause, in a sentence or two?
//!
//! The first thing a reader sees of a result: what happens, where, and why that breaks or leaves open the property.

use super::view::{BlameView, Detail, MovesView};
use crate::view::{EndView, ResultView, RunView, TakenView};

/// The sentences for a result.
#[must_use]
pub fn headline(result: &ResultView, detail: &Detail) -> Vec<String> {
    if let Some(stopped) = result.stopped {
        let limit = match stopped {
            "timeout" => "The time limit was reached",
            "memory" => "The memory limit was reached",
            _ => "The run was interrupted",
        };
        return vec![format!("{limit} before an answer was found; nothing is known about this property.")];
    }
    let mut lines = Vec::new();
    if let Some(run) = &result.evidence.run {
        match &run.end {
            Some(end) => lines.extend(ending(run, end, detail)),
            None => lines.extend(decided(result, run, detail)),
        }
        lines.extend(excluded(detail));
    }
    match result.value.as_str() {
        "true" | "false" => {
            if lines.is_empty() {
                lines.extend(detail.proof.iter().flat_map(|proof| proof.summary.first().cloned()));
            }
        }
        _ => lines.extend(open(result, detail)),
    }
    lines
}

/// How a run ends that cannot go on.
fn ending(run: &RunView, end: &EndView, detail: &Detail) -> Vec<String> {
    let after = steps(run.steps.len() - 1);
    if let Some(step) = &end.step {
        return vec![format!("After {after}, {}: {}.", who(step), end.message)];
    }
    let mut lines = vec![format!("After {after}: {}.", end.message)];
    if let Some(moves) = &detail.moves {
        let waiting = waiting(moves, run.steps.len() - 1);
        if !waiting.is_empty() {
            lines.push(format!("{}.", waiting.join("; ")));
        }
    }
    lines
}

fn steps(count: usize) -> String {
    format!("{count} step{}", if count == 1 { "" } else { "s" })
}

fn who(step: &TakenView) -> String {
    format!("{} in line {} (`{}`)", step.process, step.line, step.statement)
}

/// Where each process waits.
fn waiting(moves: &MovesView, at: usize) -> Vec<String> {
    let Some(next) = moves.at.get(at) else { return Vec::new() };
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for code in next.iter().filter(|&&code| code % 2 == 0) {
        let Some(statement) = moves.statements.get(code / 2) else { continue };
        let told = format!("line {} (`{}`)", statement.line, statement.text);
        match found.iter_mut().find(|(process, _)| *process == statement.process) {
            Some((_, places)) => places.push(told),
            None => found.push((statement.process.clone(), vec![told])),
        }
    }
    found.into_iter().map(|(process, places)| format!("{process} waits at {}", places.join(" or "))).collect()
}

/// What decides the formula along a run.
fn decided(result: &ResultView, run: &RunView, detail: &Detail) -> Vec<String> {
    let Some(cause) = cause(detail) else { return Vec::new() };
    let step = run.steps.get(cause.at).and_then(|step| step.step.as_ref());
    let when = match (cause.at, step) {
        (0, _) => "At the start".to_owned(),
        (at, Some(step)) => format!("At step {at}, after {},", who(step)),
        (at, None) => format!("At step {at}"),
    };
    let word = if cause.value == 't' { "true" } else { "false" };
    let so = format!("so `{}` is {}", result.formula, result.value);
    if !cause.forever {
        return vec![format!("{when} `{}` is {word}; {so}.", cause.formula)];
    }
    let round = match run.loop_start {
        Some(start) if start + 1 == run.steps.len() => format!("the run stays in step {start} for ever"),
        Some(start) => format!("steps {start} to {} repeat for ever", run.steps.len() - 1),
        None => "the run goes on like this".to_owned(),
    };
    let never = if cause.value == 't' { "always" } else { "never" };
    vec![format!("From step {} on `{}` is {never} true: {round}; {so}.", cause.at, cause.formula)]
}

/// The part to name: the first below the temporal operators, or the one whose value lasts.
fn cause(detail: &Detail) -> Option<&BlameView> {
    let last = detail.blame.iter().find(|entry| entry.forever);
    last.or_else(|| {
        let deepest = detail.blame.iter().map(|entry| entry.at).max()?;
        detail.blame.iter().find(|entry| entry.at == deepest)
    })
}

/// Which fairness would leave the loop out.
fn excluded(detail: &Detail) -> Option<String> {
    let starved = |always: bool| -> Vec<&str> {
        let found = detail.fairness.iter().filter(|entry| {
            entry.declared == "none"
                && entry.steps == 0
                && entry.possible > 0
                && (entry.possible == entry.states) == always
        });
        found.map(|entry| entry.process.as_str()).collect()
    };
    match (starved(true), starved(false)) {
        (always, _) if !always.is_empty() => Some(format!(
            "In the loop {} could always step and never does: weak fairness would exclude this run.",
            always.join(", ")
        )),
        (_, sometimes) if !sometimes.is_empty() => Some(format!(
            "In the loop {} could step now and then and never does: strong fairness would exclude this run.",
            sometimes.join(", ")
        )),
        _ => None,
    }
}

fn open(result: &ResultView, detail: &Detail) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(first) = detail.explanations.first() {
        lines.push(sentence(first));
    }
    let ways: Vec<String> = detail
        .open
        .iter()
        .flat_map(|open| &open.variants)
        .filter(|variant| matches!(variant.value.as_str(), "true" | "false"))
        .map(|variant| format!("If {}, the property is {}.", variant.change, variant.value))
        .collect();
    let missing: Vec<String> =
        detail.open.iter().flat_map(|open| &open.missing).map(|condition| format!("`{condition}`")).collect();
    if !missing.is_empty() {
        lines.push(format!(
            "No predicate tells whether {} holds there; adding it may decide this.",
            missing.join(" or ")
        ));
    } else if !ways.is_empty() {
        lines.push(ways.join(" "));
    } else if let Some(advice) = result.decide.first() {
        lines.push(sentence(&format!("To decide it: {advice}")));
    }
    lines
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|letter| letter.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

//! What is the cause, in a sentence or two?
//!
//! The first thing a reader sees of a result: what happens, where, and why that breaks or leaves open the property.

use super::view::{BlameView, Detail, MovesView};
use crate::view::{EndView, ResultView, RunView, SizesView, TakenView, ValueView};
use tertium_lattice::Belnap;

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
        if lines.is_empty() {
            lines.push(shown(run, result.value.word()));
        }
        lines.extend(excluded(detail));
    }
    lines.extend(failing(result));
    if let Some(sizes) = result.sizes.as_ref().filter(|_| result.value.is_definite()) {
        lines.insert(0, of_size(sizes));
    }
    match &result.value {
        ValueView::Belnap(Belnap::True | Belnap::False) => {
            if lines.is_empty() {
                lines.extend(detail.proof.iter().flat_map(|proof| proof.summary.first().cloned()));
            }
        }
        ValueView::Belnap(Belnap::Unknown | Belnap::Both) => lines.extend(open(result, detail)),
        ValueView::Element(element) => {
            lines.push(format!("The value is the element `{element}` of the structure's lattice."))
        }
    }
    lines
}

/// For which members of a family, or from which initial state, it fails; up to which faults it holds.
fn failing(result: &ResultView) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(case) = &result.failing_case {
        let members: Vec<String> = case.0.iter().map(|(name, number)| format!("{name} = {number}")).collect();
        lines.push(format!("It fails for {}.", members.join(", ")));
    }
    if let Some(start) = &result.fails_from {
        let assigned = |(name, value): &(String, String)| {
            if name.ends_with('@') { format!("{name}{value}") } else { format!("{name}={value}") }
        };
        let values: Vec<String> = start.values.0.iter().map(assigned).collect();
        let reached = start.reached.map_or(String::new(), |count| format!(", from which {count} states are reached"));
        lines.push(format!("It fails from the initial state {}{reached}.", values.join(" ")));
    }
    if !result.up_to.is_empty() {
        lines.push(format!("Runs end in a fault ({}): it holds on every run up to there.", result.up_to.join(", ")));
    }
    lines
}

/// For which size of the system the answer holds.
fn of_size(sizes: &SizesView) -> String {
    match sizes.value {
        Some(value) => format!("This is the system with {} = {value}.", sizes.constant),
        None => format!("This holds for every {} >= {}.", sizes.constant, sizes.at_least),
    }
}

/// That a run shows the answer, where there is no formula to say more.
fn shown(run: &RunView, value: &str) -> String {
    match run.loop_start {
        Some(start) if start + 1 < run.steps.len() => {
            format!("The run shows that it is {value}: steps {start} to {} repeat for ever.", run.steps.len() - 1)
        }
        Some(start) => format!("The run shows that it is {value}: it stays in step {start} for ever."),
        None if run.repeats.is_some() => {
            let again = run.repeats.iter().flat_map(crate::text::repeated).collect::<Vec<_>>().join(" ");
            format!("The run shows that it is {value}: {again}.")
        }
        None => format!("The run of {} shows that it is {value}.", steps(run.steps.len() - 1)),
    }
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
        .filter(|variant| variant.value.is_definite())
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

/// With its full stop. The first letter stays: it may be that of a name.
fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::view::{FairView, WaysView};
    use crate::view::{EvidenceView, Ordered, ResultView, StepView};

    fn result(value: impl Into<ValueView>, steps: usize, loop_start: Option<usize>) -> ResultView {
        let step = |at: usize| StepView { state: at.to_string(), labels: Ordered::default(), step: None, values: None };
        let run = RunView { steps: (0..steps).map(step).collect(), loop_start, end: None, repeats: None };
        let mut result = ResultView::not_begun("p", "G F q", "ltl", "timeout");
        (result.value, result.stopped) = (value.into(), None);
        result.evidence = EvidenceView { run: (steps > 0).then_some(run), ..EvidenceView::none() };
        result
    }

    #[test]
    fn a_loop_that_starves_a_process_says_which_fairness_would_help() {
        let blame = BlameView { at: 1, row: 1, formula: "q".to_owned(), value: 'f', forever: true };
        let starved = FairView {
            process: "P".to_owned(),
            declared: "none",
            steps: 0,
            possible: 2,
            states: 2,
            remark: String::new(),
        };
        let detail = Detail { blame: vec![blame], fairness: vec![starved], ..Detail::default() };
        let lines = headline(&result(Belnap::False, 4, Some(2)), &detail);
        assert_eq!(lines[0], "From step 1 on `q` is never true: steps 2 to 3 repeat for ever; so `G F q` is false.");
        assert!(lines[1].contains("P could always step and never does: weak fairness"), "{lines:?}");
    }

    #[test]
    fn an_unknown_names_the_missing_condition_and_keeps_names_as_they_are() {
        let open = WaysView { missing: vec!["t <= y".to_owned()], ..WaysView::default() };
        let explanations = vec!["next has no bounds".to_owned()];
        let lines = headline(
            &result(Belnap::Unknown, 0, None),
            &Detail { explanations, open: Some(open), ..Detail::default() },
        );
        assert_eq!(lines[0], "next has no bounds.");
        assert!(lines[1].contains("`t <= y`"), "{lines:?}");
    }

    #[test]
    fn a_run_without_a_formula_and_an_element_of_a_lattice_have_a_line() {
        let lines = headline(&result(Belnap::False, 3, None), &Detail::default());
        assert_eq!(lines, ["The run of 2 steps shows that it is false."]);
        let lines = headline(&result(ValueView::Element("tu".to_owned()), 0, None), &Detail::default());
        assert_eq!(lines, ["The value is the element `tu` of the structure's lattice."]);
    }
}

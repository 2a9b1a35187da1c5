//! The answer to one property, and the line that sums a run up.

use super::{counted, indented, run, shortened};
use crate::build;
use crate::style::{Role, Style, role_of, safe};
use tertium_lattice::Belnap;

use crate::view::{CheckReport, CompletionView, CutStepView, CutView, OpenView, ResultView, Verdict};

/// Verdict words are padded to this width, so that formulas stand in one column.
const VERDICT_WIDTH: usize = 9;
/// Formulas longer than this are cut unless the user asks for all of it.
const LONGEST_FORMULA: usize = 90;

/// Answers to a query that are shown if nobody asks for more.
const MOST_FORMULAS: usize = 12;
/// States of a run over a lattice that are shown if nobody asks for more.
const LONGEST_CUT_RUN: usize = 8;

/// The line above the results.
#[must_use]
pub fn heading(file: &str, description: &str, style: Style) -> String {
    format!("{}  {}\n\n", style.paint(Role::Strong, &safe(file)), style.paint(Role::Faint, &safe(description)))
}

/// One result with what explains it.
#[must_use]
pub fn result(view: &ResultView, style: Style) -> String {
    let mut text = verdict_line(view, style);
    text.push_str(&indented(&explanation(view, style), VERDICT_WIDTH + 2));
    text
}

/// One result in one line.
#[must_use]
pub fn short_result(view: &ResultView, style: Style) -> String {
    let line = verdict_line(view, style);
    match &view.expected {
        Some(expected) if view.verdict != Verdict::Success => {
            format!("{}   {}\n", line.trim_end(), style.paint(Role::Bad, &format!("expected {}", safe(expected))))
        }
        _ => line,
    }
}

fn verdict_line(view: &ResultView, style: Style) -> String {
    let word = if view.stopped.is_some() { "stopped" } else { view.value.word() };
    let padded = format!("{:<VERDICT_WIDTH$}", safe(word));
    let role = if view.stopped.is_some() { Role::Open } else { role_of(word) };
    let formula = safe(&view.formula);
    let formula = if style.verbose { formula } else { shortened(&formula, LONGEST_FORMULA) };
    let name = if view.show_name { format!("{}: ", safe(&view.name)) } else { String::new() };
    let at = view.state.as_ref().map_or_else(String::new, |state| format!("   at {}", safe(state)));
    format!("  {}{name}{}{}\n", style.paint(role, &padded), formula, style.paint(Role::Faint, &at))
}

fn explanation(view: &ResultView, style: Style) -> String {
    let mut text = String::new();
    for warning in &view.warnings {
        let head = style.paint(Role::Warning, &format!("warning[{}]", warning.code));
        text.push_str(&format!("{head}: {}\n", safe(&warning.message)));
    }
    if let Some(expected) = &view.expected {
        text.push_str(&expectation(view, expected, style));
    }
    if let Some(stopped) = view.stopped {
        text.push_str(stopped_line(stopped));
    }
    if let Some(case) = &view.failing_case {
        let members: Vec<String> = case.0.iter().map(|(name, number)| format!("{name} = {number}")).collect();
        text.push_str(&entry("for", &members.join(", "), style));
    }
    if let Some(run) = &view.evidence.run {
        text.push_str(&run::table(run, style));
    }
    text.push_str(&failing_start(view, style));
    text.push_str(&query(view, style));
    text.push_str(&cuts(view, style));
    text.push_str(&conditions(view, style));
    text.push_str(&openness(view, style));
    text.push_str(&two_states(view, style));
    text.push_str(&completions(view, style));
    text.push_str(&proof_line(view, style));
    text.push_str(&rounds(view, style));
    if !view.ranking.is_empty() {
        let why = format!("a counterexample would {}", decreasing(&view.ranking));
        text.push_str(&entry("because", &why, style));
    }
    text.push_str(&established(view, style));
    if let Some(per_state) = &view.per_state {
        text.push_str(&states_table(&per_state.0, style));
    }
    for command in &view.next {
        text.push_str(&entry("try", command, style));
    }
    if style.verbose {
        text.push_str(&cost_line(view, style));
    }
    text
}

fn entry(head: &str, body: &str, style: Style) -> String {
    format!("{} {}\n", style.paint(Role::Faint, &format!("{head:<8}")), safe(body))
}

/// Two states that an abstract one stands for, and what tells them apart.
fn two_states(view: &ResultView, style: Style) -> String {
    let Some(found) = &view.two_states else { return String::new() };
    let mut text = entry("between", &format!("two states of {}", found.of), style);
    for state in &found.states {
        let values: Vec<String> = state.values.0.iter().map(|(name, value)| run::assigned(name, value)).collect();
        text.push_str(&entry("", &format!("{}: {}", values.join(" "), state.does), style));
    }
    if !found.missing.is_empty() {
        let conditions: Vec<String> = found.missing.iter().map(|condition| format!("`{condition}`")).collect();
        text.push_str(&entry("", &format!("told apart by {}", conditions.join(" or ")), style));
    }
    text
}

/// The initial state from which it fails, and what is reached from there.
fn failing_start(view: &ResultView, style: Style) -> String {
    let Some(start) = &view.fails_from else { return String::new() };
    let values: Vec<String> = start.values.0.iter().map(|(name, value)| run::assigned(name, value)).collect();
    let mut text = entry("fails", &format!("from the initial state {}", values.join(" ")), style);
    if let Some(reached) = start.reached {
        let shown = start.places.len().min(FEW_LINES);
        let more = if shown < start.places.len() { ", …" } else { "" };
        let places = start.places[..shown].join(", ");
        let told = format!("{} from there: {places}{more}", counted(reached, "state"));
        text.push_str(&entry("reached", &told, style));
    }
    text
}

fn expectation(view: &ResultView, expected: &str, style: Style) -> String {
    match view.verdict {
        Verdict::Success => entry("expected", "as it is", style),
        _ => format!("{} {expected}, found {}\n", style.paint(Role::Bad, "expected"), view.value),
    }
}

fn stopped_line(stopped: &str) -> &'static str {
    match stopped {
        "timeout" => "the time limit was reached before an answer was found\n",
        "memory" => "the memory limit was reached before an answer was found\n",
        "interrupted" => "interrupted before an answer was found\n",
        _ => "a limit was reached before an answer was found\n",
    }
}

/// What a query's placeholder stands for, one formula a line.
fn query(view: &ResultView, style: Style) -> String {
    let Some(query) = &view.query else { return String::new() };
    let mut text = formulas("? =", &query.strongest, style);
    if let Some(open) = &query.not_refuted {
        text.push_str(&formulas("open", open, style));
    }
    text
}

fn formulas(head: &str, formulas: &[String], style: Style) -> String {
    let shown = if style.verbose { formulas.len() } else { formulas.len().min(MOST_FORMULAS) };
    let mut text = String::new();
    for (at, formula) in formulas[..shown].iter().enumerate() {
        text.push_str(&entry(if at == 0 { head } else { "or" }, formula, style));
    }
    if shown < formulas.len() {
        text.push_str(&entry("", &format!("({} more; -v shows them)", formulas.len() - shown), style));
    }
    if formulas.is_empty() {
        text.push_str(&entry(head, "no formula", style));
    }
    text
}

/// Over a lattice: one line for each element from which the value follows.
fn cuts(view: &ResultView, style: Style) -> String {
    let mut text = String::new();
    for (at, cut) in view.cuts.iter().enumerate() {
        let not = if cut.above { "" } else { "not " };
        let head = if at == 0 { "because" } else { "and" };
        text.push_str(&entry(
            head,
            &format!("{not}at least {} at {}{}", cut.element, cut.state, along(cut, style)),
            style,
        ));
    }
    text
}

/// A run over a lattice in one line: states with their labels, and values of edges.
fn along(cut: &CutView, style: Style) -> String {
    if cut.run.is_empty() {
        return String::new();
    }
    let shown = if style.verbose { cut.run.len() } else { cut.run.len().min(LONGEST_CUT_RUN) };
    let mut text = ": ".to_owned();
    for (at, step) in cut.run[..shown].iter().enumerate() {
        text.push_str(&labelled(step));
        match (&step.edge, cut.loop_start) {
            (Some(value), _) if at + 1 < cut.run.len() => text.push_str(&format!(" -[{value}]-> ")),
            (Some(value), Some(entry)) => text.push_str(&format!(" -[{value}]-> {}, for ever", cut.run[entry].state)),
            _ => {}
        }
    }
    if shown < cut.run.len() {
        text.push_str(&format!("... ({} more; -v shows them)", cut.run.len() - shown));
    }
    text
}

fn labelled(step: &CutStepView) -> String {
    let values: Vec<String> = step.labels.0.iter().map(|(prop, value)| format!("{prop}: {value}")).collect();
    if values.is_empty() { step.state.clone() } else { format!("{} ({})", step.state, values.join(", ")) }
}

fn conditions(view: &ResultView, style: Style) -> String {
    let Some(condition) = &view.condition else { return String::new() };
    let mut text = String::new();
    for (value, when) in &condition.0 {
        text.push_str(&format!("{} iff {}\n", style.paint(role_of(value), &format!("{value:<8}")), safe(when)));
    }
    text
}

fn openness(view: &ResultView, style: Style) -> String {
    let mut text = String::new();
    let shown = if style.verbose { view.reasons.len() } else { 3 };
    for (at, reason) in view.reasons.iter().take(shown).enumerate() {
        text.push_str(&entry(if at == 0 { "because" } else { "also" }, &build::explanation(reason), style));
    }
    if view.reasons.len() > shown {
        text.push_str(&entry("", &format!("({} more; -v shows them)", view.reasons.len() - shown), style));
    }
    if let Some(open) = &view.open {
        text.push_str(&play(open, style));
    }
    for advice in &view.decide {
        text.push_str(&entry("to do", advice, style));
    }
    text
}

/// The play as one line per state: consecutive questions at one state are told by the first.
fn play(open: &OpenView, style: Style) -> String {
    let mut lines: Vec<(usize, String, String)> = Vec::new();
    for (at, step) in open.play.iter().enumerate() {
        let formula = shortened(&safe(&step.formula), 60);
        let question = if step.asks { formula } else { format!("not {formula}") };
        match lines.last_mut() {
            Some((_, state, _)) if *state == safe(&step.state) && open.loop_start != Some(at) => {}
            _ => lines.push((at, safe(&step.state), question)),
        }
    }
    if lines.len() < 2 && open.loop_start.is_none() {
        return String::new();
    }
    let width = lines.iter().map(|(_, state, _)| state.chars().count()).max().unwrap_or(0).min(30);
    let shown = if style.verbose { lines.len() } else { lines.len().min(16) };
    let mut text = String::new();
    for (number, (at, state, question)) in lines[..shown].iter().enumerate() {
        let head = if number == 0 { "path" } else { "" };
        let mark = if open.loop_start == Some(*at) { "  <- loop" } else { "" };
        let asked_before = number > 0 && lines[number - 1].2 == *question;
        let silent = open.loop_start.is_some() || asked_before;
        let asked = if silent { String::new() } else { format!("  {question}?") };
        text.push_str(&entry(head, format!("{state:<width$}{asked}{mark}").trim_end(), style));
    }
    if shown < lines.len() {
        text.push_str(&entry("", &format!("({} more; -v shows them)", lines.len() - shown), style));
    }
    text
}

fn completions(view: &ResultView, style: Style) -> String {
    let line = |completion: &CompletionView| {
        let verb = if completion.value == "true" { "satisfies" } else { "violates" };
        let file = completion.file.as_ref().map_or_else(String::new, |file| format!(": {file}"));
        let (states, steps) = (counted(completion.states, "state"), counted(completion.transitions, "transition"));
        let head = if view.reading.semantics == "module" { "environment" } else { "complete" };
        entry(head, &format!("one with {states}, {steps} {verb} it{file}"), style)
    };
    view.evidence.completions.iter().map(line).collect()
}

fn proof_line(view: &ResultView, style: Style) -> String {
    let checked = if view.evidence.checked { ", checked" } else { "" };
    match (&view.evidence.file, view.evidence.kind) {
        (_, "none") => String::new(),
        (Some(file), kind) => entry("evidence", &format!("{kind}{checked}: {file}"), style),
        (None, kind) if style.verbose => entry("evidence", &format!("{kind}{checked}"), style),
        _ => String::new(),
    }
}

/// What a counterexample would do with ranking functions, and cannot.
#[must_use]
pub fn decreasing(ranking: &[String]) -> String {
    match ranking {
        [only] => format!("decrease the ranking function `{only}` for ever"),
        several => format!("decrease one of the ranking functions `{}` for ever", several.join("`, `")),
    }
}

/// What is known of all states although the property is open.
fn established(view: &ResultView, style: Style) -> String {
    let shown = if style.verbose { view.established.len() } else { view.established.len().min(FEW_LINES) };
    let mut text = String::new();
    for (at, line) in view.established[..shown].iter().enumerate() {
        let line = if style.verbose { line.clone() } else { shortened(line, LONGEST_LINE) };
        text.push_str(&entry(if at == 0 { "known" } else { "" }, &line, style));
    }
    if shown < view.established.len() {
        let more = format!("({} more places; -v shows them)", view.established.len() - shown);
        text.push_str(&entry("", &more, style));
    }
    text
}

/// Lines of what is known that are shown if nobody asks for more, and how long they are.
const FEW_LINES: usize = 4;
const LONGEST_LINE: usize = 100;

fn rounds(view: &ResultView, style: Style) -> String {
    let mut text = String::new();
    if let Some(choice) = &view.choice {
        text.push_str(&entry("found", choice, style));
    }
    if style.verbose && !(view.left_out.is_empty() && view.left_out_processes.is_empty()) {
        let processes = view.left_out_processes.iter().map(|name| format!("process `{name}`"));
        let names: Vec<String> = processes.chain(view.left_out.iter().map(|name| format!("`{name}`"))).collect();
        text.push_str(&entry("left out", &format!("{} cannot matter: not looked at", names.join(", ")), style));
    }
    if let Some(part) = view.on_demand {
        let left = if part.left == 0 { String::new() } else { format!(", {} more left alone", part.left) };
        let made = format!("on the fly: {} made{left}", counted(part.made, "abstract state"));
        text.push_str(&entry("looked at", &made, style));
    }
    if view.rounds.is_empty() {
        return text;
    }
    if !style.verbose {
        // What was stopped counts the states of whoever saw most of them, and these need not be abstract.
        let last = view.rounds.last().map(|round| round.states).filter(|_| view.stopped.is_some());
        let cost = format!(
            "{}, {}, {}, {}",
            counted(view.stats.refinements, "refinement"),
            counted(view.stats.predicates, "predicate"),
            counted(last.unwrap_or(view.stats.states), "abstract state"),
            counted(view.stats.solver_calls, "solver call"),
        );
        text.push_str(&entry("rounds", &cost, style));
        return text;
    }
    for (number, round) in view.rounds.iter().enumerate() {
        let news = if round.predicates.is_empty() { "none".to_owned() } else { round.predicates.join(", ") };
        let news = match round.processes.join(", ") {
            none if none.is_empty() => news,
            processes => format!("{news}; new processes: {processes}"),
        };
        let news = match round.parameters {
            0 => news,
            count => format!("{news}; {} for unknown values", counted(count, "name")),
        };
        let cost =
            format!("{}, {}", counted(round.states, "abstract state"), counted(round.solver_calls, "solver call"));
        text.push_str(&entry(&format!("round {number}"), &format!("{cost}; new predicates: {news}"), style));
        if let Some(open) = &round.open {
            text.push_str(&entry("", open, style));
        }
    }
    text
}

fn states_table(values: &[(String, String)], style: Style) -> String {
    const SHOWN: usize = 40;
    let shown = if style.verbose { values.len() } else { values.len().min(SHOWN) };
    let width = values[..shown].iter().map(|(state, _)| safe(state).chars().count()).max().unwrap_or(0).min(40);
    let mut text = String::new();
    for (state, value) in &values[..shown] {
        text.push_str(&format!("{:<width$}  {}\n", safe(state), style.paint(role_of(value), &safe(value))));
    }
    if shown < values.len() {
        text.push_str(&format!("({} more states; -v shows them)\n", values.len() - shown));
    }
    text
}

fn cost_line(view: &ResultView, style: Style) -> String {
    let ltl = view.reading.ltl.map_or_else(String::new, |ltl| format!(", ltl {ltl}"));
    let cost = format!(
        "{}, by {}, deadlock {}{ltl}; {}, {}, {} ms",
        view.logic,
        view.provenance.phrase(),
        view.reading.deadlock,
        counted(view.stats.states, "state"),
        counted(view.stats.transitions, "transition"),
        view.stats.time_ms
    );
    format!("{}\n", style.paint(Role::Faint, &cost))
}

/// The last line: how many of each.
#[must_use]
pub fn summary(report: &CheckReport, time_ms: u64, style: Style) -> String {
    let count = |test: &dyn Fn(&ResultView) -> bool| report.results.iter().filter(|view| test(view)).count();
    let of = |word: &str| count(&|view| view.stopped.is_none() && view.value.word() == word);
    let mut words: Vec<&str> = vec!["true", "false", "unknown", "both"];
    for view in &report.results {
        if !words.contains(&view.value.word()) {
            words.push(view.value.word());
        }
    }
    let mut parts = Vec::new();
    for word in words {
        let number = of(word);
        if number > 0 {
            parts.push(style.paint(role_of(word), &format!("{number} {}", safe(word))));
        }
    }
    let stopped = count(&|view| view.stopped.is_some());
    if stopped > 0 {
        parts.push(style.paint(Role::Open, &format!("{stopped} stopped")));
    }
    let missed = count(&|view| view.expected.is_some() && view.verdict != Verdict::Success);
    if missed > 0 {
        parts.push(style.paint(Role::Bad, &format!("{missed} not as expected")));
    }
    // A search that was stopped before it began has seen nothing; the first one that came further tells the size.
    let seen = report.results.iter().map(|view| &view.stats).find(|stats| stats.states > 0);
    let (states, transitions) = seen.map_or((0, 0), |stats| (stats.states, stats.transitions));
    let cost = format!("({}, {}, {time_ms} ms)", counted(states, "state"), counted(transitions, "transition"));
    format!(
        "\n{}: {}  {}\n{}{}",
        counted_properties(report.results.len()),
        parts.join(", "),
        style.paint(Role::Faint, &cost),
        decided_by(report, style),
        up_to_faults(report, style),
    )
}

/// What is true of runs that end in a fault is true up to that fault.
fn up_to_faults(report: &CheckReport, style: Style) -> String {
    let limited: Vec<&ResultView> = report.results.iter().filter(|view| !view.up_to.is_empty()).collect();
    let Some(first) = limited.first() else { return String::new() };
    let names = limited.iter().map(|view| safe(&view.name)).collect::<Vec<_>>().join(", ");
    let verb = if limited.len() == 1 { "holds" } else { "hold" };
    let told =
        format!("runs end in a fault ({}): {names} {verb} on every run, up to that fault", first.up_to.join(", "));
    format!("{}\n", style.paint(Role::Faint, &told))
}

/// Which techniques decided what is decided; each with the number of properties if there are several.
fn decided_by(report: &CheckReport, style: Style) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for view in report.results.iter().filter(|view| view.stopped.is_none() && !view.value.is(Belnap::Unknown)) {
        let phrase = view.provenance.phrase();
        match counts.iter_mut().find(|(known, _)| *known == phrase) {
            Some((_, count)) => *count += 1,
            None => counts.push((phrase, 1)),
        }
    }
    let told: Vec<String> = match counts.as_slice() {
        [] => return String::new(),
        [(only, _)] => vec![only.clone()],
        _ => counts.iter().map(|(phrase, count)| format!("{phrase}: {count}")).collect(),
    };
    format!("{}\n", style.paint(Role::Faint, &format!("decided by {}", told.join("; "))))
}

fn counted_properties(number: usize) -> String {
    if number == 1 { "1 property".to_owned() } else { format!("{number} properties") }
}

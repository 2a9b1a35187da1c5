//! An approximation in guarded commands.
//!
//! Predicates are `bool` in the over-approximation; in the under-approximation `0` is false, `1` true and `2` unknown. A process `Rest` of
//! the over-approximation stays where the program may be unable to step.

use tertium_abstraction::approximation::ApproximatedStep;
use tertium_abstraction::assignments::Assignment;
use tertium_lattice::Kleene;
use tertium_program::LocationId;

use super::formulas::{SourceWords, all, any, of_cubes};
use super::{Approximation, KeptCell, Parts, SourceProcess, SourceProperty, SourceStep};

/// Words that are no names of what is written, besides the keywords: those of formulas, and those that the source has itself.
pub(super) const RESERVED: &[&str] = &["forall", "Rest", "rest", "end", "A", "E", "F", "G", "X", "U", "R", "W", "M"];

/// How guarded commands say it.
pub(super) struct Words<'p>(pub &'p Parts);

impl SourceWords for Words<'_> {
    fn parts(&self) -> &Parts {
        self.0
    }

    fn kept_is(&self, cell: usize, value: i128) -> String {
        kept_is(&self.0.kept[cell], value)
    }

    fn equals(&self, name: &str, value: u8) -> String {
        format!("{name} = {value}")
    }

    fn stands(&self, process: &SourceProcess, location: LocationId, there: bool) -> String {
        let text = format!("{}@{}", process.name, process.places[location.index()]);
        if there { text } else { format!("!{text}") }
    }

    fn temporal(&self) -> [&'static str; 5] {
        ["G", "F", "U", "R", "X"]
    }
}

/// The whole source.
pub(super) fn text(parts: &Parts, properties: &[SourceProperty]) -> String {
    let words = Words(parts);
    let mut text = format!("// {}\n", parts.title);
    for (at, predicate) in parts.predicates.iter().enumerate() {
        text.push_str(&format!("// B{}: {}\n", at + 1, predicate.replace(['\n', '\r'], " ")));
    }
    text.push_str(&format!("system {}\n\n", parts.name));
    declare(parts, &mut text);
    for number in 0..parts.processes.len() {
        process(parts, &words, number, &mut text);
    }
    if parts.side == Approximation::Over {
        let rest = parts.may_rest(&words, &|step| case(parts, step));
        if rest != "false" {
            text.push_str("// Runs of the program may end here.\n");
            text.push_str(&format!("process Rest {{\n  rest: loop {{ when {rest} do skip; }}\n}}\n\n"));
        }
    }
    for property in properties {
        match &property.formula {
            Err(why) => text.push_str(&format!("// left out: {}: {why}\n", property.name)),
            Ok(formula) if parts.side == Approximation::Under && !property.invariant => {
                text.push_str(&format!("property {} : ltl (F deadlock) || ({formula})\n", property.name));
            }
            Ok(formula) => text.push_str(&format!("property {} : ltl {formula}\n", property.name)),
        }
    }
    text
}

fn kept_value(kept: &KeptCell, value: i128) -> String {
    if kept.truth { (value != 0).to_string() } else { value.to_string() }
}

fn kept_is(kept: &KeptCell, value: i128) -> String {
    match (kept.truth, value != 0) {
        (true, true) => kept.name.clone(),
        (true, false) => format!("!{}", kept.name),
        (false, _) => format!("{} = {value}", kept.name),
    }
}

fn predicate_value(side: Approximation, value: Kleene) -> Option<&'static str> {
    match (side, value) {
        (Approximation::Over, Kleene::True) => Some("true"),
        (Approximation::Over, Kleene::False) => Some("false"),
        (Approximation::Over, Kleene::Unknown) => None,
        (Approximation::Under, Kleene::True) => Some("1"),
        (Approximation::Under, Kleene::False) => Some("0"),
        (Approximation::Under, Kleene::Unknown) => Some("2"),
    }
}

fn declare(parts: &Parts, text: &mut String) {
    let only = match parts.initial.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    let ty = if parts.side == Approximation::Over { "bool" } else { "0..2" };
    for at in 0..parts.predicates.len() {
        let value = only.and_then(|(_, cube)| predicate_value(parts.side, cube[at]));
        let value = value.map_or_else(String::new, |value| format!(" = {value}"));
        text.push_str(&format!("var B{} : {ty}{value}\n", at + 1));
    }
    for (at, kept) in parts.kept.iter().enumerate() {
        let ty = if kept.truth { "bool".to_owned() } else { format!("{}..{}", kept.bounds.0, kept.bounds.1) };
        let value = only.map_or_else(String::new, |(values, _)| format!(" = {}", kept_value(kept, values[at])));
        text.push_str(&format!("var {} : {ty}{value}\n", kept.name));
    }
    if only.is_none() {
        let words = Words(parts);
        let start = |(values, cube): &(Vec<i128>, Vec<Kleene>)| {
            let kept = parts.kept.iter().zip(values).map(|(kept, &value)| kept_is(kept, value));
            let known = cube.iter().enumerate().filter_map(|(at, value)| match value {
                Kleene::True => Some(words.literal(at, true)),
                Kleene::False => Some(words.literal(at, false)),
                Kleene::Unknown => (parts.side == Approximation::Under).then(|| format!("B{} = 2", at + 1)),
            });
            all(&kept.chain(known).collect::<Vec<_>>())
        };
        text.push_str(&format!("init {}\n", any(&parts.initial.iter().map(start).collect::<Vec<_>>())));
    }
    text.push('\n');
}

fn case(parts: &Parts, step: &ApproximatedStep) -> String {
    all(&step.case.iter().map(|&(at, value)| kept_is(&parts.kept[at], value)).collect::<Vec<_>>())
}

fn process(parts: &Parts, words: &Words<'_>, number: usize, text: &mut String) {
    let process = &parts.processes[number];
    text.push_str(&format!("process {} {{\n", process.name));
    let open = |step: &SourceStep| step.step.assignments.iter().filter(|one| is_partly_open(one)).count();
    let own = parts.steps.iter().filter(|step| step.process == number);
    let choices = own.map(open).max().unwrap_or(0);
    if parts.side == Approximation::Over && choices > 0 {
        let names: Vec<String> = (1..=choices).map(|at| format!("c{at}")).collect();
        text.push_str(&format!("  var {} : bool = false\n", names.join(", ")));
    }
    for &at in &process.order {
        let label = &process.places[at];
        let steps: Vec<String> = parts.leaving(number, at).map(|step| statement(parts, words, step)).collect();
        match steps.as_slice() {
            [] => text.push_str(&format!("  {label}: await false;\n")),
            [only] => text.push_str(&format!("  {label}: {only}\n")),
            several => {
                text.push_str(&format!("  {label}: choose {{\n    {}\n  }}\n", several.join("\n  } or {\n    ")));
            }
        }
    }
    text.push_str("}\n\n");
}

/// Whether what a predicate becomes is known under some combinations only.
fn is_partly_open(assignment: &Assignment) -> bool {
    let somewhere = !assignment.holds.is_empty() || !assignment.fails.is_empty();
    somewhere && !assignment.complete
}

fn statement(parts: &Parts, words: &Words<'_>, step: &SourceStep) -> String {
    let target = &parts.processes[step.process].places[step.to];
    let guard = all(&[case(parts, &step.step), parts.guard(words, &step.step)]);
    let mut places: Vec<String> = Vec::new();
    let mut values: Vec<String> = Vec::new();
    for &(at, value) in &step.step.updates {
        places.push(parts.kept[at].name.clone());
        values.push(kept_value(&parts.kept[at], value));
    }
    let mut choices = Vec::new();
    for assignment in &step.step.assignments {
        places.push(format!("B{}", assignment.predicate + 1));
        let choice = format!("c{}", choices.len() + 1);
        values.push(value(parts, words, assignment, &choice));
        if parts.side == Approximation::Over && is_partly_open(assignment) {
            choices.push(choice);
        }
    }
    let comment = format!("  // {}", step.statement);
    if !choices.is_empty() {
        let stars = vec!["*"; choices.len()].join(", ");
        places.extend(choices.iter().cloned());
        values.extend(choices.iter().map(|_| "false".to_owned()));
        let chosen = format!("when {guard} do {} := {stars};", choices.join(", "));
        return format!(
            "atomic {{ {chosen} {} := {}; }} goto {target};{comment}",
            places.join(", "),
            values.join(", ")
        );
    }
    let action =
        if places.is_empty() { "skip".to_owned() } else { format!("{} := {}", places.join(", "), values.join(", ")) };
    format!("when {guard} do {action} goto {target};{comment}")
}

/// What a predicate becomes.
fn value(parts: &Parts, words: &Words<'_>, assignment: &Assignment, choice: &str) -> String {
    let (holds, fails) = (of_cubes(words, &assignment.holds), of_cubes(words, &assignment.fails));
    match parts.side {
        Approximation::Over if assignment.complete => holds,
        Approximation::Over if !is_partly_open(assignment) => "*".to_owned(),
        Approximation::Over => format!("if {holds} then true else if {fails} then false else {choice}"),
        Approximation::Under => match (holds.as_str(), fails.as_str()) {
            ("true", _) => "1".to_owned(),
            (_, "true") => "0".to_owned(),
            ("false", "false") => "2".to_owned(),
            _ => format!("if {holds} then 1 else if {fails} then 0 else 2"),
        },
    }
}

//! An approximation in Promela, for this tool and for Spin.
//!
//! Predicates are `bool` in the over-approximation; in the under-approximation bytes: `0` is false, `1` true and `2` unknown. `pc_P` says where the
//! process `P` is, since properties and other processes look at it. A process `Rest` of the over-approximation stays where the program may be
//! unable to step; a process `Stuck` of the under-approximation notes that nothing can.

use tertium_abstraction::approximation::ApproximatedStep;
use tertium_abstraction::assignments::Assignment;
use tertium_lattice::Kleene;
use tertium_program::LocationId;

use super::formulas::{SourceWords, all, of_cubes};
use super::{Approximation, Parts, SourceProcess, SourceProperty, SourceStep};

/// Words that are no names of what is written, besides the keywords: those of formulas, of Spin alone, and those that the source has itself.
pub(super) const RESERVED: &[&str] = &[
    "in",
    "pred",
    "STDIN",
    "Rest",
    "Stuck",
    "stuck",
    "started",
    "X",
    "U",
    "V",
    "W",
    "always",
    "eventually",
    "until",
    "weakuntil",
    "release",
    "implies",
    "equivalent",
];

/// How Promela says it.
pub(super) struct Words<'p>(pub &'p Parts);

impl SourceWords for Words<'_> {
    fn parts(&self) -> &Parts {
        self.0
    }

    fn kept_is(&self, cell: usize, value: i128) -> String {
        format!("({} == {value})", self.0.kept[cell].name)
    }

    fn equals(&self, name: &str, value: u8) -> String {
        format!("({name} == {value})")
    }

    fn stands(&self, process: &SourceProcess, location: LocationId, there: bool) -> String {
        let sign = if there { "==" } else { "!=" };
        format!("(pc_{} {sign} {})", process.name, location.index())
    }

    fn temporal(&self) -> [&'static str; 5] {
        ["[]", "<>", "U", "V", "X"]
    }
}

/// The whole source.
pub(super) fn text(parts: &Parts, properties: &[SourceProperty]) -> String {
    let words = Words(parts);
    let mut text = format!("/* {} */\n", commented(&parts.title));
    for (at, predicate) in parts.predicates.iter().enumerate() {
        text.push_str(&format!("/* B{}: {} */\n", at + 1, commented(predicate)));
    }
    let several = parts.is_chosen();
    declare(parts, several, &mut text);
    for number in 0..parts.processes.len() {
        process(parts, &words, (number, several), &mut text);
    }
    match parts.side {
        Approximation::Over => {
            let rest = parts.may_rest(&words, &|step| case(parts, step));
            if rest != "false" {
                let active = if several { "" } else { "active " };
                text.push_str("/* Runs of the program may end here. */\n");
                text.push_str(&format!("{active}proctype Rest() {{\nend: do :: {rest} od\n}}\n\n"));
            }
            if several {
                begin(parts, rest != "false", &mut text);
            }
        }
        Approximation::Under => {
            text.push_str(
                "bool stuck = false;\nactive proctype Stuck() {\nend: do :: timeout -> stuck = true od\n}\n\n",
            );
            if several {
                begin(parts, false, &mut text);
            }
        }
    }
    for property in properties {
        let formula = match &property.formula {
            Err(why) => {
                text.push_str(&format!("/* left out: {}: {} */\n", property.name, commented(why)));
                continue;
            }
            Ok(formula) if parts.side == Approximation::Under && !property.invariant => {
                format!("(<> stuck) || ({formula})")
            }
            Ok(formula) => formula.clone(),
        };
        let formula = if several { format!("(!started) U (started && ({formula}))") } else { formula };
        text.push_str(&format!("ltl {} {{ {formula} }}\n", property.name));
    }
    text
}

fn commented(text: &str) -> String {
    text.replace("*/", "* /").replace(['\n', '\r'], " ")
}

fn value_of(side: Approximation, value: Kleene) -> u8 {
    match (side, value) {
        (_, Kleene::True) => 1,
        (_, Kleene::False) | (Approximation::Over, Kleene::Unknown) => 0,
        (Approximation::Under, Kleene::Unknown) => 2,
    }
}

fn declare(parts: &Parts, several: bool, text: &mut String) {
    let ty = if parts.side == Approximation::Over { "bool" } else { "byte" };
    for at in 0..parts.predicates.len() {
        let value = parts.initial.first().filter(|_| !several).map_or(0, |(_, cube)| value_of(parts.side, cube[at]));
        text.push_str(&format!("{ty} B{} = {value};\n", at + 1));
    }
    for (at, kept) in parts.kept.iter().enumerate() {
        let value = parts.initial.first().filter(|_| !several).map_or(0, |(values, _)| values[at]);
        text.push_str(&format!("{} {} = {value};\n", if kept.truth { "bool" } else { "int" }, kept.name));
    }
    for process in &parts.processes {
        text.push_str(&format!("int pc_{} = {};\n", process.name, process.order[0]));
    }
    if several {
        text.push_str("bool started = false;\n");
    }
    text.push('\n');
}

/// The process that chooses where to begin.
fn begin(parts: &Parts, rests: bool, text: &mut String) {
    text.push_str("init {\n  atomic {\n    if\n");
    for (values, cube) in &parts.initial {
        let kept = parts.kept.iter().zip(values).map(|(kept, value)| format!("{} = {value}", kept.name));
        let known = cube.iter().enumerate().map(|(at, &value)| match (parts.side, value) {
            (Approximation::Over, Kleene::Unknown) => format!("if :: B{0} = 0 :: B{0} = 1 fi", at + 1),
            (side, value) => format!("B{} = {}", at + 1, value_of(side, value)),
        });
        let all: Vec<String> = kept.chain(known).collect();
        text.push_str(&format!("    :: {}\n", if all.is_empty() { "skip".to_owned() } else { all.join("; ") }));
    }
    text.push_str("    fi;\n    started = true;\n");
    let rest = rests.then(|| "Rest".to_owned());
    let all: Vec<String> = parts.processes.iter().map(|process| process.name.clone()).chain(rest).collect();
    let runs: Vec<String> = all.iter().map(|name| format!("run {name}()")).collect();
    text.push_str(&format!("    {}\n  }}\n}}\n\n", runs.join("; ")));
}

fn case(parts: &Parts, step: &ApproximatedStep) -> String {
    let words = Words(parts);
    all(&step.case.iter().map(|&(at, value)| words.kept_is(at, value)).collect::<Vec<_>>())
}

fn process(parts: &Parts, words: &Words<'_>, (number, several): (usize, bool), text: &mut String) {
    let process = &parts.processes[number];
    let active = if several { "" } else { "active " };
    text.push_str(&format!("{active}proctype {}() {{\n", process.name));
    let own = parts.steps.iter().filter(|step| step.process == number);
    let most = own.map(|step| step.step.assignments.len()).max().unwrap_or(0);
    if most > 0 {
        let names = |letter: &str| (1..=most).map(|at| format!("{letter}{at}")).collect::<Vec<_>>().join(", ");
        let ty = if parts.side == Approximation::Over { "bool" } else { "byte" };
        text.push_str(&format!("  {ty} {};\n", names("n")));
        if parts.side == Approximation::Over {
            text.push_str(&format!("  bool {};\n", names("c")));
        }
    }
    for &at in &process.order {
        let label = &process.places[at];
        let steps: Vec<String> = parts.leaving(number, at).map(|step| statement(parts, words, step)).collect();
        if steps.is_empty() {
            text.push_str(&format!("{label}:\n  false;\n"));
        } else {
            let listed: String = steps.iter().map(|step| format!("  :: {step}\n")).collect();
            text.push_str(&format!("{label}:\n  if\n{listed}  fi;\n"));
        }
    }
    text.push_str("}\n\n");
}

fn statement(parts: &Parts, words: &Words<'_>, step: &SourceStep) -> String {
    let process = &parts.processes[step.process];
    let guard = all(&[case(parts, &step.step), parts.guard(words, &step.step)]);
    let mut choices = String::new();
    let (mut news, mut writes, mut resets) = (Vec::new(), Vec::new(), Vec::new());
    for (at, assignment) in step.step.assignments.iter().enumerate() {
        let number = at + 1;
        if parts.side == Approximation::Over && !assignment.complete {
            choices.push_str(&format!("if :: c{number} = 0 :: c{number} = 1 fi; "));
            resets.push(format!("c{number} = 0"));
        }
        news.push(format!("n{number} = {}", value(parts, words, assignment, number)));
        writes.push(format!("B{} = n{number}", assignment.predicate + 1));
        resets.push(format!("n{number} = 0"));
    }
    writes.extend(step.step.updates.iter().map(|&(at, value)| format!("{} = {value}", parts.kept[at].name)));
    writes.push(format!("pc_{} = {}", process.name, step.to));
    let all: Vec<String> = news.into_iter().chain(writes).chain(resets).collect();
    let target = &process.places[step.to];
    let comment = commented(&step.statement);
    format!("atomic {{ {guard} -> {choices}d_step {{ {} }}; goto {target} }} /* {comment} */", all.join("; "))
}

/// What a predicate becomes.
fn value(parts: &Parts, words: &Words<'_>, assignment: &Assignment, choice: usize) -> String {
    let (holds, fails) = (of_cubes(words, &assignment.holds), of_cubes(words, &assignment.fails));
    match (parts.side, holds.as_str(), fails.as_str()) {
        (Approximation::Over, ..) if assignment.complete => holds,
        (_, "true", _) => "1".to_owned(),
        (_, _, "true") => "0".to_owned(),
        (Approximation::Over, "false", "false") => format!("c{choice}"),
        (Approximation::Over, ..) => format!("({holds} -> 1 : ({fails} -> 0 : c{choice}))"),
        (Approximation::Under, "false", "false") => "2".to_owned(),
        (Approximation::Under, ..) => format!("({holds} -> 1 : ({fails} -> 0 : 2))"),
    }
}

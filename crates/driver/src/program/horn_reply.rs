//! What does a solver of Horn clauses print? `sat` with a model, `unsat` with the facts that derive `false`.
//!
//! A model interprets every predicate by what the answer rests on, an inductive invariant: what holds of the registers at the predicate's location. It is told only where the
//! independent checker has accepted that invariant. A derivation is the run to `false`, one fact for each clause that is used.

use std::fmt::Write as _;

use tertium_base::{Budget, Diagnostic};
use tertium_evidence::abstraction::Abstraction;
use tertium_lattice::Belnap;
use tertium_load::horn::{self, Predicate, Register};
use tertium_program::{Semantics, State};
use tertium_trace::run::Run;

use super::answer::ProgramAnswer;
use super::check::CheckOptions;
use super::predicate_abstraction::basis::Basis;
use super::proof::{Written, certificate_of};
use super::questions::Question;
use super::{Language, ProgramFile};
use crate::failure::{Failure, Located};

/// What is told of answers about Horn clauses, as notes.
///
/// # Errors
/// If the independent checker disagrees with an answer.
pub fn replies(
    file: &ProgramFile,
    questions: &[Question],
    answers: &[ProgramAnswer],
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Vec<Located>, Failure> {
    let mut told = Vec::new();
    if file.language != Language::Horn {
        return Ok(told);
    }
    let predicates = horn::predicates(file);
    // A query is `sat` if it can be derived; clauses are if `false` cannot.
    let (derived, not_derived) = if horn::has_queries(file) { ("sat", "unsat") } else { ("unsat", "sat") };
    for (question, answer) in questions.iter().zip(answers) {
        let text = match answer.value() {
            Belnap::False => answer.run().and_then(|run| derivation(file, &predicates, run, derived)),
            Belnap::True => match answer.basis() {
                Some(Basis::States(over)) if is_certified(file, question, answer, options, budget)? => {
                    model(file, &predicates, over, not_derived)
                }
                _ => None,
            },
            _ => None,
        };
        told.extend(text.map(|text| Located::nowhere(Diagnostic::note_only("W0751", text))));
    }
    Ok(told)
}

fn is_certified(
    file: &ProgramFile,
    question: &Question,
    answer: &ProgramAnswer,
    options: &CheckOptions,
    budget: &Budget,
) -> Result<bool, Failure> {
    match certificate_of(file, question, answer, options, budget) {
        Ok(written) => Ok(!matches!(written, Written::None(_))),
        Err(Failure::Stopped(_)) => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// `sat`, and an interpretation of every predicate; none if terms share parts that SMT-LIB has no names for.
fn model(file: &ProgramFile, predicates: &[Predicate], over: &Abstraction, word: &str) -> Option<String> {
    if !over.shared.is_empty() || !over.later.is_empty() {
        return None;
    }
    let mut text = format!("{word}\n(\n");
    for predicate in predicates {
        let arguments: Vec<String> = predicate
            .arguments
            .iter()
            .map(|argument| format!("({} {})", quoted(&argument.name), sort(argument)))
            .collect();
        let _ = write!(text, "  (define-fun {} ({}) Bool\n    ", quoted(&predicate.name), arguments.join(" "));
        // The location is known; registers that hold no argument there hold 0.
        let mut known = vec![format!("({} {})", quoted("$@clauses"), predicate.location)];
        for variable in &file.program.variables {
            if !predicate.arguments.iter().any(|argument| argument.name == variable.name) {
                let nothing = if variable.ty == tertium_program::Type::Bool { "false" } else { "0" };
                known.push(format!("({} {nothing})", quoted(&variable.name)));
            }
        }
        let _ = writeln!(text, "(let ({}) {}))", known.join(" "), interpretation(predicate, over));
    }
    text.push(')');
    Some(text)
}

/// What holds at a predicate's location: what always does, and one of the abstract states there.
fn interpretation(predicate: &Predicate, over: &Abstraction) -> String {
    let mut cases = Vec::new();
    for state in &over.states {
        if state.at.first().copied().flatten().is_some_and(|at| at as usize != predicate.location) {
            continue;
        }
        let mut parts = Vec::new();
        for (cell, value) in over.cells.iter().zip(&state.values) {
            parts.push(format!("(= {cell} {})", number(*value)));
        }
        for (term, value) in over.predicates.iter().zip(&state.cube) {
            match value {
                Some(true) => parts.push(term.clone()),
                Some(false) => parts.push(format!("(not {term})")),
                None => {}
            }
        }
        cases.push(joined("and", "true", &parts));
    }
    let mut all = over.always.clone();
    all.push(joined("or", "false", &cases));
    joined("and", "true", &all)
}

/// `unsat`, and the facts that derive `false`, in their order.
fn derivation(file: &ProgramFile, predicates: &[Predicate], run: &Run, word: &str) -> Option<String> {
    let semantics = Semantics::new(&file.program);
    let mut text = word.to_owned();
    for taken in &run.steps {
        let location = file.program.step(taken.moves.first()?.step).target.index();
        let fact = predicates.iter().find(|predicate| predicate.location == location);
        let _ = match fact {
            Some(predicate) => write!(text, "\n{}", told(file, &semantics, predicate, &taken.state)?),
            None => write!(text, "\nfalse"),
        };
    }
    Some(text)
}

fn told(file: &ProgramFile, semantics: &Semantics<'_>, predicate: &Predicate, state: &State) -> Option<String> {
    let mut text = quoted(&predicate.name);
    for argument in &predicate.arguments {
        let var = file.program.variable_ids().find(|&var| file.program.variable(var).name == argument.name)?;
        let value = state.slots[semantics.layout().fixed_slot(&file.program, var)?];
        let value = if argument.is_bool { (value != 0).to_string() } else { number(value) };
        let _ = write!(text, " {value}");
    }
    Some(if predicate.arguments.is_empty() { text } else { format!("({text})") })
}

fn sort(argument: &Register) -> &'static str {
    if argument.is_bool { "Bool" } else { "Int" }
}

fn number(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

fn joined(op: &str, none: &str, parts: &[String]) -> String {
    match parts {
        [] => none.to_owned(),
        [one] => one.clone(),
        _ => format!("({op} {})", parts.join(" ")),
    }
}

/// A name as SMT-LIB writes it.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    if name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) && !name.starts_with('$') {
        name.to_owned()
    } else {
        format!("|{name}|")
    }
}

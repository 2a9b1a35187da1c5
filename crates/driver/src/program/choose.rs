//! Is a program run as it is, or abstracted?
//!
//! Small domains: run. Variables without bounds, or with very many values: run for a while, which finds faults that lie near and
//! decides programs that turn out to be small; what stays open is abstracted, with predicates found on the way. Members of a family
//! are counted by place where that settles it: first if there are many processes, else if abstraction leaves it open. What abstraction
//! leaves open, or a program that cannot be abstracted, is run after all: to the end if all values are bounded, else for longer than at first.
//! Without a solver nothing is abstracted, and what is open after running it for longer says so.
//! If time is limited, abstraction gets half of it. Every answer says which way it was found and why.

use tertium_abstraction::invariants::intervals;
use tertium_base::{Budget, StopReason};
use tertium_lattice::Belnap;
use tertium_program::{Program, Type};

use tertium_cegar::solver;

use super::abstracted::AbstractionOptions;
use super::answer::{ProgramAnswer, Reason};
use super::check::{CheckOptions, Outcome, check};
use super::questions::Question;
use super::{Language, ProgramFile, parameterised, refinement_loop};
use crate::Observer;
use crate::failure::Failure;

/// States that are visited before a program with large domains is abstracted.
const FIRST_STATES: usize = 20_000;
/// The same for Promela: its values are bounded, and most models that people write for a search are small enough for one.
const FIRST_STATES_OF_PROMELA: usize = 300_000;
/// States that are visited of a program without bounds after abstraction left something open.
const MORE_STATES: usize = 400_000;
/// With this many processes, members of families are counted before all processes are abstracted together.
const MANY: usize = 6;
/// A variable with more values than this is large.
const LARGE: i128 = 4096;

/// Answers all questions in the way that fits the program.
///
/// # Errors
/// If an engine cannot do what was asked, or two parts of this program disagree.
pub fn decide(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    abstraction: &AbstractionOptions,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Outcome, Failure> {
    // Who wants sets gets them, or the reason why there are none.
    if options.engine == crate::engines::EngineChoice::Symbolic {
        return check(file, questions, options, budget, observer);
    }
    let Some(large) = large(&file.program).or_else(|| unknown_function(&file.program)) else {
        return check(file, questions, options, budget, observer);
    };
    let first_states = match file.language {
        Language::Promela => FIRST_STATES_OF_PROMELA,
        _ => FIRST_STATES,
    };
    let first = CheckOptions { max_states: Some(first_states), look_for_idle: false, ..options.clone() };
    let mut visited = check(file, questions, &first, budget, observer)?;
    if visited.answers.iter().all(is_settled) {
        let stopped = visited.answers.iter().any(|answer| answer.stopped.is_some());
        if !options.look_for_idle || stopped {
            return Ok(visited);
        }
        // Which statements are never executed was not looked at yet.
        return check(
            file,
            questions,
            &CheckOptions { max_states: Some(first_states), ..options.clone() },
            budget,
            observer,
        );
    }
    if let Some(why) = solver::missing() {
        return without_abstraction(file, questions, options, visited, &why, budget, observer);
    }
    let why = match file.program.functions.first() {
        Some(_) if large_variables(&file.program).is_empty() => large.clone(),
        _ => format!("{large}, and {first_states} states did not exhaust the state space"),
    };
    let refinements = refinement_loop::DEFAULT_REFINEMENTS;
    let half = budget.halved();
    let counting = Counting { file, questions, options, how: (abstraction, refinements), budget: &half, observer };
    let many = file.program.processes.len() >= MANY;
    if many {
        // The steps of many in every order are too many even for abstract states.
        counting.count(&mut visited.answers, &why)?;
    }
    let open: Vec<Question> = questions
        .iter()
        .zip(&visited.answers)
        .filter(|(_, answer)| !is_settled(answer))
        .map(|(question, _)| question.clone())
        .collect();
    let found = match refinement_loop::check(file, &open, options, abstraction, refinements, &half, observer) {
        Ok(found) => found,
        // What cannot be abstracted is run as far as that goes.
        Err(Failure::Input(_)) => return check(file, questions, options, budget, observer),
        Err(failure) => return Err(failure),
    };
    let mut answers = Vec::new();
    let mut abstracted = found.answers.into_iter();
    for mut answer in visited.answers {
        if is_settled(&answer) {
            let how = answer.provenance.phrase();
            answer.choice.get_or_insert_with(|| format!("by {how}: found among the first {first_states} states"));
        } else if let Some(mut other) = abstracted.next() {
            let why = if other.repeats.is_some() { &large } else { &why };
            other.choice = Some(format!("by {}: {why}", other.provenance.phrase()));
            other.elapsed += answer.elapsed;
            answer = other;
        }
        answers.push(answer);
    }
    let mut remarks = visited.remarks;
    remarks.extend(found.remarks);
    if !many {
        counting.count(&mut answers, "abstraction of all processes left it open")?;
    }
    run_the_rest(file, questions, options, answers, remarks, budget, observer)
}

/// What the first states did not settle, where there is no solver: it is run for longer, and what is open then stays so for that reason.
fn without_abstraction(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    visited: Outcome,
    why: &Reason,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Outcome, Failure> {
    let mut answers = visited.answers;
    let open: Vec<usize> = (0..answers.len()).filter(|&at| !is_settled(&answers[at])).collect();
    open.iter().for_each(|&at| answers[at].reasons = vec![why.clone()]);
    let mut outcome = run_the_rest(file, questions, options, answers, visited.remarks, budget, observer)?;
    for at in open {
        let answer = &mut outcome.answers[at];
        let how = answer.provenance.phrase();
        answer.choice = (answer.value != Belnap::Unknown).then(|| format!("by {how}: {}", why.what));
    }
    Ok(outcome)
}

/// Members of a family may be counted where everything else is too much.
struct Counting<'a> {
    file: &'a ProgramFile,
    questions: &'a [Question],
    options: &'a CheckOptions,
    how: (&'a AbstractionOptions, u32),
    budget: &'a Budget,
    observer: &'a dyn Observer,
}

impl Counting<'_> {
    /// Settles what is open, if that can be done so; `why` says why it was tried.
    fn count(&self, answers: &mut [ProgramAnswer], why: &str) -> Result<(), Failure> {
        let open: Vec<usize> = (0..answers.len()).filter(|&at| !is_settled(&answers[at])).collect();
        if open.is_empty() || self.budget.check().is_err() {
            return Ok(());
        }
        let asked: Vec<Question> = open.iter().map(|&at| self.questions[at].clone()).collect();
        let is_false = |answer: &&ProgramAnswer| answer.value == Belnap::False;
        let broken: Vec<String> = answers.iter().filter(is_false).map(|answer| answer.name.clone()).collect();
        let found =
            parameterised::count(self.file, (&asked, &broken), self.options, self.how, self.budget, self.observer)?;
        for (at, found) in open.into_iter().zip(found) {
            if let Some(mut found) = found {
                found.choice = Some(format!("{}: {why}", found.choice.unwrap_or_default()));
                found.elapsed += answers[at].elapsed;
                answers[at] = found;
            }
        }
        Ok(())
    }
}

/// Where all values are bounded, what abstraction leaves open can still be settled by running the program; elsewhere running it for longer
/// may find what breaks a property.
fn run_the_rest(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    mut answers: Vec<ProgramAnswer>,
    mut remarks: Vec<crate::Located>,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Outcome, Failure> {
    let open: Vec<usize> = (0..answers.len()).filter(|&at| answers[at].value == Belnap::Unknown).collect();
    if open.is_empty() || budget.check().is_err() || !file.program.functions.is_empty() {
        return Ok(Outcome { answers, remarks, coverage: None });
    }
    let asked: Vec<Question> = open.iter().map(|&at| questions[at].clone()).collect();
    let max_states = if is_bounded(file) { options.max_states } else { Some(MORE_STATES) };
    let found = check(file, &asked, &CheckOptions { max_states, ..options.clone() }, budget, observer)?;
    for (at, mut answer) in open.into_iter().zip(found.answers) {
        answers[at].elapsed += answer.elapsed;
        if answer.value == Belnap::Unknown {
            // What abstraction found out says more than how far running it came.
            let stopped = answer.stopped.filter(|&why| why != StopReason::Count);
            if stopped.is_some() {
                (answers[at].states, answers[at].transitions) = (answer.states, answer.transitions);
            }
            answers[at].stopped = stopped.or(answers[at].stopped);
            continue;
        }
        answer.choice = Some(format!("by {}: abstraction left it open", answer.provenance.phrase()));
        answer.elapsed = answers[at].elapsed;
        answers[at] = answer;
    }
    remarks.extend(found.remarks);
    Ok(Outcome { answers, remarks, coverage: None })
}

/// Whether there are finitely many states.
fn is_bounded(file: &ProgramFile) -> bool {
    let bounded = |(lo, hi): &(Option<i128>, Option<i128>)| lo.is_some() && hi.is_some();
    file.language == Language::Promela || intervals(&file.program).iter().all(bounded)
}

fn is_settled(answer: &ProgramAnswer) -> bool {
    answer.value != Belnap::Unknown || answer.stopped.is_some()
}

/// Why a program cannot be run to the end although its variables are small.
fn unknown_function(program: &Program) -> Option<String> {
    program.functions.first().map(|function| format!("nothing is known about the function `{}`", function.name))
}

/// Variables that have no small range.
fn large_variables(program: &Program) -> Vec<String> {
    let known = intervals(program);
    let mut names = Vec::new();
    for var in program.variable_ids() {
        let (lo, hi) = known[var.index()];
        let count = match (program.variable(var).ty, lo, hi) {
            (Type::Bool | Type::Channel, ..) => continue,
            (_, Some(lo), Some(hi)) => hi.checked_sub(lo),
            _ => None,
        };
        if count.is_none_or(|count| count > LARGE) {
            names.push(program.show_variable(var));
        }
    }
    names
}

/// Why a program may have too many states to visit, if its variables say so.
fn large(program: &Program) -> Option<String> {
    let names = large_variables(program);
    let (first, rest) = names.split_first()?;
    Some(match rest {
        [] => format!("`{first}` has no small range"),
        [second] => format!("`{first}` and `{second}` have no small range"),
        _ => format!("`{first}` and {} others have no small range", rest.len()),
    })
}

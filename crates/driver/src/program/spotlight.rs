//! What is done with questions that looking at few processes leaves open?

use tertium_load::Failure;

use super::ProgramFile;
use super::answer::ProgramAnswer;
use super::check::Outcome;
use super::questions::Question;

pub use tertium_cegar::spotlight::{Parameters, SpotlightOptions, check, rounds, start};

/// Answers by sets of states, if these can be had.
pub type BySets<'a> = dyn Fn(&[Question]) -> Result<Option<Outcome>, Failure> + 'a;

/// Answers by counting members of families, where that settles something; with the names of what is false.
pub type ByCounting<'a> = dyn Fn(&[Question], &[String]) -> Result<Vec<Option<ProgramAnswer>>, Failure> + 'a;

/// What counting members of families settles of what looking at few processes left open.
///
/// # Errors
/// Whatever `by_counting` meets.
pub fn counted(questions: &[Question], mut found: Outcome, by_counting: &ByCounting<'_>) -> Result<Outcome, Failure> {
    let open: Vec<usize> = (0..questions.len()).filter(|&at| is_open(&found.answers[at])).collect();
    if open.is_empty() {
        return Ok(found);
    }
    let asked: Vec<Question> = open.iter().map(|&at| questions[at].clone()).collect();
    let is_false = |answer: &&ProgramAnswer| answer.value == tertium_lattice::Belnap::False;
    let broken: Vec<String> = found.answers.iter().filter(is_false).map(|answer| answer.name.clone()).collect();
    for (at, answer) in open.into_iter().zip(by_counting(&asked, &broken)?) {
        if let Some(mut answer) = answer {
            answer.choice =
                Some(format!("{}: looking at few processes left it open", answer.choice.unwrap_or_default()));
            answer.elapsed += found.answers[at].elapsed;
            found.answers[at] = answer;
        }
    }
    Ok(found)
}

fn is_open(answer: &ProgramAnswer) -> bool {
    answer.value == tertium_lattice::Belnap::Unknown && answer.stopped.is_none() && answer.condition.is_empty()
}

/// As [`check`], for a program that nobody asked to look at in this way: what stays open is answered by `otherwise`, or, where there
/// are very many processes, by sets of states.
///
/// # Errors
/// As for [`check`]; and whatever `otherwise` meets.
pub fn check_first(
    file: &ProgramFile,
    questions: &[Question],
    found: Outcome,
    by_sets: &BySets<'_>,
    otherwise: &dyn Fn(&[Question]) -> Result<Outcome, Failure>,
) -> Result<Outcome, Failure> {
    let open: Vec<usize> = (0..questions.len()).filter(|&at| is_open(&found.answers[at])).collect();
    if open.is_empty() {
        return Ok(found);
    }
    let asked: Vec<Question> = open.iter().map(|&at| questions[at].clone()).collect();
    let very_many = file.program.processes.len() >= start::VERY_MANY;
    // What is left open by looking at few processes of very many is not settled by visiting the states of all of them.
    let rest = if very_many { by_sets(&asked)? } else { Some(otherwise(&asked)?) };
    let Some(rest) = rest else { return Ok(found) };
    let mut answers = found.answers;
    for (at, mut answer) in open.into_iter().zip(rest.answers) {
        if very_many && answer.value == tertium_lattice::Belnap::Unknown {
            continue;
        }
        if very_many {
            answer.choice = Some(format!("by {}: looking at few processes left it open", answer.provenance.phrase()));
            answer.elapsed += answers[at].elapsed;
        }
        answers[at] = answer;
    }
    Ok(Outcome { answers, remarks: rest.remarks, ..Outcome::default() })
}

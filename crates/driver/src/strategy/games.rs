//! Questions about players are asked of the whole state space: no other engine knows whose turn it is.

use std::ops::ControlFlow;

use tertium_base::Budget;
use tertium_cegar::answer::ProgramAnswer;
use tertium_lattice::Belnap;
use tertium_load::questions::{PropertyQuery, Question, QuestionId};
use tertium_statespace::games;

use super::{ProgramQuery, slicing};
use crate::Observer;
use crate::failure::Failure;
use crate::program::check::CheckOutcome;

/// Answers questions about players by games, and all others as usual. A definite answer is told with its question.
pub(super) fn decide_telling(
    request: &ProgramQuery<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    tell: &mut dyn FnMut(QuestionId, &ProgramAnswer) -> ControlFlow<()>,
) -> Result<CheckOutcome, Failure> {
    let module = request.wishes.options.module;
    let (players, others): (Vec<QuestionId>, Vec<QuestionId>) =
        QuestionId::all(request.questions).partition(|&at| games::is_about_players(request.question(at), module));
    if players.is_empty() {
        return slicing::decide_telling(request, budget, observer, tell);
    }
    let asked: Vec<&PropertyQuery> = players
        .iter()
        .filter_map(|&at| match request.question(at) {
            Question::Property(asked) => Some(&**asked),
            Question::Never(_) | Question::Watched(_) => None,
        })
        .collect();
    let found = games::check(request.file, &asked, &request.wishes.options, budget, observer)?;
    for (&at, answer) in players.iter().zip(&found) {
        if answer.value() != Belnap::Unknown && tell(at, answer).is_break() {
            break;
        }
    }
    let questions: Vec<Question> = others.iter().map(|&at| request.question(at).clone()).collect();
    let rest = ProgramQuery { questions: &questions, ..*request };
    let mut tell_other = |at: QuestionId, answer: &ProgramAnswer| tell(others[at.index()], answer);
    let rest = slicing::decide_telling(&rest, budget, observer, &mut tell_other)?;
    Ok(games::merged(request.questions, module, rest, found))
}

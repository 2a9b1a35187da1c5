//! Questions about players are asked of the whole state space, or of games over predicates where that is too large or the user wants it: no other engine knows whose turn it is.

use std::ops::ControlFlow;

use tertium_base::{Budget, Diagnostic};
use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::coalition_games;
use tertium_cegar::refinement_loop::DEFAULT_REFINEMENTS;
use tertium_lattice::Belnap;
use tertium_load::questions::{PropertyQuery, Question, QuestionId};
use tertium_statespace::games;

use super::facts::Facts;
use super::{Approach, ProgramQuery, slicing};
use tertium_evidence::observer::Aside;

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
    if request.wishes.options.on_device {
        return Err(Diagnostic::error("E0377", "questions about players are not decided on a graphics processor")
            .help("leave out `--device`, or choose other properties with `--only`")
            .into());
    }
    let asked: Vec<&PropertyQuery> = players
        .iter()
        .filter_map(|&at| match request.question(at) {
            Question::Property(asked) => Some(&**asked),
            Question::Never(_) | Question::Watched(_) => None,
        })
        .collect();
    let found = by_states_or_predicates(request, &players, &asked, (budget, observer))?;
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

/// States that are visited before predicates are asked, where variables have no bounds.
const STATES_WITHOUT_BOUNDS: usize = 50_000;

/// All states, where there are not too many; predicates otherwise.
fn by_states_or_predicates(
    request: &ProgramQuery<'_>,
    players: &[QuestionId],
    asked: &[&PropertyQuery],
    (budget, observer): (&Budget, &dyn Observer),
) -> Result<Vec<ProgramAnswer>, Failure> {
    let (file, wishes) = (request.file, request.wishes);
    let over_predicates = |open: &[QuestionId], budget: &Budget| {
        let questions: Vec<&Question> = open.iter().map(|&at| request.question(at)).collect();
        let how = (&wishes.abstraction, wishes.refinements.unwrap_or(DEFAULT_REFINEMENTS));
        coalition_games::check(file, &questions, &wishes.options, how, budget, &Aside(observer))
    };
    if wishes.approach == Approach::Abstract && !wishes.options.module {
        return over_predicates(players, budget);
    }
    let mut options = wishes.options.clone();
    let free = wishes.approach == Approach::Free && !wishes.search_only;
    let endless = free && coalition_games::refusal(file, &options).is_none() && !Facts::of(request).is_bounded;
    if endless && options.max_states.is_none() {
        options.max_states = Some(STATES_WITHOUT_BOUNDS);
    }
    let mut found = games::check(file, asked, &options, budget, observer)?;
    let open: Vec<usize> = (0..found.len()).filter(|&at| found[at].value() == Belnap::Unknown).collect();
    if !endless || open.is_empty() || budget.check().is_err() {
        return Ok(found);
    }
    let questions: Vec<QuestionId> = open.iter().map(|&at| players[at]).collect();
    match over_predicates(&questions, budget) {
        Ok(answers) => open.into_iter().zip(answers).for_each(|(at, answer)| found[at] = answer),
        // What cannot be abstracted stays as running left it.
        Err(Failure::Input(_)) => {}
        Err(failure) => return Err(failure),
    }
    Ok(found)
}

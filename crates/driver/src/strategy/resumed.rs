//! What does a run that goes on know already?
//!
//! Answers that an earlier run has written down are told first, in the order of the questions; the engines are asked about the rest, but know of all questions: a search
//! that is written down goes on only if it is the same one. Every definite answer is
//! written down before it is told, so what was told is never lost.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use tertium_base::Budget;
use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::options::{CheckOptions, CheckOutcome};
use tertium_evidence::provenance::Engine;
use tertium_load::questions::{Question, QuestionId};

use super::{ProgramQuery, Wishes, games};
use crate::Observer;
use crate::failure::Failure;
use crate::program::check;
use crate::program::kept_answers::{keep, kept};

/// Answers questions as usual; what a run that is gone on with has decided is not asked again.
pub(super) fn decide_telling(
    request: &ProgramQuery<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    tell: &mut dyn FnMut(QuestionId, &ProgramAnswer) -> ControlFlow<()>,
) -> Result<CheckOutcome, Failure> {
    let options = &request.wishes.options;
    let Some(folder) = options.checkpoints.as_deref() else {
        return games::decide_telling(request, budget, observer, tell);
    };
    let known = |question: &Question| kept(folder, request.file, question, options.keep_basis);
    let known: Vec<Option<ProgramAnswer>> = request.questions.iter().map(known).collect();
    let mut is_enough = false;
    for (question, answer) in QuestionId::all(request.questions).zip(&known) {
        let Some(answer) = answer.as_ref().filter(|_| !is_enough) else { continue };
        observer.answered(&answer.name, answer.value());
        is_enough = tell(question, answer).is_break();
    }
    let decided: BTreeSet<String> = known.iter().flatten().map(|answer| answer.name.clone()).collect();
    let mut outcome = CheckOutcome::default();
    if !is_enough && (decided.is_empty() || known.iter().any(Option::is_none)) {
        let wishes = Wishes { decided: Arc::new(decided.clone()), ..request.wishes.clone() };
        let rest = ProgramQuery { wishes: &wishes, ..*request };
        outcome = games::decide_telling(&rest, budget, observer, &mut |question, answer| {
            if known[question.index()].is_some() {
                return ControlFlow::Continue(());
            }
            keep(folder, request.file, request.question(question), answer);
            tell(question, answer)
        })?;
    }
    let mut found = std::mem::take(&mut outcome.answers).into_iter();
    let answer = |(known, question): (Option<ProgramAnswer>, &Question)| {
        let found = found.next();
        known.or(found).unwrap_or_else(|| ProgramAnswer::about(question))
    };
    outcome.answers = known.into_iter().zip(request.questions).map(answer).collect();
    if !decided.is_empty() && !is_enough {
        look_for_idle(request, budget, &mut outcome)?;
    }
    Ok(outcome)
}

/// What happens to each statement, where searches have decided everything and an earlier run has found it out, which does not write it down.
fn look_for_idle(request: &ProgramQuery<'_>, budget: &Budget, outcome: &mut CheckOutcome) -> Result<(), Failure> {
    let options = &request.wishes.options;
    let by_search =
        |answer: &ProgramAnswer| answer.verdict.is_definite() && answer.provenance.engine == Engine::Explore;
    let is_wanted = options.look_for_idle && options.max_states.is_none() && outcome.coverage.is_none();
    if !is_wanted || budget.check().is_err() || !outcome.answers.iter().all(by_search) {
        return Ok(());
    }
    match check(request.file, &[], &CheckOptions { checkpoints: None, ..options.clone() }, budget, &()) {
        Ok(found) => {
            outcome.coverage = found.coverage;
            let news = found.remarks.into_iter().filter(|remark| !outcome.remarks.contains(remark));
            let news: Vec<_> = news.collect();
            outcome.remarks.extend(news);
            Ok(())
        }
        Err(Failure::Stopped(_)) => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// The same wishes for questions beside those of the user, of which nothing is written down.
pub(super) fn unwritten(wishes: &Wishes) -> Wishes {
    let options = CheckOptions { checkpoints: None, disk: None, ..wishes.options.clone() };
    Wishes { options, decided: Arc::default(), ..wishes.clone() }
}

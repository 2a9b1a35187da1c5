//! How do several engines work on the same questions at once?
//!
//! Algorithm portfolios (Huberman, Lukose and Hogg 1997): each lane is a thread with engines of its own, and whatever one of them decides, all others leave alone.
//! Lanes take turns by their shares of the time ([`tertium_base::scheduler`]), so that a cheap engine is never stopped for an expensive one; after some
//! seconds they run beside each other where there are processors for it. On request turns are counted in looks at the budget, one at a time to the end: then everything
//! is the same on every machine. Within a lane, pieces of work that take long let the others go first: each has a
//! quota, and begins again with a larger one when the others have had theirs.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use tertium_base::scheduler::{Client, Measure, Scheduler};
use tertium_base::{Budget, StopReason};
use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::observer::ProgramObserver;
use tertium_lattice::Belnap;
use tertium_load::questions::{Question, QuestionId};

use super::ProgramQuery;
use super::board::{Board, News};
use super::engine::{Applies, EngineId, Situation};
use super::facts::Facts;
use super::plan::{Lane, Phase, Stage};
use crate::failure::Failure;
use crate::program::check;
use crate::{Counts, Observer};

/// The stack of a lane: as large as that of a program's first thread, and more.
const STACK: usize = 32 << 20;

/// What a piece of work may take at first before the next one has its turn, in microseconds; and how much more each time.
const FIRST_QUOTA: u64 = 1_000_000;
const MORE_EACH_TIME: u64 = 4;

/// So much is done one at a time, in microseconds: what takes less is not worth more than one processor.
const ALONE: u64 = 3_000_000;

/// What stands between the phases of several lanes.
pub const BETWEEN_LANES: &str = " | ";

/// Everything that all lanes see.
pub(super) struct Portfolio<'a> {
    pub(super) request: &'a ProgramQuery<'a>,
    pub(super) facts: &'a Facts,
    pub(super) board: &'a Board,
    pub(super) budget: &'a Budget,
    pub(super) observer: &'a dyn Observer,
}

/// Who is told each definite answer when it is there; whoever breaks off wants to know no more.
pub(super) type Teller<'t> = dyn FnMut(QuestionId, &ProgramAnswer) -> ControlFlow<()> + 't;

impl Portfolio<'_> {
    /// Runs all lanes of a phase until everything is decided or they can do no more.
    pub(super) fn run(&self, phase: &Phase, news: &Receiver<News>, tell: &mut Teller<'_>) {
        let threads = self.request.wishes.options.threads;
        let scheduler = Arc::new(match self.request.wishes.deterministic {
            true => Scheduler::one_at_a_time(Measure::Looks),
            false => Scheduler::with_places(Measure::Clock, threads, ALONE),
        });
        let clients: Vec<Arc<Client>> =
            phase.lanes.iter().map(|lane| scheduler.client(lane.share, lane.look)).collect();
        for (lane, client) in phase.lanes.iter().zip(&clients) {
            client.goes_first(lane.first);
            if lane.after > 0 {
                client.begins_after(lane.after);
            }
        }
        let texts = Mutex::new(vec![String::new(); phase.lanes.len()]);
        let work = |number: usize| {
            let _ending = Ending { client: &clients[number], board: self.board };
            clients[number].begin();
            let lane = LaneWork { portfolio: self, client: &clients[number], number, texts: &texts };
            if let Err(failure) = lane.work(&phase.lanes[number]) {
                self.board.fail(failure);
            }
        };
        let refused: Vec<usize> = std::thread::scope(|scope| {
            let begin = |&number: &usize| {
                let thread = std::thread::Builder::new().name("engine".to_owned()).stack_size(STACK);
                thread.spawn_scoped(scope, move || work(number)).is_err()
            };
            let refused: Vec<usize> = (0..phase.lanes.len()).filter(begin).collect();
            refused.iter().for_each(|&number| clients[number].end());
            self.listen(phase.lanes.len() - refused.len(), news, tell);
            refused
        });
        // Where the system gives no thread, one comes after the other.
        refused.iter().for_each(|&number| work(number));
        self.listen(refused.len(), news, tell);
    }

    /// What happens to each statement, if that is wanted, every question is answered and it was a search that saw to it.
    pub(super) fn look_for_idle(&self) {
        let options = &self.request.wishes.options;
        let wanted = options.look_for_idle && options.max_states.is_none() && self.board.is_decided_by_search();
        if wanted && self.board.lacks_coverage() && self.budget.check().is_ok() {
            match check(self.request.file, &[], options, self.budget, &()) {
                Ok(outcome) => self.board.merge(EngineId::Explicit, &[], outcome.into()),
                Err(Failure::Stopped(_)) => {}
                Err(failure) => self.board.fail(failure),
            }
        }
    }

    /// Passes on what comes until this many lanes have ended.
    fn listen(&self, mut lanes: usize, news: &Receiver<News>, tell: &mut Teller<'_>) {
        while lanes > 0 {
            match news.recv() {
                Ok(News::Answer(question, answer)) => {
                    if tell(question, &answer).is_break() {
                        self.board.close();
                    }
                }
                Ok(News::Ended) => lanes -= 1,
                Err(_) => return,
            }
        }
    }
}

/// However a lane ends, the others go on; if by a panic, nobody needs what they find.
struct Ending<'a> {
    client: &'a Client,
    board: &'a Board,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.board.close();
        }
        self.client.end();
        self.board.ended();
    }
}

/// One lane at work.
struct LaneWork<'a> {
    portfolio: &'a Portfolio<'a>,
    client: &'a Arc<Client>,
    number: usize,
    texts: &'a Mutex<Vec<String>>,
}

impl LaneWork<'_> {
    fn work(&self, lane: &Lane) -> Result<(), Failure> {
        let Portfolio { board, budget, .. } = self.portfolio;
        for stage in &lane.stages {
            let open = board.open();
            if open.is_empty() || (board.has_begun() && budget.glance().is_err()) {
                break;
            }
            self.stage(stage, &open)?;
        }
        Ok(())
    }

    /// Runs one stage on what is open, piece by piece.
    fn stage(&self, stage: &Stage, open: &[QuestionId]) -> Result<(), Failure> {
        let Portfolio { request, board, budget, .. } = self.portfolio;
        let (engine, own) = (stage.engine.as_ref(), (*budget).clone().taking_turns(self.client));
        match engine.applies(&self.situation(&own, &())) {
            Applies::Yes => {}
            Applies::No => return Ok(()),
            Applies::Missing(reason) => {
                board.lacks(engine.id(), open, &reason);
                return Ok(());
            }
        }
        let mut quota = FIRST_QUOTA;
        let mut pieces: VecDeque<Vec<QuestionId>> = engine.divide(request, open).into();
        pieces.retain(|piece| !piece.is_empty());
        let mut round = pieces.len();
        while let Some(mut piece) = pieces.pop_front() {
            if round == 0 {
                (quota, round) = (quota.saturating_mul(MORE_EACH_TIME), pieces.len() + 1);
            }
            round -= 1;
            let now_open = board.open();
            piece.retain(|question| now_open.contains(question));
            if piece.is_empty() {
                continue;
            }
            let others_wait = !pieces.is_empty();
            let budget = own.clone().with_quota(others_wait.then_some(quota)).dismissed_by(&board.watch(&piece));
            if !self.piece(stage, &piece, &budget)? {
                return Ok(());
            }
            if budget.is_over_quota() && own.glance().is_ok() {
                pieces.push_back(piece);
            }
        }
        board.ran(engine.id());
        Ok(())
    }

    /// Does one piece of work; whether the engine can do such work.
    fn piece(&self, stage: &Stage, piece: &[QuestionId], budget: &Budget) -> Result<bool, Failure> {
        let Portfolio { request, board, .. } = self.portfolio;
        let (engine, id) = (stage.engine.as_ref(), stage.engine.id());
        let questions: Vec<Question> = piece.iter().map(|&question| request.question(question).clone()).collect();
        let observer = LaneObserver { lane: self, piece, stage, budget };
        let mut found = match engine.run(&self.situation(budget, &observer), &questions) {
            Ok(found) => found,
            // An engine that nobody asked for, and that cannot do it, leaves it to the others.
            Err(Failure::Input(_)) if !stage.is_wished => {
                board.refused(id);
                return Ok(false);
            }
            Err(failure) => return Err(failure),
        };
        let settled = found.answers.iter().flatten().filter(|answer| answer.verdict.is_definite()).count();
        // If everything is settled in no time, there is nothing to explain.
        if !(stage.is_short && settled == request.questions.len()) {
            let answers = found.answers.iter_mut().flatten();
            answers.filter(|answer| answer.verdict.is_definite() || !stage.is_short).for_each(|answer| {
                engine.explain(&self.situation(budget, &observer), answer);
            });
        }
        // Telling may take a while: what is false is told first.
        let definite = |answer: &&ProgramAnswer| answer.verdict.is_definite();
        let mut told: Vec<(QuestionId, &ProgramAnswer)> = (piece.iter().copied().zip(&found.answers))
            .filter_map(|(question, answer)| Some((question, answer.as_ref().filter(definite)?)))
            .collect();
        told.sort_by_key(|(_, answer)| answer.value() != Belnap::False);
        for (question, answer) in told {
            self.decide(question, Some(answer));
        }
        // Who was dismissed, since nobody wants to know more, was not interrupted by the user.
        if budget.is_dismissed() {
            let is_broken_off = |answer: &ProgramAnswer| answer.stopped() == Some(StopReason::Interrupted);
            found
                .answers
                .iter_mut()
                .filter(|answer| answer.as_ref().is_some_and(is_broken_off))
                .for_each(|answer| *answer = None);
        }
        // What is tried again later says later why it is open.
        if !budget.is_over_quota() {
            board.merge(id, piece, found);
        }
        Ok(true)
    }

    /// Passes on a definite answer.
    fn decide(&self, question: QuestionId, answer: Option<&ProgramAnswer>) {
        let Some(answer) = answer else { return };
        if self.portfolio.board.decide(question, answer.clone()) {
            self.portfolio.observer.answered(&answer.name, answer.value());
        }
    }

    fn situation<'s>(&'s self, budget: &'s Budget, observer: &'s dyn ProgramObserver) -> Situation<'s> {
        let Portfolio { request, facts, board, .. } = *self.portfolio;
        Situation { request, facts, board, client: self.client, budget, observer }
    }
}

/// Who listens to an engine for the sake of the board.
struct LaneObserver<'a> {
    lane: &'a LaneWork<'a>,
    piece: &'a [QuestionId],
    stage: &'a Stage,
    budget: &'a Budget,
}

impl Observer for LaneObserver<'_> {
    fn phase(&self, what: &str) {
        let text = {
            let mut texts = self.lane.texts.lock().unwrap_or_else(PoisonError::into_inner);
            what.clone_into(&mut texts[self.lane.number]);
            let shown: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
            shown.join(BETWEEN_LANES)
        };
        self.lane.portfolio.observer.phase(&text);
    }

    fn search(&self, what: &str) {
        self.lane.portfolio.observer.search(what);
    }

    fn counts(&self, counts: Counts) {
        self.lane.portfolio.observer.counts(counts);
    }
}

impl ProgramObserver for LaneObserver<'_> {
    fn decided(&self, answer: &ProgramAnswer) {
        let request = self.lane.portfolio.request;
        // What does not take long is told at its end, when it is known whether there is something to explain. A violation waits for nothing, unless what
        // is decided besides must not depend on when whoever listens breaks off.
        if self.stage.is_short && (answer.value() != Belnap::False || request.wishes.deterministic) {
            return;
        }
        let question = self.piece.iter().copied().find(|&question| request.question(question).name() == answer.name);
        let Some(question) = question else { return };
        let mut answer = answer.clone();
        if !self.stage.is_short {
            self.stage.engine.explain(&self.lane.situation(self.budget, self), &mut answer);
        }
        self.lane.decide(question, Some(&answer));
    }

    fn is_decided(&self, name: &str) -> bool {
        self.lane.portfolio.board.is_decided(name)
    }
}

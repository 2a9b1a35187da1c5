//! Engines for many processes: few stand for all, members of families are counted, systems of every size.

use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::spotlight::SpotlightOptions;
use tertium_load::questions::{Question, QuestionId};

use super::ProgramQuery;
use super::engine::{Applies, EngineId, EngineOutcome, ProgramEngine, Situation};
use super::predicates::why_abstracted;
use crate::failure::Failure;
use crate::program::{parameterised, spotlight};

/// Few processes are looked at closely, the others are shade.
pub(super) struct SpotlightAbstraction;

impl ProgramEngine for SpotlightAbstraction {
    fn id(&self) -> EngineId {
        EngineId::Spotlight
    }

    fn applies(&self, _: &Situation<'_>) -> Applies {
        Applies::Yes
    }

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<EngineOutcome, Failure> {
        let (file, wishes) = (situation.request.file, situation.request.wishes);
        let declared = (!file.program.spotlight.is_empty()).then(|| file.program.spotlight.clone());
        let how = SpotlightOptions { processes: declared, ..wishes.spotlight_options() };
        let (options, abstraction) = (&wishes.options, &wishes.abstraction);
        let found = spotlight::check(file, open, options, abstraction, &how, situation.budget, situation.observer)?;
        Ok(found.into())
    }

    fn divide(&self, _: &ProgramQuery<'_>, open: &[QuestionId]) -> Vec<Vec<QuestionId>> {
        open.iter().map(|&question| vec![question]).collect()
    }
}

/// When members of families are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum When {
    /// Looking at few processes left something open.
    AfterSpotlight,
    /// The steps of many in every order are too many even for abstract states.
    Many,
    /// Abstraction of all processes left something open.
    Otherwise,
}

/// Counter abstraction: members of a family are counted by place.
pub(super) struct CounterAbstraction(pub(super) When);

impl ProgramEngine for CounterAbstraction {
    fn id(&self) -> EngineId {
        EngineId::CounterAbstraction
    }

    fn applies(&self, situation: &Situation<'_>) -> Applies {
        let board = situation.board;
        let fits = match self.0 {
            When::AfterSpotlight => board.has_run(EngineId::Spotlight),
            When::Many => situation.facts.many,
            When::Otherwise => board.has_run(EngineId::Cegar),
        };
        Applies::when(fits && !board.has_run(self.id()) && tertium_cegar::solver::missing().is_none())
    }

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<EngineOutcome, Failure> {
        let (file, wishes) = (situation.request.file, situation.request.wishes);
        let how = (&wishes.abstraction, wishes.usual_rounds());
        let asked = (open, situation.board.broken());
        let asked = (asked.0, asked.1.as_slice());
        let answers = parameterised::count(file, asked, &wishes.options, how, situation.budget, situation.observer)?;
        Ok(EngineOutcome { answers, ..EngineOutcome::default() })
    }

    fn explain(&self, situation: &Situation<'_>, answer: &mut ProgramAnswer) {
        let why = self.why(situation);
        answer.choice = Some(format!("{}: {why}", answer.choice.take().unwrap_or_default()));
    }
}

impl CounterAbstraction {
    fn why(&self, situation: &Situation<'_>) -> String {
        match self.0 {
            When::AfterSpotlight => "looking at few processes left it open".to_owned(),
            When::Many => why_abstracted(situation, situation.facts.large.as_deref().unwrap_or_default()),
            When::Otherwise => "abstraction of all processes left it open".to_owned(),
        }
    }
}

/// Systems of every size.
pub(super) struct EverySize;

impl ProgramEngine for EverySize {
    fn id(&self) -> EngineId {
        EngineId::Parameterised
    }

    fn applies(&self, _: &Situation<'_>) -> Applies {
        Applies::Yes
    }

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<EngineOutcome, Failure> {
        let (file, wishes) = (situation.request.file, situation.request.wishes);
        let how = (&wishes.abstraction, wishes.usual_rounds());
        let found = parameterised::check(file, open, &wishes.options, how, situation.budget, situation.observer)?;
        Ok(found.into())
    }
}

//! What can players of a program enforce, by what its states satisfy of some predicates?
//!
//! The abstraction of possible and certain steps is a partial game (`drawing`; de Alfaro, Godefroid and Jagadeesan 2004), which the program's own game refines in the alternating sense; so what is definite there holds of the program. What stays open is split as
//! for branching formulas: the play that nobody can decide is followed in the program, and what contradicts it, or the precondition of the open step, becomes predicates (Shoham and Grumberg 2003; de Alfaro and Roy 2007 for games).
//!
//! Not here: games over all states (`statespace`), certificates over predicates, which say nothing of players.

mod drawing;

use std::time::Instant;

use tertium_abstraction::{Explored, Failed};
use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_evidence::{Deadlock, OpenQuestion};
use tertium_explore::search::liveness::Scheduling;
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::program::Language;
use tertium_load::questions::{PropertyQuery, Question};
use tertium_load::{Loaded, ProgramFile};
use tertium_model::Model;
use tertium_program::{Fairness, Program};
use tertium_structures::check::{self, Session};

use self::drawing::{Drawing, PredicateGame};
use crate::answer::{ProgramAnswer, Reason, Round, STUTTER, Vacuity};
use crate::limits;
use crate::observer::ProgramObserver;
use crate::options::CheckOptions;
use crate::players::{Players, asked_of_game, known_players};
use crate::predicate_abstraction::basis::Basis;
use crate::predicate_abstraction::{
    AbstractionCheck, AbstractionOptions, Prepared, blank, failed, prepare, solver_work, where_it_starts, why_open,
};
use crate::refine::Chooser;
use crate::refinement_loop::learn;

/// Why no game over predicates is played on this program.
#[must_use]
pub fn refusal(file: &ProgramFile, options: &CheckOptions) -> Option<Reason> {
    let refuse =
        |what: &str, help: &str| Some(Reason { what: what.to_owned(), about: None, span: None, help: help.to_owned() });
    if file.language != Language::Gcl {
        let what = "games over predicates are played on programs of guarded commands";
        return refuse(what, "leave out `--abstraction` and `--predicate`: then the program is run as it is");
    }
    if options.module {
        return refuse("modules are known where all states are", "leave out `--abstraction` and `--predicate`");
    }
    if options.deadlock == Some(Deadlock::Maximal) {
        let help = "leave out `--deadlock`: a run that ends stays where it is";
        return refuse("`--deadlock maximal` lets a run end, and then nobody moves", help);
    }
    let program = &file.program;
    let own = program.instances.len() == program.processes.len()
        && program.instances.iter().enumerate().all(|(at, instance)| instance.process.index() == at);
    if !own {
        return refuse("players are told apart where each process has a text of its own", "run the program as it is");
    }
    None
}

/// Who is treated fairly.
fn scheduling(program: &Program, options: &CheckOptions) -> Scheduling {
    let program = options.scheduled(program);
    let with = |fairness: Fairness| {
        let of = |pid: &u32| program.process(program.instances[*pid as usize].process).fairness == fairness;
        (0..to_u32(program.instances.len())).filter(of).collect()
    };
    Scheduling { weak: with(Fairness::Weak), strong: with(Fairness::Strong) }
}

/// Answers questions about players over predicates, which are found in at most `refinements` rounds.
///
/// # Errors
/// If a player is not known, the program cannot be abstracted, or two parts of this program disagree. Limits are no errors.
pub fn check(
    file: &ProgramFile,
    questions: &[&Question],
    options: &CheckOptions,
    (abstraction, refinements): (&AbstractionOptions, u32),
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<Vec<ProgramAnswer>, Failure> {
    let players = Players::of(&file.program);
    let work = AbstractionCheck { file, options, thorough: false, completions: false, budget, observer };
    let game = CoalitionGames { work, players: &players, abstraction, refinements };
    let mut answers = Vec::new();
    for question in questions {
        let start = Instant::now();
        let mut answer = match question {
            Question::Property(asked) => {
                known_players(&asked.formula, &players)?;
                match refusal(file, options) {
                    Some(why) => open(question, why),
                    None => game.decide(question, asked)?,
                }
            }
            Question::Never(_) | Question::Watched(_) => blank(question),
        };
        answer.cost.elapsed = start.elapsed();
        answer.tell(observer);
        answers.push(answer);
    }
    Ok(answers)
}

fn open(question: &Question, why: Reason) -> ProgramAnswer {
    let mut answer = blank(question);
    answer.verdict.leave_open(why);
    answer
}

struct CoalitionGames<'a> {
    work: AbstractionCheck<'a>,
    players: &'a Players,
    abstraction: &'a AbstractionOptions,
    refinements: u32,
}

impl CoalitionGames<'_> {
    fn decide(&self, question: &Question, asked: &PropertyQuery) -> Result<ProgramAnswer, Failure> {
        let mut how = self.abstraction.clone();
        if how.max_states.is_none() {
            how.max_states = Some(limits::STRUCTURE_MOST_STATES);
            how.most_calls = Some(limits::STRUCTURE_MOST_VISIT_CALLS);
        }
        let mut prepared = match prepare(self.work.file, &asked.atoms, &how, self.work.budget) {
            Err(Failure::Stopped(stopped)) => return Ok(blank(question).stopped_by(stopped.0)),
            prepared => prepared?,
        };
        let names = prepared.system.predicates().iter().map(|predicate| predicate.name.clone());
        let mut news: Vec<String> = names.collect();
        let (mut chooser, mut rounds) = (Chooser::default(), Vec::new());
        loop {
            let (round, observer) = (rounds.len(), self.work.observer);
            let visited = Explored::visit(&mut prepared.system, self.work.budget, &mut |done, known| {
                if done % 16 == 1 {
                    observer.phase(&format!("{}, round {round}: {done} of {known} abstract states", asked.name));
                }
            });
            let explored = match visited {
                Ok(explored) => explored,
                Err(Failed::Stopped(stopped)) => {
                    let mut answer = self.work.stopped(&prepared.system, question, stopped);
                    answer.rounds = rounds;
                    return Ok(answer);
                }
                Err(why) => return Err(failed(self.work.file, prepared.system.program(), why)),
            };
            let (mut answer, left) = match self.on_game(&mut prepared, &explored, (question, asked)) {
                Err(Failure::Stopped(stopped)) => (self.work.stopped(&prepared.system, question, stopped), None),
                decided => decided?,
            };
            let calls = usize::try_from(prepared.system.queries().calls()).unwrap_or(usize::MAX);
            let why = answer.reasons().first().map(|reason| reason.what.clone());
            let (predicates, states) = (std::mem::take(&mut news), explored.states.len());
            rounds.push(Round { predicates, states, calls, open: why, ..Round::default() });
            answer.cost.refinements = rounds.len() - 1;
            if let Some(open) = left.filter(|_| to_u32(rounds.len()) <= self.refinements) {
                let before = prepared.system.predicates().len();
                news = learn(&mut prepared, question, &explored, &open, &mut chooser)?;
                if !news.is_empty() && before + news.len() <= limits::ROUNDS_MOST_PREDICATES {
                    continue;
                }
            }
            answer.rounds = rounds;
            return Ok(answer);
        }
    }

    /// The answer on the game over the present predicates, and what leaves it open, in abstract states.
    fn on_game(
        &self,
        prepared: &mut Prepared,
        explored: &Explored,
        (question, asked): (&Question, &PropertyQuery),
    ) -> Result<(ProgramAnswer, Option<OpenQuestion>), Failure> {
        let work = &self.work;
        let mut answer = blank(question);
        let (edges, promises) = (explored.edges(), scheduling(&work.file.program, work.options));
        answer.cost.states = explored.states.len();
        answer.cost.transitions = edges.both + edges.may + edges.must + edges.hyper;
        answer.deadlock = STUTTER;
        let atoms = prepared.atoms(asked);
        let drawing = Drawing { explored, atoms: &atoms, players: self.players, promises: &promises };
        let drawn = drawing.game(&mut prepared.system, work.budget);
        let PredicateGame { model, places } = drawn.map_err(|why| failed(work.file, prepared.system.program(), why))?;
        answer.cost.solver = Some(solver_work(&prepared.system));
        if model.init().is_empty() {
            answer.verdict.settle(Belnap::True);
            answer.vacuity = Vacuity::NoInitialState;
            return Ok((answer, None));
        }
        let sure = explored.initial.iter().all(|&(_, certain)| certain);
        let loaded = Loaded::of_model("", Model::Kmts(model));
        let options =
            check::CheckOptions { engine: work.options.engine, all_states: !sure, ..check::CheckOptions::default() };
        let session = Session::new(&loaded, options, work.budget)?;
        let mut parsed = asked.on_structure()?;
        parsed.formula = asked_of_game(&parsed.formula, &promises, self.players);
        let found = session.check(&parsed, work.budget, work.observer)?;
        answer.stop_if(found.stopped());
        // Where something certain is not possible, the abstraction contradicts itself: nothing is known then.
        let value = if found.verdict.value() == Belnap::Both { Belnap::Unknown } else { found.verdict.value() };
        answer.verdict.settle(value);
        if value == Belnap::False && !sure && !work.surely_false(&mut prepared.system, explored, &found)? {
            answer.verdict.withdraw(where_it_starts());
        }
        if answer.value() != Belnap::Unknown {
            answer.rest_on(Basis::Untold("certificates over predicates say nothing of players".to_owned()));
            return Ok((answer, None));
        }
        let open = found.open().map(|(open, _)| open);
        if answer.stopped().is_none()
            && answer.reasons().is_empty()
            && let Model::Kmts(game) = &loaded.model
        {
            answer.verdict.leave_open(why_open(&prepared.system, game, open));
        }
        let open = open.map(|open| drawing.in_abstract_states(&places, open));
        Ok((answer, open))
    }
}

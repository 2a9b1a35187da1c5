//! Predicate abstraction (Graf and Saïdi 1997): what can be said about a program by what its states satisfy of some predicates?
//!
//! The program is abstracted once, over the predicates it begins with ([`predicates`], [`prepare`](fn@prepare)); every property is decided on the
//! structure by the engines for structures, linear ones on a part of it that is made on the fly (`on_the_fly`), if that is enough. Mistakes of steps are looked for in the abstract states (`mistakes`).
//! Whatever is false by a path of certain steps is followed in the program (`concretise`). [`refinement_loop`](crate::refinement_loop) does so again and again,
//! with more predicates each time.

pub mod abstraction_view;
pub mod basis;
pub(crate) mod concretise;
pub(crate) mod infix;
pub(crate) mod mistakes;
pub(crate) mod on_the_fly;
pub mod predicates;
mod prepare;
pub mod retell;
pub mod round_history;
mod set_encoding;
mod sets;

use std::time::Instant;

use tertium_abstraction::{Explored, Failed, StructureOptions, System};
use tertium_base::{Budget, Diagnostic, StopReason, Stopped};
use tertium_evidence::{OpenQuestion, Reason as Open};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_model::{Kmts, Model, StateId};
use tertium_program::{ExprId, Fairness, ProcessId, Program};
use tertium_smt::Opinions;

use self::on_the_fly::OnTheFlyAnswer;
pub use self::prepare::{AbstractionKind, AbstractionOptions, Limit, Prepared, failed, prepare};
pub(crate) use self::prepare::{how, over, second_solver, unsupported};
use crate::answer::{ProgramAnswer, Reason, STUTTER, SolverWork, Vacuity};
use crate::limits::COMPLETIONS_MOST_EFFORT;
use crate::observer::ProgramObserver;
use crate::options::{CheckOptions, CheckOutcome};
use crate::single_states::condition_of_every_state;
use tertium_evidence::Deadlock;
use tertium_evidence::provenance::{Engine, Provenance, Technique};
use tertium_load::Loaded;
use tertium_load::ProgramFile;
use tertium_load::failure::{Failure, Located};
use tertium_load::questions::{PropertyQuery, Question};
use tertium_structures::answer::{Answer, Value};
use tertium_structures::check;
use tertium_structures::check::Session;

/// Answers all questions on one abstraction.
///
/// # Errors
/// If the program cannot be abstracted, or two parts of this program disagree.
pub fn check(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    abstraction: &AbstractionOptions,
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<CheckOutcome, Failure> {
    if sets::wanted(options, abstraction) {
        let mut outcome = sets::check(file, questions, options, abstraction, budget, observer)?;
        outcome.remarks.extend(about_reading(questions, options));
        return Ok(outcome);
    }
    let asked: Vec<ExprId> = questions.iter().flat_map(atoms_of).collect();
    let start = Instant::now();
    let mut prepared = prepare(file, &asked, abstraction, budget)?;
    let work = AbstractionCheck { file, options, thorough: abstraction.thorough, completions: false, budget, observer };
    let mut answers = Vec::new();
    let mut whole = None;
    for question in questions {
        if abstraction.on_demand
            && let Some(OnTheFlyAnswer::Answered(answer)) = work.on_demand(&mut prepared, question)?
        {
            answer.tell(observer);
            answers.push(*answer);
            continue;
        }
        let explored = whole.get_or_insert_with(|| {
            Explored::visit(&mut prepared.system, budget, &mut |done, known| {
                if done % 64 == 1 {
                    observer.phase(&format!("abstracting: {done} of {known} states"));
                }
            })
        });
        let answer = match explored {
            Ok(explored) => work.answer_with(&mut prepared, explored, question)?.0,
            Err(Failed::Stopped(stopped)) => work.stopped(&prepared.system, question, *stopped),
            Err(why) => return Err(failed(file, prepared.system.program(), why.clone())),
        };
        answer.tell(observer);
        answers.push(answer);
    }
    if let Some(first) = answers.first_mut() {
        first.cost.elapsed = start.elapsed();
    }
    let remarks = disagreements(&prepared).into_iter().chain(about_reading(questions, options)).collect();
    Ok(CheckOutcome { answers, remarks, coverage: None })
}

/// A warning about the reading of linear formulas, if one is asked and the reading needs it: abstract steps may be open.
pub(crate) fn about_reading(questions: &[Question], options: &CheckOptions) -> Option<Located> {
    let linear =
        |question: &Question| matches!(question, Question::Property(asked) if asked.formula.logic() == Logic::Ltl);
    options.linear.filter(|_| questions.iter().any(linear)).and_then(check::unsound_reading)
}

/// Whether single states decide that a question has this answer.
pub(crate) fn by_states(question: &Question, value: Belnap) -> bool {
    match question {
        Question::Property(asked) => condition_of_every_state(&asked.formula, value).is_some(),
        Question::Never(_) => value == Belnap::True,
        Question::Watched(_) => false,
    }
}

/// What a question says about single states.
pub(crate) fn atoms_of(question: &Question) -> impl Iterator<Item = ExprId> + '_ {
    let atoms = match question {
        Question::Property(asked) => asked.atoms.as_slice(),
        Question::Never(_) | Question::Watched(_) => &[],
    };
    atoms.iter().copied()
}

/// Remarks about solvers that contradict each other, or of which the second could not tell.
pub(crate) fn disagreements(prepared: &Prepared) -> Vec<Located> {
    let queries = prepared.system.queries();
    let contradiction = queries.disagreements().first().map(|script| {
        Diagnostic::warning("W0406", "two solvers contradict each other; neither was believed")
            .note(format!("the first such question:\n{script}"))
    });
    let Opinions { asked, open } = queries.opinions();
    let silence = (open > 0).then(|| {
        Diagnostic::warning("W0410", format!("the second solver could not tell in {open} of {asked} cases"))
            .note("there the first one was believed alone")
            .help("give it more time with `--solver-timeout`")
    });
    contradiction.into_iter().chain(silence).map(Located::nowhere).collect()
}

/// A property that stays open: the structure, and what was found on it.
pub(crate) struct Opened {
    pub(crate) found: Answer,
}

#[derive(Clone, Copy)]
pub(crate) struct AbstractionCheck<'a> {
    pub(crate) file: &'a ProgramFile,
    pub(crate) options: &'a CheckOptions,
    pub(crate) thorough: bool,
    /// Whether all completions are looked at, within a limited effort.
    pub(crate) completions: bool,
    pub(crate) budget: &'a Budget,
    pub(crate) observer: &'a dyn ProgramObserver,
}

/// A question that is open, to be answered by abstraction.
#[must_use]
pub fn blank(question: &Question) -> ProgramAnswer {
    let provenance = Provenance::new(Engine::Cegar, Technique::PredicateAbstraction);
    ProgramAnswer { provenance, ..ProgramAnswer::about(question) }
}

impl AbstractionCheck<'_> {
    pub(crate) fn stopped(&self, system: &System, question: &Question, stopped: Stopped) -> ProgramAnswer {
        let mut answer = blank(question);
        answer.cost.solver = Some(solver_work(system));
        if stopped.0 == StopReason::Count {
            answer.verdict.leave_open(Reason {
                what: "there are more abstract states than the limit allows".to_owned(),
                about: None,
                span: None,
                help: "raise `--max-states`, or take fewer predicates".to_owned(),
            });
        } else {
            answer.verdict.stop(stopped.0);
        }
        answer
    }

    /// The answer on a structure, with what is open about a property.
    pub(crate) fn answer_with(
        &self,
        prepared: &mut Prepared,
        explored: &Explored,
        question: &Question,
    ) -> Result<(ProgramAnswer, Option<Opened>), Failure> {
        let start = Instant::now();
        let mut answer = blank(question);
        let edges = explored.edges();
        answer.cost.states = explored.states.len();
        answer.cost.transitions = edges.both + edges.may + edges.must + edges.hyper;
        let mut opened = None;
        let decided = match question {
            Question::Property(asked) => self.property(prepared, explored, asked, &mut answer),
            Question::Never(never) => self.never(prepared, explored, never.mistake, &mut answer).map(|()| None),
            Question::Watched(_) => {
                answer.verdict.leave_open(not_watched());
                Ok(None)
            }
        };
        match decided {
            Ok(found) => opened = found,
            Err(Failure::Stopped(stopped)) => answer = self.stopped(&prepared.system, question, stopped),
            Err(failure) => return Err(failure),
        }
        let whole = explored.told() == explored.states.len();
        if by_states(question, answer.value()) && answer.run().is_none() && whole {
            answer.rest_on(prepared.told_states(&explored.states));
        }
        answer.cost.solver = Some(solver_work(&prepared.system));
        answer.cost.elapsed = start.elapsed();
        Ok((answer, opened))
    }

    pub(crate) fn property(
        &self,
        prepared: &mut Prepared,
        explored: &Explored,
        asked: &PropertyQuery,
        answer: &mut ProgramAnswer,
    ) -> Result<Option<Opened>, Failure> {
        let atoms = prepared.atoms(asked);
        let system = &mut prepared.system;
        let logic = asked.formula.logic();
        if is_of_paths(logic) && !with_fairness(system.program(), Fairness::Strong).is_empty() {
            answer.verdict.leave_open(strong_fairness());
            return Ok(None);
        }
        let shape = shape(system.program(), logic, self.options);
        answer.deadlock = self.options.deadlock.map_or(if shape.stutter { STUTTER } else { "mu" }, Deadlock::name);
        let structure = explored.structure(system, &atoms, &shape, self.budget);
        let structure = structure.map_err(|why| failed(self.file, system.program(), why))?;
        if structure.init().is_empty() {
            answer.verdict.settle(Belnap::True);
            answer.vacuity = Vacuity::NoInitialState;
            return Ok(None);
        }
        let sure = explored.initial.iter().all(|&(_, certain)| certain);
        let options = check::CheckOptions {
            deadlock: self.options.deadlock,
            linear: self.options.linear,
            engine: self.options.engine,
            parameters: true,
            look_for_vacuity: true,
            all_states: !sure,
            thorough: self.thorough,
            ..check::CheckOptions::default()
        };
        let loaded = Loaded::of_model("", Model::Kmts(structure));
        let session = Session::new(&loaded, options.clone(), self.budget)?;
        let parsed = asked.on_structure()?;
        let mut found = session.check(&parsed, self.budget, self.observer)?;
        if self.completions && found.value_is_unknown() && session.may_gain_from_completions(&parsed.formula) {
            // What all completions agree on may be more.
            let limited = self.budget.with_further_effort(COMPLETIONS_MOST_EFFORT);
            let thorough = Session::new(&loaded, check::CheckOptions { thorough: true, ..options }, &limited)?;
            let closer = thorough.check(&parsed, &limited, self.observer)?;
            if closer.verdict.is_definite() {
                found = closer;
                answer.provenance.technique = Technique::AbstractCompletions;
            }
        }
        answer.stop_if(found.stopped());
        // What abstract states leave open of the witness formula is not known of the program.
        answer.vacuity = if found.vacuous { Vacuity::Vacuous } else { Vacuity::NotSought };
        answer.warnings.clone_from(&found.warnings);
        answer.verdict.settle(found.verdict.value());
        if answer.value() == Belnap::False && !sure && !self.surely_false(system, explored, &found)? {
            answer.verdict.withdraw(where_it_starts());
        }
        let Model::Kmts(structure) = &loaded.model else { return Ok(None) };
        if matches!(answer.value(), Belnap::True | Belnap::False) {
            answer.rest_on(basis::structure(system, explored, structure, &prepared.later));
        }
        match answer.value() {
            Belnap::Unknown if answer.stopped().is_none() && answer.reasons().is_empty() => {
                let open = found.open().map(|(open, _)| open);
                answer.verdict.leave_open(why_open(system, structure, open));
                return Ok(Some(Opened { found }));
            }
            Belnap::Both => {
                return Err(Failure::Internal(format!(
                    "the abstraction says that `{}` is both true and false",
                    asked.name
                )));
            }
            Belnap::False => {
                let atoms: Vec<ExprId> = atoms.iter().map(|&(_, expr)| expr).collect();
                let told = concretise::run(system, explored, (asked, &atoms), structure, &found, self.budget)?;
                answer.show_run(match (told, &prepared.steps) {
                    (Some(told), Some(steps)) => retell::run(&self.file.program, steps, &told, self.budget)?,
                    (told, _) => told,
                });
            }
            _ => {}
        }
        Ok(None)
    }

    /// Whether some initial state of the program surely breaks the property: one that surely exists, or all there are.
    pub(crate) fn surely_false(
        &self,
        system: &mut System,
        explored: &Explored,
        found: &Answer,
    ) -> Result<bool, Failure> {
        let Some(values) = &found.per_state else { return Ok(false) };
        let is_false = |number: usize| values.get(number).is_some_and(Value::is_false);
        if explored.initial.iter().any(|&(number, certain)| certain && is_false(number)) {
            return Ok(true);
        }
        let all = explored.initial.iter().all(|&(number, _)| is_false(number));
        let starts = system.surely_starts();
        Ok(all && starts.map_err(|why| failed(self.file, system.program(), why))?)
    }
}

pub(crate) fn solver_work(system: &System) -> SolverWork {
    SolverWork {
        predicates: system.predicates().len(),
        calls: usize::try_from(system.queries().calls()).unwrap_or(usize::MAX),
        recalled: usize::try_from(system.queries().recalled()).unwrap_or(usize::MAX),
    }
}

pub(crate) fn is_of_paths(logic: Logic) -> bool {
    matches!(logic, Logic::Ctl | Logic::CtlStar | Logic::Ltl)
}

/// What becomes part of the structure besides steps: who is fair, and whether runs that end go on standing still.
pub(crate) fn shape(program: &Program, logic: Logic, options: &CheckOptions) -> StructureOptions {
    if !is_of_paths(logic) {
        return StructureOptions::default();
    }
    let fair = if options.fair { program.process_ids().collect() } else { with_fairness(program, Fairness::Weak) };
    let whole_paths = logic != Logic::Ctl || !fair.is_empty() || !with_fairness(program, Fairness::Strong).is_empty();
    StructureOptions { fair, stutter: whole_paths && options.deadlock.is_none(), ..StructureOptions::default() }
}

pub(crate) fn with_fairness(program: &Program, fairness: Fairness) -> Vec<ProcessId> {
    program.process_ids().filter(|&process| program.process(process).fairness == fairness).collect()
}

pub(crate) fn strong_fairness() -> Reason {
    Reason {
        what: "by abstraction, strong fairness shows that linear properties are true, and nothing else".to_owned(),
        about: None,
        span: None,
        help: "declare the process `fair` instead of `strong fair`".to_owned(),
    }
}

pub(crate) fn not_watched() -> Reason {
    Reason {
        what: "claims, and acceptance and progress labels, are not known to abstraction".to_owned(),
        about: None,
        span: None,
        help: "write the property in ltl".to_owned(),
    }
}

pub(crate) fn where_it_starts() -> Reason {
    Reason {
        what: "the property fails from an abstract initial state that may stand for no state of the program".to_owned(),
        about: None,
        span: None,
        help: "give the variables initial values that do not depend on functions".to_owned(),
    }
}

/// What leaves a property open, in the words of the abstraction.
pub(crate) fn why_open(system: &System, structure: &Kmts, open: Option<&OpenQuestion>) -> Reason {
    let name = |state: StateId| structure.state_name(state).to_owned();
    let reason = open.and_then(|open| open.reasons.first());
    let count = system.predicates().len();
    let what = match reason {
        Some(Open::Label { state, prop }) => {
            format!(
                "in the abstract state `{}` it is open whether `{}` holds",
                name(*state),
                structure.props()[prop.index()]
            )
        }
        Some(Open::Edge { from, to, .. }) => {
            format!("the step from the abstract state `{}` to `{}` is possible, not certain", name(*from), name(*to))
        }
        Some(Open::Hyper { from, members, .. }) => format!(
            "from the abstract state `{}` one of {} states is certain, but not which",
            name(*from),
            members.len()
        ),
        None => "the abstraction leaves it open".to_owned(),
    };
    let gave_up = system.queries().gave_up();
    let unsure = if gave_up == 0 { String::new() } else { format!("; the solver gave up {gave_up} times") };
    Reason {
        what: format!("with {count} predicate{}, {what}{unsure}", if count == 1 { "" } else { "s" }),
        about: None,
        span: None,
        help: "add a predicate: `--predicate EXPR`; `tertium abstract` shows what the present ones tell".to_owned(),
    }
}

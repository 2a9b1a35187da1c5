//! What can be said about a program over the combinations of its predicates, without listing any?
//!
//! The cartesian abstraction: each predicate becomes true, false or open, under cubes of the others. A state here is where the
//! processes are and a value for every predicate; possible steps, certain ones and certain sets of combinations are
//! relations between sets of such states. So thirty predicates and more are no matter, as long as few are related.
//!
//! Not here: other kinds of abstraction, variables that stay concrete, fairness; they are refused.

use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use tertium_base::narrow::whole;
use tertium_base::{Budget, Diagnostic, StopReason, Stopped};
use tertium_check::EngineError;
use tertium_check::symbolic::{Atoms, evaluate, star_value};
use tertium_dd::with_deep_stack_meanwhile;
use tertium_lattice::Belnap;
use tertium_logic::{Logic, Node};
use tertium_program::{ExprId, Fairness};

use super::basis::Basis;
use super::set_encoding::{Encoded, Trouble};
use super::{AbstractionKind, AbstractionOptions, Prepared, blank, failed, prepare, solver_work, with_fairness};
use crate::answer::{ProgramAnswer, Reason, STUTTER, Vacuity};
use crate::observer::ProgramObserver;
use crate::options::{CheckOptions, CheckOutcome};
use tertium_evidence::provenance::Engine;
use tertium_evidence::{Deadlock, LinearReading};
use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_load::questions::{Mistake, PropertyQuery, Question};
use tertium_structures::engines;

/// Whether an abstraction is computed with sets: the user chose the engine and the kind that fits it.
pub(crate) fn wanted(options: &CheckOptions, abstraction: &AbstractionOptions) -> bool {
    options.engine == tertium_structures::engines::EngineChoice::Symbolic
        && abstraction.kind == AbstractionKind::Cartesian
}

/// Answers all questions over sets of abstract states.
///
/// # Errors
/// If the program cannot be abstracted, or something is asked that sets of abstract states do not decide.
pub(crate) fn check(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    abstraction: &AbstractionOptions,
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<CheckOutcome, Failure> {
    refuse(file, questions, options, abstraction)?;
    let (sender, receiver) = channel();
    let listen = || receiver.iter().for_each(|what: String| observer.phase(&what));
    let outcome =
        with_deep_stack_meanwhile(move || run(file, questions, options, abstraction, budget, &sender), listen);
    // Where the address space has no room for the thread's stack, there is none for sets either.
    outcome.unwrap_or_else(|_| Ok(CheckOutcome::stopped(questions, Stopped(StopReason::Memory))))
}

fn refuse(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    abstraction: &AbstractionOptions,
) -> Result<(), Failure> {
    let no = |what: &str| {
        Err(Diagnostic::error("E0364", format!("abstract states as sets cannot do this: {what}"))
            .help("use another `--abstraction`, or leave out `--engine symbolic`")
            .into())
    };
    if abstraction.thorough || options.fair {
        return no("only the compositional semantics, without fairness");
    }
    if options.linear == Some(LinearReading::BgTotal) && options.deadlock == Some(Deadlock::Mu) {
        return no("whether every state has a successor is left open by the predicates");
    }
    if abstraction.max_states.is_some() {
        return no("`--max-states` counts abstract states, and none is listed");
    }
    if !file.program.keep.is_empty() {
        return no("no variable stays concrete");
    }
    if matches!(options.deadlock, Some(Deadlock::Total | Deadlock::Forbid)) {
        return no("whether states have successors is left open by the predicates");
    }
    let fair = [Fairness::Weak, Fairness::Strong].iter().any(|&kind| !with_fairness(&file.program, kind).is_empty());
    for question in questions {
        match question {
            Question::Property(asked) if !asked.formula.actions().is_empty() => {
                return no("modalities of single processes");
            }
            Question::Property(asked) if fair && asked.formula.logic() != Logic::Mu => return no("fairness"),
            Question::Watched(_) => return no("claims, acceptance and progress"),
            _ => {}
        }
    }
    Ok(())
}

fn run(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    abstraction: &AbstractionOptions,
    budget: &Budget,
    report: &Sender<String>,
) -> Result<CheckOutcome, Failure> {
    let start = Instant::now();
    let asked: Vec<ExprId> = questions
        .iter()
        .filter_map(|question| if let Question::Property(asked) = question { Some(asked.atoms.clone()) } else { None })
        .flatten()
        .collect();
    let abstraction = AbstractionOptions { keep_small: false, ..abstraction.clone() };
    let mut prepared = prepare(file, &asked, &abstraction, budget)?;
    if !prepared.system.kept().is_empty() {
        return Err(Failure::from(Diagnostic::error("E0364", "no variable can stay concrete here")));
    }
    // Nobody listening is no reason to stop.
    let _ = report.send(format!("abstracting steps over {} predicates", prepared.system.predicates().len()));
    let encoded = Encoded::new(&mut prepared.system, budget);
    let mut outcome = CheckOutcome::default();
    let encoded = match encoded {
        Ok(encoded) => encoded,
        Err(Trouble::Stopped(stopped)) => return Ok(CheckOutcome::stopped(questions, stopped)),
        Err(Trouble::Failed(why)) => return Err(failed(file, prepared.system.program(), why)),
    };
    for question in questions {
        let begin = Instant::now();
        let _ = report.send("deciding over sets of abstract states".to_owned());
        let mut answer = blank(question);
        answer.provenance.engine = Engine::Symbolic;
        answer.cost.states = whole(encoded.states.count(encoded.bits.len()));
        let decided = match question {
            Question::Property(asked) => property(&mut prepared, &encoded, asked, options, &mut answer),
            Question::Never(asked) => never(&encoded, asked.mistake, &mut answer),
            Question::Watched(_) => Ok(()),
        };
        match decided {
            Ok(()) => {}
            Err(Trouble::Stopped(stopped)) => {
                answer.verdict.settle(Belnap::Unknown);
                answer.verdict.stop(stopped.0);
            }
            Err(Trouble::Failed(why)) => return Err(failed(file, prepared.system.program(), why)),
        }
        answer.cost.solver = Some(solver_work(&prepared.system));
        let unlisted = "it was found over sets of abstract states, which are not listed".to_owned();
        answer.rest_on(Basis::Untold(unlisted));
        answer.cost.elapsed = begin.elapsed();
        outcome.answers.push(answer);
    }
    if let Some(first) = outcome.answers.first_mut() {
        first.cost.elapsed = start.elapsed();
    }
    Ok(outcome)
}

fn never(encoded: &Encoded, mistake: Mistake, answer: &mut ProgramAnswer) -> Result<(), Trouble> {
    let perhaps = match mistake {
        Mistake::Deadlock | Mistake::EndState => encoded.surely_enabled.not().minus(&encoded.ended)?,
        _ => encoded.perhaps_wrong.clone(),
    };
    if perhaps.and(&encoded.states)?.is_empty() {
        answer.verdict.settle(Belnap::True);
    } else {
        answer.verdict.leave_open(left_open());
    }
    Ok(())
}

fn property(
    prepared: &mut Prepared,
    encoded: &Encoded,
    asked: &PropertyQuery,
    options: &CheckOptions,
    answer: &mut ProgramAnswer,
) -> Result<(), Trouble> {
    let mut labels = Vec::new();
    for (at, &expr) in asked.atoms.iter().enumerate() {
        let used = asked.formula.nodes().iter().any(|node| matches!(node, Node::Atom(id) if id.index() == at));
        let expr = prepared.expr(expr);
        labels.push(if used { Some(encoded.label(&mut prepared.system, expr)?) } else { None });
    }
    let elements = asked.formula.elements().iter().map(|_| Belnap::Unknown).collect();
    let atoms = Atoms { labels, elements, filters: Vec::new() };
    let logic = asked.formula.logic();
    let stutter = matches!(logic, Logic::Ltl | Logic::CtlStar) && options.deadlock != Some(Deadlock::Mu);
    answer.deadlock = options.deadlock.map_or(if stutter { STUTTER } else { "mu" }, Deadlock::name);
    let structure = encoded.structure(stutter)?;
    let ending = options.deadlock == Some(Deadlock::Maximal) && asked.formula.logic() == Logic::Ctl;
    let value = match logic {
        Logic::Ltl => encoded.linear(&structure, &asked.formula, &atoms, options.linear, stutter),
        Logic::CtlStar => star_value(&structure, &asked.formula, &atoms, &0.into(), None),
        _ => evaluate(&structure, &asked.formula, &atoms, ending),
    };
    let value = match value {
        Ok(value) => value,
        Err(EngineError::Stopped(stopped)) => return Err(stopped.into()),
        Err(error) => {
            debug_assert!(false, "{:?}", engines::failure(error));
            answer.verdict.leave_open(left_open());
            return Ok(());
        }
    };
    let (mut all_true, mut some_false) = (true, false);
    for (set, certain) in &encoded.initial {
        all_true &= set.is_subset(&value.yes)?;
        // Every combination that the state stands for must be refuted, and one must be the program's.
        some_false |= *certain && set.and(&value.open)?.is_empty();
    }
    answer.verdict.settle(Belnap::from_evidence(all_true && !some_false, some_false));
    if encoded.initial.is_empty() {
        answer.vacuity = Vacuity::NoInitialState;
    }
    if answer.value() == Belnap::Unknown {
        answer.verdict.leave_open(left_open());
    }
    Ok(())
}

fn left_open() -> Reason {
    Reason {
        what: "the predicates do not tell the states apart that matter".to_owned(),
        about: None,
        span: None,
        help: "add predicates (`--predicate`), or use `--abstraction hyper`, which is more precise".to_owned(),
    }
}

//! What proves an answer about a program?
//!
//! A proof speaks of what the answer rests on: abstract states, or the program's graph, which is written out by the kernel. The kernel checks it before it is
//! written.

use tertium_base::Budget;
use tertium_cegar::structure_proof;
pub use tertium_cegar::structure_proof::Written;
use tertium_check::synthesis::CoalitionTask;
use tertium_check::{Ask, Task};
use tertium_evidence::abstraction::{Abstraction, Structure};
use tertium_evidence::{Certificate, CertificatePlace, InvariantPart, Reading, write_document, write_invariant};
use tertium_kernel::Subject as SubjectKind;
pub use tertium_kernel::obligations::Obligation;
use tertium_kernel::obligations::StructureReading;
use tertium_kernel::programs::graph::NoGraph;
use tertium_kernel::programs::invariant_obligations;
use tertium_kernel::programs::question::{Settings, Subject};
use tertium_kernel::solve::{Decided, Decider, decide};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, StateId};
use tertium_program::VarId;
use tertium_program::analysis::Intervals;
use tertium_structures::coalitions;

use super::check::CheckOptions;
use super::predicate_abstraction::basis::Basis;
use super::questions::{PropertyQuery, Question, WatchKind};
use super::slice::Slice;
use super::{ProgramAnswer, ProgramFile, counter_proof, slice_proof};
use crate::check::bound;
use crate::engines::{self, EngineChoice};
use crate::failure::{Failure, Located};
use crate::prove;

/// Whether an answer has a run that is evidence by itself: what branches rests on other runs, too, a claim must be run beside it, and that a cycle can be taken
/// for ever although no state comes back takes a proof.
#[must_use]
pub fn is_shown_by_its_run(question: &Question, answer: &ProgramAnswer) -> bool {
    let decides = match question {
        Question::Property(asked) => asked.invariant.is_some() || asked.formula.logic() == Logic::Ltl,
        Question::Never(_) => true,
        Question::Watched(watched) => !matches!(watched.kind, WatchKind::Claim(_)),
    };
    // That every initial state has such a run takes a proof, too.
    let of_all = matches!(question, Question::Property(asked) if asked.exists) && answer.basis().is_some();
    answer.run().is_some() && answer.repeats().is_none() && decides && !of_all
}

/// The certificate of a question with a definite answer: about what the answer rests on, or else about the program's graph.
///
/// # Errors
/// If a limit is reached, or the graph or the independent checker disagrees with the answer.
pub fn certificate_of(
    file: &ProgramFile,
    question: &Question,
    answer: &ProgramAnswer,
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Written, Failure> {
    if options.module {
        return Ok(Written::None("what holds in every environment of a program has no certificate".to_owned()));
    }
    let written = match answer.basis() {
        Some(Basis::States(states)) => invariant(file, question, answer, states, budget)?,
        Some(Basis::Structure(over, structure)) => match question {
            Question::Property(asked) => of_structure(file, asked, answer, (over, structure), options, budget)?,
            _ => Written::None("a structure speaks of properties only".to_owned()),
        },
        Some(Basis::Counted(counted)) => return counter_proof::certificate(file, counted, options, budget),
        _ if is_shown_by_its_run(question, answer) => return Ok(Written::None("a run shows it".to_owned())),
        Some(Basis::Untold(why)) => Written::None(why.clone()),
        None => return on_graph_or_slice(file, question, answer, options, budget),
    };
    match written {
        // What the answer rests on cannot be told; the program's graph can, if it is small.
        Written::None(why) if answer.repeats().is_none() && !is_shown_by_its_run(question, answer) => {
            Ok(match on_graph(file, question, answer.value(), options, budget)? {
                Written::None(other) => Written::None(format!("{why}; and {other}")),
                written => written,
            })
        }
        written => Ok(written),
    }
}

/// The certificate of a structure over abstract states.
fn of_structure(
    file: &ProgramFile,
    asked: &PropertyQuery,
    answer: &ProgramAnswer,
    over: (&Abstraction, &Structure),
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Written, Failure> {
    match structure_proof::certificate(file, asked, answer, over, options, budget) {
        Err(Failure::Input(why)) => Ok(without_solver(why)),
        written => written,
    }
}

/// Without a solver the answer stands, but nobody has checked its certificate.
fn without_solver(why: Vec<Located>) -> Written {
    Written::None(why.into_iter().map(|why| why.diagnostic.message).collect::<Vec<_>>().join("; "))
}

/// The certificate of an answer that rests on all states: about the program's graph, or about a slice of it where what was left out has no bounds.
fn on_graph_or_slice(
    file: &ProgramFile,
    question: &Question,
    answer: &ProgramAnswer,
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Written, Failure> {
    let Some(slice) = Slice::behind(file, answer) else {
        return on_graph(file, question, answer.value(), options, budget);
    };
    let known = Intervals::of(&file.program);
    let bounded = |&var: &VarId| known.variable(var).is_none_or(|known| known.lo.is_some() && known.hi.is_some());
    let mut whys = Vec::new();
    // A process that was left out multiplies states.
    if answer.idle.is_empty() && answer.left_out.iter().all(bounded) {
        match on_graph(file, question, answer.value(), options, budget)? {
            Written::None(why) => whys.push(why),
            written => return Ok(written),
        }
    }
    let basis = slice_proof::basis(&slice, question, answer, options, budget)?;
    let written = match (&basis, question) {
        (Basis::States(states), _) => invariant(file, question, answer, states, budget)?,
        (Basis::Structure(over, structure), Question::Property(asked)) => {
            of_structure(file, asked, answer, (over, structure), options, budget)?
        }
        (Basis::Untold(why), _) => Written::None(why.clone()),
        _ => Written::None("nothing is told of what is left of the program".to_owned()),
    };
    match written {
        Written::None(why) => whys.push(why),
        written => return Ok(written),
    }
    Ok(Written::None(whys.join("; and ")))
}

/// The certificate of abstract states that contain everything that is reached.
fn invariant(
    file: &ProgramFile,
    question: &Question,
    answer: &ProgramAnswer,
    over: &Abstraction,
    budget: &Budget,
) -> Result<Written, Failure> {
    // What holds of every state that is reached does so however runs are read.
    let subject = match Subject::of(file, question, Settings::default()) {
        Ok(subject) => subject,
        Err(why) => return Ok(Written::None(why)),
    };
    let value = answer.value();
    let obligations = match invariant_obligations(&subject, over, value, budget) {
        Ok(obligations) => obligations,
        Err(why) => {
            budget.check()?;
            return Ok(Written::None(why));
        }
    };
    let decided = match decide(&obligations, &Decider::default(), budget) {
        Err(Failure::Input(why)) => return Ok(without_solver(why)),
        decided => decided?,
    };
    if let Decided::Fails(why) = decided {
        return Ok(Written::None(why));
    }
    let (formula, logic) = (subject.formula().text(), subject.formula().logic());
    let place = place_of(question, &Subject { frame: StructureReading::default(), ..subject });
    let invariant = InvariantPart { place, formula, logic, value, over: over.clone() };
    let mut text = Vec::new();
    write_invariant(&mut text, &invariant).map_err(|error| Failure::Internal(error.to_string()))?;
    let text = String::from_utf8(text).map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(Written::WithObligations { text, obligations })
}

/// Which question a certificate says that it is about.
pub(super) fn place_of(question: &Question, subject: &Subject<'_>) -> CertificatePlace {
    match question {
        Question::Property(asked) => CertificatePlace::Property {
            text: asked.source.clone(),
            stutter: subject.frame.stutter,
            fair: subject.everyone,
        },
        Question::Never(never) => CertificatePlace::Mistake(never.mistake.name().to_owned()),
        Question::Watched(watched) => CertificatePlace::Mistake(watched.built_in_name().to_owned()),
    }
}

/// The certificate of a question that was found to be true.
///
/// # Errors
/// If a limit is reached, or the graph or the independent checker disagrees with the answer.
pub fn certificate(
    file: &ProgramFile,
    question: &Question,
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Written, Failure> {
    on_graph(file, question, Belnap::True, options, budget)
}

/// The certificate of a question with this value, about the program's graph.
fn on_graph(
    file: &ProgramFile,
    question: &Question,
    value: Belnap,
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Written, Failure> {
    let mut subject = match Subject::of(file, question, options.settings()) {
        Ok(subject) => subject,
        Err(why) => return Ok(Written::None(why)),
    };
    // Of a graph everything is decided, so that there is nothing to read.
    subject.reading.linear = Reading::default().linear;
    if let Some(why) = subject.strong_fairness_refuses(value) {
        return Ok(Written::None(why.to_owned()));
    }
    let formula = match subject.graph_formula() {
        Ok(formula) => formula,
        Err(why) => return Ok(Written::None(why)),
    };
    let model = match subject.graph(budget) {
        Ok(model) => model,
        Err(NoGraph::Open(why)) => return Ok(Written::None(why)),
        Err(NoGraph::Failed(failure)) => return Err(failure),
    };
    let place = place_of(question, &subject);
    let mut proved = Vec::new();
    for &state in model.init() {
        proved.extend(prove_at(&model, (&formula, subject.reading), (state, value), budget)?);
        if value == Belnap::False && !proved.is_empty() {
            break;
        }
    }
    if proved.is_empty() && formula.logic().is_strategic() {
        let why = "a strategy with memory shows what one coalition can enforce, and this formula has coalitions inside";
        return Ok(Written::None(why.to_owned()));
    }
    if proved.is_empty() {
        return Ok(Written::None("no initial state shows it on the graph".to_owned()));
    }
    let parts: Vec<_> = proved.iter().map(|certificate| (place.clone(), &model, certificate)).collect();
    let mut text = Vec::new();
    write_document(&mut text, &parts).map_err(|error| Failure::Internal(error.to_string()))?;
    String::from_utf8(text).map(Written::Certificate).map_err(|error| Failure::Internal(error.to_string()))
}

/// The proof at an initial state. What is true is so at all of them; what is false need not be so at this one.
fn prove_at(
    model: &Kmts,
    (asked, reading): (&Formula, Reading),
    (state, value): (StateId, Belnap),
    budget: &Budget,
) -> Result<Option<Certificate>, Failure> {
    let Some((played, formula)) = coalitions::evaluated(model, asked) else {
        // The automaton of a path formula is large: a strategy with memory shows it.
        let task = CoalitionTask { model, formula: asked, total: model.total(), budget };
        let Some(certificate) = prove::strategy(&task, reading, state, value)? else { return Ok(None) };
        prove::recheck((model, SubjectKind::Graph), &certificate, &[], budget)?;
        return Ok(Some(certificate));
    };
    let ask = [state];
    let task = bound(Task::new(&played, &formula, reading, Ask::At(&ask), budget))?;
    let choice = if asked.logic().is_strategic() { EngineChoice::Game } else { EngineChoice::Auto };
    if value == Belnap::False && engines::evaluate(&task, choice)?.1.at(state) != value {
        return Ok(None);
    }
    let certificate = prove::certificate(&task, asked, state, value)?;
    prove::recheck((model, SubjectKind::Graph), &certificate, &[], budget)?;
    Ok(Some(certificate))
}

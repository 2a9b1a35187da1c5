//! What proves an answer about a program, and is it a proof?
//!
//! A proof speaks of the program's graph. Making one, the graph is written out, and the prover and the
//! independent checker for structures do the rest; checking one, the graph is written out again from the program's text.

use std::path::Path;

use tertium_base::Budget;
use tertium_check::{Ask, Task};
use tertium_evidence::{Certificate, Part, Place, Reading, Rejection, check_certificate_with, write_document};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, StateId};
use tertium_program::{Fairness, Semantics};

use super::ProgramFile;
use super::branching::Shape;
use super::check::CheckOptions;
use super::graph::{Labels, NoGraph, write_out};
use super::questions::{Asked, Mistake, Question, questions};
use crate::certify::{PartOutcome, proof_kind};
use crate::check::bound;
use crate::failure::Failure;
use crate::{Deadlock, prove};

/// A question as one about a structure.
struct Subject {
    place: Place,
    labels: Labels,
    shape: Shape,
    formula: Formula,
    reading: Reading,
}

impl Subject {
    fn of(question: &Question, weakly_fair: bool, deadlock: Option<Deadlock>) -> Result<Self, String> {
        match question {
            Question::Property(asked) => Ok(Self::property(asked, weakly_fair, deadlock)),
            Question::Never(mistake) => Self::mistake(*mistake),
            Question::Watched(_) => Err("what claims and labels watch is not part of the graph".to_owned()),
        }
    }

    /// A formula about whole paths must not overlook those that end, unless the user says what ends mean.
    fn property(asked: &Asked, weakly_fair: bool, deadlock: Option<Deadlock>) -> Self {
        let whole_paths = match asked.formula.logic() {
            Logic::Ltl | Logic::CtlStar => true,
            Logic::Ctl => weakly_fair,
            Logic::Pml | Logic::Mu => false,
        };
        let stutter = whole_paths && deadlock.is_none();
        Self::about(asked, stutter, Reading { deadlock: deadlock.unwrap_or(Deadlock::Mu), ..Reading::default() })
    }

    fn about(asked: &Asked, stutter: bool, reading: Reading) -> Self {
        let names = asked.formula.atoms().iter().map(|atom| atom.text.clone());
        let paths = matches!(asked.formula.logic(), Logic::Ctl | Logic::CtlStar | Logic::Ltl);
        Self {
            place: Place::Property { text: asked.source.clone(), stutter },
            labels: Labels::Atoms(names.zip(asked.atoms.iter().copied()).collect()),
            shape: Shape { fair: paths, stutter },
            formula: asked.formula.clone(),
            reading,
        }
    }

    fn mistake(mistake: Mistake) -> Result<Self, String> {
        if mistake == Mistake::Trace {
            return Err("where a trace may end is not part of the graph".to_owned());
        }
        let text = format!("AG !\"{}\"", mistake.name());
        let formula = parse(&text, &ParseOptions::in_logic(Logic::Ctl)).formula;
        Ok(Self {
            place: Place::Mistake(mistake.name().to_owned()),
            labels: Labels::Mistake(mistake),
            shape: Shape::default(),
            formula: formula.ok_or("its name cannot be an atom")?,
            reading: Reading { deadlock: Deadlock::Mu, ..Reading::default() },
        })
    }
}

/// What became of the attempt to write a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Written {
    /// The certificate, accepted by the independent checker.
    Certificate(String),
    /// Why there is none.
    None(String),
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
    if options.fair && !matches!(question, Question::Never(_)) {
        return Ok(Written::None("fairness to all processes is not part of the graph".to_owned()));
    }
    let subject = match Subject::of(question, has_process(file, Fairness::Weak), options.deadlock) {
        Ok(subject) => subject,
        Err(why) => return Ok(Written::None(why)),
    };
    if subject.shape.fair && has_process(file, Fairness::Strong) {
        return Ok(Written::None("strong fairness cannot be written as constraints on edges".to_owned()));
    }
    let model = match write_out(&Semantics::new(&file.program), &subject.labels, subject.shape, budget) {
        Ok(model) => model,
        Err(NoGraph::Open(why)) => return Ok(Written::None(why)),
        Err(NoGraph::Failed(failure)) => return Err(failure),
    };
    let mut proved = Vec::new();
    for &state in model.init() {
        proved.push(prove_at(&model, &subject, state, budget)?);
    }
    let parts: Vec<_> = proved.iter().map(|certificate| (subject.place.clone(), &model, certificate)).collect();
    let mut text = Vec::new();
    write_document(&mut text, &parts).map_err(|error| Failure::Internal(error.to_string()))?;
    String::from_utf8(text).map(Written::Certificate).map_err(|error| Failure::Internal(error.to_string()))
}

fn prove_at(model: &Kmts, subject: &Subject, state: StateId, budget: &Budget) -> Result<Certificate, Failure> {
    let formula = prove::evaluated_formula(model, &subject.formula);
    let ask = [state];
    let task = bound(Task::new(model, &formula, subject.reading, Ask::At(&ask), budget))?;
    let certificate = prove::certificate(&task, &subject.formula, state, Belnap::True)?;
    prove::recheck(model, &certificate, &[], budget)?;
    Ok(certificate)
}

/// Checks the certificate in a file against the program in another. `defines` are macros for Promela.
///
/// # Errors
/// If a file cannot be read, or a limit is reached. A certificate that is wrong is no error.
pub fn certify(
    program: &Path,
    certificate: &Path,
    defines: &[(String, String)],
    budget: &Budget,
) -> Result<Vec<PartOutcome>, Failure> {
    let (document, source) = crate::certify::read(certificate)?;
    check_parts(&document.parts, &source.text, &|property| reload(program, property, defines), budget)
}

type Reload<'r> = dyn Fn(Option<(&str, Logic)>) -> Result<ProgramFile, Failure> + 'r;

fn check_parts(parts: &[Part], text: &str, reload: &Reload<'_>, budget: &Budget) -> Result<Vec<PartOutcome>, Failure> {
    let mut outcomes = Vec::new();
    let mut covered: Option<(Place, Kmts, Vec<StateId>)> = None;
    for part in parts {
        let mut outcome = PartOutcome { place: ends(part.place()), ..PartOutcome::of(part) };
        match judge(part, text, reload, &mut covered, &mut outcome, budget) {
            Ok(()) => {}
            Err(Refused::Rejected(why)) => outcome.rejected = Some(why),
            Err(Refused::Failed(failure)) => return Err(failure),
        }
        outcomes.push(outcome);
    }
    // A property of a program is one of all its initial states.
    if let (Some((_, model, states)), Some(last)) = (&covered, outcomes.last_mut())
        && last.value == Belnap::True
        && last.rejected.is_none()
        && let Some(missing) = model.init().iter().find(|state| !states.contains(state))
    {
        last.rejected = Some(format!("the initial state {} is not spoken of", model.state_name(*missing)));
    }
    Ok(outcomes)
}

/// How runs that end are read, if that is not the reading's own way.
fn ends(place: &Place) -> Option<String> {
    let stays = matches!(place, Place::Property { stutter: true, .. });
    stays.then(|| "the program whose runs stay where they end".to_owned())
}

enum Refused {
    Rejected(String),
    Failed(Failure),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

fn judge(
    part: &Part,
    text: &str,
    reload: &Reload<'_>,
    covered: &mut Option<(Place, Kmts, Vec<StateId>)>,
    outcome: &mut PartOutcome,
    budget: &Budget,
) -> Result<(), Refused> {
    let rejected = |why: &str| Refused::Rejected(why.to_owned());
    if covered.as_ref().is_none_or(|(place, ..)| place != part.place()) {
        if covered.is_some() {
            return Err(rejected("its parts are about different questions"));
        }
        *covered = Some((part.place().clone(), graph_for(part, reload, budget)?, Vec::new()));
    }
    let Some((_, model, states)) = covered else { return Err(rejected("there is no graph")) };
    let certificate = part.certificate_for(model, text).map_err(|problems| {
        Refused::Rejected(problems.iter().map(crate::certify::sentence).collect::<Vec<_>>().join("; "))
    })?;
    outcome.proof = proof_kind(&certificate.proof);
    model.state_name(certificate.state).clone_into(&mut outcome.state);
    match check_certificate_with(model, &certificate, &[], budget) {
        Ok(_) => states.push(certificate.state),
        Err(Rejection::Stopped(stopped)) => return Err(Failure::from(stopped).into()),
        Err(Rejection::Refused(why)) => return Err(Refused::Rejected(crate::certify::sentence(&why))),
    }
    Ok(())
}

fn has_process(file: &ProgramFile, fairness: Fairness) -> bool {
    file.program.processes.iter().any(|process| process.fairness == fairness)
}

/// The graph that a part speaks of, written out from the program's text.
fn graph_for(part: &Part, reload: &Reload<'_>, budget: &Budget) -> Result<Kmts, Refused> {
    let (file, subject) = match part.place() {
        Place::Property { text, stutter } => {
            let file = reload(Some((text, part.logic())))?;
            let name = file.given.last().cloned().unwrap_or_default();
            let asked = questions(&file, &[], false)?.into_iter().find_map(|question| match question {
                Question::Property(asked) if asked.name == name => Some(asked),
                _ => None,
            });
            let asked = asked.ok_or_else(|| Refused::Rejected("its property is none of this program".to_owned()))?;
            (file, Subject::about(&asked, *stutter, part.reading()))
        }
        Place::Mistake(name) => {
            let mistake = Mistake::from_name(name);
            let mistake =
                mistake.ok_or_else(|| Refused::Rejected(format!("`{name}` is no mistake that is looked for")))?;
            (reload(None)?, Subject::mistake(mistake).map_err(Refused::Rejected)?)
        }
        _ => return Err(Refused::Rejected("it is about another kind of model".to_owned())),
    };
    if subject.formula.text() != part.formula() {
        return Err(Refused::Rejected(format!("its formula is not the question's, `{}`", subject.formula.text())));
    }
    if subject.shape.fair && has_process(&file, Fairness::Strong) {
        return Err(Refused::Rejected("strong fairness cannot be written as constraints on edges".to_owned()));
    }
    match write_out(&Semantics::new(&file.program), &subject.labels, subject.shape, budget) {
        Ok(model) => Ok(model),
        Err(NoGraph::Open(why)) => Err(Refused::Rejected(why)),
        Err(NoGraph::Failed(failure)) => Err(failure.into()),
    }
}

/// Reads a program as the command line does, with at most one property.
///
/// # Errors
/// If the program or the property cannot be read.
pub fn reload(
    path: &Path,
    property: Option<(&str, Logic)>,
    defines: &[(String, String)],
) -> Result<ProgramFile, Failure> {
    let given: Vec<String> = property.iter().map(|(text, _)| format!("certified: {text}")).collect();
    super::load(path, &given, property.map(|(_, logic)| logic), defines)
}

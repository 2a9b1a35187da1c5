//! What proves an answer about a program, and is it a proof?
//!
//! A proof speaks of the program's graph. Making one, the graph is written out, and the prover and the
//! independent checker for structures do the rest; checking one, the graph is written out again from the program's text.

use std::path::Path;

use tertium_base::Budget;
use tertium_check::{Ask, Task};
pub use tertium_evidence::abstraction::Obligation;
use tertium_evidence::abstraction::{Abstraction, NoTerm, Structure};
use tertium_evidence::{
    Caveat, Certificate, Document, InvariantPart, Part, Place, Reading, Rejection, check_certificate_with,
    write_document, write_invariant,
};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, StateId};
use tertium_program::{Fairness, Program, Semantics};

use super::abstracted::basis::Basis;
use super::branching::Shape;
use super::check::CheckOptions;
use super::counted;
use super::graph::{Labels, NoGraph, write_out};
use super::grounded::{self, Decider, Verdict};
use super::questions::{Asked, Mistake, Question, questions};
use super::structured;
use super::{Language, ProgramAnswer, ProgramFile, promela};
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
    /// Whether every process is treated fairly.
    everyone: bool,
}

impl Subject {
    fn of(question: &Question, weakly_fair: bool, options: &CheckOptions) -> Result<Self, String> {
        match question {
            Question::Property(asked) => Ok(Self::property(asked, weakly_fair, options)),
            Question::Never(mistake) => Self::mistake(*mistake),
            Question::Watched(_) => Err("what claims and labels watch is not part of the graph".to_owned()),
        }
    }

    /// A formula about whole paths must not overlook those that end, unless the user says what ends mean.
    fn property(asked: &Asked, weakly_fair: bool, options: &CheckOptions) -> Self {
        let whole_paths = match asked.formula.logic() {
            Logic::Ltl | Logic::CtlStar => true,
            Logic::Ctl => weakly_fair || options.fair,
            Logic::Pml | Logic::Mu => false,
        };
        let stutter = whole_paths && options.deadlock.is_none();
        let reading = Reading { deadlock: options.deadlock.unwrap_or(Deadlock::Mu), ..Reading::default() };
        Self::about(asked, (stutter, options.fair), reading)
    }

    fn about(asked: &Asked, (stutter, fair): (bool, bool), reading: Reading) -> Self {
        let names = asked.formula.atoms().iter().map(|atom| atom.text.clone());
        let paths = matches!(asked.formula.logic(), Logic::Ctl | Logic::CtlStar | Logic::Ltl);
        Self {
            place: Place::Property { text: asked.source.clone(), stutter, fair },
            labels: Labels::Atoms(names.zip(asked.atoms.iter().copied()).collect()),
            shape: Shape { fair: paths, stutter },
            formula: asked.formula.clone(),
            reading,
            everyone: fair,
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
            everyone: false,
        })
    }
}

/// What became of the attempt to write a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Written {
    /// The certificate, accepted by the independent checker.
    Certificate(String),
    /// The certificate over abstract states, and the obligations that were found to hold.
    Grounded {
        /// The certificate.
        text: String,
        /// The obligations.
        obligations: Vec<Obligation>,
    },
    /// Why there is none.
    None(String),
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
    let again = read_again(file, question)?;
    let (file, question) = again.as_ref().map_or((file, question), |(file, question)| (file, question));
    let written = match answer.basis.as_deref() {
        Some(Basis::States(states)) => invariant(file, question, answer, states, budget)?,
        Some(Basis::Structure(over, structure)) => match question {
            Question::Property(asked) => {
                structured::certificate(file, asked, answer, (over, structure), options, budget)?
            }
            _ => Written::None("a structure speaks of properties only".to_owned()),
        },
        Some(Basis::Counted(counted)) => return counted::certificate(file, counted, options, budget),
        _ if answer.value != Belnap::True => Written::None("what is false is shown by a run".to_owned()),
        Some(Basis::Untold(why)) => Written::None(why.clone()),
        None => return certificate(file, question, options, budget),
    };
    match written {
        // What the answer rests on cannot be told; the program's graph can, if it is small.
        Written::None(why) if answer.value == Belnap::True => Ok(match certificate(file, question, options, budget)? {
            Written::None(other) => Written::None(format!("{why}; and {other}")),
            written => written,
        }),
        written => Ok(written),
    }
}

/// A property as whoever checks its certificate reads it, if that is not as it was asked: macros of Promela are put in.
fn read_again(file: &ProgramFile, question: &Question) -> Result<Option<(ProgramFile, Question)>, Failure> {
    let Question::Property(asked) = question else { return Ok(None) };
    if file.language != Language::Promela {
        return Ok(None);
    }
    let given = [format!("certified: {}", asked.source)];
    let logic = Some(asked.formula.logic());
    let Ok(again) = promela::from_text(&file.file, &file.source.text, &given, logic, &file.defines, &[]) else {
        return Ok(None);
    };
    let asked = grounded::given(&again)?;
    Ok(asked.map(|asked| (again, Question::Property(Box::new(asked)))))
}

/// The certificate of abstract states that contain everything that is reached.
fn invariant(
    file: &ProgramFile,
    question: &Question,
    answer: &ProgramAnswer,
    over: &Abstraction,
    budget: &Budget,
) -> Result<Written, Failure> {
    let (place, formula, logic, asked) = match question {
        Question::Property(asked) => {
            let place = Place::Property { text: asked.source.clone(), stutter: false, fair: false };
            (place, asked.formula.text(), asked.formula.logic(), Some(&**asked))
        }
        Question::Never(mistake) => {
            (Place::Mistake(mistake.name().to_owned()), format!("AG !\"{}\"", mistake.name()), Logic::Ctl, None)
        }
        Question::Watched(_) => return Ok(Written::None("what claims and labels watch is not told".to_owned())),
    };
    let invariant = InvariantPart { place, formula, logic, value: answer.value, over: over.clone() };
    let obligations = match grounded::of_invariant(file, &invariant, asked) {
        Ok(obligations) => obligations,
        Err(why) => return Ok(Written::None(why)),
    };
    if let Verdict::Fails(why) = grounded::decide(&obligations, &Decider::default(), budget)? {
        return Ok(Written::None(why));
    }
    let mut text = Vec::new();
    write_invariant(&mut text, &invariant).map_err(|error| Failure::Internal(error.to_string()))?;
    let text = String::from_utf8(text).map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(Written::Grounded { text, obligations })
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
    let subject = match Subject::of(question, has_process(file, Fairness::Weak), options) {
        Ok(subject) => subject,
        Err(why) => return Ok(Written::None(why)),
    };
    if subject.shape.fair && has_process(file, Fairness::Strong) {
        return Ok(Written::None("strong fairness cannot be written as constraints on edges".to_owned()));
    }
    let model =
        match write_out(&Semantics::new(&file.program), &subject.labels, (subject.shape, subject.everyone), budget) {
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
    decider: &Decider,
    budget: &Budget,
) -> Result<Vec<PartOutcome>, Failure> {
    let (document, source) = crate::certify::read(certificate)?;
    if let Some(counted) = &document.counted {
        return counted::certify(program, counted, defines, decider, budget);
    }
    let reload = |property: Option<(&str, Logic)>| reload(program, property, defines);
    check_document(&document, &source.text, &reload, decider, budget)
}

/// Checks a document about the program that `reload` reads, together with the property that it asks for.
pub(super) fn check_document(
    document: &Document,
    text: &str,
    reload: &Reload<'_>,
    decider: &Decider,
    budget: &Budget,
) -> Result<Vec<PartOutcome>, Failure> {
    if let Some(invariant) = &document.invariant {
        return Ok(vec![check_invariant(reload, invariant, decider, budget)?]);
    }
    let over = document.structure.as_ref().map(|(over, structure)| Drawn { over, structure, decider });
    check_parts(&document.parts, text, (reload, over), budget)
}

/// Whether abstract states contain everything that is reached, and nothing bad.
fn check_invariant(
    reload: &Reload<'_>,
    invariant: &InvariantPart,
    decider: &Decider,
    budget: &Budget,
) -> Result<PartOutcome, Failure> {
    let mut outcome = PartOutcome {
        formula: invariant.formula.clone(),
        logic: invariant.logic,
        state: "every initial state".to_owned(),
        value: invariant.value,
        proof: "invariant",
        place: None,
        caveats: Vec::new(),
        rejected: None,
    };
    let property = match &invariant.place {
        Place::Property { text, .. } => Some((text.as_str(), invariant.logic)),
        _ => None,
    };
    let file = reload(property)?;
    let asked = if property.is_some() { grounded::given(&file)? } else { None };
    match grounded::of_invariant(&file, invariant, asked.as_ref()) {
        Err(why) => outcome.rejected = Some(why),
        Ok(obligations) => {
            let abstracted = &invariant.over;
            let over = match abstracted.shared.len() {
                0 => {
                    format!(
                        "{} abstract states over {} predicates",
                        abstracted.states.len(),
                        abstracted.predicates.len()
                    )
                }
                nodes => format!("a set of {nodes} nodes"),
            };
            outcome.place = Some(format!("{over}, {} obligations", obligations.len()));
            if let Verdict::Fails(why) = grounded::decide(&obligations, decider, budget)? {
                outcome.rejected = Some(why);
            }
        }
    }
    Ok(outcome)
}

/// The structure that parts are about, and who decides whether it is an abstraction of the program.
#[derive(Clone, Copy)]
struct Drawn<'d> {
    over: &'d Abstraction,
    structure: &'d Structure,
    decider: &'d Decider,
}

/// Reads a program, with a property if one is given.
pub(super) type Reload<'r> = dyn Fn(Option<(&str, Logic)>) -> Result<ProgramFile, Failure> + 'r;

fn check_parts(
    parts: &[Part],
    text: &str,
    (reload, drawn): (&Reload<'_>, Option<Drawn<'_>>),
    budget: &Budget,
) -> Result<Vec<PartOutcome>, Failure> {
    let mut outcomes = Vec::new();
    let same = parts.iter().all(|part| part.value() == parts[0].value());
    let mut covered: Option<(Place, Kmts, Vec<StateId>)> = None;
    for part in parts {
        let mut outcome = PartOutcome { place: about(part.place(), drawn), ..PartOutcome::of(part) };
        if drawn.is_some() && !same {
            outcome.rejected = Some("its parts are about different values".to_owned());
            outcomes.push(outcome);
            continue;
        }
        match judge(part, text, (reload, drawn), &mut covered, &mut outcome, budget) {
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

/// How runs that end are read, if that is not the reading's own way, and over what it is proved, if not over the graph.
fn about(place: &Place, drawn: Option<Drawn<'_>>) -> Option<String> {
    let (stays, fair) = match place {
        Place::Property { stutter, fair, .. } => (*stutter, *fair),
        _ => (false, false),
    };
    let ends = match (stays, fair) {
        (true, true) => Some("the program whose runs are fair to every process and stay where they end".to_owned()),
        (true, false) => Some("the program whose runs stay where they end".to_owned()),
        (false, true) => Some("the program whose runs are fair to every process".to_owned()),
        (false, false) => None,
    };
    let over = drawn.map(|Drawn { over, .. }| {
        format!("{} abstract states over {} predicates", over.states.len(), over.predicates.len())
    });
    match (ends, over) {
        (Some(ends), Some(over)) => Some(format!("{ends}, by {over}")),
        (ends, over) => ends.or(over),
    }
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
    (reload, drawn): (&Reload<'_>, Option<Drawn<'_>>),
    covered: &mut Option<(Place, Kmts, Vec<StateId>)>,
    outcome: &mut PartOutcome,
    budget: &Budget,
) -> Result<(), Refused> {
    let rejected = |why: &str| Refused::Rejected(why.to_owned());
    if covered.as_ref().is_none_or(|(place, ..)| place != part.place()) {
        if covered.is_some() {
            return Err(rejected("its parts are about different questions"));
        }
        let model = match drawn {
            None => graph_for(part, reload, budget)?,
            Some(drawn) => drawn_for(part, reload, drawn, budget)?,
        };
        *covered = Some((part.place().clone(), model, Vec::new()));
    }
    let Some((_, model, states)) = covered else { return Err(rejected("there is no graph")) };
    let certificate = part.certificate_for(model, text).map_err(|problems| {
        Refused::Rejected(problems.iter().map(crate::certify::sentence).collect::<Vec<_>>().join("; "))
    })?;
    outcome.proof = proof_kind(&certificate.proof);
    model.state_name(certificate.state).clone_into(&mut outcome.state);
    match check_certificate_with(model, &certificate, &[], budget) {
        Ok(accepted) => {
            // What an abstraction says about itself must carry over to the program.
            let carries = |caveat: &Caveat| *caveat == Caveat::MixedStructure;
            if let (Some(caveat), Some(_)) = (accepted.caveats.iter().find(|caveat| !carries(caveat)), drawn) {
                return Err(rejected(caveat.text()));
            }
            if let (Some(drawn), Belnap::False) = (drawn, certificate.value) {
                begins_there(part, reload, drawn, (model, certificate.state), budget)?;
            }
            states.push(certificate.state);
        }
        Err(Rejection::Stopped(stopped)) => return Err(Failure::from(stopped).into()),
        Err(Rejection::Refused(why)) => return Err(Refused::Rejected(crate::certify::sentence(&why))),
    }
    Ok(())
}

/// Treats every process weakly fairly, unless its text asks for more.
pub(super) fn fair_to_all(program: &mut Program) {
    for process in program.processes.iter_mut().filter(|process| process.fairness == Fairness::None) {
        process.fairness = Fairness::Weak;
    }
}

fn has_process(file: &ProgramFile, fairness: Fairness) -> bool {
    file.program.processes.iter().any(|process| process.fairness == fairness)
}

/// The property that a part speaks of, in a program that is read with it.
fn asked_by(part: &Part, reload: &Reload<'_>) -> Result<(ProgramFile, Asked), Refused> {
    let Place::Property { text, fair, .. } = part.place() else {
        return Err(Refused::Rejected("it is about another kind of model".to_owned()));
    };
    let mut file = reload(Some((text, part.logic())))?;
    if *fair {
        fair_to_all(&mut file.program);
    }
    let asked = grounded::given(&file)?;
    let asked = asked.ok_or_else(|| Refused::Rejected("its property is none of this program".to_owned()))?;
    if asked.formula.text() != part.formula() {
        return Err(Refused::Rejected(format!("its formula is not the question's, `{}`", asked.formula.text())));
    }
    Ok((file, asked))
}

/// The structure over abstract states that a part speaks of, once it is shown to be an abstraction of the program.
fn drawn_for(part: &Part, reload: &Reload<'_>, drawn: Drawn<'_>, budget: &Budget) -> Result<Kmts, Refused> {
    let (file, asked) = asked_by(part, reload)?;
    let stutter = matches!(part.place(), Place::Property { stutter: true, .. });
    let about = (part.logic(), part.value());
    let frame = structured::frame(&file, drawn.structure, about, stutter).map_err(Refused::Rejected)?;
    let atoms: Vec<String> = asked.formula.atoms().iter().map(|atom| atom.text.clone()).collect();
    let model = drawn.structure.model(&file.program, &drawn.over.later, &atoms, frame);
    let model = model.map_err(|NoTerm(why)| Refused::Rejected(why))?;
    let obligations = structured::obligations(&file, drawn.over, drawn.structure, &asked, frame);
    decided(&obligations.map_err(Refused::Rejected)?, drawn, budget)?;
    Ok(model)
}

/// What is false must be so of a state in which the program begins.
fn begins_there(
    part: &Part,
    reload: &Reload<'_>,
    drawn: Drawn<'_>,
    (model, state): (&Kmts, StateId),
    budget: &Budget,
) -> Result<(), Refused> {
    if !model.init().contains(&state) {
        return Err(Refused::Rejected(format!("the state {} is not initial", model.state_name(state))));
    }
    let (file, _) = asked_by(part, reload)?;
    let starts = structured::starts(&file, drawn.over, &[state.index()]).map_err(Refused::Rejected)?;
    decided(&starts, drawn, budget)
}

fn decided(obligations: &[Obligation], drawn: Drawn<'_>, budget: &Budget) -> Result<(), Refused> {
    match grounded::decide(obligations, drawn.decider, budget)? {
        Verdict::Holds => Ok(()),
        Verdict::Fails(why) => Err(Refused::Rejected(why)),
    }
}

/// The graph that a part speaks of, written out from the program's text.
fn graph_for(part: &Part, reload: &Reload<'_>, budget: &Budget) -> Result<Kmts, Refused> {
    let (file, subject) = match part.place() {
        Place::Property { text, stutter, fair } => {
            let file = reload(Some((text, part.logic())))?;
            let name = file.given.last().cloned().unwrap_or_default();
            let asked = questions(&file, &[], false)?.into_iter().find_map(|question| match question {
                Question::Property(asked) if asked.name == name => Some(asked),
                _ => None,
            });
            let asked = asked.ok_or_else(|| Refused::Rejected("its property is none of this program".to_owned()))?;
            (file, Subject::about(&asked, (*stutter, *fair), part.reading()))
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
    match write_out(&Semantics::new(&file.program), &subject.labels, (subject.shape, subject.everyone), budget) {
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

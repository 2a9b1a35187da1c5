//! Does a certificate prove what a program asks?
//!
//! The question is one of the program's own, or one that the user gives ([`question`]). A proof is about the program's graph, which is written out
//! again ([`graph`]), about abstract states, whose obligations a solver decides, or about programs in which members of families are counted (`families`).

mod claims;
mod established;
mod families;
mod games;
pub mod graph;
pub mod question;
mod runs;
mod strong_fairness;

use std::path::Path;

use tertium_base::{Budget, Diagnostic};
use tertium_evidence::itf::read_run;
use tertium_evidence::{CertificatePlace, Document};
use tertium_lattice::Belnap;
use tertium_load::program::{Extras, load_with};
use tertium_load::questions::{PROGRESS, Question, questions};
use tertium_load::{Failure, ProgramFile};
use tertium_logic::Logic;

use crate::finding::{Finding, Verdict};
use crate::request::Request;
use crate::solve::Decider;
use crate::structures::not_asked;
use established::{Established, Means, NotShown, established};
pub use established::{begins, fairness_fits, frame_for};
pub use established::{invariant_obligations, lines};
use question::{Settings, Subject};

/// Checks a document about the program in a file; `text` is the document's text.
///
/// # Errors
/// If the program or a question cannot be read, or a limit is reached. A proof that is wrong is no error.
pub fn certify(
    program: &Path,
    (document, text): (&Document, &str),
    request: &Request,
    decider: &Decider,
    budget: &Budget,
) -> Result<Vec<Finding>, Failure> {
    if let Some((request, size)) = of_every_size(document, request) {
        let file = load(program, true, &request)?;
        let covers = |open: &tertium_load::sizes::Open| open.constants.iter().all(|constant| constant.least <= size);
        if file.open.as_ref().is_some_and(covers) {
            return certify_loaded(&file, (document, text), &request, decider, budget);
        }
    }
    let file = load(program, document.counted.is_some(), request)?;
    certify_loaded(&file, (document, text), request, decider, budget)
}

/// Where one size is asked about and a proof is about every size: the question about every size, and the size. What holds for all holds for one.
fn of_every_size(document: &Document, request: &Request) -> Option<(Request, i64)> {
    let constant = document.counted.as_ref()?.constant.as_ref()?;
    let sizes = request.defines.iter().filter(|(name, _)| name == constant).map(|(_, size)| size.parse::<i64>().ok());
    // Whoever gives it twice means sizes that the text admits, too.
    let size = sizes.collect::<Option<Vec<i64>>>()?.into_iter().min()?;
    let defines = request.defines.iter().filter(|(name, _)| name != constant).cloned().collect();
    Some((Request { defines, ..request.clone() }, size))
}

/// Reads a program with the properties that the user gives.
///
/// # Errors
/// If it cannot be read.
pub fn load(program: &Path, every: bool, request: &Request) -> Result<ProgramFile, Failure> {
    let extras = Extras { every, ..Extras::default() };
    load_with(program, &request.given, request.logic, &request.defines, &extras)
}

/// As [`certify`], of a program that is read already, with the properties that the user gives.
///
/// # Errors
/// If a question is none of the program, or a limit is reached. A proof that is wrong is no error.
pub fn certify_loaded(
    file: &ProgramFile,
    (document, text): (&Document, &str),
    request: &Request,
    decider: &Decider,
    budget: &Budget,
) -> Result<Vec<Finding>, Failure> {
    if request.at.is_some() {
        let wrong =
            Diagnostic::error("E0629", "`--at` names a state of a structure; a program is asked about where it begins");
        return Err(wrong.help("leave it out").into());
    }
    // Non-progress is asked about where someone wants to know.
    let progress = claimed_of(document).is_some_and(|claimed| claimed.logic.is_none() && claimed.text == PROGRESS);
    let mut asked = questions(file, &request.only, progress && !request.names_questions())?;
    let settings = Settings { deadlock: request.deadlock, linear: request.linear, fair: request.fair };
    if !request.names_questions() {
        let claimed = claimed_of(document);
        asked.retain(|question| claimed.as_ref().is_some_and(|claimed| claimed.is(question)));
        if asked.is_empty() {
            return Err(not_asked(claimed.map_or("", |claimed| claimed.text)).into());
        }
    }
    let means = Means { decider, budget };
    asked.iter().map(|question| finding(file, question, settings, (document, text), means)).collect()
}

/// Checks a stored run of a program that is read already, with the properties that the user gives: which of the questions does it settle?
///
/// # Errors
/// If the text is no run of this program, a question is none of it, or a limit is reached. A run that shows nothing is no error.
pub fn certify_run(
    file: &ProgramFile,
    text: &str,
    request: &Request,
    budget: &Budget,
) -> Result<Vec<Finding>, Failure> {
    let stored = read_run(&file.program, text).map_err(|mistake| Failure::from(*mistake))?;
    let decider = Decider::default();
    let means = Means { decider: &decider, budget };
    let settings = Settings { deadlock: request.deadlock, linear: request.linear, fair: request.fair };
    let mut findings = Vec::new();
    for question in questions(file, &request.only, false)? {
        let shown = |subject: &Subject<'_>| runs::established(subject, &stored, means);
        findings.push(found(file, &question, settings, &shown)?);
    }
    // Where no question is named, those count that the run settles; one that settles none settles nothing that is asked.
    if !request.names_questions() {
        let claimed = stored.claim.as_ref().map(|claim| claim.property.as_str());
        if findings.iter().any(Finding::is_proved) {
            findings.retain(Finding::is_proved);
        } else if findings.iter().any(|finding| Some(finding.name.as_str()) == claimed) {
            findings.retain(|finding| Some(finding.name.as_str()) == claimed);
        }
    }
    Ok(findings)
}

fn finding(
    file: &ProgramFile,
    question: &Question,
    settings: Settings,
    document: (&Document, &str),
    means: Means<'_>,
) -> Result<Finding, Failure> {
    match &document.0.counted {
        None => found(file, question, settings, &|subject| established(subject, document, means)),
        Some(_) if is_about_players(question) => {
            let mut finding = empty(question);
            settle(&mut finding, Err(NotShown::Refused("players of counted members are not known".to_owned())))?;
            Ok(finding)
        }
        Some(counted) => {
            let mut finding = empty(question);
            finding.about = families::about(file);
            settle(&mut finding, families::established(file, question, settings, counted, means))?;
            Ok(finding)
        }
    }
}

fn is_about_players(question: &Question) -> bool {
    matches!(question, Question::Property(asked) if asked.formula.logic().is_strategic())
}

/// What is found out about a question that `shown` is asked about.
fn found(
    file: &ProgramFile,
    question: &Question,
    settings: Settings,
    shown: &dyn Fn(&Subject<'_>) -> Result<Established, NotShown>,
) -> Result<Finding, Failure> {
    let mut finding = empty(question);
    let shown = match Subject::of(file, question, settings) {
        Ok(subject) => {
            finding.about = subject.about();
            shown(&subject)
        }
        Err(why) => Err(NotShown::Refused(why)),
    };
    settle(&mut finding, shown)?;
    Ok(finding)
}

fn empty(question: &Question) -> Finding {
    let (formula, logic) = match question {
        Question::Property(asked) => (asked.source.clone(), asked.formula.logic().name()),
        Question::Never(never) => (never.mistake.claim().to_owned(), "safety"),
        Question::Watched(watched) => (watched.claim.clone(), watched.logic()),
    };
    Finding {
        name: question.name().to_owned(),
        formula,
        logic,
        value: String::new(),
        proof: "certificate",
        about: Vec::new(),
        obligations: 0,
        verdict: Verdict::Refused(String::new()),
    }
}

fn settle(finding: &mut Finding, shown: Result<Established, NotShown>) -> Result<(), Failure> {
    match shown {
        Ok(Established { value, proof, over, obligations, assumptions }) => {
            finding.value = value.word().to_owned();
            // What is false of a program is so from one initial state.
            if let (Belnap::False, Some(first)) = (value, finding.about.first_mut()) {
                *first = "from an initial state".to_owned();
            }
            (finding.proof, finding.obligations) = (proof, obligations);
            finding.about.push(over);
            finding.verdict = if assumptions.is_empty() { Verdict::Proved } else { Verdict::Assuming(assumptions) };
        }
        Err(NotShown::Refused(why)) => finding.verdict = Verdict::Refused(why),
        Err(NotShown::Failed(failure)) => return Err(failure),
    }
    Ok(())
}

/// What a document says that it is about. It serves to pick the program's own question, and for nothing else.
#[derive(Clone, Copy)]
struct Claimed<'a> {
    text: &'a str,
    logic: Option<Logic>,
}

fn claimed_of(document: &Document) -> Option<Claimed<'_>> {
    if let Some(counted) = &document.counted {
        return claimed_of(&counted.shown.first()?.document);
    }
    let (place, logic) = match (&document.invariant, document.parts.first()) {
        (Some(invariant), _) => (&invariant.place, invariant.logic),
        (None, Some(part)) => (part.place(), part.logic()),
        (None, None) => return None,
    };
    match place {
        CertificatePlace::Property { text, .. } => Some(Claimed { text, logic: Some(logic) }),
        CertificatePlace::Mistake(name) => Some(Claimed { text: name, logic: None }),
        _ => None,
    }
}

impl Claimed<'_> {
    fn is(&self, question: &Question) -> bool {
        match question {
            Question::Property(asked) => {
                // Under strong fairness a formula of CTL is proved in its form in CTL*, and one of ATL under any fairness in ATL*.
                let with_fairness = match asked.formula.logic() {
                    Logic::Ctl => Logic::CtlStar,
                    Logic::Atl => Logic::AtlStar,
                    other => other,
                };
                let forms = [asked.formula.logic(), with_fairness];
                self.logic.is_some_and(|logic| forms.contains(&logic)) && self.text == asked.source
            }
            Question::Never(_) | Question::Watched(_) => {
                self.logic.is_none() && question.built_in_name() == Some(self.text)
            }
        }
    }
}

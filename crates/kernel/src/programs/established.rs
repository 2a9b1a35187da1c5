//! What a proof about a program establishes, or why it establishes nothing.

use tertium_base::{Budget, Stopped};
use tertium_evidence::abstraction::{Abstraction, Structure};
use tertium_evidence::{Certificate, CertificatePlace, Deadlock, Document, InvariantPart, Part};
use tertium_lattice::Belnap;
use tertium_load::questions::Mistake;
use tertium_load::{Failure, ProgramFile};
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, StateId};
use tertium_program::Fairness;

use super::graph::NoGraph;
use super::question::{Asks, Subject};
use crate::checker::{
    Assumption, RankedSteps, Rejection, Subject as SubjectKind, check_certificate_of, check_ranked_certificate,
};
use crate::finding::proof_word;
use crate::obligations::{Goal, NoTerm, Obligation, ProofObligations, StructureReading, Wrong, of_every_state};
use crate::solve::{Decided, Decider, decide};
use crate::structures::{canonical, sentence};

/// What was shown.
#[derive(Clone, Debug)]
pub(crate) struct Established {
    pub(crate) value: Belnap,
    pub(crate) proof: &'static str,
    /// Over what it was shown.
    pub(crate) over: String,
    pub(crate) obligations: usize,
    pub(crate) assumptions: Vec<Assumption>,
}

/// Why nothing was shown.
pub(crate) enum NotShown {
    /// The proof is wrong or does not fit.
    Refused(String),
    /// A limit was reached, or something is wrong with the input.
    Failed(Failure),
}

impl From<Failure> for NotShown {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Stopped> for NotShown {
    fn from(stopped: Stopped) -> Self {
        Self::Failed(stopped.into())
    }
}

fn refused(why: impl Into<String>) -> NotShown {
    NotShown::Refused(why.into())
}

/// Who decides, and within which limits.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    pub(crate) decider: &'a Decider,
    pub(crate) budget: &'a Budget,
}

impl Means<'_> {
    /// Why something has no term: a limit, if one was reached.
    fn no_term(&self, NoTerm(why): NoTerm) -> NotShown {
        match self.budget.check() {
            Ok(()) => refused(why),
            Err(stopped) => stopped.into(),
        }
    }

    fn decided(&self, obligations: &[Obligation]) -> Result<(), NotShown> {
        match decide(obligations, self.decider, self.budget)? {
            Decided::Holds => Ok(()),
            Decided::Fails(why) => Err(refused(why)),
        }
    }
}

/// What a document shows about a question.
pub(crate) fn established(
    subject: &Subject<'_>,
    (document, text): (&Document, &str),
    means: Means<'_>,
) -> Result<Established, NotShown> {
    if document.counted.is_some() {
        return Err(refused("a proof with counted members rests on proofs of other kinds"));
    }
    if let Some(invariant) = &document.invariant {
        return by_invariant(subject, invariant, means);
    }
    match &document.structure {
        Some((over, structure)) => by_structure(subject, (over, structure), &document.parts, text, means),
        None => by_graph(subject, &document.parts, text, means),
    }
}

/// Where each step of a program stands, for people.
#[must_use]
pub fn lines(file: &ProgramFile) -> Vec<String> {
    file.program.steps.iter().map(|step| format!("line {}", file.line(step.span))).collect()
}

/// Abstract states contain everything that is reached, and nothing bad.
fn by_invariant(subject: &Subject<'_>, invariant: &InvariantPart, means: Means<'_>) -> Result<Established, NotShown> {
    let value = invariant.value;
    same_question(subject.formula(), &invariant.formula, invariant.logic)?;
    let over = &invariant.over;
    let obligations =
        invariant_obligations(subject, over, value, means.budget).map_err(|why| means.no_term(NoTerm(why)))?;
    means.decided(&obligations)?;
    let over = match over.shared.len() {
        0 => format!("over {} abstract states and {} predicates", over.states.len(), over.predicates.len()),
        nodes => format!("over a set of {nodes} nodes"),
    };
    Ok(Established { value, proof: "invariant", over, obligations: obligations.len(), assumptions: Vec::new() })
}

/// What has to hold so that abstract states are an invariant that gives a question this value.
///
/// # Errors
/// Why they prove nothing, or that a limit is reached, which the budget then says.
pub fn invariant_obligations(
    subject: &Subject<'_>,
    over: &Abstraction,
    value: Belnap,
    budget: &Budget,
) -> Result<Vec<Obligation>, String> {
    let no_term = |NoTerm(why): NoTerm| why;
    let goal = goal_of(subject, value)?;
    let mut writer =
        ProofObligations::new(&subject.file.program, over, lines(&subject.file), budget).map_err(no_term)?;
    let mut obligations = writer.invariant(&goal).map_err(no_term)?;
    if value == Belnap::False {
        obligations.extend(writer.starts().map_err(no_term)?);
    }
    Ok(obligations)
}

/// What an invariant has to exclude.
fn goal_of<'a>(subject: &'a Subject<'_>, value: Belnap) -> Result<Goal<'a>, String> {
    match &subject.asks {
        Asks::Property(asked) => {
            let shape = of_every_state(&asked.formula, value);
            let (root, holds) = shape.ok_or("this value of this formula is not a matter of single states (E0611)")?;
            Ok(Goal::Condition { formula: &asked.formula, root, holds, atoms: &asked.atoms })
        }
        Asks::Claim(..) => Err("whether a claim is matched is not a matter of single states (E0611)".to_owned()),
        Asks::Never(..) if value != Belnap::True => {
            Err("an invariant shows that a mistake does not happen, nothing else (E0610)".to_owned())
        }
        Asks::Never(mistake, _) => Ok(match mistake {
            Mistake::Assertion => Goal::Wrong(Wrong::Assertion),
            Mistake::ArrayBounds => Goal::Wrong(Wrong::Index),
            Mistake::DivisionByZero => Goal::Wrong(Wrong::Division),
            Mistake::RangeOverflow => Goal::Wrong(Wrong::Range),
            Mistake::Other => Goal::Wrong(Wrong::Other),
            Mistake::Deadlock | Mistake::EndState => Goal::Stuck,
            Mistake::EndlessAtomic => Goal::Endless,
            Mistake::Trace => return Err("where a trace may end is not part of the abstraction".to_owned()),
        }),
    }
}

/// How a structure is drawn for proofs of a kind: ranks stand beside it for claims, whatever the logic is.
#[must_use]
pub fn frame_for(subject: &Subject<'_>, claims: bool) -> StructureReading {
    StructureReading { claims: subject.frame.claims || claims, ..subject.frame }
}

/// Why fairness is in the way: strong fairness is known to linear formulas that are true, and to claims where runs that end stay where they are.
///
/// # Errors
/// What is in the way.
pub fn fairness_fits(
    subject: &Subject<'_>,
    frame: StructureReading,
    structure: &Structure,
    value: Belnap,
) -> Result<(), String> {
    let linear = subject.formula().logic() == Logic::Ltl && value == Belnap::True;
    if structure.makes_promises() && !linear && !(frame.claims && structure.strong.is_empty()) {
        return Err("of linear formulas, what cannot go on for ever shows only that they are true (E0610)".to_owned());
    }
    // A path that ends keeps no promise of what happens again and again, and would be left out.
    if structure.makes_promises() && !subject.frame.stutter && !frame.claims {
        return Err("what cannot go on for ever needs runs that end to stay where they are (E0610)".to_owned());
    }
    let claims = frame.claims && frame.stutter && !subject.formula().logic().is_strategic();
    if subject.has_process(Fairness::Strong) && subject.frame.fair && !linear && !claims {
        return Err("strong fairness cannot be written as constraints on edges".to_owned());
    }
    Ok(())
}

/// A structure over abstract states is an abstraction of the program, and parts prove the value there.
fn by_structure(
    subject: &Subject<'_>,
    (over, structure): (&Abstraction, &Structure),
    parts: &[Part],
    text: &str,
    means: Means<'_>,
) -> Result<Established, NotShown> {
    if matches!(subject.asks, Asks::Claim(..) | Asks::Never(..)) {
        return Err(refused("a structure over abstract states speaks of properties only (E0611)"));
    }
    let value = common_value(parts)?;
    let frame = frame_for(subject, parts.iter().all(Part::is_claims));
    fairness_fits(subject, frame, structure, value).map_err(refused)?;
    let mut writer = ProofObligations::new(&subject.file.program, over, lines(&subject.file), means.budget)
        .map_err(|why| means.no_term(why))?;
    let drawn = writer.draw(structure, &subject.atoms(), frame).map_err(|why| means.no_term(why))?;
    means.decided(&drawn.obligations)?;
    let mut count = drawn.obligations.len();
    let model = &drawn.model;
    let formula = subject.formula();
    let subject_drawn = DrawnSubject { model, formula, kind: SubjectKind::Abstraction, ranked: &drawn.ranked };
    let (proof, shown) = proved_at(subject, subject_drawn, (value, parts), text, means)?;
    if value == Belnap::False {
        let starts = begins(&mut writer, model, &shown).map_err(|why| means.no_term(why))?;
        let starts: Vec<Obligation> = starts.into_iter().collect();
        means.decided(&starts)?;
        count += starts.len();
    }
    let over = format!("over {} abstract states and {} predicates", over.states.len(), over.predicates.len());
    Ok(Established { value, proof, over, obligations: count, assumptions: Vec::new() })
}

/// That the program begins where something is shown to be false: in the first of these abstract states, or, if they are all in which it can begin,
/// anywhere. The second needs nothing of what functions do: whichever they are, the program begins in one of them.
///
/// # Errors
/// If it is not known without functions.
pub fn begins(
    writer: &mut ProofObligations<'_, '_>,
    model: &Kmts,
    shown: &[StateId],
) -> Result<Option<Obligation>, NoTerm> {
    let first = shown.first().ok_or_else(|| NoTerm("no initial state shows it".to_owned()))?;
    // The name of an abstract state is its number, in the first copy.
    match writer.starts_in(first.index()) {
        Err(_) if model.init().iter().all(|state| shown.contains(state)) => writer.starts(),
        starts => starts,
    }
}

/// Parts prove the value on the program's graph, which is written out anew.
fn by_graph(subject: &Subject<'_>, parts: &[Part], text: &str, means: Means<'_>) -> Result<Established, NotShown> {
    let value = common_value(parts)?;
    if let Some(why) = subject.strong_fairness_refuses(value) {
        return Err(refused(why));
    }
    let formula = subject.graph_formula().map_err(refused)?;
    let model = match subject.graph(means.budget) {
        Ok(model) => model,
        Err(NoGraph::Open(why)) => return Err(refused(why)),
        Err(NoGraph::Failed(failure)) => return Err(failure.into()),
    };
    let ranked = RankedSteps::default();
    let written_out = DrawnSubject { model: &model, formula: &formula, kind: SubjectKind::Graph, ranked: &ranked };
    let (proof, _) = proved_at(subject, written_out, (value, parts), text, means)?;
    let over = format!("on the graph of {} states", model.state_count());
    Ok(Established { value, proof, over, obligations: 0, assumptions: Vec::new() })
}

/// The value that all parts claim.
fn common_value(parts: &[Part]) -> Result<Belnap, NotShown> {
    let value = parts.first().map(Part::value).ok_or_else(|| refused("it has no proof"))?;
    if parts.iter().any(|part| part.value() != value) {
        return Err(refused("its parts are about different values"));
    }
    if !matches!(value, Belnap::True | Belnap::False) {
        return Err(refused("of a program something is proved to be true, or to be false (E0610)"));
    }
    Ok(value)
}

/// What a proof speaks of.
#[derive(Clone, Copy)]
struct DrawnSubject<'a> {
    model: &'a Kmts,
    /// What is shown of it.
    formula: &'a Formula,
    kind: SubjectKind,
    ranked: &'a RankedSteps,
}

/// The kind of proof, and the initial states where the value is proved: all of them if it is true, one if it is false.
fn proved_at(
    subject: &Subject<'_>,
    DrawnSubject { model, formula, kind, ranked }: DrawnSubject<'_>,
    (value, parts): (Belnap, &[Part]),
    text: &str,
    means: Means<'_>,
) -> Result<(&'static str, Vec<StateId>), NotShown> {
    // Over abstract states how open steps weaken a formula is part of the reading; of a graph everything is decided.
    let mut reading = subject.reading;
    if kind == SubjectKind::Graph {
        reading.linear = tertium_evidence::Reading::default().linear;
    }
    let (mut shown, mut word) = (Vec::new(), "certificate");
    for part in parts {
        let read = part
            .certificate_for(model, text)
            .map_err(|problems| refused(problems.iter().map(sentence).collect::<Vec<_>>().join("; ")))?;
        if !model.init().contains(&read.state) {
            return Err(refused(format!(
                "a part of it is about {}, which is not initial",
                model.state_name(read.state)
            )));
        }
        // The question is the program's; only the proof is the file's. A part that says that it is about something else has no place here.
        same_question(formula, part.formula(), part.logic())?;
        same_runs(subject, part.place())?;
        let (state, proof) = (read.state, read.proof);
        let certificate = Certificate { formula: formula.text(), logic: formula.logic(), reading, state, value, proof };
        let checked = match ranked.is_empty() {
            true => check_certificate_of(model, kind, &certificate, &[], means.budget),
            false => check_ranked_certificate(model, ranked, &certificate, means.budget),
        };
        let why = match checked {
            Ok(accepted) => match accepted.assumptions.first() {
                None => {
                    word = proof_word(&certificate.proof);
                    shown.push(state);
                    continue;
                }
                Some(assumption) => format!("it holds only under the assumption {}", assumption.text()),
            },
            Err(Rejection::Stopped(stopped)) => return Err(stopped.into()),
            Err(Rejection::Refused(problem)) => sentence(&problem),
        };
        return Err(refused(with_hint(subject, parts, why)));
    }
    match model.init().iter().find(|state| !shown.contains(state)) {
        Some(missing) if value == Belnap::True => {
            Err(refused(format!("nothing is proved at the initial state {}", model.state_name(*missing))))
        }
        _ => Ok((word, shown)),
    }
}

/// Whether a proof says that it is about this question.
fn same_question(asked: &Formula, formula: &str, logic: Logic) -> Result<(), NotShown> {
    if logic == asked.logic() && canonical(formula, logic) == asked.text() {
        return Ok(());
    }
    Err(refused(format!("a part of it is about `{formula}`, which is another question")))
}

/// Whether a proof says that it is about these runs.
fn same_runs(subject: &Subject<'_>, place: &CertificatePlace) -> Result<(), NotShown> {
    match *place {
        CertificatePlace::Property { fair: true, .. } if !subject.everyone => {
            Err(refused("it was made for runs that are fair to every process, which `--fair` asks for"))
        }
        CertificatePlace::Property { fair, stutter, .. }
            if fair != subject.everyone || stutter != subject.frame.stutter =>
        {
            Err(refused("it was made for other runs: for those that are fair to fewer, or that end otherwise"))
        }
        _ => Ok(()),
    }
}

/// A refusal, with a word about how the certificate was made where that may be the cause.
fn with_hint(subject: &Subject<'_>, parts: &[Part], mut why: String) -> String {
    if let Some(part) = parts.iter().find(|part| part.reading().deadlock != subject.reading.deadlock)
        && part.reading().deadlock != Deadlock::Mu
    {
        why.push_str(&format!("; it was made for `--deadlock {}`", part.reading().deadlock.name()));
    }
    why
}

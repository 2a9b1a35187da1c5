//! Properties of partial structures.

use tertium_base::Budget;
use tertium_driver::answer::{Answer, OpenReason, StructureEvidence};
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::{Failure, Observer, PropId, Reason, StateId};

use super::Options;
use super::model::Structure;
use super::report::{Evidence, PropertyReport, Report, Run, RunStep};

pub(super) fn check(
    structure: &Structure,
    options: &Options,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Report, Failure> {
    let wanted = &options.structures;
    let logic = wanted.logic.or(structure.logic);
    let always_recheck = wanted.always_recheck || options.certificates;
    let session = Session::new(&structure.loaded, CheckOptions { logic, always_recheck, ..wanted.clone() }, budget)?;
    let mut results = Vec::new();
    for parsed in session.properties(&structure.given, &options.only)? {
        observer.phase(&format!("checking {}", parsed.property.name));
        let answer = session.check(&parsed, budget, observer)?;
        results.push(told(&session, &answer, options)?);
    }
    Ok(Report { results, warnings: session.warnings().to_vec() })
}

fn told(session: &Session<'_>, answer: &Answer, options: &Options) -> Result<PropertyReport, Failure> {
    let has_proof = options.certificates && !answer.certificates.is_empty();
    let certificate = if has_proof { Some(session.certificate_text(answer)?) } else { None };
    let evidence = |shown: &StructureEvidence| Evidence {
        run: shown.run.as_ref().map(|run| told_run(session, answer, run)),
        certificate,
    };
    Ok(PropertyReport {
        name: answer.name.clone(),
        formula: answer.formula.text(),
        logic: answer.formula.logic().name(),
        verdict: answer.verdict.told(evidence, |reason| reasons(session, answer, reason)),
        value: answer.value().word().to_owned(),
        provenance: answer.provenance,
        vacuous: answer.vacuous,
        states: session.size().0,
        warnings: answer.warnings.iter().map(|warning| warning.message.clone()).collect(),
        elapsed: answer.elapsed,
    })
}

/// The elements of the model that leave the value open.
fn reasons(session: &Session<'_>, answer: &Answer, reason: &OpenReason) -> Vec<String> {
    let open = match reason {
        OpenReason::Element(name) => return vec![format!("the value is `{name}`")],
        OpenReason::Question(question) => &question.0,
    };
    let Some(kmts) = answer.structure.as_deref().or(session.kmts()) else { return Vec::new() };
    let name = |state: StateId| kmts.state_name(state);
    let told = |reason: &Reason| match reason {
        Reason::Label { state, prop } => format!("label {} at {} is unknown", kmts.props()[prop.index()], name(*state)),
        Reason::Edge { from, to, .. } => {
            format!("the step {} -> {} is possible, not certain", name(*from), name(*to))
        }
        Reason::Hyper { from, members, .. } => {
            let members: Vec<&str> = members.iter().map(|&member| name(member)).collect();
            format!("some step {} -> {{{}}} is certain, but not which", name(*from), members.join(", "))
        }
    };
    open.reasons.iter().map(told).collect()
}

fn told_run(session: &Session<'_>, answer: &Answer, run: &tertium_driver::answer::Run) -> Run {
    let structure = answer.structure.as_deref().or(session.kmts());
    let steps = run.states.iter().map(|&state| {
        let labels = structure.into_iter().flat_map(|kmts| {
            kmts.props()
                .iter()
                .enumerate()
                .map(move |(at, name)| (name.clone(), kmts.label(state, PropId::new(at)).to_string()))
        });
        RunStep { state: session.state_name(state), values: labels.collect(), ..RunStep::default() }
    });
    Run { steps: steps.collect(), loop_start: run.loop_start, end: None }
}

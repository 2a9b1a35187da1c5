//! From answers to views: names, words, advice.

use clap::ValueEnum as _;
use tertium_base::narrow::millis;
use tertium_base::{Diagnostic, StopReason};
use tertium_driver::answer::{Answer, Completion, CutStep, CutStory, QueryAnswer, Value};
use tertium_driver::check::Session;
use tertium_driver::{Failure, Located, Logic, Verdict as Found};
use tertium_report::build;
use tertium_report::view::{
    CompletionView, CutStepView, CutView, EvidenceView, InstanceView, LatticeView, Message, OpenView, Ordered,
    ReadingView, ReasonView, ResultView, RunView, Stats, Verdict,
};
use tertium_report::view::{QueryView, ValueView};

use super::check::shown_path;
use crate::command::args::{CheckArgs, EngineName};
use crate::command::evidence::{EvidenceFile, EvidenceFolder};

/// Longer sub-formulas in explanations are cut.
const LONGEST_PART: usize = 200;

/// The value of a property.
fn value(value: &Value) -> ValueView {
    match value {
        Value::Belnap(value) => (*value).into(),
        Value::Element { name, .. } => ValueView::Element(name.clone()),
    }
}

/// One answer as a view. `asked` is the number of properties asked in all.
pub fn result(session: &Session<'_>, answer: &Answer, asked: usize, args: &CheckArgs) -> ResultView {
    let reasons = reasons(session, answer);
    let (states, transitions) = session.size();
    let formula = answer.formula.text();
    ResultView {
        show_name: answer.named || asked > 1,
        name: answer.name.clone(),
        logic: answer.formula.logic().name(),
        value: value(&answer.value()),
        stopped: answer.stopped().map(StopReason::word),
        evidence: evidence(session, answer),
        stats: Stats { states, transitions, time_ms: millis(answer.elapsed), ..Stats::default() },
        reading: reading(answer),
        provenance: answer.provenance,
        state: answer.state.filter(|_| session.asks_several() || args.at.is_some()).map(|s| session.state_name(s)),
        per_state: answer.per_state.as_ref().map(|values| per_state(session, values)),
        query: answer.query.as_ref().map(|found| query(found, answer.checked)),
        cuts: session.cut_stories(answer).into_iter().map(cut).collect(),
        condition: answer.conditions.as_ref().map(|conditions| {
            let entry = |part: &tertium_driver::answer::Condition| {
                (build::value_word(part.value).to_owned(), part.when.clone())
            };
            Ordered(conditions.iter().map(entry).collect())
        }),
        sizes: None,
        instances: answer.instances.as_ref().map(|instances| instances.iter().map(instance).collect()),
        open: open(session, answer),
        decide: reasons.first().map(build::advice).into_iter().collect(),
        choice: None,
        left_out: Vec::new(),
        left_out_processes: Vec::new(),
        on_demand: None,
        rounds: Vec::new(),
        ranking: Vec::new(),
        established: Vec::new(),
        next: next_commands(session, answer, &reasons, &formula, args),
        failing_case: None,
        fails_from: None,
        two_states: None,
        vacuous: answer.vacuous,
        empty: false,
        up_to: Vec::new(),
        warnings: answer.warnings.iter().map(message).collect(),
        expected: None,
        verdict: verdict(answer),
        reasons,
        formula,
    }
}

/// The structure that the run and the open question are told of.
fn told_of<'a>(session: &'a Session<'_>, answer: &'a Answer) -> Option<&'a tertium_driver::Kmts> {
    answer.structure.as_deref().or(session.kmts())
}

fn verdict(answer: &Answer) -> Verdict {
    match answer.verdict {
        Found::Holds(_) => Verdict::Success,
        Found::Fails(_) => Verdict::Failure,
        Found::Indefinite(_) | Found::Conflicting(_) | Found::Stopped(..) => Verdict::Open,
    }
}

fn reading(answer: &Answer) -> ReadingView {
    let linear = matches!(answer.formula.logic(), Logic::Ltl | Logic::CtlStar);
    ReadingView {
        semantics: answer.semantics,
        deadlock: answer.reading.deadlock.name(),
        ltl: (linear && answer.semantics == "compositional").then(|| answer.reading.linear.name()),
    }
}

fn reasons(session: &Session<'_>, answer: &Answer) -> Vec<ReasonView> {
    let (Some((question, _)), Some(model)) = (answer.open(), told_of(session, answer)) else { return Vec::new() };
    let mut views: Vec<ReasonView> = Vec::new();
    for reason in &question.reasons {
        let view = build::reason(model, reason);
        if !views.contains(&view) {
            views.push(view);
        }
    }
    views
}

fn open(session: &Session<'_>, answer: &Answer) -> Option<OpenView> {
    let (question, _) = answer.open()?;
    let model = told_of(session, answer)?;
    if question.play.is_empty() {
        return None;
    }
    let mut found = build::open(model, question, |node| answer.open_part(node, LONGEST_PART));
    if found.loop_start.is_none() {
        found.play.dedup();
    }
    Some(found)
}

fn evidence(session: &Session<'_>, answer: &Answer) -> EvidenceView {
    if let Some(completions) = &answer.completions {
        return shown_completions(completions, answer.checked);
    }
    let Some(proved) = answer.certificates.first() else { return EvidenceView::none() };
    let run: Option<RunView> = answer
        .run()
        .and_then(|run| told_of(session, answer).map(|model| build::run(model, &run.states, run.loop_start)));
    let kind = match &run {
        Some(run) if run.loop_start.is_some() => "lasso",
        Some(_) => "run",
        None => tertium_certify::proof_word(&proved.certificate.proof),
    };
    EvidenceView { kind, checked: answer.checked, run, ..EvidenceView::none() }
}

fn query(found: &QueryAnswer, checked: bool) -> QueryView {
    QueryView {
        atoms: found.atoms.clone(),
        strongest: found.strongest.clone(),
        not_refuted: found.not_refuted.clone(),
        checked,
    }
}

fn cut(story: CutStory) -> CutView {
    let step = |step: CutStep| CutStepView { state: step.state, labels: Ordered(step.labels), edge: step.edge };
    CutView {
        element: story.element,
        above: story.above,
        state: story.state,
        run: story.run.into_iter().map(step).collect(),
        loop_start: story.loop_start,
    }
}

fn shown_completions(completions: &[Completion; 2], checked: bool) -> EvidenceView {
    let view = |(value, completion): (&'static str, &Completion)| CompletionView {
        value,
        states: completion.structure.state_count(),
        transitions: completion.structure.edge_count(),
        file: None,
    };
    let completions = ["true", "false"].into_iter().zip(completions).map(view).collect();
    EvidenceView { kind: "completions", checked, completions, ..EvidenceView::none() }
}

fn per_state(session: &Session<'_>, values: &[Value]) -> Ordered<String> {
    let names = session.state_names();
    Ordered(names.into_iter().zip(values).map(|(name, value)| (name, value.word().to_owned())).collect())
}

fn instance(instance: &tertium_driver::answer::Instance) -> InstanceView {
    InstanceView {
        parameters: Ordered(instance.parameters.clone()),
        value: build::value_word(instance.value).to_owned(),
    }
}

/// The lattice that the structure takes its values from.
pub fn lattice(session: &Session<'_>) -> Option<LatticeView> {
    let (name, lattice) = session.lattice()?;
    let word = |element| lattice.name(element).to_owned();
    Some(LatticeView {
        name: name.to_owned(),
        elements: lattice.names().to_vec(),
        join_irreducibles: lattice.join_irreducibles().iter().map(|&element| word(element)).collect(),
        star: Ordered(
            lattice.join_irreducibles().iter().map(|&element| (word(element), word(lattice.star(element)))).collect(),
        ),
    })
}

/// A diagnostic as code and line.
pub fn message(diagnostic: &Diagnostic) -> Message {
    Message { code: diagnostic.code.to_owned(), message: diagnostic.message.clone() }
}

/// Several of them.
pub fn messages(located: &[Located]) -> Vec<Message> {
    located.iter().map(|located| message(&located.diagnostic)).collect()
}

/// What to try next: for an unknown, the same question where it got stuck, then stronger readings.
fn next_commands(
    session: &Session<'_>,
    answer: &Answer,
    reasons: &[ReasonView],
    formula: &str,
    args: &CheckArgs,
) -> Vec<String> {
    let mut commands = Vec::new();
    let file = typed_model(args);
    let property = if args.properties.is_empty() {
        format!("--only {}", quoted(&answer.name))
    } else {
        format!("-p {} --logic {}", quoted(formula), quoted(answer.formula.logic().name()))
    };
    let plain = format!("tertium check {file} {property}");
    let base = format!("{plain}{}", chosen_engine(args));
    if let Some(stopped) = answer.stopped() {
        match stopped {
            StopReason::Time => commands.push(format!("{base} --timeout {}", longer(args))),
            StopReason::Memory => commands.push(format!("{base} --memory {}", larger(args))),
            StopReason::Interrupted | StopReason::Count => {}
        }
        return commands;
    }
    if answer.query.is_none() && answer.value_is_unknown() {
        let stuck_at = reasons.first().and_then(|reason| match reason {
            ReasonView::Label { state, .. } => Some(state),
            ReasonView::Edge { from, .. } | ReasonView::Hyper { from, .. } => Some(from),
            ReasonView::Limit { .. } => None,
        });
        let asked_at = answer.state.map(|state| session.state_name(state));
        if let Some(state) = stuck_at.filter(|&state| Some(state) != asked_at.as_ref()) {
            commands.push(format!("{base} --at {}", quoted(state)));
        }
        if session.may_gain_from_completions(&answer.formula) {
            commands.push(format!("{plain} --semantics thorough   (do all completions agree?)"));
        }
        let linear = matches!(answer.formula.logic(), Logic::Ltl | Logic::CtlStar);
        if linear && session.may_gain_from_totality() && args.deadlock.is_none() {
            commands.push(format!("{base} --deadlock total   (if the system never stops)"));
        }
    }
    commands
}

/// The engine, if the user chose one: what is tried next is tried with it.
pub fn chosen_engine(args: &CheckArgs) -> String {
    let name = args.engine.to_possible_value().filter(|_| args.engine != EngineName::Auto);
    name.map_or(String::new(), |name| format!(" --engine {}", name.get_name()))
}

/// Ten times the time limit.
pub fn longer(args: &CheckArgs) -> String {
    let now = args.limits.timeout.map_or(30.0, |limit| limit.0.as_secs_f64());
    format!("{}s", (now * 10.0).ceil().max(1.0))
}

/// Four times the memory limit.
pub fn larger(args: &CheckArgs) -> String {
    let now = args.limits.memory.map_or(1 << 30, |limit| limit.0);
    format!("{}M", (now.saturating_mul(4) >> 20).max(64))
}

/// The model, as it is typed to look at it again.
pub fn typed_model(args: &CheckArgs) -> String {
    match &args.model {
        Some(model) if model.is_text() => format!("- --language {}", model.language.name()),
        Some(model) if args.text.language.is_some() => {
            format!("{} --language {}", quoted(&model.name()), model.language.name())
        }
        _ => quoted(&shown_path(args.file())),
    }
}

/// A word as a shell reads it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Writes the certificate and the run of an answer; the path of the first. What an earlier run has found stays beside an
/// answer that was stopped.
pub fn write_evidence(
    folder: &mut EvidenceFolder,
    session: &Session<'_>,
    answer: &Answer,
    view: &mut ResultView,
) -> Result<Option<String>, Failure> {
    let stem = folder.stem_for(&answer.name);
    let mut files = Vec::new();
    let mut add = |ending: &str, contents: String| {
        let name = format!("{stem}{ending}");
        let path = folder.path(&name);
        files.push(EvidenceFile { name, contents });
        path
    };
    if let Some(run) = &view.evidence.run {
        add(".run.json", tertium_report::json::document(run));
    }
    for (at, completion) in answer.completions.iter().flat_map(|both| both.iter()).enumerate() {
        let ending = if at == 0 { ".satisfying.kmts" } else { ".violating.kmts" };
        let text = tertium_driver::export::structure_text(&completion.structure);
        view.evidence.completions[at].file = Some(add(ending, text));
    }
    let certificate =
        if answer.certificates.is_empty() { None } else { Some(add(".cert.json", session.certificate_text(answer)?)) };
    if answer.stopped().is_none() || !files.is_empty() {
        folder.replace(&stem, &answer.name, view.value.word(), &files)?;
    }
    Ok(certificate)
}

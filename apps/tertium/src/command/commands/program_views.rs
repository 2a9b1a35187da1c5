//! From answers about programs to views: lines, values, advice.

use tertium_base::narrow::millis;
use tertium_base::{Budget, Diagnostic, StopReason};
use tertium_driver::failure::Located;
use tertium_driver::program::answer::Round;
use tertium_driver::program::parameterised::Sizes;
use tertium_driver::program::predicate_abstraction::abstraction_view::SampleState;
use tertium_driver::program::proof::{self, Obligation, Written};
use tertium_driver::program::questions::Question;
use tertium_driver::program::run::{self, Run};
use tertium_driver::program::{self, CheckOptions, Language, ProgramAnswer, ProgramFile, Reason, itf, wording};
use tertium_driver::strategy::{Advice, TwoStates};
use tertium_driver::{Belnap, Failure};
use tertium_report::view::{
    ConcreteStateView, EndView, EvidenceView, FailingStartView, OnDemandView, Ordered, ReadingView, ReasonView,
    RepeatsView, ResultView, RoundView, RunView, SizesView, Stats, StepView, TakenView, TwoStatesView, Verdict,
};
use tertium_report::{Style, build, text};

use super::views::{self, quoted};
use crate::command::args::{CheckArgs, Semantics};
use crate::command::evidence::EvidenceFile;

/// One answer as a view. `asked` is the number of questions in all.
pub fn result(file: &ProgramFile, answer: &ProgramAnswer, asked: usize, args: &CheckArgs) -> ResultView {
    let reasons: Vec<ReasonView> = answer.reasons().iter().map(|reason| limit(file, reason)).collect();
    let run = shown_run(file, answer);
    let kind = match &run {
        Some(run) if run.loop_start.is_some() || run.repeats.is_some() => "lasso",
        Some(_) => "run",
        None => "none",
    };
    ResultView {
        name: answer.name.clone(),
        show_name: answer.named || asked > 1,
        formula: answer.formula.clone(),
        logic: answer.logic,
        value: answer.value().into(),
        stopped: answer.stopped().map(StopReason::word),
        decide: reasons.iter().take(1).map(build::advice).collect(),
        reasons,
        evidence: EvidenceView { kind, checked: run.is_some(), run, ..EvidenceView::none() },
        stats: Stats {
            states: answer.cost.states,
            transitions: answer.cost.transitions,
            time_ms: millis(answer.cost.elapsed),
            predicates: answer.cost.solver.map_or(0, |work| work.predicates),
            solver_calls: answer.cost.solver.map_or(0, |work| work.calls),
            refinements: answer.cost.refinements,
        },
        reading: ReadingView {
            semantics: match args.semantics {
                _ if args.module => "module",
                Semantics::Thorough => "thorough",
                Semantics::Compositional => "compositional",
            },
            deadlock: answer.deadlock,
            ltl: args.ltl.map(|name| name.0.name()),
        },
        provenance: answer.provenance,
        state: None,
        per_state: None,
        query: None,
        cuts: Vec::new(),
        condition: None,
        instances: None,
        sizes: answer.sizes.as_ref().map(|sizes| SizesView {
            constant: sizes.constant.clone(),
            at_least: sizes.least,
            value: sizes.value,
            held: sizes.held.clone(),
        }),
        open: None,
        choice: answer.choice.clone(),
        left_out: answer.left_out.iter().map(|&var| file.program.show_variable(var)).collect(),
        left_out_processes: answer.idle.iter().map(|&process| file.program.process(process).name.clone()).collect(),
        on_demand: answer.cost.on_demand.map(|part| OnDemandView { made: part.made, left: part.left }),
        rounds: answer.rounds.iter().map(round).collect(),
        ranking: answer.ranking().to_vec(),
        established: answer.established.clone(),
        next: next_commands(answer, args),
        failing_case: answer.failing_case.clone().map(Ordered),
        two_states: None,
        fails_from: answer.fails_from.as_ref().map(|start| FailingStartView {
            values: Ordered(start.values.clone()),
            reached: start.reached,
            places: start.places.clone(),
        }),
        vacuous: answer.is_vacuous(),
        empty: answer.starts_nowhere(),
        up_to: Vec::new(),
        warnings: answer.warnings.iter().map(views::message).collect(),
        expected: None,
        verdict: match answer.value() {
            _ if answer.stopped().is_some() => Verdict::Open,
            Belnap::True => Verdict::Success,
            Belnap::False => Verdict::Failure,
            Belnap::Unknown | Belnap::Both => Verdict::Open,
        },
    }
}

fn round(round: &Round) -> RoundView {
    RoundView {
        predicates: round.predicates.clone(),
        processes: round.processes.clone(),
        parameters: round.parameters,
        states: round.states,
        solver_calls: round.calls,
        open: round.open.clone(),
    }
}

/// Why something is open.
pub fn limit(file: &ProgramFile, reason: &Reason) -> ReasonView {
    ReasonView::Limit {
        what: reason.what.clone(),
        about: reason.about.clone(),
        line: reason.span.map(|span| file.line(span)),
        help: reason.help.clone(),
    }
}

fn next_commands(answer: &ProgramAnswer, args: &CheckArgs) -> Vec<String> {
    let base = format!("tertium check {} --only {}", views::typed_model(args), quoted(&answer.name));
    match answer.stopped() {
        Some(StopReason::Time) => {
            vec![format!("{base}{} --timeout {}", views::chosen_engine(args), views::longer(args))]
        }
        Some(StopReason::Memory) => {
            vec![format!("{base}{} --memory {}", views::chosen_engine(args), views::larger(args))]
        }
        None if answer.value() == Belnap::Unknown && !answer.rounds.is_empty() => {
            // One size more is an answer of its own; whatever else may help is tried first (`add_advice`).
            let larger = |sizes: &Sizes| {
                let next = sizes.held.iter().max().map_or(sizes.least, |last| last + 1);
                format!("{base} -D {}={next}", sizes.constant)
            };
            answer.sizes.as_ref().map(larger).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Adds the two states that an open answer depends on.
pub fn add_two_states(view: &mut ResultView, found: Option<TwoStates>) {
    let state = |state: SampleState| ConcreteStateView { values: Ordered(state.values), does: state.title };
    view.two_states = found.map(|found| TwoStatesView {
        of: found.of,
        states: found.states.into_iter().map(state).collect(),
        missing: found.missing,
    });
}

/// Adds what was tried and decides the property.
pub fn add_advice(view: &mut ResultView, advice: &[Advice], args: &CheckArgs) {
    let base = format!("tertium check {} --only {}", views::typed_model(args), quoted(&view.name));
    for advice in advice {
        match advice {
            Advice::Refinements(rounds) => view.next.push(format!("{base} --refinements {rounds}")),
            Advice::Run => view.next.push(format!("{base} --abstraction none")),
            Advice::Fairness(processes) => {
                let mut names: Vec<&str> =
                    processes.iter().map(|name| name.split('[').next().unwrap_or(name)).collect();
                names.dedup();
                view.decide.push(format!("declare `fair {}`: the property then holds", names.join(", ")));
            }
        }
    }
}

/// The run of an answer, and why its end can be taken for ever if it can.
fn shown_run(file: &ProgramFile, answer: &ProgramAnswer) -> Option<RunView> {
    let run = run_view(file, answer.run()?);
    let repeats = answer.repeats().map(|repeats| RepeatsView {
        from: repeats.start,
        steps: repeats.length,
        whenever: repeats.whenever.clone(),
    });
    Some(RunView { repeats, ..run })
}

/// A run with lines, statements and values.
pub fn run_view(file: &ProgramFile, run: &Run) -> RunView {
    RunView { steps: step_views(file, run, 0), loop_start: run.loop_start, end: end(file, run), repeats: None }
}

/// The states of a run from one on, with the steps that lead to them.
pub fn step_views(file: &ProgramFile, run: &Run, from: usize) -> Vec<StepView> {
    let semantics = tertium_driver::program::semantics(file);
    let states: Vec<_> = run.states().collect();
    let steps = states.iter().enumerate().skip(from).map(|(at, state)| StepView {
        state: at.to_string(),
        labels: Ordered(Vec::new()),
        step: at.checked_sub(1).and_then(|before| {
            let moves = &run.steps[before].moves;
            let output = wording::printed(&semantics, states[before], moves);
            taken(file, moves, output)
        }),
        values: Some(Ordered(wording::values(&semantics, state))),
    });
    steps.collect()
}

fn taken(file: &ProgramFile, moves: &[tertium_driver::program::Move], output: String) -> Option<TakenView> {
    let told = wording::tell(file, moves)?;
    Some(TakenView {
        process: told.process,
        line: told.line,
        file: told.file,
        statement: told.statement,
        partner: told.partner,
        output: (!output.is_empty()).then_some(output),
    })
}

/// How a run ends, if it does.
pub fn end(file: &ProgramFile, run: &Run) -> Option<EndView> {
    if let Some((moves, fault)) = &run.fault {
        return Some(EndView {
            kind: fault.kind.name().to_owned(),
            step: taken(file, moves, String::new()),
            message: wording::tell_fault(&file.program, fault),
        });
    }
    if let Some((moves, fault)) = run::fault_at_rest(&program::Semantics::new(&file.program), run) {
        return Some(EndView {
            kind: fault.kind.name().to_owned(),
            step: taken(file, &moves, String::new()),
            message: format!("{}: the run ends in this fault", wording::tell_fault(&file.program, &fault)),
        });
    }
    run.deadlock.then(|| EndView {
        kind: "deadlock".to_owned(),
        step: None,
        message: match file.language {
            Language::Gcl => "deadlock: no process can step, and not all are at their ends".to_owned(),
            Language::Smv | Language::Horn => "a state without successors".to_owned(),
            Language::Promela => "invalid end state: nothing can step, and not all processes may end here".to_owned(),
        },
    })
}

/// The files of the run of an answer, in the ITF format first and as text. `fair`: only fair runs count.
pub fn run_files(stem: &str, file: &ProgramFile, answer: &ProgramAnswer, fair: bool) -> Vec<EvidenceFile> {
    let Some(run) = answer.run() else { return Vec::new() };
    let claim = matches!(answer.value(), Belnap::True | Belnap::False).then(|| itf::Claim {
        property: answer.name.clone(),
        formula: answer.formula.clone(),
        value: answer.value() == Belnap::True,
        fair,
    });
    let shown = shown_run(file, answer).unwrap_or_else(|| run_view(file, run));
    vec![
        EvidenceFile {
            name: format!("{stem}.itf.json"),
            contents: itf::document(file, run, claim.as_ref(), answer.repeats()),
        },
        EvidenceFile {
            name: format!("{stem}.run.txt"),
            contents: text::run(&shown, Style { colour: false, verbose: true }),
        },
    ]
}

/// Says that there is no certificate.
pub fn has_no_certificate(view: &mut ResultView, warning: Diagnostic) {
    view.warnings.extend(views::messages(&[Located::nowhere(warning)]));
}

/// Why there is no certificate.
pub fn no_certificate(why: &str) -> Diagnostic {
    Diagnostic::warning("W0407", format!("no certificate is written: {why}"))
}

/// The certificate takes more than this, and far more than the answer did.
pub fn dear(most: &str) -> Diagnostic {
    no_certificate(&format!("it takes more than {most}, far more than the answer"))
        .help("`--certificates always` makes it, however long it takes")
}

/// The certificate of a definite answer first, then its obligations if it has any; none, with a remark that says why, if
/// there is no certificate.
///
/// # Errors
/// If a limit is reached, or the independent checker disagrees with the answer.
pub fn proof_files(
    stem: &str,
    file: &ProgramFile,
    (question, answer): (&Question, &ProgramAnswer),
    options: &CheckOptions,
    view: &mut ResultView,
    budget: &Budget,
) -> Result<Vec<EvidenceFile>, Failure> {
    let (text, obligations) = match proof::certificate_of(file, question, answer, options, budget)? {
        Written::Certificate(text) => (text, Vec::new()),
        Written::WithObligations { text, obligations } => (text, obligations),
        Written::None(why) => {
            has_no_certificate(view, no_certificate(&why));
            return Ok(Vec::new());
        }
    };
    view.evidence.kind = "certificate";
    view.evidence.checked = true;
    let mut files = vec![EvidenceFile { name: format!("{stem}.cert.json"), contents: text }];
    files.extend(obligations.into_iter().map(|obligation: Obligation| EvidenceFile {
        name: format!("obligations/{stem}/{}.smt2", obligation.name),
        contents: obligation.script,
    }));
    Ok(files)
}

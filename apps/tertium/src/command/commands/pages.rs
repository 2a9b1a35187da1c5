//! From answers to the page: graphs, runs with what processes could do, causes, proofs.

use tertium_base::Budget;
use tertium_driver::answer::Answer;
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::picture::{self, Decision};
use tertium_driver::program::coverage::Covered;
use tertium_driver::program::narration::{self, Choices};
use tertium_driver::program::predicate_abstraction::abstraction_view::{AbstractionView, SampleState};
use tertium_driver::program::predicate_abstraction::round_history::RoundStructure;
use tertium_driver::program::questions::Question;
use tertium_driver::program::run::Run;
use tertium_driver::program::{self, ProgramAnswer, ProgramFile, Semantics, location_invariants};
use tertium_driver::property::Parsed;
use tertium_driver::unfold::Unfolded;
use tertium_driver::{Belnap, Failure, Kmts, ModelSource, Reason};
use tertium_report::page::view::{
    BlameView, ChoiceView, CoverageView, CoveredView, Detail, FairView, FormulaRow, GraphView, InvariantView,
    MessageView, MovesView, ProofView, RoundView, SampleView, SourceView, StatementView, ValuesView, VariantView,
    WayView, WaysView,
};
use tertium_report::page::{self, Page, headline, short_name};
use tertium_report::view::{Ordered, ResultView, Technique};
use tertium_report::{build, json};

use super::abstraction;
use super::views::quoted;
use crate::command::args::CheckArgs;
use crate::command::evidence::EvidenceFolder;

/// Longer parts of formulas are cut.
const LONGEST_PART: usize = 160;
/// More choices of a strategy are not listed.
const MOST_CHOICES: usize = 400;

/// Writes the page and its data beside the other evidence.
pub fn write(folder: &mut EvidenceFolder, page: &Page) -> Result<String, Failure> {
    folder.write_page(&json::document(page), &page::html(&page.report.input.file, page))
}

/// What there is to see of an answer about a structure. Graphs are shared: `graphs` holds those that are there already.
pub fn of_structure(
    session: &Session<'_>,
    parsed: &Parsed,
    (answer, view): (&Answer, &ResultView),
    options: &CheckOptions,
    page: &mut Page,
    budget: &Budget,
) -> Result<Detail, Failure> {
    let mut detail = Detail { explanations: explanations(view), ..Detail::default() };
    let told_of = answer.structure.as_deref().or(session.kmts());
    if let Some(model) = told_of.filter(|model| picture::is_small(model)) {
        detail.graph = Some(graph(model, answer.structure.is_none(), page));
        let checked = CheckOptions { parameters: true, ..options.clone() };
        if answer.structure.is_none() && answer.semantics == "compositional" && answer.stopped().is_none() {
            detail.formulas = valued(picture::values(model, parsed, &checked, budget)?);
        }
        follow(model, answer, &mut detail);
        if let Some(run) = answer.run() {
            let found = picture::along(model, &parsed.formula, run);
            unfolded(&parsed.formula, &found, run.states.len(), run.loop_start, &mut detail);
        }
        if let Some(reason) = answer.open().and_then(|(open, _)| open.reasons.first())
            && answer.value_is_unknown()
            && answer.stopped().is_none()
        {
            let tried = picture::decisions(model, reason, parsed, &checked, budget)?;
            let variants = tried
                .iter()
                .map(|(way, value)| VariantView { change: decided(model, reason, way), value: (*value).into() });
            detail.open = Some(WaysView { variants: variants.collect(), ..WaysView::default() });
        }
        if answer.value().is_true() {
            detail.proof = Some(structure_proof(model, answer, view));
        }
    }
    detail.headline = headline::headline(view, &detail);
    Ok(detail)
}

/// The index of a structure's graph; the model's own is the same for all answers.
fn graph(model: &Kmts, is_own: bool, page: &mut Page) -> usize {
    if !is_own || page.graphs.is_empty() {
        page.graphs.push(page::graph(model));
        return page.graphs.len() - 1;
    }
    0
}

fn valued(found: Vec<picture::Valued>) -> Vec<ValuesView> {
    let view = |part: picture::Valued| ValuesView {
        formula: short_name(&part.formula),
        values: part.values.into_iter().map(build::value_letter).collect(),
    };
    found.into_iter().map(view).collect()
}

/// The states that the run, or else the open question, passes.
fn follow(model: &Kmts, answer: &Answer, detail: &mut Detail) {
    let inside = |state: usize| state < model.state_count();
    if let Some(run) = answer.run() {
        detail.path = run.states.iter().map(|state| state.index()).filter(|&state| inside(state)).collect();
        detail.path_loop = run.loop_start;
    } else if let Some((open, _)) = answer.open() {
        let mut entry = None;
        for (at, step) in open.play.iter().enumerate() {
            if detail.path.last() != Some(&step.state.index()) {
                detail.path.push(step.state.index());
            }
            if open.loop_start == Some(at) {
                entry = Some(detail.path.len() - 1);
            }
        }
        detail.path_loop = entry;
    }
    if let Some((open, _)) = answer.open() {
        detail.focus = open.reasons.first().map(|reason| match reason {
            Reason::Label { state, .. } => state.index(),
            Reason::Edge { from, .. } | Reason::Hyper { from, .. } => from.index(),
        });
    }
}

fn decided(model: &Kmts, reason: &Reason, way: &Decision) -> String {
    let name = |state| model.state_name(state);
    match (reason, way) {
        (Reason::Label { state, prop }, Decision::Label(holds)) => {
            format!("label {} at {} is {holds}", model.props()[prop.index()], name(*state))
        }
        (Reason::Edge { from, to, .. }, Decision::Step(exists)) => {
            format!("the step {} -> {} {}", name(*from), name(*to), if *exists { "exists" } else { "does not exist" })
        }
        (Reason::Hyper { from, .. }, Decision::Member(to)) => {
            format!("the step {} -> {} is the certain one", name(*from), name(*to))
        }
        _ => "this is decided".to_owned(),
    }
}

fn structure_proof(model: &Kmts, answer: &Answer, view: &ResultView) -> ProofView {
    let checked = if view.evidence.checked { ", and the independent checker accepts the proof" } else { "" };
    let scope = format!("However the open parts of the structure are filled in, the property holds{checked}.");
    let how = format!(
        "Decided by {} on {} states and {} transitions.",
        view.provenance.phrase(),
        view.stats.states,
        view.stats.transitions
    );
    let choice = |(from, to): (_, Vec<_>)| ChoiceView {
        from: model.state_name(from).to_owned(),
        to: to.into_iter().map(|state| model.state_name(state)).collect::<Vec<_>>().join(", "),
    };
    let strategy = picture::strategy(answer).into_iter().take(MOST_CHOICES).map(choice);
    ProofView { summary: vec![scope, how], strategy: strategy.collect(), ..ProofView::default() }
}

fn explanations(view: &ResultView) -> Vec<String> {
    view.reasons.iter().map(build::explanation).collect()
}

/// Rows and what decides; `length` steps are shown, the last of which may be that to which a lasso returns.
fn unfolded(
    formula: &tertium_driver::Formula,
    found: &Unfolded,
    length: usize,
    loop_start: Option<usize>,
    detail: &mut Detail,
) {
    for row in &found.rows {
        let mut values: String = row.values.iter().map(|&value| build::value_letter(value)).collect();
        let back = loop_start.and_then(|start| row.values.get(start));
        while let Some(&value) = back.filter(|_| values.len() < length) {
            values.push_str(build::value_letter(value));
        }
        detail.unfolded.push(FormulaRow { formula: formula.text_of(row.node, LONGEST_PART), depth: row.depth, values });
    }
    for blamed in &found.blame {
        let Some(row) = found.rows.iter().position(|row| row.node == blamed.node) else { continue };
        detail.blame.push(BlameView {
            at: blamed.at,
            row,
            formula: formula.text_of(blamed.node, LONGEST_PART),
            value: build::value_letter(blamed.value).chars().next().unwrap_or('u'),
            forever: blamed.forever,
        });
    }
}

/// What there is to see of an answer about a program.
pub fn of_program(
    file: &ProgramFile,
    question: &Question,
    (answer, view): (&ProgramAnswer, &ResultView),
    invariant: &[InvariantView],
    fair: bool,
) -> Detail {
    let mut detail = Detail { explanations: explanations(view), ..Detail::default() };
    if let Some(run) = answer.run() {
        run_details(file, question, run, fair, &mut detail);
    }
    if view.value.is(Belnap::True) {
        let mut proof = program_proof(view);
        proof.rest_on(invariant.to_vec());
        detail.proof = Some(proof);
    }
    detail.headline = headline::headline(view, &detail);
    detail
}

/// Adds the abstract states that an answer rests on, and on how many obligations they do.
pub fn add_basis(file: &ProgramFile, answer: &ProgramAnswer, obligations: usize, detail: &mut Detail) {
    const MOST: usize = 200;
    let (Some(basis), Some(proof)) = (answer.basis(), &mut detail.proof) else { return };
    let (predicates, states) = basis.told(&file.program, MOST);
    proof.predicates = predicates;
    proof.rest_on(states.into_iter().map(|(at, holds)| InvariantView { at, holds }).collect());
    if obligations > 0 {
        proof.summary.push(format!(
            "The proof rests on {obligations} obligations about the program's steps, which a solver decided one by one; they are in the folder `obligations`."
        ));
    }
}

/// Adds a picture of the abstract states that an answer rests on, where nothing else is drawn.
pub fn add_structure(file: &ProgramFile, answer: &ProgramAnswer, detail: &mut Detail, page: &mut Page) {
    const MOST: usize = 400;
    let picture = answer.basis().and_then(|basis| basis.picture(&file.program, MOST));
    let Some(picture) = picture.filter(|_| detail.graph.is_none()) else { return };
    page.graphs.push(GraphView {
        labels: vec![String::new(); picture.states.len()],
        states: picture.states,
        init: picture.initial,
        edges: (picture.edges.iter())
            .map(|edge| (edge.from, edge.to, u8::from(edge.may), u8::from(edge.must), None))
            .collect(),
        hyper: picture.hyper,
        ..GraphView::default()
    });
    detail.graph = Some(page.graphs.len() - 1);
}

/// Adds the abstraction that a property was decided on.
pub fn add_abstraction(pictured: &AbstractionView, view: &ResultView, detail: &mut Detail, page: &mut Page) {
    let mut graph = page::graph(&pictured.structure);
    graph.states.clone_from(&pictured.names);
    let line = |values: &[(String, String)]| {
        values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    graph.samples =
        pictured.samples.iter().map(|(state, values)| SampleView { state: *state, values: line(values) }).collect();
    page.graphs.push(graph);
    detail.graph = Some(page.graphs.len() - 1);
    detail.formulas = valued(pictured.values.clone());
    follow(&pictured.structure, &pictured.answer, detail);
    if let Some(proof) = &mut detail.proof {
        proof.predicates.clone_from(&pictured.predicates);
        proof.rest_on(reachable(pictured));
    }
    let way = |side: &SampleState| WayView {
        title: side.title.clone(),
        kind: "unknown",
        text: String::new(),
        values: Ordered(side.values.clone()),
    };
    if !(pictured.sides.is_empty() && pictured.missing.is_empty()) && view.value.is(Belnap::Unknown) {
        let focus = detail.focus.and_then(|state| pictured.names.get(state)).cloned().unwrap_or_default();
        detail.explanations.push(format!(
            "the abstract state `{focus}` stands for states that behave differently; the predicates ({}) do not tell them apart",
            pictured.predicates.join("; ")
        ));
        detail.open = Some(WaysView {
            samples: pictured.sides.iter().map(way).collect(),
            missing: pictured.missing.clone(),
            ..WaysView::default()
        });
    }
    detail.headline = headline::headline(view, detail);
}

/// The rounds of a property that can be drawn; nothing if there are not several.
pub fn rounds(
    file: &ProgramFile,
    (question, answer): (&Question, &ProgramAnswer),
    options: &program::CheckOptions,
    args: &CheckArgs,
    budget: &Budget,
) -> Result<Vec<RoundStructure>, Failure> {
    let (Question::Property(asked), Some(looked), None) = (question, &answer.round_history, answer.stopped()) else {
        return Ok(Vec::new());
    };
    let how = abstraction::options(&args.how, args.max_states);
    match looked.draw(file, asked, options, &how, budget) {
        // A page without the pictures is better than none.
        Err(Failure::Stopped(_)) => Ok(Vec::new()),
        Ok(drawn) if drawn.iter().filter(|round| round.pictured.is_some()).count() < 2 => Ok(Vec::new()),
        drawn => drawn,
    }
}

/// Adds the abstractions of all rounds, the last one as the one that decided.
pub fn add_rounds(
    drawn: &[RoundStructure],
    answer: &ProgramAnswer,
    view: &ResultView,
    detail: &mut Detail,
    page: &mut Page,
) {
    let mut missing: Vec<String> = Vec::new();
    for round in drawn {
        let Some(pictured) = &round.pictured else {
            missing.push(round.number.to_string());
            continue;
        };
        let mut here = Detail { proof: detail.proof.clone(), ..Detail::default() };
        add_abstraction(pictured, view, &mut here, page);
        let told = answer.rounds.get(round.number);
        let learnt = told.map(|told| told.predicates.clone()).unwrap_or_default();
        let mut note = match (learnt.len(), told.and_then(|told| told.open.clone())) {
            (0, None) => String::new(),
            (0, Some(open)) => open,
            (_, None) => format!("with {}", learnt.join("; ")),
            (_, Some(open)) => format!("with {}: {open}", learnt.join("; ")),
        };
        if !missing.is_empty() {
            let skipped = format!("(not drawn, too large: round {})", missing.join(", "));
            note = format!("{note} {skipped}");
            missing.clear();
        }
        detail.rounds.push(RoundView {
            graph: here.graph.unwrap_or_default(),
            formulas: here.formulas.clone(),
            path: here.path.clone(),
            loop_start: here.path_loop,
            focus: here.focus,
            note,
            predicates: learnt,
        });
        (detail.graph, detail.formulas) = (here.graph, here.formulas);
        (detail.path, detail.path_loop, detail.focus) = (here.path, here.path_loop, here.focus);
        (detail.open, detail.proof) = (here.open, here.proof);
    }
    if let (Some(last), false) = (detail.rounds.last_mut(), missing.is_empty()) {
        last.note.push_str(&format!(" (not drawn, too large: round {})", missing.join(", ")));
    }
    detail.headline = headline::headline(view, detail);
}

/// The command that decides the property with one more predicate.
pub fn with_predicate(pictured: &AbstractionView, view: &ResultView, model: &str) -> Vec<String> {
    let known: Vec<String> = pictured.predicates.iter().map(|text| format!(" --predicate {}", quoted(text))).collect();
    let command = |missing: &String| {
        let base = format!("tertium check {model} --only {} --refinements 0", quoted(&view.name));
        format!("{base}{} --predicate {}", known.concat(), quoted(missing))
    };
    if view.value.is(Belnap::Unknown) { pictured.missing.iter().map(command).collect() } else { Vec::new() }
}

/// The abstract states that can be reached, which together are an invariant of the program.
fn reachable(pictured: &AbstractionView) -> Vec<InvariantView> {
    const MOST: usize = 200;
    let part = |name: &String| {
        let (at, holds) = name.split_once("  ").unwrap_or((name, "true"));
        InvariantView { at: at.to_owned(), holds: holds.to_owned() }
    };
    if pictured.names.len() > MOST { Vec::new() } else { pictured.names.iter().map(part).collect() }
}

fn run_details(file: &ProgramFile, question: &Question, run: &Run, fair: bool, detail: &mut Detail) {
    let semantics = tertium_driver::program::semantics(file);
    detail.processes = narration::processes(file, run);
    detail.moves = Some(moves(file, &narration::choices(file, &semantics, run)));
    detail.messages = messages(&semantics, run);
    let treated = |treated: narration::Treated| FairView {
        declared: match treated.declared {
            tertium_driver::program::Fairness::None => "none",
            tertium_driver::program::Fairness::Weak => "weak",
            tertium_driver::program::Fairness::Strong => "strong",
        },
        steps: treated.steps,
        possible: treated.possible,
        states: treated.states,
        remark: treated.remark(),
        process: treated.process,
    };
    detail.fairness = narration::treatment(file, &semantics, run, fair).into_iter().map(treated).collect();
    if let Question::Property(asked) = question {
        let found = narration::along(&semantics, asked, run);
        unfolded(&asked.formula, &found, run.steps.len() + 1, run.loop_start, detail);
    }
}

/// Messages through channels along a run.
pub fn messages(semantics: &Semantics<'_>, run: &Run) -> Vec<MessageView> {
    let message =
        |sent: narration::Sent| MessageView { channel: sent.channel, text: sent.text, from: sent.from, to: sent.to };
    narration::messages(semantics, run).into_iter().map(message).collect()
}

/// What processes could do along a run.
pub fn moves(file: &ProgramFile, choices: &Choices) -> MovesView {
    let statement = |candidate: &narration::Candidate| {
        let span = file.program.step(candidate.step).span;
        StatementView {
            process: candidate.process.clone(),
            line: file.line(span),
            text: narration::candidate_text(&file.program, candidate),
            file: file.other_file(span),
        }
    };
    let coded = |next: &Vec<(usize, bool)>| next.iter().map(|&(at, can)| 2 * at + usize::from(can)).collect();
    MovesView {
        statements: choices.candidates.iter().map(statement).collect(),
        at: choices.at.iter().map(coded).collect(),
    }
}

fn program_proof(view: &ResultView) -> ProofView {
    let counted = format!("{} states, {} steps", view.stats.states, view.stats.transitions);
    let how = view.provenance.phrase();
    let summary = match view.provenance.technique {
        Technique::ExplicitStateSearch => {
            format!("Every state was visited by {how} ({counted}); none breaks the property.")
        }
        _ => format!("Decided by {how} on {counted}."),
    };
    let ranking = (!view.ranking.is_empty()).then(|| {
        let impossible = tertium_report::text::decreasing(&view.ranking);
        format!("A counterexample would {impossible}, which is impossible.")
    });
    ProofView { summary: std::iter::once(summary).chain(ranking).collect(), ..ProofView::default() }
}

/// What always holds, by where the processes are; nothing if there are too many states to look at.
pub fn invariant(file: &ProgramFile, budget: &Budget) -> Vec<InvariantView> {
    let found = location_invariants::invariant(file, budget).unwrap_or_default();
    found.into_iter().map(|(at, holds)| InvariantView { at, holds }).collect()
}

/// Which statements were taken, by line.
pub fn coverage(file: &ProgramFile, covered: Option<&[Covered]>) -> Option<CoverageView> {
    let line = |statement: &Covered| CoveredView {
        line: file.line(statement.span),
        status: match (statement.taken, statement.reached) {
            (true, _) => "taken",
            (false, true) => "never possible",
            (false, false) => "never reached",
        },
        text: statement.text.clone(),
    };
    let own = covered?.iter().filter(|statement| file.other_file(statement.span).is_none());
    Some(CoverageView { complete: true, lines: own.map(line).collect() })
}

/// The text of a structure's file; nothing if it is no text, or large.
pub fn source(model: &ModelSource) -> Option<SourceView> {
    const LARGEST: u64 = 4 << 20;
    let small = model.is_text() || std::fs::metadata(&model.path).is_ok_and(|about| about.len() <= LARGEST);
    let text = small.then(|| model.text().ok())??;
    Some(SourceView { file: model.name(), text })
}

//! All questions to a program, answered over sets.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use tertium_base::narrow::whole;
use tertium_base::{Budget, Diagnostic, StopReason, Stopped};
use tertium_cegar::answer::{Cost, ProgramAnswer, STUTTER, Vacuity};
use tertium_cegar::observer::ProgramObserver;
use tertium_check::Filter;
use tertium_check::symbolic::{
    Atoms, Automata, Fairness, Pair, StrongFairness, Structure, evaluate, fair_goal, linear_value, paths, star_value,
};
use tertium_dd::{Gauge, Set, with_deep_stack_meanwhile};
use tertium_encode::{Bounds, Encoding, EncodingError, EncodingNews, InstantiatedProgram, ReachedSets};
use tertium_evidence::Deadlock;
use tertium_evidence::provenance::{Engine, Provenance, Technique};
use tertium_explore::search::liveness::Scheduling;
use tertium_lattice::{Belnap, TruthValue};
use tertium_load::failure::{Failure, Located};
use tertium_load::program::ProgramFile;
use tertium_load::questions::{Mistake, PropertyQuery, Question};
use tertium_logic::{Formula, FormulaBuilder, Logic, Node, NodeId};
use tertium_model::ActionId;
use tertium_program::{ExprId, ProcessId, Program};
use tertium_structures::{engines, prove};
use tertium_trace::run::Run;

use super::counterexample::BranchingCounterexample;
use super::kept_sets::KeptSets;
use super::near_states::NearStates;
use super::structure::{KnownStructures, label};
use super::telling::{News, Telling, figures, listen};
use super::{evidence, never_claims};
use crate::branching::depends_on_ends;
use crate::check::{CheckOptions, CheckOutcome, no_initial_state};
use crate::claims::automaton;
use crate::linear;
use crate::safety::cannot_evaluate;

/// Answers all questions over sets of states.
///
/// # Errors
/// If the program or a question is not one of those that are encoded, with the reason; if a run cannot be repeated.
pub fn check(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<CheckOutcome, Failure> {
    check_within(file, questions, options, &[], budget, observer)
}

/// The same, with bounds that are believed of variables whose types have none, by variable: a program that leaves them is refused.
///
/// # Errors
/// As above.
pub fn check_within(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    believed: &[Bounds],
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<CheckOutcome, Failure> {
    refuse(questions, options)?;
    let (sender, receiver): (Sender<News>, Receiver<News>) = channel();
    let gauge = Gauge::default();
    let work = || {
        // It ends with the work, and whoever listens with it.
        let sender = sender;
        run((file, believed), questions, options, budget, Telling { sender: &sender, gauge: &gauge, observer })
    };
    let outcome = with_deep_stack_meanwhile(work, || listen(&receiver, &gauge, observer));
    // Where the address space has no room for the thread's stack, there is none for sets either.
    outcome.unwrap_or_else(|_| Ok(CheckOutcome::stopped(questions, Stopped(StopReason::Memory))))
}

/// What is not decided over sets, before any work is done.
fn refuse(questions: &[Question], options: &CheckOptions) -> Result<(), Failure> {
    let no = |what: &str, help: &str| {
        Err(Diagnostic::error("E0360", format!("the engine `symbolic` cannot do this: {what}")).help(help).into())
    };
    if options.max_states.is_some() {
        return no("`--max-states` counts states that are visited, and none is", "use `--memory` or `--timeout`");
    }
    if matches!(options.deadlock, Some(Deadlock::Total | Deadlock::Forbid)) {
        return no("a program's states without successors are what they are", "use `--deadlock mu` or `maximal`");
    }
    let linear = |question: &Question| matches!(question, Question::Property(asked) if asked.formula.logic() == Logic::CtlStar || asked.formula.logic() == Logic::Ltl);
    let modal = |question: &Question| matches!(question, Question::Property(asked) if asked.formula.nodes().iter().any(is_modal));
    if questions.iter().any(|question| linear(question) && modal(question)) {
        return no("modalities and fixpoints say nothing about a single path", "write the property in mu");
    }
    Ok(())
}

fn is_modal(node: &Node) -> bool {
    matches!(node, Node::Diamond(..) | Node::Box(..) | Node::Var(_) | Node::Mu(..) | Node::Nu(..))
}

pub(super) fn failure(why: EncodingError) -> Failure {
    match why {
        EncodingError::Stopped(stopped) => Failure::Stopped(stopped),
        EncodingError::Unfit(reason) => Diagnostic::error("E0361", format!("the program cannot be encoded as sets: {reason}"))
            .note("encoded are programs with boundedly many processes whose variables and messages all have finitely many values")
            .help("`--engine auto` runs the program, or abstract it: `--refinements 0`")
            .into(),
    }
}

fn run(
    (file, believed): (&ProgramFile, &[Bounds]),
    questions: &[Question],
    options: &CheckOptions,
    budget: &Budget,
    Telling { sender: report, gauge, observer }: Telling<'_>,
) -> Result<CheckOutcome, Failure> {
    let start = Instant::now();
    let mut tell = |what: String| {
        // Nobody listening is no reason to stop.
        let _ = report.send(News::Phase(what));
    };
    let (mut asked, mut claims): (Vec<ExprId>, Vec<ProcessId>) = (Vec::new(), Vec::new());
    for question in questions {
        match never_claims::noting(&file.program, question)? {
            Some(claim) => claims.push(claim),
            None => asked.extend(atoms_of(&file.program, question)?),
        }
    }
    // A process that is started later has a copy, which cannot step while it is not there.
    let program = options.scheduled(&file.program);
    let subject = InstantiatedProgram::watched(&program, &asked, &claims).map_err(failure)?.within(believed);
    let mut near = NearStates::new(&subject, questions, options);
    let mut found = |answer: &ProgramAnswer| _ = report.send(News::Answer(Box::new(answer.clone())));
    let sets = options.checkpoints.as_deref().map(|folder| KeptSets::of(folder, &subject, believed));
    let sets = sets.as_ref().map(|sets| sets as &dyn ReachedSets);
    let mut news = EncodingNews { phase: &mut tell, gauge: gauge.clone(), sets };
    let made = Encoding::of_telling(&subject, budget, &mut news, &mut |encoding, depth| {
        near.look(encoding, depth, observer, &mut found)
    });
    let near = near.outcome()?;
    let encoding = match made {
        Err(EncodingError::Stopped(stopped)) => return Ok(near.stopped(questions, stopped)),
        encoding => encoding.map_err(failure)?,
    };
    let (mut outcome, starts) = (CheckOutcome::default(), !encoding.init.is_empty());
    let mut spent = start.elapsed();
    let (mut roomy, mut structures): (Option<Encoding<'_>>, _) = (None, KnownStructures::default());
    for question in questions {
        let begin = Instant::now();
        if observer.is_decided(question.name()) {
            outcome.answers.push(ProgramAnswer::about(question));
            continue;
        }
        tell(format!("deciding {}", question.name()));
        let encoded = roomy.as_ref().unwrap_or(&encoding);
        let mut answer = SymbolicCheck::new(encoded, &subject, options).knowing(&structures).answer(question)?;
        while answer.stopped() == Some(StopReason::Memory) {
            let larger = match roomy.as_ref().unwrap_or(&encoding).enlarged(budget, &mut tell) {
                Err(EncodingError::Stopped(_)) => None,
                enlarged => enlarged.map_err(failure)?,
            };
            let Some(larger) = larger else { break };
            structures = KnownStructures::default();
            answer = SymbolicCheck::new(&larger, &subject, options).knowing(&structures).answer(question)?;
            roomy = Some(larger);
        }
        answer.cost.elapsed = begin.elapsed() + std::mem::take(&mut spent);
        if !starts {
            answer.vacuity = Vacuity::NoInitialState;
        }
        if answer.verdict.is_definite() {
            let _ = report.send(News::Answer(Box::new(answer.clone())));
        }
        outcome.answers.push(answer);
    }
    if !starts {
        outcome.remarks.push(Located::nowhere(no_initial_state()));
    }
    outcome.remarks.push(Located::nowhere(figures(&encoding)));
    Ok(outcome)
}

/// What a question says about single states.
fn atoms_of(program: &Program, question: &Question) -> Result<Vec<ExprId>, Failure> {
    Ok(match question {
        Question::Property(asked) => asked.atoms.clone(),
        Question::Watched(watched) => automaton(program, watched.kind)?.atoms,
        Question::Never(_) => Vec::new(),
    })
}

/// The questions are put to this.
pub(super) struct SymbolicCheck<'w, 'p> {
    pub encoding: &'w Encoding<'p>,
    pub subject: &'w InstantiatedProgram<'p>,
    pub(super) options: &'w CheckOptions,
    pub(super) states: f64,
    structures: KnownStructures,
}

impl<'w, 'p> SymbolicCheck<'w, 'p> {
    pub(super) fn new(
        encoding: &'w Encoding<'p>,
        subject: &'w InstantiatedProgram<'p>,
        options: &'w CheckOptions,
    ) -> Self {
        let structures = KnownStructures::default();
        Self { encoding, subject, options, states: encoding.figures().states, structures }
    }

    /// The same with structures of the same encoding that are known.
    fn knowing(self, structures: &KnownStructures) -> Self {
        Self { structures: structures.clone(), ..self }
    }

    pub(super) fn answer(&self, question: &Question) -> Result<ProgramAnswer, Failure> {
        let mut answer = self.open(ProgramAnswer::about(question));
        let decided = match question {
            Question::Never(never) => self.never(never.mistake, &mut answer),
            Question::Property(asked) => self.property(asked, &mut answer),
            Question::Watched(watched) => self.watched(watched, &mut answer),
        };
        match decided {
            Err(Failure::Stopped(stopped)) => {
                answer.verdict.settle(Belnap::Unknown);
                answer.verdict.stop(stopped.0);
                Ok(answer)
            }
            decided => decided.map(|()| answer),
        }
    }

    fn open(&self, answer: ProgramAnswer) -> ProgramAnswer {
        ProgramAnswer {
            provenance: Provenance::new(Engine::Symbolic, Technique::Saturation),
            cost: Cost { states: whole(self.states), ..answer.cost },
            ..answer
        }
    }

    fn never(&self, mistake: Mistake, answer: &mut ProgramAnswer) -> Result<(), Failure> {
        let bad = self.encoding.mistaken(mistake)?;
        answer.verdict.settle(Belnap::from_evidence(bad.is_empty(), !bad.is_empty()));
        if !bad.is_empty() {
            answer.show_run(Some(evidence::run_to_mistake(self.encoding, self.subject, &bad, mistake)?));
        } else {
            self.rest_on(&self.encoding.possibly(mistake)?.not(), answer);
        }
        Ok(())
    }

    fn property(&self, asked: &PropertyQuery, answer: &mut ProgramAnswer) -> Result<(), Failure> {
        let simpler = self.without_deadlocks(asked)?;
        let asked = simpler.as_ref().unwrap_or(asked);
        match self.as_invariant(asked) {
            Some((root, holds)) => self.invariant(asked, root, holds, answer),
            None if asked.formula.logic() == Logic::Ltl => self.linear(asked, &self.fair(asked), answer),
            None => self.branching(asked, &self.fair(asked), answer),
        }
    }

    /// What a property says of every state that can be reached, if it is no more than that. Fairness leaves out paths, so not every such state
    /// counts; linear formulas speak of paths that go on for ever, which every state starts here, stuttering if need be.
    fn as_invariant(&self, asked: &PropertyQuery) -> Option<(NodeId, bool)> {
        let chosen = self.options.deadlock.is_some() || self.options.linear.is_some();
        let counts_all = asked.formula.logic() == Logic::Ltl || self.fair(asked).all.is_empty();
        asked.invariant.filter(|_| !chosen && counts_all && !asked.exists)
    }

    /// Whether a question is about every state that can be reached, so that one of them can be a counterexample.
    pub(super) fn is_about_states(&self, question: &Question) -> bool {
        match question {
            Question::Never(_) => true,
            Question::Property(asked) => self.as_invariant(asked).is_some(),
            Question::Watched(_) => false,
        }
    }

    /// A run of what is encoded as one of the program.
    pub(super) fn run_of_original(&self, run: Option<Run>) -> Result<Option<Run>, Failure> {
        run.map(|run| evidence::run_of_original(self.subject, run, self.encoding.diagrams().budget())).transpose()
    }

    /// The processes to which the scheduler is fair, as far as the formula's logic speaks of paths.
    fn fair(&self, asked: &PropertyQuery) -> Fair {
        self.fair_if(matches!(asked.formula.logic(), Logic::Ctl | Logic::CtlStar | Logic::Ltl))
    }

    pub(super) fn fair_if(&self, paths: bool) -> Fair {
        let Scheduling { weak, strong } =
            if paths { linear::scheduling(self.encoding.program()) } else { Scheduling::default() };
        let steps = |pid: &u32| StrongFairness {
            enabled: self.encoding.enabled(*pid).clone(),
            steps: Filter::Action(ActionId::new(*pid as usize)),
        };
        let fairness = Fairness { constraints: weak.len(), strong: strong.iter().map(steps).collect() };
        Fair { all: weak.iter().chain(&strong).copied().collect(), weak, fairness }
    }

    pub(super) fn labels(&self, asked: &PropertyQuery) -> Result<Vec<Option<Pair>>, Failure> {
        let used =
            |at: usize| asked.formula.nodes().iter().any(|node| matches!(node, Node::Atom(id) if id.index() == at));
        let labelled = |(at, &expr)| {
            if used(at) { label(self.encoding, self.subject.expr(expr)).map(Some).map_err(failure) } else { Ok(None) }
        };
        asked.atoms.iter().enumerate().map(labelled).collect()
    }

    /// The meaning of a formula's names; actions are processes, and what the translation of fair CTL writes.
    pub(super) fn atoms(&self, formula: &Formula, labels: Vec<Option<Pair>>) -> Result<Atoms, Failure> {
        let program = self.encoding.program();
        let mut filters = Vec::new();
        for name in formula.actions() {
            let constraint = name.strip_prefix("fair:").and_then(|number| number.parse().ok()).map(Filter::Fair);
            let process = program.instances.iter().position(|instance| program.process(instance.process).name == *name);
            let filter = constraint.or_else(|| process.map(|pid| Filter::Action(ActionId::new(pid))));
            let known = filter
                .ok_or_else(|| Failure::from(Diagnostic::error("E0360", format!("no process is called `{name}`"))));
            filters.push(known?);
        }
        let elements = formula.elements().iter().map(|_| Belnap::Unknown).collect();
        Ok(Atoms { labels, elements, filters })
    }

    fn invariant(
        &self,
        asked: &PropertyQuery,
        root: NodeId,
        holds: bool,
        answer: &mut ProgramAnswer,
    ) -> Result<(), Failure> {
        let condition = asked.formula.to_builder().finish(root, Logic::Pml);
        let structure = self.structures.structure(self.encoding, &[], false, false)?;
        let atoms = self.atoms(&condition, self.labels(asked)?)?;
        let value = evaluate(&structure, &condition, &atoms, false).map_err(engines::failure)?;
        let value = if holds { value } else { value.not() };
        let reached = &self.encoding.reached;
        let bad = reached.minus(&value.open)?;
        let unsure = reached.minus(&value.yes)?;
        answer.verdict.settle(Belnap::from_evidence(unsure.is_empty(), !bad.is_empty()));
        if !bad.is_empty() {
            answer.show_run(self.run_of_original(Some(evidence::run_to(self.encoding, &structure, &bad)?))?);
        }
        match answer.value() {
            Belnap::Unknown => answer.verdict.leave_open(cannot_evaluate()),
            Belnap::True => self.rest_on(&value.yes, answer),
            _ => {}
        }
        Ok(())
    }

    fn linear(&self, asked: &PropertyQuery, fair: &Fair, answer: &mut ProgramAnswer) -> Result<(), Failure> {
        let stutter = self.options.deadlock != Some(Deadlock::Mu);
        let actions = !fair.fairness.strong.is_empty();
        let structure = self.structures.structure(self.encoding, &fair.weak, actions, stutter)?;
        let atoms = self.atoms(&asked.formula, self.labels(asked)?)?;
        // Every step that is possible is certain, so all readings of linear formulas are one.
        let value = linear_value(&structure, &asked.formula, &atoms, &fair.fairness).map_err(engines::failure)?;
        answer.deadlock = self.options.deadlock.map_or(STUTTER, Deadlock::name);
        self.settle(&value, answer)?;
        if answer.value() == Belnap::False {
            let automata =
                Automata::new(&structure, &asked.formula, &atoms, false, &fair.fairness).map_err(engines::failure)?;
            let broken = self.encoding.init.minus(&value.open)?;
            answer.show_run(self.run_of_original(evidence::lasso_run(
                self.encoding,
                &automata,
                &broken,
                &fair.all,
            )?)?);
        }
        self.rest_on_layers(asked, &structure, &atoms, answer)
    }

    fn branching(&self, asked: &PropertyQuery, fair: &Fair, answer: &mut ProgramAnswer) -> Result<(), Failure> {
        let (ctl, star) = (asked.formula.logic() == Logic::Ctl, asked.formula.logic() == Logic::CtlStar);
        // A formula about whole paths must not overlook those that end.
        let whole_paths = star || !fair.all.is_empty();
        let ends_count = star && self.options.deadlock == Some(Deadlock::Maximal);
        let stutter = whole_paths && self.options.deadlock.is_none() || ends_count;
        let actions = !asked.formula.actions().is_empty() || !fair.fairness.strong.is_empty();
        let structure = self.structures.structure(self.encoding, &fair.weak, actions, stutter)?;
        let atoms = self.atoms(&asked.formula, self.labels(asked)?)?;
        let ending = ctl && self.options.deadlock == Some(Deadlock::Maximal) && fair.all.is_empty();
        answer.deadlock = self.options.deadlock.map_or(if stutter { STUTTER } else { "mu" }, Deadlock::name);
        let evaluate = |part: &Formula| self.fair_value(&structure, part, &atoms, fair, ending);
        let value = match self.fair_invariant(asked, &structure, &atoms, fair)? {
            Some(value) => value,
            None => evaluate(&asked.formula)?,
        };
        self.settle(&value, answer)?;
        if answer.value() == Belnap::False {
            let counterexample = BranchingCounterexample {
                encoding: self.encoding,
                structure: &structure,
                formula: &asked.formula,
                atoms: &atoms,
                evaluate: &evaluate,
                fairness: &fair.fairness,
                fair: &fair.all,
                fairly: if whole_paths { Some(self.fair_starts(&structure, fair)?) } else { None },
                ending,
            };
            answer.show_run(self.run_of_original(counterexample.run(&self.encoding.init.minus(&value.open)?)?)?);
        }
        self.rest_on_single_states(asked, &structure, &atoms, answer)?;
        if ctl && fair.all.is_empty() && self.options.deadlock.is_none() && !self.encoding.dead()?.is_empty() {
            let other = evaluate_with_ends(&structure, &asked.formula, &atoms)?;
            let other = self.value(&other)?;
            if other != answer.value() {
                answer.warnings.push(depends_on_ends(tertium_structures::answer::Value::Belnap(other).word()));
            }
        }
        Ok(())
    }

    /// `A (promise -> G p)` at the initial states: whether a state without `p` from which the promise can be kept is reached. No preimage is computed for it.
    fn fair_invariant(
        &self,
        asked: &PropertyQuery,
        structure: &Structure,
        atoms: &Atoms,
        fair: &Fair,
    ) -> Result<Option<Pair>, Failure> {
        let formula = &asked.formula;
        let Node::All(path) = formula.node(formula.root()) else { return Ok(None) };
        if formula.logic() != Logic::CtlStar || !formula.actions().is_empty() {
            return Ok(None);
        }
        let question = formula.to_builder().finish(path, Logic::Ltl);
        let goal = fair_goal(structure, &question, atoms, &fair.fairness, false).map_err(engines::failure)?;
        let Some((_, bad)) = goal else { return Ok(None) };
        let holds = if bad.is_empty() { structure.states.clone() } else { structure.diagrams.empty() };
        Ok(Some(Pair::decided(holds)))
    }

    /// The values of a formula, its paths fair. Constraints are part of a formula of fixpoints; strong fairness and paths of any
    /// form are for automata.
    pub(super) fn fair_value(
        &self,
        structure: &Structure,
        formula: &Formula,
        atoms: &Atoms,
        fair: &Fair,
        ending: bool,
    ) -> Result<Pair, Failure> {
        if formula.logic() == Logic::CtlStar || !fair.fairness.strong.is_empty() {
            return star_value(structure, formula, atoms, &fair.fairness, None).map_err(engines::failure);
        }
        let formula = prove::fair_formula(formula, fair.weak.len());
        let atoms = Atoms { filters: self.atoms(&formula, Vec::new())?.filters, ..atoms.clone() };
        evaluate(structure, &formula, &atoms, ending).map_err(engines::failure)
    }

    /// Where fair paths start.
    fn fair_starts(&self, structure: &Structure, fair: &Fair) -> Result<Set, Failure> {
        let mut builder = FormulaBuilder::new();
        let anything = builder.add(Node::True);
        let formula = builder.finish(anything, Logic::Ltl);
        Ok(paths(structure, &formula, &Atoms::default(), true, &fair.fairness).map_err(engines::failure)?.open)
    }

    /// The value at the initial states: true if it is at all of them, false if it is at one.
    fn value(&self, value: &Pair) -> Result<Belnap, Stopped> {
        let init: &Set = &self.encoding.init;
        let refuted = !init.minus(&value.open)?.is_empty();
        Ok(Belnap::from_evidence(init.is_subset(&value.yes)? && !refuted, refuted))
    }

    fn settle(&self, value: &Pair, answer: &mut ProgramAnswer) -> Result<(), Failure> {
        answer.verdict.settle(self.value(value)?);
        if answer.value() == Belnap::Unknown {
            answer.verdict.leave_open(cannot_evaluate());
        }
        debug_assert!(
            answer.value() != Belnap::Both && answer.value().not().not() == answer.value(),
            "programs are decided"
        );
        Ok(())
    }
}

/// The values if paths may end.
fn evaluate_with_ends(structure: &Structure, formula: &Formula, atoms: &Atoms) -> Result<Pair, Failure> {
    evaluate(structure, formula, atoms, true).map_err(engines::failure)
}

/// What the scheduler promises.
pub(super) struct Fair {
    /// The processes with weak fairness, in the order of their constraints.
    pub weak: Vec<u32>,
    /// The processes with any fairness.
    pub all: Vec<u32>,
    /// The same for paths over sets.
    pub fairness: Fairness,
}

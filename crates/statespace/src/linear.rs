//! Is there an infinite run that breaks a linear property?
//!
//! The automaton of the negated formula watches the program. A run that it accepts is connected by the definition of a
//! step, checked for fairness, and its word is given to a second automaton, made without rewriting.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};
use tertium_cegar::answer::{ProgramAnswer, Reason};
use tertium_evidence::Technique;
use tertium_explore::reduction::ReductionKinds;
use tertium_explore::search::Progress;
use tertium_explore::search::liveness::{
    Lasso, LivenessOutcome, MOST_MARKS, Monitor, Nested, Scheduling, accepted_run_compact, accepted_run_together,
};
use tertium_explore::store::Keeping;
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_logic::Node;
use tertium_logic::automata::{Literal, Tgba, Translation, TranslationError, ltl_to_tgba, plain_tableau};
use tertium_program::{ExprId, Fairness, Fault, Program, State};
use tertium_trace::run::{self, Run, arrival, moved_by};

use super::atom_values::{AtomEvaluator, AtomScratch};
use super::bitstate::{needs_exact, not_proved};
use super::reduced_program::{LassoStates, ReducedProgram};
use super::safety::{Effort, MOST_MORE, MOST_TIMES, cannot_evaluate, observed};
use super::space::{Space, stop_word};

/// For formulas with more nodes the plain tableau may be too large to check a word with.
const SMALL_FORMULA: usize = 14;

/// Fewer threads look for a run no faster than one: two took 1.8 times the work of one on a model that is one component (`docs/scaling.md`).
const WORTH_TOGETHER: usize = 3;

/// The automaton of a formula, as a monitor of a program.
pub struct FormulaMonitor<'s, 'p> {
    automaton: Tgba,
    eyes: AtomEvaluator<'s, 'p>,
}

impl FormulaMonitor<'_, '_> {
    /// The automaton; its atoms are numbers of [`Self::atoms`].
    #[must_use]
    pub fn automaton(&self) -> &Tgba {
        &self.automaton
    }

    /// What it looks at in a state.
    #[must_use]
    pub fn atoms(&self) -> Vec<ExprId> {
        self.eyes.atoms().collect()
    }
}

impl Monitor for FormulaMonitor<'_, '_> {
    type Scratch = AtomScratch;

    fn scratch(&self) -> AtomScratch {
        self.eyes.room()
    }

    fn initial(&self) -> Vec<u32> {
        if self.automaton.states.is_empty() { Vec::new() } else { vec![to_u32(self.automaton.initial)] }
    }

    fn marks(&self) -> u32 {
        to_u32(self.automaton.marks)
    }

    fn next(&self, state: u32, row: &[u32], room: &mut AtomScratch, out: &mut Vec<(u32, u64)>) {
        self.eyes.look(row, room);
        let holds = |literal: Literal| room.values[literal.atom().index()] != literal.is_negative();
        for transition in &self.automaton.states[state as usize] {
            if transition.guard.passes(holds) {
                out.push((to_u32(transition.target), transition.marks.0));
            }
        }
    }

    fn remarks(&self) -> Vec<u64> {
        vec![u64::from(self.eyes.blurred())]
    }

    fn absorb(&self, remarks: &[u64]) {
        if remarks.contains(&1) {
            self.eyes.blur();
        }
    }
}

/// What the scheduler promises, by pid.
#[must_use]
pub fn scheduling(program: &Program) -> Scheduling {
    let with = |fairness: Fairness| {
        let fair = |(_, instance): &(usize, &tertium_program::Instance)| {
            program.process(instance.process).fairness == fairness
        };
        program.instances.iter().enumerate().filter(fair).map(|(pid, _)| to_u32(pid)).collect()
    };
    Scheduling { weak: with(Fairness::Weak), strong: with(Fairness::Strong) }
}

/// How a run that goes on for ever is looked for.
pub(crate) fn cycle_search(effort: &Effort<'_>) -> Technique {
    match effort.store {
        Keeping::Exact => Technique::AcceptingComponents,
        _ => Technique::NestedDfs,
    }
}

/// Decides a linear property.
///
/// # Errors
/// If a run cannot be repeated, which is a fault of this program.
pub fn decide(
    space: &Space<'_>,
    asked: &PropertyQuery,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<ProgramAnswer, Failure> {
    let (mut answer, question) = ask(space, asked, effort)?;
    if let Some(question) = question {
        question.answer(&mut answer, progress)?;
    }
    Ok(answer)
}

/// An open answer, and what is to be searched for; nothing if it is known already why there is none.
pub(crate) fn ask<'s, 'p>(
    space: &'s Space<'p>,
    asked: &'s PropertyQuery,
    effort: &'s Effort<'s>,
) -> Result<(ProgramAnswer, Option<LinearQuestion<'s, 'p>>), Failure> {
    let mut answer = ProgramAnswer::open(&asked.name, asked.named, &asked.source, "ltl");
    answer.provenance.technique = cycle_search(effort);
    if let Some(reason) = &space.open {
        answer.verdict.leave_open(reason.clone());
        return Ok((answer, None));
    }
    let options = Translation { classical: true, ..Translation::default() };
    let automaton = match ltl_to_tgba(&asked.formula, true, options, effort.budget) {
        Ok(automaton) => automaton,
        Err(TranslationError::Stopped(stopped)) => {
            answer.verdict.stop(stopped.0);
            return Ok((answer, None));
        }
        Err(TranslationError::NotLinear) => {
            return Err(Failure::Internal(format!("`{}` is said to be linear and is not", asked.name)));
        }
    };
    let fair = space.scheduling.clone();
    if effort.store != Keeping::Exact && !fair.strong.is_empty() {
        answer.verdict.leave_open(needs_exact("strong fairness"));
        return Ok((answer, None));
    }
    let eyes = AtomEvaluator::new(&space.semantics, space.plain.packing(), &asked.atoms);
    let watched = FormulaMonitor { automaton, eyes };
    if let Some(reason) = too_many_marks(&watched, &fair) {
        answer.verdict.leave_open(reason);
        return Ok((answer, None));
    }
    Ok((answer, Some(LinearQuestion { space, asked, watched, fair, effort })))
}

/// Why a search cannot watch a run: what must happen again and again is too much to keep apart.
pub(crate) fn too_many_marks<M: Monitor>(monitor: &M, fair: &Scheduling) -> Option<Reason> {
    (monitor.marks() as usize + fair.weak.len() > MOST_MARKS).then(|| Reason {
        what: format!("the property and the fair processes need more than {MOST_MARKS} acceptance marks"),
        about: None,
        span: None,
        help: "split the property, or declare fewer processes fair".to_owned(),
    })
}

/// The reason of a property that a run breaks which cannot be told.
pub(crate) fn too_long_to_follow() -> Reason {
    Reason {
        what: "a run breaks the property, but values that do not matter keep it from closing soon".to_owned(),
        about: None,
        span: None,
        help: "`--no-reduction` looks for a run with all values".to_owned(),
    }
}

/// Tells what could not be computed on the way: finding no run is no proof then.
pub(crate) fn add_limits(space: &Space<'_>, faults: &[Fault], answer: &mut ProgramAnswer) {
    for reason in faults.iter().filter_map(|fault| space.fault_reason(fault)) {
        if !answer.reasons().contains(&reason) {
            answer.verdict.leave_open(reason);
        }
    }
}

/// Looks for an accepted fair run within the limits; if the store may overlook one, says why finding none is no proof.
///
/// # Errors
/// The limit that is reached first; the one on states counts as [`tertium_base::StopReason::Count`].
pub fn accepted<M: Monitor>(
    space: &Space<'_>,
    reduced: Option<&ReducedProgram<'_>>,
    monitor: &M,
    fair: &Scheduling,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(LivenessOutcome, Option<Reason>), Stopped> {
    let limit = effort.limit(space).unwrap_or(usize::MAX);
    let (stepper, initial) =
        reduced.map_or((&space.stepper, &space.initial), |reduced| (&reduced.stepper, &reduced.initial));
    let outer = effort.budget;
    let (flag, full) = (Arc::new(AtomicBool::new(false)), AtomicBool::new(false));
    let inner: Budget = outer.clone().with_cancel(Arc::clone(&flag));
    let mut watch = |now: Progress| {
        if now.states > limit {
            full.store(true, Ordering::Relaxed);
        }
        if now.states > limit || outer.check().is_err() {
            flag.store(true, Ordering::Relaxed);
        }
        progress(now);
    };
    let found = match effort.store {
        Keeping::Exact => {
            let threads = if effort.threads < WORTH_TOGETHER { 1 } else { effort.threads };
            let limits = (threads, &inner);
            accepted_run_together(stepper, monitor, fair, initial, limits, &mut watch).map(|found| (found, None))
        }
        store => {
            let found = accepted_run_compact(stepper, monitor, fair, initial, store, (&inner, limit), &mut watch);
            found.map(|found| {
                let Nested { lasso, states, transitions, faults, coverage } = found;
                (LivenessOutcome { lasso, states, transitions, faults }, Some(not_proved(store, states, coverage)))
            })
        }
    };
    found.map_err(|stopped| {
        if full.load(Ordering::Relaxed) {
            return Stopped(tertium_base::StopReason::Count);
        }
        outer.check().err().unwrap_or(stopped)
    })
}

/// Why it is not known which steps leave a state.
pub(crate) fn unclear(space: &Space<'_>, state: &State) -> Option<Reason> {
    space.semantics.successors(state).iter().find_map(|successor| match &successor.outcome {
        tertium_program::Outcome::Fault { fault, .. } => space.fault_reason(fault),
        tertium_program::Outcome::Next(_) => None,
    })
}

/// A run that goes round for ever is one that the scheduler allows: everyone it is fair to steps, or cannot.
pub(crate) fn must_be_fair(space: &Space<'_>, fair: &Scheduling, run: &Run) -> Result<(), Failure> {
    let Some(start) = run.loop_start else { return Ok(()) };
    let movers: BTreeSet<u32> = run.steps[start..].iter().filter_map(|taken| moved_by(&taken.moves)).collect();
    let waits = |pid: &&u32| !movers.contains(pid);
    let (weak, strong): (Vec<&u32>, Vec<&u32>) =
        (fair.weak.iter().filter(waits).collect(), fair.strong.iter().filter(waits).collect());
    if weak.is_empty() && strong.is_empty() {
        return Ok(());
    }
    // Who can step, in each state of the cycle; the last state is the first one again.
    let able: Vec<BTreeSet<u32>> = (run.states().skip(start).take((run.steps.len() - start).max(1)))
        .map(|state| {
            let successors = space.semantics.successors(state).into_iter();
            successors
                .filter(|next| arrival(&next.outcome).is_some())
                .filter_map(|next| moved_by(&next.moves))
                .collect()
        })
        .collect();
    let starved = (weak.into_iter().find(|pid| able.iter().all(|able| able.contains(pid))))
        .or_else(|| strong.into_iter().find(|pid| able.iter().any(|able| able.contains(pid))));
    match starved {
        Some(pid) => Err(Failure::Internal(format!("a run that was found is not fair to the process {pid}"))),
        None => Ok(()),
    }
}

/// A linear property and the automaton of what breaks it.
pub(crate) struct LinearQuestion<'s, 'p> {
    space: &'s Space<'p>,
    asked: &'s PropertyQuery,
    pub watched: FormulaMonitor<'s, 'p>,
    pub fair: Scheduling,
    effort: &'s Effort<'s>,
}

impl LinearQuestion<'_, '_> {
    fn answer(&self, answer: &mut ProgramAnswer, progress: &mut dyn FnMut(Progress)) -> Result<(), Failure> {
        let reduced = self.kinds().and_then(|kinds| self.space.reduced(&self.asked.atoms, kinds));
        answer.provenance.reduction = reduced.as_ref().map(|reduced| reduced.kind);
        match self.search(reduced.as_ref(), self.effort, progress) {
            Ok(outcome) => self.settle(answer, reduced.as_ref(), outcome, progress),
            Err(stopped) => {
                self.stop(stopped, answer);
                Ok(())
            }
        }
    }

    /// Answers by what a search has found.
    pub fn settle(
        &self,
        answer: &mut ProgramAnswer,
        reduced: Option<&ReducedProgram<'_>>,
        (first, open): (LivenessOutcome, Option<Reason>),
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Failure> {
        (answer.cost.states, answer.cost.transitions) = (first.states, first.transitions);
        add_limits(self.space, &first.faults, answer);
        let Some(lasso) = first.lasso else {
            open.into_iter().for_each(|reason| answer.verdict.leave_open(reason));
            if self.watched.eyes.blurred() {
                answer.verdict.leave_open(cannot_evaluate());
            } else if answer.reasons().is_empty() {
                answer.verdict.settle(Belnap::True);
            }
            return Ok(());
        };
        if self.watched.eyes.blurred() {
            answer.verdict.leave_open(cannot_evaluate());
            return Ok(());
        }
        let Some((stem, cycle)) = self.whole(reduced, first.states, lasso, progress)? else {
            answer.verdict.leave_open(too_long_to_follow());
            return Ok(());
        };
        if let Some(run) = self.repeat(&stem, &cycle, answer)? {
            answer.verdict.settle(Belnap::False);
            answer.show_run(Some(run));
        }
        Ok(())
    }

    /// What may be left out. Leaving out steps keeps linear properties without `X`, of all runs; forgetting what is never
    /// read again keeps everything.
    fn kinds(&self) -> Option<ReductionKinds> {
        let steps = self.fair == Scheduling::default()
            && !self.asked.formula.nodes().iter().any(|node| matches!(node, Node::Next(_)));
        // Two searches, one inside the other, must leave out the same.
        let orders = self.effort.store == Keeping::Exact;
        self.effort.reduction.then_some(if steps {
            ReductionKinds { partial_order: orders, ..ReductionKinds::ALL }
        } else {
            ReductionKinds::VALUES
        })
    }

    /// The states of a lasso, with everything that was left out: the same with and without leaving out anything, if that does
    /// not take too long.
    fn whole(
        &self,
        reduced: Option<&ReducedProgram<'_>>,
        states: usize,
        lasso: Lasso,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<LassoStates>, Failure> {
        if reduced.is_none() && self.effort.store == Keeping::Exact {
            return Ok(Some(self.states(&lasso)?));
        }
        let most = states.saturating_mul(MOST_TIMES).saturating_add(MOST_MORE);
        let most = self.effort.limit(self.space).map_or(most, |limit| limit.min(most));
        let effort = Effort { max_states: Some(most), store: Keeping::Exact, ..*self.effort };
        let again = self.search(None, &effort, progress);
        match (again.ok().and_then(|(outcome, _)| outcome.lasso), reduced) {
            (Some(lasso), _) => Ok(Some(self.states(&lasso)?)),
            (None, Some(reduced)) => reduced.follow_lasso(self.space, &lasso),
            (None, None) => Ok(Some(self.states(&lasso)?)),
        }
    }

    fn states(&self, lasso: &Lasso) -> Result<LassoStates, Failure> {
        if !lasso.stem.first().or(lasso.cycle.first()).is_some_and(|first| self.space.initial.contains(first)) {
            return Err(Failure::Internal("a lasso does not begin in an initial state".to_owned()));
        }
        let states = |rows: &[Vec<u32>]| rows.iter().map(|row| self.space.state(row)).collect();
        Ok((states(&lasso.stem), states(&lasso.cycle)))
    }

    pub fn stop(&self, stopped: Stopped, answer: &mut ProgramAnswer) {
        answer.stop_if(stop_word(stopped));
        if answer.stopped().is_none() {
            let limit = self.effort.limit(self.space).unwrap_or_default();
            answer.cost.states = limit;
            answer.verdict.leave_open(self.space.limit_reason(limit));
        }
    }

    fn search(
        &self,
        reduced: Option<&ReducedProgram<'_>>,
        effort: &Effort<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(LivenessOutcome, Option<Reason>), Stopped> {
        accepted(self.space, reduced, &self.watched, &self.fair, effort, progress)
    }

    /// The lasso as a run; none, and a reason, if it rests where it is not known how the program goes on.
    fn repeat(&self, stem: &[State], cycle: &[State], answer: &mut ProgramAnswer) -> Result<Option<Run>, Failure> {
        let wanted: Vec<u32> = self.fair.weak.iter().chain(&self.fair.strong).copied().collect();
        let run = run::connect_lasso(&self.space.semantics, stem, cycle, &wanted)?;
        let stutters = run.steps.iter().any(|taken| taken.moves.is_empty());
        if stutters || !wanted.is_empty() {
            let unclear = cycle.iter().find_map(|state| unclear(self.space, state));
            if let Some(reason) = unclear {
                answer.verdict.withdraw(reason);
                return Ok(None);
            }
        }
        must_be_fair(self.space, &self.fair, &run)?;
        self.must_break(&run)?;
        Ok(Some(run))
    }

    /// The word of the run satisfies the negated formula.
    fn must_break(&self, run: &Run) -> Result<(), Failure> {
        let letters: Vec<Vec<bool>> = run
            .states()
            .map(|state| {
                let atoms = observed(self.space, self.asked, state)?;
                Ok(atoms.iter().flat_map(|&holds| [holds, !holds]).collect())
            })
            .collect::<Result<_, Failure>>()?;
        let formula = &self.asked.formula;
        let judge = if formula.nodes().len() <= SMALL_FORMULA {
            plain_tableau(formula, true, self.effort.budget)
        } else {
            let plain = Translation { classical: true, rewrite: false, reduce: false };
            ltl_to_tgba(formula, true, plain, self.effort.budget)
        };
        // Without time for a second opinion the first one stands.
        let Ok(judge) = judge else { return Ok(()) };
        let start = run.loop_start.unwrap_or(0);
        let end = letters.len() - 1;
        if judge.accepts(&letters[..start], &letters[start..end]) {
            return Ok(());
        }
        Err(Failure::Internal(format!("a run that was found does not break `{}`", self.asked.name)))
    }
}

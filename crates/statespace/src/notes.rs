//! What does a `never` claim do that keeps notes?
//!
//! A claim may assign to variables that no process looks at or changes. They belong to the claim: its state is where it is
//! and what it has noted, found as the search goes on. A claim that changes what processes use is refused; it would no
//! longer watch the model but be part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tertium_base::narrow::to_u32;
use tertium_cegar::answer::ProgramAnswer;
use tertium_explore::pack::RowLayouts;
use tertium_explore::search::Progress;
use tertium_explore::search::liveness::Monitor;
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_program::{Action, Expr, FaultKind, Hold, LocationId, ProcessId, Program, Semantics, State, StepId, VarId};
use tertium_trace::run::Run;

use super::claims::{Acceptance, accept, connected, no_value, only_conditions, search};
use super::safety::{Effort, cannot_evaluate};
use super::space::Space;

/// Where the claim is, and the values of its variables.
type Page = (usize, Vec<i64>);

/// The pages met so far, by number.
#[derive(Debug, Default)]
struct Book {
    pages: Vec<Page>,
    numbers: BTreeMap<Page, usize>,
}

impl Book {
    fn number(&mut self, page: Page) -> usize {
        let next = self.pages.len();
        let number = *self.numbers.entry(page.clone()).or_insert(next);
        if number == next {
            self.pages.push(page);
        }
        number
    }
}

/// A claim with the variables that it alone uses.
#[derive(Debug)]
pub(crate) struct Notes<'s, 'p> {
    semantics: &'s Semantics<'p>,
    claim: ProcessId,
    /// Where its variables lie in a state.
    slots: Vec<usize>,
    book: Mutex<Book>,
    blurred: AtomicBool,
}

/// Everything forbidden has happened.
const DONE: usize = 0;

impl<'s, 'p> Notes<'s, 'p> {
    /// The claim, if it assigns anything.
    ///
    /// # Errors
    /// If it changes what processes use, or does more than assign.
    pub(crate) fn of(semantics: &'s Semantics<'p>, claim: ProcessId) -> Result<Option<Self>, Failure> {
        let program = semantics.program();
        let steps = || program.step_ids().filter(|&id| program.step(id).process == claim);
        let mut own = BTreeSet::new();
        for id in steps() {
            if let Action::Assign(assigns) = &program.step(id).action {
                own.extend(assigns.iter().map(|assign| assign.place.variable()));
            }
        }
        if own.is_empty() {
            return Ok(None);
        }
        let used = used_by_processes(program);
        for id in steps() {
            let step = program.step(id);
            let fine = match &step.action {
                Action::Assign(assigns) => assigns.iter().all(|assign| !used.contains(&assign.place.variable())),
                Action::Assert(_) | Action::Print { .. } => true,
                _ => false,
            };
            if !fine {
                return Err(only_conditions(program, claim, step));
            }
        }
        let place = |&var: &VarId| {
            let first = semantics.layout().variable(var);
            first..first + program.variable(var).cells()
        };
        let notes = Self {
            semantics,
            claim,
            slots: own.iter().flat_map(place).collect(),
            book: Mutex::default(),
            blurred: AtomicBool::new(false),
        };
        Ok(Some(notes))
    }

    /// A run, cut where what is forbidden has happened, if the claim accepts it.
    pub(crate) fn judged(&self, run: Run) -> Result<Run, Failure> {
        let start = self.begin(&run.first);
        let states: Vec<State> = run.states().take(run.steps.len().max(1)).cloned().collect();
        accept(run, start, DONE, |at, page, out| self.next(page, &states[at].slots, out).map_err(no_value))
    }

    /// Notes the first two pages: all is over, and nothing has happened yet.
    fn begin(&self, state: &State) -> usize {
        let program = self.semantics.program();
        let entry = program.process(self.claim).entry;
        let (over, first) = ((usize::MAX, Vec::new()), (entry.index(), self.noted(&state.slots)));
        self.number(over);
        let start = self.number(first);
        if program.location(self.claim, entry).end { DONE } else { start }
    }

    fn number(&self, page: Page) -> usize {
        self.book.lock().map_or(DONE, |mut book| book.number(page))
    }

    fn noted(&self, slots: &[i64]) -> Vec<i64> {
        self.slots.iter().map(|&slot| slots[slot]).collect()
    }

    /// Where it can go from a page when it reads a state, and whether that passes something accepting.
    fn next(&self, page: usize, slots: &[i64], out: &mut dyn FnMut(usize, bool)) -> Result<(), FaultKind> {
        if page == DONE {
            out(DONE, true);
            return Ok(());
        }
        let Some((at, values)) = self.book.lock().ok().and_then(|book| book.pages.get(page).cloned()) else {
            return Ok(());
        };
        let program = self.semantics.program();
        let mut slots = slots.to_vec();
        self.slots.iter().zip(&values).for_each(|(&slot, &value)| slots[slot] = value);
        let marked = program.location(self.claim, LocationId::new(at)).accept || self.some_accepts(&slots)?;
        let mut passed = BTreeSet::new();
        let mut open = vec![(LocationId::new(at), slots)];
        while let Some((from, slots)) = open.pop() {
            let location = program.location(self.claim, from);
            for &id in &location.steps {
                let mut after = slots.clone();
                let Some(holds) = self.semantics.take_note(id, &mut after)? else { continue };
                let goes_on = holds && self.stays(id) && passed.insert((program.step(id).target, self.noted(&after)));
                if goes_on {
                    open.push((program.step(id).target, after));
                } else {
                    out(if holds { self.arrive(id, &after) } else { DONE }, marked);
                }
                // Of several steps inside `d_step` the first is taken.
                if location.hold == Hold::Deterministic {
                    break;
                }
            }
        }
        Ok(())
    }

    fn some_accepts(&self, slots: &[i64]) -> Result<bool, FaultKind> {
        let accepting = self.semantics.program().exprs.find(Expr::Accepting);
        let state = State::visible(slots.to_vec());
        accepting.map_or(Ok(false), |expr| Ok(self.semantics.observe(expr, &state)? != 0))
    }

    fn ends(&self, id: StepId) -> bool {
        let program = self.semantics.program();
        let target = program.location(self.claim, program.step(id).target);
        target.steps.is_empty() || target.end
    }

    /// Whether the step leads on inside a block.
    fn stays(&self, id: StepId) -> bool {
        let step = self.semantics.program().step(id);
        let target = self.semantics.program().location(self.claim, step.target);
        !step.frees && target.hold != Hold::Free && !self.ends(id)
    }

    fn arrive(&self, id: StepId, slots: &[i64]) -> usize {
        let target = self.semantics.program().step(id).target.index();
        if self.ends(id) { DONE } else { self.number((target, self.noted(slots))) }
    }
}

/// What processes look at or change.
fn used_by_processes(program: &Program) -> BTreeSet<VarId> {
    let mut used = BTreeSet::new();
    for id in program.step_ids().filter(|&id| !program.claims.contains(&program.step(id).process)) {
        let footprint = program.footprint(id);
        used.extend(footprint.reads);
        used.extend(footprint.writes);
    }
    for provided in program.processes.iter().filter_map(|process| process.provided) {
        used.extend(program.footprint_of(provided).reads);
    }
    used
}

struct NotesMonitor<'n, 's, 'p> {
    notes: &'n Notes<'s, 'p>,
    space: &'n Space<'p>,
    start: usize,
}

impl Monitor for NotesMonitor<'_, '_, '_> {
    type Scratch = (RowLayouts, Vec<i64>);

    fn scratch(&self) -> Self::Scratch {
        Default::default()
    }

    fn initial(&self) -> Vec<u32> {
        vec![to_u32(self.start)]
    }

    fn marks(&self) -> u32 {
        1
    }

    fn next(&self, state: u32, row: &[u32], (shapes, slots): &mut Self::Scratch, out: &mut Vec<(u32, u64)>) {
        let (_, shape) = shapes.of_row(self.space.plain.packing(), row);
        shape.unpack(row, slots);
        let mut arrive = |target: usize, marked: bool| out.push((to_u32(target), u64::from(marked)));
        if self.notes.next(state as usize, slots, &mut arrive).is_err() {
            self.notes.blurred.store(true, Ordering::Relaxed);
        }
    }
}

/// Decides whether the claim is matched.
///
/// # Errors
/// If a run cannot be repeated, which is a fault of this program.
pub(crate) fn decide(
    space: &Space<'_>,
    notes: &Notes<'_, '_>,
    mut answer: ProgramAnswer,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<ProgramAnswer, Failure> {
    let Some(first) = space.initial.first() else { return Ok(answer) };
    let start = notes.begin(&space.state(first));
    let reading = NotesMonitor { notes, space, start };
    match search(space, None, &reading, &mut answer, effort, progress)? {
        Acceptance::Open => {}
        _ if notes.blurred.load(Ordering::Relaxed) => answer.verdict.leave_open(cannot_evaluate()),
        Acceptance::NoRun => answer.verdict.settle(Belnap::True),
        Acceptance::Lasso(lasso) => {
            if let Some(run) = connected(space, &lasso, &mut answer)? {
                let run = notes.judged(run)?;
                answer.verdict.settle(Belnap::False);
                answer.show_run(Some(run));
            }
        }
    }
    Ok(answer)
}

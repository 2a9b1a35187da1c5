//! What does a `never` claim that keeps notes do, over sets?
//!
//! Where the claim is and what it has noted is a page. What it does on a page is followed for all states at once, and the states are
//! told apart by what it notes then, so that every page leads to pages. They are states of an automaton that watches the program.

use std::collections::BTreeMap;

use tertium_dd::Set;
use tertium_program::{Assign, Expr, Hold, LocationId, Place, ProcessId, Program, StepId, Type};

use crate::NoSets;
use crate::encoding::Encoding;
use crate::expressions::{Evaluation, Moment, Value};
use crate::numbers::Number;
use crate::subject::{Noted, Subject};

/// Claims with more pages are not followed.
const MOST_PAGES: usize = 4096;
/// Everything forbidden has happened.
const DONE: usize = 0;

/// The values of the claim's variables, in the order of their places.
type Notes = Vec<i64>;

/// One thing that a claim can do on a page.
#[derive(Clone, Debug)]
pub struct ClaimStep {
    /// The states in which it does so.
    pub guard: Set,
    /// The page that comes next.
    pub target: usize,
    /// Whether an accepted path does so again and again.
    pub accepting: bool,
}

/// A claim as an automaton.
#[derive(Clone, Debug)]
pub struct Pages {
    /// The first page.
    pub initial: usize,
    /// By page, what the claim can do.
    pub steps: Vec<Vec<ClaimStep>>,
    /// Whether something that the claim looks at has no value somewhere.
    pub blurred: bool,
}

/// A claim that is being followed.
struct Book<'b, 'p> {
    encoding: &'b Encoding<'p>,
    subject: &'b Subject<'p>,
    claim: ProcessId,
    /// Where its variables lie in a state.
    slots: Vec<usize>,
    pages: Vec<(LocationId, Notes)>,
    numbers: BTreeMap<(LocationId, Notes), usize>,
    blurred: bool,
}

/// The claim in the middle of what it does in some states.
struct Halt {
    at: LocationId,
    notes: Notes,
    states: Set,
}

impl Pages {
    /// Follows a claim through all its pages.
    ///
    /// # Errors
    /// If it has too many, or something is not encoded; if a limit is reached.
    pub fn of(encoding: &Encoding<'_>, subject: &Subject<'_>, claim: ProcessId) -> Result<Self, NoSets> {
        let mut book = Book {
            encoding,
            subject,
            claim,
            slots: slots(encoding, subject, claim)?,
            pages: Vec::new(),
            numbers: BTreeMap::new(),
            blurred: false,
        };
        let program = subject.original();
        let entry = program.process(claim).entry;
        let first: Notes = book.slots.iter().map(|&slot| encoding.cells().first[slot]).collect();
        // No page is over everything that has happened; its place is taken.
        book.pages.push((entry, Notes::new()));
        let start = book.number(entry, first);
        let all = encoding.reached.clone();
        let mut steps = vec![vec![ClaimStep { guard: all, target: DONE, accepting: true }]];
        while steps.len() < book.pages.len() {
            if book.pages.len() > MOST_PAGES {
                return Err(NoSets::unfit(format!("the `never` claim takes notes on more than {MOST_PAGES} pages")));
            }
            steps.push(book.page(steps.len())?);
        }
        let initial = if program.location(claim, entry).end { DONE } else { start };
        Ok(Self { initial, steps, blurred: book.blurred })
    }
}

/// Where the variables of a claim lie.
fn slots(encoding: &Encoding<'_>, subject: &Subject<'_>, claim: ProcessId) -> Result<Vec<usize>, NoSets> {
    let mut found = Vec::new();
    for var in subject.noted_by(claim) {
        let slot = encoding.semantics.layout().fixed_slot(encoding.program(), var);
        let slot = slot.ok_or_else(|| NoSets::unfit("a `never` claim notes what has no fixed place"))?;
        found.extend(slot..slot + encoding.program().variable(var).cells());
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

impl Book<'_, '_> {
    fn program(&self) -> &Program {
        self.subject.original()
    }

    fn number(&mut self, at: LocationId, notes: Notes) -> usize {
        let next = self.pages.len();
        let number = *self.numbers.entry((at, notes.clone())).or_insert(next);
        if number == next {
            self.pages.push((at, notes));
        }
        number
    }

    /// The moment at which the claim has noted this.
    fn moment(&self, notes: &Notes) -> Moment {
        let mut moment = self.encoding.start().clone();
        for (&slot, &value) in self.slots.iter().zip(notes) {
            moment.slots[slot] = match &moment.slots[slot] {
                Value::Truth(_) => Value::Truth(self.encoding.diagrams().constant(value != 0)),
                Value::Number(_) => Value::Number(Number::constant(self.encoding.diagrams(), value)),
            };
        }
        moment
    }

    /// What the claim can do on a page.
    fn page(&mut self, page: usize) -> Result<Vec<ClaimStep>, NoSets> {
        let (at, notes) = self.pages[page].clone();
        let mut found: BTreeMap<usize, Set> = BTreeMap::new();
        let mut passed: BTreeMap<(LocationId, Notes), Set> = BTreeMap::new();
        let marked = self.marked(at, &notes)?;
        let mut open = vec![Halt { at, notes, states: self.encoding.reached.clone() }];
        while let Some(halt) = open.pop() {
            self.encoding.diagrams().budget().check()?;
            let mut left = halt.states.clone();
            let location = self.program().location(self.claim, halt.at).clone();
            for id in location.steps {
                let taken = self.take(id, &halt.notes, &left)?;
                for (notes, states) in taken {
                    if location.hold == Hold::Deterministic {
                        left = left.minus(&states)?;
                    }
                    let Some(notes) = notes else {
                        arrive(&mut found, DONE, &states)?;
                        continue;
                    };
                    let target = self.program().step(id).target;
                    let mut rest = states;
                    if self.stays(id) {
                        let none = self.encoding.diagrams().empty();
                        let before = passed.entry((target, notes.clone())).or_insert(none);
                        let fresh = rest.minus(before)?;
                        (*before, rest) = (before.or(&fresh)?, rest.and(before)?);
                        open.push(Halt { at: target, notes: notes.clone(), states: fresh });
                    }
                    if !rest.is_empty() {
                        let target = if self.ends(id) { DONE } else { self.number(target, notes) };
                        arrive(&mut found, target, &rest)?;
                    }
                }
            }
        }
        let mut steps = Vec::new();
        for (target, states) in found {
            let (yes, no) = (states.and(&marked)?, states.minus(&marked)?);
            steps.push(ClaimStep { guard: yes, target, accepting: true });
            steps.push(ClaimStep { guard: no, target, accepting: false });
        }
        Ok(steps)
    }

    /// Where the claim, or some process, is at an acceptance label.
    fn marked(&mut self, at: LocationId, notes: &Notes) -> Result<Set, NoSets> {
        let diagrams = self.encoding.diagrams();
        if self.program().location(self.claim, at).accept {
            return Ok(diagrams.full());
        }
        let Some(accepting) = self.encoding.program().exprs.find(Expr::Accepting) else { return Ok(diagrams.empty()) };
        let moment = self.moment(notes);
        Ok(Evaluation::new(&self.encoding.semantics, diagrams, &moment).truth(accepting)?.0)
    }

    /// Takes a step in the states where it can be taken, which are told apart by what is noted then; nothing is where what
    /// it asserts does not hold.
    fn take(&mut self, id: StepId, notes: &Notes, from: &Set) -> Result<Vec<(Option<Notes>, Set)>, NoSets> {
        let moment = self.moment(notes);
        let (encoding, noted) = (self.encoding, self.subject.noted(id)?);
        let mut evaluation = Evaluation::new(&encoding.semantics, encoding.diagrams(), &moment);
        let Noted { guard, rivals, assigns, asserted } = noted;
        let mut taken = self.known(from, evaluation.truth(*guard)?)?;
        for &rival in rivals {
            let (holds, wrong) = evaluation.truth(rival)?;
            taken = self.known(&taken, (holds.not(), wrong))?;
        }
        let mut found = Vec::new();
        if let Some(asserted) = *asserted {
            let (holds, wrong) = evaluation.truth(asserted)?;
            found.push((None, self.known(&taken, (holds.not(), wrong.clone()))?));
            taken = self.known(&taken, (holds, wrong))?;
        }
        let mut after = moment.clone();
        for assign in assigns {
            taken = self.assign(assign, &mut evaluation, &mut after, taken)?;
        }
        for (notes, states) in self.told_apart(&after, taken)? {
            found.push((Some(notes), states));
        }
        found.retain(|(_, states)| !states.is_empty());
        Ok(found)
    }

    /// The states where a condition holds; those where it has no value are noticed.
    fn known(&mut self, among: &Set, (holds, wrong): (Set, crate::expressions::Wrong)) -> Result<Set, NoSets> {
        let wrong = wrong.any()?;
        self.blurred |= !among.and(&wrong)?.is_empty();
        Ok(among.and(&holds)?.minus(&wrong)?)
    }

    fn assign(
        &mut self,
        assign: &Assign,
        evaluation: &mut Evaluation<'_, '_>,
        after: &mut Moment,
        taken: Set,
    ) -> Result<Set, NoSets> {
        let (program, diagrams) = (self.encoding.program(), self.encoding.diagrams());
        let (var, all) = (assign.place.variable(), diagrams.full());
        let base = self.encoding.semantics.layout().fixed_slot(program, var);
        let base = base.ok_or_else(|| NoSets::unfit("a `never` claim notes what has no fixed place"))?;
        let mut taken = taken;
        let mut chosen = vec![all.clone()];
        if let Place::Element(_, indices) = assign.place {
            for &index in program.exprs.list(indices) {
                evaluation.seen(index)?;
            }
            let (cells, wrong) = evaluation.cells(var, indices)?;
            taken = self.known(&taken, (all.clone(), wrong))?;
            chosen = cells;
        }
        let seen = evaluation.seen(assign.value)?;
        taken = self.known(&taken, (all, seen.wrong.clone()))?;
        let value = if program.variable(var).ty == Type::Bool {
            Value::Truth(evaluation.as_truth(&seen.value)?)
        } else {
            let number = evaluation.as_number(&seen.value)?;
            let (lo, hi) = program.bounds(program.variable(var).ty);
            let fits = number.within(lo.unwrap_or(i64::MIN >> 2), hi.unwrap_or(i64::MAX >> 2), diagrams)?;
            self.blurred |= !taken.minus(&fits)?.is_empty();
            taken = taken.and(&fits)?;
            Value::Number(number)
        };
        for (at, here) in chosen.iter().enumerate().filter(|(_, here)| !here.is_empty()) {
            after.slots[base + at] = evaluation.choose(here, &value, &after.slots[base + at])?;
        }
        Ok(taken)
    }

    /// The states, told apart by the values of the claim's variables.
    fn told_apart(&self, after: &Moment, states: Set) -> Result<Vec<(Notes, Set)>, NoSets> {
        let mut parts = vec![(Notes::new(), states)];
        for &slot in &self.slots {
            let bits: Vec<Set> = match &after.slots[slot] {
                Value::Truth(set) => vec![set.clone(), self.encoding.diagrams().empty()],
                Value::Number(number) => (0..number.width()).map(|at| number.bit(at).clone()).collect(),
            };
            // From the sign down: each bit doubles what stands before it.
            let mut next: Vec<(Notes, i64, Set)> = parts.into_iter().map(|(notes, set)| (notes, 0, set)).collect();
            for (at, bit) in bits.iter().enumerate().rev() {
                let mut split = Vec::new();
                for (notes, value, set) in next {
                    let (with, without) = (set.and(bit)?, set.minus(bit)?);
                    let one = if at + 1 == bits.len() { -1 } else { 1 };
                    split.push((notes.clone(), 2 * value + one, with));
                    split.push((notes, 2 * value, without));
                }
                split.retain(|(_, _, set)| !set.is_empty());
                next = split;
                if next.len() > MOST_PAGES {
                    return Err(NoSets::unfit(format!(
                        "the `never` claim takes notes on more than {MOST_PAGES} pages"
                    )));
                }
            }
            let noted = |(mut notes, value, set): (Notes, i64, Set)| {
                notes.push(value);
                (notes, set)
            };
            parts = next.into_iter().map(noted).collect();
        }
        Ok(parts)
    }

    fn ends(&self, id: StepId) -> bool {
        let target = self.program().location(self.claim, self.program().step(id).target);
        target.steps.is_empty() || target.end
    }

    /// Whether the step leads on inside a block.
    fn stays(&self, id: StepId) -> bool {
        let step = self.program().step(id);
        !step.frees && self.program().location(self.claim, step.target).hold != Hold::Free && !self.ends(id)
    }
}

fn arrive(found: &mut BTreeMap<usize, Set>, target: usize, states: &Set) -> Result<(), NoSets> {
    let known = match found.get(&target) {
        Some(known) => known.or(states)?,
        None => states.clone(),
    };
    found.insert(target, known);
    Ok(())
}

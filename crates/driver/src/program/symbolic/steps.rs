//! A program's steps as relations between sets of states.
//!
//! Every step is executed once, for all states: its guard is a set, the values it writes are numbers whose bits are sets. An
//! uninterruptible block is executed to its end along each of its paths. What goes wrong is collected by kind, as the
//! definition of a step has it.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::Stopped;
use tertium_dd::{Bit, Bits, Diagrams, Part, Set};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{
    Action, Assign, Domain, Expr, Hold, Input, LocationId, Place, ProcessId, Semantics, Step, StepId, Type,
};

use super::NoSets;
use super::cells::{Cells, range, width_of};
use super::expressions::{Evaluation, Moment, Value, Wrong, beginning};
use super::numbers::Number;
use crate::program::questions::Mistake;

/// Paths through blocks longer than this are not followed.
const LONGEST_BLOCK: usize = 200;
/// More paths through the blocks of one process are not followed.
const MOST_PATHS: usize = 20_000;
/// A process's steps become one part of the relation if together they write at most this many bits.
const MOST_TOGETHER: usize = 48;

/// The steps of one process.
#[derive(Clone, Debug)]
pub(super) struct ProcessSteps {
    /// The relation.
    pub parts: Vec<Part>,
    /// The states in which it has a step that does not go wrong.
    pub enabled: Set,
}

/// All steps of a program.
#[derive(Clone, Debug)]
pub(super) struct ProgramSteps {
    /// By pid.
    pub processes: Vec<ProcessSteps>,
    /// The states in which some step goes wrong, by what goes wrong.
    pub wrong: BTreeMap<Mistake, Set>,
    /// The states in which there is no step, not even one that goes wrong.
    pub stuck: Set,
}

/// Executes all steps.
pub(super) fn program_steps(
    semantics: &Semantics<'_>,
    cells: &Cells,
    diagrams: &Diagrams,
) -> Result<ProgramSteps, NoSets> {
    let start = beginning(cells, diagrams)?;
    let inputs = diagrams.select(cells.inputs.iter().copied())?;
    let mut all = ProgramSteps { processes: Vec::new(), wrong: BTreeMap::new(), stuck: diagrams.full() };
    for pid in 0..semantics.program().instances.len() {
        let mut work = Work {
            semantics,
            cells,
            diagrams,
            start: &start,
            inputs: &inputs,
            pid,
            process: semantics.program().instances[pid].process,
            emitted: BTreeMap::new(),
            enabled: diagrams.empty(),
            wrong: BTreeMap::new(),
            paths: 0,
        };
        work.run()?;
        all.stuck = all.stuck.minus(&work.enabled)?;
        for (mistake, states) in &work.wrong {
            all.stuck = all.stuck.minus(states)?;
            let known = all.wrong.entry(*mistake).or_insert_with(|| diagrams.empty());
            *known = known.or(states)?;
        }
        all.processes.push(work.finish()?);
    }
    Ok(all)
}

/// A step as it is offered at one moment.
struct Offer {
    step: StepId,
    /// Where it is taken; may depend on its inputs.
    taken: Set,
    /// Where finding out goes wrong.
    wrong: Wrong,
    /// Where it is offered at all, whatever its inputs.
    offered: Set,
    /// The inputs' values.
    values: Vec<Value>,
    /// How many input bits are in use after it.
    used: usize,
}

/// A place on a path through a block.
struct Here {
    moment: Moment,
    /// The states before the first step from which the path leads here.
    reached: Set,
    at: LocationId,
    length: usize,
    used: usize,
}

struct Work<'w, 'p> {
    semantics: &'w Semantics<'p>,
    cells: &'w Cells,
    diagrams: &'w Diagrams,
    start: &'w Moment,
    inputs: &'w Bits,
    pid: usize,
    process: ProcessId,
    /// Steps by the cells they write.
    emitted: BTreeMap<BTreeSet<usize>, Set>,
    enabled: Set,
    wrong: BTreeMap<Mistake, Set>,
    paths: usize,
}

impl Work<'_, '_> {
    fn run(&mut self) -> Result<(), NoSets> {
        for at in 0..self.semantics.program().process(self.process).locations.len() {
            let at = LocationId::new(at);
            let moment = Moment { me: Some(self.pid as u32), ..self.start.clone() };
            let reached = self.is_at(&moment, at)?;
            let mut open = vec![Here { moment, reached, at, length: 0, used: 0 }];
            while let Some(here) = open.pop() {
                self.diagrams.budget().check()?;
                self.follow(&here, &mut open)?;
            }
        }
        Ok(())
    }

    fn location_slot(&self) -> usize {
        self.semantics.layout().initial_frames()[self.pid] + FRAME_LOCATION
    }

    fn is_at(&self, moment: &Moment, at: LocationId) -> Result<Set, NoSets> {
        let there = Number::constant(self.diagrams, at.index() as i64);
        match &moment.slots[self.location_slot()] {
            Value::Number(number) => number.equals(&there, self.diagrams),
            Value::Truth(_) => Err(NoSets::unfit("a location is no number")),
        }
    }

    /// Takes every step that is offered here.
    fn follow(&mut self, here: &Here, open: &mut Vec<Here>) -> Result<(), NoSets> {
        let program = self.semantics.program();
        let location = program.location(self.process, here.at);
        if here.length > 0 && location.hold == Hold::Deterministic {
            return Err(NoSets::unfit("a `d_step` is more than one statement"));
        }
        let offers = self.offers(here)?;
        if here.length > 0 && location.hold == Hold::WhileEnabled {
            let mut rests = here.reached.clone();
            for offer in &offers {
                rests = rests.minus(&offer.offered)?;
            }
            self.arrive(&here.moment, &rests)?;
        }
        for offer in offers {
            let division = offer.wrong.division.and(&here.reached)?;
            let index = offer.wrong.index.and(&here.reached)?;
            self.fail(Mistake::DivisionByZero, &division)?;
            self.fail(Mistake::ArrayBounds, &index)?;
            let taken = offer.taken.and(&here.reached)?;
            if !taken.is_empty() {
                self.take(here, &offer, taken, open)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, here: &Here, offer: &Offer, taken: Set, open: &mut Vec<Here>) -> Result<(), NoSets> {
        let program = self.semantics.program();
        let step = program.step(offer.step);
        self.paths += 1;
        if self.paths > MOST_PATHS || here.length >= LONGEST_BLOCK {
            return Err(NoSets::unfit("a block may go round for ever, or has too many ways through"));
        }
        let before = Moment { inputs: offer.values.clone(), ..here.moment.clone() };
        let (mut after, fine) = self.act(step, &before, taken)?;
        after.slots[self.location_slot()] = Value::Number(Number::constant(self.diagrams, step.target.index() as i64));
        after.inputs.clear();
        if fine.is_empty() {
            return Ok(());
        }
        let holds = !step.frees && program.location(step.process, step.target).hold != Hold::Free;
        if holds {
            let (at, length) = (step.target, here.length + 1);
            open.push(Here { moment: after, reached: fine, at, length, used: offer.used });
            return Ok(());
        }
        self.arrive(&after, &fine)
    }

    /// The steps of a location by rank; each where no rival that comes before it is offered.
    fn offers(&self, here: &Here) -> Result<Vec<Offer>, NoSets> {
        let program = self.semantics.program();
        let mut steps: Vec<StepId> = program.location(self.process, here.at).steps.clone();
        steps.sort_by_key(|&step| program.step(step).rank);
        let mut offers: Vec<Offer> = Vec::new();
        for id in steps {
            let step = program.step(id);
            let mut offer = self.offer(id, here)?;
            for rival in &offers {
                if program.step(rival.step).rank < step.rank || step.yields_to.contains(&rival.step) {
                    offer.taken = offer.taken.minus(&rival.offered)?;
                    offer.offered = offer.offered.minus(&rival.offered)?;
                    offer.wrong.division = offer.wrong.division.minus(&rival.offered)?;
                    offer.wrong.index = offer.wrong.index.minus(&rival.offered)?;
                }
            }
            offers.push(offer);
        }
        Ok(offers)
    }

    fn offer(&self, id: StepId, here: &Here) -> Result<Offer, NoSets> {
        let program = self.semantics.program();
        let step = program.step(id);
        let exprs = &program.exprs;
        let (values, used) = self.input_values(step, here.used)?;
        let moment = Moment { inputs: values.clone(), ..here.moment.clone() };
        let mut evaluation = Evaluation::new(self.semantics, self.diagrams, &moment);
        let (mut looks, mut wrong) = (self.diagrams.full(), Wrong::nowhere(self.diagrams));
        if let Some(provided) = program.process(step.process).provided {
            let (holds, faulty) = evaluation.truth(provided)?;
            wrong = wrong.then(&looks, &faulty)?;
            looks = looks.and(&holds)?;
        }
        let reads_inputs =
            exprs.reachable(&[step.guard]).iter().any(|&part| matches!(exprs.get(part), Expr::Input(..)));
        let guard = evaluation.truth(step.guard)?;
        if !reads_inputs {
            wrong = wrong.then(&looks, &guard.1)?;
            looks = looks.and(&guard.0)?;
        }
        for (input, value) in step.inputs.iter().zip(&values) {
            let (inside, faulty) = self.domain(input, value, &mut evaluation)?;
            wrong = wrong.then(&looks, &faulty)?;
            looks = looks.and(&inside)?;
        }
        if reads_inputs {
            wrong = wrong.then(&looks, &guard.1)?;
            looks = looks.and(&guard.0)?;
        }
        let taken = looks.minus(&wrong.any()?)?;
        let offered = taken.or(&wrong.any()?)?.forget(self.inputs)?;
        Ok(Offer { step: id, taken, wrong, offered, values, used })
    }

    /// Fresh bits for the inputs of a step.
    fn input_values(&self, step: &Step, mut used: usize) -> Result<(Vec<Value>, usize), NoSets> {
        let program = self.semantics.program();
        let mut values = Vec::new();
        for input in &step.inputs {
            let bounds = match input.domain {
                Domain::Type(ty) => match program.bounds(ty) {
                    (Some(lo), Some(hi)) => Some((lo, hi)),
                    _ => None,
                },
                Domain::Range(lo, hi) => match (range(program, lo), range(program, hi)) {
                    (Some((lo, _)), Some((_, hi))) => Some((lo, hi)),
                    _ => None,
                },
            };
            let Some((lo, hi)) = bounds else {
                return Err(NoSets::unfit("a value is chosen from a range without bounds"));
            };
            let truth = input.domain == Domain::Type(Type::Bool);
            let width = if truth { 1 } else { width_of(lo, hi) };
            let Some(bits) = self.cells.inputs.get(used..used + width) else {
                return Err(NoSets::unfit("a block chooses too many values"));
            };
            used += width;
            let sets: Vec<Set> = bits.iter().map(|&bit| self.diagrams.bit(bit)).collect::<Result<_, Stopped>>()?;
            values.push(if truth { Value::Truth(sets[0].clone()) } else { Value::Number(Number::signed(sets)?) });
        }
        Ok((values, used))
    }

    /// Where an input's value belongs to its domain.
    fn domain(
        &self,
        input: &Input,
        value: &Value,
        evaluation: &mut Evaluation<'_, '_>,
    ) -> Result<(Set, Wrong), NoSets> {
        let nowhere = Wrong::nowhere(self.diagrams);
        let Value::Number(number) = value else { return Ok((self.diagrams.full(), nowhere)) };
        match input.domain {
            Domain::Type(ty) => match self.semantics.program().bounds(ty) {
                (Some(lo), Some(hi)) => Ok((number.within(lo, hi, self.diagrams)?, nowhere)),
                _ => Err(NoSets::unfit("a value is chosen from a range without bounds")),
            },
            Domain::Range(lo, hi) => {
                let (lo, wrong_lo) = evaluation.number(lo)?;
                let (hi, wrong_hi) = evaluation.number(hi)?;
                let below = number.less(&lo, self.diagrams)?;
                let above = hi.less(number, self.diagrams)?;
                let inside = below.or(&above)?.not();
                Ok((inside, wrong_lo.then(&self.diagrams.full(), &wrong_hi)?))
            }
        }
    }

    /// Does the action in the states of `taken`; what is left of them is where nothing goes wrong.
    fn act(&mut self, step: &Step, before: &Moment, taken: Set) -> Result<(Moment, Set), NoSets> {
        match &step.action {
            Action::Assign(assigns) => self.assign(assigns, before, taken),
            Action::Assert(condition) => {
                let (semantics, diagrams) = (self.semantics, self.diagrams);
                let (holds, wrong) = Evaluation::new(semantics, diagrams, before).truth(*condition)?;
                let fine = self.go_on(taken, &wrong)?;
                self.fail(Mistake::Assertion, &fine.minus(&holds)?)?;
                Ok((before.clone(), fine.and(&holds)?))
            }
            Action::Print { values, .. } => {
                let (semantics, diagrams) = (self.semantics, self.diagrams);
                let mut evaluation = Evaluation::new(semantics, diagrams, before);
                let mut fine = taken;
                for &value in values {
                    let wrong = evaluation.seen(value)?.wrong;
                    fine = self.go_on(fine, &wrong)?;
                }
                Ok((before.clone(), fine))
            }
            _ => Err(NoSets::unfit("a step sends, receives or starts something")),
        }
    }

    /// Notes what goes wrong; what is left is where it does not.
    fn go_on(&mut self, taken: Set, wrong: &Wrong) -> Result<Set, NoSets> {
        self.fail(Mistake::DivisionByZero, &taken.and(&wrong.division)?)?;
        self.fail(Mistake::ArrayBounds, &taken.and(&wrong.index)?)?;
        Ok(taken.minus(&wrong.any()?)?)
    }

    fn assign(&mut self, assigns: &[Assign], before: &Moment, taken: Set) -> Result<(Moment, Set), NoSets> {
        let (semantics, diagrams, program) = (self.semantics, self.diagrams, self.semantics.program());
        let mut evaluation = Evaluation::new(semantics, diagrams, before);
        let (mut after, mut fine) = (before.clone(), taken);
        for assign in assigns {
            let var = assign.place.variable();
            let Some(base) = semantics.layout().fixed_slot(program, var) else {
                return Err(NoSets::unfit("a variable has no fixed place"));
            };
            let chosen = match assign.place {
                Place::Var(_) => vec![diagrams.full()],
                Place::Element(_, indices) => {
                    for &index in program.exprs.list(indices) {
                        evaluation.seen(index)?;
                    }
                    let (chosen, wrong) = evaluation.cells(var, indices)?;
                    fine = self.go_on(fine, &wrong)?;
                    chosen
                }
            };
            let seen = evaluation.seen(assign.value)?;
            fine = self.go_on(fine, &seen.wrong)?;
            let value = if program.variable(var).ty == Type::Bool {
                Value::Truth(evaluation.as_truth(&seen.value)?)
            } else {
                let number = evaluation.as_number(&seen.value)?;
                if let (Some(lo), Some(hi)) = program.bounds(program.variable(var).ty) {
                    let fits = number.within(lo, hi, diagrams)?;
                    self.fail(Mistake::RangeOverflow, &fine.minus(&fits)?)?;
                    fine = fine.and(&fits)?;
                }
                Value::Number(number)
            };
            for (at, here) in chosen.iter().enumerate() {
                after.slots[base + at] = evaluation.choose(here, &value, &after.slots[base + at])?;
            }
        }
        Ok((after, fine))
    }

    fn fail(&mut self, mistake: Mistake, states: &Set) -> Result<(), NoSets> {
        if states.is_empty() {
            return Ok(());
        }
        let states = states.forget(self.inputs)?;
        let known = self.wrong.entry(mistake).or_insert_with(|| self.diagrams.empty());
        *known = known.or(&states)?;
        Ok(())
    }

    /// A step that others can see: from the states of `reached` to the state of this moment.
    fn arrive(&mut self, moment: &Moment, reached: &Set) -> Result<(), NoSets> {
        if reached.is_empty() {
            return Ok(());
        }
        let mut steps = reached.clone();
        let mut written = BTreeSet::new();
        // From the last cell up, so that what is added stands above what is there.
        for (number, cell) in self.cells.cells.iter().enumerate().rev() {
            if moment.slots[cell.slot] == self.start.slots[cell.slot] {
                continue;
            }
            written.insert(number);
            let codes = match &moment.slots[cell.slot] {
                Value::Truth(set) => vec![set.clone()],
                Value::Number(value) => Cells::code(cell, value, self.diagrams)?,
            };
            for (&(_, later), code) in cell.bits.iter().zip(&codes).rev() {
                steps = steps.and(&self.diagrams.bit(later)?.same(code)?)?;
            }
        }
        let steps = steps.forget(self.inputs)?;
        self.enabled = self.enabled.or(&reached.forget(self.inputs)?)?;
        let known = self.emitted.entry(written).or_insert_with(|| self.diagrams.empty());
        *known = known.or(&steps)?;
        Ok(())
    }

    fn finish(self) -> Result<ProcessSteps, NoSets> {
        let all: BTreeSet<usize> = self.emitted.keys().flatten().copied().collect();
        let bits = |cells: &BTreeSet<usize>| -> Vec<(Bit, Bit)> {
            cells.iter().flat_map(|&cell| self.cells.cells[cell].bits.iter().copied()).collect()
        };
        let mut parts = Vec::new();
        if bits(&all).len() <= MOST_TOGETHER && !self.emitted.is_empty() {
            let mut together = self.diagrams.empty();
            for (written, steps) in &self.emitted {
                let kept: BTreeSet<usize> = all.difference(written).copied().collect();
                let mut steps = steps.clone();
                for (now, later) in bits(&kept).into_iter().rev() {
                    steps = steps.and(&self.diagrams.bit(now)?.same(&self.diagrams.bit(later)?)?)?;
                }
                together = together.or(&steps)?;
            }
            parts.push(Part::new(self.diagrams, together, &bits(&all))?);
        } else {
            for (written, steps) in &self.emitted {
                parts.push(Part::new(self.diagrams, steps.clone(), &bits(written))?);
            }
        }
        Ok(ProcessSteps { parts, enabled: self.enabled })
    }
}

//! Successors of programs with fixed processes, fast.
//!
//! Steps that assign or assert are compiled; their writes patch the packed row of the state they leave, so a
//! successor costs what it changes. Anything else, and any state in which something goes wrong, is left to the
//! definition of a step ([`Plain`]), which decides alone what a fault is.

use std::sync::Arc;

use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{Action, Domain, Hold, Program, Semantics, StepId, Type};

use crate::code::{Code, CodeId, Trap};
use crate::pack::{Packing, Shape, Shapes};
use crate::reduction::Reduction;
use crate::successors::{Expansion, Plain, Successors};

/// One assignment: where, what, and which values fit.
#[derive(Clone, Copy, Debug)]
struct Write {
    place: CodeId,
    value: CodeId,
    lo: i64,
    hi: i64,
}

#[derive(Clone, Copy, Debug)]
enum Bounds {
    Fixed(i64, i64),
    Range(CodeId, CodeId),
}

#[derive(Clone, Debug)]
struct FastStep {
    rank: u32,
    guard: Option<CodeId>,
    inputs: Vec<Bounds>,
    writes: Vec<Write>,
    assertion: Option<CodeId>,
    target: i64,
    /// Where it leads, the process keeps control.
    holds: bool,
}

#[derive(Clone, Debug)]
struct FastLocation {
    steps: Vec<FastStep>,
    end: bool,
}

#[derive(Clone, Debug)]
struct FastProcess {
    pid: u32,
    location_slot: usize,
    locations: Vec<FastLocation>,
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled<'p> {
    plain: Plain<'p>,
    code: Code,
    processes: Vec<FastProcess>,
    shape: Arc<Shape>,
    reduction: Option<Reduction>,
}

/// What one thread needs.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    slots: Vec<i64>,
    inputs: Vec<i64>,
    writes: Vec<(usize, i64)>,
    /// States inside an uninterruptible block that are still to be gone on from.
    block: Vec<Vec<i64>>,
    spare: Vec<Vec<i64>>,
}

/// An uninterruptible block with more moves than this is left to the definition of a step.
const LONGEST_BLOCK: usize = 10_000;

impl<'p> Compiled<'p> {
    /// Compiles a program; `None` if its processes are not fixed, or it uses what only the definition of a step knows.
    #[must_use]
    pub fn of(semantics: &Semantics<'p>) -> Option<Self> {
        let plain = Plain::of(semantics);
        let program = semantics.program();
        if !semantics.layout().is_fixed() || program.priorities || program.last.is_some() {
            return None;
        }
        let mut code = Code::default();
        let mut processes = Vec::new();
        for (pid, instance) in program.instances.iter().enumerate() {
            let frame = semantics.layout().initial_frames()[pid];
            let locations = program.process(instance.process).locations.iter();
            let locations = locations
                .map(|location| {
                    let mut steps: Vec<FastStep> = location
                        .steps
                        .iter()
                        .map(|&step| compile_step(semantics, &mut code, step))
                        .collect::<Option<_>>()?;
                    steps.sort_by_key(|step| step.rank);
                    Some(FastLocation { steps, end: location.end })
                })
                .collect::<Option<_>>()?;
            processes.push(FastProcess { pid: pid as u32, location_slot: frame + FRAME_LOCATION, locations });
        }
        let instances: Vec<u32> = program.instances.iter().map(|instance| instance.process.index() as u32).collect();
        let shape = Shapes::default().of_processes(plain.packing(), &instances);
        Some(Self { plain, code, processes, shape, reduction: None })
    }

    /// The same, offering the steps of private locations alone.
    #[must_use]
    pub fn reduced(mut self, reduction: Reduction) -> Self {
        self.reduction = Some(reduction);
        self
    }

    /// The definition of a step behind it.
    #[must_use]
    pub fn plain(&self) -> &Plain<'p> {
        &self.plain
    }

    /// The packing of its rows.
    #[must_use]
    pub fn packing(&self) -> &Packing {
        self.plain.packing()
    }
}

fn compile_step(semantics: &Semantics<'_>, code: &mut Code, id: StepId) -> Option<FastStep> {
    let program = semantics.program();
    let step = program.step(id);
    let location = program.location(step.process, step.target);
    if program.process(step.process).provided.is_some() || !matches!(location.hold, Hold::Free | Hold::Indivisible) {
        return None;
    }
    let (writes, assertion) = match &step.action {
        Action::Assign(assigns) => {
            let writes = assigns.iter().map(|assign| {
                let (lo, hi) = program.bounds(program.variable(assign.place.variable()).ty);
                Write {
                    place: code.compile_place(semantics, assign.place),
                    value: code.compile(semantics, assign.value),
                    lo: lo.unwrap_or(i64::MIN),
                    hi: hi.unwrap_or(i64::MAX),
                }
            });
            (writes.collect(), None)
        }
        Action::Assert(condition) => (Vec::new(), Some(code.compile(semantics, *condition))),
        _ => return None,
    };
    let guard = Some(code.compile(semantics, step.guard)).filter(|&guard| !code.is_true(guard));
    if guard.is_some_and(|guard| code.always_traps(guard)) {
        return None;
    }
    let inputs =
        step.inputs.iter().map(|input| compile_domain(semantics, code, input.domain)).collect::<Option<_>>()?;
    let holds = location.hold != Hold::Free;
    Some(FastStep { rank: step.rank, guard, inputs, writes, assertion, target: step.target.index() as i64, holds })
}

fn compile_domain(semantics: &Semantics<'_>, code: &mut Code, domain: Domain) -> Option<Bounds> {
    let of_type = |program: &Program, ty: Type| match program.bounds(ty) {
        (Some(lo), Some(hi)) => Some(Bounds::Fixed(lo, hi)),
        _ => None,
    };
    match domain {
        Domain::Type(ty) => of_type(semantics.program(), ty),
        Domain::Range(lo, hi) => Some(Bounds::Range(code.compile(semantics, lo), code.compile(semantics, hi))),
    }
}

impl Successors for Compiled<'_> {
    type Scratch = Scratch;

    fn words(&self) -> usize {
        self.plain.words()
    }

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn expand(&self, row: &[u32], scratch: &mut Scratch, found: &mut Expansion) {
        found.clear();
        self.shape.unpack(row, &mut scratch.slots);
        if self.try_expand(row, scratch, found).is_err() {
            scratch.spare.append(&mut scratch.block);
            self.plain.expand(row, &mut (), found);
        }
    }

    fn expand_private(&self, row: &[u32], scratch: &mut Scratch, found: &mut Expansion) -> bool {
        let Some(reduction) = &self.reduction else { return false };
        found.clear();
        self.shape.unpack(row, &mut scratch.slots);
        for process in &self.processes {
            let at = scratch.slots[process.location_slot] as usize;
            if !reduction.is_private(process.pid as usize, at) {
                continue;
            }
            if self.leave(process, &process.locations[at], row, scratch, found).is_err() {
                scratch.spare.append(&mut scratch.block);
                return false;
            }
            if found.steps() > 0 {
                return true;
            }
        }
        false
    }
}

impl Compiled<'_> {
    fn try_expand(&self, row: &[u32], scratch: &mut Scratch, found: &mut Expansion) -> Result<(), Trap> {
        let mut all_at_end = true;
        for process in &self.processes {
            let location = &process.locations[scratch.slots[process.location_slot] as usize];
            all_at_end &= location.end;
            self.leave(process, location, row, scratch, found)?;
        }
        found.deadlock = found.steps() == 0 && !all_at_end;
        Ok(())
    }

    /// All steps of one process from where it is.
    fn leave(
        &self,
        process: &FastProcess,
        location: &FastLocation,
        row: &[u32],
        scratch: &mut Scratch,
        found: &mut Expansion,
    ) -> Result<(), Trap> {
        let mut enabled_rank = None;
        for step in &location.steps {
            if enabled_rank.is_some_and(|rank| rank != step.rank) {
                break;
            }
            scratch.inputs.clear();
            if step.inputs.is_empty() {
                if self.enabled(step, &scratch.slots, &[])? {
                    enabled_rank = Some(step.rank);
                    self.take(process, step, row, scratch, found)?;
                }
            } else if self.take_with_inputs(process, step, row, scratch, found)? {
                enabled_rank = Some(step.rank);
            }
        }
        Ok(())
    }

    #[inline]
    fn enabled(&self, step: &FastStep, slots: &[i64], inputs: &[i64]) -> Result<bool, Trap> {
        match step.guard {
            Some(guard) => Ok(self.code.value(guard, slots, inputs)? != 0),
            None => Ok(true),
        }
    }

    /// One successor for each choice of inputs; says whether there is any.
    fn take_with_inputs(
        &self,
        process: &FastProcess,
        step: &FastStep,
        row: &[u32],
        scratch: &mut Scratch,
        found: &mut Expansion,
    ) -> Result<bool, Trap> {
        let mut ranges = Vec::with_capacity(step.inputs.len());
        let mut combinations: u64 = 1;
        for bounds in &step.inputs {
            let (lo, hi) = match *bounds {
                Bounds::Fixed(lo, hi) => (lo, hi),
                Bounds::Range(lo, hi) => {
                    (self.code.value(lo, &scratch.slots, &[])?, self.code.value(hi, &scratch.slots, &[])?)
                }
            };
            if hi < lo {
                return Ok(false);
            }
            combinations = combinations.saturating_mul(hi.abs_diff(lo).saturating_add(1));
            if combinations > tertium_program::semantics::MOST_INPUTS {
                return Err(Trap);
            }
            ranges.push((lo, hi));
        }
        scratch.inputs.extend(ranges.iter().map(|&(lo, _)| lo));
        let mut any = false;
        loop {
            if self.enabled(step, &scratch.slots, &scratch.inputs)? {
                any = true;
                self.take(process, step, row, scratch, found)?;
            }
            // Counts up like an odometer: the last input turns fastest.
            let Some(turn) = (0..ranges.len()).rev().find(|&at| scratch.inputs[at] < ranges[at].1) else {
                scratch.inputs.clear();
                return Ok(any);
            };
            scratch.inputs[turn] += 1;
            for (input, range) in scratch.inputs.iter_mut().zip(&ranges).skip(turn + 1) {
                *input = range.0;
            }
        }
    }

    /// Takes an enabled step from the state in `scratch.slots`.
    #[inline]
    fn take(
        &self,
        process: &FastProcess,
        step: &FastStep,
        row: &[u32],
        scratch: &mut Scratch,
        found: &mut Expansion,
    ) -> Result<(), Trap> {
        self.find_writes(step, &scratch.slots, &scratch.inputs, &mut scratch.writes)?;
        if step.holds {
            let mut slots = scratch.spare.pop().unwrap_or_default();
            slots.clear();
            slots.extend_from_slice(&scratch.slots);
            apply(&mut slots, &scratch.writes, process.location_slot, step.target);
            scratch.block.push(slots);
            return self.finish_block(process, scratch, found);
        }
        let next = found.open(row, self.shape.words);
        for &(slot, value) in &scratch.writes {
            self.shape.field(slot).put(next, value);
        }
        self.shape.field(process.location_slot).put(next, step.target);
        found.close(self.shape.words, process.pid);
        Ok(())
    }

    #[inline]
    fn find_writes(
        &self,
        step: &FastStep,
        slots: &[i64],
        inputs: &[i64],
        writes: &mut Vec<(usize, i64)>,
    ) -> Result<(), Trap> {
        writes.clear();
        for write in &step.writes {
            let slot = self.code.slot(write.place, slots, inputs)?;
            let value = self.code.value(write.value, slots, inputs)?;
            if value < write.lo || value > write.hi {
                return Err(Trap);
            }
            writes.push((slot, value));
        }
        match step.assertion {
            Some(condition) if self.code.value(condition, slots, inputs)? == 0 => Err(Trap),
            _ => Ok(()),
        }
    }

    /// Goes on inside an uninterruptible block, every way through it depth first.
    fn finish_block(&self, process: &FastProcess, scratch: &mut Scratch, found: &mut Expansion) -> Result<(), Trap> {
        let mut moves = 0;
        while let Some(slots) = scratch.block.pop() {
            moves += 1;
            if moves > LONGEST_BLOCK {
                return Err(Trap);
            }
            let location = &process.locations[slots[process.location_slot] as usize];
            let mut enabled_rank = None;
            let first_new = scratch.block.len();
            for step in &location.steps {
                if enabled_rank.is_some_and(|rank| rank != step.rank) {
                    break;
                }
                if !step.inputs.is_empty() {
                    return Err(Trap);
                }
                if !self.enabled(step, &slots, &[])? {
                    continue;
                }
                enabled_rank = Some(step.rank);
                self.find_writes(step, &slots, &[], &mut scratch.writes)?;
                let mut next = scratch.spare.pop().unwrap_or_default();
                next.clear();
                next.extend_from_slice(&slots);
                apply(&mut next, &scratch.writes, process.location_slot, step.target);
                if step.holds {
                    scratch.block.push(next);
                    continue;
                }
                self.shape.pack(&next, found.open(&[], self.shape.words));
                found.close(self.shape.words, process.pid);
                scratch.spare.push(next);
            }
            scratch.block[first_new..].reverse();
            scratch.spare.push(slots);
        }
        Ok(())
    }
}

fn apply(slots: &mut [i64], writes: &[(usize, i64)], location_slot: usize, target: i64) {
    for &(slot, value) in writes {
        slots[slot] = value;
    }
    slots[location_slot] = target;
}

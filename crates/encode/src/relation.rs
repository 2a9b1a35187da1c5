//! A program's steps as a transition relation, disjunctively partitioned by process (Burch, Clarke, Long 1991).
//!
//! Symbolic execution (King 1976) takes every step once, for all states: its guard is a set (`enabled`), the values it writes are
//! bit vectors (`actions`). An uninterruptible block is executed to its end, layer by layer; ways through it that come to the same place
//! from different states go on as one. What goes wrong is collected by kind, as the definition of a step has it.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::narrow::{to_i64, to_u32};
use tertium_dd::{Bit, CLUSTER_NODES, Diagrams, QuantifiedBits, RelationPart, Set};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{
    Action, Expr, ExprId, Hold, LocationId, Mistake, ProcessId, Program, Semantics, Step, StepId, VarId,
};

use crate::EncodingError;
use crate::bit_vector::BitVector;
use crate::cells::Cells;
use crate::enabled::EnabledStep;
use crate::evaluation::{Evaluation, SymbolicState, SymbolicValue, beginning};
use crate::instantiated::InstanceFacts;

/// Ways through blocks longer than this are not followed.
const LONGEST_BLOCK: usize = 1000;
/// More ways through the blocks of one process are not followed.
const MOST_PATHS: usize = 20_000;
/// With so many others a way is compared before it goes on by itself.
const MOST_COMPARED: usize = 16;
/// Steps that write more bits than this are a conjunction of what becomes of each.
pub(crate) const MOST_WRITTEN: usize = 20;
/// A process's steps become one part of the relation if together they write at most this many bits.
const MOST_TOGETHER: usize = 48;

/// The transition relation of one process.
#[derive(Clone, Debug)]
pub(crate) struct ProcessSteps {
    /// The relation.
    pub parts: Vec<RelationPart>,
    /// The states in which it has a step that does not go wrong.
    pub enabled: Set,
}

/// The transition relation of a program, with what is wrong in which states.
#[derive(Clone, Debug)]
pub(crate) struct ProgramSteps {
    /// By pid.
    pub processes: Vec<ProcessSteps>,
    /// The states in which some step goes wrong, by what goes wrong.
    pub wrong: BTreeMap<Mistake, Set>,
    /// The states in which there is no step, not even one that goes wrong.
    pub stuck: Set,
    /// The states in which a number that is no channel's would be put into a variable for channels, or one out of the bounds that were found for a variable.
    pub foreign: BTreeMap<VarId, Set>,
}

/// Executes all steps.
pub(crate) fn program_steps(
    semantics: &Semantics<'_>,
    special: InstanceFacts<'_>,
    cells: &Cells,
    diagrams: &Diagrams,
) -> Result<ProgramSteps, EncodingError> {
    let start = beginning(cells, diagrams)?;
    let inputs = diagrams.quantified(cells.inputs.iter().copied())?;
    let work = |pid: usize, start| StepEncoder {
        semantics,
        special,
        cells,
        diagrams,
        start,
        inputs: &inputs,
        pid,
        emitted: BTreeMap::new(),
        conjunctive: Vec::new(),
        enabled: diagrams.empty(),
        wrong: BTreeMap::new(),
        foreign: BTreeMap::new(),
        begun: Vec::new(),
        paths: 0,
    };
    let pids = 0..semantics.program().instances.len();
    let mut waiting = start.clone();
    if waits(semantics.program()) {
        let mut rests = diagrams.full();
        for pid in pids.clone() {
            rests = rests.minus(&work(pid, &start).offered()?)?;
        }
        waiting.timeout = rests;
    }
    let mut all = ProgramSteps {
        processes: Vec::new(),
        wrong: BTreeMap::new(),
        stuck: diagrams.full(),
        foreign: BTreeMap::new(),
    };
    for pid in pids {
        let mut work = work(pid, &waiting);
        work.run()?;
        all.stuck = all.stuck.minus(&work.enabled)?;
        for (mistake, states) in &work.wrong {
            all.stuck = all.stuck.minus(states)?;
            let known = all.wrong.entry(*mistake).or_insert_with(|| diagrams.empty());
            *known = known.or(states)?;
        }
        for (var, states) in &work.foreign {
            let known = all.foreign.entry(*var).or_insert_with(|| diagrams.empty());
            *known = known.or(states)?;
        }
        all.processes.push(work.finish()?);
    }
    Ok(all)
}

/// Whether something waits for a time-out.
fn waits(program: &Program) -> bool {
    (0..program.exprs.len()).any(|at| program.exprs.get(ExprId::new(at)) == Expr::Timeout)
}

/// The end of a path through an uninterruptible block.
pub(crate) struct BlockPath {
    /// Who has control.
    pub pid: usize,
    pub moment: SymbolicState,
    /// The states before the first step from which the way leads here.
    pub reached: Set,
    pub at: LocationId,
    pub length: usize,
    /// How many input bits are in use.
    pub used: usize,
}

/// Executes the steps that a process begins.
pub(crate) struct StepEncoder<'w, 'p> {
    pub semantics: &'w Semantics<'p>,
    pub special: InstanceFacts<'w>,
    pub cells: &'w Cells,
    pub diagrams: &'w Diagrams,
    pub start: &'w SymbolicState,
    pub inputs: &'w QuantifiedBits,
    pub pid: usize,
    /// Steps by the cells they write.
    emitted: BTreeMap<BTreeSet<usize>, Set>,
    /// Steps that write many cells at once.
    pub conjunctive: Vec<RelationPart>,
    pub enabled: Set,
    wrong: BTreeMap<Mistake, Set>,
    /// Where a number that is no channel's would be taken for one.
    pub foreign: BTreeMap<VarId, Set>,
    /// What the slots hold when steps begin at the place that is looked at.
    begun: Vec<SymbolicValue>,
    paths: usize,
}

impl StepEncoder<'_, '_> {
    fn run(&mut self) -> Result<(), EncodingError> {
        for at in self.places() {
            let here = self.beginning_at(at)?;
            if here.reached.is_empty() {
                continue;
            }
            self.begun.clone_from(&here.moment.slots);
            if self.synchronous(&here)? {
                continue;
            }
            let mut layer = vec![here];
            while !layer.is_empty() {
                let mut next = Vec::new();
                for here in layer {
                    self.diagrams.budget().check()?;
                    self.follow(&here, &mut next)?;
                }
                layer = next;
            }
        }
        Ok(())
    }

    /// Where a step is offered, whatever comes of it.
    fn offered(&self) -> Result<Set, EncodingError> {
        let mut all = self.diagrams.empty();
        for at in self.places() {
            let here = self.beginning_at(at)?;
            for offer in self.offers(&here)? {
                all = all.or(&offer.offered.and(&here.reached)?)?;
            }
        }
        Ok(all)
    }

    fn places(&self) -> impl Iterator<Item = LocationId> + use<> {
        let locations = self.semantics.program().process(self.process_of(self.pid)).locations.len();
        (0..locations).map(LocationId::new)
    }

    fn beginning_at(&self, at: LocationId) -> Result<BlockPath, EncodingError> {
        let mut moment = SymbolicState { me: Some(to_u32(self.pid)), ..self.start.clone() };
        let mut reached = self.is_at(&moment, at)?;
        let (program, process) = (self.semantics.program(), self.process_of(self.pid));
        let Some(known) = self.special.at(program, process, at) else {
            let reached = self.diagrams.empty();
            return Ok(BlockPath { pid: self.pid, moment, reached, at, length: 0, used: 0 });
        };
        for (var, values) in known {
            let slot = self.semantics.layout().fixed_slot(program, var);
            let (Some(slot), Some(&only), 1) = (slot, values.first(), values.len()) else { continue };
            if let SymbolicValue::Number(number) = &moment.slots[slot] {
                let only = BitVector::constant(self.diagrams, only);
                reached = reached.and(&number.equals(&only, self.diagrams)?)?;
                moment.slots[slot] = SymbolicValue::Number(only);
            }
        }
        Ok(BlockPath { pid: self.pid, moment, reached, at, length: 0, used: 0 })
    }

    pub(crate) fn process_of(&self, pid: usize) -> ProcessId {
        self.semantics.program().instances[pid].process
    }

    fn location_slot(&self, pid: usize) -> usize {
        self.semantics.layout().initial_frames()[pid] + FRAME_LOCATION
    }

    fn is_at(&self, moment: &SymbolicState, at: LocationId) -> Result<Set, EncodingError> {
        let there = BitVector::constant(self.diagrams, to_i64(at.index()));
        match &moment.slots[self.location_slot(self.pid)] {
            SymbolicValue::Number(number) => number.equals(&there, self.diagrams),
            SymbolicValue::Truth(_) => Err(EncodingError::unfit("a location is no number")),
        }
    }

    /// Takes every step that is offered here.
    fn follow(&mut self, here: &BlockPath, next: &mut Vec<BlockPath>) -> Result<(), EncodingError> {
        let offers = self.offers(here)?;
        if here.length > 0 {
            let mut rests = here.reached.clone();
            for offer in &offers {
                rests = rests.minus(&offer.offered)?;
            }
            match self.semantics.program().location(self.process_of(here.pid), here.at).hold {
                Hold::Free | Hold::WhileEnabled => self.arrive(&here.moment, &rests)?,
                Hold::Deterministic => self.fail(Mistake::Other, &rests)?,
                // A way that gets stuck does not exist.
                Hold::Indivisible => {}
            }
        }
        for offer in offers {
            let division = offer.wrong.division.and(&here.reached)?;
            let index = offer.wrong.index.and(&here.reached)?;
            self.fail(Mistake::DivisionByZero, &division)?;
            self.fail(Mistake::ArrayBounds, &index)?;
            let taken = offer.taken.and(&here.reached)?;
            if !taken.is_empty() {
                self.take(here, &offer, taken, next)?;
            }
        }
        Ok(())
    }

    fn take(
        &mut self,
        here: &BlockPath,
        offer: &EnabledStep,
        taken: Set,
        next: &mut Vec<BlockPath>,
    ) -> Result<(), EncodingError> {
        let step = self.semantics.program().step(offer.step);
        self.paths += 1;
        if self.paths > MOST_PATHS || here.length >= LONGEST_BLOCK {
            return Err(EncodingError::unfit("a block may go round for ever, or has too many ways through"));
        }
        let before = SymbolicState { inputs: offer.values.clone(), ..here.moment.clone() };
        let (mut after, fine) = self.act(offer.step, &before, taken)?;
        if fine.is_empty() {
            return Ok(());
        }
        after.inputs.clear();
        after.timeout = self.diagrams.empty();
        self.note_who(offer.step, &mut after);
        match self.arrivals(here.pid, step, &mut after)? {
            Some((pid, at)) => {
                after.me = Some(to_u32(pid));
                let length = here.length + 1;
                self.join(BlockPath { pid, moment: after, reached: fine, at, length, used: offer.used }, next)
            }
            None => self.arrive(&after, &fine),
        }
    }

    /// Notes who stepped, if somebody asks for that.
    fn note_who(&self, step: StepId, after: &mut SymbolicState) {
        let program = self.semantics.program();
        let slot = program.last.and_then(|last| self.semantics.layout().fixed_slot(program, last));
        let who = program.stepped.get(step.index()).copied().flatten();
        if let (Some(slot), Some(who)) = (slot, who) {
            after.slots[slot] = SymbolicValue::Number(BitVector::constant(self.diagrams, i64::from(who)));
        }
    }

    /// Moves everyone who moves with a step; says who keeps control, and where.
    fn arrivals(
        &self,
        pid: usize,
        step: &Step,
        after: &mut SymbolicState,
    ) -> Result<Option<(usize, LocationId)>, EncodingError> {
        let program = self.semantics.program();
        let keeps =
            |process: ProcessId, at: LocationId| !step.frees && program.location(process, at).hold != Hold::Free;
        let place = |at: LocationId| SymbolicValue::Number(BitVector::constant(self.diagrams, to_i64(at.index())));
        after.slots[self.location_slot(pid)] = place(step.target);
        let mut holder = Some((pid, step.target)).filter(|_| keeps(step.process, step.target));
        let Action::Together { moves, control, .. } = &step.action else { return Ok(holder) };
        for &(process, at) in moves {
            let Some(other) = self.semantics.layout().only_instance(process) else {
                return Err(EncodingError::unfit("a process has several instances"));
            };
            after.slots[self.location_slot(other as usize)] = place(at);
            if *control == Some(process) {
                holder = Some((other as usize, at)).filter(|_| keeps(process, at));
            }
        }
        Ok(holder)
    }

    /// Adds a way; one that comes from other states to the same place becomes one with it.
    fn join(&self, here: BlockPath, next: &mut Vec<BlockPath>) -> Result<(), EncodingError> {
        let alike = |other: &&mut BlockPath| (other.pid, other.at, other.used) == (here.pid, here.at, here.used);
        for other in next.iter_mut().filter(alike).take(MOST_COMPARED) {
            if !other.reached.and(&here.reached)?.is_empty() {
                continue;
            }
            let evaluation = Evaluation::new(self.semantics, self.diagrams, self.start);
            let mut slots = Vec::with_capacity(here.moment.slots.len());
            for (mine, theirs) in here.moment.slots.iter().zip(&other.moment.slots) {
                slots.push(if mine == theirs { mine.clone() } else { evaluation.ite(&here.reached, mine, theirs)? });
            }
            other.moment.slots = slots;
            other.reached = other.reached.or(&here.reached)?;
            return Ok(());
        }
        next.push(here);
        Ok(())
    }

    pub(crate) fn fail(&mut self, mistake: Mistake, states: &Set) -> Result<(), EncodingError> {
        if states.is_empty() {
            return Ok(());
        }
        let states = states.exists(self.inputs)?;
        let known = self.wrong.entry(mistake).or_insert_with(|| self.diagrams.empty());
        *known = known.or(&states)?;
        Ok(())
    }

    /// A step that others can see: from the states of `reached` to the state of this moment.
    fn arrive(&mut self, moment: &SymbolicState, reached: &Set) -> Result<(), EncodingError> {
        if reached.is_empty() {
            return Ok(());
        }
        let mut written = BTreeSet::new();
        let mut conjuncts = Vec::new();
        // From the last cell up, so that what is added stands above what is there.
        for (number, cell) in self.cells.cells.iter().enumerate().rev() {
            if moment.slots[cell.slot] == self.begun[cell.slot] {
                continue;
            }
            written.insert(number);
            let codes = match &moment.slots[cell.slot] {
                SymbolicValue::Truth(set) => vec![set.clone()],
                SymbolicValue::Number(value) => Cells::code(cell, value, self.diagrams)?,
            };
            for (&(_, later), code) in cell.bits.iter().zip(&codes).rev() {
                conjuncts.push(self.diagrams.bit(later)?.iff(code)?);
            }
        }
        self.enabled = self.enabled.or(&reached.exists(self.inputs)?)?;
        if conjuncts.len() > MOST_WRITTEN {
            conjuncts.push(reached.clone());
            let bits: Vec<(Bit, Bit)> =
                written.iter().flat_map(|&cell| self.cells.cells[cell].bits.iter().copied()).collect();
            let inputs = &self.cells.inputs;
            self.conjunctive.push(RelationPart::conjunctive(self.diagrams, conjuncts, &bits, inputs, CLUSTER_NODES)?);
            return Ok(());
        }
        let mut steps = reached.clone();
        for conjunct in &conjuncts {
            steps = steps.and(conjunct)?;
        }
        let steps = steps.exists(self.inputs)?;
        let known = self.emitted.entry(written).or_insert_with(|| self.diagrams.empty());
        *known = known.or(&steps)?;
        Ok(())
    }

    fn finish(self) -> Result<ProcessSteps, EncodingError> {
        let all: BTreeSet<usize> = self.emitted.keys().flatten().copied().collect();
        let bits = |cells: &BTreeSet<usize>| -> Vec<(Bit, Bit)> {
            cells.iter().flat_map(|&cell| self.cells.cells[cell].bits.iter().copied()).collect()
        };
        let mut parts = self.conjunctive.clone();
        if bits(&all).len() <= MOST_TOGETHER && !self.emitted.is_empty() {
            let mut together = self.diagrams.empty();
            for (written, steps) in &self.emitted {
                let kept: BTreeSet<usize> = all.difference(written).copied().collect();
                let mut steps = steps.clone();
                for (now, later) in bits(&kept).into_iter().rev() {
                    steps = steps.and(&self.diagrams.bit(now)?.iff(&self.diagrams.bit(later)?)?)?;
                }
                together = together.or(&steps)?;
            }
            parts.push(RelationPart::new(self.diagrams, together, &bits(&all))?);
        } else {
            for (written, steps) in &self.emitted {
                parts.push(RelationPart::new(self.diagrams, steps.clone(), &bits(written))?);
            }
        }
        Ok(ProcessSteps { parts, enabled: self.enabled })
    }
}

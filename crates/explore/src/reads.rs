//! What does it depend on what a process can do at a location?
//!
//! The answer is a set of slots: in two states with the same processes that agree on them, a process at this location
//! can do the same. Which cell of an array is meant, and which channel, may itself depend on slots; those *select*, and
//! the answer is for their present values only. Blocks that nobody can interrupt are followed to their ends.
//!
//! Not here: remembering what was done (`recall`).

use std::collections::BTreeSet;

use tertium_program::layout::FRAME_LOCATION;

use crate::channels::{FieldCode, PatternCode};
use crate::code::{Base, CodeId, Op, View};
use crate::compiled::Compiled;
use crate::pack::Queue;
use crate::steps::{ActionCode, InputCode, LocationCode, StepCode};

/// Arrays of more cells than this are too much to depend on.
const MOST_CELLS: usize = 64;

/// Slots that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    /// With other values here, other slots may matter.
    pub selectors: BTreeSet<usize>,
    pub slots: BTreeSet<usize>,
}

/// What matters to the process that looks at a state, where it is; none if that cannot be told.
pub(crate) fn reads(compiled: &Compiled<'_>, view: &View<'_>) -> Option<Reads> {
    let mut reader = Reader { compiled, view, written: BTreeSet::new(), todo: Vec::new(), reads: Reads::default() };
    let process = &compiled.processes[view.shape.processes[view.me] as usize];
    let start = view.slots[view.frame + FRAME_LOCATION] as usize;
    let block = block(&process.locations, start);
    if block.len() > 1 || block.iter().any(|&at| process.locations[at].steps.iter().any(|step| step.holds)) {
        for &at in &block {
            process.locations[at].steps.iter().try_for_each(|step| reader.note_writes(step))?;
        }
    }
    for &at in &block {
        process.locations[at].steps.iter().try_for_each(|step| reader.step(step))?;
    }
    reader.finish()?;
    Some(reader.reads)
}

/// The locations that can be gone on from before somebody else gets control.
fn block(locations: &[LocationCode], start: usize) -> BTreeSet<usize> {
    let (mut block, mut todo) = (BTreeSet::from([start]), vec![start]);
    while let Some(at) = todo.pop() {
        for step in locations[at].steps.iter().filter(|step| step.holds) {
            if block.insert(step.target as usize) {
                todo.push(step.target as usize);
            }
        }
    }
    block
}

struct Reader<'r, 'p> {
    compiled: &'r Compiled<'p>,
    view: &'r View<'r>,
    /// Slots that the block may write before it reads them; they select nothing.
    written: BTreeSet<usize>,
    /// Expressions that are still to be looked at.
    todo: Vec<CodeId>,
    reads: Reads,
}

impl Reader<'_, '_> {
    fn note_writes(&mut self, step: &StepCode) -> Option<()> {
        match &step.action {
            ActionCode::Assign(assigns) => {
                assigns.iter().try_for_each(|assign| self.note_write(assign.place))?;
            }
            ActionCode::Receive { pattern, .. } => {
                for field in &pattern.fields {
                    if let FieldCode::Bind { place, .. } = *field {
                        self.note_write(place)?;
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    fn note_write(&mut self, place: CodeId) -> Option<()> {
        let (first, cells) = match self.compiled.code.op(place) {
            Op::Slot(slot) => (slot as usize, 1),
            Op::Local(offset) => (self.view.frame + offset as usize, 1),
            Op::SlotCell { first, len, .. } => (first as usize, len as usize),
            Op::LocalCell { first, len, .. } => (self.view.frame + first as usize, len as usize),
            Op::Cell(cell) => self.whole(cell)?,
            _ => return None,
        };
        if cells > MOST_CELLS {
            return None;
        }
        self.written.extend(first..first + cells);
        Some(())
    }

    /// The first slot of an array with several dimensions, and how many cells it has.
    fn whole(&self, cell: u32) -> Option<(usize, usize)> {
        let cell = self.compiled.code.cell(cell);
        let cells = cell.indices.iter().try_fold(1_usize, |cells, &(_, _, len)| cells.checked_mul(len as usize))?;
        match cell.base {
            Base::Fixed(slot) => Some((slot as usize, cells)),
            Base::Mine(offset) => Some((self.view.frame + offset as usize, cells)),
            Base::Of { .. } => None,
        }
    }

    fn step(&mut self, step: &StepCode) -> Option<()> {
        self.todo.extend(step.provided);
        self.todo.extend(step.guard);
        for input in &step.inputs {
            if let InputCode::Range(lo, hi) = *input {
                self.todo.extend([lo, hi]);
            }
        }
        match &step.action {
            ActionCode::Assign(assigns) => {
                for assign in assigns {
                    self.todo.push(assign.value);
                    self.place(assign.place)?;
                }
            }
            ActionCode::Assert(condition) => self.todo.push(*condition),
            ActionCode::Print(values) => self.todo.extend(values),
            ActionCode::Send { channel, message, sorted } => {
                let queue = self.queue(*channel)?;
                // Who is there to meet depends on all processes.
                if queue.capacity == 0 {
                    return None;
                }
                self.todo.extend(message);
                let messages = if *sorted { queue.capacity * queue.fields } else { 0 };
                self.range(queue.at, 1 + messages)?;
            }
            ActionCode::Receive { pattern, .. } => {
                let queue = self.queue(pattern.channel)?;
                if queue.capacity > 0 {
                    self.receive(pattern, queue)?;
                }
            }
            ActionCode::Run { .. } | ActionCode::SetPriority { .. } => return None,
            // Only the process on top can go, and then other processes are there than before.
            ActionCode::End if self.view.me + 1 == self.view.shape.frames.len() => return None,
            ActionCode::End => {}
        }
        Some(())
    }

    fn receive(&mut self, pattern: &PatternCode, queue: Queue) -> Option<()> {
        self.range(queue.at, 1 + queue.capacity * queue.fields)?;
        for field in &pattern.fields {
            match *field {
                FieldCode::Match(value) => self.todo.push(value),
                FieldCode::Bind { place, .. } => self.place(place)?,
                FieldCode::Skip => {}
            }
        }
        Some(())
    }

    /// What matters to where an assignment goes.
    fn place(&mut self, place: CodeId) -> Option<()> {
        match self.compiled.code.op(place) {
            Op::Slot(_) | Op::Local(_) => {}
            Op::SlotCell { index, .. } | Op::LocalCell { index, .. } => self.todo.push(index),
            Op::Cell(cell) => {
                self.whole(cell)?;
                self.todo.extend(self.compiled.code.cell(cell).indices.iter().map(|&(index, _, _)| index));
            }
            _ => return None,
        }
        Some(())
    }

    fn range(&mut self, first: usize, cells: usize) -> Option<()> {
        if cells > MOST_CELLS {
            return None;
        }
        self.reads.slots.extend(first..first + cells);
        Some(())
    }

    /// Looks at the expressions that are left, and all their parts.
    fn finish(&mut self) -> Option<()> {
        while let Some(id) = self.todo.pop() {
            let frame = self.view.frame;
            match self.compiled.code.op(id) {
                Op::Slot(slot) | Op::SlotConst(_, slot, _) => self.range(slot as usize, 1)?,
                Op::Local(offset) | Op::LocalConst(_, offset, _) => self.range(frame + offset as usize, 1)?,
                Op::Slots(_, a, b) => {
                    self.range(a as usize, 1)?;
                    self.range(b as usize, 1)?;
                }
                Op::SlotCell { first, index, lo, len } => self.cell(first as usize, index, lo, len)?,
                Op::LocalCell { first, index, lo, len } => self.cell(frame + first as usize, index, lo, len)?,
                Op::Cell(cell) => {
                    let (first, cells) = self.whole(cell)?;
                    self.range(first, cells)?;
                    self.todo.extend(self.compiled.code.cell(cell).indices.iter().map(|&(index, _, _)| index));
                }
                Op::Length(channel) => {
                    let queue = self.queue(channel)?;
                    self.range(queue.at, 1)?;
                }
                Op::Capacity(channel) => {
                    self.queue(channel)?;
                }
                Op::Poll(pattern) => {
                    let pattern = self.compiled.code.pattern(pattern);
                    let queue = self.queue(pattern.channel)?;
                    self.receive(pattern, queue)?;
                }
                Op::Only(base) | Op::Remote(base) => self.remote(base)?,
                Op::At { pid, .. } | Op::LocationOf(pid) => self.location(pid)?,
                Op::OnlyAt { pid, .. } => {
                    let frame = *self.view.shape.frames.get(pid as usize)?;
                    self.range(frame + FRAME_LOCATION, 1)?;
                }
                op => self.todo.extend(parts(op)?),
            }
        }
        Some(())
    }

    /// One cell if it can be told which, else all of them and what the index depends on.
    fn cell(&mut self, first: usize, index: CodeId, lo: i32, len: u32) -> Option<()> {
        match self.select(index) {
            Some(at) => {
                let offset = at.wrapping_sub(i64::from(lo));
                // What lies outside is not read: that is a fault, which nobody remembers.
                if (0..i64::from(len)).contains(&offset) { self.range(first + offset as usize, 1) } else { Some(()) }
            }
            None => {
                self.todo.push(index);
                self.range(first, len as usize)
            }
        }
    }

    fn remote(&mut self, base: Base) -> Option<()> {
        let Base::Of { pid, process, offset } = base else { return None };
        let pid = self.select(pid)?;
        let pid = usize::try_from(pid).ok().filter(|&pid| self.view.shape.processes.get(pid) == Some(&process));
        pid.map_or(Some(()), |pid| self.range(self.view.shape.frames[pid] + offset as usize, 1))
    }

    fn location(&mut self, pid: CodeId) -> Option<()> {
        let pid = usize::try_from(self.select(pid)?).ok();
        let frame = pid.and_then(|pid| self.view.shape.frames.get(pid).copied());
        frame.map_or(Some(()), |frame| self.range(frame + FRAME_LOCATION, 1))
    }

    fn queue(&mut self, channel: CodeId) -> Option<Queue> {
        let number = self.select(channel)?;
        self.view.queue(number).ok()
    }

    /// The present value of an expression over slots that do not change before it is used; these slots select.
    fn select(&mut self, id: CodeId) -> Option<i64> {
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            match self.compiled.code.op(id) {
                Op::Slot(slot) | Op::SlotConst(_, slot, _) => self.selector(slot as usize)?,
                Op::Local(offset) | Op::LocalConst(_, offset, _) => self.selector(self.view.frame + offset as usize)?,
                Op::Slots(_, a, b) => {
                    self.selector(a as usize)?;
                    self.selector(b as usize)?;
                }
                Op::Input(_) => return None,
                op => todo.extend(parts(op)?),
            }
        }
        self.compiled.code.value(id, self.view).ok()
    }

    fn selector(&mut self, slot: usize) -> Option<()> {
        if self.written.contains(&slot) {
            return None;
        }
        self.reads.selectors.insert(slot);
        Some(())
    }
}

/// The parts of an instruction that looks at nothing itself; none if it is not of that kind.
fn parts(op: Op) -> Option<Vec<CodeId>> {
    Some(match op {
        Op::Const(_) | Op::Input(_) | Op::ProcessCount | Op::OwnPid | Op::FirstInstance(_) => Vec::new(),
        Op::Not(a) | Op::Remainder(a, _) | Op::Unary(_, a) | Op::Wrap(_, a) => vec![a],
        Op::Compare(_, a, b)
        | Op::And(a, b)
        | Op::Or(a, b)
        | Op::Implies(a, b)
        | Op::Add(a, b)
        | Op::Sub(a, b)
        | Op::Binary(_, a, b) => vec![a, b],
        Op::If(c, a, b) => vec![c, a, b],
        _ => return None,
    })
}

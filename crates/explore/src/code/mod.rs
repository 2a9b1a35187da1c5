//! Expressions made ready to be evaluated millions of times a second.
//!
//! Slots are resolved as far as the program allows, common shapes are one instruction, and a fault is only a
//! [`Trap`]: whoever meets one asks the definition of a step what exactly went wrong.

mod compile;

use tertium_base::narrow::{to_i64, to_usize};
use tertium_program::build::{apply_binary, apply_unary};
use tertium_program::layout::{FRAME_LOCATION, FRAME_PRIORITY};
use tertium_program::{Binary, ExprId, Semantics, Unary, Width};

pub use self::compile::Compiler;
use crate::channels::PatternCode;
use crate::pack::{Queue, RowLayout};
use crate::seen::Seen;

/// Why there is no value here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// Something goes wrong, or is not for fast evaluation.
    Fault,
    /// It depends on an input that is not chosen yet.
    Input,
}

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The state's slots.
    pub slots: &'a [i64],
    /// Where everything lies in it.
    pub shape: &'a RowLayout,
    /// The executing process's pid; beyond all pids if nobody executes.
    pub me: usize,
    /// The first slot of its frame.
    pub frame: usize,
    /// The values of the step's inputs.
    pub inputs: &'a [i64],
    /// Whether nothing but what waits for a timeout can be done.
    pub timeout: bool,
    /// Where it is noted what is looked at, if that is wanted.
    pub(crate) seen: Option<&'a Seen>,
}

impl<'a> View<'a> {
    /// A state seen from outside.
    #[must_use]
    pub fn observer(slots: &'a [i64], shape: &'a RowLayout) -> Self {
        Self { slots, shape, me: usize::MAX, frame: 0, inputs: &[], timeout: false, seen: None }
    }

    /// The value of a slot.
    #[inline(always)]
    #[must_use]
    pub(crate) fn at(&self, slot: usize) -> i64 {
        if let Some(seen) = self.seen {
            seen.note(slot);
        }
        self.slots[slot]
    }

    /// The values of some slots.
    #[inline]
    #[must_use]
    pub(crate) fn range(&self, slots: std::ops::Range<usize>) -> &'a [i64] {
        if let Some(seen) = self.seen {
            slots.clone().for_each(|slot| seen.note(slot));
        }
        &self.slots[slots]
    }

    /// The same state seen by the process with this pid.
    #[inline]
    #[must_use]
    pub fn seen_by(&self, pid: usize) -> Self {
        Self { me: pid, frame: self.shape.frames[pid], inputs: &[], ..*self }
    }

    #[inline]
    fn frame_of(&self, pid: i64) -> Result<usize, Trap> {
        usize::try_from(pid).ok().and_then(|pid| self.shape.frames.get(pid)).copied().ok_or(Trap::Fault)
    }

    /// The channel with this number.
    #[inline]
    pub(crate) fn queue(&self, number: i64) -> Result<Queue, Trap> {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1)).ok_or(Trap::Fault)?;
        self.shape.queues.get(at).copied().ok_or(Trap::Fault)
    }
}

/// An instruction by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeId(u32);

/// A comparison of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Compare {
    fn of(op: Binary) -> Option<Self> {
        Some(match op {
            Binary::Eq => Self::Eq,
            Binary::Ne => Self::Ne,
            Binary::Lt => Self::Lt,
            Binary::Le => Self::Le,
            Binary::Gt => Self::Gt,
            Binary::Ge => Self::Ge,
            _ => return None,
        })
    }

    #[inline]
    fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
        }
    }
}

/// Where a variable begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// At this slot of every state.
    Fixed(u32),
    /// At this slot of the executing process's frame.
    Mine(u32),
    /// In the frame of the process with this pid, if it runs this process.
    Of { pid: CodeId, process: u32, offset: u32 },
}

/// What a variable of a process that is not there is worth.
const ABSENT: i64 = 0;

/// One cell of an array.
#[derive(Clone, Debug)]
struct Cell {
    base: Base,
    /// Index, smallest index and number of indices for each dimension.
    indices: Vec<(CodeId, i64, i64)>,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Const(i64),
    Slot(u32),
    Local(u32),
    Input(u32),
    /// A variable of the only instance of another process; a fault if it is not there.
    Only(Base),
    /// A variable or cell of the instance with some pid; [`ABSENT`] if it is not there.
    Remote(Base),
    RemoteCell(u32),
    /// A cell of an array with one index: the slot or local offset of the first cell, index, smallest index, how many.
    SlotCell {
        first: u32,
        index: CodeId,
        lo: i32,
        len: u32,
    },
    LocalCell {
        first: u32,
        index: CodeId,
        lo: i32,
        len: u32,
    },
    /// Any other cell, by its number in the table.
    Cell(u32),
    SlotConst(Compare, u32, i64),
    LocalConst(Compare, u32, i64),
    Slots(Compare, u32, u32),
    Compare(Compare, CodeId, CodeId),
    Not(CodeId),
    And(CodeId, CodeId),
    Or(CodeId, CodeId),
    Implies(CodeId, CodeId),
    If(CodeId, CodeId, CodeId),
    Add(CodeId, CodeId),
    Sub(CodeId, CodeId),
    Remainder(CodeId, u32),
    Unary(Unary, CodeId),
    Binary(Binary, CodeId, CodeId),
    Wrap(Width, CodeId),
    At {
        pid: CodeId,
        process: u32,
        location: u32,
    },
    /// As `At`, but a fault if the instance does not run this process.
    OnlyAt {
        pid: u32,
        process: u32,
        location: u32,
    },
    Length(CodeId),
    Capacity(CodeId),
    Poll(u32),
    Timeout,
    NonProgress,
    Accepting,
    ProcessCount,
    OwnPid,
    LocationOf(CodeId),
    PriorityOf(CodeId),
    FirstInstance(u32),
    /// Needs the definition of a step.
    Trap,
}

/// The instructions of one program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    ops: Vec<Op>,
    cells: Vec<Cell>,
    patterns: Vec<PatternCode>,
    /// By process and location, whether being there is progress, and whether it is accepting; filled where somebody
    /// asks.
    marks: Vec<Vec<(bool, bool)>>,
}

impl Code {
    /// Makes an expression that no process executes ready.
    pub fn observe(&mut self, semantics: &Semantics<'_>, id: ExprId) -> CodeId {
        Compiler { code: self, semantics, owner: None }.expr(id)
    }

    /// Whether the instruction is the constant true.
    #[must_use]
    pub fn is_true(&self, id: CodeId) -> bool {
        matches!(self.ops[id.0 as usize], Op::Const(value) if value != 0)
    }

    /// Whether the instruction is a variable or a cell with constant indices: its slot depends on no value.
    #[must_use]
    pub fn is_plain_place(&self, id: CodeId) -> bool {
        matches!(self.ops[id.0 as usize], Op::Slot(_) | Op::Local(_))
    }

    /// The value in a state.
    ///
    /// # Errors
    /// A trap if something goes wrong.
    #[inline(always)]
    pub fn value(&self, id: CodeId, view: &View<'_>) -> Result<i64, Trap> {
        // What most expressions end in is worth no call.
        match self.ops[id.0 as usize] {
            Op::Const(value) => Ok(value),
            Op::Slot(slot) => Ok(view.at(slot as usize)),
            Op::Local(offset) => Ok(view.at(view.frame + offset as usize)),
            Op::SlotConst(compare, slot, value) => Ok(i64::from(compare.holds(view.at(slot as usize), value))),
            Op::LocalConst(compare, offset, value) => {
                Ok(i64::from(compare.holds(view.at(view.frame + offset as usize), value)))
            }
            _ => self.compute(id, view),
        }
    }

    fn compute(&self, id: CodeId, view: &View<'_>) -> Result<i64, Trap> {
        let run = |id: CodeId| self.value(id, view);
        match self.ops[id.0 as usize] {
            Op::Const(_) | Op::Slot(_) | Op::Local(_) | Op::SlotConst(..) | Op::LocalConst(..) => run(id),
            Op::Input(position) => view.inputs.get(position as usize).copied().ok_or(Trap::Input),
            Op::Only(_) | Op::SlotCell { .. } | Op::LocalCell { .. } | Op::Cell(_) => Ok(view.at(self.slot(id, view)?)),
            Op::Slots(compare, a, b) => Ok(i64::from(compare.holds(view.at(a as usize), view.at(b as usize)))),
            Op::Compare(compare, a, b) => Ok(i64::from(compare.holds(run(a)?, run(b)?))),
            Op::Not(a) => Ok(i64::from(run(a)? == 0)),
            Op::And(a, b) => Ok(if run(a)? == 0 { 0 } else { i64::from(run(b)? != 0) }),
            Op::Or(a, b) => Ok(if run(a)? != 0 { 1 } else { i64::from(run(b)? != 0) }),
            Op::Implies(a, b) => Ok(if run(a)? == 0 { 1 } else { i64::from(run(b)? != 0) }),
            Op::If(c, a, b) => run(if run(c)? != 0 { a } else { b }),
            Op::Add(a, b) => run(a)?.checked_add(run(b)?).ok_or(Trap::Fault),
            Op::Sub(a, b) => run(a)?.checked_sub(run(b)?).ok_or(Trap::Fault),
            Op::Remainder(a, by) => Ok(run(a)? % i64::from(by)),
            Op::Unary(op, a) => apply_unary(op, run(a)?).map_err(|_| Trap::Fault),
            Op::Binary(op, a, b) => apply_binary(op, run(a)?, run(b)?).map_err(|_| Trap::Fault),
            Op::Wrap(width, a) => Ok(width.wrap(run(a)?)),
            Op::Length(channel) => Ok(view.at(view.queue(run(channel)?)?.at)),
            Op::Capacity(channel) => Ok(to_i64(view.queue(run(channel)?)?.capacity)),
            Op::Poll(pattern) => self.poll(&self.patterns[pattern as usize], view),
            Op::Timeout => Ok(i64::from(view.timeout)),
            Op::NonProgress => Ok(i64::from(!self.some_process(view, |(progress, _)| progress))),
            Op::Accepting => Ok(i64::from(self.some_process(view, |(_, accepting)| accepting))),
            Op::ProcessCount => Ok(to_i64(view.shape.frames.len())),
            Op::OwnPid => Ok(to_i64(view.me)),
            Op::LocationOf(pid) => Ok(view.at(view.frame_of(run(pid)?)? + FRAME_LOCATION) + 1),
            Op::PriorityOf(pid) => Ok(view.at(view.frame_of(run(pid)?)? + FRAME_PRIORITY)),
            Op::Remote(base) => Ok(self.remote_slot(base, view)?.map_or(ABSENT, |slot| view.at(slot))),
            Op::RemoteCell(cell) => {
                let cell = &self.cells[cell as usize];
                let position = self.position(cell, view)?;
                Ok(self.remote_slot(cell.base, view)?.map_or(ABSENT, |slot| view.at(slot + position)))
            }
            Op::FirstInstance(process) => {
                let first = view.shape.processes.iter().position(|&other| other == process);
                Ok(first.map_or(-1, |pid| to_i64(pid)))
            }
            Op::At { pid, process, location } => {
                let Ok(frame) = view.frame_of(run(pid)?) else { return Ok(0) };
                let there = [i64::from(process), i64::from(location)];
                Ok(i64::from(*view.range(frame..frame + 2) == there))
            }
            Op::OnlyAt { pid, process, location } => {
                let frame = view.frame_of(i64::from(pid))?;
                if view.at(frame) != i64::from(process) {
                    return Err(Trap::Fault);
                }
                Ok(i64::from(view.at(frame + FRAME_LOCATION) == i64::from(location)))
            }
            Op::Trap => Err(Trap::Fault),
        }
    }

    /// Whether some process is at a location with such marks.
    fn some_process(&self, view: &View<'_>, is: impl Fn((bool, bool)) -> bool) -> bool {
        view.shape.frames.iter().any(|&frame| {
            let (process, location) = (view.at(frame), view.at(frame + FRAME_LOCATION));
            is(self.marks[to_usize(process)][to_usize(location)])
        })
    }

    /// The slot that a place means in a state.
    ///
    /// # Errors
    /// A trap if an index is out of bounds or a process is not there.
    #[inline(always)]
    pub fn slot(&self, id: CodeId, view: &View<'_>) -> Result<usize, Trap> {
        match self.ops[id.0 as usize] {
            Op::Slot(slot) => Ok(slot as usize),
            Op::Local(offset) => Ok(view.frame + offset as usize),
            _ => self.compute_slot(id, view),
        }
    }

    fn compute_slot(&self, id: CodeId, view: &View<'_>) -> Result<usize, Trap> {
        match self.ops[id.0 as usize] {
            Op::SlotCell { first, index, lo, len } => {
                Ok(first as usize + self.offset(index, i64::from(lo), i64::from(len), view)?)
            }
            Op::LocalCell { first, index, lo, len } => {
                Ok(view.frame + first as usize + self.offset(index, i64::from(lo), i64::from(len), view)?)
            }
            Op::Cell(cell) => {
                let cell = &self.cells[cell as usize];
                Ok(self.first_slot(cell.base, view)? + self.position(cell, view)?)
            }
            Op::Only(base) => self.first_slot(base, view),
            _ => Err(Trap::Fault),
        }
    }

    #[inline]
    fn offset(&self, index: CodeId, lo: i64, len: i64, view: &View<'_>) -> Result<usize, Trap> {
        let offset = self.value(index, view)?.wrapping_sub(lo);
        if (0..len).contains(&offset) { Ok(to_usize(offset)) } else { Err(Trap::Fault) }
    }

    /// The position of a cell in its array.
    fn position(&self, cell: &Cell, view: &View<'_>) -> Result<usize, Trap> {
        let mut position = 0;
        for &(index, lo, len) in &cell.indices {
            position = position * to_usize(len) + self.offset(index, lo, len, view)?;
        }
        Ok(position)
    }

    /// Where a variable of some process begins, if it is there.
    fn remote_slot(&self, base: Base, view: &View<'_>) -> Result<Option<usize>, Trap> {
        let Base::Of { pid, process, offset } = base else { return Err(Trap::Fault) };
        let frame = view.frame_of(self.value(pid, view)?).ok();
        let frame = frame.filter(|&frame| view.at(frame) == i64::from(process));
        Ok(frame.map(|frame| frame + offset as usize))
    }

    fn first_slot(&self, base: Base, view: &View<'_>) -> Result<usize, Trap> {
        match base {
            Base::Fixed(slot) => Ok(slot as usize),
            Base::Mine(offset) => Ok(view.frame + offset as usize),
            Base::Of { pid, process, offset } => {
                let frame = view.frame_of(self.value(pid, view)?)?;
                if view.at(frame) == i64::from(process) { Ok(frame + offset as usize) } else { Err(Trap::Fault) }
            }
        }
    }
}

//! Who runs a form? What is common to all who do: processes one after the other, and uninterruptible blocks to their ends.

use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use tertium_base::narrow::{to_u32, to_usize};
use tertium_explore::functions::{StepFunctions, ThreadSteps};
use tertium_explore::pack::{Packing, RowLayout, RowLayouts};
use tertium_explore::reduction::StateSpaceReduction;
use tertium_explore::successors::Expansion;
use tertium_program::{Fault, FaultKind, Program, Semantics, StepId};

use crate::form::{LayoutForm, Stuck};
use crate::interpret::{self, Outcomes, Trapped};
use crate::lower::Lowering;

/// A block with more states than this is left to whoever else computes steps.
const MOST_BLOCK_STATES: usize = 4096;

/// What one thread needs to run a form.
#[derive(Clone, Debug, Default)]
pub struct Room {
    /// The registers of an interpreter.
    pub registers: Vec<i64>,
    /// Where compiled code writes what it finds.
    pub buffer: Vec<u32>,
    /// A row with zeros behind it.
    pub row: Vec<u32>,
}

/// Runs the form of one layout.
pub trait LayoutMachine: Debug + Send + Sync {
    /// The form.
    fn form(&self) -> &LayoutForm;

    /// What one process does in the state in `row`, which has as many words as the layout; says whether it can do anything.
    ///
    /// # Errors
    /// If the definition of a step has to be asked.
    fn run(&self, pid: usize, row: &[u32], room: &mut Room, found: &mut Outcomes) -> Result<bool, Trapped>;
}

/// Who runs forms of any layout.
pub trait Machines: Debug + Send + Sync {
    /// The machine for states in which these processes run, if it is there already. If it will never be there, `Err`.
    ///
    /// # Errors
    /// If nobody has to ask again.
    fn of_layout(&self, processes: &[u32]) -> Result<Option<Arc<dyn LayoutMachine>>, Trapped>;

    /// A thread asks only after it has expanded so many states: small searches do without.
    fn worth_from(&self) -> u32 {
        0
    }
}

/// Forms run for the searches of `explore`.
#[derive(Debug)]
pub struct FormSteps {
    machines: Arc<dyn Machines>,
    packing: Packing,
}

impl FormSteps {
    /// Rows are packed like this.
    #[must_use]
    pub fn new(machines: Arc<dyn Machines>, packing: &Packing) -> Self {
        Self { machines, packing: packing.clone() }
    }
}

impl StepFunctions for FormSteps {
    fn for_thread(&self) -> Box<dyn ThreadSteps> {
        Box::new(FormThread {
            machines: Arc::clone(&self.machines),
            packing: self.packing.clone(),
            known: Vec::new(),
            inside: Vec::new(),
            shapes: RowLayouts::default(),
            room: Room::default(),
            outcomes: Outcomes::default(),
            row: Vec::new(),
            block: Vec::new(),
            spare: Vec::new(),
        })
    }
}

/// What a thread knows of the machine for a layout.
#[derive(Clone, Debug, Default)]
enum Known {
    /// It is asked for again after so many states.
    Awaited(u32),
    #[default]
    New,
    Here(Arc<dyn LayoutMachine>),
    Never,
}

/// A machine that is not there is asked for again after so many states.
const PATIENCE: u32 = 64;

struct FormThread {
    machines: Arc<dyn Machines>,
    packing: Packing,
    /// By the numbers of whoever asks.
    known: Vec<Known>,
    /// By our own numbers, for states inside blocks.
    inside: Vec<Known>,
    shapes: RowLayouts,
    room: Room,
    outcomes: Outcomes,
    row: Vec<u32>,
    /// States inside a block that are still to be gone on from, who does, and room for more.
    block: Vec<(Vec<u32>, u32)>,
    spare: Vec<Vec<u32>>,
}

fn machine<'k>(
    known: &'k mut Vec<Known>,
    number: usize,
    processes: &[u32],
    machines: &dyn Machines,
) -> Option<&'k Arc<dyn LayoutMachine>> {
    if known.len() <= number {
        known.resize_with(number + 1, Known::default);
    }
    let entry = &mut known[number];
    match entry {
        Known::Here(_) | Known::Never => {}
        Known::Awaited(states) if *states > 0 => *states -= 1,
        Known::New if machines.worth_from() > 0 => *entry = Known::Awaited(machines.worth_from()),
        Known::New | Known::Awaited(_) => {
            *entry = match machines.of_layout(processes) {
                Ok(Some(machine)) => Known::Here(machine),
                Ok(None) => Known::Awaited(PATIENCE),
                Err(Trapped) => Known::Never,
            }
        }
    }
    if let Known::Here(machine) = entry { Some(machine) } else { None }
}

impl ThreadSteps for FormThread {
    #[inline]
    fn steps(
        &mut self,
        (number, layout): (usize, &RowLayout),
        pids: Range<usize>,
        row: &[u32],
        found: &mut Expansion,
    ) -> Option<bool> {
        let machine = machine(&mut self.known, number, &layout.processes, self.machines.as_ref())?;
        let machine = Arc::clone(machine);
        let (before, faults) = (found.steps(), found.faults.len());
        let mut padded = std::mem::take(&mut self.row);
        let row = if row.len() < layout.words {
            padded.clear();
            padded.extend_from_slice(row);
            padded.resize(layout.words, 0);
            &padded
        } else {
            row
        };
        let done = self.processes(machine.as_ref(), pids, row, found);
        self.row = padded;
        if done.is_err() {
            found.keep(before);
            found.faults.truncate(faults);
            self.spare.extend(self.block.drain(..).map(|(row, _)| row));
        }
        done.ok()
    }
}

impl FormThread {
    fn processes(
        &mut self,
        machine: &dyn LayoutMachine,
        pids: Range<usize>,
        row: &[u32],
        found: &mut Expansion,
    ) -> Result<bool, Trapped> {
        let mut any = false;
        for pid in pids {
            self.outcomes.clear();
            any |= machine.run(pid, row, &mut self.room, &mut self.outcomes)?;
            let mover = to_u32(pid);
            self.note_failed(found);
            for (changes, holder) in self.outcomes.iter() {
                match holder {
                    None => found.add(changes, mover),
                    Some(holder) => {
                        let next = changed(row, changes, self.spare.pop());
                        self.block.push((next, holder));
                    }
                }
            }
            if !self.block.is_empty() {
                self.follow(mover, found)?;
            }
        }
        Ok(any)
    }

    fn note_failed(&self, found: &mut Expansion) {
        let failed = self.outcomes.failed.iter().map(|&step| StepId::new(step as usize));
        found.faults.extend(failed.map(|step| Fault { kind: FaultKind::Assertion, step: Some(step) }));
    }

    /// Goes on inside blocks until nobody holds control.
    fn follow(&mut self, mover: u32, found: &mut Expansion) -> Result<(), Trapped> {
        let mut states = 0;
        while let Some((mut row, holder)) = self.block.pop() {
            states += 1;
            if states > MOST_BLOCK_STATES {
                return Err(Trapped);
            }
            let (number, shape) = self.shapes.of_row(&self.packing, &row);
            let machine = machine(&mut self.inside, number, &shape.processes, self.machines.as_ref());
            let machine = Arc::clone(machine.ok_or(Trapped)?);
            row.resize(shape.words.max(row.len()), 0);
            self.outcomes.clear();
            let any = machine.run(holder as usize, &row, &mut self.room, &mut self.outcomes)?;
            self.note_failed(found);
            if !any {
                let form = machine.form();
                let location = to_usize(form.locations[holder as usize].take(&row));
                match form.stuck[holder as usize][location] {
                    Stuck::Visible => found.arrive(&row, mover),
                    Stuck::Nowhere => {}
                    Stuck::Wrong => return Err(Trapped),
                }
            }
            for (changes, holder) in self.outcomes.iter() {
                let next = changed(&row, changes, self.spare.pop());
                match holder {
                    Some(holder) => self.block.push((next, holder)),
                    None => {
                        found.arrive(&next, mover);
                        self.spare.push(next);
                    }
                }
            }
            self.spare.push(row);
        }
        Ok(())
    }
}

/// A row with some words changed.
fn changed(row: &[u32], changes: &[(u32, u32)], room: Option<Vec<u32>>) -> Vec<u32> {
    let mut next = room.unwrap_or_default();
    next.clear();
    next.extend_from_slice(row);
    for &(word, value) in changes {
        if next.len() <= word as usize {
            next.resize(word as usize + 1, 0);
        }
        next[word as usize] = value;
    }
    next
}

/// A program that is lowered layout by layout, whenever one is met.
#[derive(Clone, Debug)]
pub struct Source {
    program: Program,
    packing: Packing,
    reduction: Option<StateSpaceReduction>,
    persistent: bool,
}

impl Source {
    /// For a program and what a search of it leaves out; none if such programs have no form.
    #[must_use]
    pub fn of(semantics: &Semantics<'_>, packing: &Packing, reduction: Option<&StateSpaceReduction>) -> Option<Self> {
        Lowering::of(semantics, packing, reduction)?;
        let program = semantics.program().clone();
        let persistent = semantics.is_persistent();
        Some(Self { program, packing: packing.clone(), reduction: reduction.cloned(), persistent })
    }

    /// The form of a layout.
    #[must_use]
    pub fn layout(&self, processes: &[u32]) -> Option<LayoutForm> {
        let semantics = Semantics::new(&self.program);
        let semantics = if self.persistent { semantics.persistent() } else { semantics };
        let lowering = Lowering::of(&semantics, &self.packing, self.reduction.as_ref())?;
        lowering.layout(processes)
    }
}

/// Interprets forms: slow, and the definition of what compiled ones do.
#[derive(Debug)]
pub struct Interpreter {
    source: Source,
    /// Layouts that were met; none for those that have no form.
    known: Mutex<HashMap<Vec<u32>, Option<Arc<Interpreted>>>>,
}

/// One layout, interpreted.
#[derive(Debug)]
pub struct Interpreted(LayoutForm);

impl Interpreter {
    /// For a program.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self { source, known: Mutex::default() }
    }
}

impl Machines for Interpreter {
    fn of_layout(&self, processes: &[u32]) -> Result<Option<Arc<dyn LayoutMachine>>, Trapped> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || self.source.layout(processes).map(|form| Arc::new(Interpreted(form)));
        let machine = known.entry(processes.to_vec()).or_insert_with(made).as_ref().ok_or(Trapped)?;
        Ok(Some(Arc::clone(machine) as Arc<dyn LayoutMachine>))
    }
}

impl LayoutMachine for Interpreted {
    fn form(&self) -> &LayoutForm {
        &self.0
    }

    fn run(&self, pid: usize, row: &[u32], room: &mut Room, found: &mut Outcomes) -> Result<bool, Trapped> {
        interpret::run(&self.0.steps[pid], &self.0.tables, row, false, &mut room.registers, found)
    }
}

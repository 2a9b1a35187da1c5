//! Ample sets, by slot: which locations are private in a program whose processes are fixed?
//!
//! By slot: a step is private if no other process reads or writes what it writes, none writes what it reads, and the
//! question at hand sees none of it.

use tertium_base::BitSet;
use tertium_base::narrow::{to_u32, to_usize};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{Action, Domain, Expr, ExprId, Place, Program, Semantics, Step, VarId};

/// The private locations of each process as far as a question that looks at `seen` is concerned; none at all if the
/// program does what is not understood here: priorities, time-outs.
pub(super) fn ample_locations(semantics: &Semantics<'_>, seen: &[ExprId]) -> Option<Vec<BitSet>> {
    SlotIndependence::new(semantics)?.private(seen)
}

/// Who touches a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlotAccess {
    Nobody,
    By(u32),
    Several,
}

impl SlotAccess {
    fn add(&mut self, pid: u32) {
        *self = match *self {
            Self::Nobody => Self::By(pid),
            Self::By(only) if only == pid => Self::By(pid),
            _ => Self::Several,
        };
    }

    fn only_by(self, pid: u32) -> bool {
        matches!(self, Self::Nobody) || self == Self::By(pid)
    }
}

struct SlotIndependence<'a, 'p> {
    semantics: &'a Semantics<'p>,
    program: &'p Program,
    readers: Vec<SlotAccess>,
    writers: Vec<SlotAccess>,
}

/// Slots that something looks at, and slots that it changes.
#[derive(Default)]
struct Slots {
    reads: Vec<usize>,
    writes: Vec<usize>,
}

impl<'a, 'p> SlotIndependence<'a, 'p> {
    fn new(semantics: &'a Semantics<'p>) -> Option<Self> {
        let program = semantics.program();
        if !semantics.layout().is_fixed() || program.priorities || program.last.is_some() {
            return None;
        }
        let slots = semantics.layout().initial_size();
        let nobody = vec![SlotAccess::Nobody; slots];
        let mut analysis = Self { semantics, program, readers: nobody.clone(), writers: nobody };
        for (pid, instance) in program.instances.iter().enumerate() {
            for location in &program.process(instance.process).locations {
                for &step in &location.steps {
                    let touched = analysis.step(pid, program.step(step))?;
                    touched.reads.iter().for_each(|&slot| analysis.readers[slot].add(to_u32(pid)));
                    touched.writes.iter().for_each(|&slot| analysis.writers[slot].add(to_u32(pid)));
                }
            }
        }
        Some(analysis)
    }

    fn private(&self, seen: &[ExprId]) -> Option<Vec<BitSet>> {
        let mut visible = BitSet::empty(self.readers.len());
        let mut slots = Slots::default();
        self.look_at(seen, &mut slots)?;
        slots.reads.iter().for_each(|&slot| {
            visible.insert(slot);
        });
        let none = |process: &tertium_program::Process| BitSet::empty(process.locations.len());
        let mut private: Vec<BitSet> = self.program.processes.iter().map(none).collect();
        for (pid, instance) in self.program.instances.iter().enumerate() {
            let locations = &self.program.process(instance.process).locations;
            let set = &mut private[instance.process.index()];
            for (at, location) in locations.iter().enumerate() {
                let steps = location.steps.iter().map(|&step| self.program.step(step));
                if !location.steps.is_empty() && steps.into_iter().all(|step| self.is_ample(pid, step, &visible)) {
                    set.insert(at);
                }
            }
        }
        Some(private)
    }

    fn is_ample(&self, pid: usize, step: &Step, visible: &BitSet) -> bool {
        let me = to_u32(pid);
        let free = |location| self.program.location(step.process, location).hold == tertium_program::Hold::Free;
        let Some(touched) = self.step(pid, step) else { return false };
        free(step.source)
            && free(step.target)
            && touched.reads.iter().all(|&slot| self.writers[slot].only_by(me))
            && touched.writes.iter().all(|&slot| {
                self.readers[slot].only_by(me) && self.writers[slot].only_by(me) && !visible.contains(slot)
            })
    }

    /// What a step touches; none if that cannot be told here.
    fn step(&self, pid: usize, step: &Step) -> Option<Slots> {
        let mut slots = Slots::default();
        slots.writes.push(self.semantics.layout().initial_frames()[pid] + FRAME_LOCATION);
        let mut looked_at = vec![step.guard];
        looked_at.extend(self.program.process(step.process).provided);
        for input in &step.inputs {
            if let Domain::Range(lo, hi) = input.domain {
                looked_at.extend([lo, hi]);
            }
        }
        match &step.action {
            Action::Assign(assigns) => {
                for assign in assigns {
                    looked_at.push(assign.value);
                    match assign.place {
                        Place::Var(var) => slots.writes.push(self.first_slot(var)?),
                        Place::Element(var, indices) => {
                            let indices = self.program.exprs.list(indices);
                            looked_at.extend(indices);
                            slots.writes.extend(self.cells(var, indices)?);
                        }
                    }
                }
            }
            Action::Assert(condition) => looked_at.push(*condition),
            _ => return None,
        }
        self.look_at(&looked_at, &mut slots)?;
        Some(slots)
    }

    fn look_at(&self, roots: &[ExprId], slots: &mut Slots) -> Option<()> {
        for id in self.program.exprs.reachable(roots) {
            match self.program.exprs.get(id) {
                Expr::Var(var) => slots.reads.push(self.first_slot(var)?),
                Expr::Element(var, indices) => {
                    slots.reads.extend(self.cells(var, self.program.exprs.list(indices))?);
                }
                Expr::At(process, _) => {
                    let pid = self.semantics.layout().only_instance(process)?;
                    slots.reads.push(self.semantics.layout().initial_frames()[pid as usize] + FRAME_LOCATION);
                }
                Expr::Bool(_)
                | Expr::Int(_)
                | Expr::Member(..)
                | Expr::Input(..)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::If(..)
                | Expr::Wrap(..)
                | Expr::Apply(..)
                // Deadlocks are never put off, so asking for them sees no single step.
                | Expr::Deadlock => {}
                _ => return None,
            }
        }
        Some(())
    }

    fn first_slot(&self, var: VarId) -> Option<usize> {
        self.semantics.layout().fixed_slot(self.program, var)
    }

    /// The cells that an array access may mean: one if the indices are constants within bounds, else all.
    fn cells(&self, var: VarId, indices: &[ExprId]) -> Option<std::ops::Range<usize>> {
        let first = self.first_slot(var)?;
        let variable = self.program.variable(var);
        let mut cell = Some(0usize);
        for (&index, dimension) in indices.iter().zip(&variable.dimensions) {
            let offset = self.program.exprs.constant(index).and_then(|index| {
                let inside = index >= dimension.lo && index <= dimension.hi();
                inside.then(|| to_usize(index - dimension.lo))
            });
            cell = cell.zip(offset).map(|(cell, offset)| cell * dimension.len as usize + offset);
        }
        Some(match cell {
            Some(cell) => first + cell..first + cell + 1,
            None => first..first + variable.cells(),
        })
    }
}

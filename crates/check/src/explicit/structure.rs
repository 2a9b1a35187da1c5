//! A structure as the labelling walks see it: predecessors at hand, deadlock convention applied.

use std::cell::OnceCell;

use tertium_base::{Budget, Stopped};
use tertium_evidence::Deadlock;
use tertium_model::{Kmts, StateId};

use super::predecessors::Predecessors;
use crate::Task;

/// The structure of one task.
#[derive(Debug)]
pub(super) struct Structure<'a> {
    model: &'a Kmts,
    budget: &'a Budget,
    predecessors: OnceCell<Predecessors>,
    /// The possible successors of a state together are certain.
    total: bool,
    /// A finite path may end in a deadlock.
    finite_paths: bool,
}

impl<'a> Structure<'a> {
    pub fn new(task: &Task<'a>) -> Result<Self, Stopped> {
        task.budget.check()?;
        Ok(Self {
            model: task.model,
            budget: task.budget,
            predecessors: OnceCell::new(),
            total: task.model.total() || task.reading.deadlock == Deadlock::Total,
            finite_paths: super::ends_in_deadlock(task),
        })
    }

    pub fn model(&self) -> &'a Kmts {
        self.model
    }

    pub fn budget(&self) -> &'a Budget {
        self.budget
    }

    pub fn states(&self) -> usize {
        self.model.state_count()
    }

    pub fn total(&self) -> bool {
        self.total
    }

    pub fn finite_paths(&self) -> bool {
        self.finite_paths
    }

    /// The incoming edges, turned round once when first needed.
    pub fn predecessors(&self) -> Result<&Predecessors, Stopped> {
        if self.predecessors.get().is_none() {
            let made = Predecessors::of(self.model, self.budget)?;
            let _ = self.predecessors.set(made);
        }
        self.predecessors.get().ok_or(Stopped(tertium_base::StopReason::Memory))
    }

    /// How many may edges leave a state.
    pub fn may_degree(&self, state: usize) -> u32 {
        self.model.packed_edges(StateId::new(state)).iter().map(|edge| edge.kind() & 1).sum()
    }
}

//! Steps that somebody else computes: by code made for the program at hand.
//!
//! A search asks the functions first. What they do not know, or not yet, is computed as if they were not there; so they can be made
//! in the background, and may leave out whatever is rare.

use std::fmt::Debug;
use std::ops::Range;

use crate::compiled::{Compiled, Here, Scratch};
use crate::pack::RowLayout;
use crate::reduction::StateSpaceReduction;
use crate::successors::Expansion;

/// Functions for the steps of one program.
pub trait StepFunctions: Debug + Send + Sync {
    /// What one thread needs to call them.
    fn for_thread(&self) -> Box<dyn ThreadSteps>;
}

/// The functions as one thread calls them.
pub trait ThreadSteps: Send {
    /// Adds what the processes with these pids do in the state in `row`; says whether they can do anything. If that is not known,
    /// nothing is added. Layouts are numbered by the thread, in the order in which it meets them.
    fn steps(
        &mut self,
        layout: (usize, &RowLayout),
        pids: Range<usize>,
        row: &[u32],
        found: &mut Expansion,
    ) -> Option<bool>;
}

/// The functions as a thread has them, once it has asked for them.
#[derive(Default)]
pub(crate) struct ThreadFunctions(Option<Box<dyn ThreadSteps>>);

impl Clone for ThreadFunctions {
    /// Another thread asks for its own.
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl Debug for ThreadFunctions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "ThreadFunctions(asked for)" } else { "ThreadFunctions" })
    }
}

impl<'p> Compiled<'p> {
    /// The same, asking these functions first. They must be made for this program, and for what is left out of it.
    #[must_use]
    pub fn with_functions(mut self, functions: std::sync::Arc<dyn StepFunctions + 'p>) -> Self {
        self.functions = Some(functions);
        self
    }

    /// What is left out, if something is.
    #[must_use]
    pub fn reduction(&self) -> Option<&StateSpaceReduction> {
        self.reduction.as_ref()
    }

    /// What the functions say that some processes do; says whether it is anything, if they know.
    #[inline]
    pub(crate) fn by_functions(
        &self,
        pids: Range<usize>,
        here: Here<'_>,
        scratch: &mut Scratch,
        found: &mut Expansion,
    ) -> Option<bool> {
        let functions = self.functions.as_ref()?;
        let thread = scratch.functions.0.get_or_insert_with(|| functions.for_thread());
        thread.steps((here.number, here.shape), pids, here.row, found)
    }
}

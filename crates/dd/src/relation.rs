//! Steps between rows, in parts.
//!
//! A part says what becomes of the bits it writes; all other bits stay as they are. So a step of one process among many
//! costs what that process's bits cost. Every written bit has a second one for its value after the step, which stands next to it
//! in the order.

use tertium_base::Stopped;

use crate::set::{Bits, Renaming, Set};
use crate::store::{Bit, Diagrams};

/// Some steps that write the same bits.
#[derive(Clone, Debug)]
pub struct Part {
    steps: Set,
    written: Vec<(Bit, Bit)>,
    now: Bits,
    later: Bits,
    to_later: Renaming,
    to_now: Renaming,
}

impl Part {
    /// The steps `steps`, a set over bits before and, for the bits in `written`, after the step: pairs of a bit and of
    /// the one that stands for it afterwards. Bits after the step that are not in `written` must not occur.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn new(diagrams: &Diagrams, steps: Set, written: &[(Bit, Bit)]) -> Result<Self, Stopped> {
        Ok(Self {
            steps,
            now: diagrams.select(written.iter().map(|&(now, _)| now))?,
            later: diagrams.select(written.iter().map(|&(_, later)| later))?,
            to_later: diagrams.renaming(written.iter().copied())?,
            to_now: diagrams.renaming(written.iter().map(|&(now, later)| (later, now)))?,
            written: written.to_vec(),
        })
    }

    /// The steps as a set.
    #[must_use]
    pub fn steps(&self) -> &Set {
        &self.steps
    }

    /// The bits it writes, each with the one for afterwards.
    #[must_use]
    pub fn written(&self) -> &[(Bit, Bit)] {
        &self.written
    }

    /// The rows with a step into `target`.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn before(&self, target: &Set) -> Result<Set, Stopped> {
        self.steps.and_forget(&target.renamed(&self.to_later)?, &self.later)
    }

    /// The rows that steps from `source` lead to.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn after(&self, source: &Set) -> Result<Set, Stopped> {
        self.steps.and_forget(source, &self.now)?.renamed(&self.to_now)
    }

    /// The rows with a step.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn sources(&self) -> Result<Set, Stopped> {
        self.steps.forget(&self.later)
    }

    /// Only the steps from these rows.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn from(&self, sources: &Set) -> Result<Self, Stopped> {
        Ok(Self { steps: self.steps.and(sources)?, ..self.clone() })
    }
}

/// A union of parts.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    /// The parts.
    pub parts: Vec<Part>,
}

impl Relation {
    /// The rows with a step into `target`.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn before(&self, target: &Set) -> Result<Set, Stopped> {
        self.union(target, Part::before)
    }

    /// The rows that steps from `source` lead to.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn after(&self, source: &Set) -> Result<Set, Stopped> {
        self.union(source, Part::after)
    }

    fn union(&self, of: &Set, map: impl Fn(&Part, &Set) -> Result<Set, Stopped>) -> Result<Set, Stopped> {
        let mut all = of.minus(of)?;
        for part in &self.parts {
            all = all.or(&map(part, of)?)?;
        }
        Ok(all)
    }

    /// The rows with a step.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn sources(&self, diagrams: &Diagrams) -> Result<Set, Stopped> {
        let mut all = diagrams.empty();
        for part in &self.parts {
            all = all.or(&part.sources()?)?;
        }
        Ok(all)
    }

    /// Everything that steps from `start` lead to inside `room`, `start` itself included. Each part is applied again and
    /// again before the next, so that independent processes run ahead instead of in step.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn closure(&self, start: &Set, room: Option<&Set>) -> Result<Set, Stopped> {
        self.saturate(start, room, Part::after)
    }

    /// Everything that has steps inside `room` to `goal`, `goal` itself included.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn closure_before(&self, goal: &Set, room: Option<&Set>) -> Result<Set, Stopped> {
        self.saturate(goal, room, Part::before)
    }

    fn saturate(
        &self,
        start: &Set,
        room: Option<&Set>,
        map: impl Fn(&Part, &Set) -> Result<Set, Stopped>,
    ) -> Result<Set, Stopped> {
        let mut reached = start.clone();
        // A part that added nothing since this many parts in a row ends the search.
        let mut idle = 0;
        while idle < self.parts.len() {
            for part in &self.parts {
                let before = reached.clone();
                let mut fresh = reached.clone();
                loop {
                    let mut found = map(part, &fresh)?;
                    if let Some(room) = room {
                        found = found.and(room)?;
                    }
                    fresh = found.minus(&reached)?;
                    if fresh.is_empty() {
                        break;
                    }
                    reached = reached.or(&fresh)?;
                }
                idle = if reached == before { idle + 1 } else { 0 };
                if idle >= self.parts.len() {
                    break;
                }
            }
        }
        Ok(reached)
    }

    /// Only the steps from these rows.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn from(&self, sources: &Set) -> Result<Self, Stopped> {
        Ok(Self { parts: self.parts.iter().map(|part| part.from(sources)).collect::<Result<_, _>>()? })
    }

    /// How many nodes the parts have together, shared ones counted for each.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.parts.iter().map(|part| part.steps.nodes()).sum()
    }
}

//! Steps between rows, in parts.
//!
//! A part says what becomes of the bits it writes; all other bits stay as they are. So a step of one process among many
//! costs what that process's bits cost. Every written bit has a second one for its value after the step, which stands next to it
//! in the order.

use tertium_base::Stopped;

use crate::firing::{Direction, Firing, Stages};
use crate::set::{Bits, Set};
use crate::store::{Bit, Diagrams};

/// Some steps that write the same bits.
#[derive(Clone, Debug)]
pub struct Part {
    steps: Set,
    written: Vec<(Bit, Bit)>,
    later: Bits,
    /// The same number for the same part.
    id: u32,
}

impl Part {
    /// The steps `steps`, a set over bits before and, for the bits in `written`, after the step: pairs of a bit and of
    /// the one that stands for it afterwards. Bits after the step that are not in `written` must not occur.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn new(diagrams: &Diagrams, steps: Set, written: &[(Bit, Bit)]) -> Result<Self, Stopped> {
        let mut written = written.to_vec();
        written.sort_unstable();
        debug_assert!(
            written.iter().all(|(now, later)| now.index() + 1 == later.index()),
            "a bit and the one for afterwards are neighbours"
        );
        let id = steps.store.part_id();
        Ok(Self { steps, later: diagrams.select(written.iter().map(|&(_, later)| later))?, written, id })
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
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
        self.image(target, Direction::Before)
    }

    /// The rows that steps from `source` lead to.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn after(&self, source: &Set) -> Result<Set, Stopped> {
        self.image(source, Direction::After)
    }

    fn image(&self, set: &Set, direction: Direction) -> Result<Set, Stopped> {
        let store = &self.steps.store;
        store.walk(|manager| Firing::image(manager, store, self, direction, &set.function))
    }

    /// The rows with a step.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn sources(&self) -> Result<Set, Stopped> {
        self.steps.forget(&self.later)
    }

    /// Other steps that write the same bits. What is remembered about the part is known of it again if the steps are the same.
    #[must_use]
    pub fn with_steps(&self, steps: Set) -> Self {
        let id = if steps == self.steps { self.id } else { steps.store.part_id() };
        Self { steps, id, later: self.later.clone(), written: self.written.clone() }
    }

    /// Only the steps from these rows.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn from(&self, sources: &Set) -> Result<Self, Stopped> {
        Ok(self.with_steps(self.steps.and(sources)?))
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

    /// Everything that steps from `start` lead to inside `room`, `start` itself included.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn closure(&self, start: &Set, room: Option<&Set>) -> Result<Set, Stopped> {
        self.saturate(start, room, Direction::After)
    }

    /// Everything that has steps inside `room` to `goal`, `goal` itself included.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn closure_before(&self, goal: &Set, room: Option<&Set>) -> Result<Set, Stopped> {
        self.saturate(goal, room, Direction::Before)
    }

    fn saturate(&self, start: &Set, room: Option<&Set>, direction: Direction) -> Result<Set, Stopped> {
        let store = &start.store;
        let stages = Stages::new(&self.parts, direction, store);
        let everywhere = store.full();
        let room = room.unwrap_or(&everywhere);
        store.walk(|manager| Firing::closure(manager, store, &stages, &start.function, &room.function))
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

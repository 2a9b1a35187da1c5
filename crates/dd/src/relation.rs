//! A transition relation in a disjunctive partition (Burch, Clarke, Long 1991), with its images and preimages.
//!
//! A part says what becomes of the bits it writes; all other bits stay as they are. So a step of one process among many
//! costs what that process's bits cost. Every written bit has a second one for its value after the step, which stands next to it
//! in the order.

use tertium_base::Stopped;

use crate::saturation::{Direction, EventGroups, Saturation};
use crate::set::{QuantifiedBits, Set};
use crate::store::{Bit, Diagrams};

/// A part of a transition relation: some steps that write the same bits.
#[derive(Clone, Debug)]
pub struct RelationPart {
    steps: Set,
    written: Vec<(Bit, Bit)>,
    later: QuantifiedBits,
    /// The same number for the same part.
    id: u32,
}

impl RelationPart {
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
        Ok(Self { steps, later: diagrams.quantified(written.iter().map(|&(_, later)| later))?, written, id })
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

    /// The preimage: the rows with a step into `target`.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn preimage(&self, target: &Set) -> Result<Set, Stopped> {
        self.step(target, Direction::Backward)
    }

    /// The image: the rows that steps from `source` lead to.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn image(&self, source: &Set) -> Result<Set, Stopped> {
        self.step(source, Direction::Forward)
    }

    fn step(&self, set: &Set, direction: Direction) -> Result<Set, Stopped> {
        let store = &self.steps.store;
        store.walk(|manager| Saturation::image(manager, store, self, direction, &set.function))
    }

    /// The rows with a step.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn sources(&self) -> Result<Set, Stopped> {
        self.steps.exists(&self.later)
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

/// A transition relation: the union of its parts.
#[derive(Clone, Debug, Default)]
pub struct TransitionRelation {
    /// The parts.
    pub parts: Vec<RelationPart>,
}

impl TransitionRelation {
    /// The preimage: the rows with a step into `target`.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn preimage(&self, target: &Set) -> Result<Set, Stopped> {
        self.union(target, RelationPart::preimage)
    }

    /// The image: the rows that steps from `source` lead to.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn image(&self, source: &Set) -> Result<Set, Stopped> {
        self.union(source, RelationPart::image)
    }

    fn union(&self, of: &Set, map: impl Fn(&RelationPart, &Set) -> Result<Set, Stopped>) -> Result<Set, Stopped> {
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

    /// Everything that is reachable from `start` inside `constraint`, `start` itself included; by saturation.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn reachable(&self, start: &Set, constraint: Option<&Set>) -> Result<Set, Stopped> {
        self.saturate(start, constraint, Direction::Forward)
    }

    /// Everything from which `goal` is reachable inside `constraint`, `goal` itself included; by saturation.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn backward_reachable(&self, goal: &Set, constraint: Option<&Set>) -> Result<Set, Stopped> {
        self.saturate(goal, constraint, Direction::Backward)
    }

    fn saturate(&self, start: &Set, constraint: Option<&Set>, direction: Direction) -> Result<Set, Stopped> {
        let store = &start.store;
        let groups = EventGroups::new(&self.parts, direction, store);
        let everywhere = store.full();
        let constraint = constraint.unwrap_or(&everywhere);
        store.walk(|manager| Saturation::closure(manager, store, &groups, &start.function, &constraint.function))
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

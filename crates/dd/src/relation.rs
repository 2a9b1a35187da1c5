//! A transition relation in a disjunctive partition (Burch, Clarke, Long 1991), with its images and preimages. A part whose steps write many bits at once may be a
//! conjunctive partition itself (`conjunction`); it takes no part in saturation, which goes on between its images.
//!
//! A part says what becomes of the bits it writes; all other bits stay as they are. So a step of one process among many
//! costs what that process's bits cost. Every written bit has a second one for its value after the step, which stands next to it
//! in the order.

use std::sync::Arc;

use tertium_base::Stopped;

use crate::conjunction::{Clustered, Conjunction, clustered};
use crate::saturation::{Direction, EventGroups, Saturation};
use crate::set::{QuantifiedBits, Set};
use crate::store::{Bit, Diagrams};

/// A part of a transition relation: some steps that write the same bits.
#[derive(Clone, Debug)]
pub struct RelationPart {
    /// The steps; for a conjunction, the rows that they may begin in.
    steps: Set,
    conjunction: Option<Arc<Conjunction>>,
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
        let later = diagrams.quantified(written.iter().map(|&(_, later)| later))?;
        Ok(Self { steps, conjunction: None, later, written, id })
    }

    /// The steps that are in all of these sets for some values of `inputs`, as [`Self::new`] has them; clusters of at most `most_nodes` nodes are kept apart.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn conjunctive(
        diagrams: &Diagrams,
        conjuncts: Vec<Set>,
        written: &[(Bit, Bit)],
        inputs: &[Bit],
        most_nodes: usize,
    ) -> Result<Self, Stopped> {
        match clustered(diagrams, conjuncts, written, inputs, most_nodes)? {
            Clustered::One(steps) => Self::new(diagrams, steps, written),
            Clustered::Several(conjunction) => {
                let plain = Self::new(diagrams, diagrams.full(), written)?;
                Ok(Self { conjunction: Some(Arc::new(conjunction)), ..plain })
            }
        }
    }

    /// Whether all its steps are seen to be steps of another part that writes the same bits.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn is_within(&self, other: &Self) -> Result<bool, Stopped> {
        let alike = match (&self.conjunction, &other.conjunction) {
            (None, None) => true,
            (Some(own), Some(theirs)) => Arc::ptr_eq(own, theirs),
            _ => false,
        };
        Ok(alike && (self.steps == other.steps || self.steps.is_subset(&other.steps)?))
    }

    /// Whether it is a conjunction of several clusters.
    #[must_use]
    pub fn is_conjunctive(&self) -> bool {
        self.conjunction.is_some()
    }

    /// The bits that its steps depend on, before or after them.
    #[must_use]
    pub fn support(&self) -> Vec<Bit> {
        let mut bits = self.steps.support();
        bits.extend(self.conjunction.iter().flat_map(|conjunction| &conjunction.support));
        bits.sort_unstable();
        bits.dedup();
        bits
    }

    /// How many nodes its steps have.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.conjunction.as_ref().map_or_else(|| self.steps.nodes(), |conjunction| conjunction.nodes)
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// The steps as a set; none says no more than where those of a conjunction may begin.
    pub(crate) fn steps(&self) -> &Set {
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
        if let Some(conjunction) = &self.conjunction {
            return match direction {
                Direction::Forward => self.shifted(&conjunction.targets(&set.and(&self.steps)?)?, direction),
                Direction::Backward => conjunction.sources_into(&self.shifted(set, direction)?)?.and(&self.steps),
            };
        }
        store.walk(|manager| Saturation::image(manager, store, self, direction, &set.function))
    }

    /// The set with written bits in place of the ones for afterwards, or the other way round.
    fn shifted(&self, set: &Set, direction: Direction) -> Result<Set, Stopped> {
        let store = &self.steps.store;
        store.walk(|manager| Saturation::shifted(manager, store, self, direction, &set.function))
    }

    /// The rows with a step.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn sources(&self) -> Result<Set, Stopped> {
        if let Some(conjunction) = &self.conjunction {
            return conjunction.sources(&self.steps.store.full())?.and(&self.steps);
        }
        self.steps.exists(&self.later)
    }

    /// Other steps that write the same bits. What is remembered about the part is known of it again if the steps are the same.
    #[must_use]
    pub fn with_steps(&self, steps: Set) -> Self {
        let id = if steps == self.steps { self.id } else { steps.store.part_id() };
        Self { steps, id, ..self.clone() }
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
        self.saturate(start, constraint, Direction::Forward, &mut |_| {})
    }

    /// The same without a constraint, in stages: first by the events of the lowest level alone, then by those of the next one too, and so on. `stage` sees what is reached after
    /// each of them; from there the search can begin again.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn reachable_in_stages(&self, start: &Set, stage: &mut dyn FnMut(&Set)) -> Result<Set, Stopped> {
        let (store, everywhere) = (&start.store, start.store.full());
        let groups = EventGroups::new(&self.parts, Direction::Forward, store);
        let mut reached = start.clone();
        for first in (1..groups.count()).rev() {
            let from = (&groups, first);
            reached = store
                .walk(|manager| Saturation::closure(manager, store, from, &reached.function, &everywhere.function))?;
            stage(&reached);
        }
        self.saturate(&reached, None, Direction::Forward, stage)
    }

    /// Everything from which `goal` is reachable inside `constraint`, `goal` itself included; by saturation.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn backward_reachable(&self, goal: &Set, constraint: Option<&Set>) -> Result<Set, Stopped> {
        self.saturate(goal, constraint, Direction::Backward, &mut |_| {})
    }

    fn saturate(
        &self,
        start: &Set,
        constraint: Option<&Set>,
        direction: Direction,
        stage: &mut dyn FnMut(&Set),
    ) -> Result<Set, Stopped> {
        let store = &start.store;
        let groups = EventGroups::new(&self.parts, direction, store);
        let everywhere = store.full();
        let constraint = constraint.unwrap_or(&everywhere);
        let closed = |set: &Set| {
            store.walk(|manager| Saturation::closure(manager, store, (&groups, 0), &set.function, &constraint.function))
        };
        let mut reached = closed(start)?;
        let mut frontier = reached.clone();
        while self.parts.iter().any(RelationPart::is_conjunctive) && !frontier.is_empty() {
            let mut next = reached.clone();
            for part in self.parts.iter().filter(|part| part.is_conjunctive()) {
                next = next.or(&part.step(&frontier, direction)?.and(constraint)?)?;
            }
            let next = closed(&next)?;
            frontier = next.minus(&reached)?;
            reached = next;
            stage(&reached);
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

    /// The diagrams of all parts: of a conjunction, those of its clusters.
    #[must_use]
    pub fn sets(&self) -> Vec<Set> {
        let of_part = |part: &RelationPart| match &part.conjunction {
            Some(conjunction) => conjunction.sets().cloned().collect(),
            None => vec![part.steps.clone()],
        };
        self.parts.iter().flat_map(of_part).collect()
    }

    /// How many nodes the parts have together, shared ones counted for each.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.parts.iter().map(RelationPart::nodes).sum()
    }
}

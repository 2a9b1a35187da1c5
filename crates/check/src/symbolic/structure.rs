//! A structure whose states are rows of bits.
//!
//! Everything is relative to `states`: rows outside it may be given any value, since no step leads from a state to one.

use tertium_base::Stopped;
use tertium_dd::{Bit, Diagrams, QuantifiedBits, Renaming, Set, TransitionRelation};

use super::linear::KnownFixpoints;
use crate::Filter;

/// Certain sets with several members: which of them a step leads to is open, that there is a step is not.
#[derive(Clone, Debug)]
pub struct Hyper {
    /// States with the choices they have, over the bits of states and of choices.
    pub choices: Set,
    /// The members of each choice: over the bits of states, of choices and of states afterwards.
    pub members: Set,
    /// The bits of choices.
    pub choice: QuantifiedBits,
    /// The bits of states afterwards.
    pub later: QuantifiedBits,
    /// From the bits of states to those afterwards.
    pub to_later: Renaming,
}

impl Hyper {
    /// The states with a choice all of whose members are in `target`.
    fn inside(&self, target: &Set) -> Result<Set, Stopped> {
        let outside = target.not().renamed(&self.to_later)?;
        let escapes = self.members.and_exists(&outside, &self.later)?;
        self.choices.minus(&escapes)?.exists(&self.choice)
    }
}

/// The steps that a modality speaks of.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The possible ones.
    pub possible: TransitionRelation,
    /// The certain ones; none if all possible ones are certain and no others.
    pub certain: Option<TransitionRelation>,
    /// Certain sets with several members.
    pub hyper: Option<Hyper>,
    /// States where the possible steps together are certain, and all possible steps of the structure, which then must all
    /// lead inside.
    pub together: Option<(Set, TransitionRelation)>,
}

impl Steps {
    /// Steps about which nothing is open.
    #[must_use]
    pub fn complete(relation: TransitionRelation) -> Self {
        Self { possible: relation, certain: None, hyper: None, together: None }
    }

    /// Whether the two kinds of steps are the same.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.certain.is_none() && self.hyper.is_none() && self.together.is_none()
    }

    /// The certain steps that lead to one state each.
    #[must_use]
    pub fn sure(&self) -> &TransitionRelation {
        self.certain.as_ref().unwrap_or(&self.possible)
    }

    /// Whether certainty comes from steps alone, so that it is a matter of one target each.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.hyper.is_none() && self.together.is_none()
    }

    /// Whether it is plain to see that whatever is certain is possible, too.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn is_consistent(&self) -> Result<bool, Stopped> {
        let Some(certain) = self.certain.as_ref().filter(|_| self.is_plain()) else { return Ok(self.is_complete()) };
        for part in &certain.parts {
            let mut inside = false;
            for other in self.possible.parts.iter().filter(|other| other.written() == part.written()) {
                inside = inside || part.is_within(other)?;
            }
            if !inside {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The states from which something certain leads into `target`.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn surely_before(&self, target: &Set) -> Result<Set, Stopped> {
        let mut found = self.sure().preimage(target)?;
        if let Some(hyper) = &self.hyper {
            found = found.or(&hyper.inside(target)?)?;
        }
        if let Some((states, all)) = &self.together {
            found = found.or(&states.minus(&all.preimage(&target.not())?)?)?;
        }
        Ok(found)
    }

    /// The states from which something is certain at all.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn pushed(&self, diagrams: &Diagrams) -> Result<Set, Stopped> {
        self.surely_before(&diagrams.full())
    }
}

/// A structure as sets.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Where its diagrams are.
    pub diagrams: Diagrams,
    /// The bits of a state, each with the one that stands for it after a step.
    pub bits: Vec<(Bit, Bit)>,
    /// The states that count; closed under possible and certain steps.
    pub states: Set,
    /// What each kind of modality speaks of; all steps are among them.
    pub steps: Vec<(Filter, Steps)>,
    /// What was found in it about paths.
    pub known: KnownFixpoints,
}

impl Structure {
    /// The steps that a filter selects.
    #[must_use]
    pub fn steps(&self, filter: Filter) -> Option<&Steps> {
        self.steps.iter().find(|(known, _)| *known == filter).map(|(_, steps)| steps)
    }

    /// The bits of a state, without those for afterwards.
    #[must_use]
    pub fn now(&self) -> Vec<Bit> {
        self.bits.iter().map(|&(now, _)| now).collect()
    }

    /// Whether every state's steps are decided.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.steps.iter().all(|(_, steps)| steps.is_complete())
    }
}

//! How does a walk go beside a stored run?
//!
//! The *guide* is a run to go along. A walk is on it as long as it has taken the same steps; where it takes another one, it leaves it, and it can
//! come back to that place.

use tertium_base::Budget;
use tertium_load::Failure;

use super::{Chance, Choice, Simulator};
use crate::itf::Stored;
use crate::run::arrival;

/// Where the walk is beside its guide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// On it; so many steps are left, one that goes wrong counted.
    On(usize),
    /// It has left the guide after so many steps.
    Left(usize),
}

/// How a walk to a condition ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The condition holds.
    Holds,
    /// There was no step left to take.
    Ended,
    /// So many steps were taken that it was given up; the walk is where it was.
    Steps,
}

impl Simulator<'_> {
    /// Makes the run so far the guide, and goes back to its beginning.
    pub fn guide(&mut self) {
        self.guide = Some(self.run.clone());
        self.jump(0);
    }

    /// Goes along nothing any more.
    pub fn forget_guide(&mut self) {
        self.guide = None;
    }

    /// Where the walk is beside its guide, if it has one.
    #[must_use]
    pub fn beside(&self) -> Option<Beside> {
        let guide = self.guide.as_ref()?;
        if self.run.first != guide.first {
            return Some(Beside::Left(0));
        }
        let same = self.run.steps.iter().zip(&guide.steps).take_while(|(taken, planned)| taken == planned).count();
        let faulty = self.run.fault.is_some() && self.run.fault != guide.fault;
        if same < self.run.steps.len() || faulty {
            return Some(Beside::Left(same));
        }
        Some(Beside::On(guide.length() - self.run.length()))
    }

    /// Whether a choice is what the guide does next.
    #[must_use]
    pub fn is_guided(&self, choice: &Choice) -> bool {
        let Some(guide) = self.guide.as_ref().filter(|_| matches!(self.beside(), Some(Beside::On(_)))) else {
            return false;
        };
        match (guide.steps.get(self.run.steps.len()), &guide.fault) {
            (Some(planned), _) => {
                planned.moves == choice.successor.moves && arrival(&choice.successor.outcome) == Some(&planned.state)
            }
            (None, Some((moves, _))) => *moves == choice.successor.moves && choice.fault.is_some(),
            (None, None) => false,
        }
    }

    /// How many steps of the guide can be taken from here.
    fn ahead(&self) -> usize {
        match self.beside() {
            Some(Beside::On(left)) => left,
            _ => 0,
        }
    }

    /// Takes the next step of the guide, of which `left` are ahead.
    fn follow_guide(&mut self, left: usize) {
        let Some(guide) = &self.guide else { return };
        match guide.steps.get(self.run.steps.len()) {
            Some(planned) => self.run.steps.push(planned.clone()),
            None => self.run.fault.clone_from(&guide.fault),
        }
        if left == 1 {
            self.run.loop_start = guide.loop_start;
        }
    }

    /// Takes the next step of the guide; false if it has none left, or was left.
    pub fn advance(&mut self) -> bool {
        self.next(1) == 1
    }

    /// Goes back to where the guide was left.
    pub fn rejoin(&mut self) {
        if let Some(Beside::Left(at)) = self.beside() {
            let first = self.guide.as_ref().map(|guide| guide.first.clone());
            self.run.first = first.unwrap_or_else(|| self.run.first.clone());
            self.jump(at);
            if self.ahead() == 0 {
                self.run.loop_start = self.guide.as_ref().and_then(|guide| guide.loop_start);
            }
        }
    }

    /// Goes on until a condition holds, along the guide as long as that goes, else by chance; at least one step.
    ///
    /// # Errors
    /// If it is no condition over the program's variables, or a limit is reached.
    pub fn until(&mut self, text: &str, most: usize, chance: &mut Chance, budget: &Budget) -> Result<Until, Failure> {
        let condition = self.watching(text)?;
        let before = self.run.clone();
        let mut ahead = self.ahead();
        for _ in 0..most {
            budget.check()?;
            if ahead > 0 {
                self.follow_guide(ahead);
                ahead -= 1;
            } else {
                let choices = self.choices();
                if choices.is_empty() {
                    return Ok(Until::Ended);
                }
                self.take(&choices[chance.below(choices.len())])?;
            }
            // What cannot be evaluated does not hold.
            let value = condition.value(self.run.last());
            if value == "true" || value.parse::<i64>().is_ok_and(|number| number != 0) {
                return Ok(Until::Holds);
            }
        }
        self.run = before;
        Ok(Until::Steps)
    }

    /// Makes a stored run the guide, and stands at its beginning.
    ///
    /// # Errors
    /// Where the stored run is no run of this program; then nothing has changed.
    pub fn guide_along(&mut self, stored: &Stored) -> Result<(), Failure> {
        let before = self.run.clone();
        let replayed = self.replay(stored);
        match replayed {
            Ok(()) => self.guide(),
            Err(_) => self.run = before,
        }
        replayed
    }

    /// Takes so many steps of the guide, or as many as there are; how many were taken.
    pub fn next(&mut self, count: usize) -> usize {
        let ahead = self.ahead();
        let taken = count.min(ahead);
        // Where the walk is beside its guide is asked once, not at every step.
        for done in 0..taken {
            self.follow_guide(ahead - done);
        }
        taken
    }

    /// The last position that [`Self::go_to`] reaches: the end of the guide, or where the walk is if it is not on one.
    #[must_use]
    pub fn furthest(&self) -> usize {
        match self.beside() {
            Some(Beside::On(left)) => self.position() + left,
            _ => self.position(),
        }
    }

    /// Goes to the state after so many steps, back, or forward along the guide; false where that is too far.
    pub fn go_to(&mut self, position: usize) -> bool {
        let here = self.position();
        if position <= here {
            self.jump(position);
        } else if position <= self.furthest() {
            self.next(position - here);
        } else {
            return false;
        }
        true
    }
}

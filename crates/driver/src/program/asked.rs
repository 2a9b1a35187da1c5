//! Which questions does a search answer that somebody else does, on several machines or on disk?

use tertium_explore::search::Observer;
use tertium_logic::Logic;
use tertium_statespace::outside::OutsideAnswers;

use super::answer::ProgramAnswer;
use super::questions::{PropertyQuery, Question};
use super::safety::{Goal, decided_by_states};
use super::space::Space;

/// Sees every state, whatever was found.
pub(super) struct EveryState<'o, O>(pub &'o O);

impl<O: Observer> Observer for EveryState<'_, O> {
    type Scratch = O::Scratch;

    fn scratch(&self) -> O::Scratch {
        self.0.scratch()
    }

    fn look(&self, row: &[u32], scratch: &mut O::Scratch, broken: &mut dyn FnMut(usize)) {
        self.0.look(row, scratch, broken);
    }

    fn remarks(&self) -> Vec<u64> {
        self.0.remarks()
    }

    fn absorb(&self, remarks: &[u64]) {
        self.0.absorb(remarks);
    }
}

/// Who answers a question.
#[derive(Clone, Copy)]
enum Asking {
    Goal,
    Linear,
    Nobody,
}

/// Questions by who answers them.
pub(super) struct Asked<'q> {
    questions: Vec<(&'q Question, Asking)>,
    pub goals: Vec<Goal<'q>>,
    pub linear: Vec<&'q PropertyQuery>,
}

impl<'q> Asked<'q> {
    /// With `linear`, linear properties are among them.
    pub fn of(space: &Space<'_>, questions: &'q [Question], linear: bool) -> Self {
        let mut asked = Self { questions: Vec::new(), goals: Vec::new(), linear: Vec::new() };
        for question in questions {
            let asking = match question {
                Question::Never(never) => {
                    asked.goals.push(Goal::Never(never));
                    Asking::Goal
                }
                Question::Property(property) if decided_by_states(space, property) => {
                    asked.goals.push(Goal::Invariant(property));
                    Asking::Goal
                }
                Question::Property(property) if linear && property.formula.logic() == Logic::Ltl => {
                    asked.linear.push(property);
                    Asking::Linear
                }
                Question::Property(_) | Question::Watched(_) => Asking::Nobody,
            };
            asked.questions.push((question, asking));
        }
        asked
    }

    /// The answers in the order of the questions.
    pub fn in_order(&self, (goals, linear): OutsideAnswers) -> Vec<ProgramAnswer> {
        let (mut goals, mut linear) = (goals.into_iter(), linear.into_iter());
        let answer = |&(_, asking): &(&Question, Asking)| match asking {
            Asking::Goal => goals.next(),
            Asking::Linear => linear.next(),
            Asking::Nobody => None,
        };
        self.questions.iter().filter_map(answer).collect()
    }

    /// The names of the questions that nobody answers.
    pub fn not_asked(&self) -> Vec<String> {
        let nobody = self.questions.iter().filter(|(_, asking)| matches!(asking, Asking::Nobody));
        nobody.map(|(question, _)| question.name().to_owned()).collect()
    }
}

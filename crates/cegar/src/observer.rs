//! Who is told each answer about a program as soon as it is known?

use tertium_evidence::observer::{Aside, Observer};

use crate::answer::ProgramAnswer;

/// Somebody who wants each answer about a program, and may know some already from others who work on the same questions.
pub trait ProgramObserver: Observer {
    /// This answer is definite and complete, and nothing that comes will change it. It may be told more than once.
    fn decided(&self, answer: &ProgramAnswer) {
        self.answered(&answer.name, answer.value());
    }

    /// Whether somebody has decided the question with this name: whoever works on it may leave it open.
    fn is_decided(&self, _name: &str) -> bool {
        false
    }
}

impl ProgramObserver for () {}

/// What is asked is not what the user asked.
impl ProgramObserver for Aside<'_> {
    fn decided(&self, _: &ProgramAnswer) {}
}

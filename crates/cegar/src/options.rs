//! How does one run want its answers about a program, and what does it give back?

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use tertium_base::{Span, Stopped};
use tertium_evidence::{Deadlock, LinearReading};
use tertium_explore::search::checkpoint_folder::CheckpointFolder;
use tertium_explore::store::Keeping;
use tertium_kernel::programs::question::Settings;
use tertium_load::Located;
use tertium_load::questions::Question;
use tertium_program::{Fairness, Program};
use tertium_structures::engines::EngineChoice;

use crate::answer::ProgramAnswer;

/// How one run wants its answers.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// What deadlocks mean to branching formulas; linear ones stutter there unless this is given.
    pub deadlock: Option<Deadlock>,
    /// How linear formulas are read on structures.
    pub linear: Option<LinearReading>,
    /// The engine for the collected graph.
    pub engine: EngineChoice,
    /// Whether steps may be left out where that is sound.
    pub reduction: bool,
    /// How much is kept of each state.
    pub store: Keeping,
    /// The limit on states.
    pub max_states: Option<usize>,
    /// How many threads.
    pub threads: usize,
    /// Whether to look for statements that are never reached.
    pub look_for_idle: bool,
    /// Whether the scheduler is weakly fair to every process.
    pub fair: bool,
    /// Whether properties must hold in every environment.
    pub module: bool,
    /// Whether what a truth over sets rests on is kept, so that a certificate can be written.
    pub keep_basis: bool,
    /// A truth over sets about what is reached rests on layers of sets if there are more states than this; on the graph otherwise.
    pub layers_above: f64,
    /// Where what was found out is written down, and gone on with.
    pub checkpoints: Option<Arc<CheckpointFolder>>,
    /// A folder for states that memory does not hold, of searches for what single states break.
    pub disk: Option<PathBuf>,
    /// Whether states are visited on a graphics processor.
    pub on_device: bool,
}

impl CheckOptions {
    /// The program with the fairness that is asked for besides its own: weak fairness to every process of which its text says nothing.
    #[must_use]
    pub fn scheduled<'p>(&self, program: &'p Program) -> Cow<'p, Program> {
        let mut program = Cow::Borrowed(program);
        if self.fair {
            for process in &mut program.to_mut().processes {
                process.fairness = match process.fairness {
                    Fairness::None => Fairness::Weak,
                    said => said,
                };
            }
        }
        program
    }

    /// How questions are read, for whoever proves an answer.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings { deadlock: self.deadlock, linear: self.linear, fair: self.fair }
    }
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            deadlock: None,
            linear: None,
            engine: EngineChoice::Auto,
            reduction: true,
            store: Keeping::Exact,
            max_states: None,
            threads: 1,
            look_for_idle: true,
            fair: false,
            module: false,
            keep_basis: false,
            layers_above: 100_000.0,
            checkpoints: None,
            disk: None,
            on_device: false,
        }
    }
}

/// A statement, and whether some run takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// Where it stands.
    pub span: Span,
    /// Its text.
    pub text: String,
    /// Whether it is taken.
    pub taken: bool,
    /// Whether some process gets to it.
    pub reached: bool,
}

/// What was found out in all.
#[derive(Clone, Debug, Default)]
pub struct CheckOutcome {
    /// One answer per question.
    pub answers: Vec<ProgramAnswer>,
    /// Remarks about the program: statements that are never reached, guards that are never true.
    pub remarks: Vec<Located>,
    /// All statements, with what happens to them; `None` if that was not asked, or not every state was visited.
    pub coverage: Option<Vec<Covered>>,
}

impl CheckOutcome {
    /// What is known if a limit was reached before the first state.
    #[must_use]
    pub fn stopped(questions: &[Question], stopped: Stopped) -> Self {
        let answer = |question| ProgramAnswer::about(question).stopped_by(stopped.0);
        Self { answers: questions.iter().map(answer).collect(), ..Self::default() }
    }
}

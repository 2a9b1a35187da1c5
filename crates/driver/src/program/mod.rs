//! What can be said about a program by running it?
//!
//! [`load`] reads the text and what the command line adds to it; [`questions`] lists what is asked: the properties, and the
//! mistakes that nobody wants. [`check`](mod@check) answers: one search for everything that a single state breaks ([`safety`]), a search
//! for infinite runs for each other linear property ([`linear`]), and the collected graph for branching ones
//! ([`branching`]). Whatever is false comes with a [`run`], repeated by the definition of a step.
//!
//! Promela models ([`promela`]) are asked more: `never` claims, acceptance and progress ([`claims`]).
//!
//! [`symbolic`] decides finite programs over sets of states instead of visiting them.
//!
//! [`bitstate`] answers with a store that keeps little; [`reduced_program`] leaves out what a question does not need and tells runs with all of it, [`slice`](mod@slice) does so with variables; [`approximation`] writes the abstraction as programs, [`error_trace`] tells abstract paths to what may be broken, [`explore`] counts, [`itf`] stores runs, [`simulate`] walks, [`reorder`] tells runs with fewer changes of process, [`narration`] what else there is to see in a run and [`location_invariants`] what holds in all states, [`proof`] makes certificates. [`checkpoints`] and [`kept_answers`] let a run that was killed go on. [`parameterised`] answers for systems of every size. [`predicate_abstraction`] answers
//! without running the program, [`spotlight`] by looking at some of its processes only. Which way a program goes is up to the [strategy](crate::strategy).

mod asked;
pub mod checkpoints;
pub mod cluster;
mod counter_proof;
#[cfg(feature = "gpu")]
pub mod device;
pub mod disk;
pub mod error_trace;
pub mod explore;
pub mod failing_case;
pub mod game;
pub mod horn_reply;
pub mod kept_answers;
pub mod live_ranges;
pub mod location_invariants;
pub mod parameterised;
pub mod proof;
pub mod run_confirmation;
pub mod show;
pub mod slice;
mod slice_proof;
pub mod spotlight;

use std::sync::Arc;

use tertium_base::{Diagnostic, SourceFile};

use crate::failure::Located;

pub use tertium_cegar::answer::{ProgramAnswer, Reason};
pub use tertium_cegar::{answer, predicate_abstraction, refinement_loop};
pub use tertium_load::program::{
    Extras, Language, ProgramFile, from_text, from_text_with, is_program, load, load_with, read_text,
};
pub use tertium_load::{horn, promela, questions, sizes, smv};
pub use tertium_program::{Fairness, Move, Program, Semantics, State};
pub use tertium_statespace::{
    CheckOptions, bitstate, branching, check, claims, coverage, linear, outside, reduced_program, run_evidence, safety,
    space, symbolic,
};
pub use tertium_trace::{Run, itf, narration, propositional, reorder, run, simulate, trail, wording};
pub use tertium_translate::{approximation, programs as export};

/// The layout of a text.
///
/// # Errors
/// If the text is no program; what cannot be read is not laid out either.
pub fn format_text(file: &str, text: &str) -> Result<String, Vec<Located>> {
    let (_, mistakes) = tertium_gcl::parse(text);
    if mistakes.iter().any(Diagnostic::is_error) {
        let source = Arc::new(SourceFile::new(file, text));
        return Err(mistakes.into_iter().map(|mistake| Located::within(mistake, &source)).collect());
    }
    Ok(tertium_gcl::format::format(text))
}

/// A program ready to run, its functions unknown.
#[must_use]
pub fn semantics(file: &ProgramFile) -> Semantics<'_> {
    Semantics::new(&file.program)
}

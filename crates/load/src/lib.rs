//! What stands in a file, and what is asked of it?
//!
//! Which language a text is in ([`source`]); structures with may and must or over a lattice ([`structure`]), programs ([`program`], [`promela`]) with what they import ([`imports`]), systems of every size
//! ([`sizes`]), the properties written with them ([`property`]) and what every program is asked besides ([`questions`]). Shared by
//! whoever looks for answers and whoever checks them: nothing here decides anything.
//!
//! Not here: engines (`driver`), the check of proofs (`kernel`).
//!
//! ```
//! use tertium_load::program::from_text;
//! use tertium_load::questions::{Question, questions};
//!
//! let text = "system s var x : 0..3 = 0 process P { loop { x := x + 1; } } property small: ltl G x <= 3";
//! let file = from_text("s.gcl", text.to_owned(), &[], None).expect("no mistakes");
//! let asked = questions(&file, &[], false).expect("all names are known");
//! let named = |wanted: &str| {
//!     asked.iter().any(|question| matches!(question, Question::Property(asked) if asked.name == wanted))
//! };
//! assert!(named("small"));
//! // What nobody wrote: no assignment leaves the bounds of its variable.
//! assert!(asked.iter().any(|question| matches!(question, Question::Never(_))));
//! ```

pub mod cuts;
pub mod failure;
pub mod horn;
pub mod imports;
pub mod program;
pub mod promela;
pub mod property;
pub mod questions;
pub mod sizes;
pub mod smv;
pub mod source;
pub mod structure;

pub use failure::{Failure, Located};
pub use program::ProgramFile;
pub use source::{ModelLanguage, ModelSource};
pub use structure::Loaded;

//! What can be said about a finite program without visiting its states one by one?
//!
//! The program is encoded as sets and a relation over decision diagrams (`tertium_encode`), and what can be reached is a fixpoint of
//! sets. Properties are decided by the engine over sets (`decide`), `never` claims and labels with what watches them (`watch`);
//! whatever is false comes with a run (`follow`) that is repeated by the definition of a step (`evidence`), and an invariant with
//! a set that no step leaves (`inductive`, `told`). `choice` says when this engine is tried.

mod choice;
mod decide;
mod evidence;
mod follow;
mod inductive;
mod structure;
mod told;
mod watch;

pub use choice::{after_spotlight, instead_of_search};
pub use decide::check;
pub use structure::{label, structure};
pub use tertium_encode::{Encoding, Estimate, Figures, NoSets, Subject, estimate};

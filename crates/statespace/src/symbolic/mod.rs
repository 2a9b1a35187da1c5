//! What can be said about a finite program without visiting its states one by one?
//!
//! The program is encoded as sets and a relation over decision diagrams (`tertium_encode`), and what can be reached is a fixpoint of
//! sets (McMillan 1993). Properties are decided by the engine over sets (`decide`), `never` claims and labels as automata over sets (`never_claims`);
//! whatever is false comes with a counterexample (`counterexample`) that is repeated by the definition of a step (`evidence`), and an invariant with
//! an inductive invariant (`inductive_invariant`), what is reached with layers of sets (`layers`), both written as terms (`invariant_terms`); which of them is there is up to `resting`. What was reached is kept for another run (`kept_sets`). Where the set of all states
//! is not found at once, those within some depth are asked first (`near_states`). Numbers of steps are counted by images (`distances`); what formulas say of deadlocks goes where there are none (`no_deadlock`). When this engine is tried is up to the driver's strategy.

mod counterexample;
mod decide;
mod distances;
mod evidence;
mod inductive_invariant;
mod invariant_terms;
mod kept_sets;
mod layers;
mod near_states;
mod never_claims;
mod no_deadlock;
mod resting;
mod structure;
mod telling;

pub use decide::{check, check_within};
pub use distances::{Steps, distances};
pub use structure::{label, structure};
pub use tertium_encode::{Encoding, EncodingError, EncodingSize, InstantiatedProgram, StateSpaceEstimate, estimate};

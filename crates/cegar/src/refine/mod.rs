//! Which predicates would settle what an abstraction leaves open?
//!
//! An open answer comes with a path of abstract states. [`path`] asks whether the program can follow it: if it can, the values
//! with which it does are found, and the run is real; if it cannot, the conditions that contradict each other are
//! followed back along the path, and their [`atoms`] are what the abstraction has to know. [`choice`] takes some of these, and more
//! general relations where single values would go on for ever; [`lift`] looks for reasons that do not depend on large constants. [`split`] does the
//! same for a single open step or label. [`recur`] shows that a cycle of steps can be taken for ever. [`spotlight`] reads the open elements of a spotlight abstraction and proposes parameters,
//! predicates and processes.
//!
//! Not here: abstracting and checking, and when to stop, which is the driver's.

pub mod atoms;
pub mod choice;
pub mod lift;
pub mod path;
pub mod recur;
pub mod split;
pub mod spotlight;

pub use choice::Chooser;
pub use path::{Contradiction, Followed, OpenPath, Values, follow};
pub use recur::{Chosen, Cycle, Recurrent, at_positions, recurrent};
pub use split::pre_of;

//! What is a program, and what is a step of it?
//!
//! [`graph`] is the form that every front end lowers to and every analysis reads: processes, locations,
//! guarded steps over variables ([`types`]), expressions ([`expr`], [`build`]) and channels. [`semantics`] defines
//! steps over flat states ([`layout`], [`state`]) with faults as values ([`fault`]); [`terms`] reads the same steps as
//! formulas, [`blocks`] does so for uninterruptible blocks, [`footprint`] says what they touch, [`show`] prints everything, and [`slots`]
//! says what each slot of a state holds. [`follow`] goes through uninterruptible blocks, [`analysis`] finds what always holds. [`validate`] is what front ends promise. [`successors`] is the face that searches see of whatever
//! has states, and [`search`] the search over it.
//!
//! Not here: any surface language, fast exploration, and formulas beyond their atoms.

pub mod analysis;
pub mod blocks;
pub mod build;
pub mod effect;
pub mod eval;
mod events;
pub mod expr;
pub mod fault;
pub mod follow;
pub mod footprint;
pub mod graph;
pub mod initial;
pub mod layout;
mod mistake;
mod queue;
pub mod search;
pub mod semantics;
pub mod show;
pub mod slots;
pub mod state;
pub mod successors;
pub mod terms;
pub mod types;
pub mod validate;

pub use blocks::Way;
pub use eval::{Context, Interpretation};
pub use expr::{Binary, Expr, ExprId, Exprs, Field, ListId, Pattern, PatternId, Place, Sort, Unary};
pub use fault::{Fault, FaultKind};
pub use footprint::{Channels, Footprint};
pub use graph::{
    Action, Assign, Direction, Domain, Fairness, Hold, Input, Instance, Location, LocationId, Named, Process,
    ProcessId, Program, Promise, Property, Step, StepId, Trace,
};
pub use initial::NoInitialStates;
pub use layout::Layout;
pub use mistake::Mistake;
pub use semantics::Semantics;
pub use slots::Slot;
pub use state::{Move, Outcome, State, Successor};
pub use successors::Successors;
pub use terms::{NoTerms, StepTerms};
pub use types::{
    Channel, ChannelId, Dimension, EnumId, Enumeration, Function, FunctionId, InitialValue, Scope, Type, VarId,
    Variable, Width,
};

//! What is a program, and what is a step of it?
//!
//! [`graph`] is the form that every front end lowers to and every analysis reads: processes, locations,
//! guarded steps over variables ([`types`]), expressions ([`expr`], [`build`]) and channels. [`semantics`] defines
//! steps over flat states ([`layout`], [`state`]) with faults as values ([`fault`]); [`terms`] reads the same steps as
//! formulas, [`blocks`] does so for uninterruptible blocks, [`footprint`] says what they touch, [`show`] prints everything, and [`slots`]
//! says what each slot of a state holds. [`follow`] goes through uninterruptible blocks, [`analysis`] finds what always holds. [`validate`] is what front ends promise, [`fingerprint`](mod@fingerprint) tells one program from another. [`successors`] is the face that searches see of whatever
//! has states, and [`search`] the search over it.
//!
//! Not here: any surface language, fast exploration, and formulas beyond their atoms.
//!
//! ```
//! use tertium_base::{Budget, Span};
//! use tertium_program::{
//!     Action, Assign, InitialValue, Instance, Location, Outcome, Place, Program, Scope, Semantics, Step, Type, Variable,
//! };
//!
//! // One process that sets `done` once: `process P { done := true; }`.
//! let mut program = Program::new("once");
//! let done = program.add_variable(Variable {
//!     name: "done".to_owned(),
//!     ty: Type::Bool,
//!     dimensions: Vec::new(),
//!     scope: Scope::Global,
//!     initial: InitialValue::Same(0),
//!     hidden: false,
//!     span: Span::default(),
//! });
//! let process = program.add_process("P", Span::default());
//! let source = program.add_location(process, Location::default());
//! let target = program.add_location(process, Location { end: true, ..Location::default() });
//! let (guard, value) = (program.exprs.bool(true), program.exprs.bool(true));
//! program.add_step(Step {
//!     process,
//!     source,
//!     target,
//!     rank: 0,
//!     yields_to: Vec::new(),
//!     frees: false,
//!     inputs: Vec::new(),
//!     guard,
//!     action: Action::Assign(vec![Assign { place: Place::Var(done), value }]),
//!     span: Span::default(),
//!     text: "done := true".to_owned(),
//! });
//! program.instances.push(Instance { process, arguments: Vec::new(), priority: 1 });
//!
//! let semantics = Semantics::new(&program);
//! let initial = semantics.initial_states(1, &Budget::unlimited()).expect("there is one");
//! let successors = semantics.successors(&initial[0]);
//! let Outcome::Next(next) = &successors[0].outcome else { panic!("nothing can go wrong") };
//! assert_eq!(next.slots[semantics.layout().variable(done)], 1);
//! assert!(!semantics.is_deadlock(next), "it has come to its end");
//! ```

pub mod analysis;
pub mod blocks;
pub mod build;
pub mod effect;
pub mod eval;
mod events;
pub mod expr;
pub mod fault;
pub mod fingerprint;
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
mod towards;
pub mod types;
pub mod validate;
pub mod words;

pub use blocks::BlockPath;
pub use eval::{Context, Interpretation};
pub use expr::{Binary, Expr, ExprId, Exprs, Field, ListId, Pattern, PatternId, Place, Sort, Unary};
pub use fault::{Fault, FaultKind};
pub use footprint::{Channels, Footprint};
pub use graph::{
    Action, Assign, Direction, Distance, Domain, Fairness, Hold, Input, Instance, Location, LocationId, Named, Process,
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

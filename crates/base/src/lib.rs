//! What does every part of Tertium need before any logic comes in?
//!
//! Typed ids and bit sets ([`ids`], [`bitset`]), components of graphs ([`graph`]), numbers made smaller with a check ([`narrow`]), places in source text ([`source`]) and the names in it ([`symbols`]), user mistakes as
//! values ([`diagnostic`]) with their renderer ([`render`], [`visible`]), and the limits under which every long
//! computation runs ([`budget`], [`memory`], [`files`]), taking turns ([`scheduler`]); panics of libraries that are no faults ([`panics`]); large tables of words ([`words`]).
//!
//! Not here: anything that knows what a truth value, a formula or a model is.
//!
//! A mistake of a user is a value with a place, a cause and a help, and long work ends with its budget:
//!
//! ```
//! use tertium_base::{Budget, Diagnostic, Span, StopReason};
//!
//! let mistake = Diagnostic::error("code", "`redy` is declared nowhere")
//!     .at(Span::new(4, 8), "unknown name")
//!     .help("did you mean `ready`?");
//! assert!(mistake.is_error());
//!
//! let budget = Budget::unlimited().with_effort(Some(3));
//! let stopped = (0..10).find_map(|_| budget.check().err()).expect("it looks more often than that");
//! assert_eq!(stopped.0, StopReason::Time);
//! ```

pub mod bitset;
pub mod budget;
pub mod diagnostic;
pub mod files;
pub mod graph;
pub mod ids;
pub mod memory;
pub mod narrow;
pub mod panics;
pub mod render;
pub mod scheduler;
pub mod smtlib;
pub mod source;
pub mod symbols;
pub mod visible;
pub mod words;

pub use bitset::BitSet;
pub use budget::{Budget, StopReason, Stopped};
pub use diagnostic::{Diagnostic, Severity};
pub use source::{SourceFile, Span};
pub use symbols::{Symbol, SymbolKind, SymbolTable};

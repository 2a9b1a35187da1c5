//! From what leaves a question open to what would decide it.
//!
//! [`spotlight`] reads the open elements of a spotlight abstraction and proposes parameters, predicates and processes.
//!
//! Not here: asking the question again; whoever runs engines does that.

pub mod spotlight;

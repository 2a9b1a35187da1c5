//! What is known of a system, and what is left open?
//!
//! The core structure is the generalised KMTS ([`Kmts`]): may edges, must edges, hyper-must edges and
//! labels with Belnap's values, built by [`KmtsBuilder`].
//!
//! Not here: formulas, programs, and any evaluation.

mod builder;
mod kmts;

pub use builder::{KmtsBuilder, ModelTooLarge};
pub use kmts::{ActionId, Edge, EdgeId, Fairness, HyperEdge, HyperId, Kmts, Names, PackedEdge, PropId, StateId};

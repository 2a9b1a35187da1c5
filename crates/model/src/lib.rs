//! What is known of a system, and what is left open?
//!
//! The core structure is the generalised KMTS ([`Kmts`]): may edges, must edges, hyper-must edges and
//! labels with Belnap's values, built by [`KmtsBuilder`]. Beside it stand structures with values in a lattice
//! ([`LatticeModel`]) and with parameters ([`ParamModel`]). [`read_file`] reads any of them.
//!
//! Not here: formulas, programs, and any evaluation.

mod builder;
mod consistency;
mod expr;
mod kmts;
mod lattice_model;
mod minimise;
mod names;
pub mod outline;
mod param;
mod preorder;
mod read;
mod translate;
mod write;

pub use builder::{KmtsBuilder, ModelTooLarge};
pub use consistency::consistent_at;
pub use expr::{ExprId, ExprNode, ExprTable, ParamId};
pub use kmts::{ActionId, Edge, EdgeId, Fairness, HyperEdge, HyperId, Kmts, PackedEdge, PropId, StateId};
pub use lattice_model::{LatticeEdge, LatticeModel};
pub use minimise::{Mapped, minimise, reachable};
pub use names::Names;
pub use param::{ParamEdge, ParamModel, ParamValue};
pub use preorder::{
    CompareError, Distinction, Pml, PmlNode, PropMismatch, Reason, Relation, TrailStep, equivalence, refines,
};
pub use read::{Format, Loaded, Model, Property, read_bytes, read_file, read_stream};
pub use translate::{TranslateError, Translated, kmts_to_lattice, lattice_to_kmts, merge_hyper, to_mts, to_pks};
pub use write::{write_aut, write_dot, write_json, write_kmts};

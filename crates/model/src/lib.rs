//! What is known of a system, and what is left open?
//!
//! The core structure is the generalised KMTS ([`Kmts`]): may edges, must edges, hyper-must edges and
//! labels with Belnap's values, built by [`KmtsBuilder`]. Beside it stand structures with values in a lattice
//! ([`LatticeModel`]) and with parameters ([`ParamModel`]). [`read_file`] reads any of them.
//!
//! Not here: formulas, programs, and any evaluation.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_lattice::Belnap;
//! use tertium_model::{Format, Model, StateId, read_bytes};
//!
//! let text = "state off lamp: f\nstate on lamp: ?\ninit off\noff -must-> on\non -may-> off\n";
//! let loaded = read_bytes("lamp.kmts", Format::Kmts, text.as_bytes(), &Budget::unlimited())?;
//! let Some(Model::Kmts(lamp)) = loaded.model else { panic!("{:?}", loaded.diagnostics) };
//! assert_eq!((lamp.state_count(), lamp.edge_count()), (2, 2));
//! // Whether the lamp is on there, and whether that can end, is left open.
//! let on = StateId::new(1);
//! assert_eq!(lamp.label(on, lamp.prop_by_name("lamp").unwrap()), Belnap::Unknown);
//! # Ok::<(), tertium_base::Stopped>(())
//! ```

mod builder;
mod completions;
mod consistency;
mod expr;
mod kmts;
mod lattice_model;
mod merge;
mod minimise;
mod names;
pub mod outline;
mod owners;
mod param;
mod param_builder;
mod preorder;
mod quotients;
mod read;
mod structure_abstraction;
mod translate;
mod write;

pub use builder::{KmtsBuilder, ModelTooLarge};
pub use completions::{ClassicalCompletion, CompletionSide, classical_completion};
pub use consistency::consistent_at;
pub use expr::{ExprId, ExprNode, ExprTable, ParamId};
pub use kmts::{ActionId, Edge, EdgeId, Fairness, HyperEdge, HyperId, Kmts, PackedEdge, PropId, StateId};
pub use lattice_model::{LatticeEdge, LatticeModel};
pub use merge::{Disagreement, MergeError, MergeOver, Merged, merge};
pub use minimise::{Mapped, minimise, reachable};
pub use names::Names;
pub use owners::{PlayerId, SYSTEM};
pub use param::{ParamEdge, ParamModel, ParamValue};
pub use param_builder::ParamBuilder;
pub use preorder::{
    CompareError, Distinction, Pml, PmlNode, PropMismatch, Reason, Relation, TrailStep, equivalence, refines,
    refines_alternating,
};
pub use quotients::{quotient_by_refinement, quotient_by_simulation};
pub use read::{Format, Loaded, Model, Property, read_bytes, read_file, read_stream};
pub use structure_abstraction::{AbstractMust, Block, abstract_structure};
pub use translate::{TranslateError, Translated, kmts_to_lattice, lattice_to_kmts, merge_hyper, to_mts, to_pks};
pub use write::{write_aut, write_dot, write_json, write_kmts};

//! Exact searches on a graphics processor.
//!
//! [`seen`] finds out how few bits tell the states of a program apart, and [`keys`] makes keys of them; [`mod@print`] writes the form of its steps as C; [`source`] puts it together with the search, which is compiled at run time.
//! [`search`] leads the search: levels are expanded on a [`device`], and states in which anything goes wrong are expanded here, by
//! the definition of a step. [`cycles`] looks for runs that go on for ever and are accepted by an [`automaton`]. With the feature `cuda`, `cuda` is a device.
//!
//! Not here: formulas; reduction that depends on the order of a search.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_explore::compiled::Compiled;
//! use tertium_gpu::seen::SeenRows;
//! use tertium_gpu::source::SearchSource;
//! use tertium_program::Semantics;
//!
//! let text = "system s var x : 0..9 = 0 process P { while x < 9 { x := x + 1; } }";
//! let program = tertium_gcl::compile(text).program.expect("no mistakes");
//! let semantics = Semantics::new(&program);
//! let compiled = Compiled::of(&semantics);
//! let mut seen = SeenRows::looking_at(1000);
//! seen.look_from(&compiled, &[vec![0]], &Budget::unlimited());
//! let source = SearchSource::of(&compiled, &seen.keys(&compiled, 0), &[]).expect("nothing unusual");
//! assert!(source.text().contains("__global__ void BOUNDS expand"));
//! ```

pub mod automaton;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod cycles;
pub mod device;
pub mod keys;
pub mod print;
pub mod search;
pub mod seen;
pub mod source;

//! How is a model written in another language?
//!
//! [`structures`] writes structures for people, scripts, Graphviz, Aldebaran and NuSMV; [`programs`] writes programs for NuSMV
//! ([`programs::smv`]) and for tools that read VMT-LIB ([`programs::vmt`]); [`approximation`] writes the over- and the
//! under-approximation of an abstracted program as a program.
//!
//! Not here: reading (`load`, the front ends), and translations between kinds of structures (`structures`).
//!
//! ```
//! use tertium_load::program::from_text;
//! use tertium_translate::programs::smv;
//!
//! let text = "system s var x : 0..3 = 0 process P { loop { if x < 3 { x := x + 1; } else { x := 0; } } }";
//! let file = from_text("s.gcl", text.to_owned(), &[], None).expect("no mistakes");
//! let written = smv::text(&file).expect("it is finite");
//! assert!(written.contains("MODULE main"));
//! ```

pub mod approximation;
pub mod programs;
pub mod structures;

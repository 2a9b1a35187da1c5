//! Promela, the language of Spin: text to tree, names and types, diagnostics.
//!
//! The way of the data: text → tokens after preprocessing → tree ([`ast`]) → meaning of names ([`symbols`]).
//! Mistakes are values, several per run; places point into the user's text, through `#include` and macros
//! ([`sources`]).

pub mod ast;
pub mod sources;
pub mod symbols;

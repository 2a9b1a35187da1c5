//! What is the value of each property of a structure, and why?
//!
//! A [`Session`](check::Session) binds a structure to the options of one run. For every property it asks an engine of `check`
//! for the value ([`engines`]), finds the evidence and has the kernel re-check it ([`prove`]), and looks whether a true property is true
//! for a poor reason ([`vacuity`]). Structures over a lattice, families of structures and the values that all completions agree on have
//! files of their own. [`compare`] relates two structures, and [`picture`] tells what is to be seen in one.
//!
//! Not here: programs, and how they become structures (`abstraction`, `cegar`); reading files (`load`).

pub mod answer;
pub mod bind;
pub mod check;
pub mod compare;
pub mod engines;
mod family;
mod lattice;
pub mod paths;
pub mod picture;
pub mod precision;
pub mod prove;
pub mod query;
mod thorough;
pub mod vacuity;

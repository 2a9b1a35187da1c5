//! What does an abstraction of a program decide, and what has it to know to decide more?
//!
//! Counterexample-guided abstraction refinement and its relatives. [`abstracted`] answers on one abstraction over given predicates;
//! [`refinement_loop`] finds predicates by itself, after difference bounds (zones), with ranking functions and recurrent sets for
//! what happens without end; [`spotlight`] looks at some processes only; [`parameterised`] answers for systems of every size, over programs in which
//! members are counted ([`counter_abstraction`]). [`refine`] says what an open question asks for. [`structure_proof`] proves what was decided on a structure.
//!
//! Answers, and how they are wanted, are values of [`answer`] and [`options`]; whether there is a solver, [`solver`] says.
//!
//! Not here: reading files (`load`), which engine is asked when (`driver`), how a program is abstracted (`abstraction`), how a structure is
//! checked (`structures`).

pub mod abstracted;
pub mod answer;
pub mod counter_abstraction;
pub mod options;
pub mod parameterised;
pub mod refine;
pub mod refinement_loop;
pub mod single_states;
pub mod solver;
pub mod spotlight;
pub mod structure_proof;

//! Is a formula over integers satisfiable?
//!
//! [`term`] has our own terms, [`build`] and [`arith`] make them and simplify on the way, [`walk`] rewrites and
//! [`eval`] evaluates them. A [`Solver`] answers with [`Reply`]: [`Z3`] in process, [`Process`] for any SMT-LIB 2 program.
//! Z3's library is loaded when it is first needed ([`loading`]).
//! [`Queries`] stands before them with a cache, counts and limits; every call ends with its budget.
//!
//! Not here: programs and what their expressions mean; which questions to ask.

pub mod arith;
pub mod build;
pub mod eval;
mod library;
pub mod loading;
mod model_cache;
pub mod process;
pub mod queries;
pub mod script;
pub mod smtlib;
pub mod solver;
pub mod term;
pub mod walk;
pub mod z3_solver;

pub use eval::{Assignment, Value};
pub use process::Process;
pub use queries::{AllModels, Count, Opinions, Purpose, Queries};
pub use script::Scripts;
pub use solver::{Limit, Reply, Solver, SolverError};
pub use term::{BitOp, Bounds, Function, FunctionId, Sort, Sum, Symbol, SymbolId, Term, TermId, Terms};
pub use z3_solver::Z3;

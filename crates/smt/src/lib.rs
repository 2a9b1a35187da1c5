//! Is a formula over integers satisfiable?
//!
//! [`term`] has our own terms, [`build`] and [`arith`] make them and simplify on the way, [`walk`] rewrites and
//! [`eval`] evaluates them. A [`Solver`] answers with [`Reply`]: [`Z3`] in process, [`Process`] for any SMT-LIB 2 program.
//! Z3's library is loaded when it is first needed ([`loading`]).
//! [`Queries`] stands before them with a cache, counts and limits; every call ends with its budget.
//!
//! Not here: programs and what their expressions mean; which questions to ask.
//!
//! ```
//! # if std::env::var_os("TERTIUM_Z3").is_none() {
//! #     // SAFETY: no other thread reads the environment yet. The solver lies where `make` puts it.
//! #     unsafe { std::env::set_var("TERTIUM_Z3", concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/z3/lib")) };
//! # }
//! use tertium_smt::{Reply, Solver, Sort, Terms, Value, Z3};
//!
//! let mut terms = Terms::new();
//! let x = terms.fresh("x", Sort::Int, (None, None));
//! let (five, seven) = (terms.int(5), terms.int(7));
//! let between = [terms.lt(five, x), terms.lt(x, seven)];
//! let mut solver = Z3::new()?;
//! assert_eq!(solver.check(&mut terms, &between), Reply::Sat);
//! assert_eq!(solver.values(&mut terms, &[x]), Some(vec![Value::Int(6)]));
//! # Ok::<(), tertium_smt::SolverError>(())
//! ```

mod all_values;
pub mod arith;
pub mod build;
pub mod eval;
pub mod horn;
mod library;
pub mod loading;
mod model_cache;
pub mod process;
pub mod queries;
pub mod rational;
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

//! Constrained Horn clauses in SMT-LIB (`HORN`): text to program graph.
//!
//! The clauses of a predicate are the ways to one location of a program, whose variables hold the predicate's arguments; a clause with `false` as its
//! head leads to a location that must not be reached (Bjørner, Gurfinkel, McMillan and Rybalchenko 2015). So the clauses are satisfiable
//! just if it is not. Linear clauses over `Int` and `Bool`; everything else is refused by name.
//!
//! ```
//! let text = "(set-logic HORN) (declare-fun inv (Int) Bool)
//! (assert (forall ((x Int)) (=> (= x 0) (inv x))))
//! (assert (forall ((x Int) (y Int)) (=> (and (inv x) (< x 9) (= y (+ x 1))) (inv y))))
//! (assert (forall ((x Int)) (=> (and (inv x) (> x 9)) false)))
//! (check-sat)";
//! let compiled = tertium_horn::compile(text);
//! let program = compiled.program.expect("no mistakes");
//! // A location for the beginning, one for `inv`, one for `false`.
//! assert_eq!(program.processes[0].locations.len(), 3);
//! assert!(program.steps.iter().all(|step| step.inputs.is_empty()), "values are computed, not chosen");
//! ```

mod clauses;
mod lower;
mod sexpr;
mod terms;

use tertium_base::{Diagnostic, Span};
use tertium_program::Program;

/// The name of the property, if there is one: whether the clauses are satisfiable, or the query cannot be derived.
pub const QUERY: &str = "check-sat";

/// Reading calls itself as deep as lists are nested.
const STACK: usize = 256 << 20;

/// A variable of the program that holds an argument of predicates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// Whether it holds a truth value; else a number.
    pub is_bool: bool,
}

/// A predicate, the number of its location, and where its arguments are held there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    /// Its name.
    pub name: String,
    /// The number of its location.
    pub location: usize,
    /// The registers of its arguments, in their order.
    pub arguments: Vec<Register>,
}

/// What became of a text.
#[derive(Debug)]
pub struct Compiled {
    /// What it means; none if there are mistakes.
    pub program: Option<Program>,
    /// The predicates that the clauses are about.
    pub predicates: Vec<Predicate>,
    /// Whether it asks queries, to which solvers reply `sat` if they can be derived.
    pub has_queries: bool,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads clauses.
#[must_use]
pub fn compile(text: &str) -> Compiled {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || compile_here(text));
        thread.ok().and_then(|thread| thread.join().ok())
    })
    .unwrap_or_else(|| {
        let error = Diagnostic::error("E0750", "there is no room to read the model").at(Span::default(), "not read");
        Compiled { program: None, predicates: Vec::new(), has_queries: false, diagnostics: vec![error] }
    })
}

fn compile_here(text: &str) -> Compiled {
    let (forms, mut diagnostics) = sexpr::read(text);
    if !diagnostics.is_empty() {
        return Compiled { program: None, predicates: Vec::new(), has_queries: false, diagnostics };
    }
    let mut script = clauses::Script::default();
    for form in &forms {
        // What is wrong is noted.
        let _ = script.command(form);
    }
    diagnostics.append(&mut script.diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Compiled { program: None, predicates: Vec::new(), has_queries: false, diagnostics };
    }
    match lower::program(&script, text) {
        Ok((program, predicates)) => {
            let has_queries = !script.goals.is_empty();
            Compiled { program: Some(program), predicates, has_queries, diagnostics }
        }
        Err(error) => {
            diagnostics.push(*error);
            Compiled { program: None, predicates: Vec::new(), has_queries: false, diagnostics }
        }
    }
}

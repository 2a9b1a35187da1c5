//! Which comparisons is a condition made of, and are they predicates already?

use std::collections::HashMap;

use tertium_program::{Binary, Expr, ExprId, LocationId, ProcessId, Program, Scope, Sort, Unary};
use tertium_smt::{Purpose, Reply, Term};

use crate::expand::Failed;
use crate::system::{OperationId, System};

/// What is known of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It is always true, or always false.
    Constant,
    /// It is this predicate, or its negation.
    Predicate(usize),
    /// It is no predicate, but could be one.
    New,
    /// It speaks of this process's location or variables.
    Of(ProcessId),
    /// It cannot be a predicate: it depends on what a step chooses.
    Chosen,
}

/// The comparisons that a condition is made of, in the order they stand there.
#[must_use]
pub fn comparisons(program: &Program, condition: ExprId) -> Vec<ExprId> {
    let exprs = &program.exprs;
    let truths = |id: ExprId| exprs.sort(id) == Sort::Bool;
    let (mut open, mut found) = (vec![condition], Vec::new());
    while let Some(id) = open.pop() {
        match exprs.get(id) {
            Expr::Unary(Unary::Not, a) => open.push(a),
            Expr::Binary(Binary::And | Binary::Or | Binary::Implies, a, b) => open.extend([b, a]),
            Expr::Binary(Binary::Eq | Binary::Ne, a, b) if truths(a) => open.extend([b, a]),
            Expr::If(c, a, b) if truths(a) => open.extend([b, a, c]),
            Expr::Bool(_) | Expr::Deadlock => {}
            _ if !found.contains(&id) => found.push(id),
            _ => {}
        }
    }
    found
}

impl System {
    /// What a comparison is to this system, where the processes in `lit` are looked at closely.
    pub fn standing(&mut self, expr: ExprId, lit: &[ProcessId]) -> Standing {
        let program = &self.program;
        let reachable = program.exprs.reachable(&[expr]);
        if reachable.iter().any(|&id| matches!(program.exprs.get(id), Expr::Input(..))) {
            return Standing::Chosen;
        }
        let footprint = program.footprint_of(expr);
        let owners = footprint.reads.iter().filter_map(|&var| match program.variable(var).scope {
            Scope::Local(process) => Some(process),
            Scope::Global => None,
        });
        let dark = footprint.locations.iter().copied().chain(owners).find(|process| !lit.contains(process));
        let places_only = reachable.iter().all(|&id| matches!(program.exprs.get(id), Expr::At(..)));
        if let Some(process) = dark {
            return Standing::Of(process);
        }
        if places_only {
            return Standing::Constant;
        }
        let Ok(term) = self.observed(expr, true) else { return Standing::Chosen };
        let positive = |system: &Self, term| match system.terms.get(term) {
            Term::Not(inner) => inner,
            _ => term,
        };
        if self.terms.as_bool(term).is_some() {
            return Standing::Constant;
        }
        let wanted = positive(self, term);
        let known = self.predicate_terms.iter().position(|&known| positive(self, known) == wanted);
        known.map_or(Standing::New, Standing::Predicate)
    }

    /// Whether an operation may change the value of a predicate.
    pub fn touches(&mut self, operation: OperationId, predicate: usize) -> bool {
        let term = self.predicate_terms[predicate];
        self.after(operation, term) != term
    }

    /// The operations of a process.
    #[must_use]
    pub fn operations_of(&self, process: ProcessId) -> Vec<OperationId> {
        self.leaving[process.index()].iter().flatten().copied().collect()
    }

    /// Whether no step of the program changes what a predicate depends on.
    pub fn is_rigid(&mut self, predicate: usize) -> bool {
        self.operations.ids().all(|operation| !self.touches(operation, predicate))
    }
}

impl System {
    /// Whether a step of a process is not known beforehand to go well.
    #[must_use]
    pub fn may_fail(&self, process: ProcessId) -> bool {
        let operations = self.leaving[process.index()].iter().flatten();
        operations.into_iter().any(|&operation| self.terms.as_bool(self.operations[operation].fault) != Some(false))
    }

    /// Whether some step of a process may go wrong at a location, nothing else being known.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn fails_at(&mut self, process: ProcessId, location: LocationId) -> Result<bool, Failed> {
        let here = self.terms.int(i128::from(location.number()));
        let place = HashMap::from([(self.translator.counter(process), here)]);
        for operation in self.leaving[process.index()][location.index()].clone() {
            let fault = self.terms.substitute(self.operations[operation].fault, &place);
            if self.queries.satisfiable(&mut self.terms, Purpose::May, &[fault])? != Reply::Unsat {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

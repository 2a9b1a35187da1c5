//! What are the cells of a program called in a certificate, and how is something said about them?
//!
//! A certificate names cells, and says things of them as terms in SMT-LIB. Whoever writes one has to use the words that the kernel reads.
//! [`Vocabulary`] gives texts and takes expressions of the program; no term, no step and no obligation can be had from it. What it
//! writes is a conjecture: read again like any other text of a certificate, and believed only as far as obligations show it. So a wrong word costs a
//! certificate, never more.

use tertium_program::{ExprId, Program, VarId};

use crate::obligations::Machine;
pub use crate::obligations::NoTerm;
use crate::obligations::terms::{Bounds, Sort, TermId};

/// The words of certificates about one program.
#[derive(Debug)]
pub struct Vocabulary<'p> {
    machine: Machine<'p>,
}

impl<'p> Vocabulary<'p> {
    /// The words for a program's processes and cells.
    ///
    /// # Errors
    /// If nothing can be said about such a program.
    pub fn new(program: &'p Program) -> Result<Self, NoTerm> {
        Ok(Self { machine: Machine::new(program)? })
    }

    /// The program.
    #[must_use]
    pub const fn program(&self) -> &'p Program {
        self.machine.program()
    }

    /// That an expression has a value and is true.
    ///
    /// # Errors
    /// If that cannot be said.
    pub fn holds(&mut self, expr: ExprId) -> Result<String, NoTerm> {
        let (holds, _) = self.machine.observed(expr)?;
        Ok(self.machine.terms.show(holds))
    }

    /// That these expressions are true, and these cells have these values.
    ///
    /// # Errors
    /// If that cannot be said, or a variable has no cell of its own.
    pub fn holds_with(&mut self, exprs: &[ExprId], cells: &[(VarId, usize, i64)]) -> Result<String, NoTerm> {
        let mut parts = Vec::new();
        for &expr in exprs {
            parts.push(self.machine.observed(expr)?.0);
        }
        for &(var, at, value) in cells {
            let cell = self.machine.cell(var, at);
            let cell = cell.ok_or_else(|| NoTerm("a variable has no cell of its own".to_owned()))?;
            parts.push(self.equals(cell, value));
        }
        let all = self.machine.terms.all(&parts);
        Ok(self.machine.terms.show(all))
    }

    /// The location of a process.
    #[must_use]
    pub fn location(&self, pid: usize) -> String {
        self.machine.terms.show(self.machine.location(pid))
    }

    /// A cell of a variable; none for what has no cell of its own.
    #[must_use]
    pub fn cell(&mut self, var: VarId, at: usize) -> Option<String> {
        let cell = self.machine.cell(var, at)?;
        Some(self.machine.terms.show(cell))
    }

    /// That a cell is within bounds; none if its type says so, or it has none.
    #[must_use]
    pub fn bounded(&mut self, var: VarId, at: usize, bounds: Bounds) -> Option<String> {
        let cell = self.machine.cell(var, at)?;
        let within = match (self.machine.terms.sort(cell), bounds) {
            (Sort::Bool, (Some(1..), _)) => cell,
            (Sort::Bool, (_, Some(..=0))) => self.machine.terms.not(cell),
            (Sort::Bool, _) => return None,
            _ => self.machine.terms.within(cell, bounds),
        };
        self.machine.terms.as_truth(within).is_none().then(|| self.machine.terms.show(within))
    }

    /// That something that was named here is within bounds; none if its type says so.
    ///
    /// # Errors
    /// If nothing is called that.
    pub fn named_within(&mut self, name: &str, bounds: Bounds) -> Result<Option<String>, NoTerm> {
        let symbol = self.machine.terms.read(name).map_err(NoTerm)?;
        let within = self.machine.terms.within(symbol, bounds);
        Ok((self.machine.terms.as_truth(within) != Some(true)).then(|| self.machine.terms.show(within)))
    }

    /// That something that was named here has a value.
    ///
    /// # Errors
    /// If nothing is called that.
    pub fn named_equals(&mut self, name: &str, value: i64) -> Result<String, NoTerm> {
        let symbol = self.machine.terms.read(name).map_err(NoTerm)?;
        let same = self.equals(symbol, value);
        Ok(self.machine.terms.show(same))
    }

    /// That a variable which is a number has a value wherever a process is at a location; none if that is plain, or it is no number.
    #[must_use]
    pub fn constant_at(&mut self, (pid, location): (usize, usize), var: VarId, value: i64) -> Option<String> {
        let cell = self.machine.cell(var, 0).filter(|&cell| self.machine.terms.sort(cell) == Sort::Int)?;
        let terms = &mut self.machine.terms;
        let (place, value) = (terms.number(location as i128), terms.number(i128::from(value)));
        let (here, holds) = (self.machine.location(pid), self.machine.terms.eq(cell, value));
        let here = self.machine.terms.eq(here, place);
        let fact = self.machine.terms.implies(here, holds);
        self.machine.terms.as_truth(fact).is_none().then(|| self.machine.terms.show(fact))
    }

    /// That an expression has a value and is true wherever a process is at a location, or that it never is there; none if that is plain.
    ///
    /// # Errors
    /// If that cannot be said.
    pub fn holds_at(
        &mut self,
        (pid, location): (usize, usize),
        expr: Option<ExprId>,
    ) -> Result<Option<String>, NoTerm> {
        let holds = match expr {
            Some(expr) => self.machine.observed(expr)?.0,
            None => self.machine.terms.truth(false),
        };
        let (here, place) = (self.machine.location(pid), self.machine.terms.number(location as i128));
        let here = self.machine.terms.eq(here, place);
        let fact = self.machine.terms.implies(here, holds);
        Ok(self.machine.terms.as_truth(fact).is_none().then(|| self.machine.terms.show(fact)))
    }

    /// An expression as a number.
    ///
    /// # Errors
    /// If it cannot be said.
    pub fn number(&mut self, expr: ExprId) -> Result<String, NoTerm> {
        let number = self.machine.number(expr)?;
        Ok(self.machine.terms.show(number))
    }

    /// One expression less another, as numbers without bounds.
    ///
    /// # Errors
    /// If they cannot be said.
    pub fn difference(&mut self, high: ExprId, low: ExprId) -> Result<String, NoTerm> {
        let (high, low) = (self.machine.number(high)?, self.machine.number(low)?);
        let difference = self.machine.terms.difference(high, low);
        Ok(self.machine.terms.show(difference))
    }

    /// Two expressions together, as numbers without bounds.
    ///
    /// # Errors
    /// If they cannot be said.
    pub fn sum(&mut self, a: ExprId, b: ExprId) -> Result<String, NoTerm> {
        let (a, b) = (self.machine.number(a)?, self.machine.number(b)?);
        let sum = self.machine.terms.sum(a, b);
        Ok(self.machine.terms.show(sum))
    }

    fn equals(&mut self, cell: TermId, value: i64) -> TermId {
        let terms = &mut self.machine.terms;
        let value =
            if terms.sort(cell) == Sort::Bool { terms.truth(value != 0) } else { terms.number(i128::from(value)) };
        terms.eq(cell, value)
    }
}

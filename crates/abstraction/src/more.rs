//! How does a system take more predicates?
//!
//! Refinement works on terms; people, certificates and runs want expressions. A new predicate is turned back into an
//! expression of the program, so that it can be printed, read again and evaluated like one that the user wrote.

use std::collections::{BTreeSet, HashMap};

use tertium_program::{Binary, Expr, ExprId, LocationId, Sort, Type, Unary, VarId};
use tertium_smt::{Queries, Sum, Term, TermId, Terms};

use crate::Unsupported;
use crate::system::{Predicate, System};
use crate::translate::Cells;

impl System {
    /// The table of terms and the questions, for those who ask along a path.
    pub const fn asking(&mut self) -> (&mut Terms, &mut Queries) {
        (&mut self.terms, &mut self.queries)
    }

    /// What holds of the initial states.
    #[must_use]
    pub fn initial_conditions(&self) -> &[TermId] {
        &self.initial
    }

    /// The predicates as terms.
    #[must_use]
    pub fn predicate_terms(&self) -> &[TermId] {
        &self.predicate_terms
    }

    /// Where the expression has a value and that is `value`.
    ///
    /// # Errors
    /// If it has no term.
    pub fn condition(&mut self, expr: ExprId, value: bool) -> Result<TermId, Unsupported> {
        self.observed(expr, value)
    }

    /// Whether a term speaks of deadlocks.
    #[must_use]
    pub fn speaks_of_deadlock(&self, term: TermId) -> bool {
        self.terms.reachable(&[term]).contains(&self.deadlock)
    }

    /// The locations of all processes, and kept cells, as values of their symbols.
    pub fn located(&mut self, locations: &[LocationId], kept: &[i128]) -> HashMap<TermId, TermId> {
        self.concrete(locations, kept)
    }

    /// That the kept cells have these values.
    pub fn kept_conditions(&mut self, values: &[i128]) -> Vec<TermId> {
        let symbols: Vec<TermId> = self.kept.iter().map(|kept| kept.symbol).collect();
        let mut conditions = Vec::new();
        for (symbol, &value) in symbols.into_iter().zip(values) {
            conditions.push(match self.terms.sort(symbol) {
                tertium_smt::Sort::Bool if value != 0 => symbol,
                tertium_smt::Sort::Bool => self.terms.not(symbol),
                _ => {
                    let value = self.terms.int(value);
                    self.terms.eq(symbol, value)
                }
            });
        }
        conditions
    }

    /// The symbols of kept cells.
    #[must_use]
    pub fn kept_symbols(&self) -> BTreeSet<TermId> {
        self.kept.iter().map(|kept| kept.symbol).collect()
    }

    /// The terms of all cells, by variable.
    pub fn cell_terms(&mut self) -> Vec<Vec<TermId>> {
        let mut cells: Vec<Vec<TermId>> = Vec::new();
        for var in self.program.variable_ids() {
            match self.translator.cells(var) {
                Cells::Each(each) => cells.push(each.clone()),
                Cells::Array(array) => {
                    let (array, count) = (*array, self.program.variable(var).cells());
                    let each = (0..count).map(|at| {
                        let at = self.terms.int(at as i128);
                        self.terms.select(array, at)
                    });
                    cells.push(each.collect());
                }
            }
        }
        cells
    }

    /// Adds a predicate, without its sign; says whether it is new. One that is no expression of the program is not added.
    pub fn learn_predicate(&mut self, term: TermId) -> bool {
        let positive = match self.terms.get(term) {
            Term::Not(inner) => inner,
            _ => term,
        };
        if self.terms.as_bool(positive).is_some() || self.predicate_terms.contains(&positive) {
            return false;
        }
        let Some(expr) = self.expression(positive) else { return false };
        self.predicates.push(Predicate { name: self.program.show(expr), expr });
        self.predicate_terms.push(positive);
        self.forget_steps();
        true
    }

    /// Drops the predicates that were added after the first `count`.
    pub fn keep_predicates(&mut self, count: usize) {
        self.predicates.truncate(count);
        self.predicate_terms.truncate(count);
        self.forget_steps();
    }

    /// A term over the cells of a state as an expression; none for terms that speak of anything else.
    pub fn expression(&mut self, root: TermId) -> Option<ExprId> {
        let places = self.places();
        let mut known: HashMap<TermId, ExprId> = HashMap::new();
        for id in self.terms.reachable(&[root]) {
            let expr = match places.get(&id) {
                Some(&(var, cell)) => self.cell(var, cell),
                None => self.expression_of(id, &known),
            };
            // What is below a comparison need not be an expression by itself, but the root must be one.
            if let Some(expr) = expr {
                known.insert(id, expr);
            }
        }
        known.get(&root).copied()
    }

    fn places(&self) -> HashMap<TermId, (VarId, usize)> {
        let mut places = HashMap::new();
        for var in self.program.variable_ids() {
            if let Cells::Each(cells) = self.translator.cells(var) {
                for (at, &cell) in cells.iter().enumerate() {
                    if matches!(self.terms.get(cell), Term::Symbol(_)) {
                        places.insert(cell, (var, at));
                    }
                }
            }
        }
        places
    }

    fn cell(&mut self, var: VarId, cell: usize) -> Option<ExprId> {
        let variable = self.program.variable(var).clone();
        let sort = if variable.ty == Type::Bool { Sort::Bool } else { Sort::Int };
        if variable.dimensions.is_empty() {
            return Some(self.program.exprs.var(var, sort));
        }
        let (mut rest, mut indices) = (cell, Vec::new());
        for dimension in variable.dimensions.iter().rev() {
            let length = usize::try_from(dimension.len).ok()?;
            indices.push(dimension.lo + i64::try_from(rest % length).ok()?);
            rest /= length;
        }
        let indices: Vec<ExprId> = indices.iter().rev().map(|&index| self.program.exprs.int(index)).collect();
        Some(self.program.exprs.element(var, &indices, sort))
    }

    fn expression_of(&mut self, id: TermId, known: &HashMap<TermId, ExprId>) -> Option<ExprId> {
        let of = |id: &TermId| known.get(id).copied();
        let term = self.terms.get(id);
        match term {
            Term::Bool(value) => Some(self.program.exprs.bool(value)),
            Term::Int(value) => Some(self.program.exprs.int(i64::try_from(value).ok()?)),
            Term::Not(a) => {
                let a = of(&a)?;
                Some(self.program.exprs.unary(Unary::Not, a))
            }
            Term::And(list) => {
                let parts: Option<Vec<ExprId>> = self.terms.list(list).iter().map(of).collect();
                Some(self.program.exprs.all(&parts?))
            }
            Term::Same(a, b) => {
                let (a, b) = (of(&a)?, of(&b)?);
                Some(self.program.exprs.eq(a, b))
            }
            Term::Ite(c, a, b) => {
                let (c, a, b) = (of(&c)?, of(&a)?, of(&b)?);
                Some(self.program.exprs.ite(c, a, b))
            }
            Term::Sum(sum) => {
                let sum = self.terms.sum(sum).clone();
                self.sum(&sum.parts, sum.constant, known)
            }
            Term::Mul(a, b) => {
                let (a, b) = (of(&a)?, of(&b)?);
                Some(self.program.exprs.binary(Binary::Mul, a, b))
            }
            // With another divisor the expression might have no value where the term has one.
            Term::Div(a, b) | Term::Mod(a, b) if self.terms.as_int(b).is_some_and(|b| b > 0) => {
                let (a, b) = (of(&a)?, of(&b)?);
                let operator = if matches!(term, Term::Div(..)) { Binary::Div } else { Binary::Mod };
                Some(self.program.exprs.binary(operator, a, b))
            }
            Term::AtMost(form, most) => self.comparison(Binary::Le, form, most, known),
            Term::Equals(form, value) => self.comparison(Binary::Eq, form, value, known),
            Term::Apply(function, list) => {
                let function = self.translator.program_function(function)?;
                let arguments: Option<Vec<ExprId>> = self.terms.list(list).iter().map(of).collect();
                let arguments = self.program.exprs.add_list(&arguments?);
                let sort = if self.terms.sort(id) == tertium_smt::Sort::Bool { Sort::Bool } else { Sort::Int };
                Some(self.program.exprs.add_sorted(Expr::Apply(function, arguments), sort))
            }
            _ => None,
        }
    }

    fn sum(&mut self, parts: &[(TermId, i128)], constant: i128, known: &HashMap<TermId, ExprId>) -> Option<ExprId> {
        let mut whole: Option<ExprId> = None;
        for &(part, factor) in parts {
            let mut term = known.get(&part).copied()?;
            if factor.abs() != 1 {
                let size = self.program.exprs.int(i64::try_from(factor.abs()).ok()?);
                term = self.program.exprs.binary(Binary::Mul, size, term);
            }
            let zero = self.program.exprs.int(0);
            whole = Some(match (whole, factor < 0) {
                (None, false) => term,
                (None, true) => self.program.exprs.binary(Binary::Sub, zero, term),
                (Some(sum), false) => self.program.exprs.binary(Binary::Add, sum, term),
                (Some(sum), true) => self.program.exprs.binary(Binary::Sub, sum, term),
            });
        }
        let constant = i64::try_from(constant).ok()?;
        let size = self.program.exprs.int(constant.checked_abs()?);
        Some(match whole {
            None => self.program.exprs.int(constant),
            Some(whole) if constant == 0 => whole,
            Some(whole) if constant < 0 => self.program.exprs.binary(Binary::Sub, whole, size),
            Some(whole) => self.program.exprs.binary(Binary::Add, whole, size),
        })
    }

    /// A comparison with what is subtracted on the other side: `x - y <= -1` is `x < y`.
    fn comparison(
        &mut self,
        operator: Binary,
        form: TermId,
        constant: i128,
        known: &HashMap<TermId, ExprId>,
    ) -> Option<ExprId> {
        let parts = match self.terms.get(form) {
            Term::Sum(sum) => {
                let Sum { parts, constant: own } = self.terms.sum(sum).clone();
                if own != 0 {
                    return None;
                }
                parts
            }
            _ => vec![(form, 1)],
        };
        let left: Vec<(TermId, i128)> = parts.iter().copied().filter(|&(_, factor)| factor > 0).collect();
        let right: Vec<(TermId, i128)> =
            parts.iter().filter(|(_, factor)| *factor < 0).map(|&(part, factor)| (part, -factor)).collect();
        let strict = operator == Binary::Le && constant == -1 && !right.is_empty();
        let constant = if strict { 0 } else { constant };
        let both = !right.is_empty();
        let left = self.sum(&left, if both { (-constant).max(0) } else { 0 }, known)?;
        let right = self.sum(&right, if both { constant.max(0) } else { constant }, known)?;
        Some(self.program.exprs.binary(if strict { Binary::Lt } else { operator }, left, right))
    }
}

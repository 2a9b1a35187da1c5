//! The abstraction as two programs: what may happen, and what surely can (Saïdi 2000; Vijzelaar et al. 2014).
//!
//! Both have the processes and locations of the program, its kept variables, and one variable for each predicate. Each step is told
//! once for every combination of the kept values that it depends on: when it may be taken, when it surely can, what predicates
//! and kept variables become. Not here: in which language that is written.

use std::collections::HashMap;

use tertium_program::{ExprId, VarId};
use tertium_smt::{Bounds, Sort, TermId};

use crate::assignments::{Assignment, Cube};
use crate::cover::irredundant;
use crate::expand::Failed;
use crate::system::{OperationId, System};
use crate::truth::{Guard, Truth};

/// A step with more combinations of kept values than this is not told.
pub const MOST_CASES: usize = 256;

/// When a step surely can be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SureGuard {
    /// Where this formula surely holds.
    Where(Truth),
    /// Under these cubes.
    Under(Vec<Cube>),
}

/// A step under one combination of kept values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApproximatedStep {
    /// The operation.
    pub operation: OperationId,
    /// The kept cells that it depends on, with their values.
    pub case: Vec<(usize, i128)>,
    /// When it may be taken.
    pub may: Guard,
    /// When it surely can.
    pub sure: SureGuard,
    /// What predicates become; those that keep their value are left out.
    pub assignments: Vec<Assignment>,
    /// What kept cells become.
    pub updates: Vec<(usize, i128)>,
    /// Whether it may go wrong.
    pub may_fail: bool,
}

/// Why a step cannot be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Untold {
    /// Several processes move at once.
    Meeting(OperationId),
    /// It depends on too many combinations of values of this variable and others.
    Cases(OperationId, VarId),
    /// This kept variable gets a value that is not known.
    Value(OperationId, VarId),
}

/// Where an expression surely is true and where it surely is false, for values of kept cells.
#[derive(Clone, Debug)]
pub struct ValuedCase {
    /// The kept cells that it speaks of, by their numbers, with their values.
    pub case: Vec<(usize, i128)>,
    /// Where it is true.
    pub yes: SureGuard,
    /// Where it is false.
    pub no: SureGuard,
}

impl System {
    /// All steps, in the order of the text; or why one cannot be told.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn approximated(&mut self) -> Result<Result<Vec<ApproximatedStep>, Untold>, Failed> {
        let mut steps = Vec::new();
        for operation in self.in_order() {
            match self.approximated_step(operation)? {
                Ok(cases) => steps.extend(cases),
                Err(untold) => return Ok(Err(untold)),
            }
        }
        Ok(Ok(steps))
    }

    /// The operations by process, and then as they stand in the text.
    #[must_use]
    pub fn in_order(&self) -> Vec<OperationId> {
        let mut operations: Vec<OperationId> = self.operations.ids().collect();
        let place = |id: &OperationId| {
            let operation = &self.operations[*id];
            let text = operation.steps.first().map(|&step| self.program.step(step).span.start);
            (operation.process, text, operation.source, *id)
        };
        operations.sort_by_key(place);
        operations
    }

    fn approximated_step(&mut self, operation: OperationId) -> Result<Result<Vec<ApproximatedStep>, Untold>, Failed> {
        if !self.operations[operation].others.is_empty() || self.operations[operation].sources().count() > 1 {
            return Ok(Err(Untold::Meeting(operation)));
        }
        let cases = match self.kept_cases(operation) {
            Ok(cases) => cases,
            Err(untold) => return Ok(Err(untold)),
        };
        let mut told = Vec::new();
        for case in cases {
            match self.approximated_case(operation, case)? {
                Ok(step) => told.extend(step),
                Err(untold) => return Ok(Err(untold)),
            }
        }
        Ok(Ok(told))
    }

    /// The combinations of values of the kept cells that a step depends on.
    fn kept_cases(&mut self, operation: OperationId) -> Result<Vec<Vec<(usize, i128)>>, Untold> {
        let mut terms = vec![self.operations[operation].relation, self.operations[operation].fault];
        let symbols: Vec<TermId> = self.kept.iter().map(|kept| kept.symbol).collect();
        for term in self.predicate_terms.clone().into_iter().chain(symbols) {
            let after = self.after(operation, term);
            if after != term {
                terms.push(after);
            }
        }
        self.cases_of(&terms).map_err(|var| Untold::Cases(operation, var))
    }

    /// The combinations of values of the kept cells that terms depend on; or a variable of which there are too many.
    fn cases_of(&mut self, terms: &[TermId]) -> Result<Vec<Vec<(usize, i128)>>, VarId> {
        let mut cases: Vec<Vec<(usize, i128)>> = vec![Vec::new()];
        for at in 0..self.kept.len() {
            let own = self.support(self.kept[at].symbol);
            if terms.iter().all(|&term| self.support(term).is_disjoint(&own)) {
                continue;
            }
            let var = self.kept[at].var;
            let values = match (self.terms.sort(self.kept[at].symbol), self.bounds[var.index()]) {
                (Sort::Bool, _) => 0..=1,
                (_, (Some(lo), Some(hi))) => lo..=hi,
                _ => return Err(var),
            };
            let count = values.end().saturating_sub(*values.start()).saturating_add(1);
            let all = usize::try_from(count).ok().and_then(|count| count.checked_mul(cases.len()));
            if all.is_none_or(|all| all > MOST_CASES) {
                return Err(var);
            }
            let longer =
                |case: Vec<(usize, i128)>| values.clone().map(move |value| [case.as_slice(), &[(at, value)]].concat());
            cases = cases.into_iter().flat_map(longer).collect();
        }
        Ok(cases)
    }

    fn approximated_case(
        &mut self,
        operation: OperationId,
        case: Vec<(usize, i128)>,
    ) -> Result<Result<Option<ApproximatedStep>, Untold>, Failed> {
        let map = self.case_map(&case);
        let relation = self.at_their_places(operation, self.operations[operation].relation);
        let relation = self.terms.substitute(relation, &map);
        if self.terms.as_bool(relation) == Some(false) {
            return Ok(Ok(None));
        }
        let mut updates = Vec::new();
        for at in 0..self.kept.len() {
            let symbol = self.kept[at].symbol;
            let after = self.after(operation, symbol);
            if after == symbol {
                continue;
            }
            let after = self.terms.substitute(after, &map);
            match self.terms.as_int(after).or_else(|| self.terms.as_bool(after).map(i128::from)) {
                Some(value) => updates.push((at, value)),
                None => return Ok(Err(Untold::Value(operation, self.kept[at].var))),
            }
        }
        let may = match self.exactly(relation) {
            Some(truth) => Guard::Exactly(truth),
            None => Guard::Except(self.minimal_never(relation)?),
        };
        let sure = self.sure_guard(operation, relation, &may)?;
        let fault = self.at_its_place(operation, self.operations[operation].fault);
        let fault = self.terms.substitute(fault, &map);
        let may_fail = self.terms.as_bool(fault) != Some(false);
        let assignments = self.changes_under(operation, relation, &map)?;
        Ok(Ok(Some(ApproximatedStep { operation, case, may, sure, assignments, updates, may_fail })))
    }

    fn case_map(&mut self, case: &[(usize, i128)]) -> HashMap<TermId, TermId> {
        let mut map = HashMap::new();
        for &(at, value) in case {
            let symbol = self.kept[at].symbol;
            let value = match self.terms.sort(symbol) {
                Sort::Bool => self.terms.bool(value != 0),
                _ => self.terms.int(value),
            };
            map.insert(symbol, value);
        }
        map
    }

    fn minimal_never(&mut self, term: TermId) -> Result<Vec<Cube>, Failed> {
        Ok(irredundant(self.never_cubes(term)?, &[]))
    }

    fn sure_guard(&mut self, operation: OperationId, relation: TermId, may: &Guard) -> Result<SureGuard, Failed> {
        if let Guard::Exactly(truth) = may {
            return Ok(SureGuard::Where(truth.clone()));
        }
        let inputs = self.operations[operation].inputs.clone();
        let below = self.close(relation, &inputs).below;
        let not = self.terms.not(below);
        Ok(SureGuard::Under(self.minimal_never(not)?))
    }

    /// Smallest and largest value of a variable in reachable states, as far as known.
    #[must_use]
    pub fn bounds_of(&self, var: VarId) -> Bounds {
        self.bounds[var.index()]
    }

    /// Where an expression surely is true, and where it surely is false, by the values of the kept cells that it speaks of; with none of them where there are too many combinations, so that
    /// only what holds for all of their values is told.
    ///
    /// # Errors
    /// If it has no meaning as a term, or a limit is reached.
    pub fn surely_valued(&mut self, expr: ExprId) -> Result<Vec<ValuedCase>, Failed> {
        let (yes, no) = (self.observed(expr, true)?, self.observed(expr, false)?);
        let cases = self.cases_of(&[yes, no]).unwrap_or_else(|_| vec![Vec::new()]);
        let mut found = Vec::new();
        for case in cases {
            let map = self.case_map(&case);
            let (yes, no) = (self.terms.substitute(yes, &map), self.terms.substitute(no, &map));
            found.push(ValuedCase { case, yes: self.surely_where(yes)?, no: self.surely_where(no)? });
        }
        Ok(found)
    }

    /// Where a term surely holds, exactly if predicates say it.
    fn surely_where(&mut self, term: TermId) -> Result<SureGuard, Failed> {
        if let Some(truth) = self.exactly(term) {
            return Ok(SureGuard::Where(truth));
        }
        let not = self.terms.not(term);
        Ok(SureGuard::Under(self.minimal_never(not)?))
    }
}

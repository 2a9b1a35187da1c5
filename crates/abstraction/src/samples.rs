//! Which program states does an abstract state fail to tell apart?
//!
//! For people who ask why something is open: one program state that takes an undecided step and one that does not, or one in
//! which an undecided condition holds and one in which it does not. The solver picks the values; not finding one says nothing.

use tertium_base::Stopped;
use tertium_lattice::Kleene;
use tertium_program::{ExprId, VarId};
use tertium_smt::{Purpose, Reply, Sort, TermId, Value};

use crate::expand::Failed;
use crate::state::AbstractState;
use crate::system::{Operation, System};
use crate::translate::Cells;

/// The values of all cells of all variables, in the program's order.
pub type Sample = Vec<(VarId, Vec<i64>)>;

impl System {
    /// A program state that an abstract state stands for.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn sample(&mut self, state: &AbstractState) -> Result<Option<Sample>, Stopped> {
        self.sample_where(state, &[])
    }

    /// A program state of an abstract one in which an expression holds, and one in which it does not.
    ///
    /// # Errors
    /// If a limit is reached, or the expression has no term.
    pub fn label_samples(&mut self, state: &AbstractState, expr: ExprId) -> Result<[Option<Sample>; 2], Failed> {
        let (yes, no) = (self.observed(expr, true)?, self.observed(expr, false)?);
        let map = self.concrete(&state.locations, &state.kept);
        let (yes, no) = (self.terms.substitute(yes, &map), self.terms.substitute(no, &map));
        Ok([self.sample_where(state, &[yes])?, self.sample_where(state, &[no])?])
    }

    /// A program state of `from` that can step into `to`, and one that cannot. The second is not looked for where steps
    /// choose values.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn step_samples(&mut self, from: &AbstractState, to: &AbstractState) -> Result<[Option<Sample>; 2], Failed> {
        let (ways, chooses) = self.ways_into(from, to);
        let some = self.terms.any(&ways);
        let none = self.terms.not(some);
        let takes = self.sample_where(from, &[some])?;
        let misses = if chooses { None } else { self.sample_where(from, &[none])? };
        Ok([takes, misses])
    }

    /// Conditions that `from` leaves open and on which it depends whether its steps lead into `to`: guards, and what the
    /// predicates would have to be before a step.
    ///
    /// # Errors
    /// If a limit is reached, or a condition has no term.
    pub fn missing(&mut self, from: &AbstractState, to: &AbstractState) -> Result<Vec<ExprId>, Failed> {
        let mut found: Vec<ExprId> = Vec::new();
        for process in self.program.process_ids() {
            let source = from.locations[process.index()].index();
            for operation in self.leaving[process.index()][source].clone() {
                let Operation { target, terms, inputs, .. } = self.operations[operation].clone();
                let others = (0..from.locations.len()).filter(|&at| at != process.index());
                let moves = target.index() == to.locations[process.index()].index();
                if !moves || !inputs.is_empty() || !others.into_iter().all(|at| from.locations[at] == to.locations[at])
                {
                    continue;
                }
                let mut candidates = vec![terms.enabled];
                for at in 0..self.predicates.len() {
                    candidates.push(self.program.after(&terms, self.predicates[at].expr));
                }
                for candidate in candidates {
                    let known = found.contains(&candidate) || self.predicates.iter().any(|one| one.expr == candidate);
                    if !known && self.label(from, candidate, None)? == Kleene::Unknown {
                        found.push(candidate);
                    }
                }
            }
        }
        Ok(found)
    }

    /// When each operation leads from one abstract state into another; and whether one of them chooses values.
    fn ways_into(&mut self, from: &AbstractState, to: &AbstractState) -> (Vec<TermId>, bool) {
        let map = self.concrete(&from.locations, &from.kept);
        let (mut ways, mut chooses) = (Vec::new(), false);
        for process in self.program.process_ids() {
            let others = |at: &usize| *at != process.index();
            if !(0..from.locations.len()).filter(others).all(|at| from.locations[at] == to.locations[at]) {
                continue;
            }
            let source = from.locations[process.index()].index();
            for operation in self.leaving[process.index()][source].clone() {
                if self.operations[operation].target != to.locations[process.index()] {
                    continue;
                }
                chooses |= !self.operations[operation].inputs.is_empty();
                let mut parts = vec![self.operations[operation].relation];
                for at in 0..self.predicate_terms.len() {
                    let after = self.after(operation, self.predicate_terms[at]);
                    match to.cube[at] {
                        Kleene::True => parts.push(after),
                        Kleene::False => parts.push(self.terms.not(after)),
                        Kleene::Unknown => {}
                    }
                }
                for (at, &value) in to.kept.iter().enumerate() {
                    let after = self.after(operation, self.kept[at].symbol);
                    parts.push(self.has_value(after, value));
                }
                let way = self.terms.all(&parts);
                ways.push(self.terms.substitute(way, &map));
            }
        }
        (ways, chooses)
    }

    fn has_value(&mut self, term: TermId, value: i128) -> TermId {
        match self.terms.sort(term) {
            Sort::Bool if value != 0 => term,
            Sort::Bool => self.terms.not(term),
            _ => {
                let value = self.terms.int(value);
                self.terms.eq(term, value)
            }
        }
    }

    fn sample_where(&mut self, state: &AbstractState, parts: &[TermId]) -> Result<Option<Sample>, Stopped> {
        if state.stopped {
            return Ok(None);
        }
        let mut parts = parts.to_vec();
        for (at, &value) in state.kept.iter().enumerate() {
            let symbol = self.kept[at].symbol;
            parts.push(self.has_value(symbol, value));
        }
        parts.extend(self.view(state).literals);
        let mut cells: Vec<(VarId, Vec<TermId>)> = Vec::new();
        for var in self.program.variable_ids() {
            let each = match self.translator.cells(var) {
                Cells::Each(each) => each.clone(),
                Cells::Array(array) => {
                    let (array, count) = (*array, self.program.variable(var).cells());
                    let select = |at: usize| {
                        let at = self.terms.int(at as i128);
                        self.terms.select(array, at)
                    };
                    (0..count).map(select).collect()
                }
            };
            cells.push((var, each));
        }
        let all: Vec<TermId> = cells.iter().flat_map(|(_, each)| each).copied().collect();
        let (reply, values) = self.queries.model(&mut self.terms, Purpose::Other, &parts, &all)?;
        let (Reply::Sat, Some(values)) = (reply, values) else { return Ok(None) };
        let mut values = values.into_iter().map(|value| match value {
            Value::Bool(value) => Some(i64::from(value)),
            Value::Int(value) => i64::try_from(value).ok(),
            Value::Array(..) => None,
        });
        let cell = |(var, each): &(VarId, Vec<TermId>)| {
            let found: Option<Vec<i64>> = each.iter().map(|_| values.next().flatten()).collect();
            found.map(|found| (*var, found))
        };
        Ok(cells.iter().map(cell).collect())
    }
}

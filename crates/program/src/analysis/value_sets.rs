//! Value sets: which values can a variable have while the process that alone writes it is at some location?
//!
//! Constant propagation (Kildall 1973) with small sets of values instead of single ones.
//! Integers of many bits make large diagrams where they are multiplied, divided or compared, although most of them have few values
//! at each place. What a process's own assignments give them is followed from place to place, as sets of values; where there are too many, or
//! another variable comes in, anything is possible. All states that can be reached are covered.

use std::collections::{BTreeMap, BTreeSet};

use super::partial_evaluation::{NoStaticValue, StaticValue, evaluate};
use crate::expr::{Binary, Expr, ExprId, Place};
use crate::graph::{Action, Assign, LocationId, ProcessId, Program, Step};
use crate::types::{InitialValue, VarId};

/// Variables with more values at one place may have any.
const MOST_VALUES: usize = 16;
/// Expressions over more combinations of values may have any.
const MOST_COMBINATIONS: usize = 256;

/// The values of variables at a place; whatever is not listed may be anything.
pub type ValueSetMap = BTreeMap<VarId, BTreeSet<i64>>;

/// The value sets at every location.
#[derive(Clone, Debug, Default)]
pub struct ValueSets {
    /// By process and location; nothing where nobody comes to.
    at: Vec<Vec<Option<ValueSetMap>>>,
}

impl ValueSets {
    /// Follows every process of a program in which each has one instance.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let at = program.process_ids().map(|process| ValueAnalysis::new(program, process).places()).collect();
        Self { at }
    }

    /// The values of a variable at a place: nothing if nobody comes there, any if none are listed.
    #[must_use]
    pub fn at(&self, process: ProcessId, at: LocationId) -> Option<&ValueSetMap> {
        self.at[process.index()][at.index()].as_ref()
    }

    /// The smallest and the largest value of a variable; none if it may have any.
    #[must_use]
    pub fn bounds(&self, var: VarId) -> Option<(i64, i64)> {
        let places = |places: &Vec<Option<ValueSetMap>>| {
            let mut all = BTreeSet::new();
            for known in places.iter().flatten() {
                all.extend(known.get(&var)?);
            }
            Some((*all.first()?, *all.last()?))
        };
        self.at.iter().find_map(places)
    }
}

struct ValueAnalysis<'p> {
    program: &'p Program,
    process: ProcessId,
    /// The variables that only this process writes.
    own: BTreeSet<VarId>,
}

impl<'p> ValueAnalysis<'p> {
    fn new(program: &'p Program, process: ProcessId) -> Self {
        let (mut own, mut others): (BTreeSet<VarId>, BTreeSet<VarId>) = (BTreeSet::new(), BTreeSet::new());
        others.extend(program.last);
        for step in &program.steps {
            if step.process == process { &mut own } else { &mut others }.extend(step.written());
        }
        own.retain(|var| !others.contains(var) && first(program, *var).is_some());
        Self { program, process, own }
    }

    /// What is known at every place.
    fn places(&self) -> Vec<Option<ValueSetMap>> {
        let process = self.program.process(self.process);
        let mut places: Vec<Option<ValueSetMap>> = vec![None; process.locations.len()];
        let begin = |&var: &VarId| Some((var, BTreeSet::from([first(self.program, var)?])));
        places[process.entry.index()] = Some(self.own.iter().filter_map(begin).collect());
        let mut changed = true;
        while changed {
            changed = false;
            for step in &self.program.steps {
                for (target, known) in self.taken(step, &places) {
                    changed |= join(&mut places[target.index()], known);
                }
            }
        }
        places
    }

    /// Where a step leads this process, and what is known then.
    fn taken(&self, step: &Step, places: &[Option<ValueSetMap>]) -> Vec<(LocationId, ValueSetMap)> {
        let moved = match &step.action {
            Action::Together { moves, .. } => moves.iter().find(|(process, _)| *process == self.process),
            _ => None,
        };
        if step.process == self.process {
            let before = places[step.source.index()].as_ref();
            return before
                .and_then(|known| self.after(step, known))
                .map(|known| (step.target, known))
                .into_iter()
                .collect();
        }
        let Some(&(_, target)) = moved else { return Vec::new() };
        let from = self.place_in(step.guard);
        let from = places.iter().enumerate().filter(|&(at, _)| from.is_none_or(|from| from.index() == at));
        from.filter_map(|(_, known)| known.clone()).map(|known| (target, known)).collect()
    }

    /// The place at which a condition needs this process to be.
    fn place_in(&self, condition: ExprId) -> Option<LocationId> {
        let mut open = vec![condition];
        while let Some(id) = open.pop() {
            match self.program.exprs.get(id) {
                Expr::Binary(Binary::And, a, b) => open.extend([a, b]),
                Expr::At(process, at) if process == self.process => return Some(at),
                _ => {}
            }
        }
        None
    }

    /// What is known after a step of this process; nothing if it cannot be taken.
    fn after(&self, step: &Step, before: &ValueSetMap) -> Option<ValueSetMap> {
        let before = self.narrowed(step.guard, before)?;
        let mut after = before.clone();
        let (Action::Assign(assigns) | Action::Together { assigns, .. }) = &step.action else {
            step.written().iter().for_each(|var| {
                after.remove(var);
            });
            return Some(after);
        };
        for Assign { place, value } in assigns {
            let var = place.variable();
            let values = if *place == Place::Var(var) { self.values(*value, &before) } else { None };
            let ty = self.program.variable(var).ty;
            match values {
                Some(values) if self.own.contains(&var) => {
                    // What does not fit goes wrong.
                    after.insert(var, values.into_iter().filter(|&value| self.program.admits(ty, value)).collect());
                }
                _ => {
                    after.remove(&var);
                }
            }
        }
        after.values().all(|values| !values.is_empty()).then_some(after)
    }

    /// The values of an expression; none if it may have any.
    fn values(&self, expr: ExprId, known: &ValueSetMap) -> Option<BTreeSet<i64>> {
        let mut found = BTreeSet::new();
        for row in self.rows(expr, known)? {
            match self.value(expr, &row) {
                Ok(value) => {
                    found.insert(value);
                }
                Err(NoStaticValue::Undefined) => {}
                Err(NoStaticValue::Dynamic) => return None,
            }
        }
        (found.len() <= MOST_VALUES).then_some(found)
    }

    /// The value of an expression where these variables have these values.
    fn value(&self, expr: ExprId, row: &BTreeMap<VarId, i64>) -> StaticValue {
        evaluate(&self.program.exprs, expr, &|leaf, _| {
            if let Expr::Var(var) = leaf { row.get(&var).copied() } else { None }
        })
    }

    /// What is known where a condition may hold; nothing if it cannot.
    fn narrowed(&self, guard: ExprId, known: &ValueSetMap) -> Option<ValueSetMap> {
        let Some(rows) = self.rows(guard, known) else { return Some(known.clone()) };
        let may = |row: &BTreeMap<VarId, i64>| match self.value(guard, row) {
            Ok(value) => value != 0,
            Err(reason) => reason == NoStaticValue::Dynamic,
        };
        let rows: Vec<BTreeMap<VarId, i64>> = rows.into_iter().filter(may).collect();
        if rows.is_empty() {
            return None;
        }
        let mut narrowed = known.clone();
        for &var in rows[0].keys() {
            narrowed.insert(var, rows.iter().map(|row| row[&var]).collect());
        }
        Some(narrowed)
    }

    /// All combinations of the known values that an expression reads; none if there are too many.
    fn rows(&self, expr: ExprId, known: &ValueSetMap) -> Option<Vec<BTreeMap<VarId, i64>>> {
        let mut rows = vec![BTreeMap::new()];
        let read = |id: ExprId| match self.program.exprs.get(id) {
            Expr::Var(var) => Some(var),
            _ => None,
        };
        let read: BTreeSet<VarId> = self.program.exprs.reachable(&[expr]).into_iter().filter_map(read).collect();
        for (&var, values) in known.iter().filter(|(var, _)| read.contains(var)) {
            if rows.len() * values.len() > MOST_COMBINATIONS {
                return None;
            }
            let with = |row: &BTreeMap<VarId, i64>, value: i64| {
                let mut row = row.clone();
                row.insert(var, value);
                row
            };
            rows = rows.iter().flat_map(|row| values.iter().map(move |&value| with(row, value))).collect();
        }
        Some(rows)
    }
}

/// What a plain variable begins with, if that is known.
fn first(program: &Program, var: VarId) -> Option<i64> {
    let variable = program.variable(var);
    let value = match &variable.initial {
        InitialValue::Same(value) => program.stored(variable.ty, *value),
        InitialValue::Each(values) => *values.first()?,
        _ => return None,
    };
    variable.dimensions.is_empty().then_some(value)
}

/// Adds what is known on another way to a place; says whether that is news.
fn join(place: &mut Option<ValueSetMap>, known: ValueSetMap) -> bool {
    let Some(before) = place else {
        *place = Some(known);
        return true;
    };
    let mut joined = ValueSetMap::new();
    for (var, values) in before.iter() {
        if let Some(more) = known.get(var) {
            let all: BTreeSet<i64> = values.union(more).copied().collect();
            if all.len() <= MOST_VALUES {
                joined.insert(*var, all);
            }
        }
    }
    let news = joined != *before;
    *before = joined;
    news
}

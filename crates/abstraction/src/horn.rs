//! Which inductive invariant excludes what is bad? A program as Horn clauses, solved by another engine.
//!
//! One relation over all cells for each location of a program with one process; otherwise one relation over locations and cells. Steps are clauses, and so are the start and what must not be (Bjørner, Gurfinkel, McMillan and Rybalchenko 2015).
//! The solution is only ever a source of predicates: an abstraction over its atoms has an abstract invariant that is as strong, if the solution is one.

use std::collections::{HashMap, HashSet};

use tertium_base::Budget;
use tertium_program::{LocationId, ProcessId};
use tertium_smt::horn::{FEW_LEVELS, HornClause, HornClauses, HornReply, Relation};
use tertium_smt::{Limit, Sort, Term, TermId};

use crate::system::System;
use crate::translate::Cells;

/// Programs with more cells and processes are not asked about.
const MOST_ARGUMENTS: usize = 40;
/// Nor are those with more operations.
const MOST_OPERATIONS: usize = 400;

/// Nor are those that divide by more than this: types that wrap do.
const MOST_DIVISOR: i128 = 100;

/// Nor are several processes with more operations than this: they all are about one relation.
const MOST_SHARED_OPERATIONS: usize = 60;

/// An unrolling has at most this many steps, whatever the program.
const MOST_LEVELS: u32 = 16;

/// What must not be: where, if that is said, and what.
pub type BadTerm = (Option<(ProcessId, LocationId)>, TermId);

impl System {
    /// Invariants that together exclude what is bad, by another engine, within a limit; empty if that finds none.
    pub fn horn_invariants(&mut self, bad: &[BadTerm], limit: Limit, budget: &Budget) -> Vec<TermId> {
        // The engine cannot be interrupted by counting: it is asked where it is known to end soon, and where others have more to do than to look at all values.
        if !self.has_unbounded_cell()
            || self.program.processes.len() > 1 && self.operations.len() > MOST_SHARED_OPERATIONS
        {
            return Vec::new();
        }
        // A way through a loop takes as many levels as it has locations.
        let levels = match self.program.processes.as_slice() {
            [only] => u32::try_from(2 * only.locations.len()).unwrap_or(MOST_LEVELS).clamp(FEW_LEVELS, MOST_LEVELS),
            _ => FEW_LEVELS,
        };
        match self.horn_reply(bad, limit, Some(levels), budget) {
            HornReply::Solved(found) => found.into_iter().flatten().collect(),
            _ => Vec::new(),
        }
    }

    /// Whether some integer has no bounds by its type.
    fn has_unbounded_cell(&mut self) -> bool {
        let Some(cells) = self.plain_cells() else { return false };
        let is_unbounded = |&cell: &TermId| {
            let (low, high) = self.terms.bounds(cell);
            self.terms.sort(cell) == Sort::Int && (low.is_none() || high.is_none())
        };
        cells.iter().any(is_unbounded)
    }

    /// What another engine says about what is bad, within a limit and so many levels. For comparison: no answer rests on it.
    pub fn horn_reply(&mut self, bad: &[BadTerm], limit: Limit, levels: Option<u32>, budget: &Budget) -> HornReply {
        let Some(clauses) = self.horn_clauses(bad) else { return HornReply::GaveUp };
        clauses.solve(&mut self.terms, limit, levels, budget).unwrap_or(HornReply::GaveUp)
    }

    fn horn_clauses(&mut self, bad: &[BadTerm]) -> Option<HornClauses> {
        let single = self.program.processes.len() == 1;
        let processes: Vec<ProcessId> = self.program.process_ids().collect();
        let counters: Vec<TermId> = processes.iter().map(|&process| self.translator.counter(process)).collect();
        let cells = self.plain_cells()?;
        let arguments: Vec<TermId> =
            if single { cells.clone() } else { counters.iter().chain(&cells).copied().collect() };
        if arguments.len() > MOST_ARGUMENTS || self.operations.len() > MOST_OPERATIONS {
            return None;
        }
        let places = if single { self.program.processes[0].locations.len() } else { 1 };
        let relations = vec![Relation { arguments: arguments.clone() }; places];
        let mut clauses = HornClauses { relations, clauses: Vec::new() };
        clauses.clauses.push(self.horn_start(single, &cells));
        for operation in self.operations.ids() {
            let after: Vec<TermId> = arguments.iter().map(|&symbol| self.after(operation, symbol)).collect();
            let taken = self.operations[operation].relation;
            let sources: Vec<(ProcessId, LocationId)> = self.operations[operation].sources().collect();
            let (from, to) = match single {
                true => (self.operations[operation].source.index(), self.operations[operation].target.index()),
                false => (0, 0),
            };
            let condition = self.horn_condition(single, &sources, taken);
            let after = after.into_iter().map(|term| self.horn_term(single, &sources, term)).collect();
            clauses.clauses.push(HornClause { from: Some(from), condition, to: Some((to, after)) });
        }
        for &(place, term) in bad {
            let from = match (single, place) {
                (false, _) => vec![(0, place.into_iter().collect())],
                (true, Some((_, at))) => vec![(at.index(), vec![(processes[0], at)])],
                (true, None) => (0..places).map(|at| (at, vec![(processes[0], LocationId::new(at))])).collect(),
            };
            for (from, sources) in from {
                let condition = self.horn_condition(single, &sources, term);
                if self.terms.as_bool(condition) != Some(false) {
                    clauses.clauses.push(HornClause { from: Some(from), condition, to: None });
                }
            }
        }
        self.is_linear(&clauses).then_some(clauses)
    }

    /// Whether the engine's limits hold: outside of linear arithmetic it may go on long after them.
    fn is_linear(&self, clauses: &HornClauses) -> bool {
        let of = |clause: &HornClause| {
            let arguments = clause.to.iter().flat_map(|(_, arguments)| arguments.iter().copied());
            arguments.chain([clause.condition]).collect::<Vec<TermId>>()
        };
        let mut open: Vec<TermId> = clauses.clauses.iter().flat_map(of).collect();
        let mut seen: HashSet<TermId> = HashSet::new();
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            let is_small = |by: TermId| matches!(self.terms.get(by), Term::Int(value) if value.abs() <= MOST_DIVISOR);
            match self.terms.get(term) {
                Term::Mul(..) | Term::Bits(..) | Term::Forall(..) => return false,
                Term::Div(_, by) | Term::Mod(_, by) if !is_small(by) => return false,
                _ => {}
            }
            open.extend(self.terms.children(term));
        }
        true
    }

    /// All cells, if each has a symbol of its own that is a number or a truth value.
    fn plain_cells(&mut self) -> Option<Vec<TermId>> {
        let mut cells = Vec::new();
        for var in self.program.variable_ids() {
            let Cells::Each(each) = self.translator.cells(var) else { return None };
            for &cell in each {
                match self.terms.get(cell) {
                    Term::Symbol(_) if matches!(self.terms.sort(cell), Sort::Int | Sort::Bool) => cells.push(cell),
                    Term::Int(_) | Term::Bool(_) => {}
                    _ => return None,
                }
            }
        }
        Some(cells)
    }

    fn horn_start(&mut self, single: bool, cells: &[TermId]) -> HornClause {
        let entries: Vec<LocationId> = self.program.processes.iter().map(|process| process.entry).collect();
        let condition = self.terms.all(&self.initial.clone());
        let mut arguments = Vec::new();
        if !single {
            arguments.extend(entries.iter().map(|entry| self.terms.int(i128::from(entry.number()))));
        }
        arguments.extend(cells);
        let to = if single { entries[0].index() } else { 0 };
        HornClause { from: None, condition, to: Some((to, arguments)) }
    }

    /// A condition at these locations: with their numbers put in, or beside it.
    fn horn_condition(&mut self, single: bool, at: &[(ProcessId, LocationId)], term: TermId) -> TermId {
        if single {
            return self.horn_term(single, at, term);
        }
        let mut parts = vec![term];
        for &(process, location) in at {
            let (counter, here) = (self.translator.counter(process), self.terms.int(i128::from(location.number())));
            parts.push(self.terms.eq(counter, here));
        }
        self.terms.all(&parts)
    }

    fn horn_term(&mut self, single: bool, at: &[(ProcessId, LocationId)], term: TermId) -> TermId {
        if !single {
            return term;
        }
        let mut map = HashMap::new();
        for &(process, location) in at {
            map.insert(self.translator.counter(process), self.terms.int(i128::from(location.number())));
        }
        self.terms.substitute(term, &map)
    }
}

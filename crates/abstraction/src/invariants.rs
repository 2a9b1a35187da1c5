//! What is known of every variable before any question is asked?
//!
//! Intervals ([`Intervals`]) in a reduced product with linear forms (Cousot and Cousot 1979): the terms of assigned values are
//! simplified, so that `x + y - x` is `y`. What is found holds in every reachable state, so it is part of every question.
//!
//! Beside these, what holds wherever a process is at a location ([`LocationInvariants`], of array cells [`CellInvariants`]): it is part of every question about a state
//! in which it is there.

use tertium_program::analysis::intervals::{Interval, Intervals, PartnerDomain, stored};
use tertium_program::analysis::{CellInvariants, LocationInvariants};
use tertium_program::{ExprId, InitialValue, LocationId, ProcessId, Program, VarId};
use tertium_smt::{Bounds, Sort, TermId, Terms};

use crate::system::System;
use crate::translate::Translator;

/// For every variable, smallest and largest value of its cells in reachable states.
#[must_use]
pub fn intervals(program: &Program) -> Vec<Bounds> {
    let found = Intervals::of(program).refined(program, &mut LinearForms::default());
    let of = |var: VarId| found.variable(var).unwrap_or_else(|| declared(program, var));
    program.variable_ids().map(of).map(|value| (value.lo, value.hi)).collect()
}

/// The same, where that leaves a variable without bounds with what holds at locations, too.
#[must_use]
pub fn reachable_bounds(program: &Program) -> Vec<Bounds> {
    let mut found = intervals(program);
    let unbounded = |(lo, hi): &Bounds| lo.is_none() || hi.is_none();
    if found.iter().any(unbounded) {
        let known = LocationInvariants::of(program);
        for (var, bounds) in program.variable_ids().zip(&mut found).filter(|(_, bounds)| unbounded(bounds)) {
            let here = Interval { lo: bounds.0, hi: bounds.1 };
            let both = here.meet(known.bounds(program, var)).unwrap_or(here);
            *bounds = (both.lo, both.hi);
        }
    }
    found
}

/// What holds wherever a process is at a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocationInvariant {
    /// Who.
    pub process: ProcessId,
    /// Where.
    pub location: LocationId,
    /// The condition; none if no run gets there.
    pub condition: Option<ExprId>,
}

impl System {
    /// Finds what holds at locations, as far as bounds of variables do not say so anyway.
    pub(crate) fn add_location_invariants(&mut self) {
        let found = LocationInvariants::of(&self.program);
        let cells = CellInvariants::of(&self.program);
        for process in self.program.process_ids() {
            for location in (0..self.program.process(process).locations.len()).map(LocationId::new) {
                let Some(constraints) = found.at(process, location) else {
                    self.location_invariants.push(LocationInvariant { process, location, condition: None });
                    continue;
                };
                let linear: Vec<ExprId> = constraints.iter().filter_map(|one| one.expr(&mut self.program)).collect();
                let of_cells: Vec<ExprId> =
                    cells.at(process, location).iter().map(|one| one.expr(&mut self.program)).collect();
                for condition in linear {
                    self.add_location_invariant((process, location), condition);
                }
                for condition in of_cells {
                    let term = self.add_location_invariant((process, location), condition);
                    self.cell_facts.entry((process, location)).or_default().extend(term);
                }
            }
        }
    }

    /// Its term, if it says something.
    fn add_location_invariant(
        &mut self,
        (process, location): (ProcessId, LocationId),
        condition: ExprId,
    ) -> Option<TermId> {
        let term = self.observed(condition, true).ok().filter(|&term| self.terms.as_bool(term).is_none())?;
        self.location_facts.entry((process, location)).or_default().push(term);
        self.location_invariants.push(LocationInvariant { process, location, condition: Some(condition) });
        Some(term)
    }

    /// What holds wherever processes are at locations, beyond the bounds of variables.
    #[must_use]
    pub fn location_invariants(&self) -> &[LocationInvariant] {
        &self.location_invariants
    }

    /// Whether something is known of cells at locations of a process.
    pub(crate) fn has_cell_facts(&self, process: ProcessId) -> bool {
        self.cell_facts.iter().any(|(&(known, _), facts)| known == process && !facts.is_empty())
    }

    /// What is known of cells where a process is at a location.
    pub(crate) fn cell_facts(&self, process: ProcessId, location: LocationId) -> Vec<TermId> {
        self.cell_facts.get(&(process, location)).cloned().unwrap_or_default()
    }

    /// The same as terms, for a process at a location.
    pub(crate) fn location_facts(&self, process: ProcessId, location: LocationId) -> Vec<TermId> {
        self.location_facts.get(&(process, location)).cloned().unwrap_or_default()
    }
}

/// What a variable of a process that never starts would begin with.
fn declared(program: &Program, var: VarId) -> Interval {
    let variable = program.variable(var);
    let of_type = Interval::of_type(program, variable.ty);
    let values = match &variable.initial {
        InitialValue::Same(value) => std::slice::from_ref(value),
        InitialValue::Each(values) => values,
        _ => return of_type,
    };
    let values = values.iter().map(|&value| stored(program, variable.ty, Interval::exactly(value)));
    values.reduce(Interval::join).unwrap_or(of_type)
}

/// Terms of one round's expressions, which keep linear forms simple and know their bounds.
#[derive(Default)]
struct LinearForms {
    terms: Terms,
    translator: Option<Translator>,
}

impl PartnerDomain for LinearForms {
    fn begin_round(&mut self, program: &Program, variables: &[Interval]) {
        let bounds: Vec<Bounds> = variables.iter().map(|value| (value.lo, value.hi)).collect();
        self.terms = Terms::new();
        self.translator = Some(Translator::new(program, &bounds, &mut self.terms));
    }

    fn bounds(&mut self, program: &Program, value: ExprId) -> Interval {
        let term = self.translator.as_mut().and_then(|known| known.term(program, value, &mut self.terms).ok());
        match term {
            Some(term) if self.terms.sort(term) == Sort::Int => {
                let (lo, hi) = self.terms.bounds(term);
                Interval { lo, hi }
            }
            _ => Interval::ALL,
        }
    }
}

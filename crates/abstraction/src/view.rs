//! What is known in one abstract state, and what does that make of a term?
//!
//! Locations and kept values are put in, predicates are replaced by their values, and comparisons of the same linear form are
//! decided by one another. Much is settled here, without a question to the solver.

use std::collections::{BTreeSet, HashMap};

use tertium_base::Stopped;
use tertium_lattice::Kleene;
use tertium_program::LocationId;
use tertium_smt::{Bounds, Purpose, Reply, Sort, Term, TermId};

use crate::state::AbstractState;
use crate::system::System;

/// One abstract state as facts.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Symbols of locations and kept cells with their values.
    concrete: HashMap<TermId, TermId>,
    /// What the predicates say.
    pub literals: Vec<TermId>,
    /// Predicates, without sign, with their values.
    known: HashMap<TermId, bool>,
    /// Bounds of linear forms that follow.
    forms: HashMap<TermId, Bounds>,
}

/// Initial values are large from here on.
const FAR: i128 = 10;

impl System {
    /// The facts of a state.
    pub(crate) fn view(&mut self, state: &AbstractState) -> View {
        let concrete = self.concrete(&state.locations, &state.kept);
        let mut view = self.facts(concrete, &state.cube);
        for (process, &at) in self.program.process_ids().zip(&state.locations) {
            let facts = self.location_facts(process, at);
            self.note_all(facts, &mut view);
        }
        view
    }

    /// Adds what holds, where symbols have known values.
    pub(crate) fn note_all(&mut self, facts: Vec<TermId>, view: &mut View) {
        for fact in facts {
            let fact = self.terms.substitute(fact, &view.concrete);
            if self.terms.as_bool(fact).is_none() {
                self.note(fact, view);
            }
        }
    }

    /// What symbols with known values and predicates say.
    pub(crate) fn facts(&mut self, concrete: HashMap<TermId, TermId>, cube: &[Kleene]) -> View {
        let mut view = View { concrete, ..View::default() };
        for (at, &value) in cube.iter().enumerate() {
            let holds = match value {
                Kleene::Unknown => continue,
                Kleene::True => true,
                Kleene::False => false,
            };
            let predicate = self.terms.substitute(self.predicate_terms[at], &view.concrete);
            let literal = if holds { predicate } else { self.terms.not(predicate) };
            if self.terms.as_bool(literal).is_none() {
                self.note(literal, &mut view);
            }
        }
        view
    }

    /// The same facts and more.
    pub(crate) fn note(&mut self, literal: TermId, view: &mut View) {
        view.literals.push(literal);
        let (term, value) = match self.terms.get(literal) {
            Term::Not(inner) => (inner, false),
            _ => (literal, true),
        };
        view.known.insert(term, value);
        let (form, bounds) = match (self.terms.get(term), value) {
            (Term::AtMost(form, most), true) => (form, (None, Some(most))),
            (Term::AtMost(form, most), false) => (form, (most.checked_add(1), None)),
            (Term::Equals(form, exactly), true) => (form, (Some(exactly), Some(exactly))),
            _ => return,
        };
        let own = self.terms.bounds(form);
        let known = view.forms.entry(form).or_insert(own);
        known.0 = known.0.max(bounds.0);
        known.1 = match (known.1, bounds.1) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    pub(crate) fn concrete(&mut self, locations: &[LocationId], kept: &[i128]) -> HashMap<TermId, TermId> {
        let mut map = HashMap::new();
        for (process, &location) in self.program.process_ids().zip(locations) {
            map.insert(self.translator.counter(process), self.terms.int(i128::from(location.number())));
        }
        for (cell, &value) in self.kept.iter().zip(kept) {
            let value = match self.terms.sort(cell.symbol) {
                Sort::Bool => self.terms.bool(value != 0),
                _ => self.terms.int(value),
            };
            map.insert(cell.symbol, value);
        }
        map
    }

    /// A term in a state, as far as its facts decide it.
    pub(crate) fn simplify(&mut self, view: &View, term: TermId) -> TermId {
        let term = self.terms.substitute(term, &view.concrete);
        if self.terms.as_bool(term).is_some() || self.terms.sort(term) != Sort::Bool {
            return term;
        }
        let mut map = HashMap::new();
        for id in self.terms.reachable(&[term]) {
            if let Some(value) = self.decided(view, id) {
                map.insert(id, self.terms.bool(value));
            }
        }
        self.terms.substitute(term, &map)
    }

    /// A term where these facts hold, as far as they decide it by their form.
    pub fn under(&mut self, facts: &[TermId], term: TermId) -> TermId {
        let mut view = View::default();
        for &fact in facts {
            let parts = match self.terms.get(fact) {
                Term::And(list) => self.terms.list(list).to_vec(),
                _ => vec![fact],
            };
            parts.into_iter().for_each(|part| self.note(part, &mut view));
        }
        let mut map = HashMap::new();
        for id in self.terms.reachable(&[term]) {
            if let Some(value) = self.decided(&view, id) {
                map.insert(id, self.terms.bool(value));
            }
        }
        self.terms.substitute(term, &map)
    }

    fn decided(&self, view: &View, id: TermId) -> Option<bool> {
        if let Some(&value) = view.known.get(&id) {
            return Some(value);
        }
        let (form, exactly, value) = match self.terms.get(id) {
            Term::AtMost(form, most) => (form, false, most),
            Term::Equals(form, value) => (form, true, value),
            _ => return None,
        };
        let &(lo, hi) = view.forms.get(&form)?;
        let above = lo.is_some_and(|lo| lo > value);
        if above || (exactly && hi.is_some_and(|hi| hi < value)) {
            return Some(false);
        }
        let met = if exactly { lo == Some(value) && hi == Some(value) } else { hi.is_some_and(|hi| hi <= value) };
        met.then_some(true)
    }

    /// The facts that can matter for these terms: those that share symbols with them, and so on.
    pub(crate) fn relevant(&mut self, view: &View, terms: &[TermId]) -> Vec<TermId> {
        let mut reached: BTreeSet<u64> = BTreeSet::new();
        for &term in terms {
            reached.extend(self.support(term).iter());
        }
        let mut rest = view.literals.clone();
        let mut chosen = Vec::new();
        loop {
            let before = chosen.len();
            let mut others = Vec::new();
            for literal in rest {
                let support = self.support(literal);
                if support.is_disjoint(&reached) {
                    others.push(literal);
                } else {
                    reached.extend(support.iter());
                    chosen.push(literal);
                }
            }
            rest = others;
            if chosen.len() == before {
                return chosen;
            }
        }
    }

    /// Whether all `parts` can hold together with the facts.
    pub(crate) fn possible(&mut self, view: &View, purpose: Purpose, parts: &[TermId]) -> Result<Reply, Stopped> {
        if let Some(reply) = self.obvious(parts) {
            return Ok(reply);
        }
        let mut question = self.relevant(view, parts);
        question.extend_from_slice(parts);
        self.queries.satisfiable(&mut self.terms, purpose, &question)
    }

    /// The reply to a question without a question: constants only.
    fn obvious(&self, parts: &[TermId]) -> Option<Reply> {
        let mut open = false;
        for &part in parts {
            match self.terms.as_bool(part) {
                Some(false) => return Some(Reply::Unsat),
                Some(true) => {}
                None => open = true,
            }
        }
        // The facts themselves have a model: only states that stand for something are looked at.
        (!open).then_some(Reply::Sat)
    }
}

impl System {
    /// Values of all cells in some initial program state that an abstract state stands for; `None` if the solver finds
    /// none.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn initial_sample(&mut self, state: &AbstractState) -> Result<Option<Vec<Vec<i64>>>, Stopped> {
        self.initial_sample_with(state, &[])
    }

    /// Several program states that may be among those where an abstract one begins: one as the solver likes, and those where what has no bounds is large, or very small, first all of it and then one cell after the other; at most so many.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn initial_samples(&mut self, state: &AbstractState, most: usize) -> Result<Vec<Vec<Vec<i64>>>, Stopped> {
        let mut found: Vec<Vec<Vec<i64>>> = self.initial_sample(state)?.into_iter().collect();
        let cells = self.cell_terms();
        let any = |variable: &tertium_program::Variable| variable.initial == tertium_program::InitialValue::Any;
        let open = self.program.variables.iter().zip(&cells).filter(|(variable, _)| any(variable));
        let open = open
            .flat_map(|(_, cells)| cells)
            .copied()
            .filter(|&cell| self.terms.sort(cell) == tertium_smt::Sort::Int && self.terms.bounds(cell) == (None, None));
        let open: Vec<TermId> = open.collect();
        let groups: Vec<Vec<TermId>> =
            std::iter::once(open.clone()).chain(open.iter().map(|&cell| vec![cell])).collect();
        for cells in groups {
            for large in [true, false] {
                if found.is_empty() || found.len() >= most {
                    return Ok(found);
                }
                let far = |system: &mut Self, cell: TermId| {
                    let bound = system.terms.int(if large { FAR } else { -FAR });
                    if large { system.terms.le(bound, cell) } else { system.terms.le(cell, bound) }
                };
                let extra: Vec<TermId> = cells.iter().map(|&cell| far(self, cell)).collect();
                let sample = self.initial_sample_with(state, &extra)?;
                found.extend(sample.filter(|sample| !found.contains(sample)));
            }
        }
        Ok(found)
    }

    fn initial_sample_with(
        &mut self,
        state: &AbstractState,
        extra: &[TermId],
    ) -> Result<Option<Vec<Vec<i64>>>, Stopped> {
        let map = self.concrete(&state.locations, &state.kept);
        let mut parts = self.initial.clone();
        parts.extend_from_slice(extra);
        parts.extend(self.kept_conditions(&state.kept));
        for (at, &value) in state.cube.iter().enumerate() {
            let term = self.terms.substitute(self.predicate_terms[at], &map);
            match value {
                Kleene::True => parts.push(term),
                Kleene::False => parts.push(self.terms.not(term)),
                Kleene::Unknown => {}
            }
        }
        let cells = self.cell_terms();
        let all: Vec<TermId> = cells.iter().flatten().copied().collect();
        let (reply, values) = self.queries.model(&mut self.terms, Purpose::Other, &parts, &all)?;
        let (Reply::Sat, Some(values)) = (reply, values) else { return Ok(None) };
        let mut values = values.into_iter().map(|value| match value {
            tertium_smt::Value::Bool(value) => Some(i64::from(value)),
            tertium_smt::Value::Int(value) => i64::try_from(value).ok(),
            tertium_smt::Value::Array(..) => None,
        });
        Ok(cells.iter().map(|each| each.iter().map(|_| values.next().flatten()).collect()).collect())
    }
}

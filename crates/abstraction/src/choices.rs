//! Is there a choice of inputs? What a term says once its inputs are chosen away.
//!
//! In this order: all values, if they are few; those at which a comparison in the term changes, if they are enough (`input_elimination`); such values where they need not be enough, from below; a
//! quantifier, which the solver may or may not decide.

use std::collections::HashMap;

use tertium_base::Stopped;
use tertium_program::LocationId;
use tertium_smt::{Purpose, Reply, Sort, Term, TermId};

use crate::input_elimination::eliminated;
use crate::system::{Choice, OperationId, System};
use crate::view::View;

/// Inputs with at most this many combinations are tried one by one.
const FEW_CHOICES: i128 = 64;
/// At most this many candidates are tried for one input.
const MOST_CANDIDATES: usize = 24;

/// "For some inputs, the term holds", from below and exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Closed {
    /// Implies it; without quantifiers.
    pub below: TermId,
    /// Says it.
    pub exact: TermId,
}

impl Closed {
    /// Whether no quantifier is needed.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.below == self.exact
    }
}

impl System {
    /// Chooses the inputs of a term away.
    pub(crate) fn close(&mut self, term: TermId, inputs: &[Choice]) -> Closed {
        let support = self.support(term);
        let uses = |symbol: TermId| match self.terms.get(symbol) {
            Term::Symbol(id) => support.contains(&(id.index() as u64)),
            _ => false,
        };
        let used: Vec<Choice> = inputs.iter().copied().filter(|input| uses(input.symbol)).collect();
        if used.is_empty() {
            return Closed { below: term, exact: term };
        }
        if let Some(all) = self.all_choices(term, &used) {
            return Closed { below: all, exact: all };
        }
        if let Some(exact) = eliminated(&mut self.terms, term, &used) {
            return Closed { below: exact, exact };
        }
        let mut below = vec![term];
        for input in &used {
            let tried: Vec<TermId> = below.iter().flat_map(|&part| self.tried(part, *input)).collect();
            below = tried;
            below.truncate(MOST_CANDIDATES * MOST_CANDIDATES);
        }
        let below = self.terms.any(&below);
        let symbols: Vec<TermId> = used.iter().map(|input| input.symbol).collect();
        Closed { below, exact: self.terms.exists(&symbols, term) }
    }

    /// In which program states of these locations inputs can be chosen so that an operation leads to where something holds. Where inputs are only tried, fewer.
    pub fn chosen_precondition(&mut self, operation: OperationId, locations: &[LocationId], end: TermId) -> TermId {
        let before = self.after(operation, end);
        let relation = self.operations[operation].relation;
        let term = self.terms.and(relation, before);
        let places = self.concrete(locations, &[]);
        let term = self.terms.substitute(term, &places);
        let inputs = self.operations[operation].inputs.clone();
        self.close(term, &inputs).below
    }

    /// From which program states of these locations an operation, whatever its inputs, leads only to where something holds: Dijkstra's weakest liberal precondition, without quantifiers. None if inputs cannot be eliminated.
    pub fn weakest_precondition(
        &mut self,
        operation: OperationId,
        locations: &[LocationId],
        end: TermId,
    ) -> Option<TermId> {
        let end = self.after(operation, end);
        let elsewhere = self.terms.not(end);
        let relation = self.operations[operation].relation;
        let term = self.terms.and(relation, elsewhere);
        let escapes = self.without_inputs(operation, locations, term)?;
        Some(self.terms.not(escapes))
    }

    /// In which program states of these locations an operation can go wrong, without its inputs. None if these cannot be eliminated.
    pub fn fault_precondition(&mut self, operation: OperationId, locations: &[LocationId]) -> Option<TermId> {
        let fault = self.fault(operation);
        self.without_inputs(operation, locations, fault)
    }

    fn without_inputs(&mut self, operation: OperationId, locations: &[LocationId], term: TermId) -> Option<TermId> {
        let places = self.concrete(locations, &[]);
        let term = self.terms.substitute(term, &places);
        let inputs = self.operations[operation].inputs.clone();
        let closed = self.close(term, &inputs);
        closed.is_plain().then_some(closed.exact)
    }

    /// The term for each combination of values, if those are few.
    fn all_choices(&mut self, term: TermId, inputs: &[Choice]) -> Option<TermId> {
        let mut parts = vec![term];
        for input in inputs {
            let values: Vec<TermId> = if self.terms.sort(input.symbol) == Sort::Bool {
                vec![self.terms.bool(false), self.terms.bool(true)]
            } else {
                let (lo, hi) = (input.bounds.0?, input.bounds.1?);
                if hi.checked_sub(lo)? >= FEW_CHOICES {
                    return None;
                }
                (lo..=hi).map(|value| self.terms.int(value)).collect()
            };
            if (parts.len() * values.len()) as i128 > FEW_CHOICES {
                return None;
            }
            parts = parts
                .iter()
                .flat_map(|&part| {
                    let with = |&value: &TermId| self.terms.substitute(part, &HashMap::from([(input.symbol, value)]));
                    values.iter().map(with).collect::<Vec<_>>()
                })
                .collect();
        }
        Some(self.terms.any(&parts))
    }

    /// The term with candidates put in for one input.
    fn tried(&mut self, term: TermId, input: Choice) -> Vec<TermId> {
        let mut candidates = if self.terms.sort(input.symbol) == Sort::Bool {
            vec![self.terms.bool(false), self.terms.bool(true)]
        } else {
            self.candidates(term, input.symbol)
        };
        candidates.truncate(MOST_CANDIDATES);
        candidates
            .into_iter()
            .map(|candidate| self.terms.substitute(term, &HashMap::from([(input.symbol, candidate)])))
            .collect()
    }

    /// Where comparisons with the input change, and next to it.
    fn candidates(&mut self, term: TermId, input: TermId) -> Vec<TermId> {
        let mut found = vec![self.terms.int(0)];
        for id in self.terms.reachable(&[term]) {
            let (form, value) = match self.terms.get(id) {
                Term::AtMost(form, value) | Term::Equals(form, value) => (form, value),
                _ => continue,
            };
            let parts = match self.terms.get(form) {
                Term::Sum(sum) => self.terms.sum(sum).parts.clone(),
                _ => vec![(form, 1)],
            };
            let Some(&(_, factor)) = parts.iter().find(|(part, factor)| *part == input && factor.abs() == 1) else {
                continue;
            };
            let rest: Vec<(TermId, i128)> = parts
                .iter()
                .filter(|(part, _)| *part != input)
                .map(|&(part, weight)| (part, -weight * factor))
                .collect();
            for next in [0, 1, -1] {
                let Some(edge) = value.checked_mul(factor).and_then(|edge| edge.checked_add(next)) else { continue };
                let candidate = self.terms.weighted(&rest, edge);
                if !found.contains(&candidate) && !self.terms.reachable(&[candidate]).contains(&input) {
                    found.push(candidate);
                }
            }
        }
        found
    }

    /// Whether in every program state of the view one of these holds. Giving up means no.
    pub(crate) fn surely(&mut self, view: &View, any: &[Closed]) -> Result<bool, Stopped> {
        let below: Vec<TermId> = any.iter().map(|closed| closed.below).collect();
        let below = self.terms.any(&below);
        if self.holds(view, below)? {
            return Ok(true);
        }
        if any.iter().all(|closed| closed.is_plain()) {
            return Ok(false);
        }
        let exact: Vec<TermId> = any.iter().map(|closed| closed.exact).collect();
        let exact = self.terms.any(&exact);
        self.holds(view, exact)
    }

    fn holds(&mut self, view: &View, term: TermId) -> Result<bool, Stopped> {
        let term = self.simplify(view, term);
        let not = self.terms.not(term);
        Ok(self.possible(view, Purpose::Must, &[not])? == Reply::Unsat)
    }
}

//! Local predicates (Henzinger, Jhala, Majumdar and McMillan 2004): at which locations does a predicate matter?
//!
//! With six loops in turn, each over a counter of its own, every combination of what is known of six counters is an abstract state at every location, although each loop looks at one of them. Where predicates
//! are local, a location tells apart only what its loop, or the statements before the next one, read or change before it is overwritten. All else is unknown there, so that an abstract state stands for more
//! program states; what is said of it is as true as before, only less is said.
//!
//! Predicates about nothing but what a property asks for matter everywhere.

use std::collections::BTreeSet;

use tertium_base::graph;
use tertium_program::{ExprId, LocationId};
use tertium_smt::Term;

use crate::system::{OperationId, System};

/// Which symbols matter where.
#[derive(Clone, Debug)]
pub(crate) struct Locality {
    /// By process and location.
    matter: Vec<Vec<BTreeSet<u64>>>,
    /// What the property is about.
    asked: BTreeSet<u64>,
}

impl System {
    /// From now on predicates are local, but for those about what these atoms speak of; whether that makes a difference to one of the present ones.
    pub fn make_predicates_local(&mut self, asked: &[ExprId]) -> bool {
        let mut of_property = self.fixed_symbols();
        for &atom in asked {
            if let Ok(term) = self.observed(atom, true) {
                of_property.extend(self.support(term).iter());
            }
        }
        let processes: Vec<_> = self.program.process_ids().collect();
        let matter = processes.into_iter().map(|process| self.mattering(process.index())).collect();
        self.locality = Some(Locality { matter, asked: of_property });
        self.forget_steps();
        (0..self.predicate_terms.len()).any(|predicate| self.is_dropped_somewhere(predicate))
    }

    /// Whether predicates are local.
    #[must_use]
    pub const fn has_local_predicates(&self) -> bool {
        self.locality.is_some()
    }

    /// Whether abstract states at these locations tell this predicate.
    pub(crate) fn matters(&mut self, predicate: usize, locations: &[LocationId]) -> bool {
        if self.locality.is_none() {
            return true;
        }
        let support = self.support(self.predicate_terms[predicate]);
        let Some(Locality { matter, asked }) = &self.locality else { return true };
        let here = |(process, at): (&Vec<BTreeSet<u64>>, &LocationId)| !process[at.index()].is_disjoint(&support);
        support.is_subset(asked) || matter.iter().zip(locations).any(here)
    }

    fn is_dropped_somewhere(&mut self, predicate: usize) -> bool {
        let support = self.support(self.predicate_terms[predicate]);
        let Some(Locality { matter, asked }) = &self.locality else { return false };
        // Of one process there is a location of its own; with several, each must have one.
        let dropped = |process: &Vec<BTreeSet<u64>>| process.iter().any(|symbols| symbols.is_disjoint(&support));
        !support.is_subset(asked) && matter.iter().all(dropped)
    }

    /// The symbols of locations and kept cells, which every abstract state knows.
    fn fixed_symbols(&self) -> BTreeSet<u64> {
        let counters = self.program.process_ids().map(|process| self.translator.counter(process));
        let symbols = counters.chain(self.kept.iter().map(|kept| kept.symbol));
        let key = |term| match self.terms.get(term) {
            Term::Symbol(symbol) => Some(symbol.index() as u64),
            _ => None,
        };
        symbols.filter_map(key).collect()
    }

    /// The symbols that matter at each location of a process: live ones that its loop mentions, or that are mentioned before the next loop is left.
    fn mattering(&mut self, process: usize) -> Vec<BTreeSet<u64>> {
        let leaving = self.leaving[process].clone();
        let arriving: Vec<Vec<usize>> = leaving
            .iter()
            .map(|operations| operations.iter().map(|&one| self.operations[one].target.index()).collect())
            .collect();
        let mentioned: Vec<BTreeSet<u64>> =
            leaving.iter().map(|operations| operations.iter().flat_map(|&one| self.mentioned(one)).collect()).collect();
        let live = self.live(&leaving, &arriving);
        let loops = graph::components(leaving.len(), |at| arriving[at].iter().copied());
        let members = loops.members();
        let is_loop = |component: usize| {
            let of = &members[component];
            of.len() > 1 || of.iter().any(|at| arriving[*at].contains(at))
        };
        let mut matter: Vec<BTreeSet<u64>> = mentioned.clone();
        for component in (0..members.len()).filter(|&component| is_loop(component)) {
            let all: BTreeSet<u64> = members[component].iter().flat_map(|&at| mentioned[at].iter().copied()).collect();
            members[component].iter().for_each(|&at| matter[at].clone_from(&all));
        }
        // Outside loops, also what matters to what comes next.
        let mut grown = true;
        while std::mem::take(&mut grown) {
            for at in (0..leaving.len()).filter(|&at| !is_loop(loops.of[at] as usize)) {
                let before = matter[at].len();
                let next: Vec<u64> = arriving[at].iter().flat_map(|&next| matter[next].iter().copied()).collect();
                matter[at].extend(next);
                grown |= matter[at].len() > before;
            }
        }
        matter.iter().zip(live).map(|(matter, live)| matter.intersection(&live).copied().collect()).collect()
    }

    /// The symbols that may be read before they are overwritten, by location.
    fn live(&mut self, leaving: &[Vec<OperationId>], arriving: &[Vec<usize>]) -> Vec<BTreeSet<u64>> {
        let mut live: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); leaving.len()];
        let mut grown = true;
        while std::mem::take(&mut grown) {
            for at in (0..leaving.len()).rev() {
                let mut here = BTreeSet::new();
                for (&operation, &next) in leaving[at].iter().zip(&arriving[at]) {
                    let written = self.written(operation);
                    here.extend(live[next].difference(&written));
                    here.extend(self.read(operation));
                }
                grown |= here.len() > live[at].len();
                live[at] = here;
            }
        }
        live
    }

    fn read(&mut self, operation: OperationId) -> BTreeSet<u64> {
        let found = &self.operations[operation];
        let unchanged = |(symbol, value): &(&tertium_smt::TermId, &tertium_smt::TermId)| symbol != value;
        let changed = found.after.iter().filter(unchanged).map(|(_, &value)| value);
        let terms: Vec<_> = [found.relation, found.fault].into_iter().chain(changed).collect();
        terms.into_iter().flat_map(|term| self.support(term).iter().copied().collect::<Vec<_>>()).collect()
    }

    fn written(&self, operation: OperationId) -> BTreeSet<u64> {
        let key = |(symbol, value): (&tertium_smt::TermId, &tertium_smt::TermId)| match self.terms.get(*symbol) {
            Term::Symbol(id) if symbol != value => Some(id.index() as u64),
            _ => None,
        };
        self.operations[operation].after.iter().filter_map(key).collect()
    }

    fn mentioned(&mut self, operation: OperationId) -> BTreeSet<u64> {
        let mut found = self.read(operation);
        found.extend(self.written(operation));
        found
    }
}

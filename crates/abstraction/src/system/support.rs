//! What does the value of a term depend on?

use std::collections::BTreeSet;
use std::rc::Rc;

use tertium_smt::{Term, TermId};

use super::System;

impl System {
    /// What the value of a term depends on: symbols and functions.
    pub(crate) fn support(&mut self, term: TermId) -> Rc<BTreeSet<u64>> {
        if let Some(known) = self.supports.get(&term) {
            return Rc::clone(known);
        }
        let mut found: BTreeSet<u64> = BTreeSet::new();
        for id in self.terms.reachable(&[term]) {
            match self.terms.get(id) {
                Term::Symbol(symbol) => {
                    found.insert(symbol.index() as u64);
                }
                Term::Apply(function, _) => {
                    found.insert(1 << 40 | function.index() as u64);
                }
                _ => {}
            }
        }
        let found = Rc::new(found);
        self.supports.insert(term, Rc::clone(&found));
        found
    }
}

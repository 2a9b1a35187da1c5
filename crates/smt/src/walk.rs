//! Passes over terms: replacing, what symbols occur, what bounds say as terms.

use std::collections::{BTreeSet, HashMap};

use crate::term::{Bounds, Sort, SymbolId, Term, TermId, Terms};

impl Terms {
    /// `root` with terms replaced, simplified again. A term that is replaced is not looked into.
    pub fn substitute(&mut self, root: TermId, map: &HashMap<TermId, TermId>) -> TermId {
        if map.is_empty() {
            return root;
        }
        let mut new: HashMap<TermId, TermId> = HashMap::new();
        let mut open = vec![root];
        while let Some(&id) = open.last() {
            if new.contains_key(&id) {
                open.pop();
                continue;
            }
            if let Some(&replacement) = map.get(&id) {
                new.insert(id, replacement);
                continue;
            }
            let missing: Vec<TermId> = self.children(id).into_iter().filter(|child| !new.contains_key(child)).collect();
            if missing.is_empty() {
                let rebuilt = self.rebuilt(id, &new);
                new.insert(id, rebuilt);
            } else {
                open.extend(missing);
            }
        }
        new[&root]
    }

    fn rebuilt(&mut self, id: TermId, new: &HashMap<TermId, TermId>) -> TermId {
        let list = |terms: &Self, list| terms.list(list).iter().map(|member| new[member]).collect::<Vec<TermId>>();
        match self.get(id) {
            Term::Bool(_) | Term::Int(_) | Term::Symbol(_) => id,
            Term::Not(a) => self.not(new[&a]),
            Term::And(members) => {
                let members = list(self, members);
                self.all(&members)
            }
            Term::Same(a, b) => self.eq(new[&a], new[&b]),
            Term::Ite(c, a, b) => self.ite(new[&c], new[&a], new[&b]),
            Term::Sum(sum) => {
                let sum = self.sum(sum).clone();
                let parts: Vec<(TermId, i128)> = sum.parts.iter().map(|&(part, factor)| (new[&part], factor)).collect();
                self.weighted(&parts, sum.constant)
            }
            Term::Mul(a, b) => self.mul(new[&a], new[&b]),
            Term::Div(a, b) => self.div(new[&a], new[&b]),
            Term::Mod(a, b) => self.modulo(new[&a], new[&b]),
            Term::Bits(op, width, a, b) => self.rebuilt_bits(id, (op, width), new[&a], new[&b]),
            Term::AtMost(a, most) => {
                let most = self.int(most);
                self.le(new[&a], most)
            }
            Term::Equals(a, value) => {
                let value = self.int(value);
                self.eq(new[&a], value)
            }
            Term::Apply(function, arguments) => {
                let arguments = list(self, arguments);
                self.apply(function, &arguments)
            }
            Term::Select(a, b) => self.select(new[&a], new[&b]),
            Term::Store(a, b, c) => self.store(new[&a], new[&b], new[&c]),
            Term::Forall(symbols, body) => {
                let symbols = self.list(symbols).to_vec();
                self.forall(&symbols, new[&body])
            }
        }
    }

    /// The operands only got smaller, so they still fit the width, even where that cannot be seen any more.
    fn rebuilt_bits(&mut self, old: TermId, (op, width): (crate::BitOp, u32), a: TermId, b: TermId) -> TermId {
        match self.bits(op, a, b) {
            Some(term) => term,
            None => self.intern(Term::Bits(op, width, a, b), Sort::Int, self.bounds(old)),
        }
    }

    /// The free symbols of a term, and its functions as those of their names.
    #[must_use]
    pub fn symbols_of(&self, roots: &[TermId]) -> BTreeSet<SymbolId> {
        let reachable = self.reachable(roots);
        let bound = self.bound_symbols(&reachable);
        let symbol = |id: &TermId| match self.get(*id) {
            Term::Symbol(symbol) if !bound.contains(id) => Some(symbol),
            _ => None,
        };
        reachable.iter().filter_map(symbol).collect()
    }

    /// Whether the value depends on a function of which nothing is known.
    #[must_use]
    pub fn mentions_functions(&self, roots: &[TermId]) -> bool {
        self.reachable(roots).iter().any(|&id| matches!(self.get(id), Term::Apply(..)))
    }

    fn bound_symbols(&self, reachable: &[TermId]) -> BTreeSet<TermId> {
        let bound = |&id: &TermId| match self.get(id) {
            Term::Forall(list, _) => self.list(list).to_vec(),
            _ => Vec::new(),
        };
        reachable.iter().flat_map(bound).collect()
    }

    /// What the bounds of symbols, functions and arrays say about `roots`, as terms that say nothing else. Without them a
    /// solver does not know what the simplifier relied on.
    pub fn side_conditions(&mut self, roots: &[TermId]) -> Vec<TermId> {
        let reachable = self.reachable(roots);
        let bound = self.bound_symbols(&reachable);
        let dependent = self.dependent(&reachable, &bound);
        let free: Vec<TermId> = reachable.into_iter().filter(|id| !dependent.contains(id)).collect();
        free.into_iter().flat_map(|id| self.bound_terms(id)).collect()
    }

    /// The same for the terms below a quantifier that depend on what it binds.
    pub(crate) fn inner_conditions(&mut self, symbols: &[TermId], body: TermId) -> Vec<TermId> {
        let reachable = self.reachable(&[body]);
        let bound: BTreeSet<TermId> = symbols.iter().copied().collect();
        let dependent = self.dependent(&reachable, &bound);
        let mut conditions = Vec::new();
        for id in dependent {
            conditions.extend(self.bound_terms(id));
        }
        conditions
    }

    /// Which of these terms, operands first, mention one of the symbols.
    fn dependent(&self, reachable: &[TermId], symbols: &BTreeSet<TermId>) -> BTreeSet<TermId> {
        let mut dependent = symbols.clone();
        if symbols.is_empty() {
            return dependent;
        }
        for &id in reachable {
            if self.children(id).iter().any(|child| dependent.contains(child)) {
                dependent.insert(id);
            }
        }
        dependent
    }

    fn bound_terms(&mut self, id: TermId) -> Vec<TermId> {
        let bounds: Bounds = match self.get(id) {
            Term::Symbol(_) | Term::Apply(..) | Term::Select(..) if self.sort(id) == Sort::Int => self.bounds(id),
            _ => return Vec::new(),
        };
        let mut conditions = Vec::new();
        if let Some(below) = bounds.0.and_then(|lo| lo.checked_sub(1)) {
            let low = self.intern(Term::AtMost(id, below), Sort::Bool, (None, None));
            conditions.push(self.intern(Term::Not(low), Sort::Bool, (None, None)));
        }
        if let Some(hi) = bounds.1 {
            conditions.push(self.intern(Term::AtMost(id, hi), Sort::Bool, (None, None)));
        }
        conditions
    }
}

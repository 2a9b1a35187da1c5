//! What is inside a term: its parts, what it mentions, the same with something else in its place, and what bounds say of it.

use std::collections::{BTreeSet, HashMap};

use super::{Bounds, Sort, Term, TermId, Terms, cell, is_array};

impl Terms {
    /// The operands of a term.
    #[must_use]
    pub fn children(&self, id: TermId) -> Vec<TermId> {
        match self.get(id) {
            Term::Truth(_) | Term::Number(_) | Term::Symbol(_) | Term::Hidden(_) => Vec::new(),
            Term::Op(_, parts) | Term::Apply(_, parts) => parts.to_vec(),
            Term::Bits(_, _, a, b) => vec![*a, *b],
            Term::Forall(symbols, body) => symbols.iter().copied().chain([*body]).collect(),
        }
    }

    /// Everything below and including `roots`, operands first.
    #[must_use]
    pub fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = BTreeSet::new();
        let mut open = roots.to_vec();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                open.extend(self.children(id));
            }
        }
        seen.into_iter().collect()
    }

    /// How deep a term is nested, known depths of parts given; those of all its parts are added.
    pub(in crate::obligations) fn deepen(&self, root: TermId, depths: &mut HashMap<TermId, usize>) -> usize {
        let mut open = vec![root];
        while let Some(&id) = open.last() {
            let children = self.children(id);
            let missing = children.iter().copied().filter(|child| !depths.contains_key(child));
            let before = open.len();
            let missing: Vec<TermId> = if depths.contains_key(&id) { Vec::new() } else { missing.collect() };
            open.extend(missing);
            if open.len() == before {
                open.pop();
                let below = children.iter().filter_map(|child| depths.get(child)).max();
                depths.insert(id, 1 + below.copied().unwrap_or(0));
            }
        }
        depths[&root]
    }

    /// A term with symbols replaced; bound ones must not be among them.
    pub fn substitute(&mut self, root: TermId, map: &HashMap<TermId, TermId>) -> TermId {
        if map.is_empty() {
            return root;
        }
        let mut new: HashMap<TermId, TermId> = HashMap::new();
        for id in self.reachable(&[root]) {
            let made = match map.get(&id) {
                Some(&value) => value,
                None => self.rebuilt(id, &new),
            };
            new.insert(id, made);
        }
        new[&root]
    }

    fn rebuilt(&mut self, id: TermId, new: &HashMap<TermId, TermId>) -> TermId {
        let children = self.children(id);
        if children.iter().all(|child| new[child] == *child) {
            return id;
        }
        let operands: Vec<TermId> = children.iter().map(|child| new[child]).collect();
        match self.get(id).clone() {
            Term::Op(head, _) => self.make(head, &operands).unwrap_or(id),
            Term::Apply(name, _) => self.apply(&name, &operands).unwrap_or(id),
            Term::Bits(op, width, ..) => self.bits(op, width, operands[0], operands[1]),
            Term::Forall(symbols, body) => self.forall(&symbols, new[&body]),
            Term::Truth(_) | Term::Number(_) | Term::Symbol(_) | Term::Hidden(_) => id,
        }
    }

    /// An operator by its name; none if the operands do not fit.
    pub fn make(&mut self, head: &str, operands: &[TermId]) -> Option<TermId> {
        let sorts: Vec<Sort> = operands.iter().map(|&operand| self.sort(operand)).collect();
        let all = |sort: Sort| sorts.iter().all(|&known| known == sort);
        Some(match (head, operands) {
            ("and", _) if all(Sort::Bool) => self.all(operands),
            ("or", _) if all(Sort::Bool) => self.any(operands),
            ("not", &[a]) if all(Sort::Bool) => self.not(a),
            ("=>", &[a, b]) if all(Sort::Bool) => self.implies(a, b),
            ("=", &[a, b]) if sorts[0] == sorts[1] => self.eq(a, b),
            ("ite", &[c, a, b]) if sorts[0] == Sort::Bool && sorts[1] == sorts[2] => self.ite(c, a, b),
            ("<=", &[a, b]) if all(Sort::Int) => self.le(a, b),
            (">=", &[a, b]) if all(Sort::Int) => self.le(b, a),
            ("<", &[a, b]) if all(Sort::Int) => self.lt(a, b),
            (">", &[a, b]) if all(Sort::Int) => self.lt(b, a),
            ("+", [first, rest @ ..]) if all(Sort::Int) => {
                let mut sum = *first;
                for &part in rest {
                    sum = self.sum(sum, part);
                }
                sum
            }
            ("-", &[a]) if all(Sort::Int) => self.negative(a),
            ("-", &[a, b]) if all(Sort::Int) => self.difference(a, b),
            ("*", &[a, b]) if all(Sort::Int) => self.product(a, b),
            ("div", &[a, b]) if all(Sort::Int) => self.div(a, b),
            ("mod", &[a, b]) if all(Sort::Int) => self.modulo(a, b),
            ("select", &[a, i]) if is_array(sorts[0]) && sorts[1] == Sort::Int => self.select(a, i),
            ("store", &[a, i, v]) if is_array(sorts[0]) && sorts[1] == Sort::Int && cell(sorts[0]) == sorts[2] => {
                self.store(a, i, v)
            }
            _ => return None,
        })
    }

    /// What is known of the cells that terms speak of: the bounds of symbols, of cells of arrays, and of functions' values. Symbols
    /// in `bound` are those of quantifiers: nothing about them can be said outside.
    pub fn facts(&mut self, roots: &[TermId]) -> Vec<TermId> {
        let mut bound: BTreeSet<TermId> = BTreeSet::new();
        let reachable = self.reachable(roots);
        for &id in &reachable {
            if let Term::Forall(symbols, _) = self.get(id) {
                bound.extend(symbols.iter());
            }
        }
        let mut facts = Vec::new();
        for id in reachable {
            match self.get(id).clone() {
                Term::Symbol(_) if self.sort(id) == Sort::Int && !bound.contains(&id) => {
                    facts.push(self.raw_within(id, self.domain(id).bounds));
                }
                Term::Op("select", parts) if !self.mentions(parts[1], &bound) => {
                    self.cell_facts(parts[0], parts[1], &mut facts);
                }
                Term::Apply(..) if self.sort(id) == Sort::Int && !self.mentions(id, &bound) => {
                    facts.push(self.raw_within(id, self.bounds(id)));
                }
                _ => {}
            }
        }
        facts.retain(|&fact| self.as_truth(fact) != Some(true));
        facts.dedup();
        facts
    }

    /// Bounds as they stand: they must be told even where terms rely on them already.
    fn raw_within(&mut self, value: TermId, (lo, hi): Bounds) -> TermId {
        let mut parts = Vec::new();
        if let Some(lo) = lo {
            let lo = self.number(lo);
            parts.push(self.op("<=", &[lo, value], Sort::Bool, (None, None)));
        }
        if let Some(hi) = hi {
            let hi = self.number(hi);
            parts.push(self.op("<=", &[value, hi], Sort::Bool, (None, None)));
        }
        self.all(&parts)
    }

    /// The bounds of a cell of every array that this one is made of.
    fn cell_facts(&mut self, array: TermId, index: TermId, facts: &mut Vec<TermId>) {
        let (mut open, mut seen) = (vec![array], BTreeSet::new());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.get(id).clone() {
                Term::Symbol(_) if self.sort(id) == Sort::IntArray => {
                    let domain = self.domain(id);
                    let cell = self.op("select", &[id, index], Sort::Int, (None, None));
                    let fits = self.raw_within(cell, domain.bounds);
                    let inside = self.within(index, (Some(0), Some(domain.cells as i128 - 1)));
                    facts.push(self.implies(inside, fits));
                }
                Term::Op("store", parts) => open.push(parts[0]),
                Term::Op("ite", parts) => open.extend([parts[1], parts[2]]),
                _ => {}
            }
        }
    }

    /// Whether a term has one of these symbols.
    #[must_use]
    pub fn mentions(&self, term: TermId, symbols: &BTreeSet<TermId>) -> bool {
        !symbols.is_empty() && self.reachable(&[term]).iter().any(|id| symbols.contains(id))
    }

    /// Whether a term has functions of which nothing is known.
    #[must_use]
    pub fn has_functions(&self, roots: &[TermId]) -> bool {
        self.reachable(roots).iter().any(|&id| matches!(self.get(id), Term::Apply(..)))
    }
}

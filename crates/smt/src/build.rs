//! Makes terms over truth values and arrays, simplified on the way.
//!
//! Every function returns a term equal in value to what its name says, for all values within bounds.

use crate::term::{FunctionId, Sort, Term, TermId, Terms};

impl Terms {
    /// Negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        match self.get(a) {
            Term::Bool(value) => self.bool(!value),
            Term::Not(inner) => inner,
            _ => self.intern(Term::Not(a), Sort::Bool, (None, None)),
        }
    }

    /// All of them hold.
    pub fn all(&mut self, parts: &[TermId]) -> TermId {
        let mut members = Vec::with_capacity(parts.len());
        for &part in parts {
            match self.get(part) {
                Term::Bool(true) => {}
                Term::Bool(false) => return self.bool(false),
                Term::And(list) => members.extend_from_slice(self.list(list)),
                _ => members.push(part),
            }
        }
        members.sort_unstable();
        members.dedup();
        self.conjunction(members)
    }

    /// A conjunction of sorted members none of which is a conjunction or constant.
    fn conjunction(&mut self, mut members: Vec<TermId>) -> TermId {
        let opposes = |terms: &Self, member: &TermId| match terms.get(*member) {
            Term::Not(inner) => members.binary_search(&inner).is_ok(),
            _ => false,
        };
        if members.iter().any(|member| opposes(self, member)) {
            return self.bool(false);
        }
        let absorbed: Vec<TermId> =
            members.iter().copied().filter(|&member| self.follows_from_others(member, &members)).collect();
        members.retain(|member| absorbed.binary_search(member).is_err());
        match members[..] {
            [] => self.bool(true),
            [only] => only,
            _ => {
                let list = self.intern_list(&members);
                self.intern(Term::And(list), Sort::Bool, (None, None))
            }
        }
    }

    /// Whether a clause `!(a && b)` is true because a member says `!a`.
    fn follows_from_others(&self, member: TermId, members: &[TermId]) -> bool {
        let Term::Not(inner) = self.get(member) else { return false };
        let Term::And(list) = self.get(inner) else { return false };
        let negated = |part: &TermId| match self.get(*part) {
            Term::Not(positive) => members.binary_search(&positive).is_ok(),
            _ => self.known_negation(*part).is_some_and(|negation| members.binary_search(&negation).is_ok()),
        };
        self.list(list).iter().any(negated)
    }

    /// The negation of a term, if there is an entry for it.
    fn known_negation(&self, id: TermId) -> Option<TermId> {
        self.lookup(Term::Not(id))
    }

    /// Some of them hold.
    pub fn any(&mut self, parts: &[TermId]) -> TermId {
        let negated: Vec<TermId> = parts.iter().map(|&part| self.not(part)).collect();
        let none = self.all(&negated);
        self.not(none)
    }

    /// Both hold.
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.all(&[a, b])
    }

    /// One of both holds.
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.any(&[a, b])
    }

    /// If the first holds, so does the second.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// Both have the same value.
    ///
    /// # Panics
    /// In debug builds, if they are of different sorts.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b), "terms of different sorts are compared");
        if a == b {
            return self.bool(true);
        }
        match self.sort(a) {
            Sort::Int => self.int_eq(a, b),
            Sort::Bool => self.iff(a, b),
            Sort::BoolArray | Sort::IntArray => self.intern(Term::Same(a.min(b), a.max(b)), Sort::Bool, (None, None)),
        }
    }

    fn iff(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => return b,
            (Some(false), _) => return self.not(b),
            (_, Some(true)) => return a,
            (_, Some(false)) => return self.not(a),
            _ => {}
        }
        // Signs go to the outside, so that `a <-> !b` and `!(a <-> b)` are one entry.
        let (mut a, mut b, mut positive) = (a, b, true);
        for side in [&mut a, &mut b] {
            if let Term::Not(inner) = self.get(*side) {
                (*side, positive) = (inner, !positive);
            }
        }
        let same = if a == b {
            self.bool(true)
        } else {
            self.intern(Term::Same(a.min(b), a.max(b)), Sort::Bool, (None, None))
        };
        if positive { same } else { self.not(same) }
    }

    /// `if c then a else b`.
    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b), "branches of different sorts");
        if let Some(value) = self.as_bool(c) {
            return if value { a } else { b };
        }
        if a == b {
            return a;
        }
        if let Term::Not(inner) = self.get(c) {
            return self.ite(inner, b, a);
        }
        if self.sort(a) == Sort::Bool {
            match (self.as_bool(a), self.as_bool(b)) {
                (Some(true), _) => return self.or(c, b),
                (Some(false), _) => {
                    let not_c = self.not(c);
                    return self.and(not_c, b);
                }
                (_, Some(false)) => return self.and(c, a),
                (_, Some(true)) => return self.implies(c, a),
                _ => {}
            }
        }
        let (x, y) = (self.bounds(a), self.bounds(b));
        let bounds = (x.0.zip(y.0).map(|(x, y)| x.min(y)), x.1.zip(y.1).map(|(x, y)| x.max(y)));
        self.intern(Term::Ite(c, a, b), self.sort(a), bounds)
    }

    /// A function's value.
    pub fn apply(&mut self, function: FunctionId, arguments: &[TermId]) -> TermId {
        let (sort, bounds) = (self.function(function).result, self.function(function).bounds);
        let list = self.intern_list(arguments);
        self.intern(Term::Apply(function, list), sort, bounds)
    }

    /// The cell of an array.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let mut array = array;
        while let Term::Store(below, at, value) = self.get(array) {
            let same = self.eq(at, index);
            match self.as_bool(same) {
                Some(true) => return value,
                Some(false) => array = below,
                None => break,
            }
        }
        self.intern(Term::Select(array, index), self.sort(array).cell(), self.bounds(array))
    }

    /// An array with another cell.
    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        let (x, y) = (self.bounds(array), self.bounds(value));
        let bounds = (x.0.zip(y.0).map(|(x, y)| x.min(y)), x.1.zip(y.1).map(|(x, y)| x.max(y)));
        self.intern(Term::Store(array, index, value), self.sort(array), bounds)
    }

    /// For all values of `symbols` within their bounds, `body`.
    pub fn forall(&mut self, symbols: &[TermId], body: TermId) -> TermId {
        let used = self.reachable(&[body]);
        let mut bound: Vec<TermId> =
            symbols.iter().copied().filter(|symbol| used.binary_search(symbol).is_ok()).collect();
        bound.sort_unstable();
        bound.dedup();
        if bound.is_empty() {
            return body;
        }
        let list = self.intern_list(&bound);
        self.intern(Term::Forall(list, body), Sort::Bool, (None, None))
    }

    /// For some values of `symbols` within their bounds, `body`. A symbol without any value within its bounds makes this
    /// false only if the body mentions it.
    pub fn exists(&mut self, symbols: &[TermId], body: TermId) -> TermId {
        let negated = self.not(body);
        let none = self.forall(symbols, negated);
        self.not(none)
    }
}

//! Terms of SMT-LIB, as a table in which equal ones are one entry.
//!
//! Written for whoever checks a proof: nothing is simplified but constants, so that an obligation reads like what it says. The
//! one other liberty is a comparison that the bounds of its sides decide; bounds come from the types of the cells.
//!
//! Not here: how terms are printed (`print`) and read (`parse`).

mod arithmetic;
mod traversal;

use std::collections::HashMap;

use tertium_base::id_type;

use self::arithmetic::below;

id_type! {
    /// A term of one table.
    pub struct TermId;
}

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Arrays of truth values, indexed by integers.
    BoolArray,
    /// Arrays of integers, indexed by integers.
    IntArray,
}

/// The smallest and the largest value of an integer, where they are known.
pub type Bounds = (Option<i128>, Option<i128>);

/// One operator and its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A truth value.
    Truth(bool),
    /// An integer.
    Number(i128),
    /// A cell of the program: what a certificate may speak of.
    Symbol(String),
    /// A value of the kernel's own: an input of a step, `deadlock`, a mark. No text of a certificate can spell one ([`Terms::read`]
    /// looks among cells only), since it means something else in every obligation.
    Hidden(String),
    /// An operator of the theory.
    Op(&'static str, Box<[TermId]>),
    /// A function of which nothing is known.
    Apply(String, Box<[TermId]>),
    /// Bits of integers that fit into a word of this width, signed: the operator of bit vectors, and its operands.
    Bits(&'static str, u32, TermId, TermId),
    /// For all values of these symbols.
    Forall(Box<[TermId]>, TermId),
}

/// A function of which nothing is known but its sorts and the bounds of its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The sorts of its arguments.
    pub arguments: Vec<Sort>,
    /// The sort of its value.
    pub result: Sort,
    /// Between which its values lie.
    pub bounds: Bounds,
}

/// What is known of a symbol besides its sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Domain {
    /// Bounds of its value, or of each of its cells.
    pub bounds: Bounds,
    /// How many cells it has, if it is an array.
    pub cells: usize,
}

/// All terms of one check.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Term>,
    sorts: Vec<Sort>,
    bounds: Vec<Bounds>,
    known: HashMap<Term, TermId>,
    domains: HashMap<TermId, Domain>,
    functions: HashMap<String, Function>,
}

impl Terms {
    /// How many terms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operator behind an id.
    #[must_use]
    pub fn get(&self, id: TermId) -> &Term {
        &self.nodes[id.index()]
    }

    /// The sort of a term.
    #[must_use]
    pub fn sort(&self, id: TermId) -> Sort {
        self.sorts[id.index()]
    }

    /// Between which values an integer lies, as its shape and its symbols tell.
    #[must_use]
    pub fn bounds(&self, id: TermId) -> Bounds {
        self.bounds[id.index()]
    }

    /// What is known of a symbol.
    #[must_use]
    pub fn domain(&self, symbol: TermId) -> Domain {
        self.domains.get(&symbol).copied().unwrap_or_default()
    }

    /// A function that is declared.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    fn add(&mut self, term: Term, sort: Sort, bounds: Bounds) -> TermId {
        if let Some(&id) = self.known.get(&term) {
            return id;
        }
        let id = TermId::new(self.nodes.len());
        self.nodes.push(term.clone());
        self.sorts.push(sort);
        self.bounds.push(bounds);
        self.known.insert(term, id);
        id
    }

    /// A new symbol; none if the name is taken.
    pub fn declare(&mut self, name: &str, sort: Sort, domain: Domain) -> Option<TermId> {
        let term = Term::Symbol(name.to_owned());
        if self.known.contains_key(&term) {
            return None;
        }
        let bounds = if sort == Sort::Int { domain.bounds } else { (None, None) };
        let id = self.add(term, sort, bounds);
        self.domains.insert(id, domain);
        Some(id)
    }

    /// The value of the kernel's own with this name, declared where it is not known yet.
    pub fn hidden(&mut self, name: &str, sort: Sort) -> TermId {
        self.add(Term::Hidden(name.to_owned()), sort, (None, None))
    }

    /// The cell with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<TermId> {
        self.known.get(&Term::Symbol(name.to_owned())).copied()
    }

    /// Declares a function; a name that is taken stays what it is.
    pub fn declare_function(&mut self, name: &str, function: Function) {
        self.functions.entry(name.to_owned()).or_insert(function);
    }

    /// A function's value.
    pub fn apply(&mut self, name: &str, arguments: &[TermId]) -> Option<TermId> {
        let function = self.functions.get(name)?;
        let fits = function.arguments.len() == arguments.len()
            && function.arguments.iter().zip(arguments).all(|(&sort, &argument)| self.sort(argument) == sort);
        let (result, bounds) = (function.result, function.bounds);
        fits.then(|| self.add(Term::Apply(name.to_owned(), arguments.into()), result, bounds))
    }

    /// A truth value.
    pub fn truth(&mut self, value: bool) -> TermId {
        self.add(Term::Truth(value), Sort::Bool, (None, None))
    }

    /// An integer.
    pub fn number(&mut self, value: i128) -> TermId {
        self.add(Term::Number(value), Sort::Int, (Some(value), Some(value)))
    }

    /// The truth value that a term is.
    #[must_use]
    pub fn as_truth(&self, id: TermId) -> Option<bool> {
        if let Term::Truth(value) = self.get(id) { Some(*value) } else { None }
    }

    /// The integer that a term is.
    #[must_use]
    pub fn as_number(&self, id: TermId) -> Option<i128> {
        if let Term::Number(value) = self.get(id) { Some(*value) } else { None }
    }

    fn op(&mut self, head: &'static str, operands: &[TermId], sort: Sort, bounds: Bounds) -> TermId {
        self.add(Term::Op(head, operands.into()), sort, bounds)
    }

    /// Negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        match self.get(a) {
            Term::Truth(value) => {
                let value = !value;
                self.truth(value)
            }
            Term::Op("not", inner) => inner[0],
            _ => self.op("not", &[a], Sort::Bool, (None, None)),
        }
    }

    /// All of these.
    pub fn all(&mut self, parts: &[TermId]) -> TermId {
        self.joined("and", parts, true)
    }

    /// Some of these.
    pub fn any(&mut self, parts: &[TermId]) -> TermId {
        self.joined("or", parts, false)
    }

    /// Both.
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.all(&[a, b])
    }

    /// Either.
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.any(&[a, b])
    }

    /// Conjunctions and disjunctions; `neutral` is what changes nothing.
    fn joined(&mut self, head: &'static str, parts: &[TermId], neutral: bool) -> TermId {
        let mut kept: Vec<TermId> = Vec::with_capacity(parts.len());
        for &part in parts {
            match self.as_truth(part) {
                Some(value) if value == neutral => {}
                Some(value) => return self.truth(value),
                None => {
                    if !kept.contains(&part) {
                        kept.push(part);
                    }
                }
            }
        }
        match kept[..] {
            [] => self.truth(neutral),
            [only] => only,
            _ => self.op(head, &kept, Sort::Bool, (None, None)),
        }
    }

    /// If one, then the other.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_truth(a), self.as_truth(b)) {
            (Some(true), _) => b,
            (Some(false), _) | (_, Some(true)) => self.truth(true),
            (_, Some(false)) => self.not(a),
            _ => self.op("=>", &[a, b], Sort::Bool, (None, None)),
        }
    }

    /// Equality of terms of one sort.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.truth(true);
        }
        match (self.as_truth(a), self.as_truth(b)) {
            (Some(x), Some(y)) => return self.truth(x == y),
            (Some(x), None) => return if x { b } else { self.not(b) },
            (None, Some(y)) => return if y { a } else { self.not(a) },
            (None, None) => {}
        }
        if let (Some(x), Some(y)) = (self.as_number(a), self.as_number(b)) {
            return self.truth(x == y);
        }
        if self.sort(a) == Sort::Int && (below(self.bounds(a), self.bounds(b)) || below(self.bounds(b), self.bounds(a)))
        {
            return self.truth(false);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.op("=", &[a, b], Sort::Bool, (None, None))
    }

    /// If the condition holds the first, otherwise the second.
    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        match self.as_truth(c) {
            Some(true) => return a,
            Some(false) => return b,
            None if a == b => return a,
            None => {}
        }
        let ((a0, a1), (b0, b1)) = (self.bounds(a), self.bounds(b));
        let bounds = (a0.zip(b0).map(|(x, y)| x.min(y)), a1.zip(b1).map(|(x, y)| x.max(y)));
        let sort = self.sort(a);
        self.op("ite", &[c, a, b], sort, bounds)
    }

    /// The cell of an array.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let mut array = array;
        while let Term::Op("store", parts) = self.get(array) {
            let (before, at, value) = (parts[0], parts[1], parts[2]);
            if at == index {
                return value;
            }
            match (self.as_number(at), self.as_number(index)) {
                (Some(x), Some(y)) if x != y => array = before,
                _ => break,
            }
        }
        let sort = if self.sort(array) == Sort::BoolArray { Sort::Bool } else { Sort::Int };
        let domain = self.domain(array);
        let inside = self.as_number(index).is_some_and(|at| at >= 0 && at < domain.cells as i128);
        let bounds = if inside && sort == Sort::Int { domain.bounds } else { (None, None) };
        self.op("select", &[array, index], sort, bounds)
    }

    /// The array with one cell changed.
    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        let sort = self.sort(array);
        self.op("store", &[array, index, value], sort, (None, None))
    }

    /// An operator of bit vectors on integers that fit into `width` bits, signed.
    pub fn bits(&mut self, op: &'static str, width: u32, a: TermId, b: TermId) -> TermId {
        let half = 1i128 << (width - 1);
        self.add(Term::Bits(op, width, a, b), Sort::Int, (Some(-half), Some(half - 1)))
    }

    /// For all values of these symbols.
    pub fn forall(&mut self, symbols: &[TermId], body: TermId) -> TermId {
        if symbols.is_empty() || self.as_truth(body).is_some() {
            return body;
        }
        self.add(Term::Forall(symbols.into(), body), Sort::Bool, (None, None))
    }

    /// Whether a value lies between bounds.
    pub fn within(&mut self, value: TermId, (lo, hi): Bounds) -> TermId {
        let mut parts = Vec::new();
        for (bound, low) in [(lo, true), (hi, false)] {
            if let Some(bound) = bound {
                let bound = self.number(bound);
                parts.push(if low { self.le(bound, value) } else { self.le(value, bound) });
            }
        }
        self.all(&parts)
    }
}

const fn is_array(sort: Sort) -> bool {
    matches!(sort, Sort::BoolArray | Sort::IntArray)
}

const fn cell(sort: Sort) -> Sort {
    match sort {
        Sort::BoolArray => Sort::Bool,
        _ => Sort::Int,
    }
}

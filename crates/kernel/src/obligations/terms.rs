//! Terms of SMT-LIB, as a table in which equal ones are one entry.
//!
//! Written for whoever checks a proof: nothing is simplified but constants, so that an obligation reads like what it says. The
//! one other liberty is a comparison that the bounds of its sides decide; bounds come from the types of the cells.
//!
//! Not here: how terms are printed (`print`) and read (`parse`).

use std::collections::{BTreeSet, HashMap};

use tertium_base::id_type;

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

    /// At most.
    pub fn le(&mut self, a: TermId, b: TermId) -> TermId {
        let ((least, most), (low, high)) = (self.bounds(a), self.bounds(b));
        if a == b || matches!((most, low), (Some(most), Some(low)) if most <= low) {
            return self.truth(true);
        }
        if matches!((least, high), (Some(least), Some(high)) if least > high) {
            return self.truth(false);
        }
        self.op("<=", &[a, b], Sort::Bool, (None, None))
    }

    /// Less.
    pub fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        let more = self.le(b, a);
        self.not(more)
    }

    /// Sum.
    pub fn sum(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_number(a), self.as_number(b)) {
            (Some(0), _) => return b,
            (_, Some(0)) => return a,
            (Some(x), Some(y)) if x.checked_add(y).is_some() => return self.number(x + y),
            _ => {}
        }
        let ((a0, a1), (b0, b1)) = (self.bounds(a), self.bounds(b));
        let both = |x: Option<i128>, y: Option<i128>| x?.checked_add(y?);
        self.op("+", &[a, b], Sort::Int, (both(a0, b0), both(a1, b1)))
    }

    /// The number with the other sign.
    pub fn negative(&mut self, a: TermId) -> TermId {
        if let Some(value) = self.as_number(a).and_then(i128::checked_neg) {
            return self.number(value);
        }
        let (lo, hi) = self.bounds(a);
        let turned = |value: Option<i128>| value?.checked_neg();
        self.op("-", &[a], Sort::Int, (turned(hi), turned(lo)))
    }

    /// Difference.
    pub fn difference(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_number(a), self.as_number(b)) {
            (_, Some(0)) => return a,
            (Some(x), Some(y)) if x.checked_sub(y).is_some() => return self.number(x - y),
            _ => {}
        }
        let ((a0, a1), (b0, b1)) = (self.bounds(a), self.bounds(b));
        let both = |x: Option<i128>, y: Option<i128>| x?.checked_sub(y?);
        self.op("-", &[a, b], Sort::Int, (both(a0, b1), both(a1, b0)))
    }

    /// Product.
    pub fn product(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_number(a), self.as_number(b)) {
            (Some(1), _) => return b,
            (_, Some(1)) => return a,
            (Some(x), Some(y)) if x.checked_mul(y).is_some() => return self.number(x * y),
            _ => {}
        }
        let ((a0, a1), (b0, b1)) = (self.bounds(a), self.bounds(b));
        let corners = || -> Option<[i128; 4]> {
            let (a0, a1, b0, b1) = (a0?, a1?, b0?, b1?);
            Some([a0.checked_mul(b0)?, a0.checked_mul(b1)?, a1.checked_mul(b0)?, a1.checked_mul(b1)?])
        };
        let bounds = corners().map_or((None, None), |all| (all.iter().copied().min(), all.iter().copied().max()));
        self.op("*", &[a, b], Sort::Int, bounds)
    }

    /// Quotient whose remainder is not negative, as SMT-LIB has it.
    pub fn div(&mut self, a: TermId, b: TermId) -> TermId {
        if let (Some(x), Some(y)) = (self.as_number(a), self.as_number(b))
            && let Some(value) = x.checked_div_euclid(y)
        {
            return self.number(value);
        }
        self.op("div", &[a, b], Sort::Int, (None, None))
    }

    /// The remainder that is not negative.
    pub fn modulo(&mut self, a: TermId, b: TermId) -> TermId {
        let divisor = self.as_number(b);
        if let (Some(x), Some(y)) = (self.as_number(a), divisor)
            && let Some(value) = x.checked_rem_euclid(y)
        {
            return self.number(value);
        }
        let most = divisor.filter(|&divisor| divisor > 0).map(|divisor| divisor - 1);
        self.op("mod", &[a, b], Sort::Int, (most.map(|_| 0), most))
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
    pub(super) fn deepen(&self, root: TermId, depths: &mut HashMap<TermId, usize>) -> usize {
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

fn below(a: Bounds, b: Bounds) -> bool {
    matches!((a.1, b.0), (Some(most), Some(least)) if most < least)
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

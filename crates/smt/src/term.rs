//! What is a term, and when are two terms the same?
//!
//! A table in which equal terms are one entry and operands stand before what uses them, so that passes are loops.
//! Integers are unbounded. A symbol, a function's value and an array's cells may have bounds: these are part of what the
//! term means, so the simplifier relies on them, and whoever hands terms to a solver hands over
//! [`Terms::side_conditions`] too.
//!
//! Disjunction is written with conjunction and negation, comparisons are linear forms against a constant. So `a || b` and
//! `!(!a && !b)`, or `x < y` and `!(y <= x)`, are one entry.
//!
//! Not here: how terms are made ([`crate::build`], [`crate::arith`]) and evaluated ([`crate::eval`]).

use std::collections::{HashMap, HashSet};

use tertium_base::id_type;

id_type! {
    /// A term of one table.
    pub struct TermId;
}
id_type! {
    /// A symbol of one table: a constant whose value is not fixed.
    pub struct SymbolId;
}
id_type! {
    /// An uninterpreted function of one table.
    pub struct FunctionId;
}
id_type! {
    /// A list of terms of one table.
    pub struct ListId;
}
id_type! {
    /// A linear form of one table.
    pub struct SumId;
}

/// What kind of value a term has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth value.
    Bool,
    /// Integer.
    Int,
    /// From integers to truth values.
    BoolArray,
    /// From integers to integers.
    IntArray,
}

impl Sort {
    /// What the cells of an array hold.
    #[must_use]
    pub const fn cell(self) -> Self {
        match self {
            Self::BoolArray | Self::Bool => Self::Bool,
            Self::IntArray | Self::Int => Self::Int,
        }
    }
}

/// Smallest and largest value; `None` where there is no such bound.
pub type Bounds = (Option<i128>, Option<i128>);

/// Operators on the bits of integers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BitOp {
    /// Bits set in both.
    And,
    /// Bits set in either.
    Or,
    /// Bits set in one.
    Xor,
    /// Left shift; what does not fit is lost.
    Shl,
    /// Right shift that keeps the sign.
    Shr,
}

/// One operator and its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A constant whose value is not fixed.
    Symbol(SymbolId),
    /// Negation.
    Not(TermId),
    /// All of them hold; at least two, sorted, none a conjunction itself.
    And(ListId),
    /// Both have the same value; truth values or arrays.
    Same(TermId, TermId),
    /// The first holds: the second; else the third.
    Ite(TermId, TermId, TermId),
    /// A linear form.
    Sum(SumId),
    /// A product of two terms neither of which is a constant.
    Mul(TermId, TermId),
    /// The quotient such that the remainder is not negative; any value if the divisor is 0.
    Div(TermId, TermId),
    /// The remainder that goes with it.
    Mod(TermId, TermId),
    /// An operator on the two's complement of this many bits, its value read as signed. Only meaningful for operands that
    /// fit.
    Bits(BitOp, u32, TermId, TermId),
    /// The linear form, without a constant, is at most this.
    AtMost(TermId, i128),
    /// The linear form, without a constant, is exactly this.
    Equals(TermId, i128),
    /// A function's value.
    Apply(FunctionId, ListId),
    /// The cell of an array at an index.
    Select(TermId, TermId),
    /// The array with another cell at an index.
    Store(TermId, TermId, TermId),
    /// For all values (within their bounds) of the symbols in the list.
    Forall(ListId, TermId),
}

/// A constant whose value is not fixed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name, for people and for SMT-LIB; unique in its table.
    pub name: String,
    /// What kind of value.
    pub sort: Sort,
    /// Within these bounds; for an array, its cells.
    pub bounds: Bounds,
}

/// A function of which nothing is known but its shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name; unique in its table.
    pub name: String,
    /// What its arguments are.
    pub arguments: Vec<Sort>,
    /// What its value is.
    pub result: Sort,
    /// Within these bounds.
    pub bounds: Bounds,
}

/// `constant + Σ factor · term`: factors are not 0, terms ascend.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sum {
    /// The terms with their factors.
    pub parts: Vec<(TermId, i128)>,
    /// What is added.
    pub constant: i128,
}

/// The table of all terms.
#[derive(Clone, Debug)]
pub struct Terms {
    nodes: Vec<Term>,
    sorts: Vec<Sort>,
    bounds: Vec<Bounds>,
    known: HashMap<Term, TermId>,
    symbols: Vec<Symbol>,
    functions: Vec<Function>,
    lists: Vec<Box<[TermId]>>,
    known_lists: HashMap<Box<[TermId]>, ListId>,
    sums: Vec<Sum>,
    known_sums: HashMap<Sum, SumId>,
    names: HashSet<String>,
    truth: [TermId; 2],
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// A table with the two truth values.
    #[must_use]
    pub fn new() -> Self {
        let mut terms = Self {
            nodes: Vec::new(),
            sorts: Vec::new(),
            bounds: Vec::new(),
            known: HashMap::new(),
            symbols: Vec::new(),
            functions: Vec::new(),
            lists: Vec::new(),
            known_lists: HashMap::new(),
            sums: Vec::new(),
            known_sums: HashMap::new(),
            names: HashSet::new(),
            truth: [TermId::new(0); 2],
        };
        terms.truth = [false, true].map(|value| terms.intern(Term::Bool(value), Sort::Bool, (None, None)));
        terms
    }

    /// How many terms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none; never so.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operator behind an id.
    #[inline]
    #[must_use]
    pub fn get(&self, id: TermId) -> Term {
        self.nodes[id.index()]
    }

    /// The sort of a term.
    #[inline]
    #[must_use]
    pub fn sort(&self, id: TermId) -> Sort {
        self.sorts[id.index()]
    }

    /// The bounds of an integer term; for an array, of its cells.
    #[must_use]
    pub fn bounds(&self, id: TermId) -> Bounds {
        self.bounds[id.index()]
    }

    /// A symbol.
    #[must_use]
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.index()]
    }

    /// All symbols' ids.
    pub fn symbol_ids(&self) -> impl DoubleEndedIterator<Item = SymbolId> + use<> {
        (0..self.symbols.len()).map(SymbolId::new)
    }

    /// A function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The members of a list.
    #[must_use]
    pub fn list(&self, id: ListId) -> &[TermId] {
        &self.lists[id.index()]
    }

    /// A linear form.
    #[must_use]
    pub fn sum(&self, id: SumId) -> &Sum {
        &self.sums[id.index()]
    }

    /// A new symbol. A solver knows symbols by their names, so a name that is taken gets a number.
    pub fn add_symbol(&mut self, mut symbol: Symbol) -> SymbolId {
        let mut number = 1;
        let wanted = symbol.name.clone();
        while !self.names.insert(symbol.name.clone()) {
            number += 1;
            symbol.name = format!("{wanted}!{number}");
        }
        self.symbols.push(symbol);
        SymbolId::new(self.symbols.len() - 1)
    }

    /// A new function; its name is made different from others like that of a symbol.
    pub fn add_function(&mut self, mut function: Function) -> FunctionId {
        let mut number = 1;
        let wanted = function.name.clone();
        while !self.names.insert(function.name.clone()) {
            number += 1;
            function.name = format!("{wanted}!{number}");
        }
        self.functions.push(function);
        FunctionId::new(self.functions.len() - 1)
    }

    /// The term for a symbol.
    pub fn of_symbol(&mut self, id: SymbolId) -> TermId {
        let Symbol { sort, bounds, .. } = self.symbols[id.index()];
        if sort == Sort::Int
            && let (Some(lo), Some(hi)) = bounds
            && lo == hi
        {
            return self.int(lo);
        }
        self.intern(Term::Symbol(id), sort, bounds)
    }

    /// A new symbol as a term.
    pub fn fresh(&mut self, name: impl Into<String>, sort: Sort, bounds: Bounds) -> TermId {
        let id = self.add_symbol(Symbol { name: name.into(), sort, bounds });
        self.of_symbol(id)
    }

    /// The truth value `value`.
    #[must_use]
    pub const fn bool(&self, value: bool) -> TermId {
        self.truth[value as usize]
    }

    /// The integer `value`.
    pub fn int(&mut self, value: i128) -> TermId {
        self.intern(Term::Int(value), Sort::Int, (Some(value), Some(value)))
    }

    /// The truth value of a term that is a constant.
    #[must_use]
    pub fn as_bool(&self, id: TermId) -> Option<bool> {
        match self.get(id) {
            Term::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The integer that a term is.
    #[must_use]
    pub fn as_int(&self, id: TermId) -> Option<i128> {
        match self.get(id) {
            Term::Int(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn intern(&mut self, term: Term, sort: Sort, bounds: Bounds) -> TermId {
        if let Some(&id) = self.known.get(&term) {
            return id;
        }
        let id = TermId::new(self.nodes.len());
        self.nodes.push(term);
        self.sorts.push(sort);
        self.bounds.push(bounds);
        self.known.insert(term, id);
        id
    }

    /// Tightens the bounds of a term that is known to lie within them.
    pub(crate) fn set_bounds(&mut self, id: TermId, bounds: Bounds) {
        self.bounds[id.index()] = bounds;
    }

    /// The entry of a term, if there is one.
    pub(crate) fn lookup(&self, term: Term) -> Option<TermId> {
        self.known.get(&term).copied()
    }

    pub(crate) fn intern_list(&mut self, members: &[TermId]) -> ListId {
        if let Some(&id) = self.known_lists.get(members) {
            return id;
        }
        let id = ListId::new(self.lists.len());
        self.lists.push(members.into());
        self.known_lists.insert(members.into(), id);
        id
    }

    pub(crate) fn intern_sum(&mut self, sum: Sum) -> SumId {
        if let Some(&id) = self.known_sums.get(&sum) {
            return id;
        }
        let id = SumId::new(self.sums.len());
        self.sums.push(sum.clone());
        self.known_sums.insert(sum, id);
        id
    }

    /// The operands of a term; the bound symbols of a quantifier are among them.
    #[must_use]
    pub fn children(&self, id: TermId) -> Vec<TermId> {
        match self.get(id) {
            Term::Bool(_) | Term::Int(_) | Term::Symbol(_) => Vec::new(),
            Term::Not(a) | Term::AtMost(a, _) | Term::Equals(a, _) => vec![a],
            Term::And(list) | Term::Apply(_, list) => self.list(list).to_vec(),
            Term::Same(a, b)
            | Term::Mul(a, b)
            | Term::Div(a, b)
            | Term::Mod(a, b)
            | Term::Bits(_, _, a, b)
            | Term::Select(a, b) => vec![a, b],
            Term::Ite(a, b, c) | Term::Store(a, b, c) => vec![a, b, c],
            Term::Sum(sum) => self.sum(sum).parts.iter().map(|&(part, _)| part).collect(),
            Term::Forall(list, body) => [self.list(list), &[body]].concat(),
        }
    }

    /// Everything below and including `roots`, operands first.
    #[must_use]
    pub fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = std::collections::BTreeSet::new();
        let mut open = roots.to_vec();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                open.extend(self.children(id));
            }
        }
        seen.into_iter().collect()
    }
}

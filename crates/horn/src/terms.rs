//! Terms of clauses, with their sorts checked.

use std::collections::BTreeMap;

use tertium_base::{Diagnostic, Span};

use crate::sexpr::Form;

/// What kind of value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Sort {
    Bool,
    Int,
}

/// Operators over terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Not,
    And,
    Or,
    Implies,
    Eq,
    Lt,
    Le,
    Add,
    Sub,
    Mul,
    Negate,
    Div,
    Mod,
    If,
}

/// A term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Term {
    Bool(bool),
    Int(i64),
    /// A quantified variable, by its number in the clause.
    Var(usize, Sort),
    /// A predicate at some arguments.
    Predicate(usize, Vec<Term>),
    Apply(Op, Vec<Term>),
    /// `forall` (true) or `exists` around a term whose variables have numbers of their own.
    Quantified(bool, Box<Term>),
}

impl Term {
    pub fn sort(&self) -> Sort {
        match self {
            Self::Bool(_) | Self::Predicate(..) | Self::Quantified(..) => Sort::Bool,
            Self::Int(_) => Sort::Int,
            Self::Var(_, sort) => *sort,
            Self::Apply(op, operands) => match op {
                Op::Add | Op::Sub | Op::Mul | Op::Negate | Op::Div | Op::Mod => Sort::Int,
                Op::If => operands[1].sort(),
                _ => Sort::Bool,
            },
        }
    }

    /// Whether it is more than a constraint: a predicate or a quantifier stands in it.
    pub fn is_more_than_constraint(&self) -> bool {
        match self {
            Self::Predicate(..) | Self::Quantified(..) => true,
            Self::Apply(_, operands) => operands.iter().any(Self::is_more_than_constraint),
            _ => false,
        }
    }

    pub fn variables(&self, found: &mut Vec<usize>) {
        match self {
            Self::Var(at, _) => found.push(*at),
            Self::Predicate(_, operands) | Self::Apply(_, operands) => {
                operands.iter().for_each(|operand| operand.variables(found));
            }
            Self::Quantified(_, inner) => inner.variables(found),
            Self::Bool(_) | Self::Int(_) => {}
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Predicate(_, operands) | Self::Apply(_, operands) => {
                1 + operands.iter().map(Self::size).sum::<usize>()
            }
            Self::Quantified(_, inner) => 1 + inner.size(),
            _ => 1,
        }
    }

    pub fn not(self) -> Self {
        match self {
            Self::Bool(value) => Self::Bool(!value),
            Self::Apply(Op::Not, mut inner) => inner.swap_remove(0),
            other => Self::Apply(Op::Not, vec![other]),
        }
    }
}

/// What a name stands for while terms are read.
pub(crate) struct Names<'s> {
    /// Predicates by name: their numbers.
    pub predicates: &'s BTreeMap<String, usize>,
    /// The sorts of their arguments.
    pub arguments: &'s [Vec<Sort>],
    /// Definitions: parameters and body.
    pub macros: &'s BTreeMap<String, (Vec<String>, Form)>,
    /// Bound names, the innermost last.
    pub bound: Vec<(String, Term)>,
    /// How many names of definitions lead to each other.
    pub depth: usize,
    /// How many operators may still be written out.
    pub room: usize,
    /// The names and sorts of all variables of the clause; quantifiers inside add theirs.
    pub variables: Vec<(String, Sort)>,
}

/// A clause has at most this many operators.
pub(crate) const LARGEST: usize = 200_000;

pub(crate) fn refused(what: &str, span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error("E0742", format!("{what} cannot be read"));
    Box::new(error.at(span, "not supported").help("clauses are linear, over `Int` and `Bool`"))
}

pub(crate) fn wrong(message: impl Into<String>, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("E0743", message).at(span, "here"))
}

/// The sort that a form names.
pub(crate) fn sort(form: &Form) -> Result<Sort, Box<Diagnostic>> {
    match form.atom() {
        Some("Int") => Ok(Sort::Int),
        Some("Bool") => Ok(Sort::Bool),
        Some(other) => Err(refused(&format!("the sort `{other}`"), form.span())),
        None => {
            let head = form.headed().map_or("?", |(head, _)| head);
            let what = if head == "_" {
                "a sort with an index, such as bit-vectors,".to_owned()
            } else {
                format!("the sort `{head}`")
            };
            Err(refused(&what, form.span()))
        }
    }
}

/// `((x Int) (b Bool))`.
pub(crate) fn declared(names: &Form) -> Result<Vec<(String, Sort)>, Box<Diagnostic>> {
    let pairs = names.list().unwrap_or_default().iter();
    pairs
        .map(|pair| match pair.list() {
            Some([name, of]) if name.atom().is_some() => Ok((name.atom().unwrap_or_default().to_owned(), sort(of)?)),
            _ => Err(wrong("a variable is a name and a sort", pair.span())),
        })
        .collect()
}

impl Names<'_> {
    pub fn term(&mut self, form: &Form) -> Result<Term, Box<Diagnostic>> {
        match form {
            Form::Atom(text, span) => self.atom(text, *span),
            Form::List(..) => self.compound(form),
        }
    }

    fn atom(&mut self, text: &str, span: Span) -> Result<Term, Box<Diagnostic>> {
        if let Some((_, term)) = self.bound.iter().rev().find(|(name, _)| name == text) {
            // Whatever is bound is written out wherever it is named.
            let size = term.size();
            return match self.room.checked_sub(size) {
                Some(room) => {
                    let term = term.clone();
                    self.room = room;
                    Ok(term)
                }
                None => Err(refused("a clause that is so large once its bindings are written out", span)),
            };
        }
        match text {
            "true" => return Ok(Term::Bool(true)),
            "false" => return Ok(Term::Bool(false)),
            _ => {}
        }
        // `-7` is a symbol in the standard; solvers read it as a number, and files have it.
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_named = self.predicates.contains_key(text) || self.macros.contains_key(text);
        if !is_named && digits.starts_with(|c: char| c.is_ascii_digit()) {
            return match text.parse() {
                Ok(value) => Ok(Term::Int(value)),
                Err(_) if text.contains('.') => Err(refused("a real number", span)),
                Err(_) => Err(refused("a number of more than 64 bits", span)),
            };
        }
        self.called(text, Vec::new(), span)
    }

    /// A predicate or a definition at some arguments.
    fn called(&mut self, name: &str, values: Vec<Term>, span: Span) -> Result<Term, Box<Diagnostic>> {
        if let Some(&at) = self.predicates.get(name) {
            let wanted = &self.arguments[at];
            let found: Vec<Sort> = values.iter().map(Term::sort).collect();
            if *wanted != found {
                return Err(wrong(format!("`{name}` takes other arguments"), span));
            }
            return Ok(Term::Predicate(at, values));
        }
        let Some((parameters, body)) = self.macros.get(name) else {
            return Err(wrong(format!("nothing is named `{name}`"), span));
        };
        if parameters.len() != values.len() || self.depth > 100 {
            return Err(wrong(format!("`{name}` takes other arguments, or has no end"), span));
        }
        let outer = std::mem::replace(&mut self.bound, parameters.iter().cloned().zip(values).collect());
        self.depth += 1;
        let read = self.term(body);
        self.depth -= 1;
        self.bound = outer;
        read
    }

    fn compound(&mut self, form: &Form) -> Result<Term, Box<Diagnostic>> {
        let span = form.span();
        let Some((head, rest)) = form.headed() else { return Err(wrong("a term should stand here", span)) };
        match head {
            "let" => return self.bindings(rest, span),
            "!" => {
                return rest
                    .first()
                    .map_or_else(|| Err(wrong("a term should stand here", span)), |inner| self.term(inner));
            }
            "forall" | "exists" => return self.quantified(head == "forall", rest, span),
            _ => {}
        }
        let mut values = Vec::new();
        for part in rest {
            values.push(self.term(part)?);
        }
        self.operator(head, values, span)
    }

    /// A quantifier inside a clause: its variables get numbers of their own.
    fn quantified(&mut self, all: bool, rest: &[Form], span: Span) -> Result<Term, Box<Diagnostic>> {
        let [names, inner] = rest else { return Err(wrong("a quantifier takes variables and a term", span)) };
        let known = self.bound.len();
        for (name, sort) in declared(names)? {
            self.bound.push((name.clone(), Term::Var(self.variables.len(), sort)));
            self.variables.push((name, sort));
        }
        let read = self.term(inner);
        self.bound.truncate(known);
        Ok(Term::Quantified(all, Box::new(read?)))
    }

    fn bindings(&mut self, rest: &[Form], span: Span) -> Result<Term, Box<Diagnostic>> {
        let [pairs, body] = rest else { return Err(wrong("`let` takes bindings and a term", span)) };
        let mut fresh = Vec::new();
        for pair in pairs.list().unwrap_or_default() {
            match pair.list() {
                Some([name, value]) if name.atom().is_some() => {
                    let name = name.atom().unwrap_or_default().to_owned();
                    fresh.push((name, self.term(value)?));
                }
                _ => return Err(wrong("a binding is a name and a term", pair.span())),
            }
        }
        let known = self.bound.len();
        self.bound.extend(fresh);
        let read = self.term(body);
        self.bound.truncate(known);
        read
    }

    fn operator(&mut self, head: &str, mut values: Vec<Term>, span: Span) -> Result<Term, Box<Diagnostic>> {
        let all = |sort: Sort, values: &[Term]| values.iter().all(|value| value.sort() == sort);
        let pairs = |op: Op, swap: bool, values: &[Term]| {
            let pair = |pair: &[Term]| {
                let (a, b) = (pair[0].clone(), pair[1].clone());
                Term::Apply(op, if swap { vec![b, a] } else { vec![a, b] })
            };
            let mut parts: Vec<Term> = values.windows(2).map(pair).collect();
            if parts.len() == 1 { parts.swap_remove(0) } else { Term::Apply(Op::And, parts) }
        };
        let count = values.len();
        let found = match head {
            "and" | "or" if all(Sort::Bool, &values) => {
                Term::Apply(if head == "and" { Op::And } else { Op::Or }, values)
            }
            "not" if count == 1 && all(Sort::Bool, &values) => values.swap_remove(0).not(),
            "=>" if count >= 2 && all(Sort::Bool, &values) => {
                let mut last = values.pop().unwrap_or(Term::Bool(true));
                while let Some(before) = values.pop() {
                    last = Term::Apply(Op::Implies, vec![before, last]);
                }
                last
            }
            "xor" if count == 2 && all(Sort::Bool, &values) => Term::Apply(Op::Eq, values).not(),
            "=" if count >= 2 && all(values[0].sort(), &values) => pairs(Op::Eq, false, &values),
            "distinct" if count >= 2 && all(values[0].sort(), &values) => {
                let mut parts = Vec::new();
                for (at, one) in values.iter().enumerate() {
                    parts.extend(
                        values[at + 1..]
                            .iter()
                            .map(|other| Term::Apply(Op::Eq, vec![one.clone(), other.clone()]).not()),
                    );
                }
                Term::Apply(Op::And, parts)
            }
            "<" | ">" if count >= 2 && all(Sort::Int, &values) => pairs(Op::Lt, head == ">", &values),
            "<=" | ">=" if count >= 2 && all(Sort::Int, &values) => pairs(Op::Le, head == ">=", &values),
            "+" if all(Sort::Int, &values) => Term::Apply(Op::Add, values),
            "*" if all(Sort::Int, &values) => {
                let variable = |value: &&Term| {
                    let mut found = Vec::new();
                    value.variables(&mut found);
                    !found.is_empty()
                };
                if values.iter().filter(variable).count() > 1 {
                    return Err(refused("a product of two variables", span));
                }
                Term::Apply(Op::Mul, values)
            }
            "-" if count == 1 && all(Sort::Int, &values) => match values.swap_remove(0) {
                Term::Int(value) => Term::Int(value.wrapping_neg()),
                other => Term::Apply(Op::Negate, vec![other]),
            },
            "-" if count >= 2 && all(Sort::Int, &values) => Term::Apply(Op::Sub, values),
            "div" | "mod" if count == 2 && all(Sort::Int, &values) => {
                if !matches!(values[1], Term::Int(value) if value != 0) {
                    return Err(refused("a division by something else than a constant", span));
                }
                Term::Apply(if head == "div" { Op::Div } else { Op::Mod }, values)
            }
            "abs" if count == 1 && all(Sort::Int, &values) => {
                let value = values.swap_remove(0);
                let negative = Term::Apply(Op::Lt, vec![value.clone(), Term::Int(0)]);
                Term::Apply(Op::If, vec![negative, Term::Apply(Op::Negate, vec![value.clone()]), value])
            }
            "ite" if count == 3 && values[0].sort() == Sort::Bool && values[1].sort() == values[2].sort() => {
                Term::Apply(Op::If, values)
            }
            "select" | "store" => return Err(refused("an array", span)),
            "/" | "to_real" | "to_int" => return Err(refused("a real number", span)),
            _ if self.predicates.contains_key(head) || self.macros.contains_key(head) => {
                return self.called(head, values, span);
            }
            _ => return Err(wrong(format!("`{head}` is not known, or takes other arguments"), span)),
        };
        Ok(found)
    }
}

//! What does a name, a path or an index mean in an instance, and which number is a constant expression?

use super::{Flat, FlatType, InstanceId, LONGEST_CHAIN, Meaning};
use crate::ast::{Binary, Expr, ExprKind, Unary};

impl<'m> Flat<'m> {
    /// What a name means in an instance; none if nothing has this name.
    pub fn lookup(&self, name: &str, id: InstanceId) -> Option<Meaning<'m>> {
        let instance = &self.instances[id.index()];
        if let Some(meaning) = instance.names.get(name) {
            return Some(meaning.clone());
        }
        if name == "running" {
            return Some(Meaning::Running(self.processes[instance.process]));
        }
        self.symbols.contains(name).then(|| Meaning::Symbol(name.to_owned()))
    }

    /// The names that an instance knows.
    pub fn names(&self, id: InstanceId) -> impl Iterator<Item = &str> {
        self.instances[id.index()].names.keys().copied().chain(self.symbols.iter().map(String::as_str))
    }

    /// The meaning of a name or path, arguments followed to what they stand for; none if it is another expression.
    pub fn meaning(&self, expr: &'m Expr, id: InstanceId) -> Option<Meaning<'m>> {
        self.meaning_within(expr, id, 0)
    }

    /// What the parts of an array mean, and the index of the first: an array of variables, or `[a, b]` by definition.
    pub fn elements(&self, of: &Meaning<'m>) -> Option<(i64, Vec<Meaning<'m>>)> {
        let mut of = of.clone();
        for _ in 0..LONGEST_CHAIN {
            let (value, scope) = match of {
                Meaning::Elements(lo, elements) => return Some((lo, elements)),
                Meaning::Define(define) => {
                    let (scope, value) = self.defines[define.index()];
                    (value, scope)
                }
                Meaning::Argument(value, scope) => (value, scope),
                _ => return None,
            };
            if let ExprKind::Array(members) = &value.kind {
                return Some((0, members.iter().map(|member| Meaning::Argument(member, scope)).collect()));
            }
            of = self.meaning(value, scope)?;
        }
        None
    }

    /// An argument as what it stands for, if it is a name.
    fn followed(&self, meaning: Meaning<'m>, chain: usize) -> Option<Meaning<'m>> {
        match meaning {
            Meaning::Argument(value, of) => {
                Some(self.meaning_within(value, of, chain + 1).unwrap_or(Meaning::Argument(value, of)))
            }
            other => Some(other),
        }
    }

    fn meaning_within(&self, expr: &'m Expr, id: InstanceId, chain: usize) -> Option<Meaning<'m>> {
        if chain > LONGEST_CHAIN {
            return None;
        }
        match &expr.kind {
            ExprKind::Name(name) => self.followed(self.lookup(name, id)?, chain),
            ExprKind::Itself => Some(Meaning::Instance(id)),
            ExprKind::Field(of, field) => match self.meaning_within(of, id, chain + 1) {
                Some(Meaning::Instance(instance)) => {
                    let found = match self.instances[instance.index()].names.get(field.name.as_str()) {
                        Some(found) => found.clone(),
                        None if field.name == "running" => self.lookup("running", instance)?,
                        None => return None,
                    };
                    self.followed(found, chain)
                }
                _ => self.whole_name(expr, id, chain),
            },
            ExprKind::Index(of, index) => {
                let Some(of) = self.meaning_within(of, id, chain + 1) else { return self.whole_name(expr, id, chain) };
                let (lo, elements) = self.elements(&of)?;
                let at = usize::try_from(self.number(index, id, chain + 1)?.checked_sub(lo)?).ok()?;
                self.followed(elements.get(at)?.clone(), chain)
            }
            _ => None,
        }
    }

    /// What a name with points or indices of its own means: `e1.token` where there is no `e1`.
    fn whole_name(&self, expr: &'m Expr, id: InstanceId, chain: usize) -> Option<Meaning<'m>> {
        let name = self.written_name(expr, id, chain)?;
        match self.instances[id.index()].names.get(name.as_str()) {
            Some(found) => self.followed(found.clone(), chain),
            None => Some(name).filter(|name| self.symbols.contains(name)).map(Meaning::Symbol),
        }
    }

    /// A path as it would be declared: `a.b[3]`.
    fn written_name(&self, expr: &'m Expr, id: InstanceId, chain: usize) -> Option<String> {
        if chain > LONGEST_CHAIN {
            return None;
        }
        match &expr.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Field(of, field) => Some(format!("{}.{}", self.written_name(of, id, chain + 1)?, field.name)),
            ExprKind::Index(of, index) => {
                let index = self.number(index, id, chain + 1)?;
                Some(format!("{}[{index}]", self.written_name(of, id, chain + 1)?))
            }
            _ => None,
        }
    }

    /// How many bits a word has, as far as its form says so.
    fn word_size(&self, expr: &'m Expr, id: InstanceId, chain: usize) -> Option<i64> {
        if chain > LONGEST_CHAIN {
            return None;
        }
        let size = |expr| self.word_size(expr, id, chain + 1);
        let number = |expr| self.number(expr, id, chain + 1);
        match &expr.kind {
            ExprKind::Word { bits, .. } => Some(i64::from(*bits)),
            ExprKind::Bits(_, high, low) => number(high)?.checked_sub(number(low)?)?.checked_add(1),
            ExprKind::Binary(Binary::Concat, a, b) => size(a)?.checked_add(size(b)?),
            ExprKind::Binary(_, a, _) | ExprKind::Unary(_, a) | ExprKind::If(_, a, _) | ExprKind::Next(a) => size(a),
            ExprKind::Call(name, arguments) => match (name.name.as_str(), arguments.as_slice()) {
                ("word1", [_]) => Some(1),
                ("signed" | "unsigned", [a]) => size(a),
                ("extend", [a, by]) => size(a)?.checked_add(number(by)?),
                ("resize" | "uwconst" | "swconst", [_, bits]) => number(bits),
                _ => None,
            },
            _ => match self.meaning_within(expr, id, chain + 1)? {
                Meaning::Variable(variable) => match self.variables[variable.index()].ty {
                    FlatType::Word { bits, .. } => Some(i64::from(bits)),
                    _ => None,
                },
                Meaning::Define(define) => {
                    let (of, value) = self.defines[define.index()];
                    self.word_size(value, of, chain + 1)
                }
                Meaning::Argument(value, of) => self.word_size(value, of, chain + 1),
                _ => None,
            },
        }
    }

    /// The value of a constant expression.
    pub fn number(&self, expr: &'m Expr, id: InstanceId, chain: usize) -> Option<i64> {
        if chain > LONGEST_CHAIN {
            return None;
        }
        match &expr.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Unary(Unary::Negate, a) => self.number(a, id, chain + 1)?.checked_neg(),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.number(a, id, chain + 1)?, self.number(b, id, chain + 1)?);
                match op {
                    Binary::Add => a.checked_add(b),
                    Binary::Sub => a.checked_sub(b),
                    Binary::Mul => a.checked_mul(b),
                    Binary::Div => a.checked_div(b),
                    Binary::Mod => a.checked_rem(b),
                    _ => None,
                }
            }
            ExprKind::Call(name, arguments) => match (name.name.as_str(), arguments.as_slice()) {
                ("sizeof" | "wsizeof", [word]) => self.word_size(word, id, chain + 1),
                _ => None,
            },
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) => {
                match self.meaning_within(expr, id, chain + 1)? {
                    Meaning::Define(define) => {
                        let (of, value) = self.defines[define.index()];
                        self.number(value, of, chain + 1)
                    }
                    Meaning::Argument(value, of) => self.number(value, of, chain + 1),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

//! Values of expressions, straight from the tree.

use tertium_base::narrow::{to_i64, to_usize};
use tertium_gcl::ast::{
    Comparison, Expr, ExprKind, Factor, File, Ident, Initial, Item, ProcessDecl, ProcessRef, Range, TypeExpr, TypeKind,
    VarDecl,
};

use super::statements::Code;

/// A value, or the name of the fault.
pub(super) type Value = Result<i64, &'static str>;

/// A variable and where its cells are.
#[derive(Debug)]
pub(super) struct Variable<'a> {
    pub owner: Option<usize>,
    pub name: &'a str,
    /// Smallest and largest value of a cell.
    pub domain: (i64, i64),
    /// First index and number of cells; `None` for a plain variable.
    pub array: Option<(i64, i64)>,
    pub first: usize,
    pub initial: Option<i64>,
}

impl Variable<'_> {
    pub fn cells(&self) -> usize {
        self.array.map_or(1, |(_, cells)| to_usize(cells))
    }
}

/// A process that runs.
#[derive(Debug)]
pub(super) struct Process<'a> {
    pub decl: &'a ProcessDecl,
    pub index: Option<i64>,
    pub code: Code<'a>,
}

/// A program ready to be run from its tree.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    pub file: &'a File,
    pub processes: Vec<Process<'a>>,
    pub variables: Vec<Variable<'a>>,
    pub cells: usize,
}

/// Where an expression is evaluated.
#[derive(Clone, Copy)]
pub(super) struct View<'s> {
    pub values: &'s [i64],
    /// What each process does next; see [`super::statements`].
    pub control: &'s [super::statements::Head],
    pub me: Option<usize>,
}

impl<'a> Machine<'a> {
    pub fn new(file: &'a File) -> Self {
        let mut machine = Self { file, processes: Vec::new(), variables: Vec::new(), cells: 0 };
        for item in &file.items {
            if let Item::Var(decl) = item {
                machine.declare(decl, None);
            }
        }
        for item in &file.items {
            if let Item::Process(decl) = item {
                machine.start(decl);
            }
        }
        machine
    }

    fn start(&mut self, decl: &'a ProcessDecl) {
        let indices: Vec<Option<i64>> = match &decl.family {
            None => vec![None],
            Some((_, range)) => {
                let (lo, hi) = self.range(range);
                (lo..=hi).map(Some).collect()
            }
        };
        for index in indices {
            self.processes.push(Process { decl, index, code: Code::new(decl) });
            for locals in &decl.locals {
                self.declare(locals, Some(self.processes.len() - 1));
            }
        }
    }

    fn constant(&self, expr: &Expr, me: Option<usize>) -> i64 {
        self.value(expr, &View { values: &[], control: &[], me }).expect("constants have values")
    }

    fn range(&self, range: &Range) -> (i64, i64) {
        (self.constant(&range.lo, None), self.constant(&range.hi, None))
    }

    fn declare(&mut self, decl: &'a VarDecl, owner: Option<usize>) {
        let (cell, array) = match &decl.ty.kind {
            TypeKind::Array(range, cell) => {
                let (lo, hi) = self.range(range);
                (&**cell, Some((lo, hi - lo + 1)))
            }
            _ => (&decl.ty, None),
        };
        let domain = self.domain(cell);
        let initial = match &decl.initial {
            None => None,
            Some(Initial::Same(expr)) => Some(self.constant(expr, owner)),
            Some(Initial::Each(..)) => panic!("lists of initial values are not brute-forced"),
        };
        for name in &decl.names {
            let variable = Variable { owner, name: &name.name, domain, array, first: self.cells, initial };
            self.cells += variable.cells();
            self.variables.push(variable);
        }
    }

    fn domain(&self, ty: &TypeExpr) -> (i64, i64) {
        match &ty.kind {
            TypeKind::Int => (i64::MIN, i64::MAX),
            TypeKind::Nat => (0, i64::MAX),
            TypeKind::Bool => (0, 1),
            TypeKind::Bits(bits) => (0, (1 << bits) - 1),
            TypeKind::Range(range) => self.range(range),
            TypeKind::Name(name) => self
                .file
                .items
                .iter()
                .find_map(|item| match item {
                    Item::Enumeration(ident, members) if ident.name == *name => Some((0, to_i64(members.len()) - 1)),
                    _ => None,
                })
                .expect("a declared type"),
            TypeKind::Array(..) | TypeKind::Sugar(_) => {
                panic!("arrays of arrays, records and sets are not brute-forced")
            }
        }
    }

    /// A variable as the executing process sees it.
    pub fn variable(&self, name: &str, me: Option<usize>) -> Option<&Variable<'a>> {
        let of = |owner: Option<usize>| self.variables.iter().find(|var| var.owner == owner && var.name == name);
        me.and_then(|me| of(Some(me))).or_else(|| of(None))
    }

    pub fn process(&self, reference: &ProcessRef, view: &View<'_>) -> usize {
        let index = reference.index.as_ref().map(|index| self.constant(index, view.me));
        let found = self.processes.iter().position(|p| p.decl.name.name == reference.name.name && p.index == index);
        found.expect("a declared process")
    }

    pub fn holds(&self, expr: &Expr, view: &View<'_>) -> Result<bool, &'static str> {
        Ok(self.value(expr, view)? != 0)
    }

    /// The slot of a variable or cell.
    pub fn slot(&self, variable: &Variable<'_>, indices: &[Expr], view: &View<'_>) -> Result<usize, &'static str> {
        let (Some((lo, cells)), [index]) = (variable.array, indices) else { return Ok(variable.first) };
        let index = self.value(index, view)?;
        if !(lo..lo + cells).contains(&index) {
            return Err("array-bounds");
        }
        Ok(variable.first + to_usize(index - lo))
    }

    pub fn value(&self, expr: &Expr, view: &View<'_>) -> Value {
        let truth = |value: bool| Ok(i64::from(value));
        match &expr.kind {
            ExprKind::Int(value) => Ok(*value),
            ExprKind::Bool(value) => truth(*value),
            ExprKind::Deadlock => panic!("deadlock is a fact about the whole state"),
            ExprKind::Name(name) => self.name(name, view),
            ExprKind::Index(name, indices) => {
                let variable = self.variable(&name.name, view.me).expect("a declared array");
                Ok(view.values[self.slot(variable, indices, view)?])
            }
            ExprKind::Call(..) => Err("uninterpreted-function"),
            ExprKind::At(reference, label) => {
                let process = self.process(reference, view);
                truth(self.processes[process].code.is_at(&view.control[process], &label.name))
            }
            ExprKind::Field(reference, name, indices) => {
                let there = self.process(reference, view);
                let variable = self.variable(&name.name, Some(there)).expect("a declared local");
                Ok(view.values[self.slot(variable, indices, view)?])
            }
            ExprKind::Not(inner) => truth(!self.holds(inner, view)?),
            ExprKind::Negate(inner) => self.value(inner, view)?.checked_neg().ok_or("too-large"),
            ExprKind::And(parts) => {
                for part in parts {
                    if !self.holds(part, view)? {
                        return truth(false);
                    }
                }
                truth(true)
            }
            ExprKind::Or(parts) => {
                for part in parts {
                    if self.holds(part, view)? {
                        return truth(true);
                    }
                }
                truth(false)
            }
            ExprKind::Implies(a, b) => truth(!self.holds(a, view)? || self.holds(b, view)?),
            ExprKind::Iff(a, b) => truth(self.holds(a, view)? == self.holds(b, view)?),
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.value(a, view)?, self.value(b, view)?);
                truth(match op {
                    Comparison::Eq => a == b,
                    Comparison::Ne => a != b,
                    Comparison::Lt => a < b,
                    Comparison::Le => a <= b,
                    Comparison::Gt => a > b,
                    Comparison::Ge => a >= b,
                })
            }
            ExprKind::Sum(first, rest) => {
                let mut sum = self.value(first, view)?;
                for (minus, term) in rest {
                    let term = self.value(term, view)?;
                    let next = if *minus { sum.checked_sub(term) } else { sum.checked_add(term) };
                    sum = next.ok_or("too-large")?;
                }
                Ok(sum)
            }
            ExprKind::Product(first, rest) => self.product(first, rest, view),
            ExprKind::If(c, a, b) => self.value(if self.holds(c, view)? { a } else { b }, view),
            ExprKind::Bitwise(..) => panic!("bit-vectors are not brute-forced here"),
            ExprKind::Sugar(_) => panic!("quantifiers, records and sets are not brute-forced"),
        }
    }

    fn product(&self, first: &Expr, rest: &[(Factor, Expr)], view: &View<'_>) -> Value {
        let mut product = self.value(first, view)?;
        for (factor, operand) in rest {
            let operand = self.value(operand, view)?;
            product = match factor {
                Factor::Times => product.checked_mul(operand).ok_or("too-large")?,
                _ if operand == 0 => return Err("division-by-zero"),
                // Written out from the definition: a = q * b + r with 0 <= r < |b|.
                Factor::Mod => ((product % operand) + operand.abs()) % operand.abs(),
                Factor::Div => {
                    let remainder = ((product % operand) + operand.abs()) % operand.abs();
                    (product - remainder) / operand
                }
            };
        }
        Ok(product)
    }

    fn name(&self, name: &Ident, view: &View<'_>) -> Value {
        if let Some(process) = view.me.map(|me| &self.processes[me])
            && let (Some((index, _)), Some(value)) = (&process.decl.family, process.index)
            && index.name == name.name
        {
            return Ok(value);
        }
        if let Some(variable) = self.variable(&name.name, view.me) {
            return Ok(view.values[variable.first]);
        }
        for item in &self.file.items {
            match item {
                Item::Const(ident, expr) | Item::Define(ident, expr) | Item::Predicate(Some(ident), expr)
                    if ident.name == name.name =>
                {
                    return self.value(expr, &View { me: None, ..*view });
                }
                Item::Enumeration(_, members) => {
                    if let Some(position) = members.iter().position(|member| member.name == name.name) {
                        return Ok(to_i64(position));
                    }
                }
                _ => {}
            }
        }
        panic!("`{}` is not declared", name.name)
    }
}

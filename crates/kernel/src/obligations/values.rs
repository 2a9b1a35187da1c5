//! What is the value of an expression, and where has it none?
//!
//! Both as terms over the cells of a state. An expression may go wrong in three ways, which are kept apart, so that each kind of
//! mistake can be excluded for itself: division by zero, an index outside its array, and a process that is not there.

use std::collections::HashMap;

use tertium_program::{Binary, Expr, ExprId, ListId, Scope, Sort as ExprSort, Type, Unary, VarId};

use super::machine::{Machine, NoTerm, Store};
use super::terms::{Bounds, Function, Sort, TermId};

/// New values of symbols; whatever is not listed stays as it is.
pub(super) type Changes = HashMap<TermId, TermId>;

/// Where evaluating meets no division by zero, no bad index, no missing process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fine(pub(super) [TermId; 3]);

/// Who evaluates, and in which state.
pub(super) struct Sight<'a> {
    pub(super) me: Option<usize>,
    pub(super) changes: &'a Changes,
    pub(super) inputs: &'a [TermId],
}

impl Machine<'_> {
    /// An expression in the present state, as seen from outside: where it has a value and is true, and where it has one and is
    /// false.
    ///
    /// # Errors
    /// If it has no term.
    pub fn observed(&mut self, expr: ExprId) -> Result<(TermId, TermId), NoTerm> {
        let none = Changes::new();
        let (value, fine) = self.value(expr, &Sight { me: None, changes: &none, inputs: &[] })?;
        let value = self.as_truth(value);
        let defined = self.terms.all(&fine.0);
        let not = self.terms.not(value);
        Ok((self.terms.and(defined, value), self.terms.and(defined, not)))
    }

    /// The value of an expression in the present state, as seen from outside, as a number; where it has none, some number.
    ///
    /// # Errors
    /// If it has no term.
    pub(crate) fn number(&mut self, expr: ExprId) -> Result<TermId, NoTerm> {
        let none = Changes::new();
        let (value, _) = self.value(expr, &Sight { me: None, changes: &none, inputs: &[] })?;
        Ok(self.as_number(value))
    }

    pub(super) fn always_fine(&mut self) -> Fine {
        let yes = self.terms.truth(true);
        Fine([yes; 3])
    }

    pub(super) fn both_fine(&mut self, a: Fine, b: Fine) -> Fine {
        Fine(std::array::from_fn(|kind| self.terms.and(a.0[kind], b.0[kind])))
    }

    pub(super) fn fine_if(&mut self, condition: TermId, then: Fine) -> Fine {
        Fine(then.0.map(|part| self.terms.implies(condition, part)))
    }

    /// The value of an expression, and where it has one.
    pub(super) fn value(&mut self, root: ExprId, sight: &Sight<'_>) -> Result<(TermId, Fine), NoTerm> {
        let mut known: HashMap<ExprId, (TermId, Fine)> = HashMap::new();
        for id in self.program.exprs.reachable(&[root]) {
            let found = self.value_of(id, &known, sight)?;
            known.insert(id, found);
        }
        known.remove(&root).ok_or_else(|| NoTerm::new("an expression without parts"))
    }

    pub(super) fn as_truth(&mut self, term: TermId) -> TermId {
        if self.terms.sort(term) == Sort::Bool {
            return term;
        }
        let zero = self.terms.number(0);
        let is_zero = self.terms.eq(term, zero);
        self.terms.not(is_zero)
    }

    pub(super) fn as_number(&mut self, term: TermId) -> TermId {
        if self.terms.sort(term) == Sort::Int {
            return term;
        }
        let (one, zero) = (self.terms.number(1), self.terms.number(0));
        self.terms.ite(term, one, zero)
    }

    fn now(&self, symbol: TermId, sight: &Sight<'_>) -> TermId {
        sight.changes.get(&symbol).copied().unwrap_or(symbol)
    }

    fn value_of(
        &mut self,
        id: ExprId,
        known: &HashMap<ExprId, (TermId, Fine)>,
        sight: &Sight<'_>,
    ) -> Result<(TermId, Fine), NoTerm> {
        let exprs = &self.program.exprs;
        let mut fine = self.always_fine();
        let value = match exprs.get(id) {
            Expr::Bool(value) => self.terms.truth(value),
            Expr::Int(value) => self.terms.number(i128::from(value)),
            Expr::Member(_, position) => self.terms.number(i128::from(position)),
            Expr::Var(var) => return self.read(var, sight),
            Expr::Element(var, indices) => return self.element(var, indices, known, sight),
            Expr::Input(position, _) => {
                let input = sight.inputs.get(position as usize).copied();
                input.ok_or_else(|| NoTerm::new("an input that the step does not have"))?
            }
            Expr::Unary(op, a) => {
                let (a, below) = known[&a];
                fine = below;
                match op {
                    Unary::Not => {
                        let a = self.as_truth(a);
                        self.terms.not(a)
                    }
                    Unary::Negate => {
                        let a = self.as_number(a);
                        self.terms.negative(a)
                    }
                    Unary::Complement => {
                        let (a, one) = (self.as_number(a), self.terms.number(-1));
                        self.terms.difference(one, a)
                    }
                }
            }
            Expr::Binary(op, a, b) => return self.binary(op, known[&a], known[&b]),
            Expr::If(c, a, b) => {
                let ((c, fine_c), (a, fine_a), (b, fine_b)) = (known[&c], known[&a], known[&b]);
                let c = self.as_truth(c);
                let not_c = self.terms.not(c);
                let (then, otherwise) = (self.fine_if(c, fine_a), self.fine_if(not_c, fine_b));
                let branches = self.both_fine(then, otherwise);
                fine = self.both_fine(fine_c, branches);
                let truth = exprs.sort(id) == ExprSort::Bool;
                let (a, b) =
                    if truth { (self.as_truth(a), self.as_truth(b)) } else { (self.as_number(a), self.as_number(b)) };
                self.terms.ite(c, a, b)
            }
            Expr::Wrap(width, a) => {
                let (a, below) = known[&a];
                fine = below;
                let a = self.as_number(a);
                self.wrapped(u32::from(width.bits), width.signed, a)
            }
            Expr::Apply(function, arguments) => {
                let declared = self.program.function(function);
                let mut operands = Vec::new();
                for (&argument, ty) in exprs.list(arguments).iter().zip(&declared.arguments) {
                    let (term, below) = known[&argument];
                    fine = self.both_fine(fine, below);
                    operands.push(if *ty == Type::Bool { self.as_truth(term) } else { self.as_number(term) });
                }
                let value = self.terms.apply(&format!("{}()", declared.name), &operands);
                value.ok_or_else(|| NoTerm::new(format!("`{}` is not declared like this", declared.name)))?
            }
            other => return self.about_processes(id, other, known, sight),
        };
        Ok((value, fine))
    }

    /// Values that depend on which processes there are and where they stand.
    fn about_processes(
        &mut self,
        id: ExprId,
        expr: Expr,
        known: &HashMap<ExprId, (TermId, Fine)>,
        sight: &Sight<'_>,
    ) -> Result<(TermId, Fine), NoTerm> {
        let no = || NoTerm::new(format!("`{}` cannot be written as a term", self.program.show(id)));
        let fine = self.always_fine();
        Ok(match expr {
            Expr::At(process, location) => {
                let pid = self.only(process).ok_or_else(no)?;
                let here = self.stands(pid, location.index(), sight);
                (here, self.there(pid, sight))
            }
            Expr::RemoteAt(pid, process, location) => {
                let pid = self.constant(known[&pid].0).ok_or_else(no)?;
                let mut here = Vec::new();
                for slot in self.numbered(pid).filter(|&slot| self.code[slot] == process).collect::<Vec<_>>() {
                    here.push(self.stands(slot, location.index(), sight));
                }
                (self.terms.any(&here), fine)
            }
            Expr::Remote(pid, var) => {
                let pid = self.constant(known[&pid].0).ok_or_else(no)?;
                let slots: Vec<usize> = self.numbered(pid).collect();
                let mut value = self.terms.number(0);
                if slots.is_empty() {
                    return Err(no());
                }
                for slot in slots {
                    let Some(Store::Plain(symbol)) = self.own[slot].get(&var).cloned() else { return Err(no()) };
                    let (there, now) = (self.there(slot, sight), self.now(symbol, sight));
                    let now = self.as_number(now);
                    value = self.terms.ite(there.0[2], now, value);
                }
                (value, fine)
            }
            Expr::OwnPid => {
                let me = sight.me.ok_or_else(no)?;
                (self.terms.number(self.slots[me].pid as i128), fine)
            }
            Expr::ProcessCount => (self.count(sight), fine),
            Expr::Poll(pattern) => return self.poll(self.program.exprs.pattern(pattern), known, sight),
            // Nobody waits inside a block, nor seen from outside.
            Expr::Timeout if sight.me.is_some() && self.may_wait => (self.timeout()?, fine),
            Expr::Timeout => (self.terms.truth(false), fine),
            Expr::Length(channel) if self.constant(known[&channel].0).is_none() => {
                let (line, fine) = self.numbered_line(known[&channel], sight)?;
                // A channel without a buffer holds nothing.
                let mut value = self.terms.number(0);
                for (queue, this) in &line.buffers {
                    let length = self.now(queue.length, sight);
                    value = self.terms.ite(*this, length, value);
                }
                (value, fine)
            }
            Expr::Length(channel) => {
                let number = self.constant(known[&channel].0).ok_or_else(no)?;
                let queue = number.checked_sub(1).and_then(|at| self.queues.get(at)).cloned().flatten();
                (self.now(queue.ok_or_else(no)?.length, sight), known[&channel].1)
            }
            Expr::Capacity(channel) => {
                let number = self.constant(known[&channel].0).ok_or_else(no)?;
                let queue = number.checked_sub(1).and_then(|at| self.queues.get(at)).cloned().flatten();
                (self.terms.number(queue.ok_or_else(no)?.capacity as i128), known[&channel].1)
            }
            // What is claimed of it must follow from being stuck alone.
            Expr::Deadlock if sight.me.is_none() && sight.changes.is_empty() => (self.deadlock, fine),
            _ => return Err(no()),
        })
    }

    pub(super) fn constant(&self, term: TermId) -> Option<usize> {
        self.terms.as_number(term).and_then(|value| usize::try_from(value).ok())
    }

    /// The slots of whoever has this number.
    fn numbered(&self, pid: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.slots.len()).filter(move |&slot| self.slots[slot].pid == pid)
    }

    /// How many processes there are.
    pub(super) fn count(&mut self, sight: &Sight<'_>) -> TermId {
        let mut count = self.terms.number(0);
        for slot in 0..self.slots.len() {
            let there = self.there(slot, sight).0[2];
            let one = self.as_number(there);
            count = self.terms.sum(count, one);
        }
        count
    }

    /// Where nobody runs in a slot.
    pub(super) fn is_gone(&mut self, slot: usize, sight: &Sight<'_>) -> TermId {
        self.stands(slot, self.gone(slot), sight)
    }

    pub(super) fn stands(&mut self, pid: usize, location: usize, sight: &Sight<'_>) -> TermId {
        let (at, there) = (self.now(self.at[pid], sight), self.terms.number(location as i128));
        self.terms.eq(at, there)
    }

    /// Where a process is there.
    pub(super) fn there(&mut self, pid: usize, sight: &Sight<'_>) -> Fine {
        let gone = self.is_gone(pid, sight);
        let (yes, there) = (self.terms.truth(true), self.terms.not(gone));
        let ends = self.slots[pid].later
            || self
                .program
                .steps
                .iter()
                .any(|step| step.process == self.code[pid] && step.action == tertium_program::Action::End);
        Fine([yes, yes, if ends { there } else { yes }])
    }

    /// Where a variable is, as the executing process sees it, and where its process is there.
    pub(super) fn place(&mut self, var: VarId, sight: &Sight<'_>) -> Result<(Store, Fine), NoTerm> {
        let name = || NoTerm::new(format!("`{}` belongs to no single process", self.program.show_variable(var)));
        let fine = self.always_fine();
        match self.program.variable(var).scope {
            Scope::Global => Ok((self.shared.get(&var).cloned().ok_or_else(name)?, fine)),
            Scope::Local(process) => {
                if let Some(me) = sight.me.filter(|&me| self.code[me] == process) {
                    return Ok((self.own[me].get(&var).cloned().ok_or_else(name)?, fine));
                }
                let pid = self.only(process).ok_or_else(name)?;
                let store = self.own[pid].get(&var).cloned().ok_or_else(name)?;
                Ok((store, self.there(pid, sight)))
            }
        }
    }

    fn read(&mut self, var: VarId, sight: &Sight<'_>) -> Result<(TermId, Fine), NoTerm> {
        let (store, fine) = self.place(var, sight)?;
        let value = match store {
            Store::Plain(symbol) => match self.terms.domain(symbol).bounds {
                (Some(lo), Some(hi)) if lo == hi => self.terms.number(lo),
                _ => self.now(symbol, sight),
            },
            Store::Array(array) => {
                let (array, zero) = (self.now(array, sight), self.terms.number(0));
                self.terms.select(array, zero)
            }
            Store::Fixed(numbers) => self.terms.number(i128::from(numbers.first().copied().unwrap_or(0))),
        };
        Ok((value, fine))
    }

    fn element(
        &mut self,
        var: VarId,
        indices: ListId,
        known: &HashMap<ExprId, (TermId, Fine)>,
        sight: &Sight<'_>,
    ) -> Result<(TermId, Fine), NoTerm> {
        let (store, there) = self.place(var, sight)?;
        let indices: Vec<(TermId, Fine)> = self.program.exprs.list(indices).iter().map(|index| known[index]).collect();
        let (position, inside) = self.position(var, &indices);
        let fine = self.both_fine(there, inside);
        let value = match store {
            Store::Plain(symbol) => self.now(symbol, sight),
            Store::Array(array) => {
                let array = self.now(array, sight);
                self.terms.select(array, position)
            }
            Store::Fixed(numbers) => {
                let mut value = self.terms.number(0);
                for (at, &number) in numbers.iter().enumerate() {
                    let (at, number) = (self.terms.number(at as i128), self.terms.number(i128::from(number)));
                    let this = self.terms.eq(position, at);
                    value = self.terms.ite(this, number, value);
                }
                value
            }
        };
        Ok((value, fine))
    }

    /// The position of a cell in its array, and where its indices have values inside the array.
    pub(super) fn position(&mut self, var: VarId, indices: &[(TermId, Fine)]) -> (TermId, Fine) {
        let mut position = self.terms.number(0);
        let mut fine = self.always_fine();
        let dimensions = self.program.variable(var).dimensions.clone();
        for (&(index, below), dimension) in indices.iter().zip(&dimensions) {
            let index = self.as_number(index);
            fine = self.both_fine(fine, below);
            let inside = self.terms.within(index, (Some(dimension.lo.into()), Some(dimension.hi().into())));
            fine.0[1] = self.terms.and(fine.0[1], inside);
            let (len, lo) = (self.terms.number(dimension.len.into()), self.terms.number(dimension.lo.into()));
            let (row, offset) = (self.terms.product(position, len), self.terms.difference(index, lo));
            position = self.terms.sum(row, offset);
        }
        (position, fine)
    }

    fn binary(
        &mut self,
        op: Binary,
        (a, fine_a): (TermId, Fine),
        (b, fine_b): (TermId, Fine),
    ) -> Result<(TermId, Fine), NoTerm> {
        if matches!(op, Binary::And | Binary::Or | Binary::Implies) {
            let (a, b) = (self.as_truth(a), self.as_truth(b));
            let looks = if op == Binary::Or { self.terms.not(a) } else { a };
            let second = self.fine_if(looks, fine_b);
            let fine = self.both_fine(fine_a, second);
            let value = match op {
                Binary::And => self.terms.and(a, b),
                Binary::Or => self.terms.or(a, b),
                _ => self.terms.implies(a, b),
            };
            return Ok((value, fine));
        }
        let mut fine = self.both_fine(fine_a, fine_b);
        let truths = self.terms.sort(a) == Sort::Bool && self.terms.sort(b) == Sort::Bool;
        if truths && matches!(op, Binary::Eq | Binary::Ne) {
            let same = self.terms.eq(a, b);
            return Ok((if op == Binary::Eq { same } else { self.terms.not(same) }, fine));
        }
        let (a, b) = (self.as_number(a), self.as_number(b));
        if matches!(op, Binary::Div | Binary::Mod | Binary::Quotient | Binary::Remainder) {
            let zero = self.terms.number(0);
            let is_zero = self.terms.eq(b, zero);
            let not_zero = self.terms.not(is_zero);
            fine.0[0] = self.terms.and(fine.0[0], not_zero);
        }
        let terms = &mut self.terms;
        let value = match op {
            Binary::Add => terms.sum(a, b),
            Binary::Sub => terms.difference(a, b),
            Binary::Mul => terms.product(a, b),
            Binary::Div => terms.div(a, b),
            Binary::Mod => terms.modulo(a, b),
            Binary::Quotient => self.towards_zero(a, b, false),
            Binary::Remainder => self.towards_zero(a, b, true),
            Binary::Eq => terms.eq(a, b),
            Binary::Ne => {
                let same = terms.eq(a, b);
                terms.not(same)
            }
            Binary::Lt => terms.lt(a, b),
            Binary::Le => terms.le(a, b),
            Binary::Gt => terms.lt(b, a),
            Binary::Ge => terms.le(b, a),
            Binary::BitAnd => self.bits("bvand", a, b),
            Binary::BitOr => self.bits("bvor", a, b),
            Binary::BitXor => self.bits("bvxor", a, b),
            Binary::Shl | Binary::Shr => self.shifted(op == Binary::Shl, a, b),
            Binary::And | Binary::Or | Binary::Implies => terms.truth(false),
        };
        Ok((value, fine))
    }

    /// Quotient and remainder as in C: the quotient is rounded towards zero.
    fn towards_zero(&mut self, a: TermId, b: TermId, remainder: bool) -> TermId {
        let terms = &mut self.terms;
        let (zero, other) = (terms.number(0), terms.negative(a));
        let (plain, turned) = if remainder {
            (terms.modulo(a, b), terms.modulo(other, b))
        } else {
            (terms.div(a, b), terms.div(other, b))
        };
        let (positive, negative) = (terms.le(zero, a), terms.negative(turned));
        terms.ite(positive, plain, negative)
    }

    /// What remains of an integer in a machine word.
    pub(super) fn wrapped(&mut self, bits: u32, signed: bool, a: TermId) -> TermId {
        let whole = 1i128 << bits;
        let lowest = if signed { -(whole / 2) } else { 0 };
        if matches!(self.terms.bounds(a), (Some(lo), Some(hi)) if lo >= lowest && hi < lowest + whole) {
            return a;
        }
        let terms = &mut self.terms;
        let (whole, lowest) = (terms.number(whole), terms.number(lowest));
        let moved = terms.difference(a, lowest);
        let rest = terms.modulo(moved, whole);
        terms.sum(rest, lowest)
    }

    /// A function of which nothing is known stands for what cannot be said; that proves less, never more.
    fn anything(&mut self, name: &str, a: TermId, b: TermId) -> TermId {
        let declared = Function { arguments: vec![Sort::Int; 2], result: Sort::Int, bounds: (None, None) };
        self.terms.declare_function(name, declared);
        let value = self.terms.apply(name, &[a, b]);
        value.unwrap_or(a)
    }

    fn bits(&mut self, op: &'static str, a: TermId, b: TermId) -> TermId {
        for (value, mask) in [(a, b), (b, a)] {
            // A mask of low bits is a remainder.
            if let (Some(mask), "bvand") = (self.terms.as_number(mask), op)
                && mask >= 0
                && (mask + 1).count_ones() == 1
            {
                let whole = self.terms.number(mask + 1);
                return self.terms.modulo(value, whole);
            }
        }
        match width(self.terms.bounds(a)).zip(width(self.terms.bounds(b))) {
            Some((a_width, b_width)) => self.terms.bits(op, a_width.max(b_width), a, b),
            None => self.anything(&format!("?{op}"), a, b),
        }
    }

    fn shifted(&mut self, left: bool, a: TermId, b: TermId) -> TermId {
        let name = if left { "?shl" } else { "?shr" };
        let (Some(least), Some(most)) = self.terms.bounds(b) else { return self.anything(name, a, b) };
        if least < 0 || most > 31 {
            return self.anything(name, a, b);
        }
        let mut value = a;
        for by in (least..=most).rev() {
            let factor = self.terms.number(1i128 << by);
            let shifted = if left { self.terms.product(a, factor) } else { self.terms.div(a, factor) };
            let by = self.terms.number(by);
            let here = self.terms.eq(b, by);
            value = if most == least { shifted } else { self.terms.ite(here, shifted, value) };
        }
        value
    }
}

/// How many bits a signed word needs for values between these bounds.
fn width((lo, hi): Bounds) -> Option<u32> {
    let (lo, hi) = (lo?, hi?);
    (1..=64).find(|&width| lo >= -(1i128 << (width - 1)) && hi < 1i128 << (width - 1))
}

//! What do expressions mean?
//!
//! As in C: everything is a 32-bit integer, a condition is an integer that is not 0, and what does not fit wraps. Truncation
//! to a smaller type happens where a value is stored. The graph tells truth values from numbers, so each expression is
//! lowered as what it is and converted where the other is needed. Wrapping is written out only where a value can leave
//! its word.

use tertium_base::narrow::{to_i64, to_u32};
use tertium_program::{Binary, Expr, ExprId, Field, Pattern, Place, Sort, Unary, VarId, Width};

use super::Lowering;
use crate::ast::{self, ExprKind, FormulaKind, Probe, RecvArg, Remote, VarRef};
use crate::symbols::{DataType, Meaning, Predefined, SymbolId, UnitId};

/// A C `int`.
pub(super) const WORD: Width = Width::INT;

/// A plain part of a variable with its indices.
pub(super) type Cell = (VarId, Vec<ExprId>);

impl<'a> Lowering<'a> {
    /// An expression as a number.
    pub(super) fn value(&mut self, expr: &'a ast::Expr) -> ExprId {
        let lowered = self.expr(expr);
        self.number(lowered)
    }

    /// An expression as a condition.
    pub(super) fn condition(&mut self, expr: &'a ast::Expr) -> ExprId {
        let lowered = self.expr(expr);
        self.truth(lowered)
    }

    pub(super) fn number(&mut self, expr: ExprId) -> ExprId {
        if self.program.exprs.sort(expr) == Sort::Int {
            return expr;
        }
        let (one, zero) = (self.program.exprs.int(1), self.program.exprs.int(0));
        self.program.exprs.ite(expr, one, zero)
    }

    pub(super) fn truth(&mut self, expr: ExprId) -> ExprId {
        if self.program.exprs.sort(expr) == Sort::Bool {
            return expr;
        }
        let zero = self.program.exprs.int(0);
        self.program.exprs.binary(Binary::Ne, expr, zero)
    }

    fn expr(&mut self, expr: &'a ast::Expr) -> ExprId {
        match &expr.kind {
            ExprKind::Int(value) => {
                let value = WORD.wrap(*value);
                self.program.exprs.int(value)
            }
            ExprKind::Bool(value) => self.program.exprs.bool(*value),
            ExprKind::Skip => self.program.exprs.bool(true),
            ExprKind::Ref(reference) => self.read(reference),
            ExprKind::Unary(op, a) => self.unary(*op, a),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Conditional(c, a, b) => {
                let (c, a, b) = (self.condition(c), self.value(a), self.value(b));
                self.program.exprs.ite(c, a, b)
            }
            ExprKind::Run(run) => self.run_value(run, expr.span),
            ExprKind::Probe(probe, channel) => self.probe(*probe, channel),
            ExprKind::Poll { channel, args, random } => {
                let pattern = self.pattern(channel, args, *random);
                let pattern = self.program.exprs.add_pattern(pattern);
                self.program.exprs.add(Expr::Poll(pattern))
            }
            ExprKind::Timeout => self.program.exprs.add(Expr::Timeout),
            ExprKind::NonProgress => self.program.exprs.add(Expr::NonProgress),
            ExprKind::Enabled(pid) => {
                let pid = self.value(pid);
                self.program.exprs.add(Expr::Enabled(pid))
            }
            ExprKind::PcValue(pid) => {
                let pid = self.value(pid);
                self.program.exprs.add(Expr::LocationOf(pid))
            }
            ExprKind::GetPriority(pid) => {
                let pid = self.value(pid);
                self.priority_of(pid)
            }
            ExprKind::At(remote, label) => self.at(remote, label),
            ExprKind::RemoteVar(remote, reference) => self.remote_variable(remote, reference),
        }
    }

    fn priority_of(&mut self, pid: ExprId) -> ExprId {
        if self.program.priorities {
            return self.program.exprs.add(Expr::PriorityOf(pid));
        }
        self.program.exprs.int(1)
    }

    fn unary(&mut self, op: ast::Unary, operand: &'a ast::Expr) -> ExprId {
        if op == ast::Unary::Not {
            let operand = self.condition(operand);
            return self.program.exprs.not(operand);
        }
        let operand = self.value(operand);
        let op = if op == ast::Unary::Negate { Unary::Negate } else { Unary::Complement };
        let result = self.program.exprs.unary(op, operand);
        self.wrapped(WORD, result)
    }

    fn binary(&mut self, op: ast::Binary, a: &'a ast::Expr, b: &'a ast::Expr) -> ExprId {
        if matches!(op, ast::Binary::And | ast::Binary::Or) {
            let (a, b) = (self.condition(a), self.condition(b));
            let op = if op == ast::Binary::And { Binary::And } else { Binary::Or };
            return self.program.exprs.binary(op, a, b);
        }
        let (a, b) = (self.value(a), self.value(b));
        self.apply(op, a, b)
    }

    /// An operator on numbers.
    pub(super) fn apply(&mut self, op: ast::Binary, a: ExprId, b: ExprId) -> ExprId {
        let (op, b) = match op {
            ast::Binary::Add => (Binary::Add, b),
            ast::Binary::Sub => (Binary::Sub, b),
            ast::Binary::Mul => (Binary::Mul, b),
            ast::Binary::Div => (Binary::Quotient, b),
            ast::Binary::Rem => (Binary::Remainder, b),
            ast::Binary::BitAnd => (Binary::BitAnd, b),
            ast::Binary::BitXor => (Binary::BitXor, b),
            ast::Binary::BitOr => (Binary::BitOr, b),
            ast::Binary::Shl => (Binary::Shl, self.shift(b)),
            ast::Binary::Shr => (Binary::Shr, self.shift(b)),
            ast::Binary::Eq => (Binary::Eq, b),
            ast::Binary::Ne => (Binary::Ne, b),
            ast::Binary::Lt => (Binary::Lt, b),
            ast::Binary::Le => (Binary::Le, b),
            ast::Binary::Gt => (Binary::Gt, b),
            ast::Binary::Ge => (Binary::Ge, b),
            ast::Binary::And => (Binary::And, b),
            ast::Binary::Or => (Binary::Or, b),
        };
        let result = self.program.exprs.binary(op, a, b);
        if op.sort() == Sort::Bool { result } else { self.wrapped(WORD, result) }
    }

    /// Machines look at the last five bits of what a word is shifted by.
    fn shift(&mut self, by: ExprId) -> ExprId {
        let (lo, hi) = self.range(by);
        if lo >= 0 && hi < 32 {
            return by;
        }
        let mask = self.program.exprs.int(31);
        self.program.exprs.binary(Binary::BitAnd, by, mask)
    }

    /// What remains of a value in a word; nothing is written where all of it always fits.
    pub(super) fn wrapped(&mut self, width: Width, value: ExprId) -> ExprId {
        let (lo, hi) = self.range(value);
        if lo >= width.lowest() && hi <= width.highest() {
            return value;
        }
        self.program.exprs.wrap(width, value)
    }

    /// The least and largest value an expression can have; operands are words.
    fn range(&self, id: ExprId) -> (i64, i64) {
        let exprs = &self.program.exprs;
        let word = (WORD.lowest(), WORD.highest());
        let corners = |a: (i64, i64), b: (i64, i64), op: fn(i64, i64) -> i64| {
            let all = [op(a.0, b.0), op(a.0, b.1), op(a.1, b.0), op(a.1, b.1)];
            (all.into_iter().fold(i64::MAX, i64::min), all.into_iter().fold(i64::MIN, i64::max))
        };
        match exprs.get(id) {
            _ if exprs.sort(id) == Sort::Bool => (0, 1),
            Expr::Int(value) => (value, value),
            Expr::Var(var) | Expr::Element(var, _) | Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => {
                let (lo, hi) = self.program.bounds(self.program.variable(var).ty);
                (lo.unwrap_or(word.0), hi.unwrap_or(255))
            }
            Expr::Wrap(width, _) => (width.lowest(), width.highest()),
            Expr::If(_, a, b) => {
                let (a, b) = (self.range(a), self.range(b));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Expr::Unary(Unary::Negate, a) => {
                let (lo, hi) = self.range(a);
                (-hi, -lo)
            }
            Expr::Unary(Unary::Complement, a) => {
                let (lo, hi) = self.range(a);
                (-hi - 1, -lo - 1)
            }
            Expr::Binary(Binary::Add, a, b) => corners(self.range(a), self.range(b), |a, b| a + b),
            Expr::Binary(Binary::Sub, a, b) => corners(self.range(a), self.range(b), |a, b| a - b),
            Expr::Binary(Binary::Mul, a, b) => corners(self.range(a), self.range(b), |a, b| a * b),
            Expr::Binary(Binary::Quotient, a, _) => {
                let (lo, hi) = self.range(a);
                let most = lo.abs().max(hi.abs());
                (-most, most)
            }
            Expr::Binary(Binary::Remainder, a, b) => {
                let (divisor, dividend) = (self.range(b), self.range(a));
                let most = divisor.0.abs().max(divisor.1.abs());
                (if dividend.0 < 0 { -most } else { 0 }, most)
            }
            Expr::Binary(Binary::BitAnd, a, b) => {
                let (a, b) = (self.range(a), self.range(b));
                if a.0 >= 0 || b.0 >= 0 { (0, a.1.max(b.1).max(0)) } else { word }
            }
            Expr::Binary(Binary::Shl, ..) => (i64::MIN, i64::MAX),
            Expr::Length(_) | Expr::Capacity(_) | Expr::ProcessCount | Expr::OwnPid | Expr::LocationOf(_) => {
                (0, 1 << 20)
            }
            _ => word,
        }
    }

    fn probe(&mut self, probe: Probe, channel: &'a VarRef) -> ExprId {
        let channel = self.read(channel);
        let length = self.program.exprs.add(Expr::Length(channel));
        let zero = self.program.exprs.int(0);
        match probe {
            Probe::Len => length,
            Probe::Empty => self.program.exprs.eq(length, zero),
            Probe::Nempty => self.program.exprs.binary(Binary::Gt, length, zero),
            Probe::Full | Probe::Nfull => {
                // A channel without a buffer is never full.
                let capacity = self.program.exprs.add(Expr::Capacity(channel));
                let room = self.program.exprs.binary(Binary::Gt, capacity, zero);
                let full = self.program.exprs.eq(length, capacity);
                let full = self.program.exprs.and(room, full);
                if probe == Probe::Full { full } else { self.program.exprs.not(full) }
            }
        }
    }

    fn at(&mut self, remote: &'a Remote, label: &ast::LabelRef) -> ExprId {
        let place = match self.symbols.meaning(label.id) {
            Some(Meaning::Label(id)) => self.labels.get(id).copied(),
            _ => None,
        };
        let Some((process, location)) = place else {
            return self.error(
                label.name.span,
                format!("the label `{}` has no place", label.name.name),
                "label a statement",
            );
        };
        let pid = self.remote_pid(remote);
        self.program.exprs.add(Expr::RemoteAt(pid, process, location))
    }

    fn remote_variable(&mut self, remote: &'a Remote, reference: &'a VarRef) -> ExprId {
        let pid = self.remote_pid(remote);
        let Some((var, indices)) = self.cell(reference) else {
            return self.error(
                reference.span,
                "this variable of another process cannot be read",
                "read a plain variable",
            );
        };
        let expr = if indices.is_empty() {
            Expr::Remote(pid, var)
        } else {
            let list = self.program.exprs.add_list(&indices);
            Expr::RemoteElement(pid, var, list)
        };
        self.program.exprs.add_sorted(expr, Sort::Int)
    }

    /// Which instance is meant: the one with the given pid, else the oldest.
    fn remote_pid(&mut self, remote: &'a Remote) -> ExprId {
        if let Some(pid) = &remote.pid {
            return self.value(pid);
        }
        let Some(unit) = self.unit_named(&remote.process.name) else {
            return self.error(remote.process.span, "there is no such process", "name a proctype");
        };
        let process = self.processes[&unit];
        let mut pids = self.program.instances.iter().enumerate().filter(|(_, instance)| instance.process == process);
        match (pids.next(), pids.next()) {
            (Some((pid, _)), _) => self.program.exprs.int(to_i64(pid)),
            _ => self.program.exprs.add(Expr::FirstInstance(process)),
        }
    }

    pub(super) fn unit_named(&self, name: &str) -> Option<UnitId> {
        self.symbols.units.iter().position(|unit| unit.name == name).map(UnitId::new)
    }

    fn read(&mut self, reference: &'a VarRef) -> ExprId {
        match self.symbols.meaning(reference.id) {
            Some(&Meaning::Constant { value, .. }) => self.program.exprs.int(value),
            Some(Meaning::Predefined(Predefined::Pid)) => self.program.exprs.add(Expr::OwnPid),
            Some(Meaning::Predefined(Predefined::NrPr)) => self.program.exprs.add(Expr::ProcessCount),
            Some(Meaning::Predefined(Predefined::Priority)) => {
                let me = self.program.exprs.add(Expr::OwnPid);
                self.priority_of(me)
            }
            Some(Meaning::Predefined(Predefined::Last)) => match self.program.last {
                Some(last) => self.program.read(last),
                None => self.program.exprs.int(0),
            },
            // Only a trace sends it, where whatever is not constant stands for any value.
            Some(Meaning::Predefined(Predefined::Scratch)) => self.program.exprs.add(Expr::OwnPid),
            Some(Meaning::Variable { .. }) => match self.cell(reference) {
                Some(cell) => self.read_cell(&cell),
                None => self.error(reference.span, "a whole structure is no value", "name one of its fields"),
            },
            _ => self.error(reference.span, "this name has no value", "name a variable"),
        }
    }

    pub(super) fn read_cell(&mut self, (var, indices): &Cell) -> ExprId {
        if indices.is_empty() { self.program.read(*var) } else { self.program.exprs.element(*var, indices, Sort::Int) }
    }

    pub(super) fn place_of(&mut self, (var, indices): &Cell) -> Place {
        if indices.is_empty() { Place::Var(*var) } else { Place::Element(*var, self.program.exprs.add_list(indices)) }
    }

    /// The plain cell that a reference names; none for a whole structure. An array without an index is its first cell.
    pub(super) fn cell(&mut self, reference: &'a VarRef) -> Option<Cell> {
        let Some(Meaning::Variable { symbol, fields, .. }) = self.symbols.meaning(reference.id) else { return None };
        let (_, indices) = self.indices(reference, *symbol, fields);
        let var = self.places.get(&(*symbol, fields.clone())).copied()?;
        Some((var, indices))
    }

    /// The indices of a reference, 0 where an array has none, and the type it ends in.
    fn indices(&mut self, reference: &'a VarRef, symbol: SymbolId, fields: &[u32]) -> (DataType, Vec<ExprId>) {
        let mut declared = self.symbols.variable(symbol);
        let mut indices = Vec::new();
        for (at, part) in reference.parts.iter().enumerate() {
            if at > 0 {
                let DataType::Struct(id) = declared.ty else { break };
                let Some(&field) = fields.get(at - 1) else { break };
                declared = &self.symbols.structure(id).fields[field as usize];
            }
            if declared.size.is_some() {
                let index = match &part.index {
                    Some(index) => self.value(index),
                    None => self.program.exprs.int(0),
                };
                indices.push(index);
            }
        }
        (declared.ty, indices)
    }

    /// The plain cells of what a reference names, in the order in which they travel in messages.
    pub(super) fn spread(&mut self, reference: &'a VarRef) -> Vec<Cell> {
        let Some(Meaning::Variable { symbol, fields, .. }) = self.symbols.meaning(reference.id) else {
            return Vec::new();
        };
        let (ty, indices) = self.indices(reference, *symbol, fields);
        let mut cells = Vec::new();
        let mut open = vec![(ty, fields.clone(), indices)];
        while let Some((ty, fields, indices)) = open.pop() {
            let DataType::Struct(id) = ty else {
                cells.extend(self.places.get(&(*symbol, fields)).map(|&var| (var, indices)));
                continue;
            };
            for (at, field) in self.symbols.structure(id).fields.iter().enumerate().rev() {
                let path = [fields.as_slice(), &[to_u32(at)]].concat();
                let Some(size) = field.size else {
                    open.push((field.ty, path, indices.clone()));
                    continue;
                };
                for cell in (0..size).rev() {
                    let index = self.program.exprs.int(i64::from(cell));
                    open.push((field.ty, path.clone(), [indices.as_slice(), &[index]].concat()));
                }
            }
        }
        cells
    }

    /// Values of arguments; a structure stands for all its parts.
    pub(super) fn arguments(&mut self, args: &'a [ast::Expr]) -> Vec<ExprId> {
        let mut values = Vec::new();
        for arg in args {
            match self.whole_structure(arg) {
                Some(reference) => {
                    let cells = self.spread(reference);
                    values.extend(cells.iter().map(|cell| self.read_cell(cell)).collect::<Vec<_>>());
                }
                None => values.push(self.value(arg)),
            }
        }
        values
    }

    pub(super) fn whole_structure(&self, expr: &'a ast::Expr) -> Option<&'a VarRef> {
        let ExprKind::Ref(reference) = &expr.kind else { return None };
        self.is_structure(reference).then_some(reference)
    }

    pub(super) fn is_structure(&self, reference: &VarRef) -> bool {
        matches!(self.symbols.meaning(reference.id), Some(Meaning::Variable { ty: DataType::Struct(_), .. }))
    }

    /// Which message a receive or a poll means.
    pub(super) fn pattern(&mut self, channel: &'a VarRef, args: &'a [RecvArg], anywhere: bool) -> Pattern {
        let channel = self.read(channel);
        let mut fields = Vec::new();
        for arg in args {
            match arg {
                RecvArg::Const(value, _) => {
                    let value = self.program.exprs.int(*value);
                    fields.push(Field::Match(value));
                }
                RecvArg::Eval(expr) => {
                    let value = self.value(expr);
                    fields.push(Field::Match(value));
                }
                RecvArg::Place(reference) => match self.symbols.meaning(reference.id) {
                    Some(&Meaning::Constant { value, .. }) => {
                        let value = self.program.exprs.int(value);
                        fields.push(Field::Match(value));
                    }
                    Some(Meaning::Variable { .. }) => {
                        for cell in self.spread(reference) {
                            fields.push(Field::Bind(self.place_of(&cell)));
                        }
                    }
                    _ => fields.push(Field::Skip),
                },
            }
        }
        Pattern { channel, fields, anywhere }
    }

    pub(super) fn each_expr(&self, look: &mut dyn FnMut(&'a ast::Expr)) {
        let mut roots: Vec<&'a ast::Expr> = Vec::new();
        self.each_stmt(&mut |stmt| match &stmt.kind {
            ast::StmtKind::Expr(a) | ast::StmtKind::Assert(a) | ast::StmtKind::Assign(_, a) => roots.push(a),
            ast::StmtKind::Send { args, .. } | ast::StmtKind::Printf(_, args) => roots.extend(args),
            _ => {}
        });
        let mut formulas = Vec::new();
        for item in &self.file.items {
            match item {
                ast::Item::Ltl(ltl) => formulas.push(&ltl.formula),
                ast::Item::Proctype(proctype) => roots.extend(&proctype.provided),
                _ => {}
            }
        }
        while let Some(formula) = formulas.pop() {
            match &formula.kind {
                FormulaKind::Atom(expr) => roots.push(expr),
                FormulaKind::Not(a) | FormulaKind::Next(a) | FormulaKind::Always(a) | FormulaKind::Eventually(a) => {
                    formulas.push(a);
                }
                FormulaKind::Binary(_, a, b) => formulas.extend([&**a, &**b]),
            }
        }
        while let Some(expr) = roots.pop() {
            look(expr);
            match &expr.kind {
                ExprKind::Unary(_, a) => roots.push(a),
                ExprKind::Binary(_, a, b) => roots.extend([&**a, &**b]),
                ExprKind::Conditional(a, b, c) => roots.extend([&**a, &**b, &**c]),
                _ => {}
            }
        }
    }
}

//! What does a single statement do?

use tertium_base::Span;
use tertium_program::{Action, Assign, Expr, ExprId, Sort};

use super::Lowering;
use super::elements::{Basic, Draft, ElementId, ElementKind};
use crate::ast::{self, Declarator, ExprKind, Initializer, Stmt, StmtKind, VarRef};
use crate::symbols::{DataType, Meaning, Predefined, UnitId};

impl<'a> Lowering<'a> {
    /// Guard and action of an element.
    pub(super) fn action(&mut self, unit: UnitId, draft: &Draft<'a>, id: ElementId) -> (ExprId, Action) {
        let always = self.program.exprs.bool(true);
        let element = &draft.elements[id];
        let action = match &element.kind {
            ElementKind::End => Action::End,
            ElementKind::Basic(Basic::Plain(stmt)) => return self.plain(stmt),
            ElementKind::Basic(Basic::Reset(declarator)) => self.reset(declarator),
            ElementKind::Basic(Basic::Set(var, value)) => {
                let value = self.value(value);
                self.assignment(var, value)
            }
            ElementKind::Basic(Basic::SetTo(var, value)) => {
                let value = self.program.exprs.int(*value);
                self.assignment(var, value)
            }
            ElementKind::Basic(Basic::Compare(op, var, limit)) => {
                let (value, limit) = (self.read_reference(var), self.value(limit));
                let guard = self.apply(*op, value, limit);
                return (self.truth(guard), Action::skip());
            }
            ElementKind::Basic(Basic::AtMost(var, limit)) => {
                let (value, limit) = (self.read_reference(var), self.program.exprs.int(*limit));
                return (self.apply(ast::Binary::Le, value, limit), Action::skip());
            }
            ElementKind::Basic(Basic::Next(var)) => self.change(var, ast::Binary::Add),
            ElementKind::Basic(Basic::CounterStart(loop_id, capacity)) => {
                let (counter, zero) = (self.counter(unit, *loop_id, *capacity), self.program.exprs.int(0));
                Action::Assign(vec![Assign { place: tertium_program::Place::Var(counter), value: zero }])
            }
            ElementKind::Basic(Basic::CounterLess(loop_id, capacity, channel)) => {
                let counter = self.counter(unit, *loop_id, *capacity);
                let (counter, channel) = (self.program.read(counter), self.read_reference(channel));
                let length = self.program.exprs.add(Expr::Length(channel));
                return (self.apply(ast::Binary::Lt, counter, length), Action::skip());
            }
            ElementKind::Basic(Basic::CounterNext(loop_id, capacity)) => {
                let counter = self.counter(unit, *loop_id, *capacity);
                let (value, one) = (self.program.read(counter), self.program.exprs.int(1));
                let value = self.apply(ast::Binary::Add, value, one);
                let value = self.fit(self.program.variable(counter).ty, value);
                Action::Assign(vec![Assign { place: tertium_program::Place::Var(counter), value }])
            }
            ElementKind::Basic(Basic::Take(channel, var)) => {
                let channel = self.read_reference(channel);
                let cells = self.spread(var);
                let fields = cells.iter().map(|cell| tertium_program::Field::Bind(self.place_of(cell))).collect();
                Action::Receive { pattern: tertium_program::Pattern { channel, fields, anywhere: false }, keep: false }
            }
            ElementKind::Basic(Basic::PutBack(channel, var)) => {
                let channel = self.read_reference(channel);
                let cells = self.spread(var);
                let message = cells.iter().map(|cell| self.read_cell(cell)).collect();
                Action::Send { channel, message, sorted: false }
            }
            _ => Action::skip(),
        };
        (always, action)
    }

    fn plain(&mut self, stmt: &'a Stmt) -> (ExprId, Action) {
        let always = self.program.exprs.bool(true);
        let action = match &stmt.kind {
            StmtKind::Expr(expr) => {
                if let Some(action) = self.creation(expr, None) {
                    return (always, action);
                }
                return (self.condition(expr), Action::skip());
            }
            StmtKind::Assign(place, value) => match self.creation(value, Some(place)) {
                Some(action) => action,
                None => self.assign(place, value),
            },
            StmtKind::Increment(place) => self.change(place, ast::Binary::Add),
            StmtKind::Decrement(place) => self.change(place, ast::Binary::Sub),
            StmtKind::Send { channel, args, sorted } => {
                let channel = self.read_reference(channel);
                Action::Send { channel, message: self.arguments(args), sorted: *sorted }
            }
            StmtKind::Receive { channel, args, random, keep } => {
                Action::Receive { pattern: self.pattern(channel, args, *random), keep: *keep }
            }
            StmtKind::Assert(expr) => Action::Assert(self.condition(expr)),
            StmtKind::Printf(format, values) => {
                let format = format.clone();
                Action::Print { format, values: values.iter().map(|value| self.value(value)).collect() }
            }
            StmtKind::Printm(value) => Action::Print { format: "%e".to_owned(), values: vec![self.value(value)] },
            StmtKind::SetPriority(pid, value) => Action::SetPriority { pid: self.value(pid), value: self.value(value) },
            _ => Action::skip(),
        };
        (always, action)
    }

    fn assign(&mut self, place: &'a VarRef, value: &'a ast::Expr) -> Action {
        if let Some(source) = self.whole_structure(value)
            && self.is_structure(place)
        {
            let (targets, sources) = (self.spread(place), self.spread(source));
            let mut assigns = Vec::new();
            for (target, source) in targets.iter().zip(&sources) {
                let value = self.read_cell(source);
                assigns.push(Assign { place: self.place_of(target), value });
            }
            return Action::Assign(assigns);
        }
        let value = self.value(value);
        self.assignment(place, value)
    }

    /// `place = value`, truncated to the type of the place.
    fn assignment(&mut self, place: &'a VarRef, value: ExprId) -> Action {
        if let Some(Meaning::Predefined(predefined)) = self.symbols.meaning(place.id) {
            return match predefined {
                Predefined::Priority => {
                    let pid = self.program.exprs.add(Expr::OwnPid);
                    self.program.priorities = true;
                    Action::SetPriority { pid, value }
                }
                _ => Action::skip(),
            };
        }
        let Some(cell) = self.cell(place) else {
            self.error(place.span, "a whole structure cannot be assigned a number", "assign its fields one by one");
            return Action::skip();
        };
        let value = self.fit(self.program.variable(cell.0).ty, value);
        Action::Assign(vec![Assign { place: self.place_of(&cell), value }])
    }

    fn change(&mut self, place: &'a VarRef, op: ast::Binary) -> Action {
        let (value, one) = (self.read_reference(place), self.program.exprs.int(1));
        let value = self.apply(op, value, one);
        self.assignment(place, value)
    }

    fn read_reference(&mut self, reference: &'a VarRef) -> ExprId {
        match self.cell(reference) {
            Some(cell) => self.read_cell(&cell),
            None => self.error(reference.span, "this is no plain variable", "name a variable or a field"),
        }
    }

    /// A declaration inside a block sets its variable; of an array only the first cell, of a structure nothing.
    fn reset(&mut self, declarator: &'a Declarator) -> Action {
        let Some(symbol) = self.symbols.declared(declarator.id) else { return Action::skip() };
        let declared = self.symbols.variable(symbol);
        if matches!(declared.ty, DataType::Struct(_)) {
            return Action::skip();
        }
        let Some(&var) = self.places.get(&(symbol, Vec::new())) else { return Action::skip() };
        let value = match &declarator.initial {
            Some(Initializer::Value(value)) => match self.creation_into(value, symbol) {
                Some(action) => return action,
                None => self.value(value),
            },
            _ => self.program.exprs.int(0),
        };
        let indices = declared.size.map(|_| self.program.exprs.int(0)).into_iter().collect();
        let value = self.fit(self.program.variable(var).ty, value);
        Action::Assign(vec![Assign { place: self.place_of(&(var, indices)), value }])
    }

    fn creation_into(&mut self, value: &'a ast::Expr, symbol: crate::symbols::SymbolId) -> Option<Action> {
        let mut action = self.creation(value, None)?;
        let var = self.places.get(&(symbol, Vec::new())).copied()?;
        if let Action::Run { then, .. } = &mut action {
            let pid = self.program.exprs.add(Expr::Input(0, Sort::Int));
            let value = self.fit(self.program.variable(var).ty, pid);
            then.push(Assign { place: tertium_program::Place::Var(var), value });
        }
        Some(action)
    }

    /// A statement that creates a process: `run P()`, or `v = run P()`. In a condition, a pid counts as true.
    fn creation(&mut self, expr: &'a ast::Expr, into: Option<&'a VarRef>) -> Option<Action> {
        let run = find_run(expr)?;
        let unit = self.symbols.proctype(&run.process.name)?;
        let process = self.processes[&unit];
        let arguments = self.arguments(&run.args);
        let given = run.priority.as_ref();
        let priority = given.filter(|_| self.program.priorities).map(|priority| self.value(priority));
        let mut then = Vec::new();
        if let Some(place) = into {
            let value = self.value(expr);
            if let Action::Assign(assigns) = self.assignment(place, value) {
                then = assigns;
            }
        }
        Some(Action::Run { process, arguments, priority, then })
    }

    /// The pid of the process that the statement at hand creates.
    pub(super) fn run_value(&mut self, _run: &'a ast::Run, _span: Span) -> ExprId {
        self.program.exprs.add(Expr::Input(0, Sort::Int))
    }

    /// How a step reads.
    pub(super) fn step_text(&self, draft: &Draft<'a>, id: ElementId) -> String {
        let element = &draft.elements[id];
        let name = |reference: &VarRef| self.text(reference.span);
        match &element.kind {
            ElementKind::End => "-end-".to_owned(),
            ElementKind::Else => "else".to_owned(),
            ElementKind::Break(_) => "break".to_owned(),
            ElementKind::Join => "(go on)".to_owned(),
            ElementKind::Goto(_) => self.text(element.span),
            ElementKind::Basic(basic) => match basic {
                Basic::Plain(_) | Basic::Reset(_) => self.text(element.span),
                Basic::Skip => "skip".to_owned(),
                Basic::Set(var, value) => format!("{} = {}", name(var), self.text(value.span)),
                Basic::SetTo(var, value) => format!("{} = {value}", name(var)),
                Basic::Compare(op, var, limit) => {
                    let symbol = if *op == ast::Binary::Le { "<=" } else { "<" };
                    format!("{} {symbol} {}", name(var), self.text(limit.span))
                }
                Basic::AtMost(var, limit) => format!("{} <= {limit}", name(var)),
                Basic::Next(var) => format!("{}++", name(var)),
                Basic::CounterStart(..) => "counter = 0".to_owned(),
                Basic::CounterLess(_, _, channel) => format!("counter < len({})", name(channel)),
                Basic::CounterNext(..) => "counter++".to_owned(),
                Basic::Take(channel, var) => format!("{}?{}", name(channel), name(var)),
                Basic::PutBack(channel, var) => format!("{}!{}", name(channel), name(var)),
            },
            _ => String::new(),
        }
    }
}

fn find_run(expr: &ast::Expr) -> Option<&ast::Run> {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match &expr.kind {
            ExprKind::Run(run) => return Some(run),
            ExprKind::Unary(_, a) => open.push(a),
            ExprKind::Binary(_, a, b) => open.extend([&**a, &**b]),
            ExprKind::Conditional(a, b, c) => open.extend([&**a, &**b, &**c]),
            _ => {}
        }
    }
    None
}

//! How do expressions, steps and whole programs read?
//!
//! The notation is that of guarded commands whatever the front end was, so that abstractions, reports and
//! golden tests speak one language. Very large expressions are cut, never half a gigabyte of text.

use std::fmt::Write;

use crate::expr::{Binary, Expr, ExprId, Field, ListId, Pattern, Place, Unary};
use crate::graph::{Action, Assign, Domain, Fairness, Hold, LocationId, ProcessId, Program, Step};
use crate::types::{InitialValue, Scope, Type, VarId};

/// Operands nested deeper than this are shown as dots.
const DEEPEST: u32 = 60;
/// Once this many bytes are written, operands are shown as dots.
const LONGEST: usize = 4000;

/// How tightly an operator binds; larger binds tighter.
fn strength(op: Binary) -> u8 {
    match op {
        Binary::Implies => 1,
        Binary::Or => 2,
        Binary::And => 3,
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => 5,
        Binary::BitOr | Binary::BitXor | Binary::BitAnd | Binary::Shl | Binary::Shr => 6,
        Binary::Add | Binary::Sub => 7,
        Binary::Mul | Binary::Div | Binary::Mod | Binary::Quotient | Binary::Remainder => 8,
    }
}

const fn symbol(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "div",
        Binary::Mod => "mod",
        Binary::Quotient => "/",
        Binary::Remainder => "%",
        Binary::Eq => "=",
        Binary::Ne => "!=",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Implies => "->",
        Binary::BitAnd => "&",
        Binary::BitOr => "|",
        Binary::BitXor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
    }
}

struct Printer<'p> {
    program: &'p Program,
    /// Whose locals are shown without their process.
    viewpoint: Option<ProcessId>,
    text: String,
    depth: u32,
}

impl Printer<'_> {
    fn expr(&mut self, id: ExprId, around: u8) {
        if self.depth > DEEPEST || self.text.len() > LONGEST {
            self.text.push('…');
            return;
        }
        self.depth += 1;
        match self.program.exprs.get(id) {
            Expr::Unary(op, a) => {
                self.text.push_str(match op {
                    Unary::Not => "!",
                    Unary::Negate => "-",
                    Unary::Complement => "~",
                });
                self.expr(a, 9);
            }
            Expr::Binary(op, a, b) => self.binary(op, a, b, around),
            Expr::If(c, a, b) => self.bracketed(around > 0, |p| {
                for (word, part) in [("if ", c), (" then ", a), (" else ", b)] {
                    p.text.push_str(word);
                    p.expr(part, 0);
                }
            }),
            other => self.leaf(other),
        }
        self.depth -= 1;
    }

    fn bracketed(&mut self, brackets: bool, inside: impl FnOnce(&mut Self)) {
        if brackets {
            self.text.push('(');
        }
        inside(self);
        if brackets {
            self.text.push(')');
        }
    }

    fn binary(&mut self, op: Binary, a: ExprId, b: ExprId, around: u8) {
        let own = strength(op);
        // Comparisons do not chain and implication groups to the right; the rest groups to the left.
        let (left, right) = match op {
            Binary::Implies => (own + 1, own),
            Binary::And | Binary::Or => (own, own),
            _ if own == 5 => (own + 1, own + 1),
            _ => (own, own + 1),
        };
        self.bracketed(own < around, |p| {
            p.expr(a, left);
            let _ = write!(p.text, " {} ", symbol(op));
            p.expr(b, right);
        });
    }

    fn leaf(&mut self, expr: Expr) {
        match expr {
            Expr::Bool(value) => self.push(value),
            Expr::Int(value) => self.push(value),
            Expr::Member(id, position) => {
                let name = &self.program.enumeration(id).members[position as usize];
                self.text.push_str(name);
            }
            Expr::Var(var) => self.variable(var),
            Expr::Element(var, indices) => {
                self.variable(var);
                self.indices(indices);
            }
            Expr::OldVar(var) => self.call("old", |p| p.variable(var)),
            Expr::OldElement(var, indices) => self.call("old", |p| {
                p.variable(var);
                p.indices(indices);
            }),
            Expr::Input(position, _) => self.push(format_args!("?{position}")),
            Expr::Wrap(width, a) => {
                let name = format!("{}{}", if width.signed { "int" } else { "uint" }, width.bits);
                self.call(&name, |p| p.expr(a, 0));
            }
            Expr::Apply(function, arguments) => {
                let program = self.program;
                self.call(&program.function(function).name, |p| p.list(arguments));
            }
            Expr::At(process, location) => self.at(process, location),
            other => self.system(other),
        }
    }

    fn push(&mut self, value: impl std::fmt::Display) {
        let _ = write!(self.text, "{value}");
    }

    fn call(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.text.push_str(name);
        self.bracketed(true, inside);
    }

    fn variable(&mut self, var: VarId) {
        let variable = self.program.variable(var);
        if let Scope::Local(process) = variable.scope
            && self.viewpoint != Some(process)
        {
            let _ = write!(self.text, "{}.", self.program.process(process).name);
        }
        self.text.push_str(&variable.name);
    }

    fn indices(&mut self, indices: ListId) {
        let program = self.program;
        for &index in program.exprs.list(indices) {
            self.text.push('[');
            self.expr(index, 0);
            self.text.push(']');
        }
    }

    fn list(&mut self, list: ListId) {
        let program = self.program;
        self.exprs(program.exprs.list(list));
    }

    fn exprs(&mut self, exprs: &[ExprId]) {
        for (position, &expr) in exprs.iter().enumerate() {
            if position > 0 {
                self.text.push_str(", ");
            }
            self.expr(expr, 0);
        }
    }

    fn at(&mut self, process: ProcessId, location: LocationId) {
        let name = self.program.location_name(process, location);
        let _ = write!(self.text, "{}@{name}", self.program.process(process).name);
    }

    fn system(&mut self, expr: Expr) {
        let program = self.program;
        match expr {
            Expr::Remote(pid, var) => {
                self.call("process", |p| p.expr(pid, 0));
                let _ = write!(self.text, ".{}", program.variable(var).name);
            }
            Expr::RemoteElement(pid, var, indices) => {
                self.call("process", |p| p.expr(pid, 0));
                let _ = write!(self.text, ".{}", program.variable(var).name);
                self.indices(indices);
            }
            Expr::RemoteAt(pid, process, location) => {
                self.text.push_str(&program.process(process).name);
                self.text.push('[');
                self.expr(pid, 0);
                let _ = write!(self.text, "]@{}", program.location_name(process, location));
            }
            Expr::Length(a) => self.call("len", |p| p.expr(a, 0)),
            Expr::Capacity(a) => self.call("capacity", |p| p.expr(a, 0)),
            Expr::Enabled(a) => self.call("enabled", |p| p.expr(a, 0)),
            Expr::LocationOf(a) => self.call("pc_value", |p| p.expr(a, 0)),
            Expr::PriorityOf(a) => self.call("priority", |p| p.expr(a, 0)),
            Expr::Poll(pattern) => {
                let pattern = program.exprs.pattern(pattern);
                self.receive(pattern, "[", "]");
            }
            Expr::FirstInstance(process) => self.call("pid", |p| p.text.push_str(&program.process(process).name)),
            Expr::Deadlock => self.text.push_str("deadlock"),
            Expr::Timeout => self.text.push_str("timeout"),
            Expr::ProcessCount => self.text.push_str("_nr_pr"),
            Expr::OwnPid => self.text.push_str("_pid"),
            Expr::Accepting => self.text.push_str("accepting"),
            _ => self.text.push_str("np_"),
        }
    }

    fn receive(&mut self, pattern: &Pattern, open: &str, close: &str) {
        self.expr(pattern.channel, 9);
        self.text.push_str(if pattern.anywhere { "??" } else { "?" });
        self.text.push_str(open);
        for (position, field) in pattern.fields.iter().enumerate() {
            if position > 0 {
                self.text.push(',');
            }
            match *field {
                Field::Match(value) => self.call("eval", |p| p.expr(value, 0)),
                Field::Bind(place) => self.place(place),
                Field::Skip => self.text.push('_'),
            }
        }
        self.text.push_str(close);
    }

    fn place(&mut self, place: Place) {
        self.variable(place.variable());
        if let Place::Element(_, indices) = place {
            self.indices(indices);
        }
    }

    fn assigns(&mut self, assigns: &[Assign]) {
        for (position, assign) in assigns.iter().enumerate() {
            self.text.push_str(if position > 0 { ", " } else { "" });
            self.place(assign.place);
        }
        self.text.push_str(" := ");
        let values: Vec<ExprId> = assigns.iter().map(|assign| assign.value).collect();
        self.exprs(&values);
    }

    fn action(&mut self, action: &Action) {
        let program = self.program;
        match action {
            Action::Assign(assigns) if assigns.is_empty() => self.text.push_str("skip"),
            Action::Assign(assigns) => self.assigns(assigns),
            Action::Assert(condition) => {
                self.text.push_str("assert ");
                self.expr(*condition, 0);
            }
            Action::Send { channel, message, sorted } => {
                self.expr(*channel, 9);
                self.text.push_str(if *sorted { "!!" } else { "!" });
                self.exprs(message);
            }
            Action::Receive { pattern, keep: true } => self.receive(pattern, "<", ">"),
            Action::Receive { pattern, keep: false } => self.receive(pattern, "", ""),
            Action::Run { process, arguments, then, .. } => {
                let name = format!("run {}", program.process(*process).name);
                self.call(&name, |p| p.exprs(arguments));
                if !then.is_empty() {
                    self.text.push_str(" then ");
                    self.assigns(then);
                }
            }
            Action::SetPriority { pid, value } => self.call("set_priority", |p| p.exprs(&[*pid, *value])),
            Action::Print { format, values } => {
                self.call("printf", |p| {
                    p.push(format_args!("{format:?}, "));
                    p.exprs(values);
                });
            }
            Action::End => self.text.push_str("end"),
            Action::Together { assigns, moves, .. } => {
                if !assigns.is_empty() {
                    self.assigns(assigns);
                    self.text.push_str(" while ");
                }
                for (position, &(process, location)) in moves.iter().enumerate() {
                    self.text.push_str(if position > 0 { ", " } else { "" });
                    let place = program.location_name(process, location);
                    self.push(format_args!("{} goes to {place}", program.process(process).name));
                }
            }
        }
    }
}

impl Program {
    fn printer(&self, viewpoint: Option<ProcessId>) -> Printer<'_> {
        Printer { program: self, viewpoint, text: String::new(), depth: 0 }
    }

    /// An expression as text; locals are shown with their process.
    #[must_use]
    pub fn show(&self, expr: ExprId) -> String {
        self.show_within(expr, None)
    }

    /// An expression as text; locals of the given process are shown by their name alone.
    #[must_use]
    pub fn show_within(&self, expr: ExprId, viewpoint: Option<ProcessId>) -> String {
        let mut printer = self.printer(viewpoint);
        printer.expr(expr, 0);
        printer.text
    }

    /// The name of a variable; a local one with its process.
    #[must_use]
    pub fn show_variable(&self, var: VarId) -> String {
        let mut printer = self.printer(None);
        printer.variable(var);
        printer.text
    }

    /// The first label of a location, or its number.
    #[must_use]
    pub fn location_name(&self, process: ProcessId, location: LocationId) -> String {
        let labels = &self.location(process, location).labels;
        labels.first().cloned().unwrap_or_else(|| format!("loc{}", location.index()))
    }

    /// What a step does, as text: `when guard do action`.
    #[must_use]
    pub fn show_step(&self, step: &Step) -> String {
        let mut printer = self.printer(Some(step.process));
        let plain = self.exprs.get(step.guard) == Expr::Bool(true);
        if !plain {
            printer.text.push_str("when ");
            printer.expr(step.guard, 0);
            printer.text.push_str(" do ");
        }
        printer.action(&step.action);
        for (position, input) in step.inputs.iter().enumerate() {
            let _ = write!(printer.text, ", ?{position} in ");
            match input.domain {
                Domain::Type(ty) => printer.text.push_str(&self.show_type(ty)),
                Domain::Range(lo, hi) => {
                    printer.expr(lo, 0);
                    printer.text.push_str("..");
                    printer.expr(hi, 0);
                }
            }
        }
        printer.text
    }

    /// A type as text.
    #[must_use]
    pub fn show_type(&self, ty: Type) -> String {
        match ty {
            Type::Int => "int".to_owned(),
            Type::Nat => "nat".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Range { lo, hi } => format!("{lo}..{hi}"),
            Type::Enum(id) => self.enumeration(id).name.clone(),
            Type::Wrapped(width) => format!("{}{}", if width.signed { "int" } else { "uint" }, width.bits),
            Type::Channel => "chan".to_owned(),
        }
    }

    /// A value of a type as text.
    #[must_use]
    pub fn show_value(&self, ty: Type, value: i64) -> String {
        match ty {
            Type::Bool => (value != 0).to_string(),
            Type::Enum(id) => {
                let members = &self.enumeration(id).members;
                usize::try_from(value).ok().and_then(|at| members.get(at)).cloned().unwrap_or_else(|| value.to_string())
            }
            _ => value.to_string(),
        }
    }

    /// The whole program as text: variables, then each process with its locations and steps.
    #[must_use]
    pub fn show_all(&self) -> String {
        let mut text = String::new();
        for (id, variable) in self.variables.iter().enumerate() {
            if variable.scope == Scope::Global {
                self.show_declaration(&mut text, VarId::new(id));
            }
        }
        if let Some(init) = self.init {
            let _ = writeln!(text, "init {}", self.show(init));
        }
        for process in self.process_ids() {
            self.show_process(&mut text, process);
        }
        text
    }

    fn show_declaration(&self, text: &mut String, id: VarId) {
        let variable = self.variable(id);
        let _ = write!(text, "var {} : ", variable.name);
        for dimension in &variable.dimensions {
            let _ = write!(text, "array[{}..{}] of ", dimension.lo, dimension.hi());
        }
        text.push_str(&self.show_type(variable.ty));
        match &variable.initial {
            InitialValue::Any => {}
            InitialValue::Same(value) => {
                let _ = write!(text, " = {}", self.show_value(variable.ty, *value));
            }
            InitialValue::Each(values) => {
                let _ = write!(text, " = {values:?}");
            }
            other => {
                let _ = write!(text, " = {other:?}");
            }
        }
        text.push('\n');
    }

    fn show_process(&self, text: &mut String, id: ProcessId) {
        let process = self.process(id);
        let fairness = match process.fairness {
            Fairness::None => "",
            Fairness::Weak => "fair ",
            Fairness::Strong => "strong fair ",
        };
        let _ = writeln!(text, "{fairness}process {}", process.name);
        for &local in &process.locals {
            text.push_str("  ");
            self.show_declaration(text, local);
        }
        for (at, location) in process.locations.iter().enumerate() {
            let start = (process.entry.index() == at).then_some("start");
            let hold = match location.hold {
                Hold::Free => None,
                Hold::WhileEnabled => Some("atomic"),
                Hold::Indivisible => Some("inside"),
                Hold::Deterministic => Some("d_step"),
            };
            let marks = start.into_iter().chain(hold).chain(location.end.then_some("end"));
            let marks: Vec<&str> = marks.chain(location.labels.iter().map(String::as_str)).collect();
            if !marks.is_empty() {
                let _ = writeln!(text, "  loc{at} ({})", marks.join(", "));
            }
            for &step in &location.steps {
                let step = self.step(step);
                let _ = writeln!(text, "  loc{at} -> loc{}  {}", step.target.index(), self.show_step(step));
            }
        }
    }
}

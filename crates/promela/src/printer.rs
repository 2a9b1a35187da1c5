//! How does a statement read?
//!
//! One short line for the steps of a run: roughly what Spin prints, with the user's names and as few brackets as
//! the grammar needs.

use std::fmt::{self, Display, Write};

use crate::ast::{
    Binary, Declarator, Expr, ExprKind, Initializer, Probe, RecvArg, Remote, Stmt, StmtKind, Unary, VarDecl, VarRef,
};

/// A statement on one line; bodies of compound statements are left out.
#[must_use]
pub fn stmt(stmt: &Stmt) -> String {
    kind(&stmt.kind)
}

/// A statement without its labels.
#[must_use]
pub fn kind(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Decl { vars, .. } => decl(vars),
        StmtKind::Exclusive(which, channels) => {
            let word = if *which == crate::ast::Exclusive::Receive { "xr" } else { "xs" };
            format!("{word} {}", joined(channels.iter().map(reference)))
        }
        StmtKind::Pred(predicate) => format!("pred {}", expr(predicate)),
        StmtKind::Expr(value) => expr(value),
        StmtKind::Else => "else".to_owned(),
        StmtKind::Assign(place, value) => format!("{} = {}", reference(place), expr(value)),
        StmtKind::Increment(place) => format!("{}++", reference(place)),
        StmtKind::Decrement(place) => format!("{}--", reference(place)),
        StmtKind::Send { channel, args, sorted } => {
            let sign = if *sorted { "!!" } else { "!" };
            format!("{}{sign}{}", reference(channel), joined(args.iter().map(expr)))
        }
        StmtKind::Receive { channel, args, random, keep } => {
            let sign = if *random { "??" } else { "?" };
            let (open, close) = if *keep { ("<", ">") } else { ("", "") };
            format!("{}{sign}{open}{}{close}", reference(channel), joined(args.iter().map(argument)))
        }
        StmtKind::Assert(condition) => format!("assert({})", expr(condition)),
        StmtKind::Printf(format, args) => {
            let args: String = args.iter().map(|arg| format!(", {}", expr(arg))).collect();
            format!("printf(\"{format}\"{args})")
        }
        StmtKind::Printm(value) => format!("printm({})", expr(value)),
        StmtKind::SetPriority(pid, value) => format!("set_priority({}, {})", expr(pid), expr(value)),
        StmtKind::Goto(target) => format!("goto {}", target.name.name),
        StmtKind::Break => "break".to_owned(),
        StmtKind::Block(_) => "{ … }".to_owned(),
        StmtKind::Inline(inlined) => format!("{}(…)", inlined.name.name),
        StmtKind::Atomic(_) => "atomic { … }".to_owned(),
        StmtKind::DStep(_) => "d_step { … }".to_owned(),
        StmtKind::If(_) => "if … fi".to_owned(),
        StmtKind::Do(_) => "do … od".to_owned(),
        StmtKind::For(for_loop) => match &for_loop.over {
            crate::ast::ForRange::Range(from, to) => {
                format!("for ({} : {} .. {})", reference(&for_loop.var), expr(from), expr(to))
            }
            crate::ast::ForRange::In(over) => format!("for ({} in {})", reference(&for_loop.var), reference(over)),
        },
        StmtKind::Select(var, from, to) => format!("select ({} : {} .. {})", reference(var), expr(from), expr(to)),
        StmtKind::Unless(body, escape) => format!("{} unless {}", stmt(body), stmt(escape)),
    }
}

fn decl(vars: &VarDecl) -> String {
    let one = |declarator: &Declarator| match &declarator.initial {
        Some(Initializer::Value(value)) => format!("{} = {}", declarator.name.name, expr(value)),
        Some(Initializer::List(values, _)) => {
            format!("{} = {{ {} }}", declarator.name.name, joined(values.iter().map(expr)))
        }
        Some(Initializer::Channel(_)) => format!("{} = […]", declarator.name.name),
        None => format!("{} = 0", declarator.name.name),
    };
    joined(vars.vars.iter().map(one))
}

/// A place.
#[must_use]
pub fn reference(reference: &VarRef) -> String {
    let mut text = String::new();
    for (position, part) in reference.parts.iter().enumerate() {
        if position > 0 {
            text.push('.');
        }
        text.push_str(&part.name.name);
        if let Some(index) = &part.index {
            // Writing to a string cannot fail.
            let _ = write!(text, "[{}]", expr(index));
        }
    }
    text
}

/// An expression.
#[must_use]
pub fn expr(expr: &Expr) -> String {
    Printed(expr, 0).to_string()
}

fn argument(argument: &RecvArg) -> String {
    match argument {
        RecvArg::Place(place) => reference(place),
        RecvArg::Const(value, _) => value.to_string(),
        RecvArg::Eval(value) => format!("eval({})", expr(value)),
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",")
}

/// How strongly an operator binds, and how it is written.
fn operator(op: Binary) -> (u8, &'static str) {
    match op {
        Binary::Or => (2, "||"),
        Binary::And => (3, "&&"),
        Binary::BitOr => (5, "|"),
        Binary::BitXor => (6, "^"),
        Binary::BitAnd => (7, "&"),
        Binary::Eq => (8, "=="),
        Binary::Ne => (8, "!="),
        Binary::Lt => (9, "<"),
        Binary::Le => (9, "<="),
        Binary::Gt => (9, ">"),
        Binary::Ge => (9, ">="),
        Binary::Shl => (10, "<<"),
        Binary::Shr => (10, ">>"),
        Binary::Add => (11, "+"),
        Binary::Sub => (11, "-"),
        Binary::Mul => (12, "*"),
        Binary::Div => (12, "/"),
        Binary::Rem => (12, "%"),
    }
}

/// An expression where operators that bind weaker than this need brackets.
struct Printed<'a>(&'a Expr, u8);

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::Bool(value) => write!(f, "{value}"),
            ExprKind::Skip => f.write_str("skip"),
            ExprKind::Ref(place) => f.write_str(&reference(place)),
            ExprKind::Unary(op, inner) => {
                let sign = match op {
                    Unary::Not => "!",
                    Unary::Negate => "-",
                    Unary::Complement => "~",
                };
                write!(f, "{sign}{}", Printed(inner, 20))
            }
            ExprKind::Binary(op, left, right) => {
                let (strength, sign) = operator(*op);
                let (open, close) = if strength < self.1 { ("(", ")") } else { ("", "") };
                write!(f, "{open}{} {sign} {}{close}", Printed(left, strength), Printed(right, strength + 1))
            }
            ExprKind::Conditional(condition, yes, no) => {
                write!(f, "({} -> {} : {})", Printed(condition, 0), Printed(yes, 0), Printed(no, 0))
            }
            ExprKind::Run(run) => {
                write!(f, "run {}({})", run.process.name, joined(run.args.iter().map(expr)))?;
                run.priority.as_ref().map_or(Ok(()), |priority| write!(f, " priority {}", Printed(priority, 0)))
            }
            ExprKind::Probe(probe, channel) => {
                let word = match probe {
                    Probe::Len => "len",
                    Probe::Full => "full",
                    Probe::Empty => "empty",
                    Probe::Nfull => "nfull",
                    Probe::Nempty => "nempty",
                };
                write!(f, "{word}({})", reference(channel))
            }
            ExprKind::Poll { channel, args, random } => {
                let sign = if *random { "??" } else { "?" };
                write!(f, "{}{sign}[{}]", reference(channel), joined(args.iter().map(argument)))
            }
            ExprKind::Timeout => f.write_str("timeout"),
            ExprKind::NonProgress => f.write_str("np_"),
            ExprKind::Enabled(pid) => write!(f, "enabled({})", Printed(pid, 0)),
            ExprKind::PcValue(pid) => write!(f, "pc_value({})", Printed(pid, 0)),
            ExprKind::GetPriority(pid) => write!(f, "get_priority({})", Printed(pid, 0)),
            ExprKind::At(process, label) => write!(f, "{}@{}", remote(process), label.name.name),
            ExprKind::RemoteVar(process, var) => write!(f, "{}:{}", remote(process), reference(var)),
        }
    }
}

fn remote(remote: &Remote) -> String {
    match &remote.pid {
        Some(pid) => format!("{}[{}]", remote.process.name, expr(pid)),
        None => remote.process.name.clone(),
    }
}

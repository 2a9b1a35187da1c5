//! Programs over all integers for tools that read VMT-LIB.
//!
//! Variables are constants with a `:next`, the initial condition and the transition relation are annotated terms, and every
//! property that a single state breaks is an `:invar-property`. A state in which nothing can step has no successor.

use std::fmt::Write as _;

use tertium_load::failure::Failure;
use tertium_load::program::ProgramFile;
use tertium_load::questions::PropertyQuery;
use tertium_program::{Binary, Expr, ExprId, ProcessId, Type, Unary};

use super::{ExportedStep, Parts, Syntax, asked, location_name, refused, written};

struct Vmt;

impl Syntax for Vmt {
    const NAME: &'static str = "vmt";

    fn constant(value: i64, truth: bool) -> String {
        match (truth, value) {
            (true, value) => (value != 0).to_string(),
            (false, value) if value < 0 => format!("(- {})", value.unsigned_abs()),
            (false, value) => value.to_string(),
        }
    }

    fn location(parts: &Parts, process: ProcessId, location: usize) -> String {
        format!("(= {} {location})", location_name(&parts.program, process))
    }

    fn input(_: &Parts, position: u32) -> String {
        format!("input_{position}")
    }

    fn choose(condition: &str, yes: &str, no: &str) -> String {
        format!("(ite {condition} {yes} {no})")
    }

    fn equal(a: &str, b: &str) -> String {
        format!("(= {a} {b})")
    }

    fn all(conditions: &[String]) -> String {
        match conditions {
            [] => "true".to_owned(),
            [only] => only.clone(),
            several => format!("(and {})", several.join(" ")),
        }
    }

    fn operator(parts: &Parts, expr: ExprId, operands: &[&String]) -> Option<String> {
        let sign = match parts.program.exprs.get(expr) {
            Expr::Unary(Unary::Not, _) => "not",
            Expr::Unary(Unary::Negate, _) => "-",
            Expr::Unary(Unary::Complement, _) => return Some(format!("(- (- {}) 1)", operands[0])),
            Expr::Binary(op, _, _) => match op {
                Binary::Add => "+",
                Binary::Sub => "-",
                Binary::Mul => "*",
                Binary::Div => "div",
                Binary::Mod => "mod",
                Binary::Eq => "=",
                Binary::Ne => "distinct",
                Binary::Lt => "<",
                Binary::Le => "<=",
                Binary::Gt => ">",
                Binary::Ge => ">=",
                Binary::And => "and",
                Binary::Or => "or",
                Binary::Implies => "=>",
                _ => return None,
            },
            Expr::Apply(function, _) => {
                let arguments: Vec<&str> = operands.iter().map(|operand| operand.as_str()).collect();
                let name = super::plain_name(&parts.program.function(function).name);
                return Some(format!("(fun_{name} {})", arguments.join(" ")));
            }
            Expr::Wrap(width, _) if !width.signed => {
                return Some(format!("(mod {} {})", operands[0], 1u64 << width.bits));
            }
            _ => return None,
        };
        let operands: Vec<&str> = operands.iter().map(|operand| operand.as_str()).collect();
        Some(format!("({sign} {})", operands.join(" ")))
    }
}

/// The program with its invariants.
///
/// # Errors
/// If something has no counterpart.
pub fn text(file: &ProgramFile) -> Result<String, Failure> {
    let mut parts = Parts::new(file, Vmt::NAME)?;
    let mut out = format!("; {}\n; A state in which nothing can step has no successor.\n", parts.program.name);
    declarations(&parts, &mut out);
    initial(&parts, &mut out)?;
    transitions(&mut parts, &mut out)?;
    properties(file, &parts, &mut out)?;
    Ok(out)
}

fn sort(ty: Type) -> &'static str {
    if ty == Type::Bool { "Bool" } else { "Int" }
}

fn declarations(parts: &Parts, out: &mut String) {
    let mut variables: Vec<(String, &str)> =
        parts.cells.iter().map(|cell| (cell.name.clone(), sort(cell.ty))).collect();
    variables.extend(
        parts.program.instances.iter().map(|instance| (location_name(&parts.program, instance.process), "Int")),
    );
    for (name, sort) in &variables {
        let _ = writeln!(out, "(declare-fun {name} () {sort})\n(declare-fun {name}.next () {sort})");
        let _ = writeln!(out, "(define-fun sv.{name} () {sort} (! {name} :next {name}.next))");
    }
    let most = parts.ways.iter().map(|way| way.terms.inputs.len()).max().unwrap_or(0);
    for position in 0..most {
        let _ = writeln!(out, "(declare-fun input_{position} () Int)");
    }
    for function in &parts.program.functions {
        let arguments: Vec<&str> = function.arguments.iter().map(|&ty| sort(ty)).collect();
        let name = super::plain_name(&function.name);
        let _ = writeln!(out, "(declare-fun fun_{name} ({}) {})", arguments.join(" "), sort(function.result));
    }
}

fn initial(parts: &Parts, out: &mut String) -> Result<(), Failure> {
    let mut conditions = Vec::new();
    for cell in &parts.cells {
        match (cell.initial, parts.program.bounds(cell.ty)) {
            (Some(value), _) => {
                conditions.push(Vmt::equal(&cell.name, &Vmt::constant(value, cell.ty == Type::Bool)));
            }
            (None, _) if cell.ty == Type::Bool => {}
            (None, (lo, hi)) => {
                conditions.extend(lo.map(|lo| format!("(<= {} {})", Vmt::constant(lo, false), cell.name)));
                conditions.extend(hi.map(|hi| format!("(<= {} {})", cell.name, Vmt::constant(hi, false))));
            }
        }
    }
    for instance in &parts.program.instances {
        let entry = parts.program.process(instance.process).entry.index();
        conditions.push(Vmt::location(parts, instance.process, entry));
    }
    if let Some(condition) = parts.program.init {
        conditions.push(written::<Vmt>(parts, condition)?);
    }
    let _ = writeln!(out, "(define-fun init () Bool (! {} :init true))", Vmt::all(&conditions));
    Ok(())
}

fn transitions(parts: &mut Parts, out: &mut String) -> Result<(), Failure> {
    let ways = parts.ways.clone();
    let mut disjuncts = Vec::new();
    for way in &ways {
        disjuncts.push(disjunct(parts, way)?);
    }
    let any = match disjuncts.as_slice() {
        [] => "false".to_owned(),
        [only] => only.clone(),
        several => format!("(or\n  {})", several.join("\n  ")),
    };
    let _ = writeln!(out, "(define-fun trans () Bool (! {any} :trans true))");
    Ok(())
}

fn disjunct(parts: &mut Parts, way: &ExportedStep) -> Result<String, Failure> {
    let (process, source, target) = way.terms.jump;
    let mut conjuncts = vec![Vmt::location(parts, process, source.index())];
    for part in [way.terms.enabled, way.terms.safe] {
        let text = written::<Vmt>(parts, part)?;
        if text != Vmt::constant(1, true) {
            conjuncts.push(text);
        }
    }
    for cell in parts.cells.clone() {
        let value = match parts.after(&way.terms, &cell) {
            Some(value) => written::<Vmt>(parts, value)?,
            None => cell.name.clone(),
        };
        conjuncts.push(format!("(= {}.next {value})", cell.name));
    }
    for instance in &parts.program.instances {
        let name = location_name(&parts.program, instance.process);
        let value = if instance.process == process { target.index().to_string() } else { name.clone() };
        conjuncts.push(format!("(= {name}.next {value})"));
    }
    Ok(Vmt::all(&conjuncts))
}

fn properties(file: &ProgramFile, parts: &Parts, out: &mut String) -> Result<(), Failure> {
    let mut number = 0;
    for asked in asked(file)? {
        match asked.invariant {
            Some((root, holds)) if !asked.exists => {
                let condition = condition(parts, &asked, root)?;
                let condition = if holds { condition } else { format!("(not {condition})") };
                let name = super::plain_name(&asked.name);
                let _ = writeln!(out, "(define-fun prop.{name} () Bool (! {condition} :invar-property {number}))");
                number += 1;
            }
            _ => {
                let _ = writeln!(out, "; {} is no invariant and left out", asked.name);
            }
        }
    }
    Ok(())
}

/// A condition on states, as a term.
fn condition(parts: &Parts, asked: &PropertyQuery, root: tertium_logic::NodeId) -> Result<String, Failure> {
    use tertium_logic::Node;
    let mut texts: Vec<String> = Vec::with_capacity(root.index() + 1);
    for &node in &asked.formula.nodes()[..=root.index()] {
        let at = |id: tertium_logic::NodeId| &texts[id.index()];
        let text = match node {
            Node::True => "true".to_owned(),
            Node::False => "false".to_owned(),
            Node::Atom(atom) => written::<Vmt>(parts, asked.atoms[atom.index()])?,
            Node::Not(a) => format!("(not {})", at(a)),
            Node::And(a, b) => format!("(and {} {})", at(a), at(b)),
            Node::Or(a, b) => format!("(or {} {})", at(a), at(b)),
            Node::Implies(a, b) => format!("(=> {} {})", at(a), at(b)),
            Node::Iff(a, b) => format!("(= {} {})", at(a), at(b)),
            Node::Xor(a, b) => format!("(xor {} {})", at(a), at(b)),
            // Not below the root, or the property would be no condition on states.
            _ => String::new(),
        };
        texts.push(text);
    }
    texts
        .pop()
        .filter(|text| !text.is_empty())
        .ok_or_else(|| refused(Vmt::NAME, "a property is no condition on states"))
}

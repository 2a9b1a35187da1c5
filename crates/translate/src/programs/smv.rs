//! Finite programs for NuSMV and nuXmv.
//!
//! Interleaving as one transition relation; a state in which nothing can step stays as it is, so linear formulas mean there what
//! they mean here. Branching formulas read ends differently (see the comment that is written). Weak fairness becomes a
//! `JUSTICE` constraint over a variable that says who stepped last.

use std::fmt::Write as _;

use tertium_load::failure::Failure;
use tertium_load::program::ProgramFile;
use tertium_load::questions::PropertyQuery;
use tertium_logic::Logic;
use tertium_program::{Binary, Expr, ExprId, Fairness, ProcessId, Type, Unary};

use super::{ExportedStep, Parts, Syntax, asked, location_name, plain_name, reads_inputs, refused, written};
use crate::structures::smv::{formula_text, is_reserved};

struct Smv;

impl Syntax for Smv {
    const NAME: &'static str = "smv";

    fn constant(value: i64, truth: bool) -> String {
        match (truth, value) {
            (true, 0) => "FALSE".to_owned(),
            (true, _) => "TRUE".to_owned(),
            (false, value) if value < 0 => format!("({value})"),
            (false, value) => value.to_string(),
        }
    }

    fn location(parts: &Parts, process: ProcessId, location: usize) -> String {
        format!("({} = {location})", location_name(&parts.program, process))
    }

    fn input(_: &Parts, position: u32) -> String {
        format!("input_{position}")
    }

    fn choose(condition: &str, yes: &str, no: &str) -> String {
        format!("(case {condition} : {yes}; TRUE : {no}; esac)")
    }

    fn equal(a: &str, b: &str) -> String {
        format!("({a} = {b})")
    }

    fn all(conditions: &[String]) -> String {
        match conditions {
            [] => "TRUE".to_owned(),
            [only] => only.clone(),
            several => format!("({})", several.join(" & ")),
        }
    }

    fn operator(parts: &Parts, expr: ExprId, operands: &[&String]) -> Option<String> {
        let sign = match parts.program.exprs.get(expr) {
            Expr::Unary(Unary::Not, _) => return Some(format!("(!{})", operands[0])),
            Expr::Unary(Unary::Negate, _) => return Some(format!("(-{})", operands[0])),
            Expr::Binary(op, a, b) => match op {
                Binary::Add => "+",
                Binary::Sub => "-",
                Binary::Mul => "*",
                Binary::Div if never_negative(parts, a) && never_negative(parts, b) => "/",
                Binary::Mod if never_negative(parts, a) && never_negative(parts, b) => "mod",
                Binary::Quotient => "/",
                Binary::Remainder if never_negative(parts, a) && never_negative(parts, b) => "mod",
                Binary::Eq => "=",
                Binary::Ne => "!=",
                Binary::Lt => "<",
                Binary::Le => "<=",
                Binary::Gt => ">",
                Binary::Ge => ">=",
                Binary::And => "&",
                Binary::Or => "|",
                Binary::Implies => "->",
                _ => return None,
            },
            _ => return None,
        };
        Some(format!("({} {sign} {})", operands[0], operands[1]))
    }
}

/// Whether an expression is built so that it cannot be negative. Other checkers round quotients of negative numbers in
/// another way.
fn never_negative(parts: &Parts, expr: ExprId) -> bool {
    let exprs = &parts.program.exprs;
    exprs.reachable(&[expr]).iter().all(|&part| match exprs.get(part) {
        Expr::Int(value) => value >= 0,
        Expr::Var(var) | Expr::Element(var, _) => {
            parts.program.bounds(parts.program.variable(var).ty).0.is_some_and(|lo| lo >= 0)
        }
        Expr::Binary(Binary::Sub, _, _) | Expr::Unary(Unary::Negate | Unary::Complement, _) | Expr::Input(..) => false,
        _ => true,
    })
}

/// The program with its properties.
///
/// # Errors
/// If it has variables without bounds or something that has no counterpart.
pub fn text(file: &ProgramFile) -> Result<String, Failure> {
    let mut parts = Parts::new(file, Smv::NAME)?;
    let mut out =
        format!("-- {}\n-- A state in which nothing can step stays as it is.\nMODULE main\nVAR\n", parts.program.name);
    for cell in &parts.cells {
        let _ = writeln!(out, "  {} : {};", cell.name, type_text(&parts, cell.ty)?);
    }
    for instance in &parts.program.instances {
        let last = parts.program.process(instance.process).locations.len() - 1;
        let _ = writeln!(out, "  {} : 0..{last};", location_name(&parts.program, instance.process));
    }
    let fair: Vec<usize> = fair(&parts);
    if !fair.is_empty() {
        let _ = writeln!(out, "  stepped : 0..{};", parts.program.instances.len());
    }
    inputs(&parts, &mut out)?;
    initial(&mut parts, !fair.is_empty(), &mut out)?;
    transitions(&mut parts, !fair.is_empty(), &mut out)?;
    for pid in fair {
        let _ = writeln!(out, "JUSTICE stepped = {} | !can_{pid};", pid + 1);
    }
    specifications(file, &parts, &mut out)?;
    Ok(out)
}

fn fair(parts: &Parts) -> Vec<usize> {
    let weak = |&pid: &usize| parts.program.process(parts.program.instances[pid].process).fairness == Fairness::Weak;
    (0..parts.program.instances.len()).filter(weak).collect()
}

fn type_text(parts: &Parts, ty: Type) -> Result<String, Failure> {
    match (ty, parts.program.bounds(ty)) {
        (Type::Bool, _) => Ok("boolean".to_owned()),
        (_, (Some(lo), Some(hi))) => Ok(format!("{lo}..{hi}")),
        _ => Err(refused(Smv::NAME, "a variable or a choice has no bounds")),
    }
}

/// One input variable for each position, wide enough for every step.
fn inputs(parts: &Parts, out: &mut String) -> Result<(), Failure> {
    let mut bounds: Vec<(i64, i64)> = Vec::new();
    for way in &parts.ways {
        for (position, &(lo, hi)) in way.terms.inputs.iter().enumerate() {
            let range = |end: Option<ExprId>, low: bool| {
                end.and_then(|end| tertium_encode::range(&parts.program, end)).map(|(a, b)| if low { a } else { b })
            };
            let (Some(lo), Some(hi)) = (range(lo, true), range(hi, false)) else {
                return Err(refused(Smv::NAME, "a value is chosen from a range without bounds"));
            };
            match bounds.get_mut(position) {
                Some(known) => *known = (known.0.min(lo), known.1.max(hi)),
                None => bounds.push((lo, hi)),
            }
        }
    }
    if !bounds.is_empty() {
        out.push_str("IVAR\n");
    }
    for (position, (lo, hi)) in bounds.iter().enumerate() {
        let _ = writeln!(out, "  input_{position} : {lo}..{};", hi.max(lo));
    }
    Ok(())
}

fn initial(parts: &mut Parts, fair: bool, out: &mut String) -> Result<(), Failure> {
    out.push_str("INIT\n  TRUE");
    for cell in &parts.cells {
        if let Some(value) = cell.initial {
            let _ = write!(out, "\n  & {} = {}", cell.name, Smv::constant(value, cell.ty == Type::Bool));
        }
    }
    for instance in &parts.program.instances {
        let process = parts.program.process(instance.process);
        let _ = write!(out, "\n  & {} = {}", location_name(&parts.program, instance.process), process.entry.index());
    }
    if fair {
        out.push_str("\n  & stepped = 0");
    }
    if let Some(condition) = parts.program.init {
        let _ = write!(out, "\n  & {}", written::<Smv>(parts, condition)?);
    }
    out.push_str(";\n");
    Ok(())
}

fn transitions(parts: &mut Parts, fair: bool, out: &mut String) -> Result<(), Failure> {
    let ways = std::mem::take(&mut parts.ways);
    let mut disjuncts = Vec::new();
    let mut conditions: Vec<Vec<String>> = vec![Vec::new(); parts.program.instances.len()];
    for way in &ways {
        let condition = taken(parts, way)?;
        if [way.terms.enabled, way.terms.safe].iter().any(|&part| reads_inputs(&parts.program, part)) {
            // Whether some value can be chosen is not written without a quantifier.
            if fair {
                return Err(refused(Smv::NAME, "with fairness, a step must not depend on what is chosen in it"));
            }
            conditions[way.pid].push("TRUE".to_owned());
        } else {
            conditions[way.pid].push(condition.clone());
        }
        disjuncts.push(disjunct(parts, way, condition, fair)?);
    }
    parts.ways = ways;
    out.push_str("DEFINE\n");
    for (pid, conditions) in conditions.iter().enumerate() {
        let any = if conditions.is_empty() { "FALSE".to_owned() } else { conditions.join("\n    | ") };
        let _ = writeln!(out, "  can_{pid} := {any};");
    }
    let chooses = parts
        .ways
        .iter()
        .any(|way| reads_inputs(&parts.program, way.terms.enabled) || reads_inputs(&parts.program, way.terms.safe));
    let can: Vec<String> = (0..conditions.len()).map(|pid| format!("can_{pid}")).collect();
    let mut stays: Vec<String> = parts.cells.iter().map(|cell| format!("next({0}) = {0}", cell.name)).collect();
    stays.extend(
        parts
            .program
            .instances
            .iter()
            .map(|instance| format!("next({0}) = {0}", location_name(&parts.program, instance.process))),
    );
    if fair {
        stays.push("next(stepped) = 0".to_owned());
    }
    // Where a choice decides whether a step can be taken, a wrong choice stutters instead of blocking.
    let stuck = if chooses { "TRUE".to_owned() } else { format!("!({})", can.join(" | ")) };
    disjuncts.push(format!("({stuck} & {})", stays.join(" & ")));
    let _ = writeln!(out, "TRANS\n  {};", disjuncts.join("\n  | "));
    if chooses {
        out.push_str("-- Steps that choose a value may also do nothing: liveness is not the program's.\n");
    }
    Ok(())
}

/// The condition under which a way is taken and nothing goes wrong.
fn taken(parts: &Parts, way: &ExportedStep) -> Result<String, Failure> {
    let (process, source, _) = way.terms.jump;
    let mut conditions = vec![Smv::location(parts, process, source.index())];
    for part in [way.terms.enabled, way.terms.safe] {
        let text = written::<Smv>(parts, part)?;
        if text != Smv::constant(1, true) {
            conditions.push(text);
        }
    }
    Ok(Smv::all(&conditions))
}

fn disjunct(parts: &mut Parts, way: &ExportedStep, condition: String, fair: bool) -> Result<String, Failure> {
    let mut conjuncts = vec![condition];
    for cell in parts.cells.clone() {
        let value = match parts.after(&way.terms, &cell) {
            Some(value) => written::<Smv>(parts, value)?,
            None => cell.name.clone(),
        };
        conjuncts.push(format!("next({}) = {value}", cell.name));
    }
    let (process, _, target) = way.terms.jump;
    for instance in &parts.program.instances {
        let name = location_name(&parts.program, instance.process);
        let value = if instance.process == process { target.index().to_string() } else { name.clone() };
        conjuncts.push(format!("next({name}) = {value}"));
    }
    if fair {
        conjuncts.push(format!("next(stepped) = {}", way.pid + 1));
    }
    Ok(format!("({})", conjuncts.join(" & ")))
}

fn specifications(file: &ProgramFile, parts: &Parts, out: &mut String) -> Result<(), Failure> {
    for asked in asked(file)? {
        let mut name = plain_name(&asked.name);
        while is_reserved(&name) || parts.cells.iter().any(|cell| cell.name == name) {
            name.push('_');
        }
        match (asked.formula.logic(), formula(parts, &asked)) {
            (Logic::Ltl, Some(text)) => {
                let _ = writeln!(out, "LTLSPEC NAME {name} := {text};");
            }
            (Logic::Ctl, Some(text)) => {
                out.push_str("-- For Tertium runs that stop do not count in this formula; here they stay for ever.\n");
                let _ = writeln!(out, "CTLSPEC NAME {name} := {text};");
            }
            (Logic::Ltl | Logic::Ctl, None) => {
                let _ = writeln!(out, "-- {} speaks of something that has no counterpart here.", asked.name);
            }
            (logic, _) => {
                let _ =
                    writeln!(out, "-- {} is a formula of {}, which has no counterpart here.", asked.name, logic.name());
            }
        }
    }
    Ok(())
}

/// A formula of LTL or CTL; what only one side has a name for is written out.
fn formula(parts: &Parts, asked: &PropertyQuery) -> Option<String> {
    formula_text(&asked.formula, |atom| written::<Smv>(parts, asked.atoms[atom]).ok())
}

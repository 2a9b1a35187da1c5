//! Clauses as steps: from the location of the body's predicate to that of the head's.
//!
//! Registers hold the arguments. Variables of a clause that a register holds, or an equation defines, are no choices; what is left is chosen.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::narrow::to_u32;
use tertium_base::{Diagnostic, Span};
use tertium_program::{
    Action, Assign, Binary, Domain, Expr, ExprId, InitialValue, Input, Instance, Location, LocationId, Place,
    ProcessId, Program, Property, Scope, Sort as Kind, Step, Type, Unary, VarId, Variable,
};

use crate::clauses::{Clause, Goal, Script};
use crate::terms::{Op, Sort, Term, refused};
use crate::{Predicate, Register};

/// An input with fewer values than this has them as its domain.
const MOST_TRIED: i64 = 64;

/// Where the location of a predicate comes after the first one.
const FIRST: usize = 1;

/// The program of some clauses.
pub(crate) fn program(script: &Script, text: &str) -> Result<(Program, Vec<Predicate>), Box<Diagnostic>> {
    let mut lowering = Lowering { script, program: Program::new(""), registers: BTreeMap::new() };
    lowering.declare();
    let process = lowering.locations();
    for clause in &script.clauses {
        lowering.step(clause, process, text)?;
    }
    for goal in 0..script.goals.len().max(1) {
        let bad = lowering.program.exprs.add(Expr::At(process, error(script, goal)));
        let source = match script.goals.get(goal) {
            None => "sat: no clause derives false".to_owned(),
            Some(Goal { predicate: Some(name), .. }) => format!("no rule derives {name}"),
            Some(Goal { span, .. }) => format!("no rule derives {}", &text[span.start..span.end]),
        };
        lowering.program.properties.push(Property {
            name: if script.goals.len() > 1 { format!("query_{}", goal + 1) } else { crate::QUERY.to_owned() },
            logic: "ltl".to_owned(),
            source,
            formula: "G !\"false\"".to_owned(),
            atoms: BTreeMap::from([("false".to_owned(), bad)]),
            span: script.goals.get(goal).map_or_else(Span::default, |goal| goal.span),
        });
    }
    let predicates = lowering.predicates();
    Ok((lowering.program, predicates))
}

/// Where what a goal asks for is derived.
fn error(script: &Script, goal: usize) -> LocationId {
    LocationId::new(FIRST + script.names.len() + goal)
}

struct Lowering<'s> {
    script: &'s Script,
    program: Program,
    registers: BTreeMap<(Sort, usize), VarId>,
}

/// Narrows the bounds of a variable by what must hold.
fn narrow(term: &Term, at: usize, bounds: &mut (Option<i64>, Option<i64>)) {
    let Term::Apply(op, parts) = term else { return };
    let is_it = |term: &Term| matches!(term, Term::Var(var, _) if *var == at);
    let below = |bounds: &mut (Option<i64>, Option<i64>), most: Option<i64>| {
        bounds.1 = bounds.1.into_iter().chain(most).min();
    };
    let above = |bounds: &mut (Option<i64>, Option<i64>), least: Option<i64>| {
        bounds.0 = bounds.0.into_iter().chain(least).max();
    };
    match (op, parts.as_slice()) {
        (Op::And, parts) => parts.iter().for_each(|part| narrow(part, at, bounds)),
        (Op::Le, [var, Term::Int(value)]) if is_it(var) => below(bounds, Some(*value)),
        (Op::Lt, [var, Term::Int(value)]) if is_it(var) => below(bounds, value.checked_sub(1)),
        (Op::Le, [Term::Int(value), var]) if is_it(var) => above(bounds, Some(*value)),
        (Op::Lt, [Term::Int(value), var]) if is_it(var) => above(bounds, value.checked_add(1)),
        (Op::Not, [Term::Apply(op, sides)]) => match (op, sides.as_slice()) {
            (Op::Le, [var, Term::Int(value)]) if is_it(var) => above(bounds, value.checked_add(1)),
            (Op::Lt, [var, Term::Int(value)]) if is_it(var) => above(bounds, Some(*value)),
            (Op::Le, [Term::Int(value), var]) if is_it(var) => below(bounds, value.checked_sub(1)),
            (Op::Lt, [Term::Int(value), var]) if is_it(var) => below(bounds, Some(*value)),
            _ => {}
        },
        _ => {}
    }
}

/// A variable that nothing defines yet and whose choice brings an equation nearer to defining another one.
fn chosen_in(equation: &Term, bindings: &Bindings) -> Option<usize> {
    let Term::Apply(Op::Eq, sides) = equation else { return None };
    let open = |term: &Term| {
        let mut used = Vec::new();
        term.variables(&mut used);
        used.retain(|&at| bindings.values[at].is_none());
        used
    };
    let (left, right) = (open(&sides[0]), open(&sides[1]));
    let defines = |side: &Term, others: &[usize]| matches!(side, Term::Var(at, _) if bindings.values[*at].is_none() && !others.contains(at));
    if defines(&sides[0], &right) {
        return right.first().copied();
    }
    left.first().copied().filter(|_| defines(&sides[1], &left))
}

/// The values of a clause's variables, as far as they are known.
struct Bindings {
    values: Vec<Option<ExprId>>,
}

impl Lowering<'_> {
    /// Registers for the arguments; named as the first clause names them, if that is one name for one register.
    fn declare(&mut self) {
        let mut wanted: BTreeMap<(Sort, usize), String> = BTreeMap::new();
        for (at, sorts) in self.script.arguments.iter().enumerate() {
            for (position, &sort) in sorts.iter().enumerate() {
                let place = (sort, position);
                let plain =
                    |clause: &Clause| match clause.body.as_ref().filter(|(body, _)| *body == at)?.1.get(position)? {
                        Term::Var(number, _) => Some(clause.variables[*number].0.clone()),
                        _ => None,
                    };
                let name = self.script.clauses.iter().find_map(plain);
                let letter = if sort == Sort::Int { "x" } else { "b" };
                wanted.entry(place).or_insert_with(|| name.unwrap_or_else(|| format!("{letter}{position}")));
            }
        }
        let mut seen = BTreeSet::new();
        for ((sort, position), mut name) in wanted {
            while !seen.insert(name.clone()) {
                name.push_str(&format!("_{position}"));
            }
            let ty = if sort == Sort::Int { Type::Int } else { Type::Bool };
            let id = self.program.add_variable(Variable {
                name,
                ty,
                dimensions: Vec::new(),
                scope: Scope::Global,
                initial: InitialValue::Same(0),
                hidden: false,
                span: Span::default(),
            });
            self.registers.insert((sort, position), id);
        }
    }

    /// Where each predicate and its arguments are.
    fn predicates(&self) -> Vec<Predicate> {
        let register = |(position, &sort): (usize, &Sort)| Register {
            name: self.program.variable(self.registers[&(sort, position)]).name.clone(),
            is_bool: sort != Sort::Int,
        };
        let one = |(at, name): (usize, &String)| Predicate {
            name: name.clone(),
            location: FIRST + at,
            arguments: self.script.arguments[at].iter().enumerate().map(register).collect(),
        };
        self.script.names.iter().enumerate().map(one).collect()
    }

    fn locations(&mut self) -> ProcessId {
        let process = self.program.add_process("clauses", Span::default());
        let goals = (0..self.script.goals.len().max(1)).map(|goal| match goal {
            0 => "false".to_owned(),
            more => format!("false_{}", more + 1),
        });
        let labels = ["start".to_owned()].into_iter().chain(self.script.names.iter().cloned()).chain(goals);
        for label in labels.collect::<Vec<_>>() {
            self.program.add_location(process, Location { labels: vec![label], end: true, ..Location::default() });
        }
        self.program.instances.push(Instance { process, arguments: Vec::new(), priority: 1 });
        process
    }

    fn step(&mut self, clause: &Clause, process: ProcessId, text: &str) -> Result<(), Box<Diagnostic>> {
        let mut bindings = Bindings { values: vec![None; clause.variables.len()] };
        let mut open: Vec<Term> = clause.constraint.clone();
        let mut guards = Vec::new();
        if let Some((_, arguments)) = &clause.body {
            for (position, argument) in arguments.iter().enumerate() {
                let register = self.register(argument.sort(), position);
                match argument {
                    Term::Var(at, _) if bindings.values[*at].is_none() => bindings.values[*at] = Some(register),
                    other => guards.push((register, other.clone())),
                }
            }
        }
        let mut inputs = Vec::new();
        self.solve(&mut open, &mut guards, &mut bindings);
        // What an equation defines once the rest of it is chosen is not chosen itself.
        while let Some(chosen) = open.iter().find_map(|term| chosen_in(term, &bindings)) {
            self.choose(clause, chosen, &mut inputs, &mut bindings);
            self.solve(&mut open, &mut guards, &mut bindings);
        }
        self.choices(clause, (&open, &guards), &mut inputs, &mut bindings);
        let mut conditions = Vec::new();
        for (register, term) in &guards {
            let value = self.value(term, &bindings);
            conditions.push(self.program.exprs.eq(*register, value));
        }
        for term in &open {
            conditions.push(self.value(term, &bindings));
        }
        let guard = self.program.exprs.all(&conditions);
        let assigns = self.assigns(clause, &bindings);
        let mut roots = vec![guard];
        roots.extend(assigns.iter().map(|assign| assign.value));
        let too_large = |&root: &ExprId| {
            self.program.exprs.depth(root) > tertium_program::expr::DEEPEST
                || self.program.exprs.size(root) > tertium_program::expr::LARGEST
        };
        if roots.iter().any(too_large) {
            return Err(refused("so large a clause", clause.span));
        }
        let at =
            |predicate: Option<usize>, other: LocationId| predicate.map_or(other, |at| LocationId::new(FIRST + at));
        let line = text[..clause.span.start].matches('\n').count() + 1;
        self.program.add_step(Step {
            process,
            source: at(clause.body.as_ref().map(|body| body.0), LocationId::new(0)),
            target: at(clause.head.as_ref().map(|head| head.0), error(self.script, clause.goal)),
            rank: 0,
            yields_to: Vec::new(),
            frees: false,
            inputs,
            guard,
            action: Action::Assign(assigns),
            span: clause.span,
            text: format!("clause of line {line}"),
        });
        Ok(())
    }

    fn register(&mut self, sort: Sort, position: usize) -> ExprId {
        self.program.read(self.registers[&(sort, position)])
    }

    /// Binds variables that equations define, and leaves out these equations.
    fn solve(&mut self, open: &mut Vec<Term>, guards: &mut Vec<(ExprId, Term)>, bindings: &mut Bindings) {
        let mut again = true;
        while again {
            again = false;
            let mut at = 0;
            while at < open.len() {
                let solved = match &open[at] {
                    Term::Apply(Op::Eq, sides) => {
                        let (a, b) = (sides[0].clone(), sides[1].clone());
                        self.bind(&a, &b, bindings) || self.bind(&b, &a, bindings)
                    }
                    Term::Var(var, _) if bindings.values[*var].is_none() => {
                        bindings.values[*var] = Some(self.program.exprs.bool(true));
                        true
                    }
                    Term::Apply(Op::Not, inner) => match inner[0] {
                        Term::Var(var, _) if bindings.values[var].is_none() => {
                            bindings.values[var] = Some(self.program.exprs.bool(false));
                            true
                        }
                        _ => false,
                    },
                    _ => false,
                };
                if solved {
                    open.remove(at);
                    again = true;
                } else {
                    at += 1;
                }
            }
            let mut left = Vec::new();
            for (register, term) in std::mem::take(guards) {
                if self.bind_to(&term, register, bindings) {
                    again = true;
                } else {
                    left.push((register, term));
                }
            }
            *guards = left;
        }
    }

    /// Binds the one unknown of a sum to what is left of the other side, if that is known.
    fn bind(&mut self, unknown: &Term, known: &Term, bindings: &mut Bindings) -> bool {
        if !bindings.knows(known) {
            return false;
        }
        let value = self.value(known, bindings);
        self.bind_to(unknown, value, bindings)
    }

    fn bind_to(&mut self, unknown: &Term, value: ExprId, bindings: &mut Bindings) -> bool {
        match unknown {
            Term::Var(at, _) if bindings.values[*at].is_none() => {
                bindings.values[*at] = Some(value);
                true
            }
            Term::Apply(Op::Add, parts) => {
                let Some(one) = bindings.only_unknown(parts) else { return false };
                let mut rest = value;
                for (at, part) in parts.iter().enumerate().filter(|(at, _)| *at != one) {
                    debug_assert_ne!(at, one, "it is left out");
                    let part = self.value(part, bindings);
                    rest = self.program.exprs.binary(Binary::Sub, rest, part);
                }
                self.bind_to(&parts[one], rest, bindings)
            }
            Term::Apply(Op::Sub, parts) => {
                let Some(one) = bindings.only_unknown(parts) else { return false };
                // `a - b - c = v`: `a = v + b + c`, `b = a - c - v`.
                let mut rest = if one == 0 { value } else { self.value(&parts[0], bindings) };
                for part in parts.iter().enumerate().filter(|(at, _)| *at != one && *at != 0).map(|(_, part)| part) {
                    let part = self.value(part, bindings);
                    let op = if one == 0 { Binary::Add } else { Binary::Sub };
                    rest = self.program.exprs.binary(op, rest, part);
                }
                if one != 0 {
                    rest = self.program.exprs.binary(Binary::Sub, rest, value);
                }
                self.bind_to(&parts[one], rest, bindings)
            }
            Term::Apply(Op::Negate, parts) => {
                let value = self.program.exprs.unary(Unary::Negate, value);
                self.bind_to(&parts[0], value, bindings)
            }
            _ => false,
        }
    }

    /// Inputs for variables that nothing defines.
    fn choices(
        &mut self,
        clause: &Clause,
        (open, guards): (&[Term], &[(ExprId, Term)]),
        inputs: &mut Vec<Input>,
        bindings: &mut Bindings,
    ) {
        let mut used = Vec::new();
        open.iter().for_each(|term| term.variables(&mut used));
        guards.iter().for_each(|(_, term)| term.variables(&mut used));
        clause.head.iter().flat_map(|(_, arguments)| arguments).for_each(|term| term.variables(&mut used));
        for at in used.into_iter().collect::<BTreeSet<usize>>() {
            if bindings.values[at].is_none() {
                self.choose(clause, at, inputs, bindings);
            }
        }
    }

    /// Makes a variable of a clause an input.
    fn choose(&mut self, clause: &Clause, at: usize, inputs: &mut Vec<Input>, bindings: &mut Bindings) {
        let (name, sort) = &clause.variables[at];
        let (ty, kind) = if *sort == Sort::Int { (Type::Int, Kind::Int) } else { (Type::Bool, Kind::Bool) };
        bindings.values[at] = Some(self.program.exprs.add(Expr::Input(to_u32(inputs.len()), kind)));
        let mut bounds = (None, None);
        clause.constraint.iter().for_each(|term| narrow(term, at, &mut bounds));
        // Few values can be tried one by one.
        let domain = match bounds {
            (Some(lo), Some(hi)) if hi.saturating_sub(lo) < MOST_TRIED => {
                Domain::Range(self.program.exprs.int(lo), self.program.exprs.int(hi))
            }
            _ => Domain::Type(ty),
        };
        inputs.push(Input { name: name.clone(), domain });
    }

    /// The arguments of the head; registers that it does not have are as in the beginning.
    fn assigns(&mut self, clause: &Clause, bindings: &Bindings) -> Vec<Assign> {
        let mut values: BTreeMap<VarId, ExprId> = BTreeMap::new();
        for (position, argument) in clause.head.iter().flat_map(|(_, arguments)| arguments).enumerate() {
            let register = self.registers[&(argument.sort(), position)];
            values.insert(register, self.value(argument, bindings));
        }
        let mut assigns = Vec::new();
        for (&(sort, _), &register) in &self.registers.clone() {
            let value = match values.get(&register) {
                Some(&value) => value,
                None if sort == Sort::Int => self.program.exprs.int(0),
                None => self.program.exprs.bool(false),
            };
            if value != self.program.read(register) {
                assigns.push(Assign { place: Place::Var(register), value });
            }
        }
        assigns
    }

    fn value(&mut self, term: &Term, bindings: &Bindings) -> ExprId {
        match term {
            Term::Bool(value) => self.program.exprs.bool(*value),
            Term::Int(value) => self.program.exprs.int(*value),
            Term::Var(at, sort) => match bindings.values[*at] {
                Some(value) => value,
                // Nothing asks for a variable before it is known.
                None if *sort == Sort::Int => self.program.exprs.int(0),
                None => self.program.exprs.bool(false),
            },
            // Clauses have been taken apart: no predicate is left in a term.
            Term::Predicate(..) | Term::Quantified(..) => self.program.exprs.bool(false),
            Term::Apply(op, operands) => {
                let values: Vec<ExprId> = operands.iter().map(|operand| self.value(operand, bindings)).collect();
                self.applied(*op, &values)
            }
        }
    }

    fn applied(&mut self, op: Op, values: &[ExprId]) -> ExprId {
        let exprs = &mut self.program.exprs;
        let folded = |exprs: &mut tertium_program::Exprs, op: Binary, unit: i64| match values.split_first() {
            None => exprs.int(unit),
            Some((&first, rest)) => rest.iter().fold(first, |sum, &value| exprs.binary(op, sum, value)),
        };
        match op {
            Op::Not => exprs.not(values[0]),
            Op::And => exprs.all(values),
            Op::Or => exprs.any(values),
            Op::Implies => exprs.implies(values[0], values[1]),
            Op::Eq => exprs.eq(values[0], values[1]),
            Op::Lt => exprs.binary(Binary::Lt, values[0], values[1]),
            Op::Le => exprs.binary(Binary::Le, values[0], values[1]),
            Op::Add => folded(exprs, Binary::Add, 0),
            Op::Sub => folded(exprs, Binary::Sub, 0),
            Op::Mul => folded(exprs, Binary::Mul, 1),
            Op::Negate => exprs.unary(Unary::Negate, values[0]),
            Op::Div => exprs.binary(Binary::Div, values[0], values[1]),
            Op::Mod => exprs.binary(Binary::Mod, values[0], values[1]),
            Op::If => exprs.ite(values[0], values[1], values[2]),
        }
    }
}

impl Bindings {
    fn knows(&self, term: &Term) -> bool {
        let mut used = Vec::new();
        term.variables(&mut used);
        used.iter().all(|&at| self.values[at].is_some())
    }

    /// The only part that is not known.
    fn only_unknown(&self, parts: &[Term]) -> Option<usize> {
        let mut unknown = parts.iter().enumerate().filter(|(_, part)| !self.knows(part));
        let (at, _) = unknown.next()?;
        unknown.next().is_none().then_some(at)
    }
}

//! Between which values does every expression lie where the variables lie between theirs?

use std::collections::HashMap;

use crate::effect::MOST_PROCESSES;
use crate::expr::{Expr, ExprId, Sort};
use crate::graph::{Domain, Program, Step};
use crate::types::{Scope, Type, VarId};

use super::Interval;

/// What stands for the values of a variable that no run has reached so far; nobody reads it, but from outside, where it is 0.
pub(super) const NOT_REACHED: Interval = Interval::between(0, 0);

/// The interval of every expression of a program.
#[derive(Clone, Debug)]
pub struct ExprIntervals {
    /// Of each variable; none where nobody has come to yet.
    variables: Vec<Option<Interval>>,
    values: Vec<Interval>,
}

impl ExprIntervals {
    /// All expressions of the table, where variables lie in these intervals; a variable without one is not reached.
    #[must_use]
    pub fn of(program: &Program, variables: Vec<Option<Interval>>) -> Self {
        let mut all = Self { variables, values: Vec::with_capacity(program.exprs.len()) };
        for at in 0..program.exprs.len() {
            // Operands stand before what is made of them.
            let value = Environment { variable: &|var| all.variable(var), inputs: &[] }.operator(
                program,
                ExprId::new(at),
                &|operand| all.values[operand.index()],
            );
            all.values.push(value);
        }
        all
    }

    /// As far as the types of the variables tell.
    #[must_use]
    pub fn by_types(program: &Program) -> Self {
        let of_type = |var| Some(Interval::of_type(program, program.variable(var).ty));
        Self::of(program, program.variable_ids().map(of_type).collect())
    }

    /// The values of an expression, whatever inputs are.
    #[must_use]
    pub fn at(&self, id: ExprId) -> Interval {
        self.values[id.index()]
    }

    /// The values of the inputs of a step.
    #[must_use]
    pub fn inputs(&self, program: &Program, step: &Step) -> Vec<Interval> {
        let domain = |domain| match domain {
            Domain::Type(ty) => Interval::of_type(program, ty),
            Domain::Range(lo, hi) => Interval { lo: self.at(lo).lo, hi: self.at(hi).hi },
        };
        step.inputs.iter().map(|input| domain(input.domain)).collect()
    }

    /// The values of an expression in a step with these inputs.
    #[must_use]
    pub fn with_inputs(&self, program: &Program, id: ExprId, inputs: &[Interval]) -> Interval {
        if inputs.is_empty() {
            return self.at(id);
        }
        Environment { variable: &|var| self.variable(var), inputs }.value(program, id)
    }

    /// The values of an expression that is evaluated while variables of this scope come into being: those that have no value yet
    /// are 0.
    #[must_use]
    pub fn at_creation(&self, program: &Program, id: ExprId, scope: Scope) -> Interval {
        let is_new = |var: VarId| program.variables.get(var.index()).is_none_or(|variable| variable.scope == scope);
        let variable = |var: VarId| {
            let value = self.variable(var);
            if is_new(var) { value.join(Interval::exactly(0)) } else { value }
        };
        Environment { variable: &variable, inputs: &[] }.value(program, id)
    }

    /// The table may hold expressions over variables that the program has no more.
    fn variable(&self, var: VarId) -> Interval {
        self.variables.get(var.index()).map_or(Interval::ALL, |known| known.unwrap_or(NOT_REACHED))
    }
}

/// Where expressions are evaluated.
struct Environment<'e> {
    variable: &'e dyn Fn(VarId) -> Interval,
    inputs: &'e [Interval],
}

impl Environment<'_> {
    fn value(&self, program: &Program, id: ExprId) -> Interval {
        let mut known: HashMap<ExprId, Interval> = HashMap::new();
        for id in program.exprs.reachable(&[id]) {
            let value = self.operator(program, id, &|operand| known[&operand]);
            known.insert(id, value);
        }
        known[&id]
    }

    /// The values of an operator whose operands have these.
    fn operator(&self, program: &Program, id: ExprId, of: &dyn Fn(ExprId) -> Interval) -> Interval {
        match program.exprs.get(id) {
            Expr::Bool(value) => Interval::exactly(value),
            Expr::Int(value) => Interval::exactly(value),
            Expr::Member(_, position) => Interval::exactly(position),
            Expr::Var(var) | Expr::Element(var, _) => (self.variable)(var),
            // 0 if there is no such process.
            Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => (self.variable)(var).join(Interval::exactly(0)),
            Expr::Input(position, _) if (position as usize) < self.inputs.len() => self.inputs[position as usize],
            Expr::If(_, a, b) => of(a).join(of(b)),
            Expr::Wrap(width, a) => of(a).wrapped(width),
            Expr::Unary(op, a) => Interval::unary(op, of(a)),
            Expr::Binary(op, a, b) => Interval::binary(op, of(a), of(b)),
            Expr::Length(_) | Expr::Capacity(_) => {
                let most = program.channels.iter().map(|channel| i128::from(channel.capacity)).max();
                Interval { lo: Some(0), hi: most }
            }
            Expr::ProcessCount | Expr::OwnPid => pids(program),
            Expr::FirstInstance(_) => pids(program).join(Interval::exactly(-1)),
            Expr::LocationOf(_) => {
                let most = program.processes.iter().map(|process| process.locations.len()).max();
                Interval::between(0, most.unwrap_or(0) as i128)
            }
            _ if program.exprs.sort(id) == Sort::Bool => Interval::TRUTH,
            _ => Interval::ALL,
        }
    }
}

/// The pids that there can be, and how many processes.
pub(super) fn pids(program: &Program) -> Interval {
    Interval::between(0, MOST_PROCESSES.max(program.instances.len()) as i128)
}

/// What remains of values where they are stored in a type: machine integers lose their high bits, all others stay.
#[must_use]
pub fn stored(program: &Program, ty: Type, value: Interval) -> Interval {
    match program.stored_width(ty) {
        Some(width) => value.wrapped(width),
        None => value,
    }
}

//! Small four-valued structures, and the value of branching formulas on them by definition.

use super::Random;
use super::words::Value;
use crate::formula::{Formula, Node, NodeId};

/// A structure whose steps carry evidence; `fair[i]` are the steps that count for constraint `i`.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    pub(crate) states: usize,
    /// For each pair of states whether there is certainly, and whether there is certainly not, a step.
    pub(crate) steps: Vec<Vec<Value>>,
    pub(crate) fair: Vec<Vec<Vec<bool>>>,
    pub(crate) labels: Vec<Vec<Value>>,
}

impl Structure {
    pub(crate) fn random(random: &mut Random, atoms: usize, constraints: usize, classical: bool) -> Self {
        let states = 1 + random.below(4);
        let value = |random: &mut Random| {
            let truth = random.below(5) < 2;
            (truth, if classical { !truth } else { random.coin() })
        };
        let steps = (0..states).map(|_| (0..states).map(|_| value(random)).collect()).collect();
        let labels = (0..states).map(|_| (0..atoms).map(|_| value(random)).collect()).collect();
        let fair = (0..constraints)
            .map(|_| (0..states).map(|_| (0..states).map(|_| random.coin()).collect()).collect())
            .collect();
        Self { states, steps, fair, labels }
    }

    /// The formula's value at each state.
    pub(crate) fn values(&self, formula: &Formula) -> Vec<Value> {
        let mut variables = vec![vec![FALSE; self.states]; formula.variables().len()];
        self.node(formula, formula.root(), &mut variables)
    }

    fn step(&self, action: Option<&str>, from: usize, to: usize) -> Value {
        let step = self.steps[from][to];
        match action.and_then(|name| name.strip_prefix("fair:")) {
            Some(number) => {
                let counts = self.fair[number.parse::<usize>().expect("a constraint's number")][from][to];
                if counts { step } else { FALSE }
            }
            // Any other action: some fixed half of the steps carry it.
            None if action.is_some() && (from + to) % 2 == 1 => FALSE,
            None => step,
        }
    }

    fn next(&self, action: Option<&str>, values: &[Value], all: bool) -> Vec<Value> {
        let at = |from: usize| {
            let moves = (0..self.states).map(|to| (self.step(action, from, to), values[to]));
            if all {
                moves.map(|(step, value)| or(not(step), value)).fold(TRUE, and)
            } else {
                moves.map(|(step, value)| and(step, value)).fold(FALSE, or)
            }
        };
        (0..self.states).map(at).collect()
    }

    fn path(&self, node: Node, of: &mut dyn FnMut(NodeId) -> Vec<Value>, all: bool) -> Vec<Value> {
        let mut operands: Vec<Vec<Value>> = Vec::new();
        for child in node.children() {
            operands.push(of(child));
        }
        if let Node::Next(_) = node {
            return self.next(None, &operands[0], all);
        }
        let (start, combine): (Value, fn(Value, Value, Value) -> Value) = match node {
            Node::Finally(_) => (FALSE, |_, b, next| or(b, next)),
            Node::Globally(_) => (TRUE, |_, b, next| and(b, next)),
            Node::Until(..) => (FALSE, |a, b, next| or(b, and(a, next))),
            Node::Release(..) => (TRUE, |a, b, next| and(b, or(a, next))),
            Node::WeakUntil(..) => (TRUE, |a, b, next| and(or(a, b), or(b, next))),
            Node::StrongRelease(..) => (FALSE, |a, b, next| or(and(a, b), and(b, next))),
            other => panic!("{other:?} after a quantifier is not of CTL"),
        };
        let mut values = vec![start; self.states];
        let (first, second) = (&operands[0], operands.last().expect("an operand"));
        for _ in 0..=2 * self.states {
            let next = self.next(None, &values, all);
            values = (0..self.states).map(|at| combine(first[at], second[at], next[at])).collect();
        }
        values
    }

    fn node(&self, formula: &Formula, id: NodeId, variables: &mut Vec<Vec<Value>>) -> Vec<Value> {
        let node = formula.node(id);
        let action = |action: Option<crate::ActionId>| action.map(|id| formula.actions()[id.index()].as_str());
        let zip = |a: Vec<Value>, b: Vec<Value>, f: fn(Value, Value) -> Value| {
            a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect::<Vec<_>>()
        };
        match node {
            Node::True => vec![TRUE; self.states],
            Node::False => vec![FALSE; self.states],
            Node::Atom(atom) => (0..self.states).map(|at| self.labels[at][atom.index()]).collect(),
            Node::Var(variable) => variables[variable.index()].clone(),
            Node::Not(a) => self.node(formula, a, variables).into_iter().map(not).collect(),
            Node::All(path) => self.path(formula.node(path), &mut |id| self.node(formula, id, variables), true),
            Node::Exists(path) => self.path(formula.node(path), &mut |id| self.node(formula, id, variables), false),
            Node::Diamond(name, a) => {
                let values = self.node(formula, a, variables);
                self.next(action(name), &values, false)
            }
            Node::Box(name, a) => {
                let values = self.node(formula, a, variables);
                self.next(action(name), &values, true)
            }
            Node::Mu(variable, body) | Node::Nu(variable, body) => {
                let start = if matches!(node, Node::Mu(..)) { FALSE } else { TRUE };
                variables[variable.index()] = vec![start; self.states];
                loop {
                    let values = self.node(formula, body, variables);
                    if values == variables[variable.index()] {
                        return values;
                    }
                    variables[variable.index()] = values;
                }
            }
            Node::And(a, b) | Node::Or(a, b) | Node::Implies(a, b) | Node::Iff(a, b) | Node::Xor(a, b) => {
                let a = self.node(formula, a, variables);
                let b = self.node(formula, b, variables);
                zip(
                    a,
                    b,
                    match node {
                        Node::And(..) => and,
                        Node::Or(..) => or,
                        Node::Implies(..) => |a, b| or(not(a), b),
                        Node::Iff(..) => |a, b| or(and(a, b), and(not(a), not(b))),
                        _ => |a, b| and(or(not(a), not(b)), or(a, b)),
                    },
                )
            }
            other => panic!("{other:?} is not of CTL or the mu-calculus"),
        }
    }

    /// The states of a classical structure where a fair path starts that stays in `inside`, by components.
    pub(crate) fn fair_forever(&self, inside: &[bool]) -> Vec<bool> {
        let step = |from: usize, to: usize| self.steps[from][to].0 && inside[from] && inside[to];
        let mut reach: Vec<Vec<bool>> =
            (0..self.states).map(|from| (0..self.states).map(|to| step(from, to)).collect()).collect();
        for middle in 0..self.states {
            for from in 0..self.states {
                for to in 0..self.states {
                    reach[from][to] |= reach[from][middle] && reach[middle][to];
                }
            }
        }
        let together = |a: usize, b: usize| a == b && reach[a][a] || reach[a][b] && reach[b][a];
        let good = |core: usize| {
            let members: Vec<usize> = (0..self.states).filter(|&at| together(core, at)).collect();
            let meets =
                |set: &Vec<Vec<bool>>| members.iter().any(|&a| members.iter().any(|&b| step(a, b) && set[a][b]));
            !members.is_empty() && self.fair.iter().all(meets)
        };
        (0..self.states)
            .map(|from| (0..self.states).any(|core| (core == from || reach[from][core]) && inside[core] && good(core)))
            .collect()
    }
}

pub(crate) const TRUE: Value = (true, false);
pub(crate) const FALSE: Value = (false, true);

fn not((t, f): Value) -> Value {
    (f, t)
}

fn and(a: Value, b: Value) -> Value {
    (a.0 & b.0, a.1 | b.1)
}

fn or(a: Value, b: Value) -> Value {
    (a.0 | b.0, a.1 & b.1)
}

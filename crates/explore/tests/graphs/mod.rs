//! Random program graphs over everything that a graph can say: channels of all kinds, processes that come and go,
//! blocks, ranks, timeouts, priorities, remote reads. Small, and with faults now and then.

use tertium_base::Span;
use tertium_base::narrow::{to_i64, to_u32};
use tertium_program::{
    Action, Assign, Binary, Channel, ChannelId, Dimension, Domain, Expr, ExprId, Fairness, Field, Hold, InitialValue,
    Input, Instance, Location, LocationId, Pattern, Place, ProcessId, Program, Scope, Sort, Step, StepId, Type, Unary,
    VarId, Variable, Width,
};
use tertium_testkit::Rng;

const BYTE: Type = Type::Wrapped(Width { bits: 2, signed: false });
const SMALL: Type = Type::Wrapped(Width { bits: 3, signed: true });

/// Which features a graph may use.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    pub dynamic: bool,
    pub priorities: bool,
    pub last: bool,
    pub timeout: bool,
    pub inputs: bool,
    pub faults: bool,
    pub blocks: bool,
    /// Nobody looks at where others are or waits for time-outs, and many steps keep to their own variables.
    pub quiet: bool,
}

/// Makes one graph.
pub struct Maker<'r> {
    rng: &'r mut Rng,
    features: Features,
    program: Program,
    /// Plain variables and arrays of numbers by process; the last entry is the globals.
    numbers: Vec<Vec<VarId>>,
    /// Variables that hold channels.
    channels: Vec<Vec<VarId>>,
    /// Whether the step being made keeps to its own variables.
    alone: bool,
}

/// A random graph.
pub fn random_graph(rng: &mut Rng) -> Program {
    let quiet = rng.chance(25);
    make_graph(rng, quiet)
}

/// A random graph in which many steps keep to their own variables.
#[allow(dead_code, reason = "each test that includes this module uses a part of it")]
pub fn quiet_graph(rng: &mut Rng) -> Program {
    make_graph(rng, true)
}

fn make_graph(rng: &mut Rng, quiet: bool) -> Program {
    let features = Features {
        quiet,
        dynamic: rng.chance(60),
        priorities: !quiet && rng.chance(15),
        last: !quiet && rng.chance(15),
        timeout: !quiet && rng.chance(25),
        inputs: rng.chance(25),
        faults: rng.chance(30),
        blocks: rng.chance(60),
    };
    let mut maker = Maker {
        rng,
        features,
        program: Program::new("random"),
        numbers: Vec::new(),
        channels: Vec::new(),
        alone: false,
    };
    maker.make();
    maker.program
}

fn place_span() -> Span {
    Span::default()
}

impl Maker<'_> {
    fn make(&mut self) {
        let processes = 2 + self.rng.below(2);
        for process in 0..processes {
            self.program.add_process(format!("P{process}"), place_span());
        }
        self.numbers = vec![Vec::new(); processes + 1];
        self.channels = vec![Vec::new(); processes + 1];
        self.declare_globals(processes);
        for process in 0..processes {
            self.declare_locals(process);
        }
        for process in 0..processes {
            self.fill_process(process);
        }
        self.add_instances(processes);
        self.program.priorities = self.features.priorities;
    }

    fn variable(
        &mut self,
        name: String,
        ty: Type,
        scope: Scope,
        dimensions: Vec<Dimension>,
        initial: InitialValue,
    ) -> VarId {
        let variable = Variable { name, ty, dimensions, scope, initial, hidden: false, span: place_span() };
        self.program.add_variable(variable)
    }

    fn declare_globals(&mut self, processes: usize) {
        let x = self.variable("x".into(), BYTE, Scope::Global, vec![], InitialValue::Same(0));
        let y = self.variable("y".into(), SMALL, Scope::Global, vec![], InitialValue::Same(1));
        let dimension = Dimension { lo: 0, len: 2 };
        let a = self.variable("a".into(), BYTE, Scope::Global, vec![dimension], InitialValue::Each(vec![0, 2]));
        let m = self.variable("m".into(), BYTE, Scope::Global, vec![dimension, dimension], InitialValue::Same(1));
        self.numbers[processes] = vec![x, y, a, m];
        if self.features.last {
            let ty = Type::Wrapped(Width { bits: 8, signed: false });
            self.program.last = Some(self.variable("last".into(), ty, Scope::Global, vec![], InitialValue::Same(0)));
        }
        for (at, capacity) in [0, 1 + to_u32(self.rng.below(2))].into_iter().enumerate() {
            let fields = if self.rng.chance(50) { vec![BYTE] } else { vec![BYTE, SMALL] };
            self.channel(format!("q{at}"), capacity, fields, Scope::Global, processes);
        }
    }

    fn channel(&mut self, name: String, capacity: u32, fields: Vec<Type>, scope: Scope, owner: usize) {
        let id: ChannelId =
            self.program.add_channel(Channel { name: name.clone(), capacity, fields, scope, span: place_span() });
        let holder = self.variable(name, Type::Channel, scope, vec![], InitialValue::Channel(id));
        self.channels[owner].push(holder);
    }

    fn declare_locals(&mut self, process: usize) {
        let scope = Scope::Local(ProcessId::new(process));
        let parameter = self.variable(format!("p{process}"), BYTE, scope, vec![], InitialValue::Argument(0));
        self.numbers[process].push(parameter);
        if self.rng.chance(60) {
            let initial = if self.rng.chance(40) {
                let x = self.program.variable_ids().next().expect("x is declared");
                InitialValue::Computed(self.program.exprs.var(x, Sort::Int))
            } else {
                InitialValue::Same(to_i64(self.rng.below(3)))
            };
            let local = self.variable(format!("l{process}"), SMALL, scope, vec![], initial);
            self.numbers[process].push(local);
        }
        if self.rng.chance(30) {
            let dimension = Dimension { lo: 1, len: 2 };
            let local = self.variable(format!("b{process}"), BYTE, scope, vec![dimension], InitialValue::Same(0));
            self.numbers[process].push(local);
        }
        if self.rng.chance(30) {
            let capacity = to_u32(self.rng.below(2));
            self.channel(format!("c{process}"), capacity, vec![BYTE], scope, process);
        }
    }

    fn fill_process(&mut self, process: usize) {
        let id = ProcessId::new(process);
        let count = 3 + self.rng.below(3);
        for at in 0..count {
            let hold = match self.rng.below(8) {
                _ if at == 0 || !self.features.blocks => Hold::Free,
                0 | 1 => Hold::WhileEnabled,
                2 => Hold::Deterministic,
                3 => Hold::Indivisible,
                _ => Hold::Free,
            };
            let location =
                Location { hold, end: self.rng.chance(20), progress: self.rng.chance(20), ..Location::default() };
            self.program.add_location(id, location);
        }
        self.program.processes[process].entry = LocationId::new(0);
        self.program.processes[process].fairness = Fairness::None;
        for source in 0..count {
            for _ in 0..1 + self.rng.below(3) {
                self.add_step(process, source, count);
            }
        }
        if self.rng.chance(15) {
            let condition = self.truth(process, 1, false);
            self.program.processes[process].provided = Some(condition);
        }
    }

    fn add_step(&mut self, process: usize, source: usize, count: usize) {
        self.alone = self.features.quiet && self.rng.chance(60);
        let mut inputs = Vec::new();
        if self.features.inputs && self.rng.chance(30) {
            let lo = self.program.exprs.int(0);
            let hi = self.number(process, 1, false);
            let domain = if self.rng.chance(50) { Domain::Type(Type::Bool) } else { Domain::Range(lo, hi) };
            inputs.push(Input { name: "i".into(), domain });
        }
        let with_input = !inputs.is_empty();
        let guard =
            if self.rng.chance(60) { self.program.exprs.bool(true) } else { self.truth(process, 2, with_input) };
        // Blocks mostly lead out of themselves: the ways through an endless one are very many.
        let held = self.program.location(ProcessId::new(process), LocationId::new(source)).hold != Hold::Free;
        let target = if held && self.rng.chance(97) { (source + 1) % count } else { self.rng.below(count) };
        let rank = if self.rng.chance(25) { 1 } else { 0 };
        let before = self.program.location(ProcessId::new(process), LocationId::new(source)).steps.clone();
        let before: Vec<StepId> = before.into_iter().filter(|&id| self.program.step(id).rank == rank).collect();
        let yields_to = if self.rng.chance(25) { before } else { Vec::new() };
        let step = Step {
            process: ProcessId::new(process),
            source: LocationId::new(source),
            target: LocationId::new(target),
            rank,
            yields_to,
            frees: self.rng.chance(5),
            inputs,
            guard,
            action: self.action(process, with_input),
            span: place_span(),
            text: String::new(),
        };
        self.program.add_step(step);
        self.alone = false;
    }

    fn action(&mut self, process: usize, with_input: bool) -> Action {
        let kinds = if self.alone { 7 } else { 20 };
        match self.rng.below(kinds) {
            0..=6 => {
                let count = 1 + self.rng.below(2);
                Action::Assign((0..count).map(|_| self.assignment(process, with_input)).collect())
            }
            7..=10 => {
                let channel = self.a_channel(process);
                let fields = if self.features.faults && self.rng.chance(10) { 2 } else { self.arity(channel) };
                let message = (0..fields).map(|_| self.number(process, 1, with_input)).collect();
                Action::Send { channel, message, sorted: self.rng.chance(25) }
            }
            11..=14 => Action::Receive { pattern: self.pattern(process, true), keep: self.rng.chance(20) },
            15 if self.features.faults => Action::Assert(self.truth(process, 1, with_input)),
            16 if self.features.dynamic => Action::End,
            17 if self.features.dynamic => {
                let target = self.rng.below(self.program.processes.len());
                let arguments = vec![self.number(process, 1, with_input)];
                let priority = self.rng.chance(40).then(|| self.number(process, 0, false));
                let pid = self.program.exprs.add(Expr::Input(0, Sort::Int));
                let mut then = vec![];
                if self.rng.chance(50) {
                    let (place, ty) = self.place(process, false);
                    let value = self.fitted(pid, ty);
                    then.push(Assign { place, value });
                }
                Action::Run { process: ProcessId::new(target), arguments, priority, then }
            }
            18 if self.features.priorities => Action::SetPriority {
                pid: self.program.exprs.add(Expr::OwnPid),
                value: self.number(process, 1, with_input),
            },
            19 => Action::Print { format: String::new(), values: vec![self.number(process, 1, with_input)] },
            _ => Action::skip(),
        }
    }

    fn arity(&self, channel: ExprId) -> usize {
        let Expr::Var(var) = self.program.exprs.get(channel) else { return 1 };
        let InitialValue::Channel(id) = self.program.variable(var).initial else { return 1 };
        self.program.channel(id).fields.len()
    }

    fn a_channel(&mut self, process: usize) -> ExprId {
        let mut known = self.channels[process].clone();
        known.extend(self.channels.last().expect("globals"));
        let var = *self.rng.pick(&known);
        self.program.exprs.var(var, Sort::Int)
    }

    fn pattern(&mut self, process: usize, bind: bool) -> Pattern {
        let channel = self.a_channel(process);
        let fields = (0..self.arity(channel))
            .map(|_| match self.rng.below(3) {
                0 => Field::Match(self.number(process, 1, false)),
                1 if bind => Field::Bind(self.place(process, true).0),
                _ => Field::Skip,
            })
            .collect();
        Pattern { channel, fields, anywhere: self.rng.chance(30) }
    }

    fn assignment(&mut self, process: usize, with_input: bool) -> Assign {
        let (place, ty) = self.place(process, with_input);
        let value = self.number(process, 2, with_input);
        let value = if self.features.faults && self.rng.chance(10) { value } else { self.fitted(value, ty) };
        Assign { place, value }
    }

    fn fitted(&mut self, value: ExprId, ty: Type) -> ExprId {
        let Type::Wrapped(width) = ty else { return value };
        self.program.exprs.wrap(width, value)
    }

    fn a_number_variable(&mut self, process: usize) -> VarId {
        let mut known = self.numbers[process].clone();
        if !self.alone {
            known.extend(self.numbers.last().expect("globals"));
        }
        *self.rng.pick(&known)
    }

    fn indices(&mut self, var: VarId, process: usize, with_input: bool) -> Vec<ExprId> {
        let dimensions = self.program.variable(var).dimensions.clone();
        dimensions
            .iter()
            .map(|dimension| {
                if self.rng.chance(50) {
                    let index = dimension.lo + to_i64(self.rng.below(dimension.len as usize));
                    return self.program.exprs.int(index);
                }
                let inner = self.number(process, 0, with_input);
                if self.features.faults {
                    return inner;
                }
                let len = self.program.exprs.int(i64::from(dimension.len));
                let lo = self.program.exprs.int(dimension.lo);
                let within = self.program.exprs.binary(Binary::Mod, inner, len);
                self.program.exprs.binary(Binary::Add, within, lo)
            })
            .collect()
    }

    fn place(&mut self, process: usize, with_input: bool) -> (Place, Type) {
        let var = self.a_number_variable(process);
        let ty = self.program.variable(var).ty;
        if self.program.variable(var).dimensions.is_empty() {
            return (Place::Var(var), ty);
        }
        let indices = self.indices(var, process, with_input);
        (Place::Element(var, self.program.exprs.add_list(&indices)), ty)
    }

    /// A number; deep ones have operators.
    fn number(&mut self, process: usize, depth: usize, with_input: bool) -> ExprId {
        if depth > 0 && self.rng.chance(40) {
            let op = *self.rng.pick(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::BitAnd, Binary::Remainder]);
            let left = self.number(process, depth - 1, with_input);
            let right = if op == Binary::Remainder && !self.features.faults {
                self.program.exprs.int(3)
            } else {
                self.number(process, depth - 1, with_input)
            };
            return self.program.exprs.binary(op, left, right);
        }
        match self.rng.below(12) {
            0..=2 => {
                let value = to_i64(self.rng.below(3));
                self.program.exprs.int(value)
            }
            3 if with_input => self.program.exprs.add(Expr::Input(0, Sort::Int)),
            4 if !self.features.quiet && self.rng.chance(30) => {
                let process = ProcessId::new(self.rng.below(self.program.processes.len()));
                self.program.exprs.add(Expr::FirstInstance(process))
            }
            4 => self.program.exprs.add(Expr::OwnPid),
            5 if !self.alone => self.program.exprs.add(Expr::ProcessCount),
            6 if !self.alone => {
                let channel = self.a_channel(process);
                self.program.exprs.add(Expr::Length(channel))
            }
            7 if !self.features.quiet => self.remote(),
            _ => {
                let var = self.a_number_variable(process);
                if self.program.variable(var).dimensions.is_empty() {
                    return self.program.exprs.var(var, Sort::Int);
                }
                let indices = self.indices(var, process, false);
                self.program.exprs.element(var, &indices, Sort::Int)
            }
        }
    }

    /// A local variable of somebody else, who may not be there.
    fn remote(&mut self) -> ExprId {
        let process = self.rng.below(self.program.processes.len());
        let var = self.numbers[process][0];
        let pid = to_i64(self.rng.below(3));
        let pid = self.program.exprs.int(pid);
        self.program.exprs.add_sorted(Expr::Remote(pid, var), Sort::Int)
    }

    /// A truth value.
    fn truth(&mut self, process: usize, depth: usize, with_input: bool) -> ExprId {
        if depth > 0 && self.rng.chance(30) {
            let (a, b) = (self.truth(process, depth - 1, with_input), self.truth(process, depth - 1, with_input));
            let op = *self.rng.pick(&[Binary::And, Binary::Or, Binary::Implies]);
            return self.program.exprs.add(Expr::Binary(op, a, b));
        }
        match self.rng.below(10) {
            0 if !self.alone => {
                let pattern = self.pattern(process, false);
                let pattern = self.program.exprs.add_pattern(pattern);
                self.program.exprs.add(Expr::Poll(pattern))
            }
            1 if self.features.timeout => self.program.exprs.add(Expr::Timeout),
            2 => {
                let inner = self.truth(process, 0, with_input);
                self.program.exprs.add(Expr::Unary(Unary::Not, inner))
            }
            3 if !self.features.quiet => {
                let pid = to_i64(self.rng.below(2));
                let pid = self.program.exprs.int(pid);
                let other = ProcessId::new(self.rng.below(2));
                let location = LocationId::new(self.rng.below(3));
                self.program.exprs.add(Expr::RemoteAt(pid, other, location))
            }
            4 if !self.features.quiet => self.program.exprs.add(Expr::NonProgress),
            _ => {
                let op = *self.rng.pick(&[Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge]);
                let left = self.number(process, depth.min(1), with_input);
                let right = self.number(process, 0, with_input);
                self.program.exprs.add(Expr::Binary(op, left, right))
            }
        }
    }

    fn add_instances(&mut self, processes: usize) {
        let several = if self.features.dynamic { self.rng.below(2) } else { 0 };
        for at in 0..processes + several {
            let process = ProcessId::new(at % processes);
            let instance =
                Instance { process, arguments: vec![to_i64(self.rng.below(3))], priority: to_i64(self.rng.below(2)) };
            self.program.instances.push(instance);
        }
    }
}

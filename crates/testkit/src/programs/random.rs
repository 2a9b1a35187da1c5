//! Random programs with bounded domains, as text that compiles.
//!
//! Every construct of the language occurs: families, local and shared variables of all types, `choose`, `while`, `goto`,
//! `atomic`, inputs, assertions, reads of other processes. Faults (a value out of range, an index, a division) do
//! too, rarely. Loops always contain a step, so no program goes round silently.

use std::fmt::Write;

use tertium_base::narrow::to_usize;

use crate::Rng;

/// How large random programs are, and what they may contain.
#[derive(Clone, Debug)]
pub struct ProgramShape {
    /// How many process declarations.
    pub processes: std::ops::RangeInclusive<usize>,
    /// How many shared variables, besides the ones that always exist.
    pub variables: std::ops::RangeInclusive<usize>,
    /// How many statements in the body of a process.
    pub statements: std::ops::RangeInclusive<usize>,
    /// How deep blocks are nested.
    pub depth: usize,
    /// Whether statements may fail: assertions, divisions, values and indices out of range.
    pub faults: bool,
}

impl Default for ProgramShape {
    fn default() -> Self {
        Self { processes: 1..=3, variables: 1..=3, statements: 1..=4, depth: 2, faults: true }
    }
}

/// What kind of value a variable has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueKind {
    Bool,
    /// `0..n`.
    Range(i64),
    Colour,
}

#[derive(Clone, Debug)]
struct Var {
    name: String,
    kind: ValueKind,
    /// Indices `0..n` for an array.
    cells: Option<i64>,
}

const COLOURS: [&str; 3] = ["red", "green", "blue"];

struct Writer<'r> {
    rng: &'r mut Rng,
    shape: ProgramShape,
    text: String,
    globals: Vec<Var>,
    locals: Vec<Var>,
    labels: usize,
    /// Labels of the process at hand, all of them before a simple statement.
    known_labels: Vec<String>,
    in_family: bool,
    in_atomic: bool,
}

/// A random program.
pub fn random_program(rng: &mut Rng, shape: &ProgramShape) -> String {
    let mut writer = Writer {
        rng,
        shape: shape.clone(),
        text: "system random\ntype colour = {red, green, blue}\nconst K = 2\n".to_owned(),
        globals: Vec::new(),
        locals: Vec::new(),
        labels: 0,
        known_labels: Vec::new(),
        in_family: false,
        in_atomic: false,
    };
    writer.declare_globals();
    let processes = writer.rng.between(&writer.shape.processes.clone());
    for number in 0..processes {
        writer.process(number);
    }
    writer.properties(processes);
    writer.text
}

impl Writer<'_> {
    fn variable(&mut self, name: String) -> Var {
        let kind = match self.rng.below(6) {
            0 | 1 => ValueKind::Bool,
            2 | 3 => ValueKind::Range(1),
            4 => ValueKind::Range(2),
            _ => ValueKind::Colour,
        };
        let cells = (kind != ValueKind::Colour && self.rng.chance(20)).then_some(1);
        Var { name, kind, cells }
    }

    fn declare(&mut self, var: &Var, indent: &str) {
        let cell = match var.kind {
            ValueKind::Bool => "bool".to_owned(),
            ValueKind::Range(hi) => format!("0..{hi}"),
            ValueKind::Colour => "colour".to_owned(),
        };
        let array = var.cells.map_or(String::new(), |hi| format!("array[0..{hi}] of "));
        let initial = match self.rng.below(5) {
            0 => String::new(),
            _ => format!(" = {}", self.literal(var.kind)),
        };
        let _ = writeln!(self.text, "{indent}var {} : {array}{cell}{initial}", var.name);
    }

    fn declare_globals(&mut self) {
        let count = self.rng.between(&self.shape.variables.clone());
        let always = [("b", ValueKind::Bool), ("n", ValueKind::Range(2))];
        let mut all: Vec<Var> =
            always.iter().map(|&(name, kind)| Var { name: name.to_owned(), kind, cells: None }).collect();
        for number in 0..count {
            let var = self.variable(format!("g{number}"));
            all.push(var);
        }
        for var in &all {
            self.declare(var, "");
        }
        self.globals = all;
        // What holds initially must have a value, or there is no initial state to compare.
        let faults = std::mem::replace(&mut self.shape.faults, false);
        if self.rng.chance(30) {
            let condition = self.condition(1);
            let _ = writeln!(self.text, "init b -> {condition}");
        }
        if self.rng.chance(30) {
            let condition = self.condition(1);
            let _ = writeln!(self.text, "define shorthand = {condition}");
        }
        self.shape.faults = faults;
    }

    fn process(&mut self, number: usize) {
        self.in_family = self.rng.chance(20);
        self.known_labels.clear();
        let family = if self.in_family { "[i : 0..1]" } else { "" };
        let _ = writeln!(self.text, "process P{number}{family} {{");
        let count = self.rng.below(2);
        let mut locals = Vec::new();
        for local in 0..count {
            let var = self.variable(format!("l{local}"));
            self.declare(&var, "  ");
            locals.push(var);
        }
        self.locals = locals;
        let loops = self.rng.chance(50);
        if loops {
            self.text.push_str("loop {\n");
        }
        // Every process has this label, so that properties and guards can speak of it.
        self.text.push_str("here: ");
        self.simple();
        let count = self.rng.between(&self.shape.statements.clone());
        self.block(count, self.shape.depth);
        if loops {
            self.text.push_str("}\n");
        }
        self.text.push_str("}\n");
        self.locals.clear();
        self.in_family = false;
    }

    fn block(&mut self, statements: usize, depth: usize) {
        for _ in 0..statements {
            self.statement(depth);
        }
    }

    fn inner_block(&mut self, depth: usize) {
        let statements = self.rng.between(&(1..=2));
        self.text.push_str("{\n");
        self.block(statements, depth);
        self.text.push('}');
    }

    fn statement(&mut self, depth: usize) {
        let kind = if depth == 0 { 0 } else { self.rng.below(12) };
        match kind {
            7 => {
                let condition = self.condition(2);
                let _ = write!(self.text, "if {condition} ");
                self.inner_block(depth - 1);
                if self.rng.chance(50) {
                    self.text.push_str(" else ");
                    self.inner_block(depth - 1);
                }
                self.text.push('\n');
            }
            8 if !self.in_atomic => {
                let condition = self.condition(2);
                let _ = write!(self.text, "while {condition} ");
                self.inner_block(depth - 1);
                self.text.push('\n');
            }
            9 => {
                self.text.push_str("choose ");
                self.inner_block(depth - 1);
                for _ in 0..self.rng.between(&(1..=2)) {
                    self.text.push_str(" or ");
                    self.inner_block(depth - 1);
                }
                self.text.push('\n');
            }
            10 if !self.in_atomic => {
                self.in_atomic = true;
                self.text.push_str("atomic ");
                self.inner_block(depth - 1);
                self.text.push('\n');
                self.in_atomic = false;
            }
            11 if !self.in_atomic && !self.known_labels.is_empty() => {
                let label = self.rng.pick(&self.known_labels.clone()).clone();
                // Behind a test, so that what follows can be reached.
                let condition = self.condition(1);
                let _ = writeln!(self.text, "if {condition} {{ goto {label}; }}");
            }
            _ => self.labelled(),
        }
    }

    fn labelled(&mut self) {
        if !self.in_atomic && self.rng.chance(25) {
            self.labels += 1;
            let label = format!("at{}", self.labels);
            let _ = write!(self.text, "{label}: ");
            self.known_labels.push(label);
        }
        self.simple();
    }

    fn simple(&mut self) {
        match self.rng.below(10) {
            0 => self.text.push_str("skip"),
            1 => {
                let condition = self.condition(2);
                let _ = write!(self.text, "await {condition}");
            }
            2 if self.shape.faults => {
                // Weak enough to hold most of the time.
                let (left, right) = (self.condition(2), self.condition(2));
                let _ = write!(self.text, "assert {left} || {right} || b");
            }
            3 => {
                let condition = self.condition(2);
                let _ = write!(self.text, "when {condition} do ");
                self.assignment();
            }
            4 => self.pair(),
            _ => self.assignment(),
        }
        self.text.push_str(";\n");
    }

    fn target(&mut self) -> Var {
        let vars: Vec<Var> = self.globals.iter().chain(&self.locals).cloned().collect();
        self.rng.pick(&vars).clone()
    }

    fn place(&mut self, var: &Var) -> String {
        match var.cells {
            None => var.name.clone(),
            Some(_) => format!("{}[{}]", var.name, self.index()),
        }
    }

    fn index(&mut self) -> String {
        match self.rng.below(4) {
            0 if self.in_family => "i".to_owned(),
            1 if self.shape.faults => "n".to_owned(),
            2 => "n mod 2".to_owned(),
            _ => self.rng.below(2).to_string(),
        }
    }

    fn assignment(&mut self) {
        let var = self.target();
        let (place, value) = (self.place(&var), self.value(var.kind));
        let _ = write!(self.text, "{place} := {value}");
    }

    fn pair(&mut self) {
        let (x, y) = (self.target(), self.target());
        if x.name == y.name {
            return self.assignment();
        }
        let (px, py, vx, vy) = (self.place(&x), self.place(&y), self.value(x.kind), self.value(y.kind));
        let _ = write!(self.text, "{px}, {py} := {vx}, {vy}");
    }

    fn value(&mut self, kind: ValueKind) -> String {
        if self.rng.chance(12) {
            return match kind {
                ValueKind::Range(hi) if self.rng.chance(50) => format!("* in 0..{}", if hi == 1 { "1" } else { "n" }),
                _ => "*".to_owned(),
            };
        }
        match kind {
            ValueKind::Bool => self.condition(1),
            ValueKind::Colour => self.colour(),
            ValueKind::Range(hi) if self.shape.faults && self.rng.chance(15) => {
                format!("{} + {}", self.number(1), hi.min(1))
            }
            ValueKind::Range(hi) => format!("({}) mod {}", self.number(2), hi + 1),
        }
    }

    fn literal(&mut self, kind: ValueKind) -> String {
        match kind {
            ValueKind::Bool => ["true", "false"][self.rng.below(2)].to_owned(),
            ValueKind::Range(hi) => self.rng.below(to_usize(hi) + 1).to_string(),
            ValueKind::Colour => (*self.rng.pick(&COLOURS)).to_owned(),
        }
    }

    fn of_kind(&mut self, wanted: impl Fn(ValueKind) -> bool) -> Option<String> {
        let vars: Vec<Var> = self.globals.iter().chain(&self.locals).filter(|var| wanted(var.kind)).cloned().collect();
        if vars.is_empty() {
            return None;
        }
        let var = self.rng.pick(&vars).clone();
        Some(self.place(&var))
    }

    fn colour(&mut self) -> String {
        match self.of_kind(|kind| kind == ValueKind::Colour) {
            Some(read) if self.rng.chance(50) => read,
            _ => self.literal(ValueKind::Colour),
        }
    }

    /// A number that is never constant, so that no mistake can be seen before running.
    fn number(&mut self, depth: usize) -> String {
        let read = self.of_kind(|kind| matches!(kind, ValueKind::Range(_))).unwrap_or_else(|| "n".to_owned());
        if depth == 0 {
            return read;
        }
        match self.rng.below(8) {
            0 => format!("{read} + {}", self.number(depth - 1)),
            1 => format!("{read} - {}", self.number(depth - 1)),
            2 => format!("{read} * K"),
            3 => format!("(if {} then {read} else {})", self.condition(depth - 1), self.number(depth - 1)),
            4 if self.shape.faults => format!("{read} div ({} + {})", self.number(depth - 1), self.rng.below(2)),
            5 if self.in_family => format!("{read} + i"),
            6 => format!("-{read} + 2"),
            _ => read,
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let atom = match self.rng.below(6) {
            0 => format!("{} = {}", self.number(1), self.rng.below(3)),
            1 => format!("{} < {}", self.number(1), self.number(1)),
            2 => match self.of_kind(|kind| kind == ValueKind::Colour) {
                Some(read) => format!("{read} != {}", self.literal(ValueKind::Colour)),
                None => "b".to_owned(),
            },
            _ => self.of_kind(|kind| kind == ValueKind::Bool).unwrap_or_else(|| "b".to_owned()),
        };
        if depth == 0 {
            return atom;
        }
        match self.rng.below(7) {
            0 => format!("!({atom})"),
            1 => format!("{atom} && {}", self.condition(depth - 1)),
            2 => format!("({atom} || {})", self.condition(depth - 1)),
            3 => format!("({atom} -> {})", self.condition(depth - 1)),
            _ => atom,
        }
    }

    fn properties(&mut self, processes: usize) {
        let families: Vec<bool> =
            (0..processes).map(|number| self.text.contains(&format!("process P{number}[i"))).collect();
        let at = |number: usize| format!("P{number}{}@here", if families[number] { "[1]" } else { "" });
        self.shape.faults = false;
        let condition = self.condition(1);
        let first = at(0);
        let last = at(processes - 1);
        let _ = writeln!(self.text, "property safe : ltl G !({first} && {last} && {condition})");
        let _ = writeln!(self.text, "property live : ltl G F ({condition})");
        let _ = writeln!(self.text, "property home : ctl AG EF {first}");
        let _ = writeln!(self.text, "property stuck : ctl EF deadlock");
    }
}

//! Random models in SMV, the language of NuSMV, with specifications of every kind.
//!
//! Modules with parameters, processes, arrays, words, enumerations, inputs, sets, constraints and fairness. They are small, and every value stays in
//! the range of its variable, since other checkers refuse a model where one might not.

mod expressions;
mod specifications;

pub use specifications::{Kind, Specification};

use expressions::Expressions;
use tertium_base::narrow::to_i64;

use crate::Rng;

/// What a name stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Type {
    Boolean,
    Range(i64, i64),
    Symbols(Vec<String>),
    Word { signed: bool, width: usize },
    Array(i64, Box<Type>),
}

impl Type {
    fn random(rng: &mut Rng, arrays: bool) -> Self {
        match rng.below(if arrays { 13 } else { 11 }) {
            0..=3 => Self::Boolean,
            4..=6 => {
                let low = if rng.chance(75) { 0 } else { to_i64(rng.below(4)) - 2 };
                Self::Range(low, low + 1 + to_i64(rng.below(3)))
            }
            7 => Self::Symbols(["red", "green", "blue"].map(str::to_owned).to_vec()),
            8 => Self::Symbols(
                ["low", "3", "high", "0"][..2 + rng.below(3)].iter().map(|&value| value.to_owned()).collect(),
            ),
            9 | 10 => Self::Word { signed: rng.chance(35), width: 1 + rng.below(3) },
            _ => Self::Array(
                1 + to_i64(rng.below(2)),
                Box::new(if rng.chance(60) { Self::Boolean } else { Self::Range(0, 2) }),
            ),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Boolean => "boolean".to_owned(),
            Self::Range(low, high) => format!("{low}..{high}"),
            Self::Symbols(values) => format!("{{{}}}", values.join(", ")),
            Self::Word { signed: true, width } => format!("signed word[{width}]"),
            Self::Word { signed: false, width } => format!("unsigned word[{width}]"),
            Self::Array(last, element) => format!("array 0..{last} of {}", element.text()),
        }
    }
}

type Scope = Vec<(String, Type)>;

/// A model without its specifications, and those.
#[derive(Clone, Debug)]
pub struct Model {
    /// All modules.
    pub modules: String,
    /// In the order of their kinds: branching, distances, linear, invariants.
    pub specifications: Vec<Specification>,
}

impl Model {
    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        self.with(|specification| &specification.text)
    }

    /// The whole text, without bounds in linear formulas.
    #[must_use]
    pub fn written_out(&self) -> String {
        self.with(|specification| &specification.written_out)
    }

    fn with(&self, text: impl Fn(&Specification) -> &String) -> String {
        let lines = self.specifications.iter().map(|specification| format!("{}\n", text(specification)));
        self.modules.clone() + &lines.collect::<String>()
    }
}

/// What one module looks like from outside.
struct Signature {
    name: String,
    parameters: Scope,
    variables: Scope,
    /// Whether it assigns to its first parameter.
    writes: bool,
}

/// A random model.
pub fn random_smv(rng: &mut Rng) -> Model {
    let processes = rng.chance(20);
    let mut text = String::new();
    let signatures: Vec<Signature> =
        (0..rng.below(3)).map(|number| module(rng, &mut text, number, processes)).collect();
    let scope = main(rng, &mut text, &signatures, processes);
    let compassion = text.contains("COMPASSION");
    let mut specifications = Vec::new();
    for kind in [Kind::Branching, Kind::Distance, Kind::Linear, Kind::Invariant] {
        // Compassion counts in linear formulas only elsewhere.
        let most = if compassion && kind != Kind::Linear && kind != Kind::Invariant { 0 } else { 1 + rng.below(3) };
        for _ in 0..most {
            specifications.push(Expressions { rng, scope: &scope, next: 0 }.specification(kind));
        }
    }
    Model { modules: text, specifications }
}

/// Sections of a module, in any order.
#[derive(Default)]
struct Sections {
    declarations: String,
    assignments: Vec<String>,
    others: Vec<String>,
}

impl Sections {
    fn text(mut self, rng: &mut Rng) -> String {
        let mut text = self.declarations;
        // The order of assignments does not matter.
        while !self.assignments.is_empty() {
            let at = rng.below(self.assignments.len());
            let assignment = self.assignments.swap_remove(at);
            text.push_str(&format!("ASSIGN {assignment}\n"));
        }
        for other in self.others {
            text.push_str(&format!("{other}\n"));
        }
        text
    }
}

fn module(rng: &mut Rng, text: &mut String, number: usize, processes: bool) -> Signature {
    let parameters: Scope = (0..1 + rng.below(2)).map(|at| (format!("p{at}"), Type::random(rng, false))).collect();
    let mut sections = Sections::default();
    let mut scope = parameters.clone();
    let locals: Scope = (0..1 + rng.below(2)).map(|at| (format!("v{at}"), Type::random(rng, false))).collect();
    for (name, kind) in &locals {
        sections.declarations.push_str(&format!("VAR {name} : {};\n", kind.text()));
        assign(rng, &mut sections, &mut scope, name, kind, processes);
    }
    let mut variables = locals;
    define(rng, &mut sections, &mut scope, &mut variables, number);
    let writes = processes && rng.chance(60);
    if writes {
        let (name, kind) = &parameters[0];
        let value = choice(&mut Expressions { rng, scope: &scope, next: 0 }, kind);
        sections.assignments.push(format!("next({name}) := {value};"));
    }
    if processes && rng.chance(50) {
        sections.others.push("FAIRNESS running".to_owned());
    }
    let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    text.push_str(&format!("MODULE m{number}({})\n{}", names.join(", "), sections.text(rng)));
    Signature { name: format!("m{number}"), parameters, variables, writes }
}

/// A definition, which is a name of its own.
fn define(rng: &mut Rng, sections: &mut Sections, scope: &mut Scope, variables: &mut Scope, number: usize) {
    if rng.chance(60) {
        let kind = if rng.chance(70) { Type::Boolean } else { Type::Range(0, 2) };
        let value = Expressions { rng, scope, next: 0 }.of(&kind, 2);
        sections.declarations.push_str(&format!("DEFINE d{number} := {value};\n"));
        scope.push((format!("d{number}"), kind.clone()));
        variables.push((format!("d{number}"), kind));
    }
}

/// A value or a set of them.
fn choice(expressions: &mut Expressions, kind: &Type) -> String {
    let one = |expressions: &mut Expressions| {
        let depth = 1 + expressions.rng.below(3);
        expressions.of(kind, depth)
    };
    // There are no sets of words.
    let first = if matches!(kind, Type::Word { .. }) { 3 } else { 0 };
    match first + expressions.rng.below(8 - first) {
        0 => format!("{{{}, {}}}", one(expressions), one(expressions)),
        1 => format!("({}) union ({})", one(expressions), one(expressions)),
        2 => {
            let (when, a, b, c) = (expressions.boolean(1), one(expressions), one(expressions), one(expressions));
            format!("case {when} : {{{a}, {b}}}; TRUE : {c}; esac")
        }
        3 => match kind {
            Type::Range(low, high) => format!("{low}..{high}"),
            Type::Boolean => "{TRUE, FALSE}".to_owned(),
            _ => one(expressions),
        },
        _ => one(expressions),
    }
}

/// How a variable gets its values. What is assigned speaks of the variables before it, so that nothing goes round.
fn assign(rng: &mut Rng, sections: &mut Sections, scope: &mut Scope, name: &str, kind: &Type, processes: bool) {
    let elements: Vec<(String, Type)> = match kind {
        Type::Array(last, element) => (0..=*last).map(|at| (format!("{name}[{at}]"), (**element).clone())).collect(),
        _ => vec![(name.to_owned(), kind.clone())],
    };
    let known = scope.len();
    let style = rng.below(8);
    scope.push((name.to_owned(), kind.clone()));
    for (name, kind) in &elements {
        if style == 0 && !processes {
            let before: Scope = scope[..known].to_vec();
            let value = choice(&mut Expressions { rng, scope: &before, next: 0 }, kind);
            sections.assignments.push(format!("{name} := {value};"));
            continue;
        }
        if style != 1 {
            let before: Scope = scope[..known].to_vec();
            let value = choice(&mut Expressions { rng, scope: &before, next: 0 }, kind);
            sections.assignments.push(format!("init({name}) := {value};"));
        }
        if style > 2 {
            let next = if processes { 0 } else { known };
            let value = choice(&mut Expressions { rng, scope, next }, kind);
            sections.assignments.push(format!("next({name}) := {value};"));
        }
    }
}

/// The module `main`; the names that specifications may speak of.
fn main(rng: &mut Rng, text: &mut String, signatures: &[Signature], processes: bool) -> Scope {
    let mut sections = Sections::default();
    let mut scope = Scope::new();
    for at in 0..2 + rng.below(3) {
        let (name, kind) = (format!("x{at}"), Type::random(rng, true));
        sections.declarations.push_str(&format!("VAR {name} : {};\n", kind.text()));
        assign(rng, &mut sections, &mut scope, &name, &kind, processes);
    }
    if rng.chance(20) {
        let kind = Type::random(rng, false);
        sections.declarations.push_str(&format!("FROZENVAR f : {};\n", kind.text()));
        scope.push(("f".to_owned(), kind));
    }
    for (number, signature) in signatures.iter().enumerate() {
        instance(rng, &mut sections, &mut scope, number, signature, processes);
    }
    let mut defined = Scope::new();
    define(rng, &mut sections, &mut scope, &mut defined, 9);
    constraints(rng, &mut sections, &scope, processes);
    text.push_str(&format!("MODULE main\n{}", sections.text(rng)));
    scope
}

fn instance(
    rng: &mut Rng,
    sections: &mut Sections,
    scope: &mut Scope,
    number: usize,
    signature: &Signature,
    processes: bool,
) {
    let mut actual = Vec::new();
    for (at, (_, kind)) in signature.parameters.iter().enumerate() {
        if signature.writes && at == 0 {
            let shared = format!("s{number}");
            sections.declarations.push_str(&format!("VAR {shared} : {};\n", kind.text()));
            scope.push((shared.clone(), kind.clone()));
            actual.push(shared);
        } else {
            actual.push(Expressions { rng, scope, next: 0 }.of(kind, 1));
        }
    }
    let name = format!("i{number}");
    let process = if processes { "process " } else { "" };
    sections.declarations.push_str(&format!("VAR {name} : {process}{}({});\n", signature.name, actual.join(", ")));
    scope.extend(signature.variables.iter().map(|(inner, kind)| (format!("{name}.{inner}"), kind.clone())));
}

/// `INIT`, `INVAR`, `TRANS`, inputs and fairness.
fn constraints(rng: &mut Rng, sections: &mut Sections, scope: &Scope, processes: bool) {
    let plain = |rng: &mut Rng| Expressions { rng, scope, next: 0 }.boolean(2);
    if rng.chance(25) {
        let init = plain(rng);
        sections.others.push(format!("INIT {init};"));
    }
    if rng.chance(20) {
        let invariant = plain(rng);
        sections.others.push(format!("INVAR {invariant}"));
    }
    if rng.chance(30) {
        let mut step_scope = scope.clone();
        if !processes && rng.chance(50) {
            let kind = Type::random(rng, false);
            sections.declarations.push_str(&format!("IVAR chosen : {};\n", kind.text()));
            step_scope.push(("chosen".to_owned(), kind));
        }
        let step = Expressions { rng, scope: &step_scope, next: scope.len() }.boolean(2);
        sections.others.push(format!("TRANS {step};"));
    }
    for _ in 0..rng.below(3) {
        let (p, q) = (plain(rng), plain(rng));
        // NuSMV finds no fair path where processes must run and something is a matter of compassion, even `(p, TRUE)`.
        sections.others.push(match rng.below(5) + usize::from(processes) {
            0 => format!("COMPASSION ({p}, {q});"),
            1 => format!("JUSTICE {p}"),
            _ => format!("FAIRNESS {p};"),
        });
    }
}

//! Conditions and linear formulas over predicates and locations, as text of a language.
//!
//! Everything is told as a pair: when it holds, and when it does not. In the over-approximation a predicate is true or false and the two
//! exclude each other. In the under-approximation it may be unknown: then neither is told, as in Kleene's logic.

use tertium_abstraction::System;
use tertium_abstraction::approximation::SureGuard;
use tertium_abstraction::assignments::Cube;
use tertium_abstraction::truth::{Truth, TruthNode};
use tertium_load::failure::Failure;
use tertium_logic::{Formula, Node};
use tertium_program::{Binary, Expr, ExprId, LocationId, ProcessId, Sort, Unary};

use super::{Approximation, Parts, SourceProcess};

/// Longer formulas than this are left out.
const LONGEST: usize = 200_000;

/// When something holds, and when it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuedText {
    /// When it surely holds.
    pub yes: String,
    /// When it surely does not.
    pub no: String,
}

impl ValuedText {
    fn new(yes: impl Into<String>, no: impl Into<String>) -> Self {
        Self { yes: yes.into(), no: no.into() }
    }

    fn turned(&self) -> Self {
        Self { yes: self.no.clone(), no: self.yes.clone() }
    }
}

/// How a language says what conditions and formulas are made of.
pub trait SourceWords {
    /// What is written.
    fn parts(&self) -> &Parts;
    /// A kept cell has this value.
    fn kept_is(&self, cell: usize, value: i128) -> String;
    /// A number has this value.
    fn equals(&self, name: &str, value: u8) -> String;
    /// A process is at one of its places, or is not.
    fn stands(&self, process: &SourceProcess, location: LocationId, there: bool) -> String;
    /// The words for always, at some time, until, release, next.
    fn temporal(&self) -> [&'static str; 5];

    /// Whether predicates may be unknown.
    fn is_under(&self) -> bool {
        self.parts().side == Approximation::Under
    }

    /// A predicate has this value.
    fn literal(&self, predicate: usize, value: bool) -> String {
        let name = format!("B{}", predicate + 1);
        match (self.is_under(), value) {
            (true, value) => self.equals(&name, u8::from(value)),
            (false, true) => name,
            (false, false) => format!("!{name}"),
        }
    }

    /// A process is at a location, or is not.
    fn place(&self, process: ProcessId, location: LocationId, there: bool) -> String {
        let process = &self.parts().processes[process.index()];
        if process.has(location.index()) { self.stands(process, location, there) } else { (!there).to_string() }
    }
}

/// All of these.
pub fn all(parts: &[String]) -> String {
    joined(parts, "&&", "true", "false")
}

/// Some of these.
pub fn any(parts: &[String]) -> String {
    joined(parts, "||", "false", "true")
}

fn joined(parts: &[String], sign: &str, neutral: &str, strong: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in parts {
        if part == strong {
            return strong.to_owned();
        }
        if part != neutral && !kept.contains(&part.as_str()) {
            kept.push(part);
        }
    }
    match kept.as_slice() {
        [] => neutral.to_owned(),
        [one] => (*one).to_owned(),
        some => format!("({})", some.join(&format!(" {sign} "))),
    }
}

/// Not this.
pub fn not(text: &str) -> String {
    match text {
        "true" => "false".to_owned(),
        "false" => "true".to_owned(),
        _ if text.starts_with('(') => format!("!{text}"),
        _ => format!("!({text})"),
    }
}

/// Some of these cubes holds.
pub fn of_cubes(words: &dyn SourceWords, cubes: &[Cube]) -> String {
    let cube = |cube: &Cube| all(&cube.iter().map(|&(at, value)| words.literal(at, value)).collect::<Vec<_>>());
    any(&cubes.iter().map(cube).collect::<Vec<_>>())
}

/// A formula over predicates.
pub fn of_truth(words: &dyn SourceWords, truth: &Truth) -> ValuedText {
    let mut texts: Vec<ValuedText> = Vec::new();
    for node in &truth.nodes {
        let text = match node {
            TruthNode::Constant(value) => ValuedText::new(value.to_string(), (!value).to_string()),
            TruthNode::Predicate(at) => ValuedText::new(words.literal(*at, true), words.literal(*at, false)),
            TruthNode::Not(part) => texts[*part].turned(),
            TruthNode::All(parts) => {
                let side = |pick: fn(&ValuedText) -> &String| -> Vec<String> {
                    parts.iter().map(|&part| pick(&texts[part]).clone()).collect()
                };
                ValuedText::new(all(&side(|text| &text.yes)), any(&side(|text| &text.no)))
            }
            TruthNode::Same(a, b) => same(&texts[*a], &texts[*b]),
            TruthNode::Choose(c, a, b) => chosen(&texts[*c], &texts[*a], &texts[*b]),
        };
        texts.push(text);
    }
    texts.pop().unwrap_or_else(|| ValuedText::new("true", "false"))
}

fn both(a: &str, b: &str) -> String {
    all(&[a.to_owned(), b.to_owned()])
}

fn either(a: &str, b: &str) -> String {
    any(&[a.to_owned(), b.to_owned()])
}

fn same(a: &ValuedText, b: &ValuedText) -> ValuedText {
    let yes = either(&both(&a.yes, &b.yes), &both(&a.no, &b.no));
    ValuedText::new(yes, either(&both(&a.yes, &b.no), &both(&a.no, &b.yes)))
}

fn chosen(c: &ValuedText, a: &ValuedText, b: &ValuedText) -> ValuedText {
    let yes = either(&both(&c.yes, &a.yes), &both(&c.no, &b.yes));
    ValuedText::new(yes, either(&both(&c.yes, &a.no), &both(&c.no, &b.no)))
}

/// A condition of the program. What predicates and locations do not say is told where it follows from them.
///
/// # Errors
/// If a limit is reached, or the condition has no meaning as a term.
pub fn of_expression(
    words: &dyn SourceWords,
    system: &mut System,
    expr: ExprId,
    failed: &dyn Fn(&System, tertium_abstraction::Failed) -> Failure,
) -> Result<ValuedText, Failure> {
    let mut texts: std::collections::HashMap<ExprId, ValuedText> = std::collections::HashMap::new();
    for id in system.program().exprs.reachable(&[expr]) {
        if system.program().exprs.sort(id) != Sort::Bool {
            continue;
        }
        let truths = |a: ExprId| system.program().exprs.sort(a) == Sort::Bool;
        let text = match system.program().exprs.get(id) {
            Expr::Bool(value) => ValuedText::new(value.to_string(), (!value).to_string()),
            Expr::At(process, at) => ValuedText::new(words.place(process, at, true), words.place(process, at, false)),
            Expr::Unary(Unary::Not, a) => texts[&a].turned(),
            Expr::Binary(Binary::And, a, b) => {
                ValuedText::new(both(&texts[&a].yes, &texts[&b].yes), either(&texts[&a].no, &texts[&b].no))
            }
            Expr::Binary(Binary::Or, a, b) => {
                ValuedText::new(either(&texts[&a].yes, &texts[&b].yes), both(&texts[&a].no, &texts[&b].no))
            }
            Expr::Binary(Binary::Implies, a, b) => {
                ValuedText::new(either(&texts[&a].no, &texts[&b].yes), both(&texts[&a].yes, &texts[&b].no))
            }
            Expr::Binary(Binary::Eq, a, b) if truths(a) => same(&texts[&a], &texts[&b]),
            Expr::Binary(Binary::Ne, a, b) if truths(a) => same(&texts[&a], &texts[&b]).turned(),
            Expr::If(c, a, b) => chosen(&texts[&c], &texts[&a], &texts[&b]),
            _ => of_comparison(words, system, id).map_err(|why| failed(system, why))?,
        };
        texts.insert(id, text);
    }
    Ok(texts.remove(&expr).unwrap_or_else(|| ValuedText::new("false", "false")))
}

fn of_comparison(
    words: &dyn SourceWords,
    system: &mut System,
    expr: ExprId,
) -> Result<ValuedText, tertium_abstraction::Failed> {
    if let Some((yes, no)) = system.truth_of(expr)? {
        return Ok(ValuedText::new(of_truth(words, &yes).yes, of_truth(words, &no).yes));
    }
    // What speaks of variables that stay concrete is told for each of their values.
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for valued in system.surely_valued(expr)? {
        let case = valued.case.iter().map(|&(cell, value)| words.kept_is(cell, value));
        let case = all(&case.collect::<Vec<_>>());
        yes.push(both(&case, &of_sure(words, &valued.yes)));
        no.push(both(&case, &of_sure(words, &valued.no)));
    }
    Ok(ValuedText::new(any(&yes), any(&no)))
}

/// Where something surely holds.
pub fn of_sure(words: &dyn SourceWords, sure: &SureGuard) -> String {
    match sure {
        SureGuard::Where(truth) => of_truth(words, truth).yes,
        SureGuard::Under(cubes) => of_cubes(words, cubes),
    }
}

/// A linear formula in positive normal form, given its atoms. True of the over-approximation means true of the program; false of the
/// under-approximation, where an unknown atom counts as what the formula wants, means false. None if it is no linear formula, or too long.
pub fn of_formula(words: &dyn SourceWords, formula: &Formula, atoms: &[ValuedText]) -> Option<String> {
    let [always, sometime, until, release, next] = words.temporal();
    let one = |word: &str, a: &str| format!("{word} ({a})");
    let two = |a: &str, word: &str, b: &str| format!("(({a}) {word} ({b}))");
    let mut texts: std::collections::HashMap<tertium_logic::NodeId, ValuedText> = std::collections::HashMap::new();
    for id in formula.node_ids() {
        let part = |node| texts.get(&node);
        let text = match formula.node(id) {
            Node::True => ValuedText::new("true", "false"),
            Node::False => ValuedText::new("false", "true"),
            Node::Atom(atom) => {
                let atom = atoms.get(atom.index())?;
                if words.is_under() { ValuedText::new(not(&atom.no), not(&atom.yes)) } else { atom.clone() }
            }
            Node::Not(a) => part(a)?.turned(),
            Node::And(a, b) => {
                let (a, b) = (part(a)?, part(b)?);
                ValuedText::new(both(&a.yes, &b.yes), either(&a.no, &b.no))
            }
            Node::Or(a, b) => {
                let (a, b) = (part(a)?, part(b)?);
                ValuedText::new(either(&a.yes, &b.yes), both(&a.no, &b.no))
            }
            Node::Implies(a, b) => {
                let (a, b) = (part(a)?, part(b)?);
                ValuedText::new(either(&a.no, &b.yes), both(&a.yes, &b.no))
            }
            Node::Iff(a, b) => same(part(a)?, part(b)?),
            Node::Xor(a, b) => same(part(a)?, part(b)?).turned(),
            Node::All(a) => part(a)?.clone(),
            Node::Next(a) => ValuedText::new(one(next, &part(a)?.yes), one(next, &part(a)?.no)),
            Node::Finally(a) => ValuedText::new(one(sometime, &part(a)?.yes), one(always, &part(a)?.no)),
            Node::Globally(a) => ValuedText::new(one(always, &part(a)?.yes), one(sometime, &part(a)?.no)),
            Node::Until(a, b) => {
                let (a, b) = (part(a)?, part(b)?);
                ValuedText::new(two(&a.yes, until, &b.yes), two(&a.no, release, &b.no))
            }
            Node::Release(a, b) => {
                let (a, b) = (part(a)?, part(b)?);
                ValuedText::new(two(&a.yes, release, &b.yes), two(&a.no, until, &b.no))
            }
            Node::WeakUntil(a, b) => {
                let (a, b) = (part(a)?, part(b)?);
                let yes = two(&b.yes, release, &either(&a.yes, &b.yes));
                ValuedText::new(yes, two(&b.no, until, &both(&a.no, &b.no)))
            }
            Node::StrongRelease(a, b) => {
                let (a, b) = (part(a)?, part(b)?);
                let yes = two(&b.yes, until, &both(&a.yes, &b.yes));
                ValuedText::new(yes, two(&b.no, release, &either(&a.no, &b.no)))
            }
            _ => return None,
        };
        if text.yes.len() > LONGEST || text.no.len() > LONGEST {
            return None;
        }
        texts.insert(id, text);
    }
    texts.remove(&formula.root()).map(|text| text.yes)
}

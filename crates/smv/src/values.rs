//! Typed values: what expressions of the model become, and how values of one type are read as another.
//!
//! Symbols are positions in an enumeration. Enumerations with a common beginning have common positions, so that a comparison of a variable with a
//! symbol is one comparison of numbers.

use tertium_base::Span;
use tertium_base::narrow::to_i64;
use tertium_program::analysis::intervals::ExprIntervals;
use tertium_program::{Binary, EnumId, Enumeration, Expr, ExprId, Program, Width};

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Bool,
    Int,
    Symbol(EnumId),
    Word(Width),
}

impl Ty {
    /// The word for it in messages.
    pub fn word(self) -> String {
        match self {
            Self::Bool => "a truth value".to_owned(),
            Self::Int => "a number".to_owned(),
            Self::Symbol(_) => "a symbol".to_owned(),
            Self::Word(width) => {
                format!("a{} word of {} bits", if width.signed { " signed" } else { "n unsigned" }, width.bits)
            }
        }
    }
}

/// A value and its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Typed {
    pub ty: Ty,
    pub expr: ExprId,
}

/// A value, or several of which one is chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    One(Typed),
    /// Each with the condition under which it may be chosen.
    Many(Vec<(ExprId, Typed)>),
}

impl Choice {
    /// All values with their conditions.
    pub fn alternatives(&self, program: &mut Program) -> Vec<(ExprId, Typed)> {
        match self {
            Self::One(value) => vec![(program.exprs.bool(true), *value)],
            Self::Many(values) => values.clone(),
        }
    }
}

/// A number that may be one of more than these is not read as a symbol.
const MOST_NUMERALS: i64 = 4096;

/// Enumerations by their members.
#[derive(Default)]
pub(crate) struct Enumerations {
    known: std::collections::BTreeMap<Vec<String>, EnumId>,
}

impl Enumerations {
    /// The enumeration with these members.
    pub fn with(&mut self, program: &mut Program, members: Vec<String>) -> EnumId {
        if let Some(&id) = self.known.get(&members) {
            return id;
        }
        let name = format!("{{{}}}", members.join(", "));
        let id = program.add_enumeration(Enumeration { name, members: members.clone(), span: Span::default() });
        self.known.insert(members, id);
        id
    }

    /// One symbol.
    pub fn symbol(&mut self, program: &mut Program, name: &str) -> Typed {
        let of = self.with(program, vec![name.to_owned()]);
        Typed { ty: Ty::Symbol(of), expr: program.exprs.add(Expr::Member(of, 0)) }
    }

    /// A number as a symbol, of the enumeration of all numbers that it may be; none if those are too many.
    pub fn numeral(&mut self, program: &mut Program, number: ExprId) -> Option<Typed> {
        if let Some(value) = program.exprs.constant(number) {
            return Some(self.symbol(program, &value.to_string()));
        }
        let (Some(low), Some(high)) = ExprIntervals::by_types(program).at(number).bounds() else { return None };
        if high.checked_sub(low)? > MOST_NUMERALS {
            return None;
        }
        let of = self.with(program, (low..=high).map(|value| value.to_string()).collect());
        let low = program.exprs.int(low);
        Some(Typed { ty: Ty::Symbol(of), expr: program.exprs.binary(Binary::Sub, number, low) })
    }

    /// An enumeration with the members of both, those of the larger one first.
    pub fn joined(&mut self, program: &mut Program, a: EnumId, b: EnumId) -> EnumId {
        if a == b {
            return a;
        }
        let (a, b) =
            if program.enumeration(a).members.len() >= program.enumeration(b).members.len() { (a, b) } else { (b, a) };
        let mut members = program.enumeration(a).members.clone();
        for member in program.enumeration(b).members.clone() {
            if !members.contains(&member) {
                members.push(member);
            }
        }
        self.with(program, members)
    }
}

/// The position of a symbol in another enumeration; beyond its end where it is no member.
pub(crate) fn moved(program: &mut Program, expr: ExprId, from: EnumId, to: EnumId) -> ExprId {
    if from == to {
        return expr;
    }
    let wanted = program.enumeration(to).members.clone();
    let own = program.enumeration(from).members.clone();
    let position = |name: &String| wanted.iter().position(|member| member == name).unwrap_or(wanted.len());
    if let Some(value) = program.exprs.constant(expr) {
        let at = usize::try_from(value).ok().and_then(|at| own.get(at)).map_or(wanted.len(), position);
        return member(program, to, at);
    }
    if let Expr::If(c, a, b) = program.exprs.get(expr) {
        let (a, b) = (moved(program, a, from, to), moved(program, b, from, to));
        return program.exprs.ite(c, a, b);
    }
    if own.iter().enumerate().all(|(at, name)| position(name) == at) {
        return expr;
    }
    let mut value = member(program, to, own.last().map_or(0, position));
    for (at, name) in own.iter().enumerate().rev().skip(1) {
        let here = program.exprs.add(Expr::Member(from, tertium_base::narrow::to_u32(at)));
        let is = program.exprs.eq(expr, here);
        let there = member(program, to, position(name));
        value = program.exprs.ite(is, there, value);
    }
    value
}

fn member(program: &mut Program, of: EnumId, at: usize) -> ExprId {
    if at < program.enumeration(of).members.len() {
        program.exprs.add(Expr::Member(of, tertium_base::narrow::to_u32(at)))
    } else {
        program.exprs.int(to_i64(at))
    }
}

/// The number that stands at a position: `if x = 0 then 3 else if …`.
pub(crate) fn numbered(program: &mut Program, position: ExprId, numbers: &[i64]) -> ExprId {
    let mut value = program.exprs.int(numbers.last().copied().unwrap_or(0));
    for (at, &number) in numbers.iter().enumerate().rev().skip(1) {
        let here = program.exprs.int(to_i64(at));
        let is = program.exprs.eq(position, here);
        let number = program.exprs.int(number);
        value = program.exprs.ite(is, number, value);
    }
    value
}

/// The position of a number in a list; beyond its end where it is not in it.
pub(crate) fn position_of(program: &mut Program, number: ExprId, numbers: &[i64]) -> ExprId {
    let mut value = program.exprs.int(to_i64(numbers.len()));
    for (at, &known) in numbers.iter().enumerate().rev() {
        let known = program.exprs.int(known);
        let is = program.exprs.binary(Binary::Eq, number, known);
        let here = program.exprs.int(to_i64(at));
        value = program.exprs.ite(is, here, value);
    }
    value
}

//! Random expressions of every type, over the variables in scope.

use tertium_base::narrow::to_i64;

use super::{Rng, Scope, Type};

/// Expressions over a scope; `next` where the text may speak of the following state.
pub(super) struct Expressions<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) scope: &'a Scope,
    /// How many of the variables, the first ones, may be read as `next(x)`.
    pub(super) next: usize,
}

impl Expressions<'_> {
    /// A name in scope with this property, sometimes as `next(x)`.
    fn name(&mut self, fits: impl Fn(&Type) -> bool) -> Option<(String, Type)> {
        let fitting: Vec<usize> = (0..self.scope.len()).filter(|&at| fits(&self.scope[at].1)).collect();
        if fitting.is_empty() {
            return None;
        }
        let at = *self.rng.pick(&fitting);
        let (name, kind) = self.scope[at].clone();
        let written = if at < self.next && self.rng.chance(40) { format!("next({name})") } else { name };
        Some((written, kind))
    }

    pub(super) fn of(&mut self, kind: &Type, depth: usize) -> String {
        match kind {
            Type::Boolean => self.boolean(depth),
            Type::Range(low, high) => self.within(*low, *high, depth),
            Type::Symbols(values) => self.symbol(values, depth),
            Type::Word { signed, width } => self.word(*signed, *width, depth),
            Type::Array(..) => unreachable!("arrays are written by element"),
        }
    }

    /// A truth value.
    pub(super) fn boolean(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(12) {
            return self.atom();
        }
        let below = depth - 1;
        match self.rng.below(19) {
            0 => negated(&self.boolean(below)),
            1 | 2 => self.joined(below, &["&", "|", "xor", "->", "<->", "xnor"]),
            3 | 4 => format!("({} & {})", self.boolean(below), self.boolean(below)),
            5 => format!("({} | {})", self.boolean(below), self.boolean(below)),
            6 | 7 => {
                let comparison = *self.rng.pick(&["=", "!=", "<", "<=", ">", ">="]);
                format!("({} {comparison} {})", self.integer(below), self.integer(below))
            }
            8 => self.member(below),
            9 | 10 => self.compared_words(below),
            11 => self.compared_symbols(below),
            12 => {
                let (a, b, c) = (self.boolean(below), self.boolean(below), self.boolean(below));
                format!("(case {a} : {b}; TRUE : {c}; esac)")
            }
            13 => {
                let (a, b, c) = (self.boolean(below), self.boolean(below), self.boolean(below));
                format!("({a} ? {b} : {c})")
            }
            14 => format!("bool({})", self.word(false, 1, below)),
            15 => self.element(&Type::Boolean).unwrap_or_else(|| self.atom()),
            _ => self.atom(),
        }
    }

    /// Several operators without brackets, so that precedence counts.
    fn joined(&mut self, depth: usize, operators: &[&str]) -> String {
        let mut text = self.atom();
        for _ in 0..=self.rng.below(3) {
            let operator = *self.rng.pick(operators);
            let next = if self.rng.chance(30) { negated(&self.atom()) } else { self.operand(depth) };
            text = format!("{text} {operator} {next}");
        }
        format!("({text})")
    }

    fn operand(&mut self, depth: usize) -> String {
        if self.rng.chance(60) { self.atom() } else { self.boolean(depth) }
    }

    fn atom(&mut self) -> String {
        match self.rng.below(10) {
            0 => (*self.rng.pick(&["TRUE", "FALSE"])).to_owned(),
            1..=5 => self.name(|kind| *kind == Type::Boolean).map_or("TRUE".to_owned(), |(name, _)| name),
            6 | 7 => match self.name(|kind| matches!(kind, Type::Range(..))) {
                Some((name, Type::Range(low, high))) => {
                    let bound = low + to_i64(self.rng.below(usize::try_from(high - low + 1).unwrap_or(1)));
                    format!("{name} {} {bound}", self.rng.pick(&["=", "!=", "<", "<=", ">", ">="]))
                }
                _ => "FALSE".to_owned(),
            },
            8 => match self.name(|kind| matches!(kind, Type::Symbols(_))) {
                Some((name, Type::Symbols(values))) => {
                    let value = self.rng.pick(&values).clone();
                    format!("{name} {} {value}", self.rng.pick(&["=", "!="]))
                }
                _ => "TRUE".to_owned(),
            },
            _ => match self.name(|kind| matches!(kind, Type::Word { .. })) {
                Some((name, Type::Word { signed, width })) => {
                    format!("{name} {} {}", self.rng.pick(&["=", "!=", "<", ">="]), self.word_constant(signed, width))
                }
                _ => "TRUE".to_owned(),
            },
        }
    }

    fn member(&mut self, depth: usize) -> String {
        if self.rng.chance(40)
            && let Some((name, Type::Symbols(values))) = self.name(|kind| matches!(kind, Type::Symbols(_)))
        {
            let some = self.rng.some_of(&values);
            return format!("{name} in {{{}}}", some.join(", "));
        }
        let low = self.rng.below(3);
        let number = self.integer(depth);
        match self.rng.below(3) {
            0 => format!("({number} in {{{low}, {}}})", self.rng.below(5)),
            1 => format!("({number} in {low}..{})", low + self.rng.below(3)),
            _ => format!("({number} in ({{{low}}} union {{{}, {}}}))", self.rng.below(5), self.rng.below(3)),
        }
    }

    fn compared_words(&mut self, depth: usize) -> String {
        let (signed, width) = self.word_type();
        let comparison = *self.rng.pick(&["=", "!=", "<", "<=", ">", ">="]);
        format!("({} {comparison} {})", self.word(signed, width, depth), self.word(signed, width, depth))
    }

    fn compared_symbols(&mut self, depth: usize) -> String {
        match self.name(|kind| matches!(kind, Type::Symbols(_))) {
            Some((name, Type::Symbols(values))) => {
                format!("({name} {} {})", self.rng.pick(&["=", "!="]), self.symbol(&values, depth))
            }
            _ => self.atom(),
        }
    }

    /// A number, between minus and plus some tens.
    pub(super) fn integer(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(25) {
            let named = if self.rng.chance(75) { self.name(|kind| matches!(kind, Type::Range(..))) } else { None };
            return named.map_or_else(|| self.rng.below(5).to_string(), |(name, _)| name);
        }
        let below = depth - 1;
        match self.rng.below(13) {
            0 | 1 => format!("({} + {})", self.integer(below), self.integer(below)),
            2 | 3 => format!("({} - {})", self.integer(below), self.integer(below)),
            4 => format!("({} * {})", self.integer(below), self.integer(0)),
            5 => format!("({} mod {})", self.integer(below), 2 + self.rng.below(3)),
            6 => format!("({} / {})", self.integer(below), 2 + self.rng.below(2)),
            7 => format!("(- {})", self.integer(below)),
            8 => {
                let (signed, width) = self.word_type();
                format!("toint({})", self.word(signed, width, below))
            }
            9 => format!("toint({})", self.boolean(below)),
            10 => format!("count(({}), ({}), ({}))", self.atom(), self.boolean(below), self.atom()),
            11 => {
                let (a, b, c) = (self.boolean(below), self.integer(below), self.integer(below));
                format!("(case {a} : {b}; !({a}) : {c}; esac)")
            }
            _ => {
                let (a, b, c, d) = (self.integer(0), self.integer(0), self.integer(0), self.integer(0));
                format!("{a} + {b} * {c} - {d}")
            }
        }
    }

    /// A number of a range: what would leave it is something else.
    fn within(&mut self, low: i64, high: i64, depth: usize) -> String {
        let size = usize::try_from(high - low + 1).unwrap_or(1);
        let inside = low + to_i64(self.rng.below(size));
        if depth == 0 || self.rng.chance(15) {
            let fits = |kind: &Type| matches!(kind, Type::Range(l, h) if *l >= low && *h <= high);
            return self.name(fits).map_or_else(|| inside.to_string(), |(name, _)| name);
        }
        if self.rng.chance(20)
            && let Some(element) = self.element(&Type::Range(low, high))
        {
            return element;
        }
        let number = self.integer(depth - 1);
        if self.rng.chance(40) {
            return format!("((({number}) mod {size} + {size}) mod {size} + {low})");
        }
        format!("(case ({number}) >= {low} & ({number}) <= {high} : {number}; TRUE : {inside}; esac)")
    }

    fn symbol(&mut self, values: &[String], depth: usize) -> String {
        if depth == 0 || self.rng.chance(40) {
            let same =
                |kind: &Type| matches!(kind, Type::Symbols(other) if other.iter().all(|value| values.contains(value)));
            let named = if self.rng.chance(60) { self.name(same) } else { None };
            return named.map_or_else(|| self.rng.pick(values).clone(), |(name, _)| name);
        }
        let (a, b, c) = (self.boolean(depth - 1), self.symbol(values, depth - 1), self.symbol(values, depth - 1));
        if self.rng.chance(50) { format!("(case {a} : {b}; TRUE : {c}; esac)") } else { format!("({a} ? {b} : {c})") }
    }

    /// The type of a word in scope, mostly.
    fn word_type(&mut self) -> (bool, usize) {
        match self.name(|kind| matches!(kind, Type::Word { .. })) {
            Some((_, Type::Word { signed, width })) if self.rng.chance(80) => (signed, width),
            _ => (self.rng.chance(30), 1 + self.rng.below(3)),
        }
    }

    fn word_constant(&mut self, signed: bool, width: usize) -> String {
        let value = self.rng.below(1 << width);
        if signed {
            let half = 1 << (width - 1);
            return match value < half {
                true => format!("0sd{width}_{value}"),
                false => format!("(-0sd{width}_{})", (1 << width) - value),
            };
        }
        match self.rng.below(4) {
            0 => format!("0b{width}_{value:0width$b}"),
            1 => format!("0h{width}_{value:x}"),
            2 => format!("uwconst({value}, {width})"),
            _ => format!("0ud{width}_{value}"),
        }
    }

    pub(super) fn word(&mut self, signed: bool, width: usize, depth: usize) -> String {
        if depth == 0 || self.rng.chance(20) {
            let same = Type::Word { signed, width };
            let named = if self.rng.chance(70) { self.name(|kind| *kind == same) } else { None };
            return named.map_or_else(|| self.word_constant(signed, width), |(name, _)| name);
        }
        let below = depth - 1;
        match self.rng.below(16) {
            0..=2 => {
                let operator = *self.rng.pick(&["+", "-", "*", "&", "|", "xor", "xnor"]);
                format!("({} {operator} {})", self.word(signed, width, below), self.word(signed, width, below))
            }
            3 => format!("(!{})", self.word(signed, width, below)),
            4 => format!("(-{})", self.word(signed, width, below)),
            5 => {
                let shift = *self.rng.pick(&["<<", ">>"]);
                format!("({} {shift} {})", self.word(signed, width, below), self.rng.below(width + 1))
            }
            6 => {
                let operator = *self.rng.pick(&["/", "mod"]);
                let divisor = if width == 1 {
                    "0ud1_1".to_owned()
                } else {
                    format!("0ud{width}_{}", 1 + self.rng.below((1 << width) - 1))
                };
                let divisor = if signed { format!("signed({divisor})") } else { divisor };
                format!("({} {operator} {divisor})", self.word(signed, width, below))
            }
            7 => {
                let (a, b, c) = (self.boolean(below), self.word(signed, width, below), self.word(signed, width, below));
                format!("({a} ? {b} : {c})")
            }
            8 if signed => format!("signed({})", self.word(false, width, below)),
            8 => format!("unsigned({})", self.word(true, width, below)),
            9 if width > 1 => {
                let less = 1 + self.rng.below(width - 1);
                format!("extend({}, {})", self.word(signed, less, below), width - less)
            }
            10 => {
                let other = 1 + self.rng.below(4);
                format!("resize({}, {width})", self.word(signed, other, below))
            }
            _ if signed => self.word(signed, width, below),
            11 if width > 1 => {
                let high = 1 + self.rng.below(width - 1);
                format!("({} :: {})", self.word(false, high, below), self.word(false, width - high, below))
            }
            12 | 13 => match self.name(|kind| matches!(kind, Type::Word { width: wide, .. } if *wide >= width)) {
                Some((name, Type::Word { width: wide, .. })) => {
                    let low = self.rng.below(wide - width + 1);
                    format!("{name}[{}:{low}]", low + width - 1)
                }
                _ => self.word_constant(signed, width),
            },
            14 if width == 1 => format!("word1({})", self.boolean(below)),
            _ => self.word(signed, width, below),
        }
    }

    /// An element of an array of this type, by a number or by a variable that fits.
    fn element(&mut self, of: &Type) -> Option<String> {
        let (name, kind) = self.name(|kind| matches!(kind, Type::Array(_, element) if **element == *of))?;
        let Type::Array(last, _) = kind else { return None };
        let inside = |kind: &Type| matches!(kind, Type::Range(low, high) if *low >= 0 && *high <= last);
        let by_name = if self.rng.chance(60) { self.name(inside) } else { None };
        let index = by_name.map_or_else(
            || self.rng.below(usize::try_from(last).unwrap_or(0) + 1).to_string(),
            |(name, _)| bare(&name).to_owned(),
        );
        let array = bare(&name);
        Some(if name == array { format!("{array}[{index}]") } else { format!("next({array}[{index}])") })
    }
}

/// A name without `next(…)` around it.
fn bare(name: &str) -> &str {
    name.strip_prefix("next(").and_then(|inside| inside.strip_suffix(')')).unwrap_or(name)
}

/// `!` binds more tightly than everything else.
fn negated(text: &str) -> String {
    if text.contains(' ') && !text.starts_with('(') { format!("!({text})") } else { format!("!{text}") }
}

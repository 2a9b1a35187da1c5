//! Does the condition of an `#if` hold?
//!
//! Integer expressions as in C. `defined` is taken care of before macros are expanded; names that are left are 0.

use tertium_base::Span;

use crate::lexer::{Token, TokenKind};

/// How deep brackets may be nested.
const DEEPEST: u32 = 100;

/// What is wrong with a condition, and where.
pub(crate) struct Wrong(pub &'static str, pub Span);

/// The value of a condition. `end` is where to point at if something is missing.
pub(crate) fn evaluate(tokens: &[Token], end: Span) -> Result<i64, Wrong> {
    let mut reader = Reader { tokens, at: 0, end, depth: 0 };
    let value = reader.conditional()?;
    match reader.tokens.get(reader.at) {
        None => Ok(value),
        Some(token) => Err(Wrong("this does not belong to a condition", token.span)),
    }
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    end: Span,
    depth: u32,
}

/// Operators with two operands, weaker ones first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_> {
    fn sign(&mut self, signs: &[&str]) -> Option<String> {
        let token = self.tokens.get(self.at)?;
        let found = signs.iter().find(|sign| token.is_sign(sign))?;
        self.at += 1;
        Some((*found).to_owned())
    }

    fn conditional(&mut self) -> Result<i64, Wrong> {
        let condition = self.level(0)?;
        if self.sign(&["?"]).is_none() {
            return Ok(condition);
        }
        let yes = self.nested(Self::conditional)?;
        if self.sign(&[":"]).is_none() {
            return Err(self.missing("`:` is missing in this condition"));
        }
        let no = self.nested(Self::conditional)?;
        Ok(if condition != 0 { yes } else { no })
    }

    fn level(&mut self, level: usize) -> Result<i64, Wrong> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(sign) = self.sign(signs) {
            let right = self.level(level + 1)?;
            left = self.apply(&sign, left, right)?;
        }
        Ok(left)
    }

    fn apply(&self, sign: &str, left: i64, right: i64) -> Result<i64, Wrong> {
        let shift = u32::try_from(right.clamp(0, 63)).unwrap_or(0);
        Ok(match sign {
            "||" => i64::from(left != 0 || right != 0),
            "&&" => i64::from(left != 0 && right != 0),
            "|" => left | right,
            "^" => left ^ right,
            "&" => left & right,
            "==" => i64::from(left == right),
            "!=" => i64::from(left != right),
            "<" => i64::from(left < right),
            "<=" => i64::from(left <= right),
            ">" => i64::from(left > right),
            ">=" => i64::from(left >= right),
            "<<" => left.wrapping_shl(shift),
            ">>" => left.wrapping_shr(shift),
            "+" => left.wrapping_add(right),
            "-" => left.wrapping_sub(right),
            "*" => left.wrapping_mul(right),
            _ if right == 0 => return Err(self.missing("this condition divides by 0")),
            "/" => left.wrapping_div(right),
            _ => left.wrapping_rem(right),
        })
    }

    fn unary(&mut self) -> Result<i64, Wrong> {
        match self.sign(&["!", "-", "+", "~", "!!", "("]).as_deref() {
            Some("!") => Ok(i64::from(self.nested(Self::unary)? == 0)),
            Some("!!") => Ok(i64::from(self.nested(Self::unary)? != 0)),
            Some("-") => Ok(self.nested(Self::unary)?.wrapping_neg()),
            Some("+") => self.nested(Self::unary),
            Some("~") => Ok(!self.nested(Self::unary)?),
            Some(_) => {
                let value = self.nested(Self::conditional)?;
                self.sign(&[")"]).ok_or_else(|| self.missing("`)` is missing in this condition"))?;
                Ok(value)
            }
            None => self.atom(),
        }
    }

    fn atom(&mut self) -> Result<i64, Wrong> {
        let Some(token) = self.tokens.get(self.at) else {
            return Err(Wrong("this condition is not complete", self.end));
        };
        self.at += 1;
        match token.kind {
            TokenKind::Word => Ok(0),
            TokenKind::Int => number(&token.text).ok_or(Wrong("this is not a number", token.span)),
            TokenKind::Char => Ok(i64::from(character(&token.text).unwrap_or(0))),
            _ => Err(Wrong("this does not belong to a condition", token.span)),
        }
    }

    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth >= DEEPEST {
            return Err(self.missing("this condition is nested too deeply"));
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    fn missing(&self, what: &'static str) -> Wrong {
        Wrong(what, self.tokens.get(self.at).map_or(self.end, |token| token.span))
    }
}

/// A number of C: decimal, octal or hexadecimal, with suffixes.
fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok();
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return i64::from_str_radix(digits, 8).ok();
    }
    digits.parse().ok()
}

/// The value of `'c'`.
pub(crate) fn character(text: &str) -> Option<u8> {
    let inside = text.strip_prefix('\'')?.strip_suffix('\'')?;
    match inside.as_bytes() {
        [c] => Some(*c),
        [b'\\', b'n'] => Some(b'\n'),
        [b'\\', b'r'] => Some(b'\r'),
        [b'\\', b't'] => Some(b'\t'),
        [b'\\', b'f'] => Some(12),
        [b'\\', c] => Some(*c),
        _ => None,
    }
}

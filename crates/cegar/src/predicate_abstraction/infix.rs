//! How do people read what a solver reads?
//!
//! `(not (<= x 0))` becomes `x > 0`. What has no such form, or is nested deeper than anybody reads, stays as it is. Only for people: nothing reads it back.

use crate::limits;

/// A term of SMT-LIB with operators between their operands.
#[must_use]
pub fn infix(text: &str) -> String {
    let mut rest = text;
    match Tree::read(&mut rest, 0) {
        Some(tree) if rest.trim().is_empty() => tree.shown().0,
        _ => text.to_owned(),
    }
}

enum Tree<'t> {
    Leaf(&'t str),
    Call(&'t str, Vec<Tree<'t>>),
}

/// How tightly a text holds together: a single word, sums and products, comparisons, what joins truth values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tight {
    Joined,
    Compared,
    Added,
    Word,
}

impl<'t> Tree<'t> {
    fn read(rest: &mut &'t str, depth: usize) -> Option<Self> {
        *rest = rest.trim_start();
        let Some(inner) = rest.strip_prefix('(') else {
            let word = word(rest)?;
            *rest = &rest[word.len()..];
            return Some(Self::Leaf(word));
        };
        let head = word(inner)?;
        *rest = &inner[head.len()..];
        let mut operands = Vec::new();
        loop {
            *rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix(')') {
                *rest = after;
                return Some(Self::Call(head, operands));
            }
            operands.push(Self::read(rest, (depth < limits::INFIX_DEEPEST).then_some(depth + 1)?)?);
        }
    }

    fn shown(&self) -> (String, Tight) {
        match self {
            Self::Leaf(word) => (word.trim_matches('|').to_owned(), Tight::Word),
            Self::Call("not", operands) if operands.len() == 1 => operands[0].denied(),
            Self::Call("-", operands) if operands.len() == 1 => {
                (format!("-{}", operands[0].within(Tight::Word)), Tight::Added)
            }
            Self::Call("select", operands) if operands.len() == 2 => {
                (format!("{}[{}]", operands[0].within(Tight::Word), operands[1].shown().0), Tight::Word)
            }
            Self::Call(head, operands) if operands.len() > 1 => match sign(head) {
                Some((sign, tight)) => {
                    let parts: Vec<String> = operands.iter().map(|operand| operand.within(above(tight))).collect();
                    (parts.join(&format!(" {sign} ")), tight)
                }
                None => (self.plain(), Tight::Word),
            },
            Self::Call(..) => (self.plain(), Tight::Word),
        }
    }

    /// That it is not so.
    fn denied(&self) -> (String, Tight) {
        let turned = |head: &str| match head {
            "<=" => Some(">"),
            "<" => Some(">="),
            ">=" => Some("<"),
            ">" => Some("<="),
            "=" => Some("!="),
            _ => None,
        };
        match self {
            Self::Call("not", operands) if operands.len() == 1 => operands[0].shown(),
            Self::Call(head, operands) if operands.len() == 2 && turned(head).is_some() => {
                let [a, b] = [0, 1].map(|at: usize| operands[at].within(Tight::Added));
                (format!("{a} {} {b}", turned(head).unwrap_or_default()), Tight::Compared)
            }
            _ => (format!("!{}", self.within(Tight::Word)), Tight::Word),
        }
    }

    /// As an operand of what holds together as tightly as this.
    fn within(&self, least: Tight) -> String {
        let (text, tight) = self.shown();
        if tight < least { format!("({text})") } else { text }
    }

    fn plain(&self) -> String {
        match self {
            Self::Leaf(word) => (*word).to_owned(),
            Self::Call(head, operands) => {
                let parts: Vec<String> = operands.iter().map(|operand| operand.shown().0).collect();
                format!("{head}({})", parts.join(", "))
            }
        }
    }
}

/// The operator between operands, and how tightly the result holds together.
fn sign(head: &str) -> Option<(&str, Tight)> {
    Some(match head {
        "and" => ("&&", Tight::Joined),
        "or" => ("||", Tight::Joined),
        "=>" => ("->", Tight::Joined),
        "<=" | "<" | ">=" | ">" | "=" => (head, Tight::Compared),
        "+" | "-" | "*" | "div" | "mod" => (head, Tight::Added),
        _ => return None,
    })
}

/// What operands must hold together as tightly as, to need no brackets.
const fn above(tight: Tight) -> Tight {
    match tight {
        Tight::Joined => Tight::Compared,
        Tight::Compared => Tight::Added,
        Tight::Added | Tight::Word => Tight::Word,
    }
}

/// The word at the beginning, one in bars as a whole.
fn word(text: &str) -> Option<&str> {
    let end = match text.strip_prefix('|') {
        Some(inner) => inner.find('|')? + 2,
        None => text.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(text.len()),
    };
    (end > 0).then(|| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::infix;

    #[test]
    fn operators_stand_between_their_operands() {
        for (text, shown) in [
            ("(not (<= outer 0))", "outer > 0"),
            ("(not (not (<= outer 0)))", "outer <= 0"),
            ("(= (+ x 1) (* 2 |P.y|))", "x + 1 = 2 * P.y"),
            ("(and (<= x 0) (or a (not b)))", "x <= 0 && (a || !b)"),
            ("(<= (- x) (- (+ a b) c))", "-x <= (a + b) - c"),
            ("(not (and a b))", "!(a && b)"),
            ("(= (select a (+ i 1)) 0)", "a[i + 1] = 0"),
            ("(not (= x y))", "x != y"),
            ("(ite a x y)", "ite(a, x, y)"),
            ("(f)", "f()"),
            ("|a b|", "a b"),
            ("(not (= busy true))", "busy != true"),
        ] {
            assert_eq!(infix(text), shown, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_stays_as_it_is() {
        let deep = format!("{}x{}", "(not ".repeat(90), ")".repeat(90));
        for text in ["", "(", "(and a", "(and a) b", "()", "|a", deep.as_str()] {
            assert_eq!(infix(text), text);
        }
    }
}

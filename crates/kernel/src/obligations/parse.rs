//! SMT-LIB text to terms: only what certificates need, over symbols that are declared already.
//!
//! Nothing in the text is trusted: an unknown name or an operator whose operands do not fit is refused, and so is
//! what is nested too deep.

use super::terms::{Sort, TermId, Terms};

/// Terms that are nested deeper are refused: a solver reads them with a stack of its own.
const DEEPEST: usize = 500;

/// What an open bracket has so far: its operator, and the operands.
#[derive(Default)]
struct Open {
    head: Option<String>,
    operands: Vec<TermId>,
}

impl Terms {
    /// Reads one term.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn read(&mut self, text: &str) -> Result<TermId, String> {
        self.read_with(text, &[])
    }

    /// Reads one term in which `#0`, `#1`, ... stand for these parts.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn read_with(&mut self, text: &str, shared: &[TermId]) -> Result<TermId, String> {
        let mut open: Vec<Open> = Vec::new();
        let mut done: Option<TermId> = None;
        let mut rest = text.trim();
        while !rest.is_empty() {
            if done.is_some() {
                return Err(format!("`{text}` goes on after its end"));
            }
            let (word, after) = next(rest).ok_or_else(|| format!("`{text}` has a name that does not end"))?;
            rest = after.trim_start();
            let value = match word {
                "(" if open.len() >= DEEPEST => return Err(format!("a term is nested deeper than {DEEPEST}")),
                "(" => {
                    open.push(Open::default());
                    continue;
                }
                ")" => {
                    let closed = open.pop().ok_or_else(|| format!("`{text}` closes a bracket that is not open"))?;
                    self.closed(&closed)?
                }
                word => match open.last_mut() {
                    Some(call) if call.head.is_none() => {
                        call.head = Some(word.to_owned());
                        continue;
                    }
                    _ => self.leaf(word, shared)?,
                },
            };
            match open.last_mut() {
                Some(call) if call.head.is_some() => call.operands.push(value),
                Some(_) => return Err(format!("`{text}` has a term where an operator belongs")),
                None => done = Some(value),
            }
        }
        done.ok_or_else(|| format!("`{text}` is no whole term"))
    }

    fn closed(&mut self, call: &Open) -> Result<TermId, String> {
        let head = call.head.as_deref().ok_or("there are brackets with nothing in them")?;
        let made = match self.make(head, &call.operands).or_else(|| self.read_bits(head, &call.operands)) {
            Some(made) => Some(made),
            None => self.apply(bare(head), &call.operands),
        };
        made.ok_or_else(|| format!("`{head}` cannot be used like this"))
    }

    /// `(bvand 16 a b)`: an operator of bit vectors on integers, with the width of the words.
    fn read_bits(&mut self, head: &str, operands: &[TermId]) -> Option<TermId> {
        let op = ["bvand", "bvor", "bvxor"].into_iter().find(|op| *op == head)?;
        let &[width, a, b] = operands else { return None };
        let width = u32::try_from(self.as_number(width)?).ok().filter(|width| (1..=64).contains(width))?;
        let numbers = self.sort(a) == Sort::Int && self.sort(b) == Sort::Int;
        numbers.then(|| self.bits(op, width, a, b))
    }

    fn leaf(&mut self, word: &str, shared: &[TermId]) -> Result<TermId, String> {
        match word {
            "true" => return Ok(self.truth(true)),
            "false" => return Ok(self.truth(false)),
            _ => {}
        }
        if let Some(number) = word.strip_prefix('#') {
            let part = number.parse::<usize>().ok().and_then(|number| shared.get(number).copied());
            return part.ok_or_else(|| format!("`{word}` is no part that stands before"));
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().map(|value| self.number(value)).map_err(|_| format!("`{word}` is no number"));
        }
        let name = bare(word);
        let found = self.find(name).or_else(|| self.apply(name, &[]));
        found.ok_or_else(|| format!("`{name}` is no cell of this program"))
    }
}

/// The name that a symbol stands for.
fn bare(word: &str) -> &str {
    let name = word.strip_prefix('|').and_then(|word| word.strip_suffix('|'));
    name.map_or(word, |name| name.strip_prefix('$').unwrap_or(name))
}

/// The first bracket or word, and what follows; none for a name between bars that does not end.
fn next(text: &str) -> Option<(&str, &str)> {
    let end = match text.chars().next()? {
        '(' | ')' => 1,
        '|' => text[1..].find('|')? + 2,
        _ => text.find(|c: char| c.is_whitespace() || "()|".contains(c)).unwrap_or(text.len()),
    };
    Some(text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::super::terms::{Domain, Sort, Terms};

    #[test]
    fn shared_parts_are_read_by_their_numbers() {
        let mut terms = Terms::default();
        let x = terms.declare("x", Sort::Bool, Domain::default()).expect("no other symbol is there");
        let not = terms.read_with("(not x)", &[]).expect("a term");
        assert_eq!(terms.read_with("#1", &[x, not]), Ok(not));
        assert_eq!(terms.read_with("(not #1)", &[x, not]), Ok(x));
        for wrong in ["#2", "#", "#-1", "#x", "(#0 x)", "#18446744073709551616"] {
            assert!(terms.read_with(wrong, &[x, not]).is_err(), "{wrong}");
        }
        let mut depths = std::collections::HashMap::new();
        assert_eq!((terms.deepen(x, &mut depths), terms.deepen(not, &mut depths)), (1, 2));
    }

    #[test]
    fn bits_are_read_as_they_are_shown() {
        let mut terms = Terms::default();
        let x = terms.declare("x", Sort::Int, Domain::default()).expect("no other symbol is there");
        let four = terms.number(4);
        for op in ["bvand", "bvor", "bvxor"] {
            let bits = terms.bits(op, 16, x, four);
            let same = terms.eq(bits, four);
            let shown = terms.show(same);
            assert!(shown.contains(&format!("({op} 16 x 4)")), "{shown}");
            assert_eq!(terms.read(&shown), Ok(same));
        }
        for wrong in
            ["(bvand 0 x 4)", "(bvand 65 x 4)", "(bvand x 4)", "(bvand x 16 4)", "(bvnot 16 x 4)", "(bvor 8 true x)"]
        {
            assert!(terms.read(wrong).is_err(), "{wrong}");
        }
    }
}

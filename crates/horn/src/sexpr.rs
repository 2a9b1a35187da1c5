//! Symbolic expressions, as SMT-LIB writes them.

use tertium_base::{Diagnostic, Span};

/// An atom or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Atom(String, Span),
    List(Vec<Form>, Span),
}

impl Form {
    pub fn span(&self) -> Span {
        match self {
            Self::Atom(_, span) | Self::List(_, span) => *span,
        }
    }

    pub fn atom(&self) -> Option<&str> {
        match self {
            Self::Atom(text, _) => Some(text),
            Self::List(..) => None,
        }
    }

    pub fn list(&self) -> Option<&[Self]> {
        match self {
            Self::List(members, _) => Some(members),
            Self::Atom(..) => None,
        }
    }

    /// A list that begins with a word: the word and the rest.
    pub fn headed(&self) -> Option<(&str, &[Self])> {
        let (head, rest) = self.list()?.split_first()?;
        Some((head.atom()?, rest))
    }
}

/// Lists may be nested this deep.
const DEEPEST: usize = 10_000;

/// All forms of a text.
pub(crate) fn read(text: &str) -> (Vec<Form>, Vec<Diagnostic>) {
    let (bytes, mut at) = (text.as_bytes(), 0);
    let mut open: Vec<(Vec<Form>, usize)> = vec![(Vec::new(), 0)];
    let mut wrong = Vec::new();
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b';' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            b'(' => {
                at += 1;
                open.push((Vec::new(), start));
                if open.len() > DEEPEST {
                    let error =
                        Diagnostic::error("E0741", "lists are nested too deep").at(Span::new(start, at), "here");
                    return (Vec::new(), vec![error]);
                }
            }
            b')' => {
                at += 1;
                match open.pop() {
                    Some((members, begin)) if !open.is_empty() => {
                        let last = open.len() - 1;
                        open[last].0.push(Form::List(members, Span::new(begin, at)));
                    }
                    closed => {
                        open.extend(closed);
                        wrong.push(
                            Diagnostic::error("E0740", "`)` closes nothing").at(Span::new(start, at), "unexpected"),
                        );
                    }
                }
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            b'|' | b'"' => {
                let quote = char::from(bytes[at]);
                let length = text[at + 1..].find(quote);
                let Some(length) = length else {
                    wrong.push(
                        Diagnostic::error("E0740", "a quoted name has no end")
                            .at(Span::new(start, start + 1), "begins here"),
                    );
                    break;
                };
                at += length + 2;
                let name = text[start + 1..at - 1].to_owned();
                let last = open.len() - 1;
                open[last].0.push(Form::Atom(name, Span::new(start, at)));
            }
            _ => {
                let rest = &text[at..];
                let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '|' | '"');
                at += rest.find(ends).unwrap_or(rest.len());
                let last = open.len() - 1;
                open[last].0.push(Form::Atom(text[start..at].to_owned(), Span::new(start, at)));
            }
        }
    }
    for (_, begin) in open.iter().skip(1) {
        wrong.push(Diagnostic::error("E0740", "`(` is not closed").at(Span::new(*begin, begin + 1), "opened here"));
    }
    (open.swap_remove(0).0, wrong)
}

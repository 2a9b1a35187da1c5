//! What does a macro stand for?
//!
//! Object-like and function-like macros with `#` and `##`, as C defines them: arguments are expanded before they are
//! put in, the result is looked at again, and a macro is not expanded inside itself. Tokens that a macro makes stand
//! where the macro is used, tokens of arguments where the user wrote them.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use tertium_base::{Diagnostic, Span};

use crate::lexer::{Token, TokenKind, lex};
use crate::preprocess::hide::Hide;

/// How deep arguments of macros may be nested.
const DEEPEST: u32 = 64;
/// How many tokens macros may make.
const MOST: usize = 1_000_000;

/// A macro.
#[derive(Clone, Debug)]
pub(crate) struct Macro {
    /// Its parameters; none if it is used without brackets.
    pub params: Option<Vec<Rc<str>>>,
    /// Whether the last parameter takes all further arguments.
    pub variadic: bool,
    /// What it stands for.
    pub body: Vec<Token>,
}

/// All macros that are defined at some point of the text.
#[derive(Default)]
pub(crate) struct Macros {
    pub table: BTreeMap<Rc<str>, Macro>,
    pub diagnostics: Vec<Diagnostic>,
    made: usize,
    depth: u32,
}

impl Macros {
    /// Expands everything in `input`.
    pub(crate) fn expand(&mut self, input: Vec<Token>) -> Vec<Token> {
        let mut queue = VecDeque::from(input);
        let mut output = Vec::new();
        while let Some(token) = queue.pop_front() {
            let Some(found) = self.applies(&token) else {
                output.push(token);
                continue;
            };
            if found.params.is_none() {
                let hide = token.hide.with(&token.text);
                let made = substitute(&found, &[], &[], &token, &hide);
                self.push(&mut queue, made, &token);
            } else if queue.front().is_some_and(|next| next.is_sign("(")) {
                self.call(&found, &token, &mut queue, &mut output);
            } else {
                output.push(token);
            }
        }
        output
    }

    fn applies(&self, token: &Token) -> Option<Macro> {
        if token.kind != TokenKind::Word || token.hide.holds(&token.text) {
            return None;
        }
        self.table.get(&token.text).cloned()
    }

    /// Puts what a macro made in front of the rest, unless it is too much.
    fn push(&mut self, queue: &mut VecDeque<Token>, made: Vec<Token>, at: &Token) {
        self.made += made.len() + 1;
        if self.made > MOST {
            if self.made - made.len() <= MOST + 1 {
                let message = format!("macros make more than {MOST} words of text");
                self.report(message, at.span, "the last one expanded", "does a macro double itself again and again?");
            }
            return;
        }
        for token in made.into_iter().rev() {
            queue.push_front(token);
        }
    }

    fn call(&mut self, found: &Macro, name: &Token, queue: &mut VecDeque<Token>, output: &mut Vec<Token>) {
        let Some((mut arguments, end)) = arguments(queue) else {
            let message = format!("the arguments of macro `{}` do not end", name.text);
            self.report(message, name.span, "the macro is used here", "end them with `)`");
            queue.clear();
            return output.push(name.clone());
        };
        let params = found.params.clone().unwrap_or_default();
        if found.variadic && arguments.len() > params.len() {
            let rest = arguments.split_off(params.len() - 1);
            arguments.push(joined(rest, &end));
        } else if found.variadic && arguments.len() + 1 == params.len() {
            arguments.push(Vec::new());
        }
        if params.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if arguments.len() != params.len() {
            let message =
                format!("macro `{}` has {} parameters, but {} are given", name.text, params.len(), arguments.len());
            return self.report(message, name.span, "used here", "give one argument for each parameter");
        }
        if self.depth >= DEEPEST {
            let message = format!("macros are nested more than {DEEPEST} levels deep in arguments");
            return self.report(message, name.span, "too deep here", "name a part of it by a macro of its own");
        }
        self.depth += 1;
        let expanded: Vec<_> = arguments.iter().map(|argument| self.expand(argument.clone())).collect();
        self.depth -= 1;
        let hide = name.hide.and(&end.hide).with(&name.text);
        let made = substitute(found, &arguments, &expanded, name, &hide);
        self.push(queue, made, name);
    }

    fn report(&mut self, message: String, span: Span, label: &str, help: &str) {
        self.diagnostics.push(Diagnostic::error("E0504", message).at(span, label).help(help));
    }
}

/// Takes `( a, b )` from the queue; returns the arguments and the closing bracket. `None` if there is none.
fn arguments(queue: &mut VecDeque<Token>) -> Option<(Vec<Vec<Token>>, Token)> {
    queue.pop_front();
    let mut all = vec![Vec::new()];
    let mut depth = 0u32;
    while let Some(mut token) = queue.pop_front() {
        token.space |= token.newline;
        token.newline = false;
        if depth == 0 && token.is_sign(")") {
            return Some((all, token));
        }
        if token.is_sign("(") {
            depth += 1;
        } else if token.is_sign(")") {
            depth -= 1;
        }
        if depth == 0 && token.is_sign(",") {
            all.push(Vec::new());
        } else if let Some(last) = all.last_mut() {
            last.push(token);
        }
    }
    None
}

/// The further arguments of a macro with `...`, commas between them.
fn joined(arguments: Vec<Vec<Token>>, like: &Token) -> Vec<Token> {
    let comma = Token { kind: TokenKind::Sign, text: ",".into(), newline: false, space: false, ..like.clone() };
    let mut all = Vec::new();
    for (position, argument) in arguments.into_iter().enumerate() {
        if position > 0 {
            all.push(comma.clone());
        }
        all.extend(argument);
    }
    all
}

/// The body of a macro with its arguments put in.
fn substitute(
    found: &Macro,
    arguments: &[Vec<Token>],
    expanded: &[Vec<Token>],
    name: &Token,
    hide: &Hide,
) -> Vec<Token> {
    let params = found.params.as_deref().unwrap_or_default();
    let position = |token: &Token| {
        (token.kind == TokenKind::Word).then(|| params.iter().position(|param| *param == token.text)).flatten()
    };
    let mut made: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < found.body.len() {
        let token = &found.body[at];
        let next = found.body.get(at + 1);
        let pastes = |at: usize| found.body.get(at).is_some_and(|token| token.is_sign("##"));
        if token.is_sign("#") && found.params.is_some() && next.and_then(position).is_some() {
            let argument = next.and_then(position).map_or(&[][..], |index| &arguments[index]);
            made.push(Token { space: token.space, newline: false, ..text_of(argument, name) });
            at += 2;
        } else if token.is_sign("##") && !made.is_empty() && next.is_some() {
            let right: Vec<Token> = match next.and_then(position) {
                Some(index) => arguments[index].clone(),
                None => next.map(|next| placed(next, name)).into_iter().collect(),
            };
            paste(&mut made, right, name);
            at += 2;
        } else {
            match position(token) {
                Some(index) => {
                    let argument = if pastes(at + 1) { &arguments[index] } else { &expanded[index] };
                    let mut argument = argument.clone();
                    if let Some(first) = argument.first_mut() {
                        first.space = token.space;
                    }
                    made.extend(argument);
                }
                None => made.push(placed(token, name)),
            }
            at += 1;
        }
    }
    for token in &mut made {
        token.hide = token.hide.or(hide);
    }
    if let Some(first) = made.first_mut() {
        (first.newline, first.space) = (name.newline, name.space);
    }
    made
}

fn placed(token: &Token, name: &Token) -> Token {
    Token { span: name.span, newline: false, ..token.clone() }
}

/// `#argument`: its text in quotation marks.
fn text_of(argument: &[Token], name: &Token) -> Token {
    let mut text = String::from("\"");
    for (position, token) in argument.iter().enumerate() {
        if token.space && position > 0 {
            text.push(' ');
        }
        if matches!(token.kind, TokenKind::Text | TokenKind::Char) {
            text.push_str(&token.text.replace('\\', "\\\\").replace('"', "\\\""));
        } else {
            text.push_str(&token.text);
        }
    }
    text.push('"');
    Token { kind: TokenKind::Text, text: text.into(), ..name.clone() }
}

/// `left ## right`: the last token of one and the first of the other become one.
fn paste(made: &mut Vec<Token>, right: Vec<Token>, name: &Token) {
    let mut right = right.into_iter();
    let (Some(first), Some(left)) = (right.next(), made.pop()) else { return };
    let text = format!("{}{}", left.text, first.text);
    let mut tokens = lex(&text, 0);
    tokens.pop();
    for (position, token) in tokens.into_iter().enumerate() {
        let space = if position == 0 { left.space } else { token.space };
        made.push(Token { span: name.span, newline: false, space, hide: left.hide.clone(), ..token });
    }
    made.extend(right);
}

//! Under which parameters is this so? Boolean expressions over the parameters of a structure.
//!
//! Expressions of one structure share one table of nodes, children before parents, equal nodes once.
//!
//! Not here: deciding anything about them; engines translate them into their own sets.

use std::collections::BTreeMap;

use tertium_base::{Diagnostic, Span, diagnostic::closest_name, id_type};

id_type! {
    /// A parameter of one structure.
    pub struct ParamId;
}
id_type! {
    /// An expression in one [`ExprTable`].
    pub struct ExprId;
}

/// One operation of an expression.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExprNode {
    /// Always or never.
    Constant(bool),
    /// The parameter's value.
    Param(ParamId),
    /// Not.
    Not(ExprId),
    /// All of two or more.
    And(Vec<ExprId>),
    /// Some of two or more.
    Or(Vec<ExprId>),
}

/// Deeper brackets and negations than this are refused.
const DEEPEST: usize = 200;

/// Expressions that share their parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExprTable {
    nodes: Vec<ExprNode>,
    known: BTreeMap<ExprNode, ExprId>,
}

impl ExprTable {
    /// The expression with this operation, new or not.
    pub fn add(&mut self, node: ExprNode) -> ExprId {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let id = ExprId::new(self.nodes.len());
        self.nodes.push(node.clone());
        self.known.insert(node, id);
        id
    }

    /// The operation of an expression.
    #[must_use]
    pub fn node(&self, id: ExprId) -> &ExprNode {
        &self.nodes[id.index()]
    }

    /// All nodes, children before parents.
    #[must_use]
    pub fn nodes(&self) -> &[ExprNode] {
        &self.nodes
    }

    /// The values of all expressions under an assignment of the parameters.
    #[must_use]
    pub fn evaluate_all(&self, assignment: &[bool]) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = match node {
                ExprNode::Constant(value) => *value,
                ExprNode::Param(param) => assignment[param.index()],
                ExprNode::Not(part) => !values[part.index()],
                ExprNode::And(parts) => parts.iter().all(|part| values[part.index()]),
                ExprNode::Or(parts) => parts.iter().any(|part| values[part.index()]),
            };
            values.push(value);
        }
        values
    }

    /// The expression in the syntax that [`Self::parse`] reads, with as few brackets as it needs.
    #[must_use]
    pub fn print(&self, id: ExprId, params: &[String]) -> String {
        let mut text = String::new();
        self.print_into(id, params, 0, &mut text);
        text
    }

    /// `strength`: 0 anywhere, 1 inside a conjunction, 2 under a negation. Depth is bounded by [`DEEPEST`].
    fn print_into(&self, id: ExprId, params: &[String], strength: u8, text: &mut String) {
        match self.node(id) {
            ExprNode::Constant(value) => text.push_str(if *value { "true" } else { "false" }),
            ExprNode::Param(param) => text.push_str(&params[param.index()]),
            ExprNode::Not(part) => {
                text.push('!');
                self.print_into(*part, params, 2, text);
            }
            ExprNode::And(parts) => self.print_list(parts, " & ", 1, strength, params, text),
            ExprNode::Or(parts) => self.print_list(parts, " | ", 0, strength, params, text),
        }
    }

    fn print_list(&self, parts: &[ExprId], sign: &str, own: u8, outer: u8, params: &[String], text: &mut String) {
        let brackets = outer > own;
        if brackets {
            text.push('(');
        }
        for (at, &part) in parts.iter().enumerate() {
            if at > 0 {
                text.push_str(sign);
            }
            self.print_into(part, params, own + 1, text);
        }
        if brackets {
            text.push(')');
        }
    }

    /// Reads an expression: parameter names, `true`, `false`, `!` (or `~`), `&`, `|` (or doubled), brackets.
    ///
    /// # Errors
    /// A diagnostic whose places count from the start of `text`.
    pub fn parse(&mut self, text: &str, params: &[String]) -> Result<ExprId, Box<Diagnostic>> {
        let mut parser = Parser { table: self, text, at: 0, params };
        let id = parser.or(0)?;
        match parser.peek() {
            None => Ok(id),
            Some(found) => Err(parser.complain(format!("expected an operator, found `{found}`"), found.len_utf8())),
        }
    }
}

struct Parser<'a> {
    table: &'a mut ExprTable,
    text: &'a str,
    at: usize,
    params: &'a [String],
}

type Parsed = Result<ExprId, Box<Diagnostic>>;

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn complain(&self, message: String, len: usize) -> Box<Diagnostic> {
        Box::new(Diagnostic::error("E0213", message).at(Span::new(self.at, self.at + len), "in this expression"))
    }

    fn takes(&mut self, sign: char) -> bool {
        if self.peek() != Some(sign) {
            return false;
        }
        self.at += 1;
        if self.text[self.at..].starts_with(sign) && sign != '!' {
            self.at += 1;
        }
        true
    }

    fn or(&mut self, depth: usize) -> Parsed {
        let mut parts = vec![self.and(depth)?];
        while self.takes('|') {
            parts.push(self.and(depth)?);
        }
        Ok(self.join(parts, ExprNode::Or))
    }

    fn and(&mut self, depth: usize) -> Parsed {
        let mut parts = vec![self.unary(depth)?];
        while self.takes('&') {
            parts.push(self.unary(depth)?);
        }
        Ok(self.join(parts, ExprNode::And))
    }

    fn join(&mut self, parts: Vec<ExprId>, make: fn(Vec<ExprId>) -> ExprNode) -> ExprId {
        match parts[..] {
            [single] => single,
            _ => self.table.add(make(parts)),
        }
    }

    fn unary(&mut self, depth: usize) -> Parsed {
        if depth >= DEEPEST {
            return Err(self.complain(format!("brackets and negations are nested more than {DEEPEST} deep"), 1));
        }
        match self.peek() {
            Some('!' | '~') => {
                self.at += 1;
                let part = self.unary(depth + 1)?;
                Ok(self.table.add(ExprNode::Not(part)))
            }
            Some('(') => {
                self.at += 1;
                let inner = self.or(depth + 1)?;
                if self.peek() == Some(')') {
                    self.at += 1;
                    return Ok(inner);
                }
                Err(self.complain("a bracket is not closed".to_owned(), 1))
            }
            Some(first) if is_name_letter(first) => self.name(),
            Some(found) => Err(self.complain(format!("expected a parameter, found `{found}`"), found.len_utf8())),
            None => Err(self.complain("the expression ends too early".to_owned(), 0)),
        }
    }

    fn name(&mut self) -> Parsed {
        let rest = &self.text[self.at..];
        let len = rest.find(|letter| !is_name_letter(letter)).unwrap_or(rest.len());
        let name = &rest[..len];
        let node = match name {
            "true" | "t" => ExprNode::Constant(true),
            "false" | "f" => ExprNode::Constant(false),
            _ => match self.params.iter().position(|param| param == name) {
                Some(at) => ExprNode::Param(ParamId::new(at)),
                None => return Err(self.unknown(name)),
            },
        };
        self.at += len;
        Ok(self.table.add(node))
    }

    fn unknown(&self, name: &str) -> Box<Diagnostic> {
        let here = Span::new(self.at, self.at + name.len());
        let mut diagnostic =
            Diagnostic::error("E0214", format!("no parameter is named `{name}`")).at(here, "not declared in `params`");
        if let Some(close) = closest_name(name, self.params.iter().map(String::as_str)) {
            diagnostic = diagnostic.help(format!("a parameter with a similar name exists: `{close}`"));
        }
        Box::new(diagnostic)
    }
}

/// What parameter names are made of.
pub(crate) fn is_name_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | '\'' | '@' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["x1", "x2", "x3"].map(str::to_owned).into()
    }

    #[test]
    fn printing_and_reading_agree() {
        for text in
            ["x1", "!x1", "x1 & !x2", "x1 | x2 & x3", "(x1 | x2) & x3", "!(x1 & x2)", "true", "!!x1", "x1 & (x2 & x3)"]
        {
            let mut table = ExprTable::default();
            let id = table.parse(text, &names()).unwrap();
            let printed = table.print(id, &names());
            assert_eq!(table.parse(&printed, &names()).unwrap(), id, "{text} became {printed}");
        }
        let mut table = ExprTable::default();
        let id = table.parse("x1||x2&&~x3", &names()).unwrap();
        assert_eq!(table.print(id, &names()), "x1 | x2 & !x3");
        assert!(table.evaluate_all(&[false, true, false])[id.index()]);
        assert!(!table.evaluate_all(&[false, true, true])[id.index()]);
    }

    #[test]
    fn mistakes_have_places() {
        let mut table = ExprTable::default();
        for (text, code, at) in [
            ("x1 &", "E0213", 4),
            ("x4", "E0214", 0),
            ("x1 x2", "E0213", 3),
            ("(x1", "E0213", 3),
            ("x1 & é#", "E0214", 5),
        ] {
            let diagnostic = table.parse(text, &names()).unwrap_err();
            assert_eq!((diagnostic.code, diagnostic.primary.unwrap().span.start), (code, at), "{text}");
        }
        assert_eq!(table.parse(&"(".repeat(100_000), &names()).unwrap_err().code, "E0213");
        assert_eq!(table.parse(&"!".repeat(100_000), &names()).unwrap_err().code, "E0213");
    }
}

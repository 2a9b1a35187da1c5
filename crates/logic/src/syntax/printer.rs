//! How is a formula written canonically?
//!
//! With as few brackets as the grammar allows, so that parsing the text in the formula's logic gives the
//! same node table again. A loop with its own stack; the time is linear in the text.
//!
//! Equal sub-formulas are one node, so the text can be exponentially longer than the table. Texts are cut
//! with `…` at the length asked for, [`LONGEST_TEXT`] if none is.

use std::collections::HashMap;
use std::fmt;

use super::parse::LONGEST_TEXT;
use super::token::{Infix, UNARY, is_name_start, keyword, name_length};
use crate::coalition::CoalitionId;
use crate::formula::{Formula, Logic, Node, NodeId, VarId};
use crate::query::is_placeholder;

impl Formula {
    /// The canonical text; [`crate::parse`] reads it back.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_of(self.root(), LONGEST_TEXT)
    }

    /// The canonical text, cut with `…` after about `longest` bytes.
    #[must_use]
    pub fn short_text(&self, longest: usize) -> String {
        self.text_of(self.root(), longest)
    }

    /// The text of a sub-formula, cut with `…` after about `longest` bytes.
    #[must_use]
    pub fn text_of(&self, node: NodeId, longest: usize) -> String {
        let mut printer = Printer::new(self, node, longest);
        printer.print(node);
        printer.out
    }
}

impl fmt::Display for Formula {
    /// The canonical text, cut after 4096 bytes; [`Formula::text`] gives all of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.short_text(4096))
    }
}

/// What is still to be written.
enum Piece {
    Text(&'static str),
    Action(&'static str, usize, &'static str),
    Coalition(CoalitionId),
    Atom(usize),
    Element(usize),
    Variable(VarId),
    /// A node; what the context demands of its strength; whether nothing follows it in its bracket.
    Node(NodeId, u8, bool),
}

struct Printer<'f> {
    formula: &'f Formula,
    out: String,
    longest: usize,
    todo: Vec<Piece>,
    atoms: Vec<Option<String>>,
    variables: HashMap<VarId, String>,
}

impl<'f> Printer<'f> {
    fn new(formula: &'f Formula, root: NodeId, longest: usize) -> Self {
        let variables = renamed_variables(formula, root, longest);
        Self {
            formula,
            out: String::new(),
            longest,
            todo: Vec::new(),
            atoms: vec![None; formula.atoms().len()],
            variables,
        }
    }

    fn print(&mut self, root: NodeId) {
        self.todo.push(Piece::Node(root, 0, true));
        while let Some(piece) = self.todo.pop() {
            if self.out.len() > self.longest {
                while !self.out.is_char_boundary(self.longest) {
                    self.longest -= 1;
                }
                self.out.truncate(self.longest);
                self.out.push('…');
                return;
            }
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Action(before, action, after) => {
                    self.out.push_str(before);
                    self.out.push_str(&self.formula.actions()[action]);
                    self.out.push_str(after);
                }
                Piece::Coalition(coalition) => {
                    self.out.push_str(&self.formula.coalitions()[coalition.index()].text());
                    self.out.push(' ');
                }
                Piece::Atom(index) => self.atom(index),
                Piece::Element(index) => self.out.push_str(&self.formula.elements()[index]),
                Piece::Variable(variable) => self.variable(variable),
                Piece::Node(node, least, last) => self.node(node, least, last),
            }
        }
    }

    fn node(&mut self, id: NodeId, least: u8, last: bool) {
        let node = self.formula.node(id);
        let bracketed = match node {
            // Its body reaches as far right as it can, so anything behind it needs a bracket between.
            Node::Mu(..) | Node::Nu(..) => !last,
            _ => strength(node) < least,
        };
        let from = self.todo.len();
        if bracketed {
            self.todo.push(Piece::Text("("));
        }
        self.pieces(node, last || bracketed);
        if bracketed {
            self.todo.push(Piece::Text(")"));
        }
        self.todo[from..].reverse();
    }

    /// Adds the parts of a node in reading order.
    fn pieces(&mut self, node: Node, last: bool) {
        if let Some((infix, left, right)) = as_infix(node) {
            return self.infix(infix, left, right, last);
        }
        let (word, operand) = match node {
            Node::True => return self.todo.push(Piece::Text("true")),
            Node::False => return self.todo.push(Piece::Text("false")),
            Node::Atom(atom) => return self.todo.push(Piece::Atom(atom.index())),
            Node::Element(element) => return self.todo.push(Piece::Element(element.index())),
            Node::Var(variable) => return self.todo.push(Piece::Variable(variable)),
            Node::Not(operand) => ("!", operand),
            Node::Next(operand) => ("X ", operand),
            Node::Finally(operand) => ("F ", operand),
            Node::Globally(operand) => ("G ", operand),
            Node::All(path) => return self.quantified(["AX ", "AF ", "AG ", "A", "A "], path, last),
            Node::Exists(path) => return self.quantified(["EX ", "EF ", "EG ", "E", "E "], path, last),
            Node::Coalition(coalition, operand) => {
                self.todo.push(Piece::Coalition(coalition));
                ("", operand)
            }
            Node::Diamond(None, operand) => ("EX ", operand),
            Node::Box(None, operand) => ("AX ", operand),
            Node::Diamond(Some(action), operand) => {
                self.todo.push(Piece::Action("<", action.index(), "> "));
                ("", operand)
            }
            Node::Box(Some(action), operand) => {
                self.todo.push(Piece::Action("[", action.index(), "] "));
                ("", operand)
            }
            Node::Mu(variable, body) => return self.fixpoint("mu ", variable, body),
            Node::Nu(variable, body) => return self.fixpoint("nu ", variable, body),
            _ => unreachable!("binary operators were handled above"),
        };
        self.todo.push(Piece::Text(word));
        self.todo.push(Piece::Node(operand, UNARY, last));
    }

    fn infix(&mut self, infix: Infix, left: NodeId, right: NodeId, last: bool) {
        let strength = infix.strength();
        let right_grouping = u8::from(infix.groups_right());
        self.todo.push(Piece::Node(left, strength + right_grouping, false));
        self.todo.push(Piece::Text(infix_text(infix)));
        self.todo.push(Piece::Node(right, strength + 1 - right_grouping, last));
    }

    fn quantified(&mut self, words: [&'static str; 5], path: NodeId, last: bool) {
        let [next, finally, globally, bracket, other] = words;
        let node = self.formula.node(path);
        let (word, operand) = match node {
            Node::Next(operand) => (next, operand),
            Node::Finally(operand) => (finally, operand),
            Node::Globally(operand) => (globally, operand),
            Node::Until(left, right)
            | Node::Release(left, right)
            | Node::WeakUntil(left, right)
            | Node::StrongRelease(left, right) => {
                let infix = as_infix(node).map_or(Infix::Until, |(infix, ..)| infix);
                // Square brackets beside those of a coalition are hard to read.
                let [open, close] = if self.formula.logic().is_strategic() { [" (", ")"] } else { ["[", "]"] };
                self.todo.extend([Piece::Text(bracket), Piece::Text(open)]);
                self.infix(infix, left, right, true);
                return self.todo.push(Piece::Text(close));
            }
            _ => (other, path),
        };
        self.todo.push(Piece::Text(word));
        self.todo.push(Piece::Node(operand, UNARY, last));
    }

    fn fixpoint(&mut self, word: &'static str, variable: VarId, body: NodeId) {
        self.todo.extend([Piece::Text(word), Piece::Variable(variable), Piece::Text(". ")]);
        self.todo.push(Piece::Node(body, 0, true));
    }

    fn atom(&mut self, index: usize) {
        let formula = self.formula;
        let text = self.atoms[index].get_or_insert_with(|| atom_text(formula, index));
        self.out.push_str(text);
    }

    fn variable(&mut self, variable: VarId) {
        let name = self.variables.get(&variable).unwrap_or(&self.formula.variables()[variable.index()]);
        self.out.push_str(name);
    }
}

/// How strongly a node's own operator holds its operands together.
fn strength(node: Node) -> u8 {
    as_infix(node).map_or(UNARY, |(infix, ..)| infix.strength())
}

fn as_infix(node: Node) -> Option<(Infix, NodeId, NodeId)> {
    Some(match node {
        Node::And(a, b) => (Infix::And, a, b),
        Node::Or(a, b) => (Infix::Or, a, b),
        Node::Xor(a, b) => (Infix::Xor, a, b),
        Node::Implies(a, b) => (Infix::Implies, a, b),
        Node::Iff(a, b) => (Infix::Iff, a, b),
        Node::Until(a, b) => (Infix::Until, a, b),
        Node::Release(a, b) => (Infix::Release, a, b),
        Node::WeakUntil(a, b) => (Infix::WeakUntil, a, b),
        Node::StrongRelease(a, b) => (Infix::StrongRelease, a, b),
        _ => return None,
    })
}

const fn infix_text(infix: Infix) -> &'static str {
    match infix {
        Infix::Iff => " <-> ",
        Infix::Implies => " -> ",
        Infix::Or => " | ",
        Infix::Xor => " xor ",
        Infix::And => " & ",
        Infix::Until => " U ",
        Infix::Release => " R ",
        Infix::WeakUntil => " W ",
        Infix::StrongRelease => " M ",
    }
}

/// An atom as it can be read back: quoted if it was, or if its text would mean something else.
fn atom_text(formula: &Formula, index: usize) -> String {
    let atom = &formula.atoms()[index];
    if !atom.quoted && (is_placeholder(atom) || reads_as_atom(formula, &atom.text)) {
        return atom.text.clone();
    }
    let mut quoted = String::with_capacity(atom.text.len() + 2);
    quoted.push('"');
    for character in atom.text.chars() {
        if matches!(character, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}

fn reads_as_atom(formula: &Formula, text: &str) -> bool {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let is_name = |word: &str| word.starts_with(is_name_start) && name_length(word) == word.len();
    if !is_name(name) || keyword(formula.logic(), name).is_some() {
        return false;
    }
    match value {
        None => {
            !formula.variables().iter().any(|variable| variable == name)
                && !formula.elements().iter().any(|element| element == name)
        }
        Some(value) => is_number(value) || (is_name(value) && value_keeps_its_text(formula.logic(), value)),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn value_keeps_its_text(logic: Logic, value: &str) -> bool {
    matches!(value, "true" | "false") || keyword(logic, value).is_none()
}

/// New names for the variables that would otherwise capture an outer variable of the same name.
fn renamed_variables(formula: &Formula, root: NodeId, longest: usize) -> HashMap<VarId, String> {
    let names = formula.variables();
    let mut by_name: HashMap<&str, Vec<VarId>> = HashMap::new();
    for (at, name) in names.iter().enumerate() {
        by_name.entry(name).or_default().push(VarId::new(at));
    }
    if by_name.values().all(|sharing| sharing.len() == 1) {
        return HashMap::new();
    }
    let mut renamed = HashMap::new();
    for variable in capturing_variables(formula, root, longest) {
        let name = &names[variable.index()];
        let taken = |candidate: &String| {
            by_name.contains_key(candidate.as_str())
                || formula.atoms().iter().any(|atom| atom.text == *candidate)
                || formula.elements().contains(candidate)
        };
        let fresh = (0..).map(|number| format!("{name}_{}_{number}", variable.index())).find(|name| !taken(name));
        renamed.extend(fresh.map(|fresh| (variable, fresh)));
    }
    renamed
}

/// The variables inside whose scope an outer variable of the same name occurs.
fn capturing_variables(formula: &Formula, root: NodeId, longest: usize) -> Vec<VarId> {
    enum ScopeEvent {
        Enter(NodeId),
        Leave,
    }
    let names = formula.variables();
    let mut scope: Vec<VarId> = Vec::new();
    let mut capturing = Vec::new();
    let mut todo = vec![ScopeEvent::Enter(root)];
    // Every node is at least one character, so what lies beyond is never printed.
    for _ in 0..longest.saturating_mul(2) {
        let Some(step) = todo.pop() else { break };
        let ScopeEvent::Enter(node) = step else {
            scope.pop();
            continue;
        };
        match formula.node(node) {
            Node::Var(variable) => {
                let name = &names[variable.index()];
                let inner = scope.iter().rev().take_while(|&&bound| bound != variable);
                capturing.extend(inner.filter(|bound| names[bound.index()] == *name));
            }
            Node::Mu(variable, body) | Node::Nu(variable, body) => {
                scope.push(variable);
                todo.extend([ScopeEvent::Leave, ScopeEvent::Enter(body)]);
            }
            other => todo.extend(other.children().map(ScopeEvent::Enter)),
        }
    }
    capturing.sort_unstable();
    capturing.dedup();
    capturing
}

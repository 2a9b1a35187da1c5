//! Formulas of propositional modal logic that tell states apart.
//!
//! A small table of its own, since this crate knows no logic: nodes, children before parents, equal parts
//! shared. Printing and evaluation are loops, so that depth costs no stack.

use std::collections::HashMap;
use std::fmt::{self, Display};

use crate::kmts::{ActionId, Kmts, PropId};

/// One operation; numbers point to earlier nodes of the same [`Pml`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PmlNode {
    /// Always.
    True,
    /// Never.
    False,
    /// The proposition holds.
    Prop(PropId),
    /// The proposition does not hold.
    NotProp(PropId),
    /// All of two or more.
    And(Vec<usize>),
    /// Some of two or more.
    Or(Vec<usize>),
    /// Some step, of this action or of any, leads to a state where it holds.
    Diamond(Option<ActionId>, usize),
    /// Every step, of this action or of any, leads to a state where it holds.
    Box(Option<ActionId>, usize),
}

/// A formula over the propositions and actions of one structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pml {
    nodes: Vec<PmlNode>,
}

impl Pml {
    /// The nodes, children before parents; the last is the formula.
    #[must_use]
    pub fn nodes(&self) -> &[PmlNode] {
        &self.nodes
    }

    /// The formula in the syntax of properties, in the names of the structure that it was made for.
    pub fn display<'a>(&'a self, names: &'a Kmts) -> impl Display + 'a {
        Printed { formula: self, names, atl: false }
    }

    /// The formula as one of ATL, in which steps are those of everybody. Actions have no place there, so that it must have none.
    pub fn display_in_atl<'a>(&'a self, names: &'a Kmts) -> impl Display + 'a {
        Printed { formula: self, names, atl: true }
    }
}

/// Makes formulas with shared parts.
#[derive(Debug, Default)]
pub(super) struct PmlTable {
    nodes: Vec<PmlNode>,
    known: HashMap<PmlNode, usize>,
    /// Of each node, how long it would be written out.
    sizes: Vec<u64>,
}

impl PmlTable {
    pub fn add(&mut self, node: PmlNode) -> usize {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let parts: u64 = match &node {
            PmlNode::And(parts) | PmlNode::Or(parts) => {
                parts.iter().fold(0u64, |sum, &part| sum.saturating_add(self.sizes[part]))
            }
            PmlNode::Diamond(_, part) | PmlNode::Box(_, part) => self.sizes[*part],
            _ => 0,
        };
        self.sizes.push(parts.saturating_add(1));
        self.nodes.push(node.clone());
        self.known.insert(node, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// All of `parts`.
    pub fn and(&mut self, parts: Vec<usize>) -> usize {
        self.join(parts, PmlNode::True, PmlNode::And)
    }

    /// Some of `parts`.
    pub fn or(&mut self, parts: Vec<usize>) -> usize {
        self.join(parts, PmlNode::False, PmlNode::Or)
    }

    fn join(&mut self, mut parts: Vec<usize>, none: PmlNode, make: fn(Vec<usize>) -> PmlNode) -> usize {
        parts.sort_unstable();
        parts.dedup();
        match parts[..] {
            [] => self.add(none),
            [single] => single,
            _ => self.add(make(parts)),
        }
    }

    /// How many operations the formula has when written out.
    pub fn size(&self, root: usize) -> u64 {
        self.sizes[root]
    }

    /// The formula with this root alone.
    pub fn take(self, root: usize) -> Pml {
        let mut wanted = vec![false; root + 1];
        wanted[root] = true;
        for at in (0..=root).rev() {
            if wanted[at] {
                mark_parts(&self.nodes, at, &mut wanted);
            }
        }
        let mut places = vec![usize::MAX; root + 1];
        let mut nodes = Vec::new();
        for (at, node) in self.nodes.into_iter().take(root + 1).enumerate().filter(|(at, _)| wanted[*at]) {
            places[at] = nodes.len();
            nodes.push(moved(node, &places));
        }
        Pml { nodes }
    }
}

fn mark_parts(nodes: &[PmlNode], at: usize, wanted: &mut [bool]) {
    match &nodes[at] {
        PmlNode::And(parts) | PmlNode::Or(parts) => parts.iter().for_each(|&part| wanted[part] = true),
        PmlNode::Diamond(_, part) | PmlNode::Box(_, part) => wanted[*part] = true,
        _ => {}
    }
}

fn moved(node: PmlNode, places: &[usize]) -> PmlNode {
    let all = |parts: Vec<usize>| parts.into_iter().map(|part| places[part]).collect();
    match node {
        PmlNode::And(parts) => PmlNode::And(all(parts)),
        PmlNode::Or(parts) => PmlNode::Or(all(parts)),
        PmlNode::Diamond(action, part) => PmlNode::Diamond(action, places[part]),
        PmlNode::Box(action, part) => PmlNode::Box(action, places[part]),
        leaf => leaf,
    }
}

struct Printed<'a> {
    formula: &'a Pml,
    names: &'a Kmts,
    atl: bool,
}

/// What is still to be written: a node, in brackets if it is a list, or a piece of text.
enum Todo {
    Node(usize, bool),
    Text(&'static str),
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(root) = self.formula.nodes.len().checked_sub(1) else { return Ok(()) };
        let mut todo = vec![Todo::Node(root, false)];
        while let Some(next) = todo.pop() {
            match next {
                Todo::Text(text) => f.write_str(text)?,
                Todo::Node(at, brackets) => self.node(f, at, brackets, &mut todo)?,
            }
        }
        Ok(())
    }
}

impl Printed<'_> {
    fn node(&self, f: &mut fmt::Formatter<'_>, at: usize, brackets: bool, todo: &mut Vec<Todo>) -> fmt::Result {
        match &self.formula.nodes[at] {
            PmlNode::True => f.write_str("true"),
            PmlNode::False => f.write_str("false"),
            PmlNode::Prop(prop) => self.atom(f, *prop),
            PmlNode::NotProp(prop) => {
                f.write_str("!")?;
                self.atom(f, *prop)
            }
            PmlNode::And(parts) => list(f, parts, " & ", brackets, todo),
            PmlNode::Or(parts) => list(f, parts, " | ", brackets, todo),
            PmlNode::Diamond(action, part) => {
                todo.push(Todo::Node(*part, true));
                if self.atl { f.write_str("<<all>> X ") } else { write!(f, "<{}> ", self.action(*action)) }
            }
            PmlNode::Box(action, part) => {
                todo.push(Todo::Node(*part, true));
                if self.atl { f.write_str("<<>> X ") } else { write!(f, "[{}] ", self.action(*action)) }
            }
        }
    }

    fn action(&self, action: Option<ActionId>) -> &str {
        action.map_or("", |action| &self.names.actions()[action.index()])
    }

    /// A name that is surely read as an atom stands bare, any other in quotes.
    fn atom(&self, f: &mut fmt::Formatter<'_>, prop: PropId) -> fmt::Result {
        let name = &self.names.props()[prop.index()];
        let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
            && name.starts_with(|first: char| first.is_ascii_lowercase());
        let word = ["true", "false", "mu", "nu", "xor", "not", "and", "or"].contains(&name.as_str());
        if plain && !word {
            return f.write_str(name);
        }
        let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
        write!(f, "\"{escaped}\"")
    }
}

fn list(
    f: &mut fmt::Formatter<'_>,
    parts: &[usize],
    sign: &'static str,
    brackets: bool,
    todo: &mut Vec<Todo>,
) -> fmt::Result {
    if brackets {
        f.write_str("(")?;
        todo.push(Todo::Text(")"));
    }
    for (at, &part) in parts.iter().enumerate().rev() {
        todo.push(Todo::Node(part, true));
        if at > 0 {
            todo.push(Todo::Text(sign));
        }
    }
    Ok(())
}

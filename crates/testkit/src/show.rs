//! Structures and formulas as text, for failing cases.
//!
//! Written apart from the printers of `model` and `logic`, so that a fault there cannot hide itself.

use std::fmt::Write;

use tertium_logic::{ActionId, Formula, Node, NodeId};
use tertium_model::{EdgeId, Kmts, PropId};

/// One line a state, one line an edge.
#[must_use]
pub fn show_structure(structure: &Kmts) -> String {
    let mut text = String::new();
    write_structure(structure, &mut text).expect("a string takes everything");
    text
}

fn write_structure(structure: &Kmts, text: &mut String) -> std::fmt::Result {
    if structure.total() {
        writeln!(text, "total")?;
    }
    let name = |state| structure.state_name(state);
    let init: Vec<&str> = structure.init().iter().map(|&state| name(state)).collect();
    writeln!(text, "init {}", init.join(", "))?;
    let carried = |action: Option<tertium_model::ActionId>| {
        action.map_or(String::new(), |action| format!(" by {}", structure.actions()[action.index()]))
    };
    for state in structure.states() {
        let label =
            |(at, prop): (usize, &String)| format!("{prop}: {}", structure.label(state, PropId::new(at)).letter());
        let labels: Vec<String> = structure.props().iter().enumerate().map(label).collect();
        writeln!(text, "{}  {}", name(state), labels.join(", "))?;
        for edge in structure.edges_from(state) {
            let kind = match (edge.may, edge.must) {
                (true, true) => "must",
                (true, false) => "may",
                (false, _) => "must-only",
            };
            writeln!(text, "  {} -{kind}-> {}{}", name(state), name(edge.target), carried(edge.action))?;
        }
        for edge in structure.hyper_from(state) {
            let members: Vec<&str> = edge.members.iter().map(|&member| name(member)).collect();
            writeln!(text, "  {} -hyper-> {{{}}}{}", name(state), members.join(", "), carried(edge.action))?;
        }
    }
    for constraint in structure.fairness() {
        let mut edges = Vec::new();
        for from in structure.states() {
            for at in structure.edge_range(from).filter(|&at| constraint.possible.contains(at)) {
                let edge = structure.edge(EdgeId::new(at));
                edges.push(format!("{} -> {}{}", name(from), name(edge.target), carried(edge.action)));
            }
        }
        writeln!(text, "fair {}", edges.join(", "))?;
    }
    Ok(())
}

/// The formula in full brackets, with its logic.
#[must_use]
pub fn show_formula(formula: &Formula) -> String {
    format!("{} {}", formula.logic().name(), show_node(formula, formula.root()))
}

/// Recursive, since generated formulas are small.
fn show_node(formula: &Formula, id: NodeId) -> String {
    let one = |word: &str, a: NodeId| format!("{word}({})", show_node(formula, a));
    let two =
        |a: NodeId, word: &str, b: NodeId| format!("({} {word} {})", show_node(formula, a), show_node(formula, b));
    let variable = |var: tertium_logic::VarId| format!("{}{}", formula.variables()[var.index()], var.index());
    let act = |action: Option<ActionId>| action.map_or("", |action| &formula.actions()[action.index()]);
    match formula.node(id) {
        Node::True => "true".to_owned(),
        Node::False => "false".to_owned(),
        Node::Element(element) => format!("`{}`", formula.elements()[element.index()]),
        Node::Atom(atom) => formula.atoms()[atom.index()].text.clone(),
        Node::Var(var) => variable(var),
        Node::Not(a) => one("!", a),
        Node::And(a, b) => two(a, "&", b),
        Node::Or(a, b) => two(a, "|", b),
        Node::Implies(a, b) => two(a, "->", b),
        Node::Iff(a, b) => two(a, "<->", b),
        Node::Xor(a, b) => two(a, "xor", b),
        Node::Next(a) => one("X ", a),
        Node::Finally(a) => one("F ", a),
        Node::Globally(a) => one("G ", a),
        Node::Until(a, b) => two(a, "U", b),
        Node::Release(a, b) => two(a, "R", b),
        Node::WeakUntil(a, b) => two(a, "W", b),
        Node::StrongRelease(a, b) => two(a, "M", b),
        Node::All(a) => one("A ", a),
        Node::Exists(a) => one("E ", a),
        Node::Coalition(coalition, a) => one(&format!("{} ", formula.coalitions()[coalition.index()].text()), a),
        Node::Diamond(action, a) => one(&format!("<{}> ", act(action)), a),
        Node::Box(action, a) => one(&format!("[{}] ", act(action)), a),
        Node::Mu(var, a) => format!("(mu {}. {})", variable(var), show_node(formula, a)),
        Node::Nu(var, a) => format!("(nu {}. {})", variable(var), show_node(formula, a)),
    }
}

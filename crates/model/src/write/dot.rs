//! Models as pictures: DOT for Graphviz. May edges are dashed, must edges solid, a hyper edge is a bundle that
//! parts at a point.

use std::io::{self, Write};

use super::separated;
use crate::kmts::{ActionId, Kmts, PropId, StateId};
use crate::read::Model;

/// Writes a model as a DOT graph.
///
/// # Errors
/// Whatever the output reports.
pub fn write_dot(out: &mut dyn Write, model: &Model) -> io::Result<()> {
    out.write_all(b"digraph model {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n")?;
    match model {
        Model::Kmts(kmts) => kmts_graph(out, kmts)?,
        Model::Param(model) => {
            for state in model.states() {
                let labels = labels(model.props(), |prop| model.value_text(model.label(state, prop)));
                node(out, state, model.state_name(state), &labels, model.init().contains(&state))?;
            }
            for edge in model.edges() {
                let text = model.value_text(edge.value);
                let style = if text == "t" { "solid" } else { "dashed" };
                arrow(out, edge.from, edge.to, style, &text)?;
            }
        }
        Model::Lattice(model) => {
            let lattice = model.lattice();
            for state in model.states() {
                let labels = labels(model.props(), |prop| lattice.name(model.label(state, prop)).to_owned());
                node(out, state, model.state_name(state), &labels, model.init().contains(&state))?;
            }
            for state in model.states() {
                for edge in model.edges_from(state) {
                    let style = if edge.value == lattice.top() { "solid" } else { "dashed" };
                    arrow(out, state, edge.target, style, lattice.name(edge.value))?;
                }
            }
        }
    }
    out.write_all(b"}\n")
}

fn labels(props: &[String], value: impl Fn(PropId) -> String) -> Vec<String> {
    let all = props.iter().enumerate().map(|(at, prop)| (prop, value(PropId::new(at))));
    all.map(|(prop, value)| match value.as_str() {
        "t" => prop.clone(),
        "f" => negated(prop),
        "u" => format!("{prop}?"),
        other => format!("{prop}: {other}"),
    })
    .collect()
}

/// The relations and what holds where they do not.
const OPPOSITES: [(&str, &str); 7] =
    [("<=", ">"), (">=", "<"), ("!=", "="), ("==", "!="), ("<", ">="), (">", "<="), ("=", "!=")];

/// Words that join conditions in one of the languages.
const CONNECTIVES: [&str; 8] = ["and", "or", "not", "xor", "if", "then", "forall", "exists"];

/// The negation of a proposition: `y1 > y2` for `y1 <= y2`, and `!` before what is no comparison.
fn negated(prop: &str) -> String {
    // Propositions with connectives or more than one relation are left alone: where a negation belongs is not seen from signs.
    let signs: String = prop.chars().filter(|sign| "<>=!&|".contains(*sign)).collect();
    let connected =
        prop.contains("->") || prop.split(|sign: char| !sign.is_alphanumeric()).any(|word| CONNECTIVES.contains(&word));
    let opposite = OPPOSITES.iter().find(|(sign, _)| *sign == signs && !connected);
    match opposite {
        Some((sign, opposite)) if prop.matches(sign).count() == 1 => prop.replace(sign, opposite),
        _ if prop.chars().all(|sign| sign.is_alphanumeric() || "_@.[]".contains(sign)) => format!("!{prop}"),
        _ => format!("!({prop})"),
    }
}

/// Text inside double quotes as DOT reads it.
fn text(out: &mut dyn Write, text: &str) -> io::Result<()> {
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(out, "\\{letter}")?,
            letter if letter.is_control() => out.write_all(b" ")?,
            letter => write!(out, "{letter}")?,
        }
    }
    Ok(())
}

fn node(out: &mut dyn Write, state: StateId, name: &str, labels: &[String], initial: bool) -> io::Result<()> {
    write!(out, "  s{} [label=\"", state.index())?;
    text(out, name)?;
    if !labels.is_empty() {
        out.write_all(b"\\n")?;
        separated(out, ", ", labels, |out, label| text(out, label))?;
    }
    out.write_all(if initial { b"\", penwidth=2];\n" } else { b"\"];\n" })?;
    if initial {
        let at = state.index();
        writeln!(out, "  i{at} [shape=point, style=invis];\n  i{at} -> s{at};")?;
    }
    Ok(())
}

fn arrow(out: &mut dyn Write, from: StateId, to: StateId, style: &str, label: &str) -> io::Result<()> {
    write!(out, "  s{} -> s{} [style={style}", from.index(), to.index())?;
    if !label.is_empty() {
        out.write_all(b", label=\"")?;
        text(out, label)?;
        out.write_all(b"\"")?;
    }
    out.write_all(b"];\n")
}

fn kmts_graph(out: &mut dyn Write, kmts: &Kmts) -> io::Result<()> {
    let action = |action: Option<ActionId>| action.map_or("", |action| kmts.actions()[action.index()].as_str());
    for state in kmts.states() {
        let labels = labels(kmts.props(), |prop| kmts.label(state, prop).letter().to_owned());
        node(out, state, kmts.state_name(state), &labels, kmts.init().contains(&state))?;
    }
    for state in kmts.states() {
        for edge in kmts.edges_from(state) {
            // Certain but impossible: solid like what is certain, grey like what should not be there.
            let style = match (edge.may, edge.must) {
                (true, true) => "solid",
                (true, false) => "dashed",
                _ => "solid, color=grey, arrowhead=empty",
            };
            arrow(out, state, edge.target, style, action(edge.action))?;
        }
        for edge in kmts.hyper_from(state) {
            let at = edge.id.index();
            writeln!(out, "  h{at} [shape=point, width=0.05];")?;
            write!(out, "  s{} -> h{at} [arrowhead=none, label=\"", state.index())?;
            text(out, action(edge.action))?;
            out.write_all(b"\"];\n")?;
            for member in edge.members {
                writeln!(out, "  h{at} -> s{};", member.index())?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::negated;

    #[test]
    fn comparisons_are_negated_by_their_opposite() {
        let cases = [
            ("y1 <= y2", "y1 > y2"),
            ("y1 = 0", "y1 != 0"),
            ("a[i] == 3", "a[i] != 3"),
            ("x - y > 3", "x - y <= 3"),
            ("ready", "!ready"),
            ("P@crit", "!P@crit"),
            ("x < 3 && y < 4", "!(x < 3 && y < 4)"),
            ("p -> q", "!(p -> q)"),
            ("(x < 3) = b", "!((x < 3) = b)"),
            ("not x < 3", "!(not x < 3)"),
            ("!(x = 3)", "!(!(x = 3))"),
        ];
        for (prop, expected) in cases {
            assert_eq!(negated(prop), expected);
        }
    }
}

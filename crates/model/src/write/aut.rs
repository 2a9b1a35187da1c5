//! Structures as labelled transition systems for other tools: Aldebaran `.aut`.
//!
//! The format has one relation, actions as texts and no state labels, so everything is encoded in actions:
//! an edge from `s` to `t` with action `a` (or `i`, the silent one, without an action) becomes
//! `must(a)` if it is certain and possible, `may(a)` if it is only possible, `mustonly(a)` if it is only
//! certain; a hyper edge becomes one step `hyper(a)` to a fresh state, and from there `member` to each
//! member; a label becomes a loop `p=t`, `p=u`, `p=f` or `p=b`. The format has one initial state, the first
//! of the structure's.

use std::io::{self, Write};

use crate::kmts::{ActionId, Kmts, PropId, StateId};

/// Writes a structure in Aldebaran's format.
///
/// # Errors
/// Whatever the output reports.
pub fn write_aut(out: &mut dyn Write, kmts: &Kmts) -> io::Result<()> {
    let members: usize = kmts.states().flat_map(|state| kmts.hyper_from(state)).map(|edge| edge.members.len()).sum();
    let labels = kmts.state_count() * kmts.props().len();
    let steps = kmts.edge_count() + kmts.hyper_count() + members + labels;
    let first = kmts.init().first().map_or(0, |state| state.index());
    writeln!(out, "des ({first}, {steps}, {})", kmts.state_count() + kmts.hyper_count())?;
    for state in kmts.states() {
        state_steps(out, kmts, state)?;
    }
    Ok(())
}

fn state_steps(out: &mut dyn Write, kmts: &Kmts, state: StateId) -> io::Result<()> {
    let from = state.index();
    for (at, prop) in kmts.props().iter().enumerate() {
        let value = kmts.label(state, PropId::new(at)).letter();
        step(out, from, &format!("{prop}={value}"), from)?;
    }
    let action = |action: Option<ActionId>| action.map_or("i", |action| kmts.actions()[action.index()].as_str());
    for edge in kmts.edges_from(state) {
        let kind = match (edge.may, edge.must) {
            (true, true) => "must",
            (true, false) => "may",
            _ => "mustonly",
        };
        step(out, from, &format!("{kind}({})", action(edge.action)), edge.target.index())?;
    }
    for edge in kmts.hyper_from(state) {
        let middle = kmts.state_count() + edge.id.index();
        step(out, from, &format!("hyper({})", action(edge.action)), middle)?;
        for member in edge.members {
            step(out, middle, "member", member.index())?;
        }
    }
    Ok(())
}

fn step(out: &mut dyn Write, from: usize, label: &str, to: usize) -> io::Result<()> {
    let label: String = label.chars().map(|c| if c == '"' || c.is_control() { '\'' } else { c }).collect();
    writeln!(out, "({from}, \"{label}\", {to})")
}

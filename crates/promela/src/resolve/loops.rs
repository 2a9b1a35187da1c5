//! Do jumps go round without a step?
//!
//! `L: goto L` never does anything and never ends. Every `goto` is followed from label to label; a way that comes
//! back without passing a statement is refused. A jump inside a choice or block is a step of its own, as in Spin.

use std::collections::BTreeMap;

use tertium_base::Diagnostic;

use super::Resolver;
use crate::ast::{LabelId, LabelRef, Stmt, StmtKind};
use crate::symbols::Meaning;

impl<'a> Resolver<'a> {
    /// Reports labels whose statement is a jump that leads back to them.
    pub(crate) fn goto_loops(&mut self, body: &'a [Stmt]) {
        let mut jumps: BTreeMap<LabelId, &LabelRef> = BTreeMap::new();
        collect(body, &mut jumps);
        let mut done: Vec<LabelId> = Vec::new();
        for &start in jumps.keys() {
            let mut seen = Vec::new();
            let mut here = start;
            while let Some(jump) = jumps.get(&here) {
                if done.contains(&here) {
                    break;
                }
                if seen.contains(&here) {
                    let diagnostic = Diagnostic::error("E0519", "this jump goes round without a step")
                        .at(jump.name.span, "comes back here")
                        .help("put a statement into the loop, e.g. a condition to wait for");
                    self.diagnostics.push(diagnostic);
                    break;
                }
                seen.push(here);
                match self.symbols.meaning(jump.id) {
                    Some(Meaning::Label(next)) => here = *next,
                    _ => break,
                }
            }
            done.extend(seen);
        }
    }
}

/// Every label that stands at a jump.
fn collect<'a>(body: &'a [Stmt], jumps: &mut BTreeMap<LabelId, &'a LabelRef>) {
    for stmt in body {
        if let StmtKind::Goto(jump) = &stmt.kind {
            jumps.extend(stmt.labels.iter().map(|label| (label.id, jump)));
        }
        match &stmt.kind {
            StmtKind::Block(inner) | StmtKind::Atomic(inner) | StmtKind::DStep(inner) => collect(inner, jumps),
            StmtKind::Inline(inlined) => collect(&inlined.body, jumps),
            StmtKind::If(branches) | StmtKind::Do(branches) => {
                branches.iter().for_each(|branch| collect(&branch.body, jumps));
            }
            StmtKind::For(for_loop) => collect(&for_loop.body, jumps),
            StmtKind::Unless(main, escape) => {
                collect(std::slice::from_ref(main), jumps);
                collect(std::slice::from_ref(escape), jumps);
            }
            _ => {}
        }
    }
}

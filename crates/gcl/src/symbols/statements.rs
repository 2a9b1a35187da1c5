//! Names that statements use.

use super::Namer;
use super::blocks;
use crate::ast::{Assignment, Block, Ident, ProcessDecl, Source, StmtKind};

impl<'a> Namer<'a> {
    pub(super) fn process_uses(&mut self, decl: &'a ProcessDecl) {
        if let Some((_, range)) = &decl.family {
            self.range(range);
        }
        self.here = Some(&decl.name.name);
        decl.locals.iter().for_each(|locals| self.var_decl(locals));
        self.block(&decl.body);
        self.here = None;
    }

    pub(super) fn block(&mut self, block: &'a Block) {
        for statement in block {
            match &statement.kind {
                StmtKind::Assign(assignment) => self.assignment(assignment),
                StmtKind::Await(condition) | StmtKind::Assert(condition) | StmtKind::While(condition, _) => {
                    self.expr(condition);
                }
                StmtKind::When(condition, assignment) => {
                    self.expr(condition);
                    assignment.iter().for_each(|assignment| self.assignment(assignment));
                }
                StmtKind::If(branches, _) => branches.iter().for_each(|(condition, _)| self.expr(condition)),
                StmtKind::Goto(label) => self.label(self.here, label),
                StmtKind::Sugar(sugar) => {
                    self.statement_sugar(sugar);
                    continue;
                }
                _ => {}
            }
            for block in blocks(&statement.kind) {
                self.block(block);
            }
        }
    }

    pub(super) fn label(&mut self, process: Option<&str>, label: &Ident) {
        let inside = match self.within {
            Some(procedure) => self.procedures.get(procedure),
            None => process.and_then(|process| self.processes.get(process)),
        };
        let own = inside.and_then(|inside| inside.labels.get(label.name.as_str())).copied();
        // A process is at the labels of the procedures that it calls, too.
        let called = || self.procedures.values().find_map(|inside| inside.labels.get(label.name.as_str())).copied();
        if let Some(symbol) = own.or_else(called) {
            self.table.use_at(label.span, symbol);
        }
    }

    pub(super) fn assignment(&mut self, assignment: &Assignment) {
        assignment.targets.iter().for_each(|target| self.target(target));
        assignment.sources.iter().for_each(|source| self.source(source));
    }

    pub(super) fn source(&mut self, source: &Source) {
        match source {
            Source::Value(expr) => self.expr(expr),
            Source::Any(_) => {}
            Source::Within(range, _) => self.range(range),
        }
    }
}

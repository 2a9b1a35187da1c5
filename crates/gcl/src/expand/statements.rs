//! Statements without sugar.

use tertium_base::Diagnostic;

use super::Expansion;
use super::places::Place;
use super::sets::{SetValue, truth};
use super::types::Structure;
use crate::ast::sugar::{ExprSugar, SetPart, StmtSugar};
use crate::ast::{Assignment, Block, Expr, ExprKind, Range, Source, Stmt, StmtKind, Target};

impl Expansion<'_> {
    /// A block whose procedures and loops have been written out.
    pub(super) fn block(&mut self, block: &Block) -> Block {
        block.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, statement: &Stmt) -> Stmt {
        let kind = match &statement.kind {
            StmtKind::Skip | StmtKind::Stop | StmtKind::Goto(_) => statement.kind.clone(),
            StmtKind::Assign(assignment) => match self.assignment(assignment) {
                Some(assignment) => StmtKind::Assign(assignment),
                None => StmtKind::Skip,
            },
            StmtKind::Await(condition) => StmtKind::Await(self.expr(condition)),
            StmtKind::Assert(condition) => StmtKind::Assert(self.expr(condition)),
            StmtKind::When(condition, assignment) => {
                let condition = self.expr(condition);
                let assignment = assignment.as_ref().and_then(|assignment| self.assignment(assignment));
                StmtKind::When(condition, assignment)
            }
            StmtKind::If(branches, otherwise) => {
                let branch = |(condition, body): &(Expr, Block)| (self.expr(condition), self.block(body));
                let branches = branches.iter().map(branch).collect();
                StmtKind::If(branches, otherwise.as_ref().map(|body| self.block(body)))
            }
            StmtKind::While(condition, body) => StmtKind::While(self.expr(condition), self.block(body)),
            StmtKind::Loop(body) => StmtKind::Loop(self.block(body)),
            StmtKind::Choose(branches) => StmtKind::Choose(branches.iter().map(|body| self.block(body)).collect()),
            StmtKind::Atomic(body) => StmtKind::Atomic(self.block(body)),
            StmtKind::Sugar(sugar) => match sugar.as_ref() {
                StmtSugar::Communicate(condition, communication) => {
                    self.communicate(condition.as_ref(), communication, statement.span).unwrap_or(StmtKind::Skip)
                }
                // Written out before, unless a mistake has been reported.
                StmtSugar::For(..) | StmtSugar::Call(..) => StmtKind::Skip,
            },
        };
        Stmt { labels: statement.labels.clone(), kind, span: statement.span }
    }

    /// An assignment to plain cells; none if a mistake has been reported.
    fn assignment(&mut self, assignment: &Assignment) -> Option<Assignment> {
        let mut plain = Assignment { targets: Vec::new(), sources: Vec::new() };
        let mut complete = true;
        for (target, source) in assignment.targets.iter().zip(&assignment.sources) {
            complete &= self.assign(target, source, &mut plain).is_some();
        }
        // One side may be longer; whoever counts them says so.
        for target in assignment.targets.iter().skip(assignment.sources.len()) {
            plain.targets.push(self.plain_target(target));
        }
        for source in assignment.sources.iter().skip(assignment.targets.len()) {
            plain.sources.push(self.plain_source(source));
        }
        complete.then_some(plain)
    }

    fn plain_target(&mut self, target: &Target) -> Target {
        let indices = target.indices.iter().map(|index| self.expr(index)).collect();
        Target { name: target.name.clone(), indices, accessors: Vec::new(), span: target.span }
    }

    fn plain_source(&mut self, source: &Source) -> Source {
        match source {
            Source::Value(value) => Source::Value(self.expr(value)),
            Source::Any(span) => Source::Any(*span),
            Source::Within(range, span) => {
                Source::Within(Range { lo: self.expr(&range.lo), hi: self.expr(&range.hi) }, *span)
            }
        }
    }

    /// One target and what it gets.
    fn assign(&mut self, target: &Target, source: &Source, plain: &mut Assignment) -> Option<()> {
        let Some(place) = self.place_written(target).ok()? else {
            plain.targets.push(self.plain_target(target));
            plain.sources.push(self.plain_source(source));
            return Some(());
        };
        match (source, self.structure(&place.ty)) {
            (_, Structure::Single) => {
                plain.targets.push(written(&place));
                plain.sources.push(self.plain_source(source));
                Some(())
            }
            (Source::Value(value), structure) => {
                let element = match structure {
                    Structure::Set(_) => self.one_element(&place, value),
                    _ => None,
                };
                if let Some((element, inside)) = element {
                    let mut target = written(&place);
                    target.indices.push(element);
                    plain.targets.push(target);
                    plain.sources.push(Source::Value(truth(inside, value.span)));
                    return Some(());
                }
                let values = self.values(&place.ty, value, &place)?;
                self.assign_cells(&place, values.into_iter().map(Source::Value).collect(), plain)
            }
            (Source::Any(span), _) => {
                let cells = self.cells(&place.ty)?.len();
                self.assign_cells(&place, vec![Source::Any(*span); cells], plain)
            }
            (Source::Within(_, span), _) => {
                let diagnostic = Diagnostic::error("E0407", format!("`{}` is not a number", place.name.name));
                self.fail(diagnostic.at(*span, "a range of numbers").help("write `*` alone for any value"))
            }
        }
    }

    /// Every cell of a place gets one of these.
    pub(super) fn assign_cells(&mut self, place: &Place, sources: Vec<Source>, plain: &mut Assignment) -> Option<()> {
        let cells = self.cells(&place.ty)?;
        for (cell, source) in cells.iter().zip(sources) {
            let (name, indices) = place.cell(cell);
            plain.targets.push(Target { name, indices, accessors: Vec::new(), span: place.span });
            plain.sources.push(source);
        }
        Some(())
    }

    /// `s + {x}` or `s - {x}` for `s` itself: the element, and whether it is in the set then. One that is taken out must lie in
    /// the range of the set, since nothing happens to the set otherwise.
    fn one_element(&mut self, place: &Place, value: &Expr) -> Option<(Expr, bool)> {
        let ExprKind::Sum(first, rest) = &value.kind else { return None };
        let [(minus, part)] = rest.as_slice() else { return None };
        let ExprKind::Sugar(sugar) = &part.kind else { return None };
        let ExprSugar::Set(parts) = sugar.as_ref() else { return None };
        let [SetPart::Element(element)] = parts.as_slice() else { return None };
        let same = |own: &Place| {
            own.owner.is_none() && own.name.name == place.name.name && alike(&own.indices, &place.indices)
        };
        match self.set_of(first) {
            Ok(Some(SetValue::Variable(own, lo, hi))) if same(&own) => {
                let inside = self.between(element).is_some_and(|(least, most)| least >= lo && most <= hi);
                (!minus || inside).then(|| (self.expr(element), !minus))
            }
            _ => None,
        }
    }
}

/// Where a place is written.
pub(super) fn written(place: &Place) -> Target {
    let Place { name, indices, span, .. } = place.clone();
    Target { name, indices, accessors: Vec::new(), span }
}

/// Whether indices are the same, wherever they stand.
fn alike(left: &[Expr], right: &[Expr]) -> bool {
    let bare = |expr: &Expr| crate::rewrite::without_places(expr);
    left.len() == right.len() && left.iter().zip(right).all(|(a, b)| bare(a) == bare(b))
}

//! Inlining of procedures, unrolling of `for`.
//!
//! A call stands for the body of the procedure, a `for` for its body once for each number; neither is a step of its own. What a call passes is put in
//! place of the parameters. That is passing by value, because a value may consist only of what does not change during the call: numbers, and variables of the calling process
//! that the procedure does not assign. A `var` parameter is passed by reference.
//!
//! Labels inside get a number behind `#`, so that each copy has its own; the control flow puts them together again.

use std::collections::BTreeSet;

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span};

use super::Expansion;
use super::types::int;
use crate::ast::sugar::{Accessor, ExprSugar, ParameterDecl, ProcedureDecl, StmtSugar};
use crate::ast::{Block, Expr, ExprKind, Ident, Range, Stmt, StmtKind, Target};
use crate::rewrite::{self, visit, visit_block};

/// More copies than this of the bodies of loops and procedures are not made in one process.
const MOST_COPIES: usize = 10_000;
/// More statements than this are not copied into one process.
const MOST_COPIED: usize = 100_000;

/// What stands between the name of a label and the number of its copy.
pub(crate) const COPY: char = '#';

impl Expansion<'_> {
    /// A block in which every call and every `for` is written out.
    pub(super) fn inline(&mut self, block: &Block) -> Block {
        (self.copies, self.copied) = (0, 0);
        self.written_out(block, &mut Vec::new())
    }

    fn written_out(&mut self, block: &Block, calls: &mut Vec<String>) -> Block {
        let mut all = Block::new();
        for statement in block {
            let mut inner = |body: &Block| self.written_out(body, calls);
            let kind = match &statement.kind {
                StmtKind::If(branches, otherwise) => {
                    let branches = branches.iter().map(|(condition, body)| (condition.clone(), inner(body))).collect();
                    StmtKind::If(branches, otherwise.as_ref().map(inner))
                }
                StmtKind::While(condition, body) => StmtKind::While(condition.clone(), inner(body)),
                StmtKind::Loop(body) => StmtKind::Loop(inner(body)),
                StmtKind::Choose(branches) => StmtKind::Choose(branches.iter().map(inner).collect()),
                StmtKind::Atomic(body) => StmtKind::Atomic(inner(body)),
                StmtKind::Sugar(sugar) => match sugar.as_ref() {
                    StmtSugar::For(name, range, body) => self.unrolled(name, range, body, calls),
                    StmtSugar::Call(name, arguments) => self.inlined(name, arguments, statement.span, calls),
                    StmtSugar::Communicate(..) => statement.kind.clone(),
                },
                _ => statement.kind.clone(),
            };
            all.push(Stmt { labels: statement.labels.clone(), kind, span: statement.span });
        }
        all
    }

    /// Whether one more copy may be made.
    fn copy(&mut self, body: &Block, span: Span) -> Option<usize> {
        self.copies += 1;
        self.copied = self.copied.saturating_add(statements(body));
        if self.copies <= MOST_COPIES && self.copied <= MOST_COPIED {
            return Some(self.copies);
        }
        let message = format!(
            "loops and calls stand for more than {MOST_COPIES} blocks or {MOST_COPIED} statements in one process"
        );
        self.fail(Diagnostic::error("E0415", message).at(span, "one too many"))
    }

    /// All passes of a `for`, one behind the other.
    fn unrolled(&mut self, name: &Ident, range: &Range, body: &Block, calls: &mut Vec<String>) -> StmtKind {
        if self.bound.contains(&name.name) {
            let message = format!("`{}` stands for another number already", name.name);
            self.report(Diagnostic::error("E0406", message).at(name.span, "choose another name"));
            return StmtKind::Skip;
        }
        let Some((lo, hi)) = self.known_range(range, "the range of `for`") else { return StmtKind::Skip };
        if self.is_bound_again(name, body) || self.is_assigned(name, body, "the number of a `for` never changes") {
            return StmtKind::Skip;
        }
        let mut all = Block::new();
        for value in lo..=hi {
            let Some(copy) = self.copy(body, range.lo.span.to(range.hi.span)) else { break };
            let numbers = [(name.name.clone(), Replacement::Value(int(value, name.span)))];
            let body = labelled(&replaced(body, &numbers), copy);
            all.extend(self.written_out(&body, calls));
        }
        StmtKind::Choose(vec![all])
    }

    /// Whether a `for` inside of a block has a name that stands for something there already; it is reported.
    fn is_bound_again(&mut self, name: &Ident, body: &Block) -> bool {
        let again = bound_in(body).into_iter().find(|(known, quantified)| known.name == name.name && !quantified);
        if let Some((inner, _)) = &again {
            self.report(crate::names::twice(inner, name.span));
        }
        again.is_some()
    }

    /// Names inside of a procedure mean what they mean outside of all processes; whether what the call puts in, and the process itself, leave
    /// them that meaning.
    fn means_the_same(&mut self, decl: &ProcedureDecl, arguments: &[Expr]) -> bool {
        let mut good = true;
        let bound = bound_in(&decl.body);
        for parameter in &decl.parameters {
            good &= !self.is_bound_again(&parameter.name, &decl.body);
        }
        for argument in arguments {
            let taken = |name: &Ident| bound.iter().any(|(known, _)| known.name == name.name);
            if let Some(name) = names_in(argument).into_iter().find(taken) {
                let message = format!("`{}` is something else inside of `{}`", name.name, decl.name.name);
                self.report(Diagnostic::error("E0425", message).at(argument.span, "choose another name there"));
                good = false;
            }
        }
        let own = |name: &Ident| {
            decl.parameters.iter().any(|parameter| parameter.name.name == name.name)
                || bound.iter().any(|(known, _)| known.name == name.name)
        };
        let locals = self.process.as_ref().and_then(|process| self.tables.locals.get(process));
        let index = self.bound.clone();
        let of_process =
            |name: &Ident| locals.is_some_and(|locals| locals.contains_key(&name.name)) || index.contains(&name.name);
        let mut wrong = Vec::new();
        visit_block(
            &decl.body,
            &mut |part| wrong.extend(names_at(part).filter(|name| !own(name) && of_process(name)).cloned()),
            &mut |_| {},
        );
        visit_block(&decl.body, &mut |_| {}, &mut |target| {
            if !own(&target.name) && of_process(&target.name) {
                wrong.push(target.name.clone());
            }
        });
        for name in &wrong {
            let process = self.process.clone().unwrap_or_default();
            let message =
                format!("`{}` belongs to the process `{process}`, which calls `{}`", name.name, decl.name.name);
            let diagnostic = Diagnostic::error("E0425", message).at(name.span, "not visible inside of a procedure");
            self.report(diagnostic.help("pass it as an argument"));
        }
        good && wrong.is_empty()
    }

    /// Whether a name is assigned inside of a block although it cannot be; it is reported.
    fn is_assigned(&mut self, name: &Ident, body: &Block, why: &str) -> bool {
        let mut wrong = Vec::new();
        visit_block(body, &mut |_| {}, &mut |target| {
            if target.name.name == name.name && target.indices.is_empty() && target.accessors.is_empty() {
                wrong.push(target.span);
            }
        });
        for &span in &wrong {
            self.report(Diagnostic::error("E0413", format!("`{}` cannot be assigned", name.name)).at(span, why));
        }
        !wrong.is_empty()
    }

    /// The body of a procedure with what a call passes.
    fn inlined(&mut self, name: &Ident, arguments: &[Expr], span: Span, calls: &mut Vec<String>) -> StmtKind {
        let body = self.called(name, arguments, span, calls);
        StmtKind::Choose(vec![body.unwrap_or_default()])
    }

    fn called(&mut self, name: &Ident, arguments: &[Expr], span: Span, calls: &mut Vec<String>) -> Option<Block> {
        let Some(decl) = self.tables.procedures.get(&name.name).cloned() else {
            let known = self.tables.procedures.keys().map(String::as_str);
            let diagnostic = Diagnostic::error("E0405", format!("no procedure is named `{}`", name.name))
                .at(name.span, "unknown procedure");
            return self.fail(match closest_name(&name.name, known) {
                Some(close) => diagnostic.help(format!("a similar name exists: `{close}`")),
                None => diagnostic.help("declare it: `procedure NAME(i : 0..3) { … }`"),
            });
        };
        if calls.contains(&name.name) {
            let message = format!("`{}` calls itself", name.name);
            let diagnostic = Diagnostic::error("E0417", message).at(name.span, "called from itself");
            return self.fail(diagnostic.also(decl.name.span, "declared here").help("write a loop"));
        }
        if decl.parameters.len() != arguments.len() {
            let (wanted, found) = (decl.parameters.len(), arguments.len());
            let diagnostic = Diagnostic::error("E0412", format!("`{}` takes {wanted} arguments", name.name))
                .at(span, format!("{found} given"));
            return self.fail(diagnostic.also(decl.name.span, "declared here"));
        }
        if !self.means_the_same(&decl, arguments) {
            return None;
        }
        let replacements = self.replacements(&decl, arguments)?;
        let copy = self.copy(&decl.body, span)?;
        let body = labelled(&replaced(&decl.body, &replacements), copy);
        self.check_unchanged(arguments, &decl, &body);
        calls.push(name.name.clone());
        let body = self.written_out(&body, calls);
        calls.pop();
        Some(body)
    }

    /// What stands for each parameter.
    fn replacements(&mut self, decl: &ProcedureDecl, arguments: &[Expr]) -> Option<Vec<(String, Replacement)>> {
        let mut all = Vec::new();
        let mut complete = true;
        for (at, (parameter, argument)) in decl.parameters.iter().zip(arguments).enumerate() {
            if let Some(first) = decl.parameters[..at].iter().find(|known| known.name.name == parameter.name.name) {
                self.report(crate::names::twice(&parameter.name, first.name.span));
                return None;
            }
            if !self.is_structured(&parameter.ty) {
                self.passed.push((argument.clone(), parameter.ty.clone()));
            }
            match self.replacement(parameter, argument, decl) {
                Some(replacement) => all.push((parameter.name.name.clone(), replacement)),
                None => complete = false,
            }
        }
        complete.then_some(all)
    }

    fn replacement(&mut self, parameter: &ParameterDecl, argument: &Expr, decl: &ProcedureDecl) -> Option<Replacement> {
        if !parameter.variable {
            let assigned = self.is_assigned(&parameter.name, &decl.body, "make it a `var` parameter");
            return (!assigned).then(|| Replacement::Value(argument.clone()));
        }
        match variable(argument) {
            Some((name, path)) if self.visible(&name.name).is_some() => Some(Replacement::Variable(name, path)),
            _ => {
                let message = format!("`{}` stands for a variable", parameter.name.name);
                let diagnostic = Diagnostic::error("E0425", message).at(argument.span, "no variable");
                self.fail(diagnostic.also(parameter.name.span, "a `var` parameter"))
            }
        }
    }

    /// What a call passes must not change during the call, or the place that is passed: it is put in wherever the parameter stands.
    fn check_unchanged(&mut self, arguments: &[Expr], decl: &ProcedureDecl, body: &Block) {
        let mut assigned = BTreeSet::new();
        visit_block(body, &mut |_| {}, &mut |target| {
            assigned.insert(target.name.name.clone());
        });
        for (argument, parameter) in arguments.iter().zip(&decl.parameters) {
            let parts: Vec<Expr> = match variable(argument) {
                Some((_, path)) if parameter.variable => path
                    .into_iter()
                    .filter_map(|accessor| match accessor {
                        Accessor::Index(index) => Some(index),
                        Accessor::Field(_) => None,
                    })
                    .collect(),
                _ => vec![argument.clone()],
            };
            for part in &parts {
                self.check_steady(part, &assigned, parameter);
            }
        }
    }

    fn check_steady(&mut self, part: &Expr, assigned: &BTreeSet<String>, parameter: &ParameterDecl) {
        let mut wrong: Option<(Span, &str)> = None;
        visit(part, &mut |part| {
            let why = match &part.kind {
                ExprKind::Name(name) | ExprKind::Index(name, _) => self.changes(name, assigned),
                ExprKind::Sugar(sugar) => match sugar.as_ref() {
                    ExprSugar::Path(name, _) => self.changes(name, assigned),
                    _ => None,
                },
                ExprKind::Field(who, ..) if self.visible(&who.name.name).is_some() => self.changes(&who.name, assigned),
                ExprKind::At(..) | ExprKind::Field(..) => Some("others may change it during the call"),
                _ => None,
            };
            if let (Some(why), None) = (why, wrong) {
                wrong = Some((part.span, why));
            }
        });
        if let Some((span, why)) = wrong {
            let message = format!("what `{}` stands for may change during the call", parameter.name.name);
            let help = "copy it into a variable of the process first, or declare the parameter as `var`";
            self.report(Diagnostic::error("E0425", message).at(span, why).help(help));
        }
    }

    /// Why the value of a name may change during a call.
    fn changes(&self, name: &Ident, assigned: &BTreeSet<String>) -> Option<&'static str> {
        self.visible(&name.name)?;
        let locals = self.process.as_ref().and_then(|process| self.tables.locals.get(process));
        if locals.is_none_or(|locals| !locals.contains_key(&name.name)) {
            return Some("others may change it during the call");
        }
        assigned.contains(&name.name).then_some("the procedure assigns it")
    }
}

/// The names that a part of an expression looks at itself.
fn names_at(part: &Expr) -> impl Iterator<Item = &Ident> {
    let name = match &part.kind {
        ExprKind::Name(name) | ExprKind::Index(name, _) => Some(name),
        ExprKind::Field(who, ..) => Some(&who.name),
        ExprKind::Sugar(sugar) => match sugar.as_ref() {
            ExprSugar::Path(name, _) => Some(name),
            _ => None,
        },
        _ => None,
    };
    name.into_iter()
}

fn names_in(expr: &Expr) -> Vec<Ident> {
    let mut names = Vec::new();
    visit(expr, &mut |part| names.extend(names_at(part).cloned()));
    names
}

/// The names that `for` and quantifiers bring in inside of a block, and whether it is a quantifier.
fn bound_in(block: &Block) -> Vec<(Ident, bool)> {
    let mut found = Vec::new();
    visit_block(
        block,
        &mut |part| {
            if let ExprKind::Sugar(sugar) = &part.kind
                && let ExprSugar::Quantified(_, binding, _) = sugar.as_ref()
            {
                found.extend(binding.names.iter().map(|name| (name.clone(), true)));
            }
        },
        &mut |_| {},
    );
    let mut open: Vec<&Block> = vec![block];
    while let Some(block) = open.pop() {
        for statement in block {
            if let StmtKind::Sugar(sugar) = &statement.kind
                && let StmtSugar::For(name, ..) = sugar.as_ref()
            {
                found.push((name.clone(), false));
            }
            open.extend(blocks(&statement.kind));
        }
    }
    found
}

/// What stands for a parameter or the number of a `for`.
enum Replacement {
    Value(Expr),
    Variable(Ident, Vec<Accessor>),
}

/// The variable that an expression is, with what follows its name.
fn variable(expr: &Expr) -> Option<(Ident, Vec<Accessor>)> {
    let indexed = |indices: &[Expr]| indices.iter().cloned().map(Accessor::Index).collect::<Vec<_>>();
    match &expr.kind {
        ExprKind::Name(name) => Some((name.clone(), Vec::new())),
        ExprKind::Index(name, indices) => Some((name.clone(), indexed(indices))),
        ExprKind::Field(who, field, indices) => {
            let mut path: Vec<Accessor> = who.index.iter().map(|index| Accessor::Index((**index).clone())).collect();
            path.push(Accessor::Field(field.clone()));
            path.extend(indexed(indices));
            Some((who.name.clone(), path))
        }
        ExprKind::Sugar(sugar) => match sugar.as_ref() {
            ExprSugar::Path(name, path) => Some((name.clone(), path.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// A block in which names stand for something else.
fn replaced(block: &Block, replacements: &[(String, Replacement)]) -> Block {
    let one = |part: &Expr| replaced_part(part, replacements);
    rewrite::block(block, &one, &|target| replaced_target(target, replacements))
}

fn replaced_expr(expr: &Expr, replacements: &[(String, Replacement)]) -> Expr {
    rewrite::expr(expr, &|part| replaced_part(part, replacements))
}

fn replaced_part(part: &Expr, replacements: &[(String, Replacement)]) -> Option<Expr> {
    let found = |name: &Ident| replacements.iter().find(|(known, _)| *known == name.name).map(|(_, other)| other);
    let (name, path) = variable(part)?;
    let rest = || rewrite::accessors(&path, &mut |index| replaced_expr(index, replacements));
    match found(&name)? {
        Replacement::Value(value) if path.is_empty() => Some(value.clone()),
        // A record or an array that is passed by value is a variable that does not change.
        Replacement::Value(value) => {
            let (name, before) = variable(value)?;
            Some(read(&name, before.into_iter().chain(rest()).collect(), part.span))
        }
        Replacement::Variable(name, before) => {
            Some(read(name, before.iter().cloned().chain(rest()).collect(), part.span))
        }
    }
}

/// A variable with what follows its name, in the form in which the parser would have it.
fn read(name: &Ident, path: Vec<Accessor>, span: Span) -> Expr {
    let plain: Option<Vec<Expr>> = path
        .iter()
        .map(|accessor| match accessor {
            Accessor::Index(index) => Some(index.clone()),
            Accessor::Field(_) => None,
        })
        .collect();
    let kind = match plain {
        Some(indices) if indices.is_empty() => ExprKind::Name(name.clone()),
        Some(indices) => ExprKind::Index(name.clone(), indices),
        None => ExprKind::Sugar(Box::new(ExprSugar::Path(name.clone(), path))),
    };
    Expr { kind, span }
}

fn replaced_target(target: &Target, replacements: &[(String, Replacement)]) -> Target {
    let own = target.indices.iter().cloned().map(Accessor::Index).chain(target.accessors.iter().cloned());
    let own: Vec<Accessor> = own.collect();
    let own = rewrite::accessors(&own, &mut |index| replaced_expr(index, replacements));
    let known = replacements.iter().find(|(known, _)| *known == target.name.name);
    let (name, path) = match known {
        Some((_, Replacement::Variable(name, before))) => (name.clone(), before.iter().cloned().chain(own).collect()),
        _ => (target.name.clone(), own),
    };
    let first_field = path.iter().position(|accessor| matches!(accessor, Accessor::Field(_))).unwrap_or(path.len());
    let accessors = path[first_field..].to_vec();
    let indices = path.into_iter().take(first_field).filter_map(|accessor| match accessor {
        Accessor::Index(index) => Some(index),
        Accessor::Field(_) => None,
    });
    Target { name, indices: indices.collect(), accessors, span: target.span }
}

/// A copy of a block whose labels are its own.
fn labelled(block: &Block, copy: usize) -> Block {
    let mut labels = BTreeSet::new();
    labels_of(block, &mut labels);
    relabelled(block, &labels, copy)
}

fn labels_of(block: &Block, labels: &mut BTreeSet<String>) {
    for statement in block {
        labels.extend(statement.labels.iter().map(|label| label.name.clone()));
        blocks(&statement.kind).into_iter().for_each(|body| labels_of(body, labels));
    }
}

/// How many statements a block has.
fn statements(block: &Block) -> usize {
    let (mut count, mut open) = (0, vec![block]);
    while let Some(block) = open.pop() {
        count += block.len();
        open.extend(block.iter().flat_map(|statement| blocks(&statement.kind)));
    }
    count
}

/// The blocks inside a statement.
fn blocks(kind: &StmtKind) -> Vec<&Block> {
    match kind {
        StmtKind::If(branches, otherwise) => branches.iter().map(|(_, body)| body).chain(otherwise).collect(),
        StmtKind::While(_, body) | StmtKind::Loop(body) | StmtKind::Atomic(body) => vec![body],
        StmtKind::Choose(branches) => branches.iter().collect(),
        StmtKind::Sugar(sugar) => match sugar.as_ref() {
            StmtSugar::For(_, _, body) => vec![body],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn relabelled(block: &Block, labels: &BTreeSet<String>, copy: usize) -> Block {
    let named = |label: &Ident| Ident { name: format!("{}{COPY}{copy}", label.name), span: label.span };
    let inner = |body: &Block| relabelled(body, labels, copy);
    let kind = |kind: &StmtKind| match kind {
        StmtKind::Goto(label) if labels.contains(&label.name) => StmtKind::Goto(named(label)),
        StmtKind::If(branches, otherwise) => StmtKind::If(
            branches.iter().map(|(condition, body)| (condition.clone(), inner(body))).collect(),
            otherwise.as_ref().map(inner),
        ),
        StmtKind::While(condition, body) => StmtKind::While(condition.clone(), inner(body)),
        StmtKind::Loop(body) => StmtKind::Loop(inner(body)),
        StmtKind::Choose(branches) => StmtKind::Choose(branches.iter().map(inner).collect()),
        StmtKind::Atomic(body) => StmtKind::Atomic(inner(body)),
        StmtKind::Sugar(sugar) => match sugar.as_ref() {
            StmtSugar::For(name, range, body) => {
                StmtKind::Sugar(Box::new(StmtSugar::For(name.clone(), range.clone(), inner(body))))
            }
            _ => kind.clone(),
        },
        _ => kind.clone(),
    };
    let one = |known: &Stmt| Stmt {
        labels: known.labels.iter().map(named).collect(),
        kind: kind(&known.kind),
        span: known.span,
    };
    block.iter().map(one).collect()
}

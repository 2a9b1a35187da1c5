//! Where can control be in a process, and which statement leads where?
//!
//! Every statement is one step; tests of `if` and `while` are steps of their own; `loop`, `choose` and `goto` add
//! none. So some points of the text are the same place (the head of a loop and its first statement), and some
//! are several places at once (a `choose` stands before the first statement of every branch). Points are first joined by
//! silent moves, which are then removed: a point takes over the steps of all points it silently reaches.
//!
//! Done once per process declaration; members of a family share the result. Not here: what the statements mean.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span};

use crate::ast::{Assignment, Block, Expr, Ident, ProcessDecl, Stmt, StmtKind};

/// What a step does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Doing<'a> {
    Skip,
    Assign(&'a Assignment),
    /// Waits for the condition, or for its negation.
    Test(&'a Expr, bool),
    Assert(&'a Expr),
    When(&'a Expr, Option<&'a Assignment>),
}

/// A step between two places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowStep<'a> {
    pub source: usize,
    pub target: usize,
    pub doing: Doing<'a>,
    pub span: Span,
}

/// A place where control can rest, if only for a moment.
#[derive(Clone, Debug)]
pub(crate) struct FlowPlace<'a> {
    pub labels: Vec<&'a str>,
    /// Inside `atomic`.
    pub inside: bool,
    /// The end of the process is silently reached.
    pub end: bool,
    pub span: Span,
}

/// The control flow of one process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow<'a> {
    pub places: Vec<FlowPlace<'a>>,
    pub steps: Vec<FlowStep<'a>>,
    pub entry: usize,
    /// The places at which a label is; none if it is inside `atomic` or never reached.
    pub labels: BTreeMap<&'a str, Vec<usize>>,
    /// The labels that no way leads to; what is inside `atomic` is not among them.
    pub unreached: BTreeSet<&'a str>,
}

/// A point of the text, before silent moves are removed.
#[derive(Debug)]
struct Point<'a> {
    silent: Vec<usize>,
    steps: Vec<(usize, Doing<'a>, Span)>,
    labels: Vec<&'a str>,
    /// The outermost `atomic` around it.
    block: Option<usize>,
    span: Span,
}

#[derive(Default)]
struct Builder<'a> {
    points: Vec<Point<'a>>,
    /// By their names, in which copies of blocks have numbers.
    labels: HashMap<&'a str, (usize, Span)>,
    /// Where labels stand in the text, by their names without numbers.
    texts: HashMap<&'a str, Span>,
    jumps: Vec<(usize, &'a Ident)>,
    blocks: usize,
    diagnostics: Vec<Diagnostic>,
}

/// The control flow of a process, and what is wrong with it.
pub(crate) fn flow_of(process: &ProcessDecl) -> (Flow<'_>, Vec<Diagnostic>) {
    let mut builder = Builder::default();
    let entry = builder.point(None, process.body.first().map_or(process.end, |first| first.span));
    let end = builder.point(None, process.end);
    builder.block(&process.body, entry, end, end, None);
    builder.resolve_jumps();
    let flow = builder.finish(entry, end);
    (flow, builder.diagnostics)
}

impl<'a> Builder<'a> {
    fn point(&mut self, block: Option<usize>, span: Span) -> usize {
        self.points.push(Point { silent: Vec::new(), steps: Vec::new(), labels: Vec::new(), block, span });
        self.points.len() - 1
    }

    fn step(&mut self, from: usize, to: usize, doing: Doing<'a>, span: Span) {
        self.points[from].steps.push((to, doing, span));
    }

    /// Statements from one point to another; `end` is the process's end.
    fn block(&mut self, block: &'a Block, from: usize, to: usize, end: usize, inside: Option<usize>) {
        if block.is_empty() {
            self.points[from].silent.push(to);
        }
        let mut at = from;
        for (position, statement) in block.iter().enumerate() {
            let next = match block.get(position + 1) {
                Some(following) => self.point(inside, following.span),
                None => to,
            };
            self.statement(statement, at, next, end, inside);
            at = next;
        }
    }

    fn label(&mut self, label: &'a Ident, at: usize) {
        // Copies of one block have the same label in the same place of the text.
        let name = plain_label(&label.name);
        let other = self.texts.get(name).copied().filter(|&first| first != label.span);
        let again = self.labels.get(label.name.as_str()).map(|&(_, first)| first);
        if let Some(first) = other.or(again) {
            let diagnostic = Diagnostic::error("E0406", format!("label `{name}` is set twice"));
            self.diagnostics.push(diagnostic.at(label.span, "set again here").also(first, "first set here"));
            return;
        }
        self.texts.insert(name, label.span);
        self.labels.insert(&label.name, (at, label.span));
        self.points[at].labels.push(name);
    }

    fn statement(&mut self, statement: &'a Stmt, at: usize, next: usize, end: usize, inside: Option<usize>) {
        for label in &statement.labels {
            self.label(label, at);
        }
        let span = statement.span;
        match &statement.kind {
            StmtKind::Skip => self.step(at, next, Doing::Skip, span),
            StmtKind::Assign(assignment) => self.step(at, next, Doing::Assign(assignment), span),
            StmtKind::Await(condition) => self.step(at, next, Doing::Test(condition, true), span),
            StmtKind::Assert(condition) => self.step(at, next, Doing::Assert(condition), span),
            StmtKind::When(condition, assignment) => {
                self.step(at, next, Doing::When(condition, assignment.as_ref()), span);
            }
            StmtKind::Stop => self.step(at, end, Doing::Skip, span),
            StmtKind::Goto(label) => self.jumps.push((at, label)),
            StmtKind::Loop(body) => self.block(body, at, at, end, inside),
            StmtKind::While(condition, body) => {
                self.branch(condition, body, at, at, end, inside);
                self.step(at, next, Doing::Test(condition, false), condition.span);
            }
            StmtKind::If(branches, otherwise) => {
                self.branches(branches, otherwise.as_ref(), at, next, end, inside);
            }
            StmtKind::Choose(blocks) => {
                for block in blocks {
                    let entry = self.point(inside, block.first().map_or(span, |first| first.span));
                    self.points[at].silent.push(entry);
                    self.block(block, entry, next, end, inside);
                }
            }
            // Expanded, or a mistake has been reported.
            StmtKind::Sugar(_) => self.step(at, next, Doing::Skip, span),
            StmtKind::Atomic(body) if body.is_empty() => self.step(at, next, Doing::Skip, span),
            StmtKind::Atomic(body) => {
                let block = inside.unwrap_or(self.blocks);
                self.blocks += 1;
                let entry = self.point(Some(block), body[0].span);
                self.points[at].silent.push(entry);
                self.block(body, entry, next, end, Some(block));
            }
        }
    }

    /// The step into a block when `condition` holds.
    fn branch(
        &mut self,
        condition: &'a Expr,
        body: &'a Block,
        at: usize,
        to: usize,
        end: usize,
        inside: Option<usize>,
    ) {
        let entry = match body.first() {
            Some(first) => self.point(inside, first.span),
            None => to,
        };
        self.step(at, entry, Doing::Test(condition, true), condition.span);
        if !body.is_empty() {
            self.block(body, entry, to, end, inside);
        }
    }

    fn branches(
        &mut self,
        branches: &'a [(Expr, Block)],
        otherwise: Option<&'a Block>,
        mut at: usize,
        next: usize,
        end: usize,
        inside: Option<usize>,
    ) {
        for (position, (condition, body)) in branches.iter().enumerate() {
            self.branch(condition, body, at, next, end, inside);
            let other = match (branches.get(position + 1), otherwise) {
                (Some((following, _)), _) => self.point(inside, following.span),
                (None, Some(block)) if !block.is_empty() => self.point(inside, block[0].span),
                (None, _) => next,
            };
            self.step(at, other, Doing::Test(condition, false), condition.span);
            at = other;
        }
        if let Some(block) = otherwise.filter(|block| !block.is_empty()) {
            self.block(block, at, next, end, inside);
        }
    }

    fn resolve_jumps(&mut self) {
        for (from, label) in std::mem::take(&mut self.jumps) {
            let Some(&(to, set_at)) = self.labels.get(label.name.as_str()) else {
                self.diagnostics.push(self.no_label(label));
                continue;
            };
            let into = self.points[to].block;
            if into.is_some() && into != self.points[from].block {
                let diagnostic = Diagnostic::error("E0419", "`goto` into an `atomic` block")
                    .at(label.span, "jumps into the middle of one step")
                    .also(set_at, "this label is inside `atomic`");
                self.diagnostics.push(diagnostic);
                continue;
            }
            self.points[from].silent.push(to);
        }
    }

    /// The message for a jump to a label that is not there, or is inside of a block that is copied.
    fn no_label(&self, label: &Ident) -> Diagnostic {
        let name = plain_label(&label.name);
        if let Some(&set_at) = self.texts.get(name) {
            return Diagnostic::error("E0411", format!("`goto` into a `for` or a procedure: `{name}`"))
                .at(label.span, "each pass and each call has a label of its own")
                .also(set_at, "set here");
        }
        let mut known: Vec<&str> = self.texts.keys().copied().collect();
        known.sort_unstable();
        unknown_label(name, label.span, &known)
    }

    /// The point that stands for another because it does nothing but move on silently.
    ///
    /// The entry of an `atomic` block stays apart from the inside: there others may step, inside they may not.
    fn stand_ins(&self) -> Vec<usize> {
        let forward = |at: usize| match self.points[at].silent[..] {
            [to] if self.points[at].steps.is_empty() => {
                (self.points[at].block.is_some() || self.points[to].block.is_none()).then_some(to)
            }
            _ => None,
        };
        let mut stand_in: Vec<Option<usize>> = vec![None; self.points.len()];
        let mut visited_from = vec![usize::MAX; self.points.len()];
        for start in 0..self.points.len() {
            let (mut path, mut at) = (Vec::new(), start);
            // A point met twice on one path is a circle; it then stands for itself and is reported later.
            while stand_in[at].is_none() && visited_from[at] != start {
                visited_from[at] = start;
                path.push(at);
                let Some(to) = forward(at) else { break };
                at = to;
            }
            let last = stand_in[at].unwrap_or(at);
            path.into_iter().for_each(|point| stand_in[point] = Some(last));
        }
        stand_in.into_iter().enumerate().map(|(at, last)| last.unwrap_or(at)).collect()
    }

    fn finish(&mut self, entry: usize, end: usize) -> Flow<'a> {
        let stand_in = self.stand_ins();
        let closures = self.closures(&stand_in);
        let (reached, used) = self.reached(stand_in[entry], &closures, &stand_in);
        self.warn_unused(&used, &stand_in, end);
        let mut order: Vec<usize> = (0..self.points.len()).filter(|&point| reached[point] && point != end).collect();
        // The end is made early so that it can be jumped to, but it reads best as the last place.
        order.extend(reached[end].then_some(end));
        let mut number = vec![0; self.points.len()];
        order.iter().enumerate().for_each(|(position, &point)| number[point] = position);
        let mut flow = Flow { entry: number[stand_in[entry]], ..Flow::default() };
        flow.labels = self.texts.keys().map(|&label| (label, Vec::new())).collect();
        let labels = self.labels_of(&stand_in);
        for &point in &order {
            self.emit(point, &closures[point], &labels, end, &mut flow);
        }
        for step in &mut flow.steps {
            step.target = number[stand_in[step.target]];
        }
        let outside = |&(label, &(at, _)): &(&&'a str, &(usize, Span))| {
            self.points[at].block.is_none() && flow.labels[plain_label(label)].is_empty()
        };
        flow.unreached = self.labels.iter().filter(outside).map(|(&label, _)| plain_label(label)).collect();
        flow
    }

    /// Which points control can rest at, and which points' statements can be executed.
    fn reached(&self, entry: usize, closures: &[Vec<usize>], stand_in: &[usize]) -> (Vec<bool>, Vec<bool>) {
        let (mut reached, mut used) = (vec![false; self.points.len()], vec![false; self.points.len()]);
        let mut open = vec![entry];
        reached[entry] = true;
        while let Some(at) = open.pop() {
            for &part in &closures[at] {
                used[part] = true;
                for &(to, ..) in &self.points[part].steps {
                    if !std::mem::replace(&mut reached[stand_in[to]], true) {
                        open.push(stand_in[to]);
                    }
                }
            }
        }
        (reached, used)
    }

    fn labels_of(&self, stand_in: &[usize]) -> Vec<Vec<&'a str>> {
        let mut labels = vec![Vec::new(); self.points.len()];
        for (at, point) in self.points.iter().enumerate() {
            labels[stand_in[at]].extend(point.labels.iter().copied());
        }
        labels
    }

    /// Adds a place and its steps; targets are still points.
    fn emit(&self, point: usize, closure: &[usize], labels: &[Vec<&'a str>], end: usize, flow: &mut Flow<'a>) {
        let source = flow.places.len();
        let inside = self.points[point].block.is_some();
        let here: Vec<&str> = closure.iter().flat_map(|&part| labels[part].iter().copied()).collect();
        for &label in here.iter().filter(|_| !inside) {
            flow.labels.entry(label).or_default().push(source);
        }
        let span = self.points[point].span;
        flow.places.push(FlowPlace { labels: here, inside, end: closure.contains(&end), span });
        for &part in closure {
            let steps = self.points[part].steps.iter();
            flow.steps.extend(steps.map(|&(target, doing, span)| FlowStep { source, target, doing, span }));
        }
    }

    /// For every point that stands for itself: the points it silently reaches, in the order of the text.
    fn closures(&mut self, stand_in: &[usize]) -> Vec<Vec<usize>> {
        let mut closures = vec![Vec::new(); self.points.len()];
        let mut seen_from = vec![usize::MAX; self.points.len()];
        for start in (0..self.points.len()).filter(|&point| stand_in[point] == point) {
            let mut open = vec![start];
            let mut circle = false;
            while let Some(at) = open.pop() {
                if std::mem::replace(&mut seen_from[at], start) == start {
                    continue;
                }
                closures[start].push(at);
                let onward = self.points[at].silent.iter().rev().map(|&to| stand_in[to]);
                open.extend(onward.inspect(|&to| circle |= to == start));
            }
            if circle {
                self.endless(start);
            }
        }
        closures
    }

    fn endless(&mut self, point: usize) {
        let diagnostic = Diagnostic::error("E0414", "this goes round for ever without a step")
            .at(self.points[point].span, "comes back here without doing anything")
            .note("`loop`, `choose` and `goto` are not steps themselves")
            .help("put a statement inside, for example `skip`");
        self.diagnostics.push(diagnostic);
    }

    fn warn_unused(&mut self, used: &[bool], stand_in: &[usize], end: usize) {
        // A jump that leads nowhere makes what follows look unreached.
        if !self.diagnostics.is_empty() {
            return;
        }
        let mut before_unused = false;
        for at in 0..self.points.len() {
            let own = at != end && !self.points[at].steps.is_empty();
            let unused = own && stand_in[at] == at && !used[at];
            if unused && !before_unused {
                let diagnostic = Diagnostic::warning("W0401", "this statement can never be reached")
                    .at(self.points[at].span, "no way leads here");
                self.diagnostics.push(diagnostic);
            }
            before_unused = unused || (before_unused && !own);
        }
    }
}

/// The name of a label without the number of the copy that it is in.
fn plain_label(name: &str) -> &str {
    name.split(crate::expand::COPY).next().unwrap_or(name)
}

/// The message for a label that is not there.
pub(crate) fn unknown_label(name: &str, span: Span, known: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::error("E0411", format!("no label is named `{name}`")).at(span, "unknown label");
    match closest_name(name, known.iter().copied()) {
        Some(close) => diagnostic.help(format!("a label with a similar name exists: `{close}`")),
        None if known.is_empty() => diagnostic.note("the process has no labels"),
        None => diagnostic.note(format!("its labels are: {}", known.join(", "))),
    }
}

//! The members of a family that the question does not name: how many are where?
//!
//! For every place of the family's text, and for every value of its small variables, a number is kept of the members there. One process
//! takes their steps: from a place where somebody is, with any values of what is not small and with any number that none of the named members
//! has. Nobody's number or large variables are remembered, so such steps may be more than the members can take; never fewer.

use std::collections::BTreeMap;

use tertium_base::Span;
use tertium_base::narrow::to_usize;
use tertium_program::{InitialValue, Type, VarId};

use super::Refused;
use super::lemma::{Lemma, Stepping, cell_name};
use super::one_program::{all, compare, ident, int, name, number, remaining, sum};
use super::size_dependence::{Family, SizeDependence, refused};
use crate::ast::{
    Assignment, Block, Comparison, Expr, ExprKind, Ident, Initial, Item, ProcessDecl, Source, Stmt, StmtKind, Target,
    TypeExpr, TypeKind, VarDecl,
};
use crate::flow::{Doing, Flow, FlowStep, flow_of};
use crate::names::{Elaborator, Entity};
use crate::rewrite;

/// A family has at most this many numbers.
const MOST_COUNTED: usize = 64;
/// A variable with more values than this is not small.
const MOST_VALUES: usize = 16;

/// The others as declarations, and what holds of them at the start.
pub(super) struct Counted {
    pub items: Vec<Item>,
    pub conditions: Vec<Expr>,
    pub exact: bool,
}

/// A variable of a member.
struct Own {
    name: Ident,
    ty: TypeExpr,
    /// Its values, if it is small; else none.
    values: Vec<Expr>,
    /// Which of them it starts with; none for any.
    initial: Option<usize>,
    /// A value to rest at between steps.
    rest: Expr,
}

/// Everything about one family.
struct Others<'a> {
    text: &'a str,
    family: &'a Family<'a>,
    own: Vec<Own>,
    shape: &'a SizeDependence<'a>,
    lemmas: &'a [Lemma],
    /// All combinations of the values of small variables, by position.
    valuations: Vec<Vec<usize>>,
    /// For every place whether somebody there is counted.
    leaves: Vec<bool>,
    /// Blocks that are one step, by where they stand.
    blocks: BTreeMap<(usize, usize), Block>,
}

pub(super) fn counted(
    text: &str,
    (shape, lemmas): (&SizeDependence<'_>, &[Lemma]),
    family: &Family<'_>,
    least: &Elaborator<'_>,
) -> Result<Counted, Refused> {
    let mut blocks = BTreeMap::new();
    let mut decl = family.decl.clone();
    decl.body = flat(&decl.body, &mut blocks)?;
    let (flow, _) = flow_of(&decl);
    let mut own = own_variables(shape, family, least)?;
    let leaves: Vec<bool> =
        (0..flow.places.len()).map(|place| flow.steps.iter().any(|step| step.source == place)).collect();
    let places = leaves.iter().filter(|&&leaves| leaves).count();
    let mut count = places.max(1);
    for variable in &mut own {
        let many = count.saturating_mul(variable.values.len().max(1));
        if many > MOST_COUNTED {
            variable.values.clear();
        } else {
            count = many;
        }
    }
    let exact = own.iter().all(|variable| !variable.values.is_empty());
    let valuations = valuations(&own);
    let others = Others { text, family, own, shape, lemmas, valuations, leaves, blocks };
    let conditions = others.at_the_start(&flow);
    Ok(Counted { items: others.items(&flow, &conditions.0), conditions: conditions.1, exact })
}

/// A block without blocks that are one step: these become one statement, and are kept aside.
fn flat(block: &Block, blocks: &mut BTreeMap<(usize, usize), Block>) -> Result<Block, Refused> {
    let mut found = Vec::new();
    for statement in block {
        let kind = match &statement.kind {
            StmtKind::Atomic(body) => {
                closed(body)?;
                blocks.insert((statement.span.start, statement.span.end), body.clone());
                StmtKind::Skip
            }
            StmtKind::If(branches, otherwise) => {
                let branches = branches.iter().map(|(condition, body)| Ok((condition.clone(), flat(body, blocks)?)));
                let branches = branches.collect::<Result<Vec<_>, Refused>>()?;
                StmtKind::If(branches, otherwise.as_ref().map(|body| flat(body, blocks)).transpose()?)
            }
            StmtKind::While(condition, body) => StmtKind::While(condition.clone(), flat(body, blocks)?),
            StmtKind::Loop(body) => StmtKind::Loop(flat(body, blocks)?),
            StmtKind::Choose(branches) => {
                StmtKind::Choose(branches.iter().map(|body| flat(body, blocks)).collect::<Result<_, _>>()?)
            }
            other => other.clone(),
        };
        found.push(Stmt { labels: statement.labels.clone(), kind, span: statement.span });
    }
    Ok(found)
}

/// Whether nothing jumps out of a block.
fn closed(block: &Block) -> Result<(), Refused> {
    let mut labels: Vec<&str> = Vec::new();
    let mut jumps: Vec<(&str, Span)> = Vec::new();
    let mut open: Vec<&Block> = vec![block];
    while let Some(block) = open.pop() {
        for statement in block {
            labels.extend(statement.labels.iter().map(|label| label.name.as_str()));
            match &statement.kind {
                StmtKind::Goto(label) => jumps.push((&label.name, label.span)),
                StmtKind::Stop => jumps.push(("", statement.span)),
                StmtKind::If(branches, otherwise) => {
                    open.extend(branches.iter().map(|(_, body)| body).chain(otherwise));
                }
                StmtKind::While(_, body) | StmtKind::Loop(body) | StmtKind::Atomic(body) => open.push(body),
                StmtKind::Choose(branches) => open.extend(branches),
                _ => {}
            }
        }
    }
    match jumps.into_iter().find(|(label, _)| !labels.contains(label)) {
        Some((_, span)) => Err(refused("a jump out of an `atomic` block", span, "looked at size by size only")),
        None => Ok(()),
    }
}

/// The variables of a member: its locals, and its cells of arrays.
fn own_variables(shape: &SizeDependence<'_>, family: &Family<'_>, least: &Elaborator<'_>) -> Result<Vec<Own>, Refused> {
    let group = least.groups.iter().find(|group| group.decl.name.name == family.decl.name.name);
    let member = group.and_then(|group| group.processes.first());
    let mut found = Vec::new();
    for decl in &family.decl.locals {
        for local in &decl.names {
            let position = group.and_then(|group| group.locals.get(local.name.as_str()).copied());
            let var = member.zip(position).and_then(|(&process, at)| least.program.process(process).locals.get(at));
            found.push(own(shape, family, least, (local, decl, &decl.ty), var.copied())?);
        }
    }
    for &(array, decl) in &family.owned {
        let TypeKind::Array(_, inner) = &decl.ty.kind else { continue };
        let var = match least.globals.get(array.name.as_str()) {
            Some(&(Entity::Var(var), _)) => Some(var),
            _ => None,
        };
        let cell = ident(cell_name(&array.name), array.span);
        found.push(own(shape, family, least, (&cell, decl, inner), var)?);
    }
    Ok(found)
}

fn own(
    shape: &SizeDependence<'_>,
    family: &Family<'_>,
    least: &Elaborator<'_>,
    (local, decl, ty): (&Ident, &VarDecl, &TypeExpr),
    var: Option<VarId>,
) -> Result<Own, Refused> {
    let span = local.span;
    if matches!(shape.resolved(ty).kind, TypeKind::Array(..)) {
        return Err(refused(
            format!("`{}` is an array of each member", local.name),
            span,
            "looked at size by size only",
        ));
    }
    let wide = shape.type_depends(ty);
    let told = if wide { TypeExpr { kind: TypeKind::Int, span: ty.span } } else { ty.clone() };
    let variable = var.map(|var| least.program.variable(var));
    let literal = |value: i64| match variable.map(|variable| variable.ty) {
        Some(Type::Bool) => Expr { kind: ExprKind::Bool(value != 0), span },
        Some(Type::Enum(id)) => {
            let members = &least.program.enumeration(id).members;
            name(members.get(to_usize(value)).map_or("", String::as_str), span)
        }
        _ => int(value, span),
    };
    let bounds = variable.map_or((None, None), |variable| least.program.bounds(variable.ty));
    let (lo, hi) = match (bounds, wide) {
        ((Some(lo), Some(hi)), false) => (lo, hi),
        _ => return Ok(Own { name: local.clone(), ty: told, values: Vec::new(), initial: None, rest: int(0, span) }),
    };
    let all: Vec<i64> = (lo..=hi).take(MOST_VALUES + 1).collect();
    let mut computed = false;
    if let Some(Initial::Same(value)) = &decl.initial {
        rewrite::visit(value, &mut |part| {
            computed |= matches!(&part.kind, ExprKind::Name(known) if known.name == family.index.name);
        });
        computed |= shape.depends(value);
    }
    let initial = variable.and_then(|variable| match &variable.initial {
        InitialValue::Same(value) => all.iter().position(|known| known == value),
        _ => None,
    });
    let small = all.len() <= MOST_VALUES && !computed;
    let rest = literal(all.first().copied().unwrap_or(0));
    let values = if small { all.into_iter().map(literal).collect() } else { Vec::new() };
    Ok(Own { name: local.clone(), ty: told, values, initial, rest })
}

/// All combinations of values; variables that are not small have none.
fn valuations(own: &[Own]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new()];
    for variable in own {
        let choices = variable.values.len().max(1);
        let longer = |row: &Vec<usize>| (0..choices).map(|at| [row.as_slice(), &[at]].concat()).collect::<Vec<_>>();
        found = found.iter().flat_map(longer).collect();
    }
    found
}

/// Counters with values at the start that are not nought.
type Started = Vec<String>;

impl Others<'_> {
    fn span(&self) -> Span {
        self.family.decl.name.span
    }

    /// The variable that holds how many members are at a place with some values.
    fn counter(&self, flow: &Flow<'_>, place: usize, valuation: usize) -> String {
        let at = &flow.places[place];
        let unique = |label: &&&str| flow.places.iter().filter(|other| other.labels.contains(*label)).count() == 1;
        let shown = at.labels.iter().find(unique).map_or_else(
            || {
                let before = &self.text[..at.span.start];
                let line = before.matches('\n').count() + 1;
                let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
                format!("{line}:{column}/{place}")
            },
            |label| (*label).to_owned(),
        );
        let small = self.own.iter().zip(&self.valuations[valuation]).filter(|(own, _)| !own.values.is_empty());
        let values: Vec<String> =
            small.map(|(own, &at)| format!("{}={}", own.name.name, shown_value(&own.values[at]))).collect();
        let values = if values.is_empty() { String::new() } else { format!("[{}]", values.join(",")) };
        format!("#{}@{shown}{values}", self.family.decl.name.name)
    }

    fn counters(&self, flow: &Flow<'_>) -> Vec<String> {
        let places = (0..flow.places.len()).filter(|&place| self.leaves[place]);
        places.flat_map(|place| (0..self.valuations.len()).map(move |at| self.counter(flow, place, at))).collect()
    }

    /// All others are where the family's text begins.
    fn at_the_start(&self, flow: &Flow<'_>) -> (Started, Vec<Expr>) {
        let span = self.span();
        let rest = remaining(self.family, span);
        let mut conditions = vec![compare(Comparison::Ge, rest.clone(), int(0, span))];
        if !self.leaves.get(flow.entry).copied().unwrap_or(false) {
            return (Vec::new(), conditions);
        }
        let begins = |valuation: &Vec<usize>| {
            self.own
                .iter()
                .zip(valuation)
                .all(|(own, &at)| own.values.is_empty() || own.initial.is_none_or(|initial| initial == at))
        };
        let started: Started = (0..self.valuations.len())
            .filter(|&at| begins(&self.valuations[at]))
            .map(|at| self.counter(flow, flow.entry, at))
            .collect();
        let mut parts = started.iter().map(|counter| name(counter, span));
        if let Some(first) = parts.next() {
            let total = sum(first, parts.map(|part| (false, part)).collect());
            conditions.push(compare(Comparison::Eq, total, rest));
        }
        (started, conditions)
    }

    fn items(&self, flow: &Flow<'_>, started: &Started) -> Vec<Item> {
        let span = self.span();
        let mut items = Vec::new();
        for counter in self.counters(flow) {
            let initial = (!started.contains(&counter)).then(|| Initial::Same(int(0, span)));
            let ty = TypeExpr { kind: TypeKind::Nat, span };
            items.push(Item::Var(VarDecl { names: vec![ident(counter, span)], ty, initial }));
        }
        let mut ways: Vec<Block> = Vec::new();
        for step in &flow.steps {
            ways.extend((0..self.valuations.len()).map(|valuation| vec![self.way(flow, step, valuation)]));
        }
        let nobody = self
            .counters(flow)
            .iter()
            .map(|counter| compare(Comparison::Eq, name(counter, span), int(0, span)))
            .collect();
        let ended = plain(StmtKind::When(all(nobody, span), None), span);
        ways.push(vec![ended, plain(StmtKind::Stop, span)]);
        let body = vec![plain(StmtKind::Loop(vec![plain(StmtKind::Choose(ways), span)]), span)];
        let mut locals: Vec<VarDecl> = self
            .own
            .iter()
            .map(|own| VarDecl {
                names: vec![own.name.clone()],
                ty: own.ty.clone(),
                initial: Some(Initial::Same(own.rest.clone())),
            })
            .collect();
        let number = TypeExpr { kind: TypeKind::Int, span };
        locals.push(VarDecl {
            names: vec![self.family.index.clone()],
            ty: number,
            initial: Some(Initial::Same(int(0, span))),
        });
        let named = format!("{}[other]", self.family.decl.name.name);
        let decl = ProcessDecl {
            name: ident(named, span),
            family: None,
            locals,
            body,
            end: self.family.decl.end,
            passed: Vec::new(),
        };
        items.push(Item::Process(Box::new(decl)));
        items
    }

    /// One member takes a step: from a place, with some values of its small variables.
    fn way(&self, flow: &Flow<'_>, step: &FlowStep<'_>, valuation: usize) -> Stmt {
        let span = step.span;
        let doing = self.doing(step);
        let index = &self.family.index.name;
        let (mut read, mut written): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut see = |part: &Expr| {
            if let ExprKind::Name(known) = &part.kind {
                read.push(known.name.clone());
            }
        };
        rewrite::visit_block(&doing, &mut see, &mut |target| written.push(target.name.name.clone()));
        let said = self.said(flow, step.source);
        said.iter().for_each(|condition| rewrite::visit(condition, &mut see));
        let here = self.counter(flow, step.source, valuation);
        let assign = |to: &Ident, from: Source| {
            let target = Target { name: to.clone(), indices: Vec::new(), accessors: Vec::new(), span };
            plain(StmtKind::Assign(Assignment { targets: vec![target], sources: vec![from] }), span)
        };
        let used = |name: &str| read.iter().chain(&written).any(|known| known == name);
        let mut body = vec![plain(StmtKind::Await(compare(Comparison::Gt, name(&here, span), int(0, span))), span)];
        let mut resting = Vec::new();
        for (own, &at) in self.own.iter().zip(&self.valuations[valuation]).filter(|(own, _)| used(&own.name.name)) {
            let from = own.values.get(at).map_or(Source::Any(span), |value| Source::Value(value.clone()));
            body.push(assign(&own.name, from));
            resting.push(assign(&own.name, Source::Value(own.rest.clone())));
        }
        if used(index) {
            body.push(assign(self.family.index, Source::Within(self.family.range.clone(), span)));
            let own = |at: usize| compare(Comparison::Ne, name(index, span), number(self.family, at, span));
            body.push(plain(StmtKind::Await(all((1..=self.family.count).map(own).collect(), span)), span));
            resting.push(assign(self.family.index, Source::Value(int(0, span))));
        }
        body.extend(said.into_iter().map(|condition| plain(StmtKind::Await(condition), span)));
        body.extend(doing);
        body.extend(self.arrival(flow, step, valuation, &written));
        body.extend(resting);
        plain(StmtKind::Atomic(body), span)
    }

    /// What is taken to hold when a member steps from a place.
    fn said(&self, flow: &Flow<'_>, place: usize) -> Vec<Expr> {
        let labels: Vec<&str> =
            flow.labels.iter().filter(|(_, places)| places.contains(&place)).map(|(label, _)| *label).collect();
        let variables = self.own.iter().map(|own| own.name.name.as_str()).collect();
        let stepping = Stepping { family: self.family, labels: &labels, variables };
        self.lemmas.iter().flat_map(|lemma| lemma.said_of(self.shape, &stepping)).collect()
    }

    /// One fewer where the step begins, one more where it ends.
    fn arrival(&self, flow: &Flow<'_>, step: &FlowStep<'_>, valuation: usize, written: &[String]) -> Block {
        let span = step.span;
        let add = |counter: &str, more: bool| {
            let target = Target { name: ident(counter, span), indices: Vec::new(), accessors: Vec::new(), span };
            let value = sum(name(counter, span), vec![(!more, int(1, span))]);
            plain(StmtKind::Assign(Assignment { targets: vec![target], sources: vec![Source::Value(value)] }), span)
        };
        let changes = |own: &Own| !own.values.is_empty() && written.contains(&own.name.name);
        let fewer = add(&self.counter(flow, step.source, valuation), false);
        let ends = !self.leaves[step.target];
        if !self.own.iter().any(changes) {
            return match ends {
                true => vec![fewer],
                false if step.source == step.target => Vec::new(),
                false => vec![fewer, add(&self.counter(flow, step.target, valuation), true)],
            };
        }
        if ends {
            return vec![fewer];
        }
        let mut ways = Vec::new();
        for (at, after) in self.valuations.iter().enumerate() {
            let both = self.own.iter().zip(after.iter().zip(&self.valuations[valuation]));
            if both.clone().any(|(own, (new, old))| !changes(own) && new != old) {
                continue;
            }
            let reached = both
                .filter(|(own, _)| changes(own))
                .map(|(own, (&new, _))| compare(Comparison::Eq, name(&own.name.name, span), own.values[new].clone()));
            let reached = plain(StmtKind::Await(all(reached.collect(), span)), span);
            ways.push(vec![reached, add(&self.counter(flow, step.target, at), true)]);
        }
        vec![fewer, plain(StmtKind::Choose(ways), span)]
    }

    /// What a member does in a step, with its own variables.
    fn doing(&self, step: &FlowStep<'_>) -> Block {
        let span = step.span;
        let one = |kind: StmtKind| vec![plain(kind, span)];
        let block = match step.doing {
            Doing::Skip => self.blocks.get(&(span.start, span.end)).cloned().unwrap_or_default(),
            Doing::Assign(assignment) => one(StmtKind::Assign(assignment.clone())),
            Doing::Test(condition, true) => one(StmtKind::Await(condition.clone())),
            Doing::Test(condition, false) => {
                one(StmtKind::Await(Expr { kind: ExprKind::Not(Box::new(condition.clone())), span: condition.span }))
            }
            // Whether it fails is looked at where the member is a process of its own: its number is any.
            Doing::Assert(_) => Vec::new(),
            Doing::When(condition, assignment) => one(StmtKind::When(condition.clone(), assignment.cloned())),
        };
        let owned = |name: &str| self.family.owned.iter().any(|(array, _)| array.name == name);
        let cell = |part: &Expr| match &part.kind {
            ExprKind::Index(array, _) if owned(&array.name) => Some(name(&cell_name(&array.name), part.span)),
            _ => None,
        };
        let target = |target: &Target| {
            if owned(&target.name.name) {
                let own = ident(cell_name(&target.name.name), target.name.span);
                return Target { name: own, indices: Vec::new(), accessors: Vec::new(), span: target.span };
            }
            let indices = target.indices.iter().map(|part| rewrite::expr(part, &cell)).collect();
            Target { name: target.name.clone(), indices, accessors: Vec::new(), span: target.span }
        };
        rewrite::block(&block, &cell, &target)
    }
}

fn plain(kind: StmtKind, span: Span) -> Stmt {
    Stmt { labels: Vec::new(), kind, span }
}

fn shown_value(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Int(number) => number.to_string(),
        ExprKind::Bool(truth) => truth.to_string(),
        ExprKind::Name(name) => name.name.clone(),
        _ => String::new(),
    }
}

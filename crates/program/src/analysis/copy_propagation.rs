//! Copy propagation (Aho, Lam, Sethi, Ullman 2006, section 9.1; available copies, a forward analysis after Kildall 1973): which local variables only ever stand for another one?
//!
//! After `y := x` a read of `y` is a read of `x`, until one of the two is written. If that is so, or `y` has a known value, wherever `y` is read, then `y` is read nowhere any more
//! and leaves the [cone of influence](super::cone_of_influence): the slice lacks it. Only the process itself writes the two, so that what holds at its locations does so whatever others do.
//!
//! **Why it is sound.** [`Propagation::facts`] lists what was made use of: `y = x` (or `y = 3`) whenever the process is at a location. These hold initially and after every step, so that a step of the one program
//! is one of the other, with the same values: nothing is left out by this alone. Certificates say the facts, and the kernel checks them like all others.
//!
//! Not here: globals, which others write in between; programs with channels, or whose processes come and go.

use std::collections::{BTreeMap, BTreeSet};

use super::partial_evaluation::{constant, evaluate, rewrite};
use crate::expr::{Binary, Expr, ExprId, Exprs, Place, Sort};
use crate::graph::{Action, Assign, Domain, LocationId, ProcessId, Program, Step};
use crate::types::{InitialValue, Scope, Type, VarId};

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Source {
    Constant(i64),
    Variable(VarId),
}

/// What is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Constants,
    Variables,
}

/// What variables stand for.
type Sources = BTreeMap<VarId, Source>;

/// A program in which some variables are not read any more.
#[derive(Clone, Debug)]
pub struct Propagation {
    /// The program with the reads of these replaced.
    pub program: Program,
    /// What is not read any more.
    pub unread: BTreeSet<VarId>,
    /// What this rests on: what holds whenever a process is at a location.
    pub facts: Vec<(ProcessId, LocationId, ExprId)>,
}

impl Propagation {
    /// Replaces the reads of all variables, of those that are allowed, that can be replaced everywhere; none if there are none.
    #[must_use]
    pub fn of(program: &Program, allowed: &BTreeSet<VarId>) -> Option<Self> {
        let plain = |step: &Step| matches!(step.action, Action::Assign(_) | Action::Assert(_) | Action::Print { .. });
        if !program.is_static() || !program.steps.iter().all(plain) {
            return None;
        }
        // One after the other: what is a number the first time round a loop may be a copy every time.
        let (mut copies, numbers) = (Copies::of(program, Kind::Variables), Copies::of(program, Kind::Constants));
        for (at, sources) in numbers.known {
            copies.known.entry(at).or_default().extend(sources);
        }
        let unread = copies.replaceable(program, allowed);
        (!unread.is_empty()).then(|| copies.replace(program, unread))
    }
}

/// For each process and location that it comes to what its variables stand for.
struct Copies {
    kind: Kind,
    own: BTreeMap<VarId, ProcessId>,
    known: BTreeMap<(ProcessId, LocationId), Sources>,
}

impl Copies {
    fn of(program: &Program, kind: Kind) -> Self {
        let mut found = Self { kind, own: own_variables(program), known: BTreeMap::new() };
        let mut open = Vec::new();
        for process in program.process_ids() {
            let begins = found.own.iter().filter(|&(_, &owner)| owner == process && kind == Kind::Constants);
            let begins = begins.filter_map(|(&var, _)| Some((var, Source::Constant(initial(program, var)?)))).collect();
            found.join((process, program.process(process).entry), begins, &mut open);
        }
        while let Some((process, at)) = open.pop() {
            let before = found.known.get(&(process, at)).cloned().unwrap_or_default();
            for &id in &program.location(process, at).steps {
                let step = program.step(id);
                let after = found.after(program, &before, step);
                found.join((process, step.target), after, &mut open);
            }
        }
        found
    }

    fn join(&mut self, at: (ProcessId, LocationId), sources: Sources, open: &mut Vec<(ProcessId, LocationId)>) {
        let Some(known) = self.known.get_mut(&at) else {
            self.known.insert(at, sources);
            return open.push(at);
        };
        let before = known.len();
        known.retain(|var, source| sources.get(var) == Some(source));
        if known.len() < before {
            open.push(at);
        }
    }

    fn after(&self, program: &Program, before: &Sources, step: &Step) -> Sources {
        let written: BTreeSet<VarId> = step.written().into_iter().collect();
        let stays = |source: &Source| !matches!(source, Source::Variable(var) if written.contains(var));
        let mut after = before.clone();
        after.retain(|var, source| !written.contains(var) && stays(source));
        let Action::Assign(assigns) = &step.action else { return after };
        for &Assign { place, value } in assigns {
            let Place::Var(var) = place else { continue };
            // If two write one place, the last one stays.
            after.remove(&var);
            let source = self.source(program, before, step, var, value);
            if let Some(source) = source.filter(stays).filter(|_| self.own.contains_key(&var)) {
                after.insert(var, source);
            }
        }
        after
    }

    /// What a value stands for before a step that assigns it to a variable.
    fn source(&self, program: &Program, before: &Sources, step: &Step, var: VarId, value: ExprId) -> Option<Source> {
        let leaf = |expr: Expr| match expr {
            Expr::Var(var) => match before.get(&var) {
                Some(&Source::Constant(value)) => Some(value),
                _ => None,
            },
            _ => None,
        };
        if self.kind == Kind::Constants {
            let value = evaluate(&program.exprs, value, &|expr, _| leaf(expr)).ok();
            return value.filter(|&value| program.admits(program.variable(var).ty, value)).map(Source::Constant);
        }
        let Expr::Var(from) = program.exprs.get(value) else { return None };
        let source = match before.get(&from) {
            Some(&Source::Variable(further)) => further,
            _ => from,
        };
        let same = program.variable(source).ty == program.variable(var).ty && source != var;
        (same && self.own.get(&source) == Some(&step.process)).then_some(Source::Variable(source))
    }

    /// The variables whose every read is at a place where it is known what they stand for.
    fn replaceable(&self, program: &Program, allowed: &BTreeSet<VarId>) -> BTreeSet<VarId> {
        let mut found: BTreeSet<VarId> = self.own.keys().filter(|var| allowed.contains(var)).copied().collect();
        let mut used = BTreeSet::new();
        for step in &program.steps {
            let known = self.known.get(&(step.process, step.source));
            for id in program.exprs.reachable(&evaluated(program, step)) {
                match program.exprs.get(id) {
                    Expr::Var(var) => match known.and_then(|known| known.get(&var)) {
                        Some(&source) => _ = used.insert((var, source)),
                        None => _ = found.remove(&var),
                    },
                    Expr::Remote(_, var) | Expr::Element(var, _) | Expr::RemoteElement(_, var, _) => {
                        found.remove(&var);
                    }
                    _ => {}
                }
            }
        }
        let read: BTreeSet<VarId> = used.iter().map(|&(var, _)| var).collect();
        // What is never read needs no replacing, and what others stand for is read.
        found.retain(|var| read.contains(var));
        let stood_for: BTreeSet<VarId> = (used.iter().filter(|(var, _)| found.contains(var)))
            .filter_map(|&(_, source)| if let Source::Variable(var) = source { Some(var) } else { None })
            .collect();
        found.retain(|var| !stood_for.contains(var));
        found
    }

    fn replace(&self, program: &Program, unread: BTreeSet<VarId>) -> Propagation {
        let mut new = program.clone();
        for at in 0..new.steps.len() {
            let step = &program.steps[at];
            let Some(known) = self.known.get(&(step.process, step.source)) else { continue };
            let known: Sources =
                known.iter().filter(|(var, _)| unread.contains(var)).map(|(&var, &it)| (var, it)).collect();
            if known.is_empty() {
                continue;
            }
            let mut replaced = step.clone();
            replace_in(&mut new.exprs, &known, &mut replaced);
            new.steps[at] = replaced;
        }
        let mut facts = Vec::new();
        for (&(process, at), known) in &self.known {
            for (&var, &source) in known.iter().filter(|(var, _)| unread.contains(var)) {
                let sort = if program.variable(var).ty == Type::Bool { Sort::Bool } else { Sort::Int };
                let this = new.exprs.add_sorted(Expr::Var(var), sort);
                let that = source_expr(&mut new.exprs, source, sort);
                facts.push((process, at, new.exprs.add_sorted(Expr::Binary(Binary::Eq, this, that), Sort::Bool)));
            }
        }
        Propagation { program: new, unread, facts }
    }
}

fn source_expr(exprs: &mut Exprs, source: Source, sort: Sort) -> ExprId {
    match source {
        Source::Constant(value) => constant(exprs, value, sort),
        Source::Variable(var) => exprs.add_sorted(Expr::Var(var), sort),
    }
}

/// Replaces reads in a step. Nothing is simplified: what would go wrong still does.
fn replace_in(exprs: &mut Exprs, known: &Sources, step: &mut Step) {
    let of = |exprs: &mut Exprs, id: ExprId| {
        rewrite(exprs, id, &mut |exprs, expr, sort| match expr {
            Expr::Var(var) => match known.get(&var) {
                Some(&source) => source_expr(exprs, source, sort),
                None => exprs.add_sorted(expr, sort),
            },
            _ => exprs.add_sorted(expr, sort),
        })
    };
    step.guard = of(exprs, step.guard);
    for input in &mut step.inputs {
        if let Domain::Range(lo, hi) = &mut input.domain {
            (*lo, *hi) = (of(exprs, *lo), of(exprs, *hi));
        }
    }
    match &mut step.action {
        Action::Assign(assigns) => {
            for assign in assigns {
                assign.value = of(exprs, assign.value);
                if let Place::Element(var, indices) = assign.place {
                    let members: Vec<ExprId> = exprs.list(indices).to_vec();
                    let members: Vec<ExprId> = members.into_iter().map(|member| of(exprs, member)).collect();
                    assign.place = Place::Element(var, exprs.add_list(&members));
                }
            }
        }
        Action::Assert(condition) => *condition = of(exprs, *condition),
        Action::Print { values, .. } => values.iter_mut().for_each(|value| *value = of(exprs, *value)),
        _ => {}
    }
}

/// Everything that a step evaluates and whose reads can be replaced.
fn evaluated(program: &Program, step: &Step) -> Vec<ExprId> {
    let mut found = vec![step.guard];
    for input in &step.inputs {
        if let Domain::Range(lo, hi) = input.domain {
            found.extend([lo, hi]);
        }
    }
    match &step.action {
        Action::Assign(assigns) => {
            for assign in assigns {
                found.push(assign.value);
                if let Place::Element(_, indices) = assign.place {
                    found.extend(program.exprs.list(indices));
                }
            }
        }
        Action::Assert(condition) => found.push(*condition),
        Action::Print { values, .. } => found.extend(values),
        _ => {}
    }
    found
}

/// Plain local variables that only their process writes, and only steps read.
fn own_variables(program: &Program) -> BTreeMap<VarId, ProcessId> {
    let mut others: BTreeSet<VarId> = program.keep.iter().chain(&program.last).copied().collect();
    for step in &program.steps {
        let own = |var: &VarId| program.variable(*var).scope == Scope::Local(step.process);
        others.extend(step.written().into_iter().filter(|var| !own(var)));
    }
    let named = program.predicates.iter().map(|named| named.expr);
    let provided = program.processes.iter().filter_map(|process| process.provided);
    let computed = program.variables.iter().filter_map(|variable| match variable.initial {
        InitialValue::Computed(expr) => Some(expr),
        _ => None,
    });
    let declared: Vec<ExprId> = named.chain(provided).chain(program.init).chain(computed).collect();
    others.extend(plain_reads(program, &declared));
    let own = program.variable_ids().filter(|var| !others.contains(var)).filter_map(|var| {
        let variable = program.variable(var);
        let plain = variable.dimensions.is_empty() && variable.ty != Type::Channel;
        match variable.scope {
            Scope::Local(process) if plain => Some((var, process)),
            _ => None,
        }
    });
    own.collect()
}

fn plain_reads(program: &Program, exprs: &[ExprId]) -> BTreeSet<VarId> {
    let read = |id: ExprId| match program.exprs.get(id) {
        Expr::Var(var) | Expr::Remote(_, var) => Some(var),
        _ => None,
    };
    program.exprs.reachable(exprs).into_iter().filter_map(read).collect()
}

/// What a variable begins with.
fn initial(program: &Program, var: VarId) -> Option<i64> {
    let variable = program.variable(var);
    let value = match &variable.initial {
        InitialValue::Same(value) => *value,
        InitialValue::Each(values) => *values.first()?,
        _ => return None,
    };
    Some(program.stored(variable.ty, value))
}

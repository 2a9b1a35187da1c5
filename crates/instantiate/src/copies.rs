//! What do expressions mean when every copy of a process has code and variables of its own?
//!
//! A local variable is the copy's, a process's number is put in, and what is said of another process by its number is said of
//! the copies that can have it. A copy that is not there is at a location of its own, one past those of its code.

use std::collections::{BTreeSet, HashMap};

use tertium_base::narrow::to_i64;
use tertium_program::analysis::partial_evaluation::{constant, fold, rewrite};
use tertium_program::{
    Binary, Expr, ExprId, Exprs, Field, LocationId, PatternId, Place, ProcessId, Program, Scope, Sort, VarId,
};

use crate::Unsupported;
use crate::priorities::Priority;
use crate::queues::{Queue, Queues, number};
use crate::starts::{Copy, Starts};

/// All copies of a program's processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    pub(crate) starts: Starts,
    /// New variables by original ones: of everyone, and of each copy.
    pub(crate) shared: HashMap<VarId, VarId>,
    pub(crate) own: Vec<HashMap<VarId, VarId>>,
    /// Where each copy is while it is not there.
    pub(crate) gone: Vec<LocationId>,
    /// Copies that may end.
    pub(crate) ending: BTreeSet<usize>,
    pub(crate) queues: Queues,
    /// The priorities of the copies, where there are any.
    pub(crate) priorities: Vec<Priority>,
    /// Where each copy can step, as far as somebody asks and that can be said.
    pub(crate) able: Vec<Option<ExprId>>,
    /// Whether states of the original are told apart exactly.
    pub(crate) exact: bool,
}

impl Copies {
    pub(crate) fn all(&self) -> impl Iterator<Item = (usize, &Copy)> {
        self.starts.copies.iter().enumerate()
    }

    fn of(&self, process: ProcessId) -> Vec<(usize, usize)> {
        self.all().filter(|(_, copy)| copy.process == process).map(|(at, copy)| (at, copy.pid)).collect()
    }

    fn only(&self, process: ProcessId) -> Option<usize> {
        match self.of(process).as_slice() {
            [(only, _)] => Some(*only),
            _ => None,
        }
    }

    /// Whether a copy is there from the start and for ever.
    fn lasts(&self, copy: usize) -> bool {
        copy < self.starts.initial && !self.ending.contains(&copy)
    }

    /// That a copy is there.
    pub(crate) fn alive(&self, exprs: &mut Exprs, copy: usize) -> ExprId {
        if self.lasts(copy) {
            return exprs.bool(true);
        }
        let gone = self.absent(exprs, copy);
        exprs.not(gone)
    }

    /// That a copy is not there.
    pub(crate) fn absent(&self, exprs: &mut Exprs, copy: usize) -> ExprId {
        exprs.add(Expr::At(ProcessId::new(copy), self.gone[copy]))
    }

    /// The copy whose variable `var` is for the copy `me`, or for an observer.
    fn owner(&self, program: &Program, var: VarId, me: Option<usize>) -> Option<usize> {
        let Scope::Local(process) = program.variable(var).scope else { return None };
        match me {
            Some(me) if self.starts.copies[me].process == process => Some(me),
            _ => self.only(process),
        }
    }

    /// The variable that `var` is for the copy `me`, or for an observer.
    pub(crate) fn variable(&self, program: &Program, var: VarId, me: Option<usize>) -> Option<VarId> {
        if program.variable(var).scope == Scope::Global {
            return self.shared.get(&var).copied();
        }
        self.own[self.owner(program, var, me)?].get(&var).copied()
    }

    /// The value that `var` always has for the copy `me`, or for an observer.
    fn constant(&self, program: &Program, var: VarId, me: Option<usize>) -> Option<i64> {
        let owner = self.owner(program, var, me)?;
        self.starts.copies[owner].constants.get(&var).copied()
    }

    /// All new variables that a variable became.
    pub(crate) fn everywhere(&self, var: VarId) -> Vec<VarId> {
        let own = self.own.iter().filter_map(|own| own.get(&var).copied());
        self.shared.get(&var).copied().into_iter().chain(own).collect()
    }

    /// An expression over the new variables.
    ///
    /// # Errors
    /// If it speaks of what has no meaning there.
    pub(crate) fn moved(
        &self,
        old: &Program,
        exprs: &mut Exprs,
        root: ExprId,
        me: Option<usize>,
    ) -> Result<ExprId, Unsupported> {
        let mut refused = false;
        let new = rewrite(exprs, root, &mut |exprs, expr, sort| {
            let mapped = self.mapped(old, exprs, (expr, sort), me);
            refused |= mapped.is_none();
            mapped.unwrap_or_else(|| fold(exprs, expr, sort))
        });
        // What is asked of the oldest copy was put in above; what remains is its number.
        let new = rewrite(exprs, new, &mut |exprs, expr, sort| match expr {
            Expr::FirstInstance(process) => self.oldest(exprs, process),
            _ => fold(exprs, expr, sort),
        });
        if refused { Err(Unsupported::Expression(old.show(root))) } else { Ok(new) }
    }

    fn mapped(
        &self,
        old: &Program,
        exprs: &mut Exprs,
        (expr, sort): (Expr, Sort),
        me: Option<usize>,
    ) -> Option<ExprId> {
        Some(match expr {
            Expr::Var(var) => match self.constant(old, var, me) {
                Some(value) => constant(exprs, value, sort),
                None => exprs.add_sorted(Expr::Var(self.variable(old, var, me)?), sort),
            },
            Expr::Element(var, list) => exprs.add_sorted(Expr::Element(self.variable(old, var, me)?, list), sort),
            Expr::OwnPid => exprs.int(to_i64(self.starts.copies[me?].pid)),
            Expr::At(process, location) => exprs.add(Expr::At(ProcessId::new(self.only(process)?), location)),
            Expr::ProcessCount => self.count(exprs),
            Expr::RemoteAt(pid, process, location) => {
                let mut places = Vec::new();
                for (copy, is) in self.meant(exprs, pid, process, false) {
                    let there = exprs.add(Expr::At(ProcessId::new(copy), location));
                    places.push(exprs.and(is, there));
                }
                exprs.any(&places)
            }
            Expr::Remote(pid, var) => self.remote(old, exprs, pid, var, None)?,
            Expr::RemoteElement(pid, var, list) => {
                let plain = exprs.list(list).iter().zip(&old.variable(var).dimensions).all(|(&index, dimension)| {
                    exprs.constant(index).is_some_and(|index| index >= dimension.lo && index <= dimension.hi())
                });
                let lasts = exprs.constant(pid).and_then(|pid| usize::try_from(pid).ok());
                let lasts = lasts.is_some_and(|pid| {
                    self.all().any(|(at, copy)| copy.pid == pid && self.lasts(at) && self.own[at].contains_key(&var))
                });
                self.remote(old, exprs, pid, var, Some(list)).filter(|_| plain || lasts)?
            }
            Expr::Length(channel) => self.of_channel(exprs, channel, &|exprs, queue| queue.length(exprs))?,
            Expr::Capacity(channel) => {
                self.of_channel(exprs, channel, &|exprs, queue| Some(exprs.int(to_i64(queue.capacity))))?
            }
            Expr::Poll(pattern) => self.poll(old, exprs, pattern, me)?,
            // For a step it is put in when all steps are known; an observer never sees one.
            Expr::Timeout if me.is_none() => exprs.bool(false),
            Expr::Enabled(pid) => self.enabled(exprs, pid, me)?,
            Expr::PriorityOf(pid) => self.priority_of(exprs, pid)?,
            Expr::LocationOf(_) => return None,
            _ => fold(exprs, expr, sort),
        })
    }

    /// The copies of a process that an expression for a pid can mean, and when it does; `there` asks that they are there.
    fn meant(&self, exprs: &mut Exprs, pid: ExprId, process: ProcessId, there: bool) -> Vec<(usize, ExprId)> {
        let mut found = Vec::new();
        let copies = self.of(process);
        for &(copy, number) in &copies {
            let mut parts = Vec::new();
            match exprs.get(pid) {
                Expr::FirstInstance(other) if other == process => {
                    for &(older, _) in copies.iter().filter(|&&(_, before)| before < number) {
                        let alive = self.alive(exprs, older);
                        parts.push(exprs.not(alive));
                    }
                }
                Expr::FirstInstance(_) => continue,
                _ => {
                    let number = exprs.int(to_i64(number));
                    parts.push(exprs.eq(pid, number));
                }
            }
            if there {
                parts.push(self.alive(exprs, copy));
            }
            let is = exprs.all(&parts);
            if exprs.constant(is) != Some(0) {
                found.push((copy, is));
            }
        }
        found
    }

    /// A local variable of the copy with a pid, or 0.
    fn remote(
        &self,
        old: &Program,
        exprs: &mut Exprs,
        pid: ExprId,
        var: VarId,
        list: Option<tertium_program::ListId>,
    ) -> Option<ExprId> {
        let Scope::Local(process) = old.variable(var).scope else { return None };
        let sort = old.sort_of(old.variable(var).ty);
        let mut value = exprs.int(0);
        for (copy, is) in self.meant(exprs, pid, process, true).into_iter().rev() {
            let own = match (self.starts.copies[copy].constants.get(&var), list) {
                (Some(&value), _) => exprs.int(value),
                (None, None) => exprs.add_sorted(Expr::Var(*self.own[copy].get(&var)?), sort),
                (None, Some(list)) => exprs.add_sorted(Expr::Element(*self.own[copy].get(&var)?, list), sort),
            };
            let own = number(exprs, own);
            value = exprs.ite(is, own, value);
        }
        Some(value)
    }

    /// How many processes there are.
    fn count(&self, exprs: &mut Exprs) -> ExprId {
        let lasting = self.all().filter(|&(copy, _)| self.lasts(copy)).count();
        let mut count = exprs.int(to_i64(lasting));
        let (one, none) = (exprs.int(1), exprs.int(0));
        for copy in (0..self.starts.copies.len()).filter(|&copy| !self.lasts(copy)) {
            let alive = self.alive(exprs, copy);
            let one = exprs.ite(alive, one, none);
            count = exprs.binary(Binary::Add, count, one);
        }
        count
    }

    /// The pid of the oldest copy of a process, or -1.
    fn oldest(&self, exprs: &mut Exprs, process: ProcessId) -> ExprId {
        let mut copies = self.of(process);
        copies.sort_by_key(|&(_, pid)| std::cmp::Reverse(pid));
        let mut first = exprs.int(-1);
        for (copy, pid) in copies {
            let (alive, pid) = (self.alive(exprs, copy), exprs.int(to_i64(pid)));
            first = exprs.ite(alive, pid, first);
        }
        first
    }

    /// Whether a message that fits waits in a channel.
    fn poll(&self, old: &Program, exprs: &mut Exprs, pattern: PatternId, me: Option<usize>) -> Option<ExprId> {
        let pattern = exprs.pattern(pattern).clone();
        let channel = self.moved(old, exprs, pattern.channel, me).ok()?;
        let mut wanted = Vec::new();
        for field in pattern.fields {
            wanted.push(match field {
                Field::Match(value) => Some(self.moved(old, exprs, value, me).ok()?),
                Field::Skip | Field::Bind(_) => None,
            });
        }
        self.of_channel(exprs, channel, &|exprs, queue| queue.poll(exprs, &wanted, pattern.anywhere))
    }

    /// What holds of the channel that an expression means: one, or a cell of an array that always holds the same ones.
    fn of_channel(
        &self,
        exprs: &mut Exprs,
        channel: ExprId,
        told: &dyn Fn(&mut Exprs, &Queue) -> Option<ExprId>,
    ) -> Option<ExprId> {
        if let Some(queue) = self.queues.meant(exprs, channel) {
            return told(exprs, queue);
        }
        let mut value = None;
        for at in self.queues.fixed_choices(exprs, channel)?.into_iter().rev() {
            let here = told(exprs, self.queues.get(at))?;
            let other = match (value, exprs.sort(here)) {
                (Some(value), _) => value,
                (None, Sort::Bool) => exprs.bool(false),
                (None, Sort::Int) => exprs.int(0),
            };
            let number = exprs.int(to_i64(at) + 1);
            let meant = exprs.eq(channel, number);
            value = Some(exprs.ite(meant, here, other));
        }
        value
    }

    /// A place over the new variables.
    ///
    /// # Errors
    /// If an index has no meaning there.
    pub(crate) fn place(
        &self,
        old: &Program,
        exprs: &mut Exprs,
        place: Place,
        me: usize,
    ) -> Result<Place, Unsupported> {
        let var = place.variable();
        let refused = || Unsupported::Expression(old.show_variable(var));
        let new = self.variable(old, var, Some(me)).ok_or_else(refused)?;
        Ok(match place {
            Place::Var(_) => Place::Var(new),
            Place::Element(_, list) => {
                let mut indices = Vec::new();
                for index in exprs.list(list).to_vec() {
                    indices.push(self.moved(old, exprs, index, Some(me))?);
                }
                Place::Element(new, exprs.add_list(&indices))
            }
        })
    }
}

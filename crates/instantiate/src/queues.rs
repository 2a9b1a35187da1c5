//! Channels with a buffer as variables, so that sending and receiving are assignments.
//!
//! A channel becomes the number of its messages and one variable for each field of each place. What would block becomes part
//! of the guard. Places behind the last message hold 0, as in the state of the program. Which channel a statement means must
//! be known beforehand. A channel without a buffer has no variables: its statements meet ([`crate::rendezvous`]).

use std::collections::{BTreeSet, HashMap};

use tertium_base::narrow::to_i64;
use tertium_program::analysis::partial_evaluation::{fold, rewrite};
use tertium_program::{
    Assign, Binary, ChannelId, Expr, ExprId, Exprs, Field, InitialValue, Place, ProcessId, Program, Scope, Sort, Type,
    VarId, Variable, Width,
};

/// A channel as variables.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub(crate) capacity: usize,
    /// How each field truncates what it is given; none if the channel cannot be said with variables.
    widths: Option<Vec<Fit>>,
    /// The copy whose channel it is, if not everyone's.
    owner: Option<usize>,
    length: Option<VarId>,
    /// By place, then field.
    cells: Vec<Vec<VarId>>,
}

/// All channels of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queues {
    /// By number, beginning with 1.
    all: Vec<Queue>,
    /// What variables hold that always hold the same channels.
    fixed: HashMap<VarId, Vec<i64>>,
    /// Numbers of global channels, and of those of each copy.
    numbers: HashMap<(Option<usize>, ChannelId), i64>,
    written: BTreeSet<VarId>,
    /// A channel with more variables is not one that statements can speak of.
    most_cells: usize,
}

/// What a statement on a channel becomes.
pub(crate) struct Change {
    pub(crate) guard: ExprId,
    pub(crate) assigns: Vec<Assign>,
    /// The message that goes in or comes out.
    pub(crate) message: Vec<ExprId>,
}

impl Queues {
    /// No channels yet; which variables are ever written.
    pub(crate) fn of(old: &Program, most_cells: usize) -> Self {
        let written = old.steps.iter().flat_map(tertium_program::Step::written).collect();
        Self { written, most_cells, ..Self::default() }
    }

    /// Adds the variables of a channel: one of everyone, or of a copy.
    pub(crate) fn add(&mut self, old: &Program, program: &mut Program, id: ChannelId, copy: Option<usize>) {
        let channel = old.channel(id);
        let capacity = channel.capacity as usize;
        let widths: Option<Vec<Fit>> = channel.fields.iter().map(|&ty| width(old, ty)).collect();
        let small = capacity.saturating_mul(channel.fields.len()) <= self.most_cells;
        let widths = widths.filter(|_| small);
        let mut queue = Queue { capacity, widths, owner: copy, length: None, cells: Vec::new() };
        if let Some(widths) = queue.widths.as_ref().filter(|_| capacity > 0) {
            let scope = copy.map_or(Scope::Global, |copy| Scope::Local(ProcessId::new(copy)));
            let mut variable = |name: String, ty: Type| {
                program.add_variable(Variable {
                    name,
                    ty,
                    dimensions: Vec::new(),
                    scope,
                    initial: InitialValue::Same(0),
                    hidden: false,
                    span: channel.span,
                })
            };
            queue.length =
                Some(variable(format!("len({})", channel.name), Type::Range { lo: 0, hi: to_i64(capacity) }));
            for place in 0..capacity {
                let cells = widths.iter().enumerate();
                let cells = cells.map(|(field, &width)| {
                    variable(format!("{}[{place}].{field}", channel.name), width.map_or(Type::Channel, Type::Wrapped))
                });
                queue.cells.push(cells.collect());
            }
        }
        self.all.push(queue);
        self.numbers.insert((copy, id), to_i64(self.all.len()));
    }

    /// What a variable that holds channels begins with; `new` is what it became.
    pub(crate) fn initial(
        &mut self,
        old: &Program,
        var: VarId,
        new: VarId,
        copy: Option<usize>,
    ) -> Option<InitialValue> {
        let InitialValue::Channel(first) = old.variable(var).initial else { return None };
        let count = old.variable(var).cells();
        let values: Vec<i64> = (0..count)
            .map(|at| {
                let id = ChannelId::new(first.index() + at);
                let known = self.numbers.get(&(None, id)).or_else(|| self.numbers.get(&(copy, id)));
                known.copied().unwrap_or(0)
            })
            .collect();
        if !self.written.contains(&var) {
            self.fixed.insert(new, values.clone());
        }
        Some(InitialValue::Each(values))
    }

    /// The variables that channels became.
    pub(crate) fn variables(&self) -> Vec<VarId> {
        let all = self.all.iter();
        all.flat_map(Queue::variables).collect()
    }

    /// The channel that an expression over the new variables means.
    pub(crate) fn meant(&self, exprs: &Exprs, channel: ExprId) -> Option<&Queue> {
        self.all.get(self.position(exprs, channel)?)
    }

    /// The variables of the channels of a copy.
    pub(crate) fn variables_of(&self, copy: usize) -> Vec<VarId> {
        let own = self.numbers.iter().filter(|((owner, _), _)| *owner == Some(copy));
        let own = own.filter_map(|(_, &number)| self.all.get(usize::try_from(number).ok()?.checked_sub(1)?));
        let mut found: Vec<VarId> = own.flat_map(Queue::variables).collect();
        found.sort_unstable();
        found
    }

    /// The number of a channel of everyone, or of a copy.
    pub(crate) fn number(&self, channel: ChannelId, copy: Option<usize>) -> Option<i64> {
        self.numbers.get(&(copy, channel)).copied()
    }

    /// A channel of everyone, or of a copy.
    pub(crate) fn find(&self, channel: ChannelId, copy: Option<usize>) -> Option<&Queue> {
        let number = self.number(channel, copy)?;
        self.all.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// How many channels there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// A channel.
    pub(crate) fn get(&self, at: usize) -> &Queue {
        &self.all[at]
    }

    /// The channels that an expression can mean: a cell of an array that always holds the same ones.
    pub(crate) fn fixed_choices(&self, exprs: &Exprs, channel: ExprId) -> Option<Vec<usize>> {
        let Expr::Element(var, _) = exprs.get(channel) else { return None };
        let at = |&number: &i64| usize::try_from(number).ok()?.checked_sub(1).filter(|&at| at < self.all.len());
        let all: Option<BTreeSet<usize>> = self.fixed.get(&var)?.iter().map(at).collect();
        Some(all?.into_iter().collect())
    }

    /// Which channel an expression over the new variables means, if that never changes.
    pub(crate) fn position(&self, exprs: &Exprs, channel: ExprId) -> Option<usize> {
        let number = match exprs.get(channel) {
            Expr::Var(var) => *self.fixed.get(&var)?.first()?,
            Expr::Element(var, indices) => {
                let &[index] = exprs.list(indices) else { return None };
                *self.fixed.get(&var)?.get(usize::try_from(exprs.constant(index)?).ok()?)?
            }
            _ => exprs.constant(channel)?,
        };
        usize::try_from(number).ok()?.checked_sub(1).filter(|&at| at < self.all.len())
    }
}

impl Queue {
    /// The number of messages, then by place and field.
    pub(crate) fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.length.into_iter().chain(self.cells.iter().flatten().copied())
    }

    /// How many fields a message has; none if the channel cannot be said with variables.
    pub(crate) fn fields(&self) -> Option<usize> {
        self.widths.as_ref().map(Vec::len)
    }

    /// The copy whose channel it is, if not everyone's.
    pub(crate) const fn owner(&self) -> Option<usize> {
        self.owner
    }

    /// A message as it is stored, or handed over; none if it is not one of this channel's.
    pub(crate) fn stored(&self, exprs: &mut Exprs, message: &[ExprId]) -> Option<Vec<ExprId>> {
        let widths = self.widths.as_ref().filter(|widths| widths.len() == message.len())?;
        let mut stored = Vec::new();
        for (&value, &width) in message.iter().zip(widths) {
            let value = number(exprs, value);
            stored.push(fitted(exprs, width, value));
        }
        Some(stored)
    }

    /// How many messages there are.
    pub(crate) fn length(&self, exprs: &mut Exprs) -> Option<ExprId> {
        if self.capacity == 0 {
            return Some(exprs.int(0));
        }
        self.length.map(|length| exprs.var(length, Sort::Int))
    }

    fn cell(&self, exprs: &mut Exprs, place: usize, field: usize) -> ExprId {
        match self.cells.get(place) {
            Some(cells) => exprs.var(cells[field], Sort::Int),
            None => exprs.int(0),
        }
    }

    /// A message is put behind the others, or before the first that is greater.
    pub(crate) fn send(&self, exprs: &mut Exprs, message: &[ExprId], sorted: bool) -> Option<Change> {
        let (length, name) = (self.length(exprs)?, self.length?);
        let stored = self.stored(exprs, message)?;
        // The place of a message is found by its values before they are cut to the fields' widths.
        let values: Vec<ExprId> = message.iter().map(|&value| number(exprs, value)).collect();
        let full = exprs.int(to_i64(self.capacity));
        let guard = exprs.binary(Binary::Lt, length, full);
        let mut assigns = vec![Assign { place: Place::Var(name), value: plus(exprs, length, 1) }];
        // Whether the message goes before this place.
        let mut earlier = exprs.bool(false);
        for place in 0..self.capacity {
            let at = exprs.int(to_i64(place));
            let last = exprs.eq(length, at);
            let greater = if sorted { self.greater(exprs, place, length, &values) } else { exprs.bool(false) };
            let here = exprs.or(greater, last);
            for (field, &value) in stored.iter().enumerate() {
                let now = self.cell(exprs, place, field);
                let kept = exprs.ite(here, value, now);
                let moved = if place == 0 { now } else { self.cell(exprs, place - 1, field) };
                let value = exprs.ite(earlier, moved, kept);
                assigns.push(Assign { place: Place::Var(self.cells[place][field]), value });
            }
            earlier = exprs.or(earlier, here);
            if !sorted {
                earlier = exprs.bool(false);
            }
        }
        Some(Change { guard, assigns, message: stored })
    }

    /// Whether there is a message at a place, greater than this one, field by field.
    fn greater(&self, exprs: &mut Exprs, place: usize, length: ExprId, message: &[ExprId]) -> ExprId {
        let mut greater = exprs.bool(false);
        for (field, &value) in message.iter().enumerate().rev() {
            let cell = self.cell(exprs, place, field);
            let (more, same) = (exprs.binary(Binary::Gt, cell, value), exprs.eq(cell, value));
            let rest = exprs.and(same, greater);
            greater = exprs.or(more, rest);
        }
        let there = self.there(exprs, place, length);
        exprs.and(there, greater)
    }

    fn there(&self, exprs: &mut Exprs, place: usize, length: ExprId) -> ExprId {
        let at = exprs.int(to_i64(place));
        exprs.binary(Binary::Lt, at, length)
    }

    /// Whether the first message, or any, has the wanted values; a question may leave out the last fields.
    pub(crate) fn poll(&self, exprs: &mut Exprs, wanted: &[Option<ExprId>], anywhere: bool) -> Option<ExprId> {
        let length = self.length(exprs).filter(|_| self.length.is_some())?;
        if wanted.len() > self.widths.as_ref()?.len() {
            return None;
        }
        let mut fits = Vec::new();
        for place in 0..if anywhere { self.capacity } else { 1 } {
            fits.push(self.fits(exprs, place, length, wanted));
        }
        Some(exprs.any(&fits))
    }

    /// Whether there is a message at a place that has the wanted values.
    fn fits(&self, exprs: &mut Exprs, place: usize, length: ExprId, wanted: &[Option<ExprId>]) -> ExprId {
        let mut parts = vec![self.there(exprs, place, length)];
        for (field, &wanted) in wanted.iter().enumerate() {
            if let Some(wanted) = wanted {
                let (wanted, cell) = (number(exprs, wanted), self.cell(exprs, place, field));
                parts.push(exprs.eq(wanted, cell));
            }
        }
        exprs.all(&parts)
    }

    /// The first message, or the first that fits, is taken (or only read). Matched values and places are over the new
    /// variables already; `widths` say how each place truncates.
    pub(crate) fn receive(
        &self,
        exprs: &mut Exprs,
        fields: &[(Field, Option<Fit>)],
        anywhere: bool,
        keep: bool,
    ) -> Option<Change> {
        let (length, name) = (self.length(exprs)?, self.length?);
        if fields.len() != self.widths.as_ref()?.len() {
            return None;
        }
        let candidates = if anywhere { self.capacity } else { 1 };
        let wanted = |(field, _): &(Field, Option<Fit>)| match *field {
            Field::Match(wanted) => Some(wanted),
            Field::Skip | Field::Bind(_) => None,
        };
        let wanted: Vec<Option<ExprId>> = fields.iter().map(wanted).collect();
        let mut fits = Vec::new();
        for place in 0..candidates {
            fits.push(self.fits(exprs, place, length, &wanted));
        }
        let guard = exprs.any(&fits);
        let mut assigns = Vec::new();
        if !keep {
            assigns.push(Assign { place: Place::Var(name), value: plus(exprs, length, -1) });
            let mut taken = exprs.bool(false);
            for place in 0..self.capacity {
                if let Some(&fits) = fits.get(place) {
                    taken = exprs.or(taken, fits);
                }
                // Without a choice the first message goes whenever the step is taken.
                let moves = if anywhere { taken } else { exprs.bool(true) };
                for field in 0..fields.len() {
                    let (now, next) = (self.cell(exprs, place, field), self.cell(exprs, place + 1, field));
                    let value = exprs.ite(moves, next, now);
                    assigns.push(Assign { place: Place::Var(self.cells[place][field]), value });
                }
            }
        }
        let mut message = Vec::new();
        let mut taken = vec![guard; fields.len()];
        for (field, (bound, width)) in fields.iter().enumerate() {
            let mut value = self.cell(exprs, candidates - 1, field);
            for at in (0..candidates - 1).rev() {
                let cell = self.cell(exprs, at, field);
                value = exprs.ite(fits[at], cell, value);
            }
            message.push(value);
            let Field::Bind(place) = *bound else { continue };
            let value = fitted(exprs, (*width)?, value);
            taken[field] = value;
            assigns.push(Assign { place: landed(exprs, place, &taken), value });
        }
        Some(Change { guard, assigns, message })
    }
}

/// In the indices of a receive, the value of field 0 is this input, and so on.
pub(crate) const TAKEN: u32 = 1 << 16;

/// A place whose indices speak of the fields of a message, with their values put in.
pub(crate) fn landed(exprs: &mut Exprs, place: Place, values: &[ExprId]) -> Place {
    let Place::Element(var, list) = place else { return place };
    let mut indices = Vec::new();
    for index in exprs.list(list).to_vec() {
        indices.push(rewrite(exprs, index, &mut |exprs, expr, sort| match expr {
            Expr::Input(at, _) if at >= TAKEN => values.get((at - TAKEN) as usize).copied().unwrap_or(index),
            _ => fold(exprs, expr, sort),
        }));
    }
    Place::Element(var, exprs.add_list(&indices))
}

/// How a value is truncated; the number of a channel is not.
pub(crate) type Fit = Option<Width>;

/// A value as it is stored.
pub(crate) fn fitted(exprs: &mut Exprs, fit: Fit, value: ExprId) -> ExprId {
    fit.map_or(value, |width| exprs.wrap(width, value))
}

/// How a variable or field of this type truncates, if that is known.
pub(crate) fn width(program: &Program, ty: Type) -> Option<Fit> {
    if ty == Type::Channel { Some(None) } else { program.stored_width(ty).map(Some) }
}

/// A truth value as 0 or 1.
pub(crate) fn number(exprs: &mut Exprs, value: ExprId) -> ExprId {
    if exprs.sort(value) == Sort::Int {
        return value;
    }
    let (one, zero) = (exprs.int(1), exprs.int(0));
    exprs.ite(value, one, zero)
}

fn plus(exprs: &mut Exprs, value: ExprId, by: i64) -> ExprId {
    let by = exprs.int(by);
    exprs.binary(Binary::Add, value, by)
}

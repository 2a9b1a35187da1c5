//! What does a step look at, and what does it change?
//!
//! The facts that partial-order reduction, cone of influence and abstraction ask for. All sets are
//! over-approximations: a step never touches anything that its footprint does not name.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::expr::{Expr, ExprId, Field, Pattern, Place};
use crate::graph::{Action, Assign, Domain, Hold, ProcessId, Program, Step, StepId};
use crate::types::{ChannelId, InitialValue, VarId};

/// Some channels, or any.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Channels {
    /// These, in every running copy.
    Only(BTreeSet<ChannelId>),
    /// It is decided at run time.
    Any,
}

impl Default for Channels {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

impl Channels {
    fn add(&mut self, other: Option<BTreeSet<ChannelId>>) {
        match (self, other) {
            (Self::Only(mine), Some(more)) => mine.extend(more),
            (this, _) => *this = Self::Any,
        }
    }

    fn union_with(&mut self, other: Self) {
        match other {
            Self::Only(set) => self.add(Some(set)),
            Self::Any => *self = Self::Any,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Only(set) if set.is_empty())
    }

    /// Whether both may speak of one channel.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Only(a), Self::Only(b)) => !a.is_disjoint(b),
            (any, some) | (some, any) if *any == Self::Any => !some.is_empty(),
            _ => true,
        }
    }
}

/// What a piece of a program touches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// Variables whose value matters; arrays count as a whole.
    pub reads: BTreeSet<VarId>,
    /// Variables that may change; arrays count as a whole.
    pub writes: BTreeSet<VarId>,
    /// Processes whose location matters, other than the one that steps.
    pub locations: BTreeSet<ProcessId>,
    /// Processes whose location changes.
    pub moves: BTreeSet<ProcessId>,
    /// Channels it sends to.
    pub sends: Channels,
    /// Channels it receives from.
    pub receives: Channels,
    /// Channels it only looks at.
    pub inspects: Channels,
    /// Whether it depends on or changes more than can be listed: processes created or ended, priorities,
    /// time-outs, remote reads, who is enabled.
    pub whole_system: bool,
}

impl Footprint {
    /// Adds everything that `other` touches.
    pub fn add(&mut self, other: Self) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.locations.extend(other.locations);
        self.moves.extend(other.moves);
        self.sends.union_with(other.sends);
        self.receives.union_with(other.receives);
        self.inspects.union_with(other.inspects);
        self.whole_system |= other.whole_system;
    }

    /// Whether the two cannot disturb each other: neither changes what the other looks at or changes.
    /// Steps of one process are never independent; callers know that.
    #[must_use]
    pub fn is_independent_of(&self, other: &Self) -> bool {
        let disturbs = |a: &Self, b: &Self| {
            !a.writes.is_disjoint(&b.reads) || !a.writes.is_disjoint(&b.writes) || !a.moves.is_disjoint(&b.locations)
        };
        let touches = |a: &Self, b: &Self| {
            a.sends.meets(&b.sends)
                || a.receives.meets(&b.receives)
                || a.sends.meets(&b.receives)
                || a.inspects.meets(&b.sends)
                || a.inspects.meets(&b.receives)
        };
        let dependent = self.whole_system
            || other.whole_system
            || disturbs(self, other)
            || disturbs(other, self)
            || touches(self, other)
            || touches(other, self);
        !dependent
    }
}

impl Program {
    /// What the value of an expression depends on.
    #[must_use]
    pub fn footprint_of(&self, expr: ExprId) -> Footprint {
        let mut footprint = Footprint::default();
        Reader::of(self).add_reads(&mut footprint, &[expr]);
        footprint
    }

    /// What deciding whether a step can be taken looks at: guard, rank, inputs, `provided`, channel, and the whole of an
    /// indivisible block that it leads into.
    #[must_use]
    pub fn guard_footprint(&self, id: StepId) -> Footprint {
        Reader::of(self).guard(id)
    }

    /// Everything a step looks at or changes, with the uninterruptible block that it leads into. For all steps of a large program [`Self::footprints`] is faster.
    #[must_use]
    pub fn footprint(&self, id: StepId) -> Footprint {
        Reader::of(self).step(id)
    }

    /// For every step what deciding looks at, and everything it looks at or changes.
    #[must_use]
    pub fn footprints(&self) -> Vec<(Footprint, Footprint)> {
        let reader = Reader::of(self);
        self.step_ids().map(|id| (reader.guard(id), reader.step(id))).collect()
    }
}

/// A program, and which of its variables are ever assigned: looked up once, and only where channels are spoken of.
struct Reader<'p> {
    program: &'p Program,
    assigned: OnceCell<BTreeSet<VarId>>,
}

impl std::ops::Deref for Reader<'_> {
    type Target = Program;

    fn deref(&self) -> &Program {
        self.program
    }
}

impl<'p> Reader<'p> {
    fn of(program: &'p Program) -> Self {
        Self { program, assigned: OnceCell::new() }
    }

    fn is_assigned(&self, var: VarId) -> bool {
        self.assigned.get_or_init(|| self.program.steps.iter().flat_map(Step::written).collect()).contains(&var)
    }

    fn guard(&self, id: StepId) -> Footprint {
        let step = self.program.step(id);
        let mut footprint = self.own_guard(id);
        if self.location(step.process, step.target).hold == Hold::Indivisible {
            // The block can be entered only if some way leads through it.
            for inner in self.inside(id) {
                let inner = self.own(inner);
                footprint.reads.extend(inner.reads);
                footprint.locations.extend(inner.locations);
                footprint.whole_system |= inner.whole_system;
            }
        }
        footprint
    }

    /// The steps of the uninterruptible block that a step leads into.
    fn inside(&self, id: StepId) -> BTreeSet<StepId> {
        let mut found = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let step = self.program.step(id);
            let location = self.location(step.process, step.target);
            if location.hold != Hold::Free {
                open.extend(location.steps.iter().copied().filter(|&next| found.insert(next)));
            }
        }
        found
    }

    fn step(&self, id: StepId) -> Footprint {
        let mut footprint = self.own(id);
        self.inside(id).into_iter().for_each(|inner| footprint.add(self.own(inner)));
        footprint
    }

    /// What deciding whether a small step can be taken looks at.
    fn own_guard(&self, id: StepId) -> Footprint {
        let step = self.program.step(id);
        let mut footprint = Footprint::default();
        self.add_enabling(&mut footprint, step);
        let rivals = self.location(step.process, step.source).steps.iter().map(|&rival| self.program.step(rival));
        for rival in rivals.filter(|rival| rival.rank < step.rank) {
            self.add_enabling(&mut footprint, rival);
        }
        for &rival in &step.yields_to {
            self.add_enabling(&mut footprint, self.program.step(rival));
        }
        footprint.whole_system |= self.priorities || matches!(step.action, Action::End);
        footprint
    }

    fn add_enabling(&self, footprint: &mut Footprint, step: &Step) {
        let mut looked_at = vec![step.guard];
        looked_at.extend(self.process(step.process).provided);
        for input in &step.inputs {
            if let Domain::Range(lo, hi) = input.domain {
                looked_at.extend([lo, hi]);
            }
        }
        match &step.action {
            Action::Send { channel, message, .. } => {
                looked_at.push(*channel);
                looked_at.extend(message);
                footprint.inspects.add(self.channels_of(*channel));
            }
            Action::Receive { pattern, .. } => self.add_pattern(footprint, pattern, &mut looked_at),
            _ => {}
        }
        self.add_reads(footprint, &looked_at);
    }

    fn add_pattern(&self, footprint: &mut Footprint, pattern: &Pattern, looked_at: &mut Vec<ExprId>) {
        looked_at.push(pattern.channel);
        footprint.inspects.add(self.channels_of(pattern.channel));
        looked_at.extend(pattern.fields.iter().filter_map(|field| match *field {
            Field::Match(value) => Some(value),
            Field::Bind(_) | Field::Skip => None,
        }));
    }

    /// Everything a small step looks at or changes.
    fn own(&self, id: StepId) -> Footprint {
        let step = self.program.step(id);
        let mut footprint = self.own_guard(id);
        match &step.action {
            Action::Assign(assigns) => self.add_assigns(&mut footprint, assigns),
            Action::Assert(condition) => self.add_reads(&mut footprint, &[*condition]),
            Action::Send { channel, .. } => footprint.sends.add(self.channels_of(*channel)),
            Action::Receive { pattern, keep } => {
                let channels = self.channels_of(pattern.channel);
                if *keep {
                    footprint.inspects.add(channels)
                } else {
                    footprint.receives.add(channels)
                }
                for field in &pattern.fields {
                    if let Field::Bind(place) = *field {
                        self.add_write(&mut footprint, place);
                    }
                }
            }
            Action::Run { arguments, then, .. } => {
                footprint.whole_system = true;
                self.add_reads(&mut footprint, arguments);
                self.add_assigns(&mut footprint, then);
            }
            Action::SetPriority { .. } | Action::End => footprint.whole_system = true,
            Action::Together { assigns, .. } => {
                footprint.whole_system = true;
                self.add_assigns(&mut footprint, assigns);
            }
            Action::Print { values, .. } => self.add_reads(&mut footprint, values),
        }
        footprint.moves.insert(step.process);
        footprint.writes.extend(self.last);
        footprint
    }

    fn add_assigns(&self, footprint: &mut Footprint, assigns: &[Assign]) {
        for assign in assigns {
            self.add_write(footprint, assign.place);
            self.add_reads(footprint, &[assign.value]);
        }
    }

    fn add_write(&self, footprint: &mut Footprint, place: Place) {
        footprint.writes.insert(place.variable());
        if let Place::Element(_, indices) = place {
            self.add_reads(footprint, self.exprs.list(indices));
        }
    }

    fn add_reads(&self, footprint: &mut Footprint, roots: &[ExprId]) {
        for id in self.exprs.reachable(roots) {
            match self.exprs.get(id) {
                Expr::Var(var) | Expr::Element(var, _) => {
                    footprint.reads.insert(var);
                }
                Expr::At(process, _) => {
                    footprint.locations.insert(process);
                }
                Expr::Length(channel) => footprint.inspects.add(self.channels_of(channel)),
                Expr::Poll(pattern) => {
                    footprint.inspects.add(self.channels_of(self.exprs.pattern(pattern).channel));
                }
                Expr::Remote(..)
                | Expr::RemoteElement(..)
                | Expr::RemoteAt(..)
                | Expr::Deadlock
                | Expr::Timeout
                | Expr::ProcessCount
                | Expr::NonProgress
                | Expr::Enabled(_)
                | Expr::LocationOf(_)
                | Expr::PriorityOf(_) => footprint.whole_system = true,
                _ => {}
            }
        }
    }

    /// The channels an expression may denote, if that is known: a variable that holds its own channel and is
    /// never assigned.
    fn channels_of(&self, expr: ExprId) -> Option<BTreeSet<ChannelId>> {
        let (Expr::Var(var) | Expr::Element(var, _)) = self.exprs.get(expr) else { return None };
        let variable = self.variable(var);
        let InitialValue::Channel(first) = variable.initial else { return None };
        if self.is_assigned(var) {
            return None;
        }
        Some((first.index()..first.index() + variable.cells()).map(ChannelId::new).collect())
    }
}

//! A `trace` or `notrace` as part of the steps that it watches.
//!
//! The automaton's place is a variable; what is sent and received on the channels that it names moves it along. Where it does not
//! allow what happens the step goes wrong instead. Only messages with constants are told apart by it here.

use std::collections::BTreeSet;

use tertium_base::narrow::to_i64;
use tertium_program::{Action, Assign, Expr, ExprId, Field, Place, Sort, Step, StepId, VarId};

use crate::Unsupported;
use crate::instances::Making;
use crate::queues::number;

/// A message that goes into a channel or comes out of it.
pub(crate) struct Event {
    pub(crate) queue: usize,
    pub(crate) message: Vec<ExprId>,
    pub(crate) sent: bool,
}

/// An event that the automaton allows at a place.
#[derive(Clone, Debug)]
struct Allowed {
    queue: usize,
    sent: bool,
    /// By field, the value that it must have.
    wanted: Vec<Option<i64>>,
    target: usize,
}

/// The automaton that watches events.
#[derive(Clone, Debug)]
pub(crate) struct Watcher {
    pub(crate) variable: VarId,
    negated: bool,
    /// By place.
    places: Vec<Vec<Allowed>>,
    /// The places where it may rest.
    pub(crate) ends: Vec<i64>,
}

/// What an event does.
struct Advance {
    /// The automaton allows it.
    fine: ExprId,
    /// It is not clear where that leads.
    vague: ExprId,
    /// The place afterwards.
    at: ExprId,
}

impl Watcher {
    fn names(&self, event: &Event) -> bool {
        self.places.iter().flatten().any(|allowed| allowed.is_about(event))
    }

    fn is_last(&self, place: usize) -> bool {
        self.places[place].is_empty()
    }
}

impl Allowed {
    fn is_about(&self, event: &Event) -> bool {
        self.queue == event.queue && self.sent == event.sent
    }
}

impl Making<'_> {
    /// The automaton of the program, if it has one.
    pub(crate) fn watcher(&mut self) -> Result<Option<Watcher>, Unsupported> {
        let old = self.old;
        let Some(trace) = &old.trace else { return Ok(None) };
        let mut places = Vec::new();
        for location in &old.process(trace.process).locations {
            let mut allowed = Vec::new();
            for &id in &location.steps {
                allowed.push(self.allowed(id, trace.sends.contains(&id))?);
            }
            places.push(allowed);
        }
        let locations = old.process(trace.process).locations.iter().enumerate();
        let ends = locations.filter(|(_, location)| location.end).map(|(at, _)| to_i64(at)).collect();
        let Some(&variable) = self.copies.shared.get(&trace.variable) else { return Err(Unsupported::Processes) };
        Ok(Some(Watcher { variable, negated: trace.negated, places, ends }))
    }

    fn allowed(&mut self, id: StepId, sent: bool) -> Result<Allowed, Unsupported> {
        let old = self.old;
        let refused = || Unsupported::Expression(old.step(id).text.clone());
        let Action::Receive { pattern, .. } = &old.step(id).action else { return Err(refused()) };
        let channel = self.copies.moved(old, &mut self.program.exprs, pattern.channel, None)?;
        let queue = self.copies.queues.position(&self.program.exprs, channel).ok_or_else(refused)?;
        if self.copies.queues.get(queue).fields() != Some(pattern.fields.len()) {
            return Err(refused());
        }
        let wanted = |field: &Field| match *field {
            Field::Match(value) => old.exprs.constant(value).map(Some).ok_or_else(refused),
            Field::Bind(_) | Field::Skip => Ok(None),
        };
        let wanted = pattern.fields.iter().map(wanted).collect::<Result<_, _>>()?;
        Ok(Allowed { queue, sent, wanted, target: old.step(id).target.index() })
    }

    /// Adds a step during which these events happen, one after the other.
    pub(crate) fn push_eventful(
        &mut self,
        origin: (usize, StepId),
        mut step: Step,
        partner: Option<(u32, StepId)>,
        events: &[Event],
    ) {
        let Some(watcher) = self.watcher.clone().filter(|watcher| events.iter().any(|event| watcher.names(event)))
        else {
            return self.push(origin, step, partner);
        };
        let (mut fine, mut vague) = (self.program.exprs.bool(true), self.program.exprs.bool(false));
        let mut at = self.program.exprs.var(watcher.variable, Sort::Int);
        for event in events.iter().filter(|event| watcher.names(event)) {
            let advance = self.advance(&watcher, event, at);
            let exprs = &mut self.program.exprs;
            (fine, vague) = (exprs.and(fine, advance.fine), exprs.or(vague, advance.vague));
            at = advance.at;
        }
        // What goes wrong with the action itself goes wrong first.
        let quiet = self.quiet(&step.action);
        let exprs = &mut self.program.exprs;
        let vague = exprs.and(quiet, vague);
        let (clear, strays) = (exprs.not(vague), exprs.not(fine));
        let strays = exprs.all(&[quiet, clear, strays]);
        self.push_misused(origin, &step, vague);
        self.push_strayed(origin, &step, strays);
        let exprs = &mut self.program.exprs;
        let (clear, stays) = (exprs.not(vague), exprs.not(strays));
        step.guard = exprs.and(step.guard, clear);
        // Where runs go on after what goes wrong, the automaton stays where it is.
        if !self.old.persistent {
            step.guard = exprs.and(step.guard, stays);
        }
        if let Action::Assign(assigns) | Action::Together { assigns, .. } = &mut step.action {
            assigns.push(Assign { place: Place::Var(watcher.variable), value: at });
        }
        self.straying.insert(StepId::new(self.program.steps.len()), strays);
        self.push(origin, step, partner);
    }

    fn advance(&mut self, watcher: &Watcher, event: &Event, at: ExprId) -> Advance {
        let exprs = &mut self.program.exprs;
        let last = (0..watcher.places.len()).find(|&place| watcher.is_last(place)).filter(|_| watcher.negated);
        let otherwise = last.map_or(at, |last| exprs.int(to_i64(last)));
        let mut all = Advance { fine: exprs.bool(watcher.negated), vague: exprs.bool(false), at: otherwise };
        for (place, allowed) in watcher.places.iter().enumerate() {
            let mut own = Advance { fine: exprs.bool(watcher.negated), vague: exprs.bool(false), at: otherwise };
            let mut later = exprs.bool(false);
            for allowed in allowed.iter().rev().filter(|allowed| allowed.is_about(event)) {
                let fits = fits(exprs, allowed, &event.message);
                let good = !(watcher.negated && watcher.is_last(allowed.target));
                let (good, vague) = (exprs.bool(good), if good { later } else { exprs.bool(false) });
                let target = exprs.int(to_i64(allowed.target));
                own = Advance {
                    fine: exprs.ite(fits, good, own.fine),
                    vague: exprs.ite(fits, vague, own.vague),
                    at: exprs.ite(fits, target, own.at),
                };
                later = exprs.or(fits, later);
            }
            let number = exprs.int(to_i64(place));
            let here = exprs.eq(at, number);
            all = Advance {
                fine: exprs.ite(here, own.fine, all.fine),
                vague: exprs.ite(here, own.vague, all.vague),
                at: exprs.ite(here, own.at, all.at),
            };
        }
        all
    }

    /// That nothing goes wrong with an action.
    pub(crate) fn quiet(&mut self, action: &Action) -> ExprId {
        let mut parts = Vec::new();
        match action {
            Action::Assign(assigns) | Action::Together { assigns, .. } => {
                for assign in assigns {
                    if let Place::Element(var, indices) = assign.place {
                        let sort = self.program.sort_of(self.program.variable(var).ty);
                        let cell = self.program.exprs.add_sorted(Expr::Element(var, indices), sort);
                        parts.push(self.program.defined(cell));
                    }
                    parts.push(self.program.defined(assign.value));
                }
            }
            Action::Assert(condition) => parts.extend([self.program.defined(*condition), *condition]),
            Action::Print { values, .. } => {
                for &value in values {
                    parts.push(self.program.defined(value));
                }
            }
            _ => {}
        }
        self.program.exprs.all(&parts)
    }

    fn push_strayed(&mut self, origin: (usize, StepId), draft: &Step, when: ExprId) {
        let added = self.push_failing(origin, draft, when);
        self.strayed.extend(added);
    }

    /// A step that goes wrong under a condition, in no way that an expression could.
    pub(crate) fn push_misused(&mut self, origin: (usize, StepId), draft: &Step, when: ExprId) {
        let added = self.push_failing(origin, draft, when);
        self.misused.extend(added);
    }

    fn push_failing(&mut self, origin: (usize, StepId), draft: &Step, when: ExprId) -> BTreeSet<StepId> {
        let guard = self.program.exprs.and(draft.guard, when);
        if self.program.exprs.constant(when) == Some(0) || self.program.exprs.constant(guard) == Some(0) {
            return BTreeSet::new();
        }
        let action = Action::Print { format: String::new(), values: vec![self.nothing()] };
        let id = StepId::new(self.program.steps.len());
        self.push(origin, Step { guard, action, ..draft.clone() }, None);
        BTreeSet::from([id])
    }
}

/// Whether a message has the values that an automaton asks for.
fn fits(exprs: &mut tertium_program::Exprs, allowed: &Allowed, message: &[ExprId]) -> ExprId {
    let mut parts = Vec::new();
    for (&wanted, &value) in allowed.wanted.iter().zip(message) {
        if let Some(wanted) = wanted {
            let (value, wanted) = (number(exprs, value), exprs.int(wanted));
            parts.push(exprs.eq(value, wanted));
        }
    }
    exprs.all(&parts)
}

//! Saturation (Ciardo, Lüttgen, Siminiceanu 2001): a diagram is closed under the steps of lower levels before higher ones move.
//!
//! [`Saturation::image`] is the relational product of a set with one part of the transition relation, level by level: what a part
//! does not write is left as it is, the values before the step are quantified as they are passed (early quantification), and no copy of
//! the set over other bits is made. [`Saturation::closure`] is the fixpoint: the events of the relation are grouped by their top level, a
//! node is saturated once no event of its group or below adds anything, and whatever an event leads to is saturated at once. So
//! processes that know nothing of each other never meet in an intermediate result. A constraint that states must not leave is
//! carried along (constrained saturation, Zhao and Ciardo 2009).
//!
//! Unlike in the papers, diagrams are binary with complemented edges, an event is any part of a disjunctive partition rather than
//! one written as a product over levels, and results are cached by node and by the groups below, so that relations that
//! differ in their upper events only share everything beneath.
//!
//! Not here: which parts there are, and limits, which the store looks at.

use std::cell::Cell;

use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, Function as _, Manager as _};
use oxidd_core::util::{EdgeDropGuard, Own, Ref};
use oxidd_core::{ApplyCache as _, DiagramRules as _, HasApplyCache, Node as Inner};
use oxidd_rules_bdd::complement_edge::{BCDDRules, BCDDTerminal, EdgeTag};

use crate::manager::{Edge, Function, Manager, RelationCache, RelationOp};
use crate::relation::RelationPart;
use crate::store::Store;

/// Between two looks at the number of nodes.
const CALLS_BETWEEN_LOOKS: u32 = 1 << 12;

/// An edge that is released when it is no longer needed, whatever happens.
type Held<'m, 'id> = EdgeDropGuard<'m, Manager<'id>>;
type Seen<'r, 'id> = Ref<'r, Edge<'id>>;

/// Whether images or preimages are computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    /// The cache's word for it.
    fn operation(self) -> RelationOp {
        match self {
            Self::Forward => RelationOp::Image,
            Self::Backward => RelationOp::Preimage,
        }
    }

    /// From the values of a bit before and after a step: where it is looked for, and where it is found.
    fn ends(self, now: usize, later: usize) -> (usize, usize) {
        match self {
            Self::Forward => (now, later),
            Self::Backward => (later, now),
        }
    }
}

/// The events, parts of the relation, whose top level is the same.
struct EventGroup<'p> {
    level: u32,
    parts: Vec<&'p RelationPart>,
    /// The same number for the same parts in this and all later groups, in the same direction.
    id: u32,
}

/// Events by their top level. Those that write nothing lead nowhere else and are left out.
pub(crate) struct EventGroups<'p> {
    groups: Vec<EventGroup<'p>>,
    direction: Direction,
}

impl<'p> EventGroups<'p> {
    pub(crate) fn new(parts: &'p [RelationPart], direction: Direction, store: &Store) -> Self {
        let mut sorted: Vec<(u32, &RelationPart)> = (parts.iter().filter(|part| !part.is_conjunctive()))
            .filter_map(|part| Some((part.written().first()?.0.number(), part)))
            .collect();
        for (level, part) in &mut sorted {
            *level = (*level).min(part.steps().level());
        }
        sorted.sort_by_key(|(level, _)| *level);
        let mut groups: Vec<EventGroup<'p>> = Vec::new();
        for (level, part) in sorted {
            match groups.last_mut().filter(|group| group.level == level) {
                Some(group) => group.parts.push(part),
                None => groups.push(EventGroup { level, parts: vec![part], id: 0 }),
            }
        }
        let mut below = 0;
        for group in groups.iter_mut().rev() {
            let ids = group.parts.iter().map(|part| part.id()).collect();
            below = store.group_id((direction, group.level, ids, below));
            group.id = below;
        }
        Self { groups, direction }
    }

    /// How many groups there are.
    pub(crate) fn count(&self) -> usize {
        self.groups.len()
    }
}

/// One walk through the diagrams of a store.
pub(crate) struct Saturation<'m, 'id> {
    manager: &'m Manager<'id>,
    store: &'m Store,
    groups: &'m [EventGroup<'m>],
    direction: Direction,
    /// Whether the constraint is no constraint.
    unconstrained: bool,
    calls: Cell<u32>,
}

/// A part on the way down: how many of its written bits are behind, and how many groups.
#[derive(Clone, Copy)]
struct At<'p> {
    part: &'p RelationPart,
    written: usize,
    group: usize,
}

impl At<'_> {
    /// The next bit that the part writes.
    fn next_written(self) -> u32 {
        self.part.written().get(self.written).map_or(u32::MAX, |(now, _)| now.number())
    }
}

/// The two sides of a diagram at a level.
fn sides<'r, 'id: 'r>(manager: &'r Manager<'id>, edge: Seen<'r, 'id>, level: u32) -> [Seen<'r, 'id>; 2] {
    match manager.get_node(edge) {
        Inner::Inner(node) if oxidd_core::HasLevel::level(node) == level => {
            [0, 1].map(|side| BCDDRules::cofactor(edge.tag(), node, side))
        }
        _ => [edge, edge],
    }
}

impl<'m, 'id> Saturation<'m, 'id> {
    /// A walk along one part, without a fixpoint.
    fn alone(manager: &'m Manager<'id>, store: &'m Store, direction: Direction) -> Self {
        Self { manager, store, groups: &[], direction, unconstrained: true, calls: Cell::new(0) }
    }

    /// The image, or preimage, under one part.
    pub(crate) fn image(
        manager: &'m Manager<'id>,
        store: &'m Store,
        part: &RelationPart,
        direction: Direction,
        set: &Function,
    ) -> AllocResult<Function> {
        let walk = Self::alone(manager, store, direction);
        let all = walk.constant(true);
        let at = At { part, written: 0, group: 0 };
        let found = walk
            .rec_fire(set.as_edge(manager), part.steps().function.as_edge(manager), all.borrowed(), at)?
            .into_edge();
        Ok(Function::from_edge(manager, found))
    }

    /// The same diagram with the written bits of a part in place of their neighbours for afterwards, or the other way round. None of the bits
    /// that are put in place may occur.
    pub(crate) fn shifted(
        manager: &'m Manager<'id>,
        store: &'m Store,
        part: &RelationPart,
        direction: Direction,
        set: &Function,
    ) -> AllocResult<Function> {
        let walk = Self::alone(manager, store, direction);
        let found = walk.rec_shift(set.as_edge(manager), part)?.into_edge();
        Ok(Function::from_edge(manager, found))
    }

    fn rec_shift(&self, set: Seen<'_, 'id>, part: &RelationPart) -> AllocResult<Held<'m, 'id>> {
        if self.manager.get_node(set).is_any_terminal() {
            return Ok(self.hold(self.manager.clone_edge(set)));
        }
        let ids = [part.id(), u32::from(self.direction == Direction::Forward)];
        if let Some(found) = self.cached(RelationOp::Shift, &[set], &ids) {
            return Ok(found);
        }
        self.look()?;
        let level = self.level(set);
        let written = |level: u32| part.written().binary_search_by_key(&level, |(now, _)| now.number()).is_ok();
        let to = match self.direction {
            Direction::Forward if level > 0 && written(level - 1) => level - 1,
            Direction::Backward if written(level) => level + 1,
            _ => level,
        };
        let both = sides(self.manager, set, level);
        let found = self.node(to, [self.rec_shift(both[0], part)?, self.rec_shift(both[1], part)?])?;
        self.cache(RelationOp::Shift, &[set], &ids, &found);
        Ok(found)
    }

    /// The least fixpoint of images inside `constraint` from `start` on: what is reachable, `start` itself included; by the events of the groups from
    /// `first` on.
    pub(crate) fn closure(
        manager: &'m Manager<'id>,
        store: &'m Store,
        (groups, first): (&'m EventGroups<'m>, usize),
        start: &Function,
        constraint: &Function,
    ) -> AllocResult<Function> {
        let EventGroups { groups, direction } = groups;
        let (direction, unconstrained) = (*direction, constraint.valid());
        let walk = Self { manager, store, groups, direction, unconstrained, calls: Cell::new(0) };
        let found = walk.saturate(start.as_edge(manager), constraint.as_edge(manager), first)?.into_edge();
        Ok(Function::from_edge(manager, found))
    }

    fn hold(&self, edge: Own<Edge<'id>>) -> Held<'m, 'id> {
        EdgeDropGuard::new(self.manager, edge)
    }

    fn constant(&self, truth: bool) -> Held<'m, 'id> {
        let full = self.manager.get_terminal(BCDDTerminal).unwrap_or_else(|_| unreachable!("it takes no room"));
        self.hold(if truth { full } else { full.with_tag(EdgeTag::Complemented) })
    }

    fn is_constant(&self, edge: Seen<'_, 'id>, truth: bool) -> bool {
        let tag = if truth { EdgeTag::None } else { EdgeTag::Complemented };
        edge.tag() == tag && self.manager.get_node(edge).is_any_terminal()
    }

    fn level(&self, edge: Seen<'_, 'id>) -> u32 {
        self.manager.get_node(edge).level()
    }

    fn group_level(&self, group: usize) -> u32 {
        self.groups.get(group).map_or(u32::MAX, |group| group.level)
    }

    fn group_id(&self, group: usize) -> u32 {
        self.groups.get(group).map_or(0, |group| group.id)
    }

    fn node(&self, level: u32, [set, unset]: [Held<'m, 'id>; 2]) -> AllocResult<Held<'m, 'id>> {
        let node = BCDDRules::reduce(self.manager, level, [set.into_edge(), unset.into_edge()]);
        Ok(self.hold(node.then_insert(self.manager, level)?))
    }

    fn and(&self, a: Seen<'_, 'id>, b: Seen<'_, 'id>) -> AllocResult<Held<'m, 'id>> {
        Ok(self.hold(Function::and_edge(self.manager, a, b)?))
    }

    /// Adds `more` to `to`, and says whether that was anything new.
    fn add(&self, to: &mut Held<'m, 'id>, more: &Held<'m, 'id>) -> AllocResult<bool> {
        let sum = self.hold(Function::or_edge(self.manager, to.borrowed(), more.borrowed())?);
        let grown = sum.borrowed() != to.borrowed();
        *to = sum;
        Ok(grown)
    }

    fn cached(&self, what: RelationOp, sets: &[Seen<'_, 'id>], ids: &[u32]) -> Option<Held<'m, 'id>> {
        let relations = <Manager<'id> as HasApplyCache<Manager<'id>, RelationOp>>::apply_cache(self.manager);
        let ([found], []) = RelationCache::get_extended::<1, 0>(relations, self.manager, what, (sets, ids))?;
        Some(self.hold(found))
    }

    fn cache(&self, what: RelationOp, sets: &[Seen<'_, 'id>], ids: &[u32], found: &Held<'m, 'id>) {
        let relations = <Manager<'id> as HasApplyCache<Manager<'id>, RelationOp>>::apply_cache(self.manager);
        relations.add_extended(self.manager, what, (sets, ids), (&[found.borrowed()], &[]));
    }

    /// One walk may make more nodes than there is room for, most of them needed for a moment only.
    fn look(&self) -> AllocResult<()> {
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if !calls.is_multiple_of(CALLS_BETWEEN_LOOKS) {
            return Ok(());
        }
        self.store.spend_effort(CALLS_BETWEEN_LOOKS as usize)?;
        self.store.look_inside(self.manager, CALLS_BETWEEN_LOOKS)
    }

    /// Saturates: the closure of `set` under all groups from this one on.
    fn saturate(&self, set: Seen<'_, 'id>, constraint: Seen<'_, 'id>, group: usize) -> AllocResult<Held<'m, 'id>> {
        let done = group == self.groups.len() || set == constraint || self.is_constant(constraint, false);
        if done || self.manager.get_node(set).is_any_terminal() {
            return Ok(self.hold(self.manager.clone_edge(set)));
        }
        let id = self.group_id(group);
        if let Some(found) = self.cached(RelationOp::Saturate, &[set, constraint], &[id]) {
            return Ok(found);
        }
        self.look()?;
        let level = self.level(set).min(self.level(constraint)).min(self.group_level(group));
        let here = self.group_level(group) == level;
        let (sets, constraints) = (sides(self.manager, set, level), sides(self.manager, constraint, level));
        let below = group + usize::from(here);
        let mut closed =
            [self.saturate(sets[0], constraints[0], below)?, self.saturate(sets[1], constraints[1], below)?];
        if here {
            self.fire_group(group, &mut closed, constraints)?;
        }
        let found = self.node(level, closed)?;
        self.cache(RelationOp::Saturate, &[set, constraint], &[id], &found);
        self.cache(RelationOp::Saturate, &[found.borrowed(), constraint], &[id], &found);
        Ok(found)
    }

    /// Fires the events of one group until none of them adds anything. Both sides are saturated below, and stay so.
    fn fire_group(
        &self,
        group: usize,
        sets: &mut [Held<'m, 'id>; 2],
        constraints: [Seen<'_, 'id>; 2],
    ) -> AllocResult<()> {
        let parts = &self.groups[group].parts;
        let mut idle = 0;
        for part in parts.iter().cycle() {
            let grown = self.fire_part(part, group, sets, constraints)?;
            idle = if grown { 1 } else { idle + 1 };
            if idle >= parts.len() {
                break;
            }
        }
        Ok(())
    }

    /// Fires one event until it adds nothing, and says whether it did.
    fn fire_part(
        &self,
        part: &RelationPart,
        group: usize,
        sets: &mut [Held<'m, 'id>; 2],
        constraints: [Seen<'_, 'id>; 2],
    ) -> AllocResult<bool> {
        let level = self.groups[group].level;
        let writes = usize::from(part.written()[0].0.number() == level);
        let at = At { part, written: writes, group: group + 1 };
        let steps = part.steps().function.as_edge(self.manager);
        let (mut grown, mut again) = (false, true);
        while again {
            again = false;
            for (from, to, steps) in self.branches(steps, level, writes == 1) {
                let found = self.rec_fire(sets[from].borrowed(), steps, constraints[to], at)?;
                again |= self.add(&mut sets[to], &found)?;
            }
            grown |= again;
        }
        Ok(grown)
    }

    /// The steps by the side they come from and the one they lead to; a bit that is not written stays on its side.
    #[inline]
    fn branches<'r>(
        &'r self,
        steps: Seen<'r, 'id>,
        level: u32,
        writes: bool,
    ) -> impl Iterator<Item = (usize, usize, Seen<'r, 'id>)> {
        let sides_before = sides(self.manager, steps, level).into_iter().enumerate();
        sides_before.flat_map(move |(now, steps)| {
            let steps = if writes { sides(self.manager, steps, level + 1) } else { [steps, steps] };
            (0..2).filter(move |&later| writes || later == now).map(move |later| {
                let (from, to) = self.direction.ends(now, later);
                (from, to, steps[later])
            })
        })
    }

    /// The relational product of `set` and `steps` inside `constraint`, saturated under the groups that are left; `set` is.
    fn rec_fire(
        &self,
        set: Seen<'_, 'id>,
        steps: Seen<'_, 'id>,
        constraint: Seen<'_, 'id>,
        at: At<'_>,
    ) -> AllocResult<Held<'m, 'id>> {
        if [set, steps, constraint].iter().any(|&edge| self.is_constant(edge, false)) {
            return Ok(self.constant(false));
        }
        if at.next_written() == u32::MAX && self.is_constant(steps, true) {
            return self.finish(set, constraint, at.group);
        }
        let ids = [at.part.id(), self.group_id(at.group)];
        let operation = self.direction.operation();
        if let Some(found) = self.cached(operation, &[set, steps, constraint], &ids) {
            return Ok(found);
        }
        self.look()?;
        let levels = [self.level(set), self.level(steps), self.level(constraint), self.group_level(at.group)];
        let level = levels.into_iter().fold(at.next_written(), u32::min);
        let here = self.group_level(at.group) == level;
        let constraints = sides(self.manager, constraint, level);
        let mut found = self.rec_fire_level(set, steps, constraints, level, at)?;
        if here {
            self.fire_group(at.group, &mut found, constraints)?;
        }
        let found = self.node(level, found)?;
        self.cache(operation, &[set, steps, constraint], &ids, &found);
        Ok(found)
    }

    /// One level of [`Self::rec_fire`].
    fn rec_fire_level(
        &self,
        set: Seen<'_, 'id>,
        steps: Seen<'_, 'id>,
        constraints: [Seen<'_, 'id>; 2],
        level: u32,
        at: At<'_>,
    ) -> AllocResult<[Held<'m, 'id>; 2]> {
        let writes = at.next_written() == level;
        let below = At {
            written: at.written + usize::from(writes),
            group: at.group + usize::from(self.group_level(at.group) == level),
            ..at
        };
        let sets = sides(self.manager, set, level);
        let mut found = [self.constant(false), self.constant(false)];
        for (from, to, steps) in self.branches(steps, level, writes) {
            let more = self.rec_fire(sets[from], steps, constraints[to], below)?;
            self.add(&mut found[to], &more)?;
        }
        Ok(found)
    }

    /// The steps have nothing more to say: what is left of `set` stays as it is.
    fn finish(&self, set: Seen<'_, 'id>, constraint: Seen<'_, 'id>, group: usize) -> AllocResult<Held<'m, 'id>> {
        let inside = self.and(set, constraint)?;
        // It is saturated within the constraint where it comes from; here more may be allowed.
        if self.unconstrained { Ok(inside) } else { self.saturate(inside.borrowed(), constraint, group) }
    }
}

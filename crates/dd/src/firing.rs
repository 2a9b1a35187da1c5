//! Where do steps lead, and what do they reach when they are taken again and again?
//!
//! [`Firing::image`] walks a set and the steps of one part together, level by level; no copy of the set over other bits is made.
//! [`Firing::closure`] saturates: a diagram is closed under the steps that touch only its lower levels before those of
//! higher ones are taken, and whatever a step leads to is closed at once. So processes that know nothing of each other never
//! meet in an intermediate result. What was closed once is remembered by node and by the steps of the levels
//! below, so relations that differ in their upper steps only share everything beneath.
//!
//! Not here: which parts there are, and limits, which the store looks at.

use std::cell::Cell;

use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, Function as _, Manager as _};
use oxidd_core::util::{EdgeDropGuard, Own, Ref};
use oxidd_core::{ApplyCache as _, DiagramRules as _, HasApplyCache, Node as Inner};
use oxidd_rules_bdd::complement_edge::{BCDDRules, BCDDTerminal, EdgeTag};

use crate::manager::{Edge, Function, Manager, Move, Moves};
use crate::relation::Part;
use crate::store::Store;

/// Between two looks at the number of nodes.
const CALLS_BETWEEN_LOOKS: u32 = 1 << 12;

/// An edge that is let go of when it is no longer needed, whatever happens.
type Held<'m, 'id> = EdgeDropGuard<'m, Manager<'id>>;
type Seen<'r, 'id> = Ref<'r, Edge<'id>>;

/// Whether steps are taken as they are or against their direction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Direction {
    After,
    Before,
}

impl Direction {
    /// The cache's word for it.
    fn operation(self) -> Move {
        match self {
            Self::After => Move::After,
            Self::Before => Move::Before,
        }
    }

    /// From the values of a bit before and after a step: where it is looked for, and where it is found.
    fn ends(self, now: usize, later: usize) -> (usize, usize) {
        match self {
            Self::After => (now, later),
            Self::Before => (later, now),
        }
    }
}

/// The parts whose first level is the same.
struct Stage<'p> {
    level: u32,
    parts: Vec<&'p Part>,
    /// The same number for the same parts in this and all later stages, in the same direction.
    id: u32,
}

/// Parts by their first level. Those that write nothing lead nowhere else and are left out.
pub(crate) struct Stages<'p> {
    stages: Vec<Stage<'p>>,
    direction: Direction,
}

impl<'p> Stages<'p> {
    pub(crate) fn new(parts: &'p [Part], direction: Direction, store: &Store) -> Self {
        let mut sorted: Vec<(u32, &Part)> =
            parts.iter().filter_map(|part| Some((part.written().first()?.0.number(), part))).collect();
        for (level, part) in &mut sorted {
            *level = (*level).min(part.steps().level());
        }
        sorted.sort_by_key(|(level, _)| *level);
        let mut stages: Vec<Stage<'p>> = Vec::new();
        for (level, part) in sorted {
            match stages.last_mut().filter(|stage| stage.level == level) {
                Some(stage) => stage.parts.push(part),
                None => stages.push(Stage { level, parts: vec![part], id: 0 }),
            }
        }
        let mut below = 0;
        for stage in stages.iter_mut().rev() {
            let ids = stage.parts.iter().map(|part| part.id()).collect();
            below = store.stage_id((direction, stage.level, ids, below));
            stage.id = below;
        }
        Self { stages, direction }
    }
}

/// One walk through the diagrams of a store.
pub(crate) struct Firing<'m, 'id> {
    manager: &'m Manager<'id>,
    store: &'m Store,
    stages: &'m [Stage<'m>],
    direction: Direction,
    /// Whether there is room everywhere.
    roomy: bool,
    calls: Cell<u32>,
}

/// A part on the way down: how many of its written bits are behind, and how many stages.
#[derive(Clone, Copy)]
struct At<'p> {
    part: &'p Part,
    written: usize,
    stage: usize,
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

impl<'m, 'id> Firing<'m, 'id> {
    /// What one step of a part leads to.
    pub(crate) fn image(
        manager: &'m Manager<'id>,
        store: &'m Store,
        part: &Part,
        direction: Direction,
        set: &Function,
    ) -> AllocResult<Function> {
        let walk = Self { manager, store, stages: &[], direction, roomy: true, calls: Cell::new(0) };
        let all = walk.constant(true);
        let at = At { part, written: 0, stage: 0 };
        let found =
            walk.fire(set.as_edge(manager), part.steps().function.as_edge(manager), all.borrowed(), at)?.into_edge();
        Ok(Function::from_edge(manager, found))
    }

    /// What the parts lead to again and again inside `room`, `start` itself included.
    pub(crate) fn closure(
        manager: &'m Manager<'id>,
        store: &'m Store,
        stages: &'m Stages<'m>,
        start: &Function,
        room: &Function,
    ) -> AllocResult<Function> {
        let Stages { stages, direction } = stages;
        let (direction, roomy) = (*direction, room.valid());
        let walk = Self { manager, store, stages, direction, roomy, calls: Cell::new(0) };
        let found = walk.close(start.as_edge(manager), room.as_edge(manager), 0)?.into_edge();
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

    fn stage_level(&self, stage: usize) -> u32 {
        self.stages.get(stage).map_or(u32::MAX, |stage| stage.level)
    }

    fn stage_id(&self, stage: usize) -> u32 {
        self.stages.get(stage).map_or(0, |stage| stage.id)
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

    fn remembered(&self, what: Move, sets: &[Seen<'_, 'id>], ids: &[u32]) -> Option<Held<'m, 'id>> {
        let moves = <Manager<'id> as HasApplyCache<Manager<'id>, Move>>::apply_cache(self.manager);
        let ([found], []) = Moves::get_extended::<1, 0>(moves, self.manager, what, (sets, ids))?;
        Some(self.hold(found))
    }

    fn remember(&self, what: Move, sets: &[Seen<'_, 'id>], ids: &[u32], found: &Held<'m, 'id>) {
        let moves = <Manager<'id> as HasApplyCache<Manager<'id>, Move>>::apply_cache(self.manager);
        moves.add_extended(self.manager, what, (sets, ids), (&[found.borrowed()], &[]));
    }

    /// One walk may make more nodes than there is room for, most of them needed for a moment only.
    fn look(&self) -> AllocResult<()> {
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if !calls.is_multiple_of(CALLS_BETWEEN_LOOKS) {
            return Ok(());
        }
        self.store.toil(CALLS_BETWEEN_LOOKS as usize)?;
        self.store.look_inside(self.manager)
    }

    /// The closure of `set` under all stages from this one on.
    fn close(&self, set: Seen<'_, 'id>, room: Seen<'_, 'id>, stage: usize) -> AllocResult<Held<'m, 'id>> {
        let done = stage == self.stages.len() || set == room || self.is_constant(room, false);
        if done || self.manager.get_node(set).is_any_terminal() {
            return Ok(self.hold(self.manager.clone_edge(set)));
        }
        let id = self.stage_id(stage);
        if let Some(found) = self.remembered(Move::Close, &[set, room], &[id]) {
            return Ok(found);
        }
        self.look()?;
        let level = self.level(set).min(self.level(room)).min(self.stage_level(stage));
        let here = self.stage_level(stage) == level;
        let (sets, rooms) = (sides(self.manager, set, level), sides(self.manager, room, level));
        let below = stage + usize::from(here);
        let mut closed = [self.close(sets[0], rooms[0], below)?, self.close(sets[1], rooms[1], below)?];
        if here {
            self.exhaust(stage, &mut closed, rooms)?;
        }
        let found = self.node(level, closed)?;
        self.remember(Move::Close, &[set, room], &[id], &found);
        self.remember(Move::Close, &[found.borrowed(), room], &[id], &found);
        Ok(found)
    }

    /// Takes the steps of one stage until none of them adds anything. Both sides are closed under the stages below, and stay so.
    fn exhaust(&self, stage: usize, sets: &mut [Held<'m, 'id>; 2], rooms: [Seen<'_, 'id>; 2]) -> AllocResult<()> {
        let parts = &self.stages[stage].parts;
        let mut idle = 0;
        for part in parts.iter().cycle() {
            let grown = self.repeat(part, stage, sets, rooms)?;
            idle = if grown { 1 } else { idle + 1 };
            if idle >= parts.len() {
                break;
            }
        }
        Ok(())
    }

    /// Takes the steps of one part until they add nothing, and says whether they did.
    fn repeat(
        &self,
        part: &Part,
        stage: usize,
        sets: &mut [Held<'m, 'id>; 2],
        rooms: [Seen<'_, 'id>; 2],
    ) -> AllocResult<bool> {
        let level = self.stages[stage].level;
        let writes = usize::from(part.written()[0].0.number() == level);
        let at = At { part, written: writes, stage: stage + 1 };
        let steps = part.steps().function.as_edge(self.manager);
        let (mut grown, mut again) = (false, true);
        while again {
            again = false;
            for (from, to, steps) in self.branches(steps, level, writes == 1) {
                let found = self.fire(sets[from].borrowed(), steps, rooms[to], at)?;
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

    /// What the steps lead to from `set` inside `room`, closed under the stages that are left; `set` is closed under them.
    fn fire(
        &self,
        set: Seen<'_, 'id>,
        steps: Seen<'_, 'id>,
        room: Seen<'_, 'id>,
        at: At<'_>,
    ) -> AllocResult<Held<'m, 'id>> {
        if [set, steps, room].iter().any(|&edge| self.is_constant(edge, false)) {
            return Ok(self.constant(false));
        }
        if at.next_written() == u32::MAX && self.is_constant(steps, true) {
            return self.arrive(set, room, at.stage);
        }
        let ids = [at.part.id(), self.stage_id(at.stage)];
        let operation = self.direction.operation();
        if let Some(found) = self.remembered(operation, &[set, steps, room], &ids) {
            return Ok(found);
        }
        self.look()?;
        let levels = [self.level(set), self.level(steps), self.level(room), self.stage_level(at.stage)];
        let level = levels.into_iter().fold(at.next_written(), u32::min);
        let here = self.stage_level(at.stage) == level;
        let rooms = sides(self.manager, room, level);
        let mut found = self.fire_sides(set, steps, rooms, level, at)?;
        if here {
            self.exhaust(at.stage, &mut found, rooms)?;
        }
        let found = self.node(level, found)?;
        self.remember(operation, &[set, steps, room], &ids, &found);
        Ok(found)
    }

    /// One level of [`Self::fire`].
    fn fire_sides(
        &self,
        set: Seen<'_, 'id>,
        steps: Seen<'_, 'id>,
        rooms: [Seen<'_, 'id>; 2],
        level: u32,
        at: At<'_>,
    ) -> AllocResult<[Held<'m, 'id>; 2]> {
        let writes = at.next_written() == level;
        let below = At {
            written: at.written + usize::from(writes),
            stage: at.stage + usize::from(self.stage_level(at.stage) == level),
            ..at
        };
        let sets = sides(self.manager, set, level);
        let mut found = [self.constant(false), self.constant(false)];
        for (from, to, steps) in self.branches(steps, level, writes) {
            let more = self.fire(sets[from], steps, rooms[to], below)?;
            self.add(&mut found[to], &more)?;
        }
        Ok(found)
    }

    /// The steps have nothing more to say: what is left of `set` stays as it is.
    fn arrive(&self, set: Seen<'_, 'id>, room: Seen<'_, 'id>, stage: usize) -> AllocResult<Held<'m, 'id>> {
        let inside = self.and(set, room)?;
        // It is closed in the room where it comes from; here there may be more.
        if self.roomy { Ok(inside) } else { self.close(inside.borrowed(), room, stage) }
    }
}

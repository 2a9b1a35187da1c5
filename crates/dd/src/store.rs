//! One store of diagrams: how many bits in which variable order, how many nodes, and when is garbage collected?

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use oxidd::util::{AllocResult, OutOfMemory};
use oxidd::{BooleanFunction, Manager as _, ManagerRef};
use tertium_base::{Budget, StopReason, Stopped, id_type};

use crate::gauge::Gauge;
use crate::manager::{Function, Manager, ManagerRef as Library, cached_results, grow_caches, new_manager, within};
use crate::saturation::Direction;
use crate::set::{QuantifiedBits, Renaming, Set};
use crate::stack::worker_fits;

id_type! {
    /// A bit of the rows of one store; the variable order of the diagrams is that of their numbers.
    pub struct Bit;
}

/// A store has at most this many bits: operations go as deep as there are.
pub const MOST_BITS: usize = 20_000;

/// What a node costs at most, its place in the table of its level included; a table that grows is there twice for a moment.
const BYTES_PER_NODE: usize = 36;
/// What an entry of the cache costs, with one of the cache of relational products.
const BYTES_PER_ENTRY: usize = 48;
/// Between two looks at the clock and at the number of nodes.
const OPERATIONS_BETWEEN_LOOKS: u32 = 32;

/// Garbage collection empties the caches, too. Fewer nodes are not worth it.
const WORTH_COLLECTING: usize = 1 << 22;

/// How large a store may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nodes, dead ones that are not yet collected included.
    pub nodes: usize,
    /// How much of relational products may be computed that no cache knows. Who can have more nodes elsewhere, or another order of bits,
    /// had better stop soon.
    pub effort: usize,
    /// Results of operations that are remembered.
    pub cache: usize,
}

impl Limits {
    /// So many nodes and results.
    #[must_use]
    pub const fn new(nodes: usize, cache: usize) -> Self {
        Self { nodes, effort: usize::MAX, cache }
    }

    /// For a trial, after which there is another one with more nodes.
    #[must_use]
    pub const fn trial(nodes: usize, cache: usize) -> Self {
        Self { nodes, effort: 2 * nodes, cache }
    }

    /// For diagrams of a structure that is there state by state, with this many states and steps.
    #[must_use]
    pub fn for_listed(elements: usize) -> Self {
        let nodes = elements.saturating_mul(64).clamp(1 << 14, 1 << 26);
        Self::new(nodes, (nodes / 16).next_power_of_two())
    }

    /// For diagrams of something that could not be listed: as much as the budget's memory allows.
    #[must_use]
    pub fn for_unlisted(budget: &Budget) -> Self {
        let left = budget.memory_left().unwrap_or(usize::MAX);
        let bytes = if budget.memory_limit().is_some() { left } else { left.min(4 << 30) };
        let cache = (bytes / 16 / BYTES_PER_ENTRY).clamp(1 << 10, 1 << 22);
        // A power of two, rounded down, so that the library's rounding up stays inside.
        let cache = 1 << cache.ilog2();
        let nodes = (bytes.saturating_sub(cache * BYTES_PER_ENTRY) / BYTES_PER_NODE).clamp(1 << 10, 1 << 27);
        // Where the cache forgets nearly everything, the same is computed again and again.
        Self { effort: nodes.saturating_mul(EFFORT_FOR_NODE), ..Self::new(nodes, cache) }
    }

    /// When to collect, if so many nodes are in use.
    fn collect_at(self, live: usize) -> usize {
        live.saturating_mul(4).max(WORTH_COLLECTING).min(self.nodes / 10 * 9)
    }
}

/// How many nodes the budget's memory has room for.
fn affordable(budget: &Budget) -> usize {
    budget.memory_left().map_or(usize::MAX, |left| left / BYTES_PER_NODE)
}

/// So much effort goes into relational products for each node that there may be.
const EFFORT_FOR_NODE: usize = 512;

/// So often garbage is collected although more than half of the nodes live.
const MOST_CROWDED: u32 = 24;

/// What all sets of one store share.
pub(crate) struct Store {
    manager: Library,
    budget: Budget,
    limits: Limits,
    bits: usize,
    operations: AtomicU32,
    /// Collect when this many nodes are reached.
    collect_at: AtomicUsize,
    peak: AtomicUsize,
    /// How often garbage was collected and more than half of the nodes that there may be were left.
    crowded: AtomicU32,
    /// What is left of it.
    effort: AtomicUsize,
    /// Whether an operation was given up for this reason: to try again would be in vain.
    hopeless: AtomicBool,
    /// Set when a cache forgets much.
    forgetful: Arc<AtomicBool>,
    /// Whether an operation was given up so that caches can grow.
    growing: AtomicBool,
    parts: AtomicU32,
    groups: Mutex<GroupIds>,
    gauge: OnceLock<Gauge>,
}

/// A group of events: direction, top level, parts, and the number of the group below.
pub(crate) type GroupKey = (Direction, u32, Vec<u32>, u32);

/// Numbers of groups that are alike. No number is given twice, also after the known ones were forgotten.
#[derive(Default)]
struct GroupIds {
    known: HashMap<GroupKey, u32>,
    last: u32,
}

/// More are forgotten; what is remembered about them is no longer found then.
const MOST_GROUPS: usize = 1 << 16;

impl Store {
    pub(crate) fn bit_count(&self) -> usize {
        self.bits
    }

    pub(crate) fn full(self: &Arc<Self>) -> Set {
        Set::new(self.manager.with_manager_shared(|manager| Function::t(manager)), Arc::clone(self))
    }

    fn bit(self: &Arc<Self>, bit: Bit) -> Result<Set, Stopped> {
        self.run(|| self.manager.with_manager_shared(|manager| Function::var(manager, bit.number())))
    }

    pub(crate) fn cube(self: &Arc<Self>, values: &[(Bit, bool)]) -> Result<Set, Stopped> {
        let mut values = values.to_vec();
        // From the last level up, every step makes one node.
        values.sort_unstable_by_key(|&(bit, _)| std::cmp::Reverse(bit));
        let mut rows = self.full();
        for (bit, value) in values {
            let literal = self.bit(bit)?;
            rows = rows.and(&if value { literal } else { literal.not() })?;
        }
        Ok(rows)
    }

    /// A number for a part, never given before.
    pub(crate) fn part_id(&self) -> u32 {
        self.parts.fetch_add(1, Ordering::Relaxed)
    }

    /// The number of a group; zero is none's.
    pub(crate) fn group_id(&self, key: GroupKey) -> u32 {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if groups.known.len() >= MOST_GROUPS {
            groups.known.clear();
        }
        let GroupIds { known, last } = &mut *groups;
        *known.entry(key).or_insert_with(|| {
            *last += 1;
            *last
        })
    }

    fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes())
    }

    fn collect(&self) {
        self.manager.with_manager_shared(|manager| self.collect_in(manager));
    }

    fn collect_in(&self, manager: &Manager<'_>) {
        manager.gc();
        let live = manager.num_inner_nodes();
        self.collect_at.store(self.limits.collect_at(live).max(live + live / 8 + 1), Ordering::Relaxed);
    }

    fn look(&self) -> Result<(), Stopped> {
        if self.forgetful.load(Ordering::Relaxed) {
            self.grow_caches();
        }
        let before = self.operations.fetch_add(1, Ordering::Relaxed);
        if !before.is_multiple_of(OPERATIONS_BETWEEN_LOOKS) {
            return Ok(());
        }
        self.budget.check()?;
        let room =
            self.manager.with_manager_shared(|manager| self.make_room(manager, manager.approx_num_inner_nodes()));
        room.map_err(|_| {
            self.hopeless.store(false, Ordering::Relaxed);
            Stopped(StopReason::Memory)
        })
    }

    /// No operation is under way.
    fn grow_caches(&self) {
        grow_caches(&self.manager);
        self.forgetful.store(false, Ordering::Relaxed);
    }

    /// Counts the effort of relational products.
    pub(crate) fn spend_effort(&self, asked: usize) -> AllocResult<()> {
        let left = self.effort.load(Ordering::Relaxed);
        if left == usize::MAX {
            return Ok(());
        }
        self.effort.store(left.saturating_sub(asked), Ordering::Relaxed);
        if left < asked { self.give_up() } else { Ok(()) }
    }

    fn give_up(&self) -> AllocResult<()> {
        self.hopeless.store(true, Ordering::Relaxed);
        Err(OutOfMemory)
    }

    /// Collects garbage if there are many nodes, in the middle of an operation: what it works on is held.
    pub(crate) fn look_inside(&self, manager: &Manager<'_>, calls: u32) -> AllocResult<()> {
        // The quick count misses what this thread did since the operation began.
        let nodes = manager.num_inner_nodes();
        if let Some(gauge) = self.gauge.get() {
            gauge.set(nodes, u64::from(calls));
        }
        // With caches that have grown it begins again: what is lost is little beside what is still to come.
        if self.forgetful.load(Ordering::Relaxed) {
            self.growing.store(true, Ordering::Relaxed);
            return Err(OutOfMemory);
        }
        self.make_room(manager, nodes)
    }

    fn make_room(&self, manager: &Manager<'_>, nodes: usize) -> AllocResult<()> {
        self.peak.fetch_max(nodes, Ordering::Relaxed);
        if nodes >= self.collect_at.load(Ordering::Relaxed) {
            self.collect_in(manager);
            let live = manager.num_inner_nodes();
            let is_crowded = live > self.limits.nodes / 2;
            let crowded = if is_crowded { self.crowded.fetch_add(1, Ordering::Relaxed) } else { 0 };
            // Nearly all of them live, or many have for long: to go on would be to collect again and again, and to compute again what was forgotten.
            if live > self.limits.nodes / 8 * 7 || crowded >= MOST_CROWDED {
                return self.give_up();
            }
        }
        Ok(())
    }

    /// Does something with the diagrams themselves, as [`Self::run`].
    pub(crate) fn walk(
        self: &Arc<Self>,
        operation: impl Fn(&Manager<'_>) -> AllocResult<Function>,
    ) -> Result<Set, Stopped> {
        self.run(|| self.manager.with_manager_shared(|manager| operation(manager)))
    }

    /// Does an operation within the limits, which are looked at while it runs; if nodes run out, once more after garbage
    /// collection.
    pub(crate) fn run(self: &Arc<Self>, operation: impl Fn() -> AllocResult<Function>) -> Result<Set, Stopped> {
        self.look()?;
        let result = match self.tried(&operation)? {
            Ok(function) => Ok(function),
            Err(_) if self.hopeless.swap(false, Ordering::Relaxed) => Err(OutOfMemory),
            Err(_) => {
                self.collect();
                self.tried(&operation)?
            }
        };
        match result {
            Ok(function) => Ok(Set::new(function, Arc::clone(self))),
            Err(_) => {
                self.peak.fetch_max(self.limits.nodes, Ordering::Relaxed);
                Err(Stopped(StopReason::Memory))
            }
        }
    }
}

impl Store {
    /// An operation, begun again whenever caches grow in the middle of it, as if it had not begun before.
    fn tried(&self, operation: &impl Fn() -> AllocResult<Function>) -> Result<AllocResult<Function>, Stopped> {
        loop {
            let effort = self.effort.load(Ordering::Relaxed);
            let result = within(operation)?;
            if result.is_ok() || !self.growing.swap(false, Ordering::Relaxed) {
                return Ok(result);
            }
            self.grow_caches();
            self.effort.store(effort, Ordering::Relaxed);
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "store of {} bits, {} nodes at most", self.bits, self.limits.nodes)
    }
}

/// A store of diagrams. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Diagrams {
    store: Arc<Store>,
}

impl Diagrams {
    /// A store for rows of this many bits.
    ///
    /// # Errors
    /// `Stopped` if it would not fit the budget, or there are too many bits.
    pub fn new(bits: usize, limits: Limits, budget: &Budget) -> Result<Self, Stopped> {
        if bits > MOST_BITS {
            return Err(Stopped(StopReason::Count));
        }
        budget.check()?;
        budget.reserve(limits.cache * BYTES_PER_ENTRY)?;
        worker_fits()?;
        // Every bit needs a node of its own for its table of contents.
        let nodes = limits.nodes.min(affordable(budget)).max(4 * bits + 64);
        let limits = Limits { nodes, ..limits };
        let (manager, forgetful) = new_manager(limits, bits, budget)?;
        let store = Store {
            manager,
            budget: budget.clone(),
            limits,
            bits,
            operations: AtomicU32::new(0),
            collect_at: AtomicUsize::new(limits.collect_at(0)),
            peak: AtomicUsize::new(0),
            crowded: AtomicU32::new(0),
            effort: AtomicUsize::new(limits.effort),
            hopeless: AtomicBool::new(false),
            forgetful,
            growing: AtomicBool::new(false),
            parts: AtomicU32::new(0),
            groups: Mutex::default(),
            gauge: OnceLock::new(),
        };
        Ok(Self { store: Arc::new(store) })
    }

    /// Shows what is done here to whoever watches this, for as long as the store lives.
    pub fn show(&self, gauge: &Gauge) {
        self.store.gauge.get_or_init(|| gauge.clone());
    }

    /// How many bits a row has.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.store.bits
    }

    /// No row.
    #[must_use]
    pub fn empty(&self) -> Set {
        let function = self.store.manager.with_manager_shared(|manager| Function::f(manager));
        Set::new(function, Arc::clone(&self.store))
    }

    /// Every row.
    #[must_use]
    pub fn full(&self) -> Set {
        self.store.full()
    }

    /// Every row, or none.
    #[must_use]
    pub fn constant(&self, all: bool) -> Set {
        if all { self.full() } else { self.empty() }
    }

    /// The rows in which a bit is set.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn bit(&self, bit: Bit) -> Result<Set, Stopped> {
        self.store.bit(bit)
    }

    /// The rows in which these bits have these values.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn cube(&self, values: &[(Bit, bool)]) -> Result<Set, Stopped> {
        self.store.cube(values)
    }

    /// The rows that are listed in `rows`, each as a number whose digits are the values of `bits`, the first the highest.
    /// `bits` must ascend; there can be at most 128.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn listed(&self, bits: &[Bit], mut rows: Vec<u128>) -> Result<Set, Stopped> {
        debug_assert!(bits.len() <= 128 && bits.is_sorted(), "rows are numbers, their digits in the order of the bits");
        rows.sort_unstable();
        rows.dedup();
        let literals: Vec<Set> = bits.iter().map(|&bit| self.bit(bit)).collect::<Result<_, _>>()?;
        self.split(&literals, &rows)
    }

    /// One level of [`Self::listed`]; as deep as there are digits.
    fn split(&self, literals: &[Set], rows: &[u128]) -> Result<Set, Stopped> {
        let Some((first, rest)) = literals.split_first() else { return Ok(self.constant(!rows.is_empty())) };
        if rows.is_empty() {
            return Ok(self.empty());
        }
        let at = rows.partition_point(|row| row >> rest.len() & 1 == 0);
        let (no, yes) = (self.split(rest, &rows[..at])?, self.split(rest, &rows[at..])?);
        first.ite(&yes, &no)
    }

    /// The bits as something that can be quantified.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn quantified(&self, bits: impl IntoIterator<Item = Bit>) -> Result<QuantifiedBits, Stopped> {
        let values: Vec<(Bit, bool)> = bits.into_iter().map(|bit| (bit, true)).collect();
        Ok(QuantifiedBits(self.cube(&values)?))
    }

    /// The renaming of each first bit to the second.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn renaming(&self, pairs: impl IntoIterator<Item = (Bit, Bit)>) -> Result<Renaming, Stopped> {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for (old, new) in pairs {
            from.push(old.number());
            to.push(self.bit(new)?.function);
        }
        Ok(Renaming::new(from, to))
    }

    /// How many nodes there are now, dead ones that are not yet collected included.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.store.nodes()
    }

    /// How many nodes there were at most, as far as was looked.
    #[must_use]
    pub fn peak(&self) -> usize {
        self.store.peak.load(Ordering::Relaxed).max(self.nodes())
    }

    /// The memory that the most nodes and the caches took.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.peak() * BYTES_PER_NODE + cached_results(&self.store.manager) * BYTES_PER_ENTRY / 2
    }

    /// The trial went well: from now on, effort has no limit.
    pub fn lift_effort_limit(&self) {
        self.store.effort.store(usize::MAX, Ordering::Relaxed);
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.store.limits
    }

    /// The budget behind the limits.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.store.budget
    }
}

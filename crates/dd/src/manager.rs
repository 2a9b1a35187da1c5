//! Can an operation on diagrams be stopped while it runs?
//!
//! The library's operations call themselves once a level and ask a cache at every call. The cache here looks at the budget now
//! and then; when a limit is reached it unwinds the operation, and [`within`] turns that into `Stopped`. The library keeps every
//! node that it is working on in guards, since it may run out of nodes at any call, so nothing is lost but the work.
//!
//! Everything else is the library's: nodes, complemented edges, rules, the cache's entries. Not here: sets.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use oxidd::util::FxHasher;
use oxidd_cache::direct::DMApplyCache;
use oxidd_core::util::{DropWith, Own, Ref};
use oxidd_core::{ApplyCache, HasApplyCache, Manager as _, ManagerEventSubscriber};
use oxidd_manager_index::manager::{
    self, DiagramRulesCons, Edge as IndexEdge, InnerNodeCons, ManagerDataCons, TerminalManagerCons,
};
use oxidd_manager_index::node::fixed_arity::NodeWithLevelCons;
use oxidd_manager_index::terminal_manager::StaticTerminalManagerCons;
use oxidd_rules_bdd::complement_edge::{BCDDFunction, BCDDOp, BCDDRules, BCDDTerminal, EdgeTag};
use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped, panics};

use crate::store::Limits;

type Nodes = NodeWithLevelCons<2>;
type Terminals = StaticTerminalManagerCons<BCDDTerminal>;
type Node<'id> = <Nodes as InnerNodeCons<EdgeTag>>::T<'id>;
type Terminal<'id> = <Terminals as TerminalManagerCons<Nodes, EdgeTag, 1>>::T<'id>;
pub(crate) type Manager<'id> = manager::Manager<'id, Node<'id>, EdgeTag, Terminal<'id>, BCDDRules, Data<'id>, 1>;
pub(crate) type Edge<'id> = IndexEdge<'id, Node<'id>, EdgeTag>;
type Entries<'id> = DMApplyCache<Manager<'id>, BCDDOp, FxHasher, 4>;
type RelationEntries<'id> = DMApplyCache<Manager<'id>, RelationOp, FxHasher, 6>;

/// A diagram.
pub(crate) type Function = BCDDFunction<manager::Function<Nodes, EdgeTag, Terminals, RulesCons, DataCons, 1>>;
/// A store of diagrams.
pub(crate) type ManagerRef = manager::ManagerRef<Nodes, EdgeTag, Terminals, RulesCons, DataCons, 1>;

/// Caches begin with so many entries: to fill a larger one with nothing takes longer than most small models.
const FIRST_ENTRIES: usize = 1 << 12;
/// A cache that takes in so many times its size grows by the same factor twice.
const GROWTH: usize = 2;

/// Between two looks at the budget: some milliseconds.
const QUESTIONS_BETWEEN_LOOKS: u32 = 1 << 14;

pub(crate) struct RulesCons;
impl DiagramRulesCons<Nodes, EdgeTag, Terminals, DataCons, 1> for RulesCons {
    type T<'id> = BCDDRules;
}

pub(crate) struct DataCons;
impl ManagerDataCons<Nodes, EdgeTag, Terminals, RulesCons, 1> for DataCons {
    type T<'id> = Data<'id>;
}

/// Operations on sets and steps that are not the library's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub(crate) enum RelationOp {
    /// Where steps lead to.
    Image,
    /// Where steps come from.
    Preimage,
    /// What steps lead to again and again.
    Saturate,
    /// Bits in the places of their neighbours.
    Shift,
}

/// What a store has besides its nodes.
pub(crate) struct Data<'id> {
    cache: BudgetedCache<Entries<'id>>,
    relations: RelationCache<'id>,
}

/// Results of [`RelationOp`]s.
pub(crate) type RelationCache<'id> = BudgetedCache<RelationEntries<'id>>;

/// The library's cache, asked by something that looks at the budget. It grows with what is asked of it, up to a limit.
pub(crate) struct BudgetedCache<Entries> {
    entries: Entries,
    /// How many results there is room for, now and at most.
    size: usize,
    most: usize,
    budget: Budget,
    asked: AtomicU32,
    /// What was added since it has its size.
    added: AtomicU32,
    /// Told when it forgets much and may grow.
    forgetful: Arc<AtomicBool>,
}

/// What unwinds an operation.
struct Interrupted(Stopped);

impl<Entries> BudgetedCache<Entries> {
    fn new(entries: Entries, (size, most): (usize, usize), budget: &Budget, forgetful: &Arc<AtomicBool>) -> Self {
        let (asked, added) = (AtomicU32::new(0), AtomicU32::new(0));
        Self { entries, size, most, budget: budget.clone(), asked, added, forgetful: Arc::clone(forgetful) }
    }

    #[inline]
    fn count_addition(&self) {
        let added = self.added.load(Ordering::Relaxed).wrapping_add(1);
        self.added.store(added, Ordering::Relaxed);
        if self.is_forgetful() {
            self.forgetful.store(true, Ordering::Relaxed);
        }
    }

    #[inline]
    fn is_forgetful(&self) -> bool {
        self.size < self.most && self.added.load(Ordering::Relaxed) as usize >= GROWTH * self.size
    }

    /// Takes larger entries, empty ones, if it is forgetful and the budget has room for them.
    fn grow(&mut self, made: impl FnOnce(usize) -> Entries, bytes_per_entry: usize) {
        if !self.is_forgetful() {
            return;
        }
        let size = (self.size * GROWTH * GROWTH).min(self.most);
        if self.budget.reserve(size * bytes_per_entry).is_err() {
            self.most = self.size;
            return;
        }
        self.entries = made(size);
        self.size = size;
        self.added.store(0, Ordering::Relaxed);
    }

    #[inline]
    fn look(&self) {
        // One thread works on a store at a time, so nothing is lost between reading and writing; if it were, the next look
        // would come a little later.
        let asked = self.asked.load(Ordering::Relaxed).wrapping_add(1);
        self.asked.store(asked, Ordering::Relaxed);
        if asked.is_multiple_of(QUESTIONS_BETWEEN_LOOKS) {
            self.look_at_budget();
        }
    }

    #[cold]
    fn look_at_budget(&self) {
        if let Err(stopped) = self.budget.check() {
            resume_unwind(Box::new(Interrupted(stopped)));
        }
    }
}

impl<'id, Entries: DropWith<Edge<'id>>> DropWith<Edge<'id>> for BudgetedCache<Entries> {
    fn drop_with(self, drop_edge: impl Fn(Own<Edge<'id>>)) {
        self.entries.drop_with(drop_edge);
    }
}

impl<'id, O: Copy, Entries: ApplyCache<Manager<'id>, O>> ApplyCache<Manager<'id>, O> for BudgetedCache<Entries> {
    #[inline(always)]
    fn get_extended<const E: usize, const N: usize>(
        &self,
        manager: &Manager<'id>,
        operator: O,
        operands: (&[Ref<'_, Edge<'id>>], &[u32]),
    ) -> Option<([Own<Edge<'id>>; E], [u32; N])> {
        self.look();
        self.entries.get_extended(manager, operator, operands)
    }

    #[inline(always)]
    fn add_extended(
        &self,
        manager: &Manager<'id>,
        operator: O,
        operands: (&[Ref<'_, Edge<'id>>], &[u32]),
        values: (&[Ref<'_, Edge<'id>>], &[u32]),
    ) {
        self.count_addition();
        self.entries.add_extended(manager, operator, operands, values);
    }

    fn clear(&self, manager: &Manager<'id>) {
        self.entries.clear(manager);
    }
}

impl<'id> DropWith<Edge<'id>> for Data<'id> {
    fn drop_with(self, drop_edge: impl Fn(Own<Edge<'id>>)) {
        self.cache.drop_with(&drop_edge);
        self.relations.drop_with(drop_edge);
    }
}

impl<'id> HasApplyCache<Manager<'id>, BCDDOp> for Data<'id> {
    type ApplyCache = BudgetedCache<Entries<'id>>;

    #[inline]
    fn apply_cache(&self) -> &Self::ApplyCache {
        &self.cache
    }

    #[inline]
    fn apply_cache_mut(&mut self) -> &mut Self::ApplyCache {
        &mut self.cache
    }
}

impl<'id> HasApplyCache<Manager<'id>, RelationOp> for Data<'id> {
    type ApplyCache = RelationCache<'id>;

    #[inline]
    fn apply_cache(&self) -> &RelationCache<'id> {
        &self.relations
    }

    #[inline]
    fn apply_cache_mut(&mut self) -> &mut RelationCache<'id> {
        &mut self.relations
    }
}

impl<'id> ManagerEventSubscriber<Manager<'id>> for Data<'id> {
    fn pre_gc(&self, manager: &Manager<'id>) {
        self.cache.entries.pre_gc(manager);
        self.relations.entries.pre_gc(manager);
    }

    #[allow(unsafe_code, reason = "the trait's method is unsafe; it is passed on")]
    unsafe fn post_gc(&self, manager: &Manager<'id>) {
        // SAFETY: the caller keeps the contract of this very method, and `pre_gc` was passed on likewise.
        unsafe {
            self.cache.entries.post_gc(manager);
            self.relations.entries.post_gc(manager);
        }
    }
}

/// Empty entries of a cache.
#[allow(unsafe_code, reason = "the library's cache must be told that its owner collects nodes between two calls")]
fn entries<'id, O: Copy + Eq + std::hash::Hash, const SIZE: usize>(
    results: usize,
) -> DMApplyCache<Manager<'id>, O, FxHasher, SIZE> {
    // SAFETY: the library's own store deletes nodes between `pre_gc` and `post_gc` only, which `Data` passes on.
    unsafe { DMApplyCache::with_capacity(results) }
}

/// Lets caches grow that forget much. What they know is forgotten, too.
pub(crate) fn grow_caches(manager: &ManagerRef) {
    oxidd_core::ManagerRef::with_manager_exclusive(manager, |manager| {
        let cache = <Manager<'_> as HasApplyCache<Manager<'_>, BCDDOp>>::apply_cache_mut(manager);
        cache.grow(entries, size_of::<[u32; 5]>());
        let relations = <Manager<'_> as HasApplyCache<Manager<'_>, RelationOp>>::apply_cache_mut(manager);
        relations.grow(entries, size_of::<[u32; 7]>());
    });
}

/// How many results both caches have room for together.
pub(crate) fn cached_results(manager: &ManagerRef) -> usize {
    oxidd_core::ManagerRef::with_manager_shared(manager, |manager| {
        let cache = <Manager<'_> as HasApplyCache<Manager<'_>, BCDDOp>>::apply_cache(manager);
        let relations = <Manager<'_> as HasApplyCache<Manager<'_>, RelationOp>>::apply_cache(manager);
        cache.size + relations.size
    })
}

/// A store for this many nodes and, at most, results of either kind, with this many bits; and what is set when its caches forget much.
///
/// # Errors
/// If the system gives no thread for it.
pub(crate) fn new_manager(
    limits: Limits,
    bits: usize,
    budget: &Budget,
) -> Result<(ManagerRef, Arc<AtomicBool>), Stopped> {
    let most = limits.cache.max(1).next_power_of_two();
    let size = most.min(FIRST_ENTRIES);
    let forgetful = Arc::new(AtomicBool::new(false));
    let data = Data {
        cache: BudgetedCache::new(entries(size), (size, most), budget, &forgetful),
        relations: BudgetedCache::new(entries(size), (size, most), budget, &forgetful),
    };
    let capacity = u32::try_from(limits.nodes).unwrap_or(u32::MAX >> 1);
    // The library starts a thread, and panics where the address space has no room for its stack.
    let manager: ManagerRef =
        panics::quietly(|| manager::new_manager(capacity, 1, 1, data)).ok_or(Stopped(StopReason::Memory))?;
    oxidd_core::ManagerRef::with_manager_exclusive(&manager, |manager| {
        manager.add_vars(to_u32(bits));
    });
    Ok((manager, forgetful))
}

/// Does an operation unless a limit of the budget is reached meanwhile.
pub(crate) fn within<R>(operation: impl FnOnce() -> R) -> Result<R, Stopped> {
    catch_unwind(AssertUnwindSafe(operation)).map_err(|cause| match cause.downcast::<Interrupted>() {
        Ok(interrupted) => interrupted.0,
        Err(panic) => resume_unwind(panic),
    })
}

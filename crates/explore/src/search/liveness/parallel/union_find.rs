//! Components that several threads merge at the same time: a concurrent union-find whose sets can be iterated
//! (Bloemen, Laarman and van de Pol 2016).
//!
//! A set is a part of a strongly connected component. Its root knows which threads have a state of it on their search stacks and which marks
//! its inner steps carry. The states of a set that nobody has expanded to the end are on a cyclic list; states that are done are unlinked by whoever
//! passes them. A list on which everything is done is that of a whole component, which is dead: nothing leads back from anywhere.
//!
//! Sets are merged while the root that gets a parent is locked, and one state of each list; the root with the larger number gets the parent, so that no
//! circle of threads waits for each other. A second list, the ring, never loses a state: it tells who belongs to a dead component.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use tertium_base::narrow::to_u32;

/// What is known of one state. All is zero at first: a set of its own, with nothing done.
#[derive(Debug, Default)]
struct Node {
    /// One more than the parent; zero for a root.
    parent: AtomicU32,
    /// One more than what comes next on the list of what is to be expanded; zero for itself.
    next: AtomicU32,
    /// One more than what comes next on the ring; zero for itself.
    ring: AtomicU32,
    /// [`LOCKED`], [`CYCLIC`], [`DEAD`]: of a root.
    set: AtomicU8,
    /// [`BUSY`], [`HELD`] or [`DONE`].
    place: AtomicU8,
    /// What was decided about its steps: [`UNDECIDED`], [`DECIDING`], [`SOME`] or [`ALL`].
    steps: AtomicU8,
    /// The threads that have a state of the set on their stacks.
    threads: AtomicU64,
    /// The marks of its inner steps.
    marks: AtomicU64,
}

/// The root is getting a parent.
const LOCKED: u8 = 1;
/// A step stays inside.
const CYCLIC: u8 = 2;
/// The set is a whole component, and all of it was expanded.
const DEAD: u8 = 4;

/// To be expanded.
const BUSY: u8 = 0;
/// Its link is being changed.
const HELD: u8 = 1;
/// Expanded to the end.
const DONE: u8 = 2;

/// Nobody has begun to expand it.
const UNDECIDED: u8 = 0;
/// Somebody is about to say.
const DECIDING: u8 = 1;
/// Some of its steps stand for all.
const SOME: u8 = 2;
/// All of its steps are followed.
const ALL: u8 = 3;

/// Bytes that are kept for each state.
pub(super) const BYTES_PER_STATE: usize = size_of::<Node>();

/// So many looks at a place that somebody else holds, before others get the processor.
const LOOKS: u32 = 64;

/// What a thread gets that enters a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// Its component is done.
    Dead,
    /// The thread has a state of its set on the stack.
    OnStack,
    /// The thread is the first or one more to search here.
    New,
}

/// The sets.
#[derive(Debug, Default)]
pub(super) struct SharedComponents {
    nodes: Vec<Node>,
}

/// Waits a little.
fn wait(looks: &mut u32) {
    *looks += 1;
    if looks.is_multiple_of(LOOKS) { std::thread::yield_now() } else { std::hint::spin_loop() }
}

impl SharedComponents {
    /// There is room for states with numbers below this.
    pub fn room(&self) -> usize {
        self.nodes.len()
    }

    /// Makes room.
    pub fn grow(&mut self, room: usize) {
        self.nodes.reserve_exact(room.saturating_sub(self.nodes.len()));
        self.nodes.resize_with(room.max(self.nodes.len()), Node::default);
    }

    #[inline]
    fn node(&self, state: u32) -> &Node {
        &self.nodes[state as usize]
    }

    #[inline]
    fn parent(&self, state: u32) -> u32 {
        match self.node(state).parent.load(Ordering::SeqCst) {
            0 => state,
            parent => parent - 1,
        }
    }

    #[inline]
    fn next(&self, state: u32) -> u32 {
        match self.node(state).next.load(Ordering::Acquire) {
            0 => state,
            next => next - 1,
        }
    }

    /// The root of a state's set. Parents on the way are replaced by theirs.
    pub fn find(&self, state: u32) -> u32 {
        let mut at = state;
        loop {
            let parent = self.parent(at);
            let above = self.parent(parent);
            if above == parent {
                return parent;
            }
            self.node(at).parent.store(above + 1, Ordering::SeqCst);
            at = above;
        }
    }

    /// Whether two states are in one set.
    pub fn same(&self, one: u32, other: u32) -> bool {
        let (mut one, mut other) = (one, other);
        loop {
            (one, other) = (self.find(one), self.find(other));
            if one == other {
                return true;
            }
            // A root that is still one was not merged with anything meanwhile.
            if self.parent(one) == one {
                return false;
            }
        }
    }

    /// A thread, as one bit, comes to a state.
    pub fn claim(&self, state: u32, thread: u64) -> Claim {
        let mut root = self.find(state);
        if self.node(root).set.load(Ordering::SeqCst) & DEAD != 0 {
            return Claim::Dead;
        }
        if self.node(root).threads.load(Ordering::SeqCst) & thread != 0 {
            return Claim::OnStack;
        }
        loop {
            self.node(root).threads.fetch_or(thread, Ordering::SeqCst);
            let now = self.find(root);
            if now == root {
                return Claim::New;
            }
            root = now;
        }
    }

    /// Adds the marks of a step that stays inside the set; says which marks the set has now.
    pub fn add_marks(&self, state: u32, marks: u64) -> u64 {
        let mut root = self.find(state);
        loop {
            self.node(root).set.fetch_or(CYCLIC, Ordering::SeqCst);
            let before = self.node(root).marks.fetch_or(marks, Ordering::SeqCst);
            let now = self.find(root);
            if now == root {
                return before | marks;
            }
            root = now;
        }
    }

    /// A state of the set that is still to be expanded; if there is none, the set is dead from now on.
    pub fn pick(&self, state: u32) -> Option<u32> {
        let mut at = state;
        loop {
            if self.is_to_do(at) {
                return Some(at);
            }
            let next = self.next(at);
            if next == at {
                return None;
            }
            if self.is_to_do(next) {
                return Some(next);
            }
            // Both are done, and what is done keeps no place.
            let after = self.next(next);
            self.node(at).next.store(after + 1, Ordering::Release);
            at = after;
        }
    }

    /// Whether a state is to be expanded, once nobody holds it.
    fn is_to_do(&self, state: u32) -> bool {
        let mut looks = 0;
        loop {
            match self.node(state).place.load(Ordering::Acquire) {
                BUSY => return true,
                DONE => return false,
                _ => wait(&mut looks),
            }
        }
    }

    /// A set without anything to be expanded is a whole component; whether that is news.
    pub fn bury(&self, state: u32) -> bool {
        self.node(self.find(state)).set.fetch_or(DEAD, Ordering::SeqCst) & DEAD == 0
    }

    /// Whether a step of a set that is not merged any more stays inside.
    pub fn is_cyclic(&self, state: u32) -> bool {
        self.node(self.find(state)).set.load(Ordering::SeqCst) & CYCLIC != 0
    }

    /// The states of a set that is not merged any more.
    pub fn members(&self, state: u32) -> Vec<u32> {
        let mut members = vec![state];
        loop {
            let last = members[members.len() - 1];
            match self.node(last).ring.load(Ordering::Acquire) {
                0 => return members,
                next if next - 1 == state => return members,
                next => members.push(next - 1),
            }
        }
    }

    /// A state was expanded to the end; whether this is news.
    pub fn finish(&self, state: u32) -> bool {
        let (place, mut looks) = (&self.node(state).place, 0);
        loop {
            match place.compare_exchange(BUSY, DONE, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => return true,
                Err(DONE) => return false,
                Err(_) => wait(&mut looks),
            }
        }
    }

    /// Merges the sets of two states, which lie on a cycle.
    pub fn unite(&self, one: u32, other: u32) {
        let mut looks = 0;
        loop {
            let (first, second) = (self.find(one), self.find(other));
            if first == second {
                return;
            }
            let (above, below) = (first.min(second), first.max(second));
            if self.lock_root(below) {
                let linked = self.link(above, below, (one, other));
                self.node(below).set.fetch_and(!LOCKED, Ordering::SeqCst);
                if linked {
                    return;
                }
            }
            wait(&mut looks);
        }
    }

    /// Keeps a root from getting another parent; not if somebody else does so, or it is none any more.
    fn lock_root(&self, root: u32) -> bool {
        let set = &self.node(root).set;
        let now = set.load(Ordering::SeqCst);
        let is_free = now & (LOCKED | DEAD) == 0;
        if !is_free || set.compare_exchange(now, now | LOCKED, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return false;
        }
        if self.parent(root) == root {
            return true;
        }
        set.fetch_and(!LOCKED, Ordering::SeqCst);
        false
    }

    /// Puts a locked root below another, and makes one list of two; not if one of them has nothing to be expanded.
    fn link(&self, above: u32, below: u32, (one, other): (u32, u32)) -> bool {
        let Some(one) = self.hold(one) else { return false };
        let Some(other) = self.hold(other) else {
            self.node(one).place.store(BUSY, Ordering::Release);
            return false;
        };
        let links = |node: &Node| (node.next.load(Ordering::Acquire), node.ring.load(Ordering::Acquire));
        let ((next, ring), (other_next, other_ring)) = (links(self.node(one)), links(self.node(other)));
        let or_itself = |link: u32, state: u32| if link == 0 { state + 1 } else { link };
        self.node(one).next.store(or_itself(other_next, other), Ordering::Release);
        self.node(other).next.store(or_itself(next, one), Ordering::Release);
        self.node(one).ring.store(or_itself(other_ring, other), Ordering::Release);
        self.node(other).ring.store(or_itself(ring, one), Ordering::Release);
        self.node(below).parent.store(above + 1, Ordering::SeqCst);
        self.hand_over(above, below);
        self.node(one).place.store(BUSY, Ordering::Release);
        self.node(other).place.store(BUSY, Ordering::Release);
        true
    }

    /// What the root of a set knows goes to the root above it. Whoever tells it something meanwhile sees that it has a parent.
    fn hand_over(&self, above: u32, below: u32) {
        let (threads, marks) =
            (self.node(below).threads.load(Ordering::SeqCst), self.node(below).marks.load(Ordering::SeqCst));
        let mut root = self.find(above);
        loop {
            self.node(root).set.fetch_or(CYCLIC, Ordering::SeqCst);
            self.node(root).threads.fetch_or(threads, Ordering::SeqCst);
            self.node(root).marks.fetch_or(marks, Ordering::SeqCst);
            let now = self.find(root);
            if now == root {
                return;
            }
            root = now;
        }
    }

    /// Holds a state of the set that is to be expanded, so that it stays on its list; none if there is none.
    fn hold(&self, state: u32) -> Option<u32> {
        loop {
            let at = self.pick(state)?;
            if self.node(at).place.compare_exchange(BUSY, HELD, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                return Some(at);
            }
        }
    }

    /// Whether it was decided that all steps of a state are followed.
    pub fn follows_all(&self, state: u32) -> bool {
        self.node(state).steps.load(Ordering::SeqCst) == ALL
    }

    /// All steps of a state are followed.
    pub fn follow_all(&self, state: u32) {
        self.node(state).steps.store(ALL, Ordering::SeqCst);
    }

    /// Whether some steps of a state, which lead to these, stand for all of them. That is decided once, by whoever comes first: if about none of the targets
    /// anything was decided before, no cycle consists of such states alone, since each was decided after the one before it.
    pub fn some_are_enough(&self, state: u32, targets: impl Iterator<Item = u32>) -> bool {
        let (steps, mut looks) = (&self.node(state).steps, 0);
        loop {
            match steps.compare_exchange(UNDECIDED, DECIDING, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => break,
                Err(DECIDING) => wait(&mut looks),
                Err(decided) => return decided == SOME,
            }
        }
        let mut targets = targets;
        let enough = targets.all(|target| self.node(target).steps.load(Ordering::SeqCst) == UNDECIDED);
        steps.store(if enough { SOME } else { ALL }, Ordering::SeqCst);
        enough
    }

    /// The states below this number that are in the set of a state; nobody merges sets meanwhile.
    pub fn set_of(&self, state: u32, states: usize) -> Vec<u32> {
        let root = self.find(state);
        (0..to_u32(states)).filter(|&other| self.find(other) == root).collect()
    }
}

//! States that are met here and kept somewhere else, by another process.

use crate::successors::Expansion;

/// Where states go that are kept somewhere else.
pub trait Outlet {
    /// Whether any are.
    const ANY: bool;

    /// Takes the state with this key if it is kept elsewhere; says whether it is.
    fn takes_key(&mut self, key: u64) -> bool;

    /// Successors of this state are asked about next.
    fn turns_to(&mut self, row: &[u32]);

    /// Takes a successor if it is kept elsewhere; says whether it is.
    fn takes_step(&mut self, found: &Expansion, step: usize) -> bool;

    /// Takes a successor that has no masked row, wherever it is kept.
    fn sets_aside(&mut self, found: &Expansion, step: usize);
}

/// All states are kept here.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOutlet;

impl Outlet for NoOutlet {
    const ANY: bool = false;

    fn takes_key(&mut self, _: u64) -> bool {
        false
    }

    fn turns_to(&mut self, _: &[u32]) {}

    fn takes_step(&mut self, _: &Expansion, _: usize) -> bool {
        false
    }

    fn sets_aside(&mut self, _: &Expansion, _: usize) {}
}

/// Hands out those keys, from this one on, whose states are kept elsewhere.
#[inline]
pub(super) fn hand_out<X: Outlet>(keys: &mut Vec<u64>, start: usize, outlet: &mut X) {
    if !X::ANY {
        return;
    }
    let mut kept = start;
    for at in start..keys.len() {
        let key = keys[at];
        if !outlet.takes_key(key) {
            keys[kept] = key;
            kept += 1;
        }
    }
    keys.truncate(kept);
}

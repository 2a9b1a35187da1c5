//! What does a state show of a formula's atoms?
//!
//! Atoms are compiled; what traps is asked of the definition. An atom that cannot be evaluated in some state leaves the
//! property open: [`AtomEvaluator::blurred`] says so.

use std::sync::atomic::{AtomicBool, Ordering};

use tertium_explore::code::{Code, CodeId, View};
use tertium_explore::pack::{Packing, RowLayouts};
use tertium_program::{ExprId, Semantics, State};

/// Evaluates the atoms of one property.
#[derive(Debug)]
pub struct AtomEvaluator<'s, 'p> {
    semantics: &'s Semantics<'p>,
    packing: &'s Packing,
    code: Code,
    atoms: Vec<(ExprId, CodeId)>,
    blurred: AtomicBool,
}

/// AtomScratch for one thread.
#[derive(Clone, Debug, Default)]
pub struct AtomScratch {
    shapes: RowLayouts,
    slots: Vec<i64>,
    /// The atoms' values.
    pub values: Vec<bool>,
}

impl<'s, 'p> AtomEvaluator<'s, 'p> {
    /// For these atoms.
    pub fn new(semantics: &'s Semantics<'p>, packing: &'s Packing, atoms: &[ExprId]) -> Self {
        let mut code = Code::default();
        let atoms = atoms.iter().map(|&atom| (atom, code.observe(semantics, atom))).collect();
        Self { semantics, packing, code, atoms, blurred: AtomicBool::new(false) }
    }

    /// The atoms.
    pub fn atoms(&self) -> impl Iterator<Item = ExprId> {
        self.atoms.iter().map(|&(atom, _)| atom)
    }

    /// AtomScratch for one thread.
    pub fn room(&self) -> AtomScratch {
        AtomScratch { values: vec![false; self.atoms.len()], ..AtomScratch::default() }
    }

    /// Whether some atom could not be evaluated in a state.
    pub fn blurred(&self) -> bool {
        self.blurred.load(Ordering::Relaxed)
    }

    /// Some atom could not be evaluated in a state that somebody else has seen.
    pub fn blur(&self) {
        self.blurred.store(true, Ordering::Relaxed);
    }

    /// Leaves the atoms' values in `room.values`.
    pub fn look(&self, row: &[u32], room: &mut AtomScratch) {
        let (_, shape) = room.shapes.of_row(self.packing, row);
        shape.unpack(row, &mut room.slots);
        let view = View::observer(&room.slots, &shape);
        for (at, &(expr, code)) in self.atoms.iter().enumerate() {
            room.values[at] = match self.code.value(code, &view) {
                Ok(value) => value != 0,
                Err(_) => self.ask(expr, &room.slots),
            };
        }
    }

    fn ask(&self, expr: ExprId, slots: &[i64]) -> bool {
        match self.semantics.observe(expr, &State::visible(slots.to_vec())) {
            Ok(value) => value != 0,
            Err(_) => {
                self.blurred.store(true, Ordering::Relaxed);
                false
            }
        }
    }
}

//! How the host finds steps, and how the rows that it has look on the device.

use tertium_explore::compiled::{Compiled, Scratch};
use tertium_explore::search::liveness::{Monitor, ProductRows, ProductScratch};
use tertium_explore::store::trimmed;
use tertium_explore::successors::{Expansion, RowSuccessors};

use crate::keys::KeyBits;

/// Finds steps by their definition.
pub(crate) trait HostSteps {
    /// The row of a state as the device has it; none if it has no key.
    fn to_device(&self, row: &[u32]) -> Option<Vec<u32>>;

    /// A row that the device has.
    fn of_device(&self, row: Vec<u32>) -> Vec<u32>;

    /// The program's part of a row.
    fn program_row(row: &[u32]) -> &[u32];

    /// What comes after a state.
    fn expand(&mut self, row: &[u32], found: &mut Expansion);
}

/// A program.
pub(crate) struct PlainSteps<'c, 'p> {
    compiled: &'c Compiled<'p>,
    keys: &'c KeyBits,
    scratch: Scratch,
}

impl<'c, 'p> PlainSteps<'c, 'p> {
    pub fn new(compiled: &'c Compiled<'p>, keys: &'c KeyBits) -> Self {
        Self { compiled, keys, scratch: compiled.scratch() }
    }
}

impl HostSteps for PlainSteps<'_, '_> {
    fn to_device(&self, row: &[u32]) -> Option<Vec<u32>> {
        self.keys.fits(row).then(|| row.to_vec())
    }

    fn of_device(&self, mut row: Vec<u32>) -> Vec<u32> {
        row.truncate(trimmed(&row, self.compiled.words()));
        row
    }

    fn program_row(row: &[u32]) -> &[u32] {
        row
    }

    fn expand(&mut self, row: &[u32], found: &mut Expansion) {
        self.compiled.expand(row, &mut self.scratch, found);
    }
}

/// The product of a program and a monitor, whose state is the first word of a row here, and the last one on the device.
pub(crate) struct ProductSteps<'q, S: RowSuccessors, M: Monitor> {
    pub product: &'q ProductRows<'q, S, M>,
    keys: &'q KeyBits,
    pub scratch: ProductScratch<S, M>,
}

impl<'q, S: RowSuccessors, M: Monitor> ProductSteps<'q, S, M> {
    pub fn new(product: &'q ProductRows<'q, S, M>, keys: &'q KeyBits) -> Self {
        Self { product, keys, scratch: product.scratch() }
    }
}

impl<S: RowSuccessors, M: Monitor> HostSteps for ProductSteps<'_, S, M> {
    fn to_device(&self, row: &[u32]) -> Option<Vec<u32>> {
        let (&state, program) = row.split_first()?;
        let mut on_device = self.keys.fits(program).then(|| program.to_vec())?;
        on_device.resize(self.keys.words, 0);
        on_device.push(state);
        Some(on_device)
    }

    fn of_device(&self, mut row: Vec<u32>) -> Vec<u32> {
        let state = row.pop().unwrap_or(0);
        row.truncate(trimmed(&row, self.product.words() - 1));
        row.insert(0, state);
        row
    }

    fn program_row(row: &[u32]) -> &[u32] {
        ProductRows::<S, M>::program_row(row)
    }

    fn expand(&mut self, row: &[u32], found: &mut Expansion) {
        self.product.expand(row, &mut self.scratch, found);
    }
}

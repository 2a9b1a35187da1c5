//! How large is a program as sets, by its types and as it turned out?

use tertium_program::Semantics;

use crate::EncodingError;
use crate::cells::Cells;
use crate::encoding::{fit, orders};
use crate::instantiated::InstantiatedProgram;

/// How large the encoding is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EncodingSize {
    /// States that can be reached, as a power of ten; none if there are none.
    pub log10_states: Option<f64>,
    /// The same as a number, as far as it is one.
    pub states: f64,
    /// Bits of a state.
    pub bits: usize,
    /// Nodes at most at one time.
    pub peak_nodes: usize,
    /// What these nodes and the results that are remembered take.
    pub bytes: usize,
    /// Nodes of the relation.
    pub relation_nodes: usize,
    /// Nodes of the set of what can be reached.
    pub reached_nodes: usize,
}

/// How large a program is by its types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateSpaceEstimate {
    /// How many states there are at most, as a power of ten.
    pub log10_states: f64,
    /// How many values one variable has at most.
    pub widest: u64,
}

/// How large a program is by its types.
///
/// # Errors
/// If the program is not one of those that are encoded, or a limit is reached.
pub fn estimate(subject: &InstantiatedProgram<'_>) -> Result<StateSpaceEstimate, EncodingError> {
    let (program, special) = (subject.program(), subject.special());
    fit(program)?;
    let cells = Cells::new(&Semantics::new(program), special, &orders(program, special)[0])?;
    let widest = cells.cells.iter().map(|cell| cell.hi.abs_diff(cell.lo).saturating_add(1)).max();
    Ok(StateSpaceEstimate {
        log10_states: cells.log2_states() * std::f64::consts::LOG10_2,
        widest: widest.unwrap_or(1),
    })
}

//! Which bits hold which part of a program's state, and in which order do they stand?
//!
//! Every place of the state that can change is a cell: a location, a variable, an element of an array. A cell's bits stand
//! together; each bit has the one for its value after a step beside it. Which cells come first is the variable order
//! (`variable_order`).

use std::collections::BTreeSet;

use tertium_base::narrow::to_i64;
use tertium_dd::{Bit, Set};
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{Domain, Expr, ExprId, Hold, InitialValue, Program, Scope, Semantics, State, Step, Type, VarId};

use crate::EncodingError;
use crate::instantiated::InstanceFacts;
use crate::variable_order::{VariableOrder, by_kin, order, related};

/// One place of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its place in the state.
    pub slot: usize,
    /// Its smallest value.
    pub lo: i64,
    /// Its largest value.
    pub hi: i64,
    /// What is added to the number in its bits.
    pub offset: i64,
    /// Its bits, the highest first; each with the one for afterwards.
    pub bits: Vec<(Bit, Bit)>,
    /// Whether it may start with any value.
    pub open: bool,
    /// Whether it holds a truth value.
    pub truth: bool,
}

/// All places of the state.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The cells in the order of their bits.
    pub cells: Vec<Cell>,
    /// For each slot its cell; none where the value never changes.
    pub of_slot: Vec<Option<usize>>,
    /// The values of the slots that never change, and the initial ones of the others.
    pub first: Vec<i64>,
    /// Bits for the inputs of steps.
    pub inputs: Vec<Bit>,
    /// How many bits there are in all.
    pub bits: usize,
}

/// Arrays with more elements than this are not encoded.
const MOST_CELLS: usize = 4096;
/// Steps whose inputs need more bits than this are not encoded.
const MOST_INPUT_BITS: usize = 4096;

/// A cell before it gets its bits.
pub(crate) struct CellDraft {
    pub slot: usize,
    ty: Type,
    open: bool,
    /// The process whose cell it is; none for shared ones.
    pub owner: Option<usize>,
    bounds: (i64, i64),
    /// The variable that it is an element of; none for locations.
    pub var: Option<VarId>,
}

impl Cells {
    /// The cells of a program with fixed processes and finite types.
    pub(crate) fn new(
        semantics: &Semantics<'_>,
        special: InstanceFacts<'_>,
        wanted: &VariableOrder,
    ) -> Result<Self, EncodingError> {
        let first = semantics.first_slots().map_err(|_| EncodingError::unfit("an initial value cannot be computed"))?;
        let of_slot = vec![None; first.len()];
        let mut cells = Self { cells: Vec::new(), of_slot, first, inputs: Vec::new(), bits: 0 };
        let drafts = cells.drafts(semantics, special)?;
        let order = order(semantics.program(), semantics, &drafts, wanted);
        let related = if *wanted == VariableOrder::Related { related(semantics.program()) } else { Vec::new() };
        let kin = |at: usize| drafts[at].var.and_then(|var| related.get(var.index()).copied());
        let order = by_kin(&order, &kin);
        let together = |&a: &usize, &b: &usize| match wanted {
            VariableOrder::Interleaved => drafts[a].owner.is_none() && drafts[a].var == drafts[b].var,
            VariableOrder::Related => kin(a).is_some() && kin(a) == kin(b),
            VariableOrder::Sifted(groups) => {
                groups.iter().any(|group| [a, b].iter().all(|&at| group.contains(&drafts[at].slot)))
            }
            _ => false,
        };
        for group in order.chunk_by(together) {
            let group: Vec<&CellDraft> = group.iter().map(|&at| &drafts[at]).collect();
            cells.add(&group);
        }
        let inputs =
            (semantics.program().steps.iter()).map(|step| input_bits(semantics.program(), step)).max().unwrap_or(0);
        // The steps of a block choose one after the other.
        let inputs = inputs.max(block_input_bits(semantics.program()));
        if inputs > MOST_INPUT_BITS {
            let reason = format!("the values that a step chooses need more than {MOST_INPUT_BITS} bits");
            return Err(EncodingError::unfit(reason));
        }
        cells.inputs = (cells.bits..cells.bits + inputs).map(Bit::new).collect();
        cells.bits += inputs;
        Ok(cells)
    }

    /// All places that can change.
    fn drafts(&self, semantics: &Semantics<'_>, special: InstanceFacts<'_>) -> Result<Vec<CellDraft>, EncodingError> {
        let (program, layout) = (semantics.program(), semantics.layout());
        let mut drafts = Vec::new();
        for (pid, instance) in program.instances.iter().enumerate() {
            let frame = layout.initial_frames()[pid];
            debug_assert_eq!(
                self.first[frame + FRAME_PROCESS],
                to_i64(instance.process.index()),
                "frames begin with their process"
            );
            let locations = to_i64(program.process(instance.process).locations.len());
            let (ty, bounds) = (Type::Range { lo: 0, hi: locations - 1 }, (0, locations - 1));
            drafts.push(CellDraft {
                slot: frame + FRAME_LOCATION,
                ty,
                open: false,
                owner: Some(pid),
                bounds,
                var: None,
            });
        }
        let written: BTreeSet<VarId> = program.steps.iter().flat_map(Step::written).chain(program.last).collect();
        for var in program.variable_ids() {
            let variable = program.variable(var);
            let open = variable.initial == InitialValue::Any;
            if !open && !written.contains(&var) {
                continue;
            }
            let name = || program.show_variable(var);
            let Some(bounds) = special.limits(program, var) else {
                return Err(EncodingError::unfit(format!("`{}` has no bounds", name())));
            };
            if variable.cells() > MOST_CELLS {
                return Err(EncodingError::unfit(format!("`{}` has more than {MOST_CELLS} elements", name())));
            }
            let Some(base) = layout.fixed_slot(program, var) else {
                return Err(EncodingError::unfit(format!("`{}` has no fixed place", name())));
            };
            let owner = match variable.scope {
                Scope::Global => None,
                Scope::Local(process) => layout.only_instance(process).map(|pid| pid as usize),
            };
            for cell in 0..variable.cells() {
                drafts.push(CellDraft { slot: base + cell, ty: variable.ty, open, owner, bounds, var: Some(var) });
            }
        }
        Ok(drafts)
    }

    /// Cells whose bits alternate: the highest ones of all first.
    fn add(&mut self, group: &[&CellDraft]) {
        let codes: Vec<(i64, usize)> = group.iter().map(|draft| code_of(draft.bounds)).collect();
        let mut bits: Vec<Vec<(Bit, Bit)>> = vec![Vec::new(); group.len()];
        let widest = codes.iter().map(|&(_, count)| count).max().unwrap_or(0);
        for left in (0..widest).rev() {
            for (bits, _) in bits.iter_mut().zip(&codes).filter(|(_, (_, count))| left < *count) {
                bits.push((Bit::new(self.bits), Bit::new(self.bits + 1)));
                self.bits += 2;
            }
        }
        for ((draft, (offset, _)), bits) in group.iter().zip(codes).zip(bits) {
            let ((lo, hi), truth) = (draft.bounds, draft.ty == Type::Bool);
            self.of_slot[draft.slot] = Some(self.cells.len());
            self.cells.push(Cell { slot: draft.slot, lo, hi, offset, bits, open: draft.open, truth });
        }
    }

    /// Groups of cells whose bits alternate, as slots, each with its bits; most often one cell each.
    pub(crate) fn groups(&self) -> Vec<(Vec<usize>, Vec<Bit>)> {
        let mut groups: Vec<(Vec<usize>, Vec<Bit>)> = Vec::new();
        for cell in &self.cells {
            let bits = || cell.bits.iter().flat_map(|&(now, later)| [now, later]);
            let goes_on = |(_, known): &&mut (Vec<usize>, Vec<Bit>)| bits().min() < known.iter().max().copied();
            match groups.last_mut().filter(goes_on) {
                Some((slots, known)) => {
                    slots.push(cell.slot);
                    known.extend(bits());
                }
                None => groups.push((vec![cell.slot], bits().collect())),
            }
        }
        groups.iter_mut().for_each(|(_, bits)| bits.sort_unstable());
        groups
    }

    /// All bits of states, each with the one for afterwards.
    pub fn state_bits(&self) -> Vec<(Bit, Bit)> {
        self.cells.iter().flat_map(|cell| cell.bits.iter().copied()).collect()
    }

    /// The state whose bits have these values, in the order of [`Self::state_bits`].
    pub fn state(&self, row: &[bool]) -> State {
        let mut slots = self.first.clone();
        let mut at = 0;
        for cell in &self.cells {
            let number = row[at..at + cell.bits.len()].iter().fold(0i64, |sum, &bit| sum << 1 | i64::from(bit));
            slots[cell.slot] = number + cell.offset;
            at += cell.bits.len();
        }
        State::visible(slots)
    }

    /// The largest number of states that the types allow, as a power of two.
    pub fn log2_states(&self) -> f64 {
        self.cells.iter().map(|cell| (cell.hi.abs_diff(cell.lo) as f64 + 1.0).log2()).sum()
    }

    /// The bits of a cell as the number in them.
    pub(crate) fn code(
        cell: &Cell,
        number: &crate::bit_vector::BitVector,
        diagrams: &tertium_dd::Diagrams,
    ) -> Result<Vec<Set>, EncodingError> {
        let shifted = match cell.offset {
            0 => number.clone(),
            offset => number.sub(&crate::bit_vector::BitVector::constant(diagrams, offset), diagrams)?,
        };
        let count = cell.bits.len();
        Ok((0..count).map(|at| shifted.bit(count - 1 - at).clone()).collect())
    }
}

/// What is added to the number in a cell's bits, and how many there are.
fn code_of((lo, hi): (i64, i64)) -> (i64, usize) {
    let width = |largest: u64| (64 - largest.leading_zeros()) as usize;
    // Without an offset numbers need no addition, if that costs no bit.
    let plain = lo >= 0 && width(hi.abs_diff(0)) == width(hi.abs_diff(lo));
    if plain { (0, width(hi.abs_diff(0))) } else { (lo, width(hi.abs_diff(lo))) }
}

/// How many bits the steps of a block need, which choose one after the other: each once, and some more for those that are taken again.
fn block_input_bits(program: &Program) -> usize {
    let mut most = 0usize;
    for process in program.processes.iter().filter(|process| process.locations.iter().any(|at| at.hold != Hold::Free)) {
        let steps = process.locations.iter().flat_map(|at| &at.steps);
        let each = steps.map(|&id| input_bits(program, program.step(id)));
        let (sum, widest) = each.fold((0usize, 0usize), |(sum, most), one| (sum.saturating_add(one), most.max(one)));
        most = most.max(sum.max(widest.saturating_mul(4)));
    }
    most
}

/// How many bits the inputs of a step need.
fn input_bits(program: &Program, step: &Step) -> usize {
    let one = |domain: Domain| match domain {
        Domain::Type(ty) => match program.bounds(ty) {
            (Some(lo), Some(hi)) => width_of(lo, hi),
            _ => usize::MAX,
        },
        Domain::Range(lo, hi) => match (range(program, lo), range(program, hi)) {
            (Some((lo, _)), Some((_, hi))) => width_of(lo, hi),
            _ => usize::MAX,
        },
    };
    step.inputs.iter().map(|input| one(input.domain)).fold(0, usize::saturating_add)
}

/// Bits for the numbers `lo..=hi`, with a sign.
pub(crate) fn width_of(lo: i64, hi: i64) -> usize {
    let needed = |value: i64| 65 - if value < 0 { value.leading_ones() } else { value.leading_zeros() } as usize;
    needed(lo).max(needed(hi))
}

/// Bounds of an expression that is a constant or a variable; wide enough for simple ranges of inputs.
pub fn range(program: &Program, expr: ExprId) -> Option<(i64, i64)> {
    if let Some(value) = program.exprs.constant(expr) {
        return Some((value, value));
    }
    let of_type = |var: VarId| match program.bounds(program.variable(var).ty) {
        (Some(lo), Some(hi)) => Some((lo, hi)),
        _ => None,
    };
    match program.exprs.get(expr) {
        Expr::Var(var) | Expr::Element(var, _) => of_type(var),
        _ => None,
    }
}

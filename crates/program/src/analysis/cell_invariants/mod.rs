//! Value sets of array cells per location, with interference (thread-modular analysis; Flanagan and Qadeer 2003, Miné 2012): which values can a cell have while a
//! process is at a location, whatever the others do?
//!
//! Processes that take what they need by writing their number into a cell are the example: while one of them is where it holds `r[2]`, the cell has its number, and nobody else can
//! write to it, since whoever would release it is where the cell has another number. Each location of each process has a set of values for each cell; a step of another process
//! counts there as far as what is known at its source, its guard and what is known here exclude it not. The least sets that are closed under this contain every state that is
//! reached, and all of them together are inductive: certificates list them, and the kernel proves them again.
//!
//! Many sets say what is so everywhere, or more than others need. What is told is weaker: the few values that a cell has, or the few of those that it has anywhere and not here; as
//! long as that is inductive, too. Which values it has anywhere is told at the locations of one process, which is always at one of them.
//!
//! Not here: variables that are no arrays, of which [`super::location_invariants`] knows more; cells with more than 64 values; arrays that are read or written at computed indices are followed, coarsely.

mod sets;

use std::collections::{BTreeMap, BTreeSet};

use super::location_invariants::{followed_processes, is_understood};
use super::partial_evaluation::constant;
use crate::expr::{Binary, Expr, ExprId};
use crate::graph::{Action, LocationId, ProcessId, Program, Step};
use crate::types::VarId;

use sets::{Cells, Known, Reader};

/// Work after which nothing is claimed at all, in cells that are looked at.
const MOST_WORK: u64 = 100_000_000;
/// More conditions are not told.
const MOST_TOLD: usize = 6_000;

/// A process at a location.
type Spot = (ProcessId, LocationId);

/// The values of one cell at a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellValues {
    /// The array, or the plain variable.
    pub var: VarId,
    /// The indices; none for a plain variable.
    pub indices: Vec<i64>,
    /// The values.
    pub values: BTreeSet<i64>,
    /// Values of its type that it has not.
    pub others: BTreeSet<i64>,
}

impl CellValues {
    /// The same as an expression.
    pub fn expr(&self, program: &mut Program) -> ExprId {
        let sort = program.sort_of(program.variable(self.var).ty);
        let read = if self.indices.is_empty() {
            program.read(self.var)
        } else {
            let indices: Vec<ExprId> = self.indices.iter().map(|&index| program.exprs.int(index)).collect();
            program.exprs.element(self.var, &indices, sort)
        };
        let few = self.values.len() <= self.others.len();
        let (listed, op, both) =
            if few { (&self.values, Binary::Eq, Binary::Or) } else { (&self.others, Binary::Ne, Binary::And) };
        let mut found: Option<ExprId> = None;
        for &value in listed {
            let value = constant(&mut program.exprs, value, sort);
            let one = program.exprs.binary(op, read, value);
            found = Some(found.map_or(one, |before| program.exprs.add(Expr::Binary(both, before, one))));
        }
        found.unwrap_or_else(|| program.exprs.bool(!few))
    }
}

/// What is known of cells at each location.
#[derive(Clone, Debug, Default)]
pub struct CellInvariants {
    told: BTreeMap<Spot, Vec<CellValues>>,
}

impl CellInvariants {
    /// The cells of a program in which every process runs once and from the start; of other programs, and of those without arrays of few values, nothing is known.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let apart = |step: &Step| !matches!(step.action, Action::Together { .. });
        // What a claim writes is nobody's step.
        if !is_understood(program) || !program.steps.iter().all(apart) || !program.claims.is_empty() {
            return Self::default();
        }
        let Some(cells) = Cells::of(program) else { return Self::default() };
        let mut analysis = Analysis { reader: Reader { program, cells: &cells }, work: 0 };
        let Some(known) = analysis.least() else { return Self::default() };
        let exact = Self::told(&cells, &known);
        [Told::FewOfArrays, Told::Few]
            .into_iter()
            .find_map(|how| {
                let weaker = weakened(&cells, &known, (how, shortest(program)));
                analysis.is_inductive(&weaker).then(|| Self::told(&cells, &weaker))
            })
            .unwrap_or(exact)
    }

    /// What is known of cells whenever a process is at a location, beyond their types.
    #[must_use]
    pub fn at(&self, process: ProcessId, location: LocationId) -> &[CellValues] {
        self.told.get(&(process, location)).map_or(&[], Vec::as_slice)
    }

    fn told(cells: &Cells, known: &BTreeMap<Spot, Known>) -> Self {
        let told: BTreeMap<Spot, Vec<CellValues>> =
            known.iter().map(|(&spot, known)| (spot, cells.told(known))).collect();
        let count: usize = told.values().map(Vec::len).sum();
        if count > MOST_TOLD { Self::default() } else { Self { told } }
    }
}

/// How much of the sets is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Of arrays what tells a location from others.
    FewOfArrays,
    /// The same of all cells.
    Few,
}

/// The process with the fewest locations.
fn shortest(program: &Program) -> Option<ProcessId> {
    followed_processes(program).into_iter().min_by_key(|&process| program.process(process).locations.len())
}

/// Weaker sets: where a cell has few of the values that it has anywhere, these; otherwise all values but the few of them that it has not. One process tells all.
fn weakened(
    cells: &Cells,
    known: &BTreeMap<Spot, Known>,
    (how, telling): (Told, Option<ProcessId>),
) -> BTreeMap<Spot, Known> {
    let anywhere = cells.joined(known.values());
    let weaker = |process: ProcessId, known: &Known| -> Known {
        let one = |at: usize| {
            let (here, all) = (known[at], anywhere[at]);
            if how == Told::FewOfArrays && cells.is_plain(at) {
                return cells.full(at);
            }
            let missing = all & !here;
            let few = here.count_ones() <= missing.count_ones();
            if few || telling == Some(process) { here } else { cells.full(at) & !missing }
        };
        (0..known.len()).map(one).collect()
    };
    known.iter().map(|(&spot, known)| (spot, weaker(spot.0, known))).collect()
}

/// The analysis of one program.
struct Analysis<'a> {
    reader: Reader<'a>,
    work: u64,
}

impl Analysis<'_> {
    /// The least sets that contain all states that are reached; none if that takes too much work.
    fn least(&mut self) -> Option<BTreeMap<Spot, Known>> {
        let program = self.reader.program;
        let begin = self.reader.initial()?;
        let mut known: BTreeMap<Spot, Known> = BTreeMap::new();
        for process in followed_processes(program) {
            known.insert((process, program.process(process).entry), begin.clone());
        }
        let mut changed: BTreeSet<Spot> = known.keys().copied().collect();
        while !changed.is_empty() {
            let mut next = BTreeSet::new();
            for (spot, after) in self.round(&known, Some(&changed))? {
                if join(&mut known, spot, &after) {
                    next.insert(spot);
                }
            }
            changed = next;
        }
        Some(known)
    }

    /// Whether every step, and the beginning, stays inside.
    fn is_inductive(&mut self, known: &BTreeMap<Spot, Known>) -> bool {
        let Some(after) = self.round(known, None) else { return false };
        after.iter().all(|(spot, after)| {
            known.get(spot).is_some_and(|known| after.iter().zip(known).all(|(&after, &known)| after & !known == 0))
        })
    }

    /// What every step makes of what is known, at its own place and at those of others; with `changed`, only where something is new.
    fn round(&mut self, known: &BTreeMap<Spot, Known>, changed: Option<&BTreeSet<Spot>>) -> Option<Vec<(Spot, Known)>> {
        let mut found = Vec::new();
        let is_new = |spot: &Spot| changed.is_none_or(|changed| changed.contains(spot));
        for step in &self.reader.program.steps {
            let source = (step.process, step.source);
            let Some(here) = known.get(&source) else { continue };
            let new = is_new(&source);
            if new && let Some(after) = self.reader.after(step, here.clone(), &[source]) {
                found.push(((step.process, step.target), after));
            }
            self.work += here.len() as u64;
            let writes = self.reader.writes(step);
            for (&spot, there) in known.iter().filter(|(spot, _)| writes && spot.0 != step.process) {
                if !new && !is_new(&spot) {
                    continue;
                }
                self.work += here.len() as u64;
                let Some(both) = sets::meet(here, there) else { continue };
                if let Some(after) = self.reader.after(step, both, &[source, spot]) {
                    found.push((spot, after));
                }
            }
            if self.work > MOST_WORK {
                return None;
            }
        }
        Some(found)
    }
}

/// Adds values at a place; says whether there are new ones.
fn join(known: &mut BTreeMap<Spot, Known>, spot: Spot, after: &Known) -> bool {
    let Some(before) = known.get_mut(&spot) else {
        known.insert(spot, after.clone());
        return true;
    };
    let mut new = false;
    for (before, &after) in before.iter_mut().zip(after) {
        new |= after & !*before != 0;
        *before |= after;
    }
    new
}

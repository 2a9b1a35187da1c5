//! Which abstract states does a program start in?

use std::collections::HashMap;

use tertium_base::narrow::to_u32;
use tertium_base::{StopReason, Stopped};
use tertium_lattice::Kleene;
use tertium_program::LocationId;
use tertium_smt::{Purpose, Reply, Sort, TermId, Value};

use crate::Unsupported;
use crate::expand::Failed;
use crate::state::{AbstractState, definite};
use crate::system::System;

/// At most this many combinations of kept values and predicates.
const MOST: usize = 65_536;
/// So many combinations of kept values are found one by one, each excluded for the next; then bounds are asked for.
const FEW: usize = 256;
/// So many values of single cells are tried.
const MOST_TRIED: usize = 4 * MOST;

/// An initial state, and whether it surely stands for one of the program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Initial {
    /// The state.
    pub state: AbstractState,
    /// Whether some initial state of the program is surely among those it stands for. A definite "false" needs that.
    pub certain: bool,
}

impl System {
    /// Whether the program surely has an initial state, whatever its functions are.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn surely_starts(&mut self) -> Result<bool, Failed> {
        let parts = self.initial.clone();
        if self.terms.mentions_functions(&parts) {
            return Ok(false);
        }
        Ok(self.queries.satisfiable(&mut self.terms, Purpose::Initial, &parts)? == Reply::Sat)
    }

    /// The abstract states that cover all initial states.
    ///
    /// # Errors
    /// If a limit is reached, or a kept variable may start with too many values.
    pub fn initial_states(&mut self) -> Result<Vec<Initial>, Failed> {
        let locations: Vec<LocationId> = self.program.processes.iter().map(|process| process.entry).collect();
        let parts = self.initial.clone();
        // What a function's values decide is certain for none of them alone.
        let certain = !self.terms.mentions_functions(&parts) && !self.terms.mentions_functions(&self.predicate_terms);
        let mut found = Vec::new();
        for kept in self.initial_kept(&parts)? {
            let map = self.concrete(&locations, &kept);
            let here: Vec<TermId> = parts.iter().map(|&part| self.terms.substitute(part, &map)).collect();
            let predicates: Vec<TermId> =
                self.predicate_terms.clone().iter().map(|&term| self.terms.substitute(term, &map)).collect();
            let told: Vec<usize> = (0..predicates.len()).filter(|&at| self.matters(at, &locations)).collect();
            let mut cube = vec![Kleene::Unknown; predicates.len()];
            for &at in &told {
                cube[at] = self.terms.as_bool(predicates[at]).map_or(Kleene::Unknown, definite);
            }
            let base = AbstractState { locations: locations.clone(), kept, cube, stopped: false };
            let open: Vec<usize> = told.into_iter().filter(|&at| base.cube[at] == Kleene::Unknown).collect();
            self.add_rows(&here, &predicates, &open, &base, certain, &mut found)?;
        }
        found.sort();
        // A single one stands for whatever initial state there is.
        if let [only] = &mut found[..] {
            only.certain = only.certain || self.surely_starts()?;
        }
        Ok(found)
    }

    fn add_rows(
        &mut self,
        here: &[TermId],
        predicates: &[TermId],
        open: &[usize],
        base: &AbstractState,
        certain: bool,
        found: &mut Vec<Initial>,
    ) -> Result<(), Stopped> {
        if open.is_empty() {
            let reply = self.queries.satisfiable(&mut self.terms, Purpose::Initial, here)?;
            if reply != Reply::Unsat {
                found.push(Initial { state: base.clone(), certain: certain && reply == Reply::Sat });
            }
            return Ok(());
        }
        let terms: Vec<TermId> = open.iter().map(|&at| predicates[at]).collect();
        let models = self.queries.all_models(&mut self.terms, Purpose::Initial, here, &terms, MOST)?;
        if !models.complete {
            found.push(Initial { state: base.clone(), certain: false });
            return Ok(());
        }
        for row in &models.rows {
            let mut state = base.clone();
            for (&at, &value) in open.iter().zip(row) {
                state.cube[at] = definite(value);
            }
            found.push(Initial { state, certain });
        }
        Ok(())
    }

    /// The combinations of kept values that the program may start with.
    ///
    /// # Errors
    /// If they are more than abstract states are allowed, or a kept variable has no bounds there.
    pub(crate) fn initial_kept(&mut self, parts: &[TermId]) -> Result<Vec<Vec<i128>>, Failed> {
        if self.kept.is_empty() {
            return Ok(vec![Vec::new()]);
        }
        let symbols: Vec<TermId> = self.kept.iter().map(|kept| kept.symbol).collect();
        debug_assert!(symbols.iter().all(|&symbol| matches!(self.terms.sort(symbol), Sort::Bool | Sort::Int)));
        let most = MOST.min(self.options.most_states);
        let rows = self.queries.all_values(&mut self.terms, Purpose::Initial, parts, &symbols, FEW.min(most))?;
        if let Some(rows) = rows {
            let number = |value: Value| match value {
                Value::Bool(value) => i128::from(value),
                Value::Int(value) => value,
                Value::Array(..) => 0,
            };
            return Ok(rows.into_iter().map(|row| row.into_iter().map(number).collect()).collect());
        }
        let mut ranges = Vec::new();
        for (at, &symbol) in symbols.iter().enumerate() {
            let range = self.initial_range(parts, symbol)?;
            ranges.push(range.ok_or(Unsupported::KeepFromStart(self.kept[at].var))?);
        }
        self.initial_rows(parts, &symbols, &ranges, most)
    }

    /// Between which values a kept cell lies at the start; none if some are far from 0 and the cell has no range of its own.
    fn initial_range(&mut self, parts: &[TermId], symbol: TermId) -> Result<Option<(i128, i128)>, Stopped> {
        if self.terms.sort(symbol) == Sort::Bool {
            return Ok(Some((0, 1)));
        }
        let (low, high) = self.terms.bounds(symbol);
        let far = i128::from(to_u32(MOST));
        let (least, greatest) = (self.terms.int(-far), self.terms.int(far));
        let outside = [self.terms.lt(symbol, least), self.terms.lt(greatest, symbol)];
        let mut range = [low, high];
        for ((end, outside), edge) in range.iter_mut().zip(outside).zip([-far, far]) {
            let with: Vec<TermId> = parts.iter().copied().chain([outside]).collect();
            let beyond =
                end.is_none() && self.queries.satisfiable(&mut self.terms, Purpose::Initial, &with)? != Reply::Unsat;
            if beyond {
                return Ok(None);
            }
            end.get_or_insert(edge);
        }
        let [low, high] = range;
        Ok(low.zip(high).filter(|(low, high)| high.saturating_sub(*low) <= 2 * far))
    }

    /// The rows of values in these ranges that the program may start with, cell by cell.
    fn initial_rows(
        &mut self,
        parts: &[TermId],
        symbols: &[TermId],
        ranges: &[(i128, i128)],
        most: usize,
    ) -> Result<Vec<Vec<i128>>, Failed> {
        let too_many = Failed::Stopped(Stopped(StopReason::Count));
        let mut left = MOST_TRIED;
        let mut rows: Vec<(Vec<i128>, Vec<TermId>)> = vec![(Vec::new(), parts.to_vec())];
        for (&symbol, &(low, high)) in symbols.iter().zip(ranges) {
            let mut longer = Vec::new();
            for (row, parts) in &rows {
                for value in low..=high {
                    if left == 0 || longer.len() > most {
                        return Err(too_many);
                    }
                    left -= 1;
                    let term = match self.terms.sort(symbol) {
                        Sort::Bool => self.terms.bool(value == 1),
                        _ => self.terms.int(value),
                    };
                    let map = HashMap::from([(symbol, term)]);
                    let with: Vec<TermId> = parts.iter().map(|&part| self.terms.substitute(part, &map)).collect();
                    if self.queries.satisfiable(&mut self.terms, Purpose::Initial, &with)? == Reply::Unsat {
                        continue;
                    }
                    longer.push((row.iter().copied().chain([value]).collect(), with));
                }
            }
            rows = longer;
        }
        if rows.len() > most {
            return Err(too_many);
        }
        Ok(rows.into_iter().map(|(row, _)| row).collect())
    }
}

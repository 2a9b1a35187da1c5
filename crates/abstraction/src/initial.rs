//! Which abstract states does a program start in?

use tertium_base::Stopped;
use tertium_lattice::Kleene;
use tertium_smt::{Purpose, Reply, Sort, TermId, Value};

use crate::Unsupported;
use crate::expand::Failed;
use crate::state::{AbstractState, definite};
use crate::system::System;

/// At most this many combinations of kept values and predicates.
const MOST: usize = 65_536;

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
        let locations: Vec<u32> = self.program.processes.iter().map(|process| process.entry.number()).collect();
        let parts = self.initial.clone();
        // What a function's values decide is certain for none of them alone.
        let certain = !self.terms.mentions_functions(&parts) && !self.terms.mentions_functions(&self.predicate_terms);
        let mut found = Vec::new();
        for kept in self.initial_kept(&parts)? {
            let map = self.concrete(&locations, &kept);
            let here: Vec<TermId> = parts.iter().map(|&part| self.terms.substitute(part, &map)).collect();
            let predicates: Vec<TermId> =
                self.predicate_terms.clone().iter().map(|&term| self.terms.substitute(term, &map)).collect();
            let fixed: Vec<Kleene> =
                predicates.iter().map(|&term| self.terms.as_bool(term).map_or(Kleene::Unknown, definite)).collect();
            let base = AbstractState { locations: locations.clone(), kept, cube: fixed, stopped: false };
            let open: Vec<usize> = (0..predicates.len()).filter(|&at| base.cube[at] == Kleene::Unknown).collect();
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
    pub(crate) fn initial_kept(&mut self, parts: &[TermId]) -> Result<Vec<Vec<i128>>, Failed> {
        if self.kept.is_empty() {
            return Ok(vec![Vec::new()]);
        }
        let symbols: Vec<TermId> = self.kept.iter().map(|kept| kept.symbol).collect();
        let rows = self.queries.all_values(&mut self.terms, Purpose::Initial, parts, &symbols, MOST)?;
        let rows = rows.ok_or(Unsupported::Keep(self.kept[0].var))?;
        let number = |value: Value| match value {
            Value::Bool(value) => i128::from(value),
            Value::Int(value) => value,
            Value::Array(..) => 0,
        };
        debug_assert!(symbols.iter().all(|&symbol| matches!(self.terms.sort(symbol), Sort::Bool | Sort::Int)));
        Ok(rows.into_iter().map(|row| row.into_iter().map(number).collect()).collect())
    }
}

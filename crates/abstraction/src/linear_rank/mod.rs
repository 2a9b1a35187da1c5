//! Which linear function of the variables decreases along steps? Ranking functions by Farkas' lemma.
//!
//! A step between two abstract states is a union of polyhedra over the values before, inputs, and whatever is not linear, each of which counts as a number of its own. That a linear function with unknown coefficients
//! decreases on all of a polyhedron, from values that are not negative, says by Farkas' lemma that some combination of its inequalities with factors that are not negative says so; that is linear in coefficients and factors
//! together (Podelski and Rybalchenko 2004; `farkas`). Any number of variables takes part. A solution in rational numbers becomes one in integers by a common factor, so integers are asked for. The function may be another
//! one for each combination of locations (Alias, Darte, Feautrier and Gonnord 2010), or for each abstract state (piecewise-defined ranking functions, Urban 2013), and where whoever claims something chooses steps and inputs, the choice is part of the question.
//!
//! Nothing rests on this: what is found is a candidate, and what steps do to it is asked like of any other (`ranking`).

mod farkas;
mod nested;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tertium_lattice::Kleene;
use tertium_program::{LocationId, ProcessId, VarId};
use tertium_smt::{Sort, Term, TermId};

use crate::state::AbstractState;
use crate::system::{Choice, OperationId, System};
use crate::translate::Cells;
use crate::view::View;

pub use self::farkas::{Decreasing, Template};

/// A step that is made of more polyhedra is left out.
const MOST_POLYHEDRA: usize = 12;
/// A polyhedron with more inequalities loses the last ones, which makes it larger.
const MOST_ROWS: usize = 24;
/// Variables with more cells take no part.
const MOST_CELLS: usize = 4;
/// More variables take no part.
const MOST_VARIABLES: usize = 24;
/// Of more quotients and remainders nothing is told.
const MOST_DIVISIONS: usize = 4;
/// So many values of one input are tried.
const MOST_INPUT_VALUES: usize = 4;

/// A linear function of cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearFunction {
    /// Cells of variables with their coefficients.
    pub parts: Vec<(VarId, usize, i128)>,
    /// What is added.
    pub constant: i128,
}

/// A piece of a piecewise-defined function: the program states at a combination of locations, or those of one abstract state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Where each process is.
    pub locations: Vec<LocationId>,
    /// The values of the kept cells; none if they may have any.
    pub kept: Option<Vec<i128>>,
    /// Predicates that have a value, by their numbers.
    pub predicates: Vec<(usize, bool)>,
}

impl Piece {
    /// All program states at a combination of locations.
    fn at(locations: &[LocationId]) -> Self {
        Self { locations: locations.to_vec(), kept: None, predicates: Vec::new() }
    }

    /// The program states of an abstract state.
    fn of(state: &AbstractState) -> Self {
        let known = state.cube.iter().enumerate().filter(|(_, value)| **value != Kleene::Unknown);
        Self {
            locations: state.locations.clone(),
            kept: Some(state.kept.clone()),
            predicates: known.map(|(at, value)| (at, *value == Kleene::True)).collect(),
        }
    }
}

/// A piecewise-defined function: a linear function on each piece; 0 elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedFunction {
    /// The pieces; where abstract states have a program state in common, the first one counts.
    pub at: Vec<(Piece, LinearFunction)>,
}

impl PlacedFunction {
    /// The one function, if it is the same everywhere.
    #[must_use]
    pub fn everywhere(&self) -> Option<&LinearFunction> {
        let (_, first) = self.at.first()?;
        self.at.iter().all(|(_, function)| function == first).then_some(first)
    }
}

/// A sum of terms, each with a factor, that is at most a number.
type Row = (BTreeMap<TermId, i128>, i128);

/// Inequalities that are there already, and facts with their values that are not yet.
type OpenDisjunct = (Vec<Row>, Vec<(TermId, bool)>);

/// A sum of terms, each with a factor, and a constant.
type LinearForm = (BTreeMap<TermId, i128>, i128);

/// A part of a step: inequalities that hold before it, and what it makes of cells.
#[derive(Clone, Debug)]
struct Polyhedron {
    rows: Vec<Row>,
    /// The new value of each cell.
    after: Vec<LinearForm>,
}

/// A step between abstract states, as far as it is linear.
#[derive(Clone, Debug)]
struct LinearStep {
    from: usize,
    to: usize,
    parts: Vec<Polyhedron>,
}

/// Steps between abstract states, as far as they are linear.
#[derive(Clone, Debug, Default)]
pub struct LinearSteps {
    cells: Vec<(VarId, usize, TermId)>,
    /// The abstract states that steps lead from and to.
    states: Vec<AbstractState>,
    /// The combinations of locations of these.
    places: Vec<Vec<LocationId>>,
    /// Steps that may all be taken.
    steps: Vec<LinearStep>,
    /// For states in which a step is chosen: what can be chosen, and the steps that this may be.
    choices: Vec<Vec<Vec<LinearStep>>>,
}

impl LinearSteps {
    /// The number of a state.
    fn number(&mut self, state: &AbstractState) -> usize {
        if !self.places.contains(&state.locations) {
            self.places.push(state.locations.clone());
        }
        match self.states.iter().position(|known| known == state) {
            Some(at) => at,
            None => {
                self.states.push(state.clone());
                self.states.len() - 1
            }
        }
    }

    /// How many abstract states there are.
    #[must_use]
    pub const fn states(&self) -> usize {
        self.states.len()
    }

    /// How many combinations of locations there are.
    #[must_use]
    pub const fn places(&self) -> usize {
        self.places.len()
    }
}

impl System {
    /// Steps as polyhedra; none if one of them is too complicated.
    pub fn linear_steps(&mut self, steps: &[(&AbstractState, ProcessId, &AbstractState)]) -> Option<LinearSteps> {
        let mut found = LinearSteps { cells: self.integer_cells(), ..LinearSteps::default() };
        for &(from, process, to) in steps {
            let view = self.view(from);
            let at = from.locations[process.index()].index();
            let mut parts = Vec::new();
            for operation in self.leaving[process.index()][at].clone() {
                parts.extend(self.polyhedra(&view, operation, (from, to), &HashMap::new(), &found.cells)?);
            }
            if parts.len() > MOST_POLYHEDRA {
                return None;
            }
            let (from, to) = (found.number(from), found.number(to));
            found.steps.push(LinearStep { from, to, parts });
        }
        Some(found)
    }

    /// Adds a state in which a step is chosen: each operation that may lead into one of these states, with some values of its inputs. Nothing is added if that is too complicated, or there is no such operation.
    pub fn add_linear_choice(&mut self, steps: &mut LinearSteps, from: &AbstractState, inside: &[&AbstractState]) {
        let view = self.view(from);
        let mut alternatives = Vec::new();
        for (process, &at) in self.program.process_ids().zip(&from.locations) {
            for operation in self.leaving[process.index()][at.index()].clone() {
                for inputs in self.chosen_inputs(operation) {
                    alternatives.extend(self.alternative(&view, operation, (from, inside), &inputs, steps));
                }
            }
        }
        if !alternatives.is_empty() {
            steps.choices.push(alternatives);
        }
    }

    fn alternative(
        &mut self,
        view: &View,
        operation: OperationId,
        (from, inside): (&AbstractState, &[&AbstractState]),
        inputs: &HashMap<TermId, TermId>,
        steps: &mut LinearSteps,
    ) -> Option<Vec<LinearStep>> {
        let mut found = Vec::new();
        for to in inside {
            let parts = self.polyhedra(view, operation, (from, to), inputs, &steps.cells)?;
            if !parts.is_empty() {
                let (from, to) = (steps.number(from), steps.number(to));
                found.push(LinearStep { from, to, parts });
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Values of inputs that are tried: all of them, and a few by themselves.
    fn chosen_inputs(&mut self, operation: OperationId) -> Vec<HashMap<TermId, TermId>> {
        let mut found = vec![HashMap::new()];
        let inputs: Vec<Choice> = self.operations[operation].inputs.clone();
        let [input] = inputs.as_slice() else { return found };
        if self.terms.sort(input.symbol) != Sort::Int {
            return found;
        }
        let (low, high) = input.bounds;
        let inside = |value: &i128| low.is_none_or(|low| low <= *value) && high.is_none_or(|high| *value <= high);
        let values: BTreeSet<i128> = [Some(1), Some(-1), low, high].into_iter().flatten().filter(inside).collect();
        for value in values.into_iter().take(MOST_INPUT_VALUES) {
            let value = self.terms.int(value);
            found.push(HashMap::from([(input.symbol, value)]));
        }
        found
    }

    fn integer_cells(&mut self) -> Vec<(VarId, usize, TermId)> {
        let mut cells = Vec::new();
        for var in self.program.variable_ids() {
            let Cells::Each(symbols) = self.translator.cells(var) else { continue };
            if symbols.len() > MOST_CELLS {
                continue;
            }
            for (at, &symbol) in symbols.iter().enumerate() {
                let is_symbol = matches!(self.terms.get(symbol), Term::Symbol(_));
                if is_symbol && self.terms.sort(symbol) == Sort::Int && cells.len() < MOST_VARIABLES {
                    cells.push((var, at, symbol));
                }
            }
        }
        cells
    }

    /// The parts of an operation that lead from one state into another, with some inputs.
    fn polyhedra(
        &mut self,
        view: &View,
        operation: OperationId,
        (from, to): (&AbstractState, &AbstractState),
        inputs: &HashMap<TermId, TermId>,
        cells: &[(VarId, usize, TermId)],
    ) -> Option<Vec<Polyhedron>> {
        let Some(passage) = self.passage(view, operation, from, to) else { return Some(Vec::new()) };
        let mut after = Vec::new();
        for &(_, _, symbol) in cells {
            let new = self.after(operation, symbol);
            let new = self.terms.substitute(new, inputs);
            after.push(self.linear_form(new));
        }
        let passage = passage.into_iter().map(|part| self.terms.substitute(part, inputs)).collect::<Vec<_>>();
        let facts: Vec<TermId> = view.literals.iter().copied().chain(passage).collect();
        let mut found = Vec::new();
        for rows in self.disjuncts(&facts)? {
            let mut polyhedron = Polyhedron { rows, after: after.clone() };
            self.add_bounds(&mut polyhedron, cells);
            found.push(polyhedron);
        }
        Some(found)
    }

    /// A number as a sum of terms that are no sums, and a constant.
    fn linear_form(&mut self, term: TermId) -> LinearForm {
        match self.terms.get(term) {
            Term::Int(value) => (BTreeMap::new(), value),
            Term::Sum(sum) => {
                let sum = self.terms.sum(sum);
                (sum.parts.iter().copied().collect(), sum.constant)
            }
            _ => (BTreeMap::from([(term, 1)]), 0),
        }
    }

    /// The inequalities of each way in which all facts can hold; facts that are not linear are left out.
    fn disjuncts(&mut self, facts: &[TermId]) -> Option<Vec<Vec<Row>>> {
        let mut done = Vec::new();
        let mut open: Vec<OpenDisjunct> = vec![(Vec::new(), facts.iter().map(|&fact| (fact, true)).collect())];
        while let Some((mut rows, mut left)) = open.pop() {
            let Some((fact, holds)) = left.pop() else {
                done.push(rows);
                continue;
            };
            if done.len() + open.len() > MOST_POLYHEDRA {
                return None;
            }
            match (self.terms.get(fact), holds) {
                (Term::Bool(value), _) if value != holds => continue,
                (Term::Not(inner), _) => left.push((inner, !holds)),
                (Term::And(list), true) => left.extend(self.terms.list(list).iter().map(|&part| (part, true))),
                (Term::And(list), false) => {
                    for &part in self.terms.list(list) {
                        let mut other = left.clone();
                        other.push((part, false));
                        open.push((rows.clone(), other));
                    }
                    continue;
                }
                (Term::AtMost(form, most), true) => rows.push((self.linear_form(form).0, most)),
                (Term::AtMost(form, most), false) => {
                    rows.push((self.negated(form), most.saturating_add(1).saturating_neg()))
                }
                (Term::Equals(form, value), true) => {
                    rows.push((self.linear_form(form).0, value));
                    rows.push((self.negated(form), value.saturating_neg()));
                }
                (Term::Equals(form, value), false) => {
                    let mut other = rows.clone();
                    other.push((self.linear_form(form).0, value.saturating_sub(1)));
                    open.push((other, left.clone()));
                    rows.push((self.negated(form), value.saturating_add(1).saturating_neg()));
                }
                _ => {}
            }
            open.push((rows, left));
        }
        Some(done)
    }

    fn negated(&mut self, form: TermId) -> BTreeMap<TermId, i128> {
        self.linear_form(form).0.into_iter().map(|(term, factor)| (term, factor.saturating_neg())).collect()
    }

    /// What is known of the values of all terms that occur.
    fn add_bounds(&mut self, polyhedron: &mut Polyhedron, cells: &[(VarId, usize, TermId)]) {
        let mut atoms: BTreeSet<TermId> = cells.iter().map(|&(_, _, symbol)| symbol).collect();
        atoms.extend(polyhedron.rows.iter().flat_map(|(form, _)| form.keys().copied()));
        atoms.extend(polyhedron.after.iter().flat_map(|(form, _)| form.keys().copied()));
        self.add_divisions(polyhedron, &mut atoms);
        for atom in atoms {
            let (low, high) = self.terms.bounds(atom);
            polyhedron.rows.extend(high.map(|high| (BTreeMap::from([(atom, 1)]), high)));
            polyhedron.rows.extend(low.map(|low| (BTreeMap::from([(atom, -1)]), low.saturating_neg())));
        }
        // Of several bounds of the same form the sharpest is enough.
        let mut sharpest: BTreeMap<BTreeMap<TermId, i128>, i128> = BTreeMap::new();
        for (form, most) in &polyhedron.rows {
            let known = sharpest.entry(form.clone()).or_insert(*most);
            *known = (*known).min(*most);
        }
        polyhedron.rows.retain(|(form, most)| sharpest.get(form) == Some(most) && sharpest.remove(form).is_some());
        polyhedron.rows.truncate(MOST_ROWS);
    }

    /// What a quotient or a remainder says of its dividend: that it is the divisor times the one, plus the other.
    fn add_divisions(&mut self, polyhedron: &mut Polyhedron, atoms: &mut BTreeSet<TermId>) {
        let mut left: Vec<TermId> = atoms.iter().copied().collect();
        let mut seen: BTreeSet<(TermId, i128)> = BTreeSet::new();
        while let Some(atom) = left.pop() {
            let (Term::Div(value, by) | Term::Mod(value, by)) = self.terms.get(atom) else { continue };
            let Some(divisor) = self.terms.as_int(by).filter(|divisor| *divisor > 0) else { continue };
            if !seen.insert((value, divisor)) || seen.len() > MOST_DIVISIONS {
                continue;
            }
            let (quotient, remainder) = (self.terms.div(value, by), self.terms.modulo(value, by));
            let whole = self.terms.weighted(&[(quotient, divisor), (remainder, 1), (value, -1)], 0);
            let (form, constant) = self.linear_form(whole);
            left.extend(form.keys().copied().filter(|&part| atoms.insert(part)));
            let opposite = form.iter().map(|(&part, factor)| (part, factor.saturating_neg())).collect();
            // In front, since rows at the end may be left out.
            polyhedron.rows.insert(0, (opposite, constant));
            polyhedron.rows.insert(0, (form, constant.saturating_neg()));
        }
    }

    /// A linear function as a term.
    pub fn linear_term(&mut self, function: &LinearFunction) -> TermId {
        let mut parts = Vec::new();
        for &(var, cell, factor) in &function.parts {
            if let Cells::Each(symbols) = self.translator.cells(var) {
                parts.extend(symbols.get(cell).map(|&symbol| (symbol, factor)));
            }
        }
        self.terms.weighted(&parts, function.constant)
    }

    /// A function by pieces as a term.
    pub fn placed_term(&mut self, function: &PlacedFunction) -> TermId {
        let mut term = self.terms.int(0);
        for (piece, function) in function.at.iter().rev() {
            let here = self.on_piece(piece);
            let value = self.linear_term(function);
            term = self.terms.ite(here, value, term);
        }
        term
    }

    fn on_piece(&mut self, piece: &Piece) -> TermId {
        let mut parts = Vec::new();
        for (process, &at) in self.program.process_ids().zip(&piece.locations) {
            let (counter, at) = (self.translator.counter(process), self.terms.int(i128::from(at.number())));
            parts.push(self.terms.eq(counter, at));
        }
        if let Some(kept) = &piece.kept {
            parts.extend(self.kept_conditions(kept));
        }
        for &(at, holds) in &piece.predicates {
            let term = self.predicate_terms[at];
            parts.push(if holds { term } else { self.terms.not(term) });
        }
        self.terms.all(&parts)
    }
}

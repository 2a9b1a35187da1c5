//! Farkas' lemma: which coefficients make a function decrease on polyhedra?

use std::collections::{BTreeMap, BTreeSet};

use tertium_smt::rational::{self, RationalConstraint, ScaledSolution};
use tertium_smt::{Limit, TermId};

use super::{LinearFunction, LinearStep, LinearSteps, Piece, PlacedFunction, Polyhedron, Row};
use crate::expand::Failed;
use crate::system::System;

/// Coefficients lie between this and its negative.
const MOST_COEFFICIENT: i128 = 64;
/// What the solver may do for one system, in its own units.
const MOST_WORK: u32 = 2_000_000;
/// With more unknown coefficients nothing is asked.
const MOST_UNKNOWNS: usize = 96;
/// A lexicographic ranking function has at most so many components.
const MOST_LEVELS: usize = 4;

/// How many functions are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Template {
    /// One.
    Same,
    /// One for each combination of locations.
    ByLocation,
    /// One for each abstract state.
    ByState,
}

/// What a function has to decrease on; on everything else it does not increase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decreasing {
    /// Some step, all of it.
    SomeStep,
    /// Some part of some step.
    Something,
    /// All steps, and what is chosen.
    Everything,
}

/// A function, and for each step which of its parts were chosen to decrease.
type SolvedRank = (PlacedFunction, Vec<Vec<bool>>);

/// The unknown coefficients and the constant of a linear function of cells.
#[derive(Clone, Debug)]
pub(super) struct UnknownFunction {
    coefficients: Vec<usize>,
    constant: usize,
}

/// Unknown piecewise-defined functions, and what is asked of them.
pub(super) struct FarkasSystem<'s> {
    steps: &'s LinearSteps,
    template: Template,
    /// The cells that a function may speak of: by position, and their symbols.
    cells: Vec<(usize, TermId)>,
    /// By function, and by abstract state.
    pub(super) functions: Vec<Vec<UnknownFunction>>,
    /// How many unknowns there are by now.
    pub(super) unknowns: usize,
    pub(super) constraints: Vec<RationalConstraint>,
}

impl System {
    /// A function that decreases where it should, and is not negative there; nowhere it increases.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn linear_rank(
        &mut self,
        steps: &LinearSteps,
        template: Template,
        decreasing: Decreasing,
    ) -> Result<Option<PlacedFunction>, Failed> {
        Ok(self.solved_rank(steps, template, decreasing)?.map(|(function, _)| function))
    }

    /// The components of a lexicographic ranking function: each decreases on some part of a step, and increases on none that is left; what it decreases on is left out for the next one. Empty if something remains.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn lexicographic_rank(
        &mut self,
        steps: &LinearSteps,
        template: Template,
    ) -> Result<Vec<PlacedFunction>, Failed> {
        let mut left = steps.clone();
        let mut found = Vec::new();
        while found.len() < MOST_LEVELS {
            let Some((function, decreased)) = self.solved_rank(&left, template, Decreasing::Something)? else { break };
            found.push(function);
            for (step, decreased) in left.steps.iter_mut().zip(decreased) {
                let mut decreased = decreased.into_iter();
                step.parts.retain(|_| !decreased.next().unwrap_or(false));
            }
            left.steps.retain(|step| !step.parts.is_empty());
            if left.steps.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// The same, with the parts of each step that were chosen to decrease.
    fn solved_rank(
        &mut self,
        steps: &LinearSteps,
        template: Template,
        decreasing: Decreasing,
    ) -> Result<Option<SolvedRank>, Failed> {
        let Some(mut system) = FarkasSystem::new(steps, template, 1) else { return Ok(None) };
        let wanted = system.unknowns;
        let mut marked: Vec<RationalConstraint> = Vec::new();
        let mut whole: Vec<RationalConstraint> = Vec::new();
        for step in &steps.steps {
            let mut all = Vec::new();
            for part in &step.parts {
                let strictly = decreasing == Decreasing::Everything;
                let changes = system.changes(step, part, strictly);
                system.constraints.push(changes);
                match decreasing {
                    Decreasing::Something => marked.push(system.changes(step, part, true)),
                    Decreasing::SomeStep => all.push(system.changes(step, part, true)),
                    Decreasing::Everything => {}
                }
            }
            if !all.is_empty() && !all.contains(&never()) {
                whole.push(RationalConstraint::All(all));
            }
        }
        match decreasing {
            Decreasing::Something => {
                let possible = marked.iter().filter(|&one| *one != never()).cloned().collect();
                system.constraints.push(RationalConstraint::Any(possible));
            }
            Decreasing::SomeStep => system.constraints.push(RationalConstraint::Any(whole)),
            Decreasing::Everything => {}
        }
        for choice in &steps.choices {
            let mut alternatives = Vec::new();
            for alternative in choice {
                let parts = alternative.iter().flat_map(|step| step.parts.iter().map(move |part| (step, part)));
                let all: Vec<_> = parts.map(|(step, part)| system.changes(step, part, true)).collect();
                if !all.contains(&never()) {
                    alternatives.push(RationalConstraint::All(all));
                }
            }
            system.constraints.push(RationalConstraint::Any(alternatives));
        }
        let Some(found) = self.solution(&system, wanted, &marked)? else { return Ok(None) };
        let mut holds = found.holds.iter().copied();
        let decreased = steps.steps.iter().map(|step| step.parts.iter().map(|_| holds.next() == Some(true)).collect());
        Ok(system.function(0, &found.values).map(|function| (function, decreased.collect())))
    }

    /// A solution, if there is one within the limits.
    pub(super) fn solution(
        &self,
        system: &FarkasSystem<'_>,
        wanted: usize,
        marked: &[RationalConstraint],
    ) -> Result<Option<ScaledSolution>, Failed> {
        let cannot = |one: &RationalConstraint| *one == never() || *one == RationalConstraint::Any(Vec::new());
        if system.constraints.iter().any(cannot) {
            return Ok(None);
        }
        let limit = Limit { work: Some(MOST_WORK), time: None };
        self.queries.budget().check()?;
        Ok(rational::solve(&system.constraints, wanted, marked, limit, self.queries.budget()).unwrap_or_default())
    }
}

impl<'s> FarkasSystem<'s> {
    /// Unknowns for so many functions; none if they are too many.
    pub(super) fn new(steps: &'s LinearSteps, template: Template, functions: usize) -> Option<Self> {
        let pieces = match template {
            Template::Same => 1,
            Template::ByLocation => steps.places.len(),
            Template::ByState => steps.states.len(),
        };
        let relevant = steps.relevant();
        let cells = steps.cells.iter().enumerate().map(|(at, &(_, _, symbol))| (at, symbol));
        let cells: Vec<(usize, TermId)> = cells.filter(|(_, symbol)| relevant.contains(symbol)).collect();
        if functions * pieces * (cells.len() + 1) > MOST_UNKNOWNS {
            return None;
        }
        let mut system = Self { steps, template, cells, functions: Vec::new(), unknowns: 0, constraints: Vec::new() };
        for _ in 0..functions {
            let own: Vec<UnknownFunction> = (0..pieces).map(|_| system.unknown_function()).collect();
            let of = |state: usize| own[system.piece(state)].clone();
            let by_state = (0..steps.states.len()).map(of).collect();
            system.functions.push(by_state);
        }
        Some(system)
    }

    /// The piece that an abstract state is part of.
    fn piece(&self, state: usize) -> usize {
        let locations = &self.steps.states[state].locations;
        match self.template {
            Template::Same => 0,
            Template::ByLocation => self.steps.places.iter().position(|place| place == locations).unwrap_or(0),
            Template::ByState => state,
        }
    }

    fn unknown_function(&mut self) -> UnknownFunction {
        let coefficients: Vec<usize> = (0..self.cells.len()).map(|_| self.unknown()).collect();
        for &one in &coefficients {
            for sign in [1, -1] {
                self.constraints.push(RationalConstraint::NotNegative(vec![(one, sign)], MOST_COEFFICIENT));
            }
        }
        UnknownFunction { coefficients, constant: self.unknown() }
    }

    fn unknown(&mut self) -> usize {
        self.unknowns += 1;
        self.unknowns - 1
    }

    /// What values of the unknowns say of a function.
    pub(super) fn function(&self, number: usize, values: &[i128]) -> Option<PlacedFunction> {
        let mut at: Vec<(Piece, LinearFunction)> = Vec::new();
        for (state, function) in self.steps.states.iter().zip(&self.functions[number]) {
            let piece = if self.template == Template::ByState { Piece::of(state) } else { Piece::at(&state.locations) };
            if at.iter().any(|(known, _)| *known == piece) {
                continue;
            }
            let cells = self.cells.iter().map(|&(at, _)| self.steps.cells[at]).zip(&function.coefficients);
            let parts = cells.map(|((var, cell, _), &one)| (var, cell, values[one])).filter(|part| part.2 != 0);
            let constant = values[function.constant];
            at.push((piece, LinearFunction { parts: parts.collect(), constant }));
        }
        let varies = at.iter().any(|(_, function)| !function.parts.is_empty() || function.constant != at[0].1.constant);
        varies.then_some(PlacedFunction { at })
    }

    /// By how much a step decreases a function.
    pub(super) fn decrease(&self, number: usize, step: &LinearStep, part: &Polyhedron) -> UnknownSum {
        let (before, after) = (&self.functions[number][step.from], &self.functions[number][step.to]);
        let mut sum = UnknownSum::default();
        add(&mut sum.constant, before.constant, 1);
        add(&mut sum.constant, after.constant, -1);
        for (&(cell, symbol), (&old, &new)) in
            self.cells.iter().zip(before.coefficients.iter().zip(&after.coefficients))
        {
            add(sum.form.entry(symbol).or_default(), old, 1);
            let (terms, added) = &part.after[cell];
            for (&atom, &factor) in terms {
                add(sum.form.entry(atom).or_default(), new, factor.saturating_neg());
            }
            add(&mut sum.constant, new, added.saturating_neg());
        }
        sum.form.retain(|_, unknowns| !unknowns.is_empty());
        sum
    }

    /// Adds the value of a function in a state.
    pub(super) fn add_value(&self, sum: &mut UnknownSum, number: usize, state: usize) {
        let function = &self.functions[number][state];
        for (&(_, symbol), &coefficient) in self.cells.iter().zip(&function.coefficients) {
            add(sum.form.entry(symbol).or_default(), coefficient, 1);
        }
        add(&mut sum.constant, function.constant, 1);
        sum.form.retain(|_, unknowns| !unknowns.is_empty());
    }

    /// On all of a polyhedron the function does not increase; or, strictly, decreases and is not negative before.
    fn changes(&mut self, step: &LinearStep, part: &Polyhedron, strictly: bool) -> RationalConstraint {
        let change = self.decrease(0, step, part);
        if change.form.is_empty() && change.constant.is_empty() {
            // The function is the same before and after.
            return if strictly { never() } else { RationalConstraint::All(Vec::new()) };
        }
        let mut found = Vec::new();
        self.follows(&part.rows, &change, -i128::from(strictly), &mut found);
        if strictly {
            let mut before = UnknownSum::default();
            self.add_value(&mut before, 0, step.from);
            self.follows(&part.rows, &before, 0, &mut found);
        }
        RationalConstraint::All(found)
    }

    /// Farkas' lemma: that a linear form plus a constant is not negative follows from inequalities, whatever the unknowns are that it is made of. Those that share nothing with the form, not even by way of others, do not help.
    pub(super) fn follows(
        &mut self,
        rows: &[Row],
        UnknownSum { form, constant }: &UnknownSum,
        added: i128,
        found: &mut Vec<RationalConstraint>,
    ) {
        let atoms = connected(form.keys().copied().collect(), rows.iter());
        let rows: Vec<&Row> = rows.iter().filter(|(row, _)| row.keys().any(|atom| atoms.contains(atom))).collect();
        let factors: Vec<usize> = rows.iter().map(|_| self.unknown()).collect();
        found.extend(factors.iter().map(|&factor| RationalConstraint::NotNegative(vec![(factor, 1)], 0)));
        for atom in atoms {
            let mut sum: Vec<(usize, i128)> =
                form.get(&atom).into_iter().flatten().map(|(&at, &by)| (at, by)).collect();
            for ((row, _), &factor) in rows.iter().zip(&factors) {
                sum.extend(row.get(&atom).map(|&weight| (factor, weight)));
            }
            if !sum.is_empty() {
                found.push(RationalConstraint::Zero(sum, 0));
            }
        }
        let mut rest: Vec<(usize, i128)> = constant.iter().map(|(&unknown, &factor)| (unknown, factor)).collect();
        rest.extend(rows.iter().zip(&factors).map(|((_, most), &factor)| (factor, most.saturating_neg())));
        found.push(RationalConstraint::NotNegative(rest, added));
    }
}

/// A sum of terms and a constant, whose coefficients are sums of unknowns with factors.
#[derive(Default)]
pub(super) struct UnknownSum {
    form: BTreeMap<TermId, BTreeMap<usize, i128>>,
    constant: BTreeMap<usize, i128>,
}

/// Adds a multiple of an unknown.
fn add(sum: &mut BTreeMap<usize, i128>, unknown: usize, factor: i128) {
    let own = sum.entry(unknown).or_default();
    *own = own.saturating_add(factor);
    if *own == 0 {
        sum.remove(&unknown);
    }
}

/// What nothing fulfils.
const fn never() -> RationalConstraint {
    RationalConstraint::NotNegative(Vec::new(), -1)
}

/// These terms, and all that inequalities relate to them, directly or by way of others.
fn connected<'r>(mut atoms: BTreeSet<TermId>, rows: impl Iterator<Item = &'r Row>) -> BTreeSet<TermId> {
    let mut left: Vec<&Row> = rows.collect();
    loop {
        let before = left.len();
        left.retain(|(row, _)| {
            let meets = row.keys().any(|atom| atoms.contains(atom));
            if meets {
                atoms.extend(row.keys().copied());
            }
            !meets
        });
        if left.len() == before {
            return atoms;
        }
    }
}

impl LinearSteps {
    /// The terms that steps change, those that they are changed by, and all that inequalities relate to them.
    fn relevant(&self) -> BTreeSet<TermId> {
        let chosen = self.choices.iter().flatten().flatten();
        let parts: Vec<&Polyhedron> = self.steps.iter().chain(chosen).flat_map(|step| &step.parts).collect();
        let mut atoms = BTreeSet::new();
        for part in &parts {
            for (&(_, _, symbol), (sum, added)) in self.cells.iter().zip(&part.after) {
                if *added != 0 || sum.len() != 1 || sum.get(&symbol) != Some(&1) {
                    atoms.insert(symbol);
                    atoms.extend(sum.keys().copied());
                }
            }
        }
        connected(atoms, parts.iter().flat_map(|part| &part.rows))
    }
}

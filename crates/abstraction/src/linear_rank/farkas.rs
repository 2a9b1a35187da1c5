//! Farkas' lemma: which coefficients make a function decrease on polyhedra?

use std::collections::{BTreeMap, BTreeSet};

use tertium_smt::rational::{self, RationalConstraint};
use tertium_smt::{Limit, TermId};

use super::{LinearFunction, LinearStep, LinearSteps, PlacedFunction, Polyhedron, Row};
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

/// Unknown coefficients and constants, by place, and what is asked of them.
struct FarkasSystem<'s> {
    steps: &'s LinearSteps,
    /// The cells that a function may speak of: by position, and their symbols.
    cells: Vec<(usize, TermId)>,
    coefficients: Vec<Vec<usize>>,
    constants: Vec<usize>,
    /// How many unknowns there are by now.
    unknowns: usize,
    constraints: Vec<RationalConstraint>,
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
        let Some(mut system) = FarkasSystem::new(steps, template) else { return Ok(None) };
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
        let cannot = |one: &RationalConstraint| *one == never() || *one == RationalConstraint::Any(Vec::new());
        if system.constraints.iter().any(cannot) {
            return Ok(None);
        }
        let limit = Limit { work: Some(MOST_WORK), time: None };
        self.queries.budget().check()?;
        let found = rational::solve(&system.constraints, wanted, &marked, limit, self.queries.budget());
        let Ok(Some(found)) = found else { return Ok(None) };
        let mut holds = found.holds.iter().copied();
        let decreased = steps.steps.iter().map(|step| step.parts.iter().map(|_| holds.next() == Some(true)).collect());
        Ok(system.function(&found.values).map(|function| (function, decreased.collect())))
    }
}

impl<'s> FarkasSystem<'s> {
    /// Unknowns for all places; none if they are too many.
    fn new(steps: &'s LinearSteps, template: Template) -> Option<Self> {
        let places = if template == Template::Same { 1 } else { steps.places.len() };
        let relevant = steps.relevant();
        let cells = steps.cells.iter().enumerate().map(|(at, &(_, _, symbol))| (at, symbol));
        let cells: Vec<(usize, TermId)> = cells.filter(|(_, symbol)| relevant.contains(symbol)).collect();
        if places * (cells.len() + 1) > MOST_UNKNOWNS {
            return None;
        }
        let (coefficients, constants) = (Vec::new(), Vec::new());
        let mut system = Self { steps, cells, coefficients, constants, unknowns: 0, constraints: Vec::new() };
        for place in 0..steps.places.len() {
            if place < places {
                let own: Vec<usize> = (0..system.cells.len()).map(|_| system.unknown()).collect();
                for &one in &own {
                    for sign in [1, -1] {
                        system.constraints.push(RationalConstraint::NotNegative(vec![(one, sign)], MOST_COEFFICIENT));
                    }
                }
                system.coefficients.push(own);
                let constant = system.unknown();
                system.constants.push(constant);
            } else {
                system.coefficients.push(system.coefficients[0].clone());
                system.constants.push(system.constants[0]);
            }
        }
        Some(system)
    }

    fn unknown(&mut self) -> usize {
        self.unknowns += 1;
        self.unknowns - 1
    }

    /// What values of the unknowns say.
    fn function(&self, values: &[i128]) -> Option<PlacedFunction> {
        let mut at = Vec::new();
        for (place, locations) in self.steps.places.iter().enumerate() {
            let cells = self.cells.iter().map(|&(at, _)| self.steps.cells[at]).zip(&self.coefficients[place]);
            let parts = cells.map(|((var, cell, _), &one)| (var, cell, values[one])).filter(|part| part.2 != 0);
            let constant = values[self.constants[place]];
            at.push((locations.clone(), LinearFunction { parts: parts.collect(), constant }));
        }
        let varies = at.iter().any(|(_, function)| !function.parts.is_empty() || function.constant != at[0].1.constant);
        varies.then_some(PlacedFunction { at })
    }

    /// On all of a polyhedron the function does not increase; or, strictly, decreases and is not negative before.
    fn changes(&mut self, step: &LinearStep, part: &Polyhedron, strictly: bool) -> RationalConstraint {
        let (before, after) = (self.coefficients[step.from].clone(), self.coefficients[step.to].clone());
        let mut form: UnknownForm = BTreeMap::new();
        let mut constant = BTreeMap::new();
        add(&mut constant, self.constants[step.from], 1);
        add(&mut constant, self.constants[step.to], -1);
        for (&(cell, symbol), (&old, &new)) in self.cells.iter().zip(before.iter().zip(&after)) {
            add(form.entry(symbol).or_default(), old, 1);
            let (sum, added) = &part.after[cell];
            for (&atom, &factor) in sum {
                add(form.entry(atom).or_default(), new, factor.saturating_neg());
            }
            add(&mut constant, new, added.saturating_neg());
        }
        form.retain(|_, unknowns| !unknowns.is_empty());
        if form.is_empty() && constant.is_empty() {
            // The function is the same before and after.
            return if strictly { never() } else { RationalConstraint::All(Vec::new()) };
        }
        let mut found = Vec::new();
        self.follows(&part.rows, &form, (constant, -i128::from(strictly)), &mut found);
        if strictly {
            let cells = self.cells.iter().zip(&before);
            let form = cells.map(|(&(_, symbol), &one)| (symbol, BTreeMap::from([(one, 1)]))).collect();
            let constant = BTreeMap::from([(self.constants[step.from], 1)]);
            self.follows(&part.rows, &form, (constant, 0), &mut found);
        }
        RationalConstraint::All(found)
    }

    /// Farkas' lemma: that a linear form plus a constant is not negative follows from inequalities, whatever the unknowns are that it is made of. Those that share nothing with the form, not even by way of others, do not help.
    fn follows(
        &mut self,
        rows: &[Row],
        form: &UnknownForm,
        (constant, added): (BTreeMap<usize, i128>, i128),
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
        let mut rest: Vec<(usize, i128)> = constant.into_iter().collect();
        rest.extend(rows.iter().zip(&factors).map(|((_, most), &factor)| (factor, most.saturating_neg())));
        found.push(RationalConstraint::NotNegative(rest, added));
    }
}

/// The coefficients of terms, each a sum of unknowns with factors.
type UnknownForm = BTreeMap<TermId, BTreeMap<usize, i128>>;

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

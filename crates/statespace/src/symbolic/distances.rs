//! How many steps is it from one set of states to another: at least, and at most?
//!
//! Quantitative characteristics (Campos, Clarke, Marrero, Minea, Hiraishi 1994). The least distance is how often the image of the first set must be taken before it meets the
//! second, without end if it never does; the largest is how long a path that begins in the first can stay outside the second, and undefined where one of them is empty. Paths are infinite and keep to what is promised of them.

use tertium_base::{Budget, Diagnostic, StopReason, Stopped};
use tertium_check::Filter;
use tertium_check::symbolic::{Structure, paths};
use tertium_dd::{Set, with_deep_stack};
use tertium_encode::{Encoding, EncodingError, InstantiatedProgram};
use tertium_load::failure::{Failure, Located};
use tertium_load::program::ProgramFile;
use tertium_load::questions::{self, PropertyQuery};
use tertium_program::{Distance, ExprId};
use tertium_structures::engines;

use super::decide::{SymbolicCheck, failure};
use super::structure::structure;
use crate::check::CheckOptions;

/// A number of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// So many.
    Count(usize),
    /// There is no path, or one that never arrives.
    Infinite,
    /// There is no longest path: no state to begin in is reached, or none to end in.
    Undefined,
}

impl std::fmt::Display for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Infinite => f.write_str("Infinity"),
            Self::Undefined => f.write_str("undefined"),
        }
    }
}

/// What is told of the distances that a program asks for.
///
/// # Errors
/// If a formula has no meaning any more. That a program cannot be encoded, or a limit is reached, is told and no error.
pub fn distances(file: &ProgramFile, options: &CheckOptions, budget: &Budget) -> Result<Vec<Located>, Failure> {
    if file.program.distances.is_empty() {
        return Ok(Vec::new());
    }
    let found = with_deep_stack(|| numbers(file, options, budget));
    let found = found.unwrap_or(Err(Failure::Stopped(Stopped(StopReason::Memory))));
    let why = match found {
        Ok(numbers) => {
            let told = file.program.distances.iter().zip(numbers).map(|(asked, steps)| {
                let text = format!("{}: {} is {steps}", asked.name, asked.source);
                let note = Diagnostic::note_only("W0732", text);
                Located::within(note.at(asked.from.span, "asked here"), &file.source)
            });
            return Ok(told.collect());
        }
        Err(Failure::Stopped(stopped)) => format!("{stopped}"),
        Err(Failure::Input(reasons)) => {
            reasons.first().map_or_else(String::new, |reason| reason.diagnostic.message.clone())
        }
        Err(other) => return Err(other),
    };
    let first = &file.program.distances[0];
    let text = format!("no number is computed for {}: {why}", first.name);
    let warning = Diagnostic::warning("W0732", text).at(first.from.span, "not computed");
    Ok(vec![Located::within(warning, &file.source)])
}

fn numbers(file: &ProgramFile, options: &CheckOptions, budget: &Budget) -> Result<Vec<Steps>, Failure> {
    let (mut asked, mut exprs): (Vec<[PropertyQuery; 3]>, Vec<ExprId>) = (Vec::new(), Vec::new());
    for Distance { from, to, promise, .. } in &file.program.distances {
        let parts = [questions::asked(file, from)?, questions::asked(file, to)?, questions::asked(file, promise)?];
        exprs.extend(parts.iter().flat_map(|part| part.atoms.iter().copied()));
        asked.push(parts);
    }
    let program = options.scheduled(&file.program);
    let subject = InstantiatedProgram::watched(&program, &exprs, &[]).map_err(failure)?;
    let encoding = match Encoding::of(&subject, budget, &mut |_| {}) {
        Err(EncodingError::Stopped(stopped)) => return Err(Failure::Stopped(stopped)),
        encoding => encoding.map_err(failure)?,
    };
    let check = SymbolicCheck::new(&encoding, &subject, options);
    let asked = asked.iter().zip(&file.program.distances);
    asked.map(|(parts, distance)| check.distance(parts, distance.least)).collect()
}

impl SymbolicCheck<'_, '_> {
    fn distance(&self, [from, to, promise]: &[PropertyQuery; 3], least: bool) -> Result<Steps, Failure> {
        let fair = self.fair_if(true);
        let structure = structure(self.encoding, &fair.weak, !fair.fairness.strong.is_empty(), true)?;
        let states = |asked: &PropertyQuery| -> Result<Set, Failure> {
            let atoms = self.atoms(&asked.formula, self.labels(asked)?)?;
            let value = self.fair_value(&structure, &asked.formula, &atoms, &fair, false)?;
            Ok(value.yes.and(&self.encoding.reached)?)
        };
        let atoms = self.atoms(&promise.formula, self.labels(promise)?)?;
        let kept = paths(&structure, &promise.formula, &atoms, true, &fair.fairness).map_err(engines::failure)?.open;
        let (begin, end) = (states(from)?, states(to)?);
        if least {
            return shortest(&structure, begin.and(&kept)?, &end.and(&kept)?, &kept);
        }
        // Where there is no path at all, none leaves a state: 0 steps, as in NuSMV.
        let (begin, end) = if kept.is_empty() { (begin, end) } else { (begin.and(&kept)?, end.and(&kept)?) };
        if begin.is_empty() || end.is_empty() {
            return Ok(Steps::Undefined);
        }
        longest(&structure, &begin, &end, &kept)
    }
}

fn shortest(structure: &Structure, begin: Set, end: &Set, kept: &Set) -> Result<Steps, Failure> {
    let Some(steps) = structure.steps(Filter::Any) else { return Ok(Steps::Infinite) };
    let (mut seen, mut frontier, mut count) = (begin.clone(), begin, 0);
    while !frontier.is_empty() {
        if !frontier.and(end)?.is_empty() {
            return Ok(Steps::Count(count));
        }
        frontier = steps.possible.image(&frontier)?.and(kept)?.minus(&seen)?;
        seen = seen.or(&frontier)?;
        count += 1;
    }
    Ok(Steps::Infinite)
}

fn longest(structure: &Structure, begin: &Set, end: &Set, kept: &Set) -> Result<Steps, Failure> {
    let Some(steps) = structure.steps(Filter::Any) else { return Ok(Steps::Infinite) };
    // Where a path can stay outside for so many steps.
    let (mut outside, mut count) = (kept.minus(end)?, 0);
    while !begin.and(&outside)?.is_empty() {
        let longer = outside.and(&steps.possible.preimage(&outside)?)?;
        if longer == outside {
            return Ok(Steps::Infinite);
        }
        outside = longer;
        count += 1;
    }
    Ok(Steps::Count(count))
}

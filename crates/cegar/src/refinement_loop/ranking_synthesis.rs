//! Which ranking functions do the steps of open cycles have? Solved for, component by component.
//!
//! A linear function that no step of a strongly connected set increases, and that some of them decrease, excludes runs that take those again and again. What is left without them falls apart, and is solved
//! again: so a lexicographic ranking function is found level by level (Bradley, Manna and Sipma 2005; Cook, See and Zuleger 2013). The functions are candidates like others, and each is checked.

use std::collections::{BTreeMap, BTreeSet};

use tertium_abstraction::linear_rank::{Decreasing, LinearSteps, PlacedFunction, Template};
use tertium_evidence::abstraction::Taken;
use tertium_program::ProcessId;

use super::ranking::Ranking;
use super::ranking_candidates::Candidate;
use super::ranking_levels::components;
use crate::limits;
use crate::predicate_abstraction::{basis, failed};
use tertium_load::failure::Failure;

/// The components of a ranking function, and the steps that decrease it.
type DecreasingFunction = (Vec<Candidate>, BTreeSet<Taken>);

/// The templates that say different things about these steps, small ones first.
fn templates(steps: &LinearSteps) -> impl Iterator<Item = Template> + use<> {
    let (by_location, by_state) = (steps.places() > 1, steps.states() > steps.places());
    let all = [Template::Same, Template::ByLocation, Template::ByState];
    all.into_iter().zip([true, by_location, by_state]).filter_map(|(template, differs)| differs.then_some(template))
}

impl Ranking<'_> {
    /// Linear functions that exclude cycles of these steps, the outermost level first; several together are the components of a lexicographic one.
    pub(super) fn synthesised(&mut self, steps: &[Taken]) -> Result<Vec<Vec<Candidate>>, Failure> {
        let mut found: Vec<Vec<Candidate>> = Vec::new();
        let mut left = limits::RANKING_SYNTHESIS_MOST_SYSTEMS;
        let mut open: Vec<Vec<Taken>> = vec![steps.to_vec()];
        while let Some(part) = open.pop() {
            for component in components(&part) {
                self.work.budget.check()?;
                if component.len() > limits::RANKING_SYNTHESIS_MOST_STEPS {
                    continue;
                }
                let Some((candidate, decreasing)) = self.decreasing_somewhere(&component, &mut left)? else { continue };
                open.push(component.into_iter().filter(|step| !decreasing.contains(step)).collect());
                if !found.contains(&candidate) {
                    found.push(candidate);
                }
            }
        }
        Ok(found)
    }

    /// A linear function that no step increases, and the steps that decrease it; one for all locations, else one for each combination of them, else a lexicographic one.
    fn decreasing_somewhere(
        &mut self,
        component: &[Taken],
        left: &mut usize,
    ) -> Result<Option<DecreasingFunction>, Failure> {
        let processes: BTreeMap<u32, ProcessId> =
            basis::pids(self.system.program()).into_iter().map(|(process, pid)| (pid, process)).collect();
        let states = &self.drawn.explored.states;
        let told = |&(from, by, to): &Taken| {
            processes.get(&by).map(|&process| (&states[from as usize], process, &states[to as usize]))
        };
        let Some(told) = component.iter().map(told).collect::<Option<Vec<_>>>() else { return Ok(None) };
        let Some(linear) = self.system.linear_steps(&told) else { return Ok(None) };
        if let Some(function) = self.solved(&linear, Template::Same, Decreasing::SomeStep, left)?
            && let Some(found) = self.decreasing(&[function], component)?
        {
            return Ok(Some(found));
        }
        if linear.places() > 1
            && let Some(function) = self.solved(&linear, Template::ByLocation, Decreasing::Everything, left)?
            && let Some(found) = self.decreasing(&[function], component)?
        {
            return Ok(Some(found));
        }
        for template in templates(&linear) {
            if *left == 0 {
                break;
            }
            *left -= 1;
            let functions = self.system.lexicographic_rank(&linear, template);
            let functions = functions.map_err(|why| failed(self.work.file, self.system.program(), why))?;
            if !functions.is_empty()
                && let Some(found) = self.decreasing(&functions, component)?
            {
                return Ok(Some(found));
            }
        }
        self.multiphase(&linear, left)?;
        Ok(None)
    }

    /// Where the phases of a component follow one another: when the function of each but the last is positive, which tells them apart, becomes known.
    fn multiphase(&mut self, linear: &LinearSteps, left: &mut usize) -> Result<(), Failure> {
        for phases in 2..=limits::RANKING_SYNTHESIS_MOST_PHASES {
            for template in templates(linear).filter(|&template| template != Template::ByState) {
                if *left == 0 {
                    return Ok(());
                }
                *left -= 1;
                let functions = self.system.nested_rank(linear, template, phases);
                let functions = functions.map_err(|why| failed(self.work.file, self.system.program(), why))?;
                let Some((_, outer)) = functions.split_last() else { continue };
                for (_, function) in outer.iter().flat_map(|function| &function.at) {
                    let term = self.system.linear_term(function);
                    let terms = self.system.asking().0;
                    let zero = terms.int(0);
                    let ended = terms.le(term, zero);
                    if terms.as_bool(ended).is_none() && !self.phase_ends.contains(&ended) {
                        self.phase_ends.push(ended);
                    }
                }
                return Ok(());
            }
        }
        Ok(())
    }

    /// A solution, as long as not too many systems were solved.
    pub(super) fn solved(
        &mut self,
        steps: &LinearSteps,
        template: Template,
        decreasing: Decreasing,
        left: &mut usize,
    ) -> Result<Option<PlacedFunction>, Failure> {
        if *left == 0 {
            return Ok(None);
        }
        *left -= 1;
        let function = self.system.linear_rank(steps, template, decreasing);
        function.map_err(|why| failed(self.work.file, self.system.program(), why))
    }

    /// These functions as components of one ranking function, and the steps that decrease it; none if no step does.
    fn decreasing(
        &mut self,
        functions: &[PlacedFunction],
        component: &[Taken],
    ) -> Result<Option<DecreasingFunction>, Failure> {
        let mut candidates = Vec::new();
        for function in functions {
            let Some(candidate) = Candidate::placed(self.system, function) else { return Ok(None) };
            candidates.push(candidate);
        }
        let parts: Vec<&Candidate> = candidates.iter().collect();
        let Some((rank, _)) = self.rank(&parts, component)? else { return Ok(None) };
        Ok((!rank.decreasing.is_empty()).then(|| (candidates, rank.decreasing.into_iter().collect())))
    }
}

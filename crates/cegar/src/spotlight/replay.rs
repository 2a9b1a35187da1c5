//! A run of the program that breaks a property which the abstraction found to be false.
//!
//! The program is run from an initial state that the solver picks, first by the processes of the spotlight alone, then by all
//! of them, as far as a limit on states allows. What is found there is a real run, whether or not the property's
//! falsity shows in so small a part of the program.

use std::collections::HashMap;

use tertium_abstraction::spotlight::Spotlight;
use tertium_abstraction::{AbstractState, System};
use tertium_base::narrow::to_u32;
use tertium_check::{Ask, Task};
use tertium_evidence::{Deadlock, LinearReading, Proof, Reading};
use tertium_lattice::{Belnap, Kleene};
use tertium_logic::Logic;
use tertium_model::{ActionId, Kmts, KmtsBuilder, StateId};
use tertium_program::{Fairness, Outcome, ProcessId, Semantics, State};

use super::SpotlightCheck;
use crate::limits;
use crate::predicate_abstraction::concretise::with_values;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_structures::check::bound;
use tertium_structures::engines;
use tertium_structures::prove;
use tertium_trace::propositional;
use tertium_trace::run::{self, Run};

/// A run that breaks the property; `None` where none is found.
pub(super) fn run(
    work: &SpotlightCheck<'_>,
    system: &mut System,
    spotlight: &Spotlight,
    asked: &PropertyQuery,
) -> Result<Option<Run>, Failure> {
    let linear = asked.formula.logic() == Logic::Ltl;
    if !linear && (asked.invariant.is_none() || asked.exists) {
        return Ok(None);
    }
    let program = work.options.scheduled(&work.file.program);
    let locations = system.program().processes.iter().map(|process| process.entry).collect();
    let cube = vec![Kleene::Unknown; system.predicates().len()];
    let anywhere = AbstractState { locations, kept: Vec::new(), cube, stopped: false };
    let Some(cells) = system.initial_sample(&anywhere)? else { return Ok(None) };
    let semantics = Semantics::new(&program);
    let Some(first) = with_values(&semantics, &cells) else { return Ok(None) };
    let all: Vec<ProcessId> = work.file.program.process_ids().collect();
    for processes in [&spotlight.processes, &all] {
        let part = Part::visit(&semantics, first.clone(), asked, processes, work)?;
        if let Some(found) = part.breaks(&semantics, asked, work)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// A step between states of the part, by their numbers.
struct ReplayedStep {
    from: usize,
    to: usize,
    /// Who takes it; nobody where nobody can step.
    pid: Option<u32>,
    /// Who can step where it begins.
    able: Vec<u32>,
}

/// A part of the program's states and steps.
struct Part {
    states: Vec<State>,
    parents: Vec<usize>,
    /// The first state that breaks the invariant, if the property is one.
    broken: Option<usize>,
    structure: Option<Kmts>,
}

impl Part {
    fn visit(
        semantics: &Semantics<'_>,
        first: State,
        asked: &PropertyQuery,
        processes: &[ProcessId],
        work: &SpotlightCheck<'_>,
    ) -> Result<Self, Failure> {
        let program = semantics.program();
        let mut known: HashMap<State, usize> = HashMap::from([(first.clone(), 0)]);
        let mut part = Self { states: vec![first], parents: vec![0], broken: None, structure: None };
        let mut edges: Vec<ReplayedStep> = Vec::new();
        let (mut at, mut ticks) = (0, 0);
        while at < part.states.len() {
            work.budget.tick(&mut ticks)?;
            if breaks(semantics, asked, &part.states[at]) {
                part.broken = Some(at);
                return Ok(part);
            }
            let successors = semantics.successors(&part.states[at].clone());
            let next = |outcome: &Outcome| matches!(outcome, Outcome::Next(_));
            // A step that cannot be computed may be possible: whoever would take it is not known to rest.
            let open = |outcome: &Outcome| matches!(outcome, Outcome::Fault { fault, .. } if !fault.kind.is_error());
            let able: Vec<u32> = (successors.iter().filter(|s| next(&s.outcome) || open(&s.outcome)))
                .filter_map(|s| run::moved_by(&s.moves))
                .collect();
            if able.is_empty() {
                edges.push(ReplayedStep { from: at, to: at, pid: None, able: able.clone() });
            }
            for successor in successors {
                let Some(pid) = run::moved_by(&successor.moves) else { continue };
                let lit = processes.contains(&program.instances[pid as usize].process);
                if let (Outcome::Next(next), true) = (successor.outcome, lit) {
                    let number = match known.get(&next) {
                        Some(&number) => number,
                        None if part.states.len() >= limits::SPOTLIGHT_REPLAY_MOST_STATES => continue,
                        None => {
                            known.insert(next.clone(), part.states.len());
                            part.states.push(next);
                            part.parents.push(at);
                            part.states.len() - 1
                        }
                    };
                    edges.push(ReplayedStep { from: at, to: number, pid: Some(pid), able: able.clone() });
                }
            }
            at += 1;
        }
        part.structure = part.structure(semantics, asked, &edges);
        Ok(part)
    }

    fn structure(&self, semantics: &Semantics<'_>, asked: &PropertyQuery, edges: &[ReplayedStep]) -> Option<Kmts> {
        let program = semantics.program();
        let mut builder = KmtsBuilder::new();
        (0..self.states.len()).for_each(|number| {
            builder.add_state(&number.to_string());
        });
        for (atom, &expr) in asked.formula.atoms().iter().zip(&asked.atoms) {
            let prop = builder.add_prop(&atom.text);
            for (number, state) in self.states.iter().enumerate() {
                let value = semantics.observe(expr, state).map_or(Belnap::Unknown, |value| (value != 0).into());
                builder.set_label(StateId::new(number), prop, value);
            }
        }
        let process = |pid: u32| program.process(program.instances[pid as usize].process);
        let fair: Vec<u32> =
            (0..to_u32(program.instances.len())).filter(|&pid| process(pid).fairness != Fairness::None).collect();
        let mut constraints: Vec<Vec<(StateId, StateId, Option<ActionId>)>> = vec![Vec::new(); fair.len()];
        for ReplayedStep { from, to, pid, able } in edges {
            let (from, to) = (StateId::new(*from), StateId::new(*to));
            let action = pid.map(|pid| builder.add_action(&process(pid).name));
            builder.add_edge(from, to, true, true, action);
            for (&fair, edges) in fair.iter().zip(&mut constraints) {
                // Strong fairness asks for more than that the process cannot always step.
                let weak = process(fair).fairness == Fairness::Weak;
                if *pid == Some(fair) || able.is_empty() || (weak && !able.contains(&fair)) {
                    edges.push((from, to, action));
                }
            }
        }
        constraints.into_iter().for_each(|edges| builder.add_fairness(edges));
        builder.add_init(StateId::new(0));
        builder.finish().ok()
    }

    fn path(&self, to: usize) -> Vec<State> {
        let (mut at, mut path) = (to, vec![self.states[to].clone()]);
        while at != 0 {
            at = self.parents[at];
            path.push(self.states[at].clone());
        }
        path.reverse();
        path
    }

    /// A run in this part that breaks the property. What is missing here only adds runs, so a run that is here is real.
    fn breaks(
        &self,
        semantics: &Semantics<'_>,
        asked: &PropertyQuery,
        work: &SpotlightCheck<'_>,
    ) -> Result<Option<Run>, Failure> {
        if let Some(broken) = self.broken {
            return Ok(Some(run::connect(semantics, &self.path(broken))?));
        }
        let Some(structure) = &self.structure else { return Ok(None) };
        if asked.formula.logic() != Logic::Ltl || asked.invariant.is_some() {
            return Ok(None);
        }
        let reading = Reading { deadlock: Deadlock::Mu, linear: LinearReading::Bg };
        let ask = [StateId::new(0)];
        let task = bound(Task::new(structure, &asked.formula, reading, Ask::At(&ask), work.budget))?;
        let (_, values) = engines::evaluate(&task, engines::EngineChoice::Auto)?;
        if values.at(ask[0]) != Belnap::False {
            return Ok(None);
        }
        let proof = prove::certificate(&task, &asked.formula, ask[0], Belnap::False)?;
        let Proof::Lasso { stem, cycle } = &proof.proof else { return Ok(None) };
        let states = |path: &[StateId]| path.iter().map(|id| self.states[id.index()].clone()).collect::<Vec<_>>();
        Ok(Some(run::connect_lasso(semantics, &states(stem), &states(cycle), &[])?))
    }
}

/// Whether a state breaks an invariant.
fn breaks(semantics: &Semantics<'_>, asked: &PropertyQuery, state: &State) -> bool {
    let Some((root, holds)) = asked.invariant else { return false };
    let atoms: Option<Vec<bool>> =
        asked.atoms.iter().map(|&atom| semantics.observe(atom, state).ok().map(|value| value != 0)).collect();
    atoms.is_some_and(|atoms| propositional::value(&asked.formula, root, &atoms, &mut Vec::new()) != holds)
}

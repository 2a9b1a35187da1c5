//! The spotlight abstraction itself: K, and with parameters K(x), for people and other tools.
//!
//! Processes and predicates are those that are given; no round adds to them. With parameters, every unknown value of a predicate of the
//! properties gets a name where it arises, in the order of states, as far as names go ([`MOST_PARAMETERS`]); with
//! [`Parameters::Literal`] branches of which nothing is known get parameters, too. No answer rests on it.

use std::collections::BTreeMap;

use tertium_abstraction::spotlight::{
    ComplementaryBranch, Label, MOST_PARAMETERS, Mover, Parameter, SpotExplored, SpotShape, SpotState, SpotStep,
    Spotlight, Standing, comparisons,
};
use tertium_abstraction::{Predicate, System};
use tertium_base::Budget;
use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_model::{Kmts, Model};
use tertium_program::{Expr, ExprId, Fairness, LocationId, ProcessId};

use super::{Parameters, SpotlightCheck, SpotlightOptions};
use crate::limits;
use crate::options::CheckOptions;
use crate::predicate_abstraction::{AbstractionOptions, failed, unsupported, with_fairness};

/// A step of a spotlight abstraction, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownStep {
    /// Who takes it: processes.
    pub by: Vec<String>,
    /// Whether they are in the shade.
    pub shade: bool,
    /// What is done; nothing for the shade, and where the run ends.
    pub statement: Option<String>,
    /// Its value: `t`, `u`, or an expression over parameters.
    pub value: String,
    /// Where it leads.
    pub target: usize,
}

/// A state of a spotlight abstraction, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownState {
    /// Where the processes are: `P1@one`.
    pub places: Vec<String>,
    /// One value for each predicate: `t`, `f`, `u`, or an expression over parameters.
    pub labels: Vec<String>,
    /// The steps that leave it.
    pub steps: Vec<ShownStep>,
}

/// A spotlight abstraction, in words, and as a structure.
#[derive(Debug)]
pub struct SpotlightView {
    /// The processes in the spotlight.
    pub processes: Vec<String>,
    /// The others.
    pub shade: Vec<String>,
    /// The predicates.
    pub predicates: Vec<String>,
    /// What each parameter stands for; the first is `x1`.
    pub parameters: Vec<String>,
    /// The states; the first one is initial.
    pub states: Vec<ShownState>,
    /// Certain sets of steps: the state, and the targets.
    pub sets: Vec<(usize, Vec<usize>)>,
    /// K, or K(x) where there are parameters.
    pub model: Model,
    /// Calls of the solver.
    pub calls: u64,
    /// Calls in which it gave up.
    pub gave_up: u64,
    /// The solver.
    pub solver: String,
}

/// Abstracts a program with the spotlight of its file; `tell` is told what goes on.
///
/// # Errors
/// If the program cannot be abstracted, or a limit is reached.
pub fn view(
    file: &ProgramFile,
    abstraction: &AbstractionOptions,
    parameters: Parameters,
    budget: &Budget,
    tell: &dyn Fn(&str),
) -> Result<SpotlightView, Failure> {
    let (options, how) = (CheckOptions::default(), SpotlightOptions { parameters, ..SpotlightOptions::default() });
    let work = SpotlightCheck { file, options: &options, abstraction, how: &how, budget, observer: &() };
    let mut system = work.system()?;
    let mut spotlight = Spotlight::of(file.program.spotlight.clone());
    spotlight.processes.sort_unstable();
    spotlight.processes.dedup();
    let mut viewed =
        Viewed { work: &work, tell, system: &mut system, spotlight, own: Vec::new(), branches: Vec::new() };
    viewed.add_predicates()?;
    let mut explored = viewed.named()?;
    viewed.shown(&mut explored)
}

/// An abstraction in the making.
struct Viewed<'a> {
    work: &'a SpotlightCheck<'a>,
    /// Is told what goes on.
    tell: &'a dyn Fn(&str),
    system: &'a mut System,
    spotlight: Spotlight,
    /// The predicates that the properties speak of.
    own: Vec<usize>,
    branches: Vec<ComplementaryBranch>,
}

impl Viewed<'_> {
    fn failed(&self, why: tertium_abstraction::Failed) -> Failure {
        failed(self.work.file, self.system.program(), why)
    }

    /// Those of the file and the command line, then those of the properties.
    fn add_predicates(&mut self) -> Result<(), Failure> {
        let program = self.system.program();
        let given: Vec<(ExprId, String)> =
            program.predicates.iter().map(|named| (named.expr, named.name.clone())).collect();
        let asked: Vec<ExprId> =
            program.properties.iter().flat_map(|property| property.atoms.values().copied()).collect();
        for (expr, name) in given {
            self.add_predicate(expr, name)?;
        }
        for atom in asked {
            for part in comparisons(self.system.program(), atom) {
                self.add_predicate(part, self.system.program().show(part))?;
                if let Standing::Predicate(at) = self.system.standing(part, &self.spotlight.processes)
                    && !self.own.contains(&at)
                {
                    self.own.push(at);
                }
            }
        }
        Ok(())
    }

    fn add_predicate(&mut self, expr: ExprId, name: String) -> Result<(), Failure> {
        if self.system.standing(expr, &self.spotlight.processes) == Standing::New {
            let added = self.system.add_predicate(Predicate { name, expr });
            added.map_err(|why| unsupported(self.work.file, self.system.program(), &why))?;
        }
        Ok(())
    }

    fn visit(&mut self) -> Result<SpotExplored, Failure> {
        let tell = self.tell;
        let mut told = |done: usize, known: usize| tell(&format!("abstracting: {done} of {known} states"));
        SpotExplored::visit(self.system, &self.spotlight, self.work.budget, &mut told).map_err(|why| self.failed(why))
    }

    /// All states, after names were given to what is unknown.
    fn named(&mut self) -> Result<SpotExplored, Failure> {
        if self.work.how.parameters == Parameters::Off {
            return self.visit();
        }
        for predicate in 0..self.system.predicates().len() {
            let few = self.spotlight.parameters.len() < limits::SPOTLIGHT_ROUNDS_MOST_RIGID;
            if few && self.system.is_rigid(predicate) {
                self.spotlight.parameters.push(Parameter::Rigid(predicate));
            }
        }
        loop {
            let mut explored = self.visit()?;
            match self.site(&explored) {
                Some((state, predicate)) if self.spotlight.parameters.len() < MOST_PARAMETERS => {
                    self.spotlight.parameters.push(Parameter::Site(state, predicate));
                }
                _ => {
                    if self.work.how.parameters == Parameters::Literal {
                        let found = explored.complementary_branches(self.system);
                        self.branches = found.map_err(|why| self.failed(why))?;
                    }
                    return Ok(explored);
                }
            }
        }
    }

    /// The first state whose entering makes a predicate of the properties unknown that was known before.
    fn site(&self, explored: &SpotExplored) -> Option<(SpotState, usize)> {
        for (number, state) in explored.states.iter().enumerate() {
            for &predicate in &self.own {
                let before = explored.parents[number].map(|(before, _)| explored.states[before].labels[predicate]);
                if state.labels[predicate] == Label::Unknown && before != Some(Label::Unknown) {
                    return Some((explored.entered[number].clone(), predicate));
                }
            }
        }
        None
    }

    fn shown(&mut self, explored: &mut SpotExplored) -> Result<SpotlightView, Failure> {
        let atoms = self.atoms();
        let count = self.spotlight.parameters.len() + self.branches.len();
        let plain = self.structure(explored, &atoms)?;
        let model = if count == 0 {
            Model::Kmts(plain.clone())
        } else {
            let made = explored.parameterised(self.system, &atoms, &self.branches, self.work.budget);
            Model::Param(made.map_err(|why| self.failed(why))?)
        };
        let sets = plain.states().flat_map(|state| {
            plain.hyper_from(state).map(move |edge| (state.index(), edge.members.iter().map(|to| to.index()).collect()))
        });
        let mut states = Vec::new();
        for number in 0..explored.states.len() {
            states.push(self.shown_state(explored, number)?);
        }
        let name = |process: ProcessId| self.system.program().process(process).name.clone();
        Ok(SpotlightView {
            processes: self.spotlight.processes.iter().map(|&process| name(process)).collect(),
            shade: self.spotlight.shade(self.system.program()).into_iter().map(name).collect(),
            predicates: self.system.predicates().iter().map(|predicate| predicate.name.clone()).collect(),
            parameters: self.meanings(explored),
            states,
            sets: if count == 0 { sets.collect() } else { Vec::new() },
            model,
            calls: self.system.queries().calls(),
            gave_up: self.system.queries().gave_up(),
            solver: self.system.queries().solver(),
        })
    }

    /// The predicates, and where the processes of the spotlight are.
    fn atoms(&mut self) -> Vec<(String, ExprId)> {
        let mut atoms: Vec<(String, ExprId)> =
            self.system.predicates().iter().map(|predicate| (predicate.name.clone(), predicate.expr)).collect();
        for process in self.spotlight.processes.clone() {
            let program = self.system.program_mut();
            for at in (0..program.process(process).locations.len()).map(LocationId::new) {
                let name = format!("{}@{}", program.process(process).name, program.location_name(process, at));
                if !atoms.iter().any(|(known, _)| *known == name) {
                    atoms.push((name, program.exprs.add(Expr::At(process, at))));
                }
            }
        }
        atoms
    }

    /// K, with the processes' fairness.
    fn structure(&mut self, explored: &mut SpotExplored, atoms: &[(String, ExprId)]) -> Result<Kmts, Failure> {
        let program = self.system.program();
        let (weak, strong) = (with_fairness(program, Fairness::Weak), with_fairness(program, Fairness::Strong));
        let unsure = !strong.is_empty() || weak.iter().any(|&process| !self.spotlight.holds(process));
        let fair = weak.into_iter().chain(strong).filter(|&process| self.spotlight.holds(process)).collect();
        let shape = SpotShape { fair, unsure, stutter: true, by_statement: true, ..SpotShape::default() };
        let structure = explored.structure(self.system, 0, atoms, &shape, self.work.budget);
        structure.map_err(|why| self.failed(why))
    }

    /// What each parameter stands for.
    fn meanings(&self, explored: &SpotExplored) -> Vec<String> {
        let name = |at: usize| self.system.predicates()[at].name.clone();
        let place = |state: &SpotState| self.system.spot_name(&self.spotlight.processes, state);
        let named = self.spotlight.parameters.iter().map(|parameter| match parameter {
            Parameter::Rigid(at) => format!("`{}`, which no step changes", name(*at)),
            Parameter::Site(state, at) => format!("`{}` when `{}` is entered", name(*at), place(state)),
        });
        let taken = |branch: &ComplementaryBranch| match branch.first {
            Mover::Spot(operation) => {
                let state = place(&explored.states[branch.state]);
                format!("whether `{}` is taken at `{state}`", self.system.operation_name(operation))
            }
            Mover::Shade(_) => String::new(),
        };
        named.chain(self.branches.iter().map(taken)).collect()
    }

    fn shown_state(&mut self, explored: &mut SpotExplored, number: usize) -> Result<ShownState, Failure> {
        let mut may_stop = false;
        for assignment in 0..explored.assignments() {
            may_stop |= explored.plain(self.system, number, assignment).map_err(|why| self.failed(why))?.may_stop;
        }
        let program = self.system.program();
        let state = &explored.states[number];
        let place = |(&process, &at): (&ProcessId, &LocationId)| {
            let at = program.location_name(process, at);
            format!("{}@{at}", program.process(process).name)
        };
        let places = self.spotlight.processes.iter().zip(&state.locations).map(place).collect();
        let labels = state.labels.iter().map(|label| letter(*label)).collect();
        let mut steps: Vec<ShownStep> = Vec::new();
        let mut shade: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
        for step in &explored.steps[number] {
            let value = self.value(step, number, explored.assignments());
            match step.mover {
                Mover::Spot(operation) => {
                    let found = &self.system.operations()[operation];
                    let texts: Vec<&str> = found.steps.iter().map(|&id| program.step(id).text.as_str()).collect();
                    steps.push(ShownStep {
                        by: vec![program.process(found.process).name.clone()],
                        shade: false,
                        statement: Some(texts.join("; ")),
                        value,
                        target: step.target,
                    });
                }
                Mover::Shade(process) => {
                    shade.entry((step.target, value)).or_default().push(program.process(process).name.clone());
                }
            }
        }
        let together = shade.into_iter();
        steps.extend(together.map(|((target, value), by)| ShownStep {
            by,
            shade: true,
            statement: None,
            value,
            target,
        }));
        if may_stop {
            let value = "u".to_owned();
            steps.push(ShownStep { by: Vec::new(), shade: false, statement: None, value, target: number });
        }
        Ok(ShownState { places, labels, steps })
    }

    /// The value of a step, as the parameterised structure has it.
    fn value(&self, step: &SpotStep, number: usize, assignments: usize) -> String {
        let branch = self
            .branches
            .iter()
            .position(|branch| branch.state == number && (branch.first == step.mover || branch.second == step.mover));
        if let Some(at) = branch {
            let sign = if self.branches[at].first == step.mover { "" } else { "!" };
            return format!("{sign}x{}", self.spotlight.parameters.len() + at + 1);
        }
        let open = (0..assignments).any(|at| (step.may & !step.must) >> at & 1 != 0);
        if open {
            return "u".to_owned();
        }
        letter(Label::Known(step.must))
    }
}

/// A label as the letter of its value.
fn letter(label: Label) -> String {
    match label {
        Label::Unknown => "u".to_owned(),
        Label::TRUE => "t".to_owned(),
        Label::FALSE => "f".to_owned(),
        Label::Known(_) => label.text(),
    }
}

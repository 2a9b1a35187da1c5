//! What would tell more about a spotlight abstraction?
//!
//! A label that is unknown is followed back to the step that made it so. A step of the spotlight that assigns something
//! unknown suggests the comparisons it is made of; a step of the shade suggests what would show that it changes nothing, or
//! else its process. In both cases the unknown value can be given a name: a parameter. A step that is possible, not certain,
//! suggests the comparisons of its guard, or the process that takes it. Where a run may end, or a process that is treated
//! fairly may be unable to step, the guards at that place are suggested; if nothing else is left, those of the shade.

use std::collections::BTreeSet;

use tertium_abstraction::spotlight::{Label, Mover, SpotExplored, SpotState, Standing, comparisons};
use tertium_abstraction::{OperationId, System};
use tertium_evidence::{OpenQuestion, Reason};
use tertium_program::{Assign, ExprId, Place, ProcessId, Sort, VarId};

/// A step that gives a predicate a value: the states where it was taken and where it led, and who took it.
struct PredicateWrite {
    before: usize,
    after: usize,
    mover: Mover,
}

/// What to look at more closely, each with why.
#[derive(Clone, Debug, Default)]
pub struct Suggestions {
    /// Unknown labels that can be given a name: the state as it is entered, and the predicate.
    pub sites: Vec<(SpotState, usize, String)>,
    /// New predicates.
    pub predicates: Vec<(ExprId, String)>,
    /// Processes that should come into the spotlight.
    pub processes: Vec<(ProcessId, String)>,
    /// Predicates for when nothing else is left: what the shade tests of the variables that matter.
    pub last: Vec<(ExprId, String)>,
}

impl Suggestions {
    fn site(&mut self, state: &SpotState, predicate: usize, why: String) {
        if !self.sites.iter().any(|(known, at, _)| known == state && *at == predicate) {
            self.sites.push((state.clone(), predicate, why));
        }
    }

    fn predicate(&mut self, expr: ExprId, why: String) {
        if !self.predicates.iter().any(|(known, _)| *known == expr) {
            self.predicates.push((expr, why));
        }
    }

    fn process(&mut self, process: ProcessId, why: String) {
        if !self.processes.iter().any(|(known, _)| *known == process) {
            self.processes.push((process, why));
        }
    }
}

/// What the open elements of the structure under one assignment suggest. `atoms` are its propositions, `fair` the processes of
/// the spotlight that are treated fairly.
pub fn suggestions(
    system: &mut System,
    explored: &mut SpotExplored,
    assignment: usize,
    (atoms, fair): (&[ExprId], &[ProcessId]),
    question: Option<&OpenQuestion>,
) -> Suggestions {
    let reasons: &[Reason] = question.map_or(&[], |question| &question.reasons);
    let mut reading =
        Reading { system, explored, assignment, seen: BTreeSet::new(), named: true, found: Suggestions::default() };
    for reason in reasons {
        if let Reason::Label { state, prop } = reason
            && let Some(&atom) = atoms.get(prop.index())
        {
            reading.condition(state.index(), &[atom], "the property");
        }
    }
    // Only what the property itself speaks of is given names.
    reading.named = false;
    for reason in reasons {
        match reason {
            Reason::Label { .. } => {}
            Reason::Edge { from, to, .. } => reading.edge(from.index(), to.index()),
            Reason::Hyper { from, members, .. } => {
                members.iter().for_each(|member| reading.edge(from.index(), member.index()));
            }
        }
    }
    for state in question.map(cycle).unwrap_or_default() {
        reading.guards_at(state, fair);
    }
    reading.tests_of_the_shade();
    reading.found
}

/// The states of the cycle of an open path.
fn cycle(question: &OpenQuestion) -> Vec<usize> {
    let Some(start) = question.loop_start else { return Vec::new() };
    question.play[start..].iter().map(|step| step.state.index()).collect()
}

struct Reading<'a> {
    system: &'a mut System,
    explored: &'a mut SpotExplored,
    assignment: usize,
    seen: BTreeSet<(usize, usize)>,
    /// Whether unknown values are given names.
    named: bool,
    found: Suggestions,
}

impl Reading<'_> {
    fn lit(&self) -> Vec<ProcessId> {
        self.explored.spotlight.processes.clone()
    }

    fn name(&self, process: ProcessId) -> String {
        self.system.program().process(process).name.clone()
    }

    /// Conditions whose value matters at a state.
    fn condition(&mut self, state: usize, conditions: &[ExprId], whose: &str) {
        let lit = self.lit();
        for &condition in conditions {
            for atom in comparisons(self.system.program(), condition) {
                match self.system.standing(atom, &lit) {
                    Standing::Constant | Standing::Chosen => {}
                    Standing::New => self.found.predicate(atom, format!("{whose} looks at it")),
                    Standing::Of(process) => self.found.process(process, format!("{whose} looks at it")),
                    Standing::Predicate(predicate) => self.label(state, predicate),
                }
            }
        }
    }

    /// Why a predicate is unknown at a state.
    fn label(&mut self, state: usize, predicate: usize) {
        let mut open = vec![(state, predicate)];
        while let Some((state, predicate)) = open.pop() {
            if self.explored.states[state].labels[predicate] != Label::Unknown || !self.seen.insert((state, predicate))
            {
                continue;
            }
            let Some(PredicateWrite { before, after, mover }) = self.writer(state, predicate) else {
                if self.named {
                    self.found.site(
                        &self.explored.entered[0],
                        predicate,
                        "it has no known value at the start".to_owned(),
                    );
                }
                continue;
            };
            let (by, operations) = match mover {
                Mover::Spot(operation) => (self.system.operations()[operation].process, vec![operation]),
                Mover::Shade(process) => (process, self.system.operations_of(process)),
            };
            let by_name = self.name(by);
            if self.named {
                let why = format!("`{by_name}` gives it a value that is not known");
                self.found.site(&self.explored.entered[after], predicate, why);
            }
            if matches!(mover, Mover::Shade(_)) {
                self.own_view(predicate);
            }
            for operation in operations {
                if self.system.touches(operation, predicate) {
                    open.extend(self.written(before, operation, predicate, mover));
                }
            }
            if let Mover::Shade(process) = mover {
                let text = self.system.predicates()[predicate].name.clone();
                self.found.process(process, format!("it may change `{text}`"));
            }
        }
    }

    /// The last step on the way to a state that gives a predicate a value: where it was taken and where it led.
    fn writer(&mut self, state: usize, predicate: usize) -> Option<PredicateWrite> {
        let mut at = state;
        while let Some((before, step)) = self.explored.parents[at] {
            let mover = self.explored.steps[before][step].mover;
            let operations = match mover {
                Mover::Spot(operation) => vec![operation],
                Mover::Shade(process) => self.system.operations_of(process),
            };
            if operations.iter().any(|&operation| self.system.touches(operation, predicate)) {
                return Some(PredicateWrite { before, after: at, mover });
            }
            at = before;
        }
        None
    }

    /// What would tell the value that an operation gives a predicate: new predicates, and predicates that are unknown
    /// before it, which are returned.
    fn written(
        &mut self,
        before: usize,
        operation: OperationId,
        predicate: usize,
        mover: Mover,
    ) -> Vec<(usize, usize)> {
        let terms = self.system.operations()[operation].terms.clone();
        let (process, lit) = (self.system.operations()[operation].process, self.lit());
        let post = self.system.predicates()[predicate].expr;
        let value = self.system.program_mut().after(&terms, post);
        let conditions = match mover {
            Mover::Spot(_) => vec![value],
            // The step keeps the value where its guard says so.
            Mover::Shade(_) => vec![terms.enabled, value],
        };
        let whose = format!("`{}` writes it", self.name(process));
        let mut unknown = Vec::new();
        for condition in conditions {
            for atom in comparisons(self.system.program(), condition) {
                match self.system.standing(atom, &lit) {
                    Standing::Constant | Standing::Chosen => {}
                    Standing::New => self.found.predicate(atom, whose.clone()),
                    Standing::Of(other) if other == process => {}
                    Standing::Of(other) => self.found.process(other, whose.clone()),
                    Standing::Predicate(known) => unknown.push((before, known)),
                }
            }
        }
        unknown
    }

    /// What the spotlight itself looks at, or writes, of the variables that a predicate is about: often that shows that the shade
    /// keeps away from them.
    fn own_view(&mut self, predicate: usize) {
        let expr = self.system.predicates()[predicate].expr;
        let lit = self.lit();
        let operations: Vec<OperationId> = lit.iter().flat_map(|&process| self.system.operations_of(process)).collect();
        for operation in operations {
            let terms = self.system.operations()[operation].terms.clone();
            let whose = format!("`{}`", self.name(self.system.operations()[operation].process));
            let mut atoms = comparisons(self.system.program(), terms.enabled);
            if self.system.touches(operation, predicate) {
                atoms.extend(terms.updates.iter().filter_map(|update| self.written_value(*update)));
            }
            for atom in atoms {
                if self.system.standing(atom, &lit) == Standing::New && self.shares_variables(atom, expr) {
                    self.found.predicate(atom, format!("{whose} looks at it, or makes it true"));
                }
            }
        }
    }

    /// "The variable has the value that is written", where that says something after the step as well.
    fn written_value(&mut self, update: Assign) -> Option<ExprId> {
        let Place::Var(var) = update.place else {
            let Place::Element(var, indices) = update.place else { return None };
            let sort = self.system.program().exprs.sort(update.value);
            let indices = self.system.program().exprs.list(indices).to_vec();
            let constant = indices.iter().all(|&index| self.system.program().exprs.constant(index).is_some());
            let value = self.system.program().exprs.constant(update.value);
            return (constant && value.is_some() && sort != Sort::Bool).then(|| {
                let exprs = &mut self.system.program_mut().exprs;
                let cell = exprs.element(var, &indices, sort);
                exprs.eq(cell, update.value)
            });
        };
        self.system.program().exprs.constant(update.value)?;
        if self.system.program().exprs.sort(update.value) == Sort::Bool {
            return None;
        }
        let program = self.system.program_mut();
        let read = program.read(var);
        Some(program.exprs.eq(read, update.value))
    }

    fn shares_variables(&self, a: ExprId, b: ExprId) -> bool {
        let program = self.system.program();
        !program.footprint_of(a).reads.is_disjoint(&program.footprint_of(b).reads)
    }

    /// What would make a step certain, or impossible.
    fn edge(&mut self, from: usize, to: usize) {
        let open = |step: &&tertium_abstraction::spotlight::SpotStep| {
            let may = step.may >> self.assignment & 1 != 0;
            step.target == to && may && step.must >> self.assignment & 1 == 0
        };
        let steps: Vec<Mover> = self.explored.steps[from].iter().filter(open).map(|step| step.mover).collect();
        if from == to && steps.is_empty() {
            // The run may end here: whether a process can step is open.
            self.guards_at(from, &self.lit());
        }
        for mover in steps {
            match mover {
                Mover::Spot(operation) => {
                    let terms = self.system.operations()[operation].terms.clone();
                    let whose = format!("`{}`", self.name(self.system.operations()[operation].process));
                    self.condition(from, &[terms.enabled, terms.safe], &whose);
                }
                Mover::Shade(process) => {
                    self.shaded(from, to, process);
                    self.found.process(process, "whether it steps is open".to_owned());
                }
            }
        }
    }

    /// What would tell whether these processes can step at a state.
    fn guards_at(&mut self, state: usize, processes: &[ProcessId]) {
        let places = self.explored.states[state].locations.clone();
        // Where a limit is reached nothing is suggested; whoever goes on will meet it again.
        let Ok(plain) = self.explored.plain(self.system, state, self.assignment) else { return };
        for (position, (process, location)) in self.lit().into_iter().zip(places).enumerate() {
            let open = plain.may_rest[position] && !plain.rests[position];
            if !open || !processes.contains(&process) {
                continue;
            }
            let whose = format!("`{}`", self.name(process));
            for operation in self.system.operations_of(process) {
                let found = &self.system.operations()[operation];
                if found.source == location {
                    let conditions = [found.terms.enabled, found.terms.safe];
                    self.condition(state, &conditions, &whose);
                }
            }
        }
    }

    /// What the shade tests of the variables that the spotlight tests, or that predicates are about.
    fn tests_of_the_shade(&mut self) {
        let lit = self.lit();
        let program = self.system.program();
        let dark: Vec<ProcessId> = program.process_ids().filter(|process| !lit.contains(process)).collect();
        let mut matter: BTreeSet<VarId> = BTreeSet::new();
        for process in &lit {
            for operation in self.system.operations_of(*process) {
                matter.extend(program.footprint_of(self.system.operations()[operation].terms.enabled).reads);
            }
        }
        for predicate in self.system.predicates() {
            matter.extend(program.footprint_of(predicate.expr).reads);
        }
        for process in dark {
            let why = format!("`{}` tests it", self.name(process));
            for operation in self.system.operations_of(process) {
                let enabled = self.system.operations()[operation].terms.enabled;
                for atom in comparisons(self.system.program(), enabled) {
                    let reads = self.system.program().footprint_of(atom).reads;
                    let known = self.found.last.iter().any(|(known, _)| *known == atom);
                    if !known && !reads.is_disjoint(&matter) && self.system.standing(atom, &lit) == Standing::New {
                        self.found.last.push((atom, why.clone()));
                    }
                }
            }
        }
    }

    /// What would show that a step of the shade keeps the labels that it makes unknown.
    fn shaded(&mut self, from: usize, to: usize, process: ProcessId) {
        let labels = |at: usize| &self.explored.states[at].labels;
        let lost: Vec<usize> = (0..labels(from).len())
            .filter(|&at| labels(from)[at] != Label::Unknown && labels(to)[at] == Label::Unknown)
            .collect();
        for predicate in lost {
            self.own_view(predicate);
            for operation in self.system.operations_of(process) {
                if self.system.touches(operation, predicate) {
                    let unknown = self.written(from, operation, predicate, Mover::Shade(process));
                    unknown.into_iter().for_each(|(state, predicate)| self.label(state, predicate));
                }
            }
        }
    }
}

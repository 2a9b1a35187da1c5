//! A program prepared for abstraction: its steps as terms, its predicates, what stays concrete.
//!
//! Not here: what follows from a state ([`crate::expand`]) and how states become a structure ([`crate::collect`]).

mod support;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::{Deref, Index};
use std::rc::Rc;

use tertium_base::id_type;
use tertium_base::narrow::to_u32;
use tertium_instantiate::Unsupported;
use tertium_program::analysis::Constants;
use tertium_program::{Domain, ExprId, Hold, LocationId, ProcessId, Program, Sort, StepId, StepTerms, Type, VarId};
use tertium_smt::{Bounds, Queries, Sort as TermSort, Term, TermId, Terms};

use crate::diagram::Diagrams;
use crate::invariants::{LocationInvariant, intervals};
use crate::keep;
use crate::local_predicates::Locality;
use crate::options::Options;
use crate::translate::{Cells, NoTerm, Translator};

impl From<NoTerm> for Unsupported {
    fn from(NoTerm(text): NoTerm) -> Self {
        Self::Expression(text)
    }
}

/// A predicate over the program's state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    /// Its name or text.
    pub name: String,
    /// What it says.
    pub expr: ExprId,
}

/// An input of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Its symbol.
    pub symbol: TermId,
    /// Its values, if they are known to be few or many, but bounded.
    pub bounds: Bounds,
}

id_type! {
    /// An operation of one system.
    pub struct OperationId;
}

/// One way to take a step.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Who takes it.
    pub process: ProcessId,
    /// From where.
    pub source: LocationId,
    /// To where.
    pub target: LocationId,
    /// Who else moves, and to where.
    pub others: Vec<(ProcessId, LocationId)>,
    /// Where others must be, as far as that is plain.
    pub meets: Vec<(ProcessId, LocationId)>,
    /// Whether it only says that a deterministic block cannot go on, which is a fault.
    pub blocked: bool,
    /// The steps of the program it consists of.
    pub steps: Vec<StepId>,
    /// The same as expressions of the program.
    pub terms: StepTerms,
    /// It can be taken and nothing goes wrong that ends the run.
    pub relation: TermId,
    /// It can be taken and something goes wrong.
    pub fault: TermId,
    /// New values of symbols.
    pub after: HashMap<TermId, TermId>,
    /// Values that are chosen.
    pub inputs: Vec<Choice>,
}

impl Operation {
    /// Where everyone must be for it to be taken, as far as that is plain.
    pub fn sources(&self) -> impl Iterator<Item = (ProcessId, LocationId)> + '_ {
        [(self.process, self.source)].into_iter().chain(self.meets.iter().copied())
    }

    /// Where everyone is who moves.
    pub fn arrivals(&self) -> impl Iterator<Item = (ProcessId, LocationId)> + '_ {
        [(self.process, self.target)].into_iter().chain(self.others.iter().copied())
    }

    /// Puts everyone who moves where it leads.
    pub fn arrive(&self, locations: &mut [LocationId]) {
        for (process, at) in self.arrivals() {
            locations[process.index()] = at;
        }
    }
}

/// All operations of a program, by their ids.
#[derive(Clone, Debug, Default)]
pub struct Operations(Vec<Operation>);

impl Operations {
    /// All ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = OperationId> + use<> {
        (0..self.0.len()).map(OperationId::new)
    }

    /// All operations with their ids.
    pub fn with_ids(&self) -> impl Iterator<Item = (OperationId, &Operation)> {
        self.ids().zip(&self.0)
    }
}

impl Deref for Operations {
    type Target = [Operation];

    fn deref(&self) -> &[Operation] {
        &self.0
    }
}

impl Index<OperationId> for Operations {
    type Output = Operation;

    fn index(&self, id: OperationId) -> &Operation {
        &self.0[id.index()]
    }
}

/// A cell that stays concrete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The variable.
    pub var: VarId,
    /// Which cell of it.
    pub cell: usize,
    /// Its symbol.
    pub symbol: TermId,
}

/// A program prepared for abstraction.
#[derive(Debug)]
pub struct System {
    pub(crate) program: Program,
    pub(crate) terms: Terms,
    pub(crate) translator: Translator,
    pub(crate) queries: Queries,
    pub(crate) options: Options,
    pub(crate) predicates: Vec<Predicate>,
    pub(crate) predicate_terms: Vec<TermId>,
    pub(crate) operations: Operations,
    /// By process and location.
    pub(crate) leaving: Vec<Vec<Vec<OperationId>>>,
    pub(crate) kept: Vec<Kept>,
    /// What holds of the initial states.
    pub(crate) initial: Vec<TermId>,
    pub(crate) bounds: Vec<Bounds>,
    /// What holds at locations, and the same as terms.
    pub(crate) location_invariants: Vec<LocationInvariant>,
    pub(crate) location_facts: BTreeMap<(ProcessId, LocationId), Vec<TermId>>,
    /// Those of them that are about cells of arrays.
    pub(crate) cell_facts: BTreeMap<(ProcessId, LocationId), Vec<TermId>>,
    pub(crate) reasons: Vec<(VarId, keep::Reason)>,
    pub(crate) deadlock: TermId,
    /// The values of predicates after operations, and the symbols of terms.
    pub(crate) afterwards: HashMap<(OperationId, TermId), TermId>,
    supports: HashMap<TermId, Rc<BTreeSet<u64>>>,
    /// What steps do, as far as it was needed.
    pub(crate) diagrams: Diagrams,
    pub(crate) remembers: bool,
    /// Where predicates matter; everywhere if nothing is said.
    pub(crate) locality: Option<Locality>,
    constants: Option<Constants>,
}

impl System {
    /// Prepares a program.
    ///
    /// # Errors
    /// What of it cannot be abstracted.
    pub fn new(
        program: &Program,
        predicates: &[Predicate],
        options: &Options,
        queries: Queries,
    ) -> Result<Self, Unsupported> {
        if !program.is_static() || program.priorities || !program.channels.is_empty() {
            return Err(Unsupported::Processes);
        }
        let bounds = intervals(program);
        let reasons = keep::kept(program, &bounds, options);
        let mut terms = Terms::new();
        let translator = Translator::new(program, &bounds, &mut terms);
        let deadlock = terms.fresh("!deadlock", TermSort::Bool, (None, None));
        let mut system = Self {
            program: program.clone(),
            terms,
            translator,
            queries,
            options: options.clone(),
            predicates: predicates.to_vec(),
            predicate_terms: Vec::new(),
            operations: Operations::default(),
            leaving: program.processes.iter().map(|process| vec![Vec::new(); process.locations.len()]).collect(),
            kept: Vec::new(),
            initial: Vec::new(),
            bounds,
            location_invariants: Vec::new(),
            location_facts: BTreeMap::new(),
            cell_facts: BTreeMap::new(),
            reasons,
            deadlock,
            afterwards: HashMap::new(),
            supports: HashMap::new(),
            diagrams: Diagrams::default(),
            remembers: true,
            locality: None,
            constants: None,
        };
        system.keep_cells()?;
        if options.location_invariants {
            system.add_location_invariants();
        }
        for predicate in predicates {
            let term = system.observed(predicate.expr, true)?;
            system.predicate_terms.push(term);
        }
        for step in program.step_ids() {
            let hold = program.location(program.step(step).process, program.step(step).source).hold;
            if hold == Hold::Free {
                system.add_operations(step)?;
            }
        }
        system.add_interrupted()?;
        system.add_initial()?;
        Ok(system)
    }

    /// The operations that begin in the middle of a block, where a process can come to rest.
    fn add_interrupted(&mut self) -> Result<(), Unsupported> {
        let mut known: BTreeSet<(ProcessId, LocationId)> = BTreeSet::new();
        let entries = self.program.process_ids().map(|process| (process, self.program.process(process).entry));
        let mut open: Vec<(ProcessId, LocationId)> = entries.collect();
        let mut seen = 0;
        loop {
            open.extend(self.operations.iter().skip(seen).flat_map(Operation::arrivals));
            seen = self.operations.len();
            let Some((process, at)) = open.pop() else { return Ok(()) };
            let location = self.program.location(process, at);
            if location.hold != Hold::Free && known.insert((process, at)) {
                for step in location.steps.clone() {
                    self.add_operations(step)?;
                }
            }
        }
    }

    fn keep_cells(&mut self) -> Result<(), Unsupported> {
        for &(var, _) in &self.reasons {
            match self.translator.cells(var) {
                Cells::Each(cells) => {
                    for (cell, &symbol) in cells.iter().enumerate() {
                        if matches!(self.terms.get(symbol), Term::Symbol(_)) {
                            self.kept.push(Kept { var, cell, symbol });
                        }
                    }
                }
                Cells::Array(_) => return Err(Unsupported::Keep(var)),
            }
        }
        Ok(())
    }

    /// An expression that has a value and the truth value `value`.
    pub(crate) fn observed(&mut self, expr: ExprId, value: bool) -> Result<TermId, Unsupported> {
        let defined = self.program.defined(expr);
        let defined = self.term(defined)?;
        let term = self.term(expr)?;
        let term = if value { term } else { self.terms.not(term) };
        Ok(self.terms.and(defined, term))
    }

    pub(crate) fn term(&mut self, expr: ExprId) -> Result<TermId, Unsupported> {
        self.translator.deadlock = Some(self.deadlock);
        Ok(self.translator.term(&self.program, expr, &mut self.terms)?)
    }

    fn add_operations(&mut self, step: StepId) -> Result<(), Unsupported> {
        let ways = match self.program.interrupted_ways(step, &[]) {
            Ok(ways) => ways,
            // What is known where it begins may tell how often a loop goes round.
            Err(_) => {
                let (process, source) = (self.program.step(step).process, self.program.step(step).source);
                let constants = self.constants.get_or_insert_with(|| Constants::of(&self.program));
                let known: Vec<(VarId, i64)> = constants.at(process, source).into_iter().collect();
                self.program.interrupted_ways(step, &known).map_err(|no| Unsupported::Step(no.0))?
            }
        };
        for way in ways {
            let inputs = self.choices(&way)?;
            let enabled = self.term(way.terms.enabled)?;
            let safe = self.term(way.terms.safe)?;
            let shown = self.shown(&way)?;
            let shown = self.terms.implies(enabled, shown);
            let safe = self.terms.and(safe, shown);
            let asserted = self.term(way.terms.asserted)?;
            let faultless = self.terms.and(safe, asserted);
            let mut after = self.translator.assignment(&self.program, &way.terms.updates, &mut self.terms)?;
            let (process, source, target) = way.terms.jump;
            for (process, at) in [(process, target)].into_iter().chain(way.terms.others.iter().copied()) {
                let there = self.terms.int(at.index() as i128);
                after.insert(self.translator.counter(process), there);
            }
            let number = OperationId::new(self.operations.len());
            self.leaving[process.index()][source.index()].push(number);
            self.operations.0.push(Operation {
                process,
                source,
                target,
                others: way.terms.others.clone(),
                meets: self.program.places(way.terms.enabled).into_iter().collect(),
                blocked: way.blocked,
                steps: way.steps,
                terms: way.terms,
                relation: self.terms.and(enabled, safe),
                fault: self.terms.not(faultless),
                after,
                inputs,
            });
        }
        Ok(())
    }

    /// Showing values goes wrong where they have none. In the middle of a block this cannot be said.
    fn shown(&mut self, way: &tertium_program::BlockPath) -> Result<TermId, Unsupported> {
        let mut parts = Vec::new();
        for &step in &way.steps {
            let tertium_program::Action::Print { values, .. } = self.program.step(step).action.clone() else {
                continue;
            };
            for value in values {
                let defined = self.program.defined(value);
                let defined = self.term(defined)?;
                if self.terms.as_bool(defined) != Some(true) && way.steps.len() > 1 {
                    return Err(Unsupported::Step(step));
                }
                parts.push(defined);
            }
        }
        Ok(self.terms.all(&parts))
    }

    fn choices(&mut self, way: &tertium_program::BlockPath) -> Result<Vec<Choice>, Unsupported> {
        let domains: Vec<Domain> = way
            .steps
            .iter()
            .flat_map(|&step| self.program.step(step).inputs.iter().map(|input| input.domain).collect::<Vec<_>>())
            .collect();
        let mut choices = Vec::new();
        for (position, &(lo, hi)) in way.terms.inputs.iter().enumerate() {
            let truth = domains.get(position) == Some(&Domain::Type(Type::Bool));
            let sort = if truth { Sort::Bool } else { Sort::Int };
            let symbol = self.translator.input(to_u32(position), sort, &mut self.terms);
            let mut bound = |expr: Option<ExprId>, low: bool| -> Result<Option<i128>, Unsupported> {
                let Some(expr) = expr else { return Ok(None) };
                let term = self.term(expr)?;
                let (lo, hi) = self.terms.bounds(term);
                Ok(if low { lo } else { hi })
            };
            let bounds = (bound(lo, true)?, bound(hi, false)?);
            choices.push(Choice { symbol, bounds });
        }
        Ok(choices)
    }

    fn add_initial(&mut self) -> Result<(), Unsupported> {
        for var in self.program.variable_ids() {
            let values = self.translator.initial_values(&self.program, var, &mut self.terms);
            self.initial.extend(values.ok_or(Unsupported::Initial(var))?);
        }
        if let Some(init) = self.program.init {
            let init = self.observed(init, true)?;
            self.initial.push(init);
        }
        let entries: HashMap<TermId, TermId> = self
            .program
            .process_ids()
            .map(|process| {
                let entry = self.terms.int(self.program.process(process).entry.index() as i128);
                (self.translator.counter(process), entry)
            })
            .collect();
        self.initial = self.initial.iter().map(|&part| self.terms.substitute(part, &entries)).collect();
        Ok(())
    }

    /// Adds a predicate. What was found out before stays right: it only tells less.
    ///
    /// # Errors
    /// If the predicate has no term.
    pub fn add_predicate(&mut self, predicate: Predicate) -> Result<(), Unsupported> {
        let term = self.observed(predicate.expr, true)?;
        self.predicate_terms.push(term);
        self.predicates.push(predicate);
        self.forget_steps();
        Ok(())
    }

    /// What is known of steps says nothing about predicates that came or went since.
    pub(crate) fn forget_steps(&mut self) {
        self.diagrams = Diagrams::default();
    }

    /// The same, working out what follows from each state afresh: the oracle of the diagrams.
    #[must_use]
    pub fn forgetful(mut self) -> Self {
        self.remembers = false;
        self
    }

    /// The program, for expressions to be added.
    pub const fn program_mut(&mut self) -> &mut Program {
        &mut self.program
    }

    /// The program, with expressions added.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// The predicates.
    #[must_use]
    pub fn predicates(&self) -> &[Predicate] {
        &self.predicates
    }

    /// The ways to take steps.
    #[must_use]
    pub fn operations(&self) -> &Operations {
        &self.operations
    }

    /// The cells that stay concrete.
    #[must_use]
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// The variables that stay concrete, and why.
    #[must_use]
    pub fn kept_variables(&self) -> &[(VarId, keep::Reason)] {
        &self.reasons
    }

    /// The solver's side.
    #[must_use]
    pub const fn queries(&self) -> &Queries {
        &self.queries
    }

    /// What is known of each variable before any question: bounds narrower than its type's.
    #[must_use]
    pub fn invariants(&self) -> Vec<(VarId, Bounds)> {
        let narrower = |var: &VarId| {
            let ty = self.program.variable(*var).ty;
            let (lo, hi) = self.program.bounds(ty);
            let variable = self.bounds[var.index()];
            // Which channel a variable names is nothing that a reader has to be told.
            ty != Type::Channel && variable != (lo.map(i128::from), hi.map(i128::from))
        };
        self.program.variable_ids().filter(narrower).map(|var| (var, self.bounds[var.index()])).collect()
    }

    /// What variables of processes hold at their locations, whatever happened before; nothing if no loop in a block needed that.
    pub fn constants(&self) -> impl Iterator<Item = (ProcessId, LocationId, &BTreeMap<VarId, i64>)> + '_ {
        self.constants.iter().flat_map(Constants::all)
    }

    /// A term over the state after an operation, as one over the state before it.
    pub(crate) fn after(&mut self, operation: OperationId, term: TermId) -> TermId {
        if let Some(&known) = self.afterwards.get(&(operation, term)) {
            return known;
        }
        let before = self.terms.substitute(term, &self.operations[operation].after);
        self.afterwards.insert((operation, term), before);
        before
    }
}

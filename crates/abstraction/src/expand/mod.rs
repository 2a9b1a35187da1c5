//! What may and what must follow from an abstract state?
//!
//! For every way to take a step: the possible values of the predicates afterwards, all together (or each for itself), and
//! whether the step can be taken from every program state that the abstract one stands for.
//!
//! Where the solver gives up, a possible step stays and a certain one is withheld.

mod certain;
mod labels;

use std::rc::Rc;

use tertium_base::Stopped;
use tertium_lattice::Kleene;
use tertium_program::ProcessId;
use tertium_smt::{Purpose, Reply, TermId, Value};

use self::certain::Reach;
use crate::Unsupported;
use crate::choices::Closed;
use crate::diagram::Post;
use crate::options::AbstractionKind;
use crate::state::{AbstractState, definite};
use crate::system::{OperationId, System};
use crate::view::View;

/// At most this many combinations of predicates after one step are listed one by one.
const MOST_ROWS: usize = 4096;
/// With more predicates open than this, the cartesian product is not written out.
const MOST_OPEN: usize = 12;
/// At most this many combinations of kept values come out of one step.
const MOST_CASES: usize = 256;

/// Why expanding ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failed {
    /// A limit was reached.
    Stopped(Stopped),
    /// The program cannot be abstracted this way.
    Unsupported(Unsupported),
}

impl From<Stopped> for Failed {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<Unsupported> for Failed {
    fn from(unsupported: Unsupported) -> Self {
        Self::Unsupported(unsupported)
    }
}

/// A step between abstract states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractStep {
    /// Where it leads.
    pub target: AbstractState,
    /// Who takes it.
    pub process: ProcessId,
    /// Whether some program state can take it.
    pub may: bool,
    /// Whether every program state can take it.
    pub must: bool,
}

/// An operation that may go wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperationFault {
    /// Which.
    pub operation: OperationId,
    /// Whether it surely does.
    pub certain: bool,
}

/// What follows from a state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expansion {
    /// Steps, one per target and process.
    pub steps: Vec<AbstractStep>,
    /// Sets of which every program state can reach a member, by steps of one process or of any.
    pub hyper: Vec<(Vec<AbstractState>, Option<ProcessId>)>,
    /// Whether some program state may have no step.
    pub may_stop: bool,
    /// Operations that may go wrong.
    pub faults: Vec<OperationFault>,
    /// For each process whether it may be unable to step, in some program state.
    pub may_rest: Vec<bool>,
    /// Whether the program is stuck with a process not at its end.
    pub deadlock: Option<Kleene>,
    /// Whether nobody asked what follows: then anything may, and nothing must.
    pub untold: bool,
}

impl Expansion {
    /// Nobody asked what follows, in a program with this many processes.
    pub(crate) fn untold(processes: usize) -> Self {
        Self { may_rest: vec![true; processes], untold: true, ..Self::default() }
    }

    /// Where steps and certain sets lead; some states more than once.
    pub fn targets(&self) -> impl Iterator<Item = &AbstractState> {
        let sets = self.hyper.iter().flat_map(|(set, _)| set);
        self.steps.iter().map(|step| &step.target).chain(sets)
    }
}

/// What one process can do, for all states that do not differ in what that depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ways {
    /// Where it may or must go.
    steps: Vec<(Post, bool, bool)>,
    /// Sets of which it can surely reach a member.
    hyper: Vec<Vec<Post>>,
    /// Targets that are not certain by themselves, and when each is reached.
    pub open: Vec<(Post, Vec<Closed>)>,
    faults: Vec<OperationFault>,
    /// When it can step.
    able: Vec<Closed>,
    /// Whether it may be unable to step.
    rests: bool,
}

impl Ways {
    /// Adds what it says about a state to what is found.
    fn tell(&self, state: &AbstractState, process: ProcessId, found: &mut Expansion) {
        found.steps.extend(self.steps.iter().map(|&(ref post, may, must)| AbstractStep {
            target: post.apply(state),
            process,
            may,
            must,
        }));
        let set = |set: &Vec<Post>| set.iter().map(|post| post.apply(state)).collect::<Vec<_>>();
        found.hyper.extend(self.hyper.iter().map(|posts| (set(posts), Some(process))));
        found.faults.extend_from_slice(&self.faults);
        found.may_rest.push(self.rests);
    }
}

/// A step with its kept values fixed.
pub(crate) struct Case {
    pub(crate) operation: OperationId,
    /// It can be taken and leads to these kept values.
    pub(crate) relation: TermId,
    kept: Vec<i128>,
    /// The predicates afterwards.
    pub(crate) after: Vec<TermId>,
}

impl System {
    /// What follows from a state.
    ///
    /// # Errors
    /// If a limit is reached, or a kept variable gets too many values.
    pub fn expand(&mut self, state: &AbstractState) -> Result<Expansion, Failed> {
        let mut found = Expansion::default();
        if state.stopped {
            return Ok(found);
        }
        let mut view = None;
        let mut all: Vec<Rc<Ways>> = Vec::new();
        for process in self.program.process_ids() {
            let ways = match self.known_ways(state, process) {
                Some(known) => known,
                None => {
                    let view = self.viewed(state, &mut view);
                    let ways = Rc::new(self.ways(state, view, process)?);
                    self.keep_ways(state, process, &ways);
                    ways
                }
            };
            ways.tell(state, process, &mut found);
            all.push(ways);
        }
        if self.options.kind == AbstractionKind::Hyper {
            self.joint(state, &mut view, &all, &mut found)?;
        }
        let any_sure = found.hyper.iter().any(|(_, by)| by.is_none());
        if found.may_rest.iter().all(|&rests| rests) && !any_sure {
            let able: Vec<Closed> = all.iter().flat_map(|ways| ways.able.iter().copied()).collect();
            let view = self.viewed(state, &mut view);
            found.may_stop = able.is_empty() || !self.surely(view, &able)?;
        }
        found.deadlock = self.deadlock_of(state, &mut view, &all, &found)?;
        Ok(found)
    }

    /// The facts of a state, worked out when first needed.
    fn viewed<'v>(&mut self, state: &AbstractState, view: &'v mut Option<View>) -> &'v View {
        view.get_or_insert_with(|| self.view(state))
    }

    /// What one process can do in a state.
    fn ways(&mut self, state: &AbstractState, view: &View, process: ProcessId) -> Result<Ways, Failed> {
        let mut found = Expansion::default();
        let (mut reaches, mut able): (Vec<Reach>, Vec<Closed>) = (Vec::new(), Vec::new());
        let at = state.locations[process.index()].index();
        for operation in self.leaving[process.index()][at].clone() {
            self.faults(view, operation, &mut found)?;
            for case in self.cases(state, view, operation)? {
                let inputs = self.operations[operation].inputs.clone();
                let closed = self.close(case.relation, &inputs);
                let targets = self.targets(state, view, &case)?;
                if targets.is_empty() {
                    continue;
                }
                able.push(closed);
                self.certain_of_case(view, &case, closed, &targets, &mut found)?;
                for target in targets {
                    let closed = self.reach(view, &case, &target);
                    reaches.push(Reach { target, closed });
                }
            }
        }
        let open = self.certain(view, process, &reaches, &mut found)?;
        let sure = found.steps.iter().any(|step| step.must) || !found.hyper.is_empty();
        let rests = !sure && (able.is_empty() || !self.surely(view, &able)?);
        let post = |target: &AbstractState| Post::between(state, target);
        Ok(Ways {
            steps: found.steps.iter().map(|step| (post(&step.target), step.may, step.must)).collect(),
            hyper: found.hyper.iter().map(|(set, _)| set.iter().map(post).collect()).collect(),
            open: open.iter().map(|(target, ways)| (post(target), ways.clone())).collect(),
            faults: found.faults,
            able,
            rests,
        })
    }

    fn faults(&mut self, view: &View, operation: OperationId, found: &mut Expansion) -> Result<(), Failed> {
        let fault = self.operations[operation].fault;
        let fault = self.simplify(view, fault);
        if self.possible(view, Purpose::May, &[fault])? != Reply::Unsat {
            let inputs = self.operations[operation].inputs.clone();
            let closed = self.close(fault, &inputs);
            let certain = self.surely(view, &[closed])?;
            found.faults.push(OperationFault { operation, certain });
        }
        Ok(())
    }

    /// The step, once for each combination of kept values that it may lead to.
    pub(crate) fn cases(
        &mut self,
        state: &AbstractState,
        view: &View,
        operation: OperationId,
    ) -> Result<Vec<Case>, Failed> {
        let relation = self.operations[operation].relation;
        let relation = self.simplify(view, relation);
        if self.terms.as_bool(relation) == Some(false) {
            return Ok(Vec::new());
        }
        let mut after = Vec::new();
        for at in 0..self.predicate_terms.len() {
            let term = self.after(operation, self.predicate_terms[at]);
            after.push(self.simplify(view, term));
        }
        let mut values: Vec<(usize, TermId)> = Vec::new();
        let mut kept = state.kept.clone();
        for at in 0..self.kept.len() {
            let term = self.after(operation, self.kept[at].symbol);
            let term = self.simplify(view, term);
            match (self.terms.as_int(term), self.terms.as_bool(term)) {
                (Some(value), _) => kept[at] = value,
                (_, Some(value)) => kept[at] = i128::from(value),
                _ => values.push((at, term)),
            }
        }
        if values.is_empty() {
            return Ok(vec![Case { operation, relation, kept, after }]);
        }
        let open: Vec<TermId> = values.iter().map(|&(_, term)| term).collect();
        let mut parts = self.relevant(view, &[&[relation], open.as_slice()].concat());
        parts.push(relation);
        let rows = self.queries.all_values(&mut self.terms, Purpose::May, &parts, &open, MOST_CASES)?;
        let rows = rows.ok_or_else(|| Unsupported::Keep(self.kept[values[0].0].var))?;
        let mut cases = Vec::new();
        for row in rows {
            let mut kept = kept.clone();
            let mut relation = vec![relation];
            for (&(at, term), value) in values.iter().zip(row) {
                let (value, equation) = match value {
                    Value::Bool(value) => (i128::from(value), if value { term } else { self.terms.not(term) }),
                    Value::Int(value) => {
                        let number = self.terms.int(value);
                        (value, self.terms.eq(term, number))
                    }
                    Value::Array(..) => return Err(Unsupported::Keep(self.kept[at].var).into()),
                };
                kept[at] = value;
                relation.push(equation);
            }
            let relation = self.terms.all(&relation);
            cases.push(Case { operation, relation, kept, after: after.clone() });
        }
        Ok(cases)
    }

    /// The abstract states that a case may lead to.
    pub(crate) fn targets(
        &mut self,
        state: &AbstractState,
        view: &View,
        case: &Case,
    ) -> Result<Vec<AbstractState>, Failed> {
        let mut locations = state.locations.clone();
        self.operations[case.operation].arrive(&mut locations);
        let told: Vec<usize> = (0..case.after.len()).filter(|&at| self.matters(at, &locations)).collect();
        let mut cube = vec![Kleene::Unknown; case.after.len()];
        for &at in &told {
            cube[at] = self.terms.as_bool(case.after[at]).map_or(Kleene::Unknown, definite);
        }
        let base = AbstractState { locations, kept: case.kept.clone(), cube, stopped: false };
        let open: Vec<usize> = told.into_iter().filter(|&at| base.cube[at] == Kleene::Unknown).collect();
        if open.is_empty() {
            let reply = self.possible(view, Purpose::May, &[case.relation])?;
            return Ok(if reply == Reply::Unsat { Vec::new() } else { vec![base] });
        }
        if matches!(self.options.kind, AbstractionKind::Cartesian | AbstractionKind::Cubes) {
            return self.product(view, case, base, &open);
        }
        let terms: Vec<TermId> = open.iter().map(|&at| case.after[at]).collect();
        let mut parts = self.relevant(view, &[&[case.relation], terms.as_slice()].concat());
        parts.push(case.relation);
        let models = self.queries.all_models(&mut self.terms, Purpose::May, &parts, &terms, MOST_ROWS)?;
        if !models.complete {
            return Ok(vec![base]);
        }
        Ok(models.rows.iter().map(|row| with(&base, &open, row)).collect())
    }

    /// Each predicate for itself; of the combinations those that stand for something.
    fn product(
        &mut self,
        view: &View,
        case: &Case,
        mut base: AbstractState,
        open: &[usize],
    ) -> Result<Vec<AbstractState>, Failed> {
        if self.possible(view, Purpose::May, &[case.relation])? == Reply::Unsat {
            return Ok(Vec::new());
        }
        for &at in open {
            let not = self.terms.not(case.after[at]);
            if self.possible(view, Purpose::Assignment, &[case.relation, not])? == Reply::Unsat {
                base.cube[at] = Kleene::True;
            } else if self.possible(view, Purpose::Assignment, &[case.relation, case.after[at]])? == Reply::Unsat {
                base.cube[at] = Kleene::False;
            }
        }
        let open: Vec<usize> = open.iter().copied().filter(|&at| base.cube[at] == Kleene::Unknown).collect();
        if open.len() > MOST_OPEN || self.options.kind == AbstractionKind::Cubes {
            return Ok(vec![base]);
        }
        let mut targets = Vec::new();
        for number in 0..1usize << open.len() {
            let row: Vec<bool> = (0..open.len()).map(|at| number >> at & 1 != 0).collect();
            let target = with(&base, &open, &row);
            if self.stands_for_something(&target)? {
                targets.push(target);
            }
        }
        Ok(targets)
    }

    fn stands_for_something(&mut self, state: &AbstractState) -> Result<bool, Failed> {
        let map = self.concrete(&state.locations, &state.kept);
        let mut parts = Vec::new();
        for (at, &value) in state.cube.iter().enumerate() {
            let term = self.terms.substitute(self.predicate_terms[at], &map);
            match value {
                Kleene::True => parts.push(term),
                Kleene::False => parts.push(self.terms.not(term)),
                Kleene::Unknown => {}
            }
        }
        Ok(self.queries.satisfiable(&mut self.terms, Purpose::State, &parts)? != Reply::Unsat)
    }
}

fn with(base: &AbstractState, open: &[usize], row: &[bool]) -> AbstractState {
    let mut state = base.clone();
    for (&at, &value) in open.iter().zip(row) {
        state.cube[at] = definite(value);
    }
    state
}

/// The smallest cube that covers states which differ in their predicates only.
fn flatten(states: &[AbstractState]) -> AbstractState {
    let mut merged = states[0].clone();
    for state in &states[1..] {
        for (known, &value) in merged.cube.iter_mut().zip(&state.cube) {
            if *known != value {
                *known = Kleene::Unknown;
            }
        }
    }
    merged
}

/// One step per target and process.
pub(crate) fn merge(steps: &mut Vec<AbstractStep>) {
    steps.sort_by(|a, b| (a.process, &a.target).cmp(&(b.process, &b.target)));
    let mut merged: Vec<AbstractStep> = Vec::with_capacity(steps.len());
    for step in steps.drain(..) {
        match merged.last_mut() {
            Some(last) if last.process == step.process && last.target == step.target => {
                last.may |= step.may;
                last.must |= step.must;
            }
            _ => merged.push(step),
        }
    }
    *steps = merged;
}

//! Is there a run that a `never` claim, an acceptance label or missing progress forbids?
//!
//! Each is a small automaton that reads the states of a run; a search for accepted runs looks for what it forbids. The
//! run that is found is connected by the definition of a step and given to the automaton once more, state by state.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_cegar::answer::{ProgramAnswer, STUTTER};
use tertium_explore::reduction::ReductionKinds;
use tertium_explore::search::Progress;
use tertium_explore::search::liveness::{Lasso, Monitor, Scheduling};
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::questions::{MonitorQuery, WatchKind};
use tertium_program::{Action, Expr, ExprId, FaultKind, Hold, LocationId, ProcessId, Program, Semantics, State, Step};
use tertium_trace::run::{self, Run};

use super::atom_values::{AtomEvaluator, AtomScratch};
use super::linear::{accepted, add_limits, cycle_search, must_be_fair, too_long_to_follow, too_many_marks, unclear};
use super::notes::{self, Notes};
use super::reduced_program::{LassoStates, ReducedProgram};
use super::safety::{Effort, Keeping, MOST_MORE, MOST_TIMES, cannot_evaluate};
use super::space::{Space, stop_word};

/// One thing the automaton can do when it reads a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClaimEdge {
    /// Atoms and the values they must have.
    pub needs: Vec<(usize, bool)>,
    /// Atoms that are asserted: if one does not hold, what is forbidden has happened.
    pub asserts: Vec<usize>,
    pub target: usize,
}

/// An automaton over the states of a run.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    pub initial: usize,
    pub states: Vec<Vec<ClaimEdge>>,
    pub accepting: Vec<bool>,
    /// The state from which everything is accepted.
    pub done: usize,
    /// The atom that says that a process is at an acceptance label.
    pub accept_atom: Option<usize>,
    pub atoms: Vec<ExprId>,
    /// Whether a state without successors is read again and again.
    pub stutters: bool,
}

impl Automaton {
    fn atom(&mut self, expr: ExprId) -> usize {
        if let Some(at) = self.atoms.iter().position(|&known| known == expr) {
            return at;
        }
        self.atoms.push(expr);
        self.atoms.len() - 1
    }

    fn empty(states: usize) -> Self {
        Self {
            initial: 0,
            states: vec![Vec::new(); states + 1],
            accepting: vec![false; states + 1],
            done: states,
            accept_atom: None,
            atoms: Vec::new(),
            stutters: true,
        }
    }

    /// Where it can go, and whether that passes something accepting.
    fn next(&self, state: usize, atoms: &[bool], out: &mut dyn FnMut(usize, bool)) {
        if state == self.done {
            out(state, true);
            return;
        }
        let marked = self.accepting[state] || self.accept_atom.is_some_and(|atom| atoms[atom]);
        for way in &self.states[state] {
            if way.needs.iter().all(|&(atom, wanted)| atoms[atom] == wanted) {
                let failed = way.asserts.iter().any(|&atom| !atoms[atom]);
                out(if failed { self.done } else { way.target }, marked);
            }
        }
    }
}

/// What the process of a `never` claim does, as an automaton.
fn of_claim(program: &Program, claim: ProcessId) -> Result<Automaton, Failure> {
    let count = program.process(claim).locations.len();
    let mut automaton = Automaton::empty(count);
    let entry = program.process(claim).entry;
    automaton.initial = if program.location(claim, entry).end { automaton.done } else { entry.index() };
    for at in 0..count {
        let location = program.location(claim, LocationId::new(at));
        automaton.accepting[at] = location.accept;
        let ways = ways(program, claim, LocationId::new(at), &mut automaton)?;
        automaton.states[at] = ways;
    }
    automaton.accept_atom = program.exprs.find(Expr::Accepting).map(|expr| automaton.atom(expr));
    Ok(automaton)
}

/// All ways from one location to the next that is not inside a block.
fn ways(
    program: &Program,
    claim: ProcessId,
    from: LocationId,
    automaton: &mut Automaton,
) -> Result<Vec<ClaimEdge>, Failure> {
    let (mut found, mut open) = (Vec::new(), vec![(from, ClaimEdge::default(), BTreeSet::new())]);
    while let Some((at, way, passed)) = open.pop() {
        for &id in &program.location(claim, at).steps {
            let step = program.step(id);
            let mut way = way.clone();
            way.needs.push((automaton.atom(step.guard), true));
            for &rival in &step.yields_to {
                way.needs.push((automaton.atom(program.step(rival).guard), false));
            }
            match &step.action {
                Action::Assign(assigns) if assigns.is_empty() => {}
                Action::Print { .. } => {}
                Action::Assert(condition) => way.asserts.push(automaton.atom(*condition)),
                _ => return Err(only_conditions(program, claim, step)),
            }
            let target = program.location(claim, step.target);
            let ends = target.steps.is_empty() || target.end;
            let stays = !step.frees && target.hold != Hold::Free && !ends;
            if stays && !passed.contains(&step.target) {
                let mut passed = passed.clone();
                passed.insert(step.target);
                open.push((step.target, way, passed));
                continue;
            }
            // The closing brace, or an end label: what is forbidden has happened.
            way.target = if ends { automaton.done } else { step.target.index() };
            found.push(way);
        }
    }
    Ok(found)
}

pub(crate) fn only_conditions(program: &Program, claim: ProcessId, step: &Step) -> Failure {
    let (name, statement) = (&program.process(claim).name, &step.text);
    Diagnostic::error("E0593", format!("the never claim `{name}` does more than look at states: `{statement}`"))
        .at(step.span, "changes what the claim watches")
        .help("a claim may test conditions, assert, and assign to variables that no process uses")
        .into()
}

/// An expression that front ends with such labels always make.
fn known(program: &Program, expr: Expr) -> Result<ExprId, Failure> {
    program.exprs.find(expr).ok_or_else(|| Failure::Internal("the program has no labels to watch".to_owned()))
}

/// What watches, as an automaton.
pub(crate) fn automaton(program: &Program, kind: WatchKind) -> Result<Automaton, Failure> {
    match kind {
        WatchKind::Claim(claim) => of_claim(program, claim),
        WatchKind::Acceptance => {
            let mut automaton = Automaton::empty(1);
            automaton.states[0].push(ClaimEdge::default());
            automaton.accept_atom = Some(automaton.atom(known(program, Expr::Accepting)?));
            Ok(automaton)
        }
        WatchKind::NonProgress => {
            let mut automaton = Automaton::empty(2);
            let none = automaton.atom(known(program, Expr::NonProgress)?);
            let stuck = ClaimEdge { needs: vec![(none, true)], target: 1, ..ClaimEdge::default() };
            automaton.states[0] = vec![ClaimEdge::default(), stuck.clone()];
            automaton.states[1] = vec![stuck];
            automaton.accepting[1] = true;
            automaton.stutters = false;
            Ok(automaton)
        }
    }
}

struct ClaimMonitor<'s, 'p> {
    automaton: &'s Automaton,
    eyes: AtomEvaluator<'s, 'p>,
}

impl Monitor for ClaimMonitor<'_, '_> {
    type Scratch = AtomScratch;

    fn scratch(&self) -> AtomScratch {
        self.eyes.room()
    }

    fn initial(&self) -> Vec<u32> {
        vec![to_u32(self.automaton.initial)]
    }

    fn marks(&self) -> u32 {
        1
    }

    fn stutters(&self) -> bool {
        self.automaton.stutters
    }

    fn next(&self, state: u32, row: &[u32], room: &mut AtomScratch, out: &mut Vec<(u32, u64)>) {
        self.eyes.look(row, room);
        self.automaton.next(state as usize, &room.values, &mut |target, marked| {
            out.push((to_u32(target), u64::from(marked)));
        });
    }
}

/// Decides one question.
///
/// # Errors
/// If a run cannot be repeated, which is a fault of this program.
pub fn decide(
    space: &Space<'_>,
    watched: &MonitorQuery,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<ProgramAnswer, Failure> {
    let mut answer = ProgramAnswer::open(&watched.name, true, &watched.claim, watched.logic());
    (answer.provenance.technique, answer.deadlock) = (cycle_search(effort), STUTTER);
    if let Some(reason) = &space.open {
        answer.verdict.leave_open(reason.clone());
        return Ok(answer);
    }
    if let WatchKind::Claim(claim) = watched.kind
        && let Some(notes) = Notes::of(&space.semantics, claim)?
    {
        return notes::decide(space, &notes, answer, effort, progress);
    }
    let automaton = &automaton(space.program(), watched.kind)?;
    let eyes = AtomEvaluator::new(&space.semantics, space.plain.packing(), &automaton.atoms);
    let watching = ClaimMonitor { automaton, eyes };
    // Claims may count steps; labels that are passed again and again may not.
    let all_orders = space.scheduling == Scheduling::default() && !matches!(watched.kind, WatchKind::Claim(_));
    // Two searches, one inside the other, must leave out the same.
    let orders = effort.store == Keeping::Exact;
    let kinds = if all_orders {
        ReductionKinds { partial_order: orders, ..ReductionKinds::ALL }
    } else {
        ReductionKinds::VALUES
    };
    let reduced = if effort.reduction { space.reduced(&automaton.atoms, kinds) } else { None };
    answer.provenance.reduction = reduced.as_ref().map(|reduced| reduced.kind);
    let found = search(space, reduced.as_ref(), &watching, &mut answer, effort, progress)?;
    match found {
        Acceptance::Open => {}
        _ if watching.eyes.blurred() => answer.verdict.leave_open(cannot_evaluate()),
        Acceptance::NoRun => answer.verdict.settle(Belnap::True),
        Acceptance::Lasso(lasso) => {
            if let Some(run) = connected(space, &lasso, &mut answer)? {
                let run = judged(&space.semantics, automaton, run)?;
                answer.verdict.settle(Belnap::False);
                answer.show_run(Some(run));
            }
        }
    }
    Ok(answer)
}

/// Whether an automaton accepts a run of the program.
pub(crate) enum Acceptance {
    /// That is not known; the answer tells why.
    Open,
    /// It accepts none.
    NoRun,
    /// It accepts this one.
    Lasso(LassoStates),
}

/// Looks for an accepted run.
///
/// # Errors
/// If a run cannot be followed, which is a fault of this program.
pub(crate) fn search<M: Monitor>(
    space: &Space<'_>,
    reduced: Option<&ReducedProgram<'_>>,
    monitor: &M,
    answer: &mut ProgramAnswer,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Acceptance, Failure> {
    if let Some(reason) = too_many_marks(monitor, &space.scheduling) {
        answer.verdict.leave_open(reason);
        return Ok(Acceptance::Open);
    }
    let (found, open) = match accepted(space, reduced, monitor, &space.scheduling, effort, progress) {
        Ok(found) => found,
        Err(stopped) => {
            answer.stop_if(stop_word(stopped));
            if answer.stopped().is_none() {
                let limit = effort.limit(space).unwrap_or_default();
                answer.cost.states = limit;
                answer.verdict.leave_open(space.limit_reason(limit));
            }
            return Ok(Acceptance::Open);
        }
    };
    (answer.cost.states, answer.cost.transitions) = (found.states, found.transitions);
    let Some(lasso) = found.lasso else {
        add_limits(space, &found.faults, answer);
        open.into_iter().for_each(|reason| answer.verdict.leave_open(reason));
        return Ok(if answer.reasons().is_empty() { Acceptance::NoRun } else { Acceptance::Open });
    };
    if reduced.is_none() && effort.store == Keeping::Exact {
        return Ok(Acceptance::Lasso(states(space, &lasso)?));
    }
    let most = found.states.saturating_mul(MOST_TIMES).saturating_add(MOST_MORE);
    let most = effort.limit(space).map_or(most, |limit| limit.min(most));
    let exact = Effort { max_states: Some(most), store: Keeping::Exact, ..*effort };
    let again = accepted(space, None, monitor, &space.scheduling, &exact, progress);
    let whole = match (again.ok().and_then(|(outcome, _)| outcome.lasso), reduced) {
        (None, Some(reduced)) => reduced.follow_lasso(space, &lasso)?,
        (again, _) => Some(states(space, &again.unwrap_or(lasso))?),
    };
    if whole.is_none() {
        answer.verdict.leave_open(too_long_to_follow());
    }
    Ok(whole.map_or(Acceptance::Open, Acceptance::Lasso))
}

/// A run, cut where what is forbidden has happened, if the automaton accepts it.
pub(crate) fn judged(semantics: &Semantics<'_>, automaton: &Automaton, run: Run) -> Result<Run, Failure> {
    let mut letters = Vec::new();
    for state in run.states().take(run.steps.len().max(1)) {
        let values: Result<Vec<bool>, _> =
            (automaton.atoms.iter()).map(|&atom| semantics.observe(atom, state).map(|value| value != 0)).collect();
        letters.push(values.map_err(no_value)?);
    }
    accept(run, automaton.initial, automaton.done, |at, state, out| {
        automaton.next(state, &letters[at], out);
        Ok(())
    })
}

pub(crate) fn no_value(kind: FaultKind) -> Failure {
    Failure::Internal(format!("an atom has no value: {}", kind.name()))
}

/// The states of a lasso that was found without leaving out anything.
fn states(space: &Space<'_>, lasso: &Lasso) -> Result<LassoStates, Failure> {
    let states = |rows: &[Vec<u32>]| rows.iter().map(|row| space.state(row)).collect::<Vec<State>>();
    if !lasso.stem.first().or(lasso.cycle.first()).is_some_and(|first| space.initial.contains(first)) {
        return Err(Failure::Internal("a lasso does not begin in an initial state".to_owned()));
    }
    Ok((states(&lasso.stem), states(&lasso.cycle)))
}

/// The run of a lasso, by the definition of a step, if it is one that the scheduler allows; none, and a reason, if it rests or keeps
/// somebody waiting where it is not known how the program goes on.
///
/// # Errors
/// If there is no such run, which is a fault of this program.
pub(crate) fn connected(
    space: &Space<'_>,
    (stem, cycle): &LassoStates,
    answer: &mut ProgramAnswer,
) -> Result<Option<Run>, Failure> {
    let fair = &space.scheduling;
    let wanted: Vec<u32> = fair.weak.iter().chain(&fair.strong).copied().collect();
    let run = run::connect_lasso(&space.semantics, stem, cycle, &wanted)?;
    let stutters = run.steps.iter().any(|taken| taken.moves.is_empty());
    if (stutters || !wanted.is_empty())
        && let Some(reason) = cycle.iter().find_map(|state| unclear(space, state))
    {
        answer.verdict.withdraw(reason);
        return Ok(None);
    }
    must_be_fair(space, fair, &run)?;
    Ok(Some(run))
}

/// Where a watcher can go when it reads the state at a position of a run: target, and whether that is marked.
type Out<'o> = dyn FnMut(usize, bool) + 'o;

/// The run, cut where what is forbidden has happened, if the watcher accepts it.
pub(crate) fn accept(
    mut run: Run,
    initial: usize,
    done: usize,
    next: impl Fn(usize, usize, &mut Out<'_>) -> Result<(), Failure>,
) -> Result<Run, Failure> {
    match judge(&run, initial, done, next)? {
        Judgement::DoneAfter(count) => {
            run.steps.truncate(count);
            run.loop_start = None;
            Ok(run)
        }
        Judgement::Accepted => Ok(run),
        Judgement::NotAccepted => Err(Failure::Internal("a run that was found is not accepted".to_owned())),
    }
}

enum Judgement {
    /// What is forbidden has happened after this many steps.
    DoneAfter(usize),
    /// The whole infinite run is accepted.
    Accepted,
    NotAccepted,
}

/// Reads a run once more, by the definition of expressions.
fn judge(
    run: &Run,
    initial: usize,
    done: usize,
    step: impl Fn(usize, usize, &mut Out<'_>) -> Result<(), Failure>,
) -> Result<Judgement, Failure> {
    let length = run.steps.len().max(1);
    let back = run.loop_start.unwrap_or(0);
    let after = |at: usize| if at + 1 < length { at + 1 } else { back };
    // Pairs of position and state, with what leads on from each and whether that is marked.
    let mut edges = Edges::new();
    let mut open = std::collections::VecDeque::from([(0, initial, 0)]);
    while let Some((at, state, read)) = open.pop_front() {
        if edges.contains_key(&(at, state)) {
            continue;
        }
        if state == done {
            // What happens only when the loop is gone round again needs the whole lasso.
            let once = run.loop_start.is_none() || read <= length;
            return Ok(if once { Judgement::DoneAfter(usize::max(read, 1) - 1) } else { Judgement::Accepted });
        }
        let mut next = Vec::new();
        step(at, state, &mut |target, marked| next.push(((after(at), target), marked)))?;
        open.extend(next.iter().map(|&((at, state), _)| (at, state, read + 1)));
        edges.insert((at, state), next);
    }
    let marked =
        edges.iter().flat_map(|(&from, next)| next.iter().filter(|edge| edge.1).map(move |edge| (from, edge.0)));
    let accepted = marked.into_iter().any(|(from, to)| reaches(&edges, to, from));
    Ok(if accepted { Judgement::Accepted } else { Judgement::NotAccepted })
}

/// A position of the run with a state of the automaton.
type Node = (usize, usize);
/// What leads on from each, and whether that is marked.
type Edges = BTreeMap<Node, Vec<(Node, bool)>>;

fn reaches(edges: &Edges, from: Node, to: Node) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(node) = open.pop() {
        if node == to {
            return true;
        }
        if seen.insert(node) {
            open.extend(edges.get(&node).into_iter().flatten().map(|&(next, _)| next));
        }
    }
    false
}

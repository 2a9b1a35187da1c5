//! What do branching formulas say about a program?
//!
//! Every state is visited, the graph becomes a structure in which everything is decided, and the engines for structures
//! answer. An atom that has no value in a state is an unknown label there.

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_cegar::answer::{ProgramAnswer, Reason, STUTTER, Vacuity};
use tertium_evidence::Deadlock;
use tertium_evidence::observer::Observer;
use tertium_explore::search::breadth::{Explored, Listeners, Options, breadth_first};
use tertium_explore::search::{Blind, Progress};
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_load::structure::Loaded;
use tertium_logic::{Formula, Logic, linear_form};
use tertium_model::{Kmts, KmtsBuilder, Model, StateId};
use tertium_program::{ExprId, State};
use tertium_structures::answer;
use tertium_structures::check::{CheckOptions, Session};
use tertium_trace::run;

use super::graph_parts::GraphSource;
use super::kept_searches;
use super::safety::{Effort, settle};
use super::space::Space;

/// The whole state space of a program.
#[derive(Debug)]
pub struct Collected {
    explored: Explored,
}

impl Collected {
    /// Uses a search that is already done; it must have looked at every step.
    #[must_use]
    pub const fn of(explored: Explored) -> Self {
        Self { explored }
    }

    /// Visits every state.
    pub fn visit(space: &Space<'_>, effort: &Effort<'_>, progress: &mut dyn FnMut(Progress)) -> Self {
        let options = Options {
            threads: effort.threads,
            max_states: effort.limit(space),
            stop_at_finding: false,
            budget: effort.budget,
        };
        Self { explored: breadth_first(&space.stepper, &Blind, &space.initial, &options, progress) }
    }

    /// The same; the search is written down and gone on with where that is wanted.
    ///
    /// # Errors
    /// If what is there is damaged.
    pub fn visit_kept(
        space: &Space<'_>,
        effort: &Effort<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Self, Failure> {
        let options = Options {
            threads: effort.threads,
            max_states: effort.limit(space),
            stop_at_finding: false,
            budget: effort.budget,
        };
        let listeners = Listeners { progress, found: &mut |_, _| {} };
        let searched = (&space.stepper, &Blind);
        Ok(Self { explored: kept_searches::search(space, "graph", searched, &space.initial, &options, listeners)? })
    }

    /// The search behind it.
    #[must_use]
    pub const fn explored(&self) -> &Explored {
        &self.explored
    }

    /// The row of a state by its number.
    #[must_use]
    pub fn row(&self, number: usize) -> Vec<u32> {
        let mut branches = self.explored.store.branches();
        self.explored.store.read(to_u32(number), &mut branches);
        branches.words().to_vec()
    }

    /// The graph as a structure: states are numbered as they were met, actions are the processes that step, and `atoms`
    /// are the propositions. A state without successors gets a loop if `shape` says so.
    ///
    /// # Errors
    /// If a limit is reached, or there are more states than a structure can have.
    pub fn structure(
        &self,
        space: &Space<'_>,
        atoms: &[(String, ExprId)],
        effort: &Effort<'_>,
        shape: GraphOptions,
    ) -> Result<Kmts, Failure> {
        let program = space.program();
        let mut builder = KmtsBuilder::new();
        let count = self.explored.store.len();
        for number in 0..count {
            builder.add_state(&number.to_string());
        }
        let props: Vec<_> = atoms.iter().map(|(name, _)| builder.add_prop(name)).collect();
        let actions: Vec<_> = program
            .instances
            .iter()
            .map(|instance| builder.add_action(&program.process(instance.process).name))
            .collect();
        let fair = if shape.fair { space.scheduling.weak.clone() } else { Vec::new() };
        let (explored, budget) = (&self.explored, effort.budget);
        let threads = effort.threads;
        let (fair, actions) = (fair.as_slice(), actions.as_slice());
        let source = GraphSource { space, explored, atoms, fair, actions, shape, threads, budget };
        let constraints = source.enter(&mut builder, &props)?;
        let (store, mut branches) = (&explored.store, explored.store.branches());
        for edges in constraints {
            builder.add_fairness(edges);
        }
        for row in &space.initial {
            if let Ok((number, false)) = store.insert_afresh(row, &mut branches) {
                builder.add_init(StateId::new(number as usize));
            }
        }
        builder.finish().map_err(|error| Failure::from(Diagnostic::error("E0319", error.to_string())))
    }
}

pub(crate) fn label(space: &Space<'_>, atom: ExprId, state: &State) -> Belnap {
    match space.semantics.observe(atom, state) {
        Ok(0) => Belnap::False,
        Ok(_) => Belnap::True,
        Err(_) => Belnap::Unknown,
    }
}

/// What becomes part of a structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphOptions {
    /// The fairness of processes, as constraints on edges.
    pub fair: bool,
    /// A loop at every state without successors.
    pub stutter: bool,
}

/// Decides one property on the collected graph.
///
/// # Errors
/// If an engine cannot do it, or a proof or run is not accepted.
pub fn decide(
    space: &Space<'_>,
    asked: &PropertyQuery,
    collected: &Collected,
    options: &CheckOptions,
    effort: &Effort<'_>,
    observer: &dyn Observer,
) -> Result<ProgramAnswer, Failure> {
    let logic = asked.formula.logic();
    let mut answer = ProgramAnswer::open(&asked.name, asked.named, &asked.source, logic.name());
    let summary = &collected.explored.summary;
    (answer.cost.states, answer.cost.transitions) = (summary.states, summary.transitions);
    if let Some(reason) = &space.open {
        answer.verdict.leave_open(reason.clone());
        return Ok(answer);
    }
    settle(space, summary, effort, &mut answer);
    if answer.value() != Belnap::True {
        return Ok(answer);
    }
    answer.verdict.settle(Belnap::Unknown);
    let fair = &space.scheduling;
    let paths = matches!(logic, Logic::Ctl | Logic::CtlStar | Logic::Ltl);
    if paths && !fair.strong.is_empty() {
        answer.verdict.leave_open(strong_fairness(&asked.formula));
        return Ok(answer);
    }
    let atoms: Vec<(String, ExprId)> =
        asked.formula.atoms().iter().zip(&asked.atoms).map(|(atom, &expr)| (atom.text.clone(), expr)).collect();
    // A formula about whole paths must not overlook those that end.
    let whole_paths = logic == Logic::CtlStar || logic == Logic::Ltl || (paths && !fair.weak.is_empty());
    let shape = GraphOptions { fair: paths, stutter: whole_paths && options.deadlock.is_none() };
    answer.deadlock = options.deadlock.map_or(if shape.stutter { STUTTER } else { "mu" }, Deadlock::name);
    let model = collected.structure(space, &atoms, effort, shape)?;
    let ends = model.states().any(|state| model.is_dead(state));
    if model.init().is_empty() {
        answer.verdict.settle(Belnap::True);
        answer.vacuity = Vacuity::NoInitialState;
        return Ok(answer);
    }
    let loaded = Loaded::of_model("", Model::Kmts(model));
    let session = Session::new(&loaded, options.clone(), effort.budget)?;
    let parsed = asked.on_structure()?;
    let found = session.check(&parsed, effort.budget, observer)?;
    translate(space, collected, &found, &mut answer)?;
    if logic == Logic::Ctl && ends && options.deadlock.is_none() {
        let maximal = CheckOptions { deadlock: Some(Deadlock::Maximal), look_for_vacuity: false, ..options.clone() };
        let other = Session::new(&loaded, maximal, effort.budget)?.check(&parsed, effort.budget, observer)?;
        if other.value() != found.value() && other.stopped().is_none() {
            answer.warnings.push(depends_on_ends(other.value().word()));
        }
    }
    Ok(answer)
}

/// The code of what says that a value depends on whether runs that stop count.
pub const DEPENDS_ON_ENDS: &str = "W0405";

pub(crate) fn depends_on_ends(word: &str) -> Diagnostic {
    Diagnostic::warning(
        DEPENDS_ON_ENDS,
        format!("runs that stop do not count here; if they do (`--deadlock maximal`), the value is {word}"),
    )
}

fn strong_fairness(formula: &Formula) -> Reason {
    let weaken = "declare the process `fair` instead of `strong fair`";
    Reason {
        what: "strong fairness is known for linear formulas only".to_owned(),
        about: None,
        span: None,
        help: linear_form(formula).map_or_else(
            || format!("{weaken}: no linear formula is known that says the same"),
            |linear| format!("write the property as `ltl {}`, or {weaken}", linear.text()),
        ),
    }
}

/// An answer about the structure as one about the program.
fn translate(
    space: &Space<'_>,
    collected: &Collected,
    found: &answer::Answer,
    answer: &mut ProgramAnswer,
) -> Result<(), Failure> {
    answer.provenance = found.provenance;
    answer.stop_if(found.stopped());
    answer.vacuity = Vacuity::sought(found.vacuous);
    answer.warnings.clone_from(&found.warnings);
    answer.verdict.settle(found.verdict.value());
    if answer.value() == Belnap::Unknown && answer.stopped().is_none() {
        answer.verdict.leave_open(super::safety::cannot_evaluate());
    }
    if let Some(run) = found.run() {
        let states: Vec<State> = run.states.iter().map(|state| space.state(&collected.row(state.index()))).collect();
        answer.show_run(Some(match run.loop_start {
            Some(start) => run::connect_lasso(&space.semantics, &states[..start], &states[start..], &[])?,
            None => run::connect_resting(&space.semantics, &states)?,
        }));
    }
    Ok(())
}

//! What can players of a program enforce?
//!
//! A program is a turn-based game: at a state the scheduler picks a process that can step, then that process picks among its steps and inputs. Players are the processes, the members of families and `scheduler`; where the program names its environment, the
//! environment (with the scheduler) and `system` (the rest). The whole state space becomes a game structure in which everything is decided, with one state more for each state and process that can step there, and the engines for structures answer.
//! A run that ends stays where it is. Weak and strong fairness of processes are promises of the scheduler: an assumption for a coalition without the scheduler, an obligation for one with it.
//!
//! Not here: who the players are (`tertium_cegar::players`), and games over predicates (`tertium_cegar::coalition_games`).

use std::collections::BTreeMap;
use std::time::Instant;

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Diagnostic};
use tertium_cegar::answer::{ProgramAnswer, Reason, STUTTER, Vacuity};
use tertium_cegar::players::{Players, asked_of_game, enabled, known_players, taken};
use tertium_evidence::Deadlock;
use tertium_evidence::observer::Observer;
use tertium_explore::search::liveness::Scheduling;
use tertium_explore::store::Keeping;
use tertium_explore::successors::{Expansion, RowSuccessors};
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::program::ProgramFile;
use tertium_load::questions::{PropertyQuery, Question};
use tertium_load::structure::Loaded;
use tertium_model::{Kmts, KmtsBuilder, Model, StateId};
use tertium_program::ExprId;
use tertium_structures::check::{CheckOptions, Session};

use super::branching::{Collected, label};
use super::check::report_to;
use super::safety::{Effort, cannot_evaluate, settle};
use super::space::Space;
use crate::check::CheckOutcome;

/// Answers questions about players.
///
/// # Errors
/// If a player is not known, or a proof is not accepted. Limits are no errors: answers say that they were stopped.
pub fn check(
    file: &ProgramFile,
    questions: &[&PropertyQuery],
    options: &super::CheckOptions,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Vec<ProgramAnswer>, Failure> {
    let players = Players::of(&file.program);
    if options.module && file.program.environment.is_none() {
        return Err(tertium_structures::module::no_environment());
    }
    for asked in questions {
        known_players(&asked.formula, &players)?;
    }
    let open = |asked: &PropertyQuery| {
        ProgramAnswer::open(&asked.name, asked.named, &asked.source, asked.formula.logic().name())
    };
    if let Some(why) = refused(file, options) {
        let left_open = |asked: &&PropertyQuery| {
            let mut answer = open(asked);
            answer.verdict.leave_open(why.clone());
            answer
        };
        return Ok(questions.iter().map(left_open).collect());
    }
    let space = match Space::new(&file.program, budget) {
        Err(Failure::Stopped(stopped)) => {
            return Ok(questions.iter().map(|asked| open(asked).stopped_by(stopped.0)).collect());
        }
        space => space?,
    };
    // Who is started later is no player, so all processes are known.
    let space = if options.fair { space.fair_to(file.program.instances.len()) } else { space };
    let effort = Effort {
        threads: options.threads,
        max_states: options.max_states,
        reduction: false,
        store: options.store,
        budget,
    };
    let limit = effort.limit(&space);
    let collected = Collected::visit(&space, &effort, &mut report_to(observer, "exploring", limit));
    let mut answers = Vec::new();
    for asked in questions {
        let start = Instant::now();
        let game = ProgramGame { space: &space, players: &players, collected: &collected, effort: &effort };
        let mut answer = match game.decide(asked, options, observer) {
            Err(Failure::Stopped(stopped)) => open(asked).stopped_by(stopped.0),
            decided => decided?,
        };
        answer.cost.elapsed = start.elapsed();
        answers.push(answer);
    }
    Ok(answers)
}

/// Why no question about players can be answered of this program, or in this way.
fn refused(file: &ProgramFile, options: &super::CheckOptions) -> Option<Reason> {
    let reason =
        |what: &str, help: &str| Reason { what: what.to_owned(), about: None, span: None, help: help.to_owned() };
    if file.open.is_some() {
        return Some(reason("players are known where every size is", "give the size: `-D N=3`"));
    }
    if options.store != Keeping::Exact {
        return Some(reason("a game needs every state", "leave out the option that keeps states in part"));
    }
    if options.deadlock.is_some_and(|deadlock| deadlock == Deadlock::Maximal) {
        let help = "leave out `--deadlock`: a run that ends stays where it is";
        return Some(reason("`--deadlock maximal` lets a run end, and then nobody moves", help));
    }
    let starts = |step: &tertium_program::Step| matches!(step.action, tertium_program::Action::Run { .. });
    file.program
        .steps
        .iter()
        .any(starts)
        .then(|| reason("processes that are started while the program runs are no players", "start them with `active`"))
}

struct ProgramGame<'g> {
    space: &'g Space<'g>,
    players: &'g Players,
    collected: &'g Collected,
    effort: &'g Effort<'g>,
}

impl ProgramGame<'_> {
    fn decide(
        &self,
        asked: &PropertyQuery,
        options: &super::CheckOptions,
        observer: &dyn Observer,
    ) -> Result<ProgramAnswer, Failure> {
        let logic = asked.formula.logic();
        let mut answer = ProgramAnswer::open(&asked.name, asked.named, &asked.source, logic.name());
        let summary = &self.collected.explored().summary;
        (answer.cost.states, answer.cost.transitions) = (summary.states, summary.transitions);
        if let Some(reason) = &self.space.open {
            answer.verdict.leave_open(reason.clone());
            return Ok(answer);
        }
        settle(self.space, summary, self.effort, &mut answer);
        if answer.value() != Belnap::True {
            return Ok(answer);
        }
        answer.verdict.settle(Belnap::Unknown);
        answer.deadlock = STUTTER;
        let atoms: Vec<(String, ExprId)> =
            asked.formula.atoms().iter().zip(&asked.atoms).map(|(atom, &expr)| (atom.text.clone(), expr)).collect();
        let model = self.structure(&atoms)?;
        if model.init().is_empty() {
            answer.verdict.settle(Belnap::True);
            answer.vacuity = Vacuity::NoInitialState;
            return Ok(answer);
        }
        let mut parsed = asked.on_structure()?;
        if options.module && self.space.scheduling != Scheduling::default() {
            answer.verdict.leave_open(Reason {
                what: "fairness is not known where the environment may leave out moves".to_owned(),
                about: None,
                span: None,
                help: "leave out `fair`, or ask without `--module`".to_owned(),
            });
            return Ok(answer);
        }
        if logic.is_strategic() {
            parsed.formula = asked_of_game(&parsed.formula, &self.space.scheduling, self.players);
        }
        let loaded = Loaded::of_model("", Model::Kmts(model));
        let wanted = CheckOptions {
            engine: options.engine,
            look_for_vacuity: true,
            module: options.module,
            ..CheckOptions::default()
        };
        let session = Session::new(&loaded, wanted, self.effort.budget)?;
        if options.module && logic.is_strategic() {
            return Err(tertium_structures::coalitions::no_environments().into());
        }
        let found = session.check(&parsed, self.effort.budget, observer)?;
        answer.provenance = found.provenance;
        answer.stop_if(found.stopped());
        answer.vacuity = Vacuity::sought(found.vacuous);
        answer.warnings.clone_from(&found.warnings);
        answer.verdict.settle(found.verdict.value());
        if let Some(both) = &found.completions {
            let shown = &both[1].structure;
            let size = format!("{} states and {} transitions", shown.state_count(), shown.edge_count());
            let what = format!("an environment that violates it has {size}, moves of scheduler and processes counted");
            answer.warnings.push(Diagnostic::note_only("W0319", what));
        }
        if answer.value() == Belnap::Unknown && answer.stopped().is_none() {
            answer.verdict.leave_open(cannot_evaluate());
        }
        Ok(answer)
    }

    /// The game structure: states of the program belong to the scheduler, and each process that can step there has a state of its own, with the same labels, from which its steps lead.
    fn structure(&self, atoms: &[(String, ExprId)]) -> Result<Kmts, Failure> {
        let (space, store) = (self.space, &self.collected.explored().store);
        let mut builder = KmtsBuilder::new();
        let count = store.len();
        for number in 0..count {
            let state = builder.add_state(&number.to_string());
            builder.set_owner(state, &self.players.scheduler);
        }
        let props: Vec<_> = atoms.iter().map(|(name, _)| builder.add_prop(name)).collect();
        let promises = Promises::of(&mut builder, &space.scheduling);
        let (mut base, mut branches) = (store.branches(), store.branches());
        let (mut scratch, mut found) = (space.stepper.scratch(), Expansion::default());
        let mut ticks = 0;
        for number in 0..count {
            self.effort.budget.tick(&mut ticks)?;
            store.read(to_u32(number), &mut base);
            let from = StateId::new(number);
            let state = space.state(base.words());
            let values: Vec<Belnap> = atoms.iter().map(|(_, atom)| label(space, *atom, &state)).collect();
            space.stepper.expand(base.words(), &mut scratch, &mut found);
            let mut movers: BTreeMap<u32, StateId> = BTreeMap::new();
            for at in 0..found.steps() {
                let mover = found.movers[at];
                let turn = match movers.get(&mover) {
                    Some(&turn) => turn,
                    None => {
                        let player = self.players.of_process.get(mover as usize).ok_or_else(|| {
                            Failure::Internal("a process that is started later took a step of a game".to_owned())
                        })?;
                        let turn = builder.add_state(&format!("{number}:{mover}"));
                        builder.set_owner(turn, player);
                        builder.add_edge(from, turn, true, true, None);
                        movers.insert(mover, turn);
                        turn
                    }
                };
                let row = found.row(at);
                let Ok((target, false)) = store.insert(&base, &row, &mut branches) else {
                    return Err(Failure::Internal("a state was missed by the search".to_owned()));
                };
                builder.add_edge(turn, StateId::new(target as usize), true, true, None);
            }
            if movers.is_empty() {
                builder.add_edge(from, from, true, true, None);
            }
            for state in movers.values().copied().chain([from]) {
                for (&prop, &value) in props.iter().zip(&values) {
                    builder.set_label(state, prop, value);
                }
            }
            promises.label(&mut builder, from, &movers);
        }
        for row in &space.initial {
            if let Ok((number, false)) = store.insert_afresh(row, &mut branches) {
                builder.add_init(StateId::new(number as usize));
            }
        }
        // Who never has a turn is a player all the same: it owns a state that nobody reaches.
        for player in self.players.names() {
            let idle = builder.add_state(&format!("idle:{player}"));
            builder.set_owner(idle, player);
            builder.add_edge(idle, idle, true, true, None);
            for &prop in props.iter().chain(promises.props.iter().flat_map(|(_, can, does)| [can, does])) {
                builder.set_label(idle, prop, Belnap::False);
            }
        }
        builder.finish().map_err(|error| Failure::from(Diagnostic::error("E0319", error.to_string())))
    }
}

/// What the scheduler promises, as labels: which process can step, and which one steps.
struct Promises {
    props: Vec<(u32, tertium_model::PropId, tertium_model::PropId)>,
}

impl Promises {
    fn of(builder: &mut KmtsBuilder, scheduling: &Scheduling) -> Self {
        let all = scheduling.weak.iter().chain(&scheduling.strong);
        Self { props: all.map(|&pid| (pid, builder.add_prop(&enabled(pid)), builder.add_prop(&taken(pid)))).collect() }
    }

    fn label(&self, builder: &mut KmtsBuilder, from: StateId, movers: &BTreeMap<u32, StateId>) {
        for &(pid, can, does) in &self.props {
            for (&mover, &state) in movers.iter().chain([(&u32::MAX, &from)]) {
                builder.set_label(state, can, Belnap::from(movers.contains_key(&pid)));
                builder.set_label(state, does, Belnap::from(mover == pid));
            }
        }
    }
}

/// Which questions are about players, or about all environments where these are asked for.
#[must_use]
pub fn is_about_players(question: &Question, module: bool) -> bool {
    matches!(question, Question::Property(asked) if module || asked.formula.logic().is_strategic())
}

/// The answers of questions about players, put among those of the others in the order in which they were asked.
#[must_use]
pub fn merged(
    questions: &[Question],
    module: bool,
    mut rest: CheckOutcome,
    about_players: Vec<ProgramAnswer>,
) -> CheckOutcome {
    let (mut others, mut players) = (rest.answers.into_iter(), about_players.into_iter());
    let next = |question: &Question| if is_about_players(question, module) { players.next() } else { others.next() };
    rest.answers = questions.iter().filter_map(next).collect();
    rest
}

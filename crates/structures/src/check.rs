//! What is the value of each property, and why?
//!
//! A [`Session`] binds a loaded model to the options of one run. For every property it chooses an
//! engine, asks for the value, finds the evidence, has it re-checked by code that shares nothing with
//! the engines, and looks whether a true property is true for a poor reason.
//!
//! A definite answer whose proof the checker does not accept is never reported: two parts of this
//! program disagree then, and the user is told so.

use std::borrow::Cow;
use std::time::Instant;

use tertium_base::diagnostic::closest_name;
use tertium_base::{Budget, Diagnostic, Stopped};
use tertium_check::{Ask, BindError, Task};
use tertium_evidence::{Certificate, CertificatePlace, Deadlock, LinearReading, Reading, Verdict, write_document};
use tertium_kernel::Subject;
use tertium_lattice::{Belnap, DeMorganLattice};
use tertium_logic::classify::shown_by_one_run;
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, Model, StateId};

use crate::answer::{Answer, Proved, Value};
use crate::bind::{KnownNames, unbound, unknown_name, unknown_player, unknown_players};
use crate::coalitions;
use crate::engines::{self, EngineChoice};
use crate::family::without_parameters;
use crate::query::{self, is_query};
use crate::{module, paths, prove};
use tertium_evidence::observer::Observer;
use tertium_load::Loaded;
use tertium_load::cuts::too_large;
use tertium_load::failure::{Failure, Located};
use tertium_load::property::{Parsed, Property, all_different, no_such_property};

/// Proofs on structures with more edges are made and re-checked on demand only.
pub const SMALL: usize = 100_000;

/// How one run wants its answers.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// The logic of properties that name none.
    pub logic: Option<Logic>,
    /// What deadlocks mean; by default the usual convention of the mu-calculus.
    pub deadlock: Option<Deadlock>,
    /// How linear formulas are read; by default the most precise sound way.
    pub linear: Option<LinearReading>,
    /// The state asked about; by default the initial ones.
    pub at: Option<String>,
    /// Whether the value at every state is wanted.
    pub all_states: bool,
    /// The engine.
    pub engine: EngineChoice,
    /// Whether parameters are decided for all instances, or taken for unknown.
    pub parameters: bool,
    /// Whether proofs are made and re-checked whatever the structure's size.
    pub always_recheck: bool,
    /// Whether to look for vacuous truth.
    pub look_for_vacuity: bool,
    /// Whether the value is wanted that all completions agree on.
    pub thorough: bool,
    /// Whether the property must hold in every environment.
    pub module: bool,
}

/// A model with the options of one run.
#[derive(Debug)]
pub struct Session<'a> {
    pub(crate) loaded: &'a Loaded,
    /// The model as it is checked.
    model: Cow<'a, Model>,
    pub(crate) options: CheckOptions,
    pub(crate) reading: Reading,
    pub(crate) ask: Vec<StateId>,
    warnings: Vec<Located>,
}

impl<'a> Session<'a> {
    /// Prepares a run.
    ///
    /// # Errors
    /// If the state asked about does not exist, or the deadlock convention does not fit the model.
    pub fn new(loaded: &'a Loaded, mut options: CheckOptions, budget: &Budget) -> Result<Self, Failure> {
        // Environments are completions.
        options.thorough |= options.module;
        let reading = Reading {
            deadlock: options.deadlock.unwrap_or_default(),
            linear: options.linear.unwrap_or(LinearReading::Hyper),
        };
        let ask = asked_states(loaded, options.at.as_deref())?;
        let model = match &loaded.model {
            Model::Param(model) if !options.parameters => {
                Cow::Owned(Model::Kmts(without_parameters(model).map_err(too_large)?))
            }
            Model::Kmts(model) if options.module => Cow::Owned(Model::Kmts(module::prunings(model)?)),
            _ if options.module => return Err(module::no_owners()),
            model => Cow::Borrowed(model),
        };
        let mut session = Self { loaded, model, options, reading, ask, warnings: loaded.warnings().to_vec() };
        session.refuse_thorough()?;
        session.respect_deadlocks(budget)?;
        session.warn_about_reading();
        Ok(session)
    }

    /// A state without successors contradicts `total` and `forbid`.
    fn respect_deadlocks(&mut self, budget: &Budget) -> Result<(), Failure> {
        let Some(model) = self.kmts() else { return Ok(()) };
        let wants_none = matches!(self.reading.deadlock, Deadlock::Total | Deadlock::Forbid);
        let total = self.reading.linear == LinearReading::BgTotal && self.options.linear.is_some();
        if !wants_none && !total {
            return Ok(());
        }
        let Some(dead) = paths::reachable_deadlock(model, &self.ask, budget)? else { return Ok(()) };
        let name = model.state_name(dead);
        let option = if wants_none { self.reading.deadlock.name() } else { "total" };
        if total && !wants_none {
            self.warnings.push(Located::nowhere(Diagnostic::warning(
                "W0304",
                format!("`--ltl bg-total` assumes that every state has a successor, but `{name}` has none"),
            )));
            return Ok(());
        }
        Err(Diagnostic::error("E0240", format!("state `{name}` can be reached and has no successor"))
            .note(format!("`--deadlock {option}` allows no such state"))
            .help(format!("add a step from `{name}` (a loop if the system rests there), or use `--deadlock maximal`"))
            .into())
    }

    fn warn_about_reading(&mut self) {
        self.warnings.extend(unsound_reading(self.reading.linear));
    }

    /// What is to be said about the run as a whole.
    #[must_use]
    pub fn warnings(&self) -> &[Located] {
        &self.warnings
    }

    /// The kind of input, as JSON names it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.loaded.kind()
    }

    /// The structure as one line for people.
    #[must_use]
    pub fn description(&self) -> String {
        self.loaded.description()
    }

    pub(crate) fn checked_model(&self) -> &Model {
        &self.model
    }

    /// The structure with may and must behind the model, for names and evidence.
    #[must_use]
    pub fn kmts(&self) -> Option<&Kmts> {
        match &*self.model {
            Model::Kmts(model) => Some(model),
            Model::Lattice(_) | Model::Param(_) => None,
        }
    }

    /// The user's lattice, if the structure takes its values there.
    #[must_use]
    pub fn lattice(&self) -> Option<(&str, &DeMorganLattice)> {
        match &*self.model {
            Model::Lattice(model) => Some((model.lattice_name().unwrap_or_default(), model.lattice())),
            Model::Kmts(_) | Model::Param(_) => None,
        }
    }

    /// States and transitions.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        self.loaded.size()
    }

    /// A state's name.
    #[must_use]
    pub fn state_name(&self, state: StateId) -> String {
        self.loaded.state_name(state).to_owned()
    }

    /// All states' names in order.
    #[must_use]
    pub fn state_names(&self) -> Vec<String> {
        (0..self.size().0).map(|at| self.state_name(StateId::new(at))).collect()
    }

    /// Whether the value is asked at several states.
    #[must_use]
    pub fn asks_several(&self) -> bool {
        self.ask.len() > 1
    }

    /// Whether assuming that the system never stops could decide more.
    #[must_use]
    pub fn may_gain_from_totality(&self) -> bool {
        self.reading.deadlock == Deadlock::Mu
            && self.kmts().is_some_and(|model| {
                !model.total()
                    && model.states().all(|state| !model.is_dead(state))
                    && model.states().any(|state| model.must_successors(state).next().is_none())
            })
    }

    /// The properties to check: those given, else those of the file; all names bound.
    ///
    /// # Errors
    /// Everything that is wrong with them, in all of them.
    pub fn properties(&self, given: &[String], only: &[String]) -> Result<Vec<Parsed>, Failure> {
        let written = self.select(given, only)?;
        let (mut parsed, mut mistakes) = (Vec::new(), Vec::new());
        for property in written {
            match property.parse(self.options.logic, &self.loaded.element_names()) {
                Ok(found) => {
                    mistakes.extend(self.unbound(&found));
                    mistakes.extend(coalitions::declined(self, &found));
                    mistakes.extend(query::mistakes(self.checked_model(), &found, self.options.thorough));
                    mistakes.extend(self.declined(&found));
                    parsed.push(found);
                }
                Err(found) => mistakes.extend(found),
            }
        }
        if mistakes.is_empty() { Ok(parsed) } else { Err(Failure::Input(mistakes)) }
    }

    fn select(&self, given: &[String], only: &[String]) -> Result<Vec<Property>, Failure> {
        let own = self.loaded.properties();
        let mut chosen: Vec<Property> = Vec::new();
        let mut mistakes = Vec::new();
        for name in only {
            match own.iter().find(|property| property.name == *name) {
                Some(property) if chosen.iter().any(|known| known.name == property.name) => {}
                Some(property) => chosen.push(property.clone()),
                None => mistakes.push(no_such_property(name, own)),
            }
        }
        chosen.extend(given.iter().enumerate().map(|(at, text)| Property::from_argument(text, at + 1)));
        if given.is_empty() && only.is_empty() {
            chosen.extend(own.iter().cloned());
        }
        if !mistakes.is_empty() {
            return Err(Failure::Input(mistakes));
        }
        all_different(chosen.iter().map(|property| property.name.as_str()))?;
        if !chosen.is_empty() && self.size().0 == 0 {
            return Err(Diagnostic::error("E0318", "the structure has no states that a property could hold of")
                .note("the file describes a lattice alone")
                .help("add states, or leave out the property")
                .into());
        }
        if chosen.is_empty() && self.size().0 > 0 {
            return Err(Diagnostic::error("E0305", "there is no property to check")
                .note("the file has none, and none was given")
                .help("give one, for example `-p 'AG EF ready'`")
                .into());
        }
        Ok(chosen)
    }

    fn unbound(&self, parsed: &Parsed) -> Vec<Located> {
        let elements = self.loaded.element_names();
        let known = KnownNames {
            props: self.loaded.prop_names(),
            elements: elements.iter().map(String::as_str).collect(),
            actions: self.loaded.action_names(),
            players: self.loaded.player_names(),
            over_a_lattice: self.lattice().is_some(),
        };
        let errors = unbound(self.loaded, &parsed.formula);
        let players = unknown_players(self.loaded, &parsed.formula);
        let names = errors.iter().map(|error| unknown_name(error, parsed, &known));
        names.chain(players.into_iter().map(|player| unknown_player(player, parsed, &known))).collect()
    }

    /// Why the engine that the user chose cannot do this, before any work is done.
    fn declined(&self, parsed: &Parsed) -> Option<Located> {
        if self.options.thorough {
            return self.thorough_declined(&parsed.formula);
        }
        let model = self.kmts()?;
        let budget = Budget::unlimited();
        let (model, formula) = coalitions::evaluated(model, &parsed.formula)?;
        let task = Task::new(&model, &formula, self.reading, Ask::At(&self.ask), &budget).ok()?;
        let refusal = self.options.engine.engine(formula.logic()).supports(&task).err()?;
        match engines::failure(refusal.into()) {
            Failure::Input(messages) => messages.into_iter().next(),
            Failure::Stopped(_) | Failure::Internal(_) => None,
        }
    }

    /// Decides one property.
    ///
    /// # Errors
    /// If the engine asked for cannot do it, or a proof is not accepted by the checker. Limits are no
    /// errors: the answer says that it was stopped.
    pub fn check(&self, parsed: &Parsed, budget: &Budget, observer: &dyn Observer) -> Result<Answer, Failure> {
        let start = Instant::now();
        let mut answer = self.empty_answer(parsed);
        let outcome = budget.check().map_err(Failure::from).and_then(|()| match &*self.model {
            Model::Kmts(model) if is_query(&parsed.formula) => self.check_query(model, &mut answer, budget, observer),
            Model::Kmts(model) if self.options.thorough => self.check_thorough(model, &mut answer, budget, observer),
            Model::Kmts(model) => self.check_kmts(model, &mut answer, budget, observer),
            Model::Lattice(model) => self.check_lattice(model, &mut answer, budget),
            Model::Param(model) => self.check_family(model, &mut answer, budget),
        });
        if let Err(failure) = outcome {
            let Failure::Stopped(stopped) = failure else { return Err(failure) };
            self.mark_stopped(&mut answer, stopped);
        }
        if let (true, Model::Kmts(original)) = (self.options.module, &self.loaded.model) {
            module::settle(original, &mut answer);
        }
        self.look_for_vacuity(&mut answer, budget)?;
        answer.elapsed = start.elapsed();
        Ok(answer)
    }

    /// An answer's proofs as one certificate file.
    ///
    /// # Errors
    /// If it cannot be written down, which is a fault of this program.
    pub fn certificate_text(&self, answer: &Answer) -> Result<String, Failure> {
        let parts: Vec<(CertificatePlace, &Kmts, &Certificate)> = answer
            .certificates
            .iter()
            .filter_map(|proved| {
                let structure = proved.structure.as_deref().or(self.kmts())?;
                Some((proved.place.clone(), structure, &proved.certificate))
            })
            .collect();
        let mut text = Vec::new();
        write_document(&mut text, &parts).map_err(|error| Failure::Internal(error.to_string()))?;
        String::from_utf8(text).map_err(|error| Failure::Internal(error.to_string()))
    }

    fn empty_answer(&self, parsed: &Parsed) -> Answer {
        Answer {
            name: parsed.property.name.clone(),
            named: parsed.property.named,
            formula: parsed.formula.clone(),
            verdict: Verdict::default(),
            provenance: self.options.engine.provenance(parsed.formula.logic()),
            semantics: if self.options.thorough { "thorough" } else { "compositional" },
            reading: self.reading,
            state: None,
            per_state: None,
            certificates: Vec::new(),
            query: None,
            cuts: Vec::new(),
            checked: false,
            structure: None,
            completions: None,
            conditions: None,
            instances: None,
            vacuous: false,
            warnings: Vec::new(),
            elapsed: std::time::Duration::ZERO,
        }
    }

    /// A limit was reached before everything was said: warnings and conditions stay, nothing else does.
    fn mark_stopped(&self, answer: &mut Answer, stopped: Stopped) {
        answer.verdict = Verdict::Stopped(stopped.0, Vec::new());
        answer.certificates.clear();
        answer.cuts.clear();
        answer.query = None;
        answer.checked = false;
        answer.completions = None;
    }

    fn check_kmts(
        &self,
        model: &Kmts,
        answer: &mut Answer,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        let asked = answer.formula.clone();
        let Some((model, formula)) = coalitions::evaluated(model, &asked) else {
            return self.check_by_product(model, answer, budget, observer);
        };
        let model = &*model;
        let ask = if self.options.all_states { Ask::All } else { Ask::At(&self.ask) };
        let task = bound(Task::new(model, &formula, self.reading, ask, budget))?;
        // Fixpoints of path formulas alternate: a game takes one pass for all of them.
        let choice = match self.options.engine {
            EngineChoice::Auto if asked.logic().is_strategic() => EngineChoice::Game,
            choice => choice,
        };
        let (provenance, values) = engines::evaluate(&task, choice)?;
        answer.provenance = provenance;
        let (value, state) = meet_at(&self.ask, |state| values.at(state));
        if self.options.all_states {
            answer.per_state = Some(model.states().map(|state| Value::Belnap(values.at(state))).collect());
        }
        answer.verdict.settle(value);
        answer.state = state;
        self.explain(&task, &asked, answer, value, observer)?;
        Ok(())
    }

    /// Finds the evidence, and has it checked where the structure is small or the user wants proofs.
    pub(crate) fn explain(
        &self,
        task: &Task<'_>,
        asked: &Formula,
        answer: &mut Answer,
        value: Belnap,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        let small = task.model.edge_count() <= SMALL;
        let Some(state) = answer.state else { return Ok(()) };
        match value {
            Belnap::Unknown => {
                observer.phase(&format!("explaining {}", answer.name));
                answer.leave_open(prove::open_question(task, state)?);
            }
            Belnap::True | Belnap::False if small || self.options.always_recheck => {
                observer.phase(&format!("proving {}", answer.name));
                let states: &[StateId] = if value == Belnap::True { &self.ask } else { std::slice::from_ref(&state) };
                let constants = self.loaded.constants();
                for &state in states {
                    let certificate = prove::certificate(task, asked, state, value)?;
                    // The checker says itself whose turn it is.
                    let model =
                        if asked.logic().is_strategic() { self.kmts().unwrap_or(task.model) } else { task.model };
                    prove::recheck((model, Subject::structure(model)), &certificate, &constants, task.budget)?;
                    answer.certificates.push(Proved { place: CertificatePlace::Whole, structure: None, certificate });
                }
                answer.checked = true;
            }
            Belnap::False => {
                observer.phase(&format!("explaining {}", answer.name));
                let certificate = prove::certificate(task, asked, state, value)?;
                answer.certificates.push(Proved { place: CertificatePlace::Whole, structure: None, certificate });
            }
            Belnap::True | Belnap::Both => {}
        }
        // Claims about all paths may follow one of them, which shows nothing by itself.
        let shows = shown_by_one_run(asked, value == Belnap::True);
        let told = answer.certificates.first().filter(|_| shows);
        let run = told.and_then(|proved| prove::run_of(task, &proved.certificate));
        if let Some(evidence) = answer.verdict.evidence_mut() {
            evidence.run = run;
        }
        Ok(())
    }
}

/// Names are bound when properties are read; failing later is a fault of this program.
///
/// # Errors
/// If a name is not bound.
pub fn bound<T>(task: Result<T, Vec<BindError>>) -> Result<T, Failure> {
    task.map_err(|_| Failure::Internal("a name was known before and is not known now".to_owned()))
}

/// The value over several states is the least in the truth order; the first state that has it decides.
#[must_use]
pub fn meet_at(states: &[StateId], value_at: impl Fn(StateId) -> Belnap) -> (Belnap, Option<StateId>) {
    use tertium_lattice::TruthValue;
    let value = states.iter().fold(Belnap::True, |sum, &state| sum.and(value_at(state)));
    (value, states.iter().copied().find(|&state| value_at(state) == value))
}

/// What is to be said about a reading whose false is not to be trusted where something is open.
#[must_use]
pub fn unsound_reading(linear: LinearReading) -> Option<Located> {
    let warning = || {
        Diagnostic::warning("W0301", "`--ltl tg` is unsound for false: the real system may satisfy the property")
            .help("`--ltl tg-pnf` keeps step values inside the operators and is sound; `--ltl hyper` is more precise")
    };
    (linear == LinearReading::Tg).then(|| Located::nowhere(warning()))
}

fn asked_states(loaded: &Loaded, at: Option<&str>) -> Result<Vec<StateId>, Failure> {
    let Some(name) = at else { return Ok(loaded.initial_states()) };
    let states = loaded.size().0;
    let all = || (0..states).map(|at| loaded.state_name(StateId::new(at)));
    if let Some(found) = all().position(|known| known == name) {
        return Ok(vec![StateId::new(found)]);
    }
    let mut mistake = Diagnostic::error("E0306", format!("`--at {name}`: the model has no state of this name"));
    if let Some(close) = closest_name(name, all()) {
        mistake = mistake.help(format!("did you mean `{close}`?"));
    }
    if states <= 20 {
        mistake = mistake.note(format!("states of the model: {}", all().collect::<Vec<_>>().join(", ")));
    }
    Err(mistake.into())
}

//! How can a partial model be completed so that its properties hold, and if it cannot, what is in the way?
//!
//! Completion synthesis is generalised model checking of the conjunction (Bruns and Godefroid 2000): is there a complete structure that refines the model and satisfies all properties? First those are looked for that keep the
//! model's states and only decide what is open, with the fewest decisions that matter first (`own_states`). If there is none, the tableau of the thorough semantics finds one with copies of states, or shows that there is
//! none; then `conflict` names properties that contradict each other, and decisions of the model that are in their way.
//!
//! Whatever is found is compared with the model (refinement) and checked as any other structure, with certificates that the kernel accepts.
//!
//! Not here: the tableau (`tertium_check::thorough`).

mod conflict;
mod decisions;
mod own_states;
mod pins;
mod unfolded;

use tertium_base::{Budget, Diagnostic, Stopped};
use tertium_evidence::observer::Observer;
use tertium_evidence::{Deadlock, Reading, Verdict};
use tertium_load::Loaded;
use tertium_load::failure::Failure;
use tertium_load::property::Parsed;
use tertium_logic::Formula;
use tertium_model::{Kmts, Model, StateId, refines};

use crate::check::{CheckOptions, Session};
use crate::query::is_query;
use conflict::Conflicts;
use decisions::Design;
use own_states::Wish;

pub use conflict::{Conflict, Undo};

/// Sets of decisions that are tried before the tableau is asked whether there is a completion at all.
const FIRST_TRIALS: usize = 2_000;
/// Sets of decisions that are tried once it is known that there is one.
const MOST_TRIALS: usize = 20_000;

/// How a model is to be completed.
#[derive(Clone, Debug, Default)]
pub struct CompletionOptions {
    /// Decisions that stay: `STATE.PROPOSITION=t`, `STATE->STATE=f`.
    pub pins: Vec<String>,
    /// How many completions are wanted; at least one.
    pub wanted: usize,
    /// The options of the check that the properties mean.
    pub check: CheckOptions,
}

/// A complete structure that refines the model and satisfies the properties.
#[derive(Clone, Debug)]
pub struct CompletedModel {
    /// The structure.
    pub structure: Kmts,
    /// The decisions that make the properties true, whatever else is decided.
    pub needed: Vec<String>,
    /// Everything else that was open; any other choice that the model allows does as well.
    pub free: Vec<String>,
    /// For each state that it stands for one or several of the model; empty if it has the model's own states.
    pub copies: Vec<(String, Vec<String>)>,
}

/// What became of the wish.
#[derive(Clone, Debug)]
pub enum CompletionOutcome {
    /// There are completions, fewest decisions first.
    Completed {
        /// The completions, each re-checked.
        completions: Vec<CompletedModel>,
        /// Whether none needs fewer decisions than the first.
        smallest: bool,
        /// Whether there are no others that need other decisions.
        all: bool,
    },
    /// No completion satisfies all properties.
    Conflict(Conflict),
    /// Not known, and why.
    Undecided(String),
}

/// A model that was completed, or not.
#[derive(Debug)]
pub struct CompletionAnswer {
    /// The properties.
    pub properties: Vec<(String, Formula)>,
    /// Decisions that were pinned.
    pub pinned: Vec<String>,
    /// How many labels and steps were open.
    pub open: usize,
    /// What came of it.
    pub outcome: CompletionOutcome,
}

/// Looks for completions of a model that satisfy these properties (`given`, or those of the file, `only` some of them).
///
/// # Errors
/// If the model is of another kind, a property or a pin is not understood, or a limit is reached.
pub fn complete(
    loaded: &Loaded,
    (given, only): (&[String], &[String]),
    options: &CompletionOptions,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<CompletionAnswer, Failure> {
    let model = plain(loaded)?;
    let session = Session::new(loaded, options.check.clone(), budget)?;
    let parsed = session.properties(given, only)?;
    refuse_queries(&parsed)?;
    let reading = session.reading;
    let endless = reading.deadlock == Deadlock::Total;
    let whole = Design::new(model, endless);
    let (decisions, pinned) = pins::read(&whole, &options.pins)?;
    let Some(start) = whole.decided(&decisions)? else {
        return Err(Diagnostic::error("E0395", "the pinned decisions contradict what is certain in the model")
            .help("of a hyper edge some member has to stay, and some step of each state where the model is total")
            .into());
    };
    let properties: Vec<(String, Formula)> = parsed.into_iter().map(|one| (one.property.name, one.formula)).collect();
    let design = Design::new(&start, endless);
    let job = Job { loaded, design: &design, properties: &properties, states: &session.ask, reading, options, budget };
    observer.search(&format!("completing {}", loaded.file));
    let outcome = job.run(&pinned, observer)?;
    let pinned = decisions.iter().map(|&one| whole.text(one)).collect();
    Ok(CompletionAnswer { pinned, open: whole.items.len(), outcome, properties })
}

/// The structure, if its completions are defined here.
fn plain(loaded: &Loaded) -> Result<&Kmts, Failure> {
    let refuse = |why: &str| -> Failure {
        Diagnostic::error("E0396", format!("`{}` cannot be completed: {why}", loaded.file))
            .help("`complete` is for structures with may and must whose certain steps are possible")
            .into()
    };
    match &loaded.model {
        Model::Kmts(model) if model.is_mixed() => Err(refuse("something certain in it is not possible")),
        Model::Kmts(model) => Ok(model),
        Model::Lattice(_) => Err(refuse("its values are those of a lattice")),
        Model::Param(_) => Err(refuse("it has parameters")),
    }
}

fn refuse_queries(parsed: &[Parsed]) -> Result<(), Failure> {
    let open = |one: &&Parsed| is_query(&one.formula) || !one.formula.elements().is_empty();
    match parsed.iter().find(open) {
        None => Ok(()),
        Some(one) => Err(Diagnostic::error(
            "E0396",
            format!(
                "`{}` is no property that a completion can have: it has a placeholder or a truth value",
                one.property.name
            ),
        )
        .help("leave out `?{…}`, `unknown` and `both`, or choose other properties with `--only`")
        .into()),
    }
}

/// One search.
#[derive(Clone, Copy)]
struct Job<'a> {
    loaded: &'a Loaded,
    design: &'a Design<'a>,
    properties: &'a [(String, Formula)],
    states: &'a [StateId],
    reading: Reading,
    options: &'a CompletionOptions,
    budget: &'a Budget,
}

impl Job<'_> {
    fn run(&self, pinned: &[pins::Pinned], observer: &dyn Observer) -> Result<CompletionOutcome, Failure> {
        let formulas: Vec<&Formula> = self.properties.iter().map(|(_, formula)| formula).collect();
        let wish = Wish { properties: &formulas, states: self.states, reading: self.reading, budget: self.budget };
        let wanted = self.options.wanted.max(1);
        let mut found = own_states::smallest_sets(self.design, wish, wanted, FIRST_TRIALS)?;
        let mut smallest = true;
        if found.sets.is_empty() {
            let exists = unfolded::exists(self.design.model, wish)?;
            if exists == Some(false) {
                observer.phase("looking for the conflict");
                return Conflicts { design: self.design, wish, pinned }.find().map(CompletionOutcome::Conflict);
            }
            if !found.exhausted {
                found = own_states::smallest_sets(self.design, wish, wanted, MOST_TRIALS)?;
            }
            if found.sets.is_empty() && !found.exhausted {
                let (one, all) = own_states::some_set(self.design, wish, MOST_TRIALS)?;
                found.exhausted = one.is_none() && all;
                found.sets.extend(one);
                smallest = false;
            }
        }
        if found.sets.is_empty() {
            return self.with_copies(wish, found.exhausted);
        }
        let mut completions = Vec::new();
        for set in &found.sets {
            completions.push(self.completed(set)?);
        }
        Ok(CompletionOutcome::Completed { completions, smallest, all: found.exhausted })
    }

    /// No completion keeps the model's states, or none was found.
    fn with_copies(&self, wish: Wish<'_>, exhausted: bool) -> Result<CompletionOutcome, Failure> {
        let Some(found) = unfolded::build(self.design.model, wish)? else {
            let more = if exhausted { "no completion keeps the model's states" } else { "too many decisions are open" };
            let why = format!("{more}, and those with copies of states cannot be looked for with these properties");
            return Ok(CompletionOutcome::Undecided(why));
        };
        let completed =
            CompletedModel { copies: found.copies, structure: found.structure, needed: Vec::new(), free: Vec::new() };
        self.verify(&completed)?;
        Ok(CompletionOutcome::Completed { completions: vec![completed], smallest: exhausted, all: false })
    }

    /// The structure that some decisions and a filling of the rest make.
    fn completed(&self, set: &[(u32, bool)]) -> Result<CompletedModel, Failure> {
        let full = self.design.fill(set);
        let Some(structure) = self.design.decided(&full)? else {
            return Err(Failure::Internal("a completion contradicts what is certain in the model".to_owned()));
        };
        let free = full.iter().filter(|one| !set.contains(one)).map(|&one| self.design.text(one)).collect();
        let needed = set.iter().map(|&one| self.design.text(one)).collect();
        let completed = CompletedModel { structure, needed, free, copies: Vec::new() };
        self.verify(&completed)?;
        Ok(completed)
    }

    /// Compares a completion with the model, and checks it as any other structure.
    fn verify(&self, completed: &CompletedModel) -> Result<(), Failure> {
        let fault = |what: String| Failure::Internal(format!("a completion of {} {what}", self.loaded.file));
        let structure = &completed.structure;
        if !structure.is_complete() {
            return Err(fault("leaves something open".to_owned()));
        }
        let total = self.design.model.total() || self.reading.deadlock == Deadlock::Total;
        let partial = self.design.model.clone().with_total(total);
        let relation = refines(&partial, structure, self.budget).map_err(|error| match error {
            tertium_model::CompareError::Stopped(stopped) => Failure::Stopped(stopped),
            tertium_model::CompareError::Props(_) => fault("has other propositions".to_owned()),
        })?;
        let loaded =
            Loaded::of_model(&self.loaded.file, Model::Kmts(structure.clone())).with_properties(self.properties);
        let options = CheckOptions { always_recheck: true, at: None, ..self.options.check.clone() };
        let session = Session::new(&loaded, options, self.budget)?;
        for (&old, &new) in self.states.iter().zip(&session.ask) {
            if !relation.contains(old, new) {
                return Err(fault(format!("does not refine it at {}", partial.state_name(old))));
            }
        }
        for property in session.properties(&[], &[])? {
            let answer = session.check(&property, self.budget, &())?;
            if let Verdict::Stopped(reason, _) = answer.verdict {
                return Err(Failure::Stopped(Stopped(reason)));
            }
            if !answer.value().is_true() {
                return Err(fault(format!("does not satisfy {}", property.formula)));
            }
        }
        Ok(())
    }
}

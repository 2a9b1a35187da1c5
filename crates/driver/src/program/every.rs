//! What holds of a system of every size?
//!
//! A file with `const N >= 2` is many systems. Small sizes are run first: a property that one of them breaks is false, and the answer
//! names the size. What none breaks is asked of one program that can do whatever a system of any size can do
//! ([`tertium_gcl::every`]); what holds of all its runs holds for every size that has the members which the question names, and
//! sizes that have fewer are run. Then a few more sizes are run, and one that the abstraction suggests. What stays open says for which sizes it
//! is known.
//!
//! Where that leaves something open, the properties that say what holds in every state are shown together: each may take the others to hold of the members that are only
//! counted, and those that cannot be shown in this way are left out until the rest can.
//!
//! Only what all runs must satisfy can be shown in this way: linear properties, conditions on all states, mistakes. That some process can
//! always step is shown only if the program can do nothing that no system can do.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use tertium_base::{Budget, Diagnostic, StopReason};
use tertium_gcl::Addition;
pub use tertium_gcl::every::AtLeast;
use tertium_gcl::every::{self, Every, Purpose};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_program::Layout;

use super::abstracted::{AbstractionOptions, blank, refined};
use super::answer::{ProgramAnswer, Reason};
use super::check::{CheckOptions, Outcome};
use super::questions::{Mistake, Question, questions};
use super::{Extras, ProgramFile};
use crate::Observer;
use crate::failure::{Failure, Located};

/// Sizes that are run before anything is shown for all of them, and how many more afterwards.
const FIRST_SIZES: i64 = 3;
const MORE_SIZES: i64 = 2;
/// States that are visited of each of them.
const FIRST_STATES: usize = 20_000;
const MORE_STATES: usize = 60_000;
/// A size that the abstraction suggests is not run if it is larger than the least by more than this.
const FARTHEST: i64 = 12;

/// A file that leaves a size open, with what is needed to read it again for each size.
#[derive(Clone, Debug)]
pub struct Open {
    /// The constants of which only the least value is said.
    pub constants: Vec<AtLeast>,
    pub(super) given: Vec<String>,
    pub(super) logic: Option<Logic>,
    pub(super) extras: Extras,
    pub(super) additions: Vec<Addition>,
}

/// For which sizes an answer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The name of the constant.
    pub constant: String,
    /// Its least value.
    pub least: i64,
    /// The value for which the property is false; none if it is true for every value, or open.
    pub value: Option<i64>,
    /// Values for which it is true, if it is open for others.
    pub held: Vec<i64>,
}

/// Answers, each with the system of one size that its run belongs to.
#[derive(Debug, Default)]
pub struct ForEvery {
    /// The answers.
    pub outcome: Outcome,
    /// The systems of one size.
    pub files: Vec<Option<Arc<ProgramFile>>>,
}

/// The message for a size that is not said where one is needed.
pub(super) fn unsized_error(constant: &AtLeast) -> Diagnostic {
    let (name, least) = (&constant.name, constant.least);
    Diagnostic::error("E0352", format!("`{name}` is any number from {least} on, and one is needed here"))
        .at(constant.span, "left open")
        .help(format!("give it a value: `-D {name}={least}`; `check` looks at every value"))
}

/// Values for constants from the command line.
///
/// # Errors
/// If one is no number.
pub(super) fn sizes(defines: &[(String, String)]) -> Result<BTreeMap<String, i64>, Failure> {
    let number = |(name, value): &(String, String)| match value.parse() {
        Ok(value) => Ok((name.clone(), value)),
        Err(_) => Err(Diagnostic::error("E0331", format!("`-D {name}={value}`: the value is no number"))
            .help("in guarded commands `-D N=3` gives a value to `const N >= 1`")
            .into()),
    };
    defines.iter().map(number).collect()
}

/// Whether the values fit the constants that are left open.
pub(super) fn fit(sizes: &BTreeMap<String, i64>, open: &[AtLeast]) -> Result<(), Failure> {
    for (name, &value) in sizes {
        let Some(constant) = open.iter().find(|constant| constant.name == *name) else {
            return Err(Diagnostic::error("E0331", format!("no constant `{name}` is left open"))
                .help("`-D N=3` gives a value to `const N >= 1`; other constants have theirs in the text")
                .into());
        };
        if value < constant.least {
            let message = format!("`{name}` is at least {}, not {value}", constant.least);
            return Err(Diagnostic::error("E0331", message).into());
        }
    }
    Ok(())
}

/// Answers all questions for every size; `rounds` are the refinements of the abstraction.
///
/// # Errors
/// If an engine cannot do what was asked, or two parts of this program disagree.
pub fn check(
    file: &ProgramFile,
    asked: &[Question],
    options: &CheckOptions,
    (abstraction, rounds): (&AbstractionOptions, u32),
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<ForEvery, Failure> {
    let Some(open) = &file.open else { return Ok(ForEvery::default()) };
    let [constant] = open.constants.as_slice() else {
        return Err(Failure::Input(vec![Located::within(two_open(&open.constants), &file.source)]));
    };
    // What other properties say may be needed, even if nobody asks for it now.
    let lemmas = every::lemmas(&file.source.text, &open.additions);
    let known = |name: &String| asked.iter().any(|question| name_of(question) == name);
    let hidden = lemmas.iter().filter(|name| !known(name)).filter_map(|name| asked_of(file, name));
    let all: Vec<Question> = asked.iter().cloned().chain(hidden).collect();
    let wanted = asked.len();
    let asked = all.as_slice();
    let mut work = Work {
        file,
        open,
        constant,
        asked,
        wanted,
        lemmas,
        options,
        abstraction,
        rounds,
        budget,
        observer,
        answers: asked.iter().map(blank).collect(),
        files: vec![None; asked.len()],
        held: vec![Vec::new(); asked.len()],
        suggested: Vec::new(),
    };
    match work.decide() {
        Err(Failure::Stopped(stopped)) => work.stop(stopped.0),
        done => done?,
    }
    work.tell();
    let (mut answers, mut files) = (work.answers, work.files);
    answers.truncate(wanted);
    files.truncate(wanted);
    Ok(ForEvery { outcome: Outcome { answers, ..Outcome::default() }, files })
}

fn two_open(constants: &[AtLeast]) -> Diagnostic {
    let names: Vec<String> = constants.iter().map(|constant| format!("`{}`", constant.name)).collect();
    let mut error = Diagnostic::error("E0352", format!("{} are left open, and only one can be", names.join(" and ")));
    if let Some(last) = constants.last() {
        error =
            error.at(last.span, "left open, too").help(format!("give it a value: `-D {}={}`", last.name, last.least));
    }
    error
}

fn name_of(question: &Question) -> &str {
    match question {
        Question::Property(asked) => &asked.name,
        Question::Never(mistake) => mistake.name(),
        Question::Watched(watched) => &watched.name,
    }
}

struct Work<'a> {
    file: &'a ProgramFile,
    open: &'a Open,
    constant: &'a AtLeast,
    asked: &'a [Question],
    /// How many of these the user asks; the others may help.
    wanted: usize,
    /// The names of properties that may be taken to hold of members that are counted, if all of them are shown.
    lemmas: Vec<String>,
    options: &'a CheckOptions,
    abstraction: &'a AbstractionOptions,
    rounds: u32,
    budget: &'a Budget,
    observer: &'a dyn Observer,
    answers: Vec<ProgramAnswer>,
    files: Vec<Option<Arc<ProgramFile>>>,
    /// Sizes for which each is known to hold.
    held: Vec<Vec<i64>>,
    /// Sizes worth running.
    suggested: Vec<i64>,
}

impl Work<'_> {
    fn decide(&mut self) -> Result<(), Failure> {
        let least = self.constant.least;
        for size in least..least + FIRST_SIZES {
            self.run(size, FIRST_STATES)?;
        }
        for at in self.unanswered() {
            let start = Instant::now();
            self.show(at, &[])?;
            self.answers[at].elapsed += start.elapsed();
        }
        self.together()?;
        if self.unanswered().iter().all(|&at| at >= self.wanted) {
            return Ok(());
        }
        let mut more: Vec<i64> = (least + FIRST_SIZES..least + FIRST_SIZES + MORE_SIZES).collect();
        more.extend(self.suggested.iter().filter(|&&size| size > least && size <= least + FARTHEST));
        more.sort_unstable();
        more.dedup();
        for size in more {
            self.run(size, MORE_STATES)?;
        }
        Ok(())
    }

    fn unanswered(&self) -> Vec<usize> {
        (0..self.answers.len()).filter(|&at| self.answers[at].value == Belnap::Unknown).collect()
    }

    /// Shows properties together, and with them what is still open.
    fn together(&mut self) -> Result<(), Failure> {
        let needed = |at: &usize| *at < self.wanted && !matches!(self.asked[*at], Question::Never(Mistake::Deadlock));
        let open: Vec<usize> = self.unanswered().into_iter().filter(needed).collect();
        let position = |name: &String| self.asked.iter().position(|question| name_of(question) == name);
        let mut helping: Vec<usize> = self.lemmas.iter().filter_map(position).collect();
        helping.retain(|&at| self.answers[at].value != Belnap::False);
        if open.is_empty() || helping.is_empty() {
            return Ok(());
        }
        let before = self.answers.clone();
        loop {
            let names: Vec<String> = helping.iter().map(|&at| name_of(&self.asked[at]).to_owned()).collect();
            let mut shown = Vec::new();
            for &at in &helping {
                if self.answers[at].value != Belnap::True {
                    self.show(at, &names)?;
                }
                shown.extend((self.answers[at].value == Belnap::True).then_some(at));
            }
            if shown.len() == helping.len() {
                break;
            }
            // What was shown rests on something that was not.
            self.answers.clone_from(&before);
            helping = shown;
            if helping.is_empty() {
                return Ok(());
            }
        }
        let names: Vec<String> = helping.iter().map(|&at| name_of(&self.asked[at]).to_owned()).collect();
        for at in open {
            if self.answers[at].value == Belnap::Unknown {
                self.show(at, &names)?;
            }
        }
        Ok(())
    }

    /// The system of one size; none if there is no such system.
    fn system(&self, size: i64) -> Result<Option<ProgramFile>, Failure> {
        let sizes = BTreeMap::from([(self.constant.name.clone(), size)]);
        let extras = Extras { sizes, every: false, ..self.open.extras.clone() };
        let text = self.file.source.text.clone();
        match super::from_text_with(&self.file.file, text, &self.open.given, self.open.logic, &extras) {
            Ok(file) => Ok(Some(file)),
            Err(Failure::Input(_)) if size > self.constant.least => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Runs the system of one size, for what is not answered yet.
    fn run(&mut self, size: i64, most: usize) -> Result<(), Failure> {
        let open: Vec<usize> = self.unanswered().into_iter().filter(|&at| !self.held[at].contains(&size)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let name = &self.constant.name;
        self.observer.phase(&format!("running it for {name} = {size}"));
        let Some(system) = self.system(size)? else { return Ok(()) };
        let found: Vec<(usize, Question)> =
            open.into_iter().filter_map(|at| Some((at, asked_of(&system, name_of(&self.asked[at]))?))).collect();
        let wanted: Vec<Question> = found.iter().map(|(_, question)| question.clone()).collect();
        let most = self.options.max_states.map_or(most, |wanted| wanted.min(most));
        let options = CheckOptions { max_states: Some(most), look_for_idle: false, ..self.options.clone() };
        let outcome = super::check(&system, &wanted, &options, self.budget, self.observer)?;
        let system = Arc::new(system);
        for ((at, _), answer) in found.into_iter().zip(outcome.answers) {
            match answer.value {
                Belnap::True => self.held[at].push(size),
                Belnap::False => {
                    let elapsed = self.answers[at].elapsed + answer.elapsed;
                    self.answers[at] = ProgramAnswer { elapsed, ..answer };
                    self.answers[at].choice = Some(format!("by running it for {name} = {size}"));
                    self.answers[at].sizes = Some(self.sizes(Some(size)));
                    self.files[at] = Some(Arc::clone(&system));
                }
                _ => {}
            }
        }
        self.budget.check().map_err(Failure::from)
    }

    fn sizes(&self, value: Option<i64>) -> Sizes {
        Sizes { constant: self.constant.name.clone(), least: self.constant.least, value, held: Vec::new() }
    }

    /// Asks for all sizes at once; members that are counted keep to `lemmas`.
    fn show(&mut self, at: usize, lemmas: &[String]) -> Result<(), Failure> {
        self.answers[at].reasons.clear();
        let question = &self.asked[at];
        let purpose = match question {
            Question::Property(asked) => {
                let universal = asked.formula.logic() == Logic::Ltl || (asked.invariant.is_some() && !asked.exists);
                if !universal {
                    self.answers[at].reasons.push(not_universal());
                    return Ok(());
                }
                Purpose::Property(&asked.name)
            }
            Question::Never(Mistake::Deadlock) => Purpose::Steps,
            Question::Never(_) => Purpose::Faults,
            Question::Watched(_) => return Ok(()),
        };
        let made = every::compile(&self.file.source.text, &self.open.additions, purpose, lemmas);
        let every = match made {
            Ok(every) => every,
            Err(why) => {
                self.answers[at].reasons.push(refused(&why));
                return Ok(());
            }
        };
        let unfit = match question {
            Question::Never(Mistake::Deadlock) => !every.exact,
            Question::Never(Mistake::RangeOverflow) => every.widened,
            _ => false,
        };
        if unfit {
            self.answers[at].reasons.push(too_wide());
            return Ok(());
        }
        self.observer.phase(&format!("{}: for every {}", name_of(question), self.constant.name));
        self.ask(at, every, lemmas)
    }

    fn ask(&mut self, at: usize, every: Every, lemmas: &[String]) -> Result<(), Failure> {
        let name = name_of(&self.asked[at]).to_owned();
        let members: Vec<(String, usize)> = every.families.clone();
        let file = self.stand_in(&name, every);
        let Some(question) = asked_of(&file, &name) else {
            self.answers[at].reasons.push(too_wide());
            return Ok(());
        };
        let half = self.budget.halved();
        let asked = std::slice::from_ref(&question);
        let found = refined::check(&file, asked, self.options, self.abstraction, self.rounds, &half, self.observer);
        let mut answer = match found {
            Err(Failure::Input(why)) => {
                let why = why.first().map(|located| refused(&located.diagnostic));
                self.answers[at].reasons.extend(why);
                return Ok(());
            }
            found => match found?.answers.pop() {
                Some(answer) => answer,
                None => return Ok(()),
            },
        };
        // What the answer rests on is about another program than the user's.
        (answer.basis, answer.looked) = (None, None);
        self.suggested.extend(suggested(&file, &answer, &self.constant.name));
        match answer.value {
            Belnap::True if self.fewer_hold(at, &members)? => {
                answer.choice = Some(self.told_choice(&members, &name, lemmas));
                answer.sizes = Some(self.sizes(None));
            }
            Belnap::True => {
                answer.value = Belnap::Unknown;
                answer.reasons.push(small_open());
            }
            _ => {
                answer.value = Belnap::Unknown;
                (answer.run, answer.repeats) = (None, None);
                if answer.reasons.is_empty() && answer.stopped.is_none() {
                    answer.reasons.push(broken_by_all());
                }
            }
        }
        answer.elapsed += self.answers[at].elapsed;
        self.answers[at] = answer;
        Ok(())
    }

    /// The program for every size as a file.
    fn stand_in(&self, name: &str, every: Every) -> ProgramFile {
        let given: Vec<String> = self.file.given.iter().filter(|known| *known == name).cloned().collect();
        ProgramFile {
            file: self.file.file.clone(),
            source: Arc::clone(&self.file.source),
            given_predicates: self.file.given_predicates.min(every.program.predicates.len()),
            program: every.program,
            warnings: Vec::new(),
            language: self.file.language,
            sources: None,
            accepts: false,
            defines: Vec::new(),
            unnamed: self.file.unnamed.clone(),
            given,
            open: None,
            sizes: BTreeMap::new(),
        }
    }

    /// Whether it holds for the sizes that have fewer members than the question names.
    fn fewer_hold(&mut self, at: usize, members: &[(String, usize)]) -> Result<bool, Failure> {
        let mut size = self.constant.least;
        loop {
            let Some(system) = self.system(size)? else { return Ok(false) };
            let count = |family: &str| {
                let begins = format!("{family}[");
                system.program.processes.iter().filter(|process| process.name.starts_with(&begins)).count()
            };
            if members.iter().all(|(family, wanted)| count(family) >= *wanted) {
                return Ok(true);
            }
            if !self.held[at].contains(&size) {
                self.run(size, MORE_STATES)?;
            }
            if !self.held[at].contains(&size) {
                return Ok(false);
            }
            size += 1;
        }
    }

    fn told_choice(&self, members: &[(String, usize)], asked: &str, lemmas: &[String]) -> String {
        let own: Vec<String> = members
            .iter()
            .map(|(family, count)| match count {
                0 => format!("the members of `{family}` are counted by place"),
                1 => format!("one member of `{family}` is looked at, the others are counted by place"),
                _ => format!("{count} members of `{family}` are looked at, the others are counted by place"),
            })
            .collect();
        let others: Vec<String> = lemmas.iter().filter(|name| *name != asked).map(|name| format!("`{name}`")).collect();
        let with =
            if others.is_empty() { String::new() } else { format!("; shown together with {}", others.join(", ")) };
        format!("for every {} >= {}: {}{with}", self.constant.name, self.constant.least, own.join(", "))
    }

    fn stop(&mut self, stopped: StopReason) {
        for at in self.unanswered() {
            self.answers[at].stopped = Some(stopped);
        }
    }

    /// Says of what is open for which sizes it is known.
    fn tell(&mut self) {
        for at in self.unanswered() {
            let mut held = self.held[at].clone();
            held.sort_unstable();
            let shown: Vec<String> = held.iter().map(i64::to_string).collect();
            if !shown.is_empty() {
                let line = format!("it holds for {} = {}", self.constant.name, shown.join(", "));
                self.answers[at].established.insert(0, line);
            }
            self.answers[at].sizes = Some(Sizes { held, ..self.sizes(None) });
        }
    }
}

/// The question with this name to a program; none if it cannot be asked there.
fn asked_of(file: &ProgramFile, name: &str) -> Option<Question> {
    let found = questions(file, &[name.to_owned()], false).ok()?;
    found.into_iter().find(|question| name_of(question) == name)
}

/// The size at which the run that an answer tells begins.
fn suggested(file: &ProgramFile, answer: &ProgramAnswer, constant: &str) -> Option<i64> {
    let first = answer.run.as_ref()?.states().next()?;
    let var = file.program.variable_ids().find(|&var| file.program.variable(var).name == constant)?;
    let slot = Layout::of(&file.program).fixed_slot(&file.program, var)?;
    first.slots.get(slot).copied()
}

fn reason(what: impl Into<String>, help: &str) -> Reason {
    Reason { what: what.into(), about: None, span: None, help: help.to_owned() }
}

fn refused(why: &Diagnostic) -> Reason {
    let span = why.primary.as_ref().map(|label| label.span);
    let what = format!("not told for every size: {}", why.message);
    let help = why.primary.as_ref().map_or_else(String::new, |label| label.text.clone());
    Reason { what, about: None, span, help }
}

fn not_universal() -> Reason {
    reason(
        "for every size only what all runs must satisfy is looked at: linear properties, and conditions on all states",
        "ask for one size with `-D`, or write the property in ltl",
    )
}

fn too_wide() -> Reason {
    reason(
        "the members that are counted may do more here than they can: their numbers or large variables are not remembered",
        "ask for one size with `-D`",
    )
}

fn small_open() -> Reason {
    reason("for sizes with fewer members than it names it is open", "ask for these sizes with `-D`")
}

fn broken_by_all() -> Reason {
    reason(
        "one program that can do whatever any of the systems can do breaks it, but no system that was run does",
        "ask for a larger size with `-D`, or say in another property `forall i in P : G …` what keeps the others away",
    )
}

//! Parameterised systems: what holds of a system of every size?
//!
//! A file with `const N >= 2` is many systems. Small sizes are run first: a property that one of them breaks is false, and the answer
//! names the size. What none breaks is asked of one program that can do whatever a system of any size can do
//! ([`tertium_gcl::parameterised`]); what holds of all its runs holds for every size that has the members which the question names, and
//! sizes that have fewer are run. Then a few more sizes are run, and one that the abstraction suggests. What stays open says for which sizes it
//! is known.
//!
//! Where that leaves something open, the properties that say what holds in every state are shown together: each may take the others to hold of the members that are only
//! counted, and those that cannot be shown in this way are left out until the rest can.
//!
//! Only what all runs must satisfy can be shown in this way: linear properties, conditions on all states, mistakes. That some process can
//! always step is shown only if the program can do nothing that no system can do.

mod reasons;

use std::sync::Arc;
use std::time::Instant;

use tertium_base::{Budget, StopReason};
use tertium_gcl::Addition;
use tertium_gcl::parameterised::{self as families, FamilyProgram};
use tertium_lattice::Belnap;
pub use tertium_load::sizes::{AtLeast, Open};
use tertium_load::sizes::{asked_of, system, two_open};
use tertium_logic::Logic;
use tertium_program::Layout;

use self::reasons::{broken_by_all, not_universal, refused, small_open, too_wide};
use crate::answer::ProgramAnswer;
use crate::counter_abstraction::{self, Unfit};
use crate::limits;
use crate::observer::ProgramObserver;
use crate::options::{CheckOptions, CheckOutcome};
use crate::predicate_abstraction::basis::{Basis, Counted, CountedProof};
use crate::predicate_abstraction::{AbstractionOptions, blank};
use crate::refinement_loop;
use tertium_evidence::Verdict;
use tertium_evidence::observer::Aside;
use tertium_evidence::provenance::{Engine, Provenance, Technique};
use tertium_load::ProgramFile;
use tertium_load::failure::{Failure, Located};
use tertium_load::questions::{Mistake, Question};

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

/// Runs the system of one size, for these questions.
pub type RunOne<'a> = dyn Fn(&ProgramFile, &[Question], &CheckOptions, &Budget, &dyn ProgramObserver) -> Result<CheckOutcome, Failure>
    + 'a;

/// How systems of all sizes are looked at.
pub struct How<'a> {
    /// How the program in which members are counted is abstracted.
    pub abstraction: &'a AbstractionOptions,
    /// The refinements of its abstraction.
    pub rounds: u32,
    /// How a system of one size is run.
    pub run_one: &'a RunOne<'a>,
}

/// Answers all questions for every size.
///
/// # Errors
/// If an engine cannot do what was asked, or two parts of this program disagree.
pub fn check(
    file: &ProgramFile,
    asked: &[Question],
    options: &CheckOptions,
    how: &How<'_>,
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<CheckOutcome, Failure> {
    let Some(open) = &file.open else { return Ok(CheckOutcome::default()) };
    let [constant] = open.constants.as_slice() else {
        return Err(Failure::Input(vec![Located::within(two_open(&open.constants), &file.source)]));
    };
    // What other properties say may be needed, even if nobody asks for it now.
    let lemmas = families::lemmas(&file.source.text, &open.additions);
    let known = |name: &String| asked.iter().any(|question| question.name() == name);
    let hidden = lemmas.iter().filter(|name| !known(name)).filter_map(|name| asked_of(file, name));
    let all: Vec<Question> = asked.iter().cloned().chain(hidden).collect();
    let wanted = asked.len();
    let asked = all.as_slice();
    let open = Some((open, constant));
    let mut work = ParameterisedCheck {
        wanted,
        ..ParameterisedCheck::new(file, open, (asked, lemmas), options, how, budget, observer)
    };
    match work.decide() {
        Err(Failure::Stopped(stopped)) => work.stop(stopped.0),
        done => done?,
    }
    work.tell();
    let mut answers = work.answers;
    answers.truncate(wanted);
    answers.iter().for_each(|answer| answer.tell(observer));
    Ok(CheckOutcome { answers, ..CheckOutcome::default() })
}

struct ParameterisedCheck<'a> {
    file: &'a ProgramFile,
    /// What the text leaves open; none if every family has the size that the text says.
    open: Option<(&'a Open, &'a AtLeast)>,
    additions: Vec<Addition>,
    asked: &'a [Question],
    /// How many of these the user asks; the others may help.
    wanted: usize,
    /// The names of properties that may be taken to hold of members that are counted, if all of them are shown.
    lemmas: Vec<String>,
    options: &'a CheckOptions,
    how: &'a How<'a>,
    budget: &'a Budget,
    observer: &'a dyn ProgramObserver,
    answers: Vec<ProgramAnswer>,
    /// Sizes for which each is known to hold.
    held: Vec<Vec<i64>>,
    /// Sizes worth running.
    suggested: Vec<i64>,
    /// What each answer rests on: the names of properties that it takes to hold, and a proof about the program that was made for it.
    shown: Vec<Option<CountedProof>>,
}

impl<'a> ParameterisedCheck<'a> {
    fn new(
        file: &'a ProgramFile,
        open: Option<(&'a Open, &'a AtLeast)>,
        (asked, lemmas): (&'a [Question], Vec<String>),
        options: &'a CheckOptions,
        how: &'a How<'a>,
        budget: &'a Budget,
        observer: &'a dyn ProgramObserver,
    ) -> Self {
        ParameterisedCheck {
            file,
            open,
            additions: counter_abstraction::additions(file),
            asked,
            wanted: asked.len(),
            lemmas,
            options,
            how,
            budget,
            observer,
            answers: asked.iter().map(blank).collect(),
            held: vec![Vec::new(); asked.len()],
            suggested: Vec::new(),
            shown: vec![None; asked.len()],
        }
    }
}

impl ParameterisedCheck<'_> {
    fn decide(&mut self) -> Result<(), Failure> {
        let Some((_, constant)) = self.open else { return Ok(()) };
        let least = constant.least;
        for size in least..least + limits::PARAMETERISED_FIRST_SIZES {
            self.run(size, limits::PARAMETERISED_FIRST_STATES)?;
        }
        self.count()?;
        if self.unanswered().iter().all(|&at| at >= self.wanted) {
            return Ok(());
        }
        let mut more: Vec<i64> = (least + limits::PARAMETERISED_FIRST_SIZES
            ..least + limits::PARAMETERISED_FIRST_SIZES + limits::PARAMETERISED_MORE_SIZES)
            .collect();
        more.extend(
            self.suggested.iter().filter(|&&size| size > least && size <= least + limits::PARAMETERISED_FARTHEST),
        );
        more.sort_unstable();
        more.dedup();
        for size in more {
            self.run(size, limits::PARAMETERISED_MORE_STATES)?;
        }
        Ok(())
    }

    /// Asks for everything with counted members, one by one and then together.
    fn count(&mut self) -> Result<(), Failure> {
        for at in self.unanswered() {
            let start = Instant::now();
            self.show(at, &[])?;
            self.answers[at].cost.elapsed += start.elapsed();
        }
        self.together()
    }

    fn unanswered(&self) -> Vec<usize> {
        (0..self.answers.len()).filter(|&at| self.answers[at].value() == Belnap::Unknown).collect()
    }

    /// Shows properties together, and with them what is still open.
    fn together(&mut self) -> Result<(), Failure> {
        let is_deadlock = |one: &Question| matches!(one, Question::Never(never) if never.mistake == Mistake::Deadlock);
        let needed = |at: &usize| *at < self.wanted && !is_deadlock(&self.asked[*at]);
        let open: Vec<usize> = self.unanswered().into_iter().filter(needed).collect();
        let position = |name: &String| self.asked.iter().position(|question| question.name() == name);
        let mut helping: Vec<usize> = self.lemmas.iter().filter_map(position).collect();
        helping.retain(|&at| self.answers[at].value() != Belnap::False);
        if open.is_empty() || helping.is_empty() {
            return Ok(());
        }
        let before = self.answers.clone();
        loop {
            let names: Vec<String> = helping.iter().map(|&at| self.asked[at].name().to_owned()).collect();
            let mut shown = Vec::new();
            for &at in &helping {
                if self.answers[at].value() != Belnap::True {
                    self.show(at, &names)?;
                }
                shown.extend((self.answers[at].value() == Belnap::True).then_some(at));
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
        let names: Vec<String> = helping.iter().map(|&at| self.asked[at].name().to_owned()).collect();
        for at in open {
            if self.answers[at].value() == Belnap::Unknown {
                self.show(at, &names)?;
            }
        }
        Ok(())
    }

    /// The system of one size; none if there is no such system.
    fn system(&self, size: i64) -> Result<Option<ProgramFile>, Failure> {
        let Some((open, constant)) = self.open else { return Ok(None) };
        system(self.file, open, constant, size)
    }

    /// Runs the system of one size, for what is not answered yet.
    fn run(&mut self, size: i64, most: usize) -> Result<(), Failure> {
        let open: Vec<usize> = self.unanswered().into_iter().filter(|&at| !self.held[at].contains(&size)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let Some((_, AtLeast { name, .. })) = self.open else { return Ok(()) };
        self.observer.phase(&format!("running it for {name} = {size}"));
        let Some(system) = self.system(size)? else { return Ok(()) };
        let found: Vec<(usize, Question)> =
            open.into_iter().filter_map(|at| Some((at, asked_of(&system, self.asked[at].name())?))).collect();
        let wanted: Vec<Question> = found.iter().map(|(_, question)| question.clone()).collect();
        let most = self.options.max_states.map_or(most, |wanted| wanted.min(most));
        let options = CheckOptions { max_states: Some(most), look_for_idle: false, ..self.options.clone() };
        let outcome = (self.how.run_one)(&system, &wanted, &options, self.budget, &Aside(self.observer))?;
        let system = Arc::new(system);
        for ((at, _), answer) in found.into_iter().zip(outcome.answers) {
            match answer.value() {
                Belnap::True => self.held[at].push(size),
                Belnap::False => {
                    let mut answer = answer;
                    answer.cost.elapsed += self.answers[at].cost.elapsed;
                    answer.choice = Some(format!("by {} for {name} = {size}", answer.provenance.phrase()));
                    answer.sizes = self.sizes(Some(size));
                    answer.show(|evidence| evidence.system = Some(Arc::clone(&system)));
                    self.answers[at] = answer;
                }
                _ => {}
            }
        }
        self.budget.check().map_err(Failure::from)
    }

    fn sizes(&self, value: Option<i64>) -> Option<Sizes> {
        let (_, AtLeast { name, least, .. }) = self.open?;
        Some(Sizes { constant: name.clone(), least: *least, value, held: Vec::new() })
    }

    /// Asks for all sizes at once; members that are counted keep to `lemmas`.
    fn show(&mut self, at: usize, lemmas: &[String]) -> Result<(), Failure> {
        self.answers[at].verdict = Verdict::default();
        let question = &self.asked[at];
        if let Question::Property(asked) = question
            && asked.formula.logic() != Logic::Ltl
            && (asked.invariant.is_none() || asked.exists)
        {
            self.answers[at].verdict.leave_open(not_universal(&asked.formula));
            return Ok(());
        }
        let sizes = self.open.is_none().then_some(&self.file.sizes);
        let every = match counter_abstraction::compile(&self.file.source.text, sizes, &self.additions, question, lemmas)
        {
            Ok(every) => every,
            Err(Unfit::Refused(why)) => {
                self.answers[at].verdict.leave_open(refused(&why));
                return Ok(());
            }
            Err(Unfit::TooWide) => {
                self.answers[at].verdict.leave_open(too_wide());
                return Ok(());
            }
        };
        let what = self.open.map_or_else(
            || "counting members by place".to_owned(),
            |(_, constant)| format!("for every {}", constant.name),
        );
        self.observer.phase(&format!("{}: {what}", question.name()));
        self.ask(at, every, lemmas)
    }

    fn ask(&mut self, at: usize, every: FamilyProgram, lemmas: &[String]) -> Result<(), Failure> {
        let name = self.asked[at].name().to_owned();
        let members: Vec<(String, usize)> = every.families.clone();
        let file = counter_abstraction::stand_in(self.file, &name, every.program);
        let Some(question) = asked_of(&file, &name) else {
            self.answers[at].verdict.leave_open(too_wide());
            return Ok(());
        };
        let half = self.budget.halved();
        let asked = std::slice::from_ref(&question);
        let aside = Aside(self.observer);
        let found =
            refinement_loop::check(&file, asked, self.options, self.how.abstraction, self.how.rounds, &half, &aside);
        let mut answer = match found {
            Err(Failure::Input(why)) => {
                let why = why.first().map(|located| refused(&located.diagnostic));
                why.into_iter().for_each(|why| self.answers[at].verdict.leave_open(why));
                return Ok(());
            }
            found => match found?.answers.pop() {
                Some(answer) => answer,
                None => return Ok(()),
            },
        };
        // What the answer rests on is about another program than the user's.
        let basis = answer.verdict.evidence_mut().and_then(|evidence| evidence.basis.take());
        answer.round_history = None;
        if let Some((_, constant)) = self.open {
            self.suggested.extend(suggested(&file, &answer, &constant.name));
        }
        match answer.value() {
            Belnap::True if self.fewer_hold(at, &members)? => {
                answer.provenance = Provenance::new(Engine::Parameterised, Technique::CounterAbstraction);
                answer.choice = Some(self.told_choice(&members, &name, lemmas));
                answer.sizes = self.sizes(None);
                self.shown[at] = Some(CountedProof { name, lemmas: lemmas.to_vec(), basis });
            }
            Belnap::True => {
                answer.verdict.withdraw(small_open());
            }
            _ => {
                answer.verdict.settle(Belnap::Unknown);
                if answer.reasons().is_empty() && answer.stopped().is_none() {
                    answer.verdict.leave_open(broken_by_all());
                }
            }
        }
        answer.cost.elapsed += self.answers[at].cost.elapsed;
        self.answers[at] = answer;
        Ok(())
    }

    /// Whether it holds for the sizes that have fewer members than the question names.
    fn fewer_hold(&mut self, at: usize, members: &[(String, usize)]) -> Result<bool, Failure> {
        let Some((_, constant)) = self.open else { return Ok(counter_abstraction::has_members(self.file, members)) };
        let mut size = constant.least;
        loop {
            let Some(system) = self.system(size)? else { return Ok(false) };
            if counter_abstraction::has_members(&system, members) {
                return Ok(true);
            }
            if !self.held[at].contains(&size) {
                self.run(size, limits::PARAMETERISED_MORE_STATES)?;
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
        let (own, whom) = (own.join(", "), self.open.map(|(_, constant)| (&constant.name, constant.least)));
        let all = whom.map_or_else(String::new, |(name, least)| format!(" for every {name} >= {least}"));
        format!("by {}{all} ({own}{with})", Technique::CounterAbstraction.phrase())
    }

    fn stop(&mut self, stopped: StopReason) {
        for at in self.unanswered() {
            self.answers[at].verdict.stop(stopped);
        }
    }

    /// Says what answers rest on, and of what is open for which sizes it is known.
    fn tell(&mut self) {
        for at in 0..self.answers.len() {
            if self.answers[at].value() == Belnap::True {
                let basis = self.rests_on(at).map(|counted| Arc::new(Basis::Counted(counted)));
                self.answers[at].show(|evidence| evidence.basis = basis);
            }
        }
        let Some((_, constant)) = self.open else { return };
        for at in self.unanswered() {
            let mut held = self.held[at].clone();
            held.sort_unstable();
            let shown: Vec<String> = held.iter().map(i64::to_string).collect();
            if !shown.is_empty() {
                let line = format!("it holds for {} = {}", constant.name, shown.join(", "));
                self.answers[at].established.insert(0, line);
            }
            self.answers[at].sizes = self.sizes(None).map(|sizes| Sizes { held, ..sizes });
        }
    }

    /// What was shown, and whatever it takes to hold, that first.
    fn rests_on(&self, at: usize) -> Option<Counted> {
        let mut shown = vec![self.shown[at].clone()?];
        let mut next = 0;
        while let Some(one) = shown.get(next) {
            for name in one.lemmas.clone() {
                if shown.iter().all(|known| known.name != name) {
                    shown.push(self.shown.iter().flatten().find(|known| known.name == name)?.clone());
                }
            }
            next += 1;
        }
        Some(Counted { constant: self.open.map(|(_, constant)| constant.name.clone()), shown })
    }
}

/// What counting members says about questions to a program whose families have one size each; none for what it leaves open. Properties
/// with names in `broken` are known to be false, and cannot help.
///
/// # Errors
/// If an engine cannot do what was asked, or two parts of this program disagree.
pub fn count(
    file: &ProgramFile,
    (asked, broken): (&[Question], &[String]),
    options: &CheckOptions,
    how: &How<'_>,
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<Vec<Option<ProgramAnswer>>, Failure> {
    if file.language != tertium_load::program::Language::Gcl || file.open.is_some() {
        return Ok(vec![None; asked.len()]);
    }
    let mut lemmas = families::lemmas(&file.source.text, &counter_abstraction::additions(file));
    lemmas.retain(|name| !broken.contains(name));
    let known = |name: &String| asked.iter().any(|question| question.name() == name);
    let hidden = lemmas.iter().filter(|name| !known(name)).filter_map(|name| asked_of(file, name));
    let all: Vec<Question> = asked.iter().cloned().chain(hidden).collect();
    let mut work = ParameterisedCheck {
        wanted: asked.len(),
        ..ParameterisedCheck::new(file, None, (&all, lemmas), options, how, budget, observer)
    };
    match work.count() {
        Err(Failure::Stopped(_)) => {}
        done => done?,
    }
    work.tell();
    let settled = |answer: ProgramAnswer| (answer.value() == Belnap::True).then_some(answer);
    work.answers.iter().take(asked.len()).filter(|answer| answer.value() == Belnap::True).for_each(|answer| {
        answer.tell(observer);
    });
    Ok(work.answers.into_iter().take(asked.len()).map(settled).collect())
}

/// The size at which the run that an answer tells begins.
fn suggested(file: &ProgramFile, answer: &ProgramAnswer, constant: &str) -> Option<i64> {
    let first = answer.run()?.states().next()?;
    let var = file.program.variable_ids().find(|&var| file.program.variable(var).name == constant)?;
    let slot = Layout::of(&file.program).fixed_slot(&file.program, var)?;
    first.slots.get(slot).copied()
}

//! Does a proof over abstract states hold of a program?
//!
//! The obligations are written anew from the program's text by `tertium_evidence`, which shares nothing with the engines; here a
//! solver is asked about each. Z3 by default; any other SMT-LIB solver if the user names one.

use tertium_base::{Budget, Diagnostic};
use tertium_evidence::InvariantPart;
use tertium_evidence::Place;
use tertium_evidence::abstraction::{Expected, Goal, Grounds, NoTerm, Obligation, Wrong, of_every_state};
use tertium_lattice::Belnap;
use tertium_smt::{Limit, Reply, Scripts};

use super::ProgramFile;
use super::questions::{Asked, Mistake, Question, questions};
use crate::failure::Failure;

/// One obligation may cost this much of the solver's own work.
const MOST_WORK: u32 = 400_000_000;

/// Who decides obligations.
#[derive(Clone, Debug, Default)]
pub struct Decider {
    /// The command of an SMT-LIB solver, as words; none: Z3.
    pub command: Option<Vec<String>>,
}

impl Decider {
    /// What asks the solver.
    pub(super) fn scripts(&self) -> Result<Scripts, Failure> {
        let limit =
            Limit { work: Some(MOST_WORK), time: self.command.as_ref().map(|_| std::time::Duration::from_secs(60)) };
        match &self.command {
            None => Scripts::z3(limit).map_err(|error| Diagnostic::error("E0327", error.to_string()).into()),
            Some(command) => Scripts::command(command, limit).map_err(|error| {
                Diagnostic::error("E0328", format!("the solver cannot be used: {error}"))
                    .help("`--solver` wants the command of an SMT-LIB 2 solver, for example `cvc5`")
                    .into()
            }),
        }
    }
}

/// What came of asking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every obligation holds.
    Holds,
    /// This one does not, or nobody could tell.
    Fails(String),
}

/// Asks a solver about every obligation.
///
/// # Errors
/// If there is no solver, or a limit is reached.
pub fn decide(obligations: &[Obligation], decider: &Decider, budget: &Budget) -> Result<Verdict, Failure> {
    let mut scripts = decider.scripts()?;
    for obligation in obligations {
        budget.check()?;
        let reply = scripts.ask(&obligation.script, obligation.assertions);
        let wanted = match obligation.expected {
            Expected::Unsat => Reply::Unsat,
            Expected::Sat => Reply::Sat,
        };
        if reply == wanted {
            continue;
        }
        let (code, how) = match reply {
            Reply::GaveUp => ("E0625", gave_up(&scripts)),
            _ => ("E0624", "this does not hold".to_owned()),
        };
        return Ok(Verdict::Fails(format!("{how}: {} (obligation {}, {code})", obligation.about, obligation.name)));
    }
    Ok(Verdict::Holds)
}

/// Which solver could not tell, and what it said instead.
fn gave_up(scripts: &Scripts) -> String {
    let said = scripts.complaint().map_or(String::new(), |said| {
        let short: String = said.chars().take(200).collect();
        format!(" (it said: {short})")
    });
    format!("{} could not tell whether this holds{said}", scripts.name())
}

/// Where each step of a program stands.
pub(super) fn lines(file: &ProgramFile) -> Vec<String> {
    let place = |step: &tertium_program::Step| {
        let source = file.source_of(step.span);
        let (line, _) = source.line_column(step.span.start);
        format!("line {line}")
    };
    file.program.steps.iter().map(place).collect()
}

/// The property of a file that was loaded with one.
pub(super) fn given(file: &ProgramFile) -> Result<Option<Asked>, Failure> {
    let name = file.given.last().cloned().unwrap_or_default();
    Ok(questions(file, &[], false)?.into_iter().find_map(|question| match question {
        Question::Property(asked) if asked.name == name => Some(*asked),
        _ => None,
    }))
}

/// The obligations of an invariant; why it proves nothing, if it does not fit. `asked` is its property, if it is about one.
pub(super) fn of_invariant(
    file: &ProgramFile,
    invariant: &InvariantPart,
    asked: Option<&Asked>,
) -> Result<Vec<Obligation>, String> {
    let no_term = |NoTerm(why): NoTerm| why;
    let mut grounds = Grounds::new(&file.program, &invariant.over, lines(file)).map_err(no_term)?;
    let goal = match (&invariant.place, asked) {
        (Place::Property { .. }, Some(asked)) => {
            if asked.formula.text() != invariant.formula || asked.formula.logic() != invariant.logic {
                return Err(format!("its formula is not the question's, `{}`", asked.formula.text()));
            }
            let shape = of_every_state(&asked.formula, invariant.value);
            let (root, holds) = shape.ok_or("this value of this formula is not a matter of single states (E0611)")?;
            Goal::Condition { formula: &asked.formula, root, holds, atoms: &asked.atoms }
        }
        (Place::Mistake(name), _) => {
            if invariant.value != Belnap::True {
                return Err("an invariant shows that a mistake does not happen, nothing else (E0610)".to_owned());
            }
            goal_of(Mistake::from_name(name).ok_or_else(|| format!("`{name}` is no mistake that is looked for"))?)?
        }
        _ => return Err("it is about another kind of model".to_owned()),
    };
    let mut obligations = grounds.invariant(&goal).map_err(no_term)?;
    if invariant.value == Belnap::False {
        obligations.extend(grounds.starts().map_err(no_term)?);
    }
    Ok(obligations)
}

fn goal_of(mistake: Mistake) -> Result<Goal<'static>, String> {
    Ok(match mistake {
        Mistake::Assertion => Goal::Wrong(Wrong::Assertion),
        Mistake::ArrayBounds => Goal::Wrong(Wrong::Index),
        Mistake::DivisionByZero => Goal::Wrong(Wrong::Division),
        Mistake::RangeOverflow => Goal::Wrong(Wrong::Range),
        Mistake::Other => Goal::Wrong(Wrong::Other),
        Mistake::Deadlock | Mistake::EndState => Goal::Stuck,
        Mistake::EndlessAtomic => Goal::Endless,
        Mistake::Trace => return Err("where a trace may end is not part of the abstraction".to_owned()),
    })
}

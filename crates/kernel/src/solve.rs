//! Do obligations hold? A solver is asked about each: Z3 by default, any other SMT-LIB solver if the user names one.

use tertium_base::{Budget, Diagnostic};
use tertium_load::Failure;
use tertium_smt::{Limit, Reply, Scripts, SolverError};

use crate::obligations::{Expected, Obligation};

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
    ///
    /// # Errors
    /// If there is none.
    pub fn scripts(&self) -> Result<Scripts, Failure> {
        let limit =
            Limit { work: Some(MOST_WORK), time: self.command.as_ref().map(|_| std::time::Duration::from_secs(60)) };
        match &self.command {
            None => Scripts::z3(limit).map_err(|error| {
                let message = match error {
                    SolverError::Missing(_) => error.diagnostic("E0632"),
                    _ => error.diagnostic("E0630"),
                };
                message.help("or name another SMT-LIB 2 solver: `--solver cvc5`").into()
            }),
            Some(command) => Scripts::command(command, limit).map_err(|error| {
                Diagnostic::error("E0631", format!("the solver cannot be used: {error}"))
                    .help("`--solver` wants the command of an SMT-LIB 2 solver, for example `cvc5`")
                    .into()
            }),
        }
    }
}

/// What came of asking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decided {
    /// Every obligation holds.
    Holds,
    /// This one does not, or nobody could tell.
    Fails(String),
}

/// Asks a solver about every obligation.
///
/// # Errors
/// If there is no solver, or a limit is reached.
pub fn decide(obligations: &[Obligation], decider: &Decider, budget: &Budget) -> Result<Decided, Failure> {
    let mut scripts = decider.scripts()?.within(budget);
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
        if reply == Reply::GaveUp {
            scripts.stopped()?;
        }
        let (code, how) = match reply {
            Reply::GaveUp => ("E0625", gave_up(&scripts)),
            _ => ("E0624", "this does not hold".to_owned()),
        };
        return Ok(Decided::Fails(format!("{how}: {} (obligation {}, {code})", obligation.about, obligation.name)));
    }
    Ok(Decided::Holds)
}

/// Which solver could not tell, and what it said instead.
fn gave_up(scripts: &Scripts) -> String {
    let said = scripts.complaint().map_or(String::new(), |said| {
        let short: String = said.chars().take(200).collect();
        format!(" (it said: {short})")
    });
    format!("{} could not tell whether this holds{said}", scripts.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A solver that says this to every question.
    fn always(reply: &str) -> Decider {
        let script = format!(
            "while read line; do case \"$line\" in *'assert false'*) wrong=1;; *check-sat*) \
             if [ \"$wrong\" ]; then wrong=; echo unsat; else echo {reply}; fi;; \
             *echo*) echo \"$line\" | sed 's/.*\"\\(.*\\)\".*/\\1/';; esac; done"
        );
        Decider { command: Some(["sh", "-c", &script].map(str::to_owned).to_vec()) }
    }

    fn obligation(expected: Expected) -> Obligation {
        let script = "(declare-fun x () Int)\n(assert (< x 0))\n(check-sat)\n".to_owned();
        Obligation { name: "step 1".to_owned(), about: "a step".to_owned(), script, assertions: 1, expected }
    }

    #[test]
    fn only_the_reply_that_is_needed_proves_something() {
        for expected in [Expected::Unsat, Expected::Sat] {
            for reply in ["unsat", "sat", "unknown", "timeout"] {
                let decided = decide(&[obligation(expected)], &always(reply), &Budget::unlimited());
                let decided = decided.unwrap_or_else(|failure| panic!("{failure:?}"));
                assert_eq!(decided == Decided::Holds, reply == expected.word(), "{reply}: {decided:?}");
            }
        }
    }
}

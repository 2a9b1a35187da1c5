//! What does a solver answer to a script in SMT-LIB, as it stands?
//!
//! For questions that somebody else wrote, and that must be asked word for word: no term of this crate, no simplifier and no cache
//! is involved. Either Z3 in process, or any SMT-LIB 2 program.

use tertium_base::{Budget, StopReason, Stopped, panics};
use z3::ast::Bool;
use z3::{Params, SatResult};

use crate::library::{self, Call};
use crate::loading;
use crate::process::Process;
use crate::solver::{Limit, Reply, Solver, SolverError};

/// Whoever answers.
#[derive(Debug)]
enum Who {
    Z3(z3::Solver),
    Process(Box<Process>),
}

/// Answers scripts, one after the other.
#[derive(Debug)]
pub struct Scripts {
    who: Who,
    limit: Limit,
    budget: Budget,
    out_of_memory: bool,
    asked: usize,
}

impl Scripts {
    /// Z3 in process.
    ///
    /// # Errors
    /// If there is no library, or one of another version than the bindings.
    pub fn z3(limit: Limit) -> Result<Self, SolverError> {
        loading::load()?;
        let solver = panics::quietly(z3::Solver::new).ok_or(SolverError::Memory)?;
        Ok(Self::of(Who::Z3(solver), limit))
    }

    /// The solver behind a command, given as words.
    ///
    /// # Errors
    /// If it cannot be started or does not answer.
    pub fn command(command: &[String], limit: Limit) -> Result<Self, SolverError> {
        let mut process = Process::new(command)?;
        process.limit(limit);
        Ok(Self::of(Who::Process(Box::new(process)), limit))
    }

    fn of(who: Who, limit: Limit) -> Self {
        Self { who, limit, budget: Budget::unlimited(), out_of_memory: false, asked: 0 }
    }

    /// The same; every script ends with the budget, too.
    #[must_use]
    pub fn within(mut self, budget: &Budget) -> Self {
        self.budget = budget.clone();
        if let Who::Process(process) = &mut self.who {
            process.budget(budget);
        }
        self
    }

    /// Whether the last script has no answer since a limit of the budget was reached.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn stopped(&self) -> Result<(), Stopped> {
        if let Who::Process(process) = &self.who {
            return process.stopped();
        }
        self.budget.check()?;
        if self.out_of_memory || library::is_spent() { Err(Stopped(StopReason::Memory)) } else { Ok(()) }
    }

    /// The solver's name.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.who {
            Who::Z3(_) => format!("Z3 {}", loading::version()),
            Who::Process(process) => process.name(),
        }
    }

    /// What a solver of its own process said instead of an answer to the last script.
    #[must_use]
    pub fn complaint(&self) -> Option<&str> {
        match &self.who {
            Who::Z3(_) => None,
            Who::Process(process) => process.complaint(),
        }
    }

    /// How many scripts were answered.
    #[must_use]
    pub const fn asked(&self) -> usize {
        self.asked
    }

    /// Tells the library what the next script may use.
    fn limit(&self, solver: &z3::Solver) {
        library::limit_memory(&self.budget);
        let limit = self.limit.within(&self.budget);
        let mut params = Params::new();
        params.set_u32("rlimit", limit.work.unwrap_or(0));
        let millis = limit.time.map_or(u32::MAX, |time| u32::try_from(time.as_millis() + 1).unwrap_or(u32::MAX));
        params.set_u32("timeout", millis);
        solver.set_params(&params);
    }

    /// Whatever Z3 says within the limits; none if it fails. The solver is then a new one.
    fn ask_library<T>(&mut self, ask: impl FnOnce(&z3::Solver) -> (T, Option<String>)) -> Option<T> {
        let Who::Z3(solver) = &self.who else { return None };
        if library::is_spent() || self.budget.check().is_err() {
            return None;
        }
        let said = panics::quietly(|| {
            let _call = Call::begin(&self.budget);
            self.limit(solver);
            let said = ask(solver);
            (!library::failed()).then_some(said)
        });
        if let Some((said, why)) = said.flatten() {
            self.out_of_memory = why.is_some_and(|why| why.contains("memout") || why.contains("memory"));
            return Some(said);
        }
        library::failed();
        if let Some(solver) = panics::quietly(z3::Solver::new) {
            self.who = Who::Z3(solver);
        }
        None
    }

    /// The answer to a script with this many assertions. A script that is not understood as a whole has none.
    pub fn ask(&mut self, script: &str, assertions: usize) -> Reply {
        self.asked += 1;
        match &mut self.who {
            Who::Process(process) => process.answer(script),
            Who::Z3(_) => {
                let ask = |solver: &z3::Solver| (ask_z3(solver, script, assertions), solver.get_reason_unknown());
                self.ask_library(ask).unwrap_or(Reply::GaveUp)
            }
        }
    }
}

impl Scripts {
    /// The answers to a script if each of these truth values is assumed to be true, one at a time.
    pub fn ask_each(&mut self, script: &str, assertions: usize, marks: &[String]) -> Vec<Reply> {
        let reply = match &mut self.who {
            Who::Process(_) => None,
            Who::Z3(_) => {
                self.asked += marks.len();
                self.ask_library(|solver| (ask_z3_each(solver, script, assertions, marks), solver.get_reason_unknown()))
            }
        };
        reply.unwrap_or_else(|| {
            let assumed = |mark: &String| script.replace("(check-sat)", &format!("(assert {mark})\n(check-sat)"));
            marks.iter().map(|mark| self.ask(&assumed(mark), assertions + 1)).collect()
        })
    }
}

fn ask_z3_each(solver: &z3::Solver, script: &str, assertions: usize, marks: &[String]) -> Vec<Reply> {
    solver.reset();
    solver.from_string(script);
    if script.contains('\0') || solver.get_assertions().len() != assertions {
        return vec![Reply::GaveUp; marks.len()];
    }
    let ask = |mark: &String| told(solver.check_assumptions(&[Bool::new_const(mark.as_str())]));
    marks.iter().map(ask).collect()
}

fn ask_z3(solver: &z3::Solver, script: &str, assertions: usize) -> Reply {
    if script.contains('\0') {
        return Reply::GaveUp;
    }
    solver.reset();
    solver.from_string(script);
    // Assertions behind a mistake in the script would be missing, and the rest says nothing.
    let reply = if solver.get_assertions().len() == assertions { solver.check() } else { SatResult::Unknown };
    told(reply)
}

const fn told(result: SatResult) -> Reply {
    match result {
        SatResult::Sat => Reply::Sat,
        SatResult::Unsat => Reply::Unsat,
        SatResult::Unknown => Reply::GaveUp,
    }
}

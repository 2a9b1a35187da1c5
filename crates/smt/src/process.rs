//! Any SMT-LIB 2 solver as a process of its own: slower, but a second opinion.
//!
//! The process reads from its standard input. A question that takes too long ends the process; the next one starts it
//! again. It also ends with the budget, and when it takes more memory than is left.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use tertium_base::{Budget, StopReason, Stopped, memory};

use crate::eval::Value;
use crate::smtlib::body;
use crate::solver::{Limit, Reply, Solver, SolverError};
use crate::term::{TermId, Terms};

/// Questions without a limit on time get this one.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// How often the budget is looked at while a solver thinks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// What a solver repeats after an answer.
const MARK: &str = "tertium-end";

#[derive(Debug)]
struct Running {
    child: Child,
    /// What it is to read; a thread writes it, since a solver that does not read would hold up the writer for ever.
    input: Sender<String>,
    lines: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        forget(self.child.id());
        // It may have ended by itself; either way nothing is left of it.
        end_group(self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The solvers that run.
static SOLVERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn forget(solver: u32) {
    SOLVERS.lock().unwrap_or_else(PoisonError::into_inner).retain(|&known| known != solver);
}

/// Ends all solvers that run: for whoever ends this process without returning from what it does.
pub fn end_all() {
    // Whoever holds the lock for long waits for memory; then a solver may stay.
    if let Ok(solvers) = SOLVERS.try_lock() {
        solvers.iter().for_each(|&solver| end_group(solver));
    }
}

#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library ends single processes only")]
mod system {
    unsafe extern "C" {
        pub safe fn kill(process: i32, signal: i32) -> i32;
    }
}

/// Ends a solver with all that it has started: it has a group of its own.
fn end_group(solver: u32) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(solver) {
        const KILL: i32 = 9;
        system::kill(-group, KILL);
    }
}

/// Starts a solver in a group of its own.
fn spawn(program: &str, arguments: &[String]) -> std::io::Result<Child> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn()?;
    SOLVERS.lock().unwrap_or_else(PoisonError::into_inner).push(child.id());
    Ok(child)
}

/// A solver behind a command.
#[derive(Debug)]
pub struct Process {
    command: Vec<String>,
    running: Option<Running>,
    levels: Vec<Vec<TermId>>,
    limit: Limit,
    budget: Budget,
    /// The limit that ended the last question.
    stopped: Option<Stopped>,
    assumed: usize,
    last: Vec<TermId>,
    complaint: Option<String>,
}

impl Process {
    /// For a command such as `cvc5 --incremental` or `z3 -in`, given as words. Known solvers get the options that make
    /// them read standard input.
    ///
    /// # Errors
    /// If the program cannot be started or does not answer a first question.
    pub fn new(command: &[String]) -> Result<Self, SolverError> {
        let mut command = command.to_vec();
        if let [only] = &command[..] {
            let base = only.rsplit('/').next().unwrap_or(only).to_owned();
            match base.as_str() {
                "cvc5" => command.extend(["--incremental", "--produce-models", "-q"].map(str::to_owned)),
                "z3" => command.push("-in".to_owned()),
                _ => {}
            }
        }
        let mut process = Self {
            command,
            running: None,
            levels: vec![Vec::new()],
            limit: Limit::default(),
            budget: Budget::unlimited(),
            stopped: None,
            assumed: 0,
            last: Vec::new(),
            complaint: None,
        };
        let what = match process.ask("(assert false)\n(check-sat)\n") {
            Reply::Unsat => return Ok(process),
            Reply::Sat => "it calls `false` satisfiable".to_owned(),
            Reply::GaveUp => process.complaint.unwrap_or_else(|| "no answer".to_owned()),
        };
        Err(SolverError::Process(format!("`{}` does not work as a solver: {what}", process.command.join(" "))))
    }

    /// What the solver said instead of an answer to the last question, if it said anything.
    #[must_use]
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    fn start(&mut self) -> Option<&mut Running> {
        if self.running.is_none() {
            let (program, arguments) = self.command.split_first()?;
            let mut child = spawn(program, arguments).ok()?;
            let (mut stdin, output) = (child.stdin.take()?, child.stdout.take()?);
            let (sender, lines) = channel();
            let (input, texts) = channel::<String>();
            // Without its threads nothing can be asked of it, and it ends.
            let running = Running { child, input, lines };
            let read = move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                lines.into_iter().try_for_each(|line| sender.send(line)).ok();
            };
            let write = move || {
                let mut write = |text: String| stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush());
                texts.iter().try_for_each(&mut write).ok();
            };
            Builder::new().spawn(read).ok()?;
            Builder::new().spawn(write).ok()?;
            running.input.send("(set-option :produce-models true)\n(set-logic ALL)\n".to_owned()).ok()?;
            self.running = Some(running);
        }
        self.running.as_mut()
    }

    /// The answer to a question that ends with `(check-sat)`, on a level of its own.
    ///
    /// Whatever else the solver says, a complaint for example, is no answer, and is not taken for one to a later question: it
    /// has to repeat a mark, and if it does not it is started again.
    fn ask(&mut self, text: &str) -> Reply {
        let mut said = Vec::new();
        let whole = self.say(&format!("(push 1)\n{text}(echo \"{MARK}\")\n(pop 1)\n"), &mut said).is_some();
        if !whole {
            self.running = None;
        }
        self.complaint = None;
        match &said[..] {
            [only] if whole && only == "sat" => Reply::Sat,
            [only] if whole && only == "unsat" => Reply::Unsat,
            _ => {
                self.complaint = (!said.is_empty()).then(|| said.join(" "));
                Reply::GaveUp
            }
        }
    }

    /// Collects what the solver says before the mark; none if it does not come to that.
    fn say(&mut self, text: &str, said: &mut Vec<String>) -> Option<()> {
        self.stopped = self.budget.check().err();
        if self.stopped.is_some() {
            return None;
        }
        let (start, time) = (Instant::now(), self.limit.time.unwrap_or(DEFAULT_TIME));
        self.start()?.input.send(text.to_owned()).ok()?;
        loop {
            let line = match self.running.as_ref()?.lines.recv_timeout(BETWEEN_LOOKS) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) if start.elapsed() < time => {
                    self.stopped = self.look().err();
                    if self.stopped.is_some() {
                        return None;
                    }
                    continue;
                }
                Err(_) => return None,
            };
            if line.trim().trim_matches('"') == MARK {
                return Some(());
            }
            said.push(line.trim().to_owned());
        }
    }

    /// Whether the solver may go on.
    fn look(&self) -> Result<(), Stopped> {
        self.budget.glance()?;
        let taken = self.running.as_ref().and_then(|running| memory::of_child(running.child.id()));
        match (taken, self.budget.memory_left()) {
            (Some(taken), Some(left)) if taken > left => Err(Stopped(StopReason::Memory)),
            _ => Ok(()),
        }
    }

    /// The answer to a script that ends with `(check-sat)`; options and the logic are set already.
    pub fn answer(&mut self, script: &str) -> Reply {
        let is_setting = |line: &&str| line.starts_with("(set-") || line.starts_with(';');
        let text: String = script.lines().filter(|line| !is_setting(line)).flat_map(|line| [line, "\n"]).collect();
        self.ask(&text)
    }
}

impl Solver for Process {
    fn name(&self) -> String {
        self.command.first().cloned().unwrap_or_default()
    }

    fn limit(&mut self, limit: Limit) {
        self.limit = limit;
    }

    fn budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    fn stopped(&self) -> Result<(), Stopped> {
        self.stopped.map_or(Ok(()), Err)
    }

    fn push(&mut self) {
        self.levels.push(Vec::new());
    }

    fn pop(&mut self) {
        if self.levels.len() > 1 {
            self.levels.pop();
        }
    }

    fn assert(&mut self, _terms: &mut Terms, term: TermId) {
        if let Some(level) = self.levels.last_mut() {
            level.push(term);
        }
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[TermId]) -> Reply {
        self.assumed = assumptions.len();
        self.last = self.levels.iter().flatten().chain(assumptions).copied().collect();
        let text = body(terms, &self.last);
        self.ask(&format!("{text}(check-sat)\n"))
    }

    fn values(&mut self, terms: &mut Terms, of: &[TermId]) -> Option<Vec<Value>> {
        // The level of the last question is gone; each value is fixed by asking again with the earlier ones.
        let mut facts = self.last.clone();
        let mut values = Vec::new();
        for &term in of {
            if terms.sort(term) != crate::Sort::Bool {
                return None;
            }
            let text = body(terms, &[facts.as_slice(), &[term]].concat());
            let value = match self.ask(&format!("{text}(check-sat)\n")) {
                Reply::Sat => true,
                Reply::Unsat => false,
                Reply::GaveUp => return None,
            };
            facts.push(if value { term } else { terms.not(term) });
            values.push(Value::Bool(value));
        }
        Some(values)
    }

    fn core(&mut self) -> Vec<usize> {
        (0..self.assumed).collect()
    }
}

//! Any SMT-LIB 2 solver as a process of its own: slower, but a second opinion.
//!
//! The process reads from its standard input. A question that takes too long ends the process; the next one starts it
//! again.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::eval::Value;
use crate::smtlib::body;
use crate::solver::{Limit, Reply, Solver, SolverError};
use crate::term::{TermId, Terms};

/// Questions without a limit on time get this one.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// What a solver repeats after an answer.
const MARK: &str = "tertium-end";

#[derive(Debug)]
struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself; either way nothing is left of it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A solver behind a command.
#[derive(Debug)]
pub struct Process {
    command: Vec<String>,
    running: Option<Running>,
    levels: Vec<Vec<TermId>>,
    limit: Limit,
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
            let mut child = Command::new(program)
                .args(arguments)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .ok()?;
            let (input, output) = (child.stdin.take()?, child.stdout.take()?);
            let (sender, lines) = channel();
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
            let mut running = Running { child, input, lines };
            running.input.write_all(b"(set-option :produce-models true)\n(set-logic ALL)\n").ok()?;
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
        let time = self.limit.time.unwrap_or(DEFAULT_TIME);
        let running = self.start()?;
        running.input.write_all(text.as_bytes()).and_then(|()| running.input.flush()).ok()?;
        loop {
            let line = running.lines.recv_timeout(time).ok()?;
            if line.trim().trim_matches('"') == MARK {
                return Some(());
            }
            said.push(line.trim().to_owned());
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

//! One run of one test program: watched until it fails, ends, or uses too much time or memory.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Problem;
use super::build::Executable;
use super::catalogue::Tests;
use super::schemata::VARIABLE;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Passed,
    /// The first test that failed, and everything that was written until then.
    Failed {
        test: String,
        text: String,
    },
    /// It did not end in time.
    OutOfTime,
    /// It used more memory than allowed.
    OutOfMemory,
}

/// What a run may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    pub memory_mib: u64,
}

/// What is said so far on both streams.
#[derive(Default)]
struct Said {
    text: String,
    /// The test that was begun last.
    test: String,
    failed: bool,
}

/// Run the tests with one mutant active (none: 0). `place` is for the files of this run alone.
pub fn watched(program: &Executable, tests: &Tests, number: u32, limits: Limits, place: &Path) -> Result<End, Problem> {
    let problem = |error: std::io::Error| format!("{}: {error}", program.program.display());
    fs::create_dir_all(place).map_err(problem)?;
    let mut command = Command::new(&program.program);
    // Not captured, what a failing test says can be read before the other tests are through; one at a time, it is known whose words they are.
    command.args(&tests.arguments).args(["--nocapture", "--test-threads=1"]).current_dir(&program.folder);
    command.env(VARIABLE, number.to_string()).env("RUST_BACKTRACE", "0");
    command.env("TERTIUM_MUTANT_FILES", place).env("TMPDIR", place).env("CARGO_TARGET_DIR", place);
    command.env("CARGO_MANIFEST_DIR", &program.folder);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(problem)?;
    let said = Arc::new(Mutex::new(Said::default()));
    let readers = [reader(child.stdout.take(), &said), reader(child.stderr.take(), &said)];
    let end = until_the_end(&mut child, &said, limits).map_err(problem)?;
    // Whoever ends early leaves others that hold its streams only if it started some; those are not waited for.
    if end == End::Passed {
        readers.into_iter().flatten().for_each(|reader| drop(reader.join()));
    }
    let _ = fs::remove_dir_all(place);
    Ok(end)
}

fn reader(stream: Option<impl Read + Send + 'static>, said: &Arc<Mutex<Said>>) -> Option<JoinHandle<()>> {
    let (stream, said) = (stream?, Arc::clone(said));
    Some(std::thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            let Ok(mut said) = said.lock() else { return };
            // Whoever looks comes a moment later: by then the next test may have begun.
            let begun = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ...")).filter(|_| !said.failed);
            if let Some((test, _)) = begun {
                said.test = test.to_owned();
            }
            said.failed |= line.ends_with("FAILED");
            said.text.push_str(&line);
            said.text.push('\n');
        }
    }))
}

fn until_the_end(child: &mut Child, said: &Mutex<Said>, limits: Limits) -> std::io::Result<End> {
    let begun = Instant::now();
    loop {
        let ended = child.try_wait()?;
        if ended.is_none() {
            std::thread::sleep(Duration::from_millis(20));
        } else {
            // The readers have what was written last after a moment.
            std::thread::sleep(Duration::from_millis(100));
        }
        let failed = said.lock().map(|said| said.failed).unwrap_or(true);
        let end = match ended {
            Some(status) if status.success() => End::Passed,
            Some(_) => failure(said),
            None if failed => failure(said),
            None if begun.elapsed() > limits.time => End::OutOfTime,
            None if resident_mib(child.id()) > limits.memory_mib => End::OutOfMemory,
            None => continue,
        };
        if ended.is_none() {
            child.kill()?;
            child.wait()?;
        }
        return Ok(end);
    }
}

fn failure(said: &Mutex<Said>) -> End {
    match said.lock() {
        Ok(said) => End::Failed { test: said.test.clone(), text: said.text.clone() },
        Err(_) => End::Failed { test: String::new(), text: String::new() },
    }
}

/// Memory that a process has, where the system tells.
fn resident_mib(process: u32) -> u64 {
    let told = fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages = told.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
    pages.unwrap_or(0) / 256
}

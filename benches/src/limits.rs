//! Do limits bind? Runs that explode, each with a limit on time and on memory.
//!
//! Prints what was asked and what was used, and whether there was a report. A run may take a tenth and a second more than it was given,
//! and a tenth and 50 MiB; a run that takes more, or ends without a report, is a failure of this program (exit 1).
//!
//! `bench-limits [--tertium PATH] [WORDS]`: only cases whose names contain one of the words.

#[path = "../../apps/tertium/tests/exploding/mod.rs"]
mod exploding;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use exploding::{Case, cases};

/// So many times its limit a run gets before it is killed here.
const PATIENCE: u32 = 5;

/// What a run took.
struct Used {
    seconds: f64,
    megabytes: f64,
    code: Option<i32>,
    /// Whether something was said that a person or a script can use.
    report: bool,
    /// Whether a limit was reached.
    stopped: bool,
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let tertium = match arguments.iter().position(|argument| argument == "--tertium") {
        Some(at) if at + 1 < arguments.len() => PathBuf::from(arguments.drain(at..at + 2).nth(1).unwrap_or_default()),
        _ => beside_this(),
    };
    let wanted = |case: &Case| arguments.is_empty() || arguments.iter().any(|word| case.name.contains(word.as_str()));
    let room = std::env::temp_dir().join(format!("tertium-limits-{}", std::process::id()));
    say(&format!(
        "{:<36} {:>7} {:>7} {:>9} {:>9}  {:>4}  {:<8} {}\n",
        "case", "asked s", "used s", "asked MB", "used MB", "exit", "report", "within"
    ));
    let (mut missed, mut stopped, mut all) = (0, 0, 0);
    for case in cases().iter().filter(|case| wanted(case)) {
        let used = match measured(case, &tertium, &room) {
            Ok(used) => used,
            Err(error) => {
                say(&format!("{:<36} cannot be run: {error}\n", case.name));
                missed += 1;
                continue;
            }
        };
        let within = used.report && used.seconds <= most_seconds(case) && used.megabytes <= most_megabytes(case);
        (missed, stopped, all) = (missed + usize::from(!within), stopped + usize::from(used.stopped), all + 1);
        say(&format!(
            "{:<36} {:>7} {:>7.2} {:>9} {:>9.0}  {:>4}  {:<8} {}\n",
            case.name,
            case.seconds,
            used.seconds,
            case.megabytes,
            used.megabytes,
            used.code.map_or_else(|| "-".to_owned(), |code| code.to_string()),
            match (used.report, used.stopped) {
                (false, _) => "none",
                (true, true) => "stopped",
                (true, false) => "complete",
            },
            if within { "yes" } else { "NO" },
        ));
    }
    let _ = std::fs::remove_dir_all(&room);
    say(&format!(
        "\n{all} cases, {stopped} of them ended by a limit; {missed} beyond 10 % + 1 s, 10 % + 50 MB or without a report\n"
    ));
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The program that was built together with this one.
fn beside_this() -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name("tertium")
}

#[allow(clippy::print_stdout, reason = "a measurement is printed")]
fn say(text: &str) {
    print!("{text}");
}

fn most_seconds(case: &Case) -> f64 {
    case.seconds as f64 * 1.1 + 1.0
}

fn most_megabytes(case: &Case) -> f64 {
    case.megabytes as f64 * 1.1 + 50.0
}

fn measured(case: &Case, tertium: &Path, room: &Path) -> std::io::Result<Used> {
    let _ = std::fs::remove_dir_all(room);
    std::fs::create_dir_all(room)?;
    for (name, text) in &case.files {
        std::fs::write(room.join(name), text)?;
    }
    for command in &case.before {
        Command::new(tertium).args(command).current_dir(room).output()?;
    }
    let start = Instant::now();
    let mut child = Command::new(tertium)
        .args(&case.command)
        .args(["--timeout", &format!("{}s", case.seconds), "--memory", &format!("{}M", case.megabytes)])
        .current_dir(room)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let readers = (reader(child.stdout.take()), reader(child.stderr.take()));
    let (megabytes, code) = watched(&mut child, Duration::from_secs(case.seconds) * PATIENCE)?;
    let seconds = start.elapsed().as_secs_f64();
    let text = |reader: Option<std::thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let (out, err) = (text(readers.0), text(readers.1));
    let told = ["stopped", "error[", "\"value\"", "properties:", "property:", "states", "MODULE"];
    let report =
        matches!(code, Some(0 | 2 | 5 | 10)) && told.iter().any(|word| out.contains(word) || err.contains(word));
    Ok(Used { seconds, megabytes, code, report, stopped: code == Some(5) || out.contains("stopped") })
}

/// Reads a stream to its end, so that nobody waits for a reader.
fn reader(stream: Option<impl Read + Send + 'static>) -> Option<std::thread::JoinHandle<String>> {
    let mut stream = stream?;
    Some(std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }))
}

/// The most memory that a process had at one time, in MiB, and its exit code; none if it had to be killed.
fn watched(child: &mut Child, patience: Duration) -> std::io::Result<(f64, Option<i32>)> {
    let (start, mut most) = (Instant::now(), 0.0_f64);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((most, status.code()));
        }
        if start.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok((most, None));
        }
        most = most.max(high_water_mark(child.id()).unwrap_or_default());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The system keeps the mark itself, so that nothing between two looks is missed but at the very end.
fn high_water_mark(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

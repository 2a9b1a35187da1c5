//! Synchronous systems in SMV as users write them, decided by whole commands without options: arbiters, shift registers, counters, pipelines, protocols, queues,
//! caches, elevators, a production cell, and gates with any delay. Where there is a NuSMV it decides the same text, with its defaults and with
//! `-dynamic -coi -df`; the better one counts. Compared is the CPU time of both, start and end of the program included.

mod models;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Each model may take this long.
const BOUND_SECONDS: f64 = 1.0;
/// Either command gets this long for one model.
const MOST_SECONDS: &str = "60";
/// A command is repeated until its runs took so long together, since the system counts in hundredths of a second.
const ENOUGH_SECONDS: f64 = 0.3;
/// Exit codes of a check that has decided everything: all is true, or something is false.
const DECIDED: [i32; 2] = [0, 10];

/// The CPU time of all processes that this one has started and that have ended.
fn cpu_of_children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(13) + ticks(14)) / 100.0
}

/// CPU seconds of one run on the average; none if a run ends with another code than these, or not in time.
fn seconds_of(program: &Path, arguments: &[&str], model: &Path, codes: &[i32]) -> Option<f64> {
    let (begin, mut runs) = (cpu_of_children(), 0.0);
    loop {
        let mut command = Command::new("timeout");
        command.arg(MOST_SECONDS).arg(program).args(arguments).arg(model);
        command.env_remove("TERTIUM_DETERMINISTIC").stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().ok()?;
        if !status.code().is_some_and(|code| codes.contains(&code)) {
            return None;
        }
        runs += 1.0;
        let spent = cpu_of_children() - begin;
        if spent >= ENOUGH_SECONDS {
            return Some(spent / runs);
        }
    }
}

/// NuSMV's time, with its defaults and as it is tuned.
fn peer(model: &Path) -> [Option<f64>; 2] {
    let ways: [&[&str]; 2] = [&[], &["-dynamic", "-coi", "-df"]];
    ways.map(|options| seconds_of(Path::new("NuSMV"), options, model, &[0]))
}

fn told(seconds: Option<f64>) -> String {
    seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.3}"))
}

/// Where a model lies for both commands.
fn placed(text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("tertium-bench-{}.smv", std::process::id()));
    std::fs::write(&path, text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    path
}

/// Measures all models; what takes too long is told.
pub(crate) fn measure(over: &mut Vec<String>) {
    println!("\nsynchronous systems in SMV, whole commands, CPU seconds (bound {BOUND_SECONDS} s each)");
    println!("{:<22} {:>9} {:>9} {:>9} {:>7}", "model", "tertium", "NuSMV", "tuned", "ratio");
    let tertium = std::env::current_exe().unwrap_or_default().with_file_name("tertium");
    let has_peer = Command::new("NuSMV").arg("-h").output().is_ok();
    let mut ratios = Vec::new();
    for (name, text) in models::models() {
        let model = placed(&text);
        let ours = seconds_of(&tertium, &["check", "-q"], &model, &DECIDED);
        let theirs = if has_peer { peer(&model) } else { [None, None] };
        let _ = std::fs::remove_file(&model);
        let ratio = ours.zip(theirs.into_iter().flatten().reduce(f64::min)).map(|(ours, theirs)| ours / theirs);
        ratios.extend(ratio);
        let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        println!("{name:<22} {:>9} {:>9} {:>9} {ratio:>7}", told(ours), told(theirs[0]), told(theirs[1]));
        match ours {
            None => over.push(format!("{name} is not decided by {}", tertium.display())),
            Some(seconds) if seconds > BOUND_SECONDS => over.push(format!("{name} takes {seconds:.2} s")),
            Some(_) => {}
        }
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!("our time over the better of NuSMV's, geometric mean over {} models: {mean:.2}", ratios.len());
    }
}

//! Searches that are killed and gone on with, and searches by several processes.

mod common;
#[path = "scaling/resumed.rs"]
mod resumed;

use std::cell::Cell;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tertium_testkit::for_random_cases;

fn run(args: &[&str]) -> Output {
    common::command(&[]).args(args).output().expect("it starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(output)))
}

/// What must be the same, however it was found out.
fn counts(document: &Value) -> Vec<Value> {
    ["states", "transitions", "depth", "deadlocks", "errors", "complete"].map(|name| document[name].clone()).to_vec()
}

/// A program with so many states that it can be killed on the way.
fn large(folder: &Path) -> PathBuf {
    let path = folder.join("large.gcl");
    let text = "system large var x, y, z : 0..15 = 0\n\
        process P { while x < 15 { x := x + 1; } }\n\
        process Q { while y < 15 { y := y + 1; } }\n\
        process R { while z < 15 { z := z + 1; } }\n\
        property apart : ctl AG !(x = 9 && y = 12 && z = 2)\n";
    fs::write(&path, text).expect("written");
    path
}

/// Runs until the file is so long, and kills it then; whether it could be killed before it ended.
fn kill_at(search: Command, file: &Path, len: u64) -> bool {
    kill_when(search, &|| fs::metadata(file).map_or(0, |file| file.len()) >= len)
}

/// Runs until something is so, and kills it then; whether it could be killed before it ended.
fn kill_when(mut search: Command, is_so: &dyn Fn() -> bool) -> bool {
    let mut child = search.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut ended = false;
    while !ended && !is_so() {
        std::thread::sleep(Duration::from_millis(1));
        ended = child.try_wait().expect("it is there").is_some();
    }
    // One that has ended meanwhile cannot be killed.
    let _ = child.kill();
    child.wait().expect("it ends").code().is_none()
}

/// Two searches (`TERTIUM_CASES` times as many), each killed four times on its way: when the file has so many bytes, not after so many seconds.
#[test]
fn kills_change_no_answer() {
    let folder = common::folder("scaling-kills");
    let model = large(&folder).display().to_string();
    let unbroken = counts(&document(&run(&["explore", &model, "--format", "json", "--threads", "2"])));
    assert_eq!(unbroken.last(), Some(&Value::Bool(true)));
    let states = folder.join("states");
    let file = states.join("states.tertium");
    let search = |name: &str| {
        let place = format!("{}:0s", states.display());
        common::command(&["explore", &model, "--format", "json", "--threads", "2", name, &place])
    };
    let written = search("--checkpoint").output().expect("it starts");
    assert_eq!(counts(&document(&written)), unbroken, "{}", said(&written));
    let whole = usize::try_from(fs::metadata(&file).expect("written").len()).expect("small");
    let (killed, tried) = (Cell::new(0), Cell::new(0));
    for_random_cases(2, |case| {
        let _ = fs::remove_dir_all(&states);
        // The last part of the file is written in no time.
        let mut lens: Vec<u64> = (0..4).map(|_| 24 + case.rng.below(whole / 4 * 3) as u64).collect();
        lens.sort_unstable();
        for (at, &len) in lens.iter().enumerate() {
            let name = if at == 0 { "--checkpoint" } else { "--resume" };
            killed.set(killed.get() + usize::from(kill_at(search(name), &file, len)));
            tried.set(tried.get() + 1);
        }
        let last = search("--resume").output().expect("it starts");
        assert_eq!(counts(&document(&last)), unbroken, "killed at {lens:?}: {}", said(&last));
    });
    let (killed, tried) = (killed.get(), tried.get());
    assert!(killed * 2 >= tried, "{killed} of {tried} were killed before their end");
}

#[test]
fn what_was_written_for_another_program_is_refused() {
    let folder = common::folder("scaling-other");
    let model = large(&folder).display().to_string();
    let states = folder.join("states").display().to_string();
    assert_eq!(run(&["explore", &model, "--checkpoint", &format!("{states}:0s")]).status.code(), Some(0));
    assert_eq!(run(&["explore", &model, "--resume", &states]).status.code(), Some(0));
    let other = folder.join("other.gcl");
    fs::write(&other, "system other var x : 0..3 = 0 process P { x := 1; }").expect("written");
    for (args, code) in [
        (&["explore", other.to_str().expect("text"), "--resume", &states][..], "E0387"),
        (&["explore", &model, "--reduction", "--resume", &states], "E0385"),
        (&["explore", &model, "--device", "gpu", "--checkpoint", &states], "E0385"),
        (&["explore", &model, "--search", "depth", "--checkpoint", &states], "E0385"),
    ] {
        let refused = run(args);
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        assert!(said(&refused).contains(code), "{}", said(&refused));
    }
}

/// Compares two processes with one on a model; whether it could be compared.
fn compare(model: &str) -> bool {
    let few = ["--max-states", "10000", "--format", "json"];
    let one = run(&[&["explore", model][..], &few].concat());
    if one.status.code() != Some(0) {
        return false;
    }
    let two = run(&[&["cluster", model, "-n", "2"][..], &few].concat());
    let (one, together) = (document(&one), document(&two));
    assert_eq!(counts(&together), counts(&one), "{model}");
    let checked = document(&run(&["check", model, "--format", "json", "--engine", "explicit"]));
    for result in together["results"].as_array().expect("a list") {
        let same = |other: &&Value| other["name"] == result["name"];
        let Some(other) = checked["results"].as_array().expect("a list").iter().find(same) else { continue };
        assert_eq!(other["value"], result["value"], "{model}: {result}");
        // Which run goes round for ever is not the same for any number of processes.
        let is_finite = |run: &Value| run["loop"].is_null();
        let steps = |run: &Value| run["steps"].as_array().filter(|_| is_finite(run)).map(Vec::len);
        let (ours, theirs) = (steps(&result["run"]), steps(&other["evidence"]["run"]));
        assert!(ours.is_none() || theirs.is_none() || ours == theirs, "{model}: {ours:?} {theirs:?}");
    }
    true
}

#[test]
fn two_processes_answer_as_one_on_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut compared = 0;
    for folder in ["gcl", "promela/micro"] {
        let mut models: Vec<PathBuf> =
            fs::read_dir(corpus.join(folder)).expect("a folder").map(|entry| entry.expect("readable").path()).collect();
        models.sort();
        let programs =
            models.iter().filter(|path| path.extension().is_some_and(|ending| ending == "gcl" || ending == "pml"));
        // Some of many: every one is four processes.
        for model in programs.step_by(12) {
            compared += usize::from(compare(&model.display().to_string()));
        }
    }
    assert!(compared >= 12, "{compared} compared");
}

/// Waits until somebody listens at an address, or until nobody does any more. Whoever calls there has nothing to say and is sent away.
fn wait_until(address: &str, listens: bool) {
    for _ in 0..60_000 {
        if TcpStream::connect(address).is_ok() == listens {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("listens: {listens} is waited for in vain at {address}");
}

/// Three processes that have met and search for ever.
fn three_processes(folder: &Path) -> ([String; 3], Vec<Child>) {
    let endless = folder.join("endless.gcl");
    let text = "system endless var x, y : int = 0 process P { loop { x := x + 1; } } process Q { loop { y := y + 1; } }\n\
         property never : ctl AG !(x = 0 - 1)\n";
    fs::write(&endless, text).expect("written");
    let free = || TcpListener::bind("127.0.0.1:0").expect("a free port");
    let addresses = [free(), free(), free()].map(|listener| listener.local_addr().expect("bound").to_string());
    let hosts = folder.join("hosts.txt");
    fs::write(&hosts, addresses.join("\n")).expect("written");
    let process = |number: usize| {
        let mut command = common::command(&["cluster", "--max-states", "1000000000", "--patience", "60s", "--hosts"]);
        command.arg(&hosts).args(["--process", &number.to_string()]);
        if number == 0 {
            command.arg(&endless);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let mut processes = vec![process(0), process(1)];
    addresses[..2].iter().for_each(|address| wait_until(address, true));
    // The two wait for the third. Once they have met it they do not listen any more.
    processes.push(process(2));
    addresses[..2].iter().for_each(|address| wait_until(address, false));
    (addresses, processes)
}

#[test]
fn a_process_that_is_killed_is_named_and_there_is_no_answer() {
    for victim in 0..3 {
        let folder = common::folder(&format!("scaling-lost-{victim}"));
        let (addresses, mut processes) = three_processes(&folder);
        processes[victim].kill().expect("it is there");
        let killed = Instant::now();
        for (number, process) in processes.into_iter().enumerate() {
            let output = process.wait_with_output().expect("it ends by itself");
            if number == victim {
                assert_eq!(output.status.code(), None, "{}", said(&output));
                continue;
            }
            let text = said(&output);
            assert_eq!(output.status.code(), Some(2), "{number} of {victim}: {text}");
            let name = format!("process {victim} ({})", addresses[victim]);
            assert!(text.contains("E0389") && text.contains(&name), "{number} of {victim}: {text}");
            assert!(output.stdout.is_empty(), "{text}");
        }
        // It takes half a second on a machine that does nothing else.
        assert!(killed.elapsed() < Duration::from_secs(30), "{:?}", killed.elapsed());
    }
}

/// A search that may use a third of the bytes that its states take in memory, or less, ends all the same.
#[test]
#[allow(clippy::print_stderr, reason = "how much longer it takes is worth knowing where the output is shown")]
fn more_states_than_memory_holds() {
    let folder = common::folder("scaling-disk");
    let model = folder.join("counters.gcl");
    let text = "system counters var x, y, z, u : 0..23 = 0\n\
        process P { while x < 23 { x := x + 1; } }\n\
        process Q { while y < 23 { y := y + 1; } }\n\
        process R { while z < 23 { z := z + 1; } }\n\
        process S { while u < 23 { u := u + 1; } }\n\
        property apart : ctl AG !(x = 12 && y = 14 && z = 2 && u = 3)\n\
        property within : ctl AG x < 24\n\
        property again : ltl G F x = 3\n";
    fs::write(&model, text).expect("written");
    let model = model.display().to_string();
    let plain = document(&run(&["explore", &model, "--format", "json", "--threads", "1"]));
    let states = folder.join("states");
    fs::create_dir_all(&states).expect("a folder");
    let bytes = plain["memory_bytes"].as_u64().expect("a number");
    let limit = (bytes / 3).to_string();
    let place = states.display().to_string();
    let stopped = document(&run(&["explore", &model, "--format", "json", "--threads", "1", "--memory", &limit]));
    assert_eq!(stopped["stopped"], "memory", "{stopped}");
    let output = run(&["explore", &model, "--format", "json", "--threads", "1", "--memory", &limit, "--disk", &place]);
    let on_disk = document(&output);
    assert_eq!(counts(&on_disk), counts(&plain), "{}", said(&output));
    assert!(on_disk["disk_bytes"].as_u64() > Some(0), "{on_disk}");
    let value = |name: &str| {
        let results = on_disk["results"].as_array().expect("a list");
        results
            .iter()
            .find(|result| result["name"] == name)
            .map(|result| (result["value"].clone(), result["steps"].clone()))
    };
    let checked = document(&run(&["check", &model, "--only", "apart", "--format", "json", "--engine", "explicit"]));
    let steps = checked["results"][0]["evidence"]["run"]["steps"].as_array().map(|steps| steps.len() - 1);
    assert!(steps.is_some(), "{checked}");
    assert_eq!(value("apart"), Some(("false".into(), serde_json::json!(steps))));
    assert_eq!(value("within"), Some(("true".into(), Value::Null)));
    assert_eq!(on_disk["not_asked"], serde_json::json!(["again"]));
    assert_eq!(output.status.code(), Some(10));
    assert!(fs::read_dir(&states).expect("a folder").next().is_none(), "no file is left");
    // A check needs some memory for itself.
    let few = (bytes / 3 + (8 << 20)).to_string();
    let check =
        ["check", &model, "--only", "apart", "--only", "within", "--format", "json", "--threads", "1", "--quiet"];
    let output = run(&[&check[..], &["--memory", &few, "--disk", &place]].concat());
    let by_disk = document(&output);
    let values: Vec<&Value> = by_disk["results"].as_array().expect("a list").iter().map(|one| &one["value"]).collect();
    assert_eq!(values, ["false", "true"], "{}", said(&output));
    let run_length = by_disk["results"][0]["evidence"]["run"]["steps"].as_array().map(|steps| steps.len() - 1);
    assert_eq!(run_length, steps, "a shortest run");
    assert!(fs::read_dir(&states).expect("a folder").next().is_none(), "no file is left");
    let seconds = |document: &Value| document["time_ms"].as_f64().unwrap_or(0.0) / 1e3;
    let slower = seconds(&on_disk) / seconds(&plain).max(1e-3);
    eprintln!("{bytes} bytes of states with {limit} bytes of memory: {slower:.2} times as long");
}

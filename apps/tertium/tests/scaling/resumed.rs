//! Checks and clusters that are killed and gone on with.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;
use tertium_testkit::{Rng, for_random_cases};

use super::{common, counts, document, kill_when, run, said};

/// Four counters: a program whose properties are decided by more states than a first look visits, if they go up to 15.
fn counters(folder: &Path, top: usize) -> PathBuf {
    let path = folder.join("counters.gcl");
    let process =
        |name: char, var: char| format!("process {name} {{ while {var} < {top} {{ {var} := {var} + 1; }} }}\n");
    let processes: String =
        [('P', 'x'), ('Q', 'y'), ('R', 'z'), ('S', 'u')].map(|(name, var)| process(name, var)).concat();
    let (far, all) = (top - 2, 4 * top);
    let text = format!(
        "system counters var x, y, z, u : 0..{top} = 0\n{processes}\
         property apart : ctl AG !(x = {top} - 1 && y = {far} && z = {far} && u = {far})\n\
         property within : ctl AG (x + y + z + u < {all} + 1)\n\
         property always : ltl G (x + y < 2 * {top} + 1)\n\
         property ends : ltl F (x + y + z + u = {all})\n"
    );
    fs::write(&path, text).expect("written");
    path
}

/// What a check says, but for times. What was counted when something false was told depends on when that was; so does which engine was first where several work side by side.
fn answers(document: &Value, counts: bool) -> Vec<Vec<Value>> {
    let results = document["results"].as_array().unwrap_or_else(|| panic!("no results: {document}"));
    let told = |result: &Value| {
        let is_true = result["value"] == "true";
        let states = if counts && is_true { result["stats"]["states"].clone() } else { Value::Null };
        let run = if counts { result["evidence"]["run"].clone() } else { Value::Null };
        [result["name"].clone(), result["value"].clone(), states, run].to_vec()
    };
    results.iter().map(told).collect()
}

/// Bytes of the searches that are written down in a folder.
fn written(folder: &Path) -> u64 {
    let files = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|file| file.file_name().to_str().is_some_and(|name| name.starts_with("states-")));
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}

/// One check (`TERTIUM_CASES` times as many), killed four times on its way, when so much is written.
#[test]
fn kills_change_no_answer_of_a_check() {
    let folder = common::folder("scaling-check-kills");
    let model = counters(&folder, 15).display().to_string();
    // Which states a search for runs visits depends on its threads, so it has one.
    let search_by = ["--engine", "explicit", "--threads", "2", "--deterministic"];
    let plain = [&["check", &model, "--format", "json", "--quiet"][..], &search_by].concat();
    let unbroken = answers(&document(&run(&plain)), true);
    assert_eq!(unbroken.len(), 6, "{unbroken:?}");
    assert!(unbroken.iter().all(|answer| answer[1] != "unknown"), "{unbroken:?}");
    let states = folder.join("states");
    let search = |name: &str| {
        let place = format!("{}:0s", states.display());
        let mut command = common::command(&plain);
        command.args([name, &place]);
        command
    };
    let output = search("--checkpoint").output().expect("it starts");
    assert_eq!(answers(&document(&output), true), unbroken, "{}", said(&output));
    let whole = usize::try_from(written(&states)).expect("small");
    assert!(whole > 50_000, "{whole} bytes");
    let (killed, tried) = (Cell::new(0), Cell::new(0));
    for_random_cases(1, |case| {
        let _ = fs::remove_dir_all(&states);
        let mut lens: Vec<u64> = (0..4).map(|_| 1 + case.rng.below(whole / 4 * 3) as u64).collect();
        lens.sort_unstable();
        for (at, &len) in lens.iter().enumerate() {
            let name = if at == 0 { "--checkpoint" } else { "--resume" };
            killed.set(killed.get() + usize::from(kill_when(search(name), &|| written(&states) >= len)));
            tried.set(tried.get() + 1);
        }
        let last = search("--resume").output().expect("it starts");
        assert_eq!(answers(&document(&last), true), unbroken, "killed at {lens:?}: {}", said(&last));
    });
    let (killed, tried) = (killed.get(), tried.get());
    assert!(killed * 2 >= tried, "{killed} of {tried} were killed before their end");
}

/// Kills a check after random times, until one ends; then what was said.
fn killed_at_random(
    search: &dyn Fn(&str) -> Command,
    states: &Path,
    longest: Duration,
    rng: &mut Rng,
) -> (Output, usize) {
    let _ = fs::remove_dir_all(states);
    let mut kills = 0;
    for at in 0..6 {
        let micros = rng.below(usize::try_from(longest.as_micros()).expect("short").max(1)) as u64;
        let begun = states.join("run.tertium");
        let since = Cell::new(None::<Instant>);
        // A run of which nothing is written yet is begun anew.
        let is_time = || {
            if begun.exists() && since.get().is_none() {
                since.set(Some(Instant::now()));
            }
            since.get().is_some_and(|since| since.elapsed() >= Duration::from_micros(micros))
        };
        kills += usize::from(kill_when(search(if at == 0 { "--checkpoint" } else { "--resume" }), &is_time));
    }
    (search("--resume").output().expect("it starts"), kills)
}

/// Each way to decide (`TERTIUM_CASES` times as many runs), killed six times after random times.
#[test]
fn kills_at_random_times_change_no_answer_of_any_engine() {
    let folder = common::folder("scaling-check-random");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let [larger, smaller] = [("larger", 15), ("smaller", 7)].map(|(name, top)| {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).expect("a folder");
        counters(&folder, top)
    });
    let [bakery, promela] =
        ["gcl/bakery_c.gcl", "promela/micro/micro_accept_two_fair.pml"].map(|name| corpus.join(name));
    let ways: [(&Path, &[&str]); 6] = [
        (&larger, &[]),
        (&larger, &["--engine", "symbolic"]),
        (&smaller, &["--no-reduction", "--deterministic"]),
        (&bakery, &[]),
        (&bakery, &["--refinements", "12"]),
        (&promela, &[]),
    ];
    let killed = Cell::new(0);
    for (number, (model, how)) in ways.into_iter().enumerate() {
        let model = model.display().to_string();
        let plain = [&["check", &model, "--format", "json", "--quiet"][..], how].concat();
        let begin = Instant::now();
        let unbroken = answers(&document(&run(&plain)), false);
        let longest = begin.elapsed();
        let states = folder.join(format!("states-{number}"));
        let search = |name: &str| {
            let mut command = common::command(&plain);
            command.args([name, &format!("{}:0s", states.display())]);
            command
        };
        for_random_cases(1, |case| {
            let (last, kills) = killed_at_random(&search, &states, longest, &mut case.rng);
            assert_eq!(answers(&document(&last), false), unbroken, "{model} {how:?}: {}", said(&last));
            killed.set(killed.get() + kills);
        });
    }
    assert!(killed.get() >= 6, "{} were killed before their end", killed.get());
}

#[test]
fn what_is_decided_is_not_decided_again() {
    let folder = common::folder("scaling-check-again");
    let model = counters(&folder, 15).display().to_string();
    for how in [&[][..], &["--engine", "symbolic"], &["--engine", "explicit"]] {
        let states = folder.join("states").display().to_string();
        let check = |args: &[&str]| run(&[&["check", &model, "--format", "json"][..], how, args].concat());
        let first = document(&check(&["--checkpoint", &states]));
        let again = check(&["--resume", &states, "--timeout", "60s"]);
        let second = document(&again);
        assert_eq!(answers(&second, true), answers(&first, true), "{how:?}: {}", said(&again));
        for (one, other) in
            first["results"].as_array().into_iter().flatten().zip(second["results"].as_array().into_iter().flatten())
        {
            // Down to the time that it took then.
            assert_eq!(one["stats"], other["stats"], "{how:?}");
            assert_eq!(one["provenance"], other["provenance"], "{how:?}");
        }
    }
}

#[test]
fn a_check_goes_on_with_its_own_run_only() {
    let folder = common::folder("scaling-check-other");
    let model = counters(&folder, 15).display().to_string();
    let states = folder.join("states").display().to_string();
    let begun = format!("{states}:0s");
    let check = |args: &[&str]| run(&[&["check", &model, "--engine", "explicit", "--quiet"][..], args].concat());
    assert_eq!(check(&["--checkpoint", &begun]).status.code(), Some(10));
    assert_eq!(check(&["--resume", &states]).status.code(), Some(10));
    let refused = |output: Output, code: &str, word: &str| {
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(code) && said(&output).contains(word), "{}", said(&output));
    };
    refused(check(&["--resume", &states, "--no-reduction"]), "E0387", "options");
    refused(check(&["--resume", &states, "--only", "ends"]), "E0387", "questions");
    refused(check(&["--resume", &states, "--store", "bitstate"]), "E0385", "--store");
    refused(check(&["--resume", &states, "--disk", &states]), "E0385", "--resume");
    refused(run(&["check", &model, "--resume", &states]), "E0387", "options");
    refused(run(&["check", &model, &model, "--resume", &states]), "E0345", "--resume");
    let file = folder.join("file");
    fs::write(&file, "in the way").expect("written");
    refused(check(&["--checkpoint", &file.display().to_string()]), "E0388", "file");
    let nowhere = folder.join("nowhere").display().to_string();
    refused(check(&["--resume", &nowhere]), "E0387", "no run");
    let text = fs::read_to_string(&model).expect("readable");
    fs::write(&model, text.replace("< 60 + 1", "< 60 + 0")).expect("written");
    refused(check(&["--resume", &states]), "E0387", "model");
    fs::write(&model, &text).expect("written");
    // One file of each kind is damaged, and mended again.
    for kind in ["answer-", "run."] {
        let file = fs::read_dir(&states).expect("a folder").flatten().map(|file| file.path());
        let file = file
            .into_iter()
            .find(|path| path.file_name().is_some_and(|name| name.to_str().is_some_and(|name| name.starts_with(kind))));
        let file = file.unwrap_or_else(|| panic!("no {kind}"));
        let whole = fs::read(&file).expect("readable");
        let mut wrong = whole.clone();
        let middle = wrong.len() / 2;
        wrong[middle] ^= 1;
        fs::write(&file, wrong).expect("written");
        refused(check(&["--resume", &states]), "E0387", "damaged");
        fs::write(&file, whole).expect("written");
    }
    assert_eq!(check(&["--resume", &states]).status.code(), Some(10));
    let word = Path::new(&states).join("run.tertium");
    let words = fs::read_to_string(&word).expect("readable").replace("version 0", "version 1");
    fs::write(&word, words).expect("written");
    refused(check(&["--resume", &states]), "E0387", "damaged");
}

/// The file of a search that is damaged at its beginning is refused, and answers that are there do not hide that.
#[test]
fn a_damaged_search_is_refused() {
    let folder = common::folder("scaling-check-damaged");
    let model = counters(&folder, 15).display().to_string();
    let states = folder.join("states");
    let place = format!("{}:0s", states.display());
    let args = ["check", &model, "--engine", "explicit", "--quiet", "--format", "json"];
    let mut begun = common::command(&args);
    begun.args(["--checkpoint", &place]);
    assert!(kill_when(begun, &|| written(&states) >= 10_000), "it was killed on its way");
    let file = fs::read_dir(&states).expect("a folder").flatten().map(|file| file.path());
    let file = file.into_iter().find(|path| path.display().to_string().contains("states-")).expect("a search");
    let mut bytes = fs::read(&file).expect("readable");
    bytes[3] ^= 1;
    fs::write(&file, bytes).expect("written");
    let refused = run(&[&args[..], &["--resume", &place]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("E0387") && said(&refused).contains("damaged"), "{}", said(&refused));
}

/// What a cluster says, but for what it took.
fn together(document: &Value) -> (Vec<Value>, Vec<Value>) {
    let results = document["results"].as_array().unwrap_or_else(|| panic!("no results: {document}"));
    (
        counts(document),
        results.iter().map(|result| serde_json::json!([result["name"], result["value"], result["run"]])).collect(),
    )
}

/// Two processes of two threads (`TERTIUM_CASES` times as often), all killed three times.
#[test]
fn kills_change_no_answer_of_a_cluster() {
    let folder = common::folder("scaling-cluster-kills");
    let model = counters(&folder, 6).display().to_string();
    let plain = ["cluster", &model, "-n", "2", "--workers", "2", "--format", "json", "--quiet"];
    let unbroken = together(&document(&run(&plain)));
    let states = folder.join("states");
    let search = |name: &str| {
        let mut command = common::command(&plain);
        command.args([name, &format!("{}:0s", states.display())]);
        command
    };
    let output = search("--checkpoint").output().expect("it starts");
    assert_eq!(together(&document(&output)), unbroken, "{}", said(&output));
    let again = search("--resume").output().expect("it starts");
    assert_eq!(together(&document(&again)), unbroken, "{}", said(&again));
    let whole = usize::try_from(written(&states)).expect("small");
    let (killed, tried) = (Cell::new(0), Cell::new(0));
    for_random_cases(1, |case| {
        let _ = fs::remove_dir_all(&states);
        let mut lens: Vec<u64> = (0..3).map(|_| 100 + case.rng.below(whole / 4 * 3) as u64).collect();
        lens.sort_unstable();
        for (at, &len) in lens.iter().enumerate() {
            // The other process notices that the first one is gone, and ends.
            let name = if at == 0 { "--checkpoint" } else { "--resume" };
            killed.set(killed.get() + usize::from(kill_when(search(name), &|| written(&states) >= len)));
            tried.set(tried.get() + 1);
        }
        let last = search("--resume").output().expect("it starts");
        assert_eq!(together(&document(&last)), unbroken, "killed at {lens:?}: {}", said(&last));
    });
    let (killed, tried) = (killed.get(), tried.get());
    assert!(killed * 2 >= tried, "{killed} of {tried} were killed before their end");
}

#[test]
fn a_cluster_goes_on_with_its_own_parts_only() {
    let folder = common::folder("scaling-cluster-other");
    let model = counters(&folder, 5).display().to_string();
    let states = folder.join("states");
    let place = format!("{}:0s", states.display());
    let cluster = |args: &[&str]| run(&[&["cluster", &model, "--quiet"][..], args].concat());
    let refused = |output: &Output, code: &str, word: &str| {
        assert_eq!(output.status.code(), Some(2), "{}", said(output));
        assert!(said(output).contains(code) && said(output).contains(word), "{}", said(output));
    };
    assert_eq!(cluster(&["-n", "2", "--checkpoint", &place]).status.code(), Some(10));
    refused(&cluster(&["-n", "3", "--resume", &place]), "E0387", "another number of processes");
    refused(&cluster(&["-n", "2", "--fair", "--resume", &place]), "E0387", "other options");
    assert_eq!(cluster(&["-n", "2", "--workers", "3", "--resume", &place]).status.code(), Some(10), "other threads");
    let nowhere = folder.join("nowhere").display().to_string();
    refused(&cluster(&["-n", "2", "--resume", &nowhere]), "E0387", "cannot be read");
    let file = folder.join("file");
    fs::write(&file, "in the way").expect("written");
    refused(&cluster(&["-n", "2", "--checkpoint", &file.display().to_string()]), "E0388", "cannot write");
    // One process has lost its last section: all go on from the one before.
    let part = states.join("states-1-of-2.tertium");
    let whole = fs::read(&part).expect("readable");
    fs::write(&part, &whole[..whole.len() - 1]).expect("written");
    let again = cluster(&["-n", "2", "--resume", &place, "--format", "json"]);
    let unbroken = cluster(&["-n", "2", "--format", "json"]);
    assert_eq!(together(&document(&again)), together(&document(&unbroken)), "{}", said(&again));
    let mut wrong = fs::read(&part).expect("readable");
    wrong[3] ^= 1;
    fs::write(&part, wrong).expect("written");
    refused(&cluster(&["-n", "2", "--resume", &place]), "E0387", "damaged");
    let text = fs::read_to_string(&model).expect("readable").replace("< 20 + 1", "< 20 + 0");
    fs::write(&model, text).expect("written");
    refused(&cluster(&["-n", "2", "--resume", &place]), "E0387", "another program");
}

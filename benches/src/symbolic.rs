//! How far do sets of states reach, and what do they cost?
//!
//! Families of programs that grow with the number of processes: dining philosophers, a token ring, bakery with bounded tickets,
//! Peterson's lock for many, independent counters. Each is encoded, everything it can reach is found and its properties are
//! decided. Printed are states, time, nodes at most, memory, and the exponent of growth in the number of processes. Then what
//! three values cost compared with two, and the ways to hold values compared. With a `NuSMV` on the path it decides the same
//! models. Then synchronous systems in SMV (`synchronous`). Arguments are the parts that are wanted: `families`, `synchronous`, `values`, `ways`; none: all. Exits with 1 if a figure is beyond its bound.

#![allow(clippy::print_stdout, reason = "a measurement's output is what it prints")]

mod synchronous;

use std::fmt::Write as _;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use tertium_base::{Budget, memory};
use tertium_bench::best_of;
use tertium_check::explicit::Explicit;
use tertium_check::lattice_valued::LatticeTask;
use tertium_check::symbolic::{self, Atoms, Pair, Symbolic, ternary_values};
use tertium_check::{Ask, Engine, Filter, Task};
use tertium_dd::{TransitionRelation, with_deep_stack};
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::symbolic::{self as program_sets, Encoding};
use tertium_driver::program::{CheckOptions, ProgramFile, check, export, from_text, questions};
use tertium_evidence::Reading;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Format, Model, read_bytes};

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

/// Three values may cost this much of two.
const RATIO_BOUND: f64 = 2.2;
/// Some family must reach this many states, as a power of ten.
const STATES_BOUND: f64 = 20.0;
/// NuSMV gets this long for one model.
const PEER_SECONDS: u64 = 60;

struct Family {
    name: &'static str,
    sizes: &'static [usize],
    text: fn(usize) -> String,
}

const FAMILIES: [Family; 5] = [
    Family { name: "philosophers", sizes: &[10, 20, 40, 80, 160], text: philosophers },
    Family { name: "token ring", sizes: &[10, 20, 40, 80, 160], text: ring },
    Family { name: "counters", sizes: &[4, 8, 16, 32, 64], text: counters },
    Family { name: "bakery, tickets to 7", sizes: &[2, 3, 4, 5], text: bakery },
    Family { name: "peterson", sizes: &[2, 3, 4, 5, 6], text: peterson },
];

/// Each takes its left fork, then its right one; the last one the other way round, so that nobody starves together.
fn philosophers(count: usize) -> String {
    let mut text = format!("system philosophers\nvar fork : array[0..{}] of bool = false\n", count - 1);
    for at in 0..count {
        let (left, right) = (at, (at + 1) % count);
        let (first, second) = if at + 1 == count { (right, left) } else { (left, right) };
        let _ = writeln!(
            text,
            "process P{at} {{ loop {{ think: when !fork[{first}] do fork[{first}] := true; \
             when !fork[{second}] do fork[{second}] := true; eat: fork[{second}] := false; fork[{first}] := false }} }}"
        );
    }
    let _ = writeln!(text, "property apart : ctl AG !(P0@eat && P1@eat)\nproperty eats : ctl AG EF P0@eat");
    text
}

/// A token goes round; who has it may work.
fn ring(count: usize) -> String {
    let mut text = "system ring\n".to_owned();
    for at in 0..count {
        let _ = writeln!(text, "var t{at} : bool = {}", at == 0);
    }
    for at in 0..count {
        let next = (at + 1) % count;
        let _ = writeln!(
            text,
            "process P{at} {{ var work : 0..3 = 0\n loop {{ choose {{ when work < 3 do work := work + 1 }} or {{ \
             hold: when t{at} && work > 0 do work := work - 1; t{at}, t{next} := false, true }} }} }}"
        );
    }
    let _ = writeln!(text, "property one : ctl AG !(t0 && t1)\nproperty comes : ctl AG EF t1");
    text
}

/// Counters that know nothing of each other.
fn counters(count: usize) -> String {
    let mut text = "system counters\n".to_owned();
    for at in 0..count {
        let _ = writeln!(
            text,
            "process C{at} {{ var x : 0..99 = 0\n loop {{ choose {{ when x < 99 do x := x + 1 }} or {{ \
             when x > 0 do x := x - 1 }} }} }}"
        );
    }
    let _ = writeln!(
        text,
        "property top : ctl EF (C0.x = 99 && C{}.x = 99)\nproperty back : ctl AG EF C0.x = 0",
        count - 1
    );
    text
}

/// Lamport's bakery; a ticket beyond the last one waits.
fn bakery(count: usize) -> String {
    let mut text = format!(
        "system bakery\nvar number : array[0..{}] of 0..7 = 0\nvar choosing : array[0..{0}] of bool = false\n",
        count - 1
    );
    for at in 0..count {
        let mut most = "number[0]".to_owned();
        for other in 1..count {
            most = format!("(if number[{other}] > {most} then number[{other}] else {most})");
        }
        let _ = write!(
            text,
            "process P{at} {{ loop {{ choosing[{at}] := true; when {most} < 7 do number[{at}] := {most} + 1; choosing[{at}] := false; "
        );
        for other in (0..count).filter(|&other| other != at) {
            let sooner = if other < at { "<=" } else { "<" };
            let _ = write!(
                text,
                "await !choosing[{other}]; await number[{other}] = 0 || !(number[{other}] {sooner} number[{at}]); "
            );
        }
        let _ = writeln!(text, "critical: skip; number[{at}] := 0 }} }}");
    }
    let _ =
        writeln!(text, "property mutex : ctl AG !(P0@critical && P1@critical)\nproperty enters : ctl EF P0@critical");
    text
}

/// Peterson's filter: a level at a time, and the last to come waits.
fn peterson(count: usize) -> String {
    let last = count - 1;
    let mut text = format!(
        "system peterson\nvar level : array[0..{last}] of 0..{last} = 0\nvar victim : array[1..{last}] of 0..{last} = 0\n"
    );
    for at in 0..count {
        let _ = write!(text, "process P{at} {{ loop {{ ");
        for level in 1..count {
            let others: Vec<String> =
                (0..count).filter(|&o| o != at).map(|o| format!("level[{o}] < {level}")).collect();
            let _ = write!(
                text,
                "level[{at}] := {level}; victim[{level}] := {at}; await victim[{level}] != {at} || ({}); ",
                others.join(" && ")
            );
        }
        let _ = writeln!(text, "critical: skip; level[{at}] := 0 }} }}");
    }
    let _ = writeln!(
        text,
        "property mutex : ctl AG !(P0@critical && P1@critical)\nproperty enters : ctl AG EF P0@critical"
    );
    text
}

fn loaded(text: &str) -> ProgramFile {
    from_text("family.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// What one model cost.
struct Cost {
    time: Duration,
    log10_states: f64,
    peak_nodes: usize,
    memory: usize,
}

/// What takes less than a second is done three times, and the best time counts.
fn measure(file: &ProgramFile) -> Cost {
    let mut time = decided(file);
    for _ in 0..2 {
        if time < Duration::from_secs(1) {
            time = time.min(decided(file));
        }
    }
    let budget = Budget::unlimited();
    // Once more for the figures; what is measured above ends with the answers.
    let figures =
        with_deep_stack(|| Encoding::new(&file.program, &budget, &mut |_| {}).map(|encoding| encoding.figures()));
    let figures = figures.expect("a thread").unwrap_or_else(|why| panic!("{why:?}"));
    let log10_states = figures.log10_states.unwrap_or(0.0);
    Cost { time, log10_states, peak_nodes: figures.peak_nodes, memory: figures.bytes }
}

/// How long it takes to decide all properties, which are true.
fn decided(file: &ProgramFile) -> Duration {
    let budget = Budget::unlimited();
    let start = Instant::now();
    let asked = questions::questions(
        file,
        &["apart", "eats", "one", "comes", "top", "back", "mutex", "enters"]
            .iter()
            .filter(|name| file.program.properties.iter().any(|property| property.name == **name))
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>(),
        false,
    )
    .expect("they are there");
    let options = CheckOptions { engine: EngineChoice::Symbolic, look_for_idle: false, ..CheckOptions::default() };
    let outcome = check(file, &asked, &options, &budget, &()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let time = start.elapsed();
    for answer in &outcome.answers {
        assert_eq!(answer.value().letter(), "t", "{} of {}", answer.name, file.program.name);
    }
    time
}

/// The least-squares exponent of time over size, logarithms of both.
fn fitted(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x.ln(), y.max(1e-6).ln())).collect();
    let count = logs.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| logs.iter().map(pick).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|p| p.0), mean(|p| p.1));
    let over: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let under: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    over / under
}

/// Seconds that NuSMV takes for the same model, if it is there and ends in time.
fn peer(file: &ProgramFile) -> Option<f64> {
    let text = export::smv::text(file).ok()?;
    let path = std::env::temp_dir().join(format!("tertium-bench-{}.smv", std::process::id()));
    std::fs::write(&path, text).ok()?;
    let start = Instant::now();
    let limit = PEER_SECONDS.to_string();
    let done = Command::new("timeout").args([limit.as_str(), "NuSMV"]).arg(&path).output();
    let seconds = start.elapsed().as_secs_f64();
    let _ = std::fs::remove_file(&path);
    done.ok().filter(|output| output.status.success()).map(|_| seconds)
}

fn families(over: &mut Vec<String>) {
    let has_peer = Command::new("NuSMV").arg("-h").output().is_ok();
    println!(
        "{:<22} {:>5} {:>12} {:>9} {:>11} {:>9} {:>9}",
        "family", "size", "states", "seconds", "peak nodes", "MB", "NuSMV s"
    );
    let (mut most, mut ratios) = (0.0f64, Vec::new());
    for family in &FAMILIES {
        let mut points = Vec::new();
        for &size in family.sizes {
            let file = loaded(&(family.text)(size));
            let cost = measure(&file);
            let other = if has_peer { peer(&file) } else { None };
            let seconds = cost.time.as_secs_f64();
            ratios.extend(other.map(|other| seconds / other));
            let told = other.map_or("-".to_owned(), |seconds| format!("{seconds:.2}"));
            println!(
                "{:<22} {size:>5} {:>12} {seconds:>9.3} {:>11} {:>9} {told:>9}",
                family.name,
                format!("{:.1}e{}", 10f64.powf(cost.log10_states.fract()), cost.log10_states.trunc()),
                cost.peak_nodes,
                cost.memory >> 20,
            );
            points.push((size as f64, seconds));
            most = most.max(cost.log10_states);
        }
        println!("{:<22} time grows like size^{:.1}", "", fitted(&points));
    }
    if most < STATES_BOUND {
        over.push(format!("no family reached 10^{STATES_BOUND} states"));
    }
    if ratios.is_empty() {
        println!("NuSMV is not on the path: our side alone");
    } else {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!("our time over NuSMV's, geometric mean: {mean:.2}");
    }
}

fn formula(text: &str, logic: Logic) -> Formula {
    parse(text, &ParseOptions::in_logic(logic)).formula.expect("it is one")
}

/// The same structure with and without open steps and labels.
fn openness(over: &mut Vec<String>) {
    println!("\nthree values against two, on the same sets (bound {RATIO_BOUND})");
    for family in [&FAMILIES[0], &FAMILIES[1], &FAMILIES[3]] {
        let size = family.sizes[family.sizes.len() - 2];
        let file = loaded(&(family.text)(size));
        let (two, three) = with_deep_stack(|| two_and_three(&file)).expect("a thread");
        let ratio = three / two;
        println!("{:<22} {size:>5} {ratio:>6.2}  ({three:.4} s, {two:.4} s)", family.name);
        if ratio > RATIO_BOUND {
            over.push(format!("three values cost {ratio:.2} times two for {}", family.name));
        }
    }
}

/// Seconds for two values, and for three.
fn two_and_three(file: &ProgramFile) -> (f64, f64) {
    let budget = Budget::unlimited();
    let asked = formula("AG (p -> EF q)", Logic::Ctl);
    let time = |open: bool| {
        let work = || {
            // A fresh store each time: results that are remembered from the last time cost nothing.
            let encoding = Encoding::new(&file.program, &budget, &mut |_| {}).unwrap_or_else(|why| panic!("{why:?}"));
            let mut structure = program_sets::structure(&encoding, &[], false, false).expect("room");
            let labels: Vec<Pair> = file
                .program
                .properties
                .iter()
                .take(2)
                .flat_map(|property| property.atoms.values())
                .take(2)
                .map(|&atom| program_sets::label(&encoding, atom).unwrap_or_else(|why| panic!("{why:?}")))
                .collect();
            let mut labels: Vec<Option<Pair>> =
                [labels[0].clone(), labels[labels.len() - 1].clone()].into_iter().map(Some).collect();
            if open {
                for (filter, steps) in &mut structure.steps {
                    if *filter == Filter::Any {
                        steps.certain = Some(TransitionRelation { parts: steps.possible.parts[1..].to_vec() });
                    }
                }
                if let Some(label) = &mut labels[0] {
                    label.yes = label.yes.and(&labels_of_half(&structure)).expect("room");
                }
            }
            let atoms = Atoms { labels, ..Atoms::default() };
            let start = Instant::now();
            symbolic::evaluate(&structure, &asked, &atoms, false).unwrap_or_else(|why| panic!("{why:?}"));
            start.elapsed()
        };
        (0..9).map(|_| work()).min().unwrap_or_default()
    };
    (time(false).as_secs_f64(), time(true).as_secs_f64())
}

/// Half of all states, by their first bit.
fn labels_of_half(structure: &symbolic::Structure) -> tertium_dd::Set {
    structure.diagrams.bit(structure.bits[0].0).expect("room")
}

/// The ways to hold values, on a grid whose steps are partly open.
fn representations() {
    println!("\nways to hold three values, seconds for AG EF q and A[p U q]");
    println!("{:<22} {:>9} {:>12} {:>9} {:>9}", "structure", "two sets", "one per cut", "ternary", "explicit");
    for side in [32usize, 64, 128] {
        let (kmts, lattice) = (grid(side, false), grid(side, true));
        let read = |text: &str| {
            read_bytes("grid", Format::Json, text.as_bytes(), &Budget::unlimited()).expect("no limit").model
        };
        let (Some(Model::Kmts(kmts)), Some(Model::Lattice(lattice))) = (read(&kmts), read(&lattice)) else {
            panic!("a grid is not what it was written as");
        };
        let budget = Budget::unlimited();
        let mut times = [0.0; 4];
        for text in ["AG EF q", "A[p U q]"] {
            let asked = formula(text, Logic::Ctl);
            let task = Task::new(&kmts, &asked, Reading::default(), Ask::All, &budget).expect("names are known");
            let over_lattice = LatticeTask::new(&lattice, &asked, &budget).expect("names are known");
            let (pairs, found) = best_of(2, || Symbolic.values(&task).expect("supported"));
            let (cuts, _) = best_of(2, || symbolic::lattice_values(&over_lattice).expect("supported"));
            let (three, ternary) = best_of(1, || ternary_values(&task).expect("supported"));
            let (listed, explicit) = best_of(2, || Explicit.values(&task).expect("supported"));
            assert!(found == explicit && ternary == explicit, "the ways disagree on {text}");
            for (sum, time) in times.iter_mut().zip([pairs, cuts, three, listed]) {
                *sum += time.as_secs_f64();
            }
        }
        println!(
            "{:<22} {:>9.3} {:>12.3} {:>9.3} {:>9.3}",
            format!("grid {side} x {side}"),
            times[0],
            times[1],
            times[2],
            times[3]
        );
    }
}

/// A square of states with steps right and down; those of every third column are only possible.
fn grid(side: usize, lattice: bool) -> String {
    let name = |x: usize, y: usize| format!("s{}", x * side + y);
    let (mut states, mut edges, mut may, mut must) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for x in 0..side {
        for y in 0..side {
            let p = if (x + y).is_multiple_of(7) { "u" } else { "t" };
            let q = if x + 1 == side && y + 1 == side { "t" } else { "f" };
            states.push(format!("\"{}\": {{\"p\": \"{p}\", \"q\": \"{q}\"}}", name(x, y)));
            for (to_x, to_y) in [((x + 1) % side, y), (x, (y + 1) % side)] {
                let (from, to) = (name(x, y), name(to_x, to_y));
                let certain = !x.is_multiple_of(3);
                edges.push(format!("[\"{from}\", \"{}\", \"{to}\"]", if certain { "t" } else { "u" }));
                may.push(format!("[\"{from}\", \"{to}\"]"));
                if certain {
                    must.push(format!("[\"{from}\", \"{to}\"]"));
                }
            }
        }
    }
    let states = states.join(", ");
    if lattice {
        format!(
            "{{\"lattice\": \"K3\", \"props\": [\"p\", \"q\"], \"states\": {{{states}}}, \"edges\": [{}], \"init\": \"s0\"}}",
            edges.join(", ")
        )
    } else {
        format!(
            "{{\"props\": [\"p\", \"q\"], \"states\": {{{states}}}, \"may\": [{}], \"must\": [{}], \"init\": \"s0\"}}",
            may.join(", "),
            must.join(", ")
        )
    }
}

fn main() -> ExitCode {
    let parts: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|one| one == part);
    let mut over = Vec::new();
    if wanted("families") {
        families(&mut over);
    }
    if wanted("synchronous") {
        synchronous::measure(&mut over);
    }
    if wanted("values") {
        openness(&mut over);
    }
    if wanted("ways") {
        representations();
    }
    for figure in &over {
        println!("beyond its bound: {figure}");
    }
    if over.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

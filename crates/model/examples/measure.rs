//! How fast are structures read, and how much memory does it take?
//!
//! `cargo run --release -p tertium-model --example measure -- [STATES] [EDGES_A_STATE] [FOLDER]` writes a random
//! structure in both formats and reads it again; then compares two structures of 2,000 states and minimises.
//! Times are processor times.

#![allow(clippy::print_stdout, reason = "a program that reports measurements")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tertium_base::Budget;
use tertium_base::memory::{self, CountingAllocator};
use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_model::{Format, Kmts, KmtsBuilder, Model, StateId, minimise, read_file, refines, write_kmts};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Seconds of processor time that this program has used: on a busy machine the clock on the wall says little.
/// From `/proc`, in hundredths of a second; zero elsewhere.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = |at: usize| after_name.split_whitespace().nth(at).and_then(|text| text.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// JSON in the order that generators usually write: states, then must, then may with the must edges again.
fn write_random_json(path: &Path, states: usize, degree: usize) -> std::io::Result<()> {
    let mut random = Random(1);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    write!(out, "{{\"states\": {{")?;
    for state in 0..states {
        let comma = if state == 0 { "" } else { ", " };
        let value = |random: &mut Random| ["t", "f", "u"][random.below(3)];
        write!(out, "{comma}\"s{state}\": {{\"p\": \"{}\", \"q\": \"{}\"}}", value(&mut random), value(&mut random))?;
    }
    write!(out, "}}, \"props\": [\"p\", \"q\"], \"must\": [")?;
    let edges: Vec<(u32, u32)> = (0..states)
        .flat_map(|state| (0..degree).map(move |_| to_u32(state)))
        .map(|from| (from, to_u32(random.below(states))))
        .collect();
    for (at, (from, to)) in edges.iter().step_by(2).enumerate() {
        write!(out, "{}[\"s{from}\", \"s{to}\"]", if at == 0 { "" } else { ", " })?;
    }
    write!(out, "], \"may\": [")?;
    for (at, (from, to)) in edges.iter().enumerate() {
        write!(out, "{}[\"s{from}\", \"s{to}\"]", if at == 0 { "" } else { ", " })?;
    }
    write!(out, "], \"init\": \"s0\"}}")?;
    out.flush()
}

fn measure_reading(path: &Path, format: Format) -> Option<Kmts> {
    let bytes = std::fs::metadata(path).map_or(0, |data| data.len());
    let (before, start) = (memory::in_use(), processor_seconds());
    let loaded = read_file(path, format, &Budget::unlimited()).ok()?;
    let time = (processor_seconds() - start).max(0.01);
    let Some(Model::Kmts(kmts)) = loaded.model else { panic!("{:?}", loaded.diagnostics) };
    let edges = kmts.edge_count() as f64;
    println!(
        "{format:?}: {:.0} MB in {time:.2} s = {:.0} MB/s; {} states, {} edges; peak {:.1} bytes an edge, kept {:.1}",
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / time,
        kmts.state_count(),
        kmts.edge_count(),
        (memory::peak() - before) as f64 / edges,
        (memory::in_use() - before) as f64 / edges,
    );
    Some(kmts)
}

fn random_kmts(seed: u64, states: usize, degree: usize) -> Kmts {
    let mut random = Random(seed);
    let mut builder = KmtsBuilder::new();
    let prop = builder.add_prop("p");
    let ids: Vec<StateId> = (0..states).map(|at| builder.add_state(&format!("s{at}"))).collect();
    for &state in &ids {
        let value = [Belnap::Unknown, Belnap::Unknown, Belnap::Unknown, Belnap::True][random.below(4)];
        builder.set_label(state, prop, value);
        for _ in 0..degree {
            builder.add_edge(state, ids[random.below(states)], true, random.below(4) == 0, None);
        }
    }
    builder.finish().expect("small")
}

fn measure_preorder() {
    let (a, c) = (random_kmts(5, 2000, 5), random_kmts(6, 2000, 5));
    for (name, right) in [("itself", &a), ("another", &c)] {
        let start = processor_seconds();
        let relation = refines(&a, right, &Budget::unlimited()).expect("no limit");
        println!(
            "preorder 2000 x 2000 with {name}: {:.2} s, {} pairs",
            processor_seconds() - start,
            relation.pairs().count()
        );
    }
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (states, degree) = (number(1_000_000), number(5));
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let (json, lines) = (folder.join("tertium-measure.json"), folder.join("tertium-measure.kmts"));
    write_random_json(&json, states, degree)?;
    let Some(kmts) = measure_reading(&json, Format::Json) else { return Ok(()) };
    let mut out = BufWriter::new(File::create(&lines)?);
    write_kmts(&mut out, &Model::Kmts(kmts), &[])?;
    out.flush()?;
    drop(out);
    let kmts = measure_reading(&lines, Format::Kmts);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("{line}");
    }
    measure_preorder();
    if let Some(kmts) = kmts {
        let start = processor_seconds();
        let small = minimise(&kmts, &Budget::unlimited()).expect("no limit");
        println!(
            "minimise: {:.2} s, {} of {} states",
            processor_seconds() - start,
            small.structure.state_count(),
            kmts.state_count()
        );
    }
    std::fs::remove_file(json)?;
    std::fs::remove_file(lines)
}

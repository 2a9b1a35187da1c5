//! Synchronous systems in SMV as users write them, decided by default: arbiters, shift registers, counters, pipelines, protocols, caches, a production cell,
//! and gates with any delay. Where there is a NuSMV it decides the same text.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Instant;

use tertium_base::Budget;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{Extras, ProgramFile, smv};
use tertium_driver::strategy::{ProgramQuery, Wishes, decide};

/// Each model may take this long.
const BOUND_SECONDS: f64 = 1.0;
/// NuSMV gets this long for one model.
const PEER_SECONDS: &str = "60";

/// McMillan's arbiter: a token goes round; who has had it and still asks comes first.
fn arbiter(cells: usize) -> String {
    let mut text = "MODULE cell(token_in, override_in, grant_in, request, first)
VAR token : boolean; persistent : boolean;
DEFINE
  override_out := override_in | (token & persistent);
  grant_out := !request & grant_in;
  ack := request & ((token & persistent) | grant_in);
ASSIGN
  init(token) := first; next(token) := token_in;
  init(persistent) := FALSE; next(persistent) := request & (persistent | token);
MODULE main
VAR
"
    .to_owned();
    for at in 0..cells {
        let _ = writeln!(text, "  r{at} : boolean;");
    }
    for at in 0..cells {
        let token = format!("e{}.token", (at + cells - 1) % cells);
        let over = if at + 1 == cells { "FALSE".to_owned() } else { format!("e{}.override_out", at + 1) };
        let grant = if at == 0 { "!e0.override_out".to_owned() } else { format!("e{}.grant_out", at - 1) };
        let first = if at == 0 { "TRUE" } else { "FALSE" };
        let _ = writeln!(text, "  e{at} : cell({token}, {over}, {grant}, r{at}, {first});");
    }
    let apart: Vec<String> = (1..cells).flat_map(|a| (0..a).map(move |b| format!("!(e{a}.ack & e{b}.ack)"))).collect();
    let _ = writeln!(text, "SPEC AG ({})\nSPEC AG (e0.ack -> r0)\nSPEC AG AF (r0 -> e0.ack)", apart.join(" & "));
    // One that is false has a run.
    let _ = writeln!(text, "SPEC AF e1.ack\nLTLSPEC G F e0.ack");
    text
}

fn shift_register(bits: usize) -> String {
    let mut text = "MODULE main\nVAR input : boolean;\n".to_owned();
    for at in 0..bits {
        let _ = writeln!(text, "  b{at} : boolean;");
    }
    text.push_str("ASSIGN next(b0) := input; init(b0) := FALSE;\n");
    for at in 1..bits {
        let _ = writeln!(text, "  init(b{at}) := FALSE; next(b{at}) := b{};", at - 1);
    }
    let _ = writeln!(text, "SPEC AG (b0 -> AX b1)\nSPEC AG EF b{0}\nLTLSPEC G (input -> F b{0})", bits - 1);
    text
}

fn counter(bits: usize) -> String {
    let mut text =
        "MODULE cell(carry)\nVAR value : boolean;\nASSIGN init(value) := FALSE; next(value) := value xor carry;\n\
        DEFINE out := value & carry;\nMODULE main\nVAR\n  b0 : cell(TRUE);\n"
            .to_owned();
    for at in 1..bits {
        let _ = writeln!(text, "  b{at} : cell(b{}.out);", at - 1);
    }
    let _ = writeln!(text, "SPEC AG EF b{0}.out\nINVARSPEC b{0}.out -> b0.value", bits - 1);
    text
}

fn pipeline(stages: usize) -> String {
    let mut text = "MODULE stage(valid_in, data_in, stall)
VAR valid : boolean; data : 0..3;
ASSIGN
  init(valid) := FALSE; next(valid) := case stall : valid; TRUE : valid_in; esac;
  init(data) := 0; next(data) := case stall : data; TRUE : data_in; esac;
MODULE main
VAR stall : boolean; input : boolean; data : 0..3;
  s0 : stage(input, data, stall);
"
    .to_owned();
    for at in 1..stages {
        let _ = writeln!(text, "  s{at} : stage(s{0}.valid, s{0}.data, stall);", at - 1);
    }
    let _ =
        writeln!(text, "FAIRNESS !stall\nSPEC AG (s0.valid -> AF s{0}.valid)\nSPEC AG EF s{0}.data = 3", stages - 1);
    text
}

/// The alternating bit protocol of the corpus with this many messages.
fn alternating_bit(messages: usize) -> String {
    include_str!("../../corpus/smv/abp_bits.smv").replace("0..3", &format!("0..{}", messages - 1))
}

fn models() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut family = |name: &str, sizes: &[usize], text: fn(usize) -> String| {
        found.extend(sizes.iter().map(|&size| (format!("{name} {size}"), text(size))));
    };
    family("arbiter", &[10, 20, 40], arbiter);
    family("shift register", &[64, 256], shift_register);
    family("counter", &[12, 16], counter);
    family("pipeline", &[8, 20], pipeline);
    family("alternating bit", &[4, 16, 256], alternating_bit);
    let fixed = [
        ("cache bus", include_str!("../../corpus/smv/large/cache_bus.smv")),
        ("write transactions", include_str!("../../corpus/smv/large/write_transactions.smv")),
        ("production cell", include_str!("../../corpus/smv/large/production_cell.smv")),
        ("gates with delays", include_str!("../../corpus/smv/large/token_ring_gates.smv")),
    ];
    found.extend(fixed.map(|(name, text)| (name.to_owned(), text.to_owned())));
    found
}

/// Seconds that all specifications take by default.
fn decided(file: &ProgramFile) -> f64 {
    let start = Instant::now();
    let asked = questions(file, &[], false).unwrap_or_else(|failure| panic!("{failure:?}"));
    let wishes = Wishes::default();
    let query = ProgramQuery { file, questions: &asked, wishes: &wishes };
    let outcome = decide(&query, &Budget::unlimited(), &()).unwrap_or_else(|failure| panic!("{failure:?}"));
    for answer in &outcome.answers {
        assert!(answer.verdict.is_definite(), "{} is open", answer.name);
    }
    start.elapsed().as_secs_f64()
}

/// Seconds that NuSMV takes, with its defaults or with these options; none if it does not end in time.
fn peer(text: &str, options: &[&str]) -> Option<f64> {
    let path = std::env::temp_dir().join(format!("tertium-bench-{}.smv", std::process::id()));
    std::fs::write(&path, text).ok()?;
    let start = Instant::now();
    let done = Command::new("timeout").args([PEER_SECONDS, "NuSMV"]).args(options).arg(&path).output();
    let seconds = start.elapsed().as_secs_f64();
    let _ = std::fs::remove_file(&path);
    done.ok().filter(|output| output.status.success()).map(|_| seconds)
}

/// Measures all models; what takes too long is told.
pub(crate) fn measure(over: &mut Vec<String>) {
    println!("\nsynchronous systems in SMV, decided by default (bound {BOUND_SECONDS} s each)");
    println!("{:<22} {:>9} {:>9}", "model", "seconds", "NuSMV s");
    let has_peer = Command::new("NuSMV").arg("-h").output().is_ok();
    let mut ratios = Vec::new();
    for (name, text) in models() {
        let file = smv::from_text("model.smv", &text, &[], None, &[], &Extras::default())
            .unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        let mut seconds = decided(&file);
        if seconds < 1.0 {
            seconds = (0..2).map(|_| decided(&file)).fold(seconds, f64::min);
        }
        let other = if has_peer {
            let (plain, tuned) = (peer(&text, &[]), peer(&text, &["-dynamic", "-coi", "-df"]));
            plain.into_iter().chain(tuned).reduce(f64::min)
        } else {
            None
        };
        ratios.extend(other.map(|other| seconds / other));
        let told = other.map_or("-".to_owned(), |other| format!("{other:.3}"));
        println!("{name:<22} {seconds:>9.3} {told:>9}");
        if seconds > BOUND_SECONDS {
            over.push(format!("{name} takes {seconds:.2} s"));
        }
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!("our time over NuSMV's, geometric mean: {mean:.2}");
    }
}

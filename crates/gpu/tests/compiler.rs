//! Does CUDA's own compiler accept what is printed? It needs no device; where it is not installed, that is said.
#![cfg(feature = "cuda")]

use std::path::Path;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::liveness::Scheduling;
use tertium_gpu::automaton::{Automaton, Move};
use tertium_gpu::cuda::compile;
use tertium_gpu::device::DeviceError;
use tertium_gpu::seen::SeenRows;
use tertium_gpu::source::SearchSource;
use tertium_program::{ExprId, Program, Semantics};

/// The architecture of the reference machine.
const HOPPER: &str = "sm_90";

/// Two states, one mark, weak and strong fairness.
fn automaton(program: &Program) -> Automaton {
    let one = |care, target, marks| Move { care, values: care, target, marks };
    let atoms = (0..program.exprs.len().min(1)).map(ExprId::new).collect();
    let moves = vec![vec![one(0, 0, 0), one(1, 1, 0)], vec![one(0, 1, 1)]];
    Automaton { atoms, moves, marks: 1, stutters: true, fair: Scheduling { weak: vec![0], strong: vec![1] } }
}

/// Whether there is a compiler.
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn accepts(program: &Program, name: &str) -> bool {
    let semantics = Semantics::new(program);
    let compiled = Compiled::of(&semantics);
    let initial = semantics.initial_states(1, &Budget::unlimited()).expect("one");
    let row = compiled.representative(&compiled.plain().row(&initial[0]));
    let mut seen = SeenRows::looking_at(1000);
    seen.look_from(&compiled, std::slice::from_ref(&row), &Budget::unlimited());
    let keys = seen.keys(&compiled, 1);
    let sources =
        [SearchSource::of(&compiled, &keys, &[]), SearchSource::of_product(&compiled, &keys, &automaton(program))];
    for source in sources {
        match compile(&source.expect("nothing unusual"), HOPPER) {
            Ok(image) => assert!(!image.is_empty(), "{name}"),
            Err(DeviceError::Missing(why)) => {
                eprintln!("skipped: {why}");
                return false;
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    true
}

#[test]
fn programs_and_products() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let text = std::fs::read_to_string(folder.join("gcl/bakery_a.gcl")).expect("a readable file");
    let program = tertium_gcl::compile(&text).program.expect("the corpus is well-formed");
    if !accepts(&program, "bakery_a") {
        return;
    }
    // Keys, dynamic processes, channels, atomic blocks, time-outs, and what the definition of a step is asked for.
    let names = ["run_rec", "rv_atomic_chain", "buf_fifo", "timeout_two", "sorted_multi", "chan_pass", "divmod_neg"];
    for name in names {
        let file = folder.join(format!("promela/micro/micro_{name}.pml"));
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let read = tertium_promela::read(name, &text, &tertium_promela::Options::default());
        accepts(&tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program, name);
    }
}

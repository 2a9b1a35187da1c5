//! Any text as a stored run of one of several fixed programs, in ITF or as a trail of Spin: no panic, no internal error; what is
//! accepted is a run, and it shows something only if its states say so.
#![no_main]

use std::sync::OnceLock;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tertium_base::Budget;
use tertium_driver::program::run_evidence::{RunEvidence, shows};
use tertium_driver::program::simulate::Simulator;
use tertium_driver::program::{ProgramFile, from_text, itf, promela, questions::questions, semantics, trail};
use tertium_driver::{Belnap, Failure};

const COUNTER: &str = "system counter\nvar x : 0..3 = 0\nvar a : array[0..1] of bool = false\n\
    process P { loop { choose { when x < 3 do x := x + 1; } or { when x > 0 do x := x - 1; } } }\n\
    process Q { a[0] := true; assert x < 3; await x = 2; a[x] := true; }\nfair Q\n\
    property small : ltl G (x < 2)\nproperty returns : ltl G F (x = 0)\nproperty reach : ctl EF (x = 3)\n";
const CHANNEL: &str = "mtype { go, stop }; chan c = [1] of { mtype, byte }; byte x;\n\
    active proctype A() { do :: x < 3 -> x++; c!go(x) :: x == 3 -> c!stop(0); break od }\n\
    active proctype B() { byte y; do :: c?go(y) -> accept: assert(y < 3) :: c?stop(y) -> run C(y); break od }\n\
    proctype C(byte z) { x = z }\nnever { do :: x == 3 -> break :: else od }\nltl low { [] (x < 3) }\n";

fn models() -> &'static [ProgramFile; 2] {
    static MODELS: OnceLock<[ProgramFile; 2]> = OnceLock::new();
    MODELS.get_or_init(|| {
        let gcl = from_text("counter.gcl", COUNTER.to_owned(), &[], None).expect("a program");
        let pml = promela::from_text("channel.pml", CHANNEL, &[], None, &[], &[]).expect("a model");
        [gcl, pml]
    })
}

fn refused(failure: &Failure) {
    match failure {
        Failure::Input(messages) => {
            tertium_fuzz::render_all(messages.iter().map(|found| (&found.diagnostic, found.source.as_deref())));
        }
        Failure::Stopped(_) => {}
        Failure::Internal(what) => panic!("{what}"),
    }
}

fn replay(file: &ProgramFile, text: &str) -> Result<(), Failure> {
    let stored = itf::read(file, text)?;
    let mut simulator = Simulator::along(file, &stored);
    simulator.replay(&stored)?;
    let semantics = semantics(file);
    for question in questions(file, &[], false)? {
        for fair in [false, true] {
            shows(&semantics, &question, simulator.run(), fair)?;
        }
    }
    if let Some(small) = questions(file, &["small".to_owned()], false).ok().and_then(|mut all| all.pop()) {
        let high = simulator.run().states().any(|state| state.slots[0] >= 2);
        let found = shows(&semantics, &small, simulator.run(), false)?;
        assert_eq!(found == RunEvidence::Value(Belnap::False), high, "{text}");
    }
    Ok(())
}

fn follow(file: &ProgramFile, text: &str) -> Result<(), Failure> {
    let budget = Budget::unlimited().with_time(Some(Duration::from_secs(1))).with_memory(Some(1 << 30));
    let trail = trail::read(text)?;
    Simulator::new(file, &budget)?.follow(&trail, &budget)?;
    Ok(())
}

fuzz_target!(|text: &str| {
    for file in models() {
        if let Err(failure) = replay(file, text) {
            refused(&failure);
        }
    }
    if let Err(failure) = follow(&models()[1], text) {
        refused(&failure);
    }
});

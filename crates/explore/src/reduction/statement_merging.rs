//! Statement merging (Holzmann 1999): at which private locations need a process not even stop?
//!
//! A process that arrives at a private location goes on at once, as if inside an uninterruptible block, and the state is
//! never stored, unless the process is stuck there. No way may lead through such locations round and round: of each
//! circle of private locations one stays where states are stored, so that a chain of merged steps ends.

use tertium_base::BitSet;
use tertium_program::{Hold, LocationId, ProcessId, Program};

/// Of the private locations of each process those at which it need not stop.
pub(super) fn merged(program: &Program, private: &[BitSet]) -> Vec<BitSet> {
    program.process_ids().map(|process| of_process(program, process, &private[process.index()])).collect()
}

fn of_process(program: &Program, process: ProcessId, private: &BitSet) -> BitSet {
    let code = program.process(process);
    let mut merged = BitSet::empty(code.locations.len());
    for at in private.iter() {
        if code.locations[at].hold == Hold::Free && !reaches_itself(program, process, &merged, at) {
            merged.insert(at);
        }
    }
    merged
}

/// Whether a way from this location leads back to it through nothing but merged locations and itself.
fn reaches_itself(program: &Program, process: ProcessId, merged: &BitSet, start: usize) -> bool {
    let mut seen = BitSet::empty(merged.len());
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for &step in &program.location(process, LocationId::new(at)).steps {
            let target = program.step(step).target.index();
            if target == start {
                return true;
            }
            if merged.contains(target) && seen.insert(target) {
                open.push(target);
            }
        }
    }
    false
}

//! What do `xr` and `xs` say?
//!
//! Each says that only this process receives from a channel, or sends to it. Nothing enforces that; searches that rely on
//! it watch it. Elements of arrays and fields of structures are left out: nobody relies on those.

use tertium_program::{Direction, Promise};

use super::Lowering;
use crate::ast::{Exclusive, StmtKind};
use crate::symbols::Meaning;

impl Lowering<'_> {
    pub(super) fn promises(&mut self) {
        let units: Vec<_> = self.processes.iter().map(|(&unit, &process)| (unit, process)).collect();
        for (unit, process) in units {
            for stmt in self.body(unit).0 {
                let StmtKind::Exclusive(which, channels) = &stmt.kind else { continue };
                let direction = match which {
                    Exclusive::Receive => Direction::Receive,
                    Exclusive::Send => Direction::Send,
                };
                for channel in channels.iter().filter(|channel| channel.parts.len() == 1) {
                    let Some(Meaning::Variable { symbol, .. }) = self.symbols.meaning(channel.id) else { continue };
                    let Some(&var) = self.places.get(&(*symbol, Vec::new())) else { continue };
                    if self.program.variable(var).dimensions.is_empty() {
                        let span = channel.span;
                        self.program.promises.push(Promise { process, channel: var, direction, span });
                    }
                }
            }
        }
    }
}

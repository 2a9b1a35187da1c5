//! Dead variables: which local variables are never read again before they are written? Live-variable analysis, backwards (Kildall 1973).
//!
//! What such a variable holds decides nothing, so states that differ only there are one: a search keeps the least value of
//! its domain instead. What anybody but the process itself may read, a question included, is never taken for dead.
//! Everything that any logic can say stays as it is, since each state can do what the state it stands for can do.

use std::collections::BTreeSet;

use tertium_base::BitSet;
use tertium_base::narrow::to_u32;
use tertium_program::{Expr, ExprId, LocationId, Place, Process, ProcessId, Program, Scope, Semantics, VarId};

use super::step_accesses::StepAccesses;

/// For each process and location the slots of its frame that hold nothing of interest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeadVariables {
    variables: Vec<Vec<Vec<VarId>>>,
    slots: Vec<Vec<Vec<u32>>>,
}

impl DeadVariables {
    /// The variables that are dead, as far as a question that looks at `seen` is concerned.
    #[must_use]
    pub fn of(semantics: &Semantics<'_>, seen: &[ExprId]) -> Self {
        let program = semantics.program();
        let observed = observed(program, seen);
        let variables = |process: ProcessId| -> Vec<Vec<VarId>> {
            let locals = &program.process(process).locals;
            let dead_at = |live: &BitSet| {
                let dead = locals.iter().enumerate().filter(|(at, var)| !live.contains(*at) && !observed.contains(var));
                dead.map(|(_, &var)| var).collect()
            };
            live(program, process).iter().map(dead_at).collect()
        };
        let slots_of = |&var: &VarId| {
            let first = semantics.layout().variable(var);
            (first..first + program.variable(var).cells()).map(|slot| to_u32(slot))
        };
        let slots = |dead: &Vec<VarId>| dead.iter().flat_map(slots_of).collect();
        let variables: Vec<Vec<Vec<VarId>>> = program.process_ids().map(variables).collect();
        let slots = variables.iter().map(|places| places.iter().map(slots).collect()).collect();
        Self { variables, slots }
    }

    /// The variables that do not matter while a process is at a location.
    #[must_use]
    pub fn variables(&self, process: ProcessId, location: LocationId) -> &[VarId] {
        &self.variables[process.index()][location.index()]
    }

    /// The slots of its frame that do not matter while a process is at a location.
    #[inline]
    #[must_use]
    pub fn at(&self, process: usize, location: usize) -> &[u32] {
        &self.slots[process][location]
    }

    /// Whether nothing is ever dead.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.iter().flatten().all(Vec::is_empty)
    }
}

/// The variables that somebody else than the process whose they are looks at, or assigns.
fn observed(program: &Program, seen: &[ExprId]) -> BTreeSet<VarId> {
    let mut observed = BTreeSet::new();
    look_at(program, None, seen, &mut observed);
    // Whoever watches the promises looks at what they are about.
    observed.extend(program.promises.iter().map(|promise| promise.channel));
    let named = program.defines.iter().chain(&program.predicates).map(|named| named.expr);
    look_at(program, None, &named.collect::<Vec<_>>(), &mut observed);
    for step in &program.steps {
        let touched = StepAccesses::by(program, step);
        look_at(program, Some(step.process), &touched.looked_at, &mut observed);
        observed.extend(touched.written().filter(|&var| program.variable(var).scope != Scope::Local(step.process)));
    }
    observed
}

fn look_at(program: &Program, owner: Option<ProcessId>, roots: &[ExprId], observed: &mut BTreeSet<VarId>) {
    for id in program.exprs.reachable(roots) {
        match program.exprs.get(id) {
            Expr::Var(var) | Expr::Element(var, _)
                if owner.is_some_and(|owner| program.variable(var).scope == Scope::Local(owner)) => {}
            Expr::Var(var) | Expr::Element(var, _) | Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => {
                observed.insert(var);
            }
            _ => {}
        }
    }
}

/// For each location the locals that may be read from there on before they are written.
fn live(program: &Program, process: ProcessId) -> Vec<BitSet> {
    let code = program.process(process);
    let steps: Vec<Vec<(Flow, LocationId)>> = code
        .locations
        .iter()
        .map(|location| {
            let flow = |&id| {
                let step = program.step(id);
                (Flow::of(program, code, &StepAccesses::by(program, step)), step.target)
            };
            location.steps.iter().map(flow).collect()
        })
        .collect();
    let mut live = vec![BitSet::empty(code.locals.len()); code.locations.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..steps.len()).rev() {
            for (flow, target) in &steps[at] {
                let after: Vec<usize> =
                    live[target.index()].iter().filter(|local| !flow.written.contains(local)).collect();
                for local in after.into_iter().chain(flow.read.iter().copied()) {
                    changed |= live[at].insert(local);
                }
            }
        }
    }
    live
}

/// What one step does with the locals of its process, by position.
struct Flow {
    read: BTreeSet<usize>,
    /// Written as a whole, whatever was there before.
    written: BTreeSet<usize>,
}

impl Flow {
    fn of(program: &Program, code: &Process, touched: &StepAccesses) -> Self {
        let position = |var: VarId| code.locals.iter().position(|&local| local == var);
        let read =
            program.exprs.reachable(&touched.looked_at).into_iter().filter_map(|id| match program.exprs.get(id) {
                Expr::Var(var) | Expr::Element(var, _) => position(var),
                _ => None,
            });
        let whole = |place: &Place| match place {
            Place::Var(var) if program.variable(*var).dimensions.is_empty() => position(*var),
            _ => None,
        };
        Self { read: read.collect(), written: touched.places.iter().filter_map(whole).collect() }
    }
}

//! What does a step mean as a formula?
//!
//! For programs with fixed processes: the guard, the condition under which nothing goes wrong, and the
//! simultaneous assignment of a step as expressions, and from them weakest preconditions and strongest
//! postconditions. The step is the one of [`crate::semantics`], which tests compare with on random programs.
//!
//! Inputs stay free: read a precondition existentially to ask whether the step *can* lead somewhere, universally to
//! ask whether it *must*. Not here: channels and process creation, which abstraction keeps concrete.

use std::collections::HashMap;

use tertium_base::narrow::{to_i64, to_u32};

use crate::analysis::partial_evaluation::{fold, rewrite};
use crate::expr::{Binary, Expr, ExprId, Exprs, ListId, Place, Sort};
use crate::graph::{Action, Assign, Domain, Hold, LocationId, ProcessId, Program, StepId};
use crate::types::{Type, VarId};

/// A step as terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepTerms {
    /// Bounds for each input; `None` where there is none.
    pub inputs: Vec<(Option<ExprId>, Option<ExprId>)>,
    /// The step can be taken: guard, rank and the inputs' bounds.
    pub enabled: ExprId,
    /// If it is taken, nothing goes wrong that ends the run: no division by zero, index or value out of range, failed
    /// assertion (unless runs go on after those).
    pub safe: ExprId,
    /// If it is taken, no assertion fails after which the run goes on; true for programs whose runs end there.
    pub asserted: ExprId,
    /// The assignment.
    pub updates: Vec<Assign>,
    /// Who moves from where to where.
    pub jump: (ProcessId, LocationId, LocationId),
    /// Who else moves, and to where.
    pub others: Vec<(ProcessId, LocationId)>,
}

impl StepTerms {
    /// Where a process is afterwards, if it moves.
    #[must_use]
    pub fn arrives(&self, process: ProcessId) -> Option<LocationId> {
        if self.jump.0 == process {
            return Some(self.jump.2);
        }
        self.others.iter().find(|&&(other, _)| other == process).map(|&(_, at)| at)
    }
}

/// The step involves channels, instances or priorities, which have no terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoTerms(pub StepId);

impl Program {
    /// A step as terms.
    ///
    /// # Errors
    /// If it has none.
    pub fn step_terms(&mut self, id: StepId) -> Result<StepTerms, NoTerms> {
        let step = self.step(id).clone();
        let (updates, assertion, others) = match step.action {
            Action::Assign(updates) => (updates, None, Vec::new()),
            Action::Together { assigns, moves, .. } => (assigns, None, moves),
            Action::Assert(condition) => (Vec::new(), Some(condition), Vec::new()),
            Action::Print { .. } => (Vec::new(), None, Vec::new()),
            _ => return Err(NoTerms(id)),
        };
        let guard = self.guard_term(id)?;
        let mut enabled = vec![guard];
        let mut safe = vec![self.defined(guard)];
        let mut inputs = Vec::new();
        for (position, input) in step.inputs.iter().enumerate() {
            let (lo, hi) = self.input_terms(input.domain);
            if input.domain != Domain::Type(Type::Bool) {
                let value = self.exprs.add(Expr::Input(to_u32(position), Sort::Int));
                enabled.push(within(&mut self.exprs, value, lo, hi));
            }
            for bound in [lo, hi].into_iter().flatten() {
                let defined = self.defined(bound);
                safe.push(self.exprs.implies(guard, defined));
            }
            inputs.push((lo, hi));
        }
        let enabled = self.exprs.all(&enabled);
        let harmless = self.harmless(&updates, assertion);
        safe.push(self.exprs.implies(enabled, harmless));
        let safe = self.exprs.all(&safe);
        let asserted = match assertion {
            Some(condition) if self.persistent => self.exprs.implies(enabled, condition),
            _ => self.exprs.bool(true),
        };
        let jump = (step.process, step.source, step.target);
        Ok(StepTerms { inputs, enabled, safe, asserted, updates, jump, others })
    }

    /// Guard, `provided` and rank.
    fn guard_term(&mut self, id: StepId) -> Result<ExprId, NoTerms> {
        let step = self.step(id);
        let (rank, yields_to, mut parts) = (step.rank, step.yields_to.clone(), vec![step.guard]);
        let location = self.location(step.process, step.source);
        // Nothing interrupts a deterministic block, in which the first step is taken that can be.
        let first_only = location.hold == Hold::Deterministic;
        parts.extend(self.process(step.process).provided.filter(|_| !first_only));
        let mut earlier = true;
        for rival in location.steps.clone() {
            earlier &= rival != id;
            // A rival that yields in turn yields to steps that this one yields to as well.
            let before = yields_to.contains(&rival);
            let rival = self.step(rival);
            let before = before || (first_only && earlier && rival.rank == rank);
            if rival.rank >= rank && !before {
                continue;
            }
            if self.priorities || !is_plain(&rival.action) || !rival.inputs.is_empty() {
                return Err(NoTerms(id));
            }
            let guard = rival.guard;
            parts.push(self.exprs.not(guard));
        }
        Ok(self.exprs.all(&parts))
    }

    /// The condition under which the action meets no fault that ends the run.
    fn harmless(&mut self, updates: &[Assign], assertion: Option<ExprId>) -> ExprId {
        let mut parts = Vec::new();
        for &update in updates {
            parts.push(self.update_safe(update));
        }
        if let Some(condition) = assertion {
            parts.push(self.defined(condition));
            if !self.persistent {
                parts.push(condition);
            }
        }
        self.exprs.all(&parts)
    }

    fn input_terms(&mut self, domain: Domain) -> (Option<ExprId>, Option<ExprId>) {
        match domain {
            Domain::Range(lo, hi) => (Some(lo), Some(hi)),
            Domain::Type(ty) => {
                let (lo, hi) = self.bounds(ty);
                (lo.map(|lo| self.exprs.int(lo)), hi.map(|hi| self.exprs.int(hi)))
            }
        }
    }

    /// The condition under which an assignment has a place and a value that fits.
    fn update_safe(&mut self, update: Assign) -> ExprId {
        let place = match update.place {
            Place::Var(_) => self.exprs.bool(true),
            Place::Element(var, indices) => {
                let indices = self.exprs.list(indices).to_vec();
                let sort = self.sort_of(self.variable(var).ty);
                let cell = self.exprs.element(var, &indices, sort);
                self.defined(cell)
            }
        };
        let value = self.defined(update.value);
        let fits = self.fits(self.variable(update.place.variable()).ty, update.value);
        self.exprs.all(&[place, value, fits])
    }

    /// The condition under which a value belongs to a type.
    pub fn fits(&mut self, ty: Type, value: ExprId) -> ExprId {
        if ty == Type::Bool {
            return self.exprs.bool(true);
        }
        let (lo, hi) = self.input_terms(Domain::Type(ty));
        within(&mut self.exprs, value, lo, hi)
    }

    /// The domain of a variable as a term: what is known of `cell`, a read of it, at every moment.
    pub fn domain_term(&mut self, var: VarId, cell: ExprId) -> ExprId {
        self.fits(self.variable(var).ty, cell)
    }

    /// The condition under which evaluating `expr` meets no fault.
    pub fn defined(&mut self, expr: ExprId) -> ExprId {
        let mut known: HashMap<ExprId, ExprId> = HashMap::new();
        for id in self.exprs.reachable(&[expr]) {
            let condition = self.defined_by(id, &known);
            known.insert(id, condition);
        }
        known[&expr]
    }

    fn defined_by(&mut self, id: ExprId, known: &HashMap<ExprId, ExprId>) -> ExprId {
        let own = match self.exprs.get(id) {
            Expr::Binary(op @ (Binary::And | Binary::Or | Binary::Implies), a, b) => {
                if self.exprs.get(known[&b]) == Expr::Bool(true) {
                    return known[&a];
                }
                let looks = if op == Binary::Or { self.exprs.not(a) } else { a };
                let second = self.exprs.implies(looks, known[&b]);
                return self.exprs.and(known[&a], second);
            }
            Expr::If(c, a, b) => {
                let branch = if known[&a] == known[&b] { known[&a] } else { self.exprs.ite(c, known[&a], known[&b]) };
                return self.exprs.and(known[&c], branch);
            }
            Expr::Binary(Binary::Div | Binary::Mod | Binary::Quotient | Binary::Remainder, _, b) => {
                let zero = self.exprs.int(0);
                self.exprs.binary(Binary::Ne, b, zero)
            }
            Expr::Element(var, indices) => self.in_array(var, indices),
            _ => self.exprs.bool(true),
        };
        let mut parts: Vec<ExprId> = self.exprs.children(id).iter().map(|child| known[child]).collect();
        parts.push(own);
        parts.dedup();
        self.exprs.all(&parts)
    }

    fn in_array(&mut self, var: VarId, indices: ListId) -> ExprId {
        let dimensions = self.variable(var).dimensions.clone();
        let indices = self.exprs.list(indices).to_vec();
        let mut parts = Vec::new();
        for (index, dimension) in indices.into_iter().zip(dimensions) {
            let (lo, hi) = (self.exprs.int(dimension.lo), self.exprs.int(dimension.hi()));
            parts.push(within(&mut self.exprs, index, Some(lo), Some(hi)));
        }
        self.exprs.all(&parts)
    }

    /// The value that `post` has after the step, as an expression over the state before it.
    pub fn after(&mut self, step: &StepTerms, post: ExprId) -> ExprId {
        let updates = &step.updates;
        rewrite(&mut self.exprs, post, &mut |exprs, expr, sort| match expr {
            Expr::At(who, location) => match step.arrives(who) {
                Some(target) => exprs.bool(location == target),
                None => fold(exprs, expr, sort),
            },
            Expr::Var(var) => {
                let write = updates.iter().rev().find(|update| update.place == Place::Var(var));
                write.map_or_else(|| exprs.add_sorted(expr, sort), |update| update.value)
            }
            Expr::Element(var, indices) => {
                let unchanged = exprs.add_sorted(expr, sort);
                written(exprs, updates, var, indices, unchanged)
            }
            _ => fold(exprs, expr, sort),
        })
    }

    /// Where the step can be taken without fault and `post` holds after it.
    pub fn pre(&mut self, step: &StepTerms, post: ExprId) -> ExprId {
        let post = self.after(step, post);
        self.exprs.all(&[step.enabled, step.safe, step.asserted, post])
    }

    /// Weakest precondition: if the step is taken it meets no fault, and `post` holds after it.
    pub fn wp(&mut self, step: &StepTerms, post: ExprId) -> ExprId {
        let post = self.after(step, post);
        let post = self.exprs.implies(step.enabled, post);
        self.exprs.all(&[step.safe, step.asserted, post])
    }

    /// Strongest postcondition: what holds after the step if `pre` held before it and nothing went wrong.
    ///
    /// Values before the step are [`Expr::OldVar`] and [`Expr::OldElement`], to be read existentially. Of an array with
    /// more than 4096 cells nothing is said, which is weaker but not wrong.
    pub fn sp(&mut self, step: &StepTerms, pre: ExprId) -> ExprId {
        let mut changed: Vec<VarId> = step.updates.iter().map(|update| update.place.variable()).collect();
        changed.sort_unstable();
        changed.dedup();
        let mut parts = Vec::new();
        for condition in [pre, step.enabled, step.safe, step.asserted] {
            parts.push(self.aged(condition, &changed));
        }
        for var in changed.clone() {
            parts.extend(self.new_values(step, var, &changed));
        }
        self.exprs.all(&parts)
    }

    fn aged(&mut self, expr: ExprId, changed: &[VarId]) -> ExprId {
        rewrite(&mut self.exprs, expr, &mut |exprs, expr, sort| match expr {
            Expr::Var(var) if changed.contains(&var) => exprs.add_sorted(Expr::OldVar(var), sort),
            Expr::Element(var, indices) if changed.contains(&var) => {
                exprs.add_sorted(Expr::OldElement(var, indices), sort)
            }
            _ => fold(exprs, expr, sort),
        })
    }

    /// Equations for the cells of a variable after the step.
    fn new_values(&mut self, step: &StepTerms, var: VarId, changed: &[VarId]) -> Vec<ExprId> {
        let variable = self.variable(var).clone();
        let sort = self.sort_of(variable.ty);
        if variable.dimensions.is_empty() {
            let now = self.exprs.var(var, sort);
            let value = self.after(step, now);
            let value = self.aged(value, changed);
            return vec![self.exprs.eq(now, value)];
        }
        if variable.cells() > 4096 {
            return Vec::new();
        }
        let mut equations = Vec::new();
        for cell in 0..variable.cells() {
            let mut rest = cell;
            let mut indices = Vec::new();
            for dimension in variable.dimensions.iter().rev() {
                let index = dimension.lo + to_i64(rest % dimension.len as usize);
                indices.push(self.exprs.int(index));
                rest /= dimension.len as usize;
            }
            indices.reverse();
            let now = self.exprs.element(var, &indices, sort);
            let value = self.after(step, now);
            let value = self.aged(value, changed);
            equations.push(self.exprs.eq(now, value));
        }
        equations
    }
}

/// Whether a step with this action can be taken whenever its guard holds.
pub(crate) const fn is_plain(action: &Action) -> bool {
    matches!(action, Action::Assign(_) | Action::Assert(_) | Action::Print { .. } | Action::Together { .. })
}

fn within(exprs: &mut Exprs, value: ExprId, lo: Option<ExprId>, hi: Option<ExprId>) -> ExprId {
    let lower = lo.map(|lo| exprs.binary(Binary::Le, lo, value));
    let upper = hi.map(|hi| exprs.binary(Binary::Le, value, hi));
    let parts: Vec<ExprId> = lower.into_iter().chain(upper).collect();
    exprs.all(&parts)
}

/// The cell of an array after assignments: the last write to it, or what it held before.
fn written(exprs: &mut Exprs, updates: &[Assign], var: VarId, indices: ListId, before: ExprId) -> ExprId {
    let mut value = before;
    for update in updates {
        let Place::Element(target, at) = update.place else { continue };
        if target != var {
            continue;
        }
        let pairs: Vec<(ExprId, ExprId)> =
            exprs.list(at).iter().copied().zip(exprs.list(indices).iter().copied()).collect();
        let same: Vec<ExprId> =
            pairs.into_iter().map(|(a, b)| if a == b { exprs.bool(true) } else { exprs.eq(a, b) }).collect();
        let same = exprs.all(&same);
        value = exprs.ite(same, update.value, value);
    }
    value
}

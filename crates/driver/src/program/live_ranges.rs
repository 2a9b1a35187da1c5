//! Live ranges (live-variable analysis, Kildall 1973): a program in which a local variable holds one value wherever it is never read again.
//!
//! Explicit-state search forgets dead variables by itself ([`DeadVariables`]). Sets, zones and predicates are given a program that does: a step to a location where
//! a local is dead assigns its initial value to it. Let `f` give every variable this value where it is dead. A step leads from `s` to `t` if and only if it leads from `f(s)` to `f(t)` in
//! the other program, since nobody reads the difference; so `f` is a strong bisimulation that keeps atoms, locations and who steps. Runs are repeated on the program itself
//! ([`Slice`](super::slice::Slice)); terms of a proof are pulled back along `f`: where a variable is named, its value under `f` is meant, which is again a term over the program's cells. Nothing of this
//! is believed by the kernel: what it gets are ordinary obligations.
//!
//! Only scalars of processes that run from the start, and only where *every* step into the location assigns the value, or finds it there.

use std::collections::{BTreeMap, BTreeSet};

use tertium_evidence::abstraction::{Abstraction, Structure};
use tertium_explore::reduction::dead_variables::DeadVariables;
use tertium_kernel::vocabulary::Vocabulary;
use tertium_program::analysis::partial_evaluation::constant;
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{
    Action, Assign, ExprId, InitialValue, LocationId, Place, ProcessId, Program, Semantics, Sort, State, Type, VarId,
};

/// Where locals are dead and hold one value.
#[derive(Clone, Debug)]
pub struct LiveRanges {
    /// The program that forgets them.
    pub program: Program,
    /// The places where each is dead, and the value that it has there.
    dead: BTreeMap<VarId, (ProcessId, BTreeSet<LocationId>, i64)>,
}

/// A local at a location.
type Resting = BTreeSet<(LocationId, VarId)>;

impl LiveRanges {
    /// The program without what is dead for questions that look at `seen`; none if nothing is.
    #[must_use]
    pub fn of(program: &Program, seen: &[ExprId]) -> Option<Self> {
        let has_fixed_processes = program.is_static() && program.channels.is_empty() && program.last.is_none();
        let is_watched = !program.claims.is_empty() || program.trace.is_some();
        if !has_fixed_processes || is_watched || program.priorities {
            return None;
        }
        let semantics = Semantics::new(program);
        let known = DeadVariables::of(&semantics, seen);
        let mut found = Self { program: program.clone(), dead: BTreeMap::new() };
        for process in program.process_ids().filter(|&process| semantics.layout().only_instance(process).is_some()) {
            let resting = resting(program, process, &known);
            for var in found.forget(process, &resting) {
                let places = resting.iter().filter(|(_, dead)| *dead == var).map(|&(at, _)| at).collect();
                found.dead.insert(var, (process, places, value_of(program, var).unwrap_or_default()));
            }
        }
        Some(found).filter(|found| !found.dead.is_empty())
    }

    /// Lets the steps of a process assign to what is dead after them and was not before; the variables that are assigned to.
    fn forget(&mut self, process: ProcessId, resting: &Resting) -> BTreeSet<VarId> {
        let mut resets = BTreeSet::new();
        for (from, id) in steps_of(&self.program, process) {
            let target = self.program.step(id).target;
            let at_target = resting.iter().filter(|(at, var)| *at == target && !resting.contains(&(from, *var)));
            for var in at_target.map(|&(_, var)| var).collect::<Vec<_>>() {
                let sort = if self.program.variable(var).ty == Type::Bool { Sort::Bool } else { Sort::Int };
                let value = value_of(&self.program, var).unwrap_or_default();
                let value = constant(&mut self.program.exprs, value, sort);
                if let Action::Assign(assigns) = &mut self.program.steps[id.index()].action {
                    assigns.push(Assign { place: Place::Var(var), value });
                    resets.insert(var);
                }
            }
        }
        resets
    }

    /// A state as the other program has it.
    #[must_use]
    pub fn image(&self, semantics: &Semantics<'_>, state: &State) -> State {
        let layout = semantics.layout();
        let mut slots = state.slots.clone();
        for (&var, (process, places, value)) in &self.dead {
            let Some(pid) = layout.only_instance(*process) else { continue };
            let at = state.slots[layout.initial_frames()[pid as usize] + FRAME_LOCATION];
            let is_dead = usize::try_from(at).is_ok_and(|at| places.contains(&LocationId::new(at)));
            if let (true, Some(slot)) = (is_dead, layout.fixed_slot(semantics.program(), var)) {
                slots[slot] = *value;
            }
        }
        State { slots, ..state.clone() }
    }

    /// What a proof says of the other program, said of this one. A proof that cannot be told so is refused by whoever checks it, so nothing is lost here.
    pub fn pull_back(&self, over: &mut Abstraction, structure: Option<&mut Structure>) {
        let Some(images) = self.images() else { return };
        let ranks = structure.into_iter().flat_map(|structure| &mut structure.ranks).flat_map(|rank| &mut rank.terms);
        let texts = over.shared.iter_mut().chain(&mut over.always).chain(&mut over.cells).chain(&mut over.predicates);
        for text in texts.chain(ranks) {
            *text = substituted(text, &images);
        }
    }

    /// For the name of each cell the term for its value in the other program.
    fn images(&self) -> Option<BTreeMap<String, String>> {
        let mut words = Vocabulary::new(&self.program).ok()?;
        let semantics = Semantics::new(&self.program);
        let mut images = BTreeMap::new();
        for (&var, (process, places, value)) in &self.dead {
            let pid = semantics.layout().only_instance(*process)?;
            let (at, name) = (words.location(pid as usize), words.cell(var, 0)?);
            let here = |place: &LocationId| format!("(= {at} {})", place.index());
            let is_dead: Vec<String> = places.iter().map(here).collect();
            let is_dead = if is_dead.len() == 1 { is_dead.concat() } else { format!("(or {})", is_dead.join(" ")) };
            let value = match (self.program.variable(var).ty, *value) {
                (Type::Bool, value) => (value != 0).to_string(),
                (_, 0..) => value.to_string(),
                (_, value) => format!("(- {})", value.unsigned_abs()),
            };
            images.insert(name.clone(), format!("(ite {is_dead} {value} {name})"));
        }
        Some(images)
    }
}

/// The value of a local that is dead: the one that it begins with, else one of its type.
fn value_of(program: &Program, var: VarId) -> Option<i64> {
    let variable = program.variable(var);
    match variable.initial {
        InitialValue::Same(value) => Some(program.stored(variable.ty, value)),
        _ => {
            let (lo, hi) = program.bounds(variable.ty);
            [Some(0), lo, hi].into_iter().flatten().find(|&value| program.admits(variable.ty, value))
        }
    }
}

fn steps_of(program: &Program, process: ProcessId) -> Vec<(LocationId, tertium_program::StepId)> {
    let locations = program.process(process).locations.iter().enumerate();
    locations.flat_map(|(at, location)| location.steps.iter().map(move |&id| (LocationId::new(at), id))).collect()
}

/// The scalars that are dead at locations of a process and hold one value there: whatever comes to a location assigns it or has it, and whatever leaves it without writing the variable
/// comes to another such location. The greatest such set.
fn resting(program: &Program, process: ProcessId, known: &DeadVariables) -> Resting {
    let is_plain = |var: VarId| {
        let variable = program.variable(var);
        let is_scalar = variable.dimensions.is_empty() && variable.ty != Type::Channel;
        is_scalar && !program.left_out.contains(&var) && value_of(program, var).is_some()
    };
    let mut found = Resting::new();
    for at in (0..program.process(process).locations.len()).map(LocationId::new) {
        let begins = |var: VarId| matches!(program.variable(var).initial, InitialValue::Same(_));
        let holds_it = |var: VarId| at != program.process(process).entry || begins(var);
        let dead = known.variables(process, at).iter().copied();
        found.extend(dead.filter(|&var| is_plain(var) && holds_it(var)).map(|var| (at, var)));
    }
    let steps = steps_of(program, process);
    loop {
        let before = found.len();
        for &(from, id) in &steps {
            let step = program.step(id);
            let written = step.written();
            let may_assign = matches!(step.action, Action::Assign(_));
            let candidates: BTreeSet<VarId> =
                found.iter().filter(|(at, _)| *at == from || *at == step.target).map(|&(_, var)| var).collect();
            for var in candidates {
                let (is_written, was) = (written.contains(&var), found.contains(&(from, var)));
                if is_written || !(may_assign || was) {
                    found.remove(&(step.target, var));
                }
                if was && !is_written && !found.contains(&(step.target, var)) {
                    found.remove(&(from, var));
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// A term with other terms for some of its names. Names are whole words, or stand between bars.
fn substituted(text: &str, images: &BTreeMap<String, String>) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '|' => rest[1..].find('|').map_or(rest.len(), |end| end + 2),
            c if c.is_whitespace() || matches!(c, '(' | ')') => c.len_utf8(),
            _ => rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|')).unwrap_or(rest.len()),
        };
        let (word, others) = rest.split_at(end);
        made.push_str(images.get(word).map_or(word, String::as_str));
        rest = others;
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::from_text;

    #[test]
    fn what_is_never_read_again_holds_one_value() {
        let text = "system s\nvar x : 0..9 = 0\nprocess P { var seen : 0..9 = 0; loop { a: seen := x; b: x := (seen + 1) mod 9; } }\n";
        let file = from_text("s.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}"));
        let found = LiveRanges::of(&file.program, &[]).unwrap_or_else(|| panic!("`seen` is dead at a"));
        let before = Semantics::new(&file.program);
        let mut state = before.initial_states(1, &tertium_base::Budget::unlimited()).unwrap_or_default().remove(0);
        let after = Semantics::new(&found.program);
        for _ in 0..6 {
            let next = |semantics: &Semantics<'_>, state: &State| match semantics.successors(state).remove(0).outcome {
                tertium_program::Outcome::Next(next) => next,
                fault @ tertium_program::Outcome::Fault { .. } => panic!("{fault:?}"),
            };
            let (one, other) = (next(&before, &state), next(&after, &found.image(&before, &state)));
            assert_eq!(found.image(&before, &one), other);
            state = one;
        }
    }

    #[test]
    fn names_are_whole_words() {
        let images = BTreeMap::from([("x".to_owned(), "(f x)".to_owned()), ("|a b|".to_owned(), "0".to_owned())]);
        assert_eq!(substituted("(= x (+ xx |x| |a b| 1))", &images), "(= (f x) (+ xx |x| 0 1))");
    }
}

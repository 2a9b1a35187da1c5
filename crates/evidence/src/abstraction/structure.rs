//! Why is a finite structure an abstraction of a program?
//!
//! Because its initial states contain every beginning, every step of the program is one of its possible steps, every program state of
//! an abstract one meets each of its certain sets, and labels are what all those program states agree on. Then whatever an
//! ordinary certificate proves about the structure holds of the program.
//!
//! Where runs that end stay for ever, an abstract state that may be stuck has a further step to a state in which nothing happens
//! any more. A structure need not be whole: of some states it may be left untold what follows. From there a step may lead to a state of which
//! nothing is known, and which it never leaves. Fairness is not listed: it follows from the program, from the steps, and from who is surely able to step. What runs do
//! not do for ever, though the structure would let them, is (`ranks`).

use std::collections::{BTreeMap, BTreeSet};

use tertium_model::{ActionId, Kmts, KmtsBuilder, StateId};
use tertium_program::{ExprId, Fairness, Program};

use super::grounds::{Expected, Grounds, Obligation};
use super::machine::NoTerm;
use super::ranks::{self, Promise, Rank};
use super::roster::{self, Slot};
use super::steps::{Way, Wrong};
use super::terms::TermId;
use super::{AbstractState, Later};

/// The steps between abstract states. States are given by their numbers, processes by their pids.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Structure {
    /// Where it begins.
    pub initial: Vec<u32>,
    /// For each state the values of the atoms.
    pub labels: Vec<Vec<Option<bool>>>,
    /// From where, by whom, to where: what is possible.
    pub steps: Vec<(u32, u32, Vec<u32>)>,
    /// From where, by whom or by anyone, and a set of which a member can surely be stepped into.
    pub certain: Vec<(u32, Option<u32>, Vec<u32>)>,
    /// Who is surely able to step, by state.
    pub able: Vec<(u32, Vec<u32>)>,
    /// States in which a run may end.
    pub stops: Vec<u32>,
    /// Integers that cannot fall for ever.
    pub ranks: Vec<Rank>,
    /// Processes whose strong fairness is made use of.
    pub strong: Vec<u32>,
    /// States of which no steps are told: anything may follow, and nothing has to.
    pub untold: Vec<u32>,
}

/// How a structure is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// Whether processes that are declared fair are treated so. Strong fairness is taken for weak fairness, which is right for
    /// linear formulas that are true, and only for those.
    pub fair: bool,
    /// Whether runs that end stay where they are.
    pub stutter: bool,
}

impl Structure {
    /// Whether all numbers are those of states and processes, each state has its labels, and no list says something twice.
    fn is_sound(&self, states: usize, processes: usize, atoms: usize) -> bool {
        let state = |&at: &u32| (at as usize) < states;
        let process = |&at: &u32| (at as usize) < processes;
        self.labels.len() == states
            && self.labels.iter().all(|labels| labels.len() == atoms)
            && self.initial.iter().chain(&self.stops).chain(&self.untold).all(state)
            && self.steps.iter().all(|(from, by, to)| state(from) && process(by) && to.iter().all(state))
            && self.certain.iter().all(|(from, by, into)| {
                state(from)
                    && by.iter().all(process)
                    && into.iter().all(state)
                    && into.len() > usize::from(by.is_none())
            })
            && self.able.iter().all(|(at, who)| state(at) && who.iter().all(process))
            && self.ranks_are_sound(states, processes)
            && self.says_nothing_of_the_untold()
            // What cannot go on for ever is known of steps that are told.
            && (self.untold.is_empty() || !self.makes_promises())
    }

    /// Where nothing is told, nothing is: what little was told would be taken for everything.
    fn says_nothing_of_the_untold(&self) -> bool {
        let untold: BTreeSet<u32> = self.untold.iter().copied().collect();
        let steps = self.steps.iter().map(|(from, ..)| from).chain(self.certain.iter().map(|(from, ..)| from));
        let able = self.able.iter().map(|(at, _)| at);
        steps.chain(able).chain(&self.stops).all(|at| !untold.contains(at))
    }

    /// Whether it speaks of whole runs, so that it can show what all of them do and nothing else.
    #[must_use]
    pub fn makes_promises(&self) -> bool {
        !self.ranks.is_empty() || !self.strong.is_empty()
    }

    pub(super) fn targets(&self) -> BTreeMap<(u32, u32), BTreeSet<u32>> {
        let mut targets: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
        for (from, by, to) in &self.steps {
            targets.entry((*from, *by)).or_default().extend(to);
        }
        targets
    }

    /// The structure that certificates speak of. Its states are named by their numbers.
    ///
    /// # Errors
    /// If it does not fit the program, or is too large.
    pub fn model(&self, program: &Program, later: &[Later], atoms: &[String], frame: Frame) -> Result<Kmts, NoTerm> {
        let (states, slots) = (self.labels.len(), roster::slots(program, later)?);
        if !self.is_sound(states, slots.len(), atoms.len()) {
            return Err(NoTerm::new("the structure is not one over these states, processes and atoms"));
        }
        let mut drawing = Drawing::new(self, program, &slots, atoms, frame);
        drawing.draw();
        let actions = drawing.actions.clone();
        let drawn = drawing.finish()?;
        if !self.makes_promises() {
            return Ok(drawn);
        }
        let strong = |pid: &u32| program.process(slots[*pid as usize].code).fairness == Fairness::Strong;
        if !self.strong.iter().all(|pid| frame.fair && strong(pid)) {
            return Err(NoTerm::new("a process is not treated with strong fairness that the structure counts on"));
        }
        ranks::keeping(&drawn, &self.promises(&drawn, &actions))
    }

    fn promises(&self, drawn: &Kmts, actions: &[ActionId]) -> Vec<Promise> {
        let (able, nowhere) = (self.where_able(), BTreeSet::new());
        let of_rank = |rank| Promise::of_rank(rank, self, drawn, actions);
        let of_process =
            |pid: &u32| Promise::of_process(actions[*pid as usize], able.get(pid).unwrap_or(&nowhere), drawn);
        self.ranks.iter().map(of_rank).chain(self.strong.iter().map(of_process)).collect()
    }
}

struct Drawing<'s> {
    structure: &'s Structure,
    builder: KmtsBuilder,
    actions: Vec<ActionId>,
    targets: BTreeMap<(u32, u32), BTreeSet<u32>>,
    able: BTreeSet<(u32, u32)>,
    fair: Vec<u32>,
    /// Where a run stays that ended, by where it ended.
    ends: BTreeMap<u32, StateId>,
    /// What stands for everything that may follow where nothing is told.
    anything: Option<StateId>,
    possible: Vec<Vec<(StateId, StateId, Option<ActionId>)>>,
    certain: Vec<Vec<(StateId, StateId, Option<ActionId>)>>,
    stutter: bool,
}

fn id(number: u32) -> StateId {
    StateId::new(number as usize)
}

impl<'s> Drawing<'s> {
    fn new(structure: &'s Structure, program: &Program, slots: &[Slot], atoms: &[String], frame: Frame) -> Self {
        let mut builder = KmtsBuilder::new();
        for number in 0..structure.labels.len() {
            builder.add_state(&number.to_string());
        }
        let targets = structure.targets();
        let mut ends = BTreeMap::new();
        if frame.stutter {
            for &stop in &structure.stops {
                let moves = targets.iter().any(|((from, _), to)| *from == stop && !to.is_empty());
                let name = format!("{stop} (stopped)");
                ends.entry(stop).or_insert_with(|| if moves { builder.add_state(&name) } else { id(stop) });
            }
        }
        let anything = (!structure.untold.is_empty()).then(|| builder.add_state("anything"));
        let props: Vec<_> = atoms.iter().map(|atom| builder.add_prop(atom)).collect();
        for (number, labels) in structure.labels.iter().enumerate() {
            for (&prop, &value) in props.iter().zip(labels) {
                let Some(value) = value else { continue };
                builder.set_label(StateId::new(number), prop, value.into());
                if let Some(&end) = ends.get(&(number as u32)) {
                    builder.set_label(end, prop, value.into());
                }
            }
        }
        let name = |slot: usize| roster::name(program, slots, slot);
        let actions = (0..slots.len()).map(|slot| builder.add_action(&name(slot))).collect();
        // Whoever is treated strongly fairly is treated weakly so, too; what rests on more is not claimed here.
        let promised = |pid: &u32| frame.fair && program.process(slots[*pid as usize].code).fairness != Fairness::None;
        let fair: Vec<u32> = (0..slots.len() as u32).filter(promised).collect();
        let able = structure.able.iter().flat_map(|(at, who)| who.iter().map(|&pid| (*at, pid))).collect();
        let none = vec![Vec::new(); fair.len()];
        let stutter = frame.stutter;
        let (possible, certain) = (none.clone(), none);
        Self { structure, builder, actions, targets, able, fair, ends, anything, possible, certain, stutter }
    }

    fn draw(&mut self) {
        let structure = self.structure;
        let mut sure: BTreeSet<(u32, u32, u32)> = BTreeSet::new();
        for (from, by, into) in &structure.certain {
            match (by, &into[..]) {
                (Some(by), [only]) => {
                    sure.insert((*from, *by, *only));
                }
                _ => {
                    let members: Vec<StateId> = into.iter().map(|&member| id(member)).collect();
                    let action = by.map(|by| self.actions[by as usize]);
                    self.builder.add_hyper(id(*from), &members, action);
                }
            }
        }
        for ((from, by), to) in self.targets.clone() {
            for target in to {
                let must = sure.remove(&(from, by, target));
                self.edge(from, by, target, true, must);
            }
        }
        for (from, by, target) in sure {
            self.edge(from, by, target, false, true);
        }
        self.draw_ends();
        if let Some(anything) = self.anything {
            let untold: BTreeSet<u32> = structure.untold.iter().copied().collect();
            untold.into_iter().map(id).chain([anything]).for_each(|from| self.draw_anything(from, anything));
        }
    }

    /// From here anyone may step anywhere, or nobody any more; every such step may count for every constraint, and none surely does.
    fn draw_anything(&mut self, from: StateId, to: StateId) {
        let by: Vec<Option<ActionId>> = self.actions.iter().copied().map(Some).chain([None]).collect();
        for action in by {
            self.builder.add_edge(from, to, true, false, action);
            self.possible.iter_mut().for_each(|edges| edges.push((from, to, action)));
        }
    }

    fn edge(&mut self, from: u32, by: u32, to: u32, may: bool, must: bool) {
        let action = Some(self.actions[by as usize]);
        self.builder.add_edge(id(from), id(to), may, must, action);
        for (at, &fair) in self.fair.iter().enumerate() {
            let own = fair == by;
            let never = self.targets.get(&(from, fair)).is_none_or(BTreeSet::is_empty);
            if own || !self.able.contains(&(from, fair)) {
                self.possible[at].push((id(from), id(to), action));
            }
            if own || never {
                self.certain[at].push((id(from), id(to), action));
            }
        }
    }

    fn draw_ends(&mut self) {
        for (stop, end) in self.ends.clone() {
            let from = id(stop);
            let mut edges = vec![(end, end, None)];
            if end != from {
                self.builder.add_edge(from, end, true, false, None);
                edges.push((from, end, None));
                let targets = self.targets.range((stop, 0)..=(stop, u32::MAX)).flat_map(|(_, to)| to);
                let members: Vec<StateId> = targets.map(|&to| id(to)).chain([end]).collect();
                self.builder.add_hyper(from, &members, None);
            }
            self.builder.add_edge(end, end, true, true, None);
            for at in 0..self.fair.len() {
                self.possible[at].extend(&edges);
                self.certain[at].extend(&edges);
            }
        }
    }

    fn finish(mut self) -> Result<Kmts, NoTerm> {
        for (possible, certain) in self.possible.into_iter().zip(self.certain) {
            self.builder.add_split_fairness(possible, certain);
        }
        for &start in &self.structure.initial {
            self.builder.add_init(id(start));
        }
        self.builder.set_total(self.stutter);
        self.builder.finish().map_err(|error| NoTerm::new(error.to_string()))
    }
}

impl Grounds<'_, '_> {
    /// Everything that has to hold so that a structure over the abstract states is an abstraction of the program.
    ///
    /// # Errors
    /// If something has no term, or the structure does not fit.
    pub fn structure(
        &mut self,
        structure: &Structure,
        atoms: &[ExprId],
        frame: Frame,
    ) -> Result<Vec<Obligation>, NoTerm> {
        let states = self.abstraction.states.len();
        if !structure.is_sound(states, self.machine.processes(), atoms.len()) {
            return Err(NoTerm::new("the structure is not one over these states, processes and atoms"));
        }
        let mut found = Vec::new();
        self.always_holds(&mut found)?;
        let initial: Vec<usize> = structure.initial.iter().map(|&at| at as usize).collect();
        let groups = self.groups(&initial);
        self.begins_inside(&groups, &mut found)?;
        let targets = structure.targets();
        let untold: BTreeSet<usize> = structure.untold.iter().map(|&at| at as usize).collect();
        // Whatever is started where nothing is told is among what may follow there.
        let told: Vec<usize> = (0..states).filter(|number| !untold.contains(number)).collect();
        let everywhere = self.groups(&told);
        self.excludes_slips(Wrong::Unlisted, &everywhere, &mut found)?;
        for number in 0..states {
            if !untold.contains(&number) {
                self.steps_are_possible(number, &targets, &mut found)?;
            }
            self.labels_hold(number, &structure.labels[number], atoms, &mut found)?;
        }
        for (from, by, into) in &structure.certain {
            self.is_certain(*from as usize, by.map(|by| by as usize), into, &mut found)?;
        }
        for (state, who) in &structure.able {
            for &pid in who {
                self.is_able(*state as usize, Some(pid as usize), &mut found)?;
            }
        }
        found.extend(self.ranks(&structure.ranks)?);
        if frame.stutter {
            let stops: BTreeSet<usize> = structure.stops.iter().map(|&at| at as usize).collect();
            for &number in told.iter().filter(|number| !stops.contains(number)) {
                self.is_able(number, None, &mut found)?;
            }
        }
        Ok(found)
    }

    /// That an initial state of the program is among those of an abstract one.
    ///
    /// # Errors
    /// If that depends on functions of which nothing is known.
    pub fn starts_in(&mut self, state: usize) -> Result<Option<Obligation>, NoTerm> {
        let (start, inside) = (self.initial()?, self.whole(state));
        if self.machine.terms.has_functions(&[start, inside]) {
            return Err(NoTerm::new("whether the program begins there depends on functions"));
        }
        let about = format!("the abstract state {state} contains an initial state of the program");
        Ok(self.obligation("starts", about, &[start, inside], Expected::Sat))
    }

    /// A state's name, for people.
    fn called(&self, number: usize) -> String {
        let state = &self.abstraction.states[number];
        let mark = |value: &Option<bool>| match value {
            Some(true) => 'T',
            Some(false) => 'F',
            None => '?',
        };
        let cube: String = state.cube.iter().map(mark).collect();
        format!("state {number} ({} {cube})", self.placed(&state.at))
    }

    /// Asks whether something is so in a state; `about` says what, and its name is added.
    pub(super) fn asked_in(
        &mut self,
        number: usize,
        kind: &'static str,
        about: &str,
        parts: &[TermId],
        found: &mut Vec<Obligation>,
    ) {
        let all = self.seen_in(number, parts);
        let about = format!("{about}, in {}", self.called(number));
        found.extend(self.obligation(kind, about, &all, Expected::Unsat));
    }

    /// What is said of the program states of an abstract one, with what is known there put in.
    pub(super) fn seen_in(&mut self, number: usize, parts: &[TermId]) -> Vec<TermId> {
        let AbstractState { at, values, .. } = self.abstraction.states[number].clone();
        let known = self.known_with(&at, &values);
        let inside = self.inside(number);
        let mut all = vec![inside];
        all.extend_from_slice(parts);
        let mut all: Vec<TermId> = all.iter().map(|&part| self.machine.terms.substitute(part, &known)).collect();
        all.extend(self.held_in_arrays(&values, &all));
        all.extend(self.facts_at(&known, &all));
        all
    }

    /// Every step of the program from a state is one of its possible steps.
    fn steps_are_possible(
        &mut self,
        number: usize,
        targets: &BTreeMap<(u32, u32), BTreeSet<u32>>,
        found: &mut Vec<Obligation>,
    ) -> Result<(), NoTerm> {
        let at = self.abstraction.states[number].at.clone();
        let none = BTreeSet::new();
        for (pid, &place) in at.iter().enumerate() {
            let to = targets.get(&(number as u32, pid as u32)).unwrap_or(&none);
            for source in self.places(pid, place) {
                for way in &self.moves(pid, source)?.ways {
                    if place.is_none() && self.is_unnoticed(way) && to.contains(&(number as u32)) {
                        continue;
                    }
                    let arrives = self.arrives(way, to)?;
                    let outside = self.machine.terms.not(arrives);
                    let here = self.from(way);
                    let about = format!("{} is one of the possible steps that are listed", self.told(way));
                    self.asked_in(number, "step", &about, &[here, way.taken, outside], found);
                }
            }
        }
        Ok(())
    }

    /// Being where a way begins.
    pub(super) fn from(&mut self, way: &Way) -> TermId {
        let source = self.machine.terms.number(way.source as i128);
        self.machine.terms.eq(self.machine.at[way.pid], source)
    }

    /// A way leads into one of these states.
    pub(super) fn arrives(&mut self, way: &Way, into: &BTreeSet<u32>) -> Result<TermId, NoTerm> {
        let targets = self.targets(way)?;
        let mut parts = Vec::new();
        for &member in into {
            // Those at another location are not what it leads to.
            let at = &self.abstraction.states[member as usize].at;
            if targets.iter().any(|&(slot, target)| at[slot].is_some_and(|there| there != target)) {
                continue;
            }
            parts.push(self.whole(member as usize));
        }
        let inside = self.machine.terms.any(&parts);
        Ok(self.machine.terms.substitute(inside, &way.after))
    }

    /// The atoms have the values that are listed in a state.
    fn labels_hold(
        &mut self,
        number: usize,
        labels: &[Option<bool>],
        atoms: &[ExprId],
        found: &mut Vec<Obligation>,
    ) -> Result<(), NoTerm> {
        let at = self.abstraction.states[number].at.clone();
        for (&atom, &value) in atoms.iter().zip(labels) {
            let Some(value) = value else { continue };
            let (yes, no) = self.machine.observed(atom)?;
            let not = self.machine.terms.not(if value { yes } else { no });
            let mut parts = vec![not];
            parts.extend(self.about_deadlock(&at, not)?);
            let about = format!("`{}` is {value}", self.machine.program.show(atom));
            self.asked_in(number, "label", &about, &parts, found);
        }
        Ok(())
    }

    /// Every program state of an abstract one can step into a member of the set.
    fn is_certain(
        &mut self,
        number: usize,
        by: Option<usize>,
        into: &[u32],
        found: &mut Vec<Obligation>,
    ) -> Result<(), NoTerm> {
        let at = self.abstraction.states[number].at.clone();
        let members: BTreeSet<u32> = into.iter().copied().collect();
        let mut none = Vec::new();
        for pid in (0..self.machine.processes()).filter(|&pid| by.is_none_or(|by| by == pid)) {
            for source in self.places(pid, at[pid]) {
                for way in self.moves(pid, source)?.ways.iter().filter(|way| way.sure) {
                    let (here, arrives) = (self.from(way), self.arrives(way, &members)?);
                    let whole = self.machine.terms.all(&[here, way.taken, arrives]);
                    none.push(self.machine.never(&way.inputs, whole));
                }
            }
        }
        let who = by.map_or("some process".to_owned(), |by| self.machine.name(by).to_owned());
        let members: Vec<String> = into.iter().map(u32::to_string).collect();
        let about = format!("{who} can surely step into one of the states {}", members.join(", "));
        self.asked_in(number, "certain", &about, &none, found);
        Ok(())
    }

    /// A process, or some process, can step from every program state of an abstract one.
    fn is_able(&mut self, number: usize, who: Option<usize>, found: &mut Vec<Obligation>) -> Result<(), NoTerm> {
        let at = self.abstraction.states[number].at.clone();
        let stuck = self.stuck(&at, who, false)?;
        let name = who.map_or("some process".to_owned(), |pid| self.machine.name(pid).to_owned());
        self.asked_in(number, "able", &format!("{name} can surely step"), &[stuck], found);
        Ok(())
    }
}

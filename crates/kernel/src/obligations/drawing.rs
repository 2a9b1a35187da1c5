//! Why is a finite structure an abstraction of a program?
//!
//! Because its initial states contain every beginning, every step of the program is one of its possible steps, every program state of
//! an abstract one meets each of its certain sets, and labels are what all those program states agree on. Then whatever an
//! ordinary certificate proves about the structure holds of the program.
//!
//! *Drawing and obligation are one act*: nothing enters the structure but by a method of [`Drawing`] that also writes down what has to
//! hold so that it may stand there. What a certificate lists and no method draws has no effect.
//!
//! Where runs that end stay for ever, an abstract state that may be stuck has a further step to a state in which nothing happens
//! any more. A structure need not be whole: of some states it may be left untold what follows. From there a step may lead to a state of which
//! nothing is known, and which it never leaves. Fairness is not listed: it follows from the program, from the steps, and from who is surely able to step. What runs do
//! not do for ever, though the structure would let them, is (`ranks`).

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::narrow::to_u32;
use tertium_evidence::abstraction::{Rank, Structure};
use tertium_logic::{ability, is_ability};
use tertium_model::{ActionId, Kmts, KmtsBuilder, StateId};
use tertium_program::{ExprId, Fairness};

use super::machine::NoTerm;
use super::proof_obligations::{Obligation, ProofObligations};
use super::ranks::{self, Promise};
use super::steps::Wrong;
use crate::checker::RankedSteps;

/// How a structure is read. It follows from the question, never from a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StructureReading {
    /// Whether processes that are declared fair are treated so. Strong fairness is taken for weak fairness, which is right for
    /// linear formulas that are true, and only for those; claims look at labels that say who is able to step, too.
    pub fair: bool,
    /// Whether runs that end stay where they are.
    pub stutter: bool,
    /// Whether claims speak of the structure, so that ranks stand beside it; for linear formulas they become part of it.
    pub claims: bool,
}

/// A structure, and what has to hold so that it is an abstraction of the program.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The structure. Its states are named by their numbers.
    pub model: Kmts,
    /// The obligations; without them the structure says nothing about the program.
    pub obligations: Vec<Obligation>,
    /// What steps do to ranks, where claims speak of the structure.
    pub ranked: RankedSteps,
}

/// Who takes a step that is certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Actor {
    /// Some process; nobody knows which, so that the step counts for no one's fairness.
    Anyone,
    /// The process in this slot.
    Process(u32),
}

/// The name of steps of [`Actor::Anyone`], where it matters who steps: no process, and no action of a formula, can have it.
const ANYONE: &str = "(anyone)\n";

/// Whether all numbers are those of states and processes, each state has its labels, and nothing is told of states that are untold.
fn fits(structure: &Structure, states: usize, processes: usize, atoms: usize) -> bool {
    let state = |&at: &u32| (at as usize) < states;
    let process = |&at: &u32| (at as usize) < processes;
    structure.labels.len() == states
        && structure.labels.iter().all(|labels| labels.len() == atoms)
        && structure.initial.iter().chain(&structure.stops).chain(&structure.untold).all(state)
        && structure.steps.iter().all(|(from, by, to)| state(from) && process(by) && to.iter().all(state))
        && structure.certain.iter().all(|(from, by, into)| {
            state(from) && by.iter().all(process) && into.iter().all(state) && !into.is_empty()
        })
        && structure.able.iter().all(|(at, who)| state(at) && who.iter().all(process))
        && ranks::fit(structure, states, processes)
        && says_nothing_of_the_untold(structure)
        // What cannot go on for ever is known of steps that are told.
        && (structure.untold.is_empty() || !structure.makes_promises())
}

/// Where nothing is told, nothing is: what little was told would be taken for everything.
fn says_nothing_of_the_untold(structure: &Structure) -> bool {
    let untold: BTreeSet<u32> = structure.untold.iter().copied().collect();
    let steps = structure.steps.iter().map(|(from, ..)| from).chain(structure.certain.iter().map(|(from, ..)| from));
    let able = structure.able.iter().map(|(at, _)| at);
    steps.chain(able).chain(&structure.stops).all(|at| !untold.contains(at))
}

/// The possible steps by where they begin and by whom they are taken.
pub(super) fn targets(structure: &Structure) -> BTreeMap<(u32, u32), BTreeSet<u32>> {
    let mut targets: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
    for (from, by, to) in &structure.steps {
        targets.entry((*from, *by)).or_default().extend(to);
    }
    targets
}

impl ProofObligations<'_, '_> {
    /// Draws a structure over the abstract states, for a formula with these atoms.
    ///
    /// # Errors
    /// If something has no term, or the structure does not fit.
    pub fn draw(
        &mut self,
        structure: &Structure,
        atoms: &[(String, ExprId)],
        frame: StructureReading,
    ) -> Result<Drawn, NoTerm> {
        self.drawn(structure, atoms, frame, false)
    }

    /// The structure alone, for whoever looks for a proof: nothing says that it is an abstraction of the program.
    ///
    /// # Errors
    /// If the structure does not fit.
    pub fn sketch(
        &mut self,
        structure: &Structure,
        atoms: &[(String, ExprId)],
        frame: StructureReading,
    ) -> Result<Kmts, NoTerm> {
        Ok(self.drawn(structure, atoms, frame, true)?.model)
    }

    /// As [`ProofObligations::sketch`], with what steps are said to do to ranks.
    ///
    /// # Errors
    /// If the structure does not fit.
    pub fn ranked_sketch(
        &mut self,
        structure: &Structure,
        atoms: &[(String, ExprId)],
        frame: StructureReading,
    ) -> Result<(Kmts, RankedSteps), NoTerm> {
        let drawn = self.drawn(structure, atoms, frame, true)?;
        Ok((drawn.model, drawn.ranked))
    }

    fn drawn(
        &mut self,
        structure: &Structure,
        atoms: &[(String, ExprId)],
        frame: StructureReading,
        sketch: bool,
    ) -> Result<Drawn, NoTerm> {
        if !fits(structure, self.abstraction.states.len(), self.machine.processes(), atoms.len()) {
            return Err(NoTerm::new("the structure is not one over these states, processes and atoms"));
        }
        let mut drawing = Drawing::new(self, structure, frame, sketch);
        drawing.begins()?;
        drawing.labels(atoms)?;
        drawing.abilities()?;
        drawing.certain_sets()?;
        drawing.steps()?;
        drawing.goes_on()?;
        drawing.ends();
        drawing.untold();
        drawing.tells_abilities();
        drawing.finish()
    }
}

type Edges = Vec<(StateId, StateId, Option<ActionId>)>;

struct Drawing<'d, 'p, 'a> {
    writer: &'d mut ProofObligations<'p, 'a>,
    structure: &'d Structure,
    frame: StructureReading,
    /// Whether obligations are left out.
    sketch: bool,
    builder: KmtsBuilder,
    actions: Vec<ActionId>,
    targets: BTreeMap<(u32, u32), BTreeSet<u32>>,
    /// Who is treated fairly.
    fair: Vec<u32>,
    /// Where which of them is surely able to step.
    able: BTreeSet<(u32, u32)>,
    /// Steps of which it is certain that a process takes them to just this state.
    sure: BTreeSet<(u32, u32, u32)>,
    /// States of which something is told.
    told: Vec<u32>,
    /// Where a run stays that ended, by where it ended.
    ends: BTreeMap<u32, StateId>,
    /// For each who is treated fairly the edges that may count, and those that surely do.
    counting: Vec<(Edges, Edges)>,
    owed: Vec<Obligation>,
}

fn id(number: u32) -> StateId {
    StateId::new(number as usize)
}

impl<'d, 'p, 'a> Drawing<'d, 'p, 'a> {
    fn new(
        writer: &'d mut ProofObligations<'p, 'a>,
        structure: &'d Structure,
        frame: StructureReading,
        sketch: bool,
    ) -> Self {
        let machine = &writer.machine;
        let mut builder = KmtsBuilder::new();
        for number in 0..structure.labels.len() {
            builder.add_state(&number.to_string());
        }
        let actions = (0..machine.processes()).map(|slot| builder.add_action(machine.name(slot))).collect();
        // Whoever is treated strongly fairly is treated weakly so, too; what rests on more is not claimed here.
        let is_fair =
            |slot: &u32| frame.fair && machine.program.process(machine.code[*slot as usize]).fairness != Fairness::None;
        let fair: Vec<u32> = (0..to_u32(machine.processes())).filter(is_fair).collect();
        let untold: BTreeSet<u32> = structure.untold.iter().copied().collect();
        let told = (0..to_u32(structure.labels.len())).filter(|number| !untold.contains(number)).collect();
        let counting = vec![(Vec::new(), Vec::new()); fair.len()];
        let targets = targets(structure);
        Self {
            writer,
            structure,
            frame,
            sketch,
            builder,
            actions,
            targets,
            fair,
            able: BTreeSet::new(),
            sure: BTreeSet::new(),
            told,
            ends: BTreeMap::new(),
            counting,
            owed: Vec::new(),
        }
    }

    /// Writes down what something that is drawn rests on.
    fn owe(
        &mut self,
        write: impl FnOnce(&mut ProofObligations<'p, 'a>, &mut Vec<Obligation>) -> Result<(), NoTerm>,
    ) -> Result<(), NoTerm> {
        if self.sketch {
            return Ok(());
        }
        self.writer.has_room()?;
        write(self.writer, &mut self.owed)
    }

    /// Initial states, which contain every beginning; and what always holds, which all other obligations rest on.
    fn begins(&mut self) -> Result<(), NoTerm> {
        for &start in &self.structure.initial {
            self.builder.add_init(id(start));
        }
        let initial: Vec<usize> = self.structure.initial.iter().map(|&at| at as usize).collect();
        let told: Vec<usize> = self.told.iter().map(|&at| at as usize).collect();
        self.owe(|writer, owed| {
            writer.always_holds(owed)?;
            let groups = writer.groups(&initial);
            writer.begins_inside(&groups, owed)?;
            // Whatever is started where nothing is told is among what may follow there.
            let everywhere = writer.groups(&told);
            writer.excludes_slips(Wrong::Unlisted, &everywhere, owed)
        })
    }

    /// Labels; where a run ended they are those of where it ended.
    fn labels(&mut self, atoms: &[(String, ExprId)]) -> Result<(), NoTerm> {
        if self.frame.stutter {
            for &stop in &self.structure.stops {
                let moves = self.targets.range((stop, 0)..=(stop, u32::MAX)).any(|(_, to)| !to.is_empty());
                let name = format!("{stop} (stopped)");
                let builder = &mut self.builder;
                self.ends.entry(stop).or_insert_with(|| if moves { builder.add_state(&name) } else { id(stop) });
            }
        }
        if atoms.iter().any(|(name, _)| is_ability(name)) {
            return Err(NoTerm::new("an atom has a name that says who is able to step"));
        }
        let props: Vec<_> = atoms.iter().map(|(name, _)| self.builder.add_prop(name)).collect();
        for (number, labels) in (0u32..).zip(&self.structure.labels) {
            for ((&prop, &(_, atom)), &value) in props.iter().zip(atoms).zip(labels) {
                let Some(value) = value else { continue };
                self.owe(|writer, owed| writer.label_holds(number as usize, (atom, value), owed))?;
                self.builder.set_label(id(number), prop, value.into());
                if let Some(&end) = self.ends.get(&number) {
                    self.builder.set_label(end, prop, value.into());
                }
            }
        }
        Ok(())
    }

    /// Who is surely able to step: of those who are treated fairly, since it matters of no one else.
    fn abilities(&mut self) -> Result<(), NoTerm> {
        let structure = self.structure;
        for &(state, ref who) in &structure.able {
            for &slot in who {
                if self.fair.contains(&slot) && self.able.insert((state, slot)) {
                    self.owe(|writer, owed| writer.is_able(state as usize, Some(slot as usize), owed))?;
                }
            }
        }
        Ok(())
    }

    /// Labels that say where whoever is treated strongly fairly is able to step, for claims. Where a process has no step it surely is not; where a run ended nobody is.
    fn tells_abilities(&mut self) {
        if !self.frame.claims {
            return;
        }
        for (number, &slot) in self.fair.iter().enumerate() {
            let machine = &self.writer.machine;
            if machine.program.process(machine.code[slot as usize]).fairness != Fairness::Strong {
                continue;
            }
            let prop = self.builder.add_prop(&ability(number, machine.name(slot as usize)));
            for &state in &self.told {
                let never = self.targets.get(&(state, slot)).is_none_or(BTreeSet::is_empty);
                if never || self.able.contains(&(state, slot)) {
                    self.builder.set_label(id(state), prop, (!never).into());
                }
            }
            // Where a run stays that surely ended, nobody has a step.
            self.ends.values().for_each(|&end| self.builder.set_label(end, prop, false.into()));
        }
    }

    /// Sets of which a member can surely be stepped into.
    fn certain_sets(&mut self) -> Result<(), NoTerm> {
        let structure = self.structure;
        for (from, by, into) in &structure.certain {
            let actor = by.map_or(Actor::Anyone, Actor::Process);
            let members: BTreeSet<u32> = into.iter().copied().collect();
            let slot = by.map(|slot| slot as usize);
            self.owe(|writer, owed| writer.is_certain(*from as usize, slot, &members, owed))?;
            let mut one = members.iter();
            match (actor, one.next(), one.next()) {
                (Actor::Process(slot), Some(&only), None) => {
                    self.sure.insert((*from, slot, only));
                }
                (actor, ..) => self.certain_set(*from, actor, &members),
            }
        }
        Ok(())
    }

    fn certain_set(&mut self, from: u32, actor: Actor, members: &BTreeSet<u32>) {
        let action = match actor {
            Actor::Process(slot) => Some(self.actions[slot as usize]),
            Actor::Anyone if self.fair.is_empty() => None,
            Actor::Anyone => Some(self.builder.add_action(ANYONE)),
        };
        let members: Vec<StateId> = members.iter().map(|&member| id(member)).collect();
        match members[..] {
            [only] => self.builder.add_edge(id(from), only, false, true, action),
            _ => self.builder.add_hyper(id(from), &members, action),
        }
    }

    /// Possible steps; every step of the program is one of them, unless nothing is told of where it begins.
    fn steps(&mut self) -> Result<(), NoTerm> {
        let targets = self.targets.clone();
        for number in self.told.clone() {
            self.owe(|writer, owed| writer.steps_are_possible(number as usize, &targets, owed))?;
            for (&(from, by), to) in targets.range((number, 0)..=(number, u32::MAX)) {
                for &target in to {
                    let must = self.sure.remove(&(from, by, target));
                    self.edge((from, by, target), true, must);
                }
            }
        }
        for taken in std::mem::take(&mut self.sure) {
            self.edge(taken, false, true);
        }
        Ok(())
    }

    /// An edge, and whose fairness it counts for: that of the process which takes it, and of those that are not able to step.
    fn edge(&mut self, (from, by, to): (u32, u32, u32), may: bool, must: bool) {
        let action = Some(self.actions[by as usize]);
        self.builder.add_edge(id(from), id(to), may, must, action);
        for (&fair, (possible, certain)) in self.fair.iter().zip(&mut self.counting) {
            let own = fair == by;
            let never = self.targets.get(&(from, fair)).is_none_or(BTreeSet::is_empty);
            if own || !self.able.contains(&(from, fair)) {
                possible.push((id(from), id(to), action));
            }
            if own || never {
                certain.push((id(from), id(to), action));
            }
        }
    }

    /// Where runs that end stay for ever, some process can surely step wherever no run is said to end.
    fn goes_on(&mut self) -> Result<(), NoTerm> {
        if !self.frame.stutter {
            return Ok(());
        }
        for number in self.told.clone() {
            if !self.ends.contains_key(&number) {
                self.owe(|writer, owed| writer.is_able(number as usize, None, owed))?;
            }
        }
        self.builder.set_total(true);
        Ok(())
    }

    /// Where a run may end it may stay for ever. Nobody is able to step there, so that this is fair to everyone.
    fn ends(&mut self) {
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
            for (possible, certain) in &mut self.counting {
                possible.extend(&edges);
                certain.extend(&edges);
            }
        }
    }

    /// From states of which nothing is told anyone may step anywhere, or nobody any more; every such step may count for every
    /// constraint, and none surely does.
    fn untold(&mut self) {
        let untold: BTreeSet<u32> = self.structure.untold.iter().copied().collect();
        if untold.is_empty() {
            return;
        }
        let anything = self.builder.add_state("anything");
        let by: Vec<Option<ActionId>> = self.actions.iter().copied().map(Some).chain([None]).collect();
        for from in untold.into_iter().map(id).chain([anything]) {
            for &action in &by {
                self.builder.add_edge(from, anything, true, false, action);
                for (possible, _) in &mut self.counting {
                    possible.push((from, anything, action));
                }
            }
        }
    }

    fn finish(mut self) -> Result<Drawn, NoTerm> {
        for (possible, certain) in std::mem::take(&mut self.counting) {
            self.builder.add_split_fairness(possible, certain);
        }
        let builder = std::mem::take(&mut self.builder);
        let plain = builder.finish().map_err(|error| NoTerm::new(error.to_string()))?;
        if self.frame.claims {
            let ranked = self.ranked(&plain)?;
            return Ok(Drawn { model: plain, obligations: self.owed, ranked });
        }
        let promises = self.promises(&plain)?;
        let model = if promises.is_empty() { plain } else { ranks::keeping(&plain, &promises)? };
        Ok(Drawn { model, obligations: self.owed, ranked: RankedSteps::default() })
    }

    /// What possible steps, and certain ones with rank conditions, do to ranks; each is shown to do so.
    fn ranked(&mut self, plain: &Kmts) -> Result<RankedSteps, NoTerm> {
        let structure = self.structure;
        if !structure.strong.is_empty() {
            return Err(NoTerm::new("strong fairness shows that linear formulas are true, and nothing else"));
        }
        for rank in &structure.ranks {
            self.owe_rank(rank)?;
        }
        for set in &structure.ranked {
            self.owe(|writer, owed| writer.is_certain_with_ranks(&structure.ranks, set, owed))?;
        }
        ranks::steps(structure, &self.targets, plain, &self.actions)
    }

    /// Every step that a rank lists is of its kind.
    fn owe_rank(&mut self, rank: &Rank) -> Result<(), NoTerm> {
        self.owe(|writer, owed| {
            owed.extend(writer.rank(rank)?);
            Ok(())
        })
    }

    /// What runs do not do for ever: ranks, of which every step that is listed is shown to be of its kind, and strong fairness.
    fn promises(&mut self, plain: &Kmts) -> Result<Vec<Promise>, NoTerm> {
        let structure = self.structure;
        let mut promises = Vec::new();
        for rank in &structure.ranks {
            self.owe_rank(rank)?;
            promises.push(Promise::of_rank(rank, &self.targets, plain, &self.actions));
        }
        for &slot in &structure.strong {
            let code = self.writer.machine.code[slot as usize];
            if !self.frame.fair || self.writer.machine.program.process(code).fairness != Fairness::Strong {
                return Err(NoTerm::new("a process is not treated with strong fairness that the structure counts on"));
            }
            let able = self.able.iter().filter(|(_, who)| *who == slot).map(|&(state, _)| state).collect();
            promises.push(Promise::of_process(self.actions[slot as usize], &able, plain));
        }
        Ok(promises)
    }
}

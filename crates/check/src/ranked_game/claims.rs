//! Which alternatives does a claim have at a state, and what does each need?

use tertium_base::narrow::to_u32;
use tertium_evidence::Choice;
use tertium_lattice::Belnap;
use tertium_logic::Node;
use tertium_model::{ActionId, Edge, StateId};

use super::rules::{Defence, Rules, Sub, Unfolding};
use super::{Alternative, Arena, Position, RankedStructure, StepChanges};
use crate::game::plan::ModalStep;
use crate::game::steps::{CertainSet, Steps};
use crate::{Filter, Task};

/// A step that can be chosen, and where it leads.
type ChosenStep = (Choice, Vec<(StateId, StepChanges)>);

pub(super) fn alternatives(
    task: &Task<'_>,
    ranked: &RankedStructure,
    rules: &Rules,
    arena: &mut Arena,
    at: usize,
) -> Vec<Alternative> {
    let position = arena.positions[at];
    Moves { task, ranked, arena, position }.of(rules.get(position.1, position.2))
}

struct Moves<'a, 't> {
    task: &'a Task<'t>,
    ranked: &'a RankedStructure,
    arena: &'a mut Arena,
    position: Position,
}

impl Moves<'_, '_> {
    fn of(&mut self, defence: &Defence) -> Vec<Alternative> {
        match defence {
            Defence::Foreign => Vec::new(),
            Defence::Label if self.label() => vec![self.here(Choice::None, &[])],
            Defence::Label => Vec::new(),
            Defence::All(list) => vec![self.here(Choice::None, list)],
            Defence::OneOf(lists) => {
                (0u8..).zip(lists).map(|(number, list)| self.here(Choice::Operand(number), list)).collect()
            }
            Defence::Step { exists: true, action, then } => {
                let filter = self.task.filter(*action);
                self.certain(filter).into_iter().map(|step| self.there(step, *then, None)).collect()
            }
            Defence::Step { exists: false, action, then } => {
                let step = (Choice::None, self.possible(self.task.filter(*action)));
                vec![self.there(step, *then, None)]
            }
            Defence::Unfold(unfolding) => self.unfold(unfolding),
        }
    }

    fn unfold(&mut self, Unfolding { exists, stop, hold, .. }: &Unfolding) -> Vec<Alternative> {
        let again = (self.position.1, self.position.2);
        let mut found = Vec::new();
        if let Some((operand, needs)) = stop {
            found.push(self.here(Choice::Operand(*operand), needs));
        }
        let steps =
            if *exists { self.certain(Filter::Any) } else { vec![(Choice::Onward, self.possible(Filter::Any))] };
        found.extend(steps.into_iter().map(|step| self.there(step, again, *hold)));
        found
    }

    fn label(&self) -> bool {
        let (state, node, positive) = self.position;
        let value = match self.task.formula.node(node) {
            Node::True => Belnap::True,
            Node::False => Belnap::False,
            Node::Element(element) => self.task.elements[element.index()],
            Node::Atom(atom) => self.task.model.label(state, self.task.props[atom.index()]),
            _ => Belnap::Unknown,
        };
        if positive { value.for_true() } else { value.for_false() }
    }

    fn here(&mut self, choice: Choice, needs: &[Sub]) -> Alternative {
        let state = self.position.0;
        let needs: Vec<(u32, StepChanges)> =
            needs.iter().map(|&(node, is)| (self.arena.number((state, node, is)), StepChanges::default())).collect();
        Alternative { choice, steps_from: needs.len(), needs }
    }

    fn there(&mut self, (choice, to): ChosenStep, (node, is): Sub, hold: Option<Sub>) -> Alternative {
        let mut alternative = self.here(choice, hold.as_slice());
        for (state, changes) in to {
            alternative.needs.push((self.arena.number((state, node, is)), changes));
        }
        alternative
    }

    /// What a step along an edge does. A step that nobody takes is one of a run that has ended: the program stays where it is.
    fn along_edge(&self, edge: Edge) -> StepChanges {
        edge.action.map_or_else(StepChanges::default, |by| self.ranked.changes(self.position.0, edge.target, by))
    }

    /// What a step into a state does, whichever possible edge it is that counts for the filter.
    fn changes(&self, to: StateId, filter: Filter) -> StepChanges {
        let steps = Steps::new(self.task);
        let edges = self.task.model.edges_from(self.position.0).filter(|edge| edge.target == to);
        let changes = edges.filter(|&edge| steps.is_possible(filter, edge)).map(|edge| self.along_edge(edge));
        changes.reduce(StepChanges::or).unwrap_or_else(|| self.ranked.nothing())
    }

    /// The possible steps that count for the filter: those of several processes between the same states need not do the same.
    fn possible(&self, filter: Filter) -> Vec<(StateId, StepChanges)> {
        let steps = Steps::new(self.task);
        let edges = self.task.model.edges_from(self.position.0).filter(|&edge| steps.is_possible(filter, edge));
        let mut to: Vec<(StateId, StepChanges)> = edges.map(|edge| (edge.target, self.along_edge(edge))).collect();
        to.sort_unstable_by_key(|&(to, changes)| (to, changes.decreased, changes.free));
        to.dedup();
        to
    }

    /// Everything certain that counts for the filter; sets with rank conditions last, so that they are taken only where they help.
    fn certain(&self, filter: Filter) -> Vec<ChosenStep> {
        let (state, model, steps) = (self.position.0, self.task.model, Steps::new(self.task));
        let mut sets: Vec<(Vec<StateId>, Option<ActionId>)> = Vec::new();
        let plain = |edge: &Edge| steps.is_certain(filter, *edge);
        sets.extend(model.edges_from(state).filter(plain).map(|edge| (vec![edge.target], edge.action)));
        let step = ModalStep { filter, finite: false };
        let hyper = model.hyper_from(state).map(|hyper| (CertainSet::Hyper(hyper.id), hyper.action));
        for (set, action) in
            hyper.chain([(CertainSet::Total, None)]).filter(|&(set, _)| steps.set_counts(state, step, set))
        {
            sets.push((steps.members(state, set).collect(), action));
        }
        for (set, _) in &mut sets {
            set.sort_unstable();
            set.dedup();
        }
        sets.sort();
        sets.dedup();
        let mut chosen: Vec<ChosenStep> = Vec::new();
        for (set, _) in &sets {
            if chosen.iter().any(|(choice, _)| *choice == Choice::Into(set.clone())) {
                continue;
            }
            // A certain set within this one will do, whose ever it is; a claim does not say whose, so the best one counts.
            let inside = sets.iter().filter(|(other, _)| other.iter().all(|to| set.binary_search(to).is_ok()));
            let changes = inside.map(|&(_, action)| self.changes_into(set, action)).min_by_key(|to| preference(to));
            chosen.extend(changes.map(|to| (Choice::Into(set.clone()), to)));
        }
        chosen.into_iter().chain(self.along(filter)).collect()
    }

    /// What a certain step into one of these states does. It is one of the possible steps if they lead nowhere else, or one of its process; abstract states may overlap, so a
    /// step that its process does not list may lead there, too, and of such a step nothing is known.
    fn changes_into(&self, set: &[StateId], action: Option<ActionId>) -> Vec<(StateId, StepChanges)> {
        let (from, model) = (self.position.0, self.task.model);
        let may = || model.edges_from(from).filter(|edge| edge.may);
        let covers = may().all(|edge| set.binary_search(&edge.target).is_ok());
        let lists = |to: StateId| may().any(|edge| edge.target == to && edge.action == action && action.is_some());
        let own = action.map_or(Filter::Any, Filter::Action);
        let changes = |&to: &StateId| match (covers, lists(to)) {
            (true, _) => (to, self.changes(to, Filter::Any)),
            (false, true) => (to, self.changes(to, own)),
            (false, false) => (to, self.ranked.nothing()),
        };
        set.iter().map(changes).collect()
    }

    fn along(&self, filter: Filter) -> Vec<ChosenStep> {
        let counts = |action| match filter {
            Filter::Any => true,
            Filter::Action(wanted) => action == Some(wanted),
            Filter::Fair(_) => false,
        };
        let own = |(_, set): &(usize, &super::RankedSuccessors)| set.from == self.position.0 && counts(set.action);
        let step = |(number, set): (usize, &super::RankedSuccessors)| (Choice::Along(to_u32(number)), set.into.clone());
        self.ranked.sets.iter().enumerate().filter(own).map(step).collect()
    }
}

/// Which of several ways to take a certain set counts, the least one: that which may increase the fewest ranking functions and decreases the most.
fn preference(into: &[(StateId, StepChanges)]) -> (u32, u32, Vec<(u64, u64)>) {
    let count = |of: fn(&StepChanges) -> u64| into.iter().map(|(_, changes)| of(changes).count_ones()).sum::<u32>();
    let bits = into.iter().map(|(_, changes)| (changes.free, changes.decreased)).collect();
    (count(|changes| changes.free), u32::MAX - count(|changes| changes.decreased), bits)
}

//! How is a system of sets, with priorities on its steps, written as one formula?
//!
//! By unfolding it into a tree whose leaves are variables of what stands above them. A set entered by a step of some priority binds
//! a variable, of a greatest fixpoint if that is even and a least one if it is odd. It may be used further down where the same
//! set is entered by the same priority and nothing greater was met in between: then, of the variables that are used for
//! ever, the outermost has the greatest priority, and that decides as it should. Every branch ends, since of the
//! greatest priority that it meets again and again some set comes back.
//!
//! What is written depends on the set and on the variables that may be used, and is written once.

use std::collections::{BTreeSet, HashMap};

use tertium_base::{Budget, StopReason, Stopped};

use super::events::Events;
use super::sets::{Move, Sets};
use crate::classify::tree_size;
use crate::formula::{AtomId, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};

/// More places than this are too many to be of use.
const MOST_PLACES: usize = 20_000;
/// A longer formula is too long to be of use.
const LONGEST: u64 = 100_000;

/// The formula of a system of sets, with the names of the formula that it comes from.
pub(super) fn formula(sets: &mut Sets, of: &Formula, budget: &Budget) -> Result<Formula, Stopped> {
    let events = Events::reduce(sets);
    let mut builder = of.to_builder();
    let mut writer =
        Writer { sets, events, names: 0, known: HashMap::new(), used: BTreeSet::new(), builder: &mut builder };
    let root = writer.write(budget)?;
    let plain = writer.used.is_empty() && of.logic() == Logic::Pml;
    let formula = builder.finish(root, if plain { Logic::Pml } else { Logic::Mu });
    if tree_size(&formula) > LONGEST {
        return Err(Stopped(StopReason::Count));
    }
    Ok(formula)
}

/// A set, the priority by which it was entered, and the variables that may be used below it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct SetVisit {
    set: usize,
    event: u32,
    usable: Vec<Binder>,
}

/// A variable that stands for a set entered by a priority.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Binder {
    set: usize,
    event: u32,
    variable: VarId,
}

/// A place that is being written.
struct VisitFrame {
    place: SetVisit,
    /// Its own variable, if it may come back.
    own: Option<Binder>,
    /// The choice, and the move of it, that come next.
    next: (usize, usize),
    /// The choices that are done, and what there is of the present one.
    any: NodeId,
    whole: NodeId,
}

/// What stands behind a step.
enum Behind {
    Written(NodeId),
    New(SetVisit),
}

struct Writer<'w> {
    sets: &'w Sets,
    events: Events,
    /// How many names were tried for variables.
    names: usize,
    known: HashMap<SetVisit, NodeId>,
    used: BTreeSet<VarId>,
    builder: &'w mut FormulaBuilder,
}

impl Writer<'_> {
    fn write(&mut self, budget: &Budget) -> Result<NodeId, Stopped> {
        let root = self.sets.root;
        let place = SetVisit { set: root, event: self.events.entry[root], usable: Vec::new() };
        let mut open = match self.constant(root) {
            Some(constant) => return Ok(constant),
            None => vec![self.frame(place)],
        };
        let mut ticks = 0;
        loop {
            budget.tick(&mut ticks)?;
            if self.known.len() + open.len() > MOST_PLACES {
                return Err(Stopped(StopReason::Count));
            }
            let Some(frame) = open.last_mut() else { return Err(Stopped(StopReason::Count)) };
            if let Some(place) = self.go_on(frame) {
                let below = self.frame(place);
                open.push(below);
                continue;
            }
            let form = self.bound(frame);
            let Some(done) = open.pop().filter(|_| !open.is_empty()) else { return Ok(form) };
            self.known.insert(done.place, form);
        }
    }

    fn constant(&mut self, set: usize) -> Option<NodeId> {
        let constant = self.sets.constant[set]?;
        Some(self.builder.add(if constant { Node::True } else { Node::False }))
    }

    fn frame(&mut self, place: SetVisit) -> VisitFrame {
        let SetVisit { set, event, .. } = place;
        let comes_back = self.events.cyclic[self.events.component[set]];
        let own = comes_back.then(|| Binder { set, event, variable: self.variable() });
        let any = self.builder.add(Node::False);
        let mut frame = VisitFrame { place, own, next: (0, 0), any, whole: any };
        frame.whole = self.labels(&frame);
        frame
    }

    /// A variable with a name of its own: `X`, `Y`, `Z`, `X1`, …
    fn variable(&mut self) -> VarId {
        let name = loop {
            let letter = ["X", "Y", "Z"][self.names % 3];
            let round = self.names / 3;
            self.names += 1;
            let name = if round == 0 { letter.to_owned() } else { format!("{letter}{round}") };
            if !self.builder.knows_name(&name) {
                break name;
            }
        };
        self.builder.fresh_variable(&name)
    }

    /// The literals of the choice that comes next.
    fn labels(&mut self, frame: &VisitFrame) -> NodeId {
        let sets = self.sets;
        let mut whole = self.builder.add(Node::True);
        if let Some(choice) = sets.choices[frame.place.set].get(frame.next.0) {
            for &(atom, positive) in &choice.labels {
                let literal = self.literal(atom, positive);
                whole = self.and(whole, literal);
            }
        }
        whole
    }

    /// Writes on, as far as nothing new comes up.
    fn go_on(&mut self, frame: &mut VisitFrame) -> Option<SetVisit> {
        let sets = self.sets;
        while let Some(choice) = sets.choices[frame.place.set].get(frame.next.0) {
            let Some(&step) = choice.moves.get(frame.next.1) else {
                frame.any = self.or(frame.any, frame.whole);
                frame.next = (frame.next.0 + 1, 0);
                frame.whole = self.labels(frame);
                continue;
            };
            let form = match self.behind(frame, step) {
                Behind::Written(form) => form,
                Behind::New(place) => return Some(place),
            };
            let modality = self.modality(step, form);
            frame.whole = self.and(frame.whole, modality);
            frame.next.1 += 1;
        }
        None
    }

    fn behind(&mut self, frame: &VisitFrame, step: Move) -> Behind {
        if let Some(constant) = self.constant(step.to) {
            return Behind::Written(constant);
        }
        let inside = self.events.component[frame.place.set] == self.events.component[step.to];
        let event = if inside { step.event } else { self.events.entry[step.to] };
        let above = frame.place.usable.iter().chain(&frame.own);
        let usable: Vec<Binder> = above.copied().filter(|binder| inside && binder.event >= event).collect();
        if let Some(binder) = usable.iter().find(|binder| (binder.set, binder.event) == (step.to, event)) {
            self.used.insert(binder.variable);
            return Behind::Written(self.builder.add(Node::Var(binder.variable)));
        }
        let place = SetVisit { set: step.to, event, usable };
        match self.known.get(&place) {
            Some(&form) => Behind::Written(form),
            None => Behind::New(place),
        }
    }

    /// What was written at a place, under its variable if that occurs.
    fn bound(&mut self, frame: &VisitFrame) -> NodeId {
        match frame.own.filter(|binder| self.used.contains(&binder.variable)) {
            Some(Binder { variable, event, .. }) if event.is_multiple_of(2) => {
                self.builder.add(Node::Nu(variable, frame.any))
            }
            Some(Binder { variable, .. }) => self.builder.add(Node::Mu(variable, frame.any)),
            None => frame.any,
        }
    }

    fn modality(&mut self, step: Move, form: NodeId) -> NodeId {
        match (step.all, self.builder.node(form)) {
            (true, Node::True) | (false, Node::False) => form,
            (true, _) => self.builder.add(Node::Box(step.action, form)),
            (false, _) => self.builder.add(Node::Diamond(step.action, form)),
        }
    }

    fn literal(&mut self, atom: AtomId, positive: bool) -> NodeId {
        let literal = self.builder.add(Node::Atom(atom));
        if positive { literal } else { self.builder.add(Node::Not(literal)) }
    }

    fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.builder.node(a), self.builder.node(b)) {
            (Node::True, _) | (_, Node::False) => b,
            (_, Node::True) | (Node::False, _) => a,
            _ if a == b => a,
            _ => self.builder.add(Node::And(a, b)),
        }
    }

    fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.builder.node(a), self.builder.node(b)) {
            (Node::False, _) | (_, Node::True) => b,
            (_, Node::False) | (Node::True, _) => a,
            _ if a == b => a,
            _ => self.builder.add(Node::Or(a, b)),
        }
    }
}

//! Which elements are locations, and which steps lead from one to another?
//!
//! A location has the steps of all statements it may begin with. Jumps and joins are passed through, except where that
//! would leave an atomic block: there they are steps of their own. Escapes of `unless` come before what they escape.

use std::collections::{BTreeMap, BTreeSet};

use tertium_program::{Action, Hold, Location, LocationId, Step, StepId};

use super::Lowering;
use super::elements::{Draft, ElementId, ElementKind};
use crate::ast::LabelId;
use crate::symbols::UnitId;

/// A step before its expressions are made.
struct Planned {
    element: ElementId,
    target: ElementId,
    rank: u32,
    /// Positions in the same plan.
    yields_to: Vec<usize>,
    frees: bool,
}

/// One alternative at a location: a statement or a whole `d_step`, and the escape it belongs to.
#[derive(Clone, Copy)]
struct Alternative {
    element: ElementId,
    escape: Option<ElementId>,
}

/// More jumps in a row than this go round in circles.
const MOST_JUMPS: usize = 500;

impl<'a> Draft<'a> {
    /// Passes through jumps and joins; `atom` says whether one comes from inside an atomic block.
    fn hunt(&self, from: ElementId, atom: bool) -> ElementId {
        let mut at = from;
        for _ in 0..MOST_JUMPS {
            let next = match self.elements[at].kind {
                ElementKind::Unless(first) => self.hunt(first, atom),
                _ => match self.jump(at) {
                    Some(next) => next,
                    None => return at,
                },
            };
            if next == at || (atom && !self.elements[next].atom) {
                return at;
            }
            at = next;
        }
        from
    }

    /// Where the process begins.
    fn entry(&self) -> ElementId {
        self.hunt(self.first, false)
    }

    /// Where executing a statement leads, and whether control is given up although the target is inside a block.
    fn target(&self, id: ElementId) -> (ElementId, bool) {
        let element = &self.elements[id];
        if let Some(block) = element.d_step {
            return self.inner_target(id, block);
        }
        let from = match element.kind {
            ElementKind::Goto(_) | ElementKind::Break(_) => self.jump(id).unwrap_or(element.next),
            _ => element.next,
        };
        let target = self.hunt(from, element.atom);
        (target, !element.atom && self.elements[target].in_block())
    }

    /// A jump in a block belongs to it if it leads into a block; otherwise it is one of its last statements.
    pub fn end_blocks_at_jumps(&mut self) {
        for id in 0..self.elements.len() {
            let element = &self.elements[id];
            let jumps = matches!(element.kind, ElementKind::Goto(_) | ElementKind::Break(_));
            if !jumps || !element.in_block() || element.d_step.is_some() {
                continue;
            }
            let stays = self.jump(id).is_some_and(|to| self.elements[to].in_block());
            let element = &mut self.elements[id];
            (element.atom, element.last) = (stays, !stays);
        }
    }

    /// As [`Self::target`] inside a `d_step`, where nothing but statements takes a step.
    fn inner_target(&self, id: ElementId, block: ElementId) -> (ElementId, bool) {
        let mut at = self.jump(id).unwrap_or(self.elements[id].next);
        for _ in 0..MOST_JUMPS {
            if self.elements[at].d_step != Some(block) {
                let outer = &self.elements[block];
                let target = self.hunt(at, outer.atom);
                return (target, !outer.atom && self.elements[target].in_block());
            }
            at = match self.elements[at].kind {
                ElementKind::Unless(first) => first,
                _ => match self.jump(at) {
                    Some(next) => next,
                    None => return (at, false),
                },
            };
        }
        (at, false)
    }

    /// What an element may begin with.
    fn firsts(&self, id: ElementId) -> Vec<ElementId> {
        let (mut found, mut seen, mut open) = (Vec::new(), BTreeSet::new(), vec![id]);
        while let Some(at) = open.pop() {
            match &self.elements[at].kind {
                _ if !seen.insert(at) => {}
                ElementKind::Choice(options) => open.extend(options.iter().rev()),
                ElementKind::Block(first) | ElementKind::Atomic(first) | ElementKind::Unless(first) => {
                    open.push(*first)
                }
                _ => found.push(at),
            }
        }
        found
    }

    /// The alternatives at a location: escapes, outermost first, then what stands there.
    fn alternatives(&self, id: ElementId) -> Vec<Alternative> {
        let own: Vec<Alternative> =
            self.firsts(id).into_iter().map(|element| Alternative { element, escape: None }).collect();
        let mut escapes: Vec<Alternative> = Vec::new();
        for alternative in &own {
            for &escape in self.elements[alternative.element].escapes.iter().rev() {
                for element in self.firsts(escape) {
                    if !escapes.iter().chain(&own).any(|known| known.element == element) {
                        escapes.insert(0, Alternative { element, escape: Some(escape) });
                    }
                }
            }
        }
        escapes.extend(own);
        escapes
    }

    fn plan(&self, id: ElementId) -> Vec<Planned> {
        let mut planned: Vec<Planned> = Vec::new();
        let (mut rank, mut before) = (0, None);
        let mut first_of_rank = 0;
        for (at, alternative) in self.alternatives(id).into_iter().enumerate() {
            if at > 0 && alternative.escape != before {
                rank += 1;
                first_of_rank = planned.len();
            }
            before = alternative.escape;
            let (group, yields) = match self.elements[alternative.element].kind {
                ElementKind::DStep(first) => (self.firsts(first), Some(planned.len())),
                ElementKind::Else => (vec![alternative.element], Some(first_of_rank)),
                _ => (vec![alternative.element], None),
            };
            for element in group {
                let (target, frees) = self.target(element);
                let yields_to = yields.map_or_else(Vec::new, |first| (first..planned.len()).collect());
                planned.push(Planned { element, target, rank, yields_to, frees });
            }
        }
        planned
    }

    /// A label on a statement with which a compound statement begins marks where that statement leads instead.
    fn pass_labels_on(&mut self) {
        let flags = |draft: &Self, id: ElementId| {
            let element = &draft.elements[id];
            [element.end, element.progress, element.accept]
        };
        let mut marks = Vec::new();
        for id in 0..self.elements.len() {
            let children = match &self.elements[id].kind {
                ElementKind::Choice(options) => options.clone(),
                ElementKind::Block(first) | ElementKind::Atomic(first) => vec![*first],
                _ => continue,
            };
            if self.elements[id].d_step.is_some() {
                continue;
            }
            let mut open: Vec<(ElementId, [bool; 3])> = children.into_iter().map(|child| (child, [false; 3])).collect();
            while let Some((at, inherited)) = open.pop() {
                let own = flags(self, at);
                let all = [0, 1, 2].map(|flag| own[flag] || inherited[flag]);
                match &self.elements[at].kind {
                    ElementKind::Choice(options) => open.extend(options.iter().map(|&option| (option, all))),
                    ElementKind::Block(first) | ElementKind::Atomic(first) | ElementKind::Unless(first) => {
                        open.push((*first, all))
                    }
                    _ => marks.push((self.target(at).0, all)),
                }
            }
        }
        for (id, [end, progress, accept]) in marks {
            let element = &mut self.elements[id];
            element.end |= end;
            element.progress |= progress;
            element.accept |= accept;
        }
    }
}

impl<'a> Lowering<'a> {
    /// Makes the locations of a unit; which elements they are stays in the order of discovery.
    pub(super) fn place(&mut self, unit: UnitId, draft: &Draft<'a>) {
        let process = self.processes[&unit];
        let marked = {
            let mut marked = draft.clone();
            marked.pass_labels_on();
            marked
        };
        let mut labels: BTreeMap<ElementId, Vec<LabelId>> = BTreeMap::new();
        draft.labels.iter().for_each(|(&label, &at)| labels.entry(at).or_default().push(label));
        for (number, element) in located(draft).into_iter().enumerate() {
            let found = &marked.elements[element];
            let hold = match (found.d_step, found.in_block()) {
                (Some(_), _) => Hold::Deterministic,
                (None, true) => Hold::WhileEnabled,
                (None, false) => Hold::Free,
            };
            self.program.add_location(
                process,
                Location {
                    steps: Vec::new(),
                    labels: found.names.clone(),
                    end: found.end,
                    progress: found.progress,
                    accept: found.accept,
                    hold,
                    span: found.span,
                },
            );
            for label in labels.remove(&element).unwrap_or_default() {
                self.labels.insert(label, (process, LocationId::new(number)));
            }
        }
    }

    /// Makes the steps of a unit.
    pub(super) fn connect(&mut self, unit: UnitId, draft: &Draft<'a>) {
        let process = self.processes[&unit];
        let elements = located(draft);
        let numbers: BTreeMap<ElementId, LocationId> =
            elements.iter().enumerate().map(|(number, &element)| (element, LocationId::new(number))).collect();
        self.program.processes[process.index()].entry = numbers[&draft.entry()];
        if let crate::ast::Item::Proctype(proctype) = &self.file.items[self.symbols.unit(unit).item] {
            let provided = proctype.provided.as_ref().map(|condition| self.condition(condition));
            self.program.processes[process.index()].provided = provided;
            self.program.processes[process.index()].deterministic = proctype.deterministic;
        }
        for element in elements {
            let mut steps: Vec<Option<StepId>> = Vec::new();
            for planned in draft.plan(element) {
                if matches!(draft.elements[planned.element].kind, ElementKind::End) && self.watches(unit) {
                    steps.push(None);
                    continue;
                }
                let (guard, action) = self.action(unit, draft, planned.element);
                let found = &draft.elements[planned.element];
                let text = self.step_text(draft, planned.element);
                let ends = action == Action::End;
                let target = if ends { numbers[&element] } else { numbers[&planned.target] };
                let step = Step {
                    process,
                    source: numbers[&element],
                    target,
                    rank: planned.rank,
                    yields_to: planned.yields_to.iter().filter_map(|&at| steps[at]).collect(),
                    frees: planned.frees,
                    inputs: Vec::new(),
                    guard,
                    action,
                    span: found.span,
                    text,
                };
                steps.push(Some(self.program.add_step(step)));
            }
        }
    }
}

/// The elements that are locations, from the entry on, then those that only labels name.
fn located(draft: &Draft<'_>) -> Vec<ElementId> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = std::collections::VecDeque::from([draft.entry()]);
    open.extend(draft.labels.values());
    while let Some(id) = open.pop_front() {
        if !seen.insert(id) {
            continue;
        }
        found.push(id);
        let targets = draft
            .plan(id)
            .into_iter()
            .filter(|planned| !matches!(draft.elements[planned.element].kind, ElementKind::End));
        open.extend(targets.map(|planned| planned.target));
    }
    found
}

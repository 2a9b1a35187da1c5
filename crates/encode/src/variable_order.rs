//! Which variable order do the diagrams get?
//!
//! How large a diagram is depends on it (Bryant 1986), and the best order is not known beforehand. These are static orders from the text of
//! the program, in the spirit of Aziz, Taşıran and Brayton (1994): what communicates stands close together. The cells of a
//! process stand together, and with them what it alone writes; other shared ones between the processes that use them, and those
//! that nearly all use come first. Where one step writes many variables at once there are no processes to stand with: what depends on each other
//! is brought together by FORCE (`force`). Others are tried where the first needs too many nodes, and then what
//! sifting makes of the diagrams that there are (`reordering`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tertium_base::narrow::to_usize;
use tertium_program::{Action, Binary, Expr, ExprId, Field, Place, Program, Semantics, VarId};

use crate::cells::CellDraft;
use crate::force;

/// A step that writes at least so many variables is one of a synchronous system.
const MANY: usize = 8;

/// In which order cells get their bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum VariableOrder {
    /// What one process alone writes stands with it; else as the next.
    WithWriter,
    /// What nearly all processes use first, then the processes, other shared cells between their users.
    SharedFirst,
    /// All shared cells between their users.
    SharedBetween,
    /// As the first but one, and elements of one array bit by bit: the highest ones of all, then the next ones.
    Interleaved,
    /// Locations, then variables as they are declared.
    Declared,
    /// As the first; variables between which values are handed on stand together bit by bit: the highest ones of all first.
    Related,
    /// What steps relate stands close together, whoever writes it.
    Force,
    /// As declared, and equal indices of arrays that are declared one after the other together.
    ByIndex,
    /// As sifting found it: groups of slots; the bits of a group alternate.
    Sifted(Arc<[Vec<usize>]>),
}

impl VariableOrder {
    /// All for a program as it stands, the one that most often is best first.
    pub const ALL: [Self; 5] =
        [Self::WithWriter, Self::SharedFirst, Self::SharedBetween, Self::Interleaved, Self::Declared];
    /// Those for a program in which one step writes many variables at once.
    pub const SYNCHRONOUS: [Self; 4] = [Self::Force, Self::ByIndex, Self::Interleaved, Self::WithWriter];
    /// Those for a program that was taken apart: messages are copies of variables and become others.
    pub const APART: [Self; 4] = [Self::Related, Self::WithWriter, Self::SharedBetween, Self::Declared];
}

/// The drafts in the order in which they get their bits.
pub(crate) fn order(
    program: &Program,
    semantics: &Semantics<'_>,
    drafts: &[CellDraft],
    wanted: &VariableOrder,
) -> Vec<usize> {
    if let VariableOrder::Sifted(groups) = wanted {
        let of_slot: BTreeMap<usize, usize> = drafts.iter().enumerate().map(|(at, draft)| (draft.slot, at)).collect();
        return groups.iter().flatten().filter_map(|slot| of_slot.get(slot).copied()).collect();
    }
    if *wanted == VariableOrder::Declared {
        return (0..drafts.len()).collect();
    }
    if matches!(wanted, VariableOrder::Force | VariableOrder::ByIndex) {
        let first = by_index(program, drafts);
        if *wanted == VariableOrder::ByIndex {
            return first;
        }
        let mut place = vec![0; drafts.len()];
        first.iter().enumerate().for_each(|(at, &draft)| place[draft] = at);
        let edges = edges(program, semantics, drafts);
        let edges: Vec<Vec<usize>> =
            edges.into_iter().map(|edge| edge.into_iter().map(|at| place[at]).collect()).collect();
        return force::order(drafts.len(), &edges).into_iter().map(|at| first[at]).collect();
    }
    let Accesses { users, writers } = touched(program, semantics);
    let processes = program.instances.len();
    let beside_all = *wanted == VariableOrder::SharedBetween;
    let with_writer = matches!(wanted, VariableOrder::WithWriter | VariableOrder::Related);
    // A shared cell stands in the middle of the processes that use it.
    let place = |draft: &CellDraft| match (draft.owner, users.get(&draft.slot), writers.get(&draft.slot)) {
        (Some(pid), ..) => (1, pid as f64),
        (None, _, Some(writers)) if with_writer && writers.len() == 1 => (1, writers[0] as f64),
        (None, Some(users), _) if !beside_all && users.len() > 2 && users.len() * 2 > processes => (0, 0.0),
        (None, Some(users), _) => (1, users.iter().sum::<usize>() as f64 / users.len() as f64 - 0.25),
        (None, None, _) => (0, 0.0),
    };
    let mut order: Vec<usize> = (0..drafts.len()).collect();
    order.sort_by(|&a, &b| {
        let ((early_a, a_at), (early_b, b_at)) = (place(&drafts[a]), place(&drafts[b]));
        early_a.cmp(&early_b).then(a_at.total_cmp(&b_at)).then(a.cmp(&b))
    });
    order
}

/// Whether some step writes many variables at once.
pub(crate) fn is_synchronous(program: &Program) -> bool {
    let many = |action: &Action| matches!(action, Action::Assign(assigns) if assigns.len() >= MANY);
    program.steps.iter().any(|step| many(&step.action))
}

/// As declared; of arrays that follow each other and have as many elements, the first ones of all, then the second ones.
fn by_index(program: &Program, drafts: &[CellDraft]) -> Vec<usize> {
    let elements = |at: usize| drafts[at].var.map_or(1, |var| program.variable(var).cells());
    let (mut order, mut at) = (Vec::new(), 0);
    while at < drafts.len() {
        let count = elements(at).max(1);
        let mut end = at + count;
        while count > 1 && end < drafts.len() && elements(end) == count {
            end += count;
        }
        for index in 0..count {
            order.extend((at + index..end.min(drafts.len())).step_by(count));
        }
        at = end;
    }
    order
}

/// The cells that one conjunct of a step, or of the condition on initial states, relates.
fn edges(program: &Program, semantics: &Semantics<'_>, drafts: &[CellDraft]) -> Vec<Vec<usize>> {
    let of_slot: BTreeMap<usize, usize> = drafts.iter().enumerate().map(|(at, draft)| (draft.slot, at)).collect();
    let cells = |place: Place| slots_of(program, semantics, place).filter_map(|slot| of_slot.get(&slot).copied());
    let mut found = BTreeSet::new();
    for step in &program.steps {
        let (Action::Assign(assigns) | Action::Together { assigns, .. }) = &step.action else { continue };
        let mut holders: BTreeMap<u32, Place> = BTreeMap::new();
        for assign in assigns {
            if let Expr::Input(position, _) = program.exprs.get(assign.value) {
                holders.insert(position, assign.place);
            }
        }
        let read = |root: ExprId, edge: &mut BTreeSet<usize>| {
            for id in program.exprs.reachable(&[root]) {
                match program.exprs.get(id) {
                    Expr::Var(var) => edge.extend(cells(Place::Var(var))),
                    Expr::Element(var, indices) => edge.extend(cells(Place::Element(var, indices))),
                    Expr::Input(position, _) => {
                        edge.extend(holders.get(&position).into_iter().flat_map(|&place| cells(place)));
                    }
                    _ => {}
                }
            }
        };
        for assign in assigns {
            let mut edge: BTreeSet<usize> = cells(assign.place).collect();
            read(assign.value, &mut edge);
            found.insert(edge.into_iter().collect::<Vec<_>>());
        }
        let mut open = vec![step.guard];
        open.extend(program.init);
        while let Some(part) = open.pop() {
            if let Expr::Binary(Binary::And, a, b) = program.exprs.get(part) {
                open.extend([b, a]);
                continue;
            }
            let mut edge = BTreeSet::new();
            read(part, &mut edge);
            found.insert(edge.into_iter().collect());
        }
    }
    found.into_iter().filter(|edge| edge.len() > 1).collect()
}

/// Everything that is kin to something where the first of its kin is.
pub(crate) fn by_kin(order: &[usize], kin: &dyn Fn(usize) -> Option<usize>) -> Vec<usize> {
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (place, &at) in order.iter().enumerate() {
        let place = kin(at).map_or(place, |kin| *first.entry(kin).or_insert(place));
        places.push((place, at));
    }
    places.sort_by_key(|&(place, _)| place);
    places.into_iter().map(|(_, at)| at).collect()
}

/// For each variable the first of those to and from which its values are handed on.
pub(crate) fn related(program: &Program) -> Vec<usize> {
    let mut kin: Vec<usize> = (0..program.variables.len()).collect();
    for step in &program.steps {
        let (Action::Assign(assigns) | Action::Together { assigns, .. }) = &step.action else { continue };
        for assign in assigns {
            for from in handed_on(program, assign.value) {
                let (a, b) = (eldest(&kin, assign.place.variable().index()), eldest(&kin, from.index()));
                kin[a.max(b)] = a.min(b);
            }
        }
    }
    (0..kin.len()).map(|at| eldest(&kin, at)).collect()
}

fn eldest(kin: &[usize], mut at: usize) -> usize {
    while kin[at] != at {
        at = kin[at];
    }
    at
}

/// The variables whose values an expression hands on; what a choice depends on does not count.
fn handed_on(program: &Program, root: ExprId) -> Vec<VarId> {
    let (mut found, mut open) = (Vec::new(), vec![root]);
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match program.exprs.get(id) {
            Expr::Var(var) | Expr::Element(var, _) => found.push(var),
            Expr::If(_, a, b) | Expr::Binary(_, a, b) => open.extend([a, b]),
            Expr::Unary(_, a) | Expr::Wrap(_, a) => open.push(a),
            _ => {}
        }
    }
    found
}

/// For each slot the processes that read or write it.
#[derive(Default)]
struct Accesses {
    users: BTreeMap<usize, Vec<usize>>,
    writers: BTreeMap<usize, Vec<usize>>,
}

fn touched(program: &Program, semantics: &Semantics<'_>) -> Accesses {
    let mut touched = Accesses::default();
    let note = |map: &mut BTreeMap<usize, Vec<usize>>, place: Place, pid: u32| {
        for slot in slots_of(program, semantics, place) {
            let list = map.entry(slot).or_default();
            if !list.contains(&(pid as usize)) {
                list.push(pid as usize);
            }
        }
    };
    for step in &program.steps {
        let Some(pid) = semantics.layout().only_instance(step.process) else { continue };
        let mut roots = vec![step.guard];
        roots.extend(program.process(step.process).provided);
        let mut places: Vec<Place> = Vec::new();
        match &step.action {
            Action::Assign(assigns) | Action::Together { assigns, .. } => {
                roots.extend(assigns.iter().map(|assign| assign.value));
                places.extend(assigns.iter().map(|assign| assign.place));
            }
            Action::Assert(condition) => roots.push(*condition),
            Action::Receive { pattern, .. } => {
                places.extend(pattern.fields.iter().filter_map(|field| match field {
                    Field::Bind(place) => Some(*place),
                    Field::Match(_) | Field::Skip => None,
                }));
            }
            _ => {}
        }
        for &place in &places {
            note(&mut touched.writers, place, pid);
        }
        for id in program.exprs.reachable(&roots) {
            match program.exprs.get(id) {
                Expr::Var(var) => places.push(Place::Var(var)),
                Expr::Element(var, indices) => places.push(Place::Element(var, indices)),
                _ => {}
            }
        }
        for place in places {
            note(&mut touched.users, place, pid);
        }
    }
    touched
}

/// The slots that a place may mean: one if its indices are constants, else all of the array.
fn slots_of(program: &Program, semantics: &Semantics<'_>, place: Place) -> std::ops::Range<usize> {
    let var = place.variable();
    let Some(base) = semantics.layout().fixed_slot(program, var) else { return 0..0 };
    let all = base..base + program.variable(var).cells();
    let Place::Element(_, indices) = place else { return all };
    let mut cell = 0;
    for (&index, dimension) in program.exprs.list(indices).iter().zip(&program.variable(var).dimensions) {
        match program.exprs.constant(index) {
            Some(index) if index >= dimension.lo && index <= dimension.hi() => {
                cell = cell * dimension.len as usize + to_usize(index - dimension.lo);
            }
            _ => return all,
        }
    }
    base + cell..base + cell + 1
}

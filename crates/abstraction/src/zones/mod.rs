//! Zones (difference bounds): what follows from the order and the distances of variables alone?
//!
//! Tickets are compared, clocks run beside each other, counters follow each other: what matters is how far two variables are
//! apart. Here an abstract state is a set of locations and kept values with bounds on distances (`zone`) between `points`, and only finitely many
//! bounds are told apart. No solver is asked; steps are worked out by `cases`, which lets more happen where something else than distances
//! decides.
//!
//! Guarantee: every step of the program from a state that is stood for leads to one that is. Not here: which bounds to tell apart.

mod cases;
mod points;
mod structure;
mod zone;

use std::collections::{HashMap, VecDeque};

use tertium_base::{Budget, StopReason, Stopped};
use tertium_lattice::Kleene;
use tertium_program::LocationId;
use tertium_smt::{Term, TermId};

use self::cases::{Case, of_condition, of_operation};
use self::points::Points;
pub use self::zone::{Bound, Zone};
use crate::expand::Failed;
use crate::state::AbstractState;
use crate::system::{OperationId, System};

/// A state of the abstraction by distances.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Where each process is.
    pub locations: Vec<LocationId>,
    /// The values of the kept cells.
    pub kept: Vec<i128>,
    /// The bounds that are told apart.
    zone: Zone,
    /// The state and the operation it comes from; none for initial ones.
    pub before: Option<(usize, OperationId)>,
    /// Whether another state covers it.
    covered: bool,
}

/// Something that should not happen, at certain locations.
#[derive(Clone, Debug)]
pub struct Unwanted {
    /// Whose it is, for the one who asks.
    pub target: usize,
    /// The operation that goes wrong, if one does.
    pub operation: Option<OperationId>,
    /// When it happens; inputs of the operation are free.
    pub condition: TermId,
}

/// A state in which something unwanted may happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetHit {
    /// Whose it is.
    pub target: usize,
    /// The state.
    pub state: usize,
    /// The operation that goes wrong, if one does.
    pub operation: Option<OperationId>,
}

/// What was visited.
#[derive(Clone, Debug, Default)]
pub struct Visited {
    /// The states, in the order in which they were met.
    pub states: Vec<Placed>,
    /// What may happen, the nearest first.
    pub met: Vec<TargetHit>,
    /// How many steps were looked at.
    pub steps: usize,
}

impl Visited {
    /// The states from an initial one to this, and the operations between them.
    #[must_use]
    pub fn path_to(&self, last: usize) -> (Vec<usize>, Vec<OperationId>) {
        let (mut states, mut operations) = (vec![last], Vec::new());
        let mut at = last;
        while let Some((earlier, operation)) = self.states[at].before {
            states.push(earlier);
            operations.push(operation);
            at = earlier;
        }
        states.reverse();
        operations.reverse();
        (states, operations)
    }
}

/// The cases of a condition, each as bounds; none if there are too many.
type Alternatives = Option<Vec<Vec<Bound>>>;

/// Locations, kept values and a zone that is closed.
type Start = (Vec<LocationId>, Vec<i128>, Zone);

/// A program seen by the distances of its variables.
#[derive(Debug)]
pub struct ZoneAbstraction {
    points: Points,
    /// By operation and the values of what its condition and effect depend on besides points.
    known: HashMap<(OperationId, Vec<i128>), Option<Vec<Case>>>,
    /// By operation: which locations and kept cells matter.
    matters: Vec<(Vec<usize>, Vec<usize>)>,
    conditions: HashMap<(TermId, Vec<LocationId>, Vec<i128>), Alternatives>,
    /// Constants that the program compares distances with.
    constants: Vec<i64>,
    /// What the types and known ranges of variables say.
    typed: Vec<Bound>,
}

/// States are not taken up any more once there are this many at the same locations with the same kept values.
const MOST_TOGETHER: usize = 4_000;

impl ZoneAbstraction {
    /// Looks at a system with what is asked about it; none if it is about too many variables, or none.
    #[must_use]
    pub fn new(system: &mut System, asked: &[TermId]) -> Option<Self> {
        let points = Points::of(system, asked)?;
        let matters = system.operations.ids().map(|operation| matters(system, &points, operation)).collect();
        let mut found = Self {
            points,
            known: HashMap::new(),
            matters,
            conditions: HashMap::new(),
            constants: Vec::new(),
            typed: Vec::new(),
        };
        found.typed = found.typed(system);
        found.constants = found.compared(system, asked);
        Some(found)
    }

    /// The bounds on distances that conditions of the program speak of, and their opposites.
    #[must_use]
    pub fn constants(&self) -> &[i64] {
        &self.constants
    }

    fn compared(&self, system: &System, asked: &[TermId]) -> Vec<i64> {
        let mut roots = asked.to_vec();
        roots.extend(system.operations.iter().map(|operation| operation.relation));
        roots.extend(&system.initial);
        let mut found = Vec::new();
        for id in system.terms.reachable(&roots) {
            let bounds = match system.terms.get(id) {
                Term::AtMost(form, most) => [(form, most, false), (form, -most - 1, true)],
                Term::Equals(form, value) => [(form, value, false), (form, -value, true)],
                _ => continue,
            };
            for (form, most, turned) in bounds {
                found.extend(self.points.bound(&system.terms, form, most, turned).map(|bound| bound.most));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Visits what can be reached with these bounds told apart, nearest first, until something unwanted is met for some target.
    /// `unwanted` tells what that is at given locations. None if a step cannot be taken apart.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn visit(
        &mut self,
        system: &mut System,
        thresholds: &[i64],
        unwanted: &mut dyn FnMut(&mut System, &[LocationId]) -> Vec<Unwanted>,
        most: usize,
        budget: &Budget,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Option<Visited>, Failed> {
        let mut visited = Visited::default();
        let mut places: HashMap<(Vec<LocationId>, Vec<i128>), Vec<usize>> = HashMap::new();
        let mut queue = VecDeque::new();
        let Some(initial) = self.initial(system)? else { return Ok(None) };
        for (locations, kept, zone) in initial {
            let placed = Placed { locations, kept, zone, before: None, covered: false };
            queue.extend(take_up(&mut visited, &mut places, placed, thresholds));
        }
        while let Some(number) = queue.pop_front() {
            budget.check()?;
            progress(visited.states.len());
            if visited.states.len() > most {
                return Err(Stopped(StopReason::Count).into());
            }
            if visited.states[number].covered {
                continue;
            }
            let Placed { locations, kept, zone, .. } = visited.states[number].clone();
            let Some(closed) = self.opened(zone) else { continue };
            for Unwanted { target, operation, condition } in unwanted(system, &locations) {
                match self.may_hold(system, condition, &locations, &kept, &closed) {
                    None => return Ok(None),
                    Some(true) => visited.met.push(TargetHit { target, state: number, operation }),
                    Some(false) => {}
                }
            }
            if !visited.met.is_empty() {
                return Ok(Some(visited));
            }
            for process in system.program.process_ids() {
                for operation in system.leaving[process.index()][locations[process.index()].index()].clone() {
                    let Some(cases) = self.cases(system, operation, &locations, &kept) else { return Ok(None) };
                    for case in cases {
                        visited.steps += 1;
                        let Some(after) = case.apply(&self.points, &closed) else { continue };
                        let mut there = locations.clone();
                        system.operations[operation].arrive(&mut there);
                        let before = Some((number, operation));
                        let kept = case.kept.clone();
                        let placed = Placed { locations: there, kept, zone: after, before, covered: false };
                        if places.get(&(placed.locations.clone(), placed.kept.clone())).map_or(0, Vec::len)
                            > MOST_TOGETHER
                        {
                            return Err(Stopped(StopReason::Count).into());
                        }
                        queue.extend(take_up(&mut visited, &mut places, placed, thresholds));
                    }
                }
            }
        }
        Ok(Some(visited))
    }

    /// Whether a path, followed with these bounds told apart, ends where the condition cannot hold, or cannot be followed.
    pub fn excludes(
        &mut self,
        system: &mut System,
        path: &[(Vec<LocationId>, Vec<i128>)],
        operations: &[OperationId],
        condition: TermId,
        thresholds: Option<&[i64]>,
    ) -> Result<bool, Failed> {
        let coarse = |zone: Zone| thresholds.map_or(zone.clone(), |thresholds| zone.extrapolated(thresholds));
        let Some(initial) = self.initial(system)? else { return Ok(false) };
        let Some(first) = path.first() else { return Ok(false) };
        let mut here: Vec<Zone> = initial
            .into_iter()
            .filter(|(locations, kept, _)| *locations == first.0 && *kept == first.1)
            .map(|(.., zone)| coarse(zone))
            .collect();
        for (at, &operation) in operations.iter().enumerate() {
            let (locations, kept) = &path[at];
            let Some(cases) = self.cases(system, operation, locations, kept) else { return Ok(false) };
            let mut next = Vec::new();
            for zone in here {
                if let Some(zone) = self.opened(zone) {
                    let fitting = cases.iter().filter(|case| case.kept == path[at + 1].1);
                    next.extend(fitting.filter_map(|case| case.apply(&self.points, &zone)).map(coarse));
                }
            }
            here = next;
            if here.len() > MOST_TOGETHER {
                return Ok(false);
            }
        }
        let (locations, kept) = &path[operations.len()];
        for zone in here {
            if let Some(zone) = self.opened(zone)
                && self.may_hold(system, condition, locations, kept, &zone) != Some(false)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A zone with what is known anyway, closed, if any values are left.
    fn opened(&self, mut zone: Zone) -> Option<Zone> {
        for bound in &self.typed {
            zone.lower(bound.left, bound.right, bound.most);
        }
        self.points.close(&mut zone).then_some(zone)
    }

    fn initial(&mut self, system: &mut System) -> Result<Option<Vec<Start>>, Failed> {
        let locations: Vec<LocationId> = system.program.processes.iter().map(|process| process.entry).collect();
        let parts = system.initial.clone();
        let mut found = Vec::new();
        for kept in system.initial_kept(&parts)? {
            let map = system.concrete(&locations, &kept);
            let here: Vec<TermId> = parts.iter().map(|&part| system.terms.substitute(part, &map)).collect();
            let Some(cases) = of_condition(system, &self.points, &self.typed, &here) else { return Ok(None) };
            for bounds in cases {
                let mut zone = Zone::all(self.points.count());
                if bounds.into_iter().all(|bound| zone.add(bound)) {
                    found.extend(self.opened(zone).map(|zone| (locations.clone(), kept.clone(), zone)));
                }
            }
        }
        Ok(Some(found))
    }

    fn typed(&self, system: &System) -> Vec<Bound> {
        let mut found = Vec::new();
        let bases = (1..self.points.bases.len()).map(|at| (self.points.point(at, 0), self.points.bases[at]));
        let offsets = (1..self.points.offsets.len()).map(|at| (self.points.point(0, at), self.points.offsets[at]));
        for (point, symbol) in bases.chain(offsets) {
            let Some(symbol) = symbol else { continue };
            if self.points.inputs.contains(&self.points.parts(point).0) {
                continue;
            }
            let (lo, hi) = system.terms.bounds(symbol);
            found.extend(lo.and_then(|lo| Bound::new(0, point, -lo)));
            found.extend(hi.and_then(|hi| Bound::new(point, 0, hi)));
        }
        found
    }

    fn cases(
        &mut self,
        system: &mut System,
        operation: OperationId,
        locations: &[LocationId],
        kept: &[i128],
    ) -> Option<Vec<Case>> {
        let (places, cells) = &self.matters[operation.index()];
        let mut key: Vec<i128> = places.iter().map(|&at| i128::from(locations[at].number())).collect();
        key.extend(cells.iter().map(|&at| kept[at]));
        // Values that the operation does not look at are those that it leaves alone.
        let spread = |mut cases: Vec<Case>| {
            for case in &mut cases {
                for (at, value) in case.kept.iter_mut().enumerate() {
                    if !cells.contains(&at) {
                        *value = kept[at];
                    }
                }
            }
            cases
        };
        if let Some(known) = self.known.get(&(operation, key.clone())) {
            return known.clone().map(spread);
        }
        let map = system.concrete(locations, kept);
        let found = of_operation(system, &self.points, &self.typed, operation, &map);
        self.known.insert((operation, key), found.clone());
        found
    }

    /// Whether a condition may hold in a zone that is closed; none if it has too many cases.
    fn may_hold(
        &mut self,
        system: &mut System,
        condition: TermId,
        locations: &[LocationId],
        kept: &[i128],
        zone: &Zone,
    ) -> Option<bool> {
        let key = (condition, locations.to_vec(), kept.to_vec());
        if !self.conditions.contains_key(&key) {
            let map = system.concrete(locations, kept);
            let here = system.terms.substitute(condition, &map);
            let cases = of_condition(system, &self.points, &self.typed, &[here]);
            self.conditions.insert(key.clone(), cases);
        }
        let cases = self.conditions[&key].as_ref()?;
        Some(cases.iter().any(|bounds| {
            let mut here = zone.clone();
            bounds.iter().all(|&bound| here.add(bound))
                && (self.points.offsets.len() == 1 || self.points.close(&mut here))
        }))
    }

    /// The states as abstract states over predicates, which are added to the system.
    pub fn described(&self, system: &mut System, visited: &Visited) -> Vec<AbstractState> {
        let (_, mut states) = self.described_each(system, visited);
        states.sort();
        states.dedup();
        states
    }

    /// The states that no other covers, by number, and each as an abstract state over predicates, which are added to the system.
    fn described_each(&self, system: &mut System, visited: &Visited) -> (Vec<usize>, Vec<AbstractState>) {
        let live: Vec<usize> = (0..visited.states.len()).filter(|&at| !visited.states[at].covered).collect();
        let mut terms: HashMap<Bound, TermId> = HashMap::new();
        let mut rows: Vec<Vec<TermId>> = Vec::new();
        for &at in &live {
            let mut literals = Vec::new();
            for bound in visited.states[at].zone.essential(&self.typed) {
                let literal = *terms.entry(bound).or_insert_with(|| self.term(system, bound));
                if system.terms.as_bool(literal).is_none() && !literals.contains(&literal) {
                    literals.push(literal);
                }
            }
            rows.push(literals);
        }
        for &literal in rows.iter().flatten() {
            system.learn_predicate(literal);
        }
        let positions: HashMap<TermId, usize> =
            system.predicate_terms.iter().enumerate().map(|(at, &term)| (term, at)).collect();
        let mut found = Vec::new();
        for (&at, literals) in live.iter().zip(rows) {
            let mut cube = vec![Kleene::Unknown; system.predicate_terms.len()];
            for literal in literals {
                let (positive, value) = match system.terms.get(literal) {
                    Term::Not(inner) => (inner, Kleene::False),
                    _ => (literal, Kleene::True),
                };
                if let Some(&at) = positions.get(&positive) {
                    cube[at] = value;
                }
            }
            let Placed { locations, kept, .. } = visited.states[at].clone();
            found.push(AbstractState { locations, kept, cube, stopped: false });
        }
        (live, found)
    }

    /// A bound as a term.
    fn term(&self, system: &mut System, bound: Bound) -> TermId {
        let (left, right) = (self.points.parts(bound.left), self.points.parts(bound.right));
        let mut parts = Vec::new();
        for ((base, offset), factor) in [(left, 1), (right, -1)] {
            parts.extend(self.points.bases[base].map(|symbol| (symbol, factor)));
            parts.extend(self.points.offsets[offset].map(|symbol| (symbol, factor)));
        }
        let (form, most) = (system.terms.weighted(&parts, 0), system.terms.int(i128::from(bound.most)));
        system.terms.le(form, most)
    }
}

/// Takes a state up unless it is covered; its number if it is new.
fn take_up(
    visited: &mut Visited,
    places: &mut HashMap<(Vec<LocationId>, Vec<i128>), Vec<usize>>,
    mut placed: Placed,
    thresholds: &[i64],
) -> Option<usize> {
    let here = places.entry((placed.locations.clone(), placed.kept.clone())).or_default();
    placed.zone = placed.zone.extrapolated(thresholds);
    if here.iter().any(|&other| placed.zone.is_within(&visited.states[other].zone)) {
        return None;
    }
    here.retain(|&other| {
        let covers = visited.states[other].zone.is_within(&placed.zone);
        visited.states[other].covered |= covers;
        !covers
    });
    here.push(visited.states.len());
    visited.states.push(placed);
    Some(visited.states.len() - 1)
}

/// Which locations and kept cells an operation depends on, or changes.
fn matters(system: &mut System, points: &Points, operation: OperationId) -> (Vec<usize>, Vec<usize>) {
    let mut roots = vec![system.operations[operation].relation];
    let own: Vec<TermId> =
        system.kept.iter().map(|kept| kept.symbol).chain(points.bases.iter().flatten().copied()).collect();
    for symbol in own {
        let value = system.after(operation, symbol);
        if value != symbol {
            roots.extend([symbol, value]);
        }
    }
    let below = system.terms.reachable(&roots);
    let places = system.program.process_ids().filter(|&process| below.contains(&system.translator.counter(process)));
    let cells = (0..system.kept.len()).filter(|&at| below.contains(&system.kept[at].symbol));
    (places.map(tertium_program::ProcessId::index).collect(), cells.collect())
}

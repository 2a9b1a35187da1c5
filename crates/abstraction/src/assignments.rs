//! The abstraction as a program over truth values, in Saïdi's notation (Saïdi 2000): `B1 := if B6 then T else if B2 then F else ?`.
//!
//! For a step and a predicate, the cubes under which the predicate surely holds afterwards, and those under which it surely
//! does not, smallest first. What the form of terms decides costs no question; the search ends as soon as every
//! combination is covered, and what others cover is left out. Cubes are at most [`LARGEST`] wide, which may leave more `?` than necessary, never less.

use std::collections::{BTreeSet, HashMap};

use tertium_program::{LocationId, ProcessId};
use tertium_smt::{Purpose, Reply, Sort, Term, TermId, Value};

use crate::cover::irredundant;
use crate::expand::Failed;
use crate::system::{OperationId, System};
use crate::view::View;

/// The widest cube that is tried.
pub const LARGEST: usize = 3;
/// With more related predicates, whether everything is covered is not looked at.
const MOST_COVERED: usize = 12;

/// Predicates with the values they should have.
pub type Cube = Vec<(usize, bool)>;

/// What a predicate becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assignment {
    /// The predicate.
    pub predicate: usize,
    /// Where it surely holds afterwards: under any of these.
    pub holds: Vec<Cube>,
    /// Where it surely does not.
    pub fails: Vec<Cube>,
    /// Whether these cover all that can happen.
    pub complete: bool,
}

/// A step over truth values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BooleanStep {
    /// The operation.
    pub operation: OperationId,
    /// When it may be taken, as text.
    pub guard: String,
    /// Whether it can then surely be taken.
    pub exact: bool,
    /// What changes; predicates that keep their value are left out.
    pub assignments: Vec<Assignment>,
}

impl System {
    /// All operations as steps over truth values, in the order of the text.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn boolean_program(&mut self) -> Result<Vec<BooleanStep>, Failed> {
        self.in_order().into_iter().map(|operation| self.boolean_step(operation)).collect()
    }

    fn boolean_step(&mut self, operation: OperationId) -> Result<BooleanStep, Failed> {
        let relation = self.at_their_places(operation, self.operations[operation].relation);
        let (guard, exact) = self.guard_text(relation)?;
        let assignments = self.changes(operation, relation)?;
        Ok(BooleanStep { operation, guard, exact, assignments })
    }

    /// A term where the operation starts: its process is at the operation's source.
    pub(crate) fn at_its_place(&mut self, operation: OperationId, term: TermId) -> TermId {
        let (process, source) = (self.operations[operation].process, self.operations[operation].source);
        self.placed(&[(process, source)], term)
    }

    /// A term where the operation can be taken: whoever it meets is at its place too.
    pub(crate) fn at_their_places(&mut self, operation: OperationId, term: TermId) -> TermId {
        let sources: Vec<_> = self.operations[operation].sources().collect();
        self.placed(&sources, term)
    }

    fn placed(&mut self, sources: &[(ProcessId, LocationId)], term: TermId) -> TermId {
        let mut places = HashMap::new();
        for &(process, source) in sources {
            let here = self.terms.int(source.index() as i128);
            places.insert(self.translator.counter(process), here);
        }
        self.terms.substitute(term, &places)
    }

    /// What the operation does to the predicates that it changes; `relation` is its relation at its place.
    pub(crate) fn changes(&mut self, operation: OperationId, relation: TermId) -> Result<Vec<Assignment>, Failed> {
        self.changes_under(operation, relation, &HashMap::new())
    }

    /// The same where some symbols have these values; `relation` knows them already.
    pub(crate) fn changes_under(
        &mut self,
        operation: OperationId,
        relation: TermId,
        values: &HashMap<TermId, TermId>,
    ) -> Result<Vec<Assignment>, Failed> {
        let mut assignments = Vec::new();
        let facts = self.source_facts(operation);
        for predicate in 0..self.predicates.len() {
            let before = self.at_their_places(operation, self.predicate_terms[predicate]);
            let after = self.after(operation, self.predicate_terms[predicate]);
            let after = self.at_their_places(operation, after);
            let (before, after) = (self.terms.substitute(before, values), self.terms.substitute(after, values));
            if after != before {
                assignments.push(self.assignment_of(predicate, relation, after, &facts)?);
            }
        }
        Ok(assignments)
    }

    /// What holds whenever everyone is where an operation starts.
    fn source_facts(&mut self, operation: OperationId) -> Vec<TermId> {
        let sources: Vec<_> = self.operations[operation].sources().collect();
        let facts: Vec<TermId> =
            sources.iter().flat_map(|&(process, source)| self.location_facts(process, source)).collect();
        let placed: Vec<TermId> = facts.into_iter().map(|fact| self.placed(&sources, fact)).collect();
        placed.into_iter().filter(|&fact| self.terms.as_bool(fact).is_none()).collect()
    }

    fn assignment_of(
        &mut self,
        predicate: usize,
        relation: TermId,
        after: TermId,
        facts: &[TermId],
    ) -> Result<Assignment, Failed> {
        let related = self.related(&[relation, after]);
        let facts = facts.to_vec();
        let mut found = AssignmentSearch { related: related.clone(), facts, ..AssignmentSearch::default() };
        // First what costs nothing, then what must be asked.
        for ask in [false, true] {
            for size in 0..=LARGEST.min(related.len()) {
                for cube in cubes(&related, size) {
                    if !found.covers(&cube) {
                        self.try_cube(&cube, relation, after, ask, &mut found)?;
                    }
                }
                if found.complete(&related) {
                    return Ok(found.assignment(predicate, true));
                }
            }
        }
        Ok(found.assignment(predicate, false))
    }

    fn try_cube(
        &mut self,
        cube: &Cube,
        relation: TermId,
        after: TermId,
        ask: bool,
        found: &mut AssignmentSearch,
    ) -> Result<(), Failed> {
        let mut view = self.cube_view(cube);
        found.facts.iter().for_each(|&fact| self.note(fact, &mut view));
        let (relation, after) = (self.simplify(&view, relation), self.simplify(&view, after));
        if self.terms.as_bool(relation) == Some(false) {
            found.never.push(cube.clone());
            return Ok(());
        }
        match self.terms.as_bool(after) {
            Some(true) => found.holds.push(cube.clone()),
            Some(false) => found.fails.push(cube.clone()),
            None if ask => {
                let not = self.terms.not(after);
                let related = found.related.clone();
                let holds = self.excluded(&view, cube, &[relation, not], &related, &mut found.can_fail)?;
                let fails = self.excluded(&view, cube, &[relation, after], &related, &mut found.can_hold)?;
                match (holds, fails) {
                    (true, true) => found.never.push(cube.clone()),
                    (true, false) => found.holds.push(cube.clone()),
                    (false, true) => found.fails.push(cube.clone()),
                    (false, false) => {}
                }
            }
            None => {}
        }
        Ok(())
    }

    /// Whether `parts` cannot hold under a cube. A state in which they can is remembered by the values of the related
    /// predicates: it answers for every wider cube that has it.
    fn excluded(
        &mut self,
        view: &View,
        cube: &Cube,
        parts: &[TermId],
        related: &[usize],
        seen: &mut Vec<Cube>,
    ) -> Result<bool, Failed> {
        if seen.iter().any(|state| cube.iter().all(|literal| state.contains(literal))) {
            return Ok(false);
        }
        // All facts of the cube, since `parts` were simplified by them.
        let question = [view.literals.as_slice(), parts].concat();
        let wanted: Vec<TermId> = related.iter().map(|&predicate| self.predicate_terms[predicate]).collect();
        let (reply, values) = self.queries.model(&mut self.terms, Purpose::Assignment, &question, &wanted)?;
        if let (Reply::Sat, Some(values)) = (reply, values) {
            let literals = related.iter().zip(values).filter_map(|(&predicate, value)| match value {
                Value::Bool(value) => Some((predicate, value)),
                _ => None,
            });
            seen.push(literals.collect());
        }
        Ok(reply == Reply::Unsat)
    }

    fn cube_view(&mut self, cube: &Cube) -> View {
        let mut view = View::default();
        for &(predicate, value) in cube {
            let term = self.predicate_terms[predicate];
            let literal = if value { term } else { self.terms.not(term) };
            if self.terms.as_bool(literal).is_none() {
                self.note(literal, &mut view);
            }
        }
        view
    }

    /// The predicates that share symbols with these terms, and so on.
    fn related(&mut self, terms: &[TermId]) -> Vec<usize> {
        let mut reached: BTreeSet<u64> = BTreeSet::new();
        for &term in terms {
            reached.extend(self.support(term).iter());
        }
        let mut related: BTreeSet<usize> = BTreeSet::new();
        loop {
            let before = related.len();
            for predicate in 0..self.predicates.len() {
                let support = self.support(self.predicate_terms[predicate]);
                if !support.is_disjoint(&reached) {
                    related.insert(predicate);
                    reached.extend(support.iter());
                }
            }
            if related.len() == before {
                return related.into_iter().collect();
            }
        }
    }

    /// A term with symbols in the place of the predicates, and those symbols.
    pub(crate) fn named(&mut self, term: TermId) -> (TermId, Vec<TermId>) {
        let mut names: HashMap<TermId, TermId> = HashMap::new();
        let mut symbols: Vec<TermId> = Vec::new();
        for (at, &term) in self.predicate_terms.clone().iter().enumerate() {
            let symbol = self.terms.fresh(format!("B{}", at + 1), Sort::Bool, (None, None));
            symbols.push(symbol);
            match self.terms.get(term) {
                Term::Not(inner) => names.insert(inner, self.terms.not(symbol)),
                _ => names.insert(term, symbol),
            };
        }
        (self.terms.substitute(term, &names), symbols)
    }

    /// Whether a term speaks of nothing but these symbols.
    pub(crate) fn is_named(&self, term: TermId, symbols: &[TermId]) -> bool {
        let other = |id: &TermId| matches!(self.terms.get(*id), Term::Symbol(_)) && !symbols.contains(id);
        !self.terms.reachable(&[term]).iter().any(other)
    }

    /// Cubes under which a term surely does not hold.
    pub(crate) fn never_cubes(&mut self, term: TermId) -> Result<Vec<Cube>, Failed> {
        let related = self.related(&[term]);
        let (mut never, mut seen): (Vec<Cube>, Vec<Cube>) = (Vec::new(), Vec::new());
        for size in 0..=LARGEST.min(related.len()) {
            for cube in cubes(&related, size) {
                if never.iter().any(|known| known.iter().all(|literal| cube.contains(literal))) {
                    continue;
                }
                let view = self.cube_view(&cube);
                let term = self.simplify(&view, term);
                let never_here = match self.terms.as_bool(term) {
                    Some(possible) => !possible,
                    None => self.excluded(&view, &cube, &[term], &related, &mut seen)?,
                };
                if never_here {
                    never.push(cube);
                }
            }
        }
        Ok(never)
    }
}

#[derive(Default)]
struct AssignmentSearch {
    /// What holds where the operation starts.
    facts: Vec<TermId>,
    /// The predicates that can matter.
    related: Vec<usize>,
    holds: Vec<Cube>,
    fails: Vec<Cube>,
    never: Vec<Cube>,
    /// States from which the predicate can hold afterwards, or fail, as values of the related predicates.
    can_hold: Vec<Cube>,
    can_fail: Vec<Cube>,
}

impl AssignmentSearch {
    /// What was found, without cubes that say nothing new.
    fn assignment(self, predicate: usize, complete: bool) -> Assignment {
        let holds = irredundant(self.holds, &self.never);
        let fails = irredundant(self.fails, &self.never);
        Assignment { predicate, holds, fails, complete }
    }

    fn all(&self) -> impl Iterator<Item = &Cube> {
        self.holds.iter().chain(&self.fails).chain(&self.never)
    }

    /// Whether something smaller is already known to decide.
    fn covers(&self, cube: &Cube) -> bool {
        self.all().any(|known| known.iter().all(|literal| cube.contains(literal)))
    }

    /// Whether every combination of these predicates is decided.
    fn complete(&self, related: &[usize]) -> bool {
        if related.len() > MOST_COVERED {
            return false;
        }
        (0..1usize << related.len()).all(|number| {
            let whole: Cube =
                related.iter().enumerate().map(|(at, &predicate)| (predicate, number >> at & 1 != 0)).collect();
            self.covers(&whole)
        })
    }
}

/// All cubes of this size over these predicates, in a fixed order.
fn cubes(predicates: &[usize], size: usize) -> Vec<Cube> {
    let mut found: Vec<(usize, Cube)> = vec![(0, Vec::new())];
    for _ in 0..size {
        found = found
            .into_iter()
            .flat_map(|(from, cube)| {
                (from..predicates.len()).flat_map(move |at| {
                    let cube = cube.clone();
                    [true, false].map(|value| (at + 1, [cube.as_slice(), &[(predicates[at], value)]].concat()))
                })
            })
            .collect();
    }
    found.into_iter().map(|(_, cube)| cube).collect()
}

pub(crate) fn cube_text(cube: &Cube) -> String {
    let parts: Vec<String> =
        cube.iter().map(|&(predicate, value)| format!("{}B{}", if value { "" } else { "!" }, predicate + 1)).collect();
    if parts.is_empty() { "T".to_owned() } else { parts.join(" & ") }
}

fn any_text(cubes: &[Cube]) -> String {
    let texts: Vec<String> = cubes
        .iter()
        .map(|cube| if cube.len() > 1 && cubes.len() > 1 { format!("({})", cube_text(cube)) } else { cube_text(cube) })
        .collect();
    if texts.is_empty() { "F".to_owned() } else { texts.join(" | ") }
}

impl std::fmt::Display for Assignment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = format!("B{}", self.predicate + 1);
        if self.complete {
            return match (self.holds.is_empty(), self.fails.is_empty()) {
                (true, _) => write!(f, "{name} := F"),
                (false, true) => write!(f, "{name} := T"),
                (false, false) => write!(f, "{name} := {}", any_text(&self.holds)),
            };
        }
        match (self.holds.is_empty(), self.fails.is_empty()) {
            (true, true) => write!(f, "{name} := ?"),
            (false, true) => write!(f, "{name} := if {} then T else ?", any_text(&self.holds)),
            (true, false) => write!(f, "{name} := if {} then F else ?", any_text(&self.fails)),
            (false, false) => write!(
                f,
                "{name} := if {} then T else if {} then F else ?",
                any_text(&self.holds),
                any_text(&self.fails)
            ),
        }
    }
}

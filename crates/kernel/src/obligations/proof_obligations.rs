//! Proof obligations: what has to hold so that abstract states stand for all that a program does?
//!
//! [`ProofObligations`] reads an abstraction against a program; what it writes are obligations, each a script for a solver that stands alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use tertium_base::Budget;
use tertium_program::{LocationId, Program};

use super::machine::{Machine, NoTerm};
use super::steps::{Moves, StepPath};
use super::terms::{Function, Sort, Term, TermId};
use super::values::Changes;
use super::{AbstractState, Abstraction};

/// What a solver has to answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Nothing is like this.
    Unsat,
    /// Something is like this.
    Sat,
}

impl Expected {
    /// The word for it in SMT-LIB.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unsat => "unsat",
            Self::Sat => "sat",
        }
    }
}

/// A question to a solver, and the answer that a proof needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// A short name: what kind of obligation, and a number.
    pub name: String,
    /// What it says, for people.
    pub about: String,
    /// The script, in SMT-LIB.
    pub script: String,
    /// How many assertions it has.
    pub assertions: usize,
    /// The answer.
    pub expected: Expected,
}

/// Locations of processes, and values of cells.
type Spot = (Vec<Option<u32>>, Vec<i64>);

/// Abstract states that agree about locations and cells.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) at: Vec<Option<u32>>,
    pub(super) values: Vec<i64>,
    /// Being in one of them, locations and cells left out.
    pub(super) inside: TermId,
}

/// Terms that are put together from shared parts may be nested so deep.
const DEEPEST: usize = 10_000;

/// Functions that stand for operators on bits of numbers without bounds, of which nothing is known (`values`).
const UNBOUNDED: [&str; 5] = ["?bvand", "?bvor", "?bvxor", "?shl", "?shr"];

/// An abstraction read against a program.
#[derive(Debug)]
pub struct ProofObligations<'p, 'a> {
    pub(super) machine: Machine<'p>,
    pub(super) abstraction: &'a Abstraction,
    always: Vec<TermId>,
    /// What no step can change.
    fixed: Vec<TermId>,
    predicates: Vec<TermId>,
    cells: Vec<TermId>,
    /// Parts that texts of the abstraction name by their numbers.
    pub(super) shared: Vec<TermId>,
    moves: HashMap<(usize, usize), Rc<Moves>>,
    /// The same where nobody of higher priority can step; of programs with priorities.
    pub(super) unranked: HashMap<(usize, usize), Rc<Moves>>,
    counts: BTreeMap<&'static str, usize>,
    /// Everything that abstract states tell apart.
    tracked: BTreeSet<TermId>,
    /// Where each step stands in the source.
    lines: Vec<String>,
    /// How long the obligations are together.
    written: usize,
    budget: Budget,
}

/// Obligations with more parts together are not written.
const MOST_TERMS: usize = 20_000_000;
/// Obligations that are longer together are not written.
const LONGEST: usize = 1 << 30;

impl<'p, 'a> ProofObligations<'p, 'a> {
    /// Reads an abstraction. `lines` says where each step stands in the source.
    ///
    /// # Errors
    /// If the program has no terms, or the abstraction does not speak of this program.
    pub fn new(
        program: &'p Program,
        abstraction: &'a Abstraction,
        lines: Vec<String>,
        budget: &Budget,
    ) -> Result<Self, NoTerm> {
        let mut machine = Machine::with(program, &abstraction.later)?;
        for name in UNBOUNDED {
            let declared = Function { arguments: vec![Sort::Int; 2], result: Sort::Int, bounds: (None, None) };
            machine.terms.declare_function(name, declared);
        }
        let shared = read_shared(&mut machine, &abstraction.shared)?;
        let mut read = |texts: &[String], truths: bool| -> Result<Vec<TermId>, NoTerm> {
            let mut found = Vec::new();
            for text in texts {
                let term = machine.terms.read_with(text, &shared).map_err(NoTerm)?;
                match machine.terms.sort(term) {
                    Sort::Bool => {}
                    Sort::Int if !truths => {}
                    _ if truths => return Err(NoTerm(format!("`{text}` is no truth value"))),
                    _ => return Err(NoTerm(format!("`{text}` is neither a number nor a truth value"))),
                }
                found.push(term);
            }
            Ok(found)
        };
        let (always, predicates) = (read(&abstraction.always, true)?, read(&abstraction.predicates, true)?);
        let cells = read(&abstraction.cells, false)?;
        for state in &abstraction.states {
            fits(&machine, abstraction, state)?;
        }
        let fixed = machine.names_of_channels();
        let mut tracked: BTreeSet<TermId> = BTreeSet::new();
        let spoken: Vec<TermId> = predicates.iter().chain(&cells).copied().collect();
        let terms = &machine.terms;
        tracked.extend(terms.reachable(&spoken).into_iter().filter(|&id| matches!(terms.get(id), Term::Symbol(_))));
        for state in &abstraction.states {
            tracked.extend(state.at.iter().enumerate().filter(|(_, at)| at.is_some()).map(|(pid, _)| machine.at[pid]));
        }
        Ok(Self {
            machine,
            abstraction,
            always,
            fixed,
            predicates,
            cells,
            shared,
            moves: HashMap::new(),
            unranked: HashMap::new(),
            counts: BTreeMap::new(),
            tracked,
            lines,
            written: 0,
            budget: budget.clone(),
        })
    }

    /// What a process can do from a location, whatever its priority is.
    pub(super) fn offered(&mut self, pid: usize, at: usize) -> Result<Rc<Moves>, NoTerm> {
        if let Some(known) = self.moves.get(&(pid, at)) {
            return Ok(Rc::clone(known));
        }
        self.has_room()?;
        let found = match self.machine.offered(pid, at) {
            Ok(found) => found,
            // What always holds there may tell how often a loop goes round.
            Err(why) => {
                let known = self.settled(pid, at);
                if known.is_empty() {
                    return Err(why);
                }
                self.machine.moves_knowing(pid, at, known)?
            }
        };
        let found = Rc::new(found);
        self.moves.insert((pid, at), Rc::clone(&found));
        Ok(found)
    }

    /// The cells of which it is said that they always hold the same where a process is at a location.
    fn settled(&mut self, pid: usize, at: usize) -> Changes {
        let here = Changes::from([(self.machine.at[pid], self.machine.terms.number(at as i128))]);
        let mut known = Changes::new();
        for fact in self.always.clone() {
            let terms = &mut self.machine.terms;
            let fact = terms.substitute(fact, &here);
            let Term::Op("=", sides) = terms.get(fact) else { continue };
            let (a, b) = (sides[0], sides[1]);
            for (cell, value) in [(a, b), (b, a)] {
                if matches!((terms.get(cell), terms.get(value)), (Term::Symbol(_), Term::Number(_))) {
                    known.insert(cell, value);
                }
            }
        }
        known
    }

    /// Where each process can be while nobody is in the middle of a block: where it begins, and wherever steps lead.
    ///
    /// # Errors
    /// If a step has no terms.
    pub(super) fn resting_places(&mut self) -> Result<BTreeSet<(usize, usize)>, NoTerm> {
        let begin = |slot: usize| (slot, self.machine.beginning(slot));
        let mut open: Vec<(usize, usize)> = (0..self.machine.processes()).map(begin).collect();
        let mut found: BTreeSet<(usize, usize)> = BTreeSet::new();
        while let Some((pid, at)) = open.pop() {
            if at >= self.machine.gone(pid) || !found.insert((pid, at)) {
                continue;
            }
            for way in &self.moves(pid, at)?.ways {
                open.extend(self.targets(way)?.into_iter().map(|(slot, target)| (slot, target as usize)));
            }
        }
        Ok(found)
    }

    /// Where a process may be, one that has ended left out.
    pub(super) fn places(&self, pid: usize, at: Option<u32>) -> Vec<usize> {
        match at {
            Some(at) => vec![at as usize],
            None => (0..self.machine.gone(pid)).collect(),
        }
    }

    /// Locations put in for their symbols.
    pub(super) fn known(&mut self, at: &[Option<u32>]) -> Changes {
        let mut known = Changes::new();
        for (pid, at) in at.iter().enumerate() {
            if let Some(at) = at {
                known.insert(self.machine.at[pid], self.machine.terms.number(i128::from(*at)));
            }
        }
        known
    }

    /// The same with the values of cells, which much can be decided by without asking anybody.
    pub(super) fn known_with(&mut self, at: &[Option<u32>], values: &[i64]) -> Changes {
        let mut known = self.known(at);
        known.extend(self.holding(values));
        known
    }

    /// Cells with their values.
    fn holding(&mut self, values: &[i64]) -> Vec<(TermId, TermId)> {
        let terms = &mut self.machine.terms;
        let mut held = Vec::new();
        for (&cell, &value) in self.cells.iter().zip(values) {
            let value =
                if terms.sort(cell) == Sort::Bool { terms.truth(value != 0) } else { terms.number(value.into()) };
            held.push((cell, value));
        }
        held
    }

    /// What the values of cells of arrays say, if something speaks of these arrays: they cannot be put in for a symbol, and behind a
    /// write at an index that is not known they would be lost.
    pub(super) fn held_in_arrays(&mut self, values: &[i64], parts: &[TermId]) -> Vec<TermId> {
        let spoken = self.symbols(parts);
        let mut held = self.holding(values);
        held.retain(|&(cell, _)| !matches!(self.machine.terms.get(cell), Term::Symbol(_)));
        held.retain(|&(cell, _)| !self.symbols(&[cell]).is_disjoint(&spoken));
        held.into_iter().map(|(cell, value)| self.machine.terms.eq(cell, value)).collect()
    }

    /// What the values of cells say.
    pub(super) fn valued(&mut self, values: &[i64]) -> TermId {
        let held = self.holding(values);
        let parts: Vec<TermId> = held.into_iter().map(|(cell, value)| self.machine.terms.eq(cell, value)).collect();
        self.machine.terms.all(&parts)
    }

    /// What a state says about predicates.
    pub(super) fn inside(&mut self, number: usize) -> TermId {
        let state = &self.abstraction.states[number];
        let terms = &mut self.machine.terms;
        let mut parts = Vec::new();
        for (&predicate, &value) in self.predicates.iter().zip(&state.cube) {
            match value {
                Some(true) => parts.push(predicate),
                Some(false) => parts.push(terms.not(predicate)),
                None => {}
            }
        }
        terms.all(&parts)
    }

    /// What locations say.
    pub(super) fn standing(&mut self, at: &[Option<u32>]) -> TermId {
        let mut parts = Vec::new();
        for (pid, at) in at.iter().enumerate() {
            if let Some(at) = at {
                let there = self.machine.terms.number(i128::from(*at));
                parts.push(self.machine.terms.eq(self.machine.at[pid], there));
            }
        }
        self.machine.terms.all(&parts)
    }

    /// Everything that a state says.
    pub(super) fn whole(&mut self, number: usize) -> TermId {
        let AbstractState { at, values, .. } = self.abstraction.states[number].clone();
        let parts = [self.standing(&at), self.valued(&values), self.inside(number)];
        self.machine.terms.all(&parts)
    }

    /// States by what they say about locations and cells.
    pub(super) fn groups(&mut self, states: &[usize]) -> Vec<Group> {
        let mut by_place: BTreeMap<Spot, Vec<usize>> = BTreeMap::new();
        for &number in states {
            let state = &self.abstraction.states[number];
            by_place.entry((state.at.clone(), state.values.clone())).or_default().push(number);
        }
        let mut groups = Vec::new();
        for ((at, values), states) in by_place {
            let inside: Vec<TermId> = states.iter().map(|&number| self.inside(number)).collect();
            groups.push(Group { at, values, inside: self.machine.terms.any(&inside) });
        }
        groups
    }

    /// Whether a way changes nothing that abstract states tell apart.
    pub(super) fn is_unnoticed(&self, way: &StepPath) -> bool {
        way.after.keys().all(|symbol| !self.tracked.contains(symbol))
    }

    /// Where the program begins.
    pub(super) fn initial(&mut self) -> Result<TermId, NoTerm> {
        self.machine.initial()
    }

    /// Puts an obligation together: what always holds is added where it may matter.
    pub(super) fn obligation(
        &mut self,
        kind: &'static str,
        about: String,
        parts: &[TermId],
        expected: Expected,
    ) -> Option<Obligation> {
        let whole = self.machine.terms.all(parts);
        if expected == Expected::Unsat && self.machine.terms.as_truth(whole) == Some(false) {
            return None;
        }
        let number = self.counts.entry(kind).or_default();
        *number += 1;
        let name = format!("{kind}-{number}");
        let mut parts = parts.to_vec();
        if kind != "initial" && kind != "starts" {
            parts.extend(self.relevant(&parts));
        }
        let comments = [format!("{name}: {about}"), format!("the proof needs: {}", expected.word())];
        let (script, assertions) = self.machine.terms.script(&comments, &parts, expected.word());
        self.written = self.written.saturating_add(script.len());
        Some(Obligation { name, about, script, assertions, expected })
    }

    /// Whether there is time and room for more obligations. Whoever hears that there is not asks the budget why.
    pub(super) fn has_room(&self) -> Result<(), NoTerm> {
        if let Err(stopped) = self.budget.check() {
            return Err(NoTerm::new(stopped.to_string()));
        }
        if self.machine.terms.len() > MOST_TERMS {
            return Err(NoTerm::new(format!("its obligations have more than {MOST_TERMS} parts together")));
        }
        if self.written <= LONGEST {
            return Ok(());
        }
        Err(NoTerm::new(format!("its obligations are longer than {} MB together", LONGEST >> 20)))
    }

    /// What always holds and speaks of the same cells.
    pub(super) fn relevant(&self, parts: &[TermId]) -> Vec<TermId> {
        let spoken = self.symbols(parts);
        let facts = self.always.iter().chain(&self.fixed).copied();
        facts.filter(|&fact| !self.symbols(&[fact]).is_disjoint(&spoken)).collect()
    }

    /// What always holds at these places, as far as it speaks of the same cells and of places.
    pub(super) fn facts_at(&mut self, known: &Changes, parts: &[TermId]) -> Vec<TermId> {
        let (spoken, mut found) = (self.symbols(parts), Vec::new());
        for fact in self.always.clone() {
            let here = self.machine.terms.substitute(fact, known);
            if here != fact && !self.symbols(&[here]).is_disjoint(&spoken) {
                found.push(here);
            }
        }
        found
    }

    /// What terms speak of.
    fn symbols(&self, roots: &[TermId]) -> BTreeSet<TermId> {
        let terms = &self.machine.terms;
        terms
            .reachable(roots)
            .into_iter()
            .filter(|&id| matches!(terms.get(id), Term::Symbol(_) | Term::Hidden(_)))
            .collect()
    }

    /// What always holds does so: it holds at the beginning, and no step changes it.
    ///
    /// # Errors
    /// If a step has no terms.
    pub(super) fn always_holds(&mut self, found: &mut Vec<Obligation>) -> Result<(), NoTerm> {
        if self.always.is_empty() {
            return Ok(());
        }
        let facts = self.always.clone();
        let (start, all) = (self.initial()?, self.machine.terms.all(&facts));
        let not = self.machine.terms.not(all);
        let about = "what always holds does at the beginning".to_owned();
        found.extend(self.obligation("initial", about, &[start, not], Expected::Unsat));
        let spoken = self.symbols(&facts);
        for (pid, source) in self.resting_places()? {
            for way in &self.moves(pid, source)?.ways {
                let moved: Vec<TermId> =
                    facts.iter().map(|&fact| self.machine.terms.substitute(fact, &way.after)).collect();
                let changed = facts.iter().zip(moved).filter(|(fact, moved)| *fact != moved);
                let touched: Vec<TermId> = changed.map(|(_, moved)| moved).collect();
                if touched.is_empty() {
                    continue;
                }
                let kept = self.machine.terms.all(&touched);
                let not = self.machine.terms.not(kept);
                let here = Changes::from([(self.machine.at[pid], self.machine.terms.number(source as i128))]);
                let mut parts = [way.taken, not].map(|part| self.machine.terms.substitute(part, &here)).to_vec();
                // Facts about this place are facts here.
                if spoken.contains(&self.machine.at[pid]) {
                    parts.push(self.from(way));
                }
                let about = format!("{} keeps what always holds", self.told(way));
                found.extend(self.obligation("always", about, &parts, Expected::Unsat));
            }
        }
        Ok(())
    }

    /// A way, for people.
    pub(super) fn told(&self, way: &StepPath) -> String {
        let step = way.steps.first().copied();
        let (text, line) = step.map_or((String::new(), String::new()), |step| {
            (self.machine.program.step(step).text.clone(), self.line(step))
        });
        let more = if way.steps.len() > 1 { format!(" and {} more", way.steps.len() - 1) } else { String::new() };
        format!("the step `{}`{more} of {} ({line})", one_line(&text), self.machine.name(way.pid))
    }

    /// Where processes stand, for people.
    pub(super) fn placed(&self, at: &[Option<u32>]) -> String {
        let mut names = Vec::new();
        for (pid, at) in at.iter().enumerate() {
            if let Some(at) = at {
                let process = self.machine.code[pid];
                let name = if *at as usize == self.machine.gone(pid) {
                    "its end".to_owned()
                } else {
                    self.machine.program.location_name(process, LocationId::new(*at as usize))
                };
                names.push(format!("{} at {name}", self.machine.name(pid)));
            }
        }
        if names.is_empty() { "anywhere".to_owned() } else { one_line(&names.join(", ")) }
    }

    /// Where a step stands in the source.
    pub(super) fn line(&self, step: tertium_program::StepId) -> String {
        self.lines.get(step.index()).cloned().unwrap_or_default()
    }
}

/// The parts that terms share. What is put together from them is not deeper than a solver can take.
fn read_shared(machine: &mut Machine<'_>, texts: &[String]) -> Result<Vec<TermId>, NoTerm> {
    let mut shared = Vec::with_capacity(texts.len());
    let mut depths: HashMap<TermId, usize> = HashMap::new();
    for text in texts {
        let term = machine.terms.read_with(text, &shared).map_err(NoTerm)?;
        if machine.terms.deepen(term, &mut depths) > DEEPEST {
            return Err(NoTerm::new(format!("shared parts are nested deeper than {DEEPEST}")));
        }
        shared.push(term);
    }
    Ok(shared)
}

/// A text on one line, so that it can stand in a comment.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a state speaks of this program, and of these predicates and cells.
fn fits(machine: &Machine<'_>, abstraction: &Abstraction, state: &AbstractState) -> Result<(), NoTerm> {
    let places = state.at.len() == machine.processes()
        && state.at.iter().enumerate().all(|(pid, at)| at.is_none_or(|at| at as usize <= machine.gone(pid)));
    let lists = state.cube.len() == abstraction.predicates.len() && state.values.len() == abstraction.cells.len();
    if places && lists { Ok(()) } else { Err(NoTerm::new("an abstract state is not one of this program")) }
}

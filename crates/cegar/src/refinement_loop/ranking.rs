//! Is a linear property true because something cannot go on for ever?
//!
//! Abstract states that a run could stay in for ever may be states that no run stays in for ever: a number gets smaller with each round and has a
//! least value, or a process that is treated with strong fairness is able to step again and again. Candidates for such numbers are the distances of what
//! predicates compare. What each step does to them is found out by the very obligations that a certificate has to meet, and
//! the structure with the promises that follow is then looked at as any other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tertium_abstraction::{Explored, Failed};
use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason};
use tertium_evidence::Technique;
use tertium_evidence::abstraction::{Abstraction, Rank, Structure, Taken};
use tertium_kernel::obligations::terms::{Sort, Term, TermId};
use tertium_kernel::obligations::{Grounds, Machine, NoTerm, Questions};
use tertium_kernel::programs::lines;
use tertium_kernel::solve::{Decided, Decider, decide};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_program::Fairness;
use tertium_smt::{Reply, Scripts};

use crate::answer::Round;

use super::Loop;
use crate::abstracted::basis::{self, Basis};
use crate::abstracted::predicates;
use crate::abstracted::{Prepared, failed, shape, solver_work};
use crate::structure_proof;
use tertium_load::failure::Failure;
use tertium_load::questions::{Asked, Question};

/// Numbers that are looked at, and of those that fall somewhere, how many are combined.
const MOST_CANDIDATES: usize = 16;
const MOST_USEFUL: usize = 6;
const MOST_TOGETHER: usize = 3;
/// If the initial states are described by more comparisons, these are not made predicates.
const MOST_OF_START: usize = 6;

/// Predicates and states, the steps between them, and the numbers that fall, for people.
type Excluding = (Abstraction, Structure, Vec<String>);

impl Loop<'_> {
    /// Looks for numbers that cannot fall for ever and exclude every run that breaks a linear property; whether that shows it. Steps
    /// are looked at, once for each number, if they are at most `most` in all.
    pub(crate) fn ranked(&mut self, prepared: &mut Prepared, number: usize, most: usize) -> Result<bool, Failure> {
        let Question::Property(asked) = &self.questions[number] else { return Ok(false) };
        let options = self.work.options;
        let as_usual = options.linear.is_none() && options.deadlock.is_none();
        if asked.formula.logic() != Logic::Ltl || asked.invariant.is_some() || !as_usual {
            return Ok(false);
        }
        self.work.observer.phase(&format!("{}: looking for what cannot go on for ever", asked.name));
        let before = prepared.system.predicates().len();
        let mut found = self.excluded_by(prepared, asked, most)?;
        let start = predicates::of_start(prepared.system.program(), prepared.system.predicates());
        if found.is_none() && !start.is_empty() && start.len() <= MOST_OF_START {
            // Numbers that never become negative often are not so from the start.
            let added = start.into_iter().try_for_each(|one| prepared.system.add_predicate(one));
            found = if added.is_ok() { self.excluded_by(prepared, asked, most)? } else { None };
        }
        let Some((over, structure, shown)) = found else {
            if prepared.system.predicates().len() > before {
                prepared.system.keep_predicates(before);
            }
            return Ok(false);
        };
        let calls = solver_work(&prepared.system).calls;
        let predicates = prepared.system.predicates().iter().map(|predicate| predicate.name.clone()).collect();
        let answer = &mut self.answers[number];
        answer.value = Belnap::True;
        answer.reasons.clear();
        answer.states = over.states.len();
        answer.transitions = structure.steps.iter().map(|(_, _, to)| to.len()).sum();
        answer.solver = Some(solver_work(&prepared.system));
        answer.basis = Some(Arc::new(Basis::Structure(over, Box::new(structure))));
        answer.ranking.clone_from(&shown);
        if !shown.is_empty() {
            answer.provenance.technique = Technique::RankingFunction;
        }
        let (states, open) = (answer.states, Some(told(&shown)));
        match answer.rounds.last_mut() {
            Some(last) => last.open = open,
            None => answer.rounds.push(Round { predicates, states, calls, open, ..Round::default() }),
        }
        Ok(true)
    }

    /// A structure over the present predicates with promises that exclude all runs which break a property, and the numbers that fall.
    fn excluded_by(&self, prepared: &mut Prepared, asked: &Asked, most: usize) -> Result<Option<Excluding>, Failure> {
        let Some((over, structure)) = self.drawn(prepared, asked)? else { return Ok(None) };
        let mut ranking = Ranking { work: &self.work, asked, over: &over, structure, most };
        Ok(ranking.shown()?.map(|(structure, shown)| (over, structure, shown)))
    }

    /// The structure over all abstract states; none if there are too many, or they cannot be told.
    fn drawn(&self, prepared: &mut Prepared, asked: &Asked) -> Result<Option<(Abstraction, Structure)>, Failure> {
        let fault = |prepared: &Prepared, why| failed(self.work.file, prepared.system.program(), why);
        let explored = match Explored::visit(&mut prepared.system, self.work.budget, &mut |_, _| {}) {
            Err(Failed::Stopped(stopped)) if stopped.0 == StopReason::Count => return Ok(None),
            explored => explored.map_err(|why| fault(prepared, why))?,
        };
        let atoms = prepared.atoms(asked);
        let shape = shape(prepared.system.program(), asked.formula.logic(), self.work.options);
        let drawn = explored.structure(&mut prepared.system, &atoms, &shape, self.work.budget);
        let drawn = drawn.map_err(|why| fault(prepared, why))?;
        Ok(match basis::structure(&prepared.system, &explored, &drawn, &prepared.later) {
            Basis::Structure(over, structure) if !structure.initial.is_empty() => Some((over, *structure)),
            _ => None,
        })
    }
}

/// What was found, for the history of rounds.
fn told(shown: &[String]) -> String {
    match shown {
        [] => "left open, but whoever is able to step again and again does".to_owned(),
        _ => "left open, but a ranking function decreases: this saved a round".to_owned(),
    }
}

struct Ranking<'a> {
    work: &'a super::Work<'a>,
    asked: &'a Asked,
    over: &'a Abstraction,
    structure: Structure,
    most: usize,
}

/// A number that may fall, as the certificate has it and for people.
struct Candidate {
    term: String,
    shown: String,
}

impl Ranking<'_> {
    /// The structure with promises that show the property, and the numbers that fall.
    fn shown(&mut self) -> Result<Option<(Structure, Vec<String>)>, Failure> {
        let program = &self.work.file.program;
        let strong = program.instances.iter().enumerate();
        let strong = strong.filter(|(_, instance)| program.process(instance.process).fairness == Fairness::Strong);
        self.structure.strong = strong.map(|(pid, _)| to_u32(pid)).collect();
        if !self.structure.strong.is_empty() && self.shows(Vec::new())? {
            return Ok(Some((self.structure.clone(), Vec::new())));
        }
        let steps = repeatable(&self.structure);
        let candidates = self.candidates().unwrap_or_default();
        let Ok(grounds) = Grounds::new(&self.work.file.program, self.over, lines(self.work.file), self.work.budget)
        else {
            return Ok(None);
        };
        let scripts = Decider::default().scripts()?.within(self.work.budget);
        let mut asking = Asking { grounds, scripts, steps, left: self.most };
        let mut single = Vec::new();
        for candidate in candidates {
            let Some((rank, moves)) = asking.rank(&[&candidate], self.work.budget)? else { break };
            if moves && single.len() < MOST_USEFUL {
                single.push((candidate, rank));
            }
        }
        let falling: Vec<(Vec<&Candidate>, Rank)> = single
            .iter()
            .filter(|(_, rank)| !rank.falls.is_empty())
            .map(|(one, rank)| (vec![one], rank.clone()))
            .collect();
        if let Some(found) = self.together(&falling)? {
            return Ok(Some(found));
        }
        let mut pairs = Vec::new();
        for (first, second) in ordered_pairs(&single) {
            let Some((rank, _)) = asking.rank(&[first, second], self.work.budget)? else { break };
            if !rank.falls.is_empty() {
                pairs.push((vec![first, second], rank));
            }
        }
        pairs.sort_by_key(|(_, rank)| std::cmp::Reverse(rank.falls.len()));
        pairs.truncate(MOST_USEFUL);
        self.together(&pairs)
    }

    /// Whether a few of these ranks show the property, and which.
    fn together(&mut self, ranks: &[(Vec<&Candidate>, Rank)]) -> Result<Option<(Structure, Vec<String>)>, Failure> {
        for chosen in combinations(ranks.len()) {
            self.work.budget.check()?;
            let chosen_ranks = chosen.iter().map(|&at| ranks[at].1.clone()).collect();
            if self.shows(chosen_ranks)? && self.holds()? {
                let name = |candidates: &[&Candidate]| {
                    let names: Vec<&str> = candidates.iter().map(|one| one.shown.as_str()).collect();
                    if names.len() == 1 { names.concat() } else { format!("({})", names.join(", ")) }
                };
                return Ok(Some((self.structure.clone(), chosen.iter().map(|&at| name(&ranks[at].0)).collect())));
            }
        }
        Ok(None)
    }

    /// Whether a certificate with these ranks meets its obligations: whatever was looked at on the way is not relied on.
    fn holds(&self) -> Result<bool, Failure> {
        let no_term = Ok(false);
        let Ok(mut grounds) = Grounds::new(&self.work.file.program, self.over, lines(self.work.file), self.work.budget)
        else {
            return no_term;
        };
        let Ok(obligations) = grounds.ranks(&self.structure.ranks) else { return no_term };
        Ok(decide(&obligations, &Decider::default(), self.work.budget)? == Decided::Holds)
    }

    fn shows(&mut self, ranks: Vec<Rank>) -> Result<bool, Failure> {
        self.structure.ranks = ranks;
        let Self { work, asked, over, structure, .. } = self;
        structure_proof::shows(work.file, asked, (over, structure), work.options, work.budget)
    }

    /// Distances of what predicates compare.
    fn candidates(&self) -> Result<Vec<Candidate>, NoTerm> {
        let mut machine = Machine::with(&self.work.file.program, &self.over.later)?;
        let mut found: Vec<Candidate> = Vec::new();
        for text in &self.over.predicates {
            let Ok(predicate) = machine.terms.read(text) else { continue };
            for (a, b) in compared(&machine, predicate) {
                let distances = [(b, a), (a, b)].map(|(high, low)| {
                    let text = if machine.terms.as_number(low) == Some(0) { "" } else { " - " };
                    (machine.terms.difference(high, low), text, high, low)
                });
                let sum = (machine.terms.sum(a, b), " + ", a, b);
                for (term, sign, left, right) in distances.into_iter().chain([sum]) {
                    let known = found.iter().any(|other| other.term == machine.terms.show(term));
                    if !known && machine.terms.as_number(term).is_none() && !machine.terms.has_functions(&[term]) {
                        let shown = shown(&machine, left, sign, right);
                        found.push(Candidate { term: machine.terms.show(term), shown });
                    }
                }
            }
        }
        found.truncate(MOST_CANDIDATES);
        Ok(found)
    }
}

/// The pairs of integers that a predicate compares.
fn compared(machine: &Machine<'_>, predicate: TermId) -> Vec<(TermId, TermId)> {
    let comparison = |id: TermId| match machine.terms.get(id) {
        Term::Op("<=" | "=", operands) if machine.terms.sort(operands[0]) == Sort::Int => {
            Some((operands[0], operands[1]))
        }
        _ => None,
    };
    machine.terms.reachable(&[predicate]).into_iter().filter_map(comparison).collect()
}

fn shown(machine: &Machine<'_>, left: TermId, sign: &str, right: TermId) -> String {
    let text = |id| machine.terms.show(id).replace('|', "");
    if sign.is_empty() { text(left) } else { format!("{}{sign}{}", text(left), text(right)) }
}

/// Steps that lie on a cycle, and maybe some more: those behind which there is always a further one, and before which, too.
fn repeatable(structure: &Structure) -> Vec<Taken> {
    let mut steps: BTreeSet<Taken> =
        structure.steps.iter().flat_map(|(from, by, to)| to.iter().map(move |&to| (*from, *by, to))).collect();
    loop {
        let mut ends: BTreeMap<u32, [bool; 2]> = BTreeMap::new();
        for &(from, _, to) in &steps {
            ends.entry(from).or_default()[0] = true;
            ends.entry(to).or_default()[1] = true;
        }
        let before = steps.len();
        let inner = |at: u32| ends.get(&at).is_some_and(|ends| ends[0] && ends[1]);
        steps.retain(|&(from, _, to)| inner(from) && inner(to));
        if steps.len() == before {
            return steps.into_iter().collect();
        }
    }
}

/// Who is asked what steps do to numbers.
struct Asking<'a> {
    grounds: Grounds<'a, 'a>,
    scripts: Scripts,
    steps: Vec<Taken>,
    /// How many steps may still be looked at.
    left: usize,
}

impl Asking<'_> {
    /// What the steps do to numbers, and whether some way of one of them makes them smaller; none if that is too much to look at.
    fn rank(&mut self, of: &[&Candidate], budget: &Budget) -> Result<Option<(Rank, bool)>, Failure> {
        if self.left < self.steps.len() {
            return Ok(None);
        }
        self.left -= self.steps.len();
        let terms: Vec<String> = of.iter().map(|candidate| candidate.term.clone()).collect();
        let mut rank = Rank { terms, ..Rank::default() };
        budget.check()?;
        let Ok(Questions { script, assertions, marks }) = self.grounds.questions(&rank.terms, &self.steps) else {
            return Ok(Some((rank, false)));
        };
        let all: Vec<String> = marks.iter().flat_map(|(keeps, falls)| keeps.iter().chain(falls)).cloned().collect();
        let mut replies = self.scripts.ask_each(&script, assertions, &all).into_iter();
        let mut moves = false;
        for (&taken, (keeps, falls)) in self.steps.iter().zip(&marks) {
            let mut hold = |marks: &[String]| replies.by_ref().take(marks.len()).filter(|&r| r == Reply::Unsat).count();
            let (kept, fallen) = (hold(keeps), hold(falls));
            if keeps.is_empty() || (kept == keeps.len() && fallen < falls.len()) {
                rank.keeps.push(taken);
            } else if fallen == falls.len() {
                rank.falls.push(taken);
            }
            moves |= !keeps.is_empty() && fallen > 0;
        }
        Ok(Some((rank, moves)))
    }
}

/// Two different ones, in both orders.
fn ordered_pairs(of: &[(Candidate, Rank)]) -> Vec<(&Candidate, &Candidate)> {
    let mut pairs = Vec::new();
    for (at, (first, _)) in of.iter().enumerate() {
        for (other, (second, _)) in of.iter().enumerate() {
            if at != other {
                pairs.push((first, second));
            }
        }
    }
    pairs
}

/// Sets of few of these, small ones first.
fn combinations(count: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = (1usize..1 << count)
        .map(|set| (0..count).filter(|at| set >> at & 1 != 0).collect::<Vec<_>>())
        .filter(|set| set.len() <= MOST_TOGETHER)
        .collect();
    sets.sort_by_key(Vec::len);
    sets
}

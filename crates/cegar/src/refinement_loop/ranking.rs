//! Ranking functions: is a linear property true because something cannot go on for ever?
//!
//! Lexicographic linear ranking functions (Podelski and Rybalchenko 2004); these are not solved for but chosen among candidates, and each is checked.
//!
//! Abstract states that a run could stay in for ever may be states that no run stays in for ever: a ranking function decreases with each round and is
//! bounded from below, or a process that is treated with strong fairness is able to step again and again. Candidates are the distances of what
//! predicates compare (`ranking_candidates`). What each step does to them is asked of the abstraction ([`tertium_abstraction::ranking`]), and the abstraction
//! augmented with what follows (`augmented`) is then looked at as any other. Nothing of the independent checker is used: it has to agree with a finished certificate.

use std::collections::{BTreeMap, BTreeSet};

use tertium_abstraction::{Explored, Failed, StructureOptions, System};
use tertium_base::StopReason;
use tertium_check::{Ask, Task};
use tertium_evidence::abstraction::{Abstraction, Rank, Structure, Taken};
use tertium_evidence::{Deadlock, Reading, Technique};
use tertium_lattice::Belnap;
use tertium_logic::{Logic, ability};
use tertium_model::{ActionId, Kmts, StateId};
use tertium_program::{Fairness, ProcessId, Program};
use tertium_smt::TermId;

use crate::answer::Round;
use crate::limits;

use super::Loop;
use super::augmented::{Compassion, augmented};
use super::end_reading::stays;
use super::ranking_candidates::{Candidate, candidates};
use crate::options::CheckOptions;
use crate::predicate_abstraction::basis::{self, Basis};
use crate::predicate_abstraction::predicates;
use crate::predicate_abstraction::{Prepared, failed, is_of_paths, shape, solver_work, with_fairness};
use tertium_load::failure::Failure;
use tertium_load::questions::{PropertyQuery, Question, QuestionId};
use tertium_structures::check::bound;
use tertium_structures::engines::{self, EngineChoice};

/// Predicates and states, the steps between them, and the numbers that fall, for people.
type Excluding = (Abstraction, Structure, Vec<String>);

impl Loop<'_> {
    /// Looks for numbers that cannot fall for ever and exclude every run that breaks a linear property; whether that shows it. Steps
    /// are looked at, once for each number, if they are at most `most` in all.
    pub(crate) fn ranked(&mut self, prepared: &mut Prepared, number: QuestionId, most: usize) -> Result<bool, Failure> {
        let Question::Property(asked) = &self.questions[number.index()] else { return Ok(false) };
        let options = self.work.options;
        let program = prepared.system.program();
        let as_usual = options.linear.is_none() && stays(program, asked, options).is_some();
        if asked.formula.logic() != Logic::Ltl || asked.invariant.is_some() || !as_usual {
            return Ok(false);
        }
        self.work.observer.phase(&format!("{}: looking for what cannot go on for ever", asked.name));
        let before = prepared.system.predicates().len();
        let mut found = self.excluded_by(prepared, asked, most)?;
        let start = predicates::of_start(prepared.system.program(), prepared.system.predicates());
        if found.is_none() && !start.is_empty() && start.len() <= limits::RANKING_MOST_OF_START {
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
        let answer = &mut self.answers[number.index()];
        answer.verdict.settle(Belnap::True);
        answer.cost.states = over.states.len();
        answer.cost.transitions = structure.steps.iter().map(|(_, _, to)| to.len()).sum();
        answer.cost.solver = Some(solver_work(&prepared.system));
        // Nobody checks structures in which runs that end count.
        if self.work.options.deadlock != Some(Deadlock::Maximal) {
            answer.rest_on(Basis::Structure(over, Box::new(structure)));
        }
        answer.show(|evidence| evidence.ranking.clone_from(&shown));
        if !shown.is_empty() {
            answer.provenance.technique = Technique::RankingFunction;
        }
        let (states, open) = (answer.cost.states, Some(told(&shown)));
        match answer.rounds.last_mut() {
            Some(last) => last.open = open,
            None => answer.rounds.push(Round { predicates, states, calls, open, ..Round::default() }),
        }
        Ok(true)
    }

    /// A structure over the present predicates with ranking functions that exclude all runs which break a property, and these for people.
    fn excluded_by(
        &self,
        prepared: &mut Prepared,
        asked: &PropertyQuery,
        most: usize,
    ) -> Result<Option<Excluding>, Failure> {
        let Some(drawn) = self.drawn(prepared, asked)? else { return Ok(None) };
        let mut ranking = Ranking::new(&self.work, asked, &mut prepared.system, drawn, most);
        let shown = ranking.shown()?;
        let DrawnAbstraction { over, structure, .. } = ranking.drawn;
        Ok(shown.map(|shown| (over, structure, shown)))
    }

    /// The structure over all abstract states; none if there are too many, or they cannot be told.
    pub(super) fn drawn(
        &self,
        prepared: &mut Prepared,
        asked: &PropertyQuery,
    ) -> Result<Option<DrawnAbstraction>, Failure> {
        let fault = |prepared: &Prepared, why| failed(self.work.file, prepared.system.program(), why);
        let explored = match Explored::visit(&mut prepared.system, self.work.budget, &mut |_, _| {}) {
            Err(Failed::Stopped(stopped)) if stopped.0 == StopReason::Count => return Ok(None),
            explored => explored.map_err(|why| fault(prepared, why))?,
        };
        let atoms = prepared.atoms(asked);
        let program = prepared.system.program();
        let (fair, able) = treated_fairly(program, asked.formula.logic(), self.work.options);
        let Some(stutter) = stays(program, asked, self.work.options) else { return Ok(None) };
        let model = explored.structure(
            &mut prepared.system,
            &atoms,
            &StructureOptions { fair, able, stutter, by_statement: false },
            self.work.budget,
        );
        let model = model.map_err(|why| fault(prepared, why))?;
        Ok(match basis::structure(&prepared.system, &explored, &model, &prepared.later) {
            Basis::Structure(over, structure) if !structure.initial.is_empty() => {
                Some(DrawnAbstraction { explored, model, over, structure: *structure })
            }
            _ => None,
        })
    }
}

/// Who is treated fairly, in the order of constraints; whoever is treated strongly fairly is treated weakly so, too, and has a label that says where it is able to step.
pub(super) fn treated_fairly(
    program: &Program,
    logic: Logic,
    options: &CheckOptions,
) -> (Vec<ProcessId>, Vec<(ProcessId, String)>) {
    let mut fair = shape(program, logic, options).fair;
    let strong = if is_of_paths(logic) { with_fairness(program, Fairness::Strong) } else { Vec::new() };
    fair.extend(&strong);
    fair.sort();
    fair.dedup();
    let label = |process: ProcessId| {
        let number = fair.iter().position(|&one| one == process)?;
        Some((process, ability(number, &program.process(process).name)))
    };
    let able = strong.into_iter().filter_map(label).collect();
    (fair, able)
}

/// What was found, for the history of rounds.
fn told(shown: &[String]) -> String {
    match shown {
        [] => "left open, but whoever is able to step again and again does".to_owned(),
        _ => "left open, but a ranking function decreases: this saved a round".to_owned(),
    }
}

/// An abstraction that was explored: as a structure to be looked at, and as a certificate tells it.
pub(super) struct DrawnAbstraction {
    pub(super) explored: Explored,
    pub(super) model: Kmts,
    pub(super) over: Abstraction,
    pub(super) structure: Structure,
}

/// What ranking functions are looked for with.
pub(super) struct Ranking<'a> {
    pub(super) work: &'a super::AbstractionCheck<'a>,
    pub(super) asked: &'a PropertyQuery,
    pub(super) system: &'a mut System,
    pub(super) drawn: DrawnAbstraction,
    /// The processes by their numbers.
    processes: BTreeMap<u32, ProcessId>,
    /// How many steps may still be looked at.
    pub(super) left: usize,
    /// Conditions under which a phase of an open cycle has ended.
    pub(super) phase_ends: Vec<TermId>,
}

impl<'a> Ranking<'a> {
    pub(super) fn new(
        work: &'a super::AbstractionCheck<'a>,
        asked: &'a PropertyQuery,
        system: &'a mut System,
        drawn: DrawnAbstraction,
        left: usize,
    ) -> Self {
        let processes = basis::pids(system.program()).into_iter().map(|(process, pid)| (pid, process)).collect();
        Self { work, asked, system, drawn, processes, left, phase_ends: Vec::new() }
    }
}

impl Ranking<'_> {
    /// Whether ranking functions and strong fairness, which become part of the structure, show the property; the functions, for people.
    fn shown(&mut self) -> Result<Option<Vec<String>>, Failure> {
        let program = self.system.program();
        let pids = basis::pids(program);
        let strong = with_fairness(program, Fairness::Strong);
        self.drawn.structure.strong = strong.iter().filter_map(|process| pids.get(process).copied()).collect();
        self.drawn.structure.strong.sort_unstable();
        if !strong.is_empty() && self.shows(Vec::new())? {
            return Ok(Some(Vec::new()));
        }
        let steps = repeatable(&self.drawn.structure);
        let mut single = Vec::new();
        for candidate in self.candidates(&steps, limits::RANKING_MOST_CANDIDATES) {
            let Some((rank, moves)) = self.rank(&[&candidate], &steps)? else { break };
            if moves && single.len() < limits::RANKING_MOST_USEFUL {
                single.push((candidate, rank));
            }
        }
        let falling: Vec<(Vec<&Candidate>, Rank)> = single
            .iter()
            .filter(|(_, rank)| !rank.decreasing.is_empty())
            .map(|(one, rank)| (vec![one], rank.clone()))
            .collect();
        if let Some(found) = self.together(&falling)? {
            return Ok(Some(found));
        }
        let mut pairs = Vec::new();
        let ones: Vec<&Candidate> = single.iter().map(|(one, _)| one).collect();
        let both: Vec<Vec<Candidate>> = ordered_pairs(&ones).collect();
        for pair in &both {
            let parts: Vec<&Candidate> = pair.iter().collect();
            let Some((rank, _)) = self.rank(&parts, &steps)? else { break };
            if !rank.decreasing.is_empty() {
                pairs.push((parts, rank));
            }
        }
        pairs.sort_by_key(|(_, rank)| std::cmp::Reverse(rank.decreasing.len()));
        pairs.truncate(limits::RANKING_MOST_USEFUL);
        if let Some(found) = self.together(&pairs)? {
            return Ok(Some(found));
        }
        self.shown_by_synthesis(&steps)
    }

    /// The same, with ranking functions that are solved for.
    fn shown_by_synthesis(&mut self, steps: &[Taken]) -> Result<Option<Vec<String>>, Failure> {
        let synthesised = self.synthesised(steps)?;
        let mut ranks = Vec::new();
        for candidates in synthesised.iter().take(limits::RANKING_MOST_USEFUL) {
            let parts: Vec<&Candidate> = candidates.iter().collect();
            let Some((rank, _)) = self.rank(&parts, steps)? else { break };
            if !rank.decreasing.is_empty() {
                ranks.push((parts, rank));
            }
        }
        self.together(&ranks)
    }

    /// Whether a few of these ranking functions show the property, and which.
    fn together(&mut self, ranks: &[(Vec<&Candidate>, Rank)]) -> Result<Option<Vec<String>>, Failure> {
        for chosen in combinations(ranks.len()) {
            self.work.budget.check()?;
            if self.shows(chosen.iter().map(|&at| ranks[at].1.clone()).collect())? {
                let name = |candidates: &[&Candidate]| {
                    let names: Vec<&str> = candidates.iter().map(|one| one.shown.as_str()).collect();
                    if names.len() == 1 { names.concat() } else { format!("({})", names.join(", ")) }
                };
                return Ok(Some(chosen.iter().map(|&at| name(&ranks[at].0)).collect()));
            }
        }
        Ok(None)
    }

    /// Whether the property is true of all runs that the structure with these ranking functions has.
    fn shows(&mut self, ranks: Vec<Rank>) -> Result<bool, Failure> {
        self.drawn.structure.ranks = ranks;
        let Some(model) = augmented(&self.drawn.model, &self.requirements()) else { return Ok(false) };
        let reading = Reading { deadlock: Deadlock::Mu, ..Reading::default() };
        let task = bound(Task::new(&model, &self.asked.formula, reading, Ask::At(model.init()), self.work.budget))?;
        let (_, values) = engines::evaluate(&task, EngineChoice::Auto)?;
        Ok(model.init().iter().all(|&start| values.at(start) == Belnap::True))
    }

    fn requirements(&self) -> Vec<Compassion> {
        let DrawnAbstraction { explored, model, structure, .. } = &self.drawn;
        let program = self.system.program();
        let pids = basis::pids(program);
        // Processes of one name share an action.
        let action = |process: ProcessId| {
            let name = &program.process(process).name;
            model.actions().iter().position(|action| action == name).map(ActionId::new)
        };
        let by_pid: BTreeMap<u32, Option<ActionId>> =
            pids.iter().map(|(&process, &pid)| (pid, action(process))).collect();
        let ranks = structure.ranks.iter().map(|rank| of_rank(rank, structure, &by_pid));
        let strong = pids.iter().filter(|(_, pid)| structure.strong.contains(pid)).map(|(&process, _)| {
            let able =
                |from: StateId| explored.expansions.get(from.index()).is_some_and(|at| !at.may_rest[process.index()]);
            of_process(action(process), &able, model)
        });
        ranks.chain(strong).collect()
    }

    /// The integers that predicates suggest, those first that some of these steps change.
    pub(super) fn candidates(&mut self, steps: &[Taken], most: usize) -> Vec<Candidate> {
        let mut found = candidates(self.system);
        found.sort_by_cached_key(|candidate| !steps.iter().any(|&step| self.may_change(step, candidate.term)));
        found.truncate(most);
        found
    }

    /// Whether a step may change an integer at all, as far as that is plain from its text.
    pub(super) fn may_change(&mut self, (from, by, to): Taken, integer: TermId) -> bool {
        let states = &self.drawn.explored.states;
        let process = self.processes.get(&by);
        process.is_some_and(|&process| {
            self.system.may_change(&states[from as usize], process, &states[to as usize], integer)
        })
    }

    /// What the steps do to numbers, and whether some way of one of them makes them smaller; none if that is too much to look at.
    pub(super) fn rank(&mut self, of: &[&Candidate], steps: &[Taken]) -> Result<Option<(Rank, bool)>, Failure> {
        let integers: Vec<TermId> = of.iter().map(|candidate| candidate.term).collect();
        let changed: Vec<bool> =
            steps.iter().map(|&step| integers.iter().any(|&integer| self.may_change(step, integer))).collect();
        let count = changed.iter().filter(|&&changed| changed).count();
        let Some(left) = self.left.checked_sub(count) else { return Ok(None) };
        self.left = left;
        let terms = of.iter().map(|candidate| candidate.text.clone()).collect();
        let mut rank = Rank { terms, ..Rank::default() };
        let mut moves = false;
        for (&(from, by, to), changed) in steps.iter().zip(changed) {
            self.work.budget.check()?;
            let Some(&process) = self.processes.get(&by) else { continue };
            if !changed {
                rank.non_increasing.push((from, by, to));
                continue;
            }
            let states = &self.drawn.explored.states;
            let change = self.system.change(&states[from as usize], process, &states[to as usize], &integers);
            let change = change.map_err(|why| failed(self.work.file, self.system.program(), why))?;
            if change.decreases {
                rank.decreasing.push((from, by, to));
            } else if change.does_not_increase {
                rank.non_increasing.push((from, by, to));
            }
            moves |= change.decreases_somehow;
        }
        Ok(Some((rank, moves)))
    }
}

/// What decreases a ranking function is not taken for ever, unless what may increase it is. An edge that several steps became is what all of them are.
fn of_rank(rank: &Rank, structure: &Structure, actions: &BTreeMap<u32, Option<ActionId>>) -> Compassion {
    let down: BTreeSet<Taken> = rank.decreasing.iter().copied().collect();
    let not_up: BTreeSet<Taken> = rank.non_increasing.iter().copied().collect();
    let (mut decreasing, mut others, mut increasing) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (from, by, targets) in &structure.steps {
        let action = actions.get(by).copied().flatten();
        for &to in targets {
            let key = (StateId::new(*from as usize), StateId::new(to as usize), action);
            let taken = (*from, *by, to);
            if down.contains(&taken) {
                decreasing.insert(key);
                continue;
            }
            others.insert(key);
            if !not_up.contains(&taken) {
                increasing.insert(key);
            }
        }
    }
    Compassion { premise: decreasing.difference(&others).copied().collect(), response: increasing }
}

/// A process that is able to step again and again steps again and again.
fn of_process(action: Option<ActionId>, able: &dyn Fn(StateId) -> bool, model: &Kmts) -> Compassion {
    let mut requirement = Compassion::default();
    for state in model.states() {
        for edge in model.edges_from(state).filter(|edge| edge.may) {
            let key = (state, edge.target, edge.action);
            if able(state) {
                requirement.premise.insert(key);
            }
            if edge.action == action {
                requirement.response.insert(key);
            }
        }
    }
    requirement
}

/// Steps that lie on a cycle, and maybe some more: those behind which there is always a further one, and before which, too.
pub(super) fn repeatable(structure: &Structure) -> Vec<Taken> {
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

/// Two different ones, in both orders.
pub(super) fn ordered_pairs<'a>(of: &'a [&Candidate]) -> impl Iterator<Item = Vec<Candidate>> + 'a {
    let both = move |first: &'a Candidate| {
        let others = of.iter().filter(move |second| **second != first);
        others.map(move |&second| vec![first.clone(), second.clone()])
    };
    of.iter().flat_map(move |&first| both(first))
}

/// Sets of few of these, small ones first.
fn combinations(count: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = (1usize..1 << count)
        .map(|set| (0..count).filter(|at| set >> at & 1 != 0).collect::<Vec<_>>())
        .filter(|set| set.len() <= limits::RANKING_MOST_TOGETHER)
        .collect();
    sets.sort_by_key(Vec::len);
    sets
}

//! Ranked games: has a branching property a value because something cannot go on for ever, or because a goal comes nearer with each chosen step?
//!
//! The structure of possible and certain steps is played on with ranking functions ([`tertium_check::ranked_game`]): for universal eventualities every step matters, for existential ones a step that can be
//! chosen (Cook and Koskinen 2013 call the dual a recurrent set). Which integers are tried comes from `ranking_candidates`; those that exclude cycles of possible steps are chosen
//! by decomposing the open part, level by level as in a lexicographic ranking function (Cook, See and Zuleger 2013), the others one by one as long as more claims are defended.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_check::ranked_game::{self, RankedSolution};
use tertium_check::{Ask, Task};
use tertium_evidence::abstraction::{Rank, RankedSet, Taken};
use tertium_evidence::{Deadlock, Reading, Technique};
use tertium_lattice::Belnap;
use tertium_logic::{FairPaths, Formula, Logic};
use tertium_model::StateId;
use tertium_program::{InitialValue, ProcessId};
use tertium_smt::TermId;

use super::Loop;
use super::end_reading::stays;
use super::game_attempts::{GameAttempt, GameEffort};
use super::open_cycles::Lacking;
use super::ranking::{Ranking, ordered_pairs, repeatable, treated_fairly};
use super::ranking_candidates::Candidate;
use super::ranking_levels::level_by_level;
use crate::answer::Round;
use crate::limits;
use crate::predicate_abstraction::basis::{self, Basis};
use crate::predicate_abstraction::{Prepared, failed, solver_work};
use crate::ranked_structure::{claimed_formula, ranked_structure};
use tertium_load::failure::Failure;
use tertium_load::questions::{PropertyQuery, Question, QuestionId};
use tertium_structures::check::bound;
use tertium_structures::prove::evaluated_formula;

/// A value, what it rests on, and the ranking functions for people.
pub(super) struct Won {
    value: Belnap,
    basis: Basis,
    steps: usize,
    states: usize,
    shown: Vec<String>,
    /// Whether the value depends on what runs that are blocked mean.
    warning: Option<Diagnostic>,
}

impl Loop<'_> {
    /// Plays for a branching property with ranking functions; whether that gives it a value.
    pub(super) fn ranked_game(
        &mut self,
        prepared: &mut Prepared,
        number: QuestionId,
        effort: GameEffort,
    ) -> Result<bool, Failure> {
        let Question::Property(asked) = &self.questions[number.index()] else { return Ok(false) };
        let program = prepared.system.program();
        let (fair, able) = treated_fairly(program, asked.formula.logic(), self.work.options);
        let fair = FairPaths::of(fair.len(), able.iter().map(|(_, label)| label.as_str()));
        let Some(formula) = claimed_formula(&asked.formula, &fair) else { return Ok(false) };
        let stays = stays(program, asked, self.work.options);
        // Forms of formulas about paths are the same only where every state has a successor.
        let total = stays == Some(true) || matches!(asked.formula.logic(), Logic::Ctl | Logic::Mu | Logic::Pml);
        let ends = self.work.options.deadlock.is_some() || stays != Some(true);
        let foreign = self.work.options.linear.is_some() || (!able.is_empty() && ends);
        if stays.is_none() || !total || foreign {
            return Ok(false);
        }
        let names = prepared.system.predicates().iter().map(|predicate| predicate.name.clone()).collect();
        if !self.played.insert((number, names, prepared.system.has_local_predicates(), effort)) {
            return Ok(false);
        }
        let before = prepared.system.predicates().len();
        // Where the solver gives up, each question takes long: what may be left out is.
        let gave_up = prepared.system.queries().gave_up();
        let mut attempt = GameAttempt { asked, formula, effort, before, gave_up, lacking: Lacking::default() };
        if let Some(won) = self.attempted(prepared, &mut attempt)? {
            self.take(prepared, number, won);
            return Ok(true);
        }
        attempt.restore(prepared);
        self.open_cycle = attempt.lacking.told;
        Ok(false)
    }

    /// Whether the program chooses values, or begins with any, and the property may say something about a good choice.
    pub(super) fn chooses(&self, asked: &PropertyQuery) -> bool {
        let program = &self.work.file.program;
        let any = program.variables.iter().any(|variable| variable.initial == InitialValue::Any);
        let inputs = program.steps.iter().any(|step| !step.inputs.is_empty());
        asked.formula.logic() != Logic::Ltl && (any || inputs)
    }

    fn take(&mut self, prepared: &Prepared, number: QuestionId, won: Won) {
        let work = solver_work(&prepared.system);
        let predicates = prepared.system.predicates().iter().map(|predicate| predicate.name.clone()).collect();
        let answer = &mut self.answers[number.index()];
        answer.verdict.settle(won.value);
        (answer.cost.states, answer.cost.transitions) = (won.states, won.steps);
        let calls = work.calls;
        answer.cost.solver = Some(work);
        // Nobody checks claims about runs that end and count.
        if self.work.options.deadlock != Some(Deadlock::Maximal) {
            answer.rest_on(won.basis);
        }
        answer.show(|evidence| evidence.ranking.clone_from(&won.shown));
        answer.warnings.extend(won.warning);
        if !won.shown.is_empty() {
            answer.provenance.technique = Technique::RankingFunction;
        }
        let open = Some("left open, but a ranking function decreases: this saved a round".to_owned());
        match answer.rounds.last_mut() {
            Some(last) => last.open = open,
            None => answer.rounds.push(Round { predicates, states: won.states, calls, open, ..Round::default() }),
        }
    }

    /// Plays over the present predicates. If that decides nothing, the attempt says what would make candidates decrease.
    pub(super) fn played(
        &self,
        prepared: &mut Prepared,
        attempt: &mut GameAttempt<'_>,
    ) -> Result<Option<Won>, Failure> {
        let (asked, effort) = (attempt.asked, attempt.effort);
        let count = prepared.system.predicates().len();
        self.work.observer.phase(&format!("{}: looking for ranking functions over {count} predicates", asked.name));
        let Some(drawn) = self.drawn(prepared, asked)? else { return Ok(None) };
        let formula = evaluated_formula(&drawn.model, &attempt.formula).into_owned();
        let starts = match drawn.explored.initial.iter().all(|&(_, certain)| certain) {
            true => true,
            false => {
                let starts = prepared.system.surely_starts();
                starts.map_err(|why| failed(self.work.file, prepared.system.program(), why))?
            }
        };
        let gave_up = prepared.system.queries().gave_up();
        let ranking = Ranking::new(&self.work, asked, &mut prepared.system, drawn, effort.most_changes());
        let mut play = Play { ranking, formula, starts, effort, lacking: Lacking::default(), gave_up };
        let Some((value, shown)) = play.won()? else {
            attempt.lacking = play.lacking;
            return Ok(None);
        };
        let (drawn, formula) = (play.ranking.drawn, play.formula);
        let warning = self.about_blocked_runs(prepared, asked, (&formula, starts), &drawn, value)?;
        let (over, structure) = (drawn.over, drawn.structure);
        let states = over.states.len();
        let steps = structure.steps.iter().map(|(_, _, to)| to.len()).sum();
        Ok(Some(Won { value, basis: Basis::Structure(over, Box::new(structure)), steps, states, shown, warning }))
    }
}

/// A certain set: from, by whom, into which, and whether the step decreases an integer; else it does not increase it.
type NumberedSet = (u32, u32, Vec<u32>, bool);

/// An integer, or several, with what steps do to it.
pub(super) struct GameRank {
    pub(super) candidates: Vec<Candidate>,
    pub(super) rank: Rank,
    pub(super) sets: Vec<NumberedSet>,
}

impl GameRank {
    /// Whether nothing is known of what a step does to it.
    pub(super) fn may_increase(&self, step: &Taken) -> bool {
        !self.rank.decreasing.contains(step) && !self.rank.non_increasing.contains(step)
    }

    pub(super) fn shown(&self) -> String {
        let names: Vec<&str> = self.candidates.iter().map(|one| one.shown.as_str()).collect();
        if names.len() == 1 { names.concat() } else { format!("({})", names.join(", ")) }
    }
}

/// How a game ended.
pub(super) struct Outcome {
    pub(super) positive: bool,
    /// Whether the value is defended where the program begins.
    pub(super) defended: bool,
    /// How many claims are defended.
    pub(super) won: usize,
    /// States at which claims about steps are not, and whether a step is chosen there.
    pub(super) open: BTreeMap<u32, bool>,
    /// Steps of cycles that keep claims from being defended.
    pub(super) cycles: BTreeSet<(u32, u32)>,
}

impl Outcome {
    /// Those of these steps that lie on open cycles.
    pub(super) fn on_cycles(&self, steps: &[Taken]) -> Vec<Taken> {
        steps.iter().filter(|step| self.cycles.contains(&(step.0, step.2))).copied().collect()
    }
}

pub(super) struct Play<'a> {
    pub(super) ranking: Ranking<'a>,
    formula: Formula,
    /// Whether the program surely begins somewhere.
    starts: bool,
    effort: GameEffort,
    /// What would make candidates decrease.
    lacking: Lacking,
    /// How often the solver had given up before.
    gave_up: u64,
}

impl Play<'_> {
    /// The value that can be defended, with ranking functions that become part of the structure; these, for people.
    fn won(&mut self) -> Result<Option<(Belnap, Vec<String>)>, Failure> {
        let steps = repeatable(&self.ranking.drawn.structure);
        let mut open: Vec<Outcome> = Vec::new();
        for positive in [true, false] {
            let Some(outcome) = self.solve_with_cycles(&[], positive)? else { return Ok(None) };
            if outcome.defended {
                return Ok(Some((positive.into(), Vec::new())));
            }
            open.push(outcome);
        }
        let mut groups: Vec<Vec<Candidate>> = Vec::new();
        let mut solved: Vec<Vec<Taken>> = Vec::new();
        for inside in open.iter().map(|outcome| outcome.on_cycles(&steps)) {
            if !solved.contains(&inside) {
                groups.extend(self.ranking.synthesised(&inside)?);
                solved.push(inside);
            }
        }
        let inside: Vec<Taken> = solved.iter().flatten().copied().collect();
        let suggested = self.ranking.candidates(&inside, self.effort.most_candidates());
        groups.extend(suggested.into_iter().map(|candidate| vec![candidate]));
        let mut ranks = self.ranks(groups, &steps)?;
        let on_any: BTreeSet<Taken> = solved.into_iter().flatten().collect();
        self.lacking = self.lacking(&ranks, &on_any.into_iter().collect::<Vec<_>>());
        for outcome in &open {
            let chosen = level_by_level(&ranks, outcome.on_cycles(&steps));
            if !chosen.is_empty()
                && let Some(found) = self.with(&ranks, chosen, outcome.positive)?
            {
                return Ok(Some(found));
            }
        }
        self.leave_out_dominated(&mut ranks);
        // Certain sets are asked for of each of them, which costs most.
        ranks.truncate(limits::RANKING_GAME_MOST_WITH_SETS);
        self.ranking.left = self.ranking.left.max(limits::RANKING_GAME_LEFT_FOR_SETS);
        self.add_sets(&mut ranks)?;
        if let Some(found) = self.greedily_for(&ranks, &open)? {
            return Ok(Some(found));
        }
        if self.is_hard() {
            return Ok(None);
        }
        // A function that is found lets more states be reached by choice, which may take another one.
        for _ in 0..limits::RANKING_GAME_MOST_CHOICES {
            let mut chosen = self.chosen_ranks(&open, &steps)?;
            chosen.retain(|group| ranks.iter().all(|known| known.candidates != *group));
            if chosen.is_empty() {
                break;
            }
            let mut more = self.ranks(chosen, &steps)?;
            self.add_sets(&mut more)?;
            let known = std::mem::take(&mut ranks);
            ranks = more.into_iter().chain(known).collect();
            if let Some(found) = self.greedily_for(&ranks, &open)? {
                return Ok(Some(found));
            }
            self.widen(&ranks, &mut open)?;
        }
        let single: Vec<&Candidate> = ranks.iter().filter_map(|one| one.candidates.first()).collect();
        let pairs: Vec<Vec<Candidate>> = ordered_pairs(&single).take(limits::RANKING_GAME_MOST_PAIRS).collect();
        let mut pairs = self.ranks(pairs, &steps)?;
        self.add_sets(&mut pairs)?;
        self.greedily_for(&pairs, &open)
    }

    /// What steps do to these integers; those that no step decreases are left out.
    fn ranks(&mut self, groups: Vec<Vec<Candidate>>, steps: &[Taken]) -> Result<Vec<GameRank>, Failure> {
        let mut found: Vec<GameRank> = Vec::new();
        for candidates in groups {
            let parts: Vec<&Candidate> = candidates.iter().collect();
            let Some((rank, moves)) = self.ranking.rank(&parts, steps)? else { break };
            let known = found.iter().any(|one| one.candidates == candidates);
            if !known && (moves || !rank.decreasing.is_empty()) {
                found.push(GameRank { candidates, rank, sets: Vec::new() });
            }
        }
        Ok(found)
    }

    fn add_sets(&mut self, ranks: &mut [GameRank]) -> Result<(), Failure> {
        for one in ranks {
            one.sets = self.sets(one)?;
        }
        Ok(())
    }

    /// When steps of open cycles decrease candidates that they do not decrease anyway, and when those are not negative.
    pub(super) fn conditions(&mut self, ranks: &[GameRank], steps: &[Taken]) -> Vec<TermId> {
        let mut found: Vec<TermId> = Vec::new();
        let processes: BTreeMap<u32, ProcessId> =
            basis::pids(self.ranking.system.program()).into_iter().map(|(process, pid)| (pid, process)).collect();
        for GameRank { candidates, rank, .. } in ranks {
            let [candidate] = candidates.as_slice() else { continue };
            for step in steps.iter().filter(|step| !rank.decreasing.contains(step)) {
                let Some(&process) = processes.get(&step.1) else { continue };
                let state = &self.ranking.drawn.explored.states[step.0 as usize];
                for condition in self.ranking.system.decrease_conditions(state, process, candidate.term) {
                    if !found.contains(&condition) && found.len() < limits::RANKING_GAME_MOST_CONDITIONS {
                        found.push(condition);
                    }
                }
            }
        }
        found
    }

    /// Plays with these ranking functions, which become part of the structure.
    pub(super) fn solve(&mut self, ranks: &[&GameRank], positive: bool) -> Result<Option<Outcome>, Failure> {
        self.solved(ranks, positive, |_| BTreeSet::new())
    }

    /// The same, with the cycles that are open then.
    pub(super) fn solve_with_cycles(
        &mut self,
        ranks: &[&GameRank],
        positive: bool,
    ) -> Result<Option<Outcome>, Failure> {
        self.solved(ranks, positive, |solution| solution.open_cycles())
    }

    fn solved(
        &mut self,
        ranks: &[&GameRank],
        positive: bool,
        open_cycles: impl Fn(&RankedSolution<'_>) -> BTreeSet<(StateId, StateId)>,
    ) -> Result<Option<Outcome>, Failure> {
        self.ranking.work.budget.check()?;
        let program = self.ranking.system.program();
        let names: BTreeMap<u32, String> = basis::pids(program)
            .into_iter()
            .map(|(process, pid)| (pid, program.process(process).name.clone()))
            .collect();
        let structure = &mut self.ranking.drawn.structure;
        structure.ranks = ranks.iter().map(|one| one.rank.clone()).collect();
        structure.ranked = (0u32..).zip(ranks).flat_map(|(at, one)| ranked_sets(at, one)).collect();
        let model = &self.ranking.drawn.model;
        let ranked = ranked_structure(structure, model, &names);
        let budget = self.ranking.work.budget;
        let task = bound(Task::new(model, &self.formula, Reading::default(), Ask::At(model.init()), budget))?;
        let Some(solution) = ranked_game::solve(&task, &ranked, model.init(), positive)? else { return Ok(None) };
        let open: BTreeMap<u32, bool> =
            solution.open_steps().into_iter().map(|(state, chosen)| (state.number(), chosen)).collect();
        let cycles = open_cycles(&solution).into_iter().map(|(from, to)| (from.number(), to.number())).collect();
        let defended = defended(&self.ranking.drawn.explored.initial, self.starts, &solution, positive);
        Ok(Some(Outcome { positive, defended, won: solution.won(), open, cycles }))
    }

    /// Certain sets whose steps change integers as wanted, where possible steps do not do so anyway.
    fn sets(&mut self, GameRank { candidates, rank, .. }: &GameRank) -> Result<Vec<NumberedSet>, Failure> {
        let integers: Vec<_> = candidates.iter().map(|candidate| candidate.term).collect();
        let pids = basis::pids(self.ranking.system.program());
        let decreasing: BTreeSet<Taken> = rank.decreasing.iter().copied().collect();
        let kept: BTreeSet<Taken> = rank.non_increasing.iter().copied().collect();
        let mut found = Vec::new();
        let places: Vec<(u32, u32, Vec<u32>)> = self.ranking.drawn.structure.steps.clone();
        let processes: BTreeMap<u32, ProcessId> = pids.into_iter().map(|(process, pid)| (pid, process)).collect();
        for (from, by, targets) in &places {
            let (from, by) = (*from, *by);
            // Where another process steps between the same states, nothing tells whose step a plain one is.
            let alone = |to: &u32| !places.iter().any(|(at, who, into)| *at == from && *who != by && into.contains(to));
            let alone = targets.iter().all(alone);
            let Some(&process) = processes.get(&by) else { continue };
            for wanted in [true, false] {
                let is = |&to: &u32| {
                    let taken = (from, by, to);
                    decreasing.contains(&taken) || (!wanted && kept.contains(&taken))
                };
                if alone && targets.iter().all(is) {
                    continue;
                }
                let mut changes = |&to: &u32| integers.iter().any(|&one| self.ranking.may_change((from, by, to), one));
                if wanted && !targets.iter().any(&mut changes) {
                    continue;
                }
                let Some(left) = self.ranking.left.checked_sub(1).filter(|_| !self.is_hard()) else { return Ok(found) };
                self.ranking.left = left;
                self.ranking.work.budget.check()?;
                found.extend(self.sets_from((from, by, process), &integers, (wanted, alone))?);
            }
        }
        Ok(found)
    }

    /// Whether the solver gives up again and again.
    fn is_hard(&self) -> bool {
        self.ranking.system.queries().gave_up() > self.gave_up + limits::RANKING_GAME_MOST_GIVEN_UP
    }

    fn sets_from(
        &mut self,
        (from, by, process): (u32, u32, ProcessId),
        integers: &[TermId],
        (wanted, alone): (bool, bool),
    ) -> Result<Vec<NumberedSet>, Failure> {
        let state = self.ranking.drawn.explored.states[from as usize].clone();
        let sets = self.ranking.system.ranked_sets(&state, process, integers, wanted, alone);
        let sets = sets.map_err(|why| failed(self.ranking.work.file, self.ranking.system.program(), why))?;
        let explored = &self.ranking.drawn.explored;
        let numbered = |set: Vec<tertium_abstraction::AbstractState>| {
            let into: Option<Vec<u32>> = set.iter().map(|one| explored.find(one).map(|at| to_u32(at))).collect();
            into.map(|into| (from, by, into, wanted))
        };
        Ok(sets.into_iter().filter_map(numbered).take(limits::RANKING_GAME_MOST_SETS).collect())
    }
}

/// Whether the claim that the property is true, or false, is defended where the program begins; `starts` says whether it surely begins somewhere.
pub(super) fn defended(initial: &[(usize, bool)], starts: bool, solution: &RankedSolution<'_>, positive: bool) -> bool {
    let proves = |number: usize| solution.proves(StateId::new(number), positive);
    let all = initial.iter().all(|&(number, _)| proves(number));
    let some = initial.iter().any(|&(number, certain)| certain && proves(number));
    if positive { all } else { some || (all && starts && !initial.is_empty()) }
}

fn ranked_sets(number: u32, rank: &GameRank) -> Vec<RankedSet> {
    let set = |(from, by, into, decreases): &NumberedSet| RankedSet {
        from: *from,
        by: Some(*by),
        into: into.iter().map(|&to| (to, vec![(number, *decreases)])).collect(),
    };
    rank.sets.iter().map(set).collect()
}

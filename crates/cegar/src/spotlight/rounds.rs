//! Abstract, check, look at more, until the property is decided or nothing is left to add.
//!
//! What leaves an answer open suggests, in this order: a name for a value of the property's own predicates, predicates, a
//! process. A name that makes the property true under one value and false under the other did not help: it is taken back and
//! not tried again. Names are dropped when a predicate or a process is added, since the states they belong to
//! are others then.

use std::sync::Arc;

use crate::limits;
use tertium_abstraction::spotlight::{
    Parameter, ShadeModel, SpotExplored, SpotShape, SpotState, Spotlight, Standing, comparisons,
};
use tertium_abstraction::{Predicate, System};
use tertium_base::Diagnostic;
use tertium_evidence::{OpenQuestion, Reason as Open};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_program::search::Limits;
use tertium_program::{ExprId, Fairness, ProcessId};

use super::judge::{Branch, Judge, Judgement, reading};
use super::{Parameters, SpotlightCheck, certificate_basis, replay, start};
use crate::answer::{ProgramAnswer, Reason, Round, STUTTER};
use crate::predicate_abstraction::basis::Basis;
use crate::predicate_abstraction::{failed, solver_work, where_it_starts, with_fairness};
use crate::single_states::condition_of_every_state;
use tertium_evidence::Deadlock;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;

/// Decides a property.
///
/// # Errors
/// If a limit is reached, or parameters were wanted where they are not sound.
pub(super) fn decide(
    work: &SpotlightCheck<'_>,
    system: &mut System,
    asked: &PropertyQuery,
    answer: &mut ProgramAnswer,
) -> Result<(), Failure> {
    let mut rounds = Rounds::new(work, system, asked, answer);
    let decided = rounds.begin().and_then(|()| rounds.run());
    rounds.conclude();
    decided
}

pub(super) struct Rounds<'a> {
    pub(super) work: &'a SpotlightCheck<'a>,
    pub(super) system: &'a mut System,
    pub(super) asked: &'a PropertyQuery,
    pub(super) answer: &'a mut ProgramAnswer,
    pub(super) spotlight: Spotlight,
    /// Branches with a parameter of their own.
    pub(super) branches: Vec<Branch>,
    /// Names that did not help.
    pub(super) refused: Vec<(SpotState, usize)>,
    pub(super) refused_branches: Vec<Branch>,
    pub(super) round: Round,
}

impl<'a> Rounds<'a> {
    fn new(
        work: &'a SpotlightCheck<'a>,
        system: &'a mut System,
        asked: &'a PropertyQuery,
        answer: &'a mut ProgramAnswer,
    ) -> Self {
        Self {
            work,
            system,
            asked,
            answer,
            spotlight: Spotlight::default(),
            branches: Vec::new(),
            refused: Vec::new(),
            refused_branches: Vec::new(),
            round: Round::default(),
        }
    }

    pub(super) fn named(&self, processes: &[ProcessId]) -> Vec<String> {
        processes.iter().map(|&process| self.system.program().process(process).name.clone()).collect()
    }

    /// The processes and predicates to begin with.
    fn begin(&mut self) -> Result<(), Failure> {
        let given: Vec<(ExprId, String)> =
            self.system.program().predicates.iter().map(|named| (named.expr, named.name.clone())).collect();
        let mut named = start::named(self.system.program(), &self.asked.atoms);
        // A formula may speak of the steps of a process, too.
        let program = self.system.program();
        let steps = self.asked.formula.actions();
        named.extend(program.process_ids().filter(|&process| steps.contains(&program.process(process).name)));
        for (expr, name) in given {
            self.add_predicate(expr, Some(name), &self.system.program().process_ids().collect::<Vec<_>>())?;
        }
        for &atom in &self.asked.atoms {
            for part in comparisons(self.system.program(), atom) {
                self.add_predicate(part, None, &named)?;
            }
        }
        let declared = self.work.how.processes.clone();
        let mut processes = declared.unwrap_or_else(|| start::processes(self.system, &self.asked.atoms));
        // What the property names must be seen.
        processes.extend(named);
        processes.sort_unstable();
        processes.dedup();
        self.round.processes = self.named(&processes);
        self.spotlight = Spotlight::of(processes);
        self.name_rigid();
        Ok(())
    }

    pub(super) fn add_predicate(
        &mut self,
        expr: ExprId,
        name: Option<String>,
        lit: &[ProcessId],
    ) -> Result<bool, Failure> {
        if self.system.standing(expr, lit) != Standing::New
            || self.system.predicates().len() >= limits::SPOTLIGHT_ROUNDS_MOST_PREDICATES
        {
            return Ok(false);
        }
        let name = name.unwrap_or_else(|| self.system.program().show(expr));
        let added = self.system.add_predicate(Predicate { name: name.clone(), expr });
        added.map_err(|why| super::unsupported(self.work.file, self.system.program(), &why))?;
        self.round.predicates.push(name);
        Ok(true)
    }

    /// Parameters for values that no step changes.
    pub(super) fn name_rigid(&mut self) {
        self.spotlight.parameters.clear();
        self.branches.clear();
        if self.work.how.parameters == Parameters::Off {
            return;
        }
        for predicate in 0..self.system.predicates().len() {
            if self.spotlight.parameters.len() < limits::SPOTLIGHT_ROUNDS_MOST_RIGID && self.system.is_rigid(predicate)
            {
                self.spotlight.parameters.push(Parameter::Rigid(predicate));
            }
        }
    }

    /// What the structures are like.
    fn judge(&mut self) -> Result<Judge<'a>, Failure> {
        let (program, options) = (self.system.program(), self.work.options);
        let logic = self.asked.formula.logic();
        let paths = matches!(logic, Logic::Ctl | Logic::CtlStar | Logic::Ltl);
        let mut fair = with_fairness(program, Fairness::Weak);
        let strong = with_fairness(program, Fairness::Strong);
        if options.fair {
            fair = program.process_ids().collect();
        }
        // Every run can be continued fairly, so what one state breaks is broken on a fair run.
        let invariant = logic == Logic::Ltl && self.asked.invariant.is_some();
        let mut unsure = !strong.is_empty();
        fair.extend(strong);
        if !paths || invariant {
            (fair, unsure) = (Vec::new(), false);
        }
        unsure |= fair.iter().any(|&process| !self.spotlight.holds(process));
        let whole_paths = logic == Logic::CtlStar || logic == Logic::Ltl || (paths && !fair.is_empty());
        let stutter = whole_paths && options.deadlock.is_none();
        fair.retain(|&process| self.spotlight.holds(process));
        self.answer.deadlock = options.deadlock.map_or(if stutter { STUTTER } else { "mu" }, Deadlock::name);
        let literal = self.work.how.parameters == Parameters::Literal;
        let shape = SpotShape { fair, unsure, stutter, single: literal, ..SpotShape::default() };
        let judge = Judge { work: self.work, asked: self.asked, shape, reading: reading(self.work, literal) };
        if literal && !judge.is_memoryless() {
            return Err(literal_refused(&judge));
        }
        Ok(judge)
    }

    fn run(&mut self) -> Result<(), Failure> {
        for number in 0..self.work.how.rounds {
            self.work.budget.check()?;
            let judge = self.judge()?;
            let text = format!(
                "{}: round {}, {} in the spotlight, {} predicates",
                self.asked.name,
                number + 1,
                self.spotlight.processes.len(),
                self.system.predicates().len()
            );
            let done = match self.without_the_shade(&judge, &text)? {
                Some(done) => done,
                None => {
                    let mut explored = self.visit(ShadeModel::Effects, &text)?;
                    let judgement = judge.judge(self.system, &mut explored, &self.branches)?;
                    self.react(&judge, &mut explored, judgement)?
                }
            };
            if done {
                return Ok(());
            }
            self.answer.cost.refinements += 1;
        }
        self.answer.verdict.leave_open(self.gave_up("the limit on rounds is reached"));
        Ok(())
    }

    /// Visits all states.
    pub(super) fn visit(&mut self, shade: ShadeModel, text: &str) -> Result<SpotExplored, Failure> {
        let observer = self.work.observer;
        let mut told = |done: usize, known: usize| {
            if done % 256 == 1 {
                observer.phase(&format!("{text}: {done} of {known} states"));
            }
        };
        let limits = Limits { most: self.system.most_states(), budget: self.work.budget };
        let explored = SpotExplored::visit_with(self.system, (&self.spotlight, shade), limits, &mut told);
        let explored = explored.map_err(|why| failed(self.work.file, self.system.program(), why))?;
        let states = explored.states.len();
        (self.answer.cost.states, self.round.states) = (states, states);
        self.answer.cost.transitions = explored.steps.iter().map(Vec::len).sum();
        self.round.parameters = self.spotlight.parameters.len() + self.branches.len();
        Ok(explored)
    }

    /// What to do about a judgement; whether that was all.
    fn react(&mut self, judge: &Judge<'_>, explored: &mut SpotExplored, judgement: Judgement) -> Result<bool, Failure> {
        match judgement {
            Judgement::Definite(Belnap::False) if !explored.certain => {
                self.answer.verdict.leave_open(where_it_starts());
                self.end_round(None);
            }
            Judgement::Definite(value) => {
                self.answer.verdict.settle(value);
                self.tell(judge, explored)?;
                self.end_round(None);
                if value == Belnap::False {
                    self.answer.show_run(replay::run(self.work, self.system, &self.spotlight, self.asked)?);
                }
            }
            Judgement::Conditional(conditions) => {
                self.end_round(Some("the answer depends on values that no step changes".to_owned()));
                self.answer.verdict.leave_open(conditional(&conditions));
                self.answer.condition = conditions;
            }
            Judgement::Unsupported | Judgement::Mixed => {
                return Ok(!self.take_back(explored, matches!(judgement, Judgement::Unsupported)));
            }
            Judgement::Open(assignment, question) => {
                return self.extend(judge, explored, assignment, question.as_ref());
            }
        }
        Ok(true)
    }

    /// What a definite answer rests on.
    pub(super) fn tell(&mut self, judge: &Judge<'_>, explored: &mut SpotExplored) -> Result<(), Failure> {
        let basis = if condition_of_every_state(&self.asked.formula, self.answer.value()).is_some() {
            certificate_basis::states(self.system, explored)
        } else if self.branches.is_empty() {
            let mut drawn = Vec::new();
            for assignment in 0..explored.assignments() {
                drawn.push(judge.structure(self.system, explored, assignment, &judge.shape)?);
            }
            certificate_basis::structure(self.work, self.system, explored, &drawn)?
        } else {
            let why = "it rests on branches that were fixed for whole runs, which is no matter of single structures";
            Arc::new(Basis::Untold(why.to_owned()))
        };
        self.answer.show(|evidence| evidence.basis = Some(basis));
        Ok(())
    }

    /// Adds what an open question suggests; whether nothing was left to add.
    fn extend(
        &mut self,
        judge: &Judge<'_>,
        explored: &mut SpotExplored,
        assignment: usize,
        question: Option<&OpenQuestion>,
    ) -> Result<bool, Failure> {
        if self.add(judge, explored, assignment, question)? {
            return Ok(false);
        }
        let open = self.open_text(explored, question.map_or(&[], |question| &question.reasons));
        self.end_round(Some(open.clone()));
        self.answer.verdict.leave_open(self.gave_up(&open));
        Ok(true)
    }

    pub(super) fn closing(&mut self) -> Round {
        std::mem::take(&mut self.round)
    }

    pub(super) fn push(&mut self, mut round: Round, open: Option<String>) {
        round.calls = solver_work(self.system).calls;
        round.open = open;
        self.answer.rounds.push(round);
    }

    pub(super) fn end_round(&mut self, open: Option<String>) {
        let round = self.closing();
        self.push(round, open);
    }

    pub(super) fn open_text(&self, explored: &SpotExplored, reasons: &[Open]) -> String {
        let name = |at: usize| self.system.spot_name(&self.spotlight.processes, &explored.states[at]);
        match reasons.first() {
            Some(Open::Label { state, prop }) => {
                let atom = self.asked.formula.atoms().get(prop.index()).map_or("", |atom| atom.text.as_str());
                format!("at `{}` it is open whether `{atom}` holds", name(state.index()))
            }
            Some(Open::Edge { from, to, .. }) => {
                format!("the step from `{}` to `{}` is possible, not certain", name(from.index()), name(to.index()))
            }
            Some(Open::Hyper { from, members, .. }) => {
                format!("from `{}` one of {} states is certain, but not which", name(from.index()), members.len())
            }
            None => "the abstraction leaves it open".to_owned(),
        }
    }

    fn gave_up(&self, open: &str) -> Reason {
        let (count, all) = (self.spotlight.processes.len(), self.system.program().processes.len());
        Reason {
            what: format!(
                "with {count} of {all} processes in the spotlight and {} predicates, {open}",
                self.system.predicates().len()
            ),
            about: None,
            span: None,
            help: "begin with other processes (`--spotlight P,Q`), or add a predicate (`--predicate EXPR`)".to_owned(),
        }
    }

    /// What the answer says besides the value, however the rounds ended.
    fn conclude(&mut self) {
        self.answer.cost.solver = Some(solver_work(self.system));
        self.answer.spotlight = Some(self.named(&self.spotlight.processes));
    }
}

fn conditional(conditions: &[(Belnap, String)]) -> Reason {
    let parts: Vec<String> = conditions.iter().map(|(value, when)| format!("{value} if {when}")).collect();
    Reason {
        what: format!("the answer depends on values that no step changes: {}", parts.join(", ")),
        about: None,
        span: None,
        help: "say in `init` which of these values are meant".to_owned(),
    }
}

fn literal_refused(judge: &Judge<'_>) -> Failure {
    let (why, help) = if judge.asked.formula.logic() != Logic::Ltl {
        ("it is no linear formula", "write it in ltl, or use `--parameters on`")
    } else if !judge.may_name() {
        ("processes are treated fairly, and a run may be fair only if a branch goes both ways", "use `--parameters on`")
    } else {
        (
            "whether it holds depends on more than the present state, so a branch may have to go both ways",
            "use `--parameters on`",
        )
    };
    let message = format!("`--parameters literal` cannot decide `{}`: {why}", judge.asked.name);
    Diagnostic::error("E0350", message)
        .note("a parameter fixes the direction of a branch for the whole run")
        .note("that is sound without fairness for G, F, G F, F G, U and R over conditions on single states")
        .help(help)
        .into()
}

//! What does a step do, as terms?
//!
//! One [`StepPath`] for every way through the steps that others see as one: when it can be taken and nothing goes wrong, and what holds
//! afterwards. One [`Slip`] for everything that can go wrong on it. Together they say what the definition of a step says: guards,
//! ranks, what yields to what, inputs, uninterruptible blocks, meetings of two processes, processes that are started.

use tertium_program::{Action, Domain as Choice, Expr, Hold, Step, StepId, Type};

use super::machine::{Machine, NoTerm};
use super::rendezvous::Meeting;
use super::terms::{Sort, TermId, Terms};
use super::values::{Changes, Fine, Sight};

/// Blocks with more small steps in a row, or more ways through, are not looked at.
const LONGEST: usize = 256;

/// What can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wrong {
    /// An asserted condition does not hold.
    Assertion,
    /// Division by zero.
    Division,
    /// An index outside its array.
    Index,
    /// A value outside the type of its variable.
    Range,
    /// Anything else.
    Other,
    /// A process is started that is not listed: no mistake of the program, but of whoever lists them.
    Unlisted,
}

/// A value that is chosen when a step is taken.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Its symbol.
    pub symbol: TermId,
    /// Constants between which it lies, if it does.
    pub bounds: super::terms::Bounds,
}

/// One way to take a step.
#[derive(Clone, Debug)]
pub struct StepPath {
    /// Who takes it.
    pub pid: usize,
    /// Where from.
    pub source: usize,
    /// The small steps.
    pub steps: Vec<StepId>,
    /// The values that are chosen.
    pub inputs: Vec<Input>,
    /// It can be taken from its source, and nothing goes wrong that ends the run.
    pub taken: TermId,
    /// New values of symbols, the location among them.
    pub after: Changes,
    /// Whether it can surely be taken there; otherwise only if at all.
    pub sure: bool,
}

/// Something that goes wrong.
#[derive(Clone, Debug)]
pub struct Slip {
    /// Who does it.
    pub pid: usize,
    /// Where from.
    pub source: usize,
    /// The small step that goes wrong.
    pub step: StepId,
    /// How.
    pub wrong: Wrong,
    /// When, at its source.
    pub when: TermId,
    /// Whether it surely happens there; otherwise only if at all.
    pub exact: bool,
    /// Values that are chosen.
    pub inputs: Vec<Input>,
}

/// A way that is not at its end yet.
#[derive(Clone)]
pub(super) struct Path {
    steps: Vec<StepId>,
    pub(super) inputs: Vec<Input>,
    /// What has led here, everything fine.
    so_far: TermId,
    pub(super) changes: Changes,
    sure: bool,
}

impl Path {
    /// At the beginning; of some cells it is known what they hold there.
    pub(super) fn beginning(terms: &mut Terms, known: Changes) -> Self {
        Self { steps: Vec::new(), inputs: Vec::new(), so_far: terms.truth(true), changes: known, sure: true }
    }

    /// The same with one small step more; what that does is not said yet.
    pub(super) fn going(&self, look: &Look) -> Self {
        let mut next = self.clone();
        next.steps.push(look.step);
        next.inputs.extend(&look.inputs);
        next.sure &= look.exact;
        next
    }
}

/// Everything that a process can do from one of its locations.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    /// The ways that end well.
    pub ways: Vec<StepPath>,
    /// What can go wrong.
    pub slips: Vec<Slip>,
}

/// The ways of a process from one of its locations, while they are being looked for.
pub(super) struct Walk {
    pub(super) pid: usize,
    pub(super) source: usize,
    pub(super) found: Moves,
    /// Blocks that were begun, who holds control, and where each goes on.
    open: Vec<(usize, usize, Path)>,
}

/// What one small step looks at before it is taken.
pub(super) struct Look {
    /// Who would take it.
    pub(super) me: usize,
    pub(super) step: StepId,
    pub(super) inputs: Vec<Input>,
    /// It can be taken.
    pub(super) able: TermId,
    /// Finding that out goes wrong.
    pub(super) unclear: Fine,
    exact: bool,
    /// Whom it meets, if that is what it does.
    pub(super) meetings: Option<Vec<Meeting>>,
}

impl Machine<'_> {
    /// Everything that a process can do from one of its locations, whatever its priority is.
    ///
    /// # Errors
    /// If some of it has no term.
    pub(super) fn offered(&mut self, pid: usize, source: usize) -> Result<Moves, NoTerm> {
        self.moves_knowing(pid, source, Changes::new())
    }

    /// The same, where some cells surely hold what is `known` of them. It is right there and nowhere else.
    ///
    /// # Errors
    /// If some of it has no term.
    pub(super) fn moves_knowing(&mut self, pid: usize, source: usize, known: Changes) -> Result<Moves, NoTerm> {
        if source >= self.gone(pid) {
            return Ok(Moves::default());
        }
        let start = Path::beginning(&mut self.terms, known);
        let mut walk = Walk { pid, source, found: Moves::default(), open: vec![(pid, source, start)] };
        let walked = self.walk(&mut walk);
        self.may_wait = false;
        walked.map(|()| walk.found)
    }

    fn walk(&mut self, walk: &mut Walk) -> Result<(), NoTerm> {
        while let Some((holder, at, path)) = walk.open.pop() {
            if path.steps.len() > LONGEST || walk.open.len() + walk.found.ways.len() > LONGEST {
                return Err(NoTerm::new("a block is too long, or has too many ways through"));
            }
            self.onward(walk, (holder, at), &path)?;
        }
        Ok(())
    }

    /// All small steps from a location of whoever holds control.
    fn onward(&mut self, walk: &mut Walk, (me, at): (usize, usize), path: &Path) -> Result<(), NoTerm> {
        let process = self.program.process(self.code[me]);
        let location = &process.locations[at];
        let hold = location.hold;
        let inside = !path.steps.is_empty();
        self.may_wait = !inside;
        let mut looks = Vec::new();
        for &id in &location.steps {
            looks.push(self.look(me, id, hold, path)?);
        }
        let raw: Vec<(TermId, Vec<Input>)> = looks
            .iter()
            .map(|look| {
                let unclear = self.unclear(&look.unclear);
                (self.terms.or(look.able, unclear), look.inputs.clone())
            })
            .collect();
        let mut present: Vec<Option<TermId>> = Vec::new();
        for (at, look) in looks.into_iter().enumerate() {
            let hidden = self.hidden(at, hold, &location.steps, &raw, &present)?;
            let may = self.terms.not(hidden);
            let moves = self.terms.and(may, raw[at].0);
            // A rival with inputs is there if some values make it so, which no plain term says.
            present.push(look.inputs.is_empty().then_some(moves));
            let here = self.terms.and(path.so_far, may);
            for (kind, wrong) in [Wrong::Division, Wrong::Index, Wrong::Other].into_iter().enumerate() {
                let bad = self.terms.not(look.unclear.0[kind]);
                let when = self.terms.and(here, bad);
                let inputs = [path.inputs.as_slice(), &look.inputs].concat();
                let (pid, source, exact) = (walk.pid, walk.source, look.exact);
                self.slip(&mut walk.found, Slip { pid, source, step: look.step, wrong, when, exact, inputs });
            }
            let begun = self.terms.and(here, look.able);
            // What can never be done, such as receiving by oneself where there is no buffer, need not have terms.
            if self.terms.as_truth(begun) == Some(false) {
                continue;
            }
            // A loop that constants decide is a row of steps.
            let again = path.steps.iter().filter(|&&step| step == look.step).count() > 1;
            if again && self.terms.as_truth(look.able).is_none() {
                return Err(NoTerm::new("a block may go round"));
            }
            match &self.program.step(look.step).action {
                Action::Run { .. } => self.start(walk, path, (begun, &look))?,
                Action::Send { .. } | Action::Receive { .. } => {
                    self.meet(walk, path, (begun, &look))?;
                    self.pass(walk, path, (begun, &look))?;
                }
                _ => self.take(walk, path, (begun, &look))?,
            }
        }
        if inside {
            self.stuck(walk, (me, at), path, &raw)?;
        }
        Ok(())
    }

    pub(super) fn slip(&self, found: &mut Moves, slip: Slip) {
        if self.terms.as_truth(slip.when) != Some(false) {
            found.slips.push(slip);
        }
    }

    /// Where finding out whether a step can be taken goes wrong.
    pub(super) fn unclear(&mut self, fine: &Fine) -> TermId {
        let fine = self.terms.all(&fine.0);
        self.terms.not(fine)
    }

    /// Guard, condition of the process, inputs and channels of a small step.
    pub(super) fn look(&mut self, pid: usize, id: StepId, hold: Hold, path: &Path) -> Result<Look, NoTerm> {
        let step = self.program.step(id);
        let mut inputs = Vec::new();
        for (position, input) in step.inputs.iter().enumerate() {
            let sort = if input.domain == Choice::Type(Type::Bool) { Sort::Bool } else { Sort::Int };
            inputs.push(self.input(path.inputs.len() + position, sort));
        }
        let symbols: Vec<TermId> = inputs.iter().map(|input| input.symbol).collect();
        let changes = path.changes.clone();
        let sight = Sight { me: Some(pid), changes: &changes, inputs: &symbols };
        let (mut able, mut fine) = (self.terms.truth(true), self.always_fine());
        if let Some(provided) = self.program.process(step.process).provided
            && hold != Hold::Deterministic
        {
            let (value, below) = self.value(provided, &sight)?;
            (able, fine) = (self.as_truth(value), below);
        }
        let (guard, below) = self.value(step.guard, &sight)?;
        let guard = self.as_truth(guard);
        let below = self.fine_if(able, below);
        fine = self.both_fine(fine, below);
        let depends = self.depends(step);
        let reached = if depends { able } else { self.terms.and(able, guard) };
        able = self.terms.and(able, guard);
        for (input, at) in step.inputs.iter().zip(0..) {
            let (inside, below, bounds) = self.chosen(input.domain, symbols[at], &sight)?;
            inputs[at].bounds = bounds;
            let below = self.fine_if(reached, below);
            fine = self.both_fine(fine, below);
            able = self.terms.and(able, inside);
        }
        let (ready, below, meetings) = self.ready(pid, &step.action, &sight)?;
        let below = self.fine_if(able, below);
        fine = self.both_fine(fine, below);
        able = self.terms.and(able, ready);
        let parts = [able, fine.0[0], fine.0[1], fine.0[2]];
        able = self.terms.all(&parts);
        // If some values of the inputs make a guard go wrong, that is all that the step can do.
        let exact = !depends || fine.0.iter().all(|&part| self.terms.as_truth(part) == Some(true));
        Ok(Look { me: pid, step: id, inputs, able, unclear: fine, exact, meetings })
    }

    /// Whether the guard of a step speaks of its inputs.
    fn depends(&self, step: &Step) -> bool {
        let exprs = &self.program.exprs;
        exprs.reachable(&[step.guard]).iter().any(|&id| matches!(exprs.get(id), Expr::Input(..)))
    }

    fn input(&mut self, position: usize, sort: Sort) -> Input {
        let name = format!("?{position}{}", if sort == Sort::Bool { "b" } else { "" });
        let symbol = self.terms.hidden(&name, sort);
        Input { symbol, bounds: if sort == Sort::Bool { (Some(0), Some(1)) } else { (None, None) } }
    }

    /// Whether an input has a value of its domain, where the domain is defined, and constants around it.
    fn chosen(
        &mut self,
        domain: Choice,
        symbol: TermId,
        sight: &Sight<'_>,
    ) -> Result<(TermId, Fine, super::terms::Bounds), NoTerm> {
        let fine = self.always_fine();
        match domain {
            Choice::Type(Type::Bool) => Ok((self.terms.truth(true), fine, (Some(0), Some(1)))),
            Choice::Type(ty) => {
                let bounds = self.bounds(ty);
                Ok((self.terms.within(symbol, bounds), fine, bounds))
            }
            Choice::Range(lo, hi) => {
                let ((lo, fine_lo), (hi, fine_hi)) = (self.value(lo, sight)?, self.value(hi, sight)?);
                let (lo, hi) = (self.as_number(lo), self.as_number(hi));
                let (above, below) = (self.terms.le(lo, symbol), self.terms.le(symbol, hi));
                let bounds = (self.terms.bounds(lo).0, self.terms.bounds(hi).1);
                Ok((self.terms.and(above, below), self.both_fine(fine_lo, fine_hi), bounds))
            }
        }
    }

    /// Where a step cannot be taken because another one goes before it: of lower rank, or one that it yields to.
    fn hidden(
        &mut self,
        at: usize,
        hold: Hold,
        steps: &[StepId],
        raw: &[(TermId, Vec<Input>)],
        present: &[Option<TermId>],
    ) -> Result<TermId, NoTerm> {
        let step = self.program.step(steps[at]);
        let no = || NoTerm::new("what goes before a step cannot be written as a term");
        if hold == Hold::Deterministic && !step.inputs.is_empty() {
            return Err(no());
        }
        let mut parts = Vec::new();
        for (other, &rival) in steps.iter().enumerate() {
            let rank = self.program.step(rival).rank;
            if rank < step.rank {
                parts.push(if raw[other].1.is_empty() { raw[other].0 } else { return Err(no()) });
            } else if step.yields_to.contains(&rival)
                || (hold == Hold::Deterministic && other < at && rank == step.rank)
            {
                parts.push(present.get(other).copied().flatten().ok_or_else(no)?);
            }
        }
        Ok(self.terms.any(&parts))
    }

    /// Does the action of a small step.
    fn take(&mut self, walk: &mut Walk, path: &Path, (begun, look): (TermId, &Look)) -> Result<(), NoTerm> {
        let me = look.me;
        let step = self.program.step(look.step);
        let mut next = path.going(look);
        let symbols: Vec<TermId> = look.inputs.iter().map(|input| input.symbol).collect();
        let changes = path.changes.clone();
        let sight = Sight { me: Some(me), changes: &changes, inputs: &symbols };
        let (fine, ranges, asserted) = match &step.action {
            Action::Assign(assigns) => self.assign(assigns, &sight, &mut next.changes)?,
            Action::Assert(condition) => {
                let (value, fine) = self.value(*condition, &sight)?;
                let yes = self.terms.truth(true);
                (fine, yes, self.as_truth(value))
            }
            Action::Print { values, .. } => {
                let mut fine = self.always_fine();
                for &value in values {
                    let (_, below) = self.value(value, &sight)?;
                    fine = self.both_fine(fine, below);
                }
                let yes = self.terms.truth(true);
                (fine, yes, yes)
            }
            Action::End => {
                self.leave(me, &mut next.changes)?;
                let yes = self.terms.truth(true);
                (self.always_fine(), yes, yes)
            }
            Action::Run { .. } | Action::Send { .. } | Action::Receive { .. } => return Ok(()),
            Action::SetPriority { .. } | Action::Together { .. } => {
                return Err(NoTerm::new(
                    "a step sets priorities, or is one of several processes that were taken apart",
                ));
            }
        };
        let holder = self.moved(me, look.step, &mut next.changes);
        self.conclude(walk, (look, begun), next, (fine, ranges, asserted), holder);
        Ok(())
    }

    /// Ends a small step: either whoever holds control goes on, or others see what was done.
    pub(super) fn conclude(
        &mut self,
        walk: &mut Walk,
        (look, begun): (&Look, TermId),
        mut next: Path,
        done: (Fine, TermId, TermId),
        holder: Option<(usize, usize)>,
    ) {
        let inputs = next.inputs.clone();
        next.so_far = self.mistakes(walk, (look, begun), &inputs, done, 5);
        if self.terms.as_truth(next.so_far) == Some(false) {
            return;
        }
        match holder {
            None => walk.found.ways.push(finished(walk.pid, walk.source, next)),
            Some((who, at)) => walk.open.push((who, at, next)),
        }
    }

    /// Whoever holds control and cannot go on: inside `atomic` of Promela others go on, inside a deterministic block that is a
    /// mistake, and an indivisible block has no such way.
    fn stuck(
        &mut self,
        walk: &mut Walk,
        (me, at): (usize, usize),
        path: &Path,
        some: &[(TermId, Vec<Input>)],
    ) -> Result<(), NoTerm> {
        let (pid, source) = (walk.pid, walk.source);
        let hold = self.program.process(self.code[me]).locations[at].hold;
        if hold == Hold::Indivisible {
            return Ok(());
        }
        let mut none = vec![path.so_far];
        for (moves, inputs) in some {
            none.push(self.never(inputs, *moves));
        }
        let stuck = self.terms.all(&none);
        if self.terms.as_truth(stuck) == Some(false) {
            return Ok(());
        }
        if hold == Hold::Deterministic {
            let step = path.steps[path.steps.len() - 1];
            let inputs = path.inputs.clone();
            let slip = Slip { pid, source, step, wrong: Wrong::Other, when: stuck, exact: true, inputs };
            self.slip(&mut walk.found, slip);
        } else {
            walk.found.ways.push(finished(pid, source, Path { so_far: stuck, ..path.clone() }));
        }
        Ok(())
    }
}

fn finished(pid: usize, source: usize, path: Path) -> StepPath {
    StepPath {
        pid,
        source,
        steps: path.steps,
        inputs: path.inputs,
        taken: path.so_far,
        after: path.changes,
        sure: path.sure,
    }
}

//! Encoding: a program as a transition relation, and its set of reachable states.

use tertium_base::narrow::to_i64;
use tertium_base::{Budget, StopReason, Stopped};
use tertium_dd::{Diagrams, Limits, RelationPart, Set, TransitionRelation};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{ExprId, LocationId, Mistake, Program, Semantics, State, Type};

use crate::EncodingError;
use crate::bit_vector::BitVector;
use crate::cells::Cells;
use crate::evaluation::{Evaluation, SymbolicState, SymbolicValue, beginning};
use crate::instantiated::{InstanceFacts, InstantiatedProgram};
use crate::news::{EncodingNews, NearStates};
use crate::relation::{ProgramSteps, program_steps};
use crate::size::EncodingSize;
use crate::variable_order::{VariableOrder, is_synchronous};

/// Every variable order is tried with so many nodes before any of them gets more.
pub(crate) const ROUNDS: [usize; 3] = [1 << 17, 1 << 20, 1 << 23];

/// States near the initial ones are looked at before many nodes are spent, as long as the set of them has no more nodes than this.
const NEAR_NODES: usize = 1 << 14;

/// A program's states and steps as sets.
#[derive(Debug)]
pub struct Encoding<'p> {
    /// The definition of a step.
    pub semantics: Semantics<'p>,
    cells: Cells,
    diagrams: Diagrams,
    start: SymbolicState,
    steps: ProgramSteps,
    /// The initial states.
    pub init: Set,
    /// Everything that can be reached.
    pub reached: Set,
    /// Where all processes are at an end.
    ended: Set,
    pub(crate) order: VariableOrder,
    special: InstanceFacts<'p>,
}

/// The variable orders that are tried.
pub(crate) fn orders(program: &Program, special: InstanceFacts<'_>) -> &'static [VariableOrder] {
    match (special.is_apart(), is_synchronous(program)) {
        (true, _) => &VariableOrder::APART,
        (false, true) => &VariableOrder::SYNCHRONOUS,
        (false, false) => &VariableOrder::ALL,
    }
}

pub(crate) fn fit(program: &Program) -> Result<(), EncodingError> {
    let obstacles = [
        (!program.is_static(), "its processes are not fixed"),
        (!program.channels.is_empty(), "it has channels"),
        (program.priorities, "it has priorities"),
        (program.trace.is_some(), "it has a trace automaton"),
        (program.last.is_some() && program.stepped.is_empty(), "it asks who stepped last"),
    ];
    match obstacles.iter().find(|(found, _)| *found) {
        Some((_, why)) => Err(EncodingError::unfit(*why)),
        None => Ok(()),
    }
}

impl<'p> Encoding<'p> {
    /// Encodes a program and finds what it can reach. `report` is told what is being done.
    ///
    /// The variable order is not known to be good beforehand: each is tried with few nodes, then with more, before the first one
    /// gets all of them.
    ///
    /// # Errors
    /// If the program is not one of those that are encoded, or a limit is reached.
    pub fn new(program: &'p Program, budget: &Budget, report: &mut dyn FnMut(String)) -> Result<Self, EncodingError> {
        Self::made((program, InstanceFacts::default()), budget, &mut EncodingNews::phases(report), None)
    }

    /// The same for a program whose processes come and go, or that has channels, once it is taken apart.
    ///
    /// # Errors
    /// As above.
    pub fn of(
        subject: &'p InstantiatedProgram<'_>,
        budget: &Budget,
        report: &mut dyn FnMut(String),
    ) -> Result<Self, EncodingError> {
        Self::made((subject.program(), subject.special()), budget, &mut EncodingNews::phases(report), None)
    }

    /// The same. Unless few nodes suffice for all states, `near` first sees an encoding in which [`Encoding::reached`] holds those within
    /// some depth only, with this depth: what is wrong there is found whatever becomes of the rest.
    ///
    /// # Errors
    /// As above, or those of `near`.
    pub fn of_telling(
        subject: &'p InstantiatedProgram<'_>,
        budget: &Budget,
        news: &mut EncodingNews<'_>,
        near: &mut NearStates<'_, 'p>,
    ) -> Result<Self, EncodingError> {
        Self::made((subject.program(), subject.special()), budget, news, Some(near))
    }

    fn made(
        (program, special): (&'p Program, InstanceFacts<'p>),
        budget: &Budget,
        news: &mut EncodingNews<'_>,
        mut near: Option<&mut NearStates<'_, 'p>>,
    ) -> Result<Self, EncodingError> {
        fit(program)?;
        let mut orders = orders(program, special).to_vec();
        let all = Limits::for_unlisted(budget);
        for nodes in ROUNDS.into_iter().filter(|&nodes| nodes <= all.nodes / 4) {
            let part = Limits::trial(nodes, all.cache.min(2 * nodes));
            for order in &orders {
                match Self::with_order((program, special), order, part, budget, news) {
                    Err(EncodingError::Stopped(Stopped(StopReason::Memory))) => {
                        budget.check()?;
                        (news.phase)(format!("another variable order: {nodes} nodes did not suffice"));
                    }
                    made => return made?.or_in_next_order((program, special), (part, &orders), budget, news),
                }
            }
            if let Some(near) = near.take() {
                Self::look_near((program, special), part, budget, news, near)?;
            }
            if let Some(made) = Self::reordered((program, special), &mut orders, part, budget, news)? {
                return Ok(made);
            }
        }
        if let Some(near) = near.take() {
            Self::look_near((program, special), Limits::trial(all.nodes, all.cache), budget, news, near)?;
        }
        Self::with_order((program, special), &orders[0], all, budget, news)
    }

    /// Shows states within some depth, if not even the steps need too many nodes.
    fn look_near(
        (program, special): (&'p Program, InstanceFacts<'p>),
        limits: Limits,
        budget: &Budget,
        news: &mut EncodingNews<'_>,
        near: &mut NearStates<'_, 'p>,
    ) -> Result<(), EncodingError> {
        let order = &orders(program, special)[0];
        match Self::near_states((program, special), order, usize::MAX, limits, budget, news) {
            Ok((encoding, depth)) => near(&encoding, depth),
            Err(EncodingError::Stopped(Stopped(StopReason::Memory))) => Ok(budget.check()?),
            Err(why) => Err(why),
        }
    }

    /// The same with eight times as many nodes, or all that the budget allows; none if it has them already.
    ///
    /// # Errors
    /// If a limit is reached all the same.
    pub fn enlarged(&self, budget: &Budget, report: &mut dyn FnMut(String)) -> Result<Option<Self>, EncodingError> {
        let (all, now) = (Limits::for_unlisted(budget), self.diagrams.limits().nodes);
        if now >= all.nodes / 2 {
            return Ok(None);
        }
        let nodes = now.saturating_mul(8);
        let more = if nodes < all.nodes / 2 { Limits::trial(nodes, all.cache.min(2 * nodes)) } else { all };
        let news = &mut EncodingNews::phases(report);
        Self::with_order((self.program(), self.special), &self.order, more, budget, news).map(Some)
    }

    pub(crate) fn with_order(
        (program, special): (&'p Program, InstanceFacts<'p>),
        order: &VariableOrder,
        limits: Limits,
        budget: &Budget,
        news: &mut EncodingNews<'_>,
    ) -> Result<Self, EncodingError> {
        let mut encoding = Self::beginning((program, special), order, limits, budget, news)?;
        (news.phase)(format!(
            "computing the reachable states, transition relation of {} nodes",
            encoding.relation().nodes()
        ));
        encoding.reached = encoding.all_reached(order, news)?;
        encoding.diagrams.lift_effort_limit();
        encoding.must_have_no_stray_values()?;
        Ok(encoding)
    }

    /// An encoding in which [`Encoding::reached`] holds the states within this depth only, or within a smaller one beyond which the set of them becomes
    /// large; with the depth.
    ///
    /// # Errors
    /// If the program is not one of those that are encoded, or a limit is reached.
    pub fn within_depth(program: &'p Program, deepest: usize, budget: &Budget) -> Result<(Self, usize), EncodingError> {
        let mut quiet = |_| {};
        let news = &mut EncodingNews::phases(&mut quiet);
        let few = Limits::new(ROUNDS[1], ROUNDS[0]);
        let special = InstanceFacts::default();
        Self::near_states((program, special), &orders(program, special)[0], deepest, few, budget, news)
    }

    /// The same, by breadth-first search over sets.
    pub(crate) fn near_states(
        (program, special): (&'p Program, InstanceFacts<'p>),
        order: &VariableOrder,
        deepest: usize,
        limits: Limits,
        budget: &Budget,
        news: &mut EncodingNews<'_>,
    ) -> Result<(Self, usize), EncodingError> {
        let mut encoding = Self::beginning((program, special), order, limits, budget, news)?;
        let (relation, mut frontier, mut depth) = (encoding.relation(), encoding.init.clone(), 0);
        while depth < deepest && !frontier.is_empty() && encoding.reached.nodes() <= NEAR_NODES {
            let layer = relation.image(&frontier).and_then(|next| next.minus(&encoding.reached));
            match layer.and_then(|layer| Ok((encoding.reached.or(&layer)?, layer))) {
                Ok((reached, layer)) => (encoding.reached, frontier, depth) = (reached, layer, depth + 1),
                Err(Stopped(StopReason::Memory)) => break,
                Err(stopped) => return Err(stopped.into()),
            }
            (news.phase)(format!("computing the states within depth {depth}"));
        }
        encoding.diagrams.lift_effort_limit();
        encoding.must_have_no_stray_values()?;
        Ok((encoding, depth))
    }

    /// The initial states and steps; nothing else is known to be reached.
    fn beginning(
        (program, special): (&'p Program, InstanceFacts<'p>),
        order: &VariableOrder,
        limits: Limits,
        budget: &Budget,
        news: &mut EncodingNews<'_>,
    ) -> Result<Self, EncodingError> {
        let semantics = Semantics::new(program);
        let cells = Cells::new(&semantics, special, order)?;
        let order = order.clone();
        (news.phase)(format!("encoding the program in {} bits", cells.state_bits().len()));
        let diagrams = Diagrams::new(cells.bits, limits, budget)?;
        diagrams.show(&news.gauge);
        let start = beginning(&cells, &diagrams)?;
        let steps = program_steps(&semantics, special, &cells, &diagrams)?;
        let init = initial(&semantics, &cells, &diagrams, &start)?;
        let ended = ended(&semantics, special, &diagrams, &start)?;
        let reached = init.clone();
        Ok(Self { semantics, cells, diagrams, start, steps, init, reached, ended, order, special })
    }

    /// Whoever holds a channel's number holds one of a channel that there is, and bounds that were found hold.
    fn must_have_no_stray_values(&self) -> Result<(), EncodingError> {
        for (&var, states) in &self.steps.foreign {
            if !states.and(&self.reached)?.is_empty() {
                let name = self.program().show_variable(var);
                return Err(EncodingError::unfit(match self.program().variable(var).ty {
                    Type::Channel => format!("`{name}` may hold a number that is no channel's"),
                    _ => format!("`{name}` leaves the bounds that were found for it"),
                }));
            }
        }
        Ok(())
    }

    /// The states in which processes are at places where they may rest, and variables with many values have those that they can
    /// have there: steps from others are left out. All states that can be reached are among them.
    pub fn plausible(&self) -> Result<Set, EncodingError> {
        let (program, layout) = (self.program(), self.semantics.layout());
        let mut all = self.diagrams.full();
        for (pid, instance) in program.instances.iter().enumerate() {
            let SymbolicValue::Number(place) = &self.start.slots[layout.initial_frames()[pid] + FRAME_LOCATION] else {
                continue;
            };
            let (mut some, mut matters) = (self.diagrams.empty(), false);
            for at in (0..program.process(instance.process).locations.len()).map(LocationId::new) {
                let Some(known) = self.special.at(program, instance.process, at) else {
                    matters = true;
                    continue;
                };
                let mut here =
                    place.equals(&BitVector::constant(&self.diagrams, to_i64(at.index())), &self.diagrams)?;
                for (var, values) in known {
                    let slot = layout.fixed_slot(program, var);
                    let Some(SymbolicValue::Number(number)) = slot.map(|slot| &self.start.slots[slot]) else {
                        continue;
                    };
                    let mut fits = self.diagrams.empty();
                    for &value in values {
                        fits = fits.or(&number.equals(&BitVector::constant(&self.diagrams, value), &self.diagrams)?)?;
                    }
                    here = here.and(&fits)?;
                    matters = true;
                }
                some = some.or(&here)?;
            }
            if matters {
                all = all.and(&some)?;
            }
        }
        Ok(all)
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.semantics.program()
    }

    /// The store of the diagrams.
    #[must_use]
    pub fn diagrams(&self) -> &Diagrams {
        &self.diagrams
    }

    /// All steps.
    #[must_use]
    pub fn relation(&self) -> TransitionRelation {
        TransitionRelation {
            parts: self.steps.processes.iter().flat_map(|process| process.parts.iter().cloned()).collect(),
        }
    }

    /// The state with these values of the bits.
    #[must_use]
    pub fn state(&self, row: &[bool]) -> State {
        self.cells.state(row)
    }

    /// How large the encoding is.
    #[must_use]
    pub fn figures(&self) -> EncodingSize {
        // A state's bits are every second one; the set says nothing about the others.
        let bits = self.cells.state_bits().len();
        let log2 = self.reached.log2_count(bits);
        let peak_nodes = self.diagrams.peak();
        EncodingSize {
            log10_states: log2.map(|log2| log2 * std::f64::consts::LOG10_2),
            states: self.reached.count(bits),
            bits,
            peak_nodes,
            bytes: self.diagrams.bytes(),
            relation_nodes: self.relation().nodes(),
            reached_nodes: self.reached.nodes(),
        }
    }

    /// The reachable states in which a step goes wrong in this way or, for deadlocks, in which there is none although not all
    /// processes are at an end.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn mistaken(&self, mistake: Mistake) -> Result<Set, Stopped> {
        self.possibly(mistake)?.and(&self.reached)
    }

    /// The same of all states, whether they can be reached or not.
    pub fn possibly(&self, mistake: Mistake) -> Result<Set, Stopped> {
        match mistake {
            Mistake::Deadlock | Mistake::EndState => self.steps.stuck.minus(&self.ended),
            other => Ok(self.steps.wrong.get(&other).cloned().unwrap_or_else(|| self.diagrams.empty())),
        }
    }

    /// The values of all places at the beginning of a step.
    pub(crate) fn start(&self) -> &SymbolicState {
        &self.start
    }

    /// The places of a state.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// The cells that say where processes are.
    pub fn locations(&self) -> Vec<usize> {
        let frames = self.semantics.layout().initial_frames();
        frames.iter().filter_map(|frame| self.cells.of_slot[frame + FRAME_LOCATION]).collect()
    }

    /// The rows in which these cells have values of their types.
    pub fn typed(&self, cells: &[usize]) -> Result<Set, EncodingError> {
        let mut typed = self.diagrams.full();
        for cell in cells.iter().rev().map(|&at| &self.cells.cells[at]) {
            if let SymbolicValue::Number(number) = &self.start.slots[cell.slot] {
                typed = typed.and(&number.within(cell.lo, cell.hi, &self.diagrams)?)?;
            }
        }
        Ok(typed)
    }

    /// The reachable states without a successor.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn dead(&self) -> Result<Set, Stopped> {
        let mut dead = self.reached.clone();
        for process in &self.steps.processes {
            dead = dead.minus(&process.enabled)?;
        }
        Ok(dead)
    }

    /// The states in which a process has a step that does not go wrong.
    #[must_use]
    pub fn enabled(&self, pid: u32) -> &Set {
        &self.steps.processes[pid as usize].enabled
    }

    /// Where a condition holds and where it has no value; a state may be in both.
    ///
    /// # Errors
    /// If it is not one of those that are encoded, or a limit is reached.
    pub fn condition(&self, expr: ExprId) -> Result<(Set, Set), EncodingError> {
        // Outside what can be reached nobody asks; there the value is whatever makes it small.
        let deadlock = self.steps.stuck.minus(&self.ended)?;
        let mut evaluation = Evaluation::new(&self.semantics, &self.diagrams, &self.start);
        evaluation.deadlock = Some(&deadlock);
        let (holds, wrong) = evaluation.truth(expr)?;
        Ok((holds, wrong.any()?))
    }

    /// The steps of one process.
    #[must_use]
    pub fn steps_of(&self, pid: u32) -> &[RelationPart] {
        &self.steps.processes[pid as usize].parts
    }
}

/// The initial states.
fn initial(
    semantics: &Semantics<'_>,
    cells: &Cells,
    diagrams: &Diagrams,
    start: &SymbolicState,
) -> Result<Set, EncodingError> {
    let mut init = diagrams.full();
    for cell in cells.cells.iter().rev() {
        let value = &start.slots[cell.slot];
        let allowed = match (value, cell.open) {
            (SymbolicValue::Truth(_), true) => diagrams.full(),
            (SymbolicValue::Truth(set), false) => {
                if cells.first[cell.slot] != 0 {
                    set.clone()
                } else {
                    set.not()
                }
            }
            (SymbolicValue::Number(number), true) => number.within(cell.lo, cell.hi, diagrams)?,
            (SymbolicValue::Number(number), false) => {
                number.equals(&BitVector::constant(diagrams, cells.first[cell.slot]), diagrams)?
            }
        };
        init = init.and(&allowed)?;
    }
    if let Some(condition) = semantics.program().init {
        let (holds, wrong) = Evaluation::new(semantics, diagrams, start).truth(condition)?;
        if !wrong.any()?.and(&init)?.is_empty() {
            return Err(EncodingError::unfit("`init` cannot be evaluated for every candidate"));
        }
        init = init.and(&holds)?;
    }
    Ok(init)
}

/// Where every process may rest, and whoever watches events, unless no process is left.
fn ended(
    semantics: &Semantics<'_>,
    special: InstanceFacts<'_>,
    diagrams: &Diagrams,
    start: &SymbolicState,
) -> Result<Set, EncodingError> {
    let program = semantics.program();
    let (mut all, mut nobody) = (diagrams.full(), diagrams.full());
    for (pid, instance) in program.instances.iter().enumerate() {
        let slot = semantics.layout().initial_frames()[pid] + FRAME_LOCATION;
        let SymbolicValue::Number(at) = &start.slots[slot] else { continue };
        let mut rests = diagrams.empty();
        for (number, location) in program.process(instance.process).locations.iter().enumerate() {
            if location.end {
                rests = rests.or(&at.equals(&BitVector::constant(diagrams, to_i64(number)), diagrams)?)?;
            }
        }
        all = all.and(&rests)?;
        // A copy that is not there is at its last location.
        let gone = BitVector::constant(diagrams, to_i64(program.process(instance.process).locations.len()) - 1);
        nobody = nobody.and(&at.equals(&gone, diagrams)?)?;
    }
    let Some((watcher, values)) = special.resting else { return Ok(all) };
    let slot = semantics.layout().fixed_slot(program, watcher);
    let Some(SymbolicValue::Number(at)) = slot.map(|slot| &start.slots[slot]) else { return Ok(all) };
    let mut rests = nobody;
    for &value in values {
        rests = rests.or(&at.equals(&BitVector::constant(diagrams, value), diagrams)?)?;
    }
    Ok(all.and(&rests)?)
}

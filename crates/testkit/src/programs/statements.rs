//! What a process can do next, straight from the tree.
//!
//! Control is the list of work that remains. Where a process rests is told by the first piece of that list, because the
//! rest follows from where it stands in the text.

use std::collections::BTreeMap;

use tertium_gcl::ast::{Assignment, Block, Expr, ProcessDecl, Source, Stmt, StmtKind};

use super::expressions::{Machine, View};

/// A piece of work that remains.
#[derive(Clone, Copy, Debug)]
pub(super) enum PendingStatement<'a> {
    /// A statement; of an `if`, from this test on.
    Do(&'a Stmt, usize),
    /// The end of an `atomic` block.
    Leave,
}

/// What a process rests at: the address of a statement and the test of an `if`; `None` at its end.
pub(super) type Head = Option<(usize, usize)>;

/// Values after a step, and the work that remains; or a fault.
pub(super) type Result1<'a> = Result<(Vec<i64>, Vec<PendingStatement<'a>>), &'static str>;

fn head(work: &[PendingStatement<'_>]) -> Head {
    match work.first() {
        Some(PendingStatement::Do(statement, test)) => Some((std::ptr::from_ref::<Stmt>(statement) as usize, *test)),
        _ => None,
    }
}

/// The statements of a process with what follows each of them.
#[derive(Debug)]
pub(super) struct Code<'a> {
    work: BTreeMap<(usize, usize), Vec<PendingStatement<'a>>>,
    labels: BTreeMap<&'a str, Vec<PendingStatement<'a>>>,
    start: Vec<PendingStatement<'a>>,
}

impl<'a> Code<'a> {
    pub fn new(decl: &'a ProcessDecl) -> Self {
        let mut code = Self { work: BTreeMap::new(), labels: BTreeMap::new(), start: Vec::new() };
        code.start = code.enter(&decl.body, &[]);
        code
    }

    /// Notes every statement of a block with what follows it; returns the work of the whole block.
    fn enter(&mut self, block: &'a Block, after: &[PendingStatement<'a>]) -> Vec<PendingStatement<'a>> {
        let mut rest = after.to_vec();
        for statement in block.iter().rev() {
            let mut here = vec![PendingStatement::Do(statement, 0)];
            here.extend(&rest);
            for label in &statement.labels {
                self.labels.insert(&label.name, here.clone());
            }
            let tests = if let StmtKind::If(branches, _) = &statement.kind { branches.len() } else { 1 };
            for test in 0..tests {
                let mut work = here.clone();
                work[0] = PendingStatement::Do(statement, test);
                self.work.insert(head(&work).expect("a statement"), work);
            }
            match &statement.kind {
                StmtKind::If(branches, otherwise) => {
                    branches.iter().map(|(_, block)| block).chain(otherwise).for_each(|block| {
                        self.enter(block, &rest);
                    });
                }
                StmtKind::While(_, block) | StmtKind::Loop(block) => {
                    self.enter(block, &here);
                }
                StmtKind::Choose(blocks) => blocks.iter().for_each(|block| {
                    self.enter(block, &rest);
                }),
                StmtKind::Atomic(block) => {
                    self.enter(block, &[&[PendingStatement::Leave], rest.as_slice()].concat());
                }
                _ => {}
            }
            rest = here;
        }
        rest
    }

    /// Unfolds what is no step of its own.
    fn settle(&self, mut work: Vec<PendingStatement<'a>>) -> Vec<PendingStatement<'a>> {
        loop {
            let Some(first) = work.first().copied() else { return work };
            let PendingStatement::Do(statement, _) = first else {
                work.remove(0);
                continue;
            };
            work = match &statement.kind {
                StmtKind::Goto(label) => self.labels[label.name.as_str()].clone(),
                StmtKind::Loop(body) => before(body, &work),
                StmtKind::Choose(blocks) if blocks.len() == 1 => before(&blocks[0], &work[1..]),
                _ => return work,
            };
        }
    }

    pub fn initial(&self) -> Head {
        head(&self.settle(self.start.clone()))
    }

    pub fn rest_at(&self, work: Vec<PendingStatement<'a>>) -> Head {
        head(&self.settle(work))
    }

    /// Everything control stands before when it rests at `at`: a `choose` stands before each of its branches.
    fn standing_before(&self, at: &Head) -> Vec<Vec<PendingStatement<'a>>> {
        let mut found: Vec<Vec<PendingStatement<'a>>> = Vec::new();
        let mut open = vec![at.map_or(Vec::new(), |key| self.work[&key].clone())];
        while let Some(work) = open.pop() {
            let work = self.settle(work);
            if found.iter().any(|known| head(known) == head(&work)) {
                continue;
            }
            if let Some(PendingStatement::Do(statement, _)) = work.first() {
                match &statement.kind {
                    StmtKind::Choose(blocks) => {
                        open.extend(blocks.iter().rev().map(|block| before(block, &work[1..])));
                    }
                    StmtKind::Atomic(block) if !block.is_empty() => open.push(inside(block, &work[1..])),
                    _ => {}
                }
            }
            found.push(work);
        }
        found
    }

    pub fn is_at(&self, at: &Head, label: &str) -> bool {
        let labelled = head(&self.settle(self.labels[label].clone()));
        self.standing_before(at).iter().any(|work| head(work) == labelled)
    }

    /// Whether control silently reaches the end.
    pub fn is_at_end(&self, at: &Head) -> bool {
        self.standing_before(at).iter().any(Vec::is_empty)
    }
}

fn before<'a>(block: &'a Block, after: &[PendingStatement<'a>]) -> Vec<PendingStatement<'a>> {
    block.iter().map(|statement| PendingStatement::Do(statement, 0)).chain(after.iter().copied()).collect()
}

fn inside<'a>(block: &'a Block, after: &[PendingStatement<'a>]) -> Vec<PendingStatement<'a>> {
    before(block, &[&[PendingStatement::Leave], after].concat())
}

impl<'a> Machine<'a> {
    /// All ways in which a process can step.
    pub fn steps(&self, process: usize, at: &Head, view: &View<'_>) -> Vec<Result1<'a>> {
        let code = &self.processes[process].code;
        let mut results = Vec::new();
        for work in at.iter().flat_map(|_| code.standing_before(at)) {
            // What an `atomic` stands before is executed by the `atomic` itself.
            if !work.iter().any(|piece| matches!(piece, PendingStatement::Leave)) {
                results.extend(self.step(process, &work, view));
            }
        }
        results
    }

    /// All ways to execute the first piece of work.
    fn step(&self, process: usize, work: &[PendingStatement<'a>], view: &View<'_>) -> Vec<Result1<'a>> {
        let Some(PendingStatement::Do(statement, test)) = work.first() else { return Vec::new() };
        let rest = &work[1..];
        let same = |work: Vec<PendingStatement<'a>>| vec![Ok((view.values.to_vec(), work))];
        match &statement.kind {
            StmtKind::Skip => same(rest.to_vec()),
            StmtKind::Stop => same(Vec::new()),
            StmtKind::Assign(assignment) => self.assign(assignment, rest, view),
            StmtKind::Await(condition) => self.when(condition, view, || same(rest.to_vec())),
            StmtKind::When(condition, None) => self.when(condition, view, || same(rest.to_vec())),
            StmtKind::When(condition, Some(assignment)) => {
                self.when(condition, view, || self.assign(assignment, rest, view))
            }
            StmtKind::Assert(condition) => match self.holds(condition, view) {
                Ok(true) => same(rest.to_vec()),
                Ok(false) => vec![Err("assertion")],
                Err(fault) => vec![Err(fault)],
            },
            StmtKind::While(condition, body) => match self.holds(condition, view) {
                Ok(true) => same(before(body, work)),
                Ok(false) => same(rest.to_vec()),
                // The test and its negation are two steps, and both fail.
                Err(fault) => vec![Err(fault), Err(fault)],
            },
            StmtKind::If(branches, otherwise) => {
                let (condition, block) = &branches[*test];
                match self.holds(condition, view) {
                    Ok(true) => same(before(block, rest)),
                    Ok(false) if *test + 1 < branches.len() => {
                        same([&[PendingStatement::Do(statement, test + 1)], rest].concat())
                    }
                    Ok(false) => same(otherwise.as_ref().map_or_else(|| rest.to_vec(), |block| before(block, rest))),
                    Err(fault) => vec![Err(fault), Err(fault)],
                }
            }
            StmtKind::Sugar(_) => panic!("`for`, procedures and channels are not brute-forced"),
            StmtKind::Atomic(block) if block.is_empty() => same(rest.to_vec()),
            StmtKind::Atomic(block) => self.atomic(process, inside(block, rest), view),
            StmtKind::Loop(_) | StmtKind::Choose(_) | StmtKind::Goto(_) => Vec::new(),
        }
    }

    fn when(&self, condition: &Expr, view: &View<'_>, then: impl FnOnce() -> Vec<Result1<'a>>) -> Vec<Result1<'a>> {
        match self.holds(condition, view) {
            Ok(true) => then(),
            Ok(false) => Vec::new(),
            Err(fault) => vec![Err(fault)],
        }
    }

    /// Every way through the block that does not get stuck.
    fn atomic(&self, process: usize, work: Vec<PendingStatement<'a>>, view: &View<'_>) -> Vec<Result1<'a>> {
        let code = &self.processes[process].code;
        let mut results = Vec::new();
        let mut open = vec![(view.values.to_vec(), work)];
        while let Some((values, work)) = open.pop() {
            let view = View { values: &values, ..*view };
            let mut alternatives = vec![code.settle(work)];
            if let Some(PendingStatement::Do(statement, _)) = alternatives[0].first()
                && let StmtKind::Choose(blocks) = &statement.kind
            {
                alternatives = code.branches(blocks, &alternatives[0][1..]);
            }
            for work in alternatives {
                for result in self.step(process, &work, &view) {
                    match result {
                        Ok((values, work)) => {
                            let work = code.settle(work);
                            if work.iter().any(|piece| matches!(piece, PendingStatement::Leave)) {
                                open.push((values, work));
                            } else {
                                results.push(Ok((values, work)));
                            }
                        }
                        Err(fault) => results.push(Err(fault)),
                    }
                }
            }
        }
        results
    }

    fn assign(&self, assignment: &Assignment, rest: &[PendingStatement<'a>], view: &View<'_>) -> Vec<Result1<'a>> {
        let inputs = match self.inputs(assignment, view) {
            Ok(inputs) => inputs,
            Err(fault) => return vec![Err(fault)],
        };
        let write = |inputs: &[i64]| -> Result1<'a> {
            let mut values = view.values.to_vec();
            let mut inputs = inputs.iter();
            for (target, source) in assignment.targets.iter().zip(&assignment.sources) {
                let variable = self.variable(&target.name.name, view.me).expect("a declared variable");
                let slot = self.slot(variable, &target.indices, view)?;
                let value = match source {
                    Source::Value(expr) => self.value(expr, view)?,
                    Source::Any(_) | Source::Within(..) => *inputs.next().expect("one input each"),
                };
                if value < variable.domain.0 || value > variable.domain.1 {
                    return Err("range-overflow");
                }
                values[slot] = value;
            }
            Ok((values, rest.to_vec()))
        };
        inputs.iter().map(|inputs| write(inputs)).collect()
    }

    fn inputs(&self, assignment: &Assignment, view: &View<'_>) -> Result<Vec<Vec<i64>>, &'static str> {
        let mut rows = vec![Vec::new()];
        for (target, source) in assignment.targets.iter().zip(&assignment.sources) {
            let (lo, hi) = match source {
                Source::Value(_) => continue,
                Source::Any(_) => self.variable(&target.name.name, view.me).expect("a declared variable").domain,
                Source::Within(range, _) => (self.value(&range.lo, view)?, self.value(&range.hi, view)?),
            };
            if (lo, hi) == (i64::MIN, i64::MAX) || hi == i64::MAX {
                return Err("unbounded-input");
            }
            rows = rows
                .iter()
                .flat_map(|row: &Vec<i64>| (lo..=hi).map(move |value| [row.as_slice(), &[value]].concat()))
                .collect();
        }
        Ok(rows)
    }
}

impl<'a> Code<'a> {
    /// What a `choose` inside `atomic` stands before.
    fn branches(&self, blocks: &'a [Block], after: &[PendingStatement<'a>]) -> Vec<Vec<PendingStatement<'a>>> {
        let mut found: Vec<Vec<PendingStatement<'a>>> = Vec::new();
        let mut open: Vec<Vec<PendingStatement<'a>>> = blocks.iter().rev().map(|block| before(block, after)).collect();
        while let Some(work) = open.pop() {
            let work = self.settle(work);
            if let Some(PendingStatement::Do(statement, _)) = work.first()
                && let StmtKind::Choose(blocks) = &statement.kind
            {
                open.extend(blocks.iter().rev().map(|block| before(block, &work[1..])));
            } else if !found.iter().any(|known| head(known) == head(&work)) {
                found.push(work);
            }
        }
        found
    }
}

//! Z3 in process.
//!
//! Every term is handed over once; levels of assertions are Z3's own. A failure inside the bindings is caught and becomes
//! [`Reply::GaveUp`]; the solver is then built afresh from what was asserted. Every call gets what is left of time and memory.

use std::time::Duration;

use tertium_base::{Budget, StopReason, Stopped, panics};
use z3::ast::{Array, Ast, BV, Bool, Dynamic, Int, forall_const};
use z3::{FuncDecl, Model, Params, SatResult, Sort as Z3Sort};

use crate::eval::Value;
use crate::library::{self, Call};
use crate::loading;
use crate::solver::{Limit, Reply, Solver, SolverError};
use crate::term::{BitOp, Sort, Term, TermId, Terms};

/// Z3 with a stack of assertions.
#[derive(Debug)]
pub struct Z3 {
    solver: z3::Solver,
    /// By term.
    made: Vec<Option<Dynamic>>,
    /// By function.
    functions: Vec<Option<FuncDecl>>,
    /// What is asserted, level by level, side conditions included.
    levels: Vec<Vec<TermId>>,
    limit: Limit,
    budget: Budget,
    /// What the library was told last.
    told: Limit,
    /// Whether the last question was given up for want of memory.
    out_of_memory: bool,
    model: Option<Model>,
    /// The marks of the assumptions of the last check, whose level is still open so that its model and its core can be had.
    assumed: Option<Vec<Bool>>,
    /// The lowest level with an assertion that could not be handed over.
    lost: Option<usize>,
}

impl Z3 {
    /// A solver without assertions.
    ///
    /// # Errors
    /// If there is no library, or one of another version than the bindings, whose numbers then mean something else.
    pub fn new() -> Result<Self, SolverError> {
        loading::load()?;
        let solver = panics::quietly(z3::Solver::new).ok_or(SolverError::Memory)?;
        Ok(Self {
            solver,
            made: Vec::new(),
            functions: Vec::new(),
            levels: vec![Vec::new()],
            limit: Limit { work: None, time: None },
            budget: Budget::unlimited(),
            told: Limit { work: None, time: None },
            out_of_memory: false,
            model: None,
            assumed: None,
            lost: None,
        })
    }

    fn guarded<T>(&mut self, terms: &mut Terms, work: impl FnOnce(&mut Self, &mut Terms) -> Option<T>) -> Option<T> {
        let done = panics::quietly(|| {
            let _call = Call::begin(&self.budget);
            work(self, terms)
        });
        if done.is_none() {
            library::failed();
            self.rebuild(terms);
        }
        done.flatten()
    }

    /// Starts again with the same assertions. What cannot be asserted stays away, and every later check gives up.
    fn rebuild(&mut self, terms: &mut Terms) {
        let levels = std::mem::take(&mut self.levels);
        (self.made, self.functions) = (Vec::new(), Vec::new());
        (self.model, self.assumed) = (None, None);
        match panics::quietly(z3::Solver::new) {
            Some(solver) if !library::is_spent() => self.solver = solver,
            _ => {
                // There is no level below this one: nothing is asked of this solver any more.
                self.lost = Some(0);
                self.levels = levels;
                return;
            }
        }
        self.told = Limit { work: None, time: None };
        for (at, level) in levels.iter().enumerate() {
            if at > 0 {
                self.solver.push();
            }
            for &term in level {
                if panics::quietly(|| self.assert_one(terms, term)).flatten().is_none() {
                    self.lose(at + 1);
                }
            }
        }
        self.levels = levels;
    }

    /// Something that was asserted on this level is missing: nothing can be said until the level is gone.
    fn lose(&mut self, level: usize) {
        self.lost = Some(self.lost.map_or(level, |lost| lost.min(level)));
    }

    /// Tells the library what it may use for the next question.
    fn set_limit(&mut self) {
        library::limit_memory(&self.budget);
        let limit = self.limit.within(&self.budget);
        if limit.work == self.told.work && is_close(limit.time, self.told.time) {
            return;
        }
        self.told = limit;
        let mut params = Params::new();
        params.set_u32("rlimit", limit.work.unwrap_or(0));
        let millis = limit.time.map_or(u32::MAX, |time| u32::try_from(time.as_millis() + 1).unwrap_or(u32::MAX));
        params.set_u32("timeout", millis);
        self.solver.set_params(&params);
    }

    fn assert_one(&mut self, terms: &mut Terms, term: TermId) -> Option<()> {
        let term = self.bool(terms, term)?;
        self.solver.assert(&term);
        (!library::failed()).then_some(())
    }

    fn known(&self, term: TermId) -> bool {
        self.levels.iter().any(|level| level.contains(&term))
    }

    fn ask(&mut self, terms: &mut Terms, assumptions: &[TermId]) -> Option<Reply> {
        if assumptions.is_empty() {
            let result = self.solver.check();
            return Some(self.outcome(result));
        }
        // Assumptions must be constants; each stands for its term on a level of its own.
        let literals: Option<Vec<Bool>> = assumptions.iter().map(|&term| self.bool(terms, term)).collect();
        let conditions = terms.side_conditions(assumptions);
        let conditions: Option<Vec<Bool>> = conditions.iter().map(|&term| self.bool(terms, term)).collect();
        let (literals, conditions) = (literals?, conditions?);
        self.solver.push();
        self.assumed = Some(Vec::new());
        conditions.iter().for_each(|condition| self.solver.assert(condition));
        let marks: Vec<Bool> = (0..literals.len()).map(|at| Bool::new_const(format!("!assume{at}"))).collect();
        for (mark, literal) in marks.iter().zip(&literals) {
            self.solver.assert(mark.implies(literal));
            if library::failed() {
                return None;
            }
        }
        let result = self.solver.check_assumptions(&marks);
        self.assumed = Some(marks);
        Some(self.outcome(result))
    }

    /// Leaves the level of the last check's assumptions.
    fn forget_assumptions(&mut self) {
        self.model = None;
        if self.assumed.take().is_some() {
            self.solver.pop(1);
        }
    }

    fn outcome(&mut self, result: SatResult) -> Reply {
        match result {
            // What was going on when memory ran out is nothing to rely on.
            _ if library::failed() => Reply::GaveUp,
            SatResult::Sat => Reply::Sat,
            SatResult::Unsat => Reply::Unsat,
            SatResult::Unknown => {
                let why = self.solver.get_reason_unknown().unwrap_or_default();
                self.out_of_memory = why.contains("memout") || why.contains("memory");
                Reply::GaveUp
            }
        }
    }

    fn bool(&mut self, terms: &mut Terms, term: TermId) -> Option<Bool> {
        self.make(terms, term)?.as_bool()
    }

    /// A term in Z3's form.
    pub(crate) fn make(&mut self, terms: &mut Terms, root: TermId) -> Option<Dynamic> {
        let mut open = vec![root];
        while let Some(&id) = open.last() {
            if self.made.len() < terms.len() {
                self.made.resize(terms.len(), None);
            }
            if self.made[id.index()].is_some() {
                open.pop();
                continue;
            }
            let missing: Vec<TermId> =
                terms.children(id).into_iter().filter(|child| self.made[child.index()].is_none()).collect();
            if missing.is_empty() {
                let made = self.make_one(terms, id)?;
                self.made[id.index()] = Some(made);
            } else {
                open.extend(missing);
            }
        }
        self.made[root.index()].clone()
    }

    fn dynamic(&self, id: TermId) -> Option<&Dynamic> {
        self.made[id.index()].as_ref()
    }

    fn int(&self, id: TermId) -> Option<Int> {
        self.dynamic(id)?.as_int()
    }

    fn truth(&self, id: TermId) -> Option<Bool> {
        self.dynamic(id)?.as_bool()
    }

    fn make_one(&mut self, terms: &mut Terms, id: TermId) -> Option<Dynamic> {
        Some(match terms.get(id) {
            Term::Bool(value) => Bool::from_bool(value).into(),
            Term::Int(value) => number(value).into(),
            Term::Symbol(symbol) => {
                let symbol = terms.symbol(symbol);
                Dynamic::new_const(symbol.name.as_str(), &sort(symbol.sort))
            }
            Term::Not(a) => self.truth(a)?.not().into(),
            Term::And(list) => {
                let parts: Option<Vec<Bool>> = terms.list(list).iter().map(|&part| self.truth(part)).collect();
                Bool::and(&parts?).into()
            }
            Term::Same(a, b) => match terms.sort(a) {
                Sort::Bool => self.truth(a)?.iff(self.truth(b)?).into(),
                _ => self.dynamic(a)?.as_array()?.eq(self.dynamic(b)?.as_array()?).into(),
            },
            Term::Ite(c, a, b) => self.truth(c)?.ite(self.dynamic(a)?, self.dynamic(b)?),
            Term::Sum(sum) => {
                let sum = terms.sum(sum);
                let mut parts = Vec::with_capacity(sum.parts.len() + 1);
                for &(part, factor) in &sum.parts {
                    let part = self.int(part)?;
                    parts.push(if factor == 1 { part } else { Int::mul(&[number(factor), part]) });
                }
                if sum.constant != 0 {
                    parts.push(number(sum.constant));
                }
                Int::add(&parts).into()
            }
            Term::Mul(a, b) => Int::mul(&[self.int(a)?, self.int(b)?]).into(),
            Term::Div(a, b) => self.int(a)?.div(self.int(b)?).into(),
            Term::Mod(a, b) => self.int(a)?.modulo(self.int(b)?).into(),
            Term::Bits(op, width, a, b) => {
                let (a, b) = (BV::from_int(&self.int(a)?, width), BV::from_int(&self.int(b)?, width));
                let bits = match op {
                    BitOp::And => a.bvand(&b),
                    BitOp::Or => a.bvor(&b),
                    BitOp::Xor => a.bvxor(&b),
                    BitOp::Shl => a.bvshl(&b),
                    BitOp::Shr => a.bvashr(&b),
                };
                bits.to_int(true).into()
            }
            Term::AtMost(a, most) => self.int(a)?.le(number(most)).into(),
            Term::Equals(a, value) => self.int(a)?.eq(number(value)).into(),
            Term::Apply(function, list) => {
                let arguments: Option<Vec<Dynamic>> =
                    terms.list(list).iter().map(|&argument| self.dynamic(argument).cloned()).collect();
                let arguments = arguments?;
                let arguments: Vec<&dyn Ast> = arguments.iter().map(|argument| argument as &dyn Ast).collect();
                self.function(terms, function).apply(&arguments)
            }
            Term::Select(a, index) => self.array(a)?.select(&self.int(index)?),
            Term::Store(a, index, value) => self.array(a)?.store(&self.int(index)?, self.dynamic(value)?).into(),
            Term::Forall(list, body) => self.make_forall(terms, list, body)?,
        })
    }

    fn array(&self, id: TermId) -> Option<Array> {
        self.dynamic(id)?.as_array()
    }

    fn function(&mut self, terms: &Terms, id: crate::term::FunctionId) -> &FuncDecl {
        if self.functions.len() <= id.index() {
            self.functions.resize_with(id.index() + 1, || None);
        }
        self.functions[id.index()].get_or_insert_with(|| {
            let function = terms.function(id);
            let arguments: Vec<Z3Sort> = function.arguments.iter().map(|&argument| sort(argument)).collect();
            let arguments: Vec<&Z3Sort> = arguments.iter().collect();
            FuncDecl::new(function.name.as_str(), &arguments, &sort(function.result))
        })
    }

    fn make_forall(&mut self, terms: &mut Terms, list: crate::term::ListId, body: TermId) -> Option<Dynamic> {
        let symbols = terms.list(list).to_vec();
        let conditions = terms.inner_conditions(&symbols, body);
        let mut parts = Vec::new();
        for condition in conditions {
            parts.push(self.bool(terms, condition)?);
        }
        let body = self.truth(body)?;
        let body = if parts.is_empty() { body } else { Bool::and(&parts).implies(&body) };
        let symbols: Option<Vec<Dynamic>> = symbols.iter().map(|&symbol| self.dynamic(symbol).cloned()).collect();
        let symbols = symbols?;
        let symbols: Vec<&dyn Ast> = symbols.iter().map(|symbol| symbol as &dyn Ast).collect();
        Some(forall_const(&symbols, &[], &body).into())
    }

    fn value(&self, model: &Model, term: &Dynamic) -> Option<Value> {
        let value = model.eval(term, true)?;
        if let Some(truth) = value.as_bool() {
            return truth.as_bool().map(Value::Bool);
        }
        value.as_int()?.as_i128().map(Value::Int)
    }
}

/// Whether a limit on time need not be told again: a call that ends this much later ends in time.
fn is_close(wanted: Option<Duration>, told: Option<Duration>) -> bool {
    match (wanted, told) {
        (Some(wanted), Some(told)) => wanted.abs_diff(told) <= (wanted / 32).min(Duration::from_millis(100)),
        (None, None) => true,
        _ => false,
    }
}

fn number(value: i128) -> Int {
    i64::try_from(value).map_or_else(|_| Int::from_i128(value), Int::from_i64)
}

pub(crate) fn sort(sort: Sort) -> Z3Sort {
    match sort {
        Sort::Bool => Z3Sort::bool(),
        Sort::Int => Z3Sort::int(),
        Sort::BoolArray => Z3Sort::array(&Z3Sort::int(), &Z3Sort::bool()),
        Sort::IntArray => Z3Sort::array(&Z3Sort::int(), &Z3Sort::int()),
    }
}

impl Solver for Z3 {
    fn name(&self) -> String {
        format!("Z3 {}", loading::version())
    }

    fn limit(&mut self, limit: Limit) {
        self.limit = limit;
    }

    fn budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    fn stopped(&self) -> Result<(), Stopped> {
        self.budget.check()?;
        if self.out_of_memory || library::is_spent() { Err(Stopped(StopReason::Memory)) } else { Ok(()) }
    }

    fn push(&mut self) {
        self.forget_assumptions();
        self.solver.push();
        self.levels.push(Vec::new());
        if library::failed() {
            // It is not known whether the level is there.
            self.lost = Some(0);
        }
    }

    fn pop(&mut self) {
        self.forget_assumptions();
        if self.levels.len() > 1 {
            self.solver.pop(1);
            self.levels.pop();
        }
        self.lost = self.lost.filter(|&level| level <= self.levels.len());
    }

    fn assert(&mut self, terms: &mut Terms, term: TermId) {
        self.forget_assumptions();
        let mut news = terms.side_conditions(&[term]);
        news.push(term);
        for new in news {
            if self.known(new) {
                continue;
            }
            if let Some(level) = self.levels.last_mut() {
                level.push(new);
            }
            let done = self.guarded(terms, |this, terms| this.assert_one(terms, new));
            if done.is_none() {
                // What cannot be handed over must not be forgotten: without it nothing can be said on this level.
                self.lose(self.levels.len());
            }
        }
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[TermId]) -> Reply {
        self.forget_assumptions();
        self.out_of_memory = false;
        if self.lost.is_some() || library::is_spent() || self.budget.check().is_err() {
            return Reply::GaveUp;
        }
        self.set_limit();
        self.guarded(terms, |this, terms| this.ask(terms, assumptions)).unwrap_or(Reply::GaveUp)
    }

    fn values(&mut self, terms: &mut Terms, of: &[TermId]) -> Option<Vec<Value>> {
        self.guarded(terms, |this, terms| {
            if this.model.is_none() {
                this.model = this.solver.get_model();
            }
            let model = this.model.take()?;
            let mut values = Vec::with_capacity(of.len());
            for &term in of {
                let term = this.make(terms, term)?;
                values.push(this.value(&model, &term)?);
            }
            this.model = Some(model);
            Some(values)
        })
    }

    fn core(&mut self) -> Vec<usize> {
        let Some(marks) = &self.assumed else { return Vec::new() };
        let Some(core) = panics::quietly(|| self.solver.get_unsat_core()) else { return (0..marks.len()).collect() };
        (0..marks.len()).filter(|&at| core.iter().any(|part| part.ast_eq(&marks[at]))).collect()
    }
}

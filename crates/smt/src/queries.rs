//! All questions go through here: one cache, one count, one limit, and perhaps a second opinion.
//!
//! A question is a set of terms; equal questions are asked once. "Calls to the decision procedure" in reports is what
//! this counts. If a second solver contradicts the first, neither is believed.

use std::collections::{BTreeMap, HashMap};

use tertium_base::{Budget, Stopped};

use crate::eval::Value;
use crate::model_cache::ModelCache;
use crate::solver::{Limit, Reply, Solver};
use crate::term::{SymbolId, Term, TermId, Terms};

/// What a question is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Purpose {
    /// Where does the program begin?
    Initial,
    /// Does an abstract state stand for anything?
    State,
    /// Which steps are possible?
    May,
    /// Which steps are certain?
    Must,
    /// What holds in an abstract state?
    Label,
    /// Which assignment of truth values does a step make?
    Assignment,
    /// Can the program follow a path?
    Path,
    /// Everything else.
    Other,
}

impl Purpose {
    /// The word for it in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::State => "states",
            Self::May => "may",
            Self::Must => "must",
            Self::Label => "labels",
            Self::Assignment => "assignments",
            Self::Path => "paths",
            Self::Other => "other",
        }
    }
}

/// How often something was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Calls of the solver.
    pub calls: u64,
    /// Questions that the cache answered.
    pub remembered: u64,
    /// Models of earlier questions that served again, each of which saved a call. Which models a solver finds is up to it: that
    /// these and the calls come to the same sum is what can be relied on.
    pub recalled: u64,
    /// Calls in which the solver gave up.
    pub gave_up: u64,
}

/// All models over some truth-valued terms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AllModels {
    /// The combinations that have a model, each once, in the order of their values.
    pub rows: Vec<Vec<bool>>,
    /// Whether there are no others. If not, any other combination may have a model too.
    pub complete: bool,
}

/// A solver with a cache and counts.
pub struct Queries {
    solver: Box<dyn Solver>,
    second: Option<Box<dyn Solver>>,
    limit: Limit,
    budget: Budget,
    replies: HashMap<Vec<TermId>, Reply>,
    /// Of questions without a model: parts that have none already, where someone wanted to know.
    cores: HashMap<Vec<TermId>, Vec<TermId>>,
    models: HashMap<(Vec<TermId>, Vec<TermId>), AllModels>,
    model_cache: ModelCache,
    counts: BTreeMap<Purpose, Count>,
    disagreements: Vec<String>,
    opinions: Opinions,
}

/// How a second solver did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Opinions {
    /// Replies that it was asked to confirm.
    pub asked: u64,
    /// How often it could not tell.
    pub open: u64,
}

impl std::fmt::Debug for Queries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queries").field("solver", &self.solver.name()).field("counts", &self.counts).finish()
    }
}

impl Queries {
    /// Questions to `solver`, each within `limit`, all within `budget`.
    #[must_use]
    pub fn new(mut solver: Box<dyn Solver>, limit: Limit, budget: &Budget) -> Self {
        solver.limit(limit);
        solver.budget(budget);
        Self {
            solver,
            second: None,
            limit,
            budget: budget.clone(),
            replies: HashMap::new(),
            cores: HashMap::new(),
            models: HashMap::new(),
            model_cache: ModelCache::default(),
            counts: BTreeMap::new(),
            disagreements: Vec::new(),
            opinions: Opinions::default(),
        }
    }

    /// The same with a second solver that every reply is compared with.
    #[must_use]
    pub fn cross_checked(mut self, mut second: Box<dyn Solver>) -> Self {
        second.limit(self.limit);
        second.budget(&self.budget);
        self.second = Some(second);
        self
    }

    /// How often what was asked.
    #[must_use]
    pub const fn counts(&self) -> &BTreeMap<Purpose, Count> {
        &self.counts
    }

    /// For long work between questions: whether there is still time for it.
    ///
    /// # Errors
    /// If the budget is used up.
    pub fn check_budget(&self) -> Result<(), Stopped> {
        self.budget.check()
    }

    /// All calls of the solver.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.counts.values().map(|count| count.calls).sum()
    }

    /// All models of earlier questions that saved a call.
    #[must_use]
    pub fn recalled(&self) -> u64 {
        self.counts.values().map(|count| count.recalled).sum()
    }

    /// All calls in which the solver gave up.
    #[must_use]
    pub fn gave_up(&self) -> u64 {
        self.counts.values().map(|count| count.gave_up).sum()
    }

    /// Questions, as SMT-LIB, to which two solvers gave contradictory replies.
    #[must_use]
    pub fn disagreements(&self) -> &[String] {
        &self.disagreements
    }

    /// How often a second solver was asked, and could not tell.
    #[must_use]
    pub const fn opinions(&self) -> Opinions {
        self.opinions
    }

    /// What all questions together may use.
    #[must_use]
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The solver's name.
    #[must_use]
    pub fn solver(&self) -> String {
        self.solver.name()
    }

    fn count(&mut self, purpose: Purpose) -> &mut Count {
        self.counts.entry(purpose).or_default()
    }

    /// One call of the solver on what is asserted, compared with the second one's reply on `whole`.
    ///
    /// # Errors
    /// If the solver gave up since the budget is used up: that says nothing about the question, and is not remembered.
    fn call(
        &mut self,
        terms: &mut Terms,
        purpose: Purpose,
        whole: &[TermId],
        assumptions: &[TermId],
    ) -> Result<Reply, Stopped> {
        let mut reply = self.solver.check(terms, assumptions);
        if reply == Reply::GaveUp {
            self.solver.stopped()?;
        }
        if let Some(second) = &mut self.second
            && reply != Reply::GaveUp
        {
            let other = second.check(terms, whole);
            if other == Reply::GaveUp {
                second.stopped()?;
            }
            self.opinions.asked += 1;
            self.opinions.open += u64::from(other == Reply::GaveUp);
            if other != Reply::GaveUp && other != reply {
                self.disagreements.push(crate::smtlib::script(terms, whole));
                reply = Reply::GaveUp;
            }
        }
        let count = self.count(purpose);
        count.calls += 1;
        count.gave_up += u64::from(reply == Reply::GaveUp);
        Ok(reply)
    }

    /// Whether all of `parts` can hold together.
    ///
    /// # Errors
    /// If the budget is used up.
    pub fn satisfiable(&mut self, terms: &mut Terms, purpose: Purpose, parts: &[TermId]) -> Result<Reply, Stopped> {
        let key = match question(terms, parts) {
            Ok(key) => key,
            Err((reply, _)) => return Ok(reply),
        };
        if let Some(&known) = self.replies.get(&key) {
            self.count(purpose).remembered += 1;
            return Ok(known);
        }
        self.budget.check()?;
        let caching = self.second.is_none() && self.model_cache.pays();
        if caching && self.model_cache.satisfies(terms, &key) {
            let count = self.count(purpose);
            (count.remembered, count.recalled) = (count.remembered + 1, count.recalled + 1);
            self.replies.insert(key, Reply::Sat);
            return Ok(Reply::Sat);
        }
        // Asserted, not assumed: nobody wants the reasons, and the solver is faster without.
        self.solver.push();
        key.iter().for_each(|&part| self.solver.assert(terms, part));
        let reply = self.call(terms, purpose, &key, &[]);
        if caching && reply == Ok(Reply::Sat) {
            self.keep_model(terms, &key, &[]);
        }
        self.solver.pop();
        let reply = reply?;
        self.replies.insert(key, reply);
        Ok(reply)
    }

    /// Keeps the model of the last reply for later questions; returns the values of `of` in it.
    fn keep_model(&mut self, terms: &mut Terms, parts: &[TermId], of: &[TermId]) -> Option<Vec<Value>> {
        let symbols: Vec<SymbolId> = terms.symbols_of(&[parts, of].concat()).into_iter().collect();
        let mut wanted = of.to_vec();
        wanted.extend(symbols.iter().map(|&symbol| terms.of_symbol(symbol)));
        let Some(mut values) = self.solver.values(terms, &wanted) else { return self.solver.values(terms, of) };
        let model = values.split_off(of.len());
        self.model_cache.keep(&symbols, model);
        Some(values)
    }

    /// As [`Self::satisfiable`]; if they cannot, some of them that already cannot.
    ///
    /// # Errors
    /// If the budget is used up.
    pub fn with_core(
        &mut self,
        terms: &mut Terms,
        purpose: Purpose,
        parts: &[TermId],
    ) -> Result<(Reply, Vec<TermId>), Stopped> {
        let key = match question(terms, parts) {
            Ok(key) => key,
            Err((reply, core)) => return Ok((reply, core)),
        };
        match (self.replies.get(&key), self.cores.get(&key)) {
            (Some(Reply::Unsat), None) | (None, _) => {}
            (Some(&reply), core) => {
                let known = (reply, core.cloned().unwrap_or_default());
                self.count(purpose).remembered += 1;
                return Ok(known);
            }
        }
        self.budget.check()?;
        let core = match self.call(terms, purpose, &key, &key)? {
            Reply::Unsat => self.solver.core().into_iter().filter_map(|at| key.get(at).copied()).collect(),
            // That there is no model is known already; the whole is a reason, if not the smallest.
            Reply::GaveUp if self.replies.contains_key(&key) => key.clone(),
            reply => {
                self.replies.insert(key, reply);
                return Ok((reply, Vec::new()));
            }
        };
        self.cores.insert(key.clone(), core.clone());
        self.replies.insert(key, Reply::Unsat);
        Ok((Reply::Unsat, core))
    }

    /// Whether `parts` together have a model; values of `of` in it. Not remembered.
    ///
    /// # Errors
    /// If the budget is used up.
    pub fn model(
        &mut self,
        terms: &mut Terms,
        purpose: Purpose,
        parts: &[TermId],
        of: &[TermId],
    ) -> Result<(Reply, Option<Vec<Value>>), Stopped> {
        let key = match question(terms, parts) {
            Ok(key) => key,
            Err((Reply::Sat, _)) => Vec::new(),
            Err((reply, _)) => return Ok((reply, None)),
        };
        self.budget.check()?;
        self.solver.push();
        key.iter().for_each(|&part| self.solver.assert(terms, part));
        // The terms whose values are wanted must lie within their bounds too.
        for condition in terms.side_conditions(of) {
            self.solver.assert(terms, condition);
        }
        let reply = self.call(terms, purpose, &key, &[]);
        let values = if reply == Ok(Reply::Sat) { self.solver.values(terms, of) } else { None };
        self.solver.pop();
        Ok((reply?, values))
    }

    /// All combinations of truth values of `selected` that are possible while `parts` hold; at most `most` of them.
    ///
    /// # Errors
    /// If the budget is used up.
    pub fn all_models(
        &mut self,
        terms: &mut Terms,
        purpose: Purpose,
        parts: &[TermId],
        selected: &[TermId],
        most: usize,
    ) -> Result<AllModels, Stopped> {
        let key = match question(terms, parts) {
            Ok(key) => key,
            Err((Reply::Unsat, _)) => return Ok(AllModels { rows: Vec::new(), complete: true }),
            Err(_) => Vec::new(),
        };
        let whole = (key, selected.to_vec());
        if let Some(known) = self.models.get(&whole).cloned() {
            self.count(purpose).remembered += 1;
            return Ok(known);
        }
        self.solver.push();
        whole.0.iter().for_each(|&part| self.solver.assert(terms, part));
        let found = self.enumerate(terms, purpose, &whole.0, selected, most);
        self.solver.pop();
        let mut found = found?;
        found.rows.sort_unstable();
        self.models.insert(whole, found.clone());
        Ok(found)
    }

    fn enumerate(
        &mut self,
        terms: &mut Terms,
        purpose: Purpose,
        parts: &[TermId],
        selected: &[TermId],
        most: usize,
    ) -> Result<AllModels, Stopped> {
        let mut whole = parts.to_vec();
        let mut found = AllModels::default();
        let known = if self.second.is_none() { self.model_cache.rows(terms, parts, selected) } else { Vec::new() };
        for row in known.into_iter().take(most) {
            self.count(purpose).recalled += 1;
            let others = self.exclude(terms, selected, &row);
            found.rows.push(row);
            found.complete = terms.as_bool(others) == Some(false);
            whole.push(others);
        }
        if found.complete {
            return Ok(found);
        }
        while found.rows.len() < most {
            self.budget.check()?;
            match self.call(terms, purpose, &whole, &[])? {
                Reply::GaveUp => return Ok(found),
                Reply::Unsat => {
                    found.complete = true;
                    return Ok(found);
                }
                Reply::Sat => {}
            }
            let values = self.keep_model(terms, &whole, selected);
            let row: Option<Vec<bool>> = values.and_then(|values| values.iter().map(Value::as_bool).collect());
            let Some(row) = row else { return Ok(found) };
            let others = self.exclude(terms, selected, &row);
            found.rows.push(row);
            found.complete = terms.as_bool(others) == Some(false);
            if found.complete {
                return Ok(found);
            }
            whole.push(others);
        }
        Ok(found)
    }

    /// Asserts that `selected` do not have these values together, and says so as a term.
    fn exclude(&mut self, terms: &mut Terms, selected: &[TermId], row: &[bool]) -> TermId {
        let literals: Vec<TermId> =
            selected.iter().zip(row).map(|(&term, &value)| if value { term } else { terms.not(term) }).collect();
        let this = terms.all(&literals);
        let others = terms.not(this);
        self.solver.assert(terms, others);
        others
    }
}

/// A set of terms in a form in which equal sets are equal; or the reply and its reason if there is nothing to ask.
fn question(terms: &mut Terms, parts: &[TermId]) -> Result<Vec<TermId>, (Reply, Vec<TermId>)> {
    let mut key = Vec::with_capacity(parts.len());
    for &part in parts {
        match terms.get(part) {
            Term::Bool(true) => {}
            Term::Bool(false) => return Err((Reply::Unsat, vec![part])),
            _ => key.push(part),
        }
    }
    key.sort_unstable();
    key.dedup();
    for &part in &key {
        if let Term::Not(inner) = terms.get(part)
            && key.binary_search(&inner).is_ok()
        {
            return Err((Reply::Unsat, vec![inner, part]));
        }
    }
    if key.is_empty() { Err((Reply::Sat, Vec::new())) } else { Ok(key) }
}

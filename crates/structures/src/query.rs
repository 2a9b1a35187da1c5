//! Which formulas answer a temporal-logic query, and how is that made sure?
//!
//! Branching queries are solved in the lattice of sets of formulas (`tertium_check::query`). For others, linear ones above all, the query is evaluated with candidate formulas
//! in the place of its placeholder: what is true with a formula is true with a weaker one, so that the strongest ones are found as the minimal true points of a monotone
//! function (dualisation, Berge 1989): every answer missing so far avoids a minimal set that meets all known ones. Either way each answer is put into the
//! query, which is proved and re-checked by the kernel, and with any row less it is not true any more.

use tertium_base::{Budget, Diagnostic};
use tertium_check::query::{QueryTask, Strongest, rows_that_occur, strongest};
use tertium_check::{Ask, Task};
use tertium_evidence::Deadlock;
use tertium_evidence::observer::Observer;
use tertium_kernel::Subject;
use tertium_lattice::Belnap;
use tertium_load::failure::{Failure, Located};
use tertium_load::property::Parsed;
use tertium_logic::query::{
    MOST_QUERY_ATOMS, NoQuery, Placeholder, RowSet, Term, filled, irredundant, is_placeholder, placeholder,
    prime_implicants, terms_formula,
};
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, Model, PropId, StateId};

use crate::answer::{Answer, QueryAnswer};
use crate::check::{SMALL, Session, bound, meet_at};
use crate::engines;
use crate::prove;

/// More answers than this are not proved one by one.
const MOST_PROVED: usize = 32;

/// Whether a formula has a placeholder.
#[must_use]
pub fn is_query(formula: &Formula) -> bool {
    formula.atoms().iter().any(is_placeholder)
}

/// What is wrong with a query, if the formula is one.
pub(crate) fn mistakes(model: &Model, parsed: &Parsed, thorough: bool) -> Vec<Located> {
    let found = match placeholder(&parsed.formula) {
        Ok(None) => return Vec::new(),
        Ok(Some(found)) => found,
        Err(why) => return vec![Located::within(no_query(why), &parsed.property.source)],
    };
    let span = parsed.atom_spans.get(found.atom.index()).copied();
    let placed = |diagnostic: Diagnostic| {
        let diagnostic = span.map_or(diagnostic.clone(), |span| diagnostic.at(span, "in this placeholder"));
        Located::within(diagnostic, &parsed.property.source)
    };
    let refused = |message: &str, help: &str| vec![placed(Diagnostic::error("E0335", message).help(help))];
    let model = match model {
        Model::Kmts(_) if thorough => {
            return refused("queries have no thorough semantics", "leave out `--semantics thorough`");
        }
        Model::Kmts(model) => model,
        Model::Lattice(_) => {
            return refused(
                "queries are for structures with may and must, and this one takes its values in a lattice",
                "structures over K3 and Belnap4 can be written with may and must",
            );
        }
        Model::Param(_) => {
            return refused(
                "queries have no answer for a family of structures",
                "`--parameters off` takes what depends on a parameter for unknown",
            );
        }
    };
    let names = found.names.unwrap_or_else(|| model.props().to_vec());
    if names.len() > MOST_QUERY_ATOMS {
        let message = format!("a placeholder over {} propositions; {MOST_QUERY_ATOMS} are the most", names.len());
        return vec![placed(Diagnostic::error("E0335", message).help("list those that matter, such as `?{p, q}`"))];
    }
    let unknown = |name: &&String| !model.props().contains(name);
    let message = |name: &String| {
        let listed = model.props().join(", ");
        let mistake = Diagnostic::error("E0120", format!("the model has no proposition named `{name}`"));
        placed(mistake.note(format!("propositions of the model: {listed}")))
    };
    names.iter().filter(unknown).map(message).collect()
}

/// The message for a query about a program.
pub fn not_for_programs(file: &str) -> Diagnostic {
    Diagnostic::error("E0335", format!("queries are for structures, and `{file}` is a program"))
        .help("`tertium explore FILE --graph FILE.kmts` writes its graph as a structure")
}

/// The message for a formula whose placeholders make no query.
pub fn no_query(why: NoQuery) -> Diagnostic {
    let (what, help) = match why {
        NoQuery::Several => ("a query has one placeholder, in one place", "ask one query after the other"),
        NoQuery::Negative => (
            "the placeholder of a query stands under a negation",
            "ask for what holds instead of what does not: `AG !?{p}` asks for the negation of what `AG ?{p}` finds",
        ),
        NoQuery::Mixed => (
            "the placeholder of a query stands where both signs matter",
            "`<->` and `xor` have no strongest formula beside them; use `->` with the placeholder on the right",
        ),
    };
    Diagnostic::error("E0334", what).help(help)
}

/// A query on a structure.
struct Query<'q> {
    session: &'q Session<'q>,
    model: &'q Kmts,
    formula: &'q Formula,
    placeholder: Placeholder,
    names: Vec<String>,
    props: Vec<PropId>,
    budget: &'q Budget,
}

impl Session<'_> {
    /// Answers a query.
    pub(crate) fn check_query(
        &self,
        model: &Kmts,
        answer: &mut Answer,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        let formula = answer.formula.clone();
        let Ok(Some(placeholder)) = placeholder(&formula) else {
            return Err(Failure::Internal("a query was one before and is none now".to_owned()));
        };
        let names = placeholder.names.clone().unwrap_or_else(|| model.props().to_vec());
        let props: Option<Vec<PropId>> = names.iter().map(|name| model.prop_by_name(name)).collect();
        let Some(props) = props else {
            return Err(Failure::Internal("a proposition was known before and is not known now".to_owned()));
        };
        let query = Query { session: self, model, formula: &formula, placeholder, names, props, budget };
        let (value, state) = query.value_of(RowSet::all(query.names.len()))?;
        answer.verdict.settle(value);
        answer.state = state;
        let provenance = self.options.engine.provenance(formula.logic());
        answer.provenance = provenance;
        let found = query.solve()?;
        observer.phase(&format!("proving {}", answer.name));
        answer.checked = query.prove_all(&found)?;
        let differ = found.for_true != found.not_refuted;
        answer.query = Some(QueryAnswer {
            atoms: query.names.clone(),
            strongest: found.for_true.iter().map(|&rows| query.text(rows)).collect(),
            not_refuted: differ.then(|| found.not_refuted.iter().map(|&rows| query.text(rows)).collect()),
        });
        Ok(())
    }
}

impl Query<'_> {
    /// The prime implicants: all of them, so that open labels cost no truth.
    fn terms(&self, rows: RowSet) -> Vec<Term> {
        prime_implicants(rows, self.names.len())
    }

    /// A formula for people: nothing is left out that open labels need.
    fn text(&self, rows: RowSet) -> String {
        let decided = |&prop: &PropId| {
            self.model.states().all(|state| matches!(self.model.label(state, prop), Belnap::True | Belnap::False))
        };
        let terms = self.terms(rows);
        let terms = if self.props.iter().all(decided) { irredundant(&terms, rows) } else { terms };
        terms_formula(&terms, &self.names).text()
    }

    fn with(&self, rows: RowSet) -> Formula {
        filled(self.formula, self.placeholder.atom, &self.terms(rows), &self.names)
    }

    /// The value with a formula in the place of the placeholder, over the states asked about.
    fn value_of(&self, rows: RowSet) -> Result<(Belnap, Option<StateId>), Failure> {
        let formula = self.with(rows);
        let formula = prove::evaluated_formula(self.model, &formula);
        let ask = Ask::At(&self.session.ask);
        let task = bound(Task::new(self.model, &formula, self.session.reading, ask, self.budget))?;
        let (_, values) = engines::evaluate(&task, self.session.options.engine)?;
        Ok(meet_at(&self.session.ask, |state| values.at(state)))
    }

    fn solve(&self) -> Result<Strongest, Failure> {
        let branching = matches!(self.formula.logic(), Logic::Pml | Logic::Ctl | Logic::Mu);
        let ends = self.session.reading.deadlock == Deadlock::Maximal;
        if branching && !ends { self.by_sets() } else { self.by_candidates() }
    }

    /// In the lattice of sets of formulas.
    fn by_sets(&self) -> Result<Strongest, Failure> {
        let formula = prove::evaluated_formula(self.model, self.formula);
        let Ok(Some(placeholder)) = placeholder(&formula).or_else(|_| fair_placeholder(&formula)) else {
            return self.by_candidates();
        };
        let reading = self.session.reading;
        let task = Task::with_placeholder(self.model, &formula, placeholder.atom, reading, self.budget);
        let task = bound(task)?;
        let query = QueryTask { task: &task, placeholder: placeholder.atom, props: &self.props };
        strongest(&query, &self.session.ask).map_err(engines::failure)
    }

    /// By trying formulas in the place of the placeholder.
    fn by_candidates(&self) -> Result<Strongest, Failure> {
        let task = bound(Task::with_placeholder(
            self.model,
            self.formula,
            self.placeholder.atom,
            self.session.reading,
            self.budget,
        ))?;
        let occurring =
            rows_that_occur(&QueryTask { task: &task, placeholder: self.placeholder.atom, props: &self.props });
        let for_true = self.minimal(occurring, |value| value.for_true())?;
        let not_refuted = self.minimal(occurring, |value| !value.for_false())?;
        Ok(Strongest { for_true, not_refuted })
    }

    /// The minimal sets of rows that `counts`.
    fn minimal(&self, among: RowSet, counts: impl Fn(Belnap) -> bool) -> Result<Vec<RowSet>, Failure> {
        let holds = |rows: RowSet| Ok::<bool, Failure>(counts(self.value_of(rows)?.0));
        let mut found: Vec<RowSet> = Vec::new();
        // Sets that meet every known answer, none of which contains another.
        let mut transversals = vec![RowSet::NONE];
        let mut refused: Vec<RowSet> = Vec::new();
        while let Some(&next) = transversals.iter().find(|set| !refused.contains(set)) {
            self.budget.check()?;
            let mut rows = among.without(next);
            if !holds(rows)? {
                refused.push(next);
                continue;
            }
            for row in among.rows().filter(|&row| rows.contains(row)).collect::<Vec<_>>() {
                let fewer = rows.without(RowSet::of([row]));
                if holds(fewer)? {
                    rows = fewer;
                }
            }
            found.push(rows);
            transversals = meeting(&transversals, rows);
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Proves that the query holds with each answer, and that it does not with one row less.
    fn prove_all(&self, found: &Strongest) -> Result<bool, Failure> {
        let small = self.model.edge_count() <= SMALL || self.session.options.always_recheck;
        if !small || found.for_true.len() > MOST_PROVED || found.for_true.is_empty() {
            return Ok(false);
        }
        for &rows in &found.for_true {
            self.prove(rows)?;
            for row in rows.rows() {
                let (value, _) = self.value_of(rows.without(RowSet::of([row])))?;
                if value.for_true() {
                    let text = self.text(rows);
                    return Err(Failure::Internal(format!("`{text}` should be a strongest formula and is not")));
                }
            }
        }
        Ok(true)
    }

    /// The formula as whoever reads it has it: proofs speak of its parts by their numbers.
    fn as_written(&self, formula: &Formula) -> Result<Formula, Failure> {
        let options = ParseOptions { logic: Some(formula.logic()), elements: self.session.loaded.element_names() };
        let read = parse(&formula.text(), &options).formula;
        read.ok_or_else(|| Failure::Internal(format!("`{formula}` should be a formula")))
    }

    fn prove(&self, rows: RowSet) -> Result<(), Failure> {
        let asked = self.as_written(&self.with(rows))?;
        let formula = prove::evaluated_formula(self.model, &asked);
        let reading = self.session.reading;
        let task = bound(Task::new(self.model, &formula, reading, Ask::At(&self.session.ask), self.budget))?;
        let constants = self.session.loaded.constants();
        for &state in &self.session.ask {
            // Evidence on both sides, of a mixed structure, has no proof of its own.
            let (_, values) = engines::evaluate(&task, self.session.options.engine)?;
            if values.at(state) != Belnap::True {
                continue;
            }
            let certificate = prove::certificate(&task, &asked, state, Belnap::True)?;
            let subject = Subject::structure(self.model);
            prove::recheck((self.model, subject), &certificate, &constants, self.budget)?;
        }
        Ok(())
    }
}

/// Fairness is written with fixpoints in which a placeholder may stand several times; it is still one.
fn fair_placeholder(formula: &Formula) -> Result<Option<Placeholder>, NoQuery> {
    let atom = formula.node_ids().find_map(|id| match formula.node(id) {
        tertium_logic::Node::Atom(atom) if is_placeholder(&formula.atoms()[atom.index()]) => Some(atom),
        _ => None,
    });
    Ok(atom.map(|atom| Placeholder { atom, names: None }))
}

/// The minimal sets that meet a further set, too.
fn meeting(transversals: &[RowSet], set: RowSet) -> Vec<RowSet> {
    let mut all: Vec<RowSet> = Vec::new();
    for &transversal in transversals {
        let met = set.rows().any(|row| transversal.contains(row));
        if met {
            all.push(transversal);
        } else {
            all.extend(set.rows().map(|row| transversal.union(RowSet::of([row]))));
        }
    }
    all.sort_unstable();
    all.dedup();
    let least = |a: &RowSet| !all.iter().any(|b| b != a && b.is_subset(*a));
    all.iter().copied().filter(least).collect()
}

//! Does a proof prove its answer?
//!
//! A second opinion with code of its own: nothing here is shared with an engine, and everything is as
//! plain as its definition. A branching proof is checked claim by claim; a linear one by looking at
//! its path, or by a tableau of its own.
//!
//! What acceptance means: the structure has evidence for the answer under the certificate's reading.
//! What it holds under only stands in [`Accepted::assumptions`].
//!
//! Not here: reading certificate files (`document`), finding proofs (`check`).

mod claims;
mod coalitions;
mod completions;
mod consistency;
mod cycles;
mod forced;
mod graph;
mod labels;
mod lasso;
mod linear;
mod open;
mod outplayed;
mod paths;
mod plays;
mod ranked;
mod refuted;
mod rules;
mod search;
mod settled;
mod strategies;
mod structure;
mod table;
mod tableau;

use tertium_base::{Budget, Diagnostic, StopReason, Stopped};
use tertium_lattice::Belnap;
use tertium_logic::{FairPaths, Formula, Logic, Node, NodeId, ParseOptions, fair_fixpoint_form};
use tertium_model::{Kmts, StateId};

use crate::completion_game::CompletionGame;
use structure::Structure;
pub use table::{ProofKind, Subject, permitted};
use tertium_evidence::{Certificate, Deadlock, LinearReading, Proof, Reading};

pub(crate) use graph::Graph;
pub use open::check_open_question;
pub use ranked::{RankChange, RankedMove, RankedSteps};
pub(crate) use structure::Filter;
pub(crate) use structure::Names;

/// What an answer holds under only. A proof that rests on one of these proves less than what was asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Assumption {
    /// The reading `tg`, taken literally; its `false` says nothing about the real system.
    LiteralReading,
    /// Something refines the structure. It holds something certain that is not possible, and contradicts itself here, as far as is known: there may be
    /// evidence for the opposite, too.
    Consistency,
    /// Every concrete state has a successor, which the structure does not assert.
    Totality,
    /// The concrete system has a fair path.
    FairPath,
}

impl Assumption {
    /// The assumption as a sentence.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::LiteralReading => {
                "that the reading `tg` is taken literally: its `false` does not carry over to the real system"
            }
            Self::Consistency => {
                "that something refines the structure, which is mixed: that anything does was not shown, and the opposite may have evidence, too"
            }
            Self::Totality => "that every real state has a successor, which the structure does not assert",
            Self::FairPath => "that the real system has a fair path",
        }
    }
}

/// A certificate that was checked and found right.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Accepted {
    /// What the answer holds under only; usually nothing.
    pub assumptions: Vec<Assumption>,
}

/// Why a certificate was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The proof is wrong or does not fit; the message names the claim, step or state.
    Refused(Box<Diagnostic>),
    /// A limit was reached before the check was done.
    Stopped(Stopped),
}

impl From<Stopped> for Rejection {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<Diagnostic> for Rejection {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Refused(Box::new(diagnostic))
    }
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(diagnostic) => write!(f, "{}: {}", diagnostic.code, diagnostic.message),
            Self::Stopped(stopped) => write!(f, "not checked to the end: {stopped}"),
        }
    }
}

impl std::error::Error for Rejection {}

/// Checks that `certificate` proves its answer about a structure that a user wrote.
///
/// # Errors
/// The first thing found wrong, told in the model's names; or the limit that was reached.
pub fn check_certificate(model: &Kmts, certificate: &Certificate, budget: &Budget) -> Result<Accepted, Rejection> {
    check_certificate_of(model, Subject::structure(model), certificate, &[], budget)
}

/// As [`check_certificate`], about another kind of subject. For a formula with constants of a user's lattice, `constants` gives each
/// constant's name and its value in this structure, which is a cut of the lattice-valued one.
///
/// The certificate's formula, logic, reading, state and value are the question: whoever calls this takes them from the model, and
/// nothing but the proof from a file.
///
/// # Errors
/// The first thing found wrong, told in the model's names; or the limit that was reached.
pub fn check_certificate_of(
    model: &Kmts,
    subject: Subject,
    certificate: &Certificate,
    constants: &[(String, Belnap)],
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    check_with(model, subject, certificate, (constants, None), budget)
}

/// As [`check_certificate_of`], about abstract states of a program whose steps do this to ranking functions.
///
/// # Errors
/// The first thing found wrong, told in the model's names; or the limit that was reached.
pub fn check_ranked_certificate(
    model: &Kmts,
    ranked: &RankedSteps,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let ranked = (!ranked.is_empty()).then_some(ranked);
    if ranked.is_some() && certificate.reading.deadlock != Deadlock::Mu {
        return Err(misfit("ranks are known to claims in the default reading of deadlocks only"));
    }
    check_with(model, Subject::Abstraction, certificate, (&[], ranked), budget)
}

fn check_with(
    model: &Kmts,
    subject: Subject,
    certificate: &Certificate,
    (constants, ranked): (&[(String, Belnap)], Option<&RankedSteps>),
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let formula = formula_of((model, subject), certificate, constants)?;
    let owned = coalitions::with_owners(model, &formula, certificate.logic)?;
    let model = owned.as_ref().unwrap_or(model);
    let names = Names::look_up(&formula, model, constants);
    let reading = if ends_are_written_out(certificate) {
        Reading { deadlock: Deadlock::Mu, ..certificate.reading }
    } else {
        certificate.reading
    };
    let structure = Structure::new(model, reading);
    let case = Case { structure, formula: &formula, names, certificate, subject, ranked, budget };
    case.known_names()?;
    case.known_state(certificate.state, "the asked state")?;
    let kind = ProofKind::of(&certificate.proof);
    let kinds = permitted(subject, certificate.value, certificate.logic, certificate.reading);
    if !kinds.contains(&kind) {
        let (name, value, logic) = (kind_name(kind), certificate.value, certificate.logic.name());
        let message = format!("a proof by {name} does not prove that a formula of {logic} is `{value}` here");
        return Err(Diagnostic::error(
            if kinds.is_empty() || !matches!(certificate.value, Belnap::True | Belnap::False) {
                "E0610"
            } else {
                "E0611"
            },
            message,
        )
        .into());
    }
    case.deadlocks_as_read()?;
    let consistent = match case.consistent() {
        // Where it is not known, what claims prove is proved under the assumption.
        Err(Stopped(StopReason::Count)) if !kind.is_about_completions() => false,
        known => known?,
    };
    if !consistent && kind.is_about_completions() && certificate.value != Belnap::Both {
        let message =
            format!("nothing real refines {}: everything is true of it, and false", case.state(certificate.state));
        return Err(Diagnostic::error("E0610", message).into());
    }
    case.proof()?;
    Ok(Accepted { assumptions: case.assumptions(consistent) })
}

impl Subject {
    /// A structure that a user wrote.
    #[must_use]
    pub fn structure(model: &Kmts) -> Self {
        Self::Structure { mixed: model.is_mixed(), fair: !model.fairness().is_empty() }
    }
}

/// Whether a proof speaks of a formula in which paths that end are a matter of steps: every completion is decided, so nothing is
/// lost by that.
fn ends_are_written_out(certificate: &Certificate) -> bool {
    matches!(certificate.proof, Proof::Refuted(_)) && certificate.reading.deadlock == Deadlock::Maximal
}

/// The formula whose nodes the proof speaks of.
fn formula_of(
    (model, subject): (&Kmts, Subject),
    certificate: &Certificate,
    constants: &[(String, Belnap)],
) -> Result<Formula, Rejection> {
    let elements = constants.iter().map(|(name, _)| name.clone()).collect();
    let parsed = tertium_logic::parse(&certificate.formula, &ParseOptions { logic: Some(certificate.logic), elements });
    let Some(formula) = parsed.formula else {
        let mut refusal = Diagnostic::error("E0605", format!("the formula `{}` cannot be read", certificate.formula));
        refusal.notes.extend(parsed.diagnostics.into_iter().map(|found| found.message));
        return Err(refusal.into());
    };
    if certificate.logic.is_strategic() && matches!(certificate.proof, Proof::Plays { .. }) {
        return Ok(formula);
    }
    if certificate.logic.is_strategic() {
        return coalitions::in_fixpoints(&formula, certificate.reading);
    }
    let constraints = model.fairness().len();
    // Only what was drawn of a program has labels that say who is able to step: elsewhere they would be anyone's.
    let drawn = subject == Subject::Abstraction;
    let fair = FairPaths::of(constraints, model.props().iter().map(String::as_str).filter(|_| drawn));
    if !fair.strong.is_empty() && is_about_paths(certificate.logic) {
        return under_strong_fairness(model, certificate, &formula, &fair);
    }
    if certificate.logic == Logic::Ctl && ends_are_written_out(certificate) {
        return tertium_logic::ending_ctl(&formula).ok_or_else(|| misfit("the formula is not one of CTL"));
    }
    let formula = without_paths(model, certificate, &formula, &fair).unwrap_or(formula);
    if formula.logic() != Logic::Ctl || constraints == 0 {
        return Ok(formula);
    }
    tertium_logic::fair_ctl(&formula, constraints).ok_or_else(|| misfit("the formula is not one of CTL"))
}

/// A formula about paths that claims speak of, in its form in CTL or in the mu-calculus: where every path goes on, they mean the same.
fn without_paths(model: &Kmts, certificate: &Certificate, formula: &Formula, fair: &FairPaths) -> Option<Formula> {
    let about_paths = matches!(certificate.logic, Logic::CtlStar | Logic::Ltl);
    if !about_paths || !matches!(certificate.proof, Proof::Claims(_)) || !goes_on_everywhere(model) {
        return None;
    }
    tertium_logic::branching_form(formula).or_else(|| fair_fixpoint_form(formula, fair))
}

fn goes_on_everywhere(model: &Kmts) -> bool {
    let goes_on = |state| model.edges_from(state).any(|edge| edge.may);
    model.total() && model.states().all(goes_on)
}

const fn is_about_paths(logic: Logic) -> bool {
    matches!(logic, Logic::Ctl | Logic::CtlStar | Logic::Ltl)
}

/// What claims speak of under strong fairness: a formula of the mu-calculus over labels that say who is able to step. Nothing else is known of strongly fair paths here.
fn under_strong_fairness(
    model: &Kmts,
    certificate: &Certificate,
    formula: &Formula,
    fair: &FairPaths,
) -> Result<Formula, Rejection> {
    if !matches!(certificate.proof, Proof::Claims(_)) || !goes_on_everywhere(model) {
        return Err(misfit("strong fairness is known to claims only, where every path goes on"));
    }
    let branching = tertium_logic::branching_form(formula);
    let form = fair_fixpoint_form(branching.as_ref().unwrap_or(formula), fair);
    form.ok_or_else(|| misfit("the formula has no form under strong fairness"))
}

/// Everything a check looks at.
struct Case<'a> {
    structure: Structure<'a>,
    formula: &'a Formula,
    names: Names,
    certificate: &'a Certificate,
    subject: Subject,
    /// What steps do to ranks, if there are any.
    ranked: Option<&'a RankedSteps>,
    budget: &'a Budget,
}

impl Case<'_> {
    fn proof(&self) -> Result<(), Rejection> {
        let branching = matches!(self.formula.logic(), Logic::Pml | Logic::Ctl | Logic::Mu);
        if self.ranked.is_some() && !matches!(self.certificate.proof, Proof::Claims(_)) {
            return Err(misfit("ranks that stand beside a structure are known to claims only"));
        }
        match (&self.certificate.proof, self.certificate.logic) {
            (Proof::Claims(claims), _) if branching => claims::check(self, claims),
            (Proof::Lasso { stem, cycle }, Logic::Ltl) => lasso::check(self, stem, cycle),
            (Proof::NoPath, Logic::Ltl) => paths::check(self),
            (Proof::Plays { positions, moves }, Logic::Atl | Logic::AtlStar) => {
                strategies::check(self, positions, moves)
            }
            (Proof::Plays { positions, moves }, Logic::Ltl) => plays::check(self, positions, moves),
            (Proof::Labels(labels), Logic::CtlStar) => labels::check(self, labels),
            (Proof::NoWord, Logic::Ltl) => settled::no_word(self),
            (Proof::Settled { positions, moves }, Logic::Ltl) => settled::check(self, positions, moves),
            (Proof::Refuted(claims), _) if branching => refuted::check(self, claims),
            (Proof::Outplayed(stands), _) => outplayed::check(self, stands),
            (Proof::Completions(both), _) => completions::check(self, both),
            (proof, logic) => Err(misfit(format!(
                "a proof by {} does not fit a formula of {}",
                kind_name(ProofKind::of(proof)),
                logic.name()
            ))),
        }
    }

    /// Refuses names that the structure does not have; none is ever taken for false.
    fn known_names(&self) -> Result<(), Rejection> {
        let unknown = |kind: &str, name: &str| Err(unknown_name(kind, name).into());
        for &node in self.formula.nodes() {
            match node {
                Node::Atom(atom) if self.names.atoms[atom.index()].is_none() => {
                    return unknown("proposition", &self.formula.atoms()[atom.index()].text);
                }
                Node::Element(element) if self.names.elements[element.index()].is_none() => {
                    return unknown("truth value", &self.formula.elements()[element.index()]);
                }
                Node::Diamond(Some(action), _) | Node::Box(Some(action), _)
                    if self.names.actions[action.index()].is_none() =>
                {
                    return unknown("action", &self.formula.actions()[action.index()]);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn known_state(&self, state: StateId, role: &str) -> Result<(), Rejection> {
        if state.index() < self.structure.model.state_count() {
            return Ok(());
        }
        Err(Diagnostic::error("E0604", format!("{role} is number {}, which the model does not have", state.index()))
            .into())
    }

    fn deadlocks_as_read(&self) -> Result<(), Rejection> {
        if self.structure.deadlock != Deadlock::Forbid {
            return Ok(());
        }
        match self.structure.reachable_deadlock(self.certificate.state) {
            None => Ok(()),
            Some(state) => Err(Diagnostic::error(
                "E0621",
                format!("the reading forbids deadlocks, and {} is a reachable one", self.state(state)),
            )
            .into()),
        }
    }

    /// Whether something refines the asked state. It is asked of mixed structures of users only: a cut is mixed by nature, since its two sides
    /// speak of two elements, and what an abstraction is one of refines it.
    fn consistent(&self) -> Result<bool, Stopped> {
        if !matches!(self.subject, Subject::Structure { mixed: true, .. }) {
            return Ok(true);
        }
        let game = CompletionGame { model: self.structure.model, total: self.structure.total };
        consistency::is_consistent(&game, self.certificate.state, self.budget)
    }

    fn assumptions(&self, consistent: bool) -> Vec<Assumption> {
        let mut assumptions = Vec::new();
        let reading = self.certificate.reading.linear;
        let falsity = self.certificate.logic == Logic::Ltl && self.certificate.value == Belnap::False;
        // Quantifiers inside a formula of CTL* may be proved either way, whatever its value is.
        let either = self.certificate.logic == Logic::CtlStar;
        if falsity && reading == LinearReading::Tg {
            assumptions.push(Assumption::LiteralReading);
        }
        if !consistent && self.certificate.value != Belnap::Both {
            assumptions.push(Assumption::Consistency);
        }
        let total = matches!(reading, LinearReading::BgTotal | LinearReading::TgPnf) && !self.structure.total;
        if (falsity || either) && total {
            assumptions.push(Assumption::Totality);
        }
        let absent = falsity && matches!(self.certificate.proof, Proof::NoPath);
        if (absent || either && reading == LinearReading::BgTotal) && self.structure.constraints() > 0 {
            assumptions.push(Assumption::FairPath);
        }
        assumptions
    }

    fn state(&self, state: StateId) -> String {
        format!("`{}`", self.structure.model.state_name(state))
    }

    fn node(&self, node: NodeId) -> String {
        let part = self.formula.to_builder().finish(node, self.formula.logic());
        let text = part.to_string();
        // A message of one line must stay one; the number tells where to look.
        if text.chars().count() > 120 { format!("node {}", node.index()) } else { format!("`{text}`") }
    }
}

fn unknown_name(kind: &str, name: &str) -> Diagnostic {
    Diagnostic::error("E0605", format!("the formula speaks of the {kind} `{name}`, which the model does not have"))
}

/// The proof is of a kind that cannot prove this answer.
fn misfit(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0611", message).into()
}

const fn kind_name(kind: ProofKind) -> &'static str {
    match kind {
        ProofKind::Claims => "claims",
        ProofKind::Lasso => "a path",
        ProofKind::NoPath => "the absence of a path",
        ProofKind::Plays => "a strategy",
        ProofKind::Labels => "labels",
        ProofKind::NoWord => "the absence of a word",
        ProofKind::Settled => "a strategy against completions",
        ProofKind::Refuted => "refutations",
        ProofKind::Outplayed => "moves against completions",
        ProofKind::Completions => "completions",
    }
}

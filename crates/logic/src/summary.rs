//! What is there to know about one formula? Everything that `tertium formula` shows.
//!
//! Puts together parsing, normal forms, classification and automata.
//!
//! Not here: how it is shown.

use tertium_base::Budget;

use crate::automata::{AcceptanceKind, Determiniser, Tgba, Translation, TranslationError, ltl_to_tgba};
use crate::classify::{
    alternation_depth, existential_only, is_ctl, mixed_atoms, tree_size, unguarded_variables, universal_only,
};
use crate::formula::{Formula, Logic};
use crate::normal::positive_normal_form;
use crate::simplify::simplify;
use crate::syntax::parse::{ParseOptions, Parsed, parse};

/// What is known about a formula.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The formula as written.
    pub formula: Formula,
    /// Negation at atoms only.
    pub positive: Formula,
    /// Its negation, negation at atoms only.
    pub negation: Formula,
    /// After the laws of De Morgan lattices.
    pub simplified: Formula,
    /// The number of nodes when written out; saturates.
    pub tree_size: u64,
    /// Whether it is a formula of CTL, whatever logic it was read in.
    pub is_ctl: bool,
    /// Alternation of fixpoints; 0 without fixpoints.
    pub alternation_depth: usize,
    /// Names of fixpoint variables outside every modality.
    pub unguarded: Vec<String>,
    /// Whether only universal quantifiers and modalities occur.
    pub universal_only: bool,
    /// Whether only existential ones occur.
    pub existential_only: bool,
    /// Atoms that occur both negated and not.
    pub mixed_atoms: Vec<String>,
    /// Automata, for formulas of linear time.
    pub automata: Option<Result<Automata, TranslationError>>,
}

/// The automata of a formula of linear time.
#[derive(Clone, Debug)]
pub struct Automata {
    /// For the formula.
    pub positive: Tgba,
    /// For its negation, which model checking looks for.
    pub negation: Tgba,
    /// What a deterministic automaton for the formula needs to accept.
    pub kind: AcceptanceKind,
}

impl Summary {
    /// Whether the compositional value is already the thorough one on structures whose steps are all certain.
    ///
    /// Sufficient, not necessary.
    #[must_use]
    pub fn is_self_minimising_on_labels(&self) -> bool {
        self.mixed_atoms.is_empty()
    }

    /// The same on structures with uncertain steps, which are unknowns of their own.
    #[must_use]
    pub fn is_self_minimising(&self) -> bool {
        self.mixed_atoms.is_empty() && (self.universal_only || self.existential_only)
    }
}

/// Parses a text and finds out all about it; the summary is there iff the text is a formula.
///
/// A budget that runs out costs the automata only.
#[must_use]
pub fn summarise(text: &str, options: &ParseOptions, budget: &Budget) -> (Parsed, Option<Summary>) {
    let parsed = parse(text, options);
    let summary = parsed.formula.as_ref().map(|formula| of_formula(formula, budget));
    (parsed, summary)
}

/// All about a formula.
#[must_use]
pub fn of_formula(formula: &Formula, budget: &Budget) -> Summary {
    let variable = |id: crate::formula::VarId| formula.variables()[id.index()].clone();
    let atom = |id: crate::formula::AtomId| formula.atoms()[id.index()].text.clone();
    Summary {
        positive: positive_normal_form(formula, false),
        negation: positive_normal_form(formula, true),
        simplified: simplify(formula),
        tree_size: tree_size(formula),
        is_ctl: is_ctl(formula),
        alternation_depth: alternation_depth(formula),
        unguarded: unguarded_variables(formula).into_iter().map(variable).collect(),
        universal_only: universal_only(formula),
        existential_only: existential_only(formula),
        mixed_atoms: mixed_atoms(formula).into_iter().map(atom).collect(),
        automata: (formula.logic() == Logic::Ltl).then(|| automata(formula, budget)),
        formula: formula.clone(),
    }
}

fn automata(formula: &Formula, budget: &Budget) -> Result<Automata, TranslationError> {
    Ok(Automata {
        positive: ltl_to_tgba(formula, false, Translation::default(), budget)?,
        negation: ltl_to_tgba(formula, true, Translation::default(), budget)?,
        kind: Determiniser::new(formula, false, budget)?.kind(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_summed_up() {
        let (parsed, summary) = summarise("G (p -> F q)", &ParseOptions::default(), &Budget::unlimited());
        assert!(parsed.diagnostics.is_empty());
        let summary = summary.unwrap();
        assert_eq!(summary.positive.text(), "G (!p | F q)");
        assert_eq!(summary.negation.text(), "F (p & G !q)");
        assert!(summary.universal_only && summary.is_self_minimising());
        let automata = summary.automata.unwrap().unwrap();
        assert_eq!((automata.positive.size().states, automata.kind), (2, AcceptanceKind::Buchi));
        let (_, branching) = summarise("AG EF p", &ParseOptions::default(), &Budget::unlimited());
        let branching = branching.unwrap();
        assert!(branching.is_ctl && branching.automata.is_none() && !branching.is_self_minimising());
    }

    #[test]
    fn a_spent_budget_costs_the_automata_only() {
        let spent = Budget::unlimited().with_time(Some(std::time::Duration::ZERO));
        let (_, summary) = summarise("G p", &ParseOptions::in_logic(Logic::Ltl), &spent);
        assert!(matches!(summary.unwrap().automata, Some(Err(TranslationError::Stopped(_)))));
        let (parsed, summary) = summarise("G (", &ParseOptions::default(), &spent);
        assert!(summary.is_none() && !parsed.diagnostics.is_empty());
    }
}

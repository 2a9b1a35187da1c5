//! What is this formula? Its logic, normal form, automaton, and how precise it is.

use tertium_base::{Budget, Diagnostic};
use tertium_logic::automata::{Letters, Translation, TranslationError, ltl_to_tgba};
use tertium_logic::{Formula, Logic, positive_normal_form};

use crate::failure::Failure;
use crate::precision::precision;
use crate::property::Property;

/// What is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormulaOptions {
    /// The logic, if it is not to be found out.
    pub logic: Option<Logic>,
    /// Whether the positive normal form is wanted.
    pub pnf: bool,
    /// Whether the automaton's size is wanted.
    pub automaton: bool,
    /// Whether the automaton itself is wanted.
    pub hoa: bool,
}

/// A formula described.
#[derive(Clone, Debug)]
pub struct Described {
    /// The formula.
    pub formula: Formula,
    /// Its positive normal form.
    pub pnf: Option<String>,
    /// Whether the compositional value is the strongest on structures without open steps.
    pub precise_with_decided_steps: bool,
    /// The same on all structures without hyper edges.
    pub precise: bool,
    /// What stands in the way.
    pub obstacle: Option<String>,
    /// The automaton.
    pub automaton: Option<Automaton>,
}

/// The automaton of a linear formula.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// Its states.
    pub states: usize,
    /// Its transitions.
    pub transitions: usize,
    /// Its acceptance sets.
    pub acceptance_sets: usize,
    /// Its text.
    pub hoa: Option<String>,
}

/// Reads and describes a formula.
///
/// # Errors
/// If the text is no formula, or an automaton is wanted of a formula that is not linear.
pub fn describe(text: &str, options: FormulaOptions, budget: &Budget) -> Result<Described, Failure> {
    let parsed = Property::from_text(text).parse(options.logic, &[]).map_err(Failure::Input)?;
    let formula = parsed.formula;
    let precision = precision(&formula);
    let automaton = if options.automaton { Some(automaton(&formula, options.hoa, budget)?) } else { None };
    Ok(Described {
        pnf: options.pnf.then(|| positive_normal_form(&formula, false).text()),
        precise_with_decided_steps: precision.with_decided_steps,
        precise: precision.always,
        obstacle: precision.obstacle,
        automaton,
        formula,
    })
}

fn automaton(formula: &Formula, with_text: bool, budget: &Budget) -> Result<Automaton, Failure> {
    // Letters as other tools know them: every atom is true or false.
    let translation = Translation { classical: true, ..Translation::default() };
    match ltl_to_tgba(formula, false, translation, budget) {
        Ok(found) => {
            let size = found.size();
            Ok(Automaton {
                states: size.states,
                transitions: size.transitions,
                acceptance_sets: size.marks,
                hoa: with_text.then(|| found.to_hoa(&formula.short_text(200), Letters::Classical)),
            })
        }
        Err(TranslationError::Stopped(stopped)) => Err(stopped.into()),
        Err(TranslationError::NotLinear) => {
            let what = format!("automata are for linear formulas, and this is one of {}", formula.logic().name());
            Err(Diagnostic::error("E0316", what).help("choose `--logic ltl` if every operator is linear").into())
        }
    }
}

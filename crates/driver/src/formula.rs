//! What is this formula? Its logic, normal form, automaton, and how precise it is.

use tertium_base::{Budget, Diagnostic, Span};
use tertium_logic::automata::{Determiniser, Letters, Translation, TranslationError, ltl_to_tgba};
use tertium_logic::disjunctive::Obstacle;
use tertium_logic::minimise::{Minimised, minimise};
use tertium_logic::{AtomId, Formula, Logic, positive_normal_form};

use crate::failure::{Failure, Located};
use crate::precision::precision;
use crate::property::{Parsed, Property};

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
    /// Whether a form is wanted that loses less when its parts are valued one by one.
    pub minimise: bool,
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
    /// The semantic minimisation.
    pub minimised: Option<Minimised>,
    /// What was asked for and could not be done as well as it should.
    pub warnings: Vec<Located>,
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
    /// The deterministic automaton: what it needs to accept, and its states if it is small.
    pub deterministic: (&'static str, Option<usize>),
    /// Its text.
    pub hoa: Option<String>,
}

/// Reads and describes a formula.
///
/// # Errors
/// If the text is no formula, or an automaton is wanted of a formula that is not linear.
pub fn describe(text: &str, options: FormulaOptions, budget: &Budget) -> Result<Described, Failure> {
    let parsed = Property::from_text(text).parse(options.logic, &[]).map_err(Failure::Input)?;
    let formula = parsed.formula.clone();
    let precision = precision(&formula);
    let automaton = if options.automaton { Some(automaton(&formula, options.hoa, budget)?) } else { None };
    let minimised = match options.minimise {
        true => Some(minimise(&formula, budget)?),
        false => None,
    };
    let obstacle = minimised.as_ref().and_then(|found| found.obstacle.as_ref());
    let warnings = obstacle.map(|obstacle| Located::within(not_exact(&parsed, obstacle), &parsed.property.source));
    Ok(Described {
        pnf: options.pnf.then(|| positive_normal_form(&formula, false).text()),
        precise_with_decided_steps: precision.with_decided_steps,
        precise: precision.always,
        obstacle: precision.obstacle,
        automaton,
        minimised,
        formula,
        warnings: warnings.into_iter().collect(),
    })
}

/// Why a form that loses nothing was not found.
fn not_exact(parsed: &Parsed, obstacle: &Obstacle) -> Diagnostic {
    let first = |names: &[String], spans: &[Span], name: &str| {
        names.iter().position(|known| known == name).and_then(|at| spans.get(at).copied())
    };
    let whole = Span::new(parsed.property.offset, parsed.property.offset + parsed.property.text.len());
    let warning = Diagnostic::warning("W0313", "no exact minimisation: only propositional parts were minimised");
    match obstacle {
        Obstacle::Action(name) => {
            let place = first(parsed.formula.actions(), &parsed.action_spans, name).unwrap_or(whole);
            warning
                .at(place, format!("what holds after every `{name}` meets a step of any action"))
                .note(format!("an exact form would speak of steps other than `{name}`, and no formula does"))
                .help("name the actions that are meant: `<a> p | <b> p` instead of `<> p`")
        }
        Obstacle::Constant(name) => {
            let place = first(parsed.formula.elements(), &parsed.element_spans, name).unwrap_or(whole);
            warning
                .at(place, "a constant that is neither true nor false")
                .note("completions have two truth values only, so no completion gives it a meaning")
                .help("leave the constant out, or use an atom that the model leaves unknown")
        }
        Obstacle::Size => warning
            .at(whole, "the form of this formula is too large to be of use")
            .note("it can be exponentially larger than the formula")
            .help("minimise its parts one by one, or check with `--semantics thorough`, which needs no such form"),
    }
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
                deterministic: deterministic(formula, budget)?,
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

/// More letters times states than this are not looked at.
const MOST_STEPS: usize = 1 << 16;

/// The kind of the deterministic automaton over two-valued letters, and its number of states.
fn deterministic(formula: &Formula, budget: &Budget) -> Result<(&'static str, Option<usize>), Failure> {
    let Ok(mut automaton) = Determiniser::classical(formula, false, budget) else {
        return Ok(("parity", None));
    };
    let mut atoms: Vec<AtomId> = automaton.literals().iter().map(|literal| literal.atom()).collect();
    atoms.sort_unstable();
    atoms.dedup();
    let kind = automaton.kind().name();
    let mut at = 0;
    while at < automaton.state_count() {
        budget.check()?;
        if atoms.len() > 16 || automaton.state_count() << atoms.len() > MOST_STEPS {
            return Ok((kind, None));
        }
        for letter in 0..1u32 << atoms.len() {
            automaton.successor(at, |literal| {
                let bit = atoms.binary_search(&literal.atom()).map_or(0, |bit| letter >> bit & 1);
                (bit == 1) != literal.is_negative()
            });
        }
        at += 1;
    }
    Ok((kind, Some(automaton.state_count())))
}

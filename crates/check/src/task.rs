//! What an engine is asked, and how it declines.

use tertium_base::{Budget, Stopped};
use tertium_evidence::Reading;
use tertium_lattice::Belnap;
use tertium_logic::{AtomId, Formula, Logic};
use tertium_model::{ActionId, Kmts, PropId, StateId};

use crate::Values;

/// Which steps a modality speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Filter {
    /// Every step.
    Any,
    /// Steps that carry this action.
    Action(ActionId),
    /// Steps that count for this fairness constraint (written by the fair-CTL translation, never by users).
    Fair(usize),
}

/// At which states the value is wanted. Engines may leave the value of other states wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask<'a> {
    /// At every state.
    All,
    /// At these.
    At(&'a [StateId]),
}

/// One question: a formula whose names are bound to a structure, under a reading.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The structure.
    pub model: &'a Kmts,
    /// The formula.
    pub formula: &'a Formula,
    /// The semantics.
    pub reading: Reading,
    /// For each atom of the formula its proposition.
    pub props: Vec<PropId>,
    /// For each lattice constant of the formula its value.
    pub elements: Vec<Belnap>,
    /// For each action of the formula what it selects.
    pub filters: Vec<Filter>,
    /// The states asked about.
    pub ask: Ask<'a>,
    /// The limits.
    pub budget: &'a Budget,
}

/// A name in a formula that the structure does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindError {
    /// No such proposition; with the atom's index in the formula.
    Atom(usize),
    /// No such truth value; with the constant's index in the formula.
    Element(usize),
    /// No such action; with the action's index in the formula.
    Action(usize),
}

/// Prefix of action names that stand for fairness constraints: `fair:0`, `fair:1`, …
pub(crate) const FAIR_PREFIX: &str = "fair:";

impl<'a> Task<'a> {
    /// Binds the formula's names to the structure's.
    ///
    /// # Errors
    /// Every name that the structure does not know; none is ever taken for false.
    pub fn new(
        model: &'a Kmts,
        formula: &'a Formula,
        reading: Reading,
        ask: Ask<'a>,
        budget: &'a Budget,
    ) -> Result<Self, Vec<BindError>> {
        Self::with_constants(model, formula, &[], reading, ask, budget)
    }

    /// As [`Self::new`], for a formula with constants of a user's lattice: `constants` gives each one's value in
    /// this structure, which is a cut of the lattice-valued one.
    ///
    /// # Errors
    /// Every name that neither the structure nor `constants` knows.
    pub fn with_constants(
        model: &'a Kmts,
        formula: &'a Formula,
        constants: &[(String, Belnap)],
        reading: Reading,
        ask: Ask<'a>,
        budget: &'a Budget,
    ) -> Result<Self, Vec<BindError>> {
        Self::bind(model, formula, constants, None, (reading, ask), budget)
    }

    /// As [`Self::new`], at every state, for a query: the placeholder's atom is no proposition.
    ///
    /// # Errors
    /// Every other name that the structure does not know.
    pub fn with_placeholder(
        model: &'a Kmts,
        formula: &'a Formula,
        placeholder: AtomId,
        reading: Reading,
        budget: &'a Budget,
    ) -> Result<Self, Vec<BindError>> {
        Self::bind(model, formula, &[], Some(placeholder), (reading, Ask::All), budget)
    }

    fn bind(
        model: &'a Kmts,
        formula: &'a Formula,
        constants: &[(String, Belnap)],
        placeholder: Option<AtomId>,
        (reading, ask): (Reading, Ask<'a>),
        budget: &'a Budget,
    ) -> Result<Self, Vec<BindError>> {
        let mut errors = Vec::new();
        let used = used_names(formula);
        let mut props = Vec::new();
        for (at, atom) in formula.atoms().iter().enumerate() {
            match model.prop_by_name(&atom.text) {
                Some(prop) => props.push(prop),
                None if used.atoms[at] && placeholder.is_none_or(|known| known.index() != at) => {
                    errors.push(BindError::Atom(at))
                }
                None => props.push(PropId::new(0)),
            }
        }
        let mut elements = Vec::new();
        for (at, name) in formula.elements().iter().enumerate() {
            let given = constants.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
            match given.or_else(|| belnap_by_name(name)) {
                Some(value) => elements.push(value),
                None if used.elements[at] => errors.push(BindError::Element(at)),
                None => elements.push(Belnap::Unknown),
            }
        }
        let mut filters = Vec::new();
        for (at, name) in formula.actions().iter().enumerate() {
            match filter_by_name(model, name) {
                Some(filter) => filters.push(filter),
                None if used.actions[at] => errors.push(BindError::Action(at)),
                None => filters.push(Filter::Any),
            }
        }
        if errors.is_empty() {
            Ok(Self { model, formula, reading, props, elements, filters, ask, budget })
        } else {
            Err(errors)
        }
    }

    /// Whether nothing is open: about steps, labels, fairness, or the formula's constants.
    pub(crate) fn is_decided(&self) -> bool {
        let decided = |value: &Belnap| matches!(value, Belnap::True | Belnap::False);
        self.model.is_complete()
            && self.model.fairness().iter().all(|fair| fair.possible == fair.certain)
            && self.elements.iter().all(decided)
    }

    /// Whether something may have evidence for true and be refuted, too.
    pub(crate) fn is_mixed(&self) -> bool {
        self.model.is_mixed() || self.elements.contains(&Belnap::Both)
    }

    /// What a modality's optional action selects.
    #[must_use]
    pub fn filter(&self, action: Option<tertium_logic::ActionId>) -> Filter {
        action.map_or(Filter::Any, |action| self.filters[action.index()])
    }
}

struct UsedNames {
    atoms: Vec<bool>,
    elements: Vec<bool>,
    actions: Vec<bool>,
}

fn used_names(formula: &Formula) -> UsedNames {
    use tertium_logic::Node;
    let mut used = UsedNames {
        atoms: vec![false; formula.atoms().len()],
        elements: vec![false; formula.elements().len()],
        actions: vec![false; formula.actions().len()],
    };
    for &node in formula.nodes() {
        match node {
            Node::Atom(atom) => used.atoms[atom.index()] = true,
            Node::Element(element) => used.elements[element.index()] = true,
            Node::Diamond(Some(action), _) | Node::Box(Some(action), _) => used.actions[action.index()] = true,
            _ => {}
        }
    }
    used
}

pub(crate) fn belnap_by_name(name: &str) -> Option<Belnap> {
    Some(match name {
        "t" | "true" => Belnap::True,
        "f" | "false" => Belnap::False,
        "u" | "unknown" => Belnap::Unknown,
        "b" | "both" => Belnap::Both,
        _ => return None,
    })
}

fn filter_by_name(model: &Kmts, name: &str) -> Option<Filter> {
    if let Some(number) = name.strip_prefix(FAIR_PREFIX) {
        let index = number.parse().ok()?;
        return (index < model.fairness().len()).then_some(Filter::Fair(index));
    }
    let at = model.actions().iter().position(|known| known == name)?;
    Some(Filter::Action(ActionId::new(at)))
}

/// Why an engine declines a task; shown to users and in test logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The engine's name.
    pub engine: &'static str,
    /// The reason, as the end of the sentence "engine X cannot do this: …".
    pub reason: String,
}

/// Why an engine gave no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// It cannot do this kind of task.
    Unsupported(Unsupported),
    /// A limit was reached.
    Stopped(Stopped),
}

impl From<Stopped> for EngineError {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<Unsupported> for EngineError {
    fn from(unsupported: Unsupported) -> Self {
        Self::Unsupported(unsupported)
    }
}

/// A way to evaluate formulas.
pub trait Engine {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Whether it can do this task.
    ///
    /// # Errors
    /// The reason why not.
    fn supports(&self, task: &Task<'_>) -> Result<(), Unsupported>;

    /// The formula's values at the states asked about.
    ///
    /// # Errors
    /// If the task is not supported or a limit is reached.
    fn values(&self, task: &Task<'_>) -> Result<Values, EngineError>;
}

/// Whether a formula's logic is one of these, for the `supports` of engines.
///
/// # Errors
/// Names the engine and what it is for.
pub(crate) fn require_logic(engine: &'static str, formula: &Formula, logics: &[Logic]) -> Result<(), Unsupported> {
    if logics.contains(&formula.logic()) {
        return Ok(());
    }
    let names: Vec<_> = logics.iter().map(|logic| logic.name()).collect();
    Err(Unsupported {
        engine,
        reason: format!("it evaluates {} only, and this is a formula of {}", names.join(", "), formula.logic().name()),
    })
}

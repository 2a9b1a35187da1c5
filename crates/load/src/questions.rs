//! What is asked of a program?
//!
//! The properties of its text and of the command line, and for each kind of mistake that its text makes possible one
//! question that nobody has to write down.

use std::collections::BTreeSet;
use std::sync::Arc;

use tertium_base::SourceFile;
use tertium_logic::{Formula, Logic, Node, NodeId, ParseOptions, parse};
use tertium_program::analysis::intervals::{ExprIntervals, Interval};
use tertium_program::{Action, Binary, Domain, Expr, ExprId, Hold, Place, ProcessId, Program};

use crate::failure::{Failure, Located};
use crate::program::{Language, ProgramFile};
use crate::property::{Parsed, Property, all_different, no_such_name};

pub use tertium_program::Mistake;

/// A property as the explorer sees it.
#[derive(Clone, Debug)]
pub struct PropertyQuery {
    /// Its name.
    pub name: String,
    /// Whether the user gave the name.
    pub named: bool,
    /// The formula as it was written.
    pub source: String,
    /// The formula.
    pub formula: Formula,
    /// For each atom of the formula its meaning.
    pub atoms: Vec<ExprId>,
    /// For a property that single states break, the condition on states, as a node of the formula, and whether it must
    /// hold (or must not).
    pub invariant: Option<(NodeId, bool)>,
    /// Whether the property says that some state breaks that condition, rather than none.
    pub exists: bool,
}

impl PropertyQuery {
    /// The condition that one state breaks so that the property is false, and whether it must hold. A property that some state should
    /// break it is not made false by any.
    #[must_use]
    pub fn broken_by_a_state(&self) -> Option<(NodeId, bool)> {
        self.invariant.filter(|_| !self.exists)
    }

    /// Another formula over the same atoms, by another name.
    #[must_use]
    pub fn with_formula(&self, name: &str, formula: Formula) -> Self {
        let invariant = invariant(&formula);
        Self {
            name: name.to_owned(),
            named: true,
            source: formula.text(),
            invariant: invariant.map(|(condition, holds, _)| (condition, holds)),
            exists: invariant.is_some_and(|(_, _, exists)| exists),
            atoms: self.atoms.clone(),
            formula,
        }
    }

    /// The property as one of a structure whose propositions are named like the atoms.
    ///
    /// # Errors
    /// If the formula's own text cannot be read back.
    pub fn on_structure(&self) -> Result<Parsed, Failure> {
        let text = self.formula.text();
        let property = Property {
            name: self.name.clone(),
            named: self.named,
            source: Arc::new(SourceFile::new("<property>", text.as_str())),
            text,
            logic: Some(self.formula.logic()),
            offset: 0,
        };
        property.parse(None, &[]).map_err(Failure::Input)
    }
}

tertium_base::id_type! {
    /// A question, by its place among those that are asked together.
    pub struct QuestionId;
}

impl QuestionId {
    /// All of so many questions.
    pub fn all(questions: &[Question]) -> impl Iterator<Item = Self> + use<> {
        (0..questions.len()).map(Self::new)
    }
}

/// One question.
#[derive(Clone, Debug)]
pub enum Question {
    /// A property.
    Property(Box<PropertyQuery>),
    /// Does this never happen?
    Never(MistakeQuery),
    /// Is no infinite run accepted by what watches it?
    Watched(MonitorQuery),
}

impl Question {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Property(asked) => &asked.name,
            Self::Never(never) => &never.name,
            Self::Watched(watched) => &watched.name,
        }
    }

    /// The plain name of a question that nobody has to write down, whatever properties are called; none for a property.
    #[must_use]
    pub fn built_in_name(&self) -> Option<&str> {
        match self {
            Self::Property(_) => None,
            Self::Never(never) => Some(never.mistake.name()),
            Self::Watched(watched) => Some(watched.built_in_name()),
        }
    }
}

/// What stands before the plain name of a built-in question where a property has that name. No name of a property has a colon.
pub const BUILT_IN: &str = "built-in:";

/// A mistake that should never happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MistakeQuery {
    /// The name of the question.
    pub name: String,
    /// Which.
    pub mistake: Mistake,
}

impl From<Mistake> for MistakeQuery {
    fn from(mistake: Mistake) -> Self {
        Self { name: mistake.name().to_owned(), mistake }
    }
}

/// What watches infinite runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MonitorQuery {
    /// The name of the question.
    pub name: String,
    /// What holds if no run is accepted, in words.
    pub claim: String,
    /// Which.
    pub kind: WatchKind,
}

impl MonitorQuery {
    /// The name under which such a question is told.
    #[must_use]
    pub const fn logic(&self) -> &'static str {
        if matches!(self.kind, WatchKind::Claim(_)) { "never" } else { "omega" }
    }

    /// Its plain name, whatever properties are called.
    #[must_use]
    pub fn built_in_name(&self) -> &str {
        self.name.strip_prefix(BUILT_IN).unwrap_or(&self.name)
    }
}

/// The ways of watching.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WatchKind {
    /// A `never` claim.
    Claim(ProcessId),
    /// Labels `accept` in processes.
    Acceptance,
    /// Labels `progress` in processes: runs that pass none of them from some point on.
    NonProgress,
}

/// The questions: those selected by `only`, else those given on the command line, else everything.
///
/// # Errors
/// If a name in `only` means nothing, or two properties that are asked have one name.
pub fn questions(file: &ProgramFile, only: &[String], progress: bool) -> Result<Vec<Question>, Failure> {
    let program = &file.program;
    let built_in = built_in(file, only, progress);
    let own_names = program.properties.iter().map(|property| property.name.as_str());
    let names: Vec<&str> = own_names.chain(built_in.iter().map(Question::name)).collect();
    let missing: Vec<Located> = only
        .iter()
        .filter(|name| !names.contains(&name.as_str()))
        .map(|name| no_such_name(name, &names, "properties of the file and built-in ones"))
        .collect();
    if !missing.is_empty() {
        return Err(Failure::Input(missing));
    }
    let restricted = !only.is_empty() || !file.given.is_empty();
    let wanted = |name: &str| !restricted || only.iter().any(|known| known == name);
    let own = program.properties.len() - file.given.len();
    let mut questions = Vec::new();
    for (at, property) in program.properties.iter().enumerate() {
        if at >= own || wanted(&property.name) {
            questions.push(Question::Property(Box::new(asked(file, property)?)));
        }
    }
    all_different(questions.iter().map(Question::name))?;
    let is_progress = |question: &Question| question.built_in_name() == Some(PROGRESS);
    questions.extend(built_in.into_iter().filter(|one| wanted(one.name()) || (progress && is_progress(one))));
    Ok(questions)
}

/// What is asked without being written down. Results, evidence and `--only` go by names: where a property has the plain name of
/// such a question, or the user asks for the qualified one, the question goes by that.
fn built_in(file: &ProgramFile, only: &[String], progress: bool) -> Vec<Question> {
    let is_property = |name: &str| file.program.properties.iter().any(|property| property.name == name);
    let qualified = |name: &str| format!("{BUILT_IN}{name}");
    let is_asked = |name: String| only.contains(&name);
    let name_of = |plain: &str| {
        let other = qualified(plain);
        if is_property(plain) || only.contains(&other) { other } else { plain.to_owned() }
    };
    let by_name = is_asked(qualified(PROGRESS)) || (!is_property(PROGRESS) && is_asked(PROGRESS.to_owned()));
    let watched = watched(file, progress || by_name).into_iter();
    let watched = watched.map(|one| Question::Watched(MonitorQuery { name: name_of(&one.name), ..one }));
    let never = possible(file).into_iter();
    let never = never.map(|mistake| Question::Never(MistakeQuery { name: name_of(mistake.name()), mistake }));
    watched.chain(never).collect()
}

/// The question about non-progress cycles.
pub const PROGRESS: &str = "progress";

/// What a Promela model asks about infinite runs.
fn watched(file: &ProgramFile, progress: bool) -> Vec<MonitorQuery> {
    let program = &file.program;
    let mut found = Vec::new();
    for &claim in &program.claims {
        let name = match program.claims.len() {
            1 => "never".to_owned(),
            _ => program.process(claim).name.clone(),
        };
        let words = "the never claim is never matched".to_owned();
        found.push(MonitorQuery { name, claim: words, kind: WatchKind::Claim(claim) });
    }
    if file.accepts && program.claims.is_empty() {
        let claim = "no run passes an accept label again and again".to_owned();
        found.push(MonitorQuery { name: "acceptance".to_owned(), claim, kind: WatchKind::Acceptance });
    }
    // Guarded commands have no such labels.
    if progress && file.language == Language::Promela {
        let claim = "every infinite run passes progress labels again and again".to_owned();
        found.push(MonitorQuery { name: PROGRESS.to_owned(), claim, kind: WatchKind::NonProgress });
    }
    found
}

/// The mistakes that the text of a file makes possible, in the order in which they are asked.
#[must_use]
pub fn possible(file: &ProgramFile) -> Vec<Mistake> {
    match file.language {
        Language::Gcl => possible_mistakes(&file.program),
        Language::Promela => possible_in_promela(&file.program),
        // That a state has no successors is what the model says, and no mistake of it.
        Language::Horn => Vec::new(),
        Language::Smv => {
            possible_mistakes(&file.program).into_iter().filter(|mistake| *mistake != Mistake::Deadlock).collect()
        }
    }
}

/// The mistakes that a Promela model can make; values never overflow, they wrap.
fn possible_in_promela(program: &Program) -> Vec<Mistake> {
    let mut found: BTreeSet<Mistake> = possible_mistakes(program).into_iter().collect();
    found.remove(&Mistake::Deadlock);
    found.remove(&Mistake::RangeOverflow);
    found.insert(Mistake::EndState);
    if program.trace.is_some() {
        found.insert(Mistake::Trace);
    }
    let blocks = program.processes.iter().flat_map(|process| &process.locations);
    if blocks.into_iter().any(|location| location.hold != Hold::Free) {
        found.insert(Mistake::EndlessAtomic);
    }
    let risky = |action: &Action| {
        matches!(action, Action::Send { .. } | Action::Receive { .. } | Action::Run { .. } | Action::SetPriority { .. })
    };
    let asks = (0..program.exprs.len()).any(|id| matches!(program.exprs.get(ExprId::new(id)), Expr::Enabled(_)));
    // A channel variable may hold no channel yet; asking such a one is a fault.
    let asks_channels = program
        .exprs
        .reachable(&evaluated(program))
        .into_iter()
        .any(|id| matches!(program.exprs.get(id), Expr::Length(_) | Expr::Capacity(_) | Expr::Poll(_)));
    let watched = program.trace.is_some() || program.must_be_deterministic();
    if asks || asks_channels || watched || program.steps.iter().any(|step| risky(&step.action)) {
        found.insert(Mistake::Other);
    }
    Mistake::ALL.into_iter().filter(|mistake| found.contains(mistake)).collect()
}

/// What a property of a program asks.
///
/// # Errors
/// If its formula is none any more, or an atom has no meaning.
pub fn asked(file: &ProgramFile, property: &tertium_program::Property) -> Result<PropertyQuery, Failure> {
    let broken = |what: &str| Failure::Internal(format!("property `{}`: {what}", property.name));
    let logic = Logic::from_name(&property.logic).ok_or_else(|| broken("its logic is not known any more"))?;
    let formula = parse(&property.formula, &ParseOptions::in_logic(logic)).formula;
    let formula = formula.ok_or_else(|| broken("its formula cannot be read any more"))?;
    let atoms: Option<Vec<ExprId>> =
        formula.atoms().iter().map(|atom| property.atoms.get(&atom.text).copied()).collect();
    let invariant = invariant(&formula);
    Ok(PropertyQuery {
        name: property.name.clone(),
        named: !file.unnamed.contains(&property.name),
        source: property.source.split_whitespace().collect::<Vec<_>>().join(" "),
        invariant: invariant.map(|(condition, holds, _)| (condition, holds)),
        exists: invariant.is_some_and(|(_, _, exists)| exists),
        atoms: atoms.ok_or_else(|| broken("an atom has lost its meaning"))?,
        formula,
    })
}

/// `G p`, `!F p`, `AG p`, `!EF p`: no state breaks a condition; `EF p`, `!AG p`: some state does. The condition, whether it
/// must hold, and whether some state should break it.
fn invariant(formula: &Formula) -> Option<(NodeId, bool, bool)> {
    let (mut root, mut positive) = (formula.root(), true);
    while let Node::Not(inner) = formula.node(root) {
        (root, positive) = (inner, !positive);
    }
    let (inner, exists) = match (formula.logic(), formula.node(root)) {
        (Logic::Ltl, Node::Globally(_) | Node::Finally(_)) => (root, None),
        (Logic::Ctl, Node::All(inner)) => (inner, Some(false)),
        (Logic::Ctl, Node::Exists(inner)) => (inner, Some(true)),
        _ => return None,
    };
    let (condition, holds, exists) = match (formula.node(inner), exists) {
        (Node::Globally(condition), None) if positive => (condition, true, false),
        (Node::Finally(condition), None) if !positive => (condition, false, false),
        (Node::Globally(condition), Some(false)) => (condition, true, !positive),
        (Node::Finally(condition), Some(true)) => (condition, false, positive),
        _ => return None,
    };
    formula.is_propositional(condition).then_some((condition, holds, exists))
}

/// The mistakes that the text of a program makes possible.
#[must_use]
pub fn possible_mistakes(program: &Program) -> Vec<Mistake> {
    // Types alone: what is asked should not depend on how far an analysis comes.
    let known = ExprIntervals::by_types(program);
    let mut found = BTreeSet::from([Mistake::Deadlock]);
    for step in &program.steps {
        match &step.action {
            Action::Assert(_) => {
                found.insert(Mistake::Assertion);
            }
            Action::Assign(assigns) | Action::Together { assigns, .. } => {
                for assign in assigns {
                    let ty = program.variable(assign.place.variable()).ty;
                    let value = known.with_inputs(program, assign.value, &known.inputs(program, step));
                    if !value.is_within(Interval::of_type(program, ty)) {
                        found.insert(Mistake::RangeOverflow);
                    }
                    if let Place::Element(array, indices) = assign.place
                        && !inside(program, &known, array, program.exprs.list(indices))
                    {
                        found.insert(Mistake::ArrayBounds);
                    }
                }
            }
            _ => {}
        }
    }
    for id in program.exprs.reachable(&evaluated(program)) {
        match program.exprs.get(id) {
            Expr::Element(array, indices) if !inside(program, &known, array, program.exprs.list(indices)) => {
                found.insert(Mistake::ArrayBounds);
            }
            Expr::Binary(Binary::Div | Binary::Mod | Binary::Quotient | Binary::Remainder, _, divisor)
                if known.at(divisor).contains(0) =>
            {
                found.insert(Mistake::DivisionByZero);
            }
            _ => {}
        }
    }
    let holds = |hold| program.processes.iter().flat_map(|process| &process.locations).any(|at| at.hold == hold);
    if holds(Hold::Indivisible) {
        found.insert(Mistake::EndlessAtomic);
    }
    Mistake::ALL.into_iter().filter(|mistake| found.contains(mistake)).collect()
}

/// What steps evaluate; properties may say what they like.
fn evaluated(program: &Program) -> Vec<ExprId> {
    let mut roots = Vec::new();
    for step in &program.steps {
        roots.push(step.guard);
        for input in &step.inputs {
            if let Domain::Range(lo, hi) = input.domain {
                roots.extend([lo, hi]);
            }
        }
        match &step.action {
            Action::Assert(condition) => roots.push(*condition),
            Action::Assign(assigns) | Action::Together { assigns, .. } => {
                for assign in assigns {
                    roots.push(assign.value);
                    if let Place::Element(_, indices) = assign.place {
                        roots.extend(program.exprs.list(indices));
                    }
                }
            }
            _ => {}
        }
    }
    roots
}

fn inside(program: &Program, known: &ExprIntervals, array: tertium_program::VarId, indices: &[ExprId]) -> bool {
    let dimensions = &program.variable(array).dimensions;
    indices.iter().zip(dimensions).all(|(&index, dimension)| {
        known.at(index).is_within(Interval::between(dimension.lo.into(), dimension.hi().into()))
    })
}

//! How does one kind of partial structure become another, with its properties?
//!
//! Partial Kripke structures, modal transition systems and KMTS are equally expressive (Godefroid and Jagadeesan 2003). [`translate`] turns one into another; formulas are translated along, so that a property has
//! the same value before and after. [`classical_runs`] writes the classical structures that decide the questions: a pessimistic and an optimistic completion, or one for each cut of a lattice.
//!
//! A property that the target cannot express is left out with a warning, never changed in its meaning.
//!
//! Not here: the structures themselves (`tertium_model`), and the form of formulas over marked steps (`tertium_logic::relativise`).

use tertium_base::Diagnostic;
use tertium_lattice::Belnap;
use tertium_load::Loaded;
use tertium_load::cuts::{constants, cut, too_large};
use tertium_load::failure::{Failure, Located};
use tertium_logic::{
    Atom, Formula, FormulaBuilder, Logic, MarkedSteps, Node, NodeId, ctl_to_mu, positive_normal_form, relativise,
};
use tertium_model::{
    ClassicalCompletion, CompletionSide, Kmts, Model, TranslateError, classical_completion, merge_hyper, to_mts, to_pks,
};

use crate::bind::{KnownNames, unbound, unknown_name};
use crate::compare::structure;
use crate::query::is_query;

/// Why a formula of ATL has no counterpart.
const SPEAKS_OF_PLAYERS: &str = "it speaks of players, and the translated structure has none";

/// A kind of partial structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StructureKind {
    /// Partial Kripke structure: labels may be open, steps are not.
    PartialKripke,
    /// Modal transition system: steps may be open, and there are no labels.
    ModalTransition,
    /// Mixed transition system: plain may and must steps, of which neither need be the other.
    Mixed,
}

/// A structure made from another, with its properties.
#[derive(Debug)]
pub struct TranslatedStructure {
    /// What the structure is for: a file's name, without ending.
    pub name: String,
    /// The structure, with the properties that could be translated.
    pub loaded: Loaded,
    /// What a property's value there says about its value in the original.
    pub says: String,
    /// Properties that could not.
    pub warnings: Vec<Diagnostic>,
}

/// The structure as another kind.
///
/// # Errors
/// If it has something that the kind cannot express, or a mistake in a property.
pub fn translate(loaded: &Loaded, kind: StructureKind) -> Result<TranslatedStructure, Failure> {
    let kmts = structure(loaded)?;
    let translated = match kind {
        StructureKind::PartialKripke => to_pks(&kmts),
        StructureKind::ModalTransition => to_mts(&kmts),
        StructureKind::Mixed => merge_hyper(&kmts),
    };
    let translated = translated.map_err(|error| untranslated(loaded, kind, error))?;
    let added = translated.added.unwrap_or_default();
    let mut result = TranslatedStructure {
        name: String::new(),
        loaded: Loaded::of_model(&loaded.file, Model::Kmts(translated.structure)),
        says: String::new(),
        warnings: Vec::new(),
    };
    let mut written = Vec::new();
    for (name, formula) in formulas(loaded)? {
        let formula = with_kmts_constants(loaded, &formula);
        let new = match kind {
            _ if is_query(&formula) => Err("it is a query"),
            _ if formula.logic().is_strategic() => Err(SPEAKS_OF_PLAYERS),
            StructureKind::PartialKripke => Ok(relativise(&formula, &added, MarkedSteps::Both)),
            StructureKind::ModalTransition => over_actions(&formula, &kmts, &added),
            StructureKind::Mixed => Ok(formula),
        };
        keep(name, new, &mut written, &mut result.warnings);
    }
    result.loaded = result.loaded.with_properties(&written);
    Ok(result)
}

/// The classical structures that decide the properties: two completions, or one for each cut of a lattice.
///
/// # Errors
/// If the structure has something that a classical one cannot express, or a mistake in a property.
pub fn classical_runs(loaded: &Loaded) -> Result<Vec<TranslatedStructure>, Failure> {
    let refused = |error| uncompleted(loaded, error);
    let own = formulas(loaded)?;
    let mut runs = Vec::new();
    match &loaded.model {
        Model::Kmts(kmts) => {
            let names = [
                (CompletionSide::Pessimistic, "pessimistic", "a property holds here iff it is true"),
                (CompletionSide::Optimistic, "optimistic", "a property fails here iff it is false"),
            ];
            for (side, name, says) in names {
                let completion = classical_completion(kmts, side).map_err(refused)?;
                let constants = loaded.constants();
                runs.push(classical_run(loaded, &own, completion, (side, &constants), (name, says)));
            }
        }
        Model::Lattice(model) => {
            for &at in model.lattice().join_irreducibles() {
                let element = model.lattice().name(at);
                let kmts = cut(model, at).map_err(too_large)?;
                let side = CompletionSide::Pessimistic;
                let completion = classical_completion(&kmts, side).map_err(refused)?;
                let (name, says) =
                    (format!("at-{element}"), format!("a property holds here iff its value is at least {element}"));
                runs.push(classical_run(loaded, &own, completion, (side, &constants(model, at)), (&name, &says)));
            }
        }
        Model::Param(_) => return Err(refused(TranslateError::Unsupported("parameters"))),
    }
    Ok(runs)
}

fn classical_run(
    loaded: &Loaded,
    own: &[(String, Formula)],
    completion: ClassicalCompletion,
    (side, constants): (CompletionSide, &[(String, Belnap)]),
    (name, says): (&str, &str),
) -> TranslatedStructure {
    let mut written = Vec::new();
    let mut warnings = Vec::new();
    for (name, formula) in own {
        let new = if is_query(formula) {
            Err("it is a query")
        } else if formula.logic().is_strategic() {
            Err(SPEAKS_OF_PLAYERS)
        } else {
            let positive = classical_formula(formula, loaded, &completion, (side, constants));
            Ok(match &completion.mark {
                Some(mark) => relativise(&positive, mark, MarkedSteps::ExistsOnly),
                None => positive,
            })
        };
        keep(name.clone(), new, &mut written, &mut warnings);
    }
    let structure = Loaded::of_model(&loaded.file, Model::Kmts(completion.structure)).with_properties(&written);
    TranslatedStructure { name: name.to_owned(), loaded: structure, says: says.to_owned(), warnings }
}

/// In positive normal form, with propositions for negations and truth values for constants.
fn classical_formula(
    formula: &Formula,
    loaded: &Loaded,
    completion: &ClassicalCompletion,
    (side, constants): (CompletionSide, &[(String, Belnap)]),
) -> Formula {
    let positive = positive_normal_form(formula, false);
    let props = loaded.prop_names();
    let negation = |atom: &Atom| {
        let at = props.iter().position(|prop| *prop == atom.text)?;
        completion.negations.get(at)?.clone()
    };
    let value =
        |name: &String| constants.iter().find(|(known, _)| known == name).map_or(Belnap::Unknown, |(_, value)| *value);
    let mut builder = positive.to_builder();
    let mut made: Vec<NodeId> = Vec::new();
    for id in positive.node_ids() {
        let node = match positive.node(id) {
            Node::Not(literal) => match positive.node(literal) {
                Node::Atom(atom) => match negation(&positive.atoms()[atom.index()]) {
                    Some(name) => builder.atom(atom_named(&name)),
                    None => builder.add(Node::Not(made[literal.index()])),
                },
                Node::Element(element) => {
                    let fails = side.fails(value(&positive.elements()[element.index()]));
                    builder.add(if fails { Node::True } else { Node::False })
                }
                _ => builder.add(Node::Not(made[literal.index()])),
            },
            Node::Element(element) => {
                let holds = side.holds(value(&positive.elements()[element.index()]));
                builder.add(if holds { Node::True } else { Node::False })
            }
            node => builder.add(node.map_children(|child| made[child.index()])),
        };
        made.push(node);
    }
    builder.finish(made[positive.root().index()], formula.logic())
}

fn atom_named(name: &str) -> Atom {
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    Atom { text: name.to_owned(), quoted: !plain }
}

/// Atoms as steps, and steps of any kind as steps of some action.
fn over_actions(formula: &Formula, kmts: &Kmts, step: &str) -> Result<Formula, &'static str> {
    let formula = match formula.logic() {
        Logic::Pml | Logic::Mu => formula.clone(),
        Logic::Ctl => ctl_to_mu(formula).ok_or("its operators cannot be unfolded")?,
        Logic::Atl | Logic::AtlStar => return Err(SPEAKS_OF_PLAYERS),
        Logic::Ltl | Logic::CtlStar => return Err("labels are steps there, and no path goes on behind one"),
    };
    let legible = |name: &str| !name.contains(['[', ']', '<', '>', '"', '&', '|', '\n']) && name.trim() == name;
    let actions: Vec<&str> = kmts.actions().iter().map(String::as_str).chain([step]).collect();
    if !actions.iter().all(|name| legible(name)) {
        return Err("the name of an action cannot stand in a formula");
    }
    let mut builder = formula.to_builder();
    let mut made: Vec<NodeId> = Vec::new();
    for id in formula.node_ids() {
        let node = match formula.node(id) {
            Node::Atom(atom) => {
                let name = &formula.atoms()[atom.index()].text;
                if !legible(name) || name == "true" {
                    return Err("the name of a proposition cannot stand in a formula as an action");
                }
                let (action, anything) = (builder.action(name), builder.add(Node::True));
                builder.add(Node::Diamond(Some(action), anything))
            }
            Node::Diamond(None, a) => any_action(&mut builder, &actions, made[a.index()], true),
            Node::Box(None, a) => any_action(&mut builder, &actions, made[a.index()], false),
            node => builder.add(node.map_children(|child| made[child.index()])),
        };
        made.push(node);
    }
    Ok(builder.finish(made[formula.root().index()], Logic::Mu))
}

/// A step of some action, or all steps of all actions.
fn any_action(builder: &mut FormulaBuilder, actions: &[&str], target: NodeId, some: bool) -> NodeId {
    let each: Vec<NodeId> = actions
        .iter()
        .map(|name| {
            let action = Some(builder.action(name));
            builder.add(if some { Node::Diamond(action, target) } else { Node::Box(action, target) })
        })
        .collect();
    let joined = each.into_iter().reduce(|a, b| builder.add(if some { Node::Or(a, b) } else { Node::And(a, b) }));
    joined.unwrap_or(target)
}

/// Constants of a lattice as those of a structure with may and must.
pub(crate) fn with_kmts_constants(loaded: &Loaded, formula: &Formula) -> Formula {
    let Model::Lattice(_) = &loaded.model else { return formula.clone() };
    let mut builder = formula.to_builder();
    let mut made: Vec<NodeId> = Vec::new();
    for id in formula.node_ids() {
        let node = match formula.node(id) {
            Node::Element(element) => match formula.elements()[element.index()].as_str() {
                "t" => builder.add(Node::True),
                "u" => builder.element("unknown"),
                "b" => builder.element("both"),
                _ => builder.add(Node::False),
            },
            node => builder.add(node.map_children(|child| made[child.index()])),
        };
        made.push(node);
    }
    builder.finish(made[formula.root().index()], formula.logic())
}

/// The properties of the file, read, with their names.
pub(crate) fn formulas(loaded: &Loaded) -> Result<Vec<(String, Formula)>, Failure> {
    let elements = loaded.element_names();
    let known = KnownNames {
        props: loaded.prop_names(),
        elements: elements.iter().map(String::as_str).collect(),
        players: loaded.player_names(),
        actions: loaded.action_names(),
        over_a_lattice: matches!(loaded.model, Model::Lattice(_)),
    };
    let (mut found, mut mistakes): (Vec<(String, Formula)>, Vec<Located>) = (Vec::new(), Vec::new());
    for property in loaded.properties() {
        match property.clone().parse(None, &elements) {
            Ok(parsed) => {
                let unknown = unbound(loaded, &parsed.formula);
                mistakes.extend(unknown.iter().map(|error| unknown_name(error, &parsed, &known)));
                found.push((property.name.clone(), parsed.formula));
            }
            Err(errors) => mistakes.extend(errors),
        }
    }
    if mistakes.is_empty() { Ok(found) } else { Err(Failure::Input(mistakes)) }
}

fn keep(
    name: String,
    formula: Result<Formula, &'static str>,
    written: &mut Vec<(String, Formula)>,
    warnings: &mut Vec<Diagnostic>,
) {
    match formula {
        Ok(formula) => written.push((name, formula)),
        Err(why) => {
            let message = format!("the property `{name}` is left out: {why}");
            warnings.push(Diagnostic::warning("W0317", message));
        }
    }
}

fn untranslated(loaded: &Loaded, kind: StructureKind, error: TranslateError) -> Failure {
    let TranslateError::Unsupported(what) = error else { return uncompleted(loaded, error) };
    let kind = match kind {
        StructureKind::PartialKripke => "a partial Kripke structure",
        StructureKind::ModalTransition => "a modal transition system",
        StructureKind::Mixed => "a mixed transition system",
    };
    let message = format!("`{}` cannot be written as {kind}: it has {what}", loaded.file);
    Diagnostic::error("E0337", message).help(advice(what)).into()
}

fn uncompleted(loaded: &Loaded, error: TranslateError) -> Failure {
    match error {
        TranslateError::TooLarge(error) => too_large(error),
        TranslateError::Unsupported(what) => {
            let message = format!("`{}` has no classical completions: it has {what}", loaded.file);
            Diagnostic::error("E0337", message).help(advice(what)).into()
        }
    }
}

/// What to do about something that a translation cannot express.
fn advice(what: &str) -> &'static str {
    match what {
        "hyper edges" => "`--to mixed` turns hyper edges into steps to merged states, which is sound but says less",
        "the assertion `total`" => "without `total` fewer values are definite, and those that are stay so",
        "steps that are certain but not possible" => "`--to mixed` and `--to completions` express them",
        "parameters" => "write out one of its instances",
        _ => "`--to kmts` and `--to json` write every structure",
    }
}

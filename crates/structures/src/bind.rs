//! Which names does a formula use that the model does not know?
//!
//! A name that is not known is an error, never false: a property that passes because of a misspelt
//! name is worse than none.

use tertium_base::Diagnostic;
use tertium_base::diagnostic::closest_name;
use tertium_check::BindError;

use tertium_load::Loaded;
use tertium_logic::query::is_placeholder;
use tertium_logic::{Formula, Node};

use tertium_load::failure::Located;
use tertium_load::property::Parsed;

/// The names that a formula may use.
#[derive(Clone, Debug, Default)]
pub struct KnownNames<'a> {
    /// Atomic propositions.
    pub props: Vec<&'a str>,
    /// Truth values that may stand in a formula.
    pub elements: Vec<&'a str>,
    /// Actions of modalities.
    pub actions: Vec<&'a str>,
    /// Players of coalitions.
    pub players: Vec<&'a str>,
    /// Whether the truth values are elements of a lattice, which are worth telling where a proposition is not known.
    pub over_a_lattice: bool,
}

/// The names in a formula that the model does not know. None is ever taken for false.
#[must_use]
pub fn unbound(loaded: &Loaded, formula: &Formula) -> Vec<BindError> {
    let (props, actions) = (loaded.prop_names(), loaded.action_names());
    let mut errors: Vec<BindError> = Vec::new();
    for &node in formula.nodes() {
        match node {
            Node::Atom(atom) if is_placeholder(&formula.atoms()[atom.index()]) => {}
            Node::Atom(atom) if !props.contains(&formula.atoms()[atom.index()].text.as_str()) => {
                errors.push(BindError::Atom(atom.index()));
            }
            Node::Diamond(Some(action), _) | Node::Box(Some(action), _)
                if !actions.contains(&formula.actions()[action.index()].as_str()) =>
            {
                errors.push(BindError::Action(action.index()));
            }
            _ => {}
        }
    }
    errors
}

/// The players of a formula that the model does not know, with the coalition in which each stands.
#[must_use]
pub fn unknown_players<'f>(loaded: &Loaded, formula: &'f Formula) -> Vec<(usize, &'f str)> {
    let known = loaded.player_names();
    let mut unknown = Vec::new();
    for &node in formula.nodes() {
        let Node::Coalition(id, _) = node else { continue };
        let names = formula.coalitions()[id.index()].names();
        unknown.extend(names.iter().filter(|name| !known.contains(&name.as_str())).map(|name| (id.index(), &**name)));
    }
    unknown
}

/// A player that the model does not have, in the place where the coalition was written.
#[must_use]
pub fn unknown_player((at, name): (usize, &str), parsed: &Parsed, known: &KnownNames<'_>) -> Located {
    let mut diagnostic = tertium_logic::unknown_player(name);
    if let Some(&span) = parsed.coalition_spans.get(at) {
        diagnostic = diagnostic.at(span, "not known to the model");
    }
    diagnostic = diagnostic.note(listing("players", &known.players));
    diagnostic = match closest_name(name, known.players.iter().copied()) {
        Some(close) => diagnostic.help(format!("did you mean `{close}`?")),
        None => diagnostic.help("a state gets a player by a line `owner STATE = PLAYER`"),
    };
    Located::within(diagnostic, &parsed.property.source)
}

/// A name that could not be bound, in the place where it was written.
#[must_use]
pub fn unknown_name(error: &BindError, parsed: &Parsed, known: &KnownNames<'_>) -> Located {
    let (code, what, many, name, span, names) = match *error {
        BindError::Atom(at) => {
            let text = parsed.formula.atoms()[at].text.as_str();
            ("E0120", "proposition", "propositions", text, parsed.atom_spans.get(at), &known.props)
        }
        BindError::Element(at) => {
            let text = parsed.formula.elements()[at].as_str();
            ("E0121", "truth value", "truth values", text, parsed.element_spans.get(at), &known.elements)
        }
        BindError::Action(at) => {
            let text = parsed.formula.actions()[at].as_str();
            ("E0122", "action", "actions", text, parsed.action_spans.get(at), &known.actions)
        }
    };
    let mut diagnostic = Diagnostic::error(code, format!("the model has no {what} named `{name}`"));
    if let Some(&span) = span {
        diagnostic = diagnostic.at(span, "not known to the model");
    }
    diagnostic = diagnostic.note(listing(many, names));
    if matches!(error, BindError::Atom(_)) && known.over_a_lattice {
        diagnostic = diagnostic.note(listing("truth values", &known.elements));
    }
    if let Some(close) = closest_name(name, names.iter().copied()) {
        diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
    }
    Located::within(diagnostic, &parsed.property.source)
}

/// "propositions of the model: p, q, … (17 in all)".
fn listing(what: &str, names: &[&str]) -> String {
    const SHOWN: usize = 20;
    if names.is_empty() {
        return format!("the model has no {what}");
    }
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        return format!("{what} of the model: {shown}, ... ({} in all)", names.len());
    }
    format!("{what} of the model: {shown}")
}

//! Which model does a file hold?
//!
//! The kind is told by the ending of the file's name. Whatever is wrong with the file is a list of diagnostics with places.

use std::path::Path;
use std::sync::Arc;

use tertium_base::{Budget, Diagnostic, SourceFile, Span, files};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic};
pub use tertium_model::Model;
use tertium_model::{Format, Kmts, LatticeModel, StateId, read_bytes, read_file};

use crate::cuts;
use crate::failure::{Failure, Located};
use crate::property::Property;
use crate::source::ModelSource;

/// Constants of Belnap's domain that may stand in formulas about structures with may and must.
const BELNAP_CONSTANTS: [&str; 2] = ["unknown", "both"];

/// A model with what came with it.
#[derive(Debug)]
pub struct Loaded {
    /// The path as the user wrote it.
    pub file: String,
    /// The model.
    pub model: Model,
    properties: Vec<Property>,
    written_properties: Vec<tertium_model::Property>,
    warnings: Vec<Located>,
}

/// Reads a model.
///
/// # Errors
/// Everything that is wrong with the file, or the limit that was reached.
pub fn load(path: &Path, budget: &Budget) -> Result<Loaded, Failure> {
    ModelSource::of_file(path, None)?.structure(budget)
}

/// The same in a format that is known.
pub(crate) fn load_in(path: &Path, format: Format, budget: &Budget) -> Result<Loaded, Failure> {
    loaded(&path.to_string_lossy(), read_file(path, format, budget)?)
}

/// Reads a model in lines for people from a text that is already there.
///
/// # Errors
/// Everything that is wrong with the text, or the limit that was reached.
pub fn from_text(file: &str, text: &str, budget: &Budget) -> Result<Loaded, Failure> {
    from_bytes(file, Format::Kmts, text.as_bytes(), budget)
}

/// The same in any format.
pub(crate) fn from_bytes(file: &str, format: Format, text: &[u8], budget: &Budget) -> Result<Loaded, Failure> {
    loaded(file, read_bytes(file, format, text, budget)?)
}

fn loaded(file: &str, read: tertium_model::Loaded) -> Result<Loaded, Failure> {
    let messages: Vec<Located> = read
        .messages()
        .map(|(diagnostic, source)| Located {
            diagnostic: diagnostic.clone(),
            source: source.map(|source| Arc::new(source.clone())),
        })
        .collect();
    let Some(model) = read.model else { return Err(Failure::Input(messages)) };
    let written_properties = read.properties;
    let (properties, mistakes) = own_properties(&written_properties);
    if !mistakes.is_empty() {
        return Err(Failure::Input(mistakes));
    }
    Ok(Loaded { file: file.to_owned(), model, properties, written_properties, warnings: messages })
}

fn own_properties(read: &[tertium_model::Property]) -> (Vec<Property>, Vec<Located>) {
    let (mut properties, mut mistakes) = (Vec::new(), Vec::new());
    for property in read {
        let source = Arc::new(property.source.clone());
        let logic = match property.logic.as_deref().map(|name| (name, Logic::from_name(name))) {
            None => None,
            Some((_, Some(logic))) => Some(logic),
            Some((name, None)) => {
                let mistake = Diagnostic::error("E0123", format!("`{name}` is not a logic"))
                    .at(property.span, format!("in the property `{}`", property.name))
                    .help("the logics are pml, ctl, ctl*, ltl and mu");
                mistakes.push(Located::within(mistake, &source));
                continue;
            }
        };
        properties.push(Property {
            name: property.name.clone(),
            named: true,
            text: property.formula.clone(),
            logic,
            source,
            offset: property.span.start,
        });
    }
    (properties, mistakes)
}

/// The text of a file that stands beside a structure, such as a list of blocks of its states.
///
/// # Errors
/// If it cannot be read.
pub fn text_beside(path: &Path) -> Result<String, Failure> {
    let bytes = files::read(path, files::LARGEST_FILE)
        .map_err(|error| Diagnostic::error("E0300", format!("cannot read `{}`: {error}", path.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The message for a program where a structure is wanted.
pub(crate) fn is_a_program(path: &Path) -> Failure {
    Diagnostic::error("E0301", format!("`{}` is a program, and a structure is wanted", path.display()))
        .help("`tertium check`, `explore` and `simulate` read programs; `tertium explore FILE --graph OUT.kmts` writes their graph as a structure, `tertium abstract FILE --to kmts -o OUT.kmts` that of their abstraction")
        .into()
}

impl Loaded {
    /// A structure that was made rather than read.
    #[must_use]
    pub fn of_model(file: &str, model: Model) -> Self {
        Self {
            file: file.to_owned(),
            model,
            properties: Vec::new(),
            written_properties: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// A structure over a lattice that was made rather than read.
    #[must_use]
    pub fn of_lattice(file: &str, model: LatticeModel) -> Self {
        Self::of_model(file, Model::Lattice(model))
    }

    /// The same with these properties, for writers and for whoever checks them.
    #[must_use]
    pub fn with_properties(mut self, properties: &[(String, Formula)]) -> Self {
        let written = properties.iter().map(|(name, formula)| {
            let text = formula.text();
            tertium_model::Property {
                name: name.clone(),
                logic: Some(formula.logic().name().to_owned()),
                span: Span::new(0, text.len()),
                source: SourceFile::new(name.clone(), text.clone()),
                formula: text,
            }
        });
        self.written_properties = written.collect();
        self.properties = own_properties(&self.written_properties).0;
        self
    }

    /// The properties in the file.
    #[must_use]
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// The same as the reader found them, for writers.
    #[must_use]
    pub fn written_properties(&self) -> &[tertium_model::Property] {
        &self.written_properties
    }

    /// Remarks about the file.
    #[must_use]
    pub fn warnings(&self) -> &[Located] {
        &self.warnings
    }

    /// The kind of input, as JSON names it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        "kmts"
    }

    /// The structure with may and must, if it is one.
    #[must_use]
    pub fn kmts(&self) -> Option<&Kmts> {
        match &self.model {
            Model::Kmts(model) => Some(model),
            Model::Lattice(_) | Model::Param(_) => None,
        }
    }

    /// States and transitions.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        match &self.model {
            Model::Kmts(model) => (model.state_count(), model.edge_count() + model.hyper_count()),
            Model::Lattice(model) => (model.state_count(), model.edge_count()),
            Model::Param(model) => (model.state_count(), model.edges().len()),
        }
    }

    /// A state's name.
    #[must_use]
    pub fn state_name(&self, state: StateId) -> &str {
        match &self.model {
            Model::Kmts(model) => model.state_name(state),
            Model::Lattice(model) => model.state_name(state),
            Model::Param(model) => model.state_name(state),
        }
    }

    /// The initial states; where none is given, every state is one.
    #[must_use]
    pub fn initial_states(&self) -> Vec<StateId> {
        let init = match &self.model {
            Model::Kmts(model) => model.init(),
            Model::Lattice(model) => model.init(),
            Model::Param(model) => model.init(),
        };
        if init.is_empty() { (0..self.size().0).map(StateId::new).collect() } else { init.to_vec() }
    }

    /// The propositions.
    #[must_use]
    pub fn prop_names(&self) -> Vec<&str> {
        let props = match &self.model {
            Model::Kmts(model) => model.props(),
            Model::Lattice(model) => model.props(),
            Model::Param(model) => model.props(),
        };
        props.iter().map(String::as_str).collect()
    }

    /// The players.
    #[must_use]
    pub fn player_names(&self) -> Vec<&str> {
        match &self.model {
            Model::Kmts(model) => model.players().iter().map(String::as_str).collect(),
            Model::Lattice(_) | Model::Param(_) => vec![tertium_model::SYSTEM],
        }
    }

    /// The actions.
    #[must_use]
    pub fn action_names(&self) -> Vec<&str> {
        match &self.model {
            Model::Kmts(model) => model.actions().iter().map(String::as_str).collect(),
            Model::Lattice(_) | Model::Param(_) => Vec::new(),
        }
    }

    /// The truth values that may stand in formulas; a proposition of the same name wins.
    #[must_use]
    pub fn element_names(&self) -> Vec<String> {
        let props = self.prop_names();
        let all: Vec<&str> = match &self.model {
            Model::Lattice(model) => model.lattice().names().iter().map(String::as_str).collect(),
            Model::Kmts(_) | Model::Param(_) => BELNAP_CONSTANTS.to_vec(),
        };
        all.into_iter().filter(|name| !props.contains(name)).map(str::to_owned).collect()
    }

    /// The values that a formula may have.
    #[must_use]
    pub fn truth_values(&self) -> Vec<&str> {
        match &self.model {
            Model::Lattice(model) => model.lattice().names().iter().map(String::as_str).collect(),
            Model::Kmts(_) | Model::Param(_) => vec!["true", "false", "unknown", "both"],
        }
    }

    /// Those of a structure with may and must, with their values.
    #[must_use]
    pub fn constants(&self) -> Vec<(String, Belnap)> {
        let values = [Belnap::Unknown, Belnap::Both];
        let pairs = BELNAP_CONSTANTS.iter().zip(values);
        let props = self.prop_names();
        pairs.filter(|(name, _)| !props.contains(name)).map(|(name, value)| ((*name).to_owned(), value)).collect()
    }

    /// The constants of formulas in the cut at an element; those of the structure itself if it takes its values in no lattice.
    #[must_use]
    pub fn constants_in_cut(&self, element: &str) -> Vec<(String, Belnap)> {
        match &self.model {
            Model::Lattice(model) => {
                model.lattice().element(element).map_or_else(Vec::new, |at| cuts::constants(model, at))
            }
            Model::Kmts(_) | Model::Param(_) => self.constants(),
        }
    }

    /// The structure as one line for people.
    #[must_use]
    pub fn description(&self) -> String {
        match &self.model {
            Model::Kmts(model) => describe(model),
            Model::Lattice(model) => format!(
                "{}, {} with values in {} ({} elements)",
                counted(model.state_count(), "state"),
                counted(model.edge_count(), "edge"),
                model.lattice_name().unwrap_or("a lattice"),
                model.lattice().len(),
            ),
            Model::Param(model) => format!(
                "{}, {}, {}",
                counted(model.state_count(), "state"),
                counted(model.edges().len(), "edge"),
                counted(model.params().len(), "parameter"),
            ),
        }
    }
}

fn describe(model: &Kmts) -> String {
    let open_edges = (0..model.edge_count())
        .map(|at| model.edge(tertium_model::EdgeId::new(at)))
        .filter(|edge| edge.may && !edge.must)
        .count();
    let open_labels: usize = (0..model.props().len())
        .map(|at| {
            let (for_true, not_refuted) = model.label_sets(tertium_model::PropId::new(at));
            not_refuted.iter().filter(|&state| !for_true.contains(state)).count()
        })
        .sum();
    let mut text = format!("{}, {}", counted(model.state_count(), "state"), counted(model.edge_count(), "edge"));
    if model.hyper_count() > 0 {
        text.push_str(&format!(", {}", counted(model.hyper_count(), "hyper edge")));
    }
    if model.is_complete() {
        text.push_str("; complete");
        return text;
    }
    text.push_str(&format!("; open: {}, {}", counted(open_edges, "edge"), counted(open_labels, "label")));
    if model.is_mixed() {
        text.push_str("; mixed");
    }
    text
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

//! Is a certificate a proof of what it says about this model?
//!
//! The opinion is the independent checker's. Here the file is read, and each of its parts is matched with
//! the structure that it is about: the model, one instance of it, or one cut.

use std::path::Path;
use std::sync::Arc;

use tertium_base::{Budget, Diagnostic, SourceFile};
use tertium_evidence::{Caveat, Document, Part, Place, Proof, Rejection, check_certificate_with, read_document};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_model::{Kmts, Model};

use crate::failure::{Failure, Located};
use crate::input::Loaded;
use tertium_load::cuts::{self, too_large};

/// What became of one part of a certificate.
#[derive(Clone, Debug)]
pub struct PartOutcome {
    /// The formula it speaks of.
    pub formula: String,
    /// The formula's logic.
    pub logic: Logic,
    /// The state it speaks of.
    pub state: String,
    /// The value it claims.
    pub value: Belnap,
    /// The kind of proof.
    pub proof: &'static str,
    /// Which instance or cut it is about.
    pub place: Option<String>,
    /// What a reader should know.
    pub caveats: Vec<&'static str>,
    /// Why it was rejected.
    pub rejected: Option<String>,
}

impl PartOutcome {
    /// What a part says of itself.
    pub(crate) fn of(part: &Part) -> Self {
        Self {
            formula: part.formula().to_owned(),
            logic: part.logic(),
            state: String::new(),
            value: part.value(),
            proof: "certificate",
            place: None,
            caveats: Vec::new(),
            rejected: None,
        }
    }
}

/// The word for a kind of proof in reports.
#[must_use]
pub fn proof_kind(proof: &Proof) -> &'static str {
    match proof {
        Proof::Lasso { cycle, .. } if cycle.is_empty() => "run",
        Proof::Lasso { .. } => "lasso",
        Proof::Claims(_) | Proof::Plays { .. } | Proof::Settled { .. } | Proof::Refuted(_) => "strategy",
        Proof::Outplayed(_) => "strategy",
        Proof::NoPath | Proof::NoWord | Proof::Labels(_) => "certificate",
        Proof::Completions(_) => "completions",
    }
}

/// Checks the certificate in a file.
///
/// # Errors
/// If the file is no certificate, or a limit is reached. A certificate that is wrong is no error.
pub fn certify(loaded: &Loaded, path: &Path, budget: &Budget) -> Result<Vec<PartOutcome>, Failure> {
    let (document, source) = read(path)?;
    if document.invariant.is_some() || document.counted.is_some() {
        let other = Diagnostic::error("E0626", "this certificate is about a program, not about a structure")
            .help("give the program that it was made for");
        return Err(Located::within(other, &source).into());
    }
    document.parts.iter().map(|part| check_part(loaded, part, &source, budget)).collect()
}

/// Reads the document in a file.
pub(crate) fn read(path: &Path) -> Result<(Document, Arc<SourceFile>), Failure> {
    let text = tertium_load::program::read_text(path)?;
    let source = Arc::new(SourceFile::new(path.to_string_lossy(), text));
    let document = read_document(&source.text).map_err(|error| Located::within(*error, &source))?;
    Ok((document, source))
}

fn check_part(loaded: &Loaded, part: &Part, source: &Arc<SourceFile>, budget: &Budget) -> Result<PartOutcome, Failure> {
    let mut outcome = PartOutcome { place: place_text(loaded, part), ..PartOutcome::of(part) };
    let made;
    let model = match (&loaded.model, part.place()) {
        (Model::Kmts(model), Place::Whole) => model,
        (_, place) => match structure_at(loaded, place)? {
            Ok(structure) => {
                made = structure;
                &made
            }
            Err(misfit) => {
                outcome.rejected = Some(misfit);
                return Ok(outcome);
            }
        },
    };
    let certificate = match part.certificate_for(model, &source.text) {
        Ok(certificate) => certificate,
        Err(problems) => {
            outcome.rejected = Some(problems.iter().map(sentence).collect::<Vec<_>>().join("; "));
            return Ok(outcome);
        }
    };
    outcome.proof = proof_kind(&certificate.proof);
    model.state_name(certificate.state).clone_into(&mut outcome.state);
    match check_certificate_with(
        model,
        &certificate,
        &match part.place() {
            Place::Element(name) => loaded.constants_in_cut(name),
            _ => loaded.constants(),
        },
        budget,
    ) {
        Ok(accepted) => {
            // A cut is mixed by nature: its two sides speak of two elements.
            let is_cut = matches!(part.place(), Place::Element(_));
            let matters = |caveat: &&Caveat| !is_cut || **caveat != Caveat::MixedStructure;
            outcome.caveats = accepted.caveats.iter().filter(matters).map(|caveat| caveat.text()).collect();
        }
        Err(Rejection::Stopped(stopped)) => return Err(stopped.into()),
        Err(Rejection::Refused(why)) => outcome.rejected = Some(sentence(&why)),
    }
    Ok(outcome)
}

pub(crate) fn sentence(diagnostic: &Diagnostic) -> String {
    format!("{} ({})", diagnostic.message, diagnostic.code)
}

/// What a part is about, where it is not the model as a whole. A cut proves that a value is at least its
/// element, or that it is not at least the element's star.
fn place_text(loaded: &Loaded, part: &Part) -> Option<String> {
    match (part.place(), &loaded.model) {
        (Place::Whole, _) => None,
        (Place::Assignment(values), _) => {
            Some(values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", "))
        }
        (Place::Element(name), Model::Lattice(model)) => {
            let lattice = model.lattice();
            let element = lattice.element(name).filter(|at| lattice.join_irreducibles().contains(at));
            Some(match (element, part.value()) {
                (Some(_), Belnap::True) => format!("the cut at {name}: the value is at least {name}"),
                (Some(at), _) => {
                    format!("the cut at {name}: the value is not at least {}", lattice.name(lattice.star(at)))
                }
                (None, _) => format!("the cut at {name}"),
            })
        }
        (Place::Element(name), _) => Some(format!("the cut at {name}")),
        (Place::Property { .. } | Place::Mistake(_), _) => Some("the graph of a program".to_owned()),
    }
}

/// The structure that a part of a certificate is about, or why there is none.
fn structure_at(loaded: &Loaded, place: &Place) -> Result<Result<Kmts, String>, Failure> {
    Ok(match (&loaded.model, place) {
        (Model::Param(model), Place::Assignment(values)) => {
            let assignment: Option<Vec<bool>> = model.params().iter().map(|name| values.get(name).copied()).collect();
            match assignment.filter(|assignment| assignment.len() == values.len()) {
                Some(assignment) => Ok(model.instance(&assignment).map_err(too_large)?),
                None => Err("its parameters are not those of the model".to_owned()),
            }
        }
        (Model::Lattice(model), Place::Element(name)) => {
            let lattice = model.lattice();
            match lattice.element(name).filter(|at| lattice.join_irreducibles().contains(at)) {
                Some(at) => Ok(cuts::cut(model, at).map_err(too_large)?),
                None => Err(format!("`{name}` is no join-irreducible element of the model's lattice")),
            }
        }
        _ => Err("it is about another kind of model".to_owned()),
    })
}

//! Two viewpoints of one system in one structure: which structures can be merged?

use std::borrow::Cow;

use tertium_base::Diagnostic;
use tertium_load::Loaded;
use tertium_load::cuts::too_large;
use tertium_load::failure::Failure;
use tertium_model::{LatticeModel, MergeError, MergeOver, Merged, Model, TranslateError, kmts_to_lattice};

pub use tertium_model::{Disagreement, MergeOver as Over};

/// Merges two structures whose states and propositions of the same name are the same.
///
/// # Errors
/// If one is parameterised or has what a lattice cannot express, if its lattice does not fit, or if the result would be too large.
pub fn merge(left: &Loaded, right: &Loaded, over: MergeOver) -> Result<Merged, Failure> {
    let models = [viewpoint(left)?, viewpoint(right)?];
    let file = |at: usize| [left, right].get(at).map_or("", |loaded| loaded.file.as_str());
    tertium_model::merge(&models[0], &models[1], over).map_err(|error| match error {
        MergeError::Lattice(at) => {
            let message = format!("the values of `{}` are in a lattice that cannot be merged so", file(at));
            refused(message, "`--over belnap` takes structures over B2, K3 and Belnap4, or with may and must; `--over product` every built-in lattice")
        }
        MergeError::NoUnknown(at) => {
            let message = format!("`{}` lacks states or propositions of the other, and its lattice has no unknown", file(at));
            refused(message, "add them, or write it over K3")
        }
        MergeError::TooLarge => {
            refused("the merged structure would be too large".to_owned(), "a lattice has at most 1024 elements, and 4,000,000 pairs of states are looked at")
        }
    })
}

fn refused(message: String, help: &str) -> Failure {
    Diagnostic::error("E0336", message).help(help).into()
}

fn viewpoint(loaded: &Loaded) -> Result<Cow<'_, LatticeModel>, Failure> {
    match &loaded.model {
        Model::Lattice(model) => Ok(Cow::Borrowed(model)),
        Model::Kmts(model) => kmts_to_lattice(model).map(Cow::Owned).map_err(|error| match error {
            TranslateError::TooLarge(error) => too_large(error),
            TranslateError::Unsupported(what) => refused(
                format!("`{}` has {what}, which viewpoints that are merged cannot have", loaded.file),
                "plain steps and labels can be merged",
            ),
        }),
        Model::Param(_) => Err(refused(format!("`{}` has parameters", loaded.file), "write out one of its instances")),
    }
}

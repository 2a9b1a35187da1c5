//! Tertium in Python: the native half of the package `tertium`.
//!
//! The Python half (`python/tertium/`) turns what its user wants into the words of the command line, and documents into objects. Here these words go to
//! [`tertium::command::documents`]; the work runs in a thread of its own, so that Python goes on, Ctrl-C is seen, and somebody else can cancel it.

mod worker;

use std::ffi::OsString;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tertium::command::{self, documents};
use tertium::{ModelLanguage, ModelSource};
use tertium_base::memory::CountingAllocator;

use worker::{Limits, Outcome};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A text that is a model: a name for messages, its language, the text.
type ModelText = (String, String, String);

fn source(model: Option<ModelText>) -> PyResult<Option<ModelSource>> {
    let Some((name, language, text)) = model else { return Ok(None) };
    match ModelLanguage::from_name(&language) {
        Some(language) => Ok(Some(ModelSource::of_text(&name, language, text))),
        None => {
            let known: Vec<&str> = ModelLanguage::ALL.iter().map(|language| language.name()).collect();
            Err(PyValueError::new_err(format!("`{language}` is not a language; there are {}", known.join(", "))))
        }
    }
}

/// Checks a model: whether there is a report, the document, the page, and whether it was cancelled.
///
/// `progress` is called with phase, states and the names of answered properties; `cancel` has `is_set`.
#[pyfunction]
#[pyo3(signature = (words, model, page, progress, cancel, timeout, memory))]
fn check(
    py: Python<'_>,
    words: Vec<String>,
    model: Option<ModelText>,
    page: bool,
    progress: Option<Py<PyAny>>,
    cancel: Option<Py<PyAny>>,
    timeout: Option<f64>,
    memory: Option<usize>,
) -> PyResult<(bool, Option<String>, Option<String>, bool)> {
    let model = source(model)?;
    let limits = Limits::new(timeout, memory)?;
    let outcome = worker::run(py, limits, progress, cancel, move |observer, budget| {
        documents::check(&words, model, page, observer, budget)
    })?;
    Ok(match outcome {
        Outcome::Done(Ok(done), cancelled) => (true, Some(done.report), done.page, cancelled),
        Outcome::Done(Err(document), cancelled) => (false, Some(document), None, cancelled),
        Outcome::Left => (false, None, None, true),
    })
}

/// Lists the properties of a model: whether there is a list, and the document.
#[pyfunction]
fn properties(py: Python<'_>, words: Vec<String>, model: Option<ModelText>) -> PyResult<(bool, String)> {
    let model = source(model)?;
    let found =
        worker::run(py, Limits::default(), None, None, move |_, budget| documents::properties(&words, model, budget))?;
    Ok(found.document())
}

/// Runs a program by chance: whether there is a run, and the document.
#[pyfunction]
#[pyo3(signature = (words, model, timeout))]
fn simulate(
    py: Python<'_>,
    words: Vec<String>,
    model: Option<ModelText>,
    timeout: Option<f64>,
) -> PyResult<(bool, String)> {
    let model = source(model)?;
    let limits = Limits::new(timeout, None)?;
    let found = worker::run(py, limits, None, None, move |_, budget| documents::simulated(&words, model, budget))?;
    Ok(found.document())
}

/// Lays out guarded commands: whether it could be done, and the text or the document about what is wrong.
#[pyfunction]
fn format(name: &str, text: &str) -> (bool, String) {
    match documents::formatted(name, text) {
        Ok(text) => (true, text),
        Err(document) => (false, document),
    }
}

/// What a message means.
#[pyfunction]
fn explain(code: &str) -> Option<String> {
    documents::explained(code)
}

/// The command line: does what the words say and returns the exit code. `own` are the words that start this program again.
#[pyfunction]
fn main(py: Python<'_>, words: Vec<OsString>, own: Vec<OsString>) -> u8 {
    command::started_by(own);
    py.detach(|| command::main(words))
}

/// Looks for the solver's library in this folder, too.
#[pyfunction]
fn look_for_solver_in(folder: std::path::PathBuf) {
    tertium::look_for_solver_in(&folder);
}

/// The native half of `tertium`.
#[pymodule]
fn _tertium(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(properties, module)?)?;
    module.add_function(wrap_pyfunction!(simulate, module)?)?;
    module.add_function(wrap_pyfunction!(format, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(look_for_solver_in, module)?)?;
    Ok(())
}

//! Is a certificate a proof of what the model in a file asks? The kernel as a command.
//!
//! The opinion is `kernel`'s; here files are read, and what it found is put into words. Used by `tertium certify`, and by
//! `tertium-certify`, which holds nothing else.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_certify::{Decider, Request, findings};
//! use tertium_driver::check::{CheckOptions, Session};
//! use tertium_driver::input;
//!
//! let folder = std::env::temp_dir().join(format!("tertium-certify-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let (model, certificate) = (folder.join("lamp.kmts"), folder.join("lamp.cert.json"));
//! std::fs::write(&model, "state on lamp: t\ninit on\non -must-> on\nproperty lit : ctl AG lamp\n")?;
//!
//! // An engine finds an answer, and says why ...
//! let budget = Budget::unlimited();
//! let loaded = input::load(&model, &budget).expect("no mistakes");
//! let session = Session::new(&loaded, CheckOptions::default(), &budget).expect("nothing contradicts");
//! let answer = session.check(&session.properties(&[], &[]).expect("one")[0], &budget, &()).expect("no limit is set");
//! std::fs::write(&certificate, session.certificate_text(&answer).expect("true has a proof"))?;
//!
//! // ... and whoever does not trust it looks for themselves.
//! let found = findings((&model, &certificate), &Request::default(), &Decider::default(), &budget).expect("readable");
//! assert!(found.iter().all(|finding| finding.is_proved()));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), std::io::Error>(())
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tertium_base::{Budget, SourceFile};
use tertium_evidence::read_document;
pub use tertium_kernel::Request;
pub use tertium_kernel::finding::proof_word;
pub use tertium_kernel::solve::Decider;
use tertium_kernel::{Finding, Verdict};
use tertium_load::{Failure, Located};
use tertium_report::certify::ResultView;
use tertium_report::view::{SCHEMA_VERSION, Tool};
use tertium_report::{CertifyReport, Style, json, text};

/// Everything asked for is proved.
pub const PROVED: u8 = 0;
/// Nothing is refused, but something is proved only under an assumption, or not to the end.
pub const UNDECIDED: u8 = 5;
/// Something that was asked is not proved.
pub const REFUSED: u8 = 10;

/// What is to be checked.
#[derive(Clone, Debug)]
pub struct Options {
    /// The model.
    pub model: PathBuf,
    /// The certificate.
    pub certificate: PathBuf,
    /// What must be proved.
    pub request: Request,
    /// Who decides obligations.
    pub decider: Decider,
    /// Whether the result is one JSON document.
    pub json: bool,
}

/// Checks the certificate in a file against the model in another.
///
/// # Errors
/// If a file cannot be read, a question is none of the model, or a limit is reached. A certificate that is wrong is no error.
pub fn findings(
    (model, certificate): (&Path, &Path),
    request: &Request,
    decider: &Decider,
    budget: &Budget,
) -> Result<Vec<Finding>, Failure> {
    let source = read(certificate)?;
    let is_program = tertium_load::program::is_program(model);
    if is_program && is_run(&source.text) {
        let file = tertium_kernel::programs::load(model, false, request)?;
        return tertium_kernel::programs::certify_run(&file, &source.text, request, budget);
    }
    let document = read_document(&source.text).map_err(|error| Located::within(*error, &source))?;
    let document = (&document, source.text.as_str());
    if is_program {
        return tertium_kernel::programs::certify(model, document, request, decider, budget);
    }
    let loaded = tertium_load::structure::load(model, budget)?;
    tertium_kernel::structures::certify(&loaded, document, request, budget)
}

/// Whether a text is a stored run rather than a certificate.
fn is_run(text: &str) -> bool {
    !text.contains("\"tertium_certificate\"") && text.contains("\"states\"")
}

fn read(path: &Path) -> Result<Arc<SourceFile>, Failure> {
    let text = tertium_load::program::read_text(path)?;
    Ok(Arc::new(SourceFile::new(path.to_string_lossy(), text)))
}

/// The result as text, and the exit code.
///
/// # Errors
/// As [`findings`].
pub fn run(options: &Options, tool: Tool, style: Style, budget: &Budget) -> Result<(String, u8), Failure> {
    let files = (options.model.as_path(), options.certificate.as_path());
    let found = findings(files, &options.request, &options.decider, budget)?;
    let code = if found.iter().any(|finding| finding.refusal().is_some()) {
        REFUSED
    } else if found.iter().all(Finding::is_proved) {
        PROVED
    } else {
        UNDECIDED
    };
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let report = CertifyReport {
        schema_version: SCHEMA_VERSION,
        tool,
        file: shown(files.0),
        certificate: shown(files.1),
        accepted: code == PROVED,
        results: found.into_iter().map(view).collect(),
    };
    let text = if options.json { json::document(&report) } else { text::certify(&report, style) };
    Ok((text, code))
}

fn view(finding: Finding) -> ResultView {
    let (verdict, assumptions, reason) = match finding.verdict {
        Verdict::Proved => ("proved", Vec::new(), None),
        Verdict::Assuming(assumptions) => {
            ("assuming", assumptions.into_iter().map(|assumption| assumption.text()).collect(), None)
        }
        Verdict::Refused(why) => ("refused", Vec::new(), Some(why)),
    };
    ResultView {
        name: finding.name,
        formula: finding.formula,
        logic: finding.logic,
        value: finding.value,
        verdict,
        proof: finding.proof,
        about: finding.about,
        obligations: finding.obligations,
        assumptions,
        reason,
    }
}

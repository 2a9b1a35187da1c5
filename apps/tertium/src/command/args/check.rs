//! What can be typed after `tertium check`?

use std::path::{Path, PathBuf};

use clap::Args;
use tertium_driver::{Failure, ModelSource};

use super::AbstractionArgs;
use super::explore::DeviceName;
use super::limits::Limits;
use super::names::{DeadlockName, EngineName, LogicName, LtlReading, Parameters, Semantics, StoreName};
use super::output::{Certificates, FailOn, Format, Look};
use super::text::TextArgs;
use super::values::at_least_one;

const CHECK_EXAMPLES: &str = "\
Examples:
  tertium check design.kmts
  tertium check design.kmts -p 'AG EF ready' -p 'safe: AG !error'
  tertium check design.kmts -p 'G (request -> F grant)' --logic ltl
  tertium check design.kmts --at s3 --format json
  tertium check design.kmts -p 'AG ?{open, moving}'   (the strongest invariant over these two)
  tertium check design.kmts --semantics thorough --evidence completions
  tertium check door.kmts -p '<<robot>> F inside'     (can the robot enforce it against the others?)
  tertium check door.kmts --module -p 'AG EF inside' --evidence environments
  tertium check protocol.gcl
  tertium check protocol.gcl -p 'G !(P@crit && Q@crit)' --threads 2
  tertium check model.pml -D N=4 --fair
  tertium check model.pml --checkpoint states:5m      (and after a reboot: --resume states)
  tertium check model.pml --disk /var/tmp --memory 8G (more states than memory holds)
  tertium check model.pml --device gpu                (more than ten million states, on a graphics processor)
  tertium check bakery.gcl --refinements 0 --predicate 'y1 = 0' --predicate 'y1 <= y2'
  tertium check design.kmts --timeout 60s --memory 4G --evidence proofs
  tertium check design.kmts --expect safe=true --expect live=unknown
  tertium check models old/design.kmts --format junit      (folders, several files: one summary)
  generate | tertium check - --language gcl

Exit codes: 0 all hold, 10 some false, 5 none false but some unknown or stopped, or no initial state, 2 bad input.";

/// Options of `check`.
#[derive(Args, Debug, Clone)]
#[command(after_long_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    /// The models: structures in `.kmts`, `.json` or `.aut`, programs in `.gcl` or `.pml`; folders of them; or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What their texts are.
    #[command(flatten)]
    pub text: TextArgs,
    /// The one that is being looked at.
    #[arg(skip)]
    pub model: Option<ModelSource>,

    /// A property, as `FORMULA` or `NAME: FORMULA`, or a query such as `AG ?{p, q}`; may be repeated [default: all in the file]
    #[arg(short, long = "property", value_name = "FORMULA", help_heading = "What to check")]
    pub properties: Vec<String>,
    /// List what would be checked, and decide nothing
    #[arg(long, help_heading = "What to check")]
    pub list: bool,
    /// Only the property of the file with this name; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "What to check")]
    pub only: Vec<String>,
    /// The logic of properties that do not name theirs [default: seen from the operators, where only one fits]
    #[arg(long, value_enum, help_heading = "What to check")]
    pub logic: Option<LogicName>,
    /// The state to ask about [default: the initial states]
    #[arg(long, value_name = "STATE", help_heading = "What to check")]
    pub at: Option<String>,
    /// Report the value at every state as well
    #[arg(long, help_heading = "What to check")]
    pub all_states: bool,

    /// How values are made from the parts of a formula
    #[arg(long, value_enum, default_value_t = Semantics::Compositional, help_heading = "Semantics")]
    pub semantics: Semantics,
    /// Module checking: the property must hold in every environment, whatever moves it leaves out
    #[arg(long, conflicts_with = "semantics", help_heading = "Semantics")]
    pub module: bool,
    /// How open steps weaken a linear formula [default: hyper, the most precise sound reading]
    #[arg(long, value_enum, help_heading = "Semantics")]
    pub ltl: Option<LtlReading>,
    /// What a state without successors means [default: mu]
    #[arg(long, value_enum, help_heading = "Semantics")]
    pub deadlock: Option<DeadlockName>,
    /// Parameters, of a structure or for unknown values of a program: `on` decides all instances at once, `off` takes what
    /// depends on one for unknown, `literal` gives branches of a program parameters, too
    #[arg(long, value_enum, default_value_t = Parameters::On, help_heading = "Semantics")]
    pub parameters: Parameters,

    /// The algorithm; `auto` takes the fastest one that fits
    #[arg(long, value_enum, default_value_t = EngineName::Auto, help_heading = "Work")]
    pub engine: EngineName,
    /// How programs are abstracted.
    #[command(flatten)]
    pub how: AbstractionArgs,
    /// Guarded commands: processes to look at closely, with commas between them; the others are shade until needed
    #[arg(long, value_name = "P,Q", help_heading = "Abstraction of programs")]
    pub spotlight: Vec<String>,
    /// Programs: add predicates at most this many times [default: 20; 0 if predicates are given]
    #[arg(long, value_name = "N", help_heading = "Abstraction of programs")]
    pub refinements: Option<u32>,
    /// Programs: no partial-order reduction, statement merging or resetting of dead variables
    #[arg(long, help_heading = "Work")]
    pub no_reduction: bool,
    /// Programs: how much is kept of each state [default: exact]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Work")]
    pub store: Option<StoreName>,
    /// Programs: stop after this many states [default: 1000000 if a variable has no bounds, else none]
    #[arg(long, value_name = "N", help_heading = "Work")]
    pub max_states: Option<usize>,
    /// Programs: write down in this folder what was found out (answers, visited states, sets, predicates), so that `--resume` goes on with it;
    /// `DIR:EVERY` says how often, for example `states:5m` [default: every minute]
    #[arg(long, value_name = "DIR[:EVERY]", conflicts_with = "resume", help_heading = "Work")]
    pub checkpoint: Option<String>,
    /// Programs: go on with the run that is written down in this folder, and write there; the answers are those of an unbroken run
    #[arg(long, value_name = "DIR[:EVERY]", help_heading = "Work")]
    pub resume: Option<String>,
    /// Programs: visit states one by one, and keep them in files in this folder when half of `--memory` is used; for what single states break
    #[arg(long, value_name = "DIR", help_heading = "Work")]
    pub disk: Option<PathBuf>,
    /// Programs: where states are visited; on a graphics processor one by one, for what single states and single runs (LTL) break
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu, help_heading = "Work")]
    pub device: DeviceName,
    /// Promela: look for runs that pass no progress label from some point on
    #[arg(long, help_heading = "What to check")]
    pub progress: bool,
    /// Promela: runs in which a process could always step and never does are not counted
    #[arg(long, help_heading = "Semantics")]
    pub fair: bool,
    /// Programs: how many threads explore [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = "Work")]
    pub threads: Option<usize>,
    /// Programs: engines take turns one at a time to the end, so that the same one decides, and the output is the same, on every machine
    #[arg(long, help_heading = "Work")]
    pub deterministic: bool,
    /// Stop as soon as one property fails; the others are left open
    #[arg(long, help_heading = "Work")]
    pub fail_fast: bool,
    /// How long, and with how much memory.
    #[command(flatten)]
    pub limits: Limits,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,
    /// Write a certificate of every definite answer, every run, and a page to walk through them, into this directory
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub evidence: Option<PathBuf>,
    /// Programs: which certificates are made; one may cost far more than the answer that it proves
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Certificates::Auto, requires = "evidence", help_heading = "Output")]
    pub certificates: Certificates,
    /// The value that a property should have; another one counts as a failure; may be repeated
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Output")]
    pub expect: Vec<String>,
    /// What counts as a failure besides false; may be repeated
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Output")]
    pub fail_on: Vec<FailOn>,
    /// Programs: no initial state at all is no reason for exit code 5
    #[arg(long, help_heading = "Output")]
    pub allow_empty: bool,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}

impl CheckArgs {
    /// The same for one of the models.
    #[must_use]
    pub fn for_model(&self, model: ModelSource) -> Self {
        Self { model: Some(model), ..self.clone() }
    }

    /// The model that is being looked at.
    ///
    /// # Errors
    /// If none was chosen, which is a fault of this program.
    pub fn model(&self) -> Result<&ModelSource, Failure> {
        self.model.as_ref().ok_or_else(|| Failure::Internal("no model was chosen".to_owned()))
    }

    /// The name of the model that is being looked at.
    #[must_use]
    pub fn file(&self) -> &Path {
        let first = || self.files.first().map_or(Path::new(""), PathBuf::as_path);
        self.model.as_ref().map_or_else(first, |model| &model.path)
    }
}

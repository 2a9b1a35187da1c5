//! Layouts are compiled in the background: a search goes on without until the code is there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tertium_steps::interpret::Trapped;
use tertium_steps::machine::{LayoutMachine, Machines, Source};

use crate::code::NativeLayout;

/// More layouts than this are not compiled: where processes come and go all the time, few states share one.
const MOST_LAYOUTS: usize = 64;

/// Searches of fewer states are over before code for them would be there.
const WORTH: u32 = 4000;

/// How far the code for a layout is.
#[derive(Clone, Debug)]
enum Progress {
    Begun,
    Done(Arc<NativeLayout>),
    Refused,
}

type Layouts = Arc<Mutex<HashMap<Vec<u32>, Progress>>>;

/// Compiles the layouts of one program whenever they are met.
#[derive(Debug)]
pub struct NativeCompiler {
    source: Arc<Source>,
    layouts: Layouts,
    at_once: bool,
}

impl NativeCompiler {
    /// For a program; none if there is no code for this processor.
    #[must_use]
    pub fn new(source: Source) -> Option<Self> {
        cranelift_native::builder().ok()?;
        Some(Self { source: Arc::new(source), layouts: Layouts::default(), at_once: false })
    }

    /// The same, but whoever asks waits for the code.
    #[must_use]
    pub fn at_once(mut self) -> Self {
        self.at_once = true;
        self
    }
}

fn compile(source: &Source, processes: &[u32]) -> Progress {
    let made = source.layout(processes).and_then(NativeLayout::compile);
    made.map_or(Progress::Refused, |made| Progress::Done(Arc::new(made)))
}

impl Machines for NativeCompiler {
    fn worth_from(&self) -> u32 {
        if self.at_once { 0 } else { WORTH }
    }

    fn of_layout(&self, processes: &[u32]) -> Result<Option<Arc<dyn LayoutMachine>>, Trapped> {
        let mut layouts = self.layouts.lock().unwrap_or_else(PoisonError::into_inner);
        match layouts.get(processes) {
            Some(Progress::Done(made)) => return Ok(Some(Arc::clone(made) as Arc<dyn LayoutMachine>)),
            Some(Progress::Begun) => return Ok(None),
            Some(Progress::Refused) => return Err(Trapped),
            None => {}
        }
        if layouts.len() >= MOST_LAYOUTS {
            return Err(Trapped);
        }
        layouts.insert(processes.to_vec(), Progress::Begun);
        let (source, shared, wanted) = (Arc::clone(&self.source), Arc::clone(&self.layouts), processes.to_vec());
        if !self.at_once {
            let work = move || {
                let made = compile(&source, &wanted);
                shared.lock().unwrap_or_else(PoisonError::into_inner).insert(wanted, made);
            };
            if std::thread::Builder::new().name("native steps".to_owned()).spawn(work).is_ok() {
                return Ok(None);
            }
        }
        // Where the system gives no thread, the one that asks waits.
        let made = compile(&self.source, processes);
        layouts.insert(processes.to_vec(), made.clone());
        match made {
            Progress::Done(made) => Ok(Some(made as Arc<dyn LayoutMachine>)),
            _ => Err(Trapped),
        }
    }
}

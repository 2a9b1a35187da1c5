//! A question to a program, as the kernel reads it.
//!
//! Everything that decides what a proof has to show is derived here from the program's text and from what the user says: the formula with
//! the meaning of its atoms, what runs that end mean, and who is treated fairly.

use std::borrow::Cow;

use tertium_base::Budget;
use tertium_evidence::{Deadlock, Reading};
use tertium_lattice::Belnap;
use tertium_load::ProgramFile;
use tertium_load::questions::{Mistake, MonitorQuery, PropertyQuery, Question, WatchKind};
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::Kmts;
use tertium_program::{Expr, ExprId, Fairness, ProcessId, Program, Semantics};

use super::claims::{ClaimAutomaton, formula};
use super::games::{known_players, under_promise};
use super::graph::{Labels, NoGraph, write_out, write_out_game, write_out_marked};
use super::strong_fairness::relativised;
use crate::obligations::StructureReading;

/// How a question is read, as far as the user says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// What deadlocks mean; by default runs that end stay where they are.
    pub deadlock: Option<Deadlock>,
    /// How linear formulas are read over abstract states.
    pub linear: Option<tertium_evidence::LinearReading>,
    /// Whether every process is treated weakly fairly.
    pub fair: bool,
}

/// A question about a program.
#[derive(Clone, Debug)]
pub struct Subject<'f> {
    /// The program; with `fair`, every process is treated at least weakly fairly there.
    pub file: Cow<'f, ProgramFile>,
    /// What is asked.
    pub asks: Asks<'f>,
    /// How structures are drawn for it.
    pub frame: StructureReading,
    /// How they are read.
    pub reading: Reading,
    /// Whether every process is treated fairly, those that are started later included.
    pub everyone: bool,
}

/// What is asked of a program.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of it for each question, and nearly all are properties")]
pub enum Asks<'f> {
    /// A property, or what labels of a Promela model watch.
    Property(Cow<'f, PropertyQuery>),
    /// That a `never` claim is never matched, as a formula about the product of the graph with it.
    Claim(Box<ClaimAutomaton>, Box<Formula>),
    /// That this does not happen, as a formula of CTL over a proposition of that name.
    Never(Mistake, Box<Formula>),
}

/// What a label watches, as a linear formula over the one thing that it says of a state.
fn labelled<'f>(program: &Program, watched: &MonitorQuery, (text, label): (&str, Expr)) -> Result<Asks<'f>, String> {
    let atom = program.exprs.find(label).ok_or("the program has no labels to watch")?;
    Ok(Asks::Property(Cow::Owned(PropertyQuery {
        name: watched.name.clone(),
        named: true,
        source: watched.name.clone(),
        formula: formula(text)?,
        atoms: vec![atom],
        invariant: None,
        exists: false,
    })))
}

/// Treats every process weakly fairly, unless its text asks for more.
fn fair_to_all(program: &mut Program) {
    for process in program.processes.iter_mut().filter(|process| process.fairness == Fairness::None) {
        process.fairness = Fairness::Weak;
    }
}

/// Whether formulas of a logic speak of paths, so that fairness matters to them.
fn speaks_of_paths(logic: Logic) -> bool {
    matches!(logic, Logic::Ctl | Logic::CtlStar | Logic::Ltl | Logic::Atl | Logic::AtlStar)
}

impl<'f> Subject<'f> {
    /// The question as one that can be proved.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn of(file: &'f ProgramFile, question: &'f Question, settings: Settings) -> Result<Self, String> {
        match question {
            Question::Property(asked) if asked.formula.logic().is_strategic() => {
                known_players(&file.program)?;
                Ok(Self::property(file, asked, settings))
            }
            Question::Property(asked) => Ok(Self::property(file, asked, settings)),
            Question::Never(never) => Self::never(file, never.mistake),
            Question::Watched(watched) => Self::watched(file, watched, settings),
        }
    }

    /// A property. A formula about whole paths must not overlook those that end, unless the user says what ends mean.
    #[must_use]
    pub fn property(file: &'f ProgramFile, asked: &'f PropertyQuery, settings: Settings) -> Self {
        let mut file = Cow::Borrowed(file);
        if settings.fair {
            fair_to_all(&mut file.to_mut().program);
        }
        let fair = file.program.processes.iter().any(|process| process.fairness != Fairness::None);
        let logic = asked.formula.logic();
        let whole_paths = matches!(logic, Logic::Ltl | Logic::CtlStar) || (logic == Logic::Ctl && fair);
        // A player always has a move: where nobody can step, the scheduler stays.
        let stutter = logic.is_strategic() || (whole_paths && settings.deadlock.is_none());
        let mut reading = Reading { deadlock: settings.deadlock.unwrap_or(Deadlock::Mu), ..Reading::default() };
        reading.linear = settings.linear.unwrap_or(reading.linear);
        Self {
            file,
            asks: Asks::Property(Cow::Borrowed(asked)),
            frame: StructureReading { fair: speaks_of_paths(logic), stutter, claims: logic != Logic::Ltl },
            reading,
            everyone: settings.fair,
        }
    }

    /// What watches infinite runs of a Promela model. What deadlocks mean belongs to it: runs that end count for acceptance, never for progress.
    fn watched(file: &'f ProgramFile, watched: &MonitorQuery, settings: Settings) -> Result<Self, String> {
        let program = &file.program;
        let (asks, stutter) = match watched.kind {
            WatchKind::Claim(claim) => {
                let formula = Box::new(ClaimAutomaton::never_matched()?);
                (Asks::Claim(Box::new(ClaimAutomaton::of(program, claim)?), formula), true)
            }
            WatchKind::Acceptance => (labelled(program, watched, ("!(G F \"accepting\")", Expr::Accepting))?, true),
            WatchKind::NonProgress => {
                (labelled(program, watched, ("!(F G \"without-progress\")", Expr::NonProgress))?, false)
            }
        };
        let mut file = Cow::Borrowed(file);
        if settings.fair {
            fair_to_all(&mut file.to_mut().program);
        }
        let (frame, reading) = (
            StructureReading { fair: true, stutter, claims: false },
            Reading { deadlock: Deadlock::Mu, ..Reading::default() },
        );
        Ok(Self { file, asks, frame, reading, everyone: settings.fair })
    }

    fn never(file: &'f ProgramFile, mistake: Mistake) -> Result<Self, String> {
        let text = format!("AG !\"{}\"", mistake.name());
        let formula = parse(&text, &ParseOptions::in_logic(Logic::Ctl)).formula;
        let formula = formula.ok_or("its name cannot be an atom")?;
        Ok(Self {
            file: Cow::Borrowed(file),
            asks: Asks::Never(mistake, Box::new(formula)),
            frame: StructureReading::default(),
            reading: Reading { deadlock: Deadlock::Mu, ..Reading::default() },
            everyone: false,
        })
    }

    /// The formula.
    #[must_use]
    pub fn formula(&self) -> &Formula {
        match &self.asks {
            Asks::Property(asked) => &asked.formula,
            Asks::Claim(_, formula) | Asks::Never(_, formula) => formula,
        }
    }

    /// The atoms of a property with what they mean.
    #[must_use]
    pub fn atoms(&self) -> Vec<(String, ExprId)> {
        match &self.asks {
            Asks::Property(asked) => {
                let names = asked.formula.atoms().iter().map(|atom| atom.text.clone());
                names.zip(asked.atoms.iter().copied()).collect()
            }
            Asks::Claim(..) | Asks::Never(..) => Vec::new(),
        }
    }

    /// What states of the program's graph are labelled with.
    fn labels(&self) -> Labels {
        match &self.asks {
            Asks::Property(_) => Labels::Atoms(self.atoms()),
            Asks::Claim(claim, _) => Labels::Atoms(claim.atoms()),
            Asks::Never(mistake, _) => Labels::Mistake(*mistake),
        }
    }

    /// The formula that a proof about the graph is one of: of players, what they can enforce of a scheduler that keeps its promises; under strong fairness, what a branching formula says of the graph whose states say who steps.
    ///
    /// # Errors
    /// Why there is none.
    pub fn graph_formula(&self) -> Result<Cow<'_, Formula>, String> {
        if self.formula().logic().is_strategic() {
            return under_promise(self.formula(), &self.file.program).map(Cow::Owned);
        }
        if !self.is_strongly_fair() || self.is_linear() {
            return Ok(Cow::Borrowed(self.formula()));
        }
        let instances = &self.file.program.instances;
        let treated = |process: ProcessId| self.file.program.process(process).fairness;
        let strong = instances.iter().filter(|instance| treated(instance.process) == Fairness::Strong);
        relativised(self.formula(), strong.count()).map(Cow::Owned)
    }

    fn is_linear(&self) -> bool {
        matches!(self.asks, Asks::Property(_)) && self.formula().logic() == Logic::Ltl
    }

    /// The finite structure that a proof is about: the program's graph, its product with a claim, or the game that players play on it.
    ///
    /// # Errors
    /// If it cannot be written out.
    pub fn graph(&self, budget: &Budget) -> Result<Kmts, NoGraph> {
        let semantics = Semantics::new(&self.file.program);
        if self.formula().logic().is_strategic() {
            return write_out_game(&semantics, &self.labels(), self.frame, budget);
        }
        if self.is_strongly_fair() && !self.frame.stutter {
            return Err(NoGraph::Open("strong fairness is known where runs that end stay where they are".to_owned()));
        }
        if self.is_strongly_fair() && !self.is_linear() {
            if !matches!(self.asks, Asks::Property(_)) {
                return Err(NoGraph::Open("a claim is read beside runs that are weakly fair at most".to_owned()));
            }
            return write_out_marked(&semantics, &self.labels(), (self.frame, self.everyone), budget);
        }
        let graph = write_out(&semantics, &self.labels(), (self.frame, self.everyone), budget)?;
        match &self.asks {
            Asks::Claim(claim, _) => claim.product(&graph, budget),
            _ => Ok(graph),
        }
    }

    /// Why strong fairness is in the way of a proof on the graph: what it excludes is drawn there by copies of possible steps for linear formulas, which is right for what every
    /// run does.
    #[must_use]
    pub fn strong_fairness_refuses(&self, value: Belnap) -> Option<&'static str> {
        let refuses = self.is_strongly_fair() && self.is_linear() && value != Belnap::True;
        refuses.then_some(
            "under strong fairness a linear formula is shown to be true on the graph, and to be false by a run",
        )
    }

    /// Whether some process is treated strongly fairly, and that counts for the question.
    #[must_use]
    pub fn is_strongly_fair(&self) -> bool {
        self.frame.fair && self.has_process(Fairness::Strong)
    }

    /// Whether some process is treated with this fairness.
    #[must_use]
    pub fn has_process(&self, fairness: Fairness) -> bool {
        self.file.program.processes.iter().any(|process| process.fairness == fairness)
    }

    /// What was asked in full, for people.
    pub(crate) fn about(&self) -> Vec<String> {
        let mut about = vec!["at every initial state".to_owned()];
        if self.frame.stutter {
            about.push("runs that end stay where they end".to_owned());
        } else if self.reading.deadlock != Deadlock::Mu {
            about.push(format!("deadlocks read as `{}`", self.reading.deadlock.name()));
        }
        if self.everyone {
            about.push("runs that are fair to every process".to_owned());
        } else if self.frame.fair
            && self.file.program.processes.iter().any(|process| process.fairness != Fairness::None)
        {
            let fair = self.file.program.processes.iter().filter(|process| process.fairness != Fairness::None);
            let names: Vec<&str> = fair.map(|process| process.name.as_str()).take(8).collect();
            about.push(format!("runs that are fair to {}", names.join(", ")));
        }
        if self.reading.linear != Reading::default().linear {
            about.push(format!("linear formulas read as `{}`", self.reading.linear.name()));
        }
        about
    }
}

//! The abstraction as programs: its over- or its under-approximation as a source that this tool reads, and Spin.
//!
//! The over-approximation does whatever the program may do: a property that is true of it is true of the program. The under-approximation
//! does what the program surely can, over predicates that may be unknown: a property that is false of it is false of the program (Saïdi 2000; Vijzelaar et
//! al. 2014). Runs of the program that may end stay where they are in the over-approximation; runs of the under-approximation that cannot go on
//! say nothing, except about single states.

mod formulas;
mod gcl;
mod promela;

use std::collections::{BTreeMap, BTreeSet};

use formulas::{SourceWords, ValuedText, all, any, not, of_cubes, of_expression, of_formula, of_sure, of_truth};
use tertium_abstraction::System;
use tertium_abstraction::approximation::{ApproximatedStep, Untold};
use tertium_abstraction::initial::Initial;
use tertium_abstraction::truth::Guard;
use tertium_base::{Budget, Diagnostic};
use tertium_cegar::predicate_abstraction::{AbstractionOptions, failed, prepare};
use tertium_lattice::Kleene;
use tertium_load::failure::Failure;
use tertium_load::program::ProgramFile;
use tertium_load::questions::{PropertyQuery, Question, questions};
use tertium_logic::{Formula, Logic, Node};
use tertium_program::{Fairness, LocationId, ProcessId, Type};

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Approximation {
    /// What may happen.
    Over,
    /// What surely can.
    Under,
}

/// In which language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SourceLanguage {
    /// Guarded commands.
    Gcl,
    /// Promela.
    Promela,
}

/// A kept cell: its name in the source, whether it is a truth value, its bounds.
struct KeptCell {
    name: String,
    truth: bool,
    bounds: (i128, i128),
}

/// A process: its names in the source.
struct SourceProcess {
    name: String,
    /// Names of its locations, by number.
    places: Vec<String>,
    /// The locations that steps lead to from the entry, in the order of the text, the entry first.
    order: Vec<usize>,
}

impl SourceProcess {
    /// Whether steps lead to a location. Nobody is ever elsewhere, and the source has no such place.
    fn has(&self, at: usize) -> bool {
        self.order.contains(&at)
    }
}

/// A step with the places it leads from and to.
struct SourceStep {
    process: usize,
    from: usize,
    to: usize,
    /// The statement of the program.
    statement: String,
    step: ApproximatedStep,
}

/// A property that can be written, or why not.
struct SourceProperty {
    name: String,
    formula: Result<String, String>,
    /// Whether it is about single states.
    invariant: bool,
}

/// Everything that is written.
struct Parts {
    title: String,
    name: String,
    side: Approximation,
    /// Texts of the predicates.
    predicates: Vec<String>,
    kept: Vec<KeptCell>,
    processes: Vec<SourceProcess>,
    steps: Vec<SourceStep>,
    /// Values of kept cells and predicates at the start.
    initial: Vec<(Vec<i128>, Vec<Kleene>)>,
}

/// Writes an approximation.
///
/// # Errors
/// If the program cannot be abstracted, or has no such source; or if a limit is reached.
pub fn source(
    file: &ProgramFile,
    options: &AbstractionOptions,
    (side, language): (Approximation, SourceLanguage),
    budget: &Budget,
) -> Result<String, Failure> {
    let asked: Vec<PropertyQuery> = questions(file, &[], false)?
        .into_iter()
        .filter_map(|question| match question {
            Question::Property(asked) => Some(*asked),
            _ => None,
        })
        .collect();
    let atoms: Vec<_> = asked.iter().flat_map(|asked| asked.atoms.iter().copied()).collect();
    let mut prepared = prepare(file, &atoms, options, budget)?;
    let lost = |system: &System, why| failed(file, system.program(), why);
    let initial = prepared.system.initial_states();
    let initial = initial.map_err(|why| lost(&prepared.system, why))?;
    let starts = initial.iter().any(|initial| initial.certain);
    let steps = prepared.system.approximated().map_err(|why| lost(&prepared.system, why))?;
    let steps = steps.map_err(|untold| refused(&prepared.system, untold))?;
    let (parts, mut names) = Parts::new(file, &prepared.system, side, language, steps, &initial);
    if language == SourceLanguage::Promela {
        parts.fits_int()?;
    }
    let words: Box<dyn SourceWords> = match language {
        SourceLanguage::Gcl => Box::new(gcl::Words(&parts)),
        SourceLanguage::Promela => Box::new(promela::Words(&parts)),
    };
    let fair = file.program.processes.iter().any(|process| process.fairness != Fairness::None);
    let mut properties = Vec::new();
    for asked in &asked {
        let mut values = Vec::new();
        for (_, expr) in prepared.atoms(asked) {
            values.push(of_expression(&*words, &mut prepared.system, expr, &lost)?);
        }
        let name = names.fresh(&asked.name);
        properties.push(property(
            (&*words, language),
            (name, asked),
            &values,
            side == Approximation::Over || starts,
            fair,
        ));
    }
    Ok(match language {
        SourceLanguage::Gcl => gcl::text(&parts, &properties),
        SourceLanguage::Promela => promela::text(&parts, &properties),
    })
}

fn property(
    (words, language): (&dyn SourceWords, SourceLanguage),
    (name, asked): (String, &PropertyQuery),
    atoms: &[ValuedText],
    starts: bool,
    fair: bool,
) -> SourceProperty {
    let invariant = asked.invariant.is_some() && !asked.exists;
    let formula = if asked.formula.logic() != Logic::Ltl {
        Err("it is no linear formula".to_owned())
    } else if !starts {
        Err("the program may have no initial state".to_owned())
    } else if words.is_under() && fair && !invariant {
        Err("processes are treated fairly, and a run of this program may not be fair".to_owned())
    } else if language == SourceLanguage::Promela && has_next(&asked.formula) {
        Err("a step of the program is several steps here, and X would mean something else".to_owned())
    } else {
        of_formula(words, &asked.formula, atoms).ok_or_else(|| "it is too long, or speaks of steps".to_owned())
    };
    SourceProperty { name, formula, invariant }
}

fn has_next(formula: &Formula) -> bool {
    formula.node_ids().any(|id| matches!(formula.node(id), Node::Next(_)))
}

fn refused(system: &System, untold: Untold) -> Failure {
    let program = system.program();
    let (operation, why, help) = match untold {
        Untold::Meeting(at) => {
            (at, "several processes move at once".to_owned(), "write the structure instead: `--to kmts`")
        }
        Untold::Cases(at, var) => {
            let why = format!("it depends on too many values of `{}` and others", program.show_variable(var));
            (at, why, "bound what it reads, or write the structure instead: `--to kmts`")
        }
        Untold::Value(at, var) => {
            let why = format!("what `{}` becomes is not known", program.show_variable(var));
            (at, why, "do not keep it, or write the structure instead: `--to kmts`")
        }
    };
    let name = system.operation_name(operation);
    let error =
        Diagnostic::error("E0366", format!("`{name}` cannot be written as a step of a program: {why}")).help(help);
    error.into()
}

impl Parts {
    fn new(
        file: &ProgramFile,
        system: &System,
        side: Approximation,
        language: SourceLanguage,
        steps: Vec<ApproximatedStep>,
        initial: &[Initial],
    ) -> (Self, Names) {
        let program = system.program();
        let mut names = Names::new(language);
        let kept = system.kept().iter().map(|kept| {
            let (lo, hi) = system.bounds_of(kept.var);
            KeptCell {
                name: names.fresh(&format!("v_{}_{}", program.show_variable(kept.var), kept.cell)),
                truth: program.variable(kept.var).ty == Type::Bool,
                bounds: (lo.unwrap_or(-(1 << 31)), hi.unwrap_or(1 << 31)),
            }
        });
        let kept: Vec<KeptCell> = kept.collect();
        let steps = steps.into_iter().map(|step| {
            let operation = &system.operations()[step.operation];
            let texts: Vec<&str> = operation.steps.iter().map(|&id| program.step(id).text.as_str()).collect();
            let (process, from, to) = (operation.process.index(), operation.source.index(), operation.target.index());
            SourceStep { process, from, to, statement: texts.join("; ").replace(['\n', '\r'], " "), step }
        });
        let steps: Vec<SourceStep> = steps.collect();
        let mut processes = Vec::new();
        for process in program.process_ids() {
            let name = names.fresh(&program.process(process).name);
            let mut own = names.clone();
            let count = program.process(process).locations.len();
            let places = (0..count).map(|at| own.fresh(&program.location_name(process, LocationId::new(at)))).collect();
            let own: Vec<&SourceStep> = steps.iter().filter(|step| step.process == process.index()).collect();
            let order = in_order(program.process(process).entry.index(), count, &own);
            processes.push(SourceProcess { name, places, order });
        }
        let title = match side {
            Approximation::Over => "Over-approximation",
            Approximation::Under => "Under-approximation",
        };
        let parts = Self {
            title: format!("{title} of {} over {} predicates.", file.file, system.predicates().len()),
            name: names.fresh(&file.program.name),
            side,
            predicates: system.predicates().iter().map(|predicate| predicate.name.clone()).collect(),
            kept,
            processes,
            steps,
            initial: starts(side, initial),
        };
        (parts, names)
    }

    /// Whether it is chosen where to begin.
    fn is_chosen(&self) -> bool {
        let open =
            |(_, cube): &(Vec<i128>, Vec<Kleene>)| self.side == Approximation::Over && cube.contains(&Kleene::Unknown);
        self.initial.len() != 1 || self.initial.iter().any(open)
    }

    /// Refuses values that an `int` of Promela does not have.
    fn fits_int(&self) -> Result<(), Failure> {
        let at_start = self.initial.iter().flat_map(|(values, _)| values.iter().copied().enumerate());
        let in_steps = self.steps.iter().flat_map(|step| step.step.case.iter().chain(&step.step.updates).copied());
        let large = at_start.chain(in_steps).find(|&(_, value)| i32::try_from(value).is_err());
        let Some((cell, value)) = large else { return Ok(()) };
        let name = &self.kept[cell].name;
        let error = Diagnostic::error("E0366", format!("`{name}` becomes {value}, which is no `int` of Promela"));
        Err(error.help("write guarded commands instead: `--to gcl`").into())
    }

    /// The steps that leave a location.
    fn leaving(&self, process: usize, at: usize) -> impl Iterator<Item = &SourceStep> {
        self.steps.iter().filter(move |step| (step.process, step.from) == (process, at))
    }

    /// When a step may be taken in this approximation, besides its case.
    fn guard(&self, words: &dyn SourceWords, step: &ApproximatedStep) -> String {
        match (self.side, &step.may) {
            (Approximation::Over, Guard::Exactly(truth)) => of_truth(words, truth).yes,
            (Approximation::Over, Guard::Except(cubes)) => not(&of_cubes(words, cubes)),
            (Approximation::Under, _) => sure(words, step),
        }
    }

    /// Where the program may be unable to step, in the over-approximation.
    fn may_rest(&self, words: &dyn SourceWords, case: &dyn Fn(&ApproximatedStep) -> String) -> String {
        let mut resting = Vec::new();
        let mut failing = Vec::new();
        for (number, process) in self.processes.iter().enumerate() {
            let mut somewhere = Vec::new();
            for &at in &process.order {
                let steps: Vec<&SourceStep> = self.leaving(number, at).collect();
                let able: Vec<String> =
                    steps.iter().map(|step| all(&[case(&step.step), sure(words, &step.step)])).collect();
                let (process, place) = (ProcessId::new(number), LocationId::new(at));
                somewhere.push(all(&[words.place(process, place, true), not(&any(&able))]));
                if steps.iter().any(|step| step.step.may_fail) {
                    failing.push(words.place(process, place, true));
                }
            }
            resting.push(any(&somewhere));
        }
        any(&[vec![all(&resting)], failing].concat())
    }
}

/// The locations that a process can be at, in the order of its steps, the entry first.
fn in_order(entry: usize, count: usize, steps: &[&SourceStep]) -> Vec<usize> {
    let mut reached = vec![false; count];
    let mut open = vec![entry];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            open.extend(steps.iter().filter(|step| step.from == at).map(|step| step.to));
        }
    }
    let mut order = vec![entry];
    for at in steps.iter().map(|step| step.from).chain(0..count) {
        if reached[at] && !order.contains(&at) {
            order.push(at);
        }
    }
    order
}

/// When a step surely can be taken.
fn sure(words: &dyn SourceWords, step: &ApproximatedStep) -> String {
    of_sure(words, &step.sure)
}

/// What holds at the start: for the under-approximation one state for each combination of kept values, in which a predicate is unknown where
/// initial states differ.
fn starts(side: Approximation, initial: &[Initial]) -> Vec<(Vec<i128>, Vec<Kleene>)> {
    if side == Approximation::Over {
        return initial.iter().map(|initial| (initial.state.kept.clone(), initial.state.cube.clone())).collect();
    }
    let mut groups: BTreeMap<Vec<i128>, (Vec<Kleene>, bool)> = BTreeMap::new();
    for Initial { state, certain } in initial {
        let known = groups.entry(state.kept.clone()).or_insert_with(|| (state.cube.clone(), false));
        for (known, &value) in known.0.iter_mut().zip(&state.cube) {
            if *known != value {
                *known = Kleene::Unknown;
            }
        }
        known.1 |= certain;
    }
    let sure = groups.values().any(|(_, certain)| *certain);
    groups.into_iter().filter(|(_, (_, certain))| *certain || !sure).map(|(kept, (cube, _))| (kept, cube)).collect()
}

/// Names that differ, none of which the language has for itself.
#[derive(Clone)]
struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    fn new(language: SourceLanguage) -> Self {
        let (keywords, others) = match language {
            SourceLanguage::Gcl => (tertium_gcl::symbols::keywords(), gcl::RESERVED),
            SourceLanguage::Promela => (tertium_promela::parser::KEYWORDS, promela::RESERVED),
        };
        Self { taken: keywords.iter().chain(others).map(|&name| name.to_owned()).collect() }
    }

    fn fresh(&mut self, wanted: &str) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let plain: String = wanted.chars().map(letter).collect::<String>().trim_end_matches('_').to_owned();
        let is_free = plain.starts_with(|c: char| c.is_ascii_alphabetic()) && !plain.starts_with("pc_");
        let plain = if is_free { plain } else { format!("p{plain}") };
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let mut candidates = std::iter::once(plain.clone()).chain(numbered);
        let free = candidates.find(|name| !self.taken.contains(name) && !is_own(name)).unwrap_or(plain);
        self.taken.insert(free.clone());
        free
    }
}

/// Whether the source itself has such names: predicates `B1`, choices `c1`, new values `n1`.
fn is_own(name: &str) -> bool {
    let number = name.strip_prefix(['B', 'c', 'n']).filter(|rest| !rest.is_empty());
    number.is_some_and(|rest| rest.bytes().all(|c| c.is_ascii_digit()))
}

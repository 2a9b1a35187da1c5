//! Sets say what the other engines say: of all vectors, of the whole corpus, and of random structures, programs and Promela
//! models; of each state, not only of the first one.
//!
//! A short sample belongs to the usual tests. `make test-symbolic` compares 5,000 random models and shows a table: how many agree,
//! what is refused because of which construct, and what was out of limits.

mod models;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use tertium_base::Budget;
use tertium_check::automata::AutomataEngine;
use tertium_check::explicit::Explicit;
use tertium_check::symbolic::{Atoms, Fairness, Pair, Symbolic, evaluate, linear_value, star_value};
use tertium_check::{Ask, Engine, EngineError, Task, Values};
use tertium_dd::Bit;
use tertium_driver::check as structures;
use tertium_driver::engines::EngineChoice;
use tertium_driver::input::{Loaded, load as structure_file};
use tertium_driver::program::branching::{Collected, GraphOptions};
use tertium_driver::program::check::CheckOutcome;
use tertium_driver::program::questions::{PropertyQuery, Question, questions};
use tertium_driver::program::safety::{Effort, Keeping};
use tertium_driver::program::space::Space;
use tertium_driver::program::symbolic::{self, Encoding, InstantiatedProgram};
use tertium_driver::program::{CheckOptions, ProgramFile, check, from_text, load};
use tertium_driver::{Belnap, Failure};
use tertium_evidence::{Deadlock, LinearReading, Reading};
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, StateId};
use tertium_program::ExprId;
use tertium_testkit::{
    Case, FormulaShape, ProgramShape, StructureShape, corpus, for_random_cases, random_program, random_promela,
};

use self::models::promela;

/// Programs with more states are compared by their verdicts at the first one only.
const MOST_STATES: usize = 1500;
/// Searches do not go further.
const MOST_VISITED: usize = 20_000;
/// Nor do they, or sets, look more often at the budget for one program.
const MOST_EFFORT: u64 = 400_000;
/// What came of a comparison.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Met {
    /// All verdicts and the values at so many states.
    Agreed(usize),
    Refused(String),
    OutOfLimits,
}

/// What came of all comparisons of one kind.
#[derive(Clone, Debug, Default)]
struct Tally {
    limited: Vec<String>,
    agreed: usize,
    states: usize,
    refused: BTreeMap<String, usize>,
    out_of_limits: usize,
}

impl Tally {
    fn add(&mut self, met: Met) {
        match met {
            Met::Agreed(states) => {
                self.agreed += 1;
                self.states += states;
            }
            Met::Refused(why) => *self.refused.entry(why).or_default() += 1,
            Met::OutOfLimits => self.out_of_limits += 1,
        }
    }

    fn all(&self) -> usize {
        self.agreed + self.out_of_limits + self.refused.values().sum::<usize>()
    }

    fn told(&self, kind: &str) -> String {
        let refused: usize = self.refused.values().sum();
        let mut text = format!(
            "{kind:<22} {:>6} compared  {:>6} agree  {:>9} values of states  {refused:>5} refused  {:>5} out of limits\n",
            self.all(),
            self.agreed,
            self.states,
            self.out_of_limits,
        );
        for (why, count) in &self.refused {
            text.push_str(&format!("{count:>8} refused: {why}\n"));
        }
        for name in &self.limited {
            text.push_str(&format!("{:>8} out of limits: {name}\n", ""));
        }
        text
    }
}

/// Adds to the table, if one is wanted.
fn told(kind: &str, tally: &Tally) {
    let Some(path) = std::env::var_os("TERTIUM_TABLE") else { return };
    let mut table = std::fs::read_to_string(&path).unwrap_or_default();
    table.push_str(&tally.told(kind));
    std::fs::write(&path, table).expect("the table can be written");
}

fn budget() -> Budget {
    Budget::unlimited().with_effort(Some(MOST_EFFORT)).with_memory(Some(1 << 30))
}

fn answers(file: &ProgramFile, asked: &[Question], engine: EngineChoice, fair: bool) -> Result<CheckOutcome, Failure> {
    let max_states = (engine == EngineChoice::Auto).then_some(MOST_VISITED);
    let options = CheckOptions { engine, max_states, fair, look_for_idle: false, ..CheckOptions::default() };
    check(file, asked, &options, &budget(), &())
}

/// The reason without the names of the program.
fn construct(message: &str) -> String {
    let mut words = message.split('`');
    let mut told = words.next().unwrap_or_default().to_owned();
    for (at, word) in words.enumerate() {
        told.push_str(if at % 2 == 0 { ".." } else { word });
    }
    told.replace("the program cannot be encoded as sets: ", "")
}

/// The verdicts, with fairness to everyone or without; then the states and their values without it.
fn compare_program(file: &ProgramFile, fair: bool) -> Met {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let sets = match answers(file, &asked, EngineChoice::Symbolic, fair) {
        Ok(sets) => sets.answers,
        Err(Failure::Input(why)) if ["E0360", "E0361"].contains(&why[0].diagnostic.code) => {
            return Met::Refused(construct(&why[0].diagnostic.message));
        }
        Err(failure) => panic!("{failure:?}"),
    };
    let visited = answers(file, &asked, EngineChoice::Auto, fair);
    let visited = visited.unwrap_or_else(|failure| panic!("{failure:?}")).answers;
    assert_eq!(sets.len(), visited.len());
    let mut limited = false;
    for (one, other) in sets.iter().zip(&visited) {
        assert_eq!(one.name, other.name);
        if one.stopped().is_some() || other.stopped().is_some() || other.value() == Belnap::Unknown {
            limited = true;
            continue;
        }
        assert_eq!(one.value(), other.value(), "{}", one.name);
        let expected = other.run().is_some() && one.logic != "ctl" && one.logic != "mu" && one.logic != "pml";
        assert!(one.run().is_some() || !expected, "no run for {}", one.name);
    }
    if limited { Met::OutOfLimits } else { compare_states(file, &asked) }
}

/// What both engines say of the states of a program.
struct Both<'b> {
    encoding: &'b Encoding<'b>,
    subject: &'b InstantiatedProgram<'b>,
    space: &'b Space<'b>,
    collected: &'b Collected,
    /// For each state that was visited its bits.
    rows: Vec<Vec<bool>>,
}

/// Compares the states, and what each property says of each of them.
fn compare_states(file: &ProgramFile, asked: &[Question]) -> Met {
    let budget = budget();
    let space = Space::new(&file.program, &budget).expect("it can be explored");
    let effort =
        Effort { threads: 1, max_states: Some(MOST_VISITED), reduction: false, store: Keeping::Exact, budget: &budget };
    let collected = Collected::visit(&space, &effort, &mut |_| {});
    if collected.explored().summary.stopped.is_some() {
        return Met::OutOfLimits;
    }
    let visited = collected.explored().store.len();
    let properties: Vec<&PropertyQuery> = asked.iter().filter_map(property).collect();
    let atoms: Vec<ExprId> = properties.iter().flat_map(|asked| asked.atoms.iter().copied()).collect();
    let subject = InstantiatedProgram::new(&file.program, &atoms).expect("it was encoded before");
    let Ok(mut encoding) = Encoding::of(&subject, &budget, &mut |_| {}) else { return Met::OutOfLimits };
    // What can be reached may fit where the formulas do not.
    if let Ok(Some(larger)) = encoding.enlarged(&budget, &mut |_| {}) {
        encoding = larger;
    }
    assert_eq!(encoding.figures().states, visited as f64, "states that can be reached");
    if visited > MOST_STATES {
        return Met::Agreed(0);
    }
    let structure = symbolic::structure(&encoding, &[], false, false).expect("within limits");
    let restored = subject.restoring();
    let mut numbers = HashMap::new();
    for number in 0..visited {
        numbers.insert(space.state(&collected.row(number)), number);
    }
    let mut rows = vec![Vec::new(); visited];
    let mut left = encoding.reached.clone();
    while let Some(row) = structure.some(&left) {
        left = left.minus(&structure.single(&row).expect("within limits")).expect("within limits");
        let state = restored(&encoding.state(&row));
        let Some(&number) = numbers.get(&state) else { panic!("no search comes to {state:?}") };
        rows[number] = row;
    }
    assert!(rows.iter().all(|row| !row.is_empty()) || structure.bits.is_empty(), "a state is not in the set");
    let both = Both { encoding: &encoding, subject: &subject, space: &space, collected: &collected, rows };
    let mut values = visited;
    for asked in properties {
        let Some(more) = both.compare(asked, &effort) else { return Met::OutOfLimits };
        values += more;
    }
    Met::Agreed(values)
}

fn property(question: &Question) -> Option<&PropertyQuery> {
    match question {
        Question::Property(asked) => Some(asked),
        Question::Never(_) | Question::Watched(_) => None,
    }
}

impl Both<'_> {
    /// The values of a formula at every state, without fairness: how many; none if a limit is reached.
    fn compare(&self, asked: &PropertyQuery, effort: &Effort<'_>) -> Option<usize> {
        let formula = &asked.formula;
        let logic = formula.logic();
        if !formula.actions().is_empty() {
            return Some(0);
        }
        let stutter = matches!(logic, Logic::Ltl | Logic::CtlStar);
        let names: Vec<(String, ExprId)> =
            formula.atoms().iter().zip(&asked.atoms).map(|(atom, &expr)| (atom.text.clone(), expr)).collect();
        let shape = GraphOptions { fair: false, stutter };
        let visited = self.collected.structure(self.space, &names, effort, shape).expect("within limits");
        let engine: &dyn Engine = if stutter { &AutomataEngine } else { &Explicit };
        let expected = values(engine, &visited, formula, Reading::default()).expect("everything is decided");
        let sets = self.sets(asked, stutter)?;
        let bits: HashMap<Bit, usize> = self.bits();
        for (number, row) in self.rows.iter().enumerate() {
            let holds = |set: &tertium_dd::Set| set.contains(|bit| bits.get(&bit).is_some_and(|&at| row[at]));
            let found = Belnap::from_evidence(holds(&sets.yes), !holds(&sets.open));
            let expected = expected.at(StateId::new(number));
            assert_eq!(found, expected, "{} at {:?}", asked.name, self.space.state(&self.collected.row(number)));
        }
        Some(self.rows.len())
    }

    fn bits(&self) -> HashMap<Bit, usize> {
        let structure = symbolic::structure(self.encoding, &[], false, false).expect("within limits");
        structure.bits.iter().enumerate().map(|(at, &(now, _))| (now, at)).collect()
    }

    fn sets(&self, asked: &PropertyQuery, stutter: bool) -> Option<Pair> {
        let structure = symbolic::structure(self.encoding, &[], false, stutter).expect("within limits");
        let label = |&expr: &ExprId| {
            Some(symbolic::label(self.encoding, self.subject.expr(expr)).expect("it was encoded before"))
        };
        let labels: Vec<Option<Pair>> = asked.atoms.iter().map(label).collect();
        let elements = asked.formula.elements().iter().map(|_| Belnap::Unknown).collect();
        let atoms = Atoms { labels, elements, filters: Vec::new() };
        let value = match asked.formula.logic() {
            Logic::Ltl => linear_value(&structure, &asked.formula, &atoms, &Fairness::default()),
            Logic::CtlStar => star_value(&structure, &asked.formula, &atoms, &Fairness::default(), None),
            _ => evaluate(&structure, &asked.formula, &atoms, false),
        };
        match value {
            Err(EngineError::Stopped(_)) => None,
            value => Some(value.expect("it is supported")),
        }
    }
}

fn values(engine: &dyn Engine, model: &Kmts, formula: &Formula, reading: Reading) -> Result<Values, String> {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, reading, Ask::All, &budget).map_err(|error| format!("{error:?}"))?;
    engine.supports(&task).map_err(|why| why.reason)?;
    engine.values(&task).map_err(|error| format!("{error:?}"))
}

/// The engine that a structure's states are compared with: automata for paths, fixpoints for the rest.
fn compare_structure(model: &Kmts, formula: &Formula, reading: Reading) -> Met {
    let other: &dyn Engine =
        if matches!(formula.logic(), Logic::Ltl | Logic::CtlStar) { &AutomataEngine } else { &Explicit };
    let Ok(expected) = values(other, model, formula, reading) else { return Met::OutOfLimits };
    match values(&Symbolic, model, formula, reading) {
        Err(why) => Met::Refused(why),
        Ok(found) => {
            for state in model.states() {
                assert_eq!(found.at(state), expected.at(state), "at {} under {reading:?}", model.state_name(state));
            }
            Met::Agreed(model.state_count())
        }
    }
}

#[test]
fn random_structures_agree() {
    let tally = RefCell::new(Tally::default());
    for_random_cases(16, |case: &mut Case| {
        let shape = StructureShape {
            states: 1..=*case.rng.pick(&[2, 4, 6]),
            hyper: case.rng.chance(60),
            mixed: case.rng.chance(30),
            both_labels: case.rng.chance(30),
            fairness: if case.rng.chance(30) { 2 } else { 0 },
            total: case.rng.chance(20),
            ..StructureShape::default()
        };
        let model = case.structure(&shape);
        let mut met = Met::Agreed(0);
        for logic in Logic::WITHOUT_PLAYERS {
            let formula = case.formula(&FormulaShape::new(logic));
            let deadlock = *case.rng.pick(&[Deadlock::Mu, Deadlock::Maximal, Deadlock::Total]);
            let reading = Reading { deadlock, linear: *case.rng.pick(&LinearReading::ALL) };
            met = match (met, compare_structure(&model, &formula, reading)) {
                (Met::Agreed(a), Met::Agreed(b)) => Met::Agreed(a + b),
                (Met::Agreed(_), other) | (other, _) => other,
            };
        }
        tally.borrow_mut().add(met);
    });
    let tally = tally.into_inner();
    told("random structures", &tally);
    assert!(tally.agreed * 10 >= tally.all() * 9, "{tally:?}");
}

/// What is asked of a random program.
const ASKED: &str = "
property comes : ltl G (home -> F !home)
property back : ltl G F home
property possible : ctl AG EF home
property sure : ctl A[!home U home]
property turns : mu nu X. mu Y. <> ((home & X) | Y)
property step : pml [] !home
property path : ctl* E (F home && G F !home)
";

#[test]
fn random_programs_agree() {
    let tally = RefCell::new(Tally::default());
    for_random_cases(12, |case| {
        let shape = ProgramShape { faults: case.rng.chance(60), ..ProgramShape::default() };
        let mut text = random_program(&mut case.rng, &shape);
        let member = if text.contains("process P0[") { "[1]" } else { "" };
        text.push_str(&format!("predicate home : P0{member}@here\n{ASKED}"));
        case.keep("program.gcl", text.clone());
        let file = from_text("random.gcl", text, &[], None).unwrap_or_else(|failure| panic!("{failure:?}"));
        let met = compare_program(&file, case.rng.chance(30));
        tally.borrow_mut().add(met);
    });
    let tally = tally.into_inner();
    told("random programs", &tally);
    assert!(tally.agreed * 10 >= tally.all() * 7, "{tally:?}");
}

#[test]
fn random_promela_models_agree() {
    let tally = RefCell::new(Tally::default());
    for_random_cases(12, |case| {
        let mut text = random_promela(&mut case.rng);
        text.push_str("ltl p { [] (g1 != 2) }\nltl q { <> (g1 == 1) }\nltl r { [] (g1 == 0 -> <> (g1 != 0)) }\n");
        case.keep("model.pml", &text);
        let met = compare_program(&promela(&text), case.rng.chance(30));
        tally.borrow_mut().add(met);
    });
    let tally = tally.into_inner();
    told("random Promela models", &tally);
    assert!(tally.agreed * 10 >= tally.all() * 6, "{tally:?}");
}

/// All files below a folder with one of these endings, in order.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the corpus") {
            let path = entry.expect("an entry").path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if path.is_dir() {
                open.push(path);
            } else if endings.contains(&ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Every file in the long run; some of them in the short one, without those that are made for spotlights and have very many states.
fn some(files: Vec<PathBuf>) -> Vec<PathBuf> {
    if std::env::var_os("TERTIUM_TABLE").is_some() {
        return files;
    }
    let is_small = |path: &PathBuf| !path.components().any(|part| part.as_os_str() == "spotlight");
    files.into_iter().step_by(8).filter(is_small).collect()
}

#[test]
fn the_programs_of_the_corpus_agree() {
    let mut tally = Tally::default();
    for path in some(files(&corpus::folder(), &["gcl", "pml"])) {
        // What is no program, or stands for programs of every size, says so elsewhere.
        let Ok(file) = load(&path, &[], None, &[]) else { continue };
        let met = std::panic::catch_unwind(|| compare_program(&file, false));
        let met = met.unwrap_or_else(|_| panic!("{}", path.display()));
        if met == Met::OutOfLimits {
            tally.limited.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        tally.add(met);
    }
    told("programs of the corpus", &tally);
    assert!(tally.agreed > 10, "{tally:?}");
}

/// What both engines say of a property at every state of a structure in a file.
fn compare_file(loaded: &Loaded, parameters: bool) -> Vec<Met> {
    let budget = budget();
    let session = |engine: EngineChoice| {
        let options = structures::CheckOptions { engine, all_states: true, parameters, ..Default::default() };
        structures::Session::new(loaded, options, &budget).expect("a structure")
    };
    let (sets, others) = (session(EngineChoice::Symbolic), session(EngineChoice::Auto));
    let mut met = Vec::new();
    // Files in the corpus may have formulas with mistakes on purpose.
    for property in others.properties(&[], &[]).unwrap_or_default() {
        let expected = others.check(&property, &budget, &()).expect("it is decided");
        match sets.check(&property, &budget, &()) {
            Ok(found) => {
                assert_eq!(found.value(), expected.value(), "{}", found.name);
                assert_eq!(found.per_state, expected.per_state, "{}", found.name);
                met.push(Met::Agreed(found.per_state.map_or(1, |values| values.len())));
            }
            Err(Failure::Input(why)) => met.push(Met::Refused(construct(&why[0].diagnostic.message))),
            Err(failure) => panic!("{failure:?}"),
        }
    }
    met
}

#[test]
fn the_structures_of_the_corpus_agree() {
    let mut tally = Tally::default();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for path in [corpus::folder(), examples].iter().flat_map(|folder| files(folder, &["kmts", "json"])) {
        // What is no structure says so elsewhere.
        let Ok(loaded) = structure_file(&path, &budget()) else { continue };
        for parameters in [false, true] {
            let met = std::panic::catch_unwind(|| compare_file(&loaded, parameters));
            met.unwrap_or_else(|_| panic!("{}", path.display())).into_iter().for_each(|met| tally.add(met));
        }
    }
    told("structures in files", &tally);
    assert!(tally.agreed > 10, "{tally:?}");
}

#[test]
fn the_vectors_agree() {
    let mut tally = Tally::default();
    for vector in corpus::vectors() {
        let (Some(logic), Some(text)) =
            (vector["logic"].as_str().and_then(Logic::from_name), vector["formula"].as_str())
        else {
            continue;
        };
        let Some(model) = corpus::structure(&vector["model"]) else { continue };
        let Some(formula) = parse(text, &ParseOptions::in_logic(logic)).formula else { continue };
        for deadlock in [Deadlock::Mu, Deadlock::Maximal] {
            for linear in LinearReading::ALL {
                tally.add(compare_structure(&model, &formula, Reading { deadlock, linear }));
            }
        }
    }
    told("vectors", &tally);
    assert!(tally.agreed > 100 && tally.agreed == tally.all(), "{tally:?}");
}

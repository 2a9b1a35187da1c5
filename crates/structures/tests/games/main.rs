//! Coalitions against enumeration: values of ATL and ATL* are those of strategies that are tried one by one, and hold of completions; engines agree; alternating refinement keeps what is definite.

mod module;
mod products;

use tertium_base::Budget;
use tertium_check::explicit::Explicit;
use tertium_check::game::ParityGame;
use tertium_check::symbolic::Symbolic;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::{Deadlock, LinearReading, Reading};
use tertium_kernel::check_certificate;
use tertium_lattice::{Belnap, TruthValue};
use tertium_load::Loaded;
use tertium_logic::{Formula, Logic, Node, NodeId, ParseOptions, parse};
use tertium_model::{Kmts, KmtsBuilder, Model, StateId, refines_alternating};
use tertium_structures::check::{CheckOptions, Session};
use tertium_structures::coalitions::evaluated;
use tertium_testkit::{Case, FormulaShape, Rng, for_random_cases};

const READING: Reading = Reading { deadlock: Deadlock::Mu, linear: LinearReading::Hyper };

fn formula(text: &str, logic: Logic) -> Formula {
    let parsed = parse(text, &ParseOptions::in_logic(logic));
    parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics))
}

fn values(model: &Kmts, formula: &Formula, engine: &dyn Engine) -> Vec<Belnap> {
    let budget = Budget::unlimited();
    let (model, form) = evaluated(model, formula).expect("small formulas have a form");
    let task = Task::new(&model, &form, READING, Ask::All, &budget).unwrap_or_else(|_| panic!("{formula}: a name"));
    let found = engine.values(&task).unwrap_or_else(|error| panic!("{formula}: {error:?}"));
    model.states().map(|state| found.at(state)).collect()
}

/// A complete game: successors (bit sets, none empty), owners, and labels `p` and `q`.
struct Game {
    next: Vec<usize>,
    owners: Vec<&'static str>,
    labels: [usize; 2],
}

const PLAYERS: [&str; 3] = ["P", "Q", "system"];

impl Game {
    fn kmts(&self) -> Kmts {
        let mut builder = KmtsBuilder::new();
        let states: Vec<StateId> = (0..self.next.len()).map(|at| builder.add_state(&format!("s{at}"))).collect();
        for (name, set) in ["p", "q"].iter().zip(self.labels) {
            let prop = builder.add_prop(name);
            states
                .iter()
                .for_each(|&state| builder.set_label(state, prop, Belnap::from(set >> state.index() & 1 == 1)));
        }
        for &from in &states {
            builder.set_owner(from, self.owners[from.index()]);
            for &to in states.iter().filter(|to| self.next[from.index()] >> to.index() & 1 == 1) {
                builder.add_edge(from, to, true, true, None);
            }
        }
        builder.add_init(states[0]);
        builder.finish().expect("it is small")
    }

    fn of(model: &Kmts) -> Self {
        let next = |state| model.may_successors(state).fold(0, |set, to| set | 1 << to.index());
        let owner = |state: StateId| PLAYERS.into_iter().find(|player| *player == model.owner_name(state)).unwrap();
        let label = |name: &str| {
            let prop = model.prop_by_name(name).unwrap();
            model
                .states()
                .filter(|&state| model.label(state, prop) == Belnap::True)
                .fold(0, |set, at| set | 1 << at.index())
        };
        Self {
            next: model.states().map(next).collect(),
            owners: model.states().map(owner).collect(),
            labels: [label("p"), label("q")],
        }
    }

    /// The states where a state formula holds, every strategy tried.
    fn holds(&self, formula: &Formula) -> usize {
        let mut sets: Vec<usize> = Vec::new();
        for &node in formula.nodes() {
            let of = |a: NodeId| sets[a.index()];
            let all = (1 << self.next.len()) - 1;
            sets.push(match node {
                Node::True => all,
                Node::False => 0,
                Node::Atom(atom) => self.labels[usize::from(formula.atoms()[atom.index()].text == "q")],
                Node::Not(a) => all & !of(a),
                Node::And(a, b) => of(a) & of(b),
                Node::Or(a, b) => of(a) | of(b),
                Node::Implies(a, b) => all & !of(a) | of(b),
                Node::Iff(a, b) => all & !(of(a) ^ of(b)),
                Node::Xor(a, b) => of(a) ^ of(b),
                Node::Coalition(id, path) => {
                    let coalition = &formula.coalitions()[id.index()];
                    let member = |at: usize| coalition.contains(self.owners[at]);
                    let path = formula.node(path).map_children(|a| NodeId::new(of(a)));
                    self.enforced(path, &member, coalition.cannot_avoid)
                }
                _ => 0,
            });
        }
        sets[formula.root().index()]
    }

    /// Every positional strategy of the members; a state is won if one is good for it, or (`cannot_avoid`) if none avoids a good path.
    fn enforced(&self, path: Node, member: &dyn Fn(usize) -> bool, cannot_avoid: bool) -> usize {
        let all = (1usize << self.next.len()) - 1;
        let own: Vec<usize> = (0..self.next.len()).filter(|&at| member(at)).collect();
        let choices: Vec<Vec<usize>> =
            own.iter().map(|&at| (0..self.next.len()).filter(|to| self.next[at] >> to & 1 == 1).collect()).collect();
        let (mut some, mut every) = (0, all);
        let total: usize = choices.iter().map(Vec::len).product();
        for number in 0..total {
            let (mut next, mut rest) = (self.next.clone(), number);
            for (&at, options) in own.iter().zip(&choices) {
                next[at] = 1 << options[rest % options.len()];
                rest /= options.len();
            }
            some |= on_paths(&next, path, true);
            every &= on_paths(&next, path, false);
        }
        if cannot_avoid { every } else { some }
    }
}

/// Where all paths (or some path) of a graph satisfy one temporal operator; operands are sets of states.
fn on_paths(next: &[usize], path: Node, all_paths: bool) -> usize {
    let whole = (1usize << next.len()) - 1;
    let before = |set: usize| {
        let leads = |at: &usize| if all_paths { next[*at] & !set == 0 } else { next[*at] & set != 0 };
        (0..next.len()).filter(leads).fold(0, |found, at| found | 1 << at)
    };
    let fixpoint = |mut set: usize, step: &dyn Fn(usize) -> usize| loop {
        let more = step(set);
        if more == set {
            return set;
        }
        set = more;
    };
    let set = |a: NodeId| a.index();
    match path {
        Node::Next(a) => before(set(a)),
        Node::Finally(a) => fixpoint(0, &|z| set(a) | before(z)),
        Node::Globally(a) => fixpoint(whole, &|z| set(a) & before(z)),
        Node::Until(a, b) => fixpoint(0, &|z| set(b) | set(a) & before(z)),
        Node::WeakUntil(a, b) => fixpoint(whole, &|z| set(b) | set(a) & before(z)),
        Node::Release(a, b) => fixpoint(whole, &|z| set(b) & (set(a) | before(z))),
        Node::StrongRelease(a, b) => fixpoint(0, &|z| set(b) & (set(a) | before(z))),
        other => panic!("{other:?} is no temporal operator"),
    }
}

fn compare(game: &Game, asked: &Formula, engine: &dyn Engine) {
    let expected = game.holds(asked);
    for (at, &value) in values(&game.kmts(), asked, engine).iter().enumerate() {
        let truth = Belnap::from(expected >> at & 1 == 1);
        assert_eq!(value, truth, "{asked} at s{at}: {:?} {:?} {:?}", game.next, game.owners, game.labels);
    }
}

/// All games of up to two states, and every ninth one of three, of two players.
#[test]
fn small_games_have_the_values_of_their_strategies() {
    let texts = [
        "<<P>> F p",
        "<<P>> G p",
        "<<P>> X p",
        "<<Q>> (p U q)",
        "[[P]] (p R q)",
        "[[Q]] F q",
        "<<P>> (p W q)",
        "<<P>> (p M q)",
        "<<P>> F <<Q>> G p",
        "[[P]] G [[Q]] X q",
        "<<P, Q>> F (p & q)",
        "<<>> G (p -> [[P]] F q)",
    ];
    let formulas: Vec<Formula> = texts.iter().map(|text| formula(text, Logic::Atl)).collect();
    let mut number = 0usize;
    for states in 1..=3usize {
        let (sets, full) = ((1usize << states) - 1, 1usize << states);
        for shape in 0..sets.pow(u32::try_from(states).unwrap()) {
            for owners in 0..full {
                number += 1;
                if states == 3 && !number.is_multiple_of(9) {
                    continue;
                }
                let game = Game {
                    next: (0..states).map(|at| shape / sets.pow(u32::try_from(at).unwrap()) % sets + 1).collect(),
                    owners: (0..states).map(|at| if owners >> at & 1 == 1 { "P" } else { "Q" }).collect(),
                    // Labels change with the number, so that all combinations come up.
                    labels: [number * 5 % full, number * 3 % full],
                };
                let engine: &dyn Engine = if number.is_multiple_of(2) { &Explicit } else { &ParityGame };
                compare(&game, &formulas[number % formulas.len()], engine);
                compare(&game, &formulas[(number / 2 + 5) % formulas.len()], engine);
            }
        }
    }
}

fn random_game(rng: &mut Rng, most: usize) -> Game {
    let states = rng.between(&(1..=most));
    Game {
        next: (0..states).map(|_| 1 + rng.below((1 << states) - 1)).collect(),
        owners: (0..states).map(|_| *rng.pick(&PLAYERS)).collect(),
        labels: [rng.below(1 << states), rng.below(1 << states)],
    }
}

#[test]
fn random_formulas_have_the_values_of_strategies() {
    for_random_cases(300, |case| {
        let game = random_game(&mut case.rng, 5);
        let asked = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(Logic::Atl) });
        compare(&game, &asked, &Explicit);
    });
}

/// A partial game: every state has a possible step, some are certain, labels may be open; every completion goes on for ever.
fn partial_game(case: &mut Case) -> Kmts {
    let rng = &mut case.rng;
    let count = rng.between(&(1..=4));
    let mut builder = KmtsBuilder::new();
    let states: Vec<StateId> = (0..count).map(|at| builder.add_state(&format!("s{at}"))).collect();
    for name in ["p", "q"] {
        let prop = builder.add_prop(name);
        for &state in &states {
            let value = [Belnap::True, Belnap::False, Belnap::Unknown][rng.below(3)];
            builder.set_label(state, prop, value);
        }
    }
    for &from in &states {
        builder.set_owner(from, PLAYERS[rng.below(3)]);
        let targets = rng.some_of(&states);
        for &to in &targets {
            builder.add_edge(from, to, true, rng.chance(50), None);
        }
        if rng.chance(30) {
            builder.add_hyper(from, &rng.some_of(&targets), None);
        }
    }
    builder.add_init(states[0]);
    builder.set_total(true);
    let model = builder.finish().expect("it is small");
    case.keep("game.kmts", format!("{model:?}"));
    model
}

#[test]
fn definite_values_hold_of_completions_and_survive_alternating_refinement() {
    let definite = std::cell::Cell::new(0usize);
    for_random_cases(400, |case| {
        let partial = partial_game(case);
        let asked = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(Logic::Atl) });
        let known = values(&partial, &asked, &ParityGame);
        let completion = case.completion(&partial);
        let owner = |state: StateId| partial.owner_name(completion.refines[state.index()]);
        let complete = completion.structure.clone().with_owners(owner);
        let holds = Game::of(&complete).holds(&asked);
        for state in complete.states() {
            let value = known[completion.refines[state.index()].index()];
            let truth = Belnap::from(holds >> state.index() & 1 == 1);
            assert!(
                value.info_le(truth),
                "{asked}: {value} at {}, {truth} in a completion",
                partial.state_name(completion.refines[state.index()])
            );
            definite.set(definite.get() + usize::from(value != Belnap::Unknown));
        }
        let refinement = case.refinement(&partial);
        let refined =
            refinement.structure.clone().with_owners(|state| partial.owner_name(refinement.refines[state.index()]));
        let relation = refines_alternating(&partial, &refined, &Budget::unlimited()).unwrap();
        let finer = values(&refined, &asked, &ParityGame);
        for state in refined.states() {
            let of = refinement.refines[state.index()];
            assert!(relation.contains(of, state));
            assert!(known[of.index()].info_le(finer[state.index()]), "{asked} at {}", partial.state_name(of));
        }
        for (a, c) in relation.pairs() {
            assert!(known[a.index()].info_le(finer[c.index()]), "{asked} at {} and {}", a.index(), c.index());
        }
    });
    assert!(definite.get() > 200, "{} definite values are too few to say much", definite.get());
}

#[test]
fn engines_agree_and_negation_is_dual() {
    for_random_cases(200, |case| {
        let partial = partial_game(case);
        let logic = if case.number.is_multiple_of(2) { Logic::Atl } else { Logic::AtlStar };
        let asked = case.formula(&FormulaShape { size: 4, ..FormulaShape::new(logic) });
        let Some(_) = evaluated(&partial, &asked) else { return };
        let expected = values(&partial, &asked, &ParityGame);
        let (model, form) = evaluated(&partial, &asked).unwrap();
        let budget = Budget::unlimited();
        let task = Task::new(&model, &form, READING, Ask::All, &budget).unwrap();
        for engine in [&Explicit as &dyn Engine, &Symbolic] {
            if engine.supports(&task).is_ok() {
                assert_eq!(values(&partial, &asked, engine), expected, "{}: {asked}", engine.name());
            }
        }
        let negated = tertium_logic::positive_normal_form(&asked, true);
        if evaluated(&partial, &negated).is_some() {
            let other: Vec<Belnap> = values(&partial, &negated, &ParityGame).iter().map(|value| value.not()).collect();
            assert_eq!(other, expected, "{asked} and its negation {negated}");
        }
    });
}

/// Strategies with two memory cells, tried one by one: where one wins the objective, or the others have one for its negation.
#[test]
fn path_formulas_have_the_values_of_finite_memory_strategies() {
    let objectives = ["G F p & G F q", "F p & F q", "X X p", "G F p -> G F q", "F G p", "F (p & X q)", "G (p -> F q)"];
    for_random_cases(60, |case| {
        let game = random_game(&mut case.rng, 3);
        let text = objectives[case.number % objectives.len()];
        let asked = formula(&format!("<<P>> ({text})"), Logic::AtlStar);
        let path = formula(text, Logic::Ltl);
        let against = formula(&format!("!({text})"), Logic::Ltl);
        let found = values(&game.kmts(), &asked, &ParityGame);
        let wins = finite_memory(&game, &|player| player == "P", &path);
        let loses = finite_memory(&game, &|player| player != "P", &against);
        for (at, &value) in found.iter().enumerate() {
            let (won, lost) = (wins >> at & 1 == 1, loses >> at & 1 == 1);
            assert!(won != lost, "two memory cells should be enough for {text}");
            assert_eq!(
                value,
                Belnap::from(won),
                "<<P>> {text} at s{at}: {:?} {:?} {:?}",
                game.next,
                game.owners,
                game.labels
            );
        }
    });
}

const MEMORY: usize = 2;

/// The states from which some strategy with two memory cells makes all paths satisfy a linear formula.
fn finite_memory(game: &Game, member: &dyn Fn(&str) -> bool, path: &Formula) -> usize {
    let states = game.next.len();
    let places = states * MEMORY;
    let targets = |at: usize| (0..states).filter(move |to| game.next[at] >> to & 1 == 1);
    // Members choose where to go; after each step the memory is what the strategy says, of whoever steps.
    let choices: Vec<Vec<Vec<(usize, usize)>>> = (0..places)
        .map(|place| {
            let from = place / MEMORY;
            let own = member(game.owners[from]);
            let memories = 0..MEMORY;
            match own {
                true => targets(from).flat_map(|to| memories.clone().map(move |cell| vec![(to, cell)])).collect(),
                false => memories.map(|cell| targets(from).map(|to| (to, cell)).collect()).collect(),
            }
        })
        .collect();
    let total: usize = choices.iter().map(Vec::len).product();
    let mut won = 0;
    for number in 0..total {
        let mut rest = number;
        let mut builder = KmtsBuilder::new();
        let nodes: Vec<StateId> = (0..places).map(|at| builder.add_state(&format!("{at}"))).collect();
        for (name, set) in ["p", "q"].iter().zip(game.labels) {
            let prop = builder.add_prop(name);
            nodes.iter().for_each(|&at| {
                builder.set_label(at, prop, Belnap::from(set >> (at.index() / MEMORY) & 1 == 1));
            });
        }
        for (place, options) in choices.iter().enumerate() {
            for &(to, cell) in &options[rest % options.len()] {
                builder.add_edge(nodes[place], nodes[to * MEMORY + cell], true, true, None);
            }
            rest /= options.len();
        }
        let graph = builder.finish().expect("it is small");
        let budget = Budget::unlimited();
        let task = Task::new(&graph, path, READING, Ask::All, &budget).unwrap();
        let found = tertium_check::automata::AutomataEngine.values(&task).unwrap();
        for at in 0..states {
            if found.at(nodes[at * MEMORY]) == Belnap::True {
                won |= 1 << at;
            }
        }
        if won == (1 << states) - 1 {
            break;
        }
    }
    won
}

/// Answers are re-checked when they are given; a certificate is refused where a state has another owner and the value is another.
#[test]
fn strategies_are_certificates_and_owners_matter_to_them() {
    let refused = std::cell::Cell::new(0usize);
    for_random_cases(150, |case| {
        let partial = partial_game(case);
        let asked = case.formula(&FormulaShape { size: 4, ..FormulaShape::new(Logic::Atl) });
        let budget = Budget::unlimited();
        let loaded = Loaded::of_model("game", Model::Kmts(partial.clone()));
        let options = CheckOptions { always_recheck: true, logic: Some(Logic::Atl), ..CheckOptions::default() };
        let session = Session::new(&loaded, options, &budget).unwrap();
        let parsed = session.properties(&[asked.text()], &[]);
        // A player that owns no state is not known.
        let Ok(parsed) = parsed else { return };
        let answer = session.check(&parsed[0], &budget, &()).unwrap_or_else(|error| panic!("{asked}: {error:?}"));
        let value = answer.verdict.value();
        assert_eq!(answer.certificates.is_empty(), value == Belnap::Unknown, "{asked}");
        let Some(proved) = answer.certificates.first() else { return };
        assert!(check_certificate(&partial, &proved.certificate, &budget).is_ok());
        let turned = partial.clone().with_owners(|state| if partial.owner_name(state) == "P" { "Q" } else { "P" });
        let other = values(&turned, &asked, &ParityGame)[0];
        let accepted = check_certificate(&turned, &proved.certificate, &budget).is_ok();
        assert!(!accepted || other == value, "{asked}: a proof of {value} is accepted where it is {other}");
        refused.set(refused.get() + usize::from(!accepted));
    });
    assert!(refused.get() > 5, "{} refusals say little", refused.get());
}

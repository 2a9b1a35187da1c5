//! Has a formula about paths the value of its form in CTL, and of its form in the mu-calculus?

use std::cell::Cell;

use tertium_lattice::Belnap;
use tertium_logic::{
    Atom, FairPaths, Formula, Logic, Node, NodeId, ParseOptions, ability, branching_form, fair_fixpoint_form,
    fixpoint_form, parse,
};
use tertium_model::{Kmts, KmtsBuilder, StateId};
use tertium_testkit::reference::{Deadlocks, branching_values, star_values};
use tertium_testkit::{Case, FormulaShape, Rng, StructureShape, for_random_cases};

/// On complete structures in which every state has a successor, the two are equal everywhere.
#[test]
fn forms_have_the_value_of_what_they_come_from() {
    have_the_same_value(branching_form, 40);
}

/// The same of forms in the mu-calculus.
#[test]
fn fixpoints_have_the_value_of_what_they_come_from() {
    have_the_same_value(fixpoint_form, 200);
}

fn have_the_same_value(form: fn(&Formula) -> Option<Formula>, least: usize) {
    let found = Cell::new(0);
    for_random_cases(600, |case| {
        let shape = StructureShape { states: 1..=3, density: 60, ..StructureShape::default() };
        let structure = case.structure(&shape);
        let structure = case.completion(&structure).structure;
        if structure.states().any(|state| structure.is_dead(state)) {
            return;
        }
        let logic = if case.rng.chance(60) { Logic::Ltl } else { Logic::CtlStar };
        let formula = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(logic) });
        let Some(form) = form(&formula) else { return };
        found.set(found.get() + 1);
        let mut builder = formula.to_builder();
        let root = match logic {
            Logic::Ltl => builder.add(tertium_logic::Node::All(formula.root())),
            _ => formula.root(),
        };
        let as_star = builder.finish(root, Logic::CtlStar);
        assert_eq!(branching_values(&structure, &form, Deadlocks::Mu), star_values(&structure, &as_star), "{form}");
    });
    assert!(found.get() > least, "only {} formulas have one", found.get());
}

/// Under weak constraints, forms in the mu-calculus have the value that the search for fair paths gives.
#[test]
fn fair_fixpoints_speak_of_fair_paths() {
    let found = Cell::new(0);
    for_random_cases(600, |case| {
        let shape = StructureShape { states: 1..=3, density: 60, fairness: 2, ..StructureShape::default() };
        let structure = case.structure(&shape);
        let structure = case.completion(&structure).structure;
        if structure.states().any(|state| structure.is_dead(state)) {
            return;
        }
        let (formula, as_star) = about_paths(case, 5);
        let fair = FairPaths::of(structure.fairness().len(), []);
        let Some(form) = fair_fixpoint_form(&formula, &fair) else { return };
        found.set(found.get() + usize::from(!fair.is_every_path()));
        assert_eq!(branching_values(&structure, &form, Deadlocks::Mu), star_values(&structure, &as_star), "{form}");
    });
    assert!(found.get() > 150, "only {} formulas have one", found.get());
}

/// A formula of one of the three logics about paths, and the same as one of CTL*.
fn about_paths(case: &mut Case, size: usize) -> (Formula, Formula) {
    let logic = [Logic::Ltl, Logic::CtlStar, Logic::Ctl][case.rng.below(3)];
    let formula = case.formula(&FormulaShape { size, ..FormulaShape::new(logic) });
    let as_star = as_star(&formula);
    (formula, as_star)
}

fn as_star(formula: &Formula) -> Formula {
    let mut builder = formula.to_builder();
    let root = match formula.logic() {
        Logic::Ltl => builder.add(Node::All(formula.root())),
        _ => formula.root(),
    };
    builder.finish(root, Logic::CtlStar)
}

/// A complete structure in which two processes step, as forms under strong fairness want it: each state says who is able to step there.
struct Scheduled {
    edges: Vec<(usize, usize, usize)>,
    labels: Vec<bool>,
    /// How many of the processes are treated strongly fairly.
    strong: usize,
}

const PROCESSES: [&str; 2] = ["P", "Q"];

impl Scheduled {
    fn random(rng: &mut Rng, strong: usize) -> Self {
        let states = 2;
        let mut edges = Vec::new();
        for from in 0..states {
            let by = rng.below(2);
            edges.push((from, by, rng.below(states)));
            for _ in 0..rng.below(3) {
                edges.push((from, rng.below(2), rng.below(states)));
            }
        }
        edges.sort_unstable();
        edges.dedup();
        Self { edges, labels: (0..states).map(|_| rng.chance(50)).collect(), strong }
    }

    fn able(&self, state: usize, process: usize) -> bool {
        self.edges.iter().any(|&(from, by, _)| from == state && by == process)
    }

    fn labelled(&self, builder: &mut KmtsBuilder, states: impl Iterator<Item = usize>, steps: bool) {
        let p = builder.add_prop("p");
        let q = builder.add_prop("q");
        let able: Vec<_> =
            (0..self.strong).map(|process| builder.add_prop(&ability(process, PROCESSES[process]))).collect();
        for (at, number) in states.enumerate() {
            let id = StateId::new(at);
            let state = if steps { number / 3 } else { number };
            builder.set_label(id, p, self.labels[state].into());
            builder.set_label(id, q, (state == 0).into());
            for (process, &prop) in able.iter().enumerate() {
                builder.set_label(id, prop, self.able(state, process).into());
            }
        }
    }

    fn structure(&self) -> Kmts {
        let mut builder = KmtsBuilder::new();
        for state in 0..self.labels.len() {
            builder.add_state(&state.to_string());
        }
        self.labelled(&mut builder, 0..self.labels.len(), false);
        let actions = PROCESSES.map(|name| builder.add_action(name));
        for &(from, by, to) in &self.edges {
            builder.add_edge(StateId::new(from), StateId::new(to), true, true, Some(actions[by]));
        }
        builder.add_init(StateId::new(0));
        builder.finish().expect("it is small")
    }

    /// The same, where each state says who took the last step: nobody, the first, or the second.
    fn marked(&self) -> Kmts {
        let mut builder = KmtsBuilder::new();
        for state in 0..self.labels.len() * 3 {
            builder.add_state(&state.to_string());
        }
        self.labelled(&mut builder, 0..self.labels.len() * 3, true);
        let stepped = PROCESSES.map(|name| builder.add_prop(name));
        for number in 0..self.labels.len() * 3 {
            for (process, &prop) in stepped.iter().enumerate() {
                builder.set_label(StateId::new(number), prop, (number % 3 == process + 1).into());
            }
            for &(_, by, to) in self.edges.iter().filter(|edge| edge.0 == number / 3) {
                builder.add_edge(StateId::new(number), StateId::new(to * 3 + by + 1), true, true, None);
            }
        }
        builder.add_init(StateId::new(0));
        builder.finish().expect("it is small")
    }
}

/// Every quantifier over the paths on which whoever is able to step again and again does.
fn relativised(formula: &Formula, strong: usize) -> Formula {
    let mut builder = formula.to_builder();
    let mut often = |text: String| {
        let atom = builder.atom(Atom { text, quoted: true });
        let some = builder.add(Node::Finally(atom));
        builder.add(Node::Globally(some))
    };
    let often_both =
        |process: usize| (often(ability(process, PROCESSES[process])), often(PROCESSES[process].to_owned()));
    let kept: Vec<_> = (0..strong).map(often_both).collect();
    let mut fair = builder.add(Node::True);
    for (able, steps) in kept {
        let kept = builder.add(Node::Implies(able, steps));
        fair = builder.add(Node::And(fair, kept));
    }
    let mut made: Vec<NodeId> = Vec::new();
    for &node in formula.nodes() {
        let node = match node.map_children(|child| made[child.index()]) {
            Node::Diamond(None, operand) => Node::Exists(builder.add(Node::Next(operand))),
            Node::Box(None, operand) => Node::All(builder.add(Node::Next(operand))),
            node => node,
        };
        let node = match node {
            Node::Exists(path) => Node::Exists(builder.add(Node::And(fair, path))),
            Node::All(path) => Node::All(builder.add(Node::Implies(fair, path))),
            node => node,
        };
        made.push(builder.add(node));
    }
    builder.finish(made[formula.root().index()], Logic::CtlStar)
}

/// A formula of a logic.
struct Shape(Logic, &'static str);

/// What fairness matters to.
const SHAPES: [Shape; 11] = [
    Shape(Logic::Ctl, "AF p"),
    Shape(Logic::Ctl, "EG p"),
    Shape(Logic::Ctl, "AG AF p"),
    Shape(Logic::Ctl, "EF EG !p"),
    Shape(Logic::Ctl, "A[p U q]"),
    Shape(Logic::Ctl, "AG (p -> AF q)"),
    Shape(Logic::Ctl, "EX EG p"),
    Shape(Logic::Ltl, "F p"),
    Shape(Logic::Ltl, "G F p"),
    Shape(Logic::Ltl, "F G p"),
    Shape(Logic::Ltl, "F (p && X q)"),
];

impl Shape {
    fn read(&self) -> (Formula, Formula) {
        let formula = parse(self.1, &ParseOptions::in_logic(self.0)).formula.expect("a formula");
        let as_star = as_star(&formula);
        (formula, as_star)
    }
}

/// Under strong fairness forms have the value that the formula has of strongly fair paths, where each state says who stepped.
#[test]
fn strongly_fair_fixpoints_speak_of_strongly_fair_paths() {
    let found = Cell::new([0; 3]);
    for_random_cases(120, |case| {
        // Of two processes there are more ways to be fair than the definition can be asked for quickly.
        let strong = 1 + usize::from(case.rng.chance(30));
        let scheduled = Scheduled::random(&mut case.rng, strong);
        let shapes = if strong == 1 { &SHAPES[..] } else { &SHAPES[..2] };
        let (formula, as_star) = shapes[case.rng.below(shapes.len())].read();
        let structure = scheduled.structure();
        let fair = FairPaths::of(strong, structure.props().iter().map(String::as_str));
        let Some(form) = fair_fixpoint_form(&formula, &fair) else { return };
        case.keep("edges.txt", format!("{:?} {:?}\n{formula}", scheduled.edges, scheduled.labels));
        let of_paths = star_values(&scheduled.marked(), &relativised(&as_star, strong));
        let values = branching_values(&structure, &form, Deadlocks::Mu);
        let wanted: Vec<Belnap> = (0..values.len()).map(|state| of_paths[state * 3]).collect();
        assert_eq!(values, wanted, "{form}");
        // Whether strong fairness is more than weak fairness here.
        let plain = star_values(&structure, &as_star);
        let mut counts = found.get();
        counts[0] += 1;
        counts[1] += usize::from(values != plain);
        counts[2] += usize::from(values.contains(&Belnap::True));
        found.set(counts);
    });
    let counts = found.get();
    assert!(counts.iter().all(|&count| count > 2), "{counts:?}");
}

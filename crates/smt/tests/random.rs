//! Random terms: simplifier, evaluator, Z3 and the enumeration of models tell the same.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tertium_base::Budget;
use tertium_smt::smtlib::show;
use tertium_smt::{
    Assignment, BitOp, Function, FunctionId, Limit, Process, Purpose, Queries, Reply, Solver, Sort, SymbolId, Term,
    TermId, Terms, Value, Z3,
};
use tertium_testkit::{Rng, for_random_cases};

const LO: i128 = -2;
const HI: i128 = 2;

/// A term without any simplification, with its value by definition.
#[derive(Clone, Debug)]
enum Raw {
    Int(i128),
    Var(usize),
    Truth(usize),
    Op(&'static str, Vec<Raw>),
}

fn random_int(rng: &mut Rng, depth: usize) -> Raw {
    if depth == 0 || rng.chance(20) {
        return if rng.chance(50) { Raw::Int(rng.below(7) as i128 - 3) } else { Raw::Var(rng.below(2)) };
    }
    let op =
        *rng.pick(&["+", "-", "*", "div", "mod", "quo", "rem", "ite", "f", "wrap2", "wraps3", "&", "|", "^", "select"]);
    let mut operands = Vec::new();
    match op {
        "ite" => operands.extend([random_bool(rng, depth - 1), random_int(rng, depth - 1), random_int(rng, depth - 1)]),
        "f" | "wrap2" | "wraps3" | "select" => operands.push(random_int(rng, depth - 1)),
        // Divisors are constants, so that no value is left open.
        "div" | "mod" | "quo" | "rem" => {
            operands.extend([random_int(rng, depth - 1), Raw::Int(*rng.pick(&[-3, -2, -1, 1, 2, 3]))]);
        }
        "&" | "|" | "^" => operands.extend([Raw::Var(rng.below(2)), Raw::Var(rng.below(2))]),
        _ => operands.extend([random_int(rng, depth - 1), random_int(rng, depth - 1)]),
    }
    Raw::Op(op, operands)
}

fn random_bool(rng: &mut Rng, depth: usize) -> Raw {
    if depth == 0 || rng.chance(10) {
        return Raw::Truth(rng.below(2));
    }
    let op = *rng.pick(&["<", "<=", "=", "not", "and", "or", "iff", "bite", "forall"]);
    let operands = match op {
        "<" | "<=" | "=" => vec![random_int(rng, depth - 1), random_int(rng, depth - 1)],
        "not" | "forall" => vec![random_bool(rng, depth - 1)],
        "bite" => (0..3).map(|_| random_bool(rng, depth - 1)).collect(),
        _ => vec![random_bool(rng, depth - 1), random_bool(rng, depth - 1)],
    };
    Raw::Op(op, operands)
}

#[derive(Clone)]
struct Point {
    vars: [i128; 2],
    truths: [bool; 2],
    f: BTreeMap<i128, i128>,
    cells: BTreeMap<i128, i128>,
}

fn f_of(point: &Point, at: i128) -> i128 {
    point.f.get(&at).copied().unwrap_or(1)
}

fn value(raw: &Raw, point: &Point) -> i128 {
    let of = |at: usize, operands: &[Raw]| value(&operands[at], point);
    match raw {
        Raw::Int(value) => *value,
        Raw::Var(at) => point.vars[*at],
        Raw::Truth(at) => i128::from(point.truths[*at]),
        Raw::Op(op, o) => match *op {
            "+" => of(0, o) + of(1, o),
            "-" => of(0, o) - of(1, o),
            "*" => of(0, o) * of(1, o),
            "div" => of(0, o).div_euclid(of(1, o)),
            "mod" => of(0, o).rem_euclid(of(1, o)),
            "quo" => of(0, o) / of(1, o),
            "rem" => of(0, o) % of(1, o),
            "ite" | "bite" => of(if of(0, o) != 0 { 1 } else { 2 }, o),
            "f" => f_of(point, of(0, o)),
            "select" => point.cells.get(&of(0, o)).copied().unwrap_or(0),
            "wrap2" => of(0, o).rem_euclid(4),
            "wraps3" => (of(0, o) + 4).rem_euclid(8) - 4,
            "&" => of(0, o) & of(1, o),
            "|" => of(0, o) | of(1, o),
            "^" => of(0, o) ^ of(1, o),
            "<" => i128::from(of(0, o) < of(1, o)),
            "<=" => i128::from(of(0, o) <= of(1, o)),
            "=" | "iff" => i128::from(of(0, o) == of(1, o)),
            "not" => i128::from(of(0, o) == 0),
            "and" => i128::from(of(0, o) != 0 && of(1, o) != 0),
            "or" => i128::from(of(0, o) != 0 || of(1, o) != 0),
            // For all values of the first variable.
            _ => i128::from((LO..=HI).all(|x| value(&o[0], &Point { vars: [x, point.vars[1]], ..point.clone() }) != 0)),
        },
    }
}

struct World {
    terms: Terms,
    vars: [TermId; 2],
    truths: [TermId; 2],
    bound: Vec<TermId>,
    f: FunctionId,
    array: TermId,
}

impl World {
    fn new() -> Self {
        let mut terms = Terms::new();
        let vars = ["x", "y"].map(|name| terms.fresh(name, Sort::Int, (Some(LO), Some(HI))));
        let truths = ["b", "c"].map(|name| terms.fresh(name, Sort::Bool, (None, None)));
        let f = terms.add_function(Function {
            name: "f".to_owned(),
            arguments: vec![Sort::Int],
            result: Sort::Int,
            bounds: (Some(0), Some(2)),
        });
        let array = terms.fresh("a", Sort::IntArray, (Some(0), Some(3)));
        Self { terms, vars, truths, bound: Vec::new(), f, array }
    }

    fn term(&mut self, raw: &Raw) -> TermId {
        match raw {
            Raw::Int(value) => self.terms.int(*value),
            Raw::Var(0) => self.bound.last().copied().unwrap_or(self.vars[0]),
            Raw::Var(at) => self.vars[*at],
            Raw::Truth(at) => self.truths[*at],
            Raw::Op("forall", o) => {
                let name = format!("x{}", self.terms.len());
                let symbol = self.terms.fresh(name, Sort::Int, (Some(LO), Some(HI)));
                self.bound.push(symbol);
                let body = self.term(&o[0]);
                self.bound.pop();
                self.terms.forall(&[symbol], body)
            }
            Raw::Op(op, o) => {
                let o: Vec<TermId> = o.iter().map(|operand| self.term(operand)).collect();
                let terms = &mut self.terms;
                match *op {
                    "+" => terms.add(o[0], o[1]),
                    "-" => terms.sub(o[0], o[1]),
                    "*" => terms.mul(o[0], o[1]),
                    "div" => terms.div(o[0], o[1]),
                    "mod" => terms.modulo(o[0], o[1]),
                    "quo" => terms.quotient(o[0], o[1]),
                    "rem" => terms.remainder(o[0], o[1]),
                    "ite" | "bite" => terms.ite(o[0], o[1], o[2]),
                    "f" => terms.apply(self.f, &o),
                    "select" => terms.select(self.array, o[0]),
                    "wrap2" => terms.wrap(2, false, o[0]),
                    "wraps3" => terms.wrap(3, true, o[0]),
                    "&" => terms.bits(BitOp::And, o[0], o[1]).unwrap(),
                    "|" => terms.bits(BitOp::Or, o[0], o[1]).unwrap(),
                    "^" => terms.bits(BitOp::Xor, o[0], o[1]).unwrap(),
                    "<" => terms.lt(o[0], o[1]),
                    "<=" => terms.le(o[0], o[1]),
                    "=" | "iff" => terms.eq(o[0], o[1]),
                    "not" => terms.not(o[0]),
                    "and" => terms.and(o[0], o[1]),
                    _ => terms.or(o[0], o[1]),
                }
            }
        }
    }

    fn assignment(&self, point: &Point) -> Assignment {
        let mut given = Assignment::default();
        let symbol = |id: TermId| match self.terms.get(id) {
            Term::Symbol(symbol) => symbol,
            other => panic!("no symbol: {other:?}"),
        };
        for (&id, &value) in self.vars.iter().zip(&point.vars) {
            given.symbols.insert(symbol(id), Value::Int(value));
        }
        for (&id, &value) in self.truths.iter().zip(&point.truths) {
            given.symbols.insert(symbol(id), Value::Bool(value));
        }
        given.symbols.insert(symbol(self.array), Value::Array(point.cells.clone(), 0));
        for at in -200..=200 {
            given.functions.insert((self.f, vec![Value::Int(at)]), Value::Int(f_of(point, at)));
        }
        given
    }
}

fn points(rng: &mut Rng) -> Vec<Point> {
    let mut all = Vec::new();
    for x in LO..=HI {
        for y in LO..=HI {
            for truths in [[false, false], [false, true], [true, false], [true, true]] {
                let mut graph = |most: usize| (-4..=4).map(|at| (at, rng.below(most) as i128)).collect();
                all.push(Point { vars: [x, y], truths, f: graph(3), cells: graph(4) });
            }
        }
    }
    all
}

#[test]
fn simplified_terms_keep_their_values() {
    for_random_cases(400, |case| {
        let raw = if case.rng.chance(50) { random_bool(&mut case.rng, 4) } else { random_int(&mut case.rng, 4) };
        case.keep("term.txt", format!("{raw:?}"));
        let mut world = World::new();
        let term = world.term(&raw);
        let shown = show(&mut world.terms, term);
        case.keep("simplified.txt", &shown);
        for point in points(&mut case.rng) {
            let Some(found) = world.terms.eval(term, &world.assignment(&point)) else { continue };
            let found = match found {
                Value::Bool(value) => i128::from(value),
                Value::Int(value) => value,
                Value::Array(..) => unreachable!(),
            };
            let expected = value(&raw, &point);
            assert_eq!(found, expected, "at x={:?} b={:?}: {shown}", point.vars, point.truths);
            let (lo, hi) = world.terms.bounds(term);
            if world.terms.sort(term) == Sort::Int {
                assert!(
                    lo.is_none_or(|lo| lo <= found) && hi.is_none_or(|hi| found <= hi),
                    "{found} outside {lo:?}..{hi:?}"
                );
            }
        }
    });
}

fn without_functions(raw: &Raw) -> bool {
    match raw {
        Raw::Op(op, operands) => !matches!(*op, "f" | "select") && operands.iter().all(without_functions),
        _ => true,
    }
}

#[test]
fn the_solver_agrees_with_brute_force() {
    let mut decided = 0;
    let decided_in = std::cell::Cell::new(0);
    for_random_cases(300, |case| {
        let raws: Vec<Raw> = (0..3).map(|_| random_bool(&mut case.rng, 3)).collect();
        if !raws.iter().all(without_functions) {
            return;
        }
        case.keep("terms.txt", format!("{raws:#?}"));
        let mut world = World::new();
        let ids: Vec<TermId> = raws.iter().map(|raw| world.term(raw)).collect();
        let mut queries = Queries::new(Box::new(Z3::new().unwrap()), Limit::default(), &Budget::unlimited());
        let all = points(&mut case.rng);
        let mut rows: Vec<Vec<bool>> = all
            .iter()
            .filter(|point| value(&raws[0], point) != 0)
            .map(|point| raws[1..].iter().map(|raw| value(raw, point) != 0).collect())
            .collect();
        rows.sort();
        rows.dedup();
        let reply = queries.satisfiable(&mut world.terms, Purpose::Other, &ids).unwrap();
        let expected = rows.iter().any(|row| row.iter().all(|&holds| holds));
        if reply != Reply::GaveUp {
            assert_eq!(reply == Reply::Sat, expected);
            decided_in.set(decided_in.get() + 1);
        }
        let models = queries.all_models(&mut world.terms, Purpose::Other, &ids[..1], &ids[1..], 100).unwrap();
        if models.complete {
            assert_eq!(models.rows, rows);
        }
        let (reply, core) = queries.with_core(&mut world.terms, Purpose::Other, &ids).unwrap();
        if reply == Reply::Unsat {
            let again = queries.satisfiable(&mut world.terms, Purpose::Other, &core).unwrap();
            assert_eq!(again, Reply::Unsat, "a core that is satisfiable");
        }
    });
    decided += decided_in.get();
    assert!(decided > 20, "only {decided} cases were decided");
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn another_solver_understands_every_question_and_agrees() {
    // What is too hard ends by its own count, on every machine alike; no time is too short for what is not.
    let command = ["cvc5", "--incremental", "--produce-models", "-q", "--rlimit-per=200000"].map(str::to_owned);
    let Ok(mut second) = Process::new(&command) else {
        eprintln!("skipped: there is no cvc5");
        return;
    };
    second.limit(Limit { work: None, time: Some(Duration::from_secs(3600)) });
    let (second, told) = (std::cell::RefCell::new(second), std::cell::Cell::new(0));
    for_random_cases(60, |case| {
        let raws: Vec<Raw> = (0..2).map(|_| random_bool(&mut case.rng, 3)).collect();
        case.keep("terms.txt", format!("{raws:#?}"));
        let mut world = World::new();
        let ids: Vec<TermId> = raws.iter().map(|raw| world.term(raw)).collect();
        case.keep("question.smt2", tertium_smt::smtlib::script(&mut world.terms, &ids));
        let mut second = second.borrow_mut();
        let reply = second.check(&mut world.terms, &ids);
        // It may find a question too hard, but says `unknown` then.
        assert!(second.complaint().is_none_or(|said| said == "unknown"), "{:?}", second.complaint());
        let mut queries = Queries::new(Box::new(Z3::new().unwrap()), Limit::default(), &Budget::unlimited());
        let first = queries.satisfiable(&mut world.terms, Purpose::Other, &ids).unwrap();
        if reply != Reply::GaveUp && first != Reply::GaveUp {
            assert_eq!(reply, first);
            told.set(told.get() + 1);
        }
    });
    assert!(told.get() > 30, "only {} questions were answered by both", told.get());
}

#[test]
fn what_is_remembered_of_earlier_questions_is_right() {
    let remembered = std::cell::Cell::new(0);
    for_random_cases(60, |case| {
        let raws: Vec<Raw> = (0..8).map(|_| random_bool(&mut case.rng, 2)).filter(without_functions).collect();
        case.keep("terms.txt", format!("{raws:#?}"));
        let mut world = World::new();
        let ids: Vec<TermId> = raws.iter().map(|raw| world.term(raw)).collect();
        let fresh = || Queries::new(Box::new(Z3::new().unwrap()), Limit::default(), &Budget::unlimited());
        let mut old = fresh();
        for _ in 0..12 {
            let parts: Vec<TermId> = ids.iter().copied().filter(|_| case.rng.chance(33)).collect();
            let selected: Vec<TermId> = ids.iter().copied().take(2).collect();
            let replies = [&mut old, &mut fresh()]
                .map(|queries| queries.satisfiable(&mut world.terms, Purpose::Other, &parts).unwrap());
            if !replies.contains(&Reply::GaveUp) {
                assert_eq!(replies[0], replies[1]);
            }
            let models = [&mut old, &mut fresh()]
                .map(|queries| queries.all_models(&mut world.terms, Purpose::Other, &parts, &selected, 100).unwrap());
            if models.iter().all(|models| models.complete) {
                assert_eq!(models[0], models[1]);
            }
        }
        let count: u64 = old.counts().values().map(|count| count.remembered).sum();
        remembered.set(remembered.get() + count);
    });
    assert!(remembered.get() > 100, "only {} questions were answered by what was remembered", remembered.get());
}

#[test]
fn a_small_limit_gives_up_and_nothing_is_lost() {
    let mut terms = Terms::new();
    let symbols: Vec<TermId> = (0..6).map(|at| terms.fresh(format!("x{at}"), Sort::Int, (None, None))).collect();
    // Sums of cubes: hard enough for a small limit.
    let mut parts = Vec::new();
    for &symbol in &symbols {
        let square = terms.mul(symbol, symbol);
        parts.push((terms.mul(square, symbol), 1));
    }
    let sum = terms.weighted(&parts, 0);
    let wanted = terms.int(1_000_003);
    let hard = terms.eq(sum, wanted);
    let mut z3 = Z3::new().unwrap();
    z3.limit(Limit { work: Some(50), time: None });
    z3.push();
    z3.assert(&mut terms, hard);
    assert_eq!(z3.check(&mut terms, &[]), Reply::GaveUp);
    z3.pop();
    z3.limit(Limit::default());
    let zero = terms.int(0);
    let easy = terms.lt(symbols[0], zero);
    assert_eq!(z3.check(&mut terms, &[easy]), Reply::Sat);
    let not = terms.not(easy);
    assert_eq!(z3.check(&mut terms, &[easy, not]), Reply::Unsat);
    assert_eq!(z3.core(), [0, 1]);
}

#[test]
fn symbols_keep_their_bounds_in_models() {
    let mut terms = Terms::new();
    let x = terms.fresh("x", Sort::Int, (Some(3), None));
    let y = terms.fresh("y", Sort::Int, (None, Some(4)));
    let le = terms.le(x, y);
    let mut queries = Queries::new(Box::new(Z3::new().unwrap()), Limit::default(), &Budget::unlimited());
    let rows = queries.all_values(&mut terms, Purpose::Other, &[le], &[x, y], 10).unwrap().unwrap();
    let rows: Vec<Vec<i128>> = rows.iter().map(|row| row.iter().filter_map(Value::as_int).collect()).collect();
    assert_eq!(rows, [vec![3, 3], vec![3, 4], vec![4, 4]]);
    assert_eq!(SymbolId::new(0).index(), 0);
}

/// Masks and shifts by constants become arithmetic: it has the values of the operations on bits, of negative numbers too.
#[test]
fn masks_and_shifts_are_what_they_are_on_bits() {
    let mut terms = Terms::new();
    let symbol = terms.fresh("x".to_owned(), Sort::Int, (Some(-70), Some(70)));
    for operand in 0..20i128 {
        let constant = terms.int(operand);
        for op in [BitOp::And, BitOp::Shl, BitOp::Shr] {
            let term = terms.bits(op, symbol, constant).expect("few bits");
            let turned = (op == BitOp::And).then(|| terms.bits(op, constant, symbol).expect("few bits"));
            for value in -70..=70i128 {
                let here = terms.int(value);
                for found in [Some(term), turned].into_iter().flatten() {
                    let found = terms.substitute(found, &HashMap::from([(symbol, here)]));
                    let wanted = match op {
                        BitOp::And => value & operand,
                        BitOp::Shl => value << operand,
                        _ => value >> operand,
                    };
                    assert_eq!(terms.as_int(found), Some(wanted), "{value} {op:?} {operand}");
                }
            }
        }
    }
}

//! Random sets and relations against lists of rows.

use tertium_base::{Budget, StopReason, Stopped};
use tertium_dd::{Bit, Diagrams, Limits, RelationPart, Root, Set, TransitionRelation};
use tertium_testkit::{Case, for_random_cases};

const STATE_BITS: usize = 4;
const ROWS: usize = 1 << STATE_BITS;

fn now(bit: usize) -> Bit {
    Bit::new(2 * bit)
}

fn later(bit: usize) -> Bit {
    Bit::new(2 * bit + 1)
}

fn store() -> Diagrams {
    Diagrams::new(2 * STATE_BITS, Limits::new(1 << 14, 1 << 8), &Budget::unlimited()).expect("room")
}

/// The set of rows for which `member` holds.
fn set(diagrams: &Diagrams, member: impl Fn(usize) -> bool) -> Set {
    let mut all = diagrams.empty();
    for row in (0..ROWS).filter(|&row| member(row)) {
        all = all.or(&row_set(diagrams, row)).expect("room");
    }
    all
}

fn row_set(diagrams: &Diagrams, row: usize) -> Set {
    let values: Vec<(Bit, bool)> = (0..STATE_BITS).map(|bit| (now(bit), row >> bit & 1 == 1)).collect();
    diagrams.cube(&values).expect("room")
}

fn rows(set: &Set) -> Vec<usize> {
    (0..ROWS)
        .filter(|&row| set.contains(|bit| bit.index().is_multiple_of(2) && row >> (bit.index() / 2) & 1 == 1))
        .collect()
}

/// Steps that change only the bits of `mask`, as a part and as a list.
fn part(diagrams: &Diagrams, mask: usize, steps: &[(usize, usize)]) -> RelationPart {
    let written: Vec<(Bit, Bit)> =
        (0..STATE_BITS).filter(|bit| mask >> bit & 1 == 1).map(|bit| (now(bit), later(bit))).collect();
    let mut all = diagrams.empty();
    for &(from, to) in steps {
        let mut values: Vec<(Bit, bool)> = (0..STATE_BITS).map(|bit| (now(bit), from >> bit & 1 == 1)).collect();
        values.extend((0..STATE_BITS).filter(|bit| mask >> bit & 1 == 1).map(|bit| (later(bit), to >> bit & 1 == 1)));
        all = all.or(&diagrams.cube(&values).expect("room")).expect("room");
    }
    RelationPart::new(diagrams, all, &written).expect("room")
}

#[test]
fn sets_are_what_their_rows_say() {
    for_random_cases(100, |case| {
        let diagrams = store();
        let (a, b) = (case.rng.below(1 << ROWS) as u64, case.rng.below(1 << ROWS) as u64);
        let sets = [a, b].map(|mask| set(&diagrams, |row| mask >> row & 1 == 1));
        let expect = |set: &Set, mask: u64, what: &str| {
            assert_eq!(
                rows(set),
                (0..ROWS).filter(|row| mask >> row & 1 == 1).collect::<Vec<_>>(),
                "{what} {a:x} {b:x}"
            );
        };
        let [first, second] = &sets;
        expect(&first.and(second).expect("room"), a & b, "and");
        expect(&first.or(second).expect("room"), a | b, "or");
        expect(&first.minus(second).expect("room"), a & !b, "minus");
        expect(&first.not(), !a, "not");
        expect(&first.iff(second).expect("room"), !(a ^ b), "same");
        let odd = diagrams.bit(now(0)).expect("room");
        expect(&odd.ite(first, second).expect("room"), (a & 0xAAAA) | (b & 0x5555), "choose");
        assert_eq!(first.is_subset(second).expect("room"), a & !b & 0xFFFF == 0, "subset {a:x} {b:x}");
        assert_eq!(first.count(STATE_BITS), f64::from((a & 0xFFFF).count_ones()), "count {a:x}");
        let bits: Vec<Bit> = (0..STATE_BITS).map(now).collect();
        let picked = first.pick(&bits).map(|values| (0..STATE_BITS).map(|bit| usize::from(values[bit]) << bit).sum());
        assert_eq!(picked.is_none(), first.is_empty());
        assert!(picked.is_none_or(|row: usize| a >> row & 1 == 1), "picked {picked:?} of {a:x}");
    });
}

#[test]
fn relations_lead_where_their_steps_say() {
    for_random_cases(100, |case| {
        let diagrams = store();
        let mut steps: Vec<(usize, usize)> = Vec::new();
        let mut relation = TransitionRelation::default();
        for _ in 0..=case.rng.below(3) {
            let mask = case.rng.below(ROWS);
            let mut mine = Vec::new();
            for from in 0..ROWS {
                if case.rng.chance(25) {
                    let to = case.rng.below(ROWS);
                    mine.push((from, from & !mask | to & mask));
                }
            }
            relation.parts.push(part(&diagrams, mask, &mine));
            steps.extend(mine);
        }
        let mask = case.rng.below(1 << ROWS) as u64;
        let given = set(&diagrams, |row| mask >> row & 1 == 1);
        let inside = |row: usize| mask >> row & 1 == 1;
        let list = |member: &dyn Fn(usize) -> bool| (0..ROWS).filter(|&row| member(row)).collect::<Vec<_>>();
        let before = relation.preimage(&given).expect("room");
        assert_eq!(rows(&before), list(&|row| steps.iter().any(|&(from, to)| from == row && inside(to))), "{steps:?}");
        let after = relation.image(&given).expect("room");
        assert_eq!(rows(&after), list(&|row| steps.iter().any(|&(from, to)| to == row && inside(from))), "{steps:?}");
        let mut reached: Vec<bool> = (0..ROWS).map(inside).collect();
        for _ in 0..ROWS {
            steps.iter().for_each(|&(from, to)| reached[to] |= reached[from]);
        }
        assert_eq!(rows(&relation.reachable(&given, None).expect("room")), list(&|row| reached[row]), "{steps:?}");
    });
}

/// Steps of one part, as a list.
fn random_steps(case: &mut Case, mask: usize) -> Vec<(usize, usize)> {
    let mut steps = Vec::new();
    for from in 0..ROWS {
        while case.rng.chance(20) {
            let to = case.rng.below(ROWS);
            steps.push((from, from & !mask | to & mask));
        }
    }
    steps
}

/// What the steps reach from `start`, entering only what is in `room`.
fn reached(steps: &[(usize, usize)], start: u64, room: u64) -> u64 {
    let mut reached = start;
    loop {
        let before = reached;
        for &(from, to) in steps {
            if reached >> from & 1 == 1 {
                reached |= 1 << to & room;
            }
        }
        if reached == before {
            return reached;
        }
    }
}

#[test]
fn closures_are_what_steps_reach_in_their_room() {
    for_random_cases(400, |case| {
        // Few results are remembered and, every other time, nodes are collected again and again.
        let limits = Limits::new(if case.rng.chance(50) { 1 << 10 } else { 1 << 14 }, 1 << case.rng.below(9));
        let diagrams = Diagrams::new(2 * STATE_BITS, limits, &Budget::unlimited()).expect("room");
        let mut listed: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut all = TransitionRelation::default();
        for _ in 0..case.rng.below(6) {
            let mask = case.rng.below(ROWS);
            let steps = random_steps(case, mask);
            all.parts.push(part(&diagrams, mask, &steps));
            listed.push(steps);
        }
        // Relations that share some parts are asked in one store, so that one must not be told what holds of another.
        for _ in 0..6 {
            let chosen: Vec<usize> = (0..listed.len()).filter(|_| case.rng.chance(60)).collect();
            let relation = TransitionRelation { parts: chosen.iter().map(|&at| all.parts[at].clone()).collect() };
            let steps: Vec<(usize, usize)> = chosen.iter().flat_map(|&at| listed[at].iter().copied()).collect();
            let back: Vec<(usize, usize)> = steps.iter().map(|&(from, to)| (to, from)).collect();
            let (start, room) = (case.rng.below(1 << ROWS) as u64, case.rng.below(1 << ROWS) as u64);
            let start = start & case.rng.below(1 << ROWS) as u64;
            let sets = [start, room].map(|mask| set(&diagrams, |row| mask >> row & 1 == 1));
            let members = |mask: u64| (0..ROWS).filter(|row| mask >> row & 1 == 1).collect::<Vec<_>>();
            let everywhere = (1 << ROWS) - 1;
            for (room, limited) in [(everywhere, None), (room, Some(&sets[1]))] {
                let found = relation.reachable(&sets[0], limited).expect("room");
                assert_eq!(rows(&found), members(reached(&steps, start, room)), "after {start:x} {room:x} {steps:?}");
                let found = relation.backward_reachable(&sets[0], limited).expect("room");
                assert_eq!(rows(&found), members(reached(&back, start, room)), "before {start:x} {room:x} {steps:?}");
            }
        }
    });
}

#[test]
fn running_out_of_nodes_is_an_answer() {
    let budget = Budget::unlimited();
    let diagrams = Diagrams::new(40, Limits::new(300, 64), &budget).expect("room for the bits");
    // The comparison of two numbers whose bits do not alternate needs two to the number of bits.
    let mut equal = diagrams.full();
    let mut outcome = Ok(());
    for bit in 0..20 {
        let step = diagrams.bit(Bit::new(bit)).and_then(|a| {
            let b = diagrams.bit(Bit::new(20 + bit))?;
            equal.and(&a.iff(&b)?)
        });
        match step {
            Ok(next) => equal = next,
            Err(stopped) => {
                outcome = Err(stopped);
                break;
            }
        }
    }
    assert_eq!(outcome, Err(Stopped(StopReason::Memory)));
    assert!(diagrams.bit(Bit::new(3)).is_ok(), "the store goes on");
}

#[test]
fn dead_nodes_are_collected() {
    let diagrams = Diagrams::new(24, Limits::new(4000, 256), &Budget::unlimited()).expect("room");
    let mut last = diagrams.empty();
    for round in 0..20_000usize {
        let values: Vec<(Bit, bool)> = (0..24).map(|bit| (Bit::new(bit), round >> (bit % 15) & 1 == 1)).collect();
        last = diagrams.cube(&values).expect("what is not used any more makes room");
    }
    assert_eq!(last.count(24), 1.0);
}

#[test]
fn a_cancelled_run_stops() {
    let budget = Budget::unlimited().with_time(Some(std::time::Duration::ZERO));
    assert!(Diagrams::new(4, Limits::new(100, 16), &budget).is_err());
}

/// Functions with three values against tables of them.
#[test]
fn ternary_functions_are_what_their_tables_say() {
    use tertium_dd::{Ternary, TernaryRelation, TernaryStore};
    const BITS: usize = 2;
    let number = |value: Option<bool>| value.map_or(1, |value| if value { 2 } else { 0 });
    for_random_cases(100, |case| {
        let limits = Limits::new(1 << 12, 1 << 8);
        let store = TernaryStore::new(2 * BITS, limits, &Budget::unlimited()).expect("room");
        let value = |number: usize| [Some(false), None, Some(true)][number];
        // A function of all bits given by its table: leaf by leaf, then level by level from below.
        let build = |table: &[usize], bits: &[usize]| -> Ternary {
            let mut layer: Vec<Ternary> = table.iter().map(|&entry| store.constant(value(entry))).collect();
            for &bit in bits.iter().rev() {
                let branch = |pair: &[Ternary]| store.branch(Bit::new(bit), &pair[1], &pair[0]).expect("room");
                layer = layer.chunks(2).map(branch).collect();
            }
            layer.remove(0)
        };
        let target: Vec<usize> = (0..4).map(|_| case.rng.below(3)).collect();
        let steps: Vec<usize> = (0..16).map(|_| case.rng.below(3)).collect();
        let set = build(&target, &[0, 2]);
        // The table of steps: now and later bits alternate.
        let relation = TernaryRelation { steps: build(&steps, &[0, 1, 2, 3]) };
        let found = store.exists_next(&relation, &set).expect("room");
        for from in 0..4usize {
            let here = |bit: Bit| bit.index().is_multiple_of(2) && from >> (1 - bit.index() / 2) & 1 == 1;
            assert_eq!(number(set.value(4, here)), target[from], "target at {from}: {target:?}");
            let step = |to: usize| {
                let (f, t) = ([from >> 1, from & 1], [to >> 1, to & 1]);
                steps[f[0] << 3 | t[0] << 2 | f[1] << 1 | t[1]]
            };
            let expected = (0..4).map(|to| step(to).min(target[to])).max().unwrap_or(0);
            assert_eq!(number(found.value(4, here)), expected, "at {from}: {steps:?} {target:?}");
        }
    });
}

/// Following the questions of a diagram comes to what the set says of a row, and only bits of its support are asked for.
#[test]
fn what_a_diagram_asks_is_what_the_set_is() {
    for_random_cases(100, |case| {
        let diagrams = store();
        let mask = case.rng.below(1 << ROWS) as u64;
        let all = set(&diagrams, |row| mask >> row & 1 == 1);
        let support = all.support();
        for row in 0..ROWS {
            let mut part = all.clone();
            let member = loop {
                match part.root() {
                    Root::Empty => break false,
                    Root::Full => break true,
                    Root::Node { bit, unset, set } => {
                        assert!(support.contains(&bit), "{bit:?} of {mask:x}");
                        part = if row >> (bit.index() / 2) & 1 == 1 { set } else { unset };
                    }
                }
            };
            assert_eq!(member, mask >> row & 1 == 1, "row {row} of {mask:x}");
        }
        for bit in 0..STATE_BITS {
            let matters = (0..ROWS).any(|row| (mask >> row ^ mask >> (row ^ 1 << bit)) & 1 == 1);
            assert_eq!(support.contains(&now(bit)), matters, "bit {bit} of {mask:x}");
        }
    });
}

#[test]
fn conjunctions_lead_where_their_steps_say() {
    for_random_cases(100, |case| {
        let diagrams = store();
        let mask = case.rng.below(ROWS);
        let written: Vec<(Bit, Bit)> =
            (0..STATE_BITS).filter(|bit| mask >> bit & 1 == 1).map(|bit| (now(bit), later(bit))).collect();
        // What is not written has no value afterwards: these bits are inputs.
        let inputs: Vec<Bit> = (0..STATE_BITS).filter(|bit| mask >> bit & 1 == 0).map(later).collect();
        let mut conjuncts = Vec::new();
        let mut all: Vec<(usize, usize)> = (0..ROWS).flat_map(|from| (0..ROWS).map(move |to| (from, to))).collect();
        for _ in 0..=case.rng.below(4) {
            let mut one = diagrams.empty();
            let mut kept = Vec::new();
            // Some speak of the state afterwards alone.
            let seen_now = if case.rng.chance(30) { 0 } else { case.rng.below(ROWS) };
            let seen_later = case.rng.below(ROWS);
            let wanted: Vec<bool> = (0..ROWS * ROWS).map(|_| case.rng.chance(70)).collect();
            for from in 0..ROWS {
                for to in 0..ROWS {
                    if wanted[(from & seen_now) * ROWS + (to & seen_later)] {
                        kept.push((from, to));
                        let mut values: Vec<(Bit, bool)> =
                            (0..STATE_BITS).map(|bit| (now(bit), from >> bit & 1 == 1)).collect();
                        values.extend((0..STATE_BITS).map(|bit| (later(bit), to >> bit & 1 == 1)));
                        one = one.or(&diagrams.cube(&values).expect("room")).expect("room");
                    }
                }
            }
            all.retain(|step| kept.contains(step));
            conjuncts.push(one);
        }
        let most = *case.rng.pick(&[0, 5, 20, 10_000]);
        let part = RelationPart::conjunctive(&diagrams, conjuncts, &written, &inputs, most).expect("room");
        let steps: Vec<(usize, usize)> = all.iter().map(|&(from, to)| (from, from & !mask | to & mask)).collect();
        let rows_of = case.rng.below(1 << ROWS) as u64;
        let given = set(&diagrams, |row| rows_of >> row & 1 == 1);
        let inside = |row: usize| rows_of >> row & 1 == 1;
        let list = |member: &dyn Fn(usize) -> bool| (0..ROWS).filter(|&row| member(row)).collect::<Vec<_>>();
        let before = list(&|row| steps.iter().any(|&(from, to)| from == row && inside(to)));
        assert_eq!(rows(&part.preimage(&given).expect("room")), before, "{most}");
        let after = list(&|row| steps.iter().any(|&(from, to)| to == row && inside(from)));
        assert_eq!(rows(&part.image(&given).expect("room")), after, "{most}");
        assert_eq!(rows(&part.sources().expect("room")), list(&|row| steps.iter().any(|&(from, _)| from == row)));
        let only = part.from(&given).expect("room").image(&diagrams.full()).expect("room");
        assert_eq!(rows(&only), after);
        let relation = TransitionRelation { parts: vec![part] };
        let mut reached: Vec<bool> = (0..ROWS).map(inside).collect();
        for _ in 0..ROWS {
            steps.iter().for_each(|&(from, to)| reached[to] |= reached[from]);
        }
        assert_eq!(rows(&relation.reachable(&given, None).expect("room")), list(&|row| reached[row]));
    });
}

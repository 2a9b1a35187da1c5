//! Which term describes a set of states in a certificate?
//!
//! The diagram itself, shared parts as definitions: every node becomes one term that asks for the value of a cell and names the nodes that follow, so the
//! text is as long as the diagram is large. Where the bits of a cell stand together they are read as one number.

use std::collections::{BTreeMap, HashMap};

use tertium_cegar::predicate_abstraction::basis;
use tertium_dd::{Bit, Root, Set};
use tertium_encode::cells::{Cell, Cells};
use tertium_encode::{Encoding, InstantiatedProgram};
use tertium_evidence::abstraction::{AbstractState, Abstraction, Later};
use tertium_kernel::vocabulary::{NoTerm, Vocabulary};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{Expr, ExprId, Program, Semantics};

/// Sets with more nodes are not written down.
const MOST_NODES: usize = 100_000;
/// A node that tells apart more intervals of a cell's values asks for single bits instead.
const MOST_INTERVALS: usize = 64;
/// Of arrays with more elements the others have no names.
const MOST_NAMED_ELEMENTS: usize = 1024;
/// The bits of narrower cells are lists of values.
const NARROW: usize = 4;

/// The set as a single abstract state of the program that was given.
pub(super) fn abstraction(
    encoding: &Encoding<'_>,
    subject: &InstantiatedProgram<'_>,
    set: &Set,
) -> Result<Abstraction, NoTerm> {
    Ok(blocks(encoding, subject, std::slice::from_ref(set), |_| Ok(()))?.0)
}

/// Sets as abstract states, and the number of the layer in which a state is, as a term.
pub(super) fn layered(
    encoding: &Encoding<'_>,
    subject: &InstantiatedProgram<'_>,
    sets: &[Set],
    layers: &[Set],
) -> Result<(Abstraction, String), NoTerm> {
    blocks(encoding, subject, sets, |writer| {
        let mut text = layers.len().to_string();
        for (number, layer) in layers.iter().enumerate().rev() {
            text = format!("(ite {} {number} {text})", writer.write(layer)?);
        }
        Ok(text)
    })
}

/// Sets as abstract states, with what else is written over the same cells.
fn blocks<T>(
    encoding: &Encoding<'_>,
    subject: &InstantiatedProgram<'_>,
    sets: &[Set],
    more: impl FnOnce(&mut TermWriter<'_>) -> Result<T, NoTerm>,
) -> Result<(Abstraction, T), NoTerm> {
    let program = encoding.program();
    let mut words = Vocabulary::new(program)?;
    let of_slot = names(&encoding.semantics, &mut words);
    let name = |cell: &Cell| of_slot.get(&cell.slot).cloned().ok_or_else(|| NoTerm("a cell has no name".to_owned()));
    let names: Vec<String> = encoding.cells().cells.iter().map(name).collect::<Result<_, _>>()?;
    let later = later(subject)?;
    let (mut always, mut bounds) = (constants(&mut words, &of_slot, encoding.cells())?, Vec::new());
    for (cell, name) in encoding.cells().cells.iter().zip(&names) {
        if let Some(within) = narrower(&mut words, cell, name)? {
            // No step leads to a location that is not there, whatever else holds; other bounds may need each other, and the set.
            if name.contains('@') { always.push(within) } else { bounds.push(within) }
        }
    }
    let mut writer = TermWriter::new(encoding.cells(), names);
    let mut predicates: Vec<String> = sets.iter().map(|set| writer.write(set)).collect::<Result<_, _>>()?;
    let more = more(&mut writer)?;
    predicates.extend(bounds);
    let state = |number: usize| {
        let inside = |at: usize| (at == number || at >= sets.len()).then_some(true);
        let at = vec![None; program.instances.len()];
        AbstractState { at, values: Vec::new(), cube: (0..predicates.len()).map(inside).collect() }
    };
    let states = (0..sets.len()).map(state).collect();
    Ok((Abstraction { later, shared: writer.shared, always, cells: Vec::new(), predicates, states }, more))
}

/// The processes that may be started later, as whoever checks a certificate names them.
pub(super) fn later(subject: &InstantiatedProgram<'_>) -> Result<Vec<Later>, NoTerm> {
    let Some(separated) = subject.separated() else { return Ok(Vec::new()) };
    let original = subject.original();
    let asks = |expr: Expr| matches!(expr, Expr::Enabled(_) | Expr::PriorityOf(_));
    let unknown = [
        (original.priorities, "priorities"),
        (original.trace.is_some(), "a `trace` or `notrace`"),
        (original.must_be_deterministic(), "`D_proctype`s"),
        ((0..original.exprs.len()).any(|at| asks(original.exprs.get(ExprId::new(at)))), "`enabled`"),
    ];
    match unknown.iter().find(|(found, _)| *found) {
        Some((_, what)) => Err(NoTerm(format!("whoever checks certificates knows nothing of {what}"))),
        None => basis::later(original, separated),
    }
}

/// The bounds of a cell, if its type does not say them.
fn narrower(words: &mut Vocabulary<'_>, cell: &Cell, name: &str) -> Result<Option<String>, NoTerm> {
    if cell.truth {
        return Ok(None);
    }
    words.named_within(name, (Some(i128::from(cell.lo)), Some(i128::from(cell.hi))))
}

/// What whoever checks a certificate calls the places of a state.
fn names(semantics: &Semantics<'_>, words: &mut Vocabulary<'_>) -> BTreeMap<usize, String> {
    let (program, layout): (&Program, _) = (semantics.program(), semantics.layout());
    let mut of_slot = BTreeMap::new();
    for (pid, &frame) in layout.initial_frames().iter().enumerate() {
        of_slot.insert(frame + FRAME_LOCATION, words.location(pid));
    }
    // Nothing is said about what a slice leaves out: it never changes there, and no cell is its own.
    for var in program.variable_ids().filter(|var| !program.left_out.contains(var)) {
        let Some(base) = layout.fixed_slot(program, var) else { continue };
        for position in 0..program.variable(var).cells().min(MOST_NAMED_ELEMENTS) {
            if let Some(cell) = words.cell(var, position) {
                of_slot.insert(base + position, cell);
            }
        }
    }
    of_slot
}

/// The values of places that never change: they are no cells.
fn constants(
    words: &mut Vocabulary<'_>,
    of_slot: &BTreeMap<usize, String>,
    cells: &Cells,
) -> Result<Vec<String>, NoTerm> {
    let constant = of_slot.iter().filter(|(slot, _)| cells.of_slot[**slot].is_none());
    constant.map(|(&slot, name)| words.named_equals(name, cells.first[slot])).collect()
}

struct TermWriter<'c> {
    cells: &'c Cells,
    names: Vec<String>,
    /// The cell of each bit, and how much the bit counts.
    of_bit: HashMap<Bit, (usize, usize)>,
    shared: Vec<String>,
    /// What sets are called that have been written down.
    known: HashMap<Set, String>,
}

/// What a node of the diagram tests, with its cofactors.
enum NodeTest {
    /// Whether a bit is set: what follows if it is, and if it is not.
    Bit(Bit, Set, Set),
    /// The value of a cell: the last value of each interval, and what follows there.
    Value(usize, Vec<(i64, Set)>),
}

impl NodeTest {
    fn cofactors(&self) -> Vec<&Set> {
        match self {
            Self::Bit(_, set, unset) => vec![set, unset],
            Self::Value(_, intervals) => intervals.iter().map(|(_, set)| set).collect(),
        }
    }
}

impl<'c> TermWriter<'c> {
    fn new(cells: &'c Cells, names: Vec<String>) -> Self {
        let mut of_bit = HashMap::new();
        for (at, cell) in cells.cells.iter().enumerate() {
            for (position, &(bit, _)) in cell.bits.iter().enumerate() {
                of_bit.insert(bit, (at, cell.bits.len() - 1 - position));
            }
        }
        Self { cells, names, of_bit, shared: Vec::new(), known: HashMap::new() }
    }

    /// The term for a set; everything below it becomes a shared part, what follows a node before the node.
    fn write(&mut self, set: &Set) -> Result<String, NoTerm> {
        let mut open = vec![set.clone()];
        while let Some(set) = open.last().cloned() {
            if self.name(&set).is_some() {
                open.pop();
                continue;
            }
            let test = self.test_of(&set)?;
            let before = open.len();
            open.extend(test.cofactors().into_iter().filter(|set| self.name(set).is_none()).cloned());
            if open.len() == before {
                open.pop();
                let text = self.text(&test)?;
                // Where all values of the cell's type are alike nothing is asked.
                if !text.starts_with("(ite") {
                    self.known.insert(set, text);
                    continue;
                }
                if self.shared.len() >= MOST_NODES {
                    return Err(NoTerm(format!("the set of states has more than {MOST_NODES} nodes")));
                }
                self.known.insert(set, format!("#{}", self.shared.len()));
                self.shared.push(text);
            }
        }
        self.name(set).ok_or_else(|| NoTerm("a set has no name".to_owned()))
    }

    /// What a set is called, if it has been written down, or the rest of it has.
    fn name(&self, set: &Set) -> Option<String> {
        if set.is_full() || set.is_empty() {
            return Some(set.is_full().to_string());
        }
        let other = || self.known.get(&set.not()).map(|name| negated(name));
        self.known.get(set).cloned().or_else(other)
    }

    fn test_of(&self, set: &Set) -> Result<NodeTest, NoTerm> {
        let Root::Node { bit, unset, set: yes } = set.root() else {
            return Err(NoTerm("a set without a question".to_owned()));
        };
        let Some(&(at, _)) = self.of_bit.get(&bit) else {
            return Err(NoTerm("a set speaks of what is no state".to_owned()));
        };
        let cell = &self.cells.cells[at];
        // A cell whose first bit was asked before, somewhere above, is not a number any more.
        let together = cell.bits.windows(2).all(|pair| pair[1].0.index() == pair[0].0.index() + 2);
        let whole = together.then(|| intervals(cell, set)).flatten();
        Ok(whole.map_or(NodeTest::Bit(bit, yes, unset), |intervals| NodeTest::Value(at, intervals)))
    }

    fn text(&self, test: &NodeTest) -> Result<String, NoTerm> {
        let name = |set: &Set| self.name(set).ok_or_else(|| NoTerm("a set has no name".to_owned()));
        match test {
            NodeTest::Bit(bit, set, unset) => {
                let (at, position) = self.of_bit[bit];
                Ok(format!("(ite {} {} {})", self.bit_text(at, position), name(set)?, name(unset)?))
            }
            NodeTest::Value(at, intervals) => {
                let cell = &self.cells.cells[*at];
                let mut first = cell.lo;
                let mut places: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
                for (last, set) in intervals {
                    places.entry(name(set)?).or_default().push((first, *last));
                    first = last + 1;
                }
                Ok(self.chosen(*at, places))
            }
        }
    }

    /// What follows where the value of a cell lies in these intervals; what has most of them is not asked for.
    fn chosen(&self, at: usize, places: BTreeMap<String, Vec<(i64, i64)>>) -> String {
        let mut places: Vec<(String, Vec<(i64, i64)>)> = places.into_iter().collect();
        places.sort_by_key(|(_, intervals)| std::cmp::Reverse(intervals.len()));
        let mut places = places.into_iter();
        let mut text = places.next().map_or_else(|| "false".to_owned(), |(rest, _)| rest);
        for (follows, intervals) in places {
            text = format!("(ite {} {follows} {text})", self.lies(at, &intervals));
        }
        text
    }

    /// Where the value of a cell lies in one of these intervals.
    fn lies(&self, at: usize, intervals: &[(i64, i64)]) -> String {
        let (cell, name) = (&self.cells.cells[at], &self.names[at]);
        let one = |&(first, last): &(i64, i64)| match (cell.truth, first == last) {
            (true, _) if first == 1 => name.clone(),
            (true, _) => format!("(not {name})"),
            (false, true) => format!("(= {name} {})", number(first)),
            (false, false) if first == cell.lo => format!("(<= {name} {})", number(last)),
            (false, false) if last == cell.hi => format!("(<= {} {name})", number(first)),
            (false, false) => format!("(and (<= {} {name}) (<= {name} {}))", number(first), number(last)),
        };
        match intervals {
            [only] => one(only),
            several => format!("(or {})", several.iter().map(one).collect::<Vec<_>>().join(" ")),
        }
    }

    /// Where a bit of a cell is set.
    fn bit_text(&self, at: usize, position: usize) -> String {
        let (cell, name) = (&self.cells.cells[at], &self.names[at]);
        if cell.truth {
            return name.clone();
        }
        if cell.bits.len() <= NARROW {
            let set = |value: &i64| (value - cell.offset) >> position & 1 == 1;
            let values: Vec<(i64, i64)> = (cell.lo..=cell.hi).filter(set).map(|value| (value, value)).collect();
            return if values.is_empty() { "false".to_owned() } else { self.lies(at, &merged(values)) };
        }
        let shifted = if cell.offset == 0 { name.clone() } else { format!("(- {name} {})", number(cell.offset)) };
        let low = 1i128 << position;
        if position + 1 == cell.bits.len() {
            return format!("(<= {low} {shifted})");
        }
        format!("(<= {low} (mod {shifted} {}))", low << 1)
    }
}

/// Neighbours as one interval.
fn merged(intervals: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    let mut found: Vec<(i64, i64)> = Vec::new();
    for (first, last) in intervals {
        match found.last_mut() {
            Some(before) if before.1 + 1 == first => before.1 = last,
            _ => found.push((first, last)),
        }
    }
    found
}

/// What follows each value of a cell: the last value of each interval, in order. None if there are too many intervals.
fn intervals(cell: &Cell, set: &Set) -> Option<Vec<(i64, Set)>> {
    let width = cell.bits.len();
    let mut found: Vec<(i64, Set)> = Vec::new();
    // What is left to look at, the smallest values last: the first bits are known to be those of `prefix`.
    let mut open: Vec<(Set, usize, i64)> = vec![(set.clone(), 0, 0)];
    while let Some((set, known, prefix)) = open.pop() {
        let left = width - known;
        let (root, last) = (set.root(), (((prefix + 1) << left) - 1).saturating_add(cell.offset));
        if (prefix << left).saturating_add(cell.offset) > cell.hi || last < cell.lo {
            continue;
        }
        match root {
            Root::Node { bit, unset, set: yes } if known < width && bit == cell.bits[known].0 => {
                open.push((yes, known + 1, prefix << 1 | 1));
                open.push((unset, known + 1, prefix << 1));
                continue;
            }
            Root::Node { bit, .. } if cell.bits[known..].iter().any(|&(own, _)| own == bit) => {
                open.push((set.clone(), known + 1, prefix << 1 | 1));
                open.push((set, known + 1, prefix << 1));
                continue;
            }
            _ => {}
        }
        match found.last_mut() {
            Some((before, same)) if *same == set => *before = last,
            _ => found.push((last, set)),
        }
        if found.len() > MOST_INTERVALS {
            return None;
        }
    }
    if let Some((last, _)) = found.last_mut() {
        *last = cell.hi;
    }
    Some(found)
}

/// The name of what is not in a set with this name.
fn negated(name: &str) -> String {
    let inner = name.strip_prefix("(not ").and_then(|name| name.strip_suffix(')'));
    match (name, inner) {
        ("true", _) => "false".to_owned(),
        ("false", _) => "true".to_owned(),
        (_, Some(inner)) => inner.to_owned(),
        _ => format!("(not {name})"),
    }
}

/// A number in SMT-LIB.
fn number(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

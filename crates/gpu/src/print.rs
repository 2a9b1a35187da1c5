//! Forms as C: one function for each process of a layout. What is the same for several layouts is printed once.
//!
//! Everything is computed in 64 bits and kept in the narrowest type that holds it; the compiler finds out what that saves.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::keys::KeyPlaces;
use tertium_explore::pack::Field;
use tertium_steps::form::{ANY, Half, Instruction, LayoutForm, Operand, Operation, ProcessForm, TIMEOUT, size};

/// A table that lies in at most so many words is read by choosing between them, so that the row can stay in registers.
const FEW_WORDS: usize = 6;

/// A process with at most so many successors in a state hands them over at its end: threads come together there, and do it at the same time.
const MOST_HELD_BACK: usize = 6;
/// Successors that are held back stay rows if these have at most so many words together; else they are packed first.
const FEW_HELD_WORDS: usize = 16;

/// How successors are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandOver {
    AtOnce,
    /// At the end, as rows.
    Rows,
    /// At the end, as keys.
    Keys,
}

/// Functions, and the tables that they read. Each is there once: layouts that differ in the last processes have most in common.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    tables: BTreeMap<String, usize>,
    /// Numbers by bodies.
    numbers: BTreeMap<String, usize>,
    instructions: usize,
}

impl Functions {
    fn table(&mut self, entries: String) -> usize {
        let next = self.tables.len();
        *self.tables.entry(entries).or_insert(next)
    }

    /// The name of the function with this body.
    fn named(&mut self, body: String, instructions: usize) -> String {
        let next = self.numbers.len();
        let number = *self.numbers.entry(body).or_insert_with(|| {
            self.instructions += instructions;
            next
        });
        format!("steps{number}")
    }

    /// How many instructions they were printed from.
    #[must_use]
    pub fn instructions(&self) -> usize {
        self.instructions
    }

    /// All of them. Functions that are not inlined are called, which is slower and compiled in a fraction of the time.
    #[must_use]
    pub fn text(&self, inlined: bool) -> String {
        let mut text = String::new();
        let mut tables: Vec<_> = self.tables.iter().collect();
        tables.sort_by_key(|&(_, number)| number);
        for (entries, number) in tables {
            let _ = writeln!(text, "static __device__ const u32 table{number}[] = {{{entries}}};");
        }
        let mut functions: Vec<_> = self.numbers.iter().collect();
        functions.sort_by_key(|&(_, number)| number);
        let kind = if inlined { "inline" } else { "NOINLINE" };
        for (body, number) in functions {
            let _ = writeln!(
                text,
                "static __device__ {kind} int steps{number}(Thread *t, const Row &row, int timeout) {{\n{body}}}"
            );
        }
        text
    }
}

/// Prints one layout.
struct Printer<'p> {
    form: &'p LayoutForm,
    /// The numbers of its tables.
    tables: Vec<usize>,
    ranges: Vec<(i64, i64)>,
    words: usize,
    text: String,
    indent: usize,
    hand_over: HandOver,
    /// How many successors may have been found before the instruction at hand.
    held_back: usize,
    paired: bool,
    keys: Option<KeyPlaces<'p>>,
}

/// How forms are printed.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'k> {
    /// Words of a row of the program.
    pub words: usize,
    /// Whether successors are paired with the moves of an automaton: they are no keys then before that.
    pub paired: bool,
    /// Where words are in keys, if the state's own key is there to be changed.
    pub keys: Option<KeyPlaces<'k>>,
}

/// Prints the functions of a layout; their names, by process.
#[must_use]
pub fn layout(form: &LayoutForm, printed: Printed<'_>, functions: &mut Functions) -> Vec<String> {
    let Printed { words, paired, keys } = printed;
    let entry = |field: &Field| (field.word() << 8 | u32::from(field.shift())).to_string();
    let entries = |table: &Vec<Field>| table.iter().map(entry).collect::<Vec<_>>().join(", ");
    let mut printer = Printer {
        form,
        tables: form.tables.iter().map(|table| functions.table(entries(table))).collect(),
        ranges: Vec::new(),
        words,
        text: String::new(),
        indent: 1,
        hand_over: HandOver::AtOnce,
        held_back: 0,
        paired,
        keys,
    };
    let mut names = Vec::with_capacity(form.steps.len());
    for steps in &form.steps {
        printer.process(steps);
        names.push(functions.named(std::mem::take(&mut printer.text), size(&steps.body)));
    }
    names
}

fn kind(lo: i64, hi: i64) -> &'static str {
    if i32::try_from(lo).is_ok() && i32::try_from(hi).is_ok() {
        "int"
    } else if lo >= 0 && u32::try_from(hi).is_ok() {
        "u32"
    } else {
        "i64"
    }
}

/// An integer of 64 bits.
fn constant(value: i64) -> String {
    if value == i64::MIN { "(-9223372036854775807ll - 1)".to_owned() } else { format!("{value}ll") }
}

fn operand(operand: Operand) -> String {
    match operand {
        Operand::Constant(value) => constant(value),
        Operand::Register(register) => format!("(i64)r{register}"),
    }
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 4);
    }

    /// The body of the function of one process.
    fn process(&mut self, steps: &ProcessForm) {
        // Only what is used is declared: compilers take their time with the rest.
        let mut used = vec![false; steps.registers as usize];
        mark(&steps.body, &mut used);
        self.line(&format!("int r{TIMEOUT} = timeout, r{ANY} = 0;"));
        for (at, &(lo, hi)) in steps.ranges.iter().enumerate().skip(2).filter(|&(at, _)| used[at]) {
            self.line(&format!("{} r{at} = 0;", kind(lo, hi)));
        }
        self.line(&format!("(void)r{TIMEOUT};"));
        self.ranges.clone_from(&steps.ranges);
        let held_back = self.hold_back(&steps.body);
        self.block(&steps.body);
        for at in 0..held_back {
            let emit = if self.hand_over == HandOver::Rows { "emit" } else { "emit_packed" };
            self.line(&format!("if (has{at}) {emit}(t, out{at});"));
        }
        self.line(&format!("return r{ANY};"));
    }

    /// Makes room for successors that are handed over at the end; says how many there may be.
    fn hold_back(&mut self, body: &[Instruction]) -> usize {
        self.held_back = 0;
        let most = most_successors(body).filter(|&most| most <= MOST_HELD_BACK);
        self.hand_over = match most {
            None => HandOver::AtOnce,
            Some(_) if self.keys.is_some() => HandOver::Keys,
            Some(most) if most * self.words <= FEW_HELD_WORDS => HandOver::Rows,
            Some(_) if self.paired => HandOver::AtOnce,
            Some(_) => HandOver::Keys,
        };
        let most = most.filter(|_| self.hand_over != HandOver::AtOnce);
        let kind = if self.hand_over == HandOver::Rows { "Row" } else { "Packed" };
        let most = most.unwrap_or(0);
        for at in 0..most {
            self.line(&format!("{kind} out{at} = {{}};"));
            self.line(&format!("bool has{at} = false;"));
        }
        most
    }

    fn block(&mut self, block: &[Instruction]) {
        self.indent += 1;
        let before = self.held_back;
        for instruction in block {
            let held_back = self.held_back;
            self.instruction(instruction);
            self.held_back = held_back + most_successors(std::slice::from_ref(instruction)).unwrap_or(0);
            if *instruction == Instruction::Trap {
                break;
            }
        }
        self.held_back = before;
        self.indent -= 1;
    }

    fn set(&mut self, to: u32, value: &str) {
        let (lo, hi) = self.ranges[to as usize];
        let line = format!("r{to} = ({})({value});", kind(lo, hi));
        self.line(&line);
    }

    fn instruction(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::Load { to, field } => {
                let value = load(*field);
                self.set(*to, &value);
            }
            Instruction::LoadWord { to, word } => self.set(*to, &format!("row.w[{word}]")),
            Instruction::LoadAt { to, table, index } => self.load_at(*to, *table, *index),
            Instruction::WordAt { to, table, index } => {
                let entry = self.entry(*table, *index);
                self.set(*to, &format!("{entry} >> 8"));
            }
            Instruction::ShiftAt { to, table, index } => {
                let entry = self.entry(*table, *index);
                self.set(*to, &format!("{entry} & 255u"));
            }
            Instruction::Compute { to, operation, a, b } => self.set(*to, &compute(*operation, *a, *b)),
            Instruction::Wrap { to, bits, signed, value } => {
                let (by, value) = (64 - bits, operand(*value));
                let left = format!("((u64)({value}) << {by})");
                self.set(*to, &if *signed { format!("(i64){left} >> {by}") } else { format!("{left} >> {by}") });
            }
            Instruction::Half { to, half, value } => {
                let value = operand(*value);
                self.set(
                    *to,
                    &if *half == Half::Low { format!("(u32)({value})") } else { format!("(u64)({value}) >> 32") },
                );
            }
            Instruction::Select { to, condition, a, b } => {
                self.set(*to, &format!("{} != 0 ? {} : {}", operand(*condition), operand(*a), operand(*b)));
            }
            Instruction::Set { to, value } => self.set(*to, &operand(*value)),
            _ => self.control(instruction),
        }
    }

    fn entry(&self, table: u32, index: Operand) -> String {
        format!("table{}[{}]", self.tables[table as usize], operand(index))
    }

    fn load_at(&mut self, to: u32, table: u32, index: Operand) {
        let fields = &self.form.tables[table as usize];
        let mut words: Vec<u32> = fields.iter().map(|field| field.word()).collect();
        words.dedup();
        let entry = self.entry(table, index);
        let word = if words.len() <= FEW_WORDS {
            let last = words[words.len() - 1];
            let choose = |rest: String, word: &u32| format!("(({entry} >> 8) == {word}u ? row.w[{word}] : {rest})");
            words[..words.len() - 1].iter().rev().fold(format!("row.w[{last}]"), choose)
        } else {
            format!("row.w[{entry} >> 8]")
        };
        let (mask, lo) = ((1u64 << fields[0].bits()) - 1, constant(fields[0].lo()));
        self.set(to, &format!("(i64)(({word} >> ({entry} & 255u)) & {mask}ull) + {lo}"));
    }

    fn control(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::If { condition, then, otherwise } => {
                self.line(&format!("if ({} != 0) {{", operand(*condition)));
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                self.line("}");
            }
            Instruction::Switch { on, cases } => {
                self.line(&format!("switch ({}) {{", operand(*on)));
                for (value, body) in cases {
                    self.line(&format!("case {value}: {{"));
                    self.block(body);
                    self.line("    break;");
                    self.line("}");
                }
                self.line("}");
            }
            Instruction::Loop { index, first, last, body } => {
                let (first, last) = (operand(*first), operand(*last));
                self.line(&format!(
                    "for (i64 at{index} = {first}, last{index} = {last}; at{index} <= last{index}; ++at{index}) {{"
                ));
                self.indent += 1;
                self.set(*index, &format!("at{index}"));
                self.indent -= 1;
                self.block(body);
                self.line("}");
            }
            Instruction::Fail { step } => self.line(&format!("fail(t, {step}u);")),
            Instruction::Emit { changes, holder } => self.emit(changes, *holder),
            _ => self.line("return -1;"),
        }
    }

    fn emit(&mut self, changes: &[(u32, Operand)], holder: Option<u32>) {
        // A row that is longer than all known ones is for the host, which makes room for it.
        if let Some(&(word, _)) = changes.iter().find(|(word, _)| *word as usize >= self.words) {
            self.line(&format!("return -1; // word {word}"));
            return;
        }
        self.line("{");
        self.indent += 1;
        match self.keys {
            Some(keys) if holder.is_none() => self.emit_changed(changes, keys),
            _ => self.emit_row(changes, holder),
        }
        self.indent -= 1;
        self.line("}");
    }

    /// Changes the key of the state itself: what stays as it is needs not be copied, nor packed again.
    fn emit_changed(&mut self, changes: &[(u32, Operand)], keys: KeyPlaces<'_>) {
        self.line("Packed next = t->packed;");
        self.line("bool fits = true;");
        for &(word, value) in changes {
            self.line(&format!("{{ u32 word = (u32)({});", operand(value)));
            for line in keys.change(word as usize) {
                self.line(&format!("    {line}"));
            }
            self.line("}");
        }
        if keys.is_fixed() {
            self.line("if (!fits) return -1;");
        } else {
            // A process starts or ends, or a value is one that was not seen.
            self.line("if (!fits) {");
            self.line("    t->other = row;");
            for &(word, value) in changes {
                self.line(&format!("    t->other.w[{word}] = (u32)({});", operand(value)));
            }
            self.line("    if (!pack(t->other, t->layout, &next)) return -1;");
            self.line("}");
        }
        let at = self.held_back;
        if self.hand_over == HandOver::AtOnce {
            self.line("emit_packed(t, next);");
        } else {
            self.line(&format!("out{at} = next; has{at} = true;"));
        }
    }

    fn emit_row(&mut self, changes: &[(u32, Operand)], holder: Option<u32>) {
        self.line("Row next = row;");
        for &(word, value) in changes {
            self.line(&format!("next.w[{word}] = (u32)({});", operand(value)));
        }
        let at = self.held_back;
        match (holder, self.hand_over) {
            (Some(holder), _) => self.line(&format!("emit_inside(t, next, {holder}u);")),
            (None, HandOver::AtOnce) => self.line("emit(t, next);"),
            (None, HandOver::Rows) => self.line(&format!("out{at} = next; has{at} = true;")),
            (None, HandOver::Keys) => {
                self.line(&format!("if (!pack(next, t->layout, &out{at})) return -1;"));
                self.line(&format!("has{at} = true;"));
            }
        }
    }
}

/// The value of a field of the row.
pub(crate) fn load(field: Field) -> String {
    let (word, lo) = (field.word(), constant(field.lo()));
    match field.bits() {
        0 => lo,
        bits @ 1..=32 => format!("(i64)((row.w[{word}] >> {}) & {}ull) + {lo}", field.shift(), (1u64 << bits) - 1),
        _ => format!("(i64)(row.w[{word}] | (u64)row.w[{}] << 32)", word + 1),
    }
}

fn compute(operation: Operation, a: Operand, b: Operand) -> String {
    let (a, b) = (operand(a), operand(b));
    // What may wrap round is computed without signs.
    let wrapping = |op: &str| format!("(i64)((u64)({a}) {op} (u64)({b}))");
    match operation {
        Operation::Add => wrapping("+"),
        Operation::Subtract => wrapping("-"),
        Operation::Multiply => wrapping("*"),
        Operation::Divide => format!("{a} / {b}"),
        Operation::Remainder => format!("{a} % {b}"),
        Operation::And => format!("({a}) & ({b})"),
        Operation::Or => format!("({a}) | ({b})"),
        Operation::Xor => format!("({a}) ^ ({b})"),
        Operation::ShiftLeft => format!("(i64)((u64)({a}) << ({b}))"),
        Operation::ShiftRight => format!("({a}) >> ({b})"),
        Operation::Equal => format!("{a} == {b}"),
        Operation::Different => format!("{a} != {b}"),
        Operation::Less => format!("{a} < {b}"),
        Operation::AtMost => format!("{a} <= {b}"),
        Operation::AddOverflows => format!("add_overflows({a}, {b})"),
        Operation::SubtractOverflows => format!("subtract_overflows({a}, {b})"),
        Operation::MultiplyOverflows => format!("multiply_overflows({a}, {b})"),
    }
}

/// What the operations of the form need that C does not have.
pub(crate) const OPERATIONS: &str = "\
static __device__ inline int add_overflows(i64 a, i64 b) {
    i64 sum = (i64)((u64)a + (u64)b);
    return ((a ^ sum) & (b ^ sum)) < 0;
}
static __device__ inline int subtract_overflows(i64 a, i64 b) {
    i64 difference = (i64)((u64)a - (u64)b);
    return ((a ^ b) & (a ^ difference)) < 0;
}
static __device__ inline int multiply_overflows(i64 a, i64 b) {
    if (a == 0 || b == 0) return 0;
    if ((a == -1 && b < -9223372036854775807ll) || (b == -1 && a < -9223372036854775807ll)) return 1;
    return (i64)((u64)a * (u64)b) / b != a;
}
";

/// How many successors a block finds at most that are not inside blocks; none if that is not known.
fn most_successors(block: &[Instruction]) -> Option<usize> {
    let of = |instruction: &Instruction| match instruction {
        Instruction::Emit { holder, .. } => Some(usize::from(holder.is_none())),
        Instruction::If { then, otherwise, .. } => Some(most_successors(then)?.max(most_successors(otherwise)?)),
        Instruction::Switch { cases, .. } => {
            cases.iter().try_fold(0, |most, (_, block)| Some(most_successors(block)?.max(most)))
        }
        Instruction::Loop { body, .. } => most_successors(body).filter(|&most| most == 0),
        _ => Some(0),
    };
    block.iter().try_fold(0, |sum, instruction| Some(sum + of(instruction)?))
}

/// Marks the registers that a block sets.
fn mark(block: &[Instruction], used: &mut [bool]) {
    for instruction in block {
        match instruction {
            Instruction::Load { to, .. }
            | Instruction::LoadWord { to, .. }
            | Instruction::LoadAt { to, .. }
            | Instruction::WordAt { to, .. }
            | Instruction::ShiftAt { to, .. }
            | Instruction::Compute { to, .. }
            | Instruction::Wrap { to, .. }
            | Instruction::Half { to, .. }
            | Instruction::Select { to, .. }
            | Instruction::Set { to, .. } => used[*to as usize] = true,
            Instruction::If { then, otherwise, .. } => {
                mark(then, used);
                mark(otherwise, used);
            }
            Instruction::Switch { cases, .. } => cases.iter().for_each(|(_, block)| mark(block, used)),
            Instruction::Loop { index, body, .. } => {
                used[*index as usize] = true;
                mark(body, used);
            }
            Instruction::Trap | Instruction::Fail { .. } | Instruction::Emit { .. } => {}
        }
    }
}

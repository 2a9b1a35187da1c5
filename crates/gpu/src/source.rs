//! The whole source of a search: constants, the search itself, and the steps of one program.

use std::fmt::Write as _;

use tertium_base::narrow::{to_i64, to_usize};
use tertium_explore::compiled::Compiled;
use tertium_explore::pack::RowLayout;
use tertium_program::layout::FRAME_PROCESS;
use tertium_program::{Expr, ExprId};
use tertium_steps::form::{LayoutForm, Stuck};
use tertium_steps::lower::Lowering;

use crate::print;

/// Lists of states hold so many.
pub const LIST_LENGTH: usize = 1 << 16;
/// Forms with more instructions than this are not printed: a compiler would take too long.
const MOST_INSTRUCTIONS: usize = 60_000;

/// The source of a search for states of some layouts.
#[derive(Clone, Debug)]
pub struct SearchSource {
    text: String,
    words: usize,
    packed: usize,
    keys: bool,
}

/// Why a program cannot be searched on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// Priorities, an automaton over events, or processes that must be deterministic.
    Kind,
    /// Too many instructions.
    Size(usize),
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kind => f.write_str(
                "programs with priorities, with an automaton over events, or with processes that must be deterministic are not \
                 searched on a device",
            ),
            Self::Size(usize::MAX) => f.write_str("the steps of the program are too many instructions to be compiled for a device"),
            Self::Size(size) => write!(f, "the steps of the program are {size} instructions, too many to be compiled for a device"),
        }
    }
}

impl SearchSource {
    /// For a program and the layouts of its states, as lists of processes.
    ///
    /// # Errors
    /// If the program cannot be searched on a device.
    pub fn of(compiled: &Compiled<'_>, layouts: &[Vec<u32>]) -> Result<Self, Unsupported> {
        let (semantics, packing) = (compiled.plain().semantics(), compiled.packing());
        let lowering = Lowering::of(semantics, packing, compiled.reduction()).ok_or(Unsupported::Kind)?;
        let shapes: Vec<_> = layouts.iter().map(|processes| packing.shape_of(processes)).collect();
        let forms: Option<Vec<LayoutForm>> = layouts.iter().map(|processes| lowering.layout(processes)).collect();
        let forms = forms.ok_or(Unsupported::Size(usize::MAX))?;
        let size = forms.iter().map(LayoutForm::size).sum();
        if size > MOST_INSTRUCTIONS {
            return Err(Unsupported::Size(size));
        }
        let words = shapes.iter().map(|shape| shape.words).max().unwrap_or(1);
        let bits = bits_used(&shapes.iter().map(AsRef::as_ref).collect::<Vec<_>>(), words);
        let total: u32 = bits.iter().sum();
        // The highest bit of a key says that there is one.
        let keys = total <= 63;
        let packed = to_usize(i64::from(total)).div_ceil(32).max(1);
        let exprs = &semantics.program().exprs;
        let waits = (0..exprs.len()).any(|id| exprs.get(ExprId::new(id)) == Expr::Timeout);
        let buffer = if packed <= 2 { 16 } else { 8 };
        let mut text = format!(
            "#define WORDS {words}\n#define PACKED {packed}\n#define KEYS {}\n#define USES_TIMEOUT {}\n#define LIST_LENGTH {LIST_LENGTH}\n\
             #define BUFFER {buffer}\n#define BLOCK 16\n#define FAILURES_EACH 8\n",
            u8::from(keys),
            u8::from(waits)
        );
        text.push_str(&rows_and_packing(&bits, packed));
        let (before, after) = SEARCH.split_once("\n// ----").unwrap_or((SEARCH, ""));
        text.push_str(before);
        text.push('\n');
        text.push_str(print::OPERATIONS);
        for (number, form) in forms.iter().enumerate() {
            text.push_str(&print::layout(form, number, words));
        }
        let fixed = semantics.layout().is_fixed();
        text.push_str(&layout_of(&shapes.iter().map(AsRef::as_ref).collect::<Vec<_>>(), words, fixed));
        text.push_str(&dispatch(&forms));
        text.push_str("// ----");
        text.push_str(after);
        Ok(Self { text, words, packed, keys })
    }

    /// The source, without what depends on the device.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many words every row has.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many words a row has once it is packed without gaps.
    #[must_use]
    pub fn packed_words(&self) -> usize {
        self.packed
    }

    /// Whether a packed row is one key of 64 bits.
    #[must_use]
    pub fn has_keys(&self) -> bool {
        self.keys
    }
}

/// The search.
const SEARCH: &str = include_str!("search.cu");

/// How many bits of each word are used in some layout, counted from the lowest.
fn bits_used(shapes: &[&RowLayout], words: usize) -> Vec<u32> {
    let mut bits = vec![0; words];
    let mut use_bits = |word: u32, count: u32| bits[word as usize] = count.max(bits[word as usize]);
    for shape in shapes {
        for field in (0..shape.slots).map(|slot| shape.field(slot)).filter(|field| field.bits() > 0) {
            if field.bits() > 32 {
                use_bits(field.word(), 32);
                use_bits(field.word() + 1, 32);
            } else {
                use_bits(field.word(), u32::from(field.shift() + field.bits()));
            }
        }
    }
    bits
}

/// Rows, and how they are packed without the bits that no layout uses.
fn rows_and_packing(bits: &[u32], packed: usize) -> String {
    let mut text = format!(
        "struct Row {{\n    unsigned int w[WORDS];\n}};\nstruct Packed {{\n    unsigned int w[{packed}];\n}};\n\
         static __device__ inline Packed pack(const Row &row) {{\n    Packed packed = {{}};\n"
    );
    let mut back = "static __device__ inline Row unpack(const Packed &packed) {\n    Row row = {};\n".to_owned();
    let mut at = 0;
    for (word, &count) in bits.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (first, shift) = (at / 32, at % 32);
        let mask = u32::MAX >> (32 - count);
        let _ = writeln!(text, "    packed.w[{first}] |= row.w[{word}] << {shift};");
        let mut parts = format!("packed.w[{first}] >> {shift}");
        if shift + count > 32 {
            let _ = writeln!(text, "    packed.w[{}] |= row.w[{word}] >> {};", first + 1, 32 - shift);
            let _ = write!(parts, " | packed.w[{}] << {}", first + 1, 32 - shift);
        }
        let _ = writeln!(back, "    row.w[{word}] = ({parts}) & {mask}u;");
        at += count;
    }
    text.push_str("    return packed;\n}\n");
    back.push_str("    return row;\n}\n");
    text + &back
}

/// The function that finds the layout of a row: by the processes that run in it.
fn layout_of(shapes: &[&RowLayout], words: usize, fixed: bool) -> String {
    let mut text = "static __device__ inline int layout_of(const Row &row) {\n".to_owned();
    if fixed {
        text.push_str("    (void)row;\n    return 0;\n}\n");
        return text;
    }
    for (number, shape) in shapes.iter().enumerate() {
        let mut conditions: Vec<String> = Vec::new();
        for (&process, frame) in shape.processes.iter().zip(&shape.frames) {
            let field = shape.field(frame + FRAME_PROCESS);
            conditions.push(format!("{} == {process}", print::load(field)));
        }
        if shape.used < words {
            // No frame follows: what says which process one is would not be 0.
            conditions.push(format!("row.w[{}] == 0", shape.used));
        }
        let condition = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" && ") };
        let _ = writeln!(text, "    if ({condition}) return {number};");
    }
    text.push_str("    return -1;\n}\n");
    text
}

/// The functions that find the steps of a process, and what is known of it.
fn dispatch(forms: &[LayoutForm]) -> String {
    let mut text = String::new();
    let counts: Vec<String> = forms.iter().map(|form| form.processes.len().to_string()).collect();
    text.push_str("static __device__ inline int processes_of(int layout) {\n    switch (layout) {\n");
    for (number, count) in counts.iter().enumerate() {
        let _ = writeln!(text, "    case {number}: return {count};");
    }
    text.push_str("    }\n    return 0;\n}\n");
    text.push_str(
        "static __device__ inline int steps_of(Thread *t, const Row &row, int layout, int pid, int timeout) {\n    \
         switch (layout) {\n",
    );
    for (number, form) in forms.iter().enumerate() {
        let _ = writeln!(text, "    case {number}: switch (pid) {{");
        for pid in 0..form.processes.len() {
            let _ = writeln!(text, "        case {pid}: return steps{number}_{pid}(t, row, timeout);");
        }
        text.push_str("    } break;\n");
    }
    text.push_str("    }\n    return -1;\n}\n");
    by_location(
        &mut text,
        forms,
        "static __device__ inline int stuck_at(const Row &row, int layout, int pid) {\n",
        |form, pid, at| match form.stuck[pid][at] {
            Stuck::Visible => 0,
            Stuck::Nowhere => 1,
            Stuck::Wrong => 2,
        },
    );
    by_location(
        &mut text,
        forms,
        "static __device__ inline int rests_at(const Row &row, int layout, int pid) {\n",
        |form, pid, at| i64::from(form.ends[pid][at]),
    );
    text.push_str(
        "static __device__ inline bool all_at_end(const Row &row, int layout) {\n    \
         for (int pid = 0; pid < processes_of(layout); ++pid) if (!rests_at(row, layout, pid)) return false;\n    return true;\n}\n",
    );
    text
}

/// A function of the location of a process.
fn by_location(text: &mut String, forms: &[LayoutForm], head: &str, value: impl Fn(&LayoutForm, usize, usize) -> i64) {
    text.push_str(head);
    text.push_str("    switch (layout) {\n");
    for (number, form) in forms.iter().enumerate() {
        let _ = writeln!(text, "    case {number}: switch (pid) {{");
        for pid in 0..form.processes.len() {
            let values: Vec<i64> = (0..form.ends[pid].len()).map(|at| value(form, pid, at)).collect();
            let _ = writeln!(text, "        case {pid}: switch ({}) {{", print::load(form.locations[pid]));
            for (at, value) in values.iter().enumerate().filter(|(_, value)| **value != 0) {
                let _ = writeln!(text, "            case {}: return {value};", to_i64(at));
            }
            text.push_str("        } break;\n");
        }
        text.push_str("    } break;\n");
    }
    text.push_str("    }\n    (void)row;\n    return 0;\n}\n");
}

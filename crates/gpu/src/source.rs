//! The whole source of a search: constants, the search itself, and the steps of one program.

use std::fmt::Write as _;

use tertium_base::narrow::{to_i64, to_u32};
use tertium_explore::compiled::Compiled;
use tertium_explore::pack::RowLayout;
use tertium_program::layout::FRAME_PROCESS;
use tertium_program::{Expr, ExprId};
use tertium_steps::form::{LayoutForm, Stuck};
use tertium_steps::lower::Lowering;

use crate::automaton::{Automaton, MOST_CONDITIONS};
use crate::device::Kernel;
use crate::keys::{KeyBits, LayoutBits, TableKind};
use crate::print;

/// Lists of states hold so many.
pub const LIST_LENGTH: usize = 1 << 16;
/// States are told apart by so many atoms at most.
pub const MOST_ATOMS: usize = 16;
/// Forms with more instructions than this are not printed: a compiler would take too long.
const MOST_INSTRUCTIONS: usize = 60_000;
/// The same before what several layouts have in common is left out.
const MOST_PRINTED: usize = 1_000_000;

/// So many words of shared memory hold the successors that a warp has found and not entered yet.
const QUEUE_WORDS: usize = 1536;

/// Rows of so many words stay in registers, and are copied for each successor; of longer ones the key is changed.
const SHORT_ROW: usize = 8;

/// Programs with more instructions are compiled faster, and no slower when they run, as a loop over their processes.
const MOST_UNROLLED: usize = 3_000;

/// Programs whose processes are not unrolled are optimised fully if they have no more instructions than this: with 2,000, and blocks, a compiler takes twenty seconds.
const MOST_OPTIMISED_FULLY: usize = 500;
/// Programs with more instructions than this are hardly optimised.
const MOST_OPTIMISED: usize = 5_000;

/// How much a compiler should optimise, lest it take longer than the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimisation {
    /// As much as it can.
    Full,
    /// What costs little time.
    Some,
    /// Hardly anything.
    Least,
}

impl Optimisation {
    fn of(instructions: usize, unrolled: bool) -> Self {
        if unrolled || instructions <= MOST_OPTIMISED_FULLY {
            Self::Full
        } else if instructions <= MOST_OPTIMISED {
            Self::Some
        } else {
            Self::Least
        }
    }
}

/// The source of a search for states of some layouts.
#[derive(Clone, Debug)]
pub struct SearchSource {
    text: String,
    words: usize,
    packed: usize,
    table: TableKind,
    atoms: usize,
    is_product: bool,
    optimisation: Optimisation,
}

/// Why a program cannot be searched on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// Priorities, an automaton over events, or processes that must be deterministic.
    Kind,
    /// Too many instructions.
    Size(usize),
    /// Properties with too many atoms.
    Atoms,
    /// A linear property and fair processes with too many conditions.
    Conditions,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kind => f.write_str(
                "programs with priorities, with an automaton over events, or with processes that must be deterministic are not \
                 searched on a device",
            ),
            Self::Atoms => write!(f, "properties with more than {MOST_ATOMS} atoms together are not decided on a device"),
            Self::Conditions => write!(
                f,
                "a linear property and fair processes that are more than {MOST_CONDITIONS} conditions together are not decided on a device"
            ),
            Self::Size(usize::MAX) => f.write_str("the steps of the program are too many instructions to be compiled for a device"),
            Self::Size(size) => write!(f, "the steps of the program are {size} instructions, too many to be compiled for a device"),
        }
    }
}

impl SearchSource {
    /// For a program, how its rows become keys, and what states are told apart by.
    ///
    /// # Errors
    /// If the program cannot be searched on a device.
    pub fn of(compiled: &Compiled<'_>, keys: &KeyBits, atoms: &[ExprId]) -> Result<Self, Unsupported> {
        Self::made(compiled, keys, atoms, None)
    }

    /// For the product of a program and an automaton; keys are those of the program.
    ///
    /// # Errors
    /// If the program or the automaton is not for a device.
    pub fn of_product(compiled: &Compiled<'_>, keys: &KeyBits, automaton: &Automaton) -> Result<Self, Unsupported> {
        if let Some(why) = automaton.unsupported() {
            return Err(why);
        }
        let product = keys.watched(automaton.state_bits());
        Self::made(compiled, &product, &automaton.atoms, Some(automaton))
    }

    fn made(
        compiled: &Compiled<'_>,
        keys: &KeyBits,
        atoms: &[ExprId],
        automaton: Option<&Automaton>,
    ) -> Result<Self, Unsupported> {
        if atoms.len() > MOST_ATOMS {
            return Err(Unsupported::Atoms);
        }
        let (semantics, packing) = (compiled.plain().semantics(), compiled.packing());
        let lowering = Lowering::of(semantics, packing, compiled.reduction()).ok_or(Unsupported::Kind)?;
        let layouts = keys.processes();
        let shapes: Vec<_> = layouts.iter().map(|processes| packing.shape_of(processes)).collect();
        let forms: Option<Vec<LayoutForm>> = layouts.iter().map(|processes| lowering.layout(processes)).collect();
        let forms = forms.ok_or(Unsupported::Size(usize::MAX))?;
        let whole: usize = forms.iter().map(LayoutForm::size).sum();
        if whole > MOST_PRINTED {
            return Err(Unsupported::Size(whole));
        }
        // The automaton's state is one word more.
        let (words, packed) = (keys.words - usize::from(automaton.is_some()), keys.packed_words());
        let table = keys.table();
        let (is_quotient, is_row) = (matches!(table, TableKind::Quotients(_)), table == TableKind::Rows);
        let exprs = &semantics.program().exprs;
        let waits = (0..exprs.len()).any(|id| exprs.get(ExprId::new(id)) == Expr::Timeout);
        let most = layouts.iter().map(Vec::len).max().unwrap_or(0);
        let blocks = forms.iter().any(LayoutForm::has_holders);
        let mut functions = print::Functions::default();
        let mut steps = Vec::with_capacity(forms.len());
        for (number, form) in forms.iter().enumerate() {
            // Inside a block states have no keys; and the automaton's state is a part of the key that every successor changes.
            let changes_keys = !blocks && automaton.is_none() && words > SHORT_ROW;
            let keys = changes_keys.then(|| keys.places(number));
            let printed = print::Printed { words, paired: automaton.is_some(), keys };
            steps.push(print::layout(form, printed, &mut functions));
        }
        let size = functions.instructions();
        if size > MOST_INSTRUCTIONS {
            return Err(Unsupported::Size(size));
        }
        let unrolled = !blocks && most > 0 && forms.len() == 1 && size <= MOST_UNROLLED;
        let queue = (QUEUE_WORDS / (packed + 1) / 32 * 32).clamp(64, 512);
        let mut text = format!(
            "#define WORDS {}\n#define PACKED {packed}\n#define KEYS {}\n#define QUOTIENTS {}\n#define KEY_BITS {}\n#define USES_TIMEOUT {}\n#define LIST_LENGTH {LIST_LENGTH}\n\
             #define USES_BLOCKS {}\n#define BLOCK {}\n#define FAILURES_EACH 8\n#define ATOMS {}\n#define QUEUE {queue}u\n\
             enum {{ MOST_PROCESSES = {most}, UNROLL = {} }};\n",
            keys.words,
            u8::from(!is_row),
            u8::from(is_quotient),
            keys.bits(),
            u8::from(waits),
            u8::from(blocks),
            if blocks { 16 } else { 1 },
            atoms.len(),
            if unrolled { most } else { 1 },
        );
        text.push_str(&automaton.map_or("#define AUTOMATON 0\n".to_owned(), Automaton::tables));
        text.push_str(&rows_and_keys(keys));
        let (before, after) = SEARCH.split_once("\n// ----").unwrap_or((SEARCH, ""));
        text.push_str(before);
        text.push('\n');
        text.push_str(print::OPERATIONS);
        let watching = valuations(&lowering, &layouts, (atoms, words), &mut functions);
        let watching = watching.ok_or(Unsupported::Size(usize::MAX))?;
        text.push_str(&functions.text(size <= MOST_UNROLLED));
        let fixed = semantics.layout().is_fixed();
        text.push_str(&layout_of(&shapes.iter().map(AsRef::as_ref).collect::<Vec<_>>(), words, fixed));
        text.push_str(&dispatch(&forms, &steps));
        text.push_str(&watching);
        text.push_str("// ----");
        text.push_str(after);
        if automaton.is_some() {
            text.push_str(CYCLES);
        }
        let is_product = automaton.is_some();
        Ok(Self {
            text,
            words: keys.words,
            packed,
            table,
            atoms: atoms.len(),
            is_product,
            optimisation: Optimisation::of(size, unrolled),
        })
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

    /// By how many atoms states are told apart.
    #[must_use]
    pub fn atoms(&self) -> usize {
        self.atoms
    }

    /// How much a compiler should optimise it.
    #[must_use]
    pub fn optimisation(&self) -> Optimisation {
        self.optimisation
    }

    /// The kernels in it.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel> {
        let is_product = self.is_product;
        Kernel::ALL.into_iter().filter(move |kernel| is_product || !kernel.is_about_cycles())
    }

    /// What the places of the table hold.
    #[must_use]
    pub fn table(&self) -> TableKind {
        self.table
    }
}

/// The search.
const SEARCH: &str = include_str!("search.cu");
/// The search for runs that go round for ever.
const CYCLES: &str = include_str!("cycles.cu");

/// The words of integers with a sign, the least of which is stored as 0, and their zigzag code.
const ZIGZAG: &str = "\
static __device__ inline unsigned int zigzag(unsigned int word) {
    int value = (int)(word ^ 0x80000000u);
    return (((unsigned int)value << 1) ^ (unsigned int)(value >> 31)) + 1u;
}
static __device__ inline unsigned int unzigzag(unsigned int code) {
    code -= 1u;
    return ((code >> 1) ^ (0u - (code & 1u))) ^ 0x80000000u;
}
";

/// Rows and keys: what makes one of the other.
fn rows_and_keys(keys: &KeyBits) -> String {
    let mut text = format!(
        "{ZIGZAG}struct Row {{\n    unsigned int w[WORDS];\n}};\nstruct Packed {{\n    unsigned int w[{}];\n}};\n",
        keys.packed_words()
    );
    for (number, layout) in keys.layouts.iter().enumerate() {
        pack_layout(&mut text, number, layout, keys.layout_bits());
    }
    let numbers = 0..keys.layouts.len();
    let tries: Vec<String> = numbers.clone().map(|number| format!("pack{number}(row, packed)")).collect();
    let tries = if tries.is_empty() { "false".to_owned() } else { tries.join(" || ") };
    let _ = writeln!(
        text,
        "static __device__ NOINLINE bool pack_any(const Row &row, Packed *packed) {{\n    return {tries};\n}}\n\
         static __device__ inline bool pack(const Row &row, int likely, Packed *packed) {{\n    switch (likely) {{"
    );
    for number in numbers.clone() {
        let _ = writeln!(text, "    case {number}: if (pack{number}(row, packed)) return true; break;");
    }
    let otherwise = if keys.is_fixed { "false" } else { "pack_any(row, packed)" };
    let mask = (1u64 << keys.layout_bits()) - 1;
    let _ = writeln!(
        text,
        "    }}\n    return {otherwise};\n}}\nstatic __device__ inline Row unpack(const Packed &packed, int *layout) {{\n    \
         Row row = {{}};\n    *layout = (int)(packed.w[0] & {mask}u);\n    switch (*layout) {{"
    );
    for number in numbers {
        let _ = writeln!(text, "    case {number}: unpack{number}(packed, &row); break;");
    }
    text.push_str("    }\n    return row;\n}\n");
    text
}

/// The two functions of one layout.
fn pack_layout(text: &mut String, number: usize, layout: &LayoutBits, from: u32) {
    let word = |word: usize| match layout.signed[word] {
        true => format!("zigzag(row.w[{word}])"),
        false => format!("row.w[{word}]"),
    };
    let _ = writeln!(text, "static __device__ inline bool pack{number}(const Row &row, Packed *packed) {{");
    let compared = layout.kept.iter().zip(&layout.fixed).enumerate().filter(|(_, (kept, _))| **kept != u32::MAX);
    let others: Vec<String> =
        compared.map(|(at, (kept, fixed))| format!("(({} ^ {fixed}u) & {}u)", word(at), !kept)).collect();
    if !others.is_empty() {
        let _ = writeln!(text, "    if ({}) return false;", others.join(" | "));
    }
    let _ = writeln!(text, "    *packed = {{}};\n    packed->w[0] = {}u;", to_u32(number));
    let runs = layout.runs(from);
    for run in &runs {
        let mask = u32::MAX >> (32 - run.count);
        let bits = format!("(({} >> {}) & {mask}u)", word(run.word), run.shift);
        let _ = writeln!(text, "    packed->w[{}] |= {bits} << {};", run.at / 32, run.at % 32);
    }
    let _ = writeln!(
        text,
        "    return true;\n}}\nstatic __device__ inline void unpack{number}(const Packed &packed, Row *row) {{"
    );
    for (word, fixed) in layout.fixed.iter().enumerate() {
        let _ = writeln!(text, "    row->w[{word}] = {fixed}u;");
    }
    for run in &runs {
        let mask = u32::MAX >> (32 - run.count);
        let bits = format!("((packed.w[{}] >> {}) & {mask}u)", run.at / 32, run.at % 32);
        let _ = writeln!(text, "    row->w[{}] |= {bits} << {};", run.word, run.shift);
    }
    for word in (0..layout.signed.len()).filter(|&word| layout.signed[word]) {
        let _ = writeln!(text, "    row->w[{word}] = unzigzag(row->w[{word}]);");
    }
    text.push_str("}\n");
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
fn dispatch(forms: &[LayoutForm], steps: &[Vec<String>]) -> String {
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
    for (number, names) in steps.iter().enumerate() {
        let _ = writeln!(text, "    case {number}: switch (pid) {{");
        for (pid, name) in names.iter().enumerate() {
            let _ = writeln!(text, "        case {pid}: return {name}(t, row, timeout);");
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

/// The function that says which atoms hold in a state.
fn valuations(
    lowering: &Lowering<'_, '_>,
    layouts: &[Vec<u32>],
    (atoms, words): (&[ExprId], usize),
    functions: &mut print::Functions,
) -> Option<String> {
    if atoms.is_empty() {
        return Some(String::new());
    }
    let mut text = String::new();
    let mut cases = String::new();
    let seen = print::Printed { words, paired: false, keys: None };
    for (number, processes) in layouts.iter().enumerate() {
        let form = lowering.conditions(processes, atoms)?;
        let names = print::layout(&form, seen, functions);
        let _ = writeln!(cases, "    case {number}:");
        for (at, name) in names.iter().enumerate() {
            let _ = writeln!(cases, "        now = {name}(t, row, 0);");
            let _ = writeln!(cases, "        if (now < 0) return -1;\n        all |= now << {at};");
        }
        cases.push_str("        return all;\n");
    }
    let _ = writeln!(
        text,
        "static __device__ inline int valuation_of(Thread *t, const Row &row, int layout) {{\n    int now, all = 0;\n    \
         switch (layout) {{\n{cases}    }}\n    return -1;\n}}"
    );
    Some(text)
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

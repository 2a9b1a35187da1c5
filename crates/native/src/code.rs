//! The functions of one layout, and how they are called.

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, UserFuncName};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use tertium_base::narrow::to_usize;
use tertium_steps::form::LayoutForm;
use tertium_steps::interpret::{Outcomes, Trapped};
use tertium_steps::machine::{LayoutMachine, Room};

use crate::translate::{FAILED, NOBODY, Translator, table};

/// A form with more instructions than this is not compiled: it would take longer than it saves.
const MOST_INSTRUCTIONS: usize = 150_000;
/// So many words are given for what one call finds; a call that finds more is left to others.
const BUFFER: usize = 1 << 14;

type StepFunction = unsafe extern "C" fn(*const u32, *mut u32, *const u32) -> i64;

/// The functions of one layout.
pub struct NativeLayout {
    form: LayoutForm,
    functions: Vec<StepFunction>,
    /// How many words a row must have for every load to lie inside it.
    words: usize,
    /// What the functions read; they hold its addresses.
    _tables: Vec<Box<[u32]>>,
    /// The memory that the functions lie in.
    module: Option<JITModule>,
}

impl std::fmt::Debug for NativeLayout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NativeLayout").field("processes", &self.form.processes).finish_non_exhaustive()
    }
}

// SAFETY: the module is not used after it is finished, but for freeing its memory by the last owner; functions neither write to
// anything but what they are given, nor keep anything.
#[expect(unsafe_code, reason = "the argument stands above")]
unsafe impl Send for NativeLayout {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "the argument stands above")]
unsafe impl Sync for NativeLayout {}

impl NativeLayout {
    /// Compiles a form; none if this processor is not supported, or the form is too large.
    #[must_use]
    pub fn compile(form: LayoutForm) -> Option<Self> {
        if form.size() > MOST_INSTRUCTIONS {
            return None;
        }
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").ok()?;
        flags.set("is_pic", "false").ok()?;
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let tables: Vec<Box<[u32]>> = form.tables.iter().map(|fields| table(fields)).collect();
        let addresses: Vec<i64> = tables.iter().map(|table| table.as_ptr().addr().cast_signed() as i64).collect();
        let made = define(&mut module, &form, &addresses);
        let functions = made.and_then(|ids| {
            module.finalize_definitions().ok()?;
            Some(ids.into_iter().map(|id| finished(&module, id)).collect())
        });
        // Words that some process's new frame will lie in are looked at too: they are 0.
        let words = longest(&form).max(form.words);
        let mut layout = Self { form, functions: Vec::new(), words, _tables: tables, module: Some(module) };
        layout.functions = functions?;
        Some(layout)
    }
}

fn define(module: &mut JITModule, form: &LayoutForm, addresses: &[i64]) -> Option<Vec<FuncId>> {
    let mut context = module.make_context();
    let mut builders = FunctionBuilderContext::new();
    let mut signature = module.make_signature();
    signature.params.extend([AbiParam::new(I64); 3]);
    signature.returns.push(AbiParam::new(I64));
    let mut ids = Vec::with_capacity(form.steps.len());
    for (pid, steps) in form.steps.iter().enumerate() {
        let id = module.declare_function(&format!("steps{pid}"), Linkage::Local, &signature).ok()?;
        context.func.signature = signature.clone();
        context.func.name = UserFuncName::user(0, id.as_u32());
        let builder = FunctionBuilder::new(&mut context.func, &mut builders);
        Translator::new(builder, steps, &form.tables, addresses).finish(steps, module.target_config());
        module.define_function(id, &mut context).ok()?;
        module.clear_context(&mut context);
        ids.push(id);
    }
    Some(ids)
}

/// The function that was made under this number.
fn finished(module: &JITModule, id: FuncId) -> StepFunction {
    let address = module.get_finalized_function(id);
    // SAFETY: the address is that of a finished function with exactly this signature (`define`), in memory that lives as long as the module.
    #[expect(unsafe_code, reason = "the argument stands above")]
    unsafe {
        std::mem::transmute::<*const u8, StepFunction>(address)
    }
}

/// How many words of a row the instructions of a form speak of.
fn longest(form: &LayoutForm) -> usize {
    use tertium_steps::form::Instruction;
    fn of(block: &[Instruction]) -> usize {
        let word = |instruction: &Instruction| match instruction {
            Instruction::Emit { changes, .. } => changes.last().map_or(0, |&(word, _)| word as usize + 1),
            Instruction::LoadWord { word, .. } => *word as usize + 1,
            Instruction::If { then, otherwise, .. } => of(then).max(of(otherwise)),
            Instruction::Switch { cases, .. } => cases.iter().map(|(_, block)| of(block)).max().unwrap_or(0),
            Instruction::Loop { body, .. } => of(body),
            _ => 0,
        };
        block.iter().map(word).max().unwrap_or(0)
    }
    form.steps.iter().map(|steps| of(&steps.body)).max().unwrap_or(0)
}

impl Drop for NativeLayout {
    fn drop(&mut self) {
        self.functions.clear();
        if let Some(module) = self.module.take() {
            // SAFETY: nobody can call the functions any more: they are called through this value alone, and only while it is borrowed.
            #[expect(unsafe_code, reason = "the argument stands above")]
            unsafe {
                module.free_memory();
            }
        }
    }
}

impl LayoutMachine for NativeLayout {
    fn form(&self) -> &LayoutForm {
        &self.form
    }

    #[inline]
    fn run(&self, pid: usize, row: &[u32], room: &mut Room, found: &mut Outcomes) -> Result<bool, Trapped> {
        let Room { buffer, row: padded, .. } = room;
        if buffer.len() != BUFFER {
            buffer.resize(BUFFER, 0);
        }
        let row = if row.len() < self.words {
            padded.clear();
            padded.extend_from_slice(row);
            padded.resize(self.words, 0);
            padded.as_slice()
        } else {
            row
        };
        let range = buffer.as_mut_ptr_range();
        // SAFETY: the function reads words of the row below `self.words`, as many as it has: those of fields, of tables and of changes of
        // this form alone, for no index lies outside its table. It writes between the two ends of the buffer, to whose bounds it compares
        // before every write. It keeps neither address. That the code is what the form says is what tests compare.
        #[expect(unsafe_code, reason = "the argument stands above")]
        let result = unsafe { self.functions[pid](row.as_ptr(), range.start, range.end) };
        if result < 0 {
            return Err(Trapped);
        }
        let written = to_usize(result >> 1) / 4;
        let mut rest = &buffer[..written];
        while let [holder, count, after @ ..] = rest {
            if *holder == FAILED {
                found.failed.push(*count);
                rest = after;
                continue;
            }
            let (changes, after) = after.split_at(*count as usize * 2);
            found.changes.extend(changes.as_chunks::<2>().0.iter().map(|&[word, value]| (word, value)));
            found.ends.push((found.changes.len(), (*holder != NOBODY).then_some(*holder)));
            rest = after;
        }
        Ok(result & 1 != 0)
    }
}

//! What can be typed after `tertium lsp`?

use clap::Args;

/// What editors get from it.
pub const LSP_NOTE: &str = "\
Editors start this themselves; editors/vscode holds an extension. For .gcl, .pml and .kmts it marks mistakes while you
type, shows types and values, finds and renames names, completes, lays out, and checks properties on request.";

/// Options of `lsp`.
#[derive(Args, Debug)]
pub struct LspArgs {
    /// Talk over standard input and output, which is the only way; some editors say so
    #[arg(long)]
    pub stdio: bool,
}

//! What would someone have meant who knows another language?
//!
//! Words and signs of Promela, `SMV`, TLA+, C and Pascal, and how to say the same here.

use tertium_base::Diagnostic;

use super::Parser;
use crate::lexer::TokenKind;

/// Words that begin declarations elsewhere, and what to write instead.
const DECLARATIONS: &[(&[&str], &str)] = &[
    (
        &["MODULE", "module", "model", "program", "algorithm"],
        "a file begins with `system NAME`; what acts is a `process NAME { … }`",
    ),
    (
        &["proctype", "active", "thread", "task", "PROCESS"],
        "write `process NAME { … }`, or `process NAME[i : 1..3] { … }` for several",
    ),
    (
        &["VAR", "VARIABLE", "VARIABLES", "variable", "variables", "let"],
        "write `var NAME : TYPE`, one declaration for each type",
    ),
    (
        &["CONSTANT", "CONSTANTS", "constant", "define_const"],
        "write `const NAME = VALUE`; `-D NAME=VALUE` gives another value",
    ),
    (&["DEFINE", "macro"], "write `define NAME = EXPRESSION`"),
    (&["INIT", "Init"], "write `init CONDITION`, or give a variable its value: `var x : 0..9 = 0`"),
    (&["ASSIGN", "TRANS", "NEXT", "Next"], "steps are statements of processes: `process P { loop { x := x + 1; } }`"),
    (&["INVARSPEC", "INVAR", "INVARIANT", "INVARIANTS", "Invariant"], "write `invariant NAME : CONDITION`"),
    (
        &["LTLSPEC", "SPECIFICATION", "ltl", "PROPERTY", "PROPERTIES", "never", "claim"],
        "write `property NAME : ltl FORMULA`",
    ),
    (&["CTLSPEC", "SPEC", "ctl"], "write `property NAME : ctl FORMULA`"),
    (&["FAIRNESS", "JUSTICE", "COMPASSION", "fairness", "justice"], "write `fair PROCESS` or `strong fair PROCESS`"),
    (&["invariant"], "write `invariant NAME : CONDITION`"),
    (&["chan"], "write `chan NAME : TYPE capacity 1`"),
    (&["import"], "write `import \"file.gcl\"`"),
    (&["procedure"], "write `procedure NAME(i : 0..3) { … }`"),
    (
        &["assert", "assume", "await"],
        "this is a statement of a process; what always holds is `invariant NAME : CONDITION`",
    ),
    (&["clock"], "there are no clocks; time that is counted in steps is a variable: `var time : nat = 0`"),
    (&["mtype", "enum"], "write `type NAME = {a, b, c}`"),
    (&["typedef", "struct", "record"], "write `type NAME = record { a : 0..3, b : bool }`"),
    (&["inline", "proc", "func", "void", "def"], "write `procedure NAME(i : 0..3) { … }`"),
    (&["channel", "CHAN"], "write `chan NAME : TYPE capacity 1`"),
    (&["EXTENDS", "include", "use", "open"], "write `import \"file.gcl\"`"),
];

/// Names of types elsewhere, and of what is meant.
const TYPES: &[(&str, &str)] = &[
    ("int", "int"),
    ("integer", "int"),
    ("nat", "nat"),
    ("bool", "bool"),
    ("boolean", "bool"),
    ("bit", "0..1"),
    ("byte", "0..255"),
    ("short", "-32768..32767"),
    ("unsigned", "nat"),
];

/// Words that begin or end statements elsewhere.
const STATEMENTS: &[(&[&str], &str)] = &[
    (&["od", "fi", "end", "endif", "done", "begin"], "blocks stand in braces: `loop { … }`, `if e { … } else { … }`"),
    (&["do"], "write `loop { … }`, or `loop { choose { … } or { … } }` for alternatives"),
    (&["break", "continue", "exit"], "leave a loop with `while`, or jump with `goto LABEL`"),
    (&["return"], "a procedure ends at its end; jump there with `goto LABEL`"),
    (&["either", "case", "switch", "select"], "write `choose { … } or { … }`, or `if e { … } else if f { … }`"),
    (&["elif", "elsif", "elseif"], "write `else if e { … }`"),
    (&["unless"], "write `if !e { … }`"),
    (&["repeat"], "write `loop { … }` or `while e { … }`"),
    (&["print", "printf"], "nothing is printed; `tertium simulate -i` shows the values"),
    (&["call"], "write `NAME(…);` alone"),
    (&["with"], "write `x := * in lo..hi;`"),
];

impl Parser<'_> {
    fn sign_ahead(&self, ahead: usize) -> &'static str {
        match self.next_token(ahead).kind {
            TokenKind::Sign(sign) => sign,
            _ => "",
        }
    }

    /// The type that another language means by the word here, if a name follows.
    fn foreign_variable(&self) -> Option<(&'static str, String)> {
        let word = self.text_of(self.token().span);
        let (_, ours) = TYPES.iter().find(|(theirs, _)| *theirs == word)?;
        let next = self.next_token(1);
        (next.kind == TokenKind::Word).then(|| (*ours, self.text_of(next.span).to_owned()))
    }

    /// What to write where a declaration is due.
    pub(super) fn declaration_hint(&self) -> Option<String> {
        if let Some((ty, name)) = self.foreign_variable() {
            return Some(format!("write `var {name} : {ty}`"));
        }
        if self.is_sign(":=") {
            return Some("an initial value stands behind `=`: `var x : 0..9 = 0`".to_owned());
        }
        let word = self.text_of(self.token().span);
        let found = DECLARATIONS.iter().find(|(words, _)| words.contains(&word));
        found.map(|(_, hint)| (*hint).to_owned())
    }

    /// The message for a statement of another language.
    pub(super) fn statement_hint(&self) -> Option<Diagnostic> {
        let token = self.token();
        let word = self.text_of(token.span);
        let says = |hint: String| {
            Diagnostic::error("E0402", format!("expected a statement, found `{word}`"))
                .at(token.span, "expected a statement")
                .help(hint)
        };
        if let Some((ty, name)) = self.foreign_variable() {
            return Some(says(format!("write `var {name} : {ty}` at the beginning of the process")));
        }
        let own = matches!(self.sign_ahead(1), ":=" | "+=" | "-=" | "," | "[" | "." | "!" | "?" | "(" | "=" | "==");
        let found = STATEMENTS.iter().find(|(words, _)| words.contains(&word) && !own)?;
        Some(says(found.1.to_owned()))
    }

    /// What to write where `due` is.
    pub(super) fn neighbour_hint(&self, due: &str) -> Option<&'static str> {
        let word = self.text_of(self.token().span);
        let signs = (self.sign_ahead(0), self.sign_ahead(1));
        match (signs, word) {
            ((":=", _), _) => Some("`:=` assigns, in statements; declarations and comparisons have `=`"),
            (("+", "+"), _) => Some("write `x += 1`"),
            (("-", "-"), _) => Some("write `x -= 1`"),
            (("*" | "/" | "%", "="), _) if due == "`:=`" => Some("write it out: `x := x * 2`"),
            ((":", _), _) if due == "`)`" => Some("a range is counted through by `for i in 1..3 { … }`"),
            ((":", ":"), _) => Some("alternatives are `choose { … } or { … }`"),
            (("?", _), _) => Some("a condition inside of an expression is `if c then a else b`"),
            (("<", _), _) if due == "an expression" => Some("`=<` is written `<=`"),
            ((">", _), _) if due == "an expression" => Some("`<>` is written `!=`, and `=>` in comparisons `>=`"),
            (("=", _), _) if due == "`:`" => Some("a variable has a type: `var x : 0..9 = 0`"),
            (_, "do") => Some("a block follows at once: `while e { … }`; `do` belongs to `when e do x := f`"),
            (_, "then") => Some("a block follows at once: `if e { … } else { … }`"),
            _ => None,
        }
    }
}

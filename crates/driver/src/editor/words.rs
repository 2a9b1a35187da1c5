//! Which words of a text are no names, and what do they mean?
//!
//! [`words`] finds the words outside of comments and quotes, for every language in the same way. Of each word of a language [`meaning`] has a line with its
//! syntax and one that says what it does.

use tertium_base::Span;

use super::TextKind;

/// The words of a text that are outside of comments and quotes, in order.
#[must_use]
pub fn words(kind: TextKind, text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        at += if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            found.push(Span::new(at, at + length));
            length
        } else if first.is_ascii_digit() {
            // Not a word, whatever follows.
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else {
            skipped(kind, rest).unwrap_or(first.len_utf8())
        };
    }
    found
}

/// The length of the comment or quote with which a text begins.
fn skipped(kind: TextKind, text: &str) -> Option<usize> {
    let line = || Some(text.find('\n').unwrap_or(text.len()));
    match kind {
        TextKind::Kmts if text.starts_with('#') => line(),
        TextKind::Gcl | TextKind::Promela if text.starts_with("//") => line(),
        TextKind::Gcl | TextKind::Promela if text.starts_with("/*") => {
            Some(text.find("*/").map_or(text.len(), |end| end + 2))
        }
        _ if text.starts_with('"') => {
            // A quote ends in its line, closed or not.
            let inside = &text[1..];
            Some(inside.find(['"', '\n']).map_or(text.len(), |end| end + 2))
        }
        _ => None,
    }
}

/// The syntax and the meaning of a word of a language, or of an operator of temporal logic.
#[must_use]
pub fn meaning(kind: TextKind, word: &str) -> Option<(&'static str, &'static str)> {
    let own = match kind {
        TextKind::Gcl => GCL,
        TextKind::Promela => PROMELA,
        TextKind::Kmts => KMTS,
    };
    let arrows = if kind == TextKind::Kmts { ARROWS } else { &[] };
    own.iter().chain(arrows).find(|(known, ..)| *known == word).map(|&(_, syntax, what)| (syntax, what))
}

/// The same of an operator of temporal logic, which is one in formulas alone.
#[must_use]
pub fn operator(word: &str) -> Option<(&'static str, &'static str)> {
    OPERATORS.iter().find(|(known, ..)| *known == word).map(|&(_, syntax, what)| (syntax, what))
}

type Entry = (&'static str, &'static str, &'static str);

const OPERATORS: &[Entry] = &[
    ("A", "A path formula", "on all paths"),
    ("AF", "AF p", "on all paths `p` comes to hold"),
    ("AG", "AG p", "`p` holds in all states that can be reached"),
    ("AX", "AX p", "`p` holds after every step"),
    ("E", "E path formula", "on some path"),
    ("EF", "EF p", "a state with `p` can be reached"),
    ("EG", "EG p", "on some path `p` holds for ever"),
    ("EX", "EX p", "`p` holds after some step"),
    ("F", "F p", "eventually: now or later `p` holds"),
    ("G", "G p", "always: now and ever after `p` holds"),
    ("M", "p M q", "strong release: `q` holds up to and with the state where `p` does, and there is one"),
    ("R", "p R q", "release: `q` holds up to and with the state where `p` does, or for ever"),
    ("U", "p U q", "until: `q` comes to hold, and `p` holds until then"),
    ("W", "p W q", "weak until: `p` holds until `q` does, or for ever"),
    ("X", "X p", "next: `p` holds in the next state"),
    ("mu", "mu Z . f", "the least fixpoint: what can be shown in finitely many rounds"),
    ("nu", "nu Z . f", "the greatest fixpoint: what can be kept up for ever"),
];

const GCL: &[Entry] = &[
    ("and", "p and q", "both hold; also `&&`"),
    ("array", "array lo..hi of T", "one cell for every index"),
    ("assert", "assert e", "a step that is a mistake where `e` does not hold"),
    ("assume", "assume e", "the same as `await`: the step is possible only while `e` holds"),
    ("atomic", "atomic { … }", "one step: no other process steps in between"),
    ("await", "await e", "waits: the step is possible only while `e` holds"),
    ("bits", "var x : bits[8]", "numbers of so many bits that wrap around; `bits(e, 8)` is what remains of a number"),
    ("bool", "var b : bool", "`true` or `false`"),
    ("capacity", "chan c : T capacity n", "how many messages a channel holds"),
    ("card", "card(s)", "how many elements a set has"),
    ("chan", "chan c : T capacity n", "a channel: `c ! e` sends, `c ? x` receives the oldest message"),
    ("choose", "choose { … } or { … }", "one of the branches that are possible, whichever"),
    (
        "compassion",
        "compassion (p, q)",
        "strong fairness: runs on which `p` holds again and again count only if `q` does, too",
    ),
    ("const", "const N = 3", "a fixed value; `-D N=5` gives another one, and `const N >= 2` leaves it open"),
    ("count", "count i in lo..hi : e", "for how many values of `i` the condition holds"),
    ("deadlock", "deadlock", "true where no process can step although not all are at their ends"),
    ("define", "define name = e", "a name for an expression"),
    ("div", "a div b", "the quotient, rounded down"),
    ("do", "when e do x := f", "what happens in the same step"),
    ("else", "if e { … } else { … }", "what is done, or the value, where the condition does not hold"),
    ("environment", "environment P, scheduler", "processes that play against the rest in games"),
    ("exists", "exists i in lo..hi : e", "the condition holds for some value of `i`"),
    ("fair", "fair P", "weak fairness: a process that could always step does so in the end"),
    ("false", "false", "the truth value"),
    ("for", "for i in lo..hi { … }", "the statements once for every value, in order"),
    ("forall", "forall i in lo..hi : e", "the condition holds for all values of `i`"),
    ("function", "function f(int) : int", "a function of which nothing is known but that it is one"),
    ("goto", "goto label", "goes on at a label of the same process"),
    ("if", "if e { … } else { … }", "the first branch whose condition holds; as a value, `if e then a else b`"),
    ("import", "import \"file.gcl\"", "puts the declarations of another file beside those of this one"),
    ("in", "in lo..hi", "the values of a range, or of a set"),
    ("init", "init e", "what holds of the initial states besides the variables' initial values"),
    ("int", "var x : int", "all whole numbers"),
    ("invariant", "invariant name : e", "a property, `AG e`, and a hint for the abstraction at once"),
    ("keep", "keep x", "the abstraction keeps the values of this variable"),
    ("len", "len(c)", "how many messages are in a channel"),
    ("loop", "loop { … }", "again and again, for ever"),
    ("max", "max i in lo..hi : e", "the largest value; `max(a, b)` of two"),
    ("min", "min i in lo..hi : e", "the smallest value; `min(a, b)` of two"),
    ("mod", "a mod b", "the remainder, never negative"),
    ("nat", "var x : nat", "all whole numbers from 0 on"),
    ("not", "not p", "`p` does not hold; also `!`"),
    ("of", "array lo..hi of T", "what the cells hold, or what a set has for elements"),
    ("or", "p or q", "at least one holds; also `||`. Behind `choose { … }`: another branch"),
    ("predicate", "predicate p = e", "a condition that the abstraction looks at"),
    ("procedure", "procedure name(x : T) { … }", "statements that are put in wherever they are called"),
    ("process", "process P { … }", "a process; `process P[i : 1..N] { … }` is one for every index"),
    ("property", "property name : ltl formula", "a question: `ltl`, `ctl`, `ctl*`, `mu`, `pml`, `atl` or `atl*`"),
    ("record", "record { a : T, b : U }", "values with fields, written `name(…)` and read `x.a`"),
    ("set", "set of lo..hi", "which of the numbers are in it: `{1, 2}`, `s + {x}`, `x in s`"),
    ("skip", "skip", "a step that changes nothing"),
    ("spotlight", "spotlight P, Q", "processes that the abstraction keeps apart from the others"),
    ("stop", "stop", "goes to the end of the process"),
    ("strong", "strong fair P", "strong fairness: a process that could step again and again does so again and again"),
    ("sum", "sum i in lo..hi : e", "the values of `e` for all `i`, added up"),
    ("system", "system name", "the name of the whole; the first line of a file"),
    ("then", "if e then a else b", "the value where the condition holds"),
    ("true", "true", "the truth value"),
    ("type", "type name = T", "a name for a type: a range, an enumeration, an array, a record, a set"),
    ("var", "var x : 0..7 = 0", "a variable; without an initial value it begins with any"),
    ("when", "when e do x := f", "a step that is possible only while `e` holds"),
    ("while", "while e { … }", "again as long as the condition holds"),
];

/// Words inside of the arrows of a structure.
const ARROWS: &[Entry] = &[
    ("hyper", "s -hyper-> {t, u}", "certainly one of these steps exists"),
    ("may", "s -may-> t", "a step that may exist, or not"),
    ("must", "s -must-> t", "a step that certainly exists"),
];

const KMTS: &[Entry] = &[
    ("actions", "actions a, b", "the actions that steps may have"),
    ("fair", "fair p", "fairness: on the paths that count, states with `p` come again and again"),
    ("init", "init s", "where the structure begins"),
    ("lattice", "lattice NAME", "the truth values, where they are not true, false and unknown"),
    ("mixed", "mixed", "certain steps that are not possible are meant"),
    ("owner", "owner s, t = environment", "which player chooses the steps of these states"),
    ("params", "params x, y", "conditions on which labels and steps may depend"),
    ("property", "property name : ctl formula", "a question: `ctl`, `ltl`, `ctl*`, `mu`, `pml`, `atl` or `atl*`"),
    ("props", "props p, q", "the propositions"),
    ("state", "state s p: t, q: ?", "a state and the values of its propositions: `t`, `f` or `?`"),
    ("strict", "strict", "certain steps that are not possible are an error"),
    ("total", "total", "every concrete state has a successor"),
];

const PROMELA: &[Entry] = &[
    ("D_proctype", "D_proctype P() { … }", "a process type that must be deterministic"),
    ("active", "active [n] proctype P() { … }", "so many processes run from the start"),
    ("assert", "assert(e)", "a mistake where `e` does not hold"),
    ("atomic", "atomic { … }", "no other process steps in between, unless a statement waits"),
    ("bit", "bit b", "0 or 1"),
    ("bool", "bool b", "`true` or `false`"),
    ("break", "break", "leaves the innermost `do`"),
    ("byte", "byte b", "0 to 255"),
    ("c_code", "c_code { … }", "C inside of Promela, which is not read"),
    ("c_decl", "c_decl { … }", "C inside of Promela, which is not read"),
    ("c_expr", "c_expr { … }", "C inside of Promela, which is not read"),
    ("c_state", "c_state \"…\"", "C inside of Promela, which is not read"),
    ("c_track", "c_track \"…\"", "C inside of Promela, which is not read"),
    ("chan", "chan c = [n] of { T }", "a channel for `n` messages; with `[0]` sender and receiver meet"),
    ("d_step", "d_step { … }", "one step, deterministic"),
    ("do", "do :: … od", "again and again one of the options that are possible"),
    ("else", ":: else -> …", "possible where no other option is"),
    ("empty", "empty(c)", "there is no message in the channel"),
    ("enabled", "enabled(pid)", "the process with this number can step"),
    ("eval", "c ? eval(x)", "receives only a message with this value"),
    ("false", "false", "0"),
    ("fi", "if :: … fi", "the end of a selection"),
    ("for", "for (i : 1 .. n) { … }", "the statements once for every value, in order"),
    ("full", "full(c)", "the channel holds as many messages as it can"),
    ("get_priority", "get_priority(pid)", "the priority of a process"),
    ("goto", "goto label", "goes on at a label of the same process"),
    ("hidden", "hidden byte b", "a variable that is no part of the state"),
    ("if", "if :: … fi", "one of the options that are possible"),
    ("init", "init { … }", "the first process"),
    ("inline", "inline name(x) { … }", "statements that are put in wherever they are called"),
    ("int", "int x", "32 bits, with a sign"),
    ("len", "len(c)", "how many messages are in the channel"),
    ("local", "local byte b", "a variable that only one process uses"),
    ("ltl", "ltl name { formula }", "a linear property: `[]` always, `<>` eventually, `U` until, `X` next"),
    ("mtype", "mtype = { a, b }", "symbolic names"),
    ("nempty", "nempty(c)", "there is a message in the channel"),
    ("never", "never { … }", "an automaton: a run that it accepts is a mistake"),
    ("nfull", "nfull(c)", "there is room for a message in the channel"),
    ("notrace", "notrace { … }", "events on channels that must not happen in this order"),
    ("np_", "np_", "true where no process is at a progress label"),
    ("od", "do :: … od", "the end of a repetition"),
    ("of", "chan c = [n] of { T }", "what a message is"),
    ("pc_value", "pc_value(pid)", "at which location a process is"),
    ("pid", "pid p", "the number of a process"),
    ("printf", "printf(\"%d\", x)", "shows a text in runs"),
    ("printm", "printm(x)", "shows a symbolic name in runs"),
    ("priority", "run P() priority n", "processes with the highest priority step first"),
    ("proctype", "proctype P(byte x) { … }", "a process type; `run P(1)` starts one"),
    ("provided", "proctype P() provided (e)", "the process steps only while `e` holds"),
    ("return", "return x", "the result of an inline"),
    ("run", "run P(…)", "starts a process; its value is the number of it"),
    ("select", "select(i : 1 .. n)", "any value of the range"),
    ("set_priority", "set_priority(pid, n)", "changes the priority of a process"),
    ("short", "short x", "16 bits, with a sign"),
    ("show", "show byte b", "a variable that is shown in runs"),
    ("skip", "skip", "a step that changes nothing"),
    ("timeout", "timeout", "possible where nothing else in the system is"),
    ("trace", "trace { … }", "the order in which events on channels must happen"),
    ("true", "true", "1"),
    ("typedef", "typedef T { byte a; bool b }", "a type with fields"),
    ("unless", "{ … } unless { … }", "the second part takes over as soon as it is possible"),
    ("unsigned", "unsigned x : 5", "so many bits, without a sign"),
    ("xr", "xr c", "only this process receives from the channel"),
    ("xs", "xs c", "only this process sends to the channel"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_language_has_a_meaning_and_no_other() {
        for kind in [TextKind::Gcl, TextKind::Promela, TextKind::Kmts] {
            let words = || kind.keywords().iter().chain(kind.soft_words());
            for word in words() {
                assert!(meaning(kind, word).is_some(), "{kind:?}: {word}");
            }
            let table = match kind {
                TextKind::Gcl => GCL,
                TextKind::Promela => PROMELA,
                TextKind::Kmts => KMTS,
            };
            assert!(table.is_sorted_by_key(|entry| entry.0), "{kind:?}");
            for (word, ..) in table {
                assert!(words().any(|known| known == word), "{kind:?}: {word}");
            }
        }
    }

    #[test]
    fn comments_quotes_and_numbers_are_no_words() {
        let found = |kind, text: &'static str| -> Vec<&str> {
            words(kind, text).into_iter().map(|span| &text[span.start..span.end]).collect()
        };
        assert_eq!(found(TextKind::Gcl, "var x1 // var y\n/* z */ = 2x \"no\" größe \"open"), ["var", "x1", "größe"]);
        assert_eq!(found(TextKind::Kmts, "state s # init\ns -may-> t"), ["state", "s", "s", "may", "t"]);
        assert_eq!(found(TextKind::Promela, "/* open"), [""; 0]);
    }
}

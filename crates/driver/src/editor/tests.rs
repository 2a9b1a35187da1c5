//! Names are found where they stand, and renaming keeps meanings.

use tertium_base::SymbolKind;

use super::{TextKind, analyse, complete, format, rename};

/// The text without its mark `|`, and where the mark stood.
fn marked(text: &str) -> (String, usize) {
    let at = text.find('|').unwrap_or_else(|| panic!("no mark in {text}"));
    (format!("{}{}", &text[..at], &text[at + 1..]), at)
}

#[track_caller]
fn renamed(kind: TextKind, text: &str, new: &str) -> Result<String, String> {
    let (text, at) = marked(text);
    let analysis = analyse(kind, "test", &text);
    match rename(&analysis, "test", &text, at, new) {
        Ok(places) => Ok(super::rename::replaced(&text, &places, new)),
        Err(refusal) => Err(refusal.code.to_owned()),
    }
}

const GCL: &str = "system s
const N = 2
type Colour = {red, green}
var x : 0..N = 0
var c : Colour = red
define high = x >= N
predicate low : x < 1
process P[i : 1..2] {
  var x : int = i
  loop { here: x := x + i; c := green; goto here; }
}
process Q { var z : bool = false  loop { await P[1].x > 0 && P[2]@here; z := high; } }
keep P.x
fair Q
property safe : ctl AG (x <= N && !(P[1]@here && \"x > 3\") -> c = red || low || x <= N)
";

#[test]
fn every_name_of_a_program_is_found() {
    let analysis = analyse(TextKind::Gcl, "test.gcl", GCL);
    assert!(analysis.messages.iter().all(|message| !message.diagnostic.is_error()), "{:?}", analysis.messages);
    let names = &analysis.names;
    let count = |name: &str, kind: SymbolKind| {
        let at = names.symbols().iter().position(|symbol| symbol.name == name && symbol.kind == kind);
        at.map(|at| names.places(at).len())
    };
    assert_eq!(count("N", SymbolKind::Constant), Some(5), "declaration, type, definition and twice in the property");
    assert_eq!(count("x", SymbolKind::Variable), Some(6), "declaration, definition, predicate, thrice in the property");
    assert_eq!(count("x", SymbolKind::Local), Some(5), "declaration, assignment, `P[1].x` and `keep`");
    assert_eq!(count("i", SymbolKind::Parameter), Some(3));
    assert_eq!(count("here", SymbolKind::Label), Some(4));
    assert_eq!(count("P", SymbolKind::Process), Some(5));
    assert_eq!(count("Colour", SymbolKind::Type), Some(2));
    assert_eq!(count("red", SymbolKind::Member), Some(3));
    assert_eq!(count("low", SymbolKind::Predicate), Some(2));
    assert_eq!(count("high", SymbolKind::Definition), Some(2));
    assert_eq!(count("Q", SymbolKind::Process), Some(2));
    let notes = |name: &str| &names.symbols().iter().find(|symbol| symbol.name == name).unwrap().notes;
    assert_eq!(*notes("N"), ["value 2"]);
    assert_eq!(*notes("high"), ["type bool"]);
    assert_eq!(notes("safe")[0], "ctl formula about all paths");
}

#[test]
fn renaming_a_variable_leaves_what_hides_it_alone() {
    let text = GCL.replace("var x : 0..N", "var |x : 0..N");
    let changed = renamed(TextKind::Gcl, &text, "level").unwrap();
    assert!(changed.contains("var level : 0..N = 0"), "{changed}");
    assert!(changed.contains("here: x := x + i"), "{changed}");
    assert!(changed.contains("level <= N && !(P[1]@here && \"level > 3\")"), "{changed}");
    let count = |text: &str| analyse(TextKind::Gcl, "t", text).names.uses().len();
    assert_eq!(count(&changed), count(GCL));
}

#[test]
fn renaming_is_refused_where_meanings_would_change() {
    let at = |from: &str, to: &str| GCL.replacen(from, to, 1);
    // The local would hide the global variable that is read in the same process.
    assert_eq!(renamed(TextKind::Gcl, &at("var x : int", "var |x : int"), "c"), Err("E0382".to_owned()));
    // Two globals of one name.
    assert_eq!(renamed(TextKind::Gcl, &at("const N", "const |N"), "c"), Err("E0382".to_owned()));
    // An operator of the logic.
    assert_eq!(renamed(TextKind::Gcl, &at("var c", "var |c"), "AG"), Err("E0382".to_owned()));
    assert_eq!(renamed(TextKind::Gcl, &at("var c", "var |c"), "while"), Err("E0381".to_owned()));
    assert_eq!(renamed(TextKind::Gcl, &at("var c", "var |c"), "a b"), Err("E0381".to_owned()));
    assert_eq!(renamed(TextKind::Gcl, &at("system s", "sys|tem s"), "c"), Err("E0380".to_owned()));
    assert!(renamed(TextKind::Gcl, &at("here:", "|here:"), "end").is_ok(), "no special labels in guarded commands");
}

const PROMELA: &str = "#define BUSY (turn == 1)
mtype = { req, ack }
typedef Msg { byte kind; byte body }
chan q = [2] of { mtype, byte };
byte turn = 0;
inline take(who) { BUSY -> turn = who }
active [2] proctype P() {
  byte mine = 0;
  Msg m;
again:
  do
  :: take(mine); m.body = mine; q!req(m.body)
  :: q?ack(mine) -> goto again
  od
}
active proctype Q() { byte mine; q?req(mine); q!ack(mine) }
ltl fine { [] (turn <= 2 && (P[0]@again -> BUSY || !BUSY)) }
";

#[test]
fn names_behind_macros_and_inlines_are_found() {
    let analysis = analyse(TextKind::Promela, "test.pml", PROMELA);
    assert!(!analysis.is_broken(), "{:?}", analysis.messages);
    let changed = renamed(TextKind::Promela, &PROMELA.replacen("byte turn", "byte |turn", 1), "owner").unwrap();
    assert!(!changed.contains("turn"), "{changed}");
    assert!(changed.contains("#define BUSY (owner == 1)"), "{changed}");
    // The first of two variables of one name, also as an argument of an inline.
    let changed = renamed(TextKind::Promela, &PROMELA.replacen("byte mine", "byte |mine", 1), "own").unwrap();
    assert!(changed.contains(":: take(own); m.body = own;"), "{changed}");
    assert!(changed.contains("Q() { byte mine; q?req(mine)"), "{changed}");
    let changed =
        renamed(TextKind::Promela, &PROMELA.replacen("kind; byte body", "kind; byte |body", 1), "data").unwrap();
    assert!(changed.contains("m.data = mine; q!req(m.data)"), "{changed}");
    let changed = renamed(TextKind::Promela, &PROMELA.replacen("define BUSY", "define |BUSY", 1), "HELD").unwrap();
    assert!(!changed.contains("BUSY"), "{changed}");
    let changed = renamed(TextKind::Promela, &PROMELA.replacen("take(who)", "take(|who)", 1), "whom").unwrap();
    assert!(changed.contains("inline take(whom) { BUSY -> turn = whom }"), "{changed}");
    let changed = renamed(TextKind::Promela, &PROMELA.replacen("again:", "|again:", 1), "retry").unwrap();
    assert!(changed.contains("P[0]@retry"), "{changed}");
    let to_end = renamed(TextKind::Promela, &PROMELA.replacen("again:", "|again:", 1), "end_here");
    assert_eq!(to_end, Err("E0382".to_owned()), "labels that begin with `end` are special");
    let clash = renamed(TextKind::Promela, &PROMELA.replacen("byte mine", "byte |mine", 1), "turn");
    assert_eq!(clash, Err("E0382".to_owned()));
}

const KMTS: &str = "# a door
props open, lit
params x1
state shut  open: f, lit: ?
state up    open: t, lit: x1
init shut
shut -must:go-> up
up   -hyper->   {shut, up}
fair {shut -go-> up}
property opens : ctl AG (open -> EF (!open && \"lit\"))
property steps : mu <go> open
";

#[test]
fn names_of_structures_are_found_in_formulas_too() {
    let changed = renamed(TextKind::Kmts, &KMTS.replacen("props open", "props |open", 1), "raised").unwrap();
    assert!(!changed.contains("open "), "{changed}");
    assert!(changed.contains("property opens : ctl AG (raised -> EF (!raised && \"lit\"))"), "{changed}");
    assert!(changed.contains("mu <go> raised"), "{changed}");
    let changed = renamed(TextKind::Kmts, &KMTS.replacen("must:go", "must:|go", 1), "move").unwrap();
    assert!(changed.contains("-must:move->") && changed.contains("<move>") && changed.contains("-move->"), "{changed}");
    let changed = renamed(TextKind::Kmts, &KMTS.replacen("state shut", "state |shut", 1), "closed").unwrap();
    assert!(changed.contains("{closed, up}") && changed.contains("init closed"), "{changed}");
    let changed = renamed(TextKind::Kmts, &KMTS.replacen("params x1", "params |x1", 1), "y").unwrap();
    assert!(changed.contains("lit: y"), "{changed}");
    assert_eq!(renamed(TextKind::Kmts, &KMTS.replacen("state shut", "state |shut", 1), "up"), Err("E0382".to_owned()));
    assert_eq!(
        renamed(TextKind::Kmts, &KMTS.replacen("state shut", "state |shut", 1), "init"),
        Err("E0381".to_owned())
    );
}

#[test]
fn what_can_be_written_depends_on_the_place() {
    let labels = |kind: TextKind, text: &str| -> Vec<String> {
        let (text, at) = marked(text);
        let found = complete(&analyse(kind, "test", &text), &text, at);
        found.into_iter().map(|completion| completion.label).collect()
    };
    assert_eq!(labels(TextKind::Gcl, &GCL.replacen("P[2]@here", "P[2]@|here", 1)), ["here"]);
    assert_eq!(labels(TextKind::Gcl, &GCL.replacen("P[1].x", "P[1].|x", 1)), ["i", "x"]);
    assert_eq!(labels(TextKind::Gcl, &GCL.replacen("goto here", "goto |here", 1)), ["here"]);
    let inside = labels(TextKind::Gcl, &GCL.replacen("z := high", "z := |high", 1));
    assert!(["z", "x", "high", "green", "P", "true"].iter().all(|name| inside.iter().any(|known| known == name)));
    assert!(!inside.iter().any(|known| known == "i" || known == "here"), "{inside:?}");
    assert!(labels(TextKind::Gcl, &GCL.replacen("AG (x", "AG |(x", 1)).contains(&"EF".to_owned()));
    assert_eq!(labels(TextKind::Promela, &PROMELA.replacen("m.body", "m.|body", 1)), ["body", "kind"]);
    assert!(labels(TextKind::Kmts, &KMTS.replacen("AG (open", "AG (|open", 1)).contains(&"lit".to_owned()));
    assert!(labels(TextKind::Kmts, "# a |b\n").is_empty());
}

#[test]
fn laying_out_a_structure_changes_blanks_only() {
    let text =
        "props p   \n\n\n\nstate a p: t\nstate long p: f\na -must-> long # why\na -may-> a\nlong   -must->   a\n\n";
    let neat = format(TextKind::Kmts, "t", text).unwrap().unwrap();
    let wanted = "props p\n\nstate a    p: t\nstate long p: f\na -must-> long # why\na    -may->  a\nlong -must-> a\n";
    assert_eq!(neat, wanted);
    assert_eq!(format(TextKind::Kmts, "t", &neat).unwrap().unwrap(), neat);
    assert_eq!(format(TextKind::Promela, "t", "x").unwrap(), None);
}

#[test]
fn any_prefix_of_a_text_has_names() {
    for (kind, text) in [(TextKind::Gcl, GCL), (TextKind::Promela, PROMELA), (TextKind::Kmts, KMTS)] {
        for end in (0..text.len()).step_by(3) {
            let part = &text[..end];
            let analysis = analyse(kind, "test", part);
            for at in [0, end / 2, end] {
                let _ = complete(&analysis, part, at);
                let _ = rename(&analysis, "test", part, at, "fresh");
            }
        }
    }
}

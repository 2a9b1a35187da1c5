//! What is read, what is refused, and with which words?

use tertium_program::{Action, Fairness, InitialValue, Program};
use tertium_smv::{Addition, compile};

fn program(text: &str) -> Program {
    let compiled = compile(text, &[]);
    compiled.program.unwrap_or_else(|| panic!("{:#?}\n{text}", compiled.diagnostics))
}

fn codes(text: &str) -> Vec<&'static str> {
    let compiled = compile(text, &[]);
    assert!(compiled.program.is_none(), "accepted: {text}");
    compiled.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn mistakes_have_their_codes() {
    let main = |rest: &str| format!("MODULE main\n{rest}");
    for (text, code) in [
        (main("VAR x : boolean; ASSIGN next(x) := § ;"), "E0700"),
        (main("/-- x"), "E0701"),
        (main("VAR x : 0..99999999999999999999;"), "E0702"),
        (main("VAR x : boolean"), "E0703"),
        (main("PSLSPEC TRUE"), "E0704"),
        (main("VAR x : real;"), "E0704"),
        (main("VAR x : unsigned word[40];"), "E0704"),
        (main(&format!("INIT {}TRUE{}", "(".repeat(300), ")".repeat(300))), "E0705"),
        (main("VAR x : boolean; x : boolean;"), "E0706"),
        ("MODULE other\n".to_owned(), "E0707"),
        ("MODULE main(x)\n".to_owned(), "E0708"),
        (main("VAR x : 3..1;"), "E0710"),
        (main("VAR x : nothing(1);"), "E0711"),
        ("MODULE a VAR x : a;\nMODULE main VAR y : a;".to_owned(), "E0712"),
        ("MODULE a(x)\nMODULE main VAR y : a(1, 2);".to_owned(), "E0713"),
        (main("VAR y : boolean; x : 0..y;"), "E0714"),
        (main("DEFINE a := b; b := a; INIT a"), "E0716"),
        (main("VAR x : boolean; y : boolean; ASSIGN next(x) := next(y); next(y) := next(x);"), "E0716"),
        (main("VAR x : array 0..1 of boolean; INIT x"), "E0718"),
        (main("VAR x : boolean; INIT next(x)"), "E0719"),
        (main("VAR x : 0..3; INIT (EX x = 1) = 3 + 1"), "E0720"),
        (main("VAR x : 0..3; INIT x & TRUE"), "E0721"),
        (main("VAR x : unsigned word[4]; INIT x = 0ud4_16"), "E0722"),
        (main("VAR x : 0..3; INIT x-1 = 0"), "E0723"),
        (main("VAR x : array 0..1 of boolean; INIT x[2]"), "E0724"),
        (main("IVAR i : boolean; VAR x : {a, b}; ASSIGN init(x) := i ? a : b;"), "E0725"),
        (main("VAR x : 0..3; ASSIGN init(x) := 4;"), "E0726"),
        (main("IVAR x : boolean; ASSIGN next(x) := TRUE;"), "E0727"),
        (main("VAR x : boolean; ASSIGN init(x) := TRUE; x := FALSE;"), "E0728"),
        (main("IVAR i : 0..3; VAR x : boolean; ASSIGN next(x) := case i = 0 : TRUE; esac;"), "E0729"),
        (main("VAR x : boolean; LTLSPEC AG x"), "E0730"),
    ] {
        assert!(codes(&text).contains(&code), "{code} for {text}: {:?}", codes(&text));
    }
}

#[test]
fn names_for_values_need_no_place() {
    let read = program(
        "MODULE main VAR x : 0..3; even : boolean; other : 0..1;
         ASSIGN init(x) := 0; next(x) := even ? x + 1 : x - 1; even := x mod 2 = 0; other := x;
         INVARSPEC even | other = 1",
    );
    let names: Vec<&str> = read.variables.iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["x", "other"], "`other` may leave its range, `even` cannot");
    assert_eq!(read.variables[0].initial, InitialValue::Same(0));
}

#[test]
fn processes_take_turns() {
    let read = program(
        "MODULE p(x) ASSIGN next(x) := !x; FAIRNESS running
         MODULE main VAR x : boolean; y : boolean; a : process p(x); b : process p(y);",
    );
    assert_eq!(read.instances.len(), 3, "`main` is one of them");
    assert_eq!(read.processes[1].fairness, Fairness::Weak);
    let written = |at: usize| matches!(&read.steps[at].action, Action::Assign(assigns) if assigns.len() == 1);
    assert!(written(1) && written(2) && !written(0));
}

#[test]
fn formulas_from_outside_are_read_like_those_inside() {
    let text = "MODULE main VAR x : 0..3;";
    let ask = |text: &str| Addition::Property { name: "p".to_owned(), linear: None, text: text.to_owned() };
    let compiled = compile(text, &[ask("AG x = 1"), Addition::Predicate("x < 2".to_owned())]);
    let read = compiled.program.expect("no mistakes");
    assert_eq!((read.properties[0].logic.as_str(), read.predicates.len()), ("ctl", 1));
    let compiled = compile(text, &[ask("G y = 1")]);
    assert!(compiled.program.is_none());
    let place = compiled.additions[0][0].primary.as_ref().map(|label| label.span);
    assert_eq!(place.map(|span| (span.start, span.end)), Some((2, 3)));
}

#[test]
fn a_case_that_may_not_be_complete_is_asked_about() {
    let whole = program("MODULE main VAR x : 0..2; ASSIGN next(x) := case x = 0 : 1; x = 1 : 2; x = 2 : 0; esac;");
    assert!(whole.properties.is_empty(), "all values are there");
    let open = program("MODULE main VAR x : integer; ASSIGN next(x) := case x > 0 : 1; x < 0 : 2; esac;");
    assert_eq!(open.properties.len(), 1);
    assert_eq!(open.properties[0].name, "case_line_1");
}

#[test]
fn nothing_panics_on_pieces_of_models() {
    let text = "MODULE main VAR x : {a, 1, b}; w : signed word[4]; i : array 0..2 of 0..3; p : process q(self, x);
        ASSIGN next(x) := case w[1:0] = 0b2_01 : {a, b} union 1; TRUE : x; esac; i[0] := count(x = a, TRUE);
        TRANS next(w) = (w << 1) + resize(0sd4_-3, 4) -> i[i[1]] in {1, 2} FAIRNESS x = a
        LTLSPEC G (x = a S Y x = b) -> F[0,2] x = 1 CTLSPEC E[x = a BU 0..3 x = b] MODULE q(m, y) INVAR m.x = y";
    let words: Vec<&str> = text.split_inclusive([' ', '(', ')', ';', ':', '[', ']']).collect();
    for skip in 0..words.len() {
        let without: String = words.iter().enumerate().filter(|(at, _)| *at != skip).map(|(_, word)| *word).collect();
        let _ = compile(&without, &[]);
        let _ = compile(&words[..skip].concat(), &[]);
    }
}

#[test]
fn truth_values_of_older_models_are_numbers() {
    let cell = "MODULE cell(carry)\nVAR value : boolean;\n\
        ASSIGN init(value) := 0; next(value) := (value + carry) mod 2;\nDEFINE out := value & carry;\n\
        MODULE main\nVAR a : cell(1); b : cell(a.out); n : 0..1; m : 0..7;\n\
        ASSIGN init(n) := a.value; next(n) := case b.value = n : 1 - n; 1 : n; esac;\nSPEC AG (a.value + b.value + n < 4)\n\
        SPEC AG (n | !n)\nSPEC AG (a.value = n | a.value != n)";
    assert_eq!(program(cell).properties.len(), 3);
    // A number that may be more is no truth value.
    assert_eq!(codes(&format!("{cell}\nSPEC AG m")), ["E0721"]);
    assert_eq!(codes(&format!("{cell}\nSPEC AG (n + n)")), ["E0721"]);
}

#[test]
fn definitions_in_other_instances_are_read_where_they_were_written() {
    let read = program(
        "MODULE cell(above, first)
         VAR token : boolean;
         DEFINE above.token-in := token;
         ASSIGN init(token) := first; next(token) := token-in;
         MODULE main
         VAR a : cell(b, TRUE); b : cell(self, FALSE);
         DEFINE a.token-in := token-in;
         INVARSPEC a.token xor b.token",
    );
    assert_eq!(read.variables.len(), 2);
    assert_eq!(codes("MODULE main VAR x : boolean; DEFINE x.y := TRUE; INIT x.y"), ["E0711"]);
    assert_eq!(codes("MODULE main VAR x : array 0..1 of boolean; DEFINE x[0] := TRUE;"), ["E0703"]);
}

#[test]
fn a_specification_may_name_the_instance_it_speaks_of() {
    let text = "MODULE cell VAR b : boolean; INVARSPEC b IN other\nMODULE main VAR one : cell; other : cell; SPEC AG b IN one; LTLSPEC NAME n := G b IN other";
    let read = program(text);
    let atoms: Vec<Vec<&String>> = read.properties.iter().map(|property| property.atoms.keys().collect()).collect();
    // Also what stands in `cell` speaks of an instance of `main`.
    assert_eq!(atoms, [["b in other"], ["b in other"], ["b in one"], ["b in other"]]);
    let names: Vec<&str> = read.properties.iter().map(|property| property.name.as_str()).collect();
    assert_eq!(names, ["invariant_1", "invariant_2", "ctl_1", "n"]);
    assert_eq!(codes("MODULE main VAR x : boolean; SPEC AG x IN x"), ["E0711"]);
    assert_eq!(codes("MODULE main VAR x : boolean; SPEC AG x IN y"), ["E0711"]);
}

#[test]
fn names_are_spelt_with_quotes_points_and_indices() {
    let read = program(
        "# 1 \"model.m4\"\nMODULE main VAR \"a b\" : boolean; c[0] : boolean; c[1].d : boolean; x : -1..+1; w : Word[sizeof(0ud3_1)];
         CONSTANTS ; CONSTANTS e.f, g; PRED <p> := \"a b\"; PRED [3] c[0] PRED [4] <q> := c[1].d
         SPEC \"a b\" & c[0] & c[1].d & x < +1",
    );
    let names: Vec<&str> = read.variables.iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["\"a b\"", "c[0]", "c[1].d", "x", "w"]);
    let names: Vec<&str> = read.predicates.iter().map(|predicate| predicate.name.as_str()).collect();
    assert_eq!(names, ["p", "c[0]", "q"]);
    assert_eq!(codes("MODULE main VAR c[0] : boolean; INIT c[1]"), ["E0718"]);
    assert!(codes("MODULE main VAR \"a : boolean;").contains(&"E0703"));
}

#[test]
fn what_is_said_of_a_step_is_remembered_and_the_future_in_the_past_is_guessed() {
    let read = program(
        "MODULE main VAR x : 0..3; DEFINE same := next(x) = x;
         LTLSPEC G (x = 1 -> next(x) = 2) INVARSPEC same LTLSPEC G O (X x = 1)",
    );
    let names: Vec<&str> = read.variables.iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["x", "_step_1", "_step_2", "_future_1", "_past_1"]);
    assert_eq!(codes("MODULE main VAR x : 0..3; CTLSPEC AG next(x) = x"), ["E0719"]);
}

#[test]
fn editors_know_the_words() {
    let file = include_str!("../../../editors/vim/syntax/smv.vim");
    let lines = file.lines().filter(|line| line.starts_with("syn keyword"));
    let words: std::collections::BTreeSet<&str> = lines.flat_map(|line| line.split_whitespace().skip(3)).collect();
    assert_eq!(words, tertium_smv::KEYWORDS.into_iter().collect());
}

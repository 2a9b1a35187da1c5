//! What is wrong is said where it is wrong, all of it, and nothing crashes.

use tertium_gcl::{Addition, compile, compile_with};
use tertium_logic::Logic;
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

/// The marked places `‹…›` of a text are those of the messages with these codes, in order of place.
#[track_caller]
fn check(marked: &str, codes: &[&str]) {
    let text = marked.replace(['‹', '›'], "");
    let mut wanted = Vec::new();
    let mut removed = 0;
    for (at, c) in marked.char_indices().filter(|(_, c)| ['‹', '›'].contains(c)) {
        if c == '‹' {
            wanted.push((at - removed, 0));
        } else {
            wanted.last_mut().unwrap().1 = at - removed;
        }
        removed += c.len_utf8();
    }
    let compiled = compile(&text);
    let mut found: Vec<(usize, usize, &str, String)> = (compiled.diagnostics.iter())
        .map(|d| {
            let span = d.primary.as_ref().map_or_else(Default::default, |label| label.span);
            (span.start, span.end, d.code, d.message.clone())
        })
        .collect();
    found.sort();
    let places: Vec<(usize, usize)> = found.iter().map(|&(start, end, ..)| (start, end)).collect();
    let found_codes: Vec<&str> = found.iter().map(|&(_, _, code, _)| code).collect();
    assert_eq!((found_codes.as_slice(), places), (codes, wanted), "{text}\n{found:#?}");
    assert_eq!(compiled.program.is_none(), codes.iter().any(|code| code.starts_with('E')));
}

#[test]
fn syntax() {
    check("‹var› x : int", &["E0402"]);
    check("system s\nvar x : int = ‹§›0", &["E0401"]);
    check("system s\n‹prozess› P { }\nvar y : ‹}›", &["E0402", "E0402"]);
    check("system s\nprocess P { skip‹›\n skip; x ‹=› 1; if ‹}› ‹}›", &["E0402"; 4]);
    check("system s\nvar x : int = ‹99999999999999999999›", &["E0404"]);
    check("system s\nvar x : int = 0\nprocess P { await x < 1 ‹<› 2; x := x ‹/› 2; x := 1 ‹%› 2; }", &["E0402"; 3]);
    check("system s\nprocess P { skip;‹›", &["E0402"]);
    check("system s\nprocess P { skip; ‹var› x : int = 0; }", &["E0402"]);
    check("system s\nvar ‹loop› : int", &["E0402"]);
    check(
        "system s ‹\"open›
var x : int = 0 ‹/*› no end",
        &["E0401", "E0401"],
    );
}

#[test]
fn constructs_that_stand_for_others() {
    let head = "system s\nvar n : 0..3 = 0\nvar a : array[0..3] of int = 0\n";
    let of = |rest: &str, codes: &[&str]| check(&format!("{head}{rest}"), codes);
    of("process P { await forall i in 0..‹n› : a[i] > 0; }", &["E0408"]);
    of("process P { await forall i in ‹a› : i > 0; }", &["E0416"]);
    of("process P { await forall i in 0..1 : forall ‹i› in 0..1 : i > 0; }", &["E0406"]);
    of("process P { await ‹forall i in 0..9999 : i >= 0›; n := ‹min i in 2..1 : i›; }", &["E0415", "E0409"]);
    of("process P { await forall i in 0..1 : ‹a[i]›; n := ‹sum i in 0..1 : a[i] = 0›; }", &["E0407", "E0407"]);
    of("process P { for i in 0..‹n› { skip; } for j in 0..1 { ‹j› := 1; } }", &["E0408", "E0413"]);
    of("process P[i : 0..1] { for ‹i› in 0..1 { skip; } for j in 0..1 { for ‹j› in 0..1 { skip; } } }", &["E0406"; 2]);
    of("process P { for i in 0..1 { l: skip; } goto ‹l›; }", &["E0411"]);
    of("process P { for i in ‹0..99999› { skip; } }", &["E0415"]);
}

#[test]
fn records_and_sets() {
    let head = "system s\ntype R = record { a : 0..3, b : bool }\nvar r : R = R(0, true)\nvar s : set of 0..3 = {}\nvar x : int = 0\n";
    let of = |rest: &str, codes: &[&str]| check(&format!("{head}{rest}"), codes);
    of("process P { r.‹c› := 1; await r.‹d› = 0; x := ‹r›; r := ‹x›; }", &["E0405", "E0405", "E0407", "E0407"]);
    of(
        "process P { r := ‹R(1)›; r := R(‹5›, true); r.a := ‹true›; await r = ‹1›; }",
        &["E0412", "E0410", "E0407", "E0407"],
    );
    of("var ‹r› : int", &["E0406"]);
    of(
        "process P { s := ‹{5}›; s := ‹x›; await ‹s›; await s = ‹x›; await x in ‹x›; }",
        &["E0410", "E0407", "E0407", "E0407", "E0407"],
    );
    of("process P { s[1] := true; await ‹s < s›; x := ‹{1}›; r[‹1›] := 1; }", &["E0407"; 3]);
    of(
        "var t : set of ‹bool›\nvar u : set of ‹3..1›\ntype Q = record { a : int, ‹a› : int }\nvar q : Q",
        &["E0407", "E0409", "E0406"],
    );
    of("process P { ‹x›.a := 1; }\nprocess Q { ‹P›.x := 1; }", &["E0407", "E0413"]);
    of("process P { x := ‹min i in s : i›; }", &["E0407"]);
    of("property p : ltl G exists ‹i› in s : F x = i", &["E0416"]);
}

#[test]
fn channels_and_procedures() {
    let head = "system s\nchan c : 0..3 capacity 1\nchan d[1..2] : 0..3 capacity 1\nvar x : 0..3 = 0\n";
    let of = |rest: &str, codes: &[&str]| check(&format!("{head}{rest}"), codes);
    of(
        "chan e : bool capacity ‹0›\nchan f : bool capacity ‹x›\nchan g : bool‹›\nvar y : bool",
        &["E0424", "E0408", "E0402"],
    );
    of(
        "process P { ‹x› ! 1; ‹d› ! 1; c ! ‹7›; ‹c› := 1; x := len(‹x›); }",
        &["E0407", "E0407", "E0410", "E0413", "E0407"],
    );
    of("procedure p(i : 0..1) { ‹i› := 1; }\nprocess P { p(0); p(1); }", &["E0413"]);
    of(
        "procedure p(i : 0..1, var y : 0..3) { y := i; }\nprocess P { p(0, x); ‹p(0)›; p(0, ‹1›); ‹q›(); p(‹7›, x); p(‹x›, x); }",
        &["E0412", "E0425", "E0405", "E0410", "E0425"],
    );
    of("procedure p() { q(); }\nprocedure q() { ‹p›(); }\nprocess P { p(); }", &["E0417"]);
    of("procedure p() { ‹l› := 1; }\nprocess P { var l : 0..3 = 0 p(); }", &["E0425"]);
    of("procedure p(v : 0..3) { x := v; }\nprocess P { var l : 0..3 = 0 p(l); p(‹x›); }", &["E0425"]);
    of("procedure p(v : 0..3) { for j in 0..1 { x := v; } }\nprocess P { var j : 0..3 = 0 p(‹j›); }", &["E0425"]);
    of("procedure p() { ‹var› t : int; skip; }\nprocess P { p(); }", &["E0402"]);
    of("import ‹\"lib.gcl\"›", &["E0426"]);
}

/// What people write who know another language, and what the message tells them to write.
#[test]
fn words_of_other_languages_get_a_hint() {
    for (text, wanted) in [
        ("int y", "`var y : int`"),
        ("byte b = 3", "`var b : 0..255`"),
        ("VAR x : boolean;", "`var NAME : TYPE`"),
        ("MODULE main", "`system NAME`"),
        ("active proctype P() { skip }", "`process NAME { … }`"),
        ("mtype = { a, b }", "`type NAME = {a, b, c}`"),
        ("LTLSPEC G x", "`property NAME : ltl FORMULA`"),
        ("INVARSPEC x < 3", "`invariant NAME : CONDITION`"),
        ("typedef R { int a }", "record"),
        ("inline p(x) { skip }", "`procedure NAME"),
        ("CONSTANT N", "`const NAME = VALUE`"),
        ("EXTENDS Naturals", "`import"),
        ("const N := 3", "`=`"),
        ("var x : int := 3", "behind `=`"),
        ("var x = 3", "`var x : 0..9 = 0`"),
        ("process P { int t; skip; }", "`var t : int` at the beginning"),
        ("process P { x = 1; }", "`:=`"),
        ("process P { x == 1; }", "`:=`"),
        ("process P { while (x < 3) do { skip; } }", "`while e { … }`"),
        ("process P { if x = 3 then { skip; } }", "`if e { … } else { … }`"),
        ("process P { do :: skip od }", "`loop { … }`"),
        ("process P { loop { break; } }", "`goto LABEL`"),
        ("process P { x++; }", "`x += 1`"),
        ("process P { await x := 3; }", "`:=` assigns"),
        ("process P { await x =< 3; }", "`<=`"),
        ("process P { await x <> 3; }", "`!=`"),
        ("process P { await x = TRUE; }", "`true`"),
        ("process P { await x % 2 = 0; }", "`mod`"),
        ("process P { return; }", "procedure ends"),
        ("process P { await x = 1 ? 2 : 3; }", "`if c then a else b`"),
        ("CTLSPEC AG x", "`property NAME : ctl FORMULA`"),
        ("fairness P", "`fair PROCESS`"),
        ("invariant x > 0", "`invariant NAME : CONDITION`"),
        ("chan c = [1] of { byte }", "`chan NAME : TYPE capacity 1`"),
        ("clock c;", "no clocks"),
        ("assert x > 0", "`invariant NAME : CONDITION`"),
        ("process P { x *= 2; }", "`x := x * 2`"),
        ("process P { for (i : 1 .. 3) { skip; } }", "`for i in 1..3 { … }`"),
        ("process P { if x > 1 { skip; } elif x > 2 { skip; } }", "`else if e { … }`"),
    ] {
        let head = if text.contains("var x") || text.starts_with("VAR") { "" } else { "var x : 0..9 = 0\n" };
        let compiled = compile(&format!("system s\n{head}{text}"));
        let said: Vec<String> =
            compiled.diagnostics.iter().map(|d| format!("{} {:?} {:?}", d.message, d.notes, d.helps)).collect();
        assert!(compiled.program.is_none() && said[0].contains(wanted), "{text}: {said:#?}");
    }
    // What other languages write, and is accepted.
    for text in ["await x = 1 /\\ ~(x = 2 \\/ x = 3);", "await x == 1 & !(x = 2) => x < 9;"] {
        let compiled = compile(&format!("system s\nvar x : 0..9 = 0\nprocess P {{ {text} }}"));
        assert_eq!(compiled.diagnostics, [], "{text}");
    }
}

#[test]
fn names() {
    check("system s\nvar turn : int = 0\nprocess P { ‹trun› := ‹tunr› + 1; }", &["E0405", "E0405"]);
    check("system s\nvar x : int\nvar ‹x› : bool\nprocess ‹x› { }", &["E0406", "E0406"]);
    check("system s\nvar x : ‹colr› = 0\ntype colour = {red}", &["E0405"]);
    check("system s\nprocess P { a: skip; ‹a›: skip; goto ‹b›; }", &["E0406", "E0411"]);
    check(
        "system s\nprocess P { var t : int = 0 t := 1; }\nprocess Q { await ‹t› = 0 && P.‹u› = 0 && P@‹l›; }",
        &["E0405", "E0405", "E0411"],
    );
    check("system s\nconst N = M\nconst M = ‹N›", &["E0417"]);
    check(
        "system s\nprocess P[i : 1..2] { a: skip; }\nproperty p : ltl G (‹P›@a && P[‹3›]@a && ‹Q›@a)",
        &["E0416", "E0416", "E0405"],
    );
    check("system s\nconst N = 2\nprocess P[i : 1..N] { ‹i› := 1; ‹N› := 2; }", &["E0413", "E0413"]);
    check("system s\nprocess P { var t : int t := 0; }\nprocess Q { ‹P›.t := 1; }", &["E0413"]);
    check("system s\nfair ‹Q›\nkeep ‹z›\nspotlight ‹Q›", &["E0405"; 3]);
}

#[test]
fn types_and_ranges() {
    check("system s\nvar x : 0..3 = ‹4›\nvar y : nat = ‹-1›\nprocess P { x := ‹7›; y := ‹-1›; }", &["E0410"; 4]);
    check(
        "system s\nvar b : bool var x : int\nprocess P { b := ‹x›; x := ‹b›; await ‹x›; await x = ‹b›; await b < ‹b›; }",
        &["E0407"; 5],
    );
    check(
        "system s\nvar a : array[1..3] of int = 0\nprocess P { a[‹0›] := 1; ‹a› := 1; ‹a[1][1]› := 2; a[1] := a[‹4›]; }",
        &["E0410", "E0407", "E0412", "E0410"],
    );
    check(
        "system s\ntype c = {r, g} type d = {u}\nvar x : c = ‹u›\nprocess P { x := ‹1›; await x = ‹u›; }",
        &["E0407"; 3],
    );
    check("system s\nvar x : ‹3..1›\nvar n : int\nvar y : 0..‹n›", &["E0409", "E0408"]);
    check(
        "system s\nfunction f(int) : bool\nvar x : int\nprocess P { x := ‹f(x)›; await ‹f(x, x)›; await f(‹true›); await ‹f›; }",
        &["E0407", "E0412", "E0407", "E0407"],
    );
    check(
        "system s\nvar x, y : int\nprocess P { ‹x, y› := 1; x, ‹x› := 1, 2; x := 1 div ‹0›; }",
        &["E0412", "E0406", "E0410"],
    );
    check(
        "system s
var a : array[0..2‹..›3] of int",
        &["E0402"],
    );
}

#[test]
fn names_like_operators() {
    check("system s\nvar A, R : int = 0\nproperty p : ctl AG (‹A› != 1 || AF (R = 1))", &["E0423"]);
    check("system s\nvar F : int = 0\nproperty p : ltl G (‹F› > 1)", &["E0423"]);
    check("system s\nvar F : int = 0\nprocess U { l: skip; }\nproperty p : ltl G (1 < F && !U@l)", &[]);
    check("system s\nprocess A { l: loop { skip; } }\nproperty p : ctl AF ‹A›@l", &["E0423"]);
    check("system s\nvar A, F : int = 0\nprocess P { skip; }\nproperty p : ctl AG \"A != 1\"", &[]);
    check("system s\nvar F, x : int = 0\nprocess P { skip; }\nproperty p : ltl F -x = 1", &[]);
}

#[test]
fn control_flow() {
    check("system s\nprocess P { ‹loop { }› }", &["E0414"]);
    check("system s\nprocess P { a: ‹goto b›; b: goto a; }", &["E0414"]);
    check("system s\nprocess P { goto ‹l›; atomic { l: skip; skip; } }", &["E0419"]);
    check("system s\nprocess P { atomic { skip; l: skip; } }\nproperty p : ltl G P@‹l›", &["E0419"]);
    check("system s\nprocess P { stop; ‹skip›; skip; l: skip; goto l; }", &["W0401"]);
    check("system s\nprocess P { loop { skip; } ‹skip›; }", &["W0401"]);
}

#[test]
fn formulas() {
    check("system s\nvar x : int = 0\nproperty p : ‹lt› G x = 0", &["E0418"]);
    check("system s\nvar x : int = 0\nproperty p : ltl G ‹x›", &["E0407"]);
    check(
        "system s
var x : int = 0
property p : ltl G (x = 0) ‹x = 1›",
        &["E0103"],
    );
    check("system s\nvar x : int = 0\nproperty p : ltl \"x = ‹zz›\"", &["E0405"]);
    check("system s\nvar x : int = 0\nprocess P { await ‹deadlock›; }\nproperty p : ctl EF deadlock", &["E0420"]);
}

#[test]
fn additions_are_checked_like_the_file() {
    let text = "system s\nvar x : int = 0\nprocess P { var t : int = 0 l: x := 1; }";
    let property = |logic, text: &str| Addition::Property { name: "q".into(), logic, text: text.into() };
    let good = [
        property(None, "AG (P@l -> x = 0)"),
        property(Some(Logic::Ltl), "[] P.t = 0"),
        Addition::Predicate("x > P.t".into()),
        Addition::Keep("x, P.t".into()),
        Addition::Spotlight("P".into()),
    ];
    let compiled = compile_with(text, &good);
    assert_eq!(compiled.additions, vec![Vec::new(); 5]);
    let program = compiled.program.unwrap();
    assert_eq!(program.properties[0].logic, "ctl");
    assert_eq!((program.predicates.len(), program.keep.len(), program.spotlight.len()), (1, 2, 1));
    let bad = [
        property(None, "G yy = 0"),
        Addition::Predicate("x +".into()),
        Addition::Keep("q".into()),
        Addition::Spotlight("x".into()),
    ];
    let compiled = compile_with(text, &bad);
    let codes: Vec<Vec<&str>> = compiled.additions.iter().map(|list| list.iter().map(|d| d.code).collect()).collect();
    assert_eq!(codes, [["E0405"], ["E0402"], ["E0405"], ["E0416"]]);
    assert!(compiled.program.is_none());
}

#[test]
fn depth_is_limited_with_a_place() {
    let nested = |open: &str, close: &str| {
        format!("system s\nvar b : bool\nprocess P {{ await {}b{}; }}", open.repeat(100_000), close.repeat(100_000))
    };
    for text in
        [nested("(", ")"), nested("!", ""), nested("b -> ", ""), nested("b <-> ", ""), nested("if b then b else ", "")]
    {
        let compiled = compile(&text);
        assert!(compiled.diagnostics.iter().any(|d| d.code == "E0403"), "{:?}", compiled.diagnostics);
    }
    let blocks = format!("system s\nprocess P {{ {} }}", "loop { ".repeat(100_000));
    assert!(compile(&blocks).diagnostics.iter().any(|d| d.code == "E0403"));
    let row = format!(
        "system s\nvar b : bool var x : int = 0\nprocess P {{ await {}b; x := {}x; }}",
        "b && ".repeat(100_000),
        "x - ".repeat(100_000)
    );
    assert_eq!(compile(&row).diagnostics, []);
    let mut chain = "system s\nvar x : int = 0\ndefine d0 = x + x\n".to_owned();
    (1..3000).for_each(|n| chain.push_str(&format!("define d{n} = d{} + d{}\n", n - 1, n - 1)));
    assert!(compile(&chain).diagnostics.iter().any(|d| d.code == "E0421"));
    let mut chain = "system s\nvar x : int = 0\n".to_owned();
    (0..30_000).for_each(|n| chain.push_str(&format!("define d{n} = d{}\n", n + 1)));
    assert!(compile(&chain).diagnostics.iter().any(|d| d.is_error()));
}

#[test]
fn deep_definitions_used_before_they_are_defined_are_refused() {
    let mut chain = "system s\nvar x : int = 0\n".to_owned();
    (0..1000).for_each(|n| chain.push_str(&format!("define d{n} = {}d{}\n", "-".repeat(100), n + 1)));
    chain.push_str("define d1000 = x\n");
    assert!(compile(&chain).diagnostics.iter().any(|d| d.code == "E0421"));
}

#[test]
fn broken_texts_get_messages_and_never_a_crash() {
    for_random_cases(300, |case| {
        let mut text = random_program(&mut case.rng, &ProgramShape::default()).into_bytes();
        for _ in 0..case.rng.between(&(1..=6)) {
            let at = case.rng.below(text.len());
            match case.rng.below(5) {
                0 => {
                    text.remove(at);
                }
                1 => text.insert(at, *case.rng.pick(b"{}()[];:=<>!&|*@.,\"/ \n0aX\xe9")),
                2 => {
                    let end = (at + case.rng.below(20)).min(text.len());
                    text.drain(at..end);
                }
                3 => {
                    let end = (at + case.rng.below(30)).min(text.len());
                    let piece = text[at..end].to_vec();
                    let to = case.rng.below(text.len());
                    text.splice(to..to, piece);
                }
                _ => text.truncate(at.max(1)),
            }
            if text.is_empty() {
                text.push(b' ');
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        case.keep("broken.gcl", text.clone());
        let compiled = compile(&text);
        assert_eq!(compiled.program.is_some(), compiled.diagnostics.iter().all(|d| !d.is_error()));
        for diagnostic in &compiled.diagnostics {
            let source = tertium_base::SourceFile::new("broken.gcl", text.clone());
            assert!(!tertium_base::render::render(diagnostic, Some(&source), false).is_empty());
        }
        let neat = tertium_gcl::format::format(&text);
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        assert_eq!(letters(&neat), letters(&text));
        // Where a statement ends is a guess in a text that cannot be read, and the guess may differ the second time.
        if tertium_gcl::parse(&text).1.is_empty() {
            assert_eq!(tertium_gcl::format::format(&neat), neat);
        }
    });
}

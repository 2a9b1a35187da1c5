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

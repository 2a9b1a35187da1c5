//! Laying out keeps the meaning and the comments, and does nothing the second time.

use tertium_gcl::format::format;
use tertium_testkit::{ProgramShape, Rng, for_random_cases, random_program};

/// Words and signs, without white space.
fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[track_caller]
fn check(text: &str) {
    let neat = format(text);
    assert_eq!(letters(&neat), letters(text), "something was lost");
    assert_eq!(format(&neat), neat, "laid out twice");
    let (before, after) = (tertium_gcl::compile(text), tertium_gcl::compile(&neat));
    match (before.program, after.program) {
        (Some(before), Some(after)) => assert_eq!(after.show_all(), before.show_all(), "the meaning changed"),
        (before, after) => assert_eq!(before.is_some(), after.is_some(), "{neat}"),
    }
}

#[test]
fn the_corpus_keeps_its_meaning_and_comments() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/gcl");
    for folder in [folder.to_owned(), format!("{folder}/bounded")] {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|path| path.extension().is_some_and(|extension| extension == "gcl")) {
            check(&std::fs::read_to_string(file).unwrap());
        }
    }
}

#[test]
fn random_programs_keep_their_meaning_however_they_are_spaced() {
    for_random_cases(60, |case| {
        let text = random_program(&mut case.rng, &ProgramShape::default());
        let spaced = respaced(&mut case.rng, &text);
        case.keep("program.gcl", spaced.clone());
        check(&text);
        check(&spaced);
    });
}

/// The same tokens with other white space between them, and comments here and there.
fn respaced(rng: &mut Rng, text: &str) -> String {
    let mut spaced = String::new();
    for (number, word) in text.split(' ').enumerate() {
        match rng.below(8) {
            0 => spaced.push_str("\n\n\n"),
            1 => spaced.push_str("\t  "),
            2 => spaced.push_str(&format!(" // note {number}\n")),
            3 => spaced.push_str(&format!(" /* note\n {number} */ ")),
            _ => spaced.push(' '),
        }
        spaced.push_str(word);
    }
    spaced
}

#[test]
fn a_program_is_laid_out_like_this() {
    let text = "system s\nconst N=2 // how many\n\n\n\nvar x,y:0..N=0\ntype c={ u,w }var a : array [ 1 .. 2 ] of bool\nprocess P[i:1..N]{var t:nat=0\nloop{\ntake:x,t:=y+1,-1*t;// go\nlonger: if x<N&&!(y=0){skip;}else{y:=*in 0..1;stop;}\n} }\nfair P\nproperty p:ctl* A(G F P[1]@take)\nproperty q : ltl G !(x <1)";
    let expected = "system s
const N = 2 // how many

var x, y : 0..N = 0
type c = {u, w}
var a : array[1..2] of bool
process P[i : 1..N] {
  var t : nat = 0
  loop {
    take:   x, t := y + 1, -1 * t; // go
    longer: if x < N && !(y = 0) { skip; } else { y := * in 0..1; stop; }
  }
}
fair P
property p : ctl* A(G F P[1]@take)
property q : ltl G !(x <1)
";
    assert_eq!(format(text), expected);
    check(text);
}

#[test]
fn texts_with_mistakes_can_be_laid_out_too() {
    for text in
        ["", "}", "{{{", "process P { # }", "system s process P { x := \"open\n }", "property p : ltl", "/* open", "é"]
    {
        let neat = format(text);
        assert_eq!(letters(&neat), letters(text), "{text:?}");
        assert_eq!(format(&neat), neat, "{text:?}");
    }
}

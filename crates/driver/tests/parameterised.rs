//! Parameterised systems: what is said for every size is true of each: corpus files with their verdicts, and random families against all systems of
//! sizes 1 to 4, visited state by state. Whatever is found by counting members has a certificate that is accepted, and changed ones
//! are refused.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use tertium_base::Budget;
use tertium_base::narrow::to_i64;
use tertium_certify::{Decider, Request, findings};
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::refinement_loop::DEFAULT_REFINEMENTS;
use tertium_driver::program::{CheckOptions, Extras, ProgramAnswer, ProgramFile, check, from_text_with, parameterised};
use tertium_driver::strategy::{self, ProgramQuery, Wishes};
use tertium_testkit::{Case, for_random_cases};

fn loaded(text: &str, size: Option<i64>) -> ProgramFile {
    let sizes = size.map(|size| ("N".to_owned(), size)).into_iter().collect();
    let extras = Extras { sizes, every: size.is_none(), ..Extras::default() };
    from_text_with("test.gcl", text.to_owned(), &[], None, &extras)
        .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn asked(file: &ProgramFile) -> Vec<Question> {
    questions(file, &[], false).expect("no names are asked for")
}

/// Writes the certificate of an answer that is true, and has it checked against the text.
fn is_certified(file: &ProgramFile, question: &Question, answer: &ProgramAnswer) -> String {
    let written = certificate_of(file, question, answer, &CheckOptions::default(), &Budget::unlimited());
    let (Ok(Written::WithObligations { text, .. }) | Ok(Written::Certificate(text))) = written else {
        panic!("{}: {written:?}\n{}", answer.name, file.source.text)
    };
    let stored = Stored::new(&answer.name, &file.source.text);
    assert_eq!(stored.refused(&text, &[]), None, "{}\n{}\n{text}", answer.name, file.source.text);
    text
}

/// A program in a file.
struct Stored(PathBuf);

impl Stored {
    fn new(name: &str, text: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("counted");
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        // Tests run side by side.
        let path = folder.join(format!("{name}_{:?}.gcl", std::thread::current().id()));
        std::fs::write(&path, text).expect("a file can be written");
        Self(path)
    }

    /// Why a certificate is refused; none if it is accepted.
    fn refused(&self, certificate: &str, defines: &[(&str, &str)]) -> Option<String> {
        let path = self.0.with_extension("cert.json");
        std::fs::write(&path, certificate).expect("a file can be written");
        let defines: Vec<_> = defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        match findings(
            (&self.0, &path),
            &Request { defines, ..Request::default() },
            &Decider::default(),
            &Budget::unlimited(),
        ) {
            Ok(outcomes) if outcomes.is_empty() => Some("nothing".to_owned()),
            Ok(outcomes) => {
                outcomes.iter().find(|outcome| !outcome.is_proved()).map(|outcome| format!("{:?}", outcome.verdict))
            }
            Err(failure) => Some(format!("{failure:?}")),
        }
    }
}

fn for_every(text: &str) -> Vec<ProgramAnswer> {
    let file = loaded(text, None);
    let how = (&AbstractionOptions::default(), DEFAULT_REFINEMENTS);
    let found = parameterised::check(&file, &asked(&file), &CheckOptions::default(), how, &Budget::unlimited(), &());
    found.unwrap_or_else(|failure| panic!("{failure:?}\n{text}")).answers
}

/// The answers for one size, by visiting all states; by name.
fn for_one(text: &str, size: i64) -> Vec<(String, Belnap)> {
    let file = loaded(text, Some(size));
    let options = CheckOptions { max_states: Some(30_000), look_for_idle: false, ..CheckOptions::default() };
    let found = check(&file, &asked(&file), &options, &Budget::unlimited(), &());
    let answers = found.unwrap_or_else(|failure| panic!("{failure:?}\n{text}")).answers;
    answers.into_iter().map(|answer| (answer.name.clone(), answer.value())).collect()
}

fn corpus(name: &str) -> String {
    let path = format!("{}/../../corpus/gcl/parameterised/{name}.gcl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A property, its value, and the size for which it is false.
type Verdict = (&'static str, Belnap, Option<i64>);

#[test]
fn the_corpus_has_its_verdicts() {
    let expected: [(&str, &[Verdict]); 7] = [
        ("test_and_set", &[("mutex", Belnap::True, None), ("deadlocks", Belnap::True, None)]),
        ("test_then_set", &[("mutex", Belnap::False, Some(2)), ("deadlocks", Belnap::True, None)]),
        (
            "semaphore",
            &[("three", Belnap::True, None), ("two", Belnap::False, Some(2)), ("range-overflow", Belnap::True, None)],
        ),
        (
            "owner",
            &[("mutex", Belnap::True, None), ("first", Belnap::True, None), ("deadlocks", Belnap::Unknown, None)],
        ),
        ("fair_loop", &[("back", Belnap::True, None)]),
        ("token", &[("mutex", Belnap::True, None), ("holder", Belnap::True, None)]),
        ("ticket_lock", &[("mutex", Belnap::True, None), ("served", Belnap::True, None)]),
    ];
    for (file, verdicts) in expected {
        let text = corpus(file);
        let (program, answers) = (loaded(&text, None), for_every(&text));
        for question in asked(&program) {
            let named = |answer: &&ProgramAnswer| is_named(&question, &answer.name);
            let answer = answers.iter().find(named).expect("every question is answered");
            if answer.value() == Belnap::True {
                is_certified(&program, &question, answer);
            }
        }
        for &(name, value, size) in verdicts {
            let answer = answers.iter().find(|answer| answer.name == name).expect(name);
            assert_eq!(answer.value(), value, "{file}: {name}: {:?}", answer.reasons());
            let sizes = answer.sizes.as_ref().expect("a size is left open");
            assert_eq!(sizes.value, size, "{file}: {name}");
            assert_eq!(answer.run().is_some(), value == Belnap::False, "{file}: {name}");
        }
    }
}

fn is_named(question: &Question, name: &str) -> bool {
    question.name() == name
}

/// The certificate of a property of a corpus file, and the file.
fn certificate_of_corpus(file: &str, name: &str) -> (Value, String) {
    let text = corpus(file);
    let (program, answers) = (loaded(&text, None), for_every(&text));
    let question = asked(&program).into_iter().find(|question| is_named(question, name)).expect(name);
    let answer = answers.iter().find(|answer| answer.name == name).expect(name);
    let certificate = is_certified(&program, &question, answer);
    (serde_json::from_str(&certificate).expect("a certificate is JSON"), text)
}

#[test]
fn changed_certificates_for_every_size_are_refused() {
    let (document, text) = certificate_of_corpus("token", "mutex");
    let stored = Stored::new("changed", &text);
    let refuses = |why: &str, change: &dyn Fn(&mut Value)| {
        let mut changed = document.clone();
        change(&mut changed["counted"]);
        assert_ne!(changed, document, "nothing was changed: {why}");
        let told = stored.refused(&changed.to_string(), &[]).unwrap_or_else(|| panic!("accepted: {why}\n{changed}"));
        assert!(told.contains(why), "{told} instead of {why}");
    };
    // `mutex` needs `holder`, and `holder` is among what is shown. Without it another program is made.
    refuses("", &|counted| counted["shown"][0]["lemmas"] = json!([]));
    refuses("rested on is not there", &|counted| counted["shown"] = json!([counted["shown"][0]]));
    refuses("", &|counted| {
        // A property that would help, and is false.
        counted["shown"][1]["certificate"]["invariant"]["where"]["property"]["text"] = json!("G (turn = 1)");
    });
    refuses("not what is left open", &|counted| counted["constant"] = json!("M"));
    refuses("not what is left open", &|counted| counted["constant"] = json!(null));
    refuses("does not hold", &|counted| {
        counted["shown"][0]["certificate"]["invariant"]["over"]["states"] = json!([]);
    });
    refuses("single states", &|counted| counted["shown"][0]["certificate"]["invariant"]["value"] = json!("false"));
    refuses("cannot be read", &|counted| {
        counted["shown"][0]["certificate"] = json!({"tertium_certificate": 2, "parts": []});
    });
    let other = document.to_string();
    // What holds for every size holds for one that the text admits.
    assert_eq!(stored.refused(&other, &[("N", "3")]), None);
    assert!(stored.refused(&other, &[("N", "0")]).is_some());
    assert!(stored.refused(&other, &[("N", "3"), ("N", "0")]).is_some());
    for (from, to) in [("await turn = i", "await turn > 0"), ("pass: turn", "pass: skip; turn")] {
        let changed = Stored::new("other", &text.replace(from, to));
        assert!(changed.refused(&other, &[]).is_some(), "accepted for {from}");
    }
}

#[test]
fn sizes_with_fewer_members_need_proofs_of_their_own() {
    let text = "system few\nconst N >= 1\nvar b : bool = false\nprocess Q { b := true; }\n\
        process P[i : 1..N] { loop { a: skip; c: skip; } }\n\
        property p : ltl G (P[3]@a || P[3]@c || b)\n";
    let program = loaded(&text.replace("N >= 1", "N >= 3"), None);
    let answers = for_every(&text.replace("N >= 1", "N >= 3"));
    let question = asked(&program).into_iter().find(|question| is_named(question, "p")).expect("p is asked");
    let answer = answers.iter().find(|answer| answer.name == "p").expect("p is answered");
    assert_eq!(answer.value(), Belnap::True, "{:?}", answer.reasons());
    let certificate = is_certified(&program, &question, answer);
    assert!(Stored::new("few", text).refused(&certificate, &[]).is_some(), "P[3] is no member of the smaller systems");
    let (mut document, text) = certificate_of_corpus("semaphore", "range-overflow");
    assert_eq!(document["counted"]["sizes"], json!([]), "one member is there in every size");
    document["counted"]["shown"][0]["certificate"]["invariant"]["where"] = json!({"mistake": "deadlocks"});
    assert!(Stored::new("semaphore", &text).refused(&document.to_string(), &[]).is_some());
}

/// What counting members says of the systems of one size, each answer with its certificate checked; how many it settles.
fn counted_for_one(text: &str, size: i64) -> usize {
    let fixed = text.replace("const N >= 1", &format!("const N = {size}"));
    let file = loaded(&fixed, None);
    let (brute, how) = (for_one(text, size), AbstractionOptions::default());
    // What running it breaks is not asked, except now and then: it must stay open.
    let value = |name: &str| brute.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
    let broken: Vec<String> = brute
        .iter()
        .filter(|(name, value)| *value == Belnap::False && name != "one")
        .map(|(name, _)| name.clone())
        .collect();
    let questions: Vec<Question> =
        asked(&file).into_iter().filter(|question| !broken.iter().any(|name| is_named(question, name))).collect();
    let found = parameterised::count(
        &file,
        (&questions, &broken),
        &CheckOptions::default(),
        (&how, 3),
        &Budget::unlimited(),
        &(),
    )
    .unwrap_or_else(|failure| panic!("{failure:?}\n{fixed}"));
    let mut settled = 0;
    for (question, answer) in questions.iter().zip(found) {
        let Some(answer) = answer else { continue };
        assert_ne!(value(&answer.name), Some(Belnap::False), "{} for N = {size}\n{fixed}", answer.name);
        assert_eq!(answer.value(), Belnap::True);
        if settled % 2 == 0 {
            is_certified(&file, question, &answer);
        }
        settled += 1;
    }
    settled
}

#[test]
fn members_of_families_of_one_size_are_counted() {
    let settled = Cell::new(0);
    for_random_cases(1, |case| {
        let text = random_family(case);
        let size = 3 + to_i64(case.rng.below(2));
        settled.set(settled.get() + counted_for_one(&text, size));
    });
    let told = format!("{} settled by counting members of families of one size\n", settled.get());
    let _ = std::io::Write::write_all(&mut std::io::stdout(), told.as_bytes());
    assert!(settled.get() > 0, "{told}");
}

#[test]
fn a_family_of_twenty_with_a_counter_is_decided() {
    let text = "system fam\nconst N = 20\nvar busy : bool = false\nvar x : int = 0\n\
        process P[i : 1..N] { loop { idle: skip; want: when !busy && x >= 0 do busy := true; crit: x := x + 1; busy := false; } }\n\
        property mutex : ltl forall i != j in P : G !(P[i]@crit && P[j]@crit)\n\
        property two : ltl G !(P[3]@crit && P[7]@crit)\nproperty grows : ltl G (x >= 0)\n";
    let file = loaded(text, None);
    let questions = asked(&file);
    let (options, how) = (CheckOptions::default(), AbstractionOptions::default());
    let wishes = Wishes { options, abstraction: how, ..Wishes::default() };
    let found = strategy::decide(
        &ProgramQuery { file: &file, questions: &questions, wishes: &wishes },
        &Budget::unlimited(),
        &(),
    );
    for (question, answer) in questions.iter().zip(found.unwrap_or_else(|failure| panic!("{failure:?}")).answers) {
        assert_eq!(answer.value(), Belnap::True, "{}: {:?}", answer.name, answer.reasons());
        assert!(answer.choice.as_ref().is_some_and(|how| how.contains("counted by place")), "{:?}", answer.choice);
        is_certified(&file, question, &answer);
    }
}

#[test]
fn what_is_shown_together_is_all_shown() {
    // `wrong` says the same as `mutex` in a system where both are broken, and `needs` would follow from it.
    let text = "system s\nconst N >= 1\nvar t : 0..N = 0\nprocess P[i : 1..N] { loop { a: when t = 0 do t := i; b: skip; c: when t = i do t := 0; d: t := i; } }\n\
        property wrong : ltl forall i in P : G (P[i]@b || P[i]@c -> t = i)\nproperty needs : ltl forall i != j in P : G !(P[i]@b && P[j]@b)\n";
    for answer in for_every(text) {
        for size in 1..=3 {
            let one = for_one(text, size).into_iter().find(|(name, _)| *name == answer.name).map(|(_, value)| value);
            assert!(!(answer.value() == Belnap::True && one == Some(Belnap::False)), "{} for N = {size}", answer.name);
        }
    }
}

#[test]
fn looking_at_another_member_is_refused_with_its_place() {
    let text = "system s\nconst N >= 2\nvar f : array[1..N] of bool = false\n\
        process P[i : 1..N] { loop { a: when !f[N] do f[i] := true; } }\nproperty p : ltl forall i in P : G F P[i]@a\n";
    let answers = for_every(text);
    let open = answers.iter().find(|answer| answer.name == "p").expect("p is asked");
    assert!(open.reasons().iter().any(|reason| reason.span.is_some()), "{:?}", open.reasons());
}

/// A condition on one member and what all share.
fn condition(case: &mut Case) -> String {
    let one = |case: &mut Case| {
        let choices =
            ["b", "!b", "n = 0", "n > 0", "n < 2", "l", "!l", "f[i]", "!f[i]", "o = i", "o = 0", "o != i", "n < N"];
        (*case.rng.pick(&choices)).to_owned()
    };
    match case.rng.below(4) {
        0 => format!("{} && {}", one(case), one(case)),
        1 => format!("({} || {})", one(case), one(case)),
        _ => one(case),
    }
}

fn effect(case: &mut Case) -> String {
    let choices = [
        "b := !b",
        "b := true",
        "b := false",
        "n := (n + 1) mod 3",
        "n := 0",
        "l := b",
        "l := !l",
        "l := true",
        "f[i] := true",
        "f[i] := l",
        "f[i] := false",
        "o := i",
        "o := 0",
        "l, b := b, l",
        "n := if l then 1 else 2",
        "skip",
        "l := *",
    ];
    (*case.rng.pick(&choices)).to_owned()
}

fn statement(case: &mut Case, at: usize) -> String {
    let label = format!("a{at}: ");
    let (when, does, other) = (condition(case), effect(case), effect(case));
    let body = match case.rng.below(7) {
        0 => format!("await {when};"),
        1 => format!("if {when} {{ {does}; }}"),
        2 => format!("choose {{ {does}; }} or {{ {other}; }}"),
        3 => format!("atomic {{ {does}; {other}; }}"),
        4 => format!("{does};"),
        _ if does == "skip" => format!("when {when} do skip;"),
        _ => format!("when {when} do {does};"),
    };
    label + &body
}

/// A family over a size that is left open, with properties of one and of two of its members.
fn random_family(case: &mut Case) -> String {
    let count = 2 + case.rng.below(3);
    let body: Vec<String> = (0..count).map(|at| statement(case, at)).collect();
    let body = if case.rng.chance(70) { format!("loop {{ {} }}", body.join(" ")) } else { body.join("\n") };
    let last = count - 1;
    let mut text =
        String::from("system family\nconst N >= 1\nvar b : bool = false\nvar n : 0..2 = 0\nvar o : 0..N = 0\n");
    text.push_str("var f : array[1..N] of bool = false\n");
    let initial = if case.rng.chance(80) { " = false" } else { "" };
    text.push_str(&format!("process P[i : 1..N] {{\n  var l : bool{initial}\n  {body}\n}}\n"));
    if case.rng.chance(40) {
        text.push_str(&format!(
            "process Q {{ loop {{ when {} do b := !b; }} }}\n",
            case.rng.pick(&["n = 1", "b", "true"])
        ));
    }
    if case.rng.chance(40) {
        text.push_str("fair P\n");
    }
    let (one, two) = (condition(case).replace("l", "P[i].l"), condition(case).replace("l", "P[j].l").replace("i", "j"));
    let two = two.replace("P[j].P[j]", "P[j]").replace("jf", "if");
    text.push_str(&format!("property one : ltl forall i in P : G !(P[i]@a{last} && {one})\n"));
    text.push_str(&format!("property two : ltl forall i != j in P : G !(P[i]@a{last} && P[j]@a{last} && {two})\n"));
    text.push_str(&format!("property both : ltl forall i != j in P : G !(P[i]@a1 && P[j]@a{last})\n"));
    text.push_str(&format!("property live : ltl forall i in P : G F !P[i]@a{last}\n"));
    text.push_str("property first : ltl G (f[1] -> !P[1]@a0)\nproperty shared : ctl AG (n < 2 || !b)\n");
    case.keep("family.gcl", &text);
    text
}

#[test]
fn random_families_are_what_their_sizes_are() {
    let (holds, fails, open) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_random_cases(8, |case| {
        let text = random_family(case);
        let sizes: Vec<Vec<(String, Belnap)>> = (1..=4).map(|size| for_one(&text, size)).collect();
        let value = |size: i64, name: &str| {
            let answers = sizes.get(usize::try_from(size - 1).ok()?)?;
            answers.iter().find(|(known, _)| known == name).map(|&(_, value)| value)
        };
        let program = loaded(&text, None);
        let questions = asked(&program);
        let certified = case.rng.below(questions.len());
        for (at, answer) in for_every(&text).into_iter().enumerate() {
            // A proof takes far longer than its answer: some are looked at here, and those of the corpus all.
            if answer.value() == Belnap::True && at == certified && case.number.is_multiple_of(4) {
                let question = questions.iter().find(|question| is_named(question, &answer.name));
                is_certified(&program, question.expect("it was asked"), &answer);
            }
            let told = answer.sizes.as_ref().unwrap_or_else(|| panic!("{} has no sizes\n{text}", answer.name));
            match answer.value() {
                Belnap::True => {
                    holds.set(holds.get() + 1);
                    for size in 1..=4 {
                        let one = value(size, &answer.name);
                        assert_ne!(one, Some(Belnap::False), "{} for N = {size}\n{text}", answer.name);
                    }
                }
                Belnap::False => {
                    fails.set(fails.get() + 1);
                    let size = told.value.unwrap_or_else(|| panic!("{} names no size\n{text}", answer.name));
                    let one = value(size, &answer.name);
                    assert!(one.is_none_or(|one| one == Belnap::False), "{} for N = {size}\n{text}", answer.name);
                    assert!(answer.run().is_some(), "{}\n{text}", answer.name);
                }
                _ => open.set(open.get() + 1),
            }
        }
    });
    let told = format!("{} true for every size, {} false for one, {} open\n", holds.get(), fails.get(), open.get());
    let _ = std::io::Write::write_all(&mut std::io::stdout(), told.as_bytes());
    assert!(holds.get() > 0 && fails.get() > 0, "{told}");
}

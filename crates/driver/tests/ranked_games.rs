//! Ranked games: branching properties of unbounded data get the values they have, with certificates that are accepted; changed ones are not.

mod certified;
mod ranking;

use std::cell::Cell;
use std::path::{Path, PathBuf};

use self::certified::{deciders, folder, refused, refused_by, stored};
use self::ranking::{certificate, corpus};
use tertium_base::Budget;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::predicate_abstraction::basis::Basis;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::refinement_loop;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check};
use tertium_driver::{Belnap, Deadlock};
use tertium_testkit::{Rng, for_random_cases};

/// By abstraction, without running the program first.
fn abstracted(file: &ProgramFile, only: &[String], options: &CheckOptions) -> Vec<(Question, ProgramAnswer)> {
    let asked = questions(file, only, false).expect("the names are there");
    let how = AbstractionOptions::default();
    let found = refinement_loop::check(file, &asked, options, &how, 2, &Budget::unlimited(), &())
        .unwrap_or_else(|failure| panic!("{failure:?}\n{}", file.source.text));
    asked.into_iter().zip(found.answers).collect()
}

/// Two processes that surely step into the same states: a ranking function decreases if one of them does, and the claim does not say which.
const WHOSE_STEP: &str = r#"
system random
var x : int
var y : int
init 0 <= x && x <= 2 && 0 <= y && y <= 2
process P0 { loop { choose { p0: when x >= 1 && y <= 2 && x >= -1 && y >= -1 && x <= 3 && y <= 3 do y := * in 0..2 } or { when x > 0 && x >= -1 && y >= -1 && x <= 3 && y <= 3 do x, y := x - 1, 2 } } }
process P1 { loop { choose { p1: when y = 0 && x >= -1 && y >= -1 && x <= 3 && y <= 3 do x, y := x - 1, 2 } or { when y = 0 && x >= -1 && y >= -1 && x <= 3 && y <= 3 do y := * in 0..2 } or { when x != y && x >= -1 && y >= -1 && x <= 3 && y <= 3 do x := x - 1 } } }
property p3 : ctl* A G E F ("x <= 0")
"#;

/// The values that stand behind the properties of a text.
fn expected(text: &str) -> Vec<(String, Belnap)> {
    let one = |line: &str| {
        let (head, value) = line.trim().strip_prefix("property ")?.rsplit_once("//")?;
        let value = match value.trim() {
            "true" => Belnap::True,
            "false" => Belnap::False,
            _ => return None,
        };
        Some((head.split_once(':')?.0.trim().to_owned(), value))
    };
    text.lines().filter_map(one).collect()
}

/// Decides the properties of a program of the corpus; certificates of what ranking functions show are accepted.
fn decides(name: &str, only: &[&str]) {
    let (path, file) = corpus("unbounded", name);
    let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
    for (name, value) in expected(&file.source.text).into_iter().filter(|(name, _)| only.contains(name)) {
        let answers = abstracted(&file, std::slice::from_ref(&name), &CheckOptions::default());
        assert_eq!(answers[0].1.value(), value, "{}: {name}: {:?}", path.display(), answers[0].1.reasons());
        assert_eq!(refused(&path, &certificate(&file, &answers[0])), None, "{}: {name}", path.display());
    }
}

#[test]
fn what_must_happen_and_what_can() {
    decides("countdown", &["af", "naf", "ef", "eg", "agef", "star", "mu1", "mu2", "mu3"]);
    decides("ends", &["af", "agaf", "ef", "eg", "star"]);
}

#[test]
fn steps_are_chosen_that_come_nearer() {
    decides("walk", &["seven", "nseven", "far", "small", "none", "mufar"]);
    decides("game", &["reach", "fail", "after"]);
}

#[test]
fn any_number_of_variables_and_levels() {
    decides("three_counters", &["ends", "lin"]);
    decides("gap", &["ends"]);
    decides("lexicographic", &["ends", "can"]);
}

#[test]
fn predicates_are_local_where_loops_follow_one_another() {
    decides("tm_six", &["af", "lt", "agef"]);
}

#[test]
fn one_path_does_for_every_start() {
    decides("hc_jm06", &["un"]);
}

#[test]
fn what_is_never_left_is_a_recurrent_set() {
    decides("stepsize_up", &["ends", "never", "none"]);
    decides("refill", &["empties", "can", "stays"]);
}

#[test]
fn a_function_for_each_piece_and_phases_in_turn() {
    decides("pw_round", &["a1", "a3"]);
    decides("pw_turns", &["a1", "a5"]);
    decides("ph_three", &["a1", "a3"]);
    decides("ph_delay", &["a1", "a3"]);
}

#[test]
fn a_hypothesis_about_the_start_gives_invariants() {
    decides("hy_drain", &["a1", "a2", "a5"]);
    decides("hy_pair", &["a1", "a2", "a3"]);
    decides("hy_quota", &["a1", "a2"]);
}

#[test]
fn relations_on_either_side_of_a_condition_are_found() {
    decides("pt_split", &["a1", "a2", "a3"]);
    decides("rm_four", &["pos", "neg"]);
}

#[test]
fn whoever_claims_says_whose_step_decreases() {
    let path = folder("ranked_games_whose_step").join("program.gcl");
    let file = stored(&path, WHOSE_STEP);
    let answers = abstracted(&file, &["p3".to_owned()], &CheckOptions::default());
    assert_eq!(answers[0].1.value(), Belnap::True);
    assert_eq!(refused(&path, &certificate(&file, &answers[0])), None);
}

/// A function by pieces with the pieces changed, or the condition of one left out, is refused.
#[test]
fn changed_pieces_are_refused() {
    let (path, text) = of("pw_round", "a1");
    let (start, marker) = ("\"terms\":[\"", "(ite ");
    let at = text.find(start).expect("it has a rank") + start.len();
    let end = at + text[at..].find('"').expect("the text ends");
    let rank = &text[at..end];
    assert!(rank.contains(marker), "no function by pieces: {rank}");
    let with = |other: &str| format!("{}{other}{}", &text[..at], &text[end..]);
    for (from, to) in [("(not ", "(and "), ("(mod ", "(div "), ("(ite (and", "(ite (or"), ("(* 2 x)", "(* 1 x)")] {
        if rank.contains(from) {
            is_refused(&path, &with(&rank.replacen(from, to, 1)), from);
        }
    }
    is_refused(&path, &with("x"), "one piece for all");
    is_refused(&path, &with("0"), "nothing decreases");
}

/// The text with one thing changed, and that it was there.
fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} is not in\n{text}");
    text.replacen(from, to, 1)
}

fn of(name: &str, property: &str) -> (PathBuf, String) {
    let (path, file) = corpus("unbounded", name);
    let answers = abstracted(&file, &[property.to_owned()], &CheckOptions::default());
    let text = certificate(&file, &answers[0]);
    assert_eq!(refused(&path, &text), None, "{name}: {property}");
    (path, text)
}

fn is_refused(path: &Path, text: &str, what: &str) {
    assert!(refused(path, text).is_some(), "accepted, {what}:\n{text}");
}

#[test]
fn changed_certificates_are_refused() {
    let (path, text) = of("countdown", "af");
    is_refused(&path, &changed(&text, "\"value\": \"true\"", "\"value\": \"false\""), "the other value");
    for other in ["0", "(- n)", "true", "(- 7 n)"] {
        is_refused(&path, &changed(&text, "\"terms\":[\"n\"]", &format!("\"terms\":[\"{other}\"]")), other);
    }
    is_refused(&path, &changed(&text, "\"decreasing\":[", "\"decreasing\":[[2,0,2],"), "another step decreases it");
    let (path, text) = of("walk", "seven");
    let set = text.find("\"ranked\": [").expect("a step is chosen");
    for (from, to) in [(",true]", ",false]"), (",false]", ",true]")] {
        if let Some(at) = text[set..].find(from) {
            let other = format!("{}{to}{}", &text[..set + at], &text[set + at + from.len()..]);
            is_refused(&path, &other, "another change of the rank");
        }
    }
    is_refused(&path, &changed(&text, "\"along\": 0", "\"along\": 7"), "a set that there is not");
}

/// The text with a number, a truth value or a list between brackets changed somewhere behind a place.
fn forged(text: &str, from: usize, rng: &mut Rng) -> String {
    let is_number = |at: &usize| text.as_bytes()[*at].is_ascii_digit();
    let numbers: Vec<usize> = (from..text.len()).filter(is_number).collect();
    let (old, new) = [
        ("true", "false"),
        ("false", "true"),
        ("[", "[["),
        ("],[", ","),
        ("(+ ", "(- "),
        ("\"terms\":[\"", "\"terms\":[\"7 "),
    ][rng.below(6)];
    if rng.chance(40)
        && let Some(at) = text[from..].find(old)
    {
        return format!("{}{new}{}", &text[..from + at], &text[from + at + old.len()..]);
    }
    let at = numbers[rng.below(numbers.len())];
    format!("{}{}{}", &text[..at], rng.below(10), &text[at + 1..])
}

/// A certificate of a program in which the property is true, and forgeries of its ranks, show nothing about one in which it is false.
#[test]
fn forged_ranks_do_not_show_what_is_false() {
    let changes = [("countdown", "af", "n := n - 1", "n := n + 1"), ("walk", "seven", "x := x + 1", "x := x - 2")];
    for (name, property, from, to) in changes {
        let (path, text) = of(name, property);
        let program = std::fs::read_to_string(&path).expect("it can be read");
        let other = folder("ranked_games_forged").join(format!("{name}.gcl"));
        let file = stored(&other, &changed(&program, from, to));
        let answers = abstracted(&file, &[property.to_owned()], &CheckOptions::default());
        assert_ne!(answers[0].1.value(), Belnap::True, "{name} is changed");
        is_refused(&other, &text, "a certificate of another program");
        let ranks = text.find("\"ranks\"").expect("it has ranks");
        for_random_cases(6, |case| {
            let changes = 1 + case.rng.below(3);
            let forgery = (0..changes).fold(text.clone(), |text, _| forged(&text, ranks, &mut case.rng));
            case.keep("forged.json", &forgery);
            is_refused(&other, &forgery, "forged for another program");
        });
    }
}

/// Processes that do one thing or another for ever.
fn random_processes(rng: &mut Rng) -> String {
    let mut text = "system random\nvar x : int\nvar y : int\ninit 0 <= x && x <= 2 && 0 <= y && y <= 2\n".to_owned();
    let processes = 1 + rng.below(2);
    for process in 0..processes {
        text.push_str(&format!("process P{process} {{ loop {{ choose {{ p{process}: "));
        for at in 0..1 + rng.below(3) {
            text.push_str(if at == 0 { "" } else { "} or { " });
            let guard = ["x > 0", "y > 0", "x != y", "x < y", "x > y", "y = 0", "x >= 1 && y <= 2"][rng.below(7)];
            let change = [
                "x := x - 1",
                "y := y - 1",
                "x, y := x - 1, 2",
                "x, y := y, x",
                "x, y := 0, y - 1",
                "y := 2",
                "x := x + 1",
                "y := * in 0..2",
            ];
            let change = change[rng.below(change.len())];
            text.push_str(&format!("when {guard} && x >= -1 && y >= -1 && x <= 3 && y <= 3 do {change} "));
        }
        text.push_str("} } }\n");
    }
    for process in 0..processes {
        text.push_str(&["", "", "fair P#\n", "strong fair P#\n"][rng.below(4)].replace('#', &process.to_string()));
    }
    text
}

/// Loops one after the other, so that predicates matter in some places only; some inputs have no bounds, and are tested.
fn random_loops(rng: &mut Rng) -> String {
    let mut text = "system random\nvar x, y : int\nvar a, b : int = 2\n".to_owned();
    text.push_str("init 0 <= x && x <= 2 && 0 <= y && y <= 2\nprocess P0 {\n");
    let condition = |rng: &mut Rng| ["x > 0", "y > 0", "a > 0", "b > 0", "a > x", "b != y", "x < y"][rng.below(7)];
    let change = |rng: &mut Rng| {
        let limited =
            ["x := x - 1", "y := y - 1", "a := a - 1", "b := b - 1", "a, b := b, a", "x, y := y, a", "b := 2"];
        let change = limited[rng.below(limited.len())];
        match rng.below(6) {
            0 => "choose { x := x - 1; } or { y := y - 1; } or { skip; }".to_owned(),
            1 => format!("if {} {{ x := x + 1; }}", "x < 3"),
            2 => "y := * in 0..2;".to_owned(),
            _ => format!("{change};"),
        }
    };
    for at in 0..2 + rng.below(3) {
        let body: String = (0..1 + rng.below(2)).map(|_| format!(" {}", change(rng))).collect();
        let guard = "x >= -1 && y >= -1 && a >= -1 && b >= -1";
        match rng.below(4) {
            0 => text.push_str(&format!("  l{at}: if {} {{{body} }}\n", condition(rng))),
            _ => text.push_str(&format!("  l{at}: while {} && {guard} {{{body} }}\n", condition(rng))),
        }
    }
    text.push_str("  p0: loop { skip; }\n}\n");
    text
}

/// A program whose integers have no bounds by their types, but few values all the same; properties that branch.
fn random_text(rng: &mut Rng) -> String {
    let mut text = if rng.chance(50) { random_processes(rng) } else { random_loops(rng) };
    let atom = |rng: &mut Rng| ["x <= 0", "y <= 1", "x = 2", "x < y", "x + y > 3", "y != x"][rng.below(6)];
    for (at, shape) in
        ["AF (#)", "EF (#)", "EG (#)", "AG EF (#)", "AG (# -> AF (#))", "A[# U #]", "E[# U #]", "EF EG (#)"]
            .iter()
            .enumerate()
    {
        let parts: Vec<&str> = shape.split('#').collect();
        let mut formula = parts[0].to_owned();
        for part in &parts[1..] {
            formula.push_str(&format!("\"{}\"{part}", atom(rng)));
        }
        let logic = ["ctl", "ctl", "ctl*"][rng.below(3)];
        let formula = if logic == "ctl*" { starred(&formula) } else { formula };
        text.push_str(&format!("property p{at} : {logic} {formula}\n"));
    }
    let (p, q) = (atom(rng), atom(rng));
    for (at, shape) in ["F (#)", "G F (#)", "F G (#)", "G ((#) -> F (#))"].iter().enumerate() {
        let parts: Vec<&str> = shape.split('#').collect();
        let formula =
            parts[1..].iter().fold(parts[0].to_owned(), |text, part| format!("{text}\"{}\"{part}", atom(rng)));
        text.push_str(&format!("property l{at} : ltl {formula}\n"));
    }
    text.push_str(&format!("property m0 : mu mu X. \"{p}\" || [] <> X\n"));
    text.push_str(&format!("property m1 : mu nu Y. (mu X. \"{q}\" || <> X) && [] Y\n"));
    text
}

/// The same formula, in which quantifiers and operators stand apart.
fn starred(formula: &str) -> String {
    ["A", "E"]
        .iter()
        .fold(formula.to_owned(), |text, quantifier| {
            let apart = ["F", "G"].iter().fold(text, |text, operator| {
                text.replace(&format!("{quantifier}{operator} "), &format!("{quantifier} {operator} "))
            });
            apart.replace(&format!("{quantifier}["), &format!("{quantifier} ("))
        })
        .replace(']', ")")
}

/// The remark about runs that are blocked is about plain paths, and not made where a strongly fair process may be blocked.
#[test]
fn blocked_runs_of_strongly_fair_processes_are_no_fault() {
    let text = "system s\nvar x, y : int\ninit 0 <= x && x <= 2 && 0 <= y && y <= 2\n\
        process P { loop { choose { when x < y do y := y - 1; } or { when x < y do x := x - 1; } } }\nstrong fair P\n\
        property p : ctl EF (x <= 0)\nproperty q : ctl AG EF (x != y)\nproperty r : ctl AG (x <= 2)\n";
    let file = stored(&folder("ranked_games_blocked").join("blocked.gcl"), text);
    for (question, answer) in abstracted(&file, &[], &CheckOptions::default()) {
        assert!(question.name() == "r" || answer.value() != Belnap::True, "{}", question.name());
    }
}

#[test]
fn random_programs_do_what_running_them_shows() {
    let folder = folder("ranked_games_random");
    let (ranked, definite, solvers) = (Cell::new(0), Cell::new(0), deciders());
    for_random_cases(8, |case| {
        let text = random_text(&mut case.rng);
        case.keep("program.gcl", &text);
        let path = folder.join("random.gcl");
        let file = stored(&path, &text);
        let deadlock = [None, None, Some(Deadlock::Mu), Some(Deadlock::Maximal)][case.rng.below(4)];
        case.keep("deadlock.txt", format!("{deadlock:?}"));
        let options = CheckOptions { deadlock, ..CheckOptions::default() };
        let answers = abstracted(&file, &[], &options);
        let asked: Vec<Question> = answers.iter().map(|(question, _)| question.clone()).collect();
        let run = check(&file, &asked, &options, &Budget::unlimited(), &()).expect("it can be run");
        for (answer, run) in answers.iter().zip(&run.answers) {
            // Strong fairness under another convention about runs that end is not known of graphs.
            let untold = deadlock.is_some() && text.contains("strong fair") && run.value() == Belnap::Unknown;
            if untold || !matches!(answer.1.value(), Belnap::True | Belnap::False) {
                continue;
            }
            definite.set(definite.get() + 1);
            assert_eq!(answer.1.value(), run.value(), "{} with {deadlock:?}\n{text}", run.name);
            let from_every_start = answer.1.run().is_some() && matches!(answer.1.basis(), Some(Basis::Structure(..)));
            let strong = text.contains("strong fair") && matches!(answer.1.basis(), Some(Basis::Structure(..)));
            if (!answer.1.ranking().is_empty() || from_every_start || strong) && deadlock.is_none() {
                ranked.set(ranked.get() + 1);
                let proof = certificate(&file, answer);
                for solver in &solvers {
                    assert_eq!(refused_by(solver, &path, &proof), None, "{} by {solver:?}\n{text}", run.name);
                }
            }
        }
    });
    assert!(definite.get() > 20 && ranked.get() > 0, "{} definite, {} by ranking", definite.get(), ranked.get());
}

#[test]
fn blocked_runs_mean_what_the_option_says() {
    let (_, file) = corpus("unbounded", "assume_blocks");
    for (deadlock, value, warned) in [
        (None, Belnap::True, true),
        (Some(Deadlock::Mu), Belnap::True, false),
        (Some(Deadlock::Maximal), Belnap::False, false),
    ] {
        let options = CheckOptions { deadlock, ..CheckOptions::default() };
        let answers = abstracted(&file, &["af".to_owned()], &options);
        assert_eq!(answers[0].1.value(), value, "{deadlock:?}");
        let codes: Vec<_> = answers[0].1.warnings.iter().map(|warning| warning.code).collect();
        assert_eq!(codes.contains(&"W0411"), warned, "{deadlock:?}: {codes:?}");
    }
}

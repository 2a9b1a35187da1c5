//! Games of small programs whose winners are known.

use tertium_base::Budget;
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::program::from_text;
use tertium_load::questions::{PropertyQuery, Question, questions};

use super::{CheckOptions, games};

fn answers(text: &str, options: &CheckOptions) -> Result<Vec<Belnap>, Failure> {
    let file = from_text("game.gcl", text.to_owned(), &[], None).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let asked = questions(&file, &[], false).expect("all names are known");
    let properties: Vec<&PropertyQuery> = asked
        .iter()
        .filter_map(|question| match question {
            Question::Property(asked) => Some(&**asked),
            _ => None,
        })
        .collect();
    let found = games::check(&file, &properties, options, &Budget::unlimited(), &())?;
    Ok(found.iter().map(tertium_cegar::answer::ProgramAnswer::value).collect())
}

#[track_caller]
fn check(program: &str, expected: &[(&str, Belnap)]) {
    let properties = expected.iter().enumerate().map(|(at, (formula, _))| format!("property p{at} : {formula}\n"));
    let text = format!("system game\n{program}\n{}", properties.collect::<String>());
    let found = answers(&text, &CheckOptions::default()).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    for ((formula, value), found) in expected.iter().zip(found) {
        assert_eq!(found, *value, "{formula} of {program}");
    }
}

/// Whoever is to move loses iff the heap is a multiple of four.
#[test]
fn nim_is_won_by_leaving_multiples_of_four() {
    for heap in 1..=9 {
        let takes = |me: &str, other: &str| {
            let take = |n: usize| {
                format!("{{ when turn = {me} && heap >= {n} do heap, turn, last := heap - {n}, {other}, {me}; }}")
            };
            format!("loop {{ choose {} or {} or {} }}", take(1), take(2), take(3))
        };
        let program = format!(
            "type Who = {{a, b}} var heap : 0..9 = {heap} var turn : Who = a var last : Who = b\n\
             process A {{ {} }} process B {{ {} }}",
            takes("a", "b"),
            takes("b", "a")
        );
        let wins = Belnap::from(heap % 4 != 0);
        let loses = Belnap::from(heap % 4 == 0);
        check(
            &program,
            &[
                ("atl <<A>> F (heap = 0 && last = a)", wins),
                ("atl <<B>> F (heap = 0 && last = b)", loses),
                ("atl <<scheduler, B>> F (heap = 0 && last = b)", loses),
                ("atl <<A, B>> F (heap = 0 && last = b)", Belnap::from(heap > 1)),
                ("atl <<>> F heap = 0", Belnap::True),
                ("atl [[A]] F heap = 0", Belnap::True),
            ],
        );
    }
}

const TWO: &str = "var x : 0..1 = 0 var y : 0..1 = 0 process P { x := 1; } process Q { loop { y := 1 - y; } }";

/// A scheduler that owes nothing lets a process wait for ever; one that is fair does not.
#[test]
fn fairness_is_a_promise_of_the_scheduler() {
    check(
        TWO,
        &[
            ("atl <<P>> F x = 1", Belnap::False),
            ("atl <<scheduler>> G x = 0", Belnap::True),
            ("atl <<P, scheduler>> F x = 1", Belnap::True),
            ("atl [[scheduler]] F y = 1", Belnap::True),
            ("atl <<all>> F x = 1", Belnap::True),
        ],
    );
    check(
        &format!("{TWO} fair P"),
        &[
            ("atl <<P>> F x = 1", Belnap::True),
            ("atl <<>> F x = 1", Belnap::True),
            ("atl <<scheduler>> G x = 0", Belnap::False),
            ("atl <<scheduler>> (x = 0 U y = 1)", Belnap::True),
            ("atl* <<scheduler>> (F x = 1 && G F y = 1)", Belnap::True),
        ],
    );
}

#[test]
fn the_environment_is_one_player_with_the_scheduler() {
    let program = "var x : 0..2 = 0 process P { choose { x := 1; } or { x := 2; } } process Q { loop { skip; } }";
    check(
        &format!("{program} environment Q"),
        &[
            ("atl <<system>> F x = 1", Belnap::False),
            ("atl <<system>> G x != 1", Belnap::True),
            ("atl <<environment>> G x = 0", Belnap::True),
            ("atl <<environment>> F x = 1", Belnap::False),
            ("atl <<environment, system>> F x = 1", Belnap::True),
        ],
    );
    let all = format!("{program} environment P, Q");
    check(&all, &[("atl <<environment>> F x = 1", Belnap::True)]);
}

/// A module's property holds whatever moves the environment leaves out.
#[test]
fn modules_are_open_programs() {
    let program =
        "var x : 0..2 = 0 process P { loop { x := 1; x := 0; } } process Q { loop { x := 2; x := 0; } } environment Q";
    let module = CheckOptions { module: true, ..CheckOptions::default() };
    let text = |formula: &str| format!("system m\n{program}\nproperty p : {formula}\n");
    let value =
        |formula: &str| answers(&text(formula), &module).unwrap_or_else(|error| panic!("{formula}: {error:?}"))[0];
    assert_eq!(value("ctl EF x = 2"), Belnap::False);
    assert_eq!(value("ctl AG x <= 2"), Belnap::True);
    let closed = "system m\nvar x : 0..1 = 0\nprocess P { x := 1; }\nproperty p : ctl EF x = 1\n";
    assert!(answers(closed, &module).is_err());
}

#[test]
fn unknown_players_are_refused() {
    let text = format!("system game\n{TWO}\nproperty p : atl <<R>> F x = 1\n");
    let mistakes = from_text("game.gcl", text, &[], None).expect_err("R is no player");
    assert!(format!("{mistakes:?}").contains("no player named `R`"));
    let text = format!("system game\n{TWO}\nenvironment P\nproperty p : atl <<P>> F x = 1\n");
    assert!(from_text("game.gcl", text, &[], None).is_err(), "there are two players only");
}

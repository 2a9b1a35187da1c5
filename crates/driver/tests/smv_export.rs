//! Can what is exported as SMV be read again?

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, Extras, check, export, from_text, smv};

/// Whatever a variable of a program is called, what is exported can be read.
#[test]
fn exported_programs_are_read_whatever_their_names() {
    let mut tried = 0;
    for word in tertium_smv::KEYWORDS {
        let text = format!(
            "system names\nvar {word} : 0..3 = 0\nprocess P {{ loop {{ when {word} < 3 do {word} := {word} + 1 }} }}\nproperty small : ltl G ({word} <= 3)\n"
        );
        // What is reserved in guarded commands is no name there.
        let Ok(file) = from_text("names.gcl", text, &[], None) else { continue };
        let exported = export::smv::text(&file).unwrap_or_else(|why| panic!("{word}: {why:?}"));
        let read = smv::from_text("names.smv", &exported, &[], None, &[], &Extras::default());
        let read = read.unwrap_or_else(|why| panic!("{word}: {why:?}\n{exported}"));
        let asked = questions(&read, &["small".to_owned()], false).expect("it is there");
        let found = check(&read, &asked, &CheckOptions::default(), &Budget::unlimited(), &());
        let found = found.unwrap_or_else(|why| panic!("{word}: {why:?}"));
        assert_eq!(found.answers[0].value(), Belnap::True, "{word}\n{exported}");
        tried += 1;
    }
    assert!(tried > 40, "only {tried} names");
}

//! Which values does a variable have at each place?

use tertium_load::program::from_text;
use tertium_program::analysis::ValueSets;
use tertium_program::{Program, VarId};

fn program(text: &str) -> Program {
    from_text("model.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}")).program
}

fn bounds(text: &str) -> Option<(i64, i64)> {
    ValueSets::of(&program(text)).bounds(VarId::new(0))
}

#[test]
fn values_are_followed_from_place_to_place() {
    let begin = "system s\nvar x : -1000000..1000000 = 0\n";
    let squares = format!("{begin}process P {{ x := 3; x := x * x; x := x - 10 }}\n");
    assert_eq!(bounds(&squares), Some((-1, 9)));
    let up = format!("{begin}process P {{ loop {{ when x < 5 do x := x + 1 }} }}\n");
    assert_eq!(bounds(&up), Some((0, 5)));
}

#[test]
fn what_others_write_or_grows_may_be_anything() {
    let begin = "system s\nvar x : -1000000..1000000 = 0\n";
    let both = format!("{begin}process P {{ x := 3 }}\nprocess Q {{ x := 4 }}\n");
    assert_eq!(bounds(&both), None);
    let far = format!("{begin}process P {{ loop {{ when x < 5000 do x := x + 1 }} }}\n");
    assert_eq!(bounds(&far), None);
    let from = format!("{begin}var y : 0..3\nprocess P {{ x := y }}\nprocess Q {{ y := 1 }}\n");
    assert_eq!(bounds(&from), None);
}

//! What becomes of a finite program as bits: which cell has which bits, and how large sets and relation are.
//!
//! After an intended change run with `INSTA_UPDATE=always`, and read the difference before keeping it.

use std::fmt::Write as _;
use std::path::Path;

use tertium_base::Budget;
use tertium_encode::{Encoding, InstantiatedProgram};
use tertium_load::program::load;

fn shown(encoding: &Encoding<'_>) -> String {
    let mut text = String::new();
    for cell in &encoding.cells().cells {
        let bits: Vec<String> =
            cell.bits.iter().map(|(now, later)| format!("{}/{}", now.index(), later.index())).collect();
        let _ = write!(text, "slot {:>2}: {}..{}", cell.slot, cell.lo, cell.hi);
        let _ =
            writeln!(text, "  bits now/later {}{}", bits.join(" "), if cell.open { "  starts with any" } else { "" });
    }
    for pid in 0..encoding.program().instances.len() {
        let parts = encoding.steps_of(u32::try_from(pid).expect("few processes")).len();
        let _ = writeln!(text, "process {pid}: {parts} parts of the relation");
    }
    let figures = encoding.figures();
    let _ = writeln!(
        text,
        "{} states reached, {} bits, {} nodes of the relation, {} nodes of what is reached",
        figures.states, figures.bits, figures.relation_nodes, figures.reached_nodes
    );
    text
}

#[test]
fn encodings_are_what_they_were() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, path) in [("polite", "docs/guide/models/polite.gcl"), ("peterson", "examples/peterson.gcl")] {
        let file = load(&root.join(path), &[], None, &[]).expect("it compiles");
        let subject = InstantiatedProgram::new(&file.program, &[]).expect("it is finite");
        let encoding = Encoding::of(&subject, &Budget::unlimited(), &mut |_| {}).expect("no limit is set");
        insta::assert_snapshot!(name, shown(&encoding));
    }
}

//! What becomes of a text: its program graph.
//!
//! After an intended change run with `INSTA_UPDATE=always`, and read the difference before keeping it.

#[test]
fn program_graphs_are_what_they_were() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/gcl");
    for name in ["tickets", "mutex_flags"] {
        let text = std::fs::read_to_string(folder.join(name).with_extension("gcl")).expect("the corpus");
        let program = tertium_gcl::compile(&text).program.expect("it compiles");
        insta::assert_snapshot!(name, program.show_all());
    }
}

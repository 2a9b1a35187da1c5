//! The transcripts in the guide and in `tests/cmd` are what the program prints.
//!
//! After an intended change run with `TRYCMD=overwrite`, and read the difference before keeping it.

#[test]
fn transcripts_are_what_the_program_prints() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    std::env::set_current_dir(root).unwrap_or_else(|error| panic!("{root}: {error}"));
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        // How long a run takes must not be seen in what it prints.
        .env("TERTIUM_PROGRESS", "off")
        .default_bin_name("tertium")
        .case("docs/checking.md")
        .case("docs/programs.md")
        .case("docs/refinement.md")
        .case("docs/promela.md")
        .case("docs/spotlight.md")
        .case("docs/guide/*.md")
        .case("docs/papers/*.md")
        .case("docs/symbolic.md")
        .case("apps/tertium/tests/cmd/*.md");
}

//! `tertium export`: what is written for other checkers and as other kinds of structures is read again, and says the same.

mod common;

use std::path::Path;

use common::{folder, tertium};

const DESIGN: &str = "props p, q\nstate s p: t, q: ?\nstate u p: f, q: t\ninit s\ns -must-> u\ns -may-> s\nu -may-> s\nu -must-> u\n\
                      property a : ctl EX q & AX (p | q)\nproperty b : ltl G (p | q)\nproperty c : ctl AG EF p\nproperty d : ctl AX !q\n";

fn values(folder: &Path, file: &str) -> Vec<(String, String)> {
    common::values(&common::json(&tertium(folder, &["check", file, "--format", "json"])))
}

#[test]
fn translations_have_the_same_values() {
    let folder = folder("translations");
    std::fs::write(folder.join("design.kmts"), DESIGN).expect("it is written");
    let expected = values(&folder, "design.kmts");
    let decided: Vec<&str> = expected.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(decided, ["true", "true", "unknown", "false"]);
    for (target, file) in [("pks", "pks.kmts"), ("pks", "pks.json"), ("mixed", "mixed.kmts")] {
        let written = tertium(&folder, &["export", "design.kmts", "--to", target, "-o", file]);
        assert_eq!(written.status.code(), Some(0), "{}", String::from_utf8_lossy(&written.stderr));
        assert_eq!(values(&folder, file), expected, "{file}");
    }
    let written = tertium(&folder, &["export", "design.kmts", "--to", "mts", "-o", "mts.kmts"]);
    assert!(String::from_utf8_lossy(&written.stderr).contains("W0317"));
    let branching: Vec<_> = expected.iter().filter(|(name, _)| name != "b").cloned().collect();
    assert_eq!(values(&folder, "mts.kmts"), branching);
}

#[test]
fn completions_decide_and_are_written_for_other_checkers() {
    let folder = folder("completions");
    std::fs::write(folder.join("design.kmts"), DESIGN).expect("it is written");
    let written = tertium(&folder, &["export", "design.kmts", "--to", "completions", "-o", "runs"]);
    let told = String::from_utf8_lossy(&written.stdout).into_owned();
    assert_eq!(
        told,
        "runs/pessimistic.kmts  4 states, 12 edges; complete: a property holds here iff it is true\n\
         runs/optimistic.kmts  4 states, 12 edges; complete: a property fails here iff it is false\n"
    );
    for (at, (name, value)) in values(&folder, "design.kmts").into_iter().enumerate() {
        let (sure, possible) =
            (&values(&folder, "runs/pessimistic.kmts")[at], &values(&folder, "runs/optimistic.kmts")[at]);
        let together = match (sure.1.as_str(), possible.1.as_str()) {
            ("true", "true") => "true",
            ("false", "false") => "false",
            ("false", "true") => "unknown",
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(together, value, "{name}");
    }
    let smv = tertium(&folder, &["export", "runs/optimistic.kmts", "--to", "smv"]);
    assert!(String::from_utf8_lossy(&smv.stdout).contains("CTLSPEC NAME a := "));
    let open = tertium(&folder, &["export", "design.kmts", "--to", "smv"]);
    assert_eq!(open.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&open.stderr).contains("--to completions"));
    let nowhere = tertium(&folder, &["export", "design.kmts", "--to", "completions"]);
    assert_eq!(nowhere.status.code(), Some(2));
    let lattice = "lattice chain3\nstate s p: 1\nstate u p: 2\ninit s\ns -[1]-> u\nu -[2]-> u\nproperty e : ctl EF p\n";
    std::fs::write(folder.join("lattice.kmts"), lattice).expect("it is written");
    let cuts = tertium(&folder, &["export", "lattice.kmts", "--to", "completions", "-o", "cuts"]);
    assert_eq!(String::from_utf8_lossy(&cuts.stdout).lines().count(), 2, "{}", String::from_utf8_lossy(&cuts.stderr));
    assert_eq!(
        [values(&folder, "cuts/at-1.kmts")[0].1.as_str(), values(&folder, "cuts/at-2.kmts")[0].1.as_str()],
        ["true", "false"]
    );
}

#[test]
fn transition_systems_of_other_tools_are_read() {
    let coffee = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/good");
    let checked = tertium(
        &coffee,
        &["check", "coffee.aut", "--logic", "mu", "-p", "[coin] <tau> <coffee !1> true", "-p", "<tea !1> true"],
    );
    assert_eq!(checked.status.code(), Some(10), "{}", String::from_utf8_lossy(&checked.stderr));
}

//! The program where there is no solver: what needs none works as ever, and what needs it says so.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// Running it does not end; abstraction decides it.
const ENDLESS: &str = "system endless
var x : nat = 0
process P { loop { x := x + 1 } }
property grows : ltl G x >= 0
property small : ltl G x <= 50000
";

const STRUCTURE: &str = "props p\nstate s p: t\ninit s\ntotal\ns -must-> s\nproperty always : ctl AG p\n";

const PROMELA: &str =
    "byte n;\nactive proctype P() { do :: n < 9 -> n++ :: n > 0 -> n-- od }\nltl low { [] (n < 10) }\n";

/// A folder with a copy of the program, some models, and nothing of the solver in or near it.
fn bare() -> &'static Path {
    static ROOM: OnceLock<PathBuf> = OnceLock::new();
    ROOM.get_or_init(|| {
        let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without-solver/deep/below");
        let _ = std::fs::remove_dir_all(&room);
        std::fs::create_dir_all(&room).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_tertium"), room.join("tertium")).unwrap();
        for (name, text) in [("endless.gcl", ENDLESS), ("one.kmts", STRUCTURE), ("counter.pml", PROMELA)] {
            std::fs::write(room.join(name), text).unwrap();
        }
        room
    })
}

/// The copy, where the solver is said to be at `library`.
fn run(library: &Path, arguments: &[&str]) -> Output {
    Command::new(bare().join("tertium"))
        .args(arguments)
        .current_dir(bare())
        .env("TERTIUM_Z3", library)
        .env_remove("LD_LIBRARY_PATH")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn without(arguments: &[&str]) -> (Option<i32>, String) {
    // The system's own libraries may hold one; where the variable points to nothing, they are not looked at.
    let output = run(&bare().join("nowhere/libz3.so"), arguments);
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code(), text)
}

/// Where the solver really is.
fn library() -> &'static Path {
    Path::new(env!("Z3_LIBRARY_PATH_OVERRIDE"))
}

#[test]
fn what_needs_no_solver_works() {
    for (arguments, expected) in [
        (&["--version"][..], "tertium "),
        (&["--help"], "check"),
        (&["check", "one.kmts"], "1 property: 1 true"),
        (&["check", "counter.pml"], "low: [] (n < 10)"),
        (&["check", "endless.gcl", "--abstraction", "none", "--max-states", "100"], "unknown  grows"),
        (&["fmt", "endless.gcl", "--check"], ""),
        (&["simulate", "counter.pml", "--steps", "3"], ""),
    ] {
        let (code, text) = without(arguments);
        assert!(matches!(code, Some(0 | 1 | 5)), "{arguments:?}: {code:?}\n{text}");
        assert!(text.contains(expected) && !text.contains("Z3"), "{arguments:?}:\n{text}");
    }
}

#[test]
fn nothing_is_linked_that_may_be_missing() {
    // Whatever the system has: without the variable the program starts, too.
    let output = Command::new(bare().join("tertium"))
        .arg("--version")
        .env_remove("TERTIUM_Z3")
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn abstraction_that_was_asked_for_is_refused_with_the_reason() {
    for arguments in [&["--abstraction", "boolean"][..], &["--spotlight", "P"]] {
        let (code, text) = without(&[&["check", "endless.gcl"], arguments].concat());
        assert_eq!(code, Some(2), "{text}");
        for part in ["error[E0332]", "the library of the solver Z3 was not found", "nowhere/libz3.so`", "TERTIUM_Z3="] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
    }
}

#[test]
fn what_only_abstraction_decides_stays_open_and_says_why() {
    let (code, text) = without(&["check", "endless.gcl", "--only", "grows"]);
    assert_eq!(code, Some(5), "{text}");
    assert!(text.contains("unknown  grows") && text.contains("abstraction was not tried"), "{text}");
    assert!(text.contains("E0332") && text.contains("TERTIUM_Z3="), "{text}");
    let (code, text) = without(&["check", "endless.gcl", "--only", "small"]);
    assert_eq!(code, Some(10), "running it for longer finds the counterexample: {text}");
}

#[test]
fn the_variable_names_the_library_or_its_folder() {
    for place in [library().to_owned(), library().join("libz3.so")] {
        let output = run(&place, &["check", "endless.gcl", "--only", "grows"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn obligations_that_nobody_can_decide_are_no_proof() {
    let output = run(library(), &["check", "endless.gcl", "--only", "grows", "--evidence", "evidence", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let certify = ["certify", "endless.gcl", "evidence/grows.cert.json", "--only", "grows"];
    assert_eq!(run(library(), &certify).status.code(), Some(0));
    let (code, text) = without(&certify);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("error[E0632]") && text.contains("--solver"), "{text}");
}

//! How does time grow with the number of variables, and of loops?
//!
//! Families of programs that end, or in which a goal can always be reached, over more and more variables and loops: one after the other, and one inside the other. A size that takes longer than the limit is the last.

use std::path::Path;
use std::time::Instant;

use tertium_driver::Belnap;

use super::asked::{loaded, value};
use super::say;

/// A family: its name, its sizes, the program of a size. Its property is `goal`, and true.
struct Family {
    name: &'static str,
    sizes: &'static [usize],
    text: fn(usize) -> String,
}

const FAMILIES: [Family; 5] = [
    Family { name: "variables, AF", sizes: &[1, 2, 4, 6, 8, 10], text: |n| counters(n, "ctl AF P@done") },
    Family { name: "variables, F", sizes: &[1, 2, 4, 6, 8, 10], text: |n| counters(n, "ltl F P@done") },
    Family { name: "variables, AG EF", sizes: &[1, 2, 3, 4, 6], text: chosen },
    Family { name: "loops in turn, AF", sizes: &[1, 2, 4, 6, 8, 10], text: in_turn },
    Family { name: "nested loops, AF", sizes: &[1, 2, 3, 4, 5], text: nested },
];

/// Tells the times; whether no answer is wrong.
pub fn tell() -> bool {
    say("");
    say("growth, seconds by size");
    let mut right = true;
    for Family { name, sizes, text } in FAMILIES {
        let mut line = format!("{name:<18}");
        for &size in sizes {
            let start = Instant::now();
            let found = loaded(Path::new("growing.gcl"), &text(size)).map(|file| value(&file, "goal"));
            let seconds = start.elapsed().as_secs_f64();
            match found {
                Ok(Some(Belnap::True)) => line.push_str(&format!("  {size}: {seconds:.2}")),
                Ok(Some(Belnap::Unknown) | None) => {
                    line.push_str(&format!("  {size}: open after {seconds:.2}"));
                    break;
                }
                Ok(Some(_)) => {
                    line.push_str(&format!("  {size}: WRONG"));
                    right = false;
                }
                Err(why) => {
                    line.push_str(&format!("  {size}: {why}"));
                    right = false;
                }
            }
        }
        say(&line);
    }
    right
}

fn names(count: usize) -> Vec<String> {
    (1..=count).map(|at| format!("x{at}")).collect()
}

/// Each step makes one of the variables smaller.
fn counters(count: usize, property: &str) -> String {
    let names = names(count);
    let some: Vec<String> = names.iter().map(|name| format!("{name} > 0")).collect();
    let steps: Vec<String> =
        names.iter().map(|name| format!("{{ when {name} > 0 do {name} := {name} - 1; }}")).collect();
    format!(
        "system counters\nvar {} : int\nprocess P {{ while {} {{ choose {} }} done: loop {{ skip; }} }}\nproperty goal : {property}\n",
        names.join(", "),
        some.join(" || "),
        steps.join(" or ")
    )
}

/// Each variable goes up or down; all of them can always be made large.
fn chosen(count: usize) -> String {
    let names = names(count);
    let steps: Vec<String> = names
        .iter()
        .flat_map(|name| [format!("{{ {name} := {name} + 1; }}"), format!("{{ {name} := {name} - 1; }}")])
        .collect();
    let goal: Vec<String> = names.iter().map(|name| format!("{name} > 9")).collect();
    format!(
        "system chosen\nvar {} : int = 0\nprocess P {{ loop {{ choose {} }} }}\nproperty goal : ctl AG EF ({})\n",
        names.join(", "),
        steps.join(" or "),
        goal.join(" && ")
    )
}

/// Loops one after the other, each over a variable of its own.
fn in_turn(count: usize) -> String {
    let names = names(count);
    let loops: Vec<String> = names.iter().map(|name| format!("while {name} > 0 {{ {name} := {name} - 1; }}")).collect();
    format!(
        "system in_turn\nvar {} : int\nprocess P {{ {} done: loop {{ skip; }} }}\nproperty goal : ctl AF P@done\n",
        names.join(", "),
        loops.join(" ")
    )
}

/// Loops one inside the other; an outer step sets the inner variable to anything.
fn nested(count: usize) -> String {
    let names = names(count);
    let text = names.iter().rev().fold(String::new(), |inner, name| {
        let again = if inner.is_empty() { String::new() } else { inner };
        format!("{name} := *; while {name} > 0 {{ {name} := {name} - 1; {again} }}")
    });
    format!(
        "system nested\nvar {} : int = 0\nprocess P {{ {text} done: loop {{ skip; }} }}\nproperty goal : ctl AF P@done\n",
        names.join(", ")
    )
}

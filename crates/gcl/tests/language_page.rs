//! The page that describes the language is right: its programs are accepted, its mistakes refused, and those that can be run
//! keep what they assert.

use tertium_base::{Budget, SourceFile, render::render};
use tertium_program::{Outcome, Semantics};

const PAGE: &str = include_str!("../../../docs/language.md");

/// The fenced blocks with what follows the fence's ticks, and their line numbers.
fn blocks() -> Vec<(String, String, usize)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String, usize)> = None;
    for (number, line) in PAGE.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(kind)) => open = Some((kind.to_owned(), String::new(), number + 1)),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some((_, text, _)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

#[test]
fn every_example_is_accepted_and_every_mistake_refused() {
    let mut accepted = 0;
    for (kind, text, line) in blocks() {
        let compiled = tertium_gcl::compile(&text);
        let source = SourceFile::new(format!("docs/language.md:{line}"), text.clone());
        let messages: Vec<String> = compiled.diagnostics.iter().map(|d| render(d, Some(&source), false)).collect();
        match kind.split_once(' ') {
            _ if kind == "gcl" => {
                assert!(messages.is_empty(), "{}", messages.join("\n"));
                assert_eq!(
                    tertium_gcl::format::format(&tertium_gcl::format::format(&text)),
                    tertium_gcl::format::format(&text)
                );
                accepted += 1;
            }
            Some(("gcl-error", code)) => {
                let codes: Vec<&str> = compiled.diagnostics.iter().map(|d| d.code).collect();
                assert_eq!(codes, [code], "line {line}");
            }
            _ => assert_eq!(kind, "text", "line {line}"),
        }
    }
    assert!(accepted >= 12, "{accepted}");
}

/// Runs a part of each example's state space: nothing that the page asserts fails.
#[test]
fn examples_that_can_be_run_keep_their_assertions() {
    let mut ran = 0;
    for (_, text, line) in blocks().into_iter().filter(|(kind, ..)| kind == "gcl") {
        let program = tertium_gcl::compile(&text).program.unwrap();
        let semantics = Semantics::new(&program);
        let Ok(mut states) = semantics.initial_states(10_000, &Budget::unlimited()) else { continue };
        let mut known: std::collections::HashSet<_> = states.iter().cloned().collect();
        let mut at = 0;
        while at < states.len().min(400) {
            for successor in semantics.successors(&states[at].clone()) {
                match successor.outcome {
                    Outcome::Next(state) if known.insert(state.clone()) => states.push(state),
                    Outcome::Next(_) => {}
                    Outcome::Fault { fault, .. } => {
                        assert!(!fault.kind.is_error(), "line {line}: {fault:?} at {:?}", successor.moves);
                    }
                }
            }
            at += 1;
        }
        ran += 1;
    }
    assert!(ran >= 9, "{ran}");
}

/// The page lists the words of the language; the lexer's list is tested through it.
#[test]
fn the_list_of_words_is_complete() {
    let list = PAGE.split("cannot be names:").nth(1).unwrap();
    let list = list[..list.find('.').unwrap()].replace('`', " ");
    for word in list.split_whitespace() {
        let text = format!("system s\nvar {word} : int");
        assert!(tertium_gcl::compile(&text).program.is_none(), "`{word}` can be a name");
    }
    assert_eq!(list.split_whitespace().count(), 44);
}

//! Why does refinement leave a question open, and what would help?

use crate::answer::Reason;

pub(super) fn reason(what: impl Into<String>, help: &str) -> Reason {
    Reason { what: what.into(), about: None, span: None, help: help.to_owned() }
}

pub(super) fn too_many_states() -> Reason {
    reason("there are more abstract states than the limit allows", "raise `--max-states`, or take fewer predicates")
}

pub(super) fn no_value() -> Reason {
    reason("an atom of the property may have no value in a state that can be reached", "guard divisions and indices")
}

pub(super) fn functions() -> Reason {
    reason(
        "whether it fails depends on a function of which nothing is known",
        "a property is false only if it fails whatever the functions are",
    )
}

pub(super) fn gave_up() -> Reason {
    reason("the solver gave up on a path", "give it more time with `--solver-timeout`")
}

pub(super) fn no_progress() -> Reason {
    reason("no new predicate was found that excludes a path which no run follows", "add one: `--predicate EXPR`")
}

pub(super) fn multiply(count: usize) -> Reason {
    reason(
        format!(
            "every round needs more predicates than the one before, {count} by now, and a bad state may still be reached"
        ),
        "run it: `--abstraction none`, or say what matters: `--predicate EXPR`",
    )
}

pub(super) fn not_repeated() -> Reason {
    reason("a path was found that could not be repeated by the definition of a step", "run it: `--abstraction none`")
}

pub(super) fn no_start() -> Reason {
    reason(
        "no run does that, but it is not known whether the program has an initial state",
        "look at `init`: if no values satisfy it, every property holds",
    )
}

pub(super) fn several_starts() -> Reason {
    reason(
        "one initial state has such a run; whether all have is open",
        "give all variables initial values, or ask from one of them",
    )
}

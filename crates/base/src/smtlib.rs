//! How is a name of a program written in SMT-LIB 2?
//!
//! Whoever writes questions for a solver spells names the same way. A solver may refuse a name that means something to it already,
//! between bars too.

/// Words that solvers do not let a script declare: the standard's own, and those of the theories that come with `ALL`.
#[rustfmt::skip]
const RESERVED: [&str; 66] = [
    "BINARY", "DECIMAL", "HEXADECIMAL", "NUMERAL", "RNA", "RNE", "RTN", "RTP", "RTZ", "STRING", "_", "abs", "and",
    "arccos", "arcsin", "arctan", "as", "assert", "bag", "bv2nat", "char", "choose", "concat", "cos", "cot", "csc",
    "distinct", "div", "divisible", "exists", "exit", "exp", "false", "forall", "fp", "iand", "implies", "is",
    "is_int", "ite", "lambda", "let", "match", "mod", "not", "or", "par", "pi", "pop", "pto", "push", "sec", "select",
    "sep", "sin", "sqrt", "store", "tan", "to_fp", "to_int", "to_real", "true", "tuple", "update", "wand", "xor",
];

/// A name as a symbol: as it is, between bars if it needs them, and marked with `$` where it would mean something else.
#[must_use]
pub fn symbol(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let known = RESERVED.contains(&name) || name.starts_with("bv");
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(plain) && !known {
        return name.to_owned();
    }
    // What begins with `@` or a dot belongs to the solver.
    let marked = known || name.starts_with(['@', '.']);
    let name = name.replace(['|', '\\'], "_");
    if marked { format!("|${name}|") } else { format!("|{name}|") }
}

#[cfg(test)]
mod tests {
    use super::symbol;

    #[test]
    fn names_are_written_as_they_are_where_that_is_possible() {
        for (name, written) in [
            ("left", "left"),
            ("x'", "|x'|"),
            ("P[1].seen", "|P[1].seen|"),
            ("1st", "|1st|"),
            ("", "||"),
            ("a|b\\c", "|a_b_c|"),
            ("select", "|$select|"),
            ("bvadd", "|$bvadd|"),
            ("_", "|$_|"),
            ("@P", "|$@P|"),
        ] {
            assert_eq!(symbol(name), written);
        }
    }
}

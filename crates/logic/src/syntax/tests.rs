//! What the syntax promises: grammar, round trips, depth, and messages.

use super::parse::{ParseOptions, Parsed, parse};
use crate::formula::{Formula, Logic};
use crate::testing::{Random, random_formula};

fn read(text: &str, logic: Logic) -> Formula {
    let parsed = parse(text, &ParseOptions::in_logic(logic));
    parsed.formula.unwrap_or_else(|| panic!("`{text}` as {}: {:?}", logic.name(), parsed.diagnostics))
}

fn free(text: &str) -> Parsed {
    parse(text, &ParseOptions::default())
}

#[track_caller]
fn check(text: &str, logic: Logic, canonical: &str) {
    assert_eq!(read(text, logic).text(), canonical, "`{text}` as {}", logic.name());
}

#[track_caller]
fn refused(text: &str, logic: Option<Logic>, code: &str) -> String {
    let parsed = parse(text, &ParseOptions { logic, elements: Vec::new() });
    assert!(parsed.formula.is_none(), "`{text}` is accepted");
    let first = parsed.diagnostics.first().unwrap_or_else(|| panic!("`{text}`: nothing said"));
    assert_eq!(first.code, code, "`{text}`: {first:?}");
    assert!(first.primary.is_some(), "`{text}`: no place");
    format!("{first:?}")
}

#[test]
fn connectives_bind_as_the_grammar_says() {
    for (text, canonical) in [
        ("a <-> b <-> c", "a <-> b <-> c"),
        ("a <-> (b <=> c)", "a <-> (b <-> c)"),
        ("a -> b => c", "a -> b -> c"),
        ("(a -> b) -> c", "(a -> b) -> c"),
        ("a || b && c \\/ d /\\ e", "a | b & c | d & e"),
        ("a | b xor c & d", "a | b xor c & d"),
        ("(a | b) xor c", "(a | b) xor c"),
        ("not a and b or c", "!a & b | c"),
        ("!(a & b)", "!(a & b)"),
        ("~~a", "!!a"),
        ("a & (b & c)", "a & (b & c)"),
        ("(a & b) & c", "a & b & c"),
    ] {
        check(text, Logic::Pml, canonical);
    }
    for (text, canonical) in [
        ("a U b U c", "a U b U c"),
        ("(a U b) U c", "(a U b) U c"),
        ("a & b U c | d", "a & b U c | d"),
        ("X a U F b", "X a U F b"),
        ("[] <> p", "G F p"),
        ("p V q W r M s", "p R q W r M s"),
        ("! X (a U b)", "!X (a U b)"),
        ("G(a->F b)", "G (a -> F b)"),
    ] {
        check(text, Logic::Ltl, canonical);
    }
}

#[test]
fn each_logic_has_its_operators() {
    check("A[p -> q U r]", Logic::Ctl, "A[(p -> q) U r]");
    check("A(a U b) & E [ a R b ]", Logic::Ctl, "A[a U b] & E[a R b]");
    check("AG EF p", Logic::Ctl, "AG EF p");
    check("A[p -> q U r]", Logic::CtlStar, "A (p -> q U r)");
    check("A F G p & AF E[X p]", Logic::CtlStar, "AF G p & AF EX p");
    check("A []p", Logic::CtlStar, "AG p");
    check("<a> [b] <true>[]<> AX EX p", Logic::Pml, "<a> [b] EX AX EX AX EX p");
    check("nu X.p & []X", Logic::Mu, "nu X. p & AX X");
    check("(mu X. p | <a>X) & q", Logic::Mu, "(mu X. p | <a> X) & q");
    check("q & mu X. p | <a>X", Logic::Mu, "q & mu X. p | <a> X");
    check("!mu X0. nu X. X0 & X", Logic::Mu, "!mu X0. nu X. X0 & X");
    check("mu X. X & nu X. X", Logic::Mu, "mu X. X & nu X. X");
}

#[test]
fn keywords_do_not_swallow_names() {
    check("Fp U FX", Logic::Ltl, "Fp U FX");
    check("X & F", Logic::Ctl, "X & F");
    check("U | mu", Logic::Pml, "U | mu");
    check("A & E", Logic::Ltl, "A & E");
    check(
        "P[2].x & P@label & P[1]@crit & x=3 & y = -2 & z == idle",
        Logic::Ltl,
        "P[2].x & P@label & P[1]@crit & x=3 & y=-2 & z=idle",
    );
    check("\"x > 0\" & \"say \\\"hi\\\"\"", Logic::Ltl, "\"x > 0\" & \"say \\\"hi\\\"\"");
    check("A[2] & A[0].b", Logic::Ctl, "A[2] & A[0].b");
    let shared = read("\"p\" & p", Logic::Ltl);
    assert_eq!(shared.atoms().len(), 1);
}

#[test]
fn lattice_constants_are_told_from_atoms() {
    let options = ParseOptions { logic: Some(Logic::Ctl), elements: vec!["high".into()] };
    let formula = parse("high & AG low & \"high\"", &options).formula.unwrap();
    assert_eq!(formula.elements(), ["high"]);
    assert_eq!(formula.atoms().len(), 2);
    assert_eq!(formula.text(), "high & AG low & \"high\"");
}

#[test]
fn the_least_logic_that_fits_is_taken() {
    for (text, logic) in [
        ("p & !q", Logic::Pml),
        ("AX p", Logic::Pml),
        ("AG EF p", Logic::Ctl),
        ("A[p U q]", Logic::Ctl),
        ("G F p", Logic::Ltl),
        ("A F G p", Logic::CtlStar),
        ("nu X. p & [] X", Logic::Mu),
        ("<a> p", Logic::Pml),
        ("[] p U q", Logic::Ltl),
    ] {
        assert_eq!(free(text).formula.map(|formula| formula.logic()), Some(logic), "{text}");
    }
    let said = refused("[] (p | q)", None, "E0110");
    assert!(said.contains("G (p | q)") && said.contains("AX (p | q)"), "{said}");
}

#[test]
fn mistakes_are_placed_and_explained() {
    refused("", None, "E0100");
    refused("p # q", Some(Logic::Ltl), "E0101");
    refused("p &", Some(Logic::Ltl), "E0102");
    refused("(p", Some(Logic::Ltl), "E0104");
    refused("p)", Some(Logic::Ltl), "E0105");
    refused("A[p U q)", Some(Logic::Ctl), "E0105");
    refused("p U q", Some(Logic::Ctl), "E0106");
    refused("A[p]", Some(Logic::Ctl), "E0106");
    refused("A p", Some(Logic::Ctl), "E0106");
    refused("mu . p", Some(Logic::Mu), "E0107");
    refused("mu X p", Some(Logic::Mu), "E0107");
    refused("x = ", Some(Logic::Ltl), "E0108");
    refused("\"x", Some(Logic::Ltl), "E0109");
    refused("mu X. !X", Some(Logic::Mu), "E0111");
    refused("mu X. X -> p", Some(Logic::Mu), "E0111");
    refused("mu X. X <-> p", Some(Logic::Mu), "E0111");
    refused("F p", Some(Logic::CtlStar), "E0112");
    check("!mu X. !(!X & p)", Logic::Mu, "!mu X. !(!X & p)");
    let said = refused("F p", Some(Logic::Ctl), "E0103");
    assert!(said.contains("`AF` or `EF`") && said.contains("--logic ltl"), "{said}");
    let said = refused("AG p", Some(Logic::Ltl), "E0103");
    assert!(said.contains("--logic ctl"), "{said}");
    assert!(refused("p q", Some(Logic::Ltl), "E0103").contains("side by side"));
    assert!(refused("x < 3", Some(Logic::Ltl), "E0103").contains("quote"));
}

#[test]
fn several_mistakes_are_found_in_one_run() {
    let parsed = parse("(p & ) | q r & # | x =", &ParseOptions::in_logic(Logic::Ltl));
    let codes: Vec<_> = parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, ["E0101", "E0102", "E0103", "E0102", "E0108"]);
}

#[test]
fn depth_is_limited_by_memory_only() {
    let (depth, deeper) = (100_000, 1_000_000);
    for (text, logic) in [
        (format!("{}p{}", "(".repeat(deeper), ")".repeat(deeper)), Logic::Ctl),
        (format!("{}p", "X ".repeat(deeper)), Logic::Ltl),
        (format!("{}p", "!".repeat(depth)), Logic::Pml),
        (format!("p{}", " U p".repeat(depth)), Logic::Ltl),
        (format!("p{}", " & p".repeat(depth)), Logic::Mu),
        (format!("{}p{}", "A[q U ".repeat(depth), "]".repeat(depth)), Logic::Ctl),
        (format!("{}X", "mu X. ".repeat(depth)), Logic::Mu),
    ] {
        let formula = read(&text, logic);
        let again = read(&formula.text(), logic);
        assert_eq!(formula, again);
    }
    refused(&"(".repeat(depth), Some(Logic::Ltl), "E0102");
    refused(&")".repeat(depth), Some(Logic::Ltl), "E0102");
}

#[test]
fn printed_formulas_read_back_as_themselves() {
    let mut random = Random::new(11);
    for logic in Logic::ALL {
        for round in 0..2000 {
            let formula = random_formula(&mut random, logic, 1 + round % 25);
            let text = formula.text();
            let parsed = read(&text, logic);
            assert_eq!(parsed.text(), text);
            assert_eq!(read(&parsed.text(), logic), parsed, "{text}");
            assert_eq!(shape(&parsed), shape(&formula), "{text}");
        }
    }
}

/// The tree, fully bracketed, with variables named by their binders; independent of numbering.
fn shape(formula: &Formula) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for &node in formula.nodes() {
        let operands: Vec<&str> = node.children().map(|child| texts[child.index()].as_str()).collect();
        let head = match node {
            crate::Node::Atom(atom) => formula.atoms()[atom.index()].text.clone(),
            crate::Node::Var(variable) | crate::Node::Mu(variable, _) | crate::Node::Nu(variable, _) => {
                // Renaming keeps the original name in front.
                let name = &formula.variables()[variable.index()];
                let kind = format!("{node:?}").split('(').next().unwrap_or_default().to_owned();
                format!("{kind} {}", name.split('_').next().unwrap_or_default())
            }
            other => format!("{other:?}").split('(').next().unwrap_or_default().to_owned(),
        };
        texts.push(format!("{head}[{}]", operands.join(",")));
    }
    texts.pop().into_iter().collect()
}

#[test]
fn a_name_bound_twice_is_not_captured() {
    use crate::{FormulaBuilder, Node};
    let mut builder = FormulaBuilder::new();
    let outer = builder.fresh_variable("Z");
    let inner = builder.fresh_variable("Z");
    let outer_use = builder.add(Node::Var(outer));
    let inner_use = builder.add(Node::Var(inner));
    let both = builder.add(Node::And(outer_use, inner_use));
    let least = builder.add(Node::Mu(inner, both));
    let root = builder.add(Node::Nu(outer, least));
    let text = builder.finish(root, Logic::Mu).text();
    assert_eq!(text, "nu Z. mu Z_1_0. Z & Z_1_0");
}

#[test]
fn shared_parts_do_not_make_endless_texts() {
    use crate::{Atom, FormulaBuilder, Node};
    let mut builder = FormulaBuilder::new();
    let mut node = builder.atom(Atom { text: "U".into(), quoted: false });
    for _ in 0..200 {
        node = builder.add(Node::And(node, node));
    }
    let text = builder.finish(node, Logic::Ltl).short_text(100);
    assert!(text.starts_with("\"U\" & \"U\" & (\"U\"") && text.ends_with('…') && text.len() < 110, "{text}");
}

#[test]
fn coalitions_are_read_and_written() {
    check("<<P , Q,P>>F p", Logic::Atl, "<<P, Q>> F p");
    check("[[ P[2] ]] G p", Logic::Atl, "[[P[2]]] G p");
    check("<<>>X p & <<all>>(p U q)", Logic::Atl, "<<>> X p & <<all>> (p U q)");
    check("<<P>>[p W q] -> [[\"all\"]] (p R q)", Logic::Atl, "<<P>> (p W q) -> [[\"all\"]] (p R q)");
    check("AG <<\"the door\">> F p", Logic::Atl, "AG <<\"the door\">> F p");
    check("<<P>> (G F p & X q)", Logic::AtlStar, "<<P>> (G F p & X q)");
    check("<<P>> p", Logic::AtlStar, "<<P>> p");
    check("E[[[P]] F p U q]", Logic::Atl, "E ([[P]] F p U q)");
    for (text, logic) in [("<<P>> F p", Logic::Atl), ("[[P]] F G p", Logic::AtlStar), ("<<>> G p", Logic::Atl)] {
        assert_eq!(parse(text, &ParseOptions::default()).formula.expect("it is one").logic(), logic, "{text}");
    }
    refused("<<P F p", Some(Logic::Atl), "E0116");
    refused("<<P>> G F p", Some(Logic::Atl), "E0117");
    refused("<<P>> p", Some(Logic::Atl), "E0117");
    assert!(refused("<<P>> p U q", Some(Logic::Atl), "E0112").contains("<<P>> (p U q)"));
    assert!(refused("<<P>> F p", Some(Logic::Ltl), "E0102").contains("atl"));
}

#[test]
fn the_negation_of_a_coalition_is_its_dual() {
    let negated = |text: &str| crate::positive_normal_form(&read(text, Logic::Atl), true).text();
    assert_eq!(negated("<<P>> F p"), "[[P]] G !p");
    assert_eq!(negated("[[P, Q]] (p U <<R>> X q)"), "<<P, Q>> (!p R [[R]] X !q)");
}

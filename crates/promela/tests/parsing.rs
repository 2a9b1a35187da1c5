//! Is the text read as Spin reads it?

use tertium_promela::ast::{Formula, FormulaKind, Item, LtlOp, Stmt, StmtKind};
use tertium_promela::{Options, printer, read};

/// The statements of the first proctype, printed, with brackets for structure.
fn outline(body: &str) -> String {
    let text = format!(
        "mtype = {{ ack, nak }}; typedef T {{ byte f; byte g[3] }}; chan q = [2] of {{ byte, byte, byte }}; \
         proctype Q(byte n) {{ M: skip }} active proctype P() {{ byte a, b, i; byte v[3]; T s;\n{body} }}"
    );
    let model = read("m.pml", &text, &Options::default());
    assert_eq!(model.diagnostics, [], "{body}");
    let found = model.file.items.iter().find_map(|item| match item {
        Item::Proctype(proctype) if proctype.name.name == "P" => Some(sequence(&proctype.body[3..])),
        _ => None,
    });
    found.unwrap()
}

fn sequence(body: &[Stmt]) -> String {
    body.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn one(stmt: &Stmt) -> String {
    let labels: String = stmt.labels.iter().map(|label| format!("{}: ", label.name.name)).collect();
    let text = match &stmt.kind {
        StmtKind::Block(body) => format!("{{{}}}", sequence(body)),
        StmtKind::Atomic(body) => format!("atomic{{{}}}", sequence(body)),
        StmtKind::DStep(body) => format!("d_step{{{}}}", sequence(body)),
        StmtKind::Inline(inlined) => format!("{}{{{}}}", inlined.name.name, sequence(&inlined.body)),
        StmtKind::If(branches) | StmtKind::Do(branches) => {
            let word = if matches!(stmt.kind, StmtKind::If(_)) { "if" } else { "do" };
            let options: Vec<String> = branches.iter().map(|branch| sequence(&branch.body)).collect();
            format!("{word}[{}]", options.join(" | "))
        }
        StmtKind::Unless(body, escape) => format!("({} unless {})", one(body), one(escape)),
        kind => printer::kind(kind),
    };
    labels + &text
}

#[test]
fn statements() {
    assert_eq!(outline("a = 1; b++ -> a--;; skip"), "a = 1; b++; a--; skip");
    assert_eq!(outline("q!1,a+2,3; q!!a(b,1); q!ack(1,2)"), "q!1,a + 2,3; q!!a,b,1; q!ack,1,2");
    assert_eq!(
        outline("q?a,b,_; q??ack(a,eval(b)); q?<a,-1,v[i]>; q??<1,2,3>"),
        "q?a,b,_; q??ack,a,eval(b); q?<a,-1,v[i]>; q??<1,2,3>"
    );
    assert_eq!(
        outline("q?[a,b,1] && q??[1,2,3]; len(q) > 0; full(q) || nempty(q)"),
        "q?[a,b,1] && q??[1,2,3]; len(q) > 0; full(q) || nempty(q)"
    );
    assert_eq!(
        outline("if :: a -> b = 1 :: else fi; do :: break :: a > 1; skip od"),
        "if[a; b = 1 | else]; do[break | a > 1; skip]"
    );
    assert_eq!(
        outline("L: M: a = 1; N: if :: goto L :: goto N fi; E:"),
        "L: M: a = 1; N: if[goto L | goto N]; E: skip"
    );
    assert_eq!(
        outline("atomic { a = 1 } d_step { b = 2; { a = 3 } } a = 4"),
        "atomic{a = 1}; d_step{b = 2; {a = 3}}; a = 4"
    );
    assert_eq!(outline("{ a = 1 } unless { b }; a = 1 unless b"), "({a = 1} unless {b}); (a = 1 unless b)");
    assert_eq!(
        outline("for (i : 0..2) { v[i] = 1 }; for (i in v) { skip }; select (i : 1 .. a)"),
        "for (i : 0 .. 2); for (i in v); select (i : 1 .. a)"
    );
    assert_eq!(
        outline("run Q(a + 1) priority 2; a = run Q(1); assert(a == 1 || b); printf(\"%d\\n\", a)"),
        "run Q(a + 1) priority 2; a = run Q(1); assert(a == 1 || b); printf(\"%d\\n\", a)"
    );
    assert_eq!(outline("s.f = s.g[1]; xr q; Q@M && Q[1]@M; Q:n == 1"), "s.f = s.g[1]; xr q; Q@M && Q[1]@M; Q:n == 1");
    assert_eq!(outline("a --> b = 1"), "a; b = 1");
}

#[test]
fn operators_bind_as_in_spin() {
    assert_eq!(outline("a = -b * 2 - 3 - a"), "a = -b * 2 - 3 - a");
    assert_eq!(outline("a = (b - (2 - 3)) & 1 == 2"), "a = b - (2 - 3) & 1 == 2");
    assert_eq!(outline("a = !(a == b) << 1 | 3 ^ 4"), "a = !(a == b) << 1 | 3 ^ 4");
    assert_eq!(outline("a = !a == b"), "a = !a == b");
    assert_eq!(outline("a = (a < b -> 1 : (b -> 2 : 3))"), "a = (a < b -> 1 : (b -> 2 : 3))");
    assert_eq!(outline("a || b && a"), "a || b && a");
    assert_eq!(outline("(a || b) && a"), "(a || b) && a");
}

#[test]
fn line_ends_separate_statements_where_spin_says_so() {
    assert_eq!(
        outline("a = 1\nb = 2\nif\n:: a\n:: else\nfi\nbreak_: a++\n"),
        "a = 1; b = 2; if[a | else]; break_: a++"
    );
    assert_eq!(outline("a = b\n-1; skip"), "a = b; -1; skip");
    assert_eq!(outline("a = (b\n-1); skip"), "a = b - 1; skip");
    assert_eq!(outline("{ a = 1 }\nunless { b }\n"), "({a = 1} unless {b})");
    assert_eq!(outline("for (i in v)\n{ skip }\n"), "for (i in v)");
}

#[test]
fn inlines_are_put_in_place() {
    let text = "inline add(x, n) { byte t; t = x + n; x = t }\ninline twice(x) { add(x, 1); add(x, (2)) ; l: skip }\n\
        inline get(n) { return n + 1 }\nactive proctype P() { byte a; byte b[2]; twice(a); twice(b[1]); a = get(a) }";
    let model = read("m.pml", text, &Options::default());
    assert_eq!(model.diagnostics, []);
    let Item::Proctype(proctype) = &model.file.items[0] else { panic!("{:?}", model.file) };
    assert_eq!(
        sequence(&proctype.body[2..]),
        "twice{add{t = 0; t = a + 1; a = t}; add{t = 0; t = a + 2; a = t}; l: skip}; \
         twice{add{t = 0; t = b[1] + 1; b[1] = t}; add{t = 0; t = b[1] + 2; b[1] = t}; l: skip}; get{a = a + 1}"
    );
}

/// The formula with all brackets.
fn formula(text: &str) -> String {
    let text = format!("byte p, q, r; chan c = [1] of {{ byte }}; init {{ skip }} ltl f {{ {text} }}");
    let model = read("m.pml", &text, &Options::default());
    assert_eq!(model.diagnostics, [], "{text}");
    let Some(Item::Ltl(ltl)) = model.file.items.last() else { panic!("{text}") };
    bracketed(&ltl.formula)
}

fn bracketed(formula: &Formula) -> String {
    match &formula.kind {
        FormulaKind::Atom(expr) => printer::expr(expr),
        FormulaKind::Not(inner) => format!("!{}", bracketed(inner)),
        FormulaKind::Next(inner) => format!("X{}", bracketed(inner)),
        FormulaKind::Always(inner) => format!("G{}", bracketed(inner)),
        FormulaKind::Eventually(inner) => format!("F{}", bracketed(inner)),
        FormulaKind::Binary(op, left, right) => {
            let sign = match op {
                LtlOp::And => "&",
                LtlOp::Or => "|",
                LtlOp::Implies => "->",
                LtlOp::Iff => "<->",
                LtlOp::Until => "U",
                LtlOp::WeakUntil => "W",
                LtlOp::Release => "R",
            };
            format!("({} {sign} {})", bracketed(left), bracketed(right))
        }
    }
}

#[test]
fn formulas_bind_as_in_spin() {
    assert_eq!(formula("[] p -> <> q"), "(Gp -> Fq)");
    assert_eq!(formula("[] (p == 1 -> <> (q > 2))"), "G(p == 1 -> Fq > 2)");
    assert_eq!(formula("p U q && r W p || q V r"), "(((p U q) & (r W p)) | (q R r))");
    assert_eq!(formula("p U q U r"), "((p U q) U r)");
    assert_eq!(formula("p -> q -> r"), "((p -> q) -> r)");
    assert_eq!(formula("always eventually !p"), "GF!p");
    assert_eq!(formula("p until q; "), "(p U q)");
    assert_eq!(formula("(p weakuntil q) equivalent (p release q) implies next X p"), "(((p W q) <-> (p R q)) -> XXp)");
    assert_eq!(formula("[] nempty(c) || <> (len(c) == 1 && !full(c))"), "(Gnempty(c) | F(len(c) == 1 & !full(c)))");
    assert_eq!(formula("(p && q) || r"), "((p & q) | r)");
    assert_eq!(formula("p /\\ q \\/ r <-> p stronguntil q"), "(((p & q) | r) <-> (p U q))");
}

#[test]
fn constants_of_mtype_are_numbered_from_the_end() {
    let text = "mtype = { a, b, c }; mtype:m = { x, y }; mtype = { d }; init { skip }";
    let model = read("m.pml", text, &Options::default());
    assert_eq!(model.diagnostics, []);
    let name = |set, value| model.symbols.mtype_name(set, value).unwrap_or("").to_owned();
    assert_eq!([1, 2, 3, 4].map(|value| name(0, value)), ["c", "b", "a", "d"]);
    assert_eq!([1, 2, 3].map(|value| name(1, value)), ["y", "x", ""]);
}

/// Mistakes in the grammar and in names, in one run; what may only follow from a skipped declaration is not told.
#[test]
fn one_run_tells_mistakes_of_every_kind() {
    let text = "byte a = ;\nbyte b;\nbyte b;\nactive proctype P() {\n  a = 1;\n  b = nothing;\n  if :: b = = 2 :: else fi;\n  b = 3 4;\n  skip\n}\n\
                proctype Q( { skip }\nactive proctype R() { byte c; c = (1 + ; c = 2 }\n";
    let model = read("m.pml", text, &Options::default());
    let line = |message: &tertium_base::Diagnostic| {
        let at = message.primary.as_ref().map_or(0, |label| label.span.start);
        text[..at].matches('\n').count() + 1
    };
    let mut found: Vec<(usize, &str)> = model.diagnostics.iter().map(|message| (line(message), message.code)).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            (1, "E0505"),
            (3, "E0511"),
            (6, "E0510"),
            (7, "E0505"),
            (8, "E0505"),
            (11, "E0505"),
            (12, "E0505"),
            (13, "E0505")
        ],
        "{:#?}",
        model.diagnostics
    );
}

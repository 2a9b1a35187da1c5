//! Programs with constructs that stand for others, and their expansion by hand.
//!
//! Records, sets, channels, procedures, `for`, quantifiers and `+=` on one side, plain guarded commands on the other. Both mean the same, so whoever reads
//! them, and whatever engine decides their properties, must not tell them apart.

use crate::Rng;

/// Two texts with the same meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstructPair {
    /// With the constructs.
    pub sugar: String,
    /// Written out; `_` stands for the dots of fields.
    pub plain: String,
}

const SUGAR: &str = "system s type R = record { a : 0..3, b : bool } var r : R = R(0, false) var rs : array[0..1] of R = R(1, true) \
    var s : set of 0..3 = {2} chan c : 0..3 capacity 1 var x : 0..3 = 0 \
    procedure give(v : 0..3, var to : 0..3) { to := v; assert to in 0..3; }";
const PLAIN: &str = "system s var r_a : 0..3 = 0 var r_b : bool = false var rs_a : array[0..1] of 0..3 = 1 var rs_b : array[0..1] of bool = true \
    var s : array[0..3] of bool = [false, false, true, false] var c_len : 0..1 = 0 var c_buf : array[0..0] of 0..3 = 0 var x : 0..3 = 0";

/// One to four statements in a loop, by so many processes.
#[must_use]
pub fn random_construct_pair(rng: &mut Rng, processes: usize) -> ConstructPair {
    let count = 1 + rng.below(4);
    let pairs: Vec<(String, String)> = (0..count).map(|_| pair(rng, 2)).collect();
    let text = |head: &str, of: fn(&(String, String)) -> &String| {
        let body = pairs.iter().map(of).cloned().collect::<Vec<_>>().join(" ");
        format!("{head} process P[k : 1..{processes}] {{ loop {{ {body} }} }}")
    };
    ConstructPair { sugar: text(SUGAR, |pair| &pair.0), plain: text(PLAIN, |pair| &pair.1) }
}

/// Properties of such programs, again in both forms.
#[must_use]
pub fn construct_properties() -> ConstructPair {
    let sugar = " property low : ltl G (forall i in 0..1 : rs[i].a <= r.a || x in s) \
        invariant some : exists i in 0..1 : rs[i].b || rs[i].a <= x \
        property again : ltl G F len(c) = 0 \
        property all : ctl EF card(s) = 3 \
        property back : ctl AG EF (r = R(0, false) && len(c) = 0)";
    let plain = " property low : ltl G ((rs_a[0] <= r_a || s[x]) && (rs_a[1] <= r_a || s[x])) \
        property some : ltl G (rs_b[0] || rs_a[0] <= x || rs_b[1] || rs_a[1] <= x) \
        property again : ltl G F c_len = 0 \
        property all : ctl EF ((if s[0] then 1 else 0) + (if s[1] then 1 else 0) + (if s[2] then 1 else 0) + (if s[3] then 1 else 0) = 3) \
        property back : ctl AG EF (r_a = 0 && !r_b && c_len = 0)";
    ConstructPair { sugar: sugar.to_owned(), plain: plain.to_owned() }
}

/// A statement with the constructs and its expansion, over the variables of [`random_construct_pair`].
fn pair(rng: &mut Rng, depth: usize) -> (String, String) {
    let k = rng.below(4);
    let cell = |f: &dyn Fn(usize) -> String| (0..4).map(f).collect::<Vec<_>>().join(", ");
    match rng.below(if depth == 0 { 10 } else { 13 }) {
        0 => ("r := rs[x mod 2];".into(), "r_a, r_b := rs_a[x mod 2], rs_b[x mod 2];".into()),
        1 => (format!("rs[{}] := R(x, {k} in s);", k % 2), format!("rs_a[{0}], rs_b[{0}] := x, s[{k}];", k % 2)),
        2 => ("s += {x};".into(), "s[x] := true;".into()),
        3 => (format!("s := s - {{{k}}} + {{x}};"), {
            let value = |at: usize| if at == k { format!("false || x = {at}") } else { format!("s[{at}] || x = {at}") };
            let value = |at: usize| if at == k { format!("x = {at}") } else { value(at) };
            format!("s[0], s[1], s[2], s[3] := {};", cell(&value))
        }),
        4 => (
            "await forall i in 0..1 : rs[i].a <= x || rs[i].b;".into(),
            "await (rs_a[0] <= x || rs_b[0]) && (rs_a[1] <= x || rs_b[1]);".into(),
        ),
        5 => ("x := min i in 0..1 : rs[i].a;".into(), "x := if rs_a[0] <= rs_a[1] then rs_a[0] else rs_a[1];".into()),
        6 => ("c ! x;".into(), "when c_len < 1 do c_len, c_buf[c_len] := c_len + 1, x;".into()),
        7 => ("c ? x;".into(), "when c_len > 0 do c_len, c_buf[0], x := c_len - 1, 0, c_buf[0];".into()),
        8 => ("when x < 3 do x += 1;".into(), "when x < 3 do x := x + 1;".into()),
        9 => (format!("give({k}, r.a);"), format!("choose {{ r_a := {k}; assert r_a in 0..3; }}")),
        10 => {
            let (sugar, plain) = pair(rng, depth - 1);
            (
                format!("for i in 0..1 {{ rs[i].b := i in s; {sugar} }}"),
                format!("choose {{ rs_b[0] := s[0]; {plain} rs_b[1] := s[1]; {plain} }}"),
            )
        }
        11 => {
            let ((a, b), (c, d)) = (pair(rng, depth - 1), pair(rng, depth - 1));
            (format!("choose {{ {a} }} or {{ {c} }}"), format!("choose {{ {b} }} or {{ {d} }}"))
        }
        _ => {
            let (sugar, plain) = pair(rng, depth - 1);
            (
                format!("if x in s && r = R({k}, true) {{ {sugar} }}"),
                format!("if s[x] && r_a = {k} && r_b = true {{ {plain} }}"),
            )
        }
    }
}

//! Small models of every kind, each with properties that are so and properties that are not.

/// File names and texts.
pub const MODELS: [(&str, &str); 19] = [
    ("finite.gcl", FINITE),
    ("ends.gcl", ENDS),
    ("inputs.gcl", INPUTS),
    ("pair.gcl", PAIR),
    ("falls.gcl", FALLS),
    ("drift.gcl", DRIFT),
    ("started.pml", STARTED),
    ("labelled.pml", LABELLED),
    ("claimed.pml", CLAIMED),
    ("matched.pml", MATCHED),
    ("channel.pml", CHANNEL),
    ("family.gcl", FAMILY),
    ("plain.kmts", PLAIN),
    ("hyper.kmts", HYPER),
    ("fair.kmts", FAIR),
    ("mixed.kmts", MIXED),
    ("actions.kmts", ACTIONS),
    ("lattice.kmts", LATTICE),
    ("params.kmts", PARAMS),
];

const FINITE: &str = "system finite
var x : 0..2 = 0
var b : bool = false
process P { loop { choose { when x < 2 do x := x + 1; } or { when x = 2 do x := 0; } or { skip; } } }
process Q { q: await x = 2; b := true; }
fair Q
predicate x = 2
predicate b
property a1 : ltl G (x <= 2)
property a2 : ltl G (x <= 1)
property a3 : ltl F b
property a4 : ltl G F x = 2
property a5 : ctl AG EF x = 0
property a6 : ctl EF (x = 0 && b)
property a7 : ctl AF b
property a8 : ctl* E G !b
property a9 : ctl* A F G !b
property b1 : mu mu X. (b || <> X)
property b2 : pml [] <> x = 1
";

const ENDS: &str = "system ends
var x : 0..5 = 0
process P { a: x := 1; b: await x = 5; c: assert x = 4; }
process Q { x := x + 2; }
predicate x = 1
predicate x > 2
property goes_on : ltl G (!deadlock -> X !deadlock)
property three : ltl F x = 3
property ends : ltl F G x = 1
property stays : ctl EG x <= 3
property steps : ctl AG EX true
property never : ctl AG x != 4
";

const INPUTS: &str = "system inputs
var x : 0..1
var y : 0..1 = 0
process P { loop { x := * in 0..1; } }
process Q { loop { when x = 1 do y := 1 - y; } }
strong fair Q
init x >= 0
property settles : ltl (F G x = 0) || (F G x = 1)
property again : ltl (G F x = 1) -> (G F y = 1)
property always : ltl G F y = 1
property zero : ltl G y = 0
";

const PAIR: &str = "system pair
var x, y : int = 0
process P { loop { first: x := x + 1; second: y := y + 1; } }
predicate x = y
predicate x = y + 1
property close : ltl G (x = y || x = y + 1)
property equal : ltl G (x = y)
property back : ctl AG EF x = y
property apart : ctl EF x = y + 2
property one : ctl EF x = y + 1
property often : ltl G F x = y
property ever : ltl F G x = y
";

const FALLS: &str = "system falls
var n : int
process P { while n > 0 { n := n - 1; } done: skip; }
init n >= 0
predicate n > 0
property ends : ltl F P@done
property stays : ltl G n > 0
property low : ltl G n >= 0
property never : ctl AG !P@done
property big : ltl F n = 0
";

const DRIFT: &str = "system drift
var x, y : int = 0
process P { loop { up: x := x + 1; } }
process Q { loop { wait: await x > y; y := y + 1; } }
property ahead : ltl F (y > x)
property behind : ltl G (y <= x)
property three : ltl G F (x = 3)
property close : ltl G F (y = x)
property low : ltl G (x >= 0)
";

const LABELLED: &str = "byte n, m;
active proctype A() { do :: n < 2 -> n++ :: n == 2 -> progress: n = 0 od }
active proctype B() { accept: m = 1 }
ltl low { [] (n <= 2) }
ltl often { [] <> (n == 2) }
";

const CLAIMED: &str = "byte n;
active proctype A() { do :: n < 2 -> n++ :: n == 2 -> n = 0 od }
never { do :: true :: n != 2 -> goto accept od; accept: do :: n != 2 od }
";

const MATCHED: &str = "byte n;
active proctype A() { do :: n < 2 -> n++ :: n == 2 -> n = 0 :: n == 1 -> n = 0 od }
never { do :: true :: n != 2 -> goto accept od; accept: do :: n != 2 od }
";

const STARTED: &str = "bool go, x;
byte n;
active proctype A() { run B(); do :: n < 2 -> n++ :: n == 2 -> n = 0 od }
proctype B() { go = true; x = true }
ltl some { <> x }
ltl all { [] x }
ltl low { [] (n <= 2) }
ltl lower { [] (n <= 1) }
ltl often { [] <> (n == 0) }
";

const CHANNEL: &str = "chan c = [1] of { byte };
byte got;
active proctype S() { c!1; c!2 }
active proctype R() { byte v; do :: c?v -> got = v :: got == 2 -> break od; assert(got == 2) }
ltl one { <> (got == 1) }
ltl three { <> (got == 3) }
ltl not_two { [] (got != 2) }
ltl order { [] (got != 2 || got != 1) }
";

const FAMILY: &str = "system family
const N >= 1
var busy : bool = false
var x : 0..1 = 0
process P[i : 1..N] { loop { want: await !busy; set: busy := true; crit: skip; busy := false; } }
process Q[i : 1..N] { loop { skip; } }
property mutex : ltl forall i != j in P : G !(P[i]@crit && P[j]@crit)
property zero : ltl G x = 0
property one : ltl G x = 1
property inside : ltl forall i in P : G (P[i]@crit -> busy)
";

const PLAIN: &str = "props p, q
init a
state a p: t, q: f
state b p: ?, q: ?
state c p: t, q: f
state d p: f, q: ?
a -must-> b
b -must-> c
c -must-> c
a -may-> d
d -must-> d
property m1 : ctl AG (p | !p)
property m2 : ctl EF (q & !q)
property m3 : ltl G (p -> X p) | F (p & X !p)
property m4 : ctl EF p
property m5 : ctl AF q
property m6 : ltl F q
property m7 : ltl G p
property m8 : ctl* E F G p
property m9 : ctl* A F q
property n1 : mu nu X. (p & [] X)
property n2 : pml <> p
property n3 : ctl AX p & !AX p
property n4 : ltl X p
property n5 : ctl A[p U q]
";

const HYPER: &str = "props p, q
init a, c
state a p: f, q: t
state b p: t, q: ?
state c p: ?, q: t
state d p: t, q: f
a -hyper-> {b, c}
b -may-> d
c -hyper-> {b, d}
d -must-> d
property m1 : ctl EX q
property m2 : ctl AX q
property m3 : ctl EF (p & !q)
property m4 : ctl AF p
property m5 : ltl F p
property m6 : ltl G q
property m7 : ltl F !q
property m8 : ctl* E F !q
property m9 : ctl AF !q
property n1 : pml <> (p | !p)
property n2 : ltl X X p
";

const FAIR: &str = "props p, q
init a
state a p: f, q: t
state b p: t, q: ?
state c p: f, q: f
a -must-> a
a -must-> b
b -may-> c
b -must-> a
c -must-> c
fair {a -> b, c -> c}
property m1 : ltl F p
property m2 : ctl AF p
property m3 : ctl EG !p
property m4 : ltl G F p
property m5 : ctl* E G !p
property m6 : ctl AG EF p
property m7 : ltl G !p
property m8 : ctl EF EG p
";

const MIXED: &str = "mixed
props p, q
init a
state a p: t, q: f
state b p: f, q: ?
state c p: t, q: b
a -mustonly-> b
a -may-> a
b -must-> b
c -must-> a
property m1 : ctl EX !p
property m2 : ctl AX p
property m3 : pml q
property m4 : ltl G p
property m5 : ctl AG p
property m6 : ltl F !p
";

const ACTIONS: &str = "props q
actions x, y
state a q: f
state b q: ?
state c q: t
init a
a -must:x-> a
a -may:x-> b
a -hyper:y-> {b, c}
b -must:x-> b
c -must:y-> c
property m1 : pml q
property m2 : pml <x> !q
property m3 : pml <y> q
property m4 : pml [y] q
property m5 : mu mu X. (q | <y> X)
property m6 : mu nu X. (<x> X)
property m7 : ctl EF q
property m8 : ltl G !q
property m9 : mu nu X. (!q & [x] X)
";

const LATTICE: &str = "lattice K3
props p, q
state a p: u, q: f
state b p: t, q: u
init a
a -[t]-> a
a -[u]-> b
b -[t]-> b
property m1 : pml p | !p
property m2 : pml q
property m3 : ctl EF p
property m4 : ctl AG q
property m5 : ctl AF q
property m6 : mu nu X. (p & [] X)
";

const PARAMS: &str = "params x1, x2
props p
total
state a p: f
state b p: x1
state c p: x2
init a
a -[x1 | x2]-> b
a -must-> c
b -must-> b
c -must-> c
property m1 : ctl EF p
property m2 : ctl AX p
property m3 : ctl AG !p
property m4 : ltl F p
property m5 : ctl EX !p
property m6 : pml [] (p | !p)
property m7 : ctl AG EX true
property m8 : ltl G !p
";

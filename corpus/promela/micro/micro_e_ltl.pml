/* MICRO e_ltl: e ltl */
byte x;
active proctype A() { x == 1 -> x = 2 }
active proctype B() { x = 1 }
ltl p { <> enabled(0) }
ltl q { [] (enabled(0) -> x == 1) }

/* MICRO ltl_inline_cmp: ltl inline cmp */
int x;
active proctype P() { x = 3; x = x * x; x = x - 10 }
ltl p { <> (x < 0) && [] (x <= 9) }
ltl q { (x >= 0) U (x == -1) }

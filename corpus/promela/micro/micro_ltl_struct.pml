/* MICRO ltl_struct: ltl struct */
typedef S { bool up; byte n }; S s;
active proctype P() { s.up = true; s.n = 4; s.up = false }
ltl x1 { [] (s.up -> <> !s.up) }
ltl x2 { <> (s.n == 4 && s.up) }

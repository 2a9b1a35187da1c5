/* MICRO ltl_define: ltl define */
#define p (x == 1)
#define q (x == 2)
byte x;
active proctype A() { do :: x = 1; x = 2 :: x = 0 od }
ltl a { [] (p -> <> q) }
ltl b { p U q }
ltl c { !p W q }
ltl d { (q V (p || !p)) }
ltl e { [] (p -> (p U (q || !p))) }

/* MICRO ltl_nested_until: ltl nested until */
byte x;
active proctype A() { do :: x = (x + 1) % 4 od }
ltl a { [] ((x == 1) -> ((x != 3) U (x == 2))) }
ltl b { [] <> ((x == 0) U (x == 1)) }
ltl c { <> [] ((x == 0) V (x != 1)) }

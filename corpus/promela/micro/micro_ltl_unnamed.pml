/* MICRO ltl_unnamed: ltl unnamed */
byte x;
active proctype A() { x++ }
ltl { <> (x == 1) }

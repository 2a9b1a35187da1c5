/* MICRO ltl_timeout_word: ltl timeout word */
byte x;
active proctype A() { do :: x < 2 -> x++ :: timeout -> break od }
ltl t { <> [] (x == 2) }

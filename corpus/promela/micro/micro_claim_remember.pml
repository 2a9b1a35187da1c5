/* MICRO claim_remember: claim remember */
byte x, old;
active proctype A() { do :: x < 3 -> x++ :: x == 3 -> x = 1 od }
never { do :: old = x :: old == 3 && x == 1 -> break od }

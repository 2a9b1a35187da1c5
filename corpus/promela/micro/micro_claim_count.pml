/* MICRO claim_count: claim count */
byte x, n;
active proctype A() { x = 1; x = 0; x = 1; x = 0 }
never { do :: x == 0 :: x == 1 -> n++; if :: n == 2 -> break :: else fi od }

/* MICRO claim_count_never: claim count never */
byte x, n;
active proctype A() { x = 1; x = 0; x = 1 }
never { do :: x == 0 :: d_step { x == 1 -> n++ }; if :: n == 9 -> break :: n < 9 fi od }

/* MICRO never_end_state: never end state */
byte x;
active proctype A() { do :: x < 3 -> x++ od }
never { do :: x < 3 :: x == 3 -> break od }

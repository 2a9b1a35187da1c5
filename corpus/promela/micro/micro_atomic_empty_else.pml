/* MICRO atomic_empty_else: atomic empty else */
byte x;
active proctype A() { do :: atomic { x == 0 -> x = 1 } :: atomic { x == 1 -> x = 2 } :: x == 2 -> break od }

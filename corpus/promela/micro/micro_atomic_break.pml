/* MICRO atomic_break: atomic break */
byte x;
active [2] proctype A() { do :: atomic { x < 3 -> x++; if :: x == 2 -> break :: else fi } :: atomic { else -> break } od }

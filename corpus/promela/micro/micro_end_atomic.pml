/* MICRO end_atomic: end atomic */
byte x;
active proctype A() { x = 1; x = 2 }
never { do :: x < 2 :: atomic { x == 2 -> end_1: true; true }; true -> 0 od }

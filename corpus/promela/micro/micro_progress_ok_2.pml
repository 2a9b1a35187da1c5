/* MICRO progress_ok: progress ok */
byte x;
active proctype A() { do :: x = 1; progress_a: x = 2 od }
active proctype B() { x = 4 }

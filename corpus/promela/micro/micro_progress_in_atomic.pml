/* MICRO progress_in_atomic: progress in atomic */
byte x;
active proctype A() { do :: atomic { x = 1; progress: x = 2 } od }

/* MICRO progress_two: progress two */
byte x;
active proctype A() { do :: progress1: x = 1 od }
active proctype B() { do :: x = 2 od }

/* MICRO progress_label: progress label */
byte x;
active proctype A() { do :: x = 1; progress_a: x = 2 :: x = 3 od }

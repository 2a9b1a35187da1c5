/* MICRO quantum_labels: quantum labels */
byte x;
active proctype A() { end_a: progress_b: accept_c: do :: x = 1 - x od }

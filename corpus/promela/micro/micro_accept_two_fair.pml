/* MICRO accept_two_fair: accept two fair */
byte x;
active proctype A() { do :: x = 1 od }
active proctype B() { accept: do :: x = 2 od }

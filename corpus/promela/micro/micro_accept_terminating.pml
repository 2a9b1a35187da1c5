/* MICRO accept_terminating: accept terminating */
byte x;
active proctype A() { accept: x = 1; x = 2 }

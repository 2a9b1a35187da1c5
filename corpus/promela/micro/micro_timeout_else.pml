/* MICRO timeout_else: timeout else */
byte x;
active proctype A() { do :: x == 0 -> x = 1 :: timeout -> break od; x = 9 }
active proctype B() { if :: x == 5 :: timeout -> x = 6 fi }

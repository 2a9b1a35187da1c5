/* MICRO e_timeout: e timeout */
byte x, y;
active proctype A() { timeout -> x = 1 }
active proctype B() { if :: enabled(0) -> y = 1 :: x == 1 -> y = 2 fi }

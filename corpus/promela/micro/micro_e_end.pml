/* MICRO e_end: e end */
byte x, y;
active proctype A() { x = 1 }
active proctype B() { x == 1; (!enabled(0)) -> y = 1 }
active proctype C() { x = 2 }

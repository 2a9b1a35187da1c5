/* MICRO timeout_in_expr: timeout in expr */
byte x;
active proctype A() { (timeout && x == 0) -> x = 1; !timeout -> x = 2 }
active proctype B() { x == 1 }

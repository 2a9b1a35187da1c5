/* MICRO else_nested: else nested */
byte x;
active proctype A() { if :: x == 1 -> skip :: else -> if :: x == 2 :: else -> x = 4 fi fi; assert(x != 4) }
active proctype B() { x = 1; x = 2 }

/* MICRO e_none: e none */
byte x, y;
active proctype A() { if :: enabled(5) -> x = 1 :: !enabled(5) -> x = 2 fi; assert(x == 2) }

/* MICRO e_dstep: e dstep */
byte x, y; chan q = [1] of { byte };
active proctype A() { d_step { x == 1; x = 2 }; atomic { q?x; x = 3 } }
active proctype B() { y = enabled(0); x = 1; y = enabled(0); (x == 2 && !enabled(0)) -> q!4; enabled(0) -> y = 9; assert(enabled(0)) }

/* MICRO never_dstep: never dstep */
byte x;
active proctype A() { x = 1; x = 2; x = 3 }
never { do :: d_step { x == 2 -> assert(x != 2) } :: else od }

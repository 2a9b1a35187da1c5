/* MICRO dstep_goto_loop: dstep goto loop */
byte x, y;
active proctype P() { do :: d_step { x < 3 -> x++; y = y + x } :: else -> break od; assert(y == 6) }

/* MICRO dstep_goto_inside: dstep goto inside */
byte x;
active proctype P() { d_step { x = 3; again: if :: x > 0 -> x--; goto again :: else -> skip fi; x = 9 }; assert(x == 9) }
active proctype Q() { x == 9 }

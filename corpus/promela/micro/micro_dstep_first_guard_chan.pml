/* MICRO dstep_first_guard_chan: dstep first guard chan */
chan q = [1] of { byte };
byte x;
active proctype P() { d_step { q?x; x = x + 1; x = x * 2 }; assert(x == 8) }
active proctype Q() { q!3 }

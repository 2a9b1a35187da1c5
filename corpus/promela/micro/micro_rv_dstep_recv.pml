/* MICRO rv_dstep_recv: rv dstep recv */
chan a = [0] of { byte }; byte x;
active proctype P() { a!1; x = 3 }
active proctype Q() { d_step { a?x; x = x + 10 }; assert(x == 11) }

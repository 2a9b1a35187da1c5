/* MICRO chan_len_zero: chan len zero */
chan q = [0] of { byte };
active proctype A() { assert(len(q) == 0 && empty(q)); q!1 }
active proctype B() { byte v; q?v; assert(nfull(q)) }

/* MICRO bit_chan: bit chan */
chan q = [1] of { bit, bool };
init { bit a; bool b; q!3,2; q?a,b; assert(a == 1 && b == 0) }

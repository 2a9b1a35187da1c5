/* MICRO short_chan: short chan */
chan q = [1] of { short, byte };
init { short a; byte b; q!40000,300; q?a,b; assert(a == 40000 - 65536 && b == 44) }

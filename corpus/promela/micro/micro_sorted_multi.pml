/* MICRO sorted_multi: sorted multi */
mtype = { red, green, blue };
chan q = [4] of { mtype, byte };
init { mtype m; byte b; q!!green(2); q!!red(1); q!!green(1); q!!blue(9); q?m,b; printf("%e %d", m, b); assert(m == blue); q??green(b); assert(b == 1); q?m,b; assert(m == green && b == 2) }

/* MICRO shift_ops: shift ops */
int a = -8; byte b = 200;
init { assert(a >> 1 == -4); assert(b << 1 == 400); b = b << 1; assert(b == 144); assert((~0) == -1); assert((5 ^ 3) == 6 && (5 | 3) == 7 && (5 & 3) == 1); assert(-7 / 2 == -3 && -7 % 2 == -1) }

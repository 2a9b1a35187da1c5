/* MICRO modulo_neg: modulo neg */
int a = -7; int b = 3;
init { assert(a % b == -1); assert(a / b == -2); assert((a & 7) == 1); a = a << 3; assert(a == -56); b = 1 << 31; assert(b < 0); assert((b >> 31) == -1) }

/* MICRO const_fold: const fold */
#define A 2
#define B (A + 3)
#define F(x, y) (x * y + B)
byte v[B];
init { v[A] = F(A, 1 + 1); assert(v[2] == 8) }

/* MICRO predefine_ifdef: predefine ifdef */
#define N 3
#ifdef N
#if N > 2 && defined(N)
#define VAL 4
#else
#define VAL 5
#endif
#endif
#ifndef VAL
#define VAL 9
#endif
#undef N
byte x = VAL;
init { assert(x == 4) }

/* MICRO if_elif: if elif */
#define MODE 2
#if MODE == 1
byte x = 1;
#elif MODE == 2
byte x = 2;
#else
byte x = 3;
#endif
init { assert(x == 2) }

/* MICRO macro_multi: macro multi */
#define wait(c) \
	do \
	:: c -> break \
	:: else -> skip \
	od
byte x;
active proctype A() { x = 1 }
active proctype B() { wait(x == 1); assert(x) }

/* MICRO assert_remote: assert remote */
active proctype A() { byte i; i = 1; L: i = 2 }
active proctype B() { assert(A:i != 2); assert(!A@L) }

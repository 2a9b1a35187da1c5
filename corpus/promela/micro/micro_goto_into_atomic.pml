/* MICRO goto_into_atomic: goto into atomic */
byte x;
active proctype A() { goto L; atomic { x = 1; L: x = 2; x = 3 } x = 4 }
active proctype B() { x == 2 -> assert(false) }

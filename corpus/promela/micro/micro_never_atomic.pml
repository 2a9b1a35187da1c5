/* MICRO never_atomic: never atomic */
byte x;
active proctype A() { x = 1; x = 2 }
never { do :: atomic { x == 2 -> assert(false) } :: else od }

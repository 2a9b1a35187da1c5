/* MICRO index_oob: index oob */
byte a[3]; byte i = 3;
active proctype A() { i = 2; a[i] = 1 }
active proctype B() { assert(i <= 3) }

/* MICRO never_assert: never assert */
byte x;
active proctype A() { x = 1; x = 2; x = 3 }
never { do :: assert(x < 3) od }

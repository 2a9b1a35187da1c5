/* MICRO assert_side: assert side */
byte x;
active proctype A() { assert(x == 0 || x == 2); x = 1; x = 2 }
active proctype B() { assert(x != 1) }

/* MICRO loop_of_gotos: loop of gotos */
byte x;
active proctype A() { goto B1; B2: x = 2; goto B3; B1: x = 1; goto B2; B3: assert(x == 2) }

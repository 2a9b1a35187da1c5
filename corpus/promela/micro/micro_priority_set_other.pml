/* MICRO priority_set_other: priority set other */
byte x;
active proctype A() priority 5 { set_priority(1, 6); x = 1; assert(x == 2 || x == 1) }
active proctype B() priority 1 { x = 2; x = 2 }

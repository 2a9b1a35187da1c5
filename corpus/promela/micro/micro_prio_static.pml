/* MICRO prio_static: prio static */
byte x;
active proctype L() priority 1 { x = 1; x = 2; assert(x == 2) }
active proctype H() priority 5 { x == 1 -> x = 3 }

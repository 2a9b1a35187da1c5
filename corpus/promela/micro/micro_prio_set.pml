/* MICRO prio_set: prio set */
byte x;
active proctype L() priority 1 { set_priority(_pid, 7); x++; assert(x == 1); set_priority(_pid, 1); x++ }
active proctype H() priority 5 { x++; assert(_priority == 5) }

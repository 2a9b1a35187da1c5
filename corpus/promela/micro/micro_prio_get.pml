/* MICRO prio_get: prio get */
byte x;
active proctype L() priority 3 { x = get_priority(1); assert(x == 2) }
active proctype H() priority 2 { x = get_priority(0); x = _priority }

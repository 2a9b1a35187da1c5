/* MICRO inline_label: inline label */
inline wait(v) { skip; L: if :: v > 0 -> v--; goto L :: else fi }
active proctype P() { byte x = 2, y = 1; wait(x); wait(y); assert(x + y == 0) }

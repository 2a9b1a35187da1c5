/* MICRO inline_with_do: inline with do */
byte x, y;
inline drain(v) { do :: v > 0 -> v-- :: else -> break od }
active proctype P() { x = 2; y = 3; drain(x); drain(y); assert(x + y == 0) }
active proctype Q() { x++ }

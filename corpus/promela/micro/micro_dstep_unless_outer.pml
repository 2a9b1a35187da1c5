/* MICRO dstep_unless_outer: dstep unless outer */
byte x; bool b;
active proctype P() { { do :: d_step { x < 4; x++; x++ } :: x >= 4 -> break od } unless { b; x = 100 } }
active proctype Q() { x > 1; b = true }

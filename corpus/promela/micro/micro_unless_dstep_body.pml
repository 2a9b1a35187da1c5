/* MICRO unless_dstep_body: unless dstep body */
byte x; bool a;
active proctype P() { { d_step { x = 1; x = 2 }; x = 3; x = 4 } unless { a } }
active proctype Q() { x == 3 -> a = true }

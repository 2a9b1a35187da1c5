/* MICRO unless_atomic: unless atomic */
byte x; bool stop;
active proctype P() { atomic { x = 1; x = 2; x = 3 } unless { stop -> x = 10 } }
active proctype Q() { stop = true }

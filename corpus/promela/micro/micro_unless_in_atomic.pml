/* MICRO unless_in_atomic: unless in atomic */
byte x; bool g;
active proctype P() { atomic { x = 1; { x = 2; x = 3 } unless { g -> x = 9 }; x = x + 1 } }
active proctype Q() { g = 1 }

/* MICRO unless_else: unless else */
byte x;
active proctype P() { { if :: x == 1 -> x = 2 :: else -> x = 3 fi; x = 4 } unless { x == 9 } }
active proctype Q() { x = 9 }

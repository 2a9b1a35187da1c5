/* MICRO unless_multi_escape: unless multi escape */
byte x; bool a, b;
active proctype P() { { x = 1; x = 2; x = 3 } unless { if :: a -> x = 20 :: b -> x = 30 fi } }
active proctype Q() { if :: a = true :: b = true fi }

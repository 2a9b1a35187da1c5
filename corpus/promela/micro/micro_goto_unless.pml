/* MICRO goto_unless: goto unless */
byte x; bool g;
active proctype P() { { x = 1; x = 2; goto out } unless { g -> x = 9 }; x = 5; out: x = x + 1 }
active proctype Q() { g = 1 }

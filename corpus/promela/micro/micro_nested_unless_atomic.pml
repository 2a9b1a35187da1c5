/* MICRO nested_unless_atomic: nested unless atomic */
byte x; bool a, b;
active proctype P() { { { x = 1; x = 2 } unless { a -> x = 3 }; x = 4 } unless { b -> x = 5 } }
active proctype Q() { a = 1; b = 1 }

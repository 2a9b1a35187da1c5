/* MICRO unless_nested_loop: unless nested loop */
byte x; bool a;
active proctype P() { do :: { x = x + 1; x < 4 } unless { a -> break } :: x > 3 -> goto done od; done: skip }
active proctype Q() { a = true }

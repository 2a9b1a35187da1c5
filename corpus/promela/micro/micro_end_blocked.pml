/* MICRO end_blocked: end blocked */
byte x;
active proctype A() { x = 1; x = 2 }
never { do :: x < 2 :: x == 2 -> goto end_z od; end_z: x == 9 }

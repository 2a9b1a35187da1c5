/* MICRO claim_atomic_note: claim atomic note */
byte x, y;
active proctype A() { x = 1; x = 2; x = 3 }
never { do :: atomic { y < 3 -> y = y + x; y = y + 1 } :: y >= 3 -> assert(y != 4) od }

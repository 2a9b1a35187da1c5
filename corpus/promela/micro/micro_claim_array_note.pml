/* MICRO claim_array_note: claim array note */
byte x; bit seen[4];
active proctype A() { do :: x = (x + 1) % 4 :: break od }
never { do :: d_step { true; seen[x] = 1 } :: seen[0] + seen[1] + seen[2] + seen[3] == 4 -> break od }

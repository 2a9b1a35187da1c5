/* MICRO never_skip_chain: never skip chain */
byte x;
active proctype A() { x = 1; x = 2; x = 3 }
never { skip; skip; true; x == 2; x == 3 }

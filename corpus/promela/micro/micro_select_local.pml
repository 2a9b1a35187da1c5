/* MICRO select_local: select local */
active proctype P() { byte i, n = 2; select (i : 0 .. n); byte j; select (j : i .. 2); assert(j >= i) }

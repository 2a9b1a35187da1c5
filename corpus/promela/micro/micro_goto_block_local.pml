/* MICRO goto_block_local: goto block local */
active proctype A() { byte n; L: { byte i; i++; n++; assert(i == 1); if :: n < 3 -> goto L :: else fi } }

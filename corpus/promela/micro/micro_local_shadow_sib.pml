/* MICRO local_shadow_sib: local shadow sib */
active proctype A() { { byte i = 1; i++ }; { int i = 300; i++; assert(i == 301) } }

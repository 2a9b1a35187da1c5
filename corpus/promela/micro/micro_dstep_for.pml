/* MICRO dstep_for: dstep for */
byte a[4]; byte s;
active proctype P() { byte i; d_step { for (i : 0 .. 3) { a[i] = i }; for (i in a) { s = s + a[i] } } assert(s == 6) }
active proctype Q() { s > 0 -> s = 0 }

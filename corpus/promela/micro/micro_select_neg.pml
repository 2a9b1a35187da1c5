/* MICRO select_neg: select neg */
int i;
active proctype P() { select (i : -2 .. 1); assert(i < 1) }

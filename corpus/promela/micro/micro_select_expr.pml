/* MICRO select_expr: select expr */
byte lo = 1, hi = 3; byte i;
active proctype P() { select (i : lo .. hi + 1); assert(i >= 1 && i <= 4) }

/* MICRO bool_arith: bool arith */
bool a = true, b = false; byte c;
init { c = a + a + b; assert(c == 2); a = c; assert(a == 0); c = (c == 2) + 3; assert(c == 4); c = !c; assert(c == 0) }

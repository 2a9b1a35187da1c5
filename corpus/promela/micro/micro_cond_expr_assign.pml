/* MICRO cond_expr_assign: cond expr assign */
int a = 7, b;
init { b = (a > 3 -> a * 2 : -a); assert(b == 14); b = (b > 20 -> 1 : (a == 7 -> 2 : 3)); assert(b == 2) }

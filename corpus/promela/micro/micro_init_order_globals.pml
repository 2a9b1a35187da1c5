/* MICRO init_order_globals: init order globals */
byte a = 3; byte b = 4; int c = 3 * 4 + 1;
init { assert(c == 13); c = a + b; assert(c == 7) }

/* MICRO big_int_const: big int const */
int x = 2147483647; int y = -2147483648;
init { assert(x + 1 == y); }

/* MICRO unsigned_fields: unsigned fields */
typedef U { unsigned a : 3; unsigned b : 5; bit c };
U u; unsigned w : 2 = 3;
init { u.a = 9; u.b = 33; u.c = 3; w++; assert(u.a == 1 && u.b == 1 && u.c == 1 && w == 0) }

/* MICRO mtype_two_decl: mtype two decl */
mtype = { a, b }; mtype = { c, d, e };
mtype v = d;
init { assert(a == 2 && b == 1 && e == 3 && d == 4 && c == 5); v++ ; assert(v == c) }

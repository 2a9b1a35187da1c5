/* MICRO array_init_list: array init list */
byte a[4] = { 1, 2 }; int z[2] = 7;
init { assert(a[0] == 1 && a[1] == 2); assert(z[0] == 7 && z[1] == 7) }

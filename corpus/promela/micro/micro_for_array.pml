/* MICRO for_array: for array */
byte a[3] = { 4, 5, 6 };
active proctype P() { byte i, s; for (i in a) { s = s + a[i] } assert(s == 15 && i == 3) }

/* MICRO inline_local_decl: inline local decl */
inline swap(a, b) { byte tmp; tmp = a; a = b; b = tmp }
active proctype P() { byte x = 1, y = 2; swap(x, y); assert(x == 2); swap(y, x); assert(x == 1 && y == 2) }

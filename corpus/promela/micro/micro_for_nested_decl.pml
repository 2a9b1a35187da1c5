/* MICRO for_nested_decl: for nested decl */
active proctype P() { int i; for (i : 0 .. 1) { int j; for (j : 0 .. 1) { byte k = i + j; assert(k < 2) } } }

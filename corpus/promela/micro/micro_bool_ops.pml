/* MICRO bool_ops: bool ops */
bool p = true, q;
init { assert(p && !q); assert((p || q) == 1); q = p + p; assert(q == 0); q = p * 5; assert(q == 1); assert(!0 == 1 && !5 == 0) }

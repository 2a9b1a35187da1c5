/* MICRO sorted_struct: sorted struct */
typedef R { byte p; byte v }; chan q = [3] of { R };
init { R r; r.p = 3; r.v = 1; q!!r; r.p = 1; q!!r; r.p = 2; q!!r; q?r; assert(r.p == 1); q?r; assert(r.p == 2) }
